"""Capture into encrypted layers: no word of a session is stored before its memory is encrypted."""

from __future__ import annotations

from collections.abc import Iterable

from recollect.capture import summary
from recollect.capture.capture import CAUSE, TRIES, Capture, Captured
from recollect.capture.ingest import ParsedSession, with_own_facts
from recollect.model.memory import Change, Entry, is_sealed_path
from recollect.model.session import Event, SessionState
from recollect.privacy.sealing import REWRAP, made_sealed, new_place

# All that is kept of a session: whose it is, when it was, and how far its memory goes.
KEPT = ("session_id", "client", "started", "last_updated", "status", "memory", "sources", "ids")  # fmt: skip


class SealedCapture(Capture):
    """Capturing into a store whose episodes are encrypted."""

    def take_in(self, client: str, transcript: str, *, over: bool) -> Captured:
        """Note that a session goes on; when it is `over`, make or renew its encrypted memory.

        Raises:
            RecoveryMissing, MissingExtra: nothing can be encrypted, and so nothing is captured.
        """
        reader = self.readers[client]
        session = reader.session_of(transcript)
        if not session:
            return Captured("", 0, "", "skipped")
        found = self.sessions.load(client, session) or SessionState(session, client)
        state = self.closed(found)
        known = state.sources.setdefault(transcript, {"offset": 0, "inode": 0})
        portion = reader.read(transcript, known["offset"], known["inode"])
        if (portion.offset, portion.inode) == (known["offset"], known["inode"]):
            return Captured(session, 0, "", "nothing")
        if state.status != "discarded" or not state.memory:
            state.status, state.last_updated = "active", self.store.now
            state.started = state.started or self.store.now
            self.sessions.save(state)
        events = len(portion.events)
        return self.finish(state, events) if over else Captured(session, events, "", "state")

    def closed(self, state: SessionState) -> SessionState:
        """What is kept of a session; what was kept from before is encrypted first, then gone."""
        blank = SessionState(**{name: getattr(state, name) for name in KEPT})
        if blank == state:
            return blank
        whole = with_own_facts(self.store, self.sessions.whole(state))
        if state.status == "active" and whole.is_worth_saving:
            self._write(blank, whole, self.sessions.raw_events(state))
            blank.status = "saved"
        self.sessions.save(blank)
        self.sessions.drop_raw(state)
        return blank

    def begin(
        self, client: str, transcript: str, *, heard: ParsedSession | None = None
    ) -> Captured:
        """Take in the session of a transcript, which is over; nothing of it is heard before."""
        del heard
        return self.take_in(client, transcript, over=True)

    def look(self, client: str, transcript: str) -> Captured:
        """What becomes of a transcript that is taken in; nothing is kept, nor its memory named."""
        found = super().look(client, transcript)
        return found if found.what in ("nothing", "skipped") else found._replace(memory="")

    def finish(self, state: SessionState, events: int = 0, log: str | None = None) -> Captured:
        """Make the encrypted memory of a session that is over, or bring it up to date."""
        del log  # the transcript is the source
        state = self.closed(state)
        if state.memory and self.store.index.entry(state.memory) is None:
            state.status = "discarded"  # a person took the memory away: it stays away
            self.sessions.save(state)
        if state.status != "active":
            what = "nothing" if state.status == "saved" else "skipped"
            return Captured(state.session_id, events, state.memory, what)
        self.store.sealing().seal("")  # before everything is read: are there keys to encrypt for?
        made, said = self._parsed_anew(state)
        if any(made.sources[path]["offset"] < at["offset"] for path, at in state.sources.items()):
            return Captured(state.session_id, events, state.memory, "nothing")  # a log is gone
        what = "skipped"
        if made.is_worth_saving:
            what = self._write(state, made, said)
            state.status = "saved"
        else:
            state.status = "discarded"
        state.sources, state.ids, state.started = made.sources, made.ids, made.started
        self.sessions.save(state)
        return Captured(state.session_id, events, state.memory, what)

    def parsed_state(self, state: SessionState) -> SessionState:
        """All that is known of a session, from its transcripts."""
        return self._parsed_anew(self.closed(state))[0]

    def _parsed_anew(self, state: SessionState) -> tuple[SessionState, list[Event]]:
        """The whole state of a session and all that was said, in memory only."""
        self._others = None  # nobody notes here what the others have
        made = SessionState(state.session_id, state.client)
        events: list[Event] = []
        for transcript in state.sources:
            made.sources[transcript] = {"offset": 0, "inode": 0}
            for fresh in self._ingest.read(self.readers[state.client], transcript, made):
                self._number(made)
                events += fresh
        return with_own_facts(self.store, self.sessions.whole(made)), events

    def _write(self, state: SessionState, made: SessionState, said: Iterable[Event]) -> str:
        log = summary.conversation_text(said, self.store.settings.lang, state.client)
        entry = self.store.index.entry(state.memory) if state.memory else None
        before = self._as_we_left_it(entry) if entry else None

        def plan() -> list[Change]:
            name, path = (entry.id, entry.path) if entry and before else new_place(self.store)
            state.memory = name
            text = made_sealed(self.store, self._rendered(made, name), log)
            return [Change("put", path, name, before, text)]

        self.store.commit(plan, cause=CAUSE, tries=TRIES)
        return "changed" if before else "created"

    def _as_we_left_it(self, entry: Entry) -> str | None:
        """The stamp of an encrypted memory that nobody but capture wrote; None for any other.

        What a person has changed can be neither read here nor written over: the session that goes
        on gets another memory.
        """
        ops = list(self.store.journal.ops_about("memory", entry.id))
        stamp = self.store.files.stamp(entry.path)
        is_ours = all(op.cause in (CAUSE, REWRAP) for op in ops)
        as_left = is_sealed_path(entry.path) and ops and ops[0].after == stamp and is_ours
        return stamp if as_left else None
