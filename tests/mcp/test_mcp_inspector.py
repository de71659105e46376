"""The Inspector, the protocol's own tool for trying servers, lists and calls everything.

Skipped, visibly, where npm or the pinned Inspector is not to be had; RECOLLECT_INSPECTOR names a
folder with an installed one (`npm install --prefix FOLDER @modelcontextprotocol/inspector@…`).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.mcp.over_http import served
from tests.mcp.talking import PROGRAM, Agent
from tests.mcp.test_mcp_protocol import CALLS, NAMES

VERSION = "2.12.0"
OURS = Path(__file__).resolve().parents[2] / ".client" / "inspector"
FOLDER = Path(os.environ.get("RECOLLECT_INSPECTOR", str(OURS)))
pytestmark = pytest.mark.slow


@pytest.fixture
def inspector() -> str:
    """The Inspector's program."""
    found = FOLDER / "node_modules" / ".bin" / "mcp-inspector"
    missing = "node" if not shutil.which("node") else "" if found.exists() else str(found)
    if missing and os.environ.get("RECOLLECT_REQUIRE_CLIENT"):
        pytest.fail(f"the Inspector is required here, and {missing} was not found")
    if missing:
        pytest.skip(f"MCP Inspector not found ({missing}); see the docstring of this test")
    return str(found)


def inspected(inspector: str, agent: Agent, *words: str) -> tuple[int, Any]:
    """The exit code and the JSON of one run of the Inspector."""
    return ran_inspector(inspector, agent, *PROGRAM, "mcp", *words)


def ran_inspector(inspector: str, agent: Agent, *words: str) -> tuple[int, Any]:
    """The exit code and the JSON of one run of the Inspector with these words."""
    path = os.pathsep.join({os.path.dirname(shutil.which("node") or ""), "/usr/bin", "/bin"})
    command = [inspector, "--cli", "--format", "json", "-q", *words]
    ran = subprocess.run(command, cwd=agent.project, env={**agent.env, "PATH": path},
                         capture_output=True, timeout=120, check=False)  # fmt: skip
    assert ran.stdout, ran.stderr.decode()
    return ran.returncode, json.loads(ran.stdout)["result"]


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_inspector_lists_the_tools_strictly(inspector: str, agent: Agent, era: str) -> None:
    words = ("--method", "tools/list", "--strict", "--protocol-era", era)
    code, listed = inspected(inspector, agent, *words)
    assert code == 0
    assert [tool["name"] for tool in listed["tools"]] == NAMES


def test_the_inspector_calls_each_tool(inspector: str, agent: Agent) -> None:
    for name, given in CALLS.items():
        words = [f"{key}={value}" for key, value in given.items()]
        options = ["--method", "tools/call", "--tool-name", name]
        code, said = inspected(inspector, agent, *options, *(w for x in words for w in ("--tool-arg", x)))  # fmt: skip
        assert code == 0, said
        assert said["content"][0]["text"]
    code, said = inspected(
        inspector, agent, "--method", "tools/call", "--tool-name", "expand", "--tool-arg", "id=none"
    )
    assert (code, said["isError"]) == (5, True)


def test_the_inspector_reads_resources_and_prompts(inspector: str, agent: Agent) -> None:
    agent.cli("save", "Use Redis", "--kind", "fact")
    for words, key in (
        (("--method", "resources/list"), "resources"),
        (("--method", "resources/templates/list"), "resourceTemplates"),
        (("--method", "resources/read", "--uri", "memory://index"), "contents"),
        (("--method", "resources/read", "--uri", "memory://use-redis"), "contents"),
        (("--method", "prompts/list"), "prompts"),
        (("--method", "prompts/get", "--prompt-name", "recap", "--prompt-args", "topic=redis"), "messages"),
    ):  # fmt: skip
        code, said = inspected(inspector, agent, *words)
        assert code == 0, said
        assert said[key]


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_inspector_lists_and_calls_over_http(inspector: str, agent: Agent, era: str) -> None:
    with served(agent) as server:
        bearer = f"Authorization: {server.headers['Authorization']}"
        where = (server.url, "--transport", "http", "--header", bearer, "--protocol-era", era)
        code, listed = ran_inspector(inspector, agent, *where, "--method", "tools/list", "--strict")
        assert code == 0
        assert [tool["name"] for tool in listed["tools"]] == NAMES
        call = ("--method", "tools/call", "--tool-name")
        code, said = ran_inspector(inspector, agent, *where, *call, "status")
        assert code == 0
        assert said["content"][0]["text"]
        code, _ = ran_inspector(inspector, agent, *where, *call, "expand", "--tool-arg", "id=none")
        assert code == 5
