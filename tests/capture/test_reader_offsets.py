"""A transcript that grows, is cut, is replaced: nothing is lost and nothing comes twice."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.clients import base as reading
from recollect.clients.claude import ClaudeTranscripts
from recollect.model.session import Event

from .desk import Desk
from .transcripts import Transcript


def a_session() -> Transcript:
    """A session with some of everything."""
    transcript = Transcript()
    transcript.noise()
    transcript.prompt("Zeile eins: größer, 汉字, 🎈")
    transcript.answer("I look.")
    transcript.shell("make test", "ok " * 50)
    transcript.edit("/home/ada/teapot/a.py")
    transcript.queued("no, use tabs")
    transcript.noise()
    transcript.answer("Done.")
    return transcript


DATA = a_session().data


class Reading:
    """Somebody who reads a file again and again, and remembers how far."""

    def __init__(self, path: Path) -> None:
        """At the start of the file."""
        self.path = path
        self.offset = self.inode = 0

    def more(self) -> list[Event]:
        """What is new, up to the end."""
        found: list[Event] = []
        while True:
            portion = ClaudeTranscripts().read(str(self.path), self.offset, self.inode)
            found += portion.events
            if (portion.offset, portion.inode) == (self.offset, self.inode):
                return found
            self.offset, self.inode = portion.offset, portion.inode


@given(cuts=st.sets(st.integers(0, len(DATA)), max_size=12))
def test_wherever_the_file_is_cut_the_events_are_the_same(
    cuts: set[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("cut") / "s.jsonl"
    path.touch()
    reader = Reading(path)
    found = []
    at = 0
    for cut in [*sorted(cuts), len(DATA)]:
        with path.open("ab") as file:
            file.write(DATA[at:cut])
        at = cut
        found += reader.more()

    path.with_name("whole.jsonl").write_bytes(DATA)
    assert found == Reading(path.with_name("whole.jsonl")).more()
    assert len(found) == 8


@given(size=st.integers(40, 4000))
def test_a_file_is_read_in_portions_of_any_size(
    size: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("portions") / "s.jsonl"
    path.write_bytes(DATA)
    whole = Reading(path).more()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "PORTION_BYTES", size)
        assert Reading(path).more() == whole


def test_a_last_line_without_its_end_is_read_once_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(DATA)
    whole = Reading(path).more()
    path.write_bytes(DATA.rstrip(b"\n"))
    reader = Reading(path)
    assert reader.more() == whole
    assert reader.more() == []
    with path.open("ab") as file:
        file.write(b"\n" + DATA.splitlines()[-1][:-1])  # the next one is half written
    assert reader.more() == []
    with path.open("ab") as file:
        file.write(b"}")
    assert len(reader.more()) == len(Reading(path).more()) - len(whole)


def test_a_file_that_was_truncated_is_read_from_its_start(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(DATA)
    reader = Reading(path)
    whole = reader.more()

    os.truncate(path, len(DATA) // 2)

    half = reader.more()
    assert half == whole[: len(half)]
    assert half


def test_a_file_that_was_replaced_is_read_from_its_start(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(DATA)
    reader = Reading(path)
    reader.more()
    other = Transcript("other")
    other.prompt("something else " * 2000)
    (tmp_path / "new").write_bytes(other.data)

    os.replace(tmp_path / "new", path)

    assert [event.text.split()[0] for event in reader.more()] == ["something"]


def test_a_file_that_was_written_anew_in_place_is_read_from_its_start(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(DATA)
    reader = Reading(path)
    reader.more()
    other = Transcript("other")
    other.prompt("something else " * 2000)

    with path.open("r+b") as file:
        file.write(other.data)

    assert [event.text.split()[0] for event in reader.more()] == ["something"]


def test_a_file_that_is_not_there_has_nothing_new(tmp_path: Path) -> None:
    portion = ClaudeTranscripts().read(str(tmp_path / "gone.jsonl"), 17, 4)

    assert (portion.events, portion.offset, portion.inode) == ([], 17, 4)


def test_a_pipe_in_place_of_a_transcript_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "s.jsonl")

    assert Reading(tmp_path / "s.jsonl").more() == []
    assert Reading(tmp_path).more() == []


def test_a_line_of_five_megabytes_is_a_line(tmp_path: Path) -> None:
    transcript = Transcript()
    transcript.prompt("one")
    transcript.shell("cat big", "x\n" * 2_500_000)
    transcript.prompt("two")

    found = Reading(Path(transcript.save(tmp_path))).more()

    assert [e.text for e in found if e.kind == "prompt"] == ["one", "two"]
    assert len(found[2].text) == 5_000_000


def test_a_line_beyond_reason_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "PORTION_BYTES", 1 << 12)
    monkeypatch.setattr(reading, "LONGEST_LINE", 1 << 14)
    transcript = Transcript()
    transcript.prompt("one")
    transcript.shell("cat big", "x" * 300_000)
    transcript.prompt("two")
    path = Path(transcript.save(tmp_path))
    data = path.read_bytes()
    reader = Reading(path)

    path.write_bytes(data[:200_000])
    found = reader.more()
    assert found == reader.more() + found  # its end is not there yet: it is waited for
    with path.open("ab") as file:
        file.write(data[200_000:])

    assert [e.text for e in [*found, *reader.more()] if e.kind == "prompt"] == ["one", "two"]


# ----------------------------------------------------------------------------- finding the file


def test_a_session_resumed_elsewhere_is_found_where_it_began(tmp_path: Path) -> None:
    transcript = Transcript()
    transcript.prompt("one")
    path = transcript.save(tmp_path / "-home-ada-teapot")
    reader = ClaudeTranscripts()
    named = tmp_path / "-home-ada-elsewhere" / Path(path).name

    assert reader.moved(str(named)) == path
    assert reader.moved(path) == path
    assert reader.moved(str(tmp_path / "a" / "b.jsonl")) == str(tmp_path / "a" / "b.jsonl")


def test_odd_names_are_looked_for_as_they_are(tmp_path: Path) -> None:
    folder = tmp_path / "[a]*" / "-slug"
    folder.mkdir(parents=True)
    (folder / "[x]*?.jsonl").touch()

    moved = ClaudeTranscripts().moved(str(tmp_path / "[a]*" / "-other" / "[x]*?.jsonl"))

    assert moved == str(folder / "[x]*?.jsonl")


def test_the_newest_of_several_files_is_taken(tmp_path: Path) -> None:
    for n, name in enumerate(("c", "a", "b")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "s.jsonl").touch()
        os.utime(tmp_path / name / "s.jsonl", (n, n if name != "a" else 99))

    assert ClaudeTranscripts().moved(str(tmp_path / "d" / "s.jsonl")) == str(
        tmp_path / "a" / "s.jsonl"
    )


def test_all_transcripts_of_a_folder_are_found_oldest_first(tmp_path: Path) -> None:
    for n, name in enumerate(("b", "a", "c")):
        file = tmp_path / f"-slug-{name}" / f"{name}.jsonl"
        file.parent.mkdir()
        file.touch()
        os.utime(file, (n, n))
    for odd in ("memory/x.jsonl", "b/subagents/agent-1.jsonl", "b/tool-results/t.jsonl", "x.txt"):
        file = tmp_path / "-slug-b" / odd
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()

    found = ClaudeTranscripts().find(str(tmp_path))

    assert [Path(path).stem for path in found] == ["b", "a", "c"]
    assert ClaudeTranscripts().find(found[0]) == [found[0]]


@pytest.mark.parametrize("half", [rb"\ud83d", rb"\uDC00", b"\xed\xa0\xbd", b"\xff"])
def test_half_a_character_costs_nothing_but_itself(half: bytes, tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    session = Transcript()
    session.prompt("Always use HERE tabs in the WHOLE 🎈 Makefile.")
    path = session.save(desk.logs)
    data = Path(path).read_bytes().replace(b"HERE", half)
    Path(path).write_bytes(data.replace(b"WHOLE", rb"\ud83c\udf88"))

    with desk.opened() as capture:
        capture.take_in("claude", path, over=True)

    [page] = desk.root.glob("episodic/*/summary.md")
    assert "tabs in the 🎈 🎈 Makefile\n" in page.read_text("utf-8")
