"""Render a session's memory and its conversation as Markdown, in English or Chinese.

Pure: the same state gives the same text. Quoted text stays on one line and starts no heading, list
or comment.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from recollect.capture import asked
from recollect.capture import failure_fix as lessons
from recollect.model.document import new_text
from recollect.model.entries import solution_title
from recollect.model.facts import Fact, fact_lines, without_repeats
from recollect.model.frontmatter import Value
from recollect.model.layers import suggested_tags
from recollect.model.memory import anchor_of, lowest_trust
from recollect.model.session import Event, SessionState
from recollect.text.sentences import (
    one_line,
    shortened,
    split_sentences,
    weight_of,
    without_blocks,
)
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

MOST_ASKED = 5
MOST_CHECKS = 5
OFTEN = 3  # times that a command has to work before it is told of
MOST_PULLS = 4
MOST_COMMITS = 8
HEADING = 48  # a line without a full stop that is no longer is one
SHORTEST_TOLD = 10  # letters that an answer needs to tell something; a Chinese one counts as two
_ENDED = re.compile(r"[.!?。！？…;；][\"'”’)\]*_`]*$")
_ITEM = re.compile(r"(?:[-*•✓✅☑]|\d{1,2}[.)、])\s+")
# What an agent says on the way, and what it offers at the end.
_CHATTER = re.compile(
    r"(?:(?:perfect|(?:great|good|excellent|nice)(?: catch| point| question| idea| find| news)?|awesome|done|got it|sure|ok(?:ay)?|understood|absolutely|certainly"
    r"|of course|thanks|thank you|no problem|all (?:done|set)|you['’]re (?:absolutely |totally )?right|right|yes|no)\s*[.!,–—-]"
    r"|(?:now,? )?(?:let me|let['’]s|i['’]ll|i will|i['’]m going to|i am going to|i need to|i should|i can|now i|next,? i|looking at|wait\b)"
    r"|(?:all |the )?(?:\d+ )?(?:\w+ )?tests? (?:all )?(?:pass|are passing)|done (?:so far|for now)|(?:committed|pushed|lint(?:ing)?) (?:and|is|now|to)\b|api error|model provided|here['’]s (?:a|the|what)\b|(?:would|do|should|shall|can|could) (?:you|i|we)\b.*\?$|(?:want|like|ready for) me to\b|let me know|if you['’]d like|feel free|is there anything"
    r"|好的|完美|太好了|明白|收到|没问题|让我|现在(?:我|让)|接下来(?:我|让)|我(?:来|先|将|会|现在|需要)|你说得对|需要我|要不要|是否需要|如果你|如果需要|请告诉我)",
    re.I,
)
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
        "outcome": "Outcome",
        "commits": "Commits",
        "pull": "Pull request",
        "issue_made": "Issue",
        "plan": "plan",
        "wrote": "Wrote",
        "checks": "Commands",
        "log": "Raw Conversation Log",
        "user": "User",
        "program": "Program",
        "agent": "Claude",
        "tool": "Tool",
        "symptom": "Symptom",
        "failed": "Failed",
        "worked": "Solution",
        "why": "Why",
        "edited": "after changes of {files}",
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
        "outcome": "结果",
        "commits": "提交",
        "pull": "合并请求",
        "issue_made": "议题",
        "plan": "计划",
        "wrote": "写了",
        "checks": "命令",
        "log": "原始对话记录",
        "user": "用户",
        "program": "程序",
        "agent": "Claude",
        "tool": "工具",
        "symptom": "症状",
        "failed": "失败的做法",
        "worked": "解决办法",
        "why": "原因",
        "edited": "修改 {files} 之后",
        "told": "用户这样说",
    },
}


def title_of(state: SessionState) -> str:
    """What the session was about, in a few words, and in the language of whoever asked."""
    wide = asked.is_wide(" ".join(state.requests[:8]))
    for title in _titles(state):
        if title and (asked.is_wide(title) or not wide):
            return title
    return next(filter(None, _titles(state)), "") or one_line(state.task, 80) or state.session_id


def _titles(state: SessionState) -> Iterator[str]:
    """The titles that it could have, the best first."""
    for giver in ("person", "custom", "client", "summary"):
        yield one_line(state.titles.get(giver, ""), 100).rstrip(".。:：")
    yield from (asked.titled(plan) for plan in state.plans if plan != "–")
    weak: list[str] = []
    for title, enough in _made_titles(state):
        if asked.weight_of(title) >= enough:
            yield title
        weak.append(title)
    yield asked.titled(state.titles.get("foreign", ""))
    yield from weak


def _made_titles(state: SessionState) -> Iterator[tuple[str, int]]:
    """The titles that can be made of what was done, asked and answered, and how much each must say."""
    pulls = [row["text"] for row in state.made if row["kind"] == "pull" and row["text"]]
    for subject in (*pulls, _telling_commit(state)):
        yield asked.subject_as_title(subject), asked.ENOUGH_OF_AGENT
    foreign = state.titles.get("foreign", "")
    if foreign and _is_about(foreign, state):
        yield asked.titled(foreign), asked.ENOUGH_OF_AGENT
    for request in asked.heaviest(state.requests, 2):
        yield asked.title_in(request), asked.ENOUGH_FOR_TITLE
    yield state.task, asked.ENOUGH_FOR_TITLE
    told = told_in(state.last_answer or state.outcome, 400)
    yield asked.title_told(told), asked.ENOUGH_OF_AGENT
    for note in state.notes[:1]:
        yield asked.titled(note), asked.ENOUGH_FOR_TITLE
    files = (path.rpartition("/")[2] for path in state.files_modified[:3])
    yield ", ".join(files), asked.ENOUGH_FOR_TITLE


def _telling_commit(state: SessionState) -> str:
    """The commit that shares most words with what was asked for and with the other commits."""
    own = (text for text in state.commits if not text.startswith(("Merge ", "Revert ")))
    commits = [text for text in own if asked.weight_of(text) > 1]
    if not commits:
        return ""
    said = Counter(w for text in (*state.requests, *commits) for w in asked.words_of(text))
    return max(commits, key=lambda text: sum(min(said[w], 4) for w in asked.words_of(text)))


def _is_about(title: str, state: SessionState) -> bool:
    """Whether a title of unsure origin shares half of its words with what was asked for."""
    words = asked.words_of(title)
    said = asked.words_of(" ".join((*state.requests, *state.files_modified)))
    return len(words & said) * 2 >= len(words)


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


def summary_text(
    state: SessionState, memory_id: str, lang: str, path: str = "", *, ticked: bool = False
) -> str:
    """The whole file of a session's memory; without a path one that can stand anywhere.

    With `ticked` it lists the steps of the agent that are done, too.
    """
    say = WORDS[lang]
    facts = session_facts(state)
    body = [f"# {title_of(state)}", "", f"## {say['summary']}", ""]
    body += _summary_lines(state, say)
    for kind in ("decision", "pattern", "issue"):
        lines = [line for fact in facts if fact.kind == kind for line in fact_lines(fact)]
        body += _section(say[kind], (one_line_kept(line) for line in lines))
    body += _section(say["commits"], _commit_lines(state))
    body += _section(
        say["solution"],
        (
            f"- `{_code(row['failed'])}` → `{_code(row['solution'])}` "
            f"(procedural/feedback.md#{anchor_of(solution_title(row['slug']))})"
            for row in state.solutions
        ),
    )
    body += _section(say["notes"], (line for note in state.notes for line in note_lines(note)))
    body += _section(say["files"], (f"- `{_code(path)}`" for path in state.files_modified))
    checks = sorted(state.worked.items(), key=lambda row: -row[1])[:MOST_CHECKS]
    body += _section(say["checks"], (f"- `{_code(c)}` ({n}×)" for c, n in checks if n >= OFTEN))
    body += _section(
        say["todos"],
        (
            f"- [{'x' if todo['status'] == 'done' else ' '}] {one_line(todo['text'], 200)}"
            for todo in state.todos
            if ticked or todo["status"] != "done" or not (todo.get("listed") or todo["ref"])
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
    plans = [f"{say['plan']}: {plan}" for plan in state.plans if plan != "–"]
    wanted = [*plans, *asked.heaviest(state.requests, MOST_ASKED - min(len(plans), 3))]
    lines = [f"- {say['asked']}: {one_line(request, asked.LONGEST_ASK)}" for request in wanted]
    pulls = [row for row in state.made if row["kind"] != "commit"]
    lines += [
        f"- {say['pull' if row['kind'] == 'pull' else 'issue_made']}: {_published(row)}"
        for row in pulls[-MOST_PULLS:]
    ]
    if state.commits:
        said = "; ".join(one_line(text, 100) for text in state.commits[-MOST_COMMITS:])
        lines.append(f"- {say['commits']}: {said}")
    if outcome := outcome_of(state):
        lines.append(f"- {say['outcome']}: {outcome}")
    if written := [path for path in state.files_modified if _DOCUMENT.search(path)]:
        lines.append(f"- {say['wrote']}: " + ", ".join(f"`{_code(path)}`" for path in written[:8]))
    if state.summary:
        said = one_line(state.summary, len(state.summary) + 1)
        return [_STARTS.sub(r"\\\1", said), *(("", *lines) if lines else ())]
    return lines or [f"- {one_line(state.task, 160)}".rstrip()]


def _commit_lines(state: SessionState) -> Iterator[str]:
    """The commits that say why they were made."""
    for row in state.made:
        if row["kind"] == "commit" and (why := told_in(row["body"], 400)):
            yield f"- {one_line(row['text'], 120)}: {why}"


def _published(row: Mapping[str, str]) -> str:
    number = row["ref"].rpartition("/")[2]
    body = told_in(row["body"], 300)
    said = ": ".join(part for part in (row["text"], body) if part)
    return one_line(f"#{number} {said}".strip(), 400)


def outcome_of(state: SessionState) -> str:
    """What came of the session in the agent's last words, where no commit tells it better."""
    short = bool(state.made or state.files_modified)
    return told_in(state.last_answer or state.outcome, 300 if short else 900)


def told_in(text: str, longest: int = 300) -> str:
    """What an answer tells, cut where a sentence ends; nothing if it only reports or offers."""
    kept: list[str] = []
    size = 0
    for sentence in _told(text):
        size += len(sentence) + 1
        if kept and size > longest:
            break
        kept.append(shortened(sentence, longest) if len(sentence) > longest else sentence)
    said = " ".join(kept)
    return one_line(said, longest + 1) if weight_of(said) >= SHORTEST_TOLD else ""


def _told(text: str) -> Iterator[str]:
    """The sentences of an answer that say something, then the items of its lists."""
    items: list[str] = []
    for line in without_blocks(text).splitlines():
        plain = line.strip(" >\t").replace("**", "")
        if not plain or plain.startswith(("|", "#", "<")) or plain.endswith((":", "：")):
            continue
        if item := _ITEM.match(plain):
            items.append(plain[item.end() :].rstrip(".。;；"))
            continue
        if not _ENDED.search(plain):
            if len(plain) < HEADING:
                continue  # a heading in all but name
            plain += "。" if asked.is_wide(plain) else "."
        yield from (one for one in split_sentences(plain) if not _CHATTER.match(one))
    end = "；" if asked.is_wide("".join(items)) else ";"
    yield from (f"{item}{end if n + 1 < len(items) else ''}" for n, item in enumerate(items))


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
    worked = f"`{_code(row['solution'])}`"
    tries = (f"`{_code(one)}`" for one in (*row.get("tries", ()), row["failed"]))
    if row.get("edits"):
        files = ", ".join(_edited(*edit) for edit in row["edits"])
        worked += f" ({say['edited'].replace('{files}', files)})"
    told = [f"**{say['why']}:** {say['told']}"] if row["why"] else []
    return "\n".join(
        [
            f"**{say['symptom']}:** {one_line(row['symptom'], 200)}",
            f"**{say['failed']}:** {', '.join(tries)}",
            f"**{say['worked']}:** {worked}",
            *told,
            "",
            lessons.comment(session),
        ]
    )


def _edited(path: str, change: str) -> str:
    return f"`{_code(path)}`{': ' if change else ''}{change}"


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
