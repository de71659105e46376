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
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from recollect import fsio
from recollect.domain.model import Op, Problem
from recollect.errors import FileNotThere
from recollect.hooks import places
from recollect.ports import Line

FILE_OPS = ("put", "move", "remove")
OPS_PREFIX = "ops-"
LARGEST_SEGMENT = 512 * 1024 * 1024


class FolderJournal:
    """The journal in a store's `journal` folder; `writer` is the name of our own file there."""

    def __init__(self, root: str, writer: str, now: str) -> None:
        """`now` is the time that the lines of this process carry."""
        self.folder = os.path.join(root, "journal")
        self.writer = writer
        self.now = now
        self.problems: list[Problem] = []

    # --------------------------------------------------------------------------------- writing

    def append(self, ops: Sequence[Op]) -> None:
        """Make these ops durable, all or none."""
        fsio.make_folder(self.folder)
        fsio.append_durably(self._own(), b"".join(_line_of(_json_of(op)) for op in ops))

    def settle(self, group: str, seq: int, *, applied: bool) -> None:
        """Note that a group of ops is in the files, or never will be."""
        op = "done" if applied else "void"
        mark = {"op": op, "writer": self.writer, "group": group, "seq": seq}
        fsio.append_durably(self._own(), _line_of(mark), sync=False)

    def note(self, op: str, fields: dict[str, Any]) -> None:
        """Append a hot fact (access, inject, …) that may be lost in a power cut."""
        fsio.make_folder(self.folder)
        head = {"op": op, "op_id": places.new_op_id(0), "time": self.now, "writer": self.writer}
        fsio.append_durably(self._own(), _line_of(head | fields), sync=False)

    def _own(self) -> str:
        return os.path.join(self.folder, f"{self.writer}.jsonl")

    # --------------------------------------------------------------------------------- reading

    def files(self) -> dict[str, int]:
        """The journal files with their sizes, by name."""
        try:
            with os.scandir(self.folder) as found:
                return {
                    e.name: e.stat(follow_symlinks=False).st_size
                    for e in found
                    if e.name.endswith(".jsonl") and e.is_file(follow_symlinks=False)
                }
        except FileNotFoundError:
            return {}

    def lines(self, name: str, offset: int = 0) -> Iterator[Line]:
        """The good lines of one file from `offset` on; a last line without its end is left."""
        path = os.path.join(self.folder, name)
        try:
            data = (
                fsio.read_file(path, LARGEST_SEGMENT)
                if offset == 0
                else fsio.read_from(path, offset, LARGEST_SEGMENT)
            )
        except FileNotThere:
            return
        start = 0
        while (end := data.find(b"\n", start)) >= 0:
            raw = data[start:end]
            start = end + 1
            found = _checked(raw)
            if found is not None:
                yield Line(found, offset + start)
            elif raw.strip():
                self.problems.append(
                    Problem(f"journal/{name}", f"byte {offset + end - len(raw)}: not a whole line")
                )

    def ops(self) -> list[Op]:
        """Every op about a file that holds, in order: whole groups that were not voided."""
        groups, _done, void = self._read(self._op_files(), {})
        return _in_order(
            op for group, ops in groups.items() if group not in void for op in _whole(ops)
        )

    def unsettled(self, after: dict[str, int]) -> tuple[list[Op], dict[str, int]]:
        """`(ops, offsets)`: the ops of whole groups that nobody has settled, in order.

        `after` has the offsets that an earlier call gave: what is before them is settled.
        """
        found: list[Op] = []
        offsets: dict[str, int] = {}
        for name, size in self._op_files().items():
            start = after.get(name, 0)
            start = start if start <= size else 0
            offsets[name] = size
            if start == size:
                continue
            groups, done, void = self._read({name: size}, {name: start})
            open_groups = [g for g in groups if g not in done and g not in void]
            if open_groups:
                offsets[name] = start
                found += [op for g in open_groups for op in _whole(groups[g])]
        return _in_order(found), offsets

    def has_text(self, stamp: str) -> bool:
        """Whether the journal could give back the text that had this stamp."""
        wanted = b'"after":"' + stamp.encode() + b'"'
        for name in sorted(self._op_files(), reverse=True):
            if wanted in fsio.read_file(os.path.join(self.folder, name), LARGEST_SEGMENT):
                return True
        return False

    def text_of(self, stamp: str) -> str | None:
        """The text that had this stamp, if the journal has it."""
        if not stamp or not self.has_text(stamp):
            return None
        return next(
            (op.text for op in self.ops() if op.after == stamp and op.text is not None), None
        )

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
            best = max((line.data.get("seq", 0) for line in self.lines(name, start)), default=0)
            if best or start == 0:
                return int(best)
            step *= 16

    def _op_files(self) -> dict[str, int]:
        """The files of commands and workers; those of hooks have no ops about files."""
        return {
            name: size for name, size in sorted(self.files().items()) if name.startswith(OPS_PREFIX)
        }

    def _read(
        self, names: Iterable[str], after: dict[str, int]
    ) -> tuple[dict[str, list[Op]], set[str], set[str]]:
        groups: dict[str, list[Op]] = {}
        marks: dict[str, set[str]] = {"done": set(), "void": set()}
        self.problems = []
        for name in names:
            for line in self.lines(name, after.get(name, 0)):
                data = line.data
                op = data.get("op")
                if op in FILE_OPS and isinstance(data.get("group"), str):
                    groups.setdefault(data["group"], []).append(_op_of(data))
                elif op in marks:
                    marks[op].add(str(data.get("group")))
        return groups, marks["done"], marks["void"]

    def hot(self, op: str) -> Iterator[dict[str, Any]]:
        """The hot facts of one kind (signal, inject, …) that hooks left, file by file."""
        for name in sorted(self.files()):
            if not name.startswith(OPS_PREFIX):
                for line in self.lines(name):
                    if line.data.get("op") == op:
                        yield line.data

    def purge(self, paths: set[str]) -> int:
        """Take the texts of these files out of the journal; gives the number of lines changed.

        The lines stay, so that sequence numbers and groups hold; what they said is gone.
        """
        changed = 0
        for name in self._op_files():
            path = os.path.join(self.folder, name)
            lines = [line.data for line in self.lines(name)]
            hit = [d for d in lines if d.get("path") in paths and d.get("text") is not None]
            for data in hit:
                data["text"] = None
                data["purged"] = True
            if hit:
                changed += len(hit)
                fsio.write_whole(path, b"".join(_line_of(data) for data in lines))
                fsio.sync_folder(self.folder)
        return changed


def _whole(ops: list[Op]) -> list[Op]:
    """The ops of a group, each once, or none if some are missing."""
    once = list({op.op_id: op for op in ops}.values())
    return once if len(once) >= ops[0].of else []


def _in_order(ops: Iterable[Op]) -> list[Op]:
    return sorted(ops, key=lambda op: (op.seq, op.writer, op.op_id))


def _line_of(data: dict[str, Any]) -> bytes:
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
    try:
        data = json.loads(body)
    except ValueError:
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


def _op_of(data: dict[str, Any]) -> Op:
    text = data.get("text")
    return Op(
        op=str(data["op"]),
        op_id=str(data.get("op_id", "")),
        group=str(data["group"]),
        of=int(data.get("of", 1)),
        seq=int(data.get("seq", 0)),
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
