"""Score turns of a conversation together with their neighbours.

A question stands before its answer, a name before what it did. The best turn keeps its text score,
so that turns and memories stay comparable; a turn without any query word ranks behind a neighbour.
`python -m bench.recall` measures each part.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from recollect._fastimport import IGNORE_CASE, Pattern
from recollect.search.rank import Candidate, Cue

# -------------------- Turns: which of what was found are turns of raw conversations.


def is_turn(one: Candidate) -> bool:
    """Whether a candidate is a turn of a raw conversation."""
    return one.path.endswith("/conversation.md")


OWN, SESSION = 0.5, 0.35  # the turn's own text score, and that of the best two of its session
MEANING, MEANT_SESSION = (
    1.4,
    0.3,
)  # the same of how near they are in meaning, where there are vectors
# What a turn gets from the one before it, … A later part of a long turn gives nothing: the end of an
# agent's answer is not what the person goes on about.
BESIDE = {-1: 0.3, -2: 0.1, 1: 0.05}
NAMED = 0.65  # the cue names who speaks
PERSON = 0.6  # the person says what they want; an agent's long answers have every word
DATED = 0.4  # the cue asks when, and the turn has a time in it
COUNTED = 0.3  # the cue asks how many, and the turn has a number in it
ASKING = 0.3  # less for one of several people who does nothing but ask: another one answers
LATER = 0.3  # less for the later parts of a long turn: what it is about stands at its beginning
MEANT_PERSON, MEANT_LATER = 1.0, 0.8  # the same two where there are vectors: more is summed up
STRONG = 0.3  # from this share of the best on, the turns beside a turn are worth a look

_PERSONS = ("user", "human", "用户")
_WORD = Pattern(r"\w+")
_ASKS_WHEN = Pattern(
    r"\bwhen\b|\bwhat (?:date|day|month|year|time)\b|什么时候|何时|哪[天年月]|几[月号]", IGNORE_CASE
)
_TIME = Pattern(
    r"\b(?:yesterday|today|tomorrow|tonight|last|next|ago|week|weekend|month|year|day|morning|evening|(?:mon|tues|wednes|"
    r"thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october|november|december|20\d\d)\b"
    r"|[昨今明前后][天年晚]|[上下本这]周|星期|周[一二三四五六日末]|\d\s*[年月日号]",
    IGNORE_CASE,
)
_ASKS_HOW_MANY = Pattern(
    r"\bhow (?:many|much|long|old|often)\b|多少|多久|几[个次天年岁]", IGNORE_CASE
)
_NUMBER = Pattern(
    r"\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|once|twice|couple|few|several|many)\b|[一二两三四五六七八九十百\d]+[个次天年岁]",
    IGNORE_CASE,
)
_SENTENCE = Pattern(r"[^.!?。！？]+[.!?。！？]*")


def strong(turns: Sequence[Candidate]) -> list[Candidate]:
    """The turns that speak loud enough for those beside them to be looked at."""
    best = max((one.text_score for one in turns), default=0.0)
    return [one for one in turns if one.text_score >= best * STRONG]


def in_context(turns: Sequence[Candidate], cue: Cue) -> None:
    """Let the text scores of turns say what was said around them, and what they mean, too."""
    best = max((one.text_score for one in turns), default=0.0)
    is_meant = any(one.meaning for one in turns)
    if best <= 0 and not is_meant:
        return
    person, later = (MEANT_PERSON, MEANT_LATER) if is_meant else (PERSON, LATER)
    best = best if best > 0 else 1.0
    own = {(one.memory, one.n): one.text_score / best for one in turns}
    firsts = {(one.memory, one.n): own[one.memory, one.n] for one in turns if not _is_later(one)}
    sessions = _of_sessions(own)
    meant = _of_sessions({(one.memory, one.n): one.meaning for one in turns})
    extra = _bonuses(cue)
    scores = []
    for one in turns:
        beside = sum(w * firsts.get((one.memory, one.n + by), 0.0) for by, w in BESIDE.items())
        said = OWN * own[one.memory, one.n] + SESSION * sessions[one.memory] + beside
        said += MEANING * one.meaning + MEANT_SESSION * meant[one.memory]
        who, _, text = one.text.partition("\n")
        if speaker_of(who) in _PERSONS and (one.meaning > 0 or own[one.memory, one.n] > 0):
            said += person
        one.meaning = 0.0  # it has been counted
        said += sum(weight for weight, is_so in extra if is_so(who, text))
        if speaker_of(who) not in _PERSONS:
            said -= ASKING * _share_asked(text)
        scores.append(max(0.0, said - later * _is_later(one)))
    highest = max(scores) or 1.0
    for one, score in zip(turns, scores, strict=True):
        one.text_score = best * score / highest


def _is_later(one: Candidate) -> bool:
    return "." in one.anchor


def _of_sessions(own: dict[tuple[int, int], float]) -> dict[int, float]:
    """What the best two turns of each session have, where the best session has 1."""
    several: dict[int, list[float]] = {}
    for (memory, _), score in own.items():
        several.setdefault(memory, []).append(score)
    found = {memory: sum(sorted(scores)[-2:]) for memory, scores in several.items()}
    highest = max(found.values()) or 1.0
    return {memory: score / highest for memory, score in found.items()}


def _share_asked(text: str) -> float:
    """How much of what is said are questions, by the number of sentences."""
    if "?" not in text and "？" not in text:
        return 0.0
    sentences = _SENTENCE.findall(text)
    return sum("?" in one or "？" in one for one in sentences) / max(1, len(sentences))


Bonus = tuple[float, Callable[[str, str], object]]


def _bonuses(cue: Cue) -> list[Bonus]:
    """`(weight, whether a turn has it)` for what this cue asks of who speaks and what they say."""
    words = {word.casefold() for word in _WORD.findall(cue.text)}
    found: list[Bonus] = [(NAMED, lambda who, _: speaker_of(who) in words)]
    if _ASKS_WHEN.search(cue.text):
        found.append((DATED, lambda _, text: _TIME.search(text)))
    if _ASKS_HOW_MANY.search(cue.text):
        found.append((COUNTED, lambda _, text: _NUMBER.search(text)))
    return found


def speaker_of(turn: str) -> str:
    """Who says a turn, by its first line."""
    return turn.partition("\n")[0].partition(" [")[0].strip().casefold()
