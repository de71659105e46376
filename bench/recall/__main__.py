"""Recall on LoCoMo and BEAM, a store for each conversation, no model.

`python -m bench.recall --data FOLDER [--set locomo|beam] [--by-kind]`
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time

from bench.recall import data, metrics
from bench.recall.systems import SYSTEMS

SETS = {"locomo": data.locomo, "beam": data.beam}
APART = "adversarial"  # no answer is wanted there; told apart, as its publishers do


class Rows:
    """The answers of one system: a ranking of turns and of sessions for each question."""

    def __init__(self) -> None:
        """No answers yet."""
        self.turns: list[tuple[str, list[str], frozenset[str]]] = []
        self.sessions: list[tuple[str, list[str], frozenset[str]]] = []

    def add(self, found: list[str], question: data.Question, where: dict[str, str]) -> None:
        """Take in what was found for a question; `where` is each turn's session."""
        self.turns.append((question.kind, found, question.evidence))
        wanted = frozenset(where[one] for one in question.evidence)
        self.sessions.append(
            (question.kind, list(dict.fromkeys(where[one] for one in found)), wanted)
        )


def run(name: str, talks: list[data.Conversation]) -> tuple[Rows, float]:
    """Ask a system every question, each of its own conversation; gives ms a question, too."""
    rows, took, asked = Rows(), 0.0, 0
    for talk in talks:
        where = {turn.id: s.id for s in talk.sessions for turn in s.turns}
        folder = tempfile.mkdtemp(prefix="recollect-recall-")
        try:
            ask = SYSTEMS[name]([talk], folder)
            started = time.perf_counter()
            for question in talk.questions:
                rows.add(ask(question.text), question, where)
            took += time.perf_counter() - started
            asked += len(talk.questions)
        finally:
            shutil.rmtree(folder)
    return rows, 1000 * took / asked


def show(name: str, rows: list[tuple[str, list[str], frozenset[str]]]) -> None:
    """A line of the table, with the interval of R@10."""
    cells = []
    for measure in metrics.MEASURES.values():
        values = [measure(found, wanted) for _, found, wanted in rows]
        cells.append(f"{sum(values) / len(values):.3f}")
    low, high = metrics.interval([metrics.recall(f, w, 10) for _, f, w in rows])
    print(f"  {name:34} " + "  ".join(f"{c:>7}" for c in cells) + f"   [{low:.3f}, {high:.3f}]")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", required=True, help="the folder with locomo-dev.json, beam-dev/")
    parser.add_argument("--set", choices=SETS, action="append")
    parser.add_argument("--system", choices=SYSTEMS, action="append")
    parser.add_argument("--by-kind", action="store_true")
    given = parser.parse_args()
    if not os.path.isdir(given.data):
        sys.exit(f"There is no folder {given.data}: the data is not part of this project.")
    head = "  ".join(f"{name:>7}" for name in metrics.MEASURES)
    for chosen in given.set or SETS:
        talks = SETS[chosen](given.data)
        print(
            f"\n{chosen}: {len(talks)} conversations, {sum(len(t.questions) for t in talks)} questions"
        )
        for name in given.system or SYSTEMS:
            rows, ms = run(name, talks)
            print(f" {name} ({ms:.1f} ms a question)\n  {'':34} {head}   95 % of R@10")
            show("turns", [row for row in rows.turns if row[0] != APART])
            show("sessions", [row for row in rows.sessions if row[0] != APART])
            show("sessions, all categories", rows.sessions)
            if given.by_kind:
                for kind in sorted({row[0] for row in rows.turns}):
                    show(f"turns: {kind}", [row for row in rows.turns if row[0] == kind])


if __name__ == "__main__":
    main()
