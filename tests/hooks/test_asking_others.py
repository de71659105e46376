"""`capture.mode = ask` with the clients other than Claude Code, in their own words.

With the real clients: `tests/e2e/test_agents_asked.py`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from . import payloads
from .machine import Machine
from .payloads import Json
from .test_asking import ask


class Case(NamedTuple):
    """What a program sends behind a tool and a turn, as which client, and where our text stands."""

    payload: Callable[..., Json]
    client: str
    tool: str = "PostToolUse"
    stop: str = "Stop"
    where: tuple[str, ...] = ("hookSpecificOutput", "additionalContext")


CASES = (
    Case(payloads.codex, "codex"),
    Case(payloads.gemini, "gemini", "AfterTool", "AfterAgent"),
    Case(payloads.opencode, "opencode"),
    Case(payloads.copilot, "copilot", where=("additionalContext",)),
    Case(payloads.vscode, "copilot"),
)
WORKED: dict[str, Json] = {
    "codex": {"tool_response": "installed\n"},
    "gemini": {"tool_response": {"llmContent": "Output: installed\nProcess Group PGID: 8503"}},
}
each_client = pytest.mark.parametrize("case", CASES, ids=[one.payload.__name__ for one in CASES])


def used(machine: Machine, case: Case) -> str:
    """What the agent is told behind a tool that worked."""
    payload = case.payload(machine, case.tool, **WORKED.get(case.client, {}))
    machine.hook[-1] = case.client
    ran = machine.feed("PostToolUse", json.dumps(payload).encode())
    assert (ran.code, ran.err) == (0, b"")
    said: Any = ran.output if ran.out else {}
    for key in case.where:
        said = said.get(key) or {}
    return str(said or "")


@pytest.mark.sampled(2)
@each_client
def test_the_agent_is_asked_each_time_the_interval_is_reached(machine: Machine, case: Case) -> None:
    ask(machine, 2)
    told = [used(machine, case) for _ in range(4)]
    assert [bool(text) for text in told] == [False, True, False, True]
    assert "Tool uses since the last time: 2." in told[1]
    assert f"-C {machine.project}" in told[1].replace("'", "")


@pytest.mark.slow
@each_client
def test_what_was_not_asked_at_the_end_of_a_turn_is_asked_later(
    machine: Machine, case: Case
) -> None:
    ask(machine, 4)
    assert [used(machine, case) for _ in range(3)] == [""] * 3
    ended = machine.feed("Stop", json.dumps(case.payload(machine, case.stop)).encode())
    assert ended.out == b""  # none of them hands it on
    machine.settle()
    assert "since the last time: 4." in used(machine, case)
