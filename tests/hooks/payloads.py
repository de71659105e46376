"""What clients other than Claude Code send at their events, by hand in their real shape.

Codex CLI 0.169, Gemini CLI 0.61, OpenCode 1.18 (through our plugin) and Copilot CLI 1.0.102 as they
were run; Cursor and VS Code as their documents show it.

Promises: values only.
Touches: nothing.
"""

from __future__ import annotations

from typing import Any

from .machine import SESSION, Machine

Json = dict[str, Any]
TURN = "01a2025c-f6d8-7c33-8c66-f20fc49cb758"


def codex(machine: Machine, event: str, **fields: Any) -> Json:
    """A payload of Codex CLI, whose names are those of Claude Code."""
    day = machine.home / ".codex" / "sessions" / "2026" / "11" / "22"
    base: Json = {
        "session_id": SESSION,
        "transcript_path": str(day / f"rollout-2026-11-22T08-26-16-{SESSION}.jsonl"),
        "cwd": str(machine.project),
        "hook_event_name": event,
        "model": "gpt-5-codex",
        "permission_mode": "default",
    }
    about: dict[str, Json] = {
        "SessionStart": {"source": "startup"},
        "UserPromptSubmit": {"turn_id": TURN, "prompt": "Which database is it?"},
        "PostToolUse": {
            "turn_id": TURN,
            "tool_name": "Bash",
            "tool_input": {"command": "npm test"},
            "tool_response": "Error: listen EADDRINUSE: address already in use :::3000\n",
            "tool_use_id": "call_000001",
        },
        "PreCompact": {"turn_id": TURN, "trigger": "auto"},
        "Stop": {"turn_id": TURN, "stop_hook_active": False, "last_assistant_message": "Done."},
        "SessionEnd": {"reason": "other"},
    }
    return base | about[event] | fields


def gemini(machine: Machine, event: str, **fields: Any) -> Json:
    """A payload of Gemini CLI, whose events have names of their own."""
    chats = machine.home / ".gemini" / "tmp" / "project" / "chats"
    base: Json = {
        "session_id": SESSION,
        "transcript_path": str(chats / f"session-2026-11-22T08-31-{SESSION[:8]}.jsonl"),
        "cwd": str(machine.project),
        "hook_event_name": event,
        "timestamp": "2026-11-22T08:32:00.336Z",
    }
    output = "Output: Error: listen EADDRINUSE: address already in use :::3000\nExit Code: 1\n"
    about: dict[str, Json] = {
        "SessionStart": {"source": "startup"},
        "BeforeAgent": {"prompt": "Which database is it?"},
        "AfterTool": {
            "tool_name": "run_shell_command",
            "tool_input": {"command": "npm test", "description": "Run it"},
            "tool_response": {
                "llmContent": f"<untrusted_context>\n{output}Process Group PGID: 8503\n</untrusted_context>",
                "returnDisplay": "Error: listen EADDRINUSE",
            },
        },
        "AfterAgent": {"prompt": "…", "prompt_response": "Done.", "stop_hook_active": False},
        "SessionEnd": {"reason": "exit"},
    }
    return base | about[event] | fields


def opencode(machine: Machine, event: str, **fields: Any) -> Json:
    """A payload of our plugin in OpenCode."""
    data = machine.home / ".local" / "share" / "opencode" / "opencode.db"
    base: Json = {
        "session_id": "ses_dfd9cd758ffeJlbUYJx51p0KqB",
        "transcript_path": f"{data}#ses_dfd9cd758ffeJlbUYJx51p0KqB",
        "cwd": str(machine.project),
    }
    about: dict[str, Json] = {
        "SessionStart": {"source": "startup"},
        "UserPromptSubmit": {"prompt": "Which database is it?"},
        "PostToolUse": {
            "tool_name": "bash",
            "tool_input": {"command": "npm test", "description": "Run it"},
        },
        "PostToolUseFailure": {
            "tool_name": "bash",
            "tool_input": {"command": "npm test", "description": "Run it"},
            "error": "Exit code 1\nError: listen EADDRINUSE: address already in use :::3000\n",
        },
        "PreCompact": {"trigger": "auto"},
        "Stop": {},
        "SessionEnd": {"reason": "exit"},
    }
    return base | about[event] | fields


def cursor(machine: Machine, event: str, **fields: Any) -> Json:
    """A payload of Cursor."""
    base: Json = {
        "conversation_id": SESSION,
        "generation_id": "490b90b7-a2ce-4c2c-bb76-cb77b125df2f",
        "model": "default",
        "hook_event_name": event,
        "cursor_version": "2.6.4",
        "workspace_roots": [str(machine.project)],
        "user_email": None,
        "transcript_path": None,
    }
    about: dict[str, Json] = {
        "sessionStart": {"session_id": SESSION, "is_background_agent": False},
        "beforeSubmitPrompt": {"prompt": "Which database is it?", "attachments": []},
    }
    return base | about[event] | fields


def vscode(machine: Machine, event: str, **fields: Any) -> Json:
    """A payload of Copilot's chat in VS Code."""
    base: Json = {
        "timestamp": "2026-02-09T10:30:00.000Z",
        "cwd": str(machine.project),
        "sessionId": SESSION,
        "hookEventName": event,
        "transcript_path": str(machine.home / "transcript.json"),
    }
    about: dict[str, Json] = {
        "SessionStart": {"source": "new"},
        "UserPromptSubmit": {"prompt": "Which database is it?"},
        "PostToolUse": {
            "tool_name": "editFiles",
            "tool_input": {"files": ["src/main.ts"]},
            "tool_use_id": "tool-123",
            "tool_response": "File edited successfully",
        },
        "Stop": {"stop_hook_active": False},
    }
    return base | about[event] | fields


def copilot(machine: Machine, event: str, **fields: Any) -> Json:
    """A payload of Copilot's command line, at an event whose name is in Pascal case."""
    base: Json = {
        "hook_event_name": event,
        "session_id": SESSION,
        "timestamp": "2026-02-09T10:30:00.000Z",
        "cwd": str(machine.project),
    }
    about: dict[str, Json] = {
        "SessionStart": {"source": "new", "initial_prompt": "Which database is it?"},
        "UserPromptSubmit": {"prompt": "Which database is it?"},
        "PostToolUse": {
            "tool_name": "Bash",
            "tool_input": {"command": "npm test", "description": "Run it"},
            "tool_result": {
                "result_type": "success",
                "text_result_for_llm": "Error: listen EADDRINUSE: address already in use :::3000",
            },
        },
        "Stop": {"stop_reason": "end_turn"},
    }
    return base | about[event] | fields
