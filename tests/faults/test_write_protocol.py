"""The write protocol in every order: two writers with a reader or a rebuild, and a kill before any step.

The index is what two writers' changes are folded into; a rebuild folds all of them again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, cast

import pytest
from tests.services.house import House

from recollect.capture import save_memory as save
from recollect.capture.save_memory import Draft
from recollect.errors import ChangedMeanwhile
from recollect.features import memories as writing
from recollect.ports import IndexedFile, IndexRow
from recollect.search.index import SqliteIndex
from recollect.store.files import MarkdownStore
from recollect.store.history import history
from recollect.store.journal import FolderJournal
from recollect.store.store import OpenStore

from .turns import Body, Choose, Lock, Turn, every_order, run_together

PATH = "semantic/one.md"


class Scene:
    """A store with one memory, opened by several processes at once."""

    def __init__(self) -> None:
        self.house = House()
        save.save(self.house.open(), Draft("One", "Start.", kind="fact"))
        self.lock, self.index_lock = Lock(), Lock()
        self.now: Turn | None = None
        self.steps: tuple[str, ...] = ()  # those that are told apart; all of them if none is named
        self.acknowledged: list[str] = []
        self.refused: list[str] = []
        self.house.files._before = self._before
        self.house.files.locked = self._locked  # type: ignore[method-assign]
        self.house._before = self._before  # type: ignore[method-assign]

    def _before(self, step: str, path: str) -> None:
        if self.now and (not self.steps or step in self.steps):
            turn = self.now
            turn.pause()
            self.now = turn

    @contextmanager
    def _locked(self) -> Iterator[None]:
        turn = self.now
        if turn is None:
            yield
            return
        with self.lock.held_by(turn):
            self.now = turn
            yield

    def opened(self, writer: str, turn: Turn) -> OpenStore:
        """The store as a process opens it; what it asks the journal and keeps are steps as well."""
        self.now = turn
        store = self.house.unfreshened(writer)
        store.journal.unsettled = self._paused(store.journal.unsettled)  # type: ignore[method-assign]
        store.ledger._keep_offsets = self._paused(store.ledger._keep_offsets)  # type: ignore[method-assign]
        return watched(store, turn)

    def _paused(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            self._before("read", "")
            return real(*args)

        return call

    def writer(self, name: str) -> Body:
        def body(turn: Turn) -> None:
            self.edit(self.opened(f"ops-{name}", turn), name)

        return body

    def folding(self, name: str) -> Body:
        """A writer of whom the steps in the index are told apart, and not those in the journal."""

        def body(turn: Turn) -> None:
            self.now = turn
            store = self.house.unfreshened(f"ops-{name}")
            store.index = cast("SqliteIndex", _Index(self, turn))
            self.edit(watched(store, turn), name)

        return body

    def edit(self, store: OpenStore, name: str) -> None:
        try:
            writing.edit(store, "one", append=f"By {name}.")
        except ChangedMeanwhile:
            self.refused.append(name)
        else:
            self.acknowledged.append(name)

    def rebuilder(self, turn: Turn) -> None:
        self.now = turn
        store = self.house.unfreshened("ops-rebuild")
        store.index = cast("SqliteIndex", _Index(self, turn))
        store.index.wipe()
        watched(store, turn).freshen()

    def reader(self, turn: Turn) -> None:
        store = self.opened("ops-reader", turn)
        store.freshen()
        text = store.files.read(PATH).text
        assert text.count("Start.") == 1
        assert text.endswith("\n")

    def state(self) -> Hashable:
        """What is on the disk, who holds a lock, and what was said to whom."""
        house = self.house
        disk = (
            repr(sorted(house.files.files.items())),
            repr(house.pages.lines),
            repr(sorted(house.index._files.items())),
            repr(sorted(house.index._meta.items())),
        )
        said = (frozenset(self.acknowledged), frozenset(self.refused))
        return *disk, self.lock.taken, self.index_lock.taken, said

    # ------------------------------------------------------------------------------- afterwards

    def check(self, turns: list[Turn]) -> None:
        self.now = None
        assert [turn.error for turn in turns if turn.error] == []
        store = self.house.open("ops-after")
        text = store.files.read(PATH).text
        for name in ("a", "b"):
            times = text.count(f"By {name}.")
            assert times == 1 if name in self.acknowledged else times <= 1
            assert times == 0 or name not in self.refused
        assert store.journal.unsettled({})[0] == []
        entry = store.index.entry("one")
        assert entry
        assert entry.stamp == store.files.stamp(PATH)
        said = [past for past in history(store) if past.cause == "edit"]
        assert len(said) == text.count("By ")
        writing.edit(store, "one", append="Afterwards.")
        assert "Afterwards." in store.files.read(PATH).text


def watched(store: OpenStore, turn: Turn) -> OpenStore:
    """The store, whose process is told what files, journal and index answer to it."""
    ledger: Any = store.ledger
    ledger.index = _Watched(ledger.index, turn)
    store.index = cast("SqliteIndex", _Watched(store.index, turn))
    store.files = ledger.store = cast("MarkdownStore", _Watched(store.files, turn))
    store.journal = ledger.journal = cast("FolderJournal", _Watched(store.journal, turn))
    return store


class _Watched:
    """A port as one process has it: all that it learns comes from here."""

    def __init__(self, real: Any, turn: Turn) -> None:
        self._real, self._turn = real, turn

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._real, name)
        if name == "locked" or not callable(found):
            return found

        def call(*args: Any, **keys: Any) -> Any:
            try:
                answer = found(*args, **keys)
            except Exception as error:
                self._turn.told((name, repr(error)))
                raise
            if isinstance(answer, Iterator):
                answer = list(answer)
            self._turn.told((name, repr(answer)))
            return answer

        return call


class _Index:
    """The index as one process has it: only one writes, and a new one takes its place at one stroke."""

    def __init__(self, scene: Scene, turn: Turn) -> None:
        self._scene, self._turn, self._real = scene, turn, scene.house.index
        self._anew = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def wipe(self) -> None:
        self._anew = True

    def known(self) -> dict[str, IndexedFile]:
        self._scene._before("index", "")
        return {} if self._anew else self._real.known()

    def apply(self, rows: Iterable[IndexRow], gone: Iterable[str], checked_ns: int) -> int:
        with self._scene.index_lock.held_by(self._turn):
            self._scene.now = self._turn
            read = list(rows)
            self._scene._before("index", "")
            if self._anew:
                self._real.wipe()
                self._anew = False
            return self._real.apply(read, gone, checked_ns)


def explore(kills: int, *more: str) -> int:
    def play(choose: Choose) -> None:
        scene = Scene()
        writer = scene.writer
        if "rebuilder" in more:
            writer, scene.steps = scene.folding, ("replace", "index")
        bodies = [writer("a"), writer("b"), *(getattr(scene, name) for name in more)]
        scene.check(run_together(bodies, choose, kills, scene.state))

    return sum(1 for _ in every_order(play))


def test_two_writers_in_every_order_with_a_kill_anywhere_lose_nothing() -> None:
    assert explore(1) > 50


@pytest.mark.slow
def test_two_writers_and_a_reader_in_every_order_with_a_kill_anywhere_lose_nothing() -> None:
    assert explore(1, "reader") > 1000


@pytest.mark.slow
def test_two_writers_and_a_rebuild_in_every_order_lose_nothing() -> None:
    assert explore(0, "rebuilder") > 500
