"""Demo: where each statement of the sessions that have faded is found again.

Promises: nothing is taken on trust: the archived sessions are read anew, and what they say is looked
for in the files that are left.
Touches: the store it is given (reading).
"""

from __future__ import annotations

from collections.abc import Mapping

from recollect.domain.claims import claims_in, near_key
from recollect.domain.codec import memory_from_text
from recollect.domain.conflicts import conflict_between
from recollect.domain.lifecycle import reading_of
from recollect.domain.model import Filter
from recollect.named import NamedTuple
from recollect.services.opened import OpenStore

STANDS, OVERTAKEN, LOST = "stands", "overtaken", "lost"


class Found(NamedTuple):
    """A statement of a session, whether it stands somewhere, and in which file."""

    session: str
    text: str
    how: str
    path: str = ""


def found_again(store: OpenStore) -> list[Found]:
    """Every statement of the archived episodes, with its place now."""
    stands: dict[str, str] = {}
    past: dict[str, str] = {}
    said_now: dict[str, str] = {}
    for entry in store.index.entries(Filter()):
        if entry.layer in ("semantic", "procedural"):
            said = reading_of(entry.path, store.read(entry).text)
            stands |= {held.key: entry.path for held in said.held}
            said_now |= {held.text: entry.path for held in said.held}
            past |= dict.fromkeys(said.past, entry.path)
    found = []
    for entry in reversed(store.index.entries(Filter(archived=True, layer="episodic"))):
        for claim in claims_in(memory_from_text(store.read(entry).text, entry.path)):
            key = near_key(claim.text)
            place = stands.get(key) or past.get(key) or _overtaken_in(said_now, claim.text)
            how = STANDS if key in stands else OVERTAKEN if place else LOST
            found.append(Found(entry.id, claim.text, how, place))
    return found


def _overtaken_in(said: Mapping[str, str], text: str) -> str:
    """The file that says something else now, if one does."""
    return next((path for other, path in said.items() if conflict_between(text, other)), "")
