"""Two machines on one store, with clocks that are apart: order and undo go by what came after what."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.services.project import Project

from recollect.app import App
from recollect.capture import save_memory as save
from recollect.capture.save_memory import Draft
from recollect.features import memories as writing
from recollect.store import locations
from recollect.store.history import history, undo, undo_to
from recollect.store.store import OpenStore

HOUR, DAY = 3600, 24 * 3600
APART = [(0, HOUR), (0, -HOUR), (0, 400 * DAY), (-400 * DAY, 400 * DAY)]


class Machine:
    """A machine with a home, and so a journal and a cache, of its own, and a clock that is off."""

    def __init__(self, project: Project, home: Path, seconds: int) -> None:
        self.project, self.seconds = project, seconds
        self.env = {**project.env, "HOME": str(home)}

    @contextmanager
    def opened(self) -> Iterator[OpenStore]:
        app = App(str(self.project.folder), self.env)
        app.started_ns += self.seconds * 10**9
        app.now = locations.utc(app.started_ns / 1e9)
        try:
            yield app.store("project")
        finally:
            app.close()

    def add(self, text: str) -> None:
        with self.opened() as store:
            writing.edit(store, "one", append=text)


@pytest.fixture(params=APART, ids=["1 h behind", "1 h ahead", "400 d", "800 d"])
def pair(quick_folder: Path, tmp_path: Path, request: pytest.FixtureRequest) -> list[Machine]:
    return two(quick_folder / tmp_path.name, request.param)


def two(folder: Path, apart: tuple[int, int]) -> list[Machine]:
    project = Project(folder)
    machines = [Machine(project, folder / f"home-{n}", by) for n, by in enumerate(apart)]
    with machines[0].opened() as store:
        save.save(store, Draft("One", "Start.", kind="fact"))
    return machines


def text_of(machine: Machine) -> str:
    return machine.project.files()["semantic/one.md"].decode()


@pytest.mark.sampled(1)
def test_what_comes_later_stands_later_whatever_the_clocks_say(pair: list[Machine]) -> None:
    for n in range(6):
        pair[n % 2].add(f"Added {n}.")
    assert len(list((pair[0].project.root / "journal").glob("ops-*"))) == 2
    places_of = [text_of(pair[0]).index(f"Added {n}.") for n in range(6)]
    assert places_of == sorted(places_of)
    for machine in pair:
        with machine.opened() as store:
            seqs = [past.ops[-1].seq for past in history(store)]
            assert seqs == sorted(seqs, reverse=True)
            assert len(set(seqs)) == 7


@pytest.mark.sampled(1)
def test_undo_takes_back_the_last_change_and_not_the_one_with_the_latest_time(
    pair: list[Machine],
) -> None:
    before = text_of(pair[0])
    for n in range(4):
        pair[n % 2].add(f"Added {n}.")
    for n in (3, 2, 1, 0):
        assert f"Added {n}." in text_of(pair[0])
        with pair[(n + 1) % 2].opened() as store:  # the other machine takes it back
            undo(store)
        assert f"Added {n}." not in text_of(pair[0])
    assert text_of(pair[0]) == before


@settings(max_examples=15, suppress_health_check=list(HealthCheck))
@given(
    apart=st.sampled_from(APART),
    turns=st.lists(st.tuples(st.integers(0, 1), st.booleans()), min_size=1, max_size=6),
    data=st.data(),
)
@pytest.mark.slow
def test_every_point_comes_back_on_either_machine(
    quick_folder: Path, apart: tuple[int, int], turns: list[tuple[int, bool]], data: st.DataObject
) -> None:
    folder = quick_folder / "points"
    shutil.rmtree(folder, ignore_errors=True)
    machines = two(folder, apart)
    points: list[tuple[str, dict[str, bytes]]] = []
    for n, (who, is_new) in enumerate(turns):
        with machines[who].opened() as store:
            if is_new:
                save.save(store, Draft(f"New {n}", "Text.", kind="fact"))
            else:
                writing.edit(store, "one", append=f"Added {n}.")
            points.append((history(store)[0].id, machines[0].project.files()))
    for _ in range(3):
        point, files = data.draw(st.sampled_from(points))
        with machines[data.draw(st.integers(0, 1))].opened() as store:
            assert undo_to(store, point).left == []
        assert machines[0].project.files() == files


@pytest.mark.sampled(1)
def test_journals_that_were_written_apart_say_the_same_on_both_machines(
    pair: list[Machine], quick_folder: Path, tmp_path: Path
) -> None:
    """Each machine worked on its own copy; then the files of both journals lie side by side."""
    one, two_ = pair
    copy = Project(quick_folder / tmp_path.name / "copy")
    shutil.rmtree(copy.root)
    shutil.copytree(one.project.root, copy.root)
    elsewhere = Machine(copy, Path(two_.env["HOME"]), two_.seconds)
    for n in range(3):
        one.add(f"Here {n}.")
        elsewhere.add(f"There {n}.")
    with one.opened() as here, elsewhere.opened() as there:
        wanted = {op.op_id for store in (here, there) for op in store.journal.ops()}
    for source, target in ((copy, one.project), (one.project, copy)):
        for page in (source.root / "journal").glob("ops-*"):
            other = target.root / "journal" / page.name
            if not other.exists() or other.stat().st_size < page.stat().st_size:
                shutil.copy(page, other)
    with one.opened() as here, elsewhere.opened() as there:
        told = [[op.op_id for op in store.journal.ops()] for store in (here, there)]
        assert told[0] == told[1]
        assert set(told[0]) == wanted
        assert len(told[0]) == len(wanted)
        for store in (here, there):
            assert store.journal.unsettled({})[0] == []
            assert all(
                store.journal.text_of(op.after or "") == op.text for op in store.journal.ops()
            )
            ahead = max(op.seq for op in store.journal.ops())
            assert store.journal.next_seq() == ahead + 1
    one.add("Afterwards.")
    with one.opened() as store:
        (last,) = history(store)[0].ops
        assert store.journal.text_of(last.after or "") == text_of(one)
        undo(store)
    assert "Afterwards." not in text_of(one)
