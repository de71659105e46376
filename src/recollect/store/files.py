"""The Markdown files of a store.

Promises: nothing outside the root is opened, whatever a path, link or name says. Views and hidden
files are never taken for memories. Text comes back byte for byte.
Touches: the store's root, which it locks, and its lock in the cache.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import contextmanager

from recollect.errors import (
    AlreadyThere,
    ChangedMeanwhile,
    FileNotThere,
    OutsideStore,
    RecollectError,
)
from recollect.model.memory import SEALED, Document, FileStat, Problem
from recollect.store import disk

# -------------------- Scanning: the memory files of a store as the file system shows them.


MEMORY_FOLDERS = ("core", "episodic", "semantic", "procedural", "reference", "encrypted")
VIEWS = ("MEMORY.md", "skill-candidates.md", "README.md")
ENDS = (".md", SEALED)
DEEPEST = 8
LARGEST_MEMORY = 32 * 1024 * 1024
LISTING = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
FORM, REGULAR, LINK = 0o170000, 0o100000, 0o120000
NOT_A_FOLDER = 20  # errno.ENOTDIR


ARCHIVE = "archive"
EPISODES = ("episodic/", "archive/episodic/")
SESSION_FILES = ({"summary.md"}, {"summary.md", "conversation.md"})
NOT_OURS = FileStat("", 0, 0, 0, 0)  # no folder looks like this: it is read again


class Scan:
    """What was found of a store: its memory files by path, what was passed over and why.

    `folders` are those that were listed, as each looked before; in those of `sessions` there is
    nothing but a session's own memory. Of the folders in `known` only what is asked for is listed.
    """

    def __init__(self, root: str, known: Container[str] = ()) -> None:
        self.root, self.known = root, known
        self.found: list[FileStat] = []
        self.passed: list[Problem] = []
        self.folders: list[FileStat] = []
        self.sessions: set[str] = set()

    def every(self) -> Scan:
        """Take all that is there."""
        self._shelf("", None)
        return self

    def some(self, folders: Iterable[str]) -> Scan:
        """Take what is in these folders, and in those below them that are not known."""
        for folder in folders:
            parts = folder.split("/") if folder else []
            handles: list[int | None] = [None]
            try:
                for depth in range(len(parts)):
                    handles.append(self._opened("/".join(parts[:depth]), handles[-1]))
                if folder in ("", ARCHIVE):
                    self._shelf(folder, handles[-1])
                else:
                    self._folder(folder, handles[-1], len(parts) - 1 - (parts[0] == ARCHIVE))
            finally:
                for handle in handles:
                    _close(-1 if handle is None else handle)
        return self

    def _shelf(self, shelf: str, above: int | None) -> None:
        """Take what is in the store's own folder, or in its archive."""
        handle = self._opened(shelf, above)
        try:
            for entry in self._listed(shelf, handle):
                if not shelf and entry.name.endswith(".md") and entry.name not in VIEWS:
                    self._take(entry, entry.name)
            for name in MEMORY_FOLDERS:
                folder = f"{shelf}/{name}" if shelf else name
                if folder not in self.known:
                    self._folder(folder, handle, 0)
            if not shelf and ARCHIVE not in self.known:
                self._shelf(ARCHIVE, handle)
        finally:
            _close(handle)

    def _folder(self, folder: str, above: int | None, depth: int) -> None:
        """Take what is in a folder and below it."""
        handle = self._opened(folder, above)
        try:
            entries = self._listed(folder, handle)
            if folder.startswith(EPISODES) and {one.name for one in entries} in SESSION_FILES:
                self.sessions.add(folder)
            for entry in entries:
                path = f"{folder}/{entry.name}"
                if entry.is_dir(follow_symlinks=False):
                    if path in self.known:
                        continue
                    if depth < DEEPEST:
                        self._folder(path, handle, depth + 1)
                    else:
                        self.passed.append(Problem(path, "is nested too deeply; it was skipped"))
                elif path.endswith(ENDS):
                    self._take(entry, path)
        finally:
            _close(handle)

    def _opened(self, folder: str, above: int | None) -> int:
        """A handle of a folder in the one `above`, or -1 where there is none that we may list.

        All that is below is looked at by way of it: the folder's name may be a link by then.
        """
        try:
            if above is None:
                return os.open(self.root, LISTING)
            if above >= 0:
                name = folder.rpartition("/")[2]
                return os.open(name, LISTING | os.O_NOFOLLOW, dir_fd=above)
        except FileNotFoundError:
            pass
        except OSError as error:
            self._refused(folder, error)
        return -1

    def _refused(self, folder: str, error: OSError) -> None:
        if os.path.islink(os.path.join(self.root, folder)):
            self.passed.append(Problem(folder, "is a symbolic link; it was skipped"))
        elif error.errno != NOT_A_FOLDER:
            said = os.strerror(error.errno or 0)
            self.passed.append(Problem(folder, f"cannot be listed: {said}"))

    def _listed(self, folder: str, handle: int) -> list[os.DirEntry[str]]:
        """What is in a folder, by name, without what is hidden."""
        if handle < 0:
            return []
        try:
            look = _seen(folder, os.fstat(handle))  # before: what comes meanwhile changes it
            with os.scandir(handle) as entries:
                found = [entry for entry in entries if entry.name[0] != "."]
        except OSError as error:
            self._refused(folder, error)
            return []
        if is_utf8(folder):  # no file below any other is a memory
            self.folders.append(look)
        return sorted(found, key=_name_of)

    def _take(self, entry: os.DirEntry[str], path: str) -> None:
        """Take a file, if it is one that can be read as a memory."""
        try:
            info = entry.stat(follow_symlinks=False)
        except OSError:
            return  # gone since it was listed
        # Of every file at every look: no call is made that nearly none of them needs.
        is_usual = info.st_mode & FORM == REGULAR and info.st_size <= LARGEST_MEMORY
        if not (is_usual and path.isascii()) and (problem := problem_of(path, info)):
            self.passed.append(problem)
        else:
            self.found.append(
                FileStat(path, info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino)
            )


def problem_of(path: str, info: os.stat_result) -> Problem | None:
    """Why a file is not read as a memory, if it is not."""
    if not (path.isascii() or is_utf8(path)):
        return Problem(ascii(path), "its name is not UTF-8; it was skipped")
    form = info.st_mode & FORM
    if form != REGULAR:
        kind = "symbolic link" if form == LINK else "special file"
        return Problem(path, f"is a {kind}; it was skipped")
    if info.st_size > LARGEST_MEMORY:
        return Problem(path, f"has {info.st_size:,} bytes; it was skipped")
    return None


def is_utf8(text: str) -> bool:
    """Whether a name can be written as UTF-8."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _name_of(entry: os.DirEntry[str]) -> str:
    return entry.name


def _close(handle: int) -> None:
    if handle >= 0:
        os.close(handle)


LONGEST_NAME_BYTES = 255
# What else is written in a store: settings, rulings, lists by key, views.
OWN_FILES = (
    "config.toml", "rulings.toml", "pins.json", "dismissed.json", "skills.json", "facts.json",
    ".index.json", ".skill-candidates.json", ".gitignore",
)  # fmt: skip
SESSIONS = "sessions"
SESSION_ENDS = (*ENDS, ".json", ".jsonl")


class MarkdownStore:
    """The files of one root folder. Paths are inside the store, with `/`."""

    def __init__(
        self, root: str, lock_path: str, *, wait_seconds: float = disk.LOCK_WAIT_SECONDS
    ) -> None:
        """`root` is the `memory` folder; `lock_path` is a file on a local disk."""
        self.root = root
        self._lock_path, self._wait_seconds = lock_path, wait_seconds
        self.last_scan = Scan(root)
        # The folders in which we wrote: how each looked before and after, None where there was none.
        self.touched: dict[str, tuple[FileStat | None, FileStat | None]] = {}
        self.believed: Container[str] | None = None  # the stamps that are; None stands for all
        self.make: Callable[[], None] | None = None  # what makes the store, if it is not there

    # --------------------------------------------------------------------------------- reading

    def scan(self) -> Iterator[FileStat]:
        """Every memory file as the file system shows it now, by path."""
        self.last_scan = Scan(self.root).every()
        return iter(self.last_scan.found)

    def scan_folders(self, folders: Iterable[str], known: Container[str]) -> Scan:
        """What is in these folders now, and in those below them that are not known."""
        return Scan(self.root, known).some(folders)

    def look_at_folder(self, path: str) -> FileStat | None:
        """How a folder of the store looks now, None where there is none."""
        try:
            # A link to the store itself is followed, as it is when the store is scanned.
            info = os.lstat(f"{self.root}/{path}") if path else os.stat(self.root)
        except OSError:
            return None
        return _seen(path, info)

    def look(self, path: str) -> FileStat | None:
        """A memory file as it is now, None where there is none or it is no memory."""
        folder, _, name = path.removeprefix("archive/").partition("/")
        is_top = not name and path == folder and path not in VIEWS
        hidden = any(part.startswith(".") for part in path.split("/"))
        if hidden or not path.endswith(ENDS) or not (is_top or folder in MEMORY_FOLDERS):
            return None
        try:
            info = os.lstat(self._inside(path))
        except (OSError, OutsideStore):
            return None
        return None if problem_of(path, info) else _seen(path, info)

    def read(self, path: str) -> Document:
        """The text of a file; bytes that are not UTF-8 are kept as surrogates."""
        data = self._bytes_of(path, LARGEST_MEMORY)
        return Document(path, data.decode("utf-8", "surrogateescape"), disk.stamp_of(data))

    def _bytes_of(self, path: str, limit: int) -> bytes:
        _require_inside(path)
        try:
            return disk.read_inside(self.root, path, limit)
        except FileNotThere:
            self._inside(path)  # if that is for a link on the way, it says so
            raise

    def stamp(self, path: str) -> str | None:
        """The stamp of a file as it is now, None where there is none.

        Raises:
            OutsideStore: nothing of ours has such a name.
        """
        _require_ours(path)
        try:
            return disk.stamp_of(self._bytes_of(path, disk.LARGEST_FILE_BYTES))
        except FileNotThere:
            return None

    def is_own(self, stamp: str) -> bool:
        """Whether the text with this stamp counts as said on this machine, and not as pulled."""
        return self.believed is None or stamp in self.believed

    def exists(self, path: str) -> bool:
        """Whether anything has this name, be it a link to nowhere."""
        return os.path.lexists(self._inside(path))

    # --------------------------------------------------------------------------------- writing

    def create(self, path: str, text: str) -> str:
        """Write a new file and give its stamp."""
        _require_ours(path)
        full, data = self._inside(path), _bytes(text)
        with self._touching(path):
            try:
                disk.make_folder(os.path.dirname(full))
                disk.create_whole(full, data)
            except RecollectError:
                self._drop_empty_folders(path)
                raise
        return disk.stamp_of(data)

    def replace(self, path: str, text: str, seen: str) -> str:
        """Replace the file that had the stamp `seen`."""
        full, data = self._inside(path), _bytes(text)
        self._require(path, seen)
        with self._touching(path):
            disk.write_whole(full, data)
        return disk.stamp_of(data)

    def move(self, path: str, to: str, seen: str) -> None:
        """Give the file another place."""
        self._require(path, seen)
        _require_ours(to)
        target = self._inside(to)
        with self._touching(path, to):
            try:
                disk.make_folder(os.path.dirname(target))
                disk.move(self._inside(path), target)
            except RecollectError:
                self._drop_empty_folders(to)
                raise
            self._drop_empty_folders(path)

    def remove(self, path: str, seen: str) -> None:
        """Take the file away."""
        self._require(path, seen)
        with self._touching(path):
            disk.remove(self._inside(path))
            self._drop_empty_folders(path)

    @contextmanager
    def _touching(self, *paths: str) -> Iterator[None]:
        """Keep how the folders of these files looked before and after; the store is locked."""
        folders = {""}
        for path in paths:
            while path := path.rpartition("/")[0]:
                folders.add(path)
        looks = {folder: self.look_at_folder(folder) for folder in folders}
        try:
            yield
        finally:
            for folder, look in looks.items():
                first, last = self.touched.get(folder, (look, look))
                # What somebody else did between two writes of ours is not ours.
                first = first if last == look else NOT_OURS
                self.touched[folder] = first, self.look_at_folder(folder)

    def _require(self, path: str, seen: str) -> None:
        if self.stamp(path) != seen:
            raise ChangedMeanwhile(path=path)

    def _drop_empty_folders(self, path: str) -> None:
        # `episodic/<id>/` goes with its last file; the layer folders stay.
        if (path.count("/") >= 2 and not path.startswith("archive/")) or path.count("/") >= 3:
            disk.remove_empty_folder(os.path.dirname(self._inside(path)))

    def settle(self, paths: Iterable[str]) -> None:
        """Make the names of these files durable."""
        folders = {os.path.dirname(self._inside(path)) for path in paths}
        disk.sync_folders(f if os.path.isdir(f) else os.path.dirname(f) for f in folders)

    def write_view(self, path: str, text: str) -> bool:
        """Put a generated file in place; False if it is there with these bytes already.

        Its bytes are on disk before its name is there; `settle` makes the name durable.
        """
        _require_ours(path)
        full, data = self._inside(path), _bytes(text)
        try:
            if disk.read_file(full) == data:
                return False
        except FileNotThere:
            if os.path.lexists(full):
                raise AlreadyThere(path=full) from None
        with self._touching(path):
            disk.make_folder(os.path.dirname(full))
            disk.write_whole(full, data)
        return True

    @contextmanager
    def locked(self) -> Iterator[None]:
        """The store's lock, which every change is made under.

        The file in the cache says who has it and keeps the queue; the folder itself keeps those
        out who have another cache: another user, a container, a program with a home of its own.
        """
        if self.make:
            try:
                self.make()
            except OSError as error:
                raise disk.storage_error(error, error.filename or self.root) from error
        with (
            disk.lock(self._lock_path, wait_seconds=self._wait_seconds),
            disk.locked_folder(self.root, wait_seconds=self._wait_seconds),
        ):
            yield

    def _inside(self, path: str) -> str:
        """The full path, or an error if it would leave the store or pass through a link."""
        _require_inside(path)
        full = self.root
        parts = path.split("/")
        for part in parts[:-1]:
            full = os.path.join(full, part)
            if os.path.islink(full):
                raise OutsideStore(name=path)
        return os.path.join(full, parts[-1])


def _seen(path: str, info: os.stat_result) -> FileStat:
    return FileStat(path, info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino)


def _require_inside(path: str) -> None:
    """Raise OutsideStore for a path that names something outside."""
    parts = path.split("/")
    if len(parts) > DEEPEST + 4 or not all(map(_is_name, parts)):
        raise OutsideStore(name=path)


def _require_ours(path: str) -> None:
    """Raise OutsideStore for a name that no file of ours has, even if a journal has it."""
    folder, _, rest = path.partition("/")
    if not rest:
        is_ours = path in OWN_FILES or path.endswith(ENDS)
    elif folder == SESSIONS:
        is_ours = rest.endswith(SESSION_ENDS)
    else:
        is_ours = folder in (*MEMORY_FOLDERS, "archive") and rest.endswith(ENDS)
    if not is_ours:
        raise OutsideStore(name=path)


def _is_name(part: str) -> bool:
    """Whether this can be the name of a file or folder."""
    if part in ("", ".", "..") or "\0" in part or "\\" in part:
        return False
    return is_utf8(part) and len(part.encode("utf-8")) <= LONGEST_NAME_BYTES


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
