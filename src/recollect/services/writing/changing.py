"""Writing: changing a memory that is there, and taking it away."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from recollect.domain import codec, model
from recollect.domain.codec.fields import DATES, LISTS, ORDER, time_of
from recollect.domain.codec.frontmatter import Value
from recollect.domain.codec.sections import with_section_at, without_section
from recollect.domain.entries import without_comments
from recollect.domain.model import Change, Document, Entry
from recollect.errors import MemoryNotFound, UsageProblem
from recollect.named import NamedTuple
from recollect.services.opened import OpenStore
from recollect.services.writing.drafts import Written, check_word

FIXED = ("id", "created")
WEIGHED = ("salience", "confidence")  # moved by use and reactions, unless a person has set them


class Edit(NamedTuple):
    """A new text for a memory, and the one it is made from; the same text can be new too."""

    name: str
    entry: Entry
    old: Document
    text: str
    is_new: bool = False


def edit(
    store: OpenStore,
    name: str,
    *,
    title: str | None = None,
    body: str | None = None,
    append: str | None = None,
    dry_run: bool = False,
) -> Written:
    """Change title or body of a memory, or of one of its sections (`id#anchor`)."""
    title, body, append = (_clean(store, text) for text in (title, body, append))
    memory_id, _, anchor = name.partition("#")
    entry = store.require(memory_id)
    old = store.read_open(entry)
    front = codec.split_front(old.text)
    if anchor:
        text = codec.with_body(old.text, _section_edited(front.body, name, title, body, append))
    else:
        new_body = front.body if body is None else body.rstrip("\n") + "\n"
        if append is not None:
            new_body = f"{new_body.rstrip()}\n\n{append.strip()}\n"
        text = codec.with_body(old.text, new_body)
        if title is not None:
            text = codec.with_title(text, title)
    return _write(store, Edit(name, entry, old, text), cause="edit", dry_run=dry_run)


def _clean(store: OpenStore, text: str | None) -> str | None:
    # Each text for itself: in the form in which it is written a secret may not be known, and what
    # is left open as private would go on to the end of the file.
    return None if text is None else store.ledger.redact(text)


def _section_edited(
    body: str, name: str, title: str | None, new: str | None, append: str | None
) -> str:
    found = _section_at(body, name)
    text = found.text if new is None else new
    if title and new is None and without_comments(text).casefold() == found.heading.casefold():
        text = text.replace(without_comments(text), title, 1)  # it says what its title says
    if append is not None:
        text = f"{text.rstrip()}\n\n{append.strip()}"
    return with_section_at(body, found.anchor, found.heading if title is None else title, text)


def _section_at(body: str, name: str) -> model.Section:
    """The section that `id#anchor` names. Raises MemoryNotFound."""
    anchor = name.partition("#")[2]
    for section in codec.sections_of(body):
        if section.anchor == anchor:
            return section
    raise MemoryNotFound(id=name)


def edit_text(
    store: OpenStore, name: str, text: str, seen: str, *, dry_run: bool = False
) -> Written:
    """Replace the whole text of a memory, front matter and all, if it still is what was seen."""
    entry = store.require(name)
    old = store.read_open(entry)._replace(stamp=seen)
    return _write(store, Edit(name, entry, old, text), cause="edit", dry_run=dry_run)


def set_fields(
    store: OpenStore, name: str, values: Mapping[str, str], *, dry_run: bool = False
) -> Written:
    """Set fields of the front matter; lists are given with commas, an empty value clears.

    A salience or confidence that is given again is the person's from then on.
    """
    entry = store.require(name)
    old = store.read_open(entry)
    text = old.text
    for key, value in values.items():
        new = _checked(key, store.ledger.redact(value))
        if key == "title" and isinstance(new, str) and new:
            text = codec.with_title(text, new)
        else:
            text = codec.with_field(text, key, new)
    cause = "set"
    if kept := [k for k in WEIGHED if values.get(k, "").strip() == getattr(entry, k)]:
        cause = _cause_of(store, entry, old, kept)
    made = Edit(name, entry, old, text, is_new=cause != "set")
    return _write(store, made, cause=cause, dry_run=dry_run)


def _cause_of(store: OpenStore, entry: Entry, old: Document, kept: Iterable[str]) -> str:
    """The cause of a change that gives these fields the values that they have."""
    from recollect.domain import weighing  # seldom needed

    ops = store.journal.ops_about("memory", entry.id)[::-1]
    mine = [k for k in kept if not weighing.standing_of(k, entry.path, ops, old.text).is_set]
    return weighing.cause_of(mine)


def _checked(key: str, value: str) -> Value:
    """The value of a field as it is written. Raises UsageProblem."""
    if key not in ORDER or key in FIXED:
        known = ", ".join(k for k in ORDER if k not in FIXED)
        raise UsageProblem(what=f"“{key}” cannot be set; it is one of {known}.", command="set")
    check_word(key, value, "set")
    if key in LISTS:
        named = value.replace("，", ",").replace("、", ",").split(",")
        return [w.strip() for w in named if w.strip()]
    if key in DATES and value and not time_of(value):
        what = f"{key} is a date such as 2026-01-11; not “{value}”."
        raise UsageProblem(what=what, command="set")
    return value.strip()


def _write(store: OpenStore, made: Edit, *, cause: str, dry_run: bool) -> Written:
    entry, text = made.entry, made.text
    if text == made.old.text and not made.is_new:
        return Written(made.name, entry.path, "unchanged", layer=entry.layer, text=text)
    if codec.split_front(text).lines:
        text = codec.with_field(text, "updated", store.now)
    if not dry_run:
        change = Change("put", entry.path, entry.id, made.old.stamp, text)
        store.commit(lambda: [change], cause=cause)
    return Written(made.name, entry.path, "changed", layer=entry.layer, text=text)


def forget(store: OpenStore, name: str, *, dry_run: bool = False) -> Written:
    """Take a memory, or one section of it, out of the store; the journal keeps it for undo."""
    memory_id, _, anchor = name.partition("#")
    entry = store.require(memory_id)
    if anchor:
        return _forget_section(store, entry, name, dry_run=dry_run)

    def plan() -> list[Change]:
        return [
            Change("remove", path, entry.id, stamp)
            for path in files_of(entry.path)
            if (stamp := store.files.stamp(path)) is not None
        ]

    if not dry_run:
        store.commit(plan, cause="forget")
    return Written(name, entry.path, "removed", layer=entry.layer)


def files_of(path: str) -> list[str]:
    """The files that make up a memory: its own and the raw conversation beside it."""
    if path.endswith("/summary.md"):
        return [path, path.removesuffix("summary.md") + "conversation.md"]
    return [path]


def _forget_section(store: OpenStore, entry: Entry, name: str, *, dry_run: bool) -> Written:
    old = store.read_open(entry)
    body = codec.split_front(old.text).body
    found = _section_at(body, name)
    kept = without_section(body, found.anchor)
    change = Change("put", entry.path, entry.id, old.stamp, codec.with_body(old.text, kept))
    if not dry_run:
        store.commit(lambda: [change], cause="forget")
    return Written(name, entry.path, "removed", layer=entry.layer)


def purge(store: OpenStore, name: str, path: str) -> None:
    """Take a forgotten memory's text out of the journal and the index as well."""
    if "#" in name:
        raise UsageProblem(
            what="Only a whole memory can be purged: its file's history holds every section.",
            command="forget",
        )
    with store.files.locked():
        for file in files_of(path):
            store.journal.purge(file)
    store.index.purge()
