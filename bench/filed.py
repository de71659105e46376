"""Stages of filing that a benchmark can do without: the store has to be made while one is off.

Touches: the modules of the product, for as long as a stage is off.
"""

from __future__ import annotations

from bench.switches import Switch
from recollect.search import lookup, spelling
from recollect.text import tokens as text


def _wholes(chunk: str) -> list[str]:
    broken = "".join(char if char.isalnum() else " " for char in chunk)
    return broken.lower().split()


def _as_it_stands(run: str, **_: bool) -> list[str]:
    return [run]


STAGES: dict[str, tuple[Switch, ...]] = {
    "English is stemmed": tuple((one, "stem", str) for one in (lookup, spelling, text)),
    "identifiers are cut and joined": ((text, "_words_of_code", _wholes),),
    "Chinese in pairs of characters": ((text, "_words_of_cjk", _as_it_stands),),
}
