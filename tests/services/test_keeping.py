"""How far back a store remembers: as many changes as were wanted can be undone, and the rest is told of."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.capture import save_memory as save
from recollect.capture.save_memory import Draft
from recollect.errors import ChangeNotFound, Failed
from recollect.features import memories as writing
from recollect.model.footnotes import MARK
from recollect.store.history import (
    bring_back,
    forget_old_changes,
    history,
    needed,
    undo,
    undo_to,
)

from .house import House
from .project import Project
from .test_undo_to import Step
from .test_undoing import OURS, archive, bytes_of


@pytest.fixture
def house() -> House:
    return House()


@given(steps=st.lists(st.sampled_from(OURS), min_size=1, max_size=14), most=st.integers(1, 5))
@pytest.mark.slow
def test_the_newest_changes_can_be_undone_one_after_the_other(steps: list[Step], most: int) -> None:
    house = House()
    states = [bytes_of(house)]
    for step in steps:
        before = len(history(house.open()))
        step(house.open())
        if len(history(house.open())) > before:
            states.append(bytes_of(house))
    told = [past.id for past in history(house.open())]
    forget_old_changes(house.open(), most)
    assert bytes_of(house) == states[-1]
    assert [past.id for past in history(house.open())][:most] == told[:most]
    for past, state in zip(history(house.open())[:most], states[-2::-1], strict=False):
        undo(house.open(), past.id)
        assert bytes_of(house) == state


def test_what_was_forgotten_before_the_newest_changes_does_not_come_back(house: House) -> None:
    store = house.open()
    save.save(store, Draft("One", "First.", kind="fact"))
    archive(store)
    writing.forget(store, "one")
    gone = bytes_of(house)
    save.save(store, Draft("Two", "Second.", kind="fact"))
    point = history(store)[0].id
    with_two = bytes_of(house)
    undo_to(store, history(store)[2].id)  # back to the archived one
    forget_old_changes(store, 2)
    undo_to(store, point)
    assert bytes_of(house) == with_two
    undo(store, point)
    assert bytes_of(house) == gone


def full(project: Project, edits: int) -> None:
    with project.opened() as store:
        save.save(store, Draft("One", "First.", kind="fact"))
        for n in range(edits):
            writing.edit(store, "one", append=f"Added {n}. " * 40)


def test_an_older_change_is_not_there_any_more(tmp_path: Path) -> None:
    project = Project(tmp_path)
    full(project, 12)
    with project.opened() as store:
        old = history(store)[5].id
        assert forget_old_changes(store, 4) > 0
        pasts = history(store)
        assert len(pasts) == 5  # the last of them says what was there before the others
        for past in pasts[:4]:
            undo(store, past.id)
        with pytest.raises(Failed, match="no longer has the old text"):
            undo(store, pasts[4].id)
        with pytest.raises(ChangeNotFound):
            undo(store, old)
        store.journal.ops()
        assert store.journal.problems == []


def test_nothing_is_forgotten_before_there_is_half_as_much_again_and_never_without_being_asked(
    tmp_path: Path,
) -> None:
    project = Project(tmp_path)
    full(project, 5)
    with project.opened() as store:
        for most in (0, 4, 5, 100):
            assert forget_old_changes(store, most) == 0
        assert all(op.text for op in store.journal.ops())


def test_what_went_away_without_a_command_comes_back_however_old_it_is(tmp_path: Path) -> None:
    project = Project(tmp_path)
    full(project, 9)
    with project.opened() as store:
        save.save(store, Draft("Two", "Second.", kind="fact"))
        for _ in range(6):
            writing.edit(store, "two", append="More.")
        forget_old_changes(store, 2)
    before = project.files()
    (project.root / "semantic" / "one.md").unlink()
    with project.opened() as store:
        assert bring_back(store) == ["semantic/one.md"]
    assert project.files() == before


def test_a_claim_that_was_ever_put_into_a_file_is_known_for_ever() -> None:
    house = House()
    for n in range(6):
        line = f"- The port is {n}. {MARK}talk; date: 2026-01-11T14:30:00Z; trust: user -->\n"
        house.write("semantic/ports.md", f"# Ports\n\n{line}")
        writing.set_fields(house.open(), "ports", {"salience": "high" if n % 2 else "low"})
    ops = house.open().journal.ops()
    texts = {op.after: op.text for op in ops}
    kept = "".join(texts[stamp] or "" for stamp in needed(ops, 1)[0] if stamp in texts)
    assert all(f"The port is {n}." in kept for n in range(6))


@pytest.mark.slow
def test_consolidation_keeps_as_many_changes_as_the_settings_say(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write("config.toml", "[history]\nkeep_changes = 3\n")
    full(project, 30)
    (page,) = (project.root / "journal").iterdir()
    before = page.read_bytes()
    project.answer("consolidate", "--dry-run")
    assert page.read_bytes() == before
    project.answer("consolidate")
    assert page.read_bytes().count(b"\n") == 2 * 4  # and the one that says what was before them
    assert len(page.read_bytes()) < 0.6 * len(before)
    assert len(project.answer("history")) == 4
    assert project.answer("doctor")["problems"] == 0
    for _ in range(3):
        project.answer("undo")
    assert project.run("undo").returncode == 1
