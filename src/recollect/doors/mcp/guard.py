"""MCP: who may come in over HTTP, and whether what a request says on its outside is what is in it.

Promises: pure; without the token nobody gets further than here; a page in a browser gets nowhere,
whatever name it has made this address answer to.
Touches: nothing.
"""

from __future__ import annotations

import hmac
import re
from typing import Protocol

from recollect.doors.mcp.protocol import (
    HANDSHAKE,
    HEADER_MISMATCH,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    MODERN,
    PARSE_ERROR,
    UNSUPPORTED_VERSION,
    VERSION_KEY,
    Request,
    Wrong,
)

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
