"""Transcripts of Codex CLI, Gemini CLI, Copilot CLI and OpenCode, by hand in the shape in which they write them.

Each tells the same conversation: a prompt, an answer, a file, a command that fails, one that
works, a page from the web, a call of our own tool, the last answer.

Promises: the same calls give the same bytes.
Touches: the files that it is told to write.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

Json = dict[str, Any]
SESSION = "01a2025d-b5e5-7411-b788-ea7466eb0f64"
CWD = "/home/ada/teapot"
PROMPT = "We decided to use PostgreSQL for the event store."
OURS = "Recollect keeps the notes of earlier sessions."


def as_bytes(line: Json) -> bytes:
    """A line as the clients write it."""
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _clock(n: int) -> str:
    return f"2026-03-04T09:30:{n:02}.123Z"


# ------------------------------------------------------------------------------------------- Codex


def codex_lines() -> list[Json]:
    """The lines of a rollout of version 0.169."""
    rows: list[tuple[str, Json]] = [
        (
            "session_meta",
            {"session_id": SESSION, "id": SESSION, "cwd": CWD, "originator": "codex_exec",
             "cli_version": "0.169.0", "source": "exec", "git": {"branch": "main"}},
        ),
        ("event_msg", {"type": "task_started", "turn_id": "t1"}),
        _message("developer", OURS),
        _message("user", "<environment_context>\n  <cwd>/home/ada</cwd>\n</environment_context>"),
        ("world_state", {"full": True, "state": {}}),
        ("turn_context", {"turn_id": "t1", "cwd": CWD}),
        _message("user", PROMPT),
        _item({"type": "UserMessage", "id": "u1", "content": [{"type": "text", "text": PROMPT}]}),
        _message("developer", OURS),
        _item({"type": "AgentMessage", "id": "m1", "content": [{"type": "Text", "text": "I look."}]}),
        ("response_item", {"type": "function_call", "name": "exec_command", "call_id": "c1",
                           "arguments": '{"cmd": "apply_patch <<EOF"}'}),
        _item({"type": "FileChange", "id": "c1", "status": "completed", "stdout": "", "stderr": "",
               "changes": {f"{CWD}/app.py": {"type": "add", "content": "x\n"}}}),
        _command("c2", "lintool install", 127, "bash: lintool: command not found\n"),
        ("response_item", {"type": "function_call_output", "call_id": "c2",
                           "output": "Process exited with code 127\nOutput:\n…"}),
        _command("c3", "./tools/lintool install", 0, "installed\n"),
        _item({"type": "WebSearch", "id": "w1", "query": "lintool"}),
        _item({"type": "McpToolCall", "id": "c4", "server": "recollect", "tool": "recall",
               "arguments": {"cue": "x"}, "status": "completed", "error": None,
               "result": {"content": [{"type": "text", "text": OURS}]}}),
        ("event_msg", {"type": "token_count", "info": {}}),
        _item({"type": "AgentMessage", "id": "m2", "content": [{"type": "Text", "text": "Done."}]}),
        ("event_msg", {"type": "task_complete", "last_agent_message": "Done."}),
    ]  # fmt: skip
    return [
        {"timestamp": _clock(n), "ordinal": n, "type": kind, "payload": payload}
        for n, (kind, payload) in enumerate(rows)
    ]


def _message(role: str, text: str) -> tuple[str, Json]:
    content = [{"type": "input_text", "text": text}]
    return "response_item", {"type": "message", "role": role, "content": content}


def codex_rows(*rows: tuple[str, Json], ordinal: bool = True) -> list[Json]:
    """The lines of a rollout in which somebody typed, with these behind the first."""
    meta = {"session_id": SESSION, "id": SESSION, "cwd": CWD, "originator": "codex_cli_rs", "source": "cli"}  # fmt: skip
    return [
        {"timestamp": _clock(n), **({"ordinal": n} if ordinal else {}), "type": kind, "payload": payload}
        for n, (kind, payload) in enumerate((("session_meta", meta), *rows))
    ]  # fmt: skip


def codex_call(name: str, call: str, given: Json, output: str) -> list[tuple[str, Json]]:
    """A call of a function by the model, and what it was given back."""
    return [
        ("response_item", {"type": "function_call", "name": name, "call_id": call, "arguments": json.dumps(given)}),
        ("response_item", {"type": "function_call_output", "call_id": call, "output": output}),
    ]  # fmt: skip


def _item(item: Json) -> tuple[str, Json]:
    return "event_msg", {"type": "item_completed", "turn_id": "t1", "item": item}


def _command(call: str, command: str, code: int, output: str) -> tuple[str, Json]:
    return _item(
        {
            "type": "CommandExecution",
            "id": call,
            "command": ["/bin/bash", "-lc", command],
            "cwd": f"file://{CWD}",
            "status": "failed" if code else "completed",
            "aggregated_output": output,
            "exit_code": code,
        }
    )


def codex_lines_of_old() -> list[Json]:
    """The lines of a rollout of a version before `item_completed`."""
    patch = (
        '{"command":["apply_patch","*** Begin Patch\\n*** Update File: app.py\\n*** End Patch"]}'
    )
    failed = json.dumps(
        {"output": "bash: lintool: command not found", "metadata": {"exit_code": 127}}
    )
    worked = json.dumps({"output": "installed", "metadata": {"exit_code": 0}})
    rows: list[tuple[str, Json]] = [
        ("session_meta", {"id": SESSION, "cwd": CWD, "git": {"branch": "main"}}),
        _message("user", PROMPT),
        ("event_msg", {"type": "user_message", "message": PROMPT, "images": []}),
        ("event_msg", {"type": "agent_message", "message": "I look."}),
        ("response_item", {"type": "function_call", "name": "shell", "call_id": "c1",
                           "arguments": patch}),
        ("response_item", {"type": "function_call_output", "call_id": "c1", "output": worked}),
        ("response_item", {"type": "function_call", "name": "shell", "call_id": "c2",
                           "arguments": '{"command":["bash","-lc","lintool install"]}'}),
        ("response_item", {"type": "function_call_output", "call_id": "c2", "output": failed}),
        ("event_msg", {"type": "agent_message", "message": "Done."}),
    ]  # fmt: skip
    return [
        {"timestamp": _clock(n), "type": kind, "payload": payload}
        for n, (kind, payload) in enumerate(rows)
    ]


def codex_path(folder: Path) -> Path:
    """Where such a file is."""
    path = folder / "2026" / "03" / "04" / f"rollout-2026-03-04T09-30-00-{SESSION}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


# ------------------------------------------------------------------------------------------ Gemini


def gemini_lines() -> list[Json]:
    """The lines of a chat of version 0.61; a message is written anew when its calls are done."""
    context = f"<hook_context>{OURS}</hook_context>"
    fails = _output("Output: bash: lintool: command not found\nExit Code: 127\n")
    rows: list[Json] = [
        {"sessionId": SESSION, "projectHash": "1b46", "startTime": _clock(0), "kind": "main"},
        {
            "$set": {
                "messages": [_gemini("s0", 0, "user", [{"text": "<session_context>\nThis is"}])]
            }
        },
        _gemini("u1", 1, "user", [{"text": f"{context}\n\n{PROMPT}"}, {"text": context}]),
        {"$set": {"lastUpdated": _clock(1)}},
    ]
    steps: list[tuple[str, str, Json | None]] = [
        ("m1", "I look.", _call("write_file", {"file_path": f"{CWD}/app.py"}, _output("Wrote it."))),
        ("m2", "", _call("run_shell_command", {"command": "lintool install"}, fails)),
        ("m3", "", _call("run_shell_command", {"command": "./tools/lintool install"}, _output("Output: installed"))),
        ("m4", "", _call("google_web_search", {"query": "lintool"}, _output("…"))),
        ("m5", "", _call("mcp_recollect_recall", {"cue": "x"}, _output(OURS))),
        ("m6", "Done.", None),
    ]  # fmt: skip
    for n, (name, text, call) in enumerate(steps, 2):
        rows.append(_gemini(name, n, "gemini", text))
        if call:
            call["id"] = f"{call['name']}__{name}"
            call["timestamp"] = _clock(n)
            rows.append({**_gemini(name, n, "gemini", text), "toolCalls": [call]})
            answer = {"functionResponse": call["result"][0]["functionResponse"]}
            rows.append(_gemini(f"{name}-r", n, "user", [answer]))
    return rows


def gemini_chat_of_old() -> Json:
    """A chat of a version until April 2026: one object, with each message as it is at last."""
    head, _, *rows = gemini_lines()
    said = {row["id"]: row for row in rows if row.get("type") and not row["id"].endswith("-r")}
    return {**head, "lastUpdated": _clock(9), "messages": list(said.values())}


def gemini_rows(*calls: Json) -> list[Json]:
    """The lines of a chat with a message for each of these calls, which are done."""
    head = {"sessionId": SESSION, "projectHash": "1b46", "startTime": _clock(0), "kind": "main"}
    rows: list[Json] = [head]
    for n, call in enumerate(calls, 1):
        call["id"] = f"{call['name']}__{n}"
        call["timestamp"] = _clock(n)
        rows.append({**_gemini(f"m{n}", n, "gemini", ""), "toolCalls": [call]})
    return rows


def gemini_call(name: str, args: Json, output: str) -> Json:
    """A call that worked."""
    return _call(name, args, _output(output))


def _gemini(name: str, n: int, kind: str, content: Any) -> Json:
    return {"id": name, "timestamp": _clock(n), "type": kind, "content": content}


def _output(text: str) -> str:
    return (
        f"<untrusted_context>\n{text}\n</untrusted_context>\n\n<hook_context>{OURS}</hook_context>"
    )


def _call(name: str, args: Json, output: str) -> Json:
    response = {"functionResponse": {"name": name, "response": {"output": output}}}
    return {"name": name, "args": args, "result": [response], "status": "success"}


def gemini_path(folder: Path) -> Path:
    """Where such a file is, with the note beside it that names its project."""
    path = folder / "teapot" / "chats" / f"session-2026-03-04T09-30-{SESSION[:8]}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    (folder / "teapot" / ".project_root").write_text(CWD)
    return path


# ----------------------------------------------------------------------------------------- Copilot


def copilot_lines() -> list[Json]:
    """The lines of a session of version 1.0.102 of the command line."""
    failed = "bash: lintool: command not found\n<shellId: 0 completed with exit code 127>"
    context = {"cwd": CWD, "gitRoot": CWD, "branch": "main"}
    rows: list[tuple[str, Json]] = [
        ("session.start", {"sessionId": SESSION, "copilotVersion": "1.0.102", "context": context}),
        ("hook.end", {"hookType": "sessionStart", "output": {"additionalContext": OURS}}),
        ("user.message", {"content": PROMPT, "transformedContent": f"{PROMPT}\n{OURS}"}),
        ("system.message", {"role": "system", "content": "You are the GitHub Copilot CLI"}),
        ("assistant.message", {"content": "I look.", "toolRequests": []}),
        *_used("c1", "create", {"path": f"{CWD}/app.py", "file_text": "x"}, "Created file"),
        *_used("c2", "bash", {"command": "lintool install"}, failed, shellExecution={"exitCode": 127}),
        *_used("c3", "bash", {"command": "./tools/lintool install"}, "installed", shellExecution={"exitCode": 0}),
        *_used("c4", "web_fetch", {"url": "https://example.org"}, "…"),
        ("tool.execution_start", {"toolCallId": "c5", "toolName": "recollect-recall",
                                  "arguments": {"cue": "x"}, "mcpServerName": "recollect"}),
        ("tool.execution_start", {"toolCallId": "c6", "toolName": "bash", "arguments": {"command": "ls"},
                                  "parentToolCallId": "c0"}),
        ("assistant.message", {"content": "Done.", "toolRequests": []}),
        ("session.shutdown", {"totalUserRequests": 1}),
    ]  # fmt: skip
    return [
        {"type": kind, "data": data, "id": f"e{n:03}", "timestamp": _clock(n), "parentId": None}
        for n, (kind, data) in enumerate(rows)
    ]


def copilot_rows(*rows: tuple[str, Json]) -> list[Json]:
    """The lines of a session of the command line with these."""
    start = ("session.start", {"sessionId": SESSION, "context": {"cwd": CWD}})
    return [
        {"type": kind, "data": data, "id": f"e{n:03}", "timestamp": _clock(n), "parentId": None}
        for n, (kind, data) in enumerate((start, *rows))
    ]


def copilot_call(call: str, tool: str, given: Any, output: str) -> list[tuple[str, Json]]:
    """A call that worked."""
    return _used(call, tool, given, output)


def _used(call: str, tool: str, given: Any, output: str, **more: Any) -> list[tuple[str, Json]]:
    guided = (
        f'{output}\n\nTool "{tool}" succeeded. Additional guidance from postToolUse hooks:\n{OURS}'
    )
    done = {"toolCallId": call, "success": True, "result": {"content": guided}, **more}
    return [
        ("tool.execution_start", {"toolCallId": call, "toolName": tool, "arguments": given}),
        ("tool.execution_complete", done),
    ]


def copilot_path(folder: Path) -> Path:
    """Where such a file is."""
    path = folder / "session-state" / SESSION / "events.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


# ---------------------------------------------------------------------------------------- OpenCode

OPENCODE_SESSION = "ses_dfd9cd758ffeJlbUYJx51p0KqB"
_TABLES = """
CREATE TABLE session (id text PRIMARY KEY, project_id text, parent_id text, directory text,
  permission text, title text, time_created integer, time_updated integer);
CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer,
  time_updated integer, data text);
CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, time_created integer,
  time_updated integer, data text);
"""


class OpenCode:
    """A database of version 1.18, to which messages are added one by one."""

    def __init__(self, path: Path) -> None:
        """An empty one, with the session and one of a sub-agent."""
        self.path = path
        self._n = 0
        with closing(sqlite3.connect(path)) as db:
            db.executescript(_TABLES)
            for name, parent in ((OPENCODE_SESSION, None), ("ses_child", OPENCODE_SESSION)):
                row = (name, "global", parent, CWD, None, "t", 1, 1)
                db.execute("INSERT INTO session VALUES (?,?,?,?,?,?,?,?)", row)
            db.commit()

    def add(self, role: str, *parts: Json, done: bool = True) -> str:
        """A message with its parts; gives its id."""
        self._n += 1
        time = 1_772_616_600_000 + self._n * 1000
        name = f"msg_{self._n:06}"
        about: Json = {"role": role, "time": {"created": time}}
        if role == "assistant" and done:
            about["time"]["completed"] = time + 500
        with closing(sqlite3.connect(self.path)) as db:
            row = (name, OPENCODE_SESSION, time, time, json.dumps(about))
            db.execute("INSERT INTO message VALUES (?,?,?,?,?)", row)
            for n, part in enumerate(parts):
                values = (
                    f"prt_{self._n:06}{n}",
                    name,
                    OPENCODE_SESSION,
                    time + n,
                    time,
                    json.dumps(part),
                )
                db.execute("INSERT INTO part VALUES (?,?,?,?,?,?)", values)
            db.commit()
        return name

    def add_summary(self, text: str) -> None:
        """The summary of a compaction, which is a message of the agent's."""
        name = self.add("assistant", _text(text))
        with closing(sqlite3.connect(self.path)) as db:
            [(data,)] = db.execute("SELECT data FROM message WHERE id = ?", (name,)).fetchall()
            about = json.dumps(json.loads(data) | {"summary": True})
            db.execute("UPDATE message SET data = ? WHERE id = ?", (about, name))
            db.commit()

    def run_by_command(self) -> None:
        """Make the session one of `opencode run`, as it marks them."""
        rows = [{"permission": "question", "pattern": "*", "action": "deny"}]
        with closing(sqlite3.connect(self.path)) as db:
            db.execute("UPDATE session SET permission = ?", (json.dumps(rows),))
            db.commit()

    def finish(self, message: str) -> None:
        """Say that a message is whole now."""
        about = {"role": "assistant", "time": {"created": 1, "completed": 2}}
        with closing(sqlite3.connect(self.path)) as db:
            db.execute("UPDATE message SET data = ? WHERE id = ?", (json.dumps(about), message))
            db.commit()

    def export(self) -> Json:
        """The session as `opencode export` writes it."""
        with closing(sqlite3.connect(self.path)) as db:
            messages = db.execute("SELECT id, data FROM message ORDER BY id").fetchall()
            parts = db.execute("SELECT id, message_id, data FROM part ORDER BY id").fetchall()
        about = {"id": OPENCODE_SESSION, "slug": "mighty-pot", "projectID": "global", "directory": CWD,
                 "title": "t", "version": "1.18.33",
                 "time": {"created": 1_772_616_600_000, "updated": 1_772_616_607_500}}  # fmt: skip
        of = {"sessionID": OPENCODE_SESSION}
        rows = [
            {
                "info": {**json.loads(data), "id": name, **of},
                "parts": [
                    {**json.loads(said), "id": part, **of, "messageID": name}
                    for part, its, said in parts
                    if its == name
                ],
            }
            for name, data in messages
        ]
        return {"info": about, "messages": rows}

    def tell_all(self) -> None:
        """The whole conversation."""
        self.add("user", _text(f'"{PROMPT}"'), _text(OURS, synthetic=True))
        start = {"type": "step-start", "snapshot": "4b82"}
        self.add(
            "assistant", start, _text("I look."), _tool("write", {"filePath": f"{CWD}/app.py"})
        )
        self.add(
            "assistant",
            _tool(
                "bash", {"command": "lintool install"}, 127, "bash: lintool: command not found\n"
            ),
        )
        self.add(
            "assistant", _tool("bash", {"command": "./tools/lintool install"}, 0, "installed\n")
        )
        self.add("assistant", _tool("webfetch", {"url": "https://example.org"}))
        self.add("assistant", _tool("recollect_recall", {"cue": "x"}, output=OURS))
        self.add("assistant", _text("Done."), {"type": "step-finish", "reason": "stop"})


def _text(text: str, *, synthetic: bool = False) -> Json:
    return {"type": "text", "text": text} | ({"synthetic": True} if synthetic else {})


def _tool(name: str, given: Json, code: int = 0, output: str = "…") -> Json:
    about = {"exit": code, "truncated": False} if name == "bash" else {"truncated": False}
    state = {"status": "completed", "input": given, "output": output, "metadata": about}
    return {"type": "tool", "tool": name, "callID": f"call_{name}_{code}", "state": state}
