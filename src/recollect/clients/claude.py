"""Claude Code: transcripts, settings and plugin."""

from __future__ import annotations

import glob
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator

from recollect.clients import base as lines
from recollect.clients.base import ConfigPart, HookProgram, LineTranscripts, TranscriptReading
from recollect.clients.config_files import HookTable
from recollect.model.session import Event

TYPE_CHECKING = False  # `typing` takes 2 ms to load, in every worker
if TYPE_CHECKING:
    from typing import Any


NAME = "claude"
TIMEOUT_SECONDS = 10
ASKING = "PostToolUse"  # only asking the agent needs it: a tool that fails has an event of its own
EVENTS: dict[str, dict[str, Any]] = {
    "SessionStart": {"matcher": "startup|resume|clear|compact|fork"},
    "UserPromptSubmit": {},
    ASKING: {"async": True},
    "PostToolUseFailure": {},
    "PreCompact": {},
    "Stop": {},
    "SubagentStop": {},
    "SessionEnd": {},
}


def folder(env: dict[str, str]) -> str:
    """The client's own folder of this user."""
    return env.get("CLAUDE_CONFIG_DIR") or os.path.join(env.get("HOME", "/"), ".claude")


def settings_path(env: dict[str, str]) -> str:
    """The client's own settings file of this user."""
    return os.path.join(folder(env), "settings.json")


def state_path(env: dict[str, str]) -> str:
    """Its state file, which running sessions write, and in which it keeps the servers of tools."""
    older = os.path.join(folder(env), ".config.json")
    if os.path.exists(older):
        return older
    return os.path.join(env.get("CLAUDE_CONFIG_DIR") or env.get("HOME", "/"), ".claude.json")


def traces(env: dict[str, str]) -> list[str]:
    """The files that the client makes when it first runs; its folder may be only our store's."""
    own = [os.path.join(folder(env), name) for name in ("settings.json", "projects")]
    return [*own, state_path(env)]


def server(env: dict[str, str]) -> list[str] | None:
    """The command of this user's server that has our name; empty if it is none that is run.

    None without such a server.
    """
    path = state_path(env)
    if not os.path.isfile(path):
        return None
    try:
        with open(path, encoding="utf-8-sig") as file:
            entry = json.load(file)["mcpServers"]["recollect"]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None
    if not isinstance(entry, dict) or not isinstance(entry.get("command"), str):
        return []
    args = entry.get("args")
    return [entry["command"], *map(str, args if isinstance(args, list) else ())]


def has_plugin(env: dict[str, str]) -> bool:
    """Whether this user has our plugin installed and enabled."""
    try:
        with open(settings_path(env), encoding="utf-8") as file:
            enabled = json.load(file)["enabledPlugins"]
        return any(name.startswith("recollect@") and on is True for name, on in enabled.items())
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return False


def group_for(program: HookProgram, event: str) -> dict[str, Any]:
    """The entry of an event in the form of the settings file."""
    extra = EVENTS[event]
    handler: dict[str, Any] = {"type": "command", "command": program.hook_command(NAME, event)}
    if extra.get("async"):
        handler["async"] = True
    handler["timeout"] = TIMEOUT_SECONDS
    group: dict[str, Any] = {"matcher": extra["matcher"]} if "matcher" in extra else {}
    return group | {"hooks": [handler]}


def hooks(program: HookProgram) -> HookTable:
    """Our hooks as they stand in the settings file."""
    events = [event for event in EVENTS if program.asks or event != ASKING]
    return HookTable(NAME, {event: group_for(program, event) for event in events})


def parts(env: dict[str, str], program: HookProgram) -> list[ConfigPart]:
    """The files of this user that get our entries."""
    return [ConfigPart("", settings_path(env), hooks(program))]


# -------------------- Claude Code: reading its transcripts, `~/.claude/projects/<slug>/<session>.jsonl`.


_SKIPPED = tuple(
    f'{{"type":"{kind}'.encode()
    for kind in (
        "api-request", "queue-operation", "last-prompt", "tools-used", "atis-latch", "cost-state",
        "file-history-snapshot", "mode", "permission-mode",
    )
)  # fmt: skip
# Attachments and progress are most of a transcript; of all their kinds one has what a person said.
_PROGRESS = b'"type":"progress","data":{'
_ATTACHED = b'"attachment":{"type":"'
_QUEUED = _ATTACHED + b'queued_command"'
_MACHINE = (
    "<task-notification", "<command-", "<local-command-", "<bash-", "<system-reminder",
    "Caveat: The messages below", "[Request interrupted",
)  # fmt: skip
_REMINDER = re.compile(r"<system-reminder>.*?(?:</system-reminder>|\Z)", re.S)
# What an editor adds, as far as its last end: the file that it shows may have such a mark, too.
_IDE = re.compile(r"<ide_(\w+)>(?:.*</ide_\1>|.*)", re.S)
_PASTED = re.compile(r"<pasted_content\b[^>]*>(.*?)(?:</pasted_content\b[^>]*>|\Z)", re.S)
_COMMAND = re.compile(
    r"\s*<command-message>.*?</command-message>\s*<command-name>(/.*?)</command-name>\s*"
    r"(?:<command-args>(.*?)</command-args>)?",
    re.S,
)
# A name that a person gives the session; without one the client has it made up.
_RENAMED = re.compile(
    r"\s*<command-name>/rename</command-name>(?:\s*<command-message>[^<]*</command-message>)?\s*"
    r"<command-args>(.+?)</command-args>",
    re.S,
)
# Apps in which a person types, although they drive Claude Code through its SDK.
_APPS = ("claude-vscode", "claude-desktop", "local-agent")
_AGENT = re.compile(r"[\w-]{1,80}")
# Of a sub-agent that worked in the background.
_DONE = re.compile(rb"<task-id>([\w-]{1,80})</task-id>")
_SHELLS = ("Bash", "PowerShell")
_EDITS = dict.fromkeys(("Edit", "Write", "MultiEdit"), "file_path") | {
    "NotebookEdit": "notebook_path"
}
_OF_EDITOR = "mcp__ide__"  # what the editor says of the project's own files
_OURS = ("mcp__recollect__", "mcp__plugin_recollect_recollect__")
# Lines of the client's own that say something of a session: the field that has it, and who said it.
_TITLES = {
    "ai-title": ("aiTitle", "client"),
    "custom-title": ("customTitle", "custom"),
    "summary": ("summary", "summary"),
}


_Call = tuple[str, "dict[str, Any]"]  # the tool, and what it was given where a person answers it


class _ClaudeReading(TranscriptReading):
    def __init__(self, session: str) -> None:
        super().__init__(session)
        self._calls: dict[str, _Call] = {}

    def take(self, raw: bytes) -> None:
        if raw.startswith(_SKIPPED):
            return
        head = raw[:400]
        if _PROGRESS in head or (_ATTACHED in head and _QUEUED not in head):
            return
        line = lines.object_of(raw)
        if line.get("isSidechain") and len(self.paths) < 2:
            # Older versions write what a sub-agent does into the same file.
            self.read_pages(_assistant(line, {}))
            return
        if b'"agentId"' in raw or b"<task-id>" in raw:
            self._read_sub_agents(line, raw)
        self.cwd = self.cwd or lines.string(line.get("cwd"))
        self.branch = lines.string(line.get("gitBranch")) or self.branch
        kind = line.get("type")
        if kind == "user":
            self.events += _user(line, self._call_of)
        elif kind == "assistant":
            self.events += _assistant(line, self._calls)
        elif kind == "attachment":
            self.events += _attachment(line)
        else:
            self._noted(line)

    def _call_of(self, call: str) -> _Call:
        """The call that a result is of, from an earlier portion if need be; one without a name if unknown."""
        if call not in self._calls and call and self.paths:
            for raw in lines.lines_with(json.dumps(call).encode(), self.paths[-1]):
                for block in _blocks(lines.object_of(raw)):
                    if block.get("type") == "tool_use":
                        _note_call(block, self._calls)
        return self._calls.setdefault(call, ("", {}))

    def _read_sub_agents(self, line: dict[str, Any], raw: bytes) -> None:
        """Take in the sub-agents that a line says were started, or are done."""
        started = lines.string(lines.members(line.get("toolUseResult")).get("agentId"))
        base = self.paths[0].removesuffix(".jsonl") if self.paths else ""
        for name in {started, *(found.decode() for found in _DONE.findall(raw))}:
            if base and _AGENT.fullmatch(name):
                for folder in (os.path.join(base, "subagents"), os.path.dirname(base)):
                    path = os.path.join(folder, f"agent-{name}.jsonl")
                    self.read_sub_agent(path, _time(line), f"a.{name}.w")

    def _noted(self, line: dict[str, Any]) -> None:
        """Take in a line of the client about the session itself."""
        kind = line.get("type")
        if isinstance(kind, str) and kind in _TITLES:
            field, giver = _TITLES[kind]
            self.called(line.get(field), giver, lines.string(line.get("leafUuid")))
        elif kind == "pr-link":
            link = lines.string(line.get("prUrl"))
            self.events.append(Event("link", _time(line), target=link, id=f"l.{link[-40:]}"))
        elif kind == "system" and line.get("subtype") == "compact_boundary":
            self.events.append(Event("compacted", _time(line), id=_id(line, 0)))


class ClaudeTranscripts(LineTranscripts):
    """Reader of Claude Code's transcripts."""

    reading = _ClaudeReading
    skipped = ("subagents", "tool-results", "memory")

    def session_of(self, path: str) -> str:
        """The session that a transcript is of: its file's stem; sub-agents have none."""
        stem = os.path.basename(path).removesuffix(".jsonl")
        if stem.startswith("agent-") or f"{os.sep}subagents{os.sep}" in path:
            return ""
        return stem

    def is_named(self, path: str) -> bool:
        """Whether a file has the name of a transcript."""
        return path.endswith(".jsonl")

    def moved(self, path: str) -> str:
        """Where the transcript really is, if a hook named a wrong place.

        After a resume from elsewhere the hook names a path below the new folder, but the lines
        go to the first one.
        """
        if os.path.exists(path):
            return path
        folder, name = map(
            glob.escape, (os.path.dirname(os.path.dirname(path)), os.path.basename(path))
        )
        found = glob.glob(os.path.join(folder, "*", name))
        return max(found, key=os.path.getmtime, default=path)


def _time(line: dict[str, Any]) -> str:
    """The time of a line in our form."""
    return lines.time_of(line.get("timestamp"))


def _id(line: dict[str, Any], n: int, of: str = "") -> str:
    # By its whole uuid a line is known again, also in a fork's copy of it.
    uuid = lines.string(line.get("uuid"))
    return f"{uuid}.{n}{of}" if uuid and (n or of) else uuid


def _blocks(line: dict[str, Any]) -> list[dict[str, Any]]:
    content = lines.members(line.get("message")).get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content, "whole": True}]
    return lines.objects(content)


def _user(line: dict[str, Any], call_of: Callable[[str], _Call]) -> Iterator[Event]:
    if line.get("isMeta"):
        return
    blocks = _blocks(line)
    if line.get("isCompactSummary"):
        said = "\n".join(lines.string(block.get("text")) for block in blocks)
        yield Event("recap", _time(line), text=said, id=_id(line, 0))
        return
    for n, block in enumerate(blocks):
        if block.get("type") == "tool_result":
            yield from _result(line, block, n, call_of)
    text = _prompt(line, blocks)
    if named := _RENAMED.match(first_of(lines.string(b.get("text")) for b in blocks)):
        yield Event("title", _time(line), " ".join(named[1].split()), "typed", id=_id(line, 0, "n"))
    elif text.startswith(_TEAM):
        told = "\n\n".join(filter(None, map(_task_of, _TEAMMATE.findall(text))))
        if told:
            yield Event("prompt", _time(line), told, "team", id=_id(line, 0), program=True)
    elif text:
        yield Event("prompt", _time(line), text=text, id=_id(line, 0), program=_is_of_program(line))


_TEAM = "<teammate-message"
_TEAMMATE = re.compile(r"<teammate-message\b[^>]*>\s*(.*?)\s*</teammate-message>", re.S)


def _task_of(message: str) -> str:
    """What another agent of the team wants; nothing of what only says that it waits or ends."""
    if not message.startswith("{"):
        return message
    data = lines.object_of(message.encode())
    if data.get("type") != "task_assignment":
        return ""
    return "\n\n".join(lines.string(data.get(name)) for name in ("subject", "description")).strip()


def _is_of_program(line: dict[str, Any]) -> bool:
    """Whether a program sent this prompt (`claude -p`, the SDK), not somebody at the keyboard."""
    if lines.members(line.get("origin")).get("kind") == "human":
        return False
    sources = (line.get("promptSource"), line.get("turnOrigin"))
    started_by = lines.string(line.get("entrypoint"))
    if started_by.startswith(_APPS):
        return False
    return "sdk" in sources or (not any(sources) and started_by.startswith("sdk"))


def _prompt(line: dict[str, Any], blocks: list[dict[str, Any]]) -> str:
    """What a person said in a line with these blocks, or nothing."""
    texts = [lines.string(b.get("text")) for b in blocks if b.get("type") == "text"]
    text = first_of(texts)
    source, origin = line.get("promptSource"), line.get("turnOrigin")
    if source not in (None, "typed", "sdk") or origin == "task_notification":
        return ""
    if source is None:
        if origin == "human" and (command := _COMMAND.match(text)):
            # A command of the person's own: its name and, on a line of its own, what they said.
            return human_text("\n".join(part.strip() for part in command.groups() if part))
        # Older versions name no source; there a list has a picture, or it is a machine's.
        is_of_editor = any(_IDE.match(text) for text in texts)
        if not is_of_editor and not any(b.get("whole") or b.get("type") == "image" for b in blocks):
            return ""
    return human_text(text)


def first_of(texts: Iterable[str]) -> str:
    """The text that a person typed, and the others as quotations: a client adds blocks of its own."""
    said = [text for text in texts if _IDE.sub("", text).strip()]
    return "".join([*said[:1], *(lines.quoted(more) for more in said[1:] if human_text(more))])


def human_text(text: str) -> str:
    """A prompt without the client's wrappings; nothing if a machine wrote it."""
    if text.lstrip().startswith(_MACHINE):
        return ""
    if "<" in text:
        text = _IDE.sub("", _REMINDER.sub("", text))
        text = _PASTED.sub(lambda found: lines.quoted(found[1]), text)
    return text.strip()


def _attachment(line: dict[str, Any]) -> Iterator[Event]:
    # A prompt typed while the agent works is not a line of its own but an attachment.
    what = lines.members(line.get("attachment"))
    if what.get("type") != "queued_command":
        return
    human = what.get("humanTurn") or lines.members(what.get("origin")).get("kind") == "human"
    said = what.get("prompt")
    parts = [{"text": said}] if isinstance(said, str) else lines.objects(said)
    texts = [lines.string(part.get("text")) for part in parts]
    text = human_text(first_of(texts)) if human else ""
    if text:
        yield Event("prompt", _time(line), text=text, id=_id(line, 0))


def _assistant(line: dict[str, Any], calls: dict[str, _Call]) -> Iterator[Event]:
    if line.get("isApiErrorMessage"):
        return
    for n, block in enumerate(_blocks(line)):
        if block.get("type") == "text" and lines.string(block.get("text")).strip():
            yield Event("answer", _time(line), text=block["text"].strip(), id=_id(line, n))
        elif block.get("type") == "tool_use":
            _note_call(block, calls)
            yield from _call(line, block, n)


def _note_call(block: dict[str, Any], calls: dict[str, _Call]) -> None:
    name = lines.string(block.get("name"))
    given = lines.members(block.get("input")) if name in (*_SHOWN, "TaskUpdate") else {}
    calls[lines.string(block.get("id"))] = name, given


def _call(line: dict[str, Any], block: dict[str, Any], n: int) -> Iterator[Event]:
    name = lines.string(block.get("name"))
    given = lines.members(block.get("input"))
    call = lines.string(block.get("id"))
    time = _time(line)
    if name in _SHELLS:
        target = lines.string(given.get("command"))
        yield Event("call", time, tool="shell", call=call, target=target, id=_id(line, n))
    elif name in _EDITS:
        target, text = lines.string(given.get(_EDITS[name])), lines.change_of(given)
        yield Event("call", time, text, "edit", call, target, id=_id(line, n))
    elif name == "TodoWrite":
        todos = lines.todos_in(given.get("todos"), "content")
        yield Event("todos", time, todos=todos, id=_id(line, n))
    elif lines.is_ours(name, _OURS):
        yield Event("call", time, tool=lines.OWN_TOOL, call=call, id=_id(line, n))
    else:
        keys = ("file_path", "path", "pattern", "query", "url", "subject")
        target = lines.string_in(given, *keys)
        yield Event("call", time, tool=name, call=call, target=target, id=_id(line, n))
        if lines.is_outside(name) and not name.startswith(_OF_EDITOR):
            yield Event("web", time, id=_id(line, n, "w"))


def _result(
    line: dict[str, Any], block: dict[str, Any], n: int, call_of: Callable[[str], _Call]
) -> Iterator[Event]:
    content = block.get("content")
    if isinstance(content, list):
        parts = [lines.string(b.get("text")) for b in lines.objects(content)]
        content = "\n".join(part for part in parts if part)
    text, call = lines.string(content), lines.string(block.get("tool_use_id"))
    failed = bool(block.get("is_error"))
    told = failed and text.startswith(_REFUSED)
    # The client's own marks; an error that a tool wrote itself begins with `Error: ` there.
    marks = line.get("toolDenialKind"), line.get("toolUseResult")
    denied = marks[0] == "user-rejected" or marks[1] == "User rejected tool use"
    # A person who says no to a call is no failure to learn from.
    yield Event(
        "result", _time(line), text="" if told or denied else text, call=call, ok=not failed, id=_id(line, n)
    )  # fmt: skip
    extra = lines.members(line.get("toolUseResult"))
    is_change = extra.get("success") and extra.get("taskId")
    yield from _task(line, extra, call_of(call)[1] if is_change else {}, n)
    # Anybody can write such a sentence: what a tool brings from elsewhere is nobody's no or answer.
    if told:
        tool, _ = call_of(call)
        if denied or (tool and not lines.is_outside(tool)):
            yield from _refusal(line, text, n)
    elif not failed and ("answers" in extra or text.startswith((*_ANSWERED, _APPROVED))):
        tool, given = call_of(call)
        if tool in _SHOWN:
            yield from _answered(line, text, extra, given, n)


# Calls that a person answers, and what their results begin with.
_SHOWN = ("AskUserQuestion", "ExitPlanMode")
_REFUSED = "The user doesn't want to "
_REASON = "the user said:\n"
_CLARIFY = "The user wants to clarify these questions"
_NOTE = "\n\nNote: The user's next message"
_ANSWERED = ("User has answered your ", "Your questions have been answered:", "The user answered:")
_APPROVED = "User has approved your plan"
_PAIR = re.compile(r'"((?:[^"\\]|\\.|"(?!=))+)"="(.*?)"(?=, "|\. (?:You can now|Read the)|\.\.\.|\Z)', re.S)  # fmt: skip


def _refusal(line: dict[str, Any], text: str, n: int) -> Iterator[Event]:
    """What the person said when they refused a call or a plan."""
    said = text.partition(_REASON)[2].partition(_NOTE)[0].strip()
    if said and not said.startswith(_CLARIFY):
        name = _id(line, n, "r")
        yield Event("refusal", _time(line), text=said, id=name, program=_is_of_program(line))


def _answered(
    line: dict[str, Any], text: str, extra: dict[str, Any], given: dict[str, Any], n: int
) -> Iterator[Event]:
    """What the person answered to questions, or the plan that they approved."""
    time, program = _time(line), _is_of_program(line)
    if text.startswith(_APPROVED):
        plan = lines.string(extra.get("plan")) or lines.string(given.get("plan"))
        plan = plan or text.partition("## Approved Plan")[2].partition("\n")[2]
        yield Event("plan", time, text=plan, id=_id(line, n, "p"), program=program)
        return
    questions = lines.objects(extra.get("questions")) or lines.objects(given.get("questions"))
    said = lines.members(extra.get("answers")) or dict(_PAIR.findall(text))
    if not questions:
        questions = [{"question": asked} for asked in said]
    notes = lines.members(extra.get("annotations"))
    answers: list[object] = []
    for question in questions:
        asked = lines.string(question.get("question"))
        note = lines.string(lines.members(notes.get(asked)).get("notes"))
        own = filter(None, (lines.string(said.get(asked)), note))
        answers.append(", ".join(dict.fromkeys(own)))  # what was typed stands in both
    for event in lines.choices(questions, answers, time, _id(line, n, "a")):
        yield event._replace(program=program)


def _task(
    line: dict[str, Any], extra: dict[str, Any], given: dict[str, Any], n: int
) -> Iterator[Event]:
    """The to-do list of newer versions, kept task by task; `given` is what a change asked for.

    What another agent of the team has set already is no change, and as it was asked for.
    """
    task = lines.members(extra.get("task"))
    if task.get("subject"):
        row = ("open", lines.string(task.get("subject")), lines.string(task.get("id")))
        yield Event("todos", _time(line), todos=(row,), id=_id(line, n, "t"))
    change = lines.members(extra.get("statusChange"))
    status = lines.string(change.get("to")) or lines.string(given.get("status"))
    if extra.get("error") == "Task not found":
        status = "deleted"  # the list was begun anew, or is done with
    if status and extra.get("taskId"):
        row = (status, "", lines.string(extra.get("taskId")))
        yield Event("todos", _time(line), todos=(row,), id=_id(line, n, "t"))
