"""Writing: saving a new memory, in a file of its own or as a section of a shared one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from recollect.domain import codec, entries, layers, model, tags
from recollect.domain.codec.fields import layer_defaults
from recollect.domain.codec.frontmatter import Value
from recollect.domain.codec.sealed import with_conversation
from recollect.domain.model import TRUSTS, Change, Document
from recollect.domain.names import anchor_of
from recollect.domain.text import STOP_WORDS, plain_words
from recollect.errors import UsageProblem
from recollect.services.opened import OpenStore
from recollect.services.writing.drafts import (
    SHARED,
    Advice,
    Draft,
    Written,
    check_word,
    warnings_of,
)

TRIGGER = {"en": "Trigger", "zh": "触发词"}
SHARED_TITLES = {
    "en": {
        "procedural/feedback.md": "How to work here",
        "reference/external-systems.md": "Where to find things",
    },
    "zh": {
        "procedural/feedback.md": "工作方式",
        "reference/external-systems.md": "外部资源",
    },
}


def save(store: OpenStore, draft: Draft, *, dry_run: bool = False) -> Written:
    """Save a new memory; gives its id, its path and the rule that chose its layer."""
    # Before a name, a tag or a path is made of it, all of which are written as they are.
    draft = draft.mapped(store.ledger.redact)
    _require_words(draft)
    choice = layers.choose(draft.title, draft.body, draft.layer, draft.kind)
    if choice.layer in store.settings.encrypt and not draft.into:
        draft = draft._replace(encrypt=True)
    is_alone = draft.encrypt or draft.private  # a shared file is told of, and is in git
    is_section = not is_alone and SHARED.get(choice.kind, "").startswith(choice.layer)
    found = tags.Settled(draft.tags, ())
    if not draft.exact_tags:
        found = _settled_tags(store, draft, or_suggested=not is_section and not draft.into)
    draft = draft._replace(tags=found.tags)
    if draft.into:
        done = _save_into(store, draft, dry_run=dry_run)
    elif is_section:
        done = _save_section(store, draft, choice, dry_run=dry_run)
    else:
        done = _carried_out(store, lambda: _new_file(store, draft, choice), dry_run=dry_run)
    advice = _near(store, draft, choice, done.id)
    warnings = warnings_of(draft)
    return done._replace(advice=advice._replace(renamed=found.renamed, warnings=warnings))


def _near(store: OpenStore, draft: Draft, choice: layers.Choice, own: str) -> Advice:
    """The memory that a fact could be added to: the one with most tags in common, two at least."""
    if draft.into or choice.kind != "fact" or choice.layer != "semantic":
        return Advice()
    near = [entry for entry in store.index.sharing(draft.tags, choice.layer) if entry.id != own]
    best = tags.best_with(draft.tags, (entry for entry in near if _takes(entry, draft)))
    return (
        Advice(near=best.id, common=tags.common_tags(draft.tags, best.tags)) if best else Advice()
    )


def _settled_tags(store: OpenStore, draft: Draft, *, or_suggested: bool) -> tags.Settled:
    """The tags of a draft in the forms that the store uses; where none are given, likely ones."""
    given = list(draft.tags)
    if not given and or_suggested:
        given = layers.suggested_tags(draft.title, draft.body, STOP_WORDS)
    if not given:
        return tags.Settled((), ())
    forms = tags.wanted_forms(given)
    known = store.index.used_tags([*given, *(form for tag, form in forms.items() if form != tag)])
    alike = tags.maybe_alike(forms, known)
    words = {word for tag in alike for word in plain_words(tag)}
    stems = store.index.stems(sorted(words))
    found = tags.settled(given, forms, known, lambda word: stems.get(word, word))
    return found if draft.tags else found._replace(renamed=())


def _takes(entry: model.Entry, draft: Draft) -> bool:
    """Whether a memory is one that more facts can be added to."""
    return (
        entry.kind == "fact"
        and entry.private == draft.private
        and entry.project == draft.project
        and "core/" not in entry.path
    )


def _save_into(store: OpenStore, draft: Draft, *, dry_run: bool) -> Written:
    """Add a draft to a memory that is there, as a section of it."""
    entry = store.require(draft.into)
    if entry.archived or draft.private != entry.private:
        what = f"{entry.id} is in the archive or private; save this as a memory of its own."
        raise UsageProblem(what=what, command="save")
    if entry.path.startswith("core/") and draft.trust != "user":
        what = "This file is in every session; only a person changes it, with `recollect edit`."
        raise UsageProblem(what=what, command="save")
    title = " ".join(draft.title.split())
    is_trusted = TRUSTS.index(draft.trust) >= TRUSTS.index(entry.trust)
    body = draft.body.strip() or title
    if not is_trusted:  # the file stays the person's; the section says whose it is
        body += f"\n\n<!-- source: {draft.source or 'inferred'}; trust: {draft.trust} -->"
    added = draft._replace(body=body, tags=draft.tags if is_trusted else ())
    choice = layers.Choice(entry.layer, entry.kind, "asked")

    def plan() -> tuple[Written, list[Change]]:
        what, changes = section_change(store, entry.path, title, added, choice)
        name = f"{entry.id}#{_anchor(changes, store, entry.path, title)}"
        text = changes[0].text if changes else draft.body
        return Written(name, entry.path, what, choice.rule, choice.layer, text), changes

    return _carried_out(store, plan, dry_run=dry_run)


def _carried_out(
    store: OpenStore, plan: Callable[[], tuple[Written, list[Change]]], *, dry_run: bool
) -> Written:
    """What a plan writes; it is made anew for each try of the commit."""
    done: list[Written] = []

    def changes() -> list[Change]:
        written, changes = plan()
        done.append(written)
        return changes

    if dry_run:
        changes()
    else:
        store.commit(changes, cause="save")
    return done[-1]


def _require_words(draft: Draft) -> None:
    if not draft.title.strip():
        raise UsageProblem(what="A memory needs a title.", command="save")
    for key, value in (
        ("type", draft.layer), ("kind", draft.kind), ("salience", draft.salience),
        ("confidence", draft.confidence), ("source", draft.source), ("trust", draft.trust),
        ("status", draft.status),
    ):  # fmt: skip
        check_word(key, value, "save")


def _new_file(
    store: OpenStore, draft: Draft, choice: layers.Choice
) -> tuple[Written, list[Change]]:
    created = draft.created or store.now
    name = store.free_id(layers.name_of(choice.layer, draft.title, created))
    kind = "conversation" if draft.conversation and choice.kind == "note" else choice.kind
    path = store.path_for(choice.layer, "conversation" if draft.conversation else kind, name)
    if draft.encrypt:
        from recollect.services.sealing import new_place  # seldom needed

        name, path = new_place(store)
    fields = _fields_of(draft, choice._replace(kind=kind), name, created)
    body = draft.body.strip("\n")
    if not body.lstrip().startswith("# "):
        body = f"# {draft.title.strip()}\n\n{body}" if body else f"# {draft.title.strip()}"
    text = codec.new_text(fields, body)
    if draft.encrypt:
        text = with_conversation(text, draft.conversation)
    changes = [Change("put", path, name, None, text)]
    if draft.conversation and not draft.encrypt:
        log = path.removesuffix("summary.md") + "conversation.md"
        changes.insert(0, Change("put", log, name, None, draft.conversation))
    if draft.private:
        changes += _hidden_from_git(store, path)
    return Written(name, path, "created", choice.rule, choice.layer, text), changes


def _fields_of(draft: Draft, choice: layers.Choice, name: str, created: str) -> dict[str, Value]:
    default = layer_defaults(choice.layer)
    named = list(draft.tags) or layers.suggested_tags(draft.title, draft.body, STOP_WORDS)
    category = draft.category
    if not category and choice.kind in model.CATEGORIES:
        category = "other"
    fields: dict[str, Value] = {
        "id": name,
        "title": " ".join(draft.title.split()),
        "type": choice.layer,
        "kind": choice.kind,
        "category": category,
        "tags": named,
        "trigger": list(draft.trigger),
        "files": list(draft.files),
        "concepts": list(draft.concepts),
        "salience": draft.salience or default["salience"],
        "confidence": draft.confidence or default["confidence"],
        "source": draft.source or ("instructed" if draft.trust == "user" else default["source"]),
        "trust": draft.trust,
        "status": draft.status or default["status"],
        "related": [],
        "session": draft.session,
        "project": draft.project,
        "created": created,
        "updated": created,
        "last-accessed": created[:10],
        "private": "true" if draft.private else "",
    }
    if choice.layer == "episodic":
        fields |= {"retention": "temporary", "decay-after": layers.decay_day(created)}
    return fields


def _hidden_from_git(store: OpenStore, path: str) -> list[Change]:
    """A private memory is named in the store's .gitignore, so that no commit takes it along."""
    place = path.removesuffix("summary.md") if path.endswith("/summary.md") else path
    if not store.files.exists(".gitignore"):
        return [Change("put", ".gitignore", "", None, f"/{place}\n")]
    old = store.files.read(".gitignore")
    return [Change("put", ".gitignore", "", old.stamp, f"{old.text.rstrip()}\n/{place}\n")]


# ------------------------------------------------------------------------------ shared files


def _save_section(
    store: OpenStore, draft: Draft, choice: layers.Choice, *, dry_run: bool
) -> Written:
    path = SHARED[choice.kind]
    title = " ".join(draft.title.split())
    if choice.kind == "solution" and not entries.is_solution(title):
        title = entries.solution_title(title)

    def plan() -> tuple[Written, list[Change]]:
        what, changes = section_change(store, path, title, draft, choice)
        name = f"{_id_of(store, path)}#{_anchor(changes, store, path, title)}"
        return Written(name, path, what, choice.rule, choice.layer, draft.body), changes

    return _carried_out(store, plan, dry_run=dry_run)


def _id_of(store: OpenStore, path: str) -> str:
    if not store.files.exists(path):
        return path.rsplit("/", 1)[-1].removesuffix(".md")
    return codec.memory_from_text(store.files.read(path).text, path).id


def _anchor(changes: Sequence[Change], store: OpenStore, path: str, title: str) -> str:
    text = changes[0].text if changes else store.files.read(path).text
    section = codec.section_named(codec.split_front(text).body, title)
    return section.anchor if section else anchor_of(title)


def section_change(
    store: OpenStore,
    path: str,
    title: str,
    draft: Draft,
    choice: layers.Choice,
    *,
    replace: bool = False,
) -> tuple[str, list[Change]]:
    """`(what, changes)` that put a section into a shared file; none if it says that already."""
    body = _with_triggers(draft.body.strip() or title, title, draft, store.settings.lang)
    if not store.files.exists(path):
        # The file is the person's; what was captured says so in its own section.
        kind = "rule" if choice.layer == "procedural" else "pointer"
        shared = Draft(
            SHARED_TITLES[store.settings.lang][path], tags=draft.tags, trigger=draft.trigger
        )
        name = path.rsplit("/", 1)[-1].removesuffix(".md")
        fields = _fields_of(shared, choice._replace(kind=kind), name, store.now)
        text = codec.new_text(fields, f"# {shared.title}\n\n## {title}\n\n{body}\n")
        return "created", [Change("put", path, name, None, text)]
    old = store.files.read(path)
    front = codec.split_front(old.text)
    section = codec.section_named(front.body, title)
    if section and _says_already(section.text, body, replace=replace):
        return "unchanged", []
    if section and not replace:
        body = f"{section.text}\n\n{body}"
    text = codec.with_body(
        old.text, codec.with_section(front.body, section.heading if section else title, body)
    )
    text = _with_shared_fields(text, old, path, draft, store.now)
    what = "amended" if section else "created"
    return what, [Change("put", path, _id_of(store, path), old.stamp, text)]


def _with_triggers(body: str, title: str, draft: Draft, lang: str) -> str:
    """The body with a line for the triggers that it does not say: a section has no other field."""
    said = entries.said_of(draft.trigger, f"{title}\n{body}")
    more = [word for word in draft.trigger if word not in said]
    return f"{body}\n\n**{TRIGGER[lang]}:** {', '.join(more)}" if more else body


def _says_already(old: str, new: str, *, replace: bool) -> bool:
    if replace:  # with its comments: how far it is believed
        return old == new
    return entries.without_comments(new) in entries.without_comments(old)


def _with_shared_fields(text: str, old: Document, path: str, draft: Draft, now: str) -> str:
    memory = codec.memory_from_text(old.text, path)
    for key, new in (("tags", draft.tags), ("trigger", draft.trigger)):
        have = list(getattr(memory, key))
        more = [word for word in new if word not in have]
        if more:
            text = codec.with_field(text, key, have + more)
    return codec.with_field(text, "updated", now)
