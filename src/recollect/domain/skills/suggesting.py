"""Skills: from what detectors found to skills that a person may want.

Promises: names and titles are made of what a person or their agent said, never of the text of a
tool or a page; the same memories give the same suggestions in any order; no two of one call have the same name.
Touches: nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from recollect.domain.names import free_name, slug_of
from recollect.domain.skills.detectors import occasions
from recollect.domain.skills.matter import (
    DECISION,
    PROBLEM,
    PROCEDURE,
    Detector,
    Evidence,
    Group,
    Matter,
    Rules,
    Suggestion,
)
from recollect.domain.skills.wording import Cut, cut, stems_of
from recollect.domain.summary import one_line
from recollect.domain.text import is_cjk
from recollect.named import NamedTuple

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
    matters: Sequence[Matter], detectors: Mapping[str, Detector], rules: Rules
) -> Suggested:
    """What these memories suggest; those of different projects are never taken together."""
    projects: dict[str, list[Matter]] = {}
    for matter in sorted(matters, key=lambda m: (m.created, m.id)):
        projects.setdefault(matter.project, []).append(matter)
    made: list[Suggestion] = []
    unquotable = 0
    for project in sorted(projects):
        for kind, detect in detectors.items():
            for group in detect(projects[project], rules):
                found = suggestion_of(kind, group, rules)
                made += [found._replace(project=project)] if found else []
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


def suggestion_of(kind: str, group: Group, rules: Rules) -> Suggestion | None:
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


def _confidence(kind: str, evidence: Sequence[Evidence], rules: Rules) -> str:
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
    return slug_of(f"{_PREFIXES.get(kind, kind)} {' '.join(chosen[:most])}")


def _tags(evidence: Sequence[Evidence]) -> tuple[str, ...]:
    counts = Counter(tag for one in evidence for tag in dict.fromkeys(one.matter.tags))
    return tuple(tag for tag, _ in sorted(counts.items(), key=lambda p: (-p[1], p[0]))[:MOST_TAGS])
