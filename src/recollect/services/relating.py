"""Relating: proposals of what belongs together, and taking them in.

Promises: nothing is related before a person accepts it; what is accepted stands in both memories and is
one change, undone as one.
Touches: the ports behind the store it is given.
"""

from __future__ import annotations

from recollect.domain import codec
from recollect.domain.model import Change, Filter
from recollect.domain.related import Tie, ties
from recollect.services.opened import OpenStore

CAUSE = "related"


def proposals(store: OpenStore, name: str = "") -> list[Tie]:
    """The pairs that may be worth relating; of one memory where it is named. Raises MemoryNotFound."""
    wanted = store.require(name).id if name else ""
    found = ties(store.index.entries(Filter()))
    return [tie for tie in found if not wanted or wanted in (tie.id, tie.other)]


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
