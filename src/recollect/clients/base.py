"""What the clients have in common: our entries in their files, and how their transcripts are read.

Of a transcript the lines are read that were appended since the last offset: only whole lines, each
once. A truncated or rewritten file is read from its start. Pipes are not waited for.
"""

from __future__ import annotations

import json
import os
import re
import stat
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence

from recollect._fastimport import NamedTuple
from recollect.model import times
from recollect.model.session import Event
from recollect.ports import Portion

TYPE_CHECKING = False  # `typing` takes 2 ms to load, in every worker
if TYPE_CHECKING:
    from typing import Any, BinaryIO, Protocol
else:
    Protocol = object


# -------------------- Our entries in the files of a client.


NOTHING: frozenset[str] = frozenset()


class HookProgram(NamedTuple):
    """How our program is run: the interpreter and the hook program, both absolute."""

    python: str
    hook: str
    asks: bool = False  # some store has the agent asked (`capture.mode = ask`): tool uses count

    def hook_command(self, client: str, event: str) -> str:
        """The command line of a hook, in the shell form that every client understands."""
        return f"{_quoted(self.python)} -I -S {_quoted(self.hook)} {client} {event}"

    @property
    def server(self) -> list[str]:
        """The words of a command that serves the memory to the client's tools."""
        main = os.path.join(os.path.dirname(self.hook), "__main__.py")
        return [self.python, "-I", main, "mcp"]

    @property
    def entry(self) -> dict[str, str | list[str]]:
        """The same in the form of most settings files."""
        command, *args = self.server
        return {"command": command, "args": args}


def _quoted(path: str) -> str:
    return '"' + re.sub(r'(["\\$`])', r"\\\1", path) + '"'


class ConfigFormat(Protocol):
    """The form of our entries in a file of a client."""

    def put(self, text: str) -> str:
        """The text with our entries up to date. Raises ValueError."""

    def taken(self, text: str, theirs: frozenset[str] = NOTHING) -> str:
        """The text without our entries. Raises ValueError.

        What is then empty is removed too, unless `theirs` says that it was there before us.
        """

    def empties(self, text: str) -> list[str]:
        """The places for our entries that are there and empty. Raises ValueError."""


class ConfigPart(NamedTuple):
    """A file of a client, and our entries in it."""

    name: str  # hooks, mcp, …; the first one of a client has none
    path: str
    form: ConfigFormat


class CombinedForms(NamedTuple):
    """Several things in one file."""

    forms: Sequence[ConfigFormat]

    def put(self, text: str) -> str:
        """The text with all of it."""
        for form in self.forms:
            text = form.put(text)
        return text

    def taken(self, text: str, theirs: frozenset[str] = NOTHING) -> str:
        """The text with none of it."""
        for form in reversed(self.forms):
            text = form.taken(text, theirs)
        return text

    def empties(self, text: str) -> list[str]:
        """The places that are there and empty."""
        return [place for form in self.forms for place in form.empties(text)]


class OwnedFile(NamedTuple):
    """A file that is ours from its first line to its last; `mark` is in it and in no other."""

    text: str
    mark: str

    def put(self, text: str) -> str:
        """Our text. Raises ValueError for a file of somebody else."""
        if text.strip() and self.mark not in text:
            raise ValueError("a file of this name exists that is not ours")
        return self.text

    def taken(self, text: str, theirs: frozenset[str] = NOTHING) -> str:
        """Nothing; a file of somebody else stays as it is."""
        del theirs
        return "" if self.mark in text else text

    def empties(self, text: str) -> list[str]:
        """None: there is one place only."""
        del text
        return []


# -------------------- Reading the lines of a transcript.


_decoded = json.JSONDecoder().decode
PORTION_BYTES = 16 * 1024 * 1024
LONGEST_LINE = 64 * 1024 * 1024


def _added(path: str, offset: int, inode: int) -> tuple[list[bytes], int, int]:
    """The lines of some megabytes that were added since `offset`, where to go on, and the inode.

    All from the start if the file is another.
    """
    file = _opened(path)
    if file is None:
        return [], offset, inode
    with file:
        info = os.fstat(file.fileno())
        if (inode and info.st_ino != inode) or not _is_line_start(file, offset):
            offset = 0
        data, end = _whole_lines(file, offset)
    return [raw for raw in data.split(b"\n") if raw], end, info.st_ino


def first(path: str) -> Iterator[bytes]:
    """The first lines of a file, as far as anybody should look."""
    file = _opened(path)
    if file is None:
        return
    with file:
        while file.tell() < PORTION_BYTES and (raw := file.readline(PORTION_BYTES)):
            yield raw


def lines_with(mark: bytes, path: str) -> Iterator[bytes]:
    """The lines of a file that have these bytes."""
    file = _opened(path)
    if file is None:
        return
    with file:
        while raw := file.readline(PORTION_BYTES):
            if mark in raw:
                yield raw


def _opened(path: str) -> BinaryIO | None:
    """A transcript that can be read: a regular file, not a pipe that somebody put there."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        return None
    return os.fdopen(handle, "rb")


def _is_line_start(file: BinaryIO, offset: int) -> bool:
    """Whether a line starts here, or the last one ends; false if the file was cut or rewritten since."""
    around = os.pread(file.fileno(), 2, offset - 1) if offset else b""
    return offset == 0 or around[:1] == b"\n" or around in (b"}", b"}\n")


def _whole_lines(file: BinaryIO, offset: int) -> tuple[bytes, int]:
    """The whole lines of a portion from `offset` on, and where they end.

    The last line of a file is whole without its end, too, if it is an object: half of one never is.
    A line that is longer than any sane one is passed over.
    """
    size = PORTION_BYTES
    while True:
        data = os.pread(file.fileno(), size, offset)
        end = data.rfind(b"\n") + 1
        if len(data) < size and data.endswith(b"}") and object_of(data[end:]):
            end = len(data)
        if end or len(data) < size:
            return data[:end], offset + end
        if size >= LONGEST_LINE:
            return b"", _end_of_line(file, offset)
        size *= 2


def _end_of_line(file: BinaryIO, offset: int) -> int:
    """Where the line that starts at `offset` ends; `offset` while its end is not written yet."""
    at = offset
    while data := os.pread(file.fileno(), PORTION_BYTES, at):
        newline = data.find(b"\n")
        if newline >= 0:
            return at + newline + 1
        at += len(data)
    return offset


def object_of(raw: bytes | str) -> dict[str, Any]:
    """The object that a line is, with a mark for each half of a character; an empty one for any other line."""
    text = raw if isinstance(raw, str) else raw.decode("utf-8", "replace")
    try:
        return members(without_halves(_decoded(text.removeprefix("\ufeff")), text))
    except (ValueError, RecursionError):
        return {}


def without_halves(value: Any, text: str) -> Any:
    """What the JSON in `text` says, with no surrogate alone: clients cut texts within an emoji.

    A file cannot hold one. Raises RecursionError.
    """
    if "\\ud" not in text and "\\uD" not in text:
        return value
    return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def head_of(path: str) -> dict[str, Any]:
    """The object in the first line of a file; an empty one while there is none."""
    return next((object_of(raw) for raw in first(path)), {})


def is_of_lines(path: str) -> bool:
    """Whether a file may be a transcript: it or one of its first lines is an object, or all are empty."""
    is_empty = True
    for raw in first(path):
        if object_of(raw):
            return True
        is_empty = is_empty and not raw.strip()
    return is_empty or bool(object_of(b"".join(first(path))))


def string(value: object) -> str:
    """The value if it is a string, else an empty one: a field may be of any type."""
    return value if isinstance(value, str) else ""


def quoted(text: str) -> str:
    """A text that the person did not type, as a quotation: nothing in it is their word."""
    return "".join(f"\n> {line}" for line in text.strip().splitlines()) + "\n"


def typed(texts: Iterable[str]) -> str:
    """A prompt that came in several texts: the first is the person's, the others are quoted."""
    said = [text.strip() for text in texts if text.strip()]
    return "".join([*said[:1], *map(quoted, said[1:])]).strip()


# What a client puts into the text of a command when somebody runs it.
_PLACE = re.compile(r"\{\{\s*args\s*\}\}|\$(?:ARGUMENTS|\d+)\b|[!@]\{[^}\n]*\}|!`[^`\n]*`|@\S+")
_FRONT = re.compile(
    r"\A---\n.*?\n---\n|\A.*?^prompt\s*=\s*(?:\"\"\"|\'\'\'|[\"\'])|(?:\"\"\"|\'\'\')\s*.*\Z",
    re.S | re.M,
)
MOST_COMMANDS, LONGEST_BODY, LEAST_BODY = 200, 64 * 1024, 24


def command_bodies(folders: Iterable[str], ending: str) -> list[str]:
    """What the commands in these folders say: of each the longest part that is the same whenever it is run."""
    found = []
    for folder in folders:
        for path in files_in(folder, lambda name: name.endswith(ending))[:MOST_COMMANDS]:
            raw = b"".join(first(path))[:LONGEST_BODY].decode("utf-8", "replace")
            head = _TYPED_BEHIND.match((text := _FRONT.sub("", raw)).strip())
            found += [_FORGED] if head and _PLACE.sub("", head[1]).strip() else []
            found.append(max((" ".join(part.split()) for part in _PLACE.split(text)), key=len))
    return [body for body in found if len(body) >= LEAST_BODY]


# The head of a command of spec-kit, which is the same in each client: what was typed behind its name.
_TYPED_BEHIND = re.compile(r"\A## (?:User Input|用户输入)\s+```text\n(.*?)\n?```\n(?=.*\S)", re.S)
_FORGED = "\0" * LEAST_BODY  # among the bodies, if a command has words there that nobody typed


def without_commands(events: Iterable[Event], bodies: Sequence[str]) -> list[Event]:
    """The events; of a command's body what was typed behind its name remains, or it is a program's."""
    return [_without_command(one, bodies) if one.kind == "prompt" else one for one in events]


def _without_command(prompt: Event, bodies: Sequence[str]) -> Event:
    if head := _TYPED_BEHIND.match(prompt.text):
        if (typed := head[1].strip()) and _FORGED not in bodies:
            return prompt._replace(text=typed)
        return prompt._replace(tool="command", program=True)
    plain = " ".join(prompt.text.split())
    return prompt._replace(program=True) if any(body in plain for body in bodies) else prompt


_OLD, _NEW = ("old_string", "oldString", "old_str"), ("new_string", "newString", "new_str")
MOST_CHANGED = 3  # lines that say what an edit changed
LONGEST_CHANGE = 100


def change_of(given: dict[str, Any]) -> str:
    """What an edit changed, in a line: ``"a": 1` → `"a": 2``; nothing where it is more than a few lines."""
    old, new = ([string(given[key]) for key in keys if key in given] for keys in (_OLD, _NEW))
    if not old or not new:
        return ""
    return change_between(old[0][:20_000].splitlines(), new[0][:20_000].splitlines())


def change_between(old: list[str], new: list[str]) -> str:
    """The change between two texts, in the form of `change_of`; nothing where the lines around it tell of a secret."""
    change = _change_between(old, new)
    if change and max(len(old), len(new)) > 1 and any(map(str.isdigit, change)):
        from recollect.text.redact import without_secrets  # most changes have no number

        for text in ("\n".join(old), "\n".join(new)):
            if without_secrets(text) != text:
                return ""
    return change


def _change_between(old: list[str], new: list[str]) -> str:
    while old and new and old[0].strip() == new[0].strip():
        old, new = old[1:], new[1:]
    while old and new and old[-1].strip() == new[-1].strip():
        old, new = old[:-1], new[:-1]
    gone, added = (" ".join(" ".join(lines).split()) for lines in (old, new))
    if max(len(old), len(new)) > MOST_CHANGED or max(len(gone), len(added)) > LONGEST_CHANGE:
        return ""
    gone, added = gone.replace("`", "'"), added.replace("`", "'")
    if not (gone and added):
        return f"- `{gone}`" if gone else f"+ `{added}`" if added else ""
    return f"`{gone}` → `{added}`"


_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.M)


def files_patched(patch: str) -> list[str]:
    """The files that a patch in the form of `apply_patch` changes."""
    return _PATCHED.findall(patch)


def changes_patched(patch: str) -> list[tuple[str, str]]:
    """These files, each with what was changed in it, in the form of `change_of`."""
    _, *told = _PATCHED.split(patch)
    found = []
    for path, text in zip(map(str.strip, told[::2]), told[1::2], strict=True):
        if not path:
            continue
        hunk = [line for line in text[:20_000].splitlines() if line[:1] in ("-", "+", " ")]
        old, new = ([line[1:] for line in hunk if line[0] != sign] for sign in "+-")
        found.append((path, change_between(old, new)))
    return found


def members(value: object) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def titled(events: list[Event], title: str) -> list[Event]:
    """The events of a portion with the title that is kept beside them; it is told once."""
    if not events or not title.strip():
        return events
    name = f"t{zlib.crc32(title.encode('utf-8', 'replace')):08x}"
    return [*events, Event("title", events[-1].time, text=title.strip(), tool="client", id=name)]


# -------------------- What a person answered.


_NO_OPTION = frozenset(("none of the above", "other", "unanswered", "cancelled", "canceled"))


def choices(
    questions: Iterable[dict[str, Any]], answers: Sequence[object], time: str, name: str
) -> Iterator[Event]:
    """A person's answers to an agent's questions, without those that they left out.

    An answer is a text or a list of texts. `tool` is `typed` where words of their own are in it.
    """
    for n, (question, answer) in enumerate(zip(questions, answers, strict=False)):
        asked = string(question.get("question")).strip()
        rows = question.get("options") or question.get("choices")
        options: dict[str, str] = {}
        for row in rows if isinstance(rows, list) else ():
            label = string(row.get("label") if isinstance(row, dict) else row).strip()
            options[label] = string(members(row).get("description")).strip()
        picked, own = _picked(list(filter(None, options)), answer)
        text = ", ".join((*picked, *own))
        if asked and text:
            yield Event(
                "choice",
                time,
                text,
                "typed" if own else "",
                target=asked,
                id=f"{name}.q{n}",
                options=tuple(label for label in options if label not in picked),
                topic=string(question.get("header")).strip(),
                detail=options[picked[0]] if len(picked) == 1 else "",
            )


def _picked(labels: list[str], answer: object) -> tuple[list[str], list[str]]:
    """The options that an answer picks, and what the person wrote themselves."""
    if isinstance(answer, str):
        rest = f", {answer.strip()}, "
        picked = []
        for label in sorted(labels, key=len, reverse=True):
            if f", {label}, " in rest:
                picked.append(label)
                rest = rest.replace(f", {label}, ", ", ", 1)
        own = [rest.strip(", ")]
        picked.sort(key=labels.index)
    else:
        said = [string(one).strip() for one in answer] if isinstance(answer, list) else []
        picked = [one for one in said if one in labels]
        own = [one.removeprefix("user_note:").strip() for one in said if one not in labels]
    return picked, [one for one in own if one and one.casefold() not in _NO_OPTION]


def objects(value: object) -> list[dict[str, Any]]:
    """The items of a list that are objects."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def time_of(text: object) -> str:
    """A time in our form (theirs has milliseconds); empty if it is no time."""
    return times.time_of(f"{text[:19]}Z") if isinstance(text, str) and len(text) >= 20 else ""


def files_in(folder: str, is_one: Callable[[str], bool], skipped: Iterable[str] = ()) -> list[str]:
    """The files in a folder and below that are one, oldest first; a file is its own list."""
    if os.path.isfile(folder):
        return [folder]
    found: list[tuple[float, str]] = []
    for base, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in skipped]
        for name in files:
            path = os.path.join(base, name)
            if is_one(path) and not os.path.islink(path):
                found.append((os.path.getmtime(path), path))
    return [path for _, path in sorted(found)]


def string_in(value: dict[str, Any], *keys: str) -> str:
    """The value of the first of these keys that has one."""
    return next((string(value[key]) for key in keys if value.get(key)), "")


def todos_in(value: object, text: str) -> tuple[tuple[str, str, str], ...]:
    """The to-dos of a list that is kept as a whole; their texts stand under this key."""
    rows = (row for row in objects(value) if row.get(text))
    return tuple((string(row.get("status")), string(row[text]), "") for row in rows)


OWN_TOOL = "recollect"  # what our own tools answer is what was captured before
# The tools of our own server (`interfaces/mcp`); a test holds that it has no other.
OUR_TOOLS = ("recall", "search", "remember", "update", "forget", "expand", "timeline", "status")


def is_ours(name: str, prefixes: tuple[str, ...]) -> bool:
    """Whether a client's name for a tool is that of one of ours: no other server has such a name."""
    return any(name.startswith(p) and name[len(p) :] in OUR_TOOLS for p in prefixes)


# How our commands and tools, and our files, say that something came from outside.
_SECOND_HAND = re.compile(
    r"\btrust[\\\"'=: ]{1,9}external\b|(?:trust|信任) +(?:external|外部)"
    r"| \(external\)(?: [|^[]|$)|（外部）$|, (?:external|外部)(?=\)|$)|(?:^|  |· )(?:external|外部)(?= ·|  |$)"
    r"|, (?:(?:concluded |told )?from|seen) outside$|[，,] ?(?:来自外部|外部所见|由外部推断|外部告知)$|^## (?:Noted from outside|外部来源的要点)",
    re.M,
)


def is_second_hand(answer: str) -> bool:
    """Whether something that we answered came from outside: who reads it has read the page."""
    return bool(_SECOND_HAND.search(answer))


# What tools that bring something from outside are called, whoever serves them.
_OUTSIDE = re.compile(r"mcp|web|fetch|brows|crawl|scrape|search_engine|code_?search", re.I)


def is_outside(name: str) -> bool:
    """Whether a tool, by its name, brings something from outside; where a server has it from, nobody knows."""
    return bool(_OUTSIDE.search(name))


# -------------------- What the readers of transcripts that are files of lines have in common.


class TranscriptReading:
    """The events read from a portion."""

    def __init__(self, session: str) -> None:
        """Nothing yet, of this session."""
        self.program = False  # whether programs send its prompts
        self.session = session
        # Of the transcript; of a sub-agent's behind those of the agents above it.
        self.paths: tuple[str, ...] = ()
        self.events: list[Event] = []
        self.cwd = self.branch = self._title = ""

    def called(self, title: object, giver: str = "client", leaf: str = "") -> None:
        """Take in a title that the client gives the session; it has no id, as it may come again."""
        text = " ".join(string(title).split())
        if text and text != self._title:
            self._title = text
            self.events.append(Event("title", text=text, tool=giver, target=leaf))

    def take(self, raw: bytes) -> None:
        """Take in the events of a line; lines of unknown kinds have none."""
        raise NotImplementedError

    def read_pages(self, events: Iterable[Event]) -> None:
        """Take in, of what a sub-agent did, only that it read pages."""
        pages = (event for event in events if event.is_page)
        self.events += (Event("web", event.time, id=f"{event.id}s") for event in pages)

    def read_sub_agent(self, path: str, time: str, name: str) -> None:
        """Take in, of the transcript of a sub-agent, only that it read pages."""
        if path in self.paths:
            return
        its = type(self)("")
        its.paths = (*self.paths, path)
        for raw in first(path):
            its.take(raw)
        if any(event.is_page for event in its.events):
            self.events.append(Event("web", time, id=name))


class LineTranscripts:
    """A reader of transcripts; subclasses know what a line means."""

    skipped: tuple[str, ...] = ()  # folders without transcripts of their own
    reading = TranscriptReading  # what a portion's lines are taken in by

    def session_of(self, path: str) -> str:
        """The session that a transcript is of, or nothing; sub-agents have none."""
        raise NotImplementedError

    def is_named(self, path: str) -> bool:
        """Whether a file has the name of a transcript."""
        raise NotImplementedError

    def find(self, folder: str) -> list[str]:
        """The transcripts in a folder and below, oldest first; a file is its own list."""
        return files_in(
            folder, lambda path: self.is_named(path) and bool(self.session_of(path)), self.skipped
        )

    def is_of_program(self, path: str) -> bool:
        """Whether a program started the session; here, because no line says so."""
        del path
        return False

    def moved(self, path: str) -> str:
        """The same path: a transcript stays where it was begun."""
        return path

    def folder_of(self, path: str) -> str:
        """The folder in which the session was started, or nothing."""
        reading = self.reading("")
        for raw in first(path):
            if b'"cwd"' in raw:
                reading.take(raw)
            if reading.cwd:
                break
        return reading.cwd

    def read(self, path: str, offset: int, inode: int) -> Portion:
        """Some megabytes of what was added since `offset`; from the start if the file is another."""
        added, end, inode = _added(path, offset, inode)
        reading = self.reading(self.session_of(path))
        reading.program = self.is_of_program(path)
        reading.paths = (path,)
        for raw in added:
            reading.take(raw)
        about = reading.cwd, reading.branch, reading.session
        return Portion(reading.events, end, inode, *about)
