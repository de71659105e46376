"""What memories state that holds: rules and decisions, each with who said it, when, and where.

Pure. A statement that stands on a page and in the session that it was learned in is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from recollect._fastimport import NamedTuple, Pattern
from recollect.context.left_off import TRUSTED
from recollect.context.pack import LONGEST_LINE
from recollect.model.claim_key import near_key, reversed_key, reversed_keys
from recollect.model.document import sections_of
from recollect.model.entries import (
    beside_title,
    index_units,
    says_nothing,
    without_comments,
    without_filed,
)
from recollect.model.facts import Fact, facts_of, same_words, section_kind, with_detail
from recollect.model.footnotes import id_letters, label_of
from recollect.model.layers import is_about_rules, is_subject
from recollect.model.list_items import is_saved_alone, is_shared
from recollect.model.memory import IndexUnit, Memory
from recollect.text.tokens import is_cjk

GONE = ("superseded", "resolved")
_OF_DOCUMENT = Pattern(r"\n\s*\n|^[ \t]*(?:#+[ \t]|[-*+>|][ \t]|\d+[.)][ \t]|```)", re.M)


# By its own words for every day: such rules, and those that somebody saved, come before other newer ones.
_STANDING = Pattern(
    r"^(?:please )?(?:don['’]?t|do not)(?! (?:want|need)\b)|^(?:avoid|prefer|only|all)\b|\b(?:always|never|must|every(?! time)|from now on|should(?: not|n['’]t| be no))\b"
    r"|不要|禁止|必须|一律|始终|总是|永远|务必|不得|以后|所有|每次",
    re.I,
)


class StatedLine(NamedTuple):
    """A statement: who said it, when, and where it stands."""

    text: str
    why: str = ""
    date: str = ""
    source: str = ""
    trust: str = "user"
    place: str = ""  # the name under which recall gives it
    subject: str = ""  # the title of the page, where that is a subject
    episode: str = ""  # where it was learned
    kind: str = ""
    moment: str = ""  # when, as exactly as it is known


# Of a session that goes on: task, date, trust, facts.
Running = tuple[str, str, str, Sequence[Fact]]


def stated_by(
    episodes: Sequence[Memory], pages: Sequence[Memory], running: Sequence[Running]
) -> tuple[list[StatedLine], list[StatedLine], dict[str, list[str]]]:
    """`(rules, others, places)`: what holds, the newest first, and what is said under each name of recall, as keys."""
    rules: list[StatedLine] = []
    others: list[StatedLine] = []
    for _, date, _, facts in running:
        for fact in facts:
            if fact.source == "instructed":
                (rules if fact.kind == "pattern" else others).append(of_fact(fact, date))
    for page in pages:
        (rules if page.kind in ("rule", "pattern") else others).extend(statements_of(page))
    for episode in episodes:
        for kind, line in facts_of_session(episode):
            (rules if kind == "pattern" else others).append(line)
    past = _reversed_by((*pages, *episodes))
    rules, others = (_still_so(newest_first(lines), *past) for lines in (rules, others))
    later = [line for line in (*rules, *others) if not line.place or _is_in_session(line)]
    rules, others = (_not_taken_back(lines, later) for lines in (rules, others))
    rules.sort(key=lambda line: bool(line.episode) and not _STANDING.search(line.text))
    kept, same = once([*rules, *others])
    places: dict[str, list[str]] = {}
    for line in (*rules, *others):
        if line.place:
            key = key_of(line)
            places.setdefault(line.place, []).append(same.get(key, key))
    own = {id(line) for line in rules}
    return (
        [line for line in kept if id(line) in own],
        [line for line in kept if id(line) not in own],
        places,
    )


BEGUN = 24  # characters of a title that was cut; a name in `<…>` may be missing behind them


def of_fact(fact: Fact, date: str, place: str = "", episode: str = "") -> StatedLine:
    """A fact of a session as a statement."""
    moment = fact.said or date
    about = (moment[:10], fact.source, "user", place, "", episode, fact.kind, moment)
    return StatedLine(fact.content, fact.detail, *about)


def of_page(memory: Memory, why: str = "", place: str = "") -> StatedLine:
    """The one thing that a page says."""
    date = memory.created[:10]
    about = date, memory.source, memory.trust, place
    return StatedLine(memory.title, why, *about, kind=memory.kind, moment=memory.created)


def facts_of_session(memory: Memory) -> Iterator[tuple[str, StatedLine]]:
    """What the person decided or asked for in a session, with its kind."""
    date = memory.created
    anchors = {row.entry: row.anchor for row in index_units(memory) if row.entry}
    for section in sections_of(without_filed(memory, memory.body)):
        kind = section_kind(section.heading)
        if kind in ("decision", "pattern"):
            for fact in facts_of(kind, section.text):
                if fact.source == "instructed":
                    anchor = anchors.get(id_letters(with_detail(fact.content, fact.detail)), "")
                    place = f"{memory.id}#{anchor}" if anchor else ""
                    yield kind, of_fact(fact, date, place, memory.id)


def statements_of(memory: Memory) -> list[StatedLine]:
    """What a page states: its entries; of a page that has none, what it is called, and why."""
    rows = [row for row in index_units(memory) if row.entry]
    # A shelf that every project has tells less than the statement itself.
    subject = "" if is_subject(memory.title) or is_shared(memory) else memory.title
    own = [
        _of_entry(row, memory.id, subject)
        for row in rows
        if row.kind != "solution" and row.trust in TRUSTED and row.status not in GONE
    ]
    is_fact = memory.kind == "fact" and is_saved_alone(memory)
    if memory.kind not in ("decision", "pattern", "rule") and not is_fact:
        return own
    parts = [row for row in index_units(memory) if not row.entry]
    if any(row.trust not in TRUSTED for row in parts):
        return own  # what stands below the title is not the person's
    if not rows:
        why = _reason_in(memory)
        is_empty = not why and is_shared(memory)
        is_long = is_fact and _is_document(memory, why)
        return [] if is_empty or is_long else [of_page(memory, why, memory.id)]
    is_list = any(row.anchor.startswith("^") for row in rows)
    is_titled = any(not one.anchor and says_nothing(one.text) for one in parts)
    if is_about_rules(memory) or not subject or (is_list and not is_titled):
        return own
    # Sections were added to what the title states.
    rest = (f"{row.heading}\n{beside_title(row.text, memory.title)}" for row in parts)
    why = " ".join(" ".join(rest).split())
    about = [one._replace(subject=subject) for one in own]
    return [of_page(memory, why, memory.id), *about]


def _of_entry(row: IndexUnit, page: str, subject: str) -> StatedLine:
    said = " ".join(line.strip().lstrip("-*+ ") for line in row.text.splitlines())
    is_item = row.anchor.startswith("^")
    text, why = (said, "") if is_item else (row.heading, said)
    begun = _spelt(text.rstrip("…"))[:BEGUN] if text.endswith("…") else _spelt(text)
    if _spelt(why).startswith(begun):
        text, why = why, ""  # the title of a rule is its beginning
    about, name = subject if is_item else "", f"{page}#{row.anchor}"
    said_by = (row.created[:10], row.source, row.trust, name, about, row.session, row.kind)
    return StatedLine(text, why, *said_by, row.created)


def _spelt(text: str) -> str:
    """A text as a heading spells it: `max_concurrency` has a blank there."""
    return same_words(text.replace("_", " "))


def _reason_in(memory: Memory) -> str:
    """What a page says below its title, on one line."""
    text = beside_title(without_comments(memory.body), memory.title)
    said = " ".join(line.strip().lstrip("#").strip() for line in text.splitlines() if line.strip())
    return "" if same_words(said) == same_words(memory.title) else said


def _is_document(memory: Memory, said: str) -> bool:
    """Whether a page says more than a line has room for, or has paragraphs, a list or sections."""
    text = beside_title(without_comments(memory.body), memory.title)
    is_long = len(memory.title) + len(said) > LONGEST_LINE
    return is_long or bool(_OF_DOCUMENT.search(text))


def key_of(line: StatedLine) -> str:
    """What two wordings of one statement share."""
    return near_key(line.text)


def newest_first(lines: Iterable[StatedLine]) -> list[StatedLine]:
    """The lines by their dates; of one day's lines on one page the last, which was added last."""
    last_first = list(lines)[::-1]
    pages = {line.place.partition("#")[0]: n for n, line in enumerate(last_first)}
    order = {id(line): (line.date, pages[line.place.partition("#")[0]]) for line in last_first}
    return sorted(last_first, key=lambda line: order[id(line)], reverse=True)


def _reversed_by(memories: Iterable[Memory]) -> tuple[set[str], set[str]]:
    """The keys of what `<!-- superseded … -->` comments call reversed: on the person's pages, and on any."""
    theirs, past = set[str](), set[str]()
    for one in memories:
        found = reversed_keys(one.body)
        past |= found
        theirs |= found if one.trust == "user" else set()
    return theirs, past


def _still_so(lines: list[StatedLine], theirs: set[str], past: set[str]) -> list[StatedLine]:
    """The lines that no page calls reversed; a person's line only a page of theirs can."""

    def is_history(line: StatedLine) -> bool:
        # With its reason as people write it, and as pages do.
        whole = (f"{line.text} because {line.why}", f"{line.text}: {line.why}") if line.why else ()
        gone = theirs if line.trust == "user" else past
        return not gone.isdisjoint((key_of(line), *map(reversed_key, whole)))

    return [line for line in lines if not is_history(line)] if past else lines


def _not_taken_back(lines: list[StatedLine], later: Sequence[StatedLine]) -> list[StatedLine]:
    """The lines that no session has surely contradicted since; `later` is what is not filed yet."""
    if not later:
        return lines
    from recollect.model.conflicts import conflict_between, topics_of  # most briefs need none
    from recollect.search.relevance import is_later

    known = [(one, topics_of(one.text)) for one in later]

    def is_over(line: StatedLine) -> bool:
        newer = [(one, topics) for one, topics in known if is_later(one.moment, line.moment)]
        about = topics_of(line.text) if newer else frozenset()
        return any(
            not about.isdisjoint(topics)
            and (one.trust == "user" or line.trust != "user")
            and (found := conflict_between(one.text, line.text)) is not None
            and found.certainty == "sure"
            for one, topics in newer
        )

    return [line for line in lines if not is_over(line)]


def once(lines: Sequence[StatedLine]) -> tuple[list[StatedLine], dict[str, str]]:
    """Each statement once; and for the key of each line that is left out, the key of the one that stays.

    A page's own line comes before what the session that it was learned in says.
    """
    kept: dict[str, StatedLine] = {}
    for line in sorted(lines, key=lambda one: not one.why):
        kept.setdefault(key_of(line), line)
    pages: dict[str, list[tuple[str, set[str]]]] = {}
    for key, line in kept.items():
        if line.episode and not _is_in_session(line):
            pages.setdefault(label_of(line.episode), []).append((key, _words_in(line)))
    same: dict[str, str] = {}
    for key, line in kept.items():
        words = _words_in(line)
        filed = pages.get(label_of(line.episode), []) if _is_in_session(line) else []
        for other, own in filed:
            if 2 * len(words & own) > max(len(words), len(own)):
                same[key] = other
    return [one for one in lines if kept[key_of(one)] is one and key_of(one) not in same], same


def _is_in_session(line: StatedLine) -> bool:
    return line.place.startswith(f"{line.episode}#")


def _words_in(line: StatedLine) -> set[str]:
    said = same_words(f"{line.text} {line.why}")
    return {char for char in said if is_cjk(char)} | set(said.split())
