"""Parse the period that a query names: “last week”, “in March”, 上周, 三月, 2026-03-05.

A period is never in the future. Look-alikes (“may”, “march on”, “the second”, the time of a log
line) are none. Days are counted from 1970. Only queries that may name a time load this module.
"""

from __future__ import annotations

from datetime import date

MONTHS = (
    "january february march april may june july august september october november december".split()
)
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_SHORT = {name[:3]: n for n, name in enumerate(MONTHS, 1)} | {"sept": 9}
_NUMBERS = {"a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_DIGITS = {digit: n for n, digit in enumerate("〇一二三四五六七八九十")} | {
    "两": 2,
    "十一": 11,
    "十二": 12,
}
_UNITS = {"day": 1, "days": 1, "week": 7, "weeks": 7, "month": 30, "months": 30}
# The words before a month that is meant as one: nobody says “in may” for the verb.
_BEFORE_MONTH = frozenset("in since during from of until last this early late mid by".split())
_EPOCH = date(1970, 1, 1).toordinal()

Period = tuple[int, int]  # the first and the last day


def period_of(text: str, today: int) -> tuple[Period, str] | None:
    """The period and the rest of the text; None if the text names no time."""
    found = _chinese(text, today) if not text.isascii() else None
    return found or _english(text, today)


# ---------------------------------------------------------------------------------------- days


def _day(year: int, month: int, day: int) -> int:
    return date(year, month, day).toordinal() - _EPOCH


def _date(day: int) -> date:
    return date.fromordinal(day + _EPOCH)


def _year(year: int) -> Period:
    return _day(year, 1, 1), _day(year, 12, 31)


def _month(year: int, month: int) -> Period:
    after = (year + 1, 1) if month == 12 else (year, month + 1)
    return _day(year, month, 1), _day(*after, 1) - 1


def _latest_month(month: int, today: int) -> Period:
    """The last month of that name that has begun."""
    now = _date(today)
    return _month(now.year if month <= now.month else now.year - 1, month)


def _month_before(today: int, back: int) -> Period:
    now = _date(today)
    year, month = divmod(now.year * 12 + now.month - 1 - back, 12)
    return _month(year, month + 1)


def _week(today: int, back: int) -> Period:
    monday = today - _date(today).weekday() - 7 * back
    return monday, monday + 6


def _weekend(today: int, back: int) -> Period:
    sunday = _week(today, back)[1]
    return sunday - 1, sunday


def _weekday(wanted: int, today: int) -> Period:
    """The last such day before today."""
    day = today - ((_date(today).weekday() - wanted - 1) % 7 + 1)
    return day, day


def _ago(count: int, unit: int, today: int) -> Period:
    if unit == 1:
        return today - count, today - count
    return _week(today, count) if unit == 7 else _month_before(today, count)


def _until_today(period: Period, today: int) -> Period | None:
    first, last = period
    return (first, min(last, today)) if first <= today else None


def _is_clock(text: str) -> bool:
    """Whether a text begins with `10:22`: then the date before it is that of a line in a log."""
    hours, colon, minutes = text.partition(":")
    return bool(colon) and hours.isdecimal() and minutes[:2].isdecimal()


# ------------------------------------------------------------------------------------- English


def _english(text: str, today: int) -> tuple[Period, str] | None:
    spoken = text.split()
    words = [word.strip("\"'`()[]{}.,;:!?").lower().removesuffix("'s") for word in spoken]
    for at in range(len(words)):
        found = _named_at(words, at, today)
        if found:
            period, size = found
            clipped = _until_today(period, today)
            if clipped and not _is_clock(" ".join(words[at + size : at + size + 1])):
                return clipped, " ".join([*spoken[:at], "–", *spoken[at + size :]])
    return None


def _named_at(words: list[str], at: int, today: int) -> tuple[Period, int] | None:
    """The time that is named from a word on, and by how many words."""
    word = words[at]
    rest = [*words[at + 1 : at + 4], "", "", ""]
    if word in ("yesterday", "today"):
        day = today - (word == "yesterday")
        return (day, day), 1
    if word in ("last", "past", "previous", "this"):
        return _relative(word != "this", rest[0], today)
    if rest[1] == "ago" and rest[0] in _UNITS:
        count = _NUMBERS.get(word) or (int(word) if word.isdecimal() and len(word) < 4 else 0)
        return (_ago(count, _UNITS[rest[0]], today), 3) if count else None
    if word == "on" and rest[0] in WEEKDAYS and not _LOOKS_BACK.isdisjoint(words):
        return _weekday(WEEKDAYS.index(rest[0]), today), 2
    if word.count("-") in (1, 2) and word[:4].isdecimal() and len(word) in (7, 10):
        period = _iso(word)
        return (period, 1) if period else None
    return _month_at(words, at, today)


# Who asks what was on a day uses one of these; `ship on Friday` is a plan.
_LOOKS_BACK = frozenset(
    "what when which who did was were had last meeting said wrote made decided discussed worked".split()
)


def _relative(is_before: bool, unit: str, today: int) -> tuple[Period, int] | None:  # noqa: FBT001
    back = int(is_before)
    if unit == "week":
        return _week(today, back), 2
    if unit == "weekend":
        return _weekend(today, back), 2
    if unit == "month":
        return _month_before(today, back), 2
    if unit == "year":
        return _year(_date(today).year - back), 2
    if unit in WEEKDAYS and is_before:
        return _weekday(WEEKDAYS.index(unit), today), 2
    month = _month_named(unit)
    return (_latest_month(month, today), 2) if month else None


def _month_at(words: list[str], at: int, today: int) -> tuple[Period, int] | None:
    """“in March”, “since May”, “March 2026”, “March 5th”, “5 March 2026”; “in 2025”."""
    is_led = words[at] in _BEFORE_MONTH
    one, two, three = [*words[at + is_led : at + is_led + 3], "", "", ""][:3]
    if is_led and _is_year(one):
        return _year(int(one)), 2
    if _day_in(one):
        one, two = two, one
    month, day = _month_named(one), _day_in(two)
    year = int(three if day else two) if _is_year(three if day else two) else 0
    if not month or not (is_led or day or year):
        return None
    first, last = _month(year, month) if year else _latest_month(month, today)
    size = is_led + 1 + bool(day) + bool(year)
    if day:
        return ((first + day - 1,) * 2, size) if day <= last - first + 1 else None
    return (first, today if words[at] == "since" else last), size


def _month_named(word: str) -> int:
    return MONTHS.index(word) + 1 if word in MONTHS else _SHORT.get(word, 0)


def _day_in(word: str) -> int:
    """The day of a month that `5` and `5th` say; 0 for anything else."""
    digits = word[:-2] if word[-2:] in ("st", "nd", "rd", "th") else word
    return int(digits) if digits.isascii() and digits.isdecimal() and len(digits) < 3 else 0


def _is_year(word: str) -> bool:
    return len(word) == 4 and word.isdecimal() and word[:2] in ("19", "20")


def _iso(word: str) -> Period | None:
    parts = word.split("-")
    if not all(part.isdecimal() for part in parts):
        return None
    year, month, *days = map(int, parts)
    if not 1 <= month <= 12:
        return None
    first, last = _month(year, month)
    if not days:
        return first, last
    return (first + days[0] - 1,) * 2 if 1 <= days[0] <= last - first + 1 else None


# ------------------------------------------------------------------------------------- Chinese

_DAYS_BACK = {"今天": 0, "昨天": 1, "前天": 2}
_WEEK_WORDS = ("周", "星期", "礼拜")


def _chinese(text: str, today: int) -> tuple[Period, str] | None:
    for start in range(len(text)):
        found = _chinese_at(text, start, today)
        if found:
            period, size = found
            clipped = _until_today(period, today)
            if clipped and not _is_clock(text[start + size : start + size + 9].lstrip()):
                return clipped, f"{text[:start]} – {text[start + size :]}"
    return None


def _chinese_at(text: str, at: int, today: int) -> tuple[Period, int] | None:
    two = text[at : at + 2]
    if two in _DAYS_BACK:
        day = today - _DAYS_BACK[two]
        return (day, day), 2
    if text[at] in "上这本":
        return _chinese_relative(text, at, today)
    year, size = _chinese_year(text, at, today)
    if size:
        month = _chinese_month(text, at + size, today, year)
        if month:
            return month[0], size + month[1]
        return _year(year), size
    count, digits = _number(text, at)
    unit = text[at + digits : at + digits + 3] if digits else ""
    for word, days in (("天前", 1), ("周前", 7), ("个月前", 30)):
        if unit.startswith(word):
            return _ago(count, days, today), digits + len(word)
    return _chinese_month(text, at, today, 0)


def _chinese_relative(text: str, at: int, today: int) -> tuple[Period, int] | None:
    back = int(text[at] == "上")
    size = 1 + (text[at + 1 : at + 2] == "个")
    for word in _WEEK_WORDS:
        if text.startswith(word, at + size):
            size += len(word)
            if text.startswith("末", at + size):
                return _weekend(today, back), size + 1
            day = "一二三四五六日".find(text[at + size : at + size + 1] or "?")
            first, last = _week(today, back)
            return ((first + day,) * 2, size + 1) if day >= 0 else ((first, last), size)
    if text.startswith("月", at + size):
        return _month_before(today, back), size + 1
    return None


def _chinese_year(text: str, at: int, today: int) -> tuple[int, int]:
    now = _date(today).year
    if text.startswith(("去年", "今年"), at):
        return now - (text[at] == "去"), 2
    if _is_year(text[at : at + 4]) and text[at + 4 : at + 5] == "年":
        return int(text[at : at + 4]), 5
    return 0, 0


def _chinese_month(text: str, at: int, today: int, year: int) -> tuple[Period, int] | None:
    if at and (text[at - 1].isdecimal() or text[at - 1] in _DIGITS or text[at - 1] == "第"):
        return None
    month, size = _number(text, at)
    if not 1 <= month <= 12 or text[at + size : at + size + 1] != "月":
        return None
    first, last = _month(year, month) if year else _latest_month(month, today)
    size += 1 + (text[at + size + 1 : at + size + 2] == "份")
    day, digits = _number(text, at + size)
    if digits and text[at + size + digits : at + size + digits + 1] in ("日", "号"):
        return (first + day - 1,) * 2, size + digits + 1
    return (first, last), size


def _number(text: str, at: int) -> tuple[int, int]:
    """The small number that stands at a place, in digits or in characters, and its length."""
    end = at
    while end < len(text) and end < at + 2 and text[end].isascii() and text[end].isdecimal():
        end += 1
    if end > at:
        return int(text[at:end]), end - at
    for size in (3, 2, 1):
        word = text[at : at + size]
        if len(word) == size and all(char in _DIGITS for char in word):
            value = _chinese_number(word)
            if value:
                return value, size
    return 0, 0


def _chinese_number(word: str) -> int:
    tens, ten, ones = word.partition("十")
    if not ten:
        return _DIGITS[word] if len(word) == 1 else 0
    if len(tens) > 1 or len(ones) > 1:
        return 0
    return (_DIGITS[tens] if tens else 1) * 10 + (_DIGITS[ones] if ones else 0)
