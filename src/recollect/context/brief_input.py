"""What a brief is made of: what holds, where sessions were left off, what agents noted.

Pure. Private, superseded and untrusted memories are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recollect._fastimport import NamedTuple, Pattern
from recollect.context.left_off import TRUSTED, LeftOff, left_off
from recollect.context.statements import Running, StatedLine, newest_first, of_page, once, stated_by
from recollect.model.document import section_named
from recollect.model.entries import without_recent
from recollect.model.facts import same_words
from recollect.model.layers import SHARED, USUAL_CHECKS
from recollect.model.memory import SESSION_KINDS, Entry, Memory, day_of
from recollect.search.rank import is_queued
from recollect.text.redact import strip_private
from recollect.text.sentences import without_unmerged

MOST_SESSIONS = 6  # the last one, and a line for each of those before it
MOST_OPEN_FROM = 4  # the last sessions whose to-dos are told
DAYS_OPEN = 7  # before the last session; what was left open earlier is left for good
CORE_ORDER = ("project.md", "architecture.md", "conventions.md")
_IN_CODE = Pattern(r"`([^`\n]+)`")


class BriefInput(NamedTuple):
    """What a brief is made of, gathered by `gather`."""

    core: list[Memory]
    rules: list[StatedLine]  # how to work, as the person said
    decided: list[StatedLine]  # what is so, as the person said
    noted: list[StatedLine]  # what an agent noted, and nobody has approved
    open: list[StatedLine]
    now: list[StatedLine]  # sessions that go on
    sessions: list[LeftOff]  # those that said something, the last one first
    checks: list[str]  # how the project is tested, built and the like
    places: dict[str, list[str]]  # what is said under each name of recall, as keys
    strange: int = 0  # of the repository's, not accepted by the person
    unread: int = 0  # pages that were not looked at


def gather(
    memories: Sequence[Memory],
    running: Sequence[Running],
    put_away: Sequence[Memory] = (),
    *,
    is_late: bool = False,
) -> BriefInput:
    """Choose from memories what a brief tells of them.

    `running` are sessions that go on: (task, date, trust, facts). `put_away` are sessions in the
    archive of which it is told where they were left off. With `is_late` those count, too, of which
    nothing came: their client was killed before it could answer.
    """
    told = [one._replace(body=_body_to_give(one.body)) for one in memories if is_in_force(one)]
    episodes = [one for one in told if one.kind in SESSION_KINDS]
    pages = [one for one in told if one.kind not in SESSION_KINDS and one.trust in TRUSTED]
    core = [one for one in pages if one.path.startswith("core/")]
    pages = [one for one in pages if not one.path.startswith("core/")]
    issues = [one for one in pages if one.kind == "issue"]
    others = [one for one in pages if one.kind != "issue"]
    rules, stated, places = stated_by(episodes, others, running)
    if checks := _usual_checks(told):  # they have a line of their own
        stated = [line for line in stated if line.text not in USUAL_CHECKS.values()]
    old = [one._replace(body=_body_to_give(one.body)) for one in put_away if _is_valid(one)]
    found = map(left_off, [*episodes, *old])
    sessions = sorted(found, key=lambda one: one.date, reverse=True)
    cut_short = [one for one in sessions if one.is_cut_short]
    sessions = [one for one in sessions if one.says or (is_late and one in cut_short)]
    sessions = sessions or cut_short[:1]  # better what was asked for last than nothing
    todo = [
        *_left_open(sessions),
        *(of_page(one, place=one.id) for one in issues if one.status == "open"),
    ]
    return BriefInput(
        sorted((one for one in core if one.body.strip()), key=core_order),
        [line for line in rules if line.trust == "user"],
        _by_subject([line for line in stated if line.trust == "user"]),
        [line for line in newest_first([*rules, *stated]) if line.trust != "user"],
        once(todo)[0],
        [StatedLine(task, date=date[:10], trust=trust) for task, date, trust, _ in running],
        _without_repeats([*sessions[:1], *(one for one in sessions[1:] if one.tells)]),
        checks,
        places,
    )


def _body_to_give(body: str) -> str:
    """A body without its private and undecided parts, and the list of sessions that we write there."""
    return without_recent(without_unmerged(strip_private(body)))


def is_in_force(memory: Memory | Entry) -> bool:
    """Whether a memory holds and may be told unasked."""
    return not memory.archived and _is_valid(memory)


def _is_valid(memory: Memory | Entry) -> bool:
    is_out = memory.status == "superseded" or is_queued(memory.layer, memory.status)
    return not is_out and not memory.private


def _by_subject(lines: Sequence[StatedLine]) -> list[StatedLine]:
    """Decisions before facts, those about one subject together below what its title states, the newest first."""
    order: dict[str, int] = {}
    for line in lines:
        order.setdefault(line.subject or line.text, len(order))

    def place(line: StatedLine) -> tuple[bool, int, bool]:
        return line.kind != "decision", order[line.subject or line.text], line.subject != ""

    return sorted(lines, key=place)


def _left_open(sessions: Sequence[LeftOff]) -> Iterator[StatedLine]:
    """What the sessions shortly before the last one left open."""
    last = day_of(sessions[0].date) if sessions else 0
    for one in sessions[1:MOST_OPEN_FROM]:
        if day_of(one.date) >= last - DAYS_OPEN:
            for text in one.open:
                if text in sessions[0].open:
                    continue
                yield StatedLine(text, date=one.date, source="left", place=one.id)


def _usual_checks(memories: Sequence[Memory]) -> list[str]:
    """The commands by which the project is tested, built and the like, as capture keeps them."""
    pages = (one for one in memories if one.path == SHARED["pointer"] and one.trust != "external")
    texts = (section_named(one.body, title) for one in pages for title in USUAL_CHECKS.values())
    return _IN_CODE.findall(next((section.text for section in texts if section), ""))


def _without_repeats(sessions: Sequence[LeftOff]) -> list[LeftOff]:
    kept: dict[str, LeftOff] = {}
    for one in sessions:
        kept.setdefault(same_words(one.title), one)
    return list(kept.values())[:MOST_SESSIONS]


def core_order(memory: Memory | Entry) -> tuple[int, str]:
    """Where a core file stands among others."""
    name = memory.path.removeprefix("core/")
    return (CORE_ORDER.index(name) if name in CORE_ORDER else len(CORE_ORDER)), name
