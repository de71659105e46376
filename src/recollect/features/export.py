"""Export entries with their whole texts."""

from __future__ import annotations

import os
from contextlib import nullcontext

from recollect._fastimport import NamedTuple
from recollect.errors import AlreadyThere, FileNotThere, FileThere
from recollect.features import reading
from recollect.features.encrypt import opened_stores
from recollect.features.reading import ListedEntry, MemoryPage
from recollect.model.entries import LARGEST_INDEXED, beside_title, entries_of
from recollect.model.memory import Filter, age_of, is_sealed_path
from recollect.store import disk
from recollect.store.store import OpenStore
from recollect.text.redact import strip_private
from recollect.workspace import Workspace


class Exported(NamedTuple):
    """The entries, newest first, each with its own text, and how many were left out."""

    entries: list[MemoryPage]
    left_out: int


def export(app: Workspace, only: Filter, *, scope: str, private: bool) -> Exported:
    """The entries that `list` lists; private and encrypted ones only if they are asked for.

    Raises:
        KeyMissing: there are encrypted ones, and no key of this machine.
    """
    stores = app.stores(scope)
    found = reading.listed(app, only, scope="", stores=stores)
    plain = [
        one
        for one in found
        if not is_sealed_path(one.page.entry.path) and (private or not one.page.entry.private)
    ]
    names = [(one, reading.short_name(stores, one)) for one in plain]
    with opened_stores(app, stores) if private else nullcontext([]) as opened:
        sealed = reading.listed(app, only, scope="", stores=opened)
        names += [(one, reading.short_name(opened, one)) for one in sealed]
    labels: dict[str, dict[str, str]] = {}
    entries = [_whole(stores, one, name, labels) for one, name in names]
    entries.sort(key=lambda one: age_of(one.entry, one.own) if one.own else ("", ""), reverse=True)
    return Exported(entries, 0 if private else len(found) - len(plain))


def _whole(
    stores: list[OpenStore], one: ListedEntry, name: str, labels: dict[str, dict[str, str]]
) -> MemoryPage:
    """An entry with its text; that of a page as a whole is without the page's other entries."""
    page, own, text = one.page, one.own, one.own.text
    store = next(store for store in stores if store.scope == page.scope)
    own = own._replace(session=reading.session_named(store, own.session, labels))
    if not own.anchor:
        memory = store.open_memory(page.entry)
        whole = next((row.text for row in entries_of(memory) if not row.anchor), "")
        if len(memory.body) > LARGEST_INDEXED:  # of which entries have the beginning only
            whole = strip_private(memory.body)
        text = beside_title(whole, page.entry.title) or one.summary
    return MemoryPage(page, own.heading, text, "", page.entry.problem, own._replace(entry=name))


def write_file(app: Workspace, path: str, text: str) -> str:
    """Put an export into a new file; gives its full path. Raises FileThere, FileNotThere."""
    full = os.path.abspath(os.path.join(app.folder, os.path.expanduser(path)))
    if not os.path.isdir(os.path.dirname(full)):
        raise FileNotThere(path=full, reason="its folder does not exist")
    try:
        disk.create_whole(full, text.encode("utf-8", "replace"))
    except AlreadyThere:
        raise FileThere(path=full) from None
    return full
