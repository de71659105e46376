"""Read times as people write them; count days."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

from recollect._fastimport import Pattern
from recollect.model.memory import DECAY_DAYS

_WRITTEN_TIME = Pattern(
    r"(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})(?!\d)日?"
    r"(?:[T\s]*(\d{1,2})[:：](\d{2})(?:[:：](\d{2})(?:[.,]\d*)?)?\s*(?:([+-])(\d{2}):?(\d{2}))?)?",
    re.IGNORECASE,
)


def time_of(value: str) -> str:
    """A time as people write it, in our form (UTC); empty if it is no time."""
    if len(value) == 20 and value[4] == value[7] == "-" and value[10] + value[19] == "TZ":
        try:  # our own form, which most times have
            return f"{datetime.fromisoformat(value[:19]).isoformat()}Z"
        except ValueError:
            pass
    match = _WRITTEN_TIME.match(value)
    if not match:
        return ""
    try:
        time = datetime(*(int(part or 0) for part in match.groups()[:6]))  # type: ignore[arg-type]  # noqa: DTZ001
        if match[7]:
            ahead = timedelta(hours=int(match[8]), minutes=int(match[9]))
            time = time - ahead if match[7] == "+" else time + ahead
    except (ValueError, OverflowError):
        return ""
    return f"{time.isoformat()}Z"


def days_after(day: str, days: int) -> str:
    """The day so many days after (or before) another; empty if that is no date."""
    try:
        return (date.fromisoformat(day[:10]) + timedelta(days=days)).isoformat()
    except (ValueError, OverflowError):
        return ""


def decay_day(created: str) -> str:
    """The day after which an episode fades: 90 days after it was made (UTC)."""
    return days_after(created, DECAY_DAYS)


def is_day(text: str) -> bool:
    """Whether a text is a day that exists, or a month or a year: 2026-01-31, 2026-01, 2026."""
    try:
        date.fromisoformat(f"{text}-01-01"[:10])
    except ValueError:
        return False
    return len(text) in (4, 7, 10) and text.replace("-", "").isdecimal()


def minute(time: str) -> str:
    """A time as people read it, to the minute."""
    return time[:16].replace("T", " ")
