"""The tables of the index."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.model.memory import Entry, Filter
from recollect.search.lookup import IDENTITY, SHELVES, TOKENIZER, match, sqlite
from recollect.text.tokens import plain_words

SLOTS = 64  # sections whose signs stand in one row
# What one transaction files lies in memory up to here: the more, the fewer pieces to be merged.
HELD_BYTES = 16 * 1024 * 1024
_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE file (
  path TEXT PRIMARY KEY, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
  ctime_ns INTEGER NOT NULL, inode INTEGER NOT NULL, stamp TEXT NOT NULL,
  checked_ns INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE memory (
  n INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, id TEXT NOT NULL, shelf INTEGER NOT NULL,
  title TEXT NOT NULL, layer TEXT NOT NULL, kind TEXT NOT NULL, category TEXT NOT NULL,
  tags TEXT NOT NULL, trigger TEXT NOT NULL, files TEXT NOT NULL, concepts TEXT NOT NULL,
  salience TEXT NOT NULL, confidence TEXT NOT NULL, source TEXT NOT NULL, trust TEXT NOT NULL,
  status TEXT NOT NULL, related TEXT NOT NULL, session TEXT NOT NULL,
  created TEXT NOT NULL, updated TEXT NOT NULL, accessed TEXT NOT NULL, decay_after TEXT NOT NULL,
  private INTEGER NOT NULL, tokens INTEGER NOT NULL, summary TEXT NOT NULL, stamp TEXT NOT NULL,
  problem TEXT NOT NULL, day INTEGER NOT NULL, sum INTEGER NOT NULL
);
CREATE INDEX memory_id ON memory (id);
CREATE INDEX memory_day ON memory (day);
CREATE INDEX memory_session ON memory (session) WHERE session <> '';
CREATE TABLE section (
  n INTEGER PRIMARY KEY, memory INTEGER NOT NULL, shelf INTEGER NOT NULL, anchor TEXT NOT NULL,
  heading TEXT NOT NULL, text TEXT NOT NULL, kind TEXT NOT NULL, source TEXT NOT NULL,
  trust TEXT NOT NULL, trigger TEXT NOT NULL, tokens INTEGER NOT NULL, confidence TEXT NOT NULL
);
CREATE INDEX section_memory ON section (memory);
CREATE TABLE vector (n INTEGER PRIMARY KEY, key BLOB NOT NULL, vector BLOB NOT NULL);
CREATE TABLE piece (n INTEGER PRIMARY KEY, signs BLOB NOT NULL);
CREATE TABLE sign (block INTEGER PRIMARY KEY, slots BLOB NOT NULL);
CREATE TRIGGER section_gone AFTER DELETE ON section BEGIN
  DELETE FROM vector WHERE n = old.n;
  DELETE FROM piece WHERE n = old.n;
  UPDATE sign SET slots = CAST(
    substr(slots, 1, old.n % {slots} * (length(slots) / {slots}))
    || zeroblob(length(slots) / {slots})
    || substr(slots, (old.n % {slots} + 1) * (length(slots) / {slots}) + 1) AS BLOB
  ) WHERE block = old.n / {slots};
END;
CREATE TABLE common (
  shelf TEXT NOT NULL, term TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (shelf, term)
) WITHOUT ROWID;
CREATE TABLE listed (
  shelf TEXT NOT NULL, term TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (shelf, term)
) WITHOUT ROWID;
"""
# Without content of its own: the section table has the text, and what was filed under which word
# can be worked out again from it when a section goes.
_SHELF = """
CREATE VIRTUAL TABLE {shelf}_fts USING fts5(
  title, tags, trigger, names, body, content='', tokenize='{tokenizer}'
);
INSERT INTO {shelf}_fts({shelf}_fts, rank) VALUES ('hashsize', {held});
CREATE VIRTUAL TABLE {shelf}_words USING fts5vocab({shelf}_fts, row);
"""


def create(db: sqlite.Connection) -> None:
    """Make the tables of an empty index, all at once."""
    shelves = "".join(
        _SHELF.format(shelf=shelf, tokenizer=TOKENIZER, held=HELD_BYTES) for shelf in SHELVES
    )
    identity = f"INSERT INTO meta VALUES ('identity', '{IDENTITY}');"
    tables = _TABLES.replace("{slots}", str(SLOTS))
    db.executescript(f"BEGIN IMMEDIATE;{tables}{shelves}{identity}COMMIT;")


def empty(db: sqlite.Connection) -> None:
    """Take out everything, inside the caller's transaction."""
    for shelf in SHELVES:
        db.execute(f"INSERT INTO {shelf}_fts({shelf}_fts) VALUES ('delete-all')")
    for table in ("sign", "file", "memory", "section", "common", "listed"):
        db.execute(f"DELETE FROM {table}")
    db.execute("DELETE FROM meta WHERE key <> 'identity'")


# -------------------- SQLite: rows of the memory table as values, and filters as conditions on them.


ENTRY_FIELDS = (
    "id, title, layer, kind, category, tags, trigger, files, concepts, salience, confidence, "
    "source, trust, status, related, session, created, updated, accessed, decay_after, "
    "private, path, tokens, summary, stamp, problem"
)
_LISTS = (5, 6, 7, 8, 14)  # the fields among them that are lists: a line for each item
_PRIVATE = 20
LOWERED = "lowered"  # SQLite's own `lower` knows the capitals of ASCII alone


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


def condition(only: Filter, shelf: str) -> tuple[str, list[object]]:
    """The condition on `memory m` for a filter, and its values."""
    terms: list[str] = ["m.shelf = ?", "(m.path GLOB 'archive/*') = ?"]
    values: list[object] = [SHELVES.index(shelf), int(only.archived)]
    for name in ("layer", "category", "session"):
        if wanted := getattr(only, name):
            terms.append(f"m.{name} = ?")
            values.append(wanted)
    if only.kind:
        terms.append(
            "(m.kind = ? OR EXISTS (SELECT 1 FROM section s WHERE s.memory = m.n AND s.kind = ?))"
        )
        values += [only.kind, only.kind]
    for tag in filter(None, only.tags):
        _add_tag(tag, shelf, terms, values)
    if only.concept:
        terms.append(_listed("concepts", only.concept))
        values.append(only.concept.lower())
    if only.file:
        terms.append(f"instr({_small('files', only.file)}, ?)")
        values.append(only.file.lower())
    if only.since:
        terms.append("max(m.created, m.updated) >= ?")
        values.append(only.since)
    if only.until:
        terms.append("m.created <= ? AND m.created <> ''")
        values.append(only.until)
    if not only.superseded:
        terms.append("m.status <> 'superseded'")
    return " AND ".join(terms), [clean(v) if isinstance(v, str) else v for v in values]


def _add_tag(tag: str, shelf: str, terms: list[str], values: list[object]) -> None:
    """Add that a memory has this tag, in whatever form it was written."""
    words = plain_words(clean(tag))
    term = _listed("tags", tag)
    values.append(tag.lower())
    if words:
        found = f"SELECT rowid FROM {shelf}_fts WHERE {shelf}_fts MATCH ?"
        term = f"({term} OR m.n IN (SELECT memory FROM section WHERE n IN ({found})))"
        values.append(f"tags : ({match(words, every=True)})")
    terms.append(term)


def _listed(column: str, wanted: str) -> str:
    """That a list of `memory m` has an item of these very words."""
    small = _small(column, wanted)
    return f"instr(char(10) || {small} || char(10), char(10) || ? || char(10))"


def _small(column: str, wanted: str) -> str:
    """A column of `memory m` without capitals, as far as it takes to find what is wanted there."""
    return f"{'lower' if wanted.isascii() else LOWERED}(m.{column})"


def section_condition(only: Filter, shelf: str) -> tuple[str, list[object]]:
    """The condition on `section s` and `memory m` for a filter, and its values; often there is none."""
    if shelf == "hot" and only == Filter(trust=only.trust):
        return "", []
    where, values = condition(only, shelf)
    return (
        (f"{where} AND s.kind = ?", [*values, clean(only.kind)]) if only.kind else (where, values)
    )
