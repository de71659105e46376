"""Where the statements of a page come from: short ids and footnotes, and the comments they stand for.

On disk a statement ends with its id and a reference, `- Text. ^k3f9 [^0b6f3a]`, and the page with
one footnote for each session and time: `[^0b6f3a]: 2026-10-06 14:30, "Orders", said by the person`.
A section has both behind its heading. Older pages have comments instead. `expanded` gives either kind with
comments, which everybody else reads and writes; `folded` gives the text for the disk.

Promises: folding what was expanded gives the same page, but for the place and the order of its
footnotes, and unused ones. A reference without its footnote counts as from outside.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from itertools import count, takewhile

from recollect._fastimport import NamedTuple, Pattern, digest
from recollect.model.memory import TRUSTS
from recollect.text.sentences import cut_off, has_han, outside_fences

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

ID = r"\^[a-z2-9]{4,16}"
_LABEL = r"[0-9a-f]{4,16}(?:-[0-9a-f]{2,16})?"
_REFERENCES = rf"(?: \[\^{_LABEL}\])+"
_TAIL = Pattern(rf"(?: ({ID}))?({_REFERENCES})[ \t]*$| ({ID})[ \t]*$")
_REFERENCE = Pattern(rf"\[\^({_LABEL})\]")
_DATE = r"\d{4}-\d\d-\d\d"
_DEFINITION = Pattern(rf"\[\^({_LABEL})\]: (?:({_DATE}(?: \d\d:\d\d(?::\d\d)?)?), )?(.+)$")
_TITLED = Pattern(r"[\"“](.*)[\"”], (.+)$")
_TIME = Pattern(rf"({_DATE})(?:T(\d\d:\d\d)(:\d\d)?Z)?$")
_HEADING = Pattern(r"##[ \t]")
_MARKER = Pattern(r"[ \t]*(?:[-*+•>]|\d{1,9}[.)])[ \t]+")
_LETTERS = "abcdefghijklmnopqrstuvwxyz23456789"
LONGEST_ID = 12
LONGEST_TITLE = 60
_PLAIN = {ord("<"): "‹", ord(">"): "›", ord('"'): "'"}
_FIELD = Pattern(r"\b(from|date|trust|source|salience|confidence|session|title):", 2)  # re.I

MARK = "<!-- from: "  # how a comment begins that says where a line was learned
# The comments that footnotes stand for: behind a line, and below the text of a section.
_ID_COMMENT = Pattern(rf"[ \t]*<!-- ({ID}) -->")
_FROM = Pattern(
    r"[ \t]*<!-- from: (?P<of>[^;<>]*); date: (?P<date>[^;<>]*); trust: (?P<trust>\w+)"
    r"(?:; source: (?P<source>\w+))?(?:; salience: (?P<salience>\w+))?(?:; kind: (?P<kind>\w+))?"
    r"(?:; title: (?P<title>[^<>]*))? -->[ \t]*$"
)
_SIGNED = Pattern(
    r"<!-- source: (?P<source>\w+); trust: (?P<trust>\w+)(?:; confidence: (?P<confidence>\w+))?"
    r"(?:; session: (?P<of>[^;<>]*))?(?:; date: (?P<date>[^;<>]*))?"
    r"(?:; title: (?P<title>[^<>]*))? -->$"
)
_SEEN = Pattern(
    r"<!-- (?P<source>seen before); session: (?P<of>[^;<>]*)(?:; date: (?P<date>[^;<>]*))?"
    r"(?:; title: (?P<title>[^<>]*))? -->$"
)
SEEN_BEFORE = "seen before"
_WHO = {
    ("instructed", "user"): ("said by the person", "用户所说"),
    ("observed", "user"): ("noted by the person", "用户所记"),
    ("inferred", "user"): ("approved by the person", "用户认可"),
    ("referenced", "user"): ("passed on by the person", "用户转述"),
    ("inferred", "agent"): ("noted by the agent", "代理所记"),
    ("observed", "agent"): ("seen by the agent", "代理所见"),
    ("instructed", "agent"): ("reported by the agent", "代理转述"),
    ("referenced", "agent"): ("looked up by the agent", "代理查阅"),
    ("observed", "tool"): ("seen in the session", "会话中所见"),
    ("inferred", "tool"): ("concluded from the session", "由会话推断"),
    ("instructed", "tool"): ("reported by a tool", "工具转述"),
    ("referenced", "tool"): ("looked up by a tool", "工具查阅"),
    ("referenced", "external"): ("from outside", "来自外部"),
    ("observed", "external"): ("seen outside", "外部所见"),
    ("inferred", "external"): ("concluded from outside", "由外部推断"),
    ("instructed", "external"): ("told from outside", "外部告知"),
    (SEEN_BEFORE, ""): (SEEN_BEFORE, "以前见过"),
}
_MORE = {
    ("kind", "decision"): ("as a decision", "作为决定"),
    ("salience", "high"): ("important", "重要"),
    ("salience", "low"): ("minor", "次要"),
    ("confidence", "high"): ("sure", "确定"),
    ("confidence", "medium"): ("fairly sure", "较确定"),
    ("confidence", "low"): ("not sure", "不确定"),
}
_WHO_SAYS = {said: whose for whose, both in _WHO.items() for said in both}
_MORE_SAYS = {said: what for what, both in _MORE.items() for said in both}


def speaker_of(source: str, trust: str, *, zh: bool) -> str:
    """Whose word something is, as footnotes say it."""
    return _WHO.get((source, trust), ("", ""))[zh]


class Note(NamedTuple):
    """What a footnote says: from which session something is, when, and how far it can be trusted."""

    label: str
    date: str = ""
    title: str = ""
    source: str = "observed"
    trust: str = "user"
    salience: str = "medium"
    confidence: str = ""
    kind: str = ""

    def text(self, about: str = "") -> str:
        """The line of the footnote; a page `about` something Chinese has one in Chinese."""
        zh = has_han(self.title or about)
        more = [(name, getattr(self, name)) for name in ("kind", "salience", "confidence")]
        who = [_WHO[self.source, self.trust][zh], *(_MORE[one][zh] for one in more if one in _MORE)]
        title = f'"{self.title}"' if self.title else ""
        date = self.date.replace("T", " ").removesuffix("Z")
        date = date.removesuffix(":00") if len(date) > len("2026-01-01 00:00") else date
        return f"[^{self.label}]: {', '.join(filter(None, (date, title, *who)))}"


class Mark(NamedTuple):
    """From which session or episode a line was learned, when, and how far that can be trusted.

    `kind` is `decision` for what was stated as one.
    """

    episode: str
    date: str
    trust: str
    source: str = "observed"
    salience: str = "medium"
    title: str = ""  # what the episode is called
    kind: str = ""

    @property
    def comment(self) -> str:
        """The mark as it stands behind a line."""
        source = "" if self.source == "observed" else f"; source: {self.source}"
        salience = "" if self.salience == "medium" else f"; salience: {self.salience}"
        kind = f"; kind: {self.kind}" if self.kind else ""
        more = f"{source}{salience}{kind}{f'; title: {self.title}' if self.title else ''}"
        return f"{MARK}{self.episode}; date: {self.date}; trust: {self.trust}{more} -->"


def mark_of(comment: str) -> Mark | None:
    """The mark that a comment is, or None."""
    match = _FROM.fullmatch(comment.strip())
    if not match:
        return None
    episode, date, trust, source, salience, kind, title = match.groups(default="")
    source, salience = source or "observed", salience or "medium"
    return Mark(episode, date, trust, source, salience, title, kind)


_UNTOLD = Note("", source="referenced", trust="external")


def dates_in(body: str) -> list[str]:
    """When the statements of a page with comments were learned, oldest first."""
    if "; date: " not in body:
        return []
    from recollect.model.times import time_of  # seldom needed

    return sorted(filter(None, map(time_of, _LEARNED.findall(body))))


_LEARNED = Pattern(r"<!-- (?:from|source|seen before)\b[^<>]*?; date: ([0-9:TZ-]+)")


def label_of(origin: str) -> str:
    """The label of the footnote for a session or an episode, whatever page it stands on."""
    if origin.startswith("^"):
        return origin[1:].partition("-")[0]
    return digest(origin, 3).hex()


def is_same_origin(one: str, other: str) -> bool:
    """Whether two names (one may be `^label`) are of the same session or episode."""
    return one == other or ("^" in (one[:1], other[:1]) and label_of(one) == label_of(other))


def short_id(text: str, taken: Container[str] = ()) -> str:
    """The id for a statement: made of its words, so that the same one gets the same on every branch."""
    rows = (id_letters(text, n) for n in count())
    free = (row[:n] for row in rows for n in range(4, LONGEST_ID) if row[:n] not in taken)
    return next(free)


def without_id(line: str) -> str:
    """A line of a page with comments, without the one at its end that is an id."""
    own = _ID_COMMENT.search(line) if "<!-- ^" in line else None
    return line[: own.start()] if own and own.end() == len(line.rstrip()) else line


def id_letters(text: str, n: int = 0) -> str:
    """Letters whose first few are the id of a statement; different ones for each `n`."""
    plain = " ".join(text.casefold().split())
    number, made = int.from_bytes(digest(f"{plain}{n or ''}", 16)), ""
    while len(made) < LONGEST_ID:
        number, rest = divmod(number, len(_LETTERS))
        made += _LETTERS[rest]
    return made


def tail_of(line: str) -> re.Match[str] | None:
    """The id and the references at the end of a line, where it has some."""
    first = line.find("^")  # which they begin with, behind a blank and perhaps a bracket
    return None if first < 0 else _TAIL.search(line, max(0, first - 2))


def without_references(line: str) -> str:
    """A line without the id and the references at its end."""
    return line[: found.start()] if (found := tail_of(line)) else line


def unsigned(text: str) -> str:
    """A text of somebody less trusted, without what says on a page whose a line is, or what it replaced."""
    text = _BOOKKEEPING.sub("", text).replace("<!--", "‹!--")
    if "[^" not in text:
        return text
    return "\n".join(map(_without_references, _DEFINED.sub(r"\1\\", text).split("\n")))


_BOOKKEEPING = Pattern(
    rf"<!-- (?:from|source|seen before|superseded|filed|waits|promoted-from|{ID})\b[^<>]*-->"
)
_DEFINED = Pattern(rf"^([^\S\n]*)(?=\[\^{_LABEL}\]:)", 8)  # re.M


def _without_references(line: str) -> str:
    whole = rest = "".join(" " if sign.isspace() else sign for sign in f" {line}").rstrip()
    while found := tail_of(rest):
        rest = rest[: found.start()]
    return line[: len(rest) - 1] if "[^" in whole[len(rest) :] else line


def ids_in(body: str) -> list[str]:
    """The ids that stand on a page, in order; those of an older page as it gets them when written."""
    lines = comments_to_footnotes(body).split("\n")
    return [name for _, line in outside_code(lines) if (name := _name_in(line))]


def outside_code(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """The lines that may end with an id or a reference; of code that nobody closed, the footnotes below."""
    rows, at = list(lines), -1
    for at, line in outside_fences(rows):
        if "^" in line or "<!--" in line or line.startswith("##"):
            yield at, line.removesuffix("\r")
    below = takewhile(lambda n: rows[n][:2] in ("[^", "", "\r"), range(len(rows) - 1, at, -1))
    yield from ((n, rows[n].removesuffix("\r")) for n in sorted(below) if rows[n].strip())


def _notes(lines: Iterable[str]) -> dict[str, list[Note] | None]:
    """The footnotes by label; None for one that a person wrote in words of their own.

    No such words beside a footnote of ours take away what that says.
    """
    found: dict[str, list[Note] | None] = {}
    for _, line in outside_code(lines):
        if line.startswith("[^") and (match := _DEFINITION.match(line)):
            note, label = _note(match[1], match[2] or "", match[3]), match[1]
            if note is None:
                found.setdefault(label, None)
            else:
                found[label] = [*(found.get(label) or ()), note]
    return found


def _note(label: str, date: str, rest: str) -> Note | None:
    titled = _TITLED.match(rest)
    title, said = (titled[1], titled[2]) if titled else ("", rest)
    who, *more = said.split(", ")
    whose = _WHO_SAYS.get(who)
    if whose is None or any(one not in _MORE_SAYS for one in more):
        return None
    if " " in date:
        date = f"{date.replace(' ', 'T')}{'' if date.count(':') == 2 else ':00'}Z"
    fields = dict(_MORE_SAYS[one] for one in more)
    return Note(label, date, title_in_note(title), *whose, **fields)


def trusts_in(body: str) -> dict[str, str]:
    """The trust of each of our footnotes, by label."""
    notes = _notes(body.split("\n"))
    return {label: min(row, key=_rank).trust for label, row in notes.items() if row}


def is_ours(references: str, trusts: Container[str]) -> list[str]:
    """The labels of references if all lead to our footnotes; otherwise nothing."""
    labels = _REFERENCE.findall(references)
    return labels if all(label in trusts for label in labels) else []


def _is_theirs(references: str, notes: Mapping[str, list[Note] | None]) -> bool:
    """Whether all of these lead to a person's footnotes, which are ordinary text."""
    labels = _REFERENCE.findall(references)
    return bool(labels) and all(notes.get(label, []) is None for label in labels)


def _given(references: str, notes: Mapping[str, list[Note] | None]) -> tuple[Note, ...]:
    """The footnotes of these references; if two have one label, the less trusted."""
    rows = ((label, notes.get(label, [])) for label in _REFERENCE.findall(references))
    return tuple(
        min(row, key=_rank, default=_UNTOLD._replace(label=label))
        for label, row in rows
        if row is not None
    )


def _rank(note: Note) -> int:
    return TRUSTS.index(note.trust) if note.trust in TRUSTS else len(TRUSTS)


def split_footnotes(body: str) -> tuple[str, dict[str, str]]:
    """A page without our footnotes, and the lines of these, each with its label."""
    lines = body.split("\n")
    notes = _notes(lines)
    own = {lines[n]: label for n, label in _definitions(lines, notes).items()}
    return "\n".join(_without_definitions(lines, notes)), own


def _definitions(lines: Iterable[str], notes: Mapping[str, list[Note] | None]) -> dict[int, str]:
    """The numbers of the lines that are our footnotes, with their labels."""
    return {
        n: match[1]
        for n, line in outside_code(lines)
        if line.startswith("[^")
        and (match := _DEFINITION.match(line))
        and notes.get(match[1])
        and _note(match[1], match[2] or "", match[3])
    }


def _without_definitions(lines: list[str], notes: Mapping[str, list[Note] | None]) -> list[str]:
    """The lines without our footnotes, and without the blank lines before those at the end."""
    if not any(notes.values()):
        return list(lines)
    gone = _definitions(lines, notes)
    kept: list[str] = []
    for n, line in enumerate(lines):
        if n in gone:
            continue
        follows = n - 1 in gone
        if follows and not line.strip() and (not kept or not kept[-1].strip()):
            continue  # one blank line of two
        kept.append(line)
    if gone and not "".join(lines[max(gone) + 1 :]).strip():
        while kept and not kept[-1].strip():
            kept.pop()
        kept.append("")
    return kept


def in_one_form(text: str) -> str:
    """The text of a section with the same comments, whether it was read from comments or footnotes."""
    return expanded(comments_to_footnotes(f"## -\n\n{text}"))


# ------------------------------------------------------------------------- with comments


def expanded(body: str) -> str:
    """A page with comments in place of its footnotes and of the ids in its lines."""
    if "^" not in body:
        return body
    lines = body.split("\n")
    notes = _notes(lines)
    kept = _without_definitions(lines, notes)
    below: list[str] = []  # the comments of the section that is read
    made: list[str] = []
    outside = dict(outside_code(kept))
    for n, line in enumerate(kept):
        plain = outside.get(n)
        if plain is not None and _HEADING.match(plain):
            _put_below(made, below)
        made.append(_expanded(plain, line, notes, below) if plain is not None else line)
    _put_below(made, below)
    return "\n".join(made)


def _expanded(
    plain: str, line: str, notes: Mapping[str, list[Note] | None], below: list[str]
) -> str:
    tail = tail_of(plain)
    if not tail or _is_theirs(tail[2] or "", notes):
        return line
    end = "\r" if line.endswith("\r") else ""
    given, name = _given(tail[2] or "", notes), tail[1] or tail[3] or ""
    start = plain[: tail.start()]
    if _HEADING.match(plain):
        below += [f"{_comment_of(note)}{end}" for note in given]
        return f"{start}{f' {name}' if name else ''}{end}"
    marks = [f"<!-- {name} -->"] if name else []
    return " ".join([start, *marks, *map(_mark_of, given)]) + end


def _origin_of(note: Note) -> str:
    """The session of a footnote as a comment names it; none where the label is only that of its date."""
    is_dated = bool(note.date) and note.label.partition("-")[0] == label_of(note.date)
    return "" if is_dated else f"^{note.label}"


def _mark_of(note: Note) -> str:
    origin = _origin_of(note)
    about = note.salience, note.title, note.kind
    return Mark(origin, note.date, note.trust, note.source, *about).comment


def _comment_of(note: Note) -> str:
    more = more_of(note.date, note.title)
    if note.source == SEEN_BEFORE:
        return f"<!-- seen before; session: ^{note.label}{more} -->"
    sure = f"; confidence: {note.confidence}" if note.confidence else ""
    origin = _origin_of(note)
    session = f"; session: {origin}" if origin else ""
    return f"<!-- source: {note.source}; trust: {note.trust}{sure}{session}{more} -->"


def more_of(date: str, title: str) -> str:
    """What the comment of a section says of when and in which session it was learned."""
    title = title_in_note(title)
    return f"{f'; date: {date}' if date else ''}{f'; title: {title}' if title else ''}"


def _put_below(made: list[str], below: list[str]) -> None:
    """Put the comments of a section at its end, before the blank lines there."""
    if not below:
        return
    at = len(made)
    while not made[at - 1].strip():
        at -= 1
    made[at:at] = ["\r" if below[0].endswith("\r") else "", *below]
    below.clear()


# ----------------------------------------------------------------------- for the disk


def comments_to_footnotes(body: str) -> str:
    """A page with ids and footnotes in place of its comments."""
    return _Folding(body.split("\n")).body() if "<!--" in body else body


class _Folding:
    """A page on its way to the disk."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.notes: dict[str, Note] = {}
        self.made: list[str] = []
        self.heading = -1  # where the heading of this section stands in what is made

    def body(self) -> str:
        """The page."""
        outside = dict(outside_code(self.lines))
        known = _notes(self.lines)
        self.notes = {label: row[0] for label, row in known.items() if row}
        self.given = {name for line in outside.values() if (name := _name_in(line))}
        for n, line in enumerate(self.lines):
            self._add(line, outside.get(n))
        made = _without_definitions(self.made, known)
        end = "\r" if self.lines[0].endswith("\r") else ""
        return "\n".join(_with_notes(made, self.notes.values(), end))

    def _add(self, line: str, plain: str | None) -> None:
        if plain is not None and _HEADING.match(plain):
            self.heading = len(self.made)
        elif plain is not None and self.heading >= 0 and (note := _note_below(plain)):
            self._sign(note)
            return
        elif plain is not None:
            line = self._line(plain) + line[len(plain) :]
        self.made.append(line)

    def _line(self, line: str) -> str:
        """A line with the footnotes of the comments at its end."""
        notes: list[Note] = []
        while (match := _FROM.search(line)) and (note := _note_of(match)):
            notes.append(note)
            line = line[: match.start()]
        own = _ID_COMMENT.search(line) if "<!-- ^" in line else None
        if own and own.end() == len(line):
            name, line = own[1], line[: own.start()]
        elif notes:
            said = _MARKER.sub("", line).strip()
            is_titled = not tail_of(line) and self._is_title(said)
            name = "" if is_titled else self._new_id(said)
        else:
            return line
        references = "".join(f" [^{self._label(note)}]" for note in reversed(notes))
        return f"{line.rstrip()}{f' {name}' if name else ''}{references}"

    def _is_title(self, said: str) -> bool:
        """Whether the heading above says the same, so that the id stands there."""
        if self.heading < 0:
            return False
        title = without_references(self.made[self.heading].rstrip())[2:].strip()
        rows = (without_references(line.rstrip()) for line in self.made[self.heading + 1 :])
        if not _says(title, said) or any(_says(title, _MARKER.sub("", row)) for row in rows):
            return False
        self._named(self.heading, said)
        return True

    def _sign(self, note: Note) -> None:
        """Put the origin of a section behind its heading instead of below it."""
        while len(self.made) > self.heading + 1 and not self.made[-1].strip():
            self.made.pop()
        self._named(self.heading)
        line, own = self.made[self.heading], f" [^{self._label(note)}]"
        end = "\r" if line.endswith("\r") else ""
        self.made[self.heading] = f"{line.rstrip().removesuffix(own)}{own}{end}"

    def _named(self, at: int, said: str = "") -> None:
        """Give a heading an id, if it has none: made of what it says whole, as on a session's page."""
        line = self.made[at]
        if not _name_in(line.rstrip()):
            plain = without_references(line.rstrip())
            name = self._new_id(said or plain[2:].strip())
            self.made[at] = f"{plain} {name}{line[len(plain) :]}"

    def _new_id(self, said: str) -> str:
        name = short_id(said, self.given)
        self.given.add(name)
        return f"^{name}"

    def _label(self, note: Note) -> str:
        """The label of a footnote; another one where that says something else on this page."""
        label = note.label
        one = _both(self.notes.get(label, note), note)
        if one is None:
            said = note._replace(label="").text()
            label = f"{label.partition('-')[0]}-{digest(said, 2).hex()}"
            one = note._replace(label=label)
        self.notes[label] = one
        return label


def _name_in(line: str) -> str:
    """The id that a line ends with, without its `^`."""
    tail = tail_of(line)
    return (tail[1] or tail[3] or "")[1:] if tail else ""


def _note_of(match: re.Match[str]) -> Note | None:
    """The footnote for a comment; none where it would say less."""
    fields = {key: value or "" for key, value in match.groupdict().items()}
    source, trust = fields.get("source") or "observed", fields.get("trust", "")
    salience, confidence = fields.get("salience") or "medium", fields.get("confidence", "")
    is_told = (source, trust) in _WHO and salience in ("low", "medium", "high")
    kind = fields.get("kind", "")
    is_told &= confidence in ("", "low", "medium", "high") and kind in ("", "decision")
    if not is_told or (fields["date"] and not _TIME.match(fields["date"])):
        return None
    origin = fields["of"] or fields["date"]  # what is of no session has the label of its date
    label = origin[1:] if origin.startswith("^") else label_of(origin)
    title = title_in_note(fields["title"])
    return Note(label, fields["date"], title, source, trust, salience, confidence, kind)


def _note_below(line: str) -> Note | None:
    """The footnote for a comment that stands alone in a section."""
    if not line.startswith("<!-- s"):
        return None
    match = _SIGNED.match(line) or _SEEN.match(line)
    return _note_of(match) if match else None


def title_in_note(title: str) -> str:
    """A session's title as it stands in a footnote and in a comment."""
    plain = " ".join(_FIELD.sub(r"\1：", title.translate(_PLAIN)).split())
    return cut_off(plain, LONGEST_TITLE)


def _both(one: Note, other: Note) -> Note | None:
    """One footnote for both, if they differ only in what one of them leaves out."""
    for name in ("date", "title"):
        mine, yours = getattr(one, name), getattr(other, name)
        one = one._replace(**{name: mine or yours})
        other = other._replace(**{name: yours or mine})
    return one if one == other else None


def _says(title: str, said: str) -> bool:
    """Whether a heading is this statement, or its beginning if that is too long for a heading."""
    short = _bare(title.partition("…")[0])
    return bool(short) and _bare(said).startswith(short)


def _bare(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _with_notes(lines: list[str], notes: Iterable[Note], end: str) -> list[str]:
    """The lines of a page with its footnotes at the end, in the order of their days."""
    about = next((line for line in lines if line.startswith("#")), "")
    rows = sorted((note.text(about) for note in notes), key=lambda row: row.partition(": ")[2])
    if not rows:
        return lines
    kept = list(lines)
    while kept and not kept[-1].strip():
        kept.pop()
    return [*kept, end, *(f"{row}{end}" for row in rows), ""]
