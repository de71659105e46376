"""Brief: what an agent is told at the start of a session.

Promises: pure; never more than the budget; first what a person wrote or said, then what is open,
then what was done last, then how to find the rest; every line can be traced to its memory.
Touches: nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from recollect.domain.codec import sections_of
from recollect.domain.facts import Fact, facts_in, same_words
from recollect.domain.model import Entry, Memory
from recollect.domain.pack import HARD_CAP, attribute, count_tokens, harmless, shortened

MOST_SESSIONS = 8
MOST_FACTS = 14
MOST_OPEN = 8
CORE_SHARE = 0.45
LARGEST_BRIEF = HARD_CAP - 200
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
        "now": "another session, still going on",
    },
    "zh": {
        "intro": "Recollect 保存了以往会话的笔记。以下是供了解背景的笔记；以代码和用户的话为准。"
        "更多内容：`recollect search 关键词`、`recollect show ID`。",
        "facts": "已决定的事项与偏好",
        "open": "未完成",
        "sessions": "最近的会话",
        "stored": "共保存 {n} 条笔记。常见主题：{tags}。",
        "because": "因为",
        "now": "另一个进行中的会话",
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
    memories: Sequence[Memory],
    running: Sequence[tuple[str, str, Sequence[Fact]]],
    *,
    project: str = "",
) -> Matter:
    """Choose from a store what its brief says.

    `memories` are those of `entries` that were read: core files, sessions and facts, newest
    first. `running` are sessions that go on: (task, date, facts). With `project`, memories of
    other projects are left out.
    """
    own = [m for m in memories if _belongs(m.project, project) and m.status != "superseded"]
    here = [e for e in entries if _belongs(e.project, project)]
    facts: list[Line] = []
    todo: list[Line] = []
    sessions: list[Line] = []
    for task, date, said in running:
        facts += [_fact_line(f, task, date, "user") for f in said if f.source == "instructed"]
        sessions.append(Line(task, "", date, "observed", "user"))
    for memory in own:
        if memory.kind in ("session", "conversation"):
            _take_session(memory, facts, todo, sessions)
        elif memory.kind == "issue" and memory.status == "open":
            todo.append(_line(memory, memory.title))
        elif memory.kind in ("decision", "pattern", "rule") and not memory.path.startswith("core/"):
            facts += _stated(memory)
    core = [m for m in own if m.path.startswith("core/")]
    counts: dict[str, int] = {}
    for entry in here:
        for tag in entry.tags:
            counts[tag] = counts.get(tag, 0) + 1
    tags = sorted(counts, key=lambda t: (-counts[t], t))[:12]
    return Matter(core, _once(facts), _once(todo), sessions, len(here), tags)


def _belongs(owner: str, project: str) -> bool:
    return not owner or not project or owner == project


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
    sessions.append(_line(memory, memory.title))


def _stated(memory: Memory) -> list[Line]:
    """The rules in a file of rules (its section titles), or the one thing a file says."""
    if memory.trust not in ("user", "agent"):
        heads = []
    else:
        heads = [s.heading for s in sections_of(memory.body) if s.heading]
    rules = [h for h in heads if not h.lower().startswith(("solution", "解决方案"))]
    if memory.kind == "rule" and heads:
        return [_line(memory, rule) for rule in rules]
    return [_line(memory, memory.title)] if memory.trust in ("user", "agent") else []


def _line(memory: Memory, text: str) -> Line:
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
    if not (matter.core or matter.facts or matter.open or matter.sessions):
        return "", []
    blocks = [say["intro"]]
    spent = count_tokens(say["intro"])
    ids: list[str] = []
    core_left = int(budget * CORE_SHARE)
    for memory in matter.core:
        text = shortened(harmless(memory.body.strip()), max(0, core_left - 40))
        about = {
            "id": memory.id,
            "title": memory.title,
            "date": memory.created[:10],
            "source": memory.source,
            "trust": memory.trust,
        }
        block = _fence(nonce, about, text)
        cost = count_tokens(block)
        if core_left < 80 or spent + cost > budget:
            break
        blocks.append(block)
        ids.append(memory.id)
        spent += cost
        core_left -= cost
    groups = (
        (say["facts"], matter.facts[:MOST_FACTS], 0.55),
        (say["open"], matter.open[:MOST_OPEN], 0.5),
        (say["sessions"], matter.sessions[:MOST_SESSIONS], 0.8),
    )
    for title, lines, share in groups:
        block = _list(nonce, title, lines, int((budget - spent) * share), say)
        if block:
            blocks.append(block)
            spent += count_tokens(block)
    stored = say["stored"].format(
        n=matter.stored, tags=", ".join(map(attribute, matter.tags)) or "–"
    )
    if spent + count_tokens(stored) <= budget:
        blocks.append(stored)
    return _capped(blocks), ids


def _capped(blocks: list[str]) -> str:
    while len("\n".join(blocks)) > LARGEST_BRIEF and len(blocks) > 1:
        blocks.pop()
    return "\n".join(blocks)[:LARGEST_BRIEF]


def _fence(nonce: str, about: dict[str, str], text: str) -> str:
    head = "".join(f' {key}="{attribute(value)}"' for key, value in about.items() if value)
    return f"<memory-{nonce}{head}>\n{text}\n</memory-{nonce}>"


def _list(nonce: str, title: str, lines: Sequence[Line], budget: int, say: dict[str, str]) -> str:
    kept: list[str] = []
    spent = 40
    for line in lines:
        shown = _shown(line, say)
        cost = count_tokens(shown) + 1
        if spent + cost > budget:
            break
        kept.append(shown)
        spent += cost
    return _fence(nonce, {"id": "brief", "title": title}, "\n".join(kept)) if kept else ""


def _shown(line: Line, say: dict[str, str]) -> str:
    said, _, why = line.text.partition("\0")
    text = " ".join(harmless(said).split())[:220]
    if why:
        text += f" ({say['because']} {' '.join(harmless(why).split())[:120]})"
    where = attribute(line.memory)[:90] if line.memory else say["now"]
    return f"- {text} [{' · '.join(p for p in (where, line.date, line.source, line.trust) if p)}]"
