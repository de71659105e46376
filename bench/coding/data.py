"""The histories and cues of the benchmark, as values.

Promises: the same files and seed give the same world; every memory that a cue names exists.
Touches: the TOML files beside it (reading).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import date
from typing import Any, NamedTuple

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "projects")
NOW = "2026-11-20T10:00:00Z"  # a Friday; every cue is asked then
EVERYWHERE = "everywhere"
OWN, GLOBAL = "own", "global"


class Memory(NamedTuple):
    """Something that was remembered: `project` is empty for what holds everywhere."""

    id: str
    project: str
    kind: str
    title: str
    text: str
    on: date
    tags: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    trigger: tuple[str, ...] = ()
    status: str = "confirmed"
    replaces: str = ""
    marked: bool = False  # whether the store was told that `replaces` is over


class Cue(NamedTuple):
    """What is asked, where, and which memories answer it.

    `want` are the memories that answer (grade 2), `also` those that help (grade 1), `under` what
    must not come before them. `command` is there where a tool call failed.
    """

    name: str
    project: str
    of: str  # the class
    ask: str
    command: str = ""
    want: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    under: tuple[str, ...] = ()
    made: bool = False  # by the generator, from one that a person wrote

    @property
    def text(self) -> str:
        """All that is said."""
        return f"{self.command}\n{self.ask}" if self.command else self.ask

    @property
    def language(self) -> str:
        """`en`, `zh` or `mixed`, by the script."""
        chinese = sum("一" <= c <= "鿿" for c in self.text)
        if not chinese:
            return "en"
        return (
            "zh" if chinese * 3 >= sum(c.isascii() and c.isalpha() for c in self.text) else "mixed"
        )

    def grade(self, memory: str) -> int:
        """2 for what answers, 1 for what helps, else 0."""
        return 2 if memory in self.want else int(memory in self.also)


class Project(NamedTuple):
    """A project with its own store, or one whose memories are in its private store."""

    name: str
    about: str
    part: str  # "tune": settings may be chosen by it; "judge": they may not
    store: str
    chores: tuple[str, ...]  # sentences from which records of other sessions are made


class World(NamedTuple):
    """Everything: who knows what, and what is asked."""

    projects: dict[str, Project]
    memories: dict[str, Memory]
    cues: list[Cue]

    def seen_from(self, project: str) -> list[Memory]:
        """The memories in the stores of a project and of all, and those in others' private stores.

        Of other projects none must ever come.
        """
        return [
            one
            for one in self.memories.values()
            if one.project in ("", project) or self.projects[one.project].store == GLOBAL
        ]


def written() -> World:
    """What was written by hand."""
    import tomllib

    projects: dict[str, Project] = {}
    memories: dict[str, Memory] = {}
    cues: list[Cue] = []
    asked_nowhere: list[Cue] = []
    for name in sorted(os.listdir(FOLDER)):
        with open(os.path.join(FOLDER, name), "rb") as file:
            page = tomllib.load(file)
        own = "" if page["name"] == EVERYWHERE else page["name"]
        if own:
            chores = tuple(page["chores"])
            projects[own] = Project(own, page["about"], page["part"], page["store"], chores)
        for row in page["memory"]:
            memories[row["id"]] = _memory(row, own)
        for cue in _cues(page, own):
            (cues if cue.project else asked_nowhere).append(cue)
    names = sorted(projects)
    # What has no project of its own is asked in several, evenly.
    for n, cue in enumerate(asked_nowhere):
        for step in (0, 5):
            at = names[(n + step) % len(names)]
            cues.append(cue._replace(project=at, name=f"{cue.name}-{at}"))
    return World(projects, memories, cues)


def _memory(row: dict[str, Any], project: str) -> Memory:
    fields: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in row.items()
    }
    return Memory(project=project, **fields)


def _cues(page: dict[str, Any], own: str) -> Iterator[Cue]:
    days = {row["id"]: row["on"].isoformat() for row in page["memory"]}
    rows = [row for table in page["cue"] for row in table["all"]]
    for n, row in enumerate(rows, 1):
        lists: dict[str, Any] = {key: tuple(row.get(key, ())) for key in ("want", "also", "under")}
        unknown = {one for several in lists.values() for one in several} - set(days)
        if unknown:
            raise ValueError(f"{page['name']}: a cue names {unknown}, which nobody wrote")
        at = row.get("at", own)
        of = row.get("of") or ("near" if "at" in row else "nothing")
        yield Cue(
            f"{page['name']}-{n:02}", at, of, row["ask"], command=row.get("command", ""), **lists
        )
