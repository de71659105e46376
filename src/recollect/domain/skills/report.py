"""Skills: the report for people (`skill-candidates.md`) and the flags for programs.

Promises: pure; the same suggestions give the same bytes; whatever a memory says, a line stays a
line; what comes from a tool or from outside is named by its id only.
Touches: nothing.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from recollect.domain.skills.matter import Evidence, Suggestion
from recollect.domain.skills.suggesting import CONFIDENCES
from recollect.domain.views import cell

PAGE = "skill-candidates.md"
FLAGS = ".skill-candidates.json"
VERSION = "1.0"
MOST_LISTED = 12
_WORDS = {
    "en": {
        "title": "Skill Candidates",
        "note": "Made by `recollect analyze-skills` from what repeats itself in the memories; changes here are lost. "
        "`recollect promote-skill NAME` drafts a skill, `recollect dismiss-skill NAME` ends a suggestion.",
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
        "note": "由 `recollect analyze-skills` 根据记忆中反复出现的内容生成；在此处的修改会丢失。"
        "`recollect promote-skill 名称` 起草技能，`recollect dismiss-skill 名称` 不再建议。",
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
    say = _WORDS[lang]
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
        "project": one.project,
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
