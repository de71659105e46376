"""The stages of the product that can be switched off, to see what each is worth.

Touches: the modules of the product, for as long as a stage is off.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from bench import filed, switches
from recollect.search import index_read as best
from recollect.search import lookup, rank, relevance, spelling

_EVEN = ", ".join(["1.0"] * len(rank.FIELD_WEIGHTS))


def _without_tags(shortfall: Callable[..., str]) -> Callable[..., str]:
    def judged(one: rank.Candidate, *rest: Any) -> str:
        tags, one.tags = one.tags, ""
        try:
            return shortfall(one, *rest)
        finally:
            one.tags = tags

    return judged


STAGES: dict[str, tuple[switches.Switch, ...]] = {
    "fields weigh differently": tuple((one, "WEIGHTS", _EVEN) for one in (lookup, best)),
    "records of sessions weigh less": ((rank, "KIND", {}),),
    "files at hand": ((rank, "file_bonus", lambda *_: 0.0),),
    "triggers": ((rank, "TRIGGER_BONUS", 0.0),),
    "times in the cue": ((rank.Cue, "_spoken", lambda cue: ((0, 0), cue.words)),),
    "the newer first": ((rank, "is_newer", lambda *_: False),),
    "words that mean the same": ((spelling, "_synonyms", switches.nothing),),
    "spelling": ((spelling, "_near", switches.nothing),),
    "tags are evidence": ((rank, "shortfall", _without_tags(rank.shortfall)),),
    "what everybody says asks for little": ((relevance, "EVERYDAY", frozenset()),),
    "what is usual tells less": ((relevance, "USUAL", frozenset()),),
    "nothing between two Chinese words": (
        (relevance, "_is_between", lambda *_: False),
        (relevance, "UNKNOWN_PAIR_WORTH", relevance.UNKNOWN_WORTH),
    ),
    "evidence at all": ((rank, "shortfall", lambda one, *_: one.parts.update(coverage=1.0) or ""),),
    "what ranks far below is left out": ((rank, "WEAKEST_OF_BEST", 0.0),),
    "each thing once": ((rank, "SAME_TEXT", 1.0),),
    **filed.STAGES,
}


def without(stage: str) -> AbstractContextManager[None]:
    """Let the product do without a stage."""
    return switches.off(STAGES[stage])
