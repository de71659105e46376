"""Core files share the brief: none vanishes, and who writes one that is too long is told so."""

from __future__ import annotations

import pytest
from tests.cli.running import Person

LONG = "The gateway talks to the ledger by way of the queue, and to nobody else.\n" * 90


def test_a_long_file_hides_no_short_one(person: Person) -> None:
    person.ok("memory-set", "zebra", "Stripes.")
    person.ok("memory-set", "conventions", "Never push to main.")
    told = person.ok("memory-set", "architecture", LONG).out
    person.ok("memory-set", "project", "A shop for teapots.")
    assert "longer than its share" in told
    assert "longer than its share" in person.ok("memory-list").out
    assert "longer than its share" in person.ok("doctor").out
    cut = {row["name"]: row["is_cut"] for row in person.ok("memory-list", "--json").json}
    assert cut == {"architecture": True, "conventions": False, "project": False, "zebra": False}

    brief = person.ok("recall", "--start", "--json").json
    text = brief["text"]
    at = [text.find(word) for word in ("teapots", "ledger", "Never push", "Stripes")]
    assert -1 not in at
    assert at == sorted(at)
    assert "`recollect show architecture`" in text
    assert 450 < brief["tokens"] <= 600  # hardly any of the room is left unused


def test_a_brief_of_another_budget_is_shown_and_not_left_for_the_next_session(
    person: Person,
) -> None:
    person.ok("memory-set", "architecture", LONG)
    (kept,) = person.home.rglob("brief")
    before = kept.read_bytes()
    ran = person.ok("recall", "--start", "--budget", "60")
    assert ran.out == "No brief: there is nothing to tell, or it needs more tokens.\n"
    for budget in (200, 300, 900):
        told = person.ok("recall", "--start", "--budget", str(budget), "--json").json
        assert 0.6 * budget < told["tokens"] <= budget
    assert kept.read_bytes() == before
    assert 450 < person.ok("recall", "--start", "--json").json["tokens"] <= 600


def test_short_files_are_told_whole_and_nobody_is_warned(person: Person) -> None:
    for name in ("project", "architecture", "conventions"):
        assert "longer" not in person.ok("memory-set", name, f"Words of {name}.").out
    text = person.ok("recall", "--start").out
    assert text.index("of project") < text.index("of architecture") < text.index("of conventions")
    assert "recollect show project" not in text


@pytest.mark.slow
def test_many_files_are_named_or_counted_and_short_ones_are_not_said_to_be_cut(
    person: Person,
) -> None:
    for n in range(14):
        told = person.ok("memory-set", f"extra{n:02}", LONG).out
    assert "no room" in told
    person.ok("memory-set", "conventions", "Never push to main.")
    person.ok("memory-set", "zebra", "Stripes.")
    for told in (person.ok("memory-list").out, person.ok("doctor").out):
        assert not [
            line for line in told.splitlines() if "conventions" in line and "longer" in line
        ]
        assert [line for line in told.splitlines() if "zebra" in line and "no room" in line]
    files = {row["name"]: row for row in person.ok("memory-list", "--json").json}
    assert not files["conventions"]["is_cut"]
    assert not files["zebra"]["is_seen"]
    text = person.ok("recall", "--start").out
    shown = text.count("<memory-")
    named = text.partition("No room here for ")[2].partition("\n")[0]
    assert "Never push" in text
    assert f"more core files ({16 - shown - 5})" in named
