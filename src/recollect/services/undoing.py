"""Undoing: the history of a store, and the way back.

Promises: undoing a change restores the bytes that were there before it; what was changed since is
never overwritten; an undo can be undone.
Touches: the ports behind the store it is given.
"""

from __future__ import annotations

from collections.abc import Mapping

from recollect.domain.model import Change, Op
from recollect.errors import AlreadyThere, ChangedMeanwhile, ChangeNotFound, Failed, NothingToUndo
from recollect.named import NamedTuple
from recollect.services import past as pasts_of
from recollect.services.ledger import OUTSIDE
from recollect.services.opened import OpenStore

ALL_SINCE = ">"  # in `undoes`: not this change, but all that came behind it
EDITED, PURGED = "edited by hand since", "its text from then was purged"


class Past(NamedTuple):
    """A change as a person thinks of it: one command, one or more files."""

    id: str
    time: str
    cause: str
    memories: tuple[str, ...]
    paths: tuple[str, ...]
    undone: bool
    undoes: str
    ops: tuple[Op, ...]  # without their texts

    @property
    def what(self) -> str:
        """`created`, `changed`, `moved` or `removed`."""
        ops = [op for op in self.ops if op.cause != OUTSIDE]
        kinds = {"move": "moved", "remove": "removed"}
        first = ops[-1]
        if first.op == "remove" and ops[0].op == "put" and ops[0].before is None:
            return "moved"  # a new file in place of the old one
        return kinds.get(first.op, "created" if first.before is None else "changed")


def history(store: OpenStore, name: str = "") -> list[Past]:
    """The changes of a store, newest first; of one memory where it is named by id or path."""
    groups: dict[str, list[Op]] = {}
    for op in store.journal.heads():
        groups.setdefault(op.group, []).append(op)
    undone = _undone({g: ops[-1].undoes for g, ops in groups.items()})
    pasts = [_past(group, ops, undone) for group, ops in groups.items()]
    memory_id = name.partition("#")[0]
    if name:
        entry = store.index.entry(memory_id)
        memory_id = entry.id if entry else memory_id
        paths = {entry.path} if entry else set()
        pasts = [
            p for p in pasts if memory_id in p.memories or paths & set(p.paths) or name in p.paths
        ]
    return list(reversed(pasts))


def _undone(undoes: dict[str, str]) -> set[str]:
    """The changes that are undone now: by a change that is not undone itself."""
    gone: set[str] = set()
    groups = list(undoes)
    for n in reversed(range(len(groups))):
        what = "" if groups[n] in gone else undoes[groups[n]]
        if what.startswith(ALL_SINCE):
            point = what.removeprefix(ALL_SINCE)
            gone.update(groups[groups.index(point) + 1 if point in undoes else 0 : n])
        elif what:
            gone.add(what)
    return gone


def _past(group: str, ops: list[Op], undone: set[str]) -> Past:
    real = [op for op in ops if op.cause != OUTSIDE] or ops
    return Past(
        id=group,
        time=real[-1].time,
        cause=real[-1].cause,
        memories=tuple(dict.fromkeys(op.memory for op in real if op.memory)),
        paths=tuple(dict.fromkeys(op.path for op in real)),
        undone=group in undone,
        undoes=real[-1].undoes,
        ops=tuple(ops),
    )


def undo(store: OpenStore, name: str = "", *, dry_run: bool = False) -> Past:
    """Take back a change: the one with this id, the last one of this memory, or the last of all.

    Raises:
        NothingToUndo, ChangeNotFound: there is no such change.
        ChangedMeanwhile, AlreadyThere: something else changed the file after it, or has its place.
        Failed: the text from before was purged.
    """
    past = _wanted(store, name)
    if past.cause == "encrypt":
        sealed = past.ops[0].memory
        raise Failed(what=f"What was encrypted is made plain by `recollect decrypt {sealed}`.")

    def plan() -> list[Change]:
        real = [op for op in past.ops if op.cause != OUTSIDE]
        return [change for op in reversed(real) for change in _reverse(store, op)]

    if dry_run:
        plan()
    else:
        store.commit(plan, cause="undo", undoes=past.id)
    return past


def _wanted(store: OpenStore, name: str) -> Past:
    pasts = history(store)
    if name:
        # Ids of changes begin with the time: a start of one may well fit several.
        meant = [p for p in pasts if p.id == name or (len(name) >= 8 and p.id.startswith(name))]
        if len(meant) == 1:
            return meant[0]
        pasts = history(store, name)
        if not pasts:
            raise ChangeNotFound(id=name)
    for past in pasts:
        if not past.undone and not past.undoes:
            return past
    raise NothingToUndo


class Rewound(NamedTuple):
    """A store taken back to a point: how many changes that was, and what became of the files."""

    time: str
    changes: int
    effects: list[tuple[str, str]]  # what a file is now, and its path
    left: list[tuple[str, str]]  # a file that stays as it is, and why
    change: str = ""  # the undo itself, which can be undone

    @property
    def what(self) -> str:
        """`nothing` where the store is as it was, else `rewound`."""
        return "rewound" if self.effects else "nothing"


def undo_to(store: OpenStore, name: str, *, dry_run: bool = False) -> Rewound:
    """Take the files back to where they were behind a change, or at a time.

    What a person edited since by hand stays, and so does what belongs to it; all else comes back
    in one change, which can be undone.

    Raises:
        ChangeNotFound: there is no such point.
    """
    found: list[Rewound] = []

    def plan() -> list[Change]:
        changes, rewound = _way_back(store, name)
        found[:] = [rewound]
        return changes

    if dry_run:
        plan()
        return found[0]
    point = pasts_of.point_named(store.journal.heads(), name)
    ops = store.commit(plan, cause="undo", undoes=ALL_SINCE + point.change)
    return found[0]._replace(change=ops[0].group if ops else "")


def _way_back(store: OpenStore, name: str) -> tuple[list[Change], Rewound]:
    ops = store.journal.heads()
    point = pasts_of.point_named(ops, name)
    behind = set(point.later)
    later = [op for op in ops if op.group in behind]
    wanted = pasts_of.stamps_at(point, ops)
    texts = _texts(store, wanted)
    left = _left(store, later, wanted, texts)
    memories = {path: op.memory for op in later for path in (op.path, op.to) if path}
    changes, effects = [], []
    for path, then in wanted.items():
        now = store.files.stamp(path)
        if path in left or now == then:
            continue
        if then is None:
            changes.append(Change("remove", path, memories[path], now))
            effects.append(("created", path))
        else:
            changes.append(Change("put", path, memories[path], now, texts[then]))
            effects.append(("removed" if now is None else "changed", path))
    changes.sort(key=lambda change: change.op != "remove")
    return changes, Rewound(point.time, len(point.later), effects, sorted(left.items()))


def _left(
    store: OpenStore,
    later: list[Op],
    wanted: dict[str, str | None],
    texts: dict[str, str],
) -> dict[str, str]:
    """The files that stay as they are, each with the reason."""
    expected = pasts_of.last_stamps(later)
    together = pasts_of.moved_together(later)
    left: dict[str, str] = {}
    for path, then in wanted.items():
        now = store.files.stamp(path)
        why = EDITED if now not in (None, expected[path], then) else ""
        why = why or (PURGED if then is not None and then not in texts and now != then else "")
        if why:
            left |= dict.fromkeys(together.get(path, {path}), why)
    return left


def bring_back(store: OpenStore, *, dry_run: bool = False) -> list[str]:
    """Put back the files that were taken away without a command; gives their paths.

    What they said is what the last command wrote; an edit by hand behind that is not known.
    """
    found: list[str] = []

    def plan() -> list[Change]:
        changes = gone_files(store)
        found[:] = [change.path for change in changes]
        return changes

    if dry_run:
        plan()
    else:
        store.commit(plan, cause="undo")
    return found


def gone_files(store: OpenStore) -> list[Change]:
    """What would bring back the files that are gone, and that are nowhere else by now."""
    ops = store.journal.heads()
    memories = {path: op.memory for op in ops for path in (op.path, op.to) if path}
    here = {row.stamp for row in store.index.known().values()}
    gone = {
        path: stamp
        for path, stamp in pasts_of.last_stamps(ops).items()
        if stamp not in here
        and not store.files.exists(path)
        # A person may have given the file another place.
        and (not memories[path] or store.index.entry(memories[path]) is None)
    }
    texts = _texts(store, gone)
    return [
        Change("put", path, memories[path], None, texts[stamp])
        for path, stamp in gone.items()
        if stamp in texts
    ]


def _texts(store: OpenStore, wanted: Mapping[str, str | None]) -> dict[str, str]:
    """The texts that these files had, by their stamps, as far as the journal has them."""
    texts = {stamp: store.journal.text_of(stamp) for stamp in wanted.values() if stamp}
    return {stamp: text for stamp, text in texts.items() if text is not None}


def _reverse(store: OpenStore, op: Op) -> list[Change]:
    """The changes that take one op back, if the file is as the op left it."""
    now = op.before if op.op == "move" else op.after  # None behind a removal
    here = op.to or op.path
    if store.files.stamp(here) != now:
        raise ChangedMeanwhile(path=here)
    if op.op == "move":
        if store.files.exists(op.path):
            raise AlreadyThere(path=op.path)
        return [Change("move", here, op.memory, now, to=op.path)]
    if op.before is None:
        return [Change("remove", op.path, op.memory, now)]
    text = store.journal.text_of(op.before)
    if text is None:
        raise Failed(what=f"The journal does not have the text of {op.path} from before any more.")
    return [Change("put", op.path, op.memory, now, text)]
