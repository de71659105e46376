"""Sensing: what is near a cue in meaning, beside what has its words.

Promises: without an embedder, for a cue in a script that it does not know, or when it fails,
everything is as it was found by words; each shelf is compared with itself.
Touches: the ports behind the store it is given.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.domain import meaning, talk
from recollect.domain.model import Filter, Problem
from recollect.domain.rank import Candidate, Cue
from recollect.errors import RecollectError
from recollect.ports import Embedder
from recollect.services.opened import EMBEDDER, OpenStore

MOST_NEAR = 40
MOST_NEAR_TURNS = 100
NEAR_ENOUGH = (
    0.3  # a cosine from which on a section is worth a look though it has no word of the cue
)
NEAR_ENOUGH_TURN = 0.15  # a turn is short, and says little by itself


def take_meant(store: OpenStore, cue: Cue, found: list[Candidate], only: Filter) -> None:
    """Add to what was found by words what is near in meaning, and say of all of it how near it is."""
    embedder = store.embedder()
    if embedder is None or (embedder.is_english and meaning.is_foreign(cue.text)):
        return
    try:
        turns = [one for one in found if talk.is_turn(one)]
        others = [one for one in found if not talk.is_turn(one)]
        shelf = "cold" if only.archived else "hot"
        found += _near(store, embedder, cue.text, others, shelf=shelf, only=only)
        found += _near(store, embedder, cue.text, turns, shelf="raw", only=only)
    except RecollectError as error:
        problem = Problem(EMBEDDER, str(error))
        if problem not in store.problems:
            store.problems.append(problem)


def _near(
    store: OpenStore,
    embedder: Embedder,
    text: str,
    have: Sequence[Candidate],
    *,
    shelf: str,
    only: Filter,
) -> list[Candidate]:
    """Those of a shelf that are near and were not found yet; all get to know how near they are."""
    is_talk = shelf == "raw"
    if is_talk:
        text = meaning.as_oneself(text, {talk.speaker_of(one.text) for one in have})
    if embedder.identity != store.index.vectors.identity():
        return []
    most, enough = (MOST_NEAR_TURNS, NEAR_ENOUGH_TURN) if is_talk else (MOST_NEAR, NEAR_ENOUGH)
    near = store.index.vectors.near(embedder.identity, embedder.cue(text), shelf, most)
    if near is None:
        return []
    known = {one.n for one in have}
    wanted = [n for n, cosine in near.best if cosine >= enough and n not in known]
    more = store.index.of_sections(wanted, only=only, shelf=shelf)
    cosines = near.of([*known, *wanted])
    for one in [*have, *more]:
        if one.n in cosines:
            one.meaning = meaning.above_mean(cosines[one.n], near.mean, near.highest)
    return more
