"""Consolidate, archive and prune; list and settle conflicts.

What the person's pruning policy allows is archived, each memory as a change of its own; nothing is
deleted. What was brought back is not archived again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from functools import partial
from typing import Any

from recollect import workspace
from recollect._fastimport import NamedTuple
from recollect.capture.reactions import Reaction
from recollect.consolidate import apply as archiving
from recollect.consolidate import gather, run
from recollect.consolidate.actions import Wait
from recollect.consolidate.apply import BACK, Conversation, PassResult, to_archive
from recollect.consolidate.claim_cache import cached_claims
from recollect.consolidate.run import PassRow
from recollect.consolidate.weights import OWN_CAUSES, uses_of
from recollect.context import views
from recollect.context.pointers import FILE as PINS
from recollect.context.pointers import pointers_in
from recollect.errors import ConflictNotFound, UsageProblem
from recollect.features import entry_archive, entry_supersede, repository
from recollect.features.entry_archive import Moved
from recollect.features.entry_supersede import Superseded
from recollect.model.layers import SHARED
from recollect.model.memory import SESSION_KINDS, Entry, Filter, is_sealed_path
from recollect.model.times import days_after
from recollect.search.rank import is_queued
from recollect.store import disk
from recollect.store.background import PASSED, episodes_of, must_consolidate
from recollect.store.history import clean_up, undone
from recollect.store.store import OpenStore
from recollect.workspace import Finding, Workspace

LOCK_WAIT_SECONDS = 60


class ConsolidateResult(NamedTuple):
    """What consolidating a store did, or would do."""

    scope: str
    views: list[str]
    outcome: PassResult
    pruned: Sequence[DueMemory] = ()

    @property
    def rows(self) -> list[PassRow]:
        """What is done, one thing after the other."""
        return list(run.rows_of(self.outcome))

    @property
    def counts(self) -> dict[str, int]:
        """How much is done."""
        return run.counts_of(self.outcome)

    def as_json(self) -> dict[str, Any]:
        """The actions in the order in which they are done, and what is left to a person."""
        found = {"scope": self.scope, "views": self.views, **run.as_json(self.outcome)}
        return found | {"pruned": rows_json(self.pruned)}


def consolidate(
    app: Workspace, *, scope: str, dry_run: bool, force_decay: bool = False
) -> list[ConsolidateResult]:
    """Bring the stores into order, and their index, views and brief up to date."""
    done = []
    for store in app.stores(scope):
        if dry_run:
            with cached_claims(app, store) as known:
                gathered = gather.gather(store, known, reactions_in(app, store))
                found = run.look(gathered, force_decay=force_decay)
            gone = prune(store, unasked=True, dry_run=True)
            names = _stale_views(store, changes=bool(found.steps or found.archives))
            done.append(ConsolidateResult(store.scope, names, found, gone))
            continue
        done.append(consolidate_now(app, store, force_decay=force_decay))
    return done


def consolidate_now(
    app: Workspace, store: OpenStore, *, force_decay: bool = False
) -> ConsolidateResult:
    """Bring one store into order, and its index, views and brief up to date. Raises Locked."""
    with store.one_change():
        found = consolidate_store(app, store, force_decay=force_decay)
        gone = prune(store, unasked=True)
        clean_up(store, app.cache_of(store.root))
        done = ConsolidateResult(store.scope, app.publish(store), found, gone)
    workspace.go_on(app, store)
    return done


def consolidate_store(
    app: Workspace,
    store: OpenStore,
    wait_seconds: float = LOCK_WAIT_SECONDS,
    *,
    force_decay: bool = False,
) -> PassResult:
    """Bring one store into order, but not its views. Raises Locked."""
    with only_one(app, store, wait_seconds), cached_claims(app, store) as known:
        reactions, seq = reactions_in(app, store), store.journal.next_seq()
        found = run.consolidate(store, known, reactions=reactions, force_decay=force_decay)
        if found.steps or found.archives:
            store.note_change()
        passed = {PASSED: f"{app.now} {' '.join(sorted(episodes_of(store.index)))}"}
        asking = (store.index.entry(wait.mark.episode) for wait in found.waits)
        if not any(entry and entry.archived for entry in asking):
            passed[gather.HEARD] = str(seq)
        store.index.set_meta(passed)
    return found


def reactions_in(app: Workspace, store: OpenStore) -> list[Reaction]:
    """What people said of the answers they got, in all sessions of a store."""
    return [
        Reaction(row["kind"], state.session_id, row["since"], row["until"], row.get("seq", 0))
        for state in app.sessions(store).every()
        for row in state.reactions
    ]


def consolidate_if_due(app: Workspace, store: OpenStore) -> bool:
    """Consolidate when the last pass was on another day, or many episodes are new since.

    Raises Locked.
    """
    is_due = must_consolidate(store.index, store.now)
    if is_due:
        with store.one_change():
            consolidate_store(app, store, 0.0)
            prune(store, unasked=True)
    return is_due


def conflicts(app: Workspace, *, scope: str) -> list[tuple[str, Wait]]:
    """The contradictions that wait for a person, each with the scope of its store."""
    found = []
    for store in app.stores(scope):
        with cached_claims(app, store) as known:
            found += [(store.scope, wait) for wait in run.waiting(store, known)]
    return found


def released(app: Workspace, found: Iterable[tuple[str, Wait]], *, scope: str) -> list[str]:
    """The ids of queued notes that wait no more: in none of these contradictions, which are all that there are."""
    waiting = {(name, wait.mark.episode) for name, wait in found}
    return [
        entry.id
        for store in app.stores(scope)
        for entry in store.index.entries(Filter(layer="episodic"))
        if is_queued(entry.layer, entry.status) and entry.kind not in SESSION_KINDS
        if (store.scope, entry.id) not in waiting
    ]


def left_by_merges(
    app: Workspace, *, scope: str
) -> tuple[list[repository.MergedPlace], list[Finding]]:
    """What a merge in git left to a person: places with two wordings, and pages with conflict marks."""
    left = [one for store in app.stores(scope) for one in repository.left_by_merges(store)]
    places = [one for one in left if isinstance(one, repository.MergedPlace)]
    return places, [one for one in left if isinstance(one, Finding)]


def keep_merged_wording(
    app: Workspace, key: str, word: str, *, scope: str, dry_run: bool
) -> repository.MergedPlace | None:
    """Keep one wording of such a place, or `both`, or `neither`; None if none has this key.

    Raises UsageProblem for an agent.
    """
    _require_person(app)
    word = {"old": "first", "new": "second"}.get(word, word)
    for store in app.stores(scope):
        with suppress(ConflictNotFound):
            return repository.keep_wording(store, key, word, dry_run=dry_run)
    return None


def _require_person(app: Workspace) -> None:
    what = "Only a person settles a contradiction: ask them which statement holds."
    workspace.require_person(app.env, "conflicts", what)


def settle_conflict(
    app: Workspace, key: str, ruling: str, *, scope: str, dry_run: bool
) -> run.SettleResult:
    """Settle a contradiction in the store in which it waits.

    Raises ConflictNotFound, and UsageProblem for an agent.
    """
    _require_person(app)
    for store in app.stores(scope):
        with (
            suppress(ConflictNotFound),
            store.one_change(),
            only_one(app, store),
            cached_claims(app, store) as known,
        ):
            done = run.settle(store, key, ruling, known, dry_run=dry_run)
            if not dry_run:
                store.note_change()
            return done
    raise ConflictNotFound(id=key)


def supersede(app: Workspace, old: str, new: str, *, dry_run: bool) -> Superseded:
    """Let one memory or entry hold in place of another; with the full path of the old one.

    Raises UsageProblem where an agent puts what a person did not say in place of what they said.
    """
    store = app.store_of(old)
    if app.store_of(new) is not store:
        what = f"{old} and {new} are in different stores: `recollect promote` moves one to the global store, or `recollect forget {old}` takes it out."
        raise UsageProblem(what=what, command="supersede")
    if "#" not in old + new:
        if store.require(old).trust == "user" != store.require(new).trust:
            _require_person(app)
        is_changed = run.supersede(store, old, new, dry_run=dry_run)
        done = Superseded(store.require(old).path, is_changed)
    else:
        before, after = entry_supersede.checked(store, old, new)
        if before.trust == "user" != after.trust:
            _require_person(app)
        done = entry_supersede.supersede(store, old, new, dry_run=dry_run)
    return done._replace(path=f"{store.root}/{done.path}")


def only_one(
    app: Workspace, store: OpenStore, wait_seconds: float = LOCK_WAIT_SECONDS
) -> AbstractContextManager[None]:
    """Keep two passes over a store apart: they would plan the same. Raises Locked."""
    path = f"{app.cache_of(store.root)}/consolidate.lock"
    return disk.lock(path, wait_seconds=wait_seconds, who="another consolidation")


def _stale_views(store: OpenStore, *, changes: bool) -> list[str]:
    """The views that are to be written; those that list memories also where memories change."""
    return [
        n
        for n, text in views.pages_of(store).items()
        if (changes and n in (views.INDEX_PAGE, views.INDEX_JSON))
        or not store.files.exists(n)
        or store.files.read(n).text != text
    ]


# ------------------------------------------------------------------------------------- the archive


class ArchiveResult(NamedTuple):
    """What was moved into the archive of a store, or would be."""

    scope: str
    rows: list[Conversation]
    days: int  # without activity
    most: int  # active ones
    stay: list[str]  # ids of those that say something that waits for a person


def archive_conversations(
    app: Workspace, *, scope: str, force: bool, dry_run: bool
) -> list[ArchiveResult]:
    """Archive what is not active any more, store by store, and change nothing else.

    The next consolidation still reads it. What says something that waits for a person stays.
    """
    done = []
    for store in app.stores(scope):
        due = archiving.archive(store, force=force, dry_run=True)
        waiting: set[str] = set()
        if due:
            with cached_claims(app, store) as known:
                waiting = {wait.mark.episode for wait in run.waiting(store, known)}
        rows = archiving.archive(store, force=force, dry_run=dry_run, waiting=waiting)
        if rows and not dry_run:
            store.note_change()
        chosen, stay = store.settings, [one.entry.id for one in due if one.entry.id in waiting]
        done.append(
            ArchiveResult(store.scope, rows, chosen.archive_days, chosen.archive_most, stay)
        )
    return done


def archive_memory(app: Workspace, name: str, *, dry_run: bool) -> Moved:
    """Archive one memory, or one entry of a page, of the store that has it; with its full path."""
    store = app.store_of(name)
    page, _, anchor = name.partition("#")
    is_entry = bool(anchor) and not store.require(page).archived
    done = entry_archive.put_away(store, name, dry_run=dry_run) if is_entry else None
    done = done or Moved(page, *archiving.put_away(store, page, dry_run=dry_run))
    own = store.index.entry(page)
    if not dry_run and (own is None or own.path != done.path):  # another has its place, and its id
        done = done._replace(
            id=next((e.id for e in store.every_entry() if e.path == done.path), page)
        )
    return done._replace(path=f"{store.root}/{done.path}")


def activate(app: Workspace, name: str, *, dry_run: bool) -> Moved:
    """Bring a memory back from the archive of the store that has it, an entry to its page."""
    store = app.store_of(name)
    done = entry_archive.bring_back(store, name, dry_run=dry_run)
    page = name.partition("#")[0]
    done = done or Moved(page, *archiving.activate(store, name, dry_run=dry_run))
    return done._replace(path=f"{store.root}/{done.path}")


def list_archive(app: Workspace, *, scope: str, words: str) -> list[tuple[str, Entry]]:
    """What is in the archives; with words, the conversations, active ones too, that say them."""
    found = []
    for store in app.stores(scope):
        rows = archiving.search(store, words) if words else archiving.archived(store)
        entries = entry_archive.entries_alone(store)
        found += [(store.scope, entries.get(one.id, one)) for one in rows]
    return found


# --------------------------------------------------------------------------------- what may be pruned


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
    if entry.path.startswith("core/") or entry.path in SHARED.values() or entry.salience == "high":
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
    pinned = {one.id.partition("#")[0] for one in pointers_in(store.text_at(PINS)[0])}
    kept |= back | pinned
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


def prune(store: OpenStore, *, unasked: bool = False, dry_run: bool = False) -> list[DueMemory]:
    """Move what may go into the archive; gives what went, or would go.

    Nothing goes `unasked`, as with a consolidation, unless the person has set that, and too much
    does not go then. One memory always may.
    """
    if unasked and not store.settings.prune_auto:
        return []
    found = due_in_store(store)
    if unasked and len(found) > 1:
        memories = store.index.counts()["memories"]
        if len(found) * 100 > memories * MOST_SHARE:
            return []
    if dry_run:
        return found
    refused = store.commit_each((PRUNE, partial(to_archive, store, one.entry)) for one in found)
    return [one for n, one in enumerate(found) if n not in refused]


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
        rows = prune(store, dry_run=not apply)
        done.append(PruneResult(store.scope, policy_of(store), rows))
    return done
