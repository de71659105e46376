"""Command line: the options that narrow a list of memories."""

from __future__ import annotations

from datetime import date
from typing import Any

import click

from recollect.domain import model
from recollect.domain.model import Filter
from recollect.domain.pattern import Pattern
from recollect.doors.cli.door import Door, words
from recollect.doors.cli.helping import option

_DAY = Pattern(r"(\d{4})(?:-(\d\d))?(?:-(\d\d))?")


def filters(run: Any) -> Any:
    """Give a command the options that narrow a list of memories."""
    for add in reversed(
        (
            option(
                "--layer", type=click.Choice(model.LAYERS), default=None, help="Only this layer."
            ),
            option(
                "--kind",
                type=click.Choice(model.KINDS),
                default=None,
                metavar="KIND",
                help=f"Only this kind: {', '.join(model.KINDS)}.",
            ),
            option(
                "--type",
                "word",
                default=None,
                metavar="WORD",
                help="Only this kind (decision), category (bugfix) or layer (semantic).",
            ),
            option("--tags", default=None, help="Only with all of these tags."),
            option("--file", default=None, help="Only about a file whose path has this."),
            option("--concept", default=None, help="Only about this concept."),
            option("--session", default=None, help="Only what this session left."),
            option(
                "--since", default=None, help="Not older than this day (2026-01-31, 2026-01, 2026)."
            ),
            option("--until", default=None, help="Not newer than this day."),
            option("--archived", is_flag=True, help="Look through the archive instead."),
        )
    ):
        run = add(run)
    return run


def filter_of(door: Door, given: dict[str, Any]) -> Filter:
    """The filter that the options ask for."""
    for name in ("since", "until"):
        if given[name] and not _is_day(given[name]):
            raise door.refusal(f"--{name} takes a day such as 2026-01-31; not “{given[name]}”.")
    named = {"layer": given["layer"] or "", "kind": given["kind"] or "", "category": ""}
    if given["word"]:
        field, word = _field_of(given["word"].strip().lower())
        if named[field] not in ("", word):
            raise door.refusal(f"--type {word} and --{field} {named[field]} exclude each other.")
        named[field] = word
    return Filter(
        layer=named["layer"],
        kind=named["kind"],
        category=named["category"],
        tags=words(given["tags"]),
        file=given["file"] or "",
        concept=given["concept"] or "",
        session=given["session"] or "",
        since=given["since"] or "",
        # `~` comes after every digit: the whole day, month or year is meant.
        until=f"{given['until']}~" if given["until"] else "",
        archived=given["archived"],
    )


def _field_of(word: str) -> tuple[str, str]:
    """`(field, word)`: what a word of --type is about; no word is of two fields."""
    if word in model.LAYERS:
        return "layer", word
    one = word.removesuffix("s")  # seed 003 speaks of decisions, patterns, issues
    return ("kind", one) if one in model.KINDS else ("category", word)


def _is_day(text: str) -> bool:
    """Whether a text is a day, a month or a year that exists."""
    match = _DAY.fullmatch(text)
    if not match:
        return False
    try:
        date(int(match[1]), int(match[2] or 1), int(match[3] or 1))
    except ValueError:
        return False
    return True
