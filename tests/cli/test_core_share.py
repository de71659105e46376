"""Core files share the brief: none vanishes, and who writes one that is too long is told so."""

from __future__ import annotations

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


def test_short_files_are_told_whole_and_nobody_is_warned(person: Person) -> None:
    for name in ("project", "architecture", "conventions"):
        assert "longer" not in person.ok("memory-set", name, f"Words of {name}.").out
    text = person.ok("recall", "--start").out
    assert text.index("of project") < text.index("of architecture") < text.index("of conventions")
    assert "recollect show project" not in text
