"""OpenCode: where its files are, and what of ours goes into them.

Promises: what its documents and version 1.18 say; nothing is written here.
Touches: the plugin that is beside this file (reading).

It has no hooks but plugins in JavaScript; ours runs our hooks as other clients run them.
"""

from __future__ import annotations

import json
import os

from recollect.adapters.clients.form import Part, Program, Whole
from recollect.adapters.clients.jsonforms import Entry

NAME = "opencode"
MARK = "// recollect: made by `recollect init --client opencode`"
HEAD = '{\n  "$schema": "https://opencode.ai/config.json"\n}'


def folder(env: dict[str, str]) -> str:
    """The client's own folder of this user."""
    base = env.get("XDG_CONFIG_HOME") or os.path.join(env.get("HOME", "/"), ".config")
    return os.path.join(base, "opencode")


def parts(env: dict[str, str], program: Program) -> list[Part]:
    """The files of this user that something of ours goes into."""
    value = {"type": "local", "command": program.server, "enabled": True}
    server = Entry("mcp", "recollect", value, head=HEAD, has_comments=True)
    plugin = os.path.join(folder(env), "plugins", "recollect.js")
    return [
        Part("", plugin, Whole(plugin_text(program), MARK)),
        Part("mcp", _settings_path(folder(env)), server),
    ]


def _settings_path(where: str) -> str:
    """The settings file that is there, or the one to be made."""
    named = [os.path.join(where, name) for name in ("opencode.jsonc", "opencode.json")]
    return next((path for path in named if os.path.exists(path)), named[-1])


def plugin_text(program: Program) -> str:
    """The plugin, for this installation of ours."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plugin.js")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for name, value in program._asdict().items():
        text = text.replace(f'"{{{name}}}"', json.dumps(value, ensure_ascii=False))
    return f"{MARK}\n{text}"
