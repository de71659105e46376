"""A prompt that names a time is given what is of that time."""

from __future__ import annotations

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


def test_a_prompt_that_names_a_time_stays_below_the_budget(years: Machine) -> None:
    names = modules_of(years, "UserPromptSubmit", prompt="What did we do in 2019?")

    assert "recollect.text.dates" in names
    assert names & HEAVY == {"datetime"}
    assert len(names) <= 45
    assert "recollect.text.dates" not in modules_of(years, "UserPromptSubmit")
