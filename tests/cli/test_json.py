"""The shapes of `--json`: what other programs rely on."""

from __future__ import annotations

import pytest
from tests.cli.running import Person
from tests.cli.sentences import fields_of

from recollect.errors import every_error

HIT = ["id", "anchor", "title", "type", "kind", "scope", "score", "snippet", "path", "created", "trust", "tokens"]  # fmt: skip
ITEM = ["id", "anchor", "title", "form", "scope", "score", "parts", "trust", "tokens"]
LISTED = ["id", "title", "type", "kind", "tags", "scope", "status", "trust", "created", "updated", "path", "tokens", "summary"]  # fmt: skip
OWN = ["source", "session", "entry", "anchor", "section", "text"]  # of an entry


@pytest.fixture
def kept(person: Person) -> Person:
    """Somebody with two memories."""
    person.ok("save", "Cache of sessions", "--body", "Redis, one hour.", "--tags", "redis,cache")
    person.ok("save", "Always measure first")
    return person


def test_search_gives_the_query_and_hits_of_one_shape(kept: Person) -> None:
    found = kept.ok("search", "redis", "cache", "--json").json
    assert list(found) == ["query", "hits"]
    assert found["query"] == "redis cache"
    (hit,) = found["hits"]
    assert list(hit) == HIT
    assert hit["id"] == "cache-of-sessions"
    assert hit["anchor"] == ""
    assert hit["snippet"] == "Redis, one hour."
    assert hit["path"] == str(kept.store / "semantic" / "cache-of-sessions.md")


def test_search_without_words_has_the_same_shape(kept: Person) -> None:
    found = kept.ok("search", "--json").json
    assert list(found) == ["query", "hits"]
    assert [list(hit) for hit in found["hits"]] == [HIT, HIT]
    assert {type(hit["score"]) for hit in found["hits"]} == {float}


def test_search_that_finds_nothing_has_no_hits(kept: Person) -> None:
    assert kept.ok("search", "zebra", "--json").json == {"query": "zebra", "hits": []}


def test_a_section_is_named_by_its_anchor(kept: Person) -> None:
    (hit,) = kept.ok("search", "measure", "--json").json["hits"]
    assert (hit["id"], hit["anchor"]) == ("feedback", "always-measure-first")
    page = kept.ok("show", f"{hit['id']}#{hit['anchor']}", "--json").json
    assert page["heading"] == "Always measure first"


def test_save_gives_id_and_path(kept: Person) -> None:
    saved = kept.ok("save", "Another", "--json").json
    assert list(saved)[:2] == ["id", "path"]
    assert saved["path"] == str(kept.store / "semantic" / "another.md")
    assert saved["what"] == "created"


def test_recall_gives_text_tokens_and_the_parts_of_each_score(kept: Person) -> None:
    found = kept.ok("recall", "cache of sessions in redis", "--json").json
    assert list(found) == ["text", "tokens", "items"]
    assert list(found["items"][0]) == ITEM
    assert found["items"][0]["form"] == "full"
    assert "Redis, one hour." in found["text"]
    assert {"text", "salience", "confidence", "scope"} <= set(found["items"][0]["parts"])
    assert list(kept.ok("recall", "--start", "--json").json) == ["text", "tokens", "items"]


def test_lists_have_one_shape_and_whole_paths(kept: Person) -> None:
    for one in kept.ok("list", "--json").json:
        assert list(one) == [*LISTED, *OWN]
        assert one["path"].startswith(str(kept.store))
    assert [list(one) for one in kept.ok("list", "--pages", "--json").json] == [LISTED, LISTED]
    every = [one for day in kept.ok("timeline", "--json").json.values() for one in day]
    assert [list(one) for one in every] == [[*LISTED, *OWN], [*LISTED, *OWN]]
    page = kept.ok("show", "cache-of-sessions", "--json", "--level", "3").json
    assert [*LISTED, "source", "heading", "text", "problem", "conversation"] == sorted(
        page, key=[*LISTED, "source", "heading", "text", "problem", "conversation"].index
    )


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("words", "kind", "code"),
    [
        (("show", "nothing"), "memory-not-found", 10),
        (("undo", "nothing"), "change-not-found", 10),
        (("save", "a", "--file", "nowhere"), "file-not-there", 10),
        (("save", ""), "usage-problem", 2),
        (("list", "--since", "never"), "usage-problem", 2),
        (("list", "--limit", "many"), "usage-problem", 2),
        (("show",), "usage-problem", 2),
        (("frobnicate",), "command-not-found", 2),
        (("lits",), "command-mistyped", 2),
        (("config", "nothing", "1"), "usage-problem", 2),
        (("list", "--scope", "global"), "store-not-found", 10),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else str(value),
)
def test_an_error_is_an_object_on_stdout(
    kept: Person, words: tuple[str, ...], kind: str, code: int
) -> None:
    ran = kept.run(*words, "--json")
    assert ran.code == code
    assert ran.err == ""
    error = ran.json["error"]
    assert list(error) == ["kind", "message", "next", "exit"]
    assert (error["kind"], error["exit"]) == (kind, code)
    assert error["message"].endswith((".", "”."))
    assert error["next"]
    plain = kept.run(*words)
    assert plain.out == ""
    assert plain.err == f"recollect: {error['message']}\n  → {error['next']}\n"


def test_every_kind_of_error_has_a_name_and_an_exit_code_of_its_own_family() -> None:
    made = [error(**dict.fromkeys(fields_of(error.sentence), 1)) for error in every_error()]
    own = [
        one for one in made if one.kind != getattr(type(one).__base__, "kind", "")
    ]  # or its base's
    assert len({error.kind for error in own}) == len(own) >= len(made) - 2
    assert {error.exit_code for error in made} <= {1, 2, *range(10, 21)}


def test_what_a_person_writes_is_not_translated_nor_taken_for_ours(kept: Person) -> None:
    kept.ok("save", "there is none", "--kind", "fact")
    kept.ok("config", "lang", "zh")
    assert "there is none" in kept.ok("list").out
    assert kept.ok("show", "there-is-none").out.startswith("there is none  ")


def test_an_entry_is_listed_with_its_own_words_and_the_memory_of_its_session(
    person: Person,
) -> None:
    said = (
        "- [technology] Use SQLite: it is there\n- [technology] Tea is kept in tins: it stays dry\n"
    )
    person.write(
        "episodic/brewing/summary.md",
        f"---\nkind: session\nsession: s-12345\n---\n# Brewing\n\n## Decisions\n\n{said}",
    )
    person.ok("consolidate")
    rows = person.ok("list", "--kind", "decision", "--json").json
    assert {row["summary"] for row in rows} == {row["text"] for row in rows}
    assert {row["session"] for row in rows} == {"brewing"}
    shown = [person.ok("show", row["entry"], "--json").json for row in rows]
    assert [(one["summary"], one["session"]) for one in shown] == [
        (row["summary"], row["session"]) for row in rows
    ]
    exported = person.ok("export", "--to", "json", "--kind", "decision").json
    assert [row["session"] for row in exported] == [row["session"] for row in rows]


def test_what_is_added_to_a_page_says_who_said_it_and_when(person: Person) -> None:
    person.ok("save", "Order numbers are ULIDs", "--subject", "Orders")
    person.ok("save", "Totals are in cents", "--into", "orders", "--body", "Rounded down.")
    rows = {row["text"]: row for row in person.ok("list", "--json").json}
    added = rows["Totals are in cents"]
    assert added["source"] == "instructed"
    assert added["created"][:10] == rows["Order numbers are ULIDs"]["created"][:10]
