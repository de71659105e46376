"""Rebuild the indexes from the files; loads nothing that captures or consolidates."""

from __future__ import annotations

from collections.abc import Callable

from recollect._fastimport import NamedTuple
from recollect.model.memory import Problem
from recollect.store.store import OpenStore
from recollect.workspace import Workspace


class RebuildResult(NamedTuple):
    """What the index had before and has now."""

    scope: str
    before: int
    after: int
    files: int
    unread: list[Problem]


def rebuild_index(
    app: Workspace, *, scope: str, dry_run: bool, progress: Callable[[int, int], None]
) -> list[RebuildResult]:
    """Rebuild the index of each store from its files."""
    done = []
    for store in app.stores(scope):
        before = store.index.counts()
        if not dry_run:
            store.index.wipe()
            total = before["files"]
            store.freshen(lambda n, total=total: progress(n, total))  # type: ignore[misc]
            app.publish(store)
        counts, unread = store.index.counts(), _unread(store)
        done.append(
            RebuildResult(
                store.scope, before["memories"], counts["memories"], counts["files"], unread
            )
        )
    return done


def _unread(store: OpenStore) -> list[Problem]:
    """What is passed over or read only in part: files of memories, lines of the journal."""
    store.journal.heads()  # which fills `problems`
    return list(dict.fromkeys([*store.problems, *store.index.torn(), *store.journal.problems]))
