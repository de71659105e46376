"""Consolidate and archive; list and settle conflicts."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager, suppress
from typing import Any

from recollect import workspace
from recollect._fastimport import NamedTuple
from recollect.capture.reactions import Reaction
from recollect.consolidate import apply as archiving
from recollect.consolidate import gather, run
from recollect.consolidate.actions import AskPerson
from recollect.consolidate.apply import Conversation, PassResult
from recollect.consolidate.claim_cache import cached_claims
from recollect.consolidate.run import ActionRow
from recollect.context import views
from recollect.errors import ConflictNotFound
from recollect.features import entry_archive, entry_supersede, repository
from recollect.features.entry_archive import Moved
from recollect.features.entry_supersede import Superseded
from recollect.features.one_entry import store_of_both
from recollect.model.memory import SESSION_KINDS, Entry, Filter
from recollect.search.rank import is_queued
from recollect.store import disk
from recollect.store.background import PASSED, episodes_of, must_consolidate
from recollect.store.history import clean_up
from recollect.store.store import OpenStore
from recollect.workspace import Finding, Workspace

LOCK_WAIT_SECONDS = 60


class ConsolidateResult(NamedTuple):
    """What consolidating a store did, or would do."""

    scope: str
    views: list[str]
    outcome: PassResult

    @property
    def rows(self) -> list[ActionRow]:
        """What is done, one thing after the other."""
        return list(run.rows_of(self.outcome))

    @property
    def counts(self) -> dict[str, int]:
        """How much is done."""
        return run.counts_of(self.outcome)

    def as_json(self) -> dict[str, Any]:
        """The actions in the order in which they are done, and what is left to a person."""
        return {"scope": self.scope, "views": self.views, **run.as_json(self.outcome)}


def consolidate(
    app: Workspace, *, scope: str, dry_run: bool, force_decay: bool = False
) -> list[ConsolidateResult]:
    """Bring the stores into order, and their index, views and brief up to date."""
    done = []
    for store in app.stores(scope):
        if dry_run:
            with cached_claims(app, store) as known:
                gathered = gather.gather(store, known, reactions_in(app, store))
                found = run.preview(gathered, force_decay=force_decay)
            names = _stale_views(store, changes=bool(found.steps or found.archives))
            done.append(ConsolidateResult(store.scope, names, found))
            continue
        done.append(consolidate_now(app, store, force_decay=force_decay))
    return done


def consolidate_now(
    app: Workspace, store: OpenStore, *, force_decay: bool = False
) -> ConsolidateResult:
    """Bring one store into order, and its index, views and brief up to date. Raises Locked."""
    with store.one_change():
        found = consolidate_store(app, store, force_decay=force_decay)
        clean_up(store, app.cache_of(store.root))
        done = ConsolidateResult(store.scope, app.publish(store), found)
    workspace.resume_worker(app, store)
    return done


def consolidate_store(
    app: Workspace,
    store: OpenStore,
    wait_seconds: float = LOCK_WAIT_SECONDS,
    *,
    force_decay: bool = False,
) -> PassResult:
    """Bring one store into order, but not its views. Raises Locked."""
    with exclusive_pass(app, store, wait_seconds), cached_claims(app, store) as known:
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
    return is_due


def conflicts(app: Workspace, *, scope: str) -> list[tuple[str, AskPerson]]:
    """The contradictions that wait for a person, each with the scope of its store."""
    found = []
    for store in app.stores(scope):
        with cached_claims(app, store) as known:
            found += [(store.scope, wait) for wait in run.waiting(store, known)]
    return found


def no_longer_conflicting(
    app: Workspace, found: Iterable[tuple[str, AskPerson]], *, scope: str
) -> list[str]:
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
            exclusive_pass(app, store),
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
    store = store_of_both(app, new, old, "supersede")
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


def exclusive_pass(
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
