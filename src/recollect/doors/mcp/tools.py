"""MCP: what the tools are called, say of themselves, and take.

Promises: all descriptions together are shorter than 2 KB, which is where clients cut; the schemas
are plain enough to be checked here (`checks`) and shown by any client.
Touches: nothing.
"""

from __future__ import annotations

from typing import Any

from recollect.named import NamedTuple

LONGEST_TITLE = 200
LONGEST_CUE = 20_000
LONGEST_TEXT = 100_000
LONGEST_ID = 300
KINDS = ("decision", "fact", "issue", "implementation", "rule", "solution", "pattern", "pointer", "note")  # fmt: skip
ALL_KINDS = (*KINDS, "session", "conversation")
STATUSES = ("confirmed", "open", "provisional", "superseded", "resolved")
NEW_STATUSES = ("confirmed", "open", "provisional", "resolved")
CATEGORIES = ("architecture", "technology", "approach", "convention", "best-practice", "anti-pattern",
              "bugfix", "performance", "security", "feature", "other")  # fmt: skip
CONFIDENCES = ("low", "medium", "high")


class Tool(NamedTuple):
    """A tool as it is offered. `essential` ones are in the model's sight from the start."""

    name: str
    title: str
    description: str
    takes: dict[str, dict[str, Any]]
    required: tuple[str, ...] = ()
    reads: bool = True
    destroys: bool = False
    essential: bool = False

    def as_json(self) -> dict[str, Any]:
        """The tool as the protocol lists it."""
        listed: dict[str, Any] = {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": {
                "type": "object",
                "properties": self.takes,
                "required": list(self.required),
                "additionalProperties": False,
            },
            "annotations": {
                "title": self.title,
                "readOnlyHint": self.reads,
                "destructiveHint": self.destroys,
                "idempotentHint": True,
                "openWorldHint": False,
            },
        }
        return listed | ({"_meta": {"anthropic/alwaysLoad": True}} if self.essential else {})


def _text(about: str, longest: int, **more: Any) -> dict[str, Any]:
    return {"type": "string", "description": about, "maxLength": longest, **more}


def _word(about: str, words: tuple[str, ...]) -> dict[str, Any]:
    return {"type": "string", "description": about, "enum": list(words)}


def _number(about: str, low: int, high: int, default: int | None = None) -> dict[str, Any]:
    number = {"type": "integer", "description": about, "minimum": low, "maximum": high}
    return number if default is None else number | {"default": default}


def _words(about: str) -> dict[str, Any]:
    item = {"type": "string", "maxLength": LONGEST_TITLE}
    return {"type": "array", "description": about, "items": item, "maxItems": 20}


_DAY = r"^\d{4}(-\d\d(-\d\d)?)?$"
_ID = _text("ID of a note, or ID#SECTION.", LONGEST_ID, minLength=1)
_SINCE = _text("First day: 2026-01-31, 2026-01 or 2026.", 10, pattern=_DAY)
_UNTIL = _text("Last day, in the same form.", 10, pattern=_DAY)
_KIND = _word("Only this kind.", ALL_KINDS)
_FILE = _text("Only about a file whose path has this.", LONGEST_TITLE)

TOOLS = (
    Tool(
        "recall",
        "Recall what is known",
        "Notes from earlier sessions that bear on a task or a question: decisions with their "
        "reasons, conventions, solutions of errors. Call it before you plan, before you answer "
        "about earlier work, and when an error looks familiar. Gives the best in full and names "
        "more; nothing if nothing fits.",
        {
            "cue": _text(
                "The task, question or error, with names of files and things in it.",
                LONGEST_CUE,
                minLength=1,
            ),
            "budget": _number("Tokens at most; the person's setting by default.", 100, 2200),
        },
        ("cue",),
        essential=True,
    ),
    Tool(
        "search",
        "Search the notes",
        "Find notes by words, in any order; identifiers are found by their parts, Chinese by any "
        "two characters. Use it for something particular; `recall` for a task.",
        {
            "query": _text("The words.", LONGEST_CUE, minLength=1),
            "kind": _KIND,
            "tags": _words("Only with all of these tags."),
            "file": _FILE,
            "since": _SINCE,
            "until": _UNTIL,
            "archived": {"type": "boolean", "description": "Look through the archive instead."},
            "limit": _number("How many.", 1, 20, 8),
        },
        ("query",),
    ),
    Tool(
        "remember",
        "Remember for later sessions",
        "Save one thing that later sessions should know: a decision with its reason, a rule of "
        "work that the person gave, what an error was and what solved it, where something is. One "
        "note for each thing, in the person's language. Not what the code or git says already, "
        "nothing that matters only today, no secrets. The same again changes nothing.",
        {
            "title": _text("The thing itself, in one sentence.", LONGEST_TITLE, minLength=1),
            "text": _text("The reason and what else matters; Markdown.", LONGEST_TEXT),
            "kind": _word("What it is; chosen by its words if left out.", KINDS),
            "tags": _words("Three to six nouns."),
            "trigger": _words("Words of the error or symptom that should bring it back."),
            "files": _words("Paths that it is about."),
            "concepts": _words("Ideas that it is about: event-sourcing."),
            "category": _word("Of a decision, a pattern or an issue.", CATEGORIES),
            "status": _word("`open` for an issue without a solution.", NEW_STATUSES),
            "confidence": _word("`low` if you are not sure.", CONFIDENCES),
            "into": _text("ID of a note to add it to, as a section of its own.", LONGEST_ID),
            "scope": _word(
                "`global` for what holds in all projects of the person.", ("project", "global")
            ),
        },
        ("title",),
        reads=False,
        essential=True,
    ),
    Tool(
        "update",
        "Correct a note",
        "Correct a note when it is contradicted or incomplete: replace or extend its text, rename "
        "it, set its tags or status (`superseded`: something newer holds; `resolved`: done). The "
        "person can undo it.",
        {
            "id": _ID,
            "text": _text("The whole new text.", LONGEST_TEXT),
            "append": _text("Text to add at the end.", LONGEST_TEXT, minLength=1),
            "title": _text("The new title.", LONGEST_TITLE, minLength=1),
            "tags": _words("All tags from now on."),
            "status": _word("The new status.", STATUSES),
        },
        ("id",),
        reads=False,
        destroys=True,
    ),
    Tool(
        "forget",
        "Forget a note",
        "Take a note, or a section of one, out of the store: when the person asks for it, or when "
        "it is wrong. The person can undo it.",
        {"id": _ID},
        ("id",),
        reads=False,
        destroys=True,
    ),
    Tool(
        "expand",
        "Read a note in full",
        "Read a note that `recall`, `search` or `timeline` named: all of it (level 2), or the raw "
        "conversation it was made from (level 3). Long texts come in parts.",
        {
            "id": _ID,
            "level": _number("2 the note, 3 the conversation.", 2, 3, 2),
            "start": _number("Where to go on, as the part before said.", 0, 1_000_000_000, 0),
        },
        ("id",),
    ),
    Tool(
        "timeline",
        "List what was stored when",
        "What was stored when, newest first: sessions, decisions and the rest, with their ids.",
        {
            "since": _SINCE,
            "until": _UNTIL,
            "kind": _KIND,
            "file": _FILE,
            "limit": _number("How many.", 1, 50, 20),
        },
    ),
    Tool(
        "status",
        "Look at the stores",
        "Which stores there are, what they hold, and what the person should look at.",
        {},
    ),
)
BY_NAME = {tool.name: tool for tool in TOOLS}
