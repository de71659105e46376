"""SQLite: the tables of the index.

Promises: `create` makes an empty index with our identity in it.
Touches: the database it is given.
"""

from __future__ import annotations

from recollect.adapters.sqlite.engine import sqlite
from recollect.adapters.sqlite.lookup import IDENTITY, SHELVES
from recollect.adapters.sqlite.stemming import TOKENIZER

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
  status TEXT NOT NULL, related TEXT NOT NULL, session TEXT NOT NULL, project TEXT NOT NULL,
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
