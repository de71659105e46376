"""JSON text: small edits of a JSON file that leave every other byte alone.

Promises: only the named members and items are added or taken out, with the file's own indent and
line ends; adding and then taking out gives the bytes that were there.
Touches: nothing.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\r\n]*")


class Span(NamedTuple):
    """A member of an object (with its key) or an item of an array, and where it stands."""

    key: str
    start: int  # of the key, or of the item
    value_start: int
    end: int
    value: Any


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def spans(text: str, at: int) -> list[Span]:
    """The members or items of the object or array that starts at `at`. Raises ValueError."""
    is_object = text[at] == "{"
    found: list[Span] = []
    at = _skip(text, at + 1)
    while text[at] not in "}]":
        start, key = at, ""
        if is_object:
            key, at = _DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)  # behind the colon
        value, end = _DECODER.raw_decode(text, at)
        found.append(Span(key, start, at, end, value))
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return found


def root_of(text: str) -> int:
    """Where the outermost object starts. Raises ValueError if the text is no JSON object."""
    start = _skip(text, 1 if text.startswith("\ufeff") else 0)
    value, end = _DECODER.raw_decode(text, start)
    if not isinstance(value, dict) or text[_skip(text, end) :]:
        raise ValueError("it is not one JSON object")
    return start


def style_of(text: str) -> tuple[str, str]:
    """`(indent, line end)` of a file: its own, or two blanks and a line feed."""
    eol = "\r\n" if "\r\n" in text else "\n"
    match = re.search(r"\n([ \t]+)[\"{\[]", text)
    return (match[1] if match else "  "), eol


def added(text: str, at: int, key: str, value: Any, depth: int) -> str:
    """`text` with a member (or, without a key, an item) at the end of what starts at `at`.

    `depth` says how deep inside the file that object or array lies; the outermost one is 0.
    """
    indent, eol = style_of(text)
    shown = json.dumps(value, ensure_ascii=False, indent=indent)
    shown = shown.replace("\n", eol + indent * (depth + 1))
    new = (f"{json.dumps(key, ensure_ascii=False)}: " if key else "") + shown
    have = spans(text, at)
    lead = eol + indent * (depth + 1)
    if have:
        return f"{text[: have[-1].end]},{lead}{new}{text[have[-1].end :]}"
    close = _skip(text, at + 1)
    return f"{text[: at + 1]}{lead}{new}{eol}{indent * depth}{text[close:]}"


def removed(text: str, at: int, n: int) -> str:
    """`text` without the n-th member or item of what starts at `at`, and without its comma."""
    have = spans(text, at)
    if len(have) == 1:
        return text[: at + 1] + text[_skip(text, have[0].end) :]
    if n == 0:
        return text[: have[0].start] + text[have[1].start :]
    return text[: have[n - 1].end] + text[have[n].end :]


def replaced(text: str, span: Span, value: Any, depth: int) -> str:
    """`text` with another value in a member or item."""
    indent, eol = style_of(text)
    shown = json.dumps(value, ensure_ascii=False, indent=indent).replace("\n", eol + indent * depth)
    return text[: span.value_start] + shown + text[span.end :]
