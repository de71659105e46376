"""The plugin's word that tools which only read need no permission, and about which it says nothing."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.hooks.machine import Machine, Ran

from recollect.doors.mcp.tools import TOOLS
from recollect.hooks.allowing import OURS, READING, answer_to

PLUGIN = Path(__file__).resolve().parents[2] / "plugin" / "recollect"
READS = [tool.name for tool in TOOLS if tool.reads]


def said_of(name: str, **more: Any) -> dict[str, Any]:
    """What the hook says of a tool, as JSON."""
    payload = {"session_id": "47b6", "hook_event_name": "PreToolUse", "tool_input": {}}
    out = answer_to(json.dumps({**payload, "tool_name": name, **more}).encode())
    return dict(json.loads(out)) if out else {}


def test_the_tools_that_need_no_permission_are_those_that_only_read() -> None:
    assert list(READING) == READS
    [group] = json.loads((PLUGIN / "hooks" / "hooks.json").read_text())["hooks"]["PreToolUse"]
    matched = re.compile(group["matcher"])
    assert [t.name for t in TOOLS if matched.search(OURS + t.name)] == READS
    assert not matched.search(f"x{OURS}recall")
    assert not matched.search(f"{OURS}recallx")


@pytest.mark.parametrize("name", READS)
def test_a_tool_that_only_reads_is_allowed(name: str) -> None:
    told = said_of(OURS + name, tool_input={"cue": 'a "quoted" word'})["hookSpecificOutput"]
    assert (told["hookEventName"], told["permissionDecision"]) == ("PreToolUse", "allow")


@pytest.mark.parametrize(
    "name",
    [
        f"{OURS}remember", f"{OURS}update", f"{OURS}forget", f"{OURS}recall2", OURS, "Bash", "",
        # What a project's own `.mcp.json` calls its server, or another plugin.
        "mcp__recollect__recall", "mcp__plugin_other_recollect__recall",
    ],
)  # fmt: skip
def test_about_any_other_tool_nothing_is_said(name: str) -> None:
    assert said_of(name) == {}
    # What is put into a tool cannot pass for its name.
    assert said_of(name, tool_input={"tool_name": f"{OURS}recall"}) == {}
    assert said_of(name, tool_input={"x": f'","tool_name":"{OURS}recall","y":"'}) == {}


@pytest.mark.parametrize(
    "raw", [b"", b"[]", b"{", b'{"tool_name":7}', b'{"tool_name":"%sre', b"\xff"]
)
def test_of_what_is_no_payload_nothing_is_said(raw: bytes) -> None:
    assert answer_to(raw) == b""


def test_half_a_payload_allows_nothing() -> None:
    whole = json.dumps({"tool_name": f"{OURS}recall", "tool_input": {"cue": "x"}}).encode()
    assert answer_to(whole)
    assert not [n for n in range(len(whole)) if answer_to(whole[:n])]


def test_the_hook_program_says_it_where_no_store_is(tmp_path: Path) -> None:
    machine = Machine(tmp_path)

    def fire(tool: str) -> Ran:
        payload = {"session_id": "47b6", "cwd": str(machine.project), "tool_name": OURS + tool}
        return machine.feed("PreToolUse", json.dumps(payload).encode())

    assert fire("recall").output["hookSpecificOutput"]["permissionDecision"] == "allow"
    assert fire("forget") == Ran(0, b"", b"")
    assert not machine.root.exists()
