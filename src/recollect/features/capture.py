"""Capture transcripts by command, each into the store of its project."""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from itertools import repeat
from typing import TYPE_CHECKING, Any, Self

from recollect import workspace
from recollect._fastimport import NamedTuple
from recollect.capture.capture import Capture, Captured, Ending
from recollect.capture.ingest import ParsedSession, TranscriptIngest, log_of
from recollect.capture.session_files import FolderSessions
from recollect.clients.base import LineTranscripts, first, is_of_lines, object_of
from recollect.clients.registry import KNOWN, READERS
from recollect.errors import Failed, FileNotThere, RecollectError, StoreNotFound
from recollect.model.session import Event, SessionState
from recollect.store import locations
from recollect.store.background import new_episodes
from recollect.store.private_stores import stores_at
from recollect.workspace import Workspace

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

MOST_TOGETHER = 8  # sessions whose memories are written together
MODELS = "model"  # the folder in our cache in which clients are asked as models
LARGEST_TOGETHER = 2_000_000  # characters of their conversations


class CaptureReport(NamedTuple):
    """What capturing transcripts did."""

    transcripts: int
    created: int
    changed: int
    nothing: int
    without_store: int  # of folders that no store is for
    memories: list[str]
    failed: list[tuple[str, str]]
    of_no_project: int = 0  # whose project nobody can tell
    filed: int = 0  # statements of theirs that stand on lasting pages now
    superseded: int = 0  # statements that they replaced
    disputed: int = 0  # contradictions that a person has to settle

    def as_json(self) -> dict[str, Any]:
        """The fields by name, what failed with its reason."""
        failed = [{"path": path, "why": why} for path, why in self.failed]
        return self._asdict() | {"failed": failed}


class _Outcome(NamedTuple):
    """What became of one transcript."""

    what: str  # created, changed, nothing, state, skipped; failed; homeless; unknown
    about: str  # the memory, the transcript, the folder
    why: str = ""


class _Place(NamedTuple):
    """The store that a transcript belongs to."""

    root: str
    scope: str
    folder: str = ""  # the one that the session was in
    problem: RecollectError | None = None


class _OfNoProject(StoreNotFound):
    """Nobody can tell which project a transcript is of."""


def capture_paths(
    app: Workspace,
    paths: Sequence[str],
    client: str,
    *,
    scope: str,
    dry_run: bool,
    progress: Callable[[int, int], None],
) -> CaptureReport:
    """Capture transcripts, and all those in folders and below, store by store.

    Where there is much to parse, other processes help with that; this one alone writes. If a path
    is no transcript, nothing is captured. Without a client, a file is of the one that wrote it.

    Raises FileNotThere, StoreNotFound.
    """
    _require_person(app)  # before anything is looked up for somebody else
    found: list[tuple[str, str]] = []
    placed: set[str] = set()
    for path in paths:
        there, is_placed = _found_at(app, path, client or _writer_of(app, path))
        found += there
        if is_placed:
            placed.update(transcript for _, transcript in there)
    found = list(dict.fromkeys(found))
    if len(paths) > 1:
        with suppress(OSError):
            found.sort(key=lambda one: os.path.getmtime(one[1]))  # the latest last, as of a folder
    return capture_found(app, found, scope=scope, dry_run=dry_run, progress=progress, placed=placed)


def _writer_of(app: Workspace, path: str) -> str:
    """The client that wrote a file; Claude Code for a folder, and for a file in which nothing is said."""
    full = os.path.abspath(os.path.expanduser(path))
    for name, reader in app.readers().items() if os.path.isfile(full) else ():
        found = reader.find(full)  # most name their folder at the head, and need not be read for it
        if any(reader.folder_of(one) or reader.read(one, 0, 0).events for one in found):
            return name
    return "claude"


def _found_at(app: Workspace, path: str, client: str) -> tuple[list[tuple[str, str]], bool]:
    """The transcripts at a path, and whether it is a file that does not name its project itself."""
    full = os.path.abspath(os.path.expanduser(path))
    if not os.path.exists(full):
        raise FileNotThere(path=path, reason="no such file or folder")
    found = [(client, one) for one in app.readers()[client].find(full)]
    if not found and os.path.isfile(full):
        title = KNOWN[client].title
        raise Failed(what=f"{path} is no transcript of {title}.")
    if found == [(client, full)]:
        _require_log_of(app, client, full)
    return found, found == [(client, full)] and not app.readers()[client].folder_of(full)


def capture_found(
    app: Workspace,
    found: Sequence[tuple[str, str]],
    *,
    scope: str,
    dry_run: bool,
    progress: Callable[[int, int], None],
    placed: Collection[str] = (),
) -> CaptureReport:
    """Capture transcripts, given as pairs of client and path, and file what they state on pages.

    Raises StoreNotFound. Those `placed` by a person, who named the file, belong to this project if nothing else is said.
    """
    _require_person(app)
    done: list[_Outcome] = []
    places = {root: _Place(root, name) for name, root in app.roots.items() if scope in ("", name)}
    for client in dict.fromkeys(client for client, _ in found):
        own = [path for name, path in found if name == client]
        known: dict[str, tuple[list[str], bool]] = {}
        places_of = [
            (one, _place_of(app, client, one, scope or ("project" if one in placed else ""), known))
            for one in own
        ]
        run = _Run(app, client, places_of)
        for outcome in _planned(app, client, places_of) if dry_run else run.outcomes():
            done.append(outcome)
            progress(len(done), len(found))
        places |= run.places
    report = _report(done)
    for place in () if dry_run else places.values():
        report = _with_filed(report, app, place)
    return report


def _with_filed(report: CaptureReport, app: Workspace, place: _Place) -> CaptureReport:
    """File the statements of a store's new sessions, as one of its next sessions does else.

    Also of sessions that were captured before and not filed yet, as where a capture was ended.
    """
    from recollect.features import lifecycle  # loads all of consolidation

    with suppress(RecollectError):  # a pass that goes on elsewhere does it
        store = app.opened(place.root, place.scope, folder=place.folder)
        if new_episodes(store.index):
            done = lifecycle.consolidate_now(app, store)
            return report._replace(
                filed=report.filed + done.counts["absorbed"],
                superseded=report.superseded + done.counts["superseded"],
                disputed=report.disputed + done.counts["waiting"],
            )
    return report


def _require_person(app: Workspace) -> None:
    what = (
        "Sessions are captured automatically; only a person can capture a transcript by its path."
    )
    workspace.require_person(app.env, "capture", what)


class Uncaptured(NamedTuple):
    """Transcripts that nobody has captured yet, as pairs of client and path."""

    here: list[tuple[str, str]]  # of this project
    others: list[tuple[str, str]]

    @property
    def every(self) -> list[tuple[str, str]]:
        """Those of all projects."""
        return self.here + self.others


def left_by_clients(
    app: Workspace, progress: Callable[[int, int], None] | None = None
) -> Uncaptured:
    """What the logs of the clients on this machine have that is not captured yet, or went on since."""
    found: list[tuple[str, str]] = []
    for name, one in KNOWN.items():
        logs = one.logs(app.env)
        if logs and os.path.exists(logs):
            found += [(name, path) for path in app.readers()[name].find(logs)]
    left = Uncaptured([], [])
    known: dict[str, tuple[list[str], bool]] = {}
    for n, (client, path) in enumerate(found, 1):
        reader = app.readers()[client]
        folder = reader.folder_of(path)
        if not folder:
            continue  # whose it is nobody can tell
        if folder not in known:
            known[folder] = _roots_of(app, folder)
        roots, is_here = known[folder]
        session = reader.session_of(path)
        if roots and _is_left(roots, client, session, path):
            (left.here if is_here else left.others).append((client, path))
        if progress:
            progress(n, len(found))
    return left


def _is_left(roots: list[str], client: str, session: str, path: str) -> bool:
    known_to = [one for one in map(FolderSessions, roots) if one.has(client, session)]
    return all(one.is_behind(client, session, path) for one in known_to)


def _report(done: list[_Outcome]) -> CaptureReport:
    counts = Counter(one.what for one in done)
    if done and counts["homeless"] == len(done):
        raise StoreNotFound(where=done[0].about)
    others = ("created", "changed", "failed", "homeless", "unknown")
    return CaptureReport(
        len(done),
        counts["created"],
        counts["changed"],
        len(done) - sum(counts[what] for what in others),
        counts["homeless"],
        [one.about for one in done if one.what in ("created", "changed")],
        [(one.about, one.why) for one in done if one.what == "failed"],
        counts["unknown"],
    )


def _roots_of(app: Workspace, folder: str) -> tuple[list[str], bool]:
    """`(stores, is ours)`: where the sessions of a folder belong, and whether that is this project.

    Behind it the stores of repositories that were in its place before: a session that one of them
    has is theirs.
    """
    # The environment names the project of the folder we are in, not that of every session.
    ours = (locations.project_of(app.folder, app.env), app.project_folder)
    is_ours = locations.project_of(folder, app.env) in ours
    env = dict(app.env)
    if not is_ours:
        env.pop("RECOLLECT_PROJECT_ROOT", None)
    root = locations.project_root(folder, env)
    project = locations.real(locations.project_of(folder, app.env))
    former = stores_at(project, app.env) if root else []
    return [*([root] if root else []), *(one for one in former if one != root)], is_ours


def _place_of(
    app: Workspace,
    client: str,
    transcript: str,
    scope: str,
    known: dict[str, tuple[list[str], bool]],
) -> _Place:
    try:
        _require_transcript(transcript)
        if scope:
            store = app.store(scope)
            return _Place(store.root, store.scope)
        reader = app.readers()[client]
        folder = reader.folder_of(transcript)
        if not folder:
            raise _OfNoProject(where=transcript)
        is_models = folder == f"{locations.cache_root(app.env)}/{MODELS}"
        if folder not in known:
            known[folder] = ([], False) if is_models else _roots_of(app, folder)
        roots, _ = known[folder]
        if not roots:
            raise StoreNotFound(where=folder)
        session = reader.session_of(transcript) if len(roots) > 1 else ""
        had = (root for root in roots if session and FolderSessions(root).has(client, session))
        return _Place(next(had, roots[0]), "project", folder)
    except RecollectError as problem:
        return _Place("", "", problem=problem)


def _require_transcript(path: str) -> None:
    """Refuse a file that no client has written; sessions in a database are no files."""
    if os.path.isfile(path) and not os.access(path, os.R_OK):
        raise Failed(what="You have no permission to read this file.")
    if os.path.isfile(path) and not is_of_lines(path):
        raise Failed(what="This is not a transcript: no line of it is a JSON object.")


def _require_log_of(app: Workspace, client: str, path: str) -> None:
    """Refuse a file that this client has not written, and say whose it is if another one did."""
    lines = list(filter(None, map(object_of, first(path)))) if os.path.isfile(path) else []
    if not lines:
        return  # empty, or no transcript of anybody
    readers = {name: one for name, one in app.readers().items() if isinstance(one, LineTranscripts)}
    own, title = readers.get(client), KNOWN[client].title
    if own is None or own.folder_of(path) or own.read(path, 0, 0).events:
        if own and not own.session_of(path) and not own.is_named(path):
            what = f"{path} is not named as {title} names its transcripts, which says the session."
            raise Failed(what=what)
        return
    for name, other in readers.items():
        if name != client and other.read(path, 0, 0).events:
            theirs = KNOWN[name].title
            what = f"{path} is a transcript of {theirs}, not of {title}: give `--client {name}`."
            raise Failed(what=what)
    if not any(key in line for line in lines for key in ("type", "sessionId")):
        raise Failed(what=f"{path} is no transcript of {title}: no line of it has its form.")


def _planned(
    app: Workspace, client: str, places_of: Iterable[tuple[str, _Place]]
) -> Iterator[_Outcome]:
    """What would become of each transcript."""
    captures: dict[str, Capture] = {}
    for transcript, place in places_of:
        try:
            if place.problem:
                raise place.problem
            if place.root not in captures:
                store = app.opened(place.root, place.scope, folder=place.folder)
                captures[place.root] = app.capture(store)
            done = captures[place.root].look(client, transcript)
        except RecollectError as problem:
            yield _refused(transcript, problem)
        else:
            yield _Outcome(done.what, done.memory)


def _refused(transcript: str, problem: RecollectError) -> _Outcome:
    if isinstance(problem, _OfNoProject):
        return _Outcome("unknown", transcript)
    if isinstance(problem, StoreNotFound):
        return _Outcome("homeless", str(problem.fields["where"]))
    return _Outcome("failed", transcript, str(problem))


class _Run:
    """One run over many transcripts."""

    def __init__(self, app: Workspace, client: str, found: Sequence[tuple[str, _Place]]) -> None:
        self.app, self.client = app, client
        self._reader = app.readers()[client]
        self._by_store: dict[str, list[tuple[str, _Place]]] = {}
        self.places = {one.root: one for _, one in found if one.root}  # a place in each store
        for one in found:
            self._by_store.setdefault(one[1].root, []).append(one)

    def outcomes(self) -> Iterator[_Outcome]:
        """Capture one after the other; what is wrong with one does not stop the others."""
        turn = 0
        with ParserPool(self.app, list(self._jobs())) as parsers:
            for root, found in self._by_store.items():
                if root:
                    yield from self._of_store(found, parsers, turn)
                else:
                    refused = ((one, place.problem) for one, place in found)
                    yield from (_refused(one, why) for one, why in refused if why)
                turn += len(found)

    def _jobs(self) -> Iterator[Job | None]:
        """What is to be known to parse each transcript; None for what can only be parsed at its turn."""
        # Of its own: what is said of settings is said later, too.
        app = type(self.app)(self.app.folder, self.app.env)
        app.is_personal = self.app.is_personal
        for root, found in self._by_store.items():
            settings = app.settings(root) if root else None
            for transcript, place in found:
                if settings is None or "episodic" in settings.encrypt:
                    yield None
                else:
                    base = locations.project_of_store(root) or locations.project_of(
                        place.folder, app.env
                    )
                    job = Job(self.client, transcript, base, settings.lang, app.is_personal)
                    yield job if self._is_new(root, transcript) else None

    def _is_new(self, root: str, transcript: str) -> bool:
        session = self._reader.session_of(transcript)
        return bool(session) and not FolderSessions(root).has(self.client, session)

    def _of_store(
        self, found: Sequence[tuple[str, _Place]], parsers: ParserPool, turn: int
    ) -> Iterator[_Outcome]:
        _, place = found[0]
        with ExitStack() as alone:
            try:
                store = self.app.opened(place.root, place.scope, folder=place.folder)
                alone.enter_context(workspace.hold_worker(self.app, store))
                alone.enter_context(store.one_change())
            except RecollectError as problem:
                yield from (_refused(transcript, problem) for transcript, _ in found)
                return
            store.note_change()  # the brief tells of sessions, too
            together = _StoreBatch(self.app.capture(store), self.client)
            for n, (transcript, _) in enumerate(found, turn):
                yield from together.take_in(transcript, parsers.parsed(n))
            yield from together.end()


class _StoreBatch:
    """Sessions of one store that are taken in, and whose memories are written together."""

    def __init__(self, capture: Capture, client: str) -> None:
        self._capture, self._client = capture, client
        self._found: list[tuple[str, Captured | Ending | RecollectError]] = []

    def take_in(self, transcript: str, heard: ParsedSession | None) -> Iterator[_Outcome]:
        """Take in the session of a transcript; gives what became of it and those before it.

        Nothing yet while others are to be written with it.
        """
        session = self._capture.readers[self._client].session_of(transcript)
        if session in (ending.state.session_id for ending in self._waiting()):
            yield from self.end()  # another transcript of it
        found: Captured | Ending | RecollectError
        try:
            found = self._capture.begin(self._client, transcript, heard=heard)
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


# ---------------------------------------------------------------------- parsing in other processes


WORTH_BYTES = 8_000_000  # less is parsed before another process would have started
LARGEST_BYTES = 16_000_000  # of a transcript: two of the long ones at once take too much memory
MOST_OTHERS = 3  # they parse more than one process can write
WAITING_FOR_EACH = 6  # sessions, parsed or to be parsed, for each process
PATIENCE_SECONDS = 60.0  # with a process that does not answer


class Job(NamedTuple):
    """A transcript of a new session, and what is to be known to parse it."""

    client: str
    transcript: str
    base: str
    lang: str
    is_personal: bool


def parsed(folder: str, env: Mapping[str, str], job: Job) -> ParsedSession | None:
    """All that a session says; None if it cannot be read: at its turn the person is told why."""
    asked: list[str] = []

    def none_beside(_: SessionState, event: str) -> set[str]:
        asked.append(event)
        return set()

    app = Workspace(folder, env)
    app.is_personal = job.is_personal
    reader = READERS[job.client]
    ingest = TranscriptIngest(app.redact, job.base, none_beside)
    state = SessionState(reader.session_of(job.transcript), job.client)
    events: list[Event] = []
    raw = b""
    try:
        for fresh in ingest.read(reader, job.transcript, state):
            raw += FolderSessions.packed(fresh)
            events += fresh
    except RecollectError:
        return None
    log = log_of(events, job.lang, job.client)
    return ParsedSession(state, len(events), tuple(asked), raw, log)


def others_for(sizes: Iterable[int]) -> int:
    """How many processes are worth starting to parse so much."""
    return min((os.cpu_count() or 1) - 1, MOST_OTHERS, sum(sizes) // WORTH_BYTES)


def _size(path: str) -> int:
    with suppress(OSError):
        return os.path.getsize(path)
    return 0


class ParserPool:
    """Sessions parsed by other processes in the order of their turns; without them if one dies."""

    def __init__(self, app: Workspace, jobs: Sequence[Job | None]) -> None:
        """A job for each turn; None where a session can only be parsed when it is its turn."""
        sizes = {n: _size(job.transcript) for n, job in enumerate(jobs) if job}
        self._app = app
        self._jobs = deque(
            (n, job) for n, job in enumerate(jobs) if job and sizes[n] <= LARGEST_BYTES
        )
        self._others = others_for(sizes[n] for n, _ in self._jobs)
        self._pool: ProcessPoolExecutor | None = None
        self._given: dict[int, Future[ParsedSession | None]] = {}

    def __enter__(self) -> Self:
        if self._others:
            import multiprocessing
            from concurrent.futures import ProcessPoolExecutor

            with suppress(OSError, ImportError):  # where there is no room for them it goes without
                self._pool = ProcessPoolExecutor(
                    self._others, multiprocessing.get_context("spawn"), _begin
                )
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool:
            from multiprocessing import active_children

            for child in active_children():  # nobody waits for what one is still at
                child.kill()
            self._pool.shutdown(cancel_futures=True)  # else its semaphores stay behind
            self._pool = None

    def parsed(self, turn: int) -> ParsedSession | None:
        """What the session says whose turn it is; None if it is still to be parsed."""
        for late in [n for n in self._given if n < turn]:
            self._given.pop(late).cancel()
        while self._jobs and self._jobs[0][0] < turn:
            self._jobs.popleft()
        self._feed()
        found = self._given.pop(turn, None)
        try:
            return found.result(PATIENCE_SECONDS) if found else None
        except (RuntimeError, TimeoutError):  # one died, or hangs
            return None

    def _feed(self) -> None:
        """Give the other processes what they are to parse next."""
        with suppress(RuntimeError, OSError):  # one died, or cannot be started
            while self._pool and self._jobs and len(self._given) < WAITING_FOR_EACH * self._others:
                turn, job = self._jobs.popleft()
                future = self._pool.submit(parsed, self._app.folder, dict(self._app.env), job)
                self._given[turn] = future


def _begin() -> None:
    """In another process: leave Ctrl-C to the first one, and end with it."""
    import signal
    from threading import Thread

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    from multiprocessing import parent_process

    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
