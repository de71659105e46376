"""Lifecycle: what the semantic and procedural files state now, indexed for a plan.

Promises: files are read one at a time and not kept; a claim is found by its near key, and what may
contradict it by its topics, without comparing all with all.
Touches: nothing.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from recollect.domain import codec
from recollect.domain.claims import is_claim, near_key, statements_of
from recollect.domain.conflicts import Conflict, Standing, conflict_between, topics_of
from recollect.domain.lifecycle.actions import Mark, mark_of, past_keys
from recollect.domain.model import TRUSTS, Memory, lowest_trust
from recollect.domain.redact import strip_private

LAYERS = ("semantic", "procedural")
_OTHER_TRUST = re.compile(r"<!--(?! from: | superseded )[^>]*\btrust:\s*(external|tool|agent)\b")


class Held(NamedTuple):
    """A claim that stands in a file; without a mark it is a person's line."""

    path: str
    text: str
    key: str
    standing: Standing
    trust: str
    mark: Mark | None = None
    is_item: bool = True
    is_alone: bool = True


class Page(NamedTuple):
    """A file that claims stand in. `is_open` says that a plan may write into it."""

    path: str
    title: str
    layer: str
    tags: frozenset[str]
    salience: str
    trust: str
    project: str
    last_accessed: str
    size: int
    is_open: bool


def read_page(path: str, text: str) -> tuple[Page, list[Held]] | None:
    """A file and the claims in it; None for one that says nothing that holds now."""
    memory = codec.memory_from_text(text, path)
    if memory.archived or memory.layer not in LAYERS or memory.status == "superseded":
        return None
    body = strip_private(memory.body)
    lowered = _lowered(body)
    held = [
        _held(memory, said.text, mark_of(said.mark), lowered.get(said.anchor, "user"))._replace(
            is_item=said.is_item, is_alone=said.is_alone
        )
        for said in statements_of(body)
        if is_claim(said.text)
    ]
    page = Page(
        path,
        memory.title,
        memory.layer,
        frozenset(tag.casefold() for tag in memory.tags),
        memory.salience,
        memory.trust,
        memory.project,
        memory.last_accessed,
        len(held),
        _is_open(memory),
    )
    return page, held


def _held(memory: Memory, text: str, mark: Mark | None, least: str) -> Held:
    if mark:
        trust = mark.trust if mark.trust in TRUSTS else "external"
        standing = Standing(mark.date, mark.salience, mark.date)
    else:
        trust = "user"
        standing = Standing(memory.updated or memory.created, memory.salience, memory.created)
    trust = lowest_trust(memory.trust, trust, least)
    return Held(memory.path, text, near_key(text), standing, trust, mark)


def _lowered(body: str) -> dict[str, str]:
    """The trust of the sections that a comment lowers as a whole, by anchor."""
    if "trust:" not in body:
        return {}
    return {
        section.anchor: lowest_trust(*found)
        for section in codec.sections_of(body)
        if (found := _OTHER_TRUST.findall(section.text))
    }


def _is_open(memory: Memory) -> bool:
    """Whether what is put into a file is read again, by everybody, and nowhere unasked."""
    if memory.private or memory.problem or memory.path.startswith("core/"):
        return False
    body = memory.body
    if body.rfind("<!--") <= body.rfind("-->") and "<private" not in body.lower():
        return True
    probe = codec.with_section(body, "Probe of what is read", "- the probe is read")
    return any(said.text == "the probe is read" for said in statements_of(strip_private(probe)))


class Shelf:
    """All pages and their claims while a plan is made."""

    def __init__(self, files: Mapping[str, str]) -> None:
        """Read the files."""
        self.pages: dict[str, Page] = {}
        self.paths: set[str] = set()
        self.past: set[str] = set()
        self._by_key: defaultdict[str, list[Held]] = defaultdict(list)
        self._by_topic: defaultdict[str, list[Held]] = defaultdict(list)
        self._unfiled: list[Held] = []
        self._by_tag: defaultdict[str, set[str]] = defaultdict(set)
        for path, text in files.items():
            self.paths.add(path)
            self.past |= past_keys(text)
            if read := read_page(path, text):
                self.add_page(read[0])
                for held in read[1]:
                    self.add(held, is_new=False)

    def add_page(self, page: Page) -> None:
        """Take in a page."""
        self.paths.add(page.path)
        self.pages[page.path] = page
        for tag in page.tags:
            self._by_tag[tag].add(page.path)

    def add(self, held: Held, *, is_new: bool = True) -> None:
        """Take in a claim; `is_new` where its page did not count it yet."""
        self._by_key[held.key].append(held)
        self._unfiled.append(held)
        if is_new:
            self._resize(held.path, 1)

    def drop(self, held: Held) -> None:
        """Let go of a claim."""
        self._by_key[held.key].remove(held)
        self._file()
        for topic in topics_of(held.text):
            self._by_topic[topic].remove(held)
        self._resize(held.path, -1)

    def _file(self) -> None:
        """File the claims by their topics: most of the work, and none where nothing is asked."""
        for held in self._unfiled:
            for topic in topics_of(held.text):
                self._by_topic[topic].append(held)
        self._unfiled = []

    def _resize(self, path: str, by: int) -> None:
        page = self.pages[path]
        self.pages[path] = page._replace(size=page.size + by)

    def retire(self, path: str) -> None:
        """Let go of a page and its claims."""
        for held in [one for row in self._by_key.values() for one in row if one.path == path]:
            self.drop(held)
        page = self.pages.pop(path)
        for tag in page.tags:
            self._by_tag[tag].discard(path)

    def holding(self, key: str, trust: str, project: str) -> Held | None:
        """The claim with this key, of this project or of all, that is trusted no less; the newest."""
        known = [
            held
            for held in self._by_key.get(key, ())
            if TRUSTS.index(held.trust) >= TRUSTS.index(trust)
            and self.pages[held.path].project in ("", project)
        ]
        return max(known, key=lambda h: (h.standing, h.path), default=None)

    def clashing(self, text: str, project: str) -> list[tuple[Held, Conflict]]:
        """The claims of this project that contradict this one."""
        self._file()
        near: dict[int, Held] = {}  # a file may say the same twice
        for topic in topics_of(text):
            for held in self._by_topic.get(topic, ()):
                if self.pages[held.path].project == project:
                    near[id(held)] = held
        pairs = (
            (held, conflict_between(text, held.text))
            for held in sorted(near.values(), key=lambda h: h[:3])
        )
        return [(held, conflict) for held, conflict in pairs if conflict]

    def common_tags(self, tags: frozenset[str]) -> dict[str, int]:
        """How many of these tags each page has."""
        counts: dict[str, int] = {}
        for tag in tags:
            for path in self._by_tag.get(tag, ()):
                counts[path] = counts.get(path, 0) + 1
        return counts

    def shared(self) -> Iterator[tuple[str, str, int]]:
        """Pairs of pages with claims in common, and how many."""
        counts: dict[tuple[str, str], int] = {}
        for row in self._by_key.values():
            paths = sorted({held.path for held in row})
            if 1 < len(paths) <= 8:  # what stands everywhere joins nothing
                for n, one in enumerate(paths):
                    for other in paths[n + 1 :]:
                        counts[one, other] = counts.get((one, other), 0) + 1
        for (one, other), n in sorted(counts.items()):
            yield one, other, n
