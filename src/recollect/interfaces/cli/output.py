"""Command: list; and the output of a hit."""

from __future__ import annotations

from recollect.features import reading
from recollect.features.reading import Listed
from recollect.interfaces.cli.context import Door, command, filter_of, filters
from recollect.interfaces.cli.parsing import IntRange, option
from recollect.model.memory import Filter
from recollect.search.search import Found

TYPE_CHECKING = False  # `typing` takes longer to load than a search
if TYPE_CHECKING:
    from typing import Any


@command("list", scope=True, example="recollect list --kind decision --since 2026-01-01")
@filters
@option("--limit", type=IntRange(1), default=50, show_default=True, metavar="N")
@option("--encrypted", is_flag=True, help="List encrypted memories, with their titles.")
def list_command(
    door: Door, limit: int, scope: str | None, *, encrypted: bool, **given: Any
) -> None:
    """List memories, newest first."""
    only = filter_of(door, given)
    if not encrypted:
        _show(door, reading.entries(door.app, only, scope=scope or ""), only, limit)
        return
    from recollect.ops import encryption as sealing  # seldom asked for

    with sealing.opened_stores(door.app, door.app.stores(scope or "")) as opened:
        _show(door, reading.entries(door.app, only, scope=scope or "", stores=opened), only, limit)


def _show(door: Door, found: list[Listed], only: Filter, limit: int) -> None:

    def show() -> None:
        show_list(door, found[:limit], only)
        show_rest(door, len(found) - limit)

    door.answer([one.as_json() for one in found[:limit]], show)


def show_list(door: Door, found: list[Listed], only: Filter) -> None:
    """Print memories as a table."""
    if not found:
        show_none(door, only)
        return
    rows = [
        (e.id, e.title, e.kind, e.created[:10], door.word(one.scope))
        for one in found
        for e in [one.entry]
    ]
    heads = door.heads("memory", "title", "kind", "date", "scope")
    door.paper.table(heads, rows, wide=1, spare=[4, 2, 3])


def show_hit(door: Door, hit: Found) -> None:
    """Print a hit of a search, in three lines."""
    one = hit.candidate
    door.paper.line(("bold", one.shown_title))
    if hit.snippet:
        door.paper.paragraph(hit.snippet)
    about = [one.name, one.kind, one.created[:10], door.word(one.scope)]
    door.paper.line(("dim", "  " + " · ".join(part for part in about if part)))


def show_rest(door: Door, more: int) -> None:
    """Say how many memories a limit has left out."""
    if more > 0:
        door.tell("… and {n} more; --limit shows them.", n=more, style="dim")


def show_none(door: Door, only: Filter) -> None:
    """Say that there is nothing to list."""
    if only == Filter():
        door.tell("There are no memories yet.")
    else:
        door.tell("No memory matches.")
