"""Archive what the person's pruning policy allows.

Nothing is deleted; each memory is a change of its own. What was brought back is not archived
again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import partial
from typing import Any

from recollect._fastimport import NamedTuple
from recollect.consolidate.apply import BACK, to_archive
from recollect.consolidate.weights import OWN_CAUSES, uses_of
from recollect.context.pointers import FILE as PINS
from recollect.context.pointers import pointers_in
from recollect.features.merge import OF_MANY_THINGS
from recollect.model.memory import Entry, Filter, is_sealed_path
from recollect.model.times import days_after
from recollect.store.history import undone
from recollect.store.store import OpenStore
from recollect.workspace import Workspace

SUPERSEDED, RESOLVED, UNUSED = "superseded", "resolved", "unused"


class PrunePolicy(NamedTuple):
    """After how many days without a change or a use a memory may go; 0 for never."""

    superseded: int = 0  # something else holds in its place
    resolved: int = 0  # an issue
    unused: int = 0  # of low salience, where nobody needs it


class DueMemory(NamedTuple):
    """A memory that may go: why, and the day since which nothing was done with it."""

    entry: Entry
    why: str
    since: str


def due_by(
    entries: Iterable[Entry],
    last: Mapping[str, str],
    policy: PrunePolicy,
    today: str,
    kept: Collection[str] = (),
) -> list[DueMemory]:
    """What may go, the oldest first. `last` says when something was last done with a memory.

    What is `kept` was pointed to by a person, or brought back.
    """
    found = []
    for entry in entries:
        why = prune_reason(entry)
        days = getattr(policy, why) if why else 0
        since = max(last.get(entry.id, ""), entry.updated, entry.created, entry.last_accessed)[:10]
        if days and entry.id not in kept and since and since < days_after(today, -days):
            found.append(DueMemory(entry, why, since))
    return sorted(found, key=lambda one: (one.since, one.entry.id))


def prune_reason(entry: Entry) -> str:
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


PRUNE = "prune"
MOST_SHARE = 10  # percent of a store that go unasked


def due_in_store(store: OpenStore) -> list[DueMemory]:
    """What may go by the policy of this store, the oldest first."""
    policy = policy_of(store)
    if not any(policy):
        return []
    ops = store.journal.heads()
    gone = undone(ops)
    kept = {op.memory for op in ops if op.cause == PRUNE and op.group in gone}
    # An entry that came back to its page says nothing of the page.
    back = {op.memory for op in ops if op.cause == BACK and (op.op == "move" or not op.before)}
    kept |= back | _pinned_ids(store)
    last = {name: use.last for name, use in uses_of(store.journal.hot("inject"), store.now).items()}
    for op in ops:
        if op.cause.split("/")[0] not in OWN_CAUSES:
            last[op.memory] = max(op.time, last.get(op.memory, ""))
    # Nobody can tell whether an encrypted memory is needed.
    entries = [e for e in store.index.entries(Filter()) if not is_sealed_path(e.path)]
    return due_by(entries, last, policy, store.now, kept)


def policy_of(store: OpenStore) -> PrunePolicy:
    """After how many days what may go."""
    chosen = store.settings
    return PrunePolicy(chosen.prune_superseded, chosen.prune_resolved, chosen.prune_unused)


def prune(store: OpenStore, *, unasked: bool = False) -> list[DueMemory]:
    """Move what may go into the archive; gives what went.

    Too much is not done `unasked`: then nothing goes.
    """
    found = due_in_store(store)
    if unasked and is_too_much(store, len(found)):
        return []
    refused = store.commit_each((PRUNE, partial(to_archive, store, one.entry)) for one in found)
    return [one for n, one in enumerate(found) if n not in refused]


def is_too_much(store: OpenStore, many: int) -> bool:
    """Whether that many memories are more than may go unasked; one always may."""
    return many > 1 and many * 100 > store.index.counts()["memories"] * MOST_SHARE


def _pinned_ids(store: OpenStore) -> set[str]:
    return {one.id.partition("#")[0] for one in pointers_in(store.text_at(PINS)[0])}


# ---------------------------------------------------------------------------------- all stores


class PruneResult(NamedTuple):
    """What a policy says may go from a store, or what went."""

    scope: str
    policy: PrunePolicy
    rows: list[DueMemory]

    def as_json(self) -> dict[str, Any]:
        """What `--json` shows."""
        rows = rows_json(self.rows)
        return {"scope": self.scope, "policy": self.policy, "pruned": rows}


def rows_json(rows: Iterable[DueMemory]) -> list[dict[str, str]]:
    """What goes, as JSON."""
    return [
        {"id": one.entry.id, "path": one.entry.path, "why": one.why, "since": one.since}
        for one in rows
    ]


def prune_stores(app: Workspace, *, scope: str, apply: bool) -> list[PruneResult]:
    """What may go from the stores; with `apply` it goes into their archives."""
    done = []
    for store in app.stores(scope):
        rows = prune(store) if apply else due_in_store(store)
        done.append(PruneResult(store.scope, policy_of(store), rows))
    return done


def prune_with_pass(store: OpenStore, *, dry_run: bool) -> list[DueMemory]:
    """What goes, or would go, with a consolidation: nothing unless the person has set that."""
    if not store.settings.prune_auto:
        return []
    if not dry_run:
        return prune(store, unasked=True)
    found = due_in_store(store)
    return [] if is_too_much(store, len(found)) else found
