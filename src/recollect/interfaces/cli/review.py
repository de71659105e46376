"""Commands: review, merge, supersede, promote, pin, unpin."""

from __future__ import annotations

from typing import Any

from recollect.consolidate.rulings import decide
from recollect.context.pointers import Pointer, wanted
from recollect.context.views import number_of
from recollect.features import (
    entry_merge,
    foreign_settings,
    lifecycle,
    merge,
    pins,
    repository,
    review,
)
from recollect.features.merge import MergeProposal
from recollect.features.pins import Pinned, Promoted, ScopeEstimate
from recollect.interfaces.cli.command import SCOPES, CommandContext, comma_list, command
from recollect.interfaces.cli.console import shown_title
from recollect.interfaces.cli.parsing import ID, Choice, argument, flag, option
from recollect.model.memory import TRUSTS

LOWER_TRUSTS = tuple(trust for trust in TRUSTS if trust != "user")


@command(
    option("--approve", type=ID, multiple=True, help="Trust it like your own words."),
    option("--reject", type=ID, multiple=True, help="Remove it from the store."),
    flag("--approve-all", help="Approve everything listed."),
    flag("--reject-all", help="Remove everything listed."),
    option(
        "--trust",
        type=Choice(LOWER_TRUSTS),
        default="agent",
        help="Only memories at or below this trust level.",
    ),
    flag("--episodes", help="List session memories too."),
    option("--session", metavar="ID", help="Only what came from this session."),
    option(
        "--repository",
        type=Choice(["accept", "refuse"]),
        help="Trust the store of this repository like your own words, or stop doing so.",
    ),
    option("--page", metavar="URL", help="Only what came from sessions that read this page."),
    scope=True,
    dry_run=True,
    example="recollect review\nrecollect review --approve use-postgres-for-events\n"
    "recollect review --reject feedback#solution-npm-test --reject d007-use-mysql",
)
def review_command(
    ctx: CommandContext, approve: tuple[str, ...], reject: tuple[str, ...], **given: Any
) -> None:
    """List what no person has approved; approve or reject it.

    Text from agents, tools and pages gets into core files, pointers and skills only after you
    approve it. The exception is a new core file that an agent writes itself: briefs have it, marked
    as an agent's, until you decide. `recollect undo` reverts a decision; `recollect forget --from-session ID`
    removes everything that came from a session.

    A store that came with a clone or an archive counts as external until you accept it on this
    machine with --repository accept. With `review.pulls = listed`, later pulls are listed here
    too.
    """
    if given["repository"]:
        _decide_repository(ctx, accept=given["repository"] == "accept")
        return
    if sum(map(bool, (approve or reject, given["approve_all"], given["reject_all"]))) > 1:
        raise ctx.usage_error("Name the entries, or give --approve-all or --reject-all.")
    if set(approve) & set(reject):
        raise ctx.usage_error("The same memory cannot be approved and rejected.")
    if not (approve or reject):
        rows = review.waiting_everywhere(
            ctx.app,
            scope=ctx.scope,
            trust="user" if given["session"] or given["page"] else given["trust"],
            **{name: given[name] for name in ("episodes", "session", "page")},
        )
        names = tuple(row.name for row in rows)
        if not names or not (given["approve_all"] or given["reject_all"]):
            ctx.answer(rows)
            _show_waiting(ctx, rows)
            return
        approve, reject = (names, ()) if given["approve_all"] else ((), names)
    _decide(ctx, approve, reject)


def _decide_repository(ctx: CommandContext, *, accept: bool) -> None:
    waiting = foreign_settings.unaccepted_settings(ctx.app) if accept else ()
    root, count = repository.decide_trust(ctx.app, accept=accept, dry_run=ctx.dry_run)
    ctx.answer({"store": root, "accepted": accept, "memories": count})
    if not accept:
        ctx.tell_change(
            "Would stop telling agents what is in {path}.",
            "Agents are not told any more what is in {path}; `recollect search` finds it, as external.",
            path=root,
        )
    else:
        ctx.tell_change(
            "Would accept {n} memories in {path}.",
            "Accepted {n} memories in {path} as your own words on this machine.",
            n=count,
            path=root,
        )
        if waiting:
            ctx.tell_change(
                "Would accept its settings: {settings}",
                "Accepted its settings: {settings}",
                settings=", ".join(waiting),
            )


def _show_settings(ctx: CommandContext) -> bool:
    """Name the settings that came with the project; whether there are any."""
    waiting = foreign_settings.unaccepted_settings(ctx.app)
    if waiting:
        ctx.tell(
            "Settings that came with the project and do not count: {listed}. `recollect review --repository accept` accepts them together with its memories.",
            listed=", ".join(waiting),
        )
    return bool(waiting)


def _show_waiting(ctx: CommandContext, rows: list[review.PendingReview]) -> None:
    if ctx.as_json:
        return
    other = _show_elsewhere(ctx)
    if not rows:
        if not other:
            ctx.tell("Nothing to review.")
        return
    entries = review.entries_on(ctx.app, rows, scope=ctx.scope)
    for one in rows:
        about = " · ".join(
            filter(None, (*map(ctx.word, (one.kind, one.trust, one.source)), one.created[:10]))
        )
        ctx.console.prose(("bold", one.name), ("dim", f"  {about}"), hang=2)
        ctx.console.paragraph(shown_title(ctx.lang, one.title))
        if one.said and one.said != one.title and (one.scope, one.path) not in entries:
            ctx.console.paragraph(one.said, style="dim")
        for said in entries.get((one.scope, one.path), ()):
            ctx.console.paragraph(f"- {said}", style="dim")
    ctx.hint("Decide with `recollect review --approve ID` or `--reject ID`.")
    if unaccepted := repository.count_unaccepted(ctx.app, scope=ctx.scope):
        ctx.hint(
            "Came with the project: {n}, sessions included (`--episodes` lists them); `recollect review --repository accept` accepts all.",
            n=unaccepted,
        )


def _show_elsewhere(ctx: CommandContext) -> bool:
    """Say what waits that other commands settle; whether anything does."""
    places, unmerged = lifecycle.left_by_merges(ctx.app, scope=ctx.scope)
    if places:
        ctx.tell("Two wordings since a merge in git: {n} (`recollect conflicts`)", n=len(places))
    if unmerged:
        ctx.tell("Pages with conflict marks of git: {n} (`recollect conflicts`)", n=len(unmerged))
    disputed = len(lifecycle.conflicts(ctx.app, scope=ctx.scope))
    if disputed:
        ctx.tell("Contradictions to settle: {n} (`recollect conflicts`)", n=disputed)
    waiting = _show_settings(ctx)
    return bool(places or unmerged or disputed or waiting)


def _decide(ctx: CommandContext, approve: tuple[str, ...], reject: tuple[str, ...]) -> None:
    decided = {
        what: review.decide_reviews(ctx.app, names, approve=what == "approved", dry_run=ctx.dry_run)
        for what, names in (("approved", approve), ("rejected", reject))
        if names
    }
    ctx.answer(decided)
    changed = {effect.memory for effects in decided.values() for effect in effects}
    numbers = {number_of(memory_id) for memory_id in changed}
    for name in approve:
        page = name.partition("#")[0]
        if page in changed or page.lower() in numbers:
            ctx.tell_change("Would approve {id}", "Approved {id}", id=name, style="bold")
        else:
            ctx.tell("Already approved: {id}", id=name)
    for name in reject:
        ctx.tell_change("Would remove {id}", "Removed {id}", id=name, style="bold")
    if not ctx.dry_run and changed:
        ctx.hint("  `recollect undo` reverts it.")


DUPLICATES = {
    "title": "{id} and {other} have the same title",
    "alike": "{id} and {other} have similar titles",
    "claims": "{id} and {other} have {shared} statements in common",
}


def _dismiss(ctx: CommandContext, name: str, other: str, *, again: bool) -> None:
    """Dismiss the suggestion to merge two memories, or allow it again.

    Raises UsageProblem.
    """
    if not (name and other):
        raise ctx.usage_error("Name two memories.")
    store = ctx.app.store_of(name)
    is_new = decide(store, name, other, again=again, dry_run=ctx.dry_run)
    ctx.answer({"id": name, "other": other, "dismissed": not again, "changed": is_new})
    if again:
        ctx.tell("{id} and {other} may be suggested again.", id=name, other=other)
    else:
        ctx.tell("{id} and {other} will not be suggested again.", id=name, other=other)
    if is_new:
        ctx.tell_undo()
    else:
        ctx.tell_dry_run()


@command(
    argument("name", type=ID, metavar="[ID", required=False),
    argument("other", type=ID, metavar="OTHER]", required=False),
    flag("--dismiss", help="Do not suggest these two again."),
    flag("--again", help="Suggest them again."),
    scope=True,
    dry_run=True,
    example="recollect merge\nrecollect merge use-postgres use-postgresql --dry-run\n"
    "recollect merge use-postgres postgres-tips --dismiss\nrecollect merge k3f9 m2d7",
)
def merge_command(ctx: CommandContext, name: str, other: str, dismiss: bool, again: bool) -> None:
    """Merge two memories that say the same, or list candidates.

    ID stays and gains what only OTHER says; OTHER is archived unchanged, where `show` and
    `history` still find it by id. Of two entries of pages ID stays in its own words, with the
    footnotes of both, and OTHER goes. `recollect undo` reverts it.
    """
    if dismiss or again:
        _dismiss(ctx, name, other, again=again)
    elif name and other:
        _merge(ctx, name, other)
    elif name:
        raise ctx.usage_error("`merge` takes two memories, or none.")
    else:
        found = merge.merge_proposals(ctx.app, scope=ctx.scope)
        ctx.answer([{**pair._asdict(), "scope": scope} for scope, pair in found])
        _show_duplicates(ctx, [pair for _, pair in found])


def _merge(ctx: CommandContext, name: str, other: str) -> None:
    if "#" in name + other:
        done = entry_merge.merge_entries(ctx.app, name, other, dry_run=ctx.dry_run)
    else:
        done = merge.merge(ctx.app.store_of(name), name, other, dry_run=ctx.dry_run)
    ctx.answer({**done._asdict(), "other": other})
    if ctx.dry_run:
        ctx.console.block(done.text)
    else:
        ctx.tell("Merged {other} into {name}", name=done.id, other=other)
        if done.archived:
            ctx.hint("  {other} is archived in {path}", other=other, path=done.archived)
        for one in done.related:
            ctx.hint("  {memory} now refers to {name}", memory=one, name=done.id)
    ctx.tell_undo()


def _show_duplicates(ctx: CommandContext, pairs: list[MergeProposal]) -> None:
    if not pairs:
        ctx.tell("No duplicates found.")
        return
    for pair in pairs:
        ctx.tell(DUPLICATES[pair.why], **pair._asdict())
    ctx.hint("Merge two with `recollect merge ID OTHER`; --dismiss keeps them separate for good.")


@command(
    argument("old", type=ID, metavar="OLD"),
    argument("new", type=ID, metavar="NEW"),
    dry_run=True,
    example="recollect supersede d003-use-mysql d007-use-postgres\nrecollect supersede k3f9 m2d7",
)
def supersede_command(ctx: CommandContext, old: str, new: str) -> None:
    """Mark OLD as superseded by NEW.

    A memory stays where it is, with `status: superseded`: it is no longer recalled, but search
    finds it. An entry of a page goes; a rule stays as a comment below NEW. NEW gets what only OLD
    says of its subject. `recollect undo` reverts it.
    """
    done = lifecycle.supersede(ctx.app, old, new, dry_run=ctx.dry_run)
    said = {"text": done.text} if done.text else {}
    ctx.answer({"old": old, "new": new, "path": done.path, "changed": done.is_changed, **said})
    if not done.is_changed:
        ctx.tell("{new} already supersedes {old}; nothing was changed.", old=old, new=new)
    elif ctx.dry_run:
        ctx.tell("{new} would supersede {old}", old=old, new=new)
    else:
        ctx.tell("{new} now supersedes {old}", old=old, new=new)
    if done.text:
        ctx.hint("  it says then: {text}", text=done.text)
    if done.is_changed and not ctx.dry_run:
        ctx.tell_undo()


GENERALITY = {
    "said": "a person stated it",
    "work": "it says how to work",
    "habit": "it describes a habit",
    "folder": "it names the folder of this project",
    "name": "it names this project",
    "files": "it is about files of this project",
    "episode": "it describes a single event",
    "trust": "it comes from a tool or an external source",
}


@command(
    argument("name", type=ID, required=False),
    option("--to", type=Choice(["global"]), default="global", help="The target store."),
    dry_run=True,
    example="recollect promote use-postgres-for-events --to global\n"
    "recollect promote feedback#always-write-small-commits\nrecollect promote k3f9\n"
    "recollect promote",
)
def promote_command(ctx: CommandContext, name: str, to: str) -> None:
    """Move a memory to the global store; without ID, list candidates.

    The memory loses the files and session that belong to this project. An entry of a page moves
    alone: to the page of its subject there, with its date and source, or into the shared file of
    rules, solutions or pointers. `recollect undo` reverts it.
    """
    if not name:
        found = pins.worth_promoting(ctx.app)
        ctx.answer([one.as_json() for one in found])
        _show_candidates(ctx, found)
        return
    done = pins.promote(ctx.app, name, dry_run=ctx.dry_run)
    ctx.answer(done.as_json())
    ctx.tell_change(
        "Would move {id} to the global store: {path}",
        "Moved {id} to the global store: {path}",
        id=name,
        path=done.path,
        style="bold",
    )
    if done.unpinned:
        ctx.hint(
            "  its pointer goes from {path}; `recollect pin {id}` then points to it from all projects",
            path=done.unpinned,
            id=done.id,
        )
    _show_generality(ctx, done.decision)
    ctx.preview(done.text)


def _show_generality(ctx: CommandContext, decision: ScopeEstimate) -> None:
    ctx.hint("  generality: {n} of 1", n=f"{decision.generalizability:.2f}")
    for name in decision.reasons:
        ctx.console.prose(("dim", f"  + {_reason(ctx, name)}"))
    for name in decision.blockers:
        ctx.console.prose(("yellow", f"  - {_reason(ctx, name)}"))


def _reason(ctx: CommandContext, name: str) -> str:
    if name.startswith("kind:"):
        return ctx.say("its kind is {kind}", kind=ctx.word(name.removeprefix("kind:")))
    return ctx.say(GENERALITY[name])


def _show_candidates(ctx: CommandContext, found: list[Promoted]) -> None:
    rows = [
        (
            one.title,
            f"{one.decision.generalizability:.2f}",
            one.id,
            ctx.say("; ").join(_reason(ctx, name) for name in one.decision.reasons),
        )
        for one in found
    ]
    if rows:
        ctx.table(("title", "general", "memory", "why"), rows, wide=0, below=2)
    else:
        ctx.tell("No memory of this project seems to apply to all projects.")


@command(
    argument("name", type=ID, required=False),
    option("--brief", help="Use this text instead of the summary."),
    option("--when", help="Words that trigger it, separated by commas."),
    option("--test", "prompt", default=None, help="List the pointers that a prompt would trigger."),
    option("--scope", type=SCOPES, help="List only this store's."),
    dry_run=True,
    example="recollect pin use-postgres-for-events --when postgres,events,.sql\n"
    'recollect pin --test "add an index to the events table"',
)
def pin_command(ctx: CommandContext, name: str, brief: str, when: str, prompt: str | None) -> None:
    """Add a pointer to CLAUDE.md, which every session loads; without ID, list the pointers.

    A pointer is a few lines between two marks: what it is about, when to read it, and where.
    Nothing else in the file changes; `recollect unpin ID` removes it.
    """
    if not name:
        found = [pins.pinned_in(store) for store in ctx.app.stores(ctx.scope)]
        _list_pointers(ctx, found, prompt)
        return
    done = pins.pin(ctx.app, name, brief=brief, when=comma_list(when), dry_run=ctx.dry_run)
    ctx.answer(done.as_json(done.pointers))
    if ctx.dry_run:
        ctx.tell("Would add a pointer to {id} in {path}", id=name, path=done.path)
        ctx.preview(done.block)
    else:
        ctx.tell("Added a pointer to {id} in {path}", id=name, path=done.path, style="bold")
    _show_cost(ctx, done)


def _list_pointers(ctx: CommandContext, found: list[Pinned], prompt: str | None) -> None:
    matching: list[tuple[Pinned, list[Pointer]]] = [
        (row, row.pointers if prompt is None else wanted(row.pointers, prompt)) for row in found
    ]
    ctx.answer([row.as_json(pointers) for row, pointers in matching])
    for row, pointers in matching:
        if pointers:
            rows = [(one.id, one.title, ", ".join(one.when)) for one in pointers]
            ctx.table(("memory", "title", "when"), rows, wide=1)
        if row.pointers:
            _show_cost(ctx, row)
    if not any(row.pointers for row in found):
        ctx.tell("Nothing is pinned; `recollect pin ID` adds a pointer to CLAUDE.md.")
    elif not any(pointers for _, pointers in matching):
        ctx.tell("No pointer matches.")


def _show_cost(ctx: CommandContext, row: Pinned) -> None:
    ctx.hint(
        "  Pointers: {n}, {tokens} tokens in every session ({scope})",
        n=len(row.pointers),
        tokens=row.tokens,
        scope=ctx.word(row.scope),
    )


@command(
    argument("name", type=ID),
    dry_run=True,
    example="recollect unpin use-postgres-for-events",
)
def unpin_command(ctx: CommandContext, name: str) -> None:
    """Remove a pointer from CLAUDE.md; the memory stays."""
    done = pins.unpin(ctx.app, name, dry_run=ctx.dry_run)
    ctx.answer(done.as_json(done.pointers))
    if done.what == "unchanged":
        ctx.tell("{id} is not pinned.", id=name)
    else:
        ctx.tell_change(
            "Would remove {id} from {path}",
            "Removed {id} from {path}",
            id=name,
            path=done.path,
            style="bold",
        )
