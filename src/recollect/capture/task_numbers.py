"""Numbers by which people ask for work: `start working on task 009`, `do tasks T012 - T016`.

Pure. What a number stands for is in the names of files and in what is read of it.
"""

from __future__ import annotations

import re
from functools import lru_cache

from recollect._fastimport import Pattern
from recollect.capture.requests import weight_of

_KINDS = (
    r"(?:task|issue|ticket|story|spec|adr|rfc|bug|pr|pull request|milestone|phase|任务|议题|工单)"
)
_NUMBER = Pattern(
    rf"\b{_KINDS}s? ?#?0*(?P<of>\d{{1,5}})\b|(?<![\w#])#0*(?P<bare>\d{{1,5}})\b|\b(?P<key>[A-Z]{{2,8}}-\d{{1,5}})\b",
    re.I,
)


def number_in(requests: list[str]) -> tuple[str, str]:
    """What a session was to work on where it is said by number: the words, and the number."""
    short = (request for request in requests[:2] if len(request) < 200)
    return next(filter(any, map(_number_in, short)), ("", ""))


@lru_cache(maxsize=4)  # until it has its name, every event may give it
def _number_in(request: str) -> tuple[str, str]:
    found = _NUMBER.search(request)
    return (found[0], found["of"] or found["bare"] or found["key"]) if found else ("", "")


def name_in(text: str, number: str) -> str:
    """The name that a text gives to a number: `Task #009: Add a lid sensor`, `009-add-a-lid-sensor.md`."""
    if number not in text:
        return ""
    at = re.escape(number)
    slug = re.search(
        rf"(?<![\w.-])0*{at}[-_](?P<slug>[a-z][a-z\d]*(?:[-_][a-z\d]+)+)\.\w{{2,5}}\b", text
    )
    if slug:
        return re.sub(r"[-_]+", " ", slug["slug"])
    said = re.search(
        rf"^\W*(?:{_KINDS}s? ?)?#?0*{at}\b[\])`*\"]*\s*(?::|\s[–—-])\s*\**[\"“`]?"
        r"(?P<name>(?-i:[A-Z\u4e00-\u9fff])(?:[^\n\"”|*`(]|`[^`\n]+`){7,80})",
        text,
        re.I | re.M,
    )
    return re.split(r"\. |\s[–—-]\s", said["name"])[0] if said else ""


SUBJECT = 2  # words that name one
# What says by its number alone what is to be done: `do tasks T012 - T016`, `implement phase 2 of the plan`.
_BY_NUMBER = Pattern(
    r"\b(?:(?:user )?stor(?:y|ies)|phases?|steps?|milestones?|tasks?|sprints?|epics?|use cases?|[A-Z]{1,2}\d{1,4}"
    r"|complete|do|finish|implement|start|begin|satisfied|mark(?:ed)?|planned|all|first|next|remaining|completion|\d+)\b",
    re.I,
)


def is_by_number(title: str) -> bool:
    """Whether a title says what was to be done by a number and nothing else."""
    return any(map(str.isdigit, title)) and weight_of(_BY_NUMBER.sub(" ", title)) < SUBJECT
