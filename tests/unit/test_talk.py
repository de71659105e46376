"""What was said around a turn counts for it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.search import conversation_rank as talk
from recollect.search.rank import Candidate, Cue

from .build import candidate


def turn(
    n: int, score: float, text: str = "Said.", who: str = "Claude", memory: int = 1
) -> Candidate:
    one = candidate(n=n, memory=memory, anchor=f"turn-{n}", text=f"{who} [10:00:00]\n\n{text}")
    one.text_score = score
    return one


def order(cue: str, *turns: Candidate) -> list[int]:
    """The numbers of the turns, best first."""
    talk.rate_in_context(turns, Cue(cue, [], 0, []))
    return [one.n for one in sorted(turns, key=lambda one: -one.text_score)]


def test_the_answer_behind_a_question_that_has_the_words_comes_forward() -> None:
    assert order("release date", turn(1, 1.0), turn(2, 0.0), turn(7, 0.1)) == [1, 2, 7]


def test_of_two_equal_turns_the_one_in_the_session_about_it_is_better() -> None:
    turns = [turn(1, 0.5, memory=1), turn(1, 0.5, memory=2), turn(9, 1.0, memory=2)]
    turns[0].n = 3
    assert order("cue", *turns) == [9, 1, 3]


def test_what_the_person_said_comes_before_what_an_agent_said() -> None:
    assert order("cue", turn(1, 0.9), turn(5, 0.8, who="User")) == [5, 1]
    assert order("问题", turn(1, 0.9), turn(5, 0.8, who="用户")) == [5, 1]


def test_who_is_named_in_the_cue_is_listened_to() -> None:
    assert order(
        "what did Melanie paint", turn(1, 0.9, who="Caroline"), turn(5, 0.8, who="Melanie")
    ) == [5, 1]


@pytest.mark.parametrize(
    ("cue", "text"),
    [
        ("when did we deploy", "We did it last Friday."),
        ("what year was that", "In 2023, I think."),
        ("什么时候发布的", "昨天发布的"),
        ("how many users have we", "There are 240 of them."),
        ("how often does it run", "Twice."),
        ("有多少个用户", "三个"),
    ],
)
def test_who_asks_for_a_time_or_a_number_gets_one(cue: str, text: str) -> None:
    assert order(cue, turn(1, 0.6), turn(5, 0.6, text)) == [5, 1]
    assert order("the cue", turn(1, 0.6), turn(5, 0.5, text)) == [1, 5]


def test_of_two_people_the_one_who_answers_comes_before_the_one_who_asks() -> None:
    asks, says = "What did you paint? A lake?", "A lake. You know it."
    assert order("cue", turn(1, 0.6, asks, "Ann"), turn(5, 0.5, says, "Ben")) == [5, 1]
    assert order("提示", turn(1, 0.6, "画了什么？", "小安"), turn(5, 0.5, "画了湖。", "小本")) == [
        5,
        1,
    ]


def test_what_a_person_asks_an_agent_is_what_they_want() -> None:
    asks = "Can you add retries to the client?"
    assert order("cue", turn(1, 0.6, asks, "User"), turn(5, 0.5, "Done.", "User")) == [1, 5]


def test_a_long_turn_is_about_what_stands_at_its_beginning() -> None:
    later = turn(2, 0.6)
    later.anchor = "turn-1.2"
    assert order("cue", turn(1, 0.5, memory=2), later) == [1, 2]


def test_a_later_part_of_a_long_turn_speaks_for_nobody_beside_it() -> None:
    later = turn(2, 1.0)
    later.anchor = "turn-1.2"
    assert order("cue", later, turn(3, 0.3), turn(9, 0.35)) == [2, 9, 3]
    assert order("cue", turn(2, 1.0), turn(3, 0.3), turn(9, 0.35)) == [2, 3, 9]


def near(one: Candidate, meaning: float) -> Candidate:
    one.meaning = meaning
    return one


def test_beside_what_is_near_in_meaning_the_person_counts_for_more() -> None:
    agent, person = turn(1, 0.0), turn(5, 0.0, who="User")
    assert order("cue", near(agent, 1.0), near(person, 0.4)) == [5, 1]
    assert order("cue", near(agent, 1.0), near(person, 0.2)) == [1, 5]


def test_beside_what_is_near_in_meaning_a_later_part_counts_for_less() -> None:
    later = turn(2, 0.0)
    later.anchor = "turn-1.2"
    assert order("cue", near(turn(5, 0.0), 0.6), near(later, 1.0)) == [5, 2]
    assert order("cue", near(turn(5, 0.0), 0.3), near(later, 1.0)) == [2, 5]


@pytest.mark.parametrize("text", ["?", "???", "", "Why?"])
def test_a_turn_that_nobody_is_near_to_has_no_score_below_zero(text: str) -> None:
    one = turn(1, 0.0, text, "Ann")
    one.anchor, one.meaning = "turn-1.2", 0.01
    assert order("cue", one) == [1]
    assert one.text_score >= 0.0


scores = st.lists(st.floats(0, 50), min_size=1, max_size=12)


@given(scores, st.sampled_from(["when", "how many", "x"]))
def test_the_best_keeps_its_score_and_no_turn_goes_beyond_it(given: list[float], cue: str) -> None:
    turns = [turn(n, score) for n, score in enumerate(given)]
    order(cue, *turns)
    assert max(one.text_score for one in turns) == pytest.approx(max(given))
    assert all(one.text_score >= 0 for one in turns)


@given(scores)
def test_the_strong_ones_have_the_best_among_them(given: list[float]) -> None:
    turns = [turn(n, score) for n, score in enumerate(given)]
    assert max(given) in {one.text_score for one in talk.strong(turns)}
    assert talk.strong([]) == []
