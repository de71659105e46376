"""Command line: the text that a person gives in a file or on stdin."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from recollect.errors import FileNotThere, NotText
from recollect.fsio import read_file

if TYPE_CHECKING:
    from recollect.doors.cli.door import Door

LARGEST_INPUT = 32 * 1024 * 1024


def text_at(path: str) -> str:
    """The text of a file, or of stdin for `-`; nothing is guessed and nothing is cut off.

    Raises:
        FileNotThere, NotText: it cannot be read as text.
    """
    if path == "-":
        return _text_of(sys.stdin.buffer.read(LARGEST_INPUT + 1), "stdin")
    if os.path.isdir(path):
        raise FileNotThere(path=path, reason="it is a folder")
    return _text_of(read_file(os.path.realpath(path), LARGEST_INPUT), path)


def _text_of(data: bytes, path: str) -> str:
    if len(data) > LARGEST_INPUT:
        raise FileNotThere(path=path, reason=f"it has more than {LARGEST_INPUT:,} bytes")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise NotText(path=path) from None


def text_given(door: Door, given: dict[str, Any]) -> str:
    """The text, from the one place it was given in."""
    sources = [given["body"] is not None, given["file"] is not None, given["stdin"] is not None]
    if sum(sources) > 1:
        raise door.refusal("Give the text once: --body, --file or -.")
    if given["stdin"] not in (None, "-"):
        raise door.refusal("Put a text of several words in quotes.")
    if given["stdin"] == "-":
        return text_at("-")
    return text_at(given["file"]) if given["file"] else given["body"] or ""
