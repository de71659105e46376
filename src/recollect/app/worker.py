"""App: the worker, a short-lived process that hooks start to capture and to publish.

Promises: never more than one for a store; gone when there is nothing left to do; what is asked
for while it works is done before it goes.
Touches: the store, its cache, the transcripts that the hooks named.
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from recollect import fsio
from recollect.app.publishing import publish_all
from recollect.app.wiring import App
from recollect.errors import RecollectError
from recollect.hooks import places
from recollect.services.capture import Capture
from recollect.services.opened import OpenStore

LONGEST_SECONDS = 600
MOST_PASSES = 20
IDLE_HOURS = 6.0
SWEEP_HOURS = 1.0


class Session(NamedTuple):
    """What the signals say of a session."""

    client: str
    session: str
    transcript: str
    folder: str
    over: bool


def work(root: str) -> int:
    """Do what the hooks of a store asked for; gives the number of passes."""
    signal.alarm(LONGEST_SECONDS)  # a worker that hangs must not stay
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
                    _one_pass(root)
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


def _one_pass(root: str) -> None:
    app = App(os.path.dirname(root))
    scope = "global" if root == places.global_root(app.env) else "project"
    app.roots = _roots(app, root, scope)
    try:
        store = app.opened(root, scope)
        projects = capture_signalled(app, store) if store.settings.capture else []
        publish_all(app, store, tuple(projects))
    finally:
        app.close()


def _roots(app: App, root: str, scope: str) -> dict[str, str]:
    home = places.global_root(app.env)
    found = {scope: root}
    if scope == "project" and os.path.isdir(home):
        found["global"] = home
    return found


def capture_signalled(app: App, store: OpenStore) -> list[str]:
    """Capture every session that signals speak of; gives the projects without a store."""
    offsets = _offsets(store)
    capture = app.capture(store)
    projects: dict[str, None] = {}
    ends: dict[str, int] = {}
    for name, found in _signalled(store, offsets, ends):
        project = ""
        if store.scope == "global":
            project = places.main_work_tree(found.folder) or found.folder
            projects[project] = None
        if not found.transcript:
            continue
        reader = app.readers().get(found.client)
        if reader is None:
            continue
        transcript = reader.moved(found.transcript)
        try:
            capture.take_in(found.client, transcript, over=found.over, project=project)
        except RecollectError as error:
            _complain(app, f"{transcript}: {error}")
            ends.pop(name, None)  # to be tried again
    _sweep(app, store, capture)
    store.index.set_meta({"signals": json.dumps(offsets | ends)})
    return list(projects)


def _offsets(store: OpenStore) -> dict[str, int]:
    try:
        found = json.loads(store.index.meta("signals") or "{}")
    except ValueError:
        return {}
    return {str(k): int(v) for k, v in found.items()} if isinstance(found, dict) else {}


def _signalled(
    store: OpenStore, offsets: dict[str, int], ends: dict[str, int]
) -> Iterator[tuple[str, Session]]:
    """The sessions with new signals, by journal file; `ends` gets how far each was read."""
    for name, size in sorted(store.journal.files().items()):
        start = offsets.get(name, 0)
        if name.startswith("ops-") or size == start:
            continue
        last: dict[str, str] = {}
        end = start
        for line in store.journal.lines(name, start if start < size else 0):
            end = line.end
            if line.data.get("op") == "signal":
                last |= {key: str(value) for key, value in line.data.items() if value}
        ends[name] = end
        if last:
            yield (
                name,
                Session(
                    last.get("client", ""),
                    last.get("session", ""),
                    last.get("transcript", ""),
                    last.get("folder", ""),
                    last.get("event") == "session-end",
                ),
            )


def _sweep(app: App, store: OpenStore, capture: Capture) -> None:
    """Make memories of sessions that ended without saying so, now and then."""
    hour_ago = places.utc(app.started_ns / 1e9 - SWEEP_HOURS * 3600)
    if store.index.meta("swept") > hour_ago:
        return
    store.index.set_meta({"swept": app.now})
    idle_since = places.utc(app.started_ns / 1e9 - IDLE_HOURS * 3600)
    for state in list(app.sessions(store).every()):
        if state.status == "active" and state.last_updated < idle_since:
            for transcript in list(state.sources):
                with suppress(RecollectError):
                    capture.take_in(state.client, transcript, over=True, project=state.project)


def _complain(app: App, text: str) -> None:
    base = places.cache_root(app.env)
    with suppress(RecollectError):
        line = f"{app.now} worker {' '.join(text.split())[:300]}\n"
        fsio.append_durably(f"{base}/worker.log", line.encode("utf-8", "replace"), sync=False)
