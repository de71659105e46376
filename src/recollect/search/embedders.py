"""Embedders: those of a person, and the ways to compute vectors.

Each embedder is a folder with an `embedder.json`; a folder without that file is ignored, so that an
interrupted installation is never used. Nothing is stored in a memory store.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import math
import os
import struct
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from importlib import metadata
from typing import Any
from urllib.parse import urlsplit

from recollect._fastimport import NamedTuple
from recollect.errors import (
    EmbedderBroken,
    EmbedderNotFound,
    FileNotThere,
    Locked,
    MissingExtra,
    RecollectError,
)
from recollect.ports import Embedder
from recollect.search.vectors import PASSAGE_VERSION, Embedding, Passage, numpy
from recollect.store import disk

MINILM = "minilm"  # the kind of the default model
Embed = Callable[[list[str]], Sequence[Sequence[float]]]


# ----------------------------------------------------------------------- the embedders of a person

ABOUT = "embedder.json"
IN_USE = "in-use"
UNFINISHED = ".new"
LOCK_SECONDS = 600.0


class InstalledEmbedder(NamedTuple):
    """An embedder in a person's folder; `about` is the content of its `embedder.json`."""

    name: str
    kind: str
    about: Mapping[str, Any]
    folder: str
    bytes: int


class Embedders:
    """The embedders of one person."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def every(self) -> list[InstalledEmbedder]:
        """All embedders with a readable description, by name."""
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

    def known(self, name: str) -> InstalledEmbedder:
        """The embedder of this name.

        Raises:
            EmbedderNotFound: there is none.
            EmbedderBroken: its description cannot be read.
        """
        path = f"{self.folder}/{name}/{ABOUT}"
        if "/" in name or name.startswith("."):
            raise EmbedderNotFound(name=name)
        try:
            about = json.loads(disk.read_file(path))
            kind = str(about["kind"])
        except FileNotThere:
            raise EmbedderNotFound(name=name) from None
        except (ValueError, TypeError, KeyError) as error:
            reason = f"it is not the expected JSON ({error})"
            raise EmbedderBroken(path=path, reason=reason) from None
        folder = os.path.dirname(path)
        with os.scandir(folder) as files:
            size = sum(one.stat().st_size for one in files)
        return InstalledEmbedder(name, kind, about, folder, size)

    def in_use(self) -> str:
        """The name of the embedder in use, or nothing."""
        try:
            return disk.read_file(f"{self.folder}/{IN_USE}", 256).decode("utf-8", "replace").strip()
        except RecollectError:
            return ""

    def use(self, name: str) -> None:
        """Use this one from now on; none, if the name is empty."""
        disk.make_folder(self.folder)
        disk.write_whole(f"{self.folder}/{IN_USE}", f"{name}\n".encode())

    def put(self, name: str, about: Mapping[str, Any], files: Mapping[str, bytes]) -> None:
        """Install or replace an embedder, all of it or nothing. Call it inside `alone`."""
        new = f"{self.folder}/{UNFINISHED}/{name}"
        disk.make_folder(new)
        for file, data in files.items():
            disk.write_whole(f"{new}/{file}", data)
        text = json.dumps(dict(about), indent=2, sort_keys=True, ensure_ascii=False)
        disk.write_whole(f"{new}/{ABOUT}", f"{text}\n".encode())
        disk.sync_folder(new)
        self.remove(name)
        disk.move(new, f"{self.folder}/{name}")

    def remove(self, name: str) -> None:
        """Remove an embedder, if there is one; its description goes first."""
        disk.remove(f"{self.folder}/{name}/{ABOUT}")
        _remove_folder(f"{self.folder}/{name}")

    @contextmanager
    def alone(self) -> Iterator[str]:
        """A folder for unfinished work, removed afterwards, while nobody else changes anything.

        Raises Locked if somebody else takes too long.
        """
        disk.make_folder(self.folder)
        folder = f"{self.folder}/{UNFINISHED}"
        with disk.held(f"{self.folder}/.lock", wait_seconds=LOCK_SECONDS) as is_held:
            if not is_held:
                raise Locked(path=self.folder, seconds=LOCK_SECONDS, who="another process")
            try:
                _remove_folder(folder)  # of a process that was killed
                disk.make_folder(folder)
                yield folder
            finally:
                _remove_folder(folder)


def _remove_folder(folder: str) -> None:
    """Remove a folder and its content; links are removed, never followed."""
    with suppress(OSError), os.scandir(folder) as found:
        for one in list(found):
            if one.is_dir(follow_symlinks=False):
                _remove_folder(one.path)
            else:
                disk.remove(one.path)
    disk.remove_empty_folder(folder)


def open_embedder(
    installed: InstalledEmbedder, env: Mapping[str, str], redact: Callable[[str], str]
) -> Embedder:
    """An embedder, ready to be asked; nothing of it is loaded yet.

    `redact` is applied to what leaves this machine.

    Raises:
        EmbedderBroken: its description is not one of ours.
        MissingExtra: vectors could not be compared.
    """
    if importlib.util.find_spec("numpy") is None:
        raise MissingExtra(feature="Search by meaning", package="numpy", extra="embed")
    about = {key: str(value) for key, value in installed.about.items()}
    identity = f"{installed.kind}/{about.get('identity', '')}/{PASSAGE_VERSION}"
    if installed.kind == MINILM:
        numpy()  # before the package loads it, for the number of threads
        from recollect_minilm import MiniLM

        return MiniLM(installed.folder, identity)
    try:
        if installed.kind == "endpoint":
            key = env.get(about["key-env"], "") if about["key-env"] else ""
            endpoint = Endpoint(about["url"], about["model"], key)
            return FloatEmbedder(identity, lambda: endpoint.embed, redact)
        load: Callable[[], Embed] = {
            "onnx": lambda: load_onnx(about["path"], about["vocabulary"]),
            "sentence-transformers": lambda: load_sentence_transformers(about["model"]),
            "package": lambda: load_package(about["package"]),
        }[installed.kind]
    except KeyError as error:
        reason = f"its description is not valid ({error})"
        raise EmbedderBroken(path=installed.folder, reason=reason) from error
    return FloatEmbedder(identity, load)


# --------------------------------------------------- functions from texts to lists of floats

AT_ONCE = 32


class FloatEmbedder:
    """An embedder over a function, which is loaded when it is first needed."""

    is_english = False

    def __init__(
        self, identity: str, load: Callable[[], Embed], redact: Callable[[str], str] | None = None
    ) -> None:
        """`load` gives the function; it gets a few texts at a time, after `redact`."""
        self.identity = identity
        self._load = load
        self._redact = redact or (lambda text: text)

    @cached_property
    def _embed(self) -> Embed:
        return self._load()

    def passages(self, several: Sequence[Passage]) -> list[Embedding]:
        """The embeddings of passages, in order. Raises RecollectError."""
        texts = [self._redact(one.text) for one in several]
        found: list[Embedding] = []
        for at in range(0, len(texts), AT_ONCE):
            found += self._embeddings(texts[at : at + AT_ONCE])
        return found

    def cue(self, text: str) -> Embedding:
        """The embedding of a query. Raises RecollectError."""
        return self._embeddings([self._redact(text)])[0]

    def _embeddings(self, texts: list[str]) -> list[Embedding]:
        rows = self._embed(texts)
        try:
            vectors = [int8_of(row) for row in rows]
        except (TypeError, ValueError, OverflowError) as error:
            reason = "it returned something other than numbers"
            raise EmbedderBroken(path=self.identity, reason=reason) from error
        if len(vectors) != len(texts) or len(set(map(len, vectors))) > 1:
            reason = "it returned the wrong number of vectors"
            raise EmbedderBroken(path=self.identity, reason=reason)
        return [Embedding(vector) for vector in vectors]


def int8_of(vector: Sequence[float]) -> bytes:
    """A vector as int8 numbers; its length means nothing. Raises ValueError."""
    values = [float(value) for value in vector]
    most = max(map(abs, values))
    if not math.isfinite(sum(values)):
        raise ValueError(most)
    scale = 127 / most if most else 0.0
    return struct.pack(f"{len(values)}b", *(round(value * scale) for value in values))


SECONDS = 20.0
LARGEST_ANSWER = 64 * 1024 * 1024
LOOPBACK = ("localhost", "127.0.0.1", "::1")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_args: Any, **_named: Any) -> None:
        """Nowhere: the texts would go to somebody whom the person did not name."""


class Endpoint:
    """An address that speaks as OpenAI's does (`POST …/embeddings`), with one model."""

    def __init__(self, url: str, model: str, key: str = "") -> None:
        """`key` is sent as a bearer token. Raises EmbedderBroken for an address that is not allowed."""
        parts = urlsplit(url)
        is_local = parts.hostname in LOOPBACK
        if parts.scheme not in ("https", "http") or (parts.scheme == "http" and not is_local):
            raise EmbedderBroken(path=url, reason="the URL must be https, or http on this machine")
        self._url, self._model, self._key = f"{url.rstrip('/')}/embeddings", model, key
        handlers: list[Any] = [_NoRedirect()]
        if is_local:
            handlers.append(urllib.request.ProxyHandler({}))
        self._opener = urllib.request.build_opener(*handlers)

    def embed(self, texts: list[str]) -> Sequence[Sequence[float]]:
        """The vectors of some texts. Raises EmbedderBroken."""
        body = json.dumps({"model": self._model, "input": texts}).encode()
        request = urllib.request.Request(self._url, body, {"Content-Type": "application/json"})  # noqa: S310 - checked above
        if self._key:
            request.add_unredirected_header("Authorization", f"Bearer {self._key}")
        try:
            with self._opener.open(request, timeout=SECONDS) as answer:
                rows = json.loads(answer.read(LARGEST_ANSWER))["data"]
                rows.sort(key=lambda row: row["index"])
                return [row["embedding"] for row in rows]
        except (OSError, urllib.error.URLError) as error:
            reason = str(getattr(error, "reason", "") or error)
            raise EmbedderBroken(path=self._url, reason=reason) from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            reason = "its response is not in OpenAI's format"
            raise EmbedderBroken(path=self._url, reason=reason) from error


GROUP = "recollect.embedders"
MOST_PIECES = 254


def load_package(name: str) -> Embed:
    """The function that an installed package offers under this name. Raises EmbedderBroken."""
    for point in metadata.entry_points(group=GROUP):
        if point.name == name:
            try:
                found: Embed = point.load()
            except Exception as error:
                raise EmbedderBroken(path=name, reason=str(error)) from error
            return found
    raise EmbedderBroken(path=name, reason="no installed package provides it")


def load_sentence_transformers(model: str) -> Embed:
    """A model of the library sentence-transformers. Raises MissingExtra."""
    library = _library("sentence_transformers", "sentence-transformers")
    loaded = library.SentenceTransformer(model)

    def embed(texts: list[str]) -> Sequence[Sequence[float]]:
        found: Sequence[Sequence[float]] = loaded.encode(texts).tolist()
        return found

    return embed


def load_onnx(path: str, vocabulary: str) -> Embed:
    """A model of BERT's kind in an ONNX file. Raises MissingExtra, EmbedderBroken."""
    np = numpy()
    runtime = _library("onnxruntime", "onnx")
    from recollect_minilm import wordpiece

    words = wordpiece.read_vocabulary(vocabulary)
    first, last, pad = (words[mark] for mark in (wordpiece.START, wordpiece.END, wordpiece.PAD))
    try:
        session = runtime.InferenceSession(path, providers=["CPUExecutionProvider"])
    except Exception as error:  # of a class of the library's own
        raise EmbedderBroken(path=path, reason=str(error)) from error
    wanted = {one.name for one in session.get_inputs()}

    def embed(texts: list[str]) -> Sequence[Sequence[float]]:
        rows = [[first, *wordpiece.split(text, words, MOST_PIECES), last] for text in texts]
        ids = np.full((len(rows), max(map(len, rows))), pad, dtype=np.int64)
        mask = np.zeros_like(ids)
        for n, pieces in enumerate(rows):
            ids[n, : len(pieces)], mask[n, : len(pieces)] = pieces, 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        state = session.run(None, {k: v for k, v in given.items() if k in wanted})[0]
        if state.ndim == 3:  # a vector for each piece: their mean
            state = (state * mask[..., None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        found: Sequence[Sequence[float]] = state.tolist()
        return found

    return embed


def _library(name: str, extra: str) -> Any:
    """A library that an extra installs. Raises MissingExtra."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingExtra(feature="Search by meaning", package=name, extra=extra) from None
