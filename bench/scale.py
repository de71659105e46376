"""What the first implementations promised of size: search and rebuild in one process, and many writers.

`python -m bench.scale [--sizes 1000,100000] [--writers 40] [--each 25]`

Times are CPU times of this process, the best and the middle one; how many additions the machine makes in a
second stands beside them, for it is seldom alone.
"""

from __future__ import annotations

import argparse
import json
import os
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
    from recollect.services.opened import OpenStore

UNFOLDED = 20  # changes that came after the index was made
ROUNDS = 40
SEARCH_MS = {1_000: 10.0, 100_000: 20.0}
ADDED_MS = 5.0
REBUILD_SECONDS = {1_000: 0.5, 100_000: 60.0}
_WRITER = """
import sys
from recollect.app import facts
from recollect.app.wiring import App
from recollect.domain.facts import Fact
name, each = sys.argv[1:]
for n in range(int(each)):
    app = App()
    row = facts.add(app, Fact("decision", f"Writer {name} says {n}"), (), scope="project", dry_run=False)
    print(row.kept.number)
    app.close()
"""
_READER = """
import os, sys
from recollect.app import reading
from recollect.app.wiring import App
from recollect.domain.model import Filter
read = 0
while os.path.exists(sys.argv[1]):
    app = App()
    found = reading.entries(app, Filter(kind="decision"), scope="project")
    assert len(found) >= read, (len(found), read)
    read = len(found)
    reading.search(app, "writer says", Filter(), limit=10, scope="project", sections=False)
    app.close()
"""


def measure(folder: str, size: int) -> None:
    """Make a store of that size with changes behind it; search it and make its index anew."""
    from recollect.app import reading
    from recollect.app.wiring import App
    from recollect.domain.model import Filter
    from recollect.services import writing
    from recollect.services.writing import Draft

    project, home = (os.path.join(folder, f"{name}-{size}") for name in ("project", "home"))
    os.makedirs(home)
    corpus.write_store(os.path.join(project, ".claude", "memory"), size)
    app = App(project, {"HOME": home, "LANG": "C.UTF-8", "PATH": os.environ["PATH"]})
    store = app.store("project")
    for n in range(UNFOLDED):
        writing.save(store, Draft(f"Came later {n}", "The kettle is blue.", kind="fact"))

    def search(cue: str) -> float:
        started = time.process_time()
        reading.search(app, cue, Filter(), limit=10, scope="", sections=False)
        return (time.process_time() - started) * 1000

    cues = corpus.cues(ROUNDS, min(size, 20_000))
    times = [search(cue) for cue in cues]
    plain = [search(" ".join(cue.split()[6:8])) for cue in cues]
    limit = f"  (promised < {SEARCH_MS[size]:.0f} ms)" if size in SEARCH_MS else ""
    for what, found in (("a question of ten words", times), ("two words", plain)):
        print(
            f"  search, {what}: {min(found):.1f} ms at best, {statistics.median(found):.1f} ms in the middle{limit}"
        )
    started = time.process_time()
    store.freshen()
    print(f"  a look whether any file changed: {(time.process_time() - started) * 1000:.0f} ms")
    one_more(store)
    started = time.process_time()
    store.index.wipe()
    store.freshen()
    took = time.process_time() - started
    limit = f"  (promised < {REBUILD_SECONDS[size]:g} s)" if size in REBUILD_SECONDS else ""
    count = store.index.counts()["memories"]
    print(f"  rebuild of {count:,}: {took:.2f} s = {took / count * 1e6:.0f} µs each{limit}")
    app.close()


def one_more(store: OpenStore) -> None:
    """Take one more file into the index, and save one more memory."""
    from recollect.services import writing
    from recollect.services.refresh import refresh_files
    from recollect.services.writing import Draft

    def filed(n: int) -> float:
        path = f"semantic/one-more-{n}.md"
        store.files.create(path, f"---\ntitle: One more {n}\n---\nThe kettle is green.\n")
        started = time.process_time()
        refresh_files(store.files, store.index, store.now_ns, [path])
        return (time.process_time() - started) * 1000

    def saved(n: int) -> float:
        started = time.process_time()
        writing.save(store, Draft(f"Saved last {n}", "The kettle is red.", kind="fact"))
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
    given = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="recollect-bench-")
    try:
        for size in map(int, filter(None, given.sizes.split(","))):
            print(
                f"{size:,} memories, {UNFOLDED} later changes; {pace():.0f} million additions a second"
            )
            measure(folder, size)
        if given.writers:
            write_at_once(folder, given.writers, given.each)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
