"""A store in memory with everything around it, opened again and again as commands do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count

from tests.fakes import MemoryIndex, MemoryJournal, MemoryStore, Pages

from recollect.errors import StorageFailed
from recollect.store.store import OpenStore
from recollect.store.transactions import Clock, Ledger
from recollect.text.redact import redact

NOW = "2026-01-11T14:30:00Z"


class Crash(BaseException):
    """The process ends here."""


def full_disk(step: str, path: str) -> None:
    """What a full disk says."""
    raise StorageFailed(path=path or "journal", reason="No space left on device")


def crash(step: str, path: str) -> None:
    """What a kill says."""
    raise Crash


class House:
    """Files, journal and index that outlive the commands that work on them."""

    def __init__(self) -> None:
        self.steps: list[tuple[str, str]] = []
        self.trouble: Callable[[str, str], None] = lambda step, path: None
        self.trouble_at: range = range(0)
        self.files = MemoryStore(self._before)
        self.pages = Pages()
        self.index = MemoryIndex()
        self._ids: dict[str, Iterator[int]] = {}  # of each writer

    def _before(self, step: str, path: str) -> None:
        self.steps.append((step, path))
        if len(self.steps) in self.trouble_at:
            self.trouble(step, path)

    def expect(self, trouble: Callable[[str, str], None], steps: range) -> None:
        """Let these steps from now on (the first is 1) run into trouble."""
        self.steps.clear()
        self.trouble, self.trouble_at = trouble, steps

    def open(self, writer: str = "ops-one", *, scope: str = "project") -> OpenStore:
        """The store as a command opens it."""
        store = self.unfreshened(writer, scope=scope)
        store.freshen()
        return store

    def unfreshened(self, writer: str = "ops-one", *, scope: str = "project") -> OpenStore:
        journal = MemoryJournal(writer, self.pages, self._before)
        ids = self._ids.setdefault(writer, count(1))
        moment = Clock(NOW, lambda: f"{next(ids):011x}-{writer}")
        ledger = Ledger(self.files, journal, self.index, moment, redact)
        store = OpenStore(self.files, journal, self.index, ledger, scope)
        store.now = NOW
        return store

    def texts(self) -> dict[str, str]:
        """The text of every file."""
        return {path: file.data.decode() for path, file in sorted(self.files.files.items())}

    def write(self, path: str, text: str) -> None:
        """What a person's editor does."""
        self.files.edit_outside(path, text.encode())
