"""Command line: init, uninstall, config, completion."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from recollect.app import settings, setup
from recollect.doors.cli.door import Door, command
from recollect.doors.cli.helping import option
from recollect.doors.cli.ids import complete_settings

if TYPE_CHECKING:
    from recollect.app.keywords import Skill

CLIENTS = ("claude",)


@command(
    "init",
    dry_run=True,
    example="recollect init --client claude\nrecollect init --skill\nrecollect init --scope global --lang zh",
)
@option(
    "--scope",
    type=click.Choice(["project", "global", "both"]),
    default=None,
    help="Where to make a store; in a project by default, and for all projects outside of one.",
)
@option(
    "--client",
    "clients",
    type=click.Choice(CLIENTS),
    multiple=True,
    help="Connect this client's hooks.",
)
@option("--lang", type=click.Choice(["en", "zh"]), default=None, help="Language of the store.")
@option(
    "--skill",
    "has_skill",
    is_flag=True,
    help="Put the skill beside the store too, with the keywords of its memories in it.",
)
def init_command(
    door: Door,
    scope: str | None,
    clients: tuple[str, ...],
    lang: str | None,
    *,
    has_skill: bool,
    dry_run: bool,
) -> None:
    """Make a store and connect a client to it.

    Making what is there already changes nothing. A client's settings keep every byte that is not
    ours, and a copy of them is left beside the file. With --skill every session loads up to 15
    keywords of memories that you made or approved; they are kept up to date.
    """
    wish = setup.Wish(clients, lang or "", has_skill)
    done = setup.init(door.app, wish, scope=scope or "", dry_run=dry_run)
    door.lang = done.stores[0].lang

    def show() -> None:
        for made in done.stores:
            _show_store(door, made, lang or "", dry_run=dry_run)
        for client in done.clients:
            _show_client(door, client, dry_run=dry_run)
        for skill in done.skills:
            _show_skill(door, skill, dry_run=dry_run)
        if dry_run:
            door.tell("Nothing was changed (--dry-run).", style="dim")
        elif not clients and not setup.is_connected(door.app):
            door.tell("Connect Claude Code with `recollect init --client claude`.", style="dim")

    door.answer(done.as_json(), show)


def _show_store(door: Door, made: setup.Made, lang: str, *, dry_run: bool) -> None:
    if not made.changed:
        door.tell(
            "The {scope} store {path} is there already", scope=door.word(made.scope), path=made.path
        )
    elif dry_run:
        door.tell(
            "Would make the {scope} store {path}", scope=door.word(made.scope), path=made.path
        )
    else:
        door.tell("Made the {scope} store {path}", scope=door.word(made.scope), path=made.path)
    if lang and made.lang != lang:
        door.tell(
            "  its language stays {old}; `recollect config lang {new} --scope {scope}` changes it",
            old=made.lang,
            new=lang,
            scope=made.scope,
            style="dim",
        )


def _show_client(door: Door, client: setup.Connected, *, dry_run: bool) -> None:
    if not client.changed:
        door.tell("{client} is connected already: {path}", client=client.name, path=client.path)
    elif dry_run:
        door.tell("Would connect {client}: {path}", client=client.name, path=client.path)
    else:
        door.tell("Connected {client}: {path}", client=client.name, path=client.path)
        door.tell("  sessions that start from now on use it", style="dim")
    if client.backup and not dry_run:
        door.tell("  the file as it was: {path}", path=client.backup, style="dim")


def _show_skill(door: Door, skill: Skill, *, dry_run: bool) -> None:
    if skill.what == "theirs":
        door.tell("{path} has no place for keywords; it stays as it is", path=skill.path)
        return
    if skill.what == "unchanged":
        door.tell("The skill {path} is there already", path=skill.path)
    elif dry_run:
        door.tell("Would write the skill {path}", path=skill.path)
    else:
        door.tell("Wrote the skill {path}", path=skill.path)
    if skill.keywords:
        door.tell("  keywords: {words}", words=", ".join(skill.keywords), style="dim")
    if skill.is_other:
        door.tell(
            "  its other lines differ from this version's; delete it and run this again to have them",
            style="dim",
        )


@command("uninstall", dry_run=True, example="recollect uninstall --client claude")
@option(
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
            if not client.changed:
                door.tell("There are no hooks of ours in {path}", path=client.path)
            elif dry_run:
                door.tell("Would take our hooks out of {path}", path=client.path)
            else:
                door.tell("Took our hooks out of {path}", path=client.path)
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
@click.argument("key", required=False, shell_complete=complete_settings)
@click.argument("value", required=False)
@option("--unset", is_flag=True, help="Go back to the default.")
def config_command(
    door: Door, key: str | None, value: str | None, unset: bool, scope: str | None, dry_run: bool
) -> None:
    """Read or change settings.

    Without words it lists every setting; with a name it shows that one; with a value it sets it
    in the store's config.toml, whose comments stay.
    """
    if unset and (key is None or value is not None):
        raise door.refusal("Name a setting, and give a value or --unset, not both.")
    if key is None:
        _list_settings(door)
    elif value is None and not unset:
        row = settings.find_setting(door.app, key)
        door.answer(row._asdict(), lambda: door.paper.line(settings.shown(row.value)))
    else:
        done = settings.change_setting(
            door.app, key, None if unset else value, scope=scope or "", dry_run=dry_run
        )
        if not dry_run:
            door.lang = door.app.lang
        door.answer(done._asdict(), lambda: _show_changed(door, done, dry_run=dry_run))


def _list_settings(door: Door) -> None:
    rows = settings.list_settings(door.app)
    heads = door.heads("setting", "value", "takes", "set in", "what for")
    door.answer(
        [row._asdict() for row in rows],
        lambda: door.paper.table(
            heads,
            [
                (r.key, settings.shown(r.value), r.takes, door.word(r.set_in), door.word(r.about))
                for r in rows
            ],
            spare=[3, 2],
        ),
    )


def _show_changed(door: Door, done: settings.Changed, *, dry_run: bool) -> None:
    fields = {"key": done.key, "value": settings.shown(done.value), "path": done.path}
    if not done.changed:
        door.tell("{key} is {value} already; nothing was changed.", **fields)
    elif dry_run:
        door.tell("Would change {key} to {value} in {path}", **fields)
    else:
        door.tell("{key} is {value} now, in {path}", **fields)


@command(
    "completion",
    example='eval "$(recollect completion bash)"       # in ~/.bashrc\n'
    "recollect completion fish > ~/.config/fish/completions/recollect.fish",
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion_command(door: Door, shell: str) -> None:
    """Print a script that completes commands, options and ids in a shell."""
    from click.shell_completion import get_completion_class

    from recollect.doors.cli.program import recollect

    made = get_completion_class(shell)
    if made is None:  # click has no such shell, whatever our list says
        raise door.refusal(f"There is no completion for {shell}.")
    script = made(recollect, {}, "recollect", "_RECOLLECT_COMPLETE").source()
    door.answer({"shell": shell, "script": script}, lambda: click.echo(script))
