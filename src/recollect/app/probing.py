"""App: asking the server of our tools, as a client would start it, whether it answers.

Promises: bounded time; nothing is left running; no store is changed.
Touches: one process, which ends with its input.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence

LONGEST_SECONDS = 10
SILENT = "-"
GREETING = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "recollect-doctor", "version": "1"},
    },
}


def answer_of(command: Sequence[str], folder: str, env: Mapping[str, str]) -> str:
    """The name and version that a server answers with, or SILENT."""
    try:
        done = subprocess.run(  # noqa: S603 - our own program
            list(command),
            input=f"{json.dumps(GREETING)}\n".encode(),
            capture_output=True,
            timeout=LONGEST_SECONDS,
            cwd=folder,
            env=dict(env),
            check=False,
        )
        found = json.loads(done.stdout.split(b"\n", 1)[0])["result"]["serverInfo"]
        return f"{found['name']} {found['version']}"
    except (OSError, ValueError, KeyError, TypeError, subprocess.SubprocessError):
        return SILENT
