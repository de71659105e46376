"""A damaged, missing or foreign index: the next command answers as before, or says why not."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.services.project import Project

from recollect.errors import Locked
from recollect.model.memory import Filter
from recollect.search import lookup
from recollect.search.index import SqliteIndex
from recollect.search.search import search
from recollect.store.store import OpenStore

from .index import STORE

QUERIES = ("postgres", "sqlite busy", "连接", "walrus", "zebra", "use callback", "okapi")


def answers(store: OpenStore) -> object:
    """What a person would be shown."""
    found = [search([store], query, Filter(), limit=20) for query in QUERIES]
    return (
        [[(hit.candidate.name, hit.snippet, hit.path) for hit in hits] for hits in found],
        store.index.entries(Filter()),
        store.index.entries(Filter(archived=True)),
    )


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = Project(tmp_path)
    for path, text in STORE.items():
        project.write(path, text)
    return project


@pytest.fixture
def index(project: Project) -> Path:
    """The index file, filled and closed."""
    with project.opened():
        pass
    return project.cache / "index.db"


def deleted(path: Path) -> None:
    path.unlink()


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def halved(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def cut_by_a_page(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 4096)


def cut_by_a_byte(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 1)


def garbage(path: Path) -> None:
    path.write_bytes(os.urandom(40_000))


def prose(path: Path) -> None:
    path.write_text("This is not a database.\n" * 200)


def sparse(path: Path) -> None:
    path.write_bytes(b"")
    os.truncate(path, 2 << 30)


def zeroed_after_the_header(path: Path) -> None:
    size = path.stat().st_size
    os.truncate(path, 100)
    os.truncate(path, size)


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "x").write_text("x")


def a_dangling_link(path: Path) -> None:
    path.unlink()
    path.symlink_to("nowhere")


def a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def sql(*statements: str) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        db = sqlite3.connect(path, isolation_level=None)
        for statement in statements:
            db.execute(statement)
        db.close()

    return damage


def pages(kind: bytes) -> Callable[[Path], None]:
    """Overwrite every page that begins with this byte: b"\\x0d" has rows, b"\\x0a" index entries."""

    def damage(path: Path) -> None:
        data = bytearray(path.read_bytes())
        for start in range(4096, len(data), 4096):
            if data[start : start + 1] == kind:
                data[start : start + 200] = b"\xa5" * 200
        path.write_bytes(data)

    return damage


def header_bit(at: int) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        data = bytearray(path.read_bytes())
        data[at] ^= 0x10
        path.write_bytes(data)

    return damage


def foreign(path: Path) -> None:
    path.unlink()
    db = sqlite3.connect(path)
    db.executescript(
        "CREATE TABLE meta (key TEXT, value TEXT); CREATE TABLE file (a, b);"
        "CREATE VIRTUAL TABLE hot_fts USING fts5(other);"
        "CREATE TRIGGER t AFTER INSERT ON meta BEGIN DELETE FROM file; END;"
        "CREATE VIEW memory AS SELECT 1;"
    )
    db.close()


DAMAGES: dict[str, Callable[[Path], None]] = {
    "deleted": deleted,
    "0 bytes": emptied,
    "truncated to half": halved,
    "a page short": cut_by_a_page,
    "a byte short": cut_by_a_byte,
    "garbage": garbage,
    "prose": prose,
    "2 GB of nothing": sparse,
    "zeroed after the header": zeroed_after_the_header,
    "a folder": a_folder,
    "a dangling link": a_dangling_link,
    "a pipe": a_pipe,
    "a foreign database": foreign,
    "an older schema": sql("UPDATE meta SET value = 'schema=0' WHERE key = 'identity'"),
    "a newer schema": sql("UPDATE meta SET value = 'schema=99' WHERE key = 'identity'"),
    "no identity": sql("DELETE FROM meta"),
    "no table of files": sql("DROP TABLE file"),
    "no table of sections": sql("DROP TABLE section"),
    "no words": sql("DROP TABLE hot_fts"),
    "no data of the words": sql("DELETE FROM hot_fts_data WHERE id > 10"),
    "no structure of the words": sql("DELETE FROM hot_fts_data WHERE id = 10"),
    "no form of the words": sql("DELETE FROM hot_fts_config"),
    "rows overwritten": pages(b"\x0d"),
    "index entries overwritten": pages(b"\x0a"),
    **{f"bit of header byte {at}": header_bit(at) for at in (0, 16, 18, 19, 21, 28, 44, 56, 95)},
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_index_answers_as_before(
    project: Project, index: Path, damage: Callable[[Path], None]
) -> None:
    with project.opened() as store:
        before = answers(store)
    damage(index)
    with project.opened() as store:
        assert answers(store) == before
        assert store.index.differences() == []
    with project.opened() as store:
        assert answers(store) == before


@pytest.mark.sampled(3)
@pytest.mark.parametrize("side", ["index.db-wal", "index.db-shm"])
@pytest.mark.parametrize("how", [deleted, emptied, garbage, halved])
def test_a_damaged_side_file_answers_as_before(
    project: Project, index: Path, side: str, how: Callable[[Path], None]
) -> None:
    with project.opened() as store:
        project.write("semantic/late.md", "# Late\n\nThe ostrich came late.\n")
        store.freshen()
        before = answers(store)
        copy = index.parent.with_name("copy")
        shutil.copytree(index.parent, copy)  # as a crash would leave it: nothing checkpointed
    shutil.rmtree(index.parent)
    copy.rename(index.parent)
    how(index.parent / side)
    with project.opened() as store:
        assert answers(store) == before
        assert search([store], "ostrich", Filter(), limit=3)


def test_the_side_files_of_another_database_do_no_harm(project: Project, index: Path) -> None:
    with project.opened() as store:
        before = answers(store)
    other = index.with_name("other.db")
    db = sqlite3.connect(other, isolation_level=None)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("CREATE TABLE t (x)")
    for end in ("-wal", "-shm"):
        shutil.copy(f"{other}{end}", f"{index}{end}")
    db.close()
    with project.opened() as store:
        assert answers(store) == before


def test_damage_that_shows_in_the_middle_of_a_command_is_mended_there(
    project: Project, index: Path
) -> None:
    with project.opened() as store:
        before = answers(store)
        sql("DROP TABLE hot_fts", "DROP TABLE section")(index)
        assert answers(store) == before
        project.write("semantic/new.md", "# New\n\nThe ostrich is new.\n")
        sql("DROP TABLE memory")(index)
        store.freshen()
        assert search([store], "ostrich", Filter(), limit=3)


def test_a_mended_index_says_so_and_keeps_the_damaged_file_aside(
    project: Project, index: Path
) -> None:
    sql("DROP TABLE section")(index)
    done = project.run("list", "--json")
    assert done.returncode == 0
    assert "index was damaged" in done.stderr
    assert index.with_name("index.db.broken").stat().st_size > 0
    assert project.run("list", "--json").stderr == ""


def test_a_long_lived_program_follows_an_index_that_others_replaced(
    project: Project, index: Path
) -> None:
    with project.opened() as old:
        before = answers(old)
        shutil.rmtree(index.parent)
        with project.opened() as new:
            assert answers(new) == before
            project.write("semantic/new.md", "# New\n\nThe ostrich is new.\n")
            old.freshen()
            assert search([old], "ostrich", Filter(), limit=3)
            assert search([new], "ostrich", Filter(), limit=3)


def test_a_busy_index_is_not_moved_aside_and_says_what_it_has(
    project: Project, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recollect.search.index_file.BUSY_SECONDS", 0.05)
    holder = sqlite3.connect(index, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    project.write("semantic/new.md", "# New\n\nThe ostrich is new.\n")
    with project.opened() as store:
        assert store.index.entry("use-postgres")
        assert any("has been locked" in problem.sentence for problem in store.problems)
    holder.close()
    assert not index.with_name("index.db.broken").exists()
    with project.opened() as store:
        assert search([store], "ostrich", Filter(), limit=3)


def test_an_index_that_another_process_creates_meanwhile_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite tries twice to open a file: what appears between its tries is opened read-only."""
    connect = lookup.sqlite.connect

    def opened_late(address: str, **named: Any) -> sqlite3.Connection:
        if "mode=rw" in address and not (tmp_path / "index.db").exists():
            monkeypatch.undo()
            SqliteIndex(str(tmp_path)).close()
            address = address.replace("mode=rw", "mode=ro")
        opened: sqlite3.Connection = connect(address, **named)
        return opened

    monkeypatch.setattr(lookup.sqlite, "connect", opened_late)
    index = SqliteIndex(str(tmp_path))
    index.set_meta({"key": "value"})
    assert index.meta("key") == "value"
    index.close()


def test_an_empty_index_that_somebody_else_fills_is_not_taken_for_an_answer(
    project: Project, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recollect.search.index_file.BUSY_SECONDS", 0.05)
    index.unlink()
    SqliteIndex(str(index.parent)).close()
    holder = sqlite3.connect(index, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(Locked), project.opened():
        pass
    holder.close()
