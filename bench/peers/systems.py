"""Who is measured: how each is installed, told of the notes, and asked.

Promises: each has a folder of its own with its environment, a home and a copy of the notes; all that
it is given is what stands here.
Touches: those folders.
"""

from __future__ import annotations

import glob
import os
import re
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from bench import grep
from bench.peers import answers, installing
from bench.peers.installing import Skipped
from recollect.text.tokens import STOP_WORDS

MOST = 10  # that are asked for
REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FTS5 = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plain_fts5.py")
_PYTHON = [os.path.realpath(sys.executable), "-I", "-S"]


class Place(NamedTuple):
    """The folder of a system, and the address of the stand-in for an embedder."""

    root: str
    embedder: str

    @property
    def installed(self) -> str:
        """What was installed."""
        return os.path.join(self.root, "env")

    @property
    def home(self) -> str:
        """Its home; empty when the run begins."""
        return os.path.join(self.root, "home")

    @property
    def work(self) -> str:
        """Where its notes are, and where its commands run."""
        return os.path.join(self.root, "work")

    @property
    def store(self) -> str:
        """What it makes of the notes, where it does not choose itself."""
        return os.path.join(self.home, "store")

    def tool(self, name: str) -> str:
        """A command of its virtual environment."""
        return os.path.join(self.installed, "bin", name)


Command = Sequence[str]


class Peer(NamedTuple):
    """A system: what it does when it is asked, and the commands for it."""

    name: str
    how: str
    install: Callable[[Place], None]
    take_in: Callable[[Place], Sequence[Command]]
    search: Callable[[Place, str], Command]
    read: Callable[[str], list[str]]
    notes: str = "notes"  # where in its work folder it wants them
    env: Callable[[Place], Mapping[str, str]] = lambda _: {}
    fine: frozenset[int] = frozenset({0})  # the statuses of a search that went well


def environment(peer: Peer, place: Place) -> dict[str, str]:
    """All that a system knows of the machine."""
    paths = os.path.join(place.installed, "bin"), os.defpath
    return {
        "HOME": place.home, "PATH": os.pathsep.join(paths), "LANG": "C.UTF-8", "DO_NOT_TRACK": "1",
        "TMPDIR": os.path.join(place.root, "tmp"), **peer.env(place),
    }  # fmt: skip


def prepare(peer: Peer, place: Place, notes: str) -> None:
    """A new home and a copy of the notes where the system wants them."""
    for folder in (place.home, place.work, os.path.join(place.root, "tmp")):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
    shutil.copytree(notes, os.path.join(place.work, peer.notes))


# ------------------------------------------------------------------------------------- recollect


def _install_recollect(place: Place) -> None:
    shutil.rmtree(place.installed, ignore_errors=True)  # it is never the same twice
    installing.venv(place.installed, installing.python((3, 11), (3, 14)), [REPOSITORY])


RECOLLECT = Peer(
    "recollect", "words, no vectors", _install_recollect,
    take_in=lambda place: [[place.tool("recollect"), "rebuild-index"]],
    search=lambda place, cue: [
        place.tool("recollect"), "search", "--json", "--limit", str(MOST), "--", cue,
    ],
    read=lambda text: answers.rows(text, "path", among="hits"),
    notes=os.path.join(".claude", "memory", "semantic"),
)  # fmt: skip

# ------------------------------------------------------------------------------- without a memory


def _find_ripgrep(place: Place) -> None:
    if not grep.ripgrep():
        try:
            installing.npm(place.installed, ["@vscode/ripgrep@1.18.0"])
        except Skipped as skipped:
            if not shutil.which("grep"):
                raise Skipped(f"no rg on the PATH, {skipped}, no grep") from skipped


def _search_words(place: Place, cue: str) -> Command:
    packed = os.path.join(place.installed, "node_modules", "@vscode", "ripgrep-*", "bin", "rg")
    path = grep.ripgrep() or next(iter(glob.glob(packed)), "")
    return grep.command(path or shutil.which("grep") or "grep", cue, "notes")


RIPGREP = Peer(
    "ripgrep", "any word, most different ones first", _find_ripgrep,
    take_in=lambda _: [],
    search=_search_words,
    read=lambda text: answers.matches(text)[:MOST],
    fine=frozenset({0, 1}),
)  # fmt: skip


def _match(cue: str) -> str:
    found = [word for word in re.findall(r"\w+", cue.lower()) if word not in STOP_WORDS]
    return " OR ".join(f'"{word}"' for word in found) or '""'


PLAIN_FTS5 = Peer(
    "SQLite FTS5", "porter, any word, BM25", lambda _: None,
    take_in=lambda place: [[*_PYTHON, FTS5, "index", "notes", place.store]],
    search=lambda place, cue: [*_PYTHON, FTS5, "search", place.store, _match(cue), str(MOST)],
    read=answers.lines,
)  # fmt: skip

# ----------------------------------------------------------------------------------------- peers


BASIC_MEMORY = Peer(
    "basic-memory 0.23.2", "full text",
    lambda place: installing.venv(
        place.installed, installing.python((3, 12), (3, 13)), ["basic-memory==0.23.2"],
        built=["pybars3", "PyMeta3"],
    ),
    take_in=lambda place: [
        [place.tool("basic-memory"), "project", "add", "notes", _notes(place), "--default"],
        [place.tool("basic-memory"), "reindex", "--search", "-p", "notes"],
    ],
    search=lambda place, cue: [
        place.tool("basic-memory"), "tool", "search-notes", "--project", "notes",
        "--page-size", str(MOST), "--", cue,
    ],
    read=lambda text: answers.rows(text, "file_path", among="results"),
    env=lambda _: {"BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED": "false"},
)  # fmt: skip


def _qmd(place: Place) -> list[str]:
    modules = os.path.join(place.installed, "node_modules")
    bun = next(iter(glob.glob(os.path.join(modules, "@oven", "bun-*", "bin", "bun"))), "bun")
    return [bun, os.path.join(modules, "@tobilu", "qmd", "dist", "cli", "qmd.js")]


QMD = Peer(
    "qmd 2.8.3", "BM25",
    lambda place: installing.npm(place.installed, ["@tobilu/qmd@2.8.3", "bun@1.4.5"]),
    take_in=lambda place: [[*_qmd(place), "collection", "add", _notes(place), "--name", "notes"]],
    search=lambda place, cue: [*_qmd(place), "search", "-n", str(MOST), "--json", "--", cue],
    read=lambda text: answers.rows(text, "file"),
)  # fmt: skip


MEMPALACE = Peer(
    "MemPalace 3.11.0", "with a stand-in for its embedder",
    lambda place: installing.venv(
        place.installed, installing.python((3, 11), (3, 12)), ["mempalace==3.11.0"]
    ),
    take_in=lambda place: [
        [place.tool("mempalace"), "init", _notes(place), "--yes", "--no-llm"],
        [place.tool("mempalace"), "mine", _notes(place), "--direct"],
    ],
    search=lambda place, cue: [
        place.tool("mempalace"), "search", "--results", str(MOST), "--", cue,
    ],
    read=answers.sources,
    env=lambda place: {
        "MEMPALACE_EMBEDDING_MODEL": "openai-compat",
        "MEMPALACE_EMBEDDING_API_URL": place.embedder,
        "MEMPALACE_EMBEDDING_API_MODEL": "stand-in",
    },
)  # fmt: skip


def _memsearch(place: Place, what: str, *more: str) -> list[str]:
    flags = ["-p", "openai", "--base-url", place.embedder, "-m", "stand-in"]
    return [place.tool("memsearch"), what, *flags, *more]


MEMSEARCH = Peer(
    "memsearch 0.4.23", "with a stand-in for its embedder",
    lambda place: installing.venv(
        place.installed, installing.python((3, 11), (3, 12)), ["memsearch==0.4.23"]
    ),
    take_in=lambda place: [_memsearch(place, "index", _notes(place))],
    search=lambda place, cue: _memsearch(
        place, "search", "-k", str(MOST), "--json-output", "--", cue
    ),
    read=lambda text: answers.rows(text, "source"),
    env=lambda _: {"OPENAI_API_KEY": "none"},
)  # fmt: skip


def _notes(place: Place) -> str:
    return os.path.join(place.work, "notes")


PEERS = (RECOLLECT, RIPGREP, PLAIN_FTS5, BASIC_MEMORY, QMD, MEMPALACE, MEMSEARCH)
