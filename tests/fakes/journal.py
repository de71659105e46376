"""A journal in memory."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from recollect.model.memory import Op, Problem
from recollect.store.journal import FolderJournal, Hidden, JournalLine, Note, SessionFile

from .store import Before, nothing

FILE = "ops-fake.jsonl"  # all that was written, whoever wrote it


class Mark(NamedTuple):
    """A line that settles a group: `done` or `void`."""

    word: str
    group: str


@dataclass
class Pages:
    """What the journals of several writers share: their lines, in the order they came."""

    lines: list[Op | Mark] = field(default_factory=list)
    hot: list[dict[str, Any]] = field(default_factory=list)

    def ops(self, start: int = 0) -> list[Op]:
        return [line for line in self.lines[start:] if isinstance(line, Op)]

    def size(self) -> int:
        return sum(len(line.text or "") + 300 for line in self.ops())

    def groups(self, *words: str) -> set[str]:
        marks = [line for line in self.lines if isinstance(line, Mark)]
        return {mark.group for mark in marks if mark.word in words}


class MemoryJournal(FolderJournal):
    """A journal in memory. Give several of them the same `pages` for several writers."""

    def __init__(
        self, writer: str = "ops-fake", pages: Pages | None = None, before: Before | None = None
    ) -> None:
        self.writer = writer
        self.pages = pages or Pages()
        self.problems: list[Problem] = []
        self._before = before or nothing
        self._size_before = 0

    def append(self, ops: Sequence[Op]) -> None:
        self._before("append", ops[0].path)
        self._size_before = len(self.pages.lines)
        self.pages.lines += ops

    def take_back(self) -> None:
        self._before("take_back", "")
        del self.pages.lines[self._size_before :]

    def settle(self, group: str, seq: int, *, applied: bool) -> None:
        mark = Mark("done" if applied else "void", group)
        self._before(mark.word, "")
        self.pages.lines.append(mark)

    def unsettled(self, after: dict[str, int]) -> tuple[list[Op], dict[str, int]]:
        start = after.get("pages", 0)
        settled = self.pages.groups("done", "void")
        found = [op for op in _whole(self.pages.ops(start)) if op.group not in settled]
        return found, {"pages": start if found else len(self.pages.lines)}

    def ops(self) -> list[Op]:
        void = self.pages.groups("void")
        return [op for op in _whole(self.pages.ops()) if op.group not in void]

    def heads(self, note: Note | None = None) -> list[Op]:
        for op in self.pages.ops() if note else ():
            if note and op.text is not None:
                note(op, op.text)
        return [op._replace(text=None) for op in self.ops()]

    def text_of(self, stamp: str | None) -> str | None:
        texts = (op.text for op in self.ops() if op.after == stamp and op.text is not None)
        return next(texts, None)

    def ops_about(self, field: str, value: str) -> list[Op]:
        return [op for op in reversed(self.ops()) if getattr(op, field) == value]

    def next_seq(self) -> int:
        return 1 + max((op.seq for op in self.pages.ops()), default=0)

    def hot(self, op: str) -> Iterator[dict[str, Any]]:
        return (line for line in self.pages.hot if line.get("op") == op)

    def lines(self, name: str, offset: int = 0) -> Iterator[JournalLine]:
        ops = self.pages.ops(offset) if name == FILE else []
        for n, op in enumerate(ops, offset + 1):
            yield JournalLine(
                {key: value for key, value in op._asdict().items() if value is not None}, n
            )

    def files(self) -> dict[str, int]:
        return {FILE: self.pages.size()} if self.pages.lines else {}

    def sessions(self) -> dict[str, SessionFile]:
        return {}

    def fold(self, heard: Mapping[str, int]) -> int:
        return 0

    def drop_unreadable(self) -> int:
        return 0

    def forget(self, texts: Collection[str], groups: Collection[str]) -> int:
        before = self.pages.size()
        self.pages.lines = [
            line._replace(text=None) if isinstance(line, Op) and line.after not in texts else line
            for line in self.pages.lines
            if line.group in groups
        ]
        return before - self.pages.size()

    def purge(self, path: str, hidden: Hidden | None = None) -> int:
        holding = {op.op_id for op in self.ops()}
        purged: set[str] = set()
        names: dict[str, list[str]] = {}  # of the file: the ops that tell of it, by place
        ops = _in_order(self.pages.ops())
        for op in reversed([op for op in ops if not hidden or op.seq <= hidden.until]):
            moved = op.op == "move" and op.op_id in holding
            if moved and op.to == path:
                path = op.path
            elif moved and op.path == path:
                break
            elif op.path == path:
                names.setdefault(path, []).append(op.op_id)
                if op.text is not None:
                    purged.add(op.op_id)
        self.pages.lines = [
            line._replace(text=None) if isinstance(line, Op) and line.op_id in purged else line
            for line in self.pages.lines
        ]
        if hidden:
            for n, ids in enumerate(reversed(names.values())):
                place = f"{hidden.place}-{n}.md" if n else f"{hidden.place}.md"
                self.pages.lines = [
                    line._replace(memory=hidden.memory, path=place)
                    if isinstance(line, Op) and line.op_id in ids
                    else line
                    for line in self.pages.lines
                ]
        return len(purged)


def _whole(ops: Iterable[Op]) -> list[Op]:
    """The ops of the groups that have all of theirs, each op once, in order."""
    groups: dict[str, dict[str, Op]] = {}
    for op in ops:
        groups.setdefault(op.group, {})[op.op_id] = op
    whole = [list(g.values()) for g in groups.values() if len(g) >= next(iter(g.values())).of]
    return _in_order(op for group in whole for op in group)


def _in_order(ops: Iterable[Op]) -> list[Op]:
    return sorted(ops, key=lambda op: (op.seq, op.writer, op.op_id))
