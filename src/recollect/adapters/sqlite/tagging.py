"""SQLite: what the index knows of tags.

Promises: reads only; every tag is data; looks at a few rows, however large the store is.
Touches: nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from recollect.adapters.sqlite.engine import sqlite
from recollect.adapters.sqlite.lookup import match
from recollect.adapters.sqlite.rows import ENTRY_FIELDS, clean, entry_of
from recollect.domain.model import Entry
from recollect.domain.text import plain_words

MOST_SEEN = 20  # sections for each tag: enough to see which form is usual
MOST_SHARING = 40
MOST_TAGS = 12  # of one memory; what is beyond is not looked up
_JOINED = "hot_fts f JOIN section s ON s.n = f.rowid JOIN memory m ON m.n = s.memory"


def used(db: sqlite.Connection, tags: Sequence[str]) -> dict[str, int]:
    """The tags of memories that have one of these words in a tag, and how many have each."""
    seen: dict[int, str] = {}
    for tag in dict.fromkeys(tags[:MOST_TAGS]):
        words = plain_words(clean(tag))
        if words:
            rows = db.execute(
                f"SELECT m.n, m.tags FROM {_JOINED} WHERE hot_fts MATCH ? LIMIT ?",
                (f"tags : ({match(words, every=True)})", MOST_SEEN),
            )
            seen |= dict(rows.fetchall())
    found: dict[str, int] = {}
    for row in seen.values():
        for tag in row.split("\n"):
            found[tag] = found.get(tag, 0) + 1
    return found


def sharing(db: sqlite.Connection, tags: Sequence[str], layer: str) -> list[Entry]:
    """The memories of a layer that have two of these tags, as far as their words tell."""
    cut = [words for tag in dict.fromkeys(tags[:MOST_TAGS]) if (words := plain_words(clean(tag)))]
    pairs = [f"({match([*one, *two], every=True)})" for one, two in combinations(cut, 2)]
    if not pairs:
        return []
    fields = ", ".join(f"m.{name}" for name in ENTRY_FIELDS.split(", "))
    rows = db.execute(
        f"SELECT DISTINCT {fields} FROM {_JOINED} "
        "WHERE hot_fts MATCH ? AND m.layer = ? AND m.status <> 'superseded' LIMIT ?",
        (f"tags : ({' OR '.join(pairs)})", clean(layer), MOST_SHARING),
    )
    return [entry_of(row) for row in rows]
