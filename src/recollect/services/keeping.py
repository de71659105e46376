"""Keeping: how far back a store remembers what was done to it.

Promises: as many changes as a person wants to be able to undo can be undone; of the time before
stays known where each file was last and what it said there, what was moved, and which claims were
ever put into a file. How far back is counted in changes, so that no clock that jumps makes
anything old.
Touches: the ports behind the store it is given.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from recollect.domain.claims.blocks import MARK
from recollect.domain.model import Op
from recollect.named import NamedTuple
from recollect.services.opened import OpenStore
from recollect.services.past import last_stamps


class Needed(NamedTuple):
    """What has to stay in a journal: texts by their stamps, and changes."""

    texts: set[str]
    groups: set[str]


def forget_old_changes(store: OpenStore, most: int) -> int:
    """Forget what was before the newest `most` changes; gives the bytes that became free.

    0 stands for all changes. It waits until half as many again are there, so that not every
    pass costs a look at all of them.
    """
    if not most or _count(store.journal.heads()) <= most + most // 2:
        return 0
    with store.files.locked():
        found = needed(store.journal.ops(), most)
        unfinished, _ = store.journal.unsettled({})
        texts = found.texts | _stamps(unfinished)
        return store.journal.forget(texts, found.groups | {op.group for op in unfinished})


def _count(ops: Iterable[Op]) -> int:
    return len({op.group for op in ops})


def needed(ops: Sequence[Op], most: int) -> Needed:
    """What has to stay, so that the newest `most` changes can be undone."""
    newest = list(dict.fromkeys(op.group for op in ops))[-most:]
    last = {path: op for op in ops for path in (op.path, op.to) if path}
    claims = list(_with_claims(ops))
    moves = (op for op in ops if op.op == "move")
    texts = _stamps(op for op in ops if op.group in newest)
    texts |= {stamp for stamp in last_stamps(ops).values() if stamp}
    texts |= {op.after for op in claims if op.after}
    holders = {op.after: op for op in ops if op.text is not None and op.after in texts}
    kept = (*last.values(), *moves, *claims, *holders.values())
    return Needed(texts, {*newest, *(op.group for op in kept)})


def _stamps(ops: Iterable[Op]) -> set[str]:
    return {stamp for op in ops for stamp in (op.before, op.after) if stamp}


def _with_claims(ops: Sequence[Op]) -> Iterable[Op]:
    """The newest ops with each claim that was ever put into a file.

    What a person took out of a file again is not put in once more, as long as that is known.
    """
    known: set[str] = set()
    for op in reversed(ops):
        if op.text is not None and MARK in op.text:
            lines = {line for line in op.text.split("\n") if MARK in line}
            if lines - known:
                known |= lines
                yield op
