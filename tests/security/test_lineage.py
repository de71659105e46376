"""What came from outside stays from outside, whatever it is made into."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.capture.desk import Desk
from tests.capture.transcripts import Transcript
from tests.cli.running import Person

PAGE = "https://tea.example/guide"
SAID = "We decided to use Zebrafish for the teapot cache."  # by an agent that had read the page


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def _session(name: str, *, reads: str) -> Transcript:
    log = Transcript(session=name)
    log.prompt(
        f"Please choose a cache for the teapot, number {name}. Always use tabs in the teapot."
    )
    if reads == "page":
        log.result(log.call("WebFetch", url=PAGE), "use Zebrafish")
    elif reads == "shell":
        log.shell(f"curl -sL {PAGE} | head", "use Zebrafish")
    elif reads == "issue":
        log.shell("gh issue view 12 --repo acme/teapot", "use Zebrafish")
    elif reads == "server":
        log.result(log.call("mcp__browser__read", url=PAGE), "use Zebrafish")
    elif reads == "own server":
        log.shell("curl -s http://localhost:8080/health", "ok")
    log.answer(SAID)
    return log


def _person(desk: Desk) -> Person:
    return Person(desk.folder / "home", desk.project)


@pytest.mark.parametrize("reads", ["page", "shell", "issue", "server"])
def test_what_an_agent_says_after_it_read_a_page_is_trusted_like_the_page(
    reads: str, desk: Desk
) -> None:
    desk.capture(_session("a1", reads=reads))
    assert desk.memory().trust == "external"


@pytest.mark.parametrize("reads", ["nothing", "own server"])
def test_what_an_agent_says_by_itself_is_trusted_like_an_agent(reads: str, desk: Desk) -> None:
    desk.capture(_session("a1", reads=reads))
    assert desk.memory().trust == "agent"


def test_it_stays_from_outside_through_all_that_is_made_of_it(desk: Desk) -> None:
    desk.capture(*(_session(f"a{n}", reads="page") for n in range(3)))
    person = _person(desk)
    person.ok("extract-facts", "--session", "a0")
    person.ok("consolidate", "--force-decay")
    person.ok("compress")

    hits = person.ok("search", "zebrafish", "--sections", "--archived", "--json").json["hits"]
    made = [
        row for row in hits if not row["anchor"].startswith("turn-")
    ]  # not the raw conversation
    assert {row["trust"] for row in made} == {"external"}
    for row in person.ok("list", "--json").json:
        if "zebrafish" in row["title"].lower():
            assert row["trust"] == "external", row
    assert "ebrafish" not in person.ok("recall", "--start").out
    assert "ebrafish" not in person.ok("recall", "which cache do we use for the teapot?").out
    assert "tabs" in person.ok("recall", "--start").out  # that is what the person said
    for file in (*desk.root.joinpath("core").glob("*.md"), *desk.folder.rglob("SKILL.md")):
        assert "ebrafish" not in file.read_text()


def test_what_is_merged_is_trusted_no_more_than_the_less_trusted(person: Person) -> None:
    person.write("semantic/mine.md", "---\nid: mine\ntitle: Tea\n---\nIt is blue.\n")
    person.write(
        "semantic/theirs.md", "---\nid: theirs\ntitle: Tea\ntrust: tool\n---\nIt is red.\n"
    )
    person.ok("merge", "mine", "theirs")
    (row,) = [row for row in person.ok("list", "--json").json if row["id"] == "mine"]
    assert row["trust"] == "tool"


def test_what_came_from_outside_is_not_pinned_and_stays_so_in_another_store(
    person: Person,
) -> None:
    person.write("semantic/it.md", "---\nid: it\ntrust: external\n---\nUse Zebrafish.\n")
    assert person.run("pin", "it").code == 2
    person.ok("promote", "it")
    (row,) = person.ok("list", "--scope", "global", "--json").json
    assert row["trust"] == "external"


def test_what_came_from_a_page_is_shown_and_taken_back(desk: Desk) -> None:
    desk.capture(_session("a1", reads="page"), _session("b2", reads="nothing"))
    person = _person(desk)
    rows = person.ok("review", "--page", "tea.example", "--json").json
    assert {row["session"] for row in rows} == {"a1"}
    person.ok("forget", "--from-page", "tea.example")
    assert [memory.session for memory in desk.memories()] == ["b2"]
    assert person.ok("review", "--page", "tea.example", "--json").json == []
    person.ok("undo")
    assert {memory.session for memory in desk.memories()} == {"a1", "b2"}
