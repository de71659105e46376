"""What a person sees of a brief, in the real clients that show it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .memory import Memory, given
from .messages_api import MessagesApi, say
from .tui import Tui

if TYPE_CHECKING:
    from pathlib import Path

    from .agents import Agent
    from .client import ClaudeClient

pytestmark = pytest.mark.e2e
LINE = "Recollect: 1 note,"


@pytest.mark.slow
def test_the_person_sees_one_line_of_the_brief_and_the_agent_does_not(
    client: ClaudeClient, api: MessagesApi, project: Path, memory: Memory
) -> None:
    memory.run("save", "Use PostgreSQL for events", "--kind", "decision")
    for is_on in (True, False):
        if not is_on:
            memory.run("config", "recall.announce", "false")
        memory.settle()
        api.add([say("Noted.")])
        with Tui(client, cwd=project) as tui:
            tui.ask("Say that you noted it.", "Noted.")
            screen = tui.screen
            tui.exit()
        assert (LINE in screen) == is_on, screen
        assert "Use PostgreSQL for events" in given(api.turns[-1], "SessionStart")
        assert "recollect given" not in given(api.turns[-1], "SessionStart")
    assert "Use PostgreSQL for events" in memory.run("given")


@pytest.mark.slow
def test_gemini_shows_the_line_beside_its_answer(
    agents: dict[str, Agent], api: MessagesApi, project: Path
) -> None:
    gemini = agents["gemini"]
    memory = Memory(gemini, project)
    memory.run("init", "--scope", "both", "--client", "gemini")
    memory.run("save", "Use PostgreSQL for events", "--kind", "decision")
    memory.settle()
    api.add([say("Noted.")])
    done = gemini.prompt("Say that you noted it.", cwd=project)
    assert LINE in done.stderr
    assert LINE not in done.stdout
