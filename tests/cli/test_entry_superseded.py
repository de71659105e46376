"""`supersede` with entries: the old statement goes, the new one holds, and no session brings it back."""

from __future__ import annotations

import pytest
from tests.cli.running import Person, tree_of
from tests.cli.test_filed import ASK, DAYS, ZEPHYR, named, says, session

RULES = "procedural/feedback.md"
ORDERS = """---
title: Orders
type: semantic
created: 2026-10-01T00:00:00Z
---
# Orders

- Use MySQL for the order store: it was there. ^k3f9 [^0b6f]
- Use PostgreSQL. ^k3m2 [^91c2]

[^0b6f]: 2026-10-06, "Schema for orders", said by the person
[^91c2]: 2026-11-16, "Ids", said by the person
"""
FEEDBACK = """---
title: How to work here
type: procedural
created: 2026-10-01T00:00:00Z
---
# How to work here

## Squash every pull request ^q4w5 [^0b6f]

## Merge pull requests with a merge commit ^z7x8 [^91c2]

It keeps the history.

## Never push to main ^m2d7 [^91c2]

[^0b6f]: 2026-10-06, "Schema for orders", said by the person
[^91c2]: 2026-11-16, "Friday release", said by the person
"""


@pytest.fixture
def kept(person: Person) -> Person:
    """Somebody with a page of facts and a page of rules."""
    person.write("semantic/orders.md", ORDERS)
    person.write(RULES, FEEDBACK)
    return person


def text_of(person: Person, path: str) -> str:
    return (person.store / path).read_text("utf-8")


def test_the_old_line_goes_and_the_new_one_gets_its_subject(kept: Person) -> None:
    done = kept.ok("supersede", "k3f9", "k3m2", "--json").json
    assert (done["changed"], done["text"]) == (True, "Use PostgreSQL for the order store")
    assert done["path"] == str(kept.store / "semantic/orders.md")
    page = text_of(kept, "semantic/orders.md")
    assert "- Use PostgreSQL for the order store ^k3m2 [^91c2]\n" in page
    assert "MySQL" not in page
    assert "0b6f" not in page
    assert "MySQL" not in kept.ok("list").out
    kept.ok("undo")
    assert text_of(kept, "semantic/orders.md") == ORDERS


def test_a_rule_stays_as_a_comment_below_the_one_that_replaces_it(kept: Person) -> None:
    kept.ok("supersede", "q4w5", "z7x8")
    rules = text_of(kept, RULES).partition("## Merge")[2].partition("## Never")[0]
    assert "<!-- superseded 20" in rules
    assert "previously Squash every pull request -->" in rules
    assert "## Squash" not in text_of(kept, RULES)
    kept.ok("undo")
    kept.ok("supersede", "z7x8", "q4w5")
    rules = text_of(kept, RULES).partition("## Squash")[2].partition("## Never")[0]
    assert "previously Merge pull requests with a merge commit: It keeps the history. -->" in rules
    rows = [row["entry"] for row in kept.ok("list", "--kind", "rule", "--json").json]
    assert sorted(rows) == ["m2d7", "q4w5"]


def test_a_rule_gives_way_to_an_item_of_another_page(kept: Person) -> None:
    kept.ok("supersede", "m2d7", "k3m2")
    page = text_of(kept, "semantic/orders.md")
    assert "- Use PostgreSQL. ^k3m2 [^91c2]\n  <!-- superseded 20" in page
    assert "previously Never push to main -->" in page
    assert "Never push" not in text_of(kept, RULES)


def test_a_whole_memory_and_an_entry_supersede_each_other(kept: Person) -> None:
    whole = kept.ok("save", "Use SQLite for the order store", "--kind", "decision", "--json").json
    kept.ok("supersede", "k3f9", whole["id"])
    assert "MySQL" not in text_of(kept, "semantic/orders.md")
    done = kept.ok("supersede", whole["id"], "k3m2", "--json").json
    assert (done["changed"], done["text"]) == (True, "Use PostgreSQL for the order store")
    assert kept.ok("show", whole["id"], "--json").json["status"] == "superseded"
    assert not kept.ok("supersede", whole["id"], "k3m2", "--json").json["changed"]


def test_the_last_entry_takes_its_page_with_it(kept: Person) -> None:
    kept.ok("supersede", "k3f9", "q4w5")
    kept.ok("supersede", "k3m2", "q4w5")
    assert not (kept.store / "semantic/orders.md").exists()
    kept.ok("undo")
    assert "PostgreSQL" in text_of(kept, "semantic/orders.md")


@pytest.mark.parametrize(("old", "new"), [("k3f9", "k3m2"), ("q4w5", "k3m2")])
def test_a_dry_run_changes_nothing(kept: Person, old: str, new: str) -> None:
    kept.ok("list")
    before = tree_of(kept.store)
    assert "would supersede" in kept.ok("supersede", old, new, "--dry-run").out
    assert tree_of(kept.store) == before


def test_an_agent_does_not_replace_what_the_person_said(kept: Person) -> None:
    agents = ORDERS.replace('"Ids", said by the person', '"Ids", noted by the agent')
    kept.write("semantic/orders.md", agents)
    ran = kept.run("supersede", "k3f9", "k3m2", env={"CLAUDECODE": "1"})
    assert ran.code == 2
    assert "Only a person settles" in ran.err
    kept.ok("supersede", "k3m2", "k3f9", env={"CLAUDECODE": "1"})


@pytest.mark.parametrize(
    ("old", "new", "code", "said"),
    [
        ("k3f9", "k3f9", 2, "cannot supersede itself"),
        ("k3f9", "orders", 2, "are the same page"),
        ("k3f9", "orders#^zzzz", 10, "zzzz"),
        ("feedback#nothing", "k3f9", 10, "nothing"),
    ],
)
def test_what_cannot_be_said_is_explained(
    kept: Person, old: str, new: str, code: int, said: str
) -> None:
    ran = kept.run("supersede", old, new)
    assert (ran.code, said in ran.err) == (code, True), ran


def test_archived_and_other_stores_are_named(kept: Person) -> None:
    kept.ok("archive", "k3f9")
    [gone] = kept.ok("activate", "--list", "--json").json
    ran = kept.run("supersede", "k3m2", f"{gone['id']}#^k3f9")
    assert ran.code == 2
    assert "`recollect activate" in ran.err
    kept.ok("init", "--scope", "global")
    there = kept.ok("save", "Use SQLite everywhere", "--scope", "global", "--json").json
    ran = kept.run("supersede", "k3m2", there["id"])
    assert ran.code == 2
    assert "different stores" in ran.err


def test_no_session_brings_the_old_statement_back(person: Person) -> None:
    session(person, DAYS[0], ZEPHYR)
    person.ok("consolidate")
    new = person.ok("save", "The firmware runs on bare metal", "--subject", "Firmware", "--json")
    person.ok("supersede", named(person, "Zephyr"), new.json["id"])
    for _ in range(2):
        assert says(person, ASK, "Zephyr for the firmware") == set()
        person.ok("consolidate")
    person.ok("undo")
    assert "Zephyr for the firmware" in person.ok("list").out


SESSION = """---
title: Firmware
type: episodic
kind: session
session: s-1
created: 2026-10-01T00:00:00Z
---
## Decisions

- [technology] Use Zephyr for the firmware: it is small
  - source: instructed

## Issues

- [bugfix] The firmware hangs
"""


def test_what_only_a_session_tells_gives_way_too(person: Person) -> None:
    new = person.ok("save", "The firmware runs on bare metal", "--subject", "Firmware", "--json")
    person.write("episodic/2026-10-01-firmware/summary.md", SESSION)
    old = named(person, "Zephyr")
    assert person.ok("show", old, "--json").json["type"] == "episodic"
    ran = person.run("supersede", named(person, "hangs"), new.json["id"])
    assert (ran.code, "`recollect forget" in ran.err) == (2, True)
    person.ok("supersede", old, new.json["id"])
    for _ in range(2):
        assert says(person, ASK, "Zephyr for the firmware") == set()
        person.ok("consolidate")


def test_a_statement_of_a_session_can_be_the_one_that_holds(person: Person) -> None:
    old = person.ok("save", "The firmware runs on bare metal", "--subject", "Firmware", "--json")
    session(person, DAYS[0], ZEPHYR)
    [row] = [row for row in person.ok("list", "--json").json if "Zephyr" in row["text"]]
    person.ok("supersede", old.json["id"], row["entry"])
    assert "bare metal" not in person.ok("list").out
    person.ok("consolidate")
    assert "bare metal" not in person.ok("list").out
    assert "Zephyr for the firmware" in person.ok("list").out


def test_rules_and_lines_that_a_person_wrote_by_hand(kept: Person) -> None:
    rules = "# How to work here\n\n- Always squash ^q4w5\n- Use merge commits ^q4w6\n"
    kept.write(RULES, rules)
    kept.ok("supersede", "q4w5", "q4w6")
    comment = "  <!-- superseded 20"
    assert f"# How to work here\n\n- Use merge commits ^q4w6\n{comment}" in text_of(kept, RULES)
    kept.ok("undo")
    assert text_of(kept, RULES) == rules
    kept.write("semantic/orders.md", ORDERS.replace("\n", "\r\n"))
    kept.ok("supersede", "k3f9", "k3m2")
    page = (kept.store / "semantic/orders.md").read_bytes()
    assert page.count(b"\n") == page.count(b"\r\n")
