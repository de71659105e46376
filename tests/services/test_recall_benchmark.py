"""The benchmark of recall on conversations: its parts, on made-up ones."""

from __future__ import annotations

import pytest
from bench import switches
from bench.recall import __main__ as program
from bench.recall import data, stages
from bench.recall.systems import PRODUCT

LIGHTHOUSE = data.Question("Where is the lighthouse?", frozenset({"D1:2"}), "single-hop")


def talk(name: str, island: str) -> data.Conversation:
    """Two people speak of a lighthouse, the same turns on every island but for its name."""
    turns = [
        data.Turn("D1:1", "Ann", "Shall we go and see it?"),
        data.Turn("D1:2", "Ben", f"The lighthouse stands on {island}."),
    ]
    session = data.Session("D1", "2026-03-05T10:00:00Z", turns)
    question = LIGHTHOUSE._replace(text=f"Where is the lighthouse of {island}?")
    return data.Conversation(name, [session], [question])


def test_conversations_that_are_put_together_keep_their_turns_and_answers_apart() -> None:
    (one,) = data.together([talk("a", "Sark"), talk("b", "Herm")])
    turns = [turn.id for session in one.sessions for turn in session.turns]
    assert turns == ["a-D1:1", "a-D1:2", "b-D1:1", "b-D1:2"]
    assert [question.evidence for question in one.questions] == [{"a-D1:2"}, {"b-D1:2"}]


def test_the_product_is_asked_again_without_each_stage() -> None:
    rows, _ = program.run(PRODUCT, data.together([talk("a", "Sark"), talk("b", "Herm")]), ("", "x"))
    for answers in rows.values():
        assert [found[0] for _, found, _ in answers.turns] == ["a-D1:2", "b-D1:2"]


@pytest.mark.parametrize("stage", stages.STAGES)
def test_a_stage_is_off_as_long_as_it_says_and_no_longer(stage: str) -> None:
    before = [getattr(where, name) for where, name, _ in stages.STAGES[stage]]
    with switches.off(stages.STAGES[stage]):
        now = [getattr(where, name) for where, name, _ in stages.STAGES[stage]]
    assert now == [instead for _, _, instead in stages.STAGES[stage]]
    assert now != before
    assert [getattr(where, name) for where, name, _ in stages.STAGES[stage]] == before
