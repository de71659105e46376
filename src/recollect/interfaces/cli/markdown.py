"""Render Markdown on a terminal.

Every word is shown; HTML counts as text, so `Vec<String>` keeps its argument.
"""

from __future__ import annotations

from markdown_it import MarkdownIt
from rich.console import Console, ConsoleOptions, RenderResult  # noqa: TID253 - for terminals only
from rich.markdown import Heading, Markdown  # noqa: TID253
from rich.theme import Theme  # noqa: TID253

CALM = Theme(
    {f"markdown.h{level}": "bold" for level in range(1, 7)}
    | {"markdown.code": "cyan", "markdown.code_block": ""}
)


class PlainHeading(Heading):
    """A heading as a bold line at the margin, without a frame."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Give the heading's text."""
        self.text.justify = "left"
        yield self.text


class _Page(Markdown):
    elements = Markdown.elements | {"heading_open": PlainHeading}


def rendered(text: str) -> Markdown:
    """What Rich prints for this Markdown."""
    page = _Page(text, hyperlinks=False, code_theme="ansi_dark")
    parser = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"])
    page.parsed = parser.parse(text)
    return page
