"""Pruning: which memories a person's policy says are past their use.

Promises: nothing is due that a policy does not name; never due is what is private, loaded in every
session, of many hands, an episode (those fade by themselves) or marked as important.
Touches: nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import date, timedelta

from recollect.domain.model import Entry
from recollect.domain.related import OF_MANY_THINGS
from recollect.named import NamedTuple

SUPERSEDED, RESOLVED, UNUSED = "superseded", "resolved", "unused"


class Policy(NamedTuple):
    """After how many days without a change or a use a memory may go; 0 for never."""

    superseded: int = 0  # something else holds in its place
    resolved: int = 0  # an issue
    unused: int = 0  # of low salience, where nobody needs it


class Due(NamedTuple):
    """A memory that may go: why, and the day since which nothing was done with it."""

    entry: Entry
    why: str
    since: str


def due(
    entries: Iterable[Entry],
    last: Mapping[str, str],
    policy: Policy,
    today: str,
    kept: Collection[str] = (),
) -> list[Due]:
    """What may go, the oldest first. `last` says when something was last done with a memory.

    What is `kept` was pointed to by a person, or brought back.
    """
    found = []
    for entry in entries:
        why = reason_of(entry)
        days = getattr(policy, why) if why else 0
        since = max(last.get(entry.id, ""), entry.updated, entry.created, entry.last_accessed)[:10]
        if days and entry.id not in kept and since and since < _days_before(today, days):
            found.append(Due(entry, why, since))
    return sorted(found, key=lambda one: (one.since, one.entry.id))


def reason_of(entry: Entry) -> str:
    """The rule under which a memory may go one day, or nothing."""
    if entry.archived or entry.private or entry.problem or entry.layer == "episodic":
        return ""
    if entry.path.startswith("core/") or entry.path in OF_MANY_THINGS or entry.salience == "high":
        return ""
    if entry.status == SUPERSEDED:
        return SUPERSEDED
    if entry.kind == "issue" and entry.status == RESOLVED:
        return RESOLVED
    return UNUSED if entry.salience == "low" else ""


def _days_before(today: str, days: int) -> str:
    return (date.fromisoformat(today[:10]) - timedelta(days=days)).isoformat()
