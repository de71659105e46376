"""Where the entries of a page come from, and which items of its lists are entries by themselves.

Pure. Comments say of a section, or of the line that they stand in, who said it and when; what they
keep of an older wording says nothing of the newer one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from recollect._fastimport import NamedTuple, Pattern
from recollect.model.facts import (
    Item,
    code_in,
    fact_from,
    is_nothing,
    items_of,
    section_kind,
    with_detail,
)
from recollect.model.layers import SHARED, is_subject
from recollect.model.memory import (
    CATEGORIES,
    REFERENCED,
    SESSION_KINDS,
    SHORTEST_ID,
    Memory,
    Section,
    lowest_trust,
)

COMMENT = Pattern(r"<!--(.*?)(?:-->|\Z)", re.S)
_OWN_TRUST = Pattern(r"\btrust:\s*(external|tool|agent)\b")
_OWN_SOURCE = Pattern(r"\bsource:\s*(observed|inferred|instructed|referenced)\b")
_OWN_CONFIDENCE = Pattern(r"\bconfidence:\s*(low|medium|high)\b")
_OWN_DATE = Pattern(r"\bdate:\s*(\d{4}-[^;<>\s]*)")
_OWN_KIND = Pattern(r"; kind: (decision)\b")
_ID = Pattern(r"\s*\^([a-z2-9]{4,16})\s*")
_OWN_SESSION = Pattern(r"\b(?:session|from):\s*([^;<>]+)")

# A comment on a line of its own, about the list above it; one that an item has is indented or in its line.
OF_LIST = Pattern(r"<!--(?! *superseded\b)")
_MARKS = ("<!-- from: ", "<!-- ^")  # how the comments of one line begin


def id_in(comments: Iterable[str]) -> str:
    """The id that one of these comments is: ` ^k3f9 `."""
    return next((found[1] for one in comments if (found := _ID.fullmatch(one))), "")


def kind_in(comments: Iterable[str]) -> str:
    """The kind that the mark of a line says: `decision`, or nothing."""
    marks = (one.partition("; title: ")[0] for one in comments if is_mark(one))
    return next((found[1] for one in marks if (found := _OWN_KIND.search(one))), "")


def shortest(names: Iterable[str]) -> dict[str, str]:
    """Each id with its shortest unique beginning, of four letters at least."""
    found: dict[str, str] = {}
    row = sorted({*names})
    for before, name, after in zip(["", *row], row, [*row[1:], ""], strict=False):
        size = SHORTEST_ID
        for other in (before, after):  # it has most in common with those beside it
            while size < len(name) and other.startswith(name[:size]):
                size += 1
        found[name] = name[:size]
    return found


# One entry of a shared page, in the archive: `feedback-k3f9.md`.
_SHARED = "|".join(path.removesuffix(".md") for path in SHARED.values())
_OF_SHARED = Pattern(rf"(?:{_SHARED})-[a-z2-9]{{4,16}}(?:-\d+)?\.md")


def is_shared(memory: Memory) -> bool:
    """Whether each section of this page is an entry: a rule, a solution, a pointer."""
    path = memory.path.removeprefix("archive/")
    return path in SHARED.values() or bool(memory.archived and _OF_SHARED.fullmatch(path))


SOURCE_OF = {
    "agent": "inferred",
    "tool": "observed",
    "external": "referenced",
    "user": "instructed",
}


class Origin(NamedTuple):
    """Who said something, how far that can be trusted, when, and in which session."""

    source: str
    trust: str
    created: str
    session: str
    confidence: str = "medium"


def with_comments(origin: Origin, comments: Iterable[str]) -> Origin:
    """An origin updated by these comments; none of them raises the trust."""
    told = origin
    for one in comments:
        comment = one.partition("; title: ")[0]  # a session's title may say anything
        if comment.lstrip().startswith("superseded"):
            continue  # what was said before, and by whom
        lower = _OWN_TRUST.search(comment)
        if lower and lowest_trust(told.trust, lower[1]) != told.trust:
            # What the file says of itself is not said of this.
            told = told._replace(trust=lower[1], source=SOURCE_OF[lower[1]])
        named = _OWN_SOURCE.search(comment)
        if named and origin.source != REFERENCED:
            told = told._replace(source=named[1])
        if believed := _OWN_CONFIDENCE.search(comment):
            told = told._replace(confidence=believed[1])
        if dated := _OWN_DATE.search(comment):
            told = told._replace(created=dated[1])
        if not comment.lstrip().startswith("seen before") and (
            learned := _OWN_SESSION.search(comment)
        ):
            told = told._replace(session=learned[1].strip())
    return told


def origin_of_section(text: str, memory: Memory) -> Origin:
    """The origin of a section as a whole; comments of single lines do not count."""
    page = Origin(memory.source, memory.trust, memory.created, memory.session, memory.confidence)
    return with_comments(page, (c for c in COMMENT.findall(text) if not is_mark(c)))


def is_mark(comment: str) -> bool:
    """Whether a comment says where the line that it stands in was learned."""
    return f"<!--{comment}".startswith(_MARKS)


# -------------------- The items of a list that are entries by themselves.


def is_saved_alone(memory: Memory) -> bool:
    """Whether a page is for what its title says, and was not begun for entries about a subject."""
    is_saved = memory.kind in CATEGORIES or memory.source in ("instructed", "inferred")
    return is_saved and not is_subject(memory.title)


class Listed(NamedTuple):
    """An item with its words, and the comments that stand in its lines.

    A fact of a session has a kind and a status of its own, and says its source below. `lines` are
    the numbers of its lines in the section.
    """

    text: str
    content: str
    comments: list[str]
    kind: str = ""
    source: str = ""
    status: str = ""
    lines: tuple[int, ...] = ()
    said: str = ""  # when, if a session says so


def items_in(section: Section, memory: Memory) -> tuple[list[Listed], str]:
    """The items of a section that are entries, and its text without them.

    They are facts of a session, or a list in which at least one item says where it comes from. A
    rule with one such item below its title is one entry. On a page of rules each item above the
    first title is a rule, as people write them.
    """
    kind = section_kind(section.heading) if memory.kind in SESSION_KINDS else ""
    by_hand = not section.anchor and is_shared(memory)
    if not (kind or by_hand or any(mark in section.text for mark in _MARKS)):
        return [], section.text
    lines = COMMENT.sub(lambda one: "\n" * one[0].count("\n"), section.text).split("\n")
    comments = _comments_by_line(section.text)
    code = code_in(lines)
    found, others = items_of("" if code[n] else line for n, line in enumerate(lines))
    ends = [*(item.line for item in found), len(lines)][1:]
    listed: list[Listed] = []
    taken: set[int] = set()
    raw = section.text.split("\n")
    for item, end in zip(found, ends, strict=True):
        # What is said below a list of where all of it comes from is not the last item's.
        whole = (n for n in range(item.line, end) if OF_LIST.match(raw[n]))
        own = [n for n in range(item.line, next(whole, end)) if n not in others]
        below = [lines[n].strip() for n in own[1:] if not kind or code[n]]
        marks = [one for n in own for one in comments[n] if n == item.line or is_mark(one)]
        said = " ".join(item.said[:1])
        one = _fact(item, kind, marks) if kind else Listed(said, said, marks)
        if not is_nothing(one.text):
            text = "\n".join(filter(None, [one.text, *below]))
            listed.append(one._replace(text=text, lines=tuple(own)))
            taken.update(own)
    is_rule = bool(section.anchor) and is_shared(memory)
    marked = sum(any(map(is_mark, one.comments)) for one in listed)
    if not (kind or by_hand) and marked <= is_rule:
        return [], section.text
    return listed, "\n".join(line for n, line in enumerate(lines) if n not in taken).strip()


def _comments_by_line(text: str) -> list[list[str]]:
    """The comments that begin in each line."""
    found: list[list[str]] = [[] for _ in range(text.count("\n") + 1)]
    line = at = 0
    for comment in COMMENT.finditer(text):
        line += text.count("\n", at, comment.start())
        at = comment.start()
        found[line].append(comment[1])
    return found


def _fact(item: Item, kind: str, marks: list[str]) -> Listed:
    """An item of a session's list of facts, without what only programs want to know."""
    fact = fact_from(kind, item)
    said = with_detail(fact.content, fact.detail)
    names = ", ".join((*fact.files, *fact.concepts))
    status = fact.status if kind == "issue" else ""
    text = f"{said}\n{names}" if names else said
    if kind == "pattern" and fact.source == "instructed":
        kind = "rule"  # as it is called on the page where it will be filed
    return Listed(text, said, marks, kind, fact.source, status, said=fact.said)


# -------------------- What brings one section of a page.


def matched_triggers(triggers: Iterable[str], text: str) -> tuple[str, ...]:
    """The triggers that come up in a text, such as one section of a file."""
    low = text.casefold()
    spelt = ((word, word.casefold()) for word in triggers)
    return tuple(word for word, one in spelt if one in low or one.replace("-", " ") in low)


_TRIGGER_LINE = Pattern(r"^\*\*(?:Trigger|触发词):\*\* (.+)$\n?", re.M)


def without_triggers(text: str, triggers: Collection[str]) -> str:
    """The text of a section without the line that only lists triggers of it."""
    found = _TRIGGER_LINE.search(text) if triggers and "**" in text else None
    if not found or not set(found[1].split(", ")) <= {*triggers}:
        return text
    return (text[: found.start()] + text[found.end() :]).strip()
