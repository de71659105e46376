"""SQLite: a search of the index, for a program that writes to it too and for one that only reads.

Promises: reads only; what it gives depends on the index and the words alone.
Touches: nothing. A short search loads this, so what is seldom needed is imported where it is used.
"""

from __future__ import annotations

from recollect.adapters.sqlite import bm25, lookup
from recollect.adapters.sqlite.best import Shelf, best
from recollect.adapters.sqlite.stemming import stems
from recollect.domain.model import Filter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recollect.adapters.sqlite.engine import sqlite
    from recollect.domain.bm25 import Standing
    from recollect.domain.rank import Candidate

MOST_TURNS = 200  # of conversations: their order is settled by what was said around them

Sought = dict[str, dict[str, int]]  # by shelf: the words looked for, how many sections have each


def search(
    db: sqlite.Connection, words: list[str], only: Filter, limit: int
) -> tuple[list[Candidate], Sought]:
    """The sections that have some of these words, best first, and what was looked for."""
    filed = stems(words)
    shelf = "cold" if only.archived else "hot"
    sought = {shelf: _counts(db, filed, shelf)}
    found = _best(db, shelf, sought[shelf], only, limit)
    if len(found) < limit and _has_turns(db, only):
        sought["raw"] = _counts(db, filed, "raw")
        found += _best(db, "raw", sought["raw"], only, MOST_TURNS)
    return found, sought


def _has_turns(db: sqlite.Connection, only: Filter) -> bool:
    """Whether there are turns of conversations that the filter may let through."""
    return only.kind in ("", "conversation") and bool(bm25.size_of(db, "raw").sections)


def _counts(db: sqlite.Connection, filed: dict[str, str], shelf: str) -> dict[str, int]:
    """What to look for on a shelf, and how many sections have it."""
    counts = lookup.counts_of(db, filed, shelf)
    if all(counts.values()):
        return counts
    from recollect.adapters.sqlite import spelling

    return spelling.with_neighbours(db, counts, filed, shelf)


def _best(
    db: sqlite.Connection, shelf: str, counts: dict[str, int], only: Filter, limit: int
) -> list[Candidate]:
    where = ""
    values: list[object] = []
    if shelf != "hot" or only != Filter(trust=only.trust):
        from recollect.adapters.sqlite import rows

        where, values = rows.section_condition(only, shelf)
    return lookup.rows_of(db, best(Shelf(db, shelf, where, values), counts, limit))


def beside(db: sqlite.Connection, turns: Sequence[Candidate]) -> list[Candidate]:
    """The turns of the same conversations next to these (one before, two after), unscored."""
    have = {one.n for one in turns}
    near = {(one.n + by, one.memory) for one in turns for by in (-1, 1, 2)}
    wanted = dict.fromkeys(sorted({n for n, _ in near} - have), 0.0)
    return [one for one in lookup.rows_of(db, wanted) if (one.n, one.memory) in near]


def dated(db: sqlite.Connection, period: tuple[int, int], only: Filter) -> list[Candidate]:
    """The first sections of memories made in these days (from 1970), episodes first."""
    from recollect.adapters.sqlite import rows

    where, values = rows.condition(only, "cold" if only.archived else "hot")
    return lookup.dated(db, period, "", where, values)


class Reader:
    """What a search asks of an index, of a connection that sees one state of it."""

    def __init__(self, db: sqlite.Connection) -> None:
        """`db` comes from `lookup.open_index`."""
        self._db = db
        self._sought: Sought = {}

    def search(self, words: list[str], *, only: Filter, limit: int) -> list[Candidate]:
        """As the index does."""
        found, self._sought = search(self._db, words, only, limit)
        return found

    def standing(self, shelf: str, sections: Sequence[int]) -> Standing:
        """As the index does."""
        return bm25.standing(self._db, shelf, self._sought.get(shelf, {}), sections)

    def beside(self, turns: Sequence[Candidate]) -> list[Candidate]:
        """As the index does."""
        return beside(self._db, turns)

    def dated(self, period: tuple[int, int], only: Filter) -> list[Candidate]:
        """As the index does."""
        return dated(self._db, period, only)

    def snapshot(self) -> Reader:
        """It is one already."""
        return self

    def __enter__(self) -> None:
        """Nothing is to be done."""

    def __exit__(self, *_: object) -> None:
        """Nothing is to be done."""
