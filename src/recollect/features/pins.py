"""Pin memories in the client's instructions, and promote them to the global store."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from recollect import workspace
from recollect._fastimport import Any, NamedTuple, Pattern
from recollect.capture.save_memory import Draft, SaveResult, section_change
from recollect.context.pointers import (
    FILE,
    Pointer,
    block_of,
    path_for,
    pointer_to,
    pointers_in,
    project_above,
    put_block,
    require_inside,
    with_pointers,
)
from recollect.context.views import number_of
from recollect.errors import MemoryNotFound, RecollectError, UsageProblem
from recollect.features import entry_promote
from recollect.features.one_entry import require_entry
from recollect.model import document, frontmatter
from recollect.model.entries import LONGEST_SUMMARY, index_units, rows_at
from recollect.model.layers import SHARED, LayerChoice, suggested_tags
from recollect.model.memory import Change, Entry, Filter, IndexUnit, Memory, Section, lowest_trust
from recollect.store import disk, history, locations
from recollect.store.history import ChangeGroup
from recollect.store.store import OpenStore
from recollect.text.sentences import one_line
from recollect.text.tokens import STOP_WORDS, count_tokens
from recollect.workspace import Workspace

# ------------------------------------------------------------------------ of use in every project?


ENOUGH = 0.7  # as in seed 002
_KINDS = {
    "rule": 0.35, "pattern": 0.3, "solution": 0.3, "pointer": 0.1, "fact": 0.05, "decision": 0.0,
    "implementation": -0.2, "issue": -0.2, "note": -0.2, "session": -0.4, "conversation": -0.4,
}  # fmt: skip
_SOURCES = {"instructed": 0.1, "referenced": 0.05}
_PATH = Pattern(r"(?<![\w/])(?:\.{0,2}/)?(?:[\w.-]+/)+[\w-]+\.[a-z]{1,5}\b")
_HABIT = Pattern(r"\b(?:my|always|never|prefer)\b|总是|永远|从不|优先|习惯", re.I)


class ScopeEstimate(NamedTuple):
    """Where a memory belongs, how general it is (0 to 1), and what speaks for and against."""

    scope: str
    generalizability: float
    reasons: tuple[str, ...]
    blockers: tuple[str, ...]


def scope_of(memory: Memory, project: str) -> ScopeEstimate:
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
    return ScopeEstimate(wanted, round(score, 2), tuple(reasons), tuple(blockers))


def _names(text: str, name: str) -> bool:
    word = rf"(?<![^\W_]){re.escape(name.casefold())}(?![^\W_])"
    return bool(re.search(word, text.casefold()))


CAUSE = "promote"
# The field, or the note in a section, that says which store and id it was taken over from.
ORIGIN = "promoted-from"
_NOTE = Pattern(rf"<!-- {ORIGIN}: (.*?); source: ")


class CopiedMemory(NamedTuple):
    """A memory as it is taken over."""

    id: str
    path: str
    text: str


def pointers_of(store: OpenStore) -> list[Pointer]:
    """The pointers of a store, in the order in which they were pinned."""
    return pointers_in(store.text_at(FILE)[0])


def places_of(store: OpenStore, pointers: Sequence[Pointer]) -> dict[str, Entry]:
    """The memories that are still there, by id; private ones are pointed to by nobody."""
    found: dict[str, Entry] = {}
    for one in pointers:
        with suppress(RecollectError):
            found[one.id] = named_in(store, one.id)
    return {name: entry for name, entry in found.items() if not entry.private}


def named_in(store: OpenStore, name: str) -> Entry:
    """The memory of this id, or a section (`id#anchor`) as if it were one. Raises MemoryNotFound."""
    entry, anchor = store.named(name)
    if not anchor:
        return entry
    one = section_of(store, entry, name)
    title = entry.title if anchor.startswith("^") else one.heading  # an item's heads many items
    return entry._replace(
        id=name,
        title=title,
        kind=one.kind,
        source=one.source,
        trust=one.trust,
        trigger=one.trigger,
        tags=tuple(suggested_tags(title, one.text, STOP_WORDS)),
        files=(),
        summary=one_line(one.text, LONGEST_SUMMARY),
    )


# ------------------------------------------------------------------------- for all projects


def take_over(
    source: OpenStore, target: OpenStore, entry: Entry, *, dry_run: bool = False
) -> CopiedMemory:
    """Move a memory into another store; what concerns only its project stays behind.

    It is in the new place before it goes from the old: a crash leaves it twice, and the next try
    goes on from there.
    """
    old = source.read(entry)
    origin = f"{source.root}#{entry.id}"

    def put() -> tuple[CopiedMemory, list[Change]]:
        there = _taken_before(target, entry, origin)
        if there:
            return there, []
        made = _taken(target, entry, old.text, origin)
        return made, [Change("put", made.path, made.id, None, made.text)]

    def remove() -> list[Change]:
        return [Change("remove", entry.path, entry.id, old.stamp)]

    made = target.carry_out(put, cause=CAUSE, dry_run=dry_run)
    source.commit(remove, cause=CAUSE, dry_run=dry_run)
    return made


def section_of(store: OpenStore, entry: Entry, name: str) -> IndexUnit:
    """The section that `id#anchor` names, as it is found. Raises MemoryNotFound."""
    anchor = name.partition("#")[2]
    memory = store.memory(entry)
    one = next((one for one in rows_at(memory, anchor) if one.heading), None)
    if one is None:
        raise MemoryNotFound(id=name)
    return one


def take_over_section(
    source: OpenStore, target: OpenStore, entry: Entry, name: str, *, dry_run: bool = False
) -> CopiedMemory:
    """Move a section of a shared file into the other store's file of that name.

    Raises MemoryNotFound, UsageProblem.
    """
    section = section_of(source, entry, name)
    origin = _origin(source, name)
    about = f"source: {section.source}; trust: {section.trust}"
    date = f"; date: {section.created}" if section.created else ""
    note = f"<!-- {ORIGIN}: {origin}; {about}{date} -->"
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
        choice = LayerChoice(entry.layer, section.kind, "asked")
        return section_change(target, entry.path, section.heading, draft, choice)[1]

    def remove() -> list[Change]:
        old = source.read(entry)
        body = document.without_section(document.body_of(old.text), section.anchor)
        text = document.with_field(document.with_body(old.text, body), "updated", source.now)
        return [Change("put", entry.path, entry.id, old.stamp, text)]

    target.commit(put, cause=CAUSE, dry_run=dry_run)
    source.commit(remove, cause=CAUSE, dry_run=dry_run)
    now = _section_there(target, entry.path, section.heading)
    shown = f"## {section.heading}\n\n{section.text}"
    anchor = now.anchor if now else section.anchor
    return CopiedMemory(f"{_id_at(target, entry)}#{anchor}", entry.path, shown)


def _section_there(store: OpenStore, path: str, heading: str) -> Section | None:
    return document.section_named(document.body_of(store.text_at(path)[0]), heading)


def _id_at(store: OpenStore, entry: Entry) -> str:
    """The id of the other store's file."""
    if not store.files.exists(entry.path):
        return entry.id
    return document.memory_from_text(store.files.read(entry.path).text, entry.path).id


def _origin(store: OpenStore, name: str) -> str:
    return f"{store.root}#{name}".replace("-->", "--").replace("; source: ", ", ")


def _taken(target: OpenStore, entry: Entry, text: str, origin: str) -> CopiedMemory:
    name = target.free_id(_unnumbered(entry.id).partition("~")[0])
    path = target.path_for(entry.layer, entry.kind, name)
    related = [one for one in entry.related if target.index.entry(one.partition("#")[0])]
    for key, value in (("id", name), (ORIGIN, origin), ("updated", target.now)):
        text = document.with_field(text, key, value)
    for key in ("files", "session"):
        text = document.with_field(text, key, None)
    if entry.related:
        text = document.with_field(text, "related", related)
    return CopiedMemory(name, path, text)


def _unnumbered(name: str) -> str:
    """An id without the number of a fact: each store gives them for itself."""
    number = number_of(name)
    return (name.removeprefix(number).lstrip("-") or name) if number else name


def _taken_before(target: OpenStore, entry: Entry, origin: str) -> CopiedMemory | None:
    """The memory in the target if an earlier try has got so far."""
    for name in {entry.id, _unnumbered(entry.id)}:
        there = target.index.entry(name)
        if there:
            text = target.read(there).text
            if frontmatter.split_front(text).value(ORIGIN) == origin:
                return CopiedMemory(there.id, there.path, text)
    return None


def _came(store: OpenStore, past: ChangeGroup) -> set[str]:
    """Where the memories and sections that a change has put into a store come from."""
    found: set[str] = set()
    for op in past.ops:
        text = text_then(store, op.after) if op.op == "put" else ""
        if op.before is None:
            found.add(str(frontmatter.split_front(text).value(ORIGIN) or ""))
        found |= {*_NOTE.findall(text)} - {*_NOTE.findall(text_then(store, op.before))}
    return found - {""}


def text_then(store: OpenStore, stamp: str | None) -> str:
    """The text that the journal has under this stamp; nothing where it has none."""
    return store.journal.text_of(stamp) or ""


def _left(store: OpenStore, past: ChangeGroup) -> set[str]:
    """The memories and sections that a change has taken out of a store."""
    found: set[str] = set()
    for op in past.ops:
        if op.op == "remove":
            found.add(_origin(store, op.memory))
        elif op.op == "put" and op.before and op.after:
            before, after = (
                {
                    one.anchor
                    for one in document.sections_of(document.body_of(text_then(store, stamp)))
                }
                for stamp in (op.before, op.after)
            )
            found |= {_origin(store, f"{op.memory}#{anchor}") for anchor in before - after}
    return found


# ---------------------------------------------------------------------------------------- commands


class Pinned(NamedTuple):
    """The pointers of a store, where they stand, and what they cost in every session."""

    scope: str
    path: str  # of the instructions
    pointers: list[Pointer]
    block: str
    what: str = ""  # pinned, unpinned, unchanged

    @property
    def tokens(self) -> int:
        """What the block costs."""
        return count_tokens(self.block) if self.block else 0

    def as_json(self, shown: Sequence[Pointer]) -> dict[str, Any]:
        """What `--json` shows."""
        return {
            "scope": self.scope,
            "path": self.path,
            "what": self.what,
            "tokens": self.tokens,
            "pointers": shown,
        }


def pinned_in(
    store: OpenStore, pointers: Sequence[Pointer] | None = None, what: str = ""
) -> Pinned:
    """The pointers of a store; with `pointers`, these in place of those that it has."""
    pointers = pointers_of(store) if pointers is None else pointers
    path = path_for(store.root, store.scope)
    locations = {
        name: os.path.relpath(os.path.join(store.root, entry.path), os.path.dirname(path))
        for name, entry in places_of(store, pointers).items()
    }
    block = block_of(pointers, locations, store.settings.lang)
    return Pinned(store.scope, path, [p for p in pointers if p.id in locations], block, what)


def pin(app: Workspace, name: str, *, brief: str, when: tuple[str, ...], dry_run: bool) -> Pinned:
    """Point to a memory in the instructions that every session loads.

    Raises MemoryNotFound, UsageProblem, Unreadable.
    """
    _require_person(app, "pin")
    store = app.store_of(name)
    if locations.is_private(store.root):
        what = "This project's memories are outside the repository; `recollect init --scope project` moves them in."
        raise UsageProblem(what=what, command="pin")
    entry = named_in(store, name)
    if lowest_trust(entry.trust, "agent") != "agent":
        what = f"{name} comes from a {entry.trust} source; read it, then run `recollect set {name} trust=user`."
        raise UsageProblem(what=what, command="pin")
    if entry.private:
        raise UsageProblem(what=f"{name} is private.", command="pin")
    when = tuple(map(app.redact, when))
    pointer = pointer_to(entry, app.redact(brief), when, app.now)

    def change(old: list[Pointer]) -> list[Pointer]:
        if all(one.id != pointer.id for one in old):
            return [*old, pointer]
        return [pointer if one.id == pointer.id else one for one in old]

    return _change_pins(app, store, change, "pin", dry_run=dry_run)


def _change_pins(
    app: Workspace,
    store: OpenStore,
    change: Callable[[list[Pointer]], list[Pointer]],
    command: str,
    *,
    dry_run: bool,
) -> Pinned:
    if not _are_own(store):
        path = f"{store.root}/{FILE}"
        what = f"The pointers in {path} came with the project and do not count, nor would yours among them. `recollect review --repository accept` accepts them with its memories."
        raise UsageProblem(what=what, command=command)

    def changed(text: str) -> str:
        old = pointers_in(text)
        new = change(old)
        return text if new == old else with_pointers(text, new)

    done = pinned_in(store, change(pointers_of(store)), f"{command}ned")
    _put_block(store, done, dry_run=True)  # before anything is changed
    if not dry_run:
        store.rewrite(FILE, changed, cause=command)
        renew(app, store)
    return done


def unpin(app: Workspace, name: str, *, dry_run: bool) -> Pinned:
    """Take a pointer out again. Raises MemoryNotFound where no store has it pinned."""
    _require_person(app, "unpin")
    names = {name}

    def change(old: list[Pointer]) -> list[Pointer]:
        return [one for one in old if one.id not in names]

    for store in app.stores():
        with suppress(RecollectError):
            names.add(named_in(store, name).id)  # `d001` is pinned by its whole id
        if any(one.id in names for one in pointers_of(store)):
            return _change_pins(app, store, change, "unpin", dry_run=dry_run)
    return pinned_in(app.store_of(name), what="unchanged")


def purge_pointer(app: Workspace, store: OpenStore, done: SaveResult) -> None:
    """Take the pointer to a memory that is purged out of all stores, and of what their journals keep of it."""
    names = {done.id} if "#" in done.id else {done.id, document.stem_of(done.path)}

    def changed(text: str) -> str:
        return with_pointers(text, [one for one in pointers_in(text) if one.id not in names])

    for one in app.stores():
        is_there = one.root != store.root and any(map(one.index.entry, names))
        texts = [op.text or "" for op in one.journal.ops_about("path", FILE)]
        known = {pointer.id for text in texts for pointer in pointers_in(text)}
        if not is_there and not known.isdisjoint(names) and _are_own(one):
            one.rewrite(FILE, changed, cause="forget")
            with one.files.locked():
                one.journal.purge(FILE)


def renew(app: Workspace, store: OpenStore) -> None:
    """Bring the instructions in line with what is pinned.

    Nothing gets there that came along, or was pulled, and waits for the person's word: neither
    others' pins nor the place of a memory that has the id of one's own.
    """
    if not _are_own(store):
        return
    pointers = None
    if store.files.believed is not None:
        pointers = pointers_of(store)
        there = places_of(store, pointers)
        own = {name for name, entry in there.items() if store.files.is_own(entry.stamp)}
        pointers = [one for one in pointers if one.id in own]
    found = pinned_in(store, pointers)
    _put_block(store, found)
    # That there is a block must be known when an undo has taken the last pin away.
    mark = f"{app.cache_of(store.root)}/pointers"
    if found.block:
        disk.write_whole(mark, b"", durable=False)
    else:
        disk.remove(mark)


def _put_block(store: OpenStore, pinned: Pinned, *, dry_run: bool = False) -> None:
    if store.scope == "project":
        require_inside(pinned.path, project_above(store.root))
    put_block(pinned.path, pinned.block, dry_run=dry_run)


def _are_own(store: OpenStore) -> bool:
    stamp = store.text_at(FILE)[1]
    return stamp is None or store.files.is_own(stamp)


# --------------------------------------------------------------------------- for all projects


class Promoted(NamedTuple):
    """A memory that was taken over for all projects, or would be, and what speaks for it."""

    old: str
    id: str
    path: str
    scope: str
    decision: ScopeEstimate
    text: str = ""
    title: str = ""
    unpinned: str = ""  # the project's instructions that pointed to it

    def as_json(self) -> dict[str, Any]:
        """What `--json` shows; the decision in the words of seed 002."""
        return {
            "id": self.id,
            "from": self.old,
            "path": self.path,
            "scope": self.scope,
            "scope_decision": {
                "automatic": self.decision.scope,
                "generalizability": self.decision.generalizability,
                "reasoning": list(self.decision.reasons),
                "blockers": list(self.decision.blockers),
            },
        }


def promote(app: Workspace, name: str, *, dry_run: bool) -> Promoted:
    """Take a memory of the project over into the store of all projects.

    Raises StoreNotFound, MemoryNotFound, UsageProblem.
    """
    what = "Only a person can move a memory to the global store: run it in your own terminal."
    workspace.require_person(app.env, "promote", what)
    source, target = app.store("project"), app.store("global")
    page, _, anchor = name.partition("#")
    entry = source.require(page)
    if entry.private:
        raise UsageProblem(what=f"{name} is private.", command="promote")
    if "core/" in entry.path or entry.path.endswith("/summary.md"):
        what = f"{name} belongs to this project; save what was learned as a separate memory."
        raise UsageProblem(what=what, command="promote")
    is_pinned = any(one.id == name for one in pointers_of(source))
    if entry.path in SHARED.values() and not anchor:
        what = f"{name} has several sections: name one, as {name}#…"
        raise UsageProblem(what=what, command="promote")
    if entry.path in SHARED.values() and not anchor.startswith("^"):
        decision = _scoped(source, entry, section_of(source, entry, name))
        done = take_over_section(source, target, entry, name, dry_run=dry_run)
    elif anchor:
        one = require_entry(source, name, "promote")
        decision = _scoped(source, entry, one.row)
        made = entry_promote.take_over_entry(app, source, target, one, dry_run=dry_run)
        done = CopiedMemory(made.id, made.path, made.text)
    else:
        decision = _scoped(source, entry)
        done = take_over(source, target, entry, dry_run=dry_run)
    path = os.path.join(target.root, done.path)
    # Into the instructions for all projects it comes only on request.
    unpinned = path_for(source.root, source.scope) if is_pinned else ""
    scope = target.scope
    return Promoted(name, done.id, path, scope, decision, done.text, entry.title, unpinned)


def worth_promoting(app: Workspace) -> list[Promoted]:
    """The memories of the project that seem to hold for all projects, most general first."""
    store = app.store("project")
    found: list[Promoted] = []
    for entry in store.index.entries(Filter(superseded=False)):
        if entry.private or entry.layer == "episodic" or "core/" in entry.path:
            continue
        path = os.path.join(store.root, entry.path)
        with suppress(RecollectError):
            found += [
                Promoted(name, name, path, "project", decision, title=title)
                for name, title, decision in _candidates(store, entry)
                if decision.scope == "global"
            ]
    return sorted(found, key=lambda one: (-one.decision.generalizability, one.id))


def _candidates(store: OpenStore, entry: Entry) -> Iterator[tuple[str, str, ScopeEstimate]]:
    """The memory, or each section of a file that many share: name, title, where it belongs."""
    if entry.path not in SHARED.values():
        yield entry.id, entry.title, _scoped(store, entry)
        return
    for section in index_units(store.memory(entry)):
        if section.heading:
            name = f"{entry.id}#{section.anchor}"
            yield name, section.heading, _scoped(store, entry, section)


def _scoped(store: OpenStore, entry: Entry, section: IndexUnit | None = None) -> ScopeEstimate:
    """Where a memory belongs, or one section of it."""
    memory = store.memory(entry)
    if section:
        about = {field: getattr(section, field) for field in ("kind", "source", "trust")}
        title = section.text if section.anchor.startswith("^") else section.heading
        memory = memory._replace(title=title, body=section.text, files=(), **about)
    return scope_of(memory, locations.project_of_store(store.root))


def undo_other_half(app: Workspace, store: OpenStore, past: ChangeGroup) -> None:
    """Let the other store go back with the one in which a promotion was undone."""
    origins = _moved(store, past)
    for other in (one for one in app.stores() if one is not store):
        for one in history.history(other):
            is_open = one.cause == CAUSE and not one.undone and not one.undoes
            if is_open and _moved(other, one) & origins:
                history.undo(other, one.id)
                break


def _moved(store: OpenStore, past: ChangeGroup) -> set[str]:
    """What a promotion has put into a store, or taken out of it."""
    came, left = entry_promote.moved_statements(store, past)
    return _came(store, past) | _left(store, past) | came | left


def _require_person(app: Workspace, command: str) -> None:
    what = (
        "Only a person changes instructions that every session loads: run it in your own terminal."
    )
    workspace.require_person(app.env, command, what)
