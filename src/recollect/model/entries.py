"""What index and views need to know of a memory and its sections.

A section never has more trust than its memory, unless it lists only the person's statements.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from recollect._fastimport import NamedTuple, Pattern
from recollect.model import document as codec
from recollect.model import frontmatter
from recollect.model.document import Part, parts_of, sections_of
from recollect.model.facts import facts_of, section_kind
from recollect.model.memory import (
    REFERENCED,
    Entry,
    Memory,
    Section,
    is_sealed_path,
    lowest_trust,
)
from recollect.text.redact import strip_private
from recollect.text.tokens import count_tokens

LARGEST_INDEXED = 1024 * 1024
LONGEST_SUMMARY = 160
LONGEST_PART = 800  # characters, some 120 words
_SOLUTION = Pattern(r"^(?:Solution|解决方案)\s*[:：]", re.I)
_MARKS = Pattern(
    r"^(?:[-*+>]|\d+[.)、])\s+(?:\[[ xX]\]\s+)?|`{1,3}|\*\*|(?<!\S)\*(?=\w)|(?<=\w)\*(?!\S)|<!--.*?-->"
)


class Shelved(NamedTuple):
    """A section with the fields under which the index files it."""

    shelf: str
    anchor: str
    heading: str
    text: str
    kind: str
    source: str
    trust: str
    trigger: tuple[str, ...]
    tokens: int
    confidence: str = "medium"


_COMMENT = Pattern(r"<!--(.*?)(?:-->|\Z)", re.S)
_OWN_TRUST = Pattern(r"\btrust:\s*(external|tool|agent)\b")
_OWN_SOURCE = Pattern(r"\bsource:\s*(observed|inferred|instructed|referenced)\b")
_OWN_CONFIDENCE = Pattern(r"\bconfidence:\s*(low|medium|high)\b")


def without_comments(text: str) -> str:
    """`text` as it is read: HTML comments are for bookkeeping."""
    return _COMMENT.sub("", text).strip() if "<!--" in text else text.strip()


def is_conversation(path: str) -> bool:
    """Whether this file is the raw conversation (level 3) beside a memory."""
    return path.endswith("/conversation.md")


def entry_of(memory: Memory, stamp: str) -> Entry:
    """A memory without its text, as lists show it."""
    return Entry(
        id=memory.id,
        title=memory.title,
        layer=memory.layer,
        kind=memory.kind,
        category=memory.category,
        tags=memory.tags,
        trigger=memory.trigger,
        files=memory.files,
        concepts=memory.concepts,
        salience=memory.salience,
        confidence=memory.confidence,
        source=memory.source,
        trust=memory.trust,
        status=memory.status,
        related=memory.related,
        session=memory.session,
        created=memory.created,
        updated=memory.updated,
        last_accessed=memory.last_accessed,
        decay_after=memory.decay_after,
        private=memory.private,
        path=memory.path,
        tokens=count_tokens(memory.body),
        summary=summary_of(memory),
        stamp=stamp,
        problem=memory.problem,
    )


def summary_of(memory: Memory) -> str:
    """The first telling line of a memory's body, on one line."""
    title = memory.title.casefold()
    for line in strip_private(memory.body[:8000]).splitlines():
        text = line.strip()
        if _may_have_marks(text):
            text = _MARKS.sub("", text).strip()
        if not text or text.startswith(("#", "```", "|", "---")) or text.casefold() == title:
            continue
        return text if len(text) <= LONGEST_SUMMARY else text[: LONGEST_SUMMARY - 1].rstrip() + "…"
    return ""


def _may_have_marks(line: str) -> bool:
    first = line[:1]
    return first in "-+>" or first.isdigit() or "*" in line or "`" in line or "<!--" in line


def shelved(memory: Memory) -> list[Shelved]:
    """The sections of a memory as the index files them."""
    if is_sealed_path(memory.path) and not memory.body:
        return []  # closed: there is nothing by which it could be found
    body = strip_private(memory.body[:LARGEST_INDEXED])
    if is_conversation(memory.path):
        return [
            _turn(f"turn-{n}" if part == 1 else f"turn-{n}.{part}", text, memory)
            for n, turn in enumerate(turns_of(body), 1)
            for part, text in enumerate(_parts_of(turn), 1)
        ]
    shelf = "cold" if memory.archived else "hot"
    sections = sections_of(body)
    heads = [s for s in sections if s.anchor or _says_something(s, memory)]
    alone = len(heads) <= 1
    return [_section(s, memory, shelf, alone=alone) for s in heads or sections[:1]]


def _says_something(head: Section, memory: Memory) -> bool:
    lines = [line.strip() for line in head.text.splitlines() if line.strip()]
    return any(not _is_title(line, memory.title) for line in lines) or (
        not lines and not memory.body.strip()
    )


def _is_title(line: str, title: str) -> bool:
    return line.startswith("# ") and " ".join(line[2:].split()).casefold() == title.casefold()


SOURCE_OF = {
    "agent": "inferred",
    "tool": "observed",
    "external": "referenced",
    "user": "instructed",
}


def _section(section: Section, memory: Memory, shelf: str, *, alone: bool) -> Shelved:
    kind, source, trust, sure = memory.kind, memory.source, memory.trust, memory.confidence
    listed = section_kind(section.heading)
    if is_solution(section.heading):
        kind = "solution"
    elif listed and memory.kind in ("session", "conversation"):
        kind = listed
        facts = facts_of(listed, section.text)
        is_here = memory.source != REFERENCED
        if is_here and facts and all(fact.source == "instructed" for fact in facts):
            source, trust = "instructed", "user"
    for comment in _COMMENT.findall(section.text):
        lower = _OWN_TRUST.search(comment)
        if lower and lowest_trust(trust, lower[1]) != trust:
            trust = lower[1]
            source = SOURCE_OF[trust]  # what the file says of itself is not said of this
        named = _OWN_SOURCE.search(comment)
        source = named[1] if named and memory.source != REFERENCED else source
        believed = _OWN_CONFIDENCE.search(comment)
        sure = believed[1] if believed else sure
    text = without_comments(section.text)
    if not section.heading:
        text = _without_title(text, memory.title)
    said = f"{section.heading}\n{text}"
    trigger = memory.trigger if alone else said_of(memory.trigger, said)
    return Shelved(
        shelf,
        section.anchor,
        section.heading,
        text,
        kind,
        source,
        trust,
        trigger,
        count_tokens(text),
        sure,
    )


def is_solution(heading: str) -> bool:
    """Whether the section under this title is something learned from a failure."""
    return bool(_SOLUTION.match(heading))


def solution_title(what: str) -> str:
    """The `##` title under which a solution stands in procedural/feedback.md."""
    return f"Solution: {what}"


def _without_title(text: str, title: str) -> str:
    """The head of a body without the `# title` that every list shows beside it anyway."""
    first, _, rest = text.partition("\n")
    return rest.strip() if _is_title(first, title) and rest.strip() else text


def said_of(triggers: Iterable[str], text: str) -> tuple[str, ...]:
    """The triggers that a text says: those that are its own, where a file has many sections."""
    low = text.casefold()
    return tuple(word for word in triggers if _spoken(word) in low or word.casefold() in low)


def _spoken(trigger: str) -> str:
    return trigger.casefold().replace("-", " ")


_TURN = Pattern(r"^### (?=.+\[\d\d:\d\d(?::\d\d)?\])", re.M)


def turns_of(body: str) -> list[str]:
    """The turns of a raw conversation; a text without turns is one."""
    parts = [part.strip().strip("-").strip() for part in _TURN.split(body)]
    return [part for part in parts[1:] if part] or ([body.strip()] if body.strip() else [])


def _parts_of(turn: str) -> list[str]:
    """A turn in pieces of about as many words each: a long answer is about many things."""
    head, _, said = turn.partition("\n")
    if len(said) <= LONGEST_PART:
        return [turn]
    parts: list[str] = []
    for line in said.splitlines():
        if parts and len(parts[-1]) + len(line) < LONGEST_PART:
            parts[-1] += f"\n{line}"
        else:
            parts += _pieces(line)
    return [f"{head}\n{part}" for part in parts if part.strip()]


def _pieces(line: str) -> list[str]:
    pieces: list[str] = []
    while len(line) > LONGEST_PART:
        at = line.rfind(" ", LONGEST_PART // 2, LONGEST_PART) + 1 or LONGEST_PART
        pieces.append(line[:at])
        line = line[at:]
    return [*pieces, line]


# A turn of anybody but the person: of an agent, a program, somebody else.
_OF_ANOTHER = Pattern(r"(?!(?:user|human|用户)\s*\[)[^\n\[]*\[\d\d:\d\d(?::\d\d)?\]", re.I)


def _turn(anchor: str, text: str, memory: Memory) -> Shelved:
    source, trust = memory.source, memory.trust
    if _OF_ANOTHER.match(text):
        source, trust = "inferred", lowest_trust(trust, "agent")
    return Shelved(
        "raw",
        anchor,
        "",
        text,
        "conversation",
        source,
        trust,
        (),
        count_tokens(text),
        memory.confidence,
    )


# -------------------- Reviewing: what a memory says of its trust, raised by a person, or taken back with its origin.


_COMMENT_REVIEWING = Pattern(r"<!--[^<>]*-->")
_TRUST = Pattern(r"\btrust:[ \t]*(external|tool|agent)\b")
_SESSION = Pattern(r"\bsession:[ \t]*([^;<>\s]+)")
_PLAIN_NAME = {ord(";"): ",", ord("<"): "‹", ord(">"): "›", ord(" "): "-"}
_FROM = Pattern(r"<!-- from: ([^;<>]*);[^<>]*-->")


def signed(text: str, trust: str, source: str = "", session: str = "") -> str:
    """A section's text with a comment that says whose it is; a person's needs none.

    The file around it stays the person's. A text that says of itself that it is no more trusted
    than that stays as it is.
    """
    told = [found[1] for one in _COMMENT_REVIEWING.findall(text) if (found := _TRUST.search(one))]
    if trust == "user" or (told and lowest_trust(*told, trust) == lowest_trust(*told)):
        return text
    whose = f"source: {source or 'inferred'}; trust: {trust}"
    name = " ".join(session.split())[:80].translate(_PLAIN_NAME)
    return f"{text.rstrip()}\n\n<!-- {whose}{f'; session: {name}' if name else ''} -->"


class Doubtful(NamedTuple):
    """A section that says of itself that it is less trusted than its file."""

    anchor: str
    heading: str
    trust: str
    session: str
    text: str


def doubtful(body: str) -> Iterator[Doubtful]:
    """The sections of a body that are trusted less than a person."""
    for section in codec.sections_of(body):
        comments = _COMMENT_REVIEWING.findall(section.text) if "<!--" in section.text else []
        trusts = [found[1] for one in comments if (found := _TRUST.search(one))]
        if section.anchor and trusts:
            sessions = [found[1] for one in comments if (found := _SESSION.search(one))]
            yield Doubtful(
                section.anchor,
                section.heading,
                lowest_trust(*trusts),
                sessions[0] if sessions else "",
                without_comments(section.text),
            )


def approved(text: str, anchor: str) -> str:
    """The text of a memory with a section, or without an anchor all of it, trusted like a person."""
    if not anchor and frontmatter.split_front(text).lines:
        text = codec.with_field(text, "trust", "user")
    body = frontmatter.split_front(text).body
    parts, sections = parts_of(body), codec.sections_of(body)
    new = "".join(
        _raised(part.text) if anchor in ("", section.anchor) else part.text
        for part, section in zip(parts, sections, strict=True)
    )
    return text if new == body else codec.with_body(text, new)


def _raised(text: str) -> str:
    return _COMMENT_REVIEWING.sub(lambda comment: _TRUST.sub("trust: user", comment[0]), text)


def origins_of(body: str) -> set[str]:
    """The sessions and episodes that a body says something comes from."""
    comments = _COMMENT_REVIEWING.findall(body) if "<!--" in body else []
    found = {match[1] for one in comments for match in _SESSION.finditer(one)}
    return found | {match[1].strip() for one in comments for match in _FROM.finditer(one)}


def taken_back(body: str, origins: Collection[str]) -> str:
    """The body without the sections and lines that come from these sessions and episodes."""
    parts = parts_of(body)
    return "".join(filter(None, (_left_of(part, origins) for part in parts)))


def _left_of(part: Part, origins: Collection[str]) -> str:
    if "<!--" not in part.text:
        return part.text
    for comment in _COMMENT_REVIEWING.findall(part.text):
        said = _SESSION.search(comment)
        if part.heading and said and said[1] in origins:
            return ""
    lines = part.text.splitlines(keepends=True)
    kept = [line for line in lines if not _is_from(line, origins)]
    if len(kept) == len(lines):
        return part.text
    # A heading can be the claim itself: it does not stay alone, nor with what it once replaced.
    rest = without_comments("".join(kept[1:] if part.heading else kept))
    return "".join(kept) if rest or not part.heading else ""


def _is_from(line: str, origins: Collection[str]) -> bool:
    return any(match[1].strip() in origins for match in _FROM.finditer(line))


def says_nothing(body: str) -> bool:
    """Whether nothing but a title is left of a body."""
    lines = (line.strip() for line in without_comments(body).splitlines())
    return not any(line and not line.startswith("# ") for line in lines)
