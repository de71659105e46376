"""The brief that an agent gets at the start of a session.

Pure, and never above its budget: first what the person wrote or stated, then open tasks, recent
work, and how to find the rest. Each line belongs to a memory. Private, superseded, archived and
untrusted memories are left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from recollect._fastimport import NamedTuple
from recollect.context import views
from recollect.context import views as factsview
from recollect.context.pack import HARD_CAP, MOST_READ, Room, attribute, harmless, shortened
from recollect.errors import RecollectError
from recollect.model.document import sections_of
from recollect.model.entries import shelved
from recollect.model.facts import Fact, facts_in, same_words
from recollect.model.memory import Entry, Filter, Memory
from recollect.store.disk import stamp_of
from recollect.store.store import OpenStore
from recollect.text.redact import strip_private
from recollect.text.tokens import count_tokens

TYPE_CHECKING = False


MOST_SESSIONS = 8
MOST_FACTS = 14
MOST_OPEN = 8
MOST_TAGS = 12
CORE_SHARE = 0.45
LARGEST_BRIEF = HARD_CAP - 200
CORE_ORDER = ("project.md", "architecture.md", "conventions.md")
CORE_FRAME = 40  # tokens of the fence around one
SMALLEST_CORE = 80  # tokens of one, below which it would say too little
TRUSTED = ("user", "agent")
_ASKED = ("- Asked: ", "- 请求: ")  # how a session's memory tells what the person asked for
_TODO_HEADINGS = ("todos", "todo", "待办", "待办事项")
_WORDS = {
    "en": {
        "intro": "Recollect keeps the notes of earlier sessions. What follows are such notes, for "
        "orientation; the code and the person's words come first. More: `recollect search WORDS`, "
        "`recollect show ID`.",
        "facts": "Decided and preferred",
        "noted": "Noted by agents, not confirmed by a person",
        "open": "Open",
        "sessions": "Recent sessions",
        "stored": "{n} notes are stored. Frequent topics: {tags}.",
        "because": "because",
        "strange": "The repository brings {n} notes that the person has not accepted on this machine. They are not told here; `recollect search` finds them, "
        "as external. The person accepts them with `recollect review --repository accept`.",
        "now": "a session that goes on",
        "late": "A session before this one ended without a word; these are Recollect's notes of it.",
        "untitled": "a session whose title did not come from the person",
    },
    "zh": {
        "intro": "Recollect 保存了以往会话的笔记。以下是供了解背景的笔记；以代码和用户的话为准。"
        "更多内容：`recollect search 关键词`、`recollect show ID`。",
        "facts": "已决定的事项与偏好",
        "noted": "代理的记录（未经用户确认）",
        "open": "未完成",
        "sessions": "最近的会话",
        "stored": "共保存 {n} 条笔记。常见主题：{tags}。",
        "because": "因为",
        "strange": "本仓库自带 {n} 条笔记，用户尚未在这台机器上接受。此处不予转述；`recollect search` 能找到它们（标为 external）。用户可用 "
        "`recollect review --repository accept` 接受。",
        "now": "进行中的会话",
        "late": "本会话之前有一次会话突然中断；以下是 Recollect 对它的笔记。",
        "untitled": "一次会话（标题并非出自用户）",
    },
}


class Line(NamedTuple):
    """One thing that was said, and where."""

    text: str
    memory: str
    date: str
    source: str
    trust: str


class Matter(NamedTuple):
    """What a brief is made of, gathered by `gather`."""

    core: list[Memory]
    facts: list[Line]  # what a person decided or asked for
    noted: list[Line]  # what an agent noted, and nobody has approved
    open: list[Line]
    sessions: list[Line]
    stored: int
    tags: list[str]
    strange: int = 0  # of the repository's, not accepted by the person


def gather(
    entries: Sequence[Entry],
    memories: Sequence[Memory | Entry],
    running: Sequence[tuple[str, str, str, Sequence[Fact]]],
) -> Matter:
    """Choose from a store what its brief says.

    `memories` are those of `entries` that it tells of, newest first: core files, sessions and
    rules as they were read; for what is told by its title alone, the entry does. `running` are
    sessions that go on: (task, date, trust, facts).
    """
    here = [entry for entry in entries if _is_told(entry)]
    core: list[Memory] = []
    facts: list[Line] = []
    noted: list[Line] = []
    todo: list[Line] = []
    sessions: list[Line] = []
    for task, date, trust, said in running:
        facts += [_fact_line(f, task, date, "user") for f in said if f.source == "instructed"]
        sessions.append(Line(task, "", date, "observed", trust))
    for one in memories:
        if not _is_told(one):
            continue
        memory = one._replace(body=strip_private(one.body)) if isinstance(one, Memory) else None
        if memory and memory.kind in ("session", "conversation"):
            _take_session(memory, facts, todo, sessions)
        elif one.trust not in TRUSTED:
            continue
        elif memory and memory.path.startswith("core/"):
            core.append(memory)
        elif one.kind == "issue" and one.status == "open":
            todo.append(_line(one, one.title))
        elif one.kind in ("decision", "pattern", "rule"):
            lines = _rules(memory) if memory else [_line(one, one.title)]
            facts += [line for line in lines if line.trust == "user"]
            noted += [line for line in lines if line.trust != "user"]
    core.sort(key=_core_order)
    facts = _without_reversed(facts, [one.body for one in memories if isinstance(one, Memory)])
    tags = _common_tags([entry for entry in here if entry.trust in TRUSTED])
    return Matter(core, _once(facts), _once(noted), _once(todo), sessions, len(here), tags)


def _without_reversed(facts: list[Line], bodies: Sequence[str]) -> list[Line]:
    """The facts that no page calls reversed in a `<!-- superseded … -->` comment."""
    bodies = [body for body in bodies if "<!-- sup" in body]
    if not bodies:
        return facts
    # Comparing claims loads the whole of consolidation: 40 ms that every save would pay.
    from recollect.model.claim_key import near_key, past_keys

    past = {key for body in bodies for key in past_keys(body)}
    return [line for line in facts if near_key(_whole(line)) not in past]


def _whole(line: Line) -> str:
    """What a line says, with its reason."""
    return line.text.replace("\0", " because ")


def _common_tags(entries: Sequence[Entry]) -> list[str]:
    counts: dict[str, int] = {}
    for entry in entries:
        for tag in entry.tags:
            counts[tag] = counts.get(tag, 0) + 1
    return sorted(counts, key=lambda tag: (-counts[tag], tag))[:MOST_TAGS]


def _is_told(memory: Memory | Entry) -> bool:
    is_cold = memory.archived or memory.status == "superseded"
    return not is_cold and not memory.private


def _take_session(
    memory: Memory, facts: list[Line], todo: list[Line], sessions: list[Line]
) -> None:
    sections = [(s.heading, s.text) for s in sections_of(memory.body)]
    date = memory.created[:10]
    said = (f for f in facts_in(sections) if f.kind != "issue" and f.source == "instructed")
    facts += [_fact_line(fact, memory.id, date, "user") for fact in said]
    if memory.trust != "external":
        for heading, text in sections:
            if heading.strip().lower() in _TODO_HEADINGS:
                lines = (line.strip() for line in text.splitlines())
                todo += [
                    _line(memory, line[5:].strip()) for line in lines if line.startswith("- [ ]")
                ]
    sessions.append(_line(memory, title_said(memory)))


def title_said(memory: Memory) -> str:
    """What a session may be called in every other: its title, or what the person asked for first.

    A title that an agent gave after it had read a page may be the page's. Nothing where nobody
    who is trusted said anything.
    """
    if memory.trust in TRUSTED:
        return memory.title
    first = next((s.text for s in sections_of(memory.body) if s.heading), "")
    lines = (line for line in first.splitlines() if line.startswith(_ASKED))
    asked = [line.partition(": ")[2].strip() for line in lines]
    is_asked = any(one.startswith(memory.title.rstrip("…")) for one in asked)
    return memory.title if is_asked else next(iter(asked), "")


def _rules(memory: Memory) -> list[Line]:
    """The rules in a file of rules (its section titles), or the one thing a file says."""
    sections = [s for s in shelved(memory) if s.heading]
    if memory.kind != "rule" or not sections:
        return [_line(memory, memory.title)]
    # When one of several was said is known only where it says so itself.
    date = memory.created[:10] if len(sections) == 1 else ""
    return [
        Line(s.heading, memory.id, date, s.source, s.trust)
        for s in sections
        if s.kind != "solution" and s.trust in TRUSTED
    ]


def _line(memory: Memory | Entry, text: str) -> Line:
    return Line(text, memory.id, memory.created[:10], memory.source, memory.trust)


def _fact_line(fact: Fact, memory: str, date: str, trust: str) -> Line:
    text = f"{fact.content}\0{fact.detail}" if fact.detail else fact.content
    return Line(text, memory, date, fact.source or "observed", trust)


def _once(lines: Iterable[Line]) -> list[Line]:
    kept: dict[str, Line] = {}
    for line in lines:
        kept.setdefault(same_words(line.text.partition("\0")[0]), line)
    return list(kept.values())


def render(matter: Matter, lang: str, budget: int, nonce: str) -> tuple[str, list[str]]:
    """`(text, ids)`: the brief within `budget` tokens, and the notes it gives in full.

    Empty where there is nothing to tell.
    """
    say = _WORDS[lang]
    room = Room(budget, LARGEST_BRIEF)
    if not room.take(say["intro"]):
        return "", []
    strange = say["strange"].format(n=matter.strange) if matter.strange else ""
    if strange and not room.take(strange):
        strange = ""
    # The lists leave the core files their share, and the core files take what the lists leave.
    kept = room.part(CORE_SHARE)
    wanted = sum(_core_size(memory) for memory in matter.core)
    kept = Room(min(kept.tokens, wanted), min(kept.size, wanted * 4))
    if kept.tokens < SMALLEST_CORE:
        kept = Room(0, 0)
    room.tokens, room.size = room.tokens - kept.tokens, room.size - kept.size
    tags = ", ".join(map(attribute, matter.tags)) or "–"
    stored = say["stored"].format(n=matter.stored, tags=tags)
    lists = _lists(matter, say, room, nonce)
    has_stored = room.take(stored)
    room.tokens, room.size = room.tokens + kept.tokens, room.size + kept.size
    core, ids = _core(matter.core, room, nonce)
    blocks = [*([strange] if strange else []), *core, *lists]
    if not blocks:
        return "", []
    if has_stored:
        blocks.append(stored)
    return "\n".join([say["intro"], *blocks]), ids


def render_late(matter: Matter, lang: str, budget: int, nonce: str) -> str:
    """What a brief would have said of sessions, had it known that they were over."""
    say = _WORDS[lang]
    room = Room(budget, LARGEST_BRIEF)
    lists = _lists(matter, say, room, nonce) if room.take(say["late"]) else []
    return "\n".join([say["late"], *lists]) if lists else ""


def _lists(matter: Matter, say: dict[str, str], room: Room, nonce: str) -> list[str]:
    """What was decided, noted, left open and done, as far as there is room."""
    lists: list[str] = []
    for title, lines, share in (
        (say["facts"], matter.facts[:MOST_FACTS], 0.55),
        (say["noted"], matter.noted[:MOST_FACTS], 0.4),
        (say["open"], matter.open[:MOST_OPEN], 0.5),
        (say["sessions"], matter.sessions[:MOST_SESSIONS], 0.8),
    ):
        block = _list(nonce, title, [_shown(line, say) for line in lines], room, share)
        if block and room.take(block):
            lists.append(block)
    return lists


def _core_order(memory: Memory) -> tuple[int, str]:
    name = memory.path.removeprefix("core/")
    return (CORE_ORDER.index(name) if name in CORE_ORDER else len(CORE_ORDER)), name


def _core_size(memory: Memory) -> int:
    """The tokens that a core file takes whole."""
    return count_tokens(memory.body[:MOST_READ]) + CORE_FRAME


def _core(core: Sequence[Memory], room: Room, nonce: str) -> tuple[list[str], list[str]]:
    """The core files and their ids: small ones whole, of large ones the head and where the rest is."""
    core = [memory for memory in core if memory.body.strip()]
    core = core[: room.tokens // SMALLEST_CORE]
    tokens = _shares([_core_size(memory) for memory in core], room.tokens)
    sizes = _shares([len(memory.body) + 4 * CORE_FRAME for memory in core], room.size)
    blocks: list[str] = []
    ids: list[str] = []
    for memory, most, size in zip(core, tokens, sizes, strict=True):
        block = _core_block(memory, most, size, nonce)
        if block and room.take(block):
            blocks.append(block)
            ids.append(memory.id)
    return blocks, ids


def core_cut(tokens: Sequence[int], budget: int) -> list[bool]:
    """Which core files of these sizes a full brief has room for by their beginning only.

    A brief that says little else may have room for more.
    """
    wanted = [n + CORE_FRAME for n in tokens]
    given = _shares(wanted, int(budget * CORE_SHARE))
    return [got < want for got, want in zip(given, wanted, strict=True)]


def _shares(wanted: Sequence[int], left: int) -> list[int]:
    """What each gets of what is left: what it wants, or an even part of what the smaller ones leave."""
    given = [0] * len(wanted)
    for n, k in enumerate(sorted(range(len(wanted)), key=wanted.__getitem__)):
        given[k] = min(wanted[k], left // (len(wanted) - n))
        left -= given[k]
    return given


def _core_block(memory: Memory, tokens: int, size: int, nonce: str) -> str:
    about = {
        "id": memory.id,
        "title": memory.title,
        "date": memory.created[:10],
        "source": memory.source,
        "trust": memory.trust,
    }
    frame = _fence(nonce, about, "")
    tokens, size = tokens - count_tokens(frame) - 3, size - len(frame) - 3
    text = harmless(memory.body[:MOST_READ].strip())
    if count_tokens(text) > tokens or len(text) > size:
        rest = f"\n(… `recollect show {attribute(memory.id)}`)"
        head = shortened(text, tokens - count_tokens(rest), size - len(rest))
        text = head + rest if head else ""
    return _fence(nonce, about, text) if text else ""


def _fence(nonce: str, about: dict[str, str], text: str) -> str:
    head = "".join(f' {key}="{attribute(value)}"' for key, value in about.items() if value)
    return f"<memory-{nonce}{head}>\n{text}\n</memory-{nonce}>"


def _list(nonce: str, title: str, lines: Sequence[str], room: Room, share: float) -> str:
    """A fence with as many of these lines as go into a share of the room; nothing without any."""
    about = {"id": "brief", "title": title}
    part = room.part(share)
    kept: list[str] = []
    for line in lines if part.take(_fence(nonce, about, "")) else ():
        if not part.take(line):
            break
        kept.append(line)
    return _fence(nonce, about, "\n".join(kept)) if kept else ""


def _shown(line: Line, say: dict[str, str]) -> str:
    said, _, why = line.text.partition("\0")
    text = " ".join(harmless(said).split())[:220] or say["untitled"]
    if why:
        text += f" ({say['because']} {' '.join(harmless(why).split())[:120]})"
    where = attribute(line.memory)[:90] if line.memory else say["now"]
    return f"- {text} [{' · '.join(p for p in (where, line.date, line.source, line.trust) if p)}]"


# -------------------- Publish: the views and the brief, made from what the index and the files say.


if TYPE_CHECKING:
    from typing import Protocol

    from recollect.model.session import SessionState
else:
    Protocol = object  # to define a protocol takes a quarter of a millisecond

INDEX_PAGE = "MEMORY.md"
INDEX_JSON = ".index.json"
FACTS_JSON = "facts.json"
MOST_SESSIONS_READ = 12
MOST_FACTS_READ = 40
ASKED_AT_ONCE = 100
FACT_KINDS = ("decision", "pattern", "rule", "issue")


class LastFacts(Protocol):
    """What is known of how `facts.json` was last written here."""

    def text(self) -> str:
        """Its text; nothing where it is not known."""

    def is_ours(self, text: str) -> bool:
        """Whether this is what we were about to write when a process ended."""

    def begin(self, text: str) -> None:
        """Note that this is about to be written."""

    def end(self, text: str) -> None:
        """Note that this is written."""

    def state(self) -> str:
        """What `keep_state` was told last, by this version."""

    def keep_state(self, state: str) -> None:
        """Note of what all views were made, and how they look."""


class Published(NamedTuple):
    """The names of the views that were written, and the memories they are of."""

    written: list[str]
    entries: list[Entry]
    is_held: bool = False  # whether `facts.json` was left alone, as somebody has edited it


def publish_views(store: OpenStore, last: LastFacts | None = None) -> Published:
    """Write the views whose bytes changed; with `last`, `facts.json` only if nobody edited it since.

    Under the lock, so that of two processes the one that saw less never writes last.
    """
    with store.files.locked():
        entries = store.index.entries(Filter())
        made_of = _made_of(store, entries)
        there = map(store.files.stamp, (INDEX_PAGE, INDEX_JSON, FACTS_JSON))
        if last and last.state() == _state(made_of, there) and last.text() == facts_text(store):
            return Published([], entries)
        pages = pages_of(store, entries)
        facts = pages[FACTS_JSON]
        is_held = last is not None and _is_held(store, last, facts)
        if is_held:
            del pages[FACTS_JSON]
        elif last:
            last.begin(facts)
        written = [name for name, text in pages.items() if store.files.write_view(name, text)]
        if written:
            store.files.settle(written)
        if last and not is_held:
            last.end(facts)
            ours = (stamp_of(text.encode("utf-8", "surrogateescape")) for text in pages.values())
            last.keep_state(_state(made_of, ours))
        return Published(written, entries, is_held)


def _made_of(store: OpenStore, entries: Iterable[Entry]) -> str:
    """The stamp of all that the views are made of."""
    chosen = store.settings
    files = [(entry.stamp, entry.path, entry.id) for entry in entries]
    return stamp_of(
        repr((chosen.lang, chosen.view_rows, files)).encode("utf-8", "backslashreplace")
    )


def _state(made_of: str, stamps: Iterable[str | None]) -> str:
    return " ".join([made_of, *map(str, stamps)])


def _is_held(store: OpenStore, last: LastFacts, now: str) -> bool:
    text = facts_text(store)
    if text in ("", now):
        return False
    base = last.text()
    if text == base or last.is_ours(text):
        return False
    from recollect.features import facts_edits as factsedits  # seldom needed

    return factsedits.is_held(text, base, now)


def facts_text(store: OpenStore) -> str:
    """`facts.json` as it stands there; nothing where it cannot be read."""
    try:
        return store.files.read(FACTS_JSON).text
    except RecollectError:
        return ""


def pages_of(store: OpenStore, entries: Sequence[Entry] | None = None) -> dict[str, str]:
    """The views as they should be now, by name; `entries` are the memories, if at hand."""
    entries = store.index.entries(Filter()) if entries is None else entries
    return {
        INDEX_PAGE: views.index_page(entries, store.settings.lang, store.settings.view_rows),
        INDEX_JSON: views.index_json(entries),
        FACTS_JSON: facts_page(store, entries),
    }


def facts_page(store: OpenStore, entries: Sequence[Entry]) -> str:
    """`facts.json` as it should be now, of these memories."""
    return factsview.facts_json(entries, _reasons(store, entries))


def _reasons(store: OpenStore, entries: Iterable[Entry]) -> dict[str, str]:
    """What the decisions among these memories say below their titles, by id."""
    ids = [entry.id for entry in entries if entry.kind == "decision"]
    found: dict[str, str] = {}
    for start in range(0, len(ids), ASKED_AT_ONCE):
        heads = store.index.by_ids(ids[start : start + ASKED_AT_ONCE])
        for head in heads:
            reason = factsview.reason_of(head.text, head.title)
            found[head.id] = factsview.reason_line(reason)  # never the whole texts of all
    return found


def make_brief(
    stores: Sequence[tuple[OpenStore, Sequence[Entry]]],
    running: Iterable[SessionState],
    *,
    lang: str,
    budget: int,
    nonce: str,
) -> tuple[str, list[str], list[str]]:
    """`(text, ids, paths)`: the brief over these stores and the files that it tells of.

    Each store comes with its memories; `running` are the sessions that go on now.
    """
    entries: list[Entry] = []
    memories: list[Memory | Entry] = []
    paths: list[str] = []
    strange = 0
    for store, every in stores:
        own = [entry for entry in every if store.files.is_own(entry.stamp)]
        strange += len(every) - len(own)
        here = [entry for entry in own if entry.status != "superseded"]
        entries += here
        for entry in _quoted(here):
            if not _is_quoted(entry):
                memories.append(entry)
                paths.append(f"{store.files.root}/{entry.path}")
                continue
            try:
                document = store.read(entry)
            except RecollectError:
                continue
            memory = store.told(document, entry.path)
            memories.append(memory._replace(id=entry.id))
            paths.append(f"{store.files.root}/{entry.path}")
    going_on = [
        (state.task, state.started[:10], state.asked_trust, _said(state))
        for state in running
        if state.task
    ]
    matter = gather(entries, memories, going_on)
    text, ids = render(matter._replace(strange=strange), lang, budget, nonce)
    return text, ids, paths


def make_late(store: OpenStore, names: Iterable[str], *, lang: str, budget: int, nonce: str) -> str:
    """What a brief would say of these memories of sessions alone."""
    entries = [entry for name in names if (entry := store.index.entry(name))]
    memories = []
    for entry in entries:
        memory = store.told(store.read(entry), entry.path)
        memories.append(memory._replace(id=entry.id))
    return render_late(gather(entries, memories, []), lang, budget, nonce)


def _quoted(entries: Sequence[Entry]) -> list[Entry]:
    """The memories that a brief may quote: core files, newest sessions, newest facts."""
    core = [e for e in entries if e.path.startswith("core/")]
    sessions = [e for e in entries if e.kind in ("session", "conversation")]
    facts = [e for e in entries if e.kind in FACT_KINDS and not e.path.startswith("core/")]
    return [*core, *facts[:MOST_FACTS_READ], *sessions[:MOST_SESSIONS_READ]]


def _is_quoted(entry: Entry) -> bool:
    """Whether a brief tells what is in this file; of other facts it tells the title."""
    return entry.kind in ("session", "conversation", "rule") or entry.path.startswith("core/")


def _said(state: SessionState) -> list[Fact]:
    rows = [("decision", row) for row in state.decisions] + [
        ("pattern", row) for row in state.patterns
    ]
    return [Fact(k, r["content"], r["reason"], r["category"], source=r["source"]) for k, r in rows]


def as_hook_output(text: str) -> str:
    """A brief as the hook prints it."""
    output = {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": text}}
    return json.dumps(output, ensure_ascii=False) + "\n"
