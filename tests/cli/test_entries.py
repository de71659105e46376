"""Entries through the public interfaces: each is found, listed, shown and signed as itself, never as its page."""

from __future__ import annotations

import re
import time
from collections import Counter

import pytest
from tests.capture.transcripts import Transcript

from .running import Person

RULES = """---
id: feedback
title: How to work here
type: procedural
created: 2026-10-01T00:00:00Z
---
# How to work here

## Write migrations by hand ^q4w5 [^0b6f]

Never generate a migration.

## Skip the migrations on Fridays ^z7x8 [^91c2]

Push straight to main.

## Review every migration

Two people look at a migration.
<!-- superseded 2026-10-03: previously One person looks at a zebra. -->

[^0b6f]: 2026-10-06, "Schema for orders", said by the person
[^91c2]: 2026-11-16, "Friday release", noted by the agent
"""
ORDERS = """---
title: Orders
type: semantic
created: 2026-10-01T00:00:00Z
---
# Orders

- Order store: PostgreSQL, because we need JSONB. ^k3f9 [^0b6f]
- Order numbers are ULIDs. ^k3m2 [^91c2]

[^0b6f]: 2026-10-06, "Schema for orders", said by the person
[^91c2]: 2026-11-16, "Ids", noted by the agent
"""
PAYMENTS = (
    "---\ntitle: Payments\ntype: semantic\ncreated: 2026-10-01T00:00:00Z\n---\n# Payments\n\n"
)
NOTED_BY_AGENT = '[^91c2]: 2026-11-16, "Ids", noted by the agent\n'
PERSONS, AGENTS = "feedback#write-migrations-by-hand", "feedback#skip-the-migrations-on-fridays"


@pytest.fixture
def kept(person: Person) -> Person:
    """Somebody with a page of rules and a page of facts, with words of a person and of an agent."""
    for path, text in (("procedural/feedback.md", RULES), ("semantic/orders.md", ORDERS)):
        (person.store / path).parent.mkdir(parents=True, exist_ok=True)
        (person.store / path).write_text(text)
    return person


def test_each_rule_of_a_page_is_found_with_its_own_origin(kept: Person) -> None:
    hits = kept.ok("search", "migration", "--json").json["hits"]
    assert {
        f"{one['id']}#{one['anchor']}": (one["trust"], one["created"][:10]) for one in hits
    } == {
        PERSONS: ("user", "2026-10-06"),
        AGENTS: ("agent", "2026-11-16"),
        "feedback#review-every-migration": ("user", ""),
    }
    assert kept.ok("search", "zebra", "--json").json["hits"] == []
    orders = kept.ok("search", "order", "--json").json["hits"]
    assert {one["anchor"]: one["trust"] for one in orders} == {"^k3f9": "user", "^k3m2": "agent"}


def test_recall_signs_each_entry_as_itself(kept: Person) -> None:
    text = kept.ok("recall", "how do we write migrations by hand, also on Fridays?").out
    signed = dict(re.findall(r'<memory-\w+ id="([^"]+)".*?trust="(\w+)"', text))
    assert signed[PERSONS] == "user"
    assert signed.get(AGENTS, "agent") == "agent"
    facts = kept.ok("recall", "which store do our orders use, PostgreSQL?").out
    assert 'id="orders#^k3f9"' in facts
    assert 'date="2026-10-06"' in facts


def test_the_brief_tells_only_the_persons_rule_as_theirs(kept: Person) -> None:
    text = kept.ok("recall", "--start").out
    [persons] = [line for line in text.splitlines() if "Write migrations by hand" in line]
    assert "agent" not in persons
    [agents] = [line for line in text.splitlines() if "Skip the migrations" in line]
    assert "user" not in agents


@pytest.mark.parametrize("name", ["q4w5", "q4w", "^q4w5", PERSONS, "feed#write-migrations-by-hand"])
def test_show_takes_any_beginning_of_an_id_and_signs_the_entry(kept: Person, name: str) -> None:
    shown = kept.ok("show", name, "--json").json
    about = {key: shown[key] for key in ("id", "anchor", "source", "trust", "kind", "entry")}
    assert about == {
        "id": "feedback", "anchor": "write-migrations-by-hand", "source": "instructed",
        "trust": "user", "kind": "rule", "entry": "q4w5",
    }  # fmt: skip
    assert (shown["created"][:10], shown["text"]) == ("2026-10-06", "Never generate a migration.")
    assert "2026-10-06" in kept.ok("show", name).out


def test_a_fact_that_was_filed_is_titled_by_its_page_alone(person: Person) -> None:
    noted = ORDERS.replace("# Orders\n", "# Orders\n\n## Noted by the agent\n")
    person.write("semantic/orders.md", noted)
    assert person.ok("show", "k3f9").out.startswith("Orders  orders#^k3f9\n")
    assert person.ok("show", "orders#noted-by-the-agent").out.startswith(
        "Orders – Noted by the agent  orders#noted-by-the-agent\n"
    )


def test_the_agents_rule_is_shown_as_the_agents(kept: Person) -> None:
    shown = kept.ok("show", "z7x8", "--json").json
    assert (shown["source"], shown["trust"], shown["created"][:10]) == (
        "inferred",
        "agent",
        "2026-11-16",
    )
    page = kept.ok("show", "feedback", "--json").json
    assert page["trust"] == "agent"  # no more than the least of what it says
    item = kept.ok("show", "k3m2", "--json").json
    assert (item["trust"], item["text"], item["path"].endswith("orders.md")) == (
        "agent", "Order numbers are ULIDs.", True,
    )  # fmt: skip


def test_an_unknown_or_ambiguous_id_names_what_was_meant(kept: Person) -> None:
    ran = kept.run("show", "^k3")
    assert ran.code == 10
    both = kept.run("show", "^k3f")
    assert both.code == 0
    (kept.store / "semantic" / "orders-archive.md").write_text("# Old orders\n\nText.\n")
    many = kept.run("show", "ord")
    assert many.code == 10
    assert "orders" in many.err
    assert "orders-archive" in many.err
    near = kept.run("show", "ordrs")
    assert "Did you mean orders" in near.err
    assert kept.run("show", "ordrs", "--json").json["error"]["kind"] == "memory-not-found"


@pytest.mark.parametrize("columns", [80, 100, 200, 0])
def test_a_list_has_kind_date_state_and_whole_id_of_each_entry(kept: Person, columns: int) -> None:
    kept.ok(
        "save", "A rather long title that has to give way to all the others here", "--kind", "fact"
    )
    every = kept.ok("list", "--json").json
    ran = (
        kept.at_terminal("list", columns=columns, env={"NO_COLOR": "1"})
        if columns
        else kept.ok("list")
    )
    out = ran.out
    assert len(every) == 6
    for one in every:
        [line] = [line for line in out.splitlines() if f" {one['entry']} " in line]
        state = one["status"].replace("confirmed", "")  # that it holds goes without saying
        for said in (one["kind"], one["created"][:10] or "–", state):
            assert said in line
        assert one["id"] in out
    assert "confirmed" not in out
    if columns:
        assert all(len(line) <= columns for line in out.splitlines()), out


def test_rules_are_listed_and_pages_too(kept: Person) -> None:
    rules = kept.ok("list", "--kind", "rule", "--json").json
    assert {one["text"]: one["trust"] for one in rules} == {
        "Write migrations by hand": "user",
        "Skip the migrations on Fridays": "agent",
        "Review every migration": "user",
    }
    assert [one["entry"] for one in rules[:2]] == ["z7x8", "q4w5"]  # newest first
    assert {one["id"] for one in kept.ok("list", "--pages", "--json").json} == {
        "feedback",
        "orders",
    }
    kept.ok("set", "orders", "status=superseded")
    states = {one["entry"]: one["status"] for one in kept.ok("list", "--json").json}
    assert (states["k3f9"], states["q4w5"]) == ("superseded", "confirmed")
    assert "k3f9" not in kept.ok("recall", "which store do our orders use, PostgreSQL?").out


@pytest.mark.slow
def test_every_command_that_names_a_memory_takes_the_beginning_of_its_id(person: Person) -> None:
    for title in ("Use MySQL for the archive", "Use Redis for sessions", "Use Kafka for events"):
        person.ok("save", title, "--kind", "decision")
    short = {one["id"]: one["entry"] for one in person.ok("list", "--json").json}
    mysql, redis, kafka = (
        short[f"use-{name}"] for name in ("mysql-for-the-archive", "redis-for-sessions", "kafka-for-events")
    )  # fmt: skip
    assert "Use MySQL" in person.ok("show", mysql[:3]).out
    person.ok("archive", mysql)
    person.ok("activate", mysql)
    person.ok("supersede", mysql, redis)
    person.ok("merge", kafka, redis)
    issue = person.ok("fact", "issue", "The queue is drained twice", "--json").json["id"]
    person.ok("fact", "resolve", issue[:8])
    states = {one["id"]: one["status"] for one in person.ok("list", "--json").json}
    assert states == {
        "use-mysql-for-the-archive": "superseded",
        "use-kafka-for-events": "confirmed",
        issue: "resolved",
    }


@pytest.mark.slow
def test_what_is_forgotten_still_has_its_id_in_the_history(kept: Person) -> None:
    kept.ok("save", "订单使用 PostgreSQL", "--kind", "decision")
    short = {one["id"]: one["entry"] for one in kept.ok("list", "--json").json}
    page = short["订单使用-postgresql"]
    for name in (page, "k3m2", "q4w5"):
        kept.ok("forget", name)
        assert kept.ok("history", name, "--json").json[0]["cause"] == "forget"
    kept.ok("save", "Never deploy without a green build")  # on the page of the rule, after it

    assert kept.run("history", "zzzz").code == 10
    assert kept.ok("undo", page, "--json").json["cause"] == "forget"
    kept.ok("undo", "k3m2")
    names = {one["entry"] for one in kept.ok("list", "--json").json}
    assert names >= {page, "k3m2"}
    assert "q4w5" not in names
    assert "changed" in kept.run("undo", "q4w5").err


def _entry(person: Person, name: str) -> tuple[str, str, str]:
    [row] = [one for one in person.ok("list", "--json").json if one["entry"] == name]
    return row["text"], row["trust"], row["source"]


def test_a_fact_of_a_page_is_edited_by_its_id_and_keeps_it(kept: Person) -> None:
    page = kept.store / "semantic" / "orders.md"
    kept.ok("edit", "k3m2", "--append", "They sort by time.")
    assert _entry(kept, "k3m2") == (
        "Order numbers are ULIDs. They sort by time.",
        "agent",  # who adds to an agent's line does not vouch for it
        "inferred",
    )
    done = kept.ok("edit", "orders#^k3m2", "--body", "Order numbers are\nUUIDs.")
    assert done.out.startswith("Changed orders#^k3m2\n")
    assert _entry(kept, "k3m2") == ("Order numbers are UUIDs.", "user", "instructed")
    kept.ok("edit", "k3m2", "--title", "Order numbers are UUIDv7")
    assert _entry(kept, "k3m2")[0] == "Order numbers are UUIDv7"
    assert "- Order store: PostgreSQL, because we need JSONB. ^k3f9 [^0b6f]\n" in page.read_text()
    both = kept.run("edit", "k3m2", "--title", "One", "--body", "Two")
    assert (both.code, "give --title or --body" in both.err) == (2, True)
    kept.ok("edit", "k3f9", "--body", "Orders are in MySQL.", env={"CLAUDECODE": "1"})
    assert _entry(kept, "k3f9") == ("Orders are in MySQL.", "agent", "inferred")
    kept.ok("undo")
    assert _entry(kept, "k3f9")[0] == "Order store: PostgreSQL, because we need JSONB."


def test_an_item_of_a_session_is_edited_and_forgotten_with_what_belongs_to_it(
    person: Person,
) -> None:
    page = person.write(
        "episodic/2026-10-06-orders/summary.md",
        "---\ntitle: Orders\ntype: episodic\nkind: session\ntrust: agent\ncreated: 2026-10-06\n---\n"
        "## Decisions\n\n- [technology] Orders are in PostgreSQL: we need JSONB\n"
        "  - source: inferred\n  - files: db.py\n\n- [approach] Prices are in cents\n",
    )
    [name] = [one["entry"] for one in person.ok("list", "--json").json if "JSONB" in one["text"]]
    person.ok("edit", name, "--body", "Orders are in SQLite")
    assert _entry(person, name[:4])[1:] == ("user", "instructed")
    assert "  - source: instructed\n  - files: db.py\n\n- [approach] Prices" in page.read_text()
    person.ok("forget", name[:4])
    assert "## Decisions\n\n- [approach] Prices are in cents\n" in page.read_text()


def test_one_entry_of_a_page_is_approved_or_rejected_alone(kept: Person) -> None:
    lines = ("Refunds are manual. ^r2r2", "Prices are integers. ^p3p3", "Cards are tokens. ^c4c4")
    text = "".join(f"- {line} [^91c2]\n" for line in lines)
    kept.write("semantic/payments.md", f"{PAYMENTS}{text}\n{NOTED_BY_AGENT}")
    before = {name: _entry(kept, name) for name in ("r2r2", "p3p3", "c4c4")}
    kept.ok("review", "--approve", "r2r2")
    assert _entry(kept, "r2r2") == ("Refunds are manual.", "user", "inferred")
    assert _entry(kept, "p3p3") == before["p3p3"]
    [waiting] = [row for row in kept.ok("review", "--json").json if "payments" in row["name"]]
    assert waiting["said"] == "- Prices are integers. - Cards are tokens."
    kept.ok("review", "--reject", "p3p3")
    page = (kept.store / "semantic" / "payments.md").read_text()
    assert "Prices" not in page
    assert "said by the person" not in page  # they approved it, and did not say it
    assert _entry(kept, "c4c4") == before["c4c4"]
    kept.ok("undo")
    kept.ok("undo")
    assert {name: _entry(kept, name) for name in before} == before


def test_what_is_approved_already_changes_nothing_and_promises_no_undo(person: Person) -> None:
    person.ok("save", "Always rinse the kettle")
    ran = person.ok("review", "--approve", "feedback#always-rinse-the-kettle")
    assert ran.out == "Already approved: feedback#always-rinse-the-kettle\n"
    assert len(person.ok("history", "--json").json) == 1
    person.ok("save", "Use blue cups", "--kind", "decision")
    before = (person.store / "semantic/decisions/use-blue-cups.md").read_bytes()
    ran = person.ok("review", "--approve", "use-blue-cups")
    assert ran.out == "Already approved: use-blue-cups\n"
    assert (person.store / "semantic/decisions/use-blue-cups.md").read_bytes() == before


def test_a_fact_is_approved_by_its_number(person: Person) -> None:
    person.ok("add-decision", "Use blue cups", env={"CLAUDECODE": "1"})
    assert person.ok("review", "--approve", "D001").out.startswith("Approved D001")
    assert person.ok("show", "d001", "--json").json["trust"] == "user"


def test_a_page_of_rules_without_a_rule_is_none(person: Person) -> None:
    person.ok("save", "Always rinse the kettle")
    page = person.store / "procedural" / "feedback.md"
    text = "".join(line for line in page.read_text().splitlines(True) if "kettle" not in line)
    page.write_text(text)
    assert person.ok("list", "--json").json == []
    assert "How to work here" not in person.ok("recall", "--start").out
    person.ok("save", "Always warm the cups")
    assert [one["text"] for one in person.ok("list", "--json").json] == ["Always warm the cups"]


@pytest.mark.parametrize("words", [["forget"], ["edit", "--body", "Refunds take a day"]])
def test_the_last_line_of_a_list_takes_nothing_of_the_lists_origin_along(
    kept: Person, words: list[str]
) -> None:
    text = "## Notes ^abcd [^91c2]\n\n- Refunds are manual. ^r2r2\n- Cards are tokens. ^c4c4\n"
    kept.write("semantic/payments.md", f"{PAYMENTS}{text}\n{NOTED_BY_AGENT}")
    before = _entry(kept, "r2r2")
    assert before[1] == "agent"
    kept.ok(words[0], "c4c4", *words[1:])
    assert _entry(kept, "r2r2") == before


def test_an_entry_that_its_page_signs_is_approved_with_its_page_only(kept: Person) -> None:
    page = kept.store / "semantic" / "orders.md"
    page.write_text(page.read_text().replace("type: semantic", "type: semantic\ntrust: agent"))
    ran = kept.run("review", "--approve", "k3m2")
    assert ran.code == 2
    assert "recollect review --approve orders" in ran.err
    assert "trust: agent" in page.read_text()


def test_an_entry_in_the_archive_brings_its_page_back(kept: Person) -> None:
    kept.ok("archive", "orders")
    kept.ok("activate", "k3f9")
    assert (kept.store / "semantic" / "orders.md").exists()


def test_an_entry_alone_on_its_page_is_archived_with_it(kept: Person) -> None:
    kept.ok("forget", "k3m2")
    assert kept.run("archive", "orders#^none").code != 0
    kept.ok("archive", "k3f9")
    assert not (kept.store / "semantic" / "orders.md").exists()
    assert "k3f9" in kept.ok("list", "--archived").out


@pytest.mark.parametrize(("name", "change", "there"), [
    ("k3m2", "s/ULIDs/UUIDs/", "- Order numbers are UUIDs. ^k3m2 [^91c2]\n"),
    ("z7x8", "s/Push/Go/", "## Skip the migrations on Fridays ^z7x8 [^91c2]\n\nGo straight to main.\n"),
])  # fmt: skip
def test_the_editor_gets_an_entry_with_an_id_alone(
    kept: Person, name: str, change: str, there: str
) -> None:
    editor, seen = kept.home / "editor", kept.home / "seen"
    editor.write_text(f'#!/bin/sh\ncp "$1" {seen}\nsed -i "{change}" "$1"\n')
    editor.chmod(0o755)
    pages = [kept.store / "semantic" / "orders.md", kept.store / "procedural" / "feedback.md"]
    before = "".join(page.read_text() for page in pages)
    kept.at_terminal("edit", name, env={"EDITOR": str(editor)})
    after = "".join(page.read_text() for page in pages)
    assert there in after
    had, words = seen.read_text(), change.split("/")
    assert had == there.replace(words[2], words[1])
    assert re.sub(r"updated: .*\n", "", after) == before.replace(had, there)
    editor.write_text('#!/bin/sh\n: > "$1"\n')
    emptied = kept.at_terminal("edit", name, env={"EDITOR": str(editor)})
    assert emptied.code == 2
    assert "".join(page.read_text() for page in pages) == after


@pytest.mark.parametrize("words", [["-"], ["--title", ""], ["--body", " "], ["--append", ""]])
@pytest.mark.parametrize("name", ["orders", PERSONS, "k3m2"])
def test_an_edit_empties_nothing(kept: Person, name: str, words: list[str]) -> None:
    pages = [kept.store / "semantic" / "orders.md", kept.store / "procedural" / "feedback.md"]
    before = [page.read_text() for page in pages]
    ran = kept.run("edit", name, *words)
    assert ran.code == 2
    assert "empty" in ran.err
    assert "recollect forget" in ran.err
    assert [page.read_text() for page in pages] == before


def test_a_text_without_an_option_is_told_where_it_goes(kept: Person) -> None:
    for words in (["edit", "k3m2", "new text"], ["save", "A title", "And a text"]):
        ran = kept.run(*words)
        assert (ran.code, "--body" in ran.err) == (2, True), ran
    assert "quotes" in kept.run("save", "Title", "text").err


def test_stats_counts_a_core_file_as_status_does(kept: Person) -> None:
    kept.ok("core", "set", "project", "A shop for tea.")
    [row] = kept.ok("stats", "--json").json
    assert row["kinds"]["core"] == 1
    assert row["kinds"] == kept.ok("status", "--json").json["remembered"]["project"]


def test_status_and_stats_count_what_list_lists(kept: Person) -> None:
    feedback = kept.store / "procedural" / "feedback.md"
    solution = (
        "## Solution: npm-test ^s7p2 [^91c2]\n\n- **Symptom:** ENOENT\n- **Solution:** npm ci\n\n"
    )
    feedback.write_text(feedback.read_text().replace("[^0b6f]: ", solution + "[^0b6f]: "))
    counts = Counter(one["kind"] for one in kept.ok("list", "--json").json)
    assert counts == {"rule": 3, "fact": 2, "solution": 1}
    assert kept.ok("status", "--json").json["remembered"]["project"] == counts
    [row] = kept.ok("stats", "--json").json
    assert (row["kinds"], row["entries"], row["memories"]) == (counts, 6, 2)
    assert "rule 3, fact 2, solution 1" in kept.ok("stats").out
    assert "rule 3, fact 2, solution 1" in kept.ok("status").out
    waiting = {one["name"]: one for one in kept.ok("review", "--json").json}
    one = waiting["feedback#solution-npm-test"]
    assert [one[key] for key in ("kind", "source", "created")] == [
        "solution",
        "inferred",
        "2026-11-16",
    ]


def test_a_mistyped_beginning_names_what_was_meant_also_in_the_archive(person: Person) -> None:
    person.ok("save", "订单使用 PostgreSQL", "--kind", "decision")
    assert "Did you mean 订单使用-postgresql?" in person.run("show", "订单用").err
    person.ok("archive", "订单使用-postgresql")
    assert "Did you mean 订单使用-postgresql?" in person.run("activate", "订单用").err


def test_a_saved_rule_has_its_own_date_and_no_session(person: Person) -> None:
    person.ok("save", "Always squash pull requests")
    person.ok("save", "Run the linter", "--kind", "rule", "--body", "It takes a second.")
    for one in person.ok("list", "--json").json:
        assert one["created"].endswith(":00Z")
        assert (one["trust"], one["source"], one["session"]) == ("user", "instructed", "")
    person.ok("save", "Never squash pull requests")
    page = (person.store / "procedural" / "feedback.md").read_text()
    [new] = [line for line in page.splitlines() if "Never squash" in line]
    assert re.fullmatch(r"## Never squash pull requests \^\w{4} \[\^\w{6}\]", new)
    assert re.search(r"(?m)^\[\^\w{6}\]: \d{4}-\d\d-\d\d \d\d:\d\d, said by the person$", page)
    again = person.ok("save", "Never squash pull requests")
    assert "already says that" in again.out
    shown = person.ok("show", "feedback").out
    assert "said by the person" in shown
    assert "<!-- from:" not in shown


def test_what_was_saved_within_a_minute_is_listed_newest_first(
    person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "time_ns", lambda: 1_768_141_810 * 10**9)
    person.ok("save", "Use PostgreSQL for orders", "--kind", "decision")
    monkeypatch.setattr(time, "time_ns", lambda: 1_768_141_815 * 10**9)
    person.ok("save", "Always squash pull requests")
    texts = [one["text"] for one in person.ok("list", "--json").json]
    assert texts == ["Always squash pull requests", "Use PostgreSQL for orders"]


def test_a_long_rule_is_listed_whole(person: Person) -> None:
    rule = "Run the linter before each commit, and the type checker with all its plugins as well"
    person.ok("save", rule)
    assert person.ok("list", "--json").json[0]["text"] == rule
    assert rule in person.ok("list").out


@pytest.mark.sampled(2)
@pytest.mark.parametrize("columns", [80, 100, 200, 0])
@pytest.mark.parametrize("command", [["list", "--pages"], ["timeline"], ["search", "order"]])
def test_kind_date_id_and_state_are_never_dropped(
    kept: Person, command: list[str], columns: int
) -> None:
    title = "Orders are numbered by the order service, never by the shop or by the warehouse"
    kept.ok("save", title, "--kind", "fact")
    kept.ok("save", "Order numbers come from a sequence", "--kind", "decision")
    kept.ok("set", "order-numbers-come-from-a-sequence", "status=superseded")
    out = (
        kept.at_terminal(*command, columns=columns, env={"NO_COLOR": "1"})
        if columns
        else kept.ok(*command)
    ).out
    one = next(one for one in kept.ok("list", "--json").json if "from-a-sequence" in one["id"])
    lines = out.splitlines()
    at = next(n for n, line in enumerate(lines) if "come from a sequence" in line)
    said = " ".join(lines[max(0, at - 1) : at + 4])
    for word in ("decision", "superseded"):
        assert word in said
    assert one["created"][:10] in out
    assert one["id"] in said or one["entry"] in said
    if columns:
        assert all(len(line) <= columns for line in lines), out


def test_what_a_session_said_and_a_page_keeps_is_listed_once(person: Person) -> None:
    session = person.store / "episodic" / "2026-10-06-orders" / "summary.md"
    session.parent.mkdir(parents=True)
    session.write_text(
        "---\ntitle: Orders\ntype: episodic\nkind: session\ncreated: 2026-10-06\n---\n"
        "## Decisions\n- Orders are in PostgreSQL: we need JSONB\n- Prices are in cents\n"
    )
    said = [one["text"] for one in person.ok("list", "--json").json]
    assert "Orders are in PostgreSQL: we need JSONB" in said
    (person.store / "semantic" / "database.md").write_text(
        "---\ntitle: Database\ntype: semantic\ncreated: 2026-10-06\n---\n"
        "- Orders are in PostgreSQL：we need JSONB. ^k3f9 [^0b6f3a]\n- Other. ^k3m2 [^0b6f3a]\n\n"
        '[^0b6f3a]: 2026-10-06, "Orders", said by the person\n'
    )
    rows = person.ok("list", "--json").json
    assert [one["id"] for one in rows if "PostgreSQL" in one["text"]] == ["database"]
    assert "Prices are in cents" in [one["text"] for one in rows]
    decisions = person.ok("list", "--kind", "decision", "--json").json
    assert {one["text"] for one in decisions} >= {"Orders are in PostgreSQL: we need JSONB"}


@pytest.mark.slow
def test_a_page_with_all_the_words_stands_before_the_conversation_about_it(person: Person) -> None:
    person.ok("init", "--scope", "both")
    decided = "We use PostgreSQL for orders because we need JSONB. Never push to main."
    asked = "Which database do the orders use?"
    for n, prompt in enumerate((decided, asked)):
        log = Transcript(f"5f0c2d6e-000{n}-4a7b-9c1d-000000000001", cwd=str(person.project))
        log.prompt(prompt)
        log.answer("The orders use PostgreSQL.")
        log.save(person.home / ".claude" / "projects" / "p")
    person.ok("capture", str(person.home / ".claude" / "projects"))
    person.ok("consolidate")
    for words in ("orders", "orders database"):
        first = person.ok("search", words, "--json").json["hits"][0]
        assert (first["title"], first["kind"]) == ("Database", "decision"), words


def test_undo_names_what_is_left_of_a_pass_of_consolidation(
    person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recollect.features.capture._with_filed", lambda report, *_: report)
    log = Transcript("5f0c2d6e-0001-4a7b-9c1d-000000000001", cwd=str(person.project))
    log.prompt("We use PostgreSQL because we need JSONB. Never push to main. Orders go to Kafka.")
    log.answer("Done.")
    log.save(person.home / ".claude" / "projects" / "p")
    person.ok("capture", str(person.home / ".claude" / "projects"))
    before = person.ok("history", "--json").json[0]["change"]
    person.ok("consolidate")
    made = len(person.ok("history", "--json").json) - 1
    assert made > 1
    out = person.ok("undo").out
    command = f"undo --to {before[:15]}"
    assert f"Changes of consolidation that remain: {made - 1}; `recollect {command}`" in out
    person.ok(*command.split())
    assert not (person.store / "procedural" / "feedback.md").exists()
    person.ok("save", "A last note", "--kind", "fact")
    assert "remain" not in person.ok("undo").out


@pytest.mark.slow
def test_the_rule_made_last_stands_first_in_the_brief(person: Person) -> None:
    for n in range(16):
        person.ok("save", f"Never let pump {n} run while valve {n} is shut", "--kind", "rule")
    said = person.ok("recall", "--start").out
    assert 0 < said.index("pump 15") < said.index("pump 14")


def test_a_rule_that_says_no_more_than_its_heading_is_shown_once(person: Person) -> None:
    person.ok("save", "Always squash pull requests")
    shown = person.ok("show", "feedback#always-squash-pull-requests").out
    assert shown.endswith("\n\nAlways squash pull requests\n")
    [title, about] = person.ok("search", "squash").out.splitlines()
    assert title == "How to work here – Always squash pull requests"
    assert about.startswith("  feedback#always-squash")


@pytest.mark.parametrize("kind", [["--kind", "decision"], []])
def test_a_section_that_was_added_to_a_title_stands_beside_it(
    kind: list[str], person: Person
) -> None:
    person.ok("save", "The ledger counts in cents", *kind)
    person.ok("save", "Backups run nightly", "--into", "the-ledger-counts-in-cents")
    rows = person.ok("list", "--json").json
    assert [row["text"] for row in rows] == ["The ledger counts in cents", "Backups run nightly"]
    first = person.ok("search", "which unit does the ledger count in", "--json").json["hits"][0]
    assert first["title"] == "The ledger counts in cents"
    assert "counts in cents" in person.ok("recall", "is the ledger in cents?").out


def test_what_takes_a_whole_memory_says_so_of_an_entry(person: Person) -> None:
    person.ok("save", "Order numbers are ULIDs", "--subject", "Orders")
    [line] = person.ok("list", "--json").json
    ran = person.run("encrypt", "--dry-run", f"orders#{line['anchor']}")
    assert "Only a whole memory can be encrypted: this is an entry of" in ran.err


def test_a_section_goes_to_the_page_of_the_entry_that_is_named(person: Person) -> None:
    person.ok("save", "Order numbers are ULIDs", "--subject", "Orders")
    [line] = person.ok("list", "--json").json
    ran = person.ok("save", "Backups run nightly", "--into", f"orders#{line['anchor']}")
    assert "Saved orders#backups-run-nightly" in ran.out
    assert "layer" not in ran.out
