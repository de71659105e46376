"""Notice: what a language module says of its language.

Promises: nothing but values.
Touches: nothing.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Wording(NamedTuple):
    """How people decide and rule in one language; all patterns are searched in one sentence."""

    decided: re.Pattern[str]  # something is chosen
    used: re.Pattern[str]  # something is in use: a decision, unless trouble with it is reported
    ruled: re.Pattern[str]  # something is to be done, or not, from now on
    not_meant: re.Pattern[str]  # a question, a doubt, an idiom: the sentence decides nothing
    passing: re.Pattern[str]  # about this moment, this line, this file: no rule
    trouble: re.Pattern[str]  # a report of trouble
    reported: re.Pattern[str]  # in front of somebody else's words
    against: re.Pattern[str]  # a rule that forbids


def any_of(*patterns: str, after: str = "") -> re.Pattern[str]:
    """One pattern for all of these, whatever the case.

    Those that begin with `after` are tried together where it matches: to match the same start
    anew for each of them would take most of the time.
    """
    started = [pattern.removeprefix(after) for pattern in patterns if _begins(pattern, after)]
    rest = [pattern for pattern in patterns if not _begins(pattern, after)]
    if started:
        rest.append(f"{after}(?:{'|'.join(f'(?:{pattern})' for pattern in started)})")
    return re.compile("|".join(f"(?:{pattern})" for pattern in rest), re.I)


def _begins(pattern: str, start: str) -> bool:
    return bool(start) and pattern.startswith(start)
