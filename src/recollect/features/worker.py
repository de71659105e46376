"""The worker: a short-lived process that captures and consolidates.

At most one per store; it exits when nothing is left to do. Requests that arrive meanwhile are
handled before it exits. An error in one session does not stop the others.
"""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress

from recollect.capture.capture import Capture
from recollect.errors import Locked, RecollectError
from recollect.features import signals
from recollect.features.publish import keep_late, publish_all
from recollect.store import disk as fsio
from recollect.store import locations as places
from recollect.store.background import mark_pending, process_at
from recollect.store.store import OpenStore
from recollect.text.redact import redact
from recollect.workspace import App

LONGEST_SECONDS = 600
MOST_PASSES = 20
IDLE_HOURS = 6.0
RESTING_SECONDS = 1800  # of a transcript whose client nobody knows
SWEEP_HOURS = 1.0
NICE = 10  # nobody waits for vectors
LARGEST_LOG = 256 * 1024
# Copilot writes the last lines of a transcript, or all of a short one, up to a tenth of a second
# behind its hooks.
LATE_SECONDS = (0.4, 0.8)

# Of sessions that are over, by journal file: the transcript, and how it looked as it was read.
Ended = dict[str, tuple[str, tuple[int, ...]]]


def main(root: str) -> None:
    """Be the worker of a store: what goes wrong is in the log, there is nobody to tell."""
    signal.alarm(LONGEST_SECONDS)  # a worker that hangs must not stay
    ended: Ended = {}
    try:
        work(root, ended)
        take_late(root, ended)
        # Not as part of the work that a hook may be waiting for; a kill does no harm to it.
        bring_into_order(root)
        make_vectors(root)
    except Exception as error:  # noqa: BLE001 - whatever it is
        _complain(places.cache_root(dict(os.environ)), root, error)


def work(root: str, ended: Ended | None = None) -> int:
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


def _one_pass(root: str, ended: Ended | None) -> None:
    if not os.path.isdir(root):
        return  # somebody took the store away since: it is not made again
    app, scope = _app_of(root)
    try:
        store = app.opened(root, scope)
        take_signals(app, store, ended)
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
        _complain(places.cache_root(app.env), store.files.root, error)


def _fold_signals(app: App, store: OpenStore) -> None:
    """Put together what hooks left long ago."""
    try:
        signals.fold_old(app, store)
    except RecollectError as error:  # the next pass ends it
        _complain(places.cache_root(app.env), store.journal.writer, error)


def take_late(root: str, ended: Ended) -> None:
    """Hear once more of sessions whose transcripts went on behind their end, without any lock.

    A client that writes the last lines when its hooks have run gives no other signal of them.
    """
    for pause in LATE_SECONDS:
        if not ended:
            return
        time.sleep(pause)
        late = [name for name, (path, look) in ended.items() if _look_of(path) != look]
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


def _look_of(path: str) -> tuple[int, ...]:
    """What changes when a file is made or written; nothing if it is not there."""
    try:
        info = os.stat(path)
    except OSError:
        return ()
    return info.st_ino, info.st_size, info.st_mtime_ns


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


def take_signals(app: App, store: OpenStore, ended: Ended | None = None) -> None:
    """Capture every session that signals speak of; `ended` gets those that are over."""
    capture = app.capture(store)
    ends: dict[str, int] = {}
    starting: list[str] = []
    for name, found in signals.new_in(store, ends):
        if found.starts and not found.over:
            starting.append(name)
        reader = app.readers().get(found.client)
        if reader is None or not found.transcript or not store.settings.capture:
            continue
        transcript = reader.moved(found.transcript)
        if ended is not None and found.over:
            ended[name] = transcript, _look_of(transcript)  # before it is read
        try:
            capture.take_in(found.client, transcript, over=found.over)
        except Exception as error:  # noqa: BLE001 - the other sessions have to go on
            _complain(places.cache_root(app.env), transcript, error)
            ends.pop(name, None)  # to be tried again
    if store.settings.capture:
        _end_unheard(app, store, capture, starting)
        _sweep(app, store, capture)
    signals.remember(store, ends)


def _end_unheard(app: App, store: OpenStore, capture: Capture, starting: list[str]) -> None:
    """End the sessions whose clients are gone, for those that begin: these are told of them.

    One whose client nobody knows counts as ended when its transcript rests. Whatever goes on after
    all is taken up again.
    """
    done: list[str] = []
    told = starting
    for name, found in signals.every(store) if starting else ():
        reader = app.readers().get(found.client)
        if reader is None or not found.transcript:
            continue
        transcript = reader.moved(found.transcript)
        state = app.sessions(store).load(found.client, found.session)
        if (state and state.status != "active") or not _is_gone(app, found.process, transcript):
            continue
        told = [one for one in told if one != name]
        try:
            taken = capture.take_in(found.client, transcript, over=True)
        except Exception as error:  # noqa: BLE001 - the other sessions have to go on
            _complain(places.cache_root(app.env), transcript, error)
            continue
        if taken.what in ("created", "changed"):
            done.append(taken.memory)
    if done:
        keep_late(app, store, done, told)


def _is_gone(app: App, process: str, transcript: str) -> bool:
    """Whether the client of a session has ended, and left something to hear."""
    look = _look_of(transcript)
    if not look:
        return False
    pid, _, began = process.partition(":")
    if began and process_at(str(os.getpid()))[2]:  # else the system does not tell
        return process_at(pid)[2] != began
    return look[2] < app.started_ns - RESTING_SECONDS * 10**9


def _sweep(app: App, store: OpenStore, capture: Capture) -> None:
    """Make memories of sessions that ended without saying so, now and then."""
    hour_ago = places.utc(app.started_ns / 1e9 - SWEEP_HOURS * 3600)
    if hour_ago < store.index.meta("swept") <= app.now:  # else a clock was wrong for a while
        return
    store.index.set_meta({"swept": app.now})
    idle_since = places.utc(app.started_ns / 1e9 - IDLE_HOURS * 3600)
    for state in list(app.sessions(store).every()):
        if state.status != "active" or state.last_updated >= idle_since:
            continue
        for transcript in list(state.sources):
            try:
                capture.take_in(state.client, transcript, over=True)
            except Exception as error:  # noqa: BLE001 - the other sessions have to go on
                _complain(places.cache_root(app.env), transcript, error)


def _complain(base: str, about: str, error: Exception) -> None:
    trace, where = error.__traceback__, ""
    while trace:
        where = f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}"
        trace = trace.tb_next
    text = redact(f"{about}: {type(error).__name__} at {where}: {error}")
    line = f"{places.utc(time.time())} worker {' '.join(text.split())[:400]}\n"
    with suppress(RecollectError):
        path = f"{base}/worker.log"
        if os.path.exists(path) and os.path.getsize(path) > LARGEST_LOG:
            fsio.truncate(path, 0)
        fsio.append_durably(path, line.encode("utf-8", "replace"), sync=False)
