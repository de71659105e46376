"""The protocol, in both eras, judged by the types of the official SDK."""

from __future__ import annotations

import json
from typing import Any

import mcp_types
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS
from tests.mcp.talking import ENVELOPE, MODERN, Agent

from recollect.interfaces.mcp import server as protocol
from recollect.interfaces.mcp.server import ProtocolError
from recollect.interfaces.mcp.tools import TOOLS

NAMES = ["recall", "search", "remember", "update", "forget", "expand", "timeline", "status"]
CALLS: dict[str, dict[str, Any]] = {
    "remember": {"title": "Use Redis for the cache", "text": "It is quick.", "kind": "decision"},
    "recall": {"cue": "which cache do we use"},
    "search": {"query": "redis"},
    "expand": {"id": "use-redis-for-the-cache", "level": 2},
    "timeline": {},
    "update": {"id": "use-redis-for-the-cache", "append": "And small."},
    "status": {},
    "forget": {"id": "use-redis-for-the-cache"},
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("mode", ["auto", "legacy", MODERN])
def test_the_sdks_client_lists_and_calls_everything(agent: Agent, mode: str) -> None:
    async def use(client: Client) -> dict[str, str]:
        assert client.protocol_version == (MODERN if mode != "legacy" else "2025-11-25")
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert list(tools) == NAMES
        said = {}
        for name, arguments in CALLS.items():
            result = await client.call_tool(name, arguments)
            assert not result.is_error, result
            assert isinstance(result.content[0], mcp_types.TextContent)
            assert result.structured_content
            assert result.structured_content["text"] == result.content[0].text
            said[name] = result.content[0].text
        return said

    said = agent.with_sdk(use, mode)
    for name in ("recall", "search", "expand"):
        assert "It is quick." in said[name]


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_sdks_client_reads_resources_and_prompts(agent: Agent, mode: str) -> None:
    agent.cli("save", "数据库用 PostgreSQL", "--kind", "decision", "--body", "需要 JSONB。")

    async def use(client: Client) -> None:
        listed = (await client.list_resources()).resources
        assert [str(one.uri) for one in listed[:1]] == ["memory://index"]
        for one in listed:
            [content] = (await client.read_resource(str(one.uri))).contents
            assert isinstance(content, mcp_types.TextResourceContents)
            assert "PostgreSQL" in content.text
        templates = (await client.list_resource_templates()).resource_templates
        assert [one.uri_template for one in templates] == ["memory://{id}"]
        names = [one.name for one in (await client.list_prompts()).prompts]
        assert names == ["recap", "save_session"]
        for topic in ({"topic": "数据库"}, {}):
            [said] = (await client.get_prompt("recap", topic)).messages
            assert isinstance(said.content, mcp_types.TextContent)
            assert "<memory-" in said.content.text
            assert "PostgreSQL" in said.content.text
        assert (await client.get_prompt("save_session")).messages

    agent.with_sdk(use, mode)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "uri", ["memory://none", "memory://../../etc/passwd", "file:///etc/passwd", "memory://", "x"]
)
def test_an_address_of_nothing_is_an_error_of_the_protocol(agent: Agent, uri: str) -> None:
    async def use(client: Client) -> None:
        with pytest.raises(MCPError) as caught:
            await client.read_resource(uri)
        assert caught.value.error.code == -32602

    agent.with_sdk(use)


def test_the_eras_that_the_sdk_knows_are_spoken(agent: Agent) -> None:
    assert tuple(reversed(protocol.HANDSHAKE)) == HANDSHAKE_PROTOCOL_VERSIONS
    assert (protocol.MODERN,) == MODERN_PROTOCOL_VERSIONS
    with agent.server() as server:
        for version in (*protocol.HANDSHAKE, "2099-01-01"):
            agreed = server.result("initialize", protocolVersion=version)["protocolVersion"]
            assert agreed == (version if version in protocol.HANDSHAKE else "2025-11-25")


def test_an_old_request_gets_no_fields_of_the_new_era(agent: Agent) -> None:
    with agent.server() as server:
        assert set(server.result("tools/list")) == {"tools"}
        new = server.result("tools/list", _meta=ENVELOPE)
        assert new["resultType"] == "complete"
        assert new["_meta"][protocol.SERVER_KEY]["name"] == "recollect"
        wrong = {**ENVELOPE, protocol.VERSION_KEY: "2031-01-01"}
        said = server.ask("tools/list", _meta=wrong)["error"]
        assert (said["code"], said["data"]["supported"]) == (-32022, [MODERN])


@pytest.mark.slow
def test_a_client_that_shows_both_forms_of_an_answer_is_sent_one(agent: Agent) -> None:
    with agent.server() as server:
        both = server.result("tools/call", name="status", _meta=ENVELOPE)
        assert both["structuredContent"]["text"] == both["content"][0]["text"]
        for client in ({"name": "copilot-cli", "version": "1.0.102"}, {"name": "copilot-cli"}):
            meta = {**ENVELOPE, protocol.CLIENT_KEY: client}
            found = server.result("tools/call", name="status", _meta=meta)
            assert "structuredContent" not in found
            assert found["content"] == both["content"]
        for nobody in ("copilot-cli", ["copilot-cli"], {"name": ["copilot-cli"]}, None):
            odd: dict[str, object] = {**ENVELOPE, protocol.CLIENT_KEY: nobody}
            assert "structuredContent" in server.result("tools/call", name="status", _meta=odd)


def test_a_probe_without_a_version_is_answered_too(agent: Agent) -> None:
    with agent.server() as server:
        assert server.result("server/discover")["supportedVersions"] == [MODERN]
        assert server.result("ping") == {}
        assert server.ask("logging/setLevel", level="info")["error"]["code"] == -32601


def test_what_is_no_request_is_refused_and_the_next_one_answered(agent: Agent) -> None:
    lines = [b"{", b"[]", b"7", b'"x"', b'{"jsonrpc":"2.0","id":[],"method":"ping"}', b"\xff\xfe",
             b"[" * 100_000, b'{"id":1,"method":7}', b'{"id":1,"method":"ping","params":[]}',
             b'{"id":1,"method":"tools/call"}', b'{"id":1,"method":"resources/read"}',
             b'{"id":1,"method":"prompts/get","params":{"name":"none"}}']  # fmt: skip
    with agent.server() as server:
        for line in lines:
            server.write(line + b"\n")
            assert server.next()["error"]["code"] in (-32700, -32600, -32602), line
        server.write(b'\n\n{"jsonrpc":"2.0","id":9,"result":{}}\n')  # an answer to nothing
        server.write(b'{"jsonrpc":"2.0","method":"notifications/none"}\n')
        assert server.result("ping") == {}


def test_a_line_that_is_too_long_is_refused_and_not_kept(agent: Agent) -> None:
    with agent.server() as server:
        for _ in range(17):
            server.write(b"x" * 1024 * 1024)
        server.write(b"\n")
        assert server.next()["error"]["code"] == -32600
        assert server.result("ping") == {}


@pytest.mark.slow
def test_a_request_that_was_cancelled_before_its_turn_is_not_carried_out(agent: Agent) -> None:
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": "status", "arguments": {}}}  # fmt: skip
    write = {"jsonrpc": "2.0", "id": 2, "method": "tools/call",
             "params": {"name": "remember", "arguments": {"title": "Never", "kind": "fact"}}}  # fmt: skip
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}}
    with agent.server() as server:
        # In one block, so that the cancelling is read while the first call waits to be served.
        server.write(b"".join(json.dumps(m).encode() + b"\n" for m in (call, write, cancel)))
        assert server.next()["id"] == 1
        assert server.ask("tools/call", name="status", arguments={})["id"] == 1
    assert agent.json("list") == []


def test_descriptions_and_instructions_are_shorter_than_clients_cut() -> None:
    assert len("".join(tool.description for tool in TOOLS).encode()) < 2048
    assert len(protocol.INSTRUCTIONS.encode()) < 2048
    for tool in TOOLS:
        for name, schema in tool.takes.items():
            assert schema["description"].endswith("."), f"{tool.name}.{name}"


def test_hints_say_what_the_tools_do() -> None:
    listed = {tool.name: tool.as_json() for tool in TOOLS}
    reads = {name for name, tool in listed.items() if tool["annotations"]["readOnlyHint"]}
    assert reads == {"recall", "search", "expand", "timeline", "status"}
    destroys = {name for name, tool in listed.items() if tool["annotations"]["destructiveHint"]}
    assert destroys == {"update", "forget"}
    assert not [n for n, tool in listed.items() if tool["annotations"]["openWorldHint"]]
    essential = [n for n, tool in listed.items() if tool.get("_meta") == {"anthropic/alwaysLoad": True}]  # fmt: skip
    assert essential == ["recall", "remember"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip
KEYS = st.sampled_from(["jsonrpc", "id", "method", "params", "result", "error", "_meta", "x"])
METHODS = st.sampled_from(["initialize", "ping", "tools/list", "server/discover", "none", "tools/call"])  # fmt: skip


@given(st.dictionaries(KEYS, JSON, max_size=6), METHODS | JSON)
def test_any_json_is_answered_or_passed_over(message: dict[str, Any], method: Any) -> None:
    line = json.dumps({**message, "method": method}).encode()
    try:
        request = protocol.request_of(line)
        result = protocol.answer(request, read_only=False) if request else None
    except ProtocolError as wrong:
        said = protocol.encoded(protocol.refusal(1, wrong))
    else:
        said = protocol.encoded(protocol.message(request, result or {})) if request else b"{}\n"
    assert json.loads(said) is not None
    assert said.count(b"\n") == 1
