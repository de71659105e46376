"""Check the program, its clients, their hooks and the worker; reads only."""

from __future__ import annotations

import json
import os
import platform
import sqlite3
import subprocess
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress

from recollect._fastimport import NamedTuple
from recollect._version import __version__
from recollect.clients import claude, config_files
from recollect.clients.base import ConfigPart
from recollect.clients.registry import KNOWN, Client
from recollect.errors import RecollectError
from recollect.features import repository
from recollect.model.times import minute
from recollect.ops import client_servers, repair
from recollect.ops.setup import parts_of, program_for
from recollect.store import disk, locations, repositories
from recollect.store.store import OpenStore
from recollect.workspace import Finding, Workspace

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


LATE_SECONDS = 900  # a client writes that much after its last hook


def program() -> Iterator[Finding]:
    """The versions of program, Python and SQLite."""
    yield Finding.ok(
        "program",
        "recollect {version}, Python {python}, SQLite {sqlite}",
        version=__version__,
        python=platform.python_version(),
        sqlite=sqlite3.sqlite_version,
    )


class ClientLook(NamedTuple):
    """The state of our entries in each client's files, and when each last called our hooks."""

    files: list[tuple[Client, list[tuple[ConfigPart, str]]]]
    calls: Mapping[str, str]


def read_client_state(app: Workspace) -> ClientLook:
    """Read the clients' files, and the journals of the stores that concern us."""
    program = program_for(app)
    files = []
    for client in KNOWN.values():
        own = client.own(client.parts(app.env, program))
        files.append((client, [(part, config_files.state_of(part)) for part in own]))
    return ClientLook(files, _last_calls(app))


def clients(app: Workspace, seen: ClientLook) -> Iterator[Finding]:
    """For each client that is used or connected: whether our entries are in its files and work."""
    answers: dict[tuple[str, ...], str] = {}
    has_another = is_any_connected(app, seen)
    for client, states in seen.files:
        name = client.name
        is_used = client.has_plugin(app.env) or client.is_installed(app.env)
        if has_another and not is_used and all(state == "absent" for _, state in states):
            continue  # not worth mentioning to somebody who uses another client
        if client.has_plugin(app.env):
            yield _plugin_beside(name, states)
            yield from _tools_beside(app, client)
            if name != "claude":
                yield from _called(client, seen.calls)
            continue
        finding = _connection(app, client, states)
        if finding is None:
            continue
        yield finding
        if name != "claude" and all(state != "absent" for _, state in states):
            yield from _called(client, seen.calls)
        if finding.state == "ok":
            yield _tools(app, client, answers)


def _tools(app: Workspace, client: Client, answers: dict[tuple[str, ...], str]) -> Finding:
    """Whether the server that a client starts answers."""
    name, server = client.name, program_for(app).server
    if client.servers:
        found = client.servers.named(app.env)
        if found is None:
            return Finding.note(
                name,
                "its tools (MCP) are missing; `recollect init --client {name}` adds them",
                name=name,
            )
        if not client_servers.is_ours(found):
            return Finding.note(
                name, "its server “recollect” is another program; our tools (MCP) are missing"
            )
        server = found
    if tuple(server) not in answers:
        answers[tuple(server)] = answer_of(server, app.project_folder, app.env)
    answer = answers[tuple(server)]
    if answer == SILENT:
        return Finding.problem(name, "its MCP server does not respond")
    return Finding.ok(name, "its MCP server responds: {name}", name=answer)


def _tools_beside(app: Workspace, client: Client) -> Iterator[Finding]:
    """That a client starts our server twice, by its plugin and by its state file."""
    servers = client.servers
    if servers and client_servers.is_ours(servers.named(app.env) or ()):
        yield Finding.problem(
            client.name,
            "the plugin and {path} both have the tools (MCP); `claude mcp remove --scope user recollect` leaves the plugin's",
            path=servers.path(app.env),
        )


def _called(client: Client, calls: Mapping[str, str]) -> Iterator[Finding]:
    """When a client last called our hooks, or what it needs before it does."""
    if last := calls.get(client.hook_name):
        yield Finding.ok(client.name, "hooks last called {time}", time=minute(last))
        return
    yield Finding.note(client.name, "hooks not called yet")
    if client.asks:
        yield Finding.note(client.name, "{what}", what=client.asks)


class ClientState(NamedTuple):
    """A client that is used or connected, and when it last called our hooks."""

    name: str
    title: str
    state: str  # connected, broken, absent
    called: str


def standings(app: Workspace, seen: ClientLook) -> list[ClientState]:
    """The state of each client, by its files alone."""
    found = []
    for client, parts in seen.files:
        states = {state for _, state in parts}
        if client.has_plugin(app.env):
            state = "broken" if states & {"current", "other"} else "connected"
        elif states <= {"absent"}:
            state = "absent"
        else:
            state = "connected" if states == {"current"} else "broken"
        if state != "absent" or client.is_installed(app.env):
            called = seen.calls.get(client.hook_name, "")
            found.append(ClientState(client.name, client.title, state, called))
    return found


def is_any_connected(app: Workspace, seen: ClientLook) -> bool:
    """Whether any client's files have entries of ours, in order or not."""
    return any(one.state != "absent" for one in standings(app, seen))


def _connection(
    app: Workspace, client: Client, states: list[tuple[ConfigPart, str]]
) -> Finding | None:
    """The finding on a client's files; ok if they have all entries as they should be."""
    found = {state: part for part, state in reversed(states)}
    name = client.name
    if "invalid" in found:
        path = found["invalid"].path
        return Finding.problem(name, "{path} is not valid; it was not changed", path=path)
    if "other" in found:
        return Finding.problem(
            name,
            "its hooks are from another installation or version; `recollect init --client {name}` updates them",
            name=name,
        )
    if "absent" not in found:
        path = states[0][0].path
        return Finding.ok(name, "connected in {path}", path=path)
    if "current" in found:
        return Finding.problem(
            name,
            "{path} has no entry of ours; `recollect init --client {name}` adds it",
            path=found["absent"].path,
            name=name,
        )
    if name != "claude" and not client.is_installed(app.env):
        return None
    return Finding.note(
        name, "not connected through its settings; run `recollect init --client {name}`", name=name
    )


def _plugin_beside(name: str, states: list[tuple[ConfigPart, str]]) -> Finding:
    """The finding on a client that has our plugin."""
    if not any(state in ("current", "other") for _, state in states):
        return Finding.ok(name, "connected by the plugin")
    return Finding.problem(
        name,
        "the plugin and the settings both run the hooks; `recollect uninstall --client {name}` leaves the plugin's",
        name=name,
    )


def _last_calls(app: Workspace) -> dict[str, str]:
    """When the hooks of each client were last called, for the stores that concern us."""
    last: dict[str, str] = {}
    for scope, root in app.roots.items():
        with suppress(RecollectError):
            for line in app.opened(root, scope).journal.hot("signal"):
                client, time = str(line.get("client", "")), str(line.get("time", ""))
                last[client] = max(last.get(client, ""), time)
    return last


def hooks(app: Workspace, store: OpenStore) -> Iterator[Finding]:
    """Whether the hooks are really called for a store."""
    calls = {str(c.get("session")): str(c.get("time", "")) for c in store.journal.hot("signal")}
    last = max(calls.values(), default="")
    unheard = _unheard_session(app, store, calls, last)
    if unheard:
        yield Finding.problem(
            "hooks",
            "connected, but not called in the session of {time}; restart the client",
            time=minute(unheard),
        )
    elif last:
        yield Finding.ok("hooks", "last called {time}", time=minute(last))
    else:
        yield Finding.note("hooks", "not called for this store yet")
    log = f"{locations.cache_root(app.env)}/hook.log"
    with suppress(RecollectError):
        lines = disk.read_file(log).decode("utf-8", "replace").splitlines()
        if lines:
            yield Finding.note(
                "hooks",
                "errors in {path}: {n}; the last: {line}",
                n=len(lines),
                path=log,
                line=lines[-1],
            )


def _unheard_session(app: Workspace, store: OpenStore, calls: Collection[str], last: str) -> str:
    """When Claude Code last logged a session here that should have called our hooks, but did not.

    A session that did call them may work for long between two prompts, so it does not count.
    """
    settings = claude.settings_path(app.env)
    [hooks_of_client] = parts_of(app, KNOWN["claude"])
    if store.scope != "project" or config_files.state_of(hooks_of_client) != "current":
        return ""
    folder = "".join(c if c.isascii() and c.isalnum() else "-" for c in app.project_folder)
    written = [os.path.getmtime(settings)]
    with suppress(OSError), os.scandir(f"{os.path.dirname(settings)}/projects/{folder}") as found:
        names = [(e, e.name.removesuffix(".jsonl")) for e in found if e.name.endswith(".jsonl")]
        written += [e.stat().st_mtime for e, session in names if session not in calls]
    newest = max(written)
    heard = max(last, locations.utc(written[0] + LATE_SECONDS))
    return locations.utc(newest) if locations.utc(newest - LATE_SECONDS) > heard else ""


def waiting(app: Workspace, store: OpenStore) -> Iterator[Finding]:
    """Hook events that no worker has handled, and errors of the worker."""
    since = repair.waits_since(app, store)
    if since:
        yield Finding.problem(
            "worker",
            "hook events have been waiting since {time}; `recollect doctor --repair` starts the worker",
            time=since,
        )
    log = f"{locations.cache_root(app.env)}/worker.log"
    with suppress(OSError):
        yield Finding.note(
            "worker", "errors in {path}, {n} bytes", path=log, n=os.path.getsize(log)
        )


def unread_repository(app: Workspace) -> Finding | None:
    """That a repository around here belongs to somebody else, or that git does not read it."""
    folders = repositories.ancestors(app.folder)
    top = next((one for one in folders if os.path.lexists(f"{one.rstrip('/')}/.git")), "")
    if not top:
        return None
    dot_git = f"{top.rstrip('/')}/.git"
    if os.path.exists(dot_git) and not repositories.is_own(dot_git):
        return Finding.note(
            "git",
            "the repository {path} belongs to another user, so it is left out of account and {folder} counts as the project; `sudo chown -R $(id -u) {path}` makes it yours",
            path=top,
            folder=app.project_folder,
        )
    if os.path.isdir(dot_git) and not os.listdir(dot_git):
        return None  # nobody has made one yet
    done = repository.ask_git(top, "ls-files", "--", ".claude")  # reads the index, too
    if done is None or done.returncode == 0:
        return None
    if b"safe.directory" in done.stderr:
        return Finding.problem(
            "git",
            "git does not read the repository {path}, since its folder belongs to another user: nothing of it counts as yours, and memories are not merged; if you trust it, run `git config --global --add safe.directory {path}`",
            path=top,
        )
    return Finding.problem(
        "git",
        "git does not read the repository {path}: nothing of it counts as yours, and memories are not merged; `git status` there says why",
        path=top,
    )
