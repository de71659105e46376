"""A page whose title is a statement keeps it, whatever becomes of what was added below."""

from __future__ import annotations

import pytest
from tests.cli.running import Person

AGENT = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s-1"}
POOL = "The pool holds at most ten links"


@pytest.fixture
def pool(person: Person) -> Person:
    """Somebody who saved a fact, to which an agent added a section."""
    person.ok("save", POOL, "--kind", "fact")
    title, name = "Agent adds a note here about pools", "the-pool-holds-at-most-ten-links"
    person.ok("save", title, "--into", name, "--body", "It thinks 12 is fine.", env=AGENT)
    return person


def told(person: Person) -> dict[str, str]:
    """Each entry that is listed, with its trust."""
    return {row["text"]: row["trust"] for row in person.ok("list", "--json").json}


@pytest.mark.parametrize(
    "words",
    [
        ("review", "--reject", "NAME"),
        ("review", "--reject-all"),
        ("forget", "NAME"),
        ("archive", "NAME"),
        ("forget", "--from-session", "s-1"),
    ],
    ids=" ".join,
)
def test_it_stays_when_what_an_agent_added_goes(words: tuple[str, ...], pool: Person) -> None:
    name = "the-pool-holds-at-most-ten-links#agent-adds-a-note-here-about-pools"
    before = told(pool)
    assert before[POOL] == "user"
    pool.ok(*(name if word == "NAME" else word for word in words))
    assert told(pool) == {POOL: "user"}
    pool.ok("undo")
    assert told(pool) == before


def test_a_decision_stays_when_what_an_agent_added_goes(person: Person) -> None:
    person.ok("fact", "decision", "Redis holds the sessions")
    [row] = person.ok("list", "--json").json
    person.ok("save", "An agent's remark on it", "--into", row["id"], "--body", "So?", env=AGENT)
    person.ok("review", "--reject-all")
    assert told(person) == {"Redis holds the sessions": "user"}


@pytest.mark.parametrize("kind", ["fact", "decision", "rule"])
@pytest.mark.parametrize("body", ["", "Floats lost pennies."])
def test_what_an_agent_appends_leaves_the_statement_the_persons(
    kind: str, body: str, person: Person
) -> None:
    said = "Money is stored in cents"
    person.ok("save", said, "--kind", kind, *(["--body", body] if body else []))
    [row] = person.ok("list", "--json").json
    name = f"{row['id']}#{row['anchor']}" if kind == "rule" else row["id"]
    person.ok("edit", name, "--append", "Except on Fridays.", env=AGENT)
    assert told(person)[said] == "user"
    brief = person.ok("recall", "--start").out
    assert "Fridays" not in brief.partition("Noted by agents")[0]
    person.ok("review", "--reject-all")
    assert told(person) == {said: "user"}
    assert "Fridays" not in "".join(p.read_text("utf-8") for p in person.store.rglob("*.md"))


def test_what_an_agent_appends_to_a_line_leaves_it_the_persons(person: Person) -> None:
    person.ok("save", "Teapot glaze: green", "--subject", "Teapots")
    [row] = person.ok("list", "--json").json
    person.ok("edit", row["entry"], "--append", "But blue at night.", env=AGENT)
    assert told(person)["Teapot glaze: green"] == "user"
    assert told(person)["Teapot glaze: green: But blue at night."] == "agent"
    person.ok("review", "--reject-all")
    assert told(person) == {"Teapot glaze: green": "user"}


def test_the_title_of_an_agents_page_is_not_told_once_its_only_line_is_deleted(
    person: Person,
) -> None:
    subject = "Deploy with Jenkins and never by hand"
    person.ok("save", "All deploys go through Jenkins", "--subject", subject, env=AGENT)
    [row] = person.ok("list", "--json").json
    page = next(person.store.glob("semantic/*.md"))
    lines = page.read_text("utf-8").splitlines(keepends=True)
    page.write_text("".join(line for line in lines if not line.startswith("- ")), "utf-8")
    assert "No brief" in person.ok("recall", "--start").out
    assert person.ok("search", "jenkins hand", "--json").json["hits"] == []
    assert "Nothing relevant" in person.ok("recall", "deploy jenkins by hand?").out
    assert row["trust"] == "agent"


def test_a_merge_keeps_the_statement_of_a_page_that_is_only_a_title(person: Person) -> None:
    person.ok("save", POOL, "--kind", "fact")
    person.ok("save", "Orders live in PostgreSQL", "--kind", "fact")
    person.ok("merge", "the-pool-holds-at-most-ten-links", "orders-live-in-postgresql")
    assert told(person) == {POOL: "user", "Orders live in PostgreSQL": "user"}


def test_a_merge_with_an_agents_page_leaves_the_persons_statement_theirs(person: Person) -> None:
    person.ok("save", POOL, "--kind", "fact")
    person.ok("save", "Orders live in PostgreSQL", "--kind", "fact", env=AGENT)
    person.ok("merge", "the-pool-holds-at-most-ten-links", "orders-live-in-postgresql")
    assert told(person) == {POOL: "user", "Orders live in PostgreSQL": "agent"}
    theirs = person.ok("recall", "--start").out.partition("Noted by agents")[0]
    assert f"- {POOL} (" in theirs
    assert "PostgreSQL" not in theirs
