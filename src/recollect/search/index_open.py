"""Open the index file, create it, or move an untrusted one aside.

An index is never visible without its tables. Of several processes one creates it. A file is moved
aside for being wrong, never for being busy.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from functools import wraps

from recollect.errors import Locked, RecollectError, StorageFailed
from recollect.search import index_schema as schema
from recollect.search import lookup
from recollect.search.index_schema import LOWERED
from recollect.search.lookup import sqlite
from recollect.store import disk as fsio

TYPE_CHECKING = False


BUSY_SECONDS = 30.0
LARGEST_WAL_AT_REST = 4 * 1024 * 1024
ASIDE = ".broken"

_NOT_TRUSTED = (
    sqlite.SQLITE_CORRUPT,
    sqlite.SQLITE_NOTADB,
    sqlite.SQLITE_FORMAT,
    sqlite.SQLITE_CONSTRAINT,
    sqlite.SQLITE_MISMATCH,
)
_NOT_OURS = ("no such ", "vtable constructor failed", "malformed", "invalid fts5 file format")
_UNREADABLE = (
    sqlite.SQLITE_IOERR_READ,
    sqlite.SQLITE_IOERR_SHORT_READ,
    sqlite.SQLITE_IOERR_CORRUPTFS,
)


def is_damage(error: sqlite.Error, path: str) -> bool:
    """Whether this says that the file is not what we wrote (and not that it is busy, or full)."""
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:  # raised by the module itself: text that is no text any more
        return isinstance(error, sqlite.OperationalError)
    if code & 0xFF == sqlite.SQLITE_ERROR:
        return str(error).startswith(_NOT_OURS)
    if code & 0xFF == sqlite.SQLITE_READONLY:  # its header says so, not the file system
        return os.access(path, os.W_OK)
    return code & 0xFF in _NOT_TRUSTED or code in _UNREADABLE


def refusal(error: sqlite.Error, path: str) -> RecollectError:
    """Our error for a refusal of SQLite that is no damage."""
    if getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite.SQLITE_BUSY, sqlite.SQLITE_LOCKED):
        return Locked(path=path, seconds=BUSY_SECONDS, who="another process")
    return StorageFailed(path=path, reason=str(error))


def opened(path: str) -> sqlite.Connection:
    """A connection to the index at `path`; an empty one if there was none to be trusted."""
    found = _trusted(path)
    if found:
        return found
    with fsio.lock(f"{path}.lock"):
        # Another process may have made it while we waited.
        return _trusted(path) or _made(path)


def replaced(path: str, damaged: int) -> sqlite.Connection:
    """A connection to a new index in place of the file with the inode `damaged`."""
    with fsio.lock(f"{path}.lock"):
        found = _trusted(path) if inode_of(path) != damaged else None
        return found or _made(path)


def inode_of(path: str) -> int:
    """The inode of the index file, 0 if there is none."""
    try:
        return os.stat(path).st_ino
    except OSError:
        return 0


def _trusted(path: str) -> sqlite.Connection | None:
    """A connection to the index, None if there is none or not one of ours."""
    try:
        db = _connected(path)
    except UnicodeDecodeError:  # of a message of SQLite's, which quotes what is damaged
        return None
    except sqlite.Error as error:
        if is_damage(error, path) or error.sqlite_errorcode == sqlite.SQLITE_CANTOPEN:
            return None
        raise refusal(error, path) from error
    return db


def _connected(path: str) -> sqlite.Connection:
    place = f"file:{lookup.quoted(path)}?mode=rw"
    db = sqlite.connect(place, uri=True, timeout=BUSY_SECONDS, isolation_level=None)
    try:
        db.execute("PRAGMA trusted_schema = OFF")
        db.execute("PRAGMA synchronous = NORMAL")
        db.execute(f"PRAGMA journal_size_limit = {LARGEST_WAL_AT_REST}")
        db.create_function(LOWERED, 1, str.lower, deterministic=True)
        _require_ours(db)
    except BaseException:
        db.close()
        raise
    return db


def _require_ours(db: sqlite.Connection) -> None:
    if lookup.meta(db, "identity") != lookup.IDENTITY:
        raise sqlite.OperationalError("it has another identity")


def _made(path: str) -> sqlite.Connection:
    # The name goes first: SQLite finds the side files by it, and must never take the old ones for
    # those of the new index. That one is made under another name, so that nobody sees half of it.
    if os.path.lexists(path):
        fsio.remove(f"{path}{ASIDE}")
        fsio.move(path, f"{path}{ASIDE}")
    for end in ("-wal", "-shm", "-journal", ".new", ".new-wal", ".new-shm", ".new-journal"):
        fsio.remove(f"{path}{end}")
    try:
        os.close(os.open(f"{path}.new", os.O_WRONLY | os.O_CREAT | os.O_EXCL, fsio.FILE_MODE))
        db = sqlite.connect(f"{path}.new", isolation_level=None)
        db.execute("PRAGMA journal_mode = WAL")
        schema.create(db)
        db.close()
        fsio.move(f"{path}.new", path)
        return _connected(path)
    except OSError as error:
        raise fsio.failed(error, path) from error
    except sqlite.Error as error:
        raise refusal(error, path) from error


def forget_aside(path: str) -> None:
    """Take away the file that was moved aside."""
    with suppress(StorageFailed):
        fsio.remove(f"{path}{ASIDE}")


def broken_pages(db: sqlite.Connection) -> Iterator[str]:
    """What SQLite itself finds wrong; it reads every row, so that no opening asks for it."""
    for (row,) in db.execute("PRAGMA integrity_check"):
        if row != "ok":
            yield str(row)


# -------------------- SQLite: questions that are asked again once the damage they met is mended.


if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Concatenate, ParamSpec, Protocol, TypeVar

    class Mends(Protocol):
        """What can replace an index that is damaged."""

        def mend(self, error: sqlite.Error) -> None:
            """Replace and fill the index if it is damaged; any other trouble is raised as ours."""

    _S = TypeVar("_S", bound=Mends)
    _P = ParamSpec("_P")
    _R = TypeVar("_R")


def whole(ask: Callable[Concatenate[_S, _P], _R]) -> Callable[Concatenate[_S, _P], _R]:
    """A question that is asked again once the damage it met is mended."""

    @wraps(ask)
    def asked(self: _S, /, *args: _P.args, **named: _P.kwargs) -> _R:
        try:
            return ask(self, *args, **named)
        except sqlite.Error as error:
            self.mend(error)
        return ask(self, *args, **named)

    return asked
