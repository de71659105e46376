"""A day: two sessions at once in one project and one in another, through the real hooks and workers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.capture.transcripts import Transcript
from tests.cli.running import Person

from .machine import LONGEST, Machine

NAMES = {"alpha": "project", "beta": "project", "gamma": "other"}
TURNS = 3


def fire_at_once(machine: Machine, event: str, transcripts: dict[str, Transcript]) -> None:
    """Run the hook of an event for all sessions at the same time."""
    running = []
    for name, one in transcripts.items():
        about = {
            "session_id": one.session,
            "transcript_path": str(one.save(machine.home / ".claude/projects" / name)),
            "cwd": one.cwd,
        }
        process = machine.open(event)
        running.append((process, json.dumps(machine.payload(event, **about)).encode()))
    for process, payload in running:
        assert process.communicate(payload, timeout=LONGEST)[1] == b""


@pytest.mark.slow
def test_each_of_three_sessions_lands_in_its_own_project(machine: Machine) -> None:
    other = machine.home / "other"
    (other / ".git").mkdir(parents=True)
    (other / ".claude" / "memory").mkdir(parents=True)
    transcripts = {
        name: Transcript(f"0b6f1c2e-7d51-4c1e-9a11-6d1f0000{name:_>8}", str(machine.home / where))
        for name, where in NAMES.items()
    }
    for turn in range(TURNS):
        for name, one in transcripts.items():
            one.prompt(f"We decided to use {name}{turn} for the kettle because {name} is there.")
            one.shell(f"make {name}{turn}", "ok")
            one.answer(f"The kettle uses {name}{turn} now.")
        fire_at_once(machine, "Stop", transcripts)
    fire_at_once(machine, "SessionEnd", transcripts)
    machine.settle()

    for folder in ("project", "other"):
        here = {name for name, where in NAMES.items() if where == folder}
        store = machine.home / folder / ".claude" / "memory"
        found = {}
        for file in store.glob("**/episodic/*/summary.md"):
            text = file.read_text("utf-8") + (file.parent / "conversation.md").read_text("utf-8")
            (name,) = [name for name in NAMES if name in text]
            found[name] = text
        assert set(found) == here
        for name, text in found.items():
            assert all(f"{name}{turn} for the kettle" in text for turn in range(TURNS))
        assert not [f for f in store.rglob("*") if _tells_of(f, set(NAMES) - here)]
        person = Person(machine.home, machine.home / folder)
        hits = person.ok("search", "kettle", "--kind", "session", "--json").json["hits"]
        assert len(hits) == len(here)
        brief = person.ok("recall", "--start").out
        assert {name for name in NAMES if name in brief} == here


def _tells_of(path: Path, names: set[str]) -> bool:
    data = path.read_bytes() if path.is_file() else b""
    return any(name.encode() in data or name in path.name for name in names)
