"""App: capturing transcripts by command, each into the store of its project."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import repeat
from typing import Any

from recollect.adapters.clients import CAPTURED
from recollect.adapters.sessions import FolderSessions
from recollect.app import workers
from recollect.app.ahead import Ahead, Job
from recollect.app.publishing import publish_after_change
from recollect.app.wiring import App
from recollect.errors import FileNotThere, RecollectError, StoreNotFound
from recollect.hooks import places
from recollect.named import NamedTuple
from recollect.services.capture import Capture, Captured, Ending
from recollect.services.hearing import Heard, base_of

CLIENTS = CAPTURED  # whose transcripts can be read
MOST_TOGETHER = 8  # sessions whose memories are written together
LARGEST_TOGETHER = 2_000_000  # characters of their conversations


class Report(NamedTuple):
    """What capturing a folder did."""

    transcripts: int
    created: int
    changed: int
    nothing: int
    without_store: int  # of folders that no store is for
    memories: list[str]
    failed: list[tuple[str, str]]

    def as_json(self) -> dict[str, Any]:
        """The fields by name, what failed with its reason."""
        failed = [{"path": path, "why": why} for path, why in self.failed]
        return self._asdict() | {"failed": failed}


class _Outcome(NamedTuple):
    """What became of one transcript."""

    what: str  # created, changed, nothing, state, skipped; failed; homeless
    about: str  # the memory, the transcript, the folder
    why: str = ""


class _Place(NamedTuple):
    """The store that a transcript belongs to."""

    root: str
    scope: str
    project: str = ""  # where the store serves several
    problem: RecollectError | None = None


def capture_path(
    app: App,
    path: str,
    client: str,
    *,
    scope: str,
    dry_run: bool,
    progress: Callable[[int, int], None],
) -> Report:
    """Capture a transcript, or every one in a folder and below, store by store.

    Where there is much to hear, other processes help with that; this one alone writes.

    Raises:
        FileNotThere: there is nothing at `path`.
        StoreNotFound: there is no store for any of them.
    """
    full = os.path.abspath(os.path.expanduser(path))
    if not os.path.exists(full):
        raise FileNotThere(path=path, reason="there is none")
    found = app.readers()[client].find(full)
    places_of = [(one, _place_of(app, client, one, scope)) for one in found]
    if dry_run:
        outcomes: Iterator[_Outcome] = (_planned(*one) for one in places_of)
    else:
        outcomes = _Run(app, client, places_of).outcomes()
    done: list[_Outcome] = []
    for outcome in outcomes:
        done.append(outcome)
        progress(len(done), len(found))
    return _report(done)


def _report(done: list[_Outcome]) -> Report:
    homeless = [one.about for one in done if one.what == "homeless"]
    if homeless and len(homeless) == len(done):
        raise StoreNotFound(where=homeless[0])
    made = [one for one in done if one.what in ("created", "changed")]
    failed = [(one.about, one.why) for one in done if one.what == "failed"]
    created = sum(1 for one in made if one.what == "created")
    return Report(
        len(done),
        created,
        len(made) - created,
        len(done) - len(made) - len(failed) - len(homeless),
        len(homeless),
        [one.about for one in made],
        failed,
    )


def _place_of(app: App, client: str, transcript: str, scope: str) -> _Place:
    try:
        folder = "" if scope else app.readers()[client].folder_of(transcript)
        if not folder:
            store = app.store(scope)
            return _Place(store.files.root, store.scope)
        project, home = places.roots(folder, app.env)
        if project:
            return _Place(project, "project")
        if not home:
            raise StoreNotFound(where=folder)
        return _Place(home, "global", places.project_of(folder, app.env))
    except RecollectError as problem:
        return _Place("", "", problem=problem)


def _planned(transcript: str, place: _Place) -> _Outcome:
    return _refused(transcript, place.problem) if place.problem else _Outcome("nothing", "")


def _refused(transcript: str, problem: RecollectError) -> _Outcome:
    if isinstance(problem, StoreNotFound):
        return _Outcome("homeless", str(problem.fields["where"]))
    return _Outcome("failed", transcript, str(problem))


class _Run:
    """One run over many transcripts."""

    def __init__(self, app: App, client: str, found: Iterable[tuple[str, _Place]]) -> None:
        self.app, self.client = app, client
        self._reader = app.readers()[client]
        self._by_store: dict[str, list[tuple[str, _Place]]] = {}
        for one in found:
            self._by_store.setdefault(one[1].root, []).append(one)

    def outcomes(self) -> Iterator[_Outcome]:
        """Capture one after the other; what is wrong with one does not stop the others."""
        turn = 0
        with Ahead(self.app, list(self._jobs())) as ahead:
            for root, found in self._by_store.items():
                if root:
                    yield from self._of_store(found, ahead, turn)
                else:
                    yield from (_planned(*one) for one in found)
                turn += len(found)

    def _jobs(self) -> Iterator[Job | None]:
        """For each transcript in turn how to hear it; None for what can only be heard at its turn."""
        app = App(self.app.folder, self.app.env)  # to it settings are said that are said later, too
        app.is_personal = self.app.is_personal
        for root, found in self._by_store.items():
            settings = app.settings(root) if root else None
            for transcript, place in found:
                if settings is None or "episodic" in settings.encrypt:
                    yield None
                else:
                    base = base_of(root, place.scope)
                    job = Job(
                        self.client, transcript, place.project, base, settings.lang, app.is_personal
                    )
                    yield job if self._is_new(root, transcript) else None

    def _is_new(self, root: str, transcript: str) -> bool:
        session = self._reader.session_of(transcript)
        return bool(session) and not FolderSessions(root).has(self.client, session)

    def _of_store(
        self, found: Sequence[tuple[str, _Place]], ahead: Ahead, turn: int
    ) -> Iterator[_Outcome]:
        _, place = found[0]
        with ExitStack() as alone:
            try:
                store = self.app.opened(place.root, place.scope)
                alone.enter_context(workers.kept_away(self.app, store))
            except RecollectError as problem:
                yield from (_refused(transcript, problem) for transcript, _ in found)
                return
            together = _Together(self.app.capture(store), self.client)
            try:
                for n, (transcript, own) in enumerate(found, turn):
                    yield from together.take_in(transcript, own.project, ahead.heard(n))
                yield from together.end()
            finally:
                publish_after_change(self.app, store)


class _Together:
    """Sessions of one store that are taken in, and whose memories are written together."""

    def __init__(self, capture: Capture, client: str) -> None:
        self._capture, self._client = capture, client
        self._found: list[tuple[str, Captured | Ending | RecollectError]] = []

    def take_in(self, transcript: str, project: str, heard: Heard | None) -> Iterator[_Outcome]:
        """Take in the session of a transcript; gives what became of it and those before it.

        Nothing yet while others are to be written with it.
        """
        session = self._capture.readers[self._client].session_of(transcript)
        if session in (ending.state.session_id for ending in self._waiting()):
            yield from self.end()  # another transcript of it
        found: Captured | Ending | RecollectError
        try:
            found = self._capture.begin(self._client, transcript, project=project, heard=heard)
        except RecollectError as problem:
            found = problem
        self._found.append((transcript, found))
        sizes = [ending.size for ending in self._waiting()]
        if not 0 < len(sizes) < MOST_TOGETHER or sum(sizes) > LARGEST_TOGETHER:
            yield from self.end()

    def end(self) -> Iterator[_Outcome]:
        """Write what waits to be written; gives what became of it."""
        waiting = self._waiting()
        done: Iterator[Captured | RecollectError]
        try:
            done = iter(self._capture.end(waiting) if waiting else ())
        except RecollectError as problem:
            done = repeat(problem)
        found, self._found = self._found, []
        for transcript, one in found:
            it = next(done) if isinstance(one, Ending) else one
            if isinstance(it, RecollectError):
                yield _refused(transcript, it)
            else:
                yield _Outcome(it.what, it.memory)

    def _waiting(self) -> list[Ending]:
        return [one for _, one in self._found if isinstance(one, Ending)]
