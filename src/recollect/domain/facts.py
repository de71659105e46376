r"""Facts: decisions, patterns and issues as lines of Markdown, in the grammar of seed 003.

Promises: reading is tolerant (bullets `-`, `*`, `+`, indented items, continuation lines, missing
reasons, CRLF, headings in both languages) and a fact that was written reads back the same (a
separator in its content is written as `\:`); a colon inside a URL, a time or `C:\\…` separates
nothing; what a list of facts has besides them is told with its lines.
Touches: nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from recollect.domain.model import CATEGORIES
from recollect.domain.pattern import Pattern
from recollect.domain.redact import PRIVATE_MARK

HEADINGS = {
    "decision": (
        "Decisions", "Decision", "Key Decisions", "Decisions Made",
        "决定", "决策", "关键决策", "关键决定",
    ),
    "pattern": ("Patterns", "Pattern", "Conventions", "模式", "约定", "规范"),
    "issue": (
        "Issues", "Issue", "Known Issues", "Problems", "Problems Encountered",
        "问题", "已知问题", "遗留问题",
    ),
}  # fmt: skip
_RESOLVED = frozenset(
    "resolved|fixed|closed|done|solved|won't fix|wontfix|已解决|已修复|完成|已完成|已关闭".split(
        "|"
    )
)
_OPEN = frozenset(
    "open|pending|unresolved|unfixed|todo|wip|blocked|investigating|in progress|not resolved"
    "|not fixed|未解决|待解决|进行中|打开".split("|")
)
# What stands in a list that has nothing to list, and in the form that seed 003 gives out.
_NOTHING = (
    *"none nothing n/a tbd 无 暂无 没有 [private]".split(),
    *("decision content", "pattern description", "issue description: open|resolved"),
)
_CATEGORY_NAMES = {
    "架构": "architecture", "技术": "technology", "方案": "approach", "方法": "approach",
    "约定": "convention", "规范": "convention", "最佳实践": "best-practice", "反模式": "anti-pattern",
    "缺陷": "bugfix", "修复": "bugfix", "性能": "performance", "安全": "security", "功能": "feature",
}  # fmt: skip
_ITEM = Pattern(r"([ \t]*+)(?:[-*+•][ \t]+|\d{1,9}(?:[.)][ \t]+|、[ \t]*))(\S.*)")
_DETAIL = Pattern(r"(files|concepts|source|文件|概念|来源)[ \t]*[:：][ \t]*(.*)", re.I)
_DETAIL_NAMES = {"文件": "files", "概念": "concepts", "来源": "source"}
_PROSE = Pattern(r"(?![#|<>`~]|[-*_=]{3,}$)")
_BOX = Pattern(r"\[([ xX])\][ \t]+(.*)")
_TAGGED = Pattern(r"\[([^\]]{1,60})\](?![(\[])[ \t]*(.*)")
# What separates a decision from its reason, or an issue from its status: a full-width colon, or a
# colon before a blank; not inside `code`, and not behind a backslash.
_MARK = Pattern(r"(?<!\\)(\\*+)(`|：|:(?=[ \t]))")
_LAST_MARK = Pattern(r"`[^`]*`|(：|:(?=[ \t]))")
# What may follow the word of a status: when it was, or how. Neither pattern begins with blanks:
# a long run of them would be gone through again from each of them.
_REMARK = Pattern(r"[(（\[,，;；—–]|(?<=[ \t])-(?=[ \t])")
_IN_BRACKETS = Pattern(r"[(（\[]([^()（）\[\]]{1,40})[)）\]][.。]?\Z")
_HEADING = Pattern(r" {0,3}(#{1,6})[ \t]+(\S.*)|\*\*([^*]{1,60})\*\*[ \t]*[:：]?[ \t]*\Z")
_BELOW_ALL = 7  # the level of a line in bold letters
_AROUND_TITLE = Pattern(r"\A[^\w]*+(?:[\d一二三四五六七八九十]{1,3}[.)、])?|[(（/&|].*\Z", re.S)
_CODE = Pattern(r"[ \t]*(`{3,}|~{3,})(.*)")


class Fact(NamedTuple):
    """A decision, pattern or issue. `detail` is a decision's reason; `status` is an issue's."""

    kind: str
    content: str
    detail: str = ""
    category: str = "other"
    status: str = "open"
    files: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()
    source: str = ""


class Unread(NamedTuple):
    """Lines in a list of facts that are no part of one; lines are counted from 1."""

    line: int
    last: int
    text: str  # of the first


class Listing(NamedTuple):
    """What a text lists, in order, and what in its lists could not be read."""

    facts: list[Fact]
    unread: list[Unread]


class _Item(NamedTuple):
    """An item of a list with the lines that belong to it, and its details by name."""

    said: list[str]
    details: dict[str, list[str]]
    line: int  # where it begins, from 0


class _Items(NamedTuple):
    """The items of a list, and the lines that belong to none."""

    items: list[_Item]
    others: list[int]


def facts_of(kind: str, text: str) -> list[Fact]:
    """The facts listed in the text of one section."""
    facts = (_fact(kind, item) for item in _items_of(text.splitlines()).items)
    return [fact for fact in facts if fact.content]


def read_facts(text: str) -> Listing:
    """The facts of a whole text, under headings of any level, with what could not be read.

    A line in bold letters is a heading too; headings and items in code are text. A list that says
    it has nothing to list has nothing.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    in_code = _code_in(lines)
    facts: list[Fact] = []
    others: list[int] = []
    for kind, start, end in _lists_in(lines, in_code):
        here = range(start, end)
        found = _items_of("" if in_code[n] or _HEADING.match(lines[n]) else lines[n] for n in here)
        others += [start + n for n in found.others]
        others += [n for n in here if in_code[n]]
        for item in found.items:
            fact = _fact(kind, item)
            if not fact.content:
                others.append(start + item.line)
            elif not is_nothing(fact.content):
                facts.append(fact)
    return Listing(facts, _runs((n for n in sorted(others) if _says(lines[n])), lines))


def is_nothing(content: str) -> bool:
    """Whether this says that there is nothing to say."""
    said = content.strip(" .。…*_()（）-").casefold()
    return not said or said in _NOTHING


def _says(line: str) -> bool:
    """Whether a line says anything, and not only to programs."""
    is_comment = line.lstrip().startswith("<!--") and line.endswith("-->")
    return not is_comment and any(map(str.isalnum, line.replace(PRIVATE_MARK, "")))


def _code_in(lines: Sequence[str]) -> list[bool]:
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


def _lists_in(lines: Sequence[str], in_code: Sequence[bool]) -> list[tuple[str, int, int]]:
    """`(kind, first line, line behind the last)` of each section that lists facts."""
    found: list[tuple[str, int, int]] = []
    kind, level, start = "", 0, 0
    for n, line in enumerate(lines):
        heading = None if in_code[n] else _HEADING.match(line)
        if not heading:
            continue
        depth = len(heading[1]) if heading[1] else _BELOW_ALL
        title = (heading[2] or heading[3]).rstrip(" \t#")
        named = section_kind(_AROUND_TITLE.sub("", title))
        if kind and (named or depth <= level):
            found.append((kind, start, n))
            kind = ""
        if named:
            kind, level, start = named, depth, n + 1
    return [*found, (kind, start, len(lines))] if kind else found


def _runs(numbers: Iterable[int], lines: Sequence[str]) -> list[Unread]:
    """These lines, those that follow each other as one."""
    found: list[Unread] = []
    for n in numbers:
        if found and found[-1].last == n:
            found[-1] = found[-1]._replace(last=n + 1)
        else:
            found.append(Unread(n + 1, n + 1, lines[n].strip()))
    return found


def _items_of(lines: Iterable[str]) -> _Items:
    items: list[_Item] = []
    others: list[int] = []
    current: list[str] = []  # what a line without a bullet goes on with
    depth = 0
    for n, line in enumerate(map(str.rstrip, lines)):
        found = _ITEM.match(line)
        if not found:
            is_more = line[:1] in (" ", "\t") or (current and _PROSE.match(line))
            if line and items and is_more:
                (current or items[-1].said).append(line.strip())
            else:
                current = []
                others += [n] if line else []
            continue
        indent, said = len(found[1].expandtabs(4)), found[2]
        is_below = bool(items) and indent > depth
        detail = _DETAIL.match(said) if items else None
        if detail and (is_below or detail[1].lower() not in ("source", "来源")):
            name = _DETAIL_NAMES.get(detail[1], detail[1].lower())
            current = items[-1].details[name] = [detail[2]]
        elif is_below:
            current = items[-1].said
            current.append(said)
        else:
            depth, current = indent, [said]
            items.append(_Item(current, {}, n))
    return _Items(items, others)


def _fact(kind: str, item: _Item) -> Fact:
    text = " ".join(item.said)
    boxed = _BOX.match(text)
    text = boxed[2] if boxed else text
    category, text = _categorised(kind, text)
    detail, status = "", "resolved" if boxed and boxed[1] != " " else "open"
    if kind == "decision":
        text, detail = _halves(text)
    elif kind == "issue":
        text, said = _without_status(text)
        status = said or status
    files, concepts = (_split(item.details.get(name)) for name in ("files", "concepts"))
    source = " ".join(item.details.get("source", ())).strip()
    return Fact(kind, text.strip(), detail, category, status, files, concepts, source)


def _without_status(text: str) -> tuple[str, str]:
    """`(content, status)` of an issue; no status where it says none."""
    cuts = [m for m in _LAST_MARK.finditer(text) if m[1]]
    if cuts:
        said = text[cuts[-1].end() :].strip()
        remark = _REMARK.search(said)
        status = _status(said[: remark.start()] if remark else said)
        if status:
            content = text[: cuts[-1].start()]
            return f"{content} {said[remark.start() :].strip()}" if remark else content, status
    bracketed = _IN_BRACKETS.search(text)
    status = _status(bracketed[1]) if bracketed else ""
    return (text[: bracketed.start()], status) if bracketed and status else (text, "")


def _status(said: str) -> str:
    word = said.strip(" \t*_`").rstrip(".。!！").lower()
    return "resolved" if word in _RESOLVED else "open" if word in _OPEN else ""


def _categorised(kind: str, text: str) -> tuple[str, str]:
    """`(category, rest)`; what is no category but a link or several words stays in the text."""
    tagged = _TAGGED.match(text)
    if not tagged:
        return "other", text
    first = re.split(r"[|/,，、]", tagged[1])[0].strip().lower().replace(" ", "-")
    named = _CATEGORY_NAMES.get(first, first)
    if named in CATEGORIES[kind]:
        return named, tagged[2]
    return "other", text if " " in tagged[1].strip() else tagged[2]


def _halves(text: str) -> tuple[str, str]:
    """`(content, reason)`: what stands on both sides of the first separator."""
    content, at = "", 0
    while mark := _MARK.search(text, at):
        content += text[at : mark.start()] + "\\" * (len(mark[1]) // 2)
        at = mark.end()
        if len(mark[1]) % 2:  # escaped: it is text
            content += mark[2]
        elif mark[2] != "`":
            return content.strip(), text[at:].strip()
        else:
            end = text.find("`", at) + 1 or at
            content += "`" + text[at:end]
            at = end
    return (content + text[at:]).strip(), ""


def _unseparated(content: str) -> str:
    """`content` so that `_halves` finds no separator in it, and gives it back as it was."""
    made, at = "", 0
    while mark := _MARK.search(content, at):
        made += content[at : mark.start()] + "\\" * (2 * len(mark[1]))
        at = mark.end()
        end = content.find("`", at) + 1 if mark[2] == "`" else 0
        made += content[at - 1 : end] if end else "\\" + mark[2]
        at = end or at
    return made + content[at:]


def _split(lines: list[str] | None) -> tuple[str, ...]:
    words = (w.strip(" `") for w in re.split(r"[,，、]", " ".join(lines or ())))
    return tuple(word for word in words if word)


def fact_lines(fact: Fact) -> list[str]:
    """A fact as it is written in a session memory."""
    content = _on_one_line(fact.content)
    detail = {"decision": _on_one_line(fact.detail), "issue": fact.status}.get(fact.kind, "")
    if fact.kind == "decision":
        at_end = len(content) - len(content.rstrip("\\"))
        content = _unseparated(content) + ("\\" * at_end if detail else "")
    lines = [f"- [{fact.category}] {content}" + (f": {detail}" if detail else "")]
    if fact.source:
        lines.append(f"  - source: {fact.source}")
    if fact.files:
        lines.append("  - files: " + ", ".join(fact.files))
    if fact.concepts:
        lines.append("  - concepts: " + ", ".join(fact.concepts))
    return lines


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


def without_repeats(facts: Iterable[Fact]) -> list[Fact]:
    """The facts, each content once; a later one with a reason replaces one without."""
    kept: dict[str, Fact] = {}
    for fact in facts:
        key = same_words(fact.content)
        old = kept.get(key)
        if old is None or (fact.detail and not old.detail):
            kept[key] = fact
    return list(kept.values())


def same_words(text: str) -> str:
    """`text` reduced to what makes two wordings the same: no case, punctuation or spacing."""
    return " ".join(re.findall(r"\w+", text.casefold()) or text.split())


def section_kind(heading: str) -> str:
    """The kind of fact that a section of this title lists, or nothing."""
    wanted = heading.strip(" \t:：*_").casefold()
    for kind, names in HEADINGS.items():
        if wanted in (name.casefold() for name in names):
            return kind
    return ""


def facts_in(sections: Sequence[tuple[str, str]]) -> list[Fact]:
    """All facts in these (heading, text) sections, in order."""
    found: list[Fact] = []
    for heading, text in sections:
        kind = section_kind(heading)
        if kind:
            found += facts_of(kind, text)
    return found
