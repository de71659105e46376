"""Apply an action to the text of a file, changing no other line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby, islice

from recollect.consolidate.actions import (
    AGAIN,
    SECTION,
    AddClaim,
    AdjustFields,
    CreateFile,
    MarkFiled,
    NoteOldRule,
    RefreshDate,
    Replace,
    Retire,
    retitled,
    texts_of,
    titles_of,
    with_section_replaced,
    with_title_updated,
)
from recollect.consolidate.claims import is_claim, marked_claims, statements_of
from recollect.model import document, filing_marks
from recollect.model.claim_key import claim_key, statement_key
from recollect.model.document import BodyPart, layer_defaults, parts_of
from recollect.model.footnotes import mark_of
from recollect.model.page_form import LIST_HEADINGS, NOTED
from recollect.text.sentences import split_sentences
from recollect.text.tokens import is_cjk

Change = AddClaim | RefreshDate | Replace | NoteOldRule | Retire | AdjustFields

_ITEM_BEFORE = re.compile(r"(?:^|\n)([ \t]*(?:>[ \t]?)*(?:[-*+•]|\d{1,9}[.)])[ \t]+)$")
_MARK_BEHIND = re.compile(r"(?P<id>[ \t]*<!-- \^[a-z2-9]+ -->)?(?:[ \t]*<!-- from: [^<>]*-->)+")
_ITEM_LINE = re.compile(r"[ \t]*[-*+•][ \t]")
_TITLE_LINE = re.compile(r"(?:[ \t]*(?:>[ \t]?)+)? {0,3}#{1,6}[ \t]")
MOST_PLACES = 50


def new_file_text(action: CreateFile) -> str:
    """The text of a new file."""
    fields: dict[str, str | list[str]] = {
        **layer_defaults(action.layer),
        "id": action.id,
        "title": action.title,
        "type": action.layer,
        "kind": action.kind,
        "tags": list(action.tags),
        "trust": action.mark.trust,
    }  # it is as old as the statements that it is made for
    if action.mark.trust != "user":
        fields["confidence"] = "medium"
    if action.kind == "fact":
        fields["source"] = action.mark.source
    return document.new_text(fields, f"# {action.title}\n", action.path)


def with_actions(text: str, *actions: Change) -> str:
    """The text of a file after these actions on it, in their order."""
    old = body = document.body_of(text)
    for action in _grouped(actions):
        if isinstance(action, list):
            body = _absorbed(body, action)
        elif isinstance(action, Retire):
            text = document.with_field(text, "status", "superseded")
        elif isinstance(action, AdjustFields):
            text = document.with_field(text, action.key, action.new)
        elif isinstance(action, Replace):
            body = _with_replaced(body, action)
        elif isinstance(action, RefreshDate):
            body = with_new_mark(body, action.text, action.mark.comment) or body
        elif isinstance(action, NoteOldRule):
            body = _with_old_rule(body, action) or body
    if body != old:
        text = _with_updated(document.with_body(text, without_empty_lists(body)))
    return with_title_updated(text, (action for action in actions if isinstance(action, Replace)))


def _with_replaced(body: str, action: Replace) -> str:
    if action.title == SECTION:
        return with_section_replaced(body, action) or body
    if action.title:
        return body  # the title of a file is not in its body
    return replaced(body, action.old, action.new, action.mark.comment, action.past) or body


def marked(text: str, actions: Iterable[MarkFiled]) -> str:
    """The text of a session's memory with these marks behind its statements."""
    body = document.body_of(text)
    wanted = {claim_key(one.text): one for one in actions}
    lines = body.split("\n")
    for n, _, keys in marked_claims(body):
        for action in (wanted[key] for key in keys if key in wanted):
            lines[n] = filing_marks.marked(lines[n], action.stage, document.stem_of(action.page))
    asked = {statement_key(one.text): one for one in wanted.values()}
    for n, key in filing_marks.requests_for(lines, asked):
        lines[n] = filing_marks.marked(
            lines[n], asked[key].stage, document.stem_of(asked[key].page)
        )
    new = "\n".join(lines)
    return text if new == body else document.with_body(text, new)


def _with_updated(text: str) -> str:
    """Set `updated` to the day of the newest line, unless a line is a person's: this field dates those."""
    memory = document.memory_from_text(text, "semantic/x.md")
    newest, every = "", statements_of(memory.body)
    if any(titles_of(memory, memory.body, every)):
        return text
    for said in every:
        mark = mark_of(said.mark) if said.mark else None
        if mark:
            newest = max(newest, mark.date)
        elif said.mark or is_claim(said.text):
            return text
    return document.with_field(text, "updated", newest) if newest > memory.updated else text


# --------------------------------------------------------------------------------- putting in


def _grouped(actions: Iterable[Change]) -> Iterator[list[AddClaim] | Change]:
    """The actions in their order; what is put in without anything else in between, at once."""
    for is_absorbing, run in groupby(actions, lambda one: isinstance(one, AddClaim)):
        if is_absorbing:
            yield [one for one in run if isinstance(one, AddClaim)]
        else:
            yield from run


def _absorbed(body: str, actions: Iterable[AddClaim]) -> str:
    """`body` with these claims, each in its section; a section that swallows them gets a successor."""
    parts = parts_of(body)
    eol = "\r\n" if "\r\n" in body else "\n"
    places: dict[str, list[int]] = {}
    for n, part in enumerate(parts[1:], 1):
        places.setdefault(part.heading.casefold(), []).append(n)
    rows: dict[str, list[AddClaim]] = {}
    for action in actions:
        rows.setdefault(action.heading, []).append(action)
    for heading, row in rows.items():
        _put_in(parts, places, heading, row, eol)
    return "".join(part.text for part in parts)


def _put_in(
    parts: list[BodyPart], places: dict[str, list[int]], heading: str, row: list[AddClaim], eol: str
) -> None:
    """Put claims into the section of this name, or of one that is the same in the other language."""
    names = next((names for names in NOTED.values() if heading in names), (heading,))
    wanted = Counter(action.claim.text for action in row)
    lines = eol.join(f"- {action.claim.text} {action.mark.comment}" for action in row)
    for n in sorted(n for name in names for n in places.get(name.casefold(), ())):
        text = _with_lines(parts[n].text, lines, eol, is_last=n == len(parts) - 1)
        is_plain = _goes_on_plain(parts[n].text) and "|" not in lines
        if (texts_of(lines) if is_plain else texts_of(text) - texts_of(parts[n].text)) == wanted:
            parts[n] = parts[n]._replace(text=text)
            return
    if len(row) > 1 and any(name.casefold() in places for name in names):
        for action in row:
            _put_in(parts, places, heading, [action], eol)
        return
    title = heading
    while parts_of(f"## {title}\n")[-1].heading.casefold() in places:
        title += AGAIN  # there is one that swallows what is put into it
    _append(parts, title, lines, eol)
    places.setdefault(parts[-1].heading.casefold(), []).append(len(parts) - 1)


def _goes_on_plain(section: str) -> bool:
    """Whether a list behind this section says what it says alone; but for `|`, which ends no table."""
    return "```" not in section and "~~~" not in section and _is_closed(section)


def _with_lines(section: str, lines: str, eol: str, *, is_last: bool) -> str:
    kept = section.rstrip()
    last = kept.rsplit("\n", 1)[-1]
    gap = eol if _ITEM_LINE.match(last) or last.startswith("  ") else eol * 2
    text = kept + gap + lines + (section[len(kept) :].lstrip(" \t") or eol)
    return text if is_last or text.endswith(("\n\n", "\r\n\r\n")) else text + eol


def _append(parts: list[BodyPart], title: str, lines: str, eol: str) -> None:
    """Add a section at the end, behind a code block that is still open there."""
    tail = parts[-1].text
    if tail and eol not in tail:
        tail += eol
    made = parts_of(document.with_section(tail, title, lines))
    parts[-1:] = made if len(parts) == 1 else made[1:]


def _with_old_rule(body: str, action: NoteOldRule) -> str | None:
    for _, end in _places(body, action.text):
        behind = _MARK_BEHIND.match(body, end)
        if behind:
            eol = "\r\n" if "\r\n" in body else "\n"
            made = f"{body[: behind.end()]}{eol}  {action.past}{body[behind.end() :]}"
            if texts_of(made) == texts_of(body):
                return made
    return None


# ----------------------------------------------------------------------------------- replacing


def without_empty_lists(body: str) -> str:
    """`body` without the sections of ours from which the last statement was taken."""
    parts = parts_of(body)
    kept = (
        p.text for p in parts if p.heading not in LIST_HEADINGS or p.text.partition("\n")[2].strip()
    )
    return "".join(kept)


def replaced(body: str, old: str, new: str, mark: str = "", past: str = "") -> str | None:
    """`body` with one statement replaced, or taken out for an empty `new`; None if it is not found.

    Nothing else that the body states is changed by that, or it is not done.
    """
    texts = [part.text for part in parts_of(body)]
    if not all(map(_is_closed, texts)):
        texts = [body]
    for n, text in enumerate(texts):  # no statement goes over a heading
        made = _replaced_in(text, old, new, mark, past)
        if made is not None:
            whole = "".join([*texts[:n], made, *texts[n + 1 :]])
            return whole if new == old else retitled(body, whole, old)
    return None


def _is_closed(text: str) -> bool:
    """Whether no comment is open at the end of a text, nor was at its start."""
    return text.rfind("<!--") <= text.rfind("-->") and text.count("<!--") == text.count("-->")


def _replaced_in(body: str, old: str, new: str, mark: str, past: str) -> str | None:
    places = _places(body, old)
    if not places:
        return None
    wanted = texts_of(body)
    wanted.subtract([old])
    wanted.update([new] if new else [])
    for place in places:
        made = _replaced_at(body, place, f"{new} {mark}" if new else "", past)
        if texts_of(made) == +wanted:
            return made
    return None


def _places(body: str, text: str) -> list[tuple[int, int]]:
    """Where a text stands in a body, even if it is broken into lines."""
    found: list[tuple[int, int]] = []
    at = body.find(text)
    while at >= 0 and len(found) < MOST_PLACES:
        found += [] if _is_title(body, at) else [(at, at + len(text))]
        at = body.find(text, at + 1)
    return found or _broken_places(body, text)


def _is_title(body: str, at: int) -> bool:
    """Whether a heading stands here: it is no statement, and no mark belongs behind it."""
    return bool(_TITLE_LINE.match(body, body.rfind("\n", 0, at) + 1))


def _broken_places(body: str, text: str) -> list[tuple[int, int]]:
    if not all(word in body for word in text.split() if word.isascii()):
        return []  # a line is broken between words, or between Chinese characters
    pieces: list[str] = []
    for n, char in enumerate(text):
        before = text[n - 1] if n else ""
        if char == " ":
            pieces.append(r"\s+(?:>[ \t]*)*")
        else:
            is_break = before not in ("", " ") and (is_cjk(char) or is_cjk(before))
            pieces.append((r"\s*(?:>[ \t]*)*" if is_break else "") + re.escape(char))
    pattern = re.compile("".join(pieces).replace("‹!", "[‹<]!").replace("›", "[›>]"))
    found = (match.span() for match in pattern.finditer(body))
    return list(islice((span for span in found if not _is_title(body, span[0])), MOST_PLACES))


def _replaced_at(body: str, place: tuple[int, int], new: str, past: str) -> str:
    start, end = place
    behind = _MARK_BEHIND.match(body, end)
    end = behind.end() if behind else end
    item = _ITEM_BEFORE.search(body, max(0, start - 40), start)
    newline = body.find("\n", end)
    rest = body[end : newline if newline >= 0 else len(body)]
    eol = "\r\n" if "\r\n" in body else "\n"
    if new:
        return f"{body[:start]}{new}{f'{eol}  {past}' if past else ''}{body[end:]}"
    if item and not rest.strip():  # the whole line of the item
        start = item.start(1)
        stop = newline + 1 if newline >= 0 else len(body)
        return f"{body[:start]}{f'{past}{eol}' if past else ''}{body[stop:]}"
    after = body[end:]
    before = body[:start]
    after = after.lstrip(" \t") if start == 0 or before[-1].isspace() else after
    if not past and after[:1] in ("", "\n", "\r"):  # the last sentence of its line
        before = before.rstrip(" \t")
    return f"{before}{f'{past} ' if past and after.strip() else past}{after}"


def with_new_mark(body: str, text: str, mark: str) -> str | None:
    """`body` with another mark behind a statement, which keeps its id; None if it is not found."""
    for _, end in _places(body, text):
        behind = _MARK_BEHIND.match(body, end)
        name = (behind["id"] or "").strip() if behind else ""
        rest = body[behind.end() if behind else end :]
        made = " ".join(filter(None, (body[:end], name, mark))) + rest
        if texts_of(made) == texts_of(body):
            return made
    return None


def can_replace(body: str, old: str) -> bool:
    """Whether a statement can be taken out of a body without touching another."""
    return replaced(body, old, "") is not None


def fits_in_place(new: str, *, is_item: bool) -> bool:
    """Whether a claim, put where another stood, reads back as one."""
    return is_item or len(split_sentences(new)) == 1
