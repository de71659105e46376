"""Command line: proposals about two memories, which a person may dismiss."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from recollect.doors.cli.door import Door
from recollect.doors.cli.helping import option

_OPTIONS = (
    option("--again", is_flag=True, help="Propose them again after all."),
    option("--dismiss", is_flag=True, help="Do not propose these two any more."),
)


def dismissible(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options with which a proposal is dismissed, and made again."""
    for add in _OPTIONS:
        function = add(function)
    return function


def decide(
    door: Door,
    dismiss: Callable[..., bool],
    pair: tuple[str | None, str | None],
    *,
    again: bool,
    dry_run: bool,
) -> None:
    """Dismiss the proposal about two memories with `dismiss`, or allow it again, and say so.

    Raises:
        UsageProblem: they are not both named.
    """
    name, other = pair
    if not (name and other):
        raise door.refusal("Name the two memories that are meant.")
    is_new = dismiss(door.app, name, other, again=again, dry_run=dry_run)

    def show() -> None:
        if again:
            door.tell("{id} and {other} may be proposed again.", id=name, other=other)
        else:
            door.tell("{id} and {other} are not proposed any more.", id=name, other=other)
        if dry_run:
            door.tell("Nothing was changed (--dry-run).", style="dim")
        elif is_new:
            door.tell("  `recollect undo` takes it back.", style="dim")

    found = {"id": name, "other": other, "dismissed": not again, "changed": is_new}
    door.answer(found, show)
