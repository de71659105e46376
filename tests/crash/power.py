"""A computer whose power can be cut: a file system on an image file, and clones of the image.

What a program wrote and did not make durable is in memory only; a clone of the image has what a
disk would hold at that moment. The writer is stopped while the clone is made, and the file system
is mounted so that it writes nothing by itself meanwhile, so that the clone is of one moment
although no snapshots of the outer file system are asked for.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

IMAGE_BYTES = 96 * 1024 * 1024
OPTIONS = "loop,commit=600,nosuid,nodev"
TOOLS = ("mkfs.ext4", "e2fsck", "mount", "umount", "losetup")


def require_power_switch() -> None:
    """Skip the test where no file system can be put on an image."""
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    if os.geteuid() != 0:
        pytest.skip("only root may mount a file system")
    if subprocess.run(["losetup", "-f"], capture_output=True, check=False).returncode:
        pytest.skip("there is no free loop device")


class Computer:
    """A machine with one disk, mounted at `disk`."""

    def __init__(self, folder: Path) -> None:
        self._image = folder / "disk.img"
        self.disk = folder / "disk"
        self._mounted = False
        self.disk.mkdir(parents=True)
        with open(self._image, "wb") as file:
            file.truncate(IMAGE_BYTES)
        _run("mkfs.ext4", "-q", "-F", str(self._image))
        tried = _try("mount", "-o", OPTIONS, str(self._image), str(self.disk))
        if tried.returncode:
            pytest.skip(f"no file system can be mounted here: {tried.stderr.strip()}")
        self._mounted = True

    def cut(self, writer: subprocess.Popen[str]) -> None:
        """Cut the power, and switch on again with what the disk held then."""
        writer.send_signal(signal.SIGSTOP)
        _wait_until_stopped(writer.pid)
        clone = self._image.with_suffix(".clone")
        shutil.copyfile(self._image, clone)
        writer.kill()
        writer.wait()
        self.off()
        clone.rename(self._image)
        _run("mount", "-o", OPTIONS, str(self._image), str(self.disk))
        self._mounted = True

    def write_back(self) -> None:
        """Let the system write what it has in memory, in the midst of everything."""
        _run("sync", "-f", str(self.disk))

    def check(self) -> None:
        """The file system itself has to be sound."""
        self.off()
        _run("e2fsck", "-f", "-n", str(self._image))
        _run("mount", "-o", OPTIONS, str(self._image), str(self.disk))
        self._mounted = True

    def off(self) -> None:
        if self._mounted:
            _run("umount", str(self.disk))
            self._mounted = False


def _wait_until_stopped(pid: int) -> None:
    """Wait until no call of the process is on its way into the file system any more."""
    while True:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        if state in "TtZ":
            return


def _run(*words: str) -> None:
    done = _try(*words)
    assert done.returncode == 0, (words, done.stdout, done.stderr)


def _try(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
