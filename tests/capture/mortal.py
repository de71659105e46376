"""Processes that die at a chosen step, as by a power cut or a kill -9.

Promises: nothing of the dying process runs after that step, no `finally` and no `atexit`; its
locks are let go by the kernel.
Touches: what the given function touches, in a child process.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

# Everything by which a process changes a disk, but for what SQLite does for itself.
STEPS = (
    "write", "pwrite", "rename", "replace", "link", "unlink", "mkdir", "rmdir", "truncate",
    "ftruncate", "fsync", "fdatasync",
)  # fmt: skip
KILLED, FAILED = 9, 1
NEVER = 100_000


def forked(act: Callable[[], object]) -> int:
    """Run a function in a child process of its own; gives the child's id."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # other threads: the child needs none
        child = os.fork()
    if child == 0:
        code = FAILED
        leave = os._exit
        try:
            act()
            code = 0
        finally:
            leave(code)
    return child


def exit_code(child: int) -> int:
    """How a child ended, once it has."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def dying_at(step: int, act: Callable[[], object], note: Path) -> tuple[int, list[str]]:
    """Run a function that dies before its n-th step: `(exit code, all steps if it never died)`."""

    def mortal() -> None:
        done: list[str] = []
        _count(done, step)
        act()
        _forget()
        note.write_text(" ".join(done))

    code = exit_code(forked(mortal))
    return code, note.read_text().split() if code == 0 else []


_REAL = {name: getattr(os, name) for name in STEPS}


def _count(done: list[str], most: int) -> None:
    def mortal(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **keys: Any) -> Any:
            if len(done) >= most:
                os._exit(KILLED)
            done.append(name)
            return real(*args, **keys)

        return call

    for name, real in _REAL.items():
        setattr(os, name, mortal(name, real))


def _forget() -> None:
    for name, real in _REAL.items():
        setattr(os, name, real)
