"""Meaning: what a model is told, and what its answer says."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from recollect.search.vectors import (
    LONGEST_BESIDE,
    LONGEST_TEXT,
    Passage,
    Scale,
    SectionText,
    in_first_person,
    is_foreign,
    nearness,
    passages,
)

TURNS = [SectionText("", "", f"Ann [10:00:0{n}]\nturn {n}", is_turn=True) for n in range(4)]


def test_a_section_is_told_under_its_title_and_heading() -> None:
    [told] = passages([SectionText("Events", "Why", "They come late.", is_turn=False)])
    assert told == Passage("Events: Why\nThey come late.")


def test_a_turn_is_told_with_who_says_it_and_what_stands_around_it() -> None:
    told = passages(TURNS)
    assert told[2] == Passage("Ann: turn 2", "Ann: turn 0\nAnn: turn 1", "Ann: turn 3")
    assert told[0].before == ""
    assert told[3].after == ""


def test_a_turn_that_is_added_changes_only_what_stands_beside_it() -> None:
    before, after = passages(TURNS[:3]), passages(TURNS)
    assert before[:2] == after[:2]
    assert before[2] != after[2]


@given(st.lists(st.builds(SectionText, st.text(), st.text(), st.text(), st.booleans()), max_size=5))
def test_every_section_has_one_passage_of_bounded_length(parts: list[SectionText]) -> None:
    told = passages(parts)
    assert len(told) == len(parts)
    assert all(len(one.text) <= LONGEST_TEXT for one in told)
    assert all(max(len(one.before), len(one.after)) <= LONGEST_BESIDE for one in told)


def test_who_is_asked_about_says_i() -> None:
    asked = "What did Caroline say of Melanie's dog, and of caroline's own?"
    assert in_first_person(asked, {"caroline"}) == "What did I say of Melanie's dog, and of my own?"
    assert in_first_person(asked, set()) == asked


def test_a_word_that_has_a_name_in_it_stays() -> None:
    assert in_first_person("Annual reports by Ann", {"ann"}) == "Annual reports by I"


def test_a_cue_is_foreign_when_more_than_a_third_of_it_is_chinese() -> None:
    assert is_foreign("数据库连接")
    assert is_foreign("postgres 的数据库连接池大小是多少")
    assert not is_foreign("where is the connection pool 池 configured")
    assert not is_foreign("naïve café")
    assert not is_foreign("")


@given(*(st.floats(-1, 1) for _ in range(3)))
def test_nearness_lies_between_the_usual_and_the_nearest(a: float, b: float, c: float) -> None:
    low, middle, high = sorted((a, b, c))
    assert Scale(middle, high).of(low) == 0.0
    assert 0.0 <= Scale(low, high).of(middle) <= 1.0
    assert Scale(low, high).of(high) in (0.0, 1.0)


def test_of_texts_as_near_as_wholes_the_one_that_has_the_pieces_is_nearer() -> None:
    found = nearness({1: 0.5, 2: 0.5, 3: 0.1}, Scale(0.1, 0.5), {1: 0.4, 2: 0.9}, 0.2)
    assert found[2] == 1.0
    assert found[1] < found[2]
    assert found[3] == 0.0


def test_a_text_without_pieces_is_as_near_as_the_whole() -> None:
    assert nearness({1: 0.3}, Scale(0.1, 0.5), {}, 0.0) == {1: Scale(0.1, 0.5).of(0.3)}
