"""The commands in README run as they stand, in their order, and print what it shows.

A block ```console is a piece of one session in an empty project; `RECOLLECT_UPDATE_TRANSCRIPTS=1` writes down what
is printed now. What differs from run to run is shown as it was.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from tests.cli.running import Person

from .test_transcripts import (
    UPDATE,
    Clock,
    Session,
    clock,
    steps_of,
    written,
)

__all__ = ["clock"]
ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.M | re.S)
# As a reader sees them; the rest of what differs is not shown in README.
SHOWN = {
    "{nonce}": "4f1c9a2e",
    "{project}": "/home/you/shop",
    "{home}": "/home/you",
    "{version}": "0.1.0",
}


@pytest.mark.parametrize("name", ["README.md", "README.zh.md"])
def test_the_commands_print_what_it_shows(name: str, tmp_path: Path, clock: Clock) -> None:
    home, project = tmp_path / "home", tmp_path / "shop"
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    home.mkdir()
    person = Person(home, project)
    if ".zh" in name:
        person.env["LANG"] = "zh_CN.UTF-8"
    session = Session(person, clock)

    def played(block: re.Match[str]) -> str:
        found: list[str] = []
        for step in steps_of(block[0].rstrip("\n")):
            found += written(step, session.run(step))
        text = "\n".join(found) + "\n"
        for placeholder, shown in SHOWN.items():
            text = text.replace(placeholder, shown)
        assert "{" not in text.replace("${", ""), f"differs from run to run: {text}"
        return text

    path = ROOT / name
    before = path.read_text("utf-8")
    assert BLOCK.search(before)
    after = BLOCK.sub(played, before)
    if UPDATE:
        path.write_text(after, "utf-8")
    assert UPDATE or after == before, f"{name} does not show what is printed"
