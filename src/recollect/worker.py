"""The worker: a short-lived process that captures and consolidates.

At most one per store; it exits when nothing is left to do. Requests that arrive meanwhile are
handled before it exits. An error in one session does not stop the others.
"""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress

from recollect.app import App
from recollect.errors import Locked, RecollectError
from recollect.features import signals
from recollect.features.publish import publish_all
from recollect.store import disk as fsio
from recollect.store import locations as places
from recollect.store.background import mark_pending
from recollect.store.store import OpenStore

LONGEST_SECONDS = 600
MOST_PASSES = 20
NICE = 10  # nobody waits for vectors
# Copilot writes the last lines of a transcript, or all of a short one, up to a tenth of a second
# behind its hooks.
LATE_SECONDS = (0.4, 0.8)


def main(root: str) -> None:
    """Be the worker of a store: what goes wrong is in the log, there is nobody to tell."""
    signal.alarm(LONGEST_SECONDS)  # a worker that hangs must not stay
    ended: signals.Ended = {}
    try:
        work(root, ended)
        take_late(root, ended)
        # Not as part of the work that a hook may be waiting for; a kill does no harm to it.
        bring_into_order(root)
        make_vectors(root)
    except Exception as error:  # noqa: BLE001 - whatever it is
        signals.complain(places.cache_root(dict(os.environ)), root, error)


def work(root: str, ended: signals.Ended | None = None) -> int:
    """Do what the hooks of a store asked for; gives the number of passes.

    `ended` gets the sessions that are over.
    """
    cache = App(os.path.dirname(root)).cache_of(root)
    passes = 0
    while passes < MOST_PASSES:
        handle = fsio.take_lock(f"{cache}/worker.lock")
        if handle is None:
            return passes  # the one who has it looks again before it goes
        try:
            while passes < MOST_PASSES and _take_mark(cache):
                passes += 1
                try:
                    _one_pass(root, ended)
                finally:
                    fsio.remove(f"{cache}/working")
        finally:
            os.close(handle)
        # Somebody may have asked between our last look and the end of the lock.
        if not os.path.exists(f"{cache}/pending"):
            return passes
    return passes


def _take_mark(cache: str) -> bool:
    """Turn the mark `pending` into `working`; False if nobody asked for anything."""
    try:
        os.path.getmtime(f"{cache}/pending")
    except OSError:
        fsio.remove(f"{cache}/working")
        return False
    fsio.replace_name(f"{cache}/pending", f"{cache}/working")
    return True


def _one_pass(root: str, ended: signals.Ended | None) -> None:
    if not os.path.isdir(root):
        return  # somebody took the store away since: it is not made again
    app, scope = _app_of(root)
    try:
        store = app.opened(root, scope)
        signals.take(app, store, ended)
        _keep_auto_memory(app, store)
        publish_all(app, store)
        _fold_signals(app, store)
    finally:
        app.close()


def _keep_auto_memory(app: App, store: OpenStore) -> None:
    """Take in what a client noted by itself."""
    from recollect.features import auto_memory as automemory

    try:
        automemory.keep(app, store)
    except Exception as error:  # noqa: BLE001 - the rest has to go on
        signals.complain(places.cache_root(app.env), store.files.root, error)


def _fold_signals(app: App, store: OpenStore) -> None:
    """Put together what hooks left long ago."""
    try:
        signals.fold_old(app, store)
    except RecollectError as error:  # the next pass ends it
        signals.complain(places.cache_root(app.env), store.journal.writer, error)


def take_late(root: str, ended: signals.Ended) -> None:
    """Hear once more of sessions whose transcripts went on behind their end, without any lock.

    A client that writes the last lines when its hooks have run gives no other signal of them.
    """
    for pause in LATE_SECONDS:
        if not ended:
            return
        time.sleep(pause)
        late = [name for name, (path, look) in ended.items() if signals.look_of(path) != look]
        ended.clear()
        if late and os.path.isdir(root):
            _ask_again(root, late)
            work(root, ended)


def _ask_again(root: str, names: list[str]) -> None:
    app, scope = _app_of(root)
    try:
        signals.hear_again(app.opened(root, scope), names)
    finally:
        app.close()
    mark_pending(app.cache_of(root))


def bring_into_order(root: str) -> bool:
    """Consolidate a store if it is due: once a day, or when many episodes are new.

    What is older than a month is put away once a day.
    """
    from recollect.features import repair

    if not os.path.isdir(root):
        return False
    app, scope = _app_of(root)
    try:
        store = app.opened(root, scope)
        repair.keep_house(app, store)
        is_compressed = store.index.meta(repair.COMPRESSED) == app.now[:10]
        if is_compressed and not repair.must_consolidate(app, store):
            return False
        from recollect.features import lifecycle, session_archive  # 30 ms, once a day

        is_done = lifecycle.consolidate_if_due(app, store)
        return session_archive.compress_if_due(app, store) or is_done
    except Locked:
        return False  # another pass is under way
    finally:
        app.close()


def make_vectors(root: str) -> int:
    """Compute the vectors that a store lacks, if there is something to compute them with."""
    from recollect.features import embedding

    if not os.path.isdir(root) or not os.path.isdir(embedding.folder_of(dict(os.environ))):
        return 0
    app, scope = _app_of(root)
    with suppress(OSError):
        os.nice(NICE)
    try:
        return embedding.keep_up(app, app.opened(root, scope))
    finally:
        app.close()


def _app_of(root: str) -> tuple[App, str]:
    """Everything for the store at `root`, and its scope."""
    app = App(places.project_of_store(root) or os.path.dirname(root))
    home = places.global_root(app.env)
    scope = "global" if root == home else "project"
    app.roots = {scope: root}
    if scope == "project" and os.path.isdir(home):
        app.roots["global"] = home
    return app, scope
