"""Parts of the product that a benchmark switches off, to see what each is worth.

Promises: everything is as before when they are on again.
Touches: the modules of the product, for as long as something is off.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

Switch = tuple[object, str, Any]  # what is replaced, where, by what


@contextmanager
def off(switches: Sequence[Switch]) -> Iterator[None]:
    """Let the product do without something."""
    before = [(where, name, getattr(where, name)) for where, name, _ in switches]
    for where, name, instead in switches:
        setattr(where, name, instead)
    try:
        yield
    finally:
        for where, name, own in before:
            setattr(where, name, own)


def nothing(*_: object, **__: object) -> dict[str, object]:
    """In the place of a function that finds something."""
    return {}
