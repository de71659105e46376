"""What a terminal shows: just enough of one to read a full-screen program's text.

Promises: the client redraws only the cells that changed, so its raw output is not its text;
    `Screen.text` is.
Touches: nothing.
"""

from __future__ import annotations

import re
import unicodedata

_TOKEN = re.compile(
    r"\x1b\](?P<title>[^\x07\x1b]*)(?:\x07|\x1b\\)"
    r"|\x1b[P_^X][^\x1b]*\x1b\\"
    r"|\x1b\[(?P<arguments>[0-9;:?<>=!$ ]*)(?P<final>[@-~])"
    r"|\x1b[()].|\x1b[^\[\]P_^X()]"
    r"|(?P<control>[\x00-\x1a\x1c-\x1f\x7f])"
    r"|(?P<text>[^\x00-\x1f\x7f]+)"
)
_TAB = 8


class Screen:
    """A grid of characters with a cursor, moved by `feed`."""

    def __init__(self, rows: int, columns: int) -> None:
        """Start blank, with the cursor at the top left."""
        self.rows = rows
        self.columns = columns
        self.title = ""
        self._row = 0
        self._column = 0
        self._saved = (0, 0)
        self._pending = ""
        self._clear()

    @property
    def text(self) -> str:
        """The rows as they are shown now, without spaces at their ends."""
        return "\n".join("".join(cells).rstrip(" ") for cells in self._cells)

    def feed(self, output: str) -> None:
        """Take output of the program; a sequence may be cut anywhere."""
        output = self._pending + output
        at = 0
        while token := _TOKEN.match(output, at):
            self._apply(token)
            at = token.end()
        self._pending = output[at:]

    def _apply(self, token: re.Match[str]) -> None:
        if token["text"]:
            for character in token["text"]:
                self._print(character)
        elif token["control"]:
            self._control(token["control"])
        elif token["final"]:
            self._command(token["final"], token["arguments"])
        elif token["title"] is not None:
            number, _, title = token["title"].partition(";")
            if number in {"0", "2"}:
                self.title = title
        elif token[0] == "\x1b7":
            self._saved = (self._row, self._column)
        elif token[0] == "\x1b8":
            self._row, self._column = self._saved

    def _print(self, character: str) -> None:
        width = _width(character)
        if width == 0:
            self._cells[self._row][max(self._column - 1, 0)] += character
            return
        if self._column + width > self.columns:
            self._column = 0
            self._line_feed()
        cells = self._cells[self._row]
        cells[self._column] = character
        if width > 1:
            cells[self._column + 1] = ""
        self._column += width

    def _control(self, control: str) -> None:
        if control == "\r":
            self._column = 0
        elif control == "\n":
            self._line_feed()
        elif control == "\b":
            self._column = max(self._column - 1, 0)
        elif control == "\t":
            self._column = min((self._column // _TAB + 1) * _TAB, self.columns - 1)

    def _line_feed(self) -> None:
        if self._row < self.rows - 1:
            self._row += 1
        else:
            self._cells.append([" "] * self.columns)
            del self._cells[0]

    def _command(self, final: str, arguments: str) -> None:
        if arguments[:1] in {"?", ">", "<", "=", "!"}:
            if arguments == "?1049":
                self._clear()
            return
        numbers = [int(number) if number.isdigit() else 0 for number in arguments.split(";")]
        first = numbers[0]
        second = numbers[1] if len(numbers) > 1 else 0
        if final in "ABCDEFGHfd":
            self._move(final, first, second)
        elif final == "J":
            self._erase_screen(first)
        elif final == "K":
            self._erase_line(first)
        elif final == "X":
            self._blank(self._row, self._column, self._column + max(first, 1))

    def _move(self, final: str, first: int, second: int) -> None:
        count = max(first, 1)
        row, column = self._row, self._column
        if final in "AF":
            row -= count
        elif final in "BE":
            row += count
        elif final == "C":
            column += count
        elif final == "D":
            column -= count
        elif final == "G":
            column = count - 1
        elif final == "d":
            row = count - 1
        else:
            row, column = count - 1, max(second, 1) - 1
        if final in "EF":
            column = 0
        self._row = min(max(row, 0), self.rows - 1)
        self._column = min(max(column, 0), self.columns - 1)

    def _erase_screen(self, part: int) -> None:
        if part == 0:
            self._erase_line(0)
            erased = range(self._row + 1, self.rows)
        elif part == 1:
            self._erase_line(1)
            erased = range(self._row)
        else:
            erased = range(self.rows)
        for row in erased:
            self._blank(row, 0, self.columns)

    def _erase_line(self, part: int) -> None:
        start = self._column if part == 0 else 0
        end = self._column + 1 if part == 1 else self.columns
        self._blank(self._row, start, end)

    def _blank(self, row: int, start: int, end: int) -> None:
        end = min(end, self.columns)
        self._cells[row][start:end] = [" "] * (end - start)

    def _clear(self) -> None:
        self._cells = [[" "] * self.columns for _ in range(self.rows)]


def _width(character: str) -> int:
    """Columns that a character takes: none for marks, two for wide ones."""
    if unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1
