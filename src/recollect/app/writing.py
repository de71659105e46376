"""App: the changes a person asks for, on the right store, with what follows from them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from recollect import fsio
from recollect.app.here import told, trust_of
from recollect.app.publishing import publish_after_change
from recollect.app.wiring import App
from recollect.domain.layers import Choice
from recollect.domain.names import is_sealed_path
from recollect.errors import (
    ChangedMeanwhile,
    EditKept,
    MemoryNotFound,
    UsageProblem,
)
from recollect.named import NamedTuple
from recollect.services import writing as service
from recollect.services.opened import OpenStore
from recollect.services.writing import Advice, Draft, Written


class Done(NamedTuple):
    """What was written, and where."""

    id: str
    path: str
    what: str
    scope: str
    layer: str
    reason: str
    text: str
    before: str = ""  # the text that it would replace, for a dry run
    advice: Advice = Advice()

    def as_json(self) -> dict[str, Any]:
        """What `--json` shows."""
        shown = {
            "id": self.id,
            "path": self.path,
            "what": self.what,
            "scope": self.scope,
            "layer": self.layer,
        }
        reason = {"reason": self.reason} if self.reason else {}
        return shown | reason | self.advice.as_json()


def draft(app: App, title: str, body: str, **fields: Any) -> Draft:
    """A draft of what a person (or an agent for them) wants saved."""
    if fields.get("conversation"):
        fields["kind"] = fields["kind"] or "conversation"
    return Draft(
        title,
        body,
        **fields,
        session=told(app.env)[1],
        trust=trust_of(app.env),
    )


def save(app: App, wanted: Draft, *, scope: str, dry_run: bool) -> Done:
    """Save a memory in the project's store, in the one that is named, or in one that is there."""
    store = app.store_of(wanted.into) if wanted.into and not scope else app.store(scope)
    return _done(app, store, service.save(store, wanted, dry_run=dry_run), dry_run=dry_run)


def edit(
    app: App, name: str, *, title: str | None, body: str | None, append: str | None, dry_run: bool
) -> Done:
    """Change title or body of a memory or a section."""
    store = app.store_of(name)
    before = _text_of(store, name)
    done = service.edit(store, name, title=title, body=body, append=append, dry_run=dry_run)
    return _done(app, store, done, dry_run=dry_run)._replace(before=before)


def _text_of(store: OpenStore, name: str) -> str:
    return store.read_open(store.require(name.partition("#")[0])).text


def edit_by_hand(
    app: App, name: str, editor: Callable[[bytes, bool], bytes | None], *, dry_run: bool
) -> Done:
    """Let a person change the whole text; what they wrote is kept if somebody else was quicker.

    `editor` gets the bytes of the file, and whether they must not get to a disk; it gives the new
    ones, or None if nothing was changed.
    """
    store = app.store_of(name)
    memory_id = name.partition("#")[0]
    entry = store.require(memory_id)
    document = store.read_open(entry)
    is_secret = is_sealed_path(entry.path)
    data = editor(document.text.encode("utf-8", "surrogateescape"), is_secret)
    text = document.text if data is None else data.decode("utf-8", "surrogateescape")
    try:
        done = service.edit_text(store, memory_id, text, document.stamp, dry_run=dry_run)
    except ChangedMeanwhile as error:
        kept = _kept_edit(app, store, memory_id)
        text = app.redact(text)
        if is_secret:
            kept, text = f"{kept}.age", app.sealing.seal(text)
        fsio.write_whole(kept, text.encode("utf-8", "surrogateescape"))
        raise EditKept(path=error.fields["path"], kept=kept) from None
    return _done(app, store, done, dry_run=dry_run)._replace(before=document.text)


def _kept_edit(app: App, store: OpenStore, memory_id: str) -> str:
    """Where that goes what a person wrote while somebody else was quicker."""
    return f"{app.cache_of(store.files.root)}/edited-{memory_id}.md"


def set_fields(app: App, name: str, values: Mapping[str, str], *, dry_run: bool) -> Done:
    """Change fields of the front matter; an agent cannot make itself trusted."""
    if "trust" in values:
        from recollect.app.reviewing import require_person  # seldom needed

        require_person(app, "set")
    store = app.store_of(name)
    before = _text_of(store, name)
    done = service.set_fields(store, name, values, dry_run=dry_run)
    return _done(app, store, done, dry_run=dry_run)._replace(before=before)


def forget(app: App, name: str, *, purge: bool, dry_run: bool) -> Done:
    """Take a memory out of its store; with `purge` out of the journal and the index as well.

    With that of a session goes what else is kept of it: its raw copy, its state, its remarks. A
    memory that was forgotten before can still be purged.
    """
    if purge and "#" in name:
        raise UsageProblem(
            what="Only a whole memory can be purged: its file's history holds every section.",
            command="forget",
        )
    session = ""
    if purge:
        from recollect.app import leaks  # seldom needed

        session = leaks.session_behind(app, name)
    try:
        store = app.store_of(name)
        done = service.forget(store, name, dry_run=dry_run)
    except MemoryNotFound:
        if not purge:
            raise
        store, done = _forgotten(app, name)
    if purge and not dry_run:
        if session:
            leaks.purge_session(app, store, session)
        service.purge(store, name, done.path)
        fsio.remove(_kept_edit(app, store, name))
        leaks.renew_copies(app, store)
    return _done(app, store, done, dry_run=dry_run)


def _forgotten(app: App, name: str) -> tuple[OpenStore, Written]:
    """A memory that is gone from the files but not from the journal. Raises MemoryNotFound."""
    from recollect.services import undoing  # seldom needed

    for store in app.stores():
        for past in undoing.history(store, name):
            for op in past.ops:
                if op.op == "remove" and op.memory == name:
                    return store, Written(name, op.path, "removed")
    raise MemoryNotFound(id=name)


def _done(app: App, store: OpenStore, written: Written, *, dry_run: bool) -> Done:
    if not dry_run and written.what != "unchanged":
        publish_after_change(app, store)
    return Done(
        written.id,
        os.path.join(store.files.root, written.path),
        written.what,
        store.scope,
        written.layer,
        Choice(written.layer, "", written.rule).reason if written.rule else "",
        written.text,
        advice=written.advice,
    )
