"""Pruning a store by a policy: what goes, what stays, and the way back."""

from __future__ import annotations

from typing import Any

import pytest

from recollect.consolidate import apply as archiving
from recollect.consolidate.run import supersede
from recollect.features import lifecycle as pruning
from recollect.features import memories as changing
from recollect.store import history as undoing
from recollect.store.store import OpenStore

from .house import House
from .test_consolidate import at
from .test_merging import saved

LATER = "2027-01-01T09:00:00Z"
OLD = "semantic/old.md"


def store_of(house: House, now: str = LATER, **chosen: Any) -> OpenStore:
    store = at(house, now)
    store.settings = store.settings._replace(**chosen)
    return store


def house_with_old() -> House:
    """A store in which one memory was superseded long ago."""
    house = House()
    for title in ("Old", "New", "Other"):
        saved(house, title, f"{title} is so.")
    supersede(at(house), "old", "new")
    return house


def gone(house: House, **chosen: Any) -> list[str]:
    return [one.entry.id for one in pruning.due_in_store(store_of(house, **chosen))]


def test_what_goes_is_in_the_archive_as_it_was_and_can_be_undone() -> None:
    house = house_with_old()
    before = house.texts()
    (done,) = pruning.prune(store_of(house))
    assert (done.entry.id, done.why) == ("old", "superseded")
    assert house.texts()[f"archive/{OLD}"] == before[OLD]
    assert next(past.cause for past in undoing.history(at(house), "old")) == "prune"
    assert gone(house) == []
    undoing.undo(store_of(house))
    assert house.texts() == before


@pytest.mark.parametrize("way", ["undo", "activate"])
def test_what_was_brought_back_stays(way: str) -> None:
    house = house_with_old()
    pruning.prune(store_of(house))
    if way == "undo":
        undoing.undo(store_of(house))
    else:
        archiving.activate(store_of(house), "old")
    assert OLD in house.texts()
    assert pruning.prune(store_of(house, now="2029-01-01T09:00:00Z")) == []


@pytest.mark.parametrize(
    ("chosen", "found"),
    [
        ({}, ["old"]),
        ({"prune_superseded": 0}, []),
        ({"prune_superseded": 400}, []),
        ({"prune_superseded": 0, "prune_unused": 30}, ["other"]),
    ],
)
def test_the_policy_says_what_and_when(chosen: dict[str, int], found: list[str]) -> None:
    house = house_with_old()
    changing.set_fields(at(house), "other", {"salience": "low"})
    assert gone(house, **chosen) == found


def test_a_look_changes_nothing() -> None:
    house = house_with_old()
    before = house.texts()
    assert gone(house) == ["old"]
    assert house.texts() == before


def test_use_counts_as_activity() -> None:
    house = house_with_old()
    line = {"op": "inject", "session": "s", "moment": "prompt", "items": ["old"]}
    house.pages.hot.append(line | {"time": "2026-12-20T10:00:00Z"})
    assert gone(house) == []


def test_what_is_pinned_stays() -> None:
    house = house_with_old()
    house.write("pins.json", '{"version": 1, "pinned": [{"id": "old", "title": "Old"}]}')
    assert gone(house) == []


def test_unasked_no_more_than_a_tenth_of_a_store_goes() -> None:
    house = house_with_old()
    supersede(at(house), "other", "new")
    assert pruning.prune(store_of(house, prune_auto=True), unasked=True) == []
    assert len(pruning.prune(store_of(house))) == 2


def test_a_file_that_somebody_changed_just_now_stays() -> None:
    house = house_with_old()
    store = store_of(house)
    house.write(OLD, house.texts()[OLD] + "\nMore.\n")
    assert pruning.prune(store) == []
    assert OLD in house.texts()
