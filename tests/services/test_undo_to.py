"""Back to any point: the bytes that were there come back, and nobody's own work is lost."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.capture import save_memory as save
from recollect.capture.save_memory import Draft
from recollect.errors import ChangeNotFound
from recollect.features import memories as writing
from recollect.store import history as past
from recollect.store.history import EDITED, PURGED, bring_back, history, undo, undo_to
from recollect.store.store import OpenStore

from .house import House
from .test_undoing import OURS, Outside, archive, bytes_of, edit, saved

Step = Callable[[OpenStore], None]


@pytest.fixture
def house() -> House:
    return House()


def newest(house: House) -> str:
    pasts = history(house.open())
    return pasts[0].id if pasts else ""


@given(steps=st.lists(st.sampled_from(OURS), min_size=1, max_size=8), data=st.data())
def test_every_point_that_there_was_comes_back_from_every_other(
    steps: list[Step], data: st.DataObject
) -> None:
    house = House()
    points: dict[str, dict[str, bytes]] = {}
    for step in steps:
        step(house.open())
        points[newest(house)] = bytes_of(house)
    points.pop("", None)
    for _ in range(4):
        if not points:
            return
        point = data.draw(st.sampled_from(sorted(points)))
        done = undo_to(house.open(), point)
        assert bytes_of(house) == points[point]
        assert done.left == []
        points[newest(house)] = bytes_of(house)


@given(steps=st.lists(st.sampled_from(OURS), min_size=1, max_size=6))
def test_going_back_is_one_change_that_can_be_undone(steps: list[Step]) -> None:
    house = House()
    for step in steps:
        step(house.open())
    before, changes = bytes_of(house), len(history(house.open()))
    done = undo_to(house.open(), "2000-01-01")
    assert bytes_of(house) == {}
    if not done.effects:
        return
    assert len(history(house.open())) == changes + 1
    undo(house.open(), done.change)
    assert bytes_of(house) == before


@given(
    steps=st.lists(st.sampled_from(OURS) | st.integers(0, 30), min_size=1, max_size=8),
    at=st.integers(0, 8),
)
def test_what_a_person_wrote_by_hand_is_in_the_files_or_in_the_journal_afterwards(
    steps: list[Step | int], at: int
) -> None:
    house = House()
    for step in steps:
        if isinstance(step, int):
            Outside(house).edit(step)
        else:
            step(house.open())
    pasts = history(house.open())
    before = bytes_of(house)
    undo_to(house.open(), pasts[at % len(pasts)].id if pasts else "2000-01-01")
    kept = {op.text for op in house.open().journal.ops()}
    after = set(bytes_of(house).values())
    for data in before.values():
        assert data in after or data.decode("utf-8", "surrogateescape") in kept


def test_what_was_undone_that_way_is_not_undone_again_by_the_next_undo(house: House) -> None:
    saved(house, "One", "Two", "Three")
    undo_to(house.open(), history(house.open())[2].id)
    assert set(house.texts()) == {"semantic/one.md"}
    assert [p.undone for p in history(house.open())] == [False, True, True, False]
    undo(house.open())
    assert house.texts() == {}


def test_an_edit_by_hand_since_then_stays_with_all_that_belongs_to_it(house: House) -> None:
    saved(house, "One", "Two")
    point = newest(house)
    archive(house.open())
    edit(house.open())
    (moved,) = [path for path in house.texts() if path.startswith("archive/")]
    house.write(moved, "by hand")
    done = undo_to(house.open(), point)
    assert house.texts()[moved] == "by hand"
    assert len(house.texts()) == 2
    assert {why for _, why in done.left} == {EDITED}


def test_a_file_that_was_taken_away_by_hand_since_then_comes_back(house: House) -> None:
    saved(house, "One")
    text, point = house.texts(), newest(house)
    writing.set_fields(house.open(), "one", {"salience": "high"})
    house.files.remove_outside("semantic/one.md")
    undo_to(house.open(), point)
    assert house.texts() == text


def test_a_file_that_went_away_and_was_brought_back_is_there_at_a_point_before_that(
    house: House,
) -> None:
    saved(house, "One")
    text, point = house.texts(), newest(house)
    house.files.remove_outside("semantic/one.md")
    bring_back(house.open())
    edit(house.open())
    undo_to(house.open(), point)
    assert house.texts() == text


def test_a_text_that_was_purged_stays_gone_and_the_rest_comes_back(house: House) -> None:
    saved(house, "One", "Two")
    point = newest(house)
    writing.forget(house.open(), "one")
    writing.forget(house.open(), "two")
    house.open().journal.purge("semantic/one.md")
    done = undo_to(house.open(), point)
    assert set(house.texts()) == {"semantic/two.md"}
    assert done.left == [("semantic/one.md", PURGED)]


def test_a_dry_run_tells_the_same_and_does_nothing(house: House) -> None:
    saved(house, "One", "Two")
    before, steps = bytes_of(house), len(house.steps)
    told = undo_to(house.open(), "2000-01-01", dry_run=True)
    assert (bytes_of(house), len(house.steps)) == (before, steps)
    assert told == undo_to(house.open(), "2000-01-01")._replace(change="")


def test_a_point_that_is_neither_a_change_nor_a_time_is_refused(house: House) -> None:
    saved(house, "One")
    for name in ("yesterday", "2026-13-01", "", "2026", newest(house)[:4]):
        with pytest.raises(ChangeNotFound):
            undo_to(house.open(), name)


@pytest.mark.parametrize(
    ("name", "end"),
    [
        ("2026-01-11", "2026-01-11T23:59:59Z"),
        ("2026-01-11 14:30", "2026-01-11T14:30:59Z"),
        ("2026-01-11t14:30:05z", "2026-01-11T14:30:05Z"),
        ("2026-01-11T25:00", ""),
        ("11.1.2026", ""),
        ("2026-W01-1", ""),
        ("2026-01-11+05:00", ""),
        ("２０２６-01-11", ""),
    ],
)
def test_a_time_means_its_last_second(name: str, end: str) -> None:
    assert past.end_of(name) == end


def test_a_clock_that_was_wrong_for_a_while_hides_nothing_that_came_later(house: House) -> None:
    for title, now in (("One", "2026-01-01"), ("Two", "2027-02-05"), ("Three", "2026-01-02")):
        store = house.open()
        store.ledger.moment = store.ledger.moment._replace(now=f"{now}T12:00:00Z")
        save.save(store, Draft(title, "Text.", kind="fact"))
    ops = house.open().journal.ops()
    assert len(past.point_named(ops, "2026-06-01").later) == 0
    assert len(past.point_named(ops, "2026-01-01").later) == 2


# ------------------------------------------------------------------------- what went away by itself


def test_files_that_went_away_without_a_command_come_back_as_a_command_left_them(
    house: House,
) -> None:
    saved(house, "One", "Two")
    writing.forget(house.open(), "two")
    text = house.texts()
    house.files.remove_outside("semantic/one.md")
    assert bring_back(house.open(), dry_run=True) == ["semantic/one.md"]
    assert house.texts() == {}
    assert bring_back(house.open()) == ["semantic/one.md"]
    assert house.texts() == text
    assert bring_back(house.open()) == []


def test_a_file_that_a_person_gave_another_place_is_not_brought_back(house: House) -> None:
    saved(house, "One", "Two")
    for name in ("one", "two"):
        text = house.texts()[f"semantic/{name}.md"]
        house.files.remove_outside(f"semantic/{name}.md")
        house.write(f"reference/{name}.md", text if name == "one" else f"{text}\nMore.\n")
    assert bring_back(house.open()) == []
