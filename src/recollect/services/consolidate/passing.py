"""Consolidate: one pass over a store.

Promises: as the package says.
Touches: the ports behind the store it is given.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.domain.codec import default_fields
from recollect.domain.lifecycle import Action, Archive, Merge, Wait, plan
from recollect.domain.reaction import Reaction
from recollect.named import NamedTuple
from recollect.services.consolidate.applying import carry_out
from recollect.services.consolidate.gathering import Gathered, gather
from recollect.services.consolidate.remembered import Remembered
from recollect.services.consolidate.steps import Step, Steps, steps_of
from recollect.services.opened import OpenStore
from recollect.services.refresh import refresh

TRIES = 3
MOST_SHARE = 10  # percent of a store that one pass archives unasked; a single episode always may go


class Outcome(NamedTuple):
    """What a pass did, or would do."""

    steps: tuple[Step, ...]
    archives: tuple[Step, ...]  # the episodes past their time
    waits: tuple[Wait, ...]
    merges: tuple[Merge, ...]
    refused: bool  # the archiving is too much to be done unasked
    total: int  # memories that were not archived before


def planned(gathered: Gathered) -> Steps:
    """The steps that are due."""
    found = steps_of((*_actions(gathered), *gathered.weighings))
    return _but_encrypted(found, gathered) if gathered.encrypt else found


def _actions(gathered: Gathered) -> Sequence[Action]:
    """The plan; that there was nothing to do is remembered for as long as nothing changes."""
    files, state = gathered.files, gathered.state
    known = files.remembered.left(state)
    if known is not None:
        return known
    actions = [
        action
        for action in plan(gathered.episodes, files, gathered.rules, files)
        if not (isinstance(action, Archive) and action.id in gathered.kept)
    ]
    left = [action for action in actions if isinstance(action, (Wait, Merge))]
    if len(left) == len(actions) and files.is_as_listed:
        files.remembered.keep_left(state, left)
    return actions


def _but_encrypted(found: Steps, gathered: Gathered) -> Steps:
    """The steps without what would be plain in a layer that is to be encrypted.

    What an episode says has no other place then, and so it stays where it is.
    """

    def is_open(step: Step) -> bool:
        entry = gathered.entries.get(step.path)
        layer = entry.layer if entry else default_fields(step.path)["type"]
        return layer not in gathered.encrypt

    has_all = all(is_open(step) or step.is_weighing for step in found.steps)
    return found._replace(
        steps=tuple(filter(is_open, found.steps)), archives=found.archives if has_all else ()
    )


def look(gathered: Gathered, *, force_decay: bool = False) -> Outcome:
    """What a pass would do."""
    found = planned(gathered)
    many, total = len(found.archives), len(gathered.entries)
    refused = not force_decay and many > 1 and many * 100 > total * MOST_SHARE
    return Outcome(found.steps, found.archives, found.waits, found.merges, refused, total)


def consolidate(
    store: OpenStore,
    remembered: Remembered | None = None,
    *,
    reactions: Sequence[Reaction] = (),
    force_decay: bool = False,
) -> Outcome:
    """Bring a store into order; what somebody changes meanwhile is planned anew."""
    done: list[Step] = []
    for _ in range(TRIES):
        gathered = gather(store, remembered, reactions)
        found = look(gathered, force_decay=force_decay)
        left = carry_out(store, gathered, found.steps)
        if not left and not found.refused:
            left = carry_out(store, gathered, found.archives)
        done += [step for step in found.steps if step not in left]
        if found.steps or found.archives:
            refresh(store.files, store.index, store.now_ns)
        if not left:
            break
    return found._replace(steps=tuple(done))
