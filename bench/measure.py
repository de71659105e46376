"""Whole processes, side by side: CPU and wall time as ratios to a bare interpreter.

Promises: every round runs each candidate once, so that noise meets all alike; what is printed was
measured in this run.
Touches: the processes it starts.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

PYTHON = os.path.realpath(sys.executable) if sys.prefix == sys.base_prefix else sys.executable
BARE = [PYTHON, "-I", "-S", "-c", "pass"]


class Candidate(NamedTuple):
    """A command to measure: `stdin` gives what it reads in a round."""

    name: str
    command: Sequence[str]
    env: dict[str, str]
    stdin: Callable[[int], bytes] = lambda _: b""
    after: Callable[[], None] = lambda: None


class Timing(NamedTuple):
    """Times of one run, in milliseconds."""

    cpu: float
    wall: float


def run_once(command: Sequence[str], env: dict[str, str], stdin: bytes) -> Timing:
    """Run a command to its end; what it printed is thrown away."""
    reader, writer = os.pipe()
    started = time.perf_counter()
    pid = os.fork()
    if pid == 0:
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(reader, 0)
        os.dup2(null, 1)
        os.dup2(null, 2)
        os.close(writer)
        os.execve(command[0], list(command), env)
    os.close(reader)
    with os.fdopen(writer, "wb") as pipe:
        pipe.write(stdin)
    _, status, usage = os.wait4(pid, 0)
    wall = time.perf_counter() - started
    if status:
        raise SystemExit(f"{command} ended with status {status}")
    return Timing((usage.ru_utime + usage.ru_stime) * 1000, wall * 1000)


def compare(
    candidates: Sequence[Candidate], rounds: int
) -> list[tuple[str, float, float, float, float]]:
    """`(name, CPU min, CPU median, × bare by min, × bare by median)` for each, bare first."""
    env = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
    rows = [Candidate("python -I -S -c pass", BARE, env), *candidates]
    times: dict[str, list[float]] = {row.name: [] for row in rows}
    for n in range(rounds):
        for row in rows:
            times[row.name].append(run_once(row.command, row.env, row.stdin(n)).cpu)
            row.after()
    bare = times[rows[0].name]
    low, middle = min(bare), statistics.median(bare)
    return [
        (name, min(t), statistics.median(t), min(t) / low, statistics.median(t) / middle)
        for name, t in times.items()
    ]


def table(
    title: str, rows: list[tuple[str, float, float, float, float]], limits: dict[str, float]
) -> None:
    """Print a comparison, with what was promised beside it."""
    print(f"\n{title}")
    print(f"  {'':44} {'CPU min':>9} {'median':>9} {'× min':>7} {'× med':>7}  promised")
    for name, low, middle, by_low, by_middle in rows:
        limit = f"≤ {limits[name]:.1f}" if name in limits else ""
        print(f"  {name:44} {low:8.1f}m {middle:8.1f}m {by_low:7.2f} {by_middle:7.2f}  {limit}")
