"""Ledger: the one way in which anything in a store is changed.

Promises: a change is in the journal, on disk, before a file is touched; it is acknowledged when
the files carry it; after a crash the next command finishes what was begun; what a person wrote
meanwhile wins; several changes of one group hold together or not at all.
Touches: the ports it is given.

Write order: lock → compare stamps → journal (fdatasync) → files (temp, fsync, rename) → folders
(fsync) → `done` in the journal. Texts are redacted before anything of this.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from recollect.domain.model import Change, Op
from recollect.errors import AlreadyThere, ChangedMeanwhile, RecollectError
from recollect.fsio import stamp_of
from recollect.ports import Index, Journal, Store


class Moment(NamedTuple):
    """What comes from outside the rules: the time, and ids that nobody had before."""

    now: str
    new_id: Callable[[], str]


class Ledger:
    """The write protocol over one store."""

    def __init__(
        self,
        store: Store,
        journal: Journal,
        index: Index,
        moment: Moment,
        redact: Callable[[str], str],
    ) -> None:
        """`redact` is applied to every text that is to be written."""
        self.store, self.journal, self.index = store, journal, index
        self.moment, self._redact = moment, redact

    # --------------------------------------------------------------------------------- changing

    def commit(
        self, plan: Callable[[], Sequence[Change]], *, cause: str, undoes: str = ""
    ) -> list[Op]:
        """Carry out the changes that `plan` gives; it is called with the store locked.

        Raises:
            ChangedMeanwhile, AlreadyThere: a file is not as the plan saw it; nothing was written.
            StorageFailed: the disk refused.
        """
        with self.store.locked():
            self._recover_locked()
            changes = [self._redacted(change) for change in plan()]
            if not changes:
                return []
            for change in changes:
                self._check(change)
            ops = self._ops_of(changes, cause, undoes)
            self.journal.append(ops)
            self._apply(ops)
            return ops

    def _redacted(self, change: Change) -> Change:
        if change.op != "put":
            return change
        return Change("put", change.path, change.memory, change.before, self._redact(change.text))

    def _check(self, change: Change) -> None:
        found = self.store.stamp(change.path)
        if change.before is None and self.store.exists(change.path):
            raise AlreadyThere(path=change.path)
        if found != change.before:
            raise ChangedMeanwhile(path=change.path)
        if change.op == "move" and self.store.exists(change.to):
            raise AlreadyThere(path=change.to)

    def _ops_of(self, changes: Sequence[Change], cause: str, undoes: str) -> list[Op]:
        blank = Op(
            op="put",
            op_id="",
            group=self.moment.new_id(),
            of=1,
            seq=self.journal.next_seq(),
            time=self.moment.now,
            writer=self.journal.writer,
            cause=cause,
            memory="",
            path="",
            before=None,
            after=None,
            undoes=undoes,
        )
        ops: list[Op] = []
        for change in changes:
            about = replace(blank, memory=change.memory, path=change.path)
            if change.before is not None and not self.journal.has_text(change.before):
                # The old text came from a person's editor: the journal keeps it, for undo.
                old = self._redact(self.store.read(change.path).text)
                ops.append(
                    replace(about, cause="outside", after=change.before, text=old, undoes="")
                )
            ops.append(_op_of(change, about))
        return [
            replace(op, op_id=self.moment.new_id(), seq=op.seq + n, of=len(ops))
            for n, op in enumerate(ops)
        ]

    def _apply(self, ops: Sequence[Op]) -> None:
        applied = 0
        try:
            for op in ops:
                if op.cause != "outside":
                    self._do(op)
                    applied += 1
            self.store.settle(path for op in ops for path in (op.path, op.to) if path)
        except RecollectError:
            if applied == 0:
                # Nothing of it is in the files: take it back, so that a second try is no twin.
                self.journal.settle(ops[0].group, ops[-1].seq, applied=False)
            raise
        self.journal.settle(ops[0].group, ops[-1].seq, applied=True)

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

    # --------------------------------------------------------------------------------- recovery

    def recover(self) -> list[Op]:
        """Finish what a crash left unfinished; gives the ops that were done again."""
        pending, offsets = self.journal.unsettled(self._settled_offsets())
        if not pending:
            self._keep_offsets(offsets)
            return []
        with self.store.locked():
            return self._recover_locked()

    def _recover_locked(self) -> list[Op]:
        pending, offsets = self.journal.unsettled(self._settled_offsets())
        if not pending:
            self._keep_offsets(offsets)
            return []
        redone: list[Op] = []
        groups: dict[str, list[Op]] = {}
        for op in pending:
            groups.setdefault(op.group, []).append(op)
        for group, ops in groups.items():
            states = {op.op_id: self._redo(op) for op in ops if op.cause != "outside"}
            redone += [op for op in ops if states.get(op.op_id) == "redone"]
            self.store.settle(path for op in ops for path in (op.path, op.to) if path)
            holds = any(state != "lost" for state in states.values())
            self.journal.settle(group, ops[-1].seq, applied=holds)
        return redone

    def _redo(self, op: Op) -> str:
        """Carry out an op again if the files show that it was not.

        Gives `there` if they carry it, `redone` if they do now, `lost` if a person's edit came
        in between and wins.
        """
        found = self.store.stamp(op.path)
        if op.op == "put" and found == op.after:
            return "there"
        if op.op == "move" and found is None and self.store.stamp(op.to) == op.before:
            return "there"
        if op.op == "remove" and found is None:
            return "there"
        in_the_way = (op.op == "move" and self.store.exists(op.to)) or (
            op.before is None and self.store.exists(op.path)
        )
        if found != op.before or in_the_way:
            return "lost"
        self._do(op)
        return "redone"

    def _settled_offsets(self) -> dict[str, int]:
        try:
            found = json.loads(self.index.meta("settled") or "{}")
        except ValueError:
            return {}
        return {str(k): int(v) for k, v in found.items()} if isinstance(found, dict) else {}

    def _keep_offsets(self, offsets: dict[str, int]) -> None:
        text = json.dumps(offsets, sort_keys=True)
        if text != self.index.meta("settled"):
            self.index.set_meta({"settled": text})


def _op_of(change: Change, about: Op) -> Op:
    """The op of a change, where `about` has all that does not depend on its kind."""
    if change.op == "move":
        return replace(about, op="move", before=change.before, after=change.before, to=change.to)
    if change.op == "remove":
        return replace(about, op="remove", before=change.before)
    after = stamp_of(change.text.encode("utf-8", "surrogateescape"))
    return replace(about, before=change.before, after=after, text=change.text)
