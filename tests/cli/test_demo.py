"""The demo runs the real hooks, in both languages, and nothing of what it shows is made up."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from tests.cli.running import Person

from recollect.interfaces.cli.console import width_of

pytestmark = pytest.mark.slow


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
