"""Find keys and tokens of known services by the rules of gitleaks, and our own in the same form.

Promises: only the secret itself is matched. Linear time; the same result with RE2 (the extra
`secrets`) and without.

Every rule needs a keyword, and every secret contains a run of characters that is no word. Keywords
are searched only around such runs, and patterns see only a small window.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from math import log2

from recollect._fastimport import Any, NamedTuple, Pattern

# No rule knows a secret without such a run: of 14 signs with a digit among them, or of 32 without
# one. What is neither is a word.
_RUN = Pattern(
    # The first condition says nothing new, but most words are done with it.
    r"\b(?=[\w-]{14})(?:(?=[A-Za-z_-]{0,64}+[0-9])[\w-]{14,}+|[A-Za-z_-]{32,}+)",
    re.ASCII,
)
_REST = Pattern(r"[\w+/=.%-]*", re.ASCII)  # of a secret that is longer than a window
_BREAK = Pattern(r"\\[nrt]")
# How a pattern begins that looks for the name of a service anywhere before its key.
_NAMED = Pattern(r"\(\?i:\[\\w\.-\]\{0,50\}\?\(\?:([a-z]+)\)")
BEFORE = 120  # more than any pattern has before its secret
WINDOW = 1_000
COVERED = 320  # a secret that begins so far before the end of a window is seen whole


class SecretSpan(NamedTuple):
    """Where a secret stands, and what it is."""

    start: int
    end: int
    kind: str


class ServiceRule(NamedTuple):
    """How the secrets of one service are known."""

    kind: str
    words: list[str]  # one of these stands near it
    entropy: float  # of the secret, at least
    nothing: list[str]  # patterns of what is no secret
    pattern: str  # says the same to RE2 and to `re`
    needs: str = ""  # without which the pattern fails, but only after it has tried everywhere


def found_in(text: str) -> list[SecretSpan]:
    """The secrets in a text, in order; they do not overlap."""
    found: list[SecretSpan] = []
    windows = list(_windows(text))
    there: Iterable[str] | None = None
    if len(windows) > 2:  # then most words are in none of them
        parts = " ".join([text[start:end] for start, end in windows])
        there = [*_words_in(without_repetition(parts).lower())]
    for start, end in windows:
        part = text[start:end]
        if "\\" in part:  # the sign of an end of line in JSON is no part of the key behind it
            part = _BREAK.sub("  ", part)
        low = part.lower()
        for word in _words_in(low) if there is None else [word for word in there if word in low]:
            for rule in _by_word()[word]:
                if rule.needs in low:
                    for a, b in _spans(rule, part):
                        last = _REST.match(text, end) if start + b == end else None
                        found.append(
                            SecretSpan(start + a, last.end() if last else start + b, rule.kind)
                        )
    return _apart(found)


def without_repetition(text: str) -> str:
    """The words of a text, each once and in any order: what has no blanks is in it or not, as before."""
    return "\n".join(set(text.split()))


def _words_in(low: str) -> Iterator[str]:
    """The words of the rules that are in a text of small letters."""
    for sign, words in _by_sign().items():
        if sign in low:
            likely = likely_in(low, sign, words) if sign else words[""]
            yield from (word for word in likely if word in low)


def by_ending(sign: str, words: Iterable[str]) -> dict[str, list[str]]:
    """The words by the two characters before a sign; by none where there are no two."""
    found: dict[str, list[str]] = {}
    for word in words:
        before = word.partition(sign)[0] if sign and sign in word else ""
        found.setdefault(before[-2:] if len(before) > 1 else "", []).append(word)
    return found


def likely_in(low: str, sign: str, words: dict[str, list[str]]) -> list[str]:
    """The words that may be in a text, by what stands in it before their sign."""
    endings = {"", *[part[-2:] for part in low.split(sign)]}
    return [word for end in words.keys() & endings for word in words[end]]


def _windows(text: str) -> Iterator[tuple[int, int]]:
    """The parts of a text in which there is a run of signs that is no word."""
    done = 0
    for run in _RUN.finditer(text):
        if run.start() >= done:
            end = min(run.start() + WINDOW, len(text))
            yield max(run.start() - BEFORE, 0), end
            done = end - COVERED if end < len(text) else end


def _spans(rule: ServiceRule, part: str) -> Iterator[tuple[int, int]]:
    for match in _compiled(rule.pattern).finditer(part):
        group = next((n for n, text in enumerate(match.groups(), 1) if text), 0)
        secret = match[group]
        is_none = any(_compiled(pattern).search(secret) for pattern in rule.nothing)
        if not is_none and entropy_of(secret) > rule.entropy:
            yield match.span(group)


def _apart(found: list[SecretSpan]) -> list[SecretSpan]:
    """The spans without overlaps: the first one stays, or the longer of two at one place."""
    kept: list[SecretSpan] = []
    for one in sorted(found, key=lambda f: (f.start, -f.end, f.kind)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


def entropy_of(text: str) -> float:
    """The entropy of a text, in bits per character."""
    counts = [text.count(sign) for sign in set(text)]
    return -sum(n / len(text) * log2(n / len(text)) for n in counts)


@cache
def _by_word() -> dict[str, list[ServiceRule]]:
    found: dict[str, list[ServiceRule]] = {}
    for rule in rules():
        for word in rule.words:
            found.setdefault(word, []).append(rule)
    return found


@cache
def _by_sign() -> dict[str, dict[str, list[str]]]:
    """The words by a sign in them, and by what stands before it."""
    found: dict[str, list[str]] = {}
    for word in _by_word():
        found.setdefault(next((sign for sign in "_-." if sign in word), ""), []).append(word)
    return {sign: by_ending(sign, words) for sign, words in found.items()}


def rules() -> list[ServiceRule]:
    """The rules of gitleaks, as tools/secret_rules.py has made them, and those that it lacks."""
    import json

    rows: list[dict[str, Any]] = []
    for name in ("gitleaks", "services"):
        with open(f"{__file__.rpartition('/')[0]}/{name}.json", encoding="utf-8") as file:
            rows += json.load(file)
    named = (_NAMED.match(row["pattern"]) for row in rows)
    return [
        ServiceRule(**row, needs=name[1] if name else "")
        for row, name in zip(rows, named, strict=True)
    ]


@cache
def _engine() -> Any:
    """RE2, or None where it is not installed."""
    try:
        return __import__("re2")
    except ImportError:
        return None


@cache
def _compiled(pattern: str) -> Any:
    engine = _engine()
    return re.compile(pattern, re.ASCII) if engine is None else engine.compile(pattern)


# -------------------- Private keys over many lines, whole, cut off, or in parts.


KIND = "private-key"
_GAP = r"(?:[ +]|%20)"  # as it is, or as an address has it
_NAME = rf"(?:[A-Z +]|%20){{0,40}}PRIVATE{_GAP}KEY(?:{_GAP}BLOCK)?-----"
_BREAK_PEM = r"(?:[ \t\r]*+(?:\n|\\{1,4}[nr]))"
# What may stand before a key's characters in a line: quotes, a diff's sign, a line's number.
_LEAD = r"(?:[^\w\n]{0,12}(?:\d{1,6}[^\w\n]{1,4})?)"
# Behind its first line a key has one with nothing but its characters, or a field like `Proc-Type:`;
# a text that speaks about keys goes on in words.
_WHOLE = (
    rf"(?=(?>(?:\s|\\{{1,4}}[nr])*)[\w+/=]{{24}}|\s*+[\w+/=]{{8,}}+\s*+-----END|{_BREAK_PEM}{{1,3}}{_LEAD}"
    rf"(?:[\w+/=]{{1,200}}(?:[\"'`,\\ \t\r]{{0,8}}(?:\n|\Z)|[\"'\\]|-----END)|[A-Z][\w-]{{1,24}}: ))"
    rf"(?>(?:(?!-----END)[\s\S])*)(?:-----END{_GAP}{_NAME})?"
)
# Where anything else stands before the lines, as programs write them that search, log or compare.
_NO_MARK = r"(?!-----(?:BEGIN|END)|Private-Lines)[\s\S]"
_SIGNS = (
    r"(?=[A-Z0-9+/]{0,31}[a-z])(?=[a-z0-9+/]{0,31}[A-Z])(?=[A-Za-z+/]{0,31}\d)[A-Za-z0-9+/]{32}"
)
_LINES = (
    rf"[^\n]{{0,24}}(?>(?:\n[^\n]{{0,160}}?(?<![\w+/]){_SIGNS}[A-Za-z0-9+/]{{0,48}}(?![\w+/])[^\n]{{0,20}}(?=\n|\Z)){{1,200}})"
    r"(?:\n[^\n]{0,160}?(?<![\w+/])(?=[A-Za-z+/]{0,39}\d)[A-Za-z0-9+/]{8,39}={0,2}\Z)?"
)


def _between(begin: str, end: str) -> str:
    """What stands between these marks, if it has the signs of a key; without the second one, the lines that do."""
    return rf"{begin}(?=(?:{_NO_MARK}){{0,400}}?{_SIGNS})(?:(?>(?:(?!{end}){_NO_MARK}){{0,20000}}){end}|{_LINES})"


WHOLE = rf"-----BEGIN{_GAP}{_NAME}(?:{_WHOLE}|{_between('', f'-----END{_GAP}{_NAME}')})"
PUTTY = _between(r"Private-Lines: \d", r"Private-MAC(?:: \w{1,64})?")
_END = Pattern(rf"-----END{_GAP}{_NAME}")
_KEY_LINE = Pattern(
    r"[^\w\n]{0,12}(?:\d{1,6}[^\w\n]{1,4})?[A-Za-z0-9+/]{16,80}={0,2}[\"'`,\\nr +]{0,8}"
)
_LED_LINE = Pattern(
    r"(.{0,160}?(?<![\w+/]))[A-Za-z0-9+/]{4,80}={0,2}[^\w\n]{0,12}(?:\\?[nr][^\w\n]{0,12})?"
)
_NUMBER = Pattern(r"\s{0,9}\d{1,9}")
LONGEST_MARGIN = 160
_FIELD = Pattern(r"[A-Z][\w-]{1,24}: .{1,120}|\W{0,24}[A-Za-z0-9+/]{16,76}|\s*")
# The lines of a key are of 64 signs, those of an OpenSSH key of 70.
# Before them stands the sign of a diff or a quotation, a number, or nothing but blanks.
_MARGIN = r"(?:[ \t]{0,24}(?:\d{1,6}(?:[\t→:|-] ?)|[+>-] ?)?)"
_BLOCK = Pattern(
    rf"(?>(?:^(?=[^\n]{{64}}){_MARGIN}(?:[A-Za-z0-9+/]{{64}}|[A-Za-z0-9+/]{{70}})\r?(?:\n|\Z)){{3,}})(?:^{_MARGIN}(?=.*[0-9A-Z+/=])[A-Za-z0-9+/]{{1,70}}={{0,2}}$)?",
    8,
)
_DIGITS = Pattern(r"[0-9]")
_NO_HEX = Pattern(r"[g-zG-Z+/]{2}")
MOST_LINES = 400


def parts_in(text: str) -> Iterator[tuple[int, int, str]]:
    """`(start, end, kind)` of the parts of private keys whose first line is not there."""
    done = 0
    ends = _END.finditer(text) if "-----END" in text else iter(())
    for end in ends:
        start = _start_of_tail(text, end.start(), done)
        yield from _blocks(text, done, start)
        if start < end.start():
            yield start, end.end(), KIND
        done = end.end()
    yield from _blocks(text, done, len(text))


def _start_of_tail(text: str, end: int, least: int) -> int:
    """Where the lines of a key begin that ends with the mark at `end`."""
    start = _start_of_lines(text, end, least, _KEY_LINE.fullmatch)
    line = text.rfind("\n", least, end) + 1 or least
    if start < end or not least <= line < end <= line + LONGEST_MARGIN:
        return start
    shape = _NUMBER.sub("0", text[line:end])  # before each line stands the same, but for numbers
    start = _start_of_lines(
        text,
        line,
        least,
        lambda one: (found := _LED_LINE.fullmatch(one)) and _NUMBER.sub("0", found[1]) == shape,
    )
    return start if start < line else end


def _start_of_lines(text: str, start: int, least: int, is_one: Callable[[str], Any]) -> int:
    """Where the lines of a key begin that stand before `start`."""
    for _ in range(MOST_LINES):
        line_end = start - 1
        line_start = text.rfind("\n", least, max(line_end, least)) + 1 or least
        line = text[line_start : max(line_end, line_start)]
        if line_start >= start or not is_one(line):
            break
        start = line_start
    return start


def _blocks(text: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    """Blocks of lines that can be nothing but the middle of a key."""
    if end - start < 3 * 64 or text.count("\n", start, end) < 2:
        return  # there are no three lines
    part = text[start:end]
    for block in _BLOCK.finditer(part):
        if (
            _DIGITS.search(block[0])
            and _NO_HEX.search(block[0])
            and not _has_head(part, block.start())
        ):
            yield start + block.start(), start + block.end(), KIND


def _has_head(text: str, at: int) -> bool:
    """Whether the first line of another kind of block stands before this place."""
    for line in reversed(text[max(0, at - 500) : at].splitlines()):
        if "-----BEGIN" in line:
            return True
        if not _FIELD.fullmatch(line):
            return False
    return False


# -------------------- What tells of people: addresses of mail, telephone numbers, accounts, cards, identity cards.


_MAIL = Pattern(
    r"(?<![\w.+/-])[A-Za-z0-9](?:[\w.+-]{0,62}[A-Za-z0-9_])?@(?:[A-Za-z0-9-]{1,63}\.){1,4}[A-Za-z]{2,18}(?![\w-])",
    re.ASCII,
)
# Of machines, or of nobody: RFC 2606 keeps these for examples.
_NOBODY = Pattern(
    r"(?:git|hg|svn|root|noreply|no-reply|donotreply|actions)@|.*@(?:[\w-]+\.)*"
    r"(?:example\.(?:com|org|net|edu)|[\w-]+\.(?:example|test|invalid|local|localhost|internal))\Z"
    r"|.*@users\.noreply\.",
    re.I | re.ASCII,
)
# With the code of a country, or as it is written in China: a run of digits alone is anything.
_PHONE = Pattern(
    r"(?<![\w.+/:-])(?:\+|00)[1-9]\d{0,2}[ .()/-]{0,2}(?:\d[ .()/-]{0,2}){6,12}\d(?![\w-])"
    r"|(?<![\w.+/:-])1[3-9]\d{9}(?![\w.-])"
    r"|(?<![\w.+/-])\(\d{3}\) ?\d{3}-\d{4}(?![\w-])",
    re.ASCII,
)
_IBAN = Pattern(
    r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])",
    re.ASCII,
)
_CARD = Pattern(r"(?<![\w.-])[2-6]\d{3}(?:[ -]?\d{4}){2}[ -]?\d{3,7}(?![\w.-])", re.ASCII)
_IDENTITY = Pattern(r"(?<![\w.-])[1-9]\d{16}[\dXx](?![\w.-])", re.ASCII)


def _is_account(text: str) -> bool:
    plain = text.replace(" ", "")
    turned = plain[4:] + plain[:4]
    return len(plain) >= 15 and int("".join(str(int(sign, 36)) for sign in turned)) % 97 == 1


def _is_card(text: str) -> bool:
    digits = [int(sign) for sign in text if sign.isdigit()]
    doubled = [digit if n % 2 == 0 else digit * 2 for n, digit in enumerate(reversed(digits))]
    return 13 <= len(digits) <= 19 and sum(d - 9 if d > 9 else d for d in doubled) % 10 == 0


def _is_identity(text: str) -> bool:
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    born = 1900 <= int(text[6:10]) < 2100 and 1 <= int(text[10:12]) <= 12 and 1 <= int(text[12:14]) <= 31  # fmt: skip
    check = "10X98765432"[sum(int(d) * w for d, w in zip(text, weights, strict=False)) % 11]
    return born and text[17].upper() == check


# In this order: a long number may look like a shorter one of another kind.
_KINDS: tuple[tuple[str, Pattern, Callable[[str], bool]], ...] = (
    ("mail", _MAIL, lambda text: _NOBODY.match(text) is None),
    ("account", _IBAN, _is_account),
    ("identity", _IDENTITY, _is_identity),
    ("card", _CARD, _is_card),
    ("phone", _PHONE, lambda text: 9 <= sum(map(str.isdigit, text)) <= 15),
)


def personal_in(text: str) -> Iterator[tuple[int, int, str]]:
    """`(start, end, kind)` of what is personal in a text, in order; nothing overlaps."""
    found = [
        (match.start(), match.end(), kind)
        for kind, pattern, is_one in _KINDS
        for match in pattern.finditer(text)
        if is_one(match[0])
    ]
    end = 0
    for one in sorted(found, key=lambda row: row[0]):  # stable: the kind that comes first stays so
        if one[0] >= end:
            end = one[1]
            yield one
