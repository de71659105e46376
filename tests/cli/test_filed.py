"""What a person changes on a page holds: its session never tells the old words again.

A statement stands in the memory of its session and, once filed, on a page. Only the page is told.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from tests.cli.running import Person
from tests.hooks.machine import HOOK
from tests.mcp.talking import Agent

DAYS = tuple((datetime.now(UTC) - timedelta(days=n)).date().isoformat() for n in (4, 3))
START = "Take a look around first."


def session(person: Person, day: str, *prompts: str, hour: str = "10") -> None:
    """A session of Claude Code on that day, captured; again, it goes on with more prompts."""
    name = f"s-{day}{hour.replace('10', '')}"
    path = person.home / ".claude/projects/-project" / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    about = {"sessionId": name, "cwd": str(person.project)}
    rows: list[dict[str, object]] = []
    for n, said in enumerate((START, *prompts)):
        rows.append({"type": "user", "message": {"role": "user", "content": said}, "timestamp": f"{day}T{hour}:{n:02}:00Z"})  # fmt: skip
        answer = [{"type": "text", "text": "Done."}]
        rows.append({"type": "assistant", "message": {"role": "assistant", "content": answer}, "timestamp": f"{day}T{hour}:{n:02}:30Z"})  # fmt: skip
    lines = (row | about | {"uuid": f"{name[-5:]}-{n}"} for n, row in enumerate(rows))
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    person.ok("capture", str(path))


def doors(person: Person, ask: str) -> dict[str, str]:
    """What each way of reading says: the start of a session, a prompt, lists, searches, MCP.

    Raw conversations are a record, and do not count.
    """
    payload = {
        "session_id": uuid4().hex, "cwd": str(person.project), "hook_event_name": "UserPromptSubmit",
        "prompt": ask, "transcript_path": "",
    }  # fmt: skip
    hook = subprocess.run(
        [sys.executable, "-I", "-S", HOOK, "claude", "UserPromptSubmit"],
        input=json.dumps(payload).encode(), env=person.environment({}), cwd=person.project,
        check=True, capture_output=True,
    )  # fmt: skip
    hits = person.ok("search", ask, "--json").json["hits"]
    found = {
        "brief": person.ok("recall", "--start").out,
        "recall": person.ok("recall", ask).out,
        "hook": hook.stdout.decode(),
        "list": person.ok("list").out,
        "search": "\n".join(
            f"{h['title']}: {h['snippet']}" for h in hits if not h["anchor"].startswith("turn-")
        ),
    }
    with Agent(person.home, person.project).here() as server:
        for tool, name in (("recall", "cue"), ("search", "query")):
            said = server.text(tool, **{name: ask})
            found[f"mcp {tool}"] = re.sub(r"(?s)<memory-\w+ id=\S+#turn-.*?</memory", "", said)
    return found


def says(person: Person, ask: str, word: str) -> set[str]:
    """The ways of reading that say a word."""
    return {door for door, text in doors(person, ask).items() if word in text}


def page(person: Person, word: str) -> Path:
    """The page outside the sessions that says a word."""
    folders = ("semantic", "procedural")
    [found] = [
        p for f in folders for p in (person.store / f).rglob("*.md") if word in p.read_text()
    ]
    return found


def named(person: Person, word: str) -> str:
    """The id of the one entry whose text has this word."""
    [found] = [row["entry"] for row in person.ok("list", "--json").json if word in row["text"]]
    return str(found)


EVERY = {"brief", "recall", "hook", "list", "search", "mcp recall", "mcp search"}
ZEPHYR = "We use Zephyr for the firmware because it is small."
ASK = "which system does the firmware use, Zephyr?"


@pytest.fixture
def filed(person: Person) -> Person:
    """Somebody whose decision and rules were learned in a session, and filed."""
    session(person, DAYS[0], f"{ZEPHYR} Always write commit messages in English.")
    person.ok("consolidate")
    return person


def test_a_filed_statement_is_told_everywhere_and_once(filed: Person) -> None:
    assert says(filed, ASK, "Zephyr for the firmware") == EVERY
    for text in doors(filed, ASK).values():
        assert text.count("Zephyr for the firmware") == 1, text


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("start", "said", "word"),
    [
        ("Build the lamp.", ZEPHYR, "Zephyr"),
        ("先做灯的外壳。", "我们决定固件用 Zephyr，因为它小。", "Zephyr"),
        ("Build the lamp.", "Never push to main.", "push to main"),
    ],
)
def test_a_statement_has_the_time_at_which_it_was_typed(
    start: str, said: str, word: str, person: Person
) -> None:
    path = person.home / ".claude/projects/-project/s-9.jsonl"
    path.parent.mkdir(parents=True)
    about = {"sessionId": "s-9", "cwd": str(person.project)}
    typed = [(start, f"{DAYS[0]}T17:19:38.250Z"), (said, f"{DAYS[1]}T09:41:07.125Z")]
    lines: list[dict[str, object]] = []
    for n, (text, at) in enumerate(typed):
        answer = [{"type": "text", "text": "Done."}]
        lines.append({"type": "user", "message": {"role": "user", "content": text}, "timestamp": at, "uuid": f"a{n}"})  # fmt: skip
        lines.append({"type": "assistant", "message": {"role": "assistant", "content": answer}, "timestamp": at, "uuid": f"b{n}"})  # fmt: skip
    path.write_text("".join(f"{json.dumps(line | about)}\n" for line in lines))

    person.ok("capture", str(path))
    for _ in range(2):  # in the session's memory, and on its page
        [row] = [row for row in person.ok("list", "--json").json if word in row["text"]]
        assert row["created"] == f"{DAYS[1]}T09:41:07Z"
        newer, _, older = person.ok("timeline").out.partition(DAYS[0])
        assert word in newer
        assert word not in older
        assert f"({DAYS[1]}, the person" in person.ok("recall", "--start").out
        person.ok("consolidate")

    text = page(person, word).read_text()
    assert f"]: {DAYS[1]} 09:41:07, " in text
    assert f"]: {DAYS[0]}" not in text


def test_what_was_forgotten_is_told_nowhere_and_undo_brings_it_back(filed: Person) -> None:
    filed.ok("forget", named(filed, "Zephyr"))
    assert says(filed, ASK, "Zephyr for") == set()
    assert says(filed, ASK, "omain ") == set()  # nor is the page that is empty now
    filed.ok("consolidate")
    filed.ok("rebuild-index")
    assert says(filed, ASK, "Zephyr for") == set()
    filed.ok("undo")
    assert says(filed, ASK, "Zephyr for") == EVERY


def test_a_forgotten_title_is_told_nowhere(person: Person) -> None:
    session(person, DAYS[0])  # another one first
    path = person.home / ".claude/projects/-project/s-9.jsonl"
    line = {"type": "user", "message": {"role": "user", "content": ZEPHYR}, "sessionId": "s-9",
            "cwd": str(person.project), "uuid": "9-0", "timestamp": f"{DAYS[1]}T10:00:00Z"}  # fmt: skip
    done = line | {"type": "assistant", "uuid": "9-1", "message": {"role": "assistant", "content": [{"type": "text", "text": "It builds in four seconds now."}]}}  # fmt: skip
    path.write_text(f"{json.dumps(line)}\n{json.dumps(done)}\n")
    person.ok("capture", str(path))
    person.ok("consolidate")
    [decision] = person.ok("list", "--kind", "decision", "--json").json
    person.ok("forget", decision["entry"])
    assert says(person, ASK, "Zephyr for") == set()


def test_what_was_forgotten_is_gone_from_the_raw_conversation_until_undo(filed: Person) -> None:
    [log] = filed.store.glob("episodic/*/conversation.md")
    before = log.read_bytes()
    filed.ok("forget", named(filed, "Zephyr"))
    assert "Zephyr" not in log.read_text()
    assert "Always write commit messages" in log.read_text()
    filed.ok("undo")
    assert log.read_bytes() == before


@pytest.mark.parametrize(
    ("said", "entry", "opposite"),
    [
        ("Let's use Zephyr for the firmware.", "Use Zephyr", "Never use Zephyr for the firmware of kettles"),
        ("改用 Zephyr 写固件。", "改用 Zephyr", "水壶不要改用 Zephyr 写固件"),
    ],
)  # fmt: skip
def test_what_says_the_opposite_of_what_was_forgotten_stays(
    person: Person, said: str, entry: str, opposite: str
) -> None:
    session(person, DAYS[0], said, f"{opposite}.")
    [log] = person.store.glob("episodic/*/conversation.md")
    person.ok("consolidate")
    [one] = [row for row in person.ok("list", "--json").json if row["text"].startswith(entry)]
    person.ok("forget", one["entry"])
    for path in (log, log.with_name("summary.md")):
        assert opposite in path.read_text()
        assert path.read_text().count("Zephyr") == 1


def test_a_whole_page_that_was_forgotten_is_told_nowhere(filed: Person) -> None:
    filed.ok("forget", page(filed, "Zephyr").stem)
    assert says(filed, ASK, "Zephyr for") == set()
    filed.ok("undo")
    assert says(filed, ASK, "Zephyr for") == EVERY


@pytest.mark.slow
def test_a_line_deleted_in_an_editor_is_told_nowhere(filed: Person) -> None:
    path = page(filed, "Zephyr")
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(line for line in lines if "Zephyr" not in line))
    for _ in range(2):
        assert says(filed, ASK, "Zephyr for") == set()
        filed.ok("consolidate")


def test_a_line_deleted_in_an_editor_stays_deleted_where_no_journal_is(filed: Person) -> None:
    path = page(filed, "Zephyr")
    path.write_text("".join(x for x in path.read_text().splitlines(True) if "Zephyr" not in x))
    for one in (filed.store / "journal").glob("*"):
        one.unlink()
    filed.ok("consolidate")
    assert says(filed, ASK, "Zephyr for") == set()


@pytest.mark.slow
def test_a_line_changed_in_an_editor_is_told_as_it_reads_now(filed: Person) -> None:
    path = page(filed, "English")
    path.write_text(path.read_text().replace("in English", "in French"))
    for _ in range(2):
        assert says(filed, "commit messages language", "in English") == set()
        assert {"brief", "list", "search"} <= says(filed, "commit messages", "in French")
        filed.ok("consolidate")
    assert filed.ok("list").out.count("commit messages") == 1


@pytest.mark.slow
def test_what_a_review_rejected_is_not_told_in_its_old_words(filed: Person) -> None:
    agent = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s1"}
    name = named(filed, "English")
    filed.ok("edit", name, "--title", "Always write commit messages in French", env=agent)
    [waiting] = filed.ok("review", "--json").json
    filed.ok("review", "--reject", waiting["name"])
    assert says(filed, "commit messages", "commit messages in") == set()


# ------------------------------------------------------------------------------------ superseded

MYSQL = "We use MySQL for timetables because the host offers it."
POSTGRES = "We use PostgreSQL for timetables because we need PostGIS."
TIMES = "which database do the timetables use?"


@pytest.mark.slow
@pytest.mark.parametrize("between", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_a_superseded_decision_with_a_reason_is_told_no_more(person: Person, between: bool) -> None:
    session(person, DAYS[0], MYSQL)
    if between:
        person.ok("consolidate")
        assert says(person, TIMES, "MySQL for") == EVERY
    session(person, DAYS[1], POSTGRES)
    person.ok("consolidate")
    assert says(person, TIMES, "MySQL for") == set()
    assert says(person, TIMES, "PostgreSQL for") == EVERY
    assert "previously We use MySQL" in page(person, "PostgreSQL").read_text()
    records = [p.read_text() for p in person.store.glob("episodic/*/summary.md")]
    assert any("We use MySQL for timetables: the host offers it" in text for text in records)


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", [["--subject", "Database", "--why", "it scales"], ["--kind", "decision"]]
)
def test_what_a_save_replaced_is_told_no_more(person: Person, words: list[str]) -> None:
    session(person, DAYS[0], POSTGRES)
    person.ok("consolidate")
    done = person.ok("save", "Use CockroachDB for timetables", *words)
    assert "PostgreSQL" in done.out
    assert says(person, TIMES, "PostgreSQL for") == set()
    assert {"brief", "list", "search"} <= says(person, TIMES, "CockroachDB for")
    for _ in range(1 if "--subject" in words else 2):  # a page of its own, and what gave way
        person.ok("undo")
    assert says(person, TIMES, "PostgreSQL for") == EVERY
    assert says(person, TIMES, "CockroachDB for") == set()


@pytest.mark.slow
def test_it_is_so_in_chinese(person: Person) -> None:
    person.ok("init", "--scope", "project", "--lang", "zh")
    session(person, DAYS[0], "我们决定用 MySQL 存时刻表，因为主机提供它。")
    person.ok("consolidate")
    assert "MySQL" in person.ok("recall", "--start").out
    session(person, DAYS[1], "我们决定用 PostgreSQL 存时刻表，因为需要 PostGIS。")
    person.ok("consolidate")
    brief = person.ok("recall", "--start").out
    assert "PostgreSQL" in brief
    assert "用 MySQL" not in brief
    decision = person.ok("list", "--kind", "decision", "--json").json
    assert len(decision) == 1
    person.ok("forget", decision[0]["entry"])
    assert "用 PostgreSQL" not in person.ok("recall", "--start").out


# ------------------------------------------------------------------------------------- rulings

DEPLOY = "when do we deploy?"


@pytest.fixture(params=["filed between", "not filed between"])
def contradicted(person: Person, request: pytest.FixtureRequest) -> Person:
    """Somebody with two rules of which nobody knows whether both hold."""
    session(person, DAYS[0], "Always deploy on Mondays.")
    if request.param == "filed between":
        person.ok("consolidate")
    session(person, DAYS[1], "Always deploy on Tuesdays.")
    return person


@pytest.mark.slow
def test_while_a_contradiction_is_open_the_old_statement_holds(contradicted: Person) -> None:
    contradicted.ok("consolidate")
    assert says(contradicted, DEPLOY, "on Tuesdays") == set()
    assert {"brief", "list", "search"} <= says(contradicted, DEPLOY, "on Mondays")
    [waiting] = contradicted.ok("conflicts", "--json").json
    assert (waiting["old"], waiting["stands"]) == ("Always deploy on Mondays", "old")
    before = {p: p.read_bytes() for p in contradicted.store.glob("episodic/*/*.md")}
    contradicted.ok("consolidate")
    assert {p: p.read_bytes() for p in contradicted.store.glob("episodic/*/*.md")} == before


@pytest.mark.slow
def test_what_an_agent_said_against_a_person_is_not_recalled_before_a_ruling(
    person: Person,
) -> None:
    person.ok("save", "The staging port is 8080", "--subject", "Deployment")
    agent = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s1"}
    person.ok("save", "The staging port is 9090", "--subject", "Deployment", env=agent)
    asked = "which staging port is it?"
    assert says(person, asked, "9090").isdisjoint({"brief", "recall", "hook", "mcp recall"})
    assert {"brief", "recall", "hook", "mcp recall"} <= says(person, asked, "8080")
    [note] = [row for row in person.ok("list", "--json").json if "9090" in row["text"]]
    assert "waits for your ruling" in person.ok("recall", asked, "--why-not", note["id"]).out
    [waiting] = person.ok("conflicts", "--json").json
    person.ok("conflicts", "--choose", waiting["id"], "new")
    assert {"brief", "recall", "hook"} <= says(person, asked, "9090")
    assert says(person, asked, "port is 8080") == set()


@pytest.mark.parametrize("passed", [True, pytest.param(False, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("word", "holds", "gone"),
    [("new", "Tuesdays", "Mondays"), ("old", "Mondays", "Tuesdays")],
)
@pytest.mark.slow
def test_a_ruling_counts_at_once_and_can_be_undone(
    contradicted: Person, word: str, holds: str, gone: str, passed: bool
) -> None:
    if passed:
        contradicted.ok("consolidate")
    [waiting] = contradicted.ok("conflicts", "--json").json
    contradicted.ok("conflicts", "--choose", waiting["id"], word)
    contradicted.ok("undo")
    assert [row["id"] for row in contradicted.ok("conflicts", "--json").json] == [waiting["id"]]
    contradicted.ok("conflicts", "--choose", waiting["id"], word)
    for _ in range(2):
        assert says(contradicted, DEPLOY, f"on {gone}") == set()
        assert {"brief", "list", "search"} <= says(contradicted, DEPLOY, f"on {holds}")
        assert contradicted.ok("conflicts", "--json").json == []
        contradicted.ok("consolidate")


@pytest.mark.parametrize("word", ["both", "neither"])
@pytest.mark.slow
def test_both_or_neither_holds_by_ruling(contradicted: Person, word: str) -> None:
    contradicted.ok("consolidate")
    [waiting] = contradicted.ok("conflicts", "--json").json
    contradicted.ok("conflicts", "--choose", waiting["id"], word)
    for day in ("Mondays", "Tuesdays"):
        told = says(contradicted, DEPLOY, f"on {day}")
        assert ({"brief", "list"} <= told) if word == "both" else (told == set())


# ----------------------------------------------------------------------- kinds, ids, and the record


def test_a_filed_decision_stays_a_decision_with_one_id(filed: Person) -> None:
    [row] = filed.ok("list", "--kind", "decision", "--json").json
    assert row["text"] == "We use Zephyr for the firmware: it is small"
    assert row["path"].endswith(page(filed, "Zephyr").name)
    [same] = [one for one in filed.ok("list", "--json").json if "Zephyr" in one["text"]]
    assert (same["entry"], same["kind"]) == (row["entry"], "decision")
    assert filed.ok("show", row["entry"], "--json").json["kind"] == "decision"
    assert "said by the person, as a decision" in page(filed, "Zephyr").read_text()
    assert filed.ok("list", "--kind", "rule", "--json").json[0]["text"].startswith("Always write")
    before = page(filed, "Zephyr").read_bytes()
    filed.ok("set", page(filed, "Zephyr").stem, "salience=high")
    filed.ok("set", page(filed, "Zephyr").stem, "salience=medium")
    assert filed.ok("list", "--kind", "decision", "--json").json[0]["entry"] == row["entry"]
    assert (
        before.split(b"# Domain")[-1] == page(filed, "Zephyr").read_bytes().split(b"# Domain")[-1]
    )


@pytest.mark.parametrize(
    "said",
    [
        "Never push to main.",
        "Never push to `main`, and never to a branch that somebody else has opened a pull request from.",
        "永远不要推送到 main。",
    ],
)
def test_a_rule_keeps_its_id_when_it_is_filed(
    said: str, person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recollect.features.capture._with_filed", lambda report, *_: report)
    session(person, DAYS[0], said)
    [before] = person.ok("list", "--kind", "rule", "--json").json
    person.ok("consolidate")
    [after] = person.ok("list", "--kind", "rule", "--json").json
    assert after["path"] != before["path"]
    assert after["entry"] == before["entry"]


@pytest.mark.parametrize(
    "said",
    [
        "We decided to use Stripe for payments because Adyen needs a contract.",
        "我们决定用 Stripe 做支付，因为 Adyen 要合同。",
    ],
)
def test_a_decision_with_its_reason_keeps_its_id_when_it_is_filed(
    said: str, person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recollect.features.capture._with_filed", lambda report, *_: report)
    session(person, DAYS[0], said)
    [before] = person.ok("list", "--kind", "decision", "--json").json
    person.ok("consolidate")
    [after] = person.ok("list", "--kind", "decision", "--json").json
    assert after["path"] != before["path"]
    assert (after["entry"], after["text"]) == (before["entry"], before["text"])
    assert "Stripe" in person.ok("show", before["entry"]).out


def test_a_decision_that_somebody_saves_on_a_page_is_one(person: Person) -> None:
    person.ok("save", "Use Redis for sessions", "--kind", "decision", "--subject", "Cache")
    [row] = person.ok("list", "--kind", "decision", "--json").json
    assert row["text"] == "Use Redis for sessions"


def test_the_session_keeps_its_record_and_marks_it(filed: Person) -> None:
    [memory] = filed.store.glob("episodic/*/summary.md")
    assert "for the firmware: it is small <!-- filed: " in memory.read_text()
    assert "Zephyr" in filed.ok("show", memory.parent.name).out
    marked = memory.read_bytes()
    filed.ok("consolidate")
    assert memory.read_bytes() == marked


@pytest.mark.slow
def test_a_session_that_goes_on_keeps_its_marks(filed: Person) -> None:
    path = page(filed, "Zephyr")
    path.write_text("".join(x for x in path.read_text().splitlines(True) if "Zephyr" not in x))
    first = f"{ZEPHYR} Always write commit messages in English."
    display = "We use e-ink for the display because it holds its picture."
    session(filed, DAYS[0], first, display)
    assert says(filed, ASK, "Zephyr for") == set()
    assert "e-ink" in filed.ok("recall", "--start").out
    filed.ok("consolidate")
    assert says(filed, ASK, "Zephyr for") == set()
    [memory] = filed.store.glob("episodic/*/summary.md")
    assert memory.read_text().count("Zephyr") == 1
    [row] = [one for one in filed.ok("list", "--json").json if "e-ink" in one["text"]]
    assert row["trust"] == "user"


@pytest.mark.slow
def test_what_was_forgotten_stays_so_when_its_session_goes_on(filed: Person) -> None:
    filed.ok("forget", named(filed, "Zephyr"))
    first = f"{ZEPHYR} Always write commit messages in English."
    session(filed, DAYS[0], first, "We use e-ink for the display because it holds its picture.")
    assert says(filed, ASK, "Zephyr for") == set()
    [row] = [one for one in filed.ok("list", "--json").json if "e-ink" in one["text"]]
    assert row["trust"] == "user"
    filed.ok("consolidate")
    assert says(filed, ASK, "Zephyr for") == set()


def test_filing_is_undone_with_its_page_whatever_came_to_the_session_since(filed: Person) -> None:
    [memory] = filed.store.glob("episodic/*/summary.md")
    memory.write_text(memory.read_text().replace("## Summary\n", "## Summary\n\n- My own word.\n"))
    filed.ok("undo", page(filed, "Zephyr").stem)
    assert says(filed, ASK, "Zephyr for") >= {"brief", "recall", "list", "search"}
    assert "My own word" in memory.read_text()
    assert "small <!-- filed" not in memory.read_text()
    assert "English <!-- filed" in memory.read_text()


def test_a_pass_that_files_is_no_activity_of_the_session(
    person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    time_ns = time.time_ns
    person.ok("init", "--scope", "project")
    session(person, DAYS[0], ZEPHYR)
    monkeypatch.setattr(time, "time_ns", lambda: time_ns() + 20 * 86_400 * 10**9)
    [before] = person.ok("archive", "--stats", "--json").json
    assert before["inactive"] == 1
    person.ok("consolidate")
    assert person.ok("archive", "--stats", "--json").json == [before]


def test_a_session_is_known_by_the_id_of_its_memory(person: Person) -> None:
    session(person, DAYS[0], "Always warm the teapot before you pour.")
    person.ok("consolidate")
    [row] = person.ok("list", "--kind", "session", "--json").json
    [rule] = person.ok("list", "--kind", "rule", "--json").json
    assert person.ok("show", rule["entry"], "--json").json["session"] == row["id"]
    for name in (row["id"], row["entry"]):
        done = person.ok("forget", "--from-session", name, "--dry-run").out
        assert f"Would forget {row['id']}\n" in done
        assert "Would forget feedback\n" in done  # where nothing else stands


@pytest.mark.parametrize(("day", "hour"), [(DAYS[1], "10"), (DAYS[0], "15")])
@pytest.mark.parametrize("is_filed", [True, False])
def test_what_a_later_session_takes_back_is_told_no_more_before_it_is_filed(
    is_filed: bool, day: str, hour: str, person: Person
) -> None:
    session(person, DAYS[0], "From now on always warm the teapot first.")
    if is_filed:
        person.ok("consolidate")
    session(person, day, "From now on never warm the teapot first.", hour=hour)
    for out in (
        person.ok("recall", "--start").out,
        person.ok("recall", "Should I warm the teapot first?").out,
    ):
        assert "never warm the teapot" in out
        assert "always warm the teapot" not in out


def test_a_session_is_named_by_any_of_its_ids(person: Person) -> None:
    """Also what was filed from it is listed: its id, the memory's, and the beginning of either."""
    session(person, DAYS[0], "We use Postgres for the tea shop's orders from now on.")
    session(person, DAYS[1], "Never brew the samples on the staging machine, it melts them.")
    person.ok("consolidate")
    assert page(person, "Postgres")
    rows = person.ok("list", "--kind", "session", "--json").json
    row = next(one for one in rows if one["session"] == f"s-{DAYS[0]}")
    for name in (f"s-{DAYS[0]}", row["id"], row["entry"][:4]):
        texts = [one["text"] for one in person.ok("list", "--session", name, "--json").json]
        assert any("Postgres" in text for text in texts), name
        assert not any("samples" in text for text in texts), name
        assert person.ok("search", "Postgres", "--session", name, "--json").json["hits"]
        assert not person.ok("search", "samples", "--session", name, "--json").json["hits"]
    assert person.ok("list", "--session", "another", "--json").json == []


def test_a_statement_whose_filing_was_undone_is_told_by_its_session(person: Person) -> None:
    session(person, DAYS[0], "Never push to main, we review all changes.")
    assert "filed: feedback" in episode_of(person)
    person.ok("undo")
    for _ in range(2):
        assert "filed: feedback" not in episode_of(person)
        assert not (person.store / "procedural" / "feedback.md").exists()
        assert "- Never push to main, we review all changes (" in person.ok("recall", "--start").out
        person.ok("consolidate")


def episode_of(person: Person) -> str:
    return "".join(path.read_text("utf-8") for path in person.store.rglob("summary.md"))
