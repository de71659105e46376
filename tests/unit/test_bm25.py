"""BM25: shares and frequencies, and the scores of several shelves as those of one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.search.bm25 import LEAST, Size, Standing, as_one

sizes = st.builds(Size, st.integers(1, 10**6), st.integers(1, 10**8))
lengths = st.integers(1, 5_000)


@given(sizes, st.floats(0.5, 200), lengths)
def test_a_frequency_is_known_by_its_share(size: Size, often: float, length: int) -> None:
    share = size.share(often, length)
    assert 0 < share < 2.2
    assert size.frequency(share, length) == pytest.approx(often, rel=1e-6)


@given(sizes, st.integers(0, 10**6))
def test_a_word_is_worth_less_the_more_sections_have_it(size: Size, count: int) -> None:
    assert size.rarity(count) >= size.rarity(count + 1) >= LEAST


@given(sizes, st.integers(1, 100), lengths, st.floats(0.5, 20))
def test_the_scores_of_one_shelf_stay_as_they_are(
    size: Size, count: int, length: int, rest: float
) -> None:
    part = size.rarity(count) * size.share(2.0, length)
    shelf = Standing(size, {"pool": count, "queue": 9}, {"pool": {1: part}}, {1: length})
    (found,) = as_one([shelf], [{1: part + rest}])
    assert found == {1: pytest.approx(part + rest)}


def test_a_word_that_one_shelf_is_full_of_is_common_on_both() -> None:
    full, other = Size(100, 1_000), Size(100, 1_000)
    shelves = [
        Standing(
            size, {"pool": count}, {"pool": {1: size.rarity(count) * size.share(1, 10)}}, {1: 10}
        )
        for size, count in ((full, 40), (other, 1))
    ]
    own = [shelf.parts["pool"] for shelf in shelves]
    assert own[0][1] < own[1][1]
    one, two = as_one(shelves, own)
    assert one[1] == pytest.approx(two[1]) == pytest.approx(Size(200, 2_000).rarity(41))


def test_what_was_not_taken_apart_is_lowered_as_its_words_are() -> None:
    small, large = Size(10, 100), Size(1_000, 10_000)
    shelves = [Standing(small, {"pool": 1}, {}, {}), Standing(large, {"pool": 500}, {}, {})]
    one, two = as_one(shelves, [{1: 2.0}, {1: 2.0}])
    whole = Size(1_010, 10_100).rarity(501)
    assert one[1] == pytest.approx(2.0 * whole / small.rarity(1))
    assert two[1] == pytest.approx(2.0 * whole / large.rarity(500))
