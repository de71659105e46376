"""What is appended to a page that lists entries becomes an entry of the list."""

from __future__ import annotations

import pytest
from tests.cli.running import Person

AGENT = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s-1"}


@pytest.fixture
def parcels(person: Person) -> Person:
    """Somebody with a page of two statements."""
    for said in ("Parcels go by train", "Parcels are insured"):
        person.ok("save", said, "--subject", "Parcels")
    return person


def page_of(person: Person) -> str:
    return (person.store / "semantic/parcels.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("Parcels leave on Fridays", ["Parcels leave on Fridays"]),
        ("- Parcels leave on Fridays\n- They are weighed", ["Parcels leave on Fridays", "They are weighed"]),
        ("Parcels leave on\nFridays.\n\nThey are weighed.", ["Parcels leave on Fridays.", "They are weighed."]),
        ("包裹周五发出", ["包裹周五发出"]),
    ],
)  # fmt: skip
def test_what_a_person_appends_to_a_list_is_an_entry_of_it(
    more: str, said: list[str], parcels: Person
) -> None:
    parcels.ok("edit", "parcels", "--append", more)
    rows = {row["text"]: row for row in parcels.ok("list", "--json").json}
    assert set(rows) == {"Parcels go by train", "Parcels are insured", *said}
    brief = parcels.ok("recall", "--start").out
    for one in said:
        assert (rows[one]["trust"], rows[one]["source"]) == ("user", "instructed")
        line = next(line for line in page_of(parcels).split("\n") if line.startswith(f"- {one} "))
        assert f" ^{rows[one]['entry']} [^" in line
        assert one.rstrip(".") in brief
    assert "noted by" not in page_of(parcels)
    shown = parcels.ok("show", rows[said[0]]["entry"], "--json").json
    assert shown["text"] == said[0]
    parcels.ok("undo")
    assert len(parcels.ok("list", "--json").json) == 2


def test_what_an_agent_appends_to_a_list_is_listed_by_what_it_says(parcels: Person) -> None:
    parcels.ok("edit", "parcels", "--append", "Parcels leave on Fridays", env=AGENT)
    rows = {row["text"]: row for row in parcels.ok("list", "--json").json}
    row = rows["Parcels leave on Fridays"]
    assert [one["trust"] for one in rows.values()].count("user") == 2
    assert row["trust"] == "agent"
    assert row["anchor"].startswith("^")
    brief = parcels.ok("recall", "--start").out
    assert "Fridays" in brief.partition("Noted by agents")[2]
    parcels.ok("review", "--reject-all")
    assert "Fridays" not in page_of(parcels)


def test_what_an_agent_appends_to_another_page_is_listed_by_what_it_says(person: Person) -> None:
    person.ok("save", "Use trains", "--kind", "decision", "--body", "They are cheap.")
    person.ok("edit", "use-trains", "--append", "Except on Fridays.\n\nThen by road.", env=AGENT)
    assert "Except on Fridays." in {row["text"] for row in person.ok("list", "--json").json}
    assert "Added by the agent" not in person.ok("list").out


@pytest.mark.parametrize("more", ["## Scales\n\nThey are old.", "```\nweigh\n```", "| a |\n|---|"])
def test_what_is_more_than_statements_is_appended_as_it_is(more: str, parcels: Person) -> None:
    parcels.ok("edit", "parcels", "--append", more)
    assert more in page_of(parcels)


def test_what_is_appended_to_prose_stays_prose(person: Person) -> None:
    person.ok("save", "Use trains", "--kind", "decision", "--body", "They are cheap.")
    person.ok("edit", "use-trains", "--append", "They are clean, too.")
    assert [row["text"] for row in person.ok("list", "--json").json] == ["Use trains"]
    text = (person.store / "semantic/decisions/use-trains.md").read_text("utf-8")
    assert text.endswith("They are cheap.\n\nThey are clean, too.\n")
