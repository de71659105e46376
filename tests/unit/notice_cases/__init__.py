"""What people write to an agent, and what of it is a decision or a rule.

Written by hand. A case says which words must be in the fact that comes out of a sentence; of the
sentences in `NOTHING` nothing may come out.
"""

from __future__ import annotations

from .decisions import DECISIONS
from .european import EUROPEAN, NOTHING_EUROPEAN
from .everyday import KEPT, PASSED
from .long import LONG
from .nothing_en import NOTHING_EN
from .nothing_zh import NOTHING_ZH
from .rules import RULES

NOTHING = NOTHING_EN + NOTHING_ZH

__all__ = [
    "DECISIONS",
    "EUROPEAN",
    "KEPT",
    "LONG",
    "NOTHING",
    "NOTHING_EUROPEAN",
    "PASSED",
    "RULES",
]
