"""Much that is new is parsed by several processes, and what comes out is what one would make."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.capture.scripts import a_day, resumed
from tests.capture.transcripts import Transcript
from tests.cli.running import Person

from recollect.app import App
from recollect.capture.ingest import ParsedSession
from recollect.features import capture

PROJECTS = ("one", "two")
SESSIONS = 12  # in the first project: more than are written together
WRITTEN_NOW = ("updated:", "created:", "last-accessed:")


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
def _processes(patch: pytest.MonkeyPatch, count: int, worth: int = 1) -> Iterator[None]:
    """So many processors, and other processes for a few bytes already; none is left behind."""
    with patch.context() as patched:
        patched.setattr(capture, "WORTH_BYTES", worth)
        patched.setattr("os.cpu_count", lambda: count)
        yield
    for child in multiprocessing.active_children():
        child.join(10)
    assert multiprocessing.active_children() == []


@pytest.mark.slow
def test_several_processes_make_to_the_byte_what_one_makes(
    person: Person, past: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with _processes(monkeypatch, 1):
        alone = person.ok("capture", str(past), "--json").json
    assert (alone["created"], alone["failed"]) == (SESSIONS + 1, [])
    kept = _kept(tmp_path)
    for count in (2, 3):
        _begin_anew(person, tmp_path)
        with _processes(monkeypatch, count):
            together = person.ok("capture", str(past), "--json").json
        assert together == alone
        assert _kept(tmp_path) == kept
    with _processes(monkeypatch, 2):
        again = person.ok("capture", str(past), "--json").json
    assert (again["created"], again["changed"]) == (0, 0)
    assert _kept(tmp_path) == kept


@pytest.mark.slow
def test_nothing_is_lost_with_a_process_that_dies(
    person: Person, past: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = 0

    def parsed(self: capture.ParserPool, turn: int) -> ParsedSession | None:
        nonlocal asked
        asked += 1
        if asked == 3:
            for child in multiprocessing.active_children():
                child.kill()
        return one(self, turn)

    one = capture.ParserPool.parsed
    monkeypatch.setattr(capture.ParserPool, "parsed", parsed)
    with _processes(monkeypatch, 2):
        assert person.ok("capture", str(past), "--json").json["created"] == SESSIONS + 1
    assert asked > SESSIONS


@pytest.mark.slow
def test_a_process_that_hangs_is_not_waited_for_any_longer(
    person: Person, past: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capture, "PATIENCE_SECONDS", 0)
    with _processes(monkeypatch, 2):
        assert person.ok("capture", str(past), "--json").json["created"] == SESSIONS + 1


@pytest.mark.slow
def test_a_command_with_several_processes_says_nothing_of_them(
    person: Person, past: Path, tmp_path: Path
) -> None:
    script = tmp_path / "run.py"
    script.write_text(
        "import os, sys\n"
        "from recollect.features import capture\n"
        "from recollect.__main__ import main\n"
        "if __name__ == '__main__':\n"
        "    capture.WORTH_BYTES = 1\n"
        "    os.cpu_count = lambda: 3\n"
        "    main()\n"
    )
    command = [sys.executable, str(script), "capture", str(past)]
    ran = subprocess.run(command, capture_output=True, env=person.environment({}), check=True)
    assert (ran.stderr, ran.stdout.splitlines()[0][:12]) == (b"", b"New memories")


@pytest.mark.slow
def test_the_others_end_with_a_process_that_is_killed(
    person: Person, past: Path, tmp_path: Path
) -> None:
    """A child that would go on for a minute is gone soon after its parent."""
    code = (
        "import os, time\n"
        "from recollect.features import capture\n"
        "from recollect.app import App\n"
        "if __name__ == '__main__':\n"
        "    capture.WORTH_BYTES = 1\n"
        "    os.cpu_count = lambda: 2\n"
        "    app = App(os.getcwd(), dict(os.environ))\n"
        f"    jobs = [capture.Job('claude', {str(next(past.rglob('*.jsonl')))!r}, '', 'en', False)]\n"
        "    with capture.ParserPool(app, jobs) as ahead:\n"
        "        assert ahead.parsed(0) is not None\n"
        "        print(*(p.pid for p in ahead._pool._processes.values()), flush=True)\n"
        "        time.sleep(60)\n"
    )
    script = tmp_path / "hold.py"
    script.write_text(code)
    parent = subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, env=person.environment({})
    )
    assert parent.stdout
    children = [int(pid) for pid in parent.stdout.readline().split()]
    parent.kill()
    parent.communicate()
    assert children
    ends = time.monotonic() + 10
    while any(map(_runs, children)) and time.monotonic() < ends:
        time.sleep(0.05)
    assert not any(map(_runs, children))


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")  # one that nobody has waited for is over as well
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


def test_little_is_parsed_by_one_process(
    person: Person, past: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    monkeypatch.setattr(ProcessPoolExecutor, "submit", None)
    assert person.ok("capture", str(past), "--json").json["created"] == SESSIONS + 1


@settings(max_examples=50)
@given(st.lists(st.integers(0, 20_000_000), max_size=40), st.integers(1, 16))
def test_nobody_is_started_to_parse_little(sizes: list[int], processors: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.cpu_count", lambda: processors)
        count = capture.others_for(sizes)
    assert 0 <= count < processors
    assert count * capture.WORTH_BYTES <= sum(sizes)


def test_what_cannot_be_parsed_ahead_is_left_for_its_turn(past: Path, person: Person) -> None:
    jobs = [
        capture.Job("opencode", str(past / "no-such.db#s"), "", "en", False),
        capture.Job("claude", str(past / "two" / f"{_name(SESSIONS + 1)}.jsonl"), "", "en", False),
    ]
    said = [capture.parsed(str(person.home), person.environment({}), job) for job in jobs]
    assert said[0] is not None
    assert said[0].events == 0
    assert said[1] is not None
    assert said[1].state.prompts


@pytest.mark.slow
def test_each_turn_gets_what_its_own_session_says(
    person: Person, past: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = sorted(map(str, past.rglob("*.jsonl")))
    jobs = [
        capture.Job("claude", path, "", "en", False) if n % 5 else None
        for n, path in enumerate(paths)
    ]
    turns = [turn for turn in range(len(jobs)) if turn != 3]
    app = App(str(person.project), person.environment({}))
    with _processes(monkeypatch, 2), capture.ParserPool(app, jobs) as one:
        said = [one.parsed(turn) for turn in turns]
    for turn, heard in zip(turns, said, strict=True):
        job = jobs[turn]
        assert (heard.state.session_id if heard else None) == (
            Path(job.transcript).stem if job else None
        )
