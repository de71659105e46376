"""A month of twenty sessions a day: what a store grows to, against what was said."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from tests.services.conftest import quick_folder
from tests.services.project import Project

from recollect.capture import save_memory as save
from recollect.capture.save_memory import Draft
from recollect.interfaces.hooks import events as program
from recollect.store import locations

__all__ = ["quick_folder"]

SESSIONS = int(os.environ.get("RECOLLECT_SESSIONS", "600"))
MOST_TIMES_THE_TEXT = 3.0


def a_session(n: int) -> tuple[str, str, str]:
    """What a session leaves: its summary, its conversation, and a solution."""
    summary = "\n\n".join(
        f"## Part {k}\n\n" + f"In session {n} we settled thing {k} of many. " * 8 for k in range(5)
    )
    turns = "\n\n".join(f"### User [{k}:00]\n\n" + f"Why is {n} {k} so? " * 20 for k in range(20))
    solution = f"**Symptom:** error {n}\n\n**Solution:** " + f"turn valve {n} twice. " * 10
    return summary, turns, solution


@pytest.mark.slow
def test_a_month_takes_less_than_three_times_what_was_said(
    quick_folder: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    project = Project(quick_folder / tmp_path.name)
    said = 0
    with project.opened() as store:
        for n in range(SESSIONS):
            summary, turns, solution = a_session(n)
            said += len(summary) + len(turns) + len(solution)
            kept = Draft(f"Session {n}", summary, layer="episodic", conversation=turns)
            save.save(store, kept)
            save.save(store, Draft(f"Solution: valve {n}", solution, kind="solution"))
    journal = sum(file.stat().st_size for file in (project.root / "journal").iterdir())
    files = sum(len(data) for data in project.files().values())
    with capfd.disabled():
        sys.stderr.write(f"\n{SESSIONS} sessions: {said=:,} {files=:,} {journal=:,} bytes\n")
    assert journal < MOST_TIMES_THE_TEXT * said
    assert journal + files < 2 * MOST_TIMES_THE_TEXT * said


def test_the_log_of_the_hooks_does_not_grow_without_bound(tmp_path: Path) -> None:
    env = {"XDG_CACHE_HOME": str(tmp_path)}
    log = Path(locations.cache_root(env)) / "hook.log"
    log.parent.mkdir(parents=True)
    log.write_bytes(b"x" * (program.LARGEST_LOG + 1))
    program.complain(env, ValueError("again"))
    assert log.stat().st_size < 1000
    assert b"ValueError" in log.read_bytes()
