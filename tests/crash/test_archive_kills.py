"""Archive, activate and capture die before any system call: the next command ends what was begun."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from tests.capture.scripts import a_day
from tests.capture.transcripts import CWD

from .kills import CHANGING, Point, Scene, require_strace

TALK = "---\nkind: conversation\ncreated: 2025-01-02T10:00:00Z\n---\n# {0}\n\nThe port of {0} is 8080.\n"
NOTE = '\n[^0b6f00]: 2026-10-06, "Schema", said by the person\n'
ORDERS = f"---\ntitle: Orders\n---\n# Orders\n\n- Store: A. ^k3f9 [^0b6f00]\n- Ids: B. ^w8pq [^0b6f00]\n{NOTE}"
COLD_ENTRY = (
    "---\ntitle: Orders\nentry-after: ^k3f9\nentry-of: orders\n---\n# Orders\n\n"
    f"- Days: C. ^m2d7 [^0b6f00]\n{NOTE}"
)
SAID = "### User [1:00]\n\nWhat of {0}?\n"
TIMES = re.compile(r"(?m)^(created|updated|last-accessed|decay-after): .*$")


@pytest.fixture(scope="module")
def scene(quick_folder: Path) -> Iterator[Scene]:
    """Talks of long ago, one of them in the archive, and the transcript of a session."""
    require_strace()
    with Scene(quick_folder / "talks") as scene:
        project = scene.project
        for name, folder in (
            ("one", "episodic"),
            ("two", "episodic"),
            ("cold", "archive/episodic"),
        ):
            for path, text in (("summary.md", TALK), ("conversation.md", SAID)):
                file = project.write(f"{folder}/{name}/{path}", text.format(name))
                os.utime(file, (1_735_800_000, 1_735_800_000))
        project.write(
            "semantic/ports.md", "---\ntags: [port]\n---\n# Ports\n\n- The host is web.\n"
        )
        project.write("semantic/orders.md", ORDERS)
        project.write("archive/semantic/orders-m2d7.md", COLD_ENTRY)
        log = Path(a_day().save(project.home / ".claude" / "projects" / "-x"))
        log.write_text(log.read_text().replace(CWD, str(project.folder)))
        project.answer("list")
        scene.keep()
        yield scene


def texts(scene: Scene) -> dict[str, str]:
    """What the files of memories say, but for times; names of days too may differ at midnight."""
    return {
        path: TIMES.sub(r"\1:", data.decode())
        for path, data in scene.project.files().items()
        if path.endswith(".md")
    }


# Talks that are past their time: a capture also consolidates, and each pass archives some of them.
PAST = ("episodic/one/", "episodic/two/", "semantic/ports.md")


def settled(scene: Scene, name: str) -> dict[str, str]:
    """What is the same however often a command was begun."""
    found = texts(scene)
    if name != "capture":
        return found
    return {path: text for path, text in found.items() if not any(one in path for one in PAST)}


def talks_are_whole(scene: Scene) -> None:
    """Summary and conversation of a talk are together, in one place."""
    found = texts(scene)
    for name in ("one", "two", "cold"):
        here = {path for path in found if f"episodic/{name}/" in path}
        assert len(here) == 2, here
        assert len({path.rpartition("/")[0] for path in here}) == 1, here


def entries_are_whole(scene: Scene) -> None:
    """Each entry stands in one place, whole."""
    found = texts(scene)
    for line in ("- Store: A. ^k3f9 [^", "- Ids: B. ^w8pq [^", "- Days: C. ^m2d7 [^"):
        pages = [path for path, text in found.items() if line in text and "orders" in path]
        assert len(pages) == 1, (line, pages)


def commands(scene: Scene) -> Mapping[str, list[str]]:
    (transcript,) = (scene.project.home / ".claude").rglob("*.jsonl")
    return {
        "archive": ["archive"],
        "activate": ["activate", "cold"],
        "archive entry": ["archive", "k3f9"],
        "activate entry": ["activate", "m2d7"],
        "capture": ["capture", str(transcript)],
    }


def sweep(scene: Scene, name: str, wanted: Callable[[Point], bool]) -> int:
    words = commands(scene)[name]
    points = [point for point in scene.points(words) if wanted(point)]
    scene.rewind()
    scene.answer(*words)
    whole = settled(scene, name)
    killed = 0
    for point in points:
        killed += not scene.kill(words, point)
        scene.answer("list")  # whatever comes next finishes what was begun
        talks_are_whole(scene)
        entries_are_whole(scene)
        scene.answer(*words)
        assert settled(scene, name) == whole, point
        assert scene.answer("doctor")["problems"] == 0, point
        with scene.project.opened() as store:
            store.journal.ops()
            assert store.journal.problems == [], point
            assert store.index.differences() == [], point
    return killed


@pytest.mark.slow
@pytest.mark.parametrize("name", ["archive", "activate", "archive entry", "activate entry"])
def test_a_kill_at_some_changes_of_the_store_is_mended_by_the_next_command(
    scene: Scene, name: str
) -> None:
    root = str(scene.project.root)
    chosen = iter(range(10_000))

    def some(point: Point) -> bool:
        is_view = Path(point.path).parent == scene.project.root
        inside = point.path.startswith(root) and point.call in CHANGING and not is_view
        return inside and next(chosen) % 4 == 1

    assert sweep(scene, name, some) >= 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["archive", "activate", "archive entry", "activate entry", "capture"]
)
def test_a_kill_before_any_call_is_mended_by_the_next_command(scene: Scene, name: str) -> None:
    chosen = iter(range(10_000))
    root = str(scene.project.root)

    def changes_something(point: Point) -> bool:
        """Every change of the store, and some of what can be made again."""
        if not (point.call in CHANGING or point.creates):
            return False
        return point.path.startswith(root) or next(chosen) % 8 == 1

    assert sweep(scene, name, changes_something) > 15
