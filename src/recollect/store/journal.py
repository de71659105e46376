"""The append-only log of a store."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from recollect._fastimport import Any, NamedTuple
from recollect.errors import FileNotThere, OutsideStore
from recollect.model.memory import Op, Problem
from recollect.store import disk, locations
from recollect.store.journal_lines import (
    LARGEST_SEGMENT,
    OPS_PREFIX,
    Base,
    Catalogue,
    DeltaText,
    apply_delta,
    checked,
    delta_between,
    delta_size,
    in_order,
    json_of,
    line_of,
    number,
    op_of,
    split,
    whole,
    write_lines,
)

Note = Callable[[Op, str], None]


class SessionFile(NamedTuple):
    """A file that the hooks of a session append to, as the file system shows it."""

    size: int
    mtime_ns: int


class JournalLine(NamedTuple):
    """A line of a journal file, read."""

    data: dict[str, Any]
    end: int  # the offset behind it


class Hidden(NamedTuple):
    """The names that the journal gives a file whose texts are purged, in its ops up to `until`."""

    memory: str
    place: str  # without its `.md`
    until: int


# -------------------- What hooks left: a file for each session; those of long ago are folded into one a month.


FOLDED_PREFIX = "folded-"
ASIDE_SUFFIX = ".aside"
AT_ONCE = 200  # files: as many are in memory together


class RetiredFile(NamedTuple):
    """A file that is set aside: which session's it was, and how much of it was read."""

    name: str
    session: str  # the name that hooks know it by
    heard: int


def is_folded(name: str) -> bool:
    """Whether a file of this name has what was folded."""
    return name.endswith(".jsonl") and name.startswith(FOLDED_PREFIX)


def _lines_of_hooks(folder: str) -> Iterator[dict[str, Any]]:
    """Every line that hooks left, once, session by session."""
    seen: set[object] = set()
    for is_wanted in (_is_session, _aside, is_folded):
        for name in sorted(name for name, _ in _listed(folder) if is_wanted(name)):
            for key, line in _lines_at(f"{folder}/{name}").items():
                if key not in seen:
                    seen.add(key)
                    yield line


def _take_in(folder: str, into: str) -> int:
    """Fold what is set aside; gives how many files that was."""
    asides = [aside for name, _ in sorted(_listed(folder)) if (aside := _aside(name))]
    known = _lines_at(f"{folder}/{into}").keys() if asides else ()
    kept: dict[object, bytes] = {}
    for aside in asides:
        data = disk.read_file(f"{folder}/{aside.name}", LARGEST_SEGMENT)
        _put_back(folder, aside, data)
        kept |= {key: raw for key, raw in _staying(data) if key not in known}
    if kept:
        disk.append_durably(f"{folder}/{into}", b"".join(kept.values()))
    for aside in asides:
        disk.remove(f"{folder}/{aside.name}")
    return len(asides)


def _put_back(folder: str, aside: RetiredFile, data: bytes) -> None:
    """Put back into the session's file what came after the worker last read it."""
    path = f"{folder}/{aside.session}"
    fresh = list(_lines_in(data[aside.heard :]))
    there = _lines_at(path) if fresh else {}
    again = b"".join(raw for raw, line in fresh if _key(raw, line) not in there)
    try:
        if again:
            locations.append(os.path.dirname(folder), path, again)
    except OSError as error:
        raise disk.storage_error(error, path) from error


def _staying(data: bytes) -> Iterator[tuple[object, bytes]]:
    """The lines of a session that are kept, in order: all but signals and asks; the last signal stays."""
    rows = list(_lines_in(data))
    signals = [line for _, line in rows if line.get("op") == "signal"]
    last = max(signals, key=lambda line: str(line.get("time", "")), default=None)
    for raw, line in rows:
        if line is last or line.get("op") not in ("signal", "ask"):
            yield _key(raw, line), raw


def _is_session(name: str) -> bool:
    return name.endswith(".jsonl") and not name.startswith((OPS_PREFIX, FOLDED_PREFIX))


def _aside(name: str) -> RetiredFile | None:
    session, _, heard = name.removesuffix(ASIDE_SUFFIX).rpartition(".")
    if name.endswith(ASIDE_SUFFIX) and _is_session(session) and heard.isdecimal():
        return RetiredFile(name, session, int(heard))
    return None


def _listed(folder: str) -> list[tuple[str, os.stat_result]]:
    """The regular files of the journal's folder."""
    if os.path.islink(folder):
        return []
    try:
        with os.scandir(folder) as every:
            return [
                (one.name, one.stat(follow_symlinks=False))
                for one in every
                if one.is_file(follow_symlinks=False)
            ]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise disk.storage_error(error, folder) from error


def _lines_at(path: str) -> dict[object, dict[str, Any]]:
    """The good lines of a file by their keys; none where it is gone by now."""
    try:
        data = disk.read_file(path, LARGEST_SEGMENT)
    except FileNotThere:
        return {}
    return {_key(raw, line): line for raw, line in _lines_in(data)}


def _lines_in(data: bytes) -> Iterator[tuple[bytes, dict[str, Any]]]:
    for raw, _ in split([data]):
        line = checked(raw)
        if line is not None:
            yield raw + b"\n", line


def _key(raw: bytes, line: Mapping[str, Any]) -> object:
    """What identifies a line that stands in two files."""
    return str(line["op_id"]) if "op_id" in line else raw


# -------------------- The ops of commands and workers: one file for each writer.


LEAST_SHORTENED = 1000  # characters; below that a line is for people to read too
MOST_STEPS = 50  # from a text back to one that stands whole


class FolderJournal:
    """The journal in a store's `journal` folder; `writer` is the name of our own file there."""

    def __init__(self, root: str, writer: str) -> None:
        self.folder = os.path.join(root, "journal")
        self.writer = writer
        self.problems: list[Problem] = []
        self._size_before = 0
        self._catalogue = Catalogue(self.folder, self.op_files)

    # --------------------------------------------------------------------------------- writing

    def append(self, ops: Sequence[Op]) -> None:
        """Make these ops durable, all or none."""
        if os.path.islink(self.folder):
            raise OutsideStore(name="journal")
        disk.make_folder(self.folder)
        lines = b"".join(line_of(json_of(op, said)) for op, said in self._shortened(ops))
        self._size_before = disk.append_durably(self._own(), lines)

    def _shortened(self, ops: Sequence[Op]) -> Iterator[tuple[Op, DeltaText | None]]:
        """Each op, and how its text differs from what the file said before, if that is shorter."""
        just: dict[str, Base] = {}
        for op in ops:
            said, base = None, None
            if op.op == "put" and op.before and len(op.text or "") >= LEAST_SHORTENED:
                base = just.get(op.path) or self._catalogue.base(op.path)
            if base and base.stamp == op.before and base.steps < MOST_STEPS:
                parts = delta_between(base.text, op.text or "")
                if delta_size(parts) * 2 < len(op.text or ""):
                    said = DeltaText(base.op_id, parts)
            if op.op == "put" and op.text is not None:
                steps = base.steps + 1 if said and base else 0
                just[op.path] = Base(op.op_id, op.after, op.text, steps)
            yield op, said

    def take_back(self) -> None:
        """Forget the ops that were appended last, under the same lock, as if they had never been."""
        disk.truncate(self._own(), self._size_before)

    def settle(self, group: str, seq: int, *, applied: bool) -> None:
        """Note that a group of ops is in the files, or never will be."""
        op = "done" if applied else "void"
        mark = {"op": op, "writer": self.writer, "group": group, "seq": seq}
        disk.append_durably(self._own(), line_of(mark), sync=False)

    def _own(self) -> str:
        return os.path.join(self.folder, f"{self.writer}.jsonl")

    # --------------------------------------------------------------------------------- reading

    def files(self) -> dict[str, int]:
        """The journal files with their sizes, by name."""
        every = _listed(self.folder)
        return {name: info.st_size for name, info in every if name.endswith(".jsonl")}

    def lines(self, name: str, offset: int = 0) -> Iterator[JournalLine]:
        """The good lines of one file from `offset` on; a last line without its end is left."""
        for raw, end in self._raw(name, offset):
            found = checked(raw)
            if found is not None:
                yield JournalLine(found, end)

    def ops(self) -> list[Op]:
        """Every op about a file that holds, in order: whole groups that were not voided."""
        found = self._read(dict.fromkeys(self.op_files(), 0))
        return self._with_texts(found, found.holding())

    def heads(self, note: Note | None = None) -> list[Op]:
        """As `ops`, without any text; `note` is told of each line what is new in its text."""
        found = self._read(dict.fromkeys(self.op_files(), 0), texts=False, note=note)
        self.problems += self._zeroed(found.ends)
        return in_order(found.holding())

    def groups(self, starts: dict[str, int]) -> Iterator[list[Op]]:
        """The groups of these files that hold, from these offsets on, without any text."""
        found = self._read(starts, texts=False)
        return (
            in_order(whole(ops)) for group, ops in found.groups.items() if group not in found.void
        )

    def _zeroed(self, ends: Mapping[str, int]) -> Iterator[Problem]:
        """The files that are NUL bytes behind their last whole line, as after a power cut."""
        for name, end in ends.items():
            with suppress(FileNotThere):
                piece = next(disk.pieces_of(f"{self.folder}/{name}", LARGEST_SEGMENT, end), b"")
                if b"\0" in piece:
                    yield Problem(f"journal/{name}", f"byte {end}: NUL bytes to the end")

    def unsettled(self, after: dict[str, int]) -> tuple[list[Op], dict[str, int]]:
        """`(ops, offsets)`: the ops of whole groups that nobody has settled, in order.

        `after` has the offsets that an earlier call gave: what is before them is settled.
        """
        files = self.op_files()  # once: another writer's first file may appear at any moment
        starts = {
            name: start if (start := after.get(name, 0)) <= size else 0
            for name, size in files.items()
            if after.get(name) != size
        }
        new = {name: self._read({name: start}) for name, start in starts.items()}
        marked: set[str] = set()
        if any(found.groups.keys() - found.marked for found in new.values()):
            # Whoever finished a group after a crash has said so in a file of their own.
            marked = self._read(dict.fromkeys(files, 0)).marked
        offsets = {name: after[name] for name in files if name not in starts}
        ops: list[Op] = []
        for name, found in new.items():
            begun = found.groups.keys() - found.marked - marked
            # A group that lacks ops is still being written, or dead if something stands behind it.
            begun = {g for g in begun if whole(found.groups[g]) or g == found.last}
            offsets[name] = starts[name] if begun else found.ends[name]
            here = [op for group in begun for op in whole(found.groups[group])]
            ops += self._with_texts(found, here)
        return in_order(ops), offsets

    def text_of(self, stamp: str | None) -> str | None:
        """The text that had this stamp, if an op that holds has it; none where there is no stamp."""
        return self._catalogue.text_of(stamp) if stamp else None

    def ops_about(self, field: str, value: str) -> list[Op]:
        """Every op that holds and has this value in its `path` or `memory`, newest first."""
        return self._catalogue.ops_about(field, value)

    def next_seq(self) -> int:
        """A sequence number after all that this journal has."""
        return 1 + max(
            (self._last_seq(name, size) for name, size in self.op_files().items()), default=0
        )

    def _last_seq(self, name: str, size: int) -> int:
        # Sequence numbers rise within a file, so that its last line has the highest.
        step = 4096
        while True:
            start = max(0, size - step)
            best = max((number(d.data.get("seq")) for d in self.lines(name, start)), default=0)
            if best or start == 0:
                return best
            step *= 16

    def op_files(self) -> dict[str, int]:
        """The files of commands and workers; those of hooks have no ops about files."""
        files = sorted(self.files().items())
        return {name: size for name, size in files if name.startswith(OPS_PREFIX)}

    def _raw(self, name: str, offset: int = 0) -> Iterator[tuple[bytes, int]]:
        """The whole lines of a file, each with the offset behind it, and never all at once."""
        path = os.path.join(self.folder, name)
        try:
            yield from split(disk.pieces_of(path, LARGEST_SEGMENT, offset), offset)
        except FileNotThere:
            if os.path.lexists(path):
                raise

    def _read(
        self, starts: dict[str, int], *, texts: bool = True, note: Note | None = None
    ) -> _JournalPart:
        """Read the files from these offsets on; `problems` gets what could not be read."""
        self.problems = []
        found = _JournalPart()
        for name, start in starts.items():
            found.ends[name] = start
            for raw, end in self._raw(name, start):
                found.ends[name] = end
                data = checked(raw)
                op = op_of(data) if data else None
                found.last = op.group if op else ""
                if op and data:
                    if note:
                        _tell(note, op, data)
                    op = op if texts else op._replace(text=None)
                    found.groups.setdefault(op.group, []).append(op)
                    if texts and "parts" in data:
                        found.said[op.op_id] = (str(data.get("base")), data["parts"])
                elif data and data.get("op") in ("done", "void"):
                    found.marked.add(str(data.get("group")))
                    if data["op"] == "void":
                        found.void.add(str(data.get("group")))
                elif data is None and raw.strip():
                    where = f"byte {end - len(raw) - 1}"
                    self.problems.append(Problem(f"journal/{name}", f"{where}: incomplete line"))
        return found

    def _with_texts(self, found: _JournalPart, ops: Iterable[Op]) -> list[Op]:
        """These ops in order, with the texts that stand as differences from others."""
        every = in_order(op for group in found.groups.values() for op in group)
        texts: dict[str, str | None] = {}
        for op in every:
            texts[op.op_id] = op.text
            if op.op_id in found.said:
                base, parts = found.said[op.op_id]
                old = texts[base] if base in texts else self._catalogue.text_of_op(base)
                texts[op.op_id] = None if old is None else apply_delta(old, parts)
        return [
            op if op.op_id not in found.said else op._replace(text=texts[op.op_id])
            for op in in_order(ops)
        ]

    # --------------------------------------------------------------------------------- of hooks

    def hot(self, op: str) -> Iterator[dict[str, Any]]:
        """The hot facts of one kind (signal, inject, …) that hooks left, session by session."""
        return (line for line in _lines_of_hooks(self.folder) if line.get("op") == op)

    def sessions(self) -> dict[str, SessionFile]:
        """The files that hooks append to, one for each session, by name."""
        return {
            name: SessionFile(info.st_size, info.st_mtime_ns)
            for name, info in _listed(self.folder)
            if _is_session(name)
        }

    def fold(self, heard: Mapping[str, int]) -> int:
        """Fold these files of sessions, each up to the bytes that were read; gives how many.

        What an earlier fold left is folded first. The caller keeps everybody else who folds away.
        """
        into = f"{FOLDED_PREFIX}{self.writer.removeprefix(OPS_PREFIX)}.jsonl"
        done = _take_in(self.folder, into)
        sizes = self.sessions()
        names = [name for name in heard if name in sizes and sizes[name].size <= LARGEST_SEGMENT]
        for start in range(0, len(names), AT_ONCE):
            for name in names[start : start + AT_ONCE]:
                aside = f"{name}.{heard[name]}{ASIDE_SUFFIX}"
                disk.replace_name(f"{self.folder}/{name}", f"{self.folder}/{aside}")
            done += _take_in(self.folder, into)
        return done

    # --------------------------------------------------------------------------------- purging

    def purge(self, path: str, hidden: Hidden | None = None) -> int:
        """Take the texts of the memory file that was last at `path` out of the journal.

        The lines stay, so that sequence numbers and groups hold; what they said is gone, and with
        `hidden` the names that the file had. Lines that cannot be read go too, for nobody can tell
        what is in them. Gives how many changed. The caller holds the store's lock.

        The last op goes last: after a crash it is there to be followed back once more.
        """
        self._drop_half_written()
        found = self._read(dict.fromkeys(self.op_files(), 0))
        every = in_order(op for ops in found.groups.values() for op in ops)
        if hidden:
            every = [op for op in every if op.seq <= hidden.until]
        wanted = _ids_of_file(every, {op.op_id for op in self.ops()}, path)
        names = _other_names(every, wanted, hidden) if hidden else {}
        last = {f"{op.writer}.jsonl": op.seq for op in every if op.op_id in wanted}
        changed = 0
        for name in sorted(self.op_files(), key=lambda name: last.get(name, 0)):
            old = [raw for raw, _ in self._raw(name)]
            new = [_without_text(raw, wanted, names) for raw in old]
            if old != new:
                changed += sum(one != two for one, two in zip(old, new, strict=True))
                write_lines(os.path.join(self.folder, name), filter(None, new))
        return changed

    def purge_texts(self, choose: Callable[[list[Op]], Collection[str]]) -> int:
        """Take the texts of the ops that are chosen by their ids out of the journal; gives how many.

        Every op is offered, in order, those that were voided too. What builds on a text that goes
        can still be read, at any moment. The caller holds the store's lock.
        """
        self._drop_half_written()
        found = self._read(dict.fromkeys(self.op_files(), 0))
        every = self._with_texts(found, (op for ops in found.groups.values() for op in ops))
        gone = set(choose([op for op in every if op.text is not None]))
        if gone:
            self._catalogue.purge(gone)
        return len(gone)

    def _drop_half_written(self) -> None:
        for name in disk.names_in(self.folder):
            if name.endswith(disk.TEMP_SUFFIX):  # of those who died with the lock
                disk.remove(f"{self.folder}/{name}")

    def forget(self, texts: Collection[str], groups: Collection[str]) -> int:
        """Take out all but these groups, and all texts but those with these stamps.

        Gives the bytes that became free. The caller holds the store's lock.
        """
        return self._catalogue.forget(texts, groups)

    def drop_unreadable(self) -> int:
        """Take out the lines that have to be passed over; gives how many there were.

        The caller holds the store's lock, and nothing is unsettled.
        """
        dropped = 0
        for name in self.op_files():
            old = [raw for raw, _ in self._raw(name)]
            new = [raw for raw in old if checked(raw) is not None]
            zeroed = len(list(self._zeroed({name: sum(len(raw) + 1 for raw in old)})))
            if len(new) < len(old) or zeroed:
                dropped += sum(bool(raw.strip()) for raw in old) - len(new) + zeroed
                write_lines(os.path.join(self.folder, name), new)
        return dropped


class _JournalPart:
    """The ops and marks in a part of the journal."""

    def __init__(self) -> None:
        self.groups: dict[str, list[Op]] = {}
        self.said: dict[str, tuple[str, object]] = {}  # by the op: what its text builds on, and how
        self.marked: set[str] = set()  # done or void
        self.void: set[str] = set()
        self.ends: dict[str, int] = {}  # behind the last whole line of each file
        self.last = ""  # the group of the last line, if that is an op

    def holding(self) -> Iterator[Op]:
        """The ops of whole groups that were not voided."""
        return (
            op for group, ops in self.groups.items() if group not in self.void for op in whole(ops)
        )


def _tell(note: Note, op: Op, data: Mapping[str, Any]) -> None:
    parts = data.get("parts", [op.text])
    if isinstance(parts, list) and parts != [None]:
        note(op, "".join(part for part in parts if isinstance(part, str)))


def _ids_of_file(ops: Sequence[Op], holding: set[str], path: str) -> set[str]:
    """The ops about the file that was last at `path`, followed back through its moves."""
    found: set[str] = set()
    for op in reversed(ops):
        moved = op.op == "move" and op.op_id in holding
        if moved and op.to == path:
            found.add(op.op_id)
            path = op.path
        elif moved and op.path == path:
            break  # what was there before went elsewhere: another memory
        elif op.path == path:
            found.add(op.op_id)
    return found


def _other_names(ops: Sequence[Op], wanted: set[str], hidden: Hidden) -> dict[str, str]:
    """For each place that a file had another one, and for each id it had the one it has now."""
    mine = [op for op in ops if op.op_id in wanted]
    locations = dict.fromkeys(path for op in mine for path in (op.path, op.to) if path)
    names = {
        path: f"{hidden.place}-{n}.md" if n else f"{hidden.place}.md"
        for n, path in enumerate(locations)
    }
    return dict.fromkeys((op.memory for op in mine if op.memory), hidden.memory) | names


def _without_text(raw: bytes, purged: set[str], names: dict[str, str]) -> bytes:
    """A line as it stays: whole, without its text if its op is purged, or empty."""
    data = checked(raw)
    if data is None:
        return b""
    says_nothing = data.get("text") is None and "parts" not in data
    if data.get("op_id") not in purged or (says_nothing and not names):
        return raw
    kept = {key: value for key, value in data.items() if key not in ("base", "parts")}
    for key in ("memory", "path", "to"):
        if kept.get(key) in names:
            kept[key] = names[kept[key]]
    return line_of(kept | {"text": None, "purged": True}).rstrip(b"\n")
