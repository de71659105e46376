"""Hearing: what is new in a transcript, without what must not be kept, folded into a session's state.

Promises: redaction comes before everything else; nothing is written, and nothing but the transcript
is read, so that any process may do it, and before it is the session's turn; the same transcript and
state give the same.
Touches: transcripts (reading), through their readers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from recollect.domain.folding import fold
from recollect.domain.redact import strip_private_in_part
from recollect.domain.session import Event, SessionState
from recollect.domain.summary import conversation_text
from recollect.named import NamedTuple
from recollect.ports import TranscriptReader

# What a reader calls our own tools: their answers are what was captured before.
OWN_TOOL = "recollect"
LONGEST_TEXT = 200_000  # of a prompt or an answer
LONGEST_COMMAND = 4_000
LONGEST_TARGET = 500
LONGEST_ERROR = 4_000
# Cut only behind redaction: a secret that is cut in two is not known for one. Where there is too
# much to look through, what is kept comes from the start of what was looked at.
LOOKED_AT = 1_000_000

Beside = Callable[[SessionState, str], set[str]]


class Heard(NamedTuple):
    """All that a new session says so far, heard before it is its turn.

    It holds if no other session has one of the events that were `asked` for.
    """

    state: SessionState
    events: int
    asked: tuple[str, ...]
    raw: bytes  # the events as they stand in a raw copy
    log: str  # the conversation


def base_of(root: str, scope: str) -> str:
    """The folder of the project whose store is at `root`; nothing if it serves several."""
    project = root.removesuffix("/.claude/memory")
    return project if scope == "project" and project != root else ""


def log_of(events: Iterable[Event], lang: str) -> str:
    """A conversation as it is kept beside its memory, whether it comes from a raw copy or not."""
    return conversation_text(events, lang).encode("utf-8", "replace").decode("utf-8")


class Hearing:
    """Hearing transcripts for one store."""

    def __init__(self, redact: Callable[[str], str], base: str, beside: Beside) -> None:
        """`beside` gives the events of all other sessions that have an event."""
        self._redact, self._base, self._beside = redact, base, beside

    def hear(
        self, reader: TranscriptReader, transcript: str, state: SessionState
    ) -> Iterator[list[Event]]:
        """Take what is new in a transcript into the state; gives the events, portion by portion."""
        known = state.sources.get(transcript, {"offset": 0, "inode": 0})
        while True:
            portion = reader.read(transcript, known["offset"], known["inode"])
            if portion.offset == known["offset"] and portion.inode == known["inode"]:
                return
            bases = (self._base or state.project, portion.cwd)
            heard = (_without_private(e, state) for e in _without_echo(portion.events, state))
            events = [self._clean(event, bases) for event in heard]
            fresh = fold(state, self._without_copies(events, state))
            state.branch = portion.branch or state.branch
            known = {"offset": portion.offset, "inode": portion.inode}
            state.sources[transcript] = known
            yield fresh

    def _clean(self, event: Event, bases: tuple[str, ...]) -> Event:
        """The event without secrets, then cut, with the project's paths relative to it."""
        if not (event.text or event.target or event.todos):
            return event
        target, todos = event.target, event.todos
        if target:
            target = self._redact(target[:LOOKED_AT])
        if event.tool == "edit":
            inside = (target[len(b) + 1 :] for b in bases if b and target.startswith(f"{b}/"))
            target = next(inside, target)
        target = target[: LONGEST_COMMAND if event.tool in ("shell", "edit") else LONGEST_TARGET]
        if todos:
            todos = tuple((status, self._redact(text), ref) for status, text, ref in todos)
        text = self._clean_text(event)
        if text is event.text and target is event.target and not todos:
            return event
        return event._replace(text=text, target=target, todos=todos)

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
        copied = self._beside(state, first) if first else set()
        state.ids += [event.id for event in events if event.id in copied]
        return [event for event in events if event.id not in copied]


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
