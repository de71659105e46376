"""Never two workers for a store, and none that its end or its parent's takes something with."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from recollect import worker
from recollect.store import disk, locations
from recollect.store.background import mark_pending, start_worker

from .desk import Desk
from .mortal import KILLED, NEVER, dying_at, exit_code, forked
from .scripts import a_day
from .test_crashes import outcome
from .transcripts import SESSION

HOOK = str(Path(locations.__file__).parents[1] / "hook.py")


@pytest.fixture(autouse=True)
def at_home(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker takes its environment from its process."""
    monkeypatch.setenv("HOME", desk.env["HOME"])


def asked(desk: Desk) -> None:
    """A session that ended and whose end was told."""
    transcript = a_day()
    transcript.save(desk.logs)
    desk.signal(transcript.session, "session-end")


# ------------------------------------------------------------------------------------ the races


@pytest.mark.slow
def test_of_twenty_workers_at_once_one_works(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    diary = desk.folder / "diary"

    def one_pass(root: str, _: object) -> None:
        for word in ("begin", "end"):
            with diary.open("a") as file:
                file.write(f"{word} {os.getpid()}\n")
            time.sleep(0.05)  # long enough for all the others to come by

    monkeypatch.setattr(worker, "_one_pass", one_pass)
    mark_pending(str(desk.cache))

    def start() -> None:
        mark_pending(str(desk.cache))  # each hook leaves its mark first
        worker.work(str(desk.root))

    children = [forked(start) for _ in range(20)]

    assert {exit_code(child) for child in children} == {0}
    words = [line.split() for line in diary.read_text().splitlines()]
    for begin, end in zip(words[::2], words[1::2], strict=True):
        assert (begin[0], end[0]) == ("begin", "end")
        assert begin[1] == end[1]
    assert desk.marks == set()


def test_what_is_asked_while_it_works_is_done_before_it_goes(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    passes = []

    def one_pass(root: str, _: object) -> None:
        passes.append(root)
        if len(passes) < 3:
            mark_pending(str(desk.cache))
            assert worker.work(root) == 0  # the second worker finds the first and goes

    monkeypatch.setattr(worker, "_one_pass", one_pass)
    mark_pending(str(desk.cache))

    assert worker.work(str(desk.root)) == 3
    assert desk.marks == set()


def test_what_is_asked_between_its_last_look_and_its_end_is_done(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    passes: list[str] = []
    looks: list[bool] = []
    real = worker._take_mark

    def take_mark(cache: str) -> bool:
        found = real(cache)
        looks.append(found)
        if not found and len(looks) == 2:
            # It has seen that there is nothing left, and holds the lock: now somebody asks.
            mark_pending(cache)
            assert worker.work(str(desk.root)) == 0
        return found

    monkeypatch.setattr(worker, "_take_mark", take_mark)
    monkeypatch.setattr(worker, "_one_pass", lambda root, _: passes.append(root))
    mark_pending(str(desk.cache))

    assert worker.work(str(desk.root)) == 2
    assert desk.marks == set()


def test_what_is_asked_after_its_lock_is_gone_is_done_by_the_next(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    passes: list[str] = []
    real = os.path.exists

    def exists(path: str) -> bool:
        if str(path).endswith("/pending") and len(passes) == 1:
            # It has let the lock go and is about to look once more: another one is quicker.
            monkeypatch.setattr(os.path, "exists", real)
            mark_pending(str(desk.cache))
            assert worker.work(str(desk.root)) == 1
        return real(path)

    monkeypatch.setattr(worker, "_one_pass", lambda root, _: passes.append(root))
    monkeypatch.setattr(os.path, "exists", exists)
    mark_pending(str(desk.cache))

    assert worker.work(str(desk.root)) == 1
    assert len(passes) == 2
    assert desk.marks == set()


def test_a_worker_that_is_asked_for_ever_goes_in_the_end(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "_one_pass", lambda *_: mark_pending(str(desk.cache)))
    mark_pending(str(desk.cache))

    assert worker.work(str(desk.root)) == worker.MOST_PASSES
    assert desk.marks == {"pending"}  # the next hook's worker goes on


def test_a_mark_says_that_it_works(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[set[str]] = []
    monkeypatch.setattr(worker, "_one_pass", lambda *_: seen.append(desk.marks))
    mark_pending(str(desk.cache))

    worker.work(str(desk.root))

    assert seen == [{"working"}]


# ------------------------------------------------------------------------------------ its death


@pytest.mark.slow
@pytest.mark.parametrize("stride", [13, pytest.param(1, marks=pytest.mark.slow)])
def test_a_worker_that_was_killed_leaves_nothing_that_blocks_the_next(
    stride: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def prepared(name: str) -> Desk:
        desk = Desk(tmp_path / name)
        monkeypatch.setenv("HOME", desk.env["HOME"])
        asked(desk)
        return desk

    whole = prepared("whole")
    code, steps = dying_at(NEVER, lambda: worker.work(str(whole.root)), tmp_path / "steps")
    assert code == 0
    wanted = outcome(whole)

    for step in range(stride // 2, len(steps), stride):
        desk = prepared(f"at-{step}")
        root = str(desk.root)
        code, _ = dying_at(step, lambda root=root: worker.work(root), tmp_path / "x")  # type: ignore[misc]
        assert code == KILLED

        mark_pending(str(desk.cache))  # as the next hook does
        assert worker.work(root) >= 1

        assert outcome(desk) == wanted, f"killed before step {step}, {steps[step]}"
        assert desk.marks == set()
        handle = disk.take_lock(f"{desk.cache}/worker.lock")
        assert handle is not None
        os.close(handle)


@pytest.mark.slow
def test_a_worker_outlives_the_session_that_started_it(desk: Desk) -> None:
    transcript = a_day()
    payload = {
        "session_id": SESSION,
        "transcript_path": transcript.save(desk.logs),
        "cwd": str(desk.project),
        "reason": "other",
    }
    hook = subprocess.Popen(
        [sys.executable, "-I", "-S", HOOK, "claude", "SessionEnd"],
        stdin=subprocess.PIPE,
        env=desk.env,
        cwd=desk.project,
        start_new_session=True,
    )
    hook.communicate(json.dumps(payload).encode(), timeout=10)

    with suppress(ProcessLookupError):  # it has gone already, and no worker with it
        os.killpg(hook.pid, signal.SIGKILL)  # the client's whole session goes

    deadline = time.monotonic() + 20
    while not desk.memories() or desk.marks:
        assert time.monotonic() < deadline, "the worker died with its parent"
        time.sleep(0.02)
    assert desk.memory().session == SESSION


@pytest.mark.slow
def test_a_worker_is_in_a_session_of_its_own_when_the_hook_goes_on(desk: Desk) -> None:
    for _ in range(10):
        pid = start_worker(str(desk.root))
        try:
            assert os.getsid(pid) == pid
        finally:
            os.waitpid(pid, 0)
