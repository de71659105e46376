"""Struggle: what failed, what worked instead, and the words that will bring it back.

Promises: only a different command that works after a failure is a solution (a fixed test is not);
triggers are plain words, whatever the error said; nothing here quotes more than one line of it.
Touches: nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from recollect.domain.names import slug_of
from recollect.domain.pattern import Pattern
from recollect.named import NamedTuple

MOST_TRIGGERS = 8
LONGEST_LINE = 200
_ESCAPES = Pattern(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[@-_]|[\x00-\x08\x0b-\x1f\x7f]")
_TELLING = (
    "error", "exception", "fatal", "denied", "not found", "cannot", "can't", "could not",
    "couldn't", "no such", "unknown", "refused", "timed out", "timeout", "time out", "locked",
    "invalid", "unrecogni", "unsupported", "missing", "already in use", "not recognized",
    "错误", "失败", "找不到", "无法", "不存在", "拒绝",
)  # fmt: skip
_NAMED = Pattern(
    r"\b[A-Z][A-Za-z]+(?:Error|Exception|Warning)\b|\bE[A-Z]{3,14}\b|\b[A-Z]{2,}_[A-Z_]{3,}\b"
    r"|\b(?:TS|E|F|W|SC|CS|HTTP )\d{3,5}\b"
)
_PHRASES = (
    "command not found",
    "no such file or directory",
    "permission denied",
    "address already in use",
    "connection refused",
    "module not found",
    "externally-managed-environment",
    "database is locked",
    "already exists",
    "not a git repository",
    "unrecognized arguments",
    "unknown option",
    "out of memory",
    "disk quota exceeded",
    "no space left on device",
    "certificate verify failed",
    "version conflict",
    "not recognized",
    "timed out",
)
_ASSIGNED = Pattern(r"[A-Za-z_]\w*=")
_QUOTED = Pattern(r"['\"`‘“]([\w@./:+-]{2,40})['\"`’”]")
_TESTS = Pattern(
    r"\bAssertionError\b|\b\d+ fail(?:ed|ing|ures?)\b(?=\s*(?:[,;|=)]|in \d|$))|^FAILED\b|\bassert \b"
    r"|✗|● ",
    re.M,
)
# Programs that only look: nothing is mended by them.
_LOOKING = frozenset(
    "ls cat head tail less grep rg find fd echo printf pwd which type whereis ps top df du stat file"
    " wc diff tree man sleep date history test jq sed awk sort uniq cut".split()
)
_LOOKING_WORDS = frozenset("status log diff show ps logs list info version help inspect".split())
MOST_STEPS = 2
_SIGNS_OF_TESTS = ("fail", "FAIL", "ssert", "✗", "● ")
_NOT_PROGRAMS = frozenset("sudo env time nohup command exec cd export source set true".split())


class Failure(NamedTuple):
    """A call that failed, as the session remembers it until something works.

    `since` are the commands that worked after it; `edited` says that a file was edited meanwhile.
    """

    tool: str
    target: str
    error: str
    step: int
    since: Sequence[str] = ()
    edited: bool = False


class Solution(NamedTuple):
    """What a session learned from a failure."""

    slug: str
    symptom: str
    failed: str
    solution: str
    why: str
    triggers: tuple[str, ...]


def clean_line(text: str) -> str:
    """`text` on one line without escapes and control characters."""
    return " ".join(_ESCAPES.sub("", text).split())[:LONGEST_LINE]


def telling_line(error: str) -> str:
    """The line of an error that says most: the last of a traceback, else the first that tells."""
    # pytest marks the lines of an exception with `E   `.
    lines = [clean_line(line.removeprefix("E   ")) for line in error.splitlines()]
    lines = [line for line in lines if line and not re.match(r"exit code \d+$", line, re.I)]
    telling = [line for line in lines if _tells(line)]
    if not telling:
        return lines[0] if lines else ""
    return telling[-1] if "Traceback" in error else telling[0]


def program_of(command: str) -> str:
    """The program that a shell command is about."""
    for part in re.split(r"&&|\|\||;|\|", command):
        words = [w for w in part.split() if not _ASSIGNED.match(w)]
        words = [w for w in words if w not in _NOT_PROGRAMS and not w.startswith("-")]
        if words and not part.strip().startswith("cd "):
            return words[0].rsplit("/", 1)[-1][:40]
    return ""


def triggers_of(target: str, error: str) -> tuple[str, ...]:
    """The words by which the same trouble is recognised: names of errors, programs, things."""
    line = telling_line(error)
    found = [m[0].replace(" ", "-") for m in _NAMED.finditer(error[:4000])]
    low = error[:4000].lower()
    found += [phrase.replace(" ", "-") for phrase in _PHRASES if phrase in low]
    found += [program_of(target)]
    found += [m[1].rstrip(".:/") for m in _QUOTED.finditer(line)]
    words = (w for w in found if re.fullmatch(r"[\w@./:+-]{2,40}", w))
    return tuple(dict.fromkeys(words))[:MOST_TRIGGERS]


def solved(failure: Failure, command: str, said: str) -> Solution | None:
    """What is learned if `command` worked after `failure`, or None if nothing is.

    That is another way to do the same, or what was done in between that made the same command
    work. `said` is what the agent said in between, taken for the reason.
    """
    if failure.target.split() == command.split():
        steps = [] if failure.edited else [one for one in failure.since if _is_doing(one)]
        command = " && ".join([*steps[-MOST_STEPS:], command]) if steps else command
    if _is_same_try(failure.target, command) or not _shared_words(failure.target, command):
        return None
    if not may_teach(failure.error):
        return None
    triggers = triggers_of(failure.target, failure.error)
    program = program_of(failure.target)
    main = next((t for t in triggers if t != program), "")
    return Solution(
        slug=slug_of(f"{program} {main}")[:48].strip("-"),
        symptom=telling_line(failure.error),
        failed=clean_line(failure.target),
        solution=clean_line(command),
        why=clean_line(said),
        triggers=triggers,
    )


def may_teach(error: str) -> bool:
    """Whether something can be learned from an error: a failing test only says what is wrong."""
    if not _tells(error) or not telling_line(error):
        return False
    return not (any(sign in error for sign in _SIGNS_OF_TESTS) and _TESTS.search(error))


def _tells(text: str) -> bool:
    low = text.lower()
    return any(word in low for word in _TELLING)


def _is_doing(command: str) -> bool:
    """Whether a command may have changed anything: it does not only look."""
    if "\n" in command or len(command) > LONGEST_LINE // 2:
        return False
    for part in re.split(r"&&|\|\||;|\|", command):
        program, words = program_of(part), part.split()
        if program and program not in _LOOKING and not _LOOKING_WORDS & set(words[1:3]):
            return "--version" not in words
    return False


def _words(command: str) -> set[str]:
    return set(re.findall(r"[\w.+-]{2,}", command.lower())) - _NOT_PROGRAMS


def _is_same_try(failed: str, worked: str) -> bool:
    """Whether only paths or nothing differ: running it again, or on another file, is no lesson."""
    a, b = failed.split(), worked.split()
    return [w for w in a if not _is_path(w)] == [w for w in b if not _is_path(w)]


def _is_path(word: str) -> bool:
    if _ASSIGNED.match(word):
        return False  # a setting for the command: that is what was different
    return "/" in word[1:] or "::" in word or bool(re.search(r"\.\w{1,4}$", word))


def _shared_words(failed: str, worked: str) -> set[str]:
    return {w for w in _words(failed) & _words(worked) if len(w) > 2 and not w.startswith("-")}
