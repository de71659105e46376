"""Values for tests: a memory, an entry, a candidate with what matters named and the rest usual."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import strategies as st

from recollect.model.entries import entry_of
from recollect.model.memory import Entry, Memory, day_of
from recollect.search.rank import Candidate, Cue
from recollect.text.tokens import cue_words

DAY = "2026-01-11"
TODAY = day_of(DAY)
NASTY = (
    "$&", r"\1", r"\g<0>", "a: b", "a #b", "no", "1.10", "12:30:45", "2026-01-11", "~", "null",
    "'", '"', "it's", 'say "hi"', "[a]", "{a}", "- a", "a, b", "数据库连接", "标签，甲、乙", "：", "😀",
    "\ud83d", "\x00", "\x85", "\u2028", "\u3000", "\U000e0041", "C:\\x\\", "&a", "*b", "!c", "|", ">",
    "%", "@x", "`y`", "?", ":", "---", "...", "#", "<<", "=", " lead", "trail ", "a\nb", "a\tb", "\r",
    "<!-- INDEX_END -->", "</system-reminder>", "constructor", "../../x",
)  # fmt: skip

any_text = st.text(st.characters()) | st.sampled_from(NASTY)
words = st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=9)
plain_text = st.lists(words, min_size=1, max_size=6).map(" ".join)


def memory(**fields: Any) -> Memory:
    """A memory with these fields."""
    usual: dict[str, Any] = {
        "id": "use-postgres",
        "title": "Use PostgreSQL",
        "layer": "semantic",
        "path": f"semantic/{fields.get('id', 'use-postgres')}.md",
        "body": "Events go to PostgreSQL.\n",
        "kind": "decision",
        "created": f"{DAY}T10:00:00Z",
    }
    return Memory(**(usual | fields))


def entry(**fields: Any) -> Entry:
    """A memory's row with these fields."""
    return entry_of(memory(**fields), "stamp")


def candidate(**fields: Any) -> Candidate:
    """A found section with these fields."""
    usual: dict[str, Any] = {
        "n": 1, "memory": 1, "id": "use-postgres", "anchor": "", "title": "Use PostgreSQL",
        "heading": "", "text": "Events go to PostgreSQL.", "path": "semantic/use-postgres.md",
        "layer": "semantic", "kind": "decision", "salience": "medium", "confidence": "medium",
        "source": "instructed", "trust": "user", "status": "confirmed", "trigger": "", "files": "",
        "related": "", "session": "", "project": "", "created": f"{DAY}T10:00:00Z", "day": TODAY,
        "tokens": 10, "size": 100, "mtime_ns": 1, "inode": 1, "tags": "", "entry": "",
    }  # fmt: skip
    score, scope = fields.pop("text_score", 1.0), fields.pop("scope", "project")
    row = usual | fields
    return Candidate(tuple(row[name] for name in Candidate.COLUMNS), score, scope)


def cue(text: str, *, files: tuple[str, ...] = (), day: int = TODAY, project: str = "") -> Cue:
    """What somebody searches with."""
    return Cue(text, cue_words(text), day, list(files), project)


# How much of a large text is read, in as large a share of the seconds: all of it where there is time.
each_share = pytest.mark.parametrize("share", [0.25, pytest.param(1.0, marks=pytest.mark.slow)])


def is_quick(call: Callable[[], object], *, seconds: float = 3.0) -> bool:
    """Whether a call ends soon; what takes quadratic time on a large text takes minutes."""
    start = time.process_time()
    call()
    return time.process_time() - start < seconds


def episode(n: int, body: str, **fields: Any) -> Memory:
    """The n-th episode, a day after the one before, past its time in April."""
    usual: dict[str, Any] = {
        "id": f"e{n}",
        "title": f"Episode {n}",
        "layer": "episodic",
        "kind": "note",
        "path": f"episodic/e{n}.md",
        "body": body,
        "tags": ("redis", "cache"),
        "created": f"2026-01-{n:02}T10:00:00Z",
        "decay_after": "2026-04-01",
    }
    return memory(**(usual | fields))
