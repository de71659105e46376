"""What a model is asked about a session, and its answer, checked.

Pure but for the two files of `prompts/`, which say all that a model is told. An entry is dropped
unless its quote stands in what was sent. An entry is a person's only if they typed the quote and
most of what it states.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache

from recollect._fastimport import NamedTuple
from recollect.capture.condense import Condensed
from recollect.capture.statement_checks import is_persons_wording
from recollect.clients.base import without_halves
from recollect.ports import Question
from recollect.text.sentences import one_line, shortened, weight_of
from recollect.text.tokens import count_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

KINDS = ("decision", "rule", "fact", "issue", "pointer")
MOST_ENTRIES, MOST_OPEN = 20, 5
MOST_KNOWN_TOKENS = 1_100  # of existing entries; `init` says how much a question has at most
LONGEST_STATEMENT, LONGEST_SUMMARY, LONGEST_TITLE, LONGEST_OPEN = 400, 500, 100, 200
SHORTEST_QUOTE = 8  # letters; a Chinese character counts as two
PROMPTS = os.path.join(os.path.dirname(__file__), "prompts")


class KnownEntry(NamedTuple):
    """An existing entry, as a model is shown it."""

    id: str
    text: str
    day: str = ""


class ExtractedEntry(NamedTuple):
    """One entry that a model wrote, checked. `trust` is that of whoever said it."""

    subject: str
    statement: str
    why: str
    kind: str
    quote: str
    replaces: str
    trust: str


class ExtractedSession(NamedTuple):
    """What a model wrote of a session."""

    title: str
    summary: str
    entries: tuple[ExtractedEntry, ...]
    open: tuple[str, ...]
    dropped: tuple[str, ...]  # why entries were left out: quote, statement, kind, more


class InvalidModelAnswer(ValueError):
    """An answer that is no JSON object of the schema."""


@cache
def _prompt(name: str) -> str:
    with open(os.path.join(PROMPTS, name), encoding="utf-8") as file:
        return file.read()


def question(condensed: Condensed, known: Iterable[KnownEntry] = ()) -> Question:
    """What is sent of a session, with as many of the entries that it may replace as fit."""
    rows: list[str] = []
    left = MOST_KNOWN_TOKENS
    for one in known:
        row = f"- {one.id}: {one_line(one.text, 240)} {one.day}".rstrip()
        left -= count_tokens(row)
        if left >= 0:
            rows.append(row)
    existing = "\n".join(rows) or "none"
    text = f"# Existing entries\n\n{existing}\n\n# The record\n\n{condensed.text}\n\n# End of the record"
    form = json.loads(_prompt("extract.json"))
    if not rows:  # nothing to replace: not to be written for each entry
        entry = form["properties"]["entries"]["items"]
        entry["required"].remove("replaces")
        del entry["properties"]["replaces"]
    return Question(_prompt("extract.md"), text, json.dumps(form, separators=(",", ":")))


def checked(
    answer: str, condensed: Condensed, ids: Iterable[str] = (), redact: Callable[[str], str] = str
) -> ExtractedSession:
    """The entries of an answer that hold. Raises NotAnAnswer."""
    data = object_in(answer)
    rows = data.get("entries")
    if not isinstance(rows, list) or not isinstance(data.get("title"), str):
        raise InvalidModelAnswer("no title or no entries")
    record, typed = _plain(condensed.text), _plain(condensed.typed)
    known = {*ids}
    entries: list[ExtractedEntry] = []
    dropped: list[str] = []
    for row in rows:
        stated = _stated(row, redact)
        why = _wrong(stated, record)
        if not why and len(entries) == MOST_ENTRIES:
            why = "more"
        if why:
            dropped.append(why)
            continue
        is_own = _plain(stated.quote) in typed and is_persons_wording(
            stated.statement, condensed.typed, stated.why
        )
        kind = stated.kind if is_own or stated.kind != "rule" else "decision"
        replaces = stated.replaces if stated.replaces in known else ""
        trust = "user" if is_own else "agent"
        entries.append(stated._replace(kind=kind, replaces=replaces, trust=trust))
    title = shortened(one_line(redact(data["title"]), 400), LONGEST_TITLE)
    summary = one_line(redact(_text(data, "summary")), 10 * LONGEST_SUMMARY)
    if len(summary) > LONGEST_SUMMARY:
        summary = shortened(summary, LONGEST_SUMMARY)
    listed = data.get("open")
    left = [text for text in listed if isinstance(text, str)] if isinstance(listed, list) else []
    return ExtractedSession(
        title.strip("\"'“”*# "),
        summary,
        tuple(entries),
        tuple(one_line(redact(text), LONGEST_OPEN) for text in left[:MOST_OPEN] if text.strip()),
        tuple(dropped),
    )


def object_in(answer: str) -> Mapping[str, Any]:
    """The JSON object in an answer, whatever stands around it. Raises NotAnAnswer."""
    start = answer.find("{")
    try:
        data = json.JSONDecoder().raw_decode(answer, start)[0] if start >= 0 else None
        data = without_halves(data, answer)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        raise InvalidModelAnswer("no JSON object")
    return data


def _stated(row: object, redact: Callable[[str], str]) -> ExtractedEntry:
    data = row if isinstance(row, dict) else {}
    texts = [one_line(redact(_text(data, key)), 1_000) for key in ExtractedEntry._fields[:-1]]
    return ExtractedEntry._make([*texts, "agent"])


def _wrong(stated: ExtractedEntry, record: str) -> str:
    """What keeps an entry from being taken; nothing if it is fine."""
    if stated.kind not in KINDS:
        return "kind"
    if weight_of(stated.statement) < SHORTEST_QUOTE or len(stated.statement) > LONGEST_STATEMENT:
        return "statement"
    return "" if _is_in(stated.quote, record) else "quote"


def is_quoted(quote: str, record: str) -> bool:
    """Whether a quotation is long enough to prove something, and stands in the record."""
    return _is_in(quote, _plain(record))


def _is_in(quote: str, record: str) -> bool:
    words = _plain(quote)
    return weight_of(words) >= SHORTEST_QUOTE and words in record


_SIGNS = re.compile(r"[*`\"“”„«»「」『』]+")
_SPACE = re.compile(r"\s+")


def _plain(text: str) -> str:
    """A text as quotes are compared: without marks of emphasis, in one case, blanks made one."""
    return _SPACE.sub(" ", _SIGNS.sub("", text)).strip(" .,;:。，；：…'’").casefold()


def _text(data: Mapping[str, Any], key: str) -> str:
    value = data.get(key)
    return value if isinstance(value, str) else ""
