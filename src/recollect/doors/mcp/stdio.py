"""MCP: the server on stdin and stdout.

Promises: it is gone at once when stdin ends, on SIGINT and SIGTERM, when its parent dies or
nobody reads what it says, also while a call runs: what it changes is finished, what it looks for
is dropped; nothing but the protocol goes to stdout, whatever a library prints; a line of any
length is answered, and at most `LONGEST_LINE` of it is kept.
Touches: stdin, stdout.

Nothing is imported here that the first answer does not need; the rest is loaded at the desk.
"""

from __future__ import annotations

import os
import select
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, NoReturn

from recollect.doors.mcp import protocol
from recollect.doors.mcp.desk import Call, Desk
from recollect.doors.mcp.protocol import INVALID_REQUEST, Wrong

LONGEST_LINE = 16 * 1024 * 1024
BLOCK = 256 * 1024
PARENT_MS = 1000  # between two looks whether the parent is still there
# How long a call that was asked for before the end of stdin may take, if somebody still listens, and
# how long a change may take to be finished. Clients end by force what is not gone after two seconds.
SECONDS_AFTER_END, SECONDS_FOR_A_CHANGE = 1.5, 1.0


class Wire:
    """The ends of the conversation. Whatever else writes to stdout goes to stderr from now on."""

    def __init__(self) -> None:
        """Take stdin and stdout away from everything else, children of ours among them.

        Raises:
            OSError: one of the two is not open.
        """
        for needed in (0, 1):
            os.fstat(needed)
        null = os.open(os.devnull, os.O_RDWR)  # if there is no stderr, this becomes it
        self._parent = os.getppid()
        self.is_orphan = False
        self._in = os.dup(0)
        self._out = os.fdopen(os.dup(1), "wb")
        self._lock = threading.Lock()
        os.set_blocking(self._out.fileno(), True)
        os.dup2(null, 0)
        os.dup2(2, 1)
        if null > 2:
            os.close(null)

    def lines(self) -> Iterator[bytes | None]:
        """Each line of stdin until it ends; None for one that is too long."""
        parts: list[bytes] = []
        size = 0
        while data := self._block():
            *whole, rest = data.split(b"\n")
            for end in whole:
                parts.append(end)
                yield b"".join(parts) if size + len(end) <= LONGEST_LINE else None
                parts, size = [], 0
            size += len(rest)
            if size <= LONGEST_LINE:
                parts.append(rest)
            else:
                parts = []
        if size:
            yield b"".join(parts) if size <= LONGEST_LINE else None

    def _block(self) -> bytes:
        """What comes next on stdin; nothing at its end, or when the parent is gone."""
        poll = select.poll()
        poll.register(self._in, select.POLLIN)
        while not poll.poll(PARENT_MS):
            if os.getppid() != self._parent:
                self.is_orphan = True
                return b""
        with suppress(BlockingIOError):
            return os.read(self._in, BLOCK)
        return self._block()

    def is_heard(self) -> bool:
        """Whether anybody can still read what is said."""
        poll = select.poll()
        poll.register(self._out.fileno(), 0)
        return not poll.poll(0) and os.getppid() == self._parent

    def send(self, said: dict[str, Any]) -> None:
        """Write a message; the server ends if nobody reads it."""
        line = protocol.encoded(said)
        try:
            with self._lock:
                self._out.write(line)
                self._out.flush()
        except OSError:
            os._exit(0)


def serve(folder: str | None = None, *, read_only: bool = False) -> NoReturn:
    """Answer a client until it goes."""
    try:
        wire = Wire()
    except OSError:  # there is no stdin or stdout, and nobody to answer
        os._exit(0)
    desk = Desk(folder, read_only=read_only)

    def leave(*_: object) -> NoReturn:
        desk.leave(SECONDS_FOR_A_CHANGE)
        os._exit(0)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, leave)
    desk.open()
    for line in wire.lines():
        if line is None:
            what = f"A message has at most {LONGEST_LINE} bytes."
            wire.send(protocol.refusal(None, Wrong(INVALID_REQUEST, what)))
        elif line.strip():
            said = heard(line, desk, wire.send, read_only=read_only)
            if said:
                wire.send(said)
    if not wire.is_orphan:
        desk.close(SECONDS_AFTER_END, wire.is_heard)
    leave()


def heard(
    line: bytes, desk: Desk, send: Callable[[dict[str, Any]], None], *, read_only: bool
) -> dict[str, Any] | None:
    """The answer to a line that can be given here and now, if there is one."""
    try:
        request = protocol.request_of(line)
    except Wrong as wrong:
        return protocol.refusal(None, wrong)
    if request is None:
        return None
    if request.id is None:
        if request.method == "notifications/cancelled":
            desk.cancel(request.params.get("requestId"))
        return None
    try:
        result = protocol.answer(request, read_only)
    except Wrong as wrong:
        return protocol.refusal(request.id, wrong)
    if result is None:
        desk.take(Call(request, send))
        return None
    return protocol.message(request, result)
