"""Redact: what must never reach a disk, taken out of a text.

Promises: `<private>` parts go before anything else looks at the text, in any case, nested, with
attributes, entity-encoded, and to the end when unclosed; a secret becomes `[redacted:kind:ab12]`,
the same for the same secret and key; redacting twice changes nothing more; time grows with the
length of the text, whatever it is.
Touches: nothing. The one choke point that calls it is the ledger; capture calls it on every event
before anything else sees it. The rules for the services that nearly everybody uses, and for what is
known by the name before it, are here; those of two hundred other services are in `secrets`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial

from recollect.domain import secrets
from recollect.domain.pattern import Pattern
from recollect.domain.secrets import pem
from recollect.named import NamedTuple

# A tag without its `>` counts as well: better to lose its line than to keep what follows. Its signs
# may be written in the way of HTML, JSON, an address, or with the full width of Chinese text.
_OPEN, _CLOSE = r"[<＜]|&lt;|&#(?:60|x3c);|\\u003c|%3c", r"[>＞]|&gt;|&#(?:62|x3e);|\\u003e|%3e"
_PRIVATE = Pattern(
    rf"(?:{_OPEN})\s*+(\\?/|%2f)?\s*+private(?![\w-])([^<>＜＞&%\\]*+)(?:{_CLOSE})?", re.I
)
PRIVATE_MARK = "[private]"


def strip_private(text: str) -> str:
    """`text` without its `<private>` parts; each leaves `[private]` behind."""
    return _stripped(text, 0, is_part=False)[0]


def strip_private_in_part(text: str, depth: int = 0) -> tuple[str, int]:
    """`(text, depth)` of what is a part of something longer, without what is private in it.

    `depth` says how many private parts were open before it, and then, how many are behind it. What
    stands before an end without a start is private as well. A tag that is only spoken of, between
    backquotes, hides the rest of its own text, but nothing that comes later.
    """
    return _stripped(text, depth, is_part=True)


def _stripped(text: str, depth: int, *, is_part: bool) -> tuple[str, int]:
    if "vate" not in text.lower():  # not "private": the pattern takes a dotless i for an i
        return (PRIVATE_MARK, depth) if depth and text else (text, depth)
    kept: list[str] = [PRIVATE_MARK] if depth else []
    opened = [True] * depth  # the parts that are open, and whether they go on behind this text
    start = 0
    for tag in _PRIVATE.finditer(text):
        is_end, is_empty = bool(tag[1]), tag[2].endswith("/")
        is_meant = text[tag.start() - 1 : tag.start()] != "`"
        if is_end and opened:
            opened.pop()
            start = tag.end()
        elif is_end and is_part and is_meant:
            kept, start = [PRIVATE_MARK], tag.end()
        elif not is_end:
            if not opened:
                kept.append(text[start : tag.start()] + PRIVATE_MARK)
                start = tag.end()
            if not is_empty:
                opened.append(is_meant)
    if not opened:
        kept.append(text[start:])
    return "".join(kept), sum(opened)


class _Rule(NamedTuple):
    """A kind of secret; its pattern's group, where it has one, is the secret itself."""

    kind: str
    words: tuple[str, ...]  # one of these must be there, in any case if in lower case here
    pattern: Pattern
    is_long: bool = False  # goes over many lines


def _rule(kind: str, words: str, pattern: str, flags: int = 0) -> _Rule:
    # Of ASCII only: a key in the middle of Chinese text stands alone all the same.
    is_long = kind == "private-key"
    return _Rule(kind, tuple(words.split()), Pattern(pattern, flags | re.ASCII), is_long)


_LEFT = r"(?<![A-Za-z0-9])"
_ALONE = r"(?<![\w-])"  # one start for each run of characters: what fails at its end fails once

# Keys whose form says what they are.
_FORMS = (
    _rule(
        "private-key",
        "private",
        pem.WHOLE,
    ),
    _rule("anthropic-key", "sk-ant-", _LEFT + r"sk-ant-[\w-]{16,}"),
    _rule("openai-key", "sk-", _ALONE + r"sk-(?=[\w-]{0,99}\d)[\w-]{20,}"),
    _rule("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", _LEFT + r"gh[pousr]_[A-Za-z0-9]{30,}"),
    _rule("github-token", "github_pat_", _LEFT + r"github_pat_\w{30,}"),
    _rule("gitlab-token", "glpat- glrt- gldt-", _LEFT + r"gl(?:pat|rt|dt)-[\w-]{20,}"),
    _rule("aws-key", "AKIA ASIA", _LEFT + r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _rule("slack-token", "xox xapp-", _LEFT + r"(?:xox[abeoprs]|xapp)-[\w-]{10,}"),
    _rule("slack-hook", "hooks.slack.com", r"hooks\.slack\.com/services/([\w/]{20,})"),
    _rule("google-key", "AIza", _LEFT + r"AIza[\w-]{35}(?![\w-])"),
    _rule("google-secret", "GOCSPX- ya29.", _LEFT + r"(?:GOCSPX-[\w-]{20,}|ya29\.[\w-]{30,})"),
    _rule("npm-token", "npm_", _LEFT + r"npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])"),
    _rule("pypi-token", "pypi-", _LEFT + r"pypi-[\w-]{40,}"),
    _rule("huggingface-token", "hf_", _LEFT + r"hf_[A-Za-z0-9]{30,}"),
    _rule("stripe-key", "_live_ _test_ whsec_", _LEFT + r"(?:[rs]k_(?:live|test)|whsec)_\w{16,}"),
    _rule("sendgrid-key", "SG.", _LEFT + r"SG\.[\w-]{16,32}\.[\w-]{16,64}"),
    _rule("digitalocean-token", "_v1_", _LEFT + r"do[por]_v1_[a-f0-9]{40,}"),
    _rule("databricks-token", "dapi", _LEFT + r"dapi[a-f0-9]{32}(?![a-f0-9])"),
    _rule("shopify-token", "shp", _LEFT + r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    _rule("twilio-key", "SK AC", _LEFT + r"(?:SK|AC)[a-f0-9]{32}(?![A-Za-z0-9])"),
    _rule("telegram-token", ":AA", r"(?<!\d)\d{8,10}:AA[\w-]{33}(?![\w-])"),
    _rule("age-key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[A-Z0-9]{40,}"),
    _rule("jwt", "eyJ", _ALONE + r"eyJ[\w-]{8,}+\.eyJ[\w-]{8,}+\.[\w-]{8,}"),
)

# Names of settings that hold a secret, alone or at the end of a longer name.
_NAME = (
    r"(?:passw(?:or)?d|pwd|passphrase|secret(?:[_-]?access)?(?:[_-]?key(?:[_-]?base)?)?|token"
    r"|(?:api|access|auth|account|private|signing|encryption)[_-]?key|密码|口令|密钥|令牌)\d?"
)
_NAMED = "pass pwd secret token key 密码 口令 密钥 令牌"  # one of these is in each
_QUOTE = r"\\?[\"'`]"
_IS = r"[\"'`\]\\]{0,3}\s{0,9}(?::=|=>|[:=：]|是|为)\s{0,9}"
# What stands where a secret would and is none: references, calls, types, places, placeholders.
_NO_VALUE = (
    r"(?!\[redacted|[$=.~/<>%{*&]|https?:|(?:self|this|cls|os|process|env|config|cfg|settings|opts"
    r"|options|args|params|props|request|req|res|ctx|data|user|event|import|secrets|vars)\W"
    r"|your|change[_-]?me|example|placeholder|dummy|x{4}|u?int\d|float\d|base64|utf-?8|sha-?\d)"
)
# Names and words are no secrets: it takes a digit among the letters, or a sign between them.
_LIKELY = _NO_VALUE + r"(?=[!-~]{0,99}[a-z])(?=[!-~]{0,99}?(?:\d|[!@#$%^*~?]\w))"
_QUOTED = rf"{_QUOTE}{_LIKELY}([^\s\"'`\\\x7f-\U0010ffff]{{6,512}}+)"
_BARE = rf"{_LIKELY}([!#$%&*+\-./\d:=?@A-Z^_~]{{8,512}}+)(?![(\[])"

# Secrets that are known by what stands before them.
_PLACES = (
    _rule("url-password", "://", r"://[^\s/:@]{0,64}:((?!\[redacted|[$<{])[^\s/@\"'`]{1,128})@"),
    _rule(
        "bearer", "bearer", _LEFT + r"bearer\s{1,9}(?=[\w.~+/-]{0,99}\d)([\w.~+/-]{16,}=*)", re.I
    ),
    _rule(
        "basic-auth",
        "basic",
        r"authorization\W{1,9}basic\s{1,9}([A-Za-z0-9+/]{8,}={0,2})",
        re.I,
    ),
    _rule(
        "curl-password",
        "curl",
        rf"\bcurl\b[^\n|;&]{{0,200}}?\s(?:-u|--user)[ =]?(?:{_QUOTE})?[^\s:\"']{{1,64}}:"
        rf"{_NO_VALUE}([^\s\"'`]{{4,128}})",
    ),
    _rule(
        "aws-secret",  # may begin like a path, which `assigned` takes for none
        "secret",
        r"secret_?access_?key\W{1,8}([A-Za-z0-9/+]{40})(?![\w/+])",
        re.I,
    ),
    _rule(
        "assigned",
        _NAMED,
        rf"{_NAME}{_IS}(?:[bfru]?{_QUOTED}|{_BARE})",
        re.I,
    ),
    _rule(
        "assigned",
        _NAMED,
        rf"{_ALONE}--[\w-]{{0,24}}?{_NAME}\s{{1,9}}(?:{_QUOTE})?{_BARE}",
        re.I,
    ),
)


# What stands before the last part of an image's name: `FROM`, a command that takes one, a registry.
_IMAGE = Pattern(
    r"(?:\bimage[\"']?\s?[:=]|\bfrom[\s=])\s?[\"']?[\w./:-]*$"
    r"|\b(?:docker|podman|nerdctl|skopeo|crane)\b.*[\s\"'/][\w.:-]+/[\w./-]*$"
    r"|(?:^|[\s\"'=(])(?:[\w-]+\.)+[\w-]+(?::\d+)?/[\w./-]*$",
    re.I | re.ASCII,
)

_RULES = _FORMS + _PLACES
_WORDS = frozenset(word for rule in _RULES for word in rule.words)
_ANY_CASE = frozenset(word for word in _WORDS if word == word.lower())


class _Words(NamedTuple):
    """The words of the rules that have a sign in them, so that a text without it has none of them."""

    sign: str
    any_case: tuple[str, ...]
    as_written: tuple[str, ...]


def _words_with(sign: str, words: frozenset[str]) -> _Words:
    return _Words(sign, tuple(words & _ANY_CASE), tuple(words - _ANY_CASE))


def _by_sign() -> tuple[_Words, ...]:
    found, left = [], _WORDS
    for sign in "_:-.":
        words = frozenset(word for word in left if sign in word)
        left -= words
        found.append(_words_with(sign, words))
    return (_words_with("", left), *found)


_BY_SIGN = _by_sign()
SHORT = 1_000
AROUND = 400  # more than any pattern has in front of its word, or between it and the secret


def redact(text: str, key: bytes = b"", *, personal: bool = False) -> str:
    """`text` without private parts and without the secrets that the rules know.

    With `personal` also without what tells of people, such as their telephone numbers.
    """
    return without_secrets(strip_private(text), key, personal=personal)


def without_secrets(text: str, key: bytes = b"", *, personal: bool = False) -> str:
    """`text` without the secrets that the rules know; private parts stay as they are."""
    text = _by_our_rules(text, key)
    finders: list[Callable[[str], Iterable[tuple[int, int, str]]]] = [
        pem.parts_in,
        secrets.found_in,
    ]
    if personal:
        from recollect.domain.secrets.personal import found_in  # only who asks for it pays for it

        finders.append(found_in)
    for find in finders:
        kept: list[str] = []
        done = 0
        for start, end, kind in find(text):
            kept += (text[done:start], _mark(text[start:end], kind, key))
            done = end
        text = "".join([*kept, text[done:]]) if kept else text
    return text


def _by_our_rules(text: str, key: bytes) -> str:
    low = text.lower()
    there: set[str] = set()
    for sign, any_case, as_written in _BY_SIGN:
        if sign in text:
            there.update([word for word in any_case if word in low])
            there.update([word for word in as_written if word in text])
    for rule in _RULES if there else ():
        words = there.intersection(rule.words)
        if words:
            text = _without(rule, words, text, key)
    return text


def _without(rule: _Rule, words: set[str], text: str, key: bytes) -> str:
    """`text` without the secrets of one rule, of which these words were found in it."""
    replace = partial(_placeholder, kind=rule.kind, key=key)
    low = text.lower()
    if len(text) < SHORT or len(low) != len(text) or rule.is_long:
        return rule.pattern.sub(replace, text)
    kept: list[str] = []
    done = 0
    for start, end in _lines_around(text, low, words):
        kept += (text[done:start], rule.pattern.sub(replace, text[start:end]))
        done = end
    return "".join([*kept, text[done:]])


def _lines_around(text: str, low: str, words: set[str]) -> list[tuple[int, int]]:
    """The whole lines near these words, as (start, end): a long text is not searched in full."""
    spans: list[tuple[int, int]] = []
    for at in _places_of(text, low, words):
        if spans and at + AROUND <= spans[-1][1]:
            continue
        start = low.rfind("\n", 0, max(at - AROUND, 0)) + 1
        end = low.find("\n", min(at + AROUND, len(low))) + 1 or len(low)
        if spans and start <= spans[-1][1]:
            start = spans.pop()[0]
        spans.append((start, end))
    return spans


def _places_of(text: str, low: str, words: set[str]) -> list[int]:
    found: list[int] = []
    for word in words:
        where = low if word in _ANY_CASE else text
        at = where.find(word)
        while at >= 0:
            found.append(at)
            at = where.find(word, at + 1)
    return sorted(found)


def _placeholder(match: re.Match[str], kind: str, key: bytes) -> str:
    if kind == "assigned" and _is_tag_of_image(match):
        return match[0]
    group = match.lastindex or 0
    start, end = match.start(group) - match.start(), match.end(group) - match.start()
    return match[0][:start] + _mark(match[group], kind, key) + match[0][end:]


def _is_tag_of_image(match: re.Match[str]) -> bool:
    """Whether what looks like `token:value` is the end of an image's name and its tag."""
    if match.string[match.start(match.lastindex or 0) - 1] != ":":
        return False
    before = match.string[max(0, match.start() - 200) : match.start()].rpartition("\n")[2]
    return _IMAGE.search(before) is not None


def _mark(secret: str, kind: str, key: bytes) -> str:
    """What stands in place of a secret: the same for the same secret and key."""
    import hmac

    digest = hmac.digest(key, secret.encode("utf-8", "surrogatepass"), "sha256")
    return f"[redacted:{kind}:{digest.hex()[:4]}]"
