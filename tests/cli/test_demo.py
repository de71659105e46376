"""The demo shows the whole life of a memory, in both languages, and nothing of it is made up."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import Person

from recollect.interfaces.cli.console import width_of

pytestmark = pytest.mark.slow
CHINESE = re.compile(r"[\u4e00-\u9fff]")


@pytest.fixture(scope="module", params=["en", "zh"])
def acts(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("demo")
    for name in ("home", "project"):
        (folder / name).mkdir()
    person = Person(folder / "home", folder / "project")
    return person.ok("demo", "--all", "--lang", request.param, "--json").json


def in_both(texts: list[str]) -> bool:
    return {bool(CHINESE.search(text)) for text in texts} == {True, False}


def test_sessions_become_memories_of_every_layer(acts: Any) -> None:
    assert len(acts["sessions"]) >= 8
    layers = {one["path"].split("/")[0] for one in acts["memories"]}
    assert {"episodic", "procedural"} <= layers
    assert acts["layers"]["semantic"] > 0
    assert acts["layers"]["procedural"] > 0


def test_sessions_at_once_land_each_in_the_store_of_its_own_project(acts: Any) -> None:
    assert [one["project"] for one in acts["landed"]] == ["orchard", "orchard", "lighthouse"]
    for one in acts["landed"]:
        assert [project for project, _ in one["found"]] == [one["project"]]
    assert in_both([one["said"] for one in acts["landed"]])
    here, there = (answer["text"] for answer in acts["apart"])
    assert "PostgreSQL" in here
    assert "SQLite" not in here
    assert "SQLite" in there
    assert "PostgreSQL" not in there


def test_rules_are_turned_round_and_open_contradictions_settled_in_both_languages(
    acts: Any,
) -> None:
    assert acts["consolidated"]["reversed"] == 2
    assert in_both([one["old"] for one in acts["settled"]])


def test_every_statement_of_a_faded_session_is_found_again(acts: Any) -> None:
    said = acts["statements"]
    assert in_both([one["text"] for one in said])
    assert [one for one in said if one["how"] == "lost"] == []
    assert sum(one["how"] == "overtaken" for one in said) >= 4
    assert len({one["session"] for one in said}) >= 4


def test_solutions_surface_at_their_errors_and_what_has_nothing_to_do_with_us_gets_nothing(
    acts: Any,
) -> None:
    answers = {one["asked"]: one["text"] for one in acts["answers"]}
    failed = {asked: text for asked, text in answers.items() if asked.startswith("$ ")}
    assert len(failed) == 2
    assert all("**" in text and "solution-" in text for text in failed.values())
    assert "PostgreSQL" in answers["Which database do we use for orders, and why?"]
    assert "RabbitMQ" in answers["发货通知用的是什么消息队列？"]
    assert "pnpm install" in answers["Install the packages with npm install"]
    assert answers["Write a haiku about autumn leaves"] == ""


def test_archived_sessions_come_back_in_both_languages(acts: Any) -> None:
    assert len(set(acts["came_back"])) == 2


def test_a_person_who_reads_chinese_is_shown_ten_acts(tmp_path: Path) -> None:
    for name in ("home", "project"):
        (tmp_path / name).mkdir()
    person = Person(tmp_path / "home", tmp_path / "project")
    shown = person.ok("demo", "--all", "--lang", "zh", env={"LANG": "zh_CN.UTF-8"}).out
    acts = [line for line in shown.splitlines() if re.match(r"\d+\. ", line)]
    assert [line.partition(". ")[0] for line in acts] == [str(n) for n in range(1, 11)]
    assert all(CHINESE.search(line) for line in acts)
    assert "lighthouse/.claude/memory/episodic/" in shown


def test_a_folder_that_has_something_in_it_is_not_played_in(person: Person) -> None:
    (person.project / "kettle.txt").write_text("mine")
    ran = person.run("demo", "--keep", ".")
    assert (ran.code, ran.err.splitlines()[0]) == (
        2,
        "recollect: . is not empty: name a new folder.",
    )
    assert "orchard" not in os.listdir(person.project)


@pytest.mark.slow
def test_the_recording_shows_what_the_demo_prints() -> None:
    root = Path(__file__).parents[2]
    words = [sys.executable, "-m", "tools.recording", "--check"]
    done = subprocess.run(words, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_short_demo_fits_a_screen_and_gives_what_was_stated(lang: str, tmp_path: Path) -> None:
    for name in ("home", "project"):
        (tmp_path / name).mkdir()
    person = Person(tmp_path / "home", tmp_path / "project")
    shown = person.ok("demo", "--lang", lang).out
    assert len(shown.splitlines()) <= 40
    assert max(map(width_of, shown.splitlines())) <= 80
    told = shown.partition("is told at its start")[2]
    assert "JSONB" in told
    assert "docker compose up -d db" in told


def test_the_short_demo_is_all_in_the_language_of_the_locale_and_of_yesterday(
    tmp_path: Path,
) -> None:
    for name in ("home", "project"):
        (tmp_path / name).mkdir()
    person = Person(tmp_path / "home", tmp_path / "project")
    shown = person.ok("demo", env={"LANG": "zh_CN.UTF-8"}).out
    assert "  您      订单用 PostgreSQL 存储" in shown
    assert not re.search(r"^  (you|agent)\b|Solution: ", shown, re.MULTILINE)
    assert max(map(width_of, shown.splitlines())) <= 80
    days = {date.fromisoformat(day) for day in re.findall(r"\d{4}-\d\d-\d\d", shown)}
    assert {(datetime.now(UTC).date() - day).days for day in days} <= {0, 1}
    assert "Before it" not in person.ok("demo").out  # nothing that came before is shown
