"""`capture.mode = ask`: ask the agent to save what matters, as seed 003 does.

Promises: counts every tool use of a session, however many hooks run at once; one of them asks when
the interval is reached, or first after a compaction. The text contains nothing that is stored and nothing of the session.
Touches: the session's journal file; `asking` in the cache (reading).

Imported only where a store asks. The journal is the counter: a hook appends its line with a mark
of its own, and the mark's position is its number.
"""

import os
import time

from recollect.interfaces.hooks import events
from recollect.interfaces.hooks.payload import members, text_of
from recollect.store import locations as places

MARK = b'"mark":"'
COMPACTED = (b'"event":"pre-compact"', b'"source":"compact"')
SAID = {
    "en": "Recollect is set to ask (capture.mode = ask). Tool uses since the last time: {n}. "
    "If something of them is worth keeping for later sessions (decided, corrected or learned, and still so now; not "
    "what code or git say, no task of this session), note it: at most five entries, none is a good answer. "
    "Use the tool `remember`, one call each. Where it is missing:\n"
    "1. Write a new file with your file tool, not through a shell:\n{path}\n"
    "with those of these sections that there is something for:\n{form}\n"
    "2. Then run:\n{command}\n"
    "Leave out secrets. Nothing is to be done if there is nothing new.",
    "zh": "Recollect 设为询问模式（capture.mode = ask）。距上次已使用工具 {n} 次。"
    "如果其中有值得留给以后会话的内容（作过的决定、更正或所得的结论，而且现在仍然成立；不是代码或 git 中已有的，也不是本次会话的任务），"
    "请记下：最多五条，没有也可以。请用工具 `remember`，每条调用一次。没有该工具时：\n"
    "1. 用文件工具（不要通过 shell）新建文件：\n{path}\n"
    "写入以下小节中有内容的部分：\n{form}\n"
    "2. 然后运行：\n{command}\n"
    "不要写入机密。没有新内容则无需操作。",
}
# What stands in a form as it is handed out is known to `domain.facts` as nothing.
FORMS = {
    "en": "## Decisions\n- [architecture|technology|approach] Decision content: Reason why\n"
    "  - files: src/a.py\n  - concepts: storage\n"
    "## Patterns\n- [convention|best-practice|anti-pattern] Pattern description\n"
    "## Issues\n- [bugfix|performance|security|feature] Issue description: open|resolved",
    "zh": "## 决定\n- [architecture|technology|approach] 决定的内容：原因\n"
    "  - files: src/a.py\n  - concepts: storage\n"
    "## 模式\n- [convention|best-practice|anti-pattern] 模式的说明\n"
    "## 问题\n- [bugfix|performance|security|feature] 问题的说明：open|resolved",
}


def tool_used(moment: events.HookEvent) -> None:
    """Count a tool use, and ask if it completes the interval; a sub-agent's is not counted."""
    if moment.fields.get("agent_id") or not moment.session:
        moment.signal()
        return
    mark = os.urandom(6).hex()
    moment.signal(mark)
    data = _journal(moment)
    at = data.find(MARK + mark.encode())
    if at < 0:
        return  # the line could not be written
    number = data.count(MARK, 0, at) + 1
    interval = _settings(moment)[0]
    since = number - _asked_at(data)
    if (since >= interval and since % interval == 0) or _is_compacted(data, at):
        _ask(moment, "PostToolUse", number, since)


def turn_ended(moment: events.HookEvent) -> None:
    """Ask at the end of a turn, if so much was done since the last time that it would be missed.

    The turn in which the agent answers that is not counted: it ends by asking nothing. A client
    that hands nothing on then is asked while it works only, and what it did meanwhile still counts.
    """
    if not moment.is_output_read:
        return
    data = _journal(moment)
    number = data.count(MARK)
    since = number - _asked_at(data)
    if b'"stop_hook_active":true' in moment.raw.replace(b" ", b""):
        if since:
            _remember(moment, number)
    elif since and since >= (_settings(moment)[0] + 1) // 2:
        _ask(moment, "Stop", number, since)


def _journal(moment: events.HookEvent) -> bytes:
    try:
        return places.read(f"{moment.store}/journal/{moment.writer}.jsonl")
    except OSError:
        return b""


def _asked_at(data: bytes) -> int:
    """The number of the tool use at which the agent was asked last."""
    at = data.rfind(b'"op":"ask"')
    start = data.rfind(b"\n", 0, at) + 1
    line = data[start : data.find(b"\n", at)] if at >= 0 else b""
    number = text_of(members(line, ("at",)).get("at", b""))
    return int(number) if number.isdigit() else 0


def _is_compacted(data: bytes, at: int) -> bool:
    """Whether this is the first tool use after a compaction, and nobody has asked of those before it."""
    compacted = max(map(data.rfind, COMPACTED))
    is_first = compacted >= 0 and data.find(MARK, compacted) == at
    return is_first and data.count(MARK, 0, compacted) > _asked_at(data)


def _remember(moment: events.HookEvent, number: int) -> None:
    # As text: the reader of payloads knows no numbers.
    moment.record("ask", {"session": moment.session, "at": str(number)})


def _ask(moment: events.HookEvent, event_name: str, number: int, since: int) -> None:
    _remember(moment, number)
    _, lang, command = _settings(moment)
    lang = lang if lang in SAID else "en"
    now = places.utc(time.time())
    # The number of the tool use tells the files of one minute apart, the session those of two.
    own = places.short_hash(moment.session)[:6]
    name = f"{now[:10]}_{now[11:13]}{now[14:16]}-{own}-{number}"
    text = SAID[lang].replace("{n}", str(since)).replace("{form}", FORMS[lang])
    text = text.replace("{path}", f"{moment.root}/sessions/{name}.md")
    text = text.replace("{command}", f"{command} -C {_quoted(moment.folder)} extract-facts {name}")
    moment.answer(event_name, text)


def _settings(moment: events.HookEvent) -> "tuple[int, str, str]":
    """`(interval, language, our command)` as the last publication left them."""
    try:
        interval, lang, command = places.read_text(f"{moment.cache}/asking", 8192).splitlines()[:3]
        return max(int(interval), 1), lang, command
    except (OSError, ValueError):
        return 5, "en", "recollect"


def _quoted(text: str) -> str:
    """`text` as one word of a shell."""
    return "'" + text.replace("'", "'\\''") + "'"
