"""Past: a store as it was at a point in its history.

Promises: what the journal says, in the order of its sequence numbers; clocks only tell a person
which point is meant.
Touches: nothing; it is given what the journal has.

A file as it was: what the first later op about it replaced. Where no later op is about a file it
is taken as it is now, for nobody has recorded an edit by hand that no command came upon.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from recollect.domain.model import Op
from recollect.domain.pattern import Pattern
from recollect.errors import ChangeNotFound
from recollect.named import NamedTuple
from recollect.services.ledger import OUTSIDE

SHORTEST_ID = 8
_TIME = Pattern(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}(?::[0-9]{2})?)?")


class Point(NamedTuple):
    """A point in the history: behind `change`, or before everything where that is empty."""

    change: str
    time: str  # as a person named it, or of the change
    later: tuple[str, ...]  # the changes behind it, in order


def point_named(ops: Sequence[Op], name: str) -> Point:
    """The point that a person means: behind a change (its id or a start of it), or a time.

    Raises:
        ChangeNotFound: it is neither.
    """
    times = {op.group: op.time for op in ops}
    groups = list(times)
    meant = [g for g in groups if g == name or (len(name) >= SHORTEST_ID and g.startswith(name))]
    if len(meant) == 1:
        at = groups.index(meant[0])
        return Point(meant[0], times[meant[0]], tuple(groups[at + 1 :]))
    end = end_of(name)
    if not end:
        raise ChangeNotFound(id=name)
    # The last one, for a clock that was wrong for a while must not hide what came after it.
    at = max((n for n, group in enumerate(groups) if times[group] <= end), default=-1)
    return Point(groups[at] if at >= 0 else "", end, tuple(groups[at + 1 :]))


def end_of(text: str) -> str:
    """The last second of a day, of a minute, or a second, in our form; nothing if it is no time."""
    words = text.strip().upper().removesuffix("Z").replace(" ", "T")
    if not _TIME.fullmatch(words):  # other forms that the library reads do not sort as ours do
        return ""
    try:
        datetime.fromisoformat(words)
    except ValueError:
        return ""
    return words + {10: "T23:59:59Z", 16: ":59Z", 19: "Z"}[len(words)]


def last_stamps(ops: Iterable[Op]) -> dict[str, str | None]:
    """The stamp that each file has by what the ops say; None where there should be no file."""
    found: dict[str, str | None] = {}
    for op in _about_files(ops):
        found[op.path] = op.after if op.op == "put" else None
        if op.op == "move":
            found[op.to] = op.before
    return found


def stamps_at(point: Point, ops: Sequence[Op]) -> dict[str, str | None]:
    """The stamp that each file had which later ops are about; None where there was no file.

    What went away by hand and came back since then was there, as far as anybody knows.
    """
    later = set(point.later)
    last = last_stamps(op for op in ops if op.group not in later)
    found: dict[str, str | None] = {}
    for op in _about_files(op for op in ops if op.group in later):
        was = op.before if op.op != "put" else op.before or last.get(op.path)
        found.setdefault(op.path, was)
        if op.op == "move":
            found.setdefault(op.to, None)
    return found


def moved_together(ops: Iterable[Op]) -> dict[str, set[str]]:
    """For each file that was moved, the places it was at: whatever holds for one holds for all."""
    found: dict[str, set[str]] = {}
    for op in ops:
        if op.op == "move":
            both = found.get(op.path, {op.path}) | found.get(op.to, {op.to})
            for path in both:
                found[path] = both
    return found


def _about_files(ops: Iterable[Op]) -> Iterable[Op]:
    return (op for op in ops if op.cause != OUTSIDE)
