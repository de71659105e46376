"""A rule is a section of a shared file: it is taken over for all projects by itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.running import Person, tree_of

COMMITS = "feedback#always-write-small-commits"
STRIPES = "feedback#prefer-zebra-stripes"
FEEDBACK = "procedural/feedback.md"


@pytest.fixture
def here(person: Person) -> Person:
    """Somebody with two rules in their project and none for all projects."""
    person.ok("init", "--scope", "global")
    person.ok("save", "Always write small commits", "--kind", "rule", "--body", "One idea each.")
    person.ok("save", "Prefer zebra stripes", "--kind", "rule", "--body", "In wide tables.")
    return person


def everywhere(person: Person) -> str:
    path = person.home / ".claude/memory" / FEEDBACK
    return path.read_text("utf-8") if path.exists() else ""


def in_project(person: Person) -> str:
    return (person.store / FEEDBACK).read_text("utf-8")


def test_a_rule_goes_and_the_others_stay(here: Person) -> None:
    done = here.ok("promote", COMMITS, "--json").json
    assert (done["id"], done["from"], done["scope"]) == (COMMITS, COMMITS, "global")
    assert done["path"] == str(here.home / ".claude/memory" / FEEDBACK)
    assert done["scope_decision"]["automatic"] == "global"
    assert "One idea each." in everywhere(here)
    assert "zebra" not in everywhere(here)
    assert "small commits" not in in_project(here)
    assert "In wide tables." in in_project(here)
    here.ok("promote", STRIPES)
    assert "One idea each." in everywhere(here)
    assert "In wide tables." in everywhere(here)


def test_it_shows_in_other_projects_then_and_not_before(here: Person) -> None:
    there = Person(here.home, here.project.parent / "other")
    (there.project / ".git").mkdir(parents=True)
    there.ok("init")
    assert "small commits" not in there.ok("recall", "--start").out
    here.ok("promote", COMMITS)
    assert "small commits" in there.ok("recall", "--start").out


@pytest.mark.sampled(1)
@pytest.mark.parametrize("scope", ["project", "global"])
def test_an_undo_in_either_store_takes_this_rule_back_and_no_other(
    here: Person, scope: str
) -> None:
    here.ok("promote", COMMITS)
    before = in_project(here), everywhere(here)
    here.ok("promote", STRIPES)
    here.ok("undo", "--scope", scope)
    assert (in_project(here), everywhere(here)) == before
    [change] = [
        row["change"]
        for row in here.ok("history", "--json", "--scope", scope).json
        if row["cause"] == "promote" and not row["undone"]
    ]
    here.ok("undo", change, "--scope", scope)
    assert "One idea each." in in_project(here)
    assert "One idea each." not in everywhere(here)


def test_a_title_that_is_there_is_not_written_over(here: Person) -> None:
    here.ok(
        "save", "Prefer zebra stripes", "--kind", "rule", "--body", "Mine.", "--scope", "global"
    )
    before = tree_of(here.home / ".claude", here.store)
    ran = here.run("promote", STRIPES)
    assert ran.code == 2
    assert "Prefer zebra stripes" in ran.err
    assert tree_of(here.home / ".claude", here.store) == before


def test_what_a_crash_cut_in_two_is_finished_by_the_next(here: Person) -> None:
    text = in_project(here)
    here.ok("promote", COMMITS)
    (here.store / FEEDBACK).write_text(text, "utf-8")  # as if the second half had not happened
    here.ok("promote", COMMITS)
    assert everywhere(here).count("## Always write small commits") == 1
    assert "small commits" not in in_project(here)


def test_what_a_tool_said_is_not_trusted_more_there(here: Person) -> None:
    path = here.store / FEEDBACK
    path.write_text(in_project(here) + "\n## Use tabs\n\nWide.\n\n<!-- trust: tool -->\n", "utf-8")
    assert "it comes from a tool" in here.ok("promote", "feedback#use-tabs").out
    [hit] = here.ok("search", "tabs", "--scope", "global", "--json").json["hits"]
    assert hit["trust"] == "tool"


def test_a_dry_run_changes_nothing(here: Person) -> None:
    before = tree_of(here.home / ".claude", here.store)
    shown = here.ok("promote", COMMITS, "--dry-run").out
    assert "One idea each." in shown
    assert "zebra" not in shown
    assert tree_of(here.home / ".claude", here.store) == before


def test_rules_are_listed_one_by_one(here: Person) -> None:
    assert {row["id"] for row in here.ok("promote", "--json").json} == {COMMITS, STRIPES}


@pytest.mark.parametrize(
    ("name", "code"), [("feedback#nothing", 10), ("feedback", 2), ("nothing#x", 10)]
)
def test_what_names_no_rule_moves_nothing(here: Person, name: str, code: int) -> None:
    before = tree_of(here.home / ".claude", here.store)
    assert here.run("promote", name).code == code
    assert tree_of(here.home / ".claude", here.store) == before


def test_the_place_says_where_it_came_from(here: Person) -> None:
    here.ok("promote", COMMITS)
    assert f"promoted-from: {Path(here.store)}#{COMMITS}" in everywhere(here)
    assert "promoted-from" not in here.ok("recall", "--start").out


@pytest.mark.slow
def test_a_rule_keeps_its_date(here: Person) -> None:
    page = here.store / FEEDBACK
    text = page.read_text("utf-8")
    today = here.ok("list", "--json").json[0]["created"][:10]
    assert f"]: {today} " in text
    page.write_text(text.replace(f"]: {today} ", "]: 2026-01-11 "), "utf-8")
    for name in (COMMITS, STRIPES):
        here.ok("promote", name)
    rows = here.ok("list", "--json", "--scope", "global").json
    assert [row["created"][:10] for row in rows] == ["2026-01-11", "2026-01-11"]
    assert today not in everywhere(here).partition("# How to work here")[2]
