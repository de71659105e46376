"""The released plugin on a machine that has a Python and nothing of ours: it needs nothing else."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from tools.plugin import build

from .client import ClaudeClient
from .memory import Memory, given
from .messages_api import MessagesApi, call, say

pytestmark = pytest.mark.e2e
PYTHONS = [
    name
    for name in ("python3.11", "python3.12", "python3.13", "python3")
    if Path("/usr/bin", name).exists()
]


@pytest.fixture
def alone(client: ClaudeClient, tmp_path: Path) -> ClaudeClient:
    """The client, with a PATH on which there is no `recollect` and no Python but the system's own."""
    found = tmp_path / "bin"
    found.mkdir()
    for path in Path("/usr/bin").iterdir():
        if not path.name.startswith(("python", "pip", "recollect")):
            (found / path.name).symlink_to(path)
    (found / "python3").symlink_to(Path("/usr/bin", PYTHONS[0]))
    return replace(client, extra={"PATH": str(found)})


@pytest.fixture
def plugin(alone: ClaudeClient, tmp_path: Path) -> Path:
    """The folder of the plugin, installed by the client from its marketplace."""
    build(tmp_path / "market")
    for done in (
        alone.add_marketplace(tmp_path / "market"),
        alone.install_plugin("recollect@recollect"),
    ):
        assert done.returncode == 0, done.stdout + done.stderr
    return tmp_path / "market" / "recollect"


def ours(client: ClaudeClient, plugin: Path, project: Path, *words: str) -> str:
    """What the plugin's own command prints."""
    done = subprocess.run(
        [str(plugin / "bin" / "recollect"), *words],
        env=client.environment(),
        cwd=project,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.skipif(not PYTHONS, reason="no Python of the system's own")
def test_the_plugin_is_all_that_a_machine_with_python_needs(
    alone: ClaudeClient, api: MessagesApi, project: Path, plugin: Path
) -> None:
    alone.prompt("Build the session cache.", cwd=project)
    Memory(alone, project).settle()
    assert "Build the session cache" in ours(alone, plugin, project, "list")
    ours(alone, plugin, project, "save", "Use Redis for the session cache", "--kind", "decision")
    api.add(
        [call("Bash", command="recollect search redis --json", description="Look it up")],
        [say("It is Redis.")],
    )
    done = alone.prompt("Which store holds the session cache?", cwd=project)

    assert done.stderr == ""
    assert "Use Redis for the session cache" in given(api.turns[-2], "SessionStart")
    assert "mcp__plugin_recollect_recollect__remember" in json.dumps(api.turns[-1].body)
    assert r"\"hits\"" in json.dumps(api.turns[-1].body)  # the agent's shell has the command
    said = ours(alone, plugin, project, "doctor")
    assert "connected by the plugin" in said
    assert "connected by the plugin" not in ours(
        alone, plugin, project, "init", "--client", "claude"
    )
    assert "hooks" not in json.loads(alone.settings_path.read_text())
    assert not (alone.home / ".local" / "share" / "recollect" / "place").exists()
