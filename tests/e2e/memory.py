"""Recollect beside the client: its command line, its store, its worker.

Promises: commands run with the client's environment, so in its scratch home; waiting has a
    time-out.
Touches: the scratch home and the project.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .client import REPOSITORY, ClaudeClient
from .messages_api import system_reminders
from .processes import processes_of

if TYPE_CHECKING:
    from pathlib import Path

    from .agents import Agent
    from .messages_api import Request

PLUGIN = REPOSITORY / "plugin"
OURS = re.compile(r"__main__\.py work|/hook\.py\"? \w")  # the worker's command, and a hook's


@dataclass(frozen=True)
class Memory:
    """The memory of one user in one project."""

    client: ClaudeClient | Agent
    project: Path

    @property
    def root(self) -> Path:
        """The project's store."""
        return self.project / ".claude" / "memory"

    def run(self, *args: str, code: int = 0) -> str:
        """Run a command; gives what it printed."""
        done = subprocess.run(
            [sys.executable, "-m", "recollect", *args],
            env=self.client.environment(),
            cwd=self.project,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout

    def json(self, *args: str) -> Any:
        """Run a command with --json; gives its answer."""
        return json.loads(self.run(*args, "--json"))

    def settle(self, seconds: float = 15) -> None:
        """Wait until no worker and no hook of this home runs and no work is marked.

        A client may end before the hook of its end has.
        """
        deadline = time.monotonic() + seconds
        caches = self.client.home / ".cache" / "recollect"
        while time.monotonic() < deadline:
            # In this order: a hook leaves its mark before it ends, a worker takes marks away.
            at_work = [p for p in processes_of(self.client.home) if OURS.search(p.command)]
            marks = [*caches.glob("*/pending"), *caches.glob("*/working")]
            if not marks and not at_work:
                return
            time.sleep(0.02)
        raise AssertionError(f"still at work after {seconds} s: {processes_of(self.client.home)}")

    def sessions(self) -> list[dict[str, Any]]:
        """The memories of sessions, oldest first."""
        found = self.json("list", "--kind", "session", "--limit", "100")
        return sorted(found, key=lambda row: str(row["created"]))

    def text(self, memory_id: str) -> str:
        """The text of a memory."""
        return str(self.json("show", memory_id)["text"])


def given(request: Request, event: str) -> str:
    """What our hook of an event gave to the model, as far as this request carries it."""
    marks = (f"{event} hook additional context:", f"{event}:Bash hook additional context:")
    return "\n".join(r for r in system_reminders(request) if any(mark in r for mark in marks))
