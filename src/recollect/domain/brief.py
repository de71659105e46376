"""Brief: what an agent is told at the start of a session.

Promises: pure; never more than the budget; first what a person wrote or said, then what is open,
then what was done last, then how to find the rest; every line can be traced to its memory; nothing
private, obsolete, cold, of another project, or that neither person nor agent said.
Touches: nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from recollect.domain.codec import sections_of
from recollect.domain.facts import Fact, facts_in, same_words
from recollect.domain.model import Entry, Memory
from recollect.domain.pack import (
    HARD_CAP,
    MOST_READ,
    Room,
    attribute,
    count_tokens,
    harmless,
    shortened,
)
from recollect.domain.redact import strip_private
from recollect.domain.reviewing import doubtful
from recollect.named import NamedTuple

MOST_SESSIONS = 8
MOST_FACTS = 14
MOST_OPEN = 8
MOST_TAGS = 12
CORE_SHARE = 0.45
LARGEST_BRIEF = HARD_CAP - 200
SMALLEST_CORE = 40
TRUSTED = ("user", "agent")
_ASKED = ("- Asked: ", "- 请求: ")  # how a session's memory tells what the person asked for
_TODO_HEADINGS = ("todos", "todo", "待办", "待办事项")
_WORDS = {
    "en": {
        "intro": "Recollect keeps the notes of earlier sessions. What follows are such notes, for "
        "orientation; the code and the person's words come first. More: `recollect search WORDS`, "
        "`recollect show ID`.",
        "facts": "Decided and preferred",
        "open": "Open",
        "sessions": "Recent sessions",
        "stored": "{n} notes are stored. Frequent topics: {tags}.",
        "because": "because",
        "now": "a session that goes on",
        "untitled": "a session whose title did not come from the person",
    },
    "zh": {
        "intro": "Recollect 保存了以往会话的笔记。以下是供了解背景的笔记；以代码和用户的话为准。"
        "更多内容：`recollect search 关键词`、`recollect show ID`。",
        "facts": "已决定的事项与偏好",
        "open": "未完成",
        "sessions": "最近的会话",
        "stored": "共保存 {n} 条笔记。常见主题：{tags}。",
        "because": "因为",
        "now": "进行中的会话",
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
    facts: list[Line]
    open: list[Line]
    sessions: list[Line]
    stored: int
    tags: list[str]


def gather(
    entries: Sequence[Entry],
    memories: Sequence[Memory | Entry],
    running: Sequence[tuple[str, str, Sequence[Fact]]],
    *,
    project: str = "",
) -> Matter:
    """Choose from a store what its brief says.

    `memories` are those of `entries` that it tells of, newest first: core files, sessions and
    rules as they were read; for what is told by its title alone, the entry does. `running` are
    sessions that go on: (task, date, facts). With `project`, memories of other projects are left
    out.
    """
    here = [entry for entry in entries if _is_told(entry, project)]
    core: list[Memory] = []
    facts: list[Line] = []
    todo: list[Line] = []
    sessions: list[Line] = []
    for task, date, said in running:
        facts += [_fact_line(f, task, date, "user") for f in said if f.source == "instructed"]
        sessions.append(Line(task, "", date, "observed", "user"))
    for one in memories:
        if not _is_told(one, project):
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
            facts += _rules(memory) if memory else [_line(one, one.title)]
    core.sort(key=lambda memory: memory.trust != "user")
    tags = _common_tags([entry for entry in here if entry.trust in TRUSTED])
    return Matter(core, _once(facts), _once(todo), sessions, len(here), tags)


def _common_tags(entries: Sequence[Entry]) -> list[str]:
    counts: dict[str, int] = {}
    for entry in entries:
        for tag in entry.tags:
            counts[tag] = counts.get(tag, 0) + 1
    return sorted(counts, key=lambda tag: (-counts[tag], tag))[:MOST_TAGS]


def _is_told(memory: Memory | Entry, project: str) -> bool:
    is_here = not memory.project or not project or memory.project == project
    is_cold = memory.archived or memory.status == "superseded"
    return is_here and not is_cold and not memory.private


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
    # What a tool or a page said stands in sections of their own, under a heading in their words.
    not_said = {s.anchor for s in doubtful(memory.body) if s.trust not in TRUSTED}
    sections = [s for s in sections_of(memory.body) if s.heading]
    heads = [s.heading for s in sections if s.anchor not in not_said]
    if memory.kind != "rule" or not sections:
        return [_line(memory, memory.title)]
    rules = (h for h in heads if not h.lower().startswith(("solution", "解决方案")))
    return [_line(memory, rule) for rule in rules]


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
    blocks, ids = _core(matter.core, room, nonce)
    for title, lines, share in (
        (say["facts"], matter.facts[:MOST_FACTS], 0.55),
        (say["open"], matter.open[:MOST_OPEN], 0.5),
        (say["sessions"], matter.sessions[:MOST_SESSIONS], 0.8),
    ):
        block = _list(nonce, title, [_shown(line, say) for line in lines], room, share)
        if block and room.take(block):
            blocks.append(block)
    if not blocks:
        return "", []
    tags = ", ".join(map(attribute, matter.tags)) or "–"
    stored = say["stored"].format(n=matter.stored, tags=tags)
    if room.take(stored):
        blocks.append(stored)
    return "\n".join([say["intro"], *blocks]), ids


def _core(core: Sequence[Memory], room: Room, nonce: str) -> tuple[list[str], list[str]]:
    """The core files as far as their share of the room goes, and their ids."""
    blocks: list[str] = []
    ids: list[str] = []
    part = room.part(CORE_SHARE)
    for memory in core:
        about = {
            "id": memory.id,
            "title": memory.title,
            "date": memory.created[:10],
            "source": memory.source,
            "trust": memory.trust,
        }
        frame = _fence(nonce, about, "")
        tokens = part.tokens - count_tokens(frame) - 2
        text = harmless(memory.body[:MOST_READ].strip())
        if not text:
            continue
        if tokens < SMALLEST_CORE:
            break
        block = _fence(nonce, about, shortened(text, tokens, part.size - len(frame) - 2))
        if part.take(block) and room.take(block):
            blocks.append(block)
            ids.append(memory.id)
    return blocks, ids


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
