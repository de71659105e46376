"""Indexes: the one of SQLite and the one in memory keep the same contract."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.fakes import MemoryIndex

from recollect.search import index_write as filing
from recollect.search import lookup
from recollect.search.index import SqliteIndex
from recollect.search.index_read import ENTRY_FIELDS

from .index import IndexContract


class TestMemoryIndex(IndexContract):
    @pytest.fixture
    def index(self) -> MemoryIndex:
        return MemoryIndex()

    @pytest.fixture
    def fresh(self) -> Callable[[], MemoryIndex]:
        return MemoryIndex


class TestSqliteIndex(IndexContract):
    def dump(self, index: SqliteIndex) -> object:
        assert isinstance(index, SqliteIndex)
        words = " UNION ALL ".join(f"SELECT '{s}', * FROM {s}_words" for s in lookup.SHELVES)
        memory = f"m.shelf, m.day, {ENTRY_FIELDS}"
        section = ", ".join(f"s.{name}" for name in filing.SECTION_FIELDS.split(", "))
        joined = "section s JOIN memory m ON m.n = s.memory"
        rows = (
            f"SELECT {memory} FROM memory m ORDER BY path",
            f"SELECT m.path, {section} FROM {joined} ORDER BY m.path, s.n",
            f"{words} ORDER BY 1, 2",
        )
        return [index._db.execute(sql).fetchall() for sql in rows]

    @pytest.fixture
    def index(self, fresh: Callable[[], SqliteIndex]) -> SqliteIndex:
        return fresh()

    @pytest.fixture
    def fresh(self, tmp_path: Path) -> Callable[[], SqliteIndex]:
        made: list[SqliteIndex] = []

        def make() -> SqliteIndex:
            made.append(SqliteIndex(str(tmp_path / f"cache-{len(made)}")))
            return made[-1]

        return make
