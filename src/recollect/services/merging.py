"""Merging: two memories that say much the same become one.

Promises: one change, undone as one; the one that goes is kept in the archive as it was, under its id and
with its history; who named it as related names the other one from then on.
Touches: the ports behind the store it is given.
"""

from __future__ import annotations

from recollect.domain import codec, duplicates
from recollect.domain.dismissed import MERGE, pair_of
from recollect.domain.duplicates import Pair
from recollect.domain.lifecycle import Merge
from recollect.domain.model import Change, Entry, Filter
from recollect.errors import ChangedMeanwhile, UsageProblem
from recollect.named import NamedTuple
from recollect.services import dismissing
from recollect.services.consolidate import Remembered, gather, look
from recollect.services.consolidate.applying import moves
from recollect.services.opened import OpenStore
from recollect.services.writing import SHARED

CAUSE = "merge"


class Merged(NamedTuple):
    """What merging did, or would do."""

    id: str
    path: str
    archived: str  # where the other one is now
    related: tuple[str, ...]  # the memories that named it
    text: str


def proposals(store: OpenStore, remembered: Remembered | None = None) -> list[Pair]:
    """The memories that a person may want to merge: the same or a like title, or the same claims."""
    gathered = gather(store, remembered)
    entries = gathered.entries
    found = {(one.id, one.other): one for one in duplicates.like_titles(entries.values())}
    found |= {(one.id, one.other): one for one in duplicates.same_titles(entries.values())}
    for merge in look(gathered).merges:
        pair = _pair_of(merge, entries)
        found[pair.id, pair.other] = pair
    gone = dismissing.pairs(store)
    return [found[key] for key in sorted(found) if pair_of(MERGE, *key) not in gone]


def _pair_of(merge: Merge, entries: dict[str, Entry]) -> Pair:
    rows = sorted(
        (entries[merge.path], entries[merge.other]), key=lambda one: (one.created, one.id)
    )
    return Pair(rows[0].id, rows[1].id, "claims", merge.shared)


def merge(store: OpenStore, name: str, other: str, *, dry_run: bool = False) -> Merged:
    """Put all that `other` says into `name`, and `other` into the archive.

    Raises:
        MemoryNotFound: there is no such memory.
        UsageProblem: these two cannot become one.
        ChangedMeanwhile: somebody changed one of them just now.
    """
    found: list[Merged] = []

    def plan() -> list[Change]:
        kept, gone = _checked(store, name, other)
        documents = store.read(kept), store.read(gone)
        for entry, document in zip((kept, gone), documents, strict=True):
            if entry.stamp != document.stamp:
                raise ChangedMeanwhile(path=entry.path)
        text = duplicates.merged(
            documents[0].text, documents[1].text, kept.path, gone.path, store.now
        )
        moved = moves(store, gone.id, gone.path, f"archive/{gone.path}")
        naming = _naming(store, kept, gone)
        memories = tuple(change.memory for change in naming)
        found[:] = [Merged(kept.id, kept.path, moved[0].to, memories, text)]
        return [Change("put", kept.path, kept.id, documents[0].stamp, text), *moved, *naming]

    if dry_run:
        plan()
    else:
        store.commit(plan, cause=CAUSE)
    return found[0]


def _checked(store: OpenStore, name: str, other: str) -> tuple[Entry, Entry]:
    if "#" in name + other:
        raise UsageProblem(what="Only whole memories can be merged.", command=CAUSE)
    kept, gone = store.require(name), store.require(other)
    path = gone.path
    what = ""
    if kept.id == gone.id:
        what = "A memory cannot be merged with itself."
    elif "episodic" in (kept.layer, gone.layer):
        what = "What happened in a session stays as it was; only lasting memories can be merged."
    elif kept.archived or gone.archived:
        what = "What is in the archive has to be brought back before it can be merged."
    elif path in SHARED.values() or "core/" in path:
        what = f"{path} is a file of many things; merge the other one into it."
    elif kept.private != gone.private:
        what = "A private memory cannot be merged with one that is not."
    elif kept.project != gone.project:
        what = "Memories of different projects cannot be merged."
    elif kept.problem or gone.problem:
        what = (
            "A memory that cannot be read as it was meant has to be mended before it can be merged."
        )
    if what:
        raise UsageProblem(what=what, command=CAUSE)
    return kept, gone


def _naming(store: OpenStore, kept: Entry, gone: Entry) -> list[Change]:
    """The changes of those that name the one that goes as related."""
    changes = []
    for archived in (False, True):
        for entry in store.index.entries(Filter(archived=archived)):
            if gone.id in entry.related and entry.id not in (kept.id, gone.id):
                document = store.read(entry)
                names = [kept.id if one == gone.id else one for one in entry.related]
                text = codec.with_field(document.text, "related", list(dict.fromkeys(names)))
                changes.append(Change("put", entry.path, entry.id, document.stamp, text))
    return changes
