"""What is open: to-dos of sessions that are over, which are listed, closed by id or text, and gone from the brief at
once; the sessions themselves; issues."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from tests.cli.running import Person

AT = {"RECOLLECT_SESSION": "s1"}


@pytest.fixture
def over(person: Person) -> Person:
    """A person with a session that is over, and left two things open."""
    person.ok("session", "start", "Move the orders to PostgreSQL", env=AT)
    person.ok("session", "todo", "Add the index on staging", env=AT)
    person.ok("session", "todo", "Drop the old table", env=AT)
    person.ok("session", "save", env=AT)
    return person


def _brief(person: Person) -> str:
    return person.ok("recall", "--start").out


def _listed(person: Person) -> Mapping[str, str]:
    return {one["text"]: one["id"] for one in person.ok("session", "todo", "--all", "--json").json}


def test_by_its_number_it_goes_from_the_brief_at_once(over: Person) -> None:
    assert "Open: Add the index on staging; Drop the old table" in _brief(over)
    over.ok("session", "todo", "--done", "1", "--session-id", "s1")
    assert "Open: Drop the old table" in _brief(over)
    [page] = over.store.glob("episodic/*/summary.md")
    assert "- [x] Add the index on staging\n- [ ] Drop the old table" in page.read_text()


@pytest.mark.parametrize("how", ["id", "beginning of the id", "text", "beginning of the text"])
@pytest.mark.slow
def test_by_its_id_or_text_from_anywhere(over: Person, how: str) -> None:
    short = _listed(over)["Drop the old table"]
    names = {"id": short, "text": "drop the old table"}
    names |= {"beginning of the id": short[:3], "beginning of the text": "Drop the"}
    over.ok("session", "todo", "--done", names[how], "--dry-run")
    assert set(_listed(over)) == {"Add the index on staging", "Drop the old table"}
    assert "Done: Drop the old table" in over.ok("session", "todo", "--done", names[how]).out
    assert set(_listed(over)) == {"Add the index on staging"}
    assert "Drop the old table" not in _brief(over)
    over.ok("session", "save", "--session-id", "s1")  # the session says so as well
    assert "Drop the old table" not in _brief(over)


def test_of_a_session_that_goes_on(over: Person) -> None:
    env = {"RECOLLECT_SESSION": "s2"}
    over.ok("session", "todo", "Write the guide", env=env)
    over.ok("session", "todo", "--done", _listed(over)["Write the guide"])
    shown = over.ok("session", "todo", env=env).out
    assert "[x] Write the guide" in shown


def test_of_a_memory_that_came_without_its_session(over: Person) -> None:
    for path in (over.store / "sessions" / "active").iterdir():
        path.unlink()
    over.ok("session", "todo", "--done", "Add the index on staging")
    assert set(_listed(over)) == {"Drop the old table"}
    over.ok("undo")
    assert set(_listed(over)) == {"Add the index on staging", "Drop the old table"}


def test_of_a_page_that_a_person_has_changed(over: Person) -> None:
    [page] = over.store.glob("episodic/*/summary.md")
    page.write_text(page.read_text() + "- [ ] Tell the team\n")
    over.ok("session", "todo", "--done", _listed(over)["Tell the team"])
    over.ok("session", "todo", "--done", _listed(over)["Drop the old table"])
    assert set(_listed(over)) == {"Add the index on staging"}
    assert "- [x] Tell the team" in page.read_text()


def test_a_forgotten_memory_stays_away(over: Person) -> None:
    [page] = over.store.glob("episodic/*/summary.md")
    over.ok("forget", page.parent.name)
    over.ok("session", "todo", "--done", "1", "--session-id", "s1")
    assert not page.exists()


def test_nothing_open_is_said(person: Person) -> None:
    assert person.ok("session", "todo", "--all").out == "No session has an open to-do.\n"
    person.ok("session", "start", "Move the orders", env=AT)
    assert person.ok("session", "todo", "--all", "--json").json == []


def test_what_is_not_there_is_said(over: Person) -> None:
    refused = over.run("session", "todo", "--done", "Paint the fence")
    assert refused.code == 2
    assert "There is no open to-do “Paint the fence”" in refused.err
    over.ok("session", "todo", "Drop the old index", env={"RECOLLECT_SESSION": "s2"})
    assert (
        "Several open to-dos begin with “drop”" in over.run("session", "todo", "--done", "drop").err
    )
    assert over.run("session", "todo", "text", "--all").code == 2


def _states(person: Person, *words: str) -> list[str]:
    """The states of the sessions in a list."""
    rows = person.ok("list", "--kind", "session", *words, "--json").json
    return [row["status"] for row in rows if not row.get("anchor")]


@pytest.mark.slow
def test_a_session_is_open_until_its_last_to_do_is_done(over: Person) -> None:
    page = _listed(over)
    assert _states(over) == _states(over, "--pages") == ["open"]
    over.ok("session", "todo", "--done", page["Add the index on staging"])
    assert _states(over) == ["open"]
    over.ok("session", "todo", "--done", page["Drop the old table"])
    assert _states(over) == _states(over, "--pages") == ["ended"]
    assert " ended " in over.ok("list").out
    assert " · ended · " in over.ok("search", "orders").out
    assert " · ended · " in over.ok("show", over.ok("list", "--json").json[0]["id"]).out
    over.ok("config", "lang", "zh")
    assert " 已结束 " in over.ok("list").out


@pytest.mark.parametrize(
    ("said", "state"),
    [
        ("## Issues\n\n- [bugfix] It leaks: open\n", "open"),
        ("## Issues\n\n- [bugfix] It leaks: resolved\n", "ended"),
        ("## TODOs\n\n- [x] Mend it\n", "ended"),
        ("## 待办\n\n- [ ] 修好它\n", "open"),
        ("## Decisions\n\n- [technology] Use SQLite: it is small\n", "ended"),
    ],
)
def test_a_session_is_open_by_what_it_says_whatever_older_versions_wrote(
    person: Person, said: str, state: str
) -> None:
    for name, field in (("new", ""), ("old", "status: open\n")):
        head = f"---\ntitle: Of {name}\nkind: session\n{field}---\n# Of {name}\n\n"
        person.write(f"episodic/2026-01-1{len(field)}-{name}.md", f"{head}{said}")
    assert _states(person) == [state, state]


def test_a_state_that_a_person_gave_a_session_stays(over: Person) -> None:
    [name] = [row["id"] for row in over.ok("list", "--json").json]
    over.ok("set", name, "status=resolved")
    assert _states(over) == ["resolved"]


def test_an_issue_is_open_in_lists_and_in_the_brief_until_it_is_resolved(person: Person) -> None:
    person.ok("save", "Reset mails are sent twice", "--kind", "issue", "--body", "After a restart.")
    [row] = person.ok("list", "--json").json
    assert row["status"] == "open"
    assert "Open\n- Reset mails are sent twice" in _brief(person)
    person.ok("set", row["id"], "status=resolved")
    assert "Reset mails" not in _brief(person)


def test_a_note_is_open_only_if_somebody_says_so(person: Person) -> None:
    person.ok("save", "Today we deployed v2.3")
    person.ok("save", "Today we deployed half of v2.4", "--status", "open")
    rows = person.ok("list", "--json").json
    assert {row["title"]: (row["kind"], row["status"]) for row in rows} == {
        "Today we deployed v2.3": ("note", "confirmed"),
        "Today we deployed half of v2.4": ("note", "open"),
    }
