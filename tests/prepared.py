"""Somebody's home and project with stores, made once and put wherever a test wants them.

Promises: what is put somewhere is what would have been made there, down to the names that come of
    its path, the notes on what was accepted, and the order in which all was written.
Touches: the folders that it is given.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from recollect.store import locations
from recollect.workspace import look_of

CACHES, ACCEPTED = "home/.cache/recollect", "home/.local/share/recollect/accepted"
STORE = "/.claude/memory"


class Part(NamedTuple):
    """A folder, or a file with its bytes."""

    path: str
    mode: int
    written_ns: int
    data: bytes | None


class Prepared:
    """What was made in a folder, in which `home` is somebody's home; its stores are empty.

    An index knows the inodes of memories, which a copy would not have.
    """

    def __init__(self, made: Path) -> None:
        """Read it once; what becomes of the folder does not matter any more."""
        self._made = str(made)
        self._parts = [*_parts(self._made, "")]
        self._until = max(part.written_ns for part in self._parts)
        self._roots = [part.path for part in self._parts if f"/{part.path}".endswith(STORE)]
        self._names = [*self._own_names(self._made)]
        for path, _, _, data in self._parts:
            is_moved = path.startswith(ACCEPTED) or path.endswith("/brief")
            assert is_moved or data is None or os.fsencode(self._made) not in data, path
            assert not path.endswith(".md") or path.endswith("/MEMORY.md"), path

    def _own_names(self, folder: str) -> Iterator[str]:
        """What has a name that comes of its place: the cache of each store, and its note."""
        env = {"HOME": f"{folder}/home"}
        for root in self._roots:
            yield locations.cache_folder(f"{folder}/{root}", env)
            yield locations.note_of(f"{folder}/{root}", env)[0]

    def put(self, folder: Path) -> None:
        """Make the same in another folder, as if it had been made there just now."""
        to = str(folder)
        since = time.time_ns() - self._until
        for part in self._parts:
            if part.data is None and not part.path.startswith(CACHES):
                _make(f"{to}/{part.path}", part.mode)
        moved = [*zip(self._names, self._own_names(to), strict=True), (self._made, to)]
        briefs, written = [], []
        for part in self._parts:
            path = _moved(f"{self._made}/{part.path}", moved)
            written.append((path, part.written_ns + since))
            data = part.data
            if data is None:
                _make(path, part.mode)
                continue
            if path.endswith("/recollect/machine"):
                data = os.urandom(3).hex().encode() + b"\n"
            elif path.endswith("/brief"):
                briefs.append((path, part.written_ns + since, data))
            elif part.path.startswith(ACCEPTED):
                data = self._note(to, path)
            _write(path, part.mode, data)
        for path, when in reversed(written):
            os.utime(path, ns=(when, when))
        for path, when, data in briefs:
            Path(path).write_bytes(_looked_again(data, moved))
            os.utime(path, ns=(when, when))

    def _note(self, folder: str, path: str) -> bytes:
        env = {"HOME": f"{folder}/home"}
        marks = dict(locations.note_of(f"{folder}/{root}", env) for root in self._roots)
        return f"{marks[path]}{locations.ACCEPTED}\n".encode()


def _parts(folder: str, path: str) -> Iterator[Part]:
    """All that is in a folder, a folder before what is in it."""
    with os.scandir(f"{folder}/{path}") as found:
        for one in sorted(found, key=lambda one: one.name):
            name = f"{path}/{one.name}".removeprefix("/")
            info = one.stat(follow_symlinks=False)
            is_folder = one.is_dir(follow_symlinks=False)
            data = None if is_folder else Path(one.path).read_bytes()
            yield Part(name, info.st_mode & 0o777, info.st_mtime_ns, data)
            if is_folder:
                yield from _parts(folder, name)


def _moved(path: str, moved: list[tuple[str, str]]) -> str:
    """Where something is in the copy; the first of the names that begins its path is another there."""
    for old, new in moved:
        if path.startswith(old):
            return new + path.removeprefix(old)
    return path


def _make(path: str, mode: int) -> None:
    try:
        os.mkdir(path, mode)
    except FileExistsError:
        return


def _write(path: str, mode: int, data: bytes) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        os.write(file, data)
    finally:
        os.close(file)


def _looked_again(brief: bytes, moved: list[tuple[str, str]]) -> bytes:
    """A brief whose sources are those of the copy, as these look."""
    head, end, text = brief.decode().partition("\n\n")
    first, *sources = head.split("\n")
    rows = [source.split(" ", 2)[2] for source in sources]
    looks = [look_of(_moved(row.lstrip("!"), moved), "!" * row.startswith("!")) for row in rows]
    return "\n".join([first, *looks]).encode() + (end + text).encode()
