"""Hits: what a search found, as a person reads it.

Promises: three lines for each, the same in every door.
Touches: the paper it is given. A short search loads this, so it imports next to nothing.
"""

from __future__ import annotations

from recollect.lang import word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.doors.paper import Paper
    from recollect.services.searching import Found


def show_hit(paper: Paper, lang: str, hit: Found) -> None:
    """A hit of a search, in three lines."""
    one = hit.candidate
    paper.line(("bold", one.shown_title))
    if hit.snippet:
        paper.paragraph(hit.snippet)
    about = [one.name, one.kind, one.created[:10], word(lang, one.scope)]
    paper.line(("dim", "  " + " · ".join(part for part in about if part)))
