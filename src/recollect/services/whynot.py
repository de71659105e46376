"""Why not: why a memory is not among what an agent would be given for a cue.

Promises: reads only; the answer comes from the functions that decide about recall themselves.
Touches: the ports behind the stores it is given.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.domain import evidence, rank
from recollect.domain.model import Filter
from recollect.domain.rank import Candidate, Cue
from recollect.domain.text import index_words, stem
from recollect.errors import MemoryNotFound
from recollect.named import NamedTuple
from recollect.services.opened import OpenStore
from recollect.services.recall import Recalled

EVERYTHING = 20_000  # sections that a search may give


class Reason(NamedTuple):
    """Why a memory does not come, or how it does.

    `why` is one of: given, pointer, archived, brief, superseded, external, other-project, no-words,
    crowded-out, passing, too-little, weaker, repeats, no-room. `place` and `of` are the place
    among those found, `other` the memory that stands before it.
    """

    why: str
    place: int = 0
    of: int = 0
    other: str = ""
    candidate: Candidate | None = None


class Word(NamedTuple):
    """A word of the cue: how much it asks for, and whether the memory says it."""

    word: str
    asks: float
    said: bool


def reason(stores: Sequence[OpenStore], name: str, cue: Cue, found: Recalled) -> Reason:
    """Why the memory (or section) `name` is not in what was found. Raises MemoryNotFound."""
    memory_id, _, anchor = name.partition("#")
    store = next((one for one in stores if one.index.entry(memory_id)), None)
    entry = store.index.entry(memory_id) if store else None
    if store is None or entry is None:
        raise MemoryNotFound(id=name)
    for why, several in (("given", found.full), ("pointer", found.pointers)):
        for place, one in enumerate(several, 1):
            if _is(one, entry.id, anchor):
                return Reason(why, place, len(several), candidate=one)
    if entry.archived:
        return Reason("archived")
    if entry.path.startswith("core/"):
        return Reason("brief")
    hits = store.index.search(cue.text, only=Filter(), limit=EVERYTHING)
    hot = [one for one in hits if not one.path.endswith("/conversation.md")]
    place, mine = next(
        ((n, one) for n, one in enumerate(hot, 1) if _is(one, entry.id, anchor)), (0, None)
    )
    unfit = _unfit(entry.status, entry.trust, entry.project, cue)
    if unfit:
        return Reason(unfit, place, len(hot), candidate=mine)
    considered = next((one for one in found.candidates if _is(one, entry.id, anchor)), None)
    if considered is None:
        return (
            Reason("crowded-out", place, len(hot), candidate=mine) if mine else Reason("no-words")
        )
    return _judged(stores, considered, cue, found)


def _is(one: Candidate, memory_id: str, anchor: str) -> bool:
    return one.id == memory_id and anchor in ("", one.anchor)


def _unfit(status: str, trust: str, project: str, cue: Cue) -> str:
    if status == "superseded":
        return "superseded"
    if trust == "external":
        return "external"
    return "other-project" if project and cue.project and project != cue.project else ""


def _judged(stores: Sequence[OpenStore], one: Candidate, cue: Cue, found: Recalled) -> Reason:
    """Why one that was considered was not chosen, or found no room."""
    place = found.candidates.index(one) + 1
    of = len(found.candidates)
    best = found.full[0] if found.full else None
    is_weaker = best is not None and one.score < best.score * rank.WEAKEST_OF_BEST
    if "coverage" not in one.parts and not is_weaker:
        return Reason("crowded-out", place, of, candidate=one)
    text = index_words(one.text)
    if not rank.judge(one, text, cue, worths(stores, cue), {}):
        coverage, weight = one.parts["coverage"], one.parts["weight"]
        is_passing = evidence.is_relevant(coverage, weight, 2 if weight else 0)
        return Reason("passing" if is_passing else "too-little", place, of, candidate=one)
    if best is not None and is_weaker:
        return Reason("weaker", place, of, best.name, one)
    words = set(text.split())
    for other in (*found.full, *found.pointers):
        if rank.is_repeat(words, [set(index_words(other.text).split())]):
            return Reason("repeats", place, of, other.name, one)
    return Reason("no-room", place, of, candidate=one)


def worths(stores: Sequence[OpenStore], cue: Cue) -> dict[str, float]:
    """What each word of a cue asks for in these stores."""
    counts: dict[str, int] = {}
    total = 0
    for store in stores:
        _, here, sections = store.index.consider(cue.words)
        for word, count in here.items():
            counts[word] = counts.get(word, 0) + count
        total += sections
    return evidence.worths(cue.asked, counts, total)


def words(stores: Sequence[OpenStore], cue: Cue, one: Candidate | None) -> list[Word]:
    """The words of a cue as evidence counts them, and which of them a memory says."""
    asked = worths(stores, cue)
    said = ""
    if one is not None:
        whole = "" if one.anchor else f"{one.files}\n{one.tags}"
        said = f" {index_words(f'{one.shown_title} {one.trigger} {whole} {one.text}')} "
    spoken = {f" {stem(word)}": word for word in reversed(cue.asked)}
    return [Word(spoken.get(start, start), worth, start in said) for start, worth in asked.items()]
