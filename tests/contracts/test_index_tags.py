"""What an index knows of tags: both indexes say the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fakes import MemoryIndex
from tests.unit.build import NASTY, memory

from recollect.adapters.sqlite.index import SqliteIndex
from recollect.domain.model import Memory, Seen
from recollect.ports import Index, Row


@pytest.fixture(params=["memory", "sqlite"])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Index:
    made: Index = MemoryIndex() if request.param == "memory" else SqliteIndex(str(tmp_path))
    return made


def fill(index: Index, *memories: Memory) -> None:
    rows = [
        Row(Seen(one.path, 1, 1, 1, n), f"s{n}", one) for n, one in enumerate(memories, start=1)
    ]
    index.apply(rows, (), 1)


def test_tags_of_the_same_word_are_known_with_how_often_they_are_used(index: Index) -> None:
    fill(
        index,
        memory(id="a", tags=("scraping", "web")),
        memory(id="b", tags=("scraping",), body="One.\n\n## Two\n\nThree.\n"),
        memory(id="c", tags=("vector-search", "数据库连接池")),
        memory(id="d", path="archive/semantic/d.md", tags=("scraping",)),
    )
    assert index.used_tags(["scraping"]) == {"scraping": 2, "web": 1}
    assert index.used_tags(["scrape"])["scraping"] == 2
    assert index.used_tags(["vector search"])["vector-search"] == 1
    assert index.used_tags(["数据库连接池"])["数据库连接池"] == 1
    assert index.used_tags(["redis"]) == {}
    assert index.used_tags([]) == {}


def test_memories_that_share_two_tags_are_found(index: Index) -> None:
    fill(
        index,
        memory(id="a", tags=("redis", "cache")),
        memory(id="b", tags=("redis", "pool")),
        memory(id="c", tags=("缓存", "redis", "cache"), layer="episodic", path="episodic/c.md"),
        memory(id="d", tags=("redis", "cache"), status="superseded"),
    )

    def ids(*tags: str, layer: str = "semantic") -> list[str]:
        return sorted(entry.id for entry in index.sharing(tags, layer))

    assert ids("redis", "cache", "disk") == ["a"]
    assert ids("pool", "redis") == ["b"]
    assert ids("redis") == ids() == ids("x", "y") == []
    assert ids("缓存", "redis", layer="episodic") == ["c"]


def test_any_text_is_data(index: Index) -> None:
    fill(index, *(memory(id=f"m{n}", tags=(tag, "x")) for n, tag in enumerate(NASTY)))
    for tag in NASTY:
        index.used_tags([tag, 'tags:"x" OR *'])
        index.sharing([tag, "x", '" NEAR('], "semantic")


def test_the_forms_of_a_word_share_a_stem(index: Index) -> None:
    stems = index.stems(["scraping", "scrape", "缓存"])
    assert stems["scraping"].startswith("scrap")
    assert stems["缓存"] == "缓存"
    assert index.stems([]) == {}
