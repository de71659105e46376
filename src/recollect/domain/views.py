"""Views: files made from the list of memories, for people and for other tools.

Promises: pure; the same memories give the same bytes; whatever a memory says, a row stays a row
and a marker a marker; private memories are in no view.
Touches: nothing.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from recollect.domain.model import LAYERS, LEVELS, Entry
from recollect.domain.pattern import Pattern

INDEX_VERSION = "1.0"
MOST_KEYWORDS = 60
LONGEST_CELL = 240
_PLAIN_PATH = Pattern(r"[A-Za-z0-9_./-]+")
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
        "more": "{n} older memories are not listed; `recollect list` shows them all.",
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
_CELL = str.maketrans(_HTML | {char: "\\" + char for char in "\\|`[]*_#"})


def cell(text: str) -> str:
    """`text` as one cell of a Markdown table, cut where it is very long."""
    text = text[:LONGEST_CELL]
    if not text.isprintable():
        text = "".join(c if c.isprintable() else " " for c in text)
    line = " ".join(text.split()).translate(_CELL)
    return f"\\{line}" if line.startswith(("-", "+")) else line or "-"


def index_page(entries: Sequence[Entry], lang: str, most_rows: int) -> str:
    """MEMORY.md: the table of what there is (level 1) and the keywords (level 0)."""
    say = _WORDS[lang]
    shown = listed(entries)
    rows = [_row(entry) for entry in shown[:most_rows]] or [say["none"]]
    lines = [f"# {say['title']}", "", f"> {say['note']}", "", f"## {say['table']}", ""]
    lines += [
        "<!-- INDEX_START -->",
        say["head"],
        "|---|---|---|---|---|",
        *rows,
        "<!-- INDEX_END -->",
        "",
    ]
    if len(shown) > most_rows:
        lines += [say["more"].format(n=len(shown) - most_rows), ""]
    words = ", ".join(cell(word) for word in keywords(shown)[:MOST_KEYWORDS])
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


def _row(entry: Entry) -> str:
    link = f"[{cell(entry.id)}]({_address(entry.path)})"
    words = cell(", ".join(entry.tags))
    return (
        f"| {link} | {cell(entry.title)} | {entry.layer} | {words} | {entry.created[:10] or '-'} |"
    )


def _address(path: str) -> str:
    if _PLAIN_PATH.fullmatch(path):
        return path
    from urllib.parse import quote

    return quote(path, errors="surrogateescape")


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
        "kind": entry.kind,
        "tags": list(entry.tags),
        "trigger": list(entry.trigger),
        "salience": entry.salience,
        "confidence": entry.confidence,
        "source": entry.source,
        "trust": entry.trust,
        "status": entry.status,
        "summary": entry.summary,
        "related": list(entry.related),
        "project": entry.project,
        "session": entry.session,
        "created": entry.created,
        "updated": entry.updated,
        "last_accessed": entry.last_accessed,
        "tokens": entry.tokens,
    }
    if entry.decay_after:
        row["decay_after"] = entry.decay_after
    return row
