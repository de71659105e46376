"""Promoting: a memory pinned so that it is always pointed to, or taken over for all projects.

Promises: only what a person named is pinned or taken over; each is a change of the journal and can
be undone; a memory that was taken over says where it comes from and keeps its fields.
Touches: the ports behind the stores it is given.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from recollect.domain import codec
from recollect.domain.factsview import number_of
from recollect.domain.model import Change, Entry
from recollect.domain.pointers import FILE, Pointer, pointers_in, with_pointers
from recollect.named import NamedTuple
from recollect.services import undoing
from recollect.services.opened import OpenStore
from recollect.services.undoing import Past

CAUSE = "promote"
ORIGIN = "promoted-from"  # the field that says which store and id a memory was taken over from


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
    found = {one.id: store.index.entry(one.id) for one in pointers}
    return {name: entry for name, entry in found.items() if entry and not entry.private}


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


def _taken(target: OpenStore, entry: Entry, text: str, origin: str) -> Taken:
    number = number_of(entry.id)
    # The numbers of facts are given by each store for itself.
    wanted = entry.id.removeprefix(number).lstrip("-") or entry.id if number else entry.id
    name = target.free_id(wanted.partition("~")[0])
    path = target.path_for(entry.layer, entry.kind, name)
    related = [one for one in entry.related if target.index.entry(one.partition("#")[0])]
    for key, value in (("id", name), (ORIGIN, origin), ("updated", target.now)):
        text = codec.with_field(text, key, value)
    for key in ("project", "files", "session"):
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
            if codec.split_front(text).value(ORIGIN) == origin:
                return Taken(there.id, there.path, text)
    return None


def other_half(store: OpenStore, past: Past, other: OpenStore) -> Past | None:
    """What taking over a memory did to the other store, if that is not undone yet."""
    origins = _origins(store, past) or {f"{store.files.root}#{name}" for name in past.memories}
    for one in undoing.history(other):
        if one.cause == CAUSE and not one.undone and not one.undoes:
            mine = _origins(other, one) or {f"{other.files.root}#{name}" for name in one.memories}
            if mine & origins:
                return one
    return None


def _origins(store: OpenStore, past: Past) -> set[str]:
    """Where the memories that a change has put into a store come from."""
    texts = (store.journal.text_of(op.after) for op in past.ops if op.op == "put" and op.after)
    found = (codec.split_front(text).value(ORIGIN) for text in texts if text)
    return {origin for origin in found if isinstance(origin, str) and origin}
