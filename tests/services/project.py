"""A project on a disk of its own, with a home: opened as a command opens it, or run as a process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from recollect.app import App
from recollect.store.locations import ACCEPTED, note_of
from recollect.store.store import OpenStore

SOURCE = Path(__file__).resolve().parents[2] / "src"


class Project:
    """A folder with a store in it, and nothing of the person's own around it."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.folder = folder / "project"
        self.root = self.folder / ".claude" / "memory"
        self.env = {
            "HOME": str(self.home),
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "LANG": "C.UTF-8",
            "PYTHONPATH": str(SOURCE),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",
        }
        self.home.mkdir(parents=True, exist_ok=True)
        if not self.root.exists():
            self.root.mkdir(parents=True)
            self.accept()

    def accept(self) -> None:
        """Note that the store was made on this machine, as `init` does."""
        path, mark = note_of(str(self.root), self.env)
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(f"{mark}{ACCEPTED}\n")

    @contextmanager
    def opened(self) -> Iterator[OpenStore]:
        """The store as the next command finds it, with nothing that follows from a change."""
        app = App(str(self.folder), self.env)
        store = app.store("project")
        store.changed = lambda _: None
        try:
            yield store
        finally:
            app.close()

    @contextmanager
    def opened_at(self, now: str) -> Iterator[tuple[App, OpenStore]]:
        """The store as a command finds it at this time, with the app that opened it."""
        app = App(str(self.folder), self.env)
        app.now = now
        try:
            yield app, app.store("project")
        finally:
            app.close()

    @property
    def cache(self) -> Path:
        return Path(App(str(self.folder), self.env).cache_of(str(self.root)))

    def write(self, path: str, text: str | bytes) -> Path:
        """What somebody's editor leaves in the store."""
        full = self.root / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_bytes(text if isinstance(text, bytes) else text.encode())
        return full

    def files(self) -> dict[str, bytes]:
        """The memories and what else a change may be about; no views, no journal, no temps."""
        found = {}
        for full in sorted(self.root.rglob("*")):
            path = full.relative_to(self.root).as_posix()
            own = path in ("MEMORY.md", ".index.json", "facts.json") or path.startswith("journal/")
            if full.is_file() and not own and not path.endswith(".tmp"):
                found[path] = full.read_bytes()
        return found

    # -------------------------------------------------------------------------------- processes

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "recollect", *words]

    def run(self, *words: str, ahead: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
        """Run a command to its end; `ahead` are the words of a program that runs it."""
        return subprocess.run(
            [*ahead, *self.command(*words)],
            cwd=self.folder,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.command(*words),
            cwd=self.folder,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def answer(self, *words: str) -> Any:
        """What a command answers as JSON; it has to succeed."""
        done = self.run(*words, "--json")
        assert done.returncode == 0, (words, done.returncode, done.stdout, done.stderr)
        return json.loads(done.stdout)
