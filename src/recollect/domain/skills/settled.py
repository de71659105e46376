"""Skills: what a person has decided about suggestions, as the file `skills.json` of a store.

Promises: a suggestion that was dismissed or made a skill is known again when it has grown, moved
or got another name; a file that somebody damaged is no decision, and keys that we do not know stay.
Touches: nothing.
"""

from __future__ import annotations

from typing import Any

from recollect.domain.jsontext import rows_in, with_rows
from recollect.domain.skills.matter import Suggestion
from recollect.named import NamedTuple

FILE = "skills.json"
KEY, VERSION = "settled", 1
DISMISSED, PROMOTED = "dismissed", "promoted"


class Settled(NamedTuple):
    """A suggestion that a person has decided about."""

    name: str
    type: str
    decision: str
    date: str
    title: str
    words: tuple[str, ...]
    memories: tuple[str, ...]

    def is_about(self, one: Suggestion) -> bool:
        """Whether this is the decision about that suggestion."""
        if self.type != one.type:
            return False
        both = len(set(self.memories) & set(one.memories))
        if self.name == one.name or 2 * both >= min(len(self.memories), len(one.memories)) > 0:
            return True
        words = len(set(self.words) & set(one.words))
        return 10 * words >= 6 * max(len(self.words), len(one.words)) > 0


def settled_of(one: Suggestion, decision: str, now: str) -> Settled:
    """The decision about a suggestion."""
    return Settled(
        one.name, one.type, decision, now[:10], one.title, one.words, tuple(one.memories)
    )


def settled_in(text: str) -> list[Settled]:
    """The decisions that a file says; what in it is none is passed over."""
    return [_read(row) for row in rows_in(text, KEY) if _is_sound(row)]


def _is_sound(row: Any) -> bool:
    return isinstance(row, dict) and all(
        isinstance(row.get(key), str) for key in ("name", "type", "decision")
    )


def _read(row: dict[str, Any]) -> Settled:
    def many(key: str) -> tuple[str, ...]:
        found = row.get(key)
        return tuple(w for w in found if isinstance(w, str)) if isinstance(found, list) else ()

    return Settled(
        row["name"],
        row["type"],
        row["decision"],
        str(row.get("date", "")),
        str(row.get("title", "")),
        many("words"),
        many("memories"),
    )


def with_settled(text: str, one: Settled) -> str:
    """The file with one more decision, in place of an older one of this name and type."""
    rows = [*_others(text, one.name, one.type), one._asdict()]
    return with_rows(text, KEY, rows, VERSION)


def without_settled(text: str, name: str) -> str:
    """The file without the decisions about this name."""
    return with_rows(text, KEY, _others(text, name, ""), VERSION)


def _others(text: str, name: str, kind: str) -> list[Any]:
    return [
        row
        for row in rows_in(text, KEY)
        if not (_is_sound(row) and row["name"] == name and kind in ("", row["type"]))
    ]
