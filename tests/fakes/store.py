"""A store in memory."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from recollect.errors import AlreadyThere, ChangedMeanwhile, FileNotThere, Locked, OutsideStore
from recollect.model.memory import Document, FileStat
from recollect.store.disk import stamp_of
from recollect.store.files import MarkdownStore, Scan

LAYERS = ("core/", "episodic/", "semantic/", "procedural/", "reference/")
DEEPEST = 11
VIEWS = ("MEMORY.md", "skill-candidates.md", "README.md")

Before = Callable[[str, str], None]  # the name of a step, the path it is about


def nothing(step: str, path: str) -> None:
    """What happens before a step where nothing is asked for."""


class File(NamedTuple):
    """Bytes, and how often the store had been written to when they came."""

    data: bytes
    tick: int


class MemoryStore(MarkdownStore):
    """A store in memory. `before` is called ahead of each step that would touch a disk."""

    def __init__(self, before: Before | None = None) -> None:
        self.root = "/nowhere/.claude/memory"
        self.files: dict[str, File] = {}
        self.believed: Container[str] | None = None
        self.settled: list[str] = []
        self._before = before or nothing
        self._tick = 0
        self._is_locked = False
        self.last_scan = Scan(self.root)  # of a folder that is not there
        self.touched = {}

    # ------------------------------------------------------------------------------ by somebody

    def edit_outside(self, path: str, data: bytes) -> None:
        """What a person's editor does."""
        self._tick += 1
        self.files[path] = File(data, self._tick)

    def remove_outside(self, path: str) -> None:
        del self.files[path]

    # ---------------------------------------------------------------------------------- reading

    def scan(self) -> Iterator[FileStat]:
        yield from filter(None, map(self.look, sorted(self.files)))

    def look(self, path: str) -> FileStat | None:
        inside = path.removeprefix("archive/")
        hidden = any(part.startswith(".") for part in path.split("/"))
        is_top = "/" not in path and path not in VIEWS
        file = self.files.get(path)
        if not file or hidden or not path.endswith(".md"):
            return None
        if not is_top and not inside.startswith(LAYERS):
            return None
        return FileStat(path, len(file.data), file.tick, file.tick, file.tick)

    def read(self, path: str) -> Document:
        file = self.files.get(_inside(path))
        if file is None:
            raise FileNotThere(path=path, reason="no such file or folder")
        return Document(path, file.data.decode("utf-8", "surrogateescape"), stamp_of(file.data))

    def stamp(self, path: str) -> str | None:
        file = self.files.get(_inside(path))
        return stamp_of(file.data) if file else None

    def is_own(self, stamp: str) -> bool:
        return True

    def exists(self, path: str) -> bool:
        start = f"{_inside(path)}/"
        return path in self.files or any(other.startswith(start) for other in self.files)

    # ---------------------------------------------------------------------------------- writing

    def create(self, path: str, text: str) -> str:
        if self.exists(path):
            raise AlreadyThere(path=path)
        return self._put("create", path, text)

    def replace(self, path: str, text: str, seen: str) -> str:
        self._require(path, seen)
        return self._put("replace", path, text)

    def _put(self, step: str, path: str, text: str) -> str:
        self._before(step, path)
        self.edit_outside(path, text.encode("utf-8", "surrogateescape"))
        return stamp_of(self.files[path].data)

    def move(self, path: str, to: str, seen: str) -> None:
        self._require(path, seen)
        if self.exists(to):
            raise AlreadyThere(path=to)
        self._before("move", path)
        self.files[to] = self.files.pop(path)

    def remove(self, path: str, seen: str) -> None:
        self._require(path, seen)
        self._before("remove", path)
        del self.files[path]

    def _require(self, path: str, seen: str) -> None:
        if self.stamp(path) != seen:
            raise ChangedMeanwhile(path=path)

    def settle(self, paths: Iterable[str]) -> None:
        for path in paths:
            self._before("settle", path)
            self.settled.append(path)

    def write_view(self, path: str, text: str) -> bool:
        data = text.encode("utf-8", "surrogateescape")
        same = path in self.files and self.files[path].data == data
        if not same:
            self.edit_outside(path, data)
        return not same

    @contextmanager
    def locked(self) -> Iterator[None]:
        if self._is_locked:
            raise Locked(path="the lock", seconds=0.0, who="this test")
        self._is_locked = True
        try:
            yield
        finally:
            self._is_locked = False


def _inside(path: str) -> str:
    if path.count("/") > DEEPEST:
        raise OutsideStore(name=path)
    for part in path.split("/"):
        try:
            fits = len(part.encode("utf-8")) <= 255
        except UnicodeEncodeError:
            fits = False
        if part in ("", ".", "..") or "\0" in part or "\\" in part or not fits:
            raise OutsideStore(name=path)
    return path
