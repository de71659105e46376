"""Pruning: moving into the archive what a person's policy says is past its use.

Promises: nothing is deleted; each memory is a change of its own, undone by itself; what was brought
back, by undo or from the archive, is not taken again.
Touches: the ports behind the store it is given.
"""

from __future__ import annotations

from functools import partial

from recollect.domain import pruning
from recollect.domain.model import Change, Entry, Filter
from recollect.domain.names import is_sealed_path
from recollect.domain.pointers import FILE as PINS
from recollect.domain.pointers import pointers_in
from recollect.domain.pruning import Due, Policy
from recollect.domain.weighing import OWN_CAUSES, uses_of
from recollect.errors import ChangedMeanwhile, FileNotThere
from recollect.services.consolidate.applying import moves
from recollect.services.consolidate.archiving import BACK
from recollect.services.consolidate.gathering import undone
from recollect.services.opened import OpenStore
from recollect.services.refresh import refresh

CAUSE = "prune"
MOST_SHARE = 10  # percent of a store that go unasked


def due(store: OpenStore) -> list[Due]:
    """What may go by the policy of this store, the oldest first."""
    policy = policy_of(store)
    if not any(policy):
        return []
    ops = store.journal.heads()
    gone = undone(ops)
    kept = {op.memory for op in ops if op.cause == CAUSE and op.group in gone}
    kept |= {op.memory for op in ops if op.cause == BACK} | _pinned(store)
    last = {name: use.last for name, use in uses_of(store.journal.hot("inject"), store.now).items()}
    for op in ops:
        if op.cause.split("/")[0] not in OWN_CAUSES:
            last[op.memory] = max(op.time, last.get(op.memory, ""))
    # Nobody can tell whether an encrypted memory is needed.
    entries = [e for e in store.index.entries(Filter()) if not is_sealed_path(e.path)]
    return pruning.due(entries, last, policy, store.now, kept)


def policy_of(store: OpenStore) -> Policy:
    """After how many days what may go."""
    chosen = store.settings
    return Policy(chosen.prune_superseded, chosen.prune_resolved, chosen.prune_unused)


def prune(store: OpenStore, *, unasked: bool = False) -> list[Due]:
    """Move what may go into the archive; gives what went.

    Too much is not done `unasked`: then nothing goes.
    """
    found = due(store)
    if unasked and is_too_much(store, len(found)):
        return []
    done = [one for one in found if _moved(store, one.entry)]
    if done:
        refresh(store.files, store.index, store.now_ns)
    return done


def is_too_much(store: OpenStore, many: int) -> bool:
    """Whether that many memories are more than may go unasked; one always may."""
    return many > 1 and many * 100 > store.index.counts()["memories"] * MOST_SHARE


def _pinned(store: OpenStore) -> set[str]:
    if not store.files.exists(PINS):
        return set()
    return {one.id.partition("#")[0] for one in pointers_in(store.files.read(PINS).text)}


def _moved(store: OpenStore, entry: Entry) -> bool:
    try:
        return bool(store.ledger.commit(partial(_changes, store, entry), cause=CAUSE))
    except (ChangedMeanwhile, FileNotThere):
        return False  # somebody is at it


def _changes(store: OpenStore, entry: Entry) -> list[Change]:
    if store.files.stamp(entry.path) != entry.stamp:
        raise ChangedMeanwhile(path=entry.path)
    return moves(store, entry.id, entry.path, f"archive/{entry.path}")
