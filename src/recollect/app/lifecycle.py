"""App: consolidate, conflicts and rebuild."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from recollect import __version__, fsio
from recollect.app import leftovers, repair, workers
from recollect.app.pruning import prune_with_pass, rows_json
from recollect.app.publishing import publish_after_change
from recollect.app.views import publish_all
from recollect.app.wiring import App
from recollect.collecting import without_collecting
from recollect.domain.lifecycle import Wait
from recollect.domain.model import Filter, Problem
from recollect.domain.pruning import Due
from recollect.domain.reaction import Reaction
from recollect.errors import ConflictNotFound, Locked, RecollectError
from recollect.named import NamedTuple
from recollect.services import consolidate as service
from recollect.services import publish
from recollect.services.consolidate import Outcome, reporting
from recollect.services.consolidate.reporting import Row
from recollect.services.opened import OpenStore

LOCK_WAIT_SECONDS = 60
CLAIMS = "claims"  # in the cache of a store
LARGEST_CLAIMS = 1024 * 1024 * 1024  # some 2 KB for a memory; without it a pass begins anew
PASSED = "consolidated"  # in the index: when the last pass was, and over which episodes
MOST_PENDING = 20  # new episodes that wait for the next day


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
    app: App, *, scope: str, dry_run: bool, force_decay: bool = False
) -> list[Consolidated]:
    """Bring the stores into order, and their index, views and brief up to date."""
    done = []
    for store in app.stores(scope):
        hidden = app.hidden(store, scope)
        if dry_run:
            with remembered(app, store) as known:
                gathered = service.gather(store, known, reactions_in(app, store))
                found = service.look(gathered, force_decay=force_decay)
            gone = prune_with_pass(store, dry_run=True)
            found = reporting.without(found, hidden)
            gone = [one for one in gone if one.entry.id not in hidden]
            done.append(Consolidated(store.scope, _stale_views(store), found, gone))
            continue
        found = consolidate_store(app, store, force_decay=force_decay)
        gone = prune_with_pass(store, dry_run=False)
        leftovers.keep_house(app, store)
        found = reporting.without(found, hidden)
        gone = [one for one in gone if one.entry.id not in hidden]
        done.append(Consolidated(store.scope, publish_all(app, store), found, gone))
        workers.go_on(app, store)
    return done


def consolidate_store(
    app: App,
    store: OpenStore,
    wait_seconds: float = LOCK_WAIT_SECONDS,
    *,
    force_decay: bool = False,
) -> Outcome:
    """Bring one store into order, but not its views. Raises Locked."""
    with only_one(app, store, wait_seconds), remembered(app, store) as known:
        reactions = reactions_in(app, store)
        found = service.consolidate(store, known, reactions=reactions, force_decay=force_decay)
        store.index.set_meta({PASSED: f"{app.now} {' '.join(sorted(_episodes(store)))}"})
    return found


def reactions_in(app: App, store: OpenStore) -> list[Reaction]:
    """What people said of the answers they got, in all sessions of a store."""
    return [
        Reaction(row["kind"], state.session_id, row["since"], row["until"], row.get("seq", 0))
        for state in app.sessions(store).every()
        for row in state.reactions
    ]


def consolidate_if_due(app: App, store: OpenStore) -> bool:
    """Consolidate when the last pass was on another day, or many episodes are new since.

    Raises:
        Locked: another pass is under way.
    """
    last, *known = store.index.meta(PASSED).split(" ")
    episodes = _episodes(store)
    new = len(episodes - set(known))
    is_due = new > MOST_PENDING or (bool(episodes) and last[:10] != app.now[:10])
    if is_due:
        found = consolidate_store(app, store, 0.0)
        if prune_with_pass(store, dry_run=False) or found.steps or found.archives:
            publish_all(app, store)
    return is_due


def _episodes(store: OpenStore) -> set[str]:
    """What the episodes of a store are by now, each by the start of its stamp."""
    return {entry.stamp[:8] for entry in store.index.entries(Filter(layer="episodic"))}


def conflicts(app: App, *, scope: str) -> list[tuple[str, Wait]]:
    """The contradictions that wait for a person, each with the scope of its store."""
    found = []
    for store in app.stores(scope):
        with remembered(app, store) as known:
            hidden = app.hidden(store, scope)
            waits = service.waiting(store, known)
            found += [(store.scope, wait) for wait in waits if reporting.is_told(wait, hidden)]
    return found


def settle(app: App, key: str, ruling: str, *, scope: str, dry_run: bool) -> service.Settled:
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


def supersede(app: App, old: str, new: str, *, dry_run: bool) -> tuple[str, bool]:
    """`(path, changed)`: the memory that does not hold any more, and whether that is new."""
    store = app.store_of(old)
    changed = service.supersede(store, old, new, dry_run=dry_run)
    if changed and not dry_run:
        publish_after_change(app, store)
    return f"{store.files.root}/{store.require(old).path}", changed


@contextmanager
def remembered(app: App, store: OpenStore) -> Iterator[service.Remembered]:
    """What an earlier pass read, in the cache; it is kept there for the next one."""
    path = f"{app.cache_of(store.files.root)}/{CLAIMS}"
    known = service.Remembered(_text_at(path), __version__)
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
def only_one(app: App, store: OpenStore, wait_seconds: float = LOCK_WAIT_SECONDS) -> Iterator[None]:
    """Keep two passes over a store apart: they would plan the same. Raises Locked."""
    path = f"{app.cache_of(store.files.root)}/consolidate.lock"
    handle = fsio.take_lock(path, wait_seconds=wait_seconds)
    if handle is None:
        raise Locked(path=path, seconds=wait_seconds, who="another consolidation")
    try:
        yield
    finally:
        os.close(handle)


def forget_claims(app: App, store: OpenStore) -> None:
    """Take away what passes remember of the files of a store: it is made of their texts."""
    fsio.remove(f"{app.cache_of(store.files.root)}/{CLAIMS}")


def _stale_views(store: OpenStore) -> list[str]:
    return [
        n
        for n, text in publish.pages_of(store).items()
        if not store.files.exists(n) or store.files.read(n).text != text
    ]


def rebuild_index(
    app: App, *, scope: str, dry_run: bool, progress: Callable[[int, int], None]
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
