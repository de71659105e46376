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
    "none": "There is no key in {path}; `recollect key-init` creates one.",
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
@option("--passphrase", is_flag=True, help="Protect the key with a passphrase.")
@option("--keyring", is_flag=True, help="Keep the key in the system's keyring.")
@option(
    "--recovery-file",
    type=FilePath(),
    default="",
    help="Where to write the recovery key (default: the terminal).",
)
@option(
    "--recovery",
    default="",
    metavar="PUBLIC-KEY",
    help="The public half of an existing recovery key.",
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
    """Create this machine's key and a recovery key.

    If every key is lost, the encrypted memories are lost, so encryption requires a second key.
    Keep the recovery key away from this machine: on paper, on a stick, in a password manager.
    """
    if passphrase and keyring:
        raise door.refusal("Give a key a passphrase or store it in the keyring, not both.")
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
        raise door.refusal("A passphrase needs at least eight characters.")
    return words


def _show_made(door: Door, made: Made, *, dry_run: bool) -> None:
    if dry_run:
        door.tell("Would create a key in {path}, and a recovery key", path=made.path)
        return
    door.tell("Created a key in {path}", path=made.path, style="bold")
    door.tell("  public key: {key}", key=made.recipients[0].key, style="dim")
    if made.secret:
        door.tell("Write down this recovery key; it is shown once and stored nowhere:")
        door.paper.line(("bold", f"  {made.secret}"))
    elif made.recovery_file:
        door.tell(
            "The recovery key is in {path}: move it to a safe place.", path=made.recovery_file
        )


@command("key-list", example="recollect key-list")
def key_list_command(door: Door) -> None:
    """List the recipients, and where your key is."""
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
                "  encrypted for other keys: {n}; `recollect key-rewrap` re-encrypts them",
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
    """Add a recipient: another machine of yours, or somebody who may read everything.

    Existing encrypted memories in this project's and the global store are re-encrypted.
    """
    _show_changed(door, keys.add(door.app, key, name, dry_run=dry_run), dry_run=dry_run)


@command("key-remove", dry_run=True, example="recollect key-remove laptop")
@argument("name", metavar="NAME|PUBLIC-KEY")
def key_remove_command(door: Door, name: str, dry_run: bool) -> None:
    """Remove a recipient, and re-encrypt this project's and the global store.

    Its owner may have copies of what the key could read; old versions in git and in the journal
    stay readable.
    """
    _show_changed(door, keys.remove(door.app, name, dry_run=dry_run), dry_run=dry_run)


@command("key-rotate", dry_run=True, example="recollect key-rotate")
def key_rotate_command(door: Door, dry_run: bool) -> None:
    """Replace this machine's key, and re-encrypt for the new one.

    The old key stays in the identity file, for other stores and old versions.
    """
    _show_changed(door, keys.rotate(door.app, dry_run=dry_run), dry_run=dry_run)


@command("key-rewrap", dry_run=True, example="recollect key-rewrap")
def key_rewrap_command(door: Door, dry_run: bool) -> None:
    """Re-encrypt memories that are encrypted for old keys, in this project's and the global store."""
    _show_changed(door, keys.rewrap(door.app, dry_run=dry_run), dry_run=dry_run)


def _show_changed(door: Door, done: Changed, *, dry_run: bool) -> None:
    def show() -> None:
        for one in done.recipients:
            door.tell("Encrypted for {name}: {key}", name=one.name, key=one.key)
        for scope, found in done.rewrapped:
            door.tell(
                "  would be re-encrypted: {n} ({scope})"
                if dry_run
                else "  re-encrypted: {n} ({scope})",
                n=len(found.done),
                scope=door.word(scope),
            )
            for name, why in found.left:
                door.tell(
                    "  not changed: {id}: {why}", id=name, why=door.translate(why), style="yellow"
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
@option("--layer", type=Choice(model.LAYERS), default=None, help="Everything in this layer.")
@option("--all", "every", is_flag=True, help="Everything that can be encrypted.")
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
    """Encrypt memories; without arguments, finish an interrupted encryption.

    Each gets a random name, and its text is removed from the journal, the index and the views;
    only `recollect decrypt` reverts it. Agents no longer see it: a person finds it with
    `recollect search --encrypted` and reads it with `recollect show`. Run `recollect key-init`
    first.
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
            raise door.refusal("That affects many memories: add --yes, or try --dry-run.")
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
        door.tell("Encrypted {id}; its id is now {new}", id=turned.old_id, new=turned.id)


def _show_many(door: Door, found: Many, *, dry_run: bool) -> None:
    if not found.done and not found.plain:
        door.tell("There is nothing to encrypt.")
    for turned in found.done:
        _show_turned(door, turned, dry_run=dry_run)
    for name, why in found.plain:
        door.tell("  not changed: {id}: {why}", id=name, why=door.translate(why), style="dim")
    if found.done and not dry_run:
        _show_left(door, found.left)


def _show_left(door: Door, left: list[tuple[str, str]]) -> None:
    door.tell("Its old text was removed from the store, the journal, the index and the views.")
    if left:
        door.tell("Remaining places with its text or name:")
    for what, path in left:
        door.tell("  {what}: {path}", what=door.word(what), path=path, style="yellow")


def _finish(door: Door, *, dry_run: bool) -> None:
    if dry_run:
        raise door.refusal("Name the memory.")
    ids = sealing.finish(door.app)

    def show() -> None:
        if not ids:
            door.tell("No interrupted encryption found; name the memory to encrypt.")
        for name in ids:
            door.tell("The plain text of {id} was removed from the journal.", id=name)

    door.answer({"finished": ids}, show)


@command(
    "decrypt",
    dry_run=True,
    example="recollect decrypt sealed-3f9a01c2d4",
)
@argument("name", metavar="ID", shell_complete=complete_ids)
def decrypt_command(door: Door, name: str, dry_run: bool) -> None:
    """Decrypt a memory and restore its old name."""
    done = sealing.decrypt(door.app, name, dry_run=dry_run)

    def show() -> None:
        turned = done.turned
        if dry_run:
            door.tell("Would decrypt {id}, to {path}", id=turned.old_id, path=done.path)
            return
        door.tell("Decrypted {id}; its id is now {new}", id=turned.old_id, new=turned.id)
        door.tell("  {path}", path=done.path, style="dim")

    door.answer(done.as_json(), show)


@command(
    "textconv",
    example="recollect textconv .claude/memory/encrypted/sealed-3f9a01c2d4.md.age",
)
@argument("path", type=FilePath())
def textconv_command(door: Door, path: str) -> None:
    """Print the plain text of an encrypted file, so that `git diff` can compare.

    Files that cannot be decrypted are printed unchanged. docs/encryption.md has the git
    settings, including the one that keeps git from caching the plain text.
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
                "{path}: both sides changed the same lines; both wordings are kept: {n}",
                path=path or ours,
                n=twice,
            )

    door.answer({"twice": twice}, show)
