"""The pages of a store, entry by entry, as a reader sees them.

Promises: reads the Markdown directly, in old and new forms (block ids, footnotes), so that the
product does not grade itself.
Touches: a store (read only).
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

# Items under these headings of a session's page are statements; other sections describe the session.
STATING = frozenset(
    "decisions decision decided patterns pattern conventions rules learned answers corrections"
    " preferences 决定 决策 模式 约定 规范 规则 学到 答复 纠正 偏好".split()
)
STATING_LONG = ("key decisions", "important conclusions", "关键决策", "重要结论", "decided and why")
SOLVED = re.compile(r"^(?:solutions?|解决方案)\s*(?:[:：]|$)", re.I)
VIEWS = ("MEMORY.md",)
KINDS = {"semantic": "fact", "procedural": "rule", "reference": "pointer", "core": "fact"}
CORE = "core/"  # written by a person, or generated; nothing there was learned
BY = {"instructed": "person", "inferred": "agent", "observed": "tool", "referenced": "outside",
      "user": "person", "agent": "agent", "tool": "tool", "external": "outside"}  # fmt: skip
_COMMENT = re.compile(r"<!--(.*?)(?:-->|\Z)", re.S)
_BLOCK_ID = re.compile(r"(?<=\s)\^[a-z0-9]{3,12}(?=\s|$)")
_NOTE_MARK = re.compile(r"\s?\[\^([^\]\s]+)\](?!:)")
_NOTE = re.compile(r"^\[\^([^\]\s]+)\]:\s*(.*)$", re.M)
_BULLET = re.compile(r"^(\s*)(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(.*)$")
_DETAIL = re.compile(r"^(files|concepts|source|reason|status|来源|文件|概念)\s*[:：]\s*(.*)$", re.I)
_CATEGORY = re.compile(r"^\[[^\]]{1,30}\]\s+")
_HEADING = re.compile(r"^# +(.+)$", re.M)
_FIELD = re.compile(r"^([A-Za-z][\w-]*):[ \t]*(.*)$", re.M)


class Item(NamedTuple):
    """A statement, a solution, or a session's title."""

    measure: str  # statements, solutions, facts, titles, lines
    kind: str  # decision, rule, fact …
    by: str  # person, agent, tool or outside; empty if the page does not say
    session: str  # where it was learned, if the page says so
    text: str
    page: str


class Page(NamedTuple):
    """A page and the fields of its front matter."""

    path: str
    fields: dict[str, str]
    body: str
    size: int
    readable: int

    @property
    def is_session(self) -> bool:
        """Whether it is the memory of one session."""
        return self.fields.get("kind") in ("session", "conversation") or "episodic/" in self.path


def pages_of(store: str) -> Iterator[Page]:
    """The pages of a store with its archive, without views and raw conversations."""
    for folder, folders, names in os.walk(store):
        folders.sort()
        within = os.path.relpath(folder, store)
        if within.split(os.sep)[0] in ("sessions", "journal"):
            continue
        for name in sorted(names):
            if name.endswith(".md") and name not in (*VIEWS, "conversation.md"):
                with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
                    yield page_of(os.path.normpath(os.path.join(within, name)), file.read())


def page_of(path: str, text: str) -> Page:
    """Parse a page."""
    fields: dict[str, str] = {}
    body = text
    if text.startswith("---\n") and (end := text.find("\n---\n", 3)) >= 0:
        fields = {key: value.strip() for key, value in _FIELD.findall(text[4 : end + 1])}
        body = text[end + 5 :]
    if found := _HEADING.search(body):
        fields.setdefault("title", found[1].strip())
    said = "" if found and fields["title"] == found[1].strip() else fields.get("title", "")
    return Page(path, fields, body, len(text), len(said) + readable(body))


def readable(body: str) -> int:
    """How many characters of a body are text for people: no comments, ids or footnote marks."""
    return len(_NOTE_MARK.sub("", _BLOCK_ID.sub("", _COMMENT.sub("", body))))


def items_of(page: Page) -> Iterator[Item]:
    """The items on a page."""
    notes = dict(_NOTE.findall(page.body))
    body = _NOTE.sub("", page.body)
    if page.is_session:
        title = page.fields.get("title", "")
        yield Item("titles", "title", "", page.fields.get("session", ""), title, page.path)
    for heading, text in _sections("" if page.path.startswith(CORE) else body):
        if page.is_session:
            yield from _of_session(page, heading, text, notes)
        else:
            yield from _of_page(page, heading, text, notes)


def _sections(body: str) -> Iterator[tuple[str, str]]:
    parts = re.split(r"^##[ \t]+(.*)$", body, flags=re.M)
    yield "", re.sub(r"\A\s*#[ \t].*", "", parts[0])
    yield from ((h.strip(), t) for h, t in zip(parts[1::2], parts[2::2], strict=True))


def _of_session(page: Page, heading: str, text: str, notes: dict[str, str]) -> Iterator[Item]:
    plain = heading.casefold()
    stating = plain in STATING or plain.startswith(STATING_LONG)
    otherwise = "" if stating else BY.get(page.fields.get("trust", ""), "")
    for said, by, _, session in _listed(text, notes):
        yield Item(
            "statements" if stating else "lines",
            plain or "head",
            by or otherwise,
            session or page.fields.get("session", ""),
            said,
            page.path,
        )


def _of_page(page: Page, heading: str, text: str, notes: dict[str, str]) -> Iterator[Item]:
    folder, _, rest = page.path.removeprefix("archive/").partition("/")
    kind = page.fields.get("kind", "") or KINDS.get(folder, folder)
    if "/" in rest:  # semantic/decisions/…
        kind = page.fields.get("kind", "") or rest.partition("/")[0].removesuffix("s")
    if SOLVED.match(heading) or (kind == "solution" and heading):
        by, session = _origin(" ".join(_COMMENT.findall(text)), notes, text)
        yield Item("solutions", "solution", by, session, _plain(f"{heading}\n{text}"), page.path)
        return
    listed = list(_listed(text, notes))
    if not listed:
        said = _plain(text)
        if not said and not heading:
            return
        by, session = _origin(" ".join(_COMMENT.findall(text)), notes, text)
        listed = [
            (f"{heading}: {said}" if heading and said else heading or said, by, kind, session)
        ]
    own = BY.get(page.fields.get("source", ""), "")
    for said, by, _, session in listed:
        if said:
            yield Item("facts", kind, by or own, session, said, page.path)


def _listed(text: str, notes: dict[str, str]) -> Iterator[tuple[str, str, str, str]]:
    """`(text, by, kind, session)` of each list item in a section."""
    rows: list[list[str]] = []
    for line in text.splitlines():
        found = _BULLET.match(line)
        if found and not found[1]:
            rows.append([found[2]])
        elif rows and line.strip() and line[:1].isspace():
            rows[-1].append(found[2] if found else line.strip())
        elif not line.strip():
            continue
        elif rows and not line.startswith("<!--"):
            rows.append([line])  # a paragraph between lists
    for row in rows:
        details = {m[1].casefold(): m[2] for part in row[1:] if (m := _DETAIL.match(part))}
        whole = "\n".join(part for part in row if not _DETAIL.match(part))
        by, session = _origin(" ".join(_COMMENT.findall(whole)), notes, whole)
        by = BY.get(details.get("source", ""), by)
        said = _CATEGORY.sub("", _plain(whole))
        if said:
            yield said, by, "", session


def _origin(comment: str, notes: dict[str, str], text: str) -> tuple[str, str]:
    """`(by, session)` from a comment or a footnote."""
    told = dict(re.findall(r"\b(source|trust|session|from):\s*([^;\s]+)", comment))
    by = BY.get(told.get("source", ""), "") or BY.get(told.get("trust", ""), "")
    for mark in _NOTE_MARK.findall(text):
        note = notes.get(mark, "")
        if re.search(r"by the person|by a person|用户|本人", note):
            by = by or "person"
        elif re.search(r"by the agent|智能体|代理", note):
            by = by or "agent"
        elif re.search(r"\bran\b|observed|tool|工具|观察", note):
            by = by or "tool"
    return by, told.get("session", "") or told.get("from", "")


def _plain(text: str) -> str:
    text = _NOTE_MARK.sub("", _BLOCK_ID.sub("", _COMMENT.sub("", text)))
    return "\n".join(line.rstrip() for line in text.strip().splitlines() if line.strip())


# --------------------------------------------------------------------------------- compared

_WORD = re.compile(r"[a-z0-9_]+|[\u4e00-\u9fff]+")
_STOP = frozenset(
    "a an and are as at be by can do does for from has have in is it its no not of on or so that the"
    " then there this to too use used uses was we were will with you your i s t".split()
)


def words_of(text: str) -> frozenset[str]:
    """The words to compare texts by; for Chinese, pairs of characters."""
    found: set[str] = set()
    for run in _WORD.findall(re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", text).casefold()):
        if run[0] >= "\u4e00":
            found.update(run[n : n + 2] for n in range(max(1, len(run) - 1)))
        elif run not in _STOP:
            found.update(_stem(part) for part in run.split("_") if part)
    return frozenset(found)


def _stem(word: str) -> str:
    for end in ("ing", "ed", "es", "s"):
        if word.endswith(end) and len(word) - len(end) >= 3:
            return word[: -len(end)]
    return word


def covered(wanted: frozenset[str], text: frozenset[str]) -> float:
    """The share of the wanted words found in a text."""
    return len(wanted & text) / len(wanted) if wanted else 0.0


def duplicates(texts: Iterable[str], near: float = 0.8) -> tuple[int, int]:
    """`(exact, near)`: how many texts repeat an earlier one."""
    known: list[frozenset[str]] = []
    holders: dict[str, list[int]] = {}
    same = alike = 0
    for words in map(words_of, texts):
        shared = Counter(n for word in words for n in holders.get(word, ()))
        best = max((count / len(words | known[n]) for n, count in shared.items()), default=0.0)
        same += best == 1
        alike += near <= best < 1
        for word in words:
            holders.setdefault(word, []).append(len(known))
        known.append(words)
    return same, alike
