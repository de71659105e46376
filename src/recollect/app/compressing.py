"""App: compress, which puts old sessions away."""

from __future__ import annotations

import os
from typing import Any

from recollect.app import lifecycle
from recollect.app.publishing import publish_after_change
from recollect.app.wiring import App
from recollect.domain.model import CORE
from recollect.hooks import places
from recollect.named import NamedTuple
from recollect.services import sessions_archive
from recollect.services.opened import OpenStore
from recollect.services.sessions_archive import Month

OLD_DAYS = 30
COMPRESSED = "compressed"  # in the index: the day on which old sessions were last put away


class Compressed(NamedTuple):
    """What was put away of a store."""

    scope: str
    root: str
    months: list[Month]
    recent: bool  # whether core/recent.md was renewed

    def as_json(self) -> dict[str, Any]:
        """What `--json` shows."""
        months = [
            {
                "month": one.month,
                "path": os.path.join(self.root, one.path),
                "memories": list(one.memories),
                "files": list(one.files),
            }
            for one in self.months
        ]
        return {"scope": self.scope, "months": months, "recent": self.recent}


def compress(app: App, *, days: int, scope: str, dry_run: bool) -> list[Compressed]:
    """Put the sessions away that are older than so many days."""
    done = [compress_store(app, s, days=days, dry_run=dry_run) for s in app.stores(scope)]
    hidden = [app.hidden(store, scope) for store in app.stores(scope)]
    return [_without(one, names) for one, names in zip(done, hidden, strict=True)]


def _without(done: Compressed, hidden: frozenset[str]) -> Compressed:
    """What was done, without the names of what belongs to other projects."""
    months = [
        one._replace(memories=tuple(name for name in one.memories if name not in hidden))
        for one in done.months
    ]
    return done._replace(months=[one for one in months if one.memories or one.files])


def compress_if_due(app: App, store: OpenStore) -> bool:
    """Put old sessions away where that was not done today; gives whether anything changed."""
    if store.index.meta(COMPRESSED) == app.now[:10]:
        return False
    done = compress_store(app, store)
    store.index.set_meta({COMPRESSED: app.now[:10]})
    return bool(done.months or done.recent)


def compress_store(
    app: App, store: OpenStore, *, days: int = OLD_DAYS, dry_run: bool = False
) -> Compressed:
    """Put the sessions of one store away that are older than so many days.

    What they say is put where it belongs first; one that says what waits for a person stays.
    """
    before = places.utc(app.started_ns / 1e9 - days * 86_400)[:10]
    files, staying = _session_files(store), _running(app, store)
    recent = False
    if CORE not in store.settings.encrypt:
        recent = sessions_archive.renew_recent(store, before, dry_run=dry_run)
    if "episodic" in store.settings.encrypt:  # the page of a month would be plain
        return Compressed(store.scope, store.files.root, [], recent)
    months = sessions_archive.compress(store, files, staying, before, dry_run=True)
    if months and not dry_run:
        found = lifecycle.consolidate_store(app, store)
        staying |= {wait.mark.episode for wait in found.waits}
        months = sessions_archive.compress(store, files, staying, before)
    if (recent or months) and not dry_run:
        publish_after_change(app, store)
    return Compressed(store.scope, store.files.root, months, recent)


def _session_files(store: OpenStore) -> list[str]:
    folder = os.path.join(store.files.root, "sessions")
    if not os.path.isdir(folder) or os.path.islink(folder):
        return []
    names = (entry for entry in os.scandir(folder) if entry.is_file(follow_symlinks=False))
    return [entry.name for entry in names if entry.name.endswith(".md")]


def _running(app: App, store: OpenStore) -> set[str]:
    states = app.sessions(store).every()
    return {state.session_id for state in states if state.status == "active"}
