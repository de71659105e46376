"""The server of our tools in a client's state file, which only the client's own program changes.

Running sessions write such a file, so a change by another program could be lost, or lose theirs.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress

from recollect._fastimport import NamedTuple
from recollect.clients.registry import Client, Env, ServerCommands

LONGEST_SECONDS = 15
NOT_FOUND, LATE, UNCHANGED = "not-found", "late", "unchanged"  # why it was not done
LONGEST_REASON = 200
# It reports each run to its maker else.
_QUIET = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}


class ServerState(NamedTuple):
    """What became of our server: the state file, whether it changed, and what a person has to do."""

    name: str  # of the client
    path: str
    changed: bool
    by_hand: str = ""  # the client's commands, where they could not be run or failed,
    why: str = ""  # and why: one of the above, or what the client said
    is_foreign: bool = False  # a server of somebody else has our name; it stays


def add(client: Client, env: Env, server: Sequence[str], *, dry_run: bool) -> ServerState | None:
    """Have a client start our server with each session; None if `init` writes its servers itself.

    A server that was added by hand under our name stays, and one of another installation is renewed.
    """
    if client.servers is None:
        return None
    path, found = client.servers.path(env), client.servers.named(env)
    if found == list(server) or (found and _is_by_hand(found)):
        return ServerState(client.name, path, changed=False)
    if found is not None and not _is_installed_by_us(found):
        return ServerState(client.name, path, changed=False, is_foreign=True)
    steps = [[*client.servers.add, *server]]
    if found:
        steps.insert(0, [*client.servers.remove])
    done = _carried_out(client.servers, env, steps, list(server), dry_run=dry_run)
    return done._replace(name=client.name)


def remove(client: Client, env: Env, *, dry_run: bool) -> ServerState | None:
    """Have a client forget our server; None if there is none in its state file."""
    found = client.servers and client.servers.named(env)
    if client.servers is None or not found:
        return None
    if not is_ours(found):
        return None  # somebody else's program of that name
    done = _carried_out(client.servers, env, [[*client.servers.remove]], None, dry_run=dry_run)
    return done._replace(name=client.name)


def is_ours(found: Sequence[str]) -> bool:
    """Whether a command starts a server of ours, of whichever installation."""
    return bool(found) and (_is_installed_by_us(found) or _is_by_hand(found))


def _is_by_hand(found: Sequence[str]) -> bool:
    """Whether a command is the one that our documents name: `recollect mcp`."""
    return os.path.basename(found[0]) == "recollect" and "mcp" in found[1:]


def _is_installed_by_us(found: Sequence[str]) -> bool:
    """Whether a command has the form that `init` gives it."""
    return len(found) > 1 and found[-1] == "mcp" and found[-2].endswith("/recollect/__main__.py")


def _carried_out(
    servers: ServerCommands,
    env: Env,
    steps: Sequence[Sequence[str]],
    wanted: list[str] | None,
    *,
    dry_run: bool,
) -> ServerState:
    """Run the client's commands, and look into its state file for what they did."""
    path = servers.path(env)
    program = shutil.which(steps[0][0], path=env.get("PATH", ""))
    by_hand = " && ".join(map(shlex.join, steps))
    if program is None or not os.path.isabs(program):  # no program of the folder that we are in
        return ServerState("", path, False, by_hand, NOT_FOUND)
    if dry_run:
        return ServerState("", path, changed=True)
    for words in steps:
        if why := _failed([program, *words[1:]], env):
            return ServerState("", path, False, by_hand, why)
    if servers.named(env) != wanted:
        return ServerState("", path, False, by_hand, UNCHANGED)
    return ServerState("", path, changed=True)


def _failed(words: Sequence[str], env: Env) -> str:
    """Run a program to its end; why it failed, if it did. None of its children is left."""
    try:
        with subprocess.Popen(  # noqa: S603 - the client that the person uses
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=env | _QUIET,
            cwd=env.get("HOME") or "/",
            start_new_session=True,
            text=True,
            errors="replace",
        ) as running:
            try:
                said = running.communicate(timeout=LONGEST_SECONDS)[0]
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(running.pid, signal.SIGKILL)
    except subprocess.TimeoutExpired:
        return LATE
    except OSError as error:
        return error.strerror or str(error)
    lines = said.strip().splitlines() or [f"exit code {running.returncode}"]
    return lines[-1][:LONGEST_REASON] if running.returncode else ""
