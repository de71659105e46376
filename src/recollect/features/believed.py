"""The texts of a project's store that count as this person's.

Touches: files of stamps, outside of the store.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress

from recollect.errors import RecollectError
from recollect.model.memory import Op
from recollect.store import disk
from recollect.store.transactions import OUTSIDE, UNDO


class Believed(set[str]):
    """The stamps of the texts that count as this person's, kept in a file outside of the store.

    What another process adds meanwhile counts, too: a worker must not undo an approval.
    """

    def __init__(self, path: str) -> None:
        """With what the file has; without a path nothing is kept."""
        self._path = path
        self._size = 0
        self._renew()

    def __contains__(self, stamp: object) -> bool:
        """Whether a text is believed now."""
        return super().__contains__(stamp) or (self._renew() and super().__contains__(stamp))

    def _renew(self) -> bool:
        """Take in what was added to the file; False if it is as it was."""
        with suppress(OSError, RecollectError):
            size = os.stat(self._path).st_size if self._path else 0
            if size != self._size:
                self._size = size
                self.update(disk.read_file(self._path).decode("ascii", "replace").split())
                return True
        return False

    def take(self, stamps: Iterable[str]) -> None:
        """Believe these texts too."""
        new = sorted(set(stamps) - self - {""})
        if new and self._path:
            disk.make_folder(os.path.dirname(self._path))
            disk.append_bytes(self._path, "".join(f"{one}\n" for one in new).encode())
        self.update(new)

    def wrote(self, ops: Iterable[Op]) -> None:
        """Believe what was written here, unless something that is not believed went into it.

        What is brought back from the journal stays as it was: the journal may have come along.
        """
        found: set[str] = set()
        for op in (op for op in ops if op.cause not in (OUTSIDE, UNDO)):
            if op.before is not None and op.before not in self and op.before not in found:
                return
            found.add(op.after or "")
        with suppress(RecollectError):  # then a person approves it
            self.take(found)
