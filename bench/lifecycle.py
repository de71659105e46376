"""Consolidation of a store with many memories and many new episodes, in one process.

`python -m bench.lifecycle [--memories 5000] [--episodes 500] [--rounds 3] [--text 0]`

Besides time it shows the peak of memory, which the index of a new store has its part in. With
`--text 20` each memory has 20 KB more of text that states nothing: a pass has it in memory for one
file after the other only. Several rounds tell of time; of memory only the first one does.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator
from itertools import islice

from bench import corpus

PROMISED_MEMORIES = 5000
PROMISED_SECONDS = 5.0
_NOUNS = (
    "port host timeout branch region owner version limit pool cache queue index table schema token "
    "endpoint bucket folder license timezone encoding database framework linter formatter"
).split()
_THINGS = (
    "billing search checkout mail report upload login audit export import session payment invoice "
    "profile catalog gateway scheduler worker indexer notifier archive mirror backup staging"
).split()
_RULES = (
    "Never {verb} the {thing} {noun} by hand.",
    "Always {verb} the {thing} {noun} before a release.",
    "Do not {verb} {thing} code without a test.",
)
LINE = "0123456789 abcdef\n"
_VERBS = "change restart rename delete merge deploy format review lint rebuild migrate copy".split()


def claims(rng: random.Random, words: list[str], weights: list[float], count: int) -> list[str]:
    """Statements as sessions leave them: facts with values, rules, and sentences about anything."""
    found = []
    for _ in range(count):
        drawn = rng.choices(words, cum_weights=weights, k=9)
        thing, noun = rng.choice(_THINGS), rng.choice(_NOUNS)
        kind = rng.random()
        if kind < 0.25:
            found.append(f"The {thing} {noun} of {drawn[8]} is {rng.randint(1, 9000)}.")
        elif kind < 0.4:
            rule = rng.choice(_RULES)
            found.append(
                rule.format(verb=rng.choice(_VERBS), thing=f"{thing} {drawn[7]}", noun=noun)
            )
        else:
            found.append(f"The {thing} {' '.join(drawn)}.".replace("  ", " "))
    return found


def files(
    memories: int, episodes: int, seed: int = corpus.SEED, text: int = 0
) -> Iterator[tuple[str, str]]:
    """`(path, text)`: what the store knew before, a fifth of it episodes, then the new episodes."""
    block = f"\n```\n{LINE * (text * 1024 // len(LINE))}```\n" if text else ""
    rng = random.Random(seed)
    words = corpus.vocabulary(rng, 8000)
    weights = [0.0]
    for rank in range(len(words)):
        weights.append(weights[-1] + 1 / (rank + 3))
    del weights[0]
    for n in range(memories + episodes):
        is_episode = n % 5 == 4 or n >= memories
        day = f"2026-{1 + n * 8 // (memories + episodes):02}-{1 + n % 28:02}"
        tags = [*rng.sample(_THINGS, 2), rng.choice(_NOUNS)]
        said = claims(rng, words, weights, 6)
        folder = (
            "episodic"
            if is_episode
            else ("semantic", "semantic/decisions", "procedural/patterns")[n % 3]
        )
        kind = {"episodic": "session", "semantic": "fact"}.get(
            folder, folder.rsplit("/", 1)[-1][:-1]
        )
        fades = "retention: temporary\ndecay-after: 2027-01-01\n" if is_episode else ""
        head = (
            f"---\nid: note-{n}\ntitle: Note {n} on {tags[0]}\ntype: {folder.split('/')[0]}\nkind: {kind}\n"
            f"tags: [{', '.join(tags)}]\ncreated: {day}T10:00:00Z\nupdated: {day}T10:00:00Z\n{fades}---\n"
        )  # fmt: skip
        decided, rest = said[:2], said[2:]
        body = " ".join(rest) if not is_episode else (
            f"## Summary\n\nAsked: what of {tags[0]}?\n\n{' '.join(rest)}\n\n## Decisions\n\n"
            + "".join(f"- [technology] {line[:-1]}: we measured it\n" for line in decided)
        )  # fmt: skip
        yield f"{folder}/note-{n}.md", f"{head}# Note {n}\n\n{body}\n{block}"


def make(project: str, rows: Iterable[tuple[str, str]]) -> None:
    """Put these files into the store of a project."""
    for path, text in rows:
        full = os.path.join(project, ".claude", "memory", path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)


def measure(folder: str, memories: int, episodes: int, text: int) -> None:
    """Consolidate what was there, add the new episodes, consolidate again; print how long it took.

    The pass behind one that changed something reads again what was changed; the next has nothing to do.
    """
    from recollect.app import App
    from recollect.features import lifecycle

    project, home = os.path.join(folder, "project"), os.path.join(folder, "home")
    os.makedirs(home)
    env = {"HOME": home, "LANG": "C.UTF-8", "PATH": os.environ["PATH"]}
    rows = files(memories, episodes, text=text)
    make(project, islice(rows, memories))
    for what in (
        "a store never consolidated",
        "the new episodes",
        "what that changed, read again",
        "nothing new",
    ):
        app = App(project, env)
        store = app.store("project")  # with the index up to date, as captures leave it
        started, cpu = time.perf_counter(), time.process_time()
        (done,) = lifecycle.consolidate(app, scope="project", dry_run=False)
        took, cpu = time.perf_counter() - started, time.process_time() - cpu
        print(
            f"  {what}: {took:.2f} s ({cpu:.2f} s CPU) for {store.index.counts()['memories']:,} "
            f"memories: {len(done.outcome.steps)} files changed, {done.counts}; "
            f"peak memory so far {peak():.0f} MB"
        )
        app.close()
        make(project, rows)  # after the first pass; then there are no more
    if memories <= PROMISED_MEMORIES:
        print(f"  (promised: the new episodes in ≤ {PROMISED_SECONDS:.0f} s)")


def peak() -> float:
    """The most memory that this process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def pace() -> float:
    """Millions of additions in a second here and now, so that figures can be told from the weather."""
    started = time.process_time()
    total = 0
    for n in range(5_000_000):
        total += n
    return 5 / (time.process_time() - started)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--memories", type=int, default=PROMISED_MEMORIES)
    parser.add_argument("--episodes", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--text", type=int, default=0, help="KB of other text in each memory")
    given = parser.parse_args()
    print(
        f"Consolidation, {given.memories:,} memories and {given.episodes:,} new episodes, "
        f"{given.text} KB of other text in each"
    )
    for _ in range(given.rounds):
        print(f"  the machine makes {pace():.0f} million additions a second")
        folder = tempfile.mkdtemp(prefix="recollect-bench-")
        try:
            measure(folder, given.memories, given.episodes, given.text)
        finally:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
