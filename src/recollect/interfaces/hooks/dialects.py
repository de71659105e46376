"""Translate payloads and answers of clients other than Claude Code.

All other hook code knows Claude Code's form only. Another client is a row in each table.

Promises: the client's payload stays as it is; our fields are put in front, where the reader finds
them first. A client that takes no answer at an event gets none.
Touches: the end of a Codex transcript (reading), the only place with a command's exit code.
"""

import os

from recollect.interfaces.hooks.payload import members, strings_in, text_of
from recollect.store import locations as places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Heard = tuple[str, dict[str, bytes]]

# Client → our event → what the client calls it, where it takes notes for its agent.
_USUAL = {
    "session-start": "SessionStart",
    "user-prompt": "UserPromptSubmit",
    "post-tool": "PostToolUse",
    "post-tool-failure": "PostToolUseFailure",
}
TAKES = {
    "codex": {**_USUAL, "post-tool-failure": "PostToolUse"},
    "gemini": {
        "session-start": "SessionStart",
        "user-prompt": "BeforeAgent",
        "post-tool": "AfterTool",
        "post-tool-failure": "AfterTool",
    },
    "opencode": _USUAL,
    "cursor": {"session-start": "sessionStart"},
    "copilot": _USUAL,
}
# Clients that want the notes under a key of their own; Copilot's editor reads the usual form.
KEYS = {"cursor": b'{"additional_context":%s}\n', "copilot": b'{"additionalContext":%s,%s\n'}
# Clients that show their person a message, and one whose summariser takes plain text.
TELLS_PERSON = ("codex", "gemini")
TAKES_AT_COMPACTION = ("opencode",)
WANTED = tuple(
    "prompt cwd session_id conversation_id workspace_roots tool_name tool_response tool_result "
    "tool_use_id transcript_path".split()
)
TAIL = 256 * 1024


def parse_event(client: str, event: str, raw: bytes) -> "tuple[str, str, bytes]":
    """`(client, event, payload)` in the words that the rest of the hooks knows.

    Editors run the hooks of Claude Code too, with payloads of their own.
    """
    found = members(raw, WANTED)
    if client == "claude" and not found.get("session_id"):
        client = "cursor" if found.get("conversation_id") else "copilot"
    hear = HEARD.get(client)
    if hear is None:
        return client, event, raw
    event, front = hear(event, found)
    said = b"".join(
        b'"%s":%s%s,' % (key.encode(), value, b'"' if value[:1] == b'"' else b"")
        for key, value in front.items()
    )
    at = raw.find(b"{") + 1
    return client, event, raw[:at] + said + raw[at:]


def spoken(client: str, event: str, data: bytes) -> bytes:
    """What we answer, in the client's form; nothing where it takes no answer."""
    if event == "pre-compact":
        return data if client in TAKES_AT_COMPACTION else b""
    found = members(data, ("hookSpecificOutput", "systemMessage"))
    name = TAKES.get(client, {}).get(event)
    notes = members(found.get("hookSpecificOutput", b""), ("additionalContext",))
    if name is None or "additionalContext" not in notes:
        return b""
    text = notes["additionalContext"] + b'"'
    usual = b'"hookSpecificOutput":{"hookEventName":"%s","additionalContext":%s}}' % (
        name.encode(),
        text,
    )
    if client == "cursor":
        return KEYS[client] % text
    if client == "copilot":
        return KEYS[client] % (text, usual)
    shown = b'"systemMessage":%s",' % found["systemMessage"] if "systemMessage" in found else b""
    return b"{" + (shown if client in TELLS_PERSON else b"") + usual + b"\n"


# ------------------------------------------------------------------------ one client after another


def _hear_codex(event: str, found: "dict[str, bytes]") -> "Heard":
    """A tool that failed is told like any other; what it gave out is the error."""
    if event == "post-tool" and _failed_by_transcript(found):
        return "post-tool-failure", {"error": found.get("tool_response", b'"')}
    return event, {}


def _failed_by_transcript(found: "dict[str, bytes]") -> bool:
    call = text_of(found.get("tool_use_id", b""))
    path = text_of(found.get("transcript_path", b""))
    if not call or text_of(found.get("tool_name", b"")) != "Bash":
        return False
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except (OSError, ValueError):
        return False
    try:
        size = os.fstat(handle).st_size
        end = os.pread(handle, TAIL, max(0, size - TAIL))
    except OSError:
        return False
    finally:
        os.close(handle)
    at = end.rfind(b'"id":"' + call.encode() + b'"')
    line = end[at : end.find(b"\n", at)] if at >= 0 else b""
    code = line.rpartition(b'"exit_code":')[2][:1] if b'"exit_code":' in line else b"0"
    return b'"CommandExecution"' in end[end.rfind(b"\n", 0, at) : at] and code not in (b"0", b"n")


def _hear_gemini(event: str, found: "dict[str, bytes]") -> "Heard":
    """Its prompts have our own notes in front; a tool that failed is told like any other."""
    if event == "user-prompt" and b"<hook_context>" in found.get("prompt", b""):
        text = text_of(found["prompt"])
        while "<hook_context>" in text:
            head, _, rest = text.partition("<hook_context>")
            text = head + rest.partition("</hook_context>")[2]
        return event, {"prompt": _as_member(text.strip())}
    if event == "post-tool":
        answered = members(found.get("tool_response", b""), ("error", "llmContent"))
        error = members(answered.get("error", b""), ("message",)).get("message", b"")
        said = answered.get("llmContent", b"")
        code = said.rpartition(b"\\nExit Code: ")[2] if b"\\nExit Code: " in said else b"0"
        if error or not code.startswith((b"0", b"(")):
            return "post-tool-failure", {"error": error or said}
    return event, {}


def _hear_cursor(event: str, found: "dict[str, bytes]") -> "Heard":
    """It names the folders of the window, not one of them."""
    roots = strings_in(found.get("workspace_roots", b""))
    if roots and not found.get("cwd"):
        return event, {"cwd": _as_member(roots[0])}
    return event, {}


def _hear_copilot(event: str, found: "dict[str, bytes]") -> "Heard":
    """A command that failed is a tool that worked; only what it gave out says so."""
    if event == "post-tool":
        said = members(found.get("tool_result", b""), ("text_result_for_llm",))
        text = said.get("text_result_for_llm", b"")
        code = text.rpartition(b" completed with exit code ")[2] if b" exit code " in text else b"0"
        if not code.startswith(b"0"):
            return "post-tool-failure", {"error": text}
    return event, {}


def _as_member(text: str) -> bytes:
    """A string as `members` gives it: without the quote at its end."""
    return places.json_text(text).encode("utf-8")[:-1]


HEARD: "dict[str, Callable[[str, dict[str, bytes]], Heard]]" = {
    "codex": _hear_codex,
    "gemini": _hear_gemini,
    "cursor": _hear_cursor,
    "copilot": _hear_copilot,
}
