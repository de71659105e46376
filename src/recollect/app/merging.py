"""App: merging two memories of a store, and those that it may be worth for."""

from __future__ import annotations

from recollect.app import lifecycle
from recollect.app.publishing import publish_after_change
from recollect.app.wiring import App
from recollect.domain.dismissed import MERGE
from recollect.domain.duplicates import Pair
from recollect.services import dismissing, merging
from recollect.services.merging import Merged


def proposals(app: App, *, scope: str) -> list[tuple[str, Pair]]:
    """The pairs that a person may want to merge, each with the scope of its store."""
    found = []
    for store in app.stores(scope):
        with lifecycle.remembered(app, store) as known:
            found += [(store.scope, pair) for pair in merging.proposals(store, known)]
    return found


def dismiss(app: App, name: str, other: str, *, again: bool, dry_run: bool) -> bool:
    """Do not propose to merge these two any more, or do it `again`; whether that is new."""
    store = app.store_of(name)
    return dismissing.decide(store, MERGE, name, other, again=again, dry_run=dry_run)


def merge(app: App, name: str, other: str, *, dry_run: bool) -> Merged:
    """Merge two memories of the store that has the first."""
    store = app.store_of(name)
    done = merging.merge(store, name, other, dry_run=dry_run)
    if not dry_run:
        publish_after_change(app, store)
    return done
