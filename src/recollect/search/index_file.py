"""The index file: tables, opening, and recovery from damage.

An index is never visible without its tables. Of several processes one creates it. A file is moved
aside for being wrong, never for being busy. The file is opened only through SQLite, because closing
another handle drops SQLite's locks.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from functools import wraps

from recollect._fastimport import Any, Callable
from recollect.errors import Locked, RecollectError, StorageFailed
from recollect.search.lookup import IDENTITY, SHELVES, TOKENIZER, meta, quoted, sqlite
from recollect.store import disk

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import TypeVar

    _Method = TypeVar("_Method", bound=Callable[..., Any])


# ---------------------------------------------------------------------------------------- tables

SLOTS = 64  # sections whose signs stand in one row
# How much of one transaction FTS5 keeps in memory: the more, the fewer segments it has to merge.
PENDING_BYTES = 16 * 1024 * 1024
_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE file (
  path TEXT PRIMARY KEY, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
  ctime_ns INTEGER NOT NULL, inode INTEGER NOT NULL, stamp TEXT NOT NULL,
  checked_ns INTEGER NOT NULL, is_doubted INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE folder (
  path TEXT PRIMARY KEY, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
  ctime_ns INTEGER NOT NULL, inode INTEGER NOT NULL, checked_ns INTEGER NOT NULL,
  is_session INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE memory (
  n INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, id TEXT NOT NULL, shelf INTEGER NOT NULL,
  title TEXT NOT NULL, layer TEXT NOT NULL, kind TEXT NOT NULL, category TEXT NOT NULL,
  tags TEXT NOT NULL, trigger TEXT NOT NULL, files TEXT NOT NULL, concepts TEXT NOT NULL,
  salience TEXT NOT NULL, confidence TEXT NOT NULL, source TEXT NOT NULL, trust TEXT NOT NULL,
  status TEXT NOT NULL, related TEXT NOT NULL, session TEXT NOT NULL,
  created TEXT NOT NULL, updated TEXT NOT NULL, accessed TEXT NOT NULL, decay_after TEXT NOT NULL,
  private INTEGER NOT NULL, tokens INTEGER NOT NULL, summary TEXT NOT NULL, stamp TEXT NOT NULL,
  problem TEXT NOT NULL, day INTEGER NOT NULL, sum INTEGER NOT NULL, entry TEXT NOT NULL
);
CREATE INDEX memory_id ON memory (id);
CREATE INDEX memory_entry ON memory (entry);
CREATE INDEX memory_session ON memory (session) WHERE session <> '';
CREATE TABLE section (
  n INTEGER PRIMARY KEY, memory INTEGER NOT NULL, shelf INTEGER NOT NULL, anchor TEXT NOT NULL,
  heading TEXT NOT NULL, text TEXT NOT NULL, kind TEXT NOT NULL, source TEXT NOT NULL,
  trust TEXT NOT NULL, trigger TEXT NOT NULL, tokens INTEGER NOT NULL, confidence TEXT NOT NULL,
  entry TEXT NOT NULL, created TEXT NOT NULL, session TEXT NOT NULL, status TEXT NOT NULL,
  within TEXT NOT NULL, day INTEGER NOT NULL
);
CREATE INDEX section_memory ON section (memory);
CREATE INDEX section_entry ON section (entry) WHERE entry <> '';
CREATE INDEX section_day ON section (day) WHERE day > 0;
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
# Contentless: the section table has the text, and the words of a section are computed again from it
# when it is deleted.
_FTS = """
CREATE VIRTUAL TABLE {shelf}_fts USING fts5(
  title, tags, trigger, names, body, content='', tokenize='{tokenizer}'
);
INSERT INTO {shelf}_fts({shelf}_fts, rank) VALUES ('hashsize', {pending});
CREATE VIRTUAL TABLE {shelf}_words USING fts5vocab({shelf}_fts, row);
"""


def create_tables(db: sqlite.Connection) -> None:
    """Create the tables of an empty index in one transaction."""
    fts = "".join(
        _FTS.format(shelf=shelf, tokenizer=TOKENIZER, pending=PENDING_BYTES) for shelf in SHELVES
    )
    identity = f"INSERT INTO meta VALUES ('identity', '{IDENTITY}');"
    tables = _TABLES.replace("{slots}", str(SLOTS))
    db.executescript(f"BEGIN IMMEDIATE;{tables}{fts}{identity}COMMIT;")


def delete_rows(db: sqlite.Connection) -> None:
    """Delete everything, inside the caller's transaction."""
    for shelf in SHELVES:
        db.execute(f"INSERT INTO {shelf}_fts({shelf}_fts) VALUES ('delete-all')")
    for table in ("sign", "file", "folder", "memory", "section", "common", "listed"):
        db.execute(f"DELETE FROM {table}")
    db.execute("DELETE FROM meta WHERE key <> 'identity'")


# --------------------------------------------------------------------------------------- opening

BUSY_SECONDS = 30.0
LARGEST_WAL_AT_REST = 4 * 1024 * 1024
ASIDE = ".broken"
LOWERED = "lowered"  # a function: SQLite's own `lower` changes ASCII letters alone


def open_index(path: str) -> sqlite.Connection:
    """A connection to the index at `path`; an empty index if there was none to be trusted."""
    db = _connect_if_sound(path)
    if db:
        return db
    with disk.lock(f"{path}.lock"):
        # Another process may have created it while we waited.
        return _connect_if_sound(path) or _create(path)


def replace_index(path: str, damaged: int) -> sqlite.Connection:
    """A connection to a new index in place of the file with the inode `damaged`."""
    with disk.lock(f"{path}.lock"):
        db = _connect_if_sound(path) if inode_of(path) != damaged else None
        return db or _create(path)


def inode_of(path: str) -> int:
    """The inode of the index file, 0 if there is none."""
    try:
        return os.stat(path).st_ino
    except OSError:
        return 0


def remove_set_aside(path: str) -> None:
    """Remove the damaged file that was moved aside."""
    with suppress(StorageFailed):
        disk.remove(f"{path}{ASIDE}")


def _connect_if_sound(path: str) -> sqlite.Connection | None:
    """A connection to the index, None if there is none or not one of ours."""
    # SQLite must not look for a file that is not there: it tries twice, the second time read-only,
    # and would find the one that another process has just created.
    if not os.path.exists(path):
        return None
    try:
        return _connect(path)
    except UnicodeDecodeError:  # SQLite's message quotes what is damaged
        return None
    except sqlite.Error as error:
        if is_damage(error, path) or error.sqlite_errorcode == sqlite.SQLITE_CANTOPEN:
            return None
        raise our_error(error, path) from error


def _connect(path: str) -> sqlite.Connection:
    address = f"file:{quoted(path)}?mode=rw"
    db = sqlite.connect(address, uri=True, timeout=BUSY_SECONDS, isolation_level=None)
    try:
        db.execute("PRAGMA trusted_schema = OFF")
        db.execute("PRAGMA synchronous = NORMAL")
        db.execute(f"PRAGMA journal_size_limit = {LARGEST_WAL_AT_REST}")
        add_functions(db)
        _require_identity(db)
    except BaseException:
        db.close()
        raise
    return db


def add_functions(db: sqlite.Connection) -> None:
    """Give a connection the functions that queries use."""
    db.create_function(LOWERED, 1, str.lower, deterministic=True)


def _require_identity(db: sqlite.Connection) -> None:
    if meta(db, "identity") != IDENTITY:
        raise sqlite.OperationalError("it has another identity")


def _create(path: str) -> sqlite.Connection:
    # The name goes first: SQLite finds the side files by it, and must never take the old ones for
    # those of the new index. That one is made under another name, so that nobody sees half of it.
    if os.path.lexists(path):
        disk.remove(f"{path}{ASIDE}")
        disk.move(path, f"{path}{ASIDE}")
    for end in ("-wal", "-shm", "-journal", ".new", ".new-wal", ".new-shm", ".new-journal"):
        disk.remove(f"{path}{end}")
    try:
        os.close(os.open(f"{path}.new", os.O_WRONLY | os.O_CREAT | os.O_EXCL, disk.FILE_MODE))
        db = sqlite.connect(f"{path}.new", isolation_level=None)
        db.execute("PRAGMA journal_mode = WAL")
        create_tables(db)
        db.close()
        disk.move(f"{path}.new", path)
        return _connect(path)
    except OSError as error:
        raise disk.storage_error(error, path) from error
    except sqlite.Error as error:
        raise our_error(error, path) from error


# ---------------------------------------------------------------------------------------- damage

_DAMAGE = (
    sqlite.SQLITE_CORRUPT,
    sqlite.SQLITE_NOTADB,
    sqlite.SQLITE_FORMAT,
    sqlite.SQLITE_CONSTRAINT,
    sqlite.SQLITE_MISMATCH,
)
_DAMAGE_MESSAGES = (
    "no such ",
    "vtable constructor failed",
    "malformed",
    "invalid fts5 file format",
)
_UNREADABLE = (
    sqlite.SQLITE_IOERR_READ,
    sqlite.SQLITE_IOERR_SHORT_READ,
    sqlite.SQLITE_IOERR_CORRUPTFS,
)


def is_damage(error: sqlite.Error, path: str) -> bool:
    """Whether the file is not what we wrote (and not merely busy, or the disk full)."""
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:  # raised by the module itself: text that is not UTF-8 any more
        return isinstance(error, sqlite.OperationalError)
    if code & 0xFF == sqlite.SQLITE_ERROR:
        return str(error).startswith(_DAMAGE_MESSAGES)
    if code & 0xFF == sqlite.SQLITE_READONLY:  # if its header says so, and not the file system
        return os.access(path, os.W_OK)
    return code & 0xFF in _DAMAGE or code in _UNREADABLE


def our_error(error: sqlite.Error, path: str) -> RecollectError:
    """Our error for an error of SQLite that is no damage."""
    if getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite.SQLITE_BUSY, sqlite.SQLITE_LOCKED):
        return Locked(path=path, seconds=BUSY_SECONDS, who="another process")
    return StorageFailed(path=path, reason=str(error))


def broken_pages(db: sqlite.Connection) -> Iterator[str]:
    """The findings of SQLite's integrity check, which reads every row."""
    for (row,) in db.execute("PRAGMA integrity_check"):
        if row != "ok":
            yield str(row)


def with_repair(ask: _Method) -> _Method:
    """A method that is called again once `repair` has mended the damage it met."""

    @wraps(ask)
    def repairing(self: Any, /, *args: Any, **named: Any) -> Any:
        try:
            return ask(self, *args, **named)
        except sqlite.Error as error:
            self.repair(error)
        return ask(self, *args, **named)

    return repairing  # type: ignore[return-value]
