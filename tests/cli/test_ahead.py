"""Transcripts of many projects are taken in by several processes at once."""

from __future__ import annotations

import shutil
import subprocess
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.capture.scripts import a_day, resumed
from tests.capture.transcripts import Transcript
from tests.cli.running import Person

from recollect import fsio
from recollect.app import shares
from recollect.app.wiring import App

PROJECTS = ("one", "two", "three")
SIZES = st.lists(st.lists(st.integers(0, 9_000_000), min_size=1, max_size=4), max_size=6)


@pytest.fixture
def past(person: Person, tmp_path: Path) -> Path:
    """What a person did in three projects: two sessions in each, and a fork of one."""
    folder = person.home / ".claude" / "projects"
    for n, name in enumerate(PROJECTS):
        project = tmp_path / name
        (project / ".git").mkdir(parents=True)
        person.ok("-C", str(project), "init")
        for number in (1, 2):
            session = f"0000000{n}-0000-4000-8000-00000000000{number}"
            _of(project, a_day(session)).save(folder / name)
    fork = _of(tmp_path / "one", resumed(a_day("00000000-0000-4000-8000-000000000001")))
    fork.session = "00000000-0000-4000-8000-000000000003"
    for line in fork.lines:
        line["sessionId"] = fork.session
    fork.save(folder / "one")
    return folder


def _of(project: Path, transcript: Transcript) -> Transcript:
    transcript.cwd = str(project)
    for line in transcript.lines:
        if "cwd" in line:
            line["cwd"] = str(project)
    return transcript


def _kept(tmp_path: Path) -> dict[str, str]:
    """What is remembered of all projects, without the times of writing it."""
    return {
        str(path.relative_to(tmp_path)): "\n".join(
            line
            for line in path.read_text("utf-8").splitlines()
            if not line.startswith(("updated:", "created:"))
        )
        for name in PROJECTS
        for path in sorted((tmp_path / name / ".claude" / "memory").rglob("*.md"))
    }


@pytest.mark.slow
def test_several_processes_make_what_one_makes(
    person: Person, past: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[list[str]] = []

    class Seen(subprocess.Popen[bytes]):
        def __init__(self, command: list[str], **more: Any) -> None:
            started.append(command)
            super().__init__(command, **more)

    monkeypatch.setattr(shares, "WORTH_BYTES", 0)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    monkeypatch.setattr(subprocess, "Popen", Seen)
    many = person.ok("capture", str(past), "--json").json
    assert [command[-1] for command in started] == [shares.WORD, shares.WORD]
    kept = _kept(tmp_path)
    for name in PROJECTS:
        shutil.rmtree(tmp_path / name / ".claude")
        person.ok("-C", str(tmp_path / name), "init")
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    alone = person.ok("capture", str(past), "--json").json
    assert len(started) == 2
    assert sorted(many.pop("memories")) == sorted(alone.pop("memories"))
    assert many == alone
    assert many["created"] == 7
    assert kept == _kept(tmp_path)


def test_what_a_process_left_when_it_died_is_named_and_taken_in_again(
    person: Person, past: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[subprocess.Popen[bytes]] = []

    class Seen(subprocess.Popen[bytes]):
        def __init__(self, *command: Any, **more: Any) -> None:
            super().__init__(*command, **more)
            started.append(self)

    monkeypatch.setattr(subprocess, "Popen", Seen)
    app = App(str(tmp_path / "one"), person.environment({}))
    share = sorted(map(str, past.rglob("*.jsonl")), key=lambda path: ("/one/" not in path, path))
    waits = app.cache_of(str(tmp_path / "two" / ".claude" / "memory"))
    said: list[list[str]] = []
    with fsio.lock(f"{waits}/lock"):  # the process comes as far as the second project
        for row in shares.answers({"folder": app.folder, "client": "claude"}, [share], app.env):
            said.append(row)
            if len(said) == 3:
                started[0].kill()
    assert [row[0] for row in said[:3]] == ["created"] * 3
    assert [row[:2] for row in said[3:]] == [["failed", path] for path in share[3:]]
    assert {row[2] for row in said[3:]} == {
        "the process that was to take it in has ended (-9); capture it again"
    }
    again = person.ok("capture", str(past), "--json").json
    assert (again["created"], again["nothing"], again["failed"]) == (4, 3, [])


def test_little_is_taken_in_by_one_process(
    person: Person, past: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    monkeypatch.setattr(subprocess, "Popen", None)
    assert person.ok("capture", str(past), "--json").json["created"] == 7


@settings(max_examples=50)
@given(SIZES, st.integers(1, 5))
def test_what_is_of_one_store_stays_together_and_in_order(
    sizes: list[list[int]], most: int
) -> None:
    groups = [[f"{n}/{k}" for k in range(len(group))] for n, group in enumerate(sizes)]
    weight = {f"{n}/{k}": size for n, group in enumerate(sizes) for k, size in enumerate(group)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shares, "_size", weight.__getitem__)
        found = shares.shares_of(groups, most)
    assert sorted(chain(*found)) == sorted(weight)
    for group in groups:
        (share,) = [one for one in found if set(group) & set(one)]
        at = share.index(group[0])
        assert share[at : at + len(group)] == group
    is_worth = sum(weight.values()) >= shares.WORTH_BYTES
    assert len(found) == (max(1, min(most, len(groups))) if is_worth else 1)
    if is_worth:  # none has more than its part, and one more store
        part = sum(weight.values()) / len(found)
        largest = max(map(sum, sizes))
        assert max(sum(map(weight.__getitem__, one)) for one in found) <= part + largest


def test_a_process_says_a_line_for_each_transcript(person: Person, past: Path) -> None:
    app = App(str(person.project), person.environment({}))
    share = [str(past / "one" / "no-such.jsonl"), *map(str, (past / "two").iterdir())]
    said = list(shares.answers({"folder": app.folder, "client": "claude"}, [share], app.env))
    assert said[0][0] in ("failed", "skipped")
    assert [row[0] for row in said[1:]] == ["created", "created"]
