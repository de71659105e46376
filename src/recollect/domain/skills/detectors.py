"""Skills: what repeats itself in memories: work, decisions about one matter, problems and their solutions.

Promises: one conversation counts once, however many memories it left; a detector only groups,
what is made of a group is the same for all (`suggesting`).
Touches: nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from recollect.domain.facts import same_words
from recollect.domain.skills.grouping import Alike, groups_of
from recollect.domain.skills.matter import (
    DECISION,
    PROBLEM,
    PROCEDURE,
    Detector,
    Evidence,
    Group,
    Matter,
    Rules,
)
from recollect.domain.skills.wording import (
    Cut,
    are_alike,
    are_same_problem,
    are_same_work,
    cut,
    stems_of,
    wording,
)

# What says how things are or should be, not what was done, whatever its title says.
_NO_WORK = ("decision", "pattern", "issue", "rule", "pointer", "solution")


def procedures(matters: Sequence[Matter], rules: Rules) -> list[Group]:
    """Work that was done again and again: titles that share 60 % of their words."""
    done = [Evidence(m, m.title, "", m.trust) for m in matters if m.kind not in _NO_WORK]
    return _grouped(done, [cut(one.text) for one in done], are_same_work, rules)


def decisions(matters: Sequence[Matter], rules: Rules) -> list[Group]:
    """Decisions about the same matter."""
    taken = _said(matters, "decision")
    cuts = [cut(one.text, deciding=True) for one in taken]
    return _grouped(taken, cuts, are_alike, rules, _times_decided)


def problems(matters: Sequence[Matter], rules: Rules) -> list[Group]:
    """Problems that are alike in their words and tags, with what solved them."""
    met = _said(matters, "problem")
    cuts = [cut(one.text, one.matter.tags[:5]) for one in met]
    return _grouped(met, cuts, are_same_problem, rules)


DETECTORS: dict[str, Detector] = {
    PROCEDURE: procedures,
    DECISION: decisions,
    PROBLEM: problems,
}


def occasions(evidence: Sequence[Evidence]) -> int:
    """In how many conversations something came up."""
    return len({one.occasion for one in evidence})


def _times_decided(evidence: Sequence[Evidence]) -> int:
    """How many decisions these are: one session may take several."""
    return len(evidence)


def _said(matters: Sequence[Matter], kind: str) -> list[Evidence]:
    """What memories say of this kind, each once for a conversation."""
    found: dict[tuple[str, str], Evidence] = {}
    for matter in matters:
        for said in matter.said:
            if said.kind == kind:
                one = Evidence(matter, *said[1:])
                key = (one.occasion, same_words(said.text))
                old = found.get(key)
                if old is None or (one.detail and not old.detail):
                    found[key] = one
    return list(found.values())


def _grouped(
    evidence: Sequence[Evidence],
    cuts: Sequence[Cut],
    alike: Alike,
    rules: Rules,
    count: Callable[[Sequence[Evidence]], int] = occasions,
) -> list[Group]:
    known = stems_of(cuts, rules.stems)
    wordings = [wording(one, known) for one in cuts]
    groups = ([evidence[n] for n in group] for group in groups_of(wordings, rules.least, alike))
    return [Group(group) for group in groups if count(group) >= rules.least]
