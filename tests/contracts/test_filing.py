"""Filing: many memories at once are filed as each alone would be."""

from __future__ import annotations

import gc
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from tests.unit.build import NASTY, any_text

from recollect.search import index_write as filing
from recollect.search import lookup
from recollect.search.index import SqliteIndex
from recollect.search.index_read import ENTRY_FIELDS
from recollect.text.tokens import folded, index_terms

from .index import Files, page, row

COUNT = 60
SAID = (
    "The cache is cold after a deploy.", "数据库连接超时，需要重新配置缓存。", "`useCallback` and SQLITE_BUSY",
    "naïve café, ＦＵＬＬ width", "- [ ] scripts/counter.js", "<!-- trust: agent -->\nRetry on C++ errors.", *(text for text in NASTY if text != "\ud83d"),
)  # fmt: skip


def written(seed: int) -> Files:
    """Memories in both languages, with code; some claim one id, some lie beside their conversation."""
    rng = random.Random(seed)
    files: Files = {}
    for n in range(COUNT):
        body = "\n\n".join(
            f"## {rng.choice(['Decisions', '问题', 'Solution: busy'])}\n\n{text}" if rng.random() < 0.4 else text
            for text in rng.choices(SAID, k=rng.randint(1, 5))
        )  # fmt: skip
        folder = rng.choice(["semantic", "archive/semantic", "procedural/patterns"])
        fields = {"id": "same"} if n % 7 == 0 else {"tags": "[数据库, a-b]"} if n % 2 else {}
        files[f"{folder}/n{n}.md"] = page(f"{rng.choice(SAID)[:20]} {n}", body, **fields)
        if n % 5 == 0:
            said = "".join(f"### User [10:0{k}]\n\n{rng.choice(SAID)}\n\n" for k in range(3))
            files[f"episodic/day-{n}/conversation.md"] = said
            files[f"episodic/day-{n}/summary.md"] = page(f"Day {n}", body, **fields)
    return dict(sorted(files.items()))


def told(index: SqliteIndex) -> object:
    """Everything that the tables say, with the place of every word, but the numbers of the rows."""
    db = index._db
    places = []
    for shelf in lookup.SHELVES:
        db.execute(
            f"CREATE VIRTUAL TABLE temp.{shelf}_at USING fts5vocab(main, {shelf}_fts, instance)"
        )
        asked = (
            f"SELECT m.path, s.anchor, w.term, w.col, w.offset FROM {shelf}_at w "
            "JOIN section s ON s.n = w.doc JOIN memory m ON m.n = s.memory"
        )
        places.append(sorted(db.execute(asked)))
    section = ", ".join(f"s.{name}" for name in filing.SECTION_FIELDS.split(", "))
    joined = "section s JOIN memory m ON m.n = s.memory"
    rows = (
        f"SELECT shelf, day, {ENTRY_FIELDS}, sum FROM memory ORDER BY path",
        f"SELECT m.path, {section} FROM {joined} ORDER BY m.path, s.n",
        "SELECT * FROM file ORDER BY path",
        "SELECT * FROM meta WHERE key <> 'counted' ORDER BY key",  # that says when, not what
        "SELECT shelf, term FROM listed ORDER BY shelf, term",
    )
    return [*places, *(db.execute(asked).fetchall() for asked in rows)]


@pytest.fixture
def one_by_one(tmp_path: Path) -> Iterator[SqliteIndex]:
    index = SqliteIndex(str(tmp_path / "one-by-one"))
    files = list(written(1).items())
    random.Random(2).shuffle(files)
    for path, text in files:
        index.apply([row(path, text)], [], 1)
    yield index
    index.close()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("batch", [1, 3, 500])
def test_what_is_filed_together_is_filed_as_each_alone(
    one_by_one: SqliteIndex, tmp_path: Path, batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filing, "BATCH", batch)
    index = SqliteIndex(str(tmp_path / "together"))
    index.apply([row(path, text) for path, text in written(1).items()], [], 1)
    assert index.differences() == []
    assert told(index) == told(one_by_one)
    index.close()


def test_an_index_that_is_made_at_once_is_in_one_part(tmp_path: Path) -> None:
    index = SqliteIndex(str(tmp_path / "cache"))
    index.apply([], [], 1)
    for shelf in lookup.SHELVES:  # so small that a part is full after a few sections
        index._db.execute(f"INSERT INTO {shelf}_fts({shelf}_fts, rank) VALUES ('hashsize', 500)")
    index.apply([row(path, text) for path, text in written(1).items()], [], 2)
    for shelf in lookup.SHELVES:
        parts = index._db.execute(f"SELECT count(DISTINCT segid) FROM {shelf}_fts_idx").fetchone()
        assert parts == (1,)
    index.close()


def test_the_sections_are_counted_whatever_comes_and_goes(one_by_one: SqliteIndex) -> None:
    files = written(1)
    others = [row(path, text + "\n## One more\n\nsection\n") for path, text in files.items()]
    one_by_one.apply(others[::2], list(files)[1::4], 2)
    assert one_by_one.differences() == []
    one_by_one.apply([], list(files), 3)
    assert one_by_one.differences() == []
    assert one_by_one.counts()["sections"] == 0
    assert lookup.total_sections(one_by_one._db) == 0


@pytest.mark.slow
def test_nothing_is_left_to_the_collector(tmp_path: Path) -> None:
    files = written(1) | {f"semantic/{n}.md": f"---\na: {{b\nc: {n}\n---\n" for n in range(5)}
    index = SqliteIndex(str(tmp_path / "cache"))
    gc.collect()
    gc.disable()
    try:
        index.apply((row(path, text) for path, text in files.items()), [], 1)
        assert gc.collect() == 0
    finally:
        gc.enable()
    index.close()


@given(any_text)
def test_the_words_of_a_chunk_are_those_that_the_text_has(text: str) -> None:
    cuts = filing.Terms()
    for _ in range(2):
        assert " ".join(cuts[chunk] for chunk in folded(text).split()) == index_terms(text)


def test_the_words_that_are_kept_have_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filing, "MOST_CACHED", 10)
    cuts = filing.Terms()
    for n in range(100):
        assert cuts[f"word{n}"].startswith(f"word{n}")
        assert cuts["x" * 40] == "x" * 40
        assert len(cuts) <= 10


@pytest.mark.sampled(1)
@pytest.mark.parametrize("folder", ["semantic", "archive/semantic", "episodic/day"])
def test_every_word_is_listed_in_whatever_order_things_come_and_go(
    tmp_path: Path, folder: str
) -> None:
    index = SqliteIndex(str(tmp_path))
    name = "conversation" if folder.startswith("episodic") else "n"

    def put(n: int, text: str) -> str:
        path = f"{folder}{n}/{name}.md"
        index.apply([row(path, text)], [], 1)
        assert index.differences() == []
        return path

    for n, said in enumerate(SAID):
        put(n, f"# {n}\n\n{said}\n")
    put(50, "# Odd\n\nquokka\u19bdwombat is a word here, and two for SQLite\n")
    paths = [*index.known()]
    index.apply([], paths, 2)
    assert index.differences() == []
    put(60, "# Begun anew\n\nwith other words\n")
    index.close()


def test_words_are_not_listed_anew_for_what_recall_does_not_look_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = SqliteIndex(str(tmp_path))
    index.apply([row("archive/semantic/a.md", "# A\n\nwords\n")], [], 1)
    monkeypatch.setattr(filing, "list_words", lambda _: pytest.fail("listed anew"))
    index.apply([row("archive/semantic/b.md", "# B\n\nother words\n")], [], 1)
    index.close()
