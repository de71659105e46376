"""Rules, solutions and pointers lie in lists, and each store has lists of the same names."""

from __future__ import annotations

import pytest
from tests.cli.running import Person


@pytest.fixture
def rules(person: Person) -> Person:
    """A person with a rule here and a rule everywhere."""
    person.ok("init", "--scope", "global")
    person.ok("save", "Tabs here", "--kind", "rule", "--body", "Indent with tabs.")
    person.ok(
        "save", "Spaces elsewhere", "--kind", "rule", "--scope", "global",
        "--body", "Indent with spaces.",
    )  # fmt: skip
    return person


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("feedback#tabs-here", "Indent with tabs."),
        ("feedback#spaces-elsewhere", "Indent with spaces."),
    ],
)
def test_a_section_is_found_in_the_store_that_has_it(name: str, said: str, rules: Person) -> None:
    found = rules.ok("search", "indent", "--sections", "--json").json
    assert isinstance(found, dict)
    assert name in {f"{hit['id']}#{hit['anchor']}" for hit in found["hits"]}
    assert said in rules.ok("show", name).out
    answer = rules.ok("recall", said, "--why-not", name, "--json").json
    assert isinstance(answer, dict)
    assert answer["comes"]


def test_a_section_that_neither_store_has_is_not_there(rules: Person) -> None:
    assert rules.run("show", "feedback#tea").code == 10
