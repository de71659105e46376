"""Talking to the server over HTTP: request by request, and through the official SDK's client."""

from __future__ import annotations

import http.client
import json
import os
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import anyio
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from tests.mcp.talking import ENVELOPE, MODERN, SECONDS, Agent

T = TypeVar("T")
LISTENING = re.compile(rb"http://127\.0\.0\.1:(\d+)/mcp")
BOTH = "application/json, text/event-stream"


class Said(NamedTuple):
    """An answer."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The message in it, or the last one of a stream."""
        return self.events[-1] if self.is_stream else json.loads(self.body)

    @property
    def is_stream(self) -> bool:
        """Whether it came in parts."""
        return self.headers.get("content-type", "").startswith("text/event-stream")

    @property
    def events(self) -> list[dict[str, Any]]:
        """The messages of a stream."""
        data = [line[6:] for line in self.body.splitlines() if line.startswith(b"data: ")]
        return [json.loads(one) for one in data]


class HttpServer:
    """A server on a port of its own."""

    def __init__(self, agent: Agent, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout
        found = LISTENING.search(process.stdout.readline())
        assert found, "it does not say where it listens"
        self.agent, self.process, self.port = agent, process, int(found[1])

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.port}/mcp"

    @property
    def token_path(self) -> Path:
        """Where its token is."""
        return self.agent.home / ".local/share/recollect/http-token"

    @property
    def headers(self) -> dict[str, str]:
        """What every client sends."""
        return {
            "Authorization": f"Bearer {self.token_path.read_text().strip()}",
            "Content-Type": "application/json",
            "Accept": BOTH,
        }

    def request(
        self, method: str, body: bytes = b"", path: str = "/mcp", **headers: str | None
    ) -> Said:
        """One request on a connection of its own; a header that is None is left out."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        every = {"Host": f"127.0.0.1:{self.port}", **self.headers, **named}
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        try:
            link.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in {"Content-Length": str(len(body)), **every}.items():
                if value is not None:
                    link.putheader(name, value)
            link.endheaders(body)
            answer = link.getresponse()
            said = {name.lower(): value for name, value in answer.getheaders()}
            return Said(answer.status, said, answer.read())
        finally:
            link.close()

    def post(self, message: object, **headers: str | None) -> Said:
        """The answer to a message."""
        return self.request("POST", json.dumps(message).encode(), "/mcp", **headers)

    def ask(self, method: str, **params: Any) -> Any:
        """The result of a request of the era with a handshake."""
        said = self.post({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        assert said.status == 200, said
        return said.json["result"]

    def text(self, tool: str, **given: Any) -> str:
        """What a tool says when all is well."""
        found = self.ask("tools/call", name=tool, arguments=given)
        assert not found.get("isError"), found
        return str(found["content"][0]["text"])

    def with_sdk(self, use: Callable[[Client], Awaitable[T]], mode: str = "auto") -> T:
        """What `use` gives of a client of the official SDK that is connected to it."""
        bearer = {"Authorization": self.headers["Authorization"]}

        async def run() -> T:
            with anyio.fail_after(SECONDS):
                async with create_mcp_http_client(headers=bearer) as link:
                    transport = streamable_http_client(self.url, http_client=link)
                    async with Client(transport, mode=mode) as client:
                        return await use(client)

        return anyio.run(run)


def modern(method: str, number: int = 1, **params: Any) -> dict[str, Any]:
    """A request of the era without a handshake."""
    return {
        "jsonrpc": "2.0",
        "id": number,
        "method": method,
        "params": {**params, "_meta": ENVELOPE},
    }


def outside(method: str, name: str | None = None) -> dict[str, str | None]:
    """The headers that go with it."""
    return {"Mcp_Protocol_Version": MODERN, "Mcp_Method": method, "Mcp_Name": name}


@contextmanager
def served(agent: Agent, *words: str, code: str = "") -> Iterator[HttpServer]:
    """A server over HTTP, with something in it replaced if there is `code`."""
    if code:
        env = {**agent.env, "PYTHONPATH": os.pathsep.join(sys.path)}
        process = subprocess.Popen(
            [sys.executable, "-c", code, "mcp", "--http", "--port", "0"], cwd=agent.project,
            env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
    else:
        process = agent.start(["mcp", "--http", "--port", "0", *words], stdin=subprocess.DEVNULL)
    with process:
        try:
            yield HttpServer(agent, process)
        finally:
            process.kill()
