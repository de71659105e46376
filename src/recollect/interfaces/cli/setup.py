"""Commands: init, uninstall, config, completion, doctor, mcp."""

from __future__ import annotations

import os
import shlex
import sys
from typing import TYPE_CHECKING, NoReturn

from recollect.features import settings
from recollect.interfaces.cli.console import width_of
from recollect.interfaces.cli.context import PHRASES, Door, command, complete_settings
from recollect.interfaces.cli.parsing import Choice, IntRange, argument, option
from recollect.ops import doctor as health
from recollect.ops import setup
from recollect.workspace import Finding, Group

if TYPE_CHECKING:
    from recollect.context.pointers import Skill
    from recollect.features.auto_memory import Applied
    from recollect.features.git_setup import InGit


CLIENTS = (*setup.CLIENTS, setup.ALL)


@command(
    "init",
    dry_run=True,
    example="recollect init --client claude\nrecollect init --client all\nrecollect init --skill\nrecollect init --scope global --lang zh",
)
@option(
    "--scope",
    type=Choice(["project", "global", "both"]),
    default=None,
    help="Which store to create; default: project inside a project, else global.",
)
@option(
    "--client",
    "clients",
    type=Choice(CLIENTS),
    multiple=True,
    help="Connect this client's hooks and tools; `all`: every client you use.",
)
@option("--lang", type=Choice(["en", "zh"]), default=None, help="Language of the store.")
@option(
    "--skill",
    "has_skill",
    is_flag=True,
    help="Also install the skill beside the store, with keywords of its memories.",
)
@option(
    "--auto-memory",
    type=Choice(settings.AUTO_MEMORY_MODES),
    default=None,
    help="Claude Code's own memory: kept beside this one, turned off, or kept in our folder.",
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
    """Create a store and connect clients to it.

    Running it again changes nothing. Clients' files keep everything that is not ours, with a
    backup beside each. With --skill every session loads up to 15 keywords from memories that
    you wrote or approved, kept up to date.
    """
    wish = setup.Wish(clients, lang or "", has_skill, auto_memory or "")
    done = setup.init(door.app, wish, scope=scope or "", dry_run=dry_run)
    door.lang = done.stores[0].lang

    def show() -> None:
        for made in done.stores:
            _show_store(door, made, lang or "", dry_run=dry_run)
        for one in done.git:
            _show_git(door, one, dry_run=dry_run)
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
        door.tell("Also installed, not connected: {clients}", clients=titles, style="dim")
        door.tell("  `recollect init {words}` connects them", words=words, style="dim")
    elif not done.clients and not any(setup.is_connected(door.app, n) for n in setup.CLIENTS):
        door.tell("Connect Claude Code with `recollect init --client claude`.", style="dim")


def _show_store(door: Door, made: setup.Made, lang: str, *, dry_run: bool) -> None:
    if not made.changed:
        door.tell(
            "The {scope} store {path} already exists", scope=door.word(made.scope), path=made.path
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


def _show_git(door: Door, one: InGit, *, dry_run: bool) -> None:
    """What was set up so that a committed store merges, and what a person has to take out."""
    if one.driver == "refused":
        door.tell("  git rejected the merge driver; memories merge as plain text", style="dim")
    elif one.driver == "installed" and not dry_run:
        door.tell("  git merges its memories by field and by line in this clone", style="dim")
    elif one.driver == "installed":
        door.tell("  would install the merge driver in this clone", style="dim")
    if one.tracked:
        door.tell(
            "  committed, but raw or generated on each machine: {paths}",
            paths=", ".join(one.tracked),
        )
        door.tell(
            "  to remove them from git and leave the files: `git -C {root} rm -r --cached -- {paths}`",
            root=one.root,
            paths=shlex.join(one.tracked),
        )


def _show_client(door: Door, client: setup.Connected, *, dry_run: bool) -> None:
    if not client.changed:
        door.tell("{client} is already connected: {path}", client=client.name, path=client.path)
    elif dry_run:
        door.tell("Would connect {client}: {path}", client=client.name, path=client.path)
    else:
        door.tell("Connected {client}: {path}", client=client.name, path=client.path)
    if client.backup and not dry_run:
        door.tell("  backup: {path}", path=client.backup, style="dim")


def _show_clients(door: Door, done: setup.Done, *, dry_run: bool) -> None:
    for name in dict.fromkeys(client.name for client in done.clients):
        files = [client for client in done.clients if client.name == name]
        for client in files:
            _show_client(door, client, dry_run=dry_run)
        if any(client.changed for client in files) and not dry_run:
            door.tell("  takes effect in new sessions", style="dim")
            if setup.CLIENTS[name].asks:
                door.tell("  {what}", what=door.translate(setup.CLIENTS[name].asks), style="dim")
            if setup.CLIENTS[name].tools:
                door.tell(
                    "  its agent's tools, if you want them too: `{command}`",
                    command=setup.tools_command(name),
                    style="dim",
                )


def _show_auto_memory(door: Door, done: Applied, *, dry_run: bool) -> None:
    if not done.changed:
        door.tell("Auto memory: {mode}; the client's settings are unchanged", mode=done.mode)
    elif dry_run:
        door.tell("Would set auto memory to {mode} in {path}", mode=done.mode, path=done.path)
    else:
        door.tell("Auto memory: {mode}, in {path}", mode=done.mode, path=done.path)
    if done.folder:
        door.tell("  the client keeps its notes in {path}", path=done.folder, style="dim")


def _show_skill(door: Door, skill: Skill, *, dry_run: bool) -> None:
    if skill.what == "theirs":
        door.tell("{path} has no place for keywords; it was not changed", path=skill.path)
        return
    if skill.what == "unchanged":
        door.tell("The skill {path} already exists", path=skill.path)
    elif dry_run:
        door.tell("Would write the skill {path}", path=skill.path)
    else:
        door.tell("Wrote the skill {path}", path=skill.path)
    if skill.keywords:
        door.tell("  keywords: {words}", words=", ".join(skill.keywords), style="dim")
    if skill.is_other:
        door.tell(
            "  its other lines differ from this version; delete it and run this again to update them",
            style="dim",
        )


@command("uninstall", dry_run=True, example="recollect uninstall --client claude")
@option(
    "--client",
    "clients",
    type=Choice(CLIENTS),
    multiple=True,
    help="Which client (default: all).",
)
def uninstall_command(door: Door, clients: tuple[str, ...], dry_run: bool) -> None:
    """Remove our entries from the clients' files; memories stay."""
    done = setup.uninstall(door.app, clients, dry_run=dry_run)

    def show() -> None:
        if not done:
            door.tell("No client is connected.")
        for client in done:
            if client.name == "git":
                _show_driver_out(door, client, dry_run=dry_run)
            elif not client.changed:
                door.tell("{path} has no hooks of ours", path=client.path)
            elif dry_run:
                door.tell("Would remove our hooks from {path}", path=client.path)
            else:
                door.tell("Removed our hooks from {path}", path=client.path)
        if dry_run:
            door.tell("Nothing was changed (--dry-run).", style="dim")
        else:
            door.tell("Your memories were not touched.", style="dim")

    door.answer([c.as_json() for c in done], show)


def _show_driver_out(door: Door, one: setup.Connected, *, dry_run: bool) -> None:
    if dry_run:
        door.tell("Would remove our merge driver from the repository of {path}", path=one.path)
    else:
        door.tell("Removed our merge driver from the repository of {path}", path=one.path)


@command(
    "config",
    scope=True,
    dry_run=True,
    example="recollect config\nrecollect config lang zh\nrecollect config --unset recall.prompt_tokens",
)
@argument("key", required=False, shell_complete=complete_settings)
@argument("value", required=False)
@option("--unset", is_flag=True, help="Restore the default.")
def config_command(
    door: Door, key: str | None, value: str | None, unset: bool, scope: str | None, dry_run: bool
) -> None:
    """Read or change settings.

    Without arguments it lists all settings; with a name it shows one; with a value it sets it
    in the store's config.toml and keeps the comments.
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
        door.tell("{key} is already {value}; nothing was changed.", **fields)
    elif dry_run:
        door.tell("Would change {key} to {value} in {path}", **fields)
    else:
        door.tell("Set {key} to {value} in {path}", **fields)
    if done.client:
        _show_auto_memory(door, done.client, dry_run=dry_run)
    for client in done.connected:
        _show_client(door, client, dry_run=dry_run)


@command(
    "completion",
    example='eval "$(recollect completion bash)"       # in ~/.bashrc\n'
    "recollect completion fish > ~/.config/fish/completions/recollect.fish",
)
@argument("shell", type=Choice(["bash", "zsh", "fish"]))
def completion_command(door: Door, shell: str) -> None:
    """Print a shell script that completes commands, options and ids."""
    from recollect.interfaces.cli.help import completion_script

    script = completion_script(shell)
    door.answer({"shell": shell, "script": script}, lambda: door.paper.block(script))


# -------------------- Command line: doctor.


MARKS = {
    "ok": ("green", "✓"),
    "note": ("dim", "·"),
    "problem": ("yellow", "!"),
    "mended": ("green", "+"),
}


@command(
    "doctor",
    dry_run=True,
    example="recollect doctor\nrecollect doctor --repair\nrecollect doctor --secrets",
)
@option("--repair", is_flag=True, help="Fix what can be fixed; no memory is ever removed.")
@option(
    "--secrets",
    is_flag=True,
    help="Only search everything stored for secrets, possible ones included.",
)
def doctor_command(door: Door, repair: bool, secrets: bool, dry_run: bool) -> None:
    """Check the installation; changes nothing without --repair.

    Exits with 0 if all is well, 1 if something needs attention.
    """
    if secrets:
        if repair:
            raise door.refusal("--secrets only searches: a person has to remove a secret.")
        from recollect.features import purge as leaks  # seldom needed

        report = leaks.examine(door.app)
    else:
        report = health.examine(door.app, repair=repair and not dry_run)
    door.said += door.app.setting_problems()

    def show() -> None:
        for group in report.groups:
            _show_group(door, group)
        if report.problems == 1:
            door.tell("One thing needs attention.", style="bold")
        elif report.problems:
            door.tell("{n} things need attention.", n=report.problems, style="bold")
        else:
            door.tell("All is well.", style="bold")

    door.answer(health.as_json(report), show)
    if report.problems:
        sys.exit(1)


def _show_group(door: Door, group: Group) -> None:
    if group.scope:
        door.paper.line(("bold", f"{door.word(group.scope)}  "), ("dim", group.root))
    names = [door.word(finding.about) for finding in group.findings]
    # Paths are longer than the names of parts; they do not move the column.
    width = max((width_of(name) for name in names if "/" not in name), default=0)
    for name, finding in zip(names, group.findings, strict=True):
        gap = " " * max(0, width - width_of(name))
        door.paper.line(MARKS[finding.state], f" {name}{gap}  {_sentence_of(door, finding)}")


def _sentence_of(door: Door, finding: Finding) -> str:
    fields = {
        key: door.translate(value) if key in PHRASES and isinstance(value, str) else value
        for key, value in finding.fields.items()
    }
    return door.say(finding.sentence, **fields)


# -------------------- Command line: mcp.


PORT = 8741


@command(
    "mcp",
    example="recollect mcp --read-only\nrecollect mcp --json\nrecollect mcp --http --port 9000",
)
@option("--read-only", is_flag=True, help="Offer only tools that read.")
@option(
    "--http",
    "over_http",
    is_flag=True,
    help="Serve over HTTP, to local clients with the token.",
)
@option(
    "--port",
    type=IntRange(0, 65535),
    default=None,
    help=f"With --http: the port (default {PORT}; 0: any free one).",
)
def mcp_command(door: Door, read_only: bool, over_http: bool, port: int | None) -> None:
    """Serve the memory to an agent, over stdin and stdout (MCP).

    Clients start and stop it automatically; docs/mcp.md describes how to connect each. With
    --http it serves clients that cannot start programs, until Ctrl-C. With --json it only
    prints the entry for a client's configuration.
    """
    folder = door.folder
    if over_http:
        _over_http(door, folder, PORT if port is None else port, read_only=read_only)
        return
    if port is not None:
        raise door.refusal("--port needs --http.")
    if door.as_json:
        door.paper.json(_entry(folder, read_only))
        return
    if sys.stdin.isatty():
        door.paper.complain(
            door.say("An agent's client starts this and talks to it on stdin; Ctrl-D stops it.")
        )
    _serve(folder, read_only)


def _serve(folder: str | None, read_only: bool) -> NoReturn:
    from recollect.interfaces.mcp.server import serve

    serve(folder, read_only=read_only)


def _entry(folder: str | None, read_only: bool) -> dict[str, object]:
    """What most clients want in their configuration: absolute, and out of reach of the project."""
    from recollect.ops.setup import program_paths

    python, hook = program_paths()
    args = ["-I", os.path.join(os.path.dirname(hook), "__main__.py")]
    args += ["-C", os.path.abspath(folder)] if folder else []
    args += ["mcp", *(["--read-only"] if read_only else [])]
    return {"mcpServers": {"recollect": {"command": python, "args": args}}}


def _over_http(door: Door, folder: str | None, port: int, *, read_only: bool) -> None:
    from recollect.ops.setup import http_token, token_path

    if door.as_json and not port:
        raise door.refusal("Give the port for the entry: 0 means a different one each time.")
    token = http_token(door.app)
    if door.as_json:
        url = f"http://127.0.0.1:{port}/mcp"
        headers = {"Authorization": f"Bearer {token}"}
        entry = {"type": "http", "url": url, "headers": headers}
        door.paper.json({"mcpServers": {"recollect": entry}})
        return
    from recollect.interfaces.mcp.http import Server

    server = Server(port, token, folder, read_only=read_only)
    door.tell("Serving the memory at {url}; Ctrl-C stops it.", url=server.url)
    door.tell(
        "  clients need the token in {path}; `recollect mcp --http --json` prints their entry",
        path=token_path(door.app),
        style="dim",
    )
    sys.stdout.flush()
    server.serve()
