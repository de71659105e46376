"""App: which stores concern us, and how they are put together."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cached_property, partial
from typing import TYPE_CHECKING

from recollect import fsio
from recollect.adapters import config
from recollect.adapters.files import MarkdownStore
from recollect.adapters.journal import OPS_PREFIX, FolderJournal
from recollect.adapters.sqlite.index import SqliteIndex
from recollect.domain.model import Filter
from recollect.domain.names import slug_of
from recollect.errors import RecollectError, SettingProblem, StoreNotFound
from recollect.hooks import places
from recollect.lang import asked_of
from recollect.ports import Embedder, Sealing, TranscriptReader
from recollect.services.ledger import Ledger, Moment
from recollect.services.opened import EMBEDDER, INDEX, OpenStore, Settings, holder_of
from recollect.services.refresh import Progress, refresh

if TYPE_CHECKING:  # seldom needed, and dear: imported where it is used
    from recollect.adapters.sessions import FolderSessions
    from recollect.services.capture import Capture

SCOPES = ("project", "global")


class App:
    """Everything that a door needs, for one folder and one environment."""

    def __init__(self, folder: str | None = None, env: Mapping[str, str] | None = None) -> None:
        """`folder` is where the command runs; the environment says where home and cache are."""
        self.env = dict(os.environ if env is None else env)
        self.folder = os.path.abspath(folder or os.getcwd())
        self.started_ns = time.time_ns()
        self.now = places.utc(self.started_ns / 1e9)
        self.warnings: list[str] = []
        self.workers: list[int] = []  # those that we started
        self._open: dict[str, OpenStore] = {}
        self.is_personal = False  # whether a store that was opened takes out what is personal
        self.ask_passphrase: Callable[[], str] | None = None  # set where a person can be asked

    # ---------------------------------------------------------------------------------- places

    @cached_property
    def roots(self) -> dict[str, str]:
        """The stores that are there, by scope; the project's first."""
        project, home = places.roots(self.folder, self.env)
        return {scope: root for scope, root in (("project", project), ("global", home)) if root}

    def forget_roots(self) -> None:
        """Look again which stores there are."""
        self.__dict__.pop("roots", None)

    def wanted_root(self, scope: str) -> str:
        """Where the store of a scope is, or would be made."""
        if scope == "global":
            root = places.global_root(self.env)
            if not root:
                raise StoreNotFound(where="a user without a home folder (HOME is not set)")
            return root
        if scope in self.roots:
            return self.roots[scope]
        named = self.env.get("RECOLLECT_PROJECT_ROOT")
        return places.store_in(named) if named else f"{self.project_folder}/{places.STORE_FOLDER}"

    @cached_property
    def project_folder(self) -> str:
        """The folder of the project (see `places.project_of`)."""
        return places.project_of(self.folder, self.env)

    @property
    def project_name(self) -> str:
        """What memories of this project are told apart by in a store that serves several."""
        if "project" in self.roots:
            return os.path.dirname(os.path.dirname(self.roots["project"]))
        return self.project_folder

    def shows(self, project: str, scope: str = "") -> bool:
        """Whether what was learned in a project is shown here: to itself, and to who asks for all."""
        return scope == "global" or project in ("", self.project_name)

    def hidden(self, store: OpenStore, scope: str = "") -> frozenset[str]:
        """The paths and ids of what a store has of other projects, which is shown to them alone."""
        if store.scope != "global" or scope == "global":
            return frozenset()
        found = [*store.index.entries(Filter()), *store.index.entries(Filter(archived=True))]
        theirs = [entry for entry in found if not self.shows(entry.project)]
        return frozenset(name for entry in theirs for name in (entry.id, entry.path))

    def cache_of(self, root: str) -> str:
        """The cache folder of a store."""
        folder = places.cache_folder(root, self.env)
        if not folder:
            raise StoreNotFound(where="the cache (neither HOME nor XDG_CACHE_HOME is set)")
        return folder

    # ---------------------------------------------------------------------------------- stores

    def store(self, scope: str = "", progress: Progress | None = None) -> OpenStore:
        """The store of a scope; of the project if there is one, else the global one."""
        wanted = [scope] if scope else list(SCOPES)
        for name in wanted:
            if name in self.roots:
                return self.opened(self.roots[name], name, progress)
        raise StoreNotFound(where=self.project_folder if scope != "global" else "all projects")

    def stores(self, scope: str = "", progress: Progress | None = None) -> list[OpenStore]:
        """The stores that a reader looks through, the project's first."""
        names = [s for s in SCOPES if s in self.roots and scope in ("", s)]
        if not names:
            raise StoreNotFound(where=self.project_folder if scope != "global" else "all projects")
        return [self.opened(self.roots[name], name, progress) for name in names]

    def store_of(self, name: str) -> OpenStore:
        """The store that has this memory or section; the project's first. Raises MemoryNotFound."""
        return holder_of(self.stores(), name)[0]

    def opened(self, root: str, scope: str, progress: Progress | None = None) -> OpenStore:
        """The store at `root`, brought up to date."""
        if root in self._open:
            return self._open[root]
        cache = self.cache_of(root)
        files = MarkdownStore(root, f"{cache}/lock")
        journal = FolderJournal(root, self.writer)
        index = SqliteIndex(cache)
        ledger = Ledger(files, journal, index, self.moment, self.redact)
        store = OpenStore(files, journal, index, ledger, scope)
        store.now, store.now_ns = self.now, self.started_ns
        store.settings = self.settings(root)
        ledger.encrypt = store.settings.encrypt
        store.sealing = lambda: self.sealing
        store.embedder = lambda: self.embedder
        index.refill = partial(self._refill, store, progress)
        self._open[root] = store
        found = store.freshen(progress)
        self.warnings += [problem.sentence for problem in found.problems if problem.path == INDEX]
        return store

    def _refill(self, store: OpenStore, progress: Progress | None) -> None:
        self.warnings.append("The index was damaged; it was moved aside and made again.")
        refresh(store.files, store.index, store.now_ns, progress)

    @cached_property
    def sealing(self) -> Sealing:
        """What opens and closes encrypted memories, with the keys of this person."""
        from recollect.app.keys import sealing_of  # only those who encrypt have need of it

        return sealing_of(self)

    @cached_property
    def embedder(self) -> Embedder | None:
        """What makes vectors of texts, if this person has something that does."""
        folder = places.embedders(self.env)
        if folder and not os.path.isdir(folder):
            return None
        from recollect.app.embedding import in_use  # few have one

        return in_use(self)

    @property
    def moment(self) -> Moment:
        """The time, and a maker of ids."""
        return Moment(self.now, self._new_id)

    def tick(self, store: OpenStore) -> None:
        """Let the clock of a long-lived program go on for a store."""
        self.started_ns = time.time_ns()
        self.now = places.utc(self.started_ns / 1e9)
        store.now, store.now_ns = self.now, self.started_ns
        store.ledger.moment = self.moment

    def reap(self) -> None:
        """Take note of the workers that ended, so that none stays in the table of processes."""
        for pid in list(self.workers):
            with suppress(ChildProcessError):
                if os.waitpid(pid, os.WNOHANG)[0] == 0:
                    continue
            self.workers.remove(pid)

    def close(self) -> None:
        """Let every index go."""
        self.reap()
        for store in self._open.values():
            troubles = [problem for problem in store.problems if problem.path == EMBEDDER]
            self.warnings += [problem.sentence for problem in troubles]
            store.index.close()
        self._open.clear()

    def settings(self, root: str) -> Settings:
        """The settings of a store: its own file, then the global store's, then the defaults."""
        values: dict[str, config.Value] = {key: s.default for key, s in config.SETTINGS.items()}
        own: dict[str, config.Value] = {}
        for place in dict.fromkeys([self.roots.get("global", ""), root]):
            if place:
                try:
                    own = config.narrowed(config.load(place), own)
                    values |= own
                except SettingProblem as error:
                    self.warnings.append(f"{error} {error.next_step}")
        self.is_personal = self.is_personal or bool(values["privacy.personal"])
        return Settings(
            lang=str(values["lang"]),
            start_tokens=int(values["recall.start_tokens"]),
            prompt_tokens=int(values["recall.prompt_tokens"]),
            error_tokens=int(values["recall.error_tokens"]),
            capture=bool(values["capture.enabled"]),
            view_rows=int(values["views.rows"]),
            archive_days=int(values["archive.days"]),
            archive_most=int(values["archive.most"]),
            prune_superseded=int(values["prune.superseded_days"]),
            prune_resolved=int(values["prune.resolved_days"]),
            prune_unused=int(values["prune.unused_days"]),
            prune_auto=bool(values["prune.auto"]),
            keep_changes=int(values["history.keep_changes"]),
            encrypt=config.encrypted_layers(values),
        )

    @property
    def lang(self) -> str:
        """The language to speak: the store's, or the terminal's where there is none."""
        for scope in SCOPES:
            if scope in self.roots:
                with suppress(RecollectError):
                    found = config.load(self.roots[scope]).get("lang")
                    if found:
                        return str(found)
        return self.terminal_lang

    @property
    def terminal_lang(self) -> str:
        """The language that the environment asks for."""
        return asked_of(self.env)

    def setting_problems(self, root: str = "") -> list[str]:
        """What is wrong in the settings file of a store, or of all, each with what to do."""
        own = self.own_settings()
        errors = [
            error
            for one in ([root] if root else self.roots.values())
            for error in config.problems(one, {} if one == self.roots.get("global") else own)
        ]
        return [f"{error} {error.next_step}" for error in errors]

    def own_settings(self) -> dict[str, config.Value]:
        """What the person has set for all projects."""
        home = self.roots.get("global")
        with suppress(SettingProblem):
            return config.load(home) if home else {}
        return {}

    # --------------------------------------------------------------------------------- capture

    def sessions(self, store: OpenStore) -> FolderSessions:
        """The session states of a store."""
        from recollect.adapters.sessions import FolderSessions

        return FolderSessions(store.files.root)

    def readers(self) -> Mapping[str, TranscriptReader]:
        """The transcript readers, by client."""
        from recollect.adapters.clients.known import Readers

        return Readers()

    def capture(self, store: OpenStore, target: OpenStore | None = None) -> Capture:
        """Capturing the sessions of a store, into another one if that is the `target`."""
        into = target or store
        if "episodic" in store.settings.encrypt | into.settings.encrypt:
            from recollect.services.sealedcapture import SealedCapture  # seldom needed

            return SealedCapture(into, self.sessions(store), self.readers(), self.redact)
        from recollect.services.capture import Capture

        return Capture(into, self.sessions(store), self.readers(), self.redact)

    # --------------------------------------------------------------------- identity and privacy

    @cached_property
    def writer(self) -> str:
        """Our journal file: one for this machine and month, written under the store's lock."""
        host = slug_of(os.uname().nodename.split(".")[0])[:24]
        return f"{OPS_PREFIX}{host}-{self._own('machine', 3)}-{self.now[:7]}"

    @cached_property
    def _redaction_key(self) -> bytes:
        return self._own("key", 16).encode()

    def redact(self, text: str) -> str:
        """`text` without what must not reach a disk."""
        from recollect.domain.redact import redact  # what only reads has no need of the rules

        return redact(text, self._redaction_key, personal=self.is_personal)

    def _own(self, name: str, size: int) -> str:
        """A random word of this machine, made when it is first needed."""
        base = places.cache_root(self.env)
        if not base:
            return "0" * size * 2
        path = f"{base}/{name}"
        for _ in range(2):
            with suppress(RecollectError):
                found = fsio.read_file(path).decode("ascii", "replace").strip()
                if found:
                    return found
            with suppress(RecollectError):
                fsio.make_folder(base)
                fsio.create_whole(path, f"{os.urandom(size).hex()}\n".encode())
        return "0" * size * 2

    def _new_id(self) -> str:
        return places.new_op_id(self.started_ns / 1e9)
