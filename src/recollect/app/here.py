"""App: who runs a command, and in which session, as far as environment and terminal tell.

Promises: the one place that knows by which variables the clients of agents mark the commands that
they run; what a person has set for a client themselves (its folder, a key) is no such mark.
Touches: the terminal (its name).

This keeps an agent from deciding by itself what only a person decides. It is no wall: whoever may
run any command can also change the environment of one.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress

from recollect.errors import UsageProblem

# What the clients set for the commands of their agents, as each was seen to do when it was run
# (Claude Code, Codex CLI, Gemini CLI, OpenCode, Copilot CLI) or says in its documents (Cursor, VS
# Code). The last one is common to several, also to clients that we do not know.
AGENTS = (
    "CLAUDECODE",
    "CODEX_THREAD_ID",
    "GEMINI_CLI",
    "OPENCODE",
    "COPILOT_CLI",
    "CURSOR_AGENT",
    "COPILOT_AGENT",
    "AI_AGENT",
)
# By which an agent's client, or a person, tells its commands which session is theirs.
SESSIONS = (
    ("RECOLLECT_SESSION", "terminal"),
    ("CLAUDE_CODE_SESSION_ID", "claude"),
    ("CODEX_THREAD_ID", "codex"),
    ("GEMINI_SESSION_ID", "gemini"),
    ("COPILOT_AGENT_SESSION_ID", "copilot"),
)


def is_agent(env: Mapping[str, str]) -> bool:
    """Whether an agent runs the command, on a person's behalf."""
    return any(env.get(name) for name in AGENTS)


def trust_of(env: Mapping[str, str]) -> str:
    """How far what the command writes is trusted: as the word of whoever runs it."""
    return "agent" if is_agent(env) else "user"


def require_person(env: Mapping[str, str], command: str, what: str) -> None:
    """Raise UsageProblem, which says `what`, where an agent runs the command."""
    if is_agent(env):
        raise UsageProblem(what=what, command=command)


def told(env: Mapping[str, str]) -> tuple[str, str]:
    """`(client, session)` that the environment names, or nothing."""
    for name, client in SESSIONS:
        if env.get(name):
            return client, env[name]
    return "", ""


def terminal() -> str:
    """The terminal that a command runs in, and its owner: the device alone is given again."""
    for handle in (0, 1, 2):
        with suppress(OSError):
            return f"{os.ttyname(handle)}:{os.getsid(0)}"
    return ""
