"""SQLite: questions that are asked again once the damage they met is mended.

Promises: a question is asked at most twice; trouble that is no damage is raised as ours.
Touches: nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from recollect.adapters.sqlite.engine import sqlite


class Mends(Protocol):
    """What can replace an index that is damaged."""

    def mend(self, error: sqlite.Error) -> None:
        """Replace and fill the index if it is damaged; any other trouble is raised as ours."""


_S = TypeVar("_S", bound=Mends)
_P = ParamSpec("_P")
_R = TypeVar("_R")


def whole(ask: Callable[Concatenate[_S, _P], _R]) -> Callable[Concatenate[_S, _P], _R]:
    """A question that is asked again once the damage it met is mended."""

    @wraps(ask)
    def asked(self: _S, /, *args: _P.args, **named: _P.kwargs) -> _R:
        try:
            return ask(self, *args, **named)
        except sqlite.Error as error:
            self.mend(error)
        return ask(self, *args, **named)

    return asked
