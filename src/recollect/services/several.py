"""Several: what several stores found for one search, with scores as if they were one store.

Promises: where only one store found something, nothing is asked and nothing changes.
Touches: the ports behind the stores it is given.

A word is rare or common in a store; a score of one says nothing beside that of another.
"""

from __future__ import annotations

from recollect.domain.turns import is_turn

TYPE_CHECKING = False  # a short search loads this: as little as can be
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recollect.domain.rank import Candidate
    from recollect.services.opened import OpenStore


def weigh_as_one(
    stores: Sequence[OpenStore], found: Sequence[Sequence[Candidate]], shelf: str
) -> None:
    """Give what each store found (on this shelf, and turns) the scores that it would have in one."""
    if sum(map(bool, found)) < 2:
        return
    for name, is_raw in ((shelf, False), ("raw", True)):
        parts = [[one for one in hits if is_turn(one) is is_raw] for hits in found]
        if sum(map(bool, parts)) > 1:
            _weigh(stores, parts, name)


def _weigh(stores: Sequence[OpenStore], found: Sequence[Sequence[Candidate]], shelf: str) -> None:
    from recollect.domain import bm25  # most searches are of one store

    shelves = []
    for store, hits in zip(stores, found, strict=True):
        standing = store.index.standing(shelf, [one.n for one in hits])
        if standing is None:
            return
        shelves.append(standing)
    own = [{one.n: one.text_score for one in hits} for hits in found]
    for hits, scores in zip(found, bm25.as_one(shelves, own), strict=True):
        for one in hits:
            one.text_score = scores[one.n]
