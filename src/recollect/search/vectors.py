"""Vectors in the index: insertion, deletion and nearest sections.

A deleted section takes its vectors along in the same transaction; an unchanged one keeps them
under any number. Vectors of two embedders are never compared. A search reads a few bytes per
section and the rest only of the nearest.

`vector` holds a section's whole vector, `piece` the signs of its tokens, `sign` the signs of the
whole: 64 sections per row, each behind its partition, counted from 1; a slot of zeros is free.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from recollect._fastimport import NamedTuple, Pattern
from recollect.errors import MissingExtra
from recollect.ports import Near, Unmeant
from recollect.search import lookup
from recollect.search.index_open import whole
from recollect.search.index_schema import SLOTS
from recollect.search.lookup import sqlite
from recollect.text.tokens import is_cjk

TYPE_CHECKING = False

if TYPE_CHECKING:
    import re

    import numpy as np

    from recollect.search.index import SqliteIndex


# -------------------- Meaning: what of a section and of a cue is told to a model, and what its nearness says.


PASSAGE_VERSION = 1  # part of what tells vectors apart: how a section becomes a passage
LONGEST_TOLD = 1_200  # characters; a model reads some hundred words
LONGEST_BESIDE = 400
MOST_FOREIGN = (
    0.3  # from this share of Chinese characters on a model that has no Chinese says nothing
)
OF_PIECES = 0.7  # what the pieces say of how near a text is; the rest is said by the whole
_OTHERS = Pattern(r"[\w-]+(?:'s|’s)?")


class Passage(NamedTuple):
    """A text, with what stands before and behind it."""

    text: str
    before: str = ""
    after: str = ""


class Meant(NamedTuple):
    """What a model makes of a text: vectors of int8 numbers, one byte each; their length says nothing.

    `pieces` are those of the words and parts of words that say something, one behind the other;
    none, where a model gives none. All are as long as that of the whole.
    """

    whole: bytes
    pieces: bytes = b""


class Part(NamedTuple):
    """A section as it is filed; turns of conversations have neither title nor heading."""

    title: str
    heading: str
    text: str
    is_turn: bool


def passages(parts: Sequence[Part]) -> list[Passage]:
    """The passages of the sections of one memory, which stand in order.

    A turn is understood by what was said around it; a section by the title that it stands under.
    """
    told = [_told(one) for one in parts]
    found = []
    for n, one in enumerate(parts):
        if one.is_turn:
            before = "\n".join(told[max(0, n - 2) : n])[-LONGEST_BESIDE:]
            after = told[n + 1][:LONGEST_BESIDE] if n + 1 < len(told) else ""
            found.append(Passage(told[n], before, after))
        else:
            found.append(Passage(told[n]))
    return found


def _told(part: Part) -> str:
    if part.is_turn:
        head, _, said = part.text.partition("\n")
        text = f"{head.partition(' [')[0].strip()}: {said.strip()}"
    else:
        name = f"{part.title}: {part.heading}" if part.heading else part.title
        text = f"{name}\n{part.text}"
    return text[:LONGEST_TOLD]


def is_foreign(text: str) -> bool:
    """Whether a cue has too much of a script that a model of English knows nothing of."""
    if text.isascii():
        return False
    letters = [char for char in text if not char.isspace()]
    return sum(map(is_cjk, letters)) > MOST_FOREIGN * len(letters)


def as_oneself(text: str, speakers: Iterable[str]) -> str:
    """A question about somebody as that person would say it: they say “I”, never their name."""
    names = {name.casefold() for name in speakers if name}

    def said(found: re.Match[str]) -> str:
        word = found[0]
        plain = word[:-2] if word.endswith(("'s", "’s")) else word
        if plain.casefold() not in names:
            return word
        return "I" if plain == word else "my"

    return _OTHERS.sub(said, text)


class Scale(NamedTuple):
    """What is usual on a shelf, and the most there is: 0 and 1 of how near its sections are."""

    usual: float
    most: float

    def of(self, value: float) -> float:
        """How near a section is."""
        if self.most - self.usual <= 1e-6:
            return 0.0
        return min(1.0, max(0.0, (value - self.usual) / (self.most - self.usual)))


def nearness(
    wholes: Mapping[int, float], scale: Scale, pieces: Mapping[int, float], usual: float
) -> dict[int, float]:
    """How near texts are to a cue, 0 to 1, by the cosines of the wholes and what their pieces say.

    `scale` is that of the wholes, `usual` what the pieces of any text say. A text without pieces
    is as near as the whole.
    """
    found = {n: scale.of(value) for n, value in wholes.items()}
    by_pieces = Scale(usual, max(pieces.values(), default=usual))
    for n in found.keys() & pieces.keys():
        found[n] += OF_PIECES * (by_pieces.of(pieces[n]) - found[n])
    return found


# -------------------- SQLite: how near vectors are to each other, with numpy.


class Signs:
    """The signs of the vectors of a shelf, to see quickly which may be near."""

    def __init__(self, rows: Sequence[tuple[int, bytes]], shelf: int, numbers: int) -> None:
        """`rows` are those of the table `sign`, in order; the vectors have so many numbers.

        Raises MissingExtra.
        """
        import numpy as np

        if not hasattr(np, "bitwise_count"):  # before 2.0
            raise MissingExtra(feature="Search by meaning", package="numpy>=2.0", extra="embed")
        self._bits = -numbers // 16 * -16
        wide = 1 + self._bits // 8
        fit = [(block, slots) for block, slots in rows if len(slots) == SLOTS * wide]
        slots = np.frombuffer(b"".join(row for _, row in fit), np.uint8).reshape(-1, wide)
        blocks = np.array([block for block, _ in fit], np.int64)
        every = (blocks[:, None] * SLOTS + np.arange(SLOTS)).ravel()
        is_mine = slots[:, 0] == shelf + 1
        self.numbers = every[is_mine]
        self._signs = np.ascontiguousarray(slots[is_mine, 1:]).view(np.uint16)

    def nearest(self, asked: bytes, most: int) -> tuple[list[int], float]:
        """The sections that have most signs in common with `asked`, and the mean of all cosines.

        That is what the signs tell: each says on which side of a plane two vectors lie.
        """
        import numpy as np

        differ = np.bitwise_count(self._signs ^ np.frombuffer(asked, np.uint16))
        apart = differ.sum(axis=1, dtype=np.uint16)
        order = np.argsort(apart, kind="stable")[:most]
        cosines = np.cos(np.pi / self._bits * apart)
        return list(self.numbers[order].tolist()), float(cosines.mean()) if len(apart) else 0.0

    def some(self, most: int) -> list[int]:
        """At most so many sections from all over the shelf."""
        step = max(1, -(-len(self.numbers) // most))
        return list(self.numbers[::step].tolist())


def cosines(asked: bytes, vectors: Mapping[int, bytes]) -> dict[int, float]:
    """The cosine of `asked` and each vector."""
    import numpy as np

    vectors = {n: vector for n, vector in vectors.items() if len(vector) == len(asked)}
    if not vectors:
        return {}
    mine = _unit(np.frombuffer(asked, np.int8)[None])[0]
    several = np.frombuffer(b"".join(vectors.values()), np.int8).reshape(len(vectors), -1)
    return dict(zip(vectors, (_unit(several) @ mine).tolist(), strict=True))


def agreement(cue: Meant, texts: Mapping[int, bytes]) -> dict[int, float]:
    """For each piece of a cue the cosine of the nearest piece of a text, on average."""
    import numpy as np

    numbers = len(cue.whole)
    wide = -numbers // 16 * -2
    texts = {n: signs for n, signs in texts.items() if signs and len(signs) % wide == 0}
    if not texts:
        return {}
    mine = _unit(np.frombuffer(cue.pieces, np.int8).reshape(-1, numbers))
    packed = np.frombuffer(b"".join(texts.values()), np.uint8).reshape(-1, wide)
    bits = np.unpackbits(packed, axis=1, count=numbers).astype(np.float32)
    near = (bits @ mine.T * 2 - mine.sum(axis=1)) / np.float32(numbers**0.5)
    starts = np.cumsum([0, *(len(text) // wide for text in texts.values())])[:-1]
    found = np.maximum.reduceat(near, starts, axis=0).mean(axis=1)
    return dict(zip(texts, found.tolist(), strict=True))


def _unit(vectors: np.ndarray) -> np.ndarray:
    import numpy as np

    some: np.ndarray = vectors.astype(np.float32)
    sizes = np.sqrt(np.einsum("ij,ij->i", some, some)) + np.float32(1e-6)
    some /= sizes[:, None]
    return some


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
        return cosines(cue.whole, self._rows("vector", "vector", sections))

    @whole
    def agreement(self, cue: Meant, sections: Sequence[int]) -> dict[int, float]:
        """How well these sections have each piece of a cue, on average: 0 to 1."""
        return agreement(cue, self._rows("piece", "signs", sections)) if cue.pieces else {}

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

        mark = self._index.version()
        if mark != self._seen:
            self._shelves.clear()
            self._seen = mark
        if shelf not in self._shelves:
            rows = self._db.execute("SELECT block, slots FROM sign ORDER BY block").fetchall()
            self._shelves[shelf] = Signs(rows, shelf, size)
        return self._shelves[shelf]
