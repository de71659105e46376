"""What a session reads that strangers wrote, and what it had made, said and left open before that.

Pure. What an agent says after it has read a page may be what the page wished for; what it made, said
and noted before is its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.model.session import SessionState


def take_page(state: SessionState) -> None:
    """Note that a page is read, and what of the session is the agent's own: what was there before."""
    if state.web:
        return
    state.web = True
    state.first_hand = {
        "made": [list(_key(row)) for row in state.made],
        "todos": [todo["text"] for todo in state.todos],
        "titles": [title for giver, title in state.titles.items() if giver != "foreign"],
        "branch": state.branch,
        "outcome": state.outcome,
    }


def is_open_before(state: SessionState, todo: Mapping[str, str]) -> bool:
    """Whether a to-do was on a list, or a person's, before a page was read."""
    return todo["text"] in state.first_hand.get("todos", ())


def _key(row: Mapping[str, Any]) -> tuple[str, str, str]:
    return row["kind"], row["text"], row["body"]


def is_first_hand(state: SessionState, row: Mapping[str, Any]) -> bool:
    """Whether a commit, a pull request or an issue stands as it was made before a page was read."""
    return list(_key(row)) in state.first_hand.get("made", ())
