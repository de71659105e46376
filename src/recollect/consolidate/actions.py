"""The actions of a consolidation plan, and what becomes of titles that state something."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from recollect._fastimport import NamedTuple, digest
from recollect.consolidate.claims import (
    HEADING,
    Claim,
    PlacedStatement,
    is_behavioural,
    is_claim,
    statements_of,
)
from recollect.model import document
from recollect.model.claim_key import near_key, reversed_comment
from recollect.model.document import BodyPart, parts_of
from recollect.model.entries import is_solution, without_comments
from recollect.model.footnotes import MARK, Mark
from recollect.model.layers import SHARED, SHARED_TITLES, is_subject, subject_of
from recollect.model.memory import Memory
from recollect.model.page_form import LIST_HEADINGS, RULE_OF, title_for
from recollect.text.redact import strip_private
from recollect.text.tokens import is_cjk

FEEDBACK = SHARED["rule"]
LABELS = tuple(dict.fromkeys(label for row in RULE_OF.values() for label in row))


class CreateFile(NamedTuple):
    """A new file, without claims yet."""

    path: str
    id: str
    title: str
    layer: str
    kind: str
    tags: tuple[str, ...]
    mark: Mark


class AddClaim(NamedTuple):
    """A claim of an episode goes into a section of a file."""

    path: str
    heading: str
    claim: Claim
    mark: Mark


class RefreshDate(NamedTuple):
    """A known claim was stated again: its mark gets the new date."""

    path: str
    text: str
    mark: Mark


class Replace(NamedTuple):
    """A claim gives way to a newer one, or, where `new` is empty, to one that stands elsewhere.

    `past` is the comment that keeps the old wording of a rule; empty for what was no rule. `title`
    is `FILE` or `SECTION` where the old claim is the title of one (see `Title`).
    """

    path: str
    old: str
    new: str
    mark: Mark
    past: str = ""
    title: str = ""


class NoteOldRule(NamedTuple):
    """A rule has an older opposite: the comment that keeps it goes below the rule."""

    path: str
    text: str
    past: str


class MarkFiled(NamedTuple):
    """A statement of a session was filed, settled, or waits: its memory says so (see `model.filed`).

    `path` is the session's; `page` is where the statement or what it gave way to stands, if anywhere.
    """

    path: str
    text: str
    stage: str
    page: str = ""


class Retire(NamedTuple):
    """The one claim of a file no longer holds: the file gets `status: superseded`."""

    path: str
    by: str


class AskPerson(NamedTuple):
    """A contradiction that a person has to settle; `key` is its `conflict_key`.

    `held` stands in the file since the day `since`; `claim` is what an episode says.
    """

    key: str
    path: str
    held: str
    claim: Claim
    mark: Mark
    certainty: str
    why: str
    since: str = ""

    @property
    def is_late(self) -> bool:
        """Whether the episode was heard after one that is newer than it."""
        return self.mark.date < self.since

    @property
    def old(self) -> str:
        """The older of both statements."""
        return self.claim.text if self.is_late else self.held

    @property
    def new(self) -> str:
        """The newer of both statements."""
        return self.held if self.is_late else self.claim.text


class Merge(NamedTuple):
    """Two files say much the same; a person may merge them."""

    path: str
    other: str
    shared: int

    @property
    def key(self) -> str:
        """The name of the proposal; put it into `PlanRules.waiting`, and it is not made again."""
        return f"{self.path} {self.other}"


class AdjustFields(NamedTuple):
    """A new salience, confidence or day of last access for a memory, and why."""

    path: str
    key: str
    old: str
    new: str
    why: str


class Archive(NamedTuple):
    """An episode is past its time, and every claim of it is found elsewhere."""

    id: str
    path: str


Visible = (
    CreateFile | AddClaim | RefreshDate | Replace | NoteOldRule | Retire | AdjustFields | Archive
)
Action = (
    Visible | MarkFiled | AskPerson | Merge
)  # marks are bookkeeping, the others wait for a person


class PlanRules(NamedTuple):
    """The settings a plan follows.

    Rulings are `old`, `new`, `both` or `neither`, by the key of a conflict; who rules `neither` also
    adds the claims to `removed`, or one is absorbed once the other is gone.

    `waiting` are the keys of conflicts and merges that a person knows of; `removed` are near keys of
    claims that stood somewhere once, with the date when they were last said then: where they stand
    no more they are not put back, unless somebody says them later than that.
    """

    today: str
    lang: str = "en"
    waiting: Collection[str] = ()
    rulings: Mapping[str, str] = {}
    removed: Mapping[str, str] = {}
    undone: Collection[str] = ()  # those of them that nobody removed: only their filing was undone
    is_taken: Callable[[str], bool] = lambda _id: False  # whether an id is in use in the store


def conflict_key(new: str, old: str) -> str:
    """The name of a conflict between these two claims, whichever files they are in."""
    return digest(f"{near_key(new)}\n{near_key(old)}", 6).hex()


# -------------------- What titles state, of files and of sections, and what becomes of them.


FILE, SECTION = "file", "section"  # what a claim can be the title of
REASONED = ("decision", "pattern")  # the kinds of memories in which the rest is the reason
AGAIN = " +"  # behind the title of a section whose first choice is taken
_OURS = {
    *LIST_HEADINGS,
    *(titles[FEEDBACK] for titles in SHARED_TITLES.values()),
}
_ONCE_OURS = re.compile(r"Facts about .+|关于.+的事实|Miscellaneous|其他")


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


def titles_of(memory: Memory, body: str, said: Sequence[PlacedStatement]) -> Iterator[Title]:
    """The titles of a file that are statements; `said` is what its body states."""
    sections = document.sections_of(body)
    whole = _title_of_file(memory, body, said)
    if whole:
        yield whole
    rows: dict[str, list[tuple[int, PlacedStatement]]] = {}
    for n, one in enumerate(said):
        rows.setdefault(one.anchor, []).append((n, one))
    for section in sections[1:]:
        below = rows.get(section.anchor, [])
        is_rule = memory.layer == "procedural" and below and is_behavioural(section.heading)
        if not (is_rule or not without_comments(section.text)) or _is_name(section.heading):
            continue
        if is_claim(section.heading) and not _is_stated(section.heading, (one for _, one in below)):
            first = below[0][0] if below else -1
            count = len(below)
            yield Title(section.heading, SECTION, section.anchor, first, count, count > 0)


def _title_of_file(memory: Memory, body: str, said: Sequence[PlacedStatement]) -> Title | None:
    title = strip_private(memory.title)
    if memory.kind == "issue" or memory.status == "resolved" or _is_name(title):
        return None
    is_more = _says_more(body)
    if is_more and memory.kind not in REASONED:
        return None
    if not is_claim(title) or _is_stated(title, said):
        return None
    return Title(title, FILE, has_reasons=is_more)


def _says_more(body: str) -> bool:
    """Whether a body has anything of a person besides titles."""
    lines = "\n".join(line for line in body.splitlines() if MARK not in line)
    return any(
        line.strip() and not HEADING.match(line) for line in without_comments(lines).splitlines()
    )


def _is_stated(title: str, said: Iterable[PlacedStatement]) -> bool:
    return any(says(title, one.text) for one in said)


def _is_name(title: str) -> bool:
    """Whether a title names a subject: one of our own, or that of a solution."""
    bare = _bare(title).removesuffix(label_of(title))
    is_ours = bare in _OURS or is_subject(bare) or bool(_ONCE_OURS.fullmatch(bare))
    return is_ours or is_solution(title)


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
    return whole if texts_of(whole) == texts_of(made) else made


def can_replace_section(body: str, title: str) -> bool:
    """Whether the section of this title can be taken out, with its reasons, and nothing else."""
    return with_section_replaced(body, Replace("", title, "", Mark("", "", "user"))) is not None


def with_section_replaced(body: str, action: Replace) -> str | None:
    """`body` with a section that is its title turned into another one, or taken out.

    Its reasons go with it into the comment that keeps it.
    """
    parts = parts_of(body)
    for n, part in enumerate(parts):
        below = statements_of(part.text) if n and part.heading == action.old else None
        if below is None or _is_stated(action.old, below):
            continue
        taken = {other.heading.casefold() for other in parts[1:] if other is not part}
        made = [*parts[:n], _turned(part, action, taken), *parts[n + 1 :]]
        whole = "".join(one.text for one in made)
        wanted = texts_of(body)
        wanted.subtract(one.text for one in below)
        wanted.update([action.new] if action.new else [])
        return whole if texts_of(whole) == +wanted else None
    return None


def _turned(part: BodyPart, action: Replace, taken: set[str]) -> BodyPart:
    eol = "\r\n" if "\r\n" in part.text else "\n"
    rest, past = part.text.partition("\n")[2].strip(), action.past
    if without_comments(rest):
        past = reversed_comment(action.mark.date, f"{action.old}: {' '.join(rest.split())}")
        rest = ""
    heading = _free_title(title_for(action.new, label_of(action.old)), taken) if action.new else ""
    item = f"- {action.new} {action.mark.comment}{eol}{f'  {past}{eol}' if past else ''}"
    rows = [f"## {heading}{eol}", item] if action.new else [f"{past}{eol}"] if past else []
    rows += [f"{rest}{eol}"] if rest else []
    return BodyPart(heading, "".join(f"{row}{eol}" for row in rows))


def with_title_updated(text: str, actions: Iterable[Replace]) -> str:
    """The text of a file whose title no longer says what these actions took out."""
    for action in actions:
        memory = document.memory_from_text(text, "semantic/x.md")
        is_title = action.title == FILE
        if not (is_title or (not action.title and says(memory.title, action.old))):
            continue
        if not is_title and _is_stated(action.old, statements_of(memory.body)):
            continue
        lang = "zh" if any(map(is_cjk, action.old)) else "en"
        said = "\n".join(one.text for one in statements_of(memory.body))
        title = title_for(action.new) if action.new else subject_of(said, lang)
        text = document.with_title(text, title)
        if is_title:
            text = document.with_field(text, "kind", "fact") if memory.kind in REASONED else text
            text = document.with_body(text, noted(document.body_of(text), action.past))
    return text


def noted(body: str, past: str) -> str:
    """`body` with a comment below its title."""
    if not past:
        return body
    eol = "\r\n" if "\r\n" in body else "\n"
    first, newline, rest = body.partition("\n")
    if not first.startswith("# "):
        return f"{past}{eol}{eol}{body}"
    return f"{first}{newline or eol}{eol}{past}{eol}{rest if rest.strip() else ''}"


def _renamed(part: BodyPart, old: str, taken: set[str]) -> BodyPart:
    line, newline, rest = part.text.partition("\n")
    left = [said.text for said in statements_of(rest)]
    if not left:
        return BodyPart("", rest.lstrip("\r\n"))
    if near_key(old) in map(near_key, left):
        return part
    title = _free_title(title_for(left[0], label_of(part.heading)), taken)
    return BodyPart(title, f"## {title}{line[len(line.rstrip()) :]}{newline}{rest}")


def _free_title(title: str, taken: set[str]) -> str:
    while title.casefold() in taken:
        title += AGAIN
    return title


def texts_of(body: str) -> Counter[str]:
    """What a body states, each wording with how often it stands there."""
    return Counter(said.text for said in statements_of(body))
