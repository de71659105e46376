"""What a prompt says of the answer before it, and which memory that is credited to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.capture.reactions import Credit, Reaction, credits_of, reaction_in
from recollect.capture.state import fold
from recollect.model.session import Event, SessionState

from .build import any_text

CORRECTIONS = (
    "That's wrong.",
    "No, that's not right.",
    "no that is wrong, it listens on 9090",
    "Nope.",
    "Wrong. The port is 9090.",
    "Hmm, that's not correct.",
    "Not quite, the timeout is in seconds.",
    "Wrong approach: we never mock the database.",
    "Actually, that's wrong.",
    "Actually, it's 9090, not 8080.",
    "Actually we no longer use MySQL.",
    "That isn't what I asked for.",
    "You misunderstood me.",
    "I said staging, not production.",
    "That's outdated. We moved to pnpm.",
    "That's not right. Perfectly simple: use 9090.",
    "不对，端口是 9090。",
    "不对。",
    "错了",
    "你记错了，我们用的是 PostgreSQL。",
    "这是错的",
    "这个已经过时了。",
    "不是这样，应该先运行迁移。",
    "其实不是 8080，是 9090。",
    "我说的不是测试环境",
)
APPROVALS = (
    "Perfect.",
    "Perfect, now add a test for it.",
    "perfect!",
    "That worked.",
    "That works great, thanks",
    "Exactly what I wanted.",
    "Well done!",
    "Great job. Next: the docs.",
    "Yes, that's right.",
    "You're right, thanks.",
    "LGTM",
    "完美！",
    "太好了，完美",
    "没错，就这么做",
    "做得好",
    "你说得对。",
    "问题解决了，谢谢",
    "正是我想要的",
)
NEITHER = (
    "Actually, could you also add a test?",  # J13
    "Actually, let's use Redis for that.",
    "Actually that's great.",
    "No problem, take your time.",
    "No, thanks.",
    "No, that's all.",
    "No errors now, go on with the next one",
    "No need to change the tests.",
    "Is that wrong?",
    "That's wrong, isn't it?",
    "If that's wrong, tell me.",
    "Fix the wrong port in config.py",
    "The log says: that's wrong",
    '"That\'s wrong" is what the dialog should say.',
    "It is wrong to keep secrets in the repo.",
    "Nothing is wrong with it.",
    "Perfect, but the port is missing.",
    "Almost perfect.",
    "Perfect hashing is what we need here.",
    "It works by hashing the key.",
    "That worked yesterday.",
    "Did that work? Perfect?",
    "It would be perfect if it were faster.",
    "Great, thanks.",
    "ok",
    "Thanks!",
    "Perfect. That's wrong though.",
    "不对称加密怎么实现",
    "对不对？",
    "这不对吗？",
    "错误处理写在哪里",
    "其实，你能不能也加一个测试",
    "如果不对，告诉我",
    "完美，但是端口不对",
    "好的",
    "谢谢",
    "没问题",
    "不用改测试。",
    "解决了吗",
)


@pytest.mark.parametrize("text", CORRECTIONS)
def test_a_correction_is_known_for_one(text: str) -> None:
    assert reaction_in(text) == "correction"


@pytest.mark.parametrize("text", APPROVALS)
def test_an_approval_is_known_for_one(text: str) -> None:
    assert reaction_in(text) == "approval"


@pytest.mark.parametrize("text", NEITHER)
def test_what_neither_corrects_nor_approves_is_no_reaction(text: str) -> None:
    assert reaction_in(text) == ""


@given(any_text)
def test_any_text_has_one_reaction_or_none(text: str) -> None:
    assert reaction_in(text) in ("", "correction", "approval")


@pytest.mark.parametrize("text", ["Now fix the tests. ", "现在修测试。"])
def test_a_reaction_deep_inside_a_prompt_is_about_something_else(text: str) -> None:
    assert reaction_in(text * 3 + "That's wrong.") == ""


# ------------------------------------------------------------------------------------ noticing


def at(minute: int) -> str:
    return f"2026-03-04T09:{minute:02}:00Z"


def talk(*said: str) -> list[Event]:
    """Prompts and answers in turn, a minute apart."""
    kinds = ("prompt", "answer")
    return [
        Event(kinds[n % 2], at(n), text=text, id=f"e{n}") for n, text in enumerate(said)
    ]  # fmt: skip


def folded(events: list[Event], cut: int = 0) -> SessionState:
    state = SessionState("s1")
    fold(state, events[:cut])
    fold(state, events[cut:])
    return state


def test_a_reaction_is_about_the_answer_before_it() -> None:
    state = folded(talk("Which port?", "8080.", "And the host?", "db.local", "That's wrong."))
    assert state.reactions == [{"kind": "correction", "since": at(1), "until": at(3)}]


def test_the_first_prompt_reacts_to_nothing() -> None:
    assert folded(talk("That's wrong.", "What is?")).reactions == []


def test_a_second_prompt_without_an_answer_in_between_reacts_to_nothing_more() -> None:
    events = [*talk("Which port?", "8080."), Event("prompt", at(2), text="That's wrong.", id="a")]
    events.append(Event("prompt", at(3), text="Wrong. Look again.", id="b"))
    assert len(folded(events).reactions) == 1


@given(st.integers(0, 5))
def test_reactions_are_the_same_however_a_session_is_read(cut: int) -> None:
    events = talk("Which port?", "8080.", "That's wrong.", "9090.", "Perfect.", "Good.")
    assert folded(events, cut).to_json() == folded(events).to_json()


# ----------------------------------------------------------------------------------- crediting


def injected(minute: int, *items: str, **fields: object) -> dict[str, object]:
    line: dict[str, object] = {"op": "inject", "session": "s1", "moment": "prompt"}
    return line | {"time": at(minute), "items": list(items)} | fields


CORRECTED = Reaction("correction", "s1", at(1), at(3), 7)


def test_the_credit_goes_to_the_first_of_what_was_handed_over_last() -> None:
    lines = [injected(0, "old"), injected(2, "port#ports", "host"), injected(4, "next")]
    assert credits_of([CORRECTED], lines) == [Credit("port", "correction", 7)]


@pytest.mark.parametrize(
    "line",
    [
        injected(0, "too-early"),
        injected(4, "too-late"),
        injected(2, "a-brief", moment="start"),
        injected(2, "another", session="s2"),
        injected(2, "of-a-sub-agent", agent="a1"),
        injected(2),
        {"op": "inject"},
    ],
)
def test_what_was_not_handed_over_for_that_answer_gets_no_credit(line: dict[str, object]) -> None:
    assert credits_of([CORRECTED], [line]) == []


def test_the_last_injection_counts_even_if_it_had_pointers_only() -> None:
    lines = [injected(2, "port"), injected(3)]
    assert credits_of([CORRECTED], lines) == []
