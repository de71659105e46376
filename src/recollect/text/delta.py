"""Encode a text as its differences from an earlier one.

`text_from(old, parts_between(old, new)) == new` for any texts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

LEAST_TAKEN = 40  # characters; shorter ones cost less when they are said again

Part = str | list[int]  # new text, or `[start, end]` in characters of the old one


def parts_between(old: str, new: str) -> list[Part]:
    """The pieces of which `new` is made: its own, and lines that `old` has."""
    places: dict[str, int] = {}
    for start, line in _lines(old):
        places.setdefault(line, start)
    parts: list[Part] = []
    own: list[str] = []
    start = end = 0  # what of `old` is being taken over
    for _, line in _lines(new):
        if end > start and old.startswith(line, end):
            end += len(line)
            continue
        _close(parts, own, old, start, end)
        start = places.get(line, -1)
        end = start + len(line)
        if start < 0:
            own.append(line)
            start = end = 0
    _close(parts, own, old, start, end)
    if own:
        parts.append("".join(own))
    return parts


def _close(parts: list[Part], own: list[str], old: str, start: int, end: int) -> None:
    """End a piece that was taken over, if it is long enough to be one."""
    if end - start < LEAST_TAKEN:
        own.append(old[start:end])
        return
    if any(own):
        parts.append("".join(own))
    own.clear()
    parts.append([start, end])


def _lines(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield start, text[start : end + 1]
        start = end + 1
    if start < len(text):
        yield start, text[start:]


def size_of(parts: Sequence[Part]) -> int:
    """About how many characters these pieces take in a file."""
    return sum(len(part) if isinstance(part, str) else 16 for part in parts)


def text_from(old: str, parts: object) -> str | None:
    """The text that the pieces make of `old`; None where they are none of its pieces."""
    if not isinstance(parts, list):
        return None
    made: list[str] = []
    for part in parts:
        match part:
            case str():
                made.append(part)
            case [int(start), int(end)] if 0 <= start <= end <= len(old):
                made.append(old[start:end])
            case _:
                return None
    return "".join(made)
