"""`merge` with two entries: one statement stays, with the footnotes of both; the other one goes."""

from __future__ import annotations

import pytest
from tests.cli.running import Person, tree_of
from tests.cli.test_filed import ASK, DAYS, ZEPHYR, named, says, session

from recollect.consolidate.actions import Replace
from recollect.consolidate.edit import with_actions
from recollect.model.footnotes import Mark

ORDERS = """---
title: Orders
type: semantic
created: 2026-10-01T00:00:00Z
---
# Orders

- Order store: PostgreSQL. ^k3f9 [^0b6f3a]
- Orders are stored in PostgreSQL. ^k3m2 [^91c2e0]
- They are never reused. ^k3w3 [^5d11ab]

[^0b6f3a]: 2026-10-06, "Schema for orders", said by the person
[^5d11ab]: 2026-10-09, "The queue again", noted by the agent
[^91c2e0]: 2026-11-16, "Ids", said by the person
"""
PAYMENTS = """---
title: Payments
type: semantic
created: 2026-10-01T00:00:00Z
---
# Payments

- Use PostgreSQL for the orders. ^m2d7 [^91c2e0]

[^91c2e0]: 2026-11-16, "Ids", said by the person
"""
RULES = """---
title: How to work here
type: procedural
created: 2026-10-01T00:00:00Z
---
# How to work here

## Solution: the queue hangs ^w8pq [^5d11ab]

Restart the worker.

## Solution: the queue stands still ^z7x8 [^0b6f3a]

Restart the worker.

Then look at its log.

[^0b6f3a]: 2026-10-06, "Schema for orders", seen in the session
[^5d11ab]: 2026-10-09, "The queue again", seen in the session
"""


@pytest.fixture
def kept(person: Person) -> Person:
    """Somebody with two pages of facts and a page of solutions."""
    person.write("semantic/orders.md", ORDERS)
    person.write("semantic/payments.md", PAYMENTS)
    person.write("procedural/feedback.md", RULES)
    return person


def text_of(person: Person, path: str) -> str:
    return (person.store / path).read_text("utf-8")


def test_two_lines_of_a_page_become_one_with_both_footnotes(kept: Person) -> None:
    done = kept.ok("merge", "k3f9", "k3m2", "--json").json
    assert (done["id"], done["other"], done["archived"]) == ("orders#^k3f9", "orders#^k3m2", "")
    page = text_of(kept, "semantic/orders.md")
    assert "- Order store: PostgreSQL. ^k3f9 [^91c2e0] [^0b6f3a]\n- They" in page
    assert '[^91c2e0]: 2026-11-16, "Ids", said by the person' in page
    shown = kept.ok("show", "k3f9", "--json").json
    assert (shown["trust"], shown["created"][:10]) == ("user", "2026-10-06")
    kept.ok("consolidate")
    assert kept.run("show", "k3m2").code == 10
    kept.ok("undo")
    assert text_of(kept, "semantic/orders.md") == ORDERS


def test_a_line_of_another_page_goes_with_its_page(kept: Person) -> None:
    kept.ok("merge", "k3f9", "m2d7")
    assert not (kept.store / "semantic/payments.md").exists()
    assert "^k3f9 [^91c2e0] [^0b6f3a]\n" in text_of(kept, "semantic/orders.md")
    kept.ok("undo")
    assert text_of(kept, "semantic/payments.md") == PAYMENTS
    assert text_of(kept, "semantic/orders.md") == ORDERS


def test_the_word_of_an_agent_does_not_lower_the_persons(kept: Person) -> None:
    kept.ok("merge", "k3f9", "k3w3")
    assert kept.ok("show", "k3f9", "--json").json["trust"] == "user"
    assert "^k3f9 [^0b6f3a]\n" in text_of(kept, "semantic/orders.md")
    kept.ok("undo")
    ran = kept.run("merge", "k3w3", "k3f9", env={"CLAUDECODE": "1"})
    assert (ran.code, "Only a person" in ran.err) == (2, True)
    kept.ok("merge", "k3w3", "k3f9")
    assert kept.ok("show", "k3w3", "--json").json["trust"] == "agent"


def test_a_merged_line_is_edited_and_superseded_like_any_other(kept: Person) -> None:
    kept.ok("merge", "k3f9", "k3m2")
    kept.ok("supersede", "k3f9", "m2d7")
    assert "Order store" not in text_of(kept, "semantic/orders.md")
    assert "Order store" not in kept.ok("list").out


def test_consolidation_replaces_a_merged_line_with_all_its_footnotes(kept: Person) -> None:
    kept.ok("merge", "k3f9", "k3m2")
    text, path, said = text_of(kept, "semantic/orders.md"), "semantic/orders.md", "Order store: "
    mark = Mark("s-9", "2026-11-20", "user", "instructed")
    made = with_actions(text, Replace(path, f"{said}PostgreSQL.", f"{said}SQLite.", mark))
    [line] = [line for line in made.splitlines() if "SQLite" in line]
    assert line.count("[^") == 1
    assert "Ids" not in made
    assert said not in with_actions(text, Replace(path, f"{said}PostgreSQL.", "", mark))


def test_two_solutions_become_one_that_says_what_both_say(kept: Person) -> None:
    kept.ok("merge", "w8pq", "z7x8")
    page = text_of(kept, "procedural/feedback.md")
    assert page.count("Restart the worker.") == 1
    assert "Then look at its log." in page
    assert "stands still" not in page
    assert "## Solution: the queue hangs ^w8pq [^5d11ab] [^0b6f3a" in page
    assert "2026-10-06, seen before" in page
    kept.ok("undo")
    assert text_of(kept, "procedural/feedback.md") == RULES


@pytest.mark.parametrize(
    ("one", "other", "code", "said"),
    [
        ("k3f9", "k3f9", 2, "merged with itself"),
        ("k3f9", "payments", 2, "`recollect supersede payments orders#^k3f9`"),
        ("k3f9", "z7x8", 2, "`recollect edit orders#^k3f9`"),
        ("k3f9", "orders#^zzzz", 10, "zzzz"),
    ],
)
def test_what_cannot_be_one_is_explained(
    kept: Person, one: str, other: str, code: int, said: str
) -> None:
    kept.ok("list")
    before = tree_of(kept.store)
    ran = kept.run("merge", one, other)
    assert (ran.code, said in ran.err) == (code, True), ran
    assert "PostgreSQL" in kept.ok("merge", "k3f9", "k3m2", "--dry-run").out
    assert tree_of(kept.store) == before


def test_no_session_tells_the_one_that_went(person: Person) -> None:
    session(person, DAYS[0], ZEPHYR)
    person.ok("consolidate")
    stays = person.ok(
        "save", "The firmware builds on top of Zephyr", "--subject", "Firmware", "--json"
    ).json["id"]
    goes = named(person, "Zephyr for the firmware")
    person.ok("merge", stays, goes)
    for _ in range(2):
        texts = [row["text"] for row in person.ok("list", "--json").json]
        assert [text for text in texts if "Zephyr" in text] == [
            "The firmware builds on top of Zephyr"
        ]
        assert says(person, ASK, "Zephyr for the firmware") == set()
        person.ok("consolidate")
