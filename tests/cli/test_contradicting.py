"""What `save` does with a statement that contradicts others: it says so, and drops nothing silently."""

from __future__ import annotations

import pytest

from .running import Person

LINES = """# {title}

- {line} <!-- from: s1; date: 2026-01-02; trust: user; source: instructed -->
- {other} <!-- from: s1; date: 2026-01-02; trust: user; source: instructed -->
"""


@pytest.fixture
def knowing(person: Person) -> Person:
    """A project that settled the store of its bookings three times, and never took one back."""
    for n, name in enumerate(("CockroachDB", "MySQL")):
        person.write(f"semantic/decisions/d{n}.md", f"# Use {name} for bookings\n\nIt scales.\n")
    line, other = "We use PostgreSQL for bookings", "Use Redis for sessions"
    person.write("semantic/database.md", LINES.format(title="Database", line=line, other=other))
    line, other = "预订用 PostgreSQL 存储", "会话用 Redis 存储"
    person.write("semantic/shuju.md", LINES.format(title="数据库", line=line, other=other))
    return person


def texts(person: Person) -> set[str]:
    """What holds."""
    rows = person.ok("list", "--json").json
    return {row["text"] for row in rows if row["status"] not in ("superseded", "provisional")}


def open_questions(person: Person) -> list[tuple[str, str]]:
    rows = person.ok("conflicts", "--json").json
    return [(row["old"], row["new"]) for row in rows]


def test_a_decision_takes_the_place_of_every_entry_for_the_same_purpose(knowing: Person) -> None:
    said = knowing.ok("save", "Use SQLite for bookings", "--kind", "decision").out
    for name in ("Use CockroachDB", "Use MySQL", "We use PostgreSQL"):
        assert f"“{name} for bookings”" in said
    held = "\n".join(texts(knowing))
    assert "Use SQLite for bookings" in held
    assert not any(name in held for name in ("Cockroach", "MySQL", "use PostgreSQL"))
    page = (knowing.store / "semantic" / "database.md").read_text()
    assert "previously We use PostgreSQL for bookings" in page
    assert "- Use Redis for sessions" in page
    assert open_questions(knowing) == []
    knowing.ok("undo")  # of all of it
    held = "\n".join(texts(knowing))
    assert all(name in held for name in ("Cockroach", "MySQL", "use PostgreSQL"))
    assert "Use SQLite for bookings" not in texts(knowing)


@pytest.mark.parametrize("kind", ["decision", "rule"])
def test_what_is_saved_again_takes_the_place_of_what_was_written_since(
    kind: str, person: Person
) -> None:
    asked = ("save", "Use SQLite for bookings", "--kind", kind)
    person.ok(*asked)
    line, other = "We use PostgreSQL for bookings", "Use Redis for sessions"
    person.write("semantic/database.md", LINES.format(title="Database", line=line, other=other))
    for dry in (("--dry-run",), ()):
        said = person.ok(*asked, *dry).out
        assert f"in place of “{line}”" in said
        assert "nothing was changed" not in said
        assert (line in texts(person)) == bool(dry)
    assert {"Use SQLite for bookings", other} <= texts(person)
    assert "nothing was changed" in person.ok(*asked).out
    person.ok("undo")
    assert line in texts(person)


def test_a_rule_takes_the_place_of_a_statement_on_the_page_that_it_goes_to(person: Person) -> None:
    old, other = "Never run more than two containers", "Never push on Fridays"
    for text in (old, other):
        person.ok("save", text, "--kind", "rule", "--why", "the box is small")
    person.ok("save", "Never run more than four containers", "--kind", "rule")
    held = "\n".join(texts(person))
    assert "more than two" not in held
    assert "more than four" in held
    assert other in held
    person.ok("undo")
    held = "\n".join(texts(person))
    assert "more than two" in held
    assert "more than four" not in held


def test_a_chinese_decision_takes_the_place_of_a_line(knowing: Person) -> None:
    said = knowing.ok("save", "预订用 SQLite 存储", "--kind", "decision").out
    assert "预订用 PostgreSQL 存储" in said
    page = (knowing.store / "semantic" / "shuju.md").read_text()
    assert "\n- 预订用 PostgreSQL" not in page
    assert "- 会话用 Redis 存储" in page


@pytest.mark.parametrize(
    ("new", "old"),
    [("Use DynamoDB for bookings", "bookings"), ("预订用 DynamoDB 存储", "预订用 PostgreSQL 存储")],
)
def test_what_may_contradict_is_queued_and_holds_when_the_person_says_so(
    new: str, old: str, knowing: Person
) -> None:
    said = knowing.ok("save", new, "--kind", "decision", "--tags", "store").out
    assert "recollect conflicts" in said
    assert old in said
    questions = open_questions(knowing)
    assert questions
    assert {text for _, text in questions} == {new}
    assert new not in texts(knowing)
    knowing.ok("conflicts", "--choose", knowing.ok("conflicts", "--json").json[0]["id"], "new")  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Always write commit messages in German", "Always write commit messages in English"),
        ("Never run more than two containers", "Never run more than four containers"),
        ("Always squash pull requests", "Never squash pull requests"),
        ("永远不要运行超过两个容器", "永远不要运行超过四个容器"),
        ("提交信息一律用德语", "提交信息一律用英语"),
    ],
)
def test_a_rule_takes_the_place_of_one_with_another_value_for_the_same(
    old: str, new: str, person: Person
) -> None:
    person.ok("save", old, "--kind", "rule")
    said = person.ok("save", new, "--kind", "rule").out
    assert f"“{old}”" in said
    assert texts(person) == {new}
    assert f"previously {old}" in (person.store / "procedural" / "feedback.md").read_text()


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use SQLite for bookings", "Use MongoDB for logs"),
        ("Always write commit messages in German", "Write comments in English"),
        ("Never run more than two containers", "Never run more than four workers"),
        ("Use Postgres for bookings", "Use PostgreSQL for bookings and logs"),
        ("Step 4 is slow", "Step 5 is slow"),
        ("预订用 SQLite 存储", "日志用 MongoDB 存储"),
        ("永远不要运行超过两个容器", "永远不要运行超过四个线程"),
    ],
)
def test_what_is_about_something_else_stays(one: str, other: str, person: Person) -> None:
    for text in (one, other):
        said = person.ok("save", text, "--kind", "decision").out
        assert "contradict" not in said
    assert {one, other} <= texts(person)
    assert open_questions(person) == []


def test_a_look_changes_nothing(knowing: Person) -> None:
    before = texts(knowing)
    knowing.ok("save", "Use SQLite for bookings", "--kind", "decision", "--dry-run")
    knowing.ok("save", "Use DynamoDB for bookings", "--kind", "decision", "--dry-run")
    assert texts(knowing) == before
    assert open_questions(knowing) == []


def test_an_agent_does_not_outdo_the_person(knowing: Person) -> None:
    agent = {"CLAUDECODE": "1"}
    said = knowing.ok("save", "Use SQLite for bookings", "--kind", "decision", env=agent).out
    assert "recollect conflicts" in said
    assert any("PostgreSQL for bookings" in text for text in texts(knowing))
    assert "Use SQLite for bookings" not in texts(knowing)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", [(), ("--kind", "fact")])
def test_a_number_in_a_name_contradicts_no_other(kind: tuple[str, ...], person: Person) -> None:
    for title in ("Sprint 1", "Sprint 2", "Memory 2 of May", "Memory 3 of May"):
        person.ok("save", title, *kind, "--body", f"What is in {title}.")
    assert {row["status"] for row in person.ok("list", "--json").json} == {"confirmed"}
    person.ok("save", "Port 8080 for the API", *kind)
    assert "in place of" in person.ok("save", "Port 9090 for the API", *kind).out


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The API port is 8080", "The API port is 9090"),
        ("Never run more than two containers", "Never run more than four containers"),
        ("超时是 30 秒", "超时是 60 秒"),
    ],
)
def test_another_number_takes_the_place_of_one_whatever_kind_is_named(
    old: str, new: str, person: Person
) -> None:
    person.ok("save", old)
    assert f"“{old}”" in person.ok("save", new).out
    assert texts(person) == {new}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The timeout of an order is 30 seconds.", "The timeout of an order is 60 seconds."),
        ("30 seconds", "1 minute"),
    ],
)
def test_what_is_told_otherwise_under_the_same_title_takes_the_place_of_it(
    old: str, new: str, person: Person
) -> None:
    person.ok("save", "Order timeout", "--body", old)
    assert "in place of “Order timeout: " in person.ok("save", "Order timeout", "--body", new).out
    person.ok("save", "Order timeout", "--body", new, env={"CLAUDECODE": "1"})
    rows = person.ok("list", "--json").json
    assert sorted(row["status"] for row in rows) == ["confirmed", "superseded"]
    person.ok("save", "Order timeout", "--body", "90 seconds", env={"CLAUDECODE": "1"})
    rows = [row for row in person.ok("list", "--json").json if row["trust"] == "user"]
    assert sorted(row["status"] for row in rows) == ["confirmed", "superseded"]


def test_the_undo_of_what_took_a_decisions_place_moves_nothing(person: Person) -> None:
    person.ok("save", "Use PostgreSQL for orders", "--kind", "decision")
    person.ok("save", "Use MySQL for orders", "--kind", "decision")
    person.ok("undo")
    last = person.ok("history", "--json").json[0]
    assert (last["what"], last["cause"]) == ("changed", "undo")


def test_another_text_under_the_same_title_is_another_memory(person: Person) -> None:
    person.ok("save", "Orders", "--kind", "fact", "--body", "The table is called sales.")
    person.ok("save", "Orders", "--kind", "fact", "--body", "Refunds go through the bank.")
    assert {row["status"] for row in person.ok("list", "--json").json} == {"confirmed"}


def test_a_decision_with_its_reason_takes_the_place_of_one_that_has_a_page(person: Person) -> None:
    person.ok("save", "Use PostgreSQL for orders", "--kind", "decision", "--body", "We need JSONB.")
    person.ok("save", "Use MySQL for orders", "--kind", "decision", "--why", "the DBA knows it")
    assert texts(person) == {"Use MySQL for orders, because the DBA knows it"}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("ruling", ["new", "both"])
@pytest.mark.parametrize("is_line", [False, True])
def test_what_waited_for_a_ruling_keeps_the_fields_that_the_person_typed(
    ruling: str, is_line: bool, person: Person
) -> None:
    if is_line:
        line, other = "Use Postgres for sessions", "Use NATS for events"
        person.write("semantic/database.md", LINES.format(title="Database", line=line, other=other))
    else:
        person.ok(
            "save", "Use Postgres for sessions", "--kind", "decision", "--body", "It is there."
        )
    new = ("Use Redis for sessions", "--body", "Postgres is too slow for the load.")
    fields = ("--tags", "redis,sess", "--files", "src/a.py", "--category", "technology")
    person.ok("save", *new, "--kind", "decision", *fields)
    [question] = person.ok("conflicts", "--json").json
    asked = ("conflicts", "--choose", question["id"], ruling)
    path = "semantic/decisions/use-redis-for-sessions-because-postgres-is-too-slow-for-the-load.md"
    for dry in (("--dry-run",), ()):
        assert path in person.ok(*asked, *dry).out
        assert (person.store / path).exists() is not bool(dry)
    person.ok("consolidate")
    assert "category: technology\n" in (person.store / path).read_text()
    for only in (("--tags", "redis"), ("--file", "src/a.py")):
        [row] = person.ok("list", *only, "--json").json
        assert row["text"].startswith("Use Redis for sessions, because")
        assert (row["kind"], row["status"]) == ("decision", "confirmed")
    said = [text for text in texts(person) if "Use Redis" in text]
    assert len(said) == 1
    assert ("Use Postgres for sessions" in texts(person)) is (ruling == "both")
    assert person.ok("conflicts", "--json").json == []
    assert "Use Redis for sessions" in person.ok("recall", "--start").out
    person.ok("undo")
    assert person.ok("conflicts", "--json").json


REASONS = [
    "Postgres is too slow for the load. " + "We measured it for three weeks in the shop. " * 4,
    "Postgres is too slow. " + "We measured it for three weeks with the traffic of the shop. " * 6,
    "perhaps Postgres is too slow",
    "it was so before",  # it gives the note no tags
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("why", REASONS)
def test_what_waits_is_asked_about_whatever_its_reason(why: str, person: Person) -> None:
    person.ok("save", "Use Postgres for sessions", "--kind", "decision")
    person.ok("save", "Use Redis for sessions", "--kind", "decision", "--body", why)
    person.ok("consolidate")
    assert texts(person) == {"Use Postgres for sessions"}
    [question] = person.ok("conflicts", "--json").json
    person.ok("conflicts", "--choose", question["id"], "new")
    person.ok("consolidate")
    assert texts(person) == {"Use Redis for sessions"}
    assert (
        why.strip() in (person.store / "semantic/decisions/use-redis-for-sessions.md").read_text()
    )


@pytest.mark.sampled(1)
@pytest.mark.parametrize("ruling", ["new", "old"])
def test_what_waited_for_a_ruling_stays_a_decision_and_stands_once(
    ruling: str, person: Person
) -> None:
    person.ok("save", "Order numbers are ULIDs", "--kind", "decision")
    person.ok("save", "Order numbers are UUIDv7", "--kind", "decision")
    rows = person.ok("list", "--json").json
    assert {row["kind"] for row in rows} == {"decision"}
    told = person.ok("recall", "--start").out
    assert "Order numbers are ULIDs" in told
    assert "UUIDv7" not in told
    [question] = person.ok("conflicts", "--json").json
    person.ok("conflicts", "--choose", question["id"], ruling)
    stands = {"new": "Order numbers are UUIDv7", "old": "Order numbers are ULIDs"}
    [row] = [row for row in person.ok("list", "--json").json if row["status"] != "superseded"]
    assert (row["kind"], row["text"]) == ("decision", stands[ruling])
    person.ok("undo")
    assert len(person.ok("conflicts", "--json").json) == 1


@pytest.mark.sampled(1)
@pytest.mark.parametrize("how", ["forget", "archive", "supersede"])
def test_what_waited_holds_once_when_the_other_side_is_gone(how: str, person: Person) -> None:
    person.ok("save", "We use spaces")
    waiting = person.ok("save", "We use tabs", "--json").json["id"]
    person.ok("consolidate")
    assert [row["status"] for row in rows_of(person, "We use tabs")] == ["provisional"]
    assert "recollect consolidate" not in person.ok("conflicts").out
    if how == "supersede":
        person.ok("save", "Indentation", "--kind", "fact", "--body", "See .editorconfig.")
        person.ok("supersede", "we-use-spaces", "indentation")
    else:
        person.ok(how, "we-use-spaces")
    assert f"What {waiting} contradicted does not hold" in person.ok("conflicts").out
    asked = ("recall", "tabs or spaces?", "--why-not", waiting, "--json")
    assert person.ok(*asked).json["reason"] == "released"
    person.ok("consolidate")
    assert [row["status"] for row in rows_of(person, "We use tabs")] == ["confirmed"]
    assert person.ok("recall", "--start").out.count("We use tabs") == 1


def rows_of(person: Person, text: str) -> list[dict[str, str]]:
    return [row for row in person.ok("list", "--json").json if row["text"] == text]


def test_a_rule_with_an_underscore_is_compared_as_it_was_typed(person: Person) -> None:
    person.ok("save", "Name test files foo_test.py.")
    said = person.ok("save", "Test files are called test_foo.py, not foo_test.py.").out
    assert "may contradict “Name test files foo_test.py.”" in said


def test_a_rule_that_gives_way_is_named_once(person: Person) -> None:
    person.ok("save", "Use Black for formatting.")
    said = person.ok("save", "Use ruff format instead of Black.").out
    assert said.count("in place of") == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Reviews need two approvals.", "One approval is enough for a review."),
        ("周五下午可以部署。", "平时可以部署，周五下午禁止部署。"),
    ],
)
def test_what_takes_a_statement_back_in_other_words_waits(
    old: str, new: str, person: Person
) -> None:
    person.ok("save", old)
    assert "recollect conflicts" in person.ok("save", new).out
    assert len(person.ok("conflicts", "--json").json) == 1


def test_review_says_that_contradictions_wait(person: Person) -> None:
    person.ok("save", "We deploy on Thursdays")
    assert person.ok("review").out == "Nothing to review.\n"
    said = person.ok("save", "We deploy on Tuesdays").out
    assert "`recollect conflicts` settles it." in " ".join(said.split())
    told = person.ok("review").out
    assert "Contradictions to settle: 1 (`recollect conflicts`)" in told
    assert "Nothing to review" not in told
