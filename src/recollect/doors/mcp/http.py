"""MCP: the server over HTTP, for clients that do not start programs themselves.

Promises: only this machine reaches it, and only who has the token; nothing is remembered from one
request to the next; an answer that takes long is a stream with its progress, and is dropped when
its client of the new era goes; SIGINT, SIGTERM and SIGHUP end it at once.
Touches: one port of the loopback interface.
"""

from __future__ import annotations

import json
import os
import queue
import select
import signal
import socket
import sys
import threading
import traceback
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import Any, NoReturn

from recollect.doors.mcp import guard, protocol
from recollect.doors.mcp.desk import Call, Desk
from recollect.doors.mcp.guard import EVENTS, JSON
from recollect.doors.mcp.protocol import Request, Wrong
from recollect.doors.mcp.stdio import LONGEST_LINE, SECONDS_FOR_A_CHANGE
from recollect.errors import PortTaken

ADDRESS = "127.0.0.1"
IDLE_SECONDS = 60  # until a connection on which nothing comes is closed
LOOK_SECONDS = 0.25  # between two looks whether the client of a call is still there
PING_SECONDS = 15.0  # of silence, until a client is told that its call goes on
MOST_CONNECTIONS = 64
CANCELLED = -32800  # as other protocols of this kind call it; ours has no number for it

Said = dict[str, Any]


class Server(ThreadingHTTPServer):
    """A thread for each connection, one desk for all."""

    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True
    request_queue_size = 64

    def __init__(self, port: int, token: str, folder: str | None, *, read_only: bool) -> None:
        """Take the port; 0 is any that is free.

        Raises:
            PortTaken: another program has it, or it is not ours to take.
        """
        try:
            super().__init__((ADDRESS, port), Handler)
        except OSError:
            raise PortTaken(port=port) from None
        self.token, self.read_only = token, read_only
        self.desk = Desk(folder, read_only=read_only)
        self._room = threading.BoundedSemaphore(MOST_CONNECTIONS)

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self.server_address[1])

    @property
    def url(self) -> str:
        """Where clients find it."""
        return f"http://{ADDRESS}:{self.port}{guard.PATH}"

    def serve(self) -> NoReturn:
        """Answer until a signal comes."""

        def leave(*_: object) -> NoReturn:
            self.desk.leave(SECONDS_FOR_A_CHANGE)
            os._exit(0)

        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, leave)
        self.desk.open()
        self.serve_forever()
        leave()

    def server_bind(self) -> None:
        """Take the port without asking anybody for the name of this machine."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = ADDRESS, self.port

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection on a thread of its own, unless there are too many."""
        if self._room.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve a connection to its end."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._room.release()

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002
        """Say nothing of connections that broke; only what is a bug of ours."""
        if not isinstance(sys.exc_info()[1], OSError):
            traceback.print_exc(file=sys.stderr)


class Handler(BaseHTTPRequestHandler):
    """One connection; each of its requests stands alone."""

    protocol_version = "HTTP/1.1"
    timeout = IDLE_SECONDS
    server: Server
    is_streaming = False

    # -------------------------------------------------------------------------- what may come

    def do_POST(self) -> None:
        """Answer a message."""
        if not self._is_let_in():
            return
        refused = guard.unfit(self.headers)
        body = self._body() if refused is None else None
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
        refused = guard.turned_away(self.headers, self.server.port, self.server.token)
        if refused is None and self.path.partition("?")[0].rstrip("/") != guard.PATH:
            refused = (404, f"The server is at {guard.PATH}.")
        if refused is not None:
            more = {"WWW-Authenticate": "Bearer"} if refused[0] == 401 else {}
            self._refuse(refused[0], refused[1], **more)
        return refused is None

    def _body(self) -> bytes | None:
        """What was sent; None if it is too much, or nobody says how much it is."""
        size = guard.one(self.headers, "Content-Length") or ""
        if not (size.isascii() and size.isdigit()) or self.headers.get_all("Transfer-Encoding"):
            return None
        return self.rfile.read(int(size)) if len(size) < 12 and int(size) <= LONGEST_LINE else None

    # -------------------------------------------------------------------------- what is answered

    def _answer(self, request: Request) -> None:
        desk = self.server.desk
        caller = guard.one(self.headers, guard.SESSION_HEADER) or ""
        try:
            guard.check_version(self.headers, request)
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
            new = (
                {guard.SESSION_HEADER: os.urandom(16).hex()}
                if request.method == "initialize"
                else {}
            )
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
            if not guard.accepts(self.headers, EVENTS):
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

    def version_string(self) -> str:
        """Nothing about the machine."""
        return "recollect"

    def log_message(self, *_: object) -> None:
        """Keep no log: what is asked is nobody's business."""

    def finish(self) -> None:
        """End the connection, whatever became of the client."""
        with suppress(OSError):
            super().finish()


def _status_of(request: Request, code: int) -> int:
    """What an error of the protocol is as a status of HTTP."""
    return guard.STATUS.get(code, 200) if request.is_modern else 200
