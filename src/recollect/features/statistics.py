"""What the stores have, what it costs, what of it is used, and what waits for the person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from recollect._fastimport import NamedTuple
from recollect.clients import CAPTURED
from recollect.errors import RecollectError
from recollect.features import pins, reading
from recollect.features.given import injections, tokens_of
from recollect.i18n import say
from recollect.model.memory import SESSION_KINDS, Entry, Filter, is_sealed_path
from recollect.model.session import SessionState
from recollect.model.times import days_after
from recollect.store import disk
from recollect.store.history import arrivals, fades_after
from recollect.store.store import OpenStore
from recollect.workspace import Workspace

MOST_SHOWN = 5
MOST_LISTED = 20
LATELY_DAYS = 7


class MemoryUse(NamedTuple):
    """How often a memory was handed to an agent that asked something, and when last."""

    times: int
    last: str


def stats(app: Workspace, *, scope: str) -> list[dict[str, Any]]:
    """What each store has, what it costs, and what of it is used."""
    return [_stats_of(app, store) for store in app.stores(scope)]


def _stats_of(app: Workspace, store: OpenStore) -> dict[str, Any]:
    found, counts = store.index.entries(Filter()), store.index.counts()
    every = reading.listed(app, Filter(), scope="", stores=[store])
    injected = list(store.journal.hot("inject"))
    pinned = pins.pinned_in(store)  # it costs its tokens in every session
    sealed = sum(is_sealed_path(entry.path) for entry in store.every_entry())
    return {
        "scope": store.scope,
        "root": store.root,
        "memories": counts["memories"],
        "archived": counts["archived"],
        "conversations": counts["conversations"],
        "sections": counts["sections"],
        "tokens": sum(e.tokens for e in found),
        "layers": dict(Counter(e.layer for e in found).most_common()),
        "entries": len(every),
        "kinds": dict(Counter(map(_kind_of, every)).most_common()),
        "sessions": len({e.session for e in found if e.session}),
        "injected": {"times": len(injected), "tokens": sum(map(tokens_of, injected))},
        "bytes": _bytes_in(store.root),
        "index_bytes": _bytes_in(app.cache_of(store.root)),
        **_use_stats(app, store),
        "pointers": {"memories": len(pinned.pointers), "tokens": pinned.tokens},
        "encrypted": {"memories": sealed, "asked_for": sorted(store.settings.encrypt)},
        "past_their_time": count_overdue(store, app.now),
    }


def _kind_of(one: reading.ListedEntry) -> str:
    """The kind under which an entry is counted: core files are apart."""
    return "core" if one.page.entry.path.startswith("core/") else one.own.kind


def count_overdue(store: OpenStore, now: str) -> int:
    """How many episodes wait to be archived: each pass of consolidation takes up to a tenth of a store."""
    entries = store.index.entries(Filter(layer="episodic"))
    old = [entry for entry in entries if "" < entry.decay_after < now[:10]]
    arrived = arrivals(store.journal.heads()) if old else {}
    return sum(fades_after(entry, arrived.get(entry.id, "")) < now[:10] for entry in old)


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


def _unused_since(entry: Entry) -> tuple[str, str]:
    """Since when nobody has needed a memory."""
    return max(entry.created[:10], entry.last_accessed), entry.id


def _bytes_in(folder: str) -> int:
    return sum(info.st_size for _, info in disk.regular_files(folder))


def status(app: Workspace) -> dict[str, Any]:
    """How things stand in the stores of this folder, in short: see `recollect status`.

    `remembered` counts the entries by scope and kind, without sessions.
    """
    stores = app.stores()
    pages = [page for store in stores for page in store.index.entries(Filter())]
    sessions = [page for page in pages if page.kind in SESSION_KINDS]
    every = [one for store in stores for one in store.every_entry() if one.kind in SESSION_KINDS]
    newest = max(every, key=lambda one: one.updated or one.created, default=None)
    lasting: dict[str, Counter[str]] = {store.scope: Counter() for store in stores}
    for one in reading.listed(app, Filter(), scope=""):
        if one.own.kind not in SESSION_KINDS and one.own.status != "superseded":
            lasting[one.page.scope][_kind_of(one)] += 1
    since = days_after(app.now, -LATELY_DAYS)
    given = [line for store in stores for line in injections(store, since)]
    return {
        "remembered": {
            scope: dict(sorted(kinds.items(), key=lambda row: (-row[1], row[0])))
            for scope, kinds in lasting.items()
        },
        "sessions": len(sessions),
        "last": _last_session(app, newest) if newest else None,
        "waiting": waiting(app),
        "given": {
            "days": LATELY_DAYS,
            "sessions": len({line.get("session") for line in given}),
            "times": len(given),
            "tokens": sum(map(tokens_of, given)),
        },
    }


WAITING = {
    "review": "to review {n} (`recollect review`)",
    "conflicts": "conflicts {n} (`recollect conflicts`)",
    "unmerged": "pages with conflict marks of git {n} (`recollect conflicts`)",
    "decay": "due for the archive {n} (`recollect consolidate`)",
    "unaccepted": "not accepted from the repository {n} (`recollect review --repository accept`)",
}


def waiting(app: Workspace) -> dict[str, int]:
    """How much of each kind waits for the person."""
    from recollect.features import lifecycle, repository, review  # all of consolidation

    conflicts = lifecycle.conflicts(app, scope="")
    merged, unmerged = lifecycle.left_by_merges(app, scope="")
    return {
        "review": len(review.waiting_everywhere(app, scope="", trust="agent", episodes=False)),
        "conflicts": len(conflicts) + len(merged),
        "unmerged": len(unmerged),
        "decay": sum(count_overdue(store, app.now) for store in app.stores()),
        "unaccepted": repository.count_unaccepted(app),
    }


def describe_waiting(lang: str, counts: Mapping[str, int]) -> str:
    """What waits for the person, with the command for each kind; empty if nothing does."""
    parts = [say(lang, WAITING[name], n=count) for name, count in counts.items() if count]
    return ("、" if lang == "zh" else ", ").join(parts)


def _last_session(app: Workspace, entry: Entry) -> dict[str, Any]:
    """The session whose memory came in last, and how many statements it brought."""
    state = _state_of(app, entry.session)
    brought = (
        (state.decisions, state.patterns, state.issues, state.problems, state.solutions)
        if state
        else ()
    )
    return {
        "id": entry.id,
        "title": entry.title,
        "time": entry.updated or entry.created,
        "client": state.client if state else "",
        "entries": sum(map(len, brought)),
    }


def _state_of(app: Workspace, session: str) -> SessionState | None:
    for store in app.stores() if session else ():
        for client in CAPTURED:
            if state := app.sessions(store).load(client, session):
                return state
    return None
