"""Embedders: the fake, an endpoint, and functions of others keep one contract."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from tests.fakes.embedder import WORDS, WordEmbedder

from recollect.errors import EmbedderBroken
from recollect.search.embedders import Endpoint, FloatEmbedder, int8_of
from recollect.search.vectors import Passage
from recollect.text.redact import redact

from .embedder import EmbedderContract


def floats(texts: list[str]) -> list[list[float]]:
    """Vectors by words, as a library of somebody gives them."""
    return [[0.5 if word in text.lower() else 0.0 for word in WORDS] + [0.01] for text in texts]


class TestFake(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> WordEmbedder:
        return WordEmbedder()


class TestFunction(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> FloatEmbedder:
        return FloatEmbedder("function/1", lambda: floats)


class Server(HTTPServer):
    """An endpoint on loopback that remembers what it was told; `answer` may be anything."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.told: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.answer: bytes | None = None
        self.moved_to = ""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        told = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.told.append(told)
        self.server.keys.append(self.headers["Authorization"])
        if self.server.moved_to:
            self.send_response(307)
            self.send_header("Location", self.server.moved_to)
            self.end_headers()
            return
        rows = [{"index": n, "embedding": v} for n, v in enumerate(floats(told["input"]))]
        body = self.server.answer
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps({"data": rows[::-1]}).encode() if body is None else body)

    def log_message(self, *_: object) -> None:
        """Nobody reads it."""


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as made:
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield made
        made.shutdown()
        thread.join()


def over(server: Server) -> FloatEmbedder:
    return FloatEmbedder("endpoint/1", lambda: Endpoint(server.url, "small", "k3y").embed, redact)


class TestEndpoint(EmbedderContract):
    @pytest.fixture
    def embedder(self, server: Server) -> FloatEmbedder:
        return over(server)


def test_no_secret_leaves_the_machine(server: Server) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    embedder = over(server)
    embedder.passages([Passage(f"token {secret}", before=secret)])
    embedder.cue(f"what is {secret}")
    assert len(server.told) == 2
    assert secret not in json.dumps(server.told)
    assert server.keys == ["Bearer k3y"] * 2


def test_who_is_sent_elsewhere_does_not_go(server: Server) -> None:
    server.moved_to = f"{server.url}/elsewhere"
    with pytest.raises(EmbedderBroken):
        over(server).cue("clock")
    assert len(server.told) == 1


@pytest.mark.parametrize("url", ["http://example.com/v1", "ftp://localhost/v1", "file:///etc", "x"])
def test_an_address_that_is_neither_encrypted_nor_here_is_refused(url: str) -> None:
    with pytest.raises(EmbedderBroken):
        Endpoint(url, "small")


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"[]",
        b'{"data": []}',
        b'{"data": [{"index": 0}]}',
        b'{"data": [{"index": 0, "embedding": []}]}',
        b'{"data": [{"index": 0, "embedding": ["x"]}]}',
        b'{"data": [{"index": 0, "embedding": [NaN]}]}',
        b'{"data": [{"index": 0, "embedding": [1e999]}]}',
        b'{"data": {"index": 0}}',
    ],
)
def test_an_answer_that_is_none_is_refused(server: Server, answer: bytes) -> None:
    server.answer = answer
    with pytest.raises(EmbedderBroken):
        over(server).cue("clock")


def test_a_server_that_is_not_there_is_an_error_of_ours() -> None:
    with pytest.raises(EmbedderBroken):
        Endpoint("http://127.0.0.1:9/v1", "small").embed(["clock"])


def test_a_vector_of_zeros_stays_one() -> None:
    assert int8_of([0.0, 0.0]) == b"\0\0"
