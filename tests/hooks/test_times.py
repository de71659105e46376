"""A prompt that names a time is given what is of that time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from .machine import Machine
from .notes import ids
from .test_modules import HEAVY, modules_of


@pytest.fixture
def years(machine: Machine) -> Machine:
    """A machine that remembers two sessions of years ago."""
    for year, text in ((2019, "Rewrote the parser."), (2021, "Tuned the cache.")):
        machine.write(
            f"episodic/{year}/summary.md", text, id=f"session-{year}", title=f"Session {year}",
            type="episodic", kind="session", created=f"{year}-05-05T10:00:00Z", publish=False,
        )  # fmt: skip
    machine.publish()
    return machine


@pytest.mark.slow
@pytest.mark.parametrize(
    ("prompt", "given"),
    [
        ("What did we do in 2019?", ["session-2019"]),
        ("What happened in May 2021?", ["session-2021"]),
        ("2019年做了什么", ["session-2019"]),
        ("What did we do in 2020?", []),
        ("Write about the moon landing in 2019", []),
    ],
)
def test_a_prompt_that_names_a_time_is_given_what_is_of_it(
    prompt: str, given: list[str], years: Machine
) -> None:
    assert ids(years.ask(prompt)) == given


@pytest.fixture
def today(machine: Machine) -> Machine:
    """A machine that remembers what was done and decided today."""
    day = f"{datetime.now(UTC):%Y-%m-%d}T00:00:00Z"
    machine.write(
        "episodic/one/summary.md", "Rewrote the parser.", id="session", title="The parser",
        type="episodic", kind="session", created=day, publish=False,
    )  # fmt: skip
    machine.write(
        "procedural/rule.md", "Write code in 4 spaces. 代码缩进用 4 个空格。", id="rule", title="Spaces",
        created=day, publish=False,
    )  # fmt: skip
    machine.publish()
    return machine


@pytest.mark.parametrize(
    "prompt",
    [
        "What did we do today?",
        "what happened today",
        "summarize today's work",
        "今天做了什么",
        "今天改了什么？",
        "总结一下今天的工作",
    ],
)
def test_who_asks_what_was_done_is_given_the_day(prompt: str, today: Machine) -> None:
    assert "session" in ids(today.ask(prompt))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "prompt",
    [
        "what's the weather like today",
        "that's all for today",
        "what day is it today",
        "let's continue today",
        "today we continue writing code",
        "show me today's log",
        "今天天气怎么样",
        "今天就这样吧，谢谢",
        "今天继续",
        "今天我们继续写代码",
        "帮我看看今天的日志",
        "翻译这句话：今天很好",
    ],
)
def test_who_only_says_today_is_given_nothing(prompt: str, today: Machine) -> None:
    assert ids(today.ask(prompt)) == []


def test_a_prompt_that_names_a_time_stays_below_the_budget(years: Machine) -> None:
    names = modules_of(years, "UserPromptSubmit", prompt="What did we do in 2019?")

    assert "recollect.text.dates" in names
    assert names & HEAVY == {"datetime"}
    assert len(names) <= 45
    assert "recollect.text.dates" not in modules_of(years, "UserPromptSubmit")


@pytest.fixture
def days(machine: Machine) -> Machine:
    """A machine that remembers sessions about two subjects, of today and of weeks ago."""
    for ago, name, title, text in (
        (0, "kettle", "Kettle lid", "The kettle lid no longer drips; its seal was turned round."),
        (20, "base", "Kettle base", "The kettle base has a new cable of two metres."),
        (21, "mill", "Pepper mill", "The pepper mill runs again with linseed oil."),
    ):
        machine.write(
            f"episodic/{name}/summary.md", f"## Summary\n\n{text}", id=name, title=title,
            type="episodic", kind="session", publish=False,
            created=f"{datetime.now(UTC) - timedelta(days=ago):%Y-%m-%d}T00:00:00Z",
        )  # fmt: skip
    machine.publish()
    return machine


@pytest.mark.parametrize(
    ("prompt", "given"),
    [
        ("What did we do about the kettle today?", ["kettle#summary"]),
        ("What happened to the pepper mill today?", []),
        ("When was the pepper mill oiled?", ["mill#summary"]),
    ],
)
def test_a_session_of_another_time_answers_no_question_of_a_time(
    prompt: str, given: list[str], days: Machine
) -> None:
    assert ids(days.ask(prompt)) == given
