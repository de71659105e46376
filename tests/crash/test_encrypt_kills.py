"""`encrypt` dies before any system call: after the next command no file says a word of it."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from tests.capture.transcripts import Transcript
from tests.crypto.desk import BODY, TAGS, TITLE, WORDS

from recollect import worker

from .kills import CHANGING, Point, Scene, require_strace

FACT = "kingfisher-salary-for-zbigniew"
TALK = "2026-03-04-set-up-the-lid-for-the-walrus"
SAID = {FACT: WORDS, TALK: ("walrus", "tangerine")}


@pytest.fixture(scope="module")
def scene(quick_folder: Path) -> Iterator[Scene]:
    """A decision with a history and a conversation: in views, brief, index, journal, sessions."""
    require_strace()
    with Scene(quick_folder / "encrypt") as scene:
        project = scene.project
        scene.answer("key-init", "--recovery-file", str(project.folder / "recovery.txt"))
        scene.answer("save", TITLE, "--body", BODY, "--tags", TAGS, "--kind", "decision")
        scene.answer("edit", FACT, "--append", "The marmalade is sour.")
        file = project.root / "semantic" / "decisions" / f"{FACT}.md"
        file.write_text(file.read_text() + "By hand: Zbigniew.\n")
        scene.answer("save", "Another", "--body", "It stays.", "--kind", "decision")
        scene.answer("consolidate")
        talk = Transcript(cwd=str(project.folder))
        talk.prompt("Please set up the lid for the walrus.")
        talk.prompt("We decided to pay the walrus 4711 tangerines for it.")
        talk.answer("The walrus has a lid.")
        scene.answer("capture", talk.save(quick_folder))  # the client's log is not ours
        scene.answer("note", "Mind the tangerine.", "--session-id", talk.session)
        scene.answer("save-session", "--session-id", talk.session)
        scene.answer("recall", "--start")
        assert len(left(scene, FACT)) > 4
        assert len(left(scene, TALK)) > 4
        assert {FACT, TALK} <= {row["id"] for row in scene.answer("list")}, scene.answer("list")
        scene.keep()
        yield scene


def left(scene: Scene, name: str) -> list[str]:
    """The files that say a word of this memory, in their names or inside."""
    words = [word.encode() for word in SAID[name]]
    folder = scene.project.folder.parent
    found = []
    for path in (p for p in folder.rglob("*") if p.is_file() and p.name != "log"):
        data = path.read_bytes()
        with suppress(OSError):
            data = gzip.decompress(data)
        where = path.relative_to(folder).as_posix()
        if any(word in data.lower() or word in where.encode() for word in words):
            found.append(where)
    return found


def list_all(scene: Scene) -> None:
    scene.answer("list")


def work(scene: Scene) -> None:
    """The worker of a hook comes first."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("HOME", "LANG"):
            patch.setenv(name, scene.project.env[name])
        (scene.project.cache / "pending").touch()
        assert worker.work(str(scene.project.root)) == 1


def sweep(scene: Scene, names: list[str], wanted: Callable[[Point], bool]) -> int:
    words = ["encrypt", *names]
    points = [point for point in scene.points(words) if wanted(point)]
    assert [left(scene, name) for name in names] == [[]] * len(names)
    killed = 0
    for n, point in enumerate(points):
        killed += not scene.kill(words, point)
        (list_all, work)[n % 2](scene)
        plain = {row["id"] for row in scene.answer("list")}
        sealed = list((scene.project.root / "encrypted").glob("*.age"))
        assert len(plain & set(names)) + len(sealed) == len(names), point
        for name in set(names) - plain:
            assert left(scene, name) == [], (n, point)
        report = scene.answer("doctor")
        assert report["problems"] == 0, (point, report)
        assert scene.answer("encrypt")["finished"] == [], point
        with scene.project.opened() as store:
            store.journal.ops()
            assert store.journal.problems == [], point
            assert store.index.differences() == [], point
    return killed


@pytest.mark.slow
def test_a_kill_at_some_changes_is_finished_by_the_next_command(scene: Scene) -> None:
    chosen = iter(range(10_000))

    def some(point: Point) -> bool:
        return point.call in CHANGING and next(chosen) % 17 == 11

    assert sweep(scene, [FACT], some) >= 3


@pytest.mark.slow
@pytest.mark.parametrize("names", [[FACT], [TALK], [TALK, FACT]], ids=["fact", "talk", "both"])
def test_a_kill_before_any_change_is_finished_by_the_next_command(
    scene: Scene, names: list[str]
) -> None:
    assert sweep(scene, names, lambda point: point.call in CHANGING) >= 40
