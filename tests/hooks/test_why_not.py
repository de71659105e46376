"""`recall --why-not` says of a session what its hooks did."""

from __future__ import annotations

import pytest
from tests.cli.running import Person

from .machine import SESSION, Machine
from .notes import BILLING, QUESTION, ids, write_notes


def why_not(machine: Machine, *words: str) -> str:
    person = Person(machine.home, machine.project)
    answer = person.ok("recall", QUESTION, "--why-not", "billing", "--json", *words).json
    assert isinstance(answer, dict)
    return str(answer["reason"])


@pytest.mark.sampled(1)
@pytest.mark.parametrize("agent", ["", "a496"])
def test_what_a_session_was_given_is_told_of_that_session_alone(
    agent: str, machine: Machine
) -> None:
    write_notes(machine)
    given = machine.ask(QUESTION, agent_id=agent) if agent else machine.ask(QUESTION)
    assert ids(given) == ["billing"]
    assert why_not(machine) == "given"
    # A sub-agent has a context of its own: the session itself was given nothing.
    assert why_not(machine, "--session", SESSION) == ("given" if agent else "told")
    assert why_not(machine, "--session", "another") == "given"
    machine.fire("SessionStart", source="compact")
    assert why_not(machine, "--session", SESSION) == "given"


def test_a_recall_for_a_session_leaves_out_what_it_was_given(machine: Machine) -> None:
    write_notes(machine)
    machine.ask(QUESTION)
    person = Person(machine.home, machine.project)
    assert BILLING in person.ok("recall", QUESTION).out
    assert BILLING not in person.ok("recall", QUESTION, "--session", SESSION).out
    assert machine.ask(QUESTION) == ""


@pytest.mark.parametrize(
    ("question", "reason"),
    [("which cable has the kettle base", "weaker"), ("polish the copper base", "too-little")],
)
def test_a_session_that_was_not_considered_has_a_reason(
    question: str, reason: str, machine: Machine
) -> None:
    machine.write(
        "episodic/base/summary.md", "## Summary\n\nThe kettle base was rewired.", id="base",
        title="Kettle base", type="episodic", kind="session",
    )  # fmt: skip
    machine.write(
        "cable.md", "The kettle base has a cable of two metres.", id="cable", title="Cable"
    )
    person = Person(machine.home, machine.project)
    answer = person.ok("recall", question, "--why-not", "base#summary", "--json").json
    assert isinstance(answer, dict)
    assert answer["reason"] == reason
