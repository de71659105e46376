"""Console output: text, tables, Markdown, a progress bar, JSON.

Control, bidi and hidden characters of any data are shown as escapes. Colour appears only on
terminals that support it. Chinese characters take two columns.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, suppress
from functools import cache

from recollect._fastimport import Any, Callable, Iterable, Iterator, Mapping, Pattern, Sequence
from recollect.context.pack import hidden
from recollect.i18n import tables, word

TYPE_CHECKING = False  # every search loads this module, so it imports little
if TYPE_CHECKING:
    import re
    from typing import TextIO

Part = str | tuple[str, str]  # text, or (style, text)

COMFORTABLE = 40  # columns that the wide column keeps while others can be left out
NARROWEST = 12
ALIGNED = 64  # columns up to which a text in a pipe aligns what follows; a public key has 62
# A question of several words (in Chinese they have no blanks), and what answers it.
_ANSWERED = Pattern(r"(\S+ .*\?(?= )|\S.*？) *(\S.*)")
MARGIN = "  "
GLUE = "\0"  # a blank where no line of prose is broken, in a path for example
# Blanks; a word of letters, with a command in backticks or an id in Chinese as one; or one
# character of Chinese; each with the punctuation around it.
_PIECES = Pattern(
    r"\s+|[（《「【]*(?:(?:`[^`]+`|[\u3040-\u9fff]{1,24}(?=[-/#]\w)|(?<=[-/#])[\u3040-\u9fff]{1,24}"
    r"|[^\s\u2e80-\uffff])+|[\u2e80-\uffff])[，。、；：！？）】”]*"
)
_HEAD = Pattern(r" *(?:[→+-] )?")  # later lines stand below what follows


def _is_harmful(code: int) -> bool:
    """Whether a hidden character can move the cursor, reverse text or carry hidden text."""
    is_control = code < 0x20 or 0x7F <= code < 0xA0
    is_bidi = (
        code in (0x61C, 0x200E, 0x200F) or 0x202A <= code <= 0x202E or 0x2066 <= code <= 0x2069
    )
    return is_control or is_bidi or 0xE0000 <= code < 0xE0080


def _escape(code: int) -> str:
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


@cache
def _escapes() -> dict[int, str]:
    """The text that replaces each character that is not shown as it is."""
    return {code: _escape(code) if _is_harmful(code) else "" for code in hidden()}


def shown_block(text: str) -> str:
    """`text` with its lines, harmless for a terminal."""
    text = text.replace("\r\n", "\n")
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    text = text.translate(_escapes())
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def shown_line(text: str) -> str:
    """`text` on one line with all its blanks, harmless for a terminal."""
    return shown_block(text).replace("\n", " ")


def shown(text: str) -> str:
    """`text` on one line with single blanks, harmless for a terminal."""
    return shown_block(" ".join(text.split()))


def width_of(text: str) -> int:
    """How many columns a text takes."""
    if text.isascii() or text.replace("·", "").replace("…", "").isascii():  # signs of ours
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(
        0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text
    )


def cut(text: str, columns: int) -> str:
    """`text` in at most that many columns."""
    if width_of(text) <= columns:
        return text
    end, used = 0, 1
    for char in text:
        used += width_of(char)
        if used > columns:
            break
        end += 1
    return text[:end].rstrip() + "…"


def cut_statement(text: str, columns: int) -> str:
    """`text` as `cut` gives it; of a question with its answer, the answer comes first."""
    if width_of(text) <= columns:
        return text
    said, colon, reason = text.partition(": ")
    found = _ANSWERED.fullmatch(said)
    if not found:
        return cut(text, columns)
    behind = f" {reason}" if colon else ""
    return cut(f"{found[2]} – {found[1]}{behind}", columns)


def padded(text: str, width: int) -> str:
    """`text` with blanks after it, up to that many columns; a wider one as it is."""
    return text + " " * (width - width_of(text))


class Console:
    """Writes the output of a command to stdout."""

    def __init__(self, out: TextIO | None = None, *, is_silent: bool = False) -> None:
        """A silent console drops everything but JSON and complaints."""
        self.out = sys.stdout if out is None else out
        self.is_silent = is_silent
        self.is_terminal = (
            self.out.isatty()
            and not os.environ.get("NO_COLOR")
            and os.environ.get("TERM") != "dumb"
        )
        self._rich: Any = None

    @property
    def columns(self) -> int:
        """The width to write in; unlimited if `out` is no terminal."""
        return columns_of(self.out)

    @property
    def rich(self) -> Any:
        """Rich's console, made when it is first needed."""
        if self._rich is None:
            from rich.console import Console as RichConsole

            self._rich = RichConsole(file=self.out, highlight=False, emoji=False)
        return self._rich

    def line(self, *parts: Part) -> None:
        """Print one line; a part with a style is `(style, text)`."""
        if self.is_silent:
            return
        styled = [("", part) if isinstance(part, str) else part for part in parts]
        styled = [(style, shown_line(text)) for style, text in styled]
        if not self.is_terminal:
            self.out.write("".join(text for _, text in styled) + "\n")
            return
        from rich.text import Text

        self.rich.print(Text.assemble(*((text, style) for style, text in styled)), soft_wrap=True)

    def prose(self, *parts: Part, hang: int | None = None) -> None:
        """Print a line for people: a terminal's is broken at words.

        Its later lines are indented by `hang` columns, else as the first is.
        """
        if self.is_silent:
            return
        styled = [("", part) if isinstance(part, str) else part for part in parts]
        styled = [(style, _glued(text)) for style, text in styled]
        text = "".join(text for _, text in styled)
        for indent, start, end in _lines(text, self.columns, hang):
            at = 0
            line: list[Part] = [" " * indent]
            for style, part in styled:
                cut_out = part[max(start - at, 0) : max(end - at, 0)]
                line += [(style, cut_out.replace(GLUE, " "))]
                at += len(part)
            self.line(*line)

    def store(self, scope: str, root: str) -> None:
        """Print which store the lines below are about."""
        self.prose(("bold", f"{scope}  "), ("dim", root.replace(" ", GLUE)), hang=len(MARGIN))

    def block(self, text: str) -> None:
        """Print several lines of data as they are."""
        for line in shown_block(text).rstrip().split("\n"):
            self.line(line)

    def paragraph(self, text: str, *, style: str = "", head: Sequence[Part] = (MARGIN,)) -> None:
        """Print a text after a margin or a head; a terminal's later lines begin below the first."""
        indent = sum(width_of(part if isinstance(part, str) else part[1]) for part in head)
        for line in wrapped(shown(text), max(self.columns - indent, NARROWEST)):
            self.line(*head, (style, line))
            head = (" " * indent,)

    def table(
        self,
        heads: Sequence[str],
        rows: Iterable[Sequence[str]],
        *,
        wide: int = -1,
        spare: Sequence[int] = (),
        below: int = 0,
        shorten: Callable[[str, int], str] = cut,
    ) -> None:
        """Print rows in columns, with texts that are too wide for one as `shorten` makes them.

        In a pipe no text is shortened, and one of more than `ALIGNED` columns moves its own row only.

        On a narrow terminal the column `wide` shrinks a little. If that is not enough, the columns
        `spare` are left out one by one, and those from `below` on get a line of their own; then
        `wide` shrinks as far as it can.
        """
        table = [list(heads), *([shown(cell) for cell in row] for row in rows)]
        wide %= len(heads)
        widths = {n: max(width_of(row[n]) for row in table) for n in range(len(heads))}
        most = max(0, widths[wide] - COMFORTABLE)
        for column in spare:
            if self._excess(widths) <= most:
                break
            del widths[column]
        is_split = below > 0 and self._excess(widths) > most
        if is_split:
            widths = {n: widths[n] for n in range(below)}
        if (excess := self._excess(widths)) > 0:
            widths[wide] = max(NARROWEST, widths[wide] - excess)
        room = self.columns if self.out.isatty() else ALIGNED
        for at, row in enumerate(table):
            text = "  ".join(
                padded(shorten(row[n], width), min(width, room)) for n, width in widths.items()
            )
            self.line(("" if at else "bold", text.rstrip()))
            if at and is_split:
                text = "  ".join(row[below:])
                has_room = width_of(MARGIN + text) <= self.columns
                for line in [text] if has_room else row[below:]:
                    self.prose(("dim", MARGIN + line))

    def _excess(self, widths: Mapping[int, int]) -> int:
        """By how many columns a row is wider than the terminal."""
        return sum(widths.values()) + 2 * (len(widths) - 1) - self.columns

    def pairs(self, rows: Sequence[tuple[str, str]]) -> None:
        """Print names with their values, in two columns."""
        width = max((width_of(name) for name, _ in rows), default=0)
        for name, value in rows:
            head = (MARGIN, ("dim", padded(name, width)), "  ")
            self.prose(*head, shown(value), hang=width + 2 * len(MARGIN))

    def markdown(self, text: str) -> None:
        """Print Markdown: rendered on a terminal, as it is elsewhere."""
        if not self.is_terminal:
            self.block(text)
        elif not self.is_silent:
            from rich.theme import Theme

            plain = {f"markdown.h{level}": "bold" for level in range(1, 7)}
            with self.rich.use_theme(
                Theme(plain | {"markdown.code": "cyan", "markdown.code_block": ""})
            ):
                self.rich.print(_rendered(shown_block(text)))

    def json(self, value: object) -> None:
        """Print one JSON value; characters that could command a terminal are escaped."""
        import json

        indent = 2 if self.out.isatty() else None
        text = json.dumps(_by_field(value), ensure_ascii=False, indent=indent)
        escapes = {code: json.dumps(chr(code))[1:-1] for code in hidden() if code >= 0x20}
        text = text.translate(escapes | {0x7F: "\\u007f"})
        self.out.write(text.encode("utf-8", "replace").decode("utf-8") + "\n")

    def complain(self, text: str) -> None:
        """Print a sentence on stderr, like `prose`."""
        text = _glued(text)
        for indent, start, end in _lines(text, columns_of(sys.stderr)):
            sys.stderr.write(f"{' ' * indent}{text[start:end].replace(GLUE, ' ')}\n")


def _by_field(value: Any) -> Any:
    """A value for JSON: named tuples, all the way down, are objects."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return {key: _by_field(one) for key, one in value.items()}
    return [*map(_by_field, value)] if isinstance(value, (list, tuple)) else value


def columns_of(out: TextIO) -> int:
    """The width of a terminal; unlimited of anything else."""
    if not out.isatty():
        return 100_000
    import shutil

    return shutil.get_terminal_size((100, 24)).columns


def drop_output() -> None:
    """Send the rest of stdout nowhere, because nobody reads it."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def wrapped(text: str, columns: int) -> Iterator[str]:
    """`text` in lines of at most that many columns.

    Chinese breaks anywhere; no other word does, and no command in backticks.
    """
    if width_of(text) > columns:
        text = text.strip()
    for _, start, end in _lines(text, columns, 0):
        yield text[start:end]


def _glued(text: str) -> str:
    """`text` on one line, harmless for a terminal, with its GLUE."""
    return GLUE.join(map(shown_line, text.split(GLUE)))


def _lines(text: str, columns: int, hang: int | None = None) -> Iterator[tuple[int, int, int]]:
    """How far each line of a text is indented, and where in the text it begins and ends.

    The first is not; the others are by `hang`, else as far as the text itself.
    """
    if 2 * len(text) <= columns or width_of(text) <= columns:
        yield 0, 0, len(text)
        return
    if hang is None:
        head = _HEAD.match(text)
        hang = head.end() if head else 0
    indent = start = end = used = 0
    for piece in _PIECES.finditer(text):
        width = width_of(piece[0])
        if not piece[0].isspace():
            if end and used + width > max(columns - indent, NARROWEST):
                yield indent, start, end
                indent, start, used = hang, piece.start(), 0
            end = piece.end()
        used += width
    yield indent, start, end


def _rendered(text: str) -> object:
    """Markdown for Rich. Every word is shown; HTML counts as text, so `Vec<String>` keeps its argument."""
    from markdown_it import MarkdownIt
    from rich.markdown import Heading, Markdown

    class PlainHeading(Heading):
        """A heading as a bold line at the margin, without a frame."""

        def __rich_console__(self, *_: Any) -> Iterator[Any]:
            self.text.justify = "left"
            yield self.text

    class PlainPage(Markdown):
        elements = Markdown.elements | {"heading_open": PlainHeading}

    page = PlainPage(text, hyperlinks=False, code_theme="ansi_dark")
    parser = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"])
    page.parsed = parser.parse(text)
    return page


@contextmanager
def progress_bar(what: str, *, is_shown: bool) -> Iterator[Callable[..., None]]:
    """A function `step(done, total=0)` that moves a bar on stderr; the first step shows the bar."""
    bar: Any = None
    task: Any = None

    def step(done: int, total: int = 0) -> None:
        nonlocal bar, task
        if not is_shown:
            return
        if bar is None:
            from rich import progress
            from rich.console import Console as RichConsole

            columns = (
                progress.TextColumn(what),
                progress.BarColumn(),
                progress.MofNCompleteColumn(),
                progress.TimeRemainingColumn(),
            )
            bar = progress.Progress(*columns, console=RichConsole(stderr=True), transient=True)
            bar.start()
            task = bar.add_task(what, total=total or None)
        bar.update(task, completed=done, total=total or None)

    try:
        yield step
    finally:
        if bar is not None:
            bar.stop()


# The labels of pages, which on disk are English, so that every tool reads them.

_TITLE = Pattern(r"(^|– )(Solution): ")
_IN_LINE = Pattern(
    r"^(#+ )(Solution): |^([ \t]*- \**)\[([a-z-]+)\]"
    r"|^([ \t]+- )((?!said: \D)[a-z]+): ((?<=source: )(?:observed|inferred|instructed|referenced)$)?"
)


def shown_title(lang: str, title: str) -> str:
    """The title of a memory, or of an entry on one."""
    return title if lang == "en" else _TITLE.sub(_title, title)


def shown_page(lang: str, text: str) -> str:
    """The text of a page: titles, categories and sources of facts; code stays as it is."""
    if lang == "en":
        return text
    from recollect.model.facts import code_in  # a search shows no page

    lines = text.split("\n")
    code = code_in(lines)
    return "\n".join(
        line if code[n] else _IN_LINE.sub(_label, line) for n, line in enumerate(lines)
    )


def _title(found: re.Match[str]) -> str:
    return f"{found[1]}{tables()['labels'][found[2]]}："


def _label(found: re.Match[str]) -> str:
    labels = tables()["labels"]
    if found[2]:
        return _title(found)
    if found[4]:
        return f"{found[3]}[{labels.get(found[4], found[4])}]"
    if found[6] not in labels:
        return found[0]
    return f"{found[5]}{labels[found[6]]}：{word('zh', found[7] or '')}"
