"""Publish: views are written when they change only; a brief names what it was made of."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from recollect.capture import save_memory as save
from recollect.capture.save_memory import Draft
from recollect.context import brief as briefing
from recollect.context import views as publish
from recollect.context.views import LastFacts
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
    made, paths = briefing.make_brief(told, [], lang="en", budget=budget, nonce="n0nce")
    return made.text, made.ids, paths


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


@pytest.fixture
def last(tmp_path: Path) -> LastFacts:
    """What is known of how the views were last written: nothing yet."""
    return LastFacts(str(tmp_path))


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
    house: House, made: list[object], last: LastFacts
) -> None:
    publish.publish_views(house.open(), last)
    assert publish.publish_views(house.open(), last).written == []
    assert len(made) == 1
    save.save(house.open(), Draft("Use Redis", "It is fast.", kind="decision"))
    assert publish.publish_views(house.open(), last).written
    assert len(made) == 2


@pytest.mark.parametrize("name", ["MEMORY.md", ".index.json", "facts.json"])
def test_a_view_that_somebody_changed_or_took_away_is_made_again(
    house: House, made: list[object], name: str, last: LastFacts
) -> None:
    publish.publish_views(house.open(), last)
    before = house.texts()
    house.files.remove_outside(name)
    assert publish.publish_views(house.open(), last).written == [name]
    house.write(name, before[name] + "\n")
    publish.publish_views(house.open(), last)
    assert len(made) == 3
    if name != "facts.json":  # which is left to whoever edited it, if it says something else
        assert house.texts() == before


def test_views_are_made_again_in_another_language(
    house: House, made: list[object], last: LastFacts
) -> None:
    publish.publish_views(house.open(), last)
    store = house.open()
    store.settings = store.settings._replace(lang="zh")
    assert publish.publish_views(store, last).written == ["MEMORY.md"]
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
    assert "We need JSONB." in text
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
    output = json.loads(briefing.as_hook_output(text))
    assert output["hookSpecificOutput"]["additionalContext"] == text


def test_a_change_is_told_at_once_and_those_of_a_block_once_at_its_end(house: House) -> None:
    store = house.open()
    told: list[list[str]] = []
    store.changed = lambda it: told.append([one.title for one in it.index.entries(Filter())])
    save.save(store, Draft("One", "It is.", kind="fact"))
    save.save(store, Draft("One", "It is.", kind="fact"))  # changes nothing
    assert ["One" in titles for titles in told] == [True]

    def fail_between_changes() -> None:
        with store.one_change(), store.one_change():
            save.save(store, Draft("Two", "It is.", kind="fact"))
            save.save(store, Draft("Three", "It is.", kind="fact"))
            assert len(told) == 1
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_between_changes()
    assert len(told) == 2
    assert {"Two", "Three"} <= set(told[1])
    with store.one_change():
        assert len(told) == 2
    assert len(told) == 2
