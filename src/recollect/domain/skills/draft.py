"""Skills: the draft of a skill that a person finishes.

Promises: valid front matter whatever the memories say; no line of a memory can be a heading, a
command that a client would run, or a placeholder that it would fill in; nothing that comes from a
tool or from outside is in it.
Touches: nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from recollect.domain.codec.editing import scalar_text
from recollect.domain.pack import hidden
from recollect.domain.pointers import harmless
from recollect.domain.skills.matter import DECISION, PROBLEM, Evidence, Suggestion
from recollect.domain.summary import one_line

LONGEST_DESCRIPTION = 600
MOST_LINES = 12
MOST_FILES = 8
_PLAIN = {ord(c): " " for c in '`$@<>[]|*\\"#{}'} | hidden()
_WORDS = {
    "en": {
        "description": "{title}. Use when the task is like one of these: {examples}.",
        "topics": " Topics: {tags}.",
        "draft": "Draft made by Recollect on {date} of what came up {n} times between {first} and {last}. "
        "Finish it: say what to do, take out what was peculiar to one time, then take out this line.",
        "when": "When to use",
        "steps": "Steps",
        "step": "Write down what was done each time; `recollect show ID --level 3` shows the conversation.",
        "decided": "What was decided, and why",
        "solved": "Problems, and what solved them",
        "questions": "Ask before you decide: what speaks for what was decided before, and is this case different?",
        "files": "Files that were touched more than once",
        "evidence": "Evidence",
        "unquoted": "{n} more come from tools or from outside and are not quoted.",
        "more": "and {n} more",
    },
    "zh": {
        "description": "{title}。遇到类似以下的任务时使用：{examples}。",
        "topics": "主题：{tags}。",
        "draft": "由 Recollect 于 {date} 根据 {first} 至 {last} 之间出现 {n} 次的内容起草。"
        "请补充完整：写明做法，删去仅属某一次的内容，然后删去本行。",
        "when": "何时使用",
        "steps": "步骤",
        "step": "写下每次的做法；`recollect show 编号 --level 3` 可查看对话。",
        "decided": "已作的决定及理由",
        "solved": "问题及其解决办法",
        "questions": "决定之前先问：以前的决定依据是什么，这次有何不同？",
        "files": "不止一次改动的文件",
        "evidence": "依据",
        "unquoted": "另有 {n} 条来自工具或外部，未引用。",
        "more": "另有 {n} 条",
    },
}


def description_of(one: Suggestion, lang: str) -> str:
    """What a client decides by whether the skill is wanted: plain words on one line."""
    say = _WORDS[lang]
    examples = list(dict.fromkeys(_plain(e.text) for e in _quotable(one)))[-3:]
    text = say["description"].format(title=_plain(one.title), examples="; ".join(examples))
    if one.tags:
        text += say["topics"].format(tags=", ".join(_plain(tag) for tag in one.tags))
    return one_line(text, LONGEST_DESCRIPTION)


def draft_of(one: Suggestion, name: str, lang: str, now: str) -> str:
    """The text of a SKILL.md."""
    say = _WORDS[lang]
    quotable = _quotable(one)
    days = [e.matter.created[:10] for e in one.evidence]
    about = say["draft"].format(date=now[:10], n=one.occurrences, first=days[0], last=days[-1])
    body = [f"# {harmless(one.title)}", "", f"> {about}", "", f"## {say['when']}", ""]
    body += _some(dict.fromkeys(f"- {harmless(e.text)}" for e in quotable), say)
    body += _middle(one, quotable, say)
    body += ["", f"## {say['evidence']}", ""]
    body += _some(dict.fromkeys(_evidence(e) for e in reversed(quotable)), say)
    unquoted = len(one.evidence) - len(quotable)
    if unquoted:
        body += ["", say["unquoted"].format(n=unquoted)]
    head = f"---\nname: {name}\ndescription: {_quoted(description_of(one, lang))}\n---\n\n"
    return head + "\n".join(body) + "\n"


def _middle(one: Suggestion, quotable: list[Evidence], say: dict[str, str]) -> list[str]:
    if one.type == DECISION:
        lines = _some((f"- {_both(e, ' — ')}" for e in quotable), say)
        return ["", f"## {say['decided']}", "", *lines, "", say["questions"]]
    if one.type == PROBLEM:
        return [
            "",
            f"## {say['solved']}",
            "",
            *_some((f"- {_both(e, ' → ')}" for e in quotable), say),
        ]
    files = _files(quotable)
    lines = ["", f"## {say['steps']}", "", f"1. {say['step']}"]
    return [*lines, *(["", f"## {say['files']}", "", *files] if files else [])]


def _both(one: Evidence, sign: str) -> str:
    return harmless(one.text) + (f"{sign}{harmless(one.detail)}" if one.detail else "")


def _files(evidence: list[Evidence]) -> list[str]:
    counts = Counter(path for one in evidence for path in set(one.matter.files))
    often = sorted((-n, path) for path, n in counts.items() if n > 1)
    return [f"- {harmless(path)}" for _, path in often[:MOST_FILES]]


def _evidence(one: Evidence) -> str:
    return f"- {harmless(one.id)} · {one.matter.created[:10]} · {harmless(one.matter.title)}"


def _some(lines: Iterable[str], say: dict[str, str]) -> list[str]:
    found = list(lines)
    more = len(found) - MOST_LINES
    return [*found[:MOST_LINES], *([f"- {say['more'].format(n=more)}"] if more > 0 else [])]


def _quotable(one: Suggestion) -> list[Evidence]:
    return [e for e in one.evidence if e.is_quotable]


def _plain(text: str) -> str:
    """`text` without what has a meaning to a client, a YAML reader or a reader of HTML."""
    return " ".join(one_line(text, 80).translate(_PLAIN).split()).rstrip(".。")


def _quoted(text: str) -> str:
    """A description in quotes, as every client reads it."""
    shown = scalar_text(text)
    return shown if shown.startswith('"') else f'"{shown}"'
