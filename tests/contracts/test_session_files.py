"""The files that hooks leave: folding them loses nothing, doubles nothing, and says what it said."""

from __future__ import annotations

import errno
import json
import os
import stat
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.services.faults import Fails, _Module, disk_that, from_then_on, never, once

from recollect.errors import StorageFailed
from recollect.store import locations
from recollect.store.journal import FolderJournal

WRITER = "ops-here-0a1b2c-2026-01"
FOLDED = "folded-here-0a1b2c-2026-01.jsonl"
KINDS = ("signal", "inject", "ask", "of-tomorrow")


@pytest.fixture
def journal(tmp_path: Path) -> FolderJournal:
    return FolderJournal(str(tmp_path), WRITER)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "journal"


def say(folder: Path, session: str, op: str, n: int, **fields: str) -> str:
    """Leave a line as a hook does; gives its id."""
    op_id = f"{session}-{op}-{n}"
    said = {"op": op, "op_id": op_id, "time": f"2026-01-11T14:30:{n % 60:02}Z"} | fields
    raw = json.dumps(said).encode()
    path = f"{folder}/claude-{session}.jsonl"
    locations.append(str(folder.parent), path, locations.with_checksum(raw))
    return op_id


def ids(journal: FolderJournal, op: str = "inject") -> list[str]:
    return [line["op_id"] for line in journal.hot(op)]


def heard(journal: FolderJournal) -> dict[str, int]:
    return {name: file.size for name, file in journal.sessions().items()}


def test_what_hooks_left_reads_after_folding_as_before(
    journal: FolderJournal, folder: Path
) -> None:
    told = [say(folder, session, "inject", n) for session in "abc" for n in range(3)]
    signals = [say(folder, session, "signal", n) for session in "abc" for n in range(40)]
    say(folder, "a", "ask", 1)
    assert journal.fold(heard(journal)) == 3
    assert sorted(ids(journal)) == sorted(told)
    assert ids(journal, "signal") == [signals[39], signals[79], signals[119]]
    assert ids(journal, "ask") == []
    assert os.listdir(folder) == [FOLDED]
    assert journal.sessions() == {}
    assert stat.S_IMODE((folder / FOLDED).stat().st_mode) == 0o600


@settings(max_examples=25)
@given(
    lines=st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(KINDS)), max_size=12),
    folds=st.sets(st.integers(0, 12), max_size=4),
)
def test_whatever_is_folded_when_each_line_that_stays_is_there_once(
    tmp_path_factory: pytest.TempPathFactory, lines: list[tuple[str, str]], folds: set[int]
) -> None:
    journal = FolderJournal(str(tmp_path_factory.mktemp("store")), WRITER)
    folder, staying = Path(journal.folder), Counter[str]()
    last: dict[str, str] = {}
    for n, (session, op) in enumerate(lines):
        op_id = say(folder, session, op, n)
        if op in ("inject", "of-tomorrow"):
            staying[op_id] += 1
        elif op == "signal":
            last[session] = op_id
        if n in folds:
            journal.fold(heard(journal))
    journal.fold(heard(journal))
    assert Counter(ids(journal) + ids(journal, "of-tomorrow")) == staying
    assert set(last.values()) <= set(ids(journal, "signal"))
    assert len(set(ids(journal, "signal"))) == len(ids(journal, "signal"))


def test_what_the_worker_has_not_heard_stays_where_it_will(
    journal: FolderJournal, folder: Path
) -> None:
    say(folder, "a", "signal", 1)
    known = heard(journal)
    late, told = say(folder, "a", "signal", 2), say(folder, "a", "inject", 3)
    journal.fold(known)
    lines = journal.lines("claude-a.jsonl")
    assert [line.data["op_id"] for line in lines] == [late, told]
    assert ids(journal) == [told]
    journal.fold(heard(journal))
    assert ids(journal) == [told]
    assert (folder / FOLDED).read_text().count(told) == 1


def test_a_line_that_nobody_can_read_stops_nothing(journal: FolderJournal, folder: Path) -> None:
    first = say(folder, "a", "inject", 1)
    with open(folder / "claude-a.jsonl", "ab") as file:
        file.write(b'{"op":"inject","op_id":"half')
    second = say(folder, "a", "inject", 2)
    journal.fold(heard(journal))
    assert ids(journal) == [first, second]


def test_a_line_without_an_id_is_kept_too(journal: FolderJournal, folder: Path) -> None:
    folder.mkdir()
    raw = b'{"op":"inject","items":["a"]}'
    (folder / "other-1.jsonl").write_bytes(locations.with_checksum(raw))
    journal.fold(heard(journal))
    assert [line["items"] for line in journal.hot("inject")] == [["a"]]


def test_what_is_no_file_of_a_session_is_left_alone(
    journal: FolderJournal, folder: Path, tmp_path: Path
) -> None:
    folder.mkdir()
    (folder / "ops-other.jsonl").write_bytes(b"")
    (folder / "notes.12.aside").write_text("a person's\n")
    (folder / "linked.jsonl").symlink_to(tmp_path / "elsewhere")
    assert journal.fold(heard(journal)) == 0
    assert sorted(os.listdir(folder)) == ["linked.jsonl", "notes.12.aside", "ops-other.jsonl"]


def test_two_machines_that_fold_the_same_file_double_nothing(
    journal: FolderJournal, folder: Path
) -> None:
    """A tool that syncs folders brought the file back after each of them had folded it."""
    told = say(folder, "a", "inject", 1)
    synced = (folder / "claude-a.jsonl").read_bytes()
    for machine in (journal, FolderJournal(str(folder.parent), "ops-there-2026-01"), journal):
        (folder / "claude-a.jsonl").write_bytes(synced)
        assert machine.fold(heard(machine)) == 1
    assert ids(journal) == [told]
    assert (folder / FOLDED).read_text().count(told) == 1


# ------------------------------------------------------------------------------------ refusals


def refusals(journal: FolderJournal, folder: Path) -> int:
    """How many calls folding three files takes, one of which has what was not heard."""
    scene(journal, folder)
    with disk_that(never) as disk:
        journal.fold(known_of(journal))
    return len(disk.calls)


def scene(journal: FolderJournal, folder: Path) -> tuple[list[str], str]:
    for file in folder.glob("*"):
        file.unlink()
    told = [say(folder, session, "inject", 1) for session in "abc"]
    for session in "abc":
        say(folder, session, "signal", 2)
    return told, "b-signal-2"


def known_of(journal: FolderJournal) -> dict[str, int]:
    """Everything is heard but the last line of session b."""
    found = heard(journal)
    lines = list(journal.lines("claude-b.jsonl"))
    return found | {"claude-b.jsonl": lines[0].end}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("how", "fails"),
    [
        ("short", once),
        *((how, f) for how in ("EIO", "ENOSPC", "EMFILE") for f in (once, from_then_on)),
    ],
)
def test_a_refused_call_loses_nothing_and_the_next_fold_ends_it(
    journal: FolderJournal, folder: Path, how: str, fails: Callable[[int, str], Fails]
) -> None:
    calls = refusals(journal, folder)
    assert calls > 20
    for n in range(1, calls + 1):
        told, late = scene(journal, folder)
        known = known_of(journal)
        with disk_that(fails(n, how)) as disk, pytest.MonkeyPatch.context() as patched:
            patched.setattr(locations, "os", _Module(os, ("open", "write", "stat"), disk))
            refused = ""
            try:
                journal.fold(known)
            except StorageFailed as error:
                refused = str(error)
            code = errno.ENOSPC if how == "short" else getattr(errno, how)
            assert not refused or os.strerror(code) in refused, n
        assert sorted(ids(journal)) == told, n
        journal.fold({})
        assert sorted(ids(journal)) == told, n
        assert not [name for name in os.listdir(folder) if name.endswith(".aside")], n
        waiting = [line.data["op_id"] for line in journal.lines("claude-b.jsonl")]
        assert late in waiting, n
