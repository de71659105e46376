"""Render a session's memory and its conversation as Markdown, in English or Chinese.

Pure: the same state gives the same text. Quoted text stays on one line and starts no heading, list
or comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from recollect._fastimport import Pattern
from recollect.capture import records, requests
from recollect.capture.outcome import (
    answer_summary,
    is_chatter,
    outcome_before_pages,
    outcome_of,
    result_about,
)
from recollect.capture.titles import is_from_before_pages, title_of
from recollect.model.document import new_text
from recollect.model.entries import FIRST_HAND, OF_A_MODEL, solution_title
from recollect.model.facts import Fact, fact_lines, same_words, without_repeats
from recollect.model.footnotes import label_of, more_of
from recollect.model.frontmatter import Value
from recollect.model.layers import title_tags
from recollect.model.memory import anchor_of, lowest_trust
from recollect.model.session import Event, SessionState
from recollect.text.commands import is_code_file
from recollect.text.sentences import one_line, sentences_of

TYPE_CHECKING = False  # `typing` takes longer to load than a search
if TYPE_CHECKING:
    from typing import Any


MOST_ASKED = 4
MOST_REASONS = 2  # of the last plans
FEWEST_WORDS = 4  # of a last answer that is told beside what came of the title's request
MOST_CHECKS = 5
MOST_PULLS = 4
MOST_COMMITS = 8
MOST_FILES = 12
_DOCUMENT = re.compile(
    r"^(?!/|\.\./)(?:.*/)?(?:adrs?/|docs?/.*|rfcs?/|CHANGELOG|README|CLAUDE|AGENTS|GEMINI|CONTRIBUTING|ARCHITECTURE|DEVELOPMENT|\.claude/rules/|\.cursor/rules/)"
    r"[^/]*\.(?:mdc?|rst|adoc|txt)$",
    re.I,
)

WORDS = {
    "en": {
        "summary": "Summary",
        "decision": "Decisions",
        "pattern": "Patterns",
        "issue": "Issues",
        "solution": "Solutions",
        "files": "Files",
        "todos": "TODOs",
        "notes": "Notes",
        "asked": "Asked",
        "asked_by_program": "Asked by a program",
        "outcome": "Outcome",
        "learned": "Learned",
        "commits": "Commits",
        "pull": "Pull request",
        "issue_made": "Issue",
        "plan": "plan",
        "reason": "Plan",
        "wrote": "Wrote",
        "checks": "Commands",
        "colon": ": ",
        "log": "Raw Conversation Log",
        "user": "User",
        "program": "Program",
        "agent": "Claude",
        "tool": "Tool",
        "symptom": "Symptom",
        "failed": "Failed",
        "worked": "Solution",
        "why": "Why",
        "edited": " (after changes of {files})",
        "told": "the person said so",
    },
    "zh": {
        "summary": "摘要",
        "decision": "决定",
        "pattern": "模式",
        "issue": "问题",
        "solution": "解决方案",
        "files": "文件",
        "todos": "待办",
        "notes": "笔记",
        "asked": "请求",
        "asked_by_program": "程序请求",
        "outcome": "结果",
        "learned": "学到的",
        "commits": "提交",
        "pull": "合并请求",
        "issue_made": "议题",
        "plan": "计划",
        "reason": "计划",
        "wrote": "写了",
        "checks": "命令",
        "colon": "：",
        "log": "原始对话记录",
        "user": "用户",
        "program": "程序",
        "agent": "Claude",
        "tool": "工具",
        "symptom": "症状",
        "failed": "失败的做法",
        "worked": "解决办法",
        "why": "原因",
        "edited": "（修改 {files} 之后）",
        "told": "用户这样说",
    },
}


# What is gone tomorrow, and what a client writes for itself.
_PASSING_FILE = re.compile(
    r"(?:/private)?/(?:tmp|var/folders)/|~/\.(?:claude|codex|gemini)/(?:plans|projects|tmp|todos)/|[A-Za-z]:\\.*\\Temp\\|[^/.\\]* [^/.\\]*$",
    re.I,
)


def files_of(state: SessionState) -> list[str]:
    """The files that it changed, without those of the moment."""
    return [path for path in state.files_modified if not _PASSING_FILE.match(path)]


def session_facts(state: SessionState) -> list[Fact]:
    """The decisions, patterns and issues of a session."""
    facts = state.statements
    facts += [
        Fact("issue", row["content"], category=row["category"], status=row["status"])
        for row in state.issues
    ]
    facts += [
        Fact("issue", row["problem"], category="other", status="resolved") for row in state.problems
    ]
    return without_repeats(facts)


def summary_text(
    state: SessionState, memory_id: str, lang: str, path: str = "", *, ticked: bool = False
) -> str:
    """The whole file of a session's memory; without a path one that can stand anywhere.

    With `ticked` it lists the steps of the agent that are done, too.
    """
    say = WORDS[lang]
    facts = session_facts(state)
    title = title_of(state)
    mark = state.web and is_from_before_pages(state, title)
    body = [f"# {title}", *([FIRST_HAND.strip()] if mark else ()), "", f"## {say['summary']}", ""]
    body += _summary_lines(state, say, title)
    body += _section(say["commits"], _commit_lines(state))
    for kind in ("decision", "pattern", "issue"):
        lines = [line for fact in facts if fact.kind == kind for line in fact_lines(fact)]
        body += _section(say[kind], (harmless_line(line) for line in lines))
    body += _section(say["learned"], (f"- {one_line(text)}" for text in state.learned))
    body += _section(
        say["solution"],
        (
            f"- `{_code(row['failed'])}` → {_what_worked(row, say)} "
            f"(procedural/feedback.md#{anchor_of(solution_title(row['slug']))})"
            for row in state.solutions
        ),
    )
    body += _section(say["notes"], (line for note in state.notes for line in note_lines(note)))
    others = [path for path in files_of(state) if not _DOCUMENT.search(path)]
    body += _section(say["files"], (f"- `{_code(path)}`" for path in others[:MOST_FILES]))
    checks = sorted(state.worked.items(), key=lambda row: -row[1])[:MOST_CHECKS]
    body += _section(
        say["checks"], (f"- `{_code(c)}` ({n}×)" for c, n in checks if n >= records.OFTEN)
    )
    body += _section(
        say["todos"],
        (
            f"- [{'x' if todo['status'] == 'done' else ' '}] {one_line(todo['text'], 200)}"
            f"{FIRST_HAND if records.is_open_before(state, todo) else ''}"
            for todo in (*state.todos, *_pending(state))
            if ticked or not _is_behind(state, todo)
        ),
    )
    return new_text(_fields(state, memory_id, title), "\n".join(body), path)


def _is_behind(state: SessionState, todo: Mapping[str, str]) -> bool:
    """Whether a step of the agent's list is done, or was while nobody ticked it off.

    Who commits has run the checks; a plan of which nothing was ticked off by then was not kept.
    """
    if not (todo.get("listed") or todo["ref"]):
        return False
    if todo["status"] == "done" or not state.made:
        return todo["status"] == "done"
    ticked = [one["status"] == "done" for one in state.todos if one.get("listed") or one["ref"]]
    is_kept = any(ticked) or len(ticked) < FEWEST_STEPS
    return is_chatter(_RUN.sub("", todo["text"])) or not is_kept


FEWEST_STEPS = 3  # of a plan; what is noted alone is left for later
_RUN = re.compile(
    r"^(?:task \d+: )?(?:final(?:ly)?:? )?(?:run|verify|verification|check)(?: (?:all|the))*\b",
    re.I,
)


def _pending(state: SessionState) -> Iterator[dict[str, str]]:
    """What a compaction left open, unless a list of the agent's says what is."""
    if not any(todo.get("listed") or todo["ref"] for todo in state.todos):
        known = {same_words(todo["text"]) for todo in state.todos}
        new = (text for text in state.pending if same_words(text) not in known)
        yield from ({"text": text, "status": "open", "ref": ""} for text in new)


def harmless_line(line: str) -> str:
    """A rendered line with its indent kept and the rest made harmless."""
    indent = line[: len(line) - len(line.lstrip(" "))]
    return indent + one_line(line, 600)


def note_lines(note: str) -> list[str]:
    """A note as an item of a list, with all its lines, none of which starts anything."""
    lines = [one_line(line, len(line)) for line in note.splitlines() if line.strip()]
    return [("  " if n else "- ") + _STARTS.sub(r"\\\1", line) for n, line in enumerate(lines)]


_STARTS = re.compile(r"^(#{1,6}(?:\s|$)|[-*_=]{3,}$|`{3}|~{3}|[-*+>|]\s|\d+[.)]\s)")


def _code(text: str) -> str:
    return one_line(text.replace("`", "'"), 240)


def _section(heading: str, lines: Iterable[str]) -> list[str]:
    found = list(lines)
    return ["", f"## {heading}", "", *found] if found else []


def _summary_lines(state: SessionState, say: dict[str, str], title: str) -> list[str]:
    colon = say["colon"]
    plans = [f"{say['plan']}{colon}{plan}" for plan in state.plans if plan != "–"]
    untold = filter(None, (_untold(request, state) for request in state.requests))
    wanted = [*plans, *requests.most_informative(untold, MOST_ASKED - min(len(plans), 3))]
    label = say["asked_by_program" if state.is_of_programs else "asked"]
    lines = [f"- {label}{colon}{one_line(request, requests.LONGEST_ASK)}" for request in wanted]
    reasons = filter(None, (state.reasons.get(plan) for plan in state.plans[-MOST_REASONS:]))
    lines += [f"- {say['reason']}{colon}{reason}" for reason in reasons]
    pulls = [row for row in state.made if row["kind"] != "commit"]
    lines += [
        f"- {say['pull' if row['kind'] == 'pull' else 'issue_made']}{colon}{_published(row)}{_mark(state, row)}"
        for row in pulls[-MOST_PULLS:]
    ]
    came = f"- {say['outcome']}{colon}"
    outcome, before = outcome_of(state), outcome_before_pages(state) if state.web else ""
    own = before if state.web else outcome
    if about := "" if state.made else result_about(title, state.results, own):
        lines.append(f"{came}{about}{FIRST_HAND if state.web else ''}")
    if before and before != outcome:
        lines.append(f"{came}{before}{FIRST_HAND}")
    if told := one_line(state.told, 10_000):
        lines.append(f"{came}{told}{OF_A_MODEL}")
    elif outcome and not (about and requests.weight_of(outcome) < FEWEST_WORDS):
        lines.append(f"{came}{outcome}{FIRST_HAND if outcome == before else ''}")
    if written := [path for path in files_of(state) if _DOCUMENT.search(path)]:
        lines.append(
            f"- {say['wrote']}{colon}" + ", ".join(f"`{_code(path)}`" for path in written[:8])
        )
    if state.summary:
        said = one_line(state.summary, 10_000)
        return [_STARTS.sub(r"\\\1", said), *(("", *lines) if lines else ())]
    return lines or [f"- {label}{colon}{one_line(state.task, 160)}".rstrip()]


def _untold(request: str, state: SessionState) -> str:
    """A request without the sentences that the page tells as what was decided."""
    stated = [row["content"].casefold() for row in (*state.decisions, *state.patterns)]
    said = sentences_of(request, 1) if stated else []
    kept = [one for one in said if not any(fact in one.casefold() for fact in stated)]
    return request if len(kept) == len(said) else "\n".join(kept)


def _commit_lines(state: SessionState) -> Iterator[str]:
    """The last commits that stand, with the reason of those that give one."""
    for row in [row for row in state.made if row["kind"] == "commit"][-MOST_COMMITS:]:
        why = answer_summary(_with_lead(row["body"]), 400)
        yield f"- {one_line(row['text'], 120)}{f': {why}' if why else ''}{_mark(state, row)}"


def _mark(state: SessionState, row: Mapping[str, Any]) -> str:
    return FIRST_HAND if records.is_first_hand(state, row) else ""


def _with_lead(body: str) -> str:
    """A message whose list goes on from the line before it: `Parsed in two places:`."""
    return _LED_LIST.sub(lambda led: f"{led[1]}: {'; '.join(_LIST_ITEM.findall(led[2]))}.\n", body)


_LED_LIST = re.compile(r"^(?![-*•])(\S.*):\n+((?:[-*•] .*(?:\n|\Z))+)", re.M)
_LIST_ITEM = re.compile(r"^[-*•] +(.*?)[.;]?$", re.M)


def _published(row: Mapping[str, str]) -> str:
    number = row["ref"].rpartition("/")[2]
    body = answer_summary(row["body"], 300)
    said = ": ".join(part for part in (row["text"], body) if part)
    return one_line(f"#{number} {said}".strip(), 400)


def trust_of(state: SessionState) -> str:
    """The least trust of what the memory was made of."""
    trusts = [state.asked_trust]
    if state.web and (state.answers or state.told or state.tool_uses):
        trusts.append("external")
    elif state.answers or state.told:
        trusts.append("agent")
    if state.solutions:
        trusts.append("tool")
    return lowest_trust(*trusts)


def _is_slight(state: SessionState) -> bool:
    """Whether nothing came of it, or programs alone asked and changed nothing: a review that a hook runs."""
    if state.is_of_programs:
        return not (state.files_modified or state.made)
    return not (state.has_results or state.answers)


def _fields(state: SessionState, memory_id: str, title: str) -> dict[str, Value]:
    created = state.started or state.last_updated
    updated = state.last_updated or created
    trust = trust_of(state)
    return {
        "id": memory_id,
        "title": title,
        "type": "episodic",
        "kind": "session",
        "tags": state.tags or title_tags(title),
        "trigger": [],
        "salience": "low" if _is_slight(state) else "medium",
        "confidence": "medium",
        "source": "observed" if state.prompts or trust != "user" else "instructed",
        "trust": trust,
        "status": "open",
        "related": [],
        "session": state.session_id,
        "created": created,
        "updated": updated,
        "last-accessed": updated[:10],
    }


def solution_text(
    row: Mapping[str, Any], lang: str, session: str, date: str = "", title: str = ""
) -> str:
    """The body of a solution's section; a comment says how far it can be trusted, and why."""
    say = WORDS[lang]
    tries = dict.fromkeys(f"`{_code(one)}`" for one in (*row.get("tries", ()), row["failed"]))
    colon = say["colon"].strip()
    told = [f"**{say['why']}{colon}** {say['told']}"] if row["why"] else []
    return "\n".join(
        [
            f"**{say['symptom']}{colon}** {one_line(row['symptom'], 200)}",
            f"**{say['failed']}{colon}** {', '.join(tries)}",
            f"**{say['worked']}{colon}** {_what_worked(row, say)}",
            *told,
            "",
            solution_comment(session, more=more_of(date, title)),
        ]
    )


def _what_worked(row: Mapping[str, Any], say: Mapping[str, str]) -> str:
    """The command that worked, and the files that were changed for it."""
    files = ", ".join(_edited(*edit) for edit in row.get("edits", ()))
    changed = say["edited"].replace("{files}", files) if files else ""
    return f"`{_code(row['solution'])}`{changed}"


def _edited(path: str, change: str) -> str:
    return f"`{_code(path)}`{': ' if change else ''}{change}"


# -------------------- Solutions: where one was seen to work, and whether another session saw the same.


FIRST, AGAIN = "medium", "high"

_WORKED = Pattern(r"^\*\*(?:Solution|解决办法)[:：]\*\* (.+)$", 8)  # re.M
_FAILED = Pattern(r"^\*\*(?:Failed|失败的做法)[:：]\*\* .*?(`[^`]*`)$", 8)
_TAUGHT = Pattern(
    r"<!-- source: observed; trust: (\w+)(?:; confidence: \w+)?; session: ([^;<>]*)([^<>]*) -->"
)
_SEEN_BEFORE = Pattern(r"<!-- seen before; session: ([^;<>]*)[^<>]* -->")


def solution_comment(
    session: str, confidence: str = FIRST, trust: str = "tool", more: str = ""
) -> str:
    """Where a solution was seen, and how far it can be believed."""
    name = " ".join(session.split())[:80].replace(";", ",").replace("<", "‹").replace(">", "›")
    return f"<!-- source: observed; trust: {trust}; confidence: {confidence}; session: {name}{more} -->"


def seen_again(old: str, session: str, new: str) -> str:
    """The section `old` behind the session that taught `new`; nothing if they teach different things.

    It is as it was if this session is known to it, or if it can be believed no more than it is.
    """
    was, now = _WORKED.search(old), _WORKED.search(new)
    mark, told = _TAUGHT.search(old), _TAUGHT.search(new)
    if not (was and now and mark) or _without_places(was[1]) != _without_places(now[1]):
        return ""
    known = {
        label_of(one) for one in (mark[2], *(found[1] for found in _SEEN_BEFORE.finditer(old)))
    }
    made = solution_comment(session, AGAIN, mark[1], told[3] if told else "")
    said = _TAUGHT.search(made)
    if f"confidence: {AGAIN};" in mark[0] or (said and label_of(said[2]) in known):
        return old
    before = f"<!-- seen before; session: {mark[2]}{mark[3]} -->"
    return f"{old[: mark.start()]}{made}\n{before}{old[mark.end() :]}"


def is_same_fix(one: str, other: str) -> bool:
    """Whether two sections tell of the same command and what made it work, whatever it said."""
    pairs = [
        [found and found[1] for found in (_FAILED.search(s), _WORKED.search(s))]
        for s in (one, other)
    ]
    return None not in pairs[0] and pairs[0] == pairs[1]


def _without_places(worked: str) -> list[str]:
    """The words of what worked, whatever the files: `gofmt -w a.go` mends what `gofmt -w b.go` does."""
    words = worked.replace("`", " ").split()
    return [word for word in words if not ("/" in word or is_code_file(word))]


# -------------------- Conversations.


# Who answers, by the client; what has no name here is an older session's.
_AGENTS = {"codex": "Codex", "gemini": "Gemini", "opencode": "OpenCode", "copilot": "Copilot"}


def conversation_text(events: Iterable[Event], lang: str, client: str = "") -> str:
    """Level 3: what was said, with the time of each turn; tool calls as one line each."""
    say = WORDS[lang]
    agent = _AGENTS.get(client, say["agent"])
    lines = [f"# {say['log']}", ""]
    for event in events:
        clock = event.time[11:19]
        if event.kind in ("prompt", "answer"):
            asks = say["program" if event.program else "user"]
            who = agent if event.kind == "answer" else asks
            lines += [f"### {who} [{clock}]", "", _quoted(event.text), "", "---", ""]
        elif event.kind in ("choice", "refusal") and not event.program:
            said = f"{event.target}\n\n{event.text}".strip()
            lines += [f"### {say['user']} [{clock}]", "", _quoted(said), "", "---", ""]
        elif event.kind == "call":
            lines += [f"> {say['tool']} [{clock}] {event.tool}: `{_code(event.target)}`", ""]
        elif event.kind == "result" and not event.ok:
            lines += [f"> {say['failed']} [{clock}]: {one_line(event.text, 300)}", ""]
    return "\n".join(lines)


def _quoted(text: str) -> str:
    """What somebody said, so that none of its lines is a heading of ours."""
    return re.sub(r"^(#{1,3}[ \t]|---[ \t]*$)", r"\\\1", text.strip(), flags=re.M)
