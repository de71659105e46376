"""docs/clients.md claims nothing that no test shows."""

from __future__ import annotations

import re
from pathlib import Path

from recollect.clients.registry import KNOWN

HOUSE = Path(__file__).resolve().parents[2]
PAGE = (HOUSE / "docs" / "clients.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if line.startswith("| ") and "---" not in line
]
NOTES = dict(re.findall(r"^- \[(\d+)\] (.+)$", PAGE, re.M))
TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def test_every_cell_names_a_test_or_a_reason() -> None:
    head, *rows = ROWS
    used = set()
    for row in rows:
        assert len(row) == len(head)
        for cell in row[1:]:
            found = re.fullmatch(r"([✔◐–]) \[(\d+)\]", cell)
            assert found, f"{row[0]}: {cell}"
            assert bool(TEST.search(NOTES[found[2]])) is (found[1] != "–"), cell
            used.add(found[2])
    assert used == set(NOTES)


def test_every_test_that_is_named_is_there() -> None:
    for path, name in TEST.findall(PAGE):
        source = (HOUSE / path).read_text(encoding="utf-8")
        assert re.search(rf"^def {name}\(", source, re.M), f"{path}::{name}"


def test_every_client_that_can_be_connected_has_a_column() -> None:
    head = " ".join(ROWS[0])
    for client in KNOWN.values():
        assert client.title.removesuffix(" CLI") in head, client.title


def test_the_versions_are_those_that_are_installed_for_the_tests() -> None:
    pinned = dict(
        re.findall(r"^(\w+)_VERSION := ([\d.]+)$", (HOUSE / "Makefile").read_text(), re.M)
    )
    named = {"CLAUDE": "Claude Code", "CODEX": "Codex CLI", "GEMINI": "Gemini CLI", "OPENCODE": "OpenCode", "COPILOT": "Copilot CLI"}  # fmt: skip
    for key, title in named.items():
        column = next(cell for cell in ROWS[0] if cell.startswith(f"{title} "))
        assert pinned[key].startswith(column.removeprefix(f"{title} ")), column
