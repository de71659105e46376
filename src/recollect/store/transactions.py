"""Transactions: the only way to change a store.

Promises: a change is in the journal, on disk, before a file is touched, and acknowledged when the
files have it. After a crash the next command finishes it. A person's edit made meanwhile wins.
Changes of a group succeed or fail together.

Write order: lock → compare content hashes → journal (fdatasync) → files (temporary, fsync, rename)
→ folders (fsync) → `done` in the journal. Texts are redacted before all of that.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress

from recollect._fastimport import NamedTuple
from recollect.errors import (
    AlreadyThere,
    ChangedMeanwhile,
    Failed,
    FileNotThere,
    OutsideStore,
    RecollectError,
    StorageFailed,
    ToBeEncrypted,
    UsageProblem,
)
from recollect.model.memory import Change, Op, Problem, is_sealed_path
from recollect.store.disk import stamp_of_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.search.index import SqliteIndex
    from recollect.store.files import MarkdownStore
    from recollect.store.journal import FolderJournal

OUTSIDE = "outside"  # the cause of an op that only keeps a text that a person wrote
UNDO = "undo"  # the cause of an op that brings back what the journal has, plain or not
DONE, OPEN, LOST = "done", "open", "lost"
# Causes that put nothing new into a store: they move, file, take away or bring back what it has.
ARRANGING = frozenset({UNDO, "forget", "archive", "activate", "compress", "consolidate", "take-over", "encrypt", "renumber"})  # fmt: skip
MOST_AT_ONCE = 50  # groups: nobody else can write for so long
LARGEST_AT_ONCE = 4_000_000  # characters of the texts that are held meanwhile
CHANGED = (ChangedMeanwhile, AlreadyThere, FileNotThere)  # a file is not as a plan saw it

Plan = Callable[[], Sequence[Change]]


class Clock(NamedTuple):
    """The time, and new ids."""

    now: str
    new_id: Callable[[], str]
    by: str = ""  # the session of the agent that asks


class _Group(NamedTuple):
    """Ops that succeed or fail together, with the texts that they replace."""

    ops: list[Op]
    olds: dict[str, str]


class Ledger:
    """The write protocol over one store."""

    def __init__(
        self,
        store: MarkdownStore,
        journal: FolderJournal,
        index: SqliteIndex,
        moment: Clock,
        redact: Callable[[str], str],
    ) -> None:
        """`redact` is applied to every text that is written."""
        self.store, self.journal, self.index = store, journal, index
        self.moment, self.redact = moment, redact
        self.encrypt: frozenset[str] = frozenset()  # the layers in which nothing new may be plain
        self.is_persons = False  # whether nobody but a person puts something there
        self.wrote: Callable[[Sequence[Op]], None] | None = None  # is told what was written
        # Of each journal file, how many bytes came with the repository: nothing of that is redone.
        self.came: Callable[[], Mapping[str, int]] = dict

    # --------------------------------------------------------------------------------- changing

    def commit(self, plan: Plan, *, cause: str, undoes: str = "") -> list[Op]:
        """Carry out the changes that `plan` gives; it is called with the store locked.

        Raises:
            ChangedMeanwhile, AlreadyThere: a file is not as the plan saw it; nothing was written.
            UsageProblem: this is not an agent's to change.
            StorageFailed: the disk refused.
        """
        with self.store.locked():
            self._recover_locked()
            group = self._group_of(plan(), cause, undoes, self.journal.next_seq())
            if group.ops:
                self.journal.append(group.ops)
                self._apply(*group)
            return group.ops

    def commit_each(self, plans: Iterable[tuple[str, Plan]]) -> list[int]:
        """Carry out changes that have nothing to do with each other; gives the numbers of those refused.

        Each comes with its cause, and is a group that is undone by itself. The store is locked, and
        the journal written, once for many of them. A change is refused when a file is not as its
        plan saw it. One that has a file in common with one before it sees what that left.

        Raises:
            StorageFailed: the disk refused; the next command finishes what is in the journal.
        """
        refused: list[int] = []
        queue = deque(enumerate(plans))
        while queue and self._commit_some(queue, refused):
            pass
        return refused

    def _commit_some(self, queue: deque[tuple[int, tuple[str, Plan]]], refused: list[int]) -> bool:
        """Carry out the next changes of the queue; whether there may be more."""
        with self.store.locked():
            self._recover_locked()
            groups: dict[int, _Group] = {}
            taken: set[str] = set()
            seq, size, is_full = self.journal.next_seq(), 0, False
            while queue and not is_full:
                n, (cause, plan) = queue.popleft()
                try:
                    group = self._group_of(plan(), cause, "", seq)
                except CHANGED:
                    refused.append(n)
                    continue
                paths = paths_of(group.ops)
                if not taken.isdisjoint(paths):
                    queue.appendleft((n, (cause, plan)))
                    is_full = True
                elif group.ops:
                    groups[n] = group
                    taken.update(paths)
                    seq += len(group.ops)
                    size += sum(len(op.text or "") for op in group.ops)
                is_full |= len(groups) == MOST_AT_ONCE or size > LARGEST_AT_ONCE
            if groups:
                self.journal.append([op for group in groups.values() for op in group.ops])
                self._apply_each(groups, refused)
            return is_full

    def _group_of(self, changes: Sequence[Change], cause: str, undoes: str, seq: int) -> _Group:
        """The ops of these changes, with the texts that they replace."""
        if self.is_persons and cause.partition("/")[0] not in ARRANGING:
            what = "Only a person puts something into the global store, where every project sees it: run it in your own terminal."
            raise UsageProblem(what=what, command="promote")
        changes = [self._redacted(change) for change in changes]
        olds = {change.path: self._old_of(change) for change in changes}
        if self.encrypt and cause != UNDO:
            self._require_sealed(changes, olds)
        return _Group(self._ops_of(changes, olds, cause, undoes, seq), olds)

    def _redacted(self, change: Change) -> Change:
        if change.op != "put":
            return change
        return change._replace(text=self._clean(change.path, change.text))

    def _require_sealed(self, changes: Iterable[Change], olds: Mapping[str, str]) -> None:
        """Refuse new plain lines in a layer that is encrypted."""
        from recollect.model.layers import written_to  # seldom needed

        for change in changes:
            if change.op == "put" and not is_sealed_path(change.path):
                layer = written_to(change.path, change.text)
                is_new = set(change.text.splitlines()) - set(olds[change.path].splitlines())
                if is_new and layer in self.encrypt:
                    raise ToBeEncrypted(path=change.path, layer=layer)

    def _clean(self, path: str, text: str, *, is_outside: bool = False) -> str:
        """`text` as it may be written. Cipher text has no secrets, but may look as if it had.

        Raises:
            Failed: it is plain, and this is the place of an encrypted memory.
        """
        if not is_sealed_path(path):
            return self.redact(text)
        from recollect.model.document import is_sealed  # seldom needed

        if is_sealed(text):
            return text
        if not is_outside:
            raise Failed(what=f"The text for {path} is not encrypted; nothing was written.")
        return self.redact(text)

    def _old_of(self, change: Change) -> str:
        """The text that a change replaces; an error if the file is not as the plan saw it."""
        if change.op == "move" and self.store.exists(change.to):
            raise AlreadyThere(path=change.to)
        if change.before is None:
            if self.store.exists(change.path):
                raise AlreadyThere(path=change.path)
            return ""
        try:
            old = self.store.read(change.path)
        except FileNotThere:
            raise ChangedMeanwhile(path=change.path) from None
        if old.stamp != change.before:
            raise ChangedMeanwhile(path=change.path)
        return old.text

    def _ops_of(
        self, changes: Sequence[Change], olds: dict[str, str], cause: str, undoes: str, seq: int
    ) -> list[Op]:
        blank = Op(
            op="put",
            op_id="",
            group=self.moment.new_id(),
            of=1,
            seq=seq,
            time=self.moment.now,
            writer=self.journal.writer,
            cause=cause,
            memory="",
            path="",
            before=None,
            after=None,
            undoes=undoes,
            by=self.moment.by,
        )
        ops: list[Op] = []
        for change in changes:
            about = blank._replace(memory=change.memory, path=change.path)
            if change.before is not None and self.journal.text_of(change.before) is None:
                # The old text came from a person's editor: the journal keeps it, for undo.
                old = self._clean(change.path, olds[change.path], is_outside=True)
                ops.append(about._replace(cause=OUTSIDE, after=change.before, text=old, undoes=""))
            ops.append(_op_of(change, about))
        return [
            op._replace(op_id=self.moment.new_id(), seq=op.seq + n, of=len(ops))
            for n, op in enumerate(ops)
        ]

    # --------------------------------------------------------------------------------- applying

    def _apply(self, ops: Sequence[Op], olds: dict[str, str]) -> None:
        try:
            for op in about_files(ops):
                self._do(op)
            self.store.settle(paths_of(ops))
        except RecollectError as error:
            self._take_back(ops, olds, error)
            raise
        self._note(ops, applied=True)

    def _apply_each(self, groups: Mapping[int, _Group], refused: list[int]) -> None:
        done: list[Sequence[Op]] = []
        try:
            for n, group in groups.items():
                try:
                    for op in about_files(group.ops):
                        self._do(op)
                    done.append(group.ops)
                except CHANGED:  # just now, by somebody's editor
                    refused.append(n)
            self.store.settle(path for ops in done for path in paths_of(ops))
        except RecollectError as error:
            raise self._later(error) from error
        for ops in done:
            self._note(ops, applied=True)
        if len(done) < len(groups):
            self._recover_locked()

    def _do(self, op: Op) -> None:
        if op.op == "put":
            text = op.text or ""
            if op.before is None:
                self.store.create(op.path, text)
            else:
                self.store.replace(op.path, text, op.before)
        elif op.op == "move":
            self.store.move(op.path, op.to, op.before or "")
        else:
            self.store.remove(op.path, op.before or "")

    def _take_back(self, ops: Sequence[Op], olds: dict[str, str], error: RecollectError) -> None:
        """Undo what a refused group did to the files, so that trying again makes no twin."""
        try:
            for op in reversed(about_files(ops)):
                if self._state(op) == DONE:
                    self._do(_reverse_of(op, olds[op.path]))
            self.journal.take_back()
        except RecollectError:
            raise self._later(error) from error

    def _later(self, error: RecollectError) -> StorageFailed:
        """The sentence about a change that is left to the next command."""
        return StorageFailed(
            path=error.fields.get("path", self.store.root),
            reason=f"{error.fields.get('reason', error)}; the change is in the journal and the next command will finish it",
        )

    def _note(self, ops: Sequence[Op], *, applied: bool) -> None:
        if applied and self.wrote:
            self.wrote(ops)
        # Without the note the next command looks again and finds the same.
        with suppress(RecollectError):
            self.journal.settle(ops[0].group, ops[-1].seq, applied=applied)

    # --------------------------------------------------------------------------------- recovery

    def recover(self) -> tuple[list[Op], list[Problem]]:
        """Finish what a crash left unfinished: `(ops that were redone, what cannot be finished)`.

        Raises:
            Locked, StorageFailed: the store cannot be written.
        """
        pending, offsets = self._unsettled()
        if not pending:
            self._keep_offsets(offsets)
            return [], []
        with self.store.locked():
            return self._recover_locked()

    def _unsettled(self) -> tuple[list[Op], dict[str, int]]:
        """The ops that were begun here and are not settled, and how far the journal is settled."""
        after = self._settled_offsets()
        pending, offsets = self.journal.unsettled(after)
        came = self.came() if pending else {}
        if came:
            for name, size in self.journal.files().items():
                after[name] = max(min(came.get(name, 0), size), after.get(name, 0))
            pending, offsets = self.journal.unsettled(after)
        return pending, offsets

    def _recover_locked(self) -> tuple[list[Op], list[Problem]]:
        pending, offsets = self._unsettled()
        redone: list[Op] = []
        problems: list[Problem] = []
        groups: dict[str, list[Op]] = {}
        for op in pending:
            groups.setdefault(op.group, []).append(op)
        for ops in groups.values():
            try:
                redone += self._finish(ops)
            except RecollectError as error:  # one that cannot be finished stops no other
                problems.append(Problem(ops[0].path, str(error)))
        if pending:
            self.store.touched.clear()  # the next look is to find what was done again
        else:
            self._keep_offsets(offsets)
        return redone, problems

    def _finish(self, ops: Sequence[Op]) -> list[Op]:
        """Bring the files to what a group says, as far as no person's edit came in between."""
        states = {op.op_id: self._state(op) for op in about_files(ops)}
        if LOST in states.values() and DONE not in states.values():
            self._note(ops, applied=False)
            return []
        redone = [op for op in ops if states.get(op.op_id) == OPEN]
        for op in redone:
            self._do(op)
        self.store.settle(paths_of(op for op in ops if states.get(op.op_id) in (OPEN, DONE)))
        self._note(ops, applied=True)
        return redone

    def _state(self, op: Op) -> str:
        """Whether the files carry an op, could carry it still, or say something else by now."""
        try:
            found = self.store.stamp(op.path)
            if op.op == "put":
                if found == op.after:
                    return DONE
            elif found is None and (op.op == "remove" or self.store.stamp(op.to) == op.before):
                return DONE
            taken = op.to if op.op == "move" else op.path if op.before is None else ""
            if found != op.before or (taken and self.store.exists(taken)):
                return LOST
        except OutsideStore:
            return LOST
        return LOST if op.op == "put" and op.text is None else OPEN

    def _settled_offsets(self) -> dict[str, int]:
        try:
            lines = [line.split(" ", 1) for line in self.index.meta("settled").splitlines()]
            return {name: int(offset) for offset, name in lines}
        except ValueError:
            return {}

    def _keep_offsets(self, offsets: dict[str, int]) -> None:
        text = "\n".join(f"{offset} {name}" for name, offset in sorted(offsets.items()))
        if text != self.index.meta("settled"):
            self.index.set_meta({"settled": text})


def about_files(ops: Iterable[Op]) -> list[Op]:
    """The ops that change a file; the others only keep a text for undo."""
    return [op for op in ops if op.cause != OUTSIDE]


def paths_of(ops: Iterable[Op]) -> list[str]:
    """The files that these ops are about."""
    return [path for op in ops for path in (op.path, op.to) if path]


def _reverse_of(op: Op, old: str) -> Op:
    """The op that brings back the file as it was, with its text `old`."""
    if op.op == "move":
        return op._replace(path=op.to, to=op.path)
    if op.op == "put" and op.before is None:
        return op._replace(op="remove", before=op.after)
    return op._replace(op="put", before=op.after, after=op.before, text=old)


def _op_of(change: Change, about: Op) -> Op:
    """The op of a change, where `about` has all that does not depend on its kind."""
    if change.op == "move":
        return about._replace(op="move", before=change.before, after=change.before, to=change.to)
    if change.op == "remove":
        return about._replace(op="remove", before=change.before)
    after = stamp_of_text(change.text)
    return about._replace(before=change.before, after=after, text=change.text)
