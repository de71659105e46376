"""Personal: what tells of people: addresses of mail, telephone numbers, accounts, cards, identity cards.

Promises: what has a checksum is taken only where that is right; what belongs to programs (`git@host`,
example domains, versions, times, ids) stays; time grows with the length of the text.
Touches: nothing.

Not a secret for everybody: people ask for these rules (`privacy.personal`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from recollect.domain.pattern import Pattern

_MAIL = Pattern(
    r"(?<![\w.+/-])[A-Za-z0-9](?:[\w.+-]{0,62}[A-Za-z0-9_])?+@(?:[A-Za-z0-9-]{1,63}\.){1,4}[A-Za-z]{2,18}(?![\w-])",
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


def _is_phone(text: str) -> bool:
    return 9 <= sum(map(str.isdigit, text)) <= 15


# In this order: a long number may look like a shorter one of another kind.
_KINDS: tuple[tuple[str, Pattern, Callable[[str], bool]], ...] = (
    ("mail", _MAIL, lambda text: _NOBODY.match(text) is None),
    ("account", _IBAN, _is_account),
    ("identity", _IDENTITY, _is_identity),
    ("card", _CARD, _is_card),
    ("phone", _PHONE, _is_phone),
)


def found_in(text: str) -> Iterator[tuple[int, int, str]]:
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
