"""PEM: private keys over many lines, whole, cut off, or in parts.

Promises: what belongs to a private key goes, with or without its first and last line; certificates and
public keys stay; time grows with the length of the text.
Touches: nothing.

A long output is cut, and a key may come in several events: what is left of it then is known by its
lines, which are as long as no other text's.
"""

from __future__ import annotations

from collections.abc import Iterator

from recollect.domain.pattern import Pattern

KIND = "private-key"
_NAME = r"[A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_BREAK = r"(?:[ \t\r]*+(?:\n|\\[nr]))"
# What may stand before a key's characters in a line: quotes, a diff's sign, a line's number.
_LEAD = r"(?:[^\w\n]{0,12}(?:\d{1,6}[^\w\n]{1,4})?)"
# Behind its first line a key has one with nothing but its characters, or a field like `Proc-Type:`;
# a text that speaks about keys goes on in words.
WHOLE = (
    rf"-----BEGIN {_NAME}(?=\s*+[\w+/=]{{24}}|\s*+[\w+/=]{{8,}}+\s*+-----END|{_BREAK}{{1,3}}{_LEAD}"
    rf"(?:[\w+/=]{{1,200}}(?:[\"'`,\\ \t\r]{{0,8}}(?:\n|\Z)|[\"'\\]|-----END)|[A-Z][\w-]{{1,24}}: ))"
    rf"(?:(?!-----END)[\s\S])*+(?:-----END {_NAME})?"
)
_END = Pattern(rf"-----END {_NAME}")
_KEY_LINE = Pattern(
    r"[^\w\n]{0,12}(?:\d{1,6}[^\w\n]{1,4})?[A-Za-z0-9+/]{16,80}={0,2}[\"'`,\\nr +]{0,8}"
)
_FIELD = Pattern(r"[A-Z][\w-]{1,24}: .{1,120}|\s*")
# The lines of a key are of 64 signs, those of an OpenSSH key of 70.
_BLOCK = Pattern(
    r"(?:^(?:[A-Za-z0-9+/]{64}|[A-Za-z0-9+/]{70})\r?(?:\n|\Z)){3,}+(?:^(?=.*[0-9A-Z+/=])[A-Za-z0-9+/]{1,70}={0,2}$)?",
    8,
)
_DIGITS = Pattern(r"[0-9]")
MOST_LINES = 400


def parts_in(text: str) -> Iterator[tuple[int, int, str]]:
    """`(start, end, kind)` of the parts of private keys whose first line is not there."""
    done = 0
    ends = _END.finditer(text) if "-----END" in text else iter(())
    for end in ends:
        start = _start_of_tail(text, end.start(), done)
        yield from _blocks(text, done, start)
        if start < end.start():
            yield start, end.end(), KIND
        done = end.end()
    yield from _blocks(text, done, len(text))


def _start_of_tail(text: str, end: int, least: int) -> int:
    """Where the lines of a key begin that ends with the mark at `end`."""
    start = end
    for _ in range(MOST_LINES):
        line_end = start - 1
        line_start = text.rfind("\n", least, max(line_end, least)) + 1 or least
        line = text[line_start : max(line_end, line_start)]
        if line_start >= start or not _KEY_LINE.fullmatch(line):
            break
        start = line_start
    return start


def _blocks(text: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    """Blocks of lines that can be nothing but the middle of a key."""
    if end - start < 3 * 64 or text.count("\n", start, end) < 2:
        return  # there are no three lines
    part = text[start:end]
    for block in _BLOCK.finditer(part):
        if _DIGITS.search(block[0]) and not _has_head(part, block.start()):
            yield start + block.start(), start + block.end(), KIND


def _has_head(text: str, at: int) -> bool:
    """Whether the first line of something that is no private key stands before this place."""
    for line in reversed(text[max(0, at - 500) : at].splitlines()):
        if "-----BEGIN" in line:
            return True
        if not _FIELD.fullmatch(line):
            return False
    return False
