"""Hear transcripts: what is new in one, without what must not be kept, folded into a session's state.

Promises: secrets are taken out before anything is cut; a fork's copy of another session counts there only.
Touches: the transcripts, through their readers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from recollect._fastimport import NamedTuple
from recollect.capture import records
from recollect.capture.requests import is_plan_handover
from recollect.capture.state import fold, with_facts
from recollect.capture.summary import conversation_text
from recollect.clients.base import OWN_TOOL, is_second_hand
from recollect.context.views import is_fact
from recollect.model.entries import beside_title
from recollect.model.facts import Fact
from recollect.model.session import LONGEST_COMMAND, Event, SessionState
from recollect.ports import TranscriptReader
from recollect.store.repositories import work_trees
from recollect.store.store import OpenStore
from recollect.text.redact import KnownSecrets, strip_private_in_part
from recollect.text.secret_rules import ASKS

LONGEST_TEXT = 200_000  # of a prompt or an answer
LONGEST_TARGET = 500
LONGEST_ERROR = 4_000
# Cut only behind redaction: a secret that is cut in two is not known for one. Where there is too
# much to look through, what is kept comes from the start of what was looked at.
LOOKED_AT = 1_000_000

Beside = Callable[[SessionState, str], set[str]]
# Takes a text, and as `known` the secrets that it may speak of again.
Redact = Callable[..., str]
_NAME = "password: "  # what makes a secret of an answer to the question for one


class ParsedSession(NamedTuple):
    """All that a new session says so far, heard before it is its turn.

    It holds if no other session has one of the events that were `asked` for.
    """

    state: SessionState
    events: int
    asked: tuple[str, ...]
    raw: bytes  # the events as they stand in a raw copy
    log: str  # the conversation


def log_of(events: Iterable[Event], lang: str, client: str) -> str:
    """A conversation as it is kept beside its memory, whether it comes from a raw copy or not."""
    return conversation_text(events, lang, client).encode("utf-8", "replace").decode("utf-8")


_SUBFOLDER = re.compile(r"/(?:\.claude/worktrees|\.?worktrees)/.*")
_HOME = re.compile(
    r"(?<![\w.~/\\-])(?:/Users/|/home/|[A-Za-z]:\\Users\\)[^/\\\s\"'`:;|&<>()]+(?=[/\\])"
)


class SessionFolders:
    """The folders of a session; a path says where in the project something is, not on which machine."""

    def __init__(self, *folders: str, branch: str = "", trees: Iterable[str] = ()) -> None:
        """`folders` are the project's and the one that the session ran in, which may be a worktree.

        `trees` are the other worktrees of the repository. One that is named after a `branch` with a
        slash lies two folders deep.
        """
        roots = {_SUBFOLDER.sub("", folder.rstrip("/")) for folder in folders}
        own = sorted({*folders, *roots} - {"", "/"}, key=len)
        others = sorted(trees, key=len, reverse=True)
        self._roots = [*others, *own]
        names, beside = ("|".join(map(re.escape, some)) for some in (own, others))
        tree = f"(?:{re.escape(branch)}|" if "/" in branch else "(?:"
        inside = rf"(?:/(?:\.claude/worktrees|\.?worktrees)/{tree}[^/\s\"'`]+)(?=/))?"
        first = rf"(?:{beside})/(?=[\w.@])|" if others else ""
        self._root = re.compile(
            rf"(?<![\w.~-])(?:{first}(?:{names})(?:{inside}/(?=[\w.@])|(?![\w.-]|/\w)))"
        )

    def with_short_paths(self, text: str) -> str:
        """The text with paths from the root of the repository on, of its worktrees too, else from `~` on."""
        if any(root in text for root in self._roots):
            text = self._root.sub(lambda found: "" if found[0].endswith("/") else ".", text)
        return _HOME.sub("~", text) if "Users" in text or "/home/" in text else text


class TranscriptIngest:
    """Hearing transcripts for one store."""

    def __init__(self, redact: Redact, base: str, beside: Beside) -> None:
        """`beside` gives the events of all other sessions that have an event.

        A session that has read a page has its own name, too.
        """
        self._redact_by, self._base, self._beside = redact, base, beside
        self._known = KnownSecrets([])
        self._is_asked = False  # whether what was said last asks for a password
        self._trees = work_trees(base)
        self._telling: set[str] = set()  # calls of which something that they gave out is looked at

    def read(
        self, reader: TranscriptReader, transcript: str, state: SessionState
    ) -> Iterator[list[Event]]:
        """Take what is new in a transcript into the state; gives the events, portion by portion."""
        known = state.sources.get(transcript, {"offset": 0, "inode": 0})
        told = (
            call for call, row in state.calls.items() if records.has_useful_output(row["target"])
        )
        self._telling = set(told)
        self._known, self._is_asked = KnownSecrets(state.passwords), state.is_password_asked
        while True:
            portion = reader.read(transcript, known["offset"], known["inode"])
            if portion.offset == known["offset"] and portion.inode == known["inode"]:
                return
            here = SessionFolders(self._base, portion.cwd, branch=portion.branch, trees=self._trees)
            all_told = self._with_handed_over(_without_echo(portion.events, state), state)
            heard = (_without_private(event, state) for event in all_told)
            learned, is_asked = list(state.passwords), self._is_asked
            events = [self._clean(event, here) for event in heard]
            if state.passwords != learned:  # some may have been said before they were told for one
                self._is_asked = is_asked
                events = [self._clean(event, here) for event in events]
            state.is_password_asked = self._is_asked
            fresh = fold(state, self._without_copies(events, state))
            state.branch = self._redact(portion.branch) or state.branch
            known = {"offset": portion.offset, "inode": portion.inode}
            state.sources[transcript] = known
            yield fresh

    def _with_handed_over(self, events: Iterable[Event], state: SessionState) -> Iterator[Event]:
        """The events, with a page before a plan that was made in a session which had read one."""
        for event in events:
            if event.kind == "prompt" and is_plan_handover(event.text):
                made_in = _TRANSCRIPT.findall(event.text)
                if any(self._beside(state, name) for name in made_in):
                    yield Event("web", event.time, id=f"{event.id}e" if event.id else "")
            yield event

    def _redact(self, text: str) -> str:
        return self._redact_by(text, known=self._known)

    def _clean_answer(self, text: str, *, is_asked: bool) -> str:
        """The text without secrets: a word alone is one where a password was asked for."""
        if is_asked and len(text.split()) == 1:
            return self._redact(_NAME + text.strip()).removeprefix(_NAME)
        return self._redact(text)

    def _clean(self, event: Event, here: SessionFolders) -> Event:
        """The event without secrets, then cut, with paths as `Places` tells them."""
        if not (event.text or event.target or event.todos):
            return event
        if event.kind == "choice":
            event = event._replace(
                options=tuple(self._redact(one)[:LONGEST_TARGET] for one in event.options),
                topic=self._redact(event.topic)[:LONGEST_TARGET],
                detail=self._redact(event.detail)[:LONGEST_TARGET],
            )
        target, todos = event.target, event.todos
        if event.kind == "call" and event.tool == "shell" and records.has_useful_output(target):
            self._telling.add(event.call)
        if target:
            target = here.with_short_paths(self._redact(target[:LOOKED_AT]))
        target = target[: LONGEST_COMMAND if event.tool in ("shell", "edit") else LONGEST_TARGET]
        if todos:
            todos = tuple((status, self._redact(text), ref) for status, text, ref in todos)
        text = here.with_short_paths(self._clean_text(event))
        if text is event.text and target is event.target and not todos:
            return event
        return event._replace(text=text, target=target, todos=todos)

    def _clean_text(self, event: Event) -> str:
        if not event.text:
            return ""
        text = event.text
        if len(text) > LOOKED_AT:  # between two words: half of a secret is not known for one
            text = (text[:LOOKED_AT].rsplit(maxsplit=1) or [""])[0]
        # Of what a call that worked gave out, nothing is kept but what it says that it made.
        if event.kind == "result" and event.ok:
            text = records.facts_in_output(text) if event.call in self._telling else ""
        if event.kind == "choice":
            text = self._clean_answer(text, is_asked=_asks(event.target))
        elif event.kind == "prompt":
            text = self._clean_answer(text, is_asked=self._is_asked)
        else:
            text = self._redact(text)
        if event.kind in ("prompt", "answer"):
            self._is_asked = _asks(text)
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
        copies = [event for event in events if event.id in copied]
        if len(copies) == 1 < len(events) and TIMED.search(first):
            return events  # another session in which the same was typed in the same second
        state.ids += [event.id for event in copies]
        said = next((event.kind for event in copies if event.kind not in ("title", "link")), "")
        # One that begins with a compaction has the pages from before it in its summary only.
        if said in ("compacted", "recap") or any(event.is_page for event in copies):
            records.take_page(state)  # its agent has read what its parent's did
        return [event for event in events if event.id not in copied]


TIMED = re.compile(r"\.\d{4}-\d\d-\d\dT")  # in the id of an event: its session's mark and its time


def _asks(text: str) -> bool:
    """Whether a text ends with the name of a password, or with a question for one."""
    return ASKS.search(text[-200:].rstrip(" ?？。.:：!`*\"'")) is not None


def _without_echo(events: list[Event], state: SessionState) -> Iterator[Event]:
    """The events, with nothing in the results of our own tools.

    Where a tool, a command or a file of ours gave what came from a page, that is a page again.
    """
    own = {call for call, row in state.calls.items() if row.get("tool") == OWN_TOOL}
    ours = {call for call, row in state.calls.items() if _OURS.search(row.get("target", ""))} | own
    for event in events:
        if event.tool == OWN_TOOL:
            own.add(event.call)
        if event.tool == OWN_TOOL or _OURS.search(event.target):
            ours.add(event.call)
        is_answer = event.kind == "result" and event.call in ours
        if is_answer and is_second_hand(event.text):
            yield Event("web", event.time, id=f"{event.id}e" if event.id else "")
        yield event._replace(text="") if is_answer and event.call in own else event


_TRANSCRIPT = re.compile(r"/([\w-]{8,64})\.jsonl\b")
_OURS = re.compile(r"\brecollect\s+[-\w]|\.claude/memory\b")


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


def with_own_facts(store: OpenStore, state: SessionState) -> SessionState:
    """The state with the facts of their own that were kept in the session and hold still."""
    entries = [
        entry
        for entry in store.index.entries_of_session(state.session_id)
        if is_fact(entry) and not entry.archived and entry.status != "superseded"
    ]
    if not entries:
        return state
    texts = {head.id: head.text for head in store.index.by_ids([entry.id for entry in entries])}
    return with_facts(
        state,
        [
            (
                Fact(
                    entry.kind,
                    entry.title,
                    " ".join(beside_title(texts.get(entry.id, ""), entry.title).split()),
                    entry.category or "other",
                    entry.status,
                    source=entry.source if entry.trust == "user" else "observed",
                ),
                entry.created,
            )
            for entry in entries
        ],
    )
