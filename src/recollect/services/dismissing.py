"""Dismissing: what a person does not want to be proposed again, and taking that back.

Promises: each decision is one change of the journal and can be undone.
Touches: the ports behind the store it is given.
"""

from __future__ import annotations

from recollect.domain import dismissed
from recollect.domain.dismissed import FILE, Pair
from recollect.domain.model import Change
from recollect.services.opened import OpenStore


def pairs(store: OpenStore) -> frozenset[Pair]:
    """What is not proposed any more."""
    return dismissed.dismissed_in(_read(store)[0])


def decide(
    store: OpenStore, what: str, name: str, other: str, *, again: bool, dry_run: bool
) -> bool:
    """Dismiss the proposal of these two memories, or allow it `again`; whether that is new.

    Raises:
        MemoryNotFound: there is no such memory.
    """
    pair = dismissed.pair_of(what, store.require(name).id, store.require(other).id)

    def plan() -> list[Change]:
        old, stamp = _read(store)
        new = dismissed.without_pair(old, pair)
        if not again:
            new = dismissed.with_pair(old, pair, store.now)
        return [] if new == old else [Change("put", FILE, "", stamp, new)]

    if dry_run:
        return bool(plan())
    return bool(store.commit(plan, cause=f"{what}/{'again' if again else 'dismiss'}", tries=3))


def _read(store: OpenStore) -> tuple[str, str | None]:
    if not store.files.exists(FILE):
        return "", None
    document = store.files.read(FILE)
    return document.text, document.stamp
