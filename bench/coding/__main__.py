"""Memory for coding agents, measured: what is found, and what is given unasked.

`python -m bench.coding [--part tune|judge] [--system NAME] [--by class|language] [--misses CLASS]`
`python -m bench.coding --real FOLDER [--together]`   real commits and issues (see `real.py`)
`python -m bench.coding --stages`            each stage of the product switched off in turn
`python -m bench.coding --export FOLDER`     the memories and cues as files, for other systems
`python -m bench.coding --answers FILE`      the score of somebody else's answers
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence

from bench import filed
from bench.coding import data, generate, measures, real, stages
from bench.coding.data import Cue, World
from bench.coding.measures import SILENT, Answer, Row
from bench.coding.systems import SYSTEMS, page_of
from bench.nothere import NotHere

MOST_MISSES = 40


def run(name: str, world: World, cues: Sequence[Cue]) -> tuple[list[Row], float]:
    """Ask a system every cue, in the cue's own project; gives ms a cue, too."""
    rows: list[Row] = []
    took = 0.0
    for project in world.projects:
        mine = [cue for cue in cues if cue.project == project]
        folder = tempfile.mkdtemp(prefix="recollect-coding-")
        try:
            system = SYSTEMS[name](world, project, folder)
            started = time.perf_counter()
            rows += [Row(cue, system.answer(cue)) for cue in mine]
            took += time.perf_counter() - started
            system.close()
        finally:
            shutil.rmtree(folder)
    return rows, 1000 * took / max(len(rows), 1)


def run_stages(world: World, cues: Sequence[Cue]) -> dict[str, list[Row]]:
    """Ask the product every cue without each of its stages."""
    rows: dict[str, list[Row]] = {stage: [] for stage in stages.STAGES}
    for project in world.projects:
        mine = [cue for cue in cues if cue.project == project]
        with tempfile.TemporaryDirectory(prefix="recollect-coding-") as folder:
            system = SYSTEMS["recollect"](world, project, os.path.join(folder, "whole"))
            for n, stage in enumerate(stages.STAGES):
                with stages.without(stage):
                    if stage in filed.STAGES:  # these come last
                        system.close()
                        system = SYSTEMS["recollect"](world, project, os.path.join(folder, str(n)))
                    rows[stage] += [Row(cue, system.answer(cue)) for cue in mine]
            system.close()
    return rows


def show(name: str, world: World, rows: Sequence[Row]) -> None:
    """What a system does well and what it must not do."""
    asked = [row for row in rows if row.cue.of not in SILENT]
    values = measures.searched(asked) | measures.injected(asked)
    for of in ("nothing", "near"):
        silent = [row for row in rows if row.cue.of == of]
        values[of] = measures.mean(bool(row.answer.given) for row in silent)
    print(f"  {name:42}" + "".join(f"{_shown(key, value):>9}" for key, value in values.items()))
    stale = [row for row in asked if measures.is_stale(row.cue, row.answer.found)]
    spoken = [row for row in asked if measures.is_stale(row.cue, row.answer.given)]
    foreign = [row for row in rows if measures.foreigners(world, row)]
    print(
        f"  {'':42} superseded first: {len(stale)} found, {len(spoken)} given; "
        f"cues that brought another project's memories: {len(foreign)}"
    )


HEADS = (
    "hit@1",
    "hit@3",
    "hit@10",
    "nDCG@10",
    "empty",
    "given",
    "precise",
    "tokens",
    "nothing",
    "near",
)


def _shown(key: str, value: float) -> str:
    return f"{value:.0f}" if key == "tokens" else f"{value:.3f}"


def show_groups(rows: Sequence[Row], of: Callable[[Cue], str]) -> None:
    """The same for each class or language."""
    asked = [row for row in rows if row.cue.of not in SILENT]
    for group in sorted({of(row.cue) for row in asked}):
        mine = [row for row in asked if of(row.cue) == group]
        values = measures.searched(mine) | measures.injected(mine)
        name = f"{group} ({len(mine)})"
        print(f"    {name:40}" + "".join(f"{_shown(k, v):>9}" for k, v in values.items()))


def show_misses(rows: Sequence[Row], of: str) -> None:
    """The cues of a class that went wrong, and what came instead."""
    for row in [row for row in rows if of in ("all", row.cue.of)][: 10 * MOST_MISSES]:
        cue, answer = row
        silent = cue.of in SILENT
        wrong = answer.given if silent else not (measures.hit(row, 3) and measures.is_given(row))
        if wrong or measures.is_stale(cue, answer.found):
            print(f"\n  {cue.name} [{cue.of}] {cue.project}: {cue.text[:140]!r}")
            print(f"    wanted {', '.join(cue.want) or 'nothing'}")
            print(f"    found  {', '.join(answer.found[:4]) or '-'}")
            print(f"    given  {', '.join(answer.given) or '-'}")


def export(world: World, folder: str) -> None:
    """Write the memories as Markdown and the cues as JSON lines."""
    for one in world.memories.values():
        path = os.path.join(folder, one.project or data.EVERYWHERE, f"{one.id}.md")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(page_of(one))
    with open(os.path.join(folder, "memories.jsonl"), "w", encoding="utf-8") as file:
        for one in world.memories.values():
            file.write(json.dumps(one._asdict(), ensure_ascii=False, default=str) + "\n")
    with open(os.path.join(folder, "cues.jsonl"), "w", encoding="utf-8") as file:
        for cue in world.cues:
            seen = [one.id for one in world.seen_from(cue.project)]
            row = cue._asdict() | {"now": data.NOW, "memories": len(seen)}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def answers_in(path: str, world: World) -> list[Row]:
    """The rows of a file of answers: `{"cue": …, "found": […], "given": […], "tokens": …}`."""
    with open(path, encoding="utf-8") as file:
        said = {row["cue"]: row for row in map(json.loads, file)}
    rows = []
    for cue in world.cues:
        row = said.get(cue.name, {})
        found, given = row.get("found", []), row.get("given", [])
        rows.append(Row(cue, Answer(found, given, row.get("tokens", 0))))
    return rows


def arguments() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--part", choices=("tune", "judge"), help="only these projects")
    parser.add_argument("--system", choices=SYSTEMS, action="append")
    parser.add_argument("--by", choices=("class", "language", "part", "origin"), action="append")
    parser.add_argument("--real", metavar="FOLDER", help="real commits and issues instead")
    parser.add_argument("--together", action="store_true", help="... in one store")
    parser.add_argument("--misses", metavar="CLASS", help="what went wrong there, or in `all`")
    parser.add_argument("--stages", action="store_true")
    parser.add_argument("--export", metavar="FOLDER")
    parser.add_argument("--answers", metavar="FILE")
    return parser.parse_args()


def main() -> None:
    """Measure and print."""
    given = arguments()
    world = (
        real.world(given.real, together=given.together)
        if given.real
        else generate.world(data.written())
    )
    if given.export:
        export(world, given.export)
        return
    wanted = [c for c in world.cues if given.part in (None, world.projects[c.project].part)]
    sys.stdout.write(
        f"{len(world.projects)} projects, {len(world.memories)} memories, {len(wanted)} cues\n"
    )
    print(f"  {'':42}" + "".join(f"{head:>9}" for head in HEADS))
    groups: dict[str, Callable[[Cue], str]] = {
        "class": lambda cue: cue.of,
        "language": lambda cue: cue.language,
        "part": lambda cue: world.projects[cue.project].part,
        "origin": lambda cue: "made" if cue.made else "written",
    }
    if given.stages:
        for stage, rows in run_stages(world, wanted).items():
            show(f"without {stage}", world, rows)
        return
    for name in [given.answers] if given.answers else given.system or SYSTEMS:
        if given.answers:
            rows, ms = answers_in(name, world), 0.0
        else:
            try:
                rows, ms = run(name, world, wanted)
            except NotHere as error:
                print(f"  {name}: skipped, {error}")
                continue
        show(f"{name} ({ms:.1f} ms)" if ms else name, world, rows)
        for by in given.by or ():
            show_groups(rows, groups[by])
        if given.misses:
            show_misses(rows, given.misses)


if __name__ == "__main__":
    main()
