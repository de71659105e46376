"""Hooks that only write down what they were given, for tests that watch the client's events.

Promises: one line per hook run, in the order in which the hooks ended.
Touches: `hook.py` and `events.jsonl` in the folder it is given.
"""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, Any

from .client import read_jsonl

if TYPE_CHECKING:
    from pathlib import Path

# A single write to a file opened for appending keeps the lines of parallel hooks apart.
_PROGRAM = """\
import json, os, sys
payload = json.load(sys.stdin)
if len(sys.argv) > 1:
    inserted = {"hookEventName": payload["hook_event_name"], "additionalContext": sys.argv[1]}
    print(json.dumps({"hookSpecificOutput": inserted}))
path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "events.jsonl")
line = (json.dumps(payload) + "\\n").encode()
log = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
os.write(log, line)
"""


class Recorder:
    """A hook program in `folder` and the events that it saw."""

    def __init__(self, folder: Path) -> None:
        """Write the program."""
        folder.mkdir(parents=True, exist_ok=True)
        self.program = folder / "hook.py"
        self.program.write_text(_PROGRAM, encoding="utf-8")
        self._log = folder / "events.jsonl"

    def command(self, context: str = "") -> str:
        """The hook command; with `context`, it is injected as additional context."""
        words = [sys.executable, "-I", "-S", str(self.program), *([context] if context else [])]
        return shlex.join(words)

    def hooks(self, *events: str, **contexts: str) -> dict[str, Any]:
        """The `hooks` table that records `events`, and `contexts` with a text to inject."""
        wanted = dict.fromkeys(events, "") | contexts
        return {
            event: [{"hooks": [{"type": "command", "command": self.command(context)}]}]
            for event, context in wanted.items()
        }

    def events(self, name: str = "") -> list[dict[str, Any]]:
        """The payloads so far, or those of one event."""
        return [
            payload
            for payload in read_jsonl(self._log)
            if not name or payload["hook_event_name"] == name
        ]

    def names(self) -> list[str]:
        """The names of the events so far."""
        return [payload["hook_event_name"] for payload in self.events()]
