"""App: what was changed, and taken back, on the right store, with what follows from it."""

from __future__ import annotations

from typing import Any

from recollect.app.publishing import publish_after_change
from recollect.app.wiring import App
from recollect.errors import ChangedMeanwhile, ChangedSince, ChangeNotFound, MemoryNotFound
from recollect.services import undoing
from recollect.services.opened import OpenStore
from recollect.services.undoing import Past, Rewound


def undo(app: App, name: str, *, scope: str, dry_run: bool) -> Past:
    """Take back a change."""
    store = app.store(scope) if scope or not name else _store_with_change(app, name)
    try:
        past = undoing.undo(store, name, dry_run=dry_run)
    except ChangedMeanwhile as error:
        raise ChangedSince(path=error.fields["path"]) from None
    if not dry_run:
        publish_after_change(app, store)
        if past.cause == "decrypt":
            from recollect.app import sealing  # seldom needed

            sealing.hide_again(app, store, past)
        if past.cause == "promote":
            from recollect.app import promoting  # seldom needed

            promoting.undo_other_half(app, store, past)
    return past


def undo_to(app: App, point: str, *, scope: str, dry_run: bool) -> Rewound:
    """Take a store back to a change or a time."""
    store = app.store(scope)
    done = undoing.undo_to(store, point, dry_run=dry_run)
    if not dry_run and done.effects:
        publish_after_change(app, store)
    return done


def bring_back(app: App, *, scope: str, dry_run: bool) -> list[str]:
    """Put back the files of a store that were taken away without a command."""
    store = app.store(scope)
    found = undoing.bring_back(store, dry_run=dry_run)
    if not dry_run and found:
        publish_after_change(app, store)
    return found


def _store_with_change(app: App, name: str) -> OpenStore:
    """The first store whose journal has the change; its own error where it cannot be undone."""
    stores = app.stores()
    for store in stores:
        try:
            undoing.undo(store, name, dry_run=True)
        except ChangeNotFound:
            continue
        except ChangedMeanwhile:
            pass  # it is said when it is tried
        return store
    return stores[0]


def history(app: App, name: str, *, scope: str) -> list[Past]:
    """The changes of a store or of one memory, newest first."""
    stores = app.stores(scope)
    if not name:
        return undoing.history(stores[0])
    for store in stores:
        found = undoing.history(store, name)
        if found:
            return found
    raise MemoryNotFound(id=name)


def effects_of(past: Past) -> list[tuple[str, str]]:
    """What a change did to each file: `(created | changed | moved | removed, path)`."""
    kinds = {"move": "moved", "remove": "removed"}
    return [
        (kinds.get(op.op, "created" if op.before is None else "changed"), op.path)
        for op in past.ops
        if op.cause != "outside"
    ]


def past_json(past: Past) -> dict[str, Any]:
    """A change as JSON."""
    return {
        "change": past.id,
        "time": past.time,
        "what": past.what,
        "cause": past.cause,
        "memories": list(past.memories),
        "paths": list(past.paths),
        "undone": past.undone,
        "undoes": past.undoes,
    }
