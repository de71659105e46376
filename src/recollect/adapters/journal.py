"""Journal: the append-only log of a store, one file for each writer.

Promises: `append` returns when the ops are on disk, all of a group or none; a torn or foreign
line is passed over and reported; ops come in the order of their sequence numbers, whatever the
clocks said.
Touches: `journal/*.jsonl` of the store (writing goes through `fsio`). The hooks append to files
of their own, in the form that `hooks.places` defines.

A group is settled by a later line of the same writer: `done` when the files carry it, `void` when
they never will. What is not settled is looked at when the store is opened next.
"""

from __future__ import annotations

import binascii
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from recollect import fsio
from recollect.domain.model import Op, Problem
from recollect.errors import OutsideStore
from recollect.hooks import places
from recollect.ports import Line

FILE_OPS = ("put", "move", "remove")
OPS_PREFIX = "ops-"
LARGEST_SEGMENT = 512 * 1024 * 1024


class FolderJournal:
    """The journal in a store's `journal` folder; `writer` is the name of our own file there."""

    def __init__(self, root: str, writer: str) -> None:
        """`root` is the store's folder."""
        self.folder = os.path.join(root, "journal")
        self.writer = writer
        self.problems: list[Problem] = []
        self._size_before = 0

    # --------------------------------------------------------------------------------- writing

    def append(self, ops: Sequence[Op]) -> None:
        """Make these ops durable, all or none."""
        if os.path.islink(self.folder):
            raise OutsideStore(name="journal")
        fsio.make_folder(self.folder)
        lines = b"".join(_line_of(_json_of(op)) for op in ops)
        self._size_before = fsio.append_durably(self._own(), lines)

    def take_back(self) -> None:
        """Forget the ops that were appended last, under the same lock, as if they had never been."""
        fsio.truncate(self._own(), self._size_before)

    def settle(self, group: str, seq: int, *, applied: bool) -> None:
        """Note that a group of ops is in the files, or never will be."""
        op = "done" if applied else "void"
        mark = {"op": op, "writer": self.writer, "group": group, "seq": seq}
        fsio.append_durably(self._own(), _line_of(mark), sync=False)

    def _own(self) -> str:
        return os.path.join(self.folder, f"{self.writer}.jsonl")

    # --------------------------------------------------------------------------------- reading

    def files(self) -> dict[str, int]:
        """The journal files with their sizes, by name."""
        if os.path.islink(self.folder):
            return {}
        try:
            with os.scandir(self.folder) as found:
                return {
                    e.name: e.stat(follow_symlinks=False).st_size
                    for e in found
                    if e.name.endswith(".jsonl") and e.is_file(follow_symlinks=False)
                }
        except (FileNotFoundError, NotADirectoryError):
            return {}
        except OSError as error:
            raise fsio.failed(error, self.folder) from error

    def lines(self, name: str, offset: int = 0) -> Iterator[Line]:
        """The good lines of one file from `offset` on; a last line without its end is left."""
        for raw, end in _split(self._bytes_of(name, offset)):
            found = _checked(raw)
            if found is not None:
                yield Line(found, offset + end)

    def ops(self) -> list[Op]:
        """Every op about a file that holds, in order: whole groups that were not voided."""
        found = self._read(dict.fromkeys(self._op_files(), 0))
        return _in_order(
            op
            for group, ops in found.groups.items()
            if group not in found.void
            for op in _whole(ops)
        )

    def unsettled(self, after: dict[str, int]) -> tuple[list[Op], dict[str, int]]:
        """`(ops, offsets)`: the ops of whole groups that nobody has settled, in order.

        `after` has the offsets that an earlier call gave: what is before them is settled.
        """
        files = self._op_files()  # once: another writer's first file may appear at any moment
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
            begun = {g for g in begun if _whole(found.groups[g]) or g == found.last}
            offsets[name] = starts[name] if begun else found.ends[name]
            ops += [op for group in begun for op in _whole(found.groups[group])]
        return _in_order(ops), offsets

    def text_of(self, stamp: str) -> str | None:
        """The text that had this stamp, if an op that holds has it."""
        for line in self._lines_with(f'"after":"{stamp}"') if stamp else ():
            text = line.get("text")
            if line.get("after") == stamp and isinstance(text, str) and self._holds(line):
                return text
        return None

    def ops_about(self, field: str, value: str) -> list[Op]:
        """Every op that holds and has this value in its `path` or `memory`, newest first."""
        import json

        found = []
        # A text that is no UTF-8 has its whole line in escapes.
        for said in {json.dumps(value, ensure_ascii=False), json.dumps(value)}:
            for line in self._lines_with(f'"{field}":{said}'):
                op = _op_of(line)
                if op and getattr(op, field) == value and self._holds(line):
                    found.append(op)
        return _in_order({op.op_id: op for op in found}.values())[::-1]

    def _holds(self, line: dict[str, Any]) -> bool:
        group = str(line.get("group"))
        rows = [d for d in self._lines_with(f'"group":"{group}"') if d.get("group") == group]
        ops = [op for op in map(_op_of, rows) if op]
        return bool(ops and _whole(ops)) and not any(d.get("op") == "void" for d in rows)

    def _lines_with(self, part: str) -> Iterator[dict[str, Any]]:
        """The good lines in which `part` stands, newest file first; no others are parsed."""
        wanted = part.encode("utf-8", "surrogateescape")
        for name in sorted(self._op_files(), reverse=True):
            data = self._bytes_of(name, 0)
            at = data.find(wanted)
            while at >= 0:
                start = data.rfind(b"\n", 0, at) + 1
                end = data.find(b"\n", at)
                found = _checked(data[start:end]) if end >= 0 else None
                if found is not None:
                    yield found
                at = data.find(wanted, end) if end >= 0 else -1

    def next_seq(self) -> int:
        """A sequence number after all that this journal has."""
        return 1 + max(
            (self._last_seq(name, size) for name, size in self._op_files().items()), default=0
        )

    def _last_seq(self, name: str, size: int) -> int:
        # Sequence numbers rise within a file, so that its last line has the highest.
        step = 4096
        while True:
            start = max(0, size - step)
            best = max((_number(d.data.get("seq")) for d in self.lines(name, start)), default=0)
            if best or start == 0:
                return best
            step *= 16

    def _op_files(self) -> dict[str, int]:
        """The files of commands and workers; those of hooks have no ops about files."""
        return {
            name: size for name, size in sorted(self.files().items()) if name.startswith(OPS_PREFIX)
        }

    def _bytes_of(self, name: str, offset: int) -> bytes:
        path = os.path.join(self.folder, name)
        return fsio.read_file(path, LARGEST_SEGMENT, offset) if os.path.lexists(path) else b""

    def _read(self, starts: dict[str, int]) -> _Found:
        """What the files say from these offsets on; `problems` tells what could not be read."""
        self.problems = []
        found = _Found()
        for name, start in starts.items():
            found.ends[name] = start
            for raw, end in _split(self._bytes_of(name, start)):
                found.ends[name] = start + end
                data = _checked(raw)
                op = _op_of(data) if data else None
                found.last = op.group if op else ""
                if op:
                    found.groups.setdefault(op.group, []).append(op)
                elif data and data.get("op") in ("done", "void"):
                    found.marked.add(str(data.get("group")))
                    if data["op"] == "void":
                        found.void.add(str(data.get("group")))
                elif data is None and raw.strip():
                    where = f"byte {start + end - len(raw) - 1}"
                    self.problems.append(Problem(f"journal/{name}", f"{where}: not a whole line"))
        return found

    def hot(self, op: str) -> Iterator[dict[str, Any]]:
        """The hot facts of one kind (signal, inject, …) that hooks left, file by file."""
        for name in sorted(self.files()):
            if not name.startswith(OPS_PREFIX):
                for line in self.lines(name):
                    if line.data.get("op") == op:
                        yield line.data

    # --------------------------------------------------------------------------------- purging

    def purge(self, path: str) -> int:
        """Take the texts of the memory file that was last at `path` out of the journal.

        The lines stay, so that sequence numbers and groups hold; what they said is gone. Lines
        that cannot be read go too, for nobody can tell what is in them. Gives how many changed.
        """
        found = self._read(dict.fromkeys(self._op_files(), 0))
        every = _in_order(op for ops in found.groups.values() for op in ops)
        wanted = _ids_of_file(every, {op.op_id for op in self.ops()}, path)
        changed = 0
        for name in self._op_files():
            old = [raw for raw, _ in _split(self._bytes_of(name, 0))]
            new = [_without_text(raw, wanted) for raw in old]
            if old != new:
                changed += sum(one != two for one, two in zip(old, new, strict=True))
                whole = b"".join(line + b"\n" for line in new if line)
                fsio.write_whole(os.path.join(self.folder, name), whole)
                fsio.sync_folder(self.folder)
        return changed


class _Found:
    """What a part of the journal says."""

    def __init__(self) -> None:
        self.groups: dict[str, list[Op]] = {}
        self.marked: set[str] = set()  # done or void
        self.void: set[str] = set()
        self.ends: dict[str, int] = {}  # behind the last whole line of each file
        self.last = ""  # the group of the last line, if that is an op


def _split(data: bytes) -> Iterator[tuple[bytes, int]]:
    """The whole lines of `data`, each with the offset behind it."""
    start = 0
    while (end := data.find(b"\n", start)) >= 0:
        yield data[start:end], end + 1
        start = end + 1


def _ids_of_file(ops: Sequence[Op], holding: set[str], path: str) -> set[str]:
    """The ops about the file that was last at `path`, followed back through its moves."""
    found: set[str] = set()
    for op in reversed(ops):
        moved = op.op == "move" and op.op_id in holding
        if moved and op.to == path:
            path = op.path
        elif moved and op.path == path:
            break  # what was there before went elsewhere: another memory
        elif op.path == path:
            found.add(op.op_id)
    return found


def _without_text(raw: bytes, purged: set[str]) -> bytes:
    """A line as it stays: whole, without its text if its op is to be purged, or not at all."""
    data = _checked(raw)
    if data is None:
        return b""
    if data.get("op_id") not in purged or data.get("text") is None:
        return raw
    return _line_of(data | {"text": None, "purged": True}).rstrip(b"\n")


def _whole(ops: list[Op]) -> list[Op]:
    """The ops of a group, each once, or none if some are missing."""
    once = list({op.op_id: op for op in ops}.values())
    return once if len(once) >= ops[0].of else []


def _in_order(ops: Iterable[Op]) -> list[Op]:
    return sorted(ops, key=lambda op: (op.seq, op.writer, op.op_id))


def _line_of(data: dict[str, Any]) -> bytes:
    import json

    try:
        raw = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    except UnicodeEncodeError:  # bytes that were no UTF-8 in the file: kept as escapes
        raw = json.dumps(data, separators=(",", ":")).encode("ascii")
    return places.sealed(raw, binascii.crc32(raw))


def _checked(raw: bytes) -> dict[str, Any] | None:
    """The object in a line, if the line is what its writer sealed."""
    if len(raw) < 20 or raw[-18:-10] != b',"sum":"' or raw[-2:] != b'"}':
        return None
    body = raw[:-18] + b"}"
    if b"%08x" % binascii.crc32(body) != raw[-10:-2]:
        return None
    import json  # most commands find nothing to read

    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _json_of(op: Op) -> dict[str, Any]:
    data: dict[str, Any] = {
        "op": op.op,
        "op_id": op.op_id,
        "group": op.group,
        "of": op.of,
        "seq": op.seq,
        "time": op.time,
        "writer": op.writer,
        "cause": op.cause,
        "memory": op.memory,
        "path": op.path,
        "before": op.before,
        "after": op.after,
    }
    if op.to:
        data["to"] = op.to
    if op.undoes:
        data["undoes"] = op.undoes
    if op.text is not None:
        data["text"] = op.text
    return data


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _op_of(data: dict[str, Any]) -> Op | None:
    """The op about a file that a line holds, if it holds one."""
    if data.get("op") not in FILE_OPS or not isinstance(data.get("group"), str):
        return None
    text = data.get("text")
    return Op(
        op=data["op"],
        op_id=str(data.get("op_id", "")),
        group=data["group"],
        of=_number(data.get("of", 1)),
        seq=_number(data.get("seq", 0)),
        time=str(data.get("time", "")),
        writer=str(data.get("writer", "")),
        cause=str(data.get("cause", "")),
        memory=str(data.get("memory", "")),
        path=str(data.get("path", "")),
        before=data.get("before"),
        after=data.get("after"),
        text=text if isinstance(text, str) else None,
        to=str(data.get("to", "")),
        undoes=str(data.get("undoes", "")),
    )
