"""Suggestions to merge or relate two memories that a person dismissed.

A pair has no order. A damaged file dismisses nothing; unknown keys are kept.
"""

from __future__ import annotations

from typing import Any

from recollect._fastimport import NamedTuple
from recollect.store.store import OpenStore
from recollect.text.json_edit import rows_in, with_rows

FILE = "dismissed.json"
KEY, VERSION = "dismissed", 1
MERGE, RELATED = "merge", "related"


class DismissedPair(NamedTuple):
    """Two memories that are not proposed for this any more, the first by name first."""

    what: str
    one: str
    other: str


def pair_of(what: str, one: str, other: str) -> DismissedPair:
    """The pair of these two, in whichever order they come."""
    return DismissedPair(what, *sorted((one, other)))


def dismissed_in(text: str) -> frozenset[DismissedPair]:
    """The pairs that a file says; what in it is none is passed over."""
    return frozenset(pair for row in rows_in(text, KEY) if (pair := _pair_in(row)))


def with_pair(text: str, pair: DismissedPair, date: str) -> str:
    """The file with one more pair."""
    if pair in dismissed_in(text):
        return text
    row = {"what": pair.what, "memories": [pair.one, pair.other], "date": date[:10]}
    return with_rows(text, KEY, [*rows_in(text, KEY), row], VERSION)


def without_pair(text: str, pair: DismissedPair) -> str:
    """The file without this pair."""
    if pair not in dismissed_in(text):
        return text
    rows = [row for row in rows_in(text, KEY) if _pair_in(row) != pair]
    return with_rows(text, KEY, rows, VERSION)


def _pair_in(row: Any) -> DismissedPair | None:
    if not isinstance(row, dict) or not isinstance(row.get("what"), str):
        return None
    names = row.get("memories")
    if not isinstance(names, list) or len(names) != 2:
        return None
    return pair_of(row["what"], *names) if all(isinstance(one, str) for one in names) else None


def pairs(store: OpenStore) -> frozenset[DismissedPair]:
    """What is not proposed any more."""
    return dismissed_in(store.text_at(FILE)[0])


def decide(
    store: OpenStore, what: str, name: str, other: str, *, again: bool, dry_run: bool
) -> bool:
    """Dismiss the proposal of these two memories, or allow it `again`; whether that is new.

    Raises:
        MemoryNotFound: there is no such memory.
    """
    pair = pair_of(what, store.require(name).id, store.require(other).id)

    def change(text: str) -> str:
        return without_pair(text, pair) if again else with_pair(text, pair, store.now)

    cause = f"{what}/{'again' if again else 'dismiss'}"
    return store.rewrite(FILE, change, cause=cause, dry_run=dry_run)
