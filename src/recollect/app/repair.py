"""App: what can be mended in a store, and mending it.

Promises: a whole copy of the store is on disk before anything is mended; no memory and no change
that can be read is removed; what was counted before is there afterwards, or the counts say that
it is not.
Touches: the store (lines of the journal that nobody can read, rights, half-written files, views),
its cache, and `snapshots/` there.
"""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress

from recollect import fsio
from recollect.app import workers
from recollect.app.leftovers import OLD_SECONDS, half_written, regular_files
from recollect.app.views import publish_all
from recollect.app.wiring import App
from recollect.domain.model import Filter, Problem
from recollect.errors import FileNotThere, RecollectError
from recollect.hooks import places
from recollect.named import NamedTuple
from recollect.services import publish
from recollect.services.opened import OpenStore
from recollect.services.refresh import refresh

MOST_SNAPSHOTS = 3
NOT_COPIED = "sessions/raw"  # compressed already, and nothing here changes them


class Counts(NamedTuple):
    """How much a store has: memory files, changes in the journal, bytes of text."""

    memories: int
    archived: int
    changes: int
    bytes: int


class Mended(NamedTuple):
    """What was done, and where the store as it was before is kept."""

    snapshot: str
    before: Counts
    after: Counts
    indexed: bool
    views: list[str]
    lines: int
    private: int
    temps: int

    @property
    def lowered(self) -> bool:
        """Whether there is less of anything than before; that must never be."""
        return any(now < then for then, now in zip(self.before[:3], self.after[:3], strict=True))


def mend(app: App, store: OpenStore) -> Mended:
    """Copy the store, then make anew what can be made anew.

    Raises:
        StorageFailed: the copy could not be kept; nothing was mended.
    """
    before = counted(store)
    path = f"{app.cache_of(store.files.root)}/snapshots/{app.now.replace(':', '')}.tar.gz"
    keep_snapshot(store, path)
    lines = 0
    if unreadable_lines(store):
        with store.files.locked():
            lines = store.journal.drop_unreadable()
    indexed = bool([*unlike_files(store), *store.index.differences()])
    if indexed:
        store.index.wipe()
        store.freshen()
    views = publish_all(app, store)
    roots = (store.files.root, app.cache_of(store.files.root))
    private = [one for root in roots for one in open_to_others(root) if fsio.set_private(one)]
    if waits_since(app, store):
        workers.start(app, store)
    temps = half_written(app, store)
    for one in temps:
        fsio.remove(one)
    return Mended(path, before, counted(store), indexed, views, lines, len(private), len(temps))


def counted(store: OpenStore) -> Counts:
    """How much the store has now, whatever its index says."""
    seen = list(store.files.scan())
    archived = sum(one.path.startswith("archive/") for one in seen)
    size = sum(one.size for one in seen)
    return Counts(len(seen) - archived, archived, len(store.journal.heads()), size)


# ------------------------------------------------------------------------------------- snapshots


def keep_snapshot(store: OpenStore, path: str) -> None:
    """Put everything a store has into an archive at `path`; only the newest few are kept."""
    folder = os.path.dirname(path)
    fsio.make_folder(folder)
    with store.files.locked():
        data = _packed(store.files.root)
    fsio.write_whole(path, data)
    fsio.sync_folder(folder)
    for old in sorted(os.listdir(folder))[:-MOST_SNAPSHOTS]:
        fsio.remove(os.path.join(folder, old))


def _packed(root: str) -> bytes:
    import tarfile  # seldom needed

    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=1) as archive:
        for path, info in regular_files(root):
            name = os.path.relpath(path, root)
            if name.startswith(NOT_COPIED) or name.endswith(fsio.TEMP_SUFFIX):
                continue
            with suppress(
                FileNotThere
            ):  # a view that was renewed meanwhile, a folder that is a link by now
                data = fsio.read_inside(root, name, sys.maxsize)
                member = tarfile.TarInfo(name)
                member.size, member.mtime = len(data), int(info.st_mtime)
                member.mode = info.st_mode & 0o777
                archive.addfile(member, io.BytesIO(data))
    return packed.getvalue()


# ----------------------------------------------------------------------------------- what is wrong


def unlike_files(store: OpenStore) -> list[str]:
    """The files whose content hash is not the one that the index has, or that only one of them has.

    What somebody saves meanwhile may look so: what is taken in by itself is not among them.
    """
    wrong = _unlike(store)
    if not wrong:
        return []
    refresh(store.files, store.index, store.now_ns)
    return sorted({*wrong} & {*_unlike(store)})


def _unlike(store: OpenStore) -> list[str]:
    on_disk = {seen.path: store.files.stamp(seen.path) for seen in store.files.scan()}
    known = {path: row.stamp for path, row in store.index.known().items()}
    return [path for path in {*on_disk, *known} if on_disk.get(path) != known.get(path)]


def unreadable_lines(store: OpenStore) -> int:
    """How many lines of the journal have to be passed over."""
    store.journal.heads()
    return len(store.journal.problems)


def unread(store: OpenStore) -> list[Problem]:
    """What is passed over or read only in part: files of memories, lines of the journal."""
    store.journal.heads()
    torn = [
        Problem(entry.path, entry.problem)
        for archived in (False, True)
        for entry in store.index.entries(Filter(archived=archived))
        if entry.problem
    ]
    return list(dict.fromkeys([*store.problems, *torn, *store.journal.problems]))


def old_views(store: OpenStore) -> list[str]:
    """The views that do not say what the memories say."""
    return [
        name
        for name, text in publish.pages_of(store).items()
        if _text_at(f"{store.files.root}/{name}") != text.encode("utf-8", "surrogateescape")
    ]


def _text_at(path: str) -> bytes:
    with suppress(RecollectError):
        return fsio.read_file(path)
    return b""


def waits_since(app: App, store: OpenStore) -> str:
    """Since when what hooks asked for waits for a worker that should have come long ago."""
    with suppress(OSError):
        since = os.path.getmtime(f"{app.cache_of(store.files.root)}/pending")
        if since < app.started_ns / 1e9 - OLD_SECONDS:
            return places.utc(since)
    return ""


def open_to_others(root: str) -> list[str]:
    """The files and folders that somebody else on this machine may read or write."""
    found = []
    for base, folders, files in os.walk(root):
        for path in [base, *(os.path.join(base, f) for f in files)]:
            with suppress(OSError):
                info = os.lstat(path)
                if info.st_mode & 0o077 and not os.path.islink(path):
                    found.append(path)
        folders[:] = [f for f in folders if not os.path.islink(os.path.join(base, f))]
    return found


def sizes(app: App, store: OpenStore) -> dict[str, int]:
    """The bytes that a store takes, by what they are for."""
    root = store.files.root
    found = dict.fromkeys(("files", "journal", "sessions", "cache"), 0)
    for path, info in regular_files(root):
        part = os.path.relpath(path, root).partition("/")[0]
        found[part if part in found else "files"] += info.st_size
    found["cache"] = sum(info.st_size for _, info in regular_files(app.cache_of(root)))
    return found
