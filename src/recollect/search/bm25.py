"""BM25 as in FTS5, and scores of several stores as if they were one."""

from __future__ import annotations

from recollect._fastimport import NamedTuple
from recollect.search.conversation_rank import is_turn

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recollect.search.rank import Candidate
    from recollect.store.store import OpenStore


K1, B = 1.2, 0.75
LEAST = 1e-6  # what a word is worth that more than half of the sections have


class Size(NamedTuple):
    """How many sections a shelf has, and how many words they have together."""

    sections: int
    words: int

    @property
    def usual(self) -> float:
        """How many words a section has."""
        return max(self.words, 1) / max(self.sections, 1)

    def rarity(self, count: int) -> float:
        """What a word is worth that so many of the sections have."""
        from math import log

        worth = log((self.sections - count + 0.5) / (count + 0.5)) if count <= self.sections else 0
        return worth if worth > 0 else LEAST

    def share(self, frequency: float, length: float) -> float:
        """What part of its worth a word brings to a section of that length, up to 2.2."""
        return frequency * (K1 + 1) / (frequency + self._slowness(length))

    def frequency(self, share: float, length: float) -> float:
        """How often a word stands in a section to which it brings that share."""
        return share * self._slowness(length) / max(K1 + 1 - share, 1e-12)

    def _slowness(self, length: float) -> float:
        return K1 * (1 - B + B * length / self.usual)


class Standing(NamedTuple):
    """How the words of a search stand on one shelf, and what each brings to what was found there.

    `counts` says how many sections have each word. `parts` are the scores of single words for
    single sections; words that too many sections have are not among them.
    """

    size: Size
    counts: Mapping[str, int]
    parts: Mapping[str, Mapping[int, float]]
    lengths: Mapping[int, int]


def as_one(
    shelves: Sequence[Standing], scores: Sequence[Mapping[int, float]]
) -> list[dict[int, float]]:
    """The scores that the sections of several shelves would have if all stood on one.

    What a score has of words that are not among the parts is raised or lowered as these words are
    on the whole.
    """
    size = Size(*(sum(one) for one in zip(*(shelf.size for shelf in shelves), strict=True)))
    counts: dict[str, int] = {}
    for shelf in shelves:
        for word, count in shelf.counts.items():
            counts[word] = counts.get(word, 0) + count
    rarities = {word: size.rarity(count) for word, count in counts.items()}
    return [
        {n: _anew(shelf, n, score, (size, rarities)) for n, score in own.items()}
        for shelf, own in zip(shelves, scores, strict=True)
    ]


def _anew(shelf: Standing, n: int, score: float, whole: tuple[Size, Mapping[str, float]]) -> float:
    size, rarities = whole
    length = shelf.lengths.get(n, shelf.size.usual)
    new, rest = 0.0, score
    for word, parts in shelf.parts.items():
        if part := parts.get(n, 0.0):
            share = part / shelf.size.rarity(shelf.counts[word])
            new += rarities[word] * size.share(shelf.size.frequency(share, length), length)
            rest -= part
    others = [word for word, count in shelf.counts.items() if count and word not in shelf.parts]
    if others and rest > 0:
        before = sum(shelf.size.rarity(shelf.counts[word]) for word in others)
        new += rest * sum(rarities[word] for word in others) / before
    return new


# -------------------- Several: what several stores found for one search, with scores as if they were one store.


def weigh_as_one(
    stores: Sequence[OpenStore], found: Sequence[Sequence[Candidate]], shelf: str
) -> None:
    """Give what each store found (on this shelf, and turns) the scores that it would have in one."""
    if sum(map(bool, found)) < 2:
        return
    for name, is_raw in ((shelf, False), ("raw", True)):
        parts = [[one for one in hits if is_turn(one) is is_raw] for hits in found]
        if sum(map(bool, parts)) > 1:
            _weigh(stores, parts, name)


def _weigh(stores: Sequence[OpenStore], found: Sequence[Sequence[Candidate]], shelf: str) -> None:
    # most searches are of one store

    shelves = []
    for store, hits in zip(stores, found, strict=True):
        standing = store.index.standing(shelf, [one.n for one in hits])
        if standing is None:
            return
        shelves.append(standing)
    own = [{one.n: one.text_score for one in hits} for hits in found]
    for hits, scores in zip(found, as_one(shelves, own), strict=True):
        for one in hits:
            one.text_score = scores[one.n]
