"""The lock: it goes with its holder, however that ends; nobody waits for ever."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.services.project import SOURCE

from recollect.errors import Locked, StorageFailed
from recollect.store.disk import lock, take_lock

HOLD = """
import sys
from recollect.store.disk import lock
with lock(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "cache" / "lock")


@pytest.fixture
def holder(path: str) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, path],
        env={"PYTHONPATH": str(SOURCE), "PATH": os.environ["PATH"]},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream:
            stream.close()


def test_a_lock_of_a_killed_holder_is_free(holder: subprocess.Popen[str], path: str) -> None:
    assert take_lock(path) is None
    holder.kill()
    holder.wait()
    with lock(path, wait_seconds=0.0):
        pass


def test_a_lock_of_a_stopped_holder_is_said_to_be_locked_and_by_whom(
    holder: subprocess.Popen[str], path: str
) -> None:
    holder.send_signal(signal.SIGSTOP)
    with pytest.raises(Locked, match=f"process {holder.pid}"), lock(path, wait_seconds=0.05):
        pass
    holder.send_signal(signal.SIGCONT)
    assert holder.stdin
    holder.stdin.close()
    holder.wait()
    with lock(path, wait_seconds=0.0):
        pass


def test_who_waits_gets_the_lock_when_the_holder_is_done(
    holder: subprocess.Popen[str], path: str
) -> None:
    assert holder.stdin
    holder.stdin.close()
    with lock(path, wait_seconds=30.0):
        holder.wait()


def test_a_child_does_not_keep_the_lock_of_its_parent(path: str) -> None:
    with lock(path):
        child = subprocess.Popen(["sleep", "60"])
    with lock(path, wait_seconds=0.0):
        pass
    child.kill()
    child.wait()


def test_who_waited_for_a_lock_file_that_was_removed_takes_the_new_one(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = take_lock(path)
    assert held is not None

    def cleared_meanwhile(seconds: float) -> None:
        if os.path.exists(path):
            os.unlink(path)
            os.close(held)

    monkeypatch.setattr("recollect.store.disk.time.sleep", cleared_meanwhile)
    mine = take_lock(path, wait_seconds=30.0)
    assert mine is not None
    assert os.fstat(mine).st_ino == os.stat(path).st_ino
    assert take_lock(path) is None
    os.close(mine)


class Clock:
    """A clock on which every pause takes a second; `meanwhile` is what happens in it."""

    def __init__(self, meanwhile: Callable[[int], None]) -> None:
        self.now = 0
        self.meanwhile = meanwhile

    def monotonic(self) -> float:
        return float(self.now)

    def sleep(self, seconds: float) -> None:
        self.now += 1
        self.meanwhile(self.now)


def test_who_waits_is_patient_as_long_as_the_lock_goes_from_hand_to_hand(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = take_lock(path)
    assert held is not None

    def next_holder(second: int) -> None:
        if second < 60:
            os.utime(path, ns=(second, second))
        elif second == 60:
            os.close(held)

    monkeypatch.setattr("recollect.store.disk.time", clock := Clock(next_holder))
    with lock(path, wait_seconds=10.0):
        assert clock.now == 60
        late = Clock(lambda _: None)
        monkeypatch.setattr("recollect.store.disk.time", late)
        assert take_lock(path, wait_seconds=10.0) is None
        assert late.now == 10


def test_a_link_in_place_of_the_lock_is_not_followed(path: str, tmp_path: Path) -> None:
    os.makedirs(os.path.dirname(path))
    os.symlink(tmp_path / "elsewhere", path)
    with pytest.raises(StorageFailed), lock(path):
        pass
    assert not (tmp_path / "elsewhere").exists()
