"""Read a JSON file and edit members in place, leaving every other byte alone.

Edits use the file's own indent and line ends; adding and removing restores the bytes. Comments
stay.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import lru_cache

from recollect._fastimport import Any, NamedTuple, NoReturn

_SPACE = re.compile(r"[ \t\r\n]*")
# A string (kept), a comment, or a trailing comma (only blanks and comments follow it).
_COMMENT = r"//[^\n]*|/\*.*?\*/"
_PARTS = re.compile(rf'"(?:[^"\\]|\\.)*"|{_COMMENT}|,(?=(?:\s|{_COMMENT})*[}}\]])', re.S)


class Span(NamedTuple):
    """A member of an object (with its key) or an item of an array, and where it stands."""

    key: str
    start: int  # of the key, or of the item
    value_start: int
    end: int
    value: Any


def object_in(text: str) -> dict[str, Any]:
    """The object that a JSON text is; empty where it is none, or no JSON."""
    try:
        found = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def rows_in(text: str, key: str) -> list[Any]:
    """The rows that a JSON object has under `key`; none where that is no list."""
    rows = object_in(text).get(key, [])
    return rows if isinstance(rows, list) else []


def with_rows(text: str, key: str, rows: Sequence[Any], version: int) -> str:
    """An object of ours with these rows under `key`, and whatever else it had.

    A line for each row: what changed is what a diff shows.
    """
    kept = {name: value for name, value in object_in(text).items() if name != key}
    head = json.dumps({"version": version} | kept, ensure_ascii=False).removesuffix("}")
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    inside = f"\n{lines}\n" if rows else ""
    made = f'{head}, "{key}": [{inside}]}}\n'
    return made.encode("utf-8", "backslashreplace").decode()  # half a character, as JSON has it


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"it contains {name}, which is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_no_constant)


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


@lru_cache(maxsize=2)
def plain(text: str) -> str:
    """The text with blanks for its comments and for commas too many: as long as it was."""
    if "//" not in text and "/*" not in text and not re.search(r",\s*[}\]]", text):
        return text

    def blanked(found: re.Match[str]) -> str:
        is_string = found[0].startswith('"')
        return found[0] if is_string else re.sub(r"[^\r\n]", " ", found[0])

    return _PARTS.sub(blanked, text)


def root_of(text: str, *, comments: bool = False) -> int:
    """Where the outermost object starts. Raises ValueError if the text is no JSON object.

    With `comments` it may have those, and commas behind the last of a list, as some readers allow.
    """
    text = plain(text) if comments else text
    start = _skip(text, 1 if text.startswith("\ufeff") else 0)
    try:
        value, end = _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        raise _not_json(text, error.pos) from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if text[_skip(text, end) :]:
        raise _not_json(text, _skip(text, end))
    if not isinstance(value, dict):
        raise ValueError("it is not one JSON object")  # noqa: TRY004 - about a text, not a type
    return start


def _not_json(text: str, at: int) -> ValueError:
    line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    return ValueError(f"it is not valid JSON (line {line}, column {column})")


def spans(text: str, at: int) -> list[Span]:
    """The members or items of the object or array that starts at `at`, in a valid text."""
    text = plain(text)
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


class _Style(NamedTuple):
    """How a file is laid out: on one line, or with its own indent and line ends."""

    indent: str | None
    eol: str

    def margin(self, depth: int) -> str:
        """What stands in front of a member at this depth."""
        return "" if self.indent is None else self.eol + self.indent * depth

    def shown(self, value: Any, depth: int) -> str:
        """A value as it stands at this depth."""
        text = json.dumps(value, ensure_ascii=False, indent=self.indent)
        return text.replace("\n", self.margin(depth))


def _style_of(text: str) -> _Style:
    inside = text.strip("\ufeff \t\r\n")
    if "\n" not in inside and inside.strip("{} \t"):
        return _Style(None, "")
    match = re.search(r"\n([ \t]+)[\"{\[]", text)
    return _Style(match[1] if match else "  ", "\r\n" if "\r\n" in text else "\n")


def added(text: str, at: int, key: str, value: Any, depth: int) -> str:
    """`text` with a member (or, without a key, an item) at the end of what starts at `at`.

    `depth` says how deep inside the file that object or array lies; the outermost one is 0.
    """
    style = _style_of(text)
    name = f"{json.dumps(key, ensure_ascii=False)}: " if key else ""
    new = style.margin(depth + 1) + name + style.shown(value, depth + 1)
    have = spans(text, at)
    if have:
        end = have[-1].end
        return f"{text[:end]},{'' if style.indent else ' '}{new}{text[end:]}"
    # Whatever blanks an empty object had stay behind what is added, so that they can come back.
    return f"{text[: at + 1]}{new}{style.margin(depth)}{text[at + 1 :]}"


def removed(text: str, at: int, n: int, depth: int) -> str:
    """`text` without the n-th member or item of what starts at `at`, and without its comma."""
    have = spans(text, at)
    if n:
        return text[: have[n - 1].end] + text[have[n].end :]
    if len(have) > 1:
        return text[: have[0].start] + text[have[1].start :]
    rest, margin = text[have[0].end :], _style_of(text).margin(depth)
    is_ours = rest.startswith(margin)
    return text[: at + 1] + (rest.removeprefix(margin) if is_ours else rest.lstrip())


def replaced(text: str, span: Span, value: Any, depth: int) -> str:
    """`text` with another value in a member or item."""
    shown = _style_of(text).shown(value, depth)
    return text[: span.value_start] + shown + text[span.end :]
