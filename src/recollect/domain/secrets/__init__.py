"""Secrets: the keys and tokens of known services, by the rules of gitleaks.

Promises: what is found is what the rule calls the secret, not what stands around it; time grows
with the length of the text, whatever it is; the same with RE2 and without it.
Touches: nothing. RE2 (the extra `secrets`) is used where it is installed.

Every rule needs a keyword, and every secret has a run of signs that is no word. Keywords are
searched for only around such runs, so that two hundred rules cost an ordinary text next to nothing;
and a pattern sees so little text at once that `re` cannot take long over it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from math import log2
from typing import Any

from recollect.domain.pattern import Pattern
from recollect.named import NamedTuple

# No rule knows a secret without such a run: of 14 signs with a digit among them, or of 32 without
# one. What is neither is a word.
_RUN = Pattern(
    # The first condition says nothing new, but most words are done with it.
    r"\b(?=[\w-]{14})(?:(?=[A-Za-z_-]{0,64}+[0-9])[\w-]{14,}+|[A-Za-z_-]{32,}+)",
    re.ASCII,
)
# How a pattern begins that looks for the name of a service anywhere before its key.
_NAMED = Pattern(r"\(\?i:\[\\w\.-\]\{0,50\}\?\(\?:([a-z]+)\)")
BEFORE = 120  # more than any pattern has before its secret
WINDOW = 1_000
COVERED = 320  # a secret that begins so far before the end of a window is seen whole


class Found(NamedTuple):
    """Where a secret stands, and what it is."""

    start: int
    end: int
    kind: str


class _Rule(NamedTuple):
    kind: str
    words: tuple[str, ...]
    entropy: float
    nothing: tuple[str, ...]  # patterns of what is no secret
    pattern: str
    needs: str = ""  # without which the pattern fails, but only after it has tried everywhere


def found_in(text: str) -> list[Found]:
    """The secrets in a text, in order; they do not overlap."""
    found: list[Found] = []
    for start, end in _windows(text):
        part = text[start:end]
        low = part.lower()
        for word, rules in _by_word().items():
            if word in low:
                for rule in rules:
                    if rule.needs in low:
                        spans = _spans(rule, part)
                        found += (Found(start + a, start + b, rule.kind) for a, b in spans)
    return _apart(found)


def _windows(text: str) -> Iterator[tuple[int, int]]:
    """The parts of a text in which there is a run of signs that is no word."""
    done = 0
    for run in _RUN.finditer(text):
        if run.start() >= done:
            end = min(run.start() + WINDOW, len(text))
            yield max(run.start() - BEFORE, 0), end
            done = end - COVERED if end < len(text) else end


def _spans(rule: _Rule, part: str) -> Iterator[tuple[int, int]]:
    for match in _compiled(rule.pattern).finditer(part):
        group = next((n for n, text in enumerate(match.groups(), 1) if text), 0)
        secret = match[group]
        is_none = any(_compiled(pattern).search(secret) for pattern in rule.nothing)
        if not is_none and entropy_of(secret) > rule.entropy:
            yield match.span(group)


def _apart(found: list[Found]) -> list[Found]:
    """The first of those that overlap, the longer where two begin at one place."""
    kept: list[Found] = []
    for one in sorted(found, key=lambda f: (f.start, -f.end, f.kind)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


def entropy_of(text: str) -> float:
    """How surprising the signs of a text are, in bits for each."""
    counts = [text.count(sign) for sign in set(text)]
    return -sum(n / len(text) * log2(n / len(text)) for n in counts)


@cache
def _by_word() -> dict[str, list[_Rule]]:
    from recollect.domain.secrets.rules import RULES

    found: dict[str, list[_Rule]] = {}
    for row in RULES:
        named = _NAMED.match(row[-1])
        rule = _Rule(*row, needs=named[1] if named else "")
        for word in rule.words:
            found.setdefault(word, []).append(rule)
    return found


@cache
def _engine() -> Any:
    """RE2, or None where it is not installed."""
    try:
        return import_module("re2")
    except ImportError:
        return None


@cache
def _compiled(pattern: str) -> Any:
    engine = _engine()
    return re.compile(pattern, re.ASCII) if engine is None else engine.compile(pattern)
