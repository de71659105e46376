"""Reduce a session's events to its state: decisions, learned fixes, open tasks.

Reducing events in portions gives the same state as reducing them at once; an event id counts once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from recollect._fastimport import NamedTuple
from recollect.capture import asked, records
from recollect.capture import extract as notice
from recollect.capture import failure_fix as struggle
from recollect.capture.reactions import reaction_in
from recollect.capture.summary import conversation_text, told_in
from recollect.context.views import is_fact, reason_of
from recollect.model.facts import Fact, same_words
from recollect.model.memory import lowest_trust
from recollect.model.session import SHORTEST_TASK, Event, Remark, SessionState
from recollect.ports import TranscriptReader
from recollect.store.store import OpenStore
from recollect.text import sentences
from recollect.text.redact import strip_private_in_part

REMEMBERED_IDS = 20_000
MOST_FACTS = 40
MOST_REACTIONS = 500
MOST_RAN = 4
MOST_REQUESTS = 60


def fold(state: SessionState, events: Iterable[Event]) -> list[Event]:
    """Take the events into the state; gives those that were new, in order."""
    known = set(state.ids)
    fresh: list[Event] = []
    for event in events:
        if event.id:
            if event.id in known:
                continue
            known.add(event.id)
            state.ids.append(event.id)
        fresh.append(event)
        _take(state, event)
    del state.ids[:-REMEMBERED_IDS]
    return fresh


def with_remarks(state: SessionState, remarks: Iterable[Remark]) -> SessionState:
    """The state with what was said of the session by command, in order."""
    made = _copy(state)
    for remark in remarks:
        _take_time(made, remark.time)
        made.trust = lowest_trust(made.trust, remark.trust)
        if remark.kind == "task":
            made.task = remark.text or made.task
            made.titles["person"] = made.task
            made.terminal = remark.terminal or made.terminal
        elif remark.kind == "note":
            made.notes.append(remark.text)
        elif remark.kind in ("todo", "done"):
            _add_todo(made, remark.text, "done" if remark.kind == "done" else "open")
        elif remark.kind == "about":
            made.summary = remark.text or made.summary
            made.tags = list(dict.fromkeys([*made.tags, *remark.tags]))
    return made


def with_facts(state: SessionState, facts: Iterable[tuple[Fact, str]]) -> SessionState:
    """The state with facts of their own that were kept in the session, each with its time."""
    made = _copy(state)
    for fact, time in facts:
        _take_time(made, time)
        if fact.kind != "issue":
            _add_fact(made, fact, time, most=None)
        elif not any(same_words(row["content"]) == same_words(fact.content) for row in made.issues):
            row = {"content": fact.content, "status": fact.status, "category": fact.category}
            made.issues.append(row)
    return made


def _copy(state: SessionState) -> SessionState:
    """A state of which those lists can be changed that people add to."""
    lists = {
        name: [dict(row) for row in getattr(state, name)]
        for name in ("decisions", "patterns", "issues", "todos")
    }
    own = {
        "notes": list(state.notes),
        "tags": list(state.tags),
        "titles": dict(state.titles),
    }
    return SessionState(**state.to_json() | lists | own)


def _take_time(state: SessionState, time: str) -> None:
    if time:
        state.started = min(state.started or time, time)
        state.last_updated = max(state.last_updated, time)


def _take(state: SessionState, event: Event) -> None:
    _take_time(state, event.time)
    takes = _TAKES.get(event.kind)
    if takes:
        takes(state, event)
        if event.kind in ("answer", "call", "result"):
            state.answered = max(state.answered, event.time)
    elif event.kind == "compacted":
        state.compactions += 1
    elif event.kind == "web":
        state.web = True


def _take_prompt(state: SessionState, event: Event) -> None:
    state.prompts += 1
    state.programs += event.program
    before, state.last_answer = state.last_answer, ""
    state.outcome = before or state.outcome
    _take_request(state, event)
    if not sentences.is_typed(event.text):
        event = event._replace(program=True)  # what nobody typed is nobody's word
    _take_reaction(state, event)
    if event.program:
        return
    for name in notice.returns_in(event.text):
        _take_back(state, name, event.time)
    for fact in notice.facts_said(event.text, before):
        _add_fact(state, _in_place(state, fact) or fact, event.time)
    for todo in notice.todos_in(event.text):
        _add_todo(state, todo)


def _take_request(state: SessionState, event: Event) -> None:
    """What a prompt asks for; of what a program sends, the first sentence says it."""
    plan = asked.plan_in(event.text)
    if plan:
        state.plans.append(plan)
    if event.program and not plan:
        ask = sentences.first_sentence(event.text, 120)
    else:
        ask = asked.ask_in(event.text, notice.fact_in)
    if ask:
        _add_request(state, ask)
    title = plan.strip("–") or asked.title_in(ask or asked.ask_in(event.text))
    if len(title) > len(state.task) and len(state.task) < SHORTEST_TASK:
        state.task = title


def _add_request(state: SessionState, ask: str) -> None:
    """Remember what was asked for; where it is too much, what says least is forgotten."""
    state.requests.append(ask)
    if len(state.requests) > MOST_REQUESTS:
        later = state.requests[1:]
        state.requests.remove(min(later, key=asked.weight_of))


def _in_place(state: SessionState, fact: Fact) -> Fact | None:
    """The fact as it reads in place of what it takes back of the session; None where that is nothing.

    What was said earlier goes with its reason; what it was about is said on.
    """
    rows = [*state.decisions, *state.patterns]
    if not rows:
        return None
    from recollect.model.conflicts import conflict_between, keeping_subject  # seldom needed
    from recollect.model.values import SURE

    found = None
    for row in rows:
        conflict = conflict_between(row["content"], fact.content)
        if conflict and (conflict.certainty == SURE or conflict.why == "choice"):
            found = (found or fact)._replace(content=keeping_subject(row["content"], fact.content))
            for kept in (state.decisions, state.patterns):
                kept[:] = [other for other in kept if other is not row]
    return found


def _take_back(state: SessionState, name: str, time: str) -> None:
    """Go back to what an earlier decision of the session had replaced."""
    category = "technology"
    made = _in_place(
        state, Fact("decision", f"Use {name} instead", "", category, source="instructed")
    )
    if made:
        content = made.content.removesuffix(" instead")
        _add_fact(state, made._replace(content=content), time)


def _take_reaction(state: SessionState, event: Event) -> None:
    """What the person says of what the agent did since the prompt before."""
    is_answer = state.answered > state.asked and not event.program
    kind = reaction_in(event.text) if is_answer else ""
    if kind:
        row = {"kind": kind, "since": state.asked, "until": state.answered}
        state.reactions.append(row)
        del state.reactions[:-MOST_REACTIONS]
    if state.ran and not event.program and (said := struggle.objection_in(event.text)):
        waiting = [struggle.Failure(ran, "", state.tool_uses, objection=said) for ran in state.ran]
        _keep_failures(state, [*_failures_of(state), *waiting][-struggle.MOST_FAILURES :])
    state.ran = []
    state.asked = state.answered


def _take_answer(state: SessionState, event: Event) -> None:
    state.answers += 1
    state.last_answer = event.text[:4000] if told_in(event.text) else ""


def _add_fact(state: SessionState, fact: Fact, time: str, most: int | None = MOST_FACTS) -> None:
    kept = state.decisions if fact.kind == "decision" else state.patterns
    row = {
        "content": fact.content,
        "reason": fact.detail,
        "category": fact.category,
        "source": fact.source,
        "time": time,
    }
    key = same_words(fact.content)
    for old in kept:
        if same_words(old["content"]) == key:
            old["reason"] = old["reason"] or fact.detail
            if fact.source == "instructed":
                old["source"] = fact.source
            return
    if most is None or len(kept) < most:
        kept.append(row)


def _add_todo(
    state: SessionState, text: str, status: str = "open", ref: str = "", *, listed: bool = False
) -> None:
    for todo in state.todos:
        if (ref and todo.get("ref") == ref) or (
            text and same_words(todo["text"]) == same_words(text)
        ):
            todo["status"] = status
            if not listed:
                todo.pop("listed", None)
            return
    if text:
        row = {"text": text, "status": status, "ref": ref}
        state.todos.append(row | ({"listed": "yes"} if listed else {}))


def _take_todos(state: SessionState, event: Event) -> None:
    is_whole = not any(ref for _, _, ref in event.todos)
    if is_whole:  # the list as it stands now: what is no longer on it was given up
        state.todos = [todo for todo in state.todos if not todo.get("listed")]
    for status, text, ref in event.todos:
        _add_todo(state, text, "done" if status in _OVER else "open", ref, listed=is_whole)


_OVER = ("completed", "done", "deleted", "cancelled", "canceled")


def _take_title(state: SessionState, event: Event) -> None:
    if not asked.is_generic(event.text):
        # A summary may be of the session before, which an older version wrote into this file.
        is_own = not event.target or any(one.startswith(event.target) for one in state.ids)
        state.titles[event.tool if is_own else "foreign"] = event.text


def _take_link(state: SessionState, event: Event) -> None:
    records.take_link(state.made, event.target, event.time)


# A command that reads a page, or what strangers write: what the agent says then is second-hand.
_READS_A_PAGE = re.compile(
    r"\b(?:curl|wget|lynx|w3m)\b[^|;&\n]*?\bhttps?://(?!localhost\b|127\.|0\.0\.0\.0|\[::1\])"
    r"|\bgh\s+(?:issue|pr|release|gist|api|search)\b"
)


def _take_call(state: SessionState, event: Event) -> None:
    state.tool_uses += 1
    state.last_answer = ""  # it was said on the way
    if event.tool == "shell" and _READS_A_PAGE.search(event.target):
        state.web = True
    if event.call:
        about = {"tool": event.tool, "target": event.target}
        if event.tool == "edit" and event.text:
            about["change"] = event.text[:400]
        state.calls[event.call] = about
        while len(state.calls) > 64:
            state.calls.pop(next(iter(state.calls)))


def _take_result(state: SessionState, event: Event) -> None:
    call = state.calls.pop(event.call, None)
    tool = call["tool"] if call else event.tool
    target = call["target"] if call else event.target
    if tool == "edit":
        if event.ok and target:
            change = call.get("change", "") if call else ""
            is_first = target not in state.files_modified
            waiting = _failures_of(state)
            _keep_failures(state, struggle.with_edit(waiting, target, change, is_first=is_first))
            if is_first:
                state.files_modified.append(target)
        return
    if tool != "shell" or not target:
        return
    if records.is_telling(target):
        records.take_command(state.made, target, event.text, event.time, ok=event.ok)
    if event.ok:
        records.take_check(state.worked, target, event.text)
        _take_success(state, target)
    elif found := struggle.failed(target[:2000], event.text, state.tool_uses):
        _keep_failures(state, struggle.with_failure(_failures_of(state), found))


def _failures_of(state: SessionState) -> list[struggle.Failure]:
    """The failures that wait for a fix; those of an earlier version have other fields and wait no more."""
    known = {*struggle.Failure._fields}
    return [struggle.Failure(**row) for row in state.failures if known.issuperset(row)]


def _keep_failures(state: SessionState, kept: Iterable[struggle.Failure]) -> None:
    state.failures = [one._asdict() for one in kept]


def _take_success(state: SessionState, command: str) -> None:
    state.ran = [*state.ran, command[:2000]][-MOST_RAN:]
    if state.failures:
        waiting = _failures_of(state)
        kept, learned = struggle.with_success(waiting, command[:2000], state.tool_uses)
        _keep_failures(state, kept)
        for solution in learned:
            _add_solution(state, solution)


def _add_solution(state: SessionState, solution: struggle.Solution) -> None:
    row = {key: list(v) if isinstance(v, tuple) else v for key, v in solution._asdict().items()}
    row["edits"] = [list(edit) for edit in solution.edits]
    for old in state.solutions:
        if old["slug"] == solution.slug:
            old.update(row)
            return
    state.solutions.append(row)
    state.problems.append({"problem": struggle.problem_of(solution), "solution": solution.solution})


_TAKES = {
    "prompt": _take_prompt,
    "answer": _take_answer,
    "call": _take_call,
    "result": _take_result,
    "todos": _take_todos,
    "title": _take_title,
    "link": _take_link,
}


# -------------------- Hearing: what is new in a transcript, without what must not be kept, folded into a session's state.


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


def log_of(events: Iterable[Event], lang: str) -> str:
    """A conversation as it is kept beside its memory, whether it comes from a raw copy or not."""
    return conversation_text(events, lang).encode("utf-8", "replace").decode("utf-8")


class Hearing:
    """Hearing transcripts for one store."""

    def __init__(self, redact: Callable[[str], str], base: str, beside: Beside) -> None:
        """`beside` gives the events of all other sessions that have an event."""
        self._redact, self._base, self._beside = redact, base, beside
        self._telling: set[str] = set()  # calls of which something that they gave out is looked at

    def hear(
        self, reader: TranscriptReader, transcript: str, state: SessionState
    ) -> Iterator[list[Event]]:
        """Take what is new in a transcript into the state; gives the events, portion by portion."""
        known = state.sources.get(transcript, {"offset": 0, "inode": 0})
        told = (call for call, row in state.calls.items() if records.is_telling(row["target"]))
        self._telling = set(told)
        while True:
            portion = reader.read(transcript, known["offset"], known["inode"])
            if portion.offset == known["offset"] and portion.inode == known["inode"]:
                return
            bases = (self._base, portion.cwd)
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
        if event.kind == "call" and event.tool == "shell" and records.is_telling(target):
            self._telling.add(event.call)
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
        if not event.text:
            return ""
        text = event.text[:LOOKED_AT]
        # Of what a call that worked gave out, nothing is kept but what it says that it made.
        if event.kind == "result" and event.ok:
            text = records.signs_in(text) if event.call in self._telling else ""
        text = self._redact(text)
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
                    " ".join(reason_of(texts.get(entry.id, ""), entry.title).split()),
                    entry.category or "other",
                    entry.status,
                    source=entry.source if entry.trust == "user" else "observed",
                ),
                entry.created,
            )
            for entry in entries
        ],
    )
