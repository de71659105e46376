"""What an agent can do with memory through tools.

Output is fenced and limited in size. What an agent writes has an agent's trust. Each change can be
undone. Always-loaded files cannot be written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from recollect._fastimport import NamedTuple
from recollect.capture import save_memory
from recollect.capture.save_memory import Draft, SaveResult
from recollect.context import pack, views
from recollect.errors import AlreadyThere, MemoryNotFound, UsageProblem
from recollect.features import memories, reading
from recollect.features.entry_edit import Author, section_at
from recollect.features.memories import WriteResult, save
from recollect.features.reading import ListedEntry, ListRow
from recollect.model import document, layers
from recollect.model.entries import index_units, rows_at, without_comments
from recollect.model.layers import SHARED
from recollect.model.memory import CATEGORIES, SESSION_KINDS, Entry, Filter, lowest_trust
from recollect.search import rank, relevance
from recollect.search.rank import Candidate
from recollect.store.store import OpenStore
from recollect.text.redact import strip_private
from recollect.text.tokens import content_words, index_terms
from recollect.workspace import Workspace, current_session

MOST_CHARS = pack.HARD_CAP  # of an answer
READ_WITH = {
    "en": "Also stored (read one with the tool `expand`):",
    "zh": "另有相关记录（用工具 `expand` 查看）：",
}
LESS_SURE = {"en": "Less sure to bear on it:", "zh": "可能也有关："}
MOST_LOOKED_AT, MOST_NEAR = 12, 3
# Of what a question asks for, by weight: chosen on 43 questions of agents, and tried on 57 others
# (docs/measurements/2026-11-29-agents-ask.md).
ENOUGH_OF_ASKED = 0.3
LONGEST_STATEMENT = 800  # characters
MOST_ROWS = 100  # of the table of a store
ALWAYS_LOADED = "core/"


class Notes(NamedTuple):
    """The answer of a tool: fenced notes, the ids of those in it, and how many were left out."""

    text: str
    ids: list[str]
    more: int = 0
    full: Sequence[str] = ()  # the ids of the notes whose whole text is in it


# -------------------------------------------------------------------------------------- reading


def recall(app: Workspace, cue: str, *, budget: int | None) -> Notes:
    """What bears on a task or a question: what a hook would give, then the nearest statements.

    A prompt for which nobody asked for a note gets only what surely bears on it; an agent that asks
    gets the best there is, and judges by itself.
    """
    tokens = app.stores("")[0].settings.prompt_tokens if budget is None else budget
    found = reading.recall(app, cue, budget=tokens, scope="")
    lang = app.lang
    full = [one.name for one in found.full]
    ids = [*full, *(one.name for one in found.pointers)]
    text = found.text.replace(f"\n{pack.MORE[lang]}\n", f"\n{READ_WITH[lang]}\n")
    start = f"{text}\n{LESS_SURE[lang]}" if ids else pack.INTRO[lang]
    room = pack.Room(tokens, MOST_CHARS)
    near: list[tuple[str, str]] = []
    if len(full) < MOST_NEAR and room.take(start):
        others = (one for one in _nearest(app, cue) if one[1] not in ids)
        near = [one for one in islice(others, MOST_NEAR - len(full)) if room.take(one[0])]
    if near:
        text = "\n".join([start, *(block for block, _ in near)])
    return Notes(text, [*ids, *(name for _, name in near)], full=full)


def _nearest(app: Workspace, cue: str) -> list[tuple[str, str]]:
    """The statements with enough of a question's words, best first: each fenced, with its name.

    Enough is half of the words, or three tenths of their weight with a telling word among them.
    """
    asked, words = reading.weights_of(app, cue), content_words(cue)
    hits = reading.search(
        app, cue, Filter(superseded=False), limit=MOST_LOOKED_AT, scope="", sections=True
    )
    nonce = pack.new_nonce()
    near: list[tuple[str, str]] = []
    for hit in hits:
        one = hit.candidate
        is_out = one.kind in SESSION_KINDS or one.path.startswith(ALWAYS_LOADED)
        if is_out or one.trust == "external" or not rank.is_fit(one):
            continue
        said = f"{one.own_title} {one.trigger} {one.tags} {one.text}"
        found = relevance.found_in(asked, index_terms(said)).values()
        is_near = sum(found) >= ENOUGH_OF_ASKED * sum(asked.values())
        is_near = is_near and max(found, default=0.0) >= relevance.LEAST_TELLING
        if is_near or 2 * len(words & content_words(said)) >= len(words):
            text = one.text if len(one.text) <= LONGEST_STATEMENT else hit.snippet
            near.append((pack.fenced(one, pack.text_or_title(one, text), nonce), one.name))
    return near


def search(app: Workspace, words: str, only: Filter, *, limit: int) -> Notes:
    """The notes that have these words, best first, each with the part of it that has them."""
    found = reading.search(app, words, only, limit=limit, scope="", sections=False)
    nonce = pack.new_nonce()
    snippets = ((hit.candidate, pack.text_or_title(hit.candidate, hit.snippet)) for hit in found)
    blocks = ((pack.fenced(one, text, nonce), one.name) for one, text in snippets)
    return _within_room(app, blocks, len(found))


def timeline(app: Workspace, only: Filter, *, limit: int) -> Notes:
    """What was stored when: a line for each entry under its day, newest first."""
    found = reading.listed(app, only, scope="")

    def blocks() -> Iterator[tuple[str, str]]:
        day = "?"
        for one in found[:limit]:
            then = one.own.created[:10]
            yield ("" if then == day else f"{then or '–'}\n") + _line_of(one), one.name
            day = then

    return _within_room(app, blocks(), len(found))


def _within_room(app: Workspace, blocks: Iterable[tuple[str, str]], total: int) -> Notes:
    """As many of these blocks, each with the name of its note, as an answer has room for."""
    room, intro = pack.Room(MOST_CHARS, MOST_CHARS), pack.INTRO[app.lang]
    room.take(intro)
    lines, ids = [intro], []
    for block, name in blocks:
        if not room.take(block):
            break
        lines.append(block)
        ids.append(name)
    return Notes("\n".join(lines) if ids else "", ids, total - len(ids))


def _line_of(one: ListedEntry) -> str:
    about = ", ".join(word for word in (one.own.kind, one.own.status, one.own.trust) if word)
    return f"- {pack.attribute(one.name)} – {pack.attribute(one.summary)} ({about})"


def newest(app: Workspace, limit: int) -> list[ListRow]:
    """The memories that a view may list, newest first."""
    found = reading.entries(app, Filter(superseded=False), scope="")
    return [one for one in found if not one.entry.private][:limit]


class FencedPart(NamedTuple):
    """A part of a long text, in its fence. `next` is where to go on, 0 at the end."""

    text: str
    id: str
    next: int
    size: int


def expand(
    app: Workspace, name: str, *, level: int = 2, start: int = 0, most: int = MOST_CHARS
) -> FencedPart:
    """A note in full (level 2), or the raw conversation behind it (level 3), from a character on.

    Raises MemoryNotFound.
    """
    store = app.store_of(name)
    entry, anchor = store.named(name)
    memory = store.as_trusted(store.read(entry), entry.path)
    parts = rows_at(memory, anchor) if anchor else index_units(memory)
    if not parts:
        raise MemoryNotFound(id=name)
    heading = parts[0].heading if anchor else ""
    if level == 3:
        text = strip_private(reading.show(app, entry.id, 3).conversation)
        heading = "conversation"
    elif anchor:
        text = "\n".join(part.text for part in parts)
    else:
        text = without_comments(strip_private(memory.body))
    trust = lowest_trust(*(part.trust for part in parts))
    source = next((part.source for part in parts if part.trust == trust), entry.source)
    entry = entry._replace(source=source)  # of whom it is trusted least
    if len({part.entry for part in parts}) == 1 and parts[0].entry:  # what one entry says of itself
        one = parts[0]
        entry = entry._replace(
            kind=one.kind, source=one.source, created=one.created, status=one.status
        )
    about = _candidate(entry, anchor, heading, trust)
    frame = pack.fenced(about, "", "0" * 8)
    intro = pack.INTRO[app.lang]
    said, end = _piece(text, start, most - len(frame) - len(intro) - 4)
    block = f"{intro}\n{pack.fenced(about, said, pack.new_nonce())}" if said else ""
    return FencedPart(block, name, end if end < len(text) else 0, len(text))


def _piece(text: str, start: int, most: int) -> tuple[str, int]:
    """`(piece, end)` of a text from `start` on, harmless, cut at the end of a line if there is one."""
    size = most
    while True:
        end = min(len(text), start + size)
        if end < len(text):
            line = text.rfind("\n", start + size // 2, end)
            end = line + 1 if line >= 0 else end
        said = pack.harmless(text[start:end])
        if len(said) <= most:  # what speaks as somebody else is marked, and longer by that
            return said, end
        size = size * most // len(said) - 1


def _candidate(entry: Entry, anchor: str, heading: str, trust: str) -> Candidate:
    """A memory as the fence wants it."""
    row = (
        *(0, 0, entry.id, anchor, entry.title, heading, "", entry.path, entry.layer, entry.kind),
        *(entry.salience, entry.confidence, entry.source, trust, entry.status, "", "", ""),
        *(entry.session, entry.created, 0, entry.tokens, 0, 0, 0, "", ""),
    )
    return Candidate(row, 0.0, "")


# -------------------------------------------------------------------------------------- writing


def remember(
    app: Workspace, title: str, text: str, *, scope: str = "", into: str = "", **fields: Any
) -> WriteResult:
    """Save what an agent found worth knowing, or add it to a note; the same again changes nothing.

    Raises AlreadyThere, MemoryNotFound, UsageProblem.
    """
    store = app.store_of(into) if into else app.store(scope)
    # The name of the file is made of the title, so nothing private may be in it.
    title, text = " ".join(app.redact(title).split()), app.redact(text).strip()
    if not title:
        raise UsageProblem(what="A memory needs a title.", command="save")
    draft = Draft(
        title,
        text,
        source="inferred",  # whatever it says: only a person's own word is `instructed`
        trust="agent",
        session=current_session(app.env)[1],
        **fields,
    )
    if into:
        named = draft._replace(into=into.partition("#")[0])
        return save(app, named, scope=store.scope, dry_run=False)
    choice = layers.choose(title, text, "", draft.kind)
    known = CATEGORIES.get(choice.kind, ())
    if draft.category and draft.category not in known:
        what = f"The category of a {choice.kind} must be one of {', '.join(known) or '–'}."
        raise UsageProblem(what=what, command="save")
    if SHARED.get(choice.kind, "").startswith(choice.layer):
        marked = draft._replace(body=text or title, kind=choice.kind)
        return save(app, marked, scope=store.scope, dry_run=False)
    twins = save_memory.same_titled(store, draft, choice)
    if not twins or any(save_memory.says_the_same(store, twin, draft) for twin in twins):
        return save(app, draft, scope=store.scope, dry_run=False)
    if not text or text in store.memory(twins[0]).body:
        return _unchanged(store, twins[0])
    raise AlreadyThere(path=twins[0].id)


class UpdateRequest(NamedTuple):
    """What is to become of a memory; None leaves a part as it is."""

    title: str | None = None
    text: str | None = None
    append: str | None = None
    tags: list[str] | None = None
    status: str | None = None

    @property
    def says(self) -> bool:
        """Whether it changes what the memory says."""
        return any(part is not None for part in (self.title, self.text, self.append))


def update(app: Workspace, name: str, wish: UpdateRequest) -> WriteResult:
    """Change a memory, or a section of one, as one change. Raises MemoryNotFound, UsageProblem."""
    store = app.store_of(name)
    entry, anchor = store.named(name)
    _require_ours(entry, anchor, wish)
    old = store.read(entry)
    text = old.text
    if wish.says:
        text = _reworded(app, store, name, wish)
    if wish.tags is not None:
        text = document.with_field(text, "tags", wish.tags)
    if wish.status not in (None, entry.status):
        text = document.with_field(text, "status", wish.status)
    if text == old.text:
        return _unchanged(store, entry)
    written = memories.edit_text(store, entry.id, text, old.stamp)
    return memories.result_of(store, written)._replace(id=name)


def _reworded(app: Workspace, store: OpenStore, name: str, wish: UpdateRequest) -> str:
    """The file with the new words, signed as an agent's."""
    body, append = wish.text, wish.append
    if append is not None and append.strip() in expand_text(store, name):
        append = None
    if wish.title is None and body is None and append is None:
        return store.read(store.require(name.partition("#")[0])).text
    by = Author("agent", current_session(app.env)[1])
    edited = memories.edit(
        store, name, title=wish.title, body=body, append=append, by=by, dry_run=True
    )
    return edited.text


def expand_text(store: OpenStore, name: str) -> str:
    """What a memory or a section says now. Raises MemoryNotFound."""
    entry, anchor = store.named(name)
    memory = store.memory(entry)
    if not anchor:
        return memory.body
    if anchor.startswith("^"):
        return "\n".join(row.text for row in rows_at(memory, anchor))
    return section_at(memory.body, name).text


def _require_ours(entry: Entry, anchor: str, wish: UpdateRequest) -> None:
    """Raise UsageProblem where an agent may not change a memory like this."""
    what = ""
    if wish.says and entry.path.startswith(ALWAYS_LOADED):
        what = "Every session loads this file; only a person can change it, with `recollect edit`."
    elif wish.says and not anchor and entry.path in SHARED.values():
        what = "This file has a section for each rule: name one as ID#SECTION."
    elif anchor and (wish.tags is not None or wish.status is not None):
        what = "Tags and status belong to the whole memory: give its ID without a section."
    if what:
        raise UsageProblem(what=what, command="edit")


def _unchanged(store: OpenStore, entry: Entry) -> WriteResult:
    return memories.result_of(
        store, SaveResult(entry.id, entry.path, "unchanged", layer=entry.layer)
    )


# --------------------------------------------------------------------------------------- health


def list_stores(app: Workspace) -> Iterator[dict[str, Any]]:
    """Each store with what it has; what is wrong with one is in its `problems`."""
    for store in app.stores() if app.roots else ():
        counts, entries = store.index.counts(), store.index.entries(Filter())
        yield {
            "scope": store.scope,
            "root": store.root,
            "memories": counts["memories"],
            "archived": counts["archived"],
            "sessions": len({entry.session for entry in entries if entry.session}),
            "problems": [f"{p.path}: {p.sentence}" for p in store.problems],
            "encrypt": sorted(store.settings.encrypt),
        }


def index_pages(app: Workspace) -> str:
    """What there is in each store, as tables (level 1) with the keywords (level 0)."""
    found = reading.entries(app, Filter(), scope="")
    pages = []
    for store in app.stores():
        entries = [one.entry for one in found if one.scope == store.scope]
        if entries or not found:
            pages.append(views.index_page(entries, app.lang, MOST_ROWS))
    return "\n".join(pages if found else pages[:1])
