"""A bar keeps its size, and shows something for every number but nothing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from recollect.interfaces.cli import statistics
from recollect.interfaces.cli.console import width_of

counts = st.integers(0, 10**9)


@given(counts, counts, st.integers(1, 80))
def test_a_bar_is_never_wider_than_asked_and_only_nothing_is_empty(
    value: int, most: int, columns: int
) -> None:
    drawn = statistics.bar(value, most, columns)
    assert width_of(drawn) <= columns
    assert bool(drawn) == (value > 0 and most > 0)
    if value >= most > 0:
        assert drawn == "█" * columns
