"""Names, descriptions and schemas of the MCP tools.

All descriptions together stay below 2 KB, where clients truncate.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from recollect._fastimport import NamedTuple
from recollect.i18n import say
from recollect.model.memory import LEVELS, STATUSES

LONGEST_TITLE = 200
LONGEST_CUE = 20_000
LONGEST_TEXT = 100_000
LONGEST_ID = 300
LONGEST_GIVEN = 4_000  # of a statement, its reason, its quote
NOTE_KINDS = ("decision", "rule", "fact", "solution", "open", "pointer")
KINDS = ("decision", "fact", "issue", "implementation", "rule", "solution", "pattern", "pointer", "note")  # fmt: skip
ALL_KINDS = (*KINDS, "session", "conversation")
NEW_STATUSES = ("confirmed", "open", "provisional", "resolved")
CATEGORIES = ("architecture", "technology", "approach", "convention", "best-practice", "anti-pattern",
              "bugfix", "performance", "security", "feature", "other")  # fmt: skip


class Tool(NamedTuple):
    """A tool. The model sees `essential` ones from the start, the others when it looks for tools."""

    name: str
    title: str
    description: str
    takes: dict[str, dict[str, Any]]
    required: tuple[str, ...] = ()
    reads: bool = True
    destroys: bool = False
    essential: bool = False
    # Arguments of earlier versions: still accepted, but not listed.
    older: Mapping[str, dict[str, Any]] = MappingProxyType({})

    def as_json(self, lang: str = "en") -> dict[str, Any]:
        """The tool as the protocol lists it; descriptions of essential ones can be Chinese."""
        chinese = IN_CHINESE.get(self.name)
        listed: dict[str, Any] = {
            "name": self.name,
            "title": self.title,
            "description": chinese if lang == "zh" and chinese else self.description,
            "inputSchema": {
                "type": "object",
                "properties": {
                    name: {key: one[key] for key in one if key != "also"}
                    for name, one in self.takes.items()
                },
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


def _word(about: str, words: tuple[str, ...], also: tuple[str, ...] = ()) -> dict[str, Any]:
    schema = {"type": "string", "description": about, "enum": list(words)}
    return schema | ({"also": list(also)} if also else {})


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
_FILE = _text("Only about files whose path contains this.", LONGEST_TITLE)

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
            "tags": _words("Only memories with all of these tags."),
            "file": _FILE,
            "since": _SINCE,
            "until": _UNTIL,
            "archived": {"type": "boolean", "description": "Search the archive instead."},
            "limit": _number("How many.", 1, 20, 8),
        },
        ("query",),
    ),
    Tool(
        "remember",
        "Remember for later sessions",
        "Keep one statement that later sessions need, as it happens: what the person decided, corrected "
        "or turned down, or what was found out with effort. A decision counts before it is built, and "
        "after: code tells neither why nor that the person chose it. Mostly 0 to 5 a session, more in a long "
        "one; none is a good answer. Not what was done, nothing that CLAUDE.md says or that soon is "
        "outdated, nothing twice, no secrets. In the person's language. A later statement "
        "replaces the one that it contradicts.",
        {
            "statement": _text(
                "One sentence, understandable alone: “Order store: PostgreSQL”.", LONGEST_GIVEN
            ),
            "subject": _text(
                "What it is about, in one to four words: Orders. It names the page.", LONGEST_TITLE
            ),
            "why": _text("The reason, if one was given.", LONGEST_GIVEN),
            "kind": _word(
                "rule: how to work, said by the person. solution: of an error. open: undecided.",
                NOTE_KINDS,
                KINDS,
            ),
            "quote": _text(
                "The person's own words, typed or picked, verbatim; then it counts as theirs.",
                LONGEST_GIVEN,
            ),
            "files": _words("Paths that it is about."),
            "trigger": _words("Words of the error that should bring a solution back."),
            "scope": _word(
                "`global`: holds in all the person's projects; only with their quote.",
                ("project", "global"),
            ),
        },
        reads=False,
        essential=True,
        older={
            "title": _text("The thing itself, in one sentence.", LONGEST_TITLE, minLength=1),
            "text": _text("The reason and what else matters; Markdown.", LONGEST_TEXT),
            "tags": _words("Three to six nouns."),
            "concepts": _words("Ideas that it is about: event-sourcing."),
            "category": _word("Of a decision, a pattern or an issue.", CATEGORIES),
            "status": _word("`open` for an issue without a solution.", NEW_STATUSES),
            "confidence": _word("`low` if you are not sure.", LEVELS),
            "into": _text("ID of a note to add it to, as a section of its own.", LONGEST_ID),
        },
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
IN_CHINESE = {
    "recall": "与某项任务或问题有关的以往会话的笔记：决定及其理由、约定、错误的解决办法。在规划之前、回答以往工作的问题之前、错误似曾相识时调用。"
    "最相关的给出全文，其余列出名称；没有相关的则不给。",
    "remember": "保存以后的会话需要的一个陈述，在发生时就保存：用户所作的决定、更正和否决，或费力查明的结论。决定在实现之前和之后都算：代码既不说明理由，也不说明是用户选的。"
    "一般每次会话零到五条，长会话可以更多，没有也可以。做了什么、CLAUDE.md 中已有的、很快会过时的、已保存过的内容以及机密，都不要保存。用用户的语言。"
    "后来的陈述取代与之矛盾的旧陈述。",
}
BY_NAME = {tool.name: tool for tool in TOOLS}


# --------------------------------------------------------------------------------------- arguments


TRUE, FALSE = ("true", "yes", "1"), ("false", "no", "0")
LONGEST_SHOWN = 60
LONGEST_NUMBER = 12
MOST_SAID = 8  # sentences at once


class Refused(Exception):
    """The arguments cannot be used; the sentences say why."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__(" ".join(problems[:MOST_SAID]))


def checked(tool: Tool, given: object, lang: str) -> dict[str, Any]:
    """The arguments of a call, converted to the types of the schema. Raises Refused."""
    if not isinstance(given, dict):
        what = say(lang, "The arguments of {tool} must be a JSON object.", tool=tool.name)
        raise Refused([what])
    problems = [
        say(lang, "{tool} has no argument “{name}”; it takes: {known}.", tool=tool.name,
            name=_shown(name), known=", ".join(tool.takes) or "–")
        for name in given if name not in tool.takes and name not in tool.older
    ]  # fmt: skip
    values: dict[str, Any] = {}
    for name, schema in {**tool.takes, **tool.older}.items():
        value = given.get(name)
        if value is None:
            if name in tool.required:
                about = schema["description"]
                problems.append(say(lang, "“{name}” is missing: {about}", name=name, about=about))
            continue
        value = _converted(value, schema["type"])
        found = list(_problems(name, value, schema, lang))
        problems += found
        if not found:
            values[name] = value
    if problems:
        raise Refused(problems)
    return values


def _converted(value: Any, kind: str) -> Any:
    """A value converted to a type of the schema, if it has the right meaning in another form."""
    if isinstance(value, str):
        # Lone surrogates come out of JSON, but are no text that can be stored.
        value = value.encode("utf-8", "replace").decode()
        if kind == "integer" and len(value) < LONGEST_NUMBER and value.strip().isdecimal():
            return int(value)
        if kind == "boolean" and value.strip().lower() in (*TRUE, *FALSE):
            return value.strip().lower() in TRUE
        if kind == "array":
            words = re.split(r"[,，、]", value)
            return [word.strip() for word in words if word.strip()]
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        return int(value)
    if kind == "array" and isinstance(value, list):
        return [_converted(item, "string") for item in value]
    return value


def _problems(name: str, value: Any, schema: dict[str, Any], lang: str) -> Iterator[str]:
    kind = schema["type"]
    if kind == "string":
        yield from _of_text(name, value, schema, lang)
    elif kind == "integer":
        low, high = schema["minimum"], schema["maximum"]
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            yield say(lang, "“{name}” must be a whole number from {low} to {high}, not {value}.",
                      name=name, low=low, high=high, value=_shown(value))  # fmt: skip
    elif kind == "boolean":
        if not isinstance(value, bool):
            yield say(lang, "“{name}” must be true or false, not {value}.",
                      name=name, value=_shown(value))  # fmt: skip
    elif not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        yield say(lang, "“{name}” must be a list of words, not {value}.",
                  name=name, value=_shown(value))  # fmt: skip
    elif len(value) > schema["maxItems"]:
        yield say(lang, "“{name}” has {n} items; the maximum is {most}.",
                  name=name, n=len(value), most=schema["maxItems"])  # fmt: skip
    else:
        for item in value:
            yield from _of_text(name, item, schema["items"], lang)


def _of_text(name: str, value: Any, schema: dict[str, Any], lang: str) -> Iterator[str]:
    from recollect.model.times import is_day  # the server starts without it

    if not isinstance(value, str):
        yield say(lang, "“{name}” must be text, not {value}.", name=name, value=_shown(value))
    elif "enum" in schema:
        if value not in schema["enum"] and value not in schema.get("also", ()):
            known = ", ".join(schema["enum"])
            yield say(lang, "“{name}” must be one of {known}, not {value}.",
                      name=name, known=known, value=_shown(value))  # fmt: skip
    elif len(value) > schema["maxLength"]:
        yield say(lang, "“{name}” has {n} characters; the maximum is {most}.",
                  name=name, n=len(value), most=schema["maxLength"])  # fmt: skip
    elif schema.get("minLength") and not value.strip():
        yield say(lang, "“{name}” is empty: {about}", name=name, about=schema["description"])
    elif "pattern" in schema and value and not is_day(value):
        yield say(lang, "“{name}” must be a day such as 2026-01-31, 2026-01 or 2026, not {value}.",
                  name=name, value=_shown(value))  # fmt: skip


def _shown(value: object) -> str:
    """A value on one line, short enough for a sentence."""
    text = "[…]" if isinstance(value, list) else "{…}" if isinstance(value, dict) else str(value)
    line = "".join(c if c.isprintable() else " " for c in text[: LONGEST_SHOWN + 1])
    line = line.encode("utf-8", "replace").decode()
    return line if len(line) <= LONGEST_SHOWN else line[:LONGEST_SHOWN] + "…"
