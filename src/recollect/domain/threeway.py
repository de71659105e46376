"""Threeway: two changes of one memory brought together by what both began from.

Promises: pure; whoever changed something alone gets it; of two changes of one field the newer
memory's holds, but lists are joined; lines that both wrote in one place stand both, and where both
changed the same lines, both versions stand between marks; the front matter stays readable.
Touches: nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recollect.domain.codec import split_front, with_body, with_field
from recollect.domain.codec.fields import DATES
from recollect.domain.codec.frontmatter import Value
from recollect.named import NamedTuple

MOST_LINES = 20_000  # of more lines nobody waits for the comparison
OURS, BETWEEN, THEIRS = "<<<<<<< ours\n", "=======\n", ">>>>>>> theirs\n"


class Merged(NamedTuple):
    """The text of both, and in how many places a person has to choose."""

    text: str
    conflicts: int


def merged(base: str, ours: str, theirs: str) -> Merged:
    """Two texts of a memory as one; `base` is the text that both were made from."""
    if theirs in (ours, base):
        return Merged(ours, 0)
    if ours == base:
        return Merged(theirs, 0)
    text = ours
    for key, value in _fields(base, ours, theirs):
        text = with_field(text, key, value)
    bodies = [split_front(one).body.splitlines(keepends=True) for one in (base, ours, theirs)]
    body = _Lines(*bodies)
    return Merged(with_body(text, "".join(body.lines())), body.conflicts)


# ---------------------------------------------------------------------------------------- fields


def _fields(base: str, ours: str, theirs: str) -> Iterator[tuple[str, Value | None]]:
    """The fields of our text that have to be other ones."""
    old, own, other = (_values(text) for text in (base, ours, theirs))
    is_newer = _time(other) > _time(own)
    for key in dict.fromkeys((*own, *other)):
        value = _of_both(old.get(key), own.get(key), other.get(key), is_newer=is_newer)
        if key in DATES and key != "created":
            value = max(_said(own.get(key)), _said(other.get(key)))
        if value != own.get(key):
            yield key, value


def _values(text: str) -> dict[str, Value]:
    return {entry.key: entry.value for entry in split_front(text).entries}


def _time(values: dict[str, Value]) -> str:
    return _said(values.get("updated")) or _said(values.get("created"))


def _said(value: Value | None) -> str:
    return value if isinstance(value, str) else ""


def _of_both(
    old: Value | None, own: Value | None, other: Value | None, *, is_newer: bool
) -> Value | None:
    if other in (own, old):
        return own
    if own == old:
        return other
    if isinstance(own, list) and isinstance(other, list):
        before = old if isinstance(old, list) else []
        kept = [item for item in own if item in other or item not in before]
        return kept + [item for item in other if item not in own and item not in before]
    return other if is_newer else own


# ----------------------------------------------------------------------------------------- lines


class _Lines:
    """The lines of three bodies as one."""

    def __init__(self, base: list[str], ours: list[str], theirs: list[str]) -> None:
        self.base, self.ours, self.theirs = base, ours, theirs
        self.conflicts = 0

    def lines(self) -> Iterator[str]:
        """The lines of both, with marks where a person has to choose."""
        at = a = b = 0
        for start, end, own, other in self._shared():
            yield from self._between(self.base[at:start], self.ours[a:own], self.theirs[b:other])
            yield from self.base[start:end]
            at, a, b = end, own + end - start, other + end - start

    def _between(self, old: list[str], own: list[str], other: list[str]) -> list[str]:
        if other in (own, old):
            return own
        if own == old:
            return other
        if not old and self.base:  # both wrote something where nothing was
            longer, shorter = (own, other) if len(own) >= len(other) else (other, own)
            is_more = longer[: len(shorter)] == shorter
            return longer if is_more else [*_ended(own), *other]
        self.conflicts += 1
        return [OURS, *_ended(own), BETWEEN, *_ended(other), THEIRS]

    def _shared(self) -> Iterator[tuple[int, int, int, int]]:
        """The stretches that are the same in all three: `(start, end)` in the base, and where in the others."""
        if max(map(len, (self.base, self.ours, self.theirs))) <= MOST_LINES:
            mine, yours = (_matches(self.base, side) for side in (self.ours, self.theirs))
            m = y = 0
            while m < len(mine) and y < len(yours):
                (at, own, size), (to, other, length) = mine[m], yours[y]
                start, end = max(at, to), min(at + size, to + length)
                if start < end:
                    yield start, end, own + start - at, other + start - to
                if at + size < to + length:
                    m += 1
                else:
                    y += 1
        yield len(self.base), len(self.base), len(self.ours), len(self.theirs)


def _matches(base: Sequence[str], side: Sequence[str]) -> list[tuple[int, int, int]]:
    from difflib import SequenceMatcher

    blocks = SequenceMatcher(None, base, side, autojunk=False).get_matching_blocks()
    return [(block.a, block.b, block.size) for block in blocks if block.size]


def _ended(lines: list[str]) -> list[str]:
    """The lines, the last of them with its end."""
    if lines and not lines[-1].endswith("\n"):
        return [*lines[:-1], f"{lines[-1]}\n"]
    return lines
