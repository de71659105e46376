"""Find and settle the places where a merge kept both wordings.

Settling one place changes no other line.
"""

from __future__ import annotations

from recollect._fastimport import NamedTuple, Pattern

_MARK = "<!-- merged: both sides changed this; keep one of the two wordings"
TWICE = f"{_MARK} -->"
_MARKED = Pattern(
    r"[ \t]*<!-- merged: both sides changed this; keep one of the two wordings"
    r"(?: \((\d{1,5}) lines above, (\d{1,5}) below\))? -->[ \t]*"
)


class Wordings(NamedTuple):
    """A place with two wordings, by the number of the line between them, counted from 1."""

    line: int
    first: str
    second: str


def remark(first: int, second: int) -> str:
    """The line between two wordings of so many lines."""
    return (
        TWICE if (first, second) == (1, 1) else f"{_MARK} ({first} lines above, {second} below) -->"
    )


def wordings_in(text: str) -> list[Wordings]:
    """The places of a text with two wordings, in order."""
    if _MARK not in text:
        return []
    lines = text.splitlines()
    return [
        Wordings(at + 1, "\n".join(lines[a:b]).strip(), "\n".join(lines[c:d]).strip())
        for at in range(len(lines))
        if (place := _place(lines, at))
        for a, b, c, d in [place]
    ]


def settled(text: str, line: int, keep: str) -> str:
    """The text with one wording of a place, `first` or `second`, with `both` or with `neither`."""
    lines = text.splitlines(keepends=True)
    place = _place([row.rstrip("\r\n") for row in lines], line - 1)
    if place is None:
        return text
    a, b, c, d = place
    gap = lines[b : b + 1] if b < line - 1 else []  # a blank line between two paragraphs
    kept = {
        "first": lines[a:b],
        "second": lines[c:d],
        "both": [*lines[a:b], *gap, *lines[c:d]],
        "neither": [],
    }
    return "".join([*lines[:a], *kept[keep], *lines[d:]])


def _place(lines: list[str], at: int) -> tuple[int, int, int, int] | None:
    """Where the first wording begins and ends, and the second, if a line is the remark of a place."""
    found = _MARKED.fullmatch(lines[at]) if 0 <= at < len(lines) else None
    if found is None:
        return None
    above, below = int(found[1] or 1), int(found[2] or 1)
    is_apart = 0 < at < len(lines) - 1 and not (lines[at - 1].strip() or lines[at + 1].strip())
    b, c = at - is_apart, at + 1 + is_apart
    return max(0, b - above), b, c, min(len(lines), c + below)
