"""Command line: list, timeline, stats."""

from __future__ import annotations

from typing import Any

import click

from recollect.app import reading
from recollect.app.reading import Listed
from recollect.domain.model import Filter
from recollect.doors.cli.door import Door, command
from recollect.doors.cli.filters import filter_of, filters


@command("list", scope=True, example="recollect list --kind decision --since 2026-01-01")
@filters
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, metavar="N")
def list_command(door: Door, limit: int, scope: str | None, **given: Any) -> None:
    """List memories, newest first."""
    only = filter_of(door, given)
    found = reading.entries(door.app, only, scope=scope or "")

    def show() -> None:
        show_list(door, found[:limit], only)
        show_rest(door, len(found) - limit)

    door.answer([one.as_json() for one in found[:limit]], show)


def show_list(door: Door, found: list[Listed], only: Filter) -> None:
    """Print memories as a table."""
    if not found:
        _show_none(door, only)
        return
    rows = [
        (e.id, e.title, e.kind, e.created[:10], door.word(one.scope))
        for one in found
        for e in [one.entry]
    ]
    heads = door.heads("memory", "title", "kind", "date", "scope")
    door.paper.table(heads, rows, wide=1, spare=[4, 2, 3])


def show_rest(door: Door, more: int) -> None:
    """Say how many memories a limit has left out."""
    if more > 0:
        door.tell("… and {n} more; --limit shows them.", n=more, style="dim")


def _show_none(door: Door, only: Filter) -> None:
    if only == Filter():
        door.tell("There are no memories yet.")
    else:
        door.tell("No memory is like that.")


@command("timeline", scope=True, example="recollect timeline --since 2026-01")
@filters
@click.option("--limit", type=click.IntRange(1), default=100, show_default=True, metavar="N")
def timeline_command(door: Door, limit: int, scope: str | None, **given: Any) -> None:
    """List memories day by day, newest day first."""
    only = filter_of(door, given)
    found = reading.entries(door.app, only, scope=scope or "")
    days: dict[str, list[Listed]] = {}
    for one in found[:limit]:
        days.setdefault(one.entry.created[:10], []).append(one)

    def show() -> None:
        if not days:
            _show_none(door, only)
        for day, memories in days.items():
            door.paper.line(("bold", day or door.say("without a date")))
            for one in memories:
                _show_moment(door, one)
        show_rest(door, len(found) - limit)

    door.answer({day: [one.as_json() for one in here] for day, here in days.items()}, show)


def _show_moment(door: Door, one: Listed) -> None:
    clock = one.entry.created[11:16]
    door.paper.line(
        ("dim", f"  {clock if clock != '00:00' else '':5}  "),
        one.entry.title,
        ("dim", f"  {one.entry.kind} · {one.entry.id}"),
    )


@command("stats", scope=True, example="recollect stats")
def stats_command(door: Door, scope: str | None) -> None:
    """Count what is stored and what it costs."""
    found = reading.stats(door.app, scope=scope or "")

    def show() -> None:
        for row in found:
            door.paper.line(("bold", f"{door.word(row['scope'])}  "), ("dim", row["root"]))
            door.paper.pairs(_stats_rows(door, row))

    door.answer(found, show)


def _stats_rows(door: Door, row: dict[str, Any]) -> list[tuple[str, str]]:
    injected = row["injected"]
    return [
        (door.say("memories"), f"{row['memories']:,}"),
        (door.say("archived"), f"{row['archived']:,}"),
        (door.say("layers"), _counts(row["layers"])),
        (door.say("kinds"), _counts(row["kinds"])),
        (door.say("sessions"), f"{row['sessions']:,}"),
        (door.say("conversations"), f"{row['conversations']:,}"),
        (door.say("sections"), f"{row['sections']:,}"),
        (door.say("tokens"), f"{row['tokens']:,}"),
        (
            door.say("injected"),
            door.say(
                "{times}×, {tokens} tokens",
                times=f"{injected['times']:,}",
                tokens=f"{injected['tokens']:,}",
            ),
        ),
        (
            door.say("on disk"),
            door.say(
                "{files}, index {index}",
                files=_size(row["bytes"]),
                index=_size(row["index_bytes"]),
            ),
        ),
    ]


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{word} {count:,}" for word, count in counts.items()) or "–"


def _size(count: int) -> str:
    """A number of bytes as people read it."""
    size = float(count)
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" or size >= 10 else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
