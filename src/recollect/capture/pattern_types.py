"""The values that a language's pattern module defines."""

from __future__ import annotations

import re

from recollect._fastimport import NamedTuple, Pattern


class DecisionPhrases(NamedTuple):
    """How people decide and rule in one language; all patterns are searched in one sentence."""

    decided: Pattern  # something is chosen
    used: Pattern  # something is in use: a decision, unless trouble with it is reported
    ruled: Pattern  # something is to be done, or not, from now on
    not_meant: Pattern  # a question, a doubt, an idiom: the sentence decides nothing
    passing: Pattern  # about this moment, this line, this file: no rule
    vague: Pattern  # points to what was said or shown before: it says nothing alone
    trouble: Pattern  # a report of trouble
    reported: Pattern  # in front of somebody else's words
    against: Pattern  # a rule that forbids
    general: Pattern  # a sign that a rule holds beyond the task


def any_of(*patterns: str, after: str = "") -> Pattern:
    """One pattern for all of these, whatever the case.

    Those that begin with `after` are tried together where it matches: to match the same start
    anew for each of them would take most of the time.
    """
    started = [pattern.removeprefix(after) for pattern in patterns if _begins(pattern, after)]
    rest = [pattern for pattern in patterns if not _begins(pattern, after)]
    if started:
        rest.append(f"{after}(?:{'|'.join(f'(?:{pattern})' for pattern in started)})")
    return Pattern("|".join(f"(?:{pattern})" for pattern in rest), re.I)


def _begins(pattern: str, start: str) -> bool:
    return bool(start) and pattern.startswith(start)
