"""Change, forget and archive existing memories."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial

from recollect._fastimport import Any, NamedTuple
from recollect.capture import save_memory
from recollect.capture.conflicting import may_contradict
from recollect.capture.save_memory import Advice, Draft, SaveResult, check_word
from recollect.errors import ChangedMeanwhile, EditKept, MemoryNotFound, StoreNotFound, UsageProblem
from recollect.features.entry_edit import (
    PERSON,
    Author,
    item_edited,
    section_at,
    section_edited,
    with_entries,
)
from recollect.model import document, entries, frontmatter
from recollect.model.entries import index_units, plain_name, rows_at, without_comments
from recollect.model.footnotes import Mark, unsigned
from recollect.model.frontmatter import Value
from recollect.model.layers import LayerChoice
from recollect.model.list_items import SOURCE_OF
from recollect.model.memory import (
    CORE,
    TRUSTS,
    Change,
    Document,
    Entry,
    IndexUnit,
    is_sealed_path,
    lowest_trust,
)
from recollect.model.page_form import ADDED
from recollect.model.times import time_of
from recollect.store import disk
from recollect.store.store import OpenStore
from recollect.store.transactions import paths_of
from recollect.text.sentences import without_marks_of_git
from recollect.workspace import Workspace, current_session, require_person, trust_of

FIXED = ("id", "created")
TRIES = 3  # to append, beside somebody's editor
WEIGHED = ("salience", "confidence")  # moved by use and reactions, unless a person has set them


def edit(
    store: OpenStore,
    name: str,
    *,
    title: str | None = None,
    body: str | None = None,
    append: str | None = None,
    by: Author = PERSON,
    dry_run: bool = False,
) -> SaveResult:
    """Change title or body of a memory, or of one of its sections (`id#anchor`).

    What somebody less trusted than the memory has changed is trusted no more than they are; what
    they append to something of the person's goes into a section of its own, and leaves it theirs.
    """
    title, body, append = (_clean(store, text, by) for text in (title, body, append))
    if any(text is not None and not text.strip() for text in (title, body, append)):
        raise _emptied(name)
    entry, anchor = store.named(name)
    said = body if title is None else title  # an item of a list has no title beside its words
    if anchor.startswith("^") and None not in (title, body):
        raise UsageProblem(what="This entry is one line: give --title or --body.", command="edit")

    def changed(old: str) -> str:
        now = document.body_of(old)
        about = _lead_of(entry, old, anchor) if is_added and by.trust != "user" else None
        to_list = append and (about is not None or (is_added and not anchor))
        if to_list and (listed := _on_list(store, entry, old, f"{about or ''}{append}", by)):
            return listed
        if about is not None:  # it stays the person's
            sign = partial(entries.signed, trust=by.trust, session=by.session, date=store.now[:10])
            more = f"{about}{(append or '').strip()}"
            return document.with_more(old, ADDED[store.settings.lang], more, sign)
        if anchor.startswith("^"):
            made = item_edited(store, entry, old, name, said=said, append=append, by=by)
            return document.with_body(old, made)
        if anchor:
            found = section_edited(now, name, title, body, append, by=by, now=store.now)
            return document.with_body(old, found)
        new_body = now if body is None else body.rstrip("\n") + "\n"
        if append is not None:
            new_body = f"{new_body.rstrip()}\n\n{append.strip()}\n"
        text = document.with_body(old, new_body)
        text = text if title is None else document.with_title(text, title)
        return _signed(entry, old, text, by)

    old, is_added = store.read_open(entry), title is None and body is None
    require_own_core(store, name, "user" if is_added else by.trust)
    text, again = changed(old.text), changed if is_added else None
    return _write(store, name, entry, old, text, cause="edit", dry_run=dry_run, again=again)


def _lead_of(entry: Entry, text: str, anchor: str) -> str | None:
    from recollect.features.list_item_edit import lead_of_addition  # seldom needed

    return lead_of_addition(document.memory_from_text(text, entry.path), anchor)


def _on_list(store: OpenStore, entry: Entry, text: str, more: str, by: Author) -> str:
    """The text of a page of entries with more of them; empty where it is none, or the words are no such."""
    if "<!--" not in document.body_of(text) or entry.trust == "external":
        return ""
    mark = Mark(plain_name(by.session), store.now, by.trust, SOURCE_OF[by.trust])
    return with_entries(text, entry.path, more, mark, store.settings.lang)


def _emptied(name: str) -> UsageProblem:
    what = f"The new text is empty; `recollect forget {name}` removes the memory."
    return UsageProblem(what=what, command="edit")


def _signed(entry: Entry, old: str, new: str, by: Author) -> str:
    """A new text of a whole memory, trusted no more than who has changed it."""
    if by.trust == "user" or new == old:
        return new
    said = frontmatter.split_front(old).value("trust")  # perhaps newer than the entry
    trusts = (entry.trust, by.trust, *([said] if said in TRUSTS else []))
    new = document.with_field(new, "trust", lowest_trust(*trusts))
    return document.with_field(new, "source", "inferred")


def _clean(store: OpenStore, text: str | None, by: Author) -> str | None:
    if text is None:
        return None
    # Each text for itself: in the form in which it is written a secret may not be known, and what
    # is left open as private would go on to the end of the file.
    text = without_marks_of_git(store.ledger.redact(text))
    return text if by.trust == "user" else unsigned(entries.unvouched(text))


def edit_text(
    store: OpenStore, name: str, text: str, seen: str, *, by: Author = PERSON, dry_run: bool = False
) -> SaveResult:
    """Replace the whole text of a memory, front matter and all, if it still is what was seen."""
    entry = store.require(name)
    old = store.read_open(entry)._replace(stamp=seen)
    text = text if by.trust == "user" else entries.unvouched(text)
    text = _signed(entry, old.text, text, by)
    return _write(store, name, entry, old, text, cause="edit", dry_run=dry_run)


def set_fields(
    store: OpenStore,
    name: str,
    values: Mapping[str, str],
    *,
    by: Author = PERSON,
    dry_run: bool = False,
) -> SaveResult:
    """Set fields of a memory or an entry; lists are given with commas, an empty value clears.

    A salience or confidence that is given again is the person's from then on.
    """
    entry, anchor = store.named(name)
    old = store.read_open(entry)
    if anchor:
        from recollect.features.entry_fields import with_entry_fields  # seldom needed

        text = with_entry_fields(store, name, old.text, values)
        return _write(store, name, entry, old, text, cause="set", dry_run=dry_run)
    text, have = old.text, document.fields_of(store.open_memory(entry))
    for key, value in values.items():
        new = checked_field(key, store.ledger.redact(value))
        if new == have[key] and frontmatter.split_front(text).value(key) is None:
            continue  # it is so without being said
        if key == "title" and isinstance(new, str) and new:
            text = document.with_title(text, new)
        else:
            text = document.with_field(text, key, new)
    if "title" in values:
        text = _signed(entry, old.text, text, by)
    kept = [k for k in WEIGHED if values.get(k, "").strip() == getattr(entry, k)]
    cause = _cause_of(store, entry, old, kept) if kept else "set"
    return _write(store, name, entry, old, text, cause=cause, dry_run=dry_run)


def _cause_of(store: OpenStore, entry: Entry, old: Document, kept: Iterable[str]) -> str:
    """The cause of a change that gives these fields the values that they have."""
    from recollect.consolidate import salience  # seldom needed

    ops = store.journal.ops_about("memory", entry.id)[::-1]
    mine = [k for k in kept if not salience.field_origin(k, entry.path, ops, old.text).is_set]
    return salience.cause_of(mine)


def checked_field(key: str, value: str) -> Value:
    """The value of a field as it is written. Raises UsageProblem."""
    if key not in document.ORDER or key in FIXED:
        known = ", ".join(k for k in document.ORDER if k not in FIXED)
        raise UsageProblem(what=f"“{key}” cannot be set; choose one of {known}.", command="set")
    check_word(key, value, "set")
    if key in document.LISTS:
        named = value.replace("，", ",").replace("、", ",").split(",")
        return [w.strip() for w in named if w.strip()]
    if key in document.DATES and value and not time_of(value):
        what = f"{key} must be a date such as 2026-01-11, not “{value}”."
        raise UsageProblem(what=what, command="set")
    return value.strip()


def _write(
    store: OpenStore,
    name: str,
    entry: Entry,
    old: Document,
    text: str,
    *,
    cause: str,
    dry_run: bool,
    again: Callable[[str], str] | None = None,
) -> SaveResult:
    """Write it; with `again`, which makes the new text of the old one, also where that has changed."""
    if text == old.text and cause in ("edit", "set"):  # else the same value is a person's choice
        return SaveResult(name, entry.path, "unchanged", layer=entry.layer, text=text)

    def plan() -> tuple[str, list[Change]]:
        stamp, new = old.stamp, text
        if again and store.files.stamp(entry.path) not in (stamp, None):
            now = store.read_open(entry)
            stamp, new = now.stamp, again(now.text)
        if frontmatter.split_front(new).lines:
            new = document.with_field(new, "updated", store.now)
        return new, [Change("put", entry.path, entry.id, stamp, new)]

    tries = TRIES if again else 1
    made = store.carry_out(plan, cause=cause, tries=tries, dry_run=dry_run)
    return SaveResult(name, entry.path, "changed", layer=entry.layer, text=made)


def forget(store: OpenStore, name: str, *, dry_run: bool = False) -> SaveResult:
    """Take a memory, or one section of it, out of the store; the journal keeps it for undo."""
    entry, anchor = store.named(name)
    if anchor:
        return _forget_section(store, entry, name, dry_run=dry_run)
    from recollect.features.list_item_edit import forgotten_in_sessions  # seldom needed

    def plan() -> list[Change]:
        return [*removals(store, entry), *forgotten_in_sessions(store, entry, rows)]

    rows = [] if is_sealed_path(entry.path) else index_units(store.open_memory(entry))
    store.commit(plan, cause="forget", dry_run=dry_run)
    return SaveResult(name, entry.path, "removed", layer=entry.layer)


def removals(store: OpenStore, entry: Entry) -> list[Change]:
    """The changes that take a memory out of the store."""
    return [
        Change("remove", path, entry.id, stamp)
        for path in document.files_of(entry.path)
        if (stamp := store.files.stamp(path)) is not None
    ]


def _forget_section(store: OpenStore, entry: Entry, name: str, *, dry_run: bool) -> SaveResult:
    old = store.read_open(entry)
    kept = body_without(entry, old.text, name)
    rows = rows_at(store.open_memory(entry), name.partition("#")[2])
    from recollect.features.list_item_edit import forgotten_in_sessions  # seldom needed

    def plan() -> list[Change]:
        changes = changes_to_body(store, entry, old, kept, is_listed=bool(rows))
        return [*changes, *forgotten_in_sessions(store, entry, rows)]

    ops = store.commit(plan, cause="forget", dry_run=dry_run)
    also = tuple(path for path in paths_of(ops) if path != entry.path)
    lines = [line.strip(" -*") for row in rows for line in _lines_of(row)]
    said = tuple(dict.fromkeys(filter(None, lines)))
    return SaveResult(name, entry.path, "removed", layer=entry.layer, also=also, said=said)


def body_without(entry: Entry, text: str, name: str) -> str:
    """The body of a page without the entry or the section of this name. Raises MemoryNotFound."""
    anchor = name.partition("#")[2]
    if anchor.startswith("^"):
        from recollect.features import list_item_edit  # seldom needed

        return list_item_edit.without_item(text, entry.path, name)
    body = document.body_of(text)
    return document.without_section(body, section_at(body, name).anchor)


def changes_to_body(
    store: OpenStore, entry: Entry, old: Document, body: str, *, is_listed: bool = True
) -> list[Change]:
    """The changes that leave this body of a page, or nothing of it: an empty page is nothing to list."""
    if is_listed and entries.is_emptied(document.memory_from_text(old.text, entry.path), body):
        return removals(store, entry)
    return [Change("put", entry.path, entry.id, old.stamp, document.with_body(old.text, body))]


def _lines_of(row: IndexUnit) -> list[str]:
    """What an entry says; the heading above an item of a list is not its own."""
    heading = [] if row.anchor.startswith("^") else [row.heading]
    return [*heading, *without_comments(row.text).splitlines()]


# ---------------------------------------------------------------------------------------- commands


class WriteResult(NamedTuple):
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
    said: tuple[str, ...] = ()  # what an entry that was removed said
    session: str = ""  # whose memory was purged
    secrets: int = 0  # that were taken out of what was given

    def as_json(self) -> dict[str, Any]:
        """What `--json` shows."""
        names = ["id", "path", "what", "scope", "layer"]
        names += [name for name in ("reason", "secrets") if getattr(self, name)]
        return {name: getattr(self, name) for name in names} | self.advice.as_json()


def draft(app: Workspace, title: str, body: str, **fields: Any) -> Draft:
    """A draft of what a person (or an agent for them) wants saved, trusted no more than who saves it."""
    if fields.get("conversation"):
        fields["kind"] = fields["kind"] or "conversation"
    if fields.setdefault("trust", "user") == "user":
        fields["trust"] = trust_of(app.env)
    fields["session"] = fields.get("session") or current_session(app.env)[1]
    return Draft(title, body, **fields)


def save(app: Workspace, wanted: Draft, *, scope: str, dry_run: bool) -> WriteResult:
    """Save a memory in the project's store, in the one that is named, or in one that is there."""
    wanted = wanted._replace(into=wanted.into.partition("#")[0])  # an entry stands for its page
    store = app.store_of(wanted.into) if wanted.into and not scope else app.store(scope)
    done = written(app, store, wanted, dry_run=dry_run)
    return result_of(store, done)._replace(secrets=_secrets_in(app, wanted, done.text))


def written(app: Workspace, store: OpenStore, new: Draft, *, dry_run: bool = False) -> SaveResult:
    """Save a memory in a store."""
    if may_contradict(store, new):
        from recollect.features.remember import save_contradicting  # other saves need none of it

        return save_contradicting(app, store, new, dry_run=dry_run)
    return save_memory.save(store, new, dry_run=dry_run)


_MARK = re.compile(r"\[redacted:[^\]\s]+\]")  # what stands where a secret was


def _secrets_in(app: Workspace, wanted: Draft, text: str) -> int:
    """How many secrets of a draft are not in the text that was made of it."""
    if not _MARK.search(text):
        return 0  # to look for secrets again takes as long as the save
    before, after = (set(_MARK.findall(str(one))) for one in (wanted, wanted.mapped(app.redact)))
    return len(after - before)


def by_of(app: Workspace) -> Author:
    """Who changes something here."""
    return Author(trust_of(app.env), current_session(app.env)[1])


def edit_memory(
    app: Workspace,
    name: str,
    *,
    title: str | None,
    body: str | None,
    append: str | None,
    dry_run: bool,
) -> WriteResult:
    """Change title or body of a memory or a section."""
    store = app.store_of(name)
    before = _text_of(store, name)
    done = edit(store, name, title=title, body=body, append=append, by=by_of(app), dry_run=dry_run)
    return result_of(store, done)._replace(before=before)


def require_own_core(store: OpenStore, name: str, trust: str) -> None:
    """Raise CoreOfPerson where an agent would change or remove a person's words that every brief has."""
    entry, anchor = store.named(name)
    if entry.path.startswith(f"{CORE}/"):
        from recollect.features import core_memory  # seldom needed

        old = store.read_open(entry)
        core_memory.require_own(store, entry.path, old, trust, anchor)


def _text_of(store: OpenStore, name: str) -> str:
    return store.read_open(store.require(name.partition("#")[0])).text


def edit_by_hand(
    app: Workspace, name: str, editor: Callable[[bytes, bool], bytes | None], *, dry_run: bool
) -> WriteResult:
    """Let a person change a text; what they wrote is kept if somebody else was quicker.

    It is that of the file, or of an entry with an id only its part of the file. `editor` gets the
    bytes, and whether they must not get to a disk; it gives the new ones, or None if nothing was
    changed.
    """
    store = app.store_of(name)
    memory_id = name.partition("#")[0]
    entry = store.require(memory_id)
    old = store.read_open(entry)
    is_secret = is_sealed_path(entry.path)
    from recollect.features import list_item_edit  # seldom needed

    require_own_core(store, name, trust_of(app.env))
    memory = list_item_edit.parsed(old.text, entry.path)
    before, own, after = list_item_edit.around(old.text, memory, name.partition("#")[2])
    data = editor(own.encode("utf-8", "surrogateescape"), is_secret)
    new = own if data is None else data.decode("utf-8", "surrogateescape")
    if not new.strip() and before:
        raise _emptied(name)
    if after and not new.endswith("\n"):
        new += "\n"
    text = f"{before}{new}{after}"
    try:
        done = edit_text(store, memory_id, text, old.stamp, by=by_of(app), dry_run=dry_run)
    except ChangedMeanwhile as error:
        kept = _rescue_path(app, store, memory_id)
        text = app.redact(text)
        if is_secret:
            kept, text = f"{kept}.age", app.sealing.seal(text)
        disk.write_whole(kept, text.encode("utf-8", "surrogateescape"))
        raise EditKept(path=error.fields["path"], kept=kept) from None
    return result_of(store, done)._replace(before=old.text)


def _rescue_path(app: Workspace, store: OpenStore, memory_id: str) -> str:
    """Where that goes what a person wrote while somebody else was quicker."""
    return f"{app.cache_of(store.root)}/edited-{memory_id}.md"


def set_memory_fields(
    app: Workspace, name: str, values: Mapping[str, str], *, dry_run: bool
) -> WriteResult:
    """Change fields of the front matter; an agent cannot make itself trusted."""
    if {"trust", "source"} & set(values):
        from recollect.features.review import require_person  # seldom needed

        require_person(app, "set")
    store = app.store_of(name)
    before = _text_of(store, name)
    with store.one_change():
        done = set_fields(store, name, values, by=by_of(app), dry_run=dry_run)
        if values.get("trust") == "user" and not dry_run:
            from recollect.features import repository  # seldom needed

            repository.believe(store, [name])
    return result_of(store, done)._replace(before=before)


def forget_memory(app: Workspace, name: str, *, purge: bool, dry_run: bool) -> WriteResult:
    """Take a memory out of its store; with `purge` out of the journal and the index as well.

    With that of a session goes what else is kept of it: its raw copy, its state, its remarks. A
    memory that was forgotten before can still be purged.
    """
    session = ""
    if purge:
        if not dry_run:
            what = "A purge cannot be undone, so only a person can run it: in your own terminal."
            require_person(app.env, "forget", what)
        from recollect.features import pins  # seldom needed
        from recollect.privacy.purge import purge_session, purge_text, session_behind

        session = session_behind(app, name)
    try:
        store = app.store_of(name)
        require_own_core(store, name, trust_of(app.env))
        done = forget(store, name, dry_run=dry_run)
    except MemoryNotFound:
        if not purge:
            raise
        store, done = _forgotten(app, name)
    if purge and not dry_run:
        with store.one_change():
            if session:
                purge_session(app, store, session)
            disk.remove(_rescue_path(app, store, done.id.partition("#")[0]))
            pins.purge_pointer(app, store, done)
            purge_text(app, store, done.id, [*document.files_of(done.path), *done.also])
    return result_of(store, done)._replace(session=session)


def _forgotten(app: Workspace, name: str) -> tuple[OpenStore, SaveResult]:
    """What is gone from the files but not from the journal. Raises MemoryNotFound."""
    from recollect.store import history  # seldom needed

    page, _, anchor = name.partition("#")
    for store in app.stores():
        if not anchor:
            for op in (op for past in history.history(store, name) for op in past.ops):
                if op.op == "remove" and op.memory == name:
                    return store, SaveResult(name, op.path, "removed")
            continue
        for op in store.journal.ops_about("memory", page):
            if op.text and (rows := rows_at(document.memory_from_text(op.text, op.path), anchor)):
                said = tuple(line for row in rows for line in _lines_of(row))
                return store, SaveResult(name, op.path, "removed", said=said)
    raise MemoryNotFound(id=name)


def is_doubted(app: Workspace, path: str) -> bool:
    """Whether a page is trusted only as the repository's."""
    stores: Iterable[OpenStore] = ()
    with suppress(StoreNotFound):  # one that was made for this page only
        stores = app.stores("")
    for store in (one for one in stores if one.files.believed is not None):
        inside = path.removeprefix(f"{store.root}/")
        stamp = None if os.path.isabs(inside) else store.files.stamp(inside)
        if stamp and not store.files.is_own(stamp):
            return True
    return False


def result_of(store: OpenStore, written: SaveResult) -> WriteResult:
    """What was written to a store, as it is shown."""
    return WriteResult(
        written.id,
        os.path.join(store.root, written.path),
        written.what,
        store.scope,
        written.layer,
        LayerChoice(written.layer, "", written.rule).reason if written.rule else "",
        written.text,
        advice=written.advice,
        said=written.said,
    )
