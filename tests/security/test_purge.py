"""What is purged is in no file any more, and what cannot be reached is named."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest
from tests.capture.desk import Desk
from tests.capture.test_reactions import consolidate
from tests.capture.transcripts import Transcript
from tests.cli.running import Person

import recollect.store.journal
import recollect.store.journal_lines
from recollect.errors import StorageFailed
from recollect.store import locations

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


def test_what_was_filed_from_a_purged_session_is_named_and_can_be_taken_back(desk: Desk) -> None:
    transcript = Transcript()
    transcript.prompt(f"Never use tabs in {WORD} files. Always run make lint before a commit.")
    transcript.answer("Understood, it is set up.")
    transcript.prompt("Set up the lid of the teapot in src/lid.py")
    transcript.answer("It is set up.")
    desk.capture(transcript)
    assert consolidate(desk)
    name = desk.memory().id
    person = Person(desk.folder / "home", desk.project)
    page = {"what": "lines that came from it", "path": str(_page_path(person))}
    for words in (("--dry-run",), ()):
        left = person.ok("forget", name, "--purge", "--yes", "--json", *words).json["left"]
        assert page in left
    assert f"Never use tabs in {WORD} files" in _page(person)
    person.ok("forget", "--from-session", transcript.session)
    assert not [path for path in _left(desk) if path.endswith(".md")]
    person.ok("undo")
    assert f"Never use tabs in {WORD} files" in _page(person)
    said = person.ok("forget", "--from-session", transcript.session, "--dry-run").out
    assert "feedback" in said


def test_a_fact_that_is_purged_leaves_its_session_alone(desk: Desk) -> None:
    _captured(desk)
    person = Person(desk.folder / "home", desk.project)
    before = _left(desk)
    person.ok("save", f"A {WORD} of its own", "--body", "text")
    person.ok("forget", f"a-{WORD}-of-its-own", "--purge", "--yes")
    assert set(before) <= set(_left(desk))


def test_what_cannot_be_reached_is_named(desk: Desk) -> None:
    _, name = _captured(desk)
    (desk.project / ".git/objects/0f").mkdir(parents=True)
    person = Person(desk.folder / "home", desk.project)
    person.run("doctor", "--repair")
    left = person.ok("forget", name, "--purge", "--yes", "--json").json["left"]
    assert {row["what"] for row in left} == {"snapshot", "git history"}
    for row in left:
        assert Path(row["path"]).exists()


@pytest.mark.parametrize("made", ["", "objects/pack", "objects/info"])
def test_git_in_which_nothing_was_ever_committed_has_no_history(desk: Desk, made: str) -> None:
    person = Person(desk.folder / "home", desk.project)
    (desk.project / ".git" / made).mkdir(parents=True)
    for name in ("Tea", "Kettle"):
        person.ok("save", name, "--body", "Green.")
    assert person.ok("forget", "tea", "--purge", "--yes", "--json").json["left"] == []
    if made == "objects/pack":
        (desk.project / ".git/objects/pack/pack-1.pack").touch()
    elif made == "objects/info":
        (desk.project / ".git/objects/info/alternates").write_text("/x\n")
    else:
        shutil.rmtree(desk.project / ".git")
        (desk.project / ".git").write_text("gitdir: nowhere\n")
    left = person.ok("forget", "kettle", "--purge", "--yes", "--json").json["left"]
    assert left == [{"what": "git history", "path": str(desk.project)}]


def test_what_is_purged_from_the_global_store_is_in_no_brief_of_any_project(tmp_path: Path) -> None:
    home = tmp_path / "home"
    people = [Person(home, home / name) for name in ("teapot", "kettle")]
    for person in people:
        person.project.mkdir(parents=True)
        person.ok("init", "--scope", "both")
    here, there = people
    here.ok("save", f"Feed the {WORD}", "--scope", "global", "--kind", "decision")
    there.ok("save", "Boil the water")  # its brief is made anew

    def left() -> list[Path]:
        return [p for p in tmp_path.rglob("*") if p.is_file() and WORD.encode() in p.read_bytes()]

    assert sum(path.name == "brief" for path in left()) == len(people)
    here.ok("forget", f"feed-the-{WORD}", "--purge", "--yes")
    # The journal keeps the name of the file, as docs/security.md says.
    assert {path.parent.name for path in left()} <= {"journal"}
    assert there.ok("recall", "--start").code == 0


def test_what_still_names_it_is_named(tmp_path: Path) -> None:
    person = Person(tmp_path, tmp_path / "teapot")
    person.store.mkdir(parents=True)
    person.ok("save", "Brew the tea", "--kind", "fact")
    other = person.ok("save", "Pour it", "--body", "See brew-the-tea.", "--json").json["path"]
    left = person.ok("forget", "brew-the-tea", "--purge", "--yes", "--json").json["left"]
    assert {"what": "still mentions it", "path": other} in left
    assert not [row for row in left if "/journal/" in row["path"]]


def test_what_was_kept_of_an_edit_goes_with_its_memory(tmp_path: Path) -> None:
    person = Person(tmp_path, tmp_path / "teapot")
    person.store.mkdir(parents=True)
    person.ok("save", "Tea")
    kept = (
        Path(locations.cache_folder(str(person.store), {"HOME": str(tmp_path)})) / "edited-tea.md"
    )
    kept.write_text(WORD)  # there, where somebody else was quicker: tests/cli/test_commands.py
    person.ok("forget", "tea", "--purge", "--yes")
    assert not kept.exists()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("forgotten_before", [False, True])
def test_an_entry_that_is_purged_leaves_its_page(tmp_path: Path, forgotten_before: bool) -> None:
    person = Person(tmp_path / "home", tmp_path / "project")
    person.project.mkdir(parents=True)
    person.ok("init", "--scope", "project")
    person.ok("save", "Always squash pull requests")
    person.ok("save", f"Never feed the {WORD}")
    person.ok("save", "Write tests first")
    listed = person.ok("list", "--json").json
    name = next(one["entry"] for one in listed if WORD in one["text"])

    person.ok("forget", name, "--purge", "--yes", "--dry-run")
    assert WORD in _page(person)
    if forgotten_before:
        name = person.ok("forget", name, "--json").json["id"]
    done = person.ok("forget", name, "--purge", "--yes", "--json").json
    assert done["left"] == []
    left = [
        path for root in (person.store, person.home) for path in root.rglob("*") if path.is_file()
    ]
    assert not [path for path in left if WORD.encode() in path.read_bytes()]
    kept = {one["text"] for one in person.ok("list", "--json").json}
    assert kept == {"Write tests first", "Always squash pull requests"}
    person.ok("doctor")
    assert person.run("forget", name, "--purge", "--yes").code == 10

    before = _page(person)
    person.ok("save", "Run the linter", "--kind", "rule")
    person.ok("undo")
    assert _page(person) == before


def _page_path(person: Person) -> Path:
    return person.store / "procedural" / "feedback.md"


def _page(person: Person) -> str:
    return _page_path(person).read_text()


def test_a_purged_entry_of_a_session_names_the_copies_that_say_it(desk: Desk) -> None:
    _captured(desk)
    person = Person(desk.folder / "home", desk.project)
    [name] = [one["entry"] for one in person.ok("list", "--kind", "decision", "--json").json]
    left = person.ok("forget", name, "--purge", "--yes", "--json").json["left"]
    folders = {Path(one["path"]).parent.name for one in left}
    assert folders == {"raw", "active", desk.memory().id}  # the last one for its conversation


# ----------------------------------------------------------------- where it was before, and still is


@pytest.fixture
def person(tmp_path: Path) -> Person:
    person = Person(tmp_path / "home", tmp_path / "project")
    person.project.mkdir(parents=True)
    person.ok("init", "--scope", "both")
    return person


def _saying(person: Person) -> list[str]:
    """The files of a person in which the word stands."""
    folder = person.project.parent
    files = (path for path in folder.rglob("*") if path.is_file())
    return [str(path.relative_to(folder)) for path in files if WORD.encode() in path.read_bytes()]


def _change(person: Person, cause: str) -> str:
    rows = person.ok("history", "--json").json
    return str(next(row["change"] for row in rows if row["cause"] == cause))


@pytest.mark.parametrize("kind", ["rule", "fact"])
def test_what_was_promoted_is_purged_where_it_came_from(person: Person, kind: str) -> None:
    person.ok("save", "Brew", "--kind", kind, "--body", f"Feed the {WORD} first")
    person.ok("save", "Pour", "--kind", kind, "--body", "Warm the cup")
    name = "feedback#brew" if kind == "rule" else "brew"
    person.ok("edit", name, "--append", "It is hungry.")
    person.ok("promote", name, "--to", "global")
    promoted = _change(person, "promote")
    assert person.ok("forget", name, "--purge", "--yes", "--json").json["left"] == []
    assert _saying(person) == []
    assert person.run("undo", promoted).code == 1
    assert _saying(person) == []
    before = person.ok("list", "--json").json
    person.ok("save", "Stir", "--kind", kind)
    person.ok("undo")  # what has nothing to do with it
    assert person.ok("list", "--json").json == before != []
    person.ok("doctor")


@pytest.mark.parametrize("before", [[], ["unpin"], ["promote"]], ids=["", "unpinned", "promoted"])
def test_the_pointer_to_a_memory_is_purged_with_it(person: Person, before: list[str]) -> None:
    person.ok("save", "Pots", "--kind", "decision", "--body", f"The {WORD} is blue.")
    person.ok("save", "Cups", "--kind", "decision", "--body", "Cups are red.")
    person.ok("pin", "pots", "--brief", f"{WORD}!")
    person.ok("pin", "cups")
    for command in before:
        person.ok(command, "pots")
    person.ok("forget", "pots", "--purge", "--yes")
    assert _saying(person) == []
    assert "Cups are red" in (person.project / "CLAUDE.md").read_text("utf-8")


def _archived_tea(person: Person) -> str:
    """An entry that was archived from a page with another one, which changed before and since."""
    person.ok("save", "Tea is black", "--subject", "Tea")
    person.ok("save", f"Tea is green as a {WORD}", "--subject", "Tea")
    person.ok("save", "Tea costs 3", "--subject", "Tea")
    rows = person.ok("list", "--json").json
    entry = next(one["entry"] for one in rows if WORD in one["text"])
    person.ok("archive", entry)
    person.ok("save", "Tea comes in tins", "--subject", "Tea")
    return f"tea-{entry}"


def test_an_archived_entry_is_purged_from_the_older_texts_of_its_page(person: Person) -> None:
    name = _archived_tea(person)
    changes = [row["change"] for row in person.ok("history", "--json").json]
    assert person.ok("forget", name, "--purge", "--yes", "--json").json["left"] == []
    assert _saying(person) == []
    for change in changes:
        assert WORD not in person.ok("search", WORD, "--as-of", change).out.replace(f"“{WORD}”", "")
    person.ok("undo", "tea")  # that the last entry was added
    assert "Tea comes in tins" not in person.ok("list").out
    first = next(row["change"] for row in person.ok("history", "--json").json[::-1])
    person.ok("undo", "--to", first)
    assert [one["text"] for one in person.ok("list", "--json").json] == ["Tea is black"]
    assert _saying(person) == []


def test_a_memory_that_has_a_word_in_common_can_still_be_brought_back(person: Person) -> None:
    person.ok("save", "Teapot rinsing", "--kind", "fact", "--body", "The database rinses it.")
    person.ok(
        "save", "Database", "--kind", "fact", "--body", "Database.\n\nIt is behind the shelf."
    )
    person.ok("forget", "teapot-rinsing")
    person.ok("forget", "database", "--purge", "--yes")
    person.ok("undo", "teapot-rinsing")
    assert "rinses it" in person.ok("show", "teapot-rinsing").out


@pytest.mark.parametrize("titled", [True, False])
def test_a_page_that_was_moved_by_hand_is_purged_under_its_old_path(
    person: Person, titled: bool
) -> None:
    page = Path(person.ok("save", "Lid", "--body", "One.", "--json").json["path"])
    person.ok("edit", "lid", "--body", f"A {WORD} sits on it.")
    point = person.ok("history", "--json").json[0]["change"]
    text = page.read_text()
    page.unlink()
    new = page.with_name("cover.md")
    new.write_text(text if titled else text.replace("id: lid\n", ""))
    [row] = person.ok("list", "--json").json
    person.ok("forget", row["id"], "--purge", "--yes")
    assert _saying(person) == []
    person.ok("undo", "--to", point)
    assert _saying(person) == []


def test_a_ruling_that_quotes_it_is_gone_with_its_file(person: Person) -> None:
    for name in (WORD, "heron"):
        words = ("--kind", "decision", "--subject", "Events")
        person.ok("save", f"We use {name} for events", *words)
    [row] = person.ok("conflicts", "--json").json
    person.ok("conflicts", "--choose", row["id"], "new")
    rulings = person.store / "rulings.toml"
    left = person.ok("forget", "events", "--purge", "--yes", "--json").json["left"]
    assert str(rulings) in {row["path"] for row in left}
    rulings.unlink()
    left = [path for path in _saying(person) if "journal" in path]
    assert left == []


@pytest.mark.parametrize("n", range(1, 7))
def test_a_purge_that_is_interrupted_is_done_by_the_next_one(
    person: Person, n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = _archived_tea(person)
    count = 0

    def crash(path: str, lines: Iterable[bytes]) -> None:
        nonlocal count
        count += 1
        if count == n:
            raise StorageFailed(path=path, reason="the machine went down")
        write_lines(path, lines)

    write_lines = recollect.store.journal_lines.write_lines
    with monkeypatch.context() as broken:
        broken.setattr(recollect.store.journal_lines, "write_lines", crash)
        broken.setattr(recollect.store.journal, "write_lines", crash)
        if person.run("forget", name, "--purge", "--yes").code:
            assert _saying(person)
    person.run("forget", name, "--purge", "--yes")
    assert _saying(person) == []
    assert {one["text"] for one in person.ok("list", "--json").json} == {
        "Tea is black", "Tea costs 3", "Tea comes in tins",
    }  # fmt: skip
    person.ok("doctor")
    person.ok("undo", "tea")
