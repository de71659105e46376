"""Conflicts: whether two claims contradict each other, found without a model, in both languages.

Promises: the answer is the same in both directions; a claim never contradicts itself or what says
nearly the same; other subjects, other scopes, lists and additions are no conflict. Claims that
contradict each other share a topic, so that nobody has to compare all with all. `sure` is only
what a careful reader would change without asking.
Touches: nothing.

These are heuristics over plain statements: they would rather miss a contradiction than invent one.
How well they do is measured by tests/unit/test_conflicts.py.
"""

from __future__ import annotations

from recollect.domain.conflicts.deciding import (
    Conflict,
    Standing,
    conflict_between,
    is_newer,
    topics_of,
)

__all__ = ["Conflict", "Standing", "conflict_between", "is_newer", "topics_of"]
