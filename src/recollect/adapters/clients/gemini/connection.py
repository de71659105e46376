"""Gemini CLI: where its files are, and what of ours goes into them.

Promises: what its documents and version 0.61 say; nothing is written here.
Touches: nothing.

Its events have names of their own, and their time-outs are in milliseconds. It asks its hooks
before every compaction that might be, so that we do not listen to that.
"""

from __future__ import annotations

import os
from typing import Any

from recollect.adapters.clients.form import Part, Program, Together
from recollect.adapters.clients.jsonforms import Entry, HookTable

NAME = "gemini"
TIMEOUT_MS = 10_000
# Its events → ours.
EVENTS = {
    "SessionStart": "SessionStart",
    "BeforeAgent": "UserPromptSubmit",
    "AfterTool": "PostToolUse",
    "AfterAgent": "Stop",
    "SessionEnd": "SessionEnd",
}


def folder(env: dict[str, str]) -> str:
    """The client's own folder of this user."""
    return os.path.join(env.get("GEMINI_CLI_HOME") or env.get("HOME", "/"), ".gemini")


def group_for(program: Program, event: str) -> dict[str, Any]:
    """The entry of an event."""
    handler = {
        "name": "recollect",
        "type": "command",
        "command": program.hook_command(NAME, EVENTS[event]),
        "timeout": TIMEOUT_MS,
    }
    return {"hooks": [handler]}


def parts(env: dict[str, str], program: Program) -> list[Part]:
    """The files of this user that something of ours goes into."""
    command, *args = program.server
    groups = {event: group_for(program, event) for event in EVENTS}
    hooks = HookTable(NAME, groups, has_comments=True)
    server = Entry("mcpServers", "recollect", {"command": command, "args": args}, has_comments=True)
    path = os.path.join(folder(env), "settings.json")
    return [Part("", path, Together([hooks, server]))]
