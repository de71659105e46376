"""MCP over HTTP, for clients that do not start programs: the official SDK carries our answers.

Only this machine can connect, with a token. Requests share no state. A call whose client goes is
dropped. SIGINT, SIGTERM and SIGHUP stop the server. Needs the extra `http`.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NoReturn

import uvicorn
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server as SdkServer
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from mcp_types import RequestParams
from uvicorn.protocols.http.h11_impl import H11Protocol

from recollect.errors import PortTaken
from recollect.interfaces.mcp import server

ADDRESS = "127.0.0.1"
PATH = "/mcp"
LOOPBACK = (ADDRESS, "localhost", "[::1]")
ANSWERED = (*server.NEEDS_STORES, "server/discover", "tools/list", "resources/templates/list")
IDLE_SECONDS = 60  # until a connection is closed on which nothing more is asked
ASKING_SECONDS = 15.0  # from the beginning of a connection to the end of its first head
MOST_ASKING = 128  # connections at once without a request yet

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Asgi = Callable[[Any, Any, Any], Awaitable[None]]


class Server:
    """The SDK's server; one worker answers what needs the stores."""

    def __init__(self, port: int, token: str, folder: str | None, *, read_only: bool) -> None:
        """Take the port; 0 is any that is free. Raises PortTaken."""
        try:
            self._socket = socket.create_server((ADDRESS, port))
        except OSError:
            raise PortTaken(port=port) from None
        self._port = int(self._socket.getsockname()[1])
        self._token, self._read_only = token, read_only
        self._worker = server.RequestWorker(folder, read_only=read_only)

    @property
    def url(self) -> str:
        """The address for clients."""
        return f"http://{ADDRESS}:{self._port}{PATH}"

    def serve(self) -> NoReturn:
        """Answer until a signal comes."""
        logging.disable(logging.WARNING)  # no requests in the log, but bugs
        sdk = SdkServer[Any](
            server.SERVER["name"],
            title=server.SERVER["title"],
            version=server.SERVER["version"],
            instructions=server.instructions(),
        )
        for method in ANSWERED:
            sdk.add_request_handler(method, RequestParams, self._answered)
        names = [f"{name}:{self._port}" for name in LOOPBACK]
        app = sdk.streamable_http_app(
            streamable_http_path=PATH,
            stateless_http=True,
            max_request_body_size=server.LONGEST_LINE,
            transport_security=TransportSecuritySettings(
                allowed_hosts=names, allowed_origins=[f"http://{name}" for name in names]
            ),
        )
        config = uvicorn.Config(
            _guarded(app, self._token), http=_Connection, loop="asyncio", ws="none", interface="asgi3",
            lifespan="on", log_config=None, access_log=False, proxy_headers=False, timeout_keep_alive=IDLE_SECONDS,
        )  # fmt: skip
        leave = server.start_until_signal(self._worker)
        _Listener(config).run([self._socket])
        leave()

    async def _answered(
        self, ctx: ServerRequestContext[Any, Any], _params: RequestParams
    ) -> dict[str, Any]:
        """The result of a request of either protocol."""
        request = server.Request(ctx.request_id, ctx.method, dict(ctx.params or {}))
        try:
            result = server.answer(request, self._read_only)
        except server.ProtocolError as wrong:
            raise MCPError(wrong.code, wrong.message, wrong.data) from None
        if result is not None:
            return dict(server.message(request, result)["result"])
        said = await self._from_worker(ctx, request)
        if "error" in said:
            raise MCPError(**said["error"])
        return dict(said["result"])

    async def _from_worker(
        self, ctx: ServerRequestContext[Any, Any], request: server.Request
    ) -> dict[str, Any]:
        loop, messages = asyncio.get_running_loop(), asyncio.Queue[dict[str, Any]]()

        def send(said: dict[str, Any]) -> None:
            loop.call_soon_threadsafe(messages.put_nowait, said)

        call = server.Call(request, send, object())
        self._worker.take(call)
        try:
            while "id" not in (said := await messages.get()):
                told = said["params"]
                await ctx.session.report_progress(told["progress"], message=told["message"])
            return said
        finally:
            call.is_wanted = False


def _guarded(app: Asgi, token: str) -> Asgi:
    """The app, for POST requests that carry the token."""

    async def guard(scope: Any, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
        elif not _is_let_in(scope["headers"], token):
            reason = "The header Authorization has to be: Bearer TOKEN."
            await _refuse(send, 401, reason, ("WWW-Authenticate", "Bearer"))
        elif scope["method"] != "POST":  # the server sends nothing unasked
            await _refuse(send, 405, "Messages come by POST.", ("Allow", "POST"))
        else:
            await app(scope, receive, send)

    return guard


def _is_let_in(headers: list[tuple[bytes, bytes]], token: str) -> bool:
    given = [value for name, value in headers if name == b"authorization"]
    scheme, _, word = (given[0] if len(given) == 1 else b"").partition(b" ")
    return scheme.lower() == b"bearer" and hmac.compare_digest(word.strip(), token.encode())


async def _refuse(send: Send, status: int, reason: str, *more: tuple[str, str]) -> None:
    """Answer with the reason and close; the rest of the request is not read."""
    body = json.dumps({"error": reason}).encode() + b"\n"
    size = ("Content-Length", str(len(body)))
    headers = (("Content-Type", "application/json"), size, ("Connection", "close"), *more)
    pairs = [(name.encode(), value.encode()) for name, value in headers]
    await send({"type": "http.response.start", "status": status, "headers": pairs})
    await send({"type": "http.response.body", "body": body})


class _Listener(uvicorn.Server):
    """A server that our signal handlers end, and that wakes only for requests."""

    def capture_signals(self) -> AbstractContextManager[None]:  # type: ignore[override]
        return nullcontext()

    async def main_loop(self) -> None:
        await asyncio.Event().wait()


class _Connection(H11Protocol):
    """A connection that is closed unless a request comes in time; of too many, the oldest is closed."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.since = self.loop.time()
        self.timer = self.loop.call_later(ASKING_SECONDS, self.let_go)
        every = [one for one in self.connections if isinstance(one, _Connection)]
        asking = [one for one in every if one.is_asking]
        if len(asking) > MOST_ASKING:
            min(asking, key=lambda one: one.since).let_go()

    def connection_lost(self, exc: Exception | None) -> None:
        self.timer.cancel()
        super().connection_lost(exc)

    @property
    def is_asking(self) -> bool:
        """Whether no request has come yet."""
        return self.cycle is None and not self.transport.is_closing()

    def let_go(self) -> None:
        """Close it unless a request has come."""
        if self.is_asking:
            self.transport.abort()
