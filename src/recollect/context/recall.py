"""Recall: what a hook would inject for a query, and why.

The same functions decide as in hooks. With an embedder, certain matches by meaning are added.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect._fastimport import NamedTuple
from recollect.context import pack
from recollect.model.memory import Filter
from recollect.search import rank
from recollect.search.rank import Candidate, Cue
from recollect.search.search import VectorSearch, one_state, others
from recollect.store.store import OpenStore
from recollect.text.tokens import count_tokens, cue_words


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
    fresh = [one for one in found if one.name not in given and not _is_core(one)]
    chosen = rank.choose(fresh, cue, counts, total)
    return fresh, chosen + _related(stores, chosen)


def _is_core(one: Candidate) -> bool:
    return one.path.startswith("core/")


def _considered(
    stores: Sequence[OpenStore], cue: Cue
) -> tuple[list[Candidate], dict[str, int], int]:
    """What is judged for a cue, how many sections have each of its words, and of how many."""
    by_vectors = VectorSearch(cue)
    found: list[Candidate] = []
    counts: dict[str, int] = {}
    total = 0
    for store in stores:
        hits, here, sections = store.index.consider(cue.words)
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
    counts: dict[str, int] = dict.fromkeys(words, 0)
    near: dict[str, list[str]] = {}
    total = 0
    for store in stores:
        _, here, sections = store.index.consider(words)
        for word, count in here.items():
            counts[word] += count
        total += sections
        for word, several in store.index.spelled(words).items():
            near[word] = list(dict.fromkeys([*near.get(word, []), *several]))
    return [QueryWord(word, counts[word], near.get(word, [])) for word in words], total


def _related(stores: Sequence[OpenStore], chosen: list[Candidate]) -> list[Candidate]:
    """One hop from what was chosen: the memories that it names as related."""
    more: list[Candidate] = []
    for store in stores:
        for one in store.index.by_ids(rank.related_names(chosen, store.scope)):
            one.scope = store.scope
            one.parts = {"related": 1.0}
            more.append(one)
    return [one for one in more if rank.is_fit(one)]
