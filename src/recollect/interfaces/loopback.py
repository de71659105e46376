"""An HTTP server on the loopback interface that slow clients cannot block.

A client that is slow to send its request is disconnected, the slowest first when all connections
are taken.
"""

from __future__ import annotations

import io
import socket
import sys
import threading
import time
import traceback
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import Any

from recollect.errors import PortTaken

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
