"""Consolidate: a pass as rows: what goes where, and why.

Promises: one row for each action, in their order, with the episode it comes from; nothing but data,
so that a door can say it in any language.
Touches: nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any

from recollect.domain.lifecycle import (
    Absorb,
    Action,
    Archive,
    Merge,
    Past,
    Renew,
    Replace,
    Retire,
    Start,
    Wait,
    Weigh,
)
from recollect.named import NamedTuple

if TYPE_CHECKING:
    from recollect.services.consolidate.passing import Outcome
    from recollect.services.consolidate.steps import Step

ABSORBED, SUPERSEDED, ARCHIVED = "absorbed", "superseded", "archived"


class Row(NamedTuple):
    """One thing that a pass does. `do` is its verb, `text` what it is about, `new` what it becomes."""

    do: str
    path: str
    text: str = ""
    new: str = ""
    heading: str = ""
    episode: str = ""
    trust: str = ""
    why: str = ""

    def as_json(self) -> dict[str, str]:
        """The fields that say something."""
        return {name: value for name, value in self._asdict().items() if value}


def without(outcome: Outcome, hidden: AbstractSet[str]) -> Outcome:
    """A pass without what it does to, or with, memories of these ids and paths."""

    def is_shown(step: Step) -> bool:
        named = {value for row in map(row_of, step.actions) for value in (row.path, row.episode)}
        return named.isdisjoint(hidden)

    return outcome._replace(
        steps=tuple(filter(is_shown, outcome.steps)),
        archives=tuple(filter(is_shown, outcome.archives)),
        waits=tuple(wait for wait in outcome.waits if is_told(wait, hidden)),
        merges=tuple(one for one in outcome.merges if hidden.isdisjoint({one.path, one.other})),
    )


def is_told(wait: Wait, hidden: AbstractSet[str]) -> bool:
    """Whether a contradiction is about nothing that is hidden."""
    return wait.path not in hidden and wait.mark.episode not in hidden


def rows_of(outcome: Outcome) -> Iterator[Row]:
    """What a pass does, file by file."""
    for step in outcome.steps:
        yield from map(row_of, step.actions)
    if not outcome.refused:
        for step in outcome.archives:
            yield from map(row_of, step.actions)


def row_of(action: Action) -> Row:
    """An action as a row."""
    match action:
        case Start():
            row = Row("start", action.path, action.title)
        case Absorb(path, heading, claim, mark):
            row = Row("absorb", path, claim.text, "", heading, mark.episode, mark.trust)
        case Renew():
            row = Row("renew", action.path, action.text, episode=action.mark.episode)
        case Replace():
            do = "replace" if action.new else "remove"
            row = Row(do, action.path, action.old, action.new, episode=action.mark.episode)
        case Past():
            row = Row("note", action.path, action.text, action.past)
        case Retire():
            row = Row("retire", action.path, episode=action.by)
        case _:
            row = _row_of_whole(action)
    return row


def _row_of_whole(action: Weigh | Archive | Merge | Wait) -> Row:
    """An action that changes none of the statements of a file."""
    match action:
        case Weigh(path, key, old, new, why):
            row = Row("weigh", path, f"{key}: {old or '–'}", new, why=why)
        case Archive():
            row = Row("archive", action.path, new=f"archive/{action.path}")
        case Merge():
            row = Row("merge", action.path, action.other)
        case Wait():
            row = Row("wait", action.path, action.old, action.new)
    return row


def counts_of(outcome: Outcome) -> dict[str, int]:
    """How much a pass does."""
    found = {ABSORBED: 0, SUPERSEDED: 0, ARCHIVED: 0}
    words = {"absorb": ABSORBED, "replace": SUPERSEDED, "remove": SUPERSEDED, "retire": SUPERSEDED}
    for row in rows_of(outcome):
        word = ARCHIVED if row.do == "archive" else words.get(row.do, "")
        if word:
            found[word] += 1
    return found | {"waiting": len(outcome.waits)}


def as_json(outcome: Outcome) -> dict[str, Any]:
    """A pass as JSON."""
    return {
        **counts_of(outcome),
        "actions": [row.as_json() for row in rows_of(outcome)],
        "conflicts": [conflict_json(wait) for wait in outcome.waits],
        "merges": [
            {"path": one.path, "other": one.other, "shared": one.shared} for one in outcome.merges
        ],
        "refused": len(outcome.archives) if outcome.refused else 0,
    }


def conflict_json(wait: Wait) -> Mapping[str, str]:
    """A contradiction that waits for a person."""
    return {
        "id": wait.key,
        "old": wait.old,
        "path": wait.path,
        "new": wait.new,
        "stands": "new" if wait.is_late else "old",
        "since": wait.since,
        "episode": wait.mark.episode,
        "date": wait.mark.date,
        "trust": wait.mark.trust,
        "certainty": wait.certainty,
        "why": wait.why,
    }
