"""Parse the claims of files and episodes for a plan, and index those of semantic and procedural files.

A claim is found by its normalised key, and possible contradictions by topic.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from itertools import chain
from types import MappingProxyType

from recollect._fastimport import NamedTuple
from recollect.consolidate.actions import FEEDBACK, FILE, SECTION, CreateFile, PlanRules, titles_of
from recollect.consolidate.claims import (
    Claim,
    PlacedStatement,
    is_claim,
    is_trusted_like,
    statements_of,
)
from recollect.context.views import LONGEST_REASON
from recollect.model import document, layers
from recollect.model.claim_key import near_key, reversed_keys
from recollect.model.conflicts import (
    Conflict,
    Priority,
    conflict_between,
    says_with_subject,
    topics_of,
)
from recollect.model.document import stem_of
from recollect.model.entries import beside_title, is_conversation
from recollect.model.footnotes import Mark, is_same_origin, mark_of
from recollect.model.layers import named_subject
from recollect.model.memory import LEVELS, TRUSTS, Memory, free_name, lowest_trust, slug_of
from recollect.model.page_form import NOTED, RULE_OF, title_for
from recollect.model.tags import LEAST_COMMON
from recollect.text.redact import strip_private
from recollect.text.tokens import plain_words, stem

LAYERS = ("semantic", "procedural")
MOST_PLACES = 8  # a claim that stands in more files joins none of them
_OTHER_TRUST = re.compile(r"<!--(?! from: | superseded )[^>]*\btrust:\s*(external|tool|agent)\b")


class FileClaim(NamedTuple):
    """A claim that stands in a file; without a mark it is a person's line, or a title.

    Of the title of a section `n` is the first statement below it.
    """

    path: str
    text: str
    key: str
    standing: Priority
    trust: str
    mark: Mark | None = None
    is_item: bool = True
    is_alone: bool = True
    topics: frozenset[str] = frozenset()
    n: int = -1  # which statement of its file it is; none yet for one that is only planned
    title: str = ""  # what it is the title of: its file, a section, or nothing
    below: int = 0  # how many statements go with the title of a section: its reasons
    has_reasons: bool = False  # whether anything of a person's stands below a title


class FileSummary(NamedTuple):
    """A file that claims stand in. `is_open` says that a plan may write into it.

    `says` are the near keys of what it says as a whole: its title, alone and with the text below it,
    which is how a session tells of a fact that was kept while it went on. `size` is how many claims
    it has, its titles among them, and `own` how many of the others a person put there: the reasons of
    its title.
    """

    path: str
    title: str
    layer: str
    tags: frozenset[str]
    salience: str
    trust: str
    last_accessed: str
    size: int
    is_open: bool
    says: frozenset[str] = frozenset()
    own: int = 0


class ParsedFile(NamedTuple):
    """A file as a plan reads it; without a page nothing in it holds now."""

    path: str
    page: FileSummary | None = None
    held: tuple[FileClaim, ...] = ()
    past: tuple[str, ...] = ()


Known = Mapping[str, tuple[str, frozenset[str]]]  # near key and topics of claims, by their text


def reading_of(path: str, text: str, known: Known = MappingProxyType({})) -> ParsedFile:
    """What a file says to a plan; claims that are `known` need not be looked at closely."""
    past = tuple(reversed_keys(text))
    memory = document.memory_from_text(text, path)
    if memory.archived or memory.layer not in LAYERS or memory.status == "superseded":
        return ParsedFile(path, past=past)
    body = strip_private(memory.body)
    lowered = _lowered(body)
    every = statements_of(body)
    held = tuple(
        _held(memory, n, said, lowered.get(said.anchor, "user"), known.get(said.text))
        for n, said in enumerate(every)
        if said.text in known or is_claim(said.text)
    )
    titles = []
    for one in titles_of(memory, body, every):
        as_said = PlacedStatement(one.text, one.anchor, "", "", is_item=True, is_alone=True)
        least = lowered.get(one.anchor, "user")
        title = _held(memory, one.n, as_said, least, known.get(one.text))
        title = title._replace(title=one.what, below=one.below, has_reasons=one.has_reasons)
        titles.append(title)
    held = (*titles, *held)
    page = FileSummary(
        path,
        memory.title,
        memory.layer,
        frozenset(tag.casefold() for tag in memory.tags),
        memory.salience,
        memory.trust,
        memory.last_accessed,
        len(held),
        _is_open(memory),
        _whole(memory.title, body),
        sum(map(_is_own, held)),
    )
    return ParsedFile(path, page, held, past)


def _is_own(held: FileClaim) -> bool:
    return held.mark is None and not held.title


def _whole(title: str, body: str) -> frozenset[str]:
    """The near keys of what a page says as a whole."""
    if not is_claim(title):
        return frozenset()
    reason = " ".join(beside_title(document.sections_of(body)[0].text, title).split())
    reason = reason if len(reason) <= LONGEST_REASON else ""  # no session tells so much of a fact
    return frozenset(map(near_key, (title, f"{title}: {reason}") if reason else (title,)))


def _held(
    memory: Memory,
    n: int,
    said: PlacedStatement,
    least: str,
    known: tuple[str, frozenset[str]] | None,
) -> FileClaim:
    mark = mark_of(said.mark) if said.mark else None
    if mark:
        trust = mark.trust if mark.trust in TRUSTS else "external"
        standing = priority_of(mark)
    else:
        trust = "user"
        standing = Priority(memory.updated or memory.created, memory.salience, memory.created)
    trust = lowest_trust(memory.trust, trust, least)
    key, topics = known or (near_key(said.text), topics_of(said.text))
    how = said.is_item, said.is_alone
    return FileClaim(memory.path, said.text, key, standing, trust, mark, *how, topics, n)


def priority_of(mark: Mark) -> Priority:
    """What counts where two statements contradict each other, for one that came with this mark."""
    return Priority(mark.date, mark.salience, mark.date)


def _lowered(body: str) -> dict[str, str]:
    """The trust of the sections that a comment lowers as a whole, by anchor."""
    if "trust:" not in body:
        return {}
    return {
        section.anchor: lowest_trust(*found)
        for section in document.sections_of(body)
        if (found := _OTHER_TRUST.findall(section.text))
    }


def _is_open(memory: Memory) -> bool:
    """Whether a statement put into a file is read back as one, by everybody."""
    if memory.private or memory.problem or memory.path.startswith("core/"):
        return False
    body = memory.body
    if body.rfind("<!--") <= body.rfind("-->") and "<private" not in body.lower():
        return True
    probe = document.with_section(body, "Probe of what is read", "- the probe is read")
    return any(said.text == "the probe is read" for said in statements_of(strip_private(probe)))


class ClaimIndex:
    """The pages and, of their claims, those that a plan has to do with."""

    def __init__(
        self, readings: Iterable[ParsedFile], keys: Container[str], topics: Collection[str]
    ) -> None:
        """Take in all pages; of their claims those with one of these near keys or topics."""
        self.pages: dict[str, FileSummary] = {}
        self.paths: set[str] = set()
        self.past: set[str] = set()
        self._by_key: defaultdict[str, list[FileClaim]] = defaultdict(list)
        self._by_topic: defaultdict[str, list[FileClaim]] = defaultdict(list)
        self._by_tag: defaultdict[str, set[str]] = defaultdict(set)
        self._by_whole: defaultdict[str, set[str]] = defaultdict(set)
        self._stands: dict[int, tuple[str, ...]] = {}  # where it stands, by the hash of its key
        # The keys of claims that came or went since the planner last emptied it.
        self.changed: set[str] = set()
        self.named: Counter[str] = Counter()  # how many claims name each subject
        self._counted: set[str] = set()
        for reading in readings:
            self.count_subjects((held.text, held.key) for held in reading.held if not held.title)
            self.paths.add(reading.path)
            self.past.update(reading.past)
            if reading.page:
                self.add_page(reading.page)
            for held in reading.held:
                self._stand(held)
                if held.key in keys or not held.topics.isdisjoint(topics):
                    self._file(held)

    def count_subjects(self, claims: Iterable[tuple[str, str]]) -> None:
        """Count the subjects that claims name, each claim once; they come with their near keys."""
        for text, key in claims:
            name = named_subject(text).casefold() if ":" in text or "：" in text else ""
            if name and key not in self._counted:
                self._counted.add(key)
                self.named[name] += 1

    def add_page(self, page: FileSummary) -> None:
        """Take in a page."""
        self.paths.add(page.path)
        self.pages[page.path] = page
        for tag in page.tags:
            self._by_tag[tag].add(page.path)
        for key in page.says:
            self._by_whole[key].add(page.path)

    def _stand(self, held: FileClaim) -> None:
        places = self._stands.get(hash(held.key), ())
        if held.path not in places and len(places) <= MOST_PLACES:
            self._stands[hash(held.key)] = (*places, held.path)

    def _file(self, held: FileClaim) -> None:
        self._by_key[held.key].append(held)
        for topic in held.topics:
            self._by_topic[topic].append(held)

    def add(self, held: FileClaim) -> None:
        """Take in a claim that its page did not have yet, or has in another way now."""
        self.changed.add(held.key)
        self._stand(held)
        self._file(held)
        self._resize(held, 1)

    def drop(self, held: FileClaim) -> None:
        """Drop a claim."""
        self.changed.add(held.key)
        self._by_key[held.key].remove(held)
        for topic in held.topics:
            self._by_topic[topic].remove(held)
        places = self._stands.get(hash(held.key), ())
        self._stands[hash(held.key)] = tuple(path for path in places if path != held.path)
        self._resize(held, -1)

    def _resize(self, held: FileClaim, by: int) -> None:
        page = self.pages[held.path]
        own = page.own + by * _is_own(held)
        self.pages[held.path] = page._replace(size=page.size + by, own=own)

    def give_up(self, held: FileClaim) -> None:
        """Drop a claim and what goes with it."""
        self.drop(held)
        if held.title == SECTION and held.below:
            reasons = range(held.n, held.n + held.below)
            for one in self._standing_in(held.path):
                if one.n in reasons and not one.title:
                    self.drop(one)
        if held.title == FILE or held.key in self.pages[held.path].says:
            self._forget_whole(held.path)

    def _standing_in(self, path: str) -> list[FileClaim]:
        return [one for row in self._by_key.values() for one in row if one.path == path]

    def _forget_whole(self, path: str) -> None:
        """A page has another title from now on."""
        page = self.pages[path]
        self.changed.update(page.says)
        for key in page.says:
            self._by_whole[key].discard(path)
        self.pages[path] = page._replace(says=frozenset())

    def retire(self, held: FileClaim) -> None:
        """Drop a page together with the claim that it stands for."""
        for one in self._standing_in(held.path):
            self.drop(one)
        self._forget_whole(held.path)
        page = self.pages.pop(held.path)
        for tag in page.tags:
            self._by_tag[tag].discard(held.path)
        for key, places in self._stands.items():
            if held.path in places:
                self._stands[key] = tuple(path for path in places if path != held.path)

    def holds(self, held: FileClaim) -> bool:
        """Whether a claim is still where it was."""
        return held in self._by_key.get(held.key, ())

    def has(self, key: str) -> bool:
        """Whether a claim with this key stands anywhere where it could be taken out."""
        return any(self.pages[held.path].is_open for held in self._by_key.get(key, ()))

    def holding(self, key: str, trust: str) -> FileClaim | None:
        """The claim with this key that is trusted no less; the newest."""
        every = self._by_key.get(key, ())
        known = [held for held in every if is_trusted_like(held.trust, trust)]
        return max(known, key=lambda h: (h.standing, h.path), default=None)

    def has_mark(self, key: str) -> bool:
        """Whether an entry that names its origin says this."""
        return any(held.mark for held in self._by_key.get(key, ()))

    def is_whole(self, key: str, trust: str) -> bool:
        """Whether a page, trusted no less, says this as a whole."""
        pages = (self.pages[path] for path in self._by_whole.get(key, ()))
        return any(is_trusted_like(page.trust, trust) for page in pages)

    def clashing(self, text: str, topics: Iterable[str]) -> list[tuple[FileClaim, Conflict]]:
        """The claims that contradict this one, which has these topics."""
        near = dict.fromkeys(held for topic in topics for held in self._by_topic.get(topic, ()))
        pairs = (
            (held, conflict_between(text, held.text))
            for held in sorted(near, key=lambda h: (h.path, h.text, h.key, h.n))
        )
        return [(held, conflict) for held, conflict in pairs if conflict]

    def with_subject(self, text: str, topics: Iterable[str], episode: str) -> bool:
        """Whether a claim of this episode stands in the wording that it got with its subject."""
        near = (held for topic in topics for held in self._by_topic.get(topic, ()))
        return any(
            held.mark
            and is_same_origin(held.mark.episode, episode)
            and says_with_subject(held.text, text)
            for held in near
        )

    def common_tags(self, tags: frozenset[str]) -> dict[str, int]:
        """How many of these tags each page has."""
        return Counter(chain.from_iterable(self._by_tag.get(tag, ()) for tag in tags))

    def shared(self) -> Iterator[tuple[str, str, int]]:
        """Pairs of pages with claims in common, and how many."""
        counts: dict[tuple[str, str], int] = {}
        for places in self._stands.values():
            paths = sorted(places)
            if 1 < len(paths) <= MOST_PLACES:
                for n, one in enumerate(paths):
                    for other in paths[n + 1 :]:
                        counts[one, other] = counts.get((one, other), 0) + 1
        for (one, other), n in sorted(counts.items()):
            yield one, other, n


class EpisodeClaim(NamedTuple):
    """A claim of an episode, with what it is compared by: its near key and its topics."""

    claim: Claim
    key: str
    topics: frozenset[str]


def episode_claim(claim: Claim) -> EpisodeClaim:
    """A claim with its near key and its topics."""
    return EpisodeClaim(claim, near_key(claim.text), topics_of(claim.text))


def is_claim_source(memory: Memory) -> bool:
    """Whether a plan takes claims from a memory: an episode, readable, in force and not private."""
    if memory.layer != "episodic" or is_conversation(memory.path):
        return False
    return not (memory.private or memory.problem or memory.status == "superseded")


# -------------------- Which page a claim belongs on, and which new pages are started.


EARNS_A_PAGE = 3  # entries that name the same subject


class PagePlacer:
    """Finds the page that a claim belongs on, and starts new pages."""

    def __init__(self, index: ClaimIndex, rules: PlanRules) -> None:
        """Among the pages of this index, by these rules."""
        self.index = index
        self.rules = rules
        self.subject = ""  # the page that the writer names
        self._known: dict[tuple[str, str], str] = {}
        # Of pages of a subject of their own: the title and its stems.
        self._titles: dict[str, tuple[str, frozenset[str]]] = {}
        for page in index.pages.values():
            self._take_title(page.path, page.title)

    def _take_title(self, path: str, title: str) -> None:
        words = frozenset(map(stem, plain_words(title)))
        is_page = path.startswith("semantic/") and path.count("/") == 1
        is_named = 0 < len(words) <= layers.LONGEST_SUBJECT and not layers.is_subject(title)
        if is_page and is_named and not is_claim(title):
            self._titles[path] = title, words

    def place_for(
        self, episode: Memory, claim: Claim, mark: Mark
    ) -> tuple[list[CreateFile], str, str]:
        """`(new files, path, heading)` for a claim."""
        is_zh = self.rules.lang == "zh"
        if claim.kind == "behavioural":
            # The file is the person's; each line in it says where it comes from.
            own = mark._replace(trust="user", source="instructed")
            title = layers.SHARED_TITLES[self.rules.lang][FEEDBACK]
            start = CreateFile(FEEDBACK, "", title, "procedural", "rule", (), own)
            heading = title_for(claim.text, RULE_OF[claim.trust][is_zh])
        else:
            heading = NOTED[claim.trust][is_zh]
            if best := self._best(episode, claim):
                return [], best, heading
            start = self._facts_file(mark, claim.text)
        if self._takes_in(start.path, claim.trust):
            return [], start.path, heading
        path = self._free_path(start.path)
        start = start._replace(path=path, id=stem_of(path))
        self._open(start)
        return [start], path, heading

    def _takes(self, page: FileSummary, trust: str) -> bool:
        return page.is_open and is_trusted_like(page.trust, trust)

    def _best(self, episode: Memory, claim: Claim) -> str:
        """The page that a claim goes to as it is: of the subject that it names, or by its writer's tags."""
        if self.subject:
            return self._of_subject(claim.trust)
        named = layers.named_subject(claim.text).casefold()
        words = set(map(stem, plain_words(claim.text)))
        about = [
            (title.casefold() == named, len(said), path)
            for path, (title, said) in self._titles.items()
            if (title.casefold() == named or said <= words) and self._takes_in(path, claim.trust)
        ]
        if about:
            return max(about)[2]
        key = episode.id, claim.trust
        known = self._known.get(key, "")
        if not known or known not in self.index.pages:
            known = self._known[key] = self._tagged(episode, claim.trust)
        return known

    def _of_subject(self, trust: str) -> str:
        """The page that has the subject for its title."""
        wanted = self.subject.casefold()
        named = (one for one in self.index.pages.values() if one.title.casefold() == wanted)
        pages = (
            page.path
            for page in named
            if page.layer == "semantic" and page.path.count("/") == 1 and self._takes(page, trust)
        )
        return min(pages, default="")

    def _takes_in(self, path: str, trust: str) -> bool:
        page = self.index.pages.get(path)
        return page is not None and self._takes(page, trust)

    def _tagged(self, episode: Memory, trust: str) -> str:
        """The page with most of an episode's tags; those of a session are words of its title."""
        tags = frozenset(tag.casefold() for tag in episode.tags if episode.kind != "session")
        fitting = [
            (common, LEVELS.index(page.salience), page.last_accessed, path)
            for path, common in sorted(self.index.common_tags(tags).items())
            if common >= LEAST_COMMON
            and (page := self.index.pages[path]).layer == "semantic"
            and self._takes(page, trust)
        ]
        return max(fitting, key=lambda row: row[:3])[3] if fitting else ""  # the first of the best

    def _facts_file(self, mark: Mark, text: str) -> CreateFile:
        """The page of the subject that three entries name, else of one that every project has."""
        named = layers.named_subject(text)
        title = self.subject or layers.subject_of(text, self.rules.lang)
        if not self.subject and named and self.index.named[named.casefold()] >= EARNS_A_PAGE:
            title = named
        path = f"semantic/{slug_of(title)}.md"
        # The page is for everybody's entries; each says whose it is.
        own = mark._replace(trust="user", source="observed")
        return CreateFile(path, "", title, "semantic", "fact", (), own)

    def _free_path(self, wanted: str) -> str:
        folder, _, name = wanted.removesuffix(".md").rpartition("/")

        def is_taken(name: str) -> bool:
            return f"{folder}/{name}.md" in self.index.paths or self.rules.is_taken(name)

        return f"{folder}/{free_name(name, is_taken)}.md"

    def _open(self, start: CreateFile) -> None:
        self._take_title(start.path, start.title)
        tags, day = frozenset(map(str.casefold, start.tags)), start.mark.date[:10]
        page = FileSummary(
            start.path, start.title, start.layer, tags, "medium", start.mark.trust, day, 0, is_open=True
        )  # fmt: skip
        self.index.add_page(page)
