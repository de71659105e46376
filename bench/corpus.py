"""A made-up store of any size: developers' notes from a seeded generator.

Promises: the same seed and size give the same files. Words are drawn with the frequencies of
natural text (Zipf), stop words among them, so that posting lists are as long as real ones.
Touches: the folder it is given.
"""

from __future__ import annotations

import itertools
import os
import random
from collections.abc import Iterator

SEED = 20261121
WORDS_PER_NOTE = 105  # about 680 characters
_SYLLABLES = (
    "ba be bi bo da de di do fa fe ga go ka ke ki ko la le li lo ma me mi mo na ne ni no pa".split()
)
_COMMON = (
    "the of and to a in is that it for on with as was at by be this from or an are not we use can "
    "which when will should must have has file test build error run server client data service "
    "config deploy cache query table index token user request response branch commit merge release"
).split()
_NAMES = (
    "Parser Loader Router Worker Session Cursor Buffer Client Handler Queue Index Store".split()
)
_LAYERS = (("semantic", "fact"), ("semantic/decisions", "decision"), ("episodic", "note"),
           ("procedural/patterns", "pattern"), ("reference", "pointer"))  # fmt: skip


def vocabulary(rng: random.Random, size: int = 40_000) -> list[str]:
    """Words, the commonest first."""
    rare = {"".join(rng.choices(_SYLLABLES, k=rng.randint(2, 4))) for _ in range(size)}
    names = [f"{a.lower()}{b}" for a, b in itertools.product(_NAMES, _NAMES) if a != b]
    words = sorted(rare)
    rng.shuffle(words)
    return [*_COMMON, *words[: len(words) // 50], *names, *words[len(words) // 50 :]]


def notes(count: int, seed: int = SEED) -> Iterator[tuple[str, str, str]]:
    """`(path, title, text)` of each note."""
    rng = random.Random(seed)
    words = vocabulary(rng)
    weights = list(itertools.accumulate(1 / (rank + 3) for rank in range(len(words))))
    for n in range(count):
        drawn = rng.choices(words, cum_weights=weights, k=WORDS_PER_NOTE)
        folder, kind = _LAYERS[n % len(_LAYERS)]
        title = " ".join([words[200 + n % (len(words) - 200)], *drawn[:4]])
        day = f"2026-{1 + n % 10:02}-{1 + n % 28:02}"
        head = (
            f"---\nid: note-{n}\ntitle: {title}\ntype: {folder.split('/')[0]}\nkind: {kind}\n"
            f"tags: [{', '.join(dict.fromkeys(drawn[4:8]))}]\ntrigger: []\nsalience: medium\n"
            f"confidence: high\nsource: observed\ntrust: user\nstatus: confirmed\nrelated: []\n"
            f"created: {day}T10:00:00Z\nupdated: {day}T10:00:00Z\n---\n"
        )
        body = " ".join(drawn[8:])
        yield f"{folder}/{n % 100:02}/note-{n}.md", title, f"{head}{body}\n"


def write_store(root: str, count: int) -> None:
    """Put `count` notes below `root`, unless they are there already."""
    done = os.path.join(root, f".{count}-notes")
    if os.path.exists(done):
        return
    for path, _, text in notes(count):
        full = os.path.join(root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)
    with open(os.path.join(root, "config.toml"), "a", encoding="utf-8"):
        pass
    with open(done, "w", encoding="ascii"):
        pass


def cues(count: int, size: int, seed: int = SEED + 1) -> list[str]:
    """Prompts about notes of a store of that size: five words of a note, in a question."""
    rng = random.Random(seed)
    wanted = set(rng.sample(range(size), count))
    found = []
    for n, (_, title, text) in enumerate(notes(size)):
        if n in wanted:
            body = text.rsplit("---\n", 1)[1].split()
            found.append(
                f"How do we handle {title.split()[0]} when {' '.join(rng.sample(body, 5))}?"
            )
    return found
