"""Names in code among 20,000 other lines, and Chinese words of two characters in 5,000 paragraphs.

`python -m bench.identifiers [--lines 20000] [--paragraphs 5000] [--misses]`

Each line and each paragraph is a memory; Recollect is asked through its own store, as `search` asks.
"""

from __future__ import annotations

import argparse
import os
import re
import sqlite3
import tempfile
from collections.abc import Callable, Sequence
from typing import NamedTuple

from bench.identifiers import made
from recollect.app import App
from recollect.model.memory import Filter
from recollect.search import search as searching
from recollect.text.tokens import STOP_WORDS, simplified

Find = Callable[[str, int], list[int]]  # a cue, and how many are wanted: the numbers of texts
FIRST = 3
SHORTEST_PIECE = 3  # of a word that the trigrams of FTS5 can find


def product(texts: Sequence[str], folder: str) -> Find:
    """Recollect: each text a memory that has no other words."""
    home, project = os.path.join(folder, "home"), os.path.join(folder, "project")
    facts = os.path.join(project, ".claude", "memory", "semantic")
    for n, text in enumerate(texts):
        if n % 1000 == 0:
            os.makedirs(os.path.join(facts, f"{n // 1000:03}"))
        head = f"---\nid: x{n:06}x\ntitle: x{n:06}x\ntype: semantic\nkind: fact\n---\n"
        path = os.path.join(facts, f"{n // 1000:03}", f"x{n:06}x.md")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"{head}{text}\n")
    stores = [App(project, {"HOME": home, "PATH": os.defpath}).store("project")]

    def find(cue: str, most: int) -> list[int]:
        hits = searching.search(stores, cue, Filter(), limit=most)
        return [int(hit.candidate.id.strip("x")) for hit in hits]

    return find


def fts5(tokenizer: str) -> Callable[[Sequence[str], str], Find]:
    """SQLite's FTS5 as it comes: any word, BM25."""

    def made_of(texts: Sequence[str], _: str) -> Find:
        db = sqlite3.connect(":memory:")
        db.execute(f"CREATE VIRTUAL TABLE line USING fts5(text, tokenize='{tokenizer}')")
        db.executemany("INSERT INTO line(rowid, text) VALUES (?, ?)", enumerate(texts))
        least = SHORTEST_PIECE if tokenizer == "trigram" else 1

        def find(cue: str, most: int) -> list[int]:
            words = [w for w in re.findall(r"\w+", cue.lower()) if w not in STOP_WORDS]
            match = " OR ".join(f'"{word}"' for word in words if len(word) >= least)
            if not match:
                return []
            asked = "SELECT rowid FROM line WHERE line MATCH ? ORDER BY bm25(line), rowid LIMIT ?"
            return [row[0] for row in db.execute(asked, (match, most))]

        return find

    return made_of


SYSTEMS: dict[str, Callable[[Sequence[str], str], Find]] = {
    "FTS5 unicode61": fts5("unicode61"),
    "FTS5 porter": fts5("porter unicode61"),
    "FTS5 trigram": fts5("trigram"),
    "recollect search": product,
}


def ask_names(find: Find, lines: Sequence[made.Line]) -> list[tuple[str, int, list[int]]]:
    """`(cue, the line that is meant, those found)` for every cue."""
    return [(cue, n, find(cue, 10)) for n, line in enumerate(lines) for cue in line.cues]


def hit(rows: Sequence[tuple[str, int, list[int]]], most: int) -> float:
    """The share of the cues of which the line is among the first."""
    return sum(wanted in found[:most] for _, wanted, found in rows) / len(rows)


class Words(NamedTuple):
    """How well the words that stand in some text were found, and how many those are."""

    recall: float
    precision: float
    empty: int
    asked: int


def ask_words(find: Find, texts: Sequence[str]) -> Words:
    """Ask for every word that stands in one of the texts."""
    plain = [simplified(text) for text in texts]
    recalls, precisions, empty = [], [], 0
    for word in (*made.WORDS, *made.TRADITIONAL):
        wanted = {n for n, text in enumerate(plain) if simplified(word) in text}
        if not wanted:
            continue
        found = set(find(word, len(texts)))
        empty += not found
        recalls.append(len(found & wanted) / len(wanted))
        precisions.append(len(found & wanted) / len(found) if found else 0.0)
    asked = len(recalls)
    return Words(sum(recalls) / asked, sum(precisions) / asked, empty, asked)


def show_names(count: int, *, misses: bool) -> None:
    """How well names are found, by everybody."""
    lines = made.written()
    texts = [line.text for line in lines] + list(made.code(count, lines))
    cues = sum(len(line.cues) for line in lines)
    print(f"{cues} cues for names in {len(lines)} lines, among {count} others")
    print(f"  {'':24}{'hit@1':>8}{'hit@3':>8}{'hit@10':>8}{'empty':>8}")
    for name, system in SYSTEMS.items():
        with tempfile.TemporaryDirectory(prefix="recollect-identifiers-") as folder:
            rows = ask_names(system(texts, folder), lines)
        cells = [hit(rows, 1), hit(rows, FIRST), hit(rows, 10)]
        cells.append(sum(not found for _, _, found in rows) / len(rows))
        print(f"  {name:24}" + "".join(f"{cell:8.3f}" for cell in cells))
        if misses and system is product:
            for cue, wanted, found in rows:
                if wanted not in found[:FIRST]:
                    print(f"\n    {cue!r} wants {texts[wanted]!r}")
                    for one in found[:FIRST]:
                        print(f"      found {texts[one]!r}")


def show_words(count: int) -> None:
    """How well Chinese words of two characters are found, by everybody."""
    texts = list(made.paragraphs(count))
    print(f"\nChinese words of two characters in {count} paragraphs")
    print(f"  {'':24}{'words':>8}{'recall':>8}{'precise':>8}{'empty':>8}")
    for name, system in SYSTEMS.items():
        with tempfile.TemporaryDirectory(prefix="recollect-words-") as folder:
            found = ask_words(system(texts, folder), texts)
        print(f"  {name:24}{found.asked:8}{found.recall:8.3f}{found.precision:8.3f}{found.empty:8}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--lines", type=int, default=20_000)
    parser.add_argument("--paragraphs", type=int, default=5_000)
    parser.add_argument("--misses", action="store_true", help="what went wrong, and what came")
    given = parser.parse_args()
    show_names(given.lines, misses=given.misses)
    show_words(given.paragraphs)


if __name__ == "__main__":
    main()
