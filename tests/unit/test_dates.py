"""The time that a cue speaks of."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recollect.model.memory import day_of
from recollect.text import dates
from recollect.text.tokens import cue_words, may_speak_of_time

TODAY = day_of("2026-11-20")  # a Friday

NAMED = [
    ("what did we do last week?", "2026-11-09", "2026-11-15"),
    ("what was done this week", "2026-11-16", "2026-11-20"),
    ("Yesterday's change", "2026-11-19", "2026-11-19"),
    ("today", "2026-11-20", "2026-11-20"),
    ("the meeting on Tuesday", "2026-11-17", "2026-11-17"),
    ("last friday", "2026-11-13", "2026-11-13"),
    ("three days ago", "2026-11-17", "2026-11-17"),
    ("2 weeks ago", "2026-11-02", "2026-11-08"),
    ("a month ago", "2026-10-01", "2026-10-31"),
    ("last weekend", "2026-11-14", "2026-11-15"),
    ("last month, I think", "2026-10-01", "2026-10-31"),
    ("this month", "2026-11-01", "2026-11-20"),
    ("last year", "2025-01-01", "2025-12-31"),
    ("what changed in March?", "2026-03-01", "2026-03-31"),
    ("in december", "2025-12-01", "2025-12-31"),
    ("last October", "2026-10-01", "2026-10-31"),
    ("since May", "2026-05-01", "2026-11-20"),
    ("March 2025", "2025-03-01", "2025-03-31"),
    ("(in Feb. 2024)", "2024-02-01", "2024-02-29"),
    ("March 5th", "2026-03-05", "2026-03-05"),
    ("on 5 March", "2026-03-05", "2026-03-05"),
    ("3 Sept 2025", "2025-09-03", "2025-09-03"),
    ("in 2025", "2025-01-01", "2025-12-31"),
    ("the deploy of 2026-03-05", "2026-03-05", "2026-03-05"),
    ("2026-02", "2026-02-01", "2026-02-28"),
    ("上周大促的情况", "2026-11-09", "2026-11-15"),
    ("上周五改了什么", "2026-11-13", "2026-11-13"),
    ("上个星期", "2026-11-09", "2026-11-15"),
    ("上周末改了什么", "2026-11-14", "2026-11-15"),
    ("上个周末", "2026-11-14", "2026-11-15"),
    ("这周做了什么", "2026-11-16", "2026-11-20"),
    ("上个月", "2026-10-01", "2026-10-31"),
    ("昨天", "2026-11-19", "2026-11-19"),
    ("前天的问题", "2026-11-18", "2026-11-18"),
    ("三天前", "2026-11-17", "2026-11-17"),
    ("两个月前", "2026-09-01", "2026-09-30"),
    ("三月的活动页", "2026-03-01", "2026-03-31"),
    ("十二月份", "2025-12-01", "2025-12-31"),
    ("3月5日的发布", "2026-03-05", "2026-03-05"),
    ("去年十一月", "2025-11-01", "2025-11-30"),
    ("2025年6月18日", "2025-06-18", "2025-06-18"),
    ("今年", "2026-01-01", "2026-11-20"),
]
NOT_NAMED = [
    "may I ask something", "march through the list", "the second week", "an august body", "sun",
    "in a day or so", "ship it on Friday afternoon", "every Monday", "next week", "next Tuesday", "tomorrow", "in 2030", "2027-01-01",
    "mark the last item", "this function", "last one", "the day after", "99 bottles", "HTTP 2024 error",
    "2026-11-20 10:22:33 ERROR x", "Nov 20 10:22:33 host app[1]: error", "2026年11月20日 10:22 错误",
    "2026-13-01", "2026-02-31", "this weekend", "这周末", "明天", "下周", "一个月亮", "第三月台", "周期", "年轻", "天气", "十三月", "", "–",
]  # fmt: skip


@pytest.mark.parametrize(("text", "first", "last"), NAMED)
def test_a_time_is_understood(text: str, first: str, last: str) -> None:
    found = dates.period_of(text, TODAY)
    assert found is not None
    assert found[0] == (day_of(first), day_of(last))
    assert may_speak_of_time(text, cue_words(text))


@pytest.mark.parametrize("text", NOT_NAMED)
def test_what_only_looks_like_a_time_is_none(text: str) -> None:
    assert dates.period_of(text, TODAY) is None


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("what changed last week for the batch jobs", "what changed – for the batch jobs"),
        ("上周大促的情况", " – 大促的情况"),
        ("since May 2026 only", "– only"),
    ],
)
def test_the_words_that_name_the_time_are_taken_out(text: str, rest: str) -> None:
    found = dates.period_of(text, TODAY)
    assert found is not None
    assert found[1] == rest


@given(
    st.lists(st.sampled_from([*(one[0] for one in NAMED), *NOT_NAMED]), max_size=4).map(" ".join)
    | st.text("上这本个周星期月年日号天前昨今去一二三十〇0123 ", max_size=12),
    st.integers(0, 40_000),
)
def test_a_time_is_whole_and_never_to_come(text: str, today: int) -> None:
    found = dates.period_of(text, today)
    if found:
        first, last = found[0]
        assert first <= last <= today


@given(st.dates())
def test_a_day_is_counted_as_the_library_counts_it(day: date) -> None:
    assert day_of(f"{day.isoformat()}T10:00:00Z") == (day - date(1970, 1, 1)).days


@given(st.text("0123456789-/T٣", max_size=12))
@example("2026-02-30")
@example("2026-01-1")
@example("2026-0٣-11")
@example("0000-01-01")
def test_what_is_no_day_is_none_for_both(text: str) -> None:
    try:
        wanted = (date.fromisoformat(text[:10]) - date(1970, 1, 1)).days
    except ValueError:
        wanted = 0
    assert day_of(text) == wanted
