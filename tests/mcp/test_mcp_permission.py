"""Nobody is told that one of our tools needs no permission: a project may name its server as ours."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.hooks.machine import Machine, Ran

from recollect.clients import base as lines
from recollect.interfaces.mcp.tools import TOOLS

PLUGIN = Path(__file__).resolve().parents[2] / "plugin" / "recollect"


def test_the_plugin_asks_to_decide_about_no_tool() -> None:
    assert "PreToolUse" not in json.loads((PLUGIN / "hooks" / "hooks.json").read_text())["hooks"]


def test_the_hook_program_allows_nothing(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    payload = {"session_id": "47b6", "cwd": str(machine.project)}
    for tool in TOOLS:
        named = payload | {"tool_name": f"mcp__plugin_recollect_recollect__{tool.name}"}
        assert machine.feed("PreToolUse", json.dumps(named).encode()) == Ran(0, b"", b"")


def test_our_tools_are_those_of_the_server() -> None:
    assert sorted(lines.OUR_TOOLS) == sorted(tool.name for tool in TOOLS)


@pytest.mark.parametrize(
    "name",
    ["mcp__recollect_evil__recall", "mcp__recollect__evil", "mcp__recollectx__recall", "recall"],
)
def test_a_server_whose_name_begins_like_ours_is_not_ours(name: str) -> None:
    assert not lines.is_ours(name, ("mcp__recollect__", "mcp__plugin_recollect_recollect__"))
