"""Codec: text ↔ memory, in both languages.

Promises: every text is some memory (what cannot be parsed is its `problem`); the text of a new
memory reads back as the same memory; edits change the lines of their field only.
Touches: nothing.
"""

from __future__ import annotations

from recollect.domain.codec.fields import (
    default_fields,
    fields_of,
    memory_from_text,
    new_text,
    with_field,
    with_title,
)
from recollect.domain.codec.frontmatter import split_front
from recollect.domain.codec.sections import section_named, sections_of, with_section

__all__ = [
    "default_fields",
    "fields_of",
    "memory_from_text",
    "new_text",
    "section_named",
    "sections_of",
    "split_front",
    "with_body",
    "with_field",
    "with_section",
    "with_title",
]


def with_body(text: str, body: str) -> str:
    """`text` with another body under the same front matter."""
    front = split_front(text)
    return front.lead + "".join(front.lines) + body
