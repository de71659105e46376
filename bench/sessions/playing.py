"""Recollect as a user runs it: commands and hooks as processes, in a home of their own.

Promises: writes nothing outside that home; leaves no process behind.
Touches: the home.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress

import recollect

PACKAGE = os.path.dirname(os.path.abspath(recollect.__file__))
HOOK = os.path.join(PACKAGE, "hook.py")
LONGEST_WAIT = 30.0  # seconds for a worker


class Failed(Exception):
    """A command failed: which one, and its exit code."""


class Home:
    """A scratch home with the sessions of one project."""

    def __init__(self, folder: str, project: str) -> None:
        """`project` is the folder in which the sessions ran; it need not exist."""
        self.folder, self.project = folder, project
        self.cpu = 0.0  # seconds, of the commands
        self.hook_times: list[float] = []
        os.makedirs(folder, exist_ok=True)
        self.env = {"HOME": folder, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}

    def run(self, *words: str, about_project: bool = True) -> float:
        """Run a command; returns its CPU seconds.

        Raises:
            Failed: its exit code is not 0.
        """
        env = self.env | ({"RECOLLECT_PROJECT_ROOT": self.project} if about_project else {})
        before = _cpu()
        command = [sys.executable, "-m", "recollect", *words]
        done = subprocess.run(command, env=env, cwd=self.folder, capture_output=True, check=False)
        took = _cpu() - before
        self.cpu += took
        if done.returncode:
            raise Failed(f"{words[0]} ended with {done.returncode}")
        self.settle()
        return took

    def hook(self, event: str, session: str, **fields: object) -> str:
        """What the agent is told at an event."""
        payload = {"session_id": session, "transcript_path": f"{self.folder}/none.jsonl",
                   "cwd": self.project, "hook_event_name": event, **fields}  # fmt: skip
        command = [sys.executable, "-I", "-S", HOOK, "claude", event]
        started = time.perf_counter()
        done = subprocess.run(
            command,
            env=self.env | {"CLAUDE_PROJECT_DIR": self.project},
            input=json.dumps(payload).encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        self.hook_times.append(time.perf_counter() - started)
        if event == "SessionStart":
            self.settle()
        return told(done.stdout)

    def settle(self) -> None:
        """Wait for the background worker, which runs on after it removes its marks."""
        until = time.monotonic() + LONGEST_WAIT
        while time.monotonic() < until and (self._is_marked() or self._has_process()):
            time.sleep(0.02)

    def _is_marked(self) -> bool:
        cache = os.path.join(self.folder, ".cache", "recollect")
        stores = os.listdir(cache) if os.path.isdir(cache) else []
        marks = (os.path.join(cache, it, mark) for it in stores for mark in ("pending", "working"))
        return any(map(os.path.exists, marks))

    def _has_process(self) -> bool:
        """Whether a process runs in this home; without `/proc` nobody can tell."""
        own = f"HOME={self.folder}".encode()
        for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
            if name.isdigit():
                with suppress(OSError), open(f"/proc/{name}/environ", "rb") as file:
                    if own in file.read().split(b"\0"):
                        return True
        return False

    def stores(self) -> Iterator[str]:
        """The project stores in this home."""
        within = os.path.join(self.folder, ".claude", "memory", "projects")
        for name in sorted(os.listdir(within)) if os.path.isdir(within) else ():
            yield os.path.join(within, name)

    def size(self) -> int:
        """The size of these stores in bytes."""
        return sum(
            os.path.getsize(os.path.join(folder, name))
            for store in self.stores()
            for folder, _, names in os.walk(store)
            for name in names
        )


def told(answer: bytes) -> str:
    """The text that a hook's answer injects, or an empty string."""
    try:
        said = (
            json.loads(answer or b"{}").get("hookSpecificOutput", {}).get("additionalContext", "")
        )
    except (ValueError, AttributeError):
        return ""
    return said if isinstance(said, str) else ""


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
