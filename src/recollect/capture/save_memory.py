"""Save a new memory: as a file, or as a section of a shared one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from recollect._fastimport import NamedTuple, Pattern
from recollect.capture.conflicting import STATING, Rival, beside_known, listed_above, with_subject
from recollect.errors import UsageProblem
from recollect.model import document as codec
from recollect.model import entries, layers, tags
from recollect.model import memory as model
from recollect.model.claim_key import reversed_comment
from recollect.model.document import layer_defaults, usual_status, with_conversation, words_for
from recollect.model.facts import same_words
from recollect.model.footnotes import Mark, dates_in, ids_in, in_one_form, unsigned
from recollect.model.frontmatter import Value, split_front
from recollect.model.layers import SHARED, SHARED_TITLES
from recollect.model.list_items import SOURCE_OF, matched_triggers
from recollect.model.memory import (
    TRUSTS,
    Change,
    Document,
    Entry,
    anchor_of,
    free_name,
    is_sealed_path,
)
from recollect.model.page_form import id_behind, title_for, unlabelled
from recollect.store.store import OpenStore
from recollect.text.sentences import without_marks_of_git
from recollect.text.tokens import STOP_WORDS

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any


AlsoChanged = Callable[[list[Change]], list[Change]]
LONGEST_SUMMARY = 2_000  # characters of a conversation's summary, as seed 001 recommends


class Draft(NamedTuple):
    """A memory that is to be saved. Empty fields get their defaults."""

    title: str
    body: str = ""
    layer: str = ""
    kind: str = ""
    category: str = ""
    tags: tuple[str, ...] = ()
    trigger: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()
    salience: str = ""
    confidence: str = ""
    source: str = ""
    trust: str = "user"
    status: str = ""
    session: str = ""
    conversation: str = ""
    private: bool = False
    created: str = ""
    into: str = ""  # the memory to which it is added
    encrypt: bool = False  # in a file of its own, whatever it is

    def mapped(self, change: Callable[[str], str]) -> Draft:
        """The draft with every text in it changed."""
        texts: dict[str, Any] = {}
        for name, value in self._asdict().items():
            if isinstance(value, str):
                texts[name] = change(value)
            elif isinstance(value, tuple):
                texts[name] = tuple(map(change, value))
        return self._replace(**texts)


class Advice(NamedTuple):
    """What somebody who saves may want to know; nothing of it stands in the way."""

    near: str = ""  # a memory that it could be added to instead
    instead: tuple[str, ...] = ()  # what it contradicts and takes the place of, in its words
    common: tuple[str, ...] = ()  # the tags that both have
    warnings: tuple[str, ...] = ()  # long-summary, many-keywords, many-tags
    waits: str = ""  # what it may contradict, in its words: it holds when the person says so

    def as_json(self) -> dict[str, Any]:
        """What there is to say."""
        said: dict[str, Any] = {}
        if self.near:
            said["near"] = {"id": self.near, "tags": list(self.common)}
        if self.instead:
            said["instead"] = list(self.instead)
        if self.waits:
            said["waits"] = self.waits
        return said | ({"warnings": list(self.warnings)} if self.warnings else {})


class SaveResult(NamedTuple):
    """What a change did, or would do."""

    id: str
    path: str
    what: str  # created, amended, unchanged, changed, removed
    rule: str = ""
    layer: str = ""
    text: str = ""
    advice: Advice = Advice()  # of a saved draft
    also: tuple[str, ...] = ()  # other files that it changed
    said: tuple[str, ...] = ()  # what an entry that it removed said, line by line


def warnings_of(draft: Draft) -> tuple[str, ...]:
    """What is more, or less, than serves well; a draft without tags gets some."""
    found = []
    if draft.conversation or draft.kind == "conversation":
        if len(draft.body) > LONGEST_SUMMARY:
            found.append("long-summary")
        if len(draft.tags) > tags.MOST_OF_CONVERSATION:
            found.append("many-keywords")
    elif len(draft.tags) > tags.MOST:
        found.append("many-tags")
    return tuple(found)


def check_word(key: str, value: str, command: str) -> None:
    """Raise UsageProblem if a field does not take this word."""
    words = words_for(key)
    if value and words and value not in words:
        known = ", ".join(words)
        raise UsageProblem(what=f"{key} must be one of {known}, not “{value}”.", command=command)


TRIGGER = {"en": "Trigger", "zh": "触发词"}
_DATE = Pattern(r"; date: [^;<>]*")
_TRUSTED_LESS = Pattern(r"; trust: (?!user\b)")


def save(
    store: OpenStore, draft: Draft, *, dry_run: bool = False, also: AlsoChanged | None = None
) -> SaveResult:
    """Save a new memory; gives its id, its path and the rule that chose its layer.

    `also` makes of its changes, if any, those that are made at once with them.
    """
    # Before a name, a tag or a path is made of it, all of which are written as they are.
    draft = draft.mapped(store.ledger.redact)
    draft = draft._replace(body=without_marks_of_git(draft.body))
    if draft.trust != "user":
        draft = draft.mapped(lambda text: unsigned(entries.unvouched(text)))
    _require_words(draft)
    choice = layers.choose(draft.title, draft.body, draft.layer, draft.kind)
    if choice.layer in store.settings.encrypt and not draft.into:
        draft = draft._replace(encrypt=True)
    is_alone = draft.encrypt or draft.private  # a shared file is told of, and is in git
    is_section = not is_alone and SHARED.get(choice.kind, "").startswith(choice.layer)
    given = tags.as_written(draft.tags)
    if not given and not is_section and not draft.into:
        given = tuple(layers.suggested_tags(draft.title, draft.body, STOP_WORDS))
    draft = draft._replace(tags=given)
    rivals: list[Rival] = []
    if draft.into:
        done = _save_into(store, draft, dry_run=dry_run)
    else:
        if not is_alone:
            draft, rivals = beside_known(store, draft, choice, SHARED.get(choice.kind, ""))
        if not is_alone and not is_section:
            rivals = list(dict.fromkeys((*rivals, *_contradicted_by_title(store, draft, choice))))
        draft = draft._replace(title=with_subject(draft.title, rivals))
        if is_section:
            done = _save_section(store, draft, choice, rivals, dry_run=dry_run, also=also)
        else:
            made = lambda: _superseding(store, rivals, _new_file(store, draft, choice))  # noqa: E731
            done = _carried_out(store, made, dry_run=dry_run, also=also)
    advice = _near(store, draft, choice, done.id)
    instead = tuple(rival.text for rival in rivals) if done.what != "unchanged" else ()
    return done._replace(advice=advice._replace(warnings=warnings_of(draft), instead=instead))


def _superseding(
    store: OpenStore, rivals: Sequence[Rival], made: tuple[SaveResult, list[Change]]
) -> tuple[SaveResult, list[Change]]:
    """What writes a new file, and what says of those that it contradicts that they hold no more."""
    done, changes = made
    if done.what != "created" or not rivals:
        return made
    gone = [one.id for one in rivals]
    for n, one in enumerate(changes):
        if one.path == done.path:
            changes[n] = one._replace(text=codec.with_field(one.text, "supersedes", gone))
    for rival in rivals:
        old = store.files.read(rival.path)
        text = codec.with_field(old.text, "status", "superseded")
        text = codec.with_field(text, "updated", store.now)
        changes.append(Change("put", rival.path, rival.id, old.stamp, text))
    return done, changes


def _near(store: OpenStore, draft: Draft, choice: layers.LayerChoice, own: str) -> Advice:
    """The memory that a fact could be added to: the one with most tags in common, two at least."""
    if draft.into or choice.kind != "fact" or choice.layer != "semantic":
        return Advice()
    near = [entry for entry in store.index.sharing(draft.tags, choice.layer) if entry.id != own]
    best = tags.best_with(draft.tags, (entry for entry in near if _takes(entry, draft)))
    return (
        Advice(near=best.id, common=tags.common_tags(draft.tags, best.tags)) if best else Advice()
    )


def _takes(entry: model.Entry, draft: Draft) -> bool:
    """Whether a memory is one that more facts can be added to."""
    return entry.kind == "fact" and entry.private == draft.private and "core/" not in entry.path


def _save_into(store: OpenStore, draft: Draft, *, dry_run: bool) -> SaveResult:
    """Add a draft to a memory that is there, as a section of it."""
    entry = store.require(draft.into)
    if entry.archived or draft.private != entry.private:
        what = f"{entry.id} is in the archive or private; save this as a memory of its own."
        raise UsageProblem(what=what, command="save")
    if entry.path.startswith("core/") and draft.trust != "user":
        what = "Every session loads this file; only a person can change it, with `recollect edit`."
        raise UsageProblem(what=what, command="save")
    title = " ".join(draft.title.split())
    is_trusted = TRUSTS.index(draft.trust) >= TRUSTS.index(entry.trust)
    body = draft.body.strip() or title
    added = draft._replace(body=body, tags=draft.tags if is_trusted else ())
    choice = layers.LayerChoice(entry.layer, entry.kind, "asked")

    def plan() -> tuple[SaveResult, list[Change]]:
        what, changes = section_change(store, entry.path, title, added, choice)
        name = f"{entry.id}#{_anchor(changes, store, entry.path, title)}"
        text = changes[0].text if changes else draft.body
        return SaveResult(name, entry.path, what, choice.rule, choice.layer, text), changes

    return _carried_out(store, plan, dry_run=dry_run)


def _carried_out(
    store: OpenStore,
    plan: Callable[[], tuple[SaveResult, list[Change]]],
    *,
    dry_run: bool,
    also: AlsoChanged | None = None,
) -> SaveResult:
    """What a plan writes; it is made anew for each try of the commit."""
    done: list[SaveResult] = []

    def changes() -> list[Change]:
        written, changes = plan()
        done.append(written)
        return also(changes) if also else changes

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


def same_titled(store: OpenStore, draft: Draft, choice: layers.LayerChoice) -> list[Entry]:
    """The memories of this title, of this kind where one is named, that a draft could be one with."""
    title, found = same_words(draft.title), []

    def is_taken(name: str) -> bool:
        entry = store.index.entry(name)
        if entry is not None:
            found.append(entry)
        return store.is_taken(name)

    for name in dict.fromkeys((draft.title, model.latin_slug_of(draft.title))):  # once pinyin
        free_name(layers.name_of(choice.layer, name, draft.created or store.now), is_taken)
    if choice.kind in model.CATEGORIES:  # stated as facts, they have a number before their names
        found += [e for e in store.index.entries(model.Filter(kind=choice.kind)) if e not in found]
    is_any = not (draft.kind or draft.layer)
    return [
        entry
        for entry in found
        if same_words(entry.title) == title
        and (is_any or entry.kind == choice.kind)
        and entry.status != "superseded"
        and entry.private == draft.private
        and not entry.archived
        and not is_sealed_path(entry.path)
    ]


def says_the_same(store: OpenStore, entry: Entry, draft: Draft) -> bool:
    """Whether a memory of the same title says what a draft says, and nothing else."""
    log = entry.path.removesuffix("summary.md") + "conversation.md"
    if draft.conversation:
        has_log = entry.path.endswith("/summary.md") and store.files.exists(log)
        if not has_log or store.files.read(log).text.split() != draft.conversation.split():
            return False
    body = codec.memory_from_text(store.read(entry).text, entry.path).body
    return _beside_title(body, draft.title) == _beside_title(draft.body, draft.title)


def _contradicted_by_title(
    store: OpenStore, draft: Draft, choice: layers.LayerChoice
) -> list[Rival]:
    """The memories of a draft's title whose text it surely contradicts, and nobody trusted more said."""
    if choice.kind not in STATING or not draft.body.strip() or draft.conversation:
        return []
    from recollect.model.conflicts import conflict_between  # seldom needed
    from recollect.model.values import SURE

    new, found = _in_a_line(draft.title, draft.body), []
    for one in same_titled(store, draft, choice):
        if TRUSTS.index(one.trust) > TRUSTS.index(draft.trust):
            continue
        body = codec.memory_from_text(store.read(one).text, one.path).body
        old = _in_a_line(one.title, entries.without_comments(body))
        conflict = conflict_between(old, new)
        if conflict and conflict.certainty == SURE:
            found.append(Rival(one.id, one.path, old))
    return found


def _in_a_line(title: str, body: str) -> str:
    """A memory as one statement: `Order timeout: 30 seconds`."""
    first, _, rest = body.strip().partition("\n")
    said = rest if first.startswith("# ") else body
    return f"{' '.join(title.split())}: {' '.join(said.split())}"


def _beside_title(body: str, title: str) -> str:
    """What a text says beside its title."""
    text = entries.without_comments(body)
    first, _, rest = text.partition("\n")
    said, title = same_words(text), same_words(title)
    if first.startswith("# ") and same_words(first[2:]) == title:
        said = same_words(rest)
    return "" if said == title else said


def _again(
    store: OpenStore, draft: Draft, choice: layers.LayerChoice
) -> tuple[SaveResult, list[Change]] | None:
    """What becomes of a memory that is told again: nothing, or the word of who is trusted more."""
    if draft.encrypt:
        return None
    same = [one for one in same_titled(store, draft, choice) if says_the_same(store, one, draft)]
    if not same:
        return None
    old = max(same, key=lambda entry: TRUSTS.index(entry.trust))
    done = SaveResult(old.id, old.path, "unchanged", choice.rule, old.layer, draft.body)
    if TRUSTS.index(draft.trust) <= TRUSTS.index(old.trust):
        return done, []
    document = store.read(old)
    text = codec.with_field(document.text, "trust", draft.trust)
    text = codec.with_field(text, "source", draft.source or SOURCE_OF[draft.trust])
    text = codec.with_field(text, "updated", store.now)
    return done._replace(what="amended", text=text), [
        Change("put", old.path, old.id, document.stamp, text)
    ]


def _new_file(
    store: OpenStore, draft: Draft, choice: layers.LayerChoice
) -> tuple[SaveResult, list[Change]]:
    known = _again(store, draft, choice)
    if known:
        return known
    created = draft.created or store.now
    name = store.free_id(layers.name_of(choice.layer, draft.title, created))
    kind = "conversation" if draft.conversation and choice.kind == "note" else choice.kind
    path = store.path_for(choice.layer, "conversation" if draft.conversation else kind, name)
    if draft.encrypt:
        from recollect.privacy.sealing import new_place  # seldom needed

        name, path = new_place(store)
    fields = _fields_of(draft, choice._replace(kind=kind), name, created)
    body = draft.body.strip("\n")
    if not body.lstrip().startswith("# "):
        body = f"# {draft.title.strip()}" + (f"\n\n{body}" if body else "")
    text = codec.new_text(fields, body, path)
    if draft.encrypt:
        text = with_conversation(text, draft.conversation)
    changes = [Change("put", path, name, None, text)]
    if draft.conversation and not draft.encrypt:
        log = path.removesuffix("summary.md") + "conversation.md"
        changes.insert(0, Change("put", log, name, None, draft.conversation))
    return SaveResult(name, path, "created", choice.rule, choice.layer, text), changes


def _fields_of(
    draft: Draft, choice: layers.LayerChoice, name: str, created: str
) -> dict[str, Value]:
    default = layer_defaults(choice.layer)
    named = list(draft.tags) or layers.suggested_tags(draft.title, draft.body, STOP_WORDS)
    category = draft.category
    if not category and choice.kind in model.CATEGORIES:
        category = "other"
    return {
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
        "status": draft.status or usual_status(choice.kind),
        "related": [],
        "session": draft.session,
        "created": created,
        "updated": created,
        "last-accessed": created[:10],
        "private": "true" if draft.private else "",
    }


def _save_section(
    store: OpenStore,
    draft: Draft,
    choice: layers.LayerChoice,
    rivals: Sequence[Rival],
    *,
    dry_run: bool,
    also: AlsoChanged | None,
) -> SaveResult:
    path = SHARED[choice.kind]
    title = " ".join(draft.title.split())
    if draft.trust == "user" and choice.kind != "solution":
        # A tag is the page's, a trigger the section's.
        draft = draft._replace(trigger=tuple(dict.fromkeys((*draft.trigger, *draft.tags))))
    if choice.kind == "solution" and not entries.is_solution(title):
        title = entries.solution_title(title)

    def plan() -> tuple[SaveResult, list[Change]]:
        what, changes = section_change(store, path, title, draft, choice)
        changes = [_without_rivals(change, title, rivals, store.now) for change in changes]
        name = f"{_id_of(store, path)}#{_anchor(changes, store, path, title)}"
        return SaveResult(name, path, what, choice.rule, choice.layer, draft.body), changes

    return _carried_out(store, plan, dry_run=dry_run, also=also)


def _without_rivals(change: Change, title: str, rivals: Sequence[Rival], now: str) -> Change:
    """The change without the sections that the new one contradicts; a comment keeps their wording."""
    if not rivals:
        return change
    body = codec.body_of(change.text)
    past = []
    for rival in rivals:
        section = _section_of(body, rival.text)
        if section and same_words(rival.text) != same_words(title):
            body = codec.without_section(body, section.anchor)
            why = " ".join(entries.without_comments(section.text).split())
            is_more = same_words(why) not in ("", same_words(rival.text))
            past.append(reversed_comment(now, f"{rival.text}: {why}" if is_more else rival.text))
    if (section := _section_of(body, title)) and past:
        is_item = section.text.startswith("- ") and "\n" not in section.text
        below = [f"  {one}" for one in past] if is_item else ["", *past]
        text = "\n".join([section.text, *below])
        body = codec.with_section_at(body, section.anchor, section.heading, text)
    return change._replace(text=codec.with_body(change.text, body))


def _id_of(store: OpenStore, path: str) -> str:
    if not store.files.exists(path):
        return codec.stem_of(path)
    return codec.memory_from_text(store.files.read(path).text, path).id


def _anchor(changes: Sequence[Change], store: OpenStore, path: str, title: str) -> str:
    text = changes[0].text if changes else store.files.read(path).text
    if found := _section_of(codec.body_of(text), title):
        return found.anchor
    return listed_above(text, path, title) or anchor_of(title)


def section_change(
    store: OpenStore,
    path: str,
    title: str,
    draft: Draft,
    choice: layers.LayerChoice,
    *,
    replace: bool = False,
) -> tuple[str, list[Change]]:
    """`(what, changes)` that put a section into a shared file; none if it says that already."""
    said, when = draft.body.strip() or title, draft.created or store.now
    body = _with_triggers(said, title, draft, store.settings.lang)
    is_page = path in SHARED.values() or (
        draft.into and path.startswith(("semantic/", "procedural/"))
    )
    if draft.trust == "user" and is_page:
        title, body = entries.dated(title, body, draft.source or "instructed", when)
    elif path in SHARED.values() and body == title and choice.kind != "rule":
        session = entries.plain_name(draft.session)
        mark = Mark(session, when[:10], draft.trust, draft.source or "inferred")
        title, body = entries.heading_alone(title, mark)
    body = entries.signed(body, draft.trust, draft.source, draft.session, when[:10])
    if not store.files.exists(path):
        text = _new_shared(store, path, (title, body), draft, choice)
        return "created", [Change("put", path, codec.stem_of(path), None, text)]
    old = store.files.read(path)
    if same_words(said) == same_words(title) and listed_above(old.text, path, said):
        return "unchanged", []
    now = codec.body_of(old.text)
    section = _section_of(now, title)
    if section and _says_already(section, body, replace=replace):
        if replace or not _is_raised(section.text, body, draft):
            return "unchanged", []
        replace = True
        if unlabelled(section.heading) != section.heading:  # it is the person's from now on
            now, section = codec.without_section(now, section.anchor), None
    if section and not replace:
        body = f"{section.text}\n\n{body}"
    heading = section.heading if section else title
    tail = "" if path.startswith("core/") else id_behind(heading, ids_in(now))
    text = codec.with_body(old.text, codec.with_section(now, heading, body, tail))
    text = _with_shared_fields(text, old, path, draft, store.now)
    what = "amended" if section else "created"
    return what, [Change("put", path, _id_of(store, path), old.stamp, text)]


def _new_shared(
    store: OpenStore, path: str, section: tuple[str, str], draft: Draft, choice: layers.LayerChoice
) -> str:
    """The text of a shared file, which is the person's; its first section says whose that is."""
    shared = Draft(SHARED_TITLES[store.settings.lang][path], trigger=draft.trigger)
    usual = choice._replace(kind="rule" if choice.layer == "procedural" else "pointer")
    fields = _fields_of(shared, usual, codec.stem_of(path), store.now)  # tags: not of its title
    fields |= {"source": layer_defaults(choice.layer)["source"], "tags": list(draft.tags)}
    made = codec.with_section(f"# {shared.title}\n", *section, id_behind(section[0], ()))
    if draft.trust == "tool" and dates_in(made):  # which say how old the page is
        fields |= dict.fromkeys(("created", "updated", "last-accessed"), "")
    return codec.new_text(fields, made, path)


def _with_triggers(body: str, title: str, draft: Draft, lang: str) -> str:
    """The body with a line for the triggers that it does not say: a section has no other field."""
    told = {*matched_triggers(draft.trigger, f"{title}\n{body}")}
    more = ", ".join(word for word in draft.trigger if word not in told)
    said = "" if body == title else f"{body}\n\n"
    return f"{said}**{TRIGGER[lang]}:** {more}" if more else body


def _section_of(body: str, title: str) -> model.Section | None:
    """The section of this title, whatever its case, width and punctuation."""
    found = codec.section_named(body, title)
    wanted = {same_words(one) for one in (title, title_for(title), unlabelled(title))}
    named = (s for s in codec.sections_of(body) if same_words(unlabelled(s.heading)) in wanted)
    return found or next((section for section in named if section.heading), None)


def _says_already(section: model.Section, new: str, *, replace: bool) -> bool:
    """Whether the paragraphs of a text stand, one after the other, in what is there."""
    if replace:  # with its comments: how far it is believed
        return _undated(section.text) == _undated(new)
    have, wanted = (_paragraphs(entries.without_comments(text)) for text in (section.text, new))
    is_title = wanted == [same_words(section.heading)] and not _TRUSTED_LESS.search(section.text)
    size = len(wanted)
    return is_title or any(have[n : n + size] == wanted for n in range(len(have) - size + 1))


def _undated(text: str) -> str:
    """A text with its comments, whenever they say that it was learned."""
    return _DATE.sub("", in_one_form(text))


def _is_raised(old: str, new: str, draft: Draft) -> bool:
    """Whether a person says word for word what only an agent said so far."""
    have, wanted = (_paragraphs(entries.without_comments(text)) for text in (old, new))
    return have == wanted and draft.trust == "user" and "trust: agent" in old


def _paragraphs(text: str) -> list[str]:
    return [same_words(part) for part in text.split("\n\n") if part.strip()]


def _with_shared_fields(text: str, old: Document, path: str, draft: Draft, now: str) -> str:
    memory = codec.memory_from_text(old.text, path)
    for key, new in (("tags", draft.tags), ("trigger", draft.trigger)):
        have = list(getattr(memory, key))
        if more := [word for word in new if word not in have]:
            text = codec.with_field(text, key, have + more)
    if draft.trust == "tool" and not split_front(text).value("created") and dates_in(memory.body):
        return text
    return codec.with_field(text, "updated", now)
