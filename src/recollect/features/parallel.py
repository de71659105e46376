"""Parse new sessions ahead of their turn, in other processes.

The result equals parsing at its turn, or the session is parsed again. The queue is bounded. A
process that dies costs only time, and none outlives its parent.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from threading import Condition, Thread
from typing import Self

from recollect._fastimport import NamedTuple
from recollect.capture.session_files import FolderSessions
from recollect.capture.state import Heard, Hearing, log_of
from recollect.errors import RecollectError
from recollect.model.session import Event, SessionState
from recollect.workspace import App

WORD = "hear"  # what the program is called with, in place of a command
# Less than this is read before a second process would have started.
WORTH_BYTES = 8_000_000
LARGEST_BYTES = 16_000_000  # of a transcript: two of the long ones at once take too much memory
MOST_OTHERS = 3  # they hear more than one process can write
HELD, HELD_FOR_EACH = 8, 4  # sessions that wait for their turn: more than are written together
PATIENCE_SECONDS = 60.0  # with a process that does not answer
AT_ONCE = 2  # that a process is told of, so that it always has the next


class Job(NamedTuple):
    """A transcript of a new session, and what is to be known to hear it."""

    client: str
    transcript: str
    base: str
    lang: str
    is_personal: bool


class Ear:
    """Hearing of new sessions, with nothing of a store at hand."""

    def __init__(self, folder: str, env: Mapping[str, str]) -> None:
        """Where the command runs, and with which environment."""
        self._app = App(folder, env)
        self._readers = self._app.readers()

    def hear(self, job: Job) -> Heard | None:
        """All that a session says; None if it cannot be heard: at its turn it is told why."""
        with suppress(RecollectError):
            return self._heard(job)
        return None

    def _heard(self, job: Job) -> Heard:
        asked: list[str] = []

        def none_beside(_: SessionState, event: str) -> set[str]:
            asked.append(event)
            return set()

        self._app.is_personal = job.is_personal
        reader = self._readers[job.client]
        hearing = Hearing(self._app.redact, job.base, none_beside)
        state = SessionState(reader.session_of(job.transcript), job.client)
        events: list[Event] = []
        raw = b""
        for fresh in hearing.hear(reader, job.transcript, state):
            raw += FolderSessions.packed(fresh)
            events += fresh
        return Heard(state, len(events), tuple(asked), raw, log_of(events, job.lang))


def line_of(heard: Heard) -> str:
    """What was heard as a line, for another process."""
    row = heard._asdict()
    row["state"], row["raw"] = heard.state.to_json(), base64.b64encode(heard.raw).decode()
    return json.dumps(row)


def heard_in(line: bytes) -> Heard | None:
    """What was heard, from a line; None if it is no whole one."""
    try:
        row = json.loads(line)
    except ValueError:
        row = None
    if not row:
        return None
    row["state"] = SessionState.from_json(row["state"])
    row["raw"], row["asked"] = base64.b64decode(row["raw"]), tuple(row["asked"])
    return Heard(**row)


def others_for(sizes: Iterable[int]) -> int:
    """How many processes are worth starting to hear so much."""
    return min((os.cpu_count() or 1) - 1, MOST_OTHERS, sum(sizes) // WORTH_BYTES)


def _size(path: str) -> int:
    with suppress(OSError):
        return os.path.getsize(path)
    return 0


class Ahead:
    """The hearing of sessions in the order of their turns, as far ahead as there is room."""

    def __init__(self, app: App, jobs: Sequence[Job | None]) -> None:
        """A job for each turn; None where a session can only be heard when it is its turn."""
        self._jobs = jobs
        self._ear = Ear(app.folder, app.env)
        self._changed = Condition()
        sizes = {n: _size(job.transcript) for n, job in enumerate(jobs) if job}
        sizes = {n: size for n, size in sizes.items() if size <= LARGEST_BYTES}
        self._free = deque(sizes)  # that nobody has taken
        self._given: set[int] = set()
        self._ready: dict[int, Heard | bytes | None] = {}
        self._others: list[_Other] = []
        self._start = partial(_Other, app, self._listen)
        self._wanted = others_for(sizes.values())
        self._most = HELD + HELD_FOR_EACH * self._wanted

    def __enter__(self) -> Self:
        with suppress(OSError):  # where there is no room for them it goes without
            while len(self._others) < self._wanted:
                self._others.append(self._start())
        return self

    def __exit__(self, *_: object) -> None:
        for other in self._others:
            other.end()

    def heard(self, turn: int) -> Heard | None:
        """What the session says whose turn it is; None if it is still to be heard.

        While somebody else is at it, a later one is heard.
        """
        while True:
            with self._changed:
                found = self._ready.pop(turn, None)
                self._pass_over(turn)
                self._feed()
                if turn not in self._given:
                    return heard_in(found) if isinstance(found, bytes) else found
                later = self._next()
                job = None if later is None else self._jobs[later]
                if later is None or job is None:
                    if not self._changed.wait(PATIENCE_SECONDS):
                        self._given.discard(turn)  # whoever is at it hangs
                    continue
            heard = self._ear.hear(job)
            with self._changed:
                self._ready[later] = heard

    def _pass_over(self, turn: int) -> None:
        """Leave alone what was not heard by its turn."""
        while self._free and self._free[0] <= turn:
            self._free.popleft()
        for late in [n for n in self._ready if n < turn]:
            del self._ready[late]

    def _next(self) -> int | None:
        has_room = len(self._given) + len(self._ready) < self._most
        return self._free.popleft() if self._free and has_room else None

    def _feed(self) -> None:
        """Give the other processes what they are to hear next."""
        for other in self._others:
            while len(other.turns) < AT_ONCE and other.is_there:
                turn = self._next()
                if turn is None:
                    return
                self._given.add(turn)
                other.turns.append(turn)
                other.tell(self._jobs[turn])

    def _listen(self, other: _Other) -> None:
        """Take what a process says of one session after the other, until it ends."""
        try:
            for line in other.said:
                with self._changed:
                    turn = other.turns.popleft()
                    self._given.discard(turn)
                    self._ready[turn] = line
                    self._feed()
                    self._changed.notify()
        finally:
            with self._changed:
                other.is_there = False
                self._given.difference_update(other.turns)  # to be heard when it is their turn
                self._changed.notify()


class _Other:
    """Another process that hears sessions, and the turns of those that it was told of."""

    def __init__(self, app: App, listen: Callable[[_Other], None]) -> None:
        package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        self._process = subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-I", os.path.join(package, "__main__.py"), WORD, app.folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(app.env),
        )
        assert self._process.stdin is not None and self._process.stdout is not None  # noqa: PT018 - pipes
        self._told, self.said = self._process.stdin, self._process.stdout
        self.turns: deque[int] = deque()
        self.is_there = True
        self._listener = Thread(target=listen, args=(self,), daemon=True)
        self._listener.start()

    def tell(self, job: Job | None) -> None:
        """Let it hear a session; who listens to it learns if it has gone."""
        with suppress(OSError):
            self._told.write(f"{json.dumps(job)}\n".encode())
            self._told.flush()

    def end(self) -> None:
        """Make an end of it, whatever it is doing."""
        self._process.kill()
        self._listener.join()
        with suppress(OSError), self._process:
            pass  # its pipes are closed


def hear_all(folder: str, lines: Iterable[bytes]) -> Iterator[str]:
    """Be one of those processes: hear what is told line by line."""
    ear = Ear(folder, os.environ)
    for line in lines:
        heard = ear.hear(Job(*json.loads(line)))
        yield line_of(heard) if heard else "null"


# -------------------- The door of a process that hears new sessions for another one.


def main(folder: str) -> None:
    """Hear what stdin says (see `app.ahead`)."""
    for line in hear_all(folder, sys.stdin.buffer):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
