"""GitHub Copilot: where the files of its command line and of its chat in VS Code are.

Promises: what its documents say (2026-08), and version 1.0.102 of the command line; nothing is
written here.
Touches: nothing.

Both read the hooks in one folder of the person, so that there is one file for both. The command
line takes notes at each event, the chat at the start of a session; for more, its agent has the
tools of the MCP server.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from recollect.adapters.clients.form import Part, Program, Whole
from recollect.adapters.clients.jsonforms import Entry

NAME = "copilot"
EDITOR = "vscode"
TIMEOUT_SECONDS = 10
# In these names the command line sends the fields that the chat sends too.
EVENTS = (
    "SessionStart",
    "UserPromptSubmit",
    "PostToolUse",
    "PostToolUseFailure",
    "Stop",
    "SessionEnd",
)
_MARK = f'hook.py\\" {NAME} '  # as it stands in the command of a hook


def folder(env: dict[str, str]) -> str:
    """The folder of the command line, and of the hooks of both."""
    return env.get("COPILOT_HOME") or os.path.join(env.get("HOME", "/"), ".copilot")


def editor_folder(env: dict[str, str]) -> str:
    """The folder of VS Code that has the settings of its user."""
    home = env.get("HOME", "/")
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Application Support", "Code", "User")
    base = env.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    return os.path.join(base, "Code", "User")


def hooks_text(program: Program) -> str:
    """Our file of hooks."""
    hooks: dict[str, Any] = {}
    for event in EVENTS:
        command = program.hook_command(NAME, event)
        hooks[event] = [{"type": "command", "command": command, "timeout": TIMEOUT_SECONDS}]
    return json.dumps({"version": 1, "hooks": hooks}, indent=2, ensure_ascii=False) + "\n"


def _hooks(env: dict[str, str], program: Program) -> Part:
    path = os.path.join(folder(env), "hooks", "recollect.json")
    return Part("", path, Whole(hooks_text(program), _MARK))


def parts(env: dict[str, str], program: Program) -> list[Part]:
    """The files for the command line."""
    command, *args = program.server
    value = {"type": "local", "command": command, "args": args, "tools": ["*"]}
    path = os.path.join(folder(env), "mcp-config.json")
    return [_hooks(env, program), Part("mcp", path, Entry("mcpServers", "recollect", value))]


def editor_parts(env: dict[str, str], program: Program) -> list[Part]:
    """The files for VS Code."""
    command, *args = program.server
    value = {"type": "stdio", "command": command, "args": args}
    server = Entry("servers", "recollect", value, has_comments=True)
    path = os.path.join(editor_folder(env), "mcp.json")
    return [_hooks(env, program), Part("mcp", path, server)]
