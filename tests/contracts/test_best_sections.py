"""The best sections are found without a look at all that have one of the words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.adapters.sqlite import best, lookup, schema
from recollect.adapters.sqlite.engine import sqlite

VOCABULARY = "pool queue cache index token shard"
LIMIT = 4

words = st.sampled_from(VOCABULARY.split())
texts = st.lists(st.lists(words, min_size=1, max_size=6).map(" ".join), min_size=1, max_size=30)


def filled(bodies: Sequence[str]) -> sqlite.Connection:
    """An index with a section for each text."""
    db = sqlite.connect(":memory:", isolation_level=None)
    schema.create(db)
    row = "INSERT INTO section VALUES (?, 1, 0, '', '', '', 'fact', '', '', '', 0, '')"
    for n, body in enumerate(bodies, 1):
        db.execute(row, (n,))
        db.execute("INSERT INTO hot_fts(rowid, title, body) VALUES (?, 'note', ?)", (n, body))
    return db


def counted(db: sqlite.Connection, asked: Sequence[str]) -> dict[str, int]:
    return lookup.counts_of(db, lookup.stems(list(asked)))


@contextmanager
def scoring(most: int) -> Iterator[None]:
    """So many sections are few enough to score them all, and no more are scored at once."""
    before = best.FEW, best.MOST_SCORED
    best.FEW = best.MOST_SCORED = most
    try:
        yield
    finally:
        best.FEW, best.MOST_SCORED = before


def whole_search(db: sqlite.Connection, counts: dict[str, int]) -> dict[int, float]:
    """The score of every section that has one of the words."""
    known = [word for word, count in counts.items() if count]
    return best.Shelf(db, "hot").asked(lookup.match(known), -1) if known else {}


@given(texts, st.lists(words, min_size=1, unique=True), st.integers(1, 12))
def test_no_section_gets_more_than_a_search_of_all_gives_it(
    bodies: list[str], asked: list[str], most: int
) -> None:
    db = filled(bodies)
    counts = counted(db, asked)
    whole = whole_search(db, counts)
    with scoring(most):
        found = best.best(best.Shelf(db, "hot"), counts, LIMIT)
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
        found = best.best(best.Shelf(db, "hot"), counts, LIMIT)
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
        ask = partial(best.best, best.Shelf(db, "hot"), counts, LIMIT)
        with scoring(50):
            steps.append(steps_of(db, ask))
    assert steps[1] < steps[0] * 1.5  # to score all of them would take four times as many


def test_a_rare_word_is_found_among_common_ones_and_scored_by_all() -> None:
    bodies = [f"pool queue w{n}" for n in range(300)]
    bodies[11], bodies[12] = "rare pool", "rare shard"
    db = filled(bodies)
    counts = counted(db, ["rare", "pool", "queue"])
    with scoring(20):
        found = best.best(best.Shelf(db, "hot"), counts, 10)
    whole = whole_search(db, counts)
    assert list(found)[:2] == [12, 13]
    assert found[12] == pytest.approx(whole[12])
    assert len(found) == 10  # where the rare ones are not enough, the newest of the others
    assert set(list(found)[2:]) <= set(range(280, 301))


def test_a_question_of_more_words_than_steps_finds_as_many_as_are_asked_for() -> None:
    db = filled(VOCABULARY.split())
    with scoring(1):
        found = best.best(best.Shelf(db, "hot"), counted(db, VOCABULARY.split()), 5)
    assert len(found) == 5


def test_what_does_not_pass_takes_no_place() -> None:
    db = filled(["pool queue"] * 300)
    fields = ", ".join(["''"] * 20)
    db.execute(f"INSERT INTO memory VALUES (1, 'p', 'i', 0, {fields}, 0, 0, '', '', '', 0, 0)")
    db.execute("UPDATE section SET kind = 'rule' WHERE n % 100 = 0")
    rules = best.Shelf(db, "hot", "s.kind = ?", ["rule"])
    with scoring(20):
        found = best.best(rules, counted(db, ["pool", "queue"]), 10)
    assert set(found) == {100, 200, 300}
