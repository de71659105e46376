"""Command line: memory-set, memory-get, memory-list."""

from __future__ import annotations

import click

from recollect.app import core
from recollect.app.core import CoreFile
from recollect.doors.cli.door import Door, command
from recollect.doors.cli.helping import FilePath, option
from recollect.doors.cli.texts import text_at


@command(
    "memory-set",
    scope=True,
    dry_run=True,
    example='recollect memory-set project "A queue of messages, in Go."\n'
    "recollect memory-set architecture --file docs/architecture.md",
)
@click.argument("name")
@click.argument("text", required=False, default=None, metavar="[TEXT|-]")
@option("--file", type=FilePath(), default=None, help="Read the text from a file; `-` is stdin.")
def memory_set_command(
    door: Door, name: str, text: str | None, file: str | None, scope: str | None, dry_run: bool
) -> None:
    """Write a core file: project, architecture, conventions, or any other name.

    Core files are told at the start of every session, so keep them short. The text takes the place
    of what the file said; `recollect undo` brings that back.
    """
    if (text is None) == (file is None):
        raise door.refusal("Give the text once: TEXT, - or --file.")
    said = text_at(file) if file is not None else text_at("-") if text == "-" else text or ""
    if not said.strip():
        raise door.refusal("There is nothing to keep.")
    done, path = core.write(door.app, name, said, scope=scope or "", dry_run=dry_run)

    def show() -> None:
        if done.what == "unchanged":
            door.tell("{id} says that already; nothing was changed.", id=done.id)
        elif dry_run:
            door.tell("Would write {path}", path=path)
            door.paper.line()
            door.paper.block(done.text)
        else:
            door.tell("Wrote {path}", path=path, style="bold")

    answer = {"name": name.removesuffix(".md"), "id": done.id, "path": path, "what": done.what}
    door.answer(answer, show)


@command("memory-get", scope=True, example="recollect memory-get conventions\nrecollect memory-get")
@click.argument("name", required=False, default="", metavar="[NAME]")
def memory_get_command(door: Door, name: str, scope: str | None) -> None:
    """Show a core file, or all of them."""
    if name:
        file = core.named(door.app, name, scope=scope or "")
        door.answer(file.as_json(), lambda: door.paper.markdown(file.text))
        return
    files = core.every(door.app, scope=scope or "")

    def show() -> None:
        for n, file in enumerate(files):
            if n:
                door.paper.line()
            door.paper.line(("bold", file.name), ("dim", f"  {door.word(file.scope)}"))
            door.paper.markdown(file.text)
        _show_none(door, files)

    door.answer([file.as_json() for file in files], show)


@command("memory-list", scope=True, example="recollect memory-list")
def memory_list_command(door: Door, scope: str | None) -> None:
    """List the core files and what each costs in a brief."""
    files = core.every(door.app, scope=scope or "")

    def show() -> None:
        rows = [(f.name, f"{f.tokens:,}", f.updated[:10], door.word(f.scope)) for f in files]
        if rows:
            door.paper.table(door.heads("file", "tokens", "date", "scope"), rows)
        _show_none(door, files)

    shown = [{k: v for k, v in file.as_json().items() if k != "text"} for file in files]
    door.answer(shown, show)


def _show_none(door: Door, files: list[CoreFile]) -> None:
    if not files:
        door.tell("There are no core files yet; `recollect memory-set project TEXT` makes one.")
