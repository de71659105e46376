"""The index on its disk: private, never half, and honest about what is not as it was written."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from recollect.errors import RecollectError
from recollect.model.memory import Filter
from recollect.search import index_write as writing
from recollect.search import lookup
from recollect.search.index import SqliteIndex
from recollect.search.rank import Candidate
from recollect.text.tokens import cue_words

from .index import ALL, STORE, answers, fill, page


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The cache folder of a filled and closed index."""
    folder = tmp_path / "cache"
    index = SqliteIndex(str(folder))
    fill(index, STORE)
    index.close()
    return folder


def altered(folder: Path, sql: str) -> SqliteIndex:
    """The index after somebody changed something behind its back."""
    db = sqlite3.connect(folder / "index.db")
    db.executescript(sql)
    db.close()
    return SqliteIndex(str(folder))


@pytest.mark.parametrize("umask", [0o000, 0o077])
def test_the_index_and_its_side_files_are_private_under_any_umask(
    tmp_path: Path, umask: int
) -> None:
    before = os.umask(umask)
    try:
        index = SqliteIndex(str(tmp_path / "cache"))
        fill(index, STORE)
    finally:
        os.umask(before)
    modes = {p.name: stat.S_IMODE(p.stat().st_mode) for p in (tmp_path / "cache").iterdir()}
    index.close()
    assert modes == {
        "index.db": 0o600, "index.db-wal": 0o600, "index.db-shm": 0o600, "index.db.lock": 0o600,
    }  # fmt: skip
    assert stat.S_IMODE((tmp_path / "cache").stat().st_mode) == 0o700


def test_an_index_that_is_opened_again_says_the_same(folder: Path, tmp_path: Path) -> None:
    again, fresh = SqliteIndex(str(folder)), SqliteIndex(str(tmp_path / "fresh"))
    fill(fresh, STORE)
    assert answers(again) == answers(fresh)
    assert again.differences() == []


THOUSANDS = [f"w{n}x" for n in range(4_000)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "query",
    [
        pytest.param(" OR ".join(THOUSANDS), id="either"),
        pytest.param(" ".join(THOUSANDS), id="all", marks=pytest.mark.slow),
        pytest.param(" ".join(THOUSANDS[:900]), id="some", marks=pytest.mark.slow),
    ],
)
def test_thousands_of_words_that_are_all_there_are_no_error(tmp_path: Path, query: str) -> None:
    words = THOUSANDS
    index = SqliteIndex(str(tmp_path / "cache"))
    fill(index, {f"semantic/m{n}.md": page(f"M{n}", " ".join(words[n::4])) for n in range(4)})
    assert len({one.id for one in index.search(cue_words(query), only=ALL, limit=10)}) == 4
    assert len(index.by_ids(words)) == 0


def test_readers_have_the_old_index_until_the_new_one_is_full(folder: Path) -> None:
    writer, reader = SqliteIndex(str(folder)), SqliteIndex(str(folder))
    before = answers(reader)
    writer.wipe()
    assert answers(reader) == before
    fill(writer, {"semantic/only.md": page("Only this")})
    assert [entry.id for entry in reader.entries(ALL)] == ["only"]


def test_a_refused_filling_leaves_the_index_as_it_was(folder: Path) -> None:
    index = SqliteIndex(str(folder))
    before = answers(index)

    def rows() -> object:
        yield from ()
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        index.apply(rows(), ["semantic/lianjie.md"], 2)  # type: ignore[arg-type]
    assert answers(index) == before


def test_a_purge_leaves_no_byte_of_what_was_removed(folder: Path) -> None:
    shutil.copy(folder / "index.db", folder / "index.db.broken")
    assert any(b"walrus" in path.read_bytes() for path in folder.iterdir())
    index = SqliteIndex(str(folder))
    index.apply([], ["episodic/day/summary.md"], 2)
    index.purge()
    assert [path.name for path in folder.iterdir() if b"walrus" in path.read_bytes()] == []
    assert index.search(["postgres"], only=ALL, limit=1)
    index.close()


def test_a_purge_that_a_reader_hinders_says_so(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = SqliteIndex(str(folder))
    reader = sqlite3.connect(folder / "index.db", isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM memory").fetchone()
    index._db.execute("PRAGMA busy_timeout = 0")
    index.apply([], ["episodic/day/summary.md"], 2)
    with pytest.raises(RecollectError):
        index.purge()
    reader.close()
    index.purge()


# ----------------------------------------------------------------------------------- beside others


def filled_anew(folder: Path) -> None:
    """Another process fills the index anew: the same sections get other numbers."""
    writer = SqliteIndex(str(folder))
    writer.wipe()
    fill(writer, dict(reversed(STORE.items())))
    writer.close()


def interrupted(
    monkeypatch: pytest.MonkeyPatch, module: object, name: str, do: Callable[[], None]
) -> list[str]:
    """Before the first call of a function something is done; gives what was done."""
    ask, done = getattr(module, name), list[str]()

    def asked(*args: object, **named: object) -> object:
        if not done:
            done.append(name)
            do()
        return ask(*args, **named)

    monkeypatch.setattr(module, name, asked)
    return done


@pytest.mark.parametrize("question", ["counts_of", "rows_of"])
@pytest.mark.parametrize(
    "ask",
    [
        lambda index: index.search(["jsonb"], only=ALL, limit=10),
        lambda index: index.recall_candidates(["jsonb"])[0],
    ],
    ids=["search", "consider"],
)
def test_a_search_beside_a_writer_quotes_the_memory_that_it_found(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    ask: Callable[[SqliteIndex], list[Candidate]],
    question: str,
) -> None:
    index = SqliteIndex(str(folder))
    done = interrupted(monkeypatch, lookup, question, lambda: filled_anew(folder))
    assert [(one.id, "JSONB" in one.text) for one in ask(index)] == [("use-postgres", True)]
    assert done == [question]
    index.close()


def test_all_that_is_asked_in_a_snapshot_is_asked_of_one_state(folder: Path) -> None:
    index = SqliteIndex(str(folder))
    with index.snapshot():
        with index.snapshot():
            hits = index.search(["zebra"], only=ALL, limit=10)
        filled_anew(folder)
        assert [one.name for one in index.beside(hits)] == ["day#turn-2"]
        numbers = [one.n for one in hits]
        assert index.of_sections(numbers, only=ALL, shelf="raw")[0].name == "day#turn-1"
    assert index.of_sections(numbers, only=ALL, shelf="raw") == []
    assert not index.connection.in_transaction
    index.apply([], ["semantic/lianjie.md"], 2)
    index.close()


def test_a_snapshot_ends_when_the_index_is_mended_inside_of_it(folder: Path) -> None:
    index = SqliteIndex(str(folder))
    index.refill = lambda: fill(index, STORE)
    with index.snapshot():
        assert index.entry("day")
        index.repair(sqlite3.OperationalError("malformed"))
        assert index.search(["walrus"], only=ALL, limit=1)[0].id == "day"
    index.apply([], ["semantic/lianjie.md"], 2)
    assert index.differences() == []
    index.close()


def test_a_hook_sees_one_state_of_the_index_from_the_first_question_on(folder: Path) -> None:
    db = lookup.open_index(str(folder / "index.db"), 100)
    assert db is not None
    numbers = [
        row[0]
        for row in sqlite3.connect(folder / "index.db").execute(
            "SELECT s.n FROM section s JOIN memory m ON m.n = s.memory WHERE m.id = 'use-postgres'"
        )
    ]
    filled_anew(folder)
    hits, _, _ = lookup.recall_candidates(db, ["jsonb"], "project")
    assert [one.n for one in hits] == numbers[:1]
    filled_anew(folder)
    assert {one.id for one in lookup.rows_of(db, dict.fromkeys(numbers, 0.0))} == {"use-postgres"}
    db.close()


@pytest.mark.parametrize("step", ["_altered_rows", "_misfiled_words"])
def test_a_check_beside_a_writer_finds_nothing_wrong(
    folder: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    index = SqliteIndex(str(folder))

    def other() -> None:
        writer = SqliteIndex(str(folder))
        fill(writer, {"semantic/more.md": page("More", "An aardvark.")})
        writer.close()

    assert index.differences() == []
    interrupted(monkeypatch, writing, step, other)
    assert index.differences() == []
    assert index.search(["aardvark"], only=ALL, limit=1)
    index.close()


# ------------------------------------------------------------------------------- what is not right


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE memory SET title = 'Use MongoDB' WHERE id = 'use-postgres'",
        "UPDATE memory SET created = '2020-01-01T00:00:00Z' WHERE id = 'use-postgres'",
        "UPDATE memory SET trust = 'external' WHERE id = 'day'",
        "UPDATE section SET text = 'We met the walruses.' WHERE text LIKE '%walrus%'",
        "UPDATE section SET kind = 'rule' WHERE kind = 'decision'",
        "UPDATE section SET shelf = 1 WHERE text LIKE '%walrus%'",
        "DELETE FROM section WHERE anchor = 'reasons'",
        "DELETE FROM memory WHERE id = 'day'",
        "UPDATE file SET path = 's%' || substr(path, 3) WHERE path LIKE '%use-postgres.md'",
        "INSERT INTO hot_fts(rowid, title, body) VALUES (999, 'ghost', 'ghost')",
        "INSERT INTO hot_fts(hot_fts) VALUES ('delete-all')",
        "INSERT INTO hot_fts(hot_fts, rowid, title) VALUES ('delete', 1, 'use')",
        "UPDATE meta SET value = '3' WHERE key = 'sections'",
        "DELETE FROM listed WHERE term = 'walrus'",
    ],
)
def test_what_is_not_as_it_was_written_is_found(folder: Path, sql: str) -> None:
    index = altered(folder, sql)
    assert index.differences() != []
    index.wipe()
    fill(index, STORE)
    assert index.differences() == []
    assert index.search(["walrus"], only=ALL, limit=1)[0].id == "day"


def test_an_index_of_a_table_that_does_not_say_what_the_table_says_is_found(folder: Path) -> None:
    names = "('memory_id', 'memory_session')"
    index = altered(
        folder,
        "PRAGMA writable_schema = ON; UPDATE sqlite_master SET rootpage = "
        f"(SELECT sum(rootpage) FROM sqlite_master WHERE name IN {names}) - rootpage "
        f"WHERE name IN {names};",
    )
    assert index.by_ids(["use-postgres"]) == []  # it is there, and no error says so
    assert [what for what in index.differences() if "memory_id" in what] != []
    index.wipe()
    fill(index, STORE)
    assert index.differences() == []
    assert index.entry("use-postgres")
    index.close()


def flips(folder: Path, tmp_path: Path, times: int) -> None:
    """Flip single bits: whenever an answer changes, it is an error, a new index, or found."""
    whole = (folder / "index.db").read_bytes()
    sound = SqliteIndex(str(folder))
    right = answers(sound)
    sound.close()
    chance = random.Random(20260111)
    changed = 0
    for n in range(times):
        at, bit = chance.randrange(len(whole)), chance.randrange(8)
        copy = tmp_path / f"flipped-{n}"
        copy.mkdir()
        damaged = bytearray(whole)
        damaged[at] ^= 1 << bit
        (copy / "index.db").write_bytes(damaged)
        index = None
        try:
            index = SqliteIndex(str(copy))
            if answers(index) != right:
                changed += 1
                is_new = index.counts()["files"] == 0
                assert is_new or index.differences() != [], f"bit {bit} of byte {at}"
        except RecollectError:
            changed += 1
        finally:
            if index:
                index.close()
        shutil.rmtree(copy)
    assert changed


def test_a_flipped_bit_that_changes_an_answer_is_found(folder: Path, tmp_path: Path) -> None:
    flips(folder, tmp_path, 30)


@pytest.mark.slow
def test_every_flipped_bit_that_changes_an_answer_is_found(folder: Path, tmp_path: Path) -> None:
    flips(folder, tmp_path, 400)


def test_an_index_of_another_identity_is_not_read(folder: Path) -> None:
    index = altered(folder, "UPDATE meta SET value = 'schema=0' WHERE key = 'identity'")
    assert index.known() == {}
    assert lookup.open_index(str(folder / "index.db"), 100) is not None
    assert (folder / "index.db.broken").exists()
    assert index.entries(Filter()) == []


def test_damage_that_makes_a_message_unreadable_is_found(folder: Path) -> None:
    file = folder / "index.db"
    whole = file.read_bytes()
    at = whole.index(b"CREATE TABLE section") + len(b"CREATE TABLE ")
    file.write_bytes(whole[: at - 1] + b"\xcc" + whole[at:])
    # What the module makes of SQLite's words:
    with closing(sqlite3.connect(file)) as db, pytest.raises(UnicodeDecodeError):
        db.execute("SELECT value FROM meta")
    assert lookup.open_index(str(file), 0) is None
    index = SqliteIndex(str(folder))
    assert index.counts()["files"] == 0  # made anew, to be filled
    index.close()
