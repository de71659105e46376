"""Many processes that add facts at the same time: each is kept, under a number of its own (K2)."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.services.project import SOURCE, Project

from .test_many_at_once import finish

KINDS = ("decision", "pattern", "issue")


@pytest.fixture
def project(quick_folder: Path, tmp_path: Path) -> Project:
    project = Project(quick_folder / tmp_path.name)
    project.env["PYTHONPATH"] = f"{SOURCE}:{SOURCE.parent}"
    return project


def add_at_once(
    project: Project, said: list[tuple[str, str]], beside: Sequence[subprocess.Popen[str]] = ()
) -> list[str]:
    """Let a process add each of these `(kind, content)`; gives the numbers that they were told.

    What runs `beside` is waited for: the view is whole when an index that is made anew is.
    """
    running = [project.start(f"add-{kind}", content, "--json") for kind, content in said]
    told = [json.loads(answer) for answer in finish(running)]
    list(finish([*beside]))
    assert [one["content"] for one in told] == [content for _, content in said]
    page = json.loads((project.root / "facts.json").read_text())
    rows = {row["id"]: row["content"] for kind in KINDS for row in page[f"{kind}s"]}
    assert rows == {one["number"]: one["content"] for one in told}
    return [one["number"] for one in told]


@pytest.mark.slow
def test_commands_at_once_add_a_fact_each(project: Project) -> None:
    numbers = add_at_once(project, [("decision", f"Decision {n}") for n in range(6)])
    assert sorted(numbers) == [f"d{n:03d}" for n in range(1, 7)]


@pytest.mark.slow
def test_twenty_commands_at_once_keep_all_twenty_facts(project: Project) -> None:
    numbers = add_at_once(project, [("decision", f"Decision {n}") for n in range(20)])
    assert sorted(numbers) == [f"d{n:03d}" for n in range(1, 21)]
    more = add_at_once_again(project)
    assert not set(more) & set(numbers)


def add_at_once_again(project: Project) -> list[str]:
    """Archive all, and let ten more add while the index is made anew again and again."""
    project.answer("clear-facts", "--yes")
    rebuilds = [project.start("rebuild-index", "--json") for _ in range(2)]
    return add_at_once(project, [("decision", f"Another {n}") for n in range(10)], rebuilds)


@pytest.mark.slow
def test_facts_of_all_kinds_and_extractions_at_once_are_kept_once(project: Project) -> None:
    said = [(KINDS[n % 3], f"Fact {n}") for n in range(12)]
    log = project.folder / "log.md"
    log.write_text("## Decisions\n- Use Redis: fast\n## Issues\n- It leaks\n")
    extractions = [project.start("extract-facts", str(log), "--json") for _ in range(6)]
    running = [project.start(f"add-{kind}", content, "--json") for kind, content in said]
    told = [json.loads(answer) for answer in finish([*extractions, *running])]
    created = sum(one["decisions"] + one["issues"] for one in told[:6])
    assert created == 2
    page = json.loads((project.root / "facts.json").read_text())
    assert [len(page[f"{kind}s"]) for kind in KINDS] == [5, 4, 5]
    assert project.answer("doctor")["problems"] == 0
