"""Read a hook's payload from stdin without the json module.

Promises: never waits for an end that does not come. Only the fields of the outermost object count,
and only strings are text. Never raises.
Touches: stdin.
"""

import os
import time

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
