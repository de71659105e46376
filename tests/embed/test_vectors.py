"""Vectors of sections: as disposable as the index, and never of anything but what is there."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from tests.contracts.index import page, row
from tests.fakes.embedder import WordEmbedder

from recollect.model.memory import Filter
from recollect.search.index import SqliteIndex
from recollect.search.vectors import count_wrong_signs, fill

CLOCK = page("Clock drifts in the cold", "It is slow.\n\n## Why\n\nThe crystal.")
STORE = page("Use postgres for events", "They come in.")
TALK = "# Raw\n\n### Ann [10:00:00]\n\nthe clock drifts\n\n---\n\n### Ben [10:00:05]\n\nbuy blue buttons\n"


@pytest.fixture
def index(tmp_path: Path) -> SqliteIndex:
    made = SqliteIndex(str(tmp_path))
    put(made, {"semantic/clock.md": CLOCK, "semantic/store.md": STORE})
    return made


def put(index: SqliteIndex, files: dict[str, str], *gone: str) -> None:
    index.apply([row(path, text) for path, text in files.items()], gone, 1)


def filled(index: SqliteIndex, embedder: WordEmbedder) -> int:
    return fill(index, embedder, lambda: True)


def nearest(index: SqliteIndex, cue: str, shelf: str = "hot") -> list[str]:
    embedder = WordEmbedder()
    near = index.vectors.near(embedder.identity, embedder.cue(cue), shelf, 10)
    if near is None:
        return []
    named = index.of_sections(
        [n for n, cosine in near.best if cosine > 0], only=Filter(), shelf=shelf
    )
    return [one.name for one in named]


def test_what_means_the_same_is_near_without_a_common_word(index: SqliteIndex) -> None:
    assert filled(index, WordEmbedder()) == 3
    assert nearest(index, "winter time")[0].startswith("clock")


def test_only_what_is_new_or_changed_is_told_to_the_model(index: SqliteIndex) -> None:
    filled(index, WordEmbedder())
    put(index, {"semantic/clock.md": CLOCK.replace("crystal", "battery")})
    second = WordEmbedder()
    assert filled(index, second) == 1
    assert "battery" in second.told[0].text
    assert filled(index, WordEmbedder()) == 0


def test_a_memory_that_goes_takes_its_vectors_along(index: SqliteIndex) -> None:
    filled(index, WordEmbedder())
    put(index, {}, "semantic/clock.md")
    for table in ("vector", "piece"):
        assert index.connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] == 1
    assert not [name for name in nearest(index, "clock") if "clock" in name]


def test_of_a_forgotten_memory_nothing_stays_in_the_file(index: SqliteIndex) -> None:
    filled(index, WordEmbedder())
    rows = index.connection.execute("SELECT key FROM vector").fetchall()
    put(index, {}, "semantic/clock.md", "semantic/store.md")
    index.purge()
    data = Path(index.path).read_bytes()
    assert not [key for (key,) in rows if key in data]


def test_another_embedder_begins_anew(index: SqliteIndex) -> None:
    filled(index, WordEmbedder("words/1"))
    other = WordEmbedder("words/2")
    assert index.vectors.counts("words/2") == (0, 3)
    assert index.vectors.near("words/2", other.cue("clock"), "hot", 5) is None
    assert filled(index, other) == 3
    assert index.vectors.near("words/1", other.cue("clock"), "hot", 5) is None
    assert index.vectors.counts("words/2") == (3, 3)


def test_a_section_that_changed_meanwhile_gets_no_vector_of_its_old_text(
    index: SqliteIndex,
) -> None:
    embedder = WordEmbedder()
    missing = index.vectors.missing(embedder.identity, 10)
    put(index, {"semantic/clock.md": STORE}, "semantic/store.md")
    made = [(one, embedder.cue(one.passage.text)) for one in missing]
    assert index.vectors.put(embedder.identity, made) == 0


def test_turns_of_a_conversation_are_told_with_those_beside_them(index: SqliteIndex) -> None:
    put(index, {"episodic/talk/summary.md": STORE, "episodic/talk/conversation.md": TALK})
    embedder = WordEmbedder()
    filled(index, embedder)
    [ben] = [one for one in embedder.told if one.text.startswith("Ben")]
    assert (ben.text, ben.before) == ("Ben: buy blue buttons", "Ann: the clock drifts")
    assert [name.partition("#")[2] for name in nearest(index, "blue", "raw")] == ["turn-2"]


def test_what_is_found_by_meaning_passes_the_filter(index: SqliteIndex) -> None:
    filled(index, WordEmbedder())
    near = index.vectors.near("words/1", WordEmbedder().cue("clock events"), "hot", 10)
    assert near
    numbers = [n for n, _ in near.best]
    found = index.of_sections(numbers, only=Filter(kind="decision"), shelf="hot")
    assert found == []


def test_a_search_that_goes_on_sees_vectors_that_came_since(index: SqliteIndex) -> None:
    filled(index, WordEmbedder())
    assert nearest(index, "buttons") == []
    put(index, {"semantic/blue.md": page("Blue buttons", "The design says so.")})
    filled(index, WordEmbedder())
    assert len(nearest(index, "buttons")) == 1


def test_who_is_stopped_goes_on_where_it_was(index: SqliteIndex) -> None:
    steps = iter([True, False])
    fill(index, WordEmbedder(), lambda: next(steps))
    first, total = index.vectors.counts("words/1")
    assert 0 < first <= total
    filled(index, WordEmbedder())
    assert index.vectors.counts("words/1") == (total, total)


def test_the_index_finds_vectors_of_nothing(index: SqliteIndex) -> None:
    index.connection.execute("INSERT INTO vector VALUES (999, x'00', x'00')")
    index.connection.execute("INSERT INTO piece VALUES (998, x'00')")
    assert index.differences() == ["vectors of no section: 2"]


def test_the_index_finds_vectors_that_no_search_would_come_by(index: SqliteIndex) -> None:
    filled(index, WordEmbedder())
    assert index.differences() == []
    index.connection.execute("UPDATE vector SET vector = zeroblob(length(vector)) WHERE n = 1")
    assert index.differences() == ["vectors missing from the sign table: 1"]
    index.connection.execute("DELETE FROM sign")
    assert index.differences() == ["vectors missing from the sign table: 3"]


def test_whatever_changes_each_vector_is_filed_by_its_signs(index: SqliteIndex) -> None:
    dice = Random(7)
    for _ in range(20):
        name, sections = dice.choice(["clock", "store", "talk"]), dice.randrange(4)
        text = "".join(f"\n## Section {n}\n\nThe {name} drifts.\n" for n in range(sections))
        path = f"semantic/{name}.md"
        put(index, {path: page(f"The {name}", text)} if sections else {}, path)
        assert count_wrong_signs(index.connection) == 0
        if dice.random() < 0.6:
            filled(index, WordEmbedder())
            assert count_wrong_signs(index.connection) == 0
    assert index.differences() == []


def test_of_a_conversation_that_grows_only_what_stands_beside_is_told_again(
    index: SqliteIndex,
) -> None:
    grown = TALK + "\n---\n\n### Ann [10:00:09]\n\nin winter\n"
    put(index, {"episodic/talk/conversation.md": TALK})
    filled(index, WordEmbedder())
    put(index, {"episodic/talk/conversation.md": grown})
    embedder = WordEmbedder()
    assert filled(index, embedder) == 2
    assert [one.text for one in embedder.told] == ["Ben: buy blue buttons", "Ann: in winter"]
