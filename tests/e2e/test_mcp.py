"""The plugin's server with the real client: what one session remembers, the next one recalls."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from .memory import Memory
from .messages_api import MessagesApi, call, say, tool_results

if TYPE_CHECKING:
    from .client import ClaudeClient

pytestmark = [pytest.mark.e2e, pytest.mark.slow]
TOOLS = "mcp__plugin_recollect_recollect__"


def test_one_session_remembers_through_the_tool_and_the_next_one_recalls(
    client: ClaudeClient, api: MessagesApi, project: Path, memory: Memory
) -> None:
    api.add(
        [call(f"{TOOLS}remember", title="Use Redis for the session cache", kind="decision",
              text="One hour is enough.")],
        [say("Remembered.")],
    )  # fmt: skip
    first = client.prompt("Please note what we agreed on.", cwd=project)
    assert (first.returncode, first.stderr) == (0, "")
    # The essential ones are in sight from the start; the others wait behind the tool search.
    offered = {name for request in api.turns for name in request.tool_names}
    assert {f"{TOOLS}recall", f"{TOOLS}remember"} <= offered
    assert f"{TOOLS}forget" not in offered
    memory.settle()
    # The session's own memory tells it as well.
    [row] = [
        row
        for row in memory.json("list", "--pages", "--kind", "decision")
        if row["kind"] == "decision"
    ]
    assert (row["id"], row["trust"]) == ("use-redis-for-the-session-cache", "agent")

    api.add([call(f"{TOOLS}recall", cue="which cache do the sessions have")], [say("Redis.")])
    second = client.prompt("Good morning.", cwd=project)
    assert (second.returncode, second.stderr) == (0, "")
    answered = [str(block) for block in tool_results(api.turns[-1])]
    assert any("<memory-" in text and "One hour is enough." in text for text in answered)


def test_what_the_tools_answer_is_not_captured_as_news(
    client: ClaudeClient, api: MessagesApi, project: Path, memory: Memory
) -> None:
    memory.run(
        "save", "Use PostgreSQL for events", "--kind", "decision", "--body", "We need JSONB."
    )
    api.add([call(f"{TOOLS}recall", cue="which database for events")], [say("It is known.")])
    client.prompt("We decided to keep the name of the service as it is.", cwd=project)
    memory.settle()
    for row in memory.sessions():
        assert "JSONB" not in memory.text(row["id"])


def test_no_tool_is_called_without_the_person_s_permission(
    client: ClaudeClient, api: MessagesApi, project: Path, memory: Memory
) -> None:
    memory.run("save", "Use Redis for the cache", "--kind", "decision", "--body", "It is quick.")
    api.add(
        [call(f"{TOOLS}recall", cue="which cache do we use")],
        [call(f"{TOOLS}remember", title="Use Kafka for the log", kind="decision")],
        [say("Done.")],
    )
    # As a person runs it: without the switch that skips all questions, and nobody to answer them.
    result = client.run("-p", "Which cache do we use?", "--output-format", "json", cwd=project)
    assert (result.returncode, result.stderr) == (0, "")
    for result_of in tool_results(api.turns[-1]):
        assert result_of["is_error"]
        assert "permission" in str(result_of["content"]).lower()
    memory.settle()
    assert "kafka" not in str(memory.json("list", "--kind", "decision")).lower()


def test_init_has_the_client_add_the_tools_and_uninstall_remove_them(
    client: ClaudeClient, api: MessagesApi, project: Path
) -> None:
    person = replace(client, extra={"PATH": f"{Path(client.binary).parent}:/usr/bin:/bin"})
    memory = Memory(person, project)
    person.run("mcp", "add", "--scope", "user", "other", "--", "true", cwd=project)
    state = person.home / ".claude.json"
    before = json.loads(state.read_text("utf-8"))

    memory.run("init", "--client", "claude")
    tool = "mcp__recollect__remember"
    api.add(
        [
            call(
                tool,
                statement="Sessions are cached in Redis for one hour.",
                subject="Session cache",
            )
        ],
        [say("Remembered.")],
    )
    told = person.prompt("Where are sessions cached? In Redis, for one hour.", cwd=project)
    assert (told.returncode, told.stderr) == (0, "")
    assert tool in {name for request in api.turns for name in request.tool_names}
    memory.settle()
    assert "Sessions are cached in Redis for one hour." in memory.run("search", "session cache")

    # Another installation's server is renewed, one that was added by hand stays.
    ours = json.loads(state.read_text("utf-8"))["mcpServers"]["recollect"]
    person.run("mcp", "remove", "--scope", "user", "recollect", cwd=project)
    gone = ("/gone/bin/python", "-I", "/gone/recollect/__main__.py", "mcp")
    person.run("mcp", "add", "--scope", "user", "recollect", "--", *gone, cwd=project)
    assert "Added the tools" in memory.run("init", "--client", "claude")
    assert json.loads(state.read_text("utf-8"))["mcpServers"]["recollect"] == ours
    assert "claude has the tools (MCP) already" in memory.run("init", "--client", "claude")
    assert "its MCP server responds" in memory.run("doctor", "--json")

    assert "Removed the tools" in memory.run("uninstall")
    assert json.loads(state.read_text("utf-8"))["mcpServers"] == before["mcpServers"]


def test_a_person_can_allow_the_tools_for_good(
    client: ClaudeClient, api: MessagesApi, project: Path
) -> None:
    """As docs/mcp.md says: without it the client asks, and in `-p` nobody answers."""
    person = replace(client, extra={"PATH": f"{Path(client.binary).parent}:/usr/bin:/bin"})
    memory = Memory(person, project)
    memory.run("init", "--client", "claude")
    tools = ["mcp__recollect__remember", "mcp__recollect__recall"]
    settings = json.loads(person.settings_path.read_text("utf-8"))
    person.write_settings(settings | {"permissions": {"allow": tools}})
    api.add(
        [call(tools[0], statement="Sessions are cached in Redis for one hour.", subject="Session cache")],
        [call(tools[1], cue="where are sessions cached")],
        [say("In Redis.")],
    )  # fmt: skip
    result = person.run("-p", "Where are sessions cached?", "--output-format", "json", cwd=project)
    assert (result.returncode, result.stderr) == (0, "")
    answered = [one for turn in api.turns for one in tool_results(turn)]
    assert not any(one.get("is_error") for one in answered)
    assert "cached in Redis" in str(answered[-1]["content"])
    memory.settle()
