"""Consolidate: the steps of a plan, carried out.

Promises: every step is journaled and undone by itself; what somebody changed since the plan was made
is not touched, and then nothing is archived either; a kill between two steps leaves a store that
the next pass goes on with.
Touches: the ports behind the store it is given.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from functools import partial
from typing import Any, cast

from recollect.domain.lifecycle import Archive, Start, changed, started
from recollect.domain.lifecycle.applying import Change as FileAction
from recollect.domain.model import Change
from recollect.errors import ChangedMeanwhile
from recollect.ports import Journal
from recollect.services.consolidate.gathering import Gathered
from recollect.services.consolidate.steps import Step
from recollect.services.ledger import Ledger
from recollect.services.opened import OpenStore
from recollect.services.writing.changing import files_of

SUMMARY = "/summary.md"


def carry_out(store: OpenStore, gathered: Gathered, steps: Sequence[Step]) -> list[Step]:
    """Carry out these steps; gives those that could not be, since their files have changed."""
    usual = store.ledger
    journal = cast("Journal", _KnownTexts(store.journal, gathered.texts))
    ledger = Ledger(usual.store, journal, usual.index, usual.moment, usual.redact)
    ledger.encrypt = usual.encrypt
    refused = ledger.commit_each(
        (step.cause, partial(changes_of, store, gathered, step)) for step in steps
    )
    return [steps[n] for n in refused]


class _KnownTexts:
    """A journal of which it is known what texts it has, so that it is not searched for each file.

    A text that somebody journaled meanwhile is kept twice, which does no harm.
    """

    def __init__(self, journal: Journal, texts: Container[str]) -> None:
        self._journal, self._texts = journal, texts

    def __getattr__(self, name: str) -> Any:
        return getattr(self._journal, name)

    def text_of(self, stamp: str) -> str | None:
        return "" if stamp in self._texts else None


def changes_of(store: OpenStore, gathered: Gathered, step: Step) -> list[Change]:
    """The changes of a step. Raises ChangedMeanwhile if its file is not as the plan saw it."""
    if isinstance(step.actions[0], Archive):
        return _moves(store, gathered, step)
    return [change for change in [_put(store, gathered, step)] if change]


def _put(store: OpenStore, gathered: Gathered, step: Step) -> Change | None:
    first, rest = step.actions[0], step.actions
    if isinstance(first, Start):
        old, stamp, memory, rest = started(first), None, first.id, rest[1:]
    else:
        document = store.files.read(step.path)
        old, stamp = document.text, document.stamp
        memory = gathered.entries[step.path].id
        if stamp != gathered.files.stamps.get(step.path):
            raise ChangedMeanwhile(path=step.path)
    actions = [action for action in rest if isinstance(action, FileAction)]
    new = changed(old, *actions)
    if stamp and new == old:
        return None
    gathered.files.foresee(step.path, new)
    return Change("put", step.path, memory, stamp, new)


def _moves(store: OpenStore, gathered: Gathered, step: Step) -> list[Change]:
    seen = gathered.files.stamps.get(step.path)
    if store.files.stamp(step.path) != seen:
        raise ChangedMeanwhile(path=step.path)
    return moves(store, gathered.entries[step.path].id, step.path, f"archive/{step.path}")


def moves(store: OpenStore, memory: str, path: str, to: str) -> list[Change]:
    """The changes that bring a memory, with its raw conversation, from `path` to a free place."""
    place = free_place(store, to)
    changes = []
    for one in files_of(path):
        stamp = store.files.stamp(one)
        if stamp is not None:
            target = _folder(place) + one[len(_folder(path)) :] if one != path else place
            changes.append(Change("move", one, memory, stamp, to=target))
    return changes


def _folder(path: str) -> str:
    return path[: path.rfind("/") + 1]


def free_place(store: OpenStore, path: str) -> str:
    """`path`, or the next free one after it; the place of a conversation is its whole folder."""
    tail = SUMMARY if path.endswith(SUMMARY) else ".md"
    stem = path.removesuffix(tail)
    taken = "" if tail == SUMMARY else tail
    name, n = stem, 1
    while store.files.exists(name + taken):
        n += 1
        name = f"{stem}-{n}"
    return name + tail
