"""GitHub Copilot: the CLI and the chat of VS Code."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from typing import Any

from recollect.clients import base as lines
from recollect.clients.base import (
    ConfigPart,
    HookProgram,
    LineTranscripts,
    OwnedFile,
    TranscriptReading,
)
from recollect.clients.config_files import ObjectEntry
from recollect.model.session import Event

NAME = "copilot"
TIMEOUT_SECONDS = 10
# In these names the command line sends the fields that the chat sends too.
EVENTS = "SessionStart UserPromptSubmit PostToolUse PostToolUseFailure Stop SessionEnd".split()
_MARK = f'hook.py\\" {NAME} '  # as it stands in the command of a hook


def folder(env: dict[str, str]) -> str:
    """The folder of the command line, and of the hooks of both."""
    return env.get("COPILOT_HOME") or os.path.join(env.get("HOME", "/"), ".copilot")


def editor_folder(env: dict[str, str]) -> str:
    """The folder of VS Code that has the settings of its user."""
    home = env.get("HOME", "/")
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Application Support", "Code", "User")
    base = env.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    return os.path.join(base, "Code", "User")


def hooks_text(program: HookProgram) -> str:
    """Our file of hooks."""
    hooks: dict[str, Any] = {}
    for event in EVENTS:
        command = program.hook_command(NAME, event)
        hooks[event] = [{"type": "command", "command": command, "timeout": TIMEOUT_SECONDS}]
    return json.dumps({"version": 1, "hooks": hooks}, indent=2, ensure_ascii=False) + "\n"


def _hooks(env: dict[str, str], program: HookProgram) -> ConfigPart:
    path = os.path.join(folder(env), "hooks", "recollect.json")
    return ConfigPart("", path, OwnedFile(hooks_text(program), _MARK))


def parts(env: dict[str, str], program: HookProgram) -> list[ConfigPart]:
    """The files for the command line."""
    value = {"type": "local", **program.entry, "tools": ["*"]}
    path = os.path.join(folder(env), "mcp-config.json")
    return [
        _hooks(env, program),
        ConfigPart("mcp", path, ObjectEntry("mcpServers", "recollect", value)),
    ]


def editor_parts(env: dict[str, str], program: HookProgram) -> list[ConfigPart]:
    """The files for VS Code."""
    value = {"type": "stdio", **program.entry}
    server = ObjectEntry("servers", "recollect", value, has_comments=True)
    path = os.path.join(editor_folder(env), "mcp.json")
    return [_hooks(env, program), ConfigPart("mcp", path, server)]


# -------------------- Copilot CLI: reading its transcripts, `~/.copilot/session-state/<session>/events.jsonl`.
# In 2025 they were `~/.copilot/session-state/<session>.jsonl`.


FILE = "events.jsonl"
_KINDS = tuple(
    f'{{"type":"{kind}"'.encode()
    for kind in (
        "session.start", "session.resume", "session.compaction_complete", "session.title_changed",
        "system.message", "user.message", "assistant.message", "tool.execution_start",
        "tool.execution_complete",
    )
)  # fmt: skip
_PATCH = "apply_patch"
_EDITS = ("create", "edit", "str_replace_editor", _PATCH)
_SHELLS = ("bash", "powershell")
_OURS = ("recollect-",)
_ALONE = "You are running in non-interactive mode"  # what its model is told of `copilot -p`
_GUIDANCE = '\n\nTool "'  # what hooks said of a result stands behind it
_SYSTEM = b'{"type":"system.message"'
# Calls that a person answers, and what they say to them.
_SHOWN = ("ask_user", "exit_plan_mode")
_SAID = re.compile(r"User (?:selected|responded): (.+)", re.S)
_NOW = re.compile(r"\s*<current_datetime>[^<]*</current_datetime>\s*\Z")  # older versions
_FEEDBACK = "User feedback: "


class _CopilotReading(TranscriptReading):
    def __init__(self, session: str) -> None:
        super().__init__(session)
        self._shown: dict[str, dict[str, Any]] = {}
        self._patched: dict[str, list[tuple[str, str]]] = {}

    def take(self, raw: bytes) -> None:
        if not raw.startswith(_KINDS):
            return
        line = lines.object_of(raw)
        data = lines.members(line.get("data"))
        name, time = lines.string(line.get("id")), lines.time_of(line.get("timestamp"))
        kind = str(line.get("type"))
        if data.get("parentToolCallId"):  # a sub-agent
            self.read_pages(_events(kind, data, time, name))
            return
        if kind in ("session.start", "session.resume"):
            context = lines.members(data.get("context"))
            self.cwd = lines.string(context.get("cwd")) or self.cwd
            self.branch = lines.string(context.get("branch")) or self.branch
            return
        if kind == "session.title_changed":
            self.called(data.get("title"))
            return
        if kind == "system.message":
            # It comes behind the first prompt to which it holds.
            self.program = _ALONE in lines.string(data.get("content"))
            if self.events and self.events[-1].kind == "prompt":
                self.events[-1] = self.events[-1]._replace(program=self.program)
            return
        for event in _events(kind, data, time, name):
            is_said = event.kind in ("prompt", "refusal")
            self.events.append(event._replace(program=self.program) if is_said else event)
        self.events += self._answered(kind, data, time, name)
        self.events += self._changed(kind, data, time, name)

    def _changed(self, kind: str, data: dict[str, Any], time: str, name: str) -> Iterator[Event]:
        """The files that a patch changed besides its first."""
        call = lines.string(data.get("toolCallId"))
        if kind == "tool.execution_start" and data.get("toolName") == _PATCH:
            self._patched[call] = _patch_of(data)[1:]
        elif kind == "tool.execution_complete":
            ok = bool(data.get("success"))
            for n, (path, change) in enumerate(self._patched.pop(call, [])):
                one = f"{call}.{n}"
                yield Event("call", time, tool="edit", call=one, target=path, text=change, id=f"{name}.c{n}")  # fmt: skip
                yield Event("result", time, call=one, ok=ok, id=f"{name}.d{n}")

    def _answered(self, kind: str, data: dict[str, Any], time: str, name: str) -> Iterator[Event]:
        """What the person answered to a question, or to a plan."""
        call = lines.string(data.get("toolCallId"))
        if kind == "tool.execution_start" and data.get("toolName") in _SHOWN:
            self._shown[call] = lines.members(data.get("arguments"))
        elif kind == "tool.execution_complete" and call in self._shown:
            given = self._shown.pop(call)
            text = lines.string(lines.members(data.get("result")).get("content"))
            text = text.partition(_GUIDANCE)[0]
            if text.startswith("Plan approved"):
                plan = lines.string(given.get("summary"))
                yield Event("plan", time, text=plan, id=f"{name}.p", program=self.program)
            elif said := _SAID.match(text):
                for event in lines.choices([given], [said[1].strip()], time, name):
                    yield event._replace(program=self.program)


class CopilotTranscripts(LineTranscripts):
    """Reader of Copilot CLI's transcripts."""

    reading = _CopilotReading

    def session_of(self, path: str) -> str:
        """The session that a transcript is of: the name of its folder, or its own of older ones."""
        own = path if os.path.basename(path) != FILE else os.path.dirname(path)
        return os.path.basename(own).removesuffix(".jsonl") if self.is_named(path) else ""

    def is_named(self, path: str) -> bool:
        """Whether a file has the name of a transcript."""
        folder, name = os.path.split(path)
        is_older = os.path.basename(folder) == "session-state" and name.endswith(".jsonl")
        return name == FILE or is_older

    def is_of_program(self, path: str) -> bool:
        """Whether a program started the session, by what its model is told first."""
        for raw in lines.first(path):
            if raw.startswith(_SYSTEM):
                return _ALONE in raw.decode("utf-8", "replace")
        return False


def _events(kind: str, data: dict[str, Any], time: str, name: str) -> Iterator[Event]:
    text = lines.string(data.get("content")).strip()
    if kind == "user.message":
        text = _NOW.sub("", text)
        if text and data.get("source") in (None, "user"):
            yield Event("prompt", time, text=text, id=name)
    elif kind == "assistant.message":
        if text:
            yield Event("answer", time, text=text, id=name)
    elif kind == "session.compaction_complete":
        yield Event("compacted", time, id=name)
        if said := lines.string(data.get("summaryContent")).strip():
            yield Event("recap", time, text=said, id=f"{name}.m")
    elif kind == "tool.execution_start":
        yield from _started(data, time, name)
    elif kind == "tool.execution_complete":
        yield from _ended(data, time, name)


def _started(data: dict[str, Any], time: str, name: str) -> Iterator[Event]:
    tool, call = lines.string(data.get("toolName")), lines.string(data.get("toolCallId"))
    given = lines.members(data.get("arguments"))
    if (
        tool == "task_complete"
    ):  # in autopilot an answer ends with it, and it says what came of the work
        yield Event("answer", time, text=lines.string(given.get("summary")), id=name)
        return
    if lines.is_ours(tool, _OURS) and data.get("mcpServerName") in (None, lines.OWN_TOOL):
        yield Event("call", time, tool=lines.OWN_TOOL, call=call, id=name)
        return
    kind = "shell" if tool in _SHELLS else "edit" if tool in _EDITS else tool
    if kind == "edit" and given.get("command") == "view":  # as `str_replace_editor` looks at a file
        kind = tool
    keys = ("path",) if kind == "edit" else ("command", "path", "url", "query", "pattern")
    target = lines.string_in(given, *keys)
    change = lines.change_of(given) if kind == "edit" else ""
    if tool == _PATCH and (patched := _patch_of(data)):
        target, change = patched[0]
    yield Event("call", time, tool=kind, call=call, target=target, text=change, id=name)
    if lines.is_outside(tool) or data.get("mcpServerName"):
        yield Event("web", time, id=f"{name}.w")


def _patch_of(data: dict[str, Any]) -> list[tuple[str, str]]:
    """What a patch changes: `apply_patch`, with which some models edit, is given its text alone."""
    given = data.get("arguments")
    text = lines.string(given) or lines.string_in(lines.members(given), "patch", "input")
    return lines.changes_patched(text)


def _ended(data: dict[str, Any], time: str, name: str) -> Iterator[Event]:
    call, error = lines.string(data.get("toolCallId")), data.get("error")
    text = lines.string(lines.members(data.get("result")).get("content"))
    refused = False
    if isinstance(error, dict):
        text = lines.string(error.get("message"))
        refused = error.get("code") in ("rejected", "denied")  # a person's no is no failure
        if refused and (said := text.partition(_FEEDBACK)[2].strip()):
            yield Event("refusal", time, text=said, id=f"{name}.n")
    code = lines.members(data.get("shellExecution")).get("exitCode")
    ok = bool(data.get("success")) and not code
    text = "" if refused else text.partition(_GUIDANCE)[0]
    yield Event("result", time, text=text, call=call, ok=ok, id=name)
