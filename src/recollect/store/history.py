"""The history of a store: undo, restore, as-of, and how much of it is kept.

Promises: undoing a change restores the bytes before it. What was changed since is never
overwritten. An undo can be undone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime

from recollect._fastimport import NamedTuple, Pattern
from recollect.errors import (
    AlreadyThere,
    ChangedMeanwhile,
    ChangeNotFound,
    Failed,
    NothingToUndo,
    PointNotFound,
    RecollectError,
)
from recollect.model.document import memory_from_text
from recollect.model.entries import index_units
from recollect.model.filing_marks import with_marks_undone, without_marks
from recollect.model.footnotes import id_letters
from recollect.model.memory import Change, Entry, Memory, Op
from recollect.model.page_form import marked_lines
from recollect.model.times import decay_day
from recollect.store import disk
from recollect.store.store import SHORTEST_START, OpenStore
from recollect.store.transactions import about_files, paths_of

SHORTEST_ID = 8
_ENTRY = Pattern(r"[a-z0-9]{4,12}")  # the id of an entry, or its beginning
_TIME = Pattern(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}(?::[0-9]{2})?)?")


class Point(NamedTuple):
    """A point in the history: after `change`, or before everything where that is empty."""

    change: str
    time: str  # as a person named it, or of the change
    later: tuple[str, ...]  # the changes after it, in order


def point_named(ops: Sequence[Op], name: str) -> Point:
    """The point that a person names: after a change (its id or the start of it), or a time.

    Raises:
        PointNotFound: it is neither.
    """
    times = {op.group: op.time for op in ops}
    groups = list(times)
    if change := _change_meant(groups, name):
        return Point(change, times[change], tuple(groups[groups.index(change) + 1 :]))
    end = end_of(name)
    if not end:
        raise PointNotFound(id=name)
    # The last one, for a clock that was wrong for a while must not hide what came after it.
    at = max((n for n, group in enumerate(groups) if times[group] <= end), default=-1)
    return Point(groups[at] if at >= 0 else "", end, tuple(groups[at + 1 :]))


def _change_meant(ids: Iterable[str], name: str) -> str:
    """The one change with this id, or with an id that begins so; else nothing.

    Ids begin with the time: a start of one may well fit several.
    """
    meant = [
        one for one in ids if one == name or (len(name) >= SHORTEST_ID and one.startswith(name))
    ]
    return meant[0] if len(meant) == 1 else ""


def end_of(text: str) -> str:
    """The last second of a day, of a minute, or a second, in our form; nothing if it is no time."""
    words = text.strip().upper().removesuffix("Z").replace(" ", "T")
    if not _TIME.fullmatch(words):  # other forms that the library reads do not sort as ours do
        return ""
    try:
        datetime.fromisoformat(words)
    except ValueError:
        return ""
    return words + {10: "T23:59:59Z", 16: ":59Z", 19: "Z"}[len(words)]


def last_stamps(ops: Iterable[Op]) -> dict[str, str | None]:
    """The stamp that each file has according to the ops; None where there should be no file."""
    found: dict[str, str | None] = {}
    for op in about_files(ops):
        found[op.path] = op.after if op.op == "put" else None
        if op.op == "move":
            found[op.to] = op.before
    return found


def stamps_at(point: Point, ops: Sequence[Op]) -> dict[str, str | None]:
    """The stamp that each file had which later ops are about; None where there was no file.

    What went away by hand and came back since then was there, as far as anybody knows.
    """
    later = set(point.later)
    last = last_stamps(op for op in ops if op.group not in later)
    found: dict[str, str | None] = {}
    for op in about_files(op for op in ops if op.group in later):
        was = op.before if op.op != "put" else op.before or last.get(op.path)
        found.setdefault(op.path, was)
        if op.op == "move":
            found.setdefault(op.to, None)
    return found


def moved_places(ops: Iterable[Op]) -> dict[str, set[str]]:
    """For each file that was moved, all the places it was at; what holds for one holds for all."""
    found: dict[str, set[str]] = {}
    for op in ops:
        if op.op == "move":
            both = found.get(op.path, {op.path}) | found.get(op.to, {op.to})
            for path in both:
                found[path] = both
    return found


def arrivals(ops: Iterable[Op]) -> dict[str, str]:
    """The day on which each memory came into the store, as far as its journal knows."""
    days: dict[str, str] = {}
    for op in about_files(ops):
        if op.op == "put" and op.before is None:
            days.setdefault(op.memory, op.time[:10])
    return days


def fades_after(one: Entry | Memory, arrived: str) -> str:
    """The day after which an episode fades, counted from its arrival unless its page names another."""
    is_usual = one.decay_after and one.decay_after == decay_day(one.created)
    return max(one.decay_after, decay_day(arrived)) if is_usual else one.decay_after


ALL_SINCE = ">"  # in `undoes`: not this change, but all that came after it
EDITED, PURGED = "edited by hand since", "its old text was purged"


class ChangeGroup(NamedTuple):
    """A change as a person thinks of it: one command, one or more files."""

    id: str
    time: str
    cause: str
    memories: tuple[str, ...]
    paths: tuple[str, ...]
    undone: bool
    undoes: str
    ops: tuple[Op, ...]  # without their texts
    beside: tuple[tuple[str, str], ...] = ()  # what an undo did to files outside the store

    @property
    def what(self) -> str:
        """`created`, `changed`, `moved` or `removed`."""
        ops = about_files(self.ops)
        kinds = {"move": "moved", "remove": "removed"}
        first = ops[-1]
        if first.op == "remove" and ops[0].op == "put":
            # A new file in place of the old one, or its text on another page; an undo takes a new
            # file away and gives another its old text.
            return "changed" if self.undoes else "moved"
        return kinds.get(first.op, "created" if first.before is None else "changed")


def history(store: OpenStore, name: str = "") -> list[ChangeGroup]:
    """The changes of a store, newest first; of one memory where it is named by id or path.

    The id of an entry that is gone names the memory that it was in.
    """
    heads = store.journal.heads()
    pasts = _change_groups(heads)
    if not name:
        return pasts
    if found := _about(store, pasts, name):
        return found
    op = _removal(store, heads, name)
    about = [past for past in pasts if op and op.path in past.paths]
    return about or _about_gone(pasts, name)


def _change_groups(heads: Sequence[Op]) -> list[ChangeGroup]:
    """The changes, newest first."""
    groups: dict[str, list[Op]] = {}
    for op in heads:
        groups.setdefault(op.group, []).append(op)
    gone = undone(heads)
    return [_change_group(group, ops, gone) for group, ops in groups.items()][::-1]


def _about(store: OpenStore, pasts: Iterable[ChangeGroup], name: str) -> list[ChangeGroup]:
    """The changes of the memory that is named by id or path; of an entry those that changed it."""
    memory_id, _, anchor = name.partition("#")
    entry = store.index.entry(memory_id)
    memory_id = entry.id if entry else memory_id
    paths = {name, entry.path if entry else name}
    about = [p for p in pasts if memory_id in p.memories or not paths.isdisjoint(p.paths)]
    return [p for p in about if _has_changed(store, p, anchor)] if anchor else about


def _has_changed(store: OpenStore, past: ChangeGroup, anchor: str) -> bool:
    """Whether a change made, changed or took away the entry with this anchor."""
    pages = [op for op in past.ops if op.path.endswith(".md")]
    return any(
        _entry_then(store, op, op.before, anchor) != _entry_then(store, op, op.after, anchor)
        for op in pages
    )


def _entry_then(store: OpenStore, op: Op, stamp: str | None, anchor: str) -> object:
    """What an entry was with this stamp of its page; the stamp where the text is not kept."""
    text = store.journal.text_of(stamp) if stamp else ""
    if text is None:
        return stamp
    rows = index_units(memory_from_text(text, op.path)) if text else ()
    own = (row for row in rows if anchor in (row.anchor, f"^{row.entry}"))
    return [(row.heading, row.text, row.kind, row.status, row.trust) for row in own]


def _about_gone(pasts: Sequence[ChangeGroup], name: str) -> list[ChangeGroup]:
    """The changes of a memory that is gone, by its number or another beginning of its id."""
    start = name.partition("#")[0]
    known = {one for past in pasts for one in past.memories if one.startswith(start)}
    begun = {one for one in known if one.startswith(f"{start}-")} or known
    if len(begun) != 1 or len(start) < SHORTEST_START - (not start.isascii()):
        return []
    return [past for past in pasts if not begun.isdisjoint(past.memories)]


def _removal(store: OpenStore, ops: Sequence[Op], name: str) -> Op | None:
    """The last op that took away the entry of this id, on its page or with it."""
    start = name.rpartition("#^")[2]
    if not _ENTRY.fullmatch(start):
        return None
    for op in reversed(ops):
        if op.op == "remove" and id_letters(op.memory).startswith(start):
            return op
        if op.before and op.path.endswith(".md"):
            had, has = (_entries_then(store, op, stamp) for stamp in (op.before, op.after))
            if any(one.startswith(start) for one in had - has):
                return op
    return None


def _entries_then(store: OpenStore, op: Op, stamp: str | None) -> set[str]:
    """The ids of the entries that a page had with this stamp; none where its text is not kept."""
    text = store.journal.text_of(stamp)
    return {row.entry for row in index_units(memory_from_text(text, op.path))} if text else set()


def undone(ops: Iterable[Op]) -> set[str]:
    """The changes that are undone now: by a change that is not undone itself."""
    undoes = {op.group: op.undoes for op in ops}
    gone: set[str] = set()
    groups = list(undoes)
    for n in reversed(range(len(groups))):
        what = "" if groups[n] in gone else undoes[groups[n]]
        if what.startswith(ALL_SINCE):
            point = what.removeprefix(ALL_SINCE)
            gone.update(groups[groups.index(point) + 1 if point in undoes else 0 : n])
        elif what:
            gone.add(what)
    return gone


def _change_group(group: str, ops: list[Op], undone: set[str]) -> ChangeGroup:
    real = about_files(ops) or ops
    return ChangeGroup(
        id=group,
        time=real[-1].time,
        cause=real[-1].cause,
        memories=tuple(dict.fromkeys(op.memory for op in real if op.memory)),
        paths=tuple(dict.fromkeys(op.path for op in real)),
        undone=group in undone,
        undoes=real[-1].undoes,
        ops=tuple(ops),
    )


def undo(store: OpenStore, name: str = "", *, dry_run: bool = False) -> ChangeGroup:
    """Take back a change: the one with this id, the last one of this memory, or the last of all.

    Raises:
        NothingToUndo, ChangeNotFound: there is no such change.
        ChangedMeanwhile, AlreadyThere: something else changed the file after it, or has its place.
        Failed: the text from before was purged.
    """
    past = _wanted(store, name)
    if past.cause == "encrypt":
        sealed = past.ops[0].memory
        raise Failed(what=f"Use `recollect key decrypt {sealed}` to decrypt it.")

    def plan() -> list[Change]:
        ops = reversed(about_files(past.ops))
        return [change for op in ops for change in _reverse(store, op)]

    store.commit(plan, cause="undo", undoes=past.id, dry_run=dry_run)
    return past


def _wanted(store: OpenStore, name: str) -> ChangeGroup:
    heads = store.journal.heads()
    pasts = _change_groups(heads)
    if name:
        if change := _change_meant((past.id for past in pasts), name):
            return next(past for past in pasts if past.id == change)
        about = _about(store, pasts, name)
        if not about and (op := _removal(store, heads, name)):
            about = [past for past in pasts if past.id == op.group]
        about = about or _about_gone(pasts, name)
        if not about:
            raise ChangeNotFound(id=name)
        pasts = about
    for past in pasts:
        if not past.undone and not past.undoes:
            return past
    raise NothingToUndo


class RollbackResult(NamedTuple):
    """A store taken back to a point: how many changes that was, and what became of the files."""

    time: str
    changes: int
    effects: list[tuple[str, str]]  # what a file is now, and its path
    left: list[tuple[str, str]]  # a file that stays as it is, and why
    change: str = ""  # the undo itself, which can be undone


def undo_to(store: OpenStore, name: str, *, dry_run: bool = False) -> RollbackResult:
    """Take the files back to where they were after a change, or at a time.

    What a person edited since by hand stays, and so does what belongs to it; all else comes back
    in one change, which can be undone.

    Raises:
        ChangeNotFound: there is no such point.
    """
    found: list[RollbackResult] = []

    def plan() -> list[Change]:
        changes, rewound = _way_back(store, name)
        found[:] = [rewound]
        return changes

    undoes = ALL_SINCE + point_named(store.journal.heads(), name).change
    ops = store.commit(plan, cause="undo", undoes=undoes, dry_run=dry_run)
    return found[0]._replace(change=ops[0].group if ops else "")


def _way_back(store: OpenStore, name: str) -> tuple[list[Change], RollbackResult]:
    ops = store.journal.heads()
    point = point_named(ops, name)
    behind = set(point.later)
    later = [op for op in ops if op.group in behind]
    wanted = stamps_at(point, ops)
    texts = _texts(store, wanted)
    left = _left(store, later, wanted, texts)
    memories = _memories_at(later)
    changes, effects = [], []
    for path, then in wanted.items():
        now = store.files.stamp(path)
        if path in left or now == then:
            continue
        if then is None:
            changes.append(Change("remove", path, memories[path], now))
            effects.append(("created", path))
        else:
            changes.append(Change("put", path, memories[path], now, texts[then]))
            effects.append(("removed" if now is None else "changed", path))
    changes.sort(key=lambda change: change.op != "remove")
    return changes, RollbackResult(point.time, len(point.later), effects, sorted(left.items()))


def _left(
    store: OpenStore,
    later: list[Op],
    wanted: dict[str, str | None],
    texts: dict[str, str],
) -> dict[str, str]:
    """The files that stay as they are, each with the reason.

    So does a memory whose old text is gone, wherever it is now: it may be encrypted.
    """
    expected = last_stamps(later)
    together = moved_places(later)
    memories = _memories_at(later)
    left: dict[str, str] = {}
    for path, then in wanted.items():
        now = store.files.stamp(path)
        if now not in (None, expected[path], then):
            left |= dict.fromkeys(together.get(path, {path}), EDITED)
        elif then is not None and then not in texts and now != then:
            one = memories[path]
            left |= {
                other: PURGED
                for other in wanted
                if other == path or (one and memories[other] == one)
            }
    return left


def bring_back(store: OpenStore, *, dry_run: bool = False) -> list[str]:
    """Put back the files that were taken away without a command; gives their paths.

    They get the text that the last command wrote; a later edit by hand is not known.
    """

    def plan() -> tuple[list[str], list[Change]]:
        changes = gone_files(store)
        return [change.path for change in changes], changes

    return store.carry_out(plan, cause="undo", dry_run=dry_run)


def gone_files(store: OpenStore) -> list[Change]:
    """The changes that bring back the files that are gone and are nowhere else."""
    ops = store.journal.heads()
    memories = _memories_at(ops)
    here = {row.stamp for row in store.index.known().values()}
    gone = {
        path: stamp
        for path, stamp in last_stamps(ops).items()
        if stamp not in here
        and not store.files.exists(path)
        # A person may have given the file another place.
        and (not memories[path] or store.index.entry(memories[path]) is None)
    }
    texts = _texts(store, gone)
    return [
        Change("put", path, memories[path], None, texts[stamp])
        for path, stamp in gone.items()
        if stamp in texts
    ]


def _memories_at(ops: Iterable[Op]) -> dict[str, str]:
    """The memory that each file had according to the ops, by its path."""
    return {path: op.memory for op in ops for path in paths_of([op])}


def _texts(store: OpenStore, wanted: Mapping[str, str | None]) -> dict[str, str]:
    """The texts that these files had, by their stamps, as far as the journal has them."""
    texts = {stamp: store.journal.text_of(stamp) for stamp in wanted.values() if stamp}
    return {stamp: text for stamp, text in texts.items() if text is not None}


def _reverse(store: OpenStore, op: Op) -> list[Change]:
    """The changes that take one op back, if the file is as the op left it."""
    now = op.before if op.op == "move" else op.after  # None behind a removal
    here = op.to or op.path
    if store.files.stamp(here) != now:
        if op.op == "put" and (changes := _unmarked(store, op)) is not None:
            return changes
        raise ChangedMeanwhile(path=here)
    if op.op == "move":
        if store.files.exists(op.path):
            raise AlreadyThere(path=op.path)
        return [Change("move", here, op.memory, now, to=op.path)]
    if op.before is None:
        return [Change("remove", op.path, op.memory, now)]
    text = store.journal.text_of(op.before)
    if text is None:
        raise Failed(what=f"The journal no longer has the old text of {op.path}.")
    return [Change("put", op.path, op.memory, now, text)]


def _unmarked(store: OpenStore, op: Op) -> list[Change] | None:
    """The change that takes back marks in a session's memory, whatever else changed there since.

    None for an op that did more than mark.
    """
    before, after = (store.journal.text_of(stamp) for stamp in (op.before, op.after))
    if before is None or after is None or without_marks(before) != without_marks(after):
        return None
    if not store.files.exists(op.path):
        return []  # it is archived, or gone
    document = store.files.read(op.path)
    text = with_marks_undone(document.text, before, after)
    return [Change("put", op.path, op.memory, document.stamp, text)]


# -------------------- Retention: how many changes can be undone before old ones are forgotten.


OLD_SECONDS = 3600


def clean_up(store: OpenStore, cache: str) -> None:
    """Remove half-written files and old changes. What cannot be done now, the next pass does."""
    for path in disk.half_written((store.files.root, cache), store.now_ns / 1e9 - OLD_SECONDS):
        with suppress(RecollectError):
            disk.remove(path)
    with suppress(RecollectError):
        forget_old_changes(store, store.settings.keep_changes)


def forget_old_changes(store: OpenStore, most: int) -> int:
    """Forget what was before the newest `most` changes; gives the bytes that became free.

    0 stands for all changes. It waits until half as many again are there, so that not every
    pass costs a look at all of them.
    """
    if not most or len({op.group for op in store.journal.heads()}) <= most + most // 2:
        return 0
    with store.files.locked():
        texts, groups = needed(store.journal.ops(), most)
        unfinished, _ = store.journal.unsettled({})
        groups |= {op.group for op in unfinished}
        return store.journal.forget(texts | _stamps(unfinished), groups)


def needed(ops: Sequence[Op], most: int) -> tuple[set[str], set[str]]:
    """`(texts, changes)` that have to stay so that the newest `most` changes can be undone.

    The texts are named by their stamps.
    """
    newest = list(dict.fromkeys(op.group for op in ops))[-most:]
    last = {path: op for op in ops for path in (op.path, op.to) if path}
    claims = list(_with_claims(ops))
    moves = [op for op in ops if op.op == "move"]
    # A move that stays must not bring back what was removed before the newest changes.
    moved = {op.to for op in moves}
    before = {op.path: op for op in ops if op.group not in newest and op.path in moved}
    removals = (op for op in before.values() if op.op == "remove")
    texts = _stamps(op for op in ops if op.group in newest)
    texts |= {stamp for stamp in last_stamps(ops).values() if stamp}
    texts |= {op.after for op in claims if op.after}
    holders = {op.after: op for op in ops if op.text is not None and op.after in texts}
    kept = (*last.values(), *removals, *moves, *claims, *holders.values())
    return texts, {*newest, *(op.group for op in kept)}


def _stamps(ops: Iterable[Op]) -> set[str]:
    return {stamp for op in ops for stamp in (op.before, op.after) if stamp}


def _with_claims(ops: Sequence[Op]) -> Iterable[Op]:
    """The newest ops with each claim that was ever put into a file.

    What a person took out of a file again is not put in once more, as long as that is known.
    """
    known: set[str] = set()
    for op in reversed(ops):
        if op.text is not None and (lines := set(marked_lines(op.text))) - known:
            known |= lines
            yield op
