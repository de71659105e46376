"""The benchmark of recall on conversations: its parts, on made-up ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bench import switches
from bench.recall import __main__ as program
from bench.recall import data, metrics, stages
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


def test_intervals_are_those_of_whole_questions() -> None:
    rows = [(float(n % 2), float(n % 2), 0.25) for n in range(100)]
    one, same, constant = metrics.intervals(rows)
    assert one == same
    assert one[0] < 0.5 < one[1]
    assert 0.15 < one[1] - one[0] < 0.25  # 2 × 1.96 × √(.25 / 100) = .196
    assert constant == (0.25, 0.25)
    assert metrics.intervals(rows) == [one, same, constant]


def test_what_a_stage_is_worth_is_told_question_by_question(
    capsys: pytest.CaptureFixture[str],
) -> None:
    whole, less = program.Rows(), program.Rows()
    where = {"D1:1": "D1", "D1:2": "D1"}
    whole.add(["D1:2"], LIGHTHOUSE, where)
    less.add(["D1:1", "D1:2"], LIGHTHOUSE, where)
    program.show_losses(whole, less)
    turns, between = capsys.readouterr().out.splitlines()[:2]
    assert turns.split() == ["turns", "0.000", "0.000", "0.000", "0.000", "-0.369", "-0.500"]
    assert between.split()[-1] == "-0.500–-0.500"


def test_every_conversation_of_the_folder_is_asked_those_kept_aside_as_well(tmp_path: Path) -> None:
    for name in ("a", "b"):
        said = [{"dia_id": "D1:1", "speaker": "Ann", "text": "Hello."}]
        talk = {"session_1": said, "session_1_date_time": "1:56 pm on 8 May, 2023"}
        asked = [{"question": "Who said hello?", "evidence": ["D1:1"], "category": 4}]
        rows = [{"sample_id": f"conv-{name}", "conversation": talk, "qa": asked}]
        (tmp_path / f"locomo-{name}.json").write_text(json.dumps(rows), "utf-8")
        chat = [
            {"batch_number": 1, "turns": [[{"id": 1, "role": "user", "content": "Hi ->-> 1,1"}]]}
        ]
        (tmp_path / f"beam-{name}").mkdir()
        (tmp_path / f"beam-{name}" / "1-chat.json").write_text(json.dumps(chat), "utf-8")
        probe = {"recall": [{"question": "Who said hi?", "source_chat_ids": [1]}]}
        (tmp_path / f"beam-{name}" / "1-questions.json").write_text(json.dumps(probe), "utf-8")
    assert [one.name for one in data.locomo(str(tmp_path))] == ["conv-a", "conv-b"]
    chats = data.beam(str(tmp_path))
    assert [one.name for one in chats] == ["beam-a-1", "beam-b-1"]
    assert [len(one.questions) for one in chats] == [1, 1]
    assert len(data.together(chats)[0].sessions) == 2


def test_what_a_store_is_made_without_comes_last_and_nothing_else_is_asked_of_it() -> None:
    names = list(stages.STAGES)
    assert set(names[len(names) - len(stages.FILED) :]) == stages.FILED
    talks = [talk("a", "Sark")]
    without = "English is stemmed"
    asked = LIGHTHOUSE._replace(text="what is standing?")
    rows, _ = program.run(PRODUCT, [talks[0]._replace(questions=[asked])], ("", without))
    assert rows[""].turns[0][1]
    assert not rows[without].turns[0][1]
