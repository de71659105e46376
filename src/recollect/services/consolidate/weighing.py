"""Consolidate: which memories get another salience, confidence or day of last access, and why.

Promises: a value that a person set stays; a reaction counts once, for one memory; episodes, core files
and files without front matter stay as they are, and files that hold many rules get the day only.
Touches: the ports behind the store it is given.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from recollect.domain import codec
from recollect.domain.lifecycle import Weigh
from recollect.domain.model import Entry, Op
from recollect.domain.reaction import APPROVAL, Credit, Reaction, credits_of
from recollect.domain.weighing import (
    IDLE_DAYS,
    Standing,
    Use,
    confidence_after,
    days_before,
    salience_after,
    standing_of,
    uses_of,
)
from recollect.errors import RecollectError
from recollect.named import NamedTuple
from recollect.services.opened import OpenStore
from recollect.services.writing import SHARED

USED, IDLE, CORRECTED, APPROVED = "used", "idle", "corrected", "approved"


class _Known(NamedTuple):
    """What is known of the memories of a store."""

    uses: dict[str, Use]
    credits: dict[str, list[Credit]]
    times: dict[str, list[str]]  # when something was done to them


def weighings(
    store: OpenStore, entries: Iterable[Entry], ops: Iterable[Op], reactions: Iterable[Reaction]
) -> Iterator[Weigh]:
    """The fields that change by what was used, corrected, approved, or not needed for long.

    Of `ops` no texts are needed: they are asked for where a field is about to change.
    """
    injections = list(store.journal.hot("inject"))
    known = _Known(uses_of(injections, store.now[:10]), {}, {})
    for credit in credits_of(reactions, injections):
        known.credits.setdefault(credit.memory, []).append(credit)
    for op in ops:
        known.times.setdefault(op.memory, []).append(op.time)
    for entry in entries:
        if _is_weighed(entry):
            with suppress(RecollectError):  # what cannot be read stays as it is
                yield from _weighed(store, entry, known)


def _is_weighed(entry: Entry) -> bool:
    if entry.layer == "episodic" or entry.path.startswith("core/") or entry.problem:
        return False
    return entry.status != "superseded"


def _weighed(store: OpenStore, entry: Entry, known: _Known) -> Iterator[Weigh]:
    use, credit = known.uses.get(entry.id, Use()), known.credits.get(entry.id, ())
    times = known.times.get(entry.id, ())
    # What holds for all projects is handed over in each of them, and noted there, not here.
    is_known = store.scope != "global"
    is_idle = is_known and _is_idle(entry, use, times, days_before(store.now, IDLE_DAYS))
    salience = salience_after(entry.salience, use.recent, is_idle=is_idle)
    is_read = use.last > entry.last_accessed
    if not (credit or is_read or salience != entry.salience):
        return
    text = store.read(entry).text
    if not codec.split_front(text).lines:
        return
    if entry.path not in SHARED.values():
        ops = store.journal.ops_about("memory", entry.id)[::-1]
        if salience != entry.salience and not _standing("salience", entry, ops, text).is_set:
            yield Weigh(entry.path, "salience", entry.salience, salience, IDLE if is_idle else USED)
        yield from _believed(entry, ops, text, credit)
    if is_read:
        yield Weigh(entry.path, "last-accessed", entry.last_accessed, use.last, USED)


def _believed(
    entry: Entry, ops: Sequence[Op], text: str, credit: Sequence[Credit]
) -> Iterator[Weigh]:
    standing = _standing("confidence", entry, ops, text)
    new = [one.kind for one in credit if one.seq > standing.seq]
    level = confidence_after(entry.confidence, new)
    if level != entry.confidence and not standing.is_set:
        why = APPROVED if new[-1] == APPROVAL else CORRECTED
        yield Weigh(entry.path, "confidence", entry.confidence, level, why)


def _standing(key: str, entry: Entry, ops: Sequence[Op], text: str) -> Standing:
    return standing_of(key, entry.path, ops, text)


def _is_idle(entry: Entry, use: Use, times: Sequence[str], since: str) -> bool:
    """Whether nobody has needed a memory for long, as far as this machine can know."""
    days = (entry.updated, entry.last_accessed, use.last, *times)
    return bool(times) and max(days)[:10] < since
