"""What each client event does.

Promises: exit code 0 whatever happens. Prints nothing or one JSON object (one text before a
compaction). Done within two seconds even if stdin never closes. Leaves no process but one
short-lived worker. Tool output is never stored.
Touches: the session's journal (append), markers for the worker in the cache, the worker, a log in
the cache.

Recording imports only the modules beside this one; recalling imports the rest when needed.
"""

import _thread
import os
import sys
import time

from recollect.interfaces.hooks.payload import is_object, members, read_payload, text_of
from recollect.store import locations as places
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
        """Read what every event needs."""
        self.event, self.raw, self.env = event, raw, env
        self.fields = {key: text_of(value) for key, value in members(raw, KEYS).items()}
        named = [self.fields[key] for key in SESSION_KEYS if self.fields.get(key)]
        self.session = named[0] if named else ""
        self.folder = _folder_of(env.get("CLAUDE_PROJECT_DIR", ""), self.fields.get("cwd", ""))
        self.store = places.project_root(self.folder, env)  # there or not
        self.project, self.home = places.roots(self.folder, env)
        self._settle()
        self.client = client
        self.writer = places.writer_of(client, self.session)

    def _settle(self) -> None:
        """Of a project of which nothing is kept yet, only the global store can be asked."""
        self.root = self.project or self.home
        self.cache = places.cache_folder(self.root, self.env) if self.root else ""

    def signal(self, mark: str = "") -> None:
        """Leave word of the event in the journal; a `mark` tells the line from all others."""
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
        """Append to the session's journal file; what no session sent is nobody's.

        A store that cannot be written is no reason to keep from the agent what there is to tell.
        """
        if not self.session:
            return
        try:
            if not self.project:
                places.make_private(self.store, self.folder, self.env)
                self.project = self.store
                self._settle()
            places.record(self.store, self.writer, op, fields)
        except OSError as error:
            complain(self.env, error)

    def answer(self, event_name: str, text: str) -> None:
        """Hand `text` to the agent."""
        head = '{"hookSpecificOutput":{"hookEventName":"' + event_name + '","additionalContext":'
        self.emit((head + places.json_text(text) + "}}\n").encode("utf-8"))

    def emit(self, data: bytes) -> None:
        """Answer the client, in its own words."""
        if self.client != CLAUDE:
            from recollect.interfaces.hooks import dialects

            data = dialects.spoken(self.client, self.event, data)
        emit(data)

    @property
    def is_output_read(self) -> bool:
        """Whether the client hands what is said at this event to its agent."""
        if self.client == CLAUDE:
            return True
        from recollect.interfaces.hooks import dialects

        return self.event in dialects.TAKES.get(self.client, ())

    @property
    def has_transcript(self) -> bool:
        """Whether the client has written down anything of the session."""
        path = self.fields.get("transcript_path", "")
        return path.startswith("/") and places.is_file(path)

    @property
    def asks(self) -> bool:
        """Whether the agent is to be asked for what is worth keeping (`capture.mode = ask`)."""
        return places.exists(f"{self.cache}/asking")

    def work(self) -> int:
        """Ask for the worker; gives its process id, or 0 if it could not be started."""
        if not self.root:
            return 0
        try:
            mark_pending(self.cache)
            return start_worker(self.root)
        except OSError as error:
            complain(self.env, error)
            return 0


def _folder_of(launch: str, cwd: str) -> str:
    """The folder that a session is about: that of its launch; `cwd` follows every `cd`."""
    for folder in (launch, cwd):
        if folder.startswith("/"):
            return folder
    try:
        return os.getcwd()
    except OSError:
        return "/"  # somebody took the folder away; only the global store is left


def emit(data: bytes) -> None:
    """Write to the client, who may have gone."""
    try:
        while data:
            data = data[os.write(1, data) :]
    except OSError:
        pass


def in_our_words(client: str, event: str, raw: bytes) -> "tuple[str, str, bytes]":
    """The client, the event and the payload, this one with the keys that Claude Code uses."""
    if client == CLAUDE and not any(key in raw[:1024] for key in FOREIGN):
        return client, event, raw
    from recollect.interfaces.hooks import dialects

    return dialects.parse_event(client, event, raw)


def run(client: str, event: str, raw: bytes, env: "dict[str, str]") -> None:
    """Do what an event asks for."""
    moment = HookEvent(client, event, raw, env)
    if not moment.store:
        return  # a user without a home
    if event == "post-tool":
        if moment.asks:
            from recollect.interfaces.hooks import asking

            asking.tool_used(moment)
        else:
            moment.signal()
    elif event == "subagent-stop":
        if moment.fields.get("agent_type"):
            moment.signal()
    elif event in ("stop", "session-end"):
        if event == "session-end" and not (moment.project or moment.has_transcript):
            return  # it was opened and closed
        moment.signal()
        if event == "stop" and moment.asks:
            from recollect.interfaces.hooks import asking

            asking.turn_ended(moment)
        moment.work()
    else:
        from recollect.interfaces.hooks import recall

        recall.run(moment)


def complain(env: "dict[str, str]", error: BaseException) -> None:
    """Leave a line in the log; the user is not bothered."""
    try:
        base = places.cache_root(env)
        path = f"{base}/hook.log"
        places.make_folders(base)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        handle = os.open(path, flags, 0o600)
        if os.fstat(handle).st_size > LARGEST_LOG:
            os.ftruncate(handle, 0)
        trace, where = error.__traceback__, ""
        while trace:
            where = trace.tb_frame.f_code.co_filename.rpartition("/")[2] + f":{trace.tb_lineno}"
            trace = trace.tb_next
        # What other errors say may be what somebody said.
        said = f": {error}" if isinstance(error, OSError) else ""
        line = f"{places.utc(time.time())} {' '.join(sys.argv[1:3])} {type(error).__name__} at {where}{said}"
        os.write(handle, (line.replace("\n", " ")[:400] + "\n").encode("utf-8", "replace"))
        os.close(handle)
    except BaseException:  # noqa: BLE001, S110 - there is nobody left to tell
        pass


def _end_in_time() -> None:
    # A thread and not a signal: it also ends us while SQLite or the file system does not return.
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
