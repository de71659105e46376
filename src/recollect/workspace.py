"""The stores of the current folder, with settings, clock and caller."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property, partial

from recollect._fastimport import NamedTuple
from recollect.errors import (
    GlobalStoreNotFound,
    Locked,
    RecollectError,
    SettingProblem,
    StorageFailed,
    StoreLeftBehind,
    StoreNotFound,
    UsageProblem,
)
from recollect.i18n import language_of
from recollect.model.memory import latin_slug_of
from recollect.ports import Embedder, Sealing, TranscriptReader
from recollect.search.index import SqliteIndex
from recollect.store import disk, locations
from recollect.store import settings as config
from recollect.store.background import is_pending, mark_pending, start_worker
from recollect.store.files import MarkdownStore
from recollect.store.journal import FolderJournal
from recollect.store.journal_lines import OPS_PREFIX
from recollect.store.private_stores import left_behind, note_project, require_readable
from recollect.store.refresh import Progress, refresh
from recollect.store.store import (
    EMBEDDER,
    INDEX,
    OpenStore,
    Settings,
    full_name,
    holder_of,
    near_names,
)
from recollect.store.transactions import Clock, Ledger

TYPE_CHECKING = False

if TYPE_CHECKING:
    from recollect.capture.capture import Capture
    from recollect.capture.session_files import FolderSessions
    from recollect.ops.doctor import Health
    from recollect.text.redact import KnownSecrets


# -------------------------------------------------------------------------------------- the caller


# What the clients set for the commands of their agents, as was seen (Claude Code, Codex CLI,
# Gemini CLI, OpenCode, Copilot CLI) or is documented. The last one is common to several.
AGENTS = tuple(
    """CLAUDECODE CODEX_THREAD_ID GEMINI_CLI OPENCODE COPILOT_CLI CURSOR_AGENT COPILOT_AGENT CODEX_CI
    CODEX_SANDBOX ANTIGRAVITY_AGENT AUGMENT_AGENT CLINE_ACTIVE GOOSE_TERMINAL AI_AGENT""".split()
)
# By which an agent's client, or a person, tells its commands which session is theirs.
SESSIONS = (
    ("RECOLLECT_SESSION", "terminal"),
    ("CLAUDE_CODE_SESSION_ID", "claude"),
    ("CODEX_THREAD_ID", "codex"),
    ("GEMINI_SESSION_ID", "gemini"),
    ("COPILOT_AGENT_SESSION_ID", "copilot"),
)


def is_agent(env: Mapping[str, str]) -> bool:
    """Whether an agent runs the command, on a person's behalf."""
    return any(env.get(name) for name in AGENTS)


def trust_of(env: Mapping[str, str]) -> str:
    """How far what the command writes is trusted: as the word of whoever runs it."""
    return "agent" if is_agent(env) else "user"


def agent_session(env: Mapping[str, str]) -> str:
    """The session of the agent that runs the command; nothing for a person, or if none is named."""
    return current_session(env)[1] if is_agent(env) else ""


def require_person(env: Mapping[str, str], command: str, what: str) -> None:
    """Raise UsageProblem, which says `what`, where an agent runs the command."""
    if is_agent(env):
        raise UsageProblem(what=what, command=command)


def sessionless_env(env: Mapping[str, str]) -> dict[str, str]:
    """The environment of a process that works for no session, whoever started it."""
    marks = {*AGENTS, *(name for name, _ in SESSIONS)}
    return {name: value for name, value in env.items() if name not in marks}


def current_session(env: Mapping[str, str]) -> tuple[str, str]:
    """`(client, session)` that the environment names, or nothing."""
    for name, client in SESSIONS:
        if env.get(name):
            return client, env[name]
    return "", ""


def terminal() -> str:
    """The terminal that a command runs in, and its owner: the device alone is given again."""
    for handle in (0, 1, 2):
        with suppress(OSError):
            return f"{os.ttyname(handle)}:{os.getsid(0)}"
    return ""


def no_home_error() -> StoreNotFound:
    """The error where there is no place for what a user keeps."""
    return StoreNotFound(where="a user without a home folder (HOME is not set)")


def data_folder(env: Mapping[str, str]) -> str:
    """Our folder among the data of this user. Raises StoreNotFound."""
    folder = locations.own_folder(dict(env), "XDG_DATA_HOME", ".local/share")
    if not folder:
        raise no_home_error()
    return folder


PACKAGE = os.path.dirname(os.path.abspath(__file__))  # with the programs of ours
SCOPES = ("project", "global")
ASKING = "asking"  # in the cache of a store: hooks ask the agent (`capture.mode`)
CLAIMS = "claims"  # in the cache of a store: what passes of consolidation read of its files


if TYPE_CHECKING:

    class _Above:
        """What `App`, in a room above, does for those below."""

        @cached_property
        def sealing(self) -> Sealing: ...
        @cached_property
        def embedder(self) -> Embedder | None: ...
        def sessions(self, store: OpenStore) -> FolderSessions: ...
        def readers(self) -> Mapping[str, TranscriptReader]: ...
        def capture(self, store: OpenStore, target: OpenStore | None = None) -> Capture: ...
        def publish(self, store: OpenStore) -> list[str]: ...
        def brief(self, store: OpenStore, budget: int | None = None) -> str: ...
        def publish_or_ask(self, store: OpenStore) -> None: ...
        def came(self, root: str, folder: str) -> Mapping[str, int]: ...
        def keep_out_of_git(self, root: str) -> None: ...
        def open_doubted(self, store: OpenStore) -> None: ...
        def divided_settings(
            self, root: str
        ) -> tuple[dict[str, config.Value], dict[str, config.Value]]: ...
        def is_foreign_file(self, root: str) -> bool: ...
        def seal_sessions(self, store: OpenStore) -> None: ...
        def finish_encrypting(self, store: OpenStore) -> None: ...
else:
    _Above = object


class Workspace(_Above):
    """The stores, settings and clock for one folder and one environment.

    What rooms above do with them, `App` adds.
    """

    def __init__(self, folder: str | None = None, env: Mapping[str, str] | None = None) -> None:
        """`folder` is where the command runs; the environment says where home and cache are."""
        self.env = dict(os.environ if env is None else env)
        self.folder = os.path.abspath(folder or os.getcwd())
        self.started_ns = time.time_ns()
        self.now = locations.utc(self.started_ns / 1e9)
        self.warnings: list[str] = []
        self.looks: dict[str, str] = {}  # how notes on whose words stores say looked when read
        self.workers: list[int] = []  # those that we started
        self._open: dict[str, OpenStore] = {}
        self.is_worker = False
        self.is_personal = False  # whether a store that was opened takes out what is personal
        self.ask_passphrase: Callable[[], str] | None = None  # set where a person can be asked

    # ---------------------------------------------------------------------------------- places

    @cached_property
    def roots(self) -> dict[str, str]:
        """The stores that are there, by scope; the project's first."""
        project, home = locations.roots(self.folder, self.env)
        return {scope: root for scope, root in (("project", project), ("global", home)) if root}

    def forget_roots(self) -> None:
        """Look again which stores there are."""
        self.__dict__.pop("roots", None)

    def wanted_root(self, scope: str) -> str:
        """Where the store of a scope is, or would be made."""
        if scope == "global":
            root = locations.global_root(self.env)
            if not root:
                raise no_home_error()
            return root
        if scope in self.roots and not locations.is_private(self.roots[scope]):
            return self.roots[scope]
        named = self.env.get("RECOLLECT_PROJECT_ROOT")
        if named:
            return locations.store_in(named)
        return f"{self.project_folder}/{locations.STORE_FOLDER}"

    @cached_property
    def project_folder(self) -> str:
        """The folder of the project: the one that the environment names, else `locations.project_of`."""
        return locations.named_project(self.env) or locations.project_of(self.folder, self.env)

    def cache_of(self, root: str) -> str:
        """The cache folder of a store."""
        folder = locations.cache_folder(root, self.env)
        if not folder:
            raise StoreNotFound(where="the cache (neither HOME nor XDG_CACHE_HOME is set)")
        return folder

    # ---------------------------------------------------------------------------------- stores

    def store(self, scope: str = "", progress: Progress | None = None) -> OpenStore:
        """The store of a scope, the project's without one.

        A project that has none yet gets its private one, made with the first change.
        """
        scope = scope or "project"
        root = self.roots.get(scope, "")
        if not root and scope == "project":
            root = locations.project_root(self.folder, self.env)
        if not root:
            raise self._no_store(scope)
        return self.opened(root, scope, progress, folder=self.folder)

    def stores(
        self, scope: str = "", progress: Progress | None = None, *, every_file: bool = True
    ) -> list[OpenStore]:
        """The stores that a reader looks through, the project's first; see `OpenStore.freshen`."""
        names = [s for s in SCOPES if s in self.roots and scope in ("", s)]
        if not names:
            raise self._no_store(scope)
        found = [
            self.opened(self.roots[name], name, progress, every_file=every_file) for name in names
        ]
        # Where the global store was sorted out just now, the project may have got its own by that.
        return found if "roots" in self.__dict__ else self.stores(scope, progress)

    def _no_store(self, scope: str) -> StoreNotFound:
        root = locations.global_root(self.env) if scope == "global" else ""
        require_readable(root or locations.project_root(self.folder, self.env))
        if scope == "global":
            return GlobalStoreNotFound()
        where = self.project_folder
        left = {} if is_agent(self.env) else dict(left_behind(self.env))
        was = min(left, key=lambda one: not one.endswith(f"/{os.path.basename(where)}"), default="")
        return StoreLeftBehind(where=where, was=was) if was else StoreNotFound(where=where)

    def store_of(self, name: str) -> OpenStore:
        """The store that has this memory or section; the project's first. Raises MemoryNotFound."""
        return holder_of(self.stores(), name)[0]

    def full_name(self, name: str) -> str:
        """The name that a short id, or the beginning of any id, stands for. Raises AmbiguousId."""
        with suppress(StoreNotFound):
            return full_name(self.stores(), name)
        return name

    def near_names(self, name: str) -> list[str]:
        """The ids that somebody may have meant who mistyped one."""
        with suppress(RecollectError):
            return near_names(self.stores(), name)
        return []

    def opened(
        self,
        root: str,
        scope: str,
        progress: Progress | None = None,
        *,
        folder: str = "",
        every_file: bool = True,
    ) -> OpenStore:
        """The store at `root`, brought up to date.

        A private one that is not there is made with its first change, for the project of `folder`.
        """
        if root in self._open:
            return self._open[root]
        require_readable(root)
        cache = self.cache_of(root)
        files = MarkdownStore(root, f"{cache}/lock")
        if folder and locations.is_private(root) and not os.path.isdir(root):
            files.make = partial(locations.make_private, root, folder, self.env)
        elif root == self.roots.get("project") and locations.is_private(root):
            note_project(root, self.project_folder, self.started_ns)
        journal = FolderJournal(root, self.writer)
        index = _index_in(cache)
        ledger = Ledger(files, journal, index, self.moment, self.redact)
        is_shared = scope == "project" and not locations.is_private(root)
        if is_shared:
            ledger.came = partial(self.came, root, "journal")
            files.make = partial(self.keep_out_of_git, root)
        store = OpenStore(files, journal, index, ledger, scope)
        store.now, store.now_ns = self.now, self.started_ns
        if is_shared and (note := locations.note_of(root, self.env)[0]):
            self.looks[note] = look_of(note, "!")  # before it is read
        store.settings = self.settings(root)
        ledger.encrypt = store.settings.encrypt
        ledger.is_persons = scope == "global" and is_agent(self.env)
        store.sealing = lambda: self.sealing
        store.embedder = lambda: self.embedder
        store.changed = self.publish_or_ask
        index.refill = partial(self._refill, store, progress)
        self._open[root] = store
        if is_shared and (store.settings.lists_pulls or locations.is_doubted(root, self.env)):
            self.open_doubted(store)
        self.freshen(store, progress, every_file=every_file)
        return store

    def freshen(self, store: OpenStore, progress: Progress | None = None, **look: bool) -> None:
        """Bring a store up to date (see `OpenStore.freshen`), and do what its files ask for."""
        found = store.freshen(progress, **look)
        self.warnings += [problem.sentence for problem in found if problem.path == INDEX]
        if os.path.isdir(f"{store.root}/encrypted"):
            self.finish_encrypting(store)

    # ------------------------------------------------------------------------------- while it runs

    def _refill(self, store: OpenStore, progress: Progress | None) -> None:
        self.warnings.append("The index was damaged; it was moved aside and rebuilt.")
        refresh(store.files, store.index, store.now_ns, progress)

    @property
    def moment(self) -> Clock:
        """The time, and a maker of ids."""
        return Clock(
            self.now, lambda: locations.new_op_id(self.started_ns / 1e9), agent_session(self.env)
        )

    def tick(self, store: OpenStore) -> None:
        """Let the clock of a long-lived program go on for a store."""
        self.started_ns = time.time_ns()
        self.now = locations.utc(self.started_ns / 1e9)
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
        """Close every index, and take over the warnings about the embedder."""
        self.reap()
        for store in self._open.values():
            troubles = [problem for problem in store.problems if problem.path == EMBEDDER]
            self.warnings += [problem.sentence for problem in troubles]
            store.index.close()
        self._open.clear()

    def values(self, root: str) -> dict[str, config.Value]:
        """The settings in force for a store, by name.

        Its own file comes first, as far as it counts, then the global store's, then the defaults.
        """
        values: dict[str, config.Value] = {key: s.default for key, s in config.SETTINGS.items()}
        if not os.path.lexists(root):  # it is made with the first change
            values["lang"] = self.terminal_lang
        own: dict[str, config.Value] = {}
        for place in filter(None, dict.fromkeys([self.roots.get("global", ""), root])):
            try:
                found, foreign = self.file_values(place)
                if "lang" in foreign and "lang" not in own:
                    values["lang"] = self.terminal_lang
                own = found if place == self.roots.get("global") else config.narrowed(found, own)
                values |= own
            except SettingProblem as error:
                problem = f"{error} {error.next_step}"
                if problem not in self.warnings:  # settings are read more than once
                    self.warnings.append(problem)
        return values

    def file_values(self, root: str) -> tuple[dict[str, config.Value], dict[str, config.Value]]:
        """What a store's settings file sets and counts, and what of it came along and does not count.

        Raises SettingProblem.
        """
        if locations.is_doubted(root, self.env):
            return self.divided_settings(root)
        return config.load(root), {}

    def settings(self, root: str) -> Settings:
        """The settings in force for a store."""
        values = self.values(root)
        self.is_personal = self.is_personal or bool(values["privacy.personal"])
        return config.as_settings(values)

    @property
    def lang(self) -> str:
        """The language to speak: the store's, or the terminal's where there is none."""
        for scope in SCOPES:
            if scope in self.roots:
                with suppress(RecollectError):
                    found = self.file_values(self.roots[scope])[0].get("lang")
                    if found:
                        return str(found)
        return self.terminal_lang

    @property
    def terminal_lang(self) -> str:
        """The language that the environment asks for."""
        return language_of(self.env)

    def setting_problems(self, root: str = "") -> list[str]:
        """What is wrong in the settings file of a store, or of all, each with what to do."""
        own = self.own_settings()
        errors = [
            error
            for one in ([root] if root else self.roots.values())
            if not (locations.is_doubted(one, self.env) and self.is_foreign_file(one))
            for error in config.problems(one, None if one == self.roots.get("global") else own)
        ]
        return [f"{error} {error.next_step}" for error in errors]

    def own_settings(self) -> dict[str, config.Value]:
        """What the person has set for all projects."""
        home = self.roots.get("global")
        with suppress(SettingProblem):
            return config.load(home) if home else {}
        return {}

    # --------------------------------------------------------------------- identity and privacy

    @cached_property
    def writer(self) -> str:
        """Our journal file: one for this machine and month, written under the store's lock."""
        host = latin_slug_of(os.uname().nodename.split(".")[0])[:24]
        return f"{OPS_PREFIX}{host}-{self._own('machine', 3)}-{self.now[:7]}"

    @cached_property
    def _redaction_key(self) -> bytes:
        return self._own("key", 16).encode()

    def redact(self, text: str, known: KnownSecrets | None = None) -> str:
        """`text` without what must not reach a disk, nor what is `known` from other texts."""
        from recollect.text.redact import redact  # what only reads has no need of the rules

        return redact(text, self._redaction_key, personal=self.is_personal, known=known)

    def _own(self, name: str, size: int) -> str:
        """A random word of this machine, made when it is first needed."""
        base = locations.cache_root(self.env)
        if not base:
            return "0" * size * 2
        path = f"{base}/{name}"
        for _ in range(2):
            with suppress(RecollectError):
                found = disk.read_file(path).decode("ascii", "replace").strip()
                if found:
                    return found
            with suppress(RecollectError):
                disk.make_folder(base)
                disk.create_whole(path, f"{os.urandom(size).hex()}\n".encode())
        return "0" * size * 2


def look_of(path: str, mark: str = "") -> str:
    """How a file or folder looks now, as the hook will look at it."""
    try:
        info = os.stat(path)
    except OSError:
        return f"0 0 {mark}{path}"
    size = "-" if os.path.isdir(path) else str(info.st_size)
    return f"{info.st_mtime_ns} {size} {mark}{path}"


def _index_in(cache: str) -> SqliteIndex:
    """The index in a cache folder; one in memory where that cannot be written (a read-only home)."""
    if not os.path.isdir(cache) or os.access(cache, os.W_OK):
        with suppress(StorageFailed):
            return SqliteIndex(cache)
    from recollect.search.index import ScratchIndex  # seldom needed

    return ScratchIndex()


# ---------------------------------------------------------------------------------------- findings


class Finding(NamedTuple):
    """One thing that was looked at: a sentence about it, as a template with its fields.

    `state` is ok, note, problem or mended; `about` is a part of the store, or a path in it. A
    program that reads it gets the sentence in English.
    """

    state: str
    about: str
    sentence: str
    fields: dict[str, object]

    @classmethod
    def ok(cls, about: str, sentence: str, **fields: object) -> Finding:
        """All is well with it."""
        return cls("ok", about, sentence, fields)

    @classmethod
    def note(cls, about: str, sentence: str, **fields: object) -> Finding:
        """Something worth knowing."""
        return cls("note", about, sentence, fields)

    @classmethod
    def problem(cls, about: str, sentence: str, **fields: object) -> Finding:
        """Something to be looked at."""
        return cls("problem", about, sentence, fields)

    @classmethod
    def mended(cls, about: str, sentence: str, **fields: object) -> Finding:
        """Something that was just repaired."""
        return cls("mended", about, sentence, fields)


# -------------------------------------------------------------------------------------- the worker


ASK_AGAIN_SECONDS = 5.0  # who was asked longer ago than this, and has not begun, may be dead
LOCK_WAIT_SECONDS = 30


def ask(app: Workspace, store: OpenStore) -> None:
    """Mark that there is work, and start the worker unless it was started just now."""
    cache = app.cache_of(store.root)
    with suppress(OSError):
        if os.path.getmtime(f"{cache}/pending") > app.started_ns / 1e9 - ASK_AGAIN_SECONDS:
            return
    mark_pending(cache)
    start(app, store)


def start(app: Workspace, store: OpenStore) -> None:
    """Start the worker, which goes away again if there is one, or nothing to do."""
    app.reap()
    app.workers.append(start_worker(store.root, app.env))


def resume_worker(app: Workspace, store: OpenStore) -> None:
    """Start the worker if it was asked for and has not come, or not finished.

    Who asks for it leaves a mark first, and may end before there is a worker: a hook at its
    deadline, a worker that was killed.
    """
    if is_pending(app.cache_of(store.root)):
        start(app, store)


@contextmanager
def hold_worker(app: Workspace, store: OpenStore) -> Iterator[None]:
    """Keep the worker away, and let it do afterwards what it was asked for meanwhile.

    Raises Locked.
    """
    path = f"{app.cache_of(store.root)}/worker.lock"
    handle = disk.take_lock(path, wait_seconds=LOCK_WAIT_SECONDS)
    if handle is None:
        raise Locked(path=path, seconds=LOCK_WAIT_SECONDS, who="its worker")
    try:
        yield
    finally:
        os.close(handle)
        resume_worker(app, store)


class FindingGroup(NamedTuple):
    """The findings about one store, or about the program (without a scope and a root)."""

    scope: str
    root: str
    findings: list[Finding]
    health: Health | None = None


class Report(NamedTuple):
    """What was found."""

    groups: list[FindingGroup]

    @property
    def problems(self) -> int:
        """How many findings should be looked at."""
        return sum(f.state == "problem" for group in self.groups for f in group.findings)
