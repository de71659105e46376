"""Of what is encrypted no file says a word, whatever is done with it and whoever has a key."""

from __future__ import annotations

import pytest
from tests.cli.running import Person
from tests.crypto.desk import BODY, TITLE, WORDS, Desk, says

# With `{id}` for the encrypted memory. None of these may leave a word of it anywhere.
COMMANDS = (
    "show {id}",
    "show {id} --level 3 --json",
    "edit {id} --append Zbigniew+wants+more+doubloons",
    "edit {id} --title Kingfisher+wages --dry-run",
    "edit {id} --title Kingfisher+wages",
    "set {id} salience=high tags=marmalade,doubloon",
    "search kingfisher",
    "search kingfisher --encrypted",
    "search doubloons --encrypted --json --sections",
    "search --as-of 2099-01-01 kingfisher",
    "list",
    "list --json",
    "timeline",
    "stats",
    "recall kingfisher+doubloons+for+zbigniew",
    "recall --start",
    "history",
    "history {id}",
    "undo {id}",
    "consolidate",
    "conflicts",
    "analyze-skills",
    "merge",
    "review",
    "doctor",
    "doctor --repair",
    "doctor --secrets",
    "rebuild-index",
    "key-list",
    "key-rotate",
    "forget {id} --dry-run",
    "forget {id}",
    "undo",
)


def run(person: Person, line: str, name: str) -> None:
    """Run a command, which may well refuse; a bug it may not have."""
    words = [word.replace("+", " ") for word in line.format(id=name).split()]
    ran = person.run(*words)
    assert ran.code != 70, ran


@pytest.mark.slow
@pytest.mark.parametrize("is_locked", [False, True], ids=["with-the-key", "without"])
def test_no_file_says_a_word_of_it_after_any_command(desk: Desk, is_locked: bool) -> None:
    name = desk.save()
    assert desk.left() == []
    if is_locked:
        desk.lock()
    for line in COMMANDS:
        run(desk.person, line, name)
        assert desk.left() == [], line


def test_the_answer_has_the_words_when_a_person_asks_for_them(desk: Desk) -> None:
    name = desk.save()
    shown = desk.person.ok("show", name).out
    assert TITLE in shown
    assert BODY in shown
    hits = desk.person.ok("search", "marmalade", "--encrypted", "--json").json["hits"]
    assert [(hit["id"], hit["title"]) for hit in hits] == [(name, TITLE)]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "line",
    [
        "list", "list --json", "search kingfisher", "recall kingfisher+doubloons", "recall --start",
        "timeline", "stats", "history {id}", "doctor --json", "list --kind fact",
    ],
)  # fmt: skip
def test_nothing_is_said_of_it_where_nobody_asked_for_what_is_encrypted(
    desk: Desk, line: str
) -> None:
    name = desk.save()
    words = [word.replace("+", " ") for word in line.format(id=name).split()]
    assert not says(desk.person.ok(*words), (*WORDS[1:], "salary"))


@pytest.mark.parametrize("line", ["show {id}", "edit {id} --append x", "search x --encrypted"])
def test_without_the_key_nothing_is_opened_and_the_error_says_where_it_belongs(
    desk: Desk, line: str
) -> None:
    name = desk.save()
    before = desk.file(name).read_bytes()
    desk.lock()
    ran = desk.person.run(*line.format(id=name).split())
    assert str(desk.identity) in ran.err
    assert not says(ran)
    assert desk.file(name).read_bytes() == before


def test_something_new_can_be_encrypted_without_the_key_and_read_with_it(desk: Desk) -> None:
    desk.lock()
    name = desk.save()
    assert desk.left() == []
    desk.unlock()
    assert BODY in desk.person.ok("show", name).out


def test_a_secret_in_it_is_redacted_before_it_is_encrypted(desk: Desk) -> None:
    name = desk.save(
        "Token", "ghp_0123456789abcdefghijABCDEFGHIJ012345 <private>marmalade</private>"
    )
    shown = desk.person.ok("show", name).out
    assert "[redacted:github-token:" in shown
    assert "marmalade" not in shown


def test_a_section_can_be_read_changed_and_forgotten(desk: Desk) -> None:
    name = desk.save(TITLE, f"## Wages\n\n{BODY}\n\n## Other\n\nDoubloons.")
    assert "marmalade" in desk.person.ok("show", f"{name}#wages").out
    desk.person.ok("edit", f"{name}#wages", "--body", "Nothing.")
    assert "marmalade" not in desk.person.ok("show", name).out
    desk.person.ok("forget", f"{name}#other")
    assert "Doubloons" not in desk.person.ok("show", name).out
    assert desk.left() == []


def test_undo_brings_back_what_it_said_without_a_key(desk: Desk) -> None:
    name = desk.save()
    before = desk.file(name).read_bytes()
    desk.person.ok("edit", name, "--append", "More.")
    assert desk.file(name).read_bytes() != before
    desk.lock()
    desk.person.ok("undo", name)
    assert desk.file(name).read_bytes() == before


@pytest.mark.parametrize(
    "words",
    [["--body", f"# {TITLE}\n\n{BODY}"], ["--title", TITLE]],
    ids=["the-same-text", "the-same-title"],
)
def test_what_it_says_already_writes_nothing(desk: Desk, words: list[str]) -> None:
    name = desk.save()
    before = dict(desk.everything())
    assert desk.person.ok("edit", name, *words, "--json").json["what"] == "unchanged"
    changed = {path for path, data in desk.everything() if before.get(path) != data}
    assert not {path for path in changed if path.startswith("project")}


def test_a_person_lists_what_is_encrypted_by_its_titles_and_filters(desk: Desk) -> None:
    name = desk.save(TITLE, BODY, "--kind", "decision")
    desk.person.ok("save", "Plain", "--body", "text")
    rows = desk.person.ok("list", "--encrypted", "--json").json
    assert [(row["id"], row["title"], row["kind"]) for row in rows] == [(name, TITLE, "decision")]
    assert desk.person.ok("list", "--encrypted", "--kind", "issue", "--json").json == []
    assert desk.left() == []


@pytest.mark.parametrize("line", ["search x --encrypted", "list --encrypted", "show {id}"])
def test_what_is_for_other_keys_is_named_and_stops_nothing_else(desk: Desk, line: str) -> None:
    name, good = desk.save(), desk.save("Another x", "x")
    other = desk.save("Third", "x")
    text = desk.file(other).read_text("utf-8").replace(other, name)
    desk.file(name).write_text(text, "utf-8")  # one was put in the place of another
    ran = desk.person.run(*line.format(id=name).split())
    assert f"“{name}” is damaged or was tampered with" in ran.err
    assert (good in ran.out) == ("--encrypted" in line)
