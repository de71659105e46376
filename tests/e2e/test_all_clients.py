"""One memory for all the agents that a person uses: all real clients in one project."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .agents import Agent
from .memory import Memory
from .messages_api import MessagesApi, all_text, say
from .tui import Tui

if TYPE_CHECKING:
    from pathlib import Path

    from .client import ClaudeClient

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

# What each of them is told first, and what every other one has to know then.
SAID = {
    "claude": (
        "We decided to use PostgreSQL for the event store.",
        "PostgreSQL for the event store",
    ),
    "codex": ("We decided to use Redis for the session cache.", "Redis for the session cache"),
    "gemini": ("We decided to use RabbitMQ for the work queue.", "RabbitMQ for the work queue"),
    "copilot": ("We decided to use Grafana for the dashboards.", "Grafana for the dashboards"),
    "opencode": ("We decided to use Terraform for the cloud.", "Terraform for the cloud"),
}


def test_what_one_agent_learned_every_other_one_recalls(
    client: ClaudeClient,
    agents: dict[str, Agent],
    memory: Memory,
    api: MessagesApi,
    project: Path,
) -> None:
    memory.run("init", *(word for name in agents for word in ("--client", name)))
    everybody: dict[str, ClaudeClient | Agent] = {"claude": client, **agents}

    known: list[str] = []
    for name, one in everybody.items():
        told, fact = SAID[name]
        done_so = f"I changed the settings of the project to {fact} from now on."
        if isinstance(one, Agent):  # what a program asks for is told only if something came of it
            api.add([say("I set it."), one.write(project / f"{name}.txt", f"{fact}\n")])
        api.add([say(done_so)])
        if one is client:  # typed, it is the person's decision; the others are sent theirs
            with Tui(client, cwd=project) as tui:
                tui.ask(told, "from now on")
                tui.exit()
        else:
            done = one.prompt(told, cwd=project)
            assert done.returncode == 0, f"{name}: {done.stdout}{done.stderr}"
        heard = all_text(api.turns[-1])
        assert [f for f in known if f not in heard] == [], name
        memory.settle()
        known.append(fact)

    # Asked about one thing, any of them is told that, by the brief or with the prompt.
    for name, one in everybody.items():
        api.add([say("As you said.")])
        assert one.prompt("What did we decide about the work queue?", cwd=project).returncode == 0
        heard = all_text(api.turns[-1])
        assert "RabbitMQ for the work queue" in heard, name
        memory.settle()

    sessions = [memory.text(row["id"]) for row in memory.sessions()]
    assert [sum(fact in text for text in sessions) for fact in known] == [1] * len(known)
    doctor = memory.run("doctor")
    assert "All is well" in doctor
    assert doctor.count("hooks last called") == len(agents)
