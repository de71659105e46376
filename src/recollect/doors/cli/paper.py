"""Command line: what is printed, and how it looks.

Promises: no control, bidi or hidden character of any data reaches the terminal; colour only on a
terminal that wants it; the same lines without colour everywhere else.
Touches: stdout and stderr.
"""

from __future__ import annotations

import json
import os
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

from recollect.domain.pack import visible

Part = str | tuple[str, str]  # text, or (style, text)


def shown(text: str) -> str:
    """`text` on one line, harmless for a terminal."""
    return " ".join(visible(text).split())


def shown_block(text: str) -> str:
    """`text` with its lines, harmless for a terminal."""
    return visible(text).rstrip()


def width_of(text: str) -> int:
    """How many columns a text takes."""
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def cut(text: str, columns: int) -> str:
    """`text` in at most that many columns."""
    if width_of(text) <= columns:
        return text
    kept, used = [], 1
    for char in text:
        used += width_of(char)
        if used > columns:
            break
        kept.append(char)
    return "".join(kept) + "…"


class Paper:
    """Where a command writes its answer."""

    def __init__(self, out: TextIO | None = None) -> None:
        """Write to `out`, stdout by default."""
        self.out = out or sys.stdout
        self.is_terminal = (
            self.out.isatty()
            and not os.environ.get("NO_COLOR")
            and os.environ.get("TERM") != "dumb"
        )
        self._console: Any = None

    @property
    def columns(self) -> int:
        """The width to write in; unlimited where it is no terminal."""
        if not self.out.isatty():
            return 100_000
        import shutil

        return shutil.get_terminal_size((100, 24)).columns

    def line(self, *parts: Part) -> None:
        """Print one line; a part with a style is `(style, text)`."""
        if not self.is_terminal:
            self.out.write("".join(p if isinstance(p, str) else p[1] for p in parts) + "\n")
            return
        from rich.text import Text

        text = Text()
        for part in parts:
            style, words = ("", part) if isinstance(part, str) else part
            text.append(words, style)
        self.console.print(text, soft_wrap=True)

    @property
    def console(self) -> Any:
        """Rich's console, made when it is first needed."""
        if self._console is None:
            from rich.console import Console

            self._console = Console(file=self.out, highlight=False, emoji=False)
        return self._console

    def block(self, text: str) -> None:
        """Print several lines of data as they are."""
        for line in shown_block(text).split("\n"):
            self.line(line)

    def table(self, heads: Sequence[str], rows: Iterable[Sequence[str]], *, wide: int = -1) -> None:
        """Print rows in columns; the column `wide` gives way where the terminal is narrow."""
        cells = [[shown(cell) for cell in row] for row in rows]
        widths = [max([width_of(h), *(width_of(r[n]) for r in cells)]) for n, h in enumerate(heads)]
        over = sum(widths) + 2 * (len(widths) - 1) - self.columns
        if over > 0:
            widths[wide] = max(12, widths[wide] - over)
        self.line(("bold", self._row(heads, widths).rstrip()))
        for row in cells:
            self.line(self._row(row, widths).rstrip())

    def _row(self, cells: Sequence[str], widths: Sequence[int]) -> str:
        padded = []
        for cell, width in zip(cells, widths, strict=True):
            text = cut(cell, width)
            padded.append(text + " " * (width - width_of(text)))
        return "  ".join(padded)

    def markdown(self, text: str) -> None:
        """Print Markdown: rendered on a terminal, as it is elsewhere."""
        if not self.is_terminal:
            self.block(text)
            return
        from rich.markdown import Markdown

        self.console.print(Markdown(shown_block(text), hyperlinks=False))

    def json(self, value: object) -> None:
        """Print one JSON value."""
        text = json.dumps(value, ensure_ascii=False, indent=2 if self.out.isatty() else None)
        self.out.write(text.encode("utf-8", "replace").decode("utf-8") + "\n")
