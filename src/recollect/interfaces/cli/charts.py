"""Charts made of characters: bars, sparklines, a heat map of days."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from datetime import date, timedelta

from recollect.errors import FileNotThere, NotText
from recollect.interfaces.cli.console import Part
from recollect.store.disk import read_file

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from recollect.interfaces.cli.context import Door


_HEIGHTS = "▁▂▃▄▅▆▇█"
_EIGHTHS = " ▏▎▍▌▋▊▉"
_SHADES = "·░▒▓█"
_STYLES = ("dim", "color(22)", "color(28)", "color(34)", "color(40)")
DAYS_OF_WEEK = 7


def bar(value: int, most: int, columns: int) -> str:
    """A bar for a number among others, of at most that many columns."""
    if value <= 0 or most <= 0:
        return ""
    eighths = max(1, round(8 * columns * min(value, most) / most))
    whole, rest = divmod(eighths, 8)
    return "█" * whole + (_EIGHTHS[rest] if rest else "")


def sparkline(values: Sequence[int]) -> str:
    """A line with a column for each number."""
    most = max(values, default=0)
    if most <= 0:
        return _HEIGHTS[0] * len(values)
    return "".join(_HEIGHTS[_step(value, most, len(_HEIGHTS) - 1)] for value in values)


def _step(value: int, most: int, steps: int) -> int:
    """Which of the steps above nothing a number has reached."""
    return 0 if value <= 0 else max(1, -(-value * steps // most))


def by_week(days: Mapping[str, int], until: str, weeks: int) -> list[int]:
    """The sums of the last weeks, of which the last one ends with the week of `until`."""
    monday = _monday_of(until)
    sums = [0] * weeks
    for day, count in days.items():
        ago = (monday - _monday_of(day)).days // DAYS_OF_WEEK
        if 0 <= ago < weeks:
            sums[weeks - 1 - ago] += count
    return sums


def weeks_in(days: Mapping[str, int], until: str, most: int) -> int:
    """How many weeks there are from the first of these days to `until`, at most so many."""
    if not days:
        return 0
    return min(most, (_monday_of(until) - _monday_of(min(days))).days // DAYS_OF_WEEK + 1)


def heat_map(days: Mapping[str, int], until: str, weeks: int) -> list[list[Part]]:
    """Seven rows, Monday first, with a cell for each week; the darker, the more."""
    first = _monday_of(until) - timedelta(weeks=weeks - 1)
    most = max(days.values(), default=0)
    rows: list[list[Part]] = []
    for weekday in range(DAYS_OF_WEEK):
        row: list[Part] = []
        for week in range(weeks):
            day = (first + timedelta(days=weekday, weeks=week)).isoformat()
            step = _step(days.get(day, 0), most, len(_SHADES) - 1) if most else 0
            row.append((_STYLES[step], _SHADES[step] * 2) if day <= until else "  ")
        rows.append(row)
    return rows


def _monday_of(day: str) -> date:
    found = date.fromisoformat(day)
    return found - timedelta(days=found.weekday())


# -------------------- Command line: the text that a person gives in a file or on stdin.


LARGEST_INPUT = 32 * 1024 * 1024


def text_at(path: str) -> str:
    """The text of a file, or of stdin for `-`; nothing is guessed and nothing is cut off.

    Raises:
        FileNotThere, NotText: it cannot be read as text.
    """
    if path == "-":
        return _text_of(sys.stdin.buffer.read(LARGEST_INPUT + 1), "stdin")
    if os.path.isdir(path):
        raise FileNotThere(path=path, reason="it is a folder")
    return _text_of(read_file(os.path.realpath(path), LARGEST_INPUT), path)


def _text_of(data: bytes, path: str) -> str:
    if len(data) > LARGEST_INPUT:
        raise FileNotThere(path=path, reason=f"it has more than {LARGEST_INPUT:,} bytes")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise NotText(path=path) from None


def text_given(door: Door, given: dict[str, Any]) -> str:
    """The text, from the one place it was given in."""
    sources = [given["body"] is not None, given["file"] is not None, given["stdin"] is not None]
    if sum(sources) > 1:
        raise door.refusal("Give the text once: --body, --file or -.")
    if given["stdin"] not in (None, "-"):
        raise door.refusal("Put a text of several words in quotes.")
    if given["stdin"] == "-":
        return text_at("-")
    return text_at(given["file"]) if given["file"] else given["body"] or ""
