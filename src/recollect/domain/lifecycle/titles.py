"""Lifecycle: what the title of a section says, and what it becomes when that holds no longer.

Promises: a title is changed only where it says in other form what was taken out below it; no
statement is changed by that; two sections do not get the same title.
Touches: nothing.
"""

from __future__ import annotations

import re
from collections import Counter

from recollect.domain.claims import near_key, statements_of
from recollect.domain.codec.sections import Part, parts_of
from recollect.domain.lifecycle.actions import LABELS
from recollect.domain.notice import shortened

LONGEST_TITLE = 60
AGAIN = " +"  # behind the title of a section whose first choice is taken


def title_for(text: str, label: str = "") -> str:
    """The `##` title under which a rule stands; the label says whose it is, if not the person's."""
    plain = " ".join(re.sub(r"[`*_#<>]+", " ", text).split())
    return (shortened(plain, LONGEST_TITLE).strip(" .。!！:：") or "…") + label


def label_of(title: str) -> str:
    """What stands behind a title to say whose section it is; nothing for the person's."""
    bare = _bare(title)
    return next((label for label in LABELS if label and bare.endswith(label)), "")


def says(title: str, text: str) -> bool:
    """Whether a title says this statement, or as much of it as titles have room for."""
    said = _bare(title).removesuffix(label_of(title))
    return near_key(title_for(said)) == near_key(title_for(text))


def _bare(title: str) -> str:
    while title.endswith(AGAIN):
        title = title.removesuffix(AGAIN)
    return title


def retitled(body: str, made: str, old: str) -> str:
    """`made`, which is `body` without `old`, without a title that goes on saying it.

    Such a section is named by the first thing that it says now; if that is nothing, the title goes.
    """
    before, parts = parts_of(body), parts_of(made)
    taken = {part.heading.casefold() for part in parts[1:]}
    for n, (was, part) in enumerate(zip(before, parts, strict=False)):
        if n and was.text != part.text and says(part.heading, old):
            parts[n] = _renamed(part, old, taken)
    whole = "".join(part.text for part in parts)
    return whole if _texts(whole) == _texts(made) else made


def _renamed(part: Part, old: str, taken: set[str]) -> Part:
    line, newline, rest = part.text.partition("\n")
    left = [said.text for said in statements_of(rest)]
    if not left:
        return Part("", rest.lstrip("\r\n"))
    if near_key(old) in map(near_key, left):
        return part
    title = title_for(left[0], label_of(part.heading))
    while title.casefold() in taken:
        title += AGAIN
    return Part(title, f"## {title}{line[len(line.rstrip()) :]}{newline}{rest}")


def _texts(body: str) -> Counter[str]:
    return Counter(said.text for said in statements_of(body))
