r"""Facts: decisions, patterns and issues as lines of Markdown, in the grammar of seed 003.

Promises: reading is tolerant (bullets `-`, `*`, `+`, indented items, continuation lines, missing
reasons, CRLF, headings in both languages) and a fact that was written reads back the same; a
colon inside a URL, a time or `C:\\…` separates nothing.
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
_BULLET = re.compile(r"^([ \t]*)[-*+•][ \t]+(.*\S)[ \t]*$")
_NUMBER = re.compile(r"^([ \t]*)\d+[.)、][ \t]*(.*\S)[ \t]*$")
_DETAIL = re.compile(r"^(files|concepts|source|文件|概念|来源)[ \t]*[:：][ \t]*(.*)$", re.I)
_TAGGED = re.compile(r"^\[([^\]\n]{1,60})\][ \t]*(.*)$")
# A separator is a full-width colon, or a colon before a space; never one inside `code`.
_SEPARATOR = re.compile(r"`[^`]*`|(：|:(?=[ \t]))")
_DETAIL_NAMES = {"文件": "files", "概念": "concepts", "来源": "source"}


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


def facts_of(kind: str, text: str) -> list[Fact]:
    """The facts listed in the text of one section."""
    facts: list[Fact] = []
    depth = 0
    for line in text.splitlines():
        item = _BULLET.match(line) or _NUMBER.match(line)
        if not item:
            if line.strip() and facts and line[:1] in " \t":
                facts[-1] = _continued(facts[-1], line.strip())
            continue
        indent = len(item[1].expandtabs(4))
        detail = _DETAIL.match(item[2])
        if detail and facts:
            facts[-1] = _with_detail(facts[-1], detail[1].lower(), detail[2])
        elif facts and indent > depth:
            facts[-1] = _continued(facts[-1], item[2])
        else:
            depth = indent
            facts.append(_fact(kind, item[2]))
    return [fact for fact in facts if fact.content]


def _fact(kind: str, text: str) -> Fact:
    category = "other"
    tagged = _TAGGED.match(text)
    if tagged and not text.startswith(("[ ]", "[x]", "[X]")):
        named = re.split(r"[|/,]", tagged[1])[0].strip().lower()
        category = named if named in CATEGORIES[kind] else "other"
        text = tagged[2]
    if kind == "pattern":
        return Fact(kind, text.strip(), category=category)
    cuts = [m for m in _SEPARATOR.finditer(text) if m[1]]
    if kind == "decision":
        if not cuts:
            return Fact(kind, text.strip(), category=category)
        cut = cuts[0]
        return Fact(kind, text[: cut.start()].strip(), text[cut.end() :].strip(), category)
    status, content = "open", text
    if cuts:
        word = text[cuts[-1].end() :].strip().rstrip(".。").lower()
        if word in _RESOLVED or word in _OPEN:
            status = "resolved" if word in _RESOLVED else "open"
            content = text[: cuts[-1].start()]
    return Fact(kind, content.strip(), category=category, status=status)


def _continued(fact: Fact, text: str) -> Fact:
    if fact.kind == "decision" and fact.detail:
        return fact._replace(detail=f"{fact.detail} {text}")
    return fact._replace(content=f"{fact.content} {text}")


def _with_detail(fact: Fact, name: str, text: str) -> Fact:
    name = _DETAIL_NAMES.get(name, name)
    if name == "source":
        return fact._replace(source=text.strip())
    words = tuple(w.strip(" `") for w in re.split(r"[,，、]", text) if w.strip(" `"))
    return fact._replace(files=words) if name == "files" else fact._replace(concepts=words)


def fact_lines(fact: Fact) -> list[str]:
    """A fact as it is written in a session memory."""
    content = _on_one_line(fact.content)
    if fact.kind != "pattern":
        # A separator inside would cut the fact in two when it is read again; code is safe.
        content = _SEPARATOR.sub(lambda m: " –" if m[1] else m[0], content).rstrip(":")
    tail = {"decision": _on_one_line(fact.detail), "issue": fact.status}.get(fact.kind, "")
    lines = [f"- [{fact.category}] {content}" + (f": {tail}" if tail else "")]
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
    return " ".join(re.findall(r"\w+", text.casefold()))


def section_kind(heading: str) -> str:
    """The kind of fact that a section of this title lists, or nothing."""
    wanted = heading.strip().casefold()
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
