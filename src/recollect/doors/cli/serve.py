"""Command line: mcp."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

import click

from recollect.doors.cli.door import Door, command
from recollect.doors.cli.helping import option

PORT = 8741


@command(
    "mcp",
    example="recollect mcp --read-only\nrecollect mcp --json\nrecollect mcp --http --port 9000",
)
@option(
    "--read-only", is_flag=True, help="Offer no tool that changes anything: recall without writing."
)
@click.option(
    "--http",
    "over_http",
    is_flag=True,
    help="Serve over HTTP, to clients of this machine that have the token.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=None,
    help=f"With --http: the port, {PORT} by default; 0 is any that is free.",
)
def mcp_command(door: Door, read_only: bool, over_http: bool, port: int | None) -> None:
    """Serve the memory to an agent, over stdin and stdout (MCP).

    A client starts this by itself and ends it with the session; `docs/mcp.md` says how to connect
    each. With --http it serves clients that do not start programs, until Ctrl-C. With --json it
    only prints the entry for a client's configuration.
    """
    folder = click.get_current_context().find_root().params.get("folder")
    if over_http:
        _over_http(door, folder, PORT if port is None else port, read_only=read_only)
        return
    if port is not None:
        raise door.refusal("--port is for --http.")
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
    from recollect.app.setup import program_paths

    python, hook = program_paths()
    args = ["-I", os.path.join(os.path.dirname(hook), "__main__.py")]
    args += ["-C", os.path.abspath(folder)] if folder else []
    args += ["mcp", *(["--read-only"] if read_only else [])]
    return {"mcpServers": {"recollect": {"command": python, "args": args}}}


def _over_http(door: Door, folder: str | None, port: int, *, read_only: bool) -> None:
    from recollect.app.token import http_token, token_path

    if door.as_json and not port:
        raise door.refusal("Name the port of the entry: 0 is another one each time.")
    token = http_token(door.app)
    if door.as_json:
        url = f"http://127.0.0.1:{port}/mcp"
        headers = {"Authorization": f"Bearer {token}"}
        entry = {"type": "http", "url": url, "headers": headers}
        door.paper.json({"mcpServers": {"recollect": entry}})
        return
    from recollect.doors.mcp.http import Server

    server = Server(port, token, folder, read_only=read_only)
    door.tell("Serving the memory at {url}; Ctrl-C ends it.", url=server.url)
    door.tell(
        "  clients need the token in {path}; `recollect mcp --http --json` prints their entry",
        path=token_path(door.app),
        style="dim",
    )
    sys.stdout.flush()
    server.serve()
