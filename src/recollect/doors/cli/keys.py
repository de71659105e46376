"""Command line: the keys that are encrypted for."""

from __future__ import annotations

import sys

import click

from recollect.app import keys
from recollect.app.keys import Changed, Made, State, Wish
from recollect.doors.cli.door import Door, command
from recollect.doors.cli.helping import FilePath, option

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
    words = str(
        click.prompt(
            door.say("New passphrase"), hide_input=True, confirmation_prompt=True, err=True
        )
    )
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
@click.argument("key", metavar="PUBLIC-KEY")
@option("--name", required=True, help="What to call it.")
def key_add_command(door: Door, key: str, name: str, dry_run: bool) -> None:
    """Encrypt for one more key: that of another machine of yours, or of somebody who may read all.

    What is encrypted already, in the stores at hand, is encrypted anew.
    """
    _show_changed(door, keys.add(door.app, key, name, dry_run=dry_run), dry_run=dry_run)


@command("key-remove", dry_run=True, example="recollect key-remove laptop")
@click.argument("name", metavar="NAME|PUBLIC-KEY")
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
                    "  left as it is: {id}: {why}", id=name, why=door.heard(why), style="yellow"
                )

    door.answer(done.as_json(), show)
