"""Lifecycle: the actions of a plan, and the mark that says where a line was learned.

Promises: nothing but values; a mark reads back as it was written.
Touches: nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from hashlib import blake2b

from recollect.domain.claims import Claim, near_key
from recollect.named import NamedTuple

FEEDBACK = "procedural/feedback.md"
TITLES = {"en": "How to work here", "zh": "工作方式"}
FACTS = {"en": "Facts about {tags}", "zh": "关于{tags}的事实"}
AND = {"en": (", ", " and "), "zh": ("、", "和")}
MISCELLANEOUS = {"en": "Miscellaneous", "zh": "其他"}
# A section is as little trusted as its least trusted line, so that each trust has its own.
NOTED = {
    "user": ("Noted", "要点"),
    "agent": ("Noted by the agent", "代理记录的要点"),
    "tool": ("Noted from tools", "工具输出的要点"),
    "external": ("Noted from outside", "外部来源的要点"),
}
# What stands behind the title of a rule that is not the person's, for the same reason.
RULE_OF = {
    "user": ("", ""),
    "agent": (" (agent)", "（代理）"),
    "tool": (" (tool)", "（工具）"),
    "external": (" (external)", "（外部）"),
}
LABELS = tuple(dict.fromkeys(label for row in RULE_OF.values() for label in row))

_MARK = re.compile(
    r"<!-- from: (?P<episode>[^;<>]*); date: (?P<date>[^;<>]*); trust: (?P<trust>\w+)"
    r"(?:; source: (?P<source>\w+))?(?:; salience: (?P<salience>\w+))? -->"
)
_PAST = re.compile(r"<!-- superseded (\S+): previously (.*?) -->", re.S)
_OWN_FIELDS = re.compile(r"\b(trust|source|from):", re.I)


class Mark(NamedTuple):
    """Which episode a line was learned from, when, and how far that can be trusted."""

    episode: str
    date: str
    trust: str
    source: str = "observed"
    salience: str = "medium"

    @property
    def comment(self) -> str:
        """The mark as it stands behind a line."""
        source = "" if self.source == "observed" else f"; source: {self.source}"
        salience = "" if self.salience == "medium" else f"; salience: {self.salience}"
        return f"<!-- from: {self.episode}; date: {self.date}; trust: {self.trust}{source}{salience} -->"


def mark_of(comment: str) -> Mark | None:
    """The mark that a comment is, or None."""
    match = _MARK.fullmatch(comment.strip())
    if not match:
        return None
    return Mark(
        match["episode"],
        match["date"],
        match["trust"],
        match["source"] or "observed",
        match["salience"] or "medium",
    )


def past_comment(date: str, old: str) -> str:
    """What is left of a rule that was turned round."""
    said = _OWN_FIELDS.sub(r"\1：", old.replace("<!--", "‹!--").replace("-->", "--›"))
    return f"<!-- superseded {date[:10] or 'unknown'}: previously {said} -->"


def past_keys(text: str) -> set[str]:
    """The rules that a text says were turned round, as near keys."""
    return {near_key(match[2]) for match in _PAST.finditer(text)} if "<!-- sup" in text else set()


def past_key(old: str) -> str:
    """The near key under which a rule is found again in its comment."""
    return near_key(_OWN_FIELDS.sub(r"\1：", old))


class Start(NamedTuple):
    """A new file, without claims yet."""

    path: str
    id: str
    title: str
    layer: str
    kind: str
    tags: tuple[str, ...]
    mark: Mark
    project: str = ""


class Absorb(NamedTuple):
    """A claim of an episode goes into a section of a file."""

    path: str
    heading: str
    claim: Claim
    mark: Mark


class Renew(NamedTuple):
    """A claim that is known was stated anew; its mark says so."""

    path: str
    text: str
    mark: Mark


class Replace(NamedTuple):
    """A claim gives way to a newer one, or, where `new` is empty, to one that stands elsewhere.

    `past` is the comment that keeps the old wording of a rule; empty for what was no rule. `title`
    says of which the old claim is the title, if of any: see `titles`.
    """

    path: str
    old: str
    new: str
    mark: Mark
    past: str = ""
    title: str = ""


class Past(NamedTuple):
    """A rule has an older opposite: the comment that keeps it goes below the rule."""

    path: str
    text: str
    past: str


class Retire(NamedTuple):
    """A file that says one thing says what is no longer so: `status: superseded`."""

    path: str
    by: str


class Wait(NamedTuple):
    """A contradiction that a person has to settle: see `conflict_key`.

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
        """The name of the proposal; put it into `Rules.waiting`, and it is not made again."""
        return f"{self.path} {self.other}"


class Weigh(NamedTuple):
    """A field of a memory that was used, corrected or approved, or that nobody has needed for long."""

    path: str
    key: str
    old: str
    new: str
    why: str


class Archive(NamedTuple):
    """An episode is past its time, and every claim of it is found elsewhere."""

    id: str
    path: str


Action = Start | Absorb | Renew | Replace | Past | Retire | Wait | Merge | Weigh | Archive


def _nothing_taken(_id: str) -> bool:
    return False


class Rules(NamedTuple):
    """What a plan goes by.

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
    is_taken: Callable[[str], bool] = (
        _nothing_taken  # whether an id is in use anywhere in the store
    )


def conflict_key(new: str, old: str) -> str:
    """The name of a conflict between these two claims, whichever files they are in."""
    return blake2b(
        f"{near_key(new)}\n{near_key(old)}".encode("utf-8", "replace"), digest_size=6
    ).hexdigest()
