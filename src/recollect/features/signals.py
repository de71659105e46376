"""Read the hooks' signals for the worker, and compact old ones.

A signal that could not be handled is read again. A session's file is compacted only after all its
signals were handled and it was idle for days. Only the store's worker calls this.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from recollect._fastimport import NamedTuple
from recollect.store.store import OpenStore
from recollect.workspace import App

HEARD = "signals"  # in the index: to where each file was heard
FOLDED = "folded"  # in the index: the day on which files were last folded
RESTING_DAYS = 7


class Session(NamedTuple):
    """What the signals say of a session."""

    client: str
    session: str
    transcript: str
    folder: str
    over: bool
    starts: bool = False  # whether it has begun, or gone on, by these signals
    process: str = ""  # of its client (see `hooks.program.client_process`)


def heard(store: OpenStore) -> dict[str, int]:
    """To where each session's file was heard."""
    try:
        found = json.loads(store.index.meta(HEARD) or "{}")
    except ValueError:
        return {}
    pairs = found.items() if isinstance(found, dict) else ()
    return {name: end for name, end in pairs if isinstance(end, int)}


def _heard_or_came(store: OpenStore) -> dict[str, int]:
    """To where each file was heard, or came with the repository: that is not heard at all."""
    known, came = heard(store), store.ledger.came()
    return known | {name: max(size, known.get(name, 0)) for name, size in came.items()}


def remember(store: OpenStore, ends: dict[str, int]) -> None:
    """Keep to where each file was heard; what is not there any more is forgotten."""
    known = heard(store) | ends
    there = store.journal.sessions()
    kept = {name: end for name, end in known.items() if name in there}
    store.index.set_meta({HEARD: json.dumps(kept)})


def hear_again(store: OpenStore, names: list[str]) -> None:
    """Forget that these sessions' files were heard: the next pass hears them once more."""
    kept = {name: end for name, end in heard(store).items() if name not in names}
    store.index.set_meta({HEARD: json.dumps(kept)})


def new_in(store: OpenStore, ends: dict[str, int]) -> Iterator[tuple[str, Session]]:
    """The sessions with new signals, by journal file; `ends` gets how far each was read."""
    known = _heard_or_came(store)
    for name, file in sorted(store.journal.sessions().items()):
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
                found = found._replace(transcript=_transcript_named_in(store, name))
            yield name, found


def every(store: OpenStore) -> Iterator[tuple[str, Session]]:
    """All sessions whose files are not folded yet, by journal file, heard or not."""
    came = store.ledger.came()
    for name in sorted(store.journal.sessions()):
        lines = store.journal.lines(name, came.get(name, 0))
        signals = [line.data for line in lines if line.data.get("op") == "signal"]
        if signals:
            yield name, _session_of(signals)


def _transcript_named_in(store: OpenStore, name: str) -> str:
    """The transcript that was named last by what is in a session's file."""
    lines = store.journal.lines(name, store.ledger.came().get(name, 0))
    signals = (line.data for line in lines if line.data.get("op") == "signal")
    named = [str(signal["transcript"]) for signal in signals if signal.get("transcript")]
    return named[-1] if named else ""


def _session_of(signals: list[dict[str, Any]]) -> Session:
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
    return Session(**{name: last.get(name, "") for name in named}, over=over, starts=starts)


def fold_old(app: App, store: OpenStore) -> int:
    """Put the files of sessions together that have rested for days, once a day; gives how many."""
    if store.index.meta(FOLDED) == app.now[:10]:
        return 0
    before = app.started_ns - RESTING_DAYS * 86_400 * 10**9
    ends = heard(store)
    resting = [
        name
        for name, file in store.journal.sessions().items()
        if name in ends and file.mtime_ns < before
    ]
    # First: who dies in between hears them once more, and hears all of what comes later.
    kept = {name: end for name, end in ends.items() if name not in resting}
    store.index.set_meta({HEARD: json.dumps(kept)})
    with store.files.locked():
        done = store.journal.fold({name: ends[name] for name in resting})
    store.index.set_meta({FOLDED: app.now[:10]})
    return done
