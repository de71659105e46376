"""Refresh: the index follows the files, whatever was done to them (the disk is another test's)."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest
from tests.fakes import MemoryIndex, MemoryStore

from recollect.errors import FileNotThere, Locked, StorageFailed
from recollect.model.memory import TICK_NS, Document, FileStat, Filter
from recollect.ops import repair
from recollect.ports import IndexRow
from recollect.search.index import SqliteIndex
from recollect.store.refresh import refresh, refresh_files

from .house import House

LATER = 10 * TICK_NS


class CountingStore(MemoryStore):
    """A store that tells which files were read."""

    def __init__(self) -> None:
        super().__init__()
        self.read_paths: list[str] = []

    def read(self, path: str) -> Document:
        self.read_paths.append(path)
        return super().read(path)


class CountingIndex(MemoryIndex):
    """An index that tells how many files were filed at last, and how many were taken out."""

    def __init__(self) -> None:
        super().__init__()
        self.filed = 0, 0

    def apply(self, rows: Iterable[IndexRow], gone: Iterable[str], checked_ns: int) -> int:
        left = list(gone)
        self.filed = super().apply(rows, left, checked_ns), len(left)
        return self.filed[0]


def filed_by_refresh(store: MemoryStore, index: CountingIndex, now_ns: int) -> tuple[int, int]:
    """How many files a refresh files, and how many it takes out."""
    index.filed = 0, 0
    refresh(store, index, now_ns)
    return index.filed


@pytest.fixture
def store() -> CountingStore:
    store = CountingStore()
    for name in ("a", "b"):
        store.edit_outside(f"semantic/{name}.md", f"# {name}\n\nThe {name}nimal.\n".encode())
    return store


@pytest.fixture
def index() -> CountingIndex:
    return CountingIndex()


def ids(index: SqliteIndex) -> list[str]:
    return sorted(entry.id for entry in index.entries(Filter()))


def test_what_is_new_changed_and_gone_is_taken_in(
    store: CountingStore, index: CountingIndex
) -> None:
    assert filed_by_refresh(store, index, 1) == (2, 0)
    store.edit_outside("semantic/a.md", b"# A changed\n")
    store.edit_outside("semantic/c.md", b"# C\n")
    store.remove_outside("semantic/b.md")
    assert filed_by_refresh(store, index, 2) == (2, 1)
    assert ids(index) == ["a", "c"]
    entry = index.entry("a")
    assert entry is not None
    assert entry.title == "A changed"


def test_a_file_that_looks_as_it_did_is_not_read_again(
    store: CountingStore, index: CountingIndex
) -> None:
    refresh(store, index, LATER)
    store.read_paths.clear()
    assert filed_by_refresh(store, index, LATER + 1) == (0, 0)
    assert store.read_paths == []


def test_a_file_that_was_changed_just_now_is_read_again_for_it_may_change_within_the_tick(
    store: CountingStore, index: CountingIndex
) -> None:
    refresh(store, index, 5)
    data = b"# x\n\nThe xnimal.\n"
    store.files["semantic/a.md"] = store.files["semantic/a.md"]._replace(data=data)
    assert filed_by_refresh(store, index, 6) == (1, 0)
    store.read_paths.clear()
    assert filed_by_refresh(store, index, LATER) == (0, 0)
    assert store.read_paths == ["semantic/a.md", "semantic/b.md"]
    store.read_paths.clear()
    refresh(store, index, LATER + 1)
    assert store.read_paths == []


def test_a_clock_that_was_put_back_makes_files_be_read_and_not_be_missed(
    store: CountingStore, index: CountingIndex
) -> None:
    refresh(store, index, -LATER)
    store.edit_outside("semantic/a.md", b"# Changed\n")
    assert filed_by_refresh(store, index, -2 * LATER) == (1, 0)


def test_a_moved_file_keeps_its_id(store: CountingStore, index: CountingIndex) -> None:
    store.edit_outside("semantic/c.md", b"---\nid: steady\n---\n")
    refresh(store, index, 1)
    store.files["reference/d.md"] = store.files.pop("semantic/c.md")
    refresh(store, index, 2)
    entry = index.entry("steady")
    assert entry is not None
    assert entry.path == "reference/d.md"


def test_a_half_written_front_matter_is_a_problem_and_its_text_is_found(
    store: CountingStore, index: CountingIndex
) -> None:
    store.edit_outside("semantic/half.md", b"---\ntitle: Half\ntags: [a, b\n\n# The ostrich\n")
    refresh(store, index, 1)
    entry = index.entry("half")
    assert entry is not None
    assert "front matter" in entry.problem
    assert [one.id for one in index.search(["ostrich"], only=Filter(), limit=3)] == ["half"]


def test_a_file_that_goes_while_it_is_read_is_missed_by_the_next_refresh(
    store: CountingStore, index: CountingIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    refresh(store, index, 1)

    def gone(path: str) -> Document:
        store.files.pop(path, None)
        raise FileNotThere(path=path, reason="no such file or folder")

    monkeypatch.setattr(store, "read", gone)
    store.edit_outside("semantic/a.md", b"# Changed\n")
    refresh(store, index, 2)
    monkeypatch.undo()
    refresh(store, index, 3)
    assert ids(index) == []


def test_a_file_that_cannot_be_read_is_a_problem_and_stops_nothing(
    store: CountingStore, index: CountingIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = store.read

    def refuse(path: str) -> Document:
        if path == "semantic/a.md":
            raise StorageFailed(path=path, reason="Input/output error")
        return whole(path)

    monkeypatch.setattr(store, "read", refuse)
    found = refresh(store, index, 1)
    assert [problem.path for problem in found] == ["semantic/a.md"]
    assert ids(index) == ["b"]
    monkeypatch.undo()
    refresh(store, index, 2)
    assert ids(index) == ["a", "b"]


def test_a_change_of_looks_alone_is_noted_without_filing_it_again(
    store: CountingStore, index: CountingIndex
) -> None:
    refresh(store, index, LATER)
    store.edit_outside("semantic/a.md", store.files["semantic/a.md"].data)
    assert filed_by_refresh(store, index, LATER) == (0, 0)
    tick = store.files["semantic/a.md"].tick
    assert FileStat(*index.known()["semantic/a.md"][:5]) == FileStat(
        "semantic/a.md", len(store.files["semantic/a.md"].data), tick, tick, tick
    )


def test_progress_is_told_for_every_hundred_files(
    store: CountingStore, index: CountingIndex
) -> None:
    for n in range(350):
        store.edit_outside(f"semantic/m{n}.md", b"# M\n")
    told: list[int] = []
    refresh(store, index, 1, told.append)
    assert told == [100, 200, 300]


# ----------------------------------------------------------------------------------- beside others


class Listed(CountingStore):
    """A store in which somebody does something once it was listed."""

    do: Callable[[], None] | None = None

    def scan(self) -> Iterator[FileStat]:
        found = list(super().scan())
        if self.do:
            self.do()
        return iter(found)


class Awaited(CountingIndex):
    """An index that somebody else writes into before we get hold of it."""

    do: Callable[[], None] | None = None

    def apply(self, rows: Iterable[IndexRow], gone: Iterable[str], checked_ns: int) -> int:
        do, self.do = self.do, None
        if do:
            do()
        return super().apply(rows, gone, checked_ns)


def test_what_is_saved_while_an_index_begins_anew_is_in_it(tmp_path: Path) -> None:
    """Who saves files it at once, or waits until the index is there and files it then."""
    store = Listed()
    store.edit_outside("semantic/a.md", b"# A\n")
    index, other = (SqliteIndex(str(tmp_path / "cache")) for _ in range(2))
    other.connection.execute("PRAGMA busy_timeout = 0")
    refresh(store, index, 1)
    has_to_wait = []

    def save() -> None:
        store.edit_outside("semantic/late.md", b"# Late\n")
        try:
            refresh_files(store, other, 1, ["semantic/late.md"])
        except Locked:
            has_to_wait.append("semantic/late.md")

    store.do = save
    index.wipe()
    refresh(store, index, 2)
    refresh_files(store, other, 2, has_to_wait)
    assert ids(other) == ["a", "late"]
    for one in (index, other):
        one.close()


@pytest.mark.parametrize(("code", "is_sound"), [(sqlite3.SQLITE_BUSY, True), (sqlite3.SQLITE_CORRUPT, False)])  # fmt: skip
def test_a_wiped_index_answers_until_it_is_filled_again_unless_it_is_damaged(
    code: int, is_sound: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Listed()
    store.edit_outside("semantic/a.md", b"# A\n")
    index = SqliteIndex(str(tmp_path / "cache"))
    refresh(store, index, 1)

    def fails(_db: object) -> Iterator[str]:
        error = sqlite3.OperationalError("database is locked")
        error.sqlite_errorcode = code
        raise error

    monkeypatch.setattr("recollect.search.index_file.broken_pages", fails)
    index.wipe()
    reader = SqliteIndex(str(tmp_path / "cache"))
    assert ids(reader) == (["a"] if is_sound else [])
    refresh(store, index, 2)
    assert ids(reader) == ["a"]
    for one in (index, reader):
        one.close()


@pytest.mark.parametrize("is_whole", [True, False], ids=["a refresh", "filing that it is gone"])
def test_what_somebody_brings_back_while_we_wait_for_the_index_is_not_taken_for_gone(
    store: CountingStore, *, is_whole: bool
) -> None:
    index = Awaited()
    refresh(store, index, 1)
    store.remove_outside("semantic/a.md")

    def bring_back() -> None:
        store.edit_outside("semantic/a.md", b"# A is back\n")
        refresh_files(store, index, 2, ["semantic/a.md"])

    index.do = bring_back
    if is_whole:
        assert filed_by_refresh(store, index, 2) == (0, 0)
    else:
        refresh_files(store, index, 2, ["semantic/a.md"])
    assert ids(index) == ["a", "b"]


def test_what_somebody_saves_while_doctor_compares_is_not_unlike_its_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    house = House()
    house.write("semantic/a.md", "# A\n")
    store = house.open()
    assert repair.unlike_files(store) == []
    known = house.index.known()["semantic/a.md"]
    house.index._files["semantic/a.md"] = house.index._files["semantic/a.md"]._replace(
        known=known._replace(stamp="another", checked_ns=LATER)
    )
    scan, saved = store.files.scan, list[str]()

    def listed() -> Iterator[FileStat]:
        found = list(scan())
        if not saved:
            saved.append("late")
            house.write("semantic/late.md", "# Late\n")
            house.open()
        return iter(found)

    monkeypatch.setattr(store.files, "scan", listed)
    assert repair.unlike_files(store) == ["semantic/a.md"]
    assert saved
