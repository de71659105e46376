"""What `doctor --repair` can fix, and fixing it.

A snapshot of the store is written first. No readable memory or change is removed; the counts
before and after are compared.
"""

from __future__ import annotations

import io
import marshal
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.util import MAGIC_NUMBER

import recollect
from recollect import workspace as workers
from recollect._fastimport import NamedTuple
from recollect._gc import without_collecting
from recollect.context import brief as publish
from recollect.errors import FileNotThere, RecollectError
from recollect.features.publish import publish_all
from recollect.model.memory import Filter, Problem
from recollect.store import disk as fsio
from recollect.store import locations as places
from recollect.store.history import forget_old_changes
from recollect.store.store import OpenStore, refresh
from recollect.workspace import Workspace

# -------------------- Workspace: what is left of processes of ours, and keeping house.


OLD_SECONDS = 3600
HEADER_BYTES = 16  # of a compiled file, before its code


def keep_house(app: Workspace, store: OpenStore) -> int:
    """Take away what nobody needs any more; gives the bytes that became free in the journal.

    What cannot be done now, the next pass does.
    """
    for path in half_written(app, store):
        with suppress(RecollectError):
            fsio.remove(path)
    with suppress(RecollectError):
        return forget_old_changes(store, store.settings.keep_changes)
    return 0


PASSED = "consolidated"  # in the index: when the last pass was, and over which episodes
COMPRESSED = "compressed"  # in the index: the day on which old sessions were last put away
MOST_PENDING = 20  # new episodes that wait for the next day


def must_consolidate(app: Workspace, store: OpenStore) -> bool:
    """Whether the last pass was on another day, or many episodes are new since."""
    last, *known = store.index.meta(PASSED).split(" ")
    episodes = episodes_of(store)
    is_new_day = bool(episodes) and last[:10] != app.now[:10]
    return is_new_day or len(episodes - set(known)) > MOST_PENDING


def episodes_of(store: OpenStore) -> set[str]:
    """What the episodes of a store are by now, each by the start of its stamp."""
    return {entry.stamp[:8] for entry in store.index.entries(Filter(layer="episodic"))}


def half_written(app: Workspace, store: OpenStore) -> list[str]:
    """The half-written files that nobody can be writing any more."""
    before = app.started_ns / 1e9 - OLD_SECONDS
    roots = (store.files.root, app.cache_of(store.files.root))
    return [
        path
        for root in roots
        for path, info in regular_files(root, _is_temp)
        if info.st_mtime < before
    ]


def regular_files(
    root: str, is_wanted: Callable[[str], bool] = bool
) -> Iterator[tuple[str, os.stat_result]]:
    """Every file below a folder that is neither a link nor a device, and of a wanted name."""
    for base, folders, files in os.walk(root):
        folders.sort()
        for name in sorted(filter(is_wanted, files)):
            path = os.path.join(base, name)
            with suppress(OSError):
                info = os.lstat(path)
                if stat.S_ISREG(info.st_mode):
                    yield path, info


def _is_temp(name: str) -> bool:
    return name.startswith(".") and name.endswith(fsio.TEMP_SUFFIX)


def processes(store: OpenStore) -> list[str]:
    """Our processes that work on a store now: its worker, and servers in its project."""
    folder = os.path.dirname(os.path.dirname(store.files.root))
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc") if os.path.isdir("/proc") else ()):
        with suppress(OSError):
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = os.fsdecode(file.read()).rstrip("\0").split("\0")
            if int(pid) == os.getpid() or not any("recollect" in word for word in words):
                continue
            if words[-2:] == ["work", store.files.root]:
                found.append(f"worker {pid}")
            elif words[-1] == "mcp" and _is_in(os.readlink(f"/proc/{pid}/cwd"), folder):
                found.append(f"server {pid}")
    return sorted(found)


def _is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def broken_bytecode() -> Iterator[str]:
    """The compiled files of our own package that this Python would load and cannot.

    A disk that was full leaves the first half of one; whatever imports it then fails, and a hook
    that does is silent.
    """
    with without_collecting():  # thousands of small values, and no cycle among them
        for path in sorted(_compiled() - _loaded()):
            try:
                data = fsio.read_file(path)
            except RecollectError:
                continue
            if data[:4] == MAGIC_NUMBER and len(data) >= HEADER_BYTES and not _is_code(data):
                yield path


def _compiled() -> set[str]:
    """The compiled files of our package that this Python looks at."""
    ending = f".{sys.implementation.cache_tag}.pyc"
    return {
        os.path.join(base, name)
        for base, _, names in os.walk(os.path.dirname(recollect.__file__))
        for name in names
        if name.endswith(ending)
    }


def _loaded() -> set[str]:
    """The compiled files of the modules that run here: they can be loaded."""
    return {
        module.__cached__
        for name, module in list(sys.modules.items())
        if name.startswith("recollect.") and getattr(module, "__cached__", None)
    }


def _is_code(data: bytes) -> bool:
    try:
        return hasattr(marshal.loads(data[HEADER_BYTES:]), "co_code")  # noqa: S302 - our own files
    except (EOFError, ValueError, TypeError):
        return False


MOST_SNAPSHOTS = 3
LARGEST_JOURNAL = 512 * 1024 * 1024  # bytes; of other files as much as is read of any
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
    left_out: list[str]  # of the copy

    @property
    def lowered(self) -> bool:
        """Whether there is less of anything than before; that must never be."""
        return any(now < then for then, now in zip(self.before[:3], self.after[:3], strict=True))


def mend(app: Workspace, store: OpenStore) -> Mended:
    """Copy the store, then make anew what can be made anew.

    Raises:
        StorageFailed: the copy could not be kept; nothing was mended.
    """
    before = counted(store)
    path = f"{app.cache_of(store.files.root)}/snapshots/{app.now.replace(':', '')}.tar.gz"
    left_out = keep_snapshot(store, path)
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
    return Mended(
        path, before, counted(store), indexed, views, lines, len(private), len(temps), left_out
    )


def counted(store: OpenStore) -> Counts:
    """How much the store has now, whatever its index says."""
    seen = list(store.files.scan())
    archived = sum(one.path.startswith("archive/") for one in seen)
    size = sum(one.size for one in seen)
    return Counts(len(seen) - archived, archived, len(store.journal.heads()), size)


# ------------------------------------------------------------------------------------- snapshots


def keep_snapshot(store: OpenStore, path: str) -> list[str]:
    """Put everything a store has into an archive at `path`; only the newest few are kept.

    Gives what was left out: it has more bytes than anything that is ours.
    """
    folder = os.path.dirname(path)
    fsio.make_folder(folder)
    with store.files.locked():
        data, left_out = _packed(store.files.root)
    fsio.write_whole(path, data)
    fsio.sync_folder(folder)
    for old in sorted(os.listdir(folder))[:-MOST_SNAPSHOTS]:
        fsio.remove(os.path.join(folder, old))
    return left_out


def _packed(root: str) -> tuple[bytes, list[str]]:
    import tarfile  # seldom needed

    packed, left_out = io.BytesIO(), []
    with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=1) as archive:
        for path, info in regular_files(root):
            name = os.path.relpath(path, root)
            if name.startswith(NOT_COPIED) or name.endswith(fsio.TEMP_SUFFIX):
                continue
            is_journal = name.startswith("journal/")
            most = LARGEST_JOURNAL if is_journal else fsio.LARGEST_FILE_BYTES
            if info.st_size > most:
                left_out.append(name)
                continue
            # A view that was renewed meanwhile, a folder that is a link by now.
            with suppress(FileNotThere):
                data = fsio.read_inside(root, name, most)
                member = tarfile.TarInfo(name)
                member.size, member.mtime = len(data), int(info.st_mtime)
                member.mode = info.st_mode & 0o777
                archive.addfile(member, io.BytesIO(data))
    return packed.getvalue(), left_out


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


def blocked_locks(app: Workspace, store: OpenStore) -> list[str]:
    """The places of locks in which something else stands, so that nobody gets them."""
    cache = app.cache_of(store.files.root)
    with suppress(OSError):
        paths = [f"{cache}/{name}" for name in sorted(os.listdir(cache)) if _is_lock(name)]
        return [path for path in paths if os.path.islink(path) or not os.path.isfile(path)]
    return []


def _is_lock(name: str) -> bool:
    return name in ("lock", "encrypting") or name.endswith(".lock")


def waits_since(app: Workspace, store: OpenStore) -> str:
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


def sizes(app: Workspace, store: OpenStore) -> dict[str, int]:
    """The bytes that a store takes, by what they are for."""
    root = store.files.root
    found = dict.fromkeys(("files", "journal", "sessions", "cache"), 0)
    for path, info in regular_files(root):
        part = os.path.relpath(path, root).partition("/")[0]
        found[part if part in found else "files"] += info.st_size
    found["cache"] = sum(info.st_size for _, info in regular_files(app.cache_of(root)))
    return found
