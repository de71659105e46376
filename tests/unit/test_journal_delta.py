"""A text by its difference from another: it comes back, and a small change stays small."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.store.journal_lines import apply_delta, delta_between, delta_size

LINES = st.lists(
    st.sampled_from(["", "a", "## Title", "A line of a reasonable length, to be kept."])
)
TEXTS = st.text(st.characters(codec=None), max_size=200) | LINES.map("\n".join)


@given(old=TEXTS, new=TEXTS)
def test_the_text_comes_back_from_the_one_before(old: str, new: str) -> None:
    assert apply_delta(old, delta_between(old, new)) == new


@given(
    lines=st.lists(st.uuids().map(str), min_size=20, max_size=60, unique=True),
    at=st.lists(st.integers(0, 19), min_size=1, max_size=3),
)
def test_lines_put_in_anywhere_cost_what_they_say_and_little_more(
    lines: list[str], at: list[int]
) -> None:
    new = list(lines)
    for n in at:
        new.insert(n, "A new line.")
    parts = delta_between("\n".join(lines), "\n".join(new))
    # A line beside a new one may be too short to be worth a reference.
    assert delta_size(parts) <= len(at) * 120 + 16


def test_what_moves_to_another_place_is_taken_over_as_well() -> None:
    one, two = (
        "The first of two paragraphs, long enough.\n",
        "The second one, which is as long.\n" * 2,
    )
    assert all(isinstance(part, list) for part in delta_between(one * 2 + two, two + one * 2))


@pytest.mark.parametrize(
    "parts",
    [None, "text", [["a", 1]], [[1]], [[3, 2]], [[-1, 2]], [[0, 99]], [3], [[0, 1, 2]], [{}]],
)
def test_pieces_that_are_none_of_the_text_give_nothing(parts: object) -> None:
    assert apply_delta("abcdef", parts) is None
