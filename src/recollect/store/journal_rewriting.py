"""Remove old changes from the journal.

Promises: a change goes or stays as a whole. A text that is to stay can be read at any moment, also
after a crash.
Touches: the given journal files.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from recollect._fastimport import NamedTuple
from recollect.store import disk as fsio
from recollect.store.journal_lines import checked, line_of, split

LARGEST_TO_REWRITE = 512 * 1024 * 1024

Line = Mapping[str, Any]


class Retained(NamedTuple):
    """What stays: texts by their stamps, and groups."""

    texts: Collection[str]
    groups: Collection[str]


def forget(paths: Sequence[str], keep: Retained, text_of_op: Callable[[str], str | None]) -> int:
    """Take out every change and every text but these; gives the bytes that became free.

    The caller keeps all other writers away.
    """
    before = sum(map(os.path.getsize, paths))
    kept = {
        line["op_id"]
        for path in paths
        for raw in _lines_in(path)
        if (line := checked(raw)) and line.get("after") in keep.texts and "op_id" in line
    }

    def standing_alone(line: Line) -> Line:
        """A line that says its text by what is going to be taken out says all of it from now on."""
        if line.get("op_id") in kept and "parts" in line and line.get("base") not in kept:
            text = text_of_op(line["op_id"])
            if text is not None:
                return _without(line, "base", "parts") | {"text": text}
        return line

    def without_text(line: Line) -> Line | None:
        if line.get("group", "") not in ("", *keep.groups):
            return None
        has_text = line.get("text") is not None or "parts" in line
        if has_text and "after" in line and line.get("op_id") not in kept:
            return _without(line, "base", "parts") | {"text": None, "forgotten": True}
        return line

    for change in (standing_alone, without_text):
        for path in paths:
            _rewrite(path, change)
    return before - sum(map(os.path.getsize, paths))


def _without(line: Line, *keys: str) -> dict[str, Any]:
    return {key: value for key, value in line.items() if key not in (*keys, "sum")}


def _lines_in(path: str) -> Iterator[bytes]:
    return (raw for raw, _ in split(fsio.pieces_of(path, LARGEST_TO_REWRITE)))


def _rewrite(path: str, change: Callable[[Line], Line | None]) -> None:
    old = list(_lines_in(path))
    new = [made for raw in old if (made := _changed(raw, change)) is not None]
    if new != old:
        fsio.write_whole(path, b"".join(raw + b"\n" for raw in new))
        fsio.sync_folder(os.path.dirname(path))


def _changed(raw: bytes, change: Callable[[Line], Line | None]) -> bytes | None:
    """A line after the change, None where nothing of it stays."""
    line = checked(raw)
    if line is None:
        return raw
    made = change(line)
    if made is None or made is line:
        return None if made is None else raw
    return line_of(dict(made)).rstrip(b"\n")
