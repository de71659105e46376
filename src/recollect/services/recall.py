"""Recall: search for a person, and what would be said to an agent, and why.

Promises: both stores are looked at, each memory once; nothing of another project; what recall
gives is what the hook would inject for the same cue (the same functions decide), and with an
embedder what surely means the same, which a hook cannot know.
Touches: the ports behind the stores it is given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

from recollect.domain import pack, rank, talk
from recollect.domain.model import TRUSTS, Filter, day_of
from recollect.domain.rank import Candidate, Cue
from recollect.domain.text import cue_words, folded, index_words, simplified, stem
from recollect.named import NamedTuple
from recollect.services import sensing
from recollect.services.opened import OpenStore
from recollect.services.several import weigh_as_one

SNIPPET_CHARS = 220
MOST_CANDIDATES = 30
MOST_LOOKED_THROUGH = 2_000  # where a hit must have more than some of the words
MOST_WORDS_SHOWN = 16
MOST_PLACES = 8


class Found(NamedTuple):
    """A hit of a search."""

    candidate: Candidate
    snippet: str
    path: str


class Narrow(NamedTuple):
    """What a hit must have besides some of the words.

    Every phrase as it stands there (in whatever case, with whatever blanks), and one of the words
    in the field, if one of `FIELDS` is named.
    """

    phrases: tuple[str, ...] = ()
    field: str = ""

    def lets_through(self, one: Candidate, words: Sequence[str]) -> bool:
        """Whether a candidate has all of it."""
        if self.phrases:
            said = _plain(f"{one.shown_title}\n{one.text}")
            if not all(_plain(phrase) in said for phrase in self.phrases):
                return False
        if not self.field:
            return True
        have = f" {index_words(FIELDS[self.field](one))} "
        return any(f" {stem(word)}" in have for word in words)


def _plain(text: str) -> str:
    return " ".join(simplified(folded(text)).casefold().split())


FIELDS: dict[str, Callable[[Candidate], str]] = {
    "title": lambda one: one.shown_title,
    "tags": lambda one: one.tags,
    "trigger": lambda one: one.trigger,
    "files": lambda one: one.files,
    "body": lambda one: one.text,
}


class Recalled(NamedTuple):
    """What an agent would be given."""

    text: str
    tokens: int
    full: list[Candidate]
    pointers: list[Candidate]
    candidates: list[Candidate]


def cue_of(text: str, today: str, project: str, files: Sequence[str] = ()) -> Cue:
    """What to search with: the words of `text`, and the files at hand."""
    named = [w.strip("\"'`()[],;:!?") for w in text[:4000].split() if "." in w or "/" in w]
    return Cue(text, cue_words(text), day_of(today), [*files, *named][:24], project)


def search(
    stores: Sequence[OpenStore],
    text: str,
    only: Filter,
    *,
    limit: int,
    project: str = "",
    every_section: bool = False,
    narrow: Narrow | None = None,
) -> list[Found]:
    """The memories that match, best first; the best section of each, unless all are wanted."""
    cue = cue_of(text, stores[0].now if stores else "", project)
    most = MOST_LOOKED_THROUGH if narrow else max(limit * 3, MOST_CANDIDATES)
    found = _hits(stores, cue, only, most)
    found = [one for one in found if _may_see(one, only, project)]
    if narrow:
        found = [one for one in found if narrow.lets_through(one, cue.words)]
    best = max((one.text_score for one in found if one.kind != "conversation"), default=0.0)
    best = best or max((one.text_score for one in found), default=0.0)
    for one in found:
        rank.rate(one, best, cue)
        if talk.is_turn(one):
            _put_behind(one, "raw")
        if one.status == "superseded":
            _put_behind(one, "superseded")
    found.sort(key=rank.by_score)
    rank.put_newer_first(found)
    roots = {store.scope: store.files.root for store in stores}
    kept: dict[str, Candidate] = {}
    for one in found:
        kept.setdefault(f"{one.scope}:{one.name if every_section else one.id}", one)
    starts = [stem(word) for word in cue.words[:MOST_WORDS_SHOWN]]
    return [
        Found(one, snippet_of(one.text, starts), f"{roots[one.scope]}/{one.path}")
        for one in list(kept.values())[:limit]
    ]


def _put_behind(one: Candidate, why: str) -> None:
    one.parts[why] = rank.BEHIND[why]
    one.score *= rank.BEHIND[why]


def _hits(stores: Sequence[OpenStore], cue: Cue, only: Filter, most: int) -> list[Candidate]:
    """What has the words of a cue, or their meaning, or is of the time that they name."""
    sense = sensing.Sense(cue)
    found: list[Candidate] = []
    with snapshots(stores):
        for store, hits in _matching(stores, cue, only, most):
            turns = [one for one in hits if talk.is_turn(one)]
            if turns:
                hits.extend(store.index.beside(talk.strong(turns)))
            sense.take(store, hits, only)
            turns = [one for one in hits if talk.is_turn(one)]
            if turns:
                talk.in_context(turns, cue)
            if cue.period[0]:
                hits.extend(_others(store.index.dated(cue.period, only), hits))
            for one in hits:
                one.scope = store.scope
            found += hits
    return found


@contextmanager
def snapshots(stores: Sequence[OpenStore]) -> Iterator[None]:
    """All that is asked inside is asked of one state of each index, whoever writes meanwhile."""
    with ExitStack() as held:
        for store in stores:
            held.enter_context(store.index.snapshot())
        yield


def _matching(
    stores: Sequence[OpenStore], cue: Cue, only: Filter, most: int
) -> list[tuple[OpenStore, list[Candidate]]]:
    """What each store has for the words of a cue, with scores as if they were one store."""
    found = [store.index.search(cue.words, only=only, limit=most) for store in stores]
    weigh_as_one(stores, found, "cold" if only.archived else "hot")
    return list(zip(stores, found, strict=True))


def _others(more: Sequence[Candidate], hits: Sequence[Candidate]) -> list[Candidate]:
    """Those of which no section was found yet."""
    have = {one.memory for one in hits}
    return [one for one in more if one.memory not in have]


def _may_see(one: Candidate, only: Filter, project: str) -> bool:
    if TRUSTS.index(one.trust) < TRUSTS.index(only.trust):
        return False
    return not one.project or not project or one.project == project


def snippet_of(text: str, starts: Sequence[str]) -> str:
    """The part of a text in which most words begin like one of `starts`, on one line."""
    line = " ".join(text.split())
    if len(line) <= SNIPPET_CHARS:
        return line
    places = sorted(_places(simplified(line.lower()), starts))
    best, most = 0, 0
    for n, (at, _) in enumerate(places):
        inside = len({word for other, word in places[n:] if other < at + SNIPPET_CHARS - 40})
        if inside > most:
            best, most = at, inside
    start = max(0, best - 40)
    if start:
        start = line.find(" ", start, start + 30) + 1 or start
    cut = line[start : start + SNIPPET_CHARS]
    return ("…" if start else "") + cut.strip() + ("…" if start + SNIPPET_CHARS < len(line) else "")


def _places(text: str, starts: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Where these are in a text, the first few times."""
    for word in starts:
        at = -1
        for _ in range(MOST_PLACES):
            at = text.find(word, at + 1)
            if at < 0:
                break
            yield at, word


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
    with snapshots(stores):
        found, counts, total = _considered(stores, cue)
        fresh = [one for one in found if one.name not in given and not _is_core(one)]
        chosen = rank.choose(fresh, cue, counts, total)
        chosen += _related(stores, chosen, cue)
    text, full, pointers = pack.pack(chosen, budget, nonce, lang)
    return Recalled(text, pack.count_tokens(text), full, pointers, sorted(fresh, key=rank.by_score))


def _is_core(one: Candidate) -> bool:
    return one.path.startswith("core/")


def _considered(
    stores: Sequence[OpenStore], cue: Cue
) -> tuple[list[Candidate], dict[str, int], int]:
    """What is judged for a cue, how many sections have each of its words, and of how many."""
    sense = sensing.Sense(cue)
    found: list[Candidate] = []
    counts: dict[str, int] = {}
    total = 0
    for store in stores:
        hits, here, sections = store.index.consider(cue.words)
        if cue.period[0]:
            hits = hits + _others(store.index.dated(cue.period, Filter()), hits)
        sense.take_sure(store, hits)
        for one in hits:
            one.scope = store.scope
        found += hits
        for word, count in here.items():
            counts[word] = counts.get(word, 0) + count
        total += sections
    return found, counts, total


class Asked(NamedTuple):
    """A word of a cue, and how many sections have it; `near` is what it was taken for."""

    word: str
    sections: int
    near: list[str]


def asked_words(stores: Sequence[OpenStore], text: str) -> tuple[list[Asked], int]:
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
    return [Asked(word, counts[word], near.get(word, [])) for word in words], total


def _related(stores: Sequence[OpenStore], chosen: list[Candidate], cue: Cue) -> list[Candidate]:
    """One hop from what was chosen: the memories that it names as related."""
    more: list[Candidate] = []
    for store in stores:
        for one in store.index.by_ids(rank.related_names(chosen, store.scope)):
            one.scope = store.scope
            one.parts = {"related": 1.0}
            more.append(one)
    return [one for one in more if rank.is_fit(one, cue)]


def with_trust(only: Filter, trust: str) -> Filter:
    """The filter, letting through only memories that can be trusted at least that much."""
    return only._replace(trust=trust)
