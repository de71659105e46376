"""Undoing: the history of a store, and the way back.

Promises: undoing a change restores the bytes that were there before it; what was changed since is
never overwritten; an undo can be undone.
Touches: the ports behind the store it is given.
"""

from __future__ import annotations

from typing import NamedTuple

from recollect.domain.model import Change, Op
from recollect.errors import ChangedMeanwhile, ChangeNotFound, Failed, NothingToUndo
from recollect.services.ledger import OUTSIDE
from recollect.services.opened import OpenStore


class Past(NamedTuple):
    """A change as a person thinks of it: one command, one or more files."""

    id: str
    time: str
    cause: str
    memories: tuple[str, ...]
    paths: tuple[str, ...]
    undone: bool
    undoes: str
    ops: tuple[Op, ...]

    @property
    def what(self) -> str:
        """`created`, `changed`, `moved` or `removed`."""
        ops = [op for op in self.ops if op.cause != OUTSIDE]
        kinds = {"move": "moved", "remove": "removed"}
        first = ops[-1]
        return kinds.get(first.op, "created" if first.before is None else "changed")


def history(store: OpenStore, name: str = "") -> list[Past]:
    """The changes of a store, newest first; of one memory where it is named by id or path."""
    groups: dict[str, list[Op]] = {}
    for op in store.journal.ops():
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
    for group in reversed(undoes):
        if undoes[group] and group not in gone:
            gone.add(undoes[group])
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
        ChangedMeanwhile: something else changed the file after it.
        Failed: the text from before was purged.
    """
    past = _wanted(store, name)
    texts = _texts(store)

    def plan() -> list[Change]:
        real = [op for op in past.ops if op.cause != OUTSIDE]
        return [change for op in reversed(real) for change in _reverse(store, op, texts)]

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


def _texts(store: OpenStore) -> dict[str, str]:
    """Every text that the journal has, by its stamp."""
    return {op.after: op.text for op in store.journal.ops() if op.text is not None and op.after}


def _reverse(store: OpenStore, op: Op, texts: dict[str, str]) -> list[Change]:
    """The changes that take one op back, if the file is as the op left it."""
    if op.op == "move":
        return [Change("move", op.to, op.memory, op.before, to=op.path)]
    now = None if op.op == "remove" else op.after
    if store.files.stamp(op.path) != now:
        raise ChangedMeanwhile(path=op.path)
    if op.before is None:
        return [Change("remove", op.path, op.memory, now)]
    if op.before not in texts:
        raise Failed(what=f"The journal does not have the text of {op.path} from before any more.")
    return [Change("put", op.path, op.memory, now, texts[op.before])]
