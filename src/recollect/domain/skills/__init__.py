"""Skills: what repeats itself in memories, and the skill that it suggests.

Promises: pure; near-linear in the number of memories; what a tool or a page said never gets into a
skill; what a person has dismissed does not come back.
Touches: nothing.

    found = suggest([matter_of(entry) for entry in entries], DETECTORS, Rules(stems))
    page = candidates_page(found.suggestions, "en")
    text = draft_of(found.suggestions[0], "deploy-service", "en", now)
"""

from __future__ import annotations

from recollect.domain.skills.detectors import DETECTORS
from recollect.domain.skills.draft import draft_of
from recollect.domain.skills.matter import (
    DAYS,
    LEAST,
    Detector,
    Evidence,
    Group,
    Matter,
    Rules,
    Said,
    Stems,
    Suggestion,
)
from recollect.domain.skills.reading import matter_of, said_in, time_of
from recollect.domain.skills.report import (
    candidates_json,
    candidates_page,
    flags_of,
    suggestion_json,
)
from recollect.domain.skills.settled import (
    DISMISSED,
    PROMOTED,
    Settled,
    settled_in,
    settled_of,
    with_settled,
    without_settled,
)
from recollect.domain.skills.suggesting import Suggested, suggest

__all__ = [
    "DAYS",
    "DETECTORS",
    "DISMISSED",
    "LEAST",
    "PROMOTED",
    "Detector",
    "Evidence",
    "Group",
    "Matter",
    "Rules",
    "Said",
    "Settled",
    "Stems",
    "Suggested",
    "Suggestion",
    "candidates_json",
    "candidates_page",
    "draft_of",
    "flags_of",
    "matter_of",
    "said_in",
    "settled_in",
    "settled_of",
    "suggest",
    "suggestion_json",
    "time_of",
    "with_settled",
    "without_settled",
]
