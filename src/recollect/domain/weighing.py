"""Weighing: how use and reactions move salience and confidence, and which values are a person's.

Promises: on its own result a rule changes nothing; a value that a person set, in whatever way, is told
from one that the program set; a reaction counts once.
Touches: nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from recollect.domain import codec
from recollect.domain.codec.fields import default_fields
from recollect.domain.model import LEVELS, Op
from recollect.domain.reaction import APPROVAL, ASKED_FOR
from recollect.named import NamedTuple

RECENT_DAYS = 30
OFTEN = 3  # days of the recent ones on which a memory came first make it salient
IDLE_DAYS = 90
_NEEDED = (*ASKED_FOR, "recall", "expand")  # moments: of a hook, or of a tool that an agent called
OWN_CAUSES = ("consolidate", "capture")
FIELDS = ("salience", "confidence")
KEPT = "set/"  # the cause of a change by which a person said that a field is right as it is


class Use(NamedTuple):
    """The day on which a memory was last handed to an agent that asked, and how often it came first."""

    last: str = ""
    recent: int = 0  # days of the recent ones on which it was the first of what was handed over


def uses_of(injections: Iterable[Mapping[str, Any]], today: str) -> dict[str, Use]:
    """How each memory was used. What stands in a brief was not asked for: it is no use."""
    since = days_before(today, RECENT_DAYS)
    last: dict[str, str] = {}
    first: dict[str, set[str]] = {}
    for line in injections:
        items, day = line.get("items"), str(line.get("time", ""))[:10]
        if line.get("moment") not in _NEEDED or not isinstance(items, list) or day > today:
            continue
        names = [str(item).partition("#")[0] for item in items]
        for name in names:
            last[name] = max(day, last.get(name, ""))
        if names and day > since:
            first.setdefault(names[0], set()).add(day)
    return {name: Use(day, len(first.get(name, ()))) for name, day in last.items()}


def days_before(today: str, days: int) -> str:
    """The day that many days before."""
    return (date.fromisoformat(today[:10]) - timedelta(days=days)).isoformat()


def salience_after(level: str, recent: int, *, is_idle: bool) -> str:
    """The salience of a memory that came first on so many recent days."""
    if recent >= OFTEN:
        return "high"
    if is_idle:
        return "low"
    if recent:
        return "medium" if level == "low" else level
    return "medium" if level == "high" else level


def confidence_after(level: str, kinds: Iterable[str]) -> str:
    """The confidence behind these reactions: each moves it by one step."""
    at = LEVELS.index(level)
    for kind in kinds:
        at = min(max(at + (1 if kind == APPROVAL else -1), 0), len(LEVELS) - 1)
    return LEVELS[at]


class Standing(NamedTuple):
    """How a field of a memory came to what it is."""

    is_set: bool  # by a person
    seq: int  # of the op with which the program last changed it; 0 for none


def standing_of(key: str, path: str, ops: Sequence[Op], text: str) -> Standing:
    """How a field came to what it is, by the ops about its memory in order, and its text now.

    A person set it if anybody but the program changed it, an undo included, or said that it is right
    as it is; if it was saved with another value than the usual one; or if it stands in a file that
    nobody but a person wrote.
    """
    usual = default_fields(path).get(key, "")
    before: str | None = None
    seq = 0
    for op in ops:
        if op.text is None:
            continue
        said = _value(op.text, key)
        value, is_own = said or usual, op.cause.split("/")[0] in OWN_CAUSES
        if before is None:
            is_set = not is_own and (value != usual or (op.cause == "outside" and bool(said)))
        else:
            is_set = not is_own and value != before
        if is_set or key in kept_by(op.cause):
            return Standing(True, 0)
        if before is not None and value != before:
            seq = op.seq
        before = value
    now = _value(text, key)
    return Standing(bool(now) if before is None else (now or usual) != before, seq)


def cause_of(kept: Iterable[str]) -> str:
    """The cause of a change by `set`; `kept` are the fields whose value it says anew."""
    return f"{KEPT}{'+'.join(sorted(kept))}".removesuffix("/")


def kept_by(cause: str) -> Sequence[str]:
    """The fields of which a change says that they are right as they are."""
    return cause.removeprefix(KEPT).split("+") if cause.startswith(KEPT) else ()


def _value(text: str, key: str) -> str:
    value = codec.split_front(text).value(key)
    return value.strip().lower() if isinstance(value, str) else ""
