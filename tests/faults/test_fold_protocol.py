"""Hooks that append while the worker folds their file, in every order, with a kill before any step.

The real functions on real files: each call of the operating system that others can notice is a step.
"""

from __future__ import annotations

import os
import shutil
import stat
import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Self

import pytest

from recollect.store import locations
from recollect.store.journal import FolderJournal

from .turns import Body, Choose, Turn, every_order, run_together

WRITER = "claude-s1"
NAME = f"{WRITER}.jsonl"
# A file is opened and read in one step, for only more lines can come in between. Nobody is told
# how long a file was: a hook asks only whether its last line is whole, and every line is.
STEPS = ("open", "write", "stat", "rename", "unlink")
PLACES = (
    "recollect.store.locations.os",
    "recollect.store.disk.os",
    "recollect.store.journal.os",
)


def line(op: str, name: str) -> bytes:
    raw = f'{{"op":"{op}","op_id":"{name}","time":"2026-01-11T14:30:00Z"}}'.encode()
    return locations.with_checksum(raw)


class Calls:
    """The module `os` as processes that take turns have it."""

    def __init__(self) -> None:
        self.turns: dict[int, tuple[int, Turn]] = {}  # with a number, by the thread
        self.handles: dict[int, tuple[int, str]] = {}  # whose each open one is, and its name
        self.tries: dict[Turn, int] = {}  # of hooks: what came of one is not known to the next
        self.is_step: Callable[[int, str, str], bool] = lambda who, name, path: name in STEPS

    def __getattr__(self, name: str) -> Any:
        real = getattr(os, name)
        if name not in (*STEPS, "close", "read", "scandir"):
            return real

        def call(*args: Any, **keys: Any) -> Any:
            if threading.get_ident() not in self.turns:
                return real(*args, **keys)
            who, turn = self.turns[threading.get_ident()]
            path = self.handles[args[0]][1] if args[0] in self.handles else str(args[0])
            if self.is_step(who, name, path):
                turn.pause()
            return self._made(who, turn, partial(real, **keys), (name, *args))

        return call

    def _made(self, who: int, turn: Turn, real: Callable[..., Any], what: tuple[Any, ...]) -> Any:
        name, *args = what
        try:
            done = real(*args)
        except OSError as error:
            turn.told((name, error.errno))
            raise
        if name == "open":
            self.handles[done] = who, str(args[0])
            if turn in self.tries:
                self.tries[turn] += 1
                turn.begins(self.tries[turn])
        elif name == "close":
            self.handles.pop(args[0], None)
        elif name == "scandir":
            with done:
                names = list(done)
            turn.told(tuple(sorted(one.name for one in names)))
            return _Listed(names)
        elif name == "stat":
            # No number means anything: only whether it is that of a file that the process has open.
            mine = [handle for handle, (whose, _) in self.handles.items() if whose == who]
            turn.told((name, done.st_ino in [os.fstat(handle).st_ino for handle in mine]))
        else:
            turn.told((name, done))
        return done

    @contextmanager
    def made_by(self, who: int, turn: Turn) -> Iterator[None]:
        """What this thread calls in the block is a step of this process."""
        self.turns[threading.get_ident()] = who, turn
        try:
            yield
        finally:
            del self.turns[threading.get_ident()]

    def open_files(self) -> Iterator[tuple[int, int, bytes]]:
        """Whose each open file is, which it is, and what it says."""
        for handle, (who, _) in self.handles.items():
            info = os.fstat(handle)
            if stat.S_ISREG(info.st_mode):
                yield who, info.st_ino, os.pread(handle, 1 << 20, 0)


class _Listed(list[Any]):
    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """There is nothing to let go."""


def _bytes_of(path: str) -> bytes:
    handle = os.open(path, os.O_RDONLY)
    try:
        return os.pread(handle, 1 << 20, 0)
    finally:
        os.close(handle)


class Scene:
    """The file of one session, of which two lines were heard long ago."""

    def __init__(self, root: Path, calls: Calls) -> None:
        self.root, self.folder, self.calls = root, root / "journal", calls
        shutil.rmtree(root, ignore_errors=True)
        self.folder.mkdir(parents=True)
        (self.folder / NAME).write_bytes(line("signal", "old") + line("inject", "told"))
        self.journal = FolderJournal(str(root), "ops-here-2026-01")
        self.end = (self.folder / NAME).stat().st_size
        self.bodies = 0
        calls.tries.clear()
        self.acknowledged: set[str] = {"told"}
        self.heard: set[str] = {"old"}

    def body(self, act: Body) -> Body:
        self.bodies += 1
        number = self.bodies

        def run(turn: Turn) -> None:
            with self.calls.made_by(number, turn):
                act(turn)

        return run

    def hook(self, op: str, name: str) -> Body:
        def act(turn: Turn) -> None:
            self.calls.tries[turn] = 0
            locations.append(str(self.root), str(self.folder / NAME), line(op, name))
            self.acknowledged.add(name)

        return self.body(act)

    def worker(self, times: int) -> Body:
        """Listen, and fold what was heard, so many times."""

        def act(turn: Turn) -> None:
            for time in range(times):
                turn.begins(time)
                for found in self.journal.lines(NAME, self.end):
                    self.end = found.end
                    self.heard |= {found.data["op_id"]}
                end, self.end = self.end, 0
                self.journal.fold({NAME: end})

        return self.body(act)

    def folding(self) -> Body:
        """Fold what was heard long ago: whatever hooks append now is to be heard later."""

        def act(turn: Turn) -> None:
            self.journal.fold({NAME: self.end})

        return self.body(act)

    def reader(self) -> Body:
        def act(turn: Turn) -> None:
            before = set(self.acknowledged)
            seen = [found["op_id"] for found in self.journal.hot("inject")]
            assert sorted(set(seen)) == sorted(seen)
            assert before & {"told", "a"} <= set(seen)

        return self.body(act)

    def state(self) -> Hashable:
        """What is on the disk, and what was said."""
        with os.scandir(self.folder) as found:
            names = {one.inode(): one.name for one in found}
        disk = frozenset((name, _bytes_of(f"{self.folder}/{name}")) for name in names.values())
        open_ones = self.calls.open_files()
        handles = sorted((who, names.get(inode, ""), text) for who, inode, text in open_ones)
        said = (frozenset(self.acknowledged), frozenset(self.heard), self.end)
        return disk, tuple(handles), said

    def check(self, turns: list[Turn]) -> None:
        assert [turn.error for turn in turns if turn.error] == []
        self.journal.fold({})  # the next pass ends what was begun
        names = sorted(os.listdir(self.folder))
        assert set(names) <= {NAME, "folded-here-2026-01.jsonl"}
        told = [found["op_id"] for found in self.journal.hot("inject")]
        assert sorted(set(told)) == sorted(told)
        assert self.acknowledged & {"told", "a"} <= set(told) <= {"told", "a"}
        later = {found.data["op_id"] for found in self.journal.lines(NAME)}
        assert self.acknowledged & {"b", "c"} <= self.heard | later
        signals = [found["op_id"] for found in self.journal.hot("signal")]
        assert sorted(set(signals)) == sorted(signals)
        assert signals


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    calls = Calls()
    for name in PLACES:
        monkeypatch.setattr(name, calls)
    return calls


def explore(calls: Calls, folder: Path, who: Callable[[Scene], list[Body]], kills: int) -> int:
    def play(choose: Choose) -> None:
        scene = Scene(folder / "store", calls)
        scene.check(run_together(who(scene), choose, kills, scene.state))

    return sum(1 for _ in every_order(play))


@pytest.mark.slow
def test_a_hook_and_the_worker_in_every_order_lose_nothing(
    calls: Calls, quick_folder: Path
) -> None:
    assert explore(calls, quick_folder, lambda s: [s.hook("signal", "b"), s.worker(1)], 0) > 30


@pytest.mark.slow
def test_a_hook_and_the_worker_that_folds_twice_with_a_kill_anywhere_lose_nothing(
    calls: Calls, quick_folder: Path
) -> None:
    assert explore(calls, quick_folder, lambda s: [s.hook("signal", "b"), s.worker(2)], 1) > 1000


@pytest.mark.slow
def test_two_hooks_and_a_folder_in_every_order_lose_nothing(
    calls: Calls, quick_folder: Path
) -> None:
    # Only one process has anything to do with the file of the month.
    calls.is_step = lambda who, name, path: name in STEPS and NAME in path

    def all_three(scene: Scene) -> list[Body]:
        return [scene.hook("inject", "a"), scene.hook("signal", "b"), scene.folding()]

    assert explore(calls, quick_folder, all_three, 0) > 1000


@pytest.mark.slow
def test_who_reads_while_files_are_folded_sees_every_line_once(
    calls: Calls, quick_folder: Path
) -> None:
    # To list the folder is a step for the reader: the folder knows what it will find.
    calls.is_step = lambda who, name, path: name in STEPS or (name == "scandir" and who == 2)

    def both(scene: Scene) -> list[Body]:
        locations.append(str(scene.root), f"{scene.folder}/{NAME}", line("inject", "a"))
        scene.acknowledged.add("a")  # and not heard of yet
        return [scene.folding(), scene.reader()]

    assert explore(calls, quick_folder, both, 1) > 300
