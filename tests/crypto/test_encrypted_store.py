"""A store, or a layer of it, of which the settings say that what is new is encrypted."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.capture.desk import Desk as Capturing
from tests.capture.transcripts import Transcript
from tests.cli.running import Person
from tests.crypto.desk import BODY, TAGS, TITLE, WORDS, Desk, says

from recollect.model.document import with_field

GIVEN = ("--body", BODY, "--tags", TAGS)
NEW = (
    ("save", TITLE, *GIVEN),
    ("save", TITLE, *GIVEN, "--kind", "rule"),
    ("save", f"Solution: {TITLE}", *GIVEN, "--kind", "solution"),
    ("save", TITLE, *GIVEN, "--kind", "pointer"),
    ("save", TITLE, *GIVEN, "--kind", "note"),
    ("save", TITLE, *GIVEN, "--private"),
    ("add-decision", TITLE, BODY, "--tags", TAGS),
    ("add-pattern", TITLE, "--tags", TAGS),
    ("add-issue", TITLE, "--tags", TAGS),
)
# What has a place only where it would be plain is refused.
REFUSED = (
    ("start-session", TITLE),
    ("note", BODY),
    ("memory-set", "project", BODY),
)


@pytest.fixture
def closed(desk: Desk) -> Desk:
    """A person whose store is encrypted as a whole."""
    desk.person.ok("config", "encryption.store", "true")
    return desk


def _talk(word: str = "zbigniew") -> Transcript:
    talk = Transcript()
    talk.prompt(f"We decided to give {word} doubloons because the marmalade committee says so.")
    talk.shell("pytest tests/kingfisher", "E   ModuleNotFoundError: No module named 'marmalade'", 1)
    talk.shell("pip install marmalade", "Successfully installed marmalade-1.0")
    talk.shell("pytest tests/kingfisher", "3 passed in 0.10s")
    talk.edit("src/kingfisher.py")
    talk.answer(f"The kingfisher has given {word} 4711 doubloons.")
    return talk


def _capturing(desk: Desk) -> Capturing:
    """The same person's sessions, in the project whose store this is."""
    made = object.__new__(Capturing)
    made.folder, made.project, made.root = desk.folder, desk.person.project, desk.person.store
    made.logs = desk.person.home / ".claude" / "projects" / "-project"
    made.env = {"HOME": str(desk.person.home)}
    return made


def _left(desk: Desk) -> list[str]:
    """The files that say a word of it, but for the client's own log."""
    return [path for path in desk.left() if ".claude/projects" not in path]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("words", NEW, ids=" ".join)
def test_whatever_is_saved_is_encrypted_and_can_be_read(
    closed: Desk, words: tuple[str, ...]
) -> None:
    done = closed.person.ok(*words, "--json").json
    assert Path(done["path"]) == closed.file(done["id"])
    assert closed.left() == []
    assert "ingfisher" in closed.person.ok("show", done["id"]).out
    assert closed.person.ok("search", "kingfisher", "--encrypted", "--json").json["hits"]


@pytest.mark.parametrize("words", REFUSED, ids=" ".join)
def test_what_could_only_be_plain_is_refused_and_nothing_is_written(
    closed: Desk, words: tuple[str, ...]
) -> None:
    ran = closed.person.run(*words, env={"RECOLLECT_SESSION": "one"})
    assert ran.code == 19
    assert "would be plain" in ran.err
    assert closed.left() == []


def test_a_session_leaves_cipher_text_only_and_is_read_with_the_key(closed: Desk) -> None:
    capturing = _capturing(closed)
    capturing.capture(_talk(), over=False)
    assert _left(closed) == []
    (done,) = capturing.capture(_talk())
    assert done.what == "created"
    assert _left(closed) == []
    shown = closed.person.ok("show", done.memory, "--level", "3", "--json").json
    assert "zbigniew doubloons" in shown["text"]
    assert "4711 doubloons" in shown["conversation"]
    assert not list(closed.person.store.glob("procedural/*"))  # its lessons are inside it


def test_a_session_that_goes_on_has_one_memory_and_the_same_again_writes_nothing(
    closed: Desk,
) -> None:
    capturing, talk = _capturing(closed), _talk()
    (first,) = capturing.capture(talk)
    before = closed.file(first.memory).read_bytes()
    (again,) = capturing.capture(talk)
    assert again.what == "nothing"
    assert closed.file(first.memory).read_bytes() == before
    talk.prompt("Give him a second doubloon, and one for the whole of the committee.")
    talk.answer("Two doubloons.")
    closed.lock()  # capturing needs no secret
    (more,) = capturing.capture(talk)
    closed.unlock()
    assert (more.memory, more.what) == (first.memory, "changed")
    assert "second doubloon" in closed.person.ok("show", first.memory, "--level", "3").out
    assert _left(closed) == []


@pytest.mark.parametrize("change", ["key-rotate", "edit {id} --append mine"])
def test_what_a_person_changed_stays_and_a_new_key_is_no_change(closed: Desk, change: str) -> None:
    capturing, talk = _capturing(closed), _talk()
    (first,) = capturing.capture(talk)
    closed.person.ok(*change.format(id=first.memory).split())
    talk.prompt("And now the kettle, please, as we said before.")
    talk.answer("It is on.")
    (more,) = capturing.capture(talk)
    assert (more.memory == first.memory) == (change == "key-rotate")
    shown = closed.person.ok("show", first.memory).out
    assert ("mine" in shown) == (change != "key-rotate")
    assert "kettle" in closed.person.ok("show", more.memory, "--level", "3").out


def test_a_memory_that_a_person_took_away_stays_away(closed: Desk) -> None:
    capturing, talk = _capturing(closed), _talk()
    (first,) = capturing.capture(talk)
    closed.person.ok("forget", first.memory)
    talk.prompt("And now the kettle, please, as we said before.")
    talk.answer("It is on.")
    assert capturing.capture(talk)[0].what == "skipped"
    assert not list(closed.person.store.glob("encrypted/*"))


def test_a_session_is_taken_back_with_its_encrypted_memory(closed: Desk) -> None:
    talk = _talk()
    (done,) = _capturing(closed).capture(talk)
    closed.lock()
    closed.person.ok("forget", "--from-session", talk.session)
    assert not closed.file(done.memory).exists()


def test_lines_can_be_taken_out_of_what_is_plain_still(desk: Desk) -> None:
    for title in ("Tea", "Coffee"):
        desk.person.ok("save", title, "--kind", "rule", "--body", "hot")
    desk.person.ok("config", "encryption.procedural", "true")
    desk.person.ok("forget", "feedback#tea")
    assert "Tea" not in (desk.person.store / "procedural" / "feedback.md").read_text("utf-8")
    assert desk.person.run("edit", "feedback#coffee", "--append", "very").code == 19


def test_what_the_client_took_away_takes_nothing_of_the_memory(closed: Desk) -> None:
    capturing, talk = _capturing(closed), _talk()
    (first,) = capturing.capture(talk)
    path = next(capturing.logs.iterdir())
    path.write_bytes(path.read_bytes()[:200].rpartition(b"\n")[0])
    before = closed.file(first.memory).read_bytes()
    with capturing.opened() as capture:
        capture.take_in("claude", str(path), over=True)
    assert closed.file(first.memory).read_bytes() == before


def test_without_keys_nothing_is_captured_until_there_are_some(closed: Desk) -> None:
    closed.forget_keys()
    capturing, talk = _capturing(closed), _talk()
    with pytest.raises(Exception, match="needs two keys"):
        capturing.capture(talk)
    assert _left(closed) == []
    assert "needs two keys" in closed.person.run("save", TITLE).err
    assert "nothing is saved or captured" in _said_by_doctor(closed, "problem")
    (closed.folder / "stick" / "keys").rename(closed.identity.parent)
    assert capturing.capture(talk)[0].what == "created"


def _said_by_doctor(desk: Desk, state: str) -> str:
    found = desk.person.run("doctor", "--json").json["findings"]
    return " ".join(row["sentence"] for row in found if row["state"] == state)


def test_what_was_kept_of_a_session_in_plain_is_encrypted_when_it_goes_on(desk: Desk) -> None:
    capturing, talk = _capturing(desk), _talk()
    capturing.capture(talk, over=False)
    assert len(_left(desk)) >= 2  # its state and the raw copy
    desk.person.ok("config", "encryption.episodic", "true")
    talk.prompt("And now the kettle, please, as we said before.")
    talk.answer("It is on.")
    (done,) = capturing.capture(talk)
    assert _left(desk) == []
    assert "kettle" in desk.person.ok("show", done.memory, "--level", "3").out
    assert len(list(desk.person.store.glob("encrypted/*"))) == 1


def test_all_that_is_plain_from_before_is_named_and_encrypted_by_one_command(desk: Desk) -> None:
    capturing = _capturing(desk)
    capturing.capture(_talk())
    desk.person.ok("save", TITLE, *GIVEN)
    desk.person.ok("config", "encryption.store", "true")
    said = _said_by_doctor(desk, "note")
    assert "still plain text" in said
    assert "plain copies of earlier sessions" in said
    done = desk.person.ok("encrypt", "--all", "--yes", "--json").json
    # What was learned before has a file by which agents live: it is named, and left to the person.
    assert list(done["plain"]) == ["feedback"]
    assert "feedback.md" in {Path(path).name for path in _left(desk)}
    desk.person.ok("forget", "feedback", "--purge", "--yes")
    assert _left(desk) == []
    assert len(list(desk.person.store.glob("encrypted/*"))) == 2


def test_a_plain_memory_of_an_encrypted_layer_is_encrypted_before_it_is_changed(
    desk: Desk,
) -> None:
    name = desk.person.ok("save", "Tea", "--body", "hot", "--json").json["id"]
    desk.person.ok("config", "encryption.semantic", "true")
    ran = desk.person.run("edit", name, "--append", BODY)
    assert ran.code == 19
    assert desk.left() == []
    new = desk.person.ok("encrypt", name, "--json").json["id"]
    desk.person.ok("edit", new, "--append", BODY)
    assert desk.left() == []
    assert desk.person.run("decrypt", new).code == 19


def test_one_layer_is_encrypted_and_the_others_are_not(desk: Desk) -> None:
    desk.person.ok("config", "encryption.reference", "true")
    assert (
        desk.person.ok("save", "A", "--kind", "pointer", "--json").json["id"].startswith("sealed")
    )
    assert desk.person.ok("save", "B", "--kind", "rule", "--json").json["id"].startswith("feedback")
    desk.person.ok("memory-set", "project", "A tea shop.")


def test_consolidation_puts_nothing_plain_into_an_encrypted_layer_and_loses_nothing(
    desk: Desk,
) -> None:
    body = "The kettle uses 230 volts. Always descale the kettle with vinegar."
    old = ("--kind", "note", "--layer", "episodic", "--tags", "kettle,tea")
    path = Path(desk.person.ok("save", "Today", *old, "--body", body, "--json").json["path"])
    path.write_text(with_field(path.read_text("utf-8"), "decay-after", "1026-01-01"), "utf-8")
    for layer in ("semantic", "procedural"):
        desk.person.ok("config", f"encryption.{layer}", "true")
    desk.person.ok("consolidate", "--force-decay")
    assert path.exists()
    assert not list(desk.person.store.glob("semantic/*.md"))
    assert not list(desk.person.store.glob("procedural/*.md"))
    for layer in ("semantic", "procedural"):
        desk.person.ok("config", f"encryption.{layer}", "false")
    desk.person.ok("consolidate", "--force-decay")
    assert not path.exists()


@pytest.mark.parametrize(("own", "theirs"), [("true", "false"), ("false", "true")])
def test_a_project_may_ask_for_encryption_and_not_turn_it_off(
    desk: Desk, own: str, theirs: str
) -> None:
    everywhere = desk.person.home / ".claude" / "memory"
    everywhere.mkdir(parents=True)
    for root, value in ((everywhere, own), (desk.person.store, theirs)):
        (root / "config.toml").write_text(f"[encryption]\nstore = {value}\n", "utf-8")
    desk.person.ok("save", TITLE, *GIVEN)
    assert desk.left() == []


def test_nothing_new_is_told_to_an_agent_and_the_agent_can_save(closed: Desk) -> None:
    agent = Person(closed.person.home, closed.person.project, {"CLAUDECODE": "1"})
    name = agent.ok("save", TITLE, *GIVEN, "--json").json["id"]
    _capturing(closed).capture(_talk())
    for words in (["recall", "--start"], ["recall", "kingfisher doubloons"], ["list"], ["stats"]):
        assert not says(agent.ok(*words), WORDS)
    assert agent.run("show", name).code == 19
