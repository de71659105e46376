"""What a model is asked when it helps to consolidate, and its answers, checked.

Pure but for the files of `capture/prompts/`. What the statements or records do not bear out is dropped: a
wording with words of its own, a subject that no statement names, a step that no record shows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from recollect._fastimport import NamedTuple
from recollect.capture import asked
from recollect.capture.extraction import (
    LONGEST_STATEMENT,
    NotAnAnswer,
    instructions,
    is_quoted,
    object_in,
    schema,
)
from recollect.capture.wording import stemmed
from recollect.model.layers import is_subject
from recollect.ports import Question
from recollect.text.sentences import one_line, weight_of
from recollect.text.tokens import is_cjk

VERDICTS = ("first", "second", "both", "same", "unsure")
MOST_PAIRS, MOST_STATEMENTS, MOST_STEPS = 10, 30, 10
LONGEST_SHOWN, LONGEST_STEP = 400, 300
MOST_SUBJECT_WORDS, LONGEST_SUBJECT = 3, 32
LEAST_OF_BOTH = 0.5  # share of each statement's words that a common wording keeps
_NOT = frozenset("not no never without don't cannot avoid nothing 不 别 勿 禁 没 无".split())


class Side(NamedTuple):
    """One statement of a pair: what it says, since when, and how far who said it is trusted."""

    text: str
    day: str
    trust: str

    @property
    def line(self) -> str:
        """How a model is shown it."""
        who = {"user": "person", "agent": "agent"}.get(self.trust, "from outside")
        return f"({self.day[:10] or 'no date'}, {who}) {one_line(self.text, LONGEST_SHOWN)}"


class Verdict(NamedTuple):
    """What a model says of a pair; the wording only of two that say the same."""

    what: str
    wording: str = ""


def pairs_question(pairs: Sequence[tuple[Side, Side]]) -> Question:
    """What is sent of pairs that may contradict each other or say the same."""
    rows = [
        f"## Pair {n}\n\nfirst {one.line}\nsecond {other.line}"
        for n, (one, other) in enumerate(pairs, 1)
    ]
    return Question(instructions("pairs"), "\n\n".join(rows), schema("pairs"))


def verdicts_in(
    answer: str, pairs: Sequence[tuple[Side, Side]], redact: Callable[[str], str] = str
) -> dict[int, Verdict]:
    """The verdict on each pair, by its place in the list. Raises NotAnAnswer."""
    found: dict[int, Verdict] = {}
    for n, row in _numbered(answer, "pairs", "pair", len(pairs)):
        what, wording = row.get("verdict"), row.get("wording")
        if what not in VERDICTS or n in found:
            continue
        text = one_line(redact(wording), 2 * LONGEST_STATEMENT) if isinstance(wording, str) else ""
        is_whole = what == "same" and _says_both(text, pairs[n][0].text, pairs[n][1].text)
        found[n] = Verdict(what, text if is_whole else "")
    return found


def subjects_question(statements: Sequence[str], known: Sequence[str]) -> Question:
    """What is sent of statements without a page of their own, with the subjects that have one."""
    rows = [f"{n}. {one_line(text, LONGEST_SHOWN)}" for n, text in enumerate(statements, 1)]
    names = "\n".join(f"- {name}" for name in known) or "none"
    text = "# Existing subjects\n\n" + names + "\n\n# Statements\n\n" + "\n".join(rows)
    return Question(instructions("subjects"), text, schema("subjects"))


def subjects_in(answer: str, statements: Sequence[str], known: Sequence[str]) -> dict[int, str]:
    """The subject of each statement that has one, by its place in the list. Raises NotAnAnswer."""
    pages = {name.casefold(): name for name in known}
    found: dict[int, str] = {}
    for n, row in _numbered(answer, "subjects", "statement", len(statements)):
        said = row.get("subject")
        name = " ".join(said.split()).strip("#*_`.:：。 ") if isinstance(said, str) else ""
        if name.casefold() in pages:
            found[n] = pages[name.casefold()]
        elif _is_name(name) and _names(name) <= _names(statements[n]):
            found[n] = next(
                (one for one in found.values() if one.casefold() == name.casefold()), name
            )
    return found


def steps_question(title: str, records: Sequence[str]) -> Question:
    """What is sent of the times at which the same work was done."""
    rows = [f"# Record {n}\n\n{text}\n\n# End of record {n}" for n, text in enumerate(records, 1)]
    text = "\n\n".join([f"# What was done\n\n{one_line(title, 200)}", *rows])
    return Question(instructions("skill"), text, schema("skill"))


def steps_in(
    answer: str, records: Sequence[str], redact: Callable[[str], str] = str
) -> tuple[str, ...]:
    """The steps that a record shows. Raises NotAnAnswer."""
    record = "\n".join(records)
    steps: list[str] = []
    for row in _rows(answer, "steps"):
        step, quote = row.get("step"), row.get("quote")
        if isinstance(step, str) and isinstance(quote, str) and is_quoted(quote, record):
            text = one_line(redact(step), LONGEST_STEP)
            if text and text not in steps:
                steps.append(text)
    return tuple(steps[:MOST_STEPS]) if len(steps) > 1 else ()


def _rows(answer: str, key: str) -> list[dict[str, Any]]:
    rows = object_in(answer).get(key)
    if not isinstance(rows, list):
        raise NotAnAnswer(f"no {key}")
    return [row for row in rows if isinstance(row, dict)]


def _numbered(answer: str, key: str, number: str, most: int) -> list[tuple[int, dict[str, Any]]]:
    """The rows about something that was asked, each with its place in the list."""
    rows = _rows(answer, key)
    return [
        (n - 1, row)
        for row in rows
        if isinstance(n := row.get(number), int) and not isinstance(n, bool) and 0 < n <= most
    ]


def _says_both(wording: str, one: str, other: str) -> bool:
    """Whether a wording is made of what two statements say, and of most of each."""
    if weight_of(wording) < 8 or len(wording) > LONGEST_STATEMENT:
        return False
    words, first, second = map(_names, (wording, one, other))
    denies = [bool(words_of & _NOT) for words_of in (_plain(wording), _plain(one) | _plain(other))]
    return (
        words <= first | second
        and len(words & first) >= LEAST_OF_BOTH * len(first)
        and len(words & second) >= LEAST_OF_BOTH * len(second)
        and denies[0] == denies[1]
    )


def _is_name(name: str) -> bool:
    is_short = len(name.split()) <= MOST_SUBJECT_WORDS and len(name) <= LONGEST_SUBJECT
    return bool(name) and is_short and not is_subject(name) and bool(_names(name))


def _names(text: str) -> set[str]:
    """The stems of a text's words, numbers too; of Chinese each sign."""
    return {stemmed(word) for word in asked.words_of(text) | _plain(text) if word not in _FILLING}


def _plain(text: str) -> set[str]:
    found: set[str] = set()
    for word in text.casefold().replace("’", "'").split():
        bare = word.strip("\"'“”`*_~,;:.!?()[]{}<>。，；：！？、（）「」")
        found.update([bare] if bare.isascii() else filter(is_cjk, bare))
    return found - {""}


# Words that make a sentence of two others and say nothing.
_FILLING = frozenset(
    "a an the and or but so as that which because since with for to of in on at by is are be it its we our"
    " also both when where while 的 了 和 与 并 且 也 而 因 为 在 是".split()
)
