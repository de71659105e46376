"""A project with a store, and capturing into it, all in this process.

Promises: everything lives below the folder it is given; each call opens the store anew, as a
worker does, so that nothing is remembered but what is on disk.
Touches: that folder.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from recollect.app import App
from recollect.capture.capture import Capture, Captured
from recollect.features.repository import believed_in
from recollect.model.document import memory_from_text
from recollect.model.memory import Memory
from recollect.store import locations
from recollect.store.background import mark_pending

from .transcripts import Transcript


class Desk:
    """One project's store, and the transcripts of its sessions."""

    def __init__(self, folder: Path, lang: str = "en") -> None:
        """Make a home, a project and an empty store."""
        self.folder = folder
        self.project = folder / "home" / "teapot"
        self.root = self.project / ".claude" / "memory"
        self.logs = folder / "home" / ".claude" / "projects" / "-home-teapot"
        self.root.mkdir(parents=True)
        self.env = {"HOME": str(folder / "home")}
        believed_in(App(str(self.project), self.env), str(self.root), is_new=True)  # as `init` does
        if lang != "en":
            (self.root / "config.toml").write_text(f'lang = "{lang}"\n')

    @property
    def cache(self) -> Path:
        """The store's cache folder."""
        return Path(locations.cache_folder(str(self.root), self.env))

    @contextmanager
    def opened(self) -> Iterator[Capture]:
        """The store, ready to capture into, with nothing that follows from a change."""
        app = App(str(self.project), self.env)
        store = app.opened(str(self.root), "project")
        store.changed = lambda _: None
        try:
            yield app.capture(store)
        finally:
            app.close()

    def capture(self, *transcripts: Transcript, over: bool = True) -> list[Captured]:
        """Write the new lines of transcripts, then capture them."""
        paths = [
            one.append(self.logs) if one.is_saved else one.save(self.logs) for one in transcripts
        ]
        with self.opened() as capture:
            return [capture.take_in("claude", path, over=over) for path in paths]

    def signal(self, session: str, event: str, **fields: str) -> None:
        """Leave word of an event of a session, as its hooks do, and the mark for the worker."""
        base = {
            "event": event,
            "session": session,
            "client": "claude",
            "transcript": str(self.logs / f"{session}.jsonl"),
            "folder": str(self.project),
        }
        writer = locations.writer_of("claude", session)
        locations.record(str(self.root), writer, "signal", {**base, **fields})
        mark_pending(str(self.cache))

    @property
    def marks(self) -> set[str]:
        """The marks for the worker that are there."""
        return {name for name in ("pending", "working") if (self.cache / name).exists()}

    # --------------------------------------------------------------------------- what there is

    def memories(self) -> list[Memory]:
        """The memories of sessions."""
        files = sorted(self.root.rglob("summary.md"))
        return [memory_from_text(f.read_text(), str(f.relative_to(self.root))) for f in files]

    def memory(self) -> Memory:
        """The one memory that there is."""
        (found,) = self.memories()
        return found

    def conversation(self) -> str:
        """The one raw conversation that there is."""
        (found,) = self.root.rglob("conversation.md")
        return found.read_text()

    def feedback(self) -> str:
        """The file with rules and solutions."""
        file = self.root / "procedural" / "feedback.md"
        return file.read_text() if file.exists() else ""

    def state(self, session: str) -> dict[str, Any]:
        """The state of a session, as it is kept."""
        file = self.root / "sessions" / "active" / f"claude-{session}.json"
        found: dict[str, Any] = json.loads(file.read_text())
        return found

    def raw(self, session: str) -> list[dict[str, Any]]:
        """The raw copy of a session."""
        file = self.root / "sessions" / "raw" / f"claude-{session}.jsonl.gz"
        text = gzip.decompress(file.read_bytes()).decode() if file.exists() else ""
        return [json.loads(line) for line in text.splitlines()]

    def tree(self) -> dict[str, bytes]:
        """Every file of the store but the journal, compressed ones as what they say."""
        found = {}
        for file in sorted(self.root.rglob("*")):
            name = str(file.relative_to(self.root))
            if file.is_file() and not name.startswith("journal/"):
                data = file.read_bytes()
                found[name] = gzip.decompress(data) if name.endswith(".gz") else data
        return found

    def everything(self) -> Iterator[tuple[str, bytes]]:
        """Every byte that was written anywhere: raw, and unpacked where it is packed."""
        for file in self.folder.rglob("*"):
            if file.is_file() and self.logs not in file.parents:
                data = file.read_bytes()
                yield str(file), data
                if file.suffix == ".gz":
                    yield f"{file} unpacked", gzip.decompress(data)


def sections(memory: Memory) -> dict[str, str]:
    """The sections of a memory by their headings."""
    from recollect.model.document import sections_of

    return {section.heading: section.text for section in sections_of(memory.body)}
