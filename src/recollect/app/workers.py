"""App: the worker of a store, asked to come, or kept away while we do its work ourselves.

Promises: it has the environment that this app was given, so that it finds the same cache; who
asks again and again starts it once; no process that ended stays in the table of a program that
goes on.
Touches: the mark `pending` and the worker's lock in the cache; the processes it starts.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from recollect import fsio
from recollect.app.wiring import App
from recollect.errors import Locked
from recollect.hooks import program
from recollect.services.opened import OpenStore

ASK_AGAIN_SECONDS = 5.0  # who was asked longer ago than this, and has not begun, may be dead
LOCK_WAIT_SECONDS = 30


def ask(app: App, store: OpenStore) -> None:
    """Leave word that there is work, and start the worker unless it was asked just now."""
    cache = app.cache_of(store.files.root)
    with suppress(OSError):
        if os.path.getmtime(f"{cache}/pending") > app.started_ns / 1e9 - ASK_AGAIN_SECONDS:
            return
    program.mark_pending(cache)
    start(app, store)


def start(app: App, store: OpenStore) -> None:
    """Start the worker, which goes away again if there is one, or nothing to do."""
    app.reap()
    app.workers.append(program.start_worker(store.files.root, app.env))


def go_on(app: App, store: OpenStore) -> None:
    """Start the worker if it was asked for and has not come, or not finished.

    Who asks for it leaves a mark first, and may end before there is a worker: a hook at its
    deadline, a worker that was killed.
    """
    if program.is_pending(app.cache_of(store.files.root)):
        start(app, store)


@contextmanager
def kept_away(app: App, store: OpenStore) -> Iterator[None]:
    """Keep the worker away, and let it do afterwards what it was asked for meanwhile.

    Raises:
        Locked: it has been at work for too long.
    """
    path = f"{app.cache_of(store.files.root)}/worker.lock"
    handle = fsio.take_lock(path, wait_seconds=LOCK_WAIT_SECONDS)
    if handle is None:
        raise Locked(path=path, seconds=LOCK_WAIT_SECONDS, who="its worker")
    try:
        yield
    finally:
        os.close(handle)
        go_on(app, store)
