"""What a session struggles with, from its transcript to the rule that it leaves."""

from __future__ import annotations

from pathlib import Path

import pytest

from .desk import Desk
from .transcripts import Transcript

TAKEN = "npm error code ERESOLVE\nnpm error could not resolve"


def attempts(session: str) -> Transcript:
    transcript = Transcript(session)
    transcript.prompt("Please install the packages of the teapot.")
    transcript.shell("npm install", TAKEN, code=1)
    transcript.shell("npm install --force", TAKEN, code=1)
    transcript.edit("/home/ada/teapot/package.json")
    transcript.shell("npm install --legacy-peer-deps", "added 12 packages")
    transcript.answer("They are installed.")
    return transcript


def corrected(session: str, said: str) -> Transcript:
    transcript = Transcript(session)
    transcript.prompt("Please install the packages of the teapot.")
    transcript.shell("npm install", "added 12 packages")
    transcript.answer("They are installed.")
    transcript.prompt(said)
    transcript.shell("pnpm install", "done")
    transcript.answer("Now with pnpm.")
    return transcript


@pytest.fixture(params=["en", "zh"])
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Desk:
    return Desk(tmp_path, request.param)


def test_every_attempt_at_the_same_thing_is_in_one_lesson(desk: Desk) -> None:
    desk.capture(attempts("one"))
    text = desk.feedback()
    assert text.count("\n## ") == 1
    assert "`npm install`, `npm install --force`" in text
    assert "`npm install --legacy-peer-deps`" in text
    assert "trust: tool; confidence: medium; session: one" in text


def test_what_is_met_again_is_believed_more_and_has_no_twin(desk: Desk) -> None:
    desk.capture(attempts("one"))
    before = desk.feedback()
    desk.capture(attempts("two"))
    text = desk.feedback()
    assert text.count("\n## ") == 1
    assert "confidence: high; session: two" in text
    assert [line for line in text.splitlines() if "confidence:" not in line and "seen" not in line and "updated:" not in line] == [
        line for line in before.splitlines() if "confidence:" not in line and "updated:" not in line
    ]  # fmt: skip
    desk.capture(attempts("one"), attempts("three"))
    assert desk.feedback() == text


@pytest.mark.parametrize("said", ["No, we use pnpm here.", "不对，我们用 pnpm。"])
def test_a_correction_by_the_person_is_a_lesson(desk: Desk, said: str) -> None:
    desk.capture(corrected("one", said))
    text = desk.feedback()
    assert "not-npm-install" in text
    assert f"** {said.rstrip('。.')}\n" in text
    assert "`npm install`" in text
    assert "`pnpm install`" in text


@pytest.mark.parametrize(
    "said", ["Actually, could you also use pnpm?", "再用 pnpm 装一次", "No.", "Great. Now commit."]
)
def test_what_is_no_correction_or_names_nothing_teaches_nothing(desk: Desk, said: str) -> None:
    desk.capture(corrected("one", said))
    assert desk.feedback() == ""
