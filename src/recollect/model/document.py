"""Convert between a memory and its Markdown text.

An invalid field gets its default and a problem is noted. New texts have their fields in the order
of docs/format.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from recollect._fastimport import NamedTuple, Pattern
from recollect.model import memory as model
from recollect.model.footnotes import dates_in, without_references
from recollect.model.frontmatter import (
    Value,
    damage_in,
    date_text,
    headers_of,
    split_front,
    split_keywords,
    value_text,
    with_value,
    without_key,
)
from recollect.model.memory import (
    Memory,
    Section,
    anchor_of,
    free_name,
    id_from,
    is_id,
    is_sealed_path,
)
from recollect.model.page_form import files_listed, in_memory, on_disk
from recollect.model.times import decay_day, time_of
from recollect.text.sentences import fence_after

_HEADING = Pattern(r"##[ \t]+(.*)")
_CLOSING = Pattern(r"(?:^|[ \t])#+$")  # `## Title ##`, but not `## C#`
_BLANK_LINES = Pattern(r"\A(?:[^\S\n]*+\n)+")
_TELLING = Pattern(r"^(?:##| {0,3}(?:`{3}|~{3}))[^\n]*", 8)  # re.M


class BodyPart(NamedTuple):
    """A stretch of the body: `heading` is empty for the head, `text` has the heading line too."""

    heading: str
    text: str


def parts_of(body: str) -> list[BodyPart]:
    """The head and each `##` section of a body; their texts joined are the body."""
    return _cut(body)[0]


def _cut(body: str) -> tuple[list[BodyPart], str]:
    """The parts of a body, and the code fence that is still open at its end."""
    if "##" not in body and "```" not in body and "~~~" not in body:
        return [BodyPart("", body)], ""
    parts: list[BodyPart] = []
    heading, start, fence = "", 0, ""
    for telling in _TELLING.finditer(body):
        line = telling[0].rstrip()
        fence = fence_after(line, fence)
        found = None if fence else _HEADING.match(line)
        if found:
            parts.append(BodyPart(heading, body[start : telling.start()]))
            heading, start = _heading(found[1]), telling.start()
    parts.append(BodyPart(heading, body[start:]))
    return parts, fence


def _heading(title: str) -> str:
    return _CLOSING.sub("", without_references(" ".join(title.split()))).strip()


def sections_of(body: str) -> list[Section]:
    """The sections of a body, the head first (with no anchor); the head may be empty."""
    head, *parts = parts_of(body)
    sections = [Section("", "", _trimmed(head.text))]
    taken: set[str] = set()
    times: dict[str, int] = {}  # a log may have thousands of headings that are the same
    for part in parts:
        wanted = anchor_of(part.heading)
        anchor = free_name(wanted, taken.__contains__, times.get(wanted, 0))
        taken.add(anchor)
        times[wanted] = times.get(wanted, 0) + 1
        sections.append(Section(anchor, part.heading, _trimmed(part.text.partition("\n")[2])))
    return sections


def without_section(body: str, anchor: str) -> str:
    """`body` without the section of this anchor; another one of the same title stays."""
    both = zip(parts_of(body), sections_of(body), strict=True)
    return "".join(part.text for part, section in both if section.anchor != anchor)


def _trimmed(text: str) -> str:
    """`text` without the blank lines around it; the first line keeps its indent."""
    return (_BLANK_LINES.sub("", text) if text[:1].isspace() else text).rstrip()


def section_named(body: str, title: str) -> Section | None:
    """The section with this title, whatever the case, or None."""
    wanted = _heading(title).casefold()
    named = (one for one in sections_of(body) if one.heading and one.heading.casefold() == wanted)
    return next(named, None)


def with_section(body: str, title: str, text: str, name: str = "") -> str:
    """`body` with the section of this title replaced, or added at the end.

    It keeps its id; without one it gets this `name`.
    """
    eol = "\r\n" if "\r\n" in body else "\n"
    parts, open_fence = _cut(body)
    wanted = _heading(title)
    for n, part in enumerate(parts):
        if n and part.heading.casefold() == wanted.casefold():
            return _with_part(parts, n, _block(wanted + (_tail(part) or name), text, eol), eol)
    block = _block(wanted + name, text, eol)
    if open_fence:  # a section inside a code block would be none
        body = f"{body.rstrip()}{eol}{open_fence}{eol}"
    gap = "" if not body or body.endswith(eol * 2) else eol if body.endswith(eol) else eol * 2
    return body + gap + block


def with_more(text: str, title: str, more: str, sign: Callable[[str], str]) -> str:
    """The text of a memory with more in the section of this title, which is signed; it may be new."""
    old = section_named(body_of(text), title)
    said = sign(f"{old.text}\n\n{more}" if old else more)
    return with_body(text, with_section(body_of(text), title, said))


def with_section_at(body: str, anchor: str, title: str, text: str) -> str:
    """`body` with another title and text for the section of this anchor, which is there."""
    eol = "\r\n" if "\r\n" in body else "\n"
    at = [section.anchor for section in sections_of(body)].index(anchor)
    parts = parts_of(body)
    return _with_part(parts, at, _block(_heading(title) + _tail(parts[at]), text, eol), eol)


def _tail(part: BodyPart) -> str:
    """The id and the references behind the heading of a section."""
    line = part.text.partition("\n")[0].rstrip()
    return line[len(without_references(line)) :]


def _with_part(parts: list[BodyPart], at: int, block: str, eol: str) -> str:
    before, after = ("".join(p.text for p in some) for some in (parts[:at], parts[at + 1 :]))
    return before + block + (eol + after if after else "")


def _block(title: str, text: str, eol: str) -> str:
    said = section_text(text)
    lines = [f"## {title}", *(["", *said.split("\n")] if said else [])]
    return "".join(line.rstrip("\r") + eol for line in lines)


def section_text(text: str) -> str:
    """`text` made safe for a section: `##` become `###`, an open code block is closed."""
    parts, fence = _cut(_trimmed(text))
    lowered = parts[0].text + "".join(f"#{part.text}" for part in parts[1:])
    return f"{lowered}\n{fence}" if fence else lowered


# -------------------- An encrypted memory as it lies on disk: a few plain lines, and an age file in armor.


FOLDER = "encrypted"
FORMAT = "age/v1"
# Behind this line of an opened text stands the raw conversation (level 3) of the memory.
CONVERSATION = "<!-- the raw conversation of this memory -->"
_KEYS = ["id", "created", "updated", "enc", "recipients"]
_ID = Pattern(r"sealed-[0-9a-f]{6,32}")
_TIME = Pattern(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_RECIPIENT = Pattern(r"age1[02-9ac-hj-np-z]{20,120}")
# The first bytes of every age file are its format's name.
_ARMOR = Pattern(
    r"-----BEGIN AGE ENCRYPTED FILE-----\n(?=YWdlLWVuY3J5cHRpb24ub3JnL3Yx)"
    r"(?:[A-Za-z0-9+/]{64}\n)*[A-Za-z0-9+/]{1,64}={0,2}\n-----END AGE ENCRYPTED FILE-----\n?"
)


class Sealed(NamedTuple):
    """An encrypted memory, closed. `armor` is the age file."""

    id: str
    created: str
    updated: str
    recipients: tuple[str, ...]
    armor: str


def sealed_text(sealed: Sealed) -> str:
    """The file of an encrypted memory."""
    return (
        f"---\nid: {sealed.id}\ncreated: {sealed.created}\nupdated: {sealed.updated}\n"
        f"enc: {FORMAT}\nrecipients: [{', '.join(sealed.recipients)}]\n---\n{sealed.armor.strip()}\n"
    )


def sealed_of(text: str) -> Sealed | None:
    """The encrypted memory that this text is, or None if it is none to the letter."""
    front = split_front(text.replace("\r\n", "\n"))
    values = {entry.key: entry.value for entry in front.entries}
    if len(front.entries) != len(_KEYS) or len(front.lines) != len(_KEYS) + 2:
        return None
    if sorted(values) != sorted(_KEYS) or any(entry.comment for entry in front.entries):
        return None
    recipients = values["recipients"]
    found = Sealed(
        str(values["id"]),
        str(values["created"]),
        str(values["updated"]),
        tuple(recipients) if isinstance(recipients, list) else (),
        front.body,
    )
    return found if values["enc"] == FORMAT and _is_in_form(found) else None


def _is_in_form(sealed: Sealed) -> bool:
    is_timed = all(map(_TIME.fullmatch, (sealed.created, sealed.updated)))
    is_for_some = bool(sealed.recipients) and all(map(is_recipient, sealed.recipients))
    return bool(_ID.fullmatch(sealed.id)) and is_timed and is_for_some and is_armor(sealed.armor)


def is_sealed(text: str) -> bool:
    """Whether this is an encrypted memory, and nothing else."""
    return sealed_of(text) is not None


def is_armor(text: str) -> bool:
    """Whether this is an age file in armor, with nothing in front of it."""
    return bool(_ARMOR.fullmatch(text))


def is_recipient(key: str) -> bool:
    """Whether this looks like a public key of age."""
    return bool(_RECIPIENT.fullmatch(key))


def with_conversation(text: str, conversation: str) -> str:
    """A memory and its raw conversation as one text."""
    return f"{text}\n{CONVERSATION}\n{conversation}" if conversation else text


def without_conversation(text: str) -> tuple[str, str]:
    """`(memory, conversation)` of an opened text; the conversation may be empty."""
    memory, _, conversation = text.partition(f"\n{CONVERSATION}\n")
    return memory, conversation


def claims_to_be_sealed(text: str) -> bool:
    """Whether a text claims to be encrypted, whether or not it is."""
    return split_front(text).value("enc") is not None


def closed_memory(text: str, path: str, stem: str) -> Memory:
    """An encrypted memory as it looks without a key: almost empty."""
    found = sealed_of(text)
    name = found.id if found else stem
    shell = Memory(name, name, "semantic", path, "", private=True)
    if found is None:
        return shell._replace(problem="is not an encrypted memory as described in docs/format.md")
    return shell._replace(created=found.created, updated=found.updated)


ORDER = (
    "id title type kind category tags trigger files concepts salience confidence source trust "
    "status related supersedes session created updated last-accessed retention "
    "decay-after private"
).split()
SESSION = "session"
LISTS = ("tags", "trigger", "files", "concepts", "related", "supersedes")
DATES = ("created", "updated", "last-accessed", "decay-after")
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
Said = Mapping[str, Value]  # what the front matter says, by key
_FENCE = Pattern(r"^ {0,3}(?:```|~~~)", re.M)


def words_for(key: str) -> tuple[str, ...]:
    """The words that a field takes; none for a free field."""
    return tuple(_WORDS.get(key, ()))


def default_fields(path: str, layer: str = "") -> dict[str, str]:
    """The fields that a file in this place has by default; those of another layer, if one is named."""
    inside = path.removeprefix("archive/")
    folder = inside.partition("/")[0]
    place = folder if folder in model.LAYERS else "semantic"
    layer = layer or place
    if place == "episodic":
        kind = "conversation" if inside.endswith("/summary.md") else "note"
    else:
        kind = next((k for start, k in _FOLDER_KINDS if inside.startswith(start)), "note")
    return {"type": layer, "kind": kind, **layer_defaults(layer), "status": usual_status(kind)}


def usual_status(kind: str) -> str:
    """The status of a memory of this kind that says none."""
    return "open" if kind == "issue" or kind in model.SESSION_KINDS else "confirmed"


def layer_defaults(layer: str) -> dict[str, str]:
    """Salience, confidence and source of a new memory of this layer (seed 004)."""
    return {
        "salience": "medium",
        "confidence": "medium" if layer == "episodic" else "high",
        "source": {"procedural": "instructed", "reference": "referenced"}.get(layer, "observed"),
        "trust": "user",
    }


def stem_of(path: str) -> str:
    """The id of a file that names none: its stem, or its folder's name for `…/summary.md`."""
    parts = path.removesuffix(".age").removesuffix(".md").split("/")
    stem = parts[-2] if parts[-1] == "summary" and len(parts) > 1 else parts[-1]
    if stem.isascii():
        return stem
    from unicodedata import normalize  # some file systems take letters apart

    return normalize("NFC", stem)


def memory_from_text(text: str, path: str) -> Memory:
    """Parse a memory's text, at this place in the store; of an encrypted one, only its shell."""
    if is_sealed_path(path):
        stem = stem_of(path)
        return closed_memory(text, path, stem if is_id(stem) else id_from(stem))
    front = split_front(text)
    said = {entry.key: entry.value for entry in front.entries}
    body = in_memory(front.body)
    legacy = headers_of(body)
    problems = [front.problem] if front.problem else []
    problems += damage_in(text, () if said or front.problem else ORDER)
    default = default_fields(path)
    layer = _one(said, "type").lower() or _layer_of_kind(said)
    if layer != default["type"] and layer in model.LAYERS:
        default = default_fields(path, layer)
    kind = _one(said, "kind").lower()
    default["status"] = usual_status(kind if kind in model.KINDS else default["kind"])
    word = {key: _word(said, key, default, problems) for key in _WORDS}
    stem = stem_of(path)
    times = _times(said, (legacy.time, stem), body, word["type"], problems)
    title = _one(said, "title") or title_in(body) or stem
    return Memory(
        id=_id(said, stem, title, times["created"], problems),
        title=" ".join(title.split()),
        layer=word["type"],
        path=path,
        body=body,
        kind=word["kind"],
        category=_one(said, "category"),
        tags=_many(said, "tags") or legacy.keywords or _title_tags(said, title),
        trigger=_many(said, "trigger"),
        files=_many(said, "files") or files_listed(body, word["kind"]),
        concepts=_many(said, "concepts"),
        salience=word["salience"],
        confidence=word["confidence"],
        source=word["source"],
        trust=word["trust"],
        status=word["status"],
        related=_many(said, "related"),
        supersedes=_many(said, "supersedes"),
        session=_one(said, "session"),
        created=times["created"],
        updated=times["updated"],
        last_accessed=times["last-accessed"][:10],
        retention=_one(said, "retention") or ("temporary" if word["type"] == "episodic" else ""),
        decay_after=times["decay-after"][:10],
        private=_one(said, "private").lower() not in _NOT,
        problem="; ".join(problems),
    )


def fields_of(memory: Memory) -> dict[str, Value]:
    """Every field of a memory as front matter has it, in order."""
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


def new_text(fields: Mapping[str, Value], body: str, path: str = "") -> str:
    """The text of a new memory with these fields; defaults are not written.

    Without a path, or encrypted, it says its id and its kind, so that it can stand anywhere.
    """
    usual = _unsaid(fields, "" if is_sealed_path(path) else path)
    lines = ["---"]
    for key in ORDER:
        value = fields.get(key)
        # One that is empty never fades, and is not tagged by its title.
        is_said = (
            value or (value == "" and key == "decay-after") or (key == "tags" and usual.get(key))
        )
        if value is None or not is_said or value == usual.get(key, ""):
            continue
        shown = date_text(value) if key in DATES and isinstance(value, str) else value_text(value)
        lines.append(f"{key}: {shown}".rstrip())
    return "\n".join(lines) + "\n---\n" + on_disk(body.strip("\n") + "\n")


def new_page(path: str, memory_id: str, body: str, now: str, **fields: Value) -> str:
    """The text of a new memory, made now; but for these fields it is what files in its place are."""
    times = {"created": now, "updated": now, "last-accessed": now[:10]}
    return new_text({**default_fields(path), "id": memory_id, **times, **fields}, body, path)


def _unsaid(fields: Mapping[str, Value], path: str) -> dict[str, Value]:
    """The values that a text with these fields, in this place, has without saying them."""
    from recollect.model import layers  # seldom needed

    layer, created = str(fields.get("type", "")), str(fields.get("created", ""))
    updated = str(fields.get("updated", "")) or created
    usual: dict[str, Value] = {**(default_fields(path, layer) if path else layer_defaults(layer))}
    usual["status"] = usual_status(str(fields.get("kind") or usual.get("kind", "")))
    if fields.get("kind") == SESSION:  # the layer follows from its kind, the tags from its title
        tags = _title_tags({"kind": SESSION}, str(fields.get("title", "")))
        usual |= {"type": "episodic", "tags": [*tags]}
    else:
        usual.pop("type", "")  # a file that somebody moves stays what it is
    usual["id"] = ""  # a copy, a second name in the archive or a rename must not change it
    if layers.is_fixed(path):
        usual |= {"id": stem_of(path), "type": default_fields(path)["type"]}
    elif path and fields.get("kind") == SESSION:
        title = " ".join(str(fields.get("title", "")).split())
        usual["id"] = layers.id_of_session(stem_of(path), title, created, strict=True)
    usual |= {"updated": created, "last-accessed": updated[:10]}
    if layer == "episodic":
        usual |= {"retention": "temporary", "decay-after": decay_day(created)}
    return usual


def _layer_of_kind(said: Said) -> str:
    """The layer of a file that says its kind only: what tells of a session is an episode."""
    return "episodic" if _one(said, "kind").lower() == SESSION else ""


def _title_tags(said: Said, title: str) -> tuple[str, ...]:
    """The tags of a session that says none: what its title names."""
    if not _layer_of_kind(said) or "tags" in said:
        return ()
    from recollect.model.layers import title_tags  # seldom needed

    return tuple(title_tags(" ".join(title.split())))


def with_field(text: str, key: str, value: Value | None) -> str:
    """`text` with one field changed, or removed for None; every other byte stays."""
    if value is None:
        return without_key(text, key)
    return with_value(text, key, value, order=ORDER, is_date=key in DATES)


def with_title(text: str, title: str) -> str:
    """`text` with another title, also in the heading of its body if that has the old one."""
    title = " ".join(title.split())
    old = memory_from_text(text, "semantic/x.md").title
    front = split_front(text)
    found = _heading_of(front.body)
    plain = " ".join(found[1].split()) if found else ""
    # As in `Conversation Memory: …` of the first seed.
    before = plain[: max(0, len(plain) - len(old))]
    is_old = plain[len(before) :].casefold() == old.casefold()
    if found and title and is_old and (not before or before.rstrip().endswith((":", "："))):
        start = found.end() - len(found[1].lstrip())
        end = found.start(1) + len(found[1].rstrip())
        body = front.body[:start] + before + title + front.body[end:]
        text = front.lead + "".join(front.lines) + body
    if front.value("title") is None and title_in(body_of(text)) == title:
        return text  # its heading says it
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
        problems.append(f"{key} is “{value}”, but must be one of: {', '.join(_WORDS[key])}")
    return default[key]


def _time(said: Said, key: str, problems: list[str]) -> str:
    value = _one(said, key)
    time = time_of(value) if value else ""
    if value and not time:
        problems.append(f"{key} is “{value}”, but must be a date such as 2026-01-11")
    return time


def _times(
    said: Said, elsewhere: tuple[str, str], body: str, layer: str, problems: list[str]
) -> dict[str, str]:
    """The times of a memory; missing ones are derived from the others, or from its statements."""
    times = {key: _time(said, key, problems) for key in DATES}
    header, stem = elsewhere
    times["created"] = times["created"] or time_of(header) or time_of(stem)
    if not times["created"] and (dates := dates_in(body)):
        times["created"] = dates[0]
        times["updated"] = times["updated"] or dates[-1]
    times["updated"] = times["updated"] or times["created"]
    times["last-accessed"] = times["last-accessed"] or times["updated"]
    if layer == "episodic" and "decay-after" not in said:  # empty means never
        times["decay-after"] = decay_day(times["created"])
    return times


def _id(said: Said, stem: str, title: str, created: str, problems: list[str]) -> str:
    named = _one(said, "id")
    if named and is_id(named):
        return named
    if named:
        problems.append(f"id “{named}” is not a valid name; the file's name is used")
    elif _layer_of_kind(said) and created:
        from recollect.model import layers  # seldom needed

        return layers.id_of_session(stem, " ".join(title.split()), created)
    return stem if is_id(stem) else id_from(stem)


def title_in(body: str) -> str:
    """The title that a body says: a header of the first seed, else its first heading."""
    match = _heading_of(body)
    return headers_of(body).title or (" ".join(match[1].split()) if match else "")


def _heading_of(body: str) -> re.Match[str] | None:
    """The `# ` heading of a body; in a code block, `# ` is a comment of a script."""
    head = body[:4000]
    fence = _FENCE.search(head)
    return re.search(r"^#[ \t]+(.*)$", head[: fence.start()] if fence else head, re.M)


def body_of(text: str) -> str:
    """The body of a memory's text, with comments for its footnotes."""
    return in_memory(split_front(text).body)


def with_body(text: str, body: str) -> str:
    """`text` with another body under the same front matter, with footnotes for its comments."""
    front = split_front(text)
    return front.lead + "".join(front.lines) + on_disk(body)


def files_of(path: str) -> list[str]:
    """The files that make up a memory: its own and the raw conversation beside it."""
    if path.endswith("/summary.md"):
        return [path, path.removesuffix("summary.md") + "conversation.md"]
    return [path]
