"""Much that is new is heard by several processes, and what comes out is what one would make."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.capture.scripts import a_day, resumed
from tests.capture.transcripts import Transcript
from tests.cli.running import Person

from recollect.capture.state import Heard
from recollect.features import parallel as ahead
from recollect.model.session import SessionState
from recollect.workspace import App

PROJECTS = ("one", "two")
SESSIONS = 12  # in the first project: more than are written together
WRITTEN_NOW = ("updated:", "created:", "last-accessed:")
TEXTS = st.text(st.characters(codec=None))


def _name(n: int) -> str:
    return f"00000000-0000-4000-8000-{n:012}"


def _of(project: Path, transcript: Transcript, session: str = "") -> Transcript:
    transcript.cwd = str(project)
    transcript.session = session or transcript.session
    for line in transcript.lines:
        if "cwd" in line:
            line["cwd"] = str(project)
        if "sessionId" in line:
            line["sessionId"] = transcript.session
    return transcript


def _twin(n: int) -> Transcript:
    """A session that differs from others in its answers only."""
    transcript = Transcript(_name(n))
    transcript.prompt("Build the teapot service. Never paint it red.")
    transcript.answer(f"Teapot {n} is in place.")
    return transcript


@pytest.fixture
def past(person: Person, tmp_path: Path) -> Path:
    """What a person did in two projects: twins, a day, forks of it, and what is of no project."""
    folder = person.home / ".claude" / "projects"
    for name in PROJECTS:
        (tmp_path / name / ".git").mkdir(parents=True)
        person.ok("-C", str(tmp_path / name), "init")
    one, two = (tmp_path / name for name in PROJECTS)
    found = [(one, _twin(n)) for n in range(1, SESSIONS - 2)]
    found += [(one, a_day(_name(SESSIONS - 2))), (two, a_day(_name(SESSIONS + 1)))]
    # The copies keep the ids of what they copy, as those of the client do.
    found += [(one, resumed(a_day(_name(SESSIONS - 2)))), (two, _twin(SESSIONS + 2))]
    found += [(one, _twin(2))]
    found[-3][1].session, found[-1][1].session = _name(SESSIONS - 1), _name(SESSIONS)
    for n, (project, transcript) in enumerate(found):
        path = _of(project, transcript).save(folder / project.name)
        os.utime(path, (1_780_000_000 + n, 1_780_000_000 + n))
    return folder


def _kept(tmp_path: Path) -> dict[str, bytes]:
    """What is kept of all projects, to the byte but for the times of writing it."""
    found = {}
    for name in PROJECTS:
        root = tmp_path / name / ".claude" / "memory"
        for folder in ("episodic", "procedural", "sessions"):
            for path in sorted(file for file in (root / folder).rglob("*") if file.is_file()):
                lines = path.read_bytes().split(b"\n")
                if path.suffix == ".md":
                    lines = [one for one in lines if not one.decode().startswith(WRITTEN_NOW)]
                found[str(path.relative_to(tmp_path))] = b"\n".join(lines)
    return found


def _begin_anew(person: Person, tmp_path: Path) -> None:
    for name in PROJECTS:
        shutil.rmtree(tmp_path / name / ".claude")
        person.ok("-C", str(tmp_path / name), "init")


@contextmanager
def _processes(
    patch: pytest.MonkeyPatch, count: int, then: Callable[[Any], object] = id
) -> Iterator[list[Any]]:
    """So many processors, and the processes that were started; `then` is told of each."""
    started: list[Any] = []

    class Seen(subprocess.Popen[bytes]):
        def __init__(self, *command: Any, **more: Any) -> None:
            super().__init__(*command, **more)
            started.append(self)
            then(self)

    with patch.context() as patched:
        patched.setattr(ahead, "WORTH_BYTES", 1)
        patched.setattr("os.cpu_count", lambda: count)
        patched.setattr(subprocess, "Popen", Seen)
        yield started
    assert all(one.poll() is not None for one in started), "a process was left behind"


@pytest.mark.slow
def test_several_processes_make_to_the_byte_what_one_makes(
    person: Person, past: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with _processes(monkeypatch, 1) as started:
        alone = person.ok("capture", str(past), "--json").json
    assert started == []
    assert (alone["created"], alone["failed"]) == (SESSIONS + 1, [])
    kept = _kept(tmp_path)
    for count in (2, 3):
        _begin_anew(person, tmp_path)
        with _processes(monkeypatch, count) as started:
            together = person.ok("capture", str(past), "--json").json
        assert [one.args[-2] for one in started] == [ahead.WORD] * (count - 1)
        assert together == alone
        assert _kept(tmp_path) == kept
    with _processes(monkeypatch, 2):
        again = person.ok("capture", str(past), "--json").json
    assert (again["created"], again["changed"]) == (0, 0)
    assert _kept(tmp_path) == kept


@pytest.mark.slow
def test_nothing_is_lost_with_a_process_that_dies(
    person: Person, past: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[dict[str, bytes]] = []
    for answers in (0, 1, 3):  # that it gives before it dies

        def die(process: Any, answers: int = answers) -> None:
            process.stdout = _Dying(process, answers)

        with _processes(monkeypatch, 2, die):
            assert person.ok("capture", str(past), "--json").json["created"] == SESSIONS + 1
        kept.append(_kept(tmp_path))
        _begin_anew(person, tmp_path)
    assert kept[0] == kept[1] == kept[2]


@pytest.mark.slow
def test_a_process_that_hangs_is_not_waited_for_any_longer(
    person: Person, past: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hang(process: Any) -> None:
        process.stdout = _Hanging(process)

    monkeypatch.setattr(ahead, "PATIENCE_SECONDS", 0.05)
    with _processes(monkeypatch, 2, hang):
        assert person.ok("capture", str(past), "--json").json["created"] == SESSIONS + 1


class _Hanging:
    """The answers of a process that gives none."""

    def __init__(self, process: Any) -> None:
        self._process, self._pipe = process, process.stdout

    def __iter__(self) -> Iterator[bytes]:
        self._process.wait()
        yield from ()

    def close(self) -> None:
        self._pipe.close()


class _Dying:
    """The answers of a process that dies in the middle of one."""

    def __init__(self, process: Any, answers: int) -> None:
        self._process, self._answers, self._pipe = process, answers, process.stdout

    def __iter__(self) -> Iterator[bytes]:
        for n, line in enumerate(self._pipe):
            if n == self._answers:
                self._process.kill()
                yield line[: len(line) // 2]
                return
            yield line

    def close(self) -> None:
        self._pipe.close()


def test_little_is_heard_by_one_process(
    person: Person, past: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    monkeypatch.setattr(subprocess, "Popen", None)
    assert person.ok("capture", str(past), "--json").json["created"] == SESSIONS + 1


@settings(max_examples=50)
@given(st.lists(st.integers(0, 20_000_000), max_size=40), st.integers(1, 16))
def test_nobody_is_started_to_hear_little(sizes: list[int], processors: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.cpu_count", lambda: processors)
        count = ahead.others_for(sizes)
    assert 0 <= count < processors
    assert count * ahead.WORTH_BYTES <= sum(sizes)


@given(TEXTS, st.lists(TEXTS), st.binary(), st.text())
def test_what_was_heard_comes_through_a_pipe_as_it_was(
    task: str, asked: list[str], raw: bytes, log: str
) -> None:
    state = SessionState("s", task=task, decisions=[{"content": task}], ids=asked)
    heard = Heard(state, len(asked), tuple(asked), raw, log)
    line = ahead.line_of(heard)
    assert "\n" not in line
    assert ahead.heard_in(f"{line}\n".encode()) == heard
    assert ahead.heard_in(line.encode()[:-1]) is None


def test_what_cannot_be_heard_ahead_is_left_for_its_turn(past: Path, person: Person) -> None:
    told = [
        ["opencode", str(past / "no-such.db#s"), "", "en", False],
        ["claude", str(past / "two" / f"{_name(SESSIONS + 1)}.jsonl"), "", "en", False],
    ]
    lines = [json.dumps(row).encode() for row in told]
    said = [ahead.heard_in(line.encode()) for line in ahead.hear_all(str(person.home), lines)]
    assert said[0] is None or said[0].events == 0
    assert said[1] is not None
    assert said[1].state.prompts


def test_each_turn_gets_what_its_own_session_says(
    person: Person, past: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = sorted(map(str, past.rglob("*.jsonl")))
    jobs = [
        ahead.Job("claude", path, "", "en", False) if n % 5 else None
        for n, path in enumerate(paths)
    ]
    app = App(str(person.project), person.environment({}))
    with _processes(monkeypatch, 2), ahead.Ahead(app, jobs) as one:
        said = [one.heard(turn) for turn in range(len(jobs)) if turn != 3]
    found = {heard.state.session_id for heard in said if heard}
    assert found < {Path(path).stem for path in paths}
    for job, heard in zip([job for turn, job in enumerate(jobs) if turn != 3], said, strict=True):
        assert (
            heard is None or heard.state.session_id == Path(job.transcript).stem
            if job
            else heard is None
        )
