"""`analyze-skills` as a whole process over made-up histories, and what it finds in them.

`python -m bench.skills [--sizes 1000,10000,100000] [--rounds 5]`

A fifth of the memories are sessions about work that repeats itself, in two languages, with decisions and
problems in their sections; the rest are notes that have nothing in common but the words of their language.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta

from bench import corpus
from bench.hooks import environment

RECOLLECT = [sys.executable, "-m", "recollect"]
PROMISED_SECONDS = {10_000: 2.0}  # what seed 002 promises
_WORK = (
    "Deploy {name} to staging", "Release {name} to the package index", "Add a migration for {name}",
    "修复 {name} 的登录页面", "把 {name} 部署到测试环境", "Write integration tests for {name}",
)  # fmt: skip
_DECIDED = ("Use PostgreSQL for {name}: we need JSONB", "用 Redis 缓存 {name}：每天只变两次")
_MET = ("Connection refused on port 5432 in {name}: resolved", "连接数据库 {name} 超时: resolved")


def write_history(root: str, count: int) -> None:
    """Put `count` memories of the last 80 days below `root`."""
    rng = random.Random(corpus.SEED)
    words = corpus.vocabulary(rng)
    today = datetime.now(UTC)
    for n in range(count):
        day = (today - timedelta(days=n % 80)).strftime("%Y-%m-%d")
        if n % 5:
            title = " ".join(rng.choices(words[40:], k=rng.randint(3, 6)))
            kind, folder = ("note", "episodic") if n % 2 else ("fact", "semantic")
            body = " ".join(rng.choices(words, k=60))
        else:
            name = rng.choice(words[200:])
            title = _WORK[n // 5 % len(_WORK)].format(name=name)
            kind, folder = "session", "episodic"
            body = (
                f"## Decisions\n- [technology] {rng.choice(_DECIDED).format(name=name)}\n\n"
                f"## Issues\n- [bugfix] {rng.choice(_MET).format(name=name)}\n"
            )
        path = os.path.join(root, folder, f"{n % 100:02}", f"m-{n}.md")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(
                f"---\nid: m-{n}\ntitle: {title}\ntype: {folder}\nkind: {kind}\ntags: [{', '.join(rng.choices(words[40:400], k=4))}]\n"
                f"trust: agent\nsession: s-{n}\ncreated: {day}T10:00:00Z\n---\n{body}\n"
            )


def measure(folder: str, size: int, rounds: int) -> None:
    """Make a history of that size, and analyse it."""
    home, project = (os.path.join(folder, f"{name}-{size}") for name in ("home", "project"))
    for path in (home, os.path.join(project, ".git")):
        os.makedirs(path)
    env = environment(home, project)

    def run(*words: str) -> bytes:
        done = subprocess.run(
            [*RECOLLECT, "-C", project, *words], env=env, check=True, stdout=subprocess.PIPE
        )
        return done.stdout

    run("init")
    write_history(os.path.join(project, ".claude", "memory"), size)
    run("rebuild-index")
    times, cpu = [], []
    for _ in range(rounds):
        started, used = time.perf_counter(), _cpu()
        answer = run("analyze-skills", "--json")
        times.append(time.perf_counter() - started)
        cpu.append(_cpu() - used)
    [row] = json.loads(answer)
    limit = PROMISED_SECONDS.get(size)
    print(
        f"{size:8,} memories: {min(times):6.2f} s at best, {statistics.median(times):6.2f} s median, "
        f"CPU {min(cpu):6.2f} s; "
        f"{len(row['candidates'])} suggested" + (f"  (promised ≤ {limit:.1f} s)" if limit else "")
    )


def _cpu() -> float:
    """The CPU time of all processes that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--sizes", default="1000,10000")
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="recollect-bench-")
    try:
        for size in map(int, given.sizes.split(",")):
            measure(folder, size, given.rounds)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
