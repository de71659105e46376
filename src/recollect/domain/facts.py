r"""Facts: decisions, patterns and issues as lines of Markdown, in the grammar of seed 003.

Promises: reading is tolerant (bullets `-`, `*`, `+`, indented items, continuation lines, missing
reasons, CRLF, headings in both languages) and a fact that was written reads back the same (a
separator in its content is written as `\:`); a colon inside a URL, a time or `C:\\…` separates
nothing.
Touches: nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from recollect.domain.model import CATEGORIES

HEADINGS = {
    "decision": ("Decisions", "Key Decisions", "决定", "决策", "关键决策", "关键决定"),
    "pattern": ("Patterns", "Conventions", "模式", "约定", "规范"),
    "issue": ("Issues", "Problems", "问题"),
}
_RESOLVED = frozenset("resolved fixed closed done solved 已解决 已修复 完成 已关闭".split())
_OPEN = frozenset("open pending unresolved todo wip 未解决 待解决 进行中 打开".split())
_CATEGORY_NAMES = {
    "架构": "architecture", "技术": "technology", "方案": "approach", "方法": "approach",
    "约定": "convention", "规范": "convention", "最佳实践": "best-practice", "反模式": "anti-pattern",
    "缺陷": "bugfix", "修复": "bugfix", "性能": "performance", "安全": "security", "功能": "feature",
}  # fmt: skip
_ITEM = re.compile(r"([ \t]*+)(?:[-*+•][ \t]+|\d{1,9}(?:[.)][ \t]+|、[ \t]*))(\S.*)")
_DETAIL = re.compile(r"(files|concepts|source|文件|概念|来源)[ \t]*[:：][ \t]*(.*)", re.I)
_DETAIL_NAMES = {"文件": "files", "概念": "concepts", "来源": "source"}
_PROSE = re.compile(r"(?![#|<>`~]|[-*_=]{3,}$)")
_BOX = re.compile(r"\[([ xX])\][ \t]+(.*)")
_TAGGED = re.compile(r"\[([^\]]{1,60})\](?![(\[])[ \t]*(.*)")
# What separates a decision from its reason, or an issue from its status: a full-width colon, or a
# colon before a blank; not inside `code`, and not behind a backslash.
_MARK = re.compile(r"(?<!\\)(\\*+)(`|：|:(?=[ \t]))")
_LAST_MARK = re.compile(r"`[^`]*`|(：|:(?=[ \t]))")


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


class _Item(NamedTuple):
    """An item of a list with the lines that belong to it, and its details by name."""

    said: list[str]
    details: dict[str, list[str]]


def facts_of(kind: str, text: str) -> list[Fact]:
    """The facts listed in the text of one section."""
    facts = (_fact(kind, item) for item in _items(text))
    return [fact for fact in facts if fact.content]


def _items(text: str) -> list[_Item]:
    items: list[_Item] = []
    current: list[str] = []  # what a line without a bullet goes on with
    depth = 0
    for line in map(str.rstrip, text.splitlines()):
        found = _ITEM.match(line)
        if not found:
            is_more = line[:1] in (" ", "\t") or (current and _PROSE.match(line))
            if line and items and is_more:
                (current or items[-1].said).append(line.strip())
            else:
                current = []
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
            items.append(_Item(current, {}))
    return items


def _fact(kind: str, item: _Item) -> Fact:
    text = " ".join(item.said)
    boxed = _BOX.match(text)
    text = boxed[2] if boxed else text
    category, text = _categorised(kind, text)
    detail, status = "", "resolved" if boxed and boxed[1] != " " else "open"
    if kind == "decision":
        text, detail = _halves(text)
    elif kind == "issue":
        cuts = [m for m in _LAST_MARK.finditer(text) if m[1]]
        word = text[cuts[-1].end() :].strip().rstrip(".。!！").lower() if cuts else ""
        if word in _RESOLVED or word in _OPEN:
            status = "resolved" if word in _RESOLVED else "open"
            text = text[: cuts[-1].start()]
    files, concepts = (_split(item.details.get(name)) for name in ("files", "concepts"))
    source = " ".join(item.details.get("source", ())).strip()
    return Fact(kind, text.strip(), detail, category, status, files, concepts, source)


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
