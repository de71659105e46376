"""Pin and promote memories by command."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress

from recollect import workspace as here
from recollect._fastimport import NamedTuple
from recollect.context import pointers as client
from recollect.context import pointers as domain
from recollect.context.pointers import Pointer
from recollect.errors import RecollectError, UsageProblem
from recollect.features import pins as service
from recollect.features.pins import Scoped, scope_of
from recollect.model.document import memory_from_text
from recollect.model.entries import Shelved, shelved
from recollect.model.memory import Entry, Filter, lowest_trust
from recollect.store import disk as fsio
from recollect.store import history as undoing
from recollect.store import locations as places
from recollect.store.history import Past
from recollect.store.store import OpenStore
from recollect.text.tokens import count_tokens
from recollect.workspace import Workspace, publish_after_change

TYPE_CHECKING = False  # `typing` takes longer to load than a search
if TYPE_CHECKING:
    from typing import Any


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
            "pointers": [
                {**p._asdict(), "when": list(p.when), "tags": list(p.tags)} for p in shown
            ],
        }


def pins(app: Workspace, *, scope: str) -> list[Pinned]:
    """The pointers of each store."""
    return [pinned_in(store) for store in app.stores(scope)]


def pinned_in(store: OpenStore) -> Pinned:
    """The pointers of a store."""
    return _pinned(store, service.pinned(store))


def _pinned(store: OpenStore, pointers: list[Pointer], what: str = "") -> Pinned:
    path = client.path_for(store.files.root, store.scope)
    places = {
        name: os.path.relpath(os.path.join(store.files.root, entry.path), os.path.dirname(path))
        for name, entry in service.places_of(store, pointers).items()
    }
    block = domain.block_of(pointers, places, store.settings.lang)
    return Pinned(store.scope, path, [p for p in pointers if p.id in places], block, what)


def pin(app: Workspace, name: str, *, brief: str, when: tuple[str, ...], dry_run: bool) -> Pinned:
    """Point to a memory in the instructions that every session loads.

    Raises:
        MemoryNotFound: there is none of this id.
        UsageProblem: it is not a person who asks, or not a memory to be pointed to.
        Unreadable: the file of instructions cannot be edited safely.
    """
    _require_person(app, "pin")
    store = app.store_of(name)
    if places.is_private(store.files.root):
        what = "This project's memories are outside the repository; `recollect init --scope project` moves them in."
        raise UsageProblem(what=what, command="pin")
    entry = service.named(store, name)
    if lowest_trust(entry.trust, "agent") != "agent":
        what = f"{name} comes from a {entry.trust} source; read it, then run `recollect set {name} trust=user`."
        raise UsageProblem(what=what, command="pin")
    if entry.private:
        raise UsageProblem(what=f"{name} is private.", command="pin")
    when = tuple(map(app.redact, when))
    pointer = domain.pointer_to(entry, app.redact(brief), when, app.now)
    old = service.pinned(store)
    new = [*(one for one in old if one.id != pointer.id), pointer]
    done = _pinned(store, new, "pinned")
    client.put_block(done.path, done.block, dry_run=True)  # before anything is changed
    if not dry_run:
        service.pin(store, pointer)
        renew(app, store)
    return done


def unpin(app: Workspace, name: str, *, dry_run: bool) -> Pinned:
    """Take a pointer out again. Raises MemoryNotFound where no store has it pinned."""
    _require_person(app, "unpin")
    for store in app.stores():
        old = service.pinned(store)
        if any(one.id == name for one in old):
            left = [one for one in old if one.id != name]
            done = _pinned(store, left, "unpinned")
            client.put_block(done.path, done.block, dry_run=True)
            if not dry_run:
                service.unpin(store, name)
                renew(app, store)
            return done
    store = app.store_of(name)
    return _pinned(store, service.pinned(store), "unchanged")


def renew(app: Workspace, store: OpenStore) -> None:
    """Bring the instructions in line with what is pinned."""
    found = pinned_in(store)
    client.put_block(found.path, found.block)
    # That there is a block must be known when an undo has taken the last pin away.
    mark = f"{app.cache_of(store.files.root)}/pointers"
    if found.block:
        fsio.write_whole(mark, b"", durable=False)
    else:
        fsio.remove(mark)


# --------------------------------------------------------------------------- for all projects


class Promoted(NamedTuple):
    """A memory that was taken over for all projects, or would be, and what speaks for it."""

    old: str
    id: str
    path: str
    scope: str
    decision: Scoped
    text: str = ""
    title: str = ""

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

    Raises:
        StoreNotFound, MemoryNotFound: there is nothing to take over, or nowhere to.
        UsageProblem: it is no memory that can leave its project.
    """
    what = "Only a person can move a memory to the global store: run it in your own terminal."
    here.require_person(app.env, "promote", what)
    source, target = app.store("project"), app.store("global")
    entry = source.require(name.partition("#")[0])
    if entry.private:
        raise UsageProblem(what=f"{name} is private.", command="promote")
    if "core/" in entry.path or entry.path.endswith("/summary.md"):
        what = f"{name} belongs to this project; save what was learned as a separate memory."
        raise UsageProblem(what=what, command="promote")
    if service.is_shared(entry):
        if "#" not in name:
            what = f"{name} has several sections: name one, as {name}#…"
            raise UsageProblem(what=what, command="promote")
        decision = _scoped(source, entry, service.section_of(source, entry, name))
        done = service.take_over_section(source, target, entry, name, dry_run=dry_run)
    else:
        entry = source.require(name)
        decision = _scoped(source, entry)
        done = service.take_over(source, target, entry, dry_run=dry_run)
    if not dry_run:
        publish_after_change(app, source)
        publish_after_change(app, target)
    path = os.path.join(target.files.root, done.path)
    return Promoted(name, done.id, path, target.scope, decision, done.text, entry.title)


def worth_promoting(app: Workspace) -> list[Promoted]:
    """The memories of the project that seem to hold for all projects, most general first."""
    store = app.store("project")
    found: list[Promoted] = []
    for entry in store.index.entries(Filter(superseded=False)):
        if entry.private or entry.layer == "episodic" or "core/" in entry.path:
            continue
        path = os.path.join(store.files.root, entry.path)
        with suppress(RecollectError):
            found += [
                Promoted(name, name, path, "project", decision, title=title)
                for name, title, decision in _candidates(store, entry)
                if decision.scope == "global"
            ]
    return sorted(found, key=lambda one: (-one.decision.generalizability, one.id))


def _candidates(store: OpenStore, entry: Entry) -> Iterator[tuple[str, str, Scoped]]:
    """The memory, or each section of a file that many share: name, title, where it belongs."""
    if not service.is_shared(entry):
        yield entry.id, entry.title, _scoped(store, entry)
        return
    for section in shelved(memory_from_text(store.read(entry).text, entry.path)):
        if section.heading:
            name = f"{entry.id}#{section.anchor}"
            yield name, section.heading, _scoped(store, entry, section)


def _scoped(store: OpenStore, entry: Entry, section: Shelved | None = None) -> Scoped:
    """Where a memory belongs, or one section of it."""
    memory = memory_from_text(store.read(entry).text, entry.path)
    if section:
        about = {field: getattr(section, field) for field in ("kind", "source", "trust")}
        memory = memory._replace(title=section.heading, body=section.text, files=(), **about)
    return scope_of(memory, places.project_of_store(store.files.root))


def undo_other_half(app: Workspace, store: OpenStore, past: Past) -> None:
    """Let the other store go back with the one in which a promotion was undone."""
    for other in app.stores():
        if other is not store and past.cause == service.CAUSE:
            half = service.other_half(store, past, other)
            if half:
                undoing.undo(other, half.id)
                publish_after_change(app, other)


def _require_person(app: Workspace, command: str) -> None:
    what = (
        "Only a person changes instructions that every session loads: run it in your own terminal."
    )
    here.require_person(app.env, command, what)
