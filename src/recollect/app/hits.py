"""App: a hit of a search as data.

A short search loads this, so it imports next to nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recollect.services.searching import Found


def hit_json(hit: Found) -> dict[str, Any]:
    """A hit as design §12 names its fields."""
    one = hit.candidate
    return {
        "id": one.id,
        "anchor": one.anchor,
        "title": one.shown_title,
        "type": one.layer,
        "kind": one.kind,
        "scope": one.scope,
        "score": round(one.score, 4),
        "snippet": hit.snippet,
        "path": hit.path,
        "created": one.created,
        "trust": one.trust,
        "tokens": one.tokens,
    }
