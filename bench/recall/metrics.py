"""Measures of a ranking: recall, hit, nDCG, MRR, with bootstrap intervals.

nDCG with binary gains as in Järvelin & Kekäläinen (2002); MRR as in TREC-8 (Voorhees, 1999);
intervals are percentiles of 1,000 resamples of the questions.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence

Ranking = Sequence[str]


def recall(found: Ranking, wanted: frozenset[str], k: int) -> float:
    """The share of the wanted ones among the first `k`."""
    return len(wanted.intersection(found[:k])) / len(wanted)


def hit(found: Ranking, wanted: frozenset[str], k: int) -> float:
    """Whether any wanted one is among the first `k`."""
    return float(not wanted.isdisjoint(found[:k]))


def ndcg(found: Ranking, wanted: frozenset[str], k: int) -> float:
    """How early the wanted ones come, against the best order."""
    gain = sum(1 / math.log2(n + 2) for n, one in enumerate(found[:k]) if one in wanted)
    best = sum(1 / math.log2(n + 2) for n in range(min(len(wanted), k)))
    return gain / best


def mrr(found: Ranking, wanted: frozenset[str]) -> float:
    """One over the place of the first wanted one."""
    return next((1 / n for n, one in enumerate(found, 1) if one in wanted), 0.0)


MEASURES: dict[str, Callable[[Ranking, frozenset[str]], float]] = {
    "R@5": lambda found, wanted: recall(found, wanted, 5),
    "R@10": lambda found, wanted: recall(found, wanted, 10),
    "R@50": lambda found, wanted: recall(found, wanted, 50),
    "H@10": lambda found, wanted: hit(found, wanted, 10),
    "nDCG@10": lambda found, wanted: ndcg(found, wanted, 10),
    "MRR": mrr,
}


def intervals(
    rows: Sequence[Sequence[float]], seed: int = 1, times: int = 1000
) -> list[tuple[float, float]]:
    """The 95 % interval of the mean of each column; a row has all the measures of a question."""
    rng = random.Random(seed)
    columns = list(zip(*rows, strict=True))
    means: list[list[float]] = [[] for _ in columns]
    for _ in range(times):
        drawn = rng.choices(range(len(rows)), k=len(rows))
        for column, found in zip(columns, means, strict=True):
            found.append(sum(map(column.__getitem__, drawn)) / len(rows))
    return [_middle(sorted(found)) for found in means]


def _middle(means: list[float]) -> tuple[float, float]:
    return means[int(len(means) * 0.025)], means[int(len(means) * 0.975)]
