"""Claims: the statements of a Markdown text, without what only looks like text.

Promises: one statement for a list item with the lines that belong to it; a paragraph is joined
and cut into its sentences; a provenance comment stays with the line it stands on; time grows with
the length of the text.
Touches: nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from recollect.domain.claims.sentences import split_sentences
from recollect.domain.codec import sections_of
from recollect.domain.text import is_cjk
from recollect.named import NamedTuple

MARK = "<!-- from: "  # how a comment begins that says where a line was learned
END = "\f"  # stands where a heading was: it ends a list item, which a blank line alone does not

_ITEM = re.compile(r"[ \t]*(?:(?:[-*+•]|\d{1,9}[.)])[ \t]+|\d{1,3}、[ \t]*)(?=\S)")
_NUMBER = re.compile(r"[ \t]*\d{1,9}[.)、]")
_LATER_NUMBER = re.compile(r"[ \t]*(?!0*1[.)])\d{1,9}[.)]")
_LABEL = re.compile(r"[ \t]*\*\*[^*\n]{1,40}(?:[:：]\*\*|\*\*[ \t]*[:：])")
_QUOTE = re.compile(r"[ \t]*(?:>[ \t]?)+")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_FENCE = re.compile(r"[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}|~{3,})(.*)")
_ACROSS = re.compile(r"[ \t]*([-*_=])(?:[ \t]*\1){2,}[ \t]*")
_TABLE_LINE = re.compile(r"[ \t]*\|")
_TABLE_RULE = re.compile(r"(?=[^-]*-)(?=[^|]*\|)[ \t:|-]+")
_BEFORE_TEXT = re.compile(r"(?:(?:[-*+•>]|\d{1,9}[.)]|#{1,6})[ \t]+|\d{1,3}、[ \t]*|>)+")
_ENDED = re.compile(r"[.!?。！？;；:：][*_\"”』」)）]*$")


class Statement(NamedTuple):
    """A statement with its section and the mark of where it came from.

    `is_item` says that it is an item of a list, `is_alone` that its paragraph says nothing else.
    """

    text: str
    anchor: str
    heading: str
    mark: str
    is_item: bool
    is_alone: bool


class _Block(NamedTuple):
    lines: list[str]
    is_item: bool


def statements_of(body: str) -> list[Statement]:
    """Everything that a body states, in order; what is no claim may be among it."""
    return list(_stated(body))


@lru_cache(maxsize=4)  # who has put something into a body reads all of it next
def _stated(body: str) -> tuple[Statement, ...]:
    found: list[Statement] = []
    is_open = False
    for section in sections_of(body):
        lines, is_open = prose_lines(section.text, is_open=is_open)
        found += statements_in(lines, section.anchor, section.heading)
    return tuple(found)


def statements_in(lines: list[str], anchor: str = "", heading: str = "") -> list[Statement]:
    """The statements of the lines of one section."""
    found = []
    for block in _blocks(lines):
        text, mark = _unmarked(_joined(block.lines))
        parts = [text] if block.is_item else split_sentences(text)
        said = filter(None, map(plain_statement, parts))
        found += [
            Statement(one, anchor, heading, mark, block.is_item, len(parts) == 1) for one in said
        ]
    return found


def plain_statement(text: str) -> str:
    """`text` on one line, without list signs in front, and safe inside a line of Markdown."""
    text = " ".join(text.split())
    lead = _BEFORE_TEXT.match(text)
    text = text[lead.end() :].lstrip() if lead else text
    return text.replace("<!--", "‹!--").replace("-->", "--›").strip()


# ----------------------------------------------------------------------------------- lines


def prose_lines(text: str, *, is_open: bool = False) -> tuple[list[str], bool]:
    """The lines of a section that are neither code nor table, heading or comment; blank ones kept.

    `is_open` says that a comment was still open before the text, and, given back, behind it.
    """
    kept: list[str] = []
    fence = ""
    in_table = False
    for raw in text.splitlines():
        if fence:
            match = _FENCE.match(raw)
            closes = match and match[1].startswith(fence) and not match[2].strip()
            fence = "" if closes else fence
            continue
        line, is_open = _uncommented(raw, is_open=is_open)
        match = _FENCE.match(line)
        if match and not (match[1][0] == "`" and "`" in match[2]):
            fence = match[1]
            kept.append("")
            continue
        line = _QUOTE.sub("", line, count=1) if line.lstrip().startswith(">") else line
        if _TABLE_RULE.fullmatch(line):
            in_table = True
            _forget_last(kept)  # the head of a table that has no outer lines
        elif in_table and "|" in line:
            line = ""
        else:
            in_table = False
        if _ACROSS.fullmatch(line):
            _forget_title(kept)
            line = ""
        is_heading = _HEADING.match(line)
        is_other = _TABLE_LINE.match(line) or is_heading or in_table
        kept.append(END if is_heading else "" if is_other else line)
        if raw.strip() and not line.strip() and not is_other and len(kept) > 1:
            kept.pop()  # a line that was all comment parts nothing
    return kept, is_open


def _forget_last(kept: list[str]) -> None:
    if kept and "|" in kept[-1]:
        kept[-1] = ""


def _forget_title(kept: list[str]) -> None:
    """A single line over a rule is a title, unless it is a sentence."""
    alone = kept and kept[-1].strip() and (len(kept) == 1 or not kept[-2].strip())
    if alone and len(kept[-1]) <= 80 and not _ENDED.search(kept[-1]) and not _ITEM.match(kept[-1]):
        kept[-1] = ""


def _uncommented(line: str, *, is_open: bool) -> tuple[str, bool]:
    """A line without its comments, but with the mark at its end; and whether one is still open."""
    if not is_open and "<!--" not in line:
        return line, False
    mark_at = line.rfind(MARK)
    is_marked = mark_at >= 0 and line.rstrip().endswith("-->") and line.count("-->", mark_at) == 1
    mark = line[mark_at:] if is_marked else ""
    line = line[:mark_at] if is_marked else line
    kept: list[str] = []
    at = ticks = 0
    if is_open:
        at = line.find("-->") + 3
        if at < 3:
            return (mark, False) if mark else ("", True)
    while (start := line.find("<!--", at)) >= 0:
        ticks += line.count("`", at, start)
        end = line.find("-->", start + 4)
        if ticks % 2:  # inside `code`
            kept.append(line[at : start + 4])
            at = start + 4
        elif end < 0:
            return "".join([*kept, line[at:start], mark]), not mark
        else:
            kept.append(line[at:start])
            at = end + 3
    return "".join([*kept, line[at:], mark]), False


# ---------------------------------------------------------------------------------- blocks


def _blocks(lines: list[str]) -> Iterator[_Block]:
    """List items and paragraphs; what is indented like code is neither."""
    current: _Block | None = None
    gap = True
    for line in lines:
        if not line.strip():
            gap = True
            if line == END and current:
                yield current
                current = None
            continue
        inside = current is not None and (not gap or (current.is_item and line[:2].isspace()))
        is_item = bool(_ITEM.match(line) or _LABEL.match(line))
        if inside and current and not gap and _LATER_NUMBER.match(line):
            is_item = bool(
                _NUMBER.match(current.lines[0])
            )  # else the line is broken before `8080.`
        is_code = line.startswith(("    ", "\t")) and not inside and (gap or current is None)
        if is_item and not (is_code and current is None):
            if current:
                yield current
            current = _Block([line], is_item=True)
        elif inside and current:
            current.lines.append(line)
        else:
            if current:
                yield current
            current = None if is_code else _Block([line], is_item=False)
        gap = False
    if current:
        yield current


def _joined(lines: list[str]) -> str:
    """Lines as one; Chinese is broken without a blank."""
    parts: list[str] = []
    for line in map(str.strip, lines):
        if parts and line and not (_is_wide(parts[-1][-1:]) and _is_wide(line[0])):
            parts.append(" ")
        if line:
            parts.append(line)
    return "".join(parts)


def _is_wide(char: str) -> bool:
    return bool(char) and (is_cjk(char) or char in "，。！？；：、（）「」『』“”")


def _unmarked(text: str) -> tuple[str, str]:
    """`(text, mark)`: what is said, and the last comment of ours about where it came from."""
    mark = ""
    while (start := text.rfind(MARK)) >= 0:
        end = text.find("-->", start)
        if end < 0:
            break
        mark = mark or text[start : end + 3]
        text = f"{text[:start].rstrip()} {text[end + 3 :].lstrip()}".strip()
    return text, mark
