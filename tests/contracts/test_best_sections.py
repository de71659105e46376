"""The best sections are found without a look at all that have one of the words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.search import index_file as schema
from recollect.search import index_read as best
from recollect.search import lookup
from recollect.search.lookup import sqlite
from recollect.text.tokens import index_terms

VOCABULARY = "pool queue cache index token shard"
LIMIT = 4

words = st.sampled_from(VOCABULARY.split())
texts = st.lists(
    st.tuples(st.sampled_from(["", "", "pool: ", "queue shard: "]), st.lists(words, min_size=1, max_size=6))
    .map(lambda two: two[0] + " ".join(two[1])),
    min_size=1, max_size=30,
)  # fmt: skip


def filled(bodies: Sequence[str]) -> sqlite.Connection:
    """An index with a section for each text; what stands before a colon is its title."""
    db = sqlite.connect(":memory:", isolation_level=None)
    schema.create_tables(db)
    row = "INSERT INTO section VALUES (?, 1, 0, '', '', '', 'fact', '', '', '', 0, '', '', '', '', '', '', 0)"
    for n, body in enumerate(bodies, 1):
        db.execute(row, (n,))
        title, _, rest = body.rpartition(": ")
        put = "INSERT INTO hot_fts(rowid, title, body) VALUES (?, ?, ?)"
        db.execute(put, (n, index_terms(title or "note"), index_terms(rest)))
    return db


def counted(db: sqlite.Connection, asked: Sequence[str]) -> dict[str, int]:
    return lookup.counts_of(db, list(asked))


@contextmanager
def scoring(most: int) -> Iterator[None]:
    """So many sections are few enough to score them all; no more are scored or looked at at once.

    A word that twice as many have is too common to be counted.
    """
    names = "FEW", "MOST_SCORED", "MOST_LOOKED", "TOO_COMMON"
    before = [getattr(best, name) for name in names]
    best.FEW = best.MOST_SCORED = best.MOST_LOOKED = most
    best.TOO_COMMON = 2 * most
    try:
        yield
    finally:
        for name, value in zip(names, before, strict=True):
            setattr(best, name, value)


def whole_search(db: sqlite.Connection, counts: dict[str, int]) -> dict[int, float]:
    """The score of every section that has one of the words."""
    known = [word for word, count in counts.items() if count]
    return best.Partition(db, "hot").asked(lookup.match(known), -1) if known else {}


@given(texts, st.lists(words, min_size=1, unique=True), st.integers(1, 12))
def test_no_section_gets_more_than_a_search_of_all_gives_it(
    bodies: list[str], asked: list[str], most: int
) -> None:
    db = filled(bodies)
    counts = counted(db, asked)
    whole = whole_search(db, counts)
    with scoring(most):
        found = best.best(best.Partition(db, "hot"), counts, LIMIT)
    assert set(found) <= set(whole)
    assert all(score <= whole[n] + 1e-9 for n, score in found.items())
    assert list(found.values()) == sorted(found.values(), reverse=True)
    if sum(counts.values()) <= most:
        assert list(found.values()) == pytest.approx(list(whole.values())[:LIMIT])


@given(texts, st.lists(words, min_size=1, unique=True), st.integers(1, 12))
def test_as_many_are_found_as_are_asked_for_or_all_that_there_are(
    bodies: list[str], asked: list[str], most: int
) -> None:
    db = filled(bodies)
    counts = counted(db, asked)
    with scoring(most):
        found = best.best(best.Partition(db, "hot"), counts, LIMIT)
    assert len(found) == min(LIMIT, len(whole_search(db, counts)))


def steps_of(db: sqlite.Connection, ask: Callable[[], object]) -> int:
    """How many steps SQLite takes to answer, in tens."""
    taken = [0]

    def count() -> int:
        taken[0] += 1
        return 0

    db.set_progress_handler(count, 10)
    ask()
    db.set_progress_handler(None, 10)
    return taken[0]


def test_a_larger_store_does_not_make_it_score_more() -> None:
    steps = []
    for size in (400, 1_600):
        db = filled([f"pool {'queue' if n % 2 else 'cache'} w{n}" for n in range(size)])
        counts = counted(db, ["pool", "queue", "w7"])
        ask = partial(best.best, best.Partition(db, "hot"), counts, LIMIT)
        with scoring(50):
            steps.append(steps_of(db, ask))
    assert steps[1] < steps[0] * 1.5  # to score all of them would take four times as many


def test_a_rare_word_is_found_among_common_ones_and_scored_by_all() -> None:
    bodies = [f"pool queue w{n}" for n in range(300)]
    bodies[11], bodies[12] = "rare pool", "rare shard"
    db = filled(bodies)
    counts = counted(db, ["rare", "pool", "queue"])
    with scoring(20):
        found = best.best(best.Partition(db, "hot"), counts, 10)
    whole = whole_search(db, counts)
    assert list(found)[:2] == [12, 13]
    assert found[12] == pytest.approx(whole[12])
    assert len(found) == 10  # where the rare ones are not enough, the newest of the others
    assert set(list(found)[2:]) <= set(range(280, 301))


def test_a_question_of_more_words_than_steps_finds_as_many_as_are_asked_for() -> None:
    db = filled(VOCABULARY.split())
    with scoring(1):
        found = best.best(best.Partition(db, "hot"), counted(db, VOCABULARY.split()), 5)
    assert len(found) == 5


def test_what_is_too_common_is_looked_for_in_the_newest_and_never_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bodies = [f"pool queue w{n}" for n in range(300)]
    bodies[290:292] = ["pool pool and a great many other words", "pool queue"]
    db = filled(bodies)
    db.execute("INSERT INTO hot_fts(rowid, title, body) VALUES (301, 'pool', 'queu')")
    db.execute(
        "INSERT INTO section SELECT 301, 1, 0, '', '', '', '', '', '', '', 0, '', '', '', '', '', '', 0"
    )
    queries = []
    asked = best.Partition.asked

    def noted(self: best.Partition, query: str, *rest: Any) -> dict[int, float]:
        queries.append(query)
        return asked(self, query, *rest)

    monkeypatch.setattr(best.Partition, "asked", noted)
    counts = counted(db, ["pool", "queue"])
    with scoring(40):
        found = best.best(best.Partition(db, "hot"), counts, LIMIT)
    assert queries == []
    assert list(found)[:2] == [301, 292]  # in the title; shorter than the others
    assert set(found) <= set(range(261, 302))
    whole = best.Partition(db, "hot").asked(lookup.match(["pool", "queue"]), -1)
    assert found[292] == pytest.approx(whole[292])
    assert found[301] <= whole[301]


def kinds(size: int) -> sqlite.Connection:
    """A large shelf where one of ten sections is a rule, and three are pointers."""
    db = filled([f"pool {'queue' if n % 2 else 'cache'} w{n}" for n in range(size)])
    fields = ", ".join(["''"] * 19)
    db.execute(f"INSERT INTO memory VALUES (1, 'p', 'i', 0, {fields}, 0, 0, '', '', '', 0, 0, '')")
    db.execute("UPDATE section SET kind = 'rule' WHERE n % 10 = 0")
    db.execute("UPDATE section SET kind = 'pointer' WHERE n IN (5, 55, 155)")
    return db


@pytest.mark.sampled(1)
@pytest.mark.parametrize("asked", [["pool"], ["queue", "w7"], ["pool", "cache", "queue"]])
@pytest.mark.parametrize("common", [5, 1_000_000])
def test_a_filter_is_not_tried_on_more_sections_of_a_larger_store(
    asked: list[str], common: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = []
    for size in (800, 3_200):
        db = kinds(size)
        counts = counted(db, asked)
        rules = best.Partition(db, "hot", "s.kind = ?", ["rule"])
        with scoring(100):
            monkeypatch.setattr(best, "TOO_COMMON", common)
            steps.append(steps_of(db, partial(best.best, rules, counts, LIMIT)))
            pointers = best.Partition(db, "hot", "s.kind = ?", ["pointer"])
            found = best.best(pointers, counts, LIMIT)
            assert set(found) == set(pointers.asked(lookup.match(asked), 9))
    assert steps[1] < steps[0] * 1.5


def test_what_does_not_pass_takes_no_place() -> None:
    db = filled(["pool queue"] * 300)
    fields = ", ".join(["''"] * 19)
    db.execute(f"INSERT INTO memory VALUES (1, 'p', 'i', 0, {fields}, 0, 0, '', '', '', 0, 0, '')")
    db.execute("UPDATE section SET kind = 'rule' WHERE n % 100 = 0")
    rules = best.Partition(db, "hot", "s.kind = ?", ["rule"])
    with scoring(20):
        found = best.best(rules, counted(db, ["pool", "queue"]), 10)
    assert set(found) == {100, 200, 300}
