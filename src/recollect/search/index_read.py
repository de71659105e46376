"""Find the best sections for some words, scoring a bounded number of them.

With few matching sections the result equals scoring all. Otherwise no section gets more than that,
and the work does not grow with the store, unless a filter passes too few.

Scoring a section costs forty times seeing that it has a word, and common words match most
sections. So the sections of the rarest words are scored first, by all words, and those of commoner
words only while they may still be among the best. Words in too many sections are looked up in the
newest ones only (docs/adr/0030).
"""

from __future__ import annotations

from itertools import accumulate, count

from recollect._fastimport import NamedTuple
from recollect.model.memory import Filter
from recollect.search import lookup
from recollect.search.bm25 import Size, Standing
from recollect.search.lookup import MOST_AT_ONCE as MOST_AT_ONCE_BM25
from recollect.search.lookup import WEIGHTS, match, stems
from recollect.search.rank import FIELD_WEIGHTS

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from recollect.search.lookup import sqlite
    from recollect.search.rank import Candidate


# -------------------- SQLite: FTS5's BM25 taken apart: how large a shelf is, how long its sections, what a word brings.


MOST_TAKEN_APART = 5_000  # sections that the words have together


def size_of(db: sqlite.Connection, shelf: str) -> Size:
    """The size of a shelf, as FTS5 keeps it."""
    row = db.execute(f"SELECT block FROM {shelf}_fts_data WHERE id = 1").fetchone()
    sections, *words = _numbers(row[0]) if row and row[0] else [0]
    return Size(sections, sum(words))


def lengths_of(db: sqlite.Connection, shelf: str, sections: Sequence[int]) -> dict[int, int]:
    """How many words each of these sections has."""
    found: dict[int, int] = {}
    for start in range(0, len(sections), MOST_AT_ONCE_BM25):
        some = sections[start : start + MOST_AT_ONCE_BM25]
        asked = f"SELECT id, sz FROM {shelf}_fts_docsize WHERE id IN ({_marks(some)})"
        found |= {n: sum(_numbers(sizes)) for n, sizes in db.execute(asked, some).fetchall()}
    return found


def standing(
    db: sqlite.Connection, shelf: str, counts: Mapping[str, int], sections: Sequence[int]
) -> Standing:
    """How words stand on a shelf, given how many sections have each, and what they bring to these.

    The rarest words are taken apart; of the others the shelf would have to be looked through.
    """
    parts: dict[str, dict[int, float]] = {}
    left = MOST_TAKEN_APART if sections else 0
    # The plus keeps FTS5 from being asked for each section by itself.
    asked = (
        f"SELECT f.rowid, bm25({shelf}_fts, {WEIGHTS}) FROM {shelf}_fts f "
        f"WHERE {shelf}_fts MATCH ? AND +f.rowid IN ({_marks(sections)})"
    )
    for number, word in sorted((number, word) for word, number in counts.items() if number):
        left -= number
        if left < 0:
            break
        rows = db.execute(asked, (match([word]), *sections))
        parts[word] = {n: -score for n, score in rows.fetchall()}
    return Standing(size_of(db, shelf), counts, parts, lengths_of(db, shelf, sections))


def _marks(values: Sequence[int]) -> str:
    return ",".join("?" * len(values))


def _numbers(block: Iterable[int]) -> list[int]:
    """Numbers as SQLite packs them: seven bits in a byte, the last byte of each below 128."""
    found, number = [], 0
    for byte in block:
        number = number << 7 | byte & 127
        if byte < 128:
            found.append(number)
            number = 0
    return found


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
_HEAD = "{title tags trigger}"
_IN_HEAD, _IN_BODY = min(FIELD_WEIGHTS[:3]), FIELD_WEIGHTS[4]  # at least

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
        size = size_of(self.shelf.db, self.shelf.name)
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
        size = size_of(self.shelf.db, self.shelf.name)
        start = self._start(sum(many for many, _ in words))
        while True:
            seen = self._seen(words, size, start)
            likely = _usual_scores(seen, size)
            if not start or len(likely) >= self.limit:
                break
            start = max(0, self.last - (self.last - start) * WIDER)
        best = sorted(likely, key=lambda n: (-likely[n], -n))[: self.limit * MORE_LIKELY]
        lengths = lengths_of(self.shelf.db, self.shelf.name, best)
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
            others = self.shelf.having(f"body : ({match([word])})", span) - in_head
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


# -------------------- SQLite: a search of the index, for a program that writes to it too and for one that only reads.


MOST_TURNS = 200  # of conversations: their order is settled by what was said around them

Sought = dict[str, dict[str, int]]  # by shelf: the words looked for, how many sections have each


def search(
    db: sqlite.Connection, words: list[str], only: Filter, limit: int
) -> tuple[list[Candidate], Sought]:
    """The sections that have some of these words, best first, and what was looked for."""
    filed = stems(words)
    shelf = "cold" if only.archived else "hot"
    sought = {shelf: _counts(db, filed, shelf)}
    found = _best(db, shelf, sought[shelf], only, limit)
    if len(found) < limit and _has_turns(db, only):
        sought["raw"] = _counts(db, filed, "raw")
        found += _best(db, "raw", sought["raw"], only, MOST_TURNS)
    return found, sought


def _has_turns(db: sqlite.Connection, only: Filter) -> bool:
    """Whether there are turns of conversations that the filter may let through."""
    return only.kind in ("", "conversation") and bool(size_of(db, "raw").sections)


def _counts(db: sqlite.Connection, filed: dict[str, str], shelf: str) -> dict[str, int]:
    """What to look for on a shelf, and how many sections have it."""
    counts = lookup.counts_of(db, filed, shelf)
    counts = lookup.without_doubles(db, counts, list(filed), shelf)
    if all(counts.values()):
        return counts
    from recollect.search import spelling

    return spelling.with_neighbours(db, counts, filed, shelf)


def _best(
    db: sqlite.Connection, shelf: str, counts: dict[str, int], only: Filter, limit: int
) -> list[Candidate]:
    where = ""
    values: list[object] = []
    if shelf != "hot" or only != Filter(trust=only.trust):
        from recollect.search import index_schema as rows

        where, values = rows.section_condition(only, shelf)
    return lookup.rows_of(db, best(Shelf(db, shelf, where, values), counts, limit))


def beside(db: sqlite.Connection, turns: Sequence[Candidate]) -> list[Candidate]:
    """The turns of the same conversations next to these (one before, two after), unscored."""
    have = {one.n for one in turns}
    near = {(one.n + by, one.memory) for one in turns for by in (-1, 1, 2)}
    wanted = dict.fromkeys(sorted({n for n, _ in near} - have), 0.0)
    return [one for one in lookup.rows_of(db, wanted) if (one.n, one.memory) in near]


def dated(db: sqlite.Connection, period: tuple[int, int], only: Filter) -> list[Candidate]:
    """The first sections of memories made in these days (from 1970), episodes first."""
    from recollect.search import index_schema as rows

    where, values = rows.condition(only, "cold" if only.archived else "hot")
    return lookup.dated(db, period, "", where, values)


class Reader:
    """What a search asks of an index, of a connection that sees one state of it."""

    def __init__(self, db: sqlite.Connection) -> None:
        """`db` comes from `lookup.open_index`."""
        self._db = db
        self._sought: Sought = {}

    def search(self, words: list[str], *, only: Filter, limit: int) -> list[Candidate]:
        """As the index does."""
        found, self._sought = search(self._db, words, only, limit)
        return found

    def standing(self, shelf: str, sections: Sequence[int]) -> Standing:
        """As the index does."""
        return standing(self._db, shelf, self._sought.get(shelf, {}), sections)

    def beside(self, turns: Sequence[Candidate]) -> list[Candidate]:
        """As the index does."""
        return beside(self._db, turns)

    def dated(self, period: tuple[int, int], only: Filter) -> list[Candidate]:
        """As the index does."""
        return dated(self._db, period, only)

    def snapshot(self) -> Reader:
        """It is one already."""
        return self

    def __enter__(self) -> None:
        """Nothing is to be done."""

    def __exit__(self, *_: object) -> None:
        """Nothing is to be done."""
