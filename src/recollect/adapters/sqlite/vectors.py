"""SQLite: what sections mean, in the index file and as disposable as that.

Promises: a section that goes takes all of it along, in the same transaction; what was computed for
a section that stays as it is stays, too, whatever number it gets; vectors of two embedders are
never compared; a search reads a few bytes of every section, and the rest of the nearest ones only.
Touches: the database of the index it is given. What only looks for text loads nothing of this.

Of a section there is the vector of the whole (`vector`), a bit for each number of the vectors of its
pieces (`piece`), and one for each number of the whole (`sign`). Of these the ones of 64 sections
stand in a row, each behind its shelf, counted from 1; a slot of zeros is nobody's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from recollect.adapters.sqlite import lookup
from recollect.adapters.sqlite.engine import sqlite
from recollect.adapters.sqlite.mending import whole
from recollect.adapters.sqlite.schema import SLOTS
from recollect.domain.meaning import Meant, Part, Passage, Scale, passages
from recollect.named import NamedTuple
from recollect.ports import Near, Unmeant

if TYPE_CHECKING:
    from recollect.adapters.sqlite.index import SqliteIndex
    from recollect.adapters.sqlite.nearness import Signs

IDENTITY = "embedder"  # the key in `meta`: whose vectors these are
MOST_COMPARED = 500  # of a shelf, those nearest by their signs, are compared number by number
MOST_SAMPLED = 100
_PARTS = "m.title, s.heading, s.text, s.shelf = 2"
_SIGN = bytes(b"01"[0 < byte < 128] for byte in range(256))  # of an int8 number


class Made(NamedTuple):
    """What there is of a section: the vector of the whole, and the signs of its pieces."""

    vector: bytes
    pieces: bytes


Kept = dict[bytes, Made]  # by what it was made of


def kept_of(db: sqlite.Connection, path: str) -> Kept:
    """What there is of the sections of a file, by what it was made of."""
    rows = db.execute(
        "SELECT v.key, v.vector, coalesce(p.signs, x'') FROM vector v JOIN section s ON s.n = v.n "
        "JOIN memory m ON m.n = s.memory LEFT JOIN piece p ON p.n = v.n WHERE m.path = ?",
        (path,),
    )
    return {key: Made(vector, pieces) for key, vector, pieces in rows.fetchall()}


def put_back(db: sqlite.Connection, path: str, kept: Kept) -> None:
    """Give the sections of a file that say what they said before what they had."""
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


def signs_of(numbers: bytes) -> bytes:
    """A bit for each number of a vector: whether it is above 0. Without numpy, for whoever saves."""
    bits = numbers.translate(_SIGN)
    bits = bits.ljust(-len(bits) // 16 * -16, b"0")
    return int(bits, 2).to_bytes(len(bits) // 8, "big")


def signs_of_pieces(meant: Meant) -> bytes:
    """The same of each piece, one behind the other."""
    size = len(meant.whole)
    several = [meant.pieces[at : at + size] for at in range(0, len(meant.pieces), size)]
    return b"".join(map(signs_of, several))


def _put(db: sqlite.Connection, section: int, key: bytes, made: Made) -> None:
    db.execute("INSERT OR REPLACE INTO vector VALUES (?, ?, ?)", (section, key, made.vector))
    if made.pieces:
        db.execute("INSERT OR REPLACE INTO piece VALUES (?, ?)", (section, made.pieces))
    [(shelf,)] = db.execute("SELECT shelf FROM section WHERE n = ?", (section,))
    mine = bytes([shelf + 1]) + signs_of(made.vector)
    block, slot = divmod(section, SLOTS)
    row = db.execute("SELECT slots FROM sign WHERE block = ?", (block,)).fetchone()
    is_same_size = row is not None and len(row[0]) == len(mine) * SLOTS
    slots = bytearray(row[0] if is_same_size else len(mine) * SLOTS)
    slots[slot * len(mine) : (slot + 1) * len(mine)] = mine
    db.execute("INSERT OR REPLACE INTO sign VALUES (?, ?)", (block, bytes(slots)))


def misplaced(db: sqlite.Connection) -> int:
    """How many signs are not those of a vector that is there, or are missing."""
    rows = db.execute("SELECT v.n, s.shelf, v.vector FROM vector v JOIN section s ON s.n = v.n")
    wanted = {n: bytes([shelf + 1]) + signs_of(vector) for n, shelf, vector in rows}
    found: dict[int, bytes] = {}
    for block, slots in db.execute("SELECT block, slots FROM sign"):
        size = len(slots) // SLOTS
        for slot in range(SLOTS):
            mark = slots[slot * size : (slot + 1) * size]
            if any(mark):
                found[block * SLOTS + slot] = mark
    return sum(wanted.get(n) != found.get(n) for n in wanted.keys() | found.keys())


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
        self._shelves: dict[int, Signs] = {}
        self._seen: object = None

    @property
    def _db(self) -> sqlite.Connection:
        return self._index.connection

    def mend(self, error: sqlite.Error) -> None:
        """Replace and fill the index if it is damaged; any other trouble is raised as ours."""
        self._index.mend(error)

    @whole
    def identity(self) -> str:
        """Whose vectors there are; nothing where there are none."""
        return lookup.meta(self._db, IDENTITY)

    @whole
    def counts(self, identity: str) -> tuple[int, int]:
        """How many sections have a vector of this embedder, and how many there are."""
        total = self._db.execute("SELECT count(*) FROM section").fetchone()[0]
        if self.identity() != identity:
            return 0, total
        return self._db.execute("SELECT count(*) FROM vector").fetchone()[0], total

    @whole
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

    def put(self, identity: str, made: Sequence[tuple[Unmeant, Meant]]) -> int:
        """Take in vectors; gives how many. Those of another embedder go.

        A section that is not what it was when it was read gets none.
        """
        put = 0
        with self._index.transaction() as db:
            if lookup.meta(db, IDENTITY) != identity:
                for table in ("vector", "piece", "sign"):
                    db.execute(f"DELETE FROM {table}")
                db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (IDENTITY, identity))
            still = (
                "SELECT 1 FROM section s JOIN memory m ON m.n = s.memory "
                "WHERE s.n = ? AND s.anchor = ? AND m.n = ? AND m.stamp = ?"
            )
            for one, meant in made:
                if db.execute(still, one[:4]).fetchone():
                    kept = Made(meant.whole, signs_of_pieces(meant))
                    _put(db, one.section, key_of(one.passage), kept)
                    put += 1
        return put

    @whole
    def near(self, identity: str, cue: Meant, shelf: str, most: int) -> Near | None:
        """How near the sections of a shelf are to a cue; None where nothing can be said."""
        if self.identity() != identity:
            return None
        signs = self._signs(lookup.SHELVES.index(shelf), len(cue.whole))
        numbers, mean = signs.nearest(signs_of(cue.whole), MOST_COMPARED)
        found = self.cosines(cue, numbers)
        if not found:
            return None
        best = sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))
        if len(found) == len(signs.numbers):
            mean = sum(found.values()) / len(found)
        return Near(Scale(mean, best[0][1]), best[:most], signs.some(MOST_SAMPLED))

    @whole
    def cosines(self, cue: Meant, sections: Sequence[int]) -> dict[int, float]:
        """How near these sections are to a cue, those that have a vector."""
        from recollect.adapters.sqlite import nearness

        return nearness.cosines(cue.whole, self._rows("vector", "vector", sections))

    @whole
    def agreement(self, cue: Meant, sections: Sequence[int]) -> dict[int, float]:
        """How well these sections have each piece of a cue, on average: 0 to 1."""
        from recollect.adapters.sqlite import nearness

        return nearness.agreement(cue, self._rows("piece", "signs", sections)) if cue.pieces else {}

    def _rows(self, table: str, column: str, sections: Sequence[int]) -> dict[int, bytes]:
        """What these sections have in a table."""
        found: dict[int, bytes] = {}
        for start in range(0, len(sections), lookup.MOST_AT_ONCE):
            some = sections[start : start + lookup.MOST_AT_ONCE]
            marks = ",".join("?" * len(some))
            asked = f"SELECT n, {column} FROM {table} WHERE n IN ({marks})"
            found.update(self._db.execute(asked, tuple(some)).fetchall())
        return found

    def _signs(self, shelf: int, size: int) -> Signs:
        from recollect.adapters.sqlite.nearness import Signs

        mark = self._index.version()
        if mark != self._seen:
            self._shelves.clear()
            self._seen = mark
        if shelf not in self._shelves:
            rows = self._db.execute("SELECT block, slots FROM sign ORDER BY block").fetchall()
            self._shelves[shelf] = Signs(rows, shelf, size)
        return self._shelves[shelf]
