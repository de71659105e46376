"""Search the stores of a workspace by words, and by vectors if there is an embedder.

Each entry appears once. Rarely needed modules are imported where they are used.
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager

from recollect._fastimport import Callable, Iterator, NamedTuple, Sequence
from recollect.errors import RecollectError
from recollect.model.memory import Filter, Problem, day_of
from recollect.model.tags import with_forms
from recollect.search import rank
from recollect.search.conversation_rank import is_turn, rate_in_context, speaker_of, strong
from recollect.search.index_read import rarity
from recollect.search.rank import Candidate, Cue
from recollect.search.relevance import found_in, start_of, term_weight
from recollect.store.store import EMBEDDER
from recollect.text.tokens import cue_words, folded, index_terms, plain_words, simplified, stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.ports import Embedder
    from recollect.search.vectors import Embedding
    from recollect.store.store import OpenStore

SNIPPET_CHARS = 220
MOST_CANDIDATES = 30
MOST_FILTERED = 2_000  # candidates, where a hit must have more than some of the words
MOST_WORDS_SHOWN = 16
MOST_PLACES = 8
LEAST_OWN = 0.1  # of its score an entry keeps of which only the page has the words


class Hit(NamedTuple):
    """A hit of a search."""

    candidate: Candidate
    snippet: str
    path: str


class HitFilter(NamedTuple):
    """What a hit must have besides some of the words.

    Every phrase literally (in any case, with any white space), and one of the words in the field, if
    one of `FIELDS` is named.
    """

    phrases: tuple[str, ...] = ()
    field: str = ""

    def lets_through(self, one: Candidate, words: Sequence[str]) -> bool:
        """Whether a candidate has all of it."""
        text = _plain(f"{one.shown_title}\n{one.text}") if self.phrases else ""
        if not all(_plain(phrase) in text for phrase in self.phrases):
            return False
        if not self.field:
            return True
        terms = f" {index_terms(FIELDS[self.field](one))} "
        return any(start_of(word) in terms for word in words)


def _plain(text: str) -> str:
    return " ".join(simplified(folded(text)).casefold().split())


FIELDS: dict[str, Callable[[Candidate], str]] = {
    "title": lambda one: one.shown_title,
    "tags": lambda one: with_forms(one.tags),
    "trigger": lambda one: one.trigger,
    "files": lambda one: one.files,
    "body": lambda one: one.text,
}


def cue_of(text: str, today: str, project: str = "") -> Cue:
    """The cue of a text: its words, and the files that it names, asked in the folder of a project."""
    return Cue(text, cue_words(text), day_of(today), rank.files_in(text), project)


def search(
    stores: Sequence[OpenStore],
    text: str,
    only: Filter,
    *,
    limit: int,
    every_section: bool = False,
    narrow: HitFilter | None = None,
) -> list[Hit]:
    """The entries that match, best first; of a page that is one entry the best part, or all parts."""
    cue = cue_of(text, stores[0].now if stores else "")
    most = MOST_FILTERED if narrow else max(limit * 3, MOST_CANDIDATES)
    with one_state(stores):
        found = _candidates(stores, cue, only, most)
    if narrow:
        found = [one for one in found if narrow.lets_through(one, cue.words)]
    asked = {start_of(word): term_weight(word, 1, 1) for word in cue.words}
    for one in found:
        one.text_score *= _own_share(one, asked)
    best = max((one.text_score for one in found if one.kind != "conversation"), default=0.0)
    best = best or max((one.text_score for one in found), default=0.0)
    words = plain_words(text) if any(map(is_turn, found)) else ()
    is_answered = any(_has_all(one, words) for one in found if not is_turn(one))
    for one in found:
        if is_answered and is_turn(one):  # in a store of few pages none of their words is rare
            one.text_score = min(one.text_score, best)
        rank.rate(one, best, cue)
        for why in ("raw",) * is_turn(one) + ("superseded",) * (one.status == "superseded"):
            one.parts[why] = rank.BEHIND[why]
            one.score *= rank.BEHIND[why]
    found.sort(key=rank.by_score)
    rank.put_newer_first(found)
    roots = {store.scope: store.root for store in stores}
    entries: dict[str, Candidate] = {}
    for one in found:
        key = f"{one.scope}:{one.name}" if every_section else one.whole
        shown = entries.setdefault(key, one)
        if shown is not one and _tells(one, asked) > _tells(shown, asked):
            entries[key] = one  # in its place: the page was found by its title
    starts = [stem(word) for word in cue.words[:MOST_WORDS_SHOWN]]
    return [
        Hit(one, _snippet(one, starts), f"{roots[one.scope]}/{one.path}")
        for one in list(entries.values())[:limit]
    ]


_LISTS = ("files", "commands", "文件", "命令")  # of a session's page


def _tells(one: Candidate, asked: dict[str, float]) -> tuple[bool, bool]:
    """Whether a section's text has a word of a cue, and whether it is more than a list of names."""
    own = one.text.removeprefix(f"# {one.title}").strip()
    return bool(own and found_in(asked, "", index_terms(own))), one.anchor not in _LISTS


def _own_share(one: Candidate, asked: dict[str, float]) -> float:
    """How much of what an entry has of a cue stands in itself, not in the title or tags of its page."""
    if not (one.anchor and one.entry) or is_turn(one):
        return 1.0
    page = index_terms(f"{one.shown_title} {with_forms(one.tags)}")
    by_page = found_in(asked, page)
    if not by_page:
        return 1.0
    own = found_in(asked, index_terms(f"{one.own_title} {one.trigger} {one.text}"))
    return max(LEAST_OWN, sum(own.values()) / sum((by_page | own).values()))


def _has_all(one: Candidate, words: Sequence[str]) -> bool:
    """Whether an entry has every word of a cue."""
    if not words:
        return False
    terms = f" {index_terms(f'{one.shown_title} {with_forms(one.tags)} {one.text}')} "
    return all(start_of(word) in terms for word in words)


@contextmanager
def one_state(stores: Sequence[OpenStore]) -> Iterator[None]:
    """All queries inside see one state of each index, whoever writes meanwhile."""
    with ExitStack() as stack:
        for store in stores:
            stack.enter_context(store.index.snapshot())
        yield


def _candidates(stores: Sequence[OpenStore], cue: Cue, only: Filter, most: int) -> list[Candidate]:
    """What has the words of a cue, or their meaning, or is of the time that they name."""
    every = [store.index.search(cue.weighed, only=only, limit=most) for store in stores]
    if sum(map(bool, every)) > 1:
        for shelf in ("cold" if only.archived else "hot", "raw"):
            _weigh_as_one_store(stores, every, cue.weighed, shelf)
    by_vectors = VectorSearch(cue)
    for store, found in zip(stores, every, strict=True):
        if any(map(is_turn, found)):
            found.extend(store.index.beside(strong([one for one in found if is_turn(one)])))
        by_vectors.add_near(store, found, only)
        rate_in_context([one for one in found if is_turn(one)], cue)
        if cue.period[0]:
            found.extend(others(store.index.dated(cue.period, only), found))
        for one in found:
            one.scope = store.scope
    return [one for found in every for one in found]


def _weigh_as_one_store(
    stores: Sequence[OpenStore],
    every: Sequence[Sequence[Candidate]],
    words: list[str],
    shelf: str,
) -> None:
    """Scale the BM25 scores of each store to the rarities that the words have in all stores."""
    counts = [store.index.word_counts(words, shelf) for store in stores]
    total = sum(sections for _, sections in counts)
    together = {word: sum(own[word] for own, _ in counts) for word in words}
    for found, (own, sections) in zip(every, counts, strict=True):
        known = [word for word in words if own[word]]
        before = sum(rarity(own[word], sections) for word in known)
        after = sum(rarity(together[word], total) for word in known)
        for one in found:
            if known and is_turn(one) is (shelf == "raw"):
                one.text_score *= after / before


def others(more: Sequence[Candidate], found: Sequence[Candidate]) -> list[Candidate]:
    """Those of `more` whose entry was not found yet."""
    have = {(one.memory, one.entry) for one in found}
    return [one for one in more if (one.memory, one.entry) not in have]


def _snippet(one: Candidate, starts: Sequence[str]) -> str:
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
    """The first few places of each of these in a text."""
    for word in starts:
        at = -1
        for _ in range(MOST_PLACES):
            at = text.find(word, at + 1)
            if at < 0:
                break
            yield at, word


# ------------------------------------------------------------------------------- search by vectors

MOST_NEAR = 40
MOST_NEAR_TURNS = 100
NEAR_ENOUGH = 0.3  # a cosine from which on a section without a word of the cue is a candidate
NEAR_ENOUGH_TURN = 0.15  # a turn is short, and says little by itself


class VectorSearch:
    """The search for what is near one cue, by the embedders of the stores."""

    def __init__(self, cue: Cue) -> None:
        """The cue is embedded when a store is searched."""
        self._cue = cue
        self._embeddings: dict[tuple[str, str], Embedding] = {}

    def add_near(self, store: OpenStore, found: list[Candidate], only: Filter) -> None:
        """Add the nearest sections, and set how near all candidates are."""
        with self._embedder(store) as embedder:
            if embedder:
                for shelf in ("cold" if only.archived else "hot", "raw"):
                    have = [one for one in found if is_turn(one) is (shelf == "raw")]
                    found += self._near(store, embedder, have, shelf=shelf, only=only)

    def add_certain(self, store: OpenStore, found: list[Candidate]) -> None:
        """Add what is so near that it may be injected without a common word; set how near all are.

        If there is any, what is near enough for a look comes, too: a newer statement about the same
        has to come with an older one.
        """
        with self._embedder(store) as embedder:
            if embedder is None:
                return
            asked = self._embedding(embedder, self._cue.text)
            near = store.index.vectors.near(embedder.identity, asked, "hot", MOST_NEAR)
            if near is None or near.scale.most < rank.SURE:
                return
            known = {one.n for one in found}
            wanted = [n for n, cosine in near.best if cosine >= NEAR_ENOUGH and n not in known]
            found += store.index.of_sections(wanted, only=Filter(), shelf="hot")
            cosines = store.index.vectors.cosines(asked, [one.n for one in found])
            for one in found:
                one.meaning = max(0.0, cosines.get(one.n, 0.0))

    @contextmanager
    def _embedder(self, store: OpenStore) -> Iterator[Embedder | None]:
        """The embedder of a store's vectors, if it understands the cue; its failure is noted."""
        embedder = store.embedder()
        try:
            if embedder:
                from recollect.search.vectors import is_foreign

                is_mute = embedder.is_english and is_foreign(self._cue.text)
                if is_mute or embedder.identity != store.index.vectors.identity():
                    embedder = None
            yield embedder
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
        """The nearest sections of a shelf that were not found yet; sets how near all are."""
        from recollect.search import vectors

        is_raw = shelf == "raw"
        speakers = {speaker_of(one.text) for one in have} if is_raw else set()
        most, enough = (MOST_NEAR_TURNS, NEAR_ENOUGH_TURN) if is_raw else (MOST_NEAR, NEAR_ENOUGH)
        asked = self._embedding(embedder, vectors.in_first_person(self._cue.text, speakers))
        stored = store.index.vectors
        near = stored.near(embedder.identity, asked, shelf, most)
        if near is None:
            return []
        known = {one.n for one in have}
        wanted = [n for n, cosine in near.best if cosine >= enough and n not in known]
        more = store.index.of_sections(wanted, only=only, shelf=shelf)
        numbers = [one.n for one in (*have, *more)]
        pieces = stored.agreement(asked, [*numbers, *near.some])
        usual = [pieces[n] for n in near.some if n in pieces]
        nearness = vectors.nearness(
            stored.cosines(asked, numbers),
            near.scale,
            {n: pieces[n] for n in numbers if n in pieces},
            sum(usual) / len(usual) if usual else 0.0,
        )
        for one in (*have, *more):
            one.meaning = nearness.get(one.n, 0.0)
        return more

    def _embedding(self, embedder: Embedder, text: str) -> Embedding:
        key = embedder.identity, text
        if key not in self._embeddings:
            self._embeddings[key] = embedder.cue(text)
        return self._embeddings[key]
