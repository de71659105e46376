"""Ledger: journal before files, all or nothing, a person's edit wins (no disk here)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from recollect.errors import AlreadyThere, ChangedMeanwhile, RecollectError, StorageFailed
from recollect.model.memory import Change, Filter, Op
from recollect.store.disk import stamp_of
from recollect.store.store import OpenStore

from .house import NOW, Crash, House, crash, full_disk

A, B = "semantic/a.md", "semantic/b.md"
OLD, NEW = "# Old\n", "# New\n"
Plan = Callable[[], Sequence[Change]]


def stamp(text: str) -> str:
    return stamp_of(text.encode())


def put(path: str, text: str, before: str | None = None) -> Change:
    return Change("put", path, "a", before and stamp(before), text)


PLANS: dict[str, Sequence[Change]] = {
    "create": [put(B, NEW)],
    "replace": [put(A, NEW, OLD)],
    "move": [Change("move", A, "a", stamp(OLD), to="archive/semantic/a.md")],
    "remove": [Change("remove", A, "a", stamp(OLD))],
    "all at once": [
        put(B, NEW),
        put(A, NEW, OLD),
        Change("move", "semantic/c.md", "c", stamp("c"), to="archive/semantic/c.md"),
        Change("remove", "semantic/d.md", "d", stamp("d")),
    ],
}
START = {A: OLD, "semantic/c.md": "c", "semantic/d.md": "d"}
every_plan = pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)


@pytest.fixture
def house() -> House:
    house = House()
    for path, text in START.items():
        house.write(path, text)
    return house


def after(plan: Sequence[Change]) -> dict[str, str]:
    """The files as they are when a plan was carried out."""
    files = dict(START)
    for change in plan:
        if change.op == "put":
            files[change.path] = change.text
        elif change.op == "move":
            files[change.to] = files.pop(change.path)
        else:
            del files[change.path]
    return files


def commit(store: OpenStore, plan: Sequence[Change]) -> list[Op]:
    return store.commit(lambda: plan, cause="test")


# ------------------------------------------------------------------------------------- the order


def test_the_journal_is_written_before_the_files_and_settled_after_them(house: House) -> None:
    commit(house.open(), PLANS["all at once"])
    steps = [step for step, _ in house.steps]
    assert steps[0] == "append"
    assert steps[1:5] == ["create", "replace", "move", "remove"]
    assert set(steps[5:-1]) == {"settle"}
    assert steps[-1] == "done"
    settled = {path for step, path in house.steps if step == "settle"}
    assert {A, B, "archive/semantic/c.md", "semantic/d.md"} <= settled


@every_plan
def test_a_change_is_in_the_files_in_the_journal_and_in_the_index(
    house: House, plan: Sequence[Change]
) -> None:
    store = house.open()
    ops = commit(store, plan)
    assert house.texts() == after(plan)
    assert store.journal.ops() == ops
    assert {o.group for o in ops} == {ops[0].group}
    assert {o.time for o in ops} == {NOW}
    assert [o.seq for o in ops] == list(range(1, len(ops) + 1))
    hot = {path for path in after(plan) if not path.startswith("archive/")}
    assert {entry.path for entry in store.index.entries(Filter())} == hot
    assert store.journal.unsettled({})[0] == []


def test_a_plan_without_changes_writes_nothing(house: House) -> None:
    assert commit(house.open(), []) == []
    assert house.steps == []


def test_the_text_that_a_person_wrote_is_kept_before_it_is_replaced(house: House) -> None:
    store = house.open()
    commit(store, [put(A, NEW, OLD)])
    assert store.journal.text_of(stamp(OLD)) == OLD
    causes = [op.cause for op in store.journal.ops()]
    commit(store, [put(A, "third", NEW)])
    assert [op.cause for op in store.journal.ops()] == [*causes, "test"]


def test_what_must_not_reach_a_disk_reaches_neither_the_files_nor_the_journal(
    house: House,
) -> None:
    secret = "ghp_" + "a1B2" * 9
    house.write(A, f"by hand {secret}")
    store = house.open()
    commit(store, [put(B, f"mine {secret} <private>hush</private>")])
    commit(store, [put(A, "clean", f"by hand {secret}")])
    said = [op.text or "" for op in store.journal.ops()] + [house.texts()[B]]
    assert len(said) == 4
    assert not any(secret in text or "hush" in text for text in said)


# --------------------------------------------------------------------------- compare before writing


def test_of_two_conflicting_changes_exactly_one_wins(house: House) -> None:
    one, two = house.open("ops-one"), house.open("ops-two")
    commit(one, [put(A, "one", OLD)])
    with pytest.raises(ChangedMeanwhile):
        commit(two, [put(A, "two", OLD)])
    assert house.texts()[A] == "one"
    assert [op.text for op in two.journal.ops() if op.cause != "outside"] == ["one"]


@pytest.mark.parametrize(
    ("plan", "error"),
    [
        ([put(A, NEW)], AlreadyThere),
        ([put(A, NEW, "something else")], ChangedMeanwhile),
        ([put("semantic/none.md", NEW, OLD)], ChangedMeanwhile),
        ([Change("remove", A, "a", stamp("else"))], ChangedMeanwhile),
        ([Change("move", A, "a", stamp(OLD), to="semantic/c.md")], AlreadyThere),
        ([put(B, NEW), put(A, NEW, "something else")], ChangedMeanwhile),
        ([put(B, NEW), put("../b.md", NEW)], RecollectError),
        ([put(B, NEW), put(B, OLD)], AlreadyThere),
    ],
)
def test_a_plan_that_does_not_fit_changes_nothing(
    house: House, plan: Sequence[Change], error: type[Exception]
) -> None:
    store = house.open()
    with pytest.raises(error):
        commit(store, plan)
    assert house.texts() == START
    assert store.journal.ops() == []
    assert store.journal.unsettled({})[0] == []


def test_a_plan_is_made_anew_when_an_editor_was_quicker(house: House) -> None:
    store = house.open()
    tries: list[Change] = []

    def plan() -> Sequence[Change]:
        change = put(A, NEW, house.texts()[A])
        if not tries:
            house.write(A, "by hand")
        tries.append(change)
        return [change]

    store.commit(plan, cause="test", tries=2)
    assert len(tries) == 2
    assert house.texts()[A] == NEW


# ------------------------------------------------------------------------------- refusals of a disk


@every_plan
def test_a_refused_step_leaves_everything_as_it_was_and_trying_again_makes_no_twin(
    house: House, plan: Sequence[Change]
) -> None:
    store = house.open()
    for n in range(1, 100):
        house.expect(full_disk, range(n, n + 1))
        try:
            commit(store, plan)
        except StorageFailed:
            assert house.texts() == START, f"refused at step {n}: {house.steps[n - 1]}"
            assert store.journal.ops() == []
            assert house.open().redone == []
            assert house.texts() == START
            continue
        break
    assert n > 3
    house.expect(full_disk, range(0))
    assert house.open().redone == []
    assert house.texts() == after(plan)
    assert len({op.group for op in store.journal.ops()}) == 1


@every_plan
def test_when_a_disk_refuses_everything_from_some_step_on_the_next_command_finishes(
    house: House, plan: Sequence[Change]
) -> None:
    for n in range(1, 100):
        again = House()
        for path, text in START.items():
            again.write(path, text)
        again.expect(full_disk, range(n, 1000))
        try:
            commit(again.open(), plan)
        except StorageFailed as error:
            finished_later = "the next command will finish it" in str(error)
            again.expect(full_disk, range(0))
            again.open()
            assert again.texts() == (after(plan) if finished_later else START), n
            continue
        break
    assert n > 3


# ---------------------------------------------------------------------------------------- crashes


@every_plan
def test_after_a_crash_at_any_step_the_change_is_whole_or_was_never_there(
    plan: Sequence[Change],
) -> None:
    seen = set()
    for n in range(1, 100):
        house = House()
        for path, text in START.items():
            house.write(path, text)
        store = house.open()
        house.expect(crash, range(n, n + 1))
        try:
            commit(store, plan)
        except Crash:
            house.expect(crash, range(0))
            found = house.open("ops-after")
            assert house.texts() in (START, after(plan)), house.steps
            whole = house.texts() == after(plan)
            seen.add(whole)
            assert bool(found.journal.ops()) == whole
            assert house.open().redone == []
            continue
        break
    assert seen == {True, False}


def test_a_crash_during_the_recovery_is_recovered_from(house: House) -> None:
    plan = PLANS["all at once"]
    house.expect(crash, range(2, 3))
    with pytest.raises(Crash):
        commit(house.open(), plan)
    for n in range(1, 20):
        house.expect(crash, range(n, n + 1))
        try:
            house.open()
        except Crash:
            continue
        break
    assert n > 5
    assert house.texts() == after(plan)


def test_what_a_crash_left_is_finished_before_the_next_change(house: House) -> None:
    house.expect(crash, range(2, 3))
    with pytest.raises(Crash):
        commit(house.open(), PLANS["create"])
    house.expect(crash, range(0))
    commit(house.unfreshened("ops-next"), [put(B, "third", NEW)])
    assert house.texts()[B] == "third"


def crashed_before_the_files(plan: Sequence[Change], house: House) -> None:
    house.expect(crash, range(2, 3))
    with pytest.raises(Crash):
        commit(house.open(), plan)
    house.expect(crash, range(0))


@pytest.mark.parametrize("plan", ["create", "replace", "remove"])
def test_an_edit_of_a_person_after_the_crash_wins(house: House, plan: str) -> None:
    crashed_before_the_files(PLANS[plan], house)
    house.write(PLANS[plan][0].path, "by hand")
    store = house.open()
    assert house.texts()[PLANS[plan][0].path] == "by hand"
    assert store.journal.ops() == []
    house.open()
    assert house.texts()[PLANS[plan][0].path] == "by hand"


def test_a_group_of_which_one_file_was_edited_after_the_crash_does_not_hold_at_all(
    house: House,
) -> None:
    crashed_before_the_files(PLANS["all at once"], house)
    house.write(A, "by hand")
    assert house.open().journal.ops() == []
    assert house.texts() == START | {A: "by hand"}


def test_a_file_that_is_put_back_by_hand_after_a_change_is_not_changed_again(
    house: House,
) -> None:
    commit(house.open(), PLANS["replace"])
    house.write(A, OLD)  # git checkout
    assert house.open().redone == []
    assert house.texts()[A] == OLD


def test_a_file_that_is_put_back_by_hand_after_a_recovery_is_not_changed_again(
    house: House,
) -> None:
    crashed_before_the_files(PLANS["replace"], house)
    assert len(house.open("ops-february").redone) == 1
    house.write(A, OLD)
    assert house.open("ops-february").redone == []
    house.index.wipe()  # the offsets up to which all is settled are lost with the index
    assert house.open("ops-march").redone == []
    assert house.texts()[A] == OLD


# --------------------------------------------------------------------- what cannot be finished


def _op(**fields: object) -> Op:
    op = Op("put", "o1", "g1", 1, 1, NOW, "ops-other", "save", "m", B, None, stamp(NEW), NEW)
    return op._replace(**fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "op",
    [
        _op(path="../../etc/passwd"),
        _op(path=""),
        _op(op="move", path=A, before=stamp(OLD), to="/etc/passwd", text=None),
        _op(op="remove", path="semantic/\0", before=stamp(OLD), text=None),
        _op(text=None),
    ],
)
def test_an_op_that_can_never_be_done_is_done_with(house: House, op: Op) -> None:
    house.pages.lines.append(op)
    store = house.open()
    assert house.texts() == START
    assert store.journal.unsettled({})[0] == []
    commit(store, PLANS["create"])
    assert house.texts() == after(PLANS["create"])


def test_a_change_that_cannot_be_finished_now_is_reported_and_stops_nothing(
    house: House,
) -> None:
    house.pages.lines += [_op(), _op(op_id="o2", group="g2", path="semantic/e.md", seq=2)]
    house.expect(full_disk, range(1, 2))
    store = house.open()
    assert [problem.path for problem in store.problems] == [B]
    assert house.texts() == START | {"semantic/e.md": NEW}
    house.expect(full_disk, range(1, 2))
    commit(store, [put("semantic/f.md", "f")])
    assert house.texts()["semantic/f.md"] == "f"
    house.expect(full_disk, range(0))
    assert [op.path for op in house.open().redone] == [B]


def test_a_store_that_cannot_be_locked_can_still_be_read(house: House) -> None:
    house.pages.lines.append(_op())
    with house.files.locked():
        store = house.open()
    assert store.index.entry("a")
    assert [problem.path for problem in store.problems] == ["journal"]


def test_a_change_holds_although_the_index_cannot_take_it_in(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = house.open()

    def refuse(*_: object) -> int:
        raise StorageFailed(path="index.db", reason="No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(house.index, "apply", refuse)
        commit(store, PLANS["create"])
    assert [problem.path for problem in store.problems] == ["index"]
    assert house.texts() == after(PLANS["create"])
    assert house.open().index.entry("b")
