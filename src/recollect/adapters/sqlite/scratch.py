"""SQLite: an index that is in no file, for what must not get to a disk.

Promises: those of the index of a store, but nothing of it is ever written.
Touches: memory.
"""

from __future__ import annotations

from recollect.adapters.sqlite import schema
from recollect.adapters.sqlite.engine import sqlite
from recollect.adapters.sqlite.index import SqliteIndex


class ScratchIndex(SqliteIndex):
    """An empty index that is gone when it is closed."""

    def __init__(self) -> None:
        """Without a folder and without a refill: there is no file that could be damaged."""
        self.path, self.refill = "", None
        self._mending = self._anew = False
        self._sought = {}
        self._open()

    def _open(self) -> None:
        self._db = sqlite.connect(":memory:", isolation_level=None)
        self._db.execute("PRAGMA temp_store = MEMORY")
        schema.create(self._db)
        self._inode = 0
