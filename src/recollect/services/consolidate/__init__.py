"""Consolidate: what was learned in episodes is put where it belongs; what is past its time is archived.

Promises: gather → plan → apply; applying twice changes nothing, and neither does a kill in between;
nothing is archived of which a claim would be lost; every step can be undone by itself; what waits for
a person is found anew by each plan, only what a person ruled is kept (`rulings.toml`).
Touches: the ports behind the store it is given.
"""

from __future__ import annotations

from recollect.services.consolidate.gathering import gather
from recollect.services.consolidate.passing import Outcome, consolidate, look
from recollect.services.consolidate.remembered import Remembered
from recollect.services.consolidate.settling import Settled, settle, supersede, waiting
from recollect.services.consolidate.steps import Step

__all__ = [
    "Outcome",
    "Remembered",
    "Settled",
    "Step",
    "consolidate",
    "gather",
    "look",
    "settle",
    "supersede",
    "waiting",
]
