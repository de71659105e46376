"""Saving: the tags that are written, and the memory that a fact can be added to."""

from __future__ import annotations

import re

import pytest

from recollect.capture.save_memory import Draft, save
from recollect.errors import MemoryNotFound, UsageProblem
from recollect.model.document import memory_from_text
from recollect.model.memory import Filter
from recollect.store import history as undoing
from recollect.text.tokens import cue_words

from .house import House

FACTS = "semantic/redis-cache.md"


def facts(house: House, front: str = "", tags: str = "redis, cache") -> None:
    house.write(FACTS, f"---\nkind: fact\ntags: [{tags}]\n{front}---\n# Redis\n\nPort is 6379.\n")


def tags_in(house: House, path: str) -> tuple[str, ...]:
    return memory_from_text(house.texts()[path], path).tags


def test_tags_stay_as_they_were_written() -> None:
    house = House()
    facts(house, tags="migrated, vector-search, scraping")
    given = ("migration", "vector search", "scraper", "Tests", "ｒｅｄｉｓ")
    done = save(house.open(), Draft("It holds", kind="decision", tags=given))
    assert tags_in(house, done.path) == given


def test_chinese_and_wide_tags_are_one_with_what_is_there() -> None:
    house = House()
    facts(house, tags="缓存, Redis")
    done = save(house.open(), Draft("连接池大小为 10", tags=("ｒｅｄｉｓ", "缓存"), kind="fact"))
    assert tags_in(house, done.path) == ("ｒｅｄｉｓ", "缓存")
    assert (done.advice.near, done.advice.common) == ("redis-cache", ("ｒｅｄｉｓ", "缓存"))


def test_a_fact_is_told_of_the_memory_that_has_two_of_its_tags() -> None:
    house = House()
    facts(house)
    done = save(house.open(), Draft("Pool size is 10", tags=("redis", "cache", "pool")))
    assert (done.advice.near, done.advice.common) == ("redis-cache", ("redis", "cache"))
    other = save(house.open(), Draft("Disk is big", tags=("redis", "disk")))
    assert other.advice.near == ""


@pytest.mark.parametrize("front", ["private: true\n", "status: superseded\n"])
def test_a_memory_that_may_not_take_it_is_not_named(front: str) -> None:
    house = House()
    facts(house, front)
    assert save(house.open(), Draft("Pool size is 10", tags=("redis", "cache"))).advice.near == ""


def test_what_is_added_is_a_section_and_can_be_undone() -> None:
    house = House()
    facts(house)
    before = house.texts()[FACTS]
    done = save(house.open(), Draft("Pool size", "It is 10.", tags=("pool",), into="redis-cache"))
    assert done.id == "redis-cache#pool-size"
    assert re.search(
        r"Port is 6379\.\n\n## Pool size \^x94i \[\^(\w+)\]\n\nIt is 10\.\n\n\[\^\1\]: .+ said by the person\n$",
        house.texts()[FACTS],
    )
    assert tags_in(house, FACTS) == ("redis", "cache", "pool")
    again = save(house.open(), Draft("pool SIZE", "It is 10.", into="redis-cache"))
    assert again.what == "unchanged"
    undoing.undo(house.open())
    assert house.texts()[FACTS] == before


def test_what_an_agent_adds_to_a_person_s_memory_says_so_in_its_section() -> None:
    house = House()
    facts(house, "trust: user\n")
    draft = Draft("Pool size", "It is 10.", tags=("pool",), into="redis-cache", trust="agent")
    save(house.open(), draft)
    assert re.search(
        r"## Pool size \^\w+ \[\^(\w+)\]\n\nIt is 10\.\n\n\[\^\1\]: [\d-]+, noted by the agent\n",
        house.texts()[FACTS],
    )
    assert tags_in(house, FACTS) == ("redis", "cache")
    found = house.open().index.search(cue_words("pool size"), only=Filter(), limit=3)
    assert {one.trust for one in found if one.anchor == "pool-size"} == {"agent"}


def test_nothing_is_added_to_what_is_not_there_or_archived() -> None:
    house = House()
    facts(house)
    with pytest.raises(MemoryNotFound):
        save(house.open(), Draft("Pool size", into="../../outside"))
    house.write(f"archive/{FACTS}", house.texts()[FACTS].replace("kind", "id: cold\nkind"))
    with pytest.raises(UsageProblem):
        save(house.open(), Draft("Pool size", into="cold"))


def test_only_a_person_adds_to_what_is_in_every_brief() -> None:
    house = House()
    house.write("core/project.md", "# The project\n\nIt sells tea.\n")
    with pytest.raises(UsageProblem):
        save(house.open(), Draft("Obey", "Always.", into="project", trust="agent"))
    save(house.open(), Draft("Pots", "They are red.", into="project"))
    assert house.texts()["core/project.md"].endswith("## Pots\n\nThey are red.\n")


@pytest.mark.parametrize(
    ("draft", "warnings"),
    [
        (Draft("T", "x" * 2001, conversation="said"), ("long-summary",)),
        (Draft("T", "字" * 2001, kind="conversation"), ("long-summary",)),
        (Draft("T", "x" * 2000, conversation="said", tags=tuple("abcdefgh")), ()),
        (Draft("T", "x", conversation="said", tags=tuple("abcdefghi")), ("many-keywords",)),
        (Draft("T", "x" * 9999, kind="fact", tags=tuple("abcdef")), ()),
        (Draft("T", "x", kind="fact", tags=tuple("abcdefg")), ("many-tags",)),
    ],
)
def test_too_much_is_warned_of_and_saved(draft: Draft, warnings: tuple[str, ...]) -> None:
    house = House()
    done = save(house.open(), draft)
    assert done.advice.warnings == warnings
    assert draft.body in house.texts()[done.path]
