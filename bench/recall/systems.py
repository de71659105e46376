"""What is measured: the product, and plain baselines over the same turns.

Each system takes a conversation and answers a question with the ids of turns, best first.
Touches: a scratch folder.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable

from bench.recall.data import Conversation, Session
from recollect.app.wiring import App
from recollect.domain.model import Filter
from recollect.domain.text import STOP_WORDS
from recollect.services import recall

Ask = Callable[[str], list[str]]
MOST = 50


def product(talks: list[Conversation], folder: str) -> Ask:
    """Recollect: the conversations as captured ones in a store, asked by `search`."""
    home, project = os.path.join(folder, "home"), os.path.join(folder, "project")
    store = os.path.join(project, ".claude", "memory")
    ids: dict[str, list[str]] = {}
    for talk in talks:
        for session in talk.sessions:
            name = f"{talk.name}-{session.id}".lower()
            ids[name] = [turn.id for turn in session.turns]
            _write(os.path.join(store, "episodic", name), name, session)
    app = App(project, {"HOME": home, "PATH": os.defpath})
    stores = [app.store("project")]

    def ask(question: str) -> list[str]:
        found = recall.search(stores, question, Filter(), limit=MOST, every_section=True)
        named = [(hit.candidate.id, hit.candidate.anchor) for hit in found]
        turns = [(m, int(a[5:].partition(".")[0])) for m, a in named if a.startswith("turn-")]
        return list(dict.fromkeys(ids[m][n - 1] for m, n in turns))

    return ask


def _write(folder: str, name: str, session: Session) -> None:
    """A captured session: its summary says nothing that the conversation does not."""
    os.makedirs(folder)
    head = f"---\nid: {name}\ntitle: {session.id}\ntype: episodic\nkind: session\n"
    head += (
        f"source: observed\ntrust: user\ncreated: {session.time}\nupdated: {session.time}\n---\n"
    )
    with open(os.path.join(folder, "summary.md"), "w", encoding="utf-8") as file:
        file.write(head)
    with open(os.path.join(folder, "conversation.md"), "w", encoding="utf-8") as file:
        file.write("# Raw Conversation Log\n\n")
        clock = session.time[11:19] or "10:00:00"
        for turn in session.turns:
            text = re.sub(r"^(#{1,3}[ \t]|---[ \t]*$)", r"\\\1", turn.text.strip(), flags=re.M)
            file.write(f"### {turn.actor} [{clock}]\n\n{text or '-'}\n\n---\n\n")


def plain(talks: list[Conversation], tokenizer: str, stop: frozenset[str]) -> Ask:
    """SQLite's FTS5 as it comes: a row for each turn, any word of the question, BM25."""
    db = sqlite3.connect(":memory:")
    db.execute(f"CREATE VIRTUAL TABLE turn USING fts5(id UNINDEXED, text, tokenize='{tokenizer}')")
    rows = [(t.id, f"{t.actor}: {t.text}") for c in talks for s in c.sessions for t in s.turns]
    db.executemany("INSERT INTO turn VALUES (?, ?)", rows)

    def ask(question: str) -> list[str]:
        words = [w for w in re.findall(r"\w+", question.lower()) if w not in stop]
        match = " OR ".join(f'"{word}"' for word in words)
        if not match:
            return []
        asked = "SELECT id FROM turn WHERE turn MATCH ? ORDER BY bm25(turn) LIMIT ?"
        return [row[0] for row in db.execute(asked, (match, MOST))]

    return ask


SYSTEMS: dict[str, Callable[[list[Conversation], str], Ask]] = {
    "FTS5 unicode61": lambda talks, _: plain(talks, "unicode61", frozenset()),
    "FTS5 porter, stop words dropped": lambda talks, _: plain(talks, "porter", STOP_WORDS),
    "recollect search": product,
}
