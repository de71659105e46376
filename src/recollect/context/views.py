"""Render `MEMORY.md`, `facts.json` and `.index.json` from the list of memories, and write them.

The same memories give the same bytes. Memory text cannot break a table row or a mark.
Private memories are left out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress

from recollect._fastimport import NamedTuple, Pattern
from recollect._version import __version__
from recollect.errors import RecollectError
from recollect.model.entries import beside_title
from recollect.model.memory import (
    CATEGORIES,
    LAYERS,
    LEVELS,
    LONGEST_SLUG,
    SESSION_KINDS,
    Entry,
    Filter,
    slug_of,
)
from recollect.model.page_form import RULE_OF
from recollect.store import disk
from recollect.store.disk import stamp_of, stamp_of_text
from recollect.store.store import OpenStore

INDEX_VERSION = "1.0"
# The fields of a row of `.index.json` that are called as ours are, in their order.
_AS_NAMED = (
    "kind tags trigger salience confidence source trust status summary related session created updated"
    " last_accessed tokens"
).split()
MOST_KEYWORDS = 60
LONGEST_CELL = 240
_PLAIN_PATH = Pattern(r"[\w./-]+")
_WORDS = {
    "en": {
        "title": "Active Memory Index",
        "note": "Made by Recollect from the files beside it; changes here are lost. "
        "Edit the memories themselves, then run `recollect rebuild-index`.",
        "table": "Index Table",
        "head": "| Memory ID | Topic | Type | Keywords | Date |",
        "none": "| (No active memories) | - | - | - | - |",
        "keywords": "Keywords Summary",
        "no_keywords": "(No valid keywords yet)",
        "more": "Older memories that are not listed: {n}; `recollect list` shows all.",
    },
    "zh": {
        "title": "活跃记忆索引",
        "note": "由 Recollect 根据同目录的文件生成；在此处的修改会丢失。请修改记忆文件本身，"
        "然后运行 `recollect rebuild-index`。",
        "table": "索引表",
        "head": "| 记忆ID | 主题 | 类型 | 关键词 | 时间 |",
        "none": "| （暂无活跃记忆） | - | - | - | - |",
        "keywords": "关键词汇总",
        "no_keywords": "（暂无有效关键词）",
        "more": "另有 {n} 条较早的记忆未列出；`recollect list` 显示全部。",
    },
}
_HTML = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_CELL = str.maketrans(_HTML | {char: "\\" + char for char in "\\|`[]*_"})


def cell(text: str) -> str:
    """`text` as one cell of a Markdown table, cut where it is very long."""
    text = text[:LONGEST_CELL]
    if not text.isprintable():
        text = "".join(c if c.isprintable() else " " for c in text)
    line = " ".join(text.split()).translate(_CELL)
    return f"\\{line}" if line.startswith(("-", "+", "#")) else line or "-"


def index_page(entries: Sequence[Entry], lang: str, most_rows: int) -> str:
    """MEMORY.md: the table of what there is, by layer (level 1), and the keywords (level 0)."""
    say = _WORDS[lang]
    shown = listed(entries)
    by_layer = sorted(shown[:most_rows], key=lambda e: LAYERS.index(e.layer))
    rows = [_row(entry) for entry in by_layer] or [say["none"]]
    lines = [f"# {say['title']}", "", f"> {say['note']}", "", f"## {say['table']}", ""]
    lines += ["<!-- INDEX_START -->", say["head"], "|---|---|---|---|---|", *rows]
    lines += ["<!-- INDEX_END -->", ""]
    if len(shown) > most_rows:
        lines += [say["more"].format(n=len(shown) - most_rows), ""]
    words = ", ".join(cell(word) for word in keywords(_named(shown))[:MOST_KEYWORDS])
    lines += [f"## {say['keywords']}", "", "<!-- KEYWORDS_START -->", words or say["no_keywords"]]
    return "\n".join([*lines, "<!-- KEYWORDS_END -->", ""])


def listed(entries: Sequence[Entry]) -> list[Entry]:
    """What belongs into a view: nothing private, cold or obsolete; newest first."""
    fit = (e for e in entries if not e.private and not e.archived and e.status != "superseded")
    return sorted(fit, key=lambda e: (e.created[:10], e.updated, e.id), reverse=True)


def keywords(entries: Sequence[Entry]) -> list[str]:
    """The tags of these memories, each once, in their order."""
    found: dict[str, str] = {}
    for entry in entries:
        for tag in entry.tags:
            found.setdefault(tag.casefold(), tag)
    return list(found.values())


def _named(entries: Iterable[Entry]) -> list[Entry]:
    """These memories, those of sessions without everyday words of their titles among their tags."""
    from recollect.search.relevance import is_everyday

    return [
        entry._replace(
            tags=tuple(
                tag
                for tag in entry.tags
                if not (is_everyday(tag) and tag in entry.title.casefold())
            )
        )
        if entry.kind in SESSION_KINDS
        else entry
        for entry in entries
    ]


def _row(entry: Entry) -> str:
    address = entry.path
    if not _PLAIN_PATH.fullmatch(address):
        from urllib.parse import quote

        address = quote(address, errors="surrogateescape")
    link = f"[{cell(entry.id)}]({address})"
    words = cell(", ".join(entry.tags))
    title = entry.title + (RULE_OF["external"][0] if entry.trust == "external" else "")
    return f"| {link} | {cell(title)} | {entry.layer} | {words} | {entry.created[:10] or '-'} |"


def index_json(entries: Sequence[Entry]) -> str:
    """.index.json: every memory with its fields, in the order of seed 004."""
    shown = sorted(
        listed(entries),
        key=lambda e: (-LEVELS.index(e.salience), LAYERS.index(e.layer), e.path),
    )
    newest = max((e.updated or e.created for e in shown), default="")
    rows = [_json_row(entry) for entry in shown]
    head = json.dumps({"version": INDEX_VERSION, "generated": newest}, ensure_ascii=False)
    # A line for each memory: what changed is what a diff shows.
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    text = f'{head[:-1]}, "entries": [\n{lines}\n]}}\n'
    return text.encode("utf-8", "replace").decode()  # bytes that are no UTF-8 are no JSON


def _json_row(entry: Entry) -> dict[str, object]:
    row: dict[str, object] = {
        "id": entry.id,
        "path": entry.path,
        "filename": entry.path.rsplit("/", 1)[-1],
        "title": entry.title,
        "type": entry.layer,
    }
    row |= {name: getattr(entry, name) for name in _AS_NAMED}
    return row | ({"decay_after": entry.decay_after} if entry.decay_after else {})


# -------------------- `facts.json`, in the shape that seed 003 gave it, and the numbers of facts.


KINDS = tuple(CATEGORIES)
LETTERS = {"decision": "d", "pattern": "p", "issue": "i"}
LONGEST_REASON = 2000
MOST_CONCEPTS = 10
_NUMBER = Pattern(r"([dpi])(\d{3,9})(?![^\W_])")


def is_fact(entry: Entry) -> bool:
    """Whether this memory is a decision, a pattern or an issue; core files are what they are."""
    return entry.kind in KINDS and "core/" not in entry.path


def numbered_id(kind: str, number: int, content: str) -> str:
    """The id of a new fact: its number, and what it says as far as a name can."""
    return f"{LETTERS[kind]}{number:03d}-{slug_of(content)}"[:LONGEST_SLUG].rstrip("-")


def number_of(memory_id: str) -> str:
    """The number that an id begins with, or nothing."""
    found = _NUMBER.match(memory_id)
    return found[0] if found else ""


def highest_numbers(memory_ids: Iterable[str]) -> dict[str, int]:
    """The highest number that these ids have, by its letter."""
    highest = dict.fromkeys(LETTERS.values(), 0)
    for memory_id in memory_ids:
        found = _NUMBER.match(memory_id)
        if found:
            highest[found[1]] = max(highest[found[1]], int(found[2]))
    return highest


def numbered(entries: Iterable[Entry]) -> list[tuple[str, Entry]]:
    """`(number, fact)` for the facts among these memories, in the order of their numbers.

    Where two have one number, as after a merge, the older keeps it; the other one, and a fact
    without a number, stands under its own id, behind all others.
    """
    facts = sorted(filter(is_fact, entries), key=lambda e: (e.created, e.id, e.path))
    taken: set[str] = set()
    found: list[tuple[str, Entry]] = []
    for entry in facts:
        number = number_of(entry.id)
        found.append((entry.id if number in taken else number or entry.id, entry))
        taken.add(number)

    def place(pair: tuple[str, Entry]) -> tuple[int, str, str]:
        shown, entry = pair
        known = _NUMBER.fullmatch(shown)
        return (int(known[2]), shown, "") if known else (10**10, entry.created, shown)

    return sorted(found, key=place)


class Summary(NamedTuple):
    """How many facts there are, and what most of them are about."""

    decisions: int
    patterns: int
    issues: int
    open: int
    concepts: list[str]


def summary_of(entries: Iterable[Entry]) -> Summary:
    """The facts among these memories in a few numbers."""
    facts = [entry for entry in entries if is_fact(entry)]
    kinds = [entry.kind for entry in facts]
    unresolved = sum(e.kind == "issue" and e.status != "resolved" for e in facts)
    about = _concepts([(entry.id, entry) for entry in facts])
    ranked = sorted(about, key=lambda concept: (-len(about[concept]), concept))
    decisions, patterns, issues = map(kinds.count, KINDS)
    return Summary(decisions, patterns, issues, unresolved, ranked[:MOST_CONCEPTS])


def reason_line(reason: str) -> str:
    """A reason as the view has it: one line, cut where it is very long."""
    line = " ".join(reason.split())
    return line if len(line) <= LONGEST_REASON else line[: LONGEST_REASON - 1] + "…"


def facts_json(entries: Sequence[Entry], reasons: Mapping[str, str]) -> str:
    """facts.json: decisions, patterns, issues, and which of them each concept is about.

    `reasons` are the texts of decisions, by the id of the memory.
    """
    shown = numbered(listed(entries))
    saved = max((e.updated or e.created for _, e in shown), default="")
    parts = [f'"_meta": {_json({"counter": 0, "lastSave": saved or None})}']
    for kind in KINDS:
        facts = ((number, entry) for number, entry in shown if entry.kind == kind)
        rows = [_json(_factsview_row(n, one, reasons.get(one.id, ""))) for n, one in facts]
        parts.append(f'"{kind}s": [{_lines(rows)}]')
    about = [f"{_json(concept)}: {_json(ids)}" for concept, ids in _concepts(shown).items()]
    parts.append(f'"concepts": {{{_lines(about)}}}')
    text = "{\n  " + ",\n  ".join(parts) + "\n}\n"
    return text.encode("utf-8", "replace").decode()  # bytes that are no UTF-8 are no JSON


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _lines(items: Sequence[str]) -> str:
    """A line for each item: what changed is what a diff shows."""
    return "\n    " + ",\n    ".join(items) + "\n  " if items else ""


def _factsview_row(number: str, entry: Entry, reason: str) -> dict[str, object]:
    category = entry.category if entry.category in CATEGORIES[entry.kind] else "other"
    row: dict[str, object] = {
        "id": number,
        "type": category,
        "date": (entry.created or entry.updated)[:10],
        "content": entry.title,
    }
    if entry.kind == "decision":
        row["reason"] = reason_line(reason)
    elif entry.kind == "issue":
        row["status"] = "resolved" if entry.status == "resolved" else "open"
    if entry.files:
        row["files"] = list(entry.files)
    if entry.concepts:
        row["concepts"] = list(entry.concepts)
    if entry.trust == "external":  # who reads the file has read the page
        row["trust"] = entry.trust
    return row


def _concepts(shown: Sequence[tuple[str, Entry]]) -> dict[str, list[str]]:
    """The numbers of the facts about each concept, under its first spelling."""
    spelt: dict[str, str] = {}
    found: dict[str, list[str]] = {}
    for number, entry in shown:
        for concept in entry.concepts:
            here = found.setdefault(spelt.setdefault(concept.casefold(), concept), [])
            if number not in here:
                here.append(number)
    return found


# -------------------- The views of a store, written where they changed.


INDEX_PAGE = "MEMORY.md"
INDEX_JSON = ".index.json"
FACTS_JSON = "facts.json"
ASKED_AT_ONCE = 100


class LastFacts:
    """How `facts.json` was last written on this machine, in the cache: an edit shows against it.

    Beside it is the state that all views were made from then.
    """

    def __init__(self, cache: str) -> None:
        """`cache` is the cache folder of the store; nothing is read yet."""
        self._path, self._state_path = f"{cache}/facts.json", f"{cache}/views"

    def text(self) -> str:
        """Its text; nothing where it is not known."""
        return _cached_text(self._path)

    def is_ours(self, text: str) -> bool:
        """Whether this is what we were about to write when a process ended."""
        return _cached_text(f"{self._path}.next") == stamp_of_text(text)

    def begin(self, text: str) -> None:
        """Note that this is about to be written."""
        if text != self.text():
            _write_cache(f"{self._path}.next", stamp_of_text(text))

    def end(self, text: str) -> None:
        """Note that this is written, or settled."""
        if text != self.text():
            _write_cache(self._path, text)

    def state(self) -> str:
        """What `keep_state` was told last, by this version."""
        version, _, state = _cached_text(self._state_path).partition(" ")
        return state if version == __version__ else ""

    def keep_state(self, state: str) -> None:
        """Note the state that all views were made from, and how they look."""
        _write_cache(self._state_path, f"{__version__} {state}")


def _cached_text(path: str) -> str:
    with suppress(RecollectError):
        return disk.read_file(path).decode("utf-8", "replace")
    return ""


def _write_cache(path: str, text: str) -> None:
    disk.write_whole(path, text.encode("utf-8", "replace"), durable=False)


HasEdits = Callable[[str, str, str], bool]


class Published(NamedTuple):
    """The names of the views that were written, and the memories they are of."""

    written: list[str]
    entries: list[Entry]
    is_held: bool = False  # whether `facts.json` was left alone, as somebody has edited it


def publish_views(
    store: OpenStore, last: LastFacts | None = None, has_edits: HasEdits = lambda *_: False
) -> Published:
    """Write the views whose bytes changed; with `last`, `facts.json` only if nobody edited it since.

    `has_edits` says of the text, of what was last written and of what should be written now whether
    a person's edit would be lost.

    Under the lock, so that of two processes the one that saw less never writes last.
    """
    with store.files.locked():
        entries = store.index.entries(Filter())
        made_of = _made_of(store, entries)
        there = map(store.files.stamp, (INDEX_PAGE, INDEX_JSON, FACTS_JSON))
        if last and last.state() == _state(made_of, there) and last.text() == facts_text(store):
            return Published([], entries)
        pages = pages_of(store, entries)
        facts = pages[FACTS_JSON]
        is_held = last is not None and _is_held(store, last, facts, has_edits)
        if is_held:
            del pages[FACTS_JSON]
        elif last:
            last.begin(facts)
        written = store.write_views(pages)
        if last and not is_held:
            last.end(facts)
            last.keep_state(_state(made_of, map(stamp_of_text, pages.values())))
        return Published(written, entries, is_held)


def _made_of(store: OpenStore, entries: Iterable[Entry]) -> str:
    """The stamp of all that the views are made from."""
    chosen, files = store.settings, [(entry.stamp, entry.path, entry.id) for entry in entries]
    of = chosen.lang, chosen.view_rows, files
    return stamp_of(repr(of).encode("utf-8", "backslashreplace"))


def _state(made_of: str, stamps: Iterable[str | None]) -> str:
    return " ".join([made_of, *map(str, stamps)])


def _is_held(store: OpenStore, last: LastFacts, now: str, has_edits: HasEdits) -> bool:
    text, base = facts_text(store), last.text()
    return text not in ("", now, base) and not last.is_ours(text) and has_edits(text, base, now)


def facts_text(store: OpenStore) -> str:
    """`facts.json` as it stands there; nothing where it cannot be read."""
    try:
        return store.files.read(FACTS_JSON).text
    except RecollectError:
        return ""


def pages_of(store: OpenStore, entries: Sequence[Entry] | None = None) -> dict[str, str]:
    """The views as they should be now, by name; `entries` are the memories, if at hand."""
    entries = store.index.entries(Filter()) if entries is None else entries
    return {
        INDEX_PAGE: index_page(entries, store.settings.lang, store.settings.view_rows),
        INDEX_JSON: index_json(entries),
        FACTS_JSON: facts_page(store, entries),
    }


def facts_page(store: OpenStore, entries: Sequence[Entry]) -> str:
    """`facts.json` as it should be now, of these memories."""
    return facts_json(entries, _reasons(store, entries))


def _reasons(store: OpenStore, entries: Iterable[Entry]) -> dict[str, str]:
    """What the decisions among these memories say below their titles, by id."""
    ids = [entry.id for entry in entries if entry.kind == "decision"]
    found: dict[str, str] = {}
    for start in range(0, len(ids), ASKED_AT_ONCE):
        heads = store.index.by_ids(ids[start : start + ASKED_AT_ONCE])
        for head in heads:
            reason = beside_title(head.text, head.title)
            found[head.id] = reason_line(reason)  # never the whole texts of all
    return found
