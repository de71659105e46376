"""App: what is around the stores: the program, its clients, their hooks, the worker.

Promises: reads only.
Touches: the clients' settings, the names and times of their transcripts, our logs in the cache.
"""

from __future__ import annotations

import os
import platform
import sqlite3
from collections.abc import Iterator
from contextlib import suppress

from recollect import __version__, fsio
from recollect.adapters.clients.claude import settings as claude
from recollect.app import repair
from recollect.app.finding import Finding
from recollect.app.finding import found as _found
from recollect.app.setup import program_paths
from recollect.app.wiring import App
from recollect.errors import RecollectError
from recollect.hooks import places
from recollect.services.opened import OpenStore

LATE_SECONDS = 900  # a client writes that much after its last hook


def program() -> Iterator[Finding]:
    """What runs."""
    yield _found(
        "ok",
        "program",
        "recollect {version}, Python {python}, SQLite {sqlite}",
        version=__version__,
        python=platform.python_version(),
        sqlite=sqlite3.sqlite_version,
    )


def clients(app: App) -> Iterator[Finding]:
    """Whether our hooks are in the settings of the clients."""
    path = claude.settings_path(app.env)
    state = claude.state_of(path, *program_paths())
    if state == "invalid":
        yield _found("problem", "claude", "{path} is not valid; it is left alone", path=path)
    elif state == "absent":
        yield _found(
            "note",
            "claude",
            "not connected through its settings; `recollect init --client claude` does that",
        )
    elif state == "other":
        yield _found(
            "problem",
            "claude",
            "its hooks run another installation; `recollect init --client claude` renews them",
        )
    else:
        yield _found("ok", "claude", "connected in {path}", path=path)


def hooks(app: App, store: OpenStore) -> Iterator[Finding]:
    """Whether the hooks are really called for a store."""
    last = max((line.get("time", "") for line in store.journal.hot("signal")), default="")
    unheard = _unheard_session(app, store, last)
    if unheard:
        yield _found(
            "problem",
            "hooks",
            "not called in the session of {time}, though they are connected; start the client anew",
            time=unheard,
        )
    elif last:
        yield _found("ok", "hooks", "last called {time}", time=last)
    else:
        yield _found("note", "hooks", "not called for this store yet")
    log = f"{places.cache_root(app.env)}/hook.log"
    with suppress(RecollectError):
        lines = fsio.read_file(log).decode("utf-8", "replace").splitlines()
        if lines:
            yield _found(
                "note",
                "hooks",
                "troubles in {path}: {n}; the last: {line}",
                n=len(lines),
                path=log,
                line=lines[-1],
            )


def _unheard_session(app: App, store: OpenStore, last: str) -> str:
    """When the client last wrote of a session here, if our hooks should have heard of it."""
    settings = claude.settings_path(app.env)
    if store.scope != "project" or claude.state_of(settings, *program_paths()) != "current":
        return ""
    folder = "".join(c if c.isascii() and c.isalnum() else "-" for c in app.project_folder)
    written = [os.path.getmtime(settings)]
    with suppress(OSError), os.scandir(f"{os.path.dirname(settings)}/projects/{folder}") as found:
        written += [e.stat().st_mtime for e in found if e.name.endswith(".jsonl")]
    newest = max(written)
    heard = max(last, places.utc(written[0] + LATE_SECONDS))
    return places.utc(newest) if places.utc(newest - LATE_SECONDS) > heard else ""


def waiting(app: App, store: OpenStore) -> Iterator[Finding]:
    """What hooks asked for and no worker has done."""
    since = repair.waits_since(app, store)
    if since:
        yield _found(
            "problem",
            "worker",
            "what hooks recorded waits since {time}; `recollect doctor --repair` starts the worker",
            time=since,
        )
    log = f"{places.cache_root(app.env)}/worker.log"
    with suppress(OSError):
        yield _found(
            "note", "worker", "troubles in {path}, {n} bytes", path=log, n=os.path.getsize(log)
        )
