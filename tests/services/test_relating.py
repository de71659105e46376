"""Which memories are proposed as related, and what accepting that does."""

from __future__ import annotations

from typing import Any

import pytest

from recollect.capture.intake import Draft, save
from recollect.errors import MemoryNotFound
from recollect.features import merge as relating
from recollect.model.document import memory_from_text
from recollect.store import history as undoing

from .house import House
from .test_consolidate import at, episode


def saved(house: House, title: str, **fields: Any) -> None:
    save(at(house), Draft(title, "It is so.", layer="semantic", **({"tags": (title,)} | fields)))


def pairs(house: House, name: str = "") -> list[tuple[str, str]]:
    return [(tie.id, tie.other) for tie in relating.relation_proposals(at(house), name)]


def related(house: House, name: str) -> tuple[str, ...]:
    path = f"semantic/{name}.md"
    return memory_from_text(house.texts()[path], path).related


@pytest.mark.parametrize(
    "shared",
    [
        {"files": ("src/events.py",)},
        {"concepts": ("event-sourcing", "CQRS")},
        {"tags": ("postgres", "events", "storage")},
        {"concepts": ("事件溯源",), "tags": ("数据库",)},
    ],
)
def test_memories_with_enough_in_common_are_proposed(shared: dict[str, tuple[str, ...]]) -> None:
    house = House()
    saved(house, "Alpha", **shared)
    saved(house, "Beta", **shared)
    saved(house, "Gamma")
    assert pairs(house) == [("alpha", "beta")]
    assert pairs(house, "gamma") == []


def test_what_many_share_relates_nothing() -> None:
    house = House()
    for n in range(9):
        saved(house, f"Thing{n}", files=("src/main.py",))
    assert pairs(house) == []


def test_episodes_private_and_superseded_memories_are_left_out() -> None:
    house = House()
    saved(house, "Alpha", files=("a.py",))
    saved(house, "Beta", files=("a.py",), private=True)
    saved(house, "Gamma", files=("a.py",), status="superseded")
    episode(house, "talk", "It is so.", files="[a.py]")
    assert pairs(house) == []


def test_accepting_relates_both_and_is_undone_as_one() -> None:
    house = House()
    saved(house, "Alpha", files=("a.py",))
    saved(house, "Beta", files=("a.py",))
    before = house.texts()
    store = at(house)
    relating.relate(store, relating.relation_proposals(store))
    assert (related(house, "alpha"), related(house, "beta")) == (("beta",), ("alpha",))
    assert pairs(house) == []
    undoing.undo(at(house))
    assert house.texts() == before


def test_a_memory_that_is_not_there_is_named() -> None:
    with pytest.raises(MemoryNotFound):
        relating.relation_proposals(at(House()), "nobody")
