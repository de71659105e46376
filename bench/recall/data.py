"""The conversations and questions of LoCoMo and BEAM, as one shape.

Promises: reads only; a question whose evidence is not in its conversation is left out.
Touches: the data folder it is given. The data is for evaluation and never part of this project.
"""

from __future__ import annotations

import glob
import json
import os
import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple


class Turn(NamedTuple):
    """What somebody said."""

    id: str
    actor: str
    text: str


class Session(NamedTuple):
    """Turns of one sitting."""

    id: str
    time: str  # 2023-05-08T13:56:00Z, or nothing
    turns: list[Turn]


class Question(NamedTuple):
    """A question and the turns that answer it."""

    text: str
    evidence: frozenset[str]
    kind: str


class Conversation(NamedTuple):
    """Sessions and the questions about them."""

    name: str
    sessions: list[Session]
    questions: list[Question]


LOCOMO_KINDS = {1: "multi-hop", 2: "temporal", 3: "open", 4: "single-hop", 5: "adversarial"}


def locomo(folder: str) -> list[Conversation]:
    """The conversations of `locomo*.json`: all that somebody has, those kept aside as well."""
    found = []
    for path in sorted(glob.glob(os.path.join(folder, "locomo*.json"))):
        with open(path, encoding="utf-8") as file:
            found += [_locomo(row) for row in json.load(file)]
    return found


def _locomo(row: dict[str, Any]) -> Conversation:
    talk = row["conversation"]
    sessions = []
    for n in range(1, 100):
        turns = [_locomo_turn(turn) for turn in talk.get(f"session_{n}", ())]
        if turns:
            sessions.append(Session(f"D{n}", _locomo_time(talk[f"session_{n}_date_time"]), turns))
    have = {turn.id for session in sessions for turn in session.turns}
    questions = []
    for one in row["qa"]:
        named = frozenset(re.findall(r"D\d+:\d+", " ".join(one.get("evidence", ())))) & have
        if named:
            questions.append(Question(one["question"], named, LOCOMO_KINDS[one["category"]]))
    return Conversation(row["sample_id"], sessions, questions)


def _locomo_turn(turn: dict[str, str]) -> Turn:
    caption = f" [{turn['blip_caption']}]" if turn.get("blip_caption") else ""
    return Turn(turn["dia_id"], turn["speaker"], turn["text"] + caption)


def _locomo_time(said: str) -> str:
    return datetime.strptime(said, "%I:%M %p on %d %B, %Y").strftime("%Y-%m-%dT%H:%M:00Z")  # noqa: DTZ007


def beam(folder: str) -> list[Conversation]:
    """The chats of `beam*/`."""
    found = sorted(glob.glob(os.path.join(folder, "beam*", "*-chat.json")))
    return [_beam(path) for path in found]


def _beam(path: str) -> Conversation:
    sessions = []
    with open(path, encoding="utf-8") as file:
        for batch in json.load(file):
            said = [message for turn in batch["turns"] for message in turn]
            turns = [Turn(str(m["id"]), m["role"], m["content"].split("->->")[0]) for m in said]
            time = next((_beam_time(m["time_anchor"]) for m in said if m.get("time_anchor")), "")
            sessions.append(Session(f"B{batch['batch_number']}", time, turns))
    with open(path.replace("-chat.", "-questions."), encoding="utf-8") as file:
        rows = json.load(file)
    have = {turn.id for session in sessions for turn in session.turns}
    questions = [
        Question(row["question"], evidence, kind)
        for kind, several in rows.items()
        for row in several
        if (evidence := frozenset(map(str, _numbers(row.get("source_chat_ids")))) & have)
    ]
    number = os.path.basename(path).partition("-")[0]
    name = f"{os.path.basename(os.path.dirname(path))}-{number}"
    return Conversation(name, sessions, questions)


def together(talks: list[Conversation]) -> list[Conversation]:
    """All conversations as one, in which each question has to find its own first."""
    sessions, questions = [], []
    for talk in talks:
        for session in talk.sessions:
            turns = [turn._replace(id=f"{talk.name}-{turn.id}") for turn in session.turns]
            sessions.append(session._replace(id=f"{talk.name}-{session.id}", turns=turns))
        for one in talk.questions:
            named = frozenset(f"{talk.name}-{turn}" for turn in one.evidence)
            questions.append(one._replace(evidence=named))
    return [Conversation("all", sessions, questions)]


def _beam_time(said: str) -> str:
    try:
        return datetime.strptime(said, "%B-%d-%Y").strftime("%Y-%m-%dT10:00:00Z")  # noqa: DTZ007
    except ValueError:
        return ""


def _numbers(value: Any) -> Iterator[int]:
    if isinstance(value, int):
        yield value
    elif isinstance(value, list | dict):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _numbers(inner)
