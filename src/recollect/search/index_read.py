"""Queries of the index: the best sections for some words, entries that pass a filter, lists.

A search scores a bounded number of sections. With few matching sections the result equals scoring
all; otherwise no section gets more than that, and the work does not grow with the store, unless a
filter passes too few. Scoring a section costs forty times seeing that it has a word, and common
words match most sections. So the sections of the rarest words are scored first, by all words, and
those of commoner words only while they may still be among the best. Words in too many sections are
looked up in the newest ones only (docs/adr/0030).
"""

from __future__ import annotations

from itertools import accumulate, count
from math import log

from recollect._fastimport import NamedTuple
from recollect.model.memory import TRUSTS, Entry, Filter, IndexUnit, age_of
from recollect.search import lookup
from recollect.search.index_file import LOWERED
from recollect.search.lookup import SHELVES, WEIGHTS, match
from recollect.search.rank import FIELD_WEIGHTS
from recollect.text.tokens import plain_words

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from recollect.search.lookup import sqlite
    from recollect.search.rank import Candidate


# ------------------------------------------------------------------------------- entries, filters

ENTRY_FIELDS = (
    "id, title, layer, kind, category, tags, trigger, files, concepts, salience, confidence, "
    "source, trust, status, related, session, created, updated, accessed, decay_after, "
    "private, path, tokens, summary, stamp, problem"
)
PAGE_FIELDS = ", ".join(f"m.{name}" for name in ENTRY_FIELDS.split(", "))
_LISTS = (5, 6, 7, 8, 14)  # the fields among them that are lists: a line for each item
_PRIVATE = 20


def entry_of(row: Sequence[object]) -> Entry:
    """The memory in a row of `ENTRY_FIELDS`."""
    values = list(row)
    for n in _LISTS:
        values[n] = tuple(str(values[n]).split("\n")) if values[n] else ()
    values[_PRIVATE] = bool(values[_PRIVATE])
    return Entry._make(values)


def clean(text: str) -> str:
    """`text` as SQLite takes it: without lone surrogates."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def condition(only: Filter, shelf: str, *, by_entry: bool = False) -> tuple[str, list[object]]:
    """A filter as a condition on `memory m`, with its values; with `by_entry` on `section s`, too."""
    terms: list[str] = ["m.shelf = ?", "(m.path GLOB 'archive/*') = ?"]
    values: list[object] = [SHELVES.index(shelf), int(only.archived)]
    whose = dict.fromkeys(("layer", "category"), "m")
    if by_entry:
        whose["kind"] = "s"
    elif only.kind:
        terms.append(
            "? IN (m.kind, (SELECT s.kind FROM section s WHERE s.memory = m.n AND s.kind = ?))"
        )
        values += [only.kind, only.kind]
    for name, table in whose.items():
        if wanted := getattr(only, name):
            terms.append(f"{table}.{name} = ?")
            values.append(wanted)
    if only.sessions:
        # A footnote's label may have more behind it: `^540cf7-ee59`.
        label = "CASE WHEN s.session GLOB '^*' THEN substr(s.session, 1, 7) ELSE s.session END"
        own = label if by_entry else "m.session"
        terms.append(f"{own} IN ({', '.join('?' * len(only.sessions))})")
        values += only.sessions
    for tag in filter(None, only.tags):
        _add_tag(tag, shelf, terms, values)
    if only.concept:
        terms.append(_has_item("concepts", only.concept))
        values.append(only.concept.lower())
    if only.file:
        terms.append(f"instr({_lower('files', only.file)}, ?)")
        values.append(only.file.lower())
    _add_time(only, terms, values, by_entry=by_entry)
    return " AND ".join(terms), [clean(v) if isinstance(v, str) else v for v in values]


def _add_time(only: Filter, terms: list[str], values: list[object], *, by_entry: bool) -> None:
    """Add when it was said, and that it still holds."""
    # An entry without a date is as old as its page.
    own = "nullif(CASE s.entry WHEN '' THEN '' ELSE s.created END, '')" if by_entry else "NULL"
    if only.since:
        terms.append(f"coalesce({own}, max(m.created, m.updated)) >= ?")
        values.append(only.since)
    if only.until:
        terms.append(f"coalesce({own}, m.created) <= ? AND coalesce({own}, m.created) <> ''")
        values.append(only.until)
    if not only.superseded:
        terms.append(f"{'s' if by_entry else 'm'}.status <> 'superseded'")


def _add_tag(tag: str, shelf: str, terms: list[str], values: list[object]) -> None:
    """Add that a memory has this tag, in whatever form it was written."""
    term = _has_item("tags", tag)
    values.append(tag.lower())
    if words := plain_words(clean(tag)):
        found = f"SELECT rowid FROM {shelf}_fts WHERE {shelf}_fts MATCH ?"
        term = f"({term} OR m.n IN (SELECT memory FROM section WHERE n IN ({found})))"
        values.append(f"tags : ({match(words, every=True)})")
    terms.append(term)


def _has_item(column: str, wanted: str) -> str:
    """That a list of `memory m` has an item of these very words."""
    return f"instr(char(10) || {_lower(column, wanted)} || char(10), char(10) || ? || char(10))"


def _lower(column: str, wanted: str) -> str:
    """A column of `memory m` in lower case, as far as it takes to find `wanted` there."""
    return f"{'lower' if wanted.isascii() else LOWERED}(m.{column})"


def section_condition(only: Filter, shelf: str) -> tuple[str, list[object]]:
    """A filter as a condition on `section s` and `memory m`, with its values; often there is none."""
    if shelf == "hot" and only == Filter():
        return "", []
    return condition(only, shelf, by_entry=True)


# ---------------------------------------------------------------------------------- bounded search

K1, B = 1.2, 0.75  # those of FTS5
LEAST_RARITY = 1e-6  # of a word that more than half of the sections have
FEW = 2_500  # sections that are all scored
MOST_SCORED = 1_000  # … for each question to FTS5; of more, the newest
MOST_COUNTED = 30_000  # postings of the commoner words, which FTS5 counts for each question
TOO_COMMON = 50_000  # sections; a word that more have is not counted at all
MOST_LOOKED = 2_500  # sections that a filter is tried on, or that common words are looked for in
MOST_STEPS = 3  # unless there are too few by then
MOST_COMMON = 4  # … words at a time are looked for in the newest sections
WIDER = 8  # … and in so many times more where there are too few
MORE_LIKELY = 4  # times as many as are asked for are compared by their lengths
LIKELY = 1.3  # what a section gets for a word, in units of its rarity; at most it is 2.2
_HEAD = "{title tags trigger}"
_IN_HEAD, _IN_BODY = min(FIELD_WEIGHTS[:3]), FIELD_WEIGHTS[4]  # at least


def rarity(count: int, total: int) -> float:
    """The inverse document frequency of a word that so many of all sections have, as FTS5 has it."""
    value = log((total - count + 0.5) / (count + 0.5)) if count <= total else 0.0
    return value if value > 0 else LEAST_RARITY


class Size(NamedTuple):
    """How many sections a shelf has, and how many words they have together."""

    sections: int
    words: int

    @property
    def mean_length(self) -> float:
        """How many words a section has."""
        return max(self.words, 1) / max(self.sections, 1)

    def saturated(self, frequency: float, length: float) -> float:
        """BM25's factor for a word that stands so often in a section of that length: up to 2.2."""
        norm = K1 * (1 - B + B * length / self.mean_length)
        return frequency * (K1 + 1) / (frequency + norm)


def size_of(db: sqlite.Connection, shelf: str) -> Size:
    """The size of a shelf, as FTS5 keeps it."""
    row = db.execute(f"SELECT block FROM {shelf}_fts_data WHERE id = 1").fetchone()
    sections, *words = _numbers(row[0]) if row and row[0] else [0]
    return Size(sections, sum(words))


def _numbers(block: Iterable[int]) -> list[int]:
    """Numbers as SQLite packs them: seven bits in a byte, the last byte of each below 128."""
    found, number = [], 0
    for byte in block:
        number = number << 7 | byte & 127
        if byte < 128:
            found.append(number)
            number = 0
    return found


Span = tuple[int, int]  # the first and the last section that is looked at
Counted = tuple[int, str]  # how many sections have a word, and the word


class WordMatches(NamedTuple):
    """Sections in which a word stands, what the word is worth, and how much it weighs there."""

    rarity: float
    weight: float
    sections: set[int]


class Partition(NamedTuple):
    """Where to look; `where` is a condition on `section s` and `memory m`, with its values.

    `times` says how often a word counts, unless it is once.
    """

    db: sqlite.Connection
    name: str
    where: str = ""
    values: Sequence[object] = ()
    times: Mapping[str, int] = {}

    def any_of(self, words: Sequence[Counted]) -> str:
        """The query for what has one of these words."""
        return match([word for _, word in words for _ in range(self.times.get(word, 1))])

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


def best(shelf: Partition, counts: Mapping[str, int], limit: int) -> dict[int, float]:
    """The best `limit` sections with their scores, best first.

    `counts` are the words to look for, and how many sections of the shelf have each.
    """
    words = sorted((many, word) for word, many in counts.items() if many)
    if sum(many for many, _ in words) <= FEW:
        return shelf.asked(shelf.any_of(words), limit) if words else {}
    found = _Search(shelf, limit).through(words)
    order = sorted(found, key=lambda n: (-found[n], n))
    return {n: found[n] for n in order[:limit]}


class _Search:
    """A search through a shelf on which many sections have the words."""

    def __init__(self, shelf: Partition, limit: int) -> None:
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
                self._look_for(common[:MOST_COMMON])
                common = common[MOST_COMMON:]
            else:
                break
        return self.found

    def _take_those_with(self, first: Sequence[Counted], rest: Sequence[Counted]) -> None:
        """Score the sections of the first words, by the others, too."""
        one, many = self.shelf.any_of(first), sum(many for many, _ in first)
        if rest:
            self._take(f"({one}) AND ({self.shelf.any_of(rest)})", many)
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
        share = rarity(many, size.sections) / rarity(heads, size.sections)
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
        docsize = f"{self.shelf.name}_fts_docsize"
        packed = lookup.column_of(self.shelf.db, docsize, "id", "sz", best)
        for n in best:
            length = sum(_numbers(packed[n])) if n in packed else size.mean_length
            here = [one for one in seen if n in one.sections]
            score = sum(one.rarity * size.saturated(one.weight, length) for one in here)
            self.found[n] = max(score, self.found.get(n, 0.0))

    def _seen(self, words: Sequence[Counted], size: Size, start: int) -> list[WordMatches]:
        """What of the words can be seen in the sections behind that one."""
        found = []
        span = start + 1, self.last
        for many, word in words:
            in_head = self.shelf.having(f"{_HEAD} : ({match([word])})", span)
            others = self.shelf.having(f"body : ({match([word])})", span) - in_head
            worth = rarity(many, size.sections)
            found += [WordMatches(worth, _IN_HEAD, in_head), WordMatches(worth, _IN_BODY, others)]
        return found

    def _is_better(self, words: Sequence[Counted]) -> bool:
        """Whether what was found is better than what has only these words is likely to be."""
        if len(self.found) < self.limit:
            return False
        rarities = (max(log((self.last - n + 0.5) / (n + 0.5)), 0.0) for n, _ in words)
        weakest = sorted(self.found.values(), reverse=True)[self.limit - 1]
        return weakest >= LIKELY * sum(rarities)


def _usual_scores(seen: Sequence[WordMatches], size: Size) -> dict[int, float]:
    """What each section would have if it were as long as most are."""
    scores: dict[int, float] = {}
    for one in seen:
        worth = one.rarity * size.saturated(one.weight, size.mean_length)
        for n in one.sections:
            scores[n] = scores.get(n, 0.0) + worth
    return scores


def _within(words: Sequence[Counted], most: int) -> int:
    """How many of the words, rarest first, have no more than `most` sections together."""
    return sum(sections <= most for sections in accumulate(many for many, _ in words))


# ---------------------------------------------------------------------------------------- searches

MOST_TURNS = 200  # of conversations: their order is settled by what stands around them


def search(db: sqlite.Connection, words: list[str], only: Filter, limit: int) -> list[Candidate]:
    """The sections that have some of these words, best first; behind them, turns of conversations.

    A word that is given several times counts so often.
    """
    shelf = "cold" if only.archived else "hot"
    found = _best(db, shelf, words, only, limit)
    if len(found) < limit and only.kind in ("", "conversation") and size_of(db, "raw").sections:
        found += _best(db, "raw", words, only, MOST_TURNS)
    return found


def _best(
    db: sqlite.Connection, shelf: str, words: list[str], only: Filter, limit: int
) -> list[Candidate]:
    counts = lookup.without_doubles(db, lookup.counts_of(db, words, shelf), shelf)
    if not all(counts.values()):
        from recollect.search import spelling

        near = spelling.neighbours(db, counts, shelf)
        counts = dict(pair for terms in near.values() for pair in terms) | counts
    where, values = section_condition(only, shelf)
    times: dict[str, int] = {}
    for word in words:
        times[word] = times.get(word, 0) + 1
    found = best(Partition(db, shelf, where, values, times), counts, limit)
    return lookup.rows_of(db, found)


# ------------------------------------------------------------------------------------------- lists

_WIDTH = ENTRY_FIELDS.count(",") + 1
_OWN = (
    "s.anchor, s.heading, s.text, s.kind, s.source, s.trust, s.trigger, s.tokens, s.confidence, "
    "s.entry, s.created, s.session, s.status, s.within"
)
_TRIGGER = 6  # the field among them that is a list
_TRUST = " ".join(f"WHEN '{trust}' THEN {n}" for n, trust in enumerate(TRUSTS))
# What of a page is no entry by itself; its trust is the lowest of its parts.
_PARTS = "FROM section p WHERE p.memory = m.n AND p.entry = ''"
_LEAST = f"(SELECT min(CASE p.trust {_TRUST} END) {_PARTS})"
_LEAST_SOURCE = f"(SELECT p.source {_PARTS} ORDER BY CASE p.trust {_TRUST} END, p.n LIMIT 1)"


def listed(db: sqlite.Connection, only: Filter) -> list[tuple[Entry, IndexUnit]]:
    """The entries that the filter lets through, each with its page, newest first."""
    from recollect.model.layers import SHARED  # recall has no need of it

    shelf = "cold" if only.archived else "hot"
    where, values = condition(only, shelf, by_entry=True)
    rows = db.execute(
        f"SELECT {PAGE_FIELDS}, {_OWN} FROM section s JOIN memory m ON m.n = s.memory "
        f"WHERE {where} AND s.entry <> '' ORDER BY s.n",
        values,
    )
    found = []
    for row in rows:
        fields: list[Any] = list(row[_WIDTH:])
        fields[_TRIGGER] = tuple(fields[_TRIGGER].split("\n")) if fields[_TRIGGER] else ()
        found.append((entry_of(row[:_WIDTH]), IndexUnit(shelf, *fields)))
    where, values = condition(only._replace(kind=""), shelf)
    if only.kind:
        where, values = f"{where} AND m.kind = ?", [*values, clean(only.kind)]
    shared = ", ".join(f"'{path}'" for path in SHARED.values())
    nothing = (
        f"NOT EXISTS (SELECT 1 FROM section p WHERE p.memory = m.n) AND m.path NOT IN ({shared})"
    )
    session = "m.kind IN ('session', 'conversation')"
    is_one = f"({session} OR EXISTS (SELECT 1 {_PARTS}) OR {nothing})"
    rows = db.execute(
        f"SELECT {PAGE_FIELDS}, {_LEAST}, {_LEAST_SOURCE}, m.entry FROM memory m WHERE {where} AND {is_one}",
        values,
    )
    for row in rows:
        page, (least, source, name) = entry_of(row[:_WIDTH]), row[_WIDTH:]
        whole = IndexUnit(
            *(shelf, "", "", page.summary, page.kind),
            page.source if source is None else source,
            page.trust if least is None else TRUSTS[least],
            *(page.trigger, page.tokens, page.confidence, name),
            *(page.created, page.session, page.status),
        )
        found.append((page, whole))
    found.sort(key=lambda one: (one[0].id, one[1].anchor != ""))
    found.sort(key=lambda one: age_of(*one), reverse=True)
    return found
