"""Consolidate, list and settle conflicts, rebuild the index."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from recollect import __version__
from recollect import workspace as workers
from recollect._fastimport import NamedTuple
from recollect._gc import without_collecting
from recollect.capture.reactions import Reaction
from recollect.consolidate import apply as archiving
from recollect.consolidate import dismissed as dismissing
from recollect.consolidate import gather, rulings
from recollect.consolidate import run as consolidate_archive
from recollect.consolidate import run as reporting
from recollect.consolidate import run as service
from recollect.consolidate.actions import Wait
from recollect.consolidate.apply import Conversation, Stats
from recollect.consolidate.dismissed import MERGE
from recollect.consolidate.run import Outcome, Row
from recollect.context import brief as publish
from recollect.errors import ConflictNotFound, Locked, RecollectError
from recollect.features import git_setup as ingit
from recollect.features import merge as merging
from recollect.features import repair
from recollect.features.merge import Merged, Pair
from recollect.features.prune import Due, prune_with_pass, rows_json
from recollect.features.publish import publish_all
from recollect.model.memory import Entry, Problem
from recollect.store import disk as fsio
from recollect.store.store import OpenStore
from recollect.workspace import Workspace, publish_after_change

LOCK_WAIT_SECONDS = 60
CLAIMS = "claims"  # in the cache of a store
LARGEST_CLAIMS = 1024 * 1024 * 1024  # some 2 KB for a memory; without it a pass begins anew


class Consolidated(NamedTuple):
    """What consolidating a store did, or would do."""

    scope: str
    views: list[str]
    outcome: Outcome
    pruned: Sequence[Due] = ()

    @property
    def rows(self) -> list[Row]:
        """What is done, one thing after the other."""
        return list(reporting.rows_of(self.outcome))

    @property
    def counts(self) -> dict[str, int]:
        """How much is done."""
        return reporting.counts_of(self.outcome)

    def as_json(self) -> dict[str, Any]:
        """The actions in the order in which they are done, and what is left to a person."""
        found = {"scope": self.scope, "views": self.views, **reporting.as_json(self.outcome)}
        return found | {"pruned": rows_json(self.pruned)}


class Rebuilt(NamedTuple):
    """What the index had before and has now."""

    scope: str
    before: int
    after: int
    files: int
    unread: list[Problem]

    def as_json(self) -> dict[str, Any]:
        """The fields by name, and how much cannot be read."""
        unread = [problem._asdict() for problem in self.unread]
        return {**self._asdict(), "unread": unread, "problems": len(unread)}


def consolidate(
    app: Workspace, *, scope: str, dry_run: bool, force_decay: bool = False
) -> list[Consolidated]:
    """Bring the stores into order, and their index, views and brief up to date."""
    done = []
    for store in app.stores(scope):
        if dry_run:
            with remembered(app, store) as known:
                gathered = gather.gather(store, known, reactions_in(app, store))
                found = service.look(gathered, force_decay=force_decay)
            gone = prune_with_pass(store, dry_run=True)
            done.append(Consolidated(store.scope, _stale_views(store), found, gone))
            continue
        found = consolidate_store(app, store, force_decay=force_decay)
        gone = prune_with_pass(store, dry_run=False)
        repair.keep_house(app, store)
        done.append(Consolidated(store.scope, publish_all(app, store), found, gone))
        workers.go_on(app, store)
    return done


def consolidate_store(
    app: Workspace,
    store: OpenStore,
    wait_seconds: float = LOCK_WAIT_SECONDS,
    *,
    force_decay: bool = False,
) -> Outcome:
    """Bring one store into order, but not its views. Raises Locked."""
    with only_one(app, store, wait_seconds), remembered(app, store) as known:
        reactions, seq = reactions_in(app, store), store.journal.next_seq()
        found = service.consolidate(store, known, reactions=reactions, force_decay=force_decay)
        passed = {repair.PASSED: f"{app.now} {' '.join(sorted(repair.episodes_of(store)))}"}
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

    Raises:
        Locked: another pass is under way.
    """
    is_due = repair.must_consolidate(app, store)
    if is_due:
        found = consolidate_store(app, store, 0.0)
        if prune_with_pass(store, dry_run=False) or found.steps or found.archives:
            publish_all(app, store)
    return is_due


def conflicts(app: Workspace, *, scope: str) -> list[tuple[str, Wait]]:
    """The contradictions that wait for a person, each with the scope of its store."""
    found = []
    for store in app.stores(scope):
        with remembered(app, store) as known:
            found += [(store.scope, wait) for wait in service.waiting(store, known)]
    return found


def merged_places(app: Workspace, *, scope: str) -> list[ingit.Place]:
    """The places where a merge in git kept two wordings."""
    return [place for store in app.stores(scope) for place in ingit.places(store)]


def keep_wording(
    app: Workspace, key: str, word: str, *, scope: str, dry_run: bool
) -> ingit.Place | None:
    """Keep one wording of such a place, or `both`, or `neither`; None if none has this key."""
    word = {"old": "first", "new": "second"}.get(word, word)
    for store in app.stores(scope):
        with suppress(ConflictNotFound):
            place = ingit.keep(store, key, word, dry_run=dry_run)
            if not dry_run:
                publish_after_change(app, store)
            return place
    return None


def settle(app: Workspace, key: str, ruling: str, *, scope: str, dry_run: bool) -> service.Settled:
    """Settle a contradiction in the store in which it waits. Raises ConflictNotFound."""
    problem: ConflictNotFound | None = None
    for store in app.stores(scope):
        try:
            with only_one(app, store), remembered(app, store) as known:
                done = service.settle(store, key, ruling, known, dry_run=dry_run)
        except ConflictNotFound as error:
            problem = problem or error
            continue
        if not dry_run:
            publish_after_change(app, store)
        return done
    raise problem or ConflictNotFound(id=key)


def supersede(app: Workspace, old: str, new: str, *, dry_run: bool) -> tuple[str, bool]:
    """`(path, changed)`: the memory that does not hold any more, and whether that is new."""
    store = app.store_of(old)
    changed = service.supersede(store, old, new, dry_run=dry_run)
    if changed and not dry_run:
        publish_after_change(app, store)
    return f"{store.files.root}/{store.require(old).path}", changed


@contextmanager
def remembered(app: Workspace, store: OpenStore) -> Iterator[rulings.Remembered]:
    """What an earlier pass read, in the cache; it is kept there for the next one."""
    path = f"{app.cache_of(store.files.root)}/{CLAIMS}"
    known = rulings.Remembered(_text_at(path), __version__)
    with without_collecting():  # a plan is made of many small values
        yield known
    if known.changed:
        with suppress(RecollectError):  # without it the next pass takes longer, no more
            fsio.write_whole(path, known.text().encode("utf-8", "replace"), durable=False)


def _text_at(path: str) -> str:
    with suppress(RecollectError):
        return fsio.read_file(path, LARGEST_CLAIMS).decode("utf-8", "replace")
    return ""


@contextmanager
def only_one(
    app: Workspace, store: OpenStore, wait_seconds: float = LOCK_WAIT_SECONDS
) -> Iterator[None]:
    """Keep two passes over a store apart: they would plan the same. Raises Locked."""
    path = f"{app.cache_of(store.files.root)}/consolidate.lock"
    handle = fsio.take_lock(path, wait_seconds=wait_seconds)
    if handle is None:
        raise Locked(path=path, seconds=wait_seconds, who="another consolidation")
    try:
        yield
    finally:
        os.close(handle)


def forget_claims(app: Workspace, store: OpenStore) -> None:
    """Take away what passes remember of the files of a store: it is made of their texts."""
    fsio.remove(f"{app.cache_of(store.files.root)}/{CLAIMS}")


def _stale_views(store: OpenStore) -> list[str]:
    return [
        n
        for n, text in publish.pages_of(store).items()
        if not store.files.exists(n) or store.files.read(n).text != text
    ]


def rebuild_index(
    app: Workspace, *, scope: str, dry_run: bool, progress: Callable[[int, int], None]
) -> list[Rebuilt]:
    """Make the indexes anew from the files."""
    done = []
    for store in app.stores(scope):
        before = store.index.counts()["memories"]
        if not dry_run:
            store.index.wipe()
            total = sum(1 for _ in store.files.scan())
            store.freshen(lambda n, total=total: progress(n, total))  # type: ignore[misc]
            publish_all(app, store)
        counts, unread = store.index.counts(), repair.unread(store)
        done.append(Rebuilt(store.scope, before, counts["memories"], counts["files"], unread))
    return done


# -------------------- Workspace: the archive of conversations.


class Archived(NamedTuple):
    """What was moved into the archive of a store, or would be."""

    scope: str
    rows: list[Conversation]
    days: int  # without activity
    most: int  # active ones
    stay: list[str]  # ids of those that say something that waits for a person


def archive(app: Workspace, *, scope: str, force: bool, dry_run: bool) -> list[Archived]:
    """Archive what is not active any more, store by store, and change nothing else.

    The next pass of consolidation still hears it. What says something that waits for a person stays.
    """
    done = []
    for store in app.stores(scope):
        due = archiving.archive(store, force=force, dry_run=True)
        waiting: set[str] = set()
        if due:
            with remembered(app, store) as known:
                waiting = {wait.mark.episode for wait in consolidate_archive.waiting(store, known)}
        rows = archiving.archive(store, force=force, dry_run=dry_run, waiting=waiting)
        if rows and not dry_run:
            publish_after_change(app, store)
        chosen, stay = store.settings, [one.entry.id for one in due if one.entry.id in waiting]
        done.append(Archived(store.scope, rows, chosen.archive_days, chosen.archive_most, stay))
    return done


def stats(app: Workspace, *, scope: str) -> list[tuple[str, Stats]]:
    """The conversations of the stores, counted."""
    return [(store.scope, archiving.stats(store)) for store in app.stores(scope)]


def activate(app: Workspace, name: str, *, dry_run: bool) -> tuple[str, bool]:
    """`(path, changed)`: bring a memory back from the archive of the store that has it."""
    store = app.store_of(name)
    path, changed = archiving.activate(store, name, dry_run=dry_run)
    if changed and not dry_run:
        publish_after_change(app, store)
    return f"{store.files.root}/{path}", changed


def listed(app: Workspace, *, scope: str, words: str) -> list[tuple[str, Entry]]:
    """What is in the archives; with words, the conversations, active ones too, that say them."""
    found = []
    for store in app.stores(scope):
        rows = archiving.search(store, words) if words else archiving.archived(store)
        found += [(store.scope, e) for e in rows]
    return found


# -------------------- Workspace: merging two memories of a store, and those that it may be worth for.


def proposals(app: Workspace, *, scope: str) -> list[tuple[str, Pair]]:
    """The pairs that a person may want to merge, each with the scope of its store."""
    found = []
    for store in app.stores(scope):
        with remembered(app, store) as known:
            found += [(store.scope, pair) for pair in merging.proposals(store, known)]
    return found


def dismiss(app: Workspace, name: str, other: str, *, again: bool, dry_run: bool) -> bool:
    """Do not propose to merge these two any more, or do it `again`; whether that is new."""
    store = app.store_of(name)
    return dismissing.decide(store, MERGE, name, other, again=again, dry_run=dry_run)


def merge(app: Workspace, name: str, other: str, *, dry_run: bool) -> Merged:
    """Merge two memories of the store that has the first."""
    store = app.store_of(name)
    done = merging.merge(store, name, other, dry_run=dry_run)
    if not dry_run:
        publish_after_change(app, store)
    return done
