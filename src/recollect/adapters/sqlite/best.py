"""SQLite: the best sections of a shelf for some words, without a look at all that have one of them.

Promises: reads only; where the words have few sections, the answer is that of a search for any of
them; where they have many, no section gets more than such a search gives it, and what is scored
does not grow with the store.
Touches: nothing.

To score a section costs forty times what it costs to see that it has a word, and the common words
have most of the sections. So those of the rarest words are scored, by all words, those that have
several first; those of the commoner ones only while the best are likely to be among them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate, count
from math import log

from recollect.adapters.sqlite.engine import sqlite
from recollect.adapters.sqlite.lookup import WEIGHTS, match
from recollect.named import NamedTuple

FEW = 2_500  # sections that are all scored
MOST_SCORED = 1_000  # … for each question to FTS5; of more, the newest
MOST_COUNTED = 30_000  # postings of the commoner words, which FTS5 counts for each question
MOST_STEPS = 3  # unless there are too few by then
LIKELY = 1.3  # what a section gets for a word, in units of its rarity; at most it is 2.2
_HEAD = "{title tags trigger names}"

Counted = tuple[int, str]  # how many sections have a word, and the word


class Shelf(NamedTuple):
    """Where to look; `where` is a condition on `section s` and `memory m`, with its values."""

    db: sqlite.Connection
    name: str
    where: str = ""
    values: Sequence[object] = ()

    def asked(self, query: str, limit: int, most: int = -1) -> dict[int, float]:
        """The best `limit` sections of the `most` newest that match (of all), with their scores."""
        fts = f"{self.name}_fts"
        joined = where = ""
        if self.where:
            joined = "CROSS JOIN section s ON s.n = f.rowid CROSS JOIN memory m ON m.n = s.memory"
            where = f"AND {self.where}"
        newest = f"ORDER BY f.rowid DESC LIMIT {most:d}" if most >= 0 else ""
        rows = self.db.execute(
            f"SELECT n, b FROM (SELECT f.rowid AS n, bm25({fts}, {WEIGHTS}) AS b "
            f"FROM {fts} f {joined} WHERE {fts} MATCH ? {where} {newest}) ORDER BY b LIMIT ?",
            (query, *self.values, limit),
        )
        return {n: -score for n, score in rows.fetchall()}


def best(shelf: Shelf, counts: Mapping[str, int], limit: int) -> dict[int, float]:
    """The best `limit` sections with their scores, best first.

    `counts` are the words to look for, and how many sections of the shelf have each.
    """
    words = sorted((many, word) for word, many in counts.items() if many)
    if sum(many for many, _ in words) <= FEW:
        return shelf.asked(_any_of(words), limit) if words else {}
    total = shelf.db.execute("SELECT max(n) FROM section").fetchone()[0]
    found: dict[int, float] = {}
    most = max(MOST_SCORED, limit)

    def take(query: str) -> None:
        for n, score in shelf.asked(query, limit, most).items():
            found[n] = max(score, found.get(n, 0.0))

    for step in count():
        is_last = step >= MOST_STEPS and len(found) >= limit
        if not words or is_last or _are_better(found, limit, words, total):
            break
        first = words[: _within(words, MOST_SCORED) or 1]
        words = words[len(first) :]
        one = _any_of(first)
        if rest := words[: _within(words, MOST_COUNTED)]:
            take(f"({one}) AND ({_any_of(rest)})")
        if _are_better(found, limit, first, total):
            continue
        is_common = sum(many for many, _ in first) > MOST_SCORED
        if is_common:  # the newest may not be the best
            take(f"{_HEAD} : ({one})")
        if not is_common or len(found) < limit:
            take(one)
    order = sorted(found, key=lambda n: (-found[n], n))
    return {n: found[n] for n in order[:limit]}


def _any_of(words: Sequence[Counted]) -> str:
    return match([word for _, word in words])


def _within(words: Sequence[Counted], most: int) -> int:
    """How many of the words, rarest first, have no more than `most` sections together."""
    sections = list(accumulate(count for count, _ in words))
    return bisect_right(sections, most)


def _are_better(found: dict[int, float], limit: int, words: Sequence[Counted], total: int) -> bool:
    """Whether what was found is better than what has only these words is likely to be."""
    if len(found) < limit:
        return False
    rarities = (max(log((total - count + 0.5) / (count + 0.5)), 0.0) for count, _ in words)
    return sorted(found.values(), reverse=True)[limit - 1] >= LIKELY * sum(rarities)
