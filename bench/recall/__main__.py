"""Recall on LoCoMo and BEAM, a store for each conversation, no model.

`python -m bench.recall --data FOLDER [--set locomo|beam] [--by-kind]`
`python -m bench.recall --data FOLDER --together`     all conversations in one store
`python -m bench.recall --data FOLDER --part judge`   those by which nothing is to be chosen
`python -m bench.recall --data FOLDER --stages`       without each stage of the product in turn
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterable

from bench import switches
from bench.nothere import NotHere
from bench.recall import data, metrics, stages
from bench.recall.systems import PRODUCT, SYSTEMS, Ask

SETS = {"locomo": data.locomo, "beam": data.beam}
PARTS = ("tune", "judge")  # every other conversation: settings may be chosen by the first
APART = "adversarial"  # no answer is wanted there; told apart, as its publishers do


Answers = list[tuple[str, list[str], frozenset[str]]]  # kind, found, wanted, for each question


class Rows:
    """The answers of one system: a ranking of turns and of sessions for each question."""

    def __init__(self) -> None:
        """No answers yet."""
        self.turns: Answers = []
        self.sessions: Answers = []

    def add(self, found: list[str], question: data.Question, where: dict[str, str]) -> None:
        """Take in what was found for a question; `where` is each turn's session."""
        self.turns.append((question.kind, found, question.evidence))
        wanted = frozenset(where[one] for one in question.evidence)
        self.sessions.append(
            (question.kind, list(dict.fromkeys(where[one] for one in found)), wanted)
        )


def run(
    name: str, talks: list[data.Conversation], without: Iterable[str] = ("",)
) -> tuple[dict[str, Rows], float]:
    """Ask a system every question, each of its own conversation; gives ms a question, too.

    `without` are stages of the product: it is asked again without each of them.
    """
    rows, took, asked = {stage: Rows() for stage in without}, 0.0, 0
    for talk in talks:
        where = {turn.id: s.id for s in talk.sessions for turn in s.turns}
        with tempfile.TemporaryDirectory(prefix="recollect-recall-") as folder:
            ask: Ask | None = None
            for n, (stage, answers) in enumerate(rows.items()):
                with switches.off(stages.STAGES.get(stage, ())):
                    if ask is None or stage in stages.FILED:  # these come last
                        ask = SYSTEMS[name]([talk], os.path.join(folder, str(n)))
                    started = time.perf_counter()
                    for question in talk.questions:
                        answers.add(ask(question.text), question, where)
                    took += time.perf_counter() - started
        asked += len(talk.questions) * len(rows)
    return rows, 1000 * took / asked


def measured(rows: Answers) -> list[tuple[float, ...]]:
    """Every measure of each question."""
    return [
        tuple(one(found, asked) for one in metrics.MEASURES.values()) for _, found, asked in rows
    ]


def show(name: str, values: list[tuple[float, ...]]) -> None:
    """A line of the table, and below it the 95 % intervals."""
    means = [sum(column) / len(values) for column in zip(*values, strict=True)]
    print(f"  {name:34}" + "".join(f"{mean:>14.3f}" for mean in means))
    between = [f"{low:.3f}–{high:.3f}" for low, high in metrics.intervals(values)]
    print(f"  {'':34}" + "".join(f"{cell:>14}" for cell in between))


def heads() -> None:
    """What stands above the numbers."""
    print(f"  {'':34}" + "".join(f"{name:>14}" for name in metrics.MEASURES))


def parts_of(rows: Rows) -> dict[str, Answers]:
    """What is told of every system."""
    return {
        "turns": [row for row in rows.turns if row[0] != APART],
        "sessions": [row for row in rows.sessions if row[0] != APART],
        "sessions, all categories": rows.sessions,
    }


def show_all(rows: Rows, *, by_kind: bool) -> None:
    """The lines of one system."""
    heads()
    for name, answers in parts_of(rows).items():
        show(name, measured(answers))
    if by_kind:
        for kind in sorted({row[0] for row in rows.turns}):
            mine = [row for row in rows.turns if row[0] == kind]
            show(f"turns: {kind} ({len(mine)})", measured(mine))


def show_losses(whole: Rows, less: Rows) -> None:
    """By how much the measures change, question by question."""
    for name, answers in parts_of(whole).items():
        pairs = zip(measured(answers), measured(parts_of(less)[name]), strict=True)
        show(name, [tuple(b - a for a, b in zip(*pair, strict=True)) for pair in pairs])


def wanted(given: argparse.Namespace, chosen: str) -> list[data.Conversation]:
    """The conversations of a set that are asked for."""
    talks = SETS[chosen](given.data)
    if given.part:
        talks = talks[PARTS.index(given.part) :: 2]
    return data.together(talks) if given.together else talks


def show_stages(talks: list[data.Conversation]) -> None:
    """What each stage of the product is worth: what changes without it."""
    found = run(PRODUCT, talks, ("", *stages.STAGES))[0]
    whole = found.pop("")
    print(f" {PRODUCT}")
    show_all(whole, by_kind=False)
    for stage, rows in found.items():
        print(f" without {stage}, it changes by")
        show_losses(whole, rows)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", required=True, help="the folder with locomo*.json, beam*/")
    parser.add_argument("--set", choices=SETS, action="append")
    parser.add_argument("--system", choices=SYSTEMS, action="append")
    parser.add_argument("--part", choices=PARTS)
    parser.add_argument("--together", action="store_true")
    parser.add_argument("--stages", action="store_true")
    parser.add_argument("--by-kind", action="store_true")
    given = parser.parse_args()
    if not os.path.isdir(given.data):
        sys.exit(f"There is no folder {given.data}: the data is not part of this project.")
    for chosen in given.set or SETS:
        talks = wanted(given, chosen)
        asked = sum(len(talk.questions) for talk in talks)
        print(f"\n{chosen}: {len(talks)} conversations, {asked} questions")
        if given.stages:
            show_stages(talks)
            continue
        for name in given.system or SYSTEMS:
            try:
                found, ms = run(name, talks)
            except NotHere as error:
                print(f" {name}: skipped, {error}")
                continue
            print(f" {name} ({ms:.1f} ms a question)")
            show_all(found[""], by_kind=given.by_kind)


if __name__ == "__main__":
    main()
