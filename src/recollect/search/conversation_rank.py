"""Score turns of a conversation together with their neighbours.

A question stands before its answer, a name before what it did. The best turn keeps its text score,
so that turns and memories stay comparable; a turn without any query word ranks behind a neighbour.
`python -m bench.recall` measures each part.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from recollect._fastimport import IGNORE_CASE, Pattern
from recollect.search.rank import Candidate, Cue

# Weights: the turn's own text score, and that of the best two of its session; the same of meaning.
OWN, SESSION = 0.5, 0.35
MEANING, SESSION_MEANING = 1.4, 0.3
# … and that of the turns beside it. A later part of a long turn gives nothing: the end of an agent's
# answer is not what the person goes on about.
BESIDE = {-1: 0.3, -2: 0.1, 1: 0.05}
NAMED = 0.65  # the cue names the speaker
PERSON = 0.6  # the person says what they want; an agent's long answers have every word
DATED = 0.4  # the cue asks when, and the turn has a time in it
COUNTED = 0.3  # the cue asks how many, and the turn has a number in it
ASKING = 0.3  # less for a speaker who only asks: another one answers
LATER = 0.3  # less for the later parts of a long turn: its subject stands at the beginning
PERSON_BY_MEANING, LATER_BY_MEANING = 1.0, 0.8  # the last two where there are vectors
STRONG = 0.3  # share of the best score from which on the turns beside a turn are candidates

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


def is_turn(one: Candidate) -> bool:
    """Whether a candidate is a turn of a raw conversation."""
    return one.path.endswith("/conversation.md")


def strong(turns: Sequence[Candidate]) -> list[Candidate]:
    """The turns with the highest scores, whose neighbours are candidates, too."""
    best = max((one.text_score for one in turns), default=0.0)
    return [one for one in turns if one.text_score >= best * STRONG]


def rate_in_context(turns: Sequence[Candidate], cue: Cue) -> None:
    """Adjust the text scores of turns by what stands around them, and by their meaning."""
    best = max((one.text_score for one in turns), default=0.0)
    has_meaning = any(one.meaning for one in turns)
    if best <= 0 and not has_meaning:
        return
    person, later = (PERSON_BY_MEANING, LATER_BY_MEANING) if has_meaning else (PERSON, LATER)
    best = best if best > 0 else 1.0
    own = {(one.memory, one.n): one.text_score / best for one in turns}
    firsts = {(one.memory, one.n): own[one.memory, one.n] for one in turns if not _is_later(one)}
    sessions = _best_of_sessions(own)
    meanings = _best_of_sessions({(one.memory, one.n): one.meaning for one in turns})
    bonuses = _bonuses(cue)
    scores = []
    for one in turns:
        score = sum(w * firsts.get((one.memory, one.n + by), 0.0) for by, w in BESIDE.items())
        score += OWN * own[one.memory, one.n] + SESSION * sessions[one.memory]
        score += MEANING * one.meaning + SESSION_MEANING * meanings[one.memory]
        speaker, _, text = one.text.partition("\n")
        is_person = speaker_of(speaker) in _PERSONS
        if not is_person:
            score -= ASKING * _share_of_questions(text)
        elif one.meaning > 0 or own[one.memory, one.n] > 0:
            score += person
        score += sum(weight for weight, applies in bonuses if applies(speaker, text))
        scores.append(max(0.0, score - later * _is_later(one)))
        one.meaning = 0.0  # it has been counted
    highest = max(scores) or 1.0
    for one, score in zip(turns, scores, strict=True):
        one.text_score = best * score / highest


def _is_later(one: Candidate) -> bool:
    return "." in one.anchor


def _best_of_sessions(own: dict[tuple[int, int], float]) -> dict[int, float]:
    """The sum of the best two turns of each session, where the best session has 1."""
    scores: dict[int, list[float]] = {}
    for (memory, _), score in own.items():
        scores.setdefault(memory, []).append(score)
    sums = {memory: sum(sorted(several)[-2:]) for memory, several in scores.items()}
    highest = max(sums.values()) or 1.0
    return {memory: value / highest for memory, value in sums.items()}


def _share_of_questions(text: str) -> float:
    if "?" not in text and "？" not in text:
        return 0.0
    sentences = _SENTENCE.findall(text)
    return sum("?" in one or "？" in one for one in sentences) / max(1, len(sentences))


def _bonuses(cue: Cue) -> list[tuple[float, Callable[[str, str], object]]]:
    """`(weight, whether a turn has it)` for what this cue asks of speaker and text."""
    words = {word.casefold() for word in _WORD.findall(cue.text)}
    found: list[tuple[float, Callable[[str, str], object]]] = [
        (NAMED, lambda speaker, _: speaker_of(speaker) in words)
    ]
    if _ASKS_WHEN.search(cue.text):
        found.append((DATED, lambda _, text: _TIME.search(text)))
    if _ASKS_HOW_MANY.search(cue.text):
        found.append((COUNTED, lambda _, text: _NUMBER.search(text)))
    return found


def speaker_of(turn: str) -> str:
    """The speaker of a turn, by its first line."""
    return turn.partition("\n")[0].partition(" [")[0].strip().casefold()
