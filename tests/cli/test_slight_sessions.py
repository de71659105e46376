"""A session is told by what happened in it, not by how long its prompts are; what is over is over."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.running import Person
from tests.cli.test_compress import Calendar, calendar

from recollect import worker

__all__ = ["calendar"]


def log(person: Person, name: str, *rows: dict[str, object], day: str = "2026-11-20") -> Path:
    """A transcript of Claude Code in which these things happen, one each minute."""
    path = person.home / ".claude/projects/-project" / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        for n, row in enumerate(rows):
            about = {
                "sessionId": name,
                "cwd": str(person.project),
                "uuid": f"{name}-{n}-{len(rows)}",
            }
            time = {"timestamp": f"{day}T10:0{n}:00Z"}
            file.write(json.dumps(row | about | time, ensure_ascii=False) + "\n")
    return path


def said(text: str) -> dict[str, object]:
    return {"type": "user", "message": {"role": "user", "content": text}}


def answered(text: str) -> dict[str, object]:
    content = [{"type": "text", "text": text}]
    return {"type": "assistant", "message": {"role": "assistant", "content": content}}


def ran(command: str) -> dict[str, object]:
    use = {"type": "tool_use", "id": command, "name": "Bash", "input": {"command": command}}
    return {"type": "assistant", "message": {"role": "assistant", "content": [use]}}


@pytest.mark.parametrize(
    "rows",
    [
        [
            said("为什么队列会重复消费"),
            answered("因为消费者在提交位移之前崩溃，所以消息会再投递一次。"),
        ],
        [said("fix it"), *(ran(f"make step{n}") for n in range(6))],
        [said("why?"), answered("The lock is taken twice.")],
    ],
)
def test_a_short_prompt_that_was_answered_is_a_session(
    person: Person, rows: list[dict[str, object]]
) -> None:
    person.ok("capture", str(log(person, "aaaa", *rows)))
    [row] = person.ok("list", "--kind", "session", "--json").json
    assert row["title"]


def test_a_session_in_which_nobody_said_anything_is_none(person: Person) -> None:
    person.ok("capture", str(log(person, "aaaa", answered("Welcome."))))
    assert person.ok("list", "--json").json == []
    assert person.ok("list-sessions", "--json").json == []


def test_what_is_over_does_not_go_on_in_the_brief(person: Person) -> None:
    for n in range(8):
        person.ok("capture", str(log(person, f"s{n}", said("hi there, are you awake today?"))))
    assert "a session that goes on" not in person.ok("recall", "--start").out
    assert person.ok("list-sessions", "--json").json == []


def test_a_session_that_was_cleaned_up_is_heard_again_when_it_goes_on(person: Person) -> None:
    path = log(person, "aaaa", said("hi there, are you awake today?"))
    person.ok("capture", str(path))
    person.ok("cleanup-sessions", "--older-than", "0")
    log(
        person, "aaaa", said("We use PostgreSQL for billing."), answered("Noted, PostgreSQL it is.")
    )
    person.ok("capture", str(path))
    [row] = person.ok("list", "--kind", "session", "--json").json
    assert "PostgreSQL" in person.ok("show", row["id"], "--level", "3").out
    worker.consolidate_if_due(str(person.store))
    assert len(person.ok("list", "--kind", "session", "--json").json) == 1


@pytest.mark.slow
def test_a_first_capture_of_years_says_what_it_did_and_nothing_is_lost(
    person: Person, calendar: Calendar
) -> None:
    """Nothing of it is due for the archive until a quarter later, and then pass by pass."""
    for n in range(24):
        day = f"{2021 + n // 6}-{n % 6 * 2 + 1:02}-03"
        words = (
            f"We decided to number the crates of harvest{n} by their field, because fields stay."
        )
        log(person, f"s{n}", said(words), answered(f"Crates of harvest{n} are numbered."), day=day)
    ran = person.ok("capture", str(person.home / ".claude/projects"))
    assert "New memories: 24" in ran.out
    assert "rchive" not in ran.out
    assert "statements filed on pages: 24" in ran.out
    for command in ("stats", "status", "doctor"):
        assert "due for the archive" not in person.run(command).out
    assert "The project store is up to date." in person.ok("consolidate").out
    calendar.wait(91)
    [row] = person.ok("stats", "--json").json
    waits = [row["past_their_time"]]
    assert waits == [24]
    for _ in range(40):
        if not waits[-1]:
            break
        assert f"{waits[-1]} due for the archive" in person.ok("stats").out
        assert f"due for the archive: {waits[-1]}" in person.run("doctor").out
        first = person.ok("consolidate")
        assert "episodes archived: " in first.out
        [row] = person.ok("stats", "--json").json
        assert row["past_their_time"] < waits[-1]
        waits.append(row["past_their_time"])
        assert (f"in the next passes: {waits[-1]}" in first.out) == bool(waits[-1])
    assert waits[-1] == 0
    assert "due for the archive" not in person.ok("stats").out
    for n in range(24):
        [row] = person.ok("list", "--pages", "--archived", "--json").json[n : n + 1]
        assert row["kind"] == "session"
        assert person.ok("search", f"harvest{n}", "--json").json["hits"]


@pytest.mark.slow
def test_what_was_captured_lately_is_not_archived_for_its_age(
    person: Person, calendar: Calendar
) -> None:
    """Neither by a month's page nor by a pass; 31 days later it is, and `status` still knows it."""
    asked = said("Why does the kettle in the harbour office trip the fuse?")
    told = answered("The kettle and the heater of the harbour office share one fuse of 10 A.")
    person.ok("capture", str(log(person, "old", asked, told, day="2025-03-04")))
    for _ in range(2):
        worker.consolidate_if_due(str(person.store))
        assert person.ok("compress", "--json").json[0]["months"] == []
        assert person.ok("consolidate", "--json").json[0]["archived"] == 0
        assert person.ok("search", "kettle fuse", "--json").json["hits"]
        assert "share one fuse" in person.ok("recall", "why does the kettle trip the fuse?").out
        calendar.wait(30)
    calendar.wait(-29)
    worker.consolidate_if_due(str(person.store))
    assert person.ok("list", "--kind", "session", "--json").json == []
    assert "2025-03-04" in person.ok("status").out


def test_what_says_itself_when_it_fades_fades_then(person: Person, calendar: Calendar) -> None:
    path = log(person, "old", said("why?"), answered("The lock is taken twice."), day="2025-03-04")
    person.ok("capture", str(path))
    [row] = person.ok("list", "--kind", "session", "--json").json
    person.ok("set", row["id"], "decay-after=2025-07-01")
    assert "due for the archive 1" in person.ok("status").out
    assert "episodes archived: 1" in person.ok("consolidate").out


@pytest.mark.slow
def test_a_review_that_a_hook_runs_all_day_does_not_hide_the_last_session_of_the_person(
    person: Person,
) -> None:
    person.ok("init", "--scope", "both")
    asked = [said("Why is the tea cold?"), answered("The kettle stops at 60 degrees, not at 80.")]
    person.ok("capture", str(log(person, "mine", *asked, day="2026-11-10")))
    for n in range(20):
        routine = said(f"Review change {n} of the shop for security.") | {"promptSource": "sdk"}
        rows = [routine, answered("The change escapes every field that it prints.")]
        person.ok("capture", str(log(person, f"routine-{n}", *rows)))
    person.ok("consolidate")
    assert person.ok("list", "--kind", "fact", "--json").json == []
    brief = person.ok("recall", "--start").out
    assert "The kettle stops at 60 degrees" in brief
    assert "escapes every field" not in brief
