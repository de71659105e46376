"""Consolidate: which conversations are active, and which go into the archive or come back from it.

Promises: activity is whatever was done with a conversation: capture, an edit by command or by editor,
an injection, a return from the archive; each move is a change of its own, so that a kill in between
leaves whole conversations and the next run goes on; a name that is taken is never written over.
Touches: the ports behind the store it is given.

Private conversations stay: the store's .gitignore names them where they are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import UTC, date, datetime, timedelta
from functools import partial

from recollect.domain.entries import is_conversation
from recollect.domain.model import Change, Entry, Filter
from recollect.errors import ChangedMeanwhile, FileNotThere, MemoryNotFound, RecollectError
from recollect.named import NamedTuple
from recollect.services.consolidate.applying import moves
from recollect.services.opened import OpenStore
from recollect.services.refresh import refresh
from recollect.services.writing.changing import files_of

CAUSE, BACK = "archive", "activate"
KINDS = ("session", "conversation")
INACTIVE, BEYOND, ASKED = "inactive", "beyond", "asked"


class Conversation(NamedTuple):
    """A conversation with the day of its last activity, and why it would be archived, if it would."""

    entry: Entry
    active: str
    why: str = ""


class Stats(NamedTuple):
    """The conversations of a store, counted."""

    active: int
    archived: int
    inactive: int  # for more than `days`
    beyond: int  # the oldest beyond `most`, of the others
    days: int
    most: int
    oldest: str  # the day of the least recent activity


def conversations(store: OpenStore, *, force: bool = False) -> list[Conversation]:
    """The active conversations, the one that was active longest ago first, each with its reason.

    With `force` the first is archived even if no rule says so.
    """
    last = _activity(store)
    found = sorted(
        (
            Conversation(entry, last.get(entry.id, "")[:10] or entry.created[:10])
            for entry in store.index.entries(Filter(layer="episodic"))
            if entry.kind in KINDS and not entry.private and not is_conversation(entry.path)
        ),
        key=lambda one: (one.active, last.get(one.entry.id, ""), one.entry.created, one.entry.id),
    )
    limit = (
        date.fromisoformat(store.now[:10]) - timedelta(days=store.settings.archive_days)
    ).isoformat()
    rows = [one._replace(why=INACTIVE) if one.active < limit else one for one in found]
    fresh = [n for n, one in enumerate(rows) if not one.why]
    for n in fresh[: max(0, len(fresh) - store.settings.archive_most)]:
        rows[n] = rows[n]._replace(why=BEYOND)
    if force and rows and not any(one.why for one in rows):
        rows[0] = rows[0]._replace(why=ASKED)
    return rows


def stats(store: OpenStore) -> Stats:
    """The conversations of a store, counted."""
    rows = conversations(store)
    counts = [one.why for one in rows]
    return Stats(
        active=len(rows),
        archived=sum(1 for entry in archived(store) if entry.kind in KINDS),
        inactive=counts.count(INACTIVE),
        beyond=counts.count(BEYOND),
        days=store.settings.archive_days,
        most=store.settings.archive_most,
        oldest=rows[0].active if rows else "",
    )


def archive(
    store: OpenStore, *, force: bool = False, dry_run: bool = False, waiting: Collection[str] = ()
) -> list[Conversation]:
    """Move into the archive what is inactive, and the oldest beyond the limit; gives what went.

    What is `waiting` for a person says something that is not settled: it stays.
    """
    due = [one for one in conversations(store, force=force) if one.why]
    due = [one for one in due if one.entry.id not in waiting]
    if dry_run:
        return due
    done = [one for one in due if _moved(store, one.entry)]
    if done:
        refresh(store.files, store.index, store.now_ns)
    return done


def archived(store: OpenStore) -> list[Entry]:
    """The memories in the archive, newest first."""
    return store.index.entries(Filter(archived=True))


def activate(store: OpenStore, name: str, *, dry_run: bool = False) -> tuple[str, bool]:
    """`(path, changed)`: bring a memory back from the archive; it counts as active from now on.

    Raises:
        MemoryNotFound: no memory has this id.
        ChangedMeanwhile: somebody changed it just now.
    """
    entry = store.index.entry(name)
    if entry is None or "#" in name:
        raise MemoryNotFound(id=name)
    if not entry.archived:
        return entry.path, False
    to = entry.path.removeprefix("archive/")
    changes = moves(store, entry.id, entry.path, to)
    if not dry_run:
        store.commit(lambda: changes, cause=BACK)
    return next(change.to for change in changes if change.path == entry.path), True


def search(store: OpenStore, text: str) -> list[Entry]:
    """The conversations, active or archived, in which all these words occur somewhere."""
    words = text.casefold().split()
    every = [*store.index.entries(Filter()), *archived(store)]
    return [one for one in every if one.kind in KINDS and _says(store, one, words)]


def _says(store: OpenStore, entry: Entry, words: Iterable[str]) -> bool:
    texts = [entry.id, entry.title, *entry.tags]
    for path in files_of(entry.path):
        try:
            texts.append(store.files.read(path).text)
        except RecollectError:
            continue
    said = "\n".join(texts).casefold()
    return all(word in said for word in words)


def _moved(store: OpenStore, entry: Entry) -> bool:
    try:
        return bool(store.ledger.commit(partial(_changes, store, entry), cause=CAUSE))
    except (ChangedMeanwhile, FileNotThere):
        return False  # somebody is at it: it is active


def _changes(store: OpenStore, entry: Entry) -> list[Change]:
    if store.files.stamp(entry.path) != entry.stamp:
        raise ChangedMeanwhile(path=entry.path)
    return moves(store, entry.id, entry.path, f"archive/{entry.path}")


def _activity(store: OpenStore) -> dict[str, str]:
    """When something was last done with each memory that anything was done with, by id."""
    last: dict[str, str] = {}

    def note(memory: str, time: str) -> None:
        last[memory] = max(time, last.get(memory, ""))

    known = store.index.known()
    for entry in store.index.entries(Filter(layer="episodic")):
        for time in (entry.created, entry.updated, entry.last_accessed):
            note(entry.id, time)
        if entry.path in known:
            note(entry.id, _utc(known[entry.path].mtime_ns))
    for op in store.journal.heads():
        if op.cause != CAUSE:
            note(op.memory, op.time)
    for fact in store.journal.hot("inject"):
        for name in (*fact.get("items", ()), *fact.get("pointers", ())):
            note(str(name).partition("#")[0], str(fact.get("time", "")))
    return last


def _utc(ns: int) -> str:
    return (
        datetime.fromtimestamp(ns // 10**9, UTC)
        .isoformat(timespec="seconds")
        .replace("+00:00", "Z")
    )
