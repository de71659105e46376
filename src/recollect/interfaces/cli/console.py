"""Console output: text, tables, colour.

Control, bidi and hidden characters of any data are shown as escapes. Colour appears only on
terminals that support it. Chinese characters take two columns.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from recollect.context.pack import hidden

TYPE_CHECKING = False  # every search loads this: as little as can be
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any, TextIO

Part = str | tuple[str, str]  # text, or (style, text)

COMFORTABLE = 40  # the width that a column which may give way keeps while others can go
NARROWEST = 12
MARGIN = "  "


def _escape(code: int) -> str:
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _is_harmful(code: int) -> bool:
    """Whether a hidden character can move the cursor, turn text round or carry hidden text."""
    is_control = code < 0x20 or 0x7F <= code < 0xA0
    is_bidi = (
        code in (0x61C, 0x200E, 0x200F) or 0x202A <= code <= 0x202E or 0x2066 <= code <= 0x2069
    )
    return is_control or is_bidi or 0xE0000 <= code < 0xE0080


_SHOWN: dict[int, str] = {}


def _shown() -> dict[int, str]:
    """What stands for each character that is not shown as it is; worked out once."""
    if not _SHOWN:
        _SHOWN.update({code: _escape(code) if _is_harmful(code) else "" for code in hidden()})
    return _SHOWN


def shown_block(text: str) -> str:
    """`text` with its lines, harmless for a terminal."""
    text = text.replace("\r\n", "\n")
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    text = text.translate(_shown())
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def shown_line(text: str) -> str:
    """`text` on one line with all its blanks, harmless for a terminal."""
    return shown_block(text).replace("\n", " ")


def shown(text: str) -> str:
    """`text` on one line with single blanks, harmless for a terminal."""
    return shown_block(" ".join(text.split()))


def width_of(text: str) -> int:
    """How many columns a text takes."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(
        0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text
    )


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
    return "".join(kept).rstrip() + "…"


class Paper:
    """Where a command writes its answer."""

    def __init__(self, out: TextIO | None = None) -> None:
        """Write to `out`, stdout by default."""
        self.out = sys.stdout if out is None else out
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
        styled = [("", part) if isinstance(part, str) else part for part in parts]
        styled = [(style, shown_line(text)) for style, text in styled]
        if not self.is_terminal:
            self.out.write("".join(text for _, text in styled) + "\n")
            return
        from rich.text import Text

        line = Text()
        for style, text in styled:
            line.append(text, style)
        self.console.print(line, soft_wrap=True)

    @property
    def console(self) -> Any:
        """Rich's console, made when it is first needed."""
        if self._console is None:
            from rich.console import Console

            self._console = Console(file=self.out, highlight=False, emoji=False)
        return self._console

    def block(self, text: str) -> None:
        """Print several lines of data as they are."""
        for line in shown_block(text).rstrip().split("\n"):
            self.line(line)

    def paragraph(self, text: str, *, style: str = "") -> None:
        """Print a text behind a margin, with its later lines behind it too on a terminal."""
        for line in _folded(shown(text), self.columns - len(MARGIN)):
            self.line(MARGIN, (style, line))

    def table(
        self,
        heads: Sequence[str],
        rows: Iterable[Sequence[str]],
        *,
        wide: int = -1,
        spare: Sequence[int] = (),
    ) -> None:
        """Print rows in columns.

        Where the terminal is narrow, the column `wide` gives way a little, then the columns
        `spare` are left out, one after the other, then `wide` gives way as far as it can.
        """
        table = [list(heads), *([shown(cell) for cell in row] for row in rows)]
        wide %= len(heads)
        widths = {n: max(width_of(row[n]) for row in table) for n in range(len(heads))}
        for column in spare:
            if self._over(widths) <= max(0, widths[wide] - COMFORTABLE):
                break
            del widths[column]
        if (over := self._over(widths)) > 0:
            widths[wide] = max(NARROWEST, widths[wide] - over)
        for at, row in enumerate(table):
            text = "  ".join(_padded(cut(row[n], width), width) for n, width in widths.items())
            self.line(("" if at else "bold", text.rstrip()))

    def _over(self, widths: Mapping[int, int]) -> int:
        """By how much columns of these widths are wider than the terminal."""
        return sum(widths.values()) + 2 * (len(widths) - 1) - self.columns

    def pairs(self, rows: Sequence[tuple[str, str]]) -> None:
        """Print names with their values, in two columns behind a margin."""
        width = max((width_of(name) for name, _ in rows), default=0)
        for name, value in rows:
            self.line(MARGIN, ("dim", _padded(name, width)), "  ", shown(value))

    def markdown(self, text: str) -> None:
        """Print Markdown: rendered on a terminal, as it is elsewhere."""
        if not self.is_terminal:
            self.block(text)
            return
        from recollect.interfaces.cli.markdown import CALM, rendered

        with self.console.use_theme(CALM):
            self.console.print(rendered(shown_block(text)))

    def json(self, value: object) -> None:
        """Print one JSON value; what a terminal could take for a command is escaped."""
        import json

        text = json.dumps(value, ensure_ascii=False, indent=2 if self.out.isatty() else None)
        escapes = {code: json.dumps(chr(code))[1:-1] for code in hidden() if code >= 0x20}
        text = (
            text.translate(escapes | {0x7F: "\\u007f"}).encode("utf-8", "replace").decode("utf-8")
        )
        self.out.write(text + "\n")

    def complain(self, text: str) -> None:
        """Print one line on stderr."""
        sys.stderr.write(shown_line(text) + "\n")


def drop_output() -> None:
    """Let what is still to be written to stdout go nowhere, since nobody reads it."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _padded(text: str, width: int) -> str:
    return text + " " * (width - width_of(text))


def _folded(text: str, columns: int) -> Iterator[str]:
    """`text` in lines of at most that many columns, broken at blanks where there are any."""
    while width_of(text) > columns:
        head = cut(text, columns + 1).removesuffix("…")
        at = head.rfind(" ")
        if at > len(head) // 2:
            head = head[:at]
        yield head
        text = text[len(head) :].lstrip()
    yield text
