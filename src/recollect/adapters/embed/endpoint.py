"""Embed: any endpoint that speaks as OpenAI's does (`POST …/embeddings`).

Promises: texts and key go to the address that the person gave and to no other, encrypted unless it
is this machine; a server that does not answer costs a bounded time.
Touches: the network.
"""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from recollect.errors import EmbedderBroken

SECONDS = 20.0
LARGEST_ANSWER = 64 * 1024 * 1024
LOOPBACK = ("localhost", "127.0.0.1", "::1")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_args: Any, **_named: Any) -> None:
        """Nowhere: what is asked there would go to somebody whom the person did not name."""


class Endpoint:
    """One address with one model."""

    def __init__(self, url: str, model: str, key: str = "") -> None:
        """`key` is sent as a bearer token. Raises EmbedderBroken for an address that is off."""
        parts = urlsplit(url)
        is_here = parts.hostname in LOOPBACK
        if parts.scheme not in ("https", "http") or (parts.scheme == "http" and not is_here):
            raise EmbedderBroken(path=url, reason="only https, or http on this machine")
        self._url, self._model, self._key = f"{url.rstrip('/')}/embeddings", model, key
        handlers: list[Any] = [_NoRedirect()]
        if is_here:
            handlers.append(urllib.request.ProxyHandler({}))
        self._opener = urllib.request.build_opener(*handlers)

    def embed(self, texts: list[str]) -> Sequence[Sequence[float]]:
        """The vectors of some texts. Raises EmbedderBroken."""
        body = json.dumps({"model": self._model, "input": texts}).encode()
        asked = urllib.request.Request(self._url, body, {"Content-Type": "application/json"})  # noqa: S310 - checked above
        if self._key:
            asked.add_unredirected_header("Authorization", f"Bearer {self._key}")
        try:
            with self._opener.open(asked, timeout=SECONDS) as answer:
                rows = json.loads(answer.read(LARGEST_ANSWER))["data"]
                rows.sort(key=lambda row: row["index"])
                return [row["embedding"] for row in rows]
        except (OSError, urllib.error.URLError) as error:
            reason = str(getattr(error, "reason", "") or error)
            raise EmbedderBroken(path=self._url, reason=reason) from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise EmbedderBroken(
                path=self._url, reason="it does not answer as OpenAI does"
            ) from error
