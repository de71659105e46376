"""Command line: timeline, stats."""

from __future__ import annotations

from typing import Any

import click

from recollect.app import reading, statistics
from recollect.app.reading import Listed
from recollect.doors.cli import charts
from recollect.doors.cli.door import Door, command
from recollect.doors.cli.filters import filter_of, filters
from recollect.doors.cli.helping import option
from recollect.doors.cli.lists import show_none, show_rest
from recollect.doors.paper import width_of

BAR = 24


@command("timeline", scope=True, example="recollect timeline --since 2026-01")
@filters
@option("--limit", type=click.IntRange(1), default=100, show_default=True, metavar="N")
def timeline_command(door: Door, limit: int, scope: str | None, **given: Any) -> None:
    """List memories day by day, newest day first."""
    only = filter_of(door, given)
    found = reading.entries(door.app, only, scope=scope or "")
    days: dict[str, list[Listed]] = {}
    for one in found[:limit]:
        days.setdefault(one.entry.created[:10], []).append(one)

    def show() -> None:
        if not days:
            show_none(door, only)
        counts = statistics.per_day([one.entry.created[:10] for one in found])
        most = max(counts.values(), default=0)
        for day, memories in days.items():
            count = counts.get(day, len(memories))
            drawn = f"  {charts.bar(count, most, BAR)} {count:,}" if len(counts) > 1 else ""
            door.paper.line(("bold", day or door.say("without a date")), ("green", drawn))
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
    """Count what is stored, what of it is used, and what it costs."""
    found = statistics.stats(door.app, scope=scope or "")

    def show() -> None:
        for row in found:
            door.paper.line(("bold", f"{door.word(row['scope'])}  "), ("dim", row["root"]))
            door.paper.pairs(_stats_rows(door, row))
            _show_layers(door, row)
            _show_use(door, row)
            _show_activity(door, row["activity"])

    door.answer(found, show)


def _stats_rows(door: Door, row: dict[str, Any]) -> list[tuple[str, str]]:
    injected, pointers = row["injected"], row["pointers"]
    cost = door.say(
        "{n}, {tokens} tokens in every session",
        n=pointers["memories"],
        tokens=f"{pointers['tokens']:,}",
    )
    return [
        (door.say("memories"), f"{row['memories']:,}"),
        (door.say("archived"), f"{row['archived']:,}"),
        *_encrypted(door, row["encrypted"]),
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
        *([(door.say("pointers"), cost)] if pointers["memories"] else []),
        (
            door.say("on disk"),
            door.say(
                "{files}, index {index}",
                files=_size(row["bytes"]),
                index=_size(row["index_bytes"]),
            ),
        ),
    ]


def _encrypted(door: Door, found: dict[str, Any]) -> list[tuple[str, str]]:
    """How many memories are encrypted; nothing where none are and none are asked for."""
    if not (found["memories"] or found["asked_for"]):
        return []
    layers = ", ".join(found["asked_for"])
    new = door.say("{n}, and what is new in {layers}", n=found["memories"], layers=layers)
    return [(door.say("encrypted"), new if layers else f"{found['memories']:,}")]


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{word} {count:,}" for word, count in counts.items()) or "–"


def _show_layers(door: Door, row: dict[str, Any]) -> None:
    layers = row["layers"]
    if not layers:
        return
    most = max(layers.values())
    door.paper.line()
    for name, count in layers.items():
        drawn = charts.bar(count, most, BAR)
        door.paper.line(f"  {name:10}  {count:>7,}  ", ("cyan", drawn))


def _show_use(door: Door, row: dict[str, Any]) -> None:
    """What is used most, and what never was; nothing before anything was used."""
    if not row["most_accessed"]:
        return
    door.paper.line()
    heads = door.heads("memory", "title", "times", "last used")
    table = [(m["id"], m["title"], f"{m['times']:,}×", m["last"]) for m in row["most_accessed"]]
    door.paper.table(heads, table, wide=1, spare=[3])
    unused, oldest = row["never_accessed"]["count"], row["oldest_unaccessed"]
    if unused and oldest:
        door.tell(
            "Never used: {n}; the longest {id}, since {day}",
            n=f"{unused:,}",
            id=oldest["id"],
            day=oldest["since"],
            style="dim",
        )


def _show_activity(door: Door, activity: dict[str, Any]) -> None:
    """When memories came about: week by week, and a cell for each day."""
    days, until = activity["days"], activity["until"]
    if len(days) < 2:
        return
    weeks = charts.weeks_in(days, until, statistics.WEEKS)
    door.paper.line()
    if weeks > 1:
        door.paper.line(
            door.say("new memories by week"),
            "  ",
            ("green", charts.sparkline(charts.by_week(days, until, weeks))),
            ("dim", f"  {min(days)} – {until}"),
        )
    names = [door.say("Mon"), "", door.say("Wed"), "", door.say("Fri"), "", ""]
    for name, cells in zip(names, charts.heat_map(days, until, weeks), strict=True):
        gap = " " * (5 - width_of(name))
        door.paper.line(("dim", f"  {name}{gap}"), *cells)


def _size(count: int) -> str:
    """A number of bytes as people read it."""
    size = float(count)
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" or size >= 10 else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
