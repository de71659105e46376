"""Which processes still belong to a scratch home, so that tests can demand that none is left.

Promises: looks only at /proc and signals nothing; a process belongs to a home when its environment
    or its command line names that home.
Touches: /proc (read).
"""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")


@dataclass(frozen=True)
class Process:
    """One running process as /proc shows it."""

    pid: int
    parent: int
    state: str
    command: str


def processes_of(home: Path) -> list[Process]:
    """Living processes with `home` in their environment or arguments."""
    owner = re.compile(re.escape(os.fsencode(str(home))) + rb"(?![\w.-])")
    others = (entry for entry in _PROC.iterdir() if entry.name.isdigit())
    candidates = (_process_at(entry, owner) for entry in others if int(entry.name) != os.getpid())
    return sorted(filter(None, candidates), key=lambda process: process.pid)


def leftovers(home: Path, *, within: float = 5.0) -> list[Process]:
    """What is still running after at most `within` seconds; empty as soon as all are gone."""
    deadline = time.monotonic() + within
    while True:
        left = processes_of(home)
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(0.05)


def describe(processes: list[Process]) -> str:
    """One line per process, for the message of a failed assertion."""
    return "\n".join(f"{p.pid} (parent {p.parent}, {p.state}) {p.command}" for p in processes)


def _process_at(entry: Path, owner: re.Pattern[bytes]) -> Process | None:
    """The process, or None when it is a zombie, is gone, or belongs to somebody else."""
    try:
        environment = (entry / "environ").read_bytes()
        command = (entry / "cmdline").read_bytes()
        stat = (entry / "stat").read_text()
    except OSError:
        return None
    state, parent = stat.rpartition(")")[2].split()[:2]
    if state == "Z" or not (owner.search(environment) or owner.search(command)):
        return None
    words = command.replace(b"\0", b" ").decode(errors="replace").strip()
    return Process(int(entry.name), int(parent), state, words[:300])
