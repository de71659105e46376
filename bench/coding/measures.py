"""What is measured of the answers to cues.

Promises: pure arithmetic. nDCG takes the grades as gains (2 answers, 1 helps), as in Järvelin &
Kekäläinen (2002).
Touches: nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from bench.coding.data import Cue, World

SILENT = ("nothing", "near", "foreign")  # classes of cues that no memory answers


class Answer(NamedTuple):
    """What a system found when it was asked, and what it would give an agent unasked."""

    found: Sequence[str]
    given: Sequence[str]
    tokens: int


class Row(NamedTuple):
    """A cue with its answer."""

    cue: Cue
    answer: Answer


def ndcg(row: Row, k: int = 10) -> float:
    """How early the good ones come, against the best order."""
    gains = [row.cue.grade(one) for one in row.answer.found[:k]]
    best = ([2] * len(row.cue.want) + [1] * len(row.cue.also))[:k]
    return _discounted(gains) / _discounted(best)


def _discounted(gains: Iterable[int]) -> float:
    return sum(gain / math.log2(n + 2) for n, gain in enumerate(gains))


def hit(row: Row, k: int) -> bool:
    """Whether one of the first `k` answers the cue."""
    return not set(row.cue.want).isdisjoint(row.answer.found[:k])


def is_given(row: Row) -> bool:
    """Whether one that answers the cue is given unasked."""
    return not set(row.cue.want).isdisjoint(row.answer.given)


def is_stale(cue: Cue, shown: Sequence[str]) -> bool:
    """Whether something superseded comes before what replaced it, or without it."""
    places = [shown.index(one) for one in cue.want if one in shown]
    first = min(places, default=len(shown))
    return any(one in cue.under for one in shown[:first])


def foreigners(world: World, row: Row) -> set[str]:
    """Memories of other projects that came all the same."""
    shown = [*row.answer.found, *row.answer.given]
    return {one for one in shown if world.memories[one].project not in ("", row.cue.project)}


def mean(values: Iterable[float]) -> float:
    """The mean; of nothing, 0."""
    several = list(values)
    return sum(several) / len(several) if several else 0.0


def searched(rows: Sequence[Row]) -> dict[str, float]:
    """Of cues that have an answer: how well it was found."""
    return {
        "hit@1": mean(hit(row, 1) for row in rows),
        "hit@3": mean(hit(row, 3) for row in rows),
        "hit@10": mean(hit(row, 10) for row in rows),
        "nDCG@10": mean(ndcg(row) for row in rows),
        "empty": mean(not row.answer.found for row in rows),
    }


def injected(rows: Sequence[Row]) -> dict[str, float]:
    """Of cues that have an answer: what was given unasked, and what of it helps."""
    given = [(row, one) for row in rows for one in row.answer.given]
    useful = sum(row.cue.grade(one) > 0 for row, one in given)
    return {
        "given": mean(is_given(row) for row in rows),
        "precise": useful / len(given) if given else 0.0,
        "tokens": sum(row.answer.tokens for row in rows) / useful if useful else 0.0,
    }
