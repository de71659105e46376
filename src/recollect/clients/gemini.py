"""Gemini CLI: transcripts, hooks and settings."""

from __future__ import annotations

import glob
import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from recollect.clients import base as lines
from recollect.clients.base import (
    CombinedForms,
    ConfigPart,
    HookProgram,
    LineTranscripts,
    TranscriptReading,
)
from recollect.clients.config_files import HookTable, ObjectEntry
from recollect.model.session import Event
from recollect.ports import Portion

NAME = "gemini"
TIMEOUT_MS = 10_000
# Its events → ours.
EVENTS = {
    "SessionStart": "SessionStart",
    "BeforeAgent": "UserPromptSubmit",
    "AfterTool": "PostToolUse",
    "AfterAgent": "Stop",
    "SessionEnd": "SessionEnd",
}


def folder(env: dict[str, str]) -> str:
    """The client's own folder of this user."""
    return os.path.join(env.get("GEMINI_CLI_HOME") or env.get("HOME", "/"), ".gemini")


def group_for(program: HookProgram, event: str) -> dict[str, Any]:
    """The entry of an event."""
    handler = {
        "name": "recollect",
        "type": "command",
        "command": program.hook_command(NAME, EVENTS[event]),
        "timeout": TIMEOUT_MS,
    }
    return {"hooks": [handler]}


def parts(env: dict[str, str], program: HookProgram) -> list[ConfigPart]:
    """The files of this user that get our entries."""
    groups = {event: group_for(program, event) for event in EVENTS}
    hooks = HookTable(NAME, groups, has_comments=True)
    server = ObjectEntry("mcpServers", "recollect", program.entry, has_comments=True)
    path = os.path.join(folder(env), "settings.json")
    return [ConfigPart("", path, CombinedForms([hooks, server]))]


def has_plugin(env: dict[str, str]) -> bool:
    """Whether this user has our extension installed and enabled for their home folder."""
    extensions = os.path.join(folder(env), "extensions")
    if not os.path.isdir(os.path.join(extensions, "recollect")):
        return False
    try:
        with open(os.path.join(extensions, "extension-enablement.json"), encoding="utf-8") as file:
            rules = json.load(file)["recollect"]["overrides"]
        home = env.get("HOME", "/").rstrip("/")
        own = [rule for rule in rules if rule.lstrip("!").rstrip("*").rstrip("/") == home]
        return not own or not own[-1].startswith("!")
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return True  # nothing is said of it


# -------------------- Gemini CLI: reading its transcripts, `~/.gemini/tmp/<project>/chats/session-<time>-<id>.jsonl`.
# Until April 2026 a chat was one object, `session-<time>-<id>.json`, which was written anew with each message.


_OURS = ("mcp_recollect_",)
_INJECTED = re.compile(r"<hook_context>.*?(?:</hook_context>|\Z)", re.S)
_MACHINE = ("<session_context>", "<system-reminder>", "System: Please continue.")
# What an editor (Gemini Code Assist), or the client for the files that it names, puts behind a prompt, to its end.
_SHOWN = re.compile(
    r"^(?:(?:Current File Path|Current Selection):\n```|User Selected Files:\n- |--- Content from referenced files ---| ?PRIOR CHAT HISTORY: ).*\Z",
    re.S | re.M,
)
# What a sub-agent was told whose chat stands beside those of persons, under the session's id.
_OF_SUB_AGENT = "Your task is to do a deep investigation of the codebase"
_EXIT_CODE = re.compile(r"^Exit Code: (-?\d+)", re.M)
_WRAPPED = re.compile(r"</?untrusted_context>\n?")
_COMMENT = re.compile(r"Plan rejected\. User feedback: (.+?)(?:\n\nThe plan is stored at|\Z)", re.S)
_EDITS = ("write_file", "replace", "edit")
# The client's own tools that look at nothing but this machine; what it does not know is a server's.
_PLAIN = frozenset(
    """list_directory read_file read_many_files write_file replace edit glob search_file_content grep_search ripgrep
    run_shell_command save_memory write_todos ask_user enter_plan_mode exit_plan_mode activate_skill complete_task
    get_internal_docs update_topic tracker_create_task tracker_update_task tracker_get_task tracker_list_tasks
    tracker_add_dependency tracker_visualize list_background_processes read_background_output
    codebase_investigator cli_help generalist invoke_agent""".split()
)
_AGENTS = ("codebase_investigator", "cli_help", "generalist", "invoke_agent")


class _GeminiReading(TranscriptReading):
    def __init__(self, session: str) -> None:
        super().__init__(session)
        self._told: set[str] = set()

    def take(self, raw: bytes) -> None:
        self.take_in(lines.object_of(raw))

    def take_in(self, line: dict[str, Any]) -> None:
        """Take in the events of a line, or of a message of an older chat."""
        self.called(line.get("summary") or lines.members(line.get("$set")).get("summary"))
        # A message is rewritten whenever one of its calls ends: its text is taken once.
        for event in _events(line):
            if event.id not in self._told:
                self._told.add(event.id)
                self.events.append(event)
        calls = lines.objects(line.get("toolCalls"))
        if self.paths and any(call.get("name") in _AGENTS and call.get("result") for call in calls):
            self._read_sub_agents(lines.time_of(line.get("timestamp")))

    def _read_sub_agents(self, time: str) -> None:
        """Take in the sub-agents; their chats are in a folder named after the session."""
        folder = glob.escape(os.path.join(os.path.dirname(self.paths[0]), self.session))
        for path in sorted(glob.glob(os.path.join(folder, "*.jsonl"))):
            self.read_sub_agent(path, time, f"g.{os.path.basename(path)[:80]}.w")


class GeminiTranscripts(LineTranscripts):
    """Reader of Gemini CLI's transcripts."""

    reading = _GeminiReading

    def session_of(self, path: str) -> str:
        """The session that a transcript is of, from its first line; sub-agents have none."""
        head = _chat_of(path) if path.endswith(".json") else lines.head_of(path)
        messages = lines.objects(head.get("messages"))
        is_own = head.get("kind") in (None, "main")
        if messages and _message_text(messages[0]).startswith(_OF_SUB_AGENT):
            is_own = False
        return lines.string(head.get("sessionId")) if is_own else ""

    def is_named(self, path: str) -> bool:
        """Whether a file has the name of a transcript."""
        return os.path.basename(path).startswith("session-") and path.endswith((".jsonl", ".json"))

    def folder_of(self, path: str) -> str:
        """The folder in which the session was started, or nothing."""
        if not os.path.exists(path):
            return ""
        note = os.path.join(os.path.dirname(os.path.dirname(path)), ".project_root")
        return next(lines.first(note), b"").decode("utf-8", "replace").strip()

    def read(self, path: str, offset: int, inode: int) -> Portion:
        """What was added since `offset`; from the start if it is another file now."""
        read = self._read_chat if path.endswith(".json") else super().read
        portion, cwd = read(path, offset, inode), self.folder_of(path)
        own = path.partition(f"{os.sep}tmp{os.sep}")[0]
        folders = [os.path.join(cwd, ".gemini", "commands"), os.path.join(own, "commands")]
        bodies = lines.command_bodies(folders, ".toml") if cwd and portion.events else []
        return portion._replace(events=lines.without_commands(portion.events, bodies), cwd=cwd)

    def _read_chat(self, path: str, offset: int, inode: int) -> Portion:
        """An older chat, which is one object: all of it, if anything was added."""
        reading = self.reading(self.session_of(path))
        with suppress(OSError):
            now = os.stat(path)
            if (offset, inode) != (now.st_size, now.st_ino):
                chat = _chat_of(path)
                for message in (chat, *lines.objects(chat.get("messages"))):
                    reading.take_in(message)
            offset, inode = now.st_size, now.st_ino
        return Portion(reading.events, offset, inode, "", "", reading.session)


def _chat_of(path: str) -> dict[str, Any]:
    """The object that an older chat is."""
    return lines.object_of(b"".join(lines.first(path)))


def _events(line: dict[str, Any]) -> Iterator[Event]:
    # Letters in front, so that no number of a message can be one of another client's.
    name, time = f"g{lines.string(line.get('id'))}", lines.time_of(line.get("timestamp"))
    text = _message_text(line).strip()
    if line.get("type") == "user":
        if text and not text.startswith(_MACHINE):
            yield Event("prompt", time, text=text, id=name)
    elif line.get("type") == "gemini":
        if text:
            yield Event("answer", time, text=text, id=name)
        for call in lines.objects(line.get("toolCalls")):
            yield from _call(call, time)


def _message_text(line: dict[str, Any]) -> str:
    """The text of a message, without what the client put into it."""
    content = line.get("content")
    parts = lines.objects(content)
    texts = [content] if isinstance(content, str) else [lines.string(p.get("text")) for p in parts]
    said = [text for text in (_INJECTED.sub("", text).strip() for text in texts) if text]
    if line.get("type") != "user":
        return "\n".join(said)
    # A person's text is the first part; files that it names, and the like, are parts behind it.
    return lines.typed(_SHOWN.sub("", text) for text in said)


def _call(call: dict[str, Any], time: str) -> Iterator[Event]:
    name, tool = lines.string(call.get("id")), lines.string(call.get("name"))
    given = lines.members(call.get("args"))
    time = lines.time_of(call.get("timestamp")) or time
    if tool == "write_todos":
        todos = lines.todos_in(given.get("todos"), "description")
        yield Event("todos", time, todos=todos, id=f"g{name}")
        return
    if lines.is_ours(tool, _OURS):
        yield Event("call", time, tool=lines.OWN_TOOL, call=name, id=f"g{name}")
        if lines.is_second_hand(_result(call)[0]):
            yield Event("web", time, id=f"g{name}.w")
        return
    kind = "shell" if tool == "run_shell_command" else "edit" if tool in _EDITS else tool
    target = lines.string_in(given, "command", "file_path", "query")
    change = lines.change_of(given) if kind == "edit" else ""
    yield Event("call", time, tool=kind, call=name, target=target, text=change, id=f"g{name}")
    if tool not in _PLAIN:
        yield Event("web", time, id=f"g{name}.w")
    if call.get("status") in ("success", "error", "cancelled"):
        text, failed = _result(call)
        refused = call.get("status") == "cancelled"  # a person who says no is no failure
        if tool == "ask_user":
            questions = lines.objects(given.get("questions"))
            said = lines.members(lines.object_of(text).get("answers"))
            answers = [said.get(str(n)) for n in range(len(questions))]
            yield from lines.choices(questions, answers, time, f"g{name}")
        elif tool == "exit_plan_mode" and (comment := _COMMENT.search(text)):
            yield Event("refusal", time, text=comment[1].strip(), id=f"g{name}.n")
        text = "" if refused else text
        yield Event("result", time, text=text, call=name, ok=not failed, id=f"g{name}.r")


def _result(call: dict[str, Any]) -> tuple[str, bool]:
    """The output of a call, and whether it failed."""
    text, failed = "", call.get("status") == "error"
    for part in lines.objects(call.get("result")):
        response = lines.members(lines.members(part.get("functionResponse")).get("response"))
        if response:
            text = lines.string(response.get("error")) or lines.string(response.get("output"))
    code = _EXIT_CODE.findall(text)
    failed = failed or bool(code and code[-1] != "0")
    return _WRAPPED.sub("", _INJECTED.sub("", text)).strip(), failed
