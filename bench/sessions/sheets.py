"""Samples, the sheets to label them on, and the scores of labels.

Promises: the same seed gives the same sample, and an item that survives a change of the product
stays in the sample and keeps its label; a label names an item by hash and holds none of its text.
Touches: the folders of sheets and labels.
"""

from __future__ import annotations

import csv
import hashlib
import json
import math
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

GOOD = frozenset("good useful right yes true kept 1".split())
BAD = frozenset("bad useless harmful false dull missed lost no 0".split())
_PASSING = re.compile(
    r"(?<=memory-)[0-9a-f]{8}|\b20\d\d-\d\d-\d\d"
)  # nonces, and dates, which are shifted
Row = dict[str, Any]


def name_of(*parts: str) -> str:
    """The hash of everything that a label judges."""
    said = "\x1f".join(" ".join(_PASSING.sub("", part).split()) for part in parts)
    return hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()[:16]


def sample(rows: Iterable[Row], count: int, seed: int) -> list[Row]:
    """A sample without repeats; whether a row is in it depends little on the other rows."""
    once = {row["item"]: row for row in rows}
    order = sorted(once, key=lambda item: hashlib.sha256(f"{seed}:{item}".encode()).digest())
    return [once[item] for item in order[:count]]


def write(folder: str, measure: str, rows: Iterable[Row]) -> None:
    """Write a sheet: a JSON object a line, with an empty `label`."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    with open(os.path.join(folder, f"{measure}.jsonl"), "w", encoding="utf-8") as file:
        file.writelines(json.dumps({**row, "label": ""}, ensure_ascii=False) + "\n" for row in rows)


def labels_in(folder: str, measure: str) -> dict[str, str]:
    """The labels of a measure, from `MEASURE.csv` (item, label) or a filled-in sheet."""
    found: dict[str, str] = {}
    sheet, table = (os.path.join(folder, f"{measure}.{end}") for end in ("jsonl", "csv"))
    if os.path.exists(sheet):
        with open(sheet, encoding="utf-8") as file:
            rows = [json.loads(line) for line in file if line.strip()]
        found.update({row["item"]: str(row["label"]).strip().casefold() for row in rows})
    if os.path.exists(table):
        with open(table, encoding="utf-8", newline="") as file:
            for row in csv.reader(file):
                if len(row) > 1 and row[0] != "item":
                    found[row[0].strip()] = row[1].strip().casefold()
    return {item: label for item, label in found.items() if label}


def wilson(good: int, of: int, z: float = 1.96) -> tuple[float, float]:
    """The 95 % interval of a proportion (Wilson, 1927); (0, 1) without any data."""
    if not of:
        return 0.0, 1.0
    share, width = good / of, z * z / of
    middle = (share + width / 2) / (1 + width)
    reach = z * math.sqrt(share * (1 - share) / of + width / (4 * of)) / (1 + width)
    return max(0.0, middle - reach), min(1.0, middle + reach)


def shown(good: int, of: int) -> str:
    """A proportion with its interval: `27 of 90, 30 % (22–40)`."""
    if not of:
        return "nothing labelled"
    low, high = wilson(good, of)
    return f"{good} of {of}, {100 * good / of:.0f} % ({100 * low:.0f}–{100 * high:.0f})"


def judged(
    items: Iterable[str], labels: Mapping[str, str], good: Iterable[str] = GOOD
) -> tuple[int, int]:
    """`(good, labelled)` among these items.

    Raises:
        ValueError: an unknown label.
    """
    wanted = frozenset(good)
    told = [labels[item] for item in items if item in labels]
    for label in told:
        if label not in GOOD | BAD:
            raise ValueError(f"unknown label {label!r}; use one of {', '.join(sorted(GOOD | BAD))}")
    return sum(label in wanted for label in told), len(told)


def precision(rows: Sequence[Row], labels: Mapping[str, str], of: str = "") -> list[str]:
    """The share of good items, overall and for each value of a field."""
    lines = [shown(*judged((row["item"] for row in rows), labels))]
    for value in sorted({str(row[of]) for row in rows}) if of else ():
        mine = [row["item"] for row in rows if str(row[of]) == value]
        lines.append(f"  {value or 'unknown'}: {shown(*judged(mine, labels))}")
    return lines


def useful(rows: Sequence[Row], labels: Mapping[str, str]) -> list[str]:
    """How much of what was injected is useful, and how much of what could be answered was."""
    given = [row["item"] for row in rows if row["tokens"]]
    silent = [row["item"] for row in rows if not row["tokens"]]
    good, of = judged(given, labels)
    right, quiet = judged(silent, labels)
    harmful = sum(labels.get(item) == "harmful" for item in given)
    lines = [f"useful injections: {shown(good, of)}; harmful: {harmful}"]
    lines.append(f"correctly silent: {shown(right, quiet)}")
    lines.append(f"answered, of what the store could answer: {shown(good, good + quiet - right)}")  # fmt: skip
    return lines


def score(rows: Sequence[Row], labels: Mapping[str, str]) -> list[str]:
    """The mean of scores from 0 to 5."""
    marks = [float(labels[row["item"]]) for row in rows if row["item"] in labels]
    if not marks:
        return ["nothing labelled"]
    return [f"mean {sum(marks) / len(marks):.1f} of 5, {len(marks)} labelled"]


def recall(rows: Sequence[Row], labels: Mapping[str, str]) -> list[str]:
    """How many wanted statements are kept: confirmed by a labeller, and likely by their words."""
    wanted = {row["wanted"] for row in rows}
    lines = []
    for place, said in (
        ("entry", "kept as an entry"),
        ("summary", "kept in an entry or a summary"),
    ):
        pairs = [row for row in rows if place == "summary" or row["place"] == "entry"]
        sure = {row["wanted"] for row in pairs if labels.get(row["item"]) in GOOD}
        guessed = {r["wanted"] for r in pairs if r["item"] not in labels and r["likely"]} - sure
        lines.append(f"{said}: {shown(len(sure), len(wanted))}; {len(guessed)} more likely, unconfirmed")  # fmt: skip
    return lines


Scorer = Callable[[Sequence[Row], Mapping[str, str]], list[str]]
SCORERS: dict[str, Scorer] = {
    "statements": lambda rows, labels: precision(rows, labels, "by"),
    "solutions": precision,
    "facts": lambda rows, labels: precision(rows, labels, "by"),
    "titles": lambda rows, labels: precision(rows, labels, "from"),
    "briefs": score,
    "prompts": useful,
    "failures": useful,
    "questions": useful,
    "gold": recall,
}
