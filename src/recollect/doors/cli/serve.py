"""Command line: mcp."""

from __future__ import annotations

import sys
from typing import NoReturn

import click

from recollect.doors.cli.door import Door, command
from recollect.doors.cli.helping import option


@command(
    "mcp",
    example="recollect mcp --read-only\nrecollect mcp --json",
)
@option(
    "--read-only", is_flag=True, help="Offer no tool that changes anything: recall without writing."
)
def mcp_command(door: Door, read_only: bool) -> None:
    """Serve the memory to an agent, over stdin and stdout (MCP).

    A client starts this by itself and ends it with the session; `docs/mcp.md` says how to connect
    each. With --json it only prints the entry for a client's configuration.
    """
    folder = click.get_current_context().find_root().params.get("folder")
    if door.as_json:
        door.paper.json(_entry(folder, read_only))
        return
    if sys.stdin.isatty():
        door.paper.complain(
            door.say("An agent's client starts this and talks to it on stdin; Ctrl-D ends it.")
        )
    _serve(folder, read_only)


def _serve(folder: str | None, read_only: bool) -> NoReturn:
    from recollect.doors.mcp.stdio import serve

    serve(folder, read_only=read_only)


def _entry(folder: str | None, read_only: bool) -> dict[str, object]:
    """What most clients want in their configuration: absolute, and out of reach of the project."""
    import os

    from recollect.app.setup import program_paths

    python, hook = program_paths()
    args = ["-I", os.path.join(os.path.dirname(hook), "__main__.py")]
    args += ["-C", os.path.abspath(folder)] if folder else []
    args += ["mcp", *(["--read-only"] if read_only else [])]
    return {"mcpServers": {"recollect": {"command": python, "args": args}}}
