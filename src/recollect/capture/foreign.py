"""What a session reads that strangers wrote, and what it had made, said and left open before that.

Pure. What an agent says after it has read a page may be what the page wished for; what it made, said
and noted before is its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect._fastimport import Pattern
from recollect.model.session import Event, SessionState

# Numbers, states and dates say nothing that somebody could wish for, nor does a login alone.
_PLAIN_FIELDS = (
    r"(?:(?:number|url|state|isDraft|mergeable|mergeStateStatus|reviewDecision|additions|deletions|changedFiles"
    r"|(?:created|updated|merged|closed)At|(?:base|head)RefOid)(?:,(?=\w)|(?=[\"'\s)]|$)))+[\"']?(?=[\s)]|$)"
    r"|author\s+(?:-q|--jq)\s+[\"']?\.author\.login[\"']?(?=[\s)]|$)"
)
_READS_A_PAGE = Pattern(
    r"\b(?:curl|wget|lynx|w3m)\b[^|;&\n]*?\bhttps?://(?!localhost\b|127\.|0\.0\.0\.0|\[::1\])"
    r"|\bgh\s+(?:-R \S+\s+|--repo[ =]\S+\s+)?(?:api|search|(?:issue|pr|release|gist)\s+"
    r"(?!(?:create|merge|close|reopen|ready|checkout|comment|edit|develop|lock|unlock|pin|unpin|transfer|delete|upload)\b"
    rf"|(?:view|list|status)\b[^|;&\n]*?\s--json[ =][\"']?(?:{_PLAIN_FIELDS})(?![^|;&\n]*\s--json)))"
)


def reads_a_page(command: str) -> bool:
    """Whether a command reads a page, or what strangers write: what the agent says then is second-hand."""
    return bool(_READS_A_PAGE.search(command))


def is_page(event: Event) -> bool:
    """Whether an agent reads a page, by a tool for it or by a command."""
    is_command = event.kind == "call" and event.tool == "shell"
    return event.kind == "web" or (is_command and reads_a_page(event.target))


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
