"""Folding: from the events of a conversation to what it decided, learned and left open.

Promises: folding events in two portions gives the same state as folding them in one; an event with
an id that was folded before changes nothing; what is said by command leaves the state of what was
captured as it is.
Touches: nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from recollect.domain import notice, struggle
from recollect.domain.facts import Fact, same_words
from recollect.domain.model import lowest_trust
from recollect.domain.reaction import reaction_in
from recollect.domain.session import SHORTEST_TASK, Event, Remark, SessionState

REMEMBERED_IDS = 20_000
MOST_FACTS = 40
MOST_REACTIONS = 500
PATIENCE = 12  # steps after which a failure is no longer waiting for something that works
MOST_FAILURES = 8
MOST_RAN = 4


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
        made.project = made.project or remark.project
        if remark.kind == "task":
            made.task = remark.text or made.task
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
    return replace(
        state,
        decisions=[dict(row) for row in state.decisions],
        patterns=[dict(row) for row in state.patterns],
        issues=[dict(row) for row in state.issues],
        todos=[dict(row) for row in state.todos],
        notes=list(state.notes),
        tags=list(state.tags),
    )


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
    _take_reaction(state, event)
    line = notice.task_in(event.text, 120)
    if line:
        state.requests.append(line)
        del state.requests[24:]
    if len(line) > len(state.task) and len(state.task) < SHORTEST_TASK:
        state.task = line
    for fact in notice.facts_said(event.text):
        _add_fact(state, fact, event.time)
    for todo in notice.todos_in(event.text):
        _add_todo(state, todo)


def _take_reaction(state: SessionState, event: Event) -> None:
    """What the person says of what the agent did since the prompt before."""
    kind = reaction_in(event.text) if state.answered > state.asked else ""
    if kind:
        row = {"kind": kind, "since": state.asked, "until": state.answered}
        state.reactions.append(row)
        del state.reactions[:-MOST_REACTIONS]
    if state.ran and (said := struggle.objection_in(event.text)):
        for command in state.ran:
            about = {"tool": "shell", "target": command, "error": "", "objection": said}
            state.failures.append(about | {"step": state.tool_uses})
        del state.failures[:-MOST_FAILURES]
    state.ran = []
    state.asked = state.answered


def _take_answer(state: SessionState, event: Event) -> None:
    state.answers += 1
    state.outcome = event.text[:4000]
    state.said = event.text[-600:]
    for fact in notice.facts_told(event.text):
        _add_fact(state, fact, event.time)


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


def _add_todo(state: SessionState, text: str, status: str = "open", ref: str = "") -> None:
    for todo in state.todos:
        if (ref and todo.get("ref") == ref) or (
            text and same_words(todo["text"]) == same_words(text)
        ):
            todo["status"] = status
            return
    if text:
        state.todos.append({"text": text, "status": status, "ref": ref})


def _take_todos(state: SessionState, event: Event) -> None:
    for status, text, ref in event.todos:
        _add_todo(
            state, text, "done" if status in ("completed", "done", "deleted") else "open", ref
        )


# A command that reads a page, or what strangers write: what the agent says then is second-hand.
_READS_A_PAGE = re.compile(
    r"\b(?:curl|wget|lynx|w3m)\b[^|;&\n]*?\bhttps?://(?!localhost\b|127\.|0\.0\.0\.0|\[::1\])"
    r"|\bgh\s+(?:issue|pr|release|gist|api|search)\b"
)


def _take_call(state: SessionState, event: Event) -> None:
    state.tool_uses += 1
    if event.tool == "shell" and _READS_A_PAGE.search(event.target):
        state.web = True
    if event.call:
        state.calls[event.call] = {"tool": event.tool, "target": event.target, "said": state.said}
        while len(state.calls) > 64:
            state.calls.pop(next(iter(state.calls)))
    state.said = ""


def _take_result(state: SessionState, event: Event) -> None:
    call = state.calls.pop(event.call, None)
    tool = call["tool"] if call else event.tool
    target = call["target"] if call else event.target
    if tool == "edit":
        if event.ok and target:
            for failure in state.failures:
                failure["edited"] = True
                failure["edits"] = list(dict.fromkeys([*failure.get("edits", ()), target]))[-4:]
            if target not in state.files_modified:
                state.files_modified.append(target)
        return
    if tool != "shell" or not target:
        return
    if not event.ok:
        if not struggle.may_teach(event.text):
            return
        failure = {"tool": tool, "target": target[:2000], "error": event.text[:4000]}
        _add_failure(state, failure | {"step": state.tool_uses})
        return
    _take_success(state, target, call["said"] if call else "")


def _add_failure(state: SessionState, row: dict[str, Any]) -> None:
    """Remember a failure, together with the attempts at the same thing before it."""
    failure = struggle.Failure(**row)
    for old in reversed(list(state.failures)):
        before = struggle.Failure(**old)
        is_recent = failure.step - before.step <= PATIENCE
        if is_recent and struggle.is_same_trouble(before, failure):
            state.failures.remove(old)
            row["tries"] = [*before.tries, before.target][-8:]
            row["edits"] = list(before.edits)
            break
    state.failures.append(row)
    del state.failures[:-MOST_FAILURES]


def _take_success(state: SessionState, command: str, said: str) -> None:
    message = _commit_message(command)
    if message:
        state.commits.append(message)
    state.ran = [*state.ran, command[:2000]][-MOST_RAN:]
    for row in reversed(list(state.failures)):
        failure = struggle.Failure(**row)
        if state.tool_uses - failure.step > PATIENCE:
            state.failures.remove(row)
            continue
        solution = struggle.solved(failure, command, notice.first_sentence(said, 200))
        if solution:
            state.failures.remove(row)
            _add_solution(state, solution)
            return
    for row in state.failures:
        row["since"] = [*row.get("since", ()), command[:2000]][-4:]


def _add_solution(state: SessionState, solution: struggle.Solution) -> None:
    row = {key: list(v) if isinstance(v, tuple) else v for key, v in solution._asdict().items()}
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
}

_COMMIT = re.compile(
    r"\bgit\b[^|;&\n]*\bcommit\b[^\n]*?\s-\w*m\s*"
    r"(?:\"?\$\(cat <<\\?'?\w+'?\n(?P<doc>.+)|\"(?P<double>[^\"\n]+)|'(?P<single>[^'\n]+))"
)


def _commit_message(command: str) -> str:
    match = _COMMIT.search(command)
    found = match and (match["doc"] or match["double"] or match["single"])
    return found.strip()[:120] if found else ""
