"""Fixtures of the end-to-end tests: a client with a scratch home, a project, an API.

Promises: everything lives below the test's own temporary folder; a test fails when the client or
    its hooks leave a process behind.
Touches: the temporary folder, loopback.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from .agents import AGENTS, Agent
from .client import ClaudeClient, find_claude
from .memory import PLUGIN, Memory
from .messages_api import MessagesApi
from .processes import describe, leftovers
from .recorder import Recorder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker, for runs with --strict-markers."""
    config.addinivalue_line("markers", "e2e: drives the real Claude Code client, offline")


@pytest.fixture
def api() -> Iterator[MessagesApi]:
    """A running API with an empty script."""
    with MessagesApi() as running:
        yield running


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A git repository to work in."""
    folder = tmp_path / "project"
    subprocess.run(["git", "init", "-q", "-b", "main", str(folder)], check=True)
    return folder


@pytest.fixture
def client(tmp_path: Path, api: MessagesApi) -> Iterator[ClaudeClient]:
    """The real client with a scratch home; skips the test when it is not installed."""
    if sys.platform != "linux":
        pytest.skip("watching for processes that are left behind needs /proc")
    binary = find_claude()
    if binary is None and os.environ.get("RECOLLECT_REQUIRE_CLIENT"):
        pytest.fail("Claude Code is required here (RECOLLECT_REQUIRE_CLIENT) and was not found")
    if binary is None:
        pytest.skip("Claude Code not found: set RECOLLECT_CLAUDE or install it below .client/")
    home = tmp_path / "home"
    yield ClaudeClient(binary, home, api.url)
    left = leftovers(home, within=10)
    assert not left, f"processes left behind:\n{describe(left)}"


def _agent(kind: type[Agent], home: Path, api: MessagesApi) -> Agent:
    """A client of this kind with a scratch home; skips the test when it is not installed."""
    binary = kind.find()
    if binary is None and os.environ.get("RECOLLECT_REQUIRE_CLIENT"):
        pytest.fail(f"{kind.title} is required here (RECOLLECT_REQUIRE_CLIENT) and was not found")
    if binary is None:
        pytest.skip(f"{kind.title} not found: `make client` installs it below .client/")
    agent = kind(binary, home, api.url)
    agent.prepare()
    return agent


@pytest.fixture
def agent_home(tmp_path: Path) -> Iterator[Path]:
    """The scratch home of the clients beyond Claude Code; nothing may be running in it at the end."""
    if sys.platform != "linux":
        pytest.skip("watching for processes that are left behind needs /proc")
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    yield home
    left = leftovers(home, within=10)
    assert not left, f"processes left behind:\n{describe(left)}"


@pytest.fixture(params=AGENTS, ids=lambda kind: kind.name)
def agent(request: pytest.FixtureRequest, agent_home: Path, api: MessagesApi) -> Agent:
    """Each of the clients beyond Claude Code."""
    return _agent(request.param, agent_home, api)


@pytest.fixture
def agents(agent_home: Path, api: MessagesApi) -> dict[str, Agent]:
    """All of them, as one person has them."""
    return {kind.name: _agent(kind, agent_home, api) for kind in AGENTS}


@pytest.fixture
def memory(client: ClaudeClient, project: Path) -> Memory:
    """Recollect as that user has it: stores made, the plugin installed from its marketplace."""
    memory = Memory(client, project)
    memory.run("init", "--scope", "both")
    for result in (client.add_marketplace(PLUGIN), client.install_plugin("recollect@recollect")):
        assert result.returncode == 0, result.stdout + result.stderr
    return memory


@pytest.fixture
def recorder(tmp_path: Path) -> Recorder:
    """A hook program that writes down every event."""
    return Recorder(tmp_path / "recorder")
