"""Capture: from a client's transcripts to memories, without a model.

Promises: what was read once is not read again, whatever crashed in between; redaction comes
before everything else; a memory that a person edited keeps every line of theirs; capturing the
same transcript twice changes nothing.
Touches: the ports behind the store it is given, session states and raw copies through `Sessions`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NamedTuple, Protocol

from recollect.domain import codec, layers, summary
from recollect.domain.model import Change
from recollect.domain.session import Event, SessionState, fold
from recollect.ports import TranscriptReader
from recollect.services.opened import OpenStore
from recollect.services.writing import SHARED, Draft, section_change

IDLE_HOURS = 6
TRIES = 5


class Sessions(Protocol):
    """Where session states and raw copies are kept."""

    def load(self, client: str, session: str) -> SessionState | None:
        """The state of a session, or None if there is none yet."""

    def save(self, state: SessionState) -> None:
        """Keep a state."""

    def every(self) -> Iterator[SessionState]:
        """All states."""

    def append_raw(self, state: SessionState, events: Iterable[Event]) -> int:
        """Append events to the raw copy behind `state.raw_bytes`; gives the new size."""

    def raw_events(self, state: SessionState) -> Iterator[Event]:
        """The events of the raw copy."""


class Captured(NamedTuple):
    """What capturing one transcript did."""

    session: str
    events: int
    memory: str  # the memory it became, if it is over
    what: str  # nothing, state, created, changed, skipped


class Capture:
    """Capturing into one store."""

    def __init__(
        self,
        store: OpenStore,
        sessions: Sessions,
        readers: dict[str, TranscriptReader],
        redact: Callable[[str], str],
    ) -> None:
        """`readers` are the transcript readers by client."""
        self.store, self.sessions, self.readers, self._redact = store, sessions, readers, redact
        self._forks: dict[str, list[str]] | None = None
        project = store.files.root.removesuffix("/.claude/memory")
        self._base = project if store.scope == "project" and project != store.files.root else ""

    def take_in(self, client: str, transcript: str, *, over: bool, project: str = "") -> Captured:
        """Read what is new in a transcript; with `over`, make or renew the session's memory."""
        reader = self.readers[client]
        session = reader.session_of(transcript)
        if not session:
            return Captured("", 0, "", "skipped")
        state = self.sessions.load(client, session) or SessionState(session, client, project)
        events = self._read(reader, transcript, state)
        if events:
            self.sessions.save(state)
        if not over:
            return Captured(session, events, "", "state" if events else "nothing")
        return self.finish(state, events)

    def _read(self, reader: TranscriptReader, transcript: str, state: SessionState) -> int:
        taken = 0
        known = state.sources.get(transcript, {"offset": 0, "inode": 0})
        while True:
            portion = reader.read(transcript, known["offset"], known["inode"])
            if portion.offset == known["offset"] and portion.inode == known["inode"]:
                return taken
            bases = (self._base or state.project, portion.cwd)
            events = [self._clean(event, bases) for event in portion.events]
            if not state.ids:
                events = self._without_copies(events, state)
            fresh = fold(state, events)
            state.branch = portion.branch or state.branch
            known = {"offset": portion.offset, "inode": portion.inode}
            state.sources[transcript] = known
            state.raw_bytes = self.sessions.append_raw(state, fresh)
            taken += len(fresh)

    def _clean(self, event: Event, bases: tuple[str, ...]) -> Event:
        """The event without secrets, and with the paths of the project relative to it."""
        if not (event.text or event.target or event.todos):
            return event
        target = self._redact(event.target)
        if event.tool == "edit":
            inside = (target[len(b) + 1 :] for b in bases if b and target.startswith(f"{b}/"))
            target = next(inside, target)
        todos = tuple((status, self._redact(text), ref) for status, text, ref in event.todos)
        return event._replace(text=self._redact(event.text), target=target, todos=todos)

    def _without_copies(self, events: list[Event], state: SessionState) -> list[Event]:
        """A fork's transcript starts with a copy of its parent's: that was captured there."""
        first = next((event.id for event in events if event.id), "")
        if not first:
            return events
        if self._forks is None:
            self._forks = {s.ids[0]: s.ids for s in self.sessions.every() if s.ids}
        copied = set(self._forks.get(first, ()))
        if copied:
            state.ids += [event.id for event in events if event.id in copied]
        elif events:
            self._forks[first] = state.ids
        return [event for event in events if event.id not in copied]

    # ---------------------------------------------------------------------------------- memory

    def finish(self, state: SessionState, events: int = 0) -> Captured:
        """Make the memory of a session that is over, or bring it up to date."""
        if not state.is_worth_saving:
            return Captured(state.session_id, events, "", "skipped")
        if state.status == "discarded" or (state.status == "saved" and not events):
            return Captured(state.session_id, events, state.memory, "nothing")
        if state.status == "saved" and not self._existing(state):
            state.status = "discarded"  # a person took the memory away: it stays away
            self.sessions.save(state)
            return Captured(state.session_id, events, "", "skipped")
        self._learn(state)
        what = self._write_memory(state)
        state.status = "saved"
        self.sessions.save(state)
        return Captured(state.session_id, events, state.memory, what)

    def _write_memory(self, state: SessionState) -> str:
        created = state.started or self.store.now
        result: list[str] = []

        def plan() -> list[Change]:
            name = self._existing(state) or self.store.free_id(
                layers.name_of("episodic", summary.title_of(state), created)
            )
            entry = self.store.index.entry(name)
            path = entry.path if entry else f"episodic/{name}/summary.md"
            stamp = self.store.files.stamp(path)
            result[:] = ["created" if stamp is None else "changed", name, path]
            changes = self._changes(state, name, path, stamp)
            return [change for change in changes if not self._is_there(change)]

        self.store.commit(plan, cause="capture", tries=TRIES)
        state.memory = result[1]
        state.written_stamp = self.store.files.stamp(result[2]) or ""
        return result[0]

    def _changes(
        self, state: SessionState, name: str, path: str, stamp: str | None
    ) -> list[Change]:
        """The raw conversation first: a memory never points to nothing."""
        text = self._rendered(state, name)
        if stamp is not None and stamp != state.written_stamp:
            base = self.store.journal.text_of(state.written_stamp) or ""
            text = with_new_lines(self.store.files.read(path).text, text, base)
        log = path.removesuffix("summary.md") + "conversation.md"
        said = summary.conversation_text(self.sessions.raw_events(state), self.store.settings.lang)
        return [
            Change("put", log, name, self.store.files.stamp(log), said),
            Change("put", path, name, stamp, text),
        ]

    def _existing(self, state: SessionState) -> str:
        if state.memory and self.store.index.entry(state.memory):
            return state.memory
        found = [
            e for e in self.store.index.entries_of_session(state.session_id) if e.kind == "session"
        ]
        return found[0].id if found else ""

    def _is_there(self, change: Change) -> bool:
        return change.before is not None and self.store.files.read(
            change.path
        ).text == self._redact(change.text)

    def _rendered(self, state: SessionState, name: str) -> str:
        text = summary.summary_text(state, name, self.store.settings.lang)
        return codec.with_field(
            text, "decay-after", layers.decay_day(state.started or self.store.now)
        )

    def _learn(self, state: SessionState) -> None:
        """Put what failed and what worked into procedural/feedback.md."""
        for row in state.solutions:
            draft = Draft(
                summary.solution_title(row["slug"]),
                summary.solution_text(row, self.store.settings.lang, state.session_id),
                trigger=tuple(row["triggers"]),
                tags=tuple(t.lower() for t in row["triggers"][:2] if t.isascii() and len(t) > 2),
                trust="tool",
                source="observed",
            )
            plan = partial(self._solution_changes, draft)
            self.store.commit(plan, cause="capture", tries=TRIES)

    def _solution_changes(self, draft: Draft) -> list[Change]:
        choice = layers.Choice("procedural", "solution", "kind")
        path = SHARED["solution"]
        return section_change(self.store, path, draft.title, draft, choice, replace=True)[1]


def with_new_lines(theirs: str, ours: str, base: str) -> str:
    """A memory that a person edited, with the lines that are new since we last wrote it.

    `base` is what we wrote then. Nothing of theirs is moved or changed, and what they took out
    stays out.
    """
    have = {" ".join(line.split()) for line in [*theirs.splitlines(), *base.splitlines()]}
    body = codec.split_front(theirs).body
    for section in codec.sections_of(codec.split_front(ours).body):
        new = [
            line
            for line in section.text.splitlines()
            if line.strip() and " ".join(line.split()) not in have
        ]
        if not new or not section.heading:
            continue
        old = codec.section_named(body, section.heading)
        text = "\n".join(new) if old is None else f"{old.text}\n" + "\n".join(new)
        body = codec.with_section(body, old.heading if old else section.heading, text)
    return codec.with_body(theirs, body)
