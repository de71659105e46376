"""Command line: encrypt, decrypt, and what git calls: textconv, merge-driver."""

from __future__ import annotations

import sys

import click

from recollect.app import sealing
from recollect.app.sealing import Many
from recollect.domain import model
from recollect.doors.cli.door import Door, command
from recollect.doors.cli.helping import FilePath, option
from recollect.doors.cli.ids import complete_ids
from recollect.errors import Failed
from recollect.services.sealing import Turned


@command(
    "encrypt",
    scope=True,
    dry_run=True,
    example="recollect encrypt salary-talks\nrecollect encrypt --layer reference --dry-run",
)
@click.argument("names", metavar="[ID]...", nargs=-1, shell_complete=complete_ids)
@option("--layer", type=click.Choice(model.LAYERS), default=None, help="All of this layer.")
@option("--all", "every", is_flag=True, help="All that can be.")
@option("--yes", is_flag=True, help="Do not ask (for --layer and --all).")
def encrypt_command(
    door: Door,
    names: tuple[str, ...],
    layer: str | None,
    every: bool,
    yes: bool,
    scope: str | None,
    dry_run: bool,
) -> None:
    """Encrypt memories; without any, finish what a crash interrupted.

    Each gets a name that says nothing, and its text goes out of the journal, the index and the views;
    there is no undo, but `recollect decrypt`. Agents are not told of it any more: a person finds it with
    `recollect search --encrypted` and reads it with `recollect show`. `recollect key-init` comes first.
    """
    if sum((bool(names), bool(layer), every)) > 1:
        raise door.refusal("Name the memories, or a layer, or --all.")
    if layer or every:
        names = tuple(sealing.names_in(door.app, layer or "", scope or ""))
        _confirm(door, len(names), yes=yes or dry_run)
    elif not names:
        _finish(door, dry_run=dry_run)
        return
    if len(names) == 1 and not (layer or every):
        _encrypt_one(door, names[0], dry_run=dry_run)
        return
    found = sealing.encrypt_many(door.app, names, dry_run=dry_run)
    door.answer(found.as_json(), lambda: _show_many(door, found, dry_run=dry_run))


def _confirm(door: Door, count: int, *, yes: bool) -> None:
    if not yes and count:
        if not sys.stdin.isatty():
            raise door.refusal("That is many at once: give --yes too, or try it with --dry-run.")
        click.confirm(door.say("Encrypt {n} memories?", n=count), abort=True)


def _encrypt_one(door: Door, name: str, *, dry_run: bool) -> None:
    done = sealing.encrypt(door.app, name, dry_run=dry_run)

    def show() -> None:
        _show_turned(door, done.turned, dry_run=dry_run)
        if not dry_run:
            door.tell("  {path}", path=done.path, style="dim")
            _show_left(door, done.left)

    door.answer(done.as_json(), show)


def _show_turned(door: Door, turned: Turned, *, dry_run: bool) -> None:
    if dry_run:
        door.tell("Would encrypt {id}", id=turned.old_id)
    else:
        door.tell("Encrypted {id}, which is {new} now", id=turned.old_id, new=turned.id)


def _show_many(door: Door, found: Many, *, dry_run: bool) -> None:
    if not found.done and not found.plain:
        door.tell("There is nothing to encrypt.")
    for turned in found.done:
        _show_turned(door, turned, dry_run=dry_run)
    for name, why in found.plain:
        door.tell("  left as it is: {id}: {why}", id=name, why=door.heard(why), style="dim")
    if found.done and not dry_run:
        _show_left(door, found.left)


def _show_left(door: Door, left: list[tuple[str, str]]) -> None:
    door.tell("Its old text is gone from the store, the journal, the index and the views.")
    if left:
        door.tell("What still has it, or its name:")
    for what, path in left:
        door.tell("  {what}: {path}", what=door.word(what), path=path, style="yellow")


def _finish(door: Door, *, dry_run: bool) -> None:
    if dry_run:
        raise door.refusal("Name the memory.")
    ids = sealing.finish(door.app)

    def show() -> None:
        if not ids:
            door.tell("Nothing was interrupted; name the memory that is to be encrypted.")
        for name in ids:
            door.tell("The plain text of {id} is gone from the journal.", id=name)

    door.answer({"finished": ids}, show)


@command(
    "decrypt",
    dry_run=True,
    example="recollect decrypt sealed-3f9a01c2d4",
)
@click.argument("name", metavar="ID", shell_complete=complete_ids)
def decrypt_command(door: Door, name: str, dry_run: bool) -> None:
    """Make an encrypted memory a plain one, under the name that it had."""
    done = sealing.decrypt(door.app, name, dry_run=dry_run)

    def show() -> None:
        turned = done.turned
        if dry_run:
            door.tell("Would decrypt {id}, to {path}", id=turned.old_id, path=done.path)
            return
        door.tell("Decrypted {id}, which is {new} now", id=turned.old_id, new=turned.id)
        door.tell("  {path}", path=done.path, style="dim")

    door.answer(done.as_json(), show)


@command(
    "textconv",
    example="recollect textconv .claude/memory/encrypted/sealed-3f9a01c2d4.md.age",
)
@click.argument("path", type=FilePath())
def textconv_command(door: Door, path: str) -> None:
    """Print the plain text of an encrypted file, so that `git diff` can compare.

    What cannot be opened is printed as it is. docs/encryption.md has the settings of git, among them
    the one without which it would keep the plain text.
    """
    text = sealing.text_of(door.app, path)
    door.answer({"text": text}, lambda: door.paper.block(text.rstrip("\n")))


@command(
    "merge-driver",
    example="recollect merge-driver base ours theirs",
)
@click.argument("base", type=FilePath())
@click.argument("ours", type=FilePath())
@click.argument("theirs", type=FilePath())
def merge_driver_command(door: Door, base: str, ours: str, theirs: str) -> None:
    """Put two changes of one memory together, encrypted or plain, for `git merge`.

    Fields are merged one by one, the text by lines; the result is in the second file. Where both
    changed the same lines, both versions stand between marks, and the exit code is 1.
    docs/encryption.md has the settings of git.
    """
    conflicts = sealing.merge_files(door.app, base, ours, theirs)
    door.answer({"conflicts": conflicts}, lambda: None)
    if conflicts:
        raise Failed(what=f"Both sides changed the same lines, in places: {conflicts}.")
