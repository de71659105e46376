"""Recall: what a hook would inject for a query, and why a memory is missing from it.

The same functions decide as in hooks. With an embedder, certain matches by meaning are added.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recollect._fastimport import NamedTuple
from recollect.context import pack
from recollect.errors import MemoryNotFound
from recollect.model.memory import Entry, Filter, is_sealed_path, lowest_trust
from recollect.search import lookup, rank, relevance
from recollect.search.conversation_rank import is_turn
from recollect.search.rank import Candidate, Cue
from recollect.search.search import VectorSearch, one_state, others
from recollect.store.store import OpenStore, has_section, holder_of
from recollect.text.tokens import count_tokens, cue_words, index_terms


class Recalled(NamedTuple):
    """What an agent would be given."""

    text: str
    tokens: int
    full: list[Candidate]
    pointers: list[Candidate]
    candidates: list[Candidate]


def recall(
    stores: Sequence[OpenStore],
    cue: Cue,
    *,
    budget: int,
    lang: str,
    nonce: str,
    given: frozenset[str] = frozenset(),
) -> Recalled:
    """What would be injected for this cue; `given` is what the session has already."""
    with one_state(stores):
        fresh, chosen = _chosen(stores, cue, given)
    text, full, pointers = pack.pack(chosen, budget, nonce, lang)
    return Recalled(text, count_tokens(text), full, pointers, sorted(fresh, key=rank.by_score))


def _chosen(
    stores: Sequence[OpenStore], cue: Cue, given: frozenset[str]
) -> tuple[list[Candidate], list[Candidate]]:
    """What is judged for a cue, and what is worth saying of it with what that names as related."""
    found, counts, total = _considered(stores, cue)
    fresh = [one for one in found if one.name not in given and not one.path.startswith("core/")]
    chosen = rank.choose(fresh, cue, counts, total)
    return fresh, chosen + _related(stores, chosen)


def _considered(
    stores: Sequence[OpenStore], cue: Cue
) -> tuple[list[Candidate], dict[str, int], int]:
    """What is judged for a cue, how many sections have each of its words, and of how many."""
    by_vectors = VectorSearch(cue)
    found: list[Candidate] = []
    counts: dict[str, int] = {}
    total = 0
    for store in stores:
        hits, here, sections = store.index.recall_candidates(cue.weighed)
        if cue.period[0]:
            hits = hits + others(store.index.dated(cue.period, Filter()), hits)
        by_vectors.add_certain(store, hits)
        for one in hits:
            one.scope = store.scope
        found += hits
        for word, count in here.items():
            counts[word] = counts.get(word, 0) + count
        total += sections
    return found, counts, total


class QueryWord(NamedTuple):
    """A word of a cue, and how many sections have it; `near` is what it was taken for."""

    word: str
    sections: int
    near: list[str]


def asked_words(stores: Sequence[OpenStore], text: str) -> tuple[list[QueryWord], int]:
    """What a search looks for, and how many sections it looks through."""
    words = cue_words(text)
    counts, total = _counts(stores, words)
    near: dict[str, list[str]] = {}
    for store in stores:
        for word, several in store.index.spelled(words).items():
            near[word] = list(dict.fromkeys([*near.get(word, []), *several]))
    return [QueryWord(word, counts.get(word, 0), near.get(word, [])) for word in words], total


def _counts(stores: Sequence[OpenStore], words: list[str]) -> tuple[dict[str, int], int]:
    """How many sections have each of these words, and of how many."""
    counts: dict[str, int] = {}
    total = 0
    for store in stores:
        _, here, sections = store.index.recall_candidates(words)
        for word, count in here.items():
            counts[word] = counts.get(word, 0) + count
        total += sections
    return counts, total


def _related(stores: Sequence[OpenStore], chosen: list[Candidate]) -> list[Candidate]:
    """One hop from what was chosen: the memories that it names as related."""
    more: list[Candidate] = []
    for store in stores:
        for one in store.index.by_ids(lookup.related_names(chosen, store.scope)):
            one.scope = store.scope
            one.parts = {"related": 1.0}
            more.append(one)
    return [one for one in more if rank.is_fit(one)]


# -------------------- Why a memory is missing from what a query recalls, by the functions that decide about it.


EVERYTHING = 20_000  # sections that a search may give


class Reason(NamedTuple):
    """Why a memory does not come, or how it does.

    `why` is one of: given, pointer, told, archived, encrypted, brief, superseded, queued, external,
    no-words, spelled, raw, crowded-out, everyday, passing, too-little, said, weaker,
    repeats, no-room. `place` and `of` are the place among those found, `other` the memory that stands
    before it.
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


def reason(
    stores: Sequence[OpenStore],
    name: str,
    cue: Cue,
    found: Recalled,
    told: frozenset[str] = frozenset(),
) -> Reason:
    """Why the memory (or section) `name` is not in what was found. Raises MemoryNotFound.

    `told` is what the session had before.
    """
    store, entry = holder_of(stores, name)
    anchor = name.partition("#")[2]
    for why, several in (("given", found.full), ("pointer", found.pointers)):
        for place, one in enumerate(several, 1):
            if _is(one, entry.id, anchor):
                return Reason(why, place, len(several), candidate=one)
    for why, is_so in (
        ("told", any(_is_named(one, entry.id, anchor) for one in told)),
        ("archived", entry.archived),
        ("encrypted", is_sealed_path(entry.path)),
        ("brief", entry.path.startswith("core/")),
    ):
        if is_so:
            return Reason(why)
    considered = [one for one in found.candidates if _is(one, entry.id, anchor)]
    fit = next((one for one in considered if rank.is_fit(one)), None)
    if fit is not None:
        return _judged(stores, fit, cue, found)
    return _not_considered(store, entry, anchor, cue)


def _not_considered(store: OpenStore, entry: Entry, anchor: str, cue: Cue) -> Reason:
    """Why recall did not even look at a memory that it may say."""
    hits = store.index.search(cue.words, only=Filter(), limit=EVERYTHING)
    hot = [one for one in hits if not is_turn(one)]
    place, mine = next(
        ((n, one) for n, one in enumerate(hot, 1) if _is(one, entry.id, anchor)), (0, None)
    )
    trust = lowest_trust(entry.trust, mine.trust) if mine else entry.trust
    unfit = _unfit(entry, trust)
    if unfit:
        return Reason(unfit, place, len(hot), candidate=mine)
    if mine is None:
        said_in_talk = any(_is(one, entry.id, anchor) for one in hits)
        if anchor and not said_in_talk and not has_section(store, entry, anchor):
            raise MemoryNotFound(id=f"{entry.id}#{anchor}")
        return Reason("raw" if said_in_talk else "no-words")
    if not any(word.said for word in words([store], cue, mine)):
        return Reason("spelled", place, len(hot), candidate=mine)
    return Reason("crowded-out", place, len(hot), candidate=mine)


def given_since_compaction(stores: Sequence[OpenStore], session: str) -> frozenset[str]:
    """What a session was given since its context was last compacted."""
    names: set[str] = set()
    for store in stores:
        mine = [line for line in store.journal.hot("signal") if line.get("session") == session]
        compacted = [_at(line) for line in mine if line.get("source") == "compact"]
        for line in store.journal.hot("inject"):
            # A sub-agent has a context of its own.
            is_its_own = line.get("session") == session and not line.get("agent")
            if is_its_own and _at(line) > max(compacted, default=""):
                names.update(map(str, (*line.get("items", ()), *line.get("same", ()))))
    return frozenset(names)


def _at(line: Mapping[str, object]) -> str:
    """When a line was written: its time tells seconds, its id more."""
    return str(line.get("op_id", ""))


def _is(one: Candidate, memory_id: str, anchor: str) -> bool:
    return one.id == memory_id and anchor in ("", one.anchor)


def _is_named(name: str, memory_id: str, anchor: str) -> bool:
    said, _, section = name.partition("#")
    return said == memory_id and anchor in ("", section)


def _unfit(entry: Entry, trust: str) -> str:
    if entry.status == "superseded":
        return "superseded"
    if rank.is_queued(entry.layer, entry.status):
        return "queued"
    if trust == "external":
        return "external"
    return ""


def _judged(stores: Sequence[OpenStore], one: Candidate, cue: Cue, found: Recalled) -> Reason:
    """Why one that was considered was not chosen, or found no room."""
    place = found.candidates.index(one) + 1
    of = len(found.candidates)
    best = found.full[0] if found.full else None
    if "files" not in one.parts:  # of a session: considered only where nothing else answers
        return Reason("weaker" if best else "too-little", place, of, best.name if best else "", one)
    is_weaker = best is not None and one.score < best.score * rank.WEAKEST_OF_BEST
    if "coverage" not in one.parts and not is_weaker:
        return Reason("crowded-out", place, of, candidate=one)
    text = index_terms(one.text)
    if why := rank.shortfall(one, text, cue, term_weights(stores, cue), {}):
        return Reason(why, place, of, candidate=one)
    if best is not None and is_weaker:
        return Reason("weaker", place, of, best.name, one)
    words = set(text.split())
    for other in (*found.full, *found.pointers):
        if rank.is_repeat(words, [set(index_terms(other.text).split())]):
            return Reason("repeats", place, of, other.name, one)
    return Reason("no-room", place, of, candidate=one)


def term_weights(stores: Sequence[OpenStore], cue: Cue) -> dict[str, float]:
    """What each word of a cue asks for in these stores."""
    return cue.weights(cue.asked, *_counts(stores, cue.words))


def words(stores: Sequence[OpenStore], cue: Cue, one: Candidate | None) -> list[Word]:
    """The words of a cue as evidence counts them, and which of them a memory says."""
    asked = term_weights(stores, cue)
    said: dict[str, float] = {}
    if one is not None:
        whole = "" if one.anchor else f"{one.files}\n{one.tags}"
        text = index_terms(f"{one.own_title} {one.trigger} {whole} {one.text}")
        said = relevance.found_in(asked, text)
    spoken = {relevance.start_of(word): word for word in reversed(cue.asked)}
    return [
        Word(spoken.get(start, start.strip()), worth, start in said)
        for start, worth in asked.items()
    ]
