"""That there was nothing to do is remembered, for as long as nothing changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.consolidate import rulings
from recollect.consolidate import run as passing
from recollect.consolidate.apply import PassResult
from recollect.consolidate.claim_cache import ClaimCache
from recollect.consolidate.gather import gather
from recollect.consolidate.plan import plan
from recollect.consolidate.run import consolidate, preview, settle
from recollect.errors import StorageFailed
from recollect.model.memory import Document
from recollect.store import history as undoing
from recollect.store.store import OpenStore

from .house import House
from .test_consolidate import LATER, at, episode, run
from .test_consolidate_laws import episodes, files, house_of

FACTS = "semantic/database.md"
SAME = "The pool has 10 links.\n\nThe host is db.local.\n\nLogs are in Loki.\n"


class Passes:
    """Looks at a house, one after the other, with what each remembers for the next."""

    def __init__(self, house: House) -> None:
        self.house, self.text = house, ""

    def look(self, now: str = LATER, store: OpenStore | None = None) -> PassResult:
        known = ClaimCache(self.text)
        found = preview(gather(store or at(self.house, now), known))
        self.text = known.text() if known.changed else self.text
        return found


@pytest.fixture
def plans(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """An item for each plan that was made."""
    made: list[object] = []

    def noted(*given: Any) -> object:
        made.append(given)
        return plan(*given)

    monkeypatch.setattr(passing, "plan", noted)
    return made


def settled_house() -> House:
    """A house in which nothing is to be done, and two things wait for a person."""
    house = House()
    for name in ("one", "two"):
        house.write(f"semantic/{name}.md", f"---\ntags: [a, b]\n---\n# {name}\n\n{SAME}")
    episode(house, "old", "The database is PostgreSQL.\n\nWe use Postgres.", day=1, decay_after="")
    episode(house, "new", "We use MySQL.", day=2, decay_after="2026-07-01")
    run(house)
    return house


def test_while_nothing_changes_one_plan_is_made(plans: list[object]) -> None:
    passes = Passes(settled_house())
    plans.clear()
    first = passes.look()
    assert first.waits
    assert first.merges
    assert len(plans) == 1
    assert [passes.look() for _ in range(2)] == [first, first]
    assert len(plans) == 1


def _rules(house: House) -> None:
    store = at(house)
    (wait,) = preview(gather(store)).waits
    settle(store, wait.key, "both")


def _dismisses(house: House) -> None:
    rulings.decide(at(house), "one", "two", again=False, dry_run=False)


def _undoes(house: House) -> None:
    (past,) = [p for p in undoing.history(house.open()) if p.cause == "consolidate/absorb"]
    undoing.undo(house.open(), past.id)


CHANGES: dict[str, Callable[[House], object]] = {
    "an episode is new": lambda house: episode(house, "more", "Colour is red."),
    "an episode is another": lambda house: episode(house, "new", "We use Redis.", day=2),
    "an episode is gone": lambda house: house.files.remove_outside("episodic/new.md"),
    "a file is another": lambda house: house.write(FACTS, "---\ntags: [a]\n---\n- Nothing.\n"),
    "a file is gone": lambda house: house.files.remove_outside(FACTS),
    "a person has ruled": _rules,
    "a person has dismissed": _dismisses,
    "a step was undone": _undoes,
}


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_changes_another_plan_is_made(change: str, plans: list[object]) -> None:
    house = settled_house()
    passes = Passes(house)
    passes.look()
    CHANGES[change](house)
    plans.clear()
    found = passes.look()
    assert len(plans) == 1
    assert found == preview(gather(at(house)))


def test_another_plan_is_made_on_the_day_on_which_an_episode_is_past_its_time(
    plans: list[object],
) -> None:
    passes = Passes(settled_house())
    passes.look()
    plans.clear()
    passes.look("2026-07-01T23:00:00Z")
    assert not plans
    passes.look("2026-07-02T00:10:00Z")
    assert len(plans) == 1


def test_a_plan_that_could_not_read_a_file_is_not_remembered(
    plans: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    house = settled_house()
    passes = Passes(house)
    store = at(house)
    read = house.files.read

    def refuse(path: str) -> Document:
        if path == "semantic/one.md":
            raise StorageFailed(path=path, reason="Input/output error")
        return read(path)

    with monkeypatch.context() as patched:
        patched.setattr(house.files, "read", refuse)
        assert not passes.look(store=store).merges
    plans.clear()
    assert passes.look().merges
    assert len(plans) == 1


def test_a_plan_of_what_was_edited_since_the_index_looked_is_not_remembered() -> None:
    house = settled_house()
    passes = Passes(house)
    store, text = at(house), house.texts()["semantic/one.md"]
    house.write("semantic/one.md", "---\ntags: [a, b]\n---\nQuite another matter.\n")
    assert not passes.look(store=store).merges
    house.write("semantic/one.md", text)
    assert passes.look().merges


def test_what_a_pass_has_written_the_next_one_need_not_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    house, known = House(), ClaimCache()
    house.write(FACTS, "---\ntags: [redis, cache]\n---\n# Redis\n\nThe cache has 4 nodes.\n")
    episode(house, "one", "Port is 8080.\n\nNever push to main.", decay_after="")
    assert consolidate(at(house), known).steps
    store, fresh = at(house), preview(gather(at(house)))
    asked: list[str] = []
    read = house.files.read

    def noted(path: str) -> Document:
        asked.append(path)
        return read(path)

    monkeypatch.setattr(house.files, "read", noted)
    assert preview(gather(store, ClaimCache(known.text()))) == fresh
    assert [path for path in asked if path.endswith(".md")] == []


@given(episodes, files, st.booleans())
@pytest.mark.slow
def test_what_is_remembered_makes_no_difference_to_what_is_found(
    said: list[Any], before: dict[str, Any], edited: bool
) -> None:
    house = house_of(said, before)
    passes = Passes(house)
    for _ in range(3):
        assert passes.look() == preview(gather(at(house)))
        run(house, force_decay=True)
        if edited and "semantic/redis.md" in house.texts():
            house.write("semantic/redis.md", house.texts()["semantic/redis.md"] + "\n- Use npm.\n")
    assert passes.look() == passes.look() == preview(gather(at(house)))
