"""Consolidate: contradictions that wait for a person, and what follows when one is settled.

Promises: what waits is found anew from the files each time, so that no question outlives its claims;
a ruling and what follows from it are one change, undone as one; of the rest of the episode nothing is
touched by it.
Touches: the ports behind the store it is given.
"""

from __future__ import annotations

from recollect.domain import codec
from recollect.domain.lifecycle import Wait, plan_claim
from recollect.domain.model import Change
from recollect.errors import ConflictNotFound, UsageProblem
from recollect.named import NamedTuple
from recollect.services.consolidate import rulings
from recollect.services.consolidate.applying import changes_of
from recollect.services.consolidate.gathering import RULING, Gathered, gather
from recollect.services.consolidate.passing import look
from recollect.services.consolidate.remembered import Remembered
from recollect.services.consolidate.steps import Step, steps_of
from recollect.services.opened import OpenStore


class Settled(NamedTuple):
    """A contradiction with its ruling, and the files that changed with it."""

    wait: Wait
    ruling: str
    steps: tuple[Step, ...]


def waiting(store: OpenStore, remembered: Remembered | None = None) -> tuple[Wait, ...]:
    """The contradictions that wait for a person, those that the next pass would find included."""
    return look(gather(store, remembered)).waits


def settle(
    store: OpenStore,
    key: str,
    ruling: str,
    remembered: Remembered | None = None,
    *,
    dry_run: bool = False,
) -> Settled:
    """Rule that `old`, `new`, `both` or `neither` holds.

    Raises:
        ConflictNotFound: nothing of that name waits.
    """
    gathered = gather(store, remembered)
    wait = _named(look(gathered).waits, key)
    word = rulings.Ruling(ruling, wait.old, wait.new, store.now)
    steps = _following(gathered, wait, word)

    def plan() -> list[Change]:
        changes = [change for step in steps for change in changes_of(store, gathered, step)]
        return [rulings.ruling_change(store, wait.key, word), *changes]

    if not dry_run:
        store.commit(plan, cause=RULING)
    return Settled(wait, ruling, steps)


def _named(waits: tuple[Wait, ...], key: str) -> Wait:
    found = [wait for wait in waits if wait.key.startswith(key)] if key else []
    if len(found) != 1:
        raise ConflictNotFound(id=key)
    return found[0]


def _following(gathered: Gathered, wait: Wait, word: rulings.Ruling) -> tuple[Step, ...]:
    """What follows at once; nothing if the older claim is not in a file yet: the next pass sees to it."""
    files, rules = gathered.files, gathered.rules
    episode = next(one for one in gathered.episodes if one.id == wait.mark.episode)
    now = plan_claim(episode, wait.claim, files, rules, files)
    if not any(isinstance(action, Wait) and action.key == wait.key for action in now):
        return ()
    ruled = rules._replace(
        rulings={**rules.rulings, wait.key: word.ruling},
        removed={**rules.removed, **rulings.taken_out({wait.key: word})},
    )
    return steps_of(plan_claim(episode, wait.claim, files, ruled, files)).steps


def supersede(store: OpenStore, old: str, new: str, *, dry_run: bool = False) -> bool:
    """Say that one memory holds in place of another; False if that was said before.

    Raises:
        MemoryNotFound: there is no such memory.
        UsageProblem: it is no whole memory, the same one, or one that is superseded itself.
    """
    _checked(old, new)
    before, after = store.require(old), store.require(new)
    if after.status == "superseded":
        raise UsageProblem(what=f"{new} is superseded itself.", command="supersede")
    changes = []
    for entry in (before, after):
        document = store.read(entry)
        if entry is before:
            text = codec.with_field(document.text, "status", "superseded")
        else:
            known = codec.memory_from_text(document.text, entry.path).supersedes
            more = [] if before.id in known else [before.id]
            text = codec.with_field(document.text, "supersedes", [*known, *more]) if more else ""
        if text and text != document.text:
            text = codec.with_field(text, "updated", store.now)
            changes.append(Change("put", entry.path, entry.id, document.stamp, text))
    if changes and not dry_run:
        store.commit(lambda: changes, cause="supersede")
    return bool(changes)


def _checked(old: str, new: str) -> None:
    for name in (old, new):
        if "#" in name:
            raise UsageProblem(
                what="Only a whole memory can be superseded; a section can be edited.",
                command="supersede",
            )
    if old == new:
        raise UsageProblem(what="A memory cannot supersede itself.", command="supersede")
