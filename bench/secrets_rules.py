"""Secrets made from the patterns of gitleaks' rules: what the rules themselves call a secret.

Promises: the same texts for the same seed; each is a whole match of its rule's pattern.
Touches: nothing.
"""

from __future__ import annotations

import random
import re
import string
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from recollect.text.secrets import entropy_of, rules

# The parser of `re` itself: the only one that knows every pattern as `re` does.
parser, sre = import_module("re._parser"), import_module("re._constants")
_SIGNS = string.ascii_letters + string.digits
_TRIES = 40


def cases_of_rules(chance: random.Random, each: int) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """`(kind, [(text, secret), …])` for every rule."""
    for kind, words, entropy, nothing, pattern, _ in rules():
        cases = []
        compiled = re.compile(pattern, re.ASCII)
        for _ in range(each * _TRIES):
            made = _made(parser.parse(pattern, re.ASCII), chance)
            match = compiled.search(made)
            secret = next((g for g in match.groups() if g), match[0]) if match else ""
            fits = (
                entropy_of(secret) > entropy and any(w in made.lower() for w in words)
                if secret
                else False
            )
            if fits and not any(re.search(one, secret) for one in nothing):
                cases.append((f"it is here:\n{made}\nand no further", secret))
            if len(cases) == each:
                break
        if cases:
            yield kind, cases


def _made(tree: Any, chance: random.Random) -> str:
    """A random text that the parsed pattern matches, but for its look-arounds."""
    return "".join(_of(op, value, chance) for op, value in tree)


def _of(op: Any, value: Any, chance: random.Random) -> str:
    if op is sre.LITERAL:
        return chr(value)
    if op in (sre.ANY, sre.NOT_LITERAL):
        return chance.choice(_SIGNS)
    if op is sre.IN:
        return _one_of(value, chance)
    if op in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
        least, most, inner = value
        count = chance.randint(least, min(most, least + 8))
        return "".join(_made(inner, chance) for _ in range(count))
    if op is sre.SUBPATTERN:
        return _made(value[3], chance)
    return _made(chance.choice(value[1]), chance) if op is sre.BRANCH else ""


def _one_of(items: Any, chance: random.Random) -> str:
    signs: list[str] = []
    for op, value in items:
        if op is sre.LITERAL:
            signs.append(chr(value))
        elif op is sre.RANGE:
            signs += map(chr, range(value[0], value[1] + 1))
        elif op is sre.CATEGORY:
            signs += {sre.CATEGORY_DIGIT: list(string.digits), sre.CATEGORY_SPACE: [" "]}.get(
                value, list(_SIGNS)
            )
        elif op is sre.NEGATE:
            return chance.choice(_SIGNS)
    return chance.choice(signs)
