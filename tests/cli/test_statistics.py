"""What is used and when it came about, as `stats` and `timeline` tell it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.cli.running import Person

from recollect.features.statistics import uses_of

KEYS = (
    "scope root memories archived conversations sections tokens layers entries kinds sessions injected bytes "
    "index_bytes used most_accessed never_accessed oldest_unaccessed pointers encrypted "
    "past_their_time"
).split()


def note(person: Person, name: str, day: str, folder: str = "semantic") -> None:
    text = f"---\nid: {name}\ntitle: About {name}\ncreated: {day}T10:00:00Z\n---\nText.\n"
    person.write(f"{folder}/{name}.md", text)


def injected(person: Person, *items: str, moment: str = "prompt", time: str = "2026-01-05") -> None:
    line = {
        "op": "inject", "time": f"{time}T10:00:00Z", "session": "s", "moment": moment,
        "items": list(items), "tokens": 50,
    }  # fmt: skip
    journal = person.store / "journal"
    journal.mkdir(exist_ok=True)
    with (journal / "claude-s.jsonl").open("a") as file:
        file.write(_sealed(line) + "\n")


def _sealed(line: dict[str, Any]) -> str:
    from zlib import crc32

    text = json.dumps(line, separators=(",", ":"))
    return f'{text[:-1]},"sum":"{crc32(text.encode()):08x}"}}'


@pytest.fixture
def used(person: Person) -> Person:
    """Somebody of whose memories some were needed."""
    for name, day in (("redis", "2026-01-01"), ("kafka", "2026-01-02"), ("nginx", "2026-01-08")):
        note(person, name, day)
    injected(person, "redis#ttl", "redis", "kafka")
    injected(person, "redis", time="2026-01-09")
    injected(person, "brief", "nginx", moment="start")
    return person


def test_the_numbers_of_the_seed_are_there(used: Person) -> None:
    [row] = used.ok("stats", "--json").json
    assert list(row) == KEYS
    assert row["injected"]["times"] == 3
    assert row["used"] == {"memories": 2, "times": 3}
    assert row["most_accessed"] == [
        {"id": "redis", "title": "About redis", "times": 2, "last": "2026-01-09"},
        {"id": "kafka", "title": "About kafka", "times": 1, "last": "2026-01-05"},
    ]
    assert row["never_accessed"] == {"count": 1, "ids": ["nginx"]}
    assert row["oldest_unaccessed"] == {
        "id": "nginx",
        "title": "About nginx",
        "since": "2026-01-08",
    }


def test_what_stood_in_a_brief_was_not_needed_yet() -> None:
    assert uses_of([{"moment": "start", "items": ["brief", "a"]}]) == {}
    assert uses_of([{"moment": "prompt", "items": None}, {"moment": "error"}]) == {}


def test_what_is_of_all_projects_is_used_where_a_session_of_this_one_was_handed_it(
    used: Person,
) -> None:
    used.ok("init", "--scope", "global")
    used.ok("save", "Prefers tea", "--kind", "fact", "--scope", "global", "--body", "Green.")
    injected(used, "prefers-tea")
    project, everywhere = used.ok("stats", "--json").json
    assert [one["id"] for one in everywhere["most_accessed"]] == ["prefers-tea"]
    assert "prefers-tea" not in [one["id"] for one in project["most_accessed"]]
    assert everywhere["never_accessed"]["count"] == 0


def test_memories_that_are_gone_or_belong_to_the_core_are_not_counted(used: Person) -> None:
    injected(used, "nothing-any-more")
    used.ok("memory-set", "project", "A queue.")
    [row] = used.ok("stats", "--json").json
    assert row["used"]["memories"] == 2
    assert row["never_accessed"]["count"] == 1


def test_a_terminal_gets_colours_and_a_pipe_gets_the_same_lines(used: Person) -> None:
    from datetime import UTC, datetime, timedelta

    for n in range(3):
        day = (datetime.now(UTC) - timedelta(days=9 * n)).strftime("%Y-%m-%d")
        note(used, f"new{n}", day, "archive/semantic")
    for command in ("stats", "timeline"):
        piped = used.ok(command).out
        assert "\x1b" not in piped
        assert "█" in piped
        coloured = used.at_terminal(command, columns=100)
        assert "\x1b[" in coloured.out
        assert "\x1b" not in used.at_terminal(command, columns=100, env={"NO_COLOR": "1"}).out


def test_days_that_are_none_break_nothing(person: Person) -> None:
    person.write("semantic/odd.md", "---\nid: odd\ncreated: someday\n---\nx\n")
    person.write("semantic/far.md", "---\nid: far\ncreated: 9999-12-31\n---\nx\n")
    person.write("semantic/old.md", "---\nid: old\ncreated: 0001-01-01\n---\nx\n")
    person.ok("stats")
    assert next(iter(person.ok("timeline", "--json").json)) == "9999-12-31"
    person.ok("timeline")
