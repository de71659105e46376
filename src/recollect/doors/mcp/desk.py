"""MCP: the desk: requests that need the stores, one after the other, beside the reading of stdin.

Promises: answers come in the order of the requests; a request that was cancelled before its turn
is not carried out; progress is only told of what takes longer than a person waits gladly.
Touches: the stores, through `app`, each call with an app of its own.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from recollect.doors.mcp import protocol
from recollect.doors.mcp.protocol import INTERNAL_ERROR, INVALID_PARAMS, Request, Wrong
from recollect.doors.mcp.tools import BY_NAME

if TYPE_CHECKING:
    from recollect.app.wiring import App

QUIET_SECONDS = 1.0  # a client that hears of progress right before the answer may stumble over it
BETWEEN_SECONDS = 0.5


class Cancelled(Exception):
    """The client does not want the answer any more."""


class Desk:
    """Answers what needs the stores, on a thread of its own."""

    def __init__(
        self, send: Callable[[dict[str, Any]], None], folder: str | None, *, read_only: bool
    ) -> None:
        """`send` takes a message for the client; `folder` is where the stores are looked for."""
        self._send, self._folder, self._read_only = send, folder, read_only
        self._waiting: queue.SimpleQueue[Request | None] = queue.SimpleQueue()
        self._unwanted: set[str | int] = set()
        self._thread = threading.Thread(target=self._work, name="desk", daemon=True)

    def open(self) -> None:
        """Begin; what the calls will need is loaded meanwhile."""
        self._thread.start()

    def take(self, request: Request) -> None:
        """Queue a request."""
        self._waiting.put(request)

    def cancel(self, request_id: object) -> None:
        """Drop a request if its turn has not come, and stop it where it can be stopped."""
        if isinstance(request_id, str | int):
            self._unwanted.add(request_id)

    def close(self, seconds: float) -> None:
        """Let what was asked be answered, for at most that long."""
        self._waiting.put(None)
        if self._thread.is_alive():
            self._thread.join(seconds)

    def _work(self) -> None:
        try:
            from recollect.doors.mcp import answers, prompts, resources  # noqa: F401 - while nobody waits
        except Exception:  # noqa: BLE001 - without them nothing can be answered
            traceback.print_exc(file=sys.stderr)
            os._exit(1)
        while (request := self._waiting.get()) is not None:
            try:
                if request.id not in self._unwanted:
                    self._send(self._answered(request))
            except Cancelled:
                pass
            finally:
                self._unwanted.discard(request.id or 0)

    def _answered(self, request: Request) -> dict[str, Any]:
        from recollect.app.wiring import App
        from recollect.errors import RecollectError

        try:
            app = App(self._folder)
            try:
                self._open_stores(app, request)
                return protocol.message(request, self._result(app, request))
            finally:
                app.close()
        except Wrong as wrong:
            return protocol.refusal(request.id, wrong)
        except (RecollectError, OSError) as error:
            return protocol.refusal(request.id, Wrong(INTERNAL_ERROR, str(error)))
        except Cancelled:
            raise
        except Exception as error:  # noqa: BLE001 - a bug ends a request, never the server
            traceback.print_exc(file=sys.stderr)
            return protocol.refusal(request.id, Wrong(INTERNAL_ERROR, type(error).__name__))

    def _open_stores(self, app: App, request: Request) -> None:
        """Open the stores beforehand: an index that has to be made is what may take long."""
        from contextlib import suppress

        from recollect.errors import RecollectError

        token = request.meta.get("progressToken")
        started = last = time.monotonic()

        def tell(done: int) -> None:
            nonlocal last
            now = time.monotonic()
            if request.id in self._unwanted:
                raise Cancelled
            if token is not None and min(now - started - QUIET_SECONDS, now - last) > 0:
                last = now + BETWEEN_SECONDS
                self._send(protocol.progress(token, done))

        with suppress(RecollectError):  # what runs next says it
            app.stores(progress=tell)

    def _result(self, app: App, request: Request) -> dict[str, Any]:
        from recollect.doors.mcp import prompts, resources

        if request.method == "tools/call":
            return self._called(app, request)
        if request.method == "resources/list":
            return {"resources": resources.listed(app)}
        if request.method == "resources/read":
            return _read(app, request)
        if request.method == "prompts/list":
            return {"prompts": prompts.listed(app)}
        return _prompted(app, request)

    def _called(self, app: App, request: Request) -> dict[str, Any]:
        from recollect.doors.mcp import answers

        name = request.params.get("name")
        tool = BY_NAME.get(name) if isinstance(name, str) else None
        if tool is None or (self._read_only and not tool.reads):
            known = ", ".join(t.name for t in BY_NAME.values() if t.reads or not self._read_only)
            raise Wrong(INVALID_PARAMS, f"There is no tool {str(name)[:80]!r}; there are: {known}.")
        given = request.params.get("arguments")
        return answers.call(app, tool, {} if given is None else given).as_json()


def _read(app: App, request: Request) -> dict[str, Any]:
    from recollect.doors.mcp import answers, resources
    from recollect.errors import MemoryNotFound, StoreNotFound

    uri = request.params.get("uri")
    if not isinstance(uri, str):
        raise Wrong(INVALID_PARAMS, "The address of a resource is text: memory://index.")
    try:
        return {"contents": resources.read(app, uri)}
    except (MemoryNotFound, StoreNotFound) as error:
        what = answers.sentence_of(app, error)
        raise Wrong(INVALID_PARAMS, what, {"uri": uri[:300]}) from None


def _prompted(app: App, request: Request) -> dict[str, Any]:
    from recollect.domain.pack import attribute
    from recollect.doors.mcp import prompts

    given = request.params.get("arguments")
    topic = given.get("topic", "") if isinstance(given, dict) else ""
    name = request.params.get("name")
    topic = attribute(topic) if isinstance(topic, str) else ""
    found = prompts.filled(app, name, topic) if isinstance(name, str) else None
    if found is None:
        what = f"There is no prompt {str(name)[:80]!r}; there are: recap, save_session."
        raise Wrong(INVALID_PARAMS, what)
    about, text = found
    said = {"role": "user", "content": {"type": "text", "text": text}}
    return {"description": about, "messages": [said]}
