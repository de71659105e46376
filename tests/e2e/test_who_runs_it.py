"""A command that an agent runs is an agent's, whichever client it is: it decides nothing for a person."""

from __future__ import annotations

import json
import shlex
import sys
from typing import TYPE_CHECKING

import pytest

from .memory import Memory
from .messages_api import MessagesApi, call, say

if TYPE_CHECKING:
    from pathlib import Path

    from .agents import Agent
    from .client import ClaudeClient, Result

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

# Clients that name the session to the commands that they run.
NAMES_SESSION = ("claude", "codex", "copilot")


def script(project: Path) -> str:
    """A command that saves a note, and then tries to approve it in the person's name."""
    ours = shlex.join([sys.executable, "-m", "recollect"])
    path = project / "approve.sh"
    path.write_text(
        f'{ours} save "Use Redis for the session cache" --kind decision --json >saved.json\n'
        f"{ours} review --approve use-redis-for-the-session-cache >approved.txt 2>&1\n"
        "echo $? >code.txt\n"
    )
    return f"sh {path.name}"


def check(name: str, memory: Memory, done: Result) -> None:
    """The note is the agent's, its approval was refused, and the session is known."""
    assert done.returncode == 0, done.stdout + done.stderr
    project = memory.project
    saved = json.loads((project / "saved.json").read_text())["id"]
    assert (project / "code.txt").read_text() == "2\n", (project / "approved.txt").read_text()
    assert "Only a person" in (project / "approved.txt").read_text()
    assert [row["name"] for row in memory.json("review")] == [saved]
    memory.settle()
    [session] = memory.json("list-sessions", "--all")
    assert session["client"] == name
    path = memory.json("show", saved)["path"]
    front = (memory.root / path).read_text().partition("\n---\n")[0]
    assert "trust: agent" in front
    assert (f"session: {session['session']}" in front) == (name in NAMES_SESSION), front
    # The same by a person's own hand: nothing of theirs passes for an agent.
    memory.run("review", "--approve", saved)
    assert memory.json("review") == []


def test_what_an_agent_saves_by_a_command_is_not_approved_by_another(
    agent: Agent, api: MessagesApi, project: Path
) -> None:
    memory = Memory(agent, project)
    memory.run("init", "--scope", "both", "--client", agent.name)
    api.add([agent.shell(script(project))], [say("Saved.")])
    check(agent.name, memory, agent.prompt("Please note what we agreed on.", cwd=project))


def test_nor_is_it_with_claude_code(
    client: ClaudeClient, memory: Memory, api: MessagesApi, project: Path
) -> None:
    api.add([call("Bash", command=script(project))], [say("Saved.")])
    check("claude", memory, client.prompt("Please note what we agreed on.", cwd=project))
