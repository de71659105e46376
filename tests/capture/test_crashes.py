"""A capture that dies at any step is finished by the next one, as if nothing had been."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .desk import Desk
from .mortal import KILLED, dying_at
from .scripts import a_day, resumed
from .transcripts import SESSION, Transcript


def capture_dying_at(step: int, desk: Desk, transcript: Transcript) -> tuple[int, list[str]]:
    """Capture in a process that ends without a word at this step: `(exit code, steps it did)`."""
    return dying_at(step, lambda: desk.capture(transcript), desk.folder / "steps")


def outcome(desk: Desk) -> dict[str, Any]:
    """All that a capture leaves, without times of writing and places on this disk."""
    found: dict[str, Any] = {}
    for name, data in desk.tree().items():
        if name.startswith("sessions/") or "/." in f"/{name}":
            continue
        text = data.decode()
        if name == "procedural/feedback.md":
            text = re.sub(r"(?m)^(created|updated|last-accessed): .*$", r"\1:", text)
        found[name] = text
    state = desk.state(SESSION)
    found["state"] = {key: state[key] for key in state if key != "sources"}
    found["offsets"] = [source["offset"] for source in state["sources"].values()]
    found["raw"] = desk.raw(SESSION)
    return found


def first_time(desk: Desk) -> Transcript:
    """A session that ends."""
    transcript = a_day()
    transcript.save(desk.logs)
    return transcript


def again(desk: Desk) -> Transcript:
    """A session that was captured, went on, and ends again; a person edited what was made of it."""
    transcript = a_day()
    desk.capture(transcript)
    file = desk.root / desk.memory().path
    file.write_text(file.read_text().replace("## Files", "## Mine\n\nTea first.\n\n## Files"))
    resumed(transcript)
    transcript.append(desk.logs)
    return transcript


@pytest.mark.sampled(1)
@pytest.mark.parametrize("prepare", [first_time, again])
@pytest.mark.parametrize("stride", [7, pytest.param(1, marks=pytest.mark.slow)])
def test_the_next_capture_finishes_what_a_crash_cut_short(
    stride: int, prepare: Callable[[Desk], Transcript], tmp_path: Path
) -> None:
    whole = Desk(tmp_path / "whole")
    code, steps = capture_dying_at(100_000, whole, prepare(whole))
    wanted = outcome(whole)
    assert code == 0
    assert len(steps) > 20

    for step in range(stride // 2, len(steps), stride):
        desk = Desk(tmp_path / f"at-{step}")
        transcript = prepare(desk)
        code, _ = capture_dying_at(step, desk, transcript)
        assert code == KILLED
        for memory in desk.memories():
            assert memory.problem == ""
            assert "## Summary" in memory.body
            log = (desk.root / memory.path).with_name("conversation.md")
            assert "Build the teapot service." in log.read_text()

        desk.capture(transcript)

        assert outcome(desk) == wanted, f"died before step {step}, {steps[step]}"


def test_a_capture_that_dies_again_and_again_comes_to_its_end(tmp_path: Path) -> None:
    whole, desk = Desk(tmp_path / "whole"), Desk(tmp_path / "desk")
    capture_dying_at(100_000, whole, first_time(whole))
    transcript = first_time(desk)

    tries = 0
    while capture_dying_at(8 + 3 * tries, desk, transcript)[0] == KILLED:
        tries += 1

    assert tries > 2
    assert outcome(desk) == outcome(whole)
