"""Who gets in over HTTP, and how it ends."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import threading
import time
from collections.abc import Collection
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest
from tests.mcp.over_http import HttpServer, modern, outside, served
from tests.mcp.talking import SECONDS, Agent
from tests.mcp.test_mcp_ending import wait_until

from recollect.interfaces.mcp.server import LONGEST_LINE

pytestmark = pytest.mark.slow  # each loads the SDK of the extra: a second

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
WRITE = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
         "params": {"name": "remember", "arguments": {"title": "Never", "kind": "fact"}}}  # fmt: skip
MAIN = "from recollect.__main__ import main\nmain()\n"
# The first call takes as long as anybody wants to know of it; on stderr it says when it has begun
# and when it was dropped.
PREPARING = (
    """
import sys, time
from recollect.app import App
from recollect.interfaces.mcp import server as desk
desk.QUIET_SECONDS = desk.BETWEEN_SECONDS = -1

real = App.stores
def stores(self, scope="", progress=None, **how):
    if progress is None:
        return real(self, scope)
    App.stores = real
    print("begun", file=sys.stderr, flush=True)
    try:
        for n in range(100, 10**9, 100):
            progress(n)
            time.sleep(0.01)
    except desk.Cancelled:
        print("dropped", file=sys.stderr, flush=True)
        raise
App.stores = stores
"""
    + MAIN
)


# What is not ours to say, the SDK refuses in its own way.
TURNED_AWAY: list[tuple[dict[str, Any], Collection[int]]] = [
    ({"Authorization": None}, {401}),
    ({"Authorization": "Bearer "}, {401}),
    ({"Authorization": "Bearer " + "0" * 64}, {401}),
    ({"Authorization": "Basic dXNlcjpwdw=="}, {401}),
    ({"Authorization": "Bearer \u00fc"}, {401}),
    ({"Authorization": None, "path": "/"}, {401}),
    ({"Origin": "https://example.com"}, {403}),
    ({"Origin": "null"}, {403}),
    ({"Origin": "http://localhost:1"}, {403}),
    ({"Host": "example.com"}, {421}),
    ({"Host": "127.0.0.1"}, {421}),
    ({"Host": "127.0.0.1.example.com:80"}, {421}),
    ({"Host": None}, range(400, 500)),
    ({"Content_Type": "text/plain"}, range(400, 500)),
    ({"Content_Type": None}, range(400, 500)),
    ({"Accept": "text/html"}, range(400, 500)),
    ({"Content_Length": "99999999"}, {413}),
    ({"Content_Length": "-1"}, range(400, 500)),
    ({"Content_Length": None}, range(400, 500)),
    ({"path": "/"}, {404}),
    ({"path": "/mcp/../etc"}, {404}),
]


def test_who_may_not_come_in_changes_nothing(agent: Agent) -> None:
    with served(agent) as server:
        for headers, expected in TURNED_AWAY:
            said = server.request("POST", json.dumps(WRITE).encode(), **headers)
            assert said.status in expected, (headers, said)
            assert "server" not in said.headers
        assert server.ask("ping") == {}  # what follows is served as ever
    assert agent.json("list") == []


def test_a_message_that_is_too_long_is_refused_whoever_says_how_long_it_is(agent: Agent) -> None:
    with served(agent) as server:
        long = json.dumps({**PING, "params": {"_meta": {"x": "x" * LONGEST_LINE}}}).encode()
        assert server.request("POST", long).status == 413
        chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (len(long), long)
        said = server.request("POST", chunked, Content_Length=None, Transfer_Encoding="chunked")
        assert said.status == 413
        assert server.ask("ping") == {}


def test_its_own_names_are_taken(agent: Agent) -> None:
    with served(agent) as server:
        for name in ("127.0.0.1", "localhost", "[::1]"):
            host = f"{name}:{server.port}"
            assert server.post(PING, Host=host).status == 200
            assert server.post(PING, Host=host, Origin=f"http://{host}").status == 200


def test_without_the_token_no_method_says_anything(agent: Agent) -> None:
    with served(agent) as server:
        for method in ("GET", "HEAD", "DELETE", "OPTIONS", "PUT"):
            assert server.request(method, Authorization=None).status == 401
            said = server.request(method)
            assert (said.status, said.headers["allow"]) == (405, "POST")
            assert not [name for name in said.headers if name.lower().startswith("access-control")]


def test_it_listens_on_the_loopback_interface_only(agent: Agent) -> None:
    with served(agent) as server:
        rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        wanted = f"{server.port:04X}"
        here = {row[1].split(":")[0] for row in rows if row[1].endswith(f":{wanted}") and row[3] == "0A"}  # fmt: skip
        assert here == {"0100007F"}


def test_what_goes_over_the_wire_is_in_no_log(agent: Agent) -> None:
    with served(agent) as server:
        server.text("search", query="zebra")
        server.process.send_signal(signal.SIGTERM)
        out, err = server.process.communicate(timeout=SECONDS)
        assert (out, err) == (b"", b"")  # the first lines were read already


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_with_connections_open_and_in_the_middle_of_a_call(
    agent: Agent, number: signal.Signals
) -> None:
    with (
        served(agent, code=PREPARING) as server,
        socket.create_connection(("127.0.0.1", server.port)),
    ):
        caller = threading.Thread(target=_forgiving, args=(server,), daemon=True)
        caller.start()
        assert server.process.stderr
        assert server.process.stderr.readline() == b"begun\n"
        server.process.send_signal(number)
        assert server.process.wait(SECONDS) == 0
        caller.join(SECONDS)


def _forgiving(server: HttpServer) -> None:
    try:
        server.post(
            {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "status"}}
        )
    except (OSError, ValueError):
        return
    except Exception:  # noqa: BLE001 - whatever the library says of an answer that broke off
        return


def _status_call(**meta: object) -> dict[str, Any]:
    call = modern("tools/call", 5, name="status", arguments={})
    call["params"]["_meta"] = {**call["params"]["_meta"], **meta}
    return call


@pytest.mark.parametrize("era", ["new", "old"])
def test_a_client_that_goes_has_its_call_dropped(agent: Agent, era: str) -> None:
    with served(agent, code=PREPARING) as server:
        link = socket.create_connection(("127.0.0.1", server.port), timeout=SECONDS)
        call = _status_call(progressToken="p")
        named = {**server.headers, "Host": f"127.0.0.1:{server.port}"}
        if era == "new":
            named |= {"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "status"}  # fmt: skip
        else:
            call["params"]["_meta"] = {"progressToken": "p"}
        body = json.dumps(call).encode()
        named["Content-Length"] = str(len(body))
        head = "".join(f"{name}: {value}\r\n" for name, value in named.items())
        link.sendall(b"POST /mcp HTTP/1.1\r\n" + head.encode() + b"\r\n" + body)
        data = b""
        while data.count(b"data: ") < 3:  # its progress comes as a stream
            data += link.recv(65536)
        assert b"text/event-stream" in data
        assert b"notifications/progress" in data
        link.close()
        assert server.process.stderr
        assert server.process.stderr.readline() == b"begun\n"
        assert server.process.stderr.readline() == b"dropped\n"
        said = server.post(_status_call(), **outside("tools/call", "status"))
        assert said.status == 200


def test_a_client_that_breaks_off_in_the_middle_of_a_message_costs_nothing(agent: Agent) -> None:
    with served(agent) as server:
        assert server.ask("ping") == {}
        fds = f"/proc/{server.process.pid}/fd"
        before = len(os.listdir(fds))
        for sent in (
            b"",
            b"POST /mcp",
            b"POST /mcp HTTP/1.1\r\nHost: x",
            b"\x00" * 5000,
            b"GET\r\n\r\n",
        ):
            with socket.create_connection(("127.0.0.1", server.port), timeout=SECONDS) as link:
                link.sendall(sent)
        assert server.ask("ping") == {}
        assert wait_until(lambda: len(os.listdir(fds)) <= before)
        server.process.send_signal(signal.SIGTERM)
        assert server.process.communicate(timeout=SECONDS) == (b"", b"")


# The first bytes of a request, and then one more now and then: each keeps a connection.
BEGINNINGS = {
    "nothing": b"",
    "a head that never ends": b"POST /mcp HTTP/1.1\r\nHost: x\r\nX-Slow: ",
    "a body that never comes": b"",
}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("nothing", marks=pytest.mark.slow),
        "a head that never ends",
        pytest.param("a body that never comes", marks=pytest.mark.slow),
    ],
)
def test_slow_connections_keep_nobody_out(agent: Agent, name: str) -> None:
    with served(agent) as server, ExitStack() as stack:
        sent = BEGINNINGS[name]
        if "body" in name:
            head = {"Host": f"127.0.0.1:{server.port}", **server.headers, "Content-Length": "90"}
            lines = "".join(f"{key}: {value}\r\n" for key, value in head.items())
            sent = f"POST /mcp HTTP/1.1\r\n{lines}\r\n".encode()
        for _ in range(200):  # more than may wait
            link = socket.create_connection(("127.0.0.1", server.port), timeout=SECONDS)
            stack.enter_context(link)
            with suppress(OSError):
                link.sendall(sent)
        for _ in range(3):
            assert server.ask("ping") == {}
        if "body" not in name:  # whoever shows the token may take their time
            assert len(os.listdir(f"/proc/{server.process.pid}/fd")) < 128 + 32


QUICK = """
from recollect.interfaces.mcp import http
http.ASKING_SECONDS = 0.5
"""


@pytest.mark.parametrize("name", ["nothing", "a head that never ends"])
def test_who_takes_too_long_to_ask_is_let_go(agent: Agent, name: str) -> None:
    with served(agent, code=QUICK + MAIN) as server:
        link = socket.create_connection(("127.0.0.1", server.port), timeout=SECONDS)
        with link:
            link.sendall(BEGINNINGS[name])
            begun = time.monotonic()
            with suppress(ConnectionError):
                while not select.select([link], [], [], 0.1)[0]:
                    if BEGINNINGS[name]:
                        link.sendall(b"x")  # it never stops
                    assert time.monotonic() - begun < 10
                assert link.recv(1000) == b""
        assert server.ask("ping") == {}
