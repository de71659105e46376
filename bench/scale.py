"""Search, its index and one more memory in stores of any size, in one process; and many writers at once.

`python -m bench.scale [--sizes 1000,100000] [--folder KEEP] [--alike] [--writers 40] [--each 25]`

Times are CPU times of this process; how many additions the machine makes in a second stands beside them, for
it is seldom alone. In a folder that is kept the next run finds the store and its index as they were left.
`--alike` says how often the first ten of a search are those of one that scores every section with any of the
words.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING

from bench import corpus
from bench.lifecycle import pace

if TYPE_CHECKING:
    from recollect.app import App
    from recollect.model.memory import Filter
    from recollect.store.store import OpenStore

UNFOLDED = 20  # changes that came after the index was made
ROUNDS = 40
CUES = 200
SEARCHED = (
    3  # times each: the first is what a reader waits for, the least what it takes undisturbed
)
SEARCH_MS = {1_000: 2.0, 100_000: 10.0, 1_000_000: 25.0}  # 95 of 100
ADDED_MS = 5.0
REBUILD_SECONDS = {1_000: 0.5, 100_000: 60.0}
_WRITER = """
import sys
from recollect.features import facts
from recollect.app import App
from recollect.model.facts import Fact
name, each = sys.argv[1:]
for n in range(int(each)):
    app = App()
    row = facts.add_fact(app, Fact("decision", f"Writer {name} says {n}"), (), scope="project", dry_run=False)
    print(row.kept.number)
    app.close()
"""
_READER = """
import os, sys
from recollect.features import reading
from recollect.app import App
from recollect.model.memory import Filter
read = 0
while os.path.exists(sys.argv[1]):
    app = App()
    found = reading.entries(app, Filter(kind="decision"), scope="project")
    assert len(found) >= read, (len(found), read)
    read = len(found)
    reading.search(app, "writer says", Filter(), limit=10, scope="project", sections=False)
    app.close()
"""


def measure(folder: str, size: int, *, alike: bool) -> None:
    """Make a store of that size with changes behind it; search it and make its index anew."""
    from recollect.app import App
    from recollect.capture import save_memory as save
    from recollect.capture.save_memory import Draft

    project, home = (os.path.join(folder, f"{name}-{size}") for name in ("project", "home"))
    is_new = not os.path.exists(home)
    os.makedirs(home, exist_ok=True)
    corpus.write_store(os.path.join(project, ".claude", "memory"), size)
    app = App(project, {"HOME": home, "LANG": "C.UTF-8", "PATH": os.environ["PATH"]})
    started, began = time.process_time(), time.perf_counter()
    store = app.store("project")
    what = "first look, which fills the index" if is_new else "first look"
    print(
        f"  {what}: {time.process_time() - started:.1f} s of CPU, {time.perf_counter() - began:.1f} s by the clock; "
        f"{_peak():.0f} MB of memory at most; index {os.path.getsize(os.path.join(app.cache_of(store.files.root), 'index.db')) / 1e6:.1f} MB"
    )
    for n in range(UNFOLDED if is_new else 0):
        save.save(store, Draft(f"Came later {n}", "The kettle is blue.", kind="fact"))
    searches(app, size)
    if alike:
        compare(app, size)
    started = time.process_time()
    store.freshen()
    print(f"  a look whether any file changed: {(time.process_time() - started) * 1000:.0f} ms")
    one_more(store)
    if size in REBUILD_SECONDS or size < max(REBUILD_SECONDS):
        rebuild(store, size)
    print(f"  {_peak():.0f} MB of memory at most")
    app.close()


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def asked(size: int) -> dict[str, tuple[list[str], Filter]]:
    """What is searched for, by how it is called; and what else is asked of a memory."""
    from recollect.model.memory import Filter

    questions = corpus.cues(CUES, min(size, 20_000))
    words = [cue.rstrip("?").split()[6:] for cue in questions]
    slips = [max(several, key=len) for several in words]
    slips = [f"{word[:2]}{word[3]}{word[2]}{word[4:]}" for word in slips if len(word) > 4]
    return {
        "a question of ten words": (questions, Filter()),
        "two words": ([" ".join(several[:2]) for several in words], Filter()),
        "a word with a slip": (slips, Filter()),
        "a question, decisions only": (questions, Filter(kind="decision")),
    }


def searches(app: App, size: int) -> None:
    """How long it takes to search."""
    from recollect.features import reading

    for what, (cues, only) in asked(size).items():
        rounds = []
        for _ in range(SEARCHED):
            times = []
            for cue in cues:
                started = time.process_time()
                reading.search(app, cue, only, limit=10, scope="", sections=False)
                times.append((time.process_time() - started) * 1000)
            rounds.append(times)
        limit = f"  (promised < {SEARCH_MS[size]:.0f} ms)" if size in SEARCH_MS else ""
        least = list(map(min, zip(*rounds, strict=True)))
        print(
            f"  search, {what}: {_spread(rounds[0])}; the least of {SEARCHED}: {_spread(least)}{limit}"
        )


def _spread(times: list[float]) -> str:
    times = sorted(times)
    return f"p50 {statistics.median(times):.1f} ms, p95 {times[len(times) * 95 // 100]:.1f} ms"


def compare(app: App, size: int) -> None:
    """How often the first ten are those of a search that scores every section with any word."""
    from recollect.features import reading
    from recollect.search import index_read as best

    def first_ten(cue: str, only: Filter) -> list[str]:
        found = reading.search(app, cue, only, limit=10, scope="", sections=False)
        return [hit.candidate.name for hit in found]

    few = best.FEW
    for what, (cues, only) in asked(size).items():
        ours = [first_ten(cue, only) for cue in cues]
        best.FEW = sys.maxsize
        whole = [first_ten(cue, only) for cue in cues]
        best.FEW = few
        pairs = [(some, all_) for some, all_ in zip(ours, whole, strict=True) if all_]
        kept = sum(len({*some} & {*all_}) for some, all_ in pairs)
        print(
            f"  {what}: the first is the same in {sum(a[:1] == b[:1] for a, b in pairs)} of {len(pairs)}, "
            f"all ten in {sum(a == b for a, b in pairs)}; {kept / sum(len(b) for _, b in pairs):.3f} of the ten are there"
        )


def rebuild(store: OpenStore, size: int) -> None:
    """Make the index anew."""
    started = time.process_time()
    store.index.wipe()
    store.freshen()
    took = time.process_time() - started
    limit = f"  (promised < {REBUILD_SECONDS[size]:g} s)" if size in REBUILD_SECONDS else ""
    count = store.index.counts()["memories"]
    print(f"  rebuild of {count:,}: {took:.2f} s = {took / count * 1e6:.0f} µs each{limit}")


def one_more(store: OpenStore) -> None:
    """Take one more file into the index, and save one more memory."""
    from recollect.capture import save_memory as save
    from recollect.capture.save_memory import Draft
    from recollect.store.refresh import refresh_files

    def filed(n: int) -> float:
        path = f"semantic/one-more-{time.time_ns()}-{n}.md"
        store.files.create(path, f"---\ntitle: One more {n}\n---\nThe kettle is green.\n")
        started = time.process_time()
        refresh_files(store.files, store.index, store.now_ns, [path])
        return (time.process_time() - started) * 1000

    def saved(n: int) -> float:
        started = time.process_time()
        save.save(store, Draft(f"Saved last {n}", "The kettle is red.", kind="fact"))
        return (time.process_time() - started) * 1000

    for what, do in (("taken into the index", filed), ("saved", saved)):
        times = [do(n) for n in range(ROUNDS)]
        limit = f"  (promised < {ADDED_MS:.0f} ms)" if do is filed else ""
        print(
            f"  one more memory {what}: {min(times):.1f} ms at best, {statistics.median(times):.1f} ms in the middle{limit}"
        )


def write_at_once(folder: str, writers: int, each: int) -> None:
    """Let many processes add facts while another reads; what is there afterwards must be all of it."""
    project, home = os.path.join(folder, "together"), os.path.join(folder, "home")
    root = os.path.join(project, ".claude", "memory")
    for path in (home, root):
        os.makedirs(path)
    going = os.path.join(folder, "going")
    with open(going, "w", encoding="ascii"):
        pass
    paths = os.pathsep.join(filter(None, sys.path))
    env = {"HOME": home, "LANG": "C.UTF-8", "PATH": os.environ["PATH"], "PYTHONPATH": paths}
    python = [sys.executable, "-c"]
    reader = subprocess.Popen([*python, _READER, going], cwd=project, env=env)
    running = [
        subprocess.Popen(
            [*python, _WRITER, str(n), str(each)], cwd=project, env=env, stdout=subprocess.PIPE
        )
        for n in range(writers)
    ]
    told = [line for one in running for line in one.communicate()[0].decode().split()]
    os.remove(going)
    is_reader_well = reader.wait() == 0
    done = subprocess.run(
        [sys.executable, "-m", "recollect", "consolidate", "--json"],
        cwd=project, env=env, check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 0
    with open(os.path.join(root, "facts.json"), encoding="utf-8") as file:
        rows = json.load(file)["decisions"]
    numbers, contents = ({row[key] for row in rows} for key in ("id", "content"))
    print(
        f"  {writers} writers × {each}: {len(told):,} acknowledged, {len(contents):,} of {writers * each:,} there, "
        f"{len(numbers):,} numbers; the reader {'never failed' if is_reader_well else 'FAILED'}"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--sizes", default="1000,10000")
    parser.add_argument("--writers", type=int, default=40)
    parser.add_argument("--each", type=int, default=25)
    parser.add_argument("--folder", default="")
    parser.add_argument("--alike", action="store_true")
    given = parser.parse_args()
    folder = given.folder or tempfile.mkdtemp(prefix="recollect-bench-")
    try:
        for size in map(int, filter(None, given.sizes.split(","))):
            print(
                f"{size:,} memories, {UNFOLDED} later changes; {pace():.0f} million additions a second"
            )
            measure(folder, size, alike=given.alike)
        if given.writers:
            write_at_once(folder, given.writers, given.each)
    finally:
        if not given.folder:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
