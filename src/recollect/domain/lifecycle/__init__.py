"""Lifecycle: what consolidation will do, as values, and what it does to the text of a file.

Promises: a plan touches nothing; carried out in its order, a crash leaves a duplicate, never a hole; on
its own result it is empty; no claim of an episode is lost by it; of a person's lines it changes
only those that something newer and no less trusted contradicts for sure.
Touches: nothing.

    actions = plan(episodes, files, rules)     # files: path → text, as lazily as one likes
    files = applied(files, actions)            # or `started` and `changed`, one by one
"""

from __future__ import annotations

from recollect.domain.lifecycle.actions import (
    Absorb,
    Action,
    Archive,
    Mark,
    Merge,
    Past,
    Renew,
    Replace,
    Retire,
    Rules,
    Start,
    Wait,
    Weigh,
    conflict_key,
)
from recollect.domain.lifecycle.applying import applied, changed, started
from recollect.domain.lifecycle.hearing import Heard, Plain, heard_in, is_heard
from recollect.domain.lifecycle.pages import Reading, reading_of
from recollect.domain.lifecycle.planning import plan, plan_claim

__all__ = [
    "Absorb",
    "Action",
    "Archive",
    "Heard",
    "Mark",
    "Merge",
    "Past",
    "Plain",
    "Reading",
    "Renew",
    "Replace",
    "Retire",
    "Rules",
    "Start",
    "Wait",
    "Weigh",
    "applied",
    "changed",
    "conflict_key",
    "heard_in",
    "is_heard",
    "plan",
    "plan_claim",
    "reading_of",
    "started",
]
