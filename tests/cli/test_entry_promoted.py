"""`promote` with an entry of a page: the statement goes to the global store with its date and source."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.running import Person, tree_of
from tests.cli.test_filed import DAYS, ZEPHYR, named, session

ORDERS = """---
title: Orders
type: semantic
created: 2026-10-01T00:00:00Z
---
# Orders

- Order store: PostgreSQL, because we need JSONB. ^k3f9 [^0b6f]
- Numbers are ULIDs. ^k3m2 [^91c2]

## Old habits

They were integers.

[^0b6f]: 2026-10-06, "Schema for orders", said by the person, as a decision
[^91c2]: 2026-11-16, "Ids", noted by the agent
"""


@pytest.fixture
def kept(person: Person) -> Person:
    """Somebody with a page of facts, and a store for all projects."""
    person.ok("init", "--scope", "global")
    person.write("semantic/orders.md", ORDERS)
    return person


def everywhere(person: Person) -> list[Path]:
    return sorted((person.home / ".claude/memory/semantic").rglob("*.md"))


def in_project(person: Person) -> str:
    return (person.store / "semantic/orders.md").read_text("utf-8")


def test_a_statement_goes_with_its_date_source_and_trust(kept: Person) -> None:
    done = kept.ok("promote", "k3f9", "--to", "global", "--json").json
    assert (done["from"], done["scope"]) == ("orders#^k3f9", "global")
    [page] = everywhere(kept)
    assert done["path"] == str(page)
    text = page.read_text("utf-8")
    assert "- Order store: PostgreSQL, because we need JSONB. ^" in text
    assert "]: 2026-10-06, said by the person, as a decision\n" in text
    assert "Schema for orders" not in text
    assert "PostgreSQL" not in in_project(kept)
    shown = kept.ok("show", done["id"], "--json").json
    about = [shown[key] for key in ("kind", "source", "trust", "created", "scope")]
    assert about == ["decision", "instructed", "user", "2026-10-06", "global"]


def test_what_says_too_little_alone_gets_the_subject_of_its_page(kept: Person) -> None:
    done = kept.ok("promote", "k3m2", "--json").json
    shown = kept.ok("show", done["id"], "--json").json
    assert (shown["text"], shown["trust"]) == ("Orders: Numbers are ULIDs.", "agent")


@pytest.mark.parametrize("scope", ["project", "global"])
@pytest.mark.parametrize("name", ["k3f9", "k3m2"])
def test_an_undo_in_either_store_reverts_both(kept: Person, scope: str, name: str) -> None:
    kept.ok("promote", name)
    kept.ok("undo", "--scope", scope)
    assert in_project(kept) == ORDERS
    assert not any("Number" in p.read_text() or "Order" in p.read_text() for p in everywhere(kept))


def test_what_is_there_already_only_goes_from_its_page(kept: Person) -> None:
    kept.ok("save", "Order store: PostgreSQL, because we need JSONB.", "--subject", "Orders", "--scope", "global")  # fmt: skip
    before = tree_of(kept.home / ".claude/memory/semantic")
    kept.ok("promote", "k3f9")
    assert tree_of(kept.home / ".claude/memory/semantic") == before
    assert "PostgreSQL" not in in_project(kept)
    kept.ok("undo", "--scope", "project")
    assert in_project(kept) == ORDERS
    assert tree_of(kept.home / ".claude/memory/semantic") == before


def test_what_may_contradict_the_other_store_stays(kept: Person) -> None:
    kept.ok("save", "Use MySQL for the order store", "--subject", "Orders", "--scope", "global")
    agents = ORDERS.replace("Order store: PostgreSQL", "Use PostgreSQL for the order store")
    kept.write("semantic/orders.md", agents.replace("said by the person", "noted by the agent"))
    before = tree_of(kept.home / ".claude/memory/semantic", kept.store / "semantic")
    ran = kept.run("promote", "k3f9")
    assert ran.code == 1
    assert "“Use MySQL for the order store”" in ran.err
    assert tree_of(kept.home / ".claude/memory/semantic", kept.store / "semantic") == before


def test_a_dry_run_changes_nothing_and_an_agent_may_not(kept: Person) -> None:
    kept.ok("list")
    before = tree_of(kept.home / ".claude/memory", kept.store)
    assert "PostgreSQL" in kept.ok("promote", "k3f9", "--dry-run").out
    assert kept.run("promote", "k3f9", env={"CLAUDECODE": "1"}).code == 2
    assert kept.run("promote", "orders#old-habits").code == 2
    assert kept.run("promote", "orders#^zzzz").code == 10
    assert tree_of(kept.home / ".claude/memory", kept.store) == before


def test_a_rule_in_a_list_goes_to_the_rules_of_all_projects(kept: Person) -> None:
    rules = "---\ntype: procedural\n---\n# How to work here\n\n- Always squash pull requests ^q4w5\n- Never push to main ^m2d7\n"
    kept.write("procedural/feedback.md", rules)
    kept.ok("promote", "q4w5")
    text = (kept.home / ".claude/memory/procedural/feedback.md").read_text("utf-8")
    assert "Always squash pull requests" in text
    assert "push" not in text
    assert "squash" not in (kept.store / "procedural/feedback.md").read_text("utf-8")
    kept.ok("undo", "--scope", "global")
    assert (kept.store / "procedural/feedback.md").read_text("utf-8") == rules


def test_no_session_brings_it_back_to_the_project(kept: Person) -> None:
    session(kept, DAYS[0], ZEPHYR)
    kept.ok("consolidate")
    kept.ok("promote", named(kept, "Zephyr"))
    kept.ok("consolidate")
    rows = [row for row in kept.ok("list", "--json").json if "Zephyr" in row["text"]]
    assert [row["scope"] for row in rows] == ["global"]
    assert rows[0]["created"][:10] == DAYS[0]


@pytest.mark.parametrize("scope", ["project", "global"])
def test_the_last_entry_goes_with_its_page_and_comes_back(kept: Person, scope: str) -> None:
    alone = ORDERS.replace("- Numbers are ULIDs. ^k3m2 [^91c2]\n", "").partition("\n## Old")[0]
    alone += '\n[^0b6f]: 2026-10-06, "Schema for orders", said by the person\n'
    kept.write("semantic/orders.md", alone)
    kept.ok("promote", "orders#^k3f9")
    assert not (kept.store / "semantic/orders.md").exists()
    assert kept.ok("list", "--json").json[0]["scope"] == "global"
    kept.ok("undo", "--scope", scope)
    assert in_project(kept) == alone
    assert [row["scope"] for row in kept.ok("list", "--json").json] == ["project"]
