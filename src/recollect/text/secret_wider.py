"""Wider: what may be a secret, for a person who looks through what is there.

Promises: what `redact` takes out for sure is left to it; the rest is told as possible: a value behind a
name, signs that look random, and codings (base64, hex) of what is a secret for sure.
Touches: nothing.

Too wide for redaction: here a person decides, there a memory would lose its sense.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator
from itertools import islice

from recollect._fastimport import Pattern
from recollect.text.own_secret_rules import NAME, NO_VALUE, NO_WORD, PASSWORD
from recollect.text.secrets import entropy_of

NAMED, RANDOM, ENCODED = "named", "random", "encoded"
LEAST_ENTROPY = 4.0
LONGEST_CODED = 100_000
MOST = 500  # in one text; nobody looks at more
_BEHIND = r"[\"'`\]\\*|]{0,4}\s{0,9}(?:[:=：＝|]|=>|是|为|is|was|to)?\s{0,9}[\"'`「『“‘*]{0,3}"
_A_PASSWORD = Pattern(
    rf"{PASSWORD}(?:[\"'`\]\\*|]{{0,4}}\s{{0,9}}(?:[:=：＝]|=>|\||是|为|(?:is|was)\s)\s{{0,9}}[\"'`「『“‘*]{{0,3}}){NO_VALUE}{NO_WORD}"
    r"([!-~]{4,256})",
    re.I,
)
_A_VALUE = Pattern(
    rf"{NAME}{_BEHIND}{NO_VALUE}(?=[!-~]{{0,99}}\d)([\w.~+/=!@#$%^*-]{{8,512}})(?![(\[\w])", re.I
)
_RUN = Pattern(
    r"(?<![\w+/=.-])(?=[\w+/-]{0,40}?[a-z])(?=[\w+/-]{0,40}?[A-Z])(?=[\w+/-]{0,60}?\d)[\w+/-]{24,512}={0,2}(?![\w/.(])",
    re.ASCII,
)
_CODED = Pattern(r"(?<![\w+/-])(?:[0-9a-fA-F]{32,}+|[\w+/-]{24,}+={0,2})(?![\w+/])", re.ASCII)
_HEX = Pattern(r"[0-9a-fA-F]+")
_WORDS = Pattern(r"[A-Z]?[a-z]{3,}|[A-Z]{3,}")  # what a name or a path is made of


def possible_in(text: str, clean: str, redact: Callable[[str], str]) -> list[tuple[int, str]]:
    """`(where, kind)` of what may be a secret in a text, in order, without those that are sure.

    `clean` is the text as it is redacted; `redact` says whether what is decoded has a secret in it.
    """
    found: dict[int, str] = {}
    for start, end, kind in islice(_places_in(text, redact), MOST):
        if text[start:end] in clean and "[redacted:" not in text[start:end]:
            found.setdefault(start, kind)
    return sorted(found.items())


def _places_in(text: str, redact: Callable[[str], str]) -> Iterator[tuple[int, int, str]]:
    for match in _CODED.finditer(text):
        plain = _decoded(match[0])
        if plain and redact(plain) != plain:
            yield *match.span(), ENCODED
    for pattern in (_A_PASSWORD, _A_VALUE):
        for match in pattern.finditer(text):
            yield *match.span(match.lastindex or 0), NAMED
    for match in _RUN.finditer(text):
        if _is_random(match[0]):
            yield *match.span(), RANDOM


def _is_random(run: str) -> bool:
    """Whether signs are neither words nor a path of them."""
    in_words = sum(map(len, _WORDS.findall(run)))
    return in_words < len(run) // 2 and entropy_of(run) > LEAST_ENTROPY


def _decoded(run: str) -> str:
    """What a run of signs says when it is decoded, if that is a text."""
    run = run[:LONGEST_CODED]
    try:
        if _HEX.fullmatch(run) and len(run) % 2 == 0:
            data = bytes.fromhex(run)
        else:
            plain = run.rstrip("=").translate(str.maketrans("-_", "+/"))
            data = base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
        text = data.decode("utf-8")
    except (ValueError, binascii.Error):
        return ""
    return text if text.isprintable() or "\n" in text else ""
