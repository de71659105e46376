"""What a store has, what it costs, and what of it is used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from recollect._fastimport import NamedTuple
from recollect.errors import RecollectError
from recollect.features import pins, reading
from recollect.model.document import days_after
from recollect.model.memory import Entry, Filter, is_sealed_path
from recollect.store.store import OpenStore
from recollect.workspace import Workspace

MOST_SHOWN = 5
MOST_LISTED = 20
WEEKS = 26


class MemoryUse(NamedTuple):
    """How often a memory was handed to an agent that asked something, and when last."""

    times: int
    last: str


def stats(app: Workspace, *, scope: str) -> list[dict[str, Any]]:
    """What each store has, what it costs, what of it is used, and when it came about."""
    rows = reading.stats(app, scope=scope)
    return [
        row
        | _use_stats(app, store)
        | {"activity": _activity(store, app.now), "pointers": _pointer_stats(store)}
        | {
            "encrypted": _encryption_stats(store),
            "past_their_time": count_overdue(store, app.now),
        }
        for row, store in zip(rows, app.stores(scope), strict=True)
    ]


def count_overdue(store: OpenStore, now: str) -> int:
    """How many episodes wait to be archived: each pass of consolidation takes a tenth of a store."""
    entries = store.index.entries(Filter(layer="episodic"))
    return sum(1 for entry in entries if entry.decay_after and entry.decay_after < now[:10])


def uses_of(injections: Iterable[Mapping[str, Any]]) -> dict[str, MemoryUse]:
    """How often each memory was put in front of an agent for a prompt or an error.

    What stands in a brief was not asked for: it counts as no use.
    """
    found: dict[str, MemoryUse] = {}
    for line in injections:
        items = line.get("items")
        if line.get("moment") == "start" or not isinstance(items, list):
            continue
        time = str(line.get("time", ""))
        for name in {str(item).partition("#")[0] for item in items}:
            old = found.get(name, MemoryUse(0, ""))
            found[name] = MemoryUse(old.times + 1, max(old.last, time))
    return found


def uses_in_store(app: Workspace, store: OpenStore) -> dict[str, MemoryUse]:
    """How often each memory was used: what is of all projects, as far as this project tells.

    What a session of the project was handed stands in the project's journal, wherever it is from.
    """
    stores = [store]
    with suppress(RecollectError):  # another store that is broken says so itself
        stores += [other for other in app.stores() if other is not store]
    return uses_of(line for one in stores for line in one.journal.hot("inject"))


def _use_stats(app: Workspace, store: OpenStore) -> dict[str, Any]:
    """The seed's statistics of use: most accessed, never accessed, oldest unaccessed."""
    entries = [e for e in store.index.entries(Filter()) if "core/" not in e.path]
    uses = uses_in_store(app, store)
    used = [entry for entry in entries if entry.id in uses]
    unused = sorted((e for e in entries if e.id not in uses), key=_unused_since)
    used.sort(key=lambda entry: (-uses[entry.id].times, entry.id))
    return {
        "used": {"memories": len(used), "times": sum(uses[entry.id].times for entry in used)},
        "most_accessed": [
            {"id": e.id, "title": e.title, "times": uses[e.id].times, "last": uses[e.id].last[:10]}
            for e in used[:MOST_SHOWN]
        ],
        "never_accessed": {"count": len(unused), "ids": [e.id for e in unused[:MOST_LISTED]]},
        "oldest_unaccessed": next(
            (
                {"id": e.id, "title": e.title, "since": _unused_since(e)[0]}
                for e in unused
                if _unused_since(e)[0]
            ),
            None,
        ),
    }


def _pointer_stats(store: OpenStore) -> dict[str, int]:
    """What the pointers in the client's instructions cost in every session."""
    found = pins.pinned_in(store)
    return {"memories": len(found.pointers), "tokens": found.tokens}


def _encryption_stats(store: OpenStore) -> dict[str, Any]:
    """How many memories are encrypted, and in which layers everything new is."""
    count = sum(is_sealed_path(entry.path) for entry in store.every_entry())
    return {"memories": count, "asked_for": sorted(store.settings.encrypt)}


def _unused_since(entry: Entry) -> tuple[str, str]:
    """Since when nobody has needed a memory."""
    return max(entry.created[:10], entry.last_accessed), entry.id


def _activity(store: OpenStore, now: str) -> dict[str, Any]:
    """How many memories each day of the last half year brought, archived ones too."""
    since = days_after(now, -7 * WEEKS)
    days = Counter(
        entry.created[:10]
        for entry in store.every_entry(Filter(since=since))
        if since <= entry.created[:10] <= now[:10]
    )
    return {"until": now[:10], "days": dict(sorted(days.items()))}
