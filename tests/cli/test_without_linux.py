"""What only Linux has, taken away: macOS has no /proc and no fdatasync, and an fsync of its own."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.running import Person

from recollect.app import App
from recollect.ops import repair
from recollect.store import background, disk, locations


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The calls by which files are kept, in order; fdatasync is not there."""
    calls: list[str] = []
    fsync, real = os.fsync, fcntl.fcntl
    monkeypatch.delattr(os, "fdatasync")

    def kept(handle: int) -> None:
        calls.append("fsync")
        fsync(handle)

    monkeypatch.setattr(os, "fsync", kept)

    def controlled(handle: int, command: int, *rest: int) -> object:
        if command != FULL:
            return real(handle, command, *rest)
        calls.append("full")
        if "refused" in calls:
            raise OSError(25, "Inappropriate ioctl for device")
        return 0

    monkeypatch.setattr(fcntl, "fcntl", controlled)
    return calls


FULL = 51


def test_without_fdatasync_a_line_is_kept_by_fsync(synced: list[str], tmp_path: Path) -> None:
    disk.append_bytes(str(tmp_path / "log"), b"a line\n")
    assert synced[0] == "fsync"


def test_a_full_sync_is_taken_where_there_is_one(
    synced: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fcntl, "F_FULLFSYNC", FULL, raising=False)
    disk.append_bytes(str(tmp_path / "log"), b"a line\n")
    assert synced[0] == "full"
    synced[:] = ["refused"]
    disk.append_bytes(str(tmp_path / "log"), b"a line\n")
    assert synced[1:3] == ["full", "fsync"]


@pytest.fixture
def no_proc(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without /proc."""
    is_folder, listed, opened, read = os.path.isdir, os.listdir, os.open, locations.read
    monkeypatch.setattr(os.path, "isdir", lambda p: not str(p).startswith("/proc") and is_folder(p))

    def refused(path: object) -> None:
        if str(path).startswith("/proc"):
            raise FileNotFoundError(2, "No such file or directory", str(path))

    def listdir(path: str = ".") -> list[str]:
        refused(path)
        return listed(path)

    def open_(path: str, *rest: object, **more: object) -> int:
        refused(path)
        return opened(path, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "listdir", listdir)

    def read_(path: str, *rest: int) -> bytes:
        refused(path)
        return read(path, *rest)

    monkeypatch.setattr(os, "open", open_)
    monkeypatch.setattr(locations, "read", read_)


@pytest.mark.usefixtures("no_proc")
def test_without_proc_a_worker_is_found_and_everything_goes_on(stranger: Person) -> None:
    stranger.ok("save", "Use PostgreSQL for events")
    stranger.ok("save", "Use MySQL for invoices")
    app = App(str(stranger.project), stranger.environment({}))
    store = app.store()
    pause = "import sys, time; print(flush=True); time.sleep(60)"
    words = [sys.executable, "-c", pause, "recollect", "work", store.files.root]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as worker:
        assert worker.stdout
        worker.stdout.readline()
        try:
            assert repair.processes(store) == [f"worker {worker.pid}"]
        finally:
            worker.kill()
    app.close()
    assert background.process_at(str(os.getpid())) == ("", "", "")
    assert "PostgreSQL" in stranger.ok("search", "events").out
    assert "MySQL" in stranger.ok("search", "invoices", "--as-of", "2099-01-01").out
    assert stranger.run("doctor").code == 0
