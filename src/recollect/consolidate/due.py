"""Whether a store is due to be consolidated; the worker asks before it loads anything else."""

from __future__ import annotations

from recollect.model.memory import Filter
from recollect.search.index import SqliteIndex

PASSED = "consolidated"  # in the index: when the last pass was, and over which episodes
COMPRESSED = "compressed"  # in the index: the day on which old sessions were last put away
MOST_PENDING = 20  # new episodes that wait for the next day


def must_consolidate(index: SqliteIndex, now: str) -> bool:
    """Whether the last pass was on another day, or many episodes are new since."""
    last, *known = index.meta(PASSED).split(" ")
    episodes = episodes_of(index)
    is_new_day = bool(episodes) and last[:10] != now[:10]
    return is_new_day or len(episodes - set(known)) > MOST_PENDING


def episodes_of(index: SqliteIndex) -> set[str]:
    """What the episodes of a store are by now, each by the start of its stamp."""
    return {entry.stamp[:8] for entry in index.entries(Filter(layer="episodic"))}
