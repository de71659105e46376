"""Capture: from a client's transcripts to memories, without a model.

Promises: what was read once is not read again, whatever crashed in between; redaction comes
before everything else; what a person wrote in a memory, a conversation or a solution stays as
they wrote it; what a person took away stays away; capturing the same transcript twice changes
nothing.
Touches: the ports behind the store it is given, session states and raw copies through `Sessions`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Protocol

from recollect.domain import codec, entries, layers, lessons, summary
from recollect.domain.folding import fold
from recollect.domain.model import Change, Op, Section
from recollect.domain.redact import strip_private_in_part
from recollect.domain.session import Event, Remark, SessionState
from recollect.fsio import stamp_of
from recollect.named import NamedTuple
from recollect.ports import TranscriptReader
from recollect.services.opened import OpenStore
from recollect.services.sessions import with_own_facts
from recollect.services.writing import SHARED, Draft, section_change

TRIES = 5
CAUSE = "capture"
# What a reader calls our own tools: their answers are what was captured before.
OWN_TOOL = "recollect"
LONGEST_TEXT = 200_000  # of a prompt or an answer
LONGEST_COMMAND = 4_000
LONGEST_TARGET = 500
LONGEST_ERROR = 4_000
# Cut only behind redaction: a secret that is cut in two is not known for one. Where there is too
# much to look through, what is kept comes from the start of what was looked at.
LOOKED_AT = 1_000_000


class Sessions(Protocol):
    """Where session states and raw copies are kept."""

    def load(self, client: str, session: str) -> SessionState | None:
        """The state of a session, or None if there is none yet."""

    def save(self, state: SessionState) -> None:
        """Keep a state."""

    def every(self) -> Iterator[SessionState]:
        """All sessions, with what was said of them by command."""

    def whole(self, state: SessionState) -> SessionState:
        """The state with what was said of the session by command."""

    def remarks_path(self, client: str, session: str) -> str:
        """The file in the store that has what is said of a session by command."""

    def line_of(self, client: str, session: str, remark: Remark, *, escaped: bool = False) -> str:
        """A remark as a line of that file; `escaped` leaves no sign in it as it is."""

    def append_raw(self, state: SessionState, events: Iterable[Event]) -> int:
        """Append events to the raw copy behind `state.raw_bytes`; gives the new size."""

    def raw_events(self, state: SessionState) -> Iterator[Event]:
        """The events of the raw copy."""

    def drop_raw(self, state: SessionState) -> None:
        """Take the raw copy away."""


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
        readers: Mapping[str, TranscriptReader],
        redact: Callable[[str], str],
    ) -> None:
        """`readers` are the transcript readers by client."""
        self.store, self.sessions, self.readers, self._redact = store, sessions, readers, redact
        self._others: dict[tuple[str, str], set[str]] | None = None
        project = store.files.root.removesuffix("/.claude/memory")
        self._base = project if store.scope == "project" and project != store.files.root else ""

    def take_in(self, client: str, transcript: str, *, over: bool, project: str = "") -> Captured:
        """Read what is new in a transcript; with `over`, make or renew the session's memory."""
        reader = self.readers[client]
        session = reader.session_of(transcript)
        if not session:
            return Captured("", 0, "", "skipped")
        state = self.sessions.load(client, session) or SessionState(session, client, project)
        starts_here = state.raw_bytes == 0
        events = self.read(reader, transcript, state)
        if events:
            if state.status == "saved":
                state.status = "active"  # it goes on
            self.sessions.save(state)
        if not over:
            return Captured(session, len(events), "", "state" if events else "nothing")
        return self.finish(state, len(events), events if starts_here else None)

    def read(self, reader: TranscriptReader, transcript: str, state: SessionState) -> list[Event]:
        """Take what is new in a transcript into the state and the raw copy; gives the events."""
        taken: list[Event] = []
        known = state.sources.get(transcript, {"offset": 0, "inode": 0})
        while True:
            portion = reader.read(transcript, known["offset"], known["inode"])
            if portion.offset == known["offset"] and portion.inode == known["inode"]:
                break
            bases = (self._base or state.project, portion.cwd)
            heard = (_without_private(e, state) for e in _without_echo(portion.events, state))
            events = [self._clean(event, bases) for event in heard]
            fresh = fold(state, self._without_copies(events, state))
            self._number(state)
            state.branch = portion.branch or state.branch
            known = {"offset": portion.offset, "inode": portion.inode}
            state.sources[transcript] = known
            state.raw_bytes = self.sessions.append_raw(state, fresh)
            taken += fresh
        if self._others is not None:
            self._others[state.client, state.session_id] = set(state.ids)
        return taken

    def _number(self, state: SessionState) -> None:
        """Say of new reactions which ops were there before them, as no clock can."""
        new = [row for row in state.reactions if "seq" not in row]
        seq = self.store.journal.next_seq() if new else 0
        for row in new:
            row["seq"] = seq

    def _clean(self, event: Event, bases: tuple[str, ...]) -> Event:
        """The event without secrets, then cut, with the project's paths relative to it."""
        if not (event.text or event.target or event.todos):
            return event
        target = self._redact(event.target[:LOOKED_AT]) if event.target else ""
        if event.tool == "edit":
            inside = (target[len(b) + 1 :] for b in bases if b and target.startswith(f"{b}/"))
            target = next(inside, target)
        longest = LONGEST_COMMAND if event.tool in ("shell", "edit") else LONGEST_TARGET
        todos = tuple((status, self._redact(text), ref) for status, text, ref in event.todos)
        return event._replace(text=self._clean_text(event), target=target[:longest], todos=todos)

    def _clean_text(self, event: Event) -> str:
        # Nothing is learned from what a call that worked gave out, and nothing of it is kept.
        if not event.text or (event.kind == "result" and event.ok):
            return ""
        text = self._redact(event.text[:LOOKED_AT])
        if event.kind != "result":
            return text[:LONGEST_TEXT]
        if len(text) > LONGEST_ERROR:
            text = text[: LONGEST_ERROR * 3 // 4] + "\n…\n" + text[-LONGEST_ERROR // 4 :]
        return text

    def _without_copies(self, events: list[Event], state: SessionState) -> list[Event]:
        """A fork's transcript starts with a copy of its parent's: that was captured there."""
        if state.prompts or state.answers or state.tool_uses:
            return events  # it has come to what is its own
        first = next((event.id for event in events if event.id), "")
        copied = self._captured_beside(state, first) if first else set()
        state.ids += [event.id for event in events if event.id in copied]
        return [event for event in events if event.id not in copied]

    def _captured_beside(self, state: SessionState, event: str) -> set[str]:
        """The events of all other sessions that have this one."""
        if self._others is None:
            every = self.sessions.every()
            self._others = {(one.client, one.session_id): set(one.ids) for one in every}
        own = (state.client, state.session_id)
        found = [ids for key, ids in self._others.items() if key != own and event in ids]
        return set().union(*found)

    # ---------------------------------------------------------------------------------- memory

    def heard(self, state: SessionState) -> SessionState:
        """All that is known of a session."""
        return state

    def finish(
        self, state: SessionState, events: int = 0, said: Sequence[Event] | None = None
    ) -> Captured:
        """Make the memory of a session that is over, or bring it up to date.

        `said` is all that is in the raw copy, if it is at hand.
        What was said by command is in the memory, and stays out of the state: it can be undone.
        """
        whole = with_own_facts(self.store, self.sessions.whole(state))
        if state.status == "discarded" or not whole.is_worth_saving:
            return Captured(state.session_id, events, "", "skipped")
        if state.status == "saved" and state.remarks == whole.remarks:
            return Captured(state.session_id, events, state.memory, "nothing")
        if state.memory and not self._existing(state):
            state.status = "discarded"  # a person took the memory away: it stays away
            self.sessions.save(state)
            return Captured(state.session_id, events, "", "skipped")
        self._learn(state)
        what = self._write_memory(whole, said)
        state.memory, state.written_stamp = whole.memory, whole.written_stamp
        state.status, state.remarks = "saved", whole.remarks
        self.sessions.save(state)
        return Captured(state.session_id, events, state.memory, what)

    def _write_memory(self, state: SessionState, said: Sequence[Event] | None) -> str:
        created = state.started or self.store.now
        result: list[str] = []

        def plan() -> list[Change]:
            name = self._existing(state) or self.store.free_id(
                layers.name_of("episodic", summary.title_of(state), created)
            )
            entry = self.store.index.entry(name)
            path = entry.path if entry else f"episodic/{name}/summary.md"
            stamp = self.store.files.stamp(path)
            changes = [self._change(state, name, path, stamp)]
            if state.raw_bytes:
                changes.insert(0, self._log_change(state, name, path, said))
            changes = [change for change in changes if not self._is_there(change)]
            what = "created" if stamp is None else "changed" if changes else "nothing"
            result[:] = [what, name, path]
            return changes

        self.store.commit(plan, cause=CAUSE, tries=TRIES)
        state.memory = result[1]
        state.written_stamp = self.store.files.stamp(result[2]) or ""
        return result[0]

    def _change(self, state: SessionState, name: str, path: str, stamp: str | None) -> Change:
        text = self._rendered(state, name)
        if stamp is not None and stamp != state.written_stamp:
            base = self.store.journal.text_of(state.written_stamp) or ""
            text = with_new_lines(self.store.files.read(path).text, text, base)
        return Change("put", path, name, stamp, text)

    def _log_change(
        self, state: SessionState, name: str, path: str, said: Sequence[Event] | None
    ) -> Change:
        """The raw conversation, which comes first: a memory never points to nothing."""
        folder = path.removesuffix("summary.md") if path.endswith("/summary.md") else ""
        log = f"{folder or f'episodic/{name}/'}conversation.md"
        events = self.sessions.raw_events(state) if said is None else said
        text = summary.conversation_text(events, self.store.settings.lang)
        text = text.encode("utf-8", "replace").decode("utf-8")  # as it is in the raw copy
        stamp = self.store.files.stamp(log)
        if stamp is not None:
            old = self.store.files.read(log).text
            if not text.startswith(old):
                text = old + added_turns(text, old, self._written_log(name))
        return Change("put", log, name, stamp, text)

    def _written_log(self, name: str) -> str:
        """The raw conversation of a memory as we wrote it last, wherever the file was then."""
        ops = self._own_ops("memory", name)
        return next((op.text or "" for op in ops if entries.is_conversation(op.path)), "")

    def _own_ops(self, field: str, value: str) -> Iterator[Op]:
        """What capture itself wrote of a file or a memory, newest first."""
        return (op for op in self.store.journal.ops_about(field, value) if op.cause == CAUSE)

    def _existing(self, state: SessionState) -> str:
        if state.memory and self.store.index.entry(state.memory):
            return state.memory
        found = [
            e for e in self.store.index.entries_of_session(state.session_id) if e.kind == "session"
        ]
        return found[0].id if found else ""

    def _is_there(self, change: Change) -> bool:
        if change.before is None:
            return False
        text = self.store.files.read(change.path).text
        return text == change.text or text == self._redact(change.text)

    def _rendered(self, state: SessionState, name: str) -> str:
        text = summary.summary_text(state, name, self.store.settings.lang)
        return codec.with_field(
            text, "decay-after", layers.decay_day(state.started or self.store.now)
        )

    # ------------------------------------------------------------------------------- solutions

    def _learn(self, state: SessionState) -> None:
        """Put what failed and what worked into procedural/feedback.md, each lesson once."""
        for row in state.solutions:
            draft = Draft(
                entries.solution_title(row["slug"]),
                summary.solution_text(row, self.store.settings.lang, state.session_id),
                trigger=tuple(row["triggers"]),
                tags=tuple(t.lower() for t in row["triggers"][:2] if t.isascii() and len(t) > 2),
                trust="tool",
                source="observed",
            )
            lesson = stamp_of(draft.body.encode("utf-8", "replace"))
            if row.get("learned") != lesson:
                plan = partial(self._solution_changes, draft, state.session_id)
                self.store.commit(plan, cause=CAUSE, tries=TRIES)
                row["learned"] = lesson

    def _solution_changes(self, draft: Draft, session: str) -> list[Change]:
        """The change that puts a lesson in its place; one met again is believed more."""
        path = SHARED["solution"]
        if self.store.files.exists(path):
            front = codec.split_front(self.store.files.read(path).text)
            section = codec.section_named(front.body, draft.title)
            if section and not self._is_ours(path, section):
                return []
            if section and (again := lessons.seen_again(section.text, session, draft.body)):
                draft = draft._replace(body=again)
        choice = layers.Choice("procedural", "solution", "kind")
        return section_change(self.store, path, draft.title, draft, choice, replace=True)[1]

    def _is_ours(self, path: str, section: Section) -> bool:
        """Whether a section stands as capture wrote it, so that no person's words are in it."""
        for op in self._own_ops("path", path):
            if op.text is not None:
                body = codec.split_front(op.text).body
                then = codec.section_named(body, section.heading)
                if then and then.text == section.text:
                    return True
        return False


def _without_echo(events: list[Event], state: SessionState) -> Iterator[Event]:
    """The events, with nothing in the results of our own tools."""
    own = {call for call, row in state.calls.items() if row.get("tool") == OWN_TOOL}
    for event in events:
        if event.tool == OWN_TOOL:
            own.add(event.call)
        yield event._replace(text="") if event.kind == "result" and event.call in own else event


def _without_private(event: Event, state: SessionState) -> Event:
    """The event without what is private in it, also where that began in one before.

    What a person left open is private until they close it; what an agent or a program left open,
    until the person speaks.
    """
    if event.kind == "prompt":
        state.private = {kind: n for kind, n in state.private.items() if kind == event.kind}
    depth = state.private.pop(event.kind, 0)
    text, depth = strip_private_in_part(event.text, depth)
    if depth:
        state.private[event.kind] = depth
    return event._replace(text=text) if text != event.text else event


def added_turns(ours: str, theirs: str, base: str) -> str:
    """What a conversation has now that it had not when we wrote it last, which was `base`.

    Where `base` is lost, or the copy that `ours` is made of, the turns that `theirs` has not.
    """
    if base and ours.startswith(base):
        return ours[len(base) :]
    turns = ours.split("\n### ")[1:]
    have = {turn.strip() for turn in theirs.split("\n### ")[1:]}
    return "".join(f"\n### {turn}" for turn in turns if turn.strip() not in have)


def with_new_lines(theirs: str, ours: str, base: str) -> str:
    """A memory that a person edited, with the lines that are new since we last wrote it.

    `base` is what we wrote then. Nothing of theirs is moved or changed, and what they took out
    stays out; a to-do of ours that they left alone is ticked when it is done.
    """
    body = _with_ticks(codec.split_front(theirs).body, ours, base)
    have = {" ".join(line.split()) for line in [*body.splitlines(), *base.splitlines()]}
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


def _with_ticks(body: str, ours: str, base: str) -> str:
    done = {line[6:] for line in ours.splitlines() if line.startswith("- [x] ")}
    done &= {line[6:] for line in base.splitlines() if line.startswith("- [ ] ")}
    lines = body.splitlines(keepends=True)
    return "".join(
        f"- [x] {line[6:]}" if line.startswith("- [ ] ") and line[6:].rstrip() in done else line
        for line in lines
    )
