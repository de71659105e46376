"""Remove the plain text of encrypted memories from journal, index, cache and briefs.

Promises: until the last step the journal itself says what is still to be removed. After a crash
the next command finishes it.
Touches: the journal of the given store, and a mark in its cache.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress

from recollect._fastimport import NamedTuple
from recollect.errors import RecollectError
from recollect.model.document import FOLDER, files_of
from recollect.model.entries import is_conversation
from recollect.model.memory import Op, is_sealed_path
from recollect.store import disk
from recollect.store.journal import Hidden
from recollect.store.store import OpenStore
from recollect.store.transactions import UNDO
from recollect.workspace import Workspace

ENCRYPT, DECRYPT = "encrypt", "decrypt"  # causes


class ConvertedMemory(NamedTuple):
    """A memory that was encrypted or decrypted: its name and place before and now.

    The raw conversation of a plain one lies beside it.
    """

    old_id: str
    old_path: str
    id: str
    path: str
    title: str
    seq: int = 0  # of its last op, where the journal still has its plain text


def hide(store: OpenStore, done: ConvertedMemory, former: Iterable[str]) -> None:
    """Take what a memory said, its name, its places and its former places out of the journal."""
    with store.files.locked():
        for n, path in enumerate(former):
            place = f"{FOLDER}/{done.id}-before-{n}"
            store.journal.purge(path, Hidden(done.id, place, done.seq))
        # The memory goes last: by its op it is known that this was not done.
        for n, path in reversed(list(enumerate(files_of(done.old_path)))):
            place = f"{FOLDER}/{done.id}" + ("-conversation" if n else "")
            store.journal.purge(path, Hidden(done.id, place, done.seq))


def unhidden(store: OpenStore) -> Iterator[ConvertedMemory]:
    """The memories that are encrypted, but whose plain text is in the journal still.

    They were encrypted, or their decryption was undone, and what came next was not done.
    """
    groups: dict[str, list[Op]] = {}
    for op in store.journal.heads():
        if op.cause in (ENCRYPT, DECRYPT, UNDO):
            groups.setdefault(op.group, []).append(op)
    sealed: dict[str, str] = {}  # by the place where it was plain: the id of the encrypted memory
    for ops in groups.values():
        closed = {op.memory: op.path for op in ops if is_sealed_path(op.path)}
        for op in ops:
            if op.path.startswith(f"{FOLDER}/") or is_conversation(op.path):
                continue  # hidden, or goes with its memory
            if op.cause != UNDO and op.op != "move":
                sealed[op.path] = next(iter(closed), "")
            name = sealed.get(op.path)
            if op.op == "remove" and name in closed:
                yield ConvertedMemory(op.memory, op.path, name, closed[name], "", ops[-1].seq)


# A mark in the cache stands from before the first step until after the last, and who takes a plain
# text out holds it as a lock. The journal is cleaned last: it tells what is to be done still, also
# where somebody removed the cache meanwhile.
_MARK = "encrypting"
_CHECKED = "hidden"  # in the index: the journal was looked through since the cache is there


@contextmanager
def hiding(app: Workspace, store: OpenStore) -> Iterator[None]:
    """Take the plain texts of what the block encrypts out of everything that we can reach.

    If that is interrupted, the next command does it.

    Raises:
        Locked: another process is at it.
    """
    path = _mark_of(app, store)
    with disk.lock(path, who="`recollect key encrypt`"):
        disk.sync_folder(os.path.dirname(path))
        try:
            with store.one_change():
                yield
                if found := list(unhidden(store)):
                    _take_out(app, store, found)
        finally:
            if not any(unhidden(store)):
                disk.remove(path)


def finish_begun(app: Workspace, store: OpenStore) -> None:
    """Do what was interrupted, unless somebody is at it; `store.hidden` gets the ids.

    Raises:
        Locked, StorageFailed: it stays for the next command.
    """
    path = _mark_of(app, store)
    if not os.path.lexists(path):
        if store.index.meta(_CHECKED):
            return
        if not any(unhidden(store)):
            with suppress(RecollectError):  # the next command looks again
                store.index.set_meta({_CHECKED: "1"})
            return
    with disk.held(path) as is_held:
        if not is_held:
            return
        from recollect.privacy.purge import purge_session, session_behind

        found = list(unhidden(store))
        for turned in found:
            if session := session_behind(app, turned.old_id):
                purge_session(app, store, session)
        app.seal_sessions(store)
        _take_out(app, store, found)
        store.hidden = [turned.id for turned in found]
        disk.remove(path)


def _mark_of(app: Workspace, store: OpenStore) -> str:
    return f"{app.cache_of(store.root)}/{_MARK}"


def _take_out(app: Workspace, store: OpenStore, turned: Sequence[ConvertedMemory]) -> None:
    from recollect.privacy.purge import purge_elsewhere, renew_copies, wordings_of

    wordings = wordings_of(store, ((one.old_id, one.old_path) for one in turned))
    names = [Hidden(one.id, f"{FOLDER}/{one.id}-elsewhere", one.seq) for one in turned]
    purge_elsewhere(app, store, dict(zip(wordings, names, strict=True)))
    store.index.purge()
    renew_copies(app, store)
    for one, wording in zip(turned, wordings, strict=True):
        hide(store, one, wording.former)
