"""App: which session a command runs in, as far as the environment and the terminal tell."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress

# By which an agent's client, or a person, tells its commands which session is theirs.
VARIABLES = (
    ("RECOLLECT_SESSION", "terminal"),
    ("CLAUDE_CODE_SESSION_ID", "claude"),
    ("GEMINI_SESSION_ID", "gemini"),
)


def told(env: Mapping[str, str]) -> tuple[str, str]:
    """`(client, session)` that the environment names, or nothing."""
    for name, client in VARIABLES:
        if env.get(name):
            return client, env[name]
    return "", ""


def terminal() -> str:
    """The terminal that a command runs in, and its owner: the device alone is given again."""
    for handle in (0, 1, 2):
        with suppress(OSError):
            return f"{os.ttyname(handle)}:{os.getsid(0)}"
    return ""
