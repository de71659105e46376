"""Publish: views are written when they change only; a brief names what it was made of."""

from __future__ import annotations

import json

import pytest

from recollect.capture import intake as save
from recollect.capture.intake import Draft
from recollect.context import brief as publish
from recollect.errors import Locked
from recollect.features import memories as writing
from recollect.model.memory import Filter
from recollect.store.store import OpenStore

from .house import House


@pytest.fixture
def house() -> House:
    house = House()
    house.write("core/project.md", "# Project\n\nA queue of messages.\n")
    save.save(house.open(), Draft("Use PostgreSQL", "We need JSONB.", kind="decision"))
    return house


def brief(stores: list[OpenStore], budget: int = 1500) -> tuple[str, list[str], list[str]]:
    told = [(store, store.index.entries(Filter())) for store in stores]
    return publish.make_brief(told, [], lang="en", budget=budget, nonce="n0nce")


def test_views_are_written_once_and_again_when_something_changed(house: House) -> None:
    assert publish.publish_views(house.open())[0] == ["MEMORY.md", ".index.json", "facts.json"]
    assert publish.publish_views(house.open())[0] == []
    assert "Use PostgreSQL" in house.texts()["MEMORY.md"]
    assert "use-postgresql" in house.texts()[".index.json"]
    assert '"reason": "We need JSONB."' in house.texts()["facts.json"]
    writing.forget(house.open(), "use-postgresql")
    assert publish.publish_views(house.open())[0] == ["MEMORY.md", ".index.json", "facts.json"]
    assert "use-postgresql" not in house.texts()["MEMORY.md"]
    assert "JSONB" not in house.texts()["facts.json"]


class Kept:
    """What is known of how the views were last written: in memory."""

    def __init__(self) -> None:
        self._text, self._next, self._state = "", "", ""

    def text(self) -> str:
        return self._text

    def is_ours(self, text: str) -> bool:
        return text == self._next

    def begin(self, text: str) -> None:
        self._next = text

    def end(self, text: str) -> None:
        self._text = text

    def state(self) -> str:
        return self._state

    def keep_state(self, state: str) -> None:
        self._state = state


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """An item for each time that the views are made."""
    times: list[object] = []
    pages_of = publish.pages_of

    def noted(*given: object) -> dict[str, str]:
        times.append(given)
        return pages_of(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(publish, "pages_of", noted)
    return times


def test_views_are_not_made_while_they_and_what_they_are_made_of_stay_as_they_are(
    house: House, made: list[object]
) -> None:
    kept = Kept()
    publish.publish_views(house.open(), kept)
    assert publish.publish_views(house.open(), kept).written == []
    assert len(made) == 1
    save.save(house.open(), Draft("Use Redis", "It is fast.", kind="decision"))
    assert publish.publish_views(house.open(), kept).written
    assert len(made) == 2


@pytest.mark.parametrize("name", ["MEMORY.md", ".index.json", "facts.json"])
def test_a_view_that_somebody_changed_or_took_away_is_made_again(
    house: House, made: list[object], name: str
) -> None:
    kept = Kept()
    publish.publish_views(house.open(), kept)
    before = house.texts()
    house.files.remove_outside(name)
    assert publish.publish_views(house.open(), kept).written == [name]
    house.write(name, before[name] + "\n")
    publish.publish_views(house.open(), kept)
    assert len(made) == 3
    if name != "facts.json":  # which is left to whoever edited it, if it says something else
        assert house.texts() == before


def test_views_are_made_again_in_another_language(house: House, made: list[object]) -> None:
    kept = Kept()
    publish.publish_views(house.open(), kept)
    store = house.open()
    store.settings = store.settings._replace(lang="zh")
    assert publish.publish_views(store, kept).written == ["MEMORY.md"]
    assert len(made) == 2


def test_reasons_are_found_however_many_decisions_there_are(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publish, "ASKED_AT_ONCE", 2)
    for n in range(4):
        save.save(house.open(), Draft(f"Decision {n}", f"Reason {n}.", kind="decision"))
    publish.publish_views(house.open())
    told = json.loads(house.texts()["facts.json"])["decisions"]
    assert sorted(row["reason"] for row in told) == [
        *(f"Reason {n}." for n in range(4)),
        "We need JSONB.",
    ]


def test_views_are_no_memories(house: House) -> None:
    before = house.open().index.counts()
    publish.publish_views(house.open())
    assert house.open().index.counts() == before


def test_views_are_written_under_the_lock_so_that_who_saw_less_is_never_last(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, quick = house.open("ops-slow"), house.open("ops-quick")
    with house.files.locked(), pytest.raises(Locked):
        publish.publish_views(slow)
    entries = house.index.entries

    def meanwhile(only: object) -> object:
        monkeypatch.undo()
        with pytest.raises(Locked):  # another process has to wait until ours are written
            publish.publish_views(quick)
        return entries(only)  # type: ignore[arg-type]

    monkeypatch.setattr(house.index, "entries", meanwhile)
    assert publish.publish_views(slow)[0] == ["MEMORY.md", ".index.json", "facts.json"]


def test_a_brief_quotes_the_core_and_names_the_files_it_was_made_of(house: House) -> None:
    text, ids, paths = brief([house.open()])
    assert "A queue of messages." in text
    assert "We need JSONB." in text or "Use PostgreSQL" in text
    assert "project" in ids
    assert f"{house.files.root}/core/project.md" in paths
    assert brief([house.open()], budget=0)[0] == ""


def test_a_memory_that_cannot_be_read_is_left_out_of_the_brief(house: House) -> None:
    store = house.open()
    house.files.remove_outside("core/project.md")
    text, _, paths = brief([store])
    assert "A queue of messages." not in text
    assert f"{house.files.root}/core/project.md" not in paths


def test_the_brief_of_an_empty_store_is_nothing() -> None:
    assert brief([House().open()]) == ("", [], [])


def test_a_brief_is_handed_over_as_json() -> None:
    text = 'Say "hi"\n数据\u2028'
    output = json.loads(publish.as_hook_output(text))
    assert output["hookSpecificOutput"]["additionalContext"] == text
