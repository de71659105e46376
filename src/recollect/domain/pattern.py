"""Pattern: a regular expression that is compiled when it is first used.

Promises: what `re` would answer; to make one costs nothing. Compiling all that the house has takes
longer than everything else that a short command does.
Touches: nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False  # `re` takes as long to load as a search
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator


class Pattern:
    """A regular expression with the methods of `re.Pattern` that are used here."""

    __slots__ = ("_compiled", "flags", "text")

    def __init__(self, text: str, flags: int = 0) -> None:
        """The same arguments as `re.compile`."""
        self.text, self.flags = text, flags
        self._compiled: re.Pattern[str] | None = None

    @property
    def compiled(self) -> re.Pattern[str]:
        """The expression as `re` knows it."""
        if self._compiled is None:
            import re

            self._compiled = re.compile(self.text, self.flags)
        return self._compiled

    def search(self, text: str, start: int = 0) -> re.Match[str] | None:
        """The first match anywhere in the text, from `start` on."""
        return self.compiled.search(text, start)

    def match(self, text: str, start: int = 0) -> re.Match[str] | None:
        """The match at the start of the text, or at `start`."""
        return self.compiled.match(text, start)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """The match of the whole text."""
        return self.compiled.fullmatch(text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """All matches, in order."""
        return self.compiled.finditer(text)

    def findall(self, text: str) -> list[str]:
        """The texts of all matches (of their one group, where there is one)."""
        return self.compiled.findall(text)

    def split(self, text: str) -> list[str]:
        """The text cut at the matches."""
        return self.compiled.split(text)

    def sub(self, new: str | Callable[[re.Match[str]], str], text: str, count: int = 0) -> str:
        """The text with the matches replaced."""
        return self.compiled.sub(new, text, count)
