"""A command that is killed before any of its system calls: nothing acknowledged is lost."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from recollect.capture import save_memory as save
from recollect.capture.save_memory import Draft
from recollect.features import memories as writing

from .kills import CHANGING, Point, Scene, require_strace, shape

COMMANDS: dict[str, list[str]] = {
    "save": ["save", "A new fact", "--body", "It is new.", "--kind", "fact"],
    "edit": ["edit", "one", "--append", "More."],
    "set": ["set", "by-hand", "salience=high"],
    "forget": ["forget", "talk"],
    "undo": ["undo", "one"],
    "rebuild-index": ["rebuild-index"],
}


@pytest.fixture(scope="module")
def scene(quick_folder: Path) -> Iterator[Scene]:
    """A store with a history and a filled index."""
    require_strace()
    with Scene(quick_folder / "used") as scene:
        project = scene.project
        project.write("semantic/by-hand.md", "# By hand\n\nA person wrote this.\n")
        project.write("episodic/talk/summary.md", "# Talk\n\nA walrus.\n")
        project.write("episodic/talk/conversation.md", "### User [1:00]\n\nHi.\n")
        with project.opened() as store:
            save.save(store, Draft("One", "First.", kind="fact"))
            writing.edit(store, "one", append="Second.")
        scene.keep()
        yield scene


@pytest.fixture(scope="module")
def unused(quick_folder: Path) -> Iterator[Scene]:
    """A store that no command has seen yet: there is no cache, no key, no journal."""
    require_strace()
    with Scene(quick_folder / "unused") as scene:
        scene.project.write("semantic/by-hand.md", "# By hand\n\nA person wrote this.\n")
        scene.keep()
        yield scene


def sweep(scene: Scene, command: str, wanted: Callable[[Point], bool], least: int) -> None:
    words = COMMANDS[command]
    points = [point for point in scene.points(words) if wanted(point)]
    after = shape(scene.project.files())
    ids_after = {row["id"] for row in scene.answer("list")}
    scene.rewind()
    before = shape(scene.project.files())
    ids_before = {row["id"] for row in scene.answer("list")}
    assert len(points) >= least
    killed = 0
    for point in points:
        survived = scene.kill(words, point)
        killed += not survived
        ids = {row["id"] for row in scene.answer("list")}
        found = shape(scene.project.files())
        assert found in ([after] if survived else [before, after]), point
        assert ids == (ids_after if found == after else ids_before), point
        report = scene.answer("doctor")
        assert report["problems"] == 0, (point, report)
        scene.answer("save", "Afterwards", "--body", "It goes on.", "--kind", "fact")
        with scene.project.opened() as store:
            assert store.redone == []
            store.journal.ops()
            assert store.journal.problems == [], point
            assert store.index.differences() == []
            assert store.index.entry("afterwards")
    assert killed >= least - 1  # the last calls may come after the answer


VIEWS = ("MEMORY.md", ".index.json", "facts.json")


@pytest.mark.parametrize("command", ["save", "forget"])
@pytest.mark.sampled(1)
def test_views_are_on_disk_before_they_have_their_names_and_the_names_after(
    scene: Scene, command: str
) -> None:
    """Else a power cut leaves a file of nothing, on XFS more often than not."""
    root = scene.project.root
    scene.points(COMMANDS[command])
    calls = (root.parents[2] / "log").read_text(errors="replace").splitlines()
    for view in VIEWS:
        (renamed,) = (n for n, call in enumerate(calls) if f'{root}/{view}") = 0' in call)
        temp = re.search(r'rename\("([^"]+)"', calls[renamed])
        assert temp
        assert any(f"<{temp[1]}>) = 0" in call for call in calls[:renamed] if "fsync(" in call)
        assert any(f"<{root}>) = 0" in call for call in calls[renamed:] if "fsync(" in call)


@pytest.mark.slow
@pytest.mark.parametrize("command", ["save", "edit", "forget"])
def test_a_kill_between_two_changes_of_the_store_leaves_the_change_whole_or_absent(
    scene: Scene, command: str
) -> None:
    root = str(scene.project.root)

    def touches_the_store(point: Point) -> bool:
        is_view = Path(point.path).parent == scene.project.root
        return point.path.startswith(root) and point.call in CHANGING and not is_view

    sweep(scene, command, touches_the_store, least=4)


@pytest.mark.slow
def test_a_kill_in_the_middle_of_a_rebuild_leaves_an_index_that_answers(scene: Scene) -> None:
    chosen = iter(range(10_000))

    def every_twelfth(point: Point) -> bool:
        return point.call in CHANGING and next(chosen) % 12 == 5

    sweep(scene, "rebuild-index", every_twelfth, least=3)


@pytest.mark.slow
def test_a_kill_in_the_first_command_ever_leaves_nothing_that_hinders_the_next(
    unused: Scene,
) -> None:
    chosen = iter(range(10_000))

    def every_thirtieth(point: Point) -> bool:
        return (point.call in CHANGING or point.creates) and next(chosen) % 30 == 3

    sweep(unused, "save", every_thirtieth, least=3)


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_a_kill_before_any_call_leaves_the_change_whole_or_absent(
    scene: Scene, command: str
) -> None:
    def changes_something(point: Point) -> bool:
        return point.call in CHANGING or point.creates or point.call in ("fsync", "fdatasync")

    sweep(scene, command, changes_something, least=50)


@pytest.mark.slow
def test_a_kill_anywhere_in_the_first_command_ever_hinders_nothing(unused: Scene) -> None:
    chosen = iter(range(10_000))

    def changes_something(point: Point) -> bool:
        if point.call == "pwrite64":  # SQLite makes its tables page by page
            return next(chosen) % 4 == 1
        return point.call in CHANGING or point.creates

    sweep(unused, "save", changes_something, least=50)
