"""A command as a process of its own: what it said, and what it cost.

Promises: it ends within its time, and whatever it started in its process group with it; both are
ended by their id while that id is still theirs.
Touches: the processes it starts.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from typing import IO, NamedTuple


class Ran(NamedTuple):
    """What became of a command: seconds of the clock and of the processor, and what it said."""

    wall: float
    cpu: float
    status: int  # below 0: ended by that signal
    out: str
    err: str

    @property
    def complaint(self) -> str:
        """The last line of what went wrong."""
        if self.status == -signal.SIGKILL:
            return f"not done after {self.wall:.0f} s"
        lines = [line.strip() for line in f"{self.out}\n{self.err}".splitlines() if line.strip()]
        return (lines or [f"ended with status {self.status}"])[-1][:200]


def run(command: Sequence[str], env: Mapping[str, str], folder: str, seconds: float) -> Ran:
    """Run a command in a folder, with this environment alone."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        started = time.perf_counter()
        one = subprocess.Popen(
            command, env=dict(env), cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
            start_new_session=True,
        )  # fmt: skip
        late = threading.Timer(seconds, os.killpg, (one.pid, signal.SIGKILL))
        late.start()
        try:
            # The id stays its own until it is asked for what it cost: nobody else is ever ended.
            os.waitid(os.P_PID, one.pid, os.WEXITED | os.WNOWAIT)
        finally:
            wall = time.perf_counter() - started
            late.cancel()
            late.join()
            os.killpg(one.pid, signal.SIGKILL)
            _, status, usage = os.wait4(one.pid, 0)
            one.returncode = os.waitstatus_to_exitcode(status)
        return Ran(wall, usage.ru_utime + usage.ru_stime, one.returncode, _read(out), _read(err))


def _read(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8", "replace")
