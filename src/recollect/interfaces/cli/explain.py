"""Commands: timeline, stats; and `search --explain`."""

from __future__ import annotations

from typing import Any

from recollect.features import reading, statistics
from recollect.features.reading import Listed
from recollect.interfaces.cli import charts
from recollect.interfaces.cli.console import width_of
from recollect.interfaces.cli.context import Door, command, filter_of, filters
from recollect.interfaces.cli.output import show_hit, show_none, show_rest
from recollect.interfaces.cli.parsing import IntRange, option
from recollect.search.evidence import ENOUGH_COVERAGE
from recollect.search.rank import BEHIND, BONUSES, FACTORS, SIGNALS, Candidate
from recollect.search.search import Found

TYPE_CHECKING = False

if TYPE_CHECKING:
    from recollect.context.explain import Reason, Word


# -------------------- Command line: how a search came to its order, and why recall leaves a memory out.


def show_search(door: Door, told: dict[str, Any], hits: list[Found]) -> None:
    """What was looked for, then the hits with the parts of their scores."""
    found = [f"{one['word']} {one['sections']}" for one in told["words"] if one["sections"]]
    door.tell(
        "Searched words, with the number of sections (of {total}) that have each: {words}",
        total=told["sections"],
        words=", ".join(found) or "–",
        style="dim",
    )
    for one in told["words"]:
        if one["near"]:
            door.tell(
                "“{word}” does not occur; searched for {near} instead.",
                word=one["word"],
                near=", ".join(one["near"]),
                style="dim",
            )
    if not hits:
        door.tell("Nothing found.")
    for hit in hits:
        show_hit(door, hit)
        door.paper.line(("dim", f"  {score_of(hit.candidate)}"))


def score_of(one: Candidate) -> str:
    """A score as the sum that it is: `1.15 = text 1.00 × confidence 1.10 + scope 0.05`."""
    parts = one.parts
    said = [f"text {parts.get('text', 0.0):.2f}"]
    if parts.get("meaning"):
        said = [f"({said[0]} + meaning {SIGNALS['meaning'] * parts['meaning']:.2f})"]
    said += [f"{name} {parts[name]:.2f}" for name in FACTORS if parts.get(name, 1.0) != 1.0]
    more = [f"{name} {parts[name]:.2f}" for name in BONUSES if parts.get(name)]
    whole = " + ".join([" × ".join(said), *more])
    for name in BEHIND:
        if name in parts:
            whole = f"({whole}) × {name} {parts[name]:.2f}"
    if parts.get("newer"):
        whole += f" + newer {parts['newer']:.2f}"
    return f"{one.score:.2f} = {whole}"


def show_reason(door: Door, name: str, reason: Reason, words: list[Word]) -> None:
    """Why a memory does not come, or how it does; then the words that were asked for."""
    _tell_reason(door, name, reason)
    if reason.candidate is not None and "coverage" in reason.candidate.parts:
        door.tell(
            "  It covers {share} % of the query; {enough} % is enough.",
            share=round(100 * reason.candidate.parts["coverage"]),
            enough=round(100 * ENOUGH_COVERAGE),
            style="dim",
        )
    if words:
        door.paper.line()
        rows = [("✓" if one.said else "", one.word, f"{one.asks:.2f}") for one in words]
        door.paper.table(["", *door.heads("word", "asks for")], rows)


def _tell_reason(door: Door, name: str, reason: Reason) -> None:  # noqa: C901, PLR0912
    match reason.why:
        case "given":
            door.tell("{id} is included in full, as number {n}.", id=name, n=reason.place)
        case "pointer":
            door.tell("{id} is included as a pointer: its full text does not fit.", id=name)
        case "told":
            door.tell("{id} was already given to this session.", id=name)
        case "encrypted":
            door.tell("{id} is encrypted: only `search --encrypted` finds it.", id=name)
        case "archived":
            door.tell("{id} is archived: only `search --archived` finds it.", id=name)
        case "brief":
            door.tell("{id} is part of every brief, so it is not repeated.", id=name)
        case "superseded":
            door.tell("{id} is superseded.", id=name)
        case "external":
            door.tell("{id} comes from an external source: only `search` finds it.", id=name)
        case "no-words":
            door.tell("{id} has none of the words.", id=name)
        case "spelled":
            door.tell("{id} has none of the words exactly; only `search` tries similar spellings.", id=name)  # fmt: skip
        case "raw":
            door.tell(
                "{id} says it in its raw conversation: only `search` finds it there.", id=name
            )
        case "crowded-out":
            door.tell(
                "{id} is number {n} of the {of} that have some of the words; only the first are considered.",
                id=name,
                n=reason.place,
                of=reason.of,
            )
        case "passing":
            door.tell("{id} mentions one of the words in passing; its title and tags are about something else.", id=name)  # fmt: skip
        case "too-little":
            door.tell("{id} covers too little of the query.", id=name)
        case "weaker":
            door.tell("{id} ranks far below {other}.", id=name, other=reason.other)
        case "repeats":
            door.tell("{id} says the same as {other}.", id=name, other=reason.other)
        case _:
            door.tell("{id} did not fit into the budget.", id=name)


BAR = 24


@command("timeline", scope=True, example="recollect timeline --since 2026-01")
@filters
@option("--limit", type=IntRange(1), default=100, show_default=True, metavar="N")
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
    """Show what is stored, how much of it is used, and its cost."""
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
        *_waiting(door, row["past_their_time"]),
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


def _waiting(door: Door, due: int) -> list[tuple[str, str]]:
    """What is past its time; nothing where nothing is."""
    if not due:
        return []
    said = door.say(
        "{n} due for the archive; each pass archives a tenth of the store", n=f"{due:,}"
    )
    return [(door.say("episodes"), said)]


def _encrypted(door: Door, found: dict[str, Any]) -> list[tuple[str, str]]:
    """How many memories are encrypted; nothing where none are and none are asked for."""
    if not (found["memories"] or found["asked_for"]):
        return []
    layers = ", ".join(found["asked_for"])
    new = door.say("{n}, and new ones in {layers}", n=found["memories"], layers=layers)
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
