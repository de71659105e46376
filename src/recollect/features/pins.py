"""Pin a memory, or copy it to the global store."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress

from recollect._fastimport import NamedTuple, Pattern
from recollect.capture.intake import Draft, section_change
from recollect.context.pointers import FILE, Pointer, pointers_in, with_pointers
from recollect.context.views import number_of
from recollect.errors import MemoryNotFound, RecollectError, UsageProblem
from recollect.model import document as codec
from recollect.model import frontmatter
from recollect.model.document import sections_of, without_section
from recollect.model.entries import LONGEST_SUMMARY, Shelved, shelved
from recollect.model.layers import SHARED, Choice, suggested_tags
from recollect.model.memory import Change, Entry, Memory, Section
from recollect.store import history as undoing
from recollect.store.history import Past
from recollect.store.store import OpenStore
from recollect.text.sentences import one_line
from recollect.text.tokens import STOP_WORDS

# -------------------- Scoping: whether a memory would be of use in every project, and why.


ENOUGH = 0.7  # as in seed 002
_KINDS = {
    "rule": 0.35, "pattern": 0.3, "solution": 0.3, "pointer": 0.1, "fact": 0.05, "decision": 0.0,
    "implementation": -0.2, "issue": -0.2, "note": -0.2, "session": -0.4, "conversation": -0.4,
}  # fmt: skip
_SOURCES = {"instructed": 0.1, "referenced": 0.05}
_PATH = Pattern(r"(?<![\w/])(?:\.{0,2}/)?(?:[\w.-]+/)+[\w-]+\.[a-z]{1,5}\b")
_HABIT = Pattern(r"\b(?:my|always|never|prefer)\b|总是|永远|从不|优先|习惯", re.I)


class Scoped(NamedTuple):
    """Where a memory belongs, how general it is (0 to 1), and what speaks for and against."""

    scope: str
    generalizability: float
    reasons: tuple[str, ...]
    blockers: tuple[str, ...]


def scope_of(memory: Memory, project: str) -> Scoped:
    """Where a memory belongs, by itself; `project` is the folder in which it was learned."""
    text = f"{memory.title}\n{memory.body}"
    score, reasons, blockers = 0.5, [f"kind:{memory.kind}"], []
    score += _KINDS.get(memory.kind, 0.0) + _SOURCES.get(memory.source, 0.0)
    if memory.source == "instructed":
        reasons.append("said")
    if memory.layer == "procedural":
        reasons.append("work")
    if _HABIT.search(memory.title):
        score += 0.1
        reasons.append("habit")
    name = project.rstrip("/").rpartition("/")[2]
    if project and project in text:
        blockers.append("folder")
    elif len(name) > 3 and _names(text, name):
        blockers.append("name")
    if memory.files or _PATH.search(text):
        blockers.append("files")
    if memory.layer == "episodic":
        blockers.append("episode")
    if memory.trust in ("tool", "external"):
        blockers.append("trust")
    score = min(1.0, max(0.0, score - 0.25 * len(blockers)))
    wanted = "global" if score >= ENOUGH and not blockers else "project"
    return Scoped(wanted, round(score, 2), tuple(reasons), tuple(blockers))


def _names(text: str, name: str) -> bool:
    low, start = text.casefold(), 0
    word = name.casefold()
    while (at := low.find(word, start)) >= 0:
        before, after = low[at - 1 : at], low[at + len(word) : at + len(word) + 1]
        if not before.isalnum() and not after.isalnum():
            return True
        start = at + 1
    return False


CAUSE = "promote"
# The field, or the note in a section, that says which store and id it was taken over from.
ORIGIN = "promoted-from"
_NOTE = Pattern(rf"<!-- {ORIGIN}: (.*?); source: ")


class Taken(NamedTuple):
    """A memory as it is taken over."""

    id: str
    path: str
    text: str


def pinned(store: OpenStore) -> list[Pointer]:
    """The pointers of a store, in the order in which they were pinned."""
    return pointers_in(_read(store)[0])


def places_of(store: OpenStore, pointers: Sequence[Pointer]) -> dict[str, Entry]:
    """The memories that are still there, by id; private ones are pointed to by nobody."""
    found: dict[str, Entry] = {}
    for one in pointers:
        with suppress(RecollectError):
            found[one.id] = named(store, one.id)
    return {name: entry for name, entry in found.items() if not entry.private}


def named(store: OpenStore, name: str) -> Entry:
    """The memory of this id, or a section (`id#anchor`) as if it were one. Raises MemoryNotFound."""
    memory_id, _, anchor = name.partition("#")
    entry = store.require(memory_id)
    if not anchor:
        return entry
    one = section_of(store, entry, name)
    return entry._replace(
        id=name,
        title=one.heading,
        kind=one.kind,
        source=one.source,
        trust=one.trust,
        trigger=one.trigger,
        tags=tuple(suggested_tags(one.heading, one.text, STOP_WORDS)),
        files=(),
        summary=one_line(one.text, LONGEST_SUMMARY),
    )


def pin(store: OpenStore, pointer: Pointer) -> None:
    """Keep a pointer, in place of an older one to the same memory."""

    def change(old: list[Pointer]) -> list[Pointer]:
        if all(one.id != pointer.id for one in old):
            return [*old, pointer]
        return [pointer if one.id == pointer.id else one for one in old]

    _change(store, change, cause="pin")


def unpin(store: OpenStore, name: str) -> bool:
    """Let a pointer go; whether there was one."""
    there = any(one.id == name for one in pinned(store))
    _change(store, lambda old: [one for one in old if one.id != name], cause="unpin")
    return there


def _read(store: OpenStore) -> tuple[str, str | None]:
    if not store.files.exists(FILE):
        return "", None
    document = store.files.read(FILE)
    return document.text, document.stamp


def _change(
    store: OpenStore, change: Callable[[list[Pointer]], list[Pointer]], *, cause: str
) -> None:
    def plan() -> list[Change]:
        text, stamp = _read(store)
        old = pointers_in(text)
        new = change(old)
        return [] if new == old else [Change("put", FILE, "", stamp, with_pointers(text, new))]

    store.commit(plan, cause=cause, tries=3)


# ------------------------------------------------------------------------- for all projects


def take_over(
    source: OpenStore, target: OpenStore, entry: Entry, *, dry_run: bool = False
) -> Taken:
    """Move a memory into another store; what concerns only its project stays behind.

    It is in the new place before it goes from the old: a crash leaves it twice, and the next try
    goes on from there.
    """
    old = source.read(entry)
    origin = f"{source.files.root}#{entry.id}"
    made: list[Taken] = []

    def put() -> list[Change]:
        there = _taken_before(target, entry, origin)
        made[:] = [there or _taken(target, entry, old.text, origin)]
        return [] if there else [Change("put", made[0].path, made[0].id, None, made[0].text)]

    def remove() -> list[Change]:
        return [Change("remove", entry.path, entry.id, old.stamp)]

    if dry_run:
        put()
    else:
        target.commit(put, cause=CAUSE)
        source.commit(remove, cause=CAUSE)
    return made[-1]


def is_shared(entry: Entry) -> bool:
    """Whether each section of this memory is one by itself, as the rules in feedback.md are."""
    return entry.path in SHARED.values()


def section_of(store: OpenStore, entry: Entry, name: str) -> Shelved:
    """The section that `id#anchor` names, as it is found. Raises MemoryNotFound."""
    anchor = name.partition("#")[2]
    memory = codec.memory_from_text(store.read(entry).text, entry.path)
    found = (one for one in shelved(memory) if one.heading and one.anchor == anchor)
    one = next(found, None)
    if one is None:
        raise MemoryNotFound(id=name)
    return one


def take_over_section(
    source: OpenStore, target: OpenStore, entry: Entry, name: str, *, dry_run: bool = False
) -> Taken:
    """Move a section of a shared file into the other store's file of that name.

    Raises:
        MemoryNotFound: there is no such section.
        UsageProblem: the other file has one of this title.
    """
    section = section_of(source, entry, name)
    origin = _origin(source, name)
    note = f"<!-- {ORIGIN}: {origin}; source: {section.source}; trust: {section.trust} -->"
    draft = Draft(section.heading, f"{section.text}\n\n{note}", trigger=section.trigger)

    def put() -> list[Change]:
        there = _section_there(target, entry.path, section.heading)
        if there and origin in _NOTE.findall(there.text):
            return []  # an earlier try has got so far
        if there:
            what = (
                f"“{section.heading}” already exists there as a title; change one of the two first."
            )
            raise UsageProblem(what=what, command=CAUSE)
        choice = Choice(entry.layer, section.kind, "asked")
        return section_change(target, entry.path, section.heading, draft, choice)[1]

    def remove() -> list[Change]:
        old = source.read(entry)
        body = without_section(frontmatter.split_front(old.text).body, section.anchor)
        text = codec.with_field(codec.with_body(old.text, body), "updated", source.now)
        return [Change("put", entry.path, entry.id, old.stamp, text)]

    if dry_run:
        put()
    else:
        target.commit(put, cause=CAUSE)
        source.commit(remove, cause=CAUSE)
    now = _section_there(target, entry.path, section.heading)
    shown = f"## {section.heading}\n\n{section.text}"
    anchor = now.anchor if now else section.anchor
    return Taken(f"{_id_at(target, entry)}#{anchor}", entry.path, shown)


def _section_there(store: OpenStore, path: str, heading: str) -> Section | None:
    if not store.files.exists(path):
        return None
    return codec.section_named(frontmatter.split_front(store.files.read(path).text).body, heading)


def _id_at(store: OpenStore, entry: Entry) -> str:
    """The id of the other store's file."""
    if not store.files.exists(entry.path):
        return entry.id
    return codec.memory_from_text(store.files.read(entry.path).text, entry.path).id


def _origin(store: OpenStore, name: str) -> str:
    return f"{store.files.root}#{name}".replace("-->", "--").replace("; source: ", ", ")


def _taken(target: OpenStore, entry: Entry, text: str, origin: str) -> Taken:
    number = number_of(entry.id)
    # The numbers of facts are given by each store for itself.
    wanted = entry.id.removeprefix(number).lstrip("-") or entry.id if number else entry.id
    name = target.free_id(wanted.partition("~")[0])
    path = target.path_for(entry.layer, entry.kind, name)
    related = [one for one in entry.related if target.index.entry(one.partition("#")[0])]
    for key, value in (("id", name), (ORIGIN, origin), ("updated", target.now)):
        text = codec.with_field(text, key, value)
    for key in ("files", "session"):
        text = codec.with_field(text, key, None)
    if entry.related:
        text = codec.with_field(text, "related", related)
    return Taken(name, path, text)


def _taken_before(target: OpenStore, entry: Entry, origin: str) -> Taken | None:
    """The memory in the target if an earlier try has got so far."""
    number = number_of(entry.id)
    for name in {entry.id, entry.id.removeprefix(number).lstrip("-") or entry.id}:
        there = target.index.entry(name)
        if there:
            text = target.read(there).text
            if frontmatter.split_front(text).value(ORIGIN) == origin:
                return Taken(there.id, there.path, text)
    return None


def other_half(store: OpenStore, past: Past, other: OpenStore) -> Past | None:
    """What taking over a memory did to the other store, if that is not undone yet."""
    origins = _came(store, past) | _left(store, past)
    for one in undoing.history(other):
        is_open = one.cause == CAUSE and not one.undone and not one.undoes
        if is_open and (_came(other, one) | _left(other, one)) & origins:
            return one
    return None


def _came(store: OpenStore, past: Past) -> set[str]:
    """Where the memories and sections that a change has put into a store come from."""
    found: set[str] = set()
    for op in past.ops:
        text = (store.journal.text_of(op.after) if op.op == "put" and op.after else "") or ""
        if op.before is None:
            found.add(str(frontmatter.split_front(text).value(ORIGIN) or ""))
        before = (store.journal.text_of(op.before) if op.before else "") or ""
        found |= {*_NOTE.findall(text)} - {*_NOTE.findall(before)}
    return found - {""}


def _left(store: OpenStore, past: Past) -> set[str]:
    """The memories and sections that a change has taken out of a store."""
    found: set[str] = set()
    for op in past.ops:
        if op.op == "remove":
            found.add(_origin(store, op.memory))
        elif op.op == "put" and op.before and op.after:
            before, after = (
                {one.anchor for one in sections_of(frontmatter.split_front(text or "").body)}
                for text in map(store.journal.text_of, (op.before, op.after))
            )
            found |= {_origin(store, f"{op.memory}#{anchor}") for anchor in before - after}
    return found
