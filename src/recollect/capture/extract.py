"""Extract facts from sentences: at most one per sentence, in the person's words."""

from __future__ import annotations

import re
from functools import lru_cache

from recollect._fastimport import Pattern
from recollect.capture.patterns_en import ENGLISH
from recollect.capture.patterns_zh import CHINESE
from recollect.capture.phrases import Wording
from recollect.model.facts import Fact
from recollect.text.sentences import (
    first_sentence,
    sentences_of,
    shortened,
    without_blocks,
    without_quotations,
)

LONGEST = 320
_CJK = Pattern(r"[\u4e00-\u9fff]")
_LEAD = Pattern(
    r"^(?:(?:ok(?:ay)?|yes|yeah|right|sure|also|and|so|then|well|please|one more thing|btw|by the way)"
    r"\b[,:.!]?\s+|(?:好的?|对|嗯|另外|还有|然后|那么?|而且|对了)[，,：:！。\s]+|请(?=[^注求问]))",
    re.I,
)
_STATED = Pattern(r"^(?:decision|decided)\s*[:：]\s*|^(?:决定|决策)\s*[:：]\s*", re.I)
_REASON = Pattern(
    r"(?:,|;|\s[–—-])?\s+(?:because|since|so that|as it|as we|in order to|due to|to avoid)\b\s*"
    r"|[,，;；]?\s*(?:因为|由于|以便|为了避免|原因是|理由是)[:：]?\s*",
    re.I,
)
_TECHNOLOGY = Pattern(
    r"\b(?:use|using|adopt|switch|migrate|library|framework|database|version|instead of)\b"
    r"|[A-Z][A-Za-z]*(?:SQL|DB|JS|QL)\b|用|采用|换成|改用|数据库|框架|版本|库",
    re.I,
)
_ARCHITECTURE = Pattern(
    r"\b(?:architecture|modules?|services?|layers?|schema|boundar\w+|monolith|microservices?|pipeline"
    r"|queue)\b|架构|模块|服务|分层|层次|微服务|单体",
    re.I,
)
_SAID = Pattern(
    r"^(?:we|i|the team)(?:['’]ve| have)?(?: all)? (?:decided|agreed|chose|opted) "
    r"(?:to|that we(?:['’]ll| will)?|that|on)\s+(?!not\b)"
    r"|^(?:let['’]?s|we(?:['’]ll| will| shall)|i(?:['’]d| would) like us to|i want us to)\s+(?!not\b)"
    r"|^我?们?(?:已经)?决定[了:：,，]?\s*",
    re.I,
)


def facts_said(text: str) -> list[Fact]:
    """The decisions and preferences in a person's prompt, in order."""
    found = (fact_in(sentence) for sentence in sentences_of(text))
    return [fact for fact in found if fact]


@lru_cache(maxsize=256)  # a prompt is read for its facts and for its task
def fact_in(sentence: str) -> Fact | None:
    """What one sentence of a person decides or rules, or None."""
    if len(sentence) > LONGEST:
        return None
    while lead := _LEAD.match(sentence):
        sentence = sentence[lead.end() :]
    wording = CHINESE if _CJK.search(sentence) else ENGLISH
    plain = without_quotations(sentence)
    if wording.not_meant.search(plain):
        return None
    if stated := _STATED.match(sentence):
        return _decision(sentence[stated.end() :], "instructed")
    if _is_ruled(plain, wording):
        category = "anti-pattern" if wording.against.search(plain) else "convention"
        return Fact("pattern", _tidy(sentence), category=category, source="instructed")
    if _is_decided(plain, wording):
        return _decision(sentence, "instructed")
    return None


def _is_ruled(plain: str, wording: Wording) -> bool:
    found = wording.ruled.search(plain)
    if found is None or wording.passing.search(plain):
        return False
    return not wording.reported.search(plain[: found.start()])


def _is_decided(plain: str, wording: Wording) -> bool:
    found = wording.decided.search(plain)
    if found is None and not wording.trouble.search(plain):
        found = wording.used.search(plain)
    return found is not None and not wording.reported.search(plain[: found.start()])


def _decision(sentence: str, source: str) -> Fact | None:
    cut = _REASON.search(sentence)
    content = _bare(sentence[: cut.start()] if cut else sentence)
    reason = _trim(sentence[cut.end() :]) if cut else ""
    if cut and (len(content) < 4 or not reason):
        content, reason = _bare(sentence), ""
    if not content:
        return None
    category = "approach"
    if _ARCHITECTURE.search(content):
        category = "architecture"
    elif _TECHNOLOGY.search(content):
        category = "technology"
    return Fact("decision", content, reason, category, source=source)


def _bare(sentence: str) -> str:
    """A decision without the words that say that it is one: `Use PostgreSQL for events`."""
    return _tidy(_SAID.sub("", sentence.strip())) or _tidy(sentence)


def _trim(text: str) -> str:
    return " ".join(text.split()).strip(' ,;，；:：–—-*_"').rstrip(".。!！")


def _tidy(text: str) -> str:
    text = _trim(text)
    return text[:1].upper() + text[1:]


_TODO = Pattern(r"(?:[-*]\s*)?(?:\[ \]\s*|(?:TODO|FIXME|待办|后续)\s*[:：]\s*)(\S.{3,200})$", re.I)


def todos_in(text: str) -> list[str]:
    """The open points that a text lists as `TODO: …`, `- [ ] …` or 待办：…."""
    lines = (line.strip() for line in without_blocks(text).splitlines())
    found = (_TODO.match(line) for line in lines if len(line) <= LONGEST)
    return [" ".join(match[1].split()) for match in found if match]


def task_in(text: str, longest: int) -> str:
    """What a prompt asks for: its first sentence that is not a decision or a preference."""
    for sentence in sentences_of(text):
        if len(sentence) <= LONGEST and fact_in(sentence) is None:
            return shortened(sentence, longest)
    return first_sentence(text, longest)
