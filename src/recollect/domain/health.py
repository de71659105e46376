"""Health: what a person may want to look at in a store in which nothing is broken.

Promises: pure; a memory that is private is named like any other, for only its owner asks; the same memories
give the same report.
Touches: nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from urllib.parse import unquote

from recollect.domain.claims.identity import near_key
from recollect.domain.model import Entry
from recollect.domain.pattern import Pattern
from recollect.named import NamedTuple

STALE_DAYS = 180  # as in seed 002
SETTLED_DAYS = 30  # before that, nobody can have needed a memory often
_LINK = Pattern(r"(?<!!)\[[^\]\n]{0,200}\]\(<?([^)\s>#]{1,300}\.md)(?:#[^)\s>]*)?>?\)")


class Health(NamedTuple):
    """Ids of memories by what is odd about them."""

    duplicates: list[list[str]]
    stale: list[str]
    untagged: list[str]
    never_accessed: list[str]
    broken_links: list[tuple[str, str]]  # the path of a memory, and where it points


def examined(
    entries: Sequence[Entry],
    last_used: Mapping[str, str],
    links: Iterable[tuple[str, str]],
    now: str,
) -> Health:
    """What is odd; `last_used` has the day on which each memory was last needed."""
    own = [entry for entry in entries if "core/" not in entry.path]
    today = date.fromisoformat(now[:10])
    stale = (today - timedelta(days=STALE_DAYS)).isoformat()
    settled = (today - timedelta(days=SETTLED_DAYS)).isoformat()
    unused = [e for e in own if e.id not in last_used and e.created]
    return Health(
        _duplicates(own),
        [e.id for e in own if "" < _last_touched(e, last_used) < stale],
        [e.id for e in own if not e.tags],
        [e.id for e in unused if e.created[:10] < settled],
        sorted(set(links)),
    )


def _last_touched(entry: Entry, last_used: Mapping[str, str]) -> str:
    times = (entry.created, entry.updated, entry.last_accessed, last_used.get(entry.id, ""))
    return max(time[:10] for time in times)


def _duplicates(entries: Iterable[Entry]) -> list[list[str]]:
    """Memories of one kind that say the same in their titles; episodes may well do that."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for entry in entries:
        if entry.layer != "episodic" and entry.status != "superseded":
            key = (entry.kind, entry.project, near_key(entry.title))
            found.setdefault(key, []).append(entry.id)
    return sorted(sorted(ids) for ids in found.values() if len(ids) > 1)


def links_in(path: str, text: str) -> list[tuple[str, str]]:
    """The files of the store that a memory points to: what it says, and the path that means."""
    folder = path.rpartition("/")[0]
    found = []
    for match in _LINK.finditer(text):
        said = match[1]
        if "://" not in said and not said.startswith(("/", "~")):
            target = _resolved(folder, unquote(said))
            if target:
                found.append((said, target))
    return found


def _resolved(folder: str, said: str) -> str:
    """The path inside the store that a link means, or nothing where it leads out of it."""
    parts = folder.split("/") if folder else []
    for part in said.split("/"):
        if part == "..":
            if not parts:
                return ""
            parts.pop()
        elif part not in (".", ""):
            parts.append(part)
    return "/".join(parts)
