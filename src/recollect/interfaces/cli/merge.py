"""Commands: merge, review, pin, promote."""

from __future__ import annotations

from typing import Any

from recollect.context.pointers import Pointer, wanted
from recollect.features import accepted_stores, lifecycle
from recollect.features import lifecycle as merging
from recollect.features import promote as promoting
from recollect.features import review as factsedits
from recollect.features import review as reviewing
from recollect.features.merge import Pair
from recollect.features.pins import Scoped
from recollect.features.promote import Pinned, Promoted
from recollect.features.review import Effect, Row
from recollect.interfaces.cli.context import SCOPE_NAMES, Door, command, complete_ids, words
from recollect.interfaces.cli.parsing import Choice, argument, option
from recollect.interfaces.cli.progress import decide, dismissible
from recollect.model.memory import TRUSTS


@command(
    "merge",
    scope=True,
    dry_run=True,
    example="recollect merge\nrecollect merge use-postgres use-postgresql --dry-run\n"
    "recollect merge use-postgres postgres-tips --dismiss",
)
@argument("name", metavar="[ID", required=False)
@argument("other", metavar="OTHER]", required=False)
@dismissible
def merge_command(
    door: Door,
    name: str | None,
    other: str | None,
    scope: str | None,
    dismiss: bool,
    again: bool,
    dry_run: bool,
) -> None:
    """Merge two memories that say the same, or list candidates.

    ID stays and gains what only OTHER says; OTHER is archived unchanged, where `show` and
    `history` still find it by id. `recollect undo` reverts it.
    """
    if dismiss or again:
        decide(door, merging.dismiss, (name, other), again=again, dry_run=dry_run)
    elif name and other:
        _merge(door, name, other, dry_run=dry_run)
    elif name:
        raise door.refusal("`merge` takes two memories, or none.")
    else:
        found = merging.proposals(door.app, scope=scope or "")
        rows = [{**pair._asdict(), "scope": where} for where, pair in found]
        door.answer(rows, lambda: _show(door, [pair for _, pair in found]))


def _merge(door: Door, name: str, other: str, *, dry_run: bool) -> None:
    done = merging.merge(door.app, name, other, dry_run=dry_run)

    def show() -> None:
        if dry_run:
            door.paper.block(done.text)
            door.tell("Nothing was changed (--dry-run).", style="dim")
            return
        door.tell("Merged {other} into {name}", name=done.id, other=other)
        door.tell("  {other} is archived in {path}", other=other, path=done.archived, style="dim")
        for one in done.related:
            door.tell("  {memory} now refers to {name}", memory=one, name=done.id, style="dim")
        door.tell("  `recollect undo` reverts it.", style="dim")

    door.answer({**done._asdict(), "other": other}, show)


def _show(door: Door, pairs: list[Pair]) -> None:
    if not pairs:
        door.tell("No duplicates found.")
        return
    for pair in pairs:
        if pair.why == "title":
            door.tell("{id} and {other} have the same title", id=pair.id, other=pair.other)
        elif pair.why == "alike":
            door.tell("{id} and {other} have similar titles", id=pair.id, other=pair.other)
        else:
            door.tell(
                "{id} and {other} have {shared} statements in common",
                id=pair.id,
                other=pair.other,
                shared=pair.shared,
            )
    door.tell(
        "Merge two with `recollect merge ID OTHER`; --dismiss keeps them separate for good.",
        style="dim",
    )


# -------------------- Command line: promote, pin, unpin.


_REASONS = {
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
    "promote",
    dry_run=True,
    example="recollect promote use-postgres-for-events --to global\n"
    "recollect promote feedback#always-write-small-commits\nrecollect promote",
)
@argument("name", metavar="[ID]", required=False, default="", shell_complete=complete_ids)
@option(
    "--to",
    type=Choice(["global"]),
    default="global",
    show_default=True,
    help="The target store.",
)
def promote_command(door: Door, name: str, to: str, dry_run: bool) -> None:
    """Move a memory to the global store; without ID, list candidates.

    The memory loses the files and session that belong to this project. From shared files
    (rules, solutions, pointers) only the section that you name moves. `recollect undo` reverts
    it.
    """
    if not name:
        found = promoting.worth_promoting(door.app)
        door.answer([one.as_json() for one in found], lambda: _show_worth(door, found))
        return
    done = promoting.promote(door.app, name, dry_run=dry_run)

    def show() -> None:
        if dry_run:
            door.tell("Would move {id} to the global store: {path}", id=name, path=done.path)
        else:
            door.tell(
                "Moved {id} to the global store: {path}", id=name, path=done.path, style="bold"
            )
        _show_decision(door, done.decision)
        if dry_run:
            door.paper.line()
            door.paper.block(done.text)

    door.answer(done.as_json(), show)


def _show_decision(door: Door, decision: Scoped) -> None:
    """How general a memory is, and why."""
    door.tell("  generality: {n} of 1", n=f"{decision.generalizability:.2f}", style="dim")
    for sign, names in (("+", decision.reasons), ("-", decision.blockers)):
        for name in names:
            door.paper.line(("dim" if sign == "+" else "yellow", f"  {sign} {_reason(door, name)}"))


def _reason(door: Door, name: str) -> str:
    if name.startswith("kind:"):
        return door.say("its kind is {kind}", kind=name.removeprefix("kind:"))
    return door.say(_REASONS[name])


def _show_worth(door: Door, found: list[Promoted]) -> None:
    rows = [
        (
            one.id,
            one.title,
            f"{one.decision.generalizability:.2f}",
            "; ".join(_reason(door, name) for name in one.decision.reasons),
        )
        for one in found
    ]
    if rows:
        door.paper.table(door.heads("memory", "title", "general", "why"), rows, wide=1, spare=[3])
    else:
        door.tell("No memory of this project seems to apply to all projects.")


@command(
    "pin",
    dry_run=True,
    example="recollect pin use-postgres-for-events --when postgres,events,.sql\n"
    'recollect pin --test "add an index to the events table"',
)
@argument("name", metavar="[ID]", required=False, default="", shell_complete=complete_ids)
@option("--brief", default="", help="Use this text instead of the summary.")
@option("--when", default=None, help="Words that trigger it, separated by commas.")
@option("--test", "text", default=None, help="List the pointers that a prompt would trigger.")
@option("--scope", type=Choice(SCOPE_NAMES), default=None, help="List only this store's.")
def pin_command(
    door: Door,
    name: str,
    brief: str,
    when: str | None,
    text: str | None,
    scope: str | None,
    dry_run: bool,
) -> None:
    """Add a pointer to CLAUDE.md, which every session loads; without ID, list the pointers.

    A pointer is a few lines between two marks: what it is about, when to read it, and where.
    Nothing else in the file changes; `recollect unpin ID` removes it.
    """
    if not name:
        _list(door, promoting.pins(door.app, scope=scope or ""), text)
        return
    done = promoting.pin(door.app, name, brief=brief, when=words(when), dry_run=dry_run)

    def show() -> None:
        if dry_run:
            door.tell("Would add a pointer to {id} in {path}", id=name, path=done.path)
            door.paper.line()
            door.paper.block(done.block)
        else:
            door.tell("Added a pointer to {id} in {path}", id=name, path=done.path, style="bold")
        _show_cost(door, done)

    door.answer(done.as_json(done.pointers), show)


def _list(door: Door, found: list[Pinned], text: str | None) -> None:
    rows = [(row, _shown(row, text)) for row in found]

    def show() -> None:
        for row, shown in rows:
            if shown:
                heads = door.heads("memory", "title", "when")
                table = [(one.id, one.title, ", ".join(one.when)) for one in shown]
                door.paper.table(heads, table, wide=1)
            if row.pointers:
                _show_cost(door, row)
        if not any(row.pointers for row, _ in rows):
            door.tell("Nothing is pinned; `recollect pin ID` adds a pointer to CLAUDE.md.")
        elif not any(shown for _, shown in rows):
            door.tell("No pointer matches.")

    door.answer([row.as_json(shown) for row, shown in rows], show)


def _shown(row: Pinned, text: str | None) -> list[Pointer]:
    return row.pointers if text is None else wanted(row.pointers, text)


def _show_cost(door: Door, row: Pinned) -> None:
    door.tell(
        "  Pointers: {n}, {tokens} tokens in every session ({scope})",
        n=len(row.pointers),
        tokens=f"{row.tokens:,}",
        scope=door.word(row.scope),
        style="dim",
    )


@command("unpin", dry_run=True, example="recollect unpin use-postgres-for-events")
@argument("name", metavar="ID", shell_complete=complete_ids)
def unpin_command(door: Door, name: str, dry_run: bool) -> None:
    """Remove a pointer from CLAUDE.md; the memory stays."""
    done = promoting.unpin(door.app, name, dry_run=dry_run)

    def show() -> None:
        if done.what == "unchanged":
            door.tell("{id} is not pinned.", id=name)
        elif dry_run:
            door.tell("Would remove {id} from {path}", id=name, path=done.path)
        else:
            door.tell("Removed {id} from {path}", id=name, path=done.path, style="bold")

    door.answer(done.as_json(done.pointers), show)


# -------------------- Command line: review.


EDITS = factsedits.PREFIX
LOWER = [trust for trust in TRUSTS if trust != "user"]


@command(
    "review",
    scope=True,
    dry_run=True,
    example="recollect review\nrecollect review --approve use-postgres-for-events\n"
    "recollect review --reject feedback#solution-npm-test --reject d007-use-mysql",
)
@option("--approve", multiple=True, metavar="ID", shell_complete=complete_ids, help="Trust it like your own words.")  # fmt: skip
@option("--reject", multiple=True, metavar="ID", shell_complete=complete_ids, help="Remove it from the store.")  # fmt: skip
@option("--approve-all", is_flag=True, help="Approve everything listed.")
@option("--reject-all", is_flag=True, help="Remove everything listed.")
@option(
    "--trust",
    type=Choice(LOWER),
    default="agent",
    help="Only memories at or below this trust level.",
)
@option("--episodes", is_flag=True, help="List session memories too.")
@option("--session", default="", metavar="ID", help="Only what came from this session.")
@option("--repository", type=Choice(["accept", "refuse"]), help="Trust the store of this repository like your own words, or stop doing so.")  # fmt: skip
@option(
    "--page", default="", metavar="URL", help="Only what came from sessions that read this page."
)
def review_command(
    door: Door, approve: tuple[str, ...], reject: tuple[str, ...], scope: str | None, dry_run: bool, **given: Any
) -> None:  # fmt: skip
    """List what no person has approved; approve or reject it.

    Text from agents, tools and pages gets into core files, pointers and skills only after you
    approve it. Manual edits of facts.json are listed as `facts.json#d001` and take effect when
    you approve them. `recollect undo` reverts a decision; `recollect forget --from-session ID`
    removes everything that came from a session.

    A store that came with a repository (a clone) counts as external until you accept it on this
    machine with --repository accept. With `review.pulls = listed`, later pulls are listed here
    too.
    """
    if given["repository"]:
        _decide_repository(door, accept=given["repository"] == "accept", dry_run=dry_run)
        return
    if sum(map(bool, (approve or reject, given["approve_all"], given["reject_all"]))) > 1:
        raise door.refusal("Name the entries, or give --approve-all or --reject-all.")
    if set(approve) & set(reject):
        raise door.refusal("The same memory cannot be approved and rejected.")
    rows: list[Row] = []
    if not (approve or reject):
        names = ("trust", "episodes", "session", "page")
        if given["session"] or given["page"]:
            given["trust"] = "user"
        rows = reviewing.waiting_everywhere(
            door.app, scope=scope or "", **{k: given[k] for k in names}
        )
    if given["approve_all"]:
        approve = tuple(row.one.name for row in rows)
    elif given["reject_all"]:
        reject = tuple(row.one.name for row in rows)
    if not (approve or reject):
        places = lifecycle.merged_places(door.app, scope=scope or "")
        door.answer([row.as_json() for row in rows], lambda: _show_waiting(door, rows, len(places)))
        return
    decided = {
        what: reviewing.decide_reviews(
            door.app, names, approve=what == "approved", dry_run=dry_run, scope=scope or ""
        )
        for what, names in (("approved", approve), ("rejected", reject))
        if names
    }
    answer = {what: [e._asdict() for e in effects] for what, effects in decided.items()}
    door.answer(answer, lambda: _show_decided(door, approve, reject, dry_run=dry_run))


def _decide_repository(door: Door, *, accept: bool, dry_run: bool) -> None:
    root, count = accepted_stores.decide(door.app, accept=accept, dry_run=dry_run)
    answer = {"store": root, "accepted": accept, "memories": count}
    if not accept:
        door.answer(answer, lambda: door.tell("What is in {path} is told as the repository's words from now on.", path=root))  # fmt: skip
    elif dry_run:
        door.answer(answer, lambda: door.tell("Would accept {n} memories in {path}.", n=count, path=root))  # fmt: skip
    else:
        door.answer(answer, lambda: door.tell("Accepted {n} memories in {path}: they count as your own words on this machine.", n=count, path=root))  # fmt: skip


def _show_waiting(door: Door, rows: list[Row], places: int) -> None:
    if places:
        door.tell("Two wordings since a merge in git: {n} (`recollect conflicts`)", n=places)
    if not rows and places:
        return
    if not rows:
        door.tell("Nothing to review.")
        return
    for row in rows:
        one = row.one
        about = " · ".join(p for p in (one.kind, one.trust, one.source, one.created[:10]) if p)
        door.paper.line(("bold", one.name), ("dim", f"  {about}"))
        door.paper.paragraph(one.title)
        if one.said and one.said != one.title:
            door.paper.paragraph(one.said, style="dim")
    door.tell("Decide with `recollect review --approve ID` or `--reject ID`.", style="dim")


def _show_decided(
    door: Door, approve: tuple[str, ...], reject: tuple[str, ...], *, dry_run: bool
) -> None:
    for name in approve:
        door.tell("Would approve {id}" if dry_run else "Approved {id}", id=name, style="bold")
    left = [name for name in reject if name.startswith(EDITS)]
    for name in left:
        door.tell("Would reject {id}" if dry_run else "Rejected {id}", id=name, style="bold")
    for name in reject:
        if name not in left:
            door.tell("Would remove {id}" if dry_run else "Removed {id}", id=name, style="bold")
    if not dry_run and len(left) < len(approve) + len(reject):
        door.tell("  `recollect undo` reverts it.", style="dim")


def show_taken_back(door: Door, effects: list[tuple[str, Effect]], *, dry_run: bool) -> None:
    """Print what was taken back with a session."""
    for _, effect in effects:
        if effect.what == "removed":
            door.tell("Would forget {id}" if dry_run else "Forgot {id}", id=effect.memory)
        else:
            door.tell("  {path}: lines that came from it", path=effect.path, style="dim")
    if not dry_run:
        door.tell("  `recollect undo` restores it.", style="dim")
