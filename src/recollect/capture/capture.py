"""Read new transcript events and write the session's memory, without a model.

What was read once is not read again after a crash. Redaction comes first. Text that a person
wrote, edited or removed stays that way. Capturing the same transcript twice changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from functools import partial

from recollect._fastimport import NamedTuple
from recollect.capture import records, summary
from recollect.capture.ingest import (
    TIMED,
    ParsedSession,
    Redact,
    TranscriptIngest,
    log_of,
    with_own_facts,
)
from recollect.capture.save_memory import Draft, section_change
from recollect.capture.session_files import FolderSessions
from recollect.capture.titles import title_of
from recollect.model import document as codec
from recollect.model import entries, frontmatter, layers
from recollect.model.filing_marks import with_marks_of, without_marks
from recollect.model.footnotes import in_one_form
from recollect.model.layers import SHARED
from recollect.model.memory import Change, Op, Section, anchor_of, free_name, lowest_trust
from recollect.model.session import Event, SessionState
from recollect.model.times import decay_day
from recollect.ports import TranscriptReader
from recollect.store.disk import stamp_of
from recollect.store.store import OpenStore
from recollect.store.transactions import Plan

TRIES = 5
CAUSE = "capture"


class Captured(NamedTuple):
    """What capturing one transcript did."""

    session: str
    events: int
    memory: str  # the memory it became, if it is over
    what: str  # nothing, state, created, changed, skipped


class Ending(NamedTuple):
    """A session that is over, and whose memory is still to be written."""

    state: SessionState
    whole: SessionState  # with what was said of it by command
    events: int
    plan: Plan
    made: list[str]  # by the plan: what it does, the memory, its path
    size: int  # of the conversation that is kept for it


class Capture:
    """Capturing into one store."""

    def __init__(
        self,
        store: OpenStore,
        sessions: FolderSessions,
        readers: Mapping[str, TranscriptReader],
        redact: Redact,
        base: str = "",
    ) -> None:
        """`readers` are the transcript readers by client; `base` is the folder of the project."""
        self.store, self.sessions, self.readers, self._redact = store, sessions, readers, redact
        self._others: dict[tuple[str, str], set[str]] | None = None
        self._worked: dict[tuple[str, str], dict[str, int]] = {}  # checks of sessions
        self._promised: set[str] = set()  # ids of memories that are not written yet
        self._ingest = TranscriptIngest(redact, base, self._beside)

    def take_in(self, client: str, transcript: str, *, over: bool) -> Captured:
        """Read what is new in a transcript; with `over`, make or renew the session's memory."""
        reader = self.readers[client]
        session = reader.session_of(transcript)
        if not session:
            return Captured("", 0, "", "skipped")
        state = self.sessions.load(client, session) or SessionState(session, client)
        starts_here = state.raw_bytes == 0
        events = self._taken(reader, transcript, state)
        if events:
            self.sessions.save(state)
        if not over:
            return Captured(session, len(events), "", "state" if events else "nothing")
        log = self._log_of(events, state) if starts_here else None
        return self.finish(state, len(events), log)

    def begin(
        self, client: str, transcript: str, *, heard: ParsedSession | None = None
    ) -> Captured | Ending:
        """Take in the session of a transcript, which is over, up to the writing of its memory.

        `heard` is what was heard of it before, to be had for nothing if the session is new and no
        fork. The state is kept when its memory is: until then a crash has it read once more.
        """
        reader = self.readers[client]
        session = reader.session_of(transcript)
        if not session:
            return Captured("", 0, "", "skipped")
        state = self.sessions.load(client, session)
        if heard and state is None and not any(self._beside(heard.state, i) for i in heard.asked):
            state, count = heard.state, heard.events
            log: str | None = heard.log
            self._number(state)
            state.raw_bytes = self.sessions.append_raw(state, heard.raw)
            self._remember(state)
        else:
            state = state or SessionState(session, client)
            starts_here = state.raw_bytes == 0
            events = self._taken(reader, transcript, state)
            count, log = len(events), self._log_of(events, state) if starts_here else None
        ending = self._ending(state, count, log)
        if count and isinstance(ending, Captured):
            self.sessions.save(state)
        return ending

    def look(self, client: str, transcript: str) -> Captured:
        """What becomes of a transcript that is taken in; nothing is kept."""
        reader = self.readers[client]
        session = reader.session_of(transcript)
        if not session:
            return Captured("", 0, "", "skipped")
        state = _copy(self.sessions.load(client, session) or SessionState(session, client))
        before = () if state.raw_bytes == 0 else self.sessions.raw_events(state)
        found = self._ingest.read(reader, transcript, state)
        events = [event for fresh in found for event in fresh]
        self._take_up(state, events)
        return self._looked_at(state, len(events), self._log_of((*before, *events), state))

    def _looked_at(self, state: SessionState, events: int, log: str) -> Captured:
        whole = with_own_facts(self.store, self.sessions.whole(state))
        left_out = self._left_out(state, whole)
        if left_out:
            is_saved = left_out == "saved"
            memory, what = (state.memory, "nothing") if is_saved else ("", "skipped")
            return Captured(state.session_id, events, memory, what)
        made: list[str] = []
        self._memory_changes(whole, log, made)
        return Captured(state.session_id, events, made[1], made[0])

    def end(self, endings: Sequence[Ending]) -> list[Captured]:
        """Write the memories of sessions, all together; of several sessions each one once.

        Raises:
            StorageFailed: the disk refused; the next command finishes what is in the journal.
        """
        refused = self.store.commit_each((CAUSE, ending.plan) for ending in endings)
        self._promised.clear()
        for n in refused:  # somebody's editor was quicker
            self.store.commit(endings[n].plan, cause=CAUSE, tries=TRIES)
        return self._ended(endings)

    def _taken(self, reader: TranscriptReader, transcript: str, state: SessionState) -> list[Event]:
        """Take what is new into the state and the raw copy; gives the events."""
        events: list[Event] = []
        for fresh in self._ingest.read(reader, transcript, state):
            self._number(state)
            state.raw_bytes = self.sessions.append_raw(state, self.sessions.packed(fresh))
            events += fresh
        self._take_up(state, events)
        return events

    def _take_up(self, state: SessionState, events: Sequence[Event]) -> None:
        self._remember(state)
        # What comes later takes a session up again; a memory that a person took away stays away.
        if events and (state.status == "saved" or not state.memory):
            state.status = "active"

    def _log_of(self, events: Iterable[Event], state: SessionState) -> str:
        return log_of(events, self.store.settings.lang, state.client)

    def _remember(self, state: SessionState) -> None:
        if self._others is not None:
            self._others[state.client, state.session_id] = _known_by(state)
            self._worked[state.client, state.session_id] = state.worked

    def _number(self, state: SessionState) -> None:
        """Say of new reactions which ops were there before them, as no clock can."""
        new = [row for row in state.reactions if "seq" not in row]
        seq = self.store.journal.next_seq() if new else 0
        for row in new:
            row["seq"] = seq

    def _beside(self, state: SessionState, event: str) -> set[str]:
        """The events of all other sessions that have this one.

        Where events bear their session's mark, one with its time is the same with another mark.
        """
        own = (state.client, state.session_id)
        others = {key: ids for key, ids in self._known().items() if key != own}
        found = [ids for ids in others.values() if event in ids]
        mine = state.session_id[-12:]
        timed = event.removeprefix(mine)
        if timed != event and TIMED.match(timed):
            for (client, session), ids in others.items():
                mark = session[-12:]
                if client == state.client and f"{mark}{timed}" in ids:
                    found.append({mine + one.removeprefix(mark) for one in ids})
        return set().union(*found)

    def _known(self) -> dict[tuple[str, str], set[str]]:
        """The events of every session; with them, `_worked` is known."""
        if self._others is None:
            self._others = {}
            for one in self.sessions.every():
                self._others[one.client, one.session_id] = _known_by(one)
                self._worked[one.client, one.session_id] = one.worked
        return self._others

    # ---------------------------------------------------------------------------------- memory

    def parsed_state(self, state: SessionState) -> SessionState:
        """All that is known of a session, with what its transcripts say by now; nothing is kept."""
        made = _copy(state)
        if state.client in self.readers:
            reader = self.readers[state.client]
            for transcript in list(made.sources):
                list(self._ingest.read(reader, transcript, made))
        return made

    def finish(self, state: SessionState, events: int = 0, log: str | None = None) -> Captured:
        """Make the memory of a session that is over, or bring it up to date.

        `log` is its whole conversation, if it is at hand.
        What was said by command is in the memory, and stays out of the state: it can be undone.
        """
        ending = self._ending(state, events, log)
        if isinstance(ending, Captured):
            return ending
        self.store.commit(ending.plan, cause=CAUSE, tries=TRIES)
        return self._ended([ending])[0]

    def _ending(self, state: SessionState, events: int, log: str | None) -> Captured | Ending:
        """The memory that is to be written of a session that is over, if there is any."""
        whole = with_own_facts(self.store, self.sessions.whole(state))
        left_out = self._left_out(state, whole)
        if left_out == "saved":
            return Captured(state.session_id, events, state.memory, "nothing")
        if left_out:
            if state.status != left_out:
                state.status = left_out
                self.sessions.save(state)
            return Captured(state.session_id, events, "", "skipped")
        self._learn(state)
        made: list[str] = []
        plan = partial(self._memory_changes, whole, log, made)
        return Ending(state, whole, events, plan, made, len(log or ""))

    def _left_out(self, state: SessionState, whole: SessionState) -> str:
        """The status of a session of which no memory is to be written: saved or discarded."""
        if state.status == "active" and not whole.is_worth_saving:
            return "discarded"  # it is over, and nothing was said in it
        if state.status == "saved" and state.remarks == whole.remarks:
            return "saved"
        is_taken_away = state.memory and not self._existing(state)  # it stays away
        return "discarded" if state.status == "discarded" or is_taken_away else ""

    def _ended(self, endings: Sequence[Ending]) -> list[Captured]:
        """Keep the states of sessions whose memories are written."""
        done = []
        for state, whole, events, _, (what, name, path), _ in endings:
            state.memory, state.written_stamp = name, self.store.files.stamp(path) or ""
            state.status, state.remarks = "saved", whole.remarks
            done.append(Captured(state.session_id, events, name, what))
        self.sessions.save(*(ending.state for ending in endings))
        if any(ending.state.worked for ending in endings):
            self._tell_checks([ending.state for ending in endings])
        return done

    def _memory_changes(
        self, state: SessionState, log: str | None, made: list[str]
    ) -> Sequence[Change]:
        """The changes that make a session's memory; `made` says what they do, of what, and where."""
        self._promised.difference_update(made[1:2])  # of a plan that was refused
        name = self._existing(state) or self._free_id(state)
        self._promised.add(name)
        entry = self.store.index.entry(name)
        path = entry.path if entry else f"episodic/{name}/summary.md"
        stamp = self.store.files.stamp(path)
        changes = [self._change(state, name, path, stamp)]
        if state.raw_bytes:
            changes.insert(0, self._log_change(state, name, path, log))
        changes = [change for change in changes if not self._is_there(change)]
        made[:] = ["created" if stamp is None else "changed" if changes else "nothing", name, path]
        return changes

    def _free_id(self, state: SessionState) -> str:
        """An id that no memory has, and none of those that are written together with this one."""
        title = title_of(state)
        wanted = layers.name_of("episodic", title, state.started or self.store.now)
        return free_name(wanted, lambda it: it in self._promised or self.store.is_taken(it))

    def _change(self, state: SessionState, name: str, path: str, stamp: str | None) -> Change:
        text = self._rendered(state, name, path)
        if stamp is None:
            return Change("put", path, name, stamp, text)
        theirs = self.store.files.read(path).text
        text = with_marks_of(text, theirs)
        if stamp != state.written_stamp:
            base = self.store.journal.text_of(state.written_stamp) or ""
            if without_marks(theirs) != without_marks(base):  # a person wrote there
                ticked = self._rendered(state, name, path, ticked=True)
                text = _no_more_trusted(with_new_lines(theirs, ticked, base), theirs, ticked)
        return Change("put", path, name, stamp, text)

    def _log_change(self, state: SessionState, name: str, path: str, text: str | None) -> Change:
        """The raw conversation, which comes first: a memory never points to nothing."""
        folder = path.removesuffix("summary.md") if path.endswith("/summary.md") else ""
        log = f"{folder or f'episodic/{name}/'}conversation.md"
        if text is None:
            text = self._log_of(self.sessions.raw_events(state), state)
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

    def _rendered(
        self, state: SessionState, name: str, path: str = "", *, ticked: bool = False
    ) -> str:
        text = summary.summary_text(state, name, self.store.settings.lang, path, ticked=ticked)
        if not (state.started or state.last_updated):
            text = codec.with_field(text, "decay-after", decay_day(self.store.now))
        return text

    # ------------------------------------------------------------------------------- solutions

    def _learn(self, state: SessionState) -> None:
        """Put what failed and what worked into procedural/feedback.md, each lesson once."""
        title = title_of(state) if state.solutions else ""
        for row in state.solutions:
            day = (row.get("time") or state.started)[:10]
            draft = Draft(
                entries.solution_title(row["slug"]),
                summary.solution_text(row, self.store.settings.lang, state.session_id, day, title),
                trigger=tuple(row["triggers"]),
                trust="tool",
                source="observed",
            )
            said = entries.without_comments(draft.body)  # its session may get another title
            lesson = stamp_of(f"{said} {state.session_id}".encode("utf-8", "replace"))
            if row.get("learned") != lesson:
                plan = partial(self._solution_changes, draft, state.session_id)
                self.store.commit(plan, cause=CAUSE, tries=TRIES)
                row["learned"] = lesson

    def _solution_changes(self, draft: Draft, session: str) -> list[Change]:
        """The change that puts a lesson in its place; one met again is believed more."""
        path = SHARED["solution"]
        if self.store.files.exists(path):
            body = codec.body_of(self.store.files.read(path).text)
            wanted = anchor_of(draft.title)  # signs in a title come and go between versions
            section = next((one for one in codec.sections_of(body) if one.anchor == wanted), None)
            if section and not self._is_ours(path, section):
                return []
            draft = draft._replace(title=section.heading) if section else draft
            if section and (again := summary.seen_again(section.text, session, draft.body)):
                draft = draft._replace(body=again)
            others = [one for one in codec.sections_of(body) if one is not section]
            if not section and any(summary.is_same_fix(one.text, draft.body) for one in others):
                return []  # another line of the same check
        choice = layers.LayerChoice("procedural", "solution", "kind")
        return section_change(self.store, path, draft.title, draft, choice, replace=True)[1]

    # ------------------------------------------------------------------------------- commands

    def _tell_checks(self, states: Iterable[SessionState]) -> None:
        """Keep the one entry up to date that says how the project is tested, built and the like."""
        self._known()
        for state in states:
            self._remember(state)
        if checks := records.usual_checks(self._worked.values()):
            self.store.commit(partial(self._check_changes, checks), cause=CAUSE, tries=TRIES)

    def _check_changes(self, checks: Sequence[str]) -> list[Change]:
        """The change that says these checks; none where a person changed the entry, or took it away."""
        path, lang = SHARED["pointer"], self.store.settings.lang
        title = layers.USUAL_CHECKS[lang]
        text = self.store.files.read(path).text if self.store.files.exists(path) else ""
        section = codec.section_named(codec.body_of(text), title)
        if not (self._is_ours(path, section) if section else self._is_new(path, title)):
            return []
        body = ("、" if lang == "zh" else ", ").join(f"`{check}`" for check in checks)
        draft = Draft(title, body, trust="tool", source="observed")
        choice = layers.LayerChoice("reference", "pointer", "kind")
        return section_change(self.store, path, title, draft, choice, replace=True)[1]

    def _is_new(self, path: str, title: str) -> bool:
        """Whether capture never wrote a section of this title."""
        texts = (op.text or "" for op in self._own_ops("path", path))
        return not any(title in text and codec.section_named(text, title) for text in texts)

    def _is_ours(self, path: str, section: Section) -> bool:
        """Whether a section stands as capture wrote it, so that no person's words are in it."""
        for op in self._own_ops("path", path):
            if op.text is not None:
                then = codec.section_named(codec.body_of(op.text), section.heading)
                if then and in_one_form(then.text) == in_one_form(section.text):
                    return True
        return False


def _known_by(state: SessionState) -> set[str]:
    """The events of a session, and if it has read a page its own name."""
    return {*state.ids, *([state.session_id] if state.web else ())}


def _copy(state: SessionState) -> SessionState:
    return SessionState.from_json(deepcopy(state.to_json()))


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
    body = _with_ticks(frontmatter.split_front(theirs).body, ours, base)
    body = _with_marks_from_before(body, ours, base)
    known = without_marks(f"{body}\n{base}").splitlines()
    have = {" ".join(line.split()) for line in known}
    for section in codec.sections_of(frontmatter.split_front(ours).body):
        new: list[str] = []
        is_new = False
        for line in section.text.splitlines():
            if not line.startswith(" "):  # what is indented belongs to the item above it
                is_new = " ".join(line.split()) not in have and not line.startswith("- [x] ")
            new += [line] if line.strip() and is_new else []
        if not new or not section.heading:
            continue
        old = codec.section_named(body, section.heading)
        text = "\n".join(new) if old is None else f"{old.text}\n" + "\n".join(new)
        body = codec.with_section(body, old.heading if old else section.heading, text)
    return codec.with_body(theirs, body)


def _no_more_trusted(text: str, theirs: str, ours: str) -> str:
    """A page that a person changed or approved, trusted no more than what has come to it since."""
    old, new = (codec.memory_from_text(one, "").trust for one in (theirs, ours))
    is_same = codec.body_of(text) == codec.body_of(theirs)
    trust = old if is_same else lowest_trust(old, new)
    return text if trust == old else codec.with_field(text, "trust", trust)


def _with_marks_from_before(body: str, ours: str, base: str) -> str:
    """The body with the marks of those lines of ours that were there before any page was read."""
    was = {*base.splitlines()}
    marked = (line for line in ours.splitlines() if line.endswith(entries.FIRST_HAND))
    found = {plain: line for line in marked if (plain := line[: -len(entries.FIRST_HAND)]) in was}
    return "\n".join(found.get(line, line) for line in body.split("\n")) if found else body


def _with_ticks(body: str, ours: str, base: str) -> str:
    done = {line[6:] for line in ours.splitlines() if line.startswith("- [x] ")}
    done &= {line[6:] for line in base.splitlines() if line.startswith("- [ ] ")}
    lines = body.splitlines(keepends=True)
    return "".join(
        f"- [x] {line[6:]}" if line.startswith("- [ ] ") and line[6:].rstrip() in done else line
        for line in lines
    )
