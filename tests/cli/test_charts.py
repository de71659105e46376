"""Pictures made of characters keep their size, and show something for every number but nothing."""

from __future__ import annotations

from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from recollect.interfaces.cli import statistics
from recollect.interfaces.cli.console import width_of

counts = st.integers(0, 10**9)
days = st.dictionaries(
    st.dates(date(2025, 1, 1), date(2026, 1, 11)).map(date.isoformat), st.integers(1, 500)
)
UNTIL = "2026-01-11"


@given(counts, counts, st.integers(1, 80))
def test_a_bar_is_never_wider_than_asked_and_only_nothing_is_empty(
    value: int, most: int, columns: int
) -> None:
    drawn = statistics.bar(value, most, columns)
    assert width_of(drawn) <= columns
    assert bool(drawn) == (value > 0 and most > 0)
    if value >= most > 0:
        assert drawn == "█" * columns


@given(st.lists(counts, max_size=60))
def test_a_sparkline_has_a_column_for_each_number(values: list[int]) -> None:
    line = statistics.sparkline(values)
    assert len(line) == len(values)
    for value, column in zip(values, line, strict=True):
        assert (column == "▁") == (value == 0)
        assert column == "█" or value < max(values) or not value


@given(days, st.integers(1, 60))
def test_a_heat_map_has_a_cell_for_each_day_and_no_day_is_lost(
    found: dict[str, int], weeks: int
) -> None:
    rows = statistics.heat_map(found, UNTIL, weeks)
    assert [len(row) for row in rows] == [weeks] * 7
    shown = sum(cell[1] not in ("··", "  ") for row in rows for cell in row)
    first = statistics._monday_of(UNTIL) - timedelta(weeks=weeks - 1)
    assert shown == sum(day >= first.isoformat() for day in found)


@given(days)
def test_the_weeks_hold_every_day(found: dict[str, int]) -> None:
    weeks = statistics.weeks_in(found, UNTIL, 1000)
    assert sum(statistics.by_week(found, UNTIL, weeks)) == sum(found.values())
    assert statistics.weeks_in(found, UNTIL, 4) <= 4
