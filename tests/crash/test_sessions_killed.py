"""A command about sessions dies at any step: what was there is there, and the next one ends it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.capture.mortal import KILLED, dying_at
from tests.cli.running import Person

START_NS = 1_768_141_800 * 10**9  # 2026-01-11T14:30:00Z
DAY_NS = 86_400 * 10**9
AT = {"RECOLLECT_SESSION": "s"}


@pytest.fixture
def person(quick_folder: Path, tmp_path: Path) -> Person:
    folder = quick_folder / tmp_path.name
    (folder / "project" / ".git").mkdir(parents=True)
    (folder / "home").mkdir()
    person = Person(folder / "home", folder / "project")
    person.ok("init")
    return person


def dies(person: Person, step: int, *words: str, note: Path) -> bool:
    """Whether the command died; False when it has no such step any more."""
    act: Callable[[], object] = lambda: person.ok(*words, env=AT)  # noqa: E731
    return dying_at(step, act, note)[0] == KILLED


@pytest.mark.slow
def test_a_note_is_there_whole_or_not_at_all(person: Person, tmp_path: Path) -> None:
    step, tries = 0, 0
    while dies(person, step, "note", f"note {step}", note=tmp_path / "steps"):
        notes = person.ok("show-session", "--json", env=AT).json["notes"]
        assert all(re.fullmatch(r"note \d+", text) for text in notes)
        assert len(notes) == len(set(notes))
        tries, step = tries + 1, step + 1
    assert tries > 10
    notes = person.ok("show-session", "--json", env=AT).json["notes"]
    assert notes[-1] == f"note {step}"
    assert person.ok("doctor", "--json").json["problems"] == 0


@pytest.mark.slow
def test_a_compress_that_died_is_ended_by_the_next(
    person: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [START_NS]
    monkeypatch.setattr(time, "time_ns", lambda: now[0])
    step, tries = 0, 0
    alive = True
    while alive:
        name = f"n{step}"
        person.ok("note", f"said {name} here", env={"RECOLLECT_SESSION": name})
        person.ok("save-session", env={"RECOLLECT_SESSION": name})
        file = person.store / "sessions" / f"{_day(now[0])}_0915.md"
        file.write_text(f"# File {name}\n\n## Issues\n- written {name} here\n")
        now[0] += 35 * DAY_NS
        alive = dies(person, step, "compress", note=tmp_path / "steps")
        tries += alive
        person.ok("compress")
        assert not file.exists()
        pages = [path.read_text() for path in (person.store / "sessions/archive").glob("*.md")]
        cold = [path.read_text() for path in (person.store / "archive").rglob("summary.md")]
        marks = re.findall(r"<!-- memory: (.*) -->", "".join(pages))
        assert len(marks) == len(set(marks)) == len(cold)
        for said in (f"said {name} here", f"written {name} here"):
            assert any(said in text for text in pages)
            assert sum(said in text for text in cold) == 1
        step += 5
    assert tries > 3
    assert person.ok("doctor", "--json").json["problems"] == 0


def _day(now_ns: int) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(now_ns / 1e9))
