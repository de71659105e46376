"""Detect repeated procedures and draft skills from them.

Pure and near-linear. Text of trust `tool` or `external` never gets into a skill. A dismissed
suggestion does not come back.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from recollect.context.pack import hidden
from recollect.context.pointers import harmless
from recollect.context.views import cell
from recollect.features.skill_detectors import (
    DECISION,
    PROBLEM,
    PROCEDURE,
    Detector,
    DetectorRules,
    Evidence,
    Group,
    SkillInput,
    Suggestion,
    TokenizedText,
    occasions,
    stems_of,
    tokenized,
)
from recollect.i18n import say
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


def suggest(
    matters: Sequence[SkillInput], detectors: Mapping[str, Detector], rules: DetectorRules
) -> tuple[list[Suggestion], int]:
    """The skills that these memories suggest, and how many more nobody may be quoted for."""
    matters = sorted(matters, key=lambda m: (m.created, m.id))
    made: list[Suggestion] = []
    unquotable = 0
    for kind, detect in detectors.items():
        for group in detect(matters, rules):
            found = suggestion_of(kind, group, rules)
            made += [found] if found else []
            unquotable += found is None
    taken: set[str] = set()
    for n, one in enumerate(sorted(made, key=_rank)):
        made[n] = one._replace(name=free_name(one.name, taken.__contains__))
        taken.add(made[n].name)
    return made, unquotable


def _rank(one: Suggestion) -> tuple[object, ...]:
    # `evidence` is in order, so that even those of one name have one place each.
    return CONFIDENCES.index(one.confidence), -one.occurrences, one.name, one.type, one.memories


def suggestion_of(kind: str, group: Group, rules: DetectorRules) -> Suggestion | None:
    """What a group suggests; nothing if all of it comes from tools or from outside."""
    evidence = sorted(group.evidence, key=lambda one: (one.matter.created, one.id, one.text))
    typical = evidence[:: 1 + len(evidence) // MOST_READ]
    cuts = [tokenized(one.text, deciding=kind == DECISION) for one in typical]
    known = stems_of([*cuts, tokenized(group.title)], rules.stems)
    words = _common(cuts, known)
    quotable = [one for one in evidence if one.is_quotable]
    if not quotable:
        return None
    pairs = [(one, said) for one, said in zip(typical, cuts, strict=True) if one.is_quotable]
    if not pairs:  # nobody typical may be quoted
        said = tokenized(quotable[0].text, deciding=kind == DECISION)
        pairs, known = [(quotable[0], said)], {**known, **stems_of([said], rules.stems)}
    first, said = min(pairs, key=lambda pair: _distance(pair[1], words, known))
    return Suggestion(
        _name(kind, tokenized(group.title) if group.title else said, words, known),
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


def _common(cuts: Sequence[TokenizedText], known: Mapping[str, str]) -> set[str]:
    """The stems that at least 60 % of these texts have."""
    counts = Counter(s for one in cuts for s in {known[w] for w, tells in one.words if tells})
    return {stem for stem, count in counts.items() if 10 * count >= 6 * len(cuts)}


def _distance(one: TokenizedText, words: set[str], known: Mapping[str, str]) -> tuple[int, int]:
    """How far a text is from saying what all of them say, and no more."""
    stems = {known[word] for word, tells in one.words if tells}
    return len(stems ^ words), len(one.words)


def _name(kind: str, said: TokenizedText, words: set[str], known: Mapping[str, str]) -> str:
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


def description_of(one: Suggestion, lang: str) -> str:
    """What a client decides by whether the skill is wanted: plain words on one line."""
    examples = list(dict.fromkeys(_plain(e.text) for e in _quotable(one)))[-3:]
    text = say(
        lang,
        "{title}. Use when the task is like one of these: {examples}.",
        title=_plain(one.title),
        examples="; ".join(examples),
    )
    if one.tags:
        topics = say(lang, "Topics: {tags}.", tags=", ".join(map(_plain, one.tags)))
        text += topics if lang == "zh" else f" {topics}"
    return one_line(text, LONGEST_DESCRIPTION)


def draft_of(one: Suggestion, name: str, lang: str, now: str) -> str:
    """The text of a SKILL.md."""
    quotable = _quotable(one)
    days = [e.matter.created[:10] for e in one.evidence]
    about = say(
        lang,
        "Draft made by Recollect on {date} of what came up {n} times between {first} and {last}. "
        "Finish it: say what to do, take out what was peculiar to one time, then take out this line.",
        date=now[:10],
        n=one.occurrences,
        first=days[0],
        last=days[-1],
    )
    when, evidence = say(lang, "When to use"), say(lang, "Evidence")
    body = [f"# {harmless(one.title)}", "", f"> {about}", "", f"## {when}", ""]
    body += _some(dict.fromkeys(f"- {harmless(e.text)}" for e in quotable), lang)
    body += _middle(one, quotable, lang)
    body += ["", f"## {evidence}", ""]
    body += _some(dict.fromkeys(map(_evidence, reversed(quotable))), lang)
    unquoted = len(one.evidence) - len(quotable)
    if unquoted:
        said = say(
            lang, "More that come from tools or from outside and are not quoted: {n}", n=unquoted
        )
        body += ["", said]
    head = f"---\nname: {name}\ndescription: {_quoted(description_of(one, lang))}\n---\n\n"
    return head + "\n".join(body) + "\n"


def _middle(one: Suggestion, quotable: list[Evidence], lang: str) -> list[str]:
    if one.type == DECISION:
        lines = _some((f"- {_both(e, ' — ')}" for e in quotable), lang)
        asked = say(
            lang,
            "Ask before you decide: what speaks for what was decided before, and is this case different?",
        )
        decided = say(lang, "What was decided, and why")
        return ["", f"## {decided}", "", *lines, "", asked]
    if one.type == PROBLEM:
        lines = _some((f"- {_both(e, ' → ')}" for e in quotable), lang)
        return ["", f"## {say(lang, 'Problems, and what solved them')}", "", *lines]
    files = _files(quotable)
    step = say(
        lang,
        "Write down what was done each time; `recollect show ID --level 3` shows the conversation.",
    )
    lines = ["", f"## {say(lang, 'Steps')}", "", f"1. {step}"]
    touched = say(lang, "Files that were touched more than once")
    return [*lines, *(["", f"## {touched}", "", *files] if files else [])]


def _both(one: Evidence, sign: str) -> str:
    return harmless(one.text) + (f"{sign}{harmless(one.detail)}" if one.detail else "")


def _files(evidence: list[Evidence]) -> list[str]:
    counts = Counter(path for one in evidence for path in set(one.matter.files))
    often = sorted((-n, path) for path, n in counts.items() if n > 1)
    return [f"- {harmless(path)}" for _, path in often[:MOST_FILES]]


def _evidence(one: Evidence) -> str:
    return f"- {harmless(one.id)} · {one.matter.created[:10]} · {harmless(one.matter.title)}"


def _some(lines: Iterable[str], lang: str) -> list[str]:
    found = list(lines)
    more = len(found) - MOST_LINES
    return [*found[:MOST_LINES], *([f"- {say(lang, 'and {n} more', n=more)}"] if more > 0 else [])]


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
_HEADINGS = {"high": "High Confidence", "medium": "Medium Confidence", "low": "Low Confidence"}
_TYPES = {
    PROCEDURE: "procedure",
    DECISION: "decision framework",
    PROBLEM: "problem and solution",
}


def candidates_page(suggestions: Sequence[Suggestion], lang: str) -> str:
    """The report, most certain suggestions first."""
    note = say(
        lang,
        "Made by `recollect skill analyze` from what repeats itself in the memories; changes here are lost. "
        "`recollect skill promote NAME` drafts a skill, `recollect skill dismiss NAME` ends a suggestion.",
    )
    lines = [f"# {say(lang, 'Skill Candidates')}", "", f"> {note}", ""]
    for confidence in CONFIDENCES:
        here = [one for one in suggestions if one.confidence == confidence]
        if here:
            lines += [f"## {say(lang, _HEADINGS[confidence])}", ""]
        for one in here:
            lines += _entry(one, lang)
    if not suggestions:
        lines += [say(lang, "(Nothing repeats itself often enough yet)"), ""]
    return "\n".join(lines)


def _entry(one: Suggestion, lang: str) -> list[str]:
    kind = say(lang, _TYPES[one.type]) if one.type in _TYPES else cell(one.type)
    named = {e.id: e for e in reversed(one.evidence)}
    shown = [_line(named[name]) for name in one.memories[-MOST_LISTED:]]
    more = len(one.memories) - len(shown)
    lines = [
        f"### {cell(one.title)}",
        "",
        f"- **{say(lang, 'Suggested Skill Name')}**: {one.name}",
        f"- **{say(lang, 'Type')}**: {kind}",
        f"- **{say(lang, 'Occurrences')}**: {one.occurrences}",
        *([f"- **{say(lang, 'Tags')}**: {cell(', '.join(one.tags))}"] if one.tags else []),
        f"- **{say(lang, 'Related Memories')}**: {len(one.memories)}",
        *shown,
        *([f"  - {say(lang, 'and {n} more', n=more)}"] if more else []),
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
