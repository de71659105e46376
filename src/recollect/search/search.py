"""Search the stores of a workspace by words, and by vectors if there is an embedder.

Each memory appears once; stores are ranked as one. Rarely needed modules are imported where they
are used.
"""

from __future__ import annotations

from recollect._fastimport import NamedTuple
from recollect.model.memory import TRUSTS, Filter, day_of
from recollect.model.tags import with_forms
from recollect.search import rank
from recollect.search.conversation_rank import is_turn
from recollect.search.rank import Candidate, Cue
from recollect.text.tokens import cue_words, folded, index_words, simplified, stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import TypeVar

    from recollect.search.embedding import Sense
    from recollect.store.store import OpenStore

    Item = TypeVar("Item")

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
    "tags": lambda one: with_forms(one.tags),
    "trigger": lambda one: one.trigger,
    "files": lambda one: one.files,
    "body": lambda one: one.text,
}


def cue_of(text: str, today: str, files: Sequence[str] = ()) -> Cue:
    """What to search with: the words of `text`, and the files at hand."""
    named = [w.strip("\"'`()[],;:!?") for w in text[:4000].split() if "." in w or "/" in w]
    return Cue(text, cue_words(text), day_of(today), [*files, *named][:24])


def search(
    stores: Sequence[OpenStore],
    text: str,
    only: Filter,
    *,
    limit: int,
    every_section: bool = False,
    narrow: Narrow | None = None,
) -> list[Found]:
    """The memories that match, best first; the best section of each, unless all are wanted."""
    cue = cue_of(text, stores[0].now if stores else "")
    most = MOST_LOOKED_THROUGH if narrow else max(limit * 3, MOST_CANDIDATES)
    found = in_one_state(stores, lambda: _hits(stores, cue, only, most))
    found = [one for one in found if _may_see(one, only)]
    if narrow:
        found = [one for one in found if narrow.lets_through(one, cue.words)]
    best = max((one.text_score for one in found if one.kind != "conversation"), default=0.0)
    best = best or max((one.text_score for one in found), default=0.0)
    for one in found:
        rank.rate(one, best, cue)
        if is_turn(one):
            _put_behind(one, "raw")
        if one.status == "superseded":
            _put_behind(one, "superseded")
    found.sort(key=rank.by_score)
    rank.put_newer_first(found)
    roots = {store.scope: store.root for store in stores}
    kept: dict[str, Candidate] = {}
    for one in found:
        kept.setdefault(f"{one.scope}:{one.name if every_section else one.id}", one)
    starts = [stem(word) for word in cue.words[:MOST_WORDS_SHOWN]]
    return [
        Found(one, _shown_of(one, starts), f"{roots[one.scope]}/{one.path}")
        for one in list(kept.values())[:limit]
    ]


def _put_behind(one: Candidate, why: str) -> None:
    one.parts[why] = rank.BEHIND[why]
    one.score *= rank.BEHIND[why]


def _hits(stores: Sequence[OpenStore], cue: Cue, only: Filter, most: int) -> list[Candidate]:
    """What has the words of a cue, or their meaning, or is of the time that they name."""
    found: list[Candidate] = []
    sense: Sense | None = None
    for store, hits in _matching(stores, cue, only, most):
        if any(map(is_turn, hits)):
            from recollect.search import conversation_rank as talk

            hits.extend(store.index.beside(talk.strong([one for one in hits if is_turn(one)])))
        if store.embedder():  # few have one
            from recollect.search.embedding import Sense

            sense = sense or Sense(cue)
            sense.take(store, hits, only)
        if any(map(is_turn, hits)):
            from recollect.search import conversation_rank as talk

            talk.in_context([one for one in hits if is_turn(one)], cue)
        if cue.period[0]:
            hits.extend(others(store.index.dated(cue.period, only), hits))
        for one in hits:
            one.scope = store.scope
        found += hits
    return found


def in_one_state(stores: Sequence[OpenStore], do: Callable[[], Item]) -> Item:
    """What `do` gives, all of it asked of one state of each index, whoever writes meanwhile."""
    if not stores:
        return do()
    with stores[0].index.snapshot():
        return in_one_state(stores[1:], do)


def _matching(
    stores: Sequence[OpenStore], cue: Cue, only: Filter, most: int
) -> list[tuple[OpenStore, list[Candidate]]]:
    """What each store has for the words of a cue, with scores as if they were one store."""
    found = [store.index.search(cue.words, only=only, limit=most) for store in stores]
    if len(stores) > 1:
        from recollect.search.bm25 import weigh_as_one

        weigh_as_one(stores, found, "cold" if only.archived else "hot")
    return list(zip(stores, found, strict=True))


def others(more: Sequence[Candidate], hits: Sequence[Candidate]) -> list[Candidate]:
    """Those of which no section was found yet."""
    have = {one.memory for one in hits}
    return [one for one in more if one.memory not in have]


def _may_see(one: Candidate, only: Filter) -> bool:
    return TRUSTS.index(one.trust) >= TRUSTS.index(only.trust)


def _shown_of(one: Candidate, starts: Sequence[str]) -> str:
    """The snippet without the `# Title` that a text begins with: it is shown already."""
    return snippet_of(one.text, starts).removeprefix(f"# {one.title}").lstrip()


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
