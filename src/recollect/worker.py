"""The worker: a short-lived process that captures and consolidates.

At most one per store; it exits when nothing is left to do. Requests that arrive meanwhile are
handled before it exits. An error in one session does not stop the others.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress

from recollect.app import App
from recollect.capture import signals
from recollect.errors import Locked, RecollectError
from recollect.search.index import SqliteIndex
from recollect.store import background, disk, locations
from recollect.store.store import OpenStore
from recollect.workspace import sessionless_env

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
        read_by_model(root)
        consolidate_if_due(root)
        make_vectors(root)
    except Exception as error:  # noqa: BLE001 - whatever it is
        signals.log_error(locations.cache_root(dict(os.environ)), root, error)


def work(root: str, ended: signals.Ended | None = None) -> int:
    """Do what the hooks of a store asked for; gives the number of passes.

    `ended` gets the sessions that are over.
    """
    cache = App(os.path.dirname(root)).cache_of(root)
    passes = 0
    while passes < MOST_PASSES:
        with disk.held(f"{cache}/worker.lock") as is_held:
            if not is_held:
                return passes  # the one who has it looks again before it goes
            while passes < MOST_PASSES and _take_mark(cache):
                passes += 1
                try:
                    _one_pass(root, ended)
                finally:
                    disk.remove(f"{cache}/working")
        # Somebody may have asked between our last look and the end of the lock.
        if not os.path.exists(f"{cache}/pending"):
            return passes
    return passes


def _take_mark(cache: str) -> bool:
    """Turn the mark `pending` into `working`; False if nobody asked for anything."""
    try:
        os.path.getmtime(f"{cache}/pending")
    except OSError:
        disk.remove(f"{cache}/working")
        return False
    disk.replace_name(f"{cache}/pending", f"{cache}/working")
    return True


def _one_pass(root: str, ended: signals.Ended | None) -> None:
    if not os.path.isdir(root):
        return  # somebody took the store away since: it is not made again
    with _app_of(root) as (app, scope):
        store = app.opened(root, scope)
        with store.one_change():
            signals.take_signals(app, store, ended)
            _keep_auto_memory(app, store)
            app.publish(store)
        try:
            signals.compact_old(app, store)
        except RecollectError as error:  # the next pass ends it
            signals.log_error(locations.cache_root(app.env), store.journal.writer, error)


def _keep_auto_memory(app: App, store: OpenStore) -> None:
    """Take in what a client noted by itself."""
    from recollect.features import auto_memory

    try:
        auto_memory.keep(app, store)
    except Exception as error:  # noqa: BLE001 - the rest has to go on
        signals.log_error(locations.cache_root(app.env), store.root, error)


def take_late(root: str, ended: signals.Ended) -> None:
    """Hear once more of sessions whose transcripts went on behind their end, without any lock.

    A client that writes the last lines when its hooks have run gives no other signal of them.
    """
    for pause in LATE_SECONDS:
        if not ended:
            return
        time.sleep(pause)
        late = [name for name, (path, look) in ended.items() if signals.file_look(path) != look]
        ended.clear()
        if late and os.path.isdir(root):
            with _app_of(root) as (app, scope):
                signals.read_again(app.opened(root, scope), late)
            background.mark_pending(app.cache_of(root))
            work(root, ended)


def consolidate_if_due(root: str) -> bool:
    """Consolidate a store if it is due: once a day, or when many episodes are new.

    What is older than a month is put away once a day.
    """
    if not os.path.isdir(root):
        return False
    with _app_of(root) as (app, scope), suppress(Locked):  # by another pass that is under way
        # The index alone: the pass before this has just read the files.
        with closing(SqliteIndex(app.cache_of(root))) as index:
            is_compressed = index.meta(background.COMPRESSED) == app.now[:10]
            if is_compressed and not background.must_consolidate(index, app.now):
                return False
        from recollect.features import lifecycle, session_archive  # 30 ms, once a day
        from recollect.store.history import clean_up

        store = app.opened(root, scope)
        clean_up(store, app.cache_of(root))
        is_done = lifecycle.consolidate_if_due(app, store)
        return session_archive.compress_if_due(app, store) or is_done
    return False


def read_by_model(root: str) -> int:
    """Have a model read the sessions that are over, if the person has set one; gives how many."""
    if not os.path.isdir(root):
        return 0
    with _app_of(root) as (app, scope):
        try:
            name = app.settings(root).model
            if not name:
                return 0
            from recollect.features import models  # few have one

            asker = models.Asker(app, app.opened(root, scope), lambda: app.extractor(name))
            # An answer takes its time: this process may outlive each one, and not by much.
            longest = LONGEST_SECONDS + int(models.SECONDS + models.LOCK_SECONDS)
            return len(models.read_sessions(asker, lambda: signal.alarm(longest)))
        except Exception as error:  # noqa: BLE001 - what comes after it has to go on
            signals.log_error(locations.cache_root(app.env), root, error)
            return 0


def make_vectors(root: str) -> int:
    """Compute the vectors that a store lacks, if there is something to compute them with."""
    from recollect.features import embedding

    if not os.path.isdir(root) or not os.path.isdir(embedding.folder_of(dict(os.environ))):
        return 0
    with suppress(OSError):
        os.nice(NICE)
    with _app_of(root) as (app, scope):
        return embedding.keep_up(app, app.opened(root, scope))


@contextmanager
def _app_of(root: str) -> Iterator[tuple[App, str]]:
    """Everything for the store at `root`, and its scope; closed after the block."""
    folder = locations.project_of_store(root) or os.path.dirname(root)
    app = App(folder, sessionless_env(os.environ))
    app.is_worker = True
    home = locations.global_root(app.env)
    scope = "global" if root == home else "project"
    app.roots = {scope: root}
    if scope == "project" and os.path.isdir(home):
        app.roots["global"] = home
    with closing(app):
        yield app, scope
