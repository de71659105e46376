"""The brief that an agent gets at the start of a session.

Never above its budget: what the person wrote or stated and still holds, where the last session left
off, what the sessions before it came to, what agents noted. Each line says in words who said it and
when.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate

from recollect._fastimport import NamedTuple
from recollect.context.answers import as_decision
from recollect.context.brief_input import (
    MOST_SESSIONS,
    BriefInput,
    core_order,
    gather,
    is_in_force,
)
from recollect.context.left_off import (
    LONGEST_ASKED,
    is_in_brief,
    last_lines,
    line_of,
)
from recollect.context.pack import (
    HARD_CAP,
    LONGEST_LINE,
    MOST_READ,
    Room,
    attribute,
    fence,
    harmless,
    on_one_line,
    shortened,
)
from recollect.context.statements import (
    StatedLine,
    key_of,
    of_page,
)
from recollect.errors import RecollectError
from recollect.model.entries import without_comments
from recollect.model.layers import DOMAIN, SHARED, subject_of
from recollect.model.memory import SESSION_KINDS, Entry, Filter, Memory
from recollect.store.store import OpenStore
from recollect.text.tokens import count_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    Item = TypeVar("Item")

    from recollect.model.session import SessionState

MOST_OPEN = 6
MOST_NOTED = 8
MOST_BEFORE = 2  # earlier sessions: by two readers most of their lines are not worth it
CORE_SHARE = 0.45
LAST_SHARE = 0.35
LARGEST_BRIEF = HARD_CAP - 200
CORE_FRAME = 36  # tokens of the fence around one
SMALLEST_CORE = 60  # tokens of one, below which it would say too little
LEFT_OUT_TOKENS = 45  # kept free for the line that names what found no room
MOST_NAMED = 5  # core files without room; the others are counted
MOST_SUBJECTS = 5  # of what found no room
MOST_LINES = 99
WRITE_SHARE = 8  # of a brief at most the eighth part says when to write
_WORDS = {
    "en": {
        "intro": "Recollect keeps the notes of earlier sessions. These are for orientation: the "
        "code and the person's words come first. More: `recollect search WORDS` or the tool `recall`.",
        "write": "Note with `remember` (or `recollect save`) what the person decided (built or not), corrected or turned down, and what was hard to learn:\n"
        "0 to 5 a session, as it happens; none is a good answer. Leave out what was done.",
        "rules": "Rules",
        "decided": "Decided",
        "facts": "Facts",
        "decisions and facts": "Decisions and facts",
        "noted": "Noted by agents, confirmed by nobody",
        "open": "Open",
        "last": "Last session, {date}: {title}",
        "before": "Earlier sessions (results in the agent's words)",
        "now": "Still running: {title}",
        "asked": "- Asked: {said}",
        "asked-by-program": "- Asked by a program: {said}",
        "commits": "- Committed: {said}",
        "answer": "- Outcome, as the agent told it: {said}",
        "answer-before": "- Outcome until the agent read other people's pages: {said}",
        "learned": "- Learned, as the agent told it: {said}",
        "todo": "- Open: {said}",
        "second-hand": " (the agent had read other people's pages, so this is left out: {said})",
        "second-hand-unsaid": " (the agent had read other people's pages, so what came of it is left out; {show})",
        "count": "{n} commits",
        "show": "see {command}",
        "untold": "{n} commits not told here",
        "changed": "- Changed: {said}",
        "checks": "Commands that work here: {said}",
        "person": "the person",
        "approved": "an agent, approved",
        "agent": "an agent",
        "left": "No room here for {what}{about}. Before a task, ask the tool `recall` about it, or `recollect search WORDS`.",
        "about": "; most of it on {subjects}",
        "left-rules": "rules ({n})",
        "left-decided": "decisions ({n})",
        "left-facts": "facts ({n})",
        "left-noted": "agents' notes ({n})",
        "left-open": "open tasks ({n})",
        "left-core": "more core files ({n})",
        "left-pages": "more pages ({n})",
        "because": ": ",
        "signed": " ({who})",
        "and": ", ",
        "on": ", ",
        "strange": "Notes that came with this project and that the person has not accepted on this machine: {n}. They are not told here; `recollect search` finds them, "
        "as external. The person accepts them with `recollect review --repository accept`.",
        "late": "A session before this one ended without a word; these are Recollect's notes of it.",
        "untitled": "a session whose title did not come from the person",
    },
    "zh": {
        "intro": "Recollect 保存了以往会话的笔记。以下仅供了解背景；以代码和用户的话为准。更多：`recollect search 关键词` 或工具 `recall`。",
        "write": "请用工具 `remember`（或 `recollect save`）随时为以后的会话记下用户所作的决定（无论是否已实现）、更正和否决，以及费力查明的结论：\n"
        "每次会话零到五条，没有也可以；做了什么不必记。",
        "rules": "规则",
        "decided": "已决定",
        "facts": "事实",
        "decisions and facts": "决定与事实",
        "noted": "代理的记录（未经用户确认）",
        "open": "未完成",
        "last": "上次会话，{date}：{title}",
        "before": "在此之前（结果为代理的原话）",
        "now": "进行中的会话：{title}",
        "asked": "- 请求：{said}",
        "asked-by-program": "- 程序请求：{said}",
        "commits": "- 已提交：{said}",
        "answer": "- 结果（代理的原话）：{said}",
        "answer-before": "- 代理读他人的网页之前的结果：{said}",
        "learned": "- 学到的（代理的原话）：{said}",
        "todo": "- 未完成：{said}",
        "second-hand": "（代理读过他人的网页，以下内容不在此转述：{said}）",
        "second-hand-unsaid": "（代理读过他人的网页，其结果不在此转述；{show}）",
        "count": "提交 {n} 次",
        "show": "见 {command}",
        "untold": "另有 {n} 次提交未在此转述",
        "changed": "- 改动：{said}",
        "checks": "可用的命令：{said}",
        "person": "用户",
        "approved": "代理，用户已认可",
        "agent": "代理",
        "left": "此处放不下：{what}{about}。动手之前，先用工具 `recall` 查询相关内容，或用 `recollect search 关键词`。",
        "about": "；多为{subjects}",
        "left-rules": "规则 {n} 条",
        "left-decided": "决定 {n} 条",
        "left-facts": "事实 {n} 条",
        "left-noted": "代理的记录 {n} 条",
        "left-open": "未完成事项 {n} 项",
        "left-core": "另外 {n} 个核心文件",
        "left-pages": "另外 {n} 个页面",
        "because": "：",
        "signed": "（{who}）",
        "and": "、",
        "on": "，",
        "strange": "本项目自带 {n} 条笔记，用户尚未在这台机器上接受。此处不予转述；`recollect search` 能找到它们（标为 external）。用户可用 "
        "`recollect review --repository accept` 接受。",
        "late": "本会话之前有一次会话突然中断；以下是 Recollect 对它的笔记。",
        "untitled": "一次会话（标题并非出自用户）",
    },
}


class Brief(NamedTuple):
    """A brief, and the notes that it tells of."""

    text: str
    ids: list[str]  # told in full, so that recall need not give them again
    told: list[str]  # whose the other lines are, in their order
    same: list[str]  # where what was told stands once more


# ---------------------------------------------------------------------------------- rendering


class _BriefList:
    """Lines under a heading, and those that found room; without a heading, the first line is it."""

    def __init__(
        self, name: str, heading: str, lines: Iterable[str], most: int = MOST_LINES
    ) -> None:
        self.name, self.lines, self.most = name, list(lines), most
        self.heading = [heading] if heading and self.lines else []
        self.kept: set[int] = set()

    def fill(self, room: Room, share: float = 1.0) -> None:
        """Take as many lines as go into a share of the room, in order."""
        part = room.part(share)
        for n, line in enumerate(self.lines[: self.most]):
            block = "\n".join([line] if self.kept else [*self.heading, line])
            if n not in self.kept and part.take(block) and room.take(block):
                self.kept.add(n)
            elif not self.heading and not self.kept:
                return

    def that_fit(self, rows: Iterable[Item]) -> list[Item]:
        """Those of the rows behind the lines that found room."""
        return [row for n, row in enumerate(rows) if n in self.kept]

    def that_did_not(self, rows: Iterable[Item]) -> list[Item]:
        """Those of the rows behind the lines that found none."""
        return [row for n, row in enumerate(rows) if n not in self.kept]

    def shown(self) -> list[str]:
        """The heading and the lines that found room."""
        return [*self.heading, *self.that_fit(self.lines)] if self.kept else []

    @property
    def left(self) -> int:
        """How many lines found none."""
        return len(self.lines) - len(self.kept)


def render(matter: BriefInput, lang: str, budget: int, nonce: str) -> Brief:
    """The brief within `budget` tokens; empty where there is nothing to tell."""
    say = _WORDS[lang]
    room = Room(budget, LARGEST_BRIEF)
    if not room.take(say["intro"]):
        return Brief("", [], [], [])
    is_small = budget < WRITE_SHARE * count_tokens(say["write"])
    write = [] if is_small or not room.take(say["write"]) else [say["write"]]
    strange = say["strange"].format(n=matter.strange) if matter.strange else ""
    if strange and not room.take(strange):
        strange = ""
    room.tokens -= LEFT_OUT_TOKENS
    # The lists leave the core files their share, and take what the core files leave.
    sizes = [_core_size(memory) for memory in matter.core]
    wanted = sum(sizes)
    kept = room.part(CORE_SHARE)
    kept = Room(min(kept.tokens, wanted), min(kept.size, wanted * 4))
    if not _fitting(sizes, kept.tokens):
        kept = Room(0, 0)
    room.tokens, room.size = room.tokens - kept.tokens, room.size - kept.size
    lists = _filled(matter, say, room, nonce)
    room.tokens, room.size = room.tokens + kept.tokens, room.size + kept.size
    core, ids, unseen = _core(matter.core, room, nonce, lang)
    for one in lists:
        one.fill(room)
    told = fence(nonce, {}, "\n".join(line for one in lists for line in one.shown()))
    blocks = [*([strange] if strange else []), *core]
    blocks += [told] if any(one.kept for one in lists) else []
    if not blocks:
        return Brief("", [], [], [])
    room.tokens += LEFT_OUT_TOKENS
    # What it is about only where there is room for that, too.
    left = _left_out(matter, lists, unseen, lang)
    blocks += next(([line] for line in left if room.take(line)), [])
    full, others, same = _names(matter, lists)
    return Brief("\n".join([say["intro"], *blocks, *write]), [*ids, *full], others, same)


def render_late(matter: BriefInput, lang: str, budget: int, nonce: str) -> str:
    """What a brief would have said of sessions, had it known that they were over."""
    say = _WORDS[lang]
    room = Room(budget, LARGEST_BRIEF)
    lists = _filled(matter, say, room, nonce) if room.take(say["late"]) else []
    for one in lists:
        one.fill(room)
    told = [line for one in lists for line in one.shown()]
    return "\n".join([say["late"], fence(nonce, {}, "\n".join(told))]) if told else ""


def _filled(matter: BriefInput, say: Mapping[str, str], room: Room, nonce: str) -> list[_BriefList]:
    """The lists of a brief in the order in which they are told, each within its share of the room."""
    if not room.take(fence(nonce, {}, "")):
        return []
    last = _BriefList("last", "", last_lines(matter.sessions[0], say) if matter.sessions else [])

    def stated(name: str, lines: Iterable[StatedLine], most: int = MOST_LINES) -> _BriefList:
        return _BriefList(name, say[name], [_shown(line, say) for line in lines], most)

    rules, decided = stated("rules", matter.rules), stated("decided", matter.decided)
    if facts := _facts_in(matter.decided):
        is_all = facts == len(matter.decided)
        decided.heading = [say["facts" if is_all else "decisions and facts"]]
    noted, todo = stated("noted", matter.noted, MOST_NOTED), stated("open", matter.open, MOST_OPEN)
    going_on = (on_one_line(line.text, LONGEST_ASKED) or say["untitled"] for line in matter.now)
    now = _BriefList("now", "", [say["now"].format(title=title) for title in going_on])
    earlier = [line_of(one, say) for one in matter.sessions[1:]]
    before = _BriefList("before", say["before"], earlier, MOST_BEFORE)
    found = ", ".join(f"`{on_one_line(check, 80)}`" for check in matter.checks)
    checks = _BriefList("checks", "", [say["checks"].format(said=found)] if found else [])
    # One line of commands, and where the last session was left off, before many rules take the room.
    checks.fill(room)
    last.fill(room, LAST_SHARE)
    shares = (rules, 0.5), (decided, 0.6), (now, 0.3), (todo, 0.5), (noted, 0.5)
    for one, share in (*shares, (decided, 0.3), (rules, 0.3), (before, 0.4)):
        one.fill(room, share)  # what holds goes before what was done
    return [rules, decided, last, todo, before, now, checks, noted]


def _shown(line: StatedLine, say: Mapping[str, str]) -> str:
    text, why = on_one_line(line.text), on_one_line(line.why, _room_for_why(line))
    if line.subject and line.subject.casefold() not in text.casefold():
        text = f"{on_one_line(line.subject, 60)}{say['because']}{text}"
    if why:
        text = f"{text.rstrip('.。')}{say['because']}{why}"
    if line.kind == "decision":
        text = as_decision(text)
    said = say["signed"].format(who=say["on"].join(filter(None, (line.date, _who(line, say)))))
    return f"- {text}{said}"


def _room_for_why(line: StatedLine) -> int:
    return LONGEST_LINE - min(len(line.text), LONGEST_LINE // 2)


def _is_whole(line: StatedLine) -> bool:
    """Whether a line is told without a cut."""
    return len(line.text) <= LONGEST_LINE and len(line.why) <= _room_for_why(line)


def _who(line: StatedLine, say: Mapping[str, str]) -> str:
    """Who said a line, in words; what was left open says it by itself."""
    if line.source == "left":
        return ""
    if line.trust != "user":
        return say["agent"]
    return say["approved"] if line.source == "inferred" else say["person"]


def _left_out(
    matter: BriefInput, lists: Sequence[_BriefList], unseen: Sequence[str], lang: str
) -> list[str]:
    """The line that names what found no room, with what most of it is about, and without that."""
    say = _WORDS[lang]
    counts: dict[str, int] = {}
    stated = {"rules": matter.rules, "decided": matter.decided}
    unsaid = [line for one in lists for line in one.that_did_not(stated.get(one.name, ()))]
    for one in lists:
        counts[one.name] = one.left
        if one.name == "decided":
            told = one.that_fit(matter.decided)
            counts["facts"] = _facts_in(matter.decided) - _facts_in(told)
            counts["decided"] -= counts["facts"]
    counts["pages"] = matter.unread
    shown = {f"left-{name}": n for name, n in counts.items() if n}
    what = [say[name].format(n=n) for name, n in shown.items() if name in say]
    what += [f"`{attribute(name)[:40]}`" for name in unseen[:MOST_NAMED]]
    if len(unseen) > MOST_NAMED:
        what.append(say["left-core"].format(n=len(unseen) - MOST_NAMED))
    subjects = _subjects_of(unsaid, lang)
    about = [say["about"].format(subjects=say["and"].join(subjects))] if subjects else []
    listed = say["and"].join(what)
    return [say["left"].format(what=listed, about=one) for one in (*about, "")] if what else []


def _subjects_of(lines: Sequence[StatedLine], lang: str) -> list[str]:
    """What most of these lines are about, but for what only this project has."""
    found = Counter(line.subject or subject_of(f"{line.text} {line.why}", lang) for line in lines)
    named = [attribute(subject)[:40] for subject, _ in found.most_common() if subject not in DOMAIN]
    return named[:MOST_SUBJECTS]


def _facts_in(lines: Sequence[StatedLine]) -> int:
    return sum(line.kind != "decision" for line in lines)


def _names(
    matter: BriefInput, lists: Sequence[_BriefList]
) -> tuple[list[str], list[str], list[str]]:
    """`(full, others, same)`: the names of what was told in full, of the other lines, and of repeats."""
    lines = {"rules": matter.rules, "decided": matter.decided, "noted": matter.noted}
    told = [line for one in lists for line in one.that_fit(lines.get(one.name, ()))]
    keys = {key_of(line) for line in told if _is_whole(line)}
    known = [name for name, said in matter.places.items() if keys.issuperset(said)]
    shown = {line.place for line in told}
    kept = {one.name: one for one in lists}
    sessions = [one.id for one in kept["before"].that_fit(matter.sessions[1:])]
    same = [name for name in known if name not in shown]
    if kept["last"].kept:
        last = matter.sessions[0]
        sessions.insert(0, last.id)
        if last.came and is_in_brief(last) and not kept["last"].left:
            same.append(f"{last.id}#{last.summary}")
    todo = kept["open"].that_fit(matter.open)
    full = [name for name in known if name in shown]
    others = dict.fromkeys([line.place for line in (*told, *todo)] + sessions)
    return full, [name for name in others if name and name not in full], same


# ------------------------------------------------------------------------------- core files


def _core_size(memory: Memory) -> int:
    """The tokens that a core file takes whole."""
    return count_tokens(memory.body[:MOST_READ]) + CORE_FRAME


def _core(
    core: Sequence[Memory], room: Room, nonce: str, lang: str
) -> tuple[list[str], list[str], list[str]]:
    """The core files and their ids, and the titles of those without room.

    Small ones are whole; large ones have their head and where the rest is.
    """
    sizes = [_core_size(memory) for memory in core]
    most = _fitting(sizes, room.tokens)
    unseen = [memory.title for memory in core[most:]]
    core = core[:most]
    tokens = _shares(sizes[:most], room.tokens)
    lengths = _shares([len(memory.body) + 4 * CORE_FRAME for memory in core], room.size)
    blocks: list[str] = []
    ids: list[str] = []
    for memory, token_share, size in zip(core, tokens, lengths, strict=True):
        block = _core_block(memory, token_share, size, nonce, lang)
        if block and room.take(block):
            blocks.append(block)
            ids.append(memory.id)
        else:
            unseen.append(memory.title)
    return blocks, ids, unseen


def core_room(core: Sequence[Entry], budget: int) -> tuple[list[Entry], list[Entry]]:
    """The core files that a full brief shows by their beginning only, and those that it names at most.

    A brief that says little else may have room for more.
    """
    room = int(budget * CORE_SHARE)
    core = sorted(core, key=core_order)
    wanted = [entry.tokens + CORE_FRAME for entry in core]
    most = _fitting(wanted, room)
    given = zip(core[:most], _shares(wanted[:most], room), wanted[:most], strict=True)
    return [entry for entry, got, want in given if got < want], core[most:]


def _fitting(sizes: Sequence[int], tokens: int) -> int:
    """How many, from the first, get as much as says something: `SMALLEST_CORE`, or all they have."""
    ends = accumulate(min(size, SMALLEST_CORE) for size in sizes)
    return sum(end <= tokens for end in ends)


def _shares(wanted: Sequence[int], left: int) -> list[int]:
    """What each gets of what is left: what it wants, or an even part of what the smaller ones leave."""
    given = [0] * len(wanted)
    for n, k in enumerate(sorted(range(len(wanted)), key=wanted.__getitem__)):
        given[k] = min(wanted[k], left // (len(wanted) - n))
        left -= given[k]
    return given


def _core_block(memory: Memory, tokens: int, size: int, nonce: str, lang: str) -> str:
    say = _WORDS[lang]
    about = of_page(memory)._replace(date=(memory.updated or memory.created)[:10])
    said = say["on"].join(filter(None, (about.date, _who(about, say))))
    frame = fence(nonce, {"title": memory.title, "from": said}, "")
    tokens, size = tokens - count_tokens(frame) - 3, size - len(frame) - 3
    text = harmless(without_comments(memory.body[:MOST_READ]))
    if count_tokens(text) > tokens or len(text) > size:
        rest = f"\n(… `recollect show {attribute(memory.id)}`)"
        head = shortened(text, tokens - count_tokens(rest), size - len(rest))
        text = head + rest if head else ""
    return fence(nonce, {"title": memory.title, "from": said}, text) if text else ""


MOST_SESSIONS_READ = 12
MOST_FACTS_READ = 40
MOST_PAGES_READ = 24
FOR_AGE = ("compress", "consolidate")  # the causes of moves to the archive that nobody asked for
FACT_KINDS = ("decision", "pattern", "rule", "issue")


def make_brief(
    stores: Sequence[tuple[OpenStore, Sequence[Entry]]],
    running: Iterable[SessionState],
    *,
    lang: str,
    budget: int,
    nonce: str,
) -> tuple[Brief, list[str]]:
    """The brief over these stores, and the paths of the files that it tells of.

    Each store comes with its memories; `running` are the sessions that go on now.
    """
    memories: list[Memory] = []
    paths: list[str] = []
    strange = unread = 0

    def read(store: OpenStore, entries: Iterable[Entry]) -> Iterator[Memory]:
        for entry in entries:
            try:
                document = store.read(entry)
            except RecollectError:
                continue
            paths.append(f"{store.files.root}/{entry.path}")
            yield store.as_trusted(document, entry.path)._replace(id=entry.id)

    for store, every in stores:
        own = [entry for entry in every if store.files.is_own(entry.stamp)]
        strange += len(every) - len(own)
        in_force = [entry for entry in own if is_in_force(entry)]
        quoted = _quoted(in_force)
        memories += read(store, quoted)
        pages = {entry.path for entry in in_force if entry.kind in (*FACT_KINDS, "fact")}
        unread += len(pages - {entry.path for entry in quoted})
    going_on = [
        (state.task, state.started, state.asked_trust, state.statements)
        for state in running
        if state.task
    ]
    matter = gather(memories, going_on)
    if not matter.sessions:
        old = [memory for store, _ in stores for memory in read(store, _put_away(store))]
        matter = gather(memories, going_on, old) if old else matter
    matter = matter._replace(strange=strange, unread=unread)
    return render(matter, lang, budget, nonce), paths


def make_late(store: OpenStore, names: Iterable[str], *, lang: str, budget: int, nonce: str) -> str:
    """What a brief would say of these memories of sessions alone."""
    entries = [entry for name in names if (entry := store.index.entry(name))]
    memories = [store.as_trusted(store.read(e), e.path)._replace(id=e.id) for e in entries]
    return render_late(gather(memories, [], is_late=True), lang, budget, nonce)


def _put_away(store: OpenStore) -> list[Entry]:
    """The last sessions of those that were archived for their age, not by a person or a merge."""
    kept = store.index.entries(Filter(layer="episodic", archived=True))
    kept = [one for one in kept if one.kind in SESSION_KINDS and store.files.is_own(one.stamp)]
    if not kept:
        return []
    moves = {op.memory: op.cause for op in store.journal.heads() if op.op == "move"}
    kept = [one for one in kept if moves.get(one.id, FOR_AGE[0]).split("/")[0] in FOR_AGE]
    kept.sort(key=lambda entry: entry.updated or entry.created, reverse=True)
    return kept[:MOST_SESSIONS]


def _quoted(entries: Sequence[Entry]) -> list[Entry]:
    """The memories that a brief may quote: core files, how to test, and the newest of other kinds."""
    core = [e for e in entries if e.path.startswith("core/") or e.path == SHARED["pointer"]]
    others = [e for e in entries if e not in core]
    others.sort(key=lambda entry: entry.updated or entry.created, reverse=True)
    kinds = (
        (FACT_KINDS, MOST_FACTS_READ),
        (("fact",), MOST_PAGES_READ),
        (SESSION_KINDS, MOST_SESSIONS_READ),
    )
    # A routine that runs all day must not hide the sessions of the person.
    others.sort(key=lambda entry: entry.kind in SESSION_KINDS and entry.salience == "low")
    newest = [[e for e in others if e.kind in some][:most] for some, most in kinds]
    newest.append([e for e in others if e.kind in SESSION_KINDS and e not in newest[-1]][:1])
    return [*core, *(entry for several in newest for entry in several)]


def as_hook_output(text: str, message: str = "") -> str:
    """A brief as the hook prints it, with a message to the person if there is one."""
    shown = {"systemMessage": message} if message else {}
    told = {"hookEventName": "SessionStart", "additionalContext": text}
    output = {**shown, "hookSpecificOutput": told}
    return json.dumps(output, ensure_ascii=False) + "\n"
