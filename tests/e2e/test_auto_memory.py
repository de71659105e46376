"""The real client's own memory beside ours, in each of the three modes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from .memory import given
from .messages_api import MessagesApi, all_text

if TYPE_CHECKING:
    from .client import ClaudeClient
    from .memory import Memory

pytestmark = [pytest.mark.e2e, pytest.mark.slow]
HEADING = "You have a persistent file-based memory at"  # what the client tells the model of its own
NOTE = """---
name: project-port
description: The port of the staging server is 8086
metadata:
  type: project
---
The staging server listens on port 8086, behind the blue proxy.
"""


def folder_of(client: ClaudeClient) -> Path:
    """Where the client keeps its notes of the project; it makes the folder itself."""
    [folder] = (client.home / ".claude" / "projects").iterdir()
    return folder / "memory"


def noted_in(folder: Path, name: str = "project-port") -> None:
    """As the client notes something: a file, and a line in its index."""
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.md").write_text(NOTE)
    (folder / "MEMORY.md").write_text(f"- [Staging]({name}.md) — its port\n")


def test_alongside_its_notes_are_taken_in_and_not_said_to_it_again(
    client: ClaudeClient, api: MessagesApi, project: Path, memory: Memory
) -> None:
    client.prompt("Good morning.", cwd=project)
    assert HEADING in all_text(api.turns[-1])
    memory.settle()
    noted_in(folder_of(client))
    client.prompt("Good evening.", cwd=project)
    memory.settle()
    assert "auto-project-port" in {row["id"] for row in memory.json("list")}

    client.prompt("Which port does the staging server listen on?", cwd=project)
    asked = api.turns[-1]
    assert "- [Staging](project-port.md)" in all_text(asked)
    assert "8086" not in given(asked, "UserPromptSubmit")
    # To anybody else it is said.
    assert "8086" in memory.run("recall", "Which port does the staging server listen on?")
    assert not (project / ".claude" / "settings.local.json").exists()
    memory.settle()


def test_with_replace_it_is_off_and_what_it_knew_is_recalled(
    client: ClaudeClient, api: MessagesApi, project: Path, memory: Memory
) -> None:
    client.prompt("Good morning.", cwd=project)
    memory.settle()
    noted_in(folder_of(client))
    memory.run("init", "--auto-memory", "replace")

    client.prompt("Which port does the staging server listen on?", cwd=project)
    asked = api.turns[-1]
    assert HEADING not in all_text(asked)
    assert "- [Staging]" not in all_text(asked)
    assert "8086" in given(asked, "UserPromptSubmit")
    memory.settle()
    assert "replace: " in memory.run("doctor")

    memory.run("uninstall")
    client.prompt("Good evening.", cwd=project)
    assert HEADING in all_text(api.turns[-1])
    memory.settle()
