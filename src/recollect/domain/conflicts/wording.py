"""Conflicts: regular expressions to which capital and small letters are the same.

Promises: what `re.I` would find, and in the letters of the text.
Touches: nothing.

With `re.I` no branch of a pattern can be passed over by its first letter, so that looking takes two to
three times as long. A text of ASCII, as most are, is made small instead, which moves no letter.
"""

from __future__ import annotations

import re

from recollect.domain.pattern import Pattern


class Wording:
    """A pattern in English, and one in Chinese that is tried only where there is more than ASCII."""

    __slots__ = ("_any", "_small")

    def __init__(self, english: str, chinese: str = "") -> None:
        """The English one is written in small letters."""
        self._small = Pattern(english)
        self._any = Pattern(f"{english}|{chinese}" if chinese else english, re.I)

    def search(self, text: str) -> re.Match[str] | None:
        """The first match anywhere in the text; what it quotes may be in small letters."""
        return self._small.search(text.lower()) if text.isascii() else self._any.search(text)

    def match(self, text: str) -> re.Match[str] | None:
        """The match at the start of the text; what it quotes may be in small letters."""
        return self._small.match(text.lower()) if text.isascii() else self._any.match(text)

    def parts(self, text: str) -> dict[str, str] | None:
        """The named parts of a match of the whole text, those that are not there empty."""
        is_plain = text.isascii()
        pattern = self._small if is_plain else self._any
        found = pattern.fullmatch(text.lower() if is_plain else text)
        if not found:
            return None
        spans = {name: found.span(name) for name in found.re.groupindex}
        return {name: text[max(0, start) : max(0, end)] for name, (start, end) in spans.items()}

    def replaced(self, text: str, new: str) -> tuple[str, int]:
        """The text with `new` in place of all matches, and how many there were."""
        if not text.isascii():
            return self._any.compiled.subn(new, text)
        kept: list[str] = []
        at = 0
        for found in self._small.finditer(text.lower()):
            kept.append(text[at : found.start()])
            at = found.end()
        return (new.join([*kept, text[at:]]), len(kept)) if kept else (text, 0)
