"""What `doctor --repair` can fix, and fixing it.

A snapshot of the store is written first. No readable memory or change is removed; the counts
before and after are compared.
"""

from __future__ import annotations

import io
import marshal
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.util import MAGIC_NUMBER

from recollect import workspace
from recollect._fastimport import NamedTuple
from recollect._gc import without_collecting
from recollect.context import views
from recollect.errors import FileNotThere, RecollectError
from recollect.model.memory import Problem
from recollect.store import disk, locations
from recollect.store.history import OLD_SECONDS
from recollect.store.refresh import refresh
from recollect.store.store import OpenStore
from recollect.workspace import Workspace

LOCKS = ("lock", "encrypting")  # in the cache of a store, and whatever ends with `.lock`
HEADER_BYTES = 16  # of a compiled file, before its code


def half_written(app: Workspace, store: OpenStore) -> list[str]:
    """Half-written files too old to be still in work."""
    roots = (store.root, app.cache_of(store.root))
    return disk.half_written(roots, app.started_ns / 1e9 - OLD_SECONDS)


def processes(store: OpenStore) -> list[str]:
    """Our processes that work on a store now: its worker, and servers in its project."""
    folder = os.path.dirname(os.path.dirname(store.root))
    found = []
    for pid, words in _commands():
        if pid == str(os.getpid()) or not any("recollect" in word for word in words):
            continue
        if words[-2:] == ["work", store.root]:
            found.append(f"worker {pid}")
        elif words[-1] == "mcp":
            with suppress(OSError):  # its folder is hidden, so it belongs to somebody else
                if f"{os.readlink(f'/proc/{pid}/cwd')}/".startswith(f"{folder}/"):
                    found.append(f"server {pid}")
    return sorted(found)


def _commands() -> Iterator[tuple[str, list[str]]]:
    """Every process with the words of its command: from /proc, or from `ps` where there is none."""
    if not os.path.isdir("/proc/self"):
        import subprocess  # every worker imports this module; few run here

        listed = subprocess.run(
            ["/bin/ps", "-axww", "-o", "pid=,command="], capture_output=True, text=True, check=False
        )
        for line in listed.stdout.splitlines():
            pid, _, words = line.strip().partition(" ")
            yield pid, words.split()
        return
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError), open(f"/proc/{pid}/cmdline", "rb") as file:
            yield pid, os.fsdecode(file.read()).rstrip("\0").split("\0")


def broken_bytecode() -> Iterator[str]:
    """The compiled files of our package that this Python would try to load and cannot.

    A full disk can leave half of one; then the import fails, in a hook without a word.
    """
    with without_collecting():  # thousands of small values, and no cycle among them
        for path in sorted(_compiled() - _loaded()):
            try:
                data = disk.read_file(path)
            except RecollectError:
                continue
            if data[:4] == MAGIC_NUMBER and len(data) >= HEADER_BYTES and not _is_code(data):
                yield path


def _compiled() -> set[str]:
    """The compiled files of our package that this Python looks at."""
    ending = f".{sys.implementation.cache_tag}.pyc"
    return {
        os.path.join(base, name)
        for base, _, names in os.walk(workspace.PACKAGE)
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
    """The size of a store: memory files, and changes in the journal."""

    memories: int
    archived: int
    changes: int


class Mended(NamedTuple):
    """What was repaired, and where the snapshot from before is."""

    snapshot: str
    before: Counts
    after: Counts
    indexed: bool
    lines: int
    private: int
    temps: int
    left_out: list[str]  # of the copy

    @property
    def lowered(self) -> bool:
        """Whether any count is lower than before, which must never happen."""
        return any(now < then for then, now in zip(self.before, self.after, strict=True))


def mend(app: Workspace, store: OpenStore) -> Mended:
    """Copy the store, then rebuild what can be rebuilt.

    Raises:
        StorageFailed: the copy could not be kept; nothing was mended.
    """
    before = counted(store)
    path = f"{app.cache_of(store.root)}/snapshots/{app.now.replace(':', '')}.tar.gz"
    left_out = keep_snapshot(store, path)
    lines = 0
    store.journal.heads()
    if store.journal.problems:
        with store.files.locked():
            lines = store.journal.drop_unreadable()
    indexed = bool([*unlike_files(store), *store.index.differences()])
    if indexed:
        store.index.wipe()
        store.freshen()
    app.publish(store)
    roots = (store.root, app.cache_of(store.root))
    private = [one for root in roots for one in open_to_others(root) if disk.set_private(one)]
    if waits_since(app, store):
        workspace.start(app, store)
    temps = half_written(app, store)
    for one in temps:
        disk.remove(one)
    return Mended(path, before, counted(store), indexed, lines, len(private), len(temps), left_out)


def counted(store: OpenStore) -> Counts:
    """The counts of the store from its files, not its index."""
    seen = list(store.files.scan())
    archived = sum(one.path.startswith("archive/") for one in seen)
    return Counts(len(seen) - archived, archived, len(store.journal.heads()))


class RebuildResult(NamedTuple):
    """What the index had before and has now."""

    scope: str
    before: int
    after: int
    files: int
    unread: list[Problem]  # passed over, or read only in part: files, lines of the journal


def rebuild_index(
    app: Workspace, *, scope: str, dry_run: bool, progress: Callable[[int, int], None]
) -> list[RebuildResult]:
    """Rebuild the index of each store from its files."""
    done = []
    for store in app.stores(scope):
        before = store.index.counts()
        if not dry_run:
            store.index.wipe()
            store.freshen(lambda n, total=before["files"]: progress(n, total))  # type: ignore[misc]
            app.publish(store)
        after = store.index.counts()
        store.journal.heads()  # which fills `problems`
        found = dict.fromkeys([*store.problems, *store.index.torn(), *store.journal.problems])
        counts = before["memories"], after["memories"], after["files"]
        done.append(RebuildResult(store.scope, *counts, list(found)))
    return done


# ------------------------------------------------------------------------------------- snapshots


def keep_snapshot(store: OpenStore, path: str) -> list[str]:
    """Put all files of a store into an archive at `path`; only the newest few archives are kept.

    Returns the files left out because they are too large to be ours.
    """
    folder = os.path.dirname(path)
    disk.make_folder(folder)
    with store.files.locked():
        data, left_out = _packed(store.root)
    disk.write_whole(path, data)
    disk.sync_folder(folder)
    for old in sorted(os.listdir(folder))[:-MOST_SNAPSHOTS]:
        disk.remove(os.path.join(folder, old))
    return left_out


def _packed(root: str) -> tuple[bytes, list[str]]:
    import tarfile  # seldom needed

    packed, left_out = io.BytesIO(), []
    with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=1) as archive:
        for path, info in disk.regular_files(root):
            name = os.path.relpath(path, root)
            if name.startswith(NOT_COPIED) or name.endswith(disk.TEMP_SUFFIX):
                continue
            is_journal = name.startswith("journal/")
            most = LARGEST_JOURNAL if is_journal else disk.LARGEST_FILE_BYTES
            if info.st_size > most:
                left_out.append(name)
                continue
            # A view may be renewed meanwhile, or a folder become a link.
            with suppress(FileNotThere):
                data = disk.read_inside(root, name, most)
                member = tarfile.TarInfo(name)
                member.size, member.mtime = len(data), int(info.st_mtime)
                member.mode = info.st_mode & 0o777
                archive.addfile(member, io.BytesIO(data))
    return packed.getvalue(), left_out


# ----------------------------------------------------------------------------------- what is wrong


def unlike_files(store: OpenStore) -> list[str]:
    """The files that differ from the index, or that only one of the two has.

    Differences that a refresh resolves, such as a save meanwhile, do not count.
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


def old_views(store: OpenStore) -> list[str]:
    """The views that are out of date."""
    return [
        name
        for name, text in views.pages_of(store).items()
        if _text_at(f"{store.root}/{name}") != text.encode("utf-8", "surrogateescape")
    ]


def _text_at(path: str) -> bytes:
    with suppress(RecollectError):
        return disk.read_file(path)
    return b""


def blocked_locks(app: Workspace, store: OpenStore) -> list[str]:
    """Paths of locks that are not files, so that nobody can take the lock."""
    cache = app.cache_of(store.root)
    with suppress(OSError):
        names = (n for n in sorted(os.listdir(cache)) if n in LOCKS or n.endswith(".lock"))
        paths = [f"{cache}/{name}" for name in names]
        return [path for path in paths if os.path.islink(path) or not os.path.isfile(path)]
    return []


def waits_since(app: Workspace, store: OpenStore) -> str:
    """Since when hook events have been waiting for a worker; empty unless it is overdue."""
    with suppress(OSError):
        since = os.path.getmtime(f"{app.cache_of(store.root)}/pending")
        if since < app.started_ns / 1e9 - OLD_SECONDS:
            return locations.utc(since)
    return ""


def open_to_others(root: str) -> list[str]:
    """The files and folders that other users may read or write."""
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
    """The bytes that a store takes, by purpose."""
    root = store.root
    found = dict.fromkeys(("files", "journal", "sessions", "cache"), 0)
    for path, info in disk.regular_files(root):
        part = os.path.relpath(path, root).partition("/")[0]
        found[part if part in found else "files"] += info.st_size
    found["cache"] = sum(info.st_size for _, info in disk.regular_files(app.cache_of(root)))
    return found
