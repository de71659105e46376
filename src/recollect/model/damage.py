"""Signs that a file of a memory is damaged. Pure."""

from __future__ import annotations

from collections.abc import Collection

from recollect._fastimport import Pattern

_NOT_TEXT = Pattern("[\ud800-\udfff]")
_HOLE = "\0" * 4  # one alone may be a character that somebody pasted
_LONGEST_HEAD = 4000


def damage_in(text: str, fields: Collection[str]) -> list[str]:
    """What shows that nobody wrote a file as it is; a text without front matter may have lost its first line.

    `fields` are those that front matter begins with; none for a text that has one.
    """
    problems = []
    if text.endswith("\0"):
        problems.append("it ends in NUL bytes, as a power cut or a bad disk leaves them")
    elif _HOLE in text:
        problems.append("it has NUL bytes: it is not a text in UTF-8")
    elif not text.isascii() and _NOT_TEXT.search(text):
        problems.append("it has bytes that are not text in UTF-8")
    if fields and _lost_its_fence(text, fields):
        problems.append("the front matter has no opening `---`")
    return problems


def _lost_its_fence(text: str, fields: Collection[str]) -> bool:
    """Whether a text begins with fields of ours, and a `---` below them."""
    for n, line in enumerate(text[:_LONGEST_HEAD].splitlines()):
        if line.rstrip() == "---":
            return n > 0
        if line.partition(":")[0] not in fields and not (n and line[:1] in " \t-"):
            return False
    return False
