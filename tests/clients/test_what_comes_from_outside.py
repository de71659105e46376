"""What an agent reads from outside is noticed: by tools of any server, and by agents that it sent."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.capture.transcripts import Transcript
from tests.clients import transcripts as told

from recollect.clients.claude import ClaudeTranscripts
from recollect.clients.codex import CodexTranscripts
from recollect.clients.copilot import CopilotTranscripts
from recollect.clients.gemini import GeminiTranscripts
from recollect.clients.opencode import OpenCodeTranscripts

FETCH = "curl -s https://tea.example/guide"


def _written(path: Path, rows: list[told.Json]) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(map(told.as_bytes, rows)))
    return str(path)


def _has_read(reader: Any, path: str) -> bool:
    return any(event.is_page for event in reader.read(path, 0, 0).events)


# ------------------------------------------------------------------------------------- its own tools


@pytest.mark.parametrize(
    "tool", ["ReadMcpResourceTool", "read_mcp_resource", "web_search", "mcp__recollect__fetch"]
)
def test_claude_reads_pages_by_whatever_tool(tool: str, tmp_path: Path) -> None:
    log = Transcript()
    log.call(tool, uri="tracker://issue/12")
    assert _has_read(ClaudeTranscripts(), log.save(tmp_path))


@pytest.mark.parametrize("tool", ["Read", "Grep", "ToolSearch", "mcp__ide__getDiagnostics"])
def test_claude_reads_its_project_by_these(tool: str, tmp_path: Path) -> None:
    log = Transcript()
    log.call(tool, path="a.py")
    assert not _has_read(ClaudeTranscripts(), log.save(tmp_path))


@pytest.mark.parametrize(
    ("row", "is_read"),
    [
        (("response_item", {"type": "web_search_call", "status": "completed"}), True),
        (*told.codex_call("tracker__get_issue", "c1", {}, "…")[:1], True),
        (*told.codex_call("recollect__recall", "c1", {}, "…")[:1], False),
        (*told.codex_call("view_image", "c1", {}, "…")[:1], False),
    ],
)
def test_an_older_codex_reads_pages_by_calls(
    row: tuple[str, told.Json], is_read: bool, tmp_path: Path
) -> None:
    path = _written(told.codex_path(tmp_path), told.codex_rows(row, ordinal=False))
    assert _has_read(CodexTranscripts(), path) is is_read


@pytest.mark.parametrize(
    ("tool", "is_read"),
    [
        ("tracker_get_issue", True),
        ("codesearch", True),
        ("lsp", False),
        ("recollect_recall", False),
    ],
)
def test_opencode_names_a_servers_tools_as_it_likes(
    tool: str, is_read: bool, tmp_path: Path
) -> None:
    base = told.OpenCode(tmp_path / "opencode.db")
    base.add("assistant", told._tool(tool, {"path": "x"}))
    assert _has_read(OpenCodeTranscripts(), f"{base.path}#{told.OPENCODE_SESSION}") is is_read


@pytest.mark.parametrize(
    ("tool", "is_read"), [("get_issue", True), ("browser_agent", True), ("grep_search", False)]
)
def test_gemini_calls_tools_of_servers_by_their_own_names(
    tool: str, is_read: bool, tmp_path: Path
) -> None:
    rows = told.gemini_rows(told.gemini_call(tool, {}, "…"))
    assert _has_read(GeminiTranscripts(), _written(told.gemini_path(tmp_path), rows)) is is_read


@pytest.mark.parametrize(
    ("tool", "given", "is_read"),
    [
        ("github-mcp-server-get_issue", {}, True),
        ("powershell", {"command": "iwr https://tea.example/guide"}, True),
        ("recollect-recall", {}, False),
        ("grep", {"pattern": "x"}, False),
    ],
)
def test_copilot_reads_pages_by_whatever_tool(
    tool: str, given: told.Json, is_read: bool, tmp_path: Path
) -> None:
    rows = told.copilot_rows(*told.copilot_call("c1", tool, given, "…"))
    assert _has_read(CopilotTranscripts(), _written(told.copilot_path(tmp_path), rows)) is is_read


# --------------------------------------------------------------------------- agents that it has sent


@pytest.mark.parametrize("is_read", [True, False])
@pytest.mark.parametrize("where", ["own folder", "beside", "same file", "in the background"])
def test_claude_has_read_what_an_agent_read_that_it_sent(
    where: str, is_read: bool, tmp_path: Path
) -> None:
    log, its = Transcript("b7"), Transcript("agent-a1")
    log.prompt("Which cache is the best?")
    if is_read:
        its._said(
            [{"type": "tool_use", "id": "t", "name": "WebFetch", "input": {}}],
            isSidechain=True,
            agentId="a1",
        )
    its.answer("Zebrafish", isSidechain=True, agentId="a1")
    call = log.call("Agent", prompt="Find out")
    if where == "same file":
        log.lines += its.lines
    elif where == "beside":
        its.save(tmp_path)
    else:
        its.save(tmp_path / "b7" / "subagents")
    if where == "in the background":
        log.queued("<task-notification>\n<task-id>a1</task-id>\n</task-notification>", humanTurn=False, origin={"kind": "task-notification"})  # fmt: skip
    else:
        log.result(call, "Zebrafish", extra={"agentId": "a1", "status": "completed"})
    log.answer("Zebrafish is the best.")
    assert _has_read(ClaudeTranscripts(), log.save(tmp_path)) is is_read


def test_claude_has_read_what_an_agent_of_its_agent_read(tmp_path: Path) -> None:
    log, first, second = Transcript("b7"), Transcript("agent-a1"), Transcript("agent-a2")
    for one, agent in ((log, "a1"), (first, "a2")):
        one.result(one.call("Agent", prompt="x"), "y", extra={"agentId": agent})
    second.shell(FETCH, "x")
    second.result(second.call("Agent", prompt="x"), "y", extra={"agentId": "a1"})  # no end of it
    for one in (first, second):
        one.save(tmp_path / "b7" / "subagents")
    assert _has_read(ClaudeTranscripts(), log.save(tmp_path))


@pytest.mark.parametrize("agent", ["../../b7", "/etc/passwd", "a*", ""])
def test_the_name_of_an_agent_leads_nowhere_else(agent: str, tmp_path: Path) -> None:
    log = Transcript("b7")
    log.result(log.call("Agent", prompt="x"), "y", extra={"agentId": agent})
    assert not _has_read(ClaudeTranscripts(), log.save(tmp_path))


@pytest.mark.parametrize("is_new", [True, False])
def test_codex_has_read_what_an_agent_read_that_it_sent(is_new: bool, tmp_path: Path) -> None:
    folder, agent = tmp_path / "sessions", "01a2025d-b5e5-7411-b788-ea7466eb0f65"
    if is_new:
        item = {"type": "CollabAgentToolCall", "id": "k1", "receiver_thread_ids": [agent]}
        rows = [("event_msg", {"type": "item_completed", "item": item})]
    else:
        said = json.dumps({"agent_id": agent})
        rows = told.codex_call("spawn_agent", "c1", {"message": "Find out"}, said)
    path = _written(told.codex_path(folder), told.codex_rows(*rows, ordinal=is_new))
    assert not _has_read(CodexTranscripts(), path)
    its = told.codex_rows(told._item({"type": "WebSearch", "id": "w1", "query": "x"}))
    _written(told.codex_path(folder).with_name(f"rollout-2026-03-04T09-31-00-{agent}.jsonl"), its)
    assert _has_read(CodexTranscripts(), path)


def test_gemini_has_read_what_an_agent_read_that_it_sent(tmp_path: Path) -> None:
    rows = told.gemini_rows(told.gemini_call("invoke_agent", {"prompt": "x"}, "y"))
    path = _written(told.gemini_path(tmp_path), rows)
    assert not _has_read(GeminiTranscripts(), path)
    its = told.gemini_rows(told.gemini_call("web_fetch", {}, "…"))
    _written(Path(path).parent / told.SESSION / "agent.jsonl", its)
    assert _has_read(GeminiTranscripts(), path)


@pytest.mark.parametrize(("tool", "is_read"), [("web_fetch", True), ("view", False)])
def test_copilot_has_read_what_an_agent_read_that_it_sent(
    tool: str, is_read: bool, tmp_path: Path
) -> None:
    calls = told.copilot_call("c1", tool, {"url": "https://tea.example"}, "…")
    rows = told.copilot_rows(*((kind, data | {"parentToolCallId": "c0"}) for kind, data in calls))
    path = _written(told.copilot_path(tmp_path), rows)
    assert {event.kind for event in CopilotTranscripts().read(path, 0, 0).events} <= {"web"}
    assert _has_read(CopilotTranscripts(), path) is is_read


@pytest.mark.parametrize(("command", "is_read"), [(FETCH, True), ("ls", False)])
def test_opencode_has_read_what_an_agent_read_that_it_sent(
    command: str, is_read: bool, tmp_path: Path
) -> None:
    base = told.OpenCode(tmp_path / "opencode.db")
    task = told._tool("task", {"prompt": "Find out"})
    task["state"]["metadata"]["sessionId"] = "ses_child"
    base.add("assistant", task)
    with closing(sqlite3.connect(base.path)) as db:
        its = json.dumps(told._tool("bash", {"command": command}))
        db.execute("INSERT INTO part VALUES ('p9','m9','ses_child',1,1,?)", (its,))
        db.commit()
    assert _has_read(OpenCodeTranscripts(), f"{base.path}#{told.OPENCODE_SESSION}") is is_read
