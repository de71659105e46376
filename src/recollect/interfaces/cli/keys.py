"""Commands for keys and encryption."""

from __future__ import annotations

import sys

from recollect.interfaces.cli.context import Door, command, complete_ids
from recollect.interfaces.cli.parsing import Choice, FilePath, argument, option
from recollect.model import memory as model
from recollect.ops import encryption as sealing
from recollect.ops.encryption import Many
from recollect.privacy import keys
from recollect.privacy.hiding import Turned
from recollect.privacy.keys import Changed, Made, State, Wish

SHORTEST_PASSPHRASE = 8
KEPT = {
    "none": "There is no key in {path}; `recollect key-init` makes one.",
    "file": "Your key is in {path}",
    "passphrase": "Your key is in {path}, with a passphrase",
    "keyring": "Your key is in the keyring, as {path} says",
}


@command(
    "key-init",
    dry_run=True,
    example="recollect key-init --recovery-file /media/usb/recollect-recovery.txt\n"
    "recollect key-init --passphrase",
)
@option("--name", default=keys.HERE, show_default=True, help="What to call this key.")
@option("--passphrase", is_flag=True, help="Ask for a passphrase that locks the key.")
@option("--keyring", is_flag=True, help="Keep the key in the system's keyring.")
@option(
    "--recovery-file",
    type=FilePath(),
    default="",
    help="Where to put the recovery key; on the terminal by default.",
)
@option(
    "--recovery",
    default="",
    metavar="PUBLIC-KEY",
    help="A recovery key that you have already, by its public half.",
)
def key_init_command(
    door: Door,
    name: str,
    passphrase: bool,
    keyring: bool,
    recovery_file: str,
    recovery: str,
    dry_run: bool,
) -> None:
    """Make the key of this machine, and a recovery key.

    Who loses every key loses what is encrypted, so nothing is encrypted without a second one. Keep the
    recovery key away from this machine: on paper, on a stick, in a password manager.
    """
    if passphrase and keyring:
        raise door.refusal("A key is locked by a passphrase or kept in the keyring, not both.")
    words = _new_passphrase(door) if passphrase and not dry_run else ""
    can_show = sys.stdout.isatty() and not door.as_json
    wish = Wish(name, words, keyring, recovery, recovery_file, can_show)
    made = keys.init(door.app, wish, dry_run=dry_run)
    door.answer(made.as_json(), lambda: _show_made(door, made, dry_run=dry_run))


def _new_passphrase(door: Door) -> str:
    if door.app.ask_passphrase is None:
        raise door.refusal("There is no terminal to ask for a passphrase.")
    words = door.ask_hidden(door.say("New passphrase"), twice=True)
    if len(words) < SHORTEST_PASSPHRASE:
        raise door.refusal("A passphrase has eight characters or more.")
    return words


def _show_made(door: Door, made: Made, *, dry_run: bool) -> None:
    if dry_run:
        door.tell("Would make a key in {path}, and a recovery key", path=made.path)
        return
    door.tell("Made a key in {path}", path=made.path, style="bold")
    door.tell("  public key: {key}", key=made.recipients[0].key, style="dim")
    if made.secret:
        door.tell("Write down this recovery key; it is shown once and kept nowhere:")
        door.paper.line(("bold", f"  {made.secret}"))
    elif made.recovery_file:
        door.tell("The recovery key is in {path}: keep it elsewhere.", path=made.recovery_file)


@command("key-list", example="recollect key-list")
def key_list_command(door: Door) -> None:
    """List the keys that are encrypted for, and where yours is."""
    state = keys.state(door.app)
    door.answer(state.as_json(), lambda: _show_state(door, state))


def _show_state(door: Door, state: State) -> None:
    door.tell(KEPT[state.kept], path=state.path)
    if state.recipients:
        rows = [(one.name, one.key, "✓" if one.is_own else "") for one in state.recipients]
        door.paper.table(door.heads("key", "public key", "here"), rows)
    for scope, count, others in state.stores:
        door.tell("  encrypted memories: {n} ({scope})", n=count, scope=door.word(scope))
        if others:
            door.tell(
                "  for other keys than these: {n}; `recollect key-rewrap` encrypts them anew",
                n=others,
                style="yellow",
            )


@command(
    "key-add",
    dry_run=True,
    example="recollect key-add age1qyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqs3290gq --name laptop",
)
@argument("key", metavar="PUBLIC-KEY")
@option("--name", required=True, help="What to call it.")
def key_add_command(door: Door, key: str, name: str, dry_run: bool) -> None:
    """Encrypt for one more key: that of another machine of yours, or of somebody who may read all.

    What is encrypted already, in the stores at hand, is encrypted anew.
    """
    _show_changed(door, keys.add(door.app, key, name, dry_run=dry_run), dry_run=dry_run)


@command("key-remove", dry_run=True, example="recollect key-remove laptop")
@argument("name", metavar="NAME|PUBLIC-KEY")
def key_remove_command(door: Door, name: str, dry_run: bool) -> None:
    """Encrypt for a key no more, and anew what is encrypted already in the stores at hand.

    What the key could read before, its owner may have kept; old versions in git and in the journal
    stay readable to it.
    """
    _show_changed(door, keys.remove(door.app, name, dry_run=dry_run), dry_run=dry_run)


@command("key-rotate", dry_run=True, example="recollect key-rotate")
def key_rotate_command(door: Door, dry_run: bool) -> None:
    """Put a new key in place of this machine's, and encrypt anew for it.

    The old one stays in the identity file, for stores that are not at hand and for old versions.
    """
    _show_changed(door, keys.rotate(door.app, dry_run=dry_run), dry_run=dry_run)


@command("key-rewrap", dry_run=True, example="recollect key-rewrap")
def key_rewrap_command(door: Door, dry_run: bool) -> None:
    """Encrypt anew what is for other keys than those of today: in this project and the global store."""
    _show_changed(door, keys.rewrap(door.app, dry_run=dry_run), dry_run=dry_run)


def _show_changed(door: Door, done: Changed, *, dry_run: bool) -> None:
    def show() -> None:
        for one in done.recipients:
            door.tell("Encrypted for {name}: {key}", name=one.name, key=one.key)
        for scope, found in done.rewrapped:
            door.tell(
                "  would be encrypted anew: {n} ({scope})"
                if dry_run
                else "  encrypted anew: {n} ({scope})",
                n=len(found.done),
                scope=door.word(scope),
            )
            for name, why in found.left:
                door.tell(
                    "  left as it is: {id}: {why}", id=name, why=door.translate(why), style="yellow"
                )

    door.answer(done.as_json(), show)


# -------------------- Command line: encrypt, decrypt, and what git calls: textconv, merge-driver.


@command(
    "encrypt",
    scope=True,
    dry_run=True,
    example="recollect encrypt salary-talks\nrecollect encrypt --layer reference --dry-run",
)
@argument("names", metavar="[ID]...", nargs=-1, shell_complete=complete_ids)
@option("--layer", type=Choice(model.LAYERS), default=None, help="All of this layer.")
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
        door.confirm(door.say("Encrypt {n} memories?", n=count))


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
        door.tell("  left as it is: {id}: {why}", id=name, why=door.translate(why), style="dim")
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
@argument("name", metavar="ID", shell_complete=complete_ids)
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
@argument("path", type=FilePath())
def textconv_command(door: Door, path: str) -> None:
    """Print the plain text of an encrypted file, so that `git diff` can compare.

    What cannot be opened is printed as it is. docs/encryption.md has the settings of git, among them
    the one without which it would keep the plain text.
    """
    text = sealing.text_of(door.app, path)
    door.answer({"text": text}, lambda: door.paper.block(text.rstrip("\n")))


@command(
    "merge-driver",
    example="recollect merge-driver base ours theirs semantic/use-postgres.md",
)
@argument("base", type=FilePath())
@argument("ours", type=FilePath())
@argument("theirs", type=FilePath())
@argument("path", required=False, default="")
def merge_driver_command(door: Door, base: str, ours: str, theirs: str, path: str) -> None:
    """Merge two changes of one memory, encrypted or plain, or of the settings and lists of a store, for `git merge`.

    `init` installs it. Fields are merged one by one, the text by lines; the result is in the second
    file. Where both sides changed the same lines, both wordings stay, with a remark between them.
    What cannot be merged is left as it was, and git shows its usual conflict.
    """
    twice = sealing.merge_files(door.app, base, ours, theirs, path)

    def show() -> None:
        if twice:
            door.tell(
                "{path}: both sides changed the same lines; both wordings stand there: {n}",
                path=path or ours,
                n=twice,
            )

    door.answer({"twice": twice}, show)
