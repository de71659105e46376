"""What is purged is in no file any more, and what cannot be reached is named."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.capture.desk import Desk
from tests.capture.transcripts import Transcript
from tests.cli.running import Person

WORD = "kingfisher"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def _captured(desk: Desk) -> tuple[Transcript, str]:
    transcript = Transcript()
    transcript.prompt("Please set up the lid of the teapot.")  # its name is made of this, and stays
    transcript.prompt(f"It is for the {WORD}. We decided to use {WORD}s only.")
    transcript.answer(f"The {WORD} is set up.")
    desk.capture(transcript)
    return transcript, desk.memory().id


def _left(desk: Desk) -> list[str]:
    return [name for name, data in desk.everything() if WORD.encode() in data]


@pytest.mark.parametrize("forgotten_before", [False, True])
def test_a_session_that_is_purged_is_in_no_file_and_does_not_come_back(
    forgotten_before: bool, desk: Desk
) -> None:
    transcript, name = _captured(desk)
    person = Person(desk.folder / "home", desk.project)
    person.ok("note", f"Mind the {WORD}.", "--session-id", transcript.session)
    assert len(_left(desk)) > 4  # the memory, its conversation, the copy, the state, the journal

    if forgotten_before:
        person.ok("forget", name)
    person.ok("forget", name, "--purge", "--yes")
    assert _left(desk) == []

    transcript.prompt("And now the kettle, please, as we said before.")
    transcript.answer("It is on.")
    desk.capture(transcript)
    assert desk.memories() == []
    assert _left(desk) == []


def test_a_fact_that_is_purged_leaves_its_session_alone(desk: Desk) -> None:
    _captured(desk)
    person = Person(desk.folder / "home", desk.project)
    before = _left(desk)
    person.ok("save", f"A {WORD} of its own", "--body", "text")
    person.ok("forget", f"a-{WORD}-of-its-own", "--purge", "--yes")
    assert set(before) <= set(_left(desk))


def test_what_cannot_be_reached_is_named(desk: Desk) -> None:
    _, name = _captured(desk)
    (desk.project / ".git").mkdir()
    person = Person(desk.folder / "home", desk.project)
    person.run("doctor", "--repair")
    left = person.ok("forget", name, "--purge", "--yes", "--json").json["left"]
    assert {row["what"] for row in left} == {"snapshot", "git history"}
    for row in left:
        assert Path(row["path"]).exists()
