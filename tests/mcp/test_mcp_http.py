"""The server over HTTP: both eras, as the SDK's client speaks them and message by message."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import mcp_types
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from tests.mcp.over_http import served
from tests.mcp.talking import MODERN, Agent
from tests.mcp.test_mcp_protocol import CALLS, NAMES

from recollect.interfaces.mcp import server as protocol

pytestmark = pytest.mark.slow  # each loads the SDK of the extra: a second


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["auto", "legacy", MODERN])
def test_the_sdks_client_lists_calls_and_reads_everything(agent: Agent, mode: str) -> None:
    async def use(client: Client) -> None:
        assert client.protocol_version == (MODERN if mode != "legacy" else "2025-11-25")
        assert [tool.name for tool in (await client.list_tools()).tools] == NAMES
        for name, arguments in CALLS.items():
            result = await client.call_tool(name, arguments)
            assert not result.is_error, result
            assert isinstance(result.content[0], mcp_types.TextContent)
            assert result.structured_content
            assert result.structured_content["text"] == result.content[0].text
        await client.call_tool("remember", {"title": "数据库用 PostgreSQL", "kind": "fact"})
        listed = (await client.list_resources()).resources
        assert len(listed) == 2
        for one in listed:  # the second has a name that is no ASCII
            [content] = (await client.read_resource(str(one.uri))).contents
            assert isinstance(content, mcp_types.TextResourceContents)
            assert "PostgreSQL" in content.text
        assert (await client.list_resource_templates()).resource_templates
        for prompt in (await client.list_prompts()).prompts:
            assert (await client.get_prompt(prompt.name)).messages
        with pytest.raises(MCPError) as caught:
            await client.read_resource("memory://none")
        assert caught.value.error.code == -32602

    with served(agent) as server:
        server.with_sdk(use, mode)


def test_several_clients_at_once_lose_nothing(agent: Agent) -> None:
    from concurrent.futures import ThreadPoolExecutor

    with served(agent) as server:

        def remember(n: int) -> str:
            return server.text("remember", title=f"Thing {n} is so", kind="fact")

        with ThreadPoolExecutor(6) as pool:
            said = list(pool.map(remember, range(18)))
    assert len(set(said)) == 18
    assert len(agent.json("list", "--limit", "100")) == 18


def test_a_connection_is_used_again(agent: Agent) -> None:
    import http.client

    with served(agent) as server:
        link = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        for n in range(3):
            body = json.dumps({"jsonrpc": "2.0", "id": n, "method": "ping"})
            link.request("POST", "/mcp", body, server.headers)
            assert b'"result":{}' in link.getresponse().read()
        link.close()


def test_a_notification_and_an_answer_to_nothing_are_taken_without_an_answer(agent: Agent) -> None:
    with served(agent) as server:
        for message in (
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
            {"jsonrpc": "2.0", "id": 4, "result": {}},
        ):
            said = server.post(message)
            assert (said.status, said.body) == (202, b"")


def test_what_is_no_message_is_refused(agent: Agent) -> None:
    with served(agent) as server:
        for body in (b"", b"{", b"[]", b"7", b"[" * 100_000, b'{"id":[],"method":"ping"}'):
            said = server.request("POST", body)
            assert said.status == 400
            assert "error" in said.json
        assert server.ask("ping") == {}


def test_reading_only_is_reading_only_over_http_too(agent: Agent) -> None:
    with served(agent, "--read-only") as server:
        assert len(server.ask("tools/list")["tools"]) == 5


def test_the_entry_that_it_prints_is_what_lets_a_client_in(agent: Agent) -> None:
    entry = json.loads(agent.cli("mcp", "--http", "--port", "9", "--json"))["mcpServers"][
        "recollect"
    ]
    assert (entry["type"], entry["url"]) == ("http", "http://127.0.0.1:9/mcp")
    with served(agent) as server:
        assert server.headers["Authorization"] == entry["headers"]["Authorization"]
        assert server.token_path.stat().st_mode & 0o777 == 0o600


def test_the_token_stays_the_same_and_one_that_is_none_is_refused(agent: Agent) -> None:
    first = agent.cli("mcp", "--http", "--json")
    assert agent.cli("mcp", "--http", "--json") == first
    path = agent.home / ".local/share/recollect/http-token"
    path.write_text("short\n")
    ran = agent.start(["mcp", "--http", "--json"])
    out, err = ran.communicate(timeout=60)
    assert ran.returncode == 15
    assert b"contains no token" in out + err
    assert path.read_text() == "short\n"


def test_a_port_that_is_taken_is_said_to_be(agent: Agent) -> None:
    with served(agent) as server:
        ran = agent.start(["mcp", "--http", "--port", str(server.port)])
        out, err = ran.communicate(timeout=60)
        assert (ran.returncode, out) == (13, b"")
        assert str(server.port).encode() in err
        assert b"--port" in err


def test_nothing_is_remembered_of_a_session(agent: Agent) -> None:
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}  # fmt: skip
    with served(agent) as server:
        said = server.post({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client})
        assert said.json["result"]["protocolVersion"] == "2025-06-18"
        assert "mcp-session-id" not in said.headers
        for name in ("made-up", None):  # as after a restart
            said = server.post({"jsonrpc": "2.0", "id": 1, "method": "ping"}, Mcp_Session_Id=name)
            assert said.json["result"] == {}


def test_both_eras_are_told_the_same_of_it(agent: Agent) -> None:
    async def use(client: Client) -> tuple[object, ...]:
        return client.server_info, client.instructions

    with served(agent) as server:
        info, instructions = server.with_sdk(use, "legacy")
        assert (info, instructions) == server.with_sdk(use, "auto")
        assert instructions == protocol.instructions()


def test_without_the_extra_it_says_what_to_install(agent: Agent) -> None:
    code = "import sys\nsys.modules['mcp'] = None\nfrom recollect.__main__ import main\nmain()\n"
    ran = subprocess.run(
        [sys.executable, "-c", code, "mcp", "--http", "--port", "0"], cwd=agent.project,
        env={**agent.env, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    assert (ran.returncode, ran.stdout) == (14, b"")
    assert b"pip install 'recollect-memory[http]'" in ran.stderr
