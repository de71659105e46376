"""A file system that refuses: the n-th call that would touch the disk fails."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

OF_OS = (
    "open", "read", "write", "fsync", "fdatasync", "rename", "link", "unlink", "mkdir", "ftruncate",
    "truncate", "fchmod",
)  # fmt: skip
# What a full disk refuses; the rest needs no room. To open a file that may be new is to `create`.
NEEDS_ROOM = ("create", "write", "mkdir", "link", "rename", "fsync", "fdatasync")

Fails = Callable[[int, str], str]  # the number and the name of a call → how it fails, or ""


class Disk:
    """The calls that were made, and how the next ones end."""

    def __init__(self, fails: Fails) -> None:
        self.calls: list[tuple[str, str]] = []  # what was called, and the path it was about
        self.fails = fails
        self._paths: dict[int, str] = {}  # of open handles

    def wrapped(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **named: Any) -> Any:
            place = args[1] if name in ("rename", "link") else args[0]
            path = self._paths.get(place, "") if isinstance(place, int) else str(place)
            word = "create" if name == "open" and args[1] & os.O_CREAT else name
            self.calls.append((word, path))
            how = self.fails(len(self.calls), word)
            if how == "short":
                return real(args[0], args[1][: max(1, len(args[1]) // 2)])
            if how:
                code = getattr(errno, how)
                raise OSError(code, os.strerror(code))
            found = real(*args, **named)
            if name == "open":
                self._paths[found] = path
            return found

        return call


class _Module:
    """A module with some of its functions wrapped."""

    def __init__(self, real: Any, names: tuple[str, ...], disk: Disk) -> None:
        self._real = real
        for name in names:
            setattr(self, name, disk.wrapped(name, getattr(real, name)))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


@contextmanager
def disk_that(fails: Fails) -> Iterator[Disk]:
    """Let the calls of the only writer to disk fail as `fails` says."""
    import fcntl

    disk = Disk(fails)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("recollect.store.disk.os", _Module(os, OF_OS, disk))
        patched.setattr("recollect.store.disk.fcntl", _Module(fcntl, ("flock",), disk))
        yield disk


def never(n: int, name: str) -> str:
    """A disk that never fails."""
    return ""


def once(at: int, how: str) -> Fails:
    """A disk of which one call fails; a short write is one that comes half through."""

    def fails(n: int, name: str) -> str:
        if n != at or (how == "short" and name != "write"):
            return ""
        return how

    return fails


def from_then_on(at: int, how: str) -> Fails:
    """A disk of which everything fails from one call on; a full one only refuses what needs room."""

    def fails(n: int, name: str) -> str:
        return how if n >= at and (how != "ENOSPC" or name in NEEDS_ROOM) else ""

    return fails
