"""Lifecycle: what titles state, of files and of sections, and what becomes of them.

Promises: what stands below a title that says the same is no second statement; where a title goes with
its reasons, or follows a line that was taken out, no other statement is changed by that; two
sections do not get the same title by it.
Touches: nothing.

A title is a statement where nothing else is said (`save "Use npm"`), and where what is below can only be
its reason: in decisions and patterns, and below a rule. Elsewhere it names a subject; an issue's
names what is wrong, which is settled by `resolve`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from recollect.domain import codec
from recollect.domain.claims import Statement, is_behavioural, is_claim, near_key, statements_of
from recollect.domain.claims.blocks import MARK
from recollect.domain.codec.sections import Part, parts_of
from recollect.domain.entries import is_solution, without_comments
from recollect.domain.lifecycle.actions import (
    AND,
    FACTS,
    LABELS,
    MISCELLANEOUS,
    NOTED,
    TITLES,
    Mark,
    Replace,
    past_comment,
)
from recollect.domain.model import Memory
from recollect.domain.notice import shortened
from recollect.domain.redact import strip_private
from recollect.domain.text import is_cjk
from recollect.named import NamedTuple

FILE, SECTION = "file", "section"  # of which a claim is the title
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
REASONED = ("decision", "pattern")  # the kinds of memories in which the rest is the reason
LONGEST_TITLE = 60
AGAIN = " +"  # behind the title of a section whose first choice is taken


_OURS = {
    *(name for row in NOTED.values() for name in row),
    *MISCELLANEOUS.values(),
    *TITLES.values(),
}
_OUR_FACTS = re.compile(
    "|".join(re.escape(form).replace(r"\{tags\}", ".+") for form in FACTS.values())
)


class Title(NamedTuple):
    """A title that states something; `below` is how many statements go with that of a section.

    `has_reasons` says that something of a person's stands below it, be it a statement or not.
    """

    text: str
    what: str
    anchor: str = ""
    n: int = -1
    below: int = 0
    has_reasons: bool = False


def titles_of(memory: Memory, body: str, said: Sequence[Statement]) -> Iterator[Title]:
    """The titles of a file that are statements; `said` is what its body states."""
    sections = codec.sections_of(body)
    whole = _title_of_file(memory, body, said)
    if whole:
        yield whole
    rows: dict[str, list[tuple[int, Statement]]] = {}
    for n, one in enumerate(said):
        rows.setdefault(one.anchor, []).append((n, one))
    for section in sections[1:]:
        below = rows.get(section.anchor, [])
        is_rule = memory.layer == "procedural" and below and is_behavioural(section.heading)
        if not (is_rule or not without_comments(section.text)) or _is_name(section.heading):
            continue
        if is_claim(section.heading) and not _is_said(section.heading, (one for _, one in below)):
            first = below[0][0] if below else -1
            count = len(below)
            yield Title(section.heading, SECTION, section.anchor, first, count, count > 0)


def _title_of_file(memory: Memory, body: str, said: Sequence[Statement]) -> Title | None:
    title = strip_private(memory.title)
    if memory.kind == "issue" or memory.status == "resolved" or _is_name(title):
        return None
    is_more = _says_more(body)
    if is_more and memory.kind not in REASONED:
        return None
    if not is_claim(title) or _is_said(title, said):
        return None
    return Title(title, FILE, has_reasons=is_more)


def _says_more(body: str) -> bool:
    """Whether a body has anything of a person besides titles."""
    lines = "\n".join(line for line in body.splitlines() if MARK not in line)
    return any(
        line.strip() and not _HEADING.match(line) for line in without_comments(lines).splitlines()
    )


def _is_said(title: str, said: Iterable[Statement]) -> bool:
    return any(says(title, one.text) for one in said)


def _is_name(title: str) -> bool:
    """Whether a title names a subject: one of our own, or that of a solution."""
    bare = _bare(title).removesuffix(label_of(title))
    return bare in _OURS or bool(_OUR_FACTS.fullmatch(bare)) or is_solution(title)


def title_for(text: str, label: str = "") -> str:
    """The `##` title under which a rule stands; the label says whose it is, if not the person's."""
    plain = " ".join(re.sub(r"[`*_#<>]+", " ", text).split())
    return (shortened(plain, LONGEST_TITLE).strip(" .。!！:：") or "…") + label


def label_of(title: str) -> str:
    """What stands behind a title to say whose section it is; nothing for the person's."""
    bare = _bare(title)
    return next((label for label in LABELS if label and bare.endswith(label)), "")


def says(title: str, text: str) -> bool:
    """Whether a title says this statement, or as much of it as titles have room for."""
    said = _bare(title).removesuffix(label_of(title))
    return near_key(title_for(said)) == near_key(title_for(text))


def _bare(title: str) -> str:
    while title.endswith(AGAIN):
        title = title.removesuffix(AGAIN)
    return title


def retitled(body: str, made: str, old: str) -> str:
    """`made`, which is `body` without `old`, without a title that goes on saying it.

    Such a section is named by the first thing that it says now; if that is nothing, the title goes.
    """
    before, parts = parts_of(body), parts_of(made)
    taken = {part.heading.casefold() for part in parts[1:]}
    for n, (was, part) in enumerate(zip(before, parts, strict=False)):
        if n and was.text != part.text and says(part.heading, old):
            parts[n] = _renamed(part, old, taken)
    whole = "".join(part.text for part in parts)
    return whole if _texts(whole) == _texts(made) else made


def can_turn(body: str, title: str) -> bool:
    """Whether the section of this title can be taken out, with its reasons, and nothing else."""
    return turned(body, Replace("", title, "", Mark("", "", "user"))) is not None


def turned(body: str, action: Replace) -> str | None:
    """`body` with a section that is its title turned into another one, or taken out.

    Its reasons go with it into the comment that keeps it.
    """
    parts = parts_of(body)
    for n, part in enumerate(parts):
        below = statements_of(part.text) if n and part.heading == action.old else None
        if below is None or _is_said(action.old, below):
            continue
        taken = {other.heading.casefold() for other in parts[1:] if other is not part}
        made = [*parts[:n], _turned(part, action, taken), *parts[n + 1 :]]
        whole = "".join(one.text for one in made)
        wanted = _texts(body)
        wanted.subtract(one.text for one in below)
        wanted.update([action.new] if action.new else [])
        return whole if _texts(whole) == +wanted else None
    return None


def _turned(part: Part, action: Replace, taken: set[str]) -> Part:
    eol = "\r\n" if "\r\n" in part.text else "\n"
    rest, past = part.text.partition("\n")[2].strip(), action.past
    if without_comments(rest):
        past = past_comment(action.mark.date, f"{action.old}: {' '.join(rest.split())}")
        rest = ""
    heading = _free_title(title_for(action.new, label_of(action.old)), taken) if action.new else ""
    item = f"- {action.new} {action.mark.comment}{eol}{f'  {past}{eol}' if past else ''}"
    rows = [f"## {heading}{eol}", item] if action.new else [f"{past}{eol}"] if past else []
    rows += [f"{rest}{eol}"] if rest else []
    return Part(heading, "".join(f"{row}{eol}" for row in rows))


def facts_title(tags: Sequence[str], lang: str) -> str:
    """What a file of facts is called: what it is about, as one says it."""
    names = [name for tag in tags if (name := " ".join(tag.split()))]
    if not names:
        return MISCELLANEOUS[lang]
    comma, last = AND[lang]
    about = last.join(filter(None, (comma.join(names[:-1]), names[-1])))
    edge = " " if lang == "zh" and not is_cjk(about[0]) else ""
    after = " " if lang == "zh" and not is_cjk(about[-1]) else ""
    return FACTS[lang].replace("{tags}", f"{edge}{about}{after}")


def followed(text: str, actions: Iterable[Replace]) -> str:
    """The text of a file under a title that says nothing that these actions took out of it."""
    for action in actions:
        memory = codec.memory_from_text(text, "semantic/x.md")
        is_title = action.title == FILE
        if not (is_title or (not action.title and says(memory.title, action.old))):
            continue
        if not is_title and _is_said(action.old, statements_of(memory.body)):
            continue
        lang = "zh" if any(map(is_cjk, action.old)) else "en"
        title = title_for(action.new) if action.new else facts_title(memory.tags, lang)
        text = codec.with_title(text, title)
        if is_title:
            text = codec.with_field(text, "kind", "fact") if memory.kind in REASONED else text
            text = codec.with_body(text, _noted(codec.split_front(text).body, action.past))
    return text


def _noted(body: str, past: str) -> str:
    """`body` with a comment below its title."""
    if not past:
        return body
    eol = "\r\n" if "\r\n" in body else "\n"
    first, newline, rest = body.partition("\n")
    if not first.startswith("# "):
        return f"{past}{eol}{eol}{body}"
    return f"{first}{newline or eol}{eol}{past}{eol}{rest if rest.strip() else ''}"


def _renamed(part: Part, old: str, taken: set[str]) -> Part:
    line, newline, rest = part.text.partition("\n")
    left = [said.text for said in statements_of(rest)]
    if not left:
        return Part("", rest.lstrip("\r\n"))
    if near_key(old) in map(near_key, left):
        return part
    title = _free_title(title_for(left[0], label_of(part.heading)), taken)
    return Part(title, f"## {title}{line[len(line.rstrip()) :]}{newline}{rest}")


def _free_title(title: str, taken: set[str]) -> str:
    while title.casefold() in taken:
        title += AGAIN
    return title


def _texts(body: str) -> Counter[str]:
    return Counter(said.text for said in statements_of(body))
