"""The list of known clients that commands, help and `doctor` use."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from recollect._fastimport import NamedTuple
from recollect.clients import claude, codex, copilot, cursor, gemini, opencode
from recollect.clients.base import ConfigPart, HookProgram
from recollect.ports import TranscriptReader

Env = dict[str, str]


class ServerCommands(NamedTuple):
    """How a client's own program changes the servers in its state file, which we leave to it."""

    add: tuple[str, ...]  # before the words of the server
    remove: tuple[str, ...]
    path: Callable[[Env], str]  # the state file
    named: Callable[[Env], list[str] | None]  # the words of the server that has our name, if any


class Client(NamedTuple):
    """A client of agents, and how we are connected to it."""

    name: str  # as on the command line
    title: str  # as people call it
    traces: Callable[[Env], list[str]]  # one of them is there after its first run
    parts: Callable[[Env, HookProgram], list[ConfigPart]]
    asks: str = ""  # what is left to the person, once connected
    servers: ServerCommands | None = None  # where it keeps those among its state
    hooks: str = ""  # the name that its hooks give themselves, if it is not its own
    logs: Callable[[Env], str] = lambda _env: ""  # the folder or file of its transcripts
    project_parts: Callable[[str], list[ConfigPart]] = lambda _project: []
    has_plugin: Callable[[Env], bool] = lambda _env: False  # it runs our hooks and server by itself

    def is_installed(self, env: Env) -> bool:
        """Whether this person has used it."""
        return any(os.path.exists(path) for path in self.traces(env))

    def own(self, parts: list[ConfigPart]) -> list[ConfigPart]:
        """Its files that show whether it is connected, without those that it shares with another."""
        return parts[1:] if self.hooks else parts

    @property
    def hook_name(self) -> str:
        """The name of the client that its hooks give."""
        return self.hooks or self.name


KNOWN = {
    client.name: client
    for client in (
        Client(
            "claude",
            "Claude Code",
            claude.traces,
            claude.parts,
            servers=ServerCommands(
                ("claude", "mcp", "add", "--scope", "user", "recollect", "--"),
                ("claude", "mcp", "remove", "--scope", "user", "recollect"),
                claude.state_path,
                claude.server,
            ),
            has_plugin=claude.has_plugin,
            logs=lambda env: os.path.join(claude.folder(env), "projects"),
        ),
        Client(
            "codex",
            "Codex CLI",
            lambda env: [codex.folder(env)],
            codex.parts,
            has_plugin=codex.has_plugin,
            asks="Codex runs hooks only when you trust them: start it, and say so at `/hooks`.",
            logs=lambda env: os.path.join(codex.folder(env), "sessions"),
        ),
        Client(
            "gemini",
            "Gemini CLI",
            lambda env: [gemini.folder(env)],
            gemini.parts,
            has_plugin=gemini.has_plugin,
            logs=lambda env: os.path.join(gemini.folder(env), "tmp"),
        ),
        Client(
            "opencode",
            "OpenCode",
            lambda env: [opencode.folder(env)],
            opencode.parts,
            logs=opencode.database,
        ),
        Client(
            "cursor",
            "Cursor",
            lambda env: [cursor.folder(env)],
            cursor.parts,
            project_parts=cursor.project_parts,
        ),
        Client(
            "vscode",
            "VS Code",
            lambda env: [copilot.editor_folder(env)],
            copilot.editor_parts,
            hooks=copilot.NAME,
        ),
        Client(
            "copilot",
            "Copilot CLI",
            lambda env: [copilot.folder(env)],
            copilot.parts,
            logs=lambda env: os.path.join(copilot.folder(env), "session-state"),
        ),
    )
}
READERS: Mapping[str, TranscriptReader] = {
    "claude": claude.ClaudeTranscripts(),
    "codex": codex.CodexTranscripts(),
    "gemini": gemini.GeminiTranscripts(),
    "opencode": opencode.OpenCodeTranscripts(),
    "copilot": copilot.CopilotTranscripts(),
}
