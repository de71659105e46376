"""Facts and core memory at the command line: what the first implementation of them got wrong.

The names K1 to K19 are those of the list of its bugs.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.cli.running import Person, Ran

ROW = ["number", "id", "path", "what", "kind", "content", "status", "scope"]
SECRET = "hunter2"


def page(person: Person) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((person.store / "facts.json").read_text("utf-8"))
    return found


def all_text(person: Person) -> str:
    """Everything below home and project: memories, journal, views, index, names of files."""
    texts = []
    for folder in (person.home, person.project):
        for path in folder.rglob("*"):
            texts.append(str(path))
            if path.is_file() and path.name != "log.md":
                texts.append(path.read_bytes().decode("utf-8", "replace"))
    return "\n".join(texts)


def extracted(person: Person, text: str, *more: str) -> Any:
    return person.ok("extract-facts", "-", "--json", *more, stdin=text).json


def test_the_answers_have_one_shape(person: Person) -> None:
    one = person.ok("add-decision", "Use Redis", "It is fast", "--json").json
    assert list(one) == ROW
    assert one["path"] == str(person.store / "semantic/decisions/d001-use-redis.md")
    person.ok("add-issue", "It leaks")
    assert list(person.ok("resolve", "i001", "--json").json) == ROW
    told = extracted(person, "## Patterns\n- one\n\ntext\n")
    assert list(told) == ["source", "decisions", "patterns", "issues", "facts", "unread"]
    assert told["patterns"] == 1
    assert [list(row) for row in told["facts"]] == [ROW]
    assert told["unread"] == [{"line": 4, "last": 4, "text": "text"}]
    assert [list(row) for row in person.ok("clear-facts", "--yes", "--json").json] == [ROW] * 3


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"decisions": null}', "\x00" * 9])
def test_a_damaged_view_costs_nothing(person: Person, damage: str) -> None:
    """K1, K15: a view that cannot be read is made again from the memories."""
    person.ok("add-decision", "one")
    (person.store / "facts.json").write_text(damage)
    assert person.ok("add-decision", "two", "--json").json["number"] == "d002"
    assert [row["id"] for row in page(person)["decisions"]] == ["d001", "d002"]


@pytest.mark.parametrize(
    "name", ["constructor", "toString", "valueOf", "__proto__", "hasOwnProperty"]
)
def test_a_concept_may_have_any_name(person: Person, name: str) -> None:
    """K3."""
    person.ok("add-decision", "Use Redis", "--concepts", name)
    assert page(person)["concepts"] == {name: ["d001"]}
    hits = person.ok("search", "--concept", name.upper(), "--json").json["hits"]
    assert [hit["id"] for hit in hits] == ["d001-use-redis"]


def test_nothing_private_reaches_a_disk(person: Person) -> None:
    """K7: not in any field, not in a file's name, whichever way it comes in."""
    private = f"<private>user:{SECRET}</private>"
    person.ok(
        "add-decision", f"Log in as {private}", f"since {private}",
        "--files", f"src/{private}.py", "--concepts", private, "--tags", f"a,{private}",
    )  # fmt: skip
    person.ok("add-issue", f"It leaks <private>{SECRET}")
    extracted(person, f"## Decisions\n- [technology] {private}: {private}\n  - files: {private}\n")
    extracted(person, f"## Patterns\n- Sign <private>in\nwith {SECRET}\n</private> always\n- two\n")
    extracted(person, f"## Issues\n- first\n- <PRIVATE>{SECRET}\n- last: resolved\n")
    person.ok("memory-set", "project", f"Pass {private}")
    assert SECRET not in all_text(person)
    assert [row["content"] for row in page(person)["patterns"]] == ["Sign [private] always", "two"]
    assert [row["content"] for row in page(person)["issues"]] == ["It leaks [private]", "first"]
    assert len(page(person)["decisions"]) == 1  # one that says nothing else is none


def test_lines_are_those_of_the_file_when_something_private_was_taken_out(person: Person) -> None:
    text = "# L\n<private>\na\nb\n</private>\n## Issues\n\nLine eight.\n\n- one <private>x\n\ny</private>\n\nLine fourteen.\n"
    told = extracted(person, text)
    assert [(one["line"], one["text"]) for one in told["unread"]] == [
        (8, "Line eight."),
        (14, "Line fourteen."),
    ]


def test_many_lines_that_are_not_understood_are_told_as_far_as_one_can_read_them(
    person: Person,
) -> None:
    text = "<private>x\n</private>\n## Issues\n\n" + "prose\n\n" * 200
    told = extracted(person, text)["unread"]
    assert len(told) == 50
    assert told[0] == {"line": 5, "last": 5, "text": "prose"}
    assert told[-1]["last"] == 403
    shown = person.ok("extract-facts", "-", stdin=text).out.splitlines()
    assert shown[-1] == "… and 30 more lines that could not be parsed"


def test_line_ends_make_no_difference(person: Person) -> None:
    """K8."""
    text = "## Decisions\n- a: b\n- c: d\n\n## Issues\n- e: resolved\n- f\n"
    told = extracted(person, text.replace("\n", "\r\n"))
    assert (told["decisions"], told["issues"]) == (2, 2)
    assert extracted(person, text)["decisions"] == 0


def test_extracting_twice_adds_nothing(person: Person) -> None:
    """K9: from the file, from a copy of it, by two commands."""
    text = "## Decisions\n- Use Redis: fast\n## Patterns\n- Small\n## Issues\n- It leaks\n"
    (person.project / "log.md").write_text(text)
    person.ok("extract-facts", "log.md")
    before = all_text(person)
    person.ok("extract-facts", "log.md")
    extracted(person, text.replace("- ", "* "))
    assert all_text(person).count("Use Redis") == before.count("Use Redis")
    assert [len(page(person)[kind]) for kind in ("decisions", "patterns", "issues")] == [1, 1, 1]


def test_a_name_never_leads_out_of_the_folder_of_sessions(person: Person) -> None:
    """K18: a path is the person's own; a bare name is one in the store."""
    (person.store / "secret.md").write_text("## Decisions\n- not for you\n")
    (person.store / "sessions").mkdir()
    (person.store / "sessions" / "mine.md").write_text("## Decisions\n- mine\n")
    for name in ("../secret", "../secret.md", "x/../../secret", "..", "/nowhere/secret"):
        assert person.run("extract-facts", name).code == 10
    assert person.ok("extract-facts", "mine", "--json").json["decisions"] == 1
    assert person.ok("extract-facts", "mine.md", "--json").json["decisions"] == 0


def test_a_folder_below_is_the_same_project(person: Person) -> None:
    """K14."""
    below = person.project / "src" / "deep"
    below.mkdir(parents=True)
    Person(person.home, below).ok("add-decision", "one")
    person.ok("add-decision", "two")
    assert [row["id"] for row in page(person)["decisions"]] == ["d001", "d002"]
    assert not (below / ".claude").exists()


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "words",
    [
        ("pooling", "redis"), ("--concept", "cache"), ("--file", "POOL.py"), ("redis pooling",),
        ("pool", "--type", "decision"), ("connection", "--type", "technology"), ("JSONB",),
    ],
    ids=" ".join,
)  # fmt: skip
def test_search_knows_words_in_any_order_concepts_and_files(
    person: Person, words: tuple[str, ...]
) -> None:
    """K19."""
    person.ok(
        "add-decision", "Redis connection pooling", "as JSONB is slow", "--category", "technology",
        "--concepts", "cache", "--files", "src/pool.py",
    )  # fmt: skip
    person.ok("add-pattern", "Something else")
    hits = person.ok("search", *words, "--json").json["hits"]
    assert [hit["id"] for hit in hits] == ["d001-redis-connection-pooling"]


def test_a_session_memory_gives_its_facts_with_its_trust(person: Person) -> None:
    person.write(
        "episodic/2026-01-02-s/summary.md",
        "---\nkind: session\ntrust: external\nsession: abc-1\ncreated: 2026-01-02T10:00:00Z\n---\n# S\n\n"
        "## Decisions\n\n- [technology] Use Redis: fast\n  - source: instructed\n- Use SQLite\n",
    )
    told = person.ok("extract-facts", "--session", "abc-1", "--json").json
    assert [row["number"] for row in told["facts"]] == ["d001", "d002"]
    assert person.ok("extract-facts", "--session", "2026-01-02-s", "--json").json["decisions"] == 0
    listed = {one["id"]: one for one in person.ok("list", "--kind", "decision", "--json").json}
    assert listed["d001-use-redis"]["trust"] == "user"  # the person said so
    assert listed["d002-use-sqlite"]["trust"] == "external"
    assert listed["d001-use-redis"]["created"] == "2026-01-02T10:00:00Z"


def test_what_an_agent_states_is_trusted_like_an_agent(person: Person) -> None:
    env = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "abc"}
    person.ok("add-decision", "one", env=env)
    person.ok("add-decision", "two")
    extracted(person, "## Decisions\n- three\n  - source: instructed\n")
    trust = {one["title"]: one["trust"] for one in person.ok("list", "--json").json}
    assert trust == {"one": "agent", "two": "user", "three": "agent"}
    source = {one["title"]: one["source"] for one in person.ok("list", "--json").json}
    assert source["one"] == "inferred"
    assert source["two"] == "instructed"
    assert "session: abc" in (person.store / "semantic/decisions/d001-one.md").read_text()


def test_open_issues_are_in_the_brief_until_they_are_resolved(person: Person) -> None:
    person.ok("add-issue", "The queue is drained twice")
    assert "The queue is drained twice" in person.ok("recall", "--start").out
    person.ok("resolve", "i001")
    assert "The queue is drained twice" not in person.ok("recall", "--start").out


def test_facts_of_project_and_home_have_numbers_of_their_own(person: Person) -> None:
    person.ok("init", "--scope", "global")
    person.ok("add-issue", "here")
    person.ok("add-issue", "for all", "--scope", "global")
    person.ok("add-issue", "for all, too", "--scope", "global")
    assert person.ok("resolve", "i001", "--json").json["content"] == "here"
    assert person.ok("resolve", "i002", "--json").json["content"] == "for all, too"
    assert person.ok("resolve", "i001", "--scope", "global", "--json").json["content"] == "for all"


def answered(ran: Ran) -> str:
    assert ran.err == "", ran
    return ran.out


def test_clearing_asks_at_a_terminal(person: Person) -> None:
    person.ok("add-decision", "one")
    ran = person.at_terminal("clear-facts", typed="n\n")
    assert ran.code == 1
    assert "Stopped; nothing was changed." in answered(ran)
    assert len(page(person)["decisions"]) == 1
    assert person.run("clear-facts").code == 2
    assert person.at_terminal("clear-facts", typed="y\n").code == 0
    assert page(person)["decisions"] == []


def test_any_text_is_data(person: Person) -> None:
    """K5, K6: nothing in a content separates, ends or replaces anything."""
    said = [
        "$& \\1 |",
        "## Decisions in text",
        "C:\\x\\",
        "https://x.org:80/a",
        "- [a] b: c",
        "'; rm",
    ]
    for text in said:
        person.ok("add-decision", "--", text, text)
    rows = page(person)["decisions"]
    assert [row["content"] for row in rows] == said
    assert [row["reason"] for row in rows] == [s.replace("## ", "### ") for s in said]


@pytest.mark.parametrize("body", ["For an hour.", ""])
def test_what_was_kept_while_a_session_went_on_is_not_learned_from_it_again(
    person: Person, body: str
) -> None:
    env = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "abc-1"}
    words = ("Use Redis for the session cache", "--kind", "decision", "--body", body)
    saved = person.ok("save", *words, "--json", env=env).json["id"]
    before = person.ok("show", saved, "--json").json["text"]
    path = person.store / "episodic" / "2026-01-02-s" / "summary.md"
    path.parent.mkdir(parents=True)
    path.write_text(
        "---\nkind: session\ntrust: agent\nsession: abc-1\ncreated: 2026-01-02T10:00:00Z\n---\n"
        f"# S\n\n## Decisions\n\n- [other] Use Redis for the session cache{body and ': '}{body}\n"
        "- [other] Rinse the teapot before the tea\n"
    )
    assert "filed: 1," in person.ok("consolidate").out
    assert person.ok("show", saved, "--json").json["text"] == before
    texts = [path.read_text() for path in (person.store / "semantic").rglob("*.md")]
    assert sum("Redis" in text for text in texts) == 1
    assert sum("teapot" in text for text in texts) == 1


@pytest.mark.parametrize("name", ["i001", "i001-it", "i001-it-leaks"])
def test_a_forgotten_fact_comes_back_by_its_number_or_the_beginning_of_its_id(
    person: Person, name: str
) -> None:
    person.ok("add-issue", "It leaks")
    person.ok("add-issue", "It leaks again")
    person.ok("forget", "i001")
    person.ok("add-pattern", "Small commits")
    assert "removed (forget)" in person.ok("history", name).out
    person.ok("undo", name)
    assert "i001-it-leaks" in person.ok("list").out
