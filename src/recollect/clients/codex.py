"""Codex CLI: transcripts, hooks and settings."""

from __future__ import annotations

import glob
import json
import os
import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from recollect.clients import base as lines
from recollect.clients.base import ConfigPart, HookProgram, LineTranscripts, TranscriptReading
from recollect.clients.config_files import HookTable, Table, table_at
from recollect.model.session import Event
from recollect.ports import Portion
from recollect.text.web_reads import reads_a_page

NAME = "codex"
# It waits for the end of a session no longer than that, and complains about anything longer.
TIMEOUTS = {"SessionEnd": 3}
TIMEOUT_SECONDS = 10
EVENTS = ("SessionStart", "UserPromptSubmit", "PostToolUse", "PreCompact", "Stop", "SessionEnd")


def folder(env: dict[str, str]) -> str:
    """The client's own folder of this user."""
    return env.get("CODEX_HOME") or os.path.join(env.get("HOME", "/"), ".codex")


def group_for(program: HookProgram, event: str) -> dict[str, Any]:
    """The entry of an event."""
    handler = {
        "type": "command",
        "command": program.hook_command(NAME, event),
        "timeout": TIMEOUTS.get(event, TIMEOUT_SECONDS),
    }
    return {"hooks": [handler]}


def parts(env: dict[str, str], program: HookProgram) -> list[ConfigPart]:
    """The files of this user that get our entries."""
    hooks = HookTable(NAME, {event: group_for(program, event) for event in EVENTS})
    server = Table("mcp_servers", "recollect", program.entry)
    return [
        ConfigPart("", os.path.join(folder(env), "hooks.json"), hooks),
        ConfigPart("mcp", _settings(env), server),
    ]


def has_plugin(env: dict[str, str]) -> bool:
    """Whether this user has our plugin installed and enabled."""
    return any(
        name.startswith("recollect@") and lines.members(own).get("enabled") is not False
        for name, own in table_at(_settings(env), "plugins").items()
    )


def servers(env: dict[str, str]) -> list[str]:
    """The names of the servers of tools that its settings start."""
    return list(table_at(_settings(env), "mcp_servers"))


def _settings(env: dict[str, str]) -> str:
    return os.path.join(folder(env), "config.toml")


# -------------------- Codex CLI: reading its transcripts, `~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<session>.jsonl`.


_NAME = re.compile(r"rollout-.*-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl")
_SKIPPED = tuple(
    f'"type":"{kind}"'.encode()
    for kind in ("world_state", "token_usage_record", "token_count", "thread_settings_applied")
)
_EXIT_CODE = re.compile(r"(?:exited with code|Exit code:) (-?\d+)")
# The lines above the output of a command; the command itself may stand above them.
_ABOVE = re.compile(r"^(?:Exit code: |Process exited |Wall time)", re.M)
# A script in which the model calls tools, and what is known of the only command that one ran.
_CALLED = re.compile(r"\btools\.(\w+)")
_RAN = re.compile(r'\bcmd"?\s*:\s*("(?:[^"\\]|\\.)*")')
_NOT_PATCHED = re.compile(r"apply_patch verification failed|Script failed|patch rejected")
_COMMITTED = re.compile(r"^\[[^\]\n]+ [0-9a-f]{7,}\] ", re.M)
_PROGRAMS = ("exec", "mcp")  # who starts a session that nobody types into: `codex exec`, the SDKs
_ORIGINS = ("codex_exec", "codex_sdk")
# What an editor or the desktop app puts before a prompt: open files, a conversation, attachments.
_REQUEST = re.compile(r"\A#.*^## My request for Codex:\s*", re.S | re.M)
_OURS = ("recollect__", "mcp__recollect__")
# The client's own tools that look at nothing but this machine; what it does not know is a server's.
_PLAIN = frozenset(
    """apply_patch update_plan request_user_input view_image write_stdin unified_exec read_file list_dir grep_files
    get_goal create_goal update_goal exec js_repl js_repl_reset tool_search wait spawn_agent spawn_agents_on_csv
    send_input send_message followup_task wait_agent list_agents resume_agent close_agent interrupt_agent
    report_agent_job_result request_permissions test_sync_tool container.exec python sleep""".split()
)
# What is told of other agents; their names are those of their sessions.
_OF_AGENTS = re.compile(
    rb'"(?:agent_id|receiver_thread_ids?|agents?_states?|agent_statuses|receiverThreadIds)\\?"'
)
_AGENT = re.compile(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def _thread_name(path: str, session: str) -> str:
    """The name of a thread, the last one in the index beside the folder of all sessions."""
    base, found, _ = path.rpartition(f"{os.sep}sessions{os.sep}")
    if not found or not session:
        return ""
    name = ""
    for raw in lines.first(os.path.join(base, "session_index.jsonl")):
        if session.encode() in raw:
            row = lines.object_of(raw)
            name = lines.string(row.get("thread_name")) if row.get("id") == session else name
    return name


def _about(path: str) -> dict[str, Any]:
    """The first line's record of the session."""
    return lines.members(lines.head_of(path).get("payload"))


def _copied_until(path: str) -> str:
    """The time until which a fork of an older version repeats the session that it was made of.

    Its lines are written at once, below the record of that session; none are left out if that has no
    transcript any more.
    """
    found = map(lines.object_of, lines.lines_with(b'"timestamp"', path))
    own, line = next(found, {}), next(found, {})
    parent, this = (
        lines.string(lines.members(one.get("payload")).get("id")) for one in (line, own)
    )
    if line.get("type") != "session_meta" or parent in ("", this) or not _rollouts(path, parent):
        return ""
    moment = datetime.fromisoformat
    until = lines.time_of(line.get("timestamp"))
    for line in found:
        time = lines.time_of(line.get("timestamp"))
        if not (time and until) or moment(time) - moment(until) > AT_ONCE:
            break
        until = time
    return until


AT_ONCE = timedelta(seconds=1)  # between two lines that no person came between


def _rollouts(path: str, session: str) -> list[str]:
    """The transcripts of a session beside another one."""
    base = glob.escape(path.rpartition(f"{os.sep}sessions{os.sep}")[0])
    pattern = os.path.join(base, "sessions", "*", "*", "*", f"rollout-*-{session}.jsonl")
    return glob.glob(pattern) if base else []


class _CodexReading(TranscriptReading):
    """What has been read of a portion; `mark` tells this session's items from those of others."""

    def __init__(self, session: str) -> None:
        super().__init__(session)
        self.mark = session[-12:]
        self._asked: dict[str, list[dict[str, Any]]] = {}  # calls with questions to the person
        self._patched: dict[str, int] = {}  # calls with patches, and how many files each changes

    def take(self, raw: bytes) -> None:
        if any(kind in raw[:160] for kind in _SKIPPED):
            return
        line = lines.object_of(raw)
        payload = lines.members(line.get("payload"))
        kind, time = line.get("type"), lines.time_of(line.get("timestamp"))
        if kind == "session_meta":
            self.cwd = self.cwd or lines.string(payload.get("cwd"))
            self.branch = lines.string(lines.members(payload.get("git")).get("branch"))
        elif kind == "compacted":
            self.events.append(Event("compacted", time, id=f"{self.mark}.{time}"))
            if said := lines.string(payload.get("message")).strip():
                self.events.append(Event("recap", time, text=said, id=f"{self.mark}.{time}.m"))
        elif kind == "event_msg" and payload.get("type") == "web_search_end":
            self.events += self._called(payload, time)  # of older versions
        elif kind == "event_msg":
            self.events += self._event_message(payload, time)
        elif kind == "response_item":
            self.events += self._asked_for(payload, time)
            if "ordinal" not in line:
                self.events += self._called(payload, time)
        if _OF_AGENTS.search(raw):
            self._read_sub_agents(raw, time)

    def _read_sub_agents(self, raw: bytes, time: str) -> None:
        """Take in the sub-agents that a line names."""
        for name in dict.fromkeys(found.decode() for found in _AGENT.findall(raw)):
            for path in _rollouts("".join(self.paths[-1:]), name):
                self.read_sub_agent(path, time, f"{self.mark}.{name}.w")

    # --------------------------------------------------------------------- as the client tells it

    def _event_message(self, payload: dict[str, Any], time: str) -> Iterator[Event]:
        kind = payload.get("type")
        if kind == "thread_name_updated":
            self.called(payload.get("thread_name"))
        elif kind in ("user_message", "agent_message"):  # older versions
            said = "prompt" if kind == "user_message" else "answer"
            text = lines.string(payload.get("message")).strip()
            name = f"{self.mark}.{time}.{said[0]}{len(text)}"
            yield from self._message(said, time, text, name)
        item = payload.get("item")
        if kind != "item_completed" or not isinstance(item, dict):
            return
        name = f"{self.mark}.{lines.string(item.get('id'))}"
        what = item.get("type")
        if what in ("UserMessage", "AgentMessage"):
            texts = [lines.string(b.get("text")) for b in lines.objects(item.get("content"))]
            if what == "UserMessage":
                yield from self._message("prompt", time, lines.typed(texts), name)
            else:
                yield from self._message("answer", time, "\n".join(texts).strip(), name)
        elif what == "CommandExecution":
            yield from _ran(item, time, name)
        elif what == "FileChange":
            yield from _changed(item, time, name)
        elif what == "McpToolCall":
            yield from _used(item, time, name)
        elif what in ("WebSearch", "DynamicToolCall"):
            target = lines.string(item.get("query"))
            yield Event("call", time, tool="web_search", target=target, id=name)
            yield Event("web", time, id=f"{name}.w")

    def _message(self, kind: str, time: str, text: str, name: str) -> Iterator[Event]:
        if kind == "prompt":
            text = _REQUEST.sub("", text)
        if text:
            program = self.program and kind == "prompt"
            yield Event(kind, time, text=text, id=name, program=program)

    # ------------------------------------------------------------------ as the model was told it

    def _asked_for(self, payload: dict[str, Any], time: str) -> Iterator[Event]:
        """Steps that the agent lists, and what the person answers to its questions."""
        kind, call = payload.get("type"), lines.string(payload.get("call_id"))
        name = f"{self.mark}.{call}"
        if kind == "function_call" and payload.get("name") == "update_plan":
            todos = lines.todos_in(_object(payload.get("arguments")).get("plan"), "step")
            yield Event("todos", time, todos=todos, id=f"{name}.l")
        elif kind == "function_call" and payload.get("name") == "request_user_input":
            asked = _object(payload.get("arguments")).get("questions")
            self._asked[call] = lines.objects(asked)
        elif kind == "function_call_output" and call in self._asked:
            questions = self._asked.pop(call)
            said = lines.members(_object(payload.get("output")).get("answers"))
            given = [lines.members(said.get(lines.string(q.get("id")))) for q in questions]
            answers = [one.get("answers") for one in given]
            for event in lines.choices(questions, answers, time, name):
                yield event._replace(program=self.program)

    def _called(self, payload: dict[str, Any], time: str) -> Iterator[Event]:
        """Calls and their results in files of older versions."""
        kind, call = payload.get("type"), lines.string(payload.get("call_id"))
        name = f"{self.mark}.{call}"
        if kind in ("function_call", "custom_tool_call"):
            given = lines.string(payload.get("arguments")) or lines.string(payload.get("input"))
            changes = lines.changes_patched(given.replace("\\n", "\n"))
            self._patched[call] = len(changes)
            for n, (path, change) in enumerate(changes):
                one = f"{call}.{n}"
                yield Event("call", time, tool="edit", call=one, target=path, text=change, id=f"{name}.{n}")  # fmt: skip
            tool = lines.string(payload.get("name"))
            if tool in ("shell", "shell_command", "exec_command", "local_shell"):
                yield Event("call", time, tool="shell", call=call, target=_command(given), id=name)
            elif tool == "exec":
                yield from _scripted(given, call, time, name)
            elif tool not in _PLAIN and not lines.is_ours(tool, _OURS):
                yield Event("web", time, id=f"{name}.w")
        elif kind in ("web_search_call", "web_search_end"):
            yield Event("web", time, id=f"{self.mark}.{time}.w")
        elif kind in ("function_call_output", "custom_tool_call_output"):
            text, code = _output(payload.get("output"))
            if code is not None:
                yield Event("result", time, text=text, call=call, ok=not code, id=f"{name}.r")
            is_done = not (code or _NOT_PATCHED.match(text))
            for n in range(self._patched.pop(call, 0)):
                yield Event("result", time, call=f"{call}.{n}", ok=is_done, id=f"{name}.{n}r")


class CodexTranscripts(LineTranscripts):
    """Reader of Codex CLI's transcripts."""

    reading = _CodexReading

    def session_of(self, path: str) -> str:
        """The session that a transcript is of, from its name; sub-agents have none."""
        found = _NAME.fullmatch(os.path.basename(path))
        if not found or "subagent" in lines.members(_about(path).get("source")):
            return ""
        return found[1]

    def is_named(self, path: str) -> bool:
        """Whether a file has the name of a transcript."""
        return bool(_NAME.fullmatch(os.path.basename(path)))

    def is_of_program(self, path: str) -> bool:
        """Whether a program started the session."""
        about = _about(path)
        origin = lines.string(about.get("originator"))
        return about.get("source") in _PROGRAMS or origin.startswith(_ORIGINS)

    def read(self, path: str, offset: int, inode: int) -> Portion:
        """What was added since `offset`, with the name of the thread if it has one."""
        portion = super().read(path, offset, inode)
        if not portion.events:
            return portion
        own = path.partition(f"{os.sep}sessions{os.sep}")[0]
        folders = (own, os.path.join(portion.cwd or own, ".codex"))
        bodies = lines.command_bodies([os.path.join(one, "prompts") for one in folders], ".md")
        events = lines.without_commands(portion.events, bodies)
        if until := _copied_until(path):
            copies = [bool(one.time) and one.time <= until for one in events]
            events = [  # of what it repeats only that its agent has read a page
                Event("web", one.time, id=f"{one.id}f") if is_copy else one
                for one, is_copy in zip(events, copies, strict=True)
                if not is_copy or one.is_page
            ]
        return portion._replace(events=lines.titled(events, _thread_name(path, portion.session)))


def _ran(item: dict[str, Any], time: str, name: str) -> Iterator[Event]:
    words = item.get("command")
    words = [lines.string(w) for w in words] if isinstance(words, list) else []
    # A shell with its command as one word, as the client runs them.
    target = words[-1] if len(words) == 3 and words[1] in ("-lc", "-c") else " ".join(words)
    call = lines.string(item.get("id"))
    yield Event("call", time, tool="shell", call=call, target=target, id=name)
    declined = item.get("status") == "declined"  # a person who says no is no failure
    text = "" if declined else lines.string(item.get("aggregated_output"))
    ok = not item.get("exit_code") and item.get("status") != "failed"
    yield Event("result", time, text=text, call=call, ok=ok, id=f"{name}.r")


def _changed(item: dict[str, Any], time: str, name: str) -> Iterator[Event]:
    changes = item.get("changes")
    ok = item.get("status") == "completed"
    for n, (path, change) in enumerate(lines.members(changes).items()):
        call = f"{lines.string(item.get('id'))}.{n}"
        diff = lines.string(lines.members(change).get("unified_diff"))[:20_000].splitlines()
        gone, added = ([line[1:] for line in diff if line.startswith(sign)] for sign in "-+")
        said = lines.change_between(gone, added)
        yield Event("call", time, tool="edit", call=call, target=path, text=said, id=f"{name}.{n}")
        text = lines.string(item.get("stderr"))
        yield Event("result", time, text=text, call=call, ok=ok, id=f"{name}.{n}r")


def _used(item: dict[str, Any], time: str, name: str) -> Iterator[Event]:
    call, server = lines.string(item.get("id")), lines.string(item.get("server"))
    if server == lines.OWN_TOOL and item.get("tool") in lines.OUR_TOOLS:
        yield Event("call", time, tool=lines.OWN_TOOL, call=call, id=name)
        if lines.is_second_hand(json.dumps(item.get("result"), ensure_ascii=False)):
            yield Event("web", time, id=f"{name}.w")
        return
    tool = f"{server}.{lines.string(item.get('tool'))}"
    yield Event("call", time, tool=tool, call=call, id=name)
    yield Event("web", time, id=f"{name}.w")  # where a server has it from, nobody knows
    error = item.get("error")
    text = lines.string(lines.members(error).get("message"))
    yield Event("result", time, text=text, call=call, ok=error is None, id=f"{name}.r")


def _object(text: object) -> dict[str, Any]:
    """The object that a text is, or the text of an output; an empty one for any other."""
    said = lines.members(text).get("content") if isinstance(text, dict) else text
    return lines.object_of(lines.string(said))


def _command(given: str) -> str:
    try:
        found = lines.without_halves(json.loads(given), given)
    except (ValueError, RecursionError):
        return given
    said = (found.get("command") or found.get("cmd")) if isinstance(found, dict) else ""
    if isinstance(said, list):
        said = said[-1] if said else ""
    return lines.string(said)


def _scripted(script: str, call: str, time: str, name: str) -> Iterator[Event]:
    """The commands that a script runs, as far as it writes them out, and whether it reads elsewhere."""
    commands = [_without_quotes(word) for word in _RAN.findall(script)]
    for n, command in enumerate(commands):
        one = call if len(commands) == 1 else f"{call}.{n}"
        yield Event("call", time, tool="shell", call=one, target=command, id=f"{name}.c{n}")
    called = _CALLED.findall(script)
    is_hidden = called.count("exec_command") > len(commands)
    if (is_hidden and reads_a_page(script)) or any(
        tool not in (*_PLAIN, "exec_command") and not lines.is_ours(tool, _OURS) for tool in called
    ):
        yield Event("web", time, id=f"{name}.w")


def _without_quotes(word: str) -> str:
    try:
        return lines.string(lines.without_halves(json.loads(word), word))
    except ValueError:
        return ""


def _output(output: object) -> tuple[str, int | None]:
    """The output of a call, and its exit code; none where a script does not say it."""
    parts = [lines.string(part.get("text")) for part in lines.objects(output)]
    text = lines.string(output) or "\n".join(parts)
    found = lines.object_of(text) if text.startswith("{") else {}
    about = found.get("metadata")
    if isinstance(about, dict):
        return lines.string(found.get("output")), int(about.get("exit_code") or 0)
    above, _, below = text.partition("\nOutput:\n")
    is_above = bool(_ABOVE.search(above))
    if is_above and above.startswith("Script "):
        told = lines.object_of(below.strip())
        code = told.get("exit_code", 0 if _COMMITTED.search(below) else None)
        failed = above if above.startswith("Script failed") else ""
        said = failed or lines.string(told.get("output")) or below.strip()
        return said, code if isinstance(code, int) else None
    codes = _EXIT_CODE.findall(above if is_above else text[:400])
    return below if is_above else text, int(codes[-1]) if codes else 0
