"""Short notes in an always-loaded file, each naming a memory and when to read it.

Only text between our marks changes; removing the last pointer restores the file exactly. A pointer
contains no heading, mark, command or import, and does not change after a person approved it.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from recollect._fastimport import Any, NamedTuple, Pattern
from recollect.clients import config_files
from recollect.context.pack import hidden
from recollect.context.views import keywords, listed
from recollect.errors import (
    AlreadyThere,
    ChangedMeanwhile,
    FileNotThere,
    NotText,
    OutsideStore,
    RecollectError,
    SkillThere,
    Unreadable,
)
from recollect.model.frontmatter import split_keywords
from recollect.model.memory import Entry, Filter
from recollect.store import disk
from recollect.store.store import OpenStore
from recollect.text.json_edit import rows_in, with_rows
from recollect.text.sentences import one_line
from recollect.text.tokens import cue_words, folded, is_cjk, plain_words

# -------------------- Level 0, the end of a skill's description, which every session loads.


MOST = 15
LONGEST = 32
LONGEST_CHINESE = 12
MOST_PARTS = 3  # a tag is a noun or two; more words could tell an agent what to do
SAYS = {"en": "Active memory keywords:", "zh": "活跃记忆关键词："}
_NONE = {"en": "(no active memories)", "zh": "（无活跃记忆）"}
_INNER = " -_.+#"  # what a word may have besides letters and digits: C++, C#, node.js
# The files that many hands write into: their tags are not only the person's.
_SHARED = ("procedural/feedback", "reference/external-systems")
_LINE = Pattern(
    r"\A(---[ \t]*\r?\n(?:[^\r\n]*\r?\n)*?description:[ \t]*\"[^\"\r\n]*?"
    r"(Active memory keywords:|活跃记忆关键词：)[ \t]*)([^\"\\\r\n]*)(?=\"[ \t]*\r?\n)"
)
_DESCRIPTION = Pattern(r"^description:[ \t]*\"[^\"\r\n]*(?=\"[ \t]*\r?$)", 8)  # re.M


def active_keywords(entries: Sequence[Entry]) -> list[str]:
    """The words of the newest memories of a person that may stand in what every session loads."""
    mine = [e for e in listed(entries) if e.trust == "user" and not e.path.startswith(_SHARED)]
    found: dict[str, str] = {}
    for tag in keywords(mine):
        if word := harmless_word(tag):
            found.setdefault(word.casefold(), word)
    return list(found.values())[:MOST]


def harmless_word(tag: str) -> str:
    """A tag as one plain word, or nothing."""
    if not split_keywords(tag):  # the placeholder of a template
        return ""
    plain = "".join(c if c.isalnum() or c in _INNER else " " for c in folded(tag))
    word = " ".join(plain.split()).strip(" -_.")
    parts = "".join(c if c.isalnum() else " " for c in word).split()
    longest = LONGEST_CHINESE if any(map(is_cjk, word)) else LONGEST
    return word if 0 < len(parts) <= MOST_PARTS and len(word) <= longest else ""


def has_line(text: str) -> bool:
    """Whether this skill has a place for keywords."""
    return _LINE.search(text) is not None


def with_place(text: str, lang: str) -> str:
    """A skill with a place for keywords at the end of its description."""
    found = _DESCRIPTION.search(text)
    if found is None or has_line(text):
        return text
    gap = " " if lang == "en" else ""
    place = f"{gap}{SAYS[lang]}{gap}{_NONE[lang]}"
    return text[: found.end()] + place + text[found.end() :]


def with_keywords(text: str, words: Iterable[str]) -> str:
    """A skill with these keywords in their place; one without a place stays as it is."""
    found = _LINE.search(text)
    if found is None:
        return text
    lang = "en" if found[2] == SAYS["en"] else "zh"
    return text[: found.start(3)] + (", ".join(words) or _NONE[lang]) + text[found.end() :]


FILE = "pins.json"
KEY, VERSION = "pinned", 1
MOST_WORDS = 8
LONGEST_BRIEF = 160
_START, _JOINED, _END = (
    "<!-- RECOLLECT_POINTERS_START -->",
    "<!-- RECOLLECT_POINTERS_START: joined -->",  # the line before it had no end
    "<!-- RECOLLECT_POINTERS_END -->",
)
_BLOCK = Pattern(
    r"^<!-- RECOLLECT_POINTERS_START(: joined)? -->.*?^<!-- RECOLLECT_POINTERS_END -->[ \t]*(?:\r?\n|\Z)",
    re.M | re.S,
)
_MARK = Pattern(r"^<!-- RECOLLECT_POINTERS_(?:START(?:: joined)?|END) -->", re.M)
# `!` before a backtick runs a command, `$` begins a placeholder, `@` takes in a file.
_HARMLESS = {ord(c): f"&#{ord(c)};" for c in "`$@<>[]#"} | {ord("&"): "&amp;"}
_NOTE = {
    "en": "Pointers of Recollect: read the file under Details when a word under When comes up.",
    "zh": "Recollect 的指引：出现 When 中的词时，再读 Details 所指的文件。",
}


class Pointer(NamedTuple):
    """A memory that a person has pinned, in the words that they saw."""

    id: str
    title: str
    brief: str
    when: tuple[str, ...]
    tags: tuple[str, ...]
    date: str = ""


def harmless(text: str, longest: int = 240) -> str:
    """A text of a memory as one line of plain text, safe in a file that is always loaded."""
    line = one_line(text.translate(hidden()), longest)
    return line.translate(_HARMLESS).replace("\\", "&#92;")


def pointer_to(entry: Entry, brief: str, when: Sequence[str], today: str) -> Pointer:
    """The pointer to a memory; by default it tells the summary, its triggers and its tags."""
    endings = (f".{path.rpartition('.')[2]}" for path in entry.files if "." in path)
    words = when or (*entry.trigger, *entry.tags, *endings)
    return Pointer(
        entry.id,
        one_line(entry.title, 80),
        one_line(brief or entry.summary or entry.title, LONGEST_BRIEF),
        tuple(dict.fromkeys(words))[:MOST_WORDS],
        entry.tags[:MOST_WORDS],
        today[:10],
    )


def wanted(pointers: Iterable[Pointer], text: str) -> list[Pointer]:
    """The pointers that have a word under When that comes up in a text."""
    said = set(cue_words(text))
    low = text.casefold()
    found = []
    for one in pointers:
        for word in one.when:
            needed = plain_words(word)
            is_name = not any(map(str.isalnum, word[:1])) and word.casefold() in low  # `.py`
            if is_name or (needed and said.issuperset(needed)):
                found.append(one)
                break
    return found


# -------------------------------------------------------------------------------------- the file


def pointers_in(text: str) -> list[Pointer]:
    """The pointers that `pins.json` has; what in it is none is passed over."""
    return [one for row in rows_in(text, KEY) if (one := _read(row))]


def _read(row: Any) -> Pointer | None:
    if not isinstance(row, dict) or not isinstance(row.get("id"), str):
        return None
    title, brief, date = (str(row.get(key) or "") for key in ("title", "brief", "date"))
    when, tags = (
        tuple(word for word in row.get(key) or () if isinstance(word, str))
        for key in ("when", "tags")
    )
    return Pointer(row["id"], title, brief, when, tags, date)


def with_pointers(text: str, pointers: Sequence[Pointer]) -> str:
    """`pins.json` with these pointers; keys that we do not know stay."""
    return with_rows(text, KEY, [one._asdict() for one in pointers], VERSION)


# ------------------------------------------------------------------------------------- the block


def block_of(pointers: Sequence[Pointer], places: Mapping[str, str], lang: str) -> str:
    """The lines between the marks; `places` has the path of each memory that is still there."""
    lines = [_NOTE[lang], ""]
    for one in pointers:
        if one.id not in places:
            continue
        lines += [f"## {harmless(one.title)}", f"**Brief**: {harmless(one.brief)}"]
        if one.when:
            lines.append(f"**When**: {', '.join(map(harmless, one.when))}")
        lines.append(f"**Details**: {harmless(places[one.id])}")
        if one.tags:
            lines.append(f"**Tags**: {', '.join(map(harmless, one.tags))}")
        lines.append("")
    return "\n".join(lines) if len(lines) > 2 else ""


def is_sound(text: str) -> bool:
    """Whether the marks in a text are none, or one pair in order."""
    return len(_MARK.findall(text)) == 2 * len(_BLOCK.findall(text)) <= 2


def with_block(text: str, block: str) -> str:
    """`text` with the block between our marks, at its end if it has none; no block takes it out."""
    found = _BLOCK.search(text)
    if not block:
        return _without(text, found.start(), found.end(), found[1]) if found else text
    eol = "\r\n" if "\r\n" in (found[0] if found else text) else "\n"
    is_joined = found[1] if found else text and not text.endswith("\n")
    start = _JOINED if is_joined else _START
    lines = eol.join([start, *block.split("\n"), _END]) + eol
    if not found:
        return text + (eol if text else "") + lines
    if not text[found.start() : found.end()].endswith("\n"):
        lines = lines.removesuffix(eol)
    return text[: found.start()] + lines + text[found.end() :]


def _without(text: str, start: int, end: int, joined: str | None) -> str:
    before = text[:start]
    eol = "\r\n" if "\r\n" in text[start:end] else "\n"
    # The line end that was put between the text and the block goes with it.
    if before.endswith(eol if joined else f"\n{eol}") or before == eol:
        before = before.removesuffix(eol)
    return before + text[end:]


# -------------------- Claude Code: where its skills lie, and putting a new one there.


LONGEST_NAME = 64
LARGEST = 1024 * 1024
OWN = {"en": "recollect", "zh": "recollect-zh"}  # the skill of the program itself
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_RESERVED = re.compile(r"anthropic|claude")  # names that the client keeps to itself


def folder_beside(store_root: str) -> str:
    """The folder of the skills of the project, or of the person, that a store belongs to."""
    return os.path.join(os.path.dirname(store_root), "skills")


def is_allowed(name: str) -> bool:
    """Whether the client takes a skill of this name."""
    fits = bool(_NAME.fullmatch(name)) and len(name) <= LONGEST_NAME
    return fits and not _RESERVED.search(name)


def nearest_name(name: str) -> str:
    """The nearest name to this one that the client takes, or nothing."""
    words = re.findall(r"[a-z0-9]+", _RESERVED.sub("", name))
    return "-".join(words)[:LONGEST_NAME].strip("-")


def path_in(folder: str, name: str) -> str:
    """The file of a skill. Raises OutsideStore for a name that is none."""
    if not is_allowed(name):
        raise OutsideStore(name=name)
    return os.path.join(folder, name, "SKILL.md")


def require_free(folder: str, name: str) -> str:
    """The path of a new skill. Raises SkillThere."""
    path = path_in(folder, name)
    if os.path.lexists(path):
        raise SkillThere(path=path, name=name)
    return path


def put(folder: str, name: str, text: str) -> str:
    """Write a new skill; gives its path.

    Raises:
        SkillThere: there is one of this name.
        StorageFailed: the disk refused.
    """
    path = require_free(folder, name)
    disk.make_folder(os.path.dirname(path))
    try:
        disk.create_whole(path, text.encode("utf-8", "replace"))
    except AlreadyThere:
        raise SkillThere(path=path, name=name) from None
    disk.sync_folder(os.path.dirname(path))
    return path


# ------------------------------------------------------------------------------ the program's own


def shipped(lang: str) -> str:
    """The skill in this language that comes with the program. Raises FileNotThere."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    inside = os.path.join("plugin", "recollect", "skills", OWN[lang], "SKILL.md")
    for base in (package, os.path.dirname(os.path.dirname(package))):  # installed, or a work tree
        path = os.path.join(base, inside)
        if os.path.isfile(path):
            return text_at(path)
    raise FileNotThere(path=os.path.join(package, inside), reason="no such file or folder")


def own_in(folder: str) -> Iterator[str]:
    """The files of the program's own skills that are in a folder of skills."""
    for name in OWN.values():
        path = os.path.join(folder, name, "SKILL.md")
        if os.path.lexists(path):
            yield path


def text_at(path: str) -> str:
    """The text of a skill, behind a link too. Raises FileNotThere, NotText."""
    place = os.path.realpath(path)
    try:
        return disk.read_file(place, LARGEST).decode("utf-8")
    except UnicodeDecodeError:
        raise NotText(path=place) from None


def renew(path: str, change: Callable[[str], str]) -> bool:
    """Change the text of a skill that is there; whether that changes a byte.

    Raises:
        FileNotThere, NotText: it cannot be read as text.
        StorageFailed: the disk refused.
    """
    old = text_at(path)
    new = change(old)
    place = os.path.realpath(path)
    mode = stat.S_IMODE(os.stat(place).st_mode)
    if new == old or not mode & stat.S_IWUSR or text_at(path) != old:
        return False  # the next change of the store brings it up to date
    disk.write_whole(place, new.encode(), mode=mode)
    disk.sync_folder(os.path.dirname(place))
    return True


# -------------------- Level 0, the keywords of a store in the description of the skill beside it.


class Skill(NamedTuple):
    """The skill of a store: `created`, `changed`, `unchanged`, or `theirs` if it has no place."""

    scope: str
    path: str
    what: str
    keywords: tuple[str, ...] = ()
    is_other: bool = False  # than the one that comes with this version


def skill_beside(root: str, scope: str, lang: str) -> Skill:
    """The skill that a store would get. Raises Unreadable where a link leads to it."""
    path = path_in(folder_beside(root), OWN[lang])
    if scope == "project":
        require_inside(path, project_above(root))
    return Skill(scope, path, "created")


def put_skill(store: OpenStore, *, dry_run: bool) -> Skill:
    """Put the program's skill beside a store, with its keywords; one that is there keeps its words.

    Raises:
        FileNotThere, NotText: a skill cannot be read.
        Unreadable: it is a link that leads out of the project.
        StorageFailed: the disk refused.
    """
    lang = store.settings.lang
    new = skill_beside(store.files.root, store.scope, lang)
    path, words = new.path, tuple(active_keywords(store.index.entries(Filter())))
    folder = folder_beside(store.files.root)
    ours = with_place(shipped(lang), lang)
    if path not in own_in(folder):
        if not dry_run:
            put(folder, OWN[lang], with_keywords(ours, words))
        return new._replace(keywords=words)
    theirs = text_at(path)
    if not has_line(theirs):
        return new._replace(what="theirs")
    is_other = with_keywords(theirs, ()) != with_keywords(ours, ())
    is_new = with_keywords(theirs, words) != theirs
    if not dry_run:
        renew(path, lambda text: with_keywords(text, words))
    return Skill(store.scope, path, "changed" if is_new else "unchanged", words, is_other)


def renew_keywords(store: OpenStore) -> None:
    """Bring the keywords up to date in the skills beside a store."""
    with store.files.locked():  # of two processes the one that saw less never writes last
        words = active_keywords(store.index.entries(Filter()))
        for path in own_in(folder_beside(store.files.root)):
            if store.scope == "project" and leads_out(path, project_above(store.files.root)):
                continue
            with suppress(RecollectError, OSError):  # one that we may not change stops nothing else
                renew(path, lambda text: with_keywords(text, words))


# -------------------- Claude Code: the block of pointers in its CLAUDE.md.


NAME = "CLAUDE.md"


def path_for(store_root: str, scope: str) -> str:
    """The instructions that are loaded wherever the memories of a store are."""
    beside = os.path.join(os.path.dirname(store_root), NAME)
    if scope == "global":
        return beside
    above = os.path.join(project_above(store_root), NAME)
    return beside if os.path.exists(beside) and not os.path.exists(above) else above


def project_above(store_root: str) -> str:
    """The folder of the project that has a store in it."""
    return os.path.dirname(os.path.dirname(store_root))


def leads_out(path: str, project: str) -> bool:
    """Whether what has this name in a project is a link out of it: a repository may bring one along."""
    top = os.path.realpath(project)
    return not os.path.realpath(path).startswith(f"{top.rstrip('/')}/")


def require_inside(path: str, project: str) -> None:
    """Raise Unreadable for a file of a project that is a link out of it, or is in one."""
    if leads_out(path, project):
        raise Unreadable(path=path, reason="it is a link that leads out of the project")


def put_block(path: str, block: str, *, dry_run: bool = False) -> bool:
    """Put the block between our marks, or take it out; whether that changes anything.

    Raises:
        Unreadable: the marks are not one pair, so that nobody knows what is ours.
        ChangedMeanwhile: somebody wrote the file at the same time.
    """
    old = config_files.text_at(path) or ""
    if not is_sound(old):
        raise Unreadable(path=path, reason="its RECOLLECT_POINTERS marks are not a single pair")
    new = with_block(old, block)
    if new == old or dry_run:
        return new != old
    place = os.path.realpath(path)
    mode = config_files.writable_mode(place, 0o644)  # what everybody who works on a project reads
    if (config_files.text_at(path) or "") != old:
        raise ChangedMeanwhile(path=path)
    if new:
        disk.write_whole(place, new.encode("utf-8", "replace"), mode=mode)
    else:
        disk.remove(place)
    disk.sync_folder(os.path.dirname(place))
    return True
