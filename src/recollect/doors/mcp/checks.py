"""MCP: the arguments of a tool, checked against its schema.

Promises: what comes through has the types that the schema says; what is only written in another
way (a number as text, a list as words with commas, null for nothing) is understood; every other
difference becomes a sentence that says what is wrong and what is taken, all at once.
Touches: nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Any

from recollect.doors.mcp.tools import Tool
from recollect.lang import say

TRUE, FALSE = ("true", "yes", "1"), ("false", "no", "0")
LONGEST_SHOWN = 60
LONGEST_NUMBER = 12
MOST_SAID = 8  # sentences at once


class Refused(Exception):
    """The arguments cannot be used; the sentences say why."""

    def __init__(self, problems: list[str]) -> None:
        """Keep the sentences."""
        super().__init__(" ".join(problems[:MOST_SAID]))


def checked(tool: Tool, given: object, lang: str) -> dict[str, Any]:
    """The arguments of a call, in the types of the schema.

    Raises:
        Refused: something about them is off.
    """
    if not isinstance(given, dict):
        what = say(lang, "The arguments of {tool} have to be a JSON object.", tool=tool.name)
        raise Refused([what])
    problems = [
        say(lang, "{tool} takes no “{name}”; it takes: {known}.", tool=tool.name,
            name=_shown(name), known=", ".join(tool.takes) or "–")
        for name in given if name not in tool.takes
    ]  # fmt: skip
    values: dict[str, Any] = {}
    for name, schema in tool.takes.items():
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
    """A value in the type that is meant, where it is only written in another way."""
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
            yield say(lang, "“{name}” has to be a whole number from {low} to {high}, not {value}.",
                      name=name, low=low, high=high, value=_shown(value))  # fmt: skip
    elif kind == "boolean":
        if not isinstance(value, bool):
            yield say(lang, "“{name}” has to be true or false, not {value}.",
                      name=name, value=_shown(value))  # fmt: skip
    elif not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        yield say(lang, "“{name}” has to be a list of words, not {value}.",
                  name=name, value=_shown(value))  # fmt: skip
    elif len(value) > schema["maxItems"]:
        yield say(lang, "“{name}” has {n} items; at most {most} are taken.",
                  name=name, n=len(value), most=schema["maxItems"])  # fmt: skip
    else:
        for item in value:
            yield from _of_text(name, item, schema["items"], lang)


def _of_text(name: str, value: Any, schema: dict[str, Any], lang: str) -> Iterator[str]:
    if not isinstance(value, str):
        yield say(lang, "“{name}” has to be text, not {value}.", name=name, value=_shown(value))
    elif "enum" in schema:
        if value not in schema["enum"]:
            known = ", ".join(schema["enum"])
            yield say(lang, "“{name}” is one of {known}; not {value}.",
                      name=name, known=known, value=_shown(value))  # fmt: skip
    elif len(value) > schema["maxLength"]:
        yield say(lang, "“{name}” has {n} characters; at most {most} are taken.",
                  name=name, n=len(value), most=schema["maxLength"])  # fmt: skip
    elif schema.get("minLength") and not value.strip():
        yield say(lang, "“{name}” is empty: {about}", name=name, about=schema["description"])
    elif "pattern" in schema and value and not _is_day(value, schema["pattern"]):
        yield say(lang, "“{name}” is a day such as 2026-01-31, 2026-01 or 2026; not {value}.",
                  name=name, value=_shown(value))  # fmt: skip


def _is_day(text: str, pattern: str) -> bool:
    if not re.fullmatch(pattern, text, re.ASCII):
        return False
    try:
        date.fromisoformat((text + "-01-01")[:10] if len(text) < 10 else text)
    except ValueError:
        return False
    return True


def _shown(value: object) -> str:
    """A value as a sentence can name it."""
    text = "[…]" if isinstance(value, list) else "{…}" if isinstance(value, dict) else str(value)
    line = "".join(c if c.isprintable() else " " for c in text[: LONGEST_SHOWN + 1])
    line = line.encode("utf-8", "replace").decode()
    return line if len(line) <= LONGEST_SHOWN else line[:LONGEST_SHOWN] + "…"
