"""What is measured: the product, and plain baselines over the same turns.

Each system takes a conversation and answers a question with the ids of turns, best first.
Touches: a scratch folder.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable
from functools import partial

from bench.nothere import NotHere
from bench.recall.data import Conversation, Session
from recollect.app import App
from recollect.features import embedding
from recollect.model.memory import Filter
from recollect.search import search as searching
from recollect.text.tokens import STOP_WORDS

Ask = Callable[[str], list[str]]
MOST = 50
PRODUCT = "recollect search"


def product(talks: list[Conversation], folder: str, *, with_vectors: bool = False) -> Ask:
    """Recollect: the conversations as captured ones in a store, asked by `search`.

    With vectors they are made as the worker makes them, by the embedder that this person uses.
    """
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
    if with_vectors:
        app.embedder = embedding.in_use(App(project))
        if app.embedder is None:
            raise NotHere("no embedder is installed (recollect embedder install)")
        while embedding.keep_up(app, stores[0]):
            pass

    def ask(question: str) -> list[str]:
        found = searching.search(stores, question, Filter(), limit=MOST, every_section=True)
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


def library(talks: list[Conversation], _: str) -> Ask:
    """A library for BM25, with its own way of cutting words and its own stop words."""
    try:
        import bm25s  # type: ignore[import-not-found]
    except ImportError as error:
        raise NotHere("bm25s is not installed (pip install bm25s)") from error
    turns = [turn for talk in talks for session in talk.sessions for turn in session.turns]
    texts = [f"{turn.actor}: {turn.text}" for turn in turns]
    found = bm25s.BM25()
    found.index(bm25s.tokenize(texts, stopwords="en", show_progress=False), show_progress=False)

    def ask(question: str) -> list[str]:
        words = bm25s.tokenize([question], stopwords="en", show_progress=False)
        numbers, scores = found.retrieve(words, k=min(MOST, len(turns)), show_progress=False)
        rows = zip(numbers[0], scores[0], strict=True)
        return [turns[n].id for n, score in rows if score > 0]

    return ask


SYSTEMS: dict[str, Callable[[list[Conversation], str], Ask]] = {
    "FTS5 unicode61": lambda talks, _: plain(talks, "unicode61", frozenset()),
    "FTS5 porter, stop words dropped": lambda talks, _: plain(talks, "porter", STOP_WORDS),
    "bm25s": library,
    PRODUCT: product,
    "recollect search, with vectors": partial(product, with_vectors=True),
}
