"""Read the claims of readable, active, non-private episodes for a plan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from recollect._fastimport import NamedTuple
from recollect.consolidate.claims import Claim, claims_in
from recollect.consolidate.pages import Reading, reading_of
from recollect.model.claim_key import near_key
from recollect.model.conflicts import topics_of
from recollect.model.entries import is_conversation
from recollect.model.memory import Memory


class Heard(NamedTuple):
    """A claim as a plan hears it: with its near key and its topics."""

    claim: Claim
    key: str
    topics: frozenset[str]


def heard_in(episode: Memory) -> list[Heard]:
    """What an episode says to a plan."""
    return [heard_of(claim) for claim in claims_in(episode)]


def heard_of(claim: Claim) -> Heard:
    """A claim as a plan hears it."""
    return Heard(claim, near_key(claim.text), topics_of(claim.text))


class Source(Protocol):
    """What a plan goes by: whoever has read something once need not read it again."""

    def heard(self, episode: Memory) -> list[Heard]:
        """What an episode says."""

    def readings(self) -> Iterable[Reading]:
        """What the semantic and procedural files say, one after the other."""


class Plain:
    """A source that reads everything anew."""

    def __init__(self, files: Mapping[str, str]) -> None:
        """These are the files."""
        self.files = files

    def heard(self, episode: Memory) -> list[Heard]:
        """What an episode says."""
        return heard_in(episode)

    def readings(self) -> Iterator[Reading]:
        """What the files say, one after the other."""
        return (reading_of(path, text) for path, text in self.files.items())


def is_heard(memory: Memory) -> bool:
    """Whether consolidation listens to a memory: an episode, readable, in force and not private."""
    if memory.layer != "episodic" or is_conversation(memory.path):
        return False
    return not (memory.private or memory.problem or memory.status == "superseded")
