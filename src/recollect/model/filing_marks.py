"""Marks in a session's memory: statements that were filed on a page, or that wait for a person.

Pure. A filed statement is told from its page only: whatever a person changes, replaces or forgets
there must not come back in the words of the session, which keeps it as a record. A statement that
contradicts another one waits, and is told nowhere, until the person rules.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from recollect._fastimport import NamedTuple, Pattern
from recollect.model.claim_key import statement_key
from recollect.text.sentences import outside_fences, split_sentences

OPEN, FILED, WAITS = "open", "filed", "waits"
_MARK = Pattern(r"[ \t]*<!-- (filed|waits)(?:: [^<>]*)? -->(?=[ \t]*\r?$)")
_ITEM = Pattern(r"(?:[-*+•]|\d{1,9}[.)])[ \t]+\S")
_ASKED = Pattern(r"- (?:Asked|请求)[:：] ?(.+)")
_LABEL = Pattern(r"^(?:[-*+•]|\d{1,9}[.)])[ \t]+(?:\[[^\]]*\] |(?:Asked|请求)[:：] ?)?")

# What makes the opposite of the words behind it, in a key. `No, use npm` and 不，用 npm do not.
_NEGATED = Pattern(
    r"(?<!\bwhy )\b(?:not|never|avoid|stop)(?: ever)?$"
    r"|(?:别|勿|禁 止|不 (?:要|能|得|准|许|再|可|可 以|应|应 该))(?: 再)?$"
)


class ListItem(NamedTuple):
    """An item of a list: its lines, from `start` to before `end`, and what its mark says."""

    heading: str
    start: int
    end: int
    stage: str


def stage_of(line: str) -> str:
    """What the mark at the end of a line says; `open` without one."""
    found = _MARK.search(line) if "<!-- " in line else None
    return found[1] if found else OPEN


def without_mark(line: str) -> str:
    """A line without its mark."""
    return _MARK.sub("", line) if "<!-- " in line else line


def marked(line: str, stage: str, page: str = "") -> str:
    """A line with this mark in place of the one it has; `page` is where the statement is filed."""
    plain = without_mark(line)
    if stage == OPEN:
        return plain
    end = "\r" if plain.endswith("\r") else ""
    where = f": {page}" if page and stage == FILED else ""
    return f"{plain.rstrip()} <!-- {stage}{where} -->{end}"


def list_items(lines: list[str]) -> Iterator[ListItem]:
    """The items of all lists that are not indented, each with its lines."""
    heading = ""
    start = -1
    for n, line in outside_fences(lines):
        is_item = bool(_ITEM.match(line))
        if start >= 0 and (is_item or line.startswith("#") or not line.strip()):
            yield ListItem(heading, start, n, stage_of(lines[start]))
            start = -1
        if line.startswith("## "):
            heading = line[3:].strip()
        start = n if is_item else start
    if start >= 0:
        yield ListItem(heading, start, len(lines), stage_of(lines[start]))


def is_marked(body: str) -> bool:
    """Whether any statement may have a mark."""
    return "<!-- filed" in body or "<!-- waits" in body


def without_marked(body: str) -> str:
    """A body without the items that are marked, and without the headings that only they had."""
    if not is_marked(body):
        return body
    lines = body.split("\n")
    return _without(lines, (one for one in list_items(lines) if one.stage != OPEN))


def requests_for(lines: list[str], said: Collection[str]) -> Iterator[tuple[int, str]]:
    """The lines that tell in a summary that one of these statements was said, with its key."""
    for one in list_items(lines):
        found = _ASKED.match(without_mark(lines[one.start]))
        if found and (key := statement_key(found[1])) in said:
            yield one.start, key


def without_statement(body: str, said: str) -> str:
    """A session's body without a statement, and without the sentences of requests that say it."""
    lines, key = body.split("\n"), statement_key(said)
    gone = []
    for one in list_items(lines):
        line = without_mark(lines[one.start])
        mark = lines[one.start][len(line) :]
        label = _LABEL.match(line)
        start = label.end() if label else 0
        left = without_sentence(line[start:], key)
        if left == line[start:]:
            continue
        if not left.strip():
            gone.append(one)
        else:
            lines[one.start] = f"{line[:start]}{left}{mark}"
    return _without(lines, gone)


def without_sentence(text: str, key: str) -> str:
    """A text, line by line, without the sentences that say the statement of this key."""
    lines = text.split("\n")
    for n, line in enumerate(lines):
        if says(line, key):
            for one in _saying(split_sentences(line), key):
                before, _, after = line.partition(one)
                line = f"{before}{after.lstrip()}".rstrip()  # noqa: PLW2901
            lines[n] = line
    return "\n".join(lines)


def _saying(sentences: list[str], key: str) -> list[str]:
    """The sentences that say a statement, or the shortest run of sentences that says it."""
    if found := [one for one in sentences if says(one, key)]:
        return found
    while says(" ".join(sentences[1:]), key):
        sentences = sentences[1:]
    while says(" ".join(sentences[:-1]), key):
        sentences = sentences[:-1]
    return sentences


def says(text: str, key: str) -> bool:
    """Whether a text has the words of a statement in sequence, not negated.

    The key of the statement comes from `statement_key`.
    """
    before, found, after = f" {statement_key(text)} ".partition(f" {key} ")
    while key and found:
        if not _NEGATED.search(before):
            return True
        before, found, after = f" {after}".partition(f" {key} ")
    return False


def _without(lines: list[str], items: Iterable[ListItem]) -> str:
    gone = {n for one in items for n in range(one.start, one.end)}
    starts = [n for n, line in enumerate(lines) if line.startswith("## ") and n not in gone]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        inside = range(start + 1, end)
        if not gone.isdisjoint(inside) and all(n in gone or not lines[n].strip() for n in inside):
            gone.update(range(start, end))
    return "\n".join(line for n, line in enumerate(lines) if n not in gone)


def with_marks_of(body: str, other: str) -> str:
    """`body` with the marks that the same lines have in `other`."""
    if not is_marked(other):
        return body
    marks = {without_mark(line): line for line in other.split("\n") if stage_of(line) != OPEN}
    return "\n".join(marks.get(line, line) for line in body.split("\n"))


def without_marks(body: str) -> str:
    """`body` without any mark."""
    return "\n".join(map(without_mark, body.split("\n"))) if is_marked(body) else body


def with_marks_undone(now: str, before: str, after: str) -> str:
    """`now` with the marks that came between two texts as they were before."""
    was: Mapping[str, str] = {without_mark(line): line for line in before.split("\n")}
    came = {
        line: old
        for line in after.split("\n")
        if (old := was.get(without_mark(line), line)) != line
    }
    return "\n".join(came.get(line, line) for line in now.split("\n"))
