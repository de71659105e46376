"""Undoing: the exact bytes come back, in any order that makes sense, and nothing else is lost."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.capture import save_memory as save_module
from recollect.capture.save_memory import Draft
from recollect.errors import (
    AlreadyThere,
    ChangedMeanwhile,
    ChangeNotFound,
    Failed,
    NothingToUndo,
    RecollectError,
)
from recollect.features import memories as writing
from recollect.model.memory import Change, Filter
from recollect.store.disk import stamp_of
from recollect.store.history import history, undo
from recollect.store.store import OpenStore
from recollect.text.tokens import cue_words

from .house import House

ODD = "# By hand\r\n\r\ntabs\t, no end, \udcff"


@pytest.fixture
def house() -> House:
    return House()


def archive(store: OpenStore) -> None:
    """Move the newest memory to the archive, if nothing has its name there."""

    def plan() -> list[Change]:
        return [
            Change("move", e.path, e.id, e.stamp, to=f"archive/{e.path}")
            for e in store.index.entries(Filter())[:1]
            if not store.files.exists(f"archive/{e.path}")
        ]

    store.commit(plan, cause="archive")


def save(store: OpenStore) -> None:
    save_module.save(store, Draft("A fact about queues", "They are long.", kind="fact"))


def save_conversation(store: OpenStore) -> None:
    save_module.save(
        store, Draft("A talk", "Said.", layer="episodic", conversation="### User [1:00]\n\nHi\n")
    )


def save_private(store: OpenStore) -> None:
    save_module.save(store, Draft("A secret", "Hush.", kind="fact", private=True))


def save_rule(store: OpenStore) -> None:
    n = len(store.journal.ops())
    save_module.save(store, Draft(f"Rule {n}", f"Do this, {n}.", kind="rule"))


def edit(store: OpenStore) -> None:
    for entry in store.index.entries(Filter())[-1:]:
        writing.edit(store, entry.id, append=f"More, {len(store.journal.ops())}.")


def set_tags(store: OpenStore) -> None:
    for entry in store.index.entries(Filter())[:1]:
        writing.set_fields(store, entry.id, {"tags": f"t{len(store.journal.ops())}"})


def forget(store: OpenStore) -> None:
    for entry in store.index.entries(Filter())[:1]:
        writing.forget(store, entry.id)


def forget_section(store: OpenStore) -> None:
    for one in store.index.search(cue_words("do"), only=Filter(kind="rule"), limit=1):
        if one.anchor:
            writing.forget(store, one.name)


OURS: list[Callable[[OpenStore], None]] = [
    save, save_conversation, save_private, save_rule, edit, set_tags, forget, forget_section, archive,
]  # fmt: skip


class Outside:
    """What a person does to the files by hand, and its reverse."""

    def __init__(self, house: House) -> None:
        self.house = house

    def edit(self, n: int) -> Callable[[], None]:
        files = self.house.files.files
        # A private memory that somebody takes out of .gitignore is put back there, for good.
        own = sorted(path for path in files if path != ".gitignore")
        path = own[n % len(own)] if own and n % 3 else f"semantic/hand-{n % 2}.md"
        before = files[path].data if path in files else None
        if n % 5 == 0 and before is not None:
            self.house.files.remove_outside(path)
        else:
            text = f"{ODD} {n}".encode("utf-8", "surrogateescape")
            self.house.files.edit_outside(path, text)
        return lambda: self._put_back(path, before)

    def _put_back(self, path: str, data: bytes | None) -> None:
        if data is not None:
            self.house.files.edit_outside(path, data)
        elif path in self.house.files.files:
            self.house.files.remove_outside(path)


def bytes_of(house: House) -> dict[str, bytes]:
    return {path: file.data for path, file in house.files.files.items()}


@given(
    steps=st.lists(st.sampled_from(OURS) | st.integers(0, 30), max_size=12),
    start=st.booleans(),
)
def test_undoing_everything_backwards_gives_every_state_that_there_was(
    steps: list[Callable[[OpenStore], None] | int], start: bool
) -> None:
    house = House()
    if start:
        house.write("semantic/mine.md", "# Mine\n\nBy hand.\n")
    way_back: list[tuple[dict[str, bytes], Callable[[], object]]] = []
    for step in steps:
        before, known = bytes_of(house), len(history(house.open()))
        if isinstance(step, int):
            way_back.append((before, Outside(house).edit(step)))
            continue
        step(house.open())
        made = history(house.open())
        way_back += [
            (before, partial(undo, house.open(), past.id)) for past in made[: len(made) - known]
        ]
    for before, step_back in reversed(way_back):
        step_back()
        assert bytes_of(house) == before
    assert [e.path for e in house.open().index.entries(Filter())] == (
        ["semantic/mine.md"] if start else []
    )


@given(
    steps=st.lists(st.sampled_from(OURS), min_size=2, max_size=6),
    undone=st.lists(st.integers(0, 20), max_size=8),
)
def test_any_change_can_be_undone_in_any_order_or_is_refused_and_nothing_changes(
    steps: list[Callable[[OpenStore], None]], undone: list[int]
) -> None:
    house = House()
    for step in steps:
        step(house.open())
    for n in undone:
        pasts = history(house.open())
        if not pasts:
            return
        before = bytes_of(house)
        past = pasts[n % len(pasts)]
        try:
            undo(house.open(), past.id)
        except RecollectError:
            assert bytes_of(house) == before
            continue
        touched = {path for op in past.ops for path in (op.path, op.to) if path}
        changed = {
            p for p in {*before, *bytes_of(house)} if before.get(p) != bytes_of(house).get(p)
        }
        assert changed <= touched
        for op in past.ops:
            if op.cause != "outside" and op.op == "put" and op.before is None:
                assert op.path not in bytes_of(house)
            elif op.cause != "outside":
                assert stamp_of(bytes_of(house)[op.path]) == op.before


# --------------------------------------------------------------------------------- walking back


def saved(house: House, *titles: str) -> None:
    for title in titles:
        save_module.save(house.open(), Draft(title, "Text.", kind="fact"))


def test_undoing_twice_walks_back_two_changes(house: House) -> None:
    saved(house, "One", "Two", "Three")
    undo(house.open())
    undo(house.open())
    assert set(house.texts()) == {"semantic/one.md"}
    undo(house.open())
    assert house.texts() == {}
    with pytest.raises(NothingToUndo):
        undo(house.open())


def test_a_new_change_is_undone_before_the_older_ones(house: House) -> None:
    saved(house, "One", "Two")
    undo(house.open())
    saved(house, "Four")
    undo(house.open())
    undo(house.open())
    assert house.texts() == {}


def test_an_undo_can_be_undone_by_its_name_and_again(house: House) -> None:
    saved(house, "One")
    text = house.texts()
    for _ in range(3):
        undo(house.open())
        assert house.texts() == {}
        undo(house.open(), history(house.open())[0].id)
        assert house.texts() == text


def test_the_last_change_of_a_memory_is_undone_by_its_name(house: House) -> None:
    saved(house, "One", "Two")
    writing.set_fields(house.open(), "one", {"salience": "high"})
    saved(house, "Three")
    undo(house.open(), "one")
    assert "salience: high" not in house.texts()["semantic/one.md"]
    undo(house.open(), "one")
    assert set(house.texts()) == {"semantic/two.md", "semantic/three.md"}
    with pytest.raises(NothingToUndo):
        undo(house.open(), "one")
    with pytest.raises(ChangeNotFound):
        undo(house.open(), "nobody")


def test_a_start_that_fits_several_changes_undoes_none_of_them(house: House) -> None:
    saved(house, "One", "Two")
    ids = [past.id for past in history(house.open())]
    assert ids[0][:8] == ids[1][:8]
    with pytest.raises(ChangeNotFound):
        undo(house.open(), ids[0][:8])
    undo(house.open(), ids[0][:-1])
    assert set(house.texts()) == {"semantic/one.md"}


# --------------------------------------------------------------------------- what was changed since


def test_a_change_is_not_undone_over_an_edit_by_hand(house: House) -> None:
    saved(house, "One")
    house.write("semantic/one.md", "by hand")
    with pytest.raises(ChangedMeanwhile):
        undo(house.open())
    assert house.texts() == {"semantic/one.md": "by hand"}


def test_a_forgotten_memory_does_not_come_back_over_a_new_one(house: House) -> None:
    saved(house, "One")
    writing.forget(house.open(), "one")
    house.write("semantic/one.md", "a new one")
    with pytest.raises(ChangedMeanwhile):
        undo(house.open())
    assert house.texts() == {"semantic/one.md": "a new one"}


def test_a_move_is_not_undone_over_an_edit_by_hand(house: House) -> None:
    saved(house, "One")
    archive(house.open())
    house.write("archive/semantic/one.md", "by hand")
    with pytest.raises(ChangedMeanwhile):
        undo(house.open())
    house.files.remove_outside("archive/semantic/one.md")
    with pytest.raises(ChangedMeanwhile):
        undo(house.open())


def test_what_was_purged_cannot_come_back_and_says_so(house: House) -> None:
    saved(house, "One")
    writing.forget(house.open(), "one")
    house.open().journal.purge("semantic/one.md")
    with pytest.raises(Failed, match="no longer has the old text"):
        undo(house.open())


def test_the_text_of_a_person_who_wrote_what_was_purged_is_kept_again(house: House) -> None:
    saved(house, "One")
    text = house.texts()["semantic/one.md"]
    writing.forget(house.open(), "one")
    house.open().journal.purge("semantic/one.md")
    house.write("semantic/one.md", text)
    writing.set_fields(house.open(), "one", {"salience": "high"})
    undo(house.open())
    assert house.texts()["semantic/one.md"] == text


def test_a_dry_run_says_what_it_would_do_and_does_nothing(house: House) -> None:
    saved(house, "One")
    before, steps = house.texts(), len(house.steps)
    past = undo(house.open(), dry_run=True)
    assert (past.memories, past.what) == (("one",), "created")
    assert house.texts() == before
    assert len(house.steps) == steps


def test_a_dry_run_refuses_to_move_a_file_back_when_the_undo_itself_would(house: House) -> None:
    saved(house, "One")
    text = house.texts()["semantic/one.md"]
    archive(house.open())
    house.write("archive/semantic/one.md", "by hand")
    with pytest.raises(ChangedMeanwhile):
        undo(house.open(), dry_run=True)
    house.write("archive/semantic/one.md", text)
    house.write("semantic/one.md", "somebody else's")
    with pytest.raises(AlreadyThere):
        undo(house.open(), dry_run=True)


# -------------------------------------------------------------------------------------- history


def test_the_history_tells_what_was_done_newest_first(house: House) -> None:
    saved(house, "One")
    writing.edit(house.open(), "one", append="More.")
    archive(house.open())
    undo(house.open())
    writing.forget(house.open(), "one")
    told = [(past.what, past.cause, past.undone) for past in history(house.open())]
    assert told == [
        ("removed", "forget", False),
        ("moved", "undo", False),
        ("moved", "archive", True),
        ("changed", "edit", False),
        ("created", "save", False),
    ]
    assert history(house.open(), "one") == history(house.open())
    assert history(house.open(), "semantic/one.md") != []
    assert history(house.open(), "nobody") == []


def test_the_text_a_person_wrote_is_part_of_the_change_that_replaced_it(house: House) -> None:
    house.write("semantic/mine.md", ODD.replace("\udcff", ""))
    writing.set_fields(house.open(), "mine", {"salience": "high"})
    (past,) = history(house.open())
    assert (past.what, past.cause, past.paths) == ("changed", "set", ("semantic/mine.md",))
    undo(house.open())
    assert house.texts() == {"semantic/mine.md": ODD.replace("\udcff", "")}
