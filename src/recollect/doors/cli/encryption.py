"""Command line: encrypt, decrypt, and what git calls: textconv, merge-driver."""

from __future__ import annotations

import click

from recollect.app import sealing
from recollect.app.sealing import Done
from recollect.doors.cli.door import Door, command
from recollect.doors.cli.helping import FilePath
from recollect.doors.cli.ids import complete_ids
from recollect.errors import Failed


@command(
    "encrypt",
    dry_run=True,
    example="recollect encrypt salary-talks\nrecollect encrypt salary-talks --dry-run",
)
@click.argument("name", metavar="[ID]", required=False, default="", shell_complete=complete_ids)
def encrypt_command(door: Door, name: str, dry_run: bool) -> None:
    """Encrypt a memory; without ID, finish what a crash interrupted.

    It gets a name that says nothing, and its text goes out of the journal, the index and the views;
    there is no undo, but `recollect decrypt`. Agents are not told of it any more: a person finds it with
    `recollect search --encrypted` and reads it with `recollect show`. `recollect key-init` comes first.
    """
    if not name:
        _finish(door, dry_run=dry_run)
        return
    done = sealing.encrypt(door.app, name, dry_run=dry_run)

    def show() -> None:
        turned = done.turned
        if dry_run:
            door.tell("Would encrypt {id}", id=turned.old_id)
            return
        door.tell("Encrypted {id}, which is {new} now", id=turned.old_id, new=turned.id)
        door.tell("  {path}", path=done.path, style="dim")
        _show_left(door, done)

    door.answer(done.as_json(), show)


def _show_left(door: Door, done: Done) -> None:
    door.tell("Its old text is gone from the store, the journal, the index and the views.")
    if done.left:
        door.tell("What still has it, or its name:")
    for what, path in done.left:
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
    example='git config diff.recollect.textconv "recollect textconv"\n'
    "recollect textconv .claude/memory/encrypted/sealed-3f9a01c2d4.md.age",
)
@click.argument("path", type=FilePath())
def textconv_command(door: Door, path: str) -> None:
    """Print the plain text of an encrypted file, so that `git diff` can compare.

    What cannot be opened is printed as it is. Set `diff.recollect.cachetextconv false`, or git keeps
    the plain text.
    """
    text = sealing.text_of(door.app, path)
    door.answer({"text": text}, lambda: door.paper.block(text.rstrip("\n")))


@command(
    "merge-driver",
    example='git config merge.recollect.driver "recollect merge-driver %O %A %B"',
)
@click.argument("base", type=FilePath())
@click.argument("ours", type=FilePath())
@click.argument("theirs", type=FilePath())
def merge_driver_command(door: Door, base: str, ours: str, theirs: str) -> None:
    """Put two changes of one memory together, encrypted or plain, for `git merge`.

    Fields are merged one by one, the text by lines; the result is in the second file. Where both
    changed the same lines, both versions stand between marks, and the exit code is 1.
    """
    conflicts = sealing.merge_files(door.app, base, ours, theirs)
    door.answer({"conflicts": conflicts}, lambda: None)
    if conflicts:
        raise Failed(what=f"Both sides changed the same lines, in places: {conflicts}.")
