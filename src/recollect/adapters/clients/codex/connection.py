"""Codex CLI: where its files are, and what of ours goes into them.

Promises: what its documents and version 0.169 say; nothing is written here.
Touches: nothing.

Its hooks have the form of Claude Code's. It runs them only when the person has trusted them, so
that there is something left to say after they were put in.
"""

from __future__ import annotations

import os
from typing import Any

from recollect.adapters.clients.form import Part, Program
from recollect.adapters.clients.jsonforms import HookTable
from recollect.adapters.clients.tomlform import Table

NAME = "codex"
# It waits for the end of a session no longer than that, and complains about anything longer.
TIMEOUTS = {"SessionEnd": 3}
TIMEOUT_SECONDS = 10
EVENTS = ("SessionStart", "UserPromptSubmit", "PostToolUse", "PreCompact", "Stop", "SessionEnd")


def folder(env: dict[str, str]) -> str:
    """The client's own folder of this user."""
    return env.get("CODEX_HOME") or os.path.join(env.get("HOME", "/"), ".codex")


def group_for(program: Program, event: str) -> dict[str, Any]:
    """The entry of an event."""
    handler = {
        "type": "command",
        "command": program.hook_command(NAME, event),
        "timeout": TIMEOUTS.get(event, TIMEOUT_SECONDS),
    }
    return {"hooks": [handler]}


def parts(env: dict[str, str], program: Program) -> list[Part]:
    """The files of this user that something of ours goes into."""
    command, *args = program.server
    hooks = HookTable(NAME, {event: group_for(program, event) for event in EVENTS})
    server = Table("mcp_servers", "recollect", {"command": command, "args": args})
    return [
        Part("", os.path.join(folder(env), "hooks.json"), hooks),
        Part("mcp", os.path.join(folder(env), "config.toml"), server),
    ]
