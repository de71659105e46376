"""Read the hooks' signals for the worker, capture their sessions, and compact old signals.

A signal that could not be handled is read again. A session's file is compacted only after all its
signals were handled and it was idle for days. Only the store's worker calls this.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache

from recollect._fastimport import NamedTuple
from recollect.errors import RecollectError
from recollect.store import disk, locations
from recollect.store.background import mark_pending, process_at, start_worker
from recollect.store.store import OpenStore
from recollect.text.redact import redact
from recollect.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from recollect.capture.capture import Capture

READ = "signals"  # in the index: to where each file was heard
COMPACTED = "folded"  # in the index: the day on which files were last folded
RESTING_DAYS = 7
LATE, LATE_TOKENS = "late-", 300  # a note on what a brief did not know; its size


class SignalledSession(NamedTuple):
    """What the signals say of a session."""

    client: str
    session: str
    transcript: str
    folder: str
    over: bool
    starts: bool = False  # whether it has begun, or gone on, by these signals
    process: str = ""  # of its client (see `hooks.program.client_process`)


def read_offsets(store: OpenStore) -> dict[str, int]:
    """To where each session's file was heard."""
    try:
        found = json.loads(store.index.meta(READ) or "{}")
    except ValueError:
        return {}
    pairs = found.items() if isinstance(found, dict) else ()
    return {name: end for name, end in pairs if isinstance(end, int)}


def _offsets(store: OpenStore) -> dict[str, int]:
    """To where each file was heard, or came with the repository: that is not heard at all."""
    known, came = read_offsets(store), store.ledger.came()
    return known | {name: max(size, known.get(name, 0)) for name, size in came.items()}


def keep_offsets(store: OpenStore, ends: dict[str, int]) -> None:
    """Keep to where each file was heard; what is not there any more is forgotten."""
    known = read_offsets(store) | ends
    there = store.journal.sessions()
    kept = {name: end for name, end in known.items() if name in there}
    store.index.set_meta({READ: json.dumps(kept)})


def read_again(store: OpenStore, names: list[str]) -> None:
    """Forget that these sessions' files were heard: the next pass hears them once more."""
    kept = {name: end for name, end in read_offsets(store).items() if name not in names}
    store.index.set_meta({READ: json.dumps(kept)})


def new_sessions(store: OpenStore, ends: dict[str, int]) -> Iterator[tuple[str, SignalledSession]]:
    """The sessions with new signals, by journal file; `ends` gets how far each was read."""
    heard = read_offsets(store)
    files = store.journal.sessions().items()
    new = [(name, file) for name, file in files if file.size != heard.get(name, 0)]
    known = _offsets(store) if new else {}  # which asks git
    for name, file in sorted(new):
        start = known.get(name, 0)
        if file.size == start:
            continue
        signals = []
        end = start
        for line in store.journal.lines(name, start if start < file.size else 0):
            end = line.end
            if line.data.get("op") == "signal":
                signals.append(line.data)
        ends[name] = end
        if signals:
            found = _session_of(signals)
            if not found.transcript:  # the last event of a session need not name it
                before = _session_of(_signals_in(store, name))
                found = found._replace(transcript=before.transcript)
            yield name, found


def every_session(store: OpenStore) -> Iterator[tuple[str, SignalledSession]]:
    """All sessions whose files are not folded yet, by journal file, heard or not."""
    for name in sorted(store.journal.sessions()):
        if found := session_in(store, name):
            yield name, found


def session_in(store: OpenStore, name: str) -> SignalledSession | None:
    """What the signals in a session's file say of it, heard or not; None if there are none."""
    signals = _signals_in(store, name)
    return _session_of(signals) if signals else None


def _signals_in(store: OpenStore, name: str) -> list[dict[str, Any]]:
    """All signals in a session's file."""
    lines = store.journal.lines(name, store.ledger.came().get(name, 0))
    return [line.data for line in lines if line.data.get("op") == "signal"]


def _session_of(signals: list[dict[str, Any]]) -> SignalledSession:
    """What the signals say of their session, the last of them most."""
    last: dict[str, str] = {}
    over = False
    for signal in signals:
        last |= {key: str(value) for key, value in signal.items() if value}
        # A hook that was slow may come after the end; only a start begins a session again.
        over = signal.get("event") == "session-end" or (
            over and signal.get("event") != "session-start"
        )
    named = ("client", "session", "transcript", "folder", "process")
    starts = any(signal.get("event") == "session-start" for signal in signals)
    return SignalledSession(
        **{name: last.get(name, "") for name in named}, over=over, starts=starts
    )


def compact_old(app: Workspace, store: OpenStore) -> int:
    """Put the files of sessions together that have rested for days, once a day; gives how many."""
    if store.index.meta(COMPACTED) == app.now[:10]:
        return 0
    before = app.started_ns - RESTING_DAYS * 86_400 * 10**9
    ends = read_offsets(store)
    resting = [
        name
        for name, file in store.journal.sessions().items()
        if name in ends and file.mtime_ns < before
    ]
    # First: who dies in between hears them once more, and hears all of what comes later.
    kept = {name: end for name, end in ends.items() if name not in resting}
    store.index.set_meta({READ: json.dumps(kept)})
    with store.files.locked():
        done = store.journal.fold({name: ends[name] for name in resting})
    store.index.set_meta({COMPACTED: app.now[:10]})
    return done


def keep_late(
    app: Workspace, store: OpenStore, memories: Sequence[str], sessions: Sequence[str]
) -> None:
    """Keep for these sessions, by journal file, what their briefs did not know of others yet."""
    from recollect.context import pack  # few sessions end unheard
    from recollect.context.brief import make_late

    folder = app.cache_of(store.files.root)
    for old in os.listdir(folder):
        path = f"{folder}/{old}"
        with suppress(OSError):
            if old.startswith(LATE) and os.path.getmtime(path) < app.started_ns / 1e9 - 86_400:
                disk.remove(path)  # of a session that never asked
    for name in sessions:
        text = make_late(
            store,
            memories,
            lang=store.settings.lang,
            budget=LATE_TOKENS,
            nonce=pack.new_nonce(),
        )
        if text:
            disk.write_whole(
                f"{folder}/{LATE}{name.removesuffix('.jsonl')}",
                text.encode("utf-8", "replace"),
                durable=False,
            )


# -------------------- What hooks signalled, captured.


IDLE_HOURS = 6.0
RESTING_SECONDS = 1800  # of a transcript whose client nobody knows
SWEEP_HOURS = 1.0
LARGEST_LOG = 256 * 1024

# Of sessions that are over, by journal file: the transcript, and how it looked as it was read.
Ended = dict[str, tuple[str, tuple[int, ...]]]


def take_signals(app: Workspace, store: OpenStore, ended: Ended | None = None) -> None:
    """Capture every session that signals speak of; `ended` gets those that are over."""
    capture = cache(lambda: app.capture(store))  # few passes capture, and it takes long to load
    ends: dict[str, int] = {}
    has_start = False
    starting: list[str] = []
    for name, found in new_sessions(store, ends):
        has_start = has_start or found.starts
        if found.starts and not found.over:
            starting.append(name)
        reader = app.readers().get(found.client)
        if reader is None or not found.transcript or not store.settings.capture:
            continue
        transcript = reader.moved(found.transcript)
        if _is_handed_over(app, store, name, found, reader.folder_of(transcript)):
            continue
        if ended is not None and found.over:
            ended[name] = transcript, file_look(transcript)  # before it is read
        try:
            capture().take_in(found.client, transcript, over=found.over)
        except Exception as error:  # noqa: BLE001 - the other sessions have to go on
            log_error(locations.cache_root(app.env), transcript, error)
            ends.pop(name, None)  # to be tried again
    if store.settings.capture:
        if has_start:  # of one that is over already, too: the next is told what it could not be
            _end_abandoned(app, store, capture, starting)
        _sweep(app, store, capture)
    keep_offsets(store, ends)


def _is_handed_over(
    app: Workspace, store: OpenStore, name: str, found: SignalledSession, folder: str
) -> bool:
    """Whether a session began in another project, whose worker is told of it instead.

    A client that gives its hooks the folder that its agent went to calls us for the wrong one. A
    folder that is gone was a work tree, or moved.
    """
    root = locations.project_root(folder, app.env) if os.path.isdir(folder) else ""
    if not root or locations.is_same(root, store.files.root):
        return False
    project = locations.real(locations.project_of(folder, app.env))
    if locations.is_private(store.files.root) and project == locations.project_of_store(
        store.files.root
    ):
        return False  # another repository is there now
    event = "session-end" if found.over else "stop"
    told = {"event": event, "session": found.session, "client": found.client}
    if locations.is_private(root):
        locations.make_private(root, folder, app.env)
    locations.record(
        root, name, "signal", {**told, "transcript": found.transcript, "folder": folder}
    )
    mark_pending(app.cache_of(root))
    app.workers.append(start_worker(root, app.env))
    return True


def _end_abandoned(
    app: Workspace, store: OpenStore, capture: Callable[[], Capture], starting: list[str]
) -> None:
    """End the sessions whose clients are gone, for those that begin: these are told of them.

    One whose client nobody knows counts as ended when its transcript rests. Whatever goes on after
    all is taken up again.
    """
    done: list[str] = []
    told = starting
    for name, found in every_session(store):
        reader = app.readers().get(found.client)
        if reader is None or not found.transcript:
            continue
        transcript = reader.moved(found.transcript)
        state = app.sessions(store).load(found.client, found.session)
        if (state and state.status != "active") or not _is_gone(app, found.process, transcript):
            continue
        told = [one for one in told if one != name]
        try:
            taken = capture().take_in(found.client, transcript, over=True)
        except Exception as error:  # noqa: BLE001 - the other sessions have to go on
            log_error(locations.cache_root(app.env), transcript, error)
            continue
        if taken.what in ("created", "changed"):
            done.append(taken.memory)
    if done:
        keep_late(app, store, done, told)


def _is_gone(app: Workspace, process: str, transcript: str) -> bool:
    """Whether the client of a session has ended, and left something to hear."""
    look = file_look(transcript)
    if not look:
        return False
    pid, _, began = process.partition(":")
    if began and process_at(str(os.getpid()))[2]:  # else the system does not tell
        return process_at(pid)[2] != began
    return look[2] < app.started_ns - RESTING_SECONDS * 10**9


def _sweep(app: Workspace, store: OpenStore, capture: Callable[[], Capture]) -> None:
    """Make memories of sessions that ended without saying so, now and then."""
    hour_ago = locations.utc(app.started_ns / 1e9 - SWEEP_HOURS * 3600)
    if hour_ago < store.index.meta("swept") <= app.now:  # else a clock was wrong for a while
        return
    store.index.set_meta({"swept": app.now})
    idle_since = locations.utc(app.started_ns / 1e9 - IDLE_HOURS * 3600)
    for state in list(app.sessions(store).every()):
        if state.status != "active" or state.last_updated >= idle_since:
            continue
        for transcript in list(state.sources):
            try:
                capture().take_in(state.client, transcript, over=True)
            except Exception as error:  # noqa: BLE001 - the other sessions have to go on
                log_error(locations.cache_root(app.env), transcript, error)


def log_error(base: str, about: str, error: Exception) -> None:
    """Say in the worker's log what went wrong; there is nobody to tell."""
    trace, where = error.__traceback__, ""
    while trace:
        where = f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}"
        trace = trace.tb_next
    text = redact(f"{about}: {type(error).__name__} at {where}: {error}")
    line = f"{locations.utc(time.time())} worker {' '.join(text.split())[:400]}\n"
    with suppress(RecollectError):
        path = f"{base}/worker.log"
        if os.path.exists(path) and os.path.getsize(path) > LARGEST_LOG:
            disk.truncate(path, 0)
        disk.append_durably(path, line.encode("utf-8", "replace"), sync=False)


def file_look(path: str) -> tuple[int, ...]:
    """What changes when a file is made or written; nothing if it is not there."""
    try:
        info = os.stat(path)
    except OSError:
        return ()
    return info.st_ino, info.st_size, info.st_mtime_ns
