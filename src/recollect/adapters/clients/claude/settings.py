"""Claude Code: our hooks in its settings file.

Promises: see `files` and `jsonforms`.
Touches: nothing.
"""

from __future__ import annotations

import os
from typing import Any

from recollect.adapters.clients.form import Part, Program
from recollect.adapters.clients.jsonforms import HookTable

NAME = "claude"
TIMEOUT_SECONDS = 10
EVENTS: dict[str, dict[str, Any]] = {
    "SessionStart": {"matcher": "startup|resume|clear|compact|fork"},
    "UserPromptSubmit": {},
    "PostToolUse": {"async": True},
    "PostToolUseFailure": {},
    "PreCompact": {},
    "Stop": {},
    "SubagentStop": {},
    "SessionEnd": {},
}


def folder(env: dict[str, str]) -> str:
    """The client's own folder of this user."""
    return env.get("CLAUDE_CONFIG_DIR") or os.path.join(env.get("HOME", "/"), ".claude")


def settings_path(env: dict[str, str]) -> str:
    """The client's own settings file of this user."""
    return os.path.join(folder(env), "settings.json")


def traces(env: dict[str, str]) -> list[str]:
    """What is there once the client has run; its folder may have been made for our store."""
    own = [os.path.join(folder(env), name) for name in ("settings.json", "projects")]
    return [*own, os.path.join(env.get("HOME", "/"), ".claude.json")]


def group_for(program: Program, event: str) -> dict[str, Any]:
    """The entry of an event in the form of the settings file."""
    extra = EVENTS[event]
    handler: dict[str, Any] = {"type": "command", "command": program.hook_command(NAME, event)}
    if extra.get("async"):
        handler["async"] = True
    handler["timeout"] = TIMEOUT_SECONDS
    group: dict[str, Any] = {"matcher": extra["matcher"]} if "matcher" in extra else {}
    return group | {"hooks": [handler]}


def hooks(program: Program) -> HookTable:
    """Our hooks as they stand in the settings file."""
    return HookTable(NAME, {event: group_for(program, event) for event in EVENTS})


def parts(env: dict[str, str], program: Program) -> list[Part]:
    """The files of this user that something of ours goes into."""
    return [Part("", settings_path(env), hooks(program))]
