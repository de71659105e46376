"""No pattern takes longer than a text deserves, whatever the text: each is tried on repetitions of its own words."""

from __future__ import annotations

import importlib
import pkgutil
import re
import signal
from collections.abc import Iterator
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import pytest

import recollect
from recollect._fastimport import Pattern

TIMES = 40
SECONDS = 0.5
BETWEEN = (" ", ", ", "  ", "", "\t ")
MOST_WORDS = 60


def every_pattern() -> dict[str, re.Pattern[str]]:
    """The patterns of all modules, by a place that has them."""
    found: dict[re.Pattern[str], str] = {}
    for module in pkgutil.walk_packages(recollect.__path__, "recollect."):
        try:
            names = vars(importlib.import_module(module.name))
        except ImportError:  # an extra that is not installed
            continue
        for name, value in list(names.items()):
            for path, pattern in patterns_in(value):
                if isinstance(pattern.pattern, str):
                    found.setdefault(pattern, f"{module.name}.{name}{path}")
    return {name: pattern for pattern, name in found.items()}


def patterns_in(value: Any, path: str = "") -> Iterator[tuple[str, re.Pattern[str]]]:
    """The patterns in a value."""
    if isinstance(value, Pattern):
        yield path, value.compiled
    elif isinstance(value, re.Pattern):
        yield path, value
    elif isinstance(value, (list, tuple)):
        for n, one in enumerate(value):
            yield from patterns_in(one, f"{path}[{n}]")


def words_in(parsed: Any) -> Iterator[str]:
    """The runs of plain characters in a pattern."""
    run = ""
    for code, value in parsed:
        if code is codes.LITERAL:
            run += chr(value)
            continue
        if run:
            yield run
        run = ""
        for below in _below(code, value):
            yield from words_in(below)
    if run:
        yield run


def _below(code: Any, value: Any) -> list[Any]:
    """The patterns within a part of a pattern."""
    if code is codes.BRANCH:
        return list(value[1])
    if code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
        return [value[2]]
    if code is codes.SUBPATTERN:
        return [value[-1]]
    if code is codes.ATOMIC_GROUP:
        return [value]
    return [value[1]] if code in (codes.ASSERT, codes.ASSERT_NOT) else []


class TooSlow(Exception):
    """A pattern has not come to an end."""


def stop(*_: object) -> None:
    """What the alarm does."""
    raise TooSlow


@pytest.mark.slow
def test_no_pattern_explodes() -> None:
    before = signal.signal(signal.SIGALRM, stop)
    slow = []
    try:
        for name, pattern in every_pattern().items():
            words = dict.fromkeys(words_in(parser.parse(pattern.pattern, pattern.flags)))
            texts = [
                f"{word}{gap}" * TIMES + "~" for word in [*words][:MOST_WORDS] for gap in BETWEEN
            ]
            try:
                for text in texts:
                    signal.setitimer(signal.ITIMER_REAL, SECONDS)
                    pattern.search(text)
            except TooSlow:
                slow.append(f"{name}: {text[:60]!r}")
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert not slow, "\n".join(slow)
