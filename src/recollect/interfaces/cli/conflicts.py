"""Commands: conflicts, supersede."""

from __future__ import annotations

from typing import Any

from recollect.consolidate.actions import Wait
from recollect.consolidate.rulings import WORDS
from recollect.consolidate.run import Settled, conflict_json, row_of
from recollect.features import lifecycle
from recollect.features.git_setup import Place
from recollect.interfaces.cli.context import Door, command
from recollect.interfaces.cli.parsing import Choice, argument, option

_WHY = {
    "value": "another value",
    "number": "another number",
    "version": "another version",
    "choice": "another choice",
    "negation": "the opposite",
}
_STANDS = {
    "old": "  old  {text}  ({path}, {date})",
    "new": "  new  {text}  ({path}, {date})",
}
_SAID = {
    "old": "  old  {text}  ({episode}, {date}, trust {trust})",
    "new": "  new  {text}  ({episode}, {date}, trust {trust})",
}
_HOLDS = {
    "old": "This holds: {old}",
    "new": "This holds: {new}",
    "both": "Both hold: {old} / {new}",
    "neither": "Neither holds: {old} / {new}",
}


@command(
    "conflicts",
    scope=True,
    dry_run=True,
    example="recollect conflicts\nrecollect conflicts --choose 3b8fc5d25319 new",
)
@option(
    "--choose",
    nargs=2,
    type=(None, Choice((*WORDS, "first", "second"))),
    default=None,
    metavar="ID old|new|both|neither",
    help="Settle one: which statement holds; for two wordings, first or second.",
)
def conflicts_command(
    door: Door, choose: tuple[str, str] | None, scope: str | None, dry_run: bool
) -> None:
    """List the contradictions that only you can settle, or settle one.

    Consolidation lets the newer statement win if that is certain. Otherwise both are listed
    here, and the newer one's episode stays active until you choose. Your choice is stored in
    the store's rulings.toml; `recollect undo` reverts it. If two people changed the same lines
    and git merged them, both wordings stay in the memory and are listed here too.
    """
    if choose:
        kept = lifecycle.keep_wording(door.app, *choose, scope=scope or "", dry_run=dry_run)
        if kept:
            answer = {**kept.as_json(), "ruling": choose[1]}
            door.answer(answer, lambda: _show_kept(door, kept, choose[1], dry_run=dry_run))
            return
        if choose[1] not in WORDS:
            raise door.refusal("Of a contradiction, choose old, new, both or neither.")
        settled = lifecycle.settle(door.app, *choose, scope=scope or "", dry_run=dry_run)
        door.answer(_json_of(settled), lambda: _show_settled(door, settled, dry_run=dry_run))
        return
    found = lifecycle.conflicts(door.app, scope=scope or "")
    places = lifecycle.merged_places(door.app, scope=scope or "")
    rows = [{**conflict_json(wait), "scope": where} for where, wait in found]
    rows += [{**place.as_json(), "scope": place.scope} for place in places]
    door.answer(rows, lambda: _show_waiting(door, [wait for _, wait in found], places))


def _json_of(settled: Settled) -> dict[str, Any]:
    rows = [row_of(action).as_json() for step in settled.steps for action in step.actions]
    return {**conflict_json(settled.wait), "ruling": settled.ruling, "actions": rows}


def _show_waiting(door: Door, waits: list[Wait], places: list[Place]) -> None:
    if not (waits or places):
        door.tell("There are no open contradictions.")
        return
    for wait in waits:
        mark = wait.mark
        door.paper.line(("bold", wait.key), ("dim", f"  {door.say(_WHY[wait.why])}"))
        stands = {"text": wait.held, "path": wait.path, "date": wait.since[:10]}
        said = {"text": wait.claim.text, "episode": mark.episode, "date": mark.date[:10]}
        if wait.is_late:
            door.tell(_SAID["old"], **said, trust=mark.trust)
            door.tell(_STANDS["new"], **stands)
        else:
            door.tell(_STANDS["old"], **stands)
            door.tell(_SAID["new"], **said, trust=mark.trust)
    for place in places:
        about = door.say(
            "two wordings, in {path}, line {line}", path=place.path, line=place.said.line
        )
        door.paper.line(("bold", place.key), ("dim", f"  {about}"))
        door.tell("  first   {text}", text=_one_line(place.said.first))
        door.tell("  second  {text}", text=_one_line(place.said.second))
    door.tell(
        "Settle one with `recollect conflicts --choose ID new` (or old, both, neither).",
        style="dim",
    )


def _one_line(text: str) -> str:
    return " ".join(text.split()) or "–"


def _show_kept(door: Door, kept: Place, word: str, *, dry_run: bool) -> None:
    first, second = _one_line(kept.said.first), _one_line(kept.said.second)
    word = {"first": "old", "second": "new"}.get(word, word)
    door.tell(_HOLDS[word], old=first, new=second)
    door.paper.line(("dim", f"  {kept.path}"))
    if dry_run:
        door.tell("Nothing was changed (--dry-run).", style="dim")


def _show_settled(door: Door, settled: Settled, *, dry_run: bool) -> None:
    wait = settled.wait
    door.tell(_HOLDS[settled.ruling], old=wait.old, new=wait.new)
    for step in settled.steps:
        door.paper.line(("dim", f"  {step.path}"))
    if dry_run:
        door.tell("Nothing was changed (--dry-run).", style="dim")


@command(
    "supersede",
    dry_run=True,
    example="recollect supersede d003-use-mysql d007-use-postgres",
)
@argument("old")
@argument("new")
def supersede_command(door: Door, old: str, new: str, dry_run: bool) -> None:
    """Mark OLD as superseded by NEW.

    OLD stays where it is, with `status: superseded`: it is no longer recalled, but search finds
    it.
    """
    path, changed = lifecycle.supersede(door.app, old, new, dry_run=dry_run)

    def show() -> None:
        if not changed:
            door.tell("{new} already supersedes {old}; nothing was changed.", old=old, new=new)
        elif dry_run:
            door.tell("{new} would supersede {old}", old=old, new=new)
        else:
            door.tell("{new} now supersedes {old}", old=old, new=new)
            door.tell("  `recollect undo` reverts it.", style="dim")

    door.answer({"old": old, "new": new, "path": path, "changed": changed}, show)
