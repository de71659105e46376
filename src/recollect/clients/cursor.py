"""Cursor: hooks, tools and project rule."""

from __future__ import annotations

import os

from recollect.clients.base import ConfigPart, HookProgram, OwnedFile
from recollect.clients.config_files import HookTable, ObjectEntry

NAME = "cursor"
TIMEOUT_SECONDS = 10
# Its events → ours.
EVENTS = {"sessionStart": "SessionStart"}
MARK = "made by `recollect init --client cursor`"
RULE = f"""---
description: When to ask the memory of earlier sessions
alwaysApply: true
---
<!-- {MARK} -->
Notes of earlier sessions are kept by Recollect, and served by the MCP server `recollect`.

- `recall` with the words of the task gives what is known about it; it is of use before work on a
  part of the project that is new in this session, and after a command that failed.
- `remember` keeps what was decided or found out, for the sessions to come.
"""


def folder(env: dict[str, str]) -> str:
    """The client's own folder of this user."""
    return os.path.join(env.get("HOME", "/"), ".cursor")


def parts(env: dict[str, str], program: HookProgram) -> list[ConfigPart]:
    """The files of this user that get our entries."""
    handlers = {
        event: {"command": program.hook_command(NAME, ours), "timeout": TIMEOUT_SECONDS}
        for event, ours in EVENTS.items()
    }
    hooks = HookTable(NAME, handlers, is_flat=True, head='{\n  "version": 1\n}')
    server = ObjectEntry("mcpServers", "recollect", program.entry)
    return [
        ConfigPart("", os.path.join(folder(env), "hooks.json"), hooks),
        ConfigPart("mcp", os.path.join(folder(env), "mcp.json"), server),
    ]


def project_parts(project: str) -> list[ConfigPart]:
    """The file of a project: rules for all projects are not in files."""
    path = os.path.join(project, ".cursor", "rules", "recollect.mdc")
    return [ConfigPart("rule", path, OwnedFile(RULE, MARK))]
