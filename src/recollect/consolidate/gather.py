"""Collect the input of a plan from a store.

Texts are read one at a time. What a person removed or undid is not added again until a newer
episode states it.
"""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Collection, Container, Iterable, Iterator, Mapping

from recollect._fastimport import NamedTuple, Pattern
from recollect.capture.reactions import Reaction
from recollect.consolidate.actions import AdjustFields, Merge, PlanRules
from recollect.consolidate.claim_cache import ClaimCache
from recollect.consolidate.claims import claims_in
from recollect.consolidate.pages import LAYERS, EpisodeClaim, ParsedFile, episode_claim, reading_of
from recollect.consolidate.rulings import Ruling, dismissed_pairs, rulings_of, taken_out
from recollect.consolidate.salience import field_adjustments
from recollect.errors import RecollectError
from recollect.model.claim_key import near_key
from recollect.model.document import memory_from_text
from recollect.model.memory import Entry, Filter, Memory, Op
from recollect.model.page_form import marked_lines
from recollect.store.disk import stamp_of, stamp_of_text
from recollect.store.history import arrivals, fades_after, undone
from recollect.store.store import OpenStore

CAUSE = "consolidate"
RULING = "conflicts"  # the cause of what followed from a ruling
ARCHIVED = ("archive", "compress")  # the causes of what is archived before it may have been heard
HEARD = "heard"  # in the index: what was archived since this change has not been heard
_MARKED = Pattern(
    r"^[ \t]*(?:(?:[-*+•>]|\d{1,9}[.)])[ \t]+)*(.*?)[ \t]*"
    r"(?:<!-- \^\w+ -->[ \t]*)?<!-- from: [^;<>]*; date: ([^;<>]*);",
    re.M,
)


class PlanInput(NamedTuple):
    """What a plan is made of, and how the files looked then."""

    episodes: list[Memory]
    files: Files
    rules: PlanRules
    entries: dict[str, Entry]  # by path: all that is not archived, or was before it was heard
    kept: frozenset[str]  # ids of episodes that a person brought back from the archive
    texts: frozenset[str]  # stamps of the texts that the journal has
    weighings: tuple[AdjustFields, ...] = ()
    encrypt: frozenset[str] = frozenset()  # the layers to which nothing is added

    @property
    def state(self) -> str:
        """A stamp that changes whenever the plan may change, except for the names of new files."""
        rules = self.rules
        by = (
            rules.lang,
            sorted((entry.stamp, entry.path, entry.id) for entry in self.entries.values()),
            sorted(e.id for e in self.episodes if e.decay_after and e.decay_after < rules.today),
            sorted(rules.waiting),
            sorted(rules.rulings.items()),
            sorted(rules.removed.items()),
            sorted(rules.undone),
            sorted(self.kept),
        )
        return stamp_of(repr(by).encode("utf-8", "backslashreplace"))


class Files:
    """The semantic and procedural files, read when they are asked for, and the source of a plan.

    `stamps` says of every file that the plan goes by how it looked when it was read.
    """

    def __init__(
        self, store: OpenStore, entries: Iterable[Entry], remembered: ClaimCache | None
    ) -> None:
        """The files of these memories."""
        self._store = store
        self._entries = {one.path: one for one in entries if one.layer in LAYERS}
        self.remembered = remembered or ClaimCache()
        self.is_as_listed = True  # whether all that was read is as the index has it
        self._known: dict[str, tuple[str, frozenset[str]]] = {}
        self.stamps: dict[str, str] = {}

    def __getitem__(self, path: str) -> str:
        """The text as it is now."""
        document = self._store.files.read(path)
        self.stamps.setdefault(path, document.stamp)
        self.is_as_listed &= document.stamp == self._entries[path].stamp
        return document.text

    def readings(self) -> Iterator[ParsedFile]:
        """What the files say; those that cannot be read are left out: `doctor` names them."""
        for path, entry in self._entries.items():
            found = self.remembered.reading(path, entry.stamp)
            if found is None:
                try:
                    text = self[path]
                except RecollectError:
                    self.is_as_listed = False
                    continue
                found = self._parse(path, text, self.stamps[path])
            self.stamps.setdefault(path, entry.stamp)
            yield found

    def _parse(self, path: str, text: str, stamp: str) -> ParsedFile:
        found = reading_of(path, text, ChainMap(self.remembered.claims_before(path), self._known))
        self.remembered.keep_reading(stamp, found)
        return found

    def foresee(self, path: str, text: str) -> None:
        """Remember for the next pass what a file will say that is about to get this text."""
        self._parse(path, text, stamp_of_text(text))

    def claims_of(self, episode: Memory) -> list[EpisodeClaim]:
        """What an episode says."""
        path = episode.path
        found = self.remembered.episode_claims(path, self.stamps[path])
        if found is None:
            try:
                document = self._store.files.read(path)
            except RecollectError:  # it stays where it is: no file has this stamp
                self.stamps[path], self.is_as_listed = "", False
                return []
            self.is_as_listed &= document.stamp == self.stamps[path]
            self.stamps[path] = document.stamp
            memory = memory_from_text(document.text, path)
            found = [episode_claim(one) for one in claims_in(memory)]
            self.remembered.keep_episode_claims(path, document.stamp, found)
        self._known |= {one.claim.text: (one.key, one.topics) for one in found}
        return found


def gather(
    store: OpenStore, remembered: ClaimCache | None = None, reactions: Iterable[Reaction] = ()
) -> PlanInput:
    """Everything that a plan for this store is made of. Raises Unreadable for the rulings."""
    entries = {entry.path: entry for entry in store.index.entries(Filter())}
    facts = _journal_facts(store, entries.values(), reactions)
    if facts.late:
        gone = (one for one in store.index.entries(Filter(archived=True)) if one.id in facts.late)
        entries |= {one.path: one for one in gone if one.layer == "episodic"}
    # What a repository brought stays its word: nothing is made of it, and nothing is filed there,
    # where it would be the repository's, too.
    own = [entry for entry in entries.values() if store.files.is_own(entry.stamp)]
    files = Files(store, own, remembered)
    # Without their texts, which are read when nobody remembers what they say.
    fields = [name for name in Entry._fields if name in Memory._fields]
    episodes = [
        Memory(body="", **{name: getattr(entry, name) for name in fields})._replace(
            decay_after=fades_after(entry, facts.arrived.get(entry.id, ""))
        )
        for entry in own
        if entry.layer == "episodic"
    ]
    files.stamps |= {one.path: entries[one.path].stamp for one in episodes}
    ruled = rulings_of(store)
    ruled_out = taken_out(ruled)
    paths = {entry.id: path for path, entry in entries.items()}
    rules = rules_for(store, entries, ruled)._replace(
        waiting=frozenset(_unwanted_merges(store, paths)),
        undone=facts.undone,
        removed=facts.removed
        | {k: max(day, facts.removed.get(k, "")) for k, day in ruled_out.items()},
    )
    for one in facts.weighings:
        files.stamps.setdefault(one.path, entries[one.path].stamp)
    about = facts.kept, facts.texts, facts.weighings, store.settings.encrypt
    return PlanInput(episodes, files, rules, entries, *about)


def rules_for(store: OpenStore, entries: Container[str], ruled: Mapping[str, Ruling]) -> PlanRules:
    """The rules of a plan: a store's settings, the names it has, and what a person ruled."""
    return PlanRules(
        today=store.now[:10],
        lang=store.settings.lang,
        rulings={key: one.ruling for key, one in ruled.items()},
        is_taken=lambda name: _was_taken(store, entries, name),
    )


class _JournalFacts(NamedTuple):
    removed: dict[str, str]  # claims that were ever put into a file, and when they were last said
    undone: frozenset[
        str
    ]  # those of them whose filing was undone: their sessions go on telling them
    texts: frozenset[str]
    kept: frozenset[str]  # ids of episodes whose archiving was undone: they stay where they are
    weighings: tuple[AdjustFields, ...]
    late: frozenset[str]  # ids of what was archived since the last pass
    arrived: dict[str, str]  # the day on which each memory came into the store


def _journal_facts(
    store: OpenStore, entries: Collection[Entry], reactions: Iterable[Reaction]
) -> _JournalFacts:
    """What the plan needs from the journal, whose texts are read one at a time and not kept."""
    marked: dict[str, list[str]] = {}  # the marked lines that came with each op that has a text

    def note(op: Op, new: str) -> None:
        marked[op.op_id] = marked_lines(new)

    ops = store.journal.heads(note)
    gone = undone(ops)
    # What followed from a ruling that was undone says nothing: there the question is asked again.
    holding = [op for op in ops if not (op.cause == RULING and op.group in gone)]
    lines = dict.fromkeys(line for op in holding for line in marked.get(op.op_id, ()))
    left = {line for op in ops if op.group not in gone for line in marked.get(op.op_id, ())}
    moves = [op for op in ops if op.op == "move"]
    since = int(store.index.meta(HEARD) or 0) if ops else 0
    dates = _dates_of(lines)
    return _JournalFacts(
        dates,
        frozenset(dates.keys() - _dates_of(left).keys()),
        frozenset(op.after for op in ops if op.after and op.op_id in marked),
        frozenset(op.memory for op in moves if op.cause.startswith(CAUSE) and op.group in gone),
        tuple(field_adjustments(store, entries, ops, reactions)),
        frozenset(op.memory for op in moves if op.cause in ARCHIVED and op.seq >= since),
        arrivals(ops),
    )


PAGES = ("semantic/", "procedural/")


def _was_taken(store: OpenStore, entries: Container[str], name: str) -> bool:
    """Whether an id was in use when these entries were read.

    A page that somebody made since is none: the step that would make it again is refused, and the
    next pass files on that page.
    """
    found = store.index.entry(name)
    if found is not None and found.path not in entries and found.path.startswith(PAGES):
        return False
    return store.is_taken(name)


def _unwanted_merges(store: OpenStore, paths: Mapping[str, str]) -> Iterator[str]:
    """The names of the proposals to merge that a person has dismissed."""
    for one, other in dismissed_pairs(store):
        if one in paths and other in paths:
            first, second = sorted((paths[one], paths[other]))
            yield Merge(first, second, 0).key


def _dates_of(marked: Iterable[str]) -> dict[str, str]:
    """The claims of these marked lines, by near key, with the date of their newest mark."""
    dates: dict[str, str] = {}
    for line in marked:
        for match in _MARKED.finditer(line):
            key = near_key(match[1])
            dates[key] = max(match[2], dates.get(key, ""))
    return dates
