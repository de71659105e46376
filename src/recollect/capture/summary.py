"""Render a session's memory and its conversation as Markdown, in English or Chinese.

Pure: the same state gives the same text. Quoted text stays on one line and starts no heading, list
or comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from recollect._fastimport import Pattern
from recollect.capture import asked, records, titles
from recollect.model.document import new_text
from recollect.model.entries import solution_title
from recollect.model.facts import Fact, fact_lines, same_words, without_repeats
from recollect.model.footnotes import label_of, more_of
from recollect.model.frontmatter import Value
from recollect.model.layers import suggested_tags
from recollect.model.memory import anchor_of, lowest_trust
from recollect.model.session import Event, SessionState
from recollect.text.commands import is_code_file
from recollect.text.sentences import (
    one_line,
    shortened,
    split_sentences,
    weight_of,
    without_blocks,
)
from recollect.text.tokens import STOP_WORDS, plain_words, stem

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

MOST_ASKED = 4
MOST_CHECKS = 5
MOST_PULLS = 4
MOST_COMMITS = 8
HEADING = 48  # a line without a full stop that is no longer is one
MOST_FILES = 12
MOST_ITEMS = 4  # of the lists in an answer
WRAPPED = 50  # a line of this length that ends no sentence may go on below
SHORTEST_TOLD = 10  # letters that an answer needs to tell something; a Chinese one counts as two
_ENDED = re.compile(r"[.!?。！？…;；][\"'”’)\]*_`]*$")
_ITEM = re.compile(r"(?:[-*•✓✅☑]|\d{1,2}[.)、])\s+")
# What an agent says on the way, and what it offers at the end.
_CHATTER = re.compile(
    r"(?:(?:(?:fixed|updated|deleted|removed|pushed|committed|reverted|clean|created)(?=[.!])|perfect|(?:great|good|excellent|nice)(?: catch| point| question| idea| find| news)?|awesome|done|got it|sure|ok(?:ay)?|understood|absolutely|certainly"
    r"|of course|thanks|thank you|no problem|all (?:done|set)|you['’]re (?:absolutely |totally )?right|right|yes|no)\s*[.!,–—-]"
    r"|(?:now,? |first,? |next,? )?(?:let me|let['’]s|i['’]ll|i will|i['’]m going to|i am going to|i need to|i should|i can|now i|next,? i|looking at|wait\b)"
    r"|(?:all |the )?(?:\d+ )?(?:\w+ )?tests? (?:all )?(?:pass|are passing)|done (?:so far|for now)|(?:committed|pushed|lint(?:ing)?) (?:and|is|now|to)\b|(?:committed|pushed) (?:as|with|in|both|all)\b|no response requested|read file:|model tried to|lines added:|progress update|expected (?:outcome|result)|(?:please )?(?:try|restart|refresh|reload|clarify)\b|you['’]ll need to|alternatively\b|great work|congratulations|almost there|ah\b|updated (?:todo|the todo)|(?:could|unable to) (?:not )?(?:find|resolve|read|open) (?:file|uri|the file)\b|(?:build|lint(?:er)?|everything)(?: and (?:lint|tests?|vet))?(?: (?:is|are|builds|passes|pass|clean))\b|all green|verification\b|ready (?:to|for)\b|all (?:\d+ )?(?:\w+ )?(?:tests?|packages|checks) (?:\w+ and )?(?:pass|compile|build|succeed)|🤖|generated with\b|\[[ x~✓✔-]?\]|the changes are (?:ready|committed)|re-?run\b|api error|model provided|here['’]s (?:a|the|what)\b|(?:would|do|should|shall|can|could) (?:you|i|we)\b.*\?$|(?:want|like|ready for) me to\b|let me know|if you(?:['’]d| would)? (?:like|want|need|prefer|have)|feel free|which (?:\w+ ){1,3}(?:do|would) you|what do you think|thoughts\?|is there anything"
    r"|(?:planning|checking|evaluating|investigating|reviewing|searching|considering|analy[sz]ing|resolving|preparing|inspecting|examining|locating|exploring|assessing|determining|clarifying|confirming|looking)\b(?! \w+ (?:is|are|was|now)\b)"
    r"|(?:now )?i(?:['’]m| am) (?:also |now )?\w+ing\b|(?:now|then|next),? (?:i['’]ll|commit|push|run|refresh|open|check|test|go|restart)\b|i (?:want to|think i|wonder|understand|see)\b"
    r"|\W*(?:很好|成功|完成)[！!]|接着|[您你]?现在(?:[您你]|可以|所有)|如有|如果[您你]|好的|完美|太好了|明白|收到|没问题|让我|现在(?:我|让)|接下来(?:我|让)|我(?:来|先|将|会|现在|需要)|你说得对|(?:你|您)(?:倾向|想要|决定好|选好|说哪)|(?:选定|确认|确定)(?:后|之后)|需要我|要不要|是否需要|如果你|如果需要|请告诉我)",
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
        "asked_by_program": "Asked by a program",
        "outcome": "Outcome",
        "learned": "Learned",
        "commits": "Commits",
        "pull": "Pull request",
        "issue_made": "Issue",
        "plan": "plan",
        "wrote": "Wrote",
        "checks": "Commands",
        "usual": "Commands that work here",
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
        "wrote": "写了",
        "checks": "命令",
        "usual": "可用的命令",
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


def title_of(state: SessionState) -> str:
    """What the session was about, in a few words, and in the language of whoever asked."""
    return titles.title_of(state, answer_summary(state.last_answer or state.outcome, 400))


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


def tags_of(state: SessionState) -> list[str]:
    """What the person tags it with, else three to six words that it is about."""
    if state.tags:
        return list(state.tags)
    said = "\n".join(row["content"] for row in [*state.decisions, *state.patterns])
    return suggested_tags(title_of(state), said, TAG_STOPS | asked.ROUTINE, most=6)


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
            for todo in (*state.todos, *_pending(state))
            if ticked or todo["status"] != "done" or not (todo.get("listed") or todo["ref"])
        ),
    )
    return new_text(_fields(state, memory_id), "\n".join(body), path)


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


def _summary_lines(state: SessionState, say: dict[str, str]) -> list[str]:
    colon = say["colon"]
    plans = [f"{say['plan']}{colon}{plan}" for plan in state.plans if plan != "–"]
    wanted = [*plans, *asked.heaviest(state.requests, MOST_ASKED - min(len(plans), 3))]
    label = say["asked_by_program" if state.is_of_programs else "asked"]
    lines = [f"- {label}{colon}{one_line(request, asked.LONGEST_ASK)}" for request in wanted]
    pulls = [row for row in state.made if row["kind"] != "commit"]
    lines += [
        f"- {say['pull' if row['kind'] == 'pull' else 'issue_made']}{colon}{_published(row)}"
        for row in pulls[-MOST_PULLS:]
    ]
    if outcome := one_line(state.told, 10_000) or outcome_of(state):
        lines.append(f"- {say['outcome']}{colon}{outcome}")
    if written := [path for path in files_of(state) if _DOCUMENT.search(path)]:
        lines.append(
            f"- {say['wrote']}{colon}" + ", ".join(f"`{_code(path)}`" for path in written[:8])
        )
    if state.summary:
        said = one_line(state.summary, 10_000)
        return [_STARTS.sub(r"\\\1", said), *(("", *lines) if lines else ())]
    return lines or [f"- {label}{colon}{one_line(state.task, 160)}".rstrip()]


def _commit_lines(state: SessionState) -> Iterator[str]:
    """The last commits that stand, with the reason of those that give one."""
    reasons = {
        row["text"]: answer_summary(_with_lead(row["body"]), 400)
        for row in state.made
        if row["kind"] == "commit"
    }
    for text in state.commits[-MOST_COMMITS:]:
        why = reasons.get(text, "")
        yield f"- {one_line(text, 120)}{f': {why}' if why else ''}"


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


def outcome_of(state: SessionState) -> str:
    """What came of the session in the agent's last words, where no commit tells it better."""
    short = bool(state.made or state.files_modified)
    said = state.last_answer or state.outcome
    return answer_summary(said, 300 if short else 700, is_result=True)


def answer_summary(text: str, longest: int = 300, *, is_result: bool = False) -> str:
    """What an answer tells, cut where a sentence ends; nothing if it only reports or offers.

    `is_result` says that it is to tell what came of the work.
    """
    kept: list[str] = []
    size = 0
    for sentence in _informative_sentences(text, is_result=is_result):
        size += len(sentence) + 1
        if kept and size > longest:
            break
        kept.append(shortened(sentence, longest) if len(sentence) > longest else sentence)
    said = " ".join(kept).rstrip(";；")
    return one_line(said, longest + 1) if weight_of(said) >= SHORTEST_TOLD else ""


# “All lint issues are fixed and the tests pass.”: nothing but that the work is as it should be.
_STATUS = frozenset(
    map(
        stem,
        """all lint linter linting issue error warning fix fixed test suite full unit integration end
        pass passing build compile clean cleanly green working tree nothing else commit committed push
        pushed change branch remote repository done complete completed successfully everything work
        ready merge merged code format formatted check ran still existing now correctly fine""".split(),
    )
)


# What was so before, what a terminal or a diff shows, what is up and running.
_NOISE = re.compile(
    r"\bpre-existing\b|\bunrelated to (?:our|my|the|these|this)\b|^[+-] |^==>|^\[[\w/.-]+ [\da-f]{7}\]|[│┃├└┌╭╰▸❯]|(?<!\d)\d{1,6} files? changed"
    r"|^(?:\W*)(?:the )?[\w -]{2,30} (?:is|are) (?:now )?(?:up and )?running\b|^[\w ]*(?:服务|后端|前端|进程|机器人)[^，,]{0,6}已?(?:启动|运行)",
)


# Steps that a client shows while its agent thinks, run together: `Planning testsChecking folders`.
_RUN_ON = re.compile(r"[A-Z][a-z]{2,20}ing .*[a-z)][A-Z][a-z]{2,20}ing [a-z]")
_STEP = re.compile(r"[A-Z][a-z]{2,20}ing ")
_STEP_ENDS = re.compile(r"(?<=[a-z)])(?=[A-Z][a-z]{2,20}(?:ing|ed) [\w`])")


def is_chatter(sentence: str) -> bool:
    """Whether an agent says this on the way, as an offer at the end, or only that all is well."""
    if _CHATTER.match(sentence) or _NOISE.search(sentence) or _RUN_ON.match(sentence):
        return True
    words = [word for word in plain_words(sentence) if word not in STOP_WORDS]
    return bool(words) and all(stem(word) in _STATUS or word.isdigit() for word in words)


# What an agent reports as done, and why it was so.
_VERBS = (
    r"(?:added|implemented|fixed|created|updated|refactored|removed|replaced|moved|renamed|wrote|written|built|configured|set up|migrated|converted|merged"
    r"|resolved|extracted|changed|improved|restructured|organi[sz]ed|cleaned|deployed|switched|completed)"
)
_DONE = re.compile(
    rf"\W*(?:(?:i|we)(?:['’]ve| have)? (?:successfully |now |also |just )*{_VERBS}\b|(?:successfully )?{_VERBS}\b(?! (?:to|by)\b)"
    rf"|(?:the|your|all) [^.]{{2,80}}? (?:is|are|has been|have been) (?:now |successfully )*(?:{_VERBS}|live|in place)\b)"
    r"|.{0,24}?已经?(?:成功)?(?:将|把|为|在|完成|修复|添加|实现|更新|创建|删除|移除|替换|修改|部署|推送|统一|改)",
    re.I,
)
_CAUSE = re.compile(
    r"\b(?:root cause|the (?:issue|problem|bug|reason|cause|error) (?:is|was)|because|caused by|due to)\b|原因|因为|由于|问题(?:在于|是|出在)",
    re.I,
)
_POINTS_BACK = re.compile(r"(?:this|that|these|those|it)\b(?! \w+ \w+ (?:file|rule)\b)|这", re.I)
_ITEM_SIGNS = re.compile(r"^(?:[\u2600-\u27bf\U0001f300-\U0001faff\ufe0f]\s*)+")
MOST_CAUSES, MOST_DONE = 2, 3  # sentences of an answer that reports what is done


def _informative_sentences(text: str, *, is_result: bool) -> Iterator[str]:
    """The sentences of an answer that say something, then the first items of its lists.

    Of a result, what was said before it was done is left out, but for the cause.
    """
    told: list[str] = []
    items: list[tuple[int, str]] = []  # each with the number of sentences before it
    is_open = False  # whether the sentence before is told, to which `this` points
    for plain in _lines(text):
        if item := _ITEM.match(plain):
            said_in_it = _ITEM_SIGNS.sub("", plain[item.end() :].rstrip(".。;； "))
            if not (
                said_in_it.endswith(("✓", "✅", "?", "？"))
                or _NOTHING_TOLD.match(said_in_it)
                or _NOISE.search(said_in_it)
            ):
                items.append((len(told), said_in_it))
            continue
        stop = "" if _ENDED.search(plain) else "。" if asked.is_wide(plain) else "."
        if stop and len(plain) < HEADING:
            continue  # a heading in all but name
        for one in map(_last_step, split_sentences(plain + stop)):
            points_back = is_result and not is_open and _POINTS_BACK.match(one)
            is_open = not (one.endswith(("?", "？")) or is_chatter(one) or points_back)
            if is_open:
                told.append(one)
    done = [n for n, one in enumerate(told) if _DONE.match(one)] if is_result else []
    if done:
        first = done[-MOST_DONE:][0]
        causes = [one for one in told[:first] if _CAUSE.search(one)][-MOST_CAUSES:]
        last = [said for said in items if said[0] > done[-1]]
        items = last or [said for said in items if said[0] >= first]
        told = causes + [told[n] for n in range(first, len(told)) if n in done or n > done[-1]]
    yield from told
    listed = [said for _, said in items[:MOST_ITEMS]]
    end = "；" if asked.is_wide("".join(listed)) else ";"
    yield from (f"{item}{end if n + 1 < len(listed) else ''}" for n, item in enumerate(listed))


def _last_step(sentence: str) -> str:
    """Of steps that were run together with a sentence, the last."""
    return _STEP_ENDS.split(sentence)[-1] if _STEP.match(sentence) else sentence


_NOTHING_TOLD = re.compile(  # chatter, or the name of a file
    rf"{_CHATTER.pattern}|`[^`]+`$|(?:\w+ file )?`[^`]*[./][^`]*`(?:\s*\([^()]*\))*$|$", re.I
)


def _lines(text: str) -> list[str]:
    """The lines of an answer with what belongs to one paragraph or item on one of them."""
    found: list[str] = []
    is_open = False
    for line in without_blocks(text).splitlines():
        plain = line.strip(" >\t").replace("**", "").replace(" `` ", " ")
        if (
            is_open
            and plain
            and (plain[0].isalnum() or plain[0] in "(`'\"")
            and not _ITEM.match(plain)
        ):
            found[-1] += f" {plain}"
        elif plain and not plain.startswith(("|", "#", "<", "---")):
            found.append(plain)
        is_open = bool(found) and WRAPPED <= len(plain) < 2 * WRAPPED and not _ENDED.search(plain)
    return [said for line in found if (said := _without_lead(_SIGNS.sub("", line)))]


_SIGNS = re.compile(r"^(?:(?![✓✅☑•])[\u2600-\u27bf\U0001f300-\U0001faff\ufe0f]\s*)+")


def _without_lead(line: str) -> str:
    """A line without the sentence at its end that only leads over: "Let me look at it:"."""
    if not line.endswith((":", "：")):
        return line
    return " ".join(split_sentences(line)[:-1])


def trust_of(state: SessionState) -> str:
    """The least trust of what the memory was made of."""
    trusts = [state.asked_trust]
    if state.answers or state.told:
        trusts.append("external" if state.web else "agent")
    if state.solutions:
        trusts.append("tool")
    return lowest_trust(*trusts)


def _is_slight(state: SessionState) -> bool:
    """Whether nothing came of it, or programs alone asked and changed nothing: a review that a hook runs."""
    if state.is_of_programs:
        return not (state.files_modified or state.made)
    return not (state.has_results or state.answers)


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
        "salience": "low" if _is_slight(state) else "medium",
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


def solution_text(
    row: Mapping[str, Any], lang: str, session: str, date: str = "", title: str = ""
) -> str:
    """The body of a solution's section; a comment says how far it can be trusted, and why."""
    say = WORDS[lang]
    tries = (f"`{_code(one)}`" for one in (*row.get("tries", ()), row["failed"]))
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


def session_that_taught(section: str) -> str:
    """The session that taught a section, nothing where it does not say."""
    mark = _TAUGHT.search(section)
    return mark[2] if mark else ""


# -------------------- Conversations.


def conversation_text(events: Iterable[Event], lang: str) -> str:
    """Level 3: what was said, with the time of each turn; tool calls as one line each."""
    say = WORDS[lang]
    lines = [f"# {say['log']}", ""]
    for event in events:
        clock = event.time[11:19]
        if event.kind in ("prompt", "answer"):
            who = say["agent" if event.kind == "answer" else "program" if event.program else "user"]
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
