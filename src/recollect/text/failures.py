"""Read what the error of a failed command says, and tell whether two errors are the same.

Numbers, folders, hashes and places in a file make no difference; another name or code does. The hook
imports this module, so it imports next to nothing itself.
"""

from recollect._fastimport import Iterable
from recollect.text.tokens import STOP_WORDS, is_cjk

MOST_LINES = 200  # of an error
LONGEST_LINE = 200
LONGEST_READ = 160  # of a line that is compared
ALIKE = 0.7  # how much of two lines must be the same words
ALIKE_BY_CODE = 0.5  # where both have a code that is made for it: EADDRINUSE, TS2307

# What a client says in place of a command's output: nothing has failed.
_OF_CLIENT = (
    "the user doesn't want to", "<tool_use_error>", "[request interrupted", "permission to use ",
    "this command requires approval", "command timed out after", "operation cancelled", "cancelled",
    "canceled", "aborted by user", "rejected by user", "user rejected", "the user rejected",
    "operation stopped by", "sibling tool call", "tool execution was", "command rejected",
    "user denied", "user did not allow", "user aborted", "exec_command failed", "requested permissions to ",
    "command was rejected", "tool call rejected", "the user dismissed",
)  # fmt: skip
_OF_CLIENT_ANYWHERE = (
    "hook error", "has not been read yet", "file has been modified since", "string to replace not found",
    "sibling tool call errored", "pretooluse:", "was blocked by a hook", "denied by the user",
    "has been denied.", "[request interrupted", "rejected by user approval",
)  # fmt: skip
_HEADS = ("exit code", "wall time", "chunk id", "output:", "total output lines", "process exited",
          "original token")  # fmt: skip
_EDGES = "\"'`‘’“”()[]{}<>,;:!?.=*|│┃>✖✗×⨯•·-–—+~#\\^"
_QUOTES = "\"'`‘“"
_ENDS = "\"'`’”"
_SPACED = {ord(char): " " for char in "，。：；！？、（）【】《》「」“”"} | {ord("│"): " "}
_INNER = {ord(char): " " for char in "()[]{}<>,;=|\"'`‘’“”*!?"}
_HERE = frozenset(("localhost", "127.0.0.1"))
_CODED = frozenset("code status http error errno exit signal sqlstate httperror".split())
# Words of every other error; those that say even less stand with the stop words.
_GENERIC = frozenset(
    """error errors err failed failure fail fails fatal exception exit exited code status command task build built run
    running process unexpected unknown warning cannot can't unable found file files directory line module named name
    package required provides add go get missing invalid does exist exists doesn't make npm main thread such please
    try using use used when while import could couldn't open read write load loading given value type argument
    错误 錯誤 失败 失敗""".split()
)
_EMPTY = STOP_WORDS | frozenset(
    "e s t zsh bash sh dash eval stdout stderr info debug ok err! npm yarn pip cli line lines".split()
)
_EMPTY -= {"no", "not"}
_EXTENSIONS = frozenset(
    """py pyi js ts tsx jsx mjs cjs json toml yaml yml go rs java kt kts c h cc cpp hpp rb php cs swift sh sql md txt
    lock cfg ini env xml gradle html css scss vue svelte so dll o log ipynb proto tf jar whl gz zip pem crt key sock db
    sqlite csv mod sum exs ex hs lua dart mk cmake conf properties plist dylib pyc map snap csproj sln""".split()
)
_MISSING = ("no such file", "not found", "cannot find", "can't find", "does not exist", "enoent", "could not find",
            "cannot open", "doesn't exist", "no such table", "找不到", "不存在",
            "未找到", "没有那个文件", "沒有此一檔案", "沒有那個檔案")  # fmt: skip


def is_of_client(error: str) -> bool:
    """Whether an error is not the command's: the call was refused, stopped or never made."""
    low = "\n".join(lines_of(error[:600])).lower().removeprefix("error:").strip()
    return low.startswith(_OF_CLIENT) or any(sign in low for sign in _OF_CLIENT_ANYWHERE)


def lines_of(error: str) -> list[str]:
    """The lines of an error that may be telling, from both ends of a long one."""
    lines = error.splitlines()
    if len(lines) > MOST_LINES:
        lines = lines[: MOST_LINES // 2] + lines[-MOST_LINES // 2 :]
    kept = (_without_head(line.strip()) for line in lines)
    return [line for line in kept if line and not line.lower().startswith(_HEADS)]


def with_rest(lines: "list[str]", n: int) -> str:
    """Line `n` with those below it that say what is wrong, where it is only their heading."""
    said = lines[n]
    if not (said.startswith("CMake Error ") or " validation error" in said):
        return said
    for line in lines[n + 1 : n + 4]:
        more, told, _ = line.removeprefix("E ").strip().partition(" [type=")
        said = f"{said} {more}"
        if told or more.endswith("."):
            break
    return said


def _without_head(line: str) -> str:
    """A line without the prefix that its program puts in front of each line."""
    if "to execute goal" in line and " on project " in line:
        return line.partition(" on project ")[2].partition(": ")[2]
    return line.removeprefix("Output:").strip()


def without_route(line: str) -> str:
    """A line without the importer, the connection and the script: for another one the trouble is the same."""
    before, imported, after = line.partition(" (imported by ")
    if imported:
        line = before + after.partition(")")[2]
    script, numbered, rest = line.partition(": line ")
    number, colon, why = rest.partition(": ")
    if numbered and colon and number.isdigit() and " " not in script and missing_program(why):
        return why
    route, refused, why = line.partition(" failed: FATAL: ")
    return f"FATAL: {why}" if refused and "connection to server" in route else line


def missing_program(line: str) -> str:
    """The program that a shell did not find, whichever script it stands in; nothing for a path."""
    before, told, after = line.strip().partition("command not found")
    if not told:
        return ""
    name = after.removeprefix(":").strip() or before.rstrip(": ").rpartition(": ")[2]
    return name if name and not any(sign in name for sign in " /\\\"'`") else ""


class ErrorSignature:
    """A line of an error without its numbers and places.

    `names` are what it is about (codes, quoted words, identifiers), `words` the others with their
    weight, `places` the names of files in it.
    """

    __slots__ = ("codes", "is_missing", "names", "places", "weight", "words")

    def __init__(self, line: str) -> None:
        """Read a line."""
        line = without_route(line)
        self.names: set[str] = set()
        self.codes: set[str] = set()
        self.places: set[str] = set()
        self.words: dict[str, int] = {}
        low = line.lower()
        self.is_missing = any(sign in low for sign in _MISSING)
        self._read(line if len(line) < LONGEST_READ else line[:LONGEST_READ].rpartition(" ")[0])
        self.weight = 3 * len(self.names) + len(self.places) + sum(self.words.values())

    @property
    def is_telling(self) -> bool:
        """Whether it says enough to recognise the same trouble."""
        told = 3 * len(self.names) + sum(self.words.values())
        return told >= (3 if self.names or not self.is_missing else 4)

    def _read(self, line: str) -> None:
        quote, before = "", ""
        for chunk in line.translate(_SPACED).split():
            opens = chunk.lstrip("([{<")[:1]
            if not quote and opens in _QUOTES:
                quote = opens
            place = _located(chunk.strip(_EDGES))
            for word in (place or chunk).translate(_INNER).split() if place is not None else ():
                before = self._take(
                    word.strip(_EDGES.replace("-", "").replace("~", "")), before, quoted=bool(quote)
                )
            tail = chunk.rstrip(".,:;)]}>!?")
            if quote and len(tail) > 1 and tail[-1] in _ENDS:
                quote = ""

    def _take(self, word: str, before: str, *, quoted: bool) -> str:
        """Take a word in; gives it as it is known."""
        low = word.lower().strip(".:")
        if not any(char.isalnum() for char in low):
            return before
        if _is_number(low):
            if before in _CODED and low.isdigit():
                self.names.add(f"{before} {low}")
        elif "://" in word:
            host = word.partition("://")[2].partition("/")[0].rpartition("@")[2].partition(":")[0]
            self._add_word(host.lower())
        elif place := _file_in(word):
            self.places.add(place)
        elif not _is_passing(low):
            self._name(word, low, quoted=quoted)
        return low

    def _name(self, word: str, low: str, *, quoted: bool) -> None:
        last = low.rpartition(".")[2]
        if _is_code(word):
            self.names.add(low)
            self.codes.add(low)
        elif last.endswith(("error", "exception")) and len(last) > 9 and last.isalnum():
            self.names.add(last)
        elif quoted or any(char in low.strip("-") for char in "_./@:-"):
            bare = _without_version(low)
            self.names |= {bare} - _EMPTY - _HERE - {""}
        else:
            self._add_word(low)

    def _add_word(self, low: str) -> None:
        if low not in _EMPTY and low not in _HERE:
            is_weak = low in _GENERIC or low in ("no", "not")
            # No blank parts the words of Chinese: most have two signs.
            several = 1 if low.isascii() or not is_cjk(low[0]) else max(len(low) // 2, 1)
            self.words[low] = 1 if is_weak else 2 * several


def likeness(one: ErrorSignature, other: ErrorSignature) -> float:
    """How alike two lines of errors are, 0 to 1; 0 if they are about different things."""
    shared = one.names & other.names
    is_one_in_other = one.names <= other.names or other.names <= one.names
    if (one.names or other.names) and not (shared and is_one_in_other):
        return 0.0
    if one.is_missing and one.places and other.places and one.places.isdisjoint(other.places):
        return 0.0
    if one.is_missing and is_one_in_other and _is_elsewhere(one, other):
        return 0.0
    if one.is_missing and not one.names:  # in a short line, a word of its own is what is missing
        words, others = (
            {word for word, weight in error.words.items() if weight > 1} for error in (one, other)
        )
        if words - others and others - words and len(words & others) < 2:
            return 0.0
    common = sum(weight for word, weight in one.words.items() if word in other.words)
    common += 3 * len(shared) + len(one.places & other.places)
    alike = 2 * common / (one.weight + other.weight) if one.weight + other.weight else 0.0
    enough = ALIKE_BY_CODE if one.codes & other.codes else ALIKE
    return alike if alike >= enough else 0.0


def _is_elsewhere(one: ErrorSignature, other: ErrorSignature) -> bool:
    """Whether one misses a thing of another name, and the other a file: `http` and `./refunds`."""
    return any(
        a.names - b.names and b.places - a.places and not a.places
        for a, b in ((one, other), (other, one))
    )


def best_likeness(one: ErrorSignature, lines: "Iterable[ErrorSignature]") -> float:
    """How alike `one` and the most similar of these lines are."""
    return max([likeness(one, other) for other in lines], default=0.0)


def _located(chunk: str) -> "str | None":
    """A chunk, nothing if it only says where in a file: `src/a.py:3:1`, `app.ts(12,5`."""
    bare = chunk.rstrip("0123456789:,")
    if bare == chunk:
        return chunk
    bare = bare.rstrip("(:")
    is_place = chunk[len(bare) : len(bare) + 1] in (":", "(") and _file_in(bare)
    return None if is_place else chunk


def _is_number(low: str) -> bool:
    """Whether a word is an amount, a time or an address."""
    digits = low.lstrip("v$@:.+-") if low[:1] in "v$@:.+-" else low
    if not digits[:1].isdigit():
        return False
    rest = digits.lstrip("0123456789.:,-/tz+%_x")
    return len(rest) <= 3 and rest.isalpha() if rest else True


def _is_passing(low: str) -> bool:
    """Whether a word is a hash, or a generated name."""
    bare = low.replace("-", "")
    some = sum(char.isdigit() for char in bare)
    if some and len(bare) >= 7 and not bare.strip("0123456789abcdef"):
        return True
    return some >= 4 and len(bare) >= 12 and bare.isalnum() and low[:1] + low[-1:] != "()"


def _file_in(word: str) -> str:
    """The name of the file that a word is a path of, or nothing."""
    path = word.replace("\\", "/").rstrip("/")
    is_path = path.startswith(("/", "./", "../", "~/")) or path[1:3] == ":/"
    name = path.rsplit("/", 1)[-1].lower()
    end = name.rpartition(".")[2] if "." in name else ""
    if name.startswith(".") and name[1:2].isalpha():
        return name
    is_below = "/" in path and path[:1] != "@" and "." not in path.partition("/")[0]
    return name if is_path or is_below or end in _EXTENSIONS else ""


def _is_code(word: str) -> bool:
    """Whether a word is an error code: EADDRINUSE, TS2307, ERR_OSSL_EVP_UNSUPPORTED."""
    bare = word.strip(".:")
    letters = [char for char in bare if char.isalpha()]
    if not bare[:1].isascii() or not letters:
        return False
    if bare.isupper() and bare.replace("_", "").replace("-", "").isalnum():
        if any(char.isdigit() for char in bare) or "_" in bare:
            return len(bare) > 2
        return bare[0] == "E" and len(bare) > 5 and bare.lower() not in _GENERIC
    return False


def _without_version(low: str) -> str:
    """A name without version and port; nothing for a person or a machine: `ada@box`."""
    for sign in ("==", ">", "<", "~=", "^"):
        at = low.find(sign, 1)
        low = low[:at] if at > 0 else low
    name, at_sign, version = low[1:].rpartition("@")
    if at_sign:
        if not _is_number(version) and version not in ("latest", "next"):
            return ""
        low = low[0] + name
    for sign in ("-", ":"):
        name, _, version = low.rpartition(sign)
        if name and version[:1].isdigit() and not version.strip("0123456789."):
            low = name
    return low.rstrip("()")
