"""What the first implementations lost or spoiled in sessions, by the names in the list of their bugs."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.running import Person

from .desk import Desk
from .transcripts import Transcript

SECRET = "hunter2!x9q"


def test_every_line_is_taken_when_two_sessions_take_turns(desk: Desk) -> None:
    """H1, H2: no line behind an offset is dropped, and each session has an offset of its own."""
    one, two = Transcript("one-session"), Transcript("two-session")
    for n in range(7):
        for transcript in (one, two):
            transcript.prompt(f"Prompt {n} of {transcript.session}, which is long enough.")
            transcript.shell(f"make step{n}", "ok")
            transcript.answer(f"Answer {n} of {transcript.session}.")
            desk.capture(transcript, over=False)
    for transcript in (one, two):
        said = [row["text"] for row in desk.raw(transcript.session) if row["kind"] == "prompt"]
        assert said == [
            f"Prompt {n} of {transcript.session}, which is long enough." for n in range(7)
        ]
        state = desk.state(transcript.session)
        assert (state["prompts"], state["answers"], state["tool_uses"]) == (7, 7, 7)


def test_nothing_is_taken_again_however_often_it_is_asked_for(desk: Desk) -> None:
    """H4, J8: nor is the raw copy written anew at each answer (K13)."""
    transcript = Transcript()
    transcript.prompt("Build the teapot service, please. Never paint the lid red.")
    transcript.answer("It is built.")
    for _ in range(5):
        desk.capture(transcript, over=True)
    assert [row["kind"] for row in desk.raw(transcript.session)] == ["prompt", "answer"]
    assert desk.memory().body.count("Never paint the lid red") == 1
    assert len(list((desk.root / "sessions" / "raw").iterdir())) == 1


def test_a_turn_of_words_and_calls_keeps_both(desk: Desk) -> None:
    """H11: and each of several results finds its call."""
    transcript = Transcript()
    transcript.prompt("Mend the teapot and its lid.")
    transcript.answer("I change both files now.")
    transcript.edit("/home/ada/teapot/src/lid.py")
    transcript.edit("/home/ada/teapot/src/spout.py")
    desk.capture(transcript)
    kinds = [row["kind"] for row in desk.raw(transcript.session)]
    assert kinds == ["prompt", "answer", "call", "result", "call", "result"]
    assert [Path(path).name for path in desk.state(transcript.session)["files_modified"]] == [
        "lid.py",
        "spout.py",
    ]


def test_secrets_and_private_parts_are_in_no_copy_of_a_session(desk: Desk) -> None:
    """H9, K7."""
    transcript = Transcript()
    transcript.prompt(f"Log in with password: {SECRET} <private>as {SECRET}</private> please.")
    transcript.answer(f"I used password={SECRET} as you said.")
    transcript.shell(f"login --password {SECRET}", f"token: {SECRET}", code=1)
    desk.capture(transcript)
    assert [name for name, data in desk.everything() if SECRET.encode() in data] == []


def test_sessions_of_one_minute_have_a_copy_and_a_memory_each(desk: Desk) -> None:
    """K13, C10: whatever the clock says."""
    for name in ("aaaa-1", "aaaa-2", "aaaa-3"):
        transcript = Transcript(name)
        transcript.prompt("Build the teapot service, please.")
        transcript.answer(f"Built by {name}.")
        desk.capture(transcript)
    assert len(list((desk.root / "sessions" / "raw").iterdir())) == 3
    assert sorted(memory.session for memory in desk.memories()) == ["aaaa-1", "aaaa-2", "aaaa-3"]
    assert len({memory.id for memory in desk.memories()}) == 3


@pytest.mark.parametrize("text", ["{", "[capture]\nmode = 1\n", "[memory]\nx = 1\n", "lang = 7\n"])
def test_broken_or_partial_settings_stop_no_session(person_at: Person, text: str) -> None:
    """M8: what is wrong is told, and the session is saved."""
    person_at.write("config.toml", text)
    env = {"RECOLLECT_SESSION": "s"}
    person_at.ok("note", "said all the same", env=env)
    saved = person_at.ok("save-session", "--json", env=env)
    assert saved.json["what"] == "created"
    assert "config.toml" in saved.err


def test_no_session_command_touches_a_person_s_file(person_at: Person) -> None:
    """M7, H5: what was worked on stands in no CLAUDE.md but where somebody writes it."""
    mine = "# Mine\n\n## Current Working Agreements\n\nNo red lids.\n\n## CRITICAL RULES\n\nTea first.\n"
    files = [person_at.project / "CLAUDE.md", person_at.home / ".claude" / "CLAUDE.md"]
    for file in files:
        file.parent.mkdir(exist_ok=True)
        file.write_text(mine)
    env = {"RECOLLECT_SESSION": "s"}
    for words in (
        ("start-session", "Paint"),
        ("note", "x"),
        ("todo", "y"),
        ("save-session",),
        ("cleanup-sessions", "--older-than", "0"),
        ("compress", "--older-than", "1"),
    ):
        person_at.ok(*words, env=env)
    assert [file.read_text() for file in files] == [mine, mine]


@pytest.fixture
def person_at(desk: Desk) -> Person:
    """Somebody at a terminal in the project."""
    return Person(desk.folder / "home", Path(desk.project))
