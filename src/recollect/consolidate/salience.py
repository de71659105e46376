"""Adjust salience and confidence by use and feedback.

Idempotent. A value that a person set is recognised and kept; each feedback counts once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from recollect._fastimport import NamedTuple
from recollect.capture.reactions import APPROVAL, ASKED_FOR, Credit, Reaction, credits_of
from recollect.consolidate.actions import AdjustFields
from recollect.errors import RecollectError
from recollect.model import frontmatter
from recollect.model.document import default_fields
from recollect.model.layers import SHARED
from recollect.model.memory import LEVELS, Entry, Op
from recollect.model.times import days_after
from recollect.store.store import OpenStore

RECENT_DAYS = 30
OFTEN = 3  # days of the recent ones on which a memory came first make it salient
IDLE_DAYS = 90
_NEEDED = (*ASKED_FOR, "recall", "expand")  # moments: of a hook, or of a tool that an agent called
OWN_CAUSES = ("consolidate", "capture")
KEPT = "set/"  # the cause of a change by which a person said that a field is right as it is


class LastUse(NamedTuple):
    """The day on which a memory was last handed to an agent that asked, and how often it came first."""

    last: str = ""
    recent: int = 0  # days of the recent ones on which it was the first of what was handed over


def uses_of(injections: Iterable[Mapping[str, Any]], today: str) -> dict[str, LastUse]:
    """How each memory was used. What stands in a brief was not asked for and does not count."""
    since = days_after(today, -RECENT_DAYS)
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
    return {name: LastUse(day, len(first.get(name, ()))) for name, day in last.items()}


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
    """The confidence after these reactions: each moves it by one step."""
    at = LEVELS.index(level)
    for kind in kinds:
        at = min(max(at + (1 if kind == APPROVAL else -1), 0), len(LEVELS) - 1)
    return LEVELS[at]


class FieldOrigin(NamedTuple):
    """How a field of a memory came to what it is."""

    is_set: bool  # by a person
    seq: int  # of the op with which the program last changed it; 0 for none


def field_origin(key: str, path: str, ops: Sequence[Op], text: str) -> FieldOrigin:
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
        if is_set or key in confirmed_fields(op.cause):
            return FieldOrigin(True, 0)
        if before is not None and value != before:
            seq = op.seq
        before = value
    now = _value(text, key)
    return FieldOrigin(bool(now) if before is None else (now or usual) != before, seq)


def cause_of(kept: Iterable[str]) -> str:
    """The cause of a change by `set`; `kept` are the fields it sets to the value they had."""
    return f"{KEPT}{'+'.join(sorted(kept))}".removesuffix("/")


def confirmed_fields(cause: str) -> Sequence[str]:
    """The fields that a change confirms as they are."""
    return cause.removeprefix(KEPT).split("+") if cause.startswith(KEPT) else ()


def _value(text: str, key: str) -> str:
    value = frontmatter.split_front(text).value(key)
    return value.strip().lower() if isinstance(value, str) else ""


# -------------------- Which memories get another salience, confidence or day of last access, and why.


USED, IDLE, CORRECTED, APPROVED = "used", "idle", "corrected", "approved"


class _MemoryFields(NamedTuple):
    """What is known of the memories of a store."""

    uses: dict[str, LastUse]
    credits: dict[str, list[Credit]]
    times: dict[str, list[str]]  # when something was done to them


def field_adjustments(
    store: OpenStore, entries: Iterable[Entry], ops: Iterable[Op], reactions: Iterable[Reaction]
) -> Iterator[AdjustFields]:
    """The fields that change by what was used, corrected, approved, or not needed for long.

    Of `ops` no texts are needed: they are asked for where a field is about to change.
    """
    injections = list(store.journal.hot("inject"))
    known = _MemoryFields(uses_of(injections, store.now[:10]), {}, {})
    for credit in credits_of(reactions, injections):
        known.credits.setdefault(credit.memory, []).append(credit)
    for op in ops:
        known.times.setdefault(op.memory, []).append(op.time)
    for entry in entries:
        is_kept = entry.layer == "episodic" or entry.path.startswith("core/")
        if not (is_kept or entry.problem or entry.status == "superseded"):
            with suppress(RecollectError):  # what cannot be read stays as it is
                yield from _weighed(store, entry, known)


def _weighed(store: OpenStore, entry: Entry, known: _MemoryFields) -> Iterator[AdjustFields]:
    use, credit = known.uses.get(entry.id, LastUse()), known.credits.get(entry.id, ())
    times = known.times.get(entry.id, ())
    # What holds for all projects is handed over in each of them, and noted there, not here.
    is_known = store.scope != "global"
    is_idle = is_known and _is_idle(entry, use, times, days_after(store.now, -IDLE_DAYS))
    salience = salience_after(entry.salience, use.recent, is_idle=is_idle)
    is_read = use.last > entry.last_accessed
    if not (credit or is_read or salience != entry.salience):
        return
    text = store.read(entry).text
    if not frontmatter.split_front(text).lines:
        return
    if entry.path not in SHARED.values():
        ops = store.journal.ops_about("memory", entry.id)[::-1]
        if (
            salience != entry.salience
            and not field_origin("salience", entry.path, ops, text).is_set
        ):
            yield AdjustFields(
                entry.path, "salience", entry.salience, salience, IDLE if is_idle else USED
            )
        yield from _believed(entry, ops, text, credit)
    if is_read:
        yield AdjustFields(entry.path, "last-accessed", entry.last_accessed, use.last, USED)


def _believed(
    entry: Entry, ops: Sequence[Op], text: str, credit: Sequence[Credit]
) -> Iterator[AdjustFields]:
    standing = field_origin("confidence", entry.path, ops, text)
    new = [one.kind for one in credit if one.seq > standing.seq]
    level = confidence_after(entry.confidence, new)
    if level != entry.confidence and not standing.is_set:
        why = APPROVED if new[-1] == APPROVAL else CORRECTED
        yield AdjustFields(entry.path, "confidence", entry.confidence, level, why)


def _is_idle(entry: Entry, use: LastUse, times: Sequence[str], since: str) -> bool:
    """Whether nobody has needed a memory for long, as far as this machine can know."""
    days = (entry.updated, entry.last_accessed, use.last, *times)
    return bool(times) and max(days)[:10] < since
