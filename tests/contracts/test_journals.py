"""Journals: the folder of files and the one in memory keep the same contract; the files."""

from __future__ import annotations

import os
import stat
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fakes import MemoryJournal, Pages

from recollect.errors import OutsideStore, RecollectError, StorageFailed
from recollect.store import locations
from recollect.store.disk import stamp_of
from recollect.store.journal import FolderJournal
from recollect.store.journal_lines import split

from .journal import JournalContract, Writers, group, op


class TestMemoryJournal(JournalContract):
    @pytest.fixture
    def journals(self) -> Writers:
        pages = Pages()
        return lambda writer: MemoryJournal(writer, pages)


class TestFolderJournal(JournalContract):
    @pytest.fixture
    def journals(self, tmp_path: Path) -> Writers:
        return lambda writer: FolderJournal(str(tmp_path), writer)


@pytest.fixture
def journal(tmp_path: Path) -> FolderJournal:
    return FolderJournal(str(tmp_path), "ops-a")


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """The file of our writer."""
    return tmp_path / "journal" / "ops-a.jsonl"


def told(journal: FolderJournal) -> list[str]:
    """What a reading of everything has to pass over."""
    journal.ops()
    return [problem.sentence for problem in journal.problems]


# -------------------------------------------------------------------------------------- its size


@given(st.lists(st.binary(max_size=12)), st.integers(0, 40))
def test_lines_are_the_same_in_whatever_pieces_a_file_is_read(
    pieces: list[bytes], offset: int
) -> None:
    whole, end = b"".join(pieces), offset
    for raw, behind in split(pieces, offset):
        end += len(raw) + 1
        assert behind == end
        assert whole[end - offset - 1 - len(raw) : end - offset] == raw + b"\n"
    assert b"\n" not in whole[end - offset :]


def test_the_heads_of_large_texts_take_little_memory(journal: FolderJournal, page: Path) -> None:
    texts = [f"{n} {'a text that says something ' * 8000}" for n in range(60)]
    journal.append([op(text=text) for text in texts])
    tracemalloc.start()
    try:
        assert len(journal.heads()) == len(texts)
        assert sum(len(line.data["text"]) for line in journal.lines(page.name)) > 12_000_000
        assert journal.text_of(stamp_of(texts[7].encode())) == texts[7]
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < page.stat().st_size / 3


# ----------------------------------------------------------------------------- many writers at once


def test_a_file_that_appears_while_the_journal_is_read_is_read_next_time(
    journal: FolderJournal, page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, new = op(text="kept"), op(text="new")
    journal.append([kept])
    other = FolderJournal(str(page.parent.parent), "ops-b")
    seen = journal.files()
    first = iter([seen])
    monkeypatch.setattr(journal, "files", lambda: next(first, None) or other.files())
    other.append([new])
    found, offsets = journal.unsettled({})
    assert (found, offsets) == ([kept], {"ops-a.jsonl": 0})
    found, offsets = journal.unsettled(offsets)
    assert {one.op_id for one in found} == {kept.op_id, new.op_id}


# ------------------------------------------------------------------------------------- torn tails


def test_a_torn_tail_is_cut_off_wherever_it_was_torn_and_the_next_line_is_whole(
    journal: FolderJournal, page: Path
) -> None:
    kept, torn, after = op(text="kept"), op(text="torn " * 50), op(text="after")
    journal.append([kept])
    start = page.stat().st_size
    journal.append([torn])
    whole = page.read_bytes()
    for end in range(start, len(whole)):
        page.write_bytes(whole[:end])
        assert journal.ops() == [kept]
        assert journal.unsettled({})[0] == [kept]
        journal.append([after])
        assert journal.ops() == [kept, after]
        assert told(journal) == []


def test_a_group_torn_in_two_does_not_hold_and_is_never_looked_at_again(
    journal: FolderJournal, page: Path
) -> None:
    journal.append(group("one", "two"))
    first = page.read_bytes().splitlines(keepends=True)[0]
    page.write_bytes(first + b'{"op":"put","te')
    assert journal.unsettled({})[0] == []
    later = op()
    journal.append([later])
    journal.settle(later.group, later.seq, applied=True)
    found, offsets = journal.unsettled({})
    assert (found, offsets) == ([], {"ops-a.jsonl": page.stat().st_size})


def test_a_line_that_is_still_being_written_is_read_when_it_is_whole(
    journal: FolderJournal, page: Path
) -> None:
    journal.append([op(text="first")])
    end = page.stat().st_size
    journal.append([slow := op(text="slow")])
    whole = page.read_bytes()
    page.write_bytes(whole[: end + 10])
    found, offsets = journal.unsettled({"ops-a.jsonl": end})
    assert found == []
    page.write_bytes(whole)
    assert journal.unsettled(offsets)[0] == [slow]


# ----------------------------------------------------------------------------- lines of somebody else


@pytest.mark.parametrize(
    "line",
    [
        b"a note by hand",
        b"{}",
        b'{"op":"put"}',
        b"\xff\xfe\x00garbage",
        b'{"op":"put","op_id":"x","group":"g","sum":"00000000"}',
        locations.with_checksum(b'{"op":"put","group":"g"}')[:-2],
        b"[" * 50_000,
    ],
)
def test_a_line_that_is_not_ours_is_passed_over_and_reported(
    journal: FolderJournal, page: Path, line: bytes
) -> None:
    before, after = op(text="before"), op(text="after")
    journal.append([before])
    with open(page, "ab") as file:
        file.write(line + b"\n")
    journal.append([after])
    assert journal.ops() == [before, after]
    assert journal.unsettled({})[0] == [before, after]
    assert journal.next_seq() == after.seq + 1
    assert len(told(journal)) == 1
    assert f"byte {page.read_bytes().index(line)}" in told(journal)[0]


def test_a_line_that_was_edited_by_hand_does_not_hold(journal: FolderJournal, page: Path) -> None:
    journal.append([op(text="the truth")])
    page.write_bytes(page.read_bytes().replace(b"the truth", b"a lie, eh"))
    assert journal.ops() == []
    assert len(told(journal)) == 1


@pytest.mark.parametrize(
    "body",
    [
        b'{"op":"put","group":["g"],"seq":1}',
        b'{"op":"put","group":"g","seq":"soon","of":"all"}',
        b'{"op":"put","group":"g","seq":null,"of":null,"text":7,"path":null,"before":3}',
        b'{"op":"done","group":{"a":1},"seq":"x"}',
        b'{"op":"teleport","group":"g","seq":1e999}',
        b"[1,2,3]",
        b'{"deep":' + b"[" * 60_000 + b"]" * 60_000 + b"}",
    ],
)
def test_a_sealed_line_of_another_version_stops_nothing(
    journal: FolderJournal, page: Path, body: bytes
) -> None:
    journal.append([mine := op()])
    with open(page, "ab") as file:
        file.write(locations.with_checksum(body))
    assert mine in journal.ops()
    assert mine in journal.unsettled({})[0]
    assert journal.next_seq() == mine.seq + 1
    journal.append([after := op()])
    assert after in journal.ops()


def test_the_hooks_lines_are_hot_facts_and_no_ops(journal: FolderJournal, tmp_path: Path) -> None:
    locations.record(str(tmp_path), "claude-s1", "signal", {"event": "stop"})
    locations.record(str(tmp_path), "claude-s1", "inject", {"ids": ["a", "b"], "tokens": 3})
    journal.append([op()])
    assert [line["event"] for line in journal.hot("signal")] == ["stop"]
    assert [line["ids"] for line in journal.hot("inject")] == [["a", "b"]]
    assert len(journal.ops()) == 1
    assert set(journal.files()) == {"claude-s1.jsonl", "ops-a.jsonl"}


# --------------------------------------------------------------------------------------- its disk


@pytest.mark.parametrize("umask", [0o000, 0o077])
def test_the_journal_is_private_under_any_umask(
    journal: FolderJournal, page: Path, umask: int
) -> None:
    before = os.umask(umask)
    try:
        journal.append([op()])
        journal.purge("semantic/a.md")
    finally:
        os.umask(before)
    assert stat.S_IMODE(page.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(page.stat().st_mode) == 0o600


def test_nothing_is_written_through_a_link_in_place_of_the_folder(
    journal: FolderJournal, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "ops-b.jsonl").write_text("theirs\n")
    (tmp_path / "journal").symlink_to(outside)
    with pytest.raises(OutsideStore):
        journal.append([op()])
    assert journal.ops() == []
    assert os.listdir(outside) == ["ops-b.jsonl"]


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_nothing_is_written_into_what_is_no_file(
    journal: FolderJournal, page: Path, tmp_path: Path, kind: str
) -> None:
    page.parent.mkdir()
    if kind == "link":
        page.symlink_to(tmp_path / "elsewhere")
    elif kind == "pipe":
        os.mkfifo(page)
    else:
        page.mkdir()
    with pytest.raises(StorageFailed):
        journal.append([op()])
    assert not (tmp_path / "elsewhere").exists()


def test_a_file_in_the_place_of_the_folder_is_an_error_of_ours(
    journal: FolderJournal, tmp_path: Path
) -> None:
    (tmp_path / "journal").write_text("a file")
    assert journal.ops() == []
    with pytest.raises(RecollectError):
        journal.append([op()])


def test_a_journal_that_may_not_be_read_is_not_taken_for_an_empty_one(
    journal: FolderJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal.append([op()])

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(StorageFailed):
        journal.next_seq()


def test_a_refused_line_leaves_the_file_as_it_was(
    journal: FolderJournal, page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(5, "Input/output error")

    for name in ("fdatasync", "fsync"):
        with monkeypatch.context() as patched:
            patched.setattr(os, name, refuse)
            with pytest.raises(StorageFailed):
                journal.append([op()])
        assert page.read_bytes() == b""
    journal.append([kept := op()])
    assert journal.ops() == [kept]
