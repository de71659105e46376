"""SQLite: the vectors of sections, in the index file and as disposable as that.

Promises: a section that goes takes its vector with it, in the same transaction; what was computed
for a section that stays as it is stays, too, whatever number it gets; vectors of two embedders are
never compared.
Touches: the database of the index it is given. What only looks for text loads nothing of this.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from recollect.adapters.sqlite import lookup
from recollect.adapters.sqlite.engine import sqlite
from recollect.domain.meaning import Part, Passage, passages
from recollect.ports import Near, Unmeant

if TYPE_CHECKING:
    import numpy as np

    from recollect.adapters.sqlite.index import SqliteIndex

IDENTITY = "embedder"  # the key in `meta`: whose vectors these are
_PARTS = "m.title, s.heading, s.text, s.shelf = 2"
_RAW = lookup.SHELVES.index("raw")

Kept = dict[bytes, bytes]  # vectors by what they were made of


def kept_of(db: sqlite.Connection, path: str) -> Kept:
    """The vectors of the sections of a file, by what they were made of."""
    rows = db.execute(
        "SELECT v.key, v.vector FROM vector v JOIN section s ON s.n = v.n "
        "JOIN memory m ON m.n = s.memory WHERE m.path = ?",
        (path,),
    )
    return dict(rows.fetchall())


def put_back(db: sqlite.Connection, path: str, kept: Kept) -> None:
    """Give the sections of a file that say what they said before the vectors that they had."""
    for memory, stamp in db.execute("SELECT n, stamp FROM memory WHERE path = ?", (path,)):
        for one in _unmeant(db, memory, stamp, set()):
            key = key_of(one.passage)
            if key in kept:
                _put(db, one.section, key, kept[key])


def key_of(passage: Passage) -> bytes:
    """What a passage is known by."""
    from hashlib import blake2b  # brings OpenSSL, and each write loads this module

    said = "\0".join(passage).encode("utf-8", "surrogatepass")
    return blake2b(said, digest_size=12).digest()


def _put(db: sqlite.Connection, section: int, key: bytes, vector: bytes) -> None:
    db.execute("INSERT OR REPLACE INTO vector VALUES (?, ?, ?)", (section, key, vector))


def _unmeant(db: sqlite.Connection, memory: int, stamp: str, have: set[int]) -> list[Unmeant]:
    rows = db.execute(
        f"SELECT s.n, s.anchor, {_PARTS} FROM section s JOIN memory m ON m.n = s.memory "
        "WHERE m.n = ? ORDER BY s.n",
        (memory,),
    ).fetchall()
    told = passages([Part(*row[2:]) for row in rows])
    return [
        Unmeant(row[0], row[1], memory, stamp, passage)
        for row, passage in zip(rows, told, strict=True)
        if row[0] not in have
    ]


class SqliteVectors:
    """The vectors of one index."""

    def __init__(self, index: SqliteIndex) -> None:
        """Nothing is read yet."""
        self._index = index
        self._tables: dict[int, _Table] = {}
        self._seen: object = None

    @property
    def _db(self) -> sqlite.Connection:
        return self._index.connection

    def identity(self) -> str:
        """Whose vectors there are; nothing where there are none."""
        return lookup.meta(self._db, IDENTITY)

    def counts(self, identity: str) -> tuple[int, int]:
        """How many sections have a vector of this embedder, and how many there are."""
        total = self._db.execute("SELECT count(*) FROM section").fetchone()[0]
        if self.identity() != identity:
            return 0, total
        return self._db.execute("SELECT count(*) FROM vector").fetchone()[0], total

    def missing(self, identity: str, most: int) -> list[Unmeant]:
        """Sections without a vector of this embedder, memory by memory, what recall sees first."""
        mine = self.identity() == identity
        lacking = "NOT EXISTS (SELECT 1 FROM vector v WHERE v.n = s.n)" if mine else "1"
        rows = self._db.execute(
            "SELECT m.n, m.stamp, count(*) FROM section s JOIN memory m ON m.n = s.memory "
            f"WHERE {lacking} GROUP BY m.n ORDER BY m.shelf = 1, m.shelf, m.n DESC LIMIT ?",
            (most,),
        )
        found: list[Unmeant] = []
        for memory, stamp, _ in rows.fetchall():
            have = "SELECT n FROM vector WHERE n IN (SELECT n FROM section WHERE memory = ?)"
            done = {n for (n,) in self._db.execute(have, (memory,))} if mine else set()
            found += _unmeant(self._db, memory, stamp, done)
            if len(found) >= most:
                break
        return found[:most]

    def put(self, identity: str, made: Sequence[tuple[Unmeant, bytes]]) -> int:
        """Take in vectors; gives how many. Those of another embedder go.

        A section that is not what it was when it was read gets none.
        """
        put = 0
        with self._index.transaction() as db:
            if lookup.meta(db, IDENTITY) != identity:
                db.execute("DELETE FROM vector")
                db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (IDENTITY, identity))
            still = (
                "SELECT 1 FROM section s JOIN memory m ON m.n = s.memory "
                "WHERE s.n = ? AND s.anchor = ? AND m.n = ? AND m.stamp = ?"
            )
            for one, vector in made:
                if db.execute(still, one[:4]).fetchone():
                    _put(db, one.section, key_of(one.passage), vector)
                    put += 1
        return put

    def near(self, identity: str, cue: bytes, shelf: str, most: int) -> Near | None:
        """How near the sections of a shelf are to a cue; None where nothing can be said."""
        if self.identity() != identity:
            return None
        table = self._table(lookup.SHELVES.index(shelf))
        return table.near(cue, most) if table.many else None

    def _table(self, shelf: int) -> _Table:
        mark = self._index.version()
        if mark != self._seen:
            self._tables.clear()
            self._seen = mark
        if shelf not in self._tables:
            self._tables[shelf] = _Table(
                self._db.execute(
                    "SELECT v.n, v.vector FROM section s JOIN vector v ON v.n = s.n "
                    "WHERE s.shelf = ? ORDER BY v.n",
                    (shelf,),
                ).fetchall()
            )
        return self._tables[shelf]


class _Table:
    """The vectors of a shelf, as one array."""

    AT_ONCE = 4_096

    def __init__(self, rows: Iterable[tuple[int, bytes]]) -> None:
        import numpy as np

        several = list(rows)
        self.many = len(several)
        self._numbers = np.array([n for n, _ in several], dtype=np.int64)
        data = b"".join(vector for _, vector in several)
        self._vectors = np.frombuffer(data, np.int8).reshape(self.many, -1 if self.many else 0)

    def near(self, cue: bytes, most: int) -> Near | None:
        """How near they are."""
        import numpy as np

        asked = np.frombuffer(cue, np.int8).astype(np.float32)
        if asked.size != self._vectors.shape[1]:
            return None
        near = self._cosines(self._vectors, asked)
        best = np.argsort(-near[(top := _highest(near, most))], kind="stable")
        order = top[best]

        def of(sections: Iterable[int]) -> dict[int, float]:
            wanted = np.fromiter(sections, dtype=np.int64)
            at = np.minimum(np.searchsorted(self._numbers, wanted), self.many - 1)
            is_there = self._numbers[at] == wanted
            return dict(zip(wanted[is_there].tolist(), near[at[is_there]].tolist(), strict=True))

        found = zip(self._numbers[order].tolist(), near[order].tolist(), strict=True)
        return Near(float(near.mean()), float(near.max()), list(found), of)

    def _cosines(self, vectors: np.ndarray, asked: np.ndarray) -> np.ndarray:
        import numpy as np

        found = np.empty(len(vectors), dtype=np.float32)
        for at in range(0, len(vectors), self.AT_ONCE):
            some = vectors[at : at + self.AT_ONCE].astype(np.float32)
            sizes = np.sqrt(np.einsum("ij,ij->i", some, some)) + np.float32(1e-6)
            found[at : at + len(some)] = some @ asked / sizes
        return found / np.float32(np.sqrt(float(asked @ asked)) + 1e-6)


def _highest(values: np.ndarray, most: int) -> np.ndarray:
    import numpy as np

    if len(values) <= most:
        return np.arange(len(values))
    return np.argpartition(-values, most)[:most]
