"""Programs that work on one store at the same time: `python -m tests.crash.workers NAME ARG`.

Each tells on stdout, a line at a time, what was acknowledged to it.
"""

from __future__ import annotations

import itertools
import random
import sys
from collections.abc import Callable

from recollect.api import Memories, open_store
from recollect.app import App
from recollect.errors import ChangedMeanwhile
from recollect.features import lifecycle
from recollect.features import memories as writing

END = "This is the end of it.\n"


def say(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def save(name: str, times: str) -> None:
    """Save so many memories, half of them under one title."""
    with open_store() as store:
        for n in range(int(times)):
            title = "The same title" if n % 2 else f"Memory {n} of {name}"
            done = store.save(title, f"It has token {name}t{n}z.", kind="fact")
            say("saved", done.id, f"{name}t{n}z")


def edit(name: str, times: str) -> None:
    """Add so many lines to the memory `shared`, again and again until each is in."""
    app = App()
    store = app.store()
    for n in range(int(times)):
        for _ in range(1_000):
            app.tick(store)
            store.freshen()
            old = store.read(store.require("shared"))
            text = old.text.removesuffix(END) + f"- line {name}t{n}z\n{END}"
            try:
                writing.edit_text(store, "shared", text, old.stamp)
            except ChangedMeanwhile:
                continue
            say("edited", f"{name}t{n}z")
            break
    app.close()


def read(name: str, times: str) -> None:
    """Read the memory `shared` and search for it; it has to be whole every time."""
    with open_store() as store:
        path = f"{store.root}/semantic/shared.md"
        for _ in range(int(times)):
            with open(path, encoding="utf-8") as file:
                text = file.read()
            if not (text.startswith("---\n") and text.endswith(END)):
                say("half", repr(text[-80:]))
            if not any(hit.candidate.id == "shared" for hit in store.search("the end of it")):
                say("not found")
    say("read", name)


def rebuild(name: str, times: str) -> None:
    """Make the index anew so many times."""
    for _ in range(int(times)):
        app = App()
        store = app.store()
        store.index.wipe()
        store.freshen()
        app.close()
    say("rebuilt", name)


def consolidate(name: str, times: str) -> None:
    """Bring the store into order so many times."""
    for _ in range(int(times)):
        app = App()
        lifecycle.consolidate(app, scope="project", dry_run=False, force_decay=True)
        app.close()
    say("consolidated", name)


FORGOTTEN_EVERY = 5


def churn(name: str, times: str) -> None:
    """Save, edit and forget without end; `times` is where the counting begins."""
    chance = random.Random(name)
    with open_store() as store:
        for n in itertools.count(int(times)):
            done = store.save(f"Memory {n}", f"Whole {n}." * chance.randrange(1, 400), kind="fact")
            say("saved", done.id)
            if n % 3 == 0:
                _edited(store, done.id, n)
            if n % FORGOTTEN_EVERY == 0:
                store.forget(done.id)
                say("forgot", done.id)


def _edited(store: Memories, memory_id: str, n: int) -> None:
    store.edit(memory_id, f"Edited {n}.\n")
    say("edited", memory_id)


WORKERS: dict[str, Callable[[str, str], None]] = {
    worker.__name__: worker for worker in (save, edit, read, rebuild, consolidate, churn)
}

if __name__ == "__main__":
    WORKERS[sys.argv[1]](sys.argv[2], sys.argv[3])
