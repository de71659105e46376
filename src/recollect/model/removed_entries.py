"""Entries that one side of a merge took off a page while the other one changed them.

Lines are merged each for itself: what was added to such an entry would stand below another one.
Therefore the entry is put back first, as it was, and what the other side made of it holds.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from difflib import SequenceMatcher

from recollect._fastimport import Pattern
from recollect.model.footnotes import ids_in, outside_code, without_references

_ITEM = Pattern(r"([ \t]*)(?:[-*+]|\d+[.)])[ \t]")
_SECTION = "## "
_PAST = Pattern(r"<!-- superseded \S+: previously (.*?) -->")


def with_changed_entries(base: list[str], side: list[str], other: list[str]) -> list[str]:
    """The lines of a side, with each entry of the base that it took out and the other side changed.

    One that the side itself replaced by its opposite stays out.
    """
    known = set(ids_in("".join(side)))
    old, new = _entries(base), _entries(other)
    past = {said for line in side if line not in base for said in _PAST.findall(line)}
    made = side
    for name, rows in old.items():
        is_changed = name in new and _joined(other, new[name]) != _joined(base, rows)
        if name in known or not is_changed or _text(base[rows.start]) in past:
            continue
        made = _put_back(base, rows, made)
        known.update(ids_in("".join(base[rows.start : rows.stop])))
    return made


def matches(base: Sequence[str], side: Sequence[str]) -> list[tuple[int, int, int]]:
    """The places `(in base, in side, lines)` that two texts have in common."""
    blocks = SequenceMatcher(None, base, side, autojunk=False).get_matching_blocks()
    return [(block.a, block.b, block.size) for block in blocks if block.size]


def _entries(lines: list[str]) -> dict[str, range]:
    """The lines of each entry that has an id: a section, or an item with what is below it."""
    found: dict[str, range] = {}
    twice: set[str] = set()
    rows = list(outside_code(row.rstrip("\n") for row in lines))
    heads = [at for at, line in rows if line.startswith(_SECTION)] + [len(lines)]
    for at, line in rows:
        item = _ITEM.match(line)
        if item or line.startswith(_SECTION):
            for name in ids_in(line) if "^" in line else ():
                if name in found:
                    twice.add(name)
                end = _item_end(lines, at, item[1]) if item else heads[bisect_right(heads, at)]
                found[name] = range(at, end)
    return {name: place for name, place in found.items() if name not in twice}


def _item_end(lines: list[str], at: int, indent: str) -> int:
    """Where the item that begins on this line ends."""
    return next((n for n in range(at + 1, len(lines)) if _ends_item(lines[n], indent)), len(lines))


def _ends_item(line: str, indent: str) -> bool:
    """Whether an item with this indent is over on this line."""
    item = _ITEM.match(line)
    return not line.strip() or line.startswith("#") or (item is not None and item[1] <= indent)


def _joined(lines: list[str], rows: range) -> str:
    return "".join(lines[rows.start : rows.stop]).rstrip()


def _text(line: str) -> str:
    """What a heading or an item says."""
    return without_references(line.rstrip("\n")).lstrip(" \t#-*+").strip()


def _put_back(base: list[str], rows: range, side: list[str]) -> list[str]:
    """The side with these lines of the base behind the entry that they followed."""
    before = (b + min(n, rows.start - a) for a, b, n in matches(base, side) if a < rows.start)
    at = max(before, default=0)
    lines = [f"{line}\n" for line in _joined(base, rows).splitlines()]
    head = _ITEM.match(lines[0])
    if head:
        while at < len(side) and not _ends_item(side[at], head[1]):
            at += 1
        return [*side[:at], *lines, *side[at:]]
    starts = (n for n, line in outside_code(side) if n >= at and line.startswith(_SECTION))
    at = next(starts, len(side))
    above = ["\n"] if at and side[at - 1].strip() else []
    below = ["\n"] if at < len(side) else []
    return [*side[:at], *above, *lines, *below, *side[at:]]
