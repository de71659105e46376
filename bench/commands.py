"""Commands as whole processes against a bare interpreter; capture and indexing in bulk.

`python -m bench.commands [--sizes 1000,10000] [--rounds 20] [--megabytes 40]`
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

from bench import corpus, measure
from bench.hooks import environment, prepare

RECOLLECT = [sys.executable, "-m", "recollect"]
PROJECTS = (1, 6)  # that transcripts are of
TURNS, STEPS = 15, 10  # prompts in a session, and calls of tools after each
LIMITS = {"recollect save": 8.0, "recollect search": 5.0}
SETTLED = 2.5  # seconds behind a change from which on a file counts as unchanged


def reading(home: str, project: str, size: int) -> list[measure.Candidate]:
    """Searches and a list, in a store that nobody has just changed."""
    env = environment(home, project)
    words = corpus.cues(20, size)[0].split()[3:8]
    listing = [*RECOLLECT, "list", "--limit", "10"]
    os.chdir(project)
    for _ in range(2):
        time.sleep(SETTLED)
        subprocess.run(listing, env=env, check=True, stdout=subprocess.DEVNULL)
    return [
        measure.Candidate("python -c pass", [sys.executable, "-c", "pass"], env),
        measure.Candidate("python -c 'import click'", [sys.executable, "-c", "import click"], env),
        measure.Candidate("recollect search", [*RECOLLECT, "search", *words], env),
        measure.Candidate("recollect list", listing, env),
    ]


def by_the_clock(several: list[measure.Candidate], rounds: int) -> None:
    """Print how long each takes at least by the clock, in turns: what others measured of theirs."""
    bare = measure.Candidate("python -I -S -c pass", measure.BARE, several[0].env)
    least: dict[str, float] = {}
    for n in range(rounds):
        for one in (bare, *several):
            took = measure.run_once(one.command, one.env, one.stdin(n)).wall
            least[one.name] = min(took, least.get(one.name, took))
    print("by the clock, least: " + ", ".join(f"{k} {v:.0f} ms" for k, v in least.items()))


def writing(home: str, project: str) -> list[measure.Candidate]:
    """A save; each round saves another memory."""
    env = environment(home, project)
    save = [
        *RECOLLECT,
        "-C",
        project,
        "save",
        "Measured once more",
        "--kind",
        "fact",
        "--tags",
        "bench,note",
    ]
    return [measure.Candidate("recollect save", save, env)]


def write_transcripts(folder: str, projects: list[str], megabytes: int) -> int:
    """Transcripts in the client's shape, about as much of each kind of line as real ones have.

    They are of these projects in turn, in a folder for each as the client has them.
    """
    rng = random.Random(corpus.SEED)
    words = corpus.vocabulary(rng, 5000)
    written = session = 0
    while written < megabytes * 1_000_000:
        session += 1
        name = f"00000000-0000-4000-8000-{session:012}"
        project = projects[session % len(projects)]
        place = os.path.join(folder, project.replace(os.sep, "-"))
        os.makedirs(place, exist_ok=True)
        with open(os.path.join(place, f"{name}.jsonl"), "w", encoding="utf-8") as file:
            for n in range(TURNS):
                for line in _turn(rng, words, name, project, n):
                    written += file.write(line + "\n")
    return written


def _turn(rng: random.Random, words: list[str], session: str, project: str, n: int) -> list[str]:
    def text(count: int) -> str:
        return " ".join(rng.choices(words, k=count))

    def line(kind: str, message: dict[str, object], **extra: object) -> str:
        row = {"parentUuid": None, "isSidechain": False, "type": kind, "message": message,
               "uuid": f"{rng.getrandbits(128):032x}", "timestamp": f"2026-10-05T10:{n % 60:02}:00.000Z",
               "cwd": project, "sessionId": session, "version": "2.1.330", "gitBranch": "main"}  # fmt: skip
        return json.dumps(row | extra)

    lines = [
        line("user", {"role": "user", "content": f"Please {text(30)}"}, promptSource="typed"),
        line("attachment", {}, attachment={"type": "file", "content": text(300)}),
    ]
    for step in range(STEPS):
        call = f"toolu_{n:06}_{step}"
        use = {"type": "tool_use", "id": call, "name": "Bash",
               "input": {"command": f"make {text(3)}", "description": text(5)}}  # fmt: skip
        said = "\n".join(text(9) for _ in range(40))
        result = {
            "tool_use_id": call,
            "type": "tool_result",
            "content": said,
            "is_error": (n + step) % 9 == 0,
        }
        lines += [
            line(
                "assistant", {"id": f"m{n}.{step}", "content": [{"type": "text", "text": text(25)}]}
            ),
            line("assistant", {"id": f"m{n}.{step}", "content": [use]}),
            line("user", {"role": "user", "content": [result]}, toolUseResult={"stdout": said}),
        ]
    return lines


def bulk(folder: str, megabytes: int, count: int) -> None:
    """Capture a folder of transcripts of so many projects, twice."""
    home = os.path.join(folder, f"home-bulk-{count}")
    projects = [os.path.join(folder, f"bulk-{count}", f"project-{n}") for n in range(count)]
    env = environment(home, projects[0])
    os.makedirs(home)
    for project in projects:
        os.makedirs(project)
        init = [*RECOLLECT, "-C", project, "init"]
        subprocess.run(init, env=env, check=True, stdout=subprocess.DEVNULL)
    transcripts = os.path.join(folder, f"transcripts-{count}")
    size = write_transcripts(transcripts, projects, megabytes)
    for what in ("capture", "capture again"):
        started = time.perf_counter()
        capture = [*RECOLLECT, "-C", projects[0], "capture", transcripts]
        subprocess.run(capture, env=env, check=True, stdout=subprocess.DEVNULL)
        took = time.perf_counter() - started
        print(
            f"{what}, {count} projects: {size / 1e6:.0f} MB in {took:.2f} s"
            f" = {size / 1e6 / took:.0f} MB/s (promised ≥ 20)"
        )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--sizes", default="1000,10000")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--megabytes", type=int, default=40)
    parser.add_argument("--keep", default="", help="a folder to keep the stores in")
    given = parser.parse_args()
    folder = given.keep or tempfile.mkdtemp(prefix="recollect-bench-")
    try:
        for size in map(int, given.sizes.split(",")):
            home, project = prepare(folder, size)
            readers = reading(home, project, size)
            by_the_clock(readers, given.rounds)
            for several in (readers, writing(home, project)):
                rows = measure.compare(several, given.rounds)
                measure.table(f"Commands, {size:,} memories, {given.rounds} rounds", rows, LIMITS)
        for count in PROJECTS:
            bulk(folder, given.megabytes, count)
    finally:
        if not given.keep:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
