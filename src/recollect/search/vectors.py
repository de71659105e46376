"""Vectors of sections: what is embedded, how it is stored, and what is near a cue.

A deleted section takes its vectors along in the same transaction; an unchanged one keeps them
under any number. Vectors of two embedders are never compared. A search reads a few bytes per
section and the rest only of the nearest. Private and encrypted memories are not in the index and so
reach no model.

`vector` holds a section's whole vector, `piece` the signs of its tokens, `sign` the signs of the
whole: 64 sections per row, each behind its shelf, counted from 1; a slot of zeros is free.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from recollect._fastimport import Any, NamedTuple, Pattern
from recollect.errors import MissingExtra
from recollect.ports import Near, PendingSection
from recollect.search import lookup
from recollect.search.index_file import SLOTS, with_repair
from recollect.search.lookup import sqlite
from recollect.text.tokens import is_cjk

TYPE_CHECKING = False

if TYPE_CHECKING:
    import re

    from recollect.ports import Embedder
    from recollect.search.index import SqliteIndex


# -------------------------------------------------------------------------------- what is embedded

PASSAGE_VERSION = 1  # part of the identity of vectors: how a section becomes a passage
LONGEST_TEXT = 1_200  # characters; a model reads some hundred words
LONGEST_BESIDE = 400
MOST_FOREIGN = 0.3  # share of Chinese characters from which on an English model understands nothing
MOST_THREADS = 2
_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
OF_PIECES = 0.7  # weight of the pieces in how near a text is; the rest is the whole
_WORD = Pattern(r"[\w-]+(?:'s|’s)?")


class Passage(NamedTuple):
    """A text with its context before and after."""

    text: str
    before: str = ""
    after: str = ""


class Embedding(NamedTuple):
    """Vectors of int8 numbers, one byte each; their length means nothing.

    `pieces` has one vector for each telling token, concatenated; none, if a model gives none. All
    are as long as that of the whole.
    """

    whole: bytes
    pieces: bytes = b""


class SectionText(NamedTuple):
    """A section as it is indexed; turns of conversations have neither title nor heading."""

    title: str
    heading: str
    text: str
    is_turn: bool


def passages(sections: Sequence[SectionText]) -> list[Passage]:
    """The passages of the sections of one memory, in order.

    A turn is understood by what stands around it; a section by its title.
    """
    texts = [_text_of(one) for one in sections]
    found = []
    for n, one in enumerate(sections):
        if one.is_turn:
            before = "\n".join(texts[max(0, n - 2) : n])[-LONGEST_BESIDE:]
            after = texts[n + 1][:LONGEST_BESIDE] if n + 1 < len(texts) else ""
            found.append(Passage(texts[n], before, after))
        else:
            found.append(Passage(texts[n]))
    return found


def _text_of(section: SectionText) -> str:
    if section.is_turn:
        head, _, body = section.text.partition("\n")
        text = f"{head.partition(' [')[0].strip()}: {body.strip()}"
    else:
        name = f"{section.title}: {section.heading}" if section.heading else section.title
        text = f"{name}\n{section.text}"
    return text[:LONGEST_TEXT]


def is_foreign(text: str) -> bool:
    """Whether a cue has too many Chinese characters for a model of English."""
    if text.isascii():
        return False
    letters = [char for char in text if not char.isspace()]
    return sum(map(is_cjk, letters)) > MOST_FOREIGN * len(letters)


def in_first_person(text: str, speakers: Iterable[str]) -> str:
    """A question about a speaker as that person would word it: “I” in place of the name."""
    names = {name.casefold() for name in speakers if name}

    def pronoun(found: re.Match[str]) -> str:
        word = found[0]
        plain = word[:-2] if word.endswith(("'s", "’s")) else word
        if plain.casefold() not in names:
            return word
        return "I" if plain == word else "my"

    return _WORD.sub(pronoun, text)


# -------------------------------------------------------------------------------------- similarity


class Scale(NamedTuple):
    """The mean cosine of a shelf and the highest: 0 and 1 of how near its sections are."""

    mean: float
    most: float

    def of(self, value: float) -> float:
        """A cosine on this scale."""
        if self.most - self.mean <= 1e-6:
            return 0.0
        return min(1.0, max(0.0, (value - self.mean) / (self.most - self.mean)))


def nearness(
    wholes: Mapping[int, float], scale: Scale, pieces: Mapping[int, float], mean: float
) -> dict[int, float]:
    """How near texts are to a cue, 0 to 1, by the cosines of the wholes and the match of their pieces.

    `scale` is that of the wholes, `mean` the usual match of pieces. A text without pieces is as near
    as the whole.
    """
    found = {n: scale.of(value) for n, value in wholes.items()}
    by_pieces = Scale(mean, max(pieces.values(), default=mean))
    for n in found.keys() & pieces.keys():
        found[n] += OF_PIECES * (by_pieces.of(pieces[n]) - found[n])
    return found


def numpy() -> Any:
    """The library; its BLAS takes at most `MOST_THREADS` threads. Raises MissingExtra."""
    import os
    import sys

    ours = {} if "numpy" in sys.modules else dict.fromkeys(_THREADS, str(MOST_THREADS))
    ours = {name: value for name, value in ours.items() if name not in os.environ}
    os.environ.update(ours)
    try:
        import numpy as np
    except ImportError:
        raise MissingExtra(feature="Search by meaning", package="numpy", extra="embed") from None
    finally:
        for name in ours:
            del os.environ[name]
    if not hasattr(np, "bitwise_count"):  # before 2.0
        raise MissingExtra(feature="Search by meaning", package="numpy>=2.0", extra="embed")
    return np


class Signs:
    """The signs of the vectors of a shelf, to see quickly which may be near."""

    def __init__(self, rows: Sequence[tuple[int, bytes]], shelf: int, numbers: int) -> None:
        """`rows` are those of the table `sign`, in order; the vectors have so many numbers.

        Raises MissingExtra.
        """
        np = numpy()
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
        np = numpy()
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
    np = numpy()
    vectors = {n: vector for n, vector in vectors.items() if len(vector) == len(asked)}
    if not vectors:
        return {}
    mine = _unit(np.frombuffer(asked, np.int8)[None])[0]
    several = np.frombuffer(b"".join(vectors.values()), np.int8).reshape(len(vectors), -1)
    return dict(zip(vectors, (_unit(several) @ mine).tolist(), strict=True))


def agreement(cue: Embedding, texts: Mapping[int, bytes]) -> dict[int, float]:
    """For each piece of a cue the cosine of the nearest piece of a text, on average."""
    np = numpy()
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


def _unit(vectors: Any) -> Any:
    np = numpy()
    some = vectors.astype(np.float32)
    sizes = np.sqrt(np.einsum("ij,ij->i", some, some)) + np.float32(1e-6)
    some /= sizes[:, None]
    return some


# ----------------------------------------------------------------------------------------- storage

IDENTITY = "embedder"  # the key in `meta` under which the identity of their embedder is kept
MOST_COMPARED = 500  # of a shelf, those nearest by their signs, are compared number by number
MOST_SAMPLED = 100
AT_ONCE = 64  # sections that are embedded together
_TEXT = "m.title, s.heading, s.text, s.shelf = 2"
_SIGN = bytes(b"01"[0 < byte < 128] for byte in range(256))  # of an int8 number


class StoredVector(NamedTuple):
    """What is stored of a section: the vector of the whole, and the signs of its pieces."""

    vector: bytes
    pieces: bytes


def stored_of(db: sqlite.Connection, path: str) -> dict[bytes, StoredVector]:
    """The vectors of the sections of a file, by the hash of what they were computed from."""
    rows = db.execute(
        "SELECT v.key, v.vector, coalesce(p.signs, x'') FROM vector v JOIN section s ON s.n = v.n "
        "JOIN memory m ON m.n = s.memory LEFT JOIN piece p ON p.n = v.n WHERE m.path = ?",
        (path,),
    )
    return {key: StoredVector(vector, pieces) for key, vector, pieces in rows.fetchall()}


def restore(db: sqlite.Connection, path: str, stored: dict[bytes, StoredVector]) -> None:
    """Give the unchanged sections of a file the vectors that they had."""
    for memory, stamp in db.execute("SELECT n, stamp FROM memory WHERE path = ?", (path,)):
        for one in _pending(db, memory, stamp, set()):
            key = key_of(one.passage)
            if key in stored:
                _put(db, one.section, key, stored[key])


def key_of(passage: Passage) -> bytes:
    """The hash of a passage."""
    from hashlib import blake2b  # brings OpenSSL, and each write loads this module

    return blake2b("\0".join(passage).encode("utf-8", "surrogatepass"), digest_size=12).digest()


def signs_of(numbers: bytes) -> bytes:
    """A bit for each number of a vector: whether it is above 0. Without numpy, for whoever saves."""
    bits = numbers.translate(_SIGN)
    bits = bits.ljust(-len(bits) // 16 * -16, b"0")
    return int(bits, 2).to_bytes(len(bits) // 8, "big")


def signs_of_pieces(embedding: Embedding) -> bytes:
    """The same of each piece, concatenated."""
    size, pieces = len(embedding.whole), embedding.pieces
    return b"".join(signs_of(pieces[at : at + size]) for at in range(0, len(pieces), size))


def _put(db: sqlite.Connection, section: int, key: bytes, stored: StoredVector) -> None:
    db.execute("INSERT OR REPLACE INTO vector VALUES (?, ?, ?)", (section, key, stored.vector))
    if stored.pieces:
        db.execute("INSERT OR REPLACE INTO piece VALUES (?, ?)", (section, stored.pieces))
    [(shelf,)] = db.execute("SELECT shelf FROM section WHERE n = ?", (section,))
    entry = bytes([shelf + 1]) + signs_of(stored.vector)
    block, slot = divmod(section, SLOTS)
    row = db.execute("SELECT slots FROM sign WHERE block = ?", (block,)).fetchone()
    is_same_size = row is not None and len(row[0]) == len(entry) * SLOTS
    slots = bytearray(row[0] if is_same_size else len(entry) * SLOTS)
    slots[slot * len(entry) : (slot + 1) * len(entry)] = entry
    db.execute("INSERT OR REPLACE INTO sign VALUES (?, ?)", (block, bytes(slots)))


def count_wrong_signs(db: sqlite.Connection) -> int:
    """How many signs differ from their vector, or are missing."""
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


def _pending(
    db: sqlite.Connection, memory: int, stamp: str, have: set[int]
) -> list[PendingSection]:
    rows = db.execute(
        f"SELECT s.n, s.anchor, {_TEXT} FROM section s JOIN memory m ON m.n = s.memory "
        "WHERE m.n = ? ORDER BY s.n",
        (memory,),
    ).fetchall()
    found = passages([SectionText(*row[2:]) for row in rows])
    return [
        PendingSection(row[0], row[1], memory, stamp, passage)
        for row, passage in zip(rows, found, strict=True)
        if row[0] not in have
    ]


class SqliteVectors:
    """The vectors of one index."""

    def __init__(self, index: SqliteIndex) -> None:
        self._index = index
        self._shelves: dict[int, Signs] = {}
        self._seen: object = None

    @property
    def _db(self) -> sqlite.Connection:
        return self._index.connection

    def repair(self, error: sqlite.Error) -> None:
        """Replace and refill the index if it is damaged; else raise our error."""
        self._index.repair(error)

    @with_repair
    def identity(self) -> str:
        """The identity of the embedder that made the vectors; empty where there are none."""
        return lookup.meta(self._db, IDENTITY)

    @with_repair
    def counts(self, identity: str) -> tuple[int, int]:
        """How many sections have a vector of this embedder, and how many there are."""
        total = self._db.execute("SELECT count(*) FROM section").fetchone()[0]
        if self.identity() != identity:
            return 0, total
        return self._db.execute("SELECT count(*) FROM vector").fetchone()[0], total

    @with_repair
    def missing(self, identity: str, most: int) -> list[PendingSection]:
        """Sections without a vector of this embedder, memory by memory, what recall sees first."""
        mine = self.identity() == identity
        lacking = "NOT EXISTS (SELECT 1 FROM vector v WHERE v.n = s.n)" if mine else "1"
        rows = self._db.execute(
            "SELECT m.n, m.stamp, count(*) FROM section s JOIN memory m ON m.n = s.memory "
            f"WHERE {lacking} GROUP BY m.n ORDER BY m.shelf = 1, m.shelf, m.n DESC LIMIT ?",
            (most,),
        )
        found: list[PendingSection] = []
        for memory, stamp, _ in rows.fetchall():
            have = "SELECT n FROM vector WHERE n IN (SELECT n FROM section WHERE memory = ?)"
            done = {n for (n,) in self._db.execute(have, (memory,))} if mine else set()
            found += _pending(self._db, memory, stamp, done)
            if len(found) >= most:
                break
        return found[:most]

    def put(self, identity: str, made: Sequence[tuple[PendingSection, Embedding]]) -> int:
        """Store vectors and delete those of another embedder; gives how many were stored.

        A section that has changed since it was read gets none.
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
            for one, embedding in made:
                if db.execute(still, one[:4]).fetchone():
                    stored = StoredVector(embedding.whole, signs_of_pieces(embedding))
                    _put(db, one.section, key_of(one.passage), stored)
                    put += 1
        return put

    @with_repair
    def near(self, identity: str, cue: Embedding, shelf: str, most: int) -> Near | None:
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

    @with_repair
    def cosines(self, cue: Embedding, sections: Sequence[int]) -> dict[int, float]:
        """How near these sections are to a cue, those that have a vector."""
        return cosines(cue.whole, lookup.column_of(self._db, "vector", "n", "vector", sections))

    @with_repair
    def agreement(self, cue: Embedding, sections: Sequence[int]) -> dict[int, float]:
        """How well these sections have each piece of a cue, on average: 0 to 1."""
        if not cue.pieces:
            return {}
        return agreement(cue, lookup.column_of(self._db, "piece", "n", "signs", sections))

    def _signs(self, shelf: int, size: int) -> Signs:
        mark = self._index.version()
        if mark != self._seen:
            self._shelves.clear()
            self._seen = mark
        if shelf not in self._shelves:
            rows = self._db.execute("SELECT block, slots FROM sign ORDER BY block").fetchall()
            self._shelves[shelf] = Signs(rows, shelf, size)
        return self._shelves[shelf]


def fill(index: SqliteIndex, embedder: Embedder, may_go_on: Callable[[], bool]) -> int:
    """Compute the missing vectors, batch by batch, as long as allowed; gives how many were stored."""
    total = 0
    while may_go_on():
        missing = index.vectors.missing(embedder.identity, AT_ONCE)
        if not missing:
            break
        made = embedder.passages([one.passage for one in missing])
        stored = index.vectors.put(embedder.identity, list(zip(missing, made, strict=True)))
        total += stored
        if not stored:
            break  # the memories change faster than we read them
    return total
