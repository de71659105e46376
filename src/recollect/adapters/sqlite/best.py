"""SQLite: the best sections of a shelf for some words, without a look at all that have one of them.

Promises: reads only; where the words have few sections, the answer is that of a search for any of
them; where they have many, no section gets more than such a search gives it, and neither what is
scored nor what is looked through grows with the store, unless a filter lets through too few.
Touches: nothing.

To score a section costs forty times what it costs to see that it has a word, and the common words
have most of the sections. So those of the rarest words are scored, by all words, those that have
several first; those of the commoner ones only while the best are likely to be among them. FTS5
counts the sections of each word of a question anew: a word that too many have is not asked of its
BM25 at all, but looked for in the newest sections.
"""

from __future__ import annotations

from itertools import accumulate, count

from recollect.adapters.sqlite import bm25
from recollect.adapters.sqlite.lookup import WEIGHTS, match
from recollect.domain.bm25 import Size
from recollect.domain.rank import FIELD_WEIGHTS
from recollect.named import NamedTuple

TYPE_CHECKING = False  # a short search loads this: as little as can be
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recollect.adapters.sqlite.engine import sqlite

FEW = 2_500  # sections that are all scored
MOST_SCORED = 1_000  # … for each question to FTS5; of more, the newest
MOST_COUNTED = 30_000  # postings of the commoner words, which FTS5 counts for each question
TOO_COMMON = 50_000  # sections; a word that more have is not counted at all
MOST_LOOKED = 2_500  # sections that a filter is tried on, or that common words are looked for in
MOST_STEPS = 3  # unless there are too few by then
MOST_AT_ONCE = 4  # such words are looked for in the newest sections
WIDER = 8  # … and in so many times more where there are too few
MORE_LIKELY = 4  # times as many as are asked for are compared by their lengths
LIKELY = 1.3  # what a section gets for a word, in units of its rarity; at most it is 2.2
_HEAD = "{title tags trigger names}"
_IN_HEAD, _IN_BODY = min(FIELD_WEIGHTS[:4]), FIELD_WEIGHTS[4]  # at least

Span = tuple[int, int]  # the first and the last section that is looked at
Counted = tuple[int, str]  # how many sections have a word, and the word


class Seen(NamedTuple):
    """Sections in which a word stands, what the word is worth, and how much it weighs there."""

    rarity: float
    weight: float
    sections: set[int]


class Shelf(NamedTuple):
    """Where to look; `where` is a condition on `section s` and `memory m`, with its values."""

    db: sqlite.Connection
    name: str
    where: str = ""
    values: Sequence[object] = ()

    def asked(
        self, query: str, limit: int, most: int = -1, span: Span | None = None
    ) -> dict[int, float]:
        """The best `limit` sections of the `most` newest that match (of all), with their scores."""
        newest = f"ORDER BY f.rowid DESC LIMIT {most:d}" if most >= 0 else ""
        score = f"bm25({self.name}_fts, {WEIGHTS})"
        rows = self.db.execute(
            f"SELECT n, b FROM (SELECT f.rowid AS n, {score} AS b {self._matching(span)} {newest}) "
            "ORDER BY b LIMIT ?",
            (query, *(span or ()), *self.values, limit),
        )
        return {n: -score for n, score in rows.fetchall()}

    def having(self, query: str, span: Span) -> set[int]:
        """The sections that match, of those with these numbers."""
        asked = f"SELECT f.rowid {self._matching(span)}"
        rows = self.db.execute(asked, (query, *span, *self.values))
        return {n for (n,) in rows.fetchall()}

    def _matching(self, span: Span | None) -> str:
        fts = f"{self.name}_fts"
        joined = where = ""
        if self.where:
            joined = "CROSS JOIN section s ON s.n = f.rowid CROSS JOIN memory m ON m.n = s.memory"
            where = f"AND {self.where}"
        within = "AND f.rowid BETWEEN ? AND ?" if span else ""
        return f"FROM {fts} f {joined} WHERE {fts} MATCH ? {within} {where}"


def best(shelf: Shelf, counts: Mapping[str, int], limit: int) -> dict[int, float]:
    """The best `limit` sections with their scores, best first.

    `counts` are the words to look for, and how many sections of the shelf have each.
    """
    words = sorted((many, word) for word, many in counts.items() if many)
    if sum(many for many, _ in words) <= FEW:
        return shelf.asked(_any_of(words), limit) if words else {}
    found = _Search(shelf, limit).through(words)
    order = sorted(found, key=lambda n: (-found[n], n))
    return {n: found[n] for n in order[:limit]}


class _Search:
    """A search through a shelf on which many sections have the words."""

    def __init__(self, shelf: Shelf, limit: int) -> None:
        self.shelf, self.limit = shelf, limit
        self.most = max(MOST_SCORED, limit)
        self.last = shelf.db.execute("SELECT max(n) FROM section").fetchone()[0]
        self.found: dict[int, float] = {}
        self.older: list[tuple[str, Span]] = []  # what is asked where it takes more

    def through(self, words: Sequence[Counted]) -> dict[int, float]:
        """What is found, step by step, the rarest words first."""
        split = sum(many <= TOO_COMMON for many, _ in words)
        words, common = words[:split], words[split:]
        for step in count():
            has_enough = len(self.found) >= self.limit
            if has_enough and (step >= MOST_STEPS or self._is_better([*words, *common])):
                break
            if words:
                first = words[: _within(words, MOST_SCORED) or 1]
                words = words[len(first) :]
                self._take_those_with(first, words[: _within(words, MOST_COUNTED)])
            elif has_enough:
                break
            elif self.older:  # the filter lets through few of the newest
                self._ask(*self.older.pop(0), self.limit)
            elif common:
                self._look_for(common[:MOST_AT_ONCE])
                common = common[MOST_AT_ONCE:]
            else:
                break
        return self.found

    def _take_those_with(self, first: Sequence[Counted], rest: Sequence[Counted]) -> None:
        """Score the sections of the first words, by the others, too."""
        one, many = _any_of(first), sum(many for many, _ in first)
        if rest:
            self._take(f"({one}) AND ({_any_of(rest)})", many)
        if self._is_better(first):
            return
        is_common = many > MOST_SCORED
        if is_common:  # the newest may not be the best
            self._take_heads(one, many)
        if not is_common or len(self.found) < self.limit:
            self._take(one, many, is_last=True)

    def _take(self, query: str, many: int, *, is_last: bool = False) -> None:
        """Score what matches, where so many may."""
        span = self._newest(many)
        if span and is_last:
            self.older.append((query, (1, span[0] - 1)))
        self._ask(query, span, self.most)

    def _take_heads(self, one: str, many: int) -> None:
        """Score the sections with this word in the head.

        FTS5 counts those alone, and takes the word to be as rare as that.
        """
        fts, query = f"{self.shelf.name}_fts", f"{_HEAD} : ({one})"
        asked = f"SELECT count(*) FROM {fts} WHERE {fts} MATCH ?"
        heads = self.shelf.db.execute(asked, (query,)).fetchone()[0]
        size = bm25.size_of(self.shelf.db, self.shelf.name)
        share = size.rarity(many) / size.rarity(heads)
        self._ask(query, self._newest(many), self.most, share)

    def _ask(self, query: str, span: Span | None, most: int, share: float = 1.0) -> None:
        for n, score in self.shelf.asked(query, self.limit, most, span).items():
            self.found[n] = max(score * share, self.found.get(n, 0.0))

    def _newest(self, many: int) -> Span | None:
        """What a filter is tried on first, where so many sections may match."""
        start = self._start(many) if self.shelf.where else 0
        return (start + 1, self.last) if start else None

    def _start(self, many: int) -> int:
        """Behind which section there are likely to be as many as may be looked at."""
        return self.last - max(1, self.last * MOST_LOOKED // many) if many > MOST_LOOKED else 0

    def _look_for(self, words: Sequence[Counted]) -> None:
        """Look for words that too many have in the newest sections, in more while there are too few.

        It is seen where a word stands, not how often: no section gets more than it has.
        """
        size = bm25.size_of(self.shelf.db, self.shelf.name)
        start = self._start(sum(many for many, _ in words))
        while True:
            seen = self._seen(words, size, start)
            likely = _usual_scores(seen, size)
            if not start or len(likely) >= self.limit:
                break
            start = max(0, self.last - (self.last - start) * WIDER)
        best = sorted(likely, key=lambda n: (-likely[n], -n))[: self.limit * MORE_LIKELY]
        lengths = bm25.lengths_of(self.shelf.db, self.shelf.name, best)
        for n in best:
            length = lengths.get(n, size.usual)
            here = [one for one in seen if n in one.sections]
            score = sum(one.rarity * size.share(one.weight, length) for one in here)
            self.found[n] = max(score, self.found.get(n, 0.0))

    def _seen(self, words: Sequence[Counted], size: Size, start: int) -> list[Seen]:
        """What of the words can be seen in the sections behind that one."""
        found = []
        span = start + 1, self.last
        for many, word in words:
            in_head = self.shelf.having(f"{_HEAD} : ({match([word])})", span)
            others = self.shelf.having(match([word]), span) - in_head
            rarity = size.rarity(many)
            found += [Seen(rarity, _IN_HEAD, in_head), Seen(rarity, _IN_BODY, others)]
        return found

    def _is_better(self, words: Sequence[Counted]) -> bool:
        """Whether what was found is better than what has only these words is likely to be."""
        if len(self.found) < self.limit:
            return False
        from math import log

        rarities = (max(log((self.last - n + 0.5) / (n + 0.5)), 0.0) for n, _ in words)
        weakest = sorted(self.found.values(), reverse=True)[self.limit - 1]
        return weakest >= LIKELY * sum(rarities)


def _usual_scores(seen: Sequence[Seen], size: Size) -> dict[int, float]:
    """What each section would have if it were as long as most are."""
    scores: dict[int, float] = {}
    for one in seen:
        worth = one.rarity * size.share(one.weight, size.usual)
        for n in one.sections:
            scores[n] = scores.get(n, 0.0) + worth
    return scores


def _any_of(words: Sequence[Counted]) -> str:
    return match([word for _, word in words])


def _within(words: Sequence[Counted], most: int) -> int:
    """How many of the words, rarest first, have no more than `most` sections together."""
    return sum(sections <= most for sections in accumulate(many for many, _ in words))
