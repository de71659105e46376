"""`capture.mode = ask` with the real clients: their models are told, behind the right tool."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .memory import Memory
from .messages_api import MessagesApi, all_text, call, say

if TYPE_CHECKING:
    from pathlib import Path

    from .agents import Agent
    from .client import ClaudeClient

pytestmark = [pytest.mark.e2e, pytest.mark.slow]
ASKED = "If something of them is worth keeping for later sessions"


def set_to_ask(memory: Memory) -> None:
    """Let the project's store ask after two tool uses."""
    memory.run("config", "capture.mode", "ask")
    memory.run("config", "capture.save_interval", "2")


def test_the_model_is_asked_behind_the_tool_use_that_completes_the_interval(
    agent: Agent, api: MessagesApi, project: Path
) -> None:
    memory = Memory(agent, project)
    memory.run("init", "--scope", "both", "--client", agent.name)
    set_to_ask(memory)
    api.add([agent.shell("echo one")], [agent.shell("echo two")], [say("Done.")])
    done = agent.prompt("Say one and two.", cwd=project)
    assert done.returncode == 0, done.stdout + done.stderr
    first, second, third = map(all_text, api.turns[-3:])
    assert ASKED not in first + second
    assert third.count(ASKED) == 1
    assert "extract-facts" in third


def test_so_is_the_model_of_claude_code(
    client: ClaudeClient, memory: Memory, api: MessagesApi, project: Path
) -> None:
    set_to_ask(memory)
    api.add(*([call("Bash", command=f"echo {n}")] for n in range(12)), [say("Done.")])
    assert client.prompt("Count to twelve.", cwd=project).returncode == 0
    # It does not wait for a hook behind a tool: the words come a request later, on a busy machine some.
    before, after = all_text(api.turns[0]), all_text(api.turns[-1])
    assert ASKED not in before
    assert ASKED in after


def test_the_end_of_a_turn_asks_claude_code_once(
    client: ClaudeClient, memory: Memory, api: MessagesApi, project: Path
) -> None:
    memory.run("config", "capture.mode", "ask")
    memory.run("config", "capture.save_interval", "4")
    api.add(*([call("Bash", command=f"echo {n}")] for n in range(3)), [say("Done.")])
    api.add([say("There is nothing to note.")])
    assert client.prompt("Count to three.", cwd=project).returncode == 0
    told = [ASKED in all_text(turn) for turn in api.turns]
    assert told == [False, False, False, False, True]
    assert all_text(api.turns[-1]).count(ASKED) == 1
