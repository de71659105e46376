"""Detect repeated procedures and draft skills from them.

Pure and near-linear. Text of trust `tool` or `external` never gets into a skill. A dismissed
suggestion does not come back.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from recollect._fastimport import NamedTuple
from recollect.context.pack import hidden
from recollect.context.pointers import harmless
from recollect.context.views import cell
from recollect.features.skill_detectors import (
    DECISION,
    PROBLEM,
    PROCEDURE,
    Cut,
    Detector,
    DetectorRules,
    Evidence,
    Group,
    SkillInput,
    Suggestion,
    cut,
    occasions,
    stems_of,
)
from recollect.model.frontmatter import scalar_text
from recollect.model.memory import free_name, latin_slug_of
from recollect.text.sentences import one_line
from recollect.text.tokens import is_cjk

CONFIDENCES = ("high", "medium", "low")
SURE_TIMES = 2  # so many times the least is what makes a procedure certain
MOST_NAME_WORDS = 4
MOST_NAME_CHARS = 8  # of Chinese
MOST_TAGS = 6
MOST_READ = 200  # texts of a group that are enough to tell what it is about
LONGEST_TITLE = 80
_PREFIXES = {PROCEDURE: "", DECISION: "decide", PROBLEM: "fix"}


class Suggested(NamedTuple):
    """The skills that memories suggest, and how many more nobody may be quoted for."""

    suggestions: list[Suggestion]
    unquotable: int


def suggest(
    matters: Sequence[SkillInput], detectors: Mapping[str, Detector], rules: DetectorRules
) -> Suggested:
    """What these memories suggest."""
    matters = sorted(matters, key=lambda m: (m.created, m.id))
    made: list[Suggestion] = []
    unquotable = 0
    for kind, detect in detectors.items():
        for group in detect(matters, rules):
            found = suggestion_of(kind, group, rules)
            made += [found] if found else []
            unquotable += found is None
    return Suggested(_named_apart(sorted(made, key=_rank)), unquotable)


def _rank(one: Suggestion) -> tuple[object, ...]:
    # `evidence` is in order, so that even those of one name have one place each.
    return CONFIDENCES.index(one.confidence), -one.occurrences, one.name, one.type, one.memories


def _named_apart(suggestions: list[Suggestion]) -> list[Suggestion]:
    taken: set[str] = set()
    named = []
    for one in suggestions:
        name = free_name(one.name, taken.__contains__)
        taken.add(name)
        named.append(one._replace(name=name))
    return named


def suggestion_of(kind: str, group: Group, rules: DetectorRules) -> Suggestion | None:
    """What a group suggests; nothing if all of it comes from tools or from outside."""
    evidence = sorted(group.evidence, key=lambda one: (one.matter.created, one.id, one.text))
    typical = evidence[:: 1 + len(evidence) // MOST_READ]
    cuts = [cut(one.text, deciding=kind == DECISION) for one in typical]
    known = stems_of([*cuts, cut(group.title)], rules.stems)
    words = _common(cuts, known)
    quotable = [one for one in evidence if one.is_quotable]
    if not quotable:
        return None
    pairs = [(one, said) for one, said in zip(typical, cuts, strict=True) if one.is_quotable]
    if not pairs:  # nobody typical may be quoted
        said = cut(quotable[0].text, deciding=kind == DECISION)
        pairs, known = [(quotable[0], said)], {**known, **stems_of([said], rules.stems)}
    first, said = min(pairs, key=lambda pair: _distance(pair[1], words, known))
    return Suggestion(
        _name(kind, cut(group.title) if group.title else said, words, known),
        kind,
        one_line(group.title or first.text, LONGEST_TITLE),
        _confidence(kind, evidence, rules),
        len(evidence) if kind == DECISION else occasions(evidence),
        tuple(evidence),
        _tags(quotable),
        tuple(sorted(words)),
    )


def _confidence(kind: str, evidence: Sequence[Evidence], rules: DetectorRules) -> str:
    quotable = [one for one in evidence if one.is_quotable]
    if len(quotable) < rules.least:
        return "low"
    sure = kind == PROCEDURE and occasions(quotable) >= SURE_TIMES * rules.least
    return "high" if sure else "medium"


def _common(cuts: Sequence[Cut], known: Mapping[str, str]) -> set[str]:
    """The stems that at least 60 % of these texts have."""
    counts = Counter(s for one in cuts for s in {known[w] for w, tells in one.words if tells})
    return {stem for stem, count in counts.items() if 10 * count >= 6 * len(cuts)}


def _distance(one: Cut, words: set[str], known: Mapping[str, str]) -> tuple[int, int]:
    """How far a text is from saying what all of them say, and no more."""
    stems = {known[word] for word, tells in one.words if tells}
    return len(stems ^ words), len(one.words)


def _name(kind: str, said: Cut, words: set[str], known: Mapping[str, str]) -> str:
    """A name for the skill: the words that most of the evidence has, in the order of the title."""
    telling = dict.fromkeys(word for word, tells in said.words if tells)
    chosen = [word for word in telling if known[word] in words] or list(telling)
    most = MOST_NAME_CHARS if any(map(is_cjk, "".join(chosen))) else MOST_NAME_WORDS
    return latin_slug_of(f"{_PREFIXES.get(kind, kind)} {' '.join(chosen[:most])}")


def _tags(evidence: Sequence[Evidence]) -> tuple[str, ...]:
    counts = Counter(tag for one in evidence for tag in dict.fromkeys(one.matter.tags))
    return tuple(tag for tag, _ in sorted(counts.items(), key=lambda p: (-p[1], p[0]))[:MOST_TAGS])


# ---------------------------------------------------------------------------- the draft of a skill


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


def draft_of(one: Suggestion, name: str, lang: str, now: str, steps: Sequence[str] = ()) -> str:
    """The text of a SKILL.md, with the steps that a model drafted, if any."""
    say = _WORDS[lang]
    quotable = _quotable(one)
    days = [e.matter.created[:10] for e in one.evidence]
    about = say["draft"].format(date=now[:10], n=one.occurrences, first=days[0], last=days[-1])
    body = [f"# {harmless(one.title)}", "", f"> {about}", "", f"## {say['when']}", ""]
    body += _some(dict.fromkeys(f"- {harmless(e.text)}" for e in quotable), say)
    body += _middle(one, quotable, say, steps)
    body += ["", f"## {say['evidence']}", ""]
    body += _some(dict.fromkeys(map(_evidence, reversed(quotable))), say)
    unquoted = len(one.evidence) - len(quotable)
    if unquoted:
        body += ["", say["unquoted"].format(n=unquoted)]
    head = f"---\nname: {name}\ndescription: {_quoted(description_of(one, lang))}\n---\n\n"
    return head + "\n".join(body) + "\n"


def _middle(
    one: Suggestion, quotable: list[Evidence], say: dict[str, str], steps: Sequence[str]
) -> list[str]:
    drafted = [f"{n}. {harmless(step)}" for n, step in enumerate(steps, 1)]
    procedure = ["", f"## {say['steps']}", "", *drafted] if drafted else []
    if one.type == DECISION:
        lines = _some((f"- {_both(e, ' — ')}" for e in quotable), say)
        return ["", f"## {say['decided']}", "", *lines, "", say["questions"], *procedure]
    if one.type == PROBLEM:
        lines = _some((f"- {_both(e, ' → ')}" for e in quotable), say)
        return ["", f"## {say['solved']}", "", *lines, *procedure]
    files = _files(quotable)
    lines = procedure or ["", f"## {say['steps']}", "", f"1. {say['step']}"]
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


# ---------------------------------------------------------- the report, and the flags for programs


PAGE = "skill-candidates.md"
FLAGS = ".skill-candidates.json"
VERSION = "1.0"
MOST_LISTED = 12
_WORDS_REPORT = {
    "en": {
        "title": "Skill Candidates",
        "note": "Made by `recollect skill analyze` from what repeats itself in the memories; changes here are lost. "
        "`recollect skill promote NAME` drafts a skill, `recollect skill dismiss NAME` ends a suggestion.",
        "none": "(Nothing repeats itself often enough yet)",
        "high": "High Confidence",
        "medium": "Medium Confidence",
        "low": "Low Confidence",
        "type": "Type",
        "occurrences": "Occurrences",
        "tags": "Tags",
        "name": "Suggested Skill Name",
        "memories": "Related Memories",
        "more": "and {n} more",
        "procedure": "procedure",
        "decision_framework": "decision framework",
        "problem_solution": "problem and solution",
    },
    "zh": {
        "title": "技能建议",
        "note": "由 `recollect skill analyze` 根据记忆中反复出现的内容生成；在此处的修改会丢失。"
        "`recollect skill promote 名称` 起草技能，`recollect skill dismiss 名称` 不再建议。",
        "none": "（尚无反复出现的内容）",
        "high": "高可信度",
        "medium": "中可信度",
        "low": "低可信度",
        "type": "类型",
        "occurrences": "次数",
        "tags": "标签",
        "name": "建议的技能名",
        "memories": "相关记忆",
        "more": "另有 {n} 条",
        "procedure": "流程",
        "decision_framework": "决策框架",
        "problem_solution": "问题与解决",
    },
}


def candidates_page(suggestions: Sequence[Suggestion], lang: str) -> str:
    """The report, most certain suggestions first."""
    say = _WORDS_REPORT[lang]
    lines = [f"# {say['title']}", "", f"> {say['note']}", ""]
    for confidence in CONFIDENCES:
        here = [one for one in suggestions if one.confidence == confidence]
        if here:
            lines += [f"## {say[confidence]}", ""]
        for one in here:
            lines += _entry(one, say)
    if not suggestions:
        lines += [say["none"], ""]
    return "\n".join(lines)


def _entry(one: Suggestion, say: dict[str, str]) -> list[str]:
    named = {e.id: e for e in reversed(one.evidence)}
    shown = [_line(named[name]) for name in one.memories[-MOST_LISTED:]]
    more = len(one.memories) - len(shown)
    lines = [
        f"### {cell(one.title)}",
        "",
        f"- **{say['name']}**: {one.name}",
        f"- **{say['type']}**: {say.get(one.type, cell(one.type))}",
        f"- **{say['occurrences']}**: {one.occurrences}",
        *([f"- **{say['tags']}**: {cell(', '.join(one.tags))}"] if one.tags else []),
        f"- **{say['memories']}**: {len(one.memories)}",
        *shown,
        *([f"  - {say['more'].format(n=more)}"] if more else []),
    ]
    return [*lines, ""]


def _line(one: Evidence) -> str:
    said = f": {cell(one.text)}" if one.is_quotable else f" ({one.trust})"
    return f"  - {cell(one.id)} · {one.matter.created[:10]}{said}"


def candidates_json(suggestions: Sequence[Suggestion], generated: str) -> str:
    """The suggestions, and which memories they flag, for other programs."""
    # A line for each: what changed is what a diff shows.
    candidates = [_json(suggestion_json(one)) for one in suggestions]
    flagged = flags_of(suggestions).items()
    memories = [f"{_json(name)}: {_json({'skill_candidate': flag})}" for name, flag in flagged]
    head = f'"version": {_json(VERSION)}, "generated": {_json(generated)}'
    lines = [
        f"{{{head},",
        f'"candidates": [{_lines(candidates)}],',
        f'"memories": {{{_lines(memories)}}}}}',
    ]
    return ("\n".join(lines) + "\n").encode("utf-8", "replace").decode()


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _lines(rows: Sequence[str]) -> str:
    return "\n" + ",\n".join(rows) + "\n" if rows else ""


def suggestion_json(one: Suggestion) -> dict[str, Any]:
    """A suggestion as JSON."""
    return {
        "name": one.name,
        "type": one.type,
        "title": one.title,
        "confidence": one.confidence,
        "occurrences": one.occurrences,
        "tags": list(one.tags),
        "memories": one.memories,
    }


def flags_of(suggestions: Sequence[Suggestion]) -> dict[str, dict[str, Any]]:
    """What each memory is evidence of, as seed 002 flags it; the most certain suggestion counts."""
    found: dict[str, dict[str, Any]] = {}
    for one in suggestions:
        names = list(dict.fromkeys(e.matter.id for e in one.evidence))
        first = names[: MOST_LISTED + 1]
        for name in names:
            flag = {
                "flagged": True,
                "candidate_name": one.name,
                "confidence": one.confidence,
                "related_memories": [n for n in first if n != name][:MOST_LISTED],
            }
            found.setdefault(name, flag)
    return dict(sorted(found.items()))
