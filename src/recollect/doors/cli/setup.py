"""Command line: init, uninstall, config, completion."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from recollect.app import settings, setup
from recollect.doors.cli.door import Door, command
from recollect.doors.cli.helping import option
from recollect.doors.cli.ids import complete_settings

if TYPE_CHECKING:
    from recollect.app.automemory import Applied
    from recollect.app.keywords import Skill

CLIENTS = (*setup.CLIENTS, setup.ALL)


@command(
    "init",
    dry_run=True,
    example="recollect init --client claude\nrecollect init --client all\nrecollect init --skill\nrecollect init --scope global --lang zh",
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
    help="Connect this client: its hooks, and its tools; `all` those that you use.",
)
@option("--lang", type=click.Choice(["en", "zh"]), default=None, help="Language of the store.")
@option(
    "--skill",
    "has_skill",
    is_flag=True,
    help="Put the skill beside the store too, with the keywords of its memories in it.",
)
@option(
    "--auto-memory",
    type=click.Choice(settings.AUTO_MEMORY_MODES),
    default=None,
    help="Claude Code's own memory: kept beside this one, switched off, or kept in a folder of ours.",
)
def init_command(
    door: Door,
    scope: str | None,
    clients: tuple[str, ...],
    lang: str | None,
    auto_memory: str | None,
    *,
    has_skill: bool,
    dry_run: bool,
) -> None:
    """Make a store and connect clients to it.

    Making what is there already changes nothing. A client's files keep every byte that is not
    ours, and a copy of each is left beside it. With --skill every session loads up to 15
    keywords of memories that you made or approved; they are kept up to date.
    """
    wish = setup.Wish(clients, lang or "", has_skill, auto_memory or "")
    done = setup.init(door.app, wish, scope=scope or "", dry_run=dry_run)
    door.lang = done.stores[0].lang

    def show() -> None:
        for made in done.stores:
            _show_store(door, made, lang or "", dry_run=dry_run)
        _show_clients(door, done, dry_run=dry_run)
        if done.auto_memory:
            _show_auto_memory(door, done.auto_memory, dry_run=dry_run)
        for skill in done.skills:
            _show_skill(door, skill, dry_run=dry_run)
        if dry_run:
            door.tell("Nothing was changed (--dry-run).", style="dim")
        else:
            _show_offers(door, done)

    door.answer(done.as_json(), show)


def _show_offers(door: Door, done: setup.Done) -> None:
    """Name the clients that are here and not connected."""
    words = " ".join(f"--client {name}" for name in done.offered)
    if done.offered:
        titles = ", ".join(setup.CLIENTS[name].title for name in done.offered)
        door.tell("Here too, not connected: {clients}", clients=titles, style="dim")
        door.tell("  `recollect init {words}` connects them", words=words, style="dim")
    elif not done.clients and not any(setup.is_connected(door.app, n) for n in setup.CLIENTS):
        door.tell("Connect Claude Code with `recollect init --client claude`.", style="dim")


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
    if client.backup and not dry_run:
        door.tell("  the file as it was: {path}", path=client.backup, style="dim")


def _show_clients(door: Door, done: setup.Done, *, dry_run: bool) -> None:
    for name in dict.fromkeys(client.name for client in done.clients):
        files = [client for client in done.clients if client.name == name]
        for client in files:
            _show_client(door, client, dry_run=dry_run)
        if any(client.changed for client in files) and not dry_run:
            door.tell("  sessions that start from now on use it", style="dim")
            if setup.CLIENTS[name].asks:
                door.tell("  {what}", what=door.heard(setup.CLIENTS[name].asks), style="dim")
            if setup.CLIENTS[name].tools:
                door.tell(
                    "  its agent's tools, if you want them too: `{command}`",
                    command=setup.tools_command(name),
                    style="dim",
                )


def _show_auto_memory(door: Door, done: Applied, *, dry_run: bool) -> None:
    if not done.changed:
        door.tell("Auto memory: {mode}; the client's settings stay as they are", mode=done.mode)
    elif dry_run:
        door.tell("Would set auto memory to {mode} in {path}", mode=done.mode, path=done.path)
    else:
        door.tell("Auto memory: {mode}, in {path}", mode=done.mode, path=done.path)
    if done.folder:
        door.tell("  the client keeps its notes in {path}", path=done.folder, style="dim")


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
    """Take what is ours out of the files of clients; memories stay where they are."""
    done = setup.uninstall(door.app, clients, dry_run=dry_run)

    def show() -> None:
        if not done:
            door.tell("No client is connected.")
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
        door.answer(done.as_json(), lambda: _show_changed(door, done, dry_run=dry_run))


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
    if done.client:
        _show_auto_memory(door, done.client, dry_run=dry_run)


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
    one = made(recollect, {}, "recollect", "_RECOLLECT_COMPLETE")
    script = one.source_template % one.source_vars()  # `source()` would ask a shell for its version
    door.answer({"shell": shell, "script": script}, lambda: click.echo(script))
