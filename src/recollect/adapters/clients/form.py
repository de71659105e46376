"""Clients: what we add to their files, and how it gets in and out again.

Promises: a form changes a text and nothing else; putting twice is putting once; taking out what
was put in gives the text that was there.
Touches: nothing. `files` reads and writes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Protocol

from recollect.named import NamedTuple

NOTHING: frozenset[str] = frozenset()


class Program(NamedTuple):
    """How our program is run: the interpreter and the hook program, both absolute."""

    python: str
    hook: str

    def hook_command(self, client: str, event: str) -> str:
        """The command line of a hook, in the shell form that every client understands."""
        return f"{_quoted(self.python)} -I -S {_quoted(self.hook)} {client} {event}"

    @property
    def server(self) -> list[str]:
        """The words of a command that serves the memory to the client's tools."""
        main = os.path.join(os.path.dirname(self.hook), "__main__.py")
        return [self.python, "-I", main, "mcp"]


def _quoted(path: str) -> str:
    return '"' + re.sub(r'(["\\$`])', r"\\\1", path) + '"'


class Form(Protocol):
    """What of ours goes into a file of a client."""

    def put(self, text: str) -> str:
        """The text with ours in it, as it is to be now. Raises ValueError."""

    def taken(self, text: str, theirs: frozenset[str] = NOTHING) -> str:
        """The text without ours. Raises ValueError.

        What is empty without it goes too, unless it is in `theirs`: it was there before us.
        """

    def empties(self, text: str) -> list[str]:
        """The places for ours that are there and empty. Raises ValueError."""


class Part(NamedTuple):
    """A file of a client, and what of ours goes into it."""

    name: str  # hooks, mcp, …; the first one of a client has none
    path: str
    form: Form


class Together(NamedTuple):
    """Several things in one file."""

    forms: Sequence[Form]

    def put(self, text: str) -> str:
        """The text with all of it."""
        for form in self.forms:
            text = form.put(text)
        return text

    def taken(self, text: str, theirs: frozenset[str] = NOTHING) -> str:
        """The text with none of it."""
        for form in reversed(self.forms):
            text = form.taken(text, theirs)
        return text

    def empties(self, text: str) -> list[str]:
        """The places that are there and empty."""
        return [place for form in self.forms for place in form.empties(text)]


class Whole(NamedTuple):
    """A file that is ours from its first line to its last; `mark` is in it and in no other."""

    text: str
    mark: str

    def put(self, text: str) -> str:
        """Our text. Raises ValueError for a file of somebody else."""
        if text.strip() and self.mark not in text:
            raise ValueError("there is a file of this name that is not ours")
        return self.text

    def taken(self, text: str, theirs: frozenset[str] = NOTHING) -> str:
        """Nothing; the file of somebody else as it is."""
        del theirs
        return "" if self.mark in text else text

    def empties(self, text: str) -> list[str]:
        """None: there is one place only."""
        del text
        return []
