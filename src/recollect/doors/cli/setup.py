"""Command line: init, uninstall, config, completion."""

from __future__ import annotations

import os
import sys

import click

from recollect.app import setup
from recollect.doors.cli.door import Door, command
from recollect.errors import UsageProblem

CLIENTS = ("claude",)


@command(
    "init",
    dry_run=True,
    example="recollect init --client claude\nrecollect init --scope global --lang zh",
)
@click.option(
    "--scope",
    type=click.Choice(["project", "global", "both"]),
    default=None,
    help="Where to make a store; in a project by default, and for all projects outside of one.",
)
@click.option(
    "--client",
    "clients",
    type=click.Choice(CLIENTS),
    multiple=True,
    help="Connect this client's hooks.",
)
@click.option(
    "--lang", type=click.Choice(["en", "zh"]), default=None, help="Language of the store."
)
def init_command(
    door: Door, scope: str | None, clients: tuple[str, ...], lang: str | None, dry_run: bool
) -> None:
    """Make a store and connect a client to it.

    Making what is there already changes nothing. A client's settings keep every byte that is not
    ours, and a copy of them is left beside the file.
    """
    done = setup.init(
        door.app,
        scope=scope or "",
        clients=clients,
        lang=lang or door.app.terminal_lang,
        dry_run=dry_run,
    )
    door.lang = lang or door.app.lang

    def show() -> None:
        for made in done.stores:
            sentence = (
                "Made the {scope} store {path}"
                if made.changed
                else "The {scope} store {path} is there already"
            )
            door.tell(sentence, scope=made.scope, path=made.path)
        for client in done.clients:
            sentence = (
                "Connected {client}: {path}"
                if client.changed
                else "{client} is connected already: {path}"
            )
            door.tell(sentence, client=client.name, path=client.path)
            if client.backup:
                door.tell("  the file as it was: {path}", path=client.backup, style="dim")
        if dry_run:
            door.tell("Nothing was changed (--dry-run).", style="dim")
        elif not clients:
            door.tell("Connect Claude Code with `recollect init --client claude`.", style="dim")

    door.answer(done.as_json(), show)


@command("uninstall", dry_run=True, example="recollect uninstall --client claude")
@click.option(
    "--client",
    "clients",
    type=click.Choice(CLIENTS),
    multiple=True,
    help="Which client; all by default.",
)
def uninstall_command(door: Door, clients: tuple[str, ...], dry_run: bool) -> None:
    """Take our hooks out of a client's settings; memories stay where they are."""
    done = setup.uninstall(door.app, clients or CLIENTS, dry_run=dry_run)

    def show() -> None:
        for client in done:
            sentence = (
                "Took our hooks out of {path}"
                if client.changed
                else "There are no hooks of ours in {path}"
            )
            door.tell(sentence, path=client.path)
        if dry_run:
            door.tell("Nothing was changed (--dry-run).", style="dim")
        else:
            door.tell("Your memories were not touched.", style="dim")

    door.answer([c.as_json() for c in done], show)


@command(
    "config",
    scope=True,
    dry_run=True,
    example="recollect config\nrecollect config lang zh\nrecollect config --unset recall.prompt_tokens",
)
@click.argument("key", required=False)
@click.argument("value", required=False)
@click.option("--unset", is_flag=True, help="Go back to the default.")
def config_command(
    door: Door, key: str | None, value: str | None, unset: bool, scope: str | None, dry_run: bool
) -> None:
    """Read or change settings.

    Without words it lists every setting; with a name it shows that one; with a value it sets it
    in the store's config.toml, whose comments stay.
    """
    if key is None:
        rows = setup.list_settings(door.app)
        door.answer(
            [r._asdict() for r in rows],
            lambda: door.paper.table(
                [door.say("setting"), door.say("value"), door.say("takes"), door.say("what for")],
                [(r.key, str(r.value), r.takes, door.say(r.about)) for r in rows],
            ),
        )
        return
    if value is None and not unset:
        row = setup.find_setting(door.app, key)
        door.answer(row._asdict(), lambda: door.paper.line(str(row.value)))
        return
    if value is not None and unset:
        raise UsageProblem(what="Give a value or --unset, not both.", command="config")
    path = setup.change_setting(
        door.app, key, None if unset else value, scope=scope or "", dry_run=dry_run
    )
    door.answer(
        {"key": key, "value": value, "path": path},
        lambda: door.tell("Set {key} in {path}", key=key, path=path),
    )


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion_command(shell: str) -> None:
    r"""Print a script that completes commands, options and ids.

    \b
    Example:
      eval "$(recollect completion bash)"
    """
    from click.shell_completion import get_completion_class

    from recollect.doors.cli.program import recollect

    made = get_completion_class(shell)
    if made is None:
        sys.exit(2)
    os.environ.setdefault("_RECOLLECT_COMPLETE", "")
    click.echo(made(recollect, {}, "recollect", "_RECOLLECT_COMPLETE").source())
