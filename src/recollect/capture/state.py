"""Reduce a session's events to its state: decisions, learned fixes, open tasks.

Reducing events in portions gives the same state as reducing them at once; an event id counts once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from recollect.capture import (
    answers,
    extract,
    failure_fix,
    records,
    requests,
    reversals,
    task_numbers,
    titles,
)
from recollect.capture.outcome import report_in, says_what_was_done, tells_something
from recollect.capture.reactions import reaction_in
from recollect.model.facts import Fact, same_words
from recollect.model.memory import lowest_trust
from recollect.model.session import OVER, SHORTEST_TASK, Event, Remark, SessionState
from recollect.text import sentences

REMEMBERED_IDS = 20_000
MOST_FACTS = 40
MOST_REACTIONS = 500
MOST_RAN = 4
LONGEST_ECHO = 40  # characters of an answer that only repeats the request
MOST_REQUESTS = 60
MOST_RESULTS = 24
FEW_USES = 8  # tool uses behind a compaction, after which what it left open may be done
LONGEST_ANSWER = 6_000


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
    if event.is_page:
        records.take_page(state)
    takes = _TAKES.get(event.kind)
    if takes:
        takes(state, event)
        if state.prompts < 4 and "named" not in state.titles:
            _take_name(state, event)
        if event.kind in ("answer", "call", "result"):
            state.answered = max(state.answered, event.time)


def _take_prompt(state: SessionState, event: Event) -> None:
    state.prompts += 1
    state.programs += event.program
    state.asks_message = requests.asks_for_message(event.text)
    before, state.last_answer = state.last_answer, ""
    state.outcome = before or state.outcome
    if not state.web and (report := report_in(before)):
        state.results.append(report)
        del state.results[MOST_RESULTS // 2 : -MOST_RESULTS // 2]
    _take_request(state, event)
    if not sentences.is_typed(event.text):
        event = event._replace(program=True)  # what nobody typed is nobody's word
    _take_reaction(state, event)
    if not event.program:
        _take_statements(state, event.text, before, event.time)


def _take_statements(
    state: SessionState, text: str, before: str, time: str, facts: list[Fact] | None = None
) -> None:
    """What a person decides and rules, and what they take back of what they said before."""
    for reversal in reversals.reversals_in(text):
        _drop(state, partial(_is_taken_back, reversal, state.prompts))
    returned = [name for name in extract.returns_in(text) if _take_back(state, name, time)]
    for fact in extract.facts_in_prompt(text, before) if facts is None else facts:
        if returned and extract.returns_in(fact.content):
            continue  # the decision that it goes back to says more
        _add_fact(state, _in_place(state, fact) or fact, time)
    for todo in extract.todos_in(text):
        _add_todo(state, todo)


def _is_taken_back(reversal: reversals.Reversal, prompts: int, row: dict[str, str]) -> bool:
    if reversal.name:
        return reversals.is_named_in(reversal.name, row["content"])
    return row.get("turn") == str(prompts - 1)


def _drop(state: SessionState, is_dropped: Callable[[dict[str, str]], bool]) -> None:
    for rows in (state.decisions, state.patterns):
        rows[:] = [row for row in rows if not is_dropped(row)]


def _take_refusal(state: SessionState, event: Event) -> None:
    """What a person said who did not let a call or a plan pass, as if they had typed it."""
    if event.program or not sentences.is_typed(event.text):
        return
    if ask := requests.ask_in(event.text, extract.fact_in):
        _add_request(state, ask)
    _take_statements(state, event.text, "", event.time, extract.facts_refusing(event.text))


def _take_plan(state: SessionState, event: Event) -> None:
    """The name of a plan that the person approved."""
    name = requests.name_of_plan(event.text)
    if name not in ("–", *state.plans):
        state.plans.append(name)
        state.reasons[name] = requests.reason_of_plan(event.text)


def _take_choice(state: SessionState, event: Event) -> None:
    """What a person answered to a question; the same question asked again is answered anew."""
    if event.program:
        return
    asked_before = {event.target, *event.options}
    _drop(
        state,
        lambda row: (
            answers.is_asked_again(event, row.get("asked", ""), row.get("topic", ""))
            or row.get("answer") in asked_before
        ),
    )
    found = answers.decision_of(event)
    if found is None:
        if event.tool == "typed":
            _take_statements(state, event.text, event.target, event.time)
        return
    content, reason = found
    fact = Fact("decision", content, reason, extract.category_of(content), source="instructed")
    choice = {
        "asked": event.target,
        "answer": event.text,
        "left": "\n".join(event.options),
        "topic": event.topic,
    }
    _add_fact(state, fact, event.time, most=MOST_FACTS, **choice)


def _take_recap(state: SessionState, event: Event) -> None:
    """What the summary of a compaction says was found out, and what was still to be done."""
    if not (state.prompts or state.answers or state.tool_uses):
        records.take_page(
            state
        )  # it sums up what happened elsewhere: who knows what was read there
    state.learned = records.learned_in(event.text) or state.learned
    state.pending = records.pending_in(event.text)
    state.recapped = state.tool_uses


def _take_request(state: SessionState, event: Event) -> None:
    """What a prompt asks for; of what a program sends, the first sentence says it.

    Where a person asks for something, what agents of a team report to theirs is no request. The text
    of a command that was sent without a word behind it never is one.
    """
    if event.tool == "command" or (event.tool == "team" and state.prompts > state.programs):
        return
    plan = requests.plan_in(event.text)
    if plan and plan not in state.plans:  # it may be handed over again and again
        state.plans.append(plan)
        state.reasons[plan] = requests.reason_of_plan(event.text)
    if event.program and not plan:
        ask = sentences.first_sentence(requests.without_role(event.text), 120)
    else:
        ask = requests.ask_in(event.text, extract.fact_in)
    if ask:
        _add_request(state, ask)
    if len(state.task) < SHORTEST_TASK:
        title = plan.strip("–") or titles.title_in(ask or requests.ask_in(event.text))
        state.task = max(state.task, title, key=len)


def _add_request(state: SessionState, ask: str) -> None:
    """Remember what was asked for; where it is too much, what says least is forgotten."""
    state.requests.append(ask)
    if len(state.requests) > MOST_REQUESTS:
        later = state.requests[1:]
        state.requests.remove(min(later, key=requests.weight_of))


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


def _take_back(state: SessionState, name: str, time: str) -> bool:
    """Go back to what an earlier decision of the session had replaced; False if there is none."""
    for row in state.decisions:
        left = row.get("left", "").split("\n")
        if back := next((one for one in left if name.casefold() in one.casefold().split()), ""):
            content = f"{row['asked']} {back} (rather than {row['answer']})"
            row.update(content=content, reason="", answer=back, time=time)
            return True
    category = "technology"
    made = _in_place(
        state, Fact("decision", f"Use {name} instead", "", category, source="instructed")
    )
    if made:
        content = made.content.removesuffix(" instead")
        _add_fact(state, made._replace(content=content), time)
    return made is not None


def _take_reaction(state: SessionState, event: Event) -> None:
    """What the person says of what the agent did since the prompt before."""
    is_answer = state.answered > state.asked and not event.program
    kind = reaction_in(event.text) if is_answer else ""
    if kind:
        row = {"kind": kind, "since": state.asked, "until": state.answered}
        state.reactions.append(row)
        del state.reactions[:-MOST_REACTIONS]
    if state.ran and not event.program and (said := failure_fix.objection_in(event.text)):
        waiting = [
            failure_fix.Failure(ran, "", state.tool_uses, objection=said) for ran in state.ran
        ]
        _keep_failures(state, [*_failures_of(state), *waiting][-failure_fix.MOST_FAILURES :])
    state.ran = []
    state.asked = state.answered


def _is_echo(answer: str, requests: Iterable[str]) -> bool:
    """Whether an answer only says what it was told to say: "Reply with exactly OK"."""
    if len(answer) > LONGEST_ECHO:
        return False
    said, told = (
        {word.strip(".,:;!?\"'`*").casefold() for word in text.split()} - {""}
        for text in (answer, " ".join(requests))
    )
    return bool(said) and said <= told


def _take_answer(state: SessionState, event: Event) -> None:
    text = event.text
    if _is_echo(text, state.requests):
        return
    state.answers += 1
    if len(text) > LONGEST_ANSWER:  # what it found stands first, what it proposes last
        end = text[-LONGEST_ANSWER // 4 :]
        text = f"{text[: LONGEST_ANSWER * 3 // 4]}\n…\n{end.partition(chr(10))[2] or end}"
    is_message = state.asks_message and not says_what_was_done(text)
    state.last_answer = text if tells_something(text) and not is_message else ""


def _add_fact(
    state: SessionState, fact: Fact, time: str, most: int | None = MOST_FACTS, **more: str
) -> None:
    kept = state.decisions if fact.kind == "decision" else state.patterns
    row = {
        "content": fact.content,
        "reason": fact.detail,
        "category": fact.category,
        "source": fact.source,
        "time": time,
        "turn": str(state.prompts),
        **more,
    }
    key = same_words(fact.content)
    for old in kept:
        if same_words(old["content"]) == key:
            old["reason"] = old["reason"] or fact.detail
            if fact.source == "instructed":
                old["source"] = fact.source
            old["turn"] = row["turn"]
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
        _add_todo(state, text, "done" if status in OVER else "open", ref, listed=is_whole)


def _take_title(state: SessionState, event: Event) -> None:
    if not titles.is_generic(event.text):
        # A summary may be of the session before, which an older version wrote into this file.
        is_own = not event.target or any(one.startswith(event.target) for one in state.ids)
        giver = event.tool if is_own else "foreign"
        if not (state.web and giver in state.titles) or giver in ("custom", "typed"):
            state.titles[giver] = event.text


def _take_name(state: SessionState, event: Event) -> None:
    """What the number stands for that the first requests name."""
    if (number := task_numbers.number_in(state.requests)[1]) and (
        name := task_numbers.name_in(f"{event.target}\n{event.text}", number)
    ):
        state.titles["named"] = titles.titled(name)


def _take_link(state: SessionState, event: Event) -> None:
    records.take_link(state.made, event.target, event.time)


def _take_call(state: SessionState, event: Event) -> None:
    state.tool_uses += 1
    if state.pending and state.tool_uses > state.recapped + FEW_USES:
        state.pending = []  # it has gone on with it
    state.last_answer = ""  # it was said on the way
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
            _keep_failures(state, failure_fix.with_edit(waiting, target, change, is_first=is_first))
            if is_first:
                state.files_modified.append(target)
        return
    if tool != "shell" or not target:
        return
    if records.has_useful_output(target):
        before = list(state.made)
        records.take_command(state.made, target, event.text, event.time, ok=event.ok)
        if records.undoes_commit(target):
            kept = state.commits
            gone = [row["text"] for row in before if row["text"] not in kept]
            _drop(state, lambda row: reversals.is_undone(row["content"], gone))
    if event.ok:
        records.take_check(state.worked, target, event.text)
        _take_success(state, target, event.time)
    elif found := failure_fix.failed(target[:2000], event.text, state.tool_uses):
        _keep_failures(state, failure_fix.with_failure(_failures_of(state), found))


def _failures_of(state: SessionState) -> list[failure_fix.Failure]:
    """The failures that wait for a fix; those of an earlier version have other fields and wait no more."""
    known = {*failure_fix.Failure._fields}
    return [failure_fix.Failure(**row) for row in state.failures if known.issuperset(row)]


def _keep_failures(state: SessionState, kept: Iterable[failure_fix.Failure]) -> None:
    state.failures = [one._asdict() for one in kept]


def _take_success(state: SessionState, command: str, time: str) -> None:
    state.ran = [*state.ran, command[:2000]][-MOST_RAN:]
    if state.failures:
        waiting = _failures_of(state)
        kept, learned = failure_fix.with_success(waiting, command[:2000], state.tool_uses)
        _keep_failures(state, kept)
        for solution in learned:
            _add_solution(state, solution, time)


def _add_solution(state: SessionState, solution: failure_fix.Solution, time: str) -> None:
    row = {key: list(v) if isinstance(v, tuple) else v for key, v in solution._asdict().items()}
    row["edits"] = [list(edit) for edit in solution.edits]
    row["time"] = time
    for old in state.solutions:
        if old["slug"] == solution.slug:
            old.update(row)
            return
    state.solutions.append(row)
    state.problems.append(
        {"problem": failure_fix.problem_of(solution), "solution": solution.solution}
    )


_TAKES = {
    "prompt": _take_prompt,
    "answer": _take_answer,
    "call": _take_call,
    "result": _take_result,
    "todos": _take_todos,
    "title": _take_title,
    "link": _take_link,
    "choice": _take_choice,
    "refusal": _take_refusal,
    "plan": _take_plan,
    "recap": _take_recap,
}
