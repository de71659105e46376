"""Three-way merge of a memory.

A change on one side wins. Lists are joined. Of two values of a field the newer memory's wins and a
person's other text stays as a comment. If both changed the same lines, both wordings stay, the
second behind a comment; footnotes of both stay. No line of either side is lost, or there is no
result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from recollect._fastimport import Any, NamedTuple, Pattern
from recollect.model.document import DATES, with_field, words_for
from recollect.model.footnotes import split_footnotes
from recollect.model.frontmatter import Front, FrontMatterEntry, Value, scalar_text, split_front
from recollect.model.memory import TRUSTS, lowest_trust
from recollect.model.removed_entries import matches, with_changed_entries

MOST_LINES = 20_000  # of more lines nobody waits for the comparison
_ITEM = Pattern(r"[ \t]*(?:[-*+]|\d+[.)])[ \t]")
_FENCE = Pattern(r" {0,3}(?:`{3}|~{3})")
_MARK = Pattern(r"^(?:<{7}|={7}|\|{7}|>{7})(?:[ \t][^\n]*)?\r?$", 8)  # re.M


class MergedText(NamedTuple):
    """The merged text, and in how many places a person has to choose between two wordings."""

    text: str
    twice: int


class CannotMerge(ValueError):
    """The two texts cannot be put together without losing something."""


def merged(base: str, ours: str, theirs: str) -> MergedText:
    """Two texts of a memory as one; `base` is the text that both were made from, or empty.

    Raises:
        CannotMerge: a front matter cannot be read, or there is too much to compare.
    """
    if theirs in (ours, base):
        return MergedText(ours, 0)
    if ours == base:
        return MergedText(theirs, 0)
    ends = ["\r\n" if "\r\n" in text else "\n" for text in (base, ours, theirs)]
    end = ends[2] if ends[1] == ends[0] else ends[1]
    base, ours, theirs = (text.replace("\r\n", "\n") for text in (base, ours, theirs))
    fronts = [split_front(text) for text in (base, ours, theirs)]
    if any(front.problem or marks_in("".join(front.lines)) for front in fronts):
        raise CannotMerge("the front matter cannot be read")
    head = _head(ours, *fronts)
    bodies, notes = zip(*(split_footnotes(front.body) for front in fronts), strict=True)
    lines = [body.splitlines(keepends=True) for body in bodies]
    if max(map(len, lines)) > MOST_LINES:
        raise CannotMerge("there are too many lines to compare")
    if not lines[0]:  # begun on both sides: what both say is what they have in common
        for at, _, n in matches(lines[1], lines[2]):
            lines[0] += lines[1][at : at + n]
    old, *sides = map(_ended, lines)
    whole = [with_changed_entries(old, *pair) for pair in (sides, sides[::-1])]
    is_open = all(one and not one[-1].endswith("\n") for one in lines[1:])
    body = _Body(old, *whole, is_open=is_open)
    text = head + _with_footnotes("".join(body.lines()), *notes)
    _require_all(text, base, ours, theirs)
    return MergedText(text.replace("\n", "\r\n") if end == "\r\n" else text, body.twice)


def _with_footnotes(
    body: str, base: dict[str, str], ours: dict[str, str], theirs: dict[str, str]
) -> str:
    """The body with the footnotes of both; one that a side took out stays if a line refers to it."""
    every = ours | theirs
    gone = {line for line in every if line in base and not (line in ours and line in theirs)}
    known = {label for line, label in every.items() if line not in gone}
    kept = [
        line
        for line, label in every.items()
        if line not in gone or (label not in known and f"[^{label}]" in body)
    ]
    rows = sorted(kept, key=lambda line: line.partition(": ")[2])
    return "\n".join([body.rstrip("\n") + "\n", *rows, ""]) if rows else body


def marks_in(text: str) -> list[int]:
    """The lines, counted from 1, with marks that git left where it could not merge."""
    if "<<<<<<<" not in text and ">>>>>>>" not in text:
        return []
    found = [(text.count("\n", 0, m.start()) + 1, m[0][0]) for m in _MARK.finditer(text)]
    return [line for line, _ in found] if {"<", ">"} & {kind for _, kind in found} else []


def _require_all(text: str, base: str, *sides: str) -> None:
    """Raise CannotMerge if a line that a side wrote into its body is missing."""
    said = {line.strip() for line in text.splitlines()}
    said |= {line.strip() for line in base.splitlines()}
    for side in sides:
        for line in split_front(side).body.splitlines():
            if line.strip() and line.strip() not in said:
                raise CannotMerge("a line would be lost")


# ---------------------------------------------------------------------------------------- fields


def _head(ours: str, base: Front, own: Front, other: Front) -> str:
    """The front matter of both, as it stands before the body."""
    old, mine, yours = (_entries(front) for front in (base, own, other))
    is_newer = _time(yours) > _time(mine)
    text = ours
    remarks: list[str] = []
    for key in dict.fromkeys((*mine, *yours)):
        raws = [
            _raw(front, some.get(key)) for front, some in ((base, old), (own, mine), (other, yours))
        ]
        if raws[2] in raws[:2]:
            continue
        if raws[1] == raws[0] and raws[1] and raws[2]:  # theirs alone, to the byte
            text = _with_lines(text, key, raws[2])
            continue
        values = [some[key].value if key in some else None for some in (old, mine, yours)]
        value = _of_both(key, *values, is_newer=is_newer)
        text = text if value == values[1] else with_field(text, key, value)
        left = map(scalar_text, _unsaid(key, value, *values))
        remarks += (f"# merged, the other side has {key}: {one}" for one in left)
        remarks += _comments(raws[2], raws[0], raws[1])
    remarks += _comments(_loose(other, yours), "".join(base.lines), "".join(own.lines))
    return _with_remarks(text, remarks)


def _entries(front: Front) -> dict[str, FrontMatterEntry]:
    return {entry.key: entry for entry in front.entries}


def _raw(front: Front, entry: FrontMatterEntry | None) -> str:
    """An entry as it is written; one that has no line of its own by its value."""
    if entry is None:
        return ""
    return "".join(front.lines[entry.start : entry.end]) or f"{entry.key}: {entry.value}\n"


def _loose(front: Front, entries: dict[str, FrontMatterEntry]) -> str:
    """The lines of a front matter that belong to no key."""
    inside = {n for entry in entries.values() for n in range(entry.start, entry.end)}
    last = len(front.lines) - 1
    return "".join(line for n, line in enumerate(front.lines) if n not in inside | {0, last})


def _comments(lines: str, *known: str) -> list[str]:
    """The comment lines, and comments behind values, that are in none of the known texts."""
    found = []
    for line in lines.splitlines():
        at = 0 if line.lstrip().startswith("#") else line.find(" #") + 1
        comment = line[at:].strip()
        is_comment = comment.startswith("#") and len(comment) > 1
        if is_comment and not any(comment in text for text in known):
            found.append(comment)
    return found


def _with_lines(text: str, key: str, lines: str) -> str:
    front = split_front(text)
    entry = _entries(front)[key]
    if not entry.end:
        raise CannotMerge(f"“{key}” stands in no line of its own")
    rows = [*front.lines[: entry.start], lines, *front.lines[entry.end :]]
    return front.lead + "".join(rows) + front.body


def _with_remarks(text: str, remarks: Sequence[str]) -> str:
    """The head of a text with comment lines at its end, and without the body."""
    front = split_front(text)
    rows = list(front.lines)
    if rows:
        rows[-1:-1] = [f"{remark}\n" for remark in dict.fromkeys(remarks)]
    return front.lead + "".join(rows)


def _unsaid(key: str, value: Value | None, *values: Value | None) -> Iterator[str]:
    """What a side wrote into a field and the merged one lacks; words of a fixed set are no loss."""
    if key in DATES or words_for(key):
        return
    old, *new = values
    now = value if isinstance(value, list) else [value or ""]
    for one in new:
        if one not in (old, value, None):
            items = one if isinstance(one, list) else [one or ""]
            before = old if isinstance(old, list) else [old or ""]
            yield from (item for item in items if item and item not in now and item not in before)


def _time(entries: dict[str, FrontMatterEntry]) -> str:
    values = (entries[key].value for key in ("updated", "created") if key in entries)
    return next((value for value in values if value and isinstance(value, str)), "")


def _of_both(
    key: str, old: Value | None, own: Value | None, other: Value | None, *, is_newer: bool
) -> Value | None:
    """The value of a field that both sides may have changed."""
    times = [one for one in (own, other) if isinstance(one, str) and one]
    if key in DATES and times:
        return min(times) if key == "created" else max(times)
    if other in (own, old) or (other is None and own != old):
        return own  # also what the other side took out and we changed
    if own in (old, None):
        return other
    if key == "trust" and own in TRUSTS and other in TRUSTS:
        return lowest_trust(str(own), str(other))
    if isinstance(own, list) and isinstance(other, list):
        before = old if isinstance(old, list) else []
        kept = [item for item in own if item in other or item not in before]
        return kept + [item for item in other if item not in own and item not in before]
    return other if is_newer else own


# ----------------------------------------------------------------------------------------- lines


class _Edit(NamedTuple):
    """The lines `[start, end)` of the base, and what one side replaced them with."""

    start: int
    end: int
    lines: list[str]


class _Body:
    """The lines of three bodies as one."""

    def __init__(
        self, base: list[str], ours: list[str], theirs: list[str], *, is_open: bool
    ) -> None:
        self._is_open = is_open  # neither side ends its last line
        self.base, self.ours, self.theirs = base, ours, theirs
        self.twice = 0
        self._made: list[str] = []

    def lines(self) -> list[str]:
        """The lines of both; where both changed the same ones, one wording after the other."""
        mine, yours = _edits(self.base, self.ours), _edits(self.base, self.theirs)
        at = 0
        while mine or yours:
            own, other = _group(mine, yours)
            start = min(edit.start for edit in (*own, *other))
            end = max(edit.end for edit in (*own, *other))
            self._made += self.base[at:start]
            self._add(start, end, own, other)
            at = end
        made = [*self._made, *self.base[at:]]
        if self._is_open and made:
            made[-1] = made[-1].removesuffix("\n")
        return made

    def _add(self, start: int, end: int, own: list[_Edit], other: list[_Edit]) -> None:
        one, two = (self._applied(start, end, edits) for edits in (own, other))
        old = self.base[start:end]
        if not other or two in (one, old):
            self._made += one
        elif not own or one == old or not _says(one):
            self._made += two  # what one side took out and the other changed stays
        elif not _says(two):
            self._made += one
        elif len(one) == len(two) == len(old) > 1:
            for before, first, second in zip(old, one, two, strict=True):
                self._both([before], [first], [second])
        else:
            self._both(old, one, two)

    def _applied(self, start: int, end: int, edits: list[_Edit]) -> list[str]:
        made: list[str] = []
        for edit in edits:
            made += [*self.base[start : edit.start], *edit.lines]
            start = edit.end
        return [*made, *self.base[start:end]]

    def _both(self, old: list[str], own: list[str], other: list[str]) -> None:
        """Put both wordings down: what they begin with once, entries of lists once each."""
        if other in (own, old) or own == old:
            self._made += own if other in (own, old) else other
            return
        is_code = self._is_in_code() or any(map(_FENCE.match, (*own, *other)))
        same = 0 if is_code else _common(own, other)
        first, second = own[same:], other[same:]
        is_list = not is_code and all(_ITEM.match(x) for x in (*first, *second) if x.strip())
        if is_list:
            known = {line.strip() for line in (*own, *old)}
            second = [line for line in second if line.strip() and line.strip() not in known]
        if not _says(old) and _rank(first) > _rank(second):
            first, second = second, first  # what goes on with an entry before what begins one
        self._made += [*own[:same], *first]
        if not first or not second:
            self._made += second
            return
        if _says(old):
            self.twice += 1
            if not self._is_in_code():
                between = f"{separator(len(first), len(second))}\n"
                self._made += [between] if is_list else ["\n", between, "\n"]
        elif not is_list and first[-1].strip() and second[0].strip():
            self._made += [] if _rank(first) == 0 and _ITEM.match(second[0]) else ["\n"]
        self._made += second

    def _is_in_code(self) -> bool:
        return sum(bool(_FENCE.match(line)) for line in self._made) % 2 == 1


def _group(mine: list[_Edit], yours: list[_Edit]) -> tuple[list[_Edit], list[_Edit]]:
    """Take the next edit out of the lists, with all edits of the other side that touch its lines."""
    first = mine and (not yours or mine[0][:2] <= yours[0][:2])
    seed = mine[0] if first else yours[0]
    start, end, own, other = seed.start, seed.end, [], []  # type: int, int, list[_Edit], list[_Edit]
    (own if first else other).append((mine if first else yours).pop(0))
    is_more = True
    while is_more:
        is_more = False
        for queue, taken in ((mine, own), (yours, other)):
            if queue and (queue[0].start < end or start == end == queue[0].start):
                end = max(end, queue[0].end)
                taken.append(queue.pop(0))
                is_more = True
    return own, other


def _edits(base: list[str], side: list[str]) -> list[_Edit]:
    found, at, to = [], 0, 0
    for start, own, size in [*matches(base, side), (len(base), len(side), 0)]:
        if start > at or own > to:
            found.append(_Edit(at, start, side[to:own]))
        at, to = start + size, own + size
    return found


def _says(lines: Sequence[str]) -> bool:
    return any(line.strip() for line in lines)


def _rank(lines: Sequence[str]) -> int:
    """0 for lines that go on with an item, 2 for those that begin a section, else 1."""
    line = next((line for line in lines if line.strip()), "")
    return 2 if line.startswith("#") else int(line[:1] not in " \t")


def _common(own: list[str], other: list[str]) -> int:
    """How many lines two texts have in common at their start."""
    pairs = zip(own, other, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(own), len(other)))


def _ended(lines: list[str]) -> list[str]:
    """The lines, the last of them with its end."""
    if lines and not lines[-1].endswith("\n"):
        return [*lines[:-1], f"{lines[-1]}\n"]
    return lines


# ----------------------------------------------------------------------- settings and lists by key

# The lists of ours: the member that has the rows, and by what a row is known.
_LISTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "pins.json": ("pinned", ("id",)),
    "dismissed.json": ("dismissed", ("what", "memories")),
    "skills.json": ("settled", ("name", "type")),
}
RULINGS = "rulings.toml"
VIEWS = ("facts.json", ".index.json", ".skill-candidates.json")
BY_KEY = ("config.toml", RULINGS, *_LISTS, *VIEWS)
_TABLE = Pattern(r"[ \t]*\[([^\[\]]+)\][ \t]*(?:#.*)?")
_KEY = Pattern(r"[ \t]*([\w.\"'-]+)[ \t]*=")
_DATE = Pattern(r"^date = \"([^\"]*)\"", 8)  # re.M
_END = "\uffff"  # sorts, and stands, behind every table


def merged_by_key(name: str, base: str, ours: str, theirs: str) -> MergedText:
    """Two texts of a settings file or a list (one of `BY_KEY`) as one, key by key.

    Who changed a key alone gets it. Of two values the same one holds in whichever order it is
    merged, and a comment has the other; of two decisions about one thing the newer one holds. Of a
    view, which is made anew, ours.

    Raises:
        CannotMerge: a text cannot be read.
    """
    if name in VIEWS or theirs in (ours, base):
        return MergedText(ours, 0)
    if ours == base:
        return MergedText(theirs, 0)
    texts = [text.replace("\r\n", "\n") for text in (base, ours, theirs)]
    made = _lists(name, *texts) if name in _LISTS else _tables(name, *texts)
    return MergedText(made.replace("\n", "\r\n") if "\r\n" in ours else made, 0)


def _lists(name: str, *texts: str) -> str:
    from recollect.text.json_edit import root_of, rows_in, with_rows  # for merges only

    key, fields = _LISTS[name]
    known: list[dict[str, Any]] = []
    for text in texts:
        rows: dict[str, Any] = {}
        try:
            if text.strip():
                root_of(text)
        except ValueError as error:
            raise CannotMerge(str(error)) from None
        for row in rows_in(text, key):
            about: list[Any] = [row.get(f) for f in fields] if isinstance(row, dict) else [row]
            names = [sorted(map(str, one)) if isinstance(one, list) else one for one in about]
            rows.setdefault(repr(names), row)
        known.append(rows)
    old, own, other = known
    kept = []
    for one in dict.fromkeys((*own, *other)):
        row = _one_of(old.get(one), own.get(one), other.get(one), _newer_row)
        if row is not None:
            kept.append(row)
    return with_rows(texts[1] or texts[2], key, kept, 1)


def _newer_row(one: Any, other: Any) -> Any:
    """The newer of two rows, whichever comes first."""
    dates = [str(row.get("date", "")) if isinstance(row, dict) else "" for row in (one, other)]
    newer = max((dates[0], repr(one), 0), (dates[1], repr(other), 1))
    return (one, other)[newer[2]]


def _one_of(old: Any, own: Any, other: Any, choose: Callable[[Any, Any], Any]) -> Any:
    """The merged value, None for none; one that a side changed and the other removed stays."""
    if other in (own, old):
        return own
    if own == old or own is None:
        return other
    return own if other is None else choose(own, other)


def _tables(name: str, *texts: str) -> str:
    """The text of a TOML file with the settings and the comments of both sides."""
    if any(marks_in(text) for text in texts):
        raise CannotMerge("it has conflict marks")
    choose = _newer_ruling if name == RULINGS else _greater_value
    old, own, other = (_blocks(text, whole=name == RULINGS) for text in texts)
    made: dict[tuple[str, str], str] = {}
    for about in dict.fromkeys((*own, *other)):
        block = _one_of(old.get(about), own.get(about), other.get(about), choose)
        if block is not None:
            made[about] = block
    rows = []
    for table in sorted({table for table, _ in made}, key=lambda table: (table == _END, table)):
        if table not in ("", _END) and (table, "") not in made:
            rows.append(f"[{table}]\n")
        keys = sorted((key for one, key in made if one == table), key=bool)
        rows += [made[table, key] for key in keys]
    text = "".join(rows)
    _require_toml(text)
    return text


def _require_toml(text: str) -> None:
    import tomllib  # for merges only

    try:
        tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise CannotMerge(f"it is not valid TOML ({error})") from None


def _blocks(text: str, *, whole: bool) -> dict[tuple[str, str], str]:
    """The lines of each key with the comments before it, by table and key; `whole` tables as one.

    The line of a table has no key, and neither have the comments at the top; what stands behind the
    last key is a table of its own.
    """
    _require_toml(text)
    found: dict[tuple[str, str], str] = {}
    lines = _ended(text.splitlines(keepends=True))
    start = next((n for n, line in enumerate(lines) if line[0] != "#"), len(lines))
    if start and start < len(lines) and lines[start].strip():
        start = 1  # what stands right before a key is said of it
    if start:
        found["", ""] = "".join(lines[:start])
    table, key, before, is_open = "", "", "", False
    for line in lines[start:]:
        head, row = _TABLE.fullmatch(line.rstrip("\n")), _KEY.match(line)
        if not is_open and (head or row) and not (whole and row and table):
            table, key = (head[1].strip(), "") if head else (table, row[1] if row else "")
            if (table, key) in found:
                raise CannotMerge("a key stands there twice")
            found[table, key], before = before + line, ""
            is_open = bool(row) and not _is_whole(line)
        elif is_open or row:  # a value of several lines, or a row of a table that is taken whole
            found[table, key] += before + line
            before, is_open = "", is_open and not _is_whole(found[table, key])
        else:
            before += line
    return found | ({(_END, ""): before} if before else {})


def _is_whole(lines: str) -> bool:
    try:
        _require_toml(lines)
    except CannotMerge:
        return False
    return True


def _newer_ruling(one: str, other: str) -> str:
    dates = [found[1] if (found := _DATE.search(block)) else "" for block in (one, other)]
    return max((dates[0], one), (dates[1], other))[1]


def _greater_value(one: str, other: str) -> str:
    """The block with the greater value, with the other value, and its comments, as comments."""
    (said, kept), (unsaid, more) = sorted(
        (_split_comments(one), _split_comments(other)), reverse=True
    )
    remarks = [line for line in more if line.strip() and line not in kept]
    if unsaid != said:
        remarks.append(f"# merged, the other side has {' '.join(unsaid.split())}\n")
    return "".join([*kept, *remarks, said])


def _split_comments(block: str) -> tuple[str, list[str]]:
    """`(lines of the key, comments before it)` of a block."""
    lines = block.splitlines(keepends=True)
    start = next((n for n, line in enumerate(lines) if line.strip() and line.strip()[0] != "#"), len(lines))  # fmt: skip
    return "".join(lines[start:]), lines[:start]


# -------------------- Places where a merge left both wordings, for a person to choose.


_BOTH = "<!-- merged: both sides changed this; keep one of the two wordings"
SEPARATOR = f"{_BOTH} -->"
_SEPARATOR = Pattern(
    rf"[ \t]*{_BOTH}(?: \((\d{{1,5}}) lines above, (\d{{1,5}}) below\))? -->[ \t]*"
)


class Wordings(NamedTuple):
    """Two wordings, and the number of the line between them, counted from 1."""

    line: int
    first: str
    second: str


def separator(above: int, below: int) -> str:
    """The line between two wordings of so many lines."""
    is_usual = (above, below) == (1, 1)
    return SEPARATOR if is_usual else f"{_BOTH} ({above} lines above, {below} below) -->"


def wordings_in(text: str) -> list[Wordings]:
    """The places of a text with two wordings, in order."""
    lines = text.splitlines() if _BOTH in text else []
    places = [(at, _wordings_at(lines, at)) for at in range(len(lines))]
    return [
        Wordings(at + 1, "\n".join(lines[place[0]]).strip(), "\n".join(lines[place[1]]).strip())
        for at, place in places
        if place
    ]


def with_one_wording(text: str, line: int, keep: str) -> str:
    """The text with the `first` wording of a place, the `second`, `both` or `neither`."""
    lines = text.splitlines(keepends=True)
    place = _wordings_at([row.rstrip("\r\n") for row in lines], line - 1)
    if place is None:
        return text
    first, second = place
    gap = lines[first.stop : first.stop + 1] if first.stop < line - 1 else []  # a blank line
    kept = {
        "first": lines[first],
        "second": lines[second],
        "both": [*lines[first], *gap, *lines[second]],
        "neither": [],
    }
    return "".join([*lines[: first.start], *kept[keep], *lines[second.stop :]])


def _wordings_at(lines: list[str], at: int) -> tuple[slice, slice] | None:
    """The lines of both wordings, if the line `at` separates two."""
    match = _SEPARATOR.fullmatch(lines[at]) if 0 <= at < len(lines) else None
    if match is None:
        return None
    above, below = int(match[1] or 1), int(match[2] or 1)
    is_apart = 0 < at < len(lines) - 1 and not (lines[at - 1].strip() or lines[at + 1].strip())
    end, start = at - is_apart, at + 1 + is_apart
    return slice(max(0, end - above), end), slice(start, min(len(lines), start + below))
