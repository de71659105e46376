"""The server of our tools in a client's state file, which only the client's own program changes.

Running sessions write such a file, so a change by another program could be lost, or lose theirs.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Sequence

from recollect._fastimport import NamedTuple
from recollect.clients.registry import Client, Env, ServerCommands

LONGEST_SECONDS = 30
# It reports each run to its maker else.
_QUIET = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}


class ServerState(NamedTuple):
    """What became of our server: the state file, whether it changed, and what a person has to type."""

    path: str
    changed: bool
    by_hand: str = ""  # the client's command, where it could not be run or failed


def add(client: Client, env: Env, server: Sequence[str], *, dry_run: bool) -> ServerState | None:
    """Have a client start our server with each session; None if `init` writes its servers itself.

    A server that was added by hand under our name stays, and one of another installation is renewed.
    """
    if client.servers is None:
        return None
    path, words = client.servers.path(env), [*client.servers.add, *server]
    found = client.servers.ours(env)
    if found and (found == list(server) or not _is_installed_by_us(found)):
        return ServerState(path, changed=False)
    if not _can_run(client.servers, env):
        return ServerState(path, changed=False, by_hand=shlex.join(words))
    if dry_run or ((not found or _run(client.servers.remove, env)) and _run(words, env)):
        return ServerState(path, changed=True)
    return ServerState(path, changed=False, by_hand=shlex.join(words))


def remove(client: Client, env: Env, *, dry_run: bool) -> ServerState | None:
    """Have a client forget our server; None if there is none in its state file."""
    if client.servers is None or not (found := client.servers.ours(env)):
        return None
    if not _is_installed_by_us(found) and os.path.basename(found[0]) != "recollect":
        return None  # somebody else's program of that name
    path, words = client.servers.path(env), client.servers.remove
    if _can_run(client.servers, env) and (dry_run or _run(words, env)):
        return ServerState(path, changed=True)
    return ServerState(path, changed=False, by_hand=shlex.join(words))


def _is_installed_by_us(found: Sequence[str]) -> bool:
    """Whether a command has the form that we give it, of whichever installation."""
    return len(found) > 1 and found[-1] == "mcp" and found[-2].endswith("/recollect/__main__.py")


def _can_run(servers: ServerCommands, env: Env) -> bool:
    return shutil.which(servers.add[0], path=env.get("PATH", "")) is not None


def _run(words: Sequence[str], env: Env) -> bool:
    program = shutil.which(words[0], path=env.get("PATH", ""))
    if program is None:
        return False
    try:
        done = subprocess.run(  # noqa: S603 - the client that the person uses
            [program, *words[1:]],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=LONGEST_SECONDS,
            env=env | _QUIET,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0
