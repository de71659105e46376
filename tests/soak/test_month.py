"""Days of twenty captured sessions (ten; a month with RECOLLECT_SESSIONS=600): what the store and its cache take, against the raw text."""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

import pytest
from tests.capture.desk import Desk
from tests.capture.transcripts import Transcript
from tests.services.conftest import quick_folder

__all__ = ["quick_folder"]

SESSIONS = int(os.environ.get("RECOLLECT_SESSIONS", "200"))
MOST_TIMES_THE_TEXT = 3.0
WORDS = (
    "the cache queue worker index table server port reads writes waits fails when before after because "
    "request answer user session token limit retry order stock price page button error log trace deploy"
).split()


def words(chance: random.Random, many: int) -> str:
    return " ".join(chance.choice(WORDS) for _ in range(many)).capitalize() + "."


def a_session(n: int) -> tuple[Transcript, int]:
    """A session of a working day, and how many characters of it are text: said, called, answered."""
    chance = random.Random(n)
    transcript = Transcript(f"session-{n:05}")
    said = 0
    for turn in range(8):
        asked, told = words(chance, 25), words(chance, 60)
        transcript.prompt(asked)
        for call in range(3):
            command, output = f"make step-{n}-{turn}-{call}", words(chance, 150)
            transcript.shell(command, output, code=1 if (n, turn, call) == (n, 3, 1) else 0)
            said += len(command) + len(output)
        path = f"/home/ada/teapot/src/file_{chance.randrange(40)}.py"
        transcript.edit(path)
        transcript.answer(told)
        said += len(asked) + len(told) + len(path)
    transcript.prompt(
        f"We decided to use port {8000 + n} for server {n}, because {words(chance, 8)}"
    )
    transcript.answer("Done.")
    return transcript, said


def size_of(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def grown(folder: Path, sessions: int) -> tuple[int, dict[str, int]]:
    """`(raw text, bytes by what they are for)` after so many sessions."""
    desk = Desk(folder)
    raw = 0
    for n in range(sessions):
        transcript, said = a_session(n)
        raw += said
        desk.capture(transcript)
        (desk.logs / f"{transcript.session}.jsonl").unlink()  # the client's own
    parts = {name: size_of(desk.root / name) for name in ("journal", "sessions")}
    parts["files"] = size_of(desk.root) - sum(parts.values())
    return raw, parts | {"cache": size_of(desk.cache)}


@pytest.mark.slow
def test_a_day_takes_less_than_three_times_its_raw_text(quick_folder: Path, tmp_path: Path) -> None:
    raw, parts = grown(quick_folder / tmp_path.name, 20)
    assert sum(parts.values()) < MOST_TIMES_THE_TEXT * raw


@pytest.mark.slow
def test_many_days_take_less_than_three_times_their_raw_text(
    quick_folder: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    raw, parts = grown(quick_folder / tmp_path.name, SESSIONS)
    with capfd.disabled():
        shown = ", ".join(f"{name} {size / raw:.2f}" for name, size in parts.items())
        sys.stderr.write(f"\n{SESSIONS} sessions, {raw:,} characters of raw text; times: {shown}\n")
    assert sum(parts.values()) < MOST_TIMES_THE_TEXT * raw
