"""App: the archive of conversations."""

from __future__ import annotations

from recollect.app import lifecycle
from recollect.app.publishing import publish_after_change
from recollect.app.wiring import App
from recollect.domain.model import Entry
from recollect.named import NamedTuple
from recollect.services.consolidate import archiving
from recollect.services.consolidate.archiving import Conversation, Stats


class Archived(NamedTuple):
    """What was moved into the archive of a store, or would be."""

    scope: str
    rows: list[Conversation]
    days: int  # without activity
    most: int  # active ones


def archive(app: App, *, scope: str, force: bool, dry_run: bool) -> list[Archived]:
    """Archive what is not active any more, store by store.

    What it says is put where it belongs first; what says something that waits for a person stays.
    """
    done = []
    for store in app.stores(scope):
        rows = archiving.archive(store, force=force, dry_run=True)
        if rows and not dry_run:
            found = lifecycle.consolidate_store(app, store)
            waiting = {wait.mark.episode for wait in found.waits}
            rows = archiving.archive(store, force=force, waiting=waiting)
            publish_after_change(app, store)
        rows = [row for row in rows if app.shows(row.entry.project, scope)]
        chosen = store.settings
        done.append(Archived(store.scope, rows, chosen.archive_days, chosen.archive_most))
    return done


def stats(app: App, *, scope: str) -> list[tuple[str, Stats]]:
    """The conversations of the stores, counted."""
    return [(store.scope, archiving.stats(store)) for store in app.stores(scope)]


def activate(app: App, name: str, *, dry_run: bool) -> tuple[str, bool]:
    """`(path, changed)`: bring a memory back from the archive of the store that has it."""
    store = app.store_of(name)
    path, changed = archiving.activate(store, name, dry_run=dry_run)
    if changed and not dry_run:
        publish_after_change(app, store)
    return f"{store.files.root}/{path}", changed


def listed(app: App, *, scope: str, words: str) -> list[tuple[str, Entry]]:
    """What is in the archives; with words, the conversations, active ones too, that say them."""
    found = []
    for store in app.stores(scope):
        rows = archiving.search(store, words) if words else archiving.archived(store)
        found += [(store.scope, e) for e in rows if app.shows(e.project, scope)]
    return found
