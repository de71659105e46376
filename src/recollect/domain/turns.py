"""Turns: which of what was found are turns of raw conversations.

Promises: pure.
Touches: nothing. A short search loads this; `talk`, which weighs turns, only one that found some.
"""

from recollect.domain.rank import Candidate


def is_turn(one: Candidate) -> bool:
    """Whether a candidate is a turn of a raw conversation."""
    return one.path.endswith("/conversation.md")
