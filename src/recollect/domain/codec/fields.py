"""Codec: the fields of a memory, their defaults, and the text of a new one.

Promises: a field with a word outside its list gets its default and a problem is noted; the fields
of a new text stand in the order of docs/format.md.
Touches: nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta

from recollect.domain import model
from recollect.domain.codec.editing import date_text, value_text, with_value, without_key
from recollect.domain.codec.frontmatter import Value, read_front, split_front
from recollect.domain.codec.legacy import headers_of, split_keywords
from recollect.domain.codec.sealed import closed_memory
from recollect.domain.model import Memory
from recollect.domain.names import id_from, is_id, is_sealed_path
from recollect.domain.pattern import Pattern

ORDER = (
    "id title type kind category tags trigger files concepts salience confidence source trust "
    "status related supersedes session project created updated last-accessed retention "
    "decay-after private"
).split()
LISTS = ("tags", "trigger", "files", "concepts", "related", "supersedes")
DATES = ("created", "updated", "last-accessed", "decay-after")
ALWAYS = (
    "id title type kind tags trigger salience confidence source trust status related created "
    "updated last-accessed"
).split()
_WORDS = {
    "type": model.LAYERS,
    "kind": tuple(model.KINDS),
    "salience": model.LEVELS,
    "confidence": model.LEVELS,
    "source": model.SOURCES,
    "trust": model.TRUSTS,
    "status": model.STATUSES,
}
_FOLDER_KINDS = (
    ("semantic/decisions/", "decision"),
    ("semantic/issues/", "issue"),
    ("semantic/implementations/", "implementation"),
    ("procedural/patterns/", "pattern"),
    ("semantic/", "fact"),
    ("procedural/", "rule"),
    ("reference/", "pointer"),
    ("core/", "fact"),
)
_NOT = ("", "false", "no", "off", "n", "0", "否")
_TIME = Pattern(
    r"(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})(?!\d)日?"
    r"(?:[T\s]*(\d{1,2})[:：](\d{2})(?:[:：](\d{2})(?:[.,]\d*)?)?\s*(?:([+-])(\d{2}):?(\d{2}))?)?",
    re.IGNORECASE,
)
Said = Mapping[str, Value]  # what the front matter says, by key
_FENCE = Pattern(r"^ {0,3}(?:```|~~~)", re.M)


def words_for(key: str) -> tuple[str, ...]:
    """The words that a field takes; none for a free field."""
    return tuple(_WORDS.get(key, ()))


def default_fields(path: str) -> dict[str, str]:
    """What a file in this place is, as long as it does not say otherwise."""
    inside = path.removeprefix("archive/")
    folder = inside.partition("/")[0]
    layer = folder if folder in model.LAYERS else "semantic"
    if layer == "episodic":
        kind = "conversation" if inside.endswith("/summary.md") else "note"
    else:
        kind = next((k for start, k in _FOLDER_KINDS if inside.startswith(start)), "note")
    return {"type": layer, "kind": kind, **layer_defaults(layer)}


def layer_defaults(layer: str) -> dict[str, str]:
    """Salience, confidence, source and status of a new memory of this layer (seed 004)."""
    return {
        "salience": "medium",
        "confidence": "medium" if layer == "episodic" else "high",
        "source": {"procedural": "instructed", "reference": "referenced"}.get(layer, "observed"),
        "trust": "user",
        "status": "open" if layer == "episodic" else "confirmed",
    }


def stem_of(path: str) -> str:
    """The id of a file that names none: its stem, or its folder's name for `…/summary.md`."""
    parts = path.removesuffix(".age").removesuffix(".md").split("/")
    return parts[-2] if parts[-1] == "summary" and len(parts) > 1 else parts[-1]


def memory_from_text(text: str, path: str) -> Memory:
    """The memory that this text is, at this place in the store; of an encrypted one its shell."""
    if is_sealed_path(path):
        stem = stem_of(path)
        return closed_memory(text, path, stem if is_id(stem) else id_from(stem))
    said, body, problem = read_front(text)
    legacy = headers_of(body)
    problems = [problem] if problem else []
    default = default_fields(path)
    word = {key: _word(said, key, default, problems) for key in _WORDS}
    times = {key: _time(said, key, problems) for key in DATES}
    stem = stem_of(path)
    title = _one(said, "title") or legacy.title or _heading(body) or stem
    return Memory(
        id=_id(said, stem, problems),
        title=" ".join(title.split()),
        layer=word["type"],
        path=path,
        body=body,
        kind=word["kind"],
        category=_one(said, "category"),
        tags=_many(said, "tags") or legacy.keywords,
        trigger=_many(said, "trigger"),
        files=_many(said, "files"),
        concepts=_many(said, "concepts"),
        salience=word["salience"],
        confidence=word["confidence"],
        source=word["source"],
        trust=word["trust"],
        status=word["status"],
        related=_many(said, "related"),
        supersedes=_many(said, "supersedes"),
        session=_one(said, "session"),
        project=_one(said, "project"),
        created=times["created"] or time_of(legacy.time) or time_of(stem),
        updated=times["updated"],
        last_accessed=times["last-accessed"][:10],
        retention=_one(said, "retention"),
        decay_after=times["decay-after"][:10],
        private=_one(said, "private").lower() not in _NOT,
        problem="; ".join(problems),
    )


def fields_of(memory: Memory) -> dict[str, Value]:
    """Every field of a memory as it stands in front matter, in order."""
    fields: dict[str, Value] = {}
    for key in ORDER:
        name = {"type": "layer"}.get(key, key.replace("-", "_"))
        value = getattr(memory, name)
        if isinstance(value, tuple):
            fields[key] = list(value)
        elif isinstance(value, bool):
            fields[key] = "true" if value else ""
        else:
            fields[key] = value
    return fields


def new_text(fields: Mapping[str, Value], body: str) -> str:
    """The text of a new memory with these fields; empty ones are left out unless always shown."""
    lines = ["---"]
    for key in ORDER:
        value = fields.get(key, [] if key in LISTS else "")
        if not value and key not in ALWAYS:
            continue
        shown = date_text(value) if key in DATES and isinstance(value, str) else value_text(value)
        lines.append(f"{key}: {shown}".rstrip())
    return "\n".join(lines) + "\n---\n" + body.strip("\n") + "\n"


def with_field(text: str, key: str, value: Value | None) -> str:
    """`text` with one field changed, or taken out for None; every other byte stays."""
    if value is None:
        return without_key(text, key)
    return with_value(text, key, value, order=ORDER, is_date=key in DATES)


def with_title(text: str, title: str) -> str:
    """`text` under another title, also in the heading of its body where that says the old one."""
    title = " ".join(title.split())
    old = memory_from_text(text, "semantic/x.md").title
    front = split_front(text)
    found = _heading_of(front.body)
    plain = " ".join(found[1].split()) if found else ""
    before = plain[
        : max(0, len(plain) - len(old))
    ]  # as in `Conversation Memory: …` of the first seed
    is_old = plain[len(before) :].casefold() == old.casefold()
    if found and title and is_old and (not before or before.rstrip().endswith((":", "："))):
        start = found.end() - len(found[1].lstrip())
        end = found.start(1) + len(found[1].rstrip())
        body = front.body[:start] + before + title + front.body[end:]
        text = front.lead + "".join(front.lines) + body
    return with_field(text, "title", title)


def _one(said: Said, key: str) -> str:
    value = said.get(key)
    if not value:
        return ""
    return (value if isinstance(value, str) else ", ".join(value)).strip()


def _many(said: Said, key: str) -> tuple[str, ...]:
    value = said.get(key)
    if not value:
        return ()
    if isinstance(value, str):
        return split_keywords(value)
    return tuple(dict.fromkeys(item.strip() for item in value if item.strip()))


def _word(said: Said, key: str, default: Mapping[str, str], problems: list[str]) -> str:
    words = _WORDS[key]
    value = said.get(key)
    if value in words:  # to the letter, as most are
        return str(value)
    value = _one(said, key).lower()
    if value in words:
        return value
    if value:
        problems.append(f"{key} is “{value}”, which is none of: {', '.join(_WORDS[key])}")
    return default[key]


def _time(said: Said, key: str, problems: list[str]) -> str:
    value = _one(said, key)
    time = time_of(value) if value else ""
    if value and not time:
        problems.append(f"{key} is “{value}”, which is no date such as 2026-01-11")
    return time


def _id(said: Said, stem: str, problems: list[str]) -> str:
    named = _one(said, "id")
    if named and not is_id(named):
        problems.append(f"id “{named}” cannot be a name; the file's name is used")
        named = ""
    return named or (stem if is_id(stem) else id_from(stem))


def _heading(body: str) -> str:
    match = _heading_of(body)
    return match[1].strip() if match else ""


def _heading_of(body: str) -> re.Match[str] | None:
    """The `# ` heading of a body; what stands in a code block is a comment in a script."""
    head = body[:4000]
    fence = _FENCE.search(head)
    return re.search(r"^#[ \t]+(.*)$", head[: fence.start()] if fence else head, re.M)


def time_of(value: str) -> str:
    """A time as people write it, in our form (UTC); what is no time is nothing."""
    if len(value) == 20 and value[4] == value[7] == "-" and value[10] + value[19] == "TZ":
        try:  # our own form, which most times have
            return f"{datetime.fromisoformat(value[:19]).isoformat()}Z"
        except ValueError:
            pass
    match = _TIME.match(value)
    if not match:
        return ""
    try:
        time = datetime(*(int(part or 0) for part in match.groups()[:6]))  # type: ignore[arg-type]  # noqa: DTZ001
        if match[7]:
            ahead = timedelta(hours=int(match[8]), minutes=int(match[9]))
            time = time - ahead if match[7] == "+" else time + ahead
    except (ValueError, OverflowError):
        return ""
    return f"{time.isoformat()}Z"
