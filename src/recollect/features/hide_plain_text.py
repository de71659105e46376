"""Remove the plain text of encrypted memories from store, cache and briefs.

After a crash the next command finishes it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from recollect.errors import Locked, RecollectError
from recollect.privacy import hiding as service
from recollect.privacy.hiding import Turned
from recollect.store import disk as fsio
from recollect.store.store import OpenStore
from recollect.workspace import Workspace

# A mark in the cache stands from before the first step until after the last, and who takes a plain
# text out holds it as a lock. The journal is cleaned last: it tells what is to be done still, also
# where somebody removed the cache meanwhile.
_MARK = "encrypting"
_LOOKED = "hidden"  # in the index: the journal was looked through since the cache is there


@contextmanager
def hiding(app: Workspace, store: OpenStore) -> Iterator[None]:
    """Take the plain texts of what the block encrypts out of everything that we can reach.

    If that is interrupted, the next command does it.

    Raises:
        Locked: another process is at it.
    """
    path = _mark_of(app, store)
    handle = fsio.take_lock(path, wait_seconds=fsio.LOCK_WAIT_SECONDS)
    if handle is None:
        raise Locked(path=path, seconds=fsio.LOCK_WAIT_SECONDS, who="`recollect encrypt`")
    try:
        fsio.sync_folder(os.path.dirname(path))
        try:
            yield
            if found := list(service.unhidden(store)):
                _take_out(app, store, found)
        finally:
            if not any(service.unhidden(store)):
                fsio.remove(path)
    finally:
        os.close(handle)


def finish_begun(app: Workspace, store: OpenStore) -> None:
    """Do what was interrupted, unless somebody is at it; `store.hidden` gets the ids.

    Raises:
        Locked, StorageFailed: it stays for the next command.
    """
    path = _mark_of(app, store)
    if not os.path.lexists(path):
        if store.index.meta(_LOOKED):
            return
        if not any(service.unhidden(store)):
            with suppress(RecollectError):  # the next command looks again
                store.index.set_meta({_LOOKED: "1"})
            return
    handle = fsio.take_lock(path)
    if handle is None:
        return
    try:
        _finish(app, store)
        fsio.remove(path)
    finally:
        os.close(handle)


def _finish(app: Workspace, store: OpenStore) -> None:
    from recollect.features.purge import purge_session, session_behind

    found = list(service.unhidden(store))
    for turned in found:
        session = session_behind(app, turned.old_id)
        if session:
            purge_session(app, store, session)
    close_sessions(app, store)
    _take_out(app, store, found)
    store.hidden = [turned.id for turned in found]


def _mark_of(app: Workspace, store: OpenStore) -> str:
    return f"{app.cache_of(store.files.root)}/{_MARK}"


def _take_out(app: Workspace, store: OpenStore, turned: Sequence[Turned]) -> None:
    from recollect.features.purge import renew_copies

    store.index.purge()
    renew_copies(app, store)
    for one in turned:
        service.hide(store, one)


def close_sessions(app: Workspace, store: OpenStore) -> None:
    """Encrypt what is kept of sessions in plain, where the settings have it so."""
    from recollect.capture.sealed import SealedCapture

    capture = app.capture(store)
    if isinstance(capture, SealedCapture):
        for one in list(capture.sessions.every()):
            state = capture.sessions.load(one.client, one.session_id)
            if state and state.raw_bytes:
                capture.closed(state)
