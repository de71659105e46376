"""App: consolidate and rebuild."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from recollect.app.publishing import publish_all
from recollect.app.wiring import App
from recollect.services import publish
from recollect.services.opened import OpenStore


class Consolidated(NamedTuple):
    """What consolidating a store wrote."""

    scope: str
    views: list[str]


class Rebuilt(NamedTuple):
    """What the index had before and has now."""

    scope: str
    before: int
    after: int
    files: int
    problems: int


def consolidate(app: App, *, scope: str, dry_run: bool) -> list[Consolidated]:
    """Bring index, views and brief of the stores up to date."""
    done = []
    for store in app.stores(scope):
        written = _stale_views(store) if dry_run else publish_all(app, store)
        done.append(Consolidated(store.scope, written))
    return done


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
        counts = store.index.counts()
        done.append(
            Rebuilt(store.scope, before, counts["memories"], counts["files"], len(store.problems))
        )
    return done
