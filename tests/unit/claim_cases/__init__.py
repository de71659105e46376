"""What episodes say, written by hand: which claims work gives orders, which contradict each other.

`RULES` tell how to work; `STATED` tell what is so, though they use the same words. `CLASHES` and
`PEACE` are pairs of claims that contradict each other, or do not.
"""

from __future__ import annotations

from .behaviour import RULES_EN, RULES_ZH, STATED_EN, STATED_ZH
from .conflicts_en import CLASHES_EN, PEACE_EN
from .conflicts_zh import CLASHES_ZH, PEACE_ZH

RULES = RULES_EN + RULES_ZH
STATED = STATED_EN + STATED_ZH

__all__ = ["CLASHES_EN", "CLASHES_ZH", "PEACE_EN", "PEACE_ZH", "RULES", "STATED"]
