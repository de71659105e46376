"""The lines of the journal: their form, where each stands, and how old ones are taken out.

`Catalogue` knows the position of each change, so that one can be read alone. Promises: a file that
grew is read from its old end, a rewritten one from its start. A remembered position is checked
against its line.
Touches: `journal/ops-*.jsonl` (reading).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache

from recollect._fastimport import Any, NamedTuple
from recollect.model.memory import Op
from recollect.store import disk, locations

TYPE_CHECKING = False

if TYPE_CHECKING:
    import re

    Line = Mapping[str, Any]


# -------------------- A text as its differences from an earlier one.


SHORTEST_SPAN = 40  # characters; a shorter one costs less when it is repeated

DeltaPart = str | list[int]  # new text, or `[start, end]` in characters of the old one


def delta_between(old: str, new: str) -> list[DeltaPart]:
    """The parts that make up `new`: its own text, and spans of `old`."""
    locations: dict[str, int] = {}
    for start, line in _lines_of(old):
        locations.setdefault(line, start)
    parts: list[DeltaPart] = []
    own: list[str] = []
    start = end = 0  # the span of `old` that is being copied
    for _, line in _lines_of(new):
        if end > start and old.startswith(line, end):
            end += len(line)
            continue
        _end_span(parts, own, old, start, end)
        start = locations.get(line, -1)
        end = start + len(line)
        if start < 0:
            own.append(line)
            start = end = 0
    _end_span(parts, own, old, start, end)
    if own:
        parts.append("".join(own))
    return parts


def _end_span(parts: list[DeltaPart], own: list[str], old: str, start: int, end: int) -> None:
    """End a span of `old`, if it is long enough to be one."""
    if end - start < SHORTEST_SPAN:
        own.append(old[start:end])
        return
    if any(own):
        parts.append("".join(own))
    own.clear()
    parts.append([start, end])


def _lines_of(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield start, text[start : end + 1]
        start = end + 1
    if start < len(text):
        yield start, text[start:]


def delta_size(parts: Sequence[DeltaPart]) -> int:
    """About how many characters these parts take in a file."""
    return sum(len(part) if isinstance(part, str) else 16 for part in parts)


def apply_delta(old: str, parts: object) -> str | None:
    """The text that the parts make of `old`; None if they do not fit it."""
    if not isinstance(parts, list):
        return None
    made: list[str] = []
    for part in parts:
        match part:
            case str():
                made.append(part)
            case [int(start), int(end)] if 0 <= start <= end <= len(old):
                made.append(old[start:end])
            case _:
                return None
    return "".join(made)


# -------------------- The form of the journal's lines.


FILE_OPS = ("put", "move", "remove")


class DeltaText(NamedTuple):
    """A text by its difference from that of another op, `base`."""

    base: str
    parts: list[DeltaPart]


def split(pieces: Iterable[bytes], offset: int = 0) -> Iterator[tuple[bytes, int]]:
    """The whole lines of a file whose pieces these are, each with the offset behind it.

    `offset` is where the first piece begins.
    """
    begun: list[bytes] = []  # of a line that goes on in the next piece
    for piece in pieces:
        start = 0
        while (end := piece.find(b"\n", start)) >= 0:
            line = piece[start:end]
            if begun:
                line = b"".join([*begun, line])
                begun.clear()
            offset += len(line) + 1
            yield line, offset
            start = end + 1
        if start < len(piece):
            begun.append(piece[start:])


def in_order(ops: Iterable[Op]) -> list[Op]:
    """The ops in the order in which they hold."""
    return sorted(ops, key=lambda op: (op.seq, op.writer, op.op_id))


def whole(ops: list[Op]) -> list[Op]:
    """The ops of a group, each once, or none if some are missing."""
    once = list({op.op_id: op for op in ops}.values())
    return once if len(once) >= ops[0].of else []


def line_of(data: dict[str, Any]) -> bytes:
    """An object as a line, sealed."""
    import json

    try:
        raw = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    except UnicodeEncodeError:  # bytes that were no UTF-8 in the file: kept as escapes
        raw = json.dumps(data, separators=(",", ":")).encode("ascii")
    return locations.with_checksum(raw)


def checked(raw: bytes) -> dict[str, Any] | None:
    """The object in a line, if the line is what its writer sealed."""
    if len(raw) < 20 or raw[-18:-10] != b',"sum":"' or raw[-2:] != b'"}':
        return None
    body = raw[:-18] + b"}"
    from binascii import crc32  # most commands find nothing to read

    if b"%08x" % crc32(body) != raw[-10:-2]:
        return None
    import json

    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def json_of(op: Op, said: DeltaText | None = None) -> dict[str, Any]:
    """The JSON of an op, with its text as a difference where that is known."""
    data = op._asdict()
    text = data.pop("text")
    data = {key: value for key, value in data.items() if value or key not in ("to", "undoes", "by")}
    if said is not None:
        return data | {"base": said.base, "parts": said.parts}
    return data if text is None else data | {"text": text}


def number(value: object) -> int:
    """A number of a line, 0 where it has none."""
    return value if isinstance(value, int) else 0


def op_of(data: dict[str, Any]) -> Op | None:
    """The op about a file that a line holds, if it holds one."""
    if data.get("op") not in FILE_OPS or not isinstance(data.get("group"), str):
        return None
    text = data.get("text")
    return Op(
        op=data["op"],
        op_id=str(data.get("op_id", "")),
        group=data["group"],
        of=number(data.get("of", 1)),
        seq=number(data.get("seq", 0)),
        time=str(data.get("time", "")),
        writer=str(data.get("writer", "")),
        cause=str(data.get("cause", "")),
        memory=str(data.get("memory", "")),
        path=str(data.get("path", "")),
        before=data.get("before"),
        after=data.get("after"),
        text=text if isinstance(text, str) else None,
        to=str(data.get("to", "")),
        undoes=str(data.get("undoes", "")),
        by=str(data.get("by", "")),
    )


OPS_PREFIX = "ops-"  # of the files of commands and workers
LARGEST_SEGMENT = 512 * 1024 * 1024
SEAL_BYTES = 19  # the end of a line, which tells whether it is still the one that was read

_TEXT = rb'"((?:[^"\\\\]|\\\\.)*)"'
_HEAD = (
    rb'\{"op":"(?:put|move|remove)","op_id":"([^"]*)","group":"([^"]*)","of":\d+,"seq":(\d+),'
    rb'"time":"[^"]*","writer":' + _TEXT + rb',"cause":' + _TEXT + rb',"memory":' + _TEXT + rb","
    rb'"path":' + _TEXT + rb',"before":(?:null|"[^"]*"),"after":(?:null|"([^"]*)")'
)


class Place(NamedTuple):
    """Where a line stands, with the values that ops are searched by."""

    name: str
    start: int
    end: int
    op_id: str
    group: str
    seq: int
    memory: bytes  # as JSON, without its quotes
    path: bytes
    after: str


class Base(NamedTuple):
    """The last text of a file, and how many differences it is from one that stands whole."""

    op_id: str
    stamp: str | None
    text: str
    steps: int


class Catalogue:
    """The places of the ops in a journal's folder."""

    def __init__(self, folder: str, files: Callable[[], dict[str, int]]) -> None:
        """`files` gives the files with ops and their sizes."""
        self._folder, self._files = folder, files
        self._begin_anew()

    def _begin_anew(self) -> None:
        self._seen: dict[str, tuple[int, bytes]] = {}  # to where, and how that looked
        self._ops: dict[str, Place] = {}
        self._groups: dict[str, list[Place]] = {}
        self._void: set[str] = set()
        self._by: dict[str, dict[Any, list[Place]]] = {"after": {}, "path": {}, "memory": {}}

    # --------------------------------------------------------------------------------- asking

    def text_of(self, stamp: str) -> str | None:
        """The text that had this stamp, if an op that holds has it."""
        self._follow()
        for place in reversed(self._by["after"].get(stamp, ())):
            text = self.text_of_op(place.op_id) if self._holds(place) else None
            if text is not None:
                return text
        return None

    def ops_about(self, field: str, value: str) -> list[Op]:
        """Every op that holds and has this value in its `path` or `memory`, newest first."""
        self._follow()
        found = []
        texts: dict[str, str] = {}  # each builds on one of those before it
        for place in sorted(self._places(field, value), key=lambda one: one.seq):
            op = self._op_at(place)
            if op and getattr(op, field) == value and self._holds(place):
                text = self.text_of_op(op.op_id, texts)
                found.append(op._replace(text=text))
                if text is not None:
                    texts[op.op_id] = text
        return in_order({op.op_id: op for op in found}.values())[::-1]

    def base(self, path: str) -> Base | None:
        """What the last op about this file left there; None if that is no text."""
        self._follow()
        for place in sorted(self._places("path", path), key=lambda one: -one.seq):
            op = self._op_at(place)
            if op and self._holds(place):
                text = self.text_of_op(op.op_id)
                return None if text is None else Base(op.op_id, op.after, text, self._steps(place))
        return None

    def text_of_op(self, op_id: str, texts: Mapping[str, str] | None = None) -> str | None:
        """The text of one op, put together from those that it builds on; `texts` are known."""
        self._follow()
        steps: list[object] = []
        seen: set[str] = set()
        while op_id not in seen:
            seen.add(op_id)
            if texts and op_id in texts:
                return _built(texts[op_id], steps)
            place = self._ops.get(op_id)
            line = self._line_at(place) if place else None
            if line is None:
                return None
            if "parts" not in line:
                text = line.get("text")
                return _built(text, steps) if isinstance(text, str) else None
            steps.append(line["parts"])
            op_id = str(line.get("base"))
        return None

    def _places(self, field: str, value: str) -> list[Place]:
        import json

        # A text that is no UTF-8 has its whole line in escapes.
        said = {
            json.dumps(value, ensure_ascii=plain)[1:-1].encode("utf-8", "surrogatepass")
            for plain in (True, False)
        }
        return [place for one in said for place in self._by[field].get(one, ())]

    def _steps(self, place: Place) -> int:
        steps, line = 0, self._line_at(place)
        while line and "parts" in line:
            steps += 1
            base = self._ops.get(str(line.get("base")))
            line = self._line_at(base) if base else None
        return steps

    def _holds(self, place: Place) -> bool:
        ops = [self._op_at(one) for one in self._groups.get(place.group, ())]
        found = [op for op in ops if op]
        return bool(found and whole(found)) and place.group not in self._void

    def _op_at(self, place: Place) -> Op | None:
        line = self._line_at(place)
        return op_of(line) if line else None

    def _line_at(self, place: Place) -> dict[str, Any] | None:
        data = _piece(os.path.join(self._folder, place.name), place.start, place.end)
        line = checked(data)
        return line if line and line.get("op_id") == place.op_id else None

    # --------------------------------------------------------------------------------- following

    def _follow(self) -> None:
        """Take in what was added to the files; all of them again if one was rewritten."""
        files = self._files()
        for name, (end, seal) in self._seen.items():
            path = os.path.join(self._folder, name)
            if files.get(name, 0) < end or _piece(path, end - len(seal), end) != seal:
                self._begin_anew()
                break
        for name, size in files.items():
            end, _ = self._seen.get(name, (0, b""))
            if size > end:
                self._take_in(name, end)

    def _take_in(self, name: str, offset: int) -> None:
        raw, end = b"", 0
        path = os.path.join(self._folder, name)
        for raw, end in split(disk.pieces_of(path, LARGEST_SEGMENT, offset), offset):
            place = _place_in(raw, name, end - len(raw) - 1)
            if isinstance(place, str):
                self._void.add(place)
            elif place and place.op_id not in self._ops:
                self._ops[place.op_id] = place
                self._groups.setdefault(place.group, []).append(place)
                self._by["path"].setdefault(place.path, []).append(place)
                self._by["memory"].setdefault(place.memory, []).append(place)
                if place.after:
                    self._by["after"].setdefault(place.after, []).append(place)
        if end:
            self._seen[name] = (end, raw[1 - SEAL_BYTES :] + b"\n")

    # --------------------------------------------------------------------------------- forgetting

    def forget(self, texts: Collection[str], groups: Collection[str]) -> int:
        """Take out every group, and every text by its stamp, but these; gives the bytes that became free.

        Each goes or stays as a whole; a text that stays can be read at any moment, also after a
        crash. The caller keeps all other writers away.
        """
        paths = self._paths()
        before = sum(map(os.path.getsize, paths))
        kept = {
            line["op_id"]
            for path in paths
            for raw in _lines_in(path)
            if (line := checked(raw)) and line.get("after") in texts and "op_id" in line
        }
        self._take_out(lambda op_id: op_id not in kept, "forgotten", {"", *groups})
        return before - sum(map(os.path.getsize, paths))

    def purge(self, ops: Collection[str]) -> None:
        """Take out the texts of these ops, as `forget` does."""
        self._take_out(lambda op_id: op_id in ops, "purged")

    def _paths(self) -> list[str]:
        return [os.path.join(self._folder, name) for name in self._files()]

    def _take_out(
        self, is_going: Callable[[object], bool], mark: str, groups: Collection[str] | None = None
    ) -> None:
        def standing_alone(line: Line) -> Line:
            """A line that says its text by what is going to be taken out says all of it from now on."""
            if "parts" in line and not is_going(line.get("op_id")) and is_going(line.get("base")):
                text = self.text_of_op(line["op_id"])
                if text is not None:
                    return _without(line, "base", "parts") | {"text": text}
            return line

        def without_text(line: Line) -> Line | None:
            if groups is not None and line.get("group", "") not in groups:
                return None
            has_text = line.get("text") is not None or "parts" in line
            if has_text and "after" in line and is_going(line.get("op_id")):
                return _without(line, "base", "parts") | {"text": None, mark: True}
            return line

        for change in (standing_alone, without_text):
            for path in self._paths():
                old = list(_lines_in(path))
                new = [made for raw in old if (made := _changed(raw, change)) is not None]
                if new != old:
                    write_lines(path, new)


def _place_in(raw: bytes, name: str, start: int) -> Place | str | None:
    """The op that a line seems to hold, or the group that it voids."""
    found = _head().match(raw)
    if found:
        op_id, group, seq, _, _, memory, path, after = found.groups()
        stamp = (after or b"").decode("ascii", "replace")
        return Place(
            name, start, start + len(raw), op_id.decode("utf-8", "replace"),
            group.decode("utf-8", "replace"), int(seq), memory, path, stamp,
        )  # fmt: skip
    if raw.startswith(b'{"op":"done"'):
        return None
    line = checked(raw)  # `void`, or somebody else's order of fields
    if line and line.get("op") == "void":
        return str(line.get("group"))
    op = op_of(line) if line else None
    if op is None:
        return None
    memory, path = (_as_json(text) for text in (op.memory, op.path))
    return Place(
        name, start, start + len(raw), op.op_id, op.group, op.seq, memory, path, op.after or ""
    )


@cache
def _head() -> re.Pattern[bytes]:
    import re  # takes as long to load as a search

    return re.compile(_HEAD)


def _as_json(text: str) -> bytes:
    import json

    return json.dumps(text)[1:-1].encode()


def _built(text: str, steps: Iterable[object]) -> str | None:
    made: str | None = text
    for parts in reversed(list(steps)):
        made = None if made is None else apply_delta(made, parts)
    return made


def _piece(path: str, start: int, end: int) -> bytes:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.pread(handle, end - start, start)
    finally:
        os.close(handle)


def _without(line: Line, *keys: str) -> dict[str, Any]:
    return {key: value for key, value in line.items() if key not in (*keys, "sum")}


def _lines_in(path: str) -> Iterator[bytes]:
    return (raw for raw, _ in split(disk.pieces_of(path, LARGEST_SEGMENT)))


def write_lines(path: str, lines: Iterable[bytes]) -> None:
    """Put these lines in place of a file of the journal."""
    disk.write_whole(path, b"".join(raw + b"\n" for raw in lines))
    disk.sync_folder(os.path.dirname(path))


def _changed(raw: bytes, change: Callable[[Line], Line | None]) -> bytes | None:
    """A line after the change, None where nothing of it stays."""
    line = checked(raw)
    if line is None:
        return raw
    made = change(line)
    if made is None or made is line:
        return None if made is None else raw
    return line_of(dict(made)).rstrip(b"\n")
