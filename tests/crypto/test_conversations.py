"""The memory of a session or a conversation is encrypted with all that is kept of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.capture.desk import Desk as Capturing
from tests.capture.transcripts import Transcript
from tests.cli.running import Person
from tests.crypto.desk import BODY, TAGS, TITLE, Desk

TALK = (
    "### User [14:30]\n\nWhat of the marmalade?\n\n### Claude [14:31]\n\nZbigniew has 4711 jars.\n"
)


def save(desk: Desk, *words: str) -> str:
    log = desk.folder / "talk.md"
    log.write_text(TALK)
    given = ("--body", BODY, "--tags", TAGS, "--conversation", str(log), *words)
    name = str(desk.person.ok("save", TITLE, *given, "--json").json["id"])
    log.unlink()
    return name


def files_of(desk: Desk) -> dict[str, bytes]:
    root = desk.person.store / "episodic"
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*.md")}


def test_a_conversation_is_encrypted_with_its_log_and_decrypted_to_the_byte(desk: Desk) -> None:
    name = save(desk)
    before = files_of(desk)
    assert len(before) == 2
    sealed = desk.person.ok("encrypt", name, "--json").json["id"]
    assert desk.left() == []
    assert list((desk.person.store / "episodic").iterdir()) == []
    shown = desk.person.ok("show", sealed, "--level", "3", "--json").json
    assert shown["conversation"] == TALK.strip()
    assert "marmalade?" not in shown["text"]
    assert desk.person.ok("decrypt", sealed, "--json").json["id"] == name
    assert files_of(desk) == before


def test_a_new_one_is_encrypted_with_its_log(desk: Desk) -> None:
    name = save(desk, "--encrypt")
    assert desk.left() == []
    assert "4711 jars" in desk.person.ok("show", name, "--level", "3").out
    assert "4711 jars" not in desk.person.ok("show", name).out


def test_an_unclosed_private_part_of_the_memory_does_not_take_the_log_along(desk: Desk) -> None:
    name = save(desk)
    path = next(desk.person.store.rglob("summary.md"))
    path.write_text(path.read_text("utf-8") + "\nOpen <private> part.\n", "utf-8")
    sealed = desk.person.ok("encrypt", name, "--json").json["id"]
    shown = desk.person.ok("show", sealed, "--level", "3", "--json").json
    assert shown["text"].endswith("Open [private]")
    assert shown["conversation"] == TALK.strip()
    assert desk.left() == []


def test_the_log_stays_when_the_memory_is_edited(desk: Desk) -> None:
    name = save(desk, "--encrypt")
    desk.person.ok("edit", name, "--body", "New text.")
    desk.person.ok("set", name, "salience=high")
    desk.person.ok("key-rotate")
    shown = desk.person.ok("show", name, "--level", "3", "--json").json
    assert (shown["text"], shown["conversation"]) == ("New text.", TALK.strip())
    mark = "<!-- the raw conversation of this memory -->"
    assert desk.person.run("edit", name, "--append", f"x\n{mark}\ny").code == 1
    assert desk.person.ok("show", name, "--level", "3", "--json").json == shown


def test_undoing_a_decryption_takes_the_log_out_again(desk: Desk) -> None:
    name = save(desk, "--encrypt")
    desk.person.ok("decrypt", name)
    desk.person.ok("undo")
    assert desk.left() == []
    assert "4711 jars" in desk.person.ok("show", name, "--level", "3").out


@pytest.fixture
def captured(tmp_path: Path) -> tuple[Desk, str, Transcript, Capturing]:
    """A session of which everything is kept, and which is over."""
    capturing = Capturing(tmp_path / "machine")
    person = Person(capturing.folder / "home", capturing.project)
    (capturing.folder / "stick").mkdir()
    desk = Desk(person, capturing.folder)
    person.ok("key-init", "--recovery-file", str(desk.recovery))
    transcript = Transcript()
    transcript.prompt("Please set up the lid for the kingfisher.")
    transcript.prompt("We decided to pay Zbigniew 4711 doubloons for it.")
    transcript.answer("The kingfisher has a lid.")
    capturing.capture(transcript)
    person.ok("note", "Mind the marmalade.", "--session-id", transcript.session)
    return desk, capturing.memory().id, transcript, capturing


def left(desk: Desk) -> list[str]:
    """What says a word of it, but for the client's own transcript."""
    return [path for path in desk.left() if "/.claude/projects/" not in path]


def test_of_a_session_nothing_plain_is_left_and_it_is_not_captured_again(
    captured: tuple[Desk, str, Transcript, Capturing],
) -> None:
    desk, name, transcript, capturing = captured
    desk.person.ok("save-session", "--session-id", transcript.session)
    assert len(left(desk)) > 4
    done = desk.person.ok("encrypt", name, "--json").json
    sealed = done["id"]
    assert left(desk) == []
    assert [row["what"] for row in done["left"]] == ["the client's own log"]
    assert "4711" in desk.person.ok("show", sealed, "--level", "3").out

    transcript.prompt("And now the kettle, please.")
    transcript.answer("It is on.")
    capturing.capture(transcript)
    assert left(desk) == []


def test_a_session_that_goes_on_is_not_encrypted_yet(
    captured: tuple[Desk, str, Transcript, Capturing],
) -> None:
    desk, name, transcript, capturing = captured
    transcript.prompt("And one more thing.")
    capturing.capture(transcript, over=False)
    ran = desk.person.run("encrypt", name)
    assert ran.code == 2
    assert "is active" in ran.err
    assert desk.person.ok("show", name)
