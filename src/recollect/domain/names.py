"""Names: slugs, ids and anchors, and what may never be a name.

Promises: a slug matches `[a-z0-9][a-z0-9-]{0,63}` whatever the title was; an id that passes
`is_id` cannot leave its folder.
Touches: nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from recollect.domain.model import SEALED
from recollect.domain.pattern import Pattern

LONGEST_SLUG = 64
_RESERVED = frozenset(
    ["con", "prn", "aux", "nul", "summary", "conversation"]
    + [f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10)]
)
_ID = Pattern(r"\w[\w.-]{0,127}")
_NUMBER = Pattern(r"[dpiDPI][0-9]{3,9}")


def slug_of(title: str) -> str:
    """A readable name for a file: Latin letters, digits and hyphens; Chinese becomes pinyin."""
    if not title.isascii():
        from anyascii import anyascii  # its tables are only read for the characters at hand

        title = "".join(
            c if c.isascii() else f" {anyascii(c)} " if _is_word(c) else anyascii(c) for c in title
        )
    words = re.findall(r"[a-z0-9]+", title.lower())
    slug = ""
    for word in words:
        longer = f"{slug}-{word}" if slug else word[:LONGEST_SLUG]
        if len(longer) > LONGEST_SLUG:
            break
        slug = longer
    if not slug:
        return "memory"
    return f"{slug}-memory" if slug in _RESERVED else slug


def _is_word(char: str) -> bool:
    return "\u3040" <= char <= "\ud7af" or char >= "\U00020000"


def anchor_of(heading: str) -> str:
    """The anchor of a `##` heading: its words in lower case, of any script, with hyphens."""
    return "-".join(re.findall(r"[^\W_]+", heading.lower()))[:LONGEST_SLUG].strip("-") or "section"


def is_id(name: str) -> bool:
    """Whether `name` can be an id: letters of any script, digits, `_`, `-` and inner dots."""
    return bool(_ID.fullmatch(name)) and ".." not in name and not name.endswith(".")


def id_from(name: str) -> str:
    """The id that comes nearest to a name that can be none itself."""
    return re.sub(r"[^\w-]+", "-", name).strip("-")[:128] or "memory"


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
