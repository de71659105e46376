"""Commands: timeline, stats, calls."""

from __future__ import annotations

from collections import Counter
from typing import Any

from recollect.features import models, reading, statistics
from recollect.features.models import ModelCall
from recollect.interfaces.cli.command import CommandContext, command, counted
from recollect.interfaces.cli.console import (
    NARROWEST,
    cut_statement,
    padded,
    shown,
    shown_title,
    width_of,
)
from recollect.interfaces.cli.parsing import IntRange, argument, flag, option
from recollect.interfaces.cli.read import FILTERS, filter_of, show_none, show_rest, shown_state
from recollect.model.memory import ENDED
from recollect.model.times import minute

BAR_COLUMNS = 24


@command(
    *FILTERS,
    option("--limit", type=IntRange(1), default=100, help="At most this many."),
    scope=True,
    example="recollect timeline --since 2026-01",
)
def timeline_command(ctx: CommandContext, limit: int, **given: Any) -> None:
    """List entries day by day, newest day first."""
    only = filter_of(ctx, given)
    found = reading.listed(ctx.app, only, scope=ctx.scope)
    days: dict[str, list[reading.ListedEntry]] = {}
    for one in found[:limit]:
        days.setdefault(one.own.created[:10], []).append(one)
    if ctx.as_json:
        stores = ctx.app.stores(ctx.scope)
        ctx.answer({day: reading.listed_json(stores, entries) for day, entries in days.items()})
        return
    if not days:
        show_none(ctx, only)
    counts = Counter(day for one in found if (day := one.own.created[:10]))
    most = max(counts.values(), default=0)
    for day, entries in days.items():
        count = counts.get(day, len(entries))
        chart = f"  {bar(count, most, BAR_COLUMNS)} {count:,}" if len(counts) > 1 else ""
        ctx.console.line(("bold", day or ctx.say("without a date")), ("green", chart))
        _show_day(ctx, entries)
    show_rest(ctx, len(found) - limit)


def _show_day(ctx: CommandContext, entries: list[reading.ListedEntry]) -> None:
    """A line for each entry; on a narrow terminal its text is cut, and nothing else."""
    stores = ctx.app.stores(ctx.scope)
    names = [reading.short_name(stores, one) for one in entries]
    kinds = [ctx.word(one.own.kind) for one in entries]
    wide, ids = max(map(width_of, kinds)), max(map(width_of, names))
    for one, name, kind in zip(entries, names, kinds, strict=True):
        clock = one.own.created[11:16]
        head = f"{clock if clock != '00:00' else '':5}  {padded(kind, wide)}  {padded(name, ids)}"
        status = "confirmed" if one.own.status == ENDED else one.own.status
        state = shown_state(ctx.lang, status, one.own.trust)
        state = f"  {state}" if state else ""
        room = ctx.console.columns - width_of(head) - width_of(state) - 4
        text = shown(shown_title(ctx.lang, one.summary))
        text = cut_statement(text, max(room, NARROWEST))
        style = "dim" if one.own.status == "superseded" else ""
        ctx.console.line(("dim", f"  {head}"), (style, f"  {text}"), ("dim", state))


@command(scope=True, example="recollect stats")
def stats_command(ctx: CommandContext) -> None:
    """Show what is stored, how much of it is used, and its cost."""
    found = statistics.stats(ctx.app, scope=ctx.scope)
    ctx.answer(found)
    for row in found:
        ctx.console.store(ctx.word(row["scope"]), row["root"])
        _show_counts(ctx, row)
        if row["layers"]:
            ctx.console.line()
        for name, count in row["layers"].items():
            chart = bar(count, max(row["layers"].values()), BAR_COLUMNS)
            ctx.console.line(f"  {padded(ctx.word(name), 10)}  {count:>7,}  ", ("cyan", chart))
        if row["most_accessed"]:
            _show_use(ctx, row)


def _show_counts(ctx: CommandContext, row: dict[str, Any]) -> None:
    due, pointers = row["past_their_time"], row["pointers"]
    encrypted, layers = row["encrypted"]["memories"], ", ".join(row["encrypted"]["asked_for"])
    due_text = ctx.say(
        "{n} due for the archive; each consolidation archives up to a tenth of the store", n=due
    )
    new_too = ctx.say("{n}, and new ones in {layers}", n=encrypted, layers=layers)
    cost = ctx.say("{memories}, {tokens} tokens in every session", **pointers)
    ctx.pairs(
        {
            "memories": row["memories"],
            "archived": row["archived"],
            "episodes": due_text if due else "",
            "encrypted": new_too if layers else encrypted or "",
            "entries": row["entries"],
            "kinds": counted(ctx, row["kinds"]) or "–",
            "sessions": row["sessions"],
            "conversations": row["conversations"],
            "sections": row["sections"],
            "tokens": row["tokens"],
            "injected": ctx.say("{times}×, {tokens} tokens", **row["injected"]),
            "pointers": cost if pointers["memories"] else "",
            "on disk": ctx.say(
                "{files}, index {index}", files=_size(row["bytes"]), index=_size(row["index_bytes"])
            ),
        }
    )


def _size(count: int) -> str:
    """A number of bytes as people read it."""
    size = float(count)
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" or size >= 10 else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def _show_use(ctx: CommandContext, row: dict[str, Any]) -> None:
    """What is used most, and how much was never used."""
    ctx.console.line()
    rows = [(m["id"], m["title"], f"{m['times']:,}×", m["last"]) for m in row["most_accessed"]]
    ctx.table(("memory", "title", "times", "last used"), rows, wide=1, spare=[3])
    unused, oldest = row["never_accessed"]["count"], row["oldest_unaccessed"]
    if unused and oldest:
        ctx.hint(
            "Never used: {n}; the longest {id}, since {day}",
            n=unused,
            id=oldest["id"],
            day=oldest["since"],
        )


OUTCOMES = {"answered": "answered", "no-answer": "unreadable", "over-budget": "not asked"}


@command(
    argument("number", type=IntRange(1), required=False),
    flag("--all", "everywhere", help="The calls of all projects, not of this one."),
    example="recollect calls\nrecollect calls 1\nrecollect calls --all",
)
def calls_command(ctx: CommandContext, number: int | None, everywhere: bool) -> None:
    """Show what was sent to a model, and its answer.

    Without a number it lists this project's calls among the last 50 on this machine, newest first;
    with one it prints everything that was sent and answered. Nothing is sent unless you set
    `capture.model`.
    """
    found = models.every_call(ctx.app) if everywhere else models.calls(ctx.app)
    if number is None:
        rows = [call._asdict() | {"number": n} for n, call in enumerate(found, 1)]
        texts = ("sent", "answer")
        ctx.answer([{key: v for key, v in row.items() if key not in texts} for row in rows])
        _list_calls(ctx, found)
    elif number > len(found):
        raise ctx.usage_error(f"There is no call {number}; `recollect calls` lists them.")
    else:
        ctx.answer(found[number - 1])
        _show_call(ctx, found[number - 1])


def _list_calls(ctx: CommandContext, found: list[ModelCall]) -> None:
    if not found:
        ctx.tell(
            "No model was asked anything. `recollect config capture.model` shows which one is set."
        )
        return
    rows = [
        (
            *(str(n), minute(call.time), call.model, _outcome(ctx, call)),
            *map(str, (call.tokens_in, call.tokens_out, call.entries)),
            call.project,
        )
        for n, call in enumerate(found, 1)
    ]
    heads = ("", "when", "model", "outcome", "tokens in", "out", "entries", "project")
    ctx.table(heads, rows, spare=[7])
    if reason := found[0].reason:
        ctx.tell("Last: {reason}", reason=ctx.translate(reason))


def _show_call(ctx: CommandContext, call: ModelCall) -> None:
    ctx.tell(
        "{time} · {model} · {outcome} · {seconds} s",
        style="bold",
        **(call._asdict() | {"outcome": _outcome(ctx, call)}),
    )
    if call.reason:
        ctx.tell("Reason: {reason}", reason=ctx.translate(call.reason))
    ctx.tell("Sent:", style="bold")
    ctx.console.block(call.sent)
    ctx.tell("Answer:", style="bold")
    ctx.console.block(call.answer)


def _outcome(ctx: CommandContext, call: ModelCall) -> str:
    return ctx.say(OUTCOMES[call.outcome]) if call.outcome in OUTCOMES else ctx.say("failed")


EIGHTHS = " ▏▎▍▌▋▊▉"


def bar(value: int, most: int, columns: int) -> str:
    """A bar for a number among others, of at most that many columns."""
    if value <= 0 or most <= 0:
        return ""
    eighths = max(1, round(8 * columns * min(value, most) / most))
    whole, rest = divmod(eighths, 8)
    return "█" * whole + (EIGHTHS[rest] if rest else "")
