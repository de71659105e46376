"""Searching a store as it was: the texts of then, and nothing of it stays behind."""

from __future__ import annotations

from tests.cli.running import Person


def changes(person: Person) -> list[str]:
    """The ids of the changes, newest first."""
    return [row["change"] for row in person.ok("history", "--json").json]


def ids(person: Person, *words: str) -> set[str]:
    return {hit["id"] for hit in person.ok("search", *words, "--json").json["hits"]}


def test_what_was_changed_moved_or_taken_away_since_is_found_as_it_was(person: Person) -> None:
    person.write("semantic/by-hand.md", "# By hand\n\nA heron.\n")
    for word in ("walrus", "otter"):
        person.ok("save", f"About the {word}", "--body", f"The {word}.", "--kind", "fact")
    person.ok("add-decision", "About the lynx")
    (then, *_) = changes(person)
    person.ok("edit", "about-the-walrus", "--body", "The seal.")
    person.ok("forget", "about-the-otter")
    person.ok("clear-facts", "--yes")
    person.ok("save", "About the newt", "--kind", "fact")
    wanted = {
        "walrus": "about-the-walrus",
        "otter": "about-the-otter",
        "lynx": "d001-about-the-lynx",
    }
    for word, name in wanted.items():
        assert name in ids(person, word, "--as-of", then)
    assert ids(person, "seal", "--as-of", then) == set()
    assert ids(person, "heron", "--as-of", then) == {"by-hand"}
    assert ids(person, "--as-of", then) == {"by-hand", *wanted.values()}
    assert ids(person, "--as-of", then, "--archived") == set()
    assert ids(person, "newt", "seal") >= {"about-the-newt", "about-the-walrus"}


def test_what_says_itself_that_it_is_newer_was_not_there(person: Person) -> None:
    person.write("semantic/new.md", "---\ncreated: 2025-06-01T00:00:00Z\n---\nA heron.\n")
    assert ids(person, "heron", "--as-of", "2025-05-31") == set()
    assert ids(person, "heron", "--as-of", "2025-06-01") == {"new"}


def test_a_look_back_leaves_nothing_in_the_cache(person: Person) -> None:
    person.ok("save", "Use Redis", "--kind", "fact")
    before = sorted(path.name for path in (person.home / ".cache").rglob("*"))
    person.ok("search", "redis", "--as-of", "2099-01-01")
    assert sorted(path.name for path in (person.home / ".cache").rglob("*")) == before


def test_a_look_back_takes_a_filter_in_any_script(person: Person) -> None:
    person.ok("save", "Use Redis", "--kind", "fact", "--concepts", "连接池")
    assert ids(person, "redis", "--concept", "连接池", "--as-of", "2099-01-01") == {"use-redis"}


def test_undo_and_history_of_an_entry_are_about_this_entry_alone(person: Person) -> None:
    for said in ("Order numbers are ULIDs", "Order totals are in cents"):
        person.ok("save", said, "--subject", "Orders")
    ids = {row["text"]: row["entry"] for row in person.ok("list", "--json").json}
    numbers, totals = ids["Order numbers are ULIDs"], ids["Order totals are in cents"]
    person.ok("edit", numbers, "--body", "Order numbers are UUIDs")
    person.ok("edit", totals, "--body", "Order totals are floats")
    assert [one["cause"] for one in person.ok("history", numbers, "--json").json] == [
        "edit",
        "save",
    ]
    kept = (person.store / "semantic/orders.md").read_bytes()
    assert person.run("undo", numbers).code == 12  # rather than the later change of the other one
    assert (person.store / "semantic/orders.md").read_bytes() == kept
    person.ok("undo", totals)
    person.ok("undo", numbers)
    assert set(ids) == {row["text"] for row in person.ok("list", "--json").json}
