"""Command line: the text that a person gives in a file or on stdin."""

from __future__ import annotations

import os
import sys

from recollect.errors import FileNotThere, NotText
from recollect.fsio import read_file

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
