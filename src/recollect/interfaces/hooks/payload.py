"""Read a hook's payload from stdin without the json module, and answer it in the client's words.

Promises: never waits for an end that does not come. Only the fields of the outermost object count,
and only strings are text. Never raises. Other hook code knows Claude Code's form only: another
client's payload stays as it is, with our fields in front, where the reader finds them first. A client
that takes no answer at an event gets none.
Touches: stdin; the end of a Codex transcript (reading), the only place with a command's exit code.
"""

import os
import time

from recollect.store import locations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Heard = tuple[str, dict[str, bytes]]

STDIN_SECONDS = 1.0
SHORTEST_PAUSE = 0.0005
LARGEST_PAYLOAD = 4 * 1024 * 1024
PIECE = 64 * 1024  # what a pipe holds; room for more has to be mapped and given back


def read_payload() -> bytes:
    """What the client sends, up to a limit, without ever waiting for an end that does not come.

    What counts is how long we waited, not what time it is: on a busy machine all of the time may
    have gone by before the first look, and who goes without reading leaves a broken pipe.
    """
    deadline = time.monotonic() + STDIN_SECONDS
    waited = 0.0
    parts: list[bytes] = []
    size = 0
    pause = SHORTEST_PAUSE
    try:
        os.set_blocking(0, False)
    except OSError:
        return b""
    while True:
        try:
            part = os.read(0, PIECE)
        except BlockingIOError:
            if (parts and is_whole(parts)) or waited >= STDIN_SECONDS:
                break
            time.sleep(pause)
            waited += pause
            pause = min(pause * 2, 0.02)
            continue
        except OSError:
            break
        if not part:
            break
        pause = SHORTEST_PAUSE  # more may follow at once: a pipe holds little
        if size < LARGEST_PAYLOAD:
            parts.append(part)
        elif time.monotonic() >= deadline:
            break  # a flood
        size += len(part)
    return b"".join(parts)[:LARGEST_PAYLOAD]


def is_whole(parts: "list[bytes]") -> bool:
    """Whether a whole object has arrived on a pipe that the client keeps open."""
    if not parts[-1].rstrip().endswith(b"}"):
        return False
    data = b"".join(parts)
    return members(data, ()).get("") == b"whole"


def is_object(raw: bytes) -> bool:
    """Whether this starts as a JSON object does; a list or a number has nothing for us."""
    return raw.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{"


def members(raw: bytes, wanted: "tuple[str, ...]") -> "dict[str, bytes]":  # noqa: C901 - one pass
    """The raw values of some keys of a JSON object: of strings all but the closing quote.

    Numbers and the like are left out. Only the outermost object counts, so that nothing inside a
    tool's input can pass for a field of the client. The key "" tells whether the object is whole.
    """
    found: dict[str, bytes] = {}
    if not is_object(raw):
        return found
    plain = _without_escapes(raw)
    at, depth, key, start = raw.find(b"{") + 1, 1, "", 0
    while at < len(plain):
        char = plain[at]
        if char == 34:
            end = plain.find(b'"', at + 1)
            end = end if end > 0 else len(raw)
            if depth == 1:
                after = end + 1
                while raw[after : after + 1].isspace():
                    after += 1
                if not key and raw[after : after + 1] == b":":
                    key, at = raw[at + 1 : end].decode("utf-8", "replace"), after + 1
                    continue
                if key in wanted:
                    found.setdefault(key, raw[at:end])
            at = end + 1
            continue
        if char in b"{[":
            start = at if depth == 1 else start
            depth += 1
        elif char in b"}]":
            depth -= 1
            if depth == 0:
                found[""] = b"whole"
                break
            if depth == 1 and key in wanted:
                found.setdefault(key, raw[start : at + 1])
        elif char == 44 and depth == 1:
            key = ""
        at += 1
    return found


def _without_escapes(raw: bytes) -> bytes:
    """JSON of the same length in which every quote is the start or the end of a string."""
    return raw.replace(b"\\\\", b"__").replace(b'\\"', b"__") if b"\\" in raw else raw


def text_of(raw: bytes) -> str:
    """The text of a value that `members` found; nothing for one that is no string."""
    if not raw.startswith(b'"'):
        return ""
    text = raw[1:].decode("utf-8", "replace")
    if "\\" not in text:
        return text
    plain = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
    out: list[str] = []
    start = 0
    at = text.find("\\")
    while at >= 0:
        out.append(text[start:at])
        mark = text[at + 1 : at + 2]
        start = at + 2
        if mark == "u":
            code, start = _code_point(text, at)
            out.append(chr(code))
        else:
            out.append(plain.get(mark, mark))
        at = text.find("\\", start)
    out.append(text[start:])
    return "".join(out)


def strings_in(raw: bytes) -> "list[str]":
    """The strings of a JSON array of strings."""
    found = []
    plain = _without_escapes(raw)
    at = plain.find(b'"')
    while at >= 0:
        end = plain.find(b'"', at + 1)
        end = end if end > 0 else len(raw)
        found.append(text_of(raw[at:end]))
        at = plain.find(b'"', end + 1)
    return found


def _code_point(text: str, at: int) -> "tuple[int, int]":
    code = _hex(text[at + 2 : at + 6])
    low = _hex(text[at + 8 : at + 12]) if text[at + 6 : at + 8] == "\\u" else 0
    if 0xD800 <= code < 0xDC00 and 0xDC00 <= low < 0xE000:
        return 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00), at + 12
    return (0xFFFD if 0xD800 <= code < 0xE000 else code), at + 6


def _hex(digits: str) -> int:
    try:
        return int(digits, 16) if digits.isalnum() else 0xFFFD  # not of "-12" or "1_2"
    except ValueError:
        return 0xFFFD


# --------------------------------------------------------------------------- other clients

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
    return locations.json_text(text).encode("utf-8")[:-1]


HEARD: "dict[str, Callable[[str, dict[str, bytes]], Heard]]" = {
    "codex": _hear_codex,
    "gemini": _hear_gemini,
    "cursor": _hear_cursor,
    "copilot": _hear_copilot,
}
