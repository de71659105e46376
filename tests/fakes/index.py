"""An index in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import NamedTuple

from recollect.model.document import stem_of
from recollect.model.entries import entries_of, entry_of, is_conversation
from recollect.model.entries import index_units as _cut
from recollect.model.memory import Entry, Filter, IndexUnit, Memory, age_of, day_of, is_number
from recollect.model.tags import common_tags, with_forms
from recollect.ports import IndexedFile, IndexRow, LastLook, Near, PendingSection
from recollect.search.index import SqliteIndex
from recollect.search.lookup import MOST_CANDIDATES
from recollect.search.rank import Candidate
from recollect.search.vectors import Embedding, SqliteVectors
from recollect.store.disk import stamp_of
from recollect.text.tokens import index_terms, plain_words, stem

shelved = lru_cache(4_000)(_cut)


class Filed(NamedTuple):
    """A file as the index has it."""

    known: IndexedFile
    memory: Memory


class NoVectors(SqliteVectors):
    """An index keeps none where nobody has an embedder."""

    def __init__(self) -> None:
        """Nothing is behind it."""

    def identity(self) -> str:
        return ""

    def counts(self, identity: str) -> tuple[int, int]:
        return 0, 0

    def missing(self, identity: str, most: int) -> list[PendingSection]:
        return []

    def put(self, identity: str, made: Sequence[tuple[PendingSection, Embedding]]) -> int:
        return 0

    def near(self, identity: str, cue: Embedding, shelf: str, most: int) -> Near | None:
        return None

    def cosines(self, cue: Embedding, sections: Sequence[int]) -> dict[int, float]:
        return {}

    def agreement(self, cue: Embedding, sections: Sequence[int]) -> dict[int, float]:
        return {}


class MemoryIndex(SqliteIndex):
    """An index in memory: every question is answered by looking through everything."""

    identity = "fake"

    def __init__(self) -> None:
        self._files: dict[str, Filed] = {}
        self._meta: dict[str, str] = {}

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        yield  # nobody else has it

    def known(self, paths: Sequence[str] | None = None) -> dict[str, IndexedFile]:
        return {
            path: filed.known
            for path, filed in self._files.items()
            if paths is None or path in paths
        }

    def last_look(self, *, sessions: bool = True) -> LastLook:
        return LastLook(0, {})  # every look is one at every file

    def note_look(self, *_: object, **__: object) -> None:
        pass

    def note_own(self, *_: object, **__: object) -> None:
        pass

    def apply(self, rows: Iterable[IndexRow], gone: Iterable[str], checked_ns: int) -> int:
        written = 0
        for path in gone:
            self._files.pop(path, None)
        for row in list(rows):
            old = self._files.get(row.seen.path)
            is_same = old is not None and old.known.stamp == row.stamp
            memory = row.memory or (old.memory if old and is_same else None)
            if memory:
                was = bool(old and old.known.is_doubted)
                is_doubted = row.is_doubted if row.memory else was
                known = IndexedFile(*row.seen, row.stamp, checked_ns, is_doubted)
                self._files[row.seen.path] = Filed(known, memory)
            written += row.memory is not None
        return written

    def set_meta(self, values: dict[str, str]) -> None:
        self._meta |= values

    def meta(self, key: str) -> str:
        return self._meta.get(key, "")

    @property
    def vectors(self) -> NoVectors:
        return NoVectors()

    def of_sections(self, numbers: Sequence[int], *, only: Filter, shelf: str) -> list[Candidate]:
        return []  # without vectors nobody knows their numbers

    def wipe(self) -> None:
        self._files.clear()
        self._meta.clear()

    def purge(self) -> None:
        """Nothing is left behind here."""

    def differences(self, progress: Callable[[int, int], object] | None = None) -> list[str]:
        return []

    def close(self) -> None:
        """There is nothing to let go."""

    # ---------------------------------------------------------------------------------- reading

    def _named(self) -> Iterator[tuple[Entry, Memory]]:
        """Every memory with its entry; one of those with the same id has it plain."""
        claims: dict[str, list[str]] = {}
        for path, filed in self._files.items():
            if not is_conversation(path):
                claims.setdefault(filed.memory.id, []).append(path)
        for name, paths in claims.items():
            paths.sort(key=lambda path: (path.startswith("archive/"), stem_of(path) != name, path))
        plain = {paths[0] for paths in claims.values()}
        for path, filed in self._files.items():
            place = path.replace("/conversation.md", "/summary.md")
            name = self._files[place].memory.id if place in self._files else stem_of(place)
            if place in self._files and place not in plain:
                name = f"{name}~{stamp_of(place.encode())[:6]}"
            entry = entry_of(filed.memory, filed.known.stamp)
            yield entry._replace(id=name), filed.memory

    def entries(self, only: Filter) -> list[Entry]:
        found = [e for e, m in self._named() if _passes(e, m, only)]
        found = [e for e in found if not is_conversation(e.path)]
        found.sort(key=lambda e: e.id)
        return sorted(found, key=lambda e: (e.created, e.updated), reverse=True)

    def entry(self, memory_id: str) -> Entry | None:
        named = [e for e, _ in self._named() if not is_conversation(e.path)]
        found = [e for e in named if e.id == memory_id]
        if not found and is_number(memory_id):
            found = [e for e in named if e.id.startswith(f"{memory_id.lower()}-")]
        if not found:
            found = [e for e in named if _lowered(e.id) == _lowered(memory_id)]
        return min(found, key=lambda e: (e.path.startswith("archive/"), e.path), default=None)

    def sharing(self, tags: Sequence[str], layer: str) -> list[Entry]:
        found = self.entries(Filter(layer=layer, superseded=False))
        return [entry for entry in found if len(common_tags(tags, entry.tags)) > 1]

    def listed(self, only: Filter) -> list[tuple[Entry, IndexUnit]]:
        found = []
        for entry, memory in self._named():
            if is_conversation(entry.path) or not _passes(
                entry, memory, only._replace(kind="", since="", until="")
            ):
                continue
            for one in entries_of(memory) or [_empty(entry)]:
                created = one.created or max(entry.created, entry.updated)
                newest = created if one.anchor else max(entry.created, entry.updated)
                is_then = newest >= only.since and (not only.until or "" < created <= only.until)
                if is_then and only.kind in ("", one.kind):
                    text = one.text if one.anchor else entry.summary
                    found.append((entry, one._replace(text=text)))
        found.sort(key=lambda one: (one[0].id, one[1].anchor != ""))
        found.sort(key=lambda one: age_of(*one), reverse=True)
        return found

    def named(self, start: str) -> list[tuple[str, str]]:
        rows = []
        for entry, memory in self._named():
            if is_conversation(entry.path):
                continue
            for one in entries_of(memory):
                name = f"{entry.id}#{one.anchor}" if one.anchor else entry.id
                text = one.text if one.anchor[:1] == "^" else one.heading or entry.title
                rows.append((name, text, one.entry))
        found = [row for row in rows if row[2] == start] or [
            row
            for row in rows
            if row[2].startswith(start) or ("#" not in row[0] and row[0].startswith(start))
        ]
        return [(name, text) for name, text, _ in found]

    def private_paths(self) -> list[str]:
        return sorted(e.path for e, _ in self._named() if e.private)

    def entries_of_session(self, session: str) -> list[Entry]:
        found = [e for e, _ in self._named() if e.session == session]
        found = [e for e in found if not is_conversation(e.path)]
        return sorted(found, key=lambda e: (e.created, e.id))

    def search(self, words: list[str], *, only: Filter, limit: int) -> list[Candidate]:
        found = []
        for place, (entry, memory) in enumerate(self._named()):
            if not _passes(entry, memory, only):
                continue
            for n, one in enumerate(shelved(memory)):
                score = _score(words, entry, one)
                if score and only.kind in ("", one.kind):
                    found.append(self._candidate(entry, one, (n, place), score))
        raw = [one for one in found if one.path.endswith("/conversation.md")]
        rest = [one for one in found if one not in raw]
        ranked = [sorted(part, key=lambda one: -one.text_score) for part in (rest, raw)]
        return ranked[0][:limit] + (ranked[1] if len(ranked[0]) < limit else [])

    def word_counts(self, words: list[str], shelf: str) -> tuple[dict[str, int], int]:
        return {}.fromkeys(words, 0), 0  # what a word brings is the same in every store

    def spelled(self, words: list[str]) -> dict[str, list[str]]:
        return {}  # it knows what was written, and no slips

    def dated(self, period: tuple[int, int], only: Filter) -> list[Candidate]:
        first, last = period
        found = [
            self._candidate(entry, shelved(memory)[0], (0, place), 0.0)
            for place, (entry, memory) in enumerate(self._named())
            if _passes(entry, memory, only)
            and first <= day_of(entry.created) <= last
            and not is_conversation(entry.path)
        ]
        return sorted(found, key=lambda one: (one.layer != "episodic", -one.day, one.id))[
            :MOST_CANDIDATES
        ]

    def beside(self, turns: Sequence[Candidate]) -> list[Candidate]:
        have = {(one.memory, one.n) for one in turns}
        near = {(one.memory, one.n + by) for one in turns for by in (-1, 1, 2)} - have
        named = list(self._named())
        found = []
        for place, n in sorted(near):
            entry, memory = named[place]
            sections = shelved(memory)
            if 0 <= n < len(sections):
                found.append(self._candidate(entry, sections[n], (n, place), 0.0))
        return found

    def _candidate(
        self, entry: Entry, one: IndexUnit, at: tuple[int, int], score: float
    ) -> Candidate:
        known = self._files[entry.path].known
        # A conversation is of the day of the memory beside it.
        created = one.created
        if one.shelf == "raw" and not created:
            created = max(e.created for e, _ in self._named() if e.id == entry.id)
        return Candidate(
            (
                *at, entry.id, one.anchor, entry.title, one.heading, one.text, entry.path,
                entry.layer, one.kind, entry.salience, one.confidence, one.source, one.trust,
                one.status, "\n".join(one.trigger), "\n".join(entry.files),
                "\n".join(entry.related), one.session, created,
                day_of(created), one.tokens, known.size, known.mtime_ns, known.inode,
                "\n".join((*entry.tags, *entry.concepts)), one.entry,
            ),
            score,
            "",
        )  # fmt: skip

    def recall_candidates(self, words: list[str]) -> tuple[list[Candidate], dict[str, int], int]:
        hot = [
            (entry, one)
            for entry, memory in self._named()
            for one in shelved(memory)
            if one.shelf == "hot"
        ]
        counts = {word: sum(bool(_score([word], e, one)) for e, one in hot) for word in words}
        found = self.search(words, only=Filter(), limit=len(hot)) if words else []
        found = [one for one in found if not one.path.endswith("/conversation.md")]
        return found[:MOST_CANDIDATES], counts, len(hot)

    def by_ids(self, ids: list[str]) -> list[Candidate]:
        found = []
        for entry, memory in self._named():
            sections = shelved(memory)
            if entry.id in ids and sections and sections[0].shelf == "hot":
                found.append(self._candidate(entry, sections[0], (0, 0), 0.0))
        return found

    def counts(self) -> dict[str, int]:
        shelves = [_shelf_of(m) for _, m in self._named()]
        return {
            "files": len(self._files),
            "memories": shelves.count("hot"),
            "archived": shelves.count("cold"),
            "conversations": shelves.count("raw"),
            "sections": sum(len(shelved(m)) for _, m in self._named()),
        }


def _empty(entry: Entry) -> IndexUnit:
    return IndexUnit("hot", "", "", "", entry.kind, entry.source, entry.trust, entry.trigger, 0)


def _lowered(name: str) -> str:
    return "".join(c.lower() if c.isascii() else c for c in name)


def _shelf_of(memory: Memory) -> str:
    if is_conversation(memory.path):
        return "raw"
    return "cold" if memory.archived else "hot"


def _has_tag(entry: Entry, tag: str) -> bool:
    words = {stem(word) for word in plain_words(tag)}
    have = set(index_terms(with_forms("\n".join(entry.tags))).split())
    return tag.lower() in map(str.lower, entry.tags) or bool(words and words <= have)


def _passes(entry: Entry, memory: Memory, only: Filter) -> bool:
    kinds = {entry.kind, *(one.kind for one in shelved(memory))}
    return (
        entry.path.startswith("archive/") == only.archived
        and only.layer in ("", entry.layer)
        and only.category in ("", entry.category)
        and (not only.sessions or entry.session in only.sessions)
        and (not only.kind or only.kind in kinds)
        and all(_has_tag(entry, tag) for tag in only.tags)
        and (not only.concept or only.concept.lower() in map(str.lower, entry.concepts))
        and only.file.lower() in "\n".join(entry.files).lower()
        and max(entry.created, entry.updated) >= only.since
        and (not only.until or "" < entry.created <= only.until)
        and (only.superseded or entry.status != "superseded")
    )


def _score(words: list[str], entry: Entry, one: IndexUnit) -> float:
    """A word counts more in a title than in a body; every word found adds to it."""
    fields = (
        (3.0, f"{entry.title} {one.heading}"),
        (3.0, with_forms("\n".join(entry.tags))),
        (6.0, "\n".join(one.trigger)),
        (2.0, "\n".join((*entry.files, *entry.concepts))),
        (1.0, one.text),
    )
    total = 0.0
    for weight, text in fields:
        have = set(index_terms(text).split())
        total += sum(weight for word in words if stem(word) in have)
    return total
