"""The values that everything else passes around, and their allowed words.

Frozen. An unknown word never gets into a `Memory`. Times are UTC, such as 2026-01-11T14:30:00Z,
and sort as text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from recollect._fastimport import NamedTuple, Pattern

TYPE_CHECKING = False

LAYERS = ("semantic", "procedural", "reference", "episodic")
SEALED = ".md.age"  # the end of the name of an encrypted memory
CORE = "core"  # no layer, but a folder of its own: what every session is told
LEVELS = ("low", "medium", "high")
SOURCES = ("observed", "inferred", "instructed", "referenced")
REFERENCED = "referenced"  # the source of what somebody else says
TRUSTS = ("external", "tool", "agent", "user")  # lowest first: the least trusted ancestor counts
STATUSES = ("confirmed", "open", "provisional", "superseded", "resolved")
ENDED = "ended"  # a session that leaves nothing open is shown so; no file has it
CATEGORIES = {
    "decision": ("architecture", "technology", "approach", "other"),
    "pattern": ("convention", "best-practice", "anti-pattern", "other"),
    "issue": ("bugfix", "performance", "security", "feature", "other"),
}
DECAY_DAYS = 90
SHORTEST_ID = 4  # letters by which an entry is named

_KINDS_OF = {
    "episodic": "conversation session note",
    "semantic": "fact decision issue implementation",
    "procedural": "rule solution pattern",
    "reference": "pointer",
}
type_of_kind = {kind: layer for layer, kinds in _KINDS_OF.items() for kind in kinds.split()}
KINDS = [*type_of_kind]
SESSION_KINDS = ("session", "conversation")  # of memories that tell of a session as a whole


class Memory(NamedTuple):
    """One Markdown file of the store, read."""

    id: str
    title: str
    layer: str
    path: str  # inside the store, with `/`
    body: str
    kind: str = "note"
    category: str = ""
    tags: tuple[str, ...] = ()
    trigger: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()
    salience: str = "medium"
    confidence: str = "medium"
    source: str = "observed"
    trust: str = "user"
    status: str = "confirmed"
    related: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    session: str = ""
    created: str = ""
    updated: str = ""
    last_accessed: str = ""
    retention: str = ""
    decay_after: str = ""
    private: bool = False
    problem: str = ""  # why the file could not be read as it was meant, if so

    @property
    def archived(self) -> bool:
        """Whether it is cold: found by `search --archived` only."""
        return self.path.startswith("archive/")


class Section(NamedTuple):
    """A part of a memory that can be retrieved alone as `id#anchor`; the head has no anchor."""

    anchor: str
    heading: str
    text: str


class IndexUnit(NamedTuple):
    """What the index files by itself: an entry, or a part of a page that is one entry as a whole.

    `entry` is the id of the entry, of the full length if it was worked out; a part of a page has
    none. An item of a list has the anchor `^id`, and stands `within` the section of that anchor.
    """

    shelf: str
    anchor: str
    heading: str
    text: str
    kind: str
    source: str
    trust: str
    trigger: tuple[str, ...]
    tokens: int
    confidence: str = "medium"
    entry: str = ""
    created: str = ""
    session: str = ""
    status: str = "confirmed"
    within: str = ""


class FileStat(NamedTuple):
    """A file of the store as the file system shows it."""

    path: str
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


class Document(NamedTuple):
    """The text of a file and the stamp of its bytes."""

    path: str
    text: str
    stamp: str


class Problem(NamedTuple):
    """Something about a file that a person should look at; it stops nothing."""

    path: str
    sentence: str


class Change(NamedTuple):
    """A change to one file: `put` (create or replace), `move` or `remove`.

    `before` is the stamp that was seen, None for a file that must not be there yet.
    """

    op: str
    path: str
    memory: str = ""
    before: str | None = None
    text: str = ""
    to: str = ""


class Op(NamedTuple):
    """A line of the journal about a file."""

    op: str
    op_id: str
    group: str
    of: int
    seq: int
    time: str
    writer: str
    cause: str
    memory: str
    path: str
    before: str | None
    after: str | None
    text: str | None = None
    to: str = ""
    undoes: str = ""
    by: str = ""  # the session of the agent that ran the command; a person has none


class Entry(NamedTuple):
    """A memory as the index and the views list it: everything but its text."""

    id: str
    title: str
    layer: str
    kind: str
    category: str
    tags: tuple[str, ...]
    trigger: tuple[str, ...]
    files: tuple[str, ...]
    concepts: tuple[str, ...]
    salience: str
    confidence: str
    source: str
    trust: str
    status: str
    related: tuple[str, ...]
    session: str
    created: str
    updated: str
    last_accessed: str
    decay_after: str
    private: bool
    path: str
    tokens: int
    summary: str
    stamp: str
    problem: str

    @property
    def archived(self) -> bool:
        """Whether it is cold: found by `search --archived` only."""
        return self.path.startswith("archive/")


def age_of(page: Entry, own: IndexUnit) -> tuple[str, str]:
    """A key to sort entries by age: when the entry was made, to the minute, then its page's time."""
    return (own.created or page.created)[:16], page.updated or page.created


class Filter(NamedTuple):
    """The filter of a search; empty fields filter nothing."""

    layer: str = ""
    kind: str = ""
    tags: tuple[str, ...] = ()
    file: str = ""
    concept: str = ""
    category: str = ""
    sessions: tuple[str, ...] = ()  # all names of one: its id, its memory's, `^label` of either
    since: str = ""
    until: str = ""
    archived: bool = False
    superseded: bool = True


def of_repository(memory: Memory) -> Memory:
    """A memory as the word of the repository that it came with, not of anybody here."""
    return memory._replace(trust="external", source=REFERENCED)


def lowest_trust(*trusts: str) -> str:
    """The lowest of these trusts."""
    return min(trusts, key=TRUSTS.index)


def day_of(time: str) -> int:
    """The day of a time in our form, counted from 1970-01-01; 0 for none."""
    try:
        from _datetime import date  # type: ignore[import-not-found]  # a fifth of `datetime` to load
    except ImportError:  # a Python without it
        from datetime import date

    try:
        return int(date.fromisoformat(time[:10]).toordinal()) - 719_163  # of 1970-01-01
    except ValueError:
        return 0


# -------------------- Whether a file is as it was when it was last read, by how it looks.


# A file that was changed this shortly before we looked may change again without a new time stamp.
TICK_NS = 2_000_000_000

if TYPE_CHECKING:
    SeenFields = tuple[str, int, int, int, int]  # `model.Seen`
    KnownFields = tuple[str, int, int, int, int, str, int, bool]  # `ports.IndexedFile`


def has_same_stat(old: KnownFields, seen: SeenFields) -> bool:
    """Whether a file looks as the index remembers it."""
    return old[:5] == seen and max(seen[2], seen[3]) + TICK_NS < old[6]


# -------------------- Slugs, ids and anchors, and what may never be a name.


LONGEST_SLUG = 64
_RESERVED = frozenset(
    ["con", "prn", "aux", "nul", "summary", "conversation"]
    + [f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10)]
)
_WORD = Pattern(r"[^\W_]+")
_EDGES = Pattern(r"(?<=[a-z0-9])(?=[\u2e80-\ud7af])|(?<=[\u2e80-\ud7af])(?=[a-z0-9])")
_OTHERS = Pattern(r"[^\w-]+")
_BREAKS = {code: " " for code in range(128) if not chr(code).isalnum()}
_ID = Pattern(r"\w[\w.-]{0,127}")
_NUMBER = Pattern(r"[dpiDPI][0-9]{3,9}")


def slug_of(title: str) -> str:
    """A readable name for a file: letters and digits in the title's own script, with hyphens.

    It is no wider than 64 columns, so that it has at most 192 bytes, and the same in every
    Unicode form and case.
    """
    if not title.isascii():
        from unicodedata import normalize

        title = normalize("NFKC", normalize("NFKC", title).lower())
        title = "".join(c if c.isalnum() or is_mark(c) else " " for c in title)
        title = _EDGES.sub(" ", title)  # `使用Redis` and `使用 Redis` are one name
    return _joined(title.lower().translate(_BREAKS).split())


def latin_slug_of(title: str) -> str:
    """A name in Latin letters, for programs that take no others; Chinese becomes pinyin."""
    if not title.isascii():
        from anyascii import anyascii  # its tables are only read for the characters at hand

        # Each sign of a script whose signs are words is a word.
        title = "".join(
            f" {anyascii(c)} " if "\u3040" <= c <= "\ud7af" or c >= "\U00020000" else anyascii(c)
            for c in title
        )
    return _joined(title.lower().translate(_BREAKS).split())


def _joined(words: Iterable[str]) -> str:
    slug = ""
    for one in words:
        word = one
        while word and is_mark(word[0]):  # on no letter
            word = word[1:]
        if not word:
            continue
        longer = f"{slug}-{word}" if slug else _cut(word)
        if _width(longer) > LONGEST_SLUG:
            break
        slug = longer
    if not slug:
        return "memory"
    return f"{slug}-memory" if slug in _RESERVED else slug


def _cut(word: str) -> str:
    while _width(word) > LONGEST_SLUG:
        word = word[:-1]
    return word


def _width(text: str) -> int:
    return len(text) + sum(c > "\u2e7f" for c in text)


def is_mark(char: str) -> bool:
    """Whether a character is a vowel sign, or another mark that is seen on the letter before it."""
    if char < "\u0300":
        return False
    from unicodedata import category  # seldom needed

    is_seen = not "\ufe00" <= char <= "\ufe0f" and char < "\U000e0000" and char != "\u034f"
    return is_seen and category(char)[0] == "M"


def anchor_of(heading: str) -> str:
    """The anchor of a `##` heading: its words in lower case, of any script, with hyphens."""
    return "-".join(_WORD.findall(heading.lower()))[:LONGEST_SLUG].strip("-") or "section"


def is_id(name: str) -> bool:
    """Whether `name` can be an id: letters of any script, digits, `_`, `-` and inner dots."""
    if not name.isascii():
        name = name[:1] + "".join("a" if is_mark(c) else c for c in name[1:])
    return bool(_ID.fullmatch(name)) and ".." not in name and not name.endswith(".")


def id_from(name: str) -> str:
    """The id that comes nearest to a name that is not a valid id."""
    return _OTHERS.sub("-", name).strip("-")[:128] or "memory"


def free_name(wanted: str, is_taken: Callable[[str], bool], taken: int = 0) -> str:
    """`wanted`, or the first of `wanted-2`, `wanted-3`, … that nothing has yet.

    The first of these names need not be asked about where it is known how many are `taken`.
    """
    n = taken + 1
    while is_taken(name := _numbered(wanted, n)):
        n += 1
    return name


def _numbered(wanted: str, n: int) -> str:
    suffix = f"-{n}" if n > 1 else ""
    return wanted[: LONGEST_SLUG - len(suffix)].rstrip("-") + suffix if suffix else wanted


def is_sealed_path(path: str) -> bool:
    """Whether this is the place of an encrypted memory."""
    return path.endswith(SEALED)


def is_number(name: str) -> bool:
    """Whether this is the number of a fact: d001, p001, i001."""
    return bool(_NUMBER.fullmatch(name))
