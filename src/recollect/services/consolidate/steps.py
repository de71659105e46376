"""Consolidate: from the actions of a plan to steps, one for each file.

Promises: a step is one group of the journal, so that it holds whole or not at all and is undone by
itself, whatever the others did; the files that take claims in come before the episodes that go.
Touches: nothing.

A step is a file and not an action: a file is written once, not once for each of its claims, and
two steps never touch the same file, so that they can be undone in any order.
"""

from __future__ import annotations

from collections.abc import Iterable

from recollect.domain.lifecycle import (
    Absorb,
    Action,
    Archive,
    Merge,
    Past,
    Renew,
    Start,
    Wait,
    Weigh,
)
from recollect.named import NamedTuple
from recollect.services.consolidate.gathering import CAUSE


class Step(NamedTuple):
    """What is done to one file."""

    path: str
    actions: tuple[Action, ...]

    @property
    def cause(self) -> str:
        """What history says of it."""
        if isinstance(self.actions[0], Archive):
            return f"{CAUSE}/decay"
        if self.is_weighing:
            return f"{CAUSE}/weigh"
        known = (Start, Absorb, Renew, Past, Weigh)
        is_peaceful = all(isinstance(action, known) for action in self.actions)
        return f"{CAUSE}/absorb" if is_peaceful else f"{CAUSE}/supersede"

    @property
    def is_weighing(self) -> bool:
        """Whether it only says anew how much something is believed and matters."""
        return all(isinstance(action, Weigh) for action in self.actions)


class Steps(NamedTuple):
    """A plan, sorted: what is done, in its order, and what is left to a person."""

    steps: tuple[Step, ...]
    archives: tuple[Step, ...]
    waits: tuple[Wait, ...]
    merges: tuple[Merge, ...]


def steps_of(actions: Iterable[Action]) -> Steps:
    """The steps of a plan."""
    files: dict[str, list[Action]] = {}
    archives: list[Step] = []
    waits: list[Wait] = []
    merges: list[Merge] = []
    for action in actions:
        if isinstance(action, Wait):
            waits.append(action)
        elif isinstance(action, Merge):
            merges.append(action)
        elif isinstance(action, Archive):
            archives.append(Step(action.path, (action,)))
        else:
            files.setdefault(action.path, []).append(action)
    steps = tuple(Step(path, tuple(row)) for path, row in files.items())
    return Steps(steps, tuple(archives), tuple(waits), tuple(merges))
