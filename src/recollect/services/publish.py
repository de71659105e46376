"""Publish: the views and the brief, made from what the index and the files say.

Promises: a view is written only when its bytes change; a brief names the files it was made of, so
that a hook can tell whether it is still true.
Touches: the ports behind the store it is given.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace

from recollect.domain import brief, views
from recollect.domain.codec import memory_from_text
from recollect.domain.facts import Fact
from recollect.domain.model import Entry, Filter, Memory
from recollect.domain.session import SessionState
from recollect.errors import RecollectError
from recollect.services.opened import OpenStore

INDEX_PAGE = "MEMORY.md"
INDEX_JSON = ".index.json"
MOST_SESSIONS_READ = 12
MOST_FACTS_READ = 40
FACT_KINDS = ("decision", "pattern", "rule", "issue")


def publish_views(store: OpenStore) -> list[str]:
    """Write the views whose bytes changed; gives their names.

    Under the lock, so that of two processes the one that saw less never writes last.
    """
    with store.files.locked():
        entries = store.index.entries(Filter())
        pages = {
            INDEX_PAGE: views.index_page(entries, store.settings.lang, store.settings.view_rows),
            INDEX_JSON: views.index_json(entries),
        }
        return [name for name, text in pages.items() if store.files.write_view(name, text)]


def make_brief(
    stores: Sequence[OpenStore],
    running: Iterable[SessionState],
    *,
    lang: str,
    budget: int,
    nonce: str,
    project: str,
) -> tuple[str, list[str], list[str]]:
    """`(text, ids, paths)`: the brief over these stores and the files that it quotes.

    The first store comes first; `running` are the sessions that go on now.
    """
    entries: list[Entry] = []
    memories: list[Memory] = []
    paths: list[str] = []
    for store in stores:
        here = store.index.entries(Filter(superseded=False))
        entries += here
        for entry in _quoted(here):
            try:
                document = store.read(entry)
            except RecollectError:
                continue
            memory = memory_from_text(document.text, entry.path)
            memories.append(replace(memory, id=entry.id))
            paths.append(f"{store.files.root}/{entry.path}")
    going_on = [(state.task, state.started[:10], _said(state)) for state in running if state.task]
    matter = brief.gather(entries, memories, going_on, project=project)
    text, ids = brief.render(matter, lang, budget, nonce)
    return text, ids, paths


def _quoted(entries: Sequence[Entry]) -> list[Entry]:
    """The memories that a brief may quote: core files, newest sessions, newest facts."""
    core = [e for e in entries if e.path.startswith("core/")]
    sessions = [e for e in entries if e.kind in ("session", "conversation")]
    facts = [e for e in entries if e.kind in FACT_KINDS and not e.path.startswith("core/")]
    return [*core, *facts[:MOST_FACTS_READ], *sessions[:MOST_SESSIONS_READ]]


def _said(state: SessionState) -> list[Fact]:
    rows = [("decision", row) for row in state.decisions] + [
        ("pattern", row) for row in state.patterns
    ]
    return [Fact(k, r["content"], r["reason"], r["category"], source=r["source"]) for k, r in rows]


def as_hook_output(text: str) -> str:
    """A brief as the hook prints it."""
    output = {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": text}}
    return json.dumps(output, ensure_ascii=False) + "\n"
