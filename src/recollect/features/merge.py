"""Find duplicates and merge two memories.

Every line of the merged memory is in the remaining one, unless it is there already. Existing lines
do not move. A page that takes in text has the lower trust of both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import combinations

from recollect._fastimport import NamedTuple
from recollect.consolidate.apply import moves
from recollect.consolidate.claim_cache import ClaimCache, cached_claims
from recollect.consolidate.gather import gather
from recollect.consolidate.rulings import dismissed_pairs, pair_of
from recollect.consolidate.run import preview
from recollect.errors import ChangedMeanwhile, UsageProblem
from recollect.model import document
from recollect.model.claim_key import claim_key, near_key
from recollect.model.entries import (
    heading_alone,
    index_units,
    says_nothing,
    without_comments,
)
from recollect.model.footnotes import Mark
from recollect.model.layers import SHARED
from recollect.model.list_items import SOURCE_OF, is_saved_alone
from recollect.model.memory import Change, Entry, Memory, lowest_trust
from recollect.store.store import OpenStore
from recollect.text.tokens import cue_words, stem
from recollect.workspace import Workspace

_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,9}[.)])[ \t]")
LEAST_LIKENESS = 2 / 3  # of the words of two titles, in whatever form and order
LEAST_WORDS = 2
MOST_SHARING = 50  # a word that more titles have says nothing
UNITED = ("tags", "trigger", "files", "concepts", "related")


class MergeProposal(NamedTuple):
    """Two memories that a person may want to merge: the older one first."""

    id: str
    other: str
    why: str  # `title`, `alike`, or `claims` with how many they share
    shared: int = 0


def same_titles(entries: Iterable[Entry]) -> list[MergeProposal]:
    """The memories of one layer with nearly the same title, each with the oldest of them."""
    groups: dict[tuple[str, str], list[Entry]] = {}
    for entry in filter(_may_be_one, entries):
        groups.setdefault((entry.layer, near_key(entry.title)), []).append(entry)
    found = []
    for rows in groups.values():
        first, *rest = sorted(rows, key=_age)
        found += [MergeProposal(first.id, entry.id, "title") for entry in rest]
    return sorted(found)


def _age(entry: Entry) -> tuple[str, str]:
    return entry.created, entry.id


def like_titles(entries: Iterable[Entry]) -> list[MergeProposal]:
    """The memories of one layer whose titles have most of their words in common."""
    words: dict[str, frozenset[str]] = {}
    known: dict[str, Entry] = {}
    sharing: dict[tuple[str, str], list[str]] = {}
    for entry in filter(_may_be_one, entries):
        known[entry.id] = entry
        words[entry.id] = frozenset(stem(word) for word in cue_words(entry.title))
        for word in words[entry.id]:
            sharing.setdefault((entry.layer, word), []).append(entry.id)
    near = {
        pair
        for names in sharing.values()
        if len(names) <= MOST_SHARING
        for pair in combinations(sorted(names), 2)
    }
    found = []
    for one, other in sorted(near):
        both = words[one] & words[other]
        is_alike = len(both) >= LEAST_LIKENESS * len(words[one] | words[other])
        if len(both) >= LEAST_WORDS and is_alike:
            first, second = sorted((known[one], known[other]), key=_age)
            found.append(MergeProposal(first.id, second.id, "alike"))
    return found


def _may_be_one(entry: Entry) -> bool:
    return not (entry.layer == "episodic" or entry.status == "superseded" or entry.private)


def merged(text: str, other: str, path: str, other_path: str, now: str) -> str:
    """`text` with all that `other` says besides."""
    kept = document.memory_from_text(text, path)
    gone = document.memory_from_text(other, other_path)
    for key in UNITED:
        have, more = getattr(kept, key), getattr(gone, key)
        names = {kept.id, gone.id} if key == "related" else set()
        both = [one for one in dict.fromkeys((*have, *more)) if one not in names]
        if both != list(have):
            text = document.with_field(text, key, both)
    supersedes = dict.fromkeys((*kept.supersedes, *gone.supersedes, gone.id))
    text = document.with_field(text, "supersedes", list(supersedes))
    body = document.body_of(text)
    made = with_rest(body, document.body_of(other), gone.title)
    trust = lowest_trust(kept.trust, gone.trust) if made != body else kept.trust
    if trust != kept.trust:
        text = document.with_field(text, "trust", trust)
    text = document.with_field(text, "updated", now)
    return document.with_body(text, _with_title(made, kept.title, gone))


def _with_title(body: str, title: str, gone: Memory) -> str:
    """`body` with what the title of the other memory states, signed as it was."""
    is_there = document.section_named(body, gone.title) or claim_key(gone.title) == claim_key(title)
    is_all = says_nothing(gone.body) and bool(index_units(gone))
    if is_there or not (is_all or is_saved_alone(gone)):
        return body
    mark = Mark(gone.session, gone.created, gone.trust, SOURCE_OF[gone.trust])
    return document.with_section(body, *heading_alone(gone.title, mark))


def with_rest(body: str, other: str, title: str) -> str:
    """`body` with the paragraphs and list items of `other` that it lacks, section by section."""
    known = {_key(unit) for part in document.parts_of(body) for unit in _units(_inside(part))}
    for part in document.parts_of(other):
        # A comment says how far the lines around it are trusted: it goes where they go.
        new = [unit for unit in _units(_inside(part)) if (_key(unit) or "#") not in known]
        if any(map(_key, new)):
            known.update(map(_key, new))
            heading = part.heading or title
            old = document.section_named(body, heading)
            before = f"{old.text.rstrip()}\n\n" if old else ""
            text = _joined(new)
            body = document.with_section(body, old.heading if old else heading, before + text)
    return body


def _joined(units: Iterable[str]) -> str:
    """These units one after the other, each paragraph with a blank line before it."""
    text = ""
    for unit in units:
        apart = text and not _ITEM.match(unit) and not text.endswith("\n\n")
        text += f"\n{unit}" if apart else unit
    return text.strip()


def _inside(part: document.BodyPart) -> str:
    """A section without its heading, or the head without the title of the memory."""
    first, _, rest = part.text.lstrip("\r\n").partition("\n")
    return rest if part.heading or first.startswith("# ") else part.text


def _units(text: str) -> list[str]:
    """The paragraphs and list items of a section, each with its line ends; with code, all at once."""
    text = text.replace("\r\n", "\n")
    if "```" in text or "~~~" in text:  # a blank line in code separates nothing
        return [f"{text.strip()}\n"]
    units: list[str] = []
    starts = True
    for line in text.split("\n"):
        is_blank = not line.strip()
        if is_blank and units:
            units[-1] = units[-1].rstrip("\n") + "\n\n"
        elif _ITEM.match(line) or (starts and not _goes_on(units, line)):
            units += [] if is_blank else [f"{line.lstrip() if starts else line}\n"]
        else:
            units[-1] += f"{line}\n"
        starts = is_blank
    return units


def _goes_on(units: list[str], line: str) -> bool:
    """Whether an indented line after a blank one is still part of the list item before."""
    return bool(units) and line[0] in " \t" and _ITEM.match(units[-1]) is not None


def _key(unit: str) -> str:
    return claim_key(without_comments(unit))


# ----------------------------------------------------------------------------------------- merging


CAUSE = "merge"


class MergeResult(NamedTuple):
    """What merging did, or would do."""

    id: str
    path: str
    archived: str  # where the other one is now
    related: tuple[str, ...]  # the memories that named it
    text: str


def proposals(store: OpenStore, remembered: ClaimCache | None = None) -> list[MergeProposal]:
    """The memories that a person may want to merge: the same or a like title, or the same claims."""
    gathered = gather(store, remembered)
    entries = gathered.entries
    found = {(one.id, one.other): one for one in like_titles(entries.values())}
    found |= {(one.id, one.other): one for one in same_titles(entries.values())}
    for merge in preview(gathered).merges:
        first, second = sorted((entries[merge.path], entries[merge.other]), key=_age)
        pair = MergeProposal(first.id, second.id, "claims", merge.shared)
        found[pair.id, pair.other] = pair
    gone = dismissed_pairs(store)
    return [found[key] for key in sorted(found) if pair_of(*key) not in gone]


def merge(store: OpenStore, name: str, other: str, *, dry_run: bool = False) -> MergeResult:
    """Put all that `other` says into `name`, and `other` into the archive.

    Raises MemoryNotFound, UsageProblem, ChangedMeanwhile.
    """

    def plan() -> tuple[MergeResult, list[Change]]:
        kept, gone = _checked(store, name, other)
        documents = store.read(kept), store.read(gone)
        for entry, old in zip((kept, gone), documents, strict=True):
            if entry.stamp != old.stamp:
                raise ChangedMeanwhile(path=entry.path)
        texts = documents[0].text, documents[1].text
        text = merged(*texts, kept.path, gone.path, store.now)
        moved = moves(store, gone.id, gone.path, f"archive/{gone.path}")
        naming = _naming(store, kept, gone)
        memories = tuple(change.memory for change in naming)
        to = next(change.to for change in moved if change.path == gone.path)
        changed = Change("put", kept.path, kept.id, documents[0].stamp, text)
        made = MergeResult(kept.id, kept.path, to, memories, text)
        return made, [changed, *moved, *naming]

    return store.carry_out(plan, cause=CAUSE, dry_run=dry_run)


def _checked(store: OpenStore, name: str, other: str) -> tuple[Entry, Entry]:
    kept, gone = store.require(name), store.require(other)
    path = gone.path
    what = ""
    if kept.id == gone.id:
        what = "A memory cannot be merged with itself."
    elif "episodic" in (kept.layer, gone.layer):
        what = "Session memories cannot be merged, only lasting ones."
    elif kept.archived or gone.archived:
        what = "An archived memory must be activated before it can be merged."
    elif path in SHARED.values() or "core/" in path:
        what = f"{path} is a shared file; merge the other memory into it."
    elif kept.private != gone.private:
        what = "A private memory cannot be merged with one that is not."
    elif kept.problem or gone.problem:
        what = "A memory with problems must be fixed before it can be merged."
    if what:
        raise UsageProblem(what=what, command=CAUSE)
    return kept, gone


def _naming(store: OpenStore, kept: Entry, gone: Entry) -> list[Change]:
    """The changes of those that name the one that goes as related."""
    changes = []
    for entry in store.every_entry():
        if gone.id in entry.related and entry.id not in (kept.id, gone.id):
            old = store.read(entry)
            names = [kept.id if one == gone.id else one for one in entry.related]
            text = document.with_field(old.text, "related", list(dict.fromkeys(names)))
            changes.append(Change("put", entry.path, entry.id, old.stamp, text))
    return changes


def merge_proposals(app: Workspace, *, scope: str) -> list[tuple[str, MergeProposal]]:
    """The pairs that a person may want to merge, each with the scope of its store."""
    found = []
    for store in app.stores(scope):
        with cached_claims(app, store) as known:
            found += [(store.scope, pair) for pair in proposals(store, known)]
    return found
