"""Render a session's memory and its conversation as Markdown, in English or Chinese.

Pure: the same state gives the same text. Quoted text stays on one line and starts no heading, list
or comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from recollect.capture import failure_fix as lessons
from recollect.model.document import new_text
from recollect.model.facts import Fact, fact_lines, without_repeats
from recollect.model.frontmatter import Value
from recollect.model.layers import suggested_tags
from recollect.model.memory import lowest_trust
from recollect.model.session import Event, SessionState
from recollect.text.sentences import first_sentence, one_line
from recollect.text.tokens import STOP_WORDS

TYPE_CHECKING = False  # `typing` takes longer to load than a search
if TYPE_CHECKING:
    from typing import Any


# Words that say how something was asked for, not what it is about.
TAG_STOPS = STOP_WORDS | frozenset(
    """add also always avoid change check code create decide decided file files fix go going good help
    implement instead keep let's like look make need never new now ok okay one please prefer run see
    session show something start sure switch tell thing things try update use used using want way
    work write""".split()
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
        "outcome": "Outcome",
        "commits": "Commits",
        "log": "Raw Conversation Log",
        "user": "User",
        "program": "Program",
        "agent": "Claude",
        "tool": "Tool",
        "symptom": "Symptom",
        "failed": "Failed",
        "worked": "Solution",
        "why": "Why",
        "apply": "How to apply",
        "unknown": "not stated; the second command worked where the first one failed",
        "when": "When `{program}` answers: {symptom}",
        "instead": "Instead of `{failed}`",
        "edited": "after changes of {files}",
        "told": "the person said: {symptom}",
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
        "outcome": "结果",
        "commits": "提交",
        "log": "原始对话记录",
        "user": "用户",
        "program": "程序",
        "agent": "Claude",
        "tool": "工具",
        "symptom": "症状",
        "failed": "失败的做法",
        "worked": "解决办法",
        "why": "原因",
        "apply": "如何应用",
        "unknown": "未说明；前一条命令失败，后一条成功",
        "when": "当 `{program}` 报告：{symptom}",
        "instead": "代替 `{failed}`",
        "edited": "修改 {files} 之后",
        "told": "用户说：{symptom}",
    },
}


def title_of(state: SessionState) -> str:
    """What the session was about, in a few words."""
    said = (*state.commits[:1], *state.notes[:1])
    title = state.task or next((text for text in said if text.strip()), "") or state.session_id
    return one_line(title, 80).rstrip(".。:：") or state.session_id


def session_facts(state: SessionState) -> list[Fact]:
    """The decisions, patterns and issues of a session."""
    facts = [
        Fact(kind, row["content"], row["reason"], row["category"], source=row["source"])
        for kind, rows in (("decision", state.decisions), ("pattern", state.patterns))
        for row in rows
    ]
    facts += [
        Fact("issue", row["content"], category=row["category"], status=row["status"])
        for row in state.issues
    ]
    facts += [
        Fact("issue", row["problem"], category="other", status="resolved") for row in state.problems
    ]
    return without_repeats(facts)


def tags_of(state: SessionState) -> list[str]:
    """What the person tags it with, else three to six words that it is about."""
    if state.tags:
        return list(state.tags)
    said = "\n".join(row["content"] for row in [*state.decisions, *state.patterns])
    return suggested_tags(state.task, said, TAG_STOPS, most=6)


def summary_text(state: SessionState, memory_id: str, lang: str, path: str = "") -> str:
    """The whole file of a session's memory; without a path one that can stand anywhere."""
    say = WORDS[lang]
    facts = session_facts(state)
    body = [f"# {title_of(state)}", "", f"## {say['summary']}", ""]
    body += _summary_lines(state, say)
    for kind in ("decision", "pattern", "issue"):
        lines = [line for fact in facts if fact.kind == kind for line in fact_lines(fact)]
        body += _section(say[kind], (one_line_kept(line) for line in lines))
    body += _section(
        say["solution"],
        (
            f"- `{_code(row['failed'])}` → `{_code(row['solution'])}` "
            f"(procedural/feedback.md#solution-{row['slug']})"
            for row in state.solutions
        ),
    )
    body += _section(say["notes"], (line for note in state.notes for line in note_lines(note)))
    body += _section(say["files"], (f"- `{_code(path)}`" for path in state.files_modified))
    body += _section(
        say["todos"],
        (
            f"- [{'x' if todo['status'] == 'done' else ' '}] {one_line(todo['text'], 200)}"
            for todo in state.todos
        ),
    )
    return new_text(_fields(state, memory_id), "\n".join(body), path)


def one_line_kept(line: str) -> str:
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


def _summary_lines(state: SessionState, say: dict[str, str]) -> list[str]:
    lines = [f"- {say['asked']}: {one_line(request, 160)}" for request in state.requests[:12]]
    outcome = outcome_of(state)
    if outcome:
        lines.append(f"- {say['outcome']}: {one_line(outcome, 500)}")
    if state.commits:
        lines.append(
            f"- {say['commits']}: " + "; ".join(one_line(c, 100) for c in state.commits[:12])
        )
    if state.summary:
        said = one_line(state.summary, len(state.summary) + 1)
        return [_STARTS.sub(r"\\\1", said), *(("", *lines) if lines else ())]
    return lines or [f"- {one_line(state.task, 160)}".rstrip()]


def outcome_of(state: SessionState) -> str:
    """What the agent said at the end, without code and tables."""
    text = re.sub(r"```.*?(?:```|\Z)", " ", state.outcome, flags=re.S)
    lines = [line.strip(" #*->") for line in text.splitlines()]
    kept = " ".join(line for line in lines if line and not line.startswith("|"))
    return kept if len(kept) <= 500 else first_sentence(kept, 480)


def trust_of(state: SessionState) -> str:
    """The least trust of what the memory was made of."""
    trusts = [state.asked_trust]
    if state.answers:
        trusts.append("external" if state.web else "agent")
    if state.solutions:
        trusts.append("tool")
    return lowest_trust(*trusts)


def _fields(state: SessionState, memory_id: str) -> dict[str, Value]:
    created = state.started or state.last_updated
    trust = trust_of(state)
    return {
        "id": memory_id,
        "title": title_of(state),
        "type": "episodic",
        "kind": "session",
        "tags": tags_of(state),
        "trigger": [],
        "files": [path for path in state.files_modified if "," not in path][:40],
        "salience": "medium" if state.has_results else "low",
        "confidence": "medium",
        "source": "observed" if state.prompts or trust != "user" else "instructed",
        "trust": trust,
        "status": "open",
        "related": [],
        "session": state.session_id,
        "created": created,
        "updated": state.last_updated or created,
        "last-accessed": (state.last_updated or created)[:10],
    }


def solution_text(row: Mapping[str, Any], lang: str, session: str) -> str:
    """The body of a solution's section; a comment says how far it can be trusted, and why."""
    say = WORDS[lang]
    failed, worked = _code(row["failed"]), f"`{_code(row['solution'])}`"
    symptom = one_line(row["symptom"], 200)
    program = failed.split(" ")[0] if failed else ""
    when = say["when"].replace("{program}", program)
    why = one_line(row["why"], 240) or say["unknown"]
    if row["why"] and row["why"] == row["symptom"]:  # a correction: the person's words are both
        why, when = say["told"], say["instead"].replace("{failed}", failed)
    tries = (f"`{_code(one)}`" for one in (*row.get("tries", ()), row["failed"]))
    if row.get("edits"):
        files = ", ".join(f"`{_code(path)}`" for path in row["edits"])
        worked += f" ({say['edited'].replace('{files}', files)})"
    return "\n".join(
        [
            f"**{say['symptom']}:** {symptom}",
            f"**{say['failed']}:** {', '.join(tries)}",
            f"**{say['worked']}:** {worked}",
            "",
            f"**{say['why']}:** {why.replace('{symptom}', symptom)}",
            f"**{say['apply']}:** {when.replace('{symptom}', symptom)}",
            "",
            lessons.comment(session),
        ]
    )


def conversation_text(events: Iterable[Event], lang: str) -> str:
    """Level 3: what was said, with the time of each turn; tool calls as one line each."""
    say = WORDS[lang]
    lines = [f"# {say['log']}", ""]
    for event in events:
        clock = event.time[11:19]
        if event.kind in ("prompt", "answer"):
            who = say["agent" if event.kind == "answer" else "program" if event.program else "user"]
            lines += [f"### {who} [{clock}]", "", _quoted(event.text), "", "---", ""]
        elif event.kind == "call":
            lines += [f"> {say['tool']} [{clock}] {event.tool}: `{_code(event.target)}`", ""]
        elif event.kind == "result" and not event.ok:
            lines += [f"> {say['failed']} [{clock}]: {one_line(event.text, 300)}", ""]
    return "\n".join(lines)


def _quoted(text: str) -> str:
    """What somebody said, so that none of its lines is a heading of ours."""
    return re.sub(r"^(#{1,3}[ \t]|---[ \t]*$)", r"\\\1", text.strip(), flags=re.M)
