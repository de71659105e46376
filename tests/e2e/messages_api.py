"""A model's API on loopback that plays a script, so real clients can run with no network.

It speaks the Messages API, and what other clients speak instead (`wires`).

Promises: every request is kept in `requests`; the turns of the script are consumed in order, one
    per request of the main loop; after the with block no socket and no thread of it is left.
Touches: one loopback socket.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self

from . import wires
from .messages import (
    Answer,
    Block,
    Json,
    Kind,
    Refusal,
    Request,
    Turn,
    all_text,
    call,
    fresh_id,
    last_user_text,
    say,
    stall,
    system_reminders,
    tool_results,
)

if TYPE_CHECKING:
    from types import TracebackType

    from .wires import Piece

__all__ = [
    "Answer",
    "Block",
    "Json",
    "Kind",
    "MessagesApi",
    "Refusal",
    "Request",
    "Turn",
    "all_text",
    "call",
    "last_user_text",
    "say",
    "stall",
    "system_reminders",
    "tool_results",
]

DONE_TEXT = "Done."
SUMMARY_TEXT = "<analysis>Looked at it.</analysis>\n<summary>SUMMARY-OF-THE-CONVERSATION</summary>"
TITLE_TEXT = '{"title": "A title"}'

_CHUNK_LENGTH = 40

Responder = Callable[[Request], Answer | None]


@dataclass
class MessagesApi:
    """The server: `with MessagesApi([[call("Bash", command="ls")], [say("ok")]]) as api:`.

    An answer is looked for in this order: `responder` (None means "no opinion"); the summary for a
    compaction; the next turn of the script, for the main loop only, because sub-agents run beside
    it and would take its turns; the text "Done.".
    """

    script: Iterable[Answer] = ()
    responder: Responder | None = None
    summary: str = SUMMARY_TEXT
    input_tokens: int = 100
    requests: list[Request] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Take the script over; nothing listens yet."""
        self._script: deque[Answer] = deque(self.script)
        self._guard = threading.Lock()
        self._closing = threading.Event()
        self._failures: list[Exception] = []
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """Base URL for the client."""
        if self._server is None:
            message = "the server runs inside its with block only"
            raise RuntimeError(message)
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def turns(self) -> list[Request]:
        """The requests of the main loop: no sub-agent, no compaction, no other endpoint."""
        return [request for request in list(self.requests) if request.kind == "turn"]

    def add(self, *turns: Answer) -> None:
        """Append turns to the script."""
        with self._guard:
            self._script.extend(turns)

    def wait_for(self, ready: Callable[[MessagesApi], bool], timeout: float = 20) -> bool:
        """Wait until `ready(api)`; False when time runs out."""
        deadline = time.monotonic() + timeout
        while not ready(self):
            if time.monotonic() > deadline:
                return False
            time.sleep(0.02)
        return True

    def answer(self, request: Request) -> Answer:
        """Log the request and choose its answer."""
        with self._guard:
            self.requests.append(request)
        if request.kind == "other":
            return Refusal(404, f"no {request.path} here", "not_found_error")
        try:
            chosen = self.responder(request) if self.responder else None
        except Exception as error:  # noqa: BLE001 - raised again at the end of the with block
            self._failures.append(error)
            return Refusal(400, f"the responder failed: {error!r}")
        return self._planned(request) if chosen is None else chosen

    def pause(self, seconds: float) -> None:
        """Sleep, but not beyond the end of the with block."""
        self._closing.wait(seconds)

    def __enter__(self) -> Self:
        """Listen on a free loopback port."""
        self._closing.clear()
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close every connection, wait for every thread, and tell how the responder failed."""
        self._closing.set()
        server, self._server = self._server, None
        if server is not None and self._thread is not None:
            server.shutdown()
            server.close_connections()
            server.server_close()
            self._thread.join()
        if self._failures and error is None:
            raise self._failures[0]

    def _planned(self, request: Request) -> Answer:
        if request.kind == "compaction":
            return [say(self.summary)]
        if request.kind == "title":
            return [say(TITLE_TEXT)]
        with self._guard:
            scripted = request.kind == "turn" and bool(self._script)
            return self._script.popleft() if scripted else [say(DONE_TEXT)]


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    block_on_close = True
    request_queue_size = 64

    def __init__(self, api: MessagesApi) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.api = api
        self._guard = threading.Lock()
        self._open: set[socket.socket] = set()

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._guard:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._guard:
            self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Stay silent: a client that hangs up in mid-stream is part of the tests."""

    def close_connections(self) -> None:
        """Wake the threads that wait for a client that keeps its connection open."""
        with self._guard:
            for connection in self._open:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    continue


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - inherited name
        """Keep the test output clean."""

    def do_HEAD(self) -> None:
        self._send_json(200, {})

    def do_GET(self) -> None:
        self._answer({})

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        try:
            body = json.loads(self.rfile.read(length) or b"{}")
        except ValueError:
            self._send_json(400, _error(Refusal(400, "the body is not JSON")))
            return
        self._answer(body)

    def _answer(self, body: Json) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.command, self.path, headers, body, time.time())
        answer = self.server.api.answer(request)
        if isinstance(answer, Refusal):
            self._send_json(answer.status, _error(answer))
            return
        message = _message(body, self.server.api.input_tokens)
        if wires.is_responses(self.path):
            self._send_pieces(wires.responses(answer))
        elif wires.is_gemini(self.path) and "streamGenerateContent" not in self.path:
            self._send_json(200, wires.gemini_whole(answer))
        elif wires.is_gemini(self.path):
            self._send_pieces(wires.gemini(answer))
        elif body.get("stream"):
            self._stream(message, answer)
        else:
            self._send_json(200, _complete(message, answer))

    def _send_json(self, status: int, value: Json) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.send_header("connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _begin_stream(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("request-id", fresh_id("req"))
        self.send_header("connection", "close")
        self.end_headers()

    def _send_pieces(self, pieces: Iterable[Piece]) -> None:
        self._begin_stream()
        for piece in pieces:
            if isinstance(piece, dict):
                name = f"event: {piece['type']}\n" if "type" in piece else ""
                self.wfile.write(f"{name}data: {json.dumps(piece)}\n\n".encode())
                self.wfile.flush()
            else:
                self.server.api.pause(float(piece))

    def _stream(self, message: Json, turn: Turn) -> None:
        self._begin_stream()
        self._event("message_start", {"message": message})
        index = 0
        for block in turn:
            if block["type"] == "stall":
                self.server.api.pause(float(block["seconds"]))
            else:
                self._stream_block(index, block)
                index += 1
        delta = {"stop_reason": _stop_reason(turn), "stop_sequence": None}
        self._event("message_delta", {"delta": delta, "usage": {"output_tokens": 10}})
        self._event("message_stop", {})

    def _stream_block(self, index: int, block: Block) -> None:
        if block["type"] == "text":
            head, deltas = {**block, "text": ""}, _text_deltas(block["text"])
        else:
            head = {**block, "input": {}}
            deltas = [{"type": "input_json_delta", "partial_json": json.dumps(block["input"])}]
        self._event("content_block_start", {"index": index, "content_block": head})
        for delta in deltas:
            self._event("content_block_delta", {"index": index, "delta": delta})
        self._event("content_block_stop", {"index": index})

    def _event(self, name: str, fields: Json) -> None:
        data = json.dumps({"type": name, **fields})
        self.wfile.write(f"event: {name}\ndata: {data}\n\n".encode())
        self.wfile.flush()


def _text_deltas(text: str) -> list[Json]:
    pieces = (text[at : at + _CHUNK_LENGTH] for at in range(0, len(text), _CHUNK_LENGTH))
    return [{"type": "text_delta", "text": piece} for piece in pieces]


def _message(body: Json, input_tokens: int) -> Json:
    return {
        "id": fresh_id("msg"),
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "claude-fake"),
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": input_tokens, "output_tokens": 1},
    }


def _complete(message: Json, turn: Turn) -> Json:
    content = [block for block in turn if block["type"] != "stall"]
    return {**message, "content": content, "stop_reason": _stop_reason(turn)}


def _stop_reason(turn: Turn) -> str:
    return "tool_use" if any(block["type"] == "tool_use" for block in turn) else "end_turn"


def _error(refusal: Refusal) -> Json:
    return {"type": "error", "error": {"type": refusal.error, "message": refusal.message}}
