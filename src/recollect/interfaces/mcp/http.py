"""MCP over HTTP, for clients that do not start programs.

Only this machine can connect, with a token. Requests share no state. Long answers are streamed
with progress and dropped when the client disconnects. SIGINT, SIGTERM and SIGHUP stop the server.
"""

from __future__ import annotations

import hmac
import io
import json
import os
import queue
import re
import select
import socket
import sys
import threading
import time
import traceback
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import Any, NoReturn, Protocol

from recollect.errors import PortTaken
from recollect.interfaces.mcp import server as protocol
from recollect.interfaces.mcp.server import (
    HANDSHAKE,
    HEADER_MISMATCH,
    INVALID_PARAMS,
    INVALID_REQUEST,
    LONGEST_LINE,
    METHOD_NOT_FOUND,
    MODERN,
    PARSE_ERROR,
    UNSUPPORTED_VERSION,
    VERSION_KEY,
    Call,
    Desk,
    Request,
    Wrong,
)

# -------------------- MCP: who may come in over HTTP, and whether what a request says on its outside is what is in it.


PATH = "/mcp"
JSON, EVENTS = "application/json", "text/event-stream"
VERSION_HEADER, METHOD_HEADER, NAME_HEADER = "Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name"
SESSION_HEADER = "Mcp-Session-Id"
# Which parameter a request has on its outside too.
NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
# What an error of the protocol is as an HTTP status, in the era without a handshake.
STATUS = {
    PARSE_ERROR: 400,
    INVALID_REQUEST: 400,
    INVALID_PARAMS: 400,
    HEADER_MISMATCH: 400,
    UNSUPPORTED_VERSION: 400,
    METHOD_NOT_FOUND: 404,
}
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_ENCODED = re.compile(r"=\?base64\?([A-Za-z0-9+/]*={0,2})\?=")


class Headers(Protocol):
    """The headers of a request, by name in any case."""

    def get_all(self, name: str) -> list[str] | None:
        """The values of a header, None if it is not there."""


def one(headers: Headers, name: str) -> str | None:
    """The value of a header; nothing for one that is not there or there twice."""
    found = headers.get_all(name) or []
    return found[0].strip() if len(found) == 1 else None


def turned_away(headers: Headers, port: int, token: str) -> tuple[int, str] | None:
    """`(status, reason)` for somebody who may not come in."""
    names = {f"{name}:{port}" for name in LOOPBACK}
    if (one(headers, "Host") or "").lower() not in names:
        return 421, "This server answers to 127.0.0.1, localhost and [::1] only."
    # What a browser sends along for a page; of this address there are none.
    if headers.get_all("Origin") and one(headers, "Origin") not in {f"http://{n}" for n in names}:
        return 403, "Pages of other addresses are not served."
    scheme, _, given = (one(headers, "Authorization") or "").partition(" ")
    if scheme.lower() != "bearer" or not hmac.compare_digest(
        given.strip().encode(), token.encode()
    ):
        return 401, "The header Authorization has to be: Bearer TOKEN."
    return None


def unfit(headers: Headers) -> tuple[int, str] | None:
    """`(status, reason)` for a message that is in a form that is not spoken here."""
    if (one(headers, "Content-Type") or "").partition(";")[0].strip().lower() != JSON:
        return 415, f"A message is {JSON}."
    if not accepts(headers, JSON):
        return 406, f"Answers are {JSON} or {EVENTS}."
    return None


def accepts(headers: Headers, kind: str) -> bool:
    """Whether the client takes answers of this kind."""
    given = ",".join(headers.get_all("Accept") or ["*/*"])
    kinds = {part.partition(";")[0].strip().lower() for part in given.split(",")}
    return bool(kinds & {kind, kind.partition("/")[0] + "/*", "*/*"})


def check_version(headers: Headers, request: Request) -> None:
    """Raise Wrong if the outside of a request names a version or a method that is not inside."""
    named = one(headers, VERSION_HEADER)
    if headers.get_all(VERSION_HEADER) and named not in (MODERN, *HANDSHAKE):
        data = {"supported": [MODERN, *HANDSHAKE], "requested": named or ""}
        raise Wrong(UNSUPPORTED_VERSION, "Unsupported protocol version", data)
    if request.id is None or not (request.is_modern or named == MODERN):
        return
    if not request.is_modern:
        raise Wrong(INVALID_PARAMS, f"params._meta has to have {VERSION_KEY}.")
    _require_same(VERSION_HEADER, named, request.meta[VERSION_KEY])
    _require_same(METHOD_HEADER, one(headers, METHOD_HEADER), request.method)
    inside = request.params.get(NAMED.get(request.method, ""))
    if inside is not None:
        _require_same(NAME_HEADER, decoded(one(headers, NAME_HEADER)), inside)


def _require_same(header: str, outside: str | None, inside: object) -> None:
    if outside is None or outside != inside:
        raise Wrong(HEADER_MISMATCH, f"The header {header} does not say what the message says.")


def decoded(value: str | None) -> str | None:
    """The value of a header that may have been encoded to fit into one; None if it is garbled."""
    found = _ENCODED.fullmatch(value or "")
    if not found:
        return value
    from base64 import b64decode, b64encode

    try:
        data = b64decode(found[1], validate=True)
        return data.decode() if b64encode(data).decode() == found[1] else None
    except ValueError:
        return None


# -------------------- MCP: a server on the loopback interface that slow clients cannot block: the slowest to ask is disconnected.


ADDRESS = "127.0.0.1"
MOST_CONNECTIONS = 64
IDLE_SECONDS = 60.0  # until a connection on which nothing comes is closed
ASKING_SECONDS = 15.0  # from the first byte of a request to its last
ROOM_SECONDS = 2.0  # that one who comes waits for the room of who was let go


class LoopbackServer(ThreadingHTTPServer):
    """A thread for each connection, and a bound to them."""

    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True
    request_queue_size = MOST_CONNECTIONS

    def __init__(self, port: int, handler: type[LoopbackHandler]) -> None:
        """Take the port; 0 is any that is free.

        Raises:
            PortTaken: another program has it, or it is not ours to take.
        """
        try:
            super().__init__((ADDRESS, port), handler)
        except OSError:
            raise PortTaken(port=port) from None
        self._room = threading.BoundedSemaphore(MOST_CONNECTIONS)
        self._asking: dict[socket.socket, float] = {}  # connections without a request, since when
        self._turn = threading.Lock()

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self.server_address[1])

    def server_bind(self) -> None:
        """Take the port without asking anybody for the name of this machine."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = ADDRESS, self.port

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection on a thread of its own; if all are taken, in the place of a slow one."""
        if not self._room.acquire(blocking=False):
            self._let_go()
            if not self._room.acquire(timeout=ROOM_SECONDS):
                self.shutdown_request(request)
                return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve a connection to its end."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.note(request, is_asking=False)
            self._room.release()

    def note(self, connection: socket.socket, *, is_asking: bool) -> None:
        """Know of a connection whether it has yet to ask something."""
        with self._turn:
            self._asking.pop(connection, None)
            if is_asking:
                self._asking[connection] = time.monotonic()

    def _let_go(self) -> None:
        """Close the connection that has taken longest to ask."""
        with self._turn:
            slowest = min(self._asking, key=self._asking.__getitem__, default=None)
            if slowest is not None:
                del self._asking[slowest]
                with suppress(OSError):
                    slowest.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002
        """Say nothing of connections that broke; only what is a bug of ours."""
        if not isinstance(sys.exc_info()[1], OSError):
            traceback.print_exc(file=sys.stderr)


class LoopbackHandler(BaseHTTPRequestHandler):
    """One connection; each of its requests has to come in time."""

    protocol_version = "HTTP/1.1"
    timeout = IDLE_SECONDS
    server: LoopbackServer

    def setup(self) -> None:
        """Read by a clock."""
        super().setup()
        self.rfile.close()
        self._clock = _Clocked(self.connection)
        self.rfile = io.BufferedReader(self._clock)

    def handle_one_request(self) -> None:
        """Read one request and answer it."""
        self._clock.begin()
        self.server.note(self.connection, is_asking=True)
        super().handle_one_request()

    def asked(self) -> None:
        """All of the request is here: what takes time now is our own affair."""
        self.server.note(self.connection, is_asking=False)

    def version_string(self) -> str:
        """Nothing about the machine."""
        return "recollect"

    def log_message(self, *_: object) -> None:
        """Keep no log: what is asked is nobody's business."""

    def finish(self) -> None:
        """End the connection, whatever became of the client."""
        with suppress(OSError):
            super().finish()


class _Clocked(io.RawIOBase):
    """What comes on a connection, until a request has taken too long."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self.begin()

    def begin(self) -> None:
        """A request may come."""
        self._begun = False
        self._deadline = time.monotonic() + IDLE_SECONDS

    def readable(self) -> bool:
        return True

    def readinto(self, into: Any) -> int:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._connection.settimeout(left)
        try:
            size = self._connection.recv_into(into)
        finally:
            self._connection.settimeout(IDLE_SECONDS)  # of what is written
        if not self._begun:
            self._begun = True
            self._deadline = time.monotonic() + ASKING_SECONDS
        return size


# -------------------- MCP: what comes over HTTP, and its answers.


LOOK_SECONDS = 0.25  # between two looks whether the client of a call is still there
PING_SECONDS = 15.0  # of silence, until a client is told that its call goes on
CANCELLED = -32800  # as other protocols of this kind call it; ours has no number for it

Said = dict[str, Any]


class Server(LoopbackServer):
    """One desk for all connections."""

    def __init__(self, port: int, token: str, folder: str | None, *, read_only: bool) -> None:
        """Take the port; 0 is any that is free. Raises PortTaken."""
        super().__init__(port, Handler)
        self.token, self.read_only = token, read_only
        self.desk = Desk(folder, read_only=read_only)

    @property
    def url(self) -> str:
        """Where clients find it."""
        return f"http://{ADDRESS}:{self.port}{PATH}"

    def serve(self) -> NoReturn:
        """Answer until a signal comes."""
        leave = protocol.open_desk(self.desk)
        self.serve_forever()
        leave()


class Handler(LoopbackHandler):
    """One connection; each of its requests stands alone."""

    server: Server
    is_streaming = False

    # -------------------------------------------------------------------------- what may come

    def do_POST(self) -> None:
        """Answer a message."""
        if not self._is_let_in():
            return
        refused = unfit(self.headers)
        body = self._body() if refused is None else None
        self.asked()
        if refused or body is None:
            self._refuse(*(refused or (413, f"A message has at most {LONGEST_LINE} bytes.")))
            return
        try:
            request = protocol.request_of(body)
        except Wrong as wrong:
            self._say(400, protocol.refusal(None, wrong))
            return
        if request is None:  # an answer to something; nothing was asked
            self._say(202, None)
        else:
            self._answer(request)

    def _other(self) -> None:
        """No stream without a question, no session to end, no page."""
        if self._is_let_in():
            self._refuse(405, "Messages come by POST.", Allow="POST")

    do_GET = do_HEAD = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = _other  # noqa: N815 - names of HTTP

    def _is_let_in(self) -> bool:
        refused = turned_away(self.headers, self.server.port, self.server.token)
        if refused is None and self.path.partition("?")[0].rstrip("/") != PATH:
            refused = (404, f"The server is at {PATH}.")
        if refused is not None:
            more = {"WWW-Authenticate": "Bearer"} if refused[0] == 401 else {}
            self._refuse(refused[0], refused[1], **more)
        return refused is None

    def _body(self) -> bytes | None:
        """What was sent; None if it is too much, or nobody says how much it is."""
        size = one(self.headers, "Content-Length") or ""
        if not (size.isascii() and size.isdigit()) or self.headers.get_all("Transfer-Encoding"):
            return None
        return self.rfile.read(int(size)) if len(size) < 12 and int(size) <= LONGEST_LINE else None

    # -------------------------------------------------------------------------- what is answered

    def _answer(self, request: Request) -> None:
        desk = self.server.desk
        caller = one(self.headers, SESSION_HEADER) or ""
        try:
            check_version(self.headers, request)
        except Wrong as wrong:
            self._say(400, protocol.refusal(request.id, wrong))
            return
        if request.id is None:
            if request.method == "notifications/cancelled" and caller:
                desk.cancel((caller, str(request.params.get("requestId"))))
            self._say(202, None)
            return
        try:
            result = protocol.answer(request, self.server.read_only)
        except Wrong as wrong:
            self._say(_status_of(request, wrong.code), protocol.refusal(request.id, wrong))
            return
        if result is not None:
            # Nothing is kept of a session: its name only keeps apart who cancels what.
            new = {SESSION_HEADER: os.urandom(16).hex()} if request.method == "initialize" else {}
            self._say(200, protocol.message(request, result), **new)
            return
        messages: queue.SimpleQueue[Said] = queue.SimpleQueue()
        key = (caller or os.urandom(16).hex(), str(request.id))
        call = Call(request, messages.put, key)
        desk.take(call)
        try:
            self._follow(call, messages)
        finally:
            call.is_wanted = not request.is_modern and call.is_wanted

    def _follow(self, call: Call, messages: queue.SimpleQueue[Said]) -> None:
        """Pass on what the desk says of a call, until its answer or its client's end."""
        quiet = 0.0
        while call.is_wanted:
            try:
                said = messages.get(timeout=LOOK_SECONDS)
            except queue.Empty:
                quiet += LOOK_SECONDS
                if self._is_gone():
                    self.close_connection = True
                    return
                if quiet >= PING_SECONDS:
                    quiet = 0.0
                    self._stream(b": still at work\n\n")
                continue
            self._send(call, said)
            if "id" in said:
                return
        self._send(call, protocol.refusal(call.request.id, Wrong(CANCELLED, "It was cancelled.")))

    def _send(self, call: Call, said: Said) -> None:
        """Send a message of a call: as the whole answer, or as a part of the stream."""
        if "id" in said and not self.is_streaming:
            self._say(_status_of(call.request, said.get("error", {}).get("code", 0)), said)
        else:
            self._stream(b"event: message\ndata: " + protocol.encoded(said) + b"\n")

    def _is_gone(self) -> bool:
        """Whether the client has closed the connection."""
        poll = select.poll()
        poll.register(self.connection, select.POLLIN)
        if not poll.poll(0):
            return False
        try:
            return not self.connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except BlockingIOError:
            return False
        except OSError:
            return True

    # -------------------------------------------------------------------------- how it is said

    def _stream(self, data: bytes) -> None:
        """Send a part of an answer that comes in parts; not to who cannot take it."""
        if not self.is_streaming:
            if not accepts(self.headers, EVENTS):
                return
            self.is_streaming = self.close_connection = True
            self.send_response(200)
            self._send_headers({"Content-Type": EVENTS, "Connection": "close"})
        self.wfile.write(data)

    def _say(self, status: int, said: Said | None, **more: str) -> None:
        data = b"" if said is None else protocol.encoded(said)
        self.send_response(status)
        kind = {"Content-Type": JSON} if data else {}
        self._send_headers({**kind, "Content-Length": str(len(data)), **more})
        self.wfile.write(data)

    def _refuse(self, status: int, reason: str, **more: str) -> None:
        """Say why not, and close: what else stands in the request is not read."""
        self.close_connection = True
        data = json.dumps({"error": reason}).encode() + b"\n"
        self.send_response(status)
        length = {"Content-Type": JSON, "Content-Length": str(len(data)), "Connection": "close"}
        self._send_headers(length | more)
        if self.command != "HEAD":
            self.wfile.write(data)

    def _send_headers(self, headers: dict[str, str]) -> None:
        for name, value in (headers | {"Cache-Control": "no-store"}).items():
            self.send_header(name, value)
        self.end_headers()


def _status_of(request: Request, code: int) -> int:
    """What an error of the protocol is as a status of HTTP."""
    return STATUS.get(code, 200) if request.is_modern else 200
