"""The composition root: a workspace with everything that the rooms above it do."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property, partial

from recollect.errors import RecollectError
from recollect.model.memory import Problem
from recollect.ports import Embedder, Extractor, Sealing, TranscriptReader
from recollect.store import locations, repositories
from recollect.store import settings as config
from recollect.store.store import OpenStore
from recollect.workspace import Workspace, ask

TYPE_CHECKING = False

if TYPE_CHECKING:
    from recollect.capture.capture import Capture
    from recollect.capture.session_files import FolderSessions

# Above this many memories the views are left to the worker, so that a save stays quick.
MOST_AT_ONCE = 300
IGNORE_HEAD = "# Kept out of git: "


class App(Workspace):
    """Everything that an interface needs, for one folder and one environment.

    A command loads of these rooms only what it uses.
    """

    @cached_property
    def sealing(self) -> Sealing:
        """What opens and closes encrypted memories, with the keys of this person."""
        from recollect.privacy.keys import sealing_of  # only those who encrypt have need of it

        return sealing_of(self)

    @cached_property
    def embedder(self) -> Embedder | None:
        """What makes vectors of texts, if this person has something that does."""
        folder = locations.own_folder(self.env, "XDG_DATA_HOME", ".local/share")
        if folder and not os.path.isdir(f"{folder}/embedders"):
            return None
        from recollect.features.embedding import in_use  # few have one

        return in_use(self)

    def sessions(self, store: OpenStore) -> FolderSessions:
        """The session states of a store."""
        from recollect.capture.session_files import FolderSessions

        root = store.root
        if store.scope != "project" or locations.is_private(root):
            return FolderSessions(root)
        return FolderSessions(root, partial(self.came, root))

    def readers(self) -> Mapping[str, TranscriptReader]:
        """The transcript readers, by client."""
        from recollect.clients.registry import READERS

        return READERS

    def extractor(self, name: str) -> Extractor:
        """What asks the model that the setting `capture.model` names. Raises ModelFailed."""
        from recollect.clients.models import extractor_of  # few have one

        return extractor_of(name, self.env)

    def capture(self, store: OpenStore, target: OpenStore | None = None) -> Capture:
        """Capturing the sessions of a store, into another one if that is the `target`."""
        into = target or store
        base = locations.project_of_store(store.root)
        if "episodic" in store.settings.encrypt | into.settings.encrypt:
            from recollect.capture.encrypted import SealedCapture  # seldom needed

            return SealedCapture(into, self.sessions(store), self.readers(), self.redact, base)
        from recollect.capture.capture import Capture

        return Capture(into, self.sessions(store), self.readers(), self.redact, base)

    def seal_sessions(self, store: OpenStore) -> None:
        """Encrypt what is kept of sessions in plain, where the settings have it so."""
        if "episodic" not in store.settings.encrypt:
            return
        from recollect.capture.encrypted import SealedCapture

        sessions = self.sessions(store)
        base = locations.project_of_store(store.root)
        capture = SealedCapture(store, sessions, self.readers(), self.redact, base)
        for one in list(sessions.every()):
            state = sessions.load(one.client, one.session_id)
            if state and state.raw_bytes:
                capture.closed(state)

    def finish_encrypting(self, store: OpenStore) -> None:
        """End what was begun: a memory that was encrypted lies nowhere in plain text."""
        from recollect.privacy import plaintext  # few encrypt

        try:
            plaintext.finish_begun(self, store)
        except RecollectError as error:  # it can be read all the same
            store.problems.append(Problem("encrypted", str(error)))

    def publish(self, store: OpenStore) -> list[str]:
        """Renew views and brief now; gives the names of the views that were written."""
        from recollect.derived_files import publish_all

        store.is_changed = False
        return publish_all(self, store)

    def brief(self, store: OpenStore, budget: int | None = None) -> str:
        """The brief of a store, made now; without a budget of its own it is kept for the hook."""
        from recollect import derived_files

        if budget is None:
            return derived_files.keep_brief(self, store)
        return derived_files.brief_within(self, store, budget)

    def publish_or_ask(self, store: OpenStore) -> None:
        """Renew views and brief, or ask the worker to, if the store is large.

        The worker itself does it in any case. Every store that is opened calls this after a change.
        """
        with suppress(RecollectError, OSError):
            if self.is_worker:
                self.publish(store)
            elif store.index.counts()["memories"] > MOST_AT_ONCE:
                ask(self, store)
            else:
                self.publish(store)
                if self.embedder:
                    from recollect.features import embedding  # few have one

                    if embedding.lacks(self, store):
                        ask(self, store)

    def came(self, root: str, folder: str) -> Mapping[str, int]:
        """The files in a folder of a store that came with its repository, each with its size there."""
        if not repositories.repository_of(root):
            note, _ = locations.note_of(root, self.env)
            if not (note and os.path.exists(f"{note}{locations.CAME}")):
                return {}
        from recollect.features import repository  # few journals came from elsewhere

        return repository.came_along(self, root, folder)

    def keep_out_of_git(self, root: str) -> None:
        """Give a store in a repository its `.gitignore`, if none of its lines are ours."""
        is_there = locations.line_of(f"{root}/.gitignore").startswith(IGNORE_HEAD)
        if is_there or not repositories.repository_of(root):
            return
        from recollect.features import repository  # seldom needed

        with suppress(RecollectError):  # what cannot be written there fails on its own
            repository.keep_out(root)

    def open_doubted(self, store: OpenStore) -> None:
        """Have a store believe only what it should."""
        from recollect.features import repository  # once for most stores

        repository.open_doubted(self, store)

    def divided_settings(
        self, root: str
    ) -> tuple[dict[str, config.Value], dict[str, config.Value]]:
        """The settings in a store's file that count, and those that came along and do not."""
        from recollect.features import foreign_settings  # once for most stores

        return foreign_settings.divided_settings(self, root)

    def is_foreign_file(self, root: str) -> bool:
        """Whether the settings file of a store came along and was not accepted."""
        from recollect.features import foreign_settings  # once for most stores

        return foreign_settings.is_foreign_file(self, root)
