"""`set` with an entry of a page: its footnote gets what belongs to it; the rest is said to be the page's."""

from __future__ import annotations

import pytest
from tests.cli.running import Person, tree_of

ORDERS = """---
title: Orders
type: semantic
created: 2026-10-01T00:00:00Z
updated: 2026-10-02T00:00:00Z
---
# Orders

- Order store: PostgreSQL. ^k3f9 [^0b6f3a]
- Numbers are ULIDs. ^k3m2 [^91c2e0]
- They are never reused. ^k3w3 [^0b6f3a]

[^0b6f3a]: 2026-10-06, "Schema for orders", said by the person
[^91c2e0]: 2026-11-16, "Ids", noted by the agent
"""
RULES = """---
title: How to work here
type: procedural
created: 2026-10-01T00:00:00Z
---
# How to work here

## Never push to main ^m2d7 [^0b6f3a]

## Solution: the queue hangs ^w8pq [^5d11ab]

Restart the worker.

[^0b6f3a]: 2026-10-06, "Schema for orders", said by the person
[^5d11ab]: 2026-10-09, "The queue again", seen in the session, fairly sure
"""


@pytest.fixture
def kept(person: Person) -> Person:
    """Somebody with a page of facts and a page of rules."""
    person.write("semantic/orders.md", ORDERS)
    person.write("procedural/feedback.md", RULES)
    return person


def notes(person: Person, path: str) -> list[str]:
    """The lines of entries and footnotes of a page."""
    lines = (person.store / path).read_text("utf-8").splitlines()
    return [line for line in lines if line.startswith(("- ", "## ", "[^"))]


def test_a_person_trusts_or_doubts_one_line(kept: Person) -> None:
    kept.ok("set", "k3m2", "trust=user")
    assert kept.ok("show", "k3m2", "--json").json["trust"] == "user"
    assert '[^91c2e0]: 2026-11-16, "Ids", approved by the person' in notes(
        kept, "semantic/orders.md"
    )
    kept.ok("set", "k3f9", "trust=tool", "source=observed")
    shown = kept.ok("show", "k3f9", "--json").json
    assert (shown["trust"], shown["source"], shown["created"][:10]) == (
        "tool",
        "observed",
        "2026-10-06",
    )
    assert kept.ok("show", "k3w3", "--json").json["trust"] == "user"  # of the same session
    kept.ok("undo")
    kept.ok("undo")
    assert (kept.store / "semantic/orders.md").read_text("utf-8") == ORDERS


def test_how_important_it_is_and_whether_it_is_a_decision(kept: Person) -> None:
    kept.ok("set", "k3f9", "salience=high", "kind=decision")
    assert kept.ok("show", "k3f9", "--json").json["kind"] == "decision"
    [note] = [line for line in notes(kept, "semantic/orders.md") if "decision" in line]
    assert note.endswith(
        '2026-10-06, "Schema for orders", said by the person, as a decision, important'
    )
    kept.ok("set", "k3f9", "kind=fact", "salience=medium")
    assert not any("decision" in line for line in notes(kept, "semantic/orders.md"))
    assert kept.ok("show", "k3w3", "--json").json["created"][:10] == "2026-10-06"
    said = kept.ok("set", "k3f9", "kind=fact", "salience=medium", "status=confirmed").out
    assert "nothing was changed" in said


def test_a_section_has_its_own_fields(kept: Person) -> None:
    kept.ok("set", "w8pq", "confidence=high", "trust=user")
    assert kept.ok("show", "w8pq", "--json").json["trust"] == "user"
    said = '[^5d11ab]: 2026-10-09, "The queue again", noted by the person, sure'
    assert said in notes(kept, "procedural/feedback.md")
    kept.ok("set", "m2d7", "trust=agent", "source=inferred")
    assert kept.ok("show", "m2d7", "--json").json["trust"] == "agent"
    assert any(
        line.endswith("noted by the agent") for line in notes(kept, "procedural/feedback.md")
    )


def test_a_line_by_hand_gets_a_footnote(kept: Person) -> None:
    kept.write("semantic/orders.md", ORDERS.replace("reused. ^k3w3 [^0b6f3a]", "reused. ^k3w3"))
    kept.ok("set", "k3w3", "trust=agent", "source=inferred")
    shown = kept.ok("show", "k3w3", "--json").json
    assert (shown["trust"], shown["text"]) == ("agent", "They are never reused.")


@pytest.mark.parametrize(
    ("name", "field", "said"),
    [
        ("k3f9", "tags=a,b", "`recollect set orders tags=…`"),
        ("k3f9", "title=Other", "`recollect edit orders#^k3f9`"),
        ("k3f9", "status=superseded", "`recollect supersede orders#^k3f9 NEW`"),
        ("k3f9", "confidence=low", "`recollect set orders confidence=low`"),
        ("k3f9", "kind=rule", "An entry of orders is a decision"),
        ("k3f9", "created=2026-01-01", "cannot be set"),
        ("m2d7", "kind=decision", "`recollect set feedback kind=decision`"),
    ],
)
def test_what_belongs_to_the_page_is_named(kept: Person, name: str, field: str, said: str) -> None:
    kept.ok("list")
    before = tree_of(kept.store)
    ran = kept.run("set", name, field)
    assert (ran.code, said in ran.err) == (2, True), ran
    assert tree_of(kept.store) == before


def test_a_dry_run_changes_nothing_and_an_agent_trusts_nothing(kept: Person) -> None:
    kept.ok("list")
    before = tree_of(kept.store)
    assert "approved by the person" in kept.ok("set", "k3m2", "trust=user", "--dry-run").out
    assert kept.run("set", "k3m2", "trust=user", env={"CLAUDECODE": "1"}).code == 2
    assert kept.run("set", "orders#^zzzz", "trust=user").code == 10
    assert tree_of(kept.store) == before


def test_a_rule_by_hand_is_doubted_and_trusted_again(kept: Person) -> None:
    rules = "# How to work here\n\n- Always squash ^q4w5\n- Use merge commits ^q4w6\n"
    kept.write("procedural/feedback.md", rules)
    kept.ok("set", "q4w6", "trust=agent", "source=inferred")
    rows = {row["entry"]: row["trust"] for row in kept.ok("list", "--kind", "rule", "--json").json}
    assert (rows["q4w5"], rows["q4w6"]) == ("user", "agent"), kept.ok("show", "feedback").out
    kept.ok("set", "q4w6", "trust=user")
    assert kept.ok("show", "q4w6", "--json").json["trust"] == "user"
