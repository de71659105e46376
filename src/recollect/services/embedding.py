"""Embedding: vectors for the sections that have none yet.

Promises: what is computed is kept batch by batch, so that whoever is interrupted loses little; only
what is new or changed is computed; what a person marked as private, and what is encrypted, is not
in the index and so reaches no model.
Touches: the ports it is given.
"""

from __future__ import annotations

from collections.abc import Callable

from recollect.ports import Embedder, Index

AT_ONCE = 64

Progress = Callable[[int, int], None]


def fill(
    index: Index,
    embedder: Embedder,
    may_go_on: Callable[[], bool],
    progress: Progress | None = None,
) -> int:
    """Compute what is missing, as long as it may go on; gives how many vectors were made."""
    made = 0
    while may_go_on():
        missing = index.vectors.missing(embedder.identity, AT_ONCE)
        if not missing:
            break
        vectors = embedder.passages([one.passage for one in missing])
        put = index.vectors.put(embedder.identity, list(zip(missing, vectors, strict=True)))
        made += put
        if progress:
            progress(*index.vectors.counts(embedder.identity))
        if not put:
            break  # somebody changes the memories faster than we read them
    return made
