"""Commands: key-init, key-list, key-add, key-remove, key-rotate, key-rewrap, encrypt, decrypt, textconv, merge-driver."""

from __future__ import annotations

import os
import sys

from recollect.features import encrypt
from recollect.interfaces.cli.command import CommandContext, command
from recollect.interfaces.cli.parsing import ID, PATH, Choice, argument, flag, option
from recollect.model.memory import LAYERS
from recollect.ports import Copy
from recollect.privacy import keys
from recollect.privacy.keys import Changed, KeyRequest
from recollect.privacy.plaintext import ConvertedMemory

SHORTEST_PASSPHRASE = 8
KEY_PLACES = {
    "none": "There is no key in {path}; `recollect key init` creates one.",
    "file": "Your key is in {path}",
    "passphrase": "Your key is in {path}, with a passphrase",
    "keyring": "Your key is in the keyring, as {path} says",
}


@command(
    option("--name", default=keys.HERE, help="What to call this key."),
    flag("--passphrase", help="Protect the key with a passphrase."),
    flag("--keyring", help="Keep the key in the system's keyring."),
    option(
        "--recovery-file",
        type=PATH,
        help="Where to write the recovery key (default: the terminal).",
    ),
    option("--recovery", metavar="PUBLIC-KEY", help="The public half of an existing recovery key."),
    dry_run=True,
    example="recollect key init --recovery-file /media/usb/recollect-recovery.txt\n"
    "recollect key init --passphrase",
)
def key_init_command(
    ctx: CommandContext,
    name: str,
    passphrase: bool,
    keyring: bool,
    recovery_file: str,
    recovery: str,
) -> None:
    """Create this machine's key and a recovery key.

    If every key is lost, the encrypted memories are lost, so encryption requires a second key.
    Keep the recovery key away from this machine: on paper, on a stick, in a password manager.
    """
    if passphrase and keyring:
        raise ctx.usage_error("Give a key a passphrase or store it in the keyring, not both.")
    words = _new_passphrase(ctx) if passphrase and not ctx.dry_run else ""
    can_show = sys.stdout.isatty() and not ctx.as_json
    wish = KeyRequest(name, words, keyring, recovery, recovery_file, can_show)
    made = keys.init(ctx.app, wish, dry_run=ctx.dry_run)
    ctx.answer({name: value for name, value in made._asdict().items() if name != "secret"})
    if ctx.dry_run:
        ctx.tell("Would create a key in {path}, and a recovery key", path=made.identity)
        return
    ctx.tell("Created a key in {path}", path=made.identity, style="bold")
    ctx.hint("  public key: {key}", key=made.recipients[0].key)
    if made.secret:
        ctx.tell("Write down this recovery key; it is shown once and stored nowhere:")
        ctx.tell("  {key}", key=made.secret, style="bold")
    elif made.recovery_file:
        ctx.tell("The recovery key is in {path}: move it to a safe place.", path=made.recovery_file)


def _new_passphrase(ctx: CommandContext) -> str:
    if ctx.app.ask_passphrase is None:
        raise ctx.usage_error("There is no terminal to ask for a passphrase.")
    words = ctx.ask_hidden(ctx.say("New passphrase"), twice=True)
    if len(words) < SHORTEST_PASSPHRASE:
        raise ctx.usage_error("A passphrase needs at least eight characters.")
    return words


@command(example="recollect key list")
def key_list_command(ctx: CommandContext) -> None:
    """List the recipients, and where your key is."""
    state = keys.state(ctx.app)
    ctx.answer(state)
    ctx.tell(KEY_PLACES[state.kept], path=state.identity)
    if state.recipients:
        rows = [(one.name, one.key, "✓" if one.is_own else "") for one in state.recipients]
        ctx.table(("key", "public key", "here"), rows)
    for scope, count, others in state.stores:
        ctx.tell("  encrypted memories: {n} ({scope})", n=count, scope=ctx.word(scope))
        if others:
            ctx.tell(
                "  encrypted for other keys: {n}; `recollect key rewrap` re-encrypts them",
                n=others,
                style="yellow",
            )


@command(
    argument("key", metavar="PUBLIC-KEY"),
    option("--name", required=True, help="What to call it."),
    dry_run=True,
    example="recollect key add age1qyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqs3290gq --name laptop",
)
def key_add_command(ctx: CommandContext, key: str, name: str) -> None:
    """Add a recipient: another machine of yours, or somebody who may read everything.

    Existing encrypted memories in this project's and the global store are re-encrypted.
    """
    _show_changed(ctx, keys.add(ctx.app, key, name, dry_run=ctx.dry_run))


@command(
    argument("name", metavar="NAME|PUBLIC-KEY"),
    dry_run=True,
    example="recollect key remove laptop",
)
def key_remove_command(ctx: CommandContext, name: str) -> None:
    """Remove a recipient, and re-encrypt this project's and the global store.

    Its owner may have copies of what the key could read; old versions in git and in the journal
    stay readable.
    """
    _show_changed(ctx, keys.remove(ctx.app, name, dry_run=ctx.dry_run))


@command(dry_run=True, example="recollect key rotate")
def key_rotate_command(ctx: CommandContext) -> None:
    """Replace this machine's key, and re-encrypt for the new one.

    The old key stays in the identity file, for other stores and old versions.
    """
    _show_changed(ctx, keys.rotate(ctx.app, dry_run=ctx.dry_run))


@command(dry_run=True, example="recollect key rewrap")
def key_rewrap_command(ctx: CommandContext) -> None:
    """Re-encrypt memories that are encrypted for old keys, in this project's and the global store."""
    _show_changed(ctx, keys.rewrap(ctx.app, dry_run=ctx.dry_run))


def _show_changed(ctx: CommandContext, done: Changed) -> None:
    ctx.answer(done)
    for one in done.recipients:
        ctx.tell("Encrypted for {name}: {key}", name=one.name, key=one.key)
    for found in done.stores:
        ctx.tell_change(
            "  would be re-encrypted: {n} ({scope})",
            "  re-encrypted: {n} ({scope})",
            n=len(found.rewrapped),
            scope=ctx.word(found.scope),
        )
        for name, why in found.left.items():
            ctx.tell("  not changed: {id}: {why}", id=name, why=ctx.translate(why), style="yellow")


@command(
    argument("names", type=ID, nargs=-1),
    option("--layer", type=Choice(LAYERS), help="Everything in this layer."),
    flag("--all", "every", help="Everything that can be encrypted."),
    flag("--yes", help="Do not ask (for --layer and --all)."),
    scope=True,
    dry_run=True,
    example="recollect key encrypt salary-talks\nrecollect key encrypt --layer reference --dry-run",
)
def encrypt_command(
    ctx: CommandContext, names: tuple[str, ...], layer: str, every: bool, yes: bool
) -> None:
    """Encrypt memories; without arguments, finish an interrupted encryption.

    Each gets a random name, and its text is removed from the journal, the index and the views;
    only `recollect key decrypt` reverts it. Agents no longer see it: a person finds it with
    `recollect search --encrypted` and reads it with `recollect show`. Run `recollect key init`
    first.
    """
    if sum(map(bool, (names, layer, every))) > 1:
        raise ctx.usage_error("Name the memories, or a layer, or --all.")
    if layer or every:
        ids = encrypt.names_in(ctx.app, layer, ctx.scope)
        if ids and not (yes or ctx.dry_run):
            question = ctx.say("Encrypt {n} memories?", n=len(ids))
            ctx.confirm(question, "That affects many memories: add --yes, or try --dry-run.")
        _encrypt_many(ctx, tuple(ids))
    elif not names:
        _finish(ctx)
    elif len(names) == 1:
        _encrypt_one(ctx, names[0])
    else:
        _encrypt_many(ctx, names)


def _encrypt_one(ctx: CommandContext, name: str) -> None:
    done = encrypt.encrypt(ctx.app, name, dry_run=ctx.dry_run)
    ctx.answer(done.as_json())
    _show_encrypted(ctx, done.turned)
    if not ctx.dry_run:
        ctx.hint("  {path}", path=done.path)
        _show_copies(ctx, done.left)


def _encrypt_many(ctx: CommandContext, names: tuple[str, ...]) -> None:
    found = encrypt.encrypt_many(ctx.app, names, dry_run=ctx.dry_run)
    ctx.answer(found.as_json())
    if not found.done and not found.plain:
        ctx.tell("There is nothing to encrypt.")
    for turned in found.done:
        _show_encrypted(ctx, turned)
    for name, why in found.plain.items():
        ctx.hint("  not changed: {id}: {why}", id=name, why=ctx.translate(why))
    if found.done and not ctx.dry_run:
        _show_copies(ctx, found.left)


def _show_encrypted(ctx: CommandContext, turned: ConvertedMemory) -> None:
    ctx.tell_change(
        "Would encrypt {id}", "Encrypted {id}; its id is now {new}", id=turned.old_id, new=turned.id
    )


def _show_copies(ctx: CommandContext, copies: list[Copy]) -> None:
    journals = f"{os.sep}journal{os.sep}"
    if any(journals in one.path for one in copies):
        ctx.tell(
            "Its old text was removed from the store, the index and the views. The journal still mentions it, in old texts of other files."
        )
    else:
        ctx.tell("Its old text was removed from the store, the journal, the index and the views.")
    if copies:
        ctx.tell("Remaining places with its text or name:")
    ctx.tell_copies(copies)


def _finish(ctx: CommandContext) -> None:
    """Finish an encryption that was interrupted."""
    if ctx.dry_run:
        raise ctx.usage_error("Name the memory.")
    ids = [name for store in ctx.app.stores() for name in store.hidden]  # as they were opened
    ctx.answer({"finished": ids})
    if not ids:
        ctx.tell("No interrupted encryption found; name the memory to encrypt.")
    for name in ids:
        ctx.tell("The plain text of {id} was removed from the journal.", id=name)


@command(
    argument("name", type=ID),
    dry_run=True,
    example="recollect key decrypt sealed-3f9a01c2d4",
)
def decrypt_command(ctx: CommandContext, name: str) -> None:
    """Decrypt a memory and restore its old name."""
    done = encrypt.decrypt(ctx.app, name, dry_run=ctx.dry_run)
    ctx.answer(done.as_json())
    turned = done.turned
    if ctx.dry_run:
        ctx.tell("Would decrypt {id}, to {path}", id=turned.old_id, path=done.path)
        return
    ctx.tell("Decrypted {id}; its id is now {new}", id=turned.old_id, new=turned.id)
    ctx.hint("  {path}", path=done.path)


@command(
    argument("path", type=PATH),
    example="recollect textconv .claude/memory/encrypted/sealed-3f9a01c2d4.md.age",
)
def textconv_command(ctx: CommandContext, path: str) -> None:
    """Print the plain text of an encrypted file, so that `git diff` can compare.

    Files that cannot be decrypted are printed unchanged. docs/encryption.md has the git
    settings, including the one that keeps git from caching the plain text.
    """
    text = encrypt.plain_text_of(ctx.app, path)
    ctx.answer({"text": text})
    ctx.console.block(text.rstrip("\n"))


@command(
    argument("base", type=PATH),
    argument("ours", type=PATH),
    argument("theirs", type=PATH),
    argument("path", required=False),
    example="recollect merge-driver base ours theirs semantic/use-postgres.md",
)
def merge_driver_command(ctx: CommandContext, base: str, ours: str, theirs: str, path: str) -> None:
    """Merge two changes of one memory, encrypted or plain, or of the settings and lists of a store, for `git merge`.

    `init` installs it. Fields are merged one by one, the text by lines; the result is in the second
    file. If both sides changed the same lines, both wordings stay, with a remark between them.
    What cannot be merged is left as it was, and git shows its usual conflict.
    """
    twice = encrypt.merge_files(ctx.app, base, ours, theirs, path)
    ctx.answer({"twice": twice})
    if twice:
        ctx.tell(
            "{path}: both sides changed the same lines; both wordings are kept: {n}",
            path=path or ours,
            n=twice,
        )
