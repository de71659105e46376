"""SQLite: FTS5's BM25 taken apart: how large a shelf is, how long its sections, what a word brings.

Promises: reads only; looks through a bounded number of sections.
Touches: nothing.
"""

from __future__ import annotations

from recollect.adapters.sqlite.lookup import MOST_AT_ONCE, WEIGHTS, match
from recollect.domain.bm25 import Size, Standing

TYPE_CHECKING = False  # a short search loads this: as little as can be
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from recollect.adapters.sqlite.engine import sqlite

MOST_TAKEN_APART = 5_000  # sections that the words have together


def size_of(db: sqlite.Connection, shelf: str) -> Size:
    """The size of a shelf, as FTS5 keeps it."""
    row = db.execute(f"SELECT block FROM {shelf}_fts_data WHERE id = 1").fetchone()
    sections, *words = _numbers(row[0]) if row and row[0] else [0]
    return Size(sections, sum(words))


def lengths_of(db: sqlite.Connection, shelf: str, sections: Sequence[int]) -> dict[int, int]:
    """How many words each of these sections has."""
    found: dict[int, int] = {}
    for start in range(0, len(sections), MOST_AT_ONCE):
        some = sections[start : start + MOST_AT_ONCE]
        asked = f"SELECT id, sz FROM {shelf}_fts_docsize WHERE id IN ({_marks(some)})"
        found |= {n: sum(_numbers(sizes)) for n, sizes in db.execute(asked, some).fetchall()}
    return found


def standing(
    db: sqlite.Connection, shelf: str, counts: Mapping[str, int], sections: Sequence[int]
) -> Standing:
    """How words stand on a shelf, given how many sections have each, and what they bring to these.

    The rarest words are taken apart; of the others the shelf would have to be looked through.
    """
    parts: dict[str, dict[int, float]] = {}
    left = MOST_TAKEN_APART if sections else 0
    # The plus keeps FTS5 from being asked for each section by itself.
    asked = (
        f"SELECT f.rowid, bm25({shelf}_fts, {WEIGHTS}) FROM {shelf}_fts f "
        f"WHERE {shelf}_fts MATCH ? AND +f.rowid IN ({_marks(sections)})"
    )
    for count, word in sorted((count, word) for word, count in counts.items() if count):
        left -= count
        if left < 0:
            break
        rows = db.execute(asked, (match([word]), *sections))
        parts[word] = {n: -score for n, score in rows.fetchall()}
    return Standing(size_of(db, shelf), counts, parts, lengths_of(db, shelf, sections))


def _marks(values: Sequence[int]) -> str:
    return ",".join("?" * len(values))


def _numbers(block: Iterable[int]) -> list[int]:
    """Numbers as SQLite packs them: seven bits in a byte, the last byte of each below 128."""
    found, number = [], 0
    for byte in block:
        number = number << 7 | byte & 127
        if byte < 128:
            found.append(number)
            number = 0
    return found
