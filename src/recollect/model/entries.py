"""What index and views need to know of a memory and its sections.

A section never has more trust than its memory, unless it lists only the person's statements.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import repeat

from recollect._fastimport import NamedTuple, Pattern
from recollect.model import document as codec
from recollect.model import frontmatter
from recollect.model.document import BodyPart, parts_of, sections_of
from recollect.model.facts import section_kind
from recollect.model.filing_marks import without_marked
from recollect.model.footnotes import Mark, id_letters, label_of, tail_of
from recollect.model.layers import is_about_rules
from recollect.model.list_items import (
    COMMENT,
    Listed,
    Origin,
    id_in,
    is_mark,
    is_saved_alone,
    is_shared,
    items_in,
    kind_in,
    matched_triggers,
    origin_of_section,
    shortest,
    with_comments,
    without_triggers,
)
from recollect.model.memory import (
    CORE,
    ENDED,
    REFERENCED,
    SESSION_KINDS,
    TRUSTS,
    Entry,
    IndexUnit,
    Memory,
    Section,
    is_sealed_path,
    lowest_trust,
)
from recollect.model.page_form import LIST_HEADINGS, RULE_OF, in_memory, title_for, unlabelled
from recollect.text.redact import strip_private
from recollect.text.sentences import cut_off, has_han, without_unmerged
from recollect.text.tokens import count_tokens

LARGEST_INDEXED = 1024 * 1024
LONGEST_SUMMARY = 160
RECENT_START, RECENT_END = "<!-- RECENT_START -->", "<!-- RECENT_END -->"
_TO_DO = Pattern(r"^[ \t]*[-*+] \[ \] ", re.M)
LONGEST_PART = 800  # characters, some 120 words
_SOLUTION = Pattern(r"^(?:Solution|解决方案)\s*[:：]", re.I)
_ITEM_MARK = Pattern(r"(?:[-*+>]|\d+[.)、])\s+(?:\[[ xX]\]\s+)?")
_MARKS = Pattern(r"`{1,3}|\*\*|(?<!\S)\*(?=\w)|(?<=\w)\*(?!\S)|<!--.*?-->")


def without_comments(text: str) -> str:
    """`text` as it is read: HTML comments are for bookkeeping."""
    return COMMENT.sub("", text).strip() if "<!--" in text else text.strip()


def beside_title(text: str, title: str) -> str:
    """What a text says besides its `# title`."""
    first, _, rest = text.strip().partition("\n")
    return rest.strip() if _is_title(first, title) else text.strip()


def is_conversation(path: str) -> bool:
    """Whether this file is the raw conversation (level 3) beside a memory."""
    return path.endswith("/conversation.md")


_SHARED = [name for name in Entry._fields if name in Memory._fields]


def with_state(memory: Memory) -> Memory:
    """A session that is `open` by its front matter, as is each by default: that it has ended, if nothing is left.

    Open are to-dos, and issues that are told here and not on a page of their own.
    """
    if memory.status != "open" or memory.kind not in SESSION_KINDS:
        return memory
    body = without_filed(memory, strip_private(memory.body[:LARGEST_INDEXED]))
    if _TO_DO.search(body) or any(map(_has_open_issue, sections_of(body), repeat(memory))):
        return memory
    return memory._replace(status=ENDED)


def _has_open_issue(section: Section, memory: Memory) -> bool:
    if section_kind(section.heading) != "issue":
        return False
    return any(one.status == "open" for one in items_in(section, memory)[0])


def entry_of(memory: Memory, stamp: str) -> Entry:
    """A memory without its text, as lists show it."""
    memory = with_state(memory)
    shared = {name: getattr(memory, name) for name in _SHARED}
    tokens, summary = count_tokens(memory.body), summary_of(memory)
    return Entry(**shared, tokens=tokens, summary=summary, stamp=stamp)


# How a session's memory begins the lines of its summary, in either language, and what each line is.
OF_A_MODEL = " <!-- source: inferred -->"  # behind an outcome that a model wrote
# Behind what stands of a session from before its agent read other people's pages.
FIRST_HAND = " <!-- before any page was read -->"
SUMMARY_LABELS = {
    "Asked": "asked", "请求": "asked",
    "Asked by a program": "program", "程序请求": "program",
    "Plan": "plan", "计划": "plan",
    "Pull request": "made", "合并请求": "made",
    "Issue": "made", "议题": "made",
    "Commits": "commits", "提交": "commits",
    "Outcome": "answer", "结果": "answer",
    "Wrote": "wrote", "写了": "wrote",
}  # fmt: skip

# What says on a session's page that a line is the person's: only what captures sessions may write it.
_VOUCHED = Pattern(
    r"^([ \t]*(?:[-*+•][ \t]+|\d{1,9}[.)、][ \t]*)?[*_]{0,2}(?:source|来源)[*_]{0,2}[ \t]*(?=[:：][\W_]{0,99}(?:instructed|明示))"
    r"|- (?:Asked(?: by a program)?|(?:程序)?请求)(?=: |：))[:：]",
    re.I | re.M,
)


def unvouched(text: str) -> str:
    """What somebody less trusted than the person writes, without the marks that vouch for a line."""
    while (mark := FIRST_HAND.strip()) in text:
        text = text.replace(mark, "")
    made = _VOUCHED.sub(r"\1 =", text)
    plain = without_comments(made)  # which may stand in the middle of such a mark
    return _VOUCHED.sub(r"\1 =", plain) if _VOUCHED.search(plain) else made


def summary_of(memory: Memory) -> str:
    """The first meaningful line of a memory's body, on one line."""
    title = memory.title.casefold()
    is_about = False  # time and keywords of a conversation, which are its fields
    for line in without_unmerged(strip_private(memory.body[:8000])).splitlines():
        if line.startswith("## "):
            is_about = line[3:].strip() in _ABOUT
        text = "" if is_about else _without_marks(line.strip())
        if not text or text.startswith(("#", "```", "|", "---")):
            continue
        said = text.casefold()
        # A session's page repeats its title.
        if said.endswith(title) and said.removesuffix(title) in _BEFORE_TITLE:
            continue
        return cut_off(text, LONGEST_SUMMARY)
    return ""


_ABOUT = ("Metadata", "元信息", "元数据")
_BEFORE_TITLE = {
    "",
    *(f"{name.casefold()}{end}" for name in SUMMARY_LABELS for end in (": ", "：")),
}


def _without_marks(line: str) -> str:
    item = _ITEM_MARK.match(line)
    text = line[item.end() :] if item else line
    is_marked = "`" in text or "*" in text or "<!--" in text
    return _MARKS.sub("", text).strip() if is_marked else text


def index_units(memory: Memory) -> list[IndexUnit]:
    """The entries of a memory as the index files them, and the parts of what is one entry as a whole."""
    if is_sealed_path(memory.path) and not memory.body:
        return []  # closed: there is nothing by which it could be found
    memory = with_state(memory)
    body = without_filed(memory, strip_private(memory.body[:LARGEST_INDEXED]))
    body = without_recent(body) if memory.path.startswith(f"{CORE}/") else body
    if is_conversation(memory.path):
        return [
            _turn(f"turn-{n}" if part == 1 else f"turn-{n}.{part}", text, memory)
            for n, turn in enumerate(turns_of(body), 1)
            for part, text in enumerate(_parts_of(turn), 1)
        ]
    every = sections_of(body)
    sections = [s for s in every if s.text.strip() or s.heading not in LIST_HEADINGS]
    heads = [s for s in sections if s.anchor or _says_something(s, memory)]
    ids = _heading_ids(body, every)
    rows: list[IndexUnit] = []
    undated = memory._replace(created="", session="")
    # The title of a page of rules, or of one whose list was emptied, is no statement.
    titled = [] if is_shared(memory) or len(sections) < len(every) else sections[:1]
    for section in heads or titled:
        origin = origin_of_section(section.text, memory)
        items, rest = items_in(section, memory)
        left = section._replace(text=rest)
        if not items or (rest and (section.anchor or _says_something(left, memory))):
            own = origin_of_section(section.text, undated) if len(heads) > 1 else origin
            rows.append(_section(left, memory, (origin, own), heads, ids.get(section.anchor, "")))
        rows += [_item(one, section, memory, origin) for one in items]
    if heads and heads[0].anchor and _states_by_title(memory, rows):
        origin = origin_of_section("", memory)
        rows.insert(0, _section(sections[0], memory, (origin, origin), heads, ""))
    return _distinct_ids(rows)


def without_recent(body: str) -> str:
    """A body without the list of sessions that we write there: each of them has a memory."""
    start, end = body.find(RECENT_START), body.find(RECENT_END)
    return body[:start] + body[end + len(RECENT_END) :] if 0 <= start < end else body


def _states_by_title(memory: Memory, rows: Sequence[IndexUnit]) -> bool:
    """Whether a title is a statement beside these sections, which were added to it."""
    if any(not row.entry or row.heading in LIST_HEADINGS for row in rows):
        return False  # sections without ids are parts of what the title says
    is_about = memory.kind in (*SESSION_KINDS, "solution", "pointer") or is_about_rules(memory)
    is_page = is_about or is_shared(memory) or memory.path.startswith(f"{CORE}/")
    return not is_page and is_saved_alone(memory)


def without_filed(memory: Memory, body: str) -> str:
    """The body of a memory without what is told elsewhere, or undecided since a merge in git.

    Of a session's these are the statements that are filed on a page, or wait.
    """
    body = body if is_conversation(memory.path) else without_unmerged(body)
    return without_marked(body) if memory.kind in ("session", "conversation") else body


def _heading_ids(body: str, sections: Sequence[Section]) -> dict[str, str]:
    """The ids that stand behind headings, by anchor."""
    if "^" not in body:
        return {}
    return {
        section.anchor: (found[1] or found[3])[1:]
        for part, section in zip(parts_of(body), sections, strict=True)
        if (found := tail_of(part.text.partition("\n")[0].rstrip()))
        if section.anchor and (found[1] or found[3])
    }


def entries_of(memory: Memory) -> list[IndexUnit]:
    """The entries of a page: items of lists, `##` sections, or the page as a whole, in order.

    A page that says more than its own entries is one, too; its trust is the lowest of its parts.
    """
    rows = index_units(memory)
    rest = [row for row in rows if not row.entry and row.shelf != "raw"]
    own = [row for row in rows if row.entry]
    if not rest and (not own or memory.kind not in SESSION_KINDS):
        return own
    least = min(rest or own[:1], key=lambda row: TRUSTS.index(row.trust))
    texts = (f"## {row.heading}\n\n{row.text}" if row.heading else row.text for row in rest)
    said = "\n\n".join(texts)
    whole = least._replace(
        anchor="",
        heading="",
        text=said,
        kind=memory.kind,
        tokens=count_tokens(said),
        entry=id_letters(memory.id),
        created=memory.created,
        session=memory.session,
        status=with_state(memory).status,
        within="",
    )
    return [whole, *own]


def rows_at(memory: Memory, anchor: str) -> list[IndexUnit]:
    """What the index files of a section, or of the item `^id`; the id may be cut short."""
    rows = index_units(memory)
    if anchor.startswith("^"):
        found = [row for row in rows if row.entry.startswith(anchor[1:]) and row.anchor[:1] == "^"]
        exact = [row for row in found if row.entry == anchor[1:]]
        return exact or (found if len(found) == 1 and len(anchor) > 1 else [])
    return [row for row in rows if anchor in (row.anchor, row.within)]


def _distinct_ids(rows: list[IndexUnit]) -> list[IndexUnit]:
    """The rows with distinct ids, also for entries of a page that say the same, and anchors of items."""
    own = [row.entry for row in rows if row.entry]
    if not own:
        return rows
    if len(set(own)) < len(own):
        times: dict[str, int] = {}
        for n, row in enumerate(rows):
            seen = times[row.entry] = times.get(row.entry, 0) + 1
            if row.entry and seen > 1:
                rows[n] = row._replace(entry=id_letters(row.entry, seen))
    short = shortest(row.entry for row in rows if row.entry)
    return [
        row._replace(anchor=f"^{short[row.entry]}") if row.anchor == _ITEM_ANCHOR else row
        for row in rows
    ]


def _says_something(head: Section, memory: Memory) -> bool:
    lines = [line for line in map(str.strip, without_comments(head.text).splitlines()) if line]
    is_said = any(not _is_title(line, memory.title) for line in lines)
    return is_said or not (lines or memory.body.strip())


def _is_title(line: str, title: str) -> bool:
    return line.startswith("# ") and " ".join(line[2:].split()).casefold() == title.casefold()


def _section(
    section: Section,
    memory: Memory,
    origins: tuple[Origin, Origin],
    heads: Sequence[Section],
    name: str,
) -> IndexUnit:
    origin, own = origins  # with what the page says, and without
    kind, listed = memory.kind, section_kind(section.heading)
    if is_solution(section.heading):
        kind = "solution"
    elif listed and memory.kind in SESSION_KINDS:
        kind = listed
    is_own = bool(name) or _is_own(section, memory, heads, origin.trust)
    text = without_comments(section.text)
    if not section.heading:
        text = beside_title(text, memory.title) or text  # which every list shows beside it
    if is_own:  # when one of several was said is known only where it says so
        origin = origin._replace(created=own.created, session=own.session)
    origin = with_comments(origin, filter(is_mark, COMMENT.findall(section.text)))
    if not is_own:
        origin = origin._replace(created=memory.created, session=memory.session)
    triggers = memory.trigger
    if len(heads) > 1 or is_shared(memory):
        triggers = matched_triggers(triggers, f"{section.heading}\n{text}")
        text = without_triggers(text, triggers)
    heading = unlabelled(section.heading)
    if is_own and heading != section.heading:  # what it says has the id, and is whole
        name = name or id_in(COMMENT.findall(section.text))
    return IndexUnit(
        "cold" if memory.archived else "hot",
        section.anchor,
        heading,
        text,
        kind,
        origin.source,
        origin.trust,
        triggers,
        count_tokens(text),
        origin.confidence,
        name or (id_letters(heading) if is_own else ""),
        origin.created,
        origin.session,
        memory.status,
        section.anchor,
    )


def _is_own(section: Section, memory: Memory, heads: Sequence[Section], trust: str) -> bool:
    """Whether a section is an entry by itself: a rule, a solution, a pointer."""
    if not section.anchor or memory.kind in SESSION_KINDS:
        return False
    if is_solution(section.heading) or is_shared(memory) or trust != memory.trust:
        return True  # somebody else's words on a person's page are their own
    return memory.kind in ("rule", "solution", "pointer") and bool(heads[0].anchor)


_ITEM_ANCHOR = "^"  # until the ids of the page are known


def _item(one: Listed, section: Section, memory: Memory, origin: Origin) -> IndexUnit:
    is_said = one.source == "instructed" and memory.source != REFERENCED
    if is_said:
        origin = origin._replace(source="instructed", trust="user")
    elif one.source == "inferred":
        least = lowest_trust(origin.trust, "agent")
        origin = origin._replace(source="inferred", trust=least)
    elif not one.kind:  # a line without a mark is the person's, as old as the file's last change
        origin = origin._replace(created=memory.updated or memory.created, session="")
    if one.said:
        origin = origin._replace(created=one.said)
    origin = with_comments(origin, one.comments)
    kept = memory.status if memory.status in ("superseded", "provisional") else "confirmed"
    return IndexUnit(
        "cold" if memory.archived else "hot",
        _ITEM_ANCHOR,
        section.heading,
        one.text,
        one.kind or kind_in(one.comments) or memory.kind,
        origin.source,
        origin.trust,
        matched_triggers(memory.trigger, one.text),
        count_tokens(one.text),
        origin.confidence,
        id_in(one.comments) or id_letters(one.content),
        origin.created,
        origin.session,
        one.status or kept,
        section.anchor,
    )


def is_solution(heading: str) -> bool:
    """Whether the section under this title is something learned from a failure."""
    return bool(_SOLUTION.match(heading))


def solution_title(what: str) -> str:
    """The `##` title under which a solution stands in procedural/feedback.md."""
    return f"Solution: {what}"


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


def _turn(anchor: str, text: str, memory: Memory) -> IndexUnit:
    source, trust = memory.source, memory.trust
    if _OF_ANOTHER.match(text):
        source, trust = "inferred", lowest_trust(trust, "agent")
    said = "", text, "conversation", source, trust, (), count_tokens(text), memory.confidence
    return IndexUnit("raw", anchor, *said, "", memory.created, memory.session, memory.status)


# -------------------- What a memory says of its trust, raised by a person, or taken back with its origin.


_LINE_COMMENT = Pattern(r"<!--[^<>]*-->")
_TRUST = Pattern(r"\btrust:[ \t]*(external|tool|agent)\b")
_SESSION = Pattern(r"\bsession:[ \t]*([^;<>\s]+)")
_PLAIN_NAME = {ord(";"): ",", ord("<"): "‹", ord(">"): "›", ord(" "): "-"}
_FROM = Pattern(r"<!-- from: ([^;<>]*);[^<>]*-->")


def signed(text: str, trust: str, source: str = "", session: str = "", date: str = "") -> str:
    """A section's text with a comment that says whose it is; a person's needs none.

    The file around it stays the person's. A text that says of itself that it is no more trusted
    than that stays as it is.
    """
    told = [found[1] for one in _LINE_COMMENT.findall(text) if (found := _TRUST.search(one))]
    if trust == "user" or (told and lowest_trust(*told, trust) == lowest_trust(*told)):
        return text
    whose = f"source: {source or 'inferred'}; trust: {trust}"
    name = plain_name(session)
    when = f"{f'; session: {name}' if name else ''}{f'; date: {date}' if date else ''}"
    return f"{text.rstrip()}\n\n<!-- {whose}{when} -->"


def plain_name(session: str) -> str:
    """The name of a session as a comment takes it."""
    return " ".join(session.split())[:80].translate(_PLAIN_NAME)


def dated(title: str, text: str, source: str, time: str) -> tuple[str, str]:
    """The heading and text of a section that a person saved, with a comment that says when."""
    if "<!--" in text:  # says itself where it comes from
        return title, text
    date = f"{time[:17]}00Z"  # what is saved within a minute shares a footnote
    if text == title:
        return heading_alone(text, Mark("", date, "user", source))
    return title, f"{text}\n\n<!-- source: {source}; trust: user; date: {date} -->"


def heading_alone(text: str, mark: Mark) -> tuple[str, str]:
    """The heading and text of a section that says no more than its title.

    It is an item, as `page_form` has a rule in memory: on disk the heading alone is left.
    """
    label = RULE_OF[mark.trust][has_han(text)]
    return title_for(text, label), f"- {text} {mark.comment}"


class LessTrustedSection(NamedTuple):
    """A section that says of itself that it is less trusted than its file."""

    anchor: str
    heading: str
    trust: str
    session: str
    text: str


def doubtful(body: str) -> Iterator[LessTrustedSection]:
    """The sections of a body that are trusted less than a person."""
    body = in_memory(body)
    for section in codec.sections_of(body):
        comments = _LINE_COMMENT.findall(section.text) if "<!--" in section.text else []
        trusts = [found[1] for one in comments if (found := _TRUST.search(one))]
        if section.anchor and trusts:
            sessions = [found[1] for one in comments if (found := _SESSION.search(one))]
            yield LessTrustedSection(
                section.anchor,
                section.heading,
                lowest_trust(*trusts),
                sessions[0] if sessions else "",
                without_comments(section.text),
            )


def approved(text: str, anchor: str) -> str:
    """The text of a memory with a section, or without an anchor all of it, trusted like a person."""
    if not anchor and frontmatter.split_front(text).value("trust") is not None:
        text = codec.with_field(text, "trust", "user")
    body = codec.body_of(text)
    parts, sections = parts_of(body), codec.sections_of(body)
    new = "".join(
        raised(part.text) if anchor in ("", section.anchor) else part.text
        for part, section in zip(parts, sections, strict=True)
    )
    return text if new == body else codec.with_body(text, new)


def raised(text: str) -> str:
    """A text whose comments say that a person trusts it."""
    return _LINE_COMMENT.sub(lambda comment: _TRUST.sub("trust: user", comment[0]), text)


def origins_of(body: str) -> set[str]:
    """The sessions and episodes that a body says something comes from, by their labels."""
    body = in_memory(body)
    comments = _LINE_COMMENT.findall(body) if "<!--" in body else []
    found = {match[1] for one in comments for match in _SESSION.finditer(one)}
    found |= {match[1].strip() for one in comments for match in _FROM.finditer(one)}
    return {label_of(one) for one in found}


def taken_back(body: str, origins: Collection[str]) -> str:
    """The body without the sections and lines that come from these sessions and episodes."""
    labels = {label_of(one) for one in origins}
    parts = parts_of(in_memory(body))
    return "".join(filter(None, (_left_of(part, labels) for part in parts)))


def _left_of(part: BodyPart, labels: Collection[str]) -> str:
    if "<!--" not in part.text:
        return part.text
    for comment in _LINE_COMMENT.findall(part.text):
        said = _SESSION.search(comment)
        if part.heading and said and label_of(said[1]) in labels:
            return ""
    lines = part.text.splitlines(keepends=True)
    kept = [
        line
        for line in lines
        if not any(label_of(found[1].strip()) in labels for found in _FROM.finditer(line))
    ]
    if len(kept) == len(lines):
        return part.text
    # A heading can be the claim itself: it does not stay alone, nor with what it once replaced.
    rest = without_comments("".join(kept[1:] if part.heading else kept))
    return "".join(kept) if rest or not part.heading else ""


def is_emptied(memory: Memory, body: str) -> bool:
    """Whether a page says nothing with this body: not where its title is a statement itself."""
    is_page = memory.layer not in (CORE, "episodic")
    return is_page and says_nothing(body) and not is_saved_alone(memory)


def says_nothing(body: str) -> bool:
    """Whether a body has nothing but a title."""
    lines = (line.strip() for line in without_comments(body).splitlines())
    return not any(line and not line.startswith("# ") for line in lines)
