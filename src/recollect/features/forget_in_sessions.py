"""Take statements out of the memories of the sessions in which they were learned, or mark them there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from recollect.model import document
from recollect.model.claim_key import statement_key
from recollect.model.document import files_of
from recollect.model.entries import is_conversation, without_comments
from recollect.model.filed import FILED, says, without_sentence, without_statement
from recollect.model.footnotes import is_same_origin
from recollect.model.memory import Change, Entry, Filter, Shelved, is_sealed_path
from recollect.store.store import OpenStore


def changes(store: OpenStore, entry: Entry, rows: Iterable[Shelved]) -> Iterator[Change]:
    """The changes to sessions' memories when these rows of an entry are forgotten."""
    for one, statements in _sessions_saying(store, entry, rows):
        for path in filter(store.files.exists, files_of(one.path)):
            old = store.files.read(path)
            text = old.text
            for said in statements:
                text = _without(text, path, one, said, store.settings.lang)
            if text != old.text:
                yield Change("put", path, one.id, old.stamp, text)


def marks(store: OpenStore, entry: Entry, rows: Iterable[Shelved]) -> Iterator[Change]:
    """The changes after which sessions' memories do not tell these rows of an entry by themselves."""
    from recollect.consolidate.actions import MarkFiled  # seldom needed
    from recollect.consolidate.edit import marked

    for one, statements in _sessions_saying(store, entry, rows):
        old = store.files.read(one.path)
        text = marked(old.text, [MarkFiled(one.path, said, FILED) for said in statements])
        if text != old.text:
            yield Change("put", one.path, one.id, old.stamp, text)


def _sessions_saying(
    store: OpenStore, entry: Entry, rows: Iterable[Shelved]
) -> Iterator[tuple[Entry, list[str]]]:
    """The memories of the sessions that these rows were learned in, with what each may say."""
    by_session: dict[str, list[str]] = {}
    for row in rows:
        if row.entry and row.session and row.kind != "solution":
            said = without_comments(row.text or row.heading)
            by_session.setdefault(row.session, []).append(said)
    if entry.layer == "episodic" or not by_session:
        return
    for one in store.index.entries(Filter(layer="episodic")):
        statements = [
            text
            for session, texts in by_session.items()
            if any(is_same_origin(session, name) for name in (one.id, one.session) if name)
            for text in texts
        ]
        if statements and one.kind == "session" and not is_sealed_path(one.path):
            yield one, statements


def _without(text: str, path: str, entry: Entry, said: str, lang: str) -> str:
    """The text of a session's file without a statement, even where that is its title."""
    key = statement_key(said)
    if is_conversation(path):
        return without_sentence(text, key)
    body = document.body_of(text)
    new = without_statement(body, said)
    text = document.with_body(text, new) if new != body else text
    title = entry.title.rstrip("…")
    is_cut = title != entry.title and key.startswith(statement_key(title))
    if says(title, key) or is_cut:
        day = entry.created[:10]
        text = document.with_title(text, f"{day} 的会话" if lang == "zh" else f"Session of {day}")
    return text
