"""SQLite: FTS5's BM25 taken apart: what a word of a section is worth, and how long sections are.

Promises: reads only; the numbers are those that FTS5's own `bm25` has.
Touches: nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import log

from recollect.adapters.sqlite.engine import sqlite
from recollect.adapters.sqlite.lookup import MOST_AT_ONCE
from recollect.named import NamedTuple

K1, B = 1.2, 0.75
LEAST = 1e-6  # what a word is worth that more than half of the sections have


class Size(NamedTuple):
    """How many sections a shelf has, and how many words they have together."""

    sections: int
    words: int

    @property
    def usual(self) -> float:
        """How many words a section has."""
        return self.words / self.sections

    def rarity(self, count: int) -> float:
        """What a word is worth that so many of the sections have."""
        worth = log((self.sections - count + 0.5) / (count + 0.5)) if count <= self.sections else 0
        return worth if worth > 0 else LEAST

    def share(self, frequency: float, length: float) -> float:
        """What part of its worth a word brings to a section of that length, up to 2.2."""
        return frequency * (K1 + 1) / (frequency + K1 * (1 - B + B * length / self.usual))


def size_of(db: sqlite.Connection, shelf: str) -> Size:
    """The size of a shelf, as FTS5 keeps it."""
    row = db.execute(f"SELECT block FROM {shelf}_fts_data WHERE id = 1").fetchone()
    sections, *words = _numbers(row[0]) if row and row[0] else [0]
    return Size(max(sections, 1), max(sum(words), 1))


def lengths_of(db: sqlite.Connection, shelf: str, sections: Sequence[int]) -> dict[int, int]:
    """How many words each of these sections has."""
    found: dict[int, int] = {}
    for start in range(0, len(sections), MOST_AT_ONCE):
        some = sections[start : start + MOST_AT_ONCE]
        asked = f"SELECT id, sz FROM {shelf}_fts_docsize WHERE id IN ({','.join('?' * len(some))})"
        found |= {n: sum(_numbers(sizes)) for n, sizes in db.execute(asked, some).fetchall()}
    return found


def _numbers(block: Iterable[int]) -> list[int]:
    """Numbers as SQLite packs them: seven bits in a byte, the last byte of each below 128."""
    found, number = [], 0
    for byte in block:
        number = number << 7 | byte & 127
        if byte < 128:
            found.append(number)
            number = 0
    return found
