"""What each client event does.

Promises: exit code 0 whatever happens. Prints nothing or one JSON object (one text before a
compaction). Done within two seconds even if stdin never closes. Leaves no process but one
short-lived worker. Tool output is never stored. Where the agent is asked to save what matters
(`capture.mode = ask`), every tool use counts, however many hooks run at once.
Touches: the session's journal (append), markers for the worker in the cache, the worker, a log in
the cache.

Recording imports `payload` beside this one; recalling imports the rest when needed.
"""

import _thread
import os
import sys
import time

from recollect.interfaces.hooks import payload
from recollect.interfaces.hooks.payload import is_object, members, read_payload, text_of
from recollect.store import locations
from recollect.store.background import client_process, mark_pending, start_worker

DEADLINE_SECONDS = 1.7
BRIEF_WAIT_SECONDS = 1.2
LARGEST_LOG = 256 * 1024
LONGEST_WORD = 40  # why a session begins or ends, as its client puts it
LONGEST_PATH = 4096
CLAUDE = "claude"
FOREIGN = (b'"sessionId"', b'"conversation_id"')  # keys of editors that run Claude Code's hooks
MACHINE_PROMPTS = tuple(
    "<task-notification <command- <local-command- <bash- <system-reminder <hook_context".split()
)
SESSION_KEYS = ("session_id", "sessionId", "conversation_id")
KEYS = (*SESSION_KEYS, "transcript_path", "cwd", "source", "reason", "agent_type", "agent_id")

# The client's names of its events → ours.
EVENTS = {
    "sessionstart": "session-start",
    "userpromptsubmit": "user-prompt",
    "posttooluse": "post-tool",
    "posttoolusefailure": "post-tool-failure",
    "precompact": "pre-compact",
    "stop": "stop",
    "subagentstop": "subagent-stop",
    "sessionend": "session-end",
}


class HookEvent:
    """What is known when a hook runs: the payload's fields and the stores that are concerned."""

    def __init__(self, client: str, event: str, raw: bytes, env: "dict[str, str]") -> None:
        self.event, self.raw, self.env = event, raw, env
        self.fields = {key: text_of(value) for key, value in members(raw, KEYS).items()}
        named = [self.fields[key] for key in SESSION_KEYS if self.fields.get(key)]
        self.session = named[0] if named else ""
        self.folder = _folder_of(env.get("CLAUDE_PROJECT_DIR", ""), self.fields.get("cwd", ""))
        self.store = locations.project_root(self.folder, env)  # there or not
        self.project, self.home = locations.made_roots(self.store, env)
        self._settle()
        self.client = client
        self.writer = locations.writer_of(client, self.session)

    def _settle(self) -> None:
        """Choose the store to read; a project without one yet has only the global store."""
        self.root = self.project or self.home
        self.cache = locations.cache_folder(self.root, self.env) if self.root else ""

    def signal(self, mark: str = "") -> None:
        """Record the event in the journal; a `mark` makes its line unique."""
        fields: dict[str, str | list[str] | int] = {
            "event": self.event,
            "session": self.session,
            "client": self.client,
        }
        path = self.fields.get("transcript_path", "")
        if 0 < len(path) <= LONGEST_PATH:
            fields["transcript"] = path
        for key in ("source", "reason"):
            word = self.fields.get(key, "")
            if len(word) <= LONGEST_WORD and word.replace("_", "").replace("-", "").isalpha():
                fields[key] = word
        fields["folder"] = self.folder[:LONGEST_PATH]
        if self.event in ("session-start", "user-prompt"):
            fields["process"] = client_process()
        if mark:
            fields["mark"] = mark
        self.record("signal", fields)

    def record(self, op: str, fields: "dict[str, str | list[str] | int]") -> None:
        """Append to the session's journal file; without a session nothing is recorded.

        A store that cannot be written is only logged: the agent still gets its notes.
        """
        if not self.session:
            return
        try:
            if not self.project:
                locations.make_private(self.store, self.folder, self.env)
                self.project = self.store
                self._settle()
            locations.record(self.store, self.writer, op, fields)
        except OSError as error:
            complain(self.env, error)

    @property
    def journal_path(self) -> str:
        """The session's own file in the journal, there or not."""
        return f"{self.store}/journal/{self.writer}.jsonl"

    def journal(self) -> bytes:
        """What the session's journal file contains; nothing if it cannot be read."""
        try:
            return locations.read(self.journal_path)
        except OSError:
            return b""

    def answer(self, event_name: str, text: str) -> None:
        """Give `text` to the agent."""
        head = '{"hookSpecificOutput":{"hookEventName":"' + event_name + '","additionalContext":'
        self.emit((head + locations.json_text(text) + "}}\n").encode("utf-8"))

    def emit(self, data: bytes) -> None:
        """Answer the client, in the form that it expects."""
        if self.client != CLAUDE:
            data = payload.spoken(self.client, self.event, data)
        try:
            while data:
                data = data[os.write(1, data) :]
        except OSError:
            pass  # the client no longer reads it

    @property
    def is_output_read(self) -> bool:
        """Whether the client passes the output of this event on to its agent."""
        return self.client == CLAUDE or self.event in payload.TAKES.get(self.client, ())

    @property
    def has_transcript(self) -> bool:
        """Whether the client has logged anything of the session."""
        path = self.fields.get("transcript_path", "")
        return path.startswith("/") and locations.is_file(path)

    @property
    def asks(self) -> bool:
        """Whether the agent is asked to save what matters (`capture.mode = ask`)."""
        return locations.exists(f"{self.cache}/asking")

    def work(self) -> int:
        """Start the worker; returns its process id, or 0 if it could not be started."""
        if not self.root:
            return 0
        try:
            mark_pending(self.cache)
            return start_worker(self.root)
        except OSError as error:
            complain(self.env, error)
            return 0


def _folder_of(launch: str, cwd: str) -> str:
    """The folder of a session: where it was launched, because `cwd` follows every `cd`."""
    for folder in (launch, cwd):
        if folder.startswith("/"):
            return folder
    try:
        return os.getcwd()
    except OSError:
        return "/"  # the folder was deleted; only the global store is left


def in_our_words(client: str, event: str, raw: bytes) -> "tuple[str, str, bytes]":
    """The client, the event and the payload with the keys that Claude Code uses."""
    if client == CLAUDE and not any(key in raw[:1024] for key in FOREIGN):
        return client, event, raw
    return payload.parse_event(client, event, raw)


def run(client: str, event: str, raw: bytes, env: "dict[str, str]") -> None:
    """Handle an event."""
    moment = HookEvent(client, event, raw, env)
    if not moment.store:
        return  # a user without a home
    if event == "post-tool":
        if moment.asks:
            tool_used(moment)
        else:
            moment.signal()
    elif event == "subagent-stop":
        if moment.fields.get("agent_type"):
            moment.signal()
    elif event in ("stop", "session-end"):
        if event == "session-end" and not (moment.project or moment.has_transcript):
            return  # the session was opened and closed without a word
        moment.signal()
        if event == "stop" and moment.asks:
            turn_ended(moment)
        moment.work()
    else:
        from recollect.interfaces.hooks import recall

        recall.run(moment)


# `capture.mode = ask`: the journal is the counter. A hook appends its line with a mark of its own,
# and the mark's position is its number. The question contains nothing that is stored.

MARK = b'"mark":"'
COMPACTED = (b'"event":"pre-compact"', b'"source":"compact"')
SAID = {
    "en": "Recollect is set to ask (capture.mode = ask). Tool uses since the last time: {n}. "
    "If something of them is worth keeping for later sessions (what the person decided, corrected or turned down, built already or not, or what was found "
    "out with effort, and still so now; not what was done), note it: at most five entries, none is a good answer. "
    "Use the tool `remember`, one call each. Where it is missing:\n"
    "1. Write a new file with your file tool, not through a shell:\n{path}\n"
    "with those of these sections that there is something for:\n{form}\n"
    "2. Then run:\n{command}\n"
    "Leave out secrets. Nothing is to be done if there is nothing new.",
    "zh": "Recollect 设为询问模式（capture.mode = ask）。距上次已使用工具 {n} 次。"
    "如果其中有值得留给以后会话的内容（用户所作的决定、更正或否决，无论是否已实现，或费力查明的结论，而且现在仍然成立；不是做了什么），"
    "请记下：最多五条，没有也可以。请用工具 `remember`，每条调用一次。没有该工具时：\n"
    "1. 用文件工具（不要通过 shell）新建文件：\n{path}\n"
    "写入以下小节中有内容的部分：\n{form}\n"
    "2. 然后运行：\n{command}\n"
    "不要写入机密。没有新内容则无需操作。",
}
# An agent may hand a form back unchanged: `model.facts` reads no fact from these placeholders.
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


def tool_used(moment: HookEvent) -> None:
    """Count a tool use, and ask if it completes the interval; a sub-agent's is not counted."""
    if moment.fields.get("agent_id") or not moment.session:
        moment.signal()
        return
    mark = os.urandom(6).hex()
    moment.signal(mark)
    data = moment.journal()
    at = data.find(MARK + mark.encode())
    if at < 0:
        return  # the line could not be written
    number = data.count(MARK, 0, at) + 1
    interval = _settings(moment)[0]
    since = number - _asked_at(data)
    if (since >= interval and since % interval == 0) or _is_compacted(data, at):
        _ask(moment, "PostToolUse", number, since)


def turn_ended(moment: HookEvent) -> None:
    """Ask at the end of a turn if at least half an interval of tool uses went by since the last time.

    The turn in which the agent answers is not counted, and nothing is asked at its end. A client
    that passes no output on at this event is asked after tool uses only; they still count.
    """
    if not moment.is_output_read:
        return
    data = moment.journal()
    number = data.count(MARK)
    since = number - _asked_at(data)
    if b'"stop_hook_active":true' in moment.raw.replace(b" ", b""):
        if since:
            _remember(moment, number)
    elif since and since >= (_settings(moment)[0] + 1) // 2:
        _ask(moment, "Stop", number, since)


def _asked_at(data: bytes) -> int:
    """The number of the tool use at which the agent was asked last."""
    at = data.rfind(b'"op":"ask"')
    start = data.rfind(b"\n", 0, at) + 1
    line = data[start : data.find(b"\n", at)] if at >= 0 else b""
    number = text_of(members(line, ("at",)).get("at", b""))
    return int(number) if number.isdigit() else 0


def _is_compacted(data: bytes, at: int) -> bool:
    """Whether this is the first tool use after a compaction, with unasked ones before it."""
    compacted = max(map(data.rfind, COMPACTED))
    is_first = compacted >= 0 and data.find(MARK, compacted) == at
    return is_first and data.count(MARK, 0, compacted) > _asked_at(data)


def _remember(moment: HookEvent, number: int) -> None:
    # As text: the reader of payloads knows no numbers.
    moment.record("ask", {"session": moment.session, "at": str(number)})


def _ask(moment: HookEvent, event_name: str, number: int, since: int) -> None:
    _remember(moment, number)
    _, lang, command = _settings(moment)
    lang = lang if lang in SAID else "en"
    now = locations.utc(time.time())
    # The number keeps the files of one session apart, the hash those of two sessions.
    own = locations.short_hash(moment.session)[:6]
    name = f"{now[:10]}_{now[11:13]}{now[14:16]}-{own}-{number}"
    text = SAID[lang].replace("{n}", str(since)).replace("{form}", FORMS[lang])
    text = text.replace("{path}", f"{moment.root}/sessions/{name}.md")
    text = text.replace("{command}", f"{command} -C {_quoted(moment.folder)} extract-facts {name}")
    moment.answer(event_name, text)


def _settings(moment: HookEvent) -> "tuple[int, str, str]":
    """`(interval, language, our command)` from the cache, where a publication writes them."""
    try:
        interval, lang, command = locations.read_text(f"{moment.cache}/asking", 8192).splitlines()[
            :3
        ]
        return max(int(interval), 1), lang, command
    except (OSError, ValueError):
        return 5, "en", "recollect"


def _quoted(text: str) -> str:
    """`text` as one word of a shell."""
    return "'" + text.replace("'", "'\\''") + "'"


def complain(env: "dict[str, str]", error: BaseException) -> None:
    """Write an error to the log, where `recollect doctor` finds it."""
    try:
        base = locations.cache_root(env)
        path = f"{base}/hook.log"
        locations.make_folders(base)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        handle = os.open(path, flags, 0o600)
        if os.fstat(handle).st_size > LARGEST_LOG:
            os.ftruncate(handle, 0)
        trace, where = error.__traceback__, ""
        while trace:
            where = trace.tb_frame.f_code.co_filename.rpartition("/")[2] + f":{trace.tb_lineno}"
            trace = trace.tb_next
        # The text of any other error may quote the person.
        said = f": {error}" if isinstance(error, OSError) else ""
        line = f"{locations.utc(time.time())} {' '.join(sys.argv[1:3])} {type(error).__name__} at {where}{said}"
        os.write(handle, (line.replace("\n", " ")[:400] + "\n").encode("utf-8", "replace"))
        os.close(handle)
    except BaseException:  # noqa: BLE001, S110 - there is nobody left to tell
        pass


def _end_in_time() -> None:
    # A thread, not a signal: it also ends the process while SQLite or the file system hangs.
    time.sleep(DEADLINE_SECONDS)
    os._exit(0)


def main() -> None:
    """Run the hook named by the arguments; always ends with exit code 0."""
    env = dict(os.environ)
    try:
        _thread.start_new_thread(_end_in_time, ())
        client = sys.argv[1] if len(sys.argv) > 1 else ""
        name = sys.argv[2].replace("-", "").lower() if len(sys.argv) > 2 else ""
        raw = read_payload()
        if env.get("RECOLLECT_DISABLE") or name not in EVENTS or not is_object(raw):
            return
        run(*in_our_words(client, EVENTS[name], raw), env)
    except BaseException as error:  # noqa: BLE001 - a hook never fails its client
        complain(env, error)
    finally:
        os._exit(0)
