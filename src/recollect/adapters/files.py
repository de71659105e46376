"""Files: the store as a tree of Markdown files.

Promises: nothing outside the root is ever opened, whatever a path, a link or a name says; views
and hidden files are never taken for memories; text comes back as the bytes it was.
Touches: the store's root (reading; writing goes through `fsio`), which it locks, and its lock in the
cache.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from recollect import fsio
from recollect.adapters import scanning
from recollect.adapters.scanning import (
    DEEPEST,
    ENDS,
    LARGEST_MEMORY,
    MEMORY_FOLDERS,
    VIEWS,
    is_utf8,
    problem_of,
)
from recollect.domain.model import Document, Problem, Seen
from recollect.errors import (
    AlreadyThere,
    ChangedMeanwhile,
    FileNotThere,
    OutsideStore,
    RecollectError,
)

LONGEST_NAME_BYTES = 255


class MarkdownStore:
    """A store in a folder."""

    def __init__(
        self, root: str, lock_path: str, *, wait_seconds: float = fsio.LOCK_WAIT_SECONDS
    ) -> None:
        """`root` is the `memory` folder; `lock_path` is a file on a local disk."""
        self.root = root
        self._lock_path, self._wait_seconds = lock_path, wait_seconds
        self._problems: list[Problem] = []

    # --------------------------------------------------------------------------------- reading

    def scan(self) -> Iterator[Seen]:
        """Every memory file as the file system shows it now, by path."""
        found, self._problems = scanning.scan(self.root)
        return iter(found)

    def look(self, path: str) -> Seen | None:
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

    def problems(self) -> Iterator[Problem]:
        """What the last scan had to pass over."""
        return iter(self._problems)

    def read(self, path: str) -> Document:
        """The text of a file; bytes that are not UTF-8 are kept as surrogates."""
        data = self._bytes_of(path, LARGEST_MEMORY)
        return Document(path, data.decode("utf-8", "surrogateescape"), fsio.stamp_of(data))

    def _bytes_of(self, path: str, limit: int) -> bytes:
        _require_inside(path)
        try:
            return fsio.read_inside(self.root, path, limit)
        except FileNotThere:
            self._inside(path)  # if that is for a link on the way, it says so
            raise

    def stamp(self, path: str) -> str | None:
        """The stamp of a file as it is now, None where there is none."""
        try:
            return fsio.stamp_of(self._bytes_of(path, fsio.LARGEST_FILE_BYTES))
        except FileNotThere:
            return None

    def exists(self, path: str) -> bool:
        """Whether anything has this name, be it a link to nowhere."""
        return os.path.lexists(self._inside(path))

    # --------------------------------------------------------------------------------- writing

    def create(self, path: str, text: str) -> str:
        """Write a new file and give its stamp."""
        full, data = self._inside(path), _bytes(text)
        try:
            fsio.make_folder(os.path.dirname(full))
            fsio.create_whole(full, data)
        except RecollectError:
            self._drop_empty_folders(path)
            raise
        return fsio.stamp_of(data)

    def replace(self, path: str, text: str, seen: str) -> str:
        """Replace the file that had the stamp `seen`."""
        full, data = self._inside(path), _bytes(text)
        self._require(path, seen)
        fsio.write_whole(full, data)
        return fsio.stamp_of(data)

    def move(self, path: str, to: str, seen: str) -> None:
        """Give the file another place."""
        self._require(path, seen)
        target = self._inside(to)
        try:
            fsio.make_folder(os.path.dirname(target))
            fsio.move(self._inside(path), target)
        except RecollectError:
            self._drop_empty_folders(to)
            raise
        self._drop_empty_folders(path)

    def remove(self, path: str, seen: str) -> None:
        """Take the file away."""
        self._require(path, seen)
        fsio.remove(self._inside(path))
        self._drop_empty_folders(path)

    def _require(self, path: str, seen: str) -> None:
        if self.stamp(path) != seen:
            raise ChangedMeanwhile(path=path)

    def _drop_empty_folders(self, path: str) -> None:
        # `episodic/<id>/` goes with its last file; the layer folders stay.
        if (path.count("/") >= 2 and not path.startswith("archive/")) or path.count("/") >= 3:
            fsio.remove_empty_folder(os.path.dirname(self._inside(path)))

    def settle(self, paths: Iterable[str]) -> None:
        """Make the names of these files durable."""
        folders = {os.path.dirname(self._inside(path)) for path in paths}
        fsio.sync_folders(f if os.path.isdir(f) else os.path.dirname(f) for f in folders)

    def write_view(self, path: str, text: str) -> bool:
        """Put a generated file in place; False if it is there with these bytes already."""
        full, data = self._inside(path), _bytes(text)
        try:
            if fsio.read_file(full) == data:
                return False
        except FileNotThere:
            if os.path.lexists(full):
                raise AlreadyThere(path=full) from None
        fsio.make_folder(os.path.dirname(full))
        fsio.write_whole(full, data, durable=False)
        return True

    @contextmanager
    def locked(self) -> Iterator[None]:
        """The store's lock, which every change is made under.

        The file in the cache says who has it and keeps the queue; the folder itself keeps those
        out who have another cache: another user, a container, a program with a home of its own.
        """
        with (
            fsio.lock(self._lock_path, wait_seconds=self._wait_seconds),
            fsio.locked_folder(self.root, wait_seconds=self._wait_seconds),
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


def _seen(path: str, info: os.stat_result) -> Seen:
    return Seen(path, info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino)


def _require_inside(path: str) -> None:
    """Raise OutsideStore for a path that names something outside."""
    parts = path.split("/")
    if len(parts) > DEEPEST + 4 or not all(map(_is_name, parts)):
        raise OutsideStore(name=path)


def _is_name(part: str) -> bool:
    """Whether this can be the name of a file or folder."""
    if part in ("", ".", "..") or "\0" in part or "\\" in part:
        return False
    return is_utf8(part) and len(part.encode("utf-8")) <= LONGEST_NAME_BYTES


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
