"""Compute vectors for new and changed sections, batch by batch.

Private and encrypted memories are not in the index and so reach no model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from recollect.errors import RecollectError
from recollect.model.memory import Filter, Problem
from recollect.ports import Embedder, Index
from recollect.search import conversation_rank as talk
from recollect.search import rank
from recollect.search import vectors as meaning
from recollect.search.conversation_rank import is_turn
from recollect.search.rank import Candidate, Cue
from recollect.search.vectors import Meant
from recollect.store.store import EMBEDDER, OpenStore

AT_ONCE = 64

Progress = Callable[[int, int], None]


def fill(
    index: Index,
    embedder: Embedder,
    may_go_on: Callable[[], bool],
    progress: Progress | None = None,
) -> int:
    """Compute what is missing, as long as it may go on; gives how many vectors were made."""
    made = 0
    while may_go_on():
        missing = index.vectors.missing(embedder.identity, AT_ONCE)
        if not missing:
            break
        vectors = embedder.passages([one.passage for one in missing])
        put = index.vectors.put(embedder.identity, list(zip(missing, vectors, strict=True)))
        made += put
        if progress:
            progress(*index.vectors.counts(embedder.identity))
        if not put:
            break  # somebody changes the memories faster than we read them
    return made


# -------------------- Sensing: what is near a cue in meaning, beside what has its words.


MOST_NEAR = 40
MOST_NEAR_TURNS = 100
NEAR_ENOUGH = (
    0.3  # a cosine from which on a section is worth a look though it has no word of the cue
)
NEAR_ENOUGH_TURN = 0.15  # a turn is short, and says little by itself


class Sense:
    """What one cue means to the embedders of the stores."""

    def __init__(self, cue: Cue) -> None:
        """Nobody is asked yet."""
        self._cue = cue
        self._meant: dict[tuple[str, str], Meant] = {}

    def take(self, store: OpenStore, found: list[Candidate], only: Filter) -> None:
        """Add to what was found what is near in meaning, and say of all of it how near it is."""
        with self._embedder(store) as embedder:
            if embedder:
                turns = [one for one in found if is_turn(one)]
                others = [one for one in found if not is_turn(one)]
                shelf = "cold" if only.archived else "hot"
                found += self._near(store, embedder, others, shelf=shelf, only=only)
                found += self._near(store, embedder, turns, shelf="raw", only=only)

    def take_sure(self, store: OpenStore, found: list[Candidate]) -> None:
        """Add what is so near that it may be said although it has none of the words; say how near.

        What is near enough for a look comes, too: who is told how things were must be told how they are.
        """
        with self._embedder(store) as embedder:
            if embedder is None:
                return
            meant = self._asked(embedder, self._cue.text)
            near = store.index.vectors.near(embedder.identity, meant, "hot", MOST_NEAR)
            if near is None or near.scale.most < rank.SURE:
                return
            known = {one.n for one in found}
            wanted = [n for n, cosine in near.best if cosine >= NEAR_ENOUGH and n not in known]
            found += store.index.of_sections(wanted, only=Filter(), shelf="hot")
            cosines = store.index.vectors.cosines(meant, [one.n for one in found])
            for one in found:
                one.meaning = max(0.0, cosines.get(one.n, 0.0))

    @contextmanager
    def _embedder(self, store: OpenStore) -> Iterator[Embedder | None]:
        """The one whose vectors a store has, if it understands the cue; its failure is noted."""
        embedder = store.embedder()
        try:
            if embedder is None or (embedder.is_english and meaning.is_foreign(self._cue.text)):
                yield None
            else:
                is_its = embedder.identity == store.index.vectors.identity()
                yield embedder if is_its else None
        except RecollectError as error:
            problem = Problem(EMBEDDER, str(error))
            if problem not in store.problems:
                store.problems.append(problem)

    def _near(
        self,
        store: OpenStore,
        embedder: Embedder,
        have: Sequence[Candidate],
        *,
        shelf: str,
        only: Filter,
    ) -> list[Candidate]:
        """Those of a shelf that are near and were not found yet; all get to know how near they are."""
        is_talk = shelf == "raw"
        speakers = {talk.speaker_of(one.text) for one in have} if is_talk else set()
        most, enough = (MOST_NEAR_TURNS, NEAR_ENOUGH_TURN) if is_talk else (MOST_NEAR, NEAR_ENOUGH)
        meant = self._asked(embedder, meaning.as_oneself(self._cue.text, speakers))
        vectors = store.index.vectors
        near = vectors.near(embedder.identity, meant, shelf, most)
        if near is None:
            return []
        known = {one.n for one in have}
        wanted = [n for n, cosine in near.best if cosine >= enough and n not in known]
        more = store.index.of_sections(wanted, only=only, shelf=shelf)
        numbers = [one.n for one in (*have, *more)]
        pieces = vectors.agreement(meant, [*numbers, *near.some])
        usual = [pieces[n] for n in near.some if n in pieces]
        nearness = meaning.nearness(
            vectors.cosines(meant, numbers),
            near.scale,
            {n: pieces[n] for n in numbers if n in pieces},
            sum(usual) / len(usual) if usual else 0.0,
        )
        for one in (*have, *more):
            one.meaning = nearness.get(one.n, 0.0)
        return more

    def _asked(self, embedder: Embedder, text: str) -> Meant:
        asked = embedder.identity, text
        if asked not in self._meant:
            self._meant[asked] = embedder.cue(text)
        return self._meant[asked]
