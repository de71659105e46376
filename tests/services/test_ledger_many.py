"""Ledger: many changes at once, each a group of its own (no disk here)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from recollect.errors import StorageFailed
from recollect.model.memory import Change
from recollect.store import history as undoing
from recollect.store.disk import stamp_of
from recollect.store.transactions import MOST_AT_ONCE

from .house import Crash, House, crash, full_disk

A, B, C = "semantic/a.md", "semantic/b.md", "semantic/c.md"
START = {A: "old", B: "old", C: "old"}
OLD = stamp_of(b"old")
MOVED = "archive/semantic/c.md"
AFTER = {A: "new a", B: "new b", MOVED: "old", "semantic/d.md": "new d"}
CHANGES = {
    A: [Change("put", A, "a", OLD, "new a")],
    B: [Change("put", B, "b", OLD, "new b")],
    C: [Change("move", C, "c", OLD, to=MOVED)],
    "semantic/d.md": [Change("put", "semantic/d.md", "d", None, "new d")],
}


def a_house() -> House:
    house = House()
    for path, text in START.items():
        house.write(path, text)
    return house


def plans(*rows: Sequence[Change]) -> list[tuple[str, Callable[[], Sequence[Change]]]]:
    return [("test", lambda row=row: row) for row in rows]  # type: ignore[misc]


def commit(house: House, *rows: Sequence[Change]) -> list[int]:
    return house.open().ledger.commit_each(plans(*(rows or CHANGES.values())))


def test_the_journal_is_written_once_before_all_files_and_each_change_is_a_group() -> None:
    house = a_house()
    assert commit(house) == []
    steps = [step for step, _ in house.steps]
    assert steps[:5] == ["append", "replace", "replace", "move", "create"]
    assert set(steps[5:-4]) == {"settle"}
    assert steps[-4:] == ["done"] * 4
    assert house.texts() == AFTER
    ops = [op for op in house.open().journal.ops() if op.cause == "test"]
    assert len({op.group for op in ops}) == len(ops) == 4
    every = house.open().journal.ops()
    assert [op.seq for op in every] == list(range(1, len(every) + 1))


def test_each_of_them_is_undone_by_itself() -> None:
    house = a_house()
    commit(house)
    store = house.open()
    (op,) = [op for op in store.journal.ops() if op.path == B and op.cause == "test"]
    undoing.undo(store, op.group)
    assert house.texts() == AFTER | {B: "old"}


def test_many_changes_are_carried_out_some_at_a_time() -> None:
    house = a_house()
    names = [f"semantic/n{n}.md" for n in range(2 * MOST_AT_ONCE + 1)]
    assert commit(house, *([Change("put", name, name, None, "x")] for name in names)) == []
    assert set(names) <= set(house.texts())
    assert [step for step, _ in house.steps].count("append") == 3


def test_what_does_not_fit_is_refused_and_hinders_no_other() -> None:
    house = a_house()
    house.write(B, "by hand")
    twice = [Change("put", A, "a", OLD, "another")]
    assert commit(house, *CHANGES.values(), twice, []) == [1, 4]
    assert house.texts() == AFTER | {B: "by hand"}
    assert house.open().journal.unsettled({})[0] == []


def test_an_edit_between_the_look_and_the_writing_wins() -> None:
    house = a_house()
    store = house.open()

    def edit(step: str, path: str) -> None:
        if (step, path) == ("replace", A):
            house.write(B, "by hand")

    house.expect(edit, range(1, 100))
    assert store.ledger.commit_each(plans(*CHANGES.values())) == [1]
    house.expect(crash, range(0))
    assert house.texts() == AFTER | {B: "by hand"}
    store = house.open()
    assert store.redone == []
    assert [op.path for op in store.journal.ops() if op.cause == "test"] == [
        path for path in CHANGES if path != B
    ]


@pytest.mark.parametrize("trouble", [crash, full_disk])
def test_after_trouble_at_any_step_the_next_command_has_all_or_nothing_of_each(
    trouble: Callable[[str, str], None],
) -> None:
    seen = set()
    for n in range(1, 100):
        house = a_house()
        store = house.open()
        house.expect(trouble, range(n, n + 1))
        try:
            store.ledger.commit_each(plans(*CHANGES.values()))
        except (Crash, StorageFailed):
            house.expect(trouble, range(0))
            found = house.open("ops-after")
            seen.add(house.texts() == AFTER)
            assert house.texts() in (START, AFTER), house.steps
            assert bool(found.journal.ops()) == (house.texts() == AFTER)
            assert house.open().redone == []
            continue
        if house.steps[-1][0] == "done" and len(house.steps) < n:
            break
    assert seen == {True, False}
