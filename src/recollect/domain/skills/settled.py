"""Skills: what a person has decided about suggestions, as the file `skills.json` of a store.

Promises: a suggestion that was dismissed or made a skill is known again when it has grown, moved
or got another name; a file that somebody damaged is no decision, and keys that we do not know stay.
Touches: nothing.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from recollect.domain.jsontext import object_in
from recollect.domain.skills.matter import Suggestion
from recollect.named import NamedTuple

FILE = "skills.json"
VERSION = 1
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
    return [_read(row) for row in _rows(text) if _is_sound(row)]


def _rows(text: str) -> list[Any]:
    rows = object_in(text).get("settled", [])
    return rows if isinstance(rows, list) else []


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
    return _written(text, [*_others(text, one.name, one.type), one._asdict()])


def without_settled(text: str, name: str) -> str:
    """The file without the decisions about this name."""
    return _written(text, _others(text, name, ""))


def _others(text: str, name: str, kind: str) -> list[Any]:
    return [
        row
        for row in _rows(text)
        if not (_is_sound(row) and row["name"] == name and kind in ("", row["type"]))
    ]


def _written(text: str, rows: Sequence[Any]) -> str:
    kept = {key: value for key, value in object_in(text).items() if key != "settled"}
    head = {"version": VERSION} | kept | {"settled": ""}
    # A line for each decision: what changed is what a diff shows.
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    start = json.dumps(head, ensure_ascii=False).removesuffix('""}')
    made = f"{start}[\n{lines}\n]}}\n" if rows else f"{start}[]}}\n"
    return made.encode("utf-8", "backslashreplace").decode()  # half a character, as JSON has it
