"""SQLite: looking things up in the index, for the commands and for the hook alike.

Promises: reads only; an index of another identity is not read; every word is data.
Touches: the index file in the cache. The hook imports this module, so it uses the bare `sqlite`
and next to nothing else. All SQL of recall is here, once.
"""

from recollect.adapters.sqlite.engine import sqlite
from recollect.domain.rank import FIELD_WEIGHTS, Candidate
from recollect.domain.text import TEXT_VERSION

SCHEMA_VERSION = 8
IDENTITY = f"schema={SCHEMA_VERSION} text={TEXT_VERSION}"  # vectors have one of their own
COMMON_FROM = 2_000  # a word that more sections have is listed in the table `common`
# What recall looks at: of a long cue only its rarest words, of a large store only the sections
# that these bring.
MOST_WORDS = 24
MOST_ROWS = 1_000
MOST_AT_ONCE = 500  # of the variables that SQLite takes in one statement
MOST_CANDIDATES = 12
SHELVES = ("hot", "cold", "raw")  # what recall sees; the archive; raw conversations
WEIGHTS = ", ".join(map(str, FIELD_WEIGHTS))

# A raw conversation does not say when it was; the memory of its session, which has the same id, does.
_OWN_OR_SESSION = (
    "coalesce(nullif(m.{0}, {1}), (SELECT max(o.{0}) FROM memory o WHERE o.id = m.id))"
)
_FIELDS = (
    "s.n, s.memory, m.id, s.anchor, m.title, s.heading, s.text, m.path, m.layer, s.kind, "
    "m.salience, s.confidence, s.source, s.trust, m.status, s.trigger, m.files, m.related, "
    "m.session, m.project, {created}, {day}, s.tokens, f.size, f.mtime_ns, f.inode, "
    "m.tags || char(10) || m.concepts"
).format(created=_OWN_OR_SESSION.format("created", "''"), day=_OWN_OR_SESSION.format("day", "0"))
_JOINED = "section s JOIN memory m ON m.n = s.memory JOIN file f ON f.path = m.path"


def open_index(path: str, wait_ms: int) -> "sqlite.Connection | None":
    """A connection that only reads, or None where there is no index that we could trust.

    All that is asked of it is asked of one state of the index, whoever writes meanwhile.
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


def files(db: "sqlite.Connection") -> "list[tuple[str, int, int, int, int, str, int]]":
    """Every file that the index has, as `ports.Known` has its fields."""
    asked = "SELECT path, size, mtime_ns, ctime_ns, inode, stamp, checked_ns FROM file"
    return db.execute(asked).fetchall()


def counts_of(db: "sqlite.Connection", filed: dict[str, str], shelf: str = "hot") -> dict[str, int]:
    """How many sections of a shelf have each word, given the forms that `stems` found."""
    terms = list(filed.values())
    counts: dict[str, int] = {}
    for start in range(0, len(terms), MOST_AT_ONCE):
        some = terms[start : start + MOST_AT_ONCE]
        common = f"SELECT term, count FROM common WHERE shelf = ? AND term IN ({_marks(some)})"
        counts.update(db.execute(common, (shelf, *some)).fetchall())
        rest = [term for term in some if term not in counts]
        words = f"SELECT term, doc FROM {shelf}_words WHERE term IN ({_marks(rest)})"
        counts.update(db.execute(words, rest).fetchall())
    return {word: counts.get(term, 0) for word, term in filed.items()}


def _marks(values: "list[str] | dict[int, float]") -> str:
    return ",".join("?" * len(values))


def match(words: list[str], *, every: bool = False) -> str:
    """The query of FTS5 for any (or every one) of these words."""
    glue = " AND " if every else " OR "
    return glue.join('"' + word.replace('"', '""') + '"' for word in words)


def chosen_words(counts: dict[str, int], most_rows: int) -> list[str]:
    """The words to look up, rarest first, until they would give more than `most_rows` rows.

    A word that half the store has costs much and says little; the candidates that the rare words
    bring are judged by all words afterwards.
    """
    known = sorted((count, word) for word, count in counts.items() if count > 0)
    chosen: list[str] = []
    rows = 0
    for count, word in known:
        if chosen and rows + count > most_rows:
            break
        chosen.append(word)
        rows += count
    return chosen


def consider(
    db: "sqlite.Connection", filed: dict[str, str], scope: str
) -> tuple[list[Candidate], dict[str, int], int]:
    """What recall judges: `(candidates, counts, total)`, given the forms that `stems` found.

    `counts` says how many of the `total` sections of the hot shelf have each word.
    """
    counts = counts_of(db, filed)
    known = sorted((count, word) for word, count in counts.items() if count)
    rare = {word: count for count, word in known[:MOST_WORDS]}
    found: dict[int, float] = {}
    if chosen := chosen_words(rare, MOST_ROWS):
        rows = db.execute(
            f"SELECT rowid, bm25(hot_fts, {WEIGHTS}) AS b FROM hot_fts "
            "WHERE hot_fts MATCH ? ORDER BY b LIMIT ?",
            (match(chosen), MOST_CANDIDATES),
        )
        found = {n: -score for n, score in rows.fetchall()}
    return rows_of(db, found, scope), counts, total_sections(db)


def total_sections(db: "sqlite.Connection") -> int:
    """How many sections recall looks through."""
    return int(meta(db, "sections") or 0)


def rows_of(
    db: "sqlite.Connection",
    scores: dict[int, float],
    scope: str = "",
    where: str = "",
    values: "list[object] | None" = None,
) -> list[Candidate]:
    """The candidates of these section numbers, with the scores given, in their order."""
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
    """The first sections of the memories that were made in these days, episodes first."""
    rows = db.execute(
        f"SELECT {_FIELDS} FROM {_JOINED} WHERE m.day BETWEEN ? AND ? AND {where} "
        "GROUP BY s.memory HAVING s.n = min(s.n) "
        "ORDER BY m.layer <> 'episodic', m.day DESC, m.id LIMIT ?",
        (*period, *(values or ()), MOST_CANDIDATES),
    )
    return [Candidate(row, 0.0, scope) for row in rows]


def heads_of(db: "sqlite.Connection", ids: list[str], scope: str) -> list[Candidate]:
    """The first section of each of these memories, as far as they are on the hot shelf."""
    if not ids:
        return []
    marks = ",".join("?" * len(ids))
    rows = db.execute(
        f"SELECT {_FIELDS} FROM {_JOINED} WHERE m.id IN ({marks}) AND s.shelf = 0 "
        "GROUP BY s.memory HAVING s.n = min(s.n)",
        tuple(ids),
    )
    return [Candidate(row, 0.0, scope) for row in rows]
