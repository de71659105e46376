"""Read from the index: all SQL of recall, for commands and hooks.

An index with another identity is not read. Every word is data. Hooks import this module, so it
imports little.
"""

import sys

from recollect.search.rank import FIELD_WEIGHTS, Candidate
from recollect.search.relevance import is_everyday, is_joined, stems_of
from recollect.text.tokens import STOP_WORDS, TEXT_VERSION, stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence, Sized
    from typing import TypeVar

    _V = TypeVar("_V")

__all__ = ["sqlite"]


# The bare `_sqlite3` module. It wants a cache of `functools`, which is slow to load.
if "functools" in sys.modules:
    import _sqlite3 as sqlite
else:
    from _functools import _lru_cache_wrapper  # type: ignore[import-not-found]

    _stand_in = type(sys)("functools")
    _stand_in.lru_cache = lambda size: lambda made: _lru_cache_wrapper(made, size, False, tuple)  # type: ignore[attr-defined]
    sys.modules["functools"] = _stand_in
    try:
        import _sqlite3 as sqlite
    finally:
        del sys.modules["functools"]


SCHEMA_VERSION = 22
IDENTITY = f"schema={SCHEMA_VERSION} text={TEXT_VERSION}"  # vectors have one of their own
TOKENIZER = "ascii"  # the words are cut and stemmed already; this one only splits at blanks
COMMON_FROM = 2_000  # a word that more sections have is listed in the table `common`
# What recall looks at: of a long cue only its rarest words, of a large store only the sections
# that have them.
MOST_WORDS = 24
MOST_ROWS = 1_000
SHORT_CUE = 8  # words
SHORTEST_WHOLE = 5  # letters of a word that a text may write as two,
SHORTEST_PART = 2  # and of each of these
MOST_PARTED = 4  # words of a cue
MOST_VARIABLES = 500  # in one statement of SQLite
MOST_CANDIDATES = 12
MOST_SOLUTIONS = 500  # that an error is compared with, the newest
SHELVES = ("hot", "cold", "raw")  # what recall reads; the archive; raw conversations
WEIGHTS = ", ".join(map(str, FIELD_WEIGHTS))

# A raw conversation has no date; the memory of its session, which has the same id, does.
_OWN_OR_SESSION = (
    "CASE s.shelf WHEN 2 THEN coalesce(nullif(m.{0}, {1}), "
    "(SELECT max(o.{0}) FROM memory o WHERE o.id = m.id)) ELSE s.{0} END"
)
_FIELDS = (
    "s.n, s.memory, m.id, s.anchor, m.title, s.heading, s.text, m.path, m.layer, s.kind, "
    "m.salience, s.confidence, s.source, s.trust, s.status, s.trigger, m.files, m.related, "
    "s.session, {created}, {day}, s.tokens, f.size, f.mtime_ns, f.inode, "
    "m.tags || char(10) || m.concepts, s.entry"
).format(created=_OWN_OR_SESSION.format("created", "''"), day=_OWN_OR_SESSION.format("day", "0"))
_JOINED = "section s JOIN memory m ON m.n = s.memory JOIN file f ON f.path = m.path"


def open_index(path: str, wait_ms: int) -> "sqlite.Connection | None":
    """A read-only connection, or None if there is no index to be trusted.

    All queries see one state of the index, whoever writes meanwhile.
    """
    try:
        db = sqlite.connect(f"file:{quoted(path)}?mode=ro", uri=True, timeout=wait_ms / 1000)
        db.execute("BEGIN")
        row = db.execute("SELECT value FROM meta WHERE key = 'identity'").fetchone()
    except (sqlite.Error, UnicodeDecodeError):  # a message may quote what is damaged
        return None
    if row is None or row[0] != IDENTITY:
        db.close()
        return None
    return db


def quoted(path: str) -> str:
    """A path as it stands in a `file:` address."""
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def meta(db: "sqlite.Connection", key: str) -> str:
    """A value that the last refresh left for readers, or nothing."""
    row = db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return row[0] if row else ""


def files(
    db: "sqlite.Connection", where: str = "1", values: "tuple[object, ...]" = ()
) -> "list[tuple[str, int, int, int, int, str, int, int]]":
    """The files in the index that a condition lets through, with the fields of `ports.IndexedFile`."""
    columns = "path, size, mtime_ns, ctime_ns, inode, stamp, checked_ns, is_doubted"
    return db.execute(f"SELECT {columns} FROM file WHERE {where}", values).fetchall()


def counts_of(db: "sqlite.Connection", words: list[str], shelf: str = "hot") -> dict[str, int]:
    """How many sections of a shelf have each word."""
    terms = [stem(word) for word in words]
    counts: dict[str, int] = {}
    for some in _portions(terms):
        common = f"SELECT term, count FROM common WHERE shelf = ? AND term IN ({_marks(some)})"
        counts.update(db.execute(common, (shelf, *some)).fetchall())
        rest = [term for term in some if term not in counts]
        rare = f"SELECT term, doc FROM {shelf}_words WHERE term IN ({_marks(rest)})"
        counts.update(db.execute(rare, rest).fetchall())
    return {word: counts.get(term, 0) for word, term in zip(words, terms, strict=True)}


def column_of(
    db: "sqlite.Connection", table: str, key: str, column: str, numbers: "Sequence[int]"
) -> "dict[int, bytes]":
    """A column of a table for these sections, whose numbers are its `key`, as far as it has them."""
    found: dict[int, bytes] = {}
    for some in _portions(numbers):
        asked = f"SELECT {key}, {column} FROM {table} WHERE {key} IN ({_marks(some)})"
        found.update(db.execute(asked, some).fetchall())
    return found


def _portions(values: "Sequence[_V]") -> "list[Sequence[_V]]":
    """Values in portions that one statement takes."""
    starts = range(0, len(values), MOST_VARIABLES)
    return [values[start : start + MOST_VARIABLES] for start in starts]


def _marks(values: "Sized") -> str:
    return ",".join("?" * len(values))


def match(words: list[str], *, every: bool = False) -> str:
    """The FTS5 query for any (or every one) of these words; what stands there twice counts twice."""
    terms = [stems_of(word).replace('"', '""') for word in words]
    return (" AND " if every else " OR ").join([f'"{term}"' for term in terms])


def without_doubles(
    db: "sqlite.Connection", counts: dict[str, int], shelf: str = "hot"
) -> dict[str, int]:
    """`counts` without the words that only join others of the cue, as `pullrequest` does.

    Else `pull-request` would count three times. In a sentence, the parts of an identifier are left
    out as well. `automerge` stays beside `auto merge` if a section has it as one word only.
    """
    before = set(counts) if len(counts) > SHORT_CUE else set()
    kept = dict(counts)
    asked = f"SELECT 1 FROM {shelf}_fts WHERE {shelf}_fts MATCH ? LIMIT 1"
    for word, count in counts.items():
        if count and is_joined(word, before):
            parts = [part for part in before if counts.get(part) and part in word]
            only = f"{match([word])} NOT ({match(parts, every=True)})" if parts else ""
            if parts and (count >= COMMON_FROM or db.execute(asked, (only,)).fetchone() is None):
                del kept[word]
        before.add(word)
    return kept


def rarest(counts: dict[str, int], most_rows: int) -> list[str]:
    """The words to look up, rarest first, until they would give more than `most_rows` rows.

    A word that half the store has costs much and tells little; the candidates that the rare words
    bring are judged by all words afterwards.
    """
    chosen: list[str] = []
    rows = 0
    for count, word in sorted((count, word) for word, count in counts.items() if count > 0):
        if chosen and rows + count > most_rows:
            break
        chosen.append(word)
        rows += count
    return chosen


def recall_candidates(
    db: "sqlite.Connection", words: list[str], scope: str
) -> tuple[list[Candidate], dict[str, int], int]:
    """What recall judges: `(candidates, counts, total)`.

    A word that is given several times counts so often. `counts` says how many of the `total`
    sections of the hot shelf have each word.
    """
    counts = counts_of(db, words)
    for word, (parts, count) in written_apart(db, counts).items():
        counts[parts] = count
        words = [parts if one == word else one for one in words]
    known = sorted((count, word) for word, count in without_doubles(db, counts).items() if count)
    rare = {word: count for count, word in known[:MOST_WORDS]}
    found: dict[int, float] = {}
    if chosen := rarest(rare, MOST_ROWS):
        rows = db.execute(
            f"SELECT rowid, bm25(hot_fts, {WEIGHTS}) AS b FROM hot_fts "
            "WHERE hot_fts MATCH ? ORDER BY b LIMIT ?",
            (match([word for word in words if word in chosen]), MOST_CANDIDATES),
        )
        found = {n: -score for n, score in rows.fetchall()}
    return rows_of(db, found, scope), counts, total_sections(db)


def halves_of(word: str, shortest: int) -> list[tuple[str, str]]:
    """The ways to cut a word in two of at least so many letters each."""
    return [(word[:end], word[end:]) for end in range(shortest, len(word) - shortest + 1)]


def written_apart(db: "sqlite.Connection", counts: dict[str, int]) -> dict[str, tuple[str, int]]:
    """The two words as which texts write an unknown word, and how many sections have them together.

    `fullschema` is the full schema, and on-call is on call. Left out are everyday words, those that
    the cue has as two words already (`use callback`), and two stop words: an asset is not “as set”.
    """
    found: dict[str, tuple[str, int]] = {}
    unknown = [
        word
        for word, count in counts.items()
        if not count and len(word) >= SHORTEST_WHOLE and word.isascii() and word.isalpha()
        if not is_everyday(word)
    ]
    for word in unknown[:MOST_PARTED]:
        pairs = halves_of(word, SHORTEST_PART)
        if any(one in counts and other in counts for one, other in pairs):
            continue
        pairs = [
            (one, other)
            for one, other in pairs
            if STOP_WORDS.isdisjoint((one, other)) or one in counts or other in counts
        ]
        known = counts_of(db, [part for pair in pairs for part in pair])
        for one, other in pairs:
            if not 0 < min(known[one], known[other]) < COMMON_FROM:
                continue
            asked = "SELECT count(*) FROM (SELECT 1 FROM hot_fts WHERE hot_fts MATCH ? LIMIT ?)"
            row = (match([f"{one} {other}"]), MOST_ROWS)
            if count := db.execute(asked, row).fetchone()[0]:
                found[word] = (f"{one} {other}", count)
                break
    return found


def total_sections(db: "sqlite.Connection") -> int:
    """How many sections recall searches."""
    return int(meta(db, "sections") or 0)


def rows_of(
    db: "sqlite.Connection",
    scores: dict[int, float],
    scope: str = "",
    where: str = "",
    values: "list[object] | None" = None,
) -> list[Candidate]:
    """The candidates with these section numbers and scores, in their order."""
    if not scores:
        return []
    rows = db.execute(
        f"SELECT {_FIELDS} FROM {_JOINED} WHERE s.n IN ({_marks(scores)}) AND {where or 1}",
        (*scores, *(values or ())),
    )
    found = {row[0]: Candidate(row, scores[row[0]], scope) for row in rows}
    return [found[n] for n in scores if n in found]


def dated(
    db: "sqlite.Connection",
    period: "tuple[int, int]",
    scope: str,
    where: str = "m.shelf = 0",
    values: "list[object] | None" = None,
) -> list[Candidate]:
    """The entries of these days, episodes first; of a page that is one entry only the first part."""
    rows = db.execute(
        f"SELECT {_FIELDS} FROM {_JOINED} WHERE s.day BETWEEN ? AND ? AND s.day > 0 AND {where} "
        "GROUP BY s.memory, s.entry HAVING s.n = min(s.n) "
        "ORDER BY m.layer <> 'episodic', s.day DESC, m.id, s.n LIMIT ?",
        (*period, *(values or ()), MOST_CANDIDATES),
    )
    return [Candidate(row, 0.0, scope) for row in rows]


def solutions(db: "sqlite.Connection", scope: str) -> list[Candidate]:
    """The solutions on the hot shelf: they stand on procedural pages."""
    rows = db.execute(
        f"SELECT {_FIELDS} FROM {_JOINED} WHERE m.layer = 'procedural' AND m.shelf = 0 "
        "AND s.kind = 'solution' ORDER BY s.n DESC LIMIT ?",
        (MOST_SOLUTIONS,),
    )
    return [Candidate(row, 0.0, scope) for row in rows]


def heads_of(db: "sqlite.Connection", ids: list[str], scope: str) -> list[Candidate]:
    """The first section of each of these memories, as far as they are on the hot shelf."""
    rows = db.execute(
        f"SELECT {_FIELDS} FROM {_JOINED} WHERE m.id IN ({_marks(ids)}) AND s.shelf = 0 "
        "GROUP BY s.memory HAVING s.n = min(s.n)",
        tuple(ids),
    )
    return [Candidate(row, 0.0, scope) for row in rows]


MOST_RELATED = 8


def related_names(chosen: list[Candidate], scope: str) -> list[str]:
    """The ids that the chosen memories of one store name as related, one hop from them."""
    have = {one.id for one in chosen}
    names = [n for one in chosen if one.scope == scope for n in one.related.split("\n") if n]
    return [name for name in dict.fromkeys(names) if name not in have][:MOST_RELATED]
