"""Taking a memory over for all projects: nothing of one project shows in another before that."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.running import Person, tree_of


@pytest.fixture
def two(person: Person) -> tuple[Person, Person]:
    """Somebody in their first project, with a rule kept there, and in their second."""
    person.ok("init", "--scope", "global")
    other = person.project.parent / "other"
    (other / ".git").mkdir(parents=True)
    there = Person(person.home, other)
    there.ok("init")
    person.ok(
        "save", "Use zebra stripes in tables", "--kind", "fact", "--files", "src/ui.py", "--tags",
        "tables", "--body", "They are easier to read.",
    )  # fmt: skip
    return person, there


def ids(person: Person, *words: str) -> list[str]:
    return [
        hit["id"] for hit in person.ok("search", "zebra stripes", "--json", *words).json["hits"]
    ]


def test_what_is_in_the_global_store_already_is_no_mistyped_name(
    two: tuple[Person, Person],
) -> None:
    here, _ = two
    here.ok("promote", "use-zebra-stripes-in-tables")
    again = here.run("promote", "use-zebra-stripes-in-tables")
    assert again.code == 10
    assert "It is in the other store: `recollect show use-zebra-stripes-in-tables`" in again.err
    assert (
        "Did you mean use-zebra-stripes-in-tables?"
        in here.run("show", "use-zebra-stripe-in-tables").err
    )


def test_a_memory_shows_in_other_projects_only_after_it_was_promoted(
    two: tuple[Person, Person],
) -> None:
    here, there = two
    assert ids(there) == []
    assert there.ok("recall", "zebra stripes in tables", "--json").json["items"] == []
    done = here.ok("promote", "use-zebra-stripes-in-tables", "--to", "global", "--json").json
    assert done["scope"] == "global"
    assert ids(there) == ids(here) == ["use-zebra-stripes-in-tables"]
    assert ids(here, "--scope", "global") == ["use-zebra-stripes-in-tables"]
    text = Path(done["path"]).read_text()
    assert "src/ui.py" not in text
    assert "They are easier to read." in text


@pytest.mark.slow
@pytest.mark.parametrize("scope", ["project", "global"])
def test_an_undo_in_either_store_brings_both_back(two: tuple[Person, Person], scope: str) -> None:
    here, there = two
    before = tree_of(here.store / "semantic")
    texts = {path: Path(path).read_bytes() for path in before if Path(path).is_file()}
    here.ok("promote", "use-zebra-stripes-in-tables")
    here.ok("undo", "--scope", scope)
    assert {path: Path(path).read_bytes() for path in texts} == texts
    assert ids(there) == []
    assert ids(here) == ["use-zebra-stripes-in-tables"]
    here.ok("promote", "use-zebra-stripes-in-tables")
    assert ids(there) == ["use-zebra-stripes-in-tables"]


def test_the_history_of_both_stores_tells_of_it(two: tuple[Person, Person]) -> None:
    here, _ = two
    here.ok("promote", "use-zebra-stripes-in-tables")
    causes = [row["cause"] for row in here.ok("history", "--json").json]
    assert causes == ["promote", "save"]
    assert [r["cause"] for r in here.ok("history", "--json", "--scope", "global").json] == [
        "promote"
    ]


def test_a_promotion_that_a_crash_cut_in_two_is_finished_by_the_next(
    two: tuple[Person, Person],
) -> None:
    here, there = two
    file = here.store / "semantic" / "use-zebra-stripes-in-tables.md"
    text = file.read_text()
    here.ok("promote", "use-zebra-stripes-in-tables")
    file.write_text(text)  # as if the second half had not happened
    here.ok("promote", "use-zebra-stripes-in-tables")
    assert not file.exists()
    assert ids(there) == ["use-zebra-stripes-in-tables"]


def test_a_fact_leaves_its_number_behind_and_a_name_that_is_taken_is_not_overwritten(
    two: tuple[Person, Person],
) -> None:
    here, there = two
    here.ok("add-decision", "Use tabs", "Wide screens")
    there.ok("add-decision", "Use tabs", "Narrow screens")
    assert here.ok("promote", "d001-use-tabs", "--json").json["id"] == "use-tabs"
    assert there.ok("promote", "d001-use-tabs", "--json").json["id"] == "use-tabs-2"
    assert "Wide" in here.ok("show", "use-tabs").out
    assert "Narrow" in here.ok("show", "use-tabs-2").out


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("nothing",), 10),
        (("secret",), 2),
        (("project",), 2),
        (("use-zebra-stripes-in-tables#x",), 10),
        (("../../x",), 10),
    ],
)
def test_what_cannot_leave_its_project_stays(
    two: tuple[Person, Person], words: tuple[str, ...], code: int
) -> None:
    here, _ = two
    here.ok("save", "Secret", "--private", "--kind", "fact", "--body", "x")
    here.ok("memory-set", "project", "A queue.")
    before = tree_of(here.home / ".claude")
    assert here.run("promote", *words).code == code
    assert tree_of(here.home / ".claude") == before


def test_without_a_store_for_all_projects_nothing_moves(person: Person) -> None:
    person.ok("save", "Use zebra stripes", "--kind", "fact", "--body", "x")
    assert person.run("promote", "use-zebra-stripes").code == 10
    assert ids(person)


def test_a_dry_run_changes_nothing_and_says_why(two: tuple[Person, Person]) -> None:
    here, _ = two
    before = tree_of(here.home, here.project, without=[str(here.home / ".cache")])
    said = here.ok("promote", "use-zebra-stripes-in-tables", "--dry-run").out
    assert "- it is about files of this project" in said
    decision = here.ok("promote", "use-zebra-stripes-in-tables", "--dry-run", "--json").json
    assert decision["scope_decision"]["blockers"] == ["files"]
    here.ok("promote", "--dry-run")
    assert tree_of(here.home, here.project, without=[str(here.home / ".cache")]) == before


def test_what_seems_to_hold_everywhere_is_listed(two: tuple[Person, Person]) -> None:
    here, _ = two
    here.ok("add-pattern", "Always write the test before the change")
    found = here.ok("promote", "--json").json
    assert [one["id"] for one in found] == ["p001-always-write-the-test-before-the-change"]
    assert "how to work" in here.ok("promote").out
