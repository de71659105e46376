"""Clients: the lines that were added to a transcript since it was read.

Promises: only whole lines are given, each once; a file that was cut or written anew is read from
its start; a pipe that somebody put there is not waited for.
Touches: transcripts (reading).
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO

from recollect.domain.codec import fields
from recollect.named import NamedTuple

_decoded = json.JSONDecoder().decode
PORTION_BYTES = 16 * 1024 * 1024
LONGEST_LINE = 64 * 1024 * 1024


class Added(NamedTuple):
    """What was added to a file, and where to go on."""

    lines: list[bytes]
    offset: int
    inode: int


def added(path: str, offset: int, inode: int) -> Added:
    """Some megabytes of what was added since `offset`; from the start if the file is another."""
    file = _opened(path)
    if file is None:
        return Added([], offset, inode)
    with file:
        info = os.fstat(file.fileno())
        if (inode and info.st_ino != inode) or not _is_line_start(file, offset):
            offset = 0
        data, end = _whole_lines(file, offset)
    return Added([raw for raw in data.split(b"\n") if raw], end, info.st_ino)


def first(path: str) -> Iterator[bytes]:
    """The first lines of a file, as far as anybody should look."""
    file = _opened(path)
    if file is None:
        return
    with file:
        while file.tell() < PORTION_BYTES:
            raw = file.readline(PORTION_BYTES)
            if not raw:
                return
            yield raw


def _opened(path: str) -> BinaryIO | None:
    """A transcript that can be read: a regular file, not a pipe that somebody put there."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        return None
    return os.fdopen(handle, "rb")


def _is_line_start(file: BinaryIO, offset: int) -> bool:
    """Whether a line starts here; not if the file was cut, or written anew, since we were here."""
    return offset == 0 or os.pread(file.fileno(), 1, offset - 1) == b"\n"


def _whole_lines(file: BinaryIO, offset: int) -> tuple[bytes, int]:
    """The bytes from `offset` on, up to the last whole line of a portion, and where they end.

    A line that is longer than any sane one is passed over.
    """
    size = PORTION_BYTES
    while True:
        data = os.pread(file.fileno(), size, offset)
        end = data.rfind(b"\n") + 1
        if end or len(data) < size:
            return data[:end], offset + end
        if size >= LONGEST_LINE:
            return b"", _end_of_line(file, offset)
        size *= 2


def _end_of_line(file: BinaryIO, offset: int) -> int:
    """Where the line that starts at `offset` ends; `offset` while its end is not written yet."""
    at = offset
    while data := os.pread(file.fileno(), PORTION_BYTES, at):
        newline = data.find(b"\n")
        if newline >= 0:
            return at + newline + 1
        at += len(data)
    return offset


def object_of(raw: bytes | str) -> dict[str, Any]:
    """The object that a line is; an empty one for any other line."""
    try:
        if raw[:2] == b'{"' and isinstance(raw, bytes):  # as JSON finds out anew for each line
            raw = raw.decode("utf-8", "surrogatepass")
        return members(_decoded(raw) if isinstance(raw, str) else json.loads(raw))
    except (ValueError, RecursionError):
        return {}


def head_of(path: str) -> dict[str, Any]:
    """The object in the first line of a file; an empty one while there is none."""
    return next((object_of(raw) for raw in first(path)), {})


def string(value: object) -> str:
    """The value if it is a string, else nothing: a field may be of any kind."""
    return value if isinstance(value, str) else ""


def members(value: object) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def objects(value: object) -> list[dict[str, Any]]:
    """The objects in a list, and nothing else of it."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def time_of(text: object) -> str:
    """A time in our form; theirs has milliseconds. What is no time is nothing."""
    return fields.time_of(f"{text[:19]}Z") if isinstance(text, str) and len(text) >= 20 else ""


def files_in(folder: str, is_one: Callable[[str], bool], skipped: Iterable[str] = ()) -> list[str]:
    """The files in a folder and below that are one, oldest first; a file is its own list."""
    if os.path.isfile(folder):
        return [folder]
    found: list[tuple[float, str]] = []
    for base, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in skipped]
        for name in files:
            path = os.path.join(base, name)
            if is_one(path) and not os.path.islink(path):
                found.append((os.path.getmtime(path), path))
    return [path for _, path in sorted(found)]
