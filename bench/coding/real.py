"""Real commits as memories, real issues as cues: a world read from a folder of the caller's.

Each `NAME.json` there is a repository: `{"memories": [{id, title, body, date, files}], "cues": [{id,
title, text, gold}]}`, where `gold` are the ids of the memories that resolved the issue.
Promises: the same folder gives the same world.
Touches: the folder, and the prompts beside it (reading).
"""

from __future__ import annotations

import glob
import json
import os
from collections.abc import Iterator
from datetime import date
from typing import Any

from bench.coding.data import OWN, Cue, Memory, Project, World

EVERYDAY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "everyday.toml")
TOGETHER = "all"
LONGEST_TEXT = 2_400  # characters of an issue: more is a log that nobody types


def world(folder: str, *, together: bool = False) -> World:
    """The repositories of a folder, in a store each or in one; the same everyday prompts for each."""
    projects: dict[str, Project] = {}
    memories: dict[str, Memory] = {}
    cues: list[Cue] = []
    for path in sorted(glob.glob(os.path.join(folder, "*.json"))):
        with open(path, encoding="utf-8") as file:
            page = json.load(file)
        name = os.path.basename(path).removesuffix(".json")
        project = TOGETHER if together else name
        projects[project] = Project(project, "", "judge", OWN, ())
        for row in page["memories"]:
            memories[f"{name}-{row['id']}"] = _memory(row, name, project)
        for row in page["cues"]:
            cues += _cues(row, name, project)
    for project in projects:
        cues += everyday(project)
    return World(projects, memories, cues)


def _memory(row: dict[str, Any], name: str, project: str) -> Memory:
    return Memory(
        f"{name}-{row['id']}", project, "implementation", row["title"], row["body"] or row["title"],
        date.fromisoformat(row["date"]), files=tuple(row["files"]),
    )  # fmt: skip


def _cues(row: dict[str, Any], name: str, project: str) -> Iterator[Cue]:
    want = tuple(f"{name}-{one}" for one in row["gold"])
    yield Cue(f"{row['id']}-title", project, "issue", row["title"], want=want)
    yield Cue(f"{row['id']}-text", project, "issue-text", row["text"][:LONGEST_TEXT], want=want)


def everyday(project: str) -> Iterator[Cue]:
    """What is typed all day and is about nothing that a memory says."""
    import tomllib

    with open(EVERYDAY, "rb") as file:
        prompts = tomllib.load(file)
    for n, ask in enumerate([*prompts["en"], *prompts["zh"]], 1):
        yield Cue(f"everyday-{n:02}-{project}", project, "nothing", ask)
