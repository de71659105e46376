"""Weigh what a sentence states: whether it holds beyond the task at hand.

A linear model of the words of a sentence, its form and its place in the prompt. `keeping.json` has the
weights; docs/measurements/2026-11-26-sentences.md says how they were fitted, and how right they are.
Promises: pure. It was fitted to English; words that it does not know weigh nothing.
"""

from __future__ import annotations

import json
from functools import cache
from math import fsum

from recollect._fastimport import IGNORE_CASE, NamedTuple, Pattern

LEAST = 0.0  # of a statement
_WORD = Pattern(r"[a-z']+")
_NAME_IN_CODE = Pattern(r"`|\w[._/]\w|--\w|[a-z][A-Z]")
_CAPITAL = Pattern(r"(?<!^)\b[A-Z][a-z]+")
_LENGTHS = (4, 6, 9, 14, 20, 30, 45)  # words
_NEIGHBOURS = (1, 3, 6, 12, 25)  # sentences of the prompt
# What points to something else from its first word, asks, or is about this moment; what does not
# work, what somebody may do or wishes for some day, and a change to be made.
_NEVER = Pattern(
    r"^(?:it|that|this|these|those|they|he|she|there|which)\b|^\(|^[a-z]+:$|[?？]"
    r"|\b(?:right now|try again|at the moment|this branch|this pr|currently)\b"
    r"|^\W*(?:let['’]?s |(?:we|i) (?:want|need) to )?(?:add (?:in|an?)|tone|put|sometimes)\b|\b(?:make it so|seems? to be|nothing (?:is|was|happens)|when i tr(?:y|ied)"
    r"|(?:is|are|was|were|does|do|did)(?:n['’]?t| not) (?:really |actually )?(?:work|load|show up|render|respond|sav|seem)\w*"
    r"|the users? (?:might|may)|to be able to|i(?:['’]d| would) like to (?:continue|add|extend|build))\b",
    IGNORE_CASE,
)


class Sentence(NamedTuple):
    """A sentence without what leads it in, and with stand-ins for what it quotes.

    It is the `n`th of `of` in its prompt; `is_vague` if it points to what was said elsewhere.
    """

    text: str
    plain: str
    n: int
    of: int
    is_vague: bool
    has_reason: bool


def keep_score(sentence: Sentence) -> float:
    """How much a sentence is worth keeping; from `LEAST` on, two of three readers would."""
    if _NEVER.search(sentence.plain):
        return LEAST - 1
    model = _model()
    weights = (model.weights.get(name, 0.0) for name in features_of(sentence))
    return round(fsum((model.bias, *weights)), 6)  # whatever the order: a set has one of its own


def features_of(sentence: Sentence) -> set[str]:
    """The features that a sentence has, by the names that the weights have."""
    words = _WORD.findall(sentence.plain.lower().replace("’", "'"))
    found = {f"w:{word}" for word in words}
    found |= {f"s0:{word}" for word in words[:1]}
    found |= {f"len>{limit}" for limit in _LENGTHS if len(words) > limit}
    found |= {f"nsent>{limit}" for limit in _NEIGHBOURS if sentence.of > limit}
    signs = {
        "code": _NAME_IN_CODE.search(sentence.text),
        "Cap": _CAPITAL.search(sentence.text[1:]),
        "colon": sentence.text.rstrip().endswith(":"),
        "firstsent": sentence.n == 0,
        "F:vague": sentence.is_vague,
        "F:why": sentence.has_reason,
    }
    return found | {name for name, is_there in signs.items() if is_there}


class _Model(NamedTuple):
    bias: float
    weights: dict[str, float]


@cache
def _model() -> _Model:
    with open(f"{__file__.removesuffix('.py')}.json", encoding="utf-8") as file:
        return _Model(**json.load(file))
