"""Relating: proposals of what belongs together, and taking them in.

Promises: nothing is related before a person accepts it; what is accepted stands in both memories and is
one change, undone as one.
Touches: the ports behind the store it is given.
"""

from __future__ import annotations

from recollect.domain import codec
from recollect.domain.dismissed import RELATED, pair_of
from recollect.domain.model import Change, Filter
from recollect.domain.related import Tie, ties
from recollect.errors import UsageProblem
from recollect.services import dismissing
from recollect.services.opened import OpenStore

CAUSE = "related"


def proposals(store: OpenStore, name: str = "", other: str = "") -> list[Tie]:
    """The pairs that may be worth relating; of one memory where it is named.

    Two that are named are a pair whatever they have in common. Raises MemoryNotFound, UsageProblem.
    """
    wanted = {store.require(one).id for one in (name, other) if one}
    if other and len(wanted) < 2:
        raise UsageProblem(what="A memory cannot be related to itself.", command=CAUSE)
    gone = dismissing.pairs(store)
    found = [
        tie
        for tie in ties(store.index.entries(Filter()))
        if wanted <= {tie.id, tie.other} and pair_of(RELATED, tie.id, tie.other) not in gone
    ]
    if found or not other:
        return found
    first, second = sorted(wanted)
    return [Tie(first, second, 0, ())]


def accept(store: OpenStore, found: list[Tie]) -> None:
    """Relate these pairs. Raises ChangedMeanwhile."""
    more: dict[str, list[str]] = {}
    for tie in found:
        more.setdefault(tie.id, []).append(tie.other)
        more.setdefault(tie.other, []).append(tie.id)

    def plan() -> list[Change]:
        changes = []
        for name, names in more.items():
            entry = store.require(name)
            document = store.read(entry)
            have = codec.memory_from_text(document.text, entry.path).related
            both = list(dict.fromkeys((*have, *names)))
            text = codec.with_field(document.text, "related", both)
            if text != document.text:
                changes.append(Change("put", entry.path, entry.id, document.stamp, text))
        return changes

    store.commit(plan, cause=CAUSE, tries=3)
