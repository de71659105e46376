"""Remove private parts and secrets from a text.

Promises: `<private>` parts go first: in any case, nested, with attributes, entity-encoded, and to
the end when unclosed. A secret becomes `[redacted:kind:ab12]`, the same for the same secret and
key. Idempotent; linear time. Transactions call it on every text, capture on every event before
anything else sees it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial

from recollect._fastimport import Pattern
from recollect.text import secrets
from recollect.text.secret_rules import AGAIN, FORMS, IMAGE, PLACES, SecretRule

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
    """`(text, depth)`: a part of a longer text without what is private in it.

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


_RULES = FORMS + PLACES
_RULES_OF: dict[str, list[int]] = {}
for _n, _one in enumerate(_RULES):
    for _word in _one.words:
        _RULES_OF.setdefault(_word, []).append(_n)


def _by_guard() -> dict[str, tuple[list[str], list[str]]]:
    """The words of the rules, in any case and as written, by what a text must have for them.

    That is a sign in the word, or what all of its rules need.
    """
    found: dict[str, tuple[list[str], list[str]]] = {}
    for word in filter(str.isascii, sorted(_RULES_OF)):
        needs = {_RULES[n].needs for n in _RULES_OF[word]}
        own = next((sign for sign in ("_", ":", "-", ".", "\\u") if sign in word), "")
        guard = own or (needs.pop() if len(needs) == 1 else "")
        found.setdefault(guard, ([], []))[word != word.lower()].append(word)
    return found


_BY_GUARD = sorted(_by_guard().items())
_ANY_CASE, _AS_WRITTEN = _BY_GUARD.pop(0)[1]  # those without a guard
# Of most words, whose signs stand in most long texts.
_BY_ENDING = {
    guard: secrets.by_ending(guard, row[0]) for guard, row in _BY_GUARD if guard in ("_", "-")
}
_WIDE = tuple(word for word in _RULES_OF if not word.isascii())
SHORT = 1_000
WHOLE = ("private-key", "jwk")  # go over many lines
SPOKEN = frozenset("assigned said option url-password curl-password netrc pgpass".split())
MOST_KNOWN = 40  # in one conversation
AROUND = 400  # more than any pattern has in front of its word, or between it and the secret


# What programs and pages put between the letters of a text that is read without it: colours, and
# signs that nobody sees.
_UNSEEN = Pattern(
    r"(?:\x1b|\\(?:u001b|x1b))\[[0-9;?]{0,20}[A-Za-z]|[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]"
)
_UNSEEN_SIGNS = "\u00ad\u200b\u200c\u200d\u200e\u202e\u2060\ufeff"


def redact(
    text: str, key: bytes = b"", *, personal: bool = False, known: KnownSecrets | None = None
) -> str:
    """`text` without private parts and without the secrets that the rules know.

    With `personal` also without what tells of people, such as their telephone numbers; without
    what is `known` from other texts, and that learns what is found.
    """
    return without_secrets(strip_private(text), key, personal=personal, known=known)


def without_secrets(
    text: str, key: bytes = b"", *, personal: bool = False, known: KnownSecrets | None = None
) -> str:
    """`text` without the secrets that the rules know; private parts stay as they are."""
    if (
        "\x1b" in text
        or "1b[" in text
        or not (text.isascii() or all(sign not in text for sign in _UNSEEN_SIGNS))
    ):
        plain = _UNSEEN.sub("", text)
        clean = _without_secrets(plain, key, personal=personal, known=known)
        return text if clean == plain else clean
    return _without_secrets(text, key, personal=personal, known=known)


def _without_secrets(text: str, key: bytes, *, personal: bool, known: KnownSecrets | None) -> str:
    found: dict[str, str] = {}
    text = _by_our_rules(text, key, found)
    for secret, kind in found.items():
        if secret in text:
            alone = rf"(?<![A-Za-z0-9]){re.escape(secret)}(?![A-Za-z0-9])"
            text = re.sub(alone, _mark(secret, kind, key), text)
    if known is not None:
        text = known.taken_from(text, key)
        known.learn(found, key)
    finders: list[Callable[[str], Iterable[tuple[int, int, str]]]]
    finders = [secrets.parts_in, secrets.found_in]
    for find in [*finders, secrets.personal_in] if personal else finders:
        kept: list[str] = []
        done = 0
        for start, end, kind in find(text):
            kept += (text[done:start], _mark(text[start:end], kind, key))
            done = end
        text = "".join([*kept, text[done:]]) if kept else text
    return text


class KnownSecrets:
    """The passwords of a conversation, to know them where they are spoken of again.

    They are kept as keyed hashes, each with its length and kind, in the list that is given.
    """

    def __init__(self, rows: list[str]) -> None:
        """`rows` are what was learned before."""
        self.rows = rows

    def learn(self, found: dict[str, str], key: bytes) -> None:
        """Take in what was found: the kind of each secret."""
        for secret, kind in found.items():
            row = f"{len(secret)} {kind} {_hash_of(secret, key)}"
            if row not in self.rows:
                self.rows[:] = [*self.rows, row][-MOST_KNOWN:]

    def taken_from(self, text: str, key: bytes) -> str:
        """`text` without the secrets that are known."""
        kinds: dict[int, dict[str, str]] = {}
        for row in self.rows:
            length, kind, name = row.split()
            kinds.setdefault(int(length), {})[name] = kind
        for size, names in kinds.items():
            alone = (
                rf"(?<![A-Za-z0-9])(?=[!-~]{{{size}}}(?![A-Za-z0-9]))(?=[!-~]{{0,{size - 1}}}[0-9])"
            )
            kept: list[str] = []
            done = 0
            for at in (match.start() for match in re.finditer(alone, text)):
                part = text[at : at + size]
                kind = names.get(_hash_of(part, key), "") if at >= done else ""
                if kind:
                    kept += (text[done:at], _mark(part, kind, key))
                    done = at + size
            text = "".join([*kept, text[done:]]) if kept else text
        return text


def _hash_of(secret: str, key: bytes) -> str:
    import hmac

    return hmac.digest(key, b"again " + secret.encode(), "sha256").hex()[:16]


def _by_our_rules(text: str, key: bytes, found: dict[str, str] | None = None) -> str:
    there = _words_in(text)
    if not there:
        return text
    seen = _Seen(text)
    for n in sorted({n for word in there for n in _RULES_OF[word]}):
        rule = _RULES[n]
        if rule.needs in seen.low and not (rule.beside and there.isdisjoint(rule.beside)):
            clean = _without(rule, there.intersection(rule.words), seen, key, found)
            if clean is not None:
                seen = _Seen(clean)
    return seen.text


def _words_in(text: str) -> set[str]:
    """The words of the rules that are in a text."""
    low = text.lower()
    guards = [row for row in _BY_GUARD if row[0] in low]
    if len(text) > SHORT:  # each word is looked for in less
        text = secrets.without_repetition(text)
        low = text.lower()
    there = [word for word in _ANY_CASE if word in low]
    there += [word for word in _AS_WRITTEN if word in text]
    for guard, (any_case, as_written) in guards:
        by_ending = _BY_ENDING.get(guard)
        likely = secrets.likely_in(low, guard, by_ending) if by_ending else any_case
        there += [word for word in likely if word in low]
        if as_written:
            there += [word for word in as_written if word in text]
    if not text.isascii():
        there += [word for word in _WIDE if word in text]
    return set(there)


class _Seen:
    """A text that is searched, and the places of the words in it."""

    def __init__(self, text: str) -> None:
        self.text, self.low = text, text.lower()
        self._places: dict[str, list[int]] = {}

    def places_of(self, words: set[str]) -> list[int]:
        """Where one of these words begins, in order."""
        for word in words.difference(self._places):
            where = self.low if word == word.lower() else self.text
            found: list[int] = []
            at = where.find(word)
            while at >= 0:
                found.append(at)
                at = where.find(word, at + 1)
            self._places[word] = found
        if len(words) == 1:
            return self._places[next(iter(words))]
        return sorted({at for word in words for at in self._places[word]})

    def lines_around(self, words: set[str]) -> list[tuple[int, int]]:
        """The whole lines near these words, as (start, end): a long text is not searched in full."""
        spans: list[tuple[int, int]] = []
        for at in self.places_of(words):
            if spans and at + AROUND <= spans[-1][1]:
                continue
            start = self.low.rfind("\n", 0, max(at - AROUND, 0)) + 1
            end = self.low.find("\n", min(at + AROUND, len(self.low))) + 1 or len(self.low)
            if spans and start <= spans[-1][1]:
                start = spans.pop()[0]
            spans.append((start, end))
        return spans


def _without(
    rule: SecretRule, words: set[str], seen: _Seen, key: bytes, found: dict[str, str] | None
) -> str | None:
    """The text without the secrets of a rule, given the rule's words in it; None if it has none."""
    replace = partial(_placeholder, rule=rule, key=key, found=found)
    text, pattern = seen.text, rule.pattern
    is_short = rule.is_anywhere and (len(text) < SHORT or rule.kind in WHOLE)
    if is_short or len(seen.low) != len(text):
        clean = pattern.sub(replace, text)
        return None if clean == text else clean
    kept: list[str] = []
    done = 0
    if rule.is_anywhere:
        for start, end in seen.lines_around(words):
            kept += (text[done:start], pattern.sub(replace, text[start:end]))
            done = end
        clean = "".join([*kept, text[done:]])
        return None if clean == text else clean
    for at in seen.places_of(words):
        match = pattern.match(text, at) if at >= done else None
        if match:
            kept += (text[done:at], replace(match))
            done = match.end()
    return "".join([*kept, text[done:]]) if kept else None


def _placeholder(
    match: re.Match[str], rule: SecretRule, key: bytes, found: dict[str, str] | None = None
) -> str:
    if rule.kind == "assigned" and _is_tag_of_image(match):
        return match[0]
    group = match.lastindex or 0
    start, end = match.start(group) - match.start(), match.end(group) - match.start()
    if rule.each:
        one = rule._replace(each=None)
        clean = rule.each.sub(partial(_placeholder, rule=one, key=key, found=found), match[group])
    else:
        if found is not None and rule.kind in SPOKEN:
            # What ends a sentence may be part of it or not.
            ones = (match[group], match[group].rstrip(".,:;!?"))  # the longer one goes first
            found.update((one, rule.kind) for one in ones if AGAIN.fullmatch(one))
        clean = _mark(match[group], rule.kind, key)
    return match[0][:start] + clean + match[0][end:]


def _is_tag_of_image(match: re.Match[str]) -> bool:
    """Whether what looks like `token:value` is the end of an image's name and its tag."""
    if match.string[match.start(match.lastindex or 0) - 1] != ":":
        return False
    before = match.string[max(0, match.start() - 200) : match.start()].rpartition("\n")[2]
    return IMAGE.search(before) is not None


def _mark(secret: str, kind: str, key: bytes) -> str:
    """What stands in place of a secret: the same for the same secret and key."""
    import hmac

    digest = hmac.digest(key, secret.encode("utf-8", "surrogatepass"), "sha256")
    return f"[redacted:{kind}:{digest.hex()[:4]}]"
