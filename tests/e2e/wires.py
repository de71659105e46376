"""How an answer travels to clients that do not speak the Messages API.

Promises: the same words (`say`, `call`, `stall`) for every client; an id that a call has in the
    answer is the one under which its result comes back, where the client's API has ids.
Touches: nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .messages import fresh_id

if TYPE_CHECKING:
    from .messages import Json, Turn

    Piece = Json | float  # a message of the stream, or seconds of silence


def is_responses(path: str) -> bool:
    """Whether this is OpenAI's Responses API, which Codex speaks."""
    return path.partition("?")[0].endswith("/responses")


def is_gemini(path: str) -> bool:
    """Whether this is Google's API, which Gemini CLI speaks."""
    return path.partition("?")[0].endswith((":streamGenerateContent", ":generateContent"))


def responses(turn: Turn) -> Iterator[Piece]:
    """An answer as a stream of the Responses API."""
    head = {"id": fresh_id("resp"), "object": "response", "output": []}
    yield {"type": "response.created", "response": head}
    for n, block in enumerate(turn):
        if block["type"] == "stall":
            yield float(block["seconds"])
            continue
        yield {"type": "response.output_item.done", "output_index": n, "item": _item(block)}
    usage = {
        "input_tokens": 100,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 10,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 110,
    }
    yield {"type": "response.completed", "response": {**head, "usage": usage}}


def _item(block: Json) -> Json:
    if block["type"] == "text":
        content = [{"type": "output_text", "text": block["text"], "annotations": []}]
        return {"type": "message", "role": "assistant", "id": fresh_id("msg"), "content": content}
    namespace, _, name = str(block["name"]).rpartition("/")
    item = {
        "type": "function_call",
        "id": fresh_id("fc"),
        "call_id": block["id"],
        "name": name,
        "arguments": json.dumps(block["input"]),
    }
    return item | ({"namespace": namespace} if namespace else {})


def gemini(turn: Turn) -> Iterator[Piece]:
    """An answer as a stream of Google's API."""
    for block in turn:
        if block["type"] == "stall":
            yield float(block["seconds"])
        elif block["type"] == "text":
            yield _candidate([{"text": block["text"]}])
        else:
            call = {"id": block["id"], "name": block["name"], "args": block["input"]}
            yield _candidate([{"functionCall": call}])
    yield _candidate([{"text": ""}]) | {
        "usageMetadata": {
            "promptTokenCount": 100,
            "candidatesTokenCount": 10,
            "totalTokenCount": 110,
        }
    }


def gemini_whole(turn: Turn) -> Json:
    """The same answer in one piece."""
    text = "".join(block["text"] for block in turn if block["type"] == "text")
    return _candidate([{"text": text}])


def _candidate(parts: list[Json]) -> Json:
    content = {"role": "model", "parts": parts}
    return {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}]}
