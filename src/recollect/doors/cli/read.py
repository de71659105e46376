"""Command line: search, recall, show, list, timeline, stats."""

from __future__ import annotations

import re
from typing import Any

import click

from recollect.domain import model
from recollect.domain.model import Entry, Filter
from recollect.doors.cli.door import Door, command, words
from recollect.doors.cli.ids import complete_ids
from recollect.doors.cli.paper import shown
from recollect.errors import UsageProblem

_DAY = re.compile(r"\d{4}(-\d\d(-\d\d)?)?")


def filters(run: Any) -> Any:
    """The options that narrow a list of memories."""
    for option in reversed(
        (
            click.option(
                "--layer", type=click.Choice(model.LAYERS), default=None, help="Only this layer."
            ),
            click.option(
                "--kind", type=click.Choice(model.KINDS), default=None, help="Only this kind."
            ),
            click.option("--type", "category", default=None, help="Only facts of this category."),
            click.option("--tags", default=None, help="Only with all of these tags."),
            click.option("--file", default=None, help="Only about a file whose path has this."),
            click.option("--concept", default=None, help="Only about this concept."),
            click.option("--session", default=None, help="Only what this session left."),
            click.option("--since", default=None, help="Not older than this day (2026-01-31)."),
            click.option("--until", default=None, help="Not newer than this day."),
            click.option("--archived", is_flag=True, help="Look through the archive instead."),
        )
    ):
        run = option(run)
    return run


def filter_of(given: dict[str, Any]) -> Filter:
    """The filter that the options ask for."""
    for name in ("since", "until"):
        if given[name] and not _DAY.fullmatch(given[name]):
            raise UsageProblem(
                what=f"--{name} takes a day such as 2026-01-31; not “{given[name]}”.",
                command="search",
            )
    return Filter(
        layer=given["layer"] or "",
        kind=given["kind"] or "",
        category=given["category"] or "",
        tags=words(given["tags"]),
        file=given["file"] or "",
        concept=given["concept"] or "",
        session=given["session"] or "",
        since=given["since"] or "",
        until=f"{given['until']}~" if given["until"] else "",
        archived=given["archived"],
    )


@command(
    "search",
    scope=True,
    example='recollect search "connection pool"\nrecollect search sqlite busy --kind solution --limit 3',
)
@click.argument("query", nargs=-1)
@filters
@click.option("--limit", type=click.IntRange(1, 1000), default=10, show_default=True)
@click.option(
    "--sections", is_flag=True, help="Every section that matches, not the best of each memory."
)
def search_command(
    door: Door, query: tuple[str, ...], limit: int, sections: bool, scope: str | None, **given: Any
) -> None:
    """Find memories by words, in any order; nothing in a query is special.

    Identifiers are found by their parts (use callback finds useCallback), Chinese by any two
    characters. Without words it lists what the filters let through.
    """
    from recollect.app import reading

    text = " ".join(query)
    only = filter_of(given)
    if not text.strip():
        _show_list(door, reading.entries(door.app, only, scope=scope or "")[:limit])
        return
    hits = reading.search(door.app, text, only, limit=limit, scope=scope or "", sections=sections)

    def show() -> None:
        if not hits:
            door.tell("Nothing found for “{query}”.", query=text)
            return
        for hit in hits:
            one = hit.candidate
            door.paper.line(
                ("bold", shown(one.name)),
                ("dim", f"  {one.layer}/{one.kind}  {one.created[:10]}  {one.scope}"),
            )
            door.paper.line("  ", shown(one.shown_title))
            if hit.snippet:
                door.paper.line(("dim", "  " + shown(hit.snippet)))

    door.answer({"query": text, "hits": [reading.hit_json(hit) for hit in hits]}, show)


@command(
    "recall",
    scope=True,
    example='recollect recall "why is the test database locked"\nrecollect recall --start',
)
@click.argument("cue", nargs=-1)
@click.option(
    "--budget", type=click.IntRange(50, 9000), default=None, help="Tokens; the setting by default."
)
@click.option("--start", is_flag=True, help="The brief of a session start instead.")
@click.option("--why", is_flag=True, help="Show how each memory was rated.")
def recall_command(
    door: Door, cue: tuple[str, ...], budget: int | None, start: bool, why: bool, scope: str | None
) -> None:
    """Show what an agent would be given for a prompt, and why."""
    from recollect.app import reading

    if start:
        text, tokens = reading.brief(door.app)
        door.answer(
            {"text": text, "tokens": tokens, "items": []}, lambda: _show_text(door, text, tokens)
        )
        return
    if not cue:
        raise UsageProblem(what="Give the words of a prompt, or --start.", command="recall")
    found = reading.recall(door.app, " ".join(cue), budget=budget, scope=scope or "")

    def show() -> None:
        _show_text(door, found.text, found.tokens)
        if why:
            _show_ratings(door, found)

    door.answer(reading.recalled_json(found), show)


def _show_text(door: Door, text: str, tokens: int) -> None:
    if not text:
        door.tell("Nothing would be said.")
        return
    door.paper.block(text)
    door.tell("({n} tokens)", n=tokens, style="dim")


def _show_ratings(door: Door, found: Any) -> None:
    given = {id(one) for one in found.full} | {id(one) for one in found.pointers}
    rows = [
        (
            "✓" if id(one) in given else "",
            one.name,
            f"{one.score:.2f}",
            " ".join(f"{k}={v:.2f}" for k, v in one.parts.items()),
        )
        for one in found.candidates[:15]
    ]
    door.paper.line()
    door.paper.table(["", door.say("memory"), door.say("score"), door.say("parts")], rows)


@command(
    "show",
    example="recollect show use-postgres-for-events\nrecollect show 2026-01-11-event-store --level 3",
)
@click.argument("name", metavar="ID", shell_complete=complete_ids)
@click.option(
    "--level",
    type=click.IntRange(0, 3),
    default=2,
    show_default=True,
    help="0 keywords, 1 index row, 2 the memory, 3 with the raw conversation.",
)
def show_command(door: Door, name: str, level: int) -> None:
    """Show one memory, or one section of it (ID#SECTION)."""
    from recollect.app import reading

    page = reading.show(door.app, name, level)

    def print_page() -> None:
        entry = page.entry
        door.paper.line(("bold", shown(entry.title)), ("dim", f"  {name}"))
        about = [
            entry.layer,
            entry.kind,
            entry.created[:10],
            f"source {entry.source}",
            f"trust {entry.trust}",
            entry.status,
        ]
        door.paper.line(("dim", "  " + " · ".join(shown(a) for a in about if a)))
        if entry.tags:
            door.paper.line(("dim", "  " + ", ".join(map(shown, entry.tags))))
        if level >= 2:
            door.paper.line()
            door.paper.markdown(page.text)
        if level == 1:
            door.paper.line("  ", shown(entry.summary))
        if level == 3 and not page.conversation:
            door.tell("There is no raw conversation beside this memory.", style="dim")
        if page.problem:
            door.tell("Note: {problem}.", problem=page.problem, style="yellow")
        door.paper.line(("dim", f"  {page.path}"))

    door.answer(reading.page_json(page, level), print_page)


@command("list", scope=True, example="recollect list --kind decision --since 2026-01-01")
@filters
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True)
def list_command(door: Door, limit: int, scope: str | None, **given: Any) -> None:
    """List memories, newest first."""
    from recollect.app import reading

    _show_list(door, reading.entries(door.app, filter_of(given), scope=scope or "")[:limit])


def _show_list(door: Door, entries: list[tuple[str, Entry]]) -> None:
    from recollect.app import reading

    def show() -> None:
        if not entries:
            door.tell("There are no memories yet.")
            return
        rows = [
            (e.id, e.title, f"{e.layer}/{e.kind}", e.created[:10], scope) for scope, e in entries
        ]
        door.paper.table(
            [
                door.say("memory"),
                door.say("title"),
                door.say("what"),
                door.say("date"),
                door.say("scope"),
            ],
            rows,
            wide=1,
        )

    door.answer([reading.entry_json(scope, e) for scope, e in entries], show)


@command("timeline", scope=True, example="recollect timeline --since 2026-01")
@filters
@click.option("--limit", type=click.IntRange(1), default=100, show_default=True)
def timeline_command(door: Door, limit: int, scope: str | None, **given: Any) -> None:
    """List memories day by day, newest day first."""
    from recollect.app import reading

    entries = reading.entries(door.app, filter_of(given), scope=scope or "")[:limit]
    days: dict[str, list[tuple[str, Entry]]] = {}
    for name, entry in entries:
        days.setdefault(entry.created[:10] or "–", []).append((name, entry))

    def show() -> None:
        if not days:
            door.tell("There are no memories yet.")
        for day, found in days.items():
            door.paper.line(("bold", day))
            for _, e in found:
                clock = e.created[11:16]
                door.paper.line(
                    ("dim", f"  {clock if clock != '00:00' else '     '}  "),
                    f"{shown(e.title)}",
                    ("dim", f"  {e.kind} {e.id}"),
                )

    door.answer(
        {day: [reading.entry_json(s, e) for s, e in found] for day, found in days.items()}, show
    )


@command("stats", scope=True, example="recollect stats")
def stats_command(door: Door, scope: str | None) -> None:
    """Count what is stored and what it costs."""
    from recollect.app import reading

    found = reading.stats(door.app, scope=scope or "")

    def show() -> None:
        for row in found:
            door.paper.line(("bold", f"{row['scope']}  "), ("dim", str(row["root"])))
            rows = [
                (door.say(key), _number(value))
                for key, value in row.items()
                if key not in ("scope", "root")
            ]
            door.paper.table([door.say("what"), door.say("how much")], rows)

    door.answer(found, show)


def _number(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{k} {v}" for k, v in value.items()) or "–"
    return f"{value:,}" if isinstance(value, int) else str(value)
