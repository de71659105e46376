"""What an index knows of tags: both indexes say the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fakes import MemoryIndex
from tests.unit.build import NASTY, memory

from recollect.model.memory import FileStat, Filter, Memory
from recollect.ports import IndexRow
from recollect.search.index import SqliteIndex


@pytest.fixture(params=["memory", "sqlite"])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> SqliteIndex:
    made: SqliteIndex = MemoryIndex() if request.param == "memory" else SqliteIndex(str(tmp_path))
    return made


def fill(index: SqliteIndex, *memories: Memory) -> None:
    rows = [
        IndexRow(FileStat(one.path, 1, 1, 1, n), f"s{n}", one)
        for n, one in enumerate(memories, start=1)
    ]
    index.apply(rows, (), 1)


def test_a_filter_finds_a_tag_in_whatever_form_it_was_written(index: SqliteIndex) -> None:
    fill(
        index,
        memory(id="a", tags=("scraping", "C++")),
        memory(id="b", tags=("Scrapers",)),
        memory(id="c", tags=("automerge-repo", "数据库连接池")),
        memory(id="d", path="archive/semantic/d.md", tags=("scraper",)),
    )

    def ids(tag: str, *, archived: bool = False) -> list[str]:
        found = index.entries(Filter(tags=(tag,), archived=archived))
        return sorted(entry.id for entry in found)

    assert ids("scraper") == ids("SCRAPING") == ids("scrape") == ["a", "b"]
    assert ids("scraping", archived=True) == ["d"]
    assert ids("automerge") == ids("automerge-repo") == ids("automerge repo") == ["c"]
    assert ids("数据库连接池") == ["c"]
    assert ids("c++") == ["a"]
    assert ids("redis") == []


def test_memories_that_share_two_tags_are_found(index: SqliteIndex) -> None:
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


@pytest.mark.sampled(1)
def test_any_text_is_data(index: SqliteIndex) -> None:
    fill(index, *(memory(id=f"m{n}", tags=(tag, "x")) for n, tag in enumerate(NASTY)))
    for tag in NASTY:
        index.entries(Filter(tags=(tag, 'tags:"x" OR *')))
        index.sharing([tag, "x", '" NEAR('], "semantic")
