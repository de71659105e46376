"""Which page a claim belongs on, and which new pages are started."""

from __future__ import annotations

from recollect.consolidate.actions import FEEDBACK, PlanRules, Start
from recollect.consolidate.claims import Claim, is_claim, is_trusted_like
from recollect.consolidate.pages import ClaimIndex, FileSummary
from recollect.model import layers
from recollect.model.document import stem_of
from recollect.model.footnotes import Mark
from recollect.model.memory import LEVELS, Memory, free_name, slug_of
from recollect.model.page_form import NOTED, RULE_OF, title_for
from recollect.model.tags import LEAST_COMMON
from recollect.text.tokens import plain_words, stem

EARNS_A_PAGE = 3  # entries that name the same subject
LONGEST_SUBJECT = 3  # words of a page's title that names a subject


class Placing:
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
        is_named = 0 < len(words) <= LONGEST_SUBJECT and not layers.is_subject(title)
        if is_page and is_named and not is_claim(title):
            self._titles[path] = title, words

    def place_for(self, episode: Memory, claim: Claim, mark: Mark) -> tuple[list[Start], str, str]:
        """`(new files, path, heading)` for a claim."""
        is_zh = self.rules.lang == "zh"
        if claim.kind == "behavioural":
            # The file is the person's; each line in it says where it comes from.
            own = mark._replace(trust="user", source="instructed")
            title = layers.SHARED_TITLES[self.rules.lang][FEEDBACK]
            start = Start(FEEDBACK, "", title, "procedural", "rule", (), own)
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

    def _facts_file(self, mark: Mark, text: str) -> Start:
        """The page of the subject that three entries name, else of one that every project has."""
        named = layers.named_subject(text)
        title = self.subject or layers.subject_of(text, self.rules.lang)
        if not self.subject and named and self.index.named[named.casefold()] >= EARNS_A_PAGE:
            title = named
        path = f"semantic/{slug_of(title)}.md"
        # The page is for everybody's entries; each says whose it is.
        own = mark._replace(trust="user", source="observed")
        return Start(path, "", title, "semantic", "fact", (), own)

    def _free_path(self, wanted: str) -> str:
        folder, _, name = wanted.removesuffix(".md").rpartition("/")

        def is_taken(name: str) -> bool:
            return f"{folder}/{name}.md" in self.index.paths or self.rules.is_taken(name)

        return f"{folder}/{free_name(name, is_taken)}.md"

    def _open(self, start: Start) -> None:
        self._take_title(start.path, start.title)
        tags, day = frozenset(map(str.casefold, start.tags)), start.mark.date[:10]
        page = FileSummary(
            start.path, start.title, start.layer, tags, "medium", start.mark.trust, day, 0, is_open=True
        )  # fmt: skip
        self.index.add_page(page)
