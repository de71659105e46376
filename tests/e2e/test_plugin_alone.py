"""The released plugin on a machine that has a Python and nothing of ours: it needs nothing else.

Claude Code and Codex CLI install the plugin, Gemini CLI the extension beside it, each by its own command.
"""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from tools.plugin import build

from .agents import Agent, Codex, Gemini
from .client import ClaudeClient
from .memory import Memory, given
from .messages_api import MessagesApi, all_text, call, say

pytestmark = pytest.mark.e2e
PYTHONS = [
    name
    for name in ("python3.11", "python3.12", "python3.13", "python3")
    if Path("/usr/bin", name).exists()
]


def bare_path(found: Path) -> str:
    """A PATH on which there is no `recollect` and no Python but the system's own."""
    found.mkdir()
    for path in Path("/usr/bin").iterdir():
        if not path.name.startswith(("python", "pip", "recollect")):
            (found / path.name).symlink_to(path)
    (found / "python3").symlink_to(Path("/usr/bin", PYTHONS[0]))
    return str(found)


@pytest.fixture
def alone(client: ClaudeClient, tmp_path: Path) -> ClaudeClient:
    """The client with such a PATH."""
    return replace(client, extra={"PATH": bare_path(tmp_path / "bin")})


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


def ours(client: ClaudeClient | Agent, plugin: Path, project: Path, *words: str) -> str:
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
@pytest.mark.slow
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


# The commands of each client, and where it keeps what it has installed.
WAYS = {
    "codex": (
        [["plugin", "marketplace", "add", "{market}"], ["plugin", "add", "recollect@recollect"]],
        [["plugin", "marketplace", "upgrade"], ["plugin", "add", "recollect@recollect"]],
        [["plugin", "remove", "recollect@recollect"]],
        ".codex/plugins/cache/recollect/recollect/*",
    ),
    "gemini": (
        [["extensions", "install", "{market}/gemini", "--consent"]],
        [["extensions", "update", "recollect"]],
        [["extensions", "uninstall", "recollect"]],
        ".gemini/extensions/recollect",
    ),
}
MANIFESTS = ("recollect/.claude-plugin/plugin.json", "gemini/gemini-extension.json")


@pytest.fixture(params=[Codex, Gemini], ids=lambda kind: kind.name)
def other(
    request: pytest.FixtureRequest, agent_home: Path, api: MessagesApi, tmp_path: Path
) -> Agent:
    """Another client with such a PATH."""
    kind: type[Agent] = request.param
    binary, path = kind.find(), bare_path(tmp_path / "bin")
    if binary is None and os.environ.get("RECOLLECT_REQUIRE_CLIENT"):
        pytest.fail(f"{kind.title} is required here (RECOLLECT_REQUIRE_CLIENT) and was not found")
    if binary is None:
        pytest.skip(f"{kind.title} not found: `make client` installs it below .client/")

    class Alone(kind):  # type: ignore[valid-type,misc]
        def environment(self) -> dict[str, str]:
            return {**super().environment(), "PATH": path}

    agent: Agent = Alone(binary, agent_home, api.url)
    agent.prepare()
    return agent


def typed(agent: Agent, project: Path, market: Path, commands: list[list[str]]) -> str:
    """Run commands of the client as a person does who says yes to what it asks; what it printed."""
    printed = ""
    for words in commands:
        done = subprocess.run(
            [agent.binary, *(word.format(market=market) for word in words)],
            env=agent.environment(), cwd=project, input="y\n", capture_output=True, text=True,
            timeout=60, check=False,
        )  # fmt: skip
        printed += done.stdout + done.stderr
        assert done.returncode == 0, printed
    return printed


@pytest.mark.slow
@pytest.mark.skipif(not PYTHONS, reason="no Python of the system's own")
def test_so_do_codex_and_gemini(
    other: Agent, api: MessagesApi, project: Path, tmp_path: Path
) -> None:
    install, upgrade, remove, place = WAYS[other.name]
    market, settings = tmp_path / "market", dict(files_in(other.home))
    build(market)
    typed(other, project, market, install)
    [plugin] = other.home.glob(place)

    first = other.prompt(
        "We decided to use Redis for the session cache because it expires keys.", cwd=project
    )
    assert "clamping" not in first.stderr
    Memory(other, project).settle()
    assert "Redis for the session cache" in ours(other, plugin, project, "list")
    api.add(
        [other.memory_tool("remember", statement="Ports of the cache start at 7000")], [say("Yes.")]
    )
    other.prompt("Which store holds the session cache?", cwd=project)
    assert "Recollect keeps the notes of earlier sessions" in all_text(api.turns[-2])
    Memory(other, project).settle()
    assert "Ports of the cache start at 7000" in ours(other, plugin, project, "list")

    said = ours(other, plugin, project, "doctor")
    assert "connected by the plugin" in said
    assert "not connected" not in said
    assert "hooks last called" in said
    before = dict(files_in(other.home))
    assert "its plugin runs the hooks" in ours(
        other, plugin, project, "init", "--client", other.name
    )
    assert {name: before[name] for name in settings} == {
        name: dict(files_in(other.home))[name] for name in settings
    }

    for name in MANIFESTS:
        (market / name).write_text((market / name).read_text().replace("0.1.0", "0.1.1"))
    typed(other, project, market, upgrade)
    [plugin] = other.home.glob(place)
    assert "0.1.1" in "".join(
        path.read_text() for path in plugin.rglob("*.json") if path.parent.name != "hooks"
    )
    other.prompt("And now?", cwd=project)
    assert "Ports of the cache start at 7000" in all_text(api.turns[-1])
    Memory(other, project).settle()

    typed(other, project, market, remove)
    assert list(other.home.glob(place)) == []
    done = other.prompt("And without it?", cwd=project)
    assert done.returncode == 0
    assert "Recollect" not in all_text(api.turns[-1])
    kept = [path.read_text() for path in tmp_path.rglob("memory/**/*.md")]
    assert any("Ports of the cache start at 7000" in text for text in kept)


def files_in(home: Path) -> list[tuple[str, bytes]]:
    """The settings of the clients in a home folder."""
    names = (".codex/config.toml", ".codex/hooks.json", ".gemini/settings.json")
    return [(name, (home / name).read_bytes()) for name in names if (home / name).exists()]
