"""Carry out a plan, archive inactive conversations and bring archived ones back.

Each move is a change of its own, so that after a crash the next run continues. An existing name is
never overwritten. Private conversations stay, because the store's .gitignore names them where they
are.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Sequence
from contextlib import suppress
from copy import copy
from functools import partial
from typing import Any, cast

from recollect._fastimport import NamedTuple
from recollect.consolidate.actions import (
    Action,
    AddClaim,
    AdjustFields,
    Archive,
    AskPerson,
    CreateFile,
    MarkFiled,
    Merge,
    NoteOldRule,
    RefreshDate,
)
from recollect.consolidate.edit import Change as FileAction
from recollect.consolidate.edit import marked, new_file_text, with_actions
from recollect.consolidate.gather import CAUSE as CAUSE_STEPS
from recollect.consolidate.gather import PlanInput
from recollect.errors import (
    ChangedMeanwhile,
    FileNotThere,
    MemoryNotFound,
    RecollectError,
    UsageProblem,
)
from recollect.model.document import files_of
from recollect.model.entries import entries_of, is_conversation
from recollect.model.layers import SHARED
from recollect.model.memory import SESSION_KINDS, Change, Entry, Filter
from recollect.model.times import days_after
from recollect.store import locations
from recollect.store.disk import stamp_of_text
from recollect.store.journal import FolderJournal
from recollect.store.refresh import refresh
from recollect.store.store import OpenStore, hidden_still


class FileStep(NamedTuple):
    """What is done to one file."""

    path: str
    actions: tuple[Action, ...]

    @property
    def cause(self) -> str:
        """What history says of it."""
        if isinstance(self.actions[0], Archive):
            return f"{CAUSE_STEPS}/decay"
        if self.is_weighing:
            return f"{CAUSE_STEPS}/weigh"
        known = (CreateFile, AddClaim, RefreshDate, NoteOldRule, MarkFiled, AdjustFields)
        is_peaceful = all(isinstance(action, known) for action in self.actions)
        return f"{CAUSE_STEPS}/absorb" if is_peaceful else f"{CAUSE_STEPS}/supersede"

    @property
    def is_weighing(self) -> bool:
        """Whether it changes only salience, confidence and the day of last access."""
        return all(isinstance(action, AdjustFields) for action in self.actions)


class PassResult(NamedTuple):
    """What a pass did, or would do, in its order, and what it leaves to a person."""

    steps: tuple[FileStep, ...]
    archives: tuple[FileStep, ...]  # the episodes past their time that go
    waits: tuple[AskPerson, ...]
    merges: tuple[Merge, ...]
    later: int = 0  # episodes past their time that go with the next passes


def steps_of(actions: Iterable[Action]) -> PassResult:
    """A plan as steps, one for each file."""
    every = list(actions)
    files: dict[str, list[Action]] = {}
    for action in every:
        if not isinstance(action, (Archive, MarkFiled, Merge, AskPerson)):
            files.setdefault(action.path, []).append(action)
    pages = frozenset(files)
    for mark in every:
        if isinstance(mark, MarkFiled):  # with the page, so that both are undone together
            files.setdefault(mark.page if mark.page in pages else mark.path, []).append(mark)
    return PassResult(
        tuple(FileStep(path, tuple(row)) for path, row in files.items()),
        tuple(FileStep(one.path, (one,)) for one in every if isinstance(one, Archive)),
        tuple(one for one in every if isinstance(one, AskPerson)),
        tuple(one for one in every if isinstance(one, Merge)),
    )


SUMMARY = "/summary.md"


def carry_out(store: OpenStore, gathered: PlanInput, steps: Sequence[FileStep]) -> list[FileStep]:
    """Carry out these steps; gives those that could not be, since their files have changed."""
    ledger = copy(store.ledger)  # with all that it must keep to
    ledger.journal = cast("FolderJournal", _KnownTexts(store.journal, gathered.texts))
    refused = ledger.commit_each(
        (step.cause, partial(changes_of, store, gathered, step)) for step in steps
    )
    return [steps[n] for n in refused]


class _KnownTexts:
    """A journal whose texts are known, so that it is not searched for each file.

    A text that somebody journaled meanwhile is kept twice, which does no harm.
    """

    def __init__(self, journal: FolderJournal, texts: Container[str]) -> None:
        self._journal, self._texts = journal, texts

    def __getattr__(self, name: str) -> Any:
        return getattr(self._journal, name)

    def text_of(self, stamp: str) -> str | None:
        return "" if stamp in self._texts else None


def changes_of(store: OpenStore, gathered: PlanInput, step: FileStep) -> list[Change]:
    """The changes of a step. Raises ChangedMeanwhile if its file is not as the plan saw it."""
    if isinstance(step.actions[0], Archive):
        if store.files.stamp(step.path) != gathered.files.stamps.get(step.path):
            raise ChangedMeanwhile(path=step.path)
        return moves(store, gathered.entries[step.path].id, step.path, f"archive/{step.path}")
    return changes_of_all(store, gathered, [step])


def changes_of_all(
    store: OpenStore, gathered: PlanInput, steps: Iterable[FileStep]
) -> list[Change]:
    """The changes of several steps that archive nothing, to be made at once.

    Raises ChangedMeanwhile.
    """
    marks: list[MarkFiled] = []
    puts: list[Change] = []
    for step in steps:
        marks += (action for action in step.actions if isinstance(action, MarkFiled))
        rest = tuple(action for action in step.actions if not isinstance(action, MarkFiled))
        change = _put(store, gathered, FileStep(step.path, rest)) if rest else None
        puts += [change] if change else []
    return [*puts, *_marked(store, gathered, marks, {change.path for change in puts})]


def _marked(
    store: OpenStore, gathered: PlanInput, marks: Iterable[MarkFiled], taken: Container[str]
) -> list[Change]:
    """The changes that mark the statements of sessions; a session that somebody changes meanwhile is skipped."""
    rows: dict[str, list[MarkFiled]] = {}
    for mark in marks:
        rows.setdefault(mark.path, []).append(mark)
    changes = []
    for path, row in rows.items():
        if path in taken:
            continue  # the next pass marks it
        with suppress(RecollectError):  # it is gone, or cannot be read
            document = store.files.read(path)
            new = marked(document.text, row)
            if new != document.text:
                name = gathered.entries[path].id
                changes.append(Change("put", path, name, document.stamp, new))
                if gathered.files.stamps.get(path) == document.stamp:
                    gathered.files.stamps[path] = stamp_of_text(new)
    return changes


def _put(store: OpenStore, gathered: PlanInput, step: FileStep) -> Change | None:
    first, rest = step.actions[0], step.actions
    if isinstance(first, CreateFile):
        old, stamp, memory, rest = new_file_text(first), None, first.id, rest[1:]
    else:
        document = store.files.read(step.path)
        old, stamp = document.text, document.stamp
        memory = gathered.entries[step.path].id
        if stamp != gathered.files.stamps.get(step.path):
            raise ChangedMeanwhile(path=step.path)
    actions = [action for action in rest if isinstance(action, FileAction)]
    new = with_actions(old, *actions)
    if stamp and new == old:
        return None
    gathered.files.foresee(step.path, new)
    return Change("put", step.path, memory, stamp, new)


def moves(store: OpenStore, memory: str, path: str, to: str) -> list[Change]:
    """The changes that bring a memory, with its raw conversation, from `path` to a free place."""
    place = free_place(store, to)
    changes = []
    for one in files_of(path):
        stamp = store.files.stamp(one)
        if stamp is not None:
            target = _folder(place) + one[len(_folder(path)) :] if one != path else place
            changes.append(Change("move", one, memory, stamp, to=target))
    return [*hidden_still(store, {path: place}), *changes]


def _folder(path: str) -> str:
    return path[: path.rfind("/") + 1]


def free_place(store: OpenStore, path: str) -> str:
    """`path`, or the next free one after it; the place of a conversation is its whole folder."""
    tail = SUMMARY if path.endswith(SUMMARY) else ".md"
    stem = path.removesuffix(tail)
    taken = "" if tail == SUMMARY else tail
    name, n = stem, 1
    while store.files.exists(name + taken):
        n += 1
        name = f"{stem}-{n}"
    return name + tail


CAUSE, BACK = "archive", "activate"
INACTIVE, BEYOND, ASKED = "inactive", "beyond", "asked"


class Conversation(NamedTuple):
    """A conversation, the day of its last activity, and why it would be archived, if it would."""

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
            if entry.kind in SESSION_KINDS and not entry.private and not is_conversation(entry.path)
        ),
        key=lambda one: (one.active, last.get(one.entry.id, ""), one.entry.created, one.entry.id),
    )
    limit = days_after(store.now, -store.settings.archive_days)
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
        archived=sum(1 for entry in archived(store) if entry.kind in SESSION_KINDS),
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


def put_away(store: OpenStore, name: str, *, dry_run: bool = False) -> tuple[str, bool]:
    """`(path, changed)`: move one memory into the archive, because a person asks for it.

    Raises:
        MemoryNotFound: no memory has this id.
        ChangedMeanwhile: somebody changed it just now.
        UsageProblem: it is a file that other things are filed in.
    """
    entry = store.index.entry(name)
    if entry is None:
        raise MemoryNotFound(id=name)
    if entry.archived:
        return entry.path, False
    if entry.path.startswith("core/"):
        what = f"{name} is a core file: it is in every brief and is not archived. `recollect forget {name}` removes it, `recollect undo` brings it back."
        raise UsageProblem(what=what, command="archive")
    if entry.path in SHARED.values():
        what = f"{name} is a page for many rules or pointers, and stays; archive its entries one by one (`recollect list` shows their ids)."
        raise UsageProblem(what=what, command="archive")
    changes = to_archive(store, entry)
    if not dry_run:
        store.commit(partial(to_archive, store, entry), cause=CAUSE)
    return next(change.to for change in changes if change.path == entry.path), True


def archived(store: OpenStore) -> list[Entry]:
    """The memories in the archive, newest first."""
    return store.index.entries(Filter(archived=True))


def activate(store: OpenStore, name: str, *, dry_run: bool = False) -> tuple[str, bool]:
    """`(path, changed)`: bring a memory back from the archive; it counts as active from now on.

    Of an entry on a page it is the page that comes back.

    Raises:
        MemoryNotFound: no memory has this id.
        ChangedMeanwhile: somebody changed it just now.
    """
    entry, anchor = store.named(name)
    if anchor and anchor not in {row.anchor for row in entries_of(store.open_memory(entry))}:
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
    return [one for one in every if one.kind in SESSION_KINDS and _says(store, one, words)]


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
        return bool(store.ledger.commit(partial(to_archive, store, entry), cause=CAUSE))
    except (ChangedMeanwhile, FileNotThere):
        return False  # somebody is at it: it is active


def to_archive(store: OpenStore, entry: Entry) -> list[Change]:
    """The changes that move a memory into the archive. Raises ChangedMeanwhile."""
    if store.files.stamp(entry.path) != entry.stamp:
        raise ChangedMeanwhile(path=entry.path)
    return moves(store, entry.id, entry.path, f"archive/{entry.path}")


def _activity(store: OpenStore) -> dict[str, str]:
    """When something was last done with each memory that anything was done with, by id."""
    last: dict[str, str] = {}

    def note(memory: str, time: str) -> None:
        last[memory] = max(time, last.get(memory, ""))

    known, ops = store.index.known(), store.journal.heads()
    # A pass that marks what a session said is no activity of the session.
    marked = {op.after for op in ops if op.cause.startswith(CAUSE_STEPS)}
    for entry in store.index.entries(Filter(layer="episodic")):
        for time in (entry.created, entry.updated, entry.last_accessed):
            note(entry.id, time)
        if entry.path in known and entry.stamp not in marked:
            note(entry.id, locations.utc(known[entry.path].mtime_ns // 10**9))
    for op in ops:
        if op.cause != CAUSE and not op.cause.startswith(CAUSE_STEPS):
            note(op.memory, op.time)
    for fact in store.journal.hot("inject"):
        for name in (*fact.get("items", ()), *fact.get("pointers", ())):
            note(str(name).partition("#")[0], str(fact.get("time", "")))
    return last
