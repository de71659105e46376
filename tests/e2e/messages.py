"""The words that tests and the fake API share: what is answered, and what was asked.

Promises: values only; reading a request never changes it.
Touches: nothing.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Json = dict[str, Any]
Block = Json
Turn = Sequence[Block]
Kind = Literal["turn", "subagent", "compaction", "title", "other"]

# Where models are asked: Messages, Responses, and Google's.
_MODELS = re.compile(r"^/v1/messages$|/responses$|:(?:streamG|g)enerateContent$")
_REMINDER = re.compile(r"<system-reminder>\s*(.*?)\s*</system-reminder>", re.DOTALL)
_COMPACTION = re.compile(
    r"create a detailed summary of (the|this) (conversation|recent)", re.IGNORECASE
)
_TITLE = re.compile(
    r"\b(generate|write|create) (a|an) (concise|short)[^.\n]{0,60}title|You are a title generator",
    re.IGNORECASE,
)
_ids = itertools.count(1)


@dataclass(frozen=True)
class Refusal:
    """A turn that is answered with an HTTP error instead of a message.

    The client asks again after an error, so only a responder can make it last.
    """

    status: int
    message: str
    error: str = "invalid_request_error"


Answer = Turn | Refusal


@dataclass(frozen=True)
class Request:
    """One request as it reached the server; `headers` has lower-case names, `time` is Unix time."""

    method: str
    path: str
    headers: dict[str, str]
    body: Json
    time: float

    @property
    def kind(self) -> Kind:
        """What the client wants: the next turn of the main loop, one of a sub-agent, or else."""
        if not _MODELS.search(self.path.partition("?")[0]):
            return "other"
        if _COMPACTION.search("\n".join(_strings(self.messages[-1:]))):
            return "compaction"
        if _TITLE.search("\n".join(_strings(self.body.get("system", "")))):
            return "title"
        return "subagent" if "x-claude-code-agent-id" in self.headers else "turn"

    @property
    def messages(self) -> list[Json]:
        """The conversation so far; roles are user, assistant and system."""
        return list(self.body.get("messages", []))

    @property
    def session_id(self) -> str:
        """The session that asks."""
        return self.headers.get("x-claude-code-session-id", "")

    @property
    def tool_names(self) -> list[str]:
        """Names of the tools that the model was offered."""
        return [str(tool.get("name", "")) for tool in self.body.get("tools", [])]


def fresh_id(prefix: str) -> str:
    """An id that no other message, request or call of this process has."""
    return f"{prefix}_{next(_ids):06d}"


def say(text: str) -> Block:
    """Text of the assistant."""
    return {"type": "text", "text": text}


def call(name: str, /, **arguments: Any) -> Block:
    """A call of the tool `name`, under a fresh id."""
    return {"type": "tool_use", "id": fresh_id("toolu"), "name": name, "input": arguments}


def stall(seconds: float) -> Block:
    """Silence in the middle of the stream, so that a test can interrupt the turn."""
    return {"type": "stall", "seconds": seconds}


def all_text(request: Request) -> str:
    """Every string in the system prompt and the messages: all that the model could read."""
    said = ("system", "instructions", "systemInstruction", "input", "contents")
    return "\n".join(_strings([*(request.body.get(key, "") for key in said), request.messages]))


def system_reminders(request: Request) -> list[str]:
    """What the client added by itself: tagged reminders, and messages of the role system."""
    found: list[str] = []
    for message in request.messages:
        text = "\n".join(_strings(message.get("content", "")))
        found += [text] if message.get("role") == "system" else _REMINDER.findall(text)
    return found


def last_user_text(request: Request) -> str:
    """Text of the last user message without reminders; empty when it is only tool results."""
    for message in reversed(request.messages):
        if message.get("role") == "user":
            return _REMINDER.sub("", _text_of(message.get("content", ""))).strip()
    return ""


def tool_results(request: Request) -> list[Block]:
    """The tool_result blocks of all messages, oldest first."""
    return [
        block
        for message in request.messages
        if isinstance(message.get("content"), list)
        for block in message["content"]
        if block.get("type") == "tool_result"
    ]


def _text_of(content: str | list[Block]) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(block["text"] for block in content if block.get("type") == "text")


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
