"""What several stores found is weighed as if they were one."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.services.house import House
from tests.unit.build import memory

from recollect.model.memory import Filter, Seen
from recollect.ports import Row
from recollect.search import index_read as bm25
from recollect.search import search as searching
from recollect.search.bm25 import weigh_as_one
from recollect.search.index import SqliteIndex
from recollect.search.rank import Candidate
from recollect.text.tokens import cue_words

Note = tuple[str, str]  # title and body

words = st.sampled_from("pool queue cache index token shard".split())
texts = st.lists(words, min_size=1, max_size=12).map(" ".join)
notes = st.lists(st.tuples(texts, texts), max_size=8)


@contextmanager
def indexes(*stores: Sequence[Note]) -> Iterator[list[SqliteIndex]]:
    """An index for each store; the ids of its notes say in which one, and where."""
    with tempfile.TemporaryDirectory() as folder:
        made = []
        for store, several in enumerate(stores):
            index = SqliteIndex(f"{folder}/{store}-{len(several)}")
            rows = []
            for n, (title, body) in enumerate(several):
                path = f"semantic/n{n}.md"
                one = memory(id=f"n{n}", title=title, body=f"{body}\n", path=path)
                rows.append(Row(Seen(path, 1, 1, 1, n), f"s{n}", one))
            index.apply(rows, (), 1)
            made.append(index)
        yield made
        for index in made:
            index.close()


def searched(several: Sequence[SqliteIndex], cue: str) -> list[list[Candidate]]:
    found = [index.search(cue_words(cue), only=Filter(), limit=40) for index in several]
    stores: list[Any] = [SimpleNamespace(index=index) for index in several]
    weigh_as_one(stores, found, "hot")
    return found


def scores(found: Sequence[Sequence[Candidate]]) -> dict[str, float]:
    """The score of each note by its number, as if those of the second store came behind."""
    return {f"{n}:{one.name}": one.text_score for n, hits in enumerate(found) for one in hits}


@settings(max_examples=30, deadline=None)
@given(notes, notes, st.lists(words, min_size=1, max_size=4, unique=True))
def test_the_scores_over_two_stores_are_those_of_the_same_memories_in_one(
    one: list[Note], other: list[Note], asked: list[str]
) -> None:
    cue = " ".join(asked)
    with indexes(one, other, [*one, *other]) as (first, second, both):
        apart = searched([first, second], cue)
        if not all(apart):
            return
        whole = {
            hit.name: hit.text_score for hit in both.search(cue_words(cue), only=Filter(), limit=40)
        }
    found = {hit.name: hit.text_score for hit in apart[0]}
    found |= {f"n{int(hit.name[1:]) + len(one)}": hit.text_score for hit in apart[1]}
    assert found == pytest.approx(whole)


COMMON = [("The queue", f"A queue of kind k{n}.") for n in range(30)]
RARE = [
    ("The pool", "It is full."),
    ("Of letters", "A queue is mentioned."),
    *[("Else", "Empty.")] * 20,
]


def test_a_word_that_is_rare_in_one_store_does_not_put_that_store_first() -> None:
    with indexes(COMMON, RARE) as several:
        apart = [index.search(["queue"], only=Filter(), limit=40) for index in several]
        assert max(one.text_score for one in apart[0]) < max(one.text_score for one in apart[1])
        found = searched(several, "queue")
    assert max(one.text_score for one in found[0]) > max(one.text_score for one in found[1])


def test_a_search_through_two_stores_weighs_them_as_one(tmp_path: Path) -> None:
    stores = []
    for scope, several in (("project", RARE), ("global", COMMON)):
        house = House()
        house.index = SqliteIndex(str(tmp_path / scope))  # type: ignore[assignment]
        for n, (title, body) in enumerate(several):
            house.write(f"semantic/n{n}.md", f"---\ntitle: {title}\n---\n{body}\n")
        stores.append(house.open(scope=scope))
    hits = searching.search(stores, "queue", Filter(), limit=40)
    places = {hit.candidate.scope: n for n, hit in reversed([*enumerate(hits)])}
    assert places == {"global": 0, "project": 30}


def test_words_that_many_sections_have_are_weighed_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bm25, "MOST_TAKEN_APART", 5)
    with indexes(COMMON, RARE, [*COMMON, *RARE]) as (first, second, both):
        found = searched([first, second], "queue k7 mentioned")
        whole = both.search(cue_words("queue k7 mentioned"), only=Filter(), limit=40)
    order = sorted((one for hits in found for one in hits), key=lambda one: -one.text_score)
    assert [one.text for one in order[:2]] == [one.text for one in whole[:2]]


def test_where_one_store_found_something_nothing_is_asked() -> None:
    with indexes(COMMON, [("Else", "Empty.")]) as several:
        alone = several[0].search(["queue"], only=Filter(), limit=40)
        statements: list[str] = []
        found = [alone, []]
        several[0].connection.set_trace_callback(statements.append)
        weigh_as_one([SimpleNamespace(index=one) for one in several], found, "hot")  # type: ignore[misc]
        several[0].connection.set_trace_callback(None)
    assert statements == []


def test_what_it_costs_does_not_grow_with_the_store() -> None:
    asked = []
    for size in (30, 120):
        many = [("The queue", f"A queue of kind k{n}.") for n in range(size)]
        with indexes(many, RARE) as several:
            statements: list[str] = []
            found = [
                index.search(cue_words("queue k7"), only=Filter(), limit=10) for index in several
            ]
            several[0].connection.set_trace_callback(statements.append)
            weigh_as_one([SimpleNamespace(index=one) for one in several], found, "hot")  # type: ignore[misc]
            several[0].connection.set_trace_callback(None)
        asked.append(len([said for said in statements if not said.startswith("--")]))
    assert asked[0] == asked[1] <= 8
