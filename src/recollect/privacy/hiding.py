"""Remove the plain text of encrypted memories from the journal.

Promises: until the last step the journal itself says what is still to be removed.
Touches: the journal of the given store.
"""

from __future__ import annotations

from collections.abc import Iterator

from recollect._fastimport import NamedTuple
from recollect.model.document import FOLDER, files_of
from recollect.model.entries import is_conversation
from recollect.model.memory import Op, is_sealed_path
from recollect.ports import Hidden
from recollect.store.store import OpenStore
from recollect.store.transactions import UNDO

ENCRYPT, DECRYPT = "encrypt", "decrypt"  # causes


class Turned(NamedTuple):
    """A memory that was encrypted or decrypted: its name and place before and now.

    The raw conversation of a plain one lies beside it.
    """

    old_id: str
    old_path: str
    id: str
    path: str
    title: str
    seq: int = 0  # of the last op of it, 0 if nothing was written


def hide(store: OpenStore, done: Turned) -> None:
    """Take what a memory said, its name and its places out of the journal."""
    with store.files.locked():
        # The memory goes last: by its op it is known that this was not done.
        for n, path in reversed(list(enumerate(files_of(done.old_path)))):
            place = f"{FOLDER}/{done.id}" + ("-conversation" if n else "")
            store.journal.purge(path, Hidden(done.id, place, done.seq))


def unhidden(store: OpenStore) -> Iterator[Turned]:
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
                yield Turned(op.memory, op.path, name, closed[name], "", ops[-1].seq)
