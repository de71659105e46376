"""Killing a command before its n-th system call of a kind, and looking at what it left."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Self

import pytest
from tests.cli.running import Person
from tests.services.project import Project

from .warm import Warm

CALLS = (
    "openat", "write", "pwrite64", "fsync", "fdatasync", "rename", "linkat", "unlink", "ftruncate",
    "mkdir",
)  # fmt: skip
# Between two of these a kill leaves the same on the disk wherever it strikes.
CHANGING = ("write", "pwrite64", "rename", "linkat", "unlink", "ftruncate", "mkdir")


class Point(NamedTuple):
    """The n-th call of a kind, and the file that it was about."""

    call: str
    n: int
    path: str
    creates: bool


def require_strace() -> None:
    """Skip the test where processes cannot be traced."""
    if not shutil.which("strace"):
        pytest.skip("strace is not installed")
    tried = subprocess.run(["strace", "-e", "trace=none", "true"], capture_output=True, check=False)
    if tried.returncode:
        pytest.skip(f"strace may not trace here: {tried.stderr.decode(errors='replace')[:200]}")


class Scene:
    """A store to start from, and the copy of it on which a command is killed."""

    def __init__(self, folder: Path) -> None:
        self._start = folder / "start"
        self._now = folder / "now"
        self.project = Project(self._now)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if "warm" in self.__dict__:
            self.warm.close()

    @cached_property
    def warm(self) -> Warm:
        """A Python that has loaded what is to be killed."""
        return Warm(self.project)

    def keep(self) -> None:
        """Take what the project is now for the start of every try."""
        shutil.copytree(self._now, self._start)

    def rewind(self) -> None:
        shutil.rmtree(self._now)
        shutil.copytree(self._start, self._now)
        self.project.accept()  # a copied folder is another one

    # ----------------------------------------------------------------------------------- killing

    def points(self, words: list[str]) -> list[Point]:
        """The calls that a command makes about our files, in order."""
        self.rewind()
        log = self._now / "log"
        assert self.warm.run(words, _traced(log)) == 0
        return list(self._points_in(log))

    def cold_points(self, words: list[str]) -> list[Point]:
        """As `points`, of a process that starts Python and loads the program first."""
        self.rewind()
        log = self._now / "log"
        done = self.project.run(*words, ahead=["strace", "-f", "--seccomp-bpf", *_traced(log)])
        assert done.returncode == 0, done.stderr
        return list(self._points_in(log))

    def _points_in(self, log: Path) -> Iterator[Point]:
        counts = dict.fromkeys(CALLS, 0)
        for line in log.read_text(errors="replace").splitlines():
            found = re.match(r"\d+ +(\w+)\((.*)", line)
            if not found or found[1] not in counts:
                continue
            counts[found[1]] += 1
            rest = found[2].replace(f"AT_FDCWD<{self.project.folder}>", "")
            path = re.search(re.escape(str(self._now)) + r"[^>\", ]*", rest)
            if path:
                creates = "O_CREAT" in rest
                yield Point(found[1], counts[found[1]], path[0], creates)

    def kill(self, words: list[str], point: Point) -> bool:
        """Run a command on a fresh copy and kill it there; True if it was done before."""
        self.rewind()
        inject = f"inject={point.call}:signal=SIGKILL:when={point.n}"
        code = self.warm.run(words, ["-o", "/dev/null", "-e", f"trace={point.call}", "-e", inject])
        assert code in (0, -9), (point, code)
        return code == 0

    def fail(self, words: list[str], point: Point, error: str) -> subprocess.CompletedProcess[str]:
        """Run a command on a fresh copy, of which this one of `cold_points` is refused."""
        self.rewind()
        inject = f"inject={point.call}:error={error}:when={point.n}"
        options = [
            "-f",
            "--seccomp-bpf",
            "-qq",
            "-o",
            "/dev/null",
            "-e",
            f"trace={point.call}",
            "-e",
            inject,
        ]
        return self.project.run(*words, ahead=["strace", *options])

    # ----------------------------------------------------------------------------------- looking

    def answer(self, *words: str) -> Any:
        """What a command answers in this process; it has to succeed."""
        person = Person(self.project.home, self.project.folder, self.project.env)
        return person.ok(*words, "--json").json


def _traced(log: Path) -> list[str]:
    return ["-y", "-o", str(log), "-e", f"trace={','.join(CALLS)}"]


def shape(files: dict[str, bytes]) -> dict[str, int]:
    """The files by name with their sizes: times differ between two runs of a command.

    Two entries of one minute share a footnote, so footnotes are left out.
    """
    return {path: len(_FOOTNOTE.sub(b"", data)) for path, data in files.items()}


_FOOTNOTE = re.compile(rb" ?\[\^\w+\](?::.*\n)?")
