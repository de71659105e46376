"""App: a store as it was, to be searched like the store of today.

Promises: nothing is changed; the index of the store of today is not touched. The index of then is
made for one command, of every text there was, and thrown away: that costs what `rebuild-index`
costs.
Touches: a folder `as-of-…` in the cache, for as long as the command runs.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

from recollect import fsio
from recollect.adapters.scanning import MEMORY_FOLDERS
from recollect.adapters.sqlite.index import SqliteIndex
from recollect.app.wiring import App
from recollect.domain.codec import memory_from_text
from recollect.domain.model import Seen
from recollect.errors import RecollectError
from recollect.ports import Row
from recollect.services import past
from recollect.services.opened import OpenStore

FOLDER = "as-of-"


@contextmanager
def stores_then(app: App, scope: str, name: str) -> Iterator[list[OpenStore]]:
    """The stores as they were behind a change, or at a day or a time.

    Raises:
        ChangeNotFound: no journal has such a change, and it is no time.
    """
    with ExitStack() as stack:
        yield [
            stack.enter_context(_store_then(app, store, name))
            for store in _having(app, scope, name)
        ]


def _having(app: App, scope: str, name: str) -> list[OpenStore]:
    """The stores that know the point: all of them if it is a time."""
    stores = app.stores(scope)
    if past.end_of(name):
        return stores
    known = [s for s in stores if any(op.group.startswith(name) for op in s.journal.heads())]
    return known or stores[:1]


@contextmanager
def _store_then(app: App, store: OpenStore, name: str) -> Iterator[OpenStore]:
    cache = app.cache_of(store.files.root)
    for old in os.listdir(cache):  # of commands that were killed
        if old.startswith(FOLDER) and not os.path.exists(f"/proc/{old.removeprefix(FOLDER)}"):
            _throw_away(f"{cache}/{old}")
    folder = f"{cache}/{FOLDER}{os.getpid()}"
    texts = _texts_then(store, name)
    index = SqliteIndex(folder)
    try:
        index.apply(_rows(texts), [], store.now_ns)
        then = OpenStore(store.files, store.journal, index, store.ledger, store.scope)
        then.now, then.now_ns, then.settings = store.now, store.now_ns, store.settings
        yield then
    finally:
        index.close()
        _throw_away(folder)


def _texts_then(store: OpenStore, name: str) -> dict[str, str]:
    """What every memory file said, by path."""
    ops = store.journal.heads()
    point = past.point_named(ops, name)
    were = past.stamps_at(point, ops)
    texts = {
        path: text
        for path, stamp in were.items()
        if stamp and (text := store.journal.text_of(stamp)) is not None
    }
    for seen in store.files.scan():
        if seen.path not in were:
            with suppress(RecollectError):
                texts[seen.path] = store.files.read(seen.path).text
    known = past.last_stamps(ops)
    return {
        path: text
        for path, text in texts.items()
        if _is_memory(path) and (path in known or _is_older(path, text, point.time))
    }


def _is_memory(path: str) -> bool:
    folder, _, rest = path.removeprefix("archive/").partition("/")
    return path.endswith(".md") and (folder in MEMORY_FOLDERS or not rest)


def _is_older(path: str, text: str, time: str) -> bool:
    """Whether a file that no command ever wrote says that it was there at a time."""
    created = memory_from_text(text, path).created
    return not created or created <= time


def _rows(texts: dict[str, str]) -> Iterator[Row]:
    for path, text in sorted(texts.items()):
        data = text.encode("utf-8", "surrogateescape")
        seen = Seen(path, len(data), 0, 0, 0)
        yield Row(seen, fsio.stamp_of(data), memory_from_text(text, path))


def _throw_away(folder: str) -> None:
    with suppress(OSError):
        for name in os.listdir(folder):
            fsio.remove(os.path.join(folder, name))
    fsio.remove_empty_folder(folder)
