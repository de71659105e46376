"""MCP: the desk: requests that need the stores, one after the other, beside the reading of them.

Promises: answers come in the order of the requests; a request that was cancelled before its turn
is not carried out, and one that is cancelled in it is not answered; progress is only told of what
takes longer than a person waits gladly, and only ever grows.
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
PREPARING = "Reading the notes"


class Cancelled(Exception):
    """The client does not want the answer any more."""


class Call:
    """A request that waits or is worked on, and where its answer goes."""

    def __init__(
        self, request: Request, send: Callable[[dict[str, Any]], None], key: object = None
    ) -> None:
        """`send` takes messages for the client; by `key` the call can be cancelled."""
        self.request, self.send = request, send
        self.key = request.id if key is None else key
        self.is_wanted = True

    @property
    def changes(self) -> bool:
        """Whether it may change something."""
        name = self.request.params.get("name")
        tool = BY_NAME.get(name) if isinstance(name, str) else None
        return self.request.method == "tools/call" and tool is not None and not tool.reads


class Telling:
    """What a client is told while the stores of a call are opened, which may take long."""

    def __init__(self, call: Call) -> None:
        """Nothing is told yet."""
        self._call, self._token = call, call.request.meta.get("progressToken")
        self._started = self._last = time.monotonic()
        self._before = self._seen = 0
        self._told = -1

    def tell(self, done: int) -> None:
        """So many notes of a store are read. Raises Cancelled if nobody wants to know."""
        if not self._call.is_wanted:
            raise Cancelled
        if done < self._seen:  # the next store counts from its own beginning
            self._before += self._seen
        self._seen, so_far, now = done, self._before + done, time.monotonic()
        is_time = now - self._started > QUIET_SECONDS and now > self._last
        if is_time and so_far > self._told and isinstance(self._token, str | int):
            self._told, self._last = so_far, now + BETWEEN_SECONDS
            self._call.send(protocol.progress(self._token, so_far, PREPARING))


class Desk:
    """Answers what needs the stores, on a thread of its own."""

    def __init__(self, folder: str | None, *, read_only: bool) -> None:
        """`folder` is where the stores are looked for."""
        self._folder, self._read_only = folder, read_only
        self._waiting: queue.SimpleQueue[Call | None] = queue.SimpleQueue()
        self._calls: dict[object, Call] = {}
        self._current: Call | None = None
        self._workers: list[int] = []  # started by calls that are over
        self._idle_since: float | None = None  # the end of the last call; None before the first
        self._thread = threading.Thread(target=self._work, name="desk", daemon=True)

    def open(self) -> None:
        """Begin; what the calls will need is loaded meanwhile."""
        self._thread.start()

    def take(self, call: Call) -> None:
        """Queue a call."""
        self._calls[call.key] = call
        self._waiting.put(call)

    def cancel(self, key: object) -> None:
        """Drop a call if its turn has not come, and stop it where it can be stopped."""
        try:
            call = self._calls.get(key)
        except TypeError:  # a list or an object is nobody's id
            return
        if call is not None:
            call.is_wanted = False

    def close(self, seconds: float, is_heard: Callable[[], bool]) -> None:
        """Let what was asked be answered, as long as anybody listens; no call takes longer."""
        self._waiting.put(None)
        started = time.monotonic()
        while self._thread.is_alive() and is_heard():
            self._thread.join(0.02)
            since = self._idle_since
            if since is not None and time.monotonic() - max(started, since) > seconds:
                break

    def leave(self, seconds: float) -> None:
        """Drop everything; only a change that is being made may be finished, for that long."""
        for call in list(self._calls.values()):
            call.is_wanted = False
        self._waiting.put(None)
        current = self._current
        if current is not None and current.changes and self._thread.is_alive():
            self._thread.join(seconds)

    def _work(self) -> None:
        try:
            from recollect.doors.mcp import answers, prompts, resources  # noqa: F401 - while nobody waits
        except Exception:  # noqa: BLE001 - without them nothing can be answered
            traceback.print_exc(file=sys.stderr)
            os._exit(1)
        self._idle_since = time.monotonic()
        while (call := self._waiting.get()) is not None:
            self._current = call
            try:
                answer = self._answered(call) if call.is_wanted else None
                if answer is not None and call.is_wanted:
                    call.send(answer)
            except Cancelled:
                pass
            finally:
                self._current, self._idle_since = None, time.monotonic()
                if self._calls.get(call.key) is call:
                    del self._calls[call.key]

    def _answered(self, call: Call) -> dict[str, Any]:
        from recollect.app.wiring import App
        from recollect.errors import RecollectError

        request = call.request
        try:
            app = App(self._folder)
            app.workers = self._workers  # those that have ended are taken note of in the end
            try:
                _open_stores(app, call)
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
        answer = answers.call(app, tool, {} if given is None else given)
        if answer.used and not self._read_only:
            from recollect.app import uses

            uses.keep(app, answer.used, tool.name, answer.text)
        return answer.as_json(text_alone=request.wants_text_alone)


def _open_stores(app: App, call: Call) -> None:
    """Open the stores beforehand: an index that has to be made is what may take long."""
    from contextlib import suppress

    from recollect.errors import RecollectError

    with suppress(RecollectError):  # what runs next says it
        app.stores(progress=Telling(call).tell)


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
