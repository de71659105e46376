"""A pass that is killed at any change of the store: every claim stands somewhere, and the next pass ends it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .kills import CHANGING, Point, Scene, require_strace

PASS = ["consolidate", "--force-decay"]
CLAIMS = ("The port is 8080.", "Never push to main.", "The host is web.")
TALK = "---\ntags: [redis, cache]\ncreated: 2025-01-02T10:00:00Z\ndecay-after: 2025-04-01\n---\n# Talk\n\n"


@pytest.fixture(scope="module")
def scene(quick_folder: Path) -> Iterator[Scene]:
    """An episode past its time, and a memory that it contradicts."""
    require_strace()
    with Scene(quick_folder / "pass") as scene:
        project = scene.project
        project.write("episodic/talk/summary.md", f"{TALK}{' '.join(CLAIMS)}\n")
        project.write("episodic/talk/conversation.md", "### User [1:00]\n\nHi.\n")
        project.write(
            "semantic/a.md", "---\ncreated: 2024-01-01\n---\nThe host is db.\n\n- A is b.\n"
        )
        project.answer("list")
        scene.keep()
        yield scene


def texts(scene: Scene) -> dict[str, str]:
    return {path: data.decode() for path, data in scene.project.files().items()}


def sweep(scene: Scene, points: list[Point]) -> int:
    scene.rewind()
    scene.answer(*PASS)
    whole = texts(scene)
    assert "archive/episodic/talk/conversation.md" in whole
    killed = 0
    for point in points:
        killed += not scene.kill(PASS, point)
        scene.answer("list")  # whatever comes next finishes what was begun
        every = "\n".join(texts(scene).values())
        assert all(claim in every for claim in CLAIMS), point
        scene.answer(*PASS)
        assert texts(scene) == whole, point
        assert scene.answer("doctor")["problems"] == 0, point
    return killed


@pytest.mark.slow
def test_a_kill_at_a_change_of_the_store_loses_no_claim(scene: Scene) -> None:
    root = str(scene.project.root)
    changes = [one for one in scene.points(PASS) if one.path.startswith(root)]
    changes = [
        one for one in changes if one.call in CHANGING and Path(one.path).parent != Path(root)
    ]
    assert len(changes) > 12
    assert sweep(scene, changes[::4]) >= 3


@pytest.mark.slow
def test_a_kill_before_any_call_loses_no_claim(scene: Scene) -> None:
    changes = [one for one in scene.points(PASS) if one.call in CHANGING or one.creates]
    assert sweep(scene, changes) > 50
