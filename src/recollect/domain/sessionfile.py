"""Sessionfile: the facts in a whole text, such as the session files that an agent writes.

Promises: reading is tolerant (headings of any level, as people write them, in both languages,
underlined, in bold letters, or a word with a colon); what is code is no heading and no fact; what
a list of facts has besides them is told with its lines.
Touches: nothing. `facts` has the grammar of the items.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from recollect.domain.facts import Fact, fact_from, is_nothing, items_of, section_kind
from recollect.domain.pattern import Pattern
from recollect.domain.redact import PRIVATE_MARK
from recollect.named import NamedTuple

_HEADING = Pattern(r" {0,3}(#{1,6})[ \t]+(\S.*)|\*\*([^*]{1,60})\*\*[ \t]*[:：]?[ \t]*\Z")
_UNDERLINE = Pattern(r" {0,3}(={3,}|-{3,})[ \t]*\Z")
_TITLE = Pattern(r" {0,3}(?!\d{1,9}[.)、])[^\W_].{0,80}\Z")
_LABEL = Pattern(r"([^\W\d_][^:：]{0,40})[:：][ \t]*\Z")
_BELOW_ALL = 7  # the level of a line in bold letters
_AROUND_TITLE = Pattern(r"\A[^\w]*+(?:[\d一二三四五六七八九十]{1,3}[.)、])?|[(（/&|].*\Z", re.S)
_CODE = Pattern(r"[ \t]*(`{3,}|~{3,})(.*)")
# What may stand in front of the word for a list, and what says that all of it is settled.
_RESOLVED = r"resolved|closed|fixed|solved|已解决|已修复|已关闭"
_BEFORE_TITLE = Pattern(
    rf"(?:(?:architectur(?:e|al)|technical|design|key|major|important|main|final|new|open|known|"
    rf"remaining|outstanding|pending|code|coding|{_RESOLVED}|架构|技术|设计|关键|重要|主要|已知|遗留|"
    rf"未解决|待解决|代码|编码)的?[ \t]*+)+(?=\S)",
    re.I,
)
_BEHIND_TITLE = Pattern(r"[ \t]+(?:found|made|taken|used)\Z|事项\Z", re.I)
_SETTLED = Pattern(rf"(?:{_RESOLVED})(?![a-z])", re.I)


class Unread(NamedTuple):
    """Lines in a list of facts that are no part of one; lines are counted from 1."""

    line: int
    last: int
    text: str  # of the first


class Listing(NamedTuple):
    """What a text lists, in order, and what in its lists could not be read."""

    facts: list[Fact]
    unread: list[Unread]


class _List(NamedTuple):
    """A section that lists facts: from its first line to the one behind its last."""

    kind: str
    start: int
    end: int
    is_settled: bool  # whether an issue in it is resolved where it does not say


def read_facts(text: str) -> Listing:
    """The facts of a whole text, under headings of any level, with what could not be read.

    Headings and items in code are text. A list that says it has nothing to list has nothing.
    """
    text = text.removeprefix("\ufeff")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    in_code = code_in(lines)
    heads = {n: head for n in range(len(lines)) if not in_code[n] and (head := _head(lines, n))}
    facts: list[Fact] = []
    others: list[int] = []
    for kind, start, end, is_settled in _lists_in(heads, len(lines)):
        here = range(start, end)
        found = items_of("" if in_code[n] or n in heads else lines[n] for n in here)
        others += [start + n for n in found.others]
        others += [n for n in here if in_code[n]]
        for item in found.items:
            fact = fact_from(kind, item, status="resolved" if is_settled else "open")
            if not fact.content:
                others.append(start + item.line)
            elif not is_nothing(fact.content):
                facts.append(fact)
    return Listing(facts, _runs((n for n in sorted(others) if _says(lines[n])), lines))


def _says(line: str) -> bool:
    """Whether a line says anything, and not only to programs."""
    is_comment = line.lstrip().startswith("<!--") and line.endswith("-->")
    return not is_comment and any(map(str.isalnum, line.replace(PRIVATE_MARK, "")))


def code_in(lines: Sequence[str]) -> list[bool]:
    """For each line whether it is code between two fences; a fence that nothing ends is none."""
    inside = [False] * len(lines)
    lonely: dict[str, int] = {}  # by character, the shortest fence that is known to have no end
    at = 0
    while at < len(lines):
        found = _CODE.match(lines[at])
        mark = found[1] if found else ""
        end = 0
        if found and not (mark[0] == "`" and "`" in found[2]):
            if len(mark) < lonely.get(mark[0], len(mark) + 1):
                end = next((n for n in range(at + 1, len(lines)) if _ends(lines[n], mark)), 0)
            if not end:
                lonely[mark[0]] = min(len(mark), lonely.get(mark[0], len(mark)))
        for n in range(at, end + 1 if end else at):
            inside[n] = True
        at = end + 1 if end else at + 1
    return inside


def _ends(line: str, mark: str) -> bool:
    line = line.strip()
    return line.startswith(mark) and not line.strip(mark[0])


def _head(lines: Sequence[str], n: int) -> tuple[int, str] | None:
    """`(level, title)` of the heading in this line, if it is one."""
    line = lines[n]
    found = _HEADING.match(line)
    if found:
        return (len(found[1]), found[2]) if found[1] else (_BELOW_ALL, found[3])
    label = _LABEL.match(line)
    if label and _named(label[1]):
        return _BELOW_ALL, label[1]
    line_below = lines[n + 1] if n + 1 < len(lines) else ""
    is_first = n == 0 or not lines[n - 1].strip()
    underline = _UNDERLINE.match(line_below) if is_first and _TITLE.match(line) else None
    return (1 if underline[1][0] == "=" else 2, line) if underline else None


def _named(title: str) -> str:
    """The kind of fact that a section of this title lists, or nothing."""
    title = _AROUND_TITLE.sub("", title.rstrip(" \t#"))
    return section_kind(title) or section_kind(
        _BEHIND_TITLE.sub("", _BEFORE_TITLE.sub("", title, count=1))
    )


def _lists_in(heads: Mapping[int, tuple[int, str]], end: int) -> list[_List]:
    """Each section that lists facts."""
    found: list[_List] = []
    open_list: _List | None = None
    level = 0
    for n, (depth, title) in heads.items():
        kind = _named(title)
        if open_list and (kind or depth <= level):
            found.append(open_list._replace(end=n))
            open_list = None
        if kind:
            is_settled = bool(_SETTLED.match(_AROUND_TITLE.sub("", title)))
            open_list, level = _List(kind, n + 1, end, is_settled), depth
    return [*found, open_list] if open_list else found


def _runs(numbers: Iterable[int], lines: Sequence[str]) -> list[Unread]:
    """These lines, those that follow each other as one."""
    found: list[Unread] = []
    for n in numbers:
        if found and found[-1].last == n:
            found[-1] = found[-1]._replace(last=n + 1)
        else:
            found.append(Unread(n + 1, n + 1, lines[n].strip()))
    return found
