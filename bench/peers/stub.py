"""A stand-in for an embedder: words and parts of words, hashed. It knows nothing of meaning.

For peers that do not run without an embedder. It shows what they cost beside it; how well they find
with it says nothing of how well they find with a model.

Promises: the same text has the same vector; it listens on the loopback only, while it is open.
Touches: a port of the loopback.
"""

from __future__ import annotations

import json
import math
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

SIZE = 384
_PART = 4


def vector(text: str) -> list[float]:
    """Of length 1: each word and each four letters of it at a place of their own."""
    found = [0.0] * SIZE
    for word in re.findall(r"\w+", text.lower()):
        parts = (word[n : n + _PART] for n in range(max(len(word) - _PART + 1, 1)))
        for part in (f" {word}", *parts):
            found[zlib.crc32(part.encode()) % SIZE] += 1.0
    length = math.hypot(*found) or 1.0
    return [value / length for value in found]


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
        data = [
            {"object": "embedding", "index": n, "embedding": vector(str(text))}
            for n, text in enumerate(texts)
        ]
        usage = {"prompt_tokens": 0, "total_tokens": 0}
        said = {"object": "list", "data": data, "model": asked.get("model", ""), "usage": usage}
        body = json.dumps(said).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing is written down."""


@contextmanager
def embedder() -> Iterator[str]:
    """The address of an OpenAI-compatible endpoint, for as long as it is open."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
