"""App: one thing that was looked at, said in a sentence."""

from __future__ import annotations

from recollect.named import NamedTuple


class Finding(NamedTuple):
    """One thing that was looked at: a sentence about it, as a template with its fields.

    `state` is ok, note, problem or mended; `about` is a part of the store, or a path in it.
    """

    state: str
    about: str
    sentence: str
    fields: dict[str, object]


def found(state: str, about: str, sentence: str, **fields: object) -> Finding:
    """A finding; a program that reads it gets the sentence in English."""
    return Finding(state, about, sentence, fields)
