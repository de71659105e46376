"""Lifecycle: which file a claim belongs into.

Promises: rules go to procedural/feedback.md under a title of their own; facts go to the semantic
file that has most tags in common, two at least (then salience, then last access, then path), else to
a new one; a claim never goes where it would be trusted less, nor into a private or always-loaded file.
Touches: nothing.
"""

from __future__ import annotations

from recollect.domain.claims import Claim
from recollect.domain.codec.fields import stem_of
from recollect.domain.lifecycle.actions import (
    FEEDBACK,
    NOTED,
    RULE_OF,
    TITLES,
    Mark,
    Rules,
    Start,
)
from recollect.domain.lifecycle.pages import Page, Shelf
from recollect.domain.lifecycle.titles import facts_title, title_for
from recollect.domain.model import LEVELS, TRUSTS, Memory
from recollect.domain.names import free_name, slug_of

LEAST_COMMON = 2
MOST_NAMING = 3  # tags that name a new file


class Placing:
    """Finds places on a shelf, and starts new files on it."""

    def __init__(self, shelf: Shelf, rules: Rules) -> None:
        """On this shelf, by these rules."""
        self.shelf = shelf
        self.rules = rules
        self._known: dict[tuple[str, str], str] = {}

    def place_for(self, episode: Memory, claim: Claim, mark: Mark) -> tuple[list[Start], str, str]:
        """`(new files, path, heading)` for a claim."""
        is_zh = self.rules.lang == "zh"
        if claim.kind == "behavioural":
            wanted, start = self._rules_file(episode, mark)
            heading = title_for(claim.text, RULE_OF[claim.trust][is_zh])
        else:
            heading = NOTED[claim.trust][is_zh]
            if best := self._best(episode, claim.trust):
                return [], best, heading
            wanted, start = self._facts_file(episode, mark, claim.text)
        page = self.shelf.pages.get(wanted)
        if page and self._takes(page, episode, claim.trust):
            return [], wanted, heading
        path = self._free_path(wanted)
        start = start._replace(path=path, id=stem_of(path))
        self._open(start)
        return [start], path, heading

    def _takes(self, page: Page, episode: Memory, trust: str) -> bool:
        is_trusted = TRUSTS.index(page.trust) >= TRUSTS.index(trust)
        return page.is_open and is_trusted and page.project == episode.project

    def _best(self, episode: Memory, trust: str) -> str:
        known = self._known.get((episode.id, trust), "")
        if not known or known not in self.shelf.pages:
            known = self._known[episode.id, trust] = self._found_best(episode, trust)
        return known

    def _found_best(self, episode: Memory, trust: str) -> str:
        tags = frozenset(tag.casefold() for tag in episode.tags)
        fitting = [
            (common, LEVELS.index(page.salience), page.last_accessed, page.path)
            for path, common in self.shelf.common_tags(tags).items()
            if common >= LEAST_COMMON
            and (page := self.shelf.pages[path]).layer == "semantic"
            and self._takes(page, episode, trust)
        ]
        if not fitting:
            return ""
        most = max(row[:3] for row in fitting)
        return min(row[3] for row in fitting if row[:3] == most)

    def _rules_file(self, episode: Memory, mark: Mark) -> tuple[str, Start]:
        path = FEEDBACK
        if episode.project:
            path = f"procedural/feedback-{slug_of(episode.project)}.md"
        # The file is the person's; each line in it says where it comes from.
        own = mark._replace(trust="user", source="instructed")
        title = TITLES[self.rules.lang]
        return path, Start(path, "", title, "procedural", "rule", (), own, episode.project)

    def _facts_file(self, episode: Memory, mark: Mark, text: str) -> tuple[str, Start]:
        names = sorted(episode.tags, key=lambda tag: not _is_said(tag, text))[:MOST_NAMING]
        title = facts_title(names, self.rules.lang)
        title += RULE_OF[mark.trust][self.rules.lang == "zh"]  # the person's has another title
        path = f"semantic/{slug_of('-'.join(names)) if names else 'misc'}.md"
        return path, Start(path, "", title, "semantic", "fact", episode.tags, mark, episode.project)

    def _free_path(self, wanted: str) -> str:
        folder, _, name = wanted.removesuffix(".md").rpartition("/")

        def is_taken(name: str) -> bool:
            return f"{folder}/{name}.md" in self.shelf.paths or self.rules.is_taken(name)

        return f"{folder}/{free_name(name, is_taken)}.md"

    def _open(self, start: Start) -> None:
        self.shelf.add_page(
            Page(
                start.path,
                start.title,
                start.layer,
                frozenset(tag.casefold() for tag in start.tags),
                "medium",
                start.mark.trust,
                start.project,
                start.mark.date[:10],
                0,
                is_open=True,
            )
        )


def _is_said(tag: str, text: str) -> bool:
    """Whether a text has this tag as a word."""
    word, said = tag.casefold(), text.casefold()
    if not word.isascii():
        return word in said
    return word in {one.strip(".,;:!?()`'\"") for one in said.split()}
