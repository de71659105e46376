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
    weight_of,
    without_blocks,
    without_quotations,
)

LONGEST = 200
LEAST = 6  # letters of anything that says something
SHORTEST = (20, 10)  # characters of what is no rule, in English and in Chinese
_CJK = Pattern(r"[\u4e00-\u9fff]")
_LEAD = Pattern(
    r"^(?:no,\s+|(?:ok(?:ay)?|k|yes|yep|yeah|nah|nope|right|sure|great|good|alright|hmm+|actually|also|and|so|then|well|please"
    r"|but|all good|looks good|lgtm|one more thing|btw|by the way|mention that|also note that)\b(?:[,:.!]|\.\.\.?|\s[–—-])?\s+|(?:好的?|对|嗯|另外|还有|然后|那么?|而且|对了)[，,：:！。\s]+|请(?=[^注求问]))",
    re.I,
)
_STATED = Pattern(
    r"^(?:(?:final )?(?:decision|call|verdict)|decided|agreed|settled)\s*[:：]\s*"
    r"|^(?:最终)?(?:决定|决策|结论)\s*[:：]\s*|^(?:说定|敲定|商定|定)了[，,：:]\s*",
    re.I,
)
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
    r"|^(?:let['’]?s|we(?:['’]ll| will| shall)|i(?:['’]d| would)(?: like (?:us )?to)?|i want (?:us )?to)\s+(?!not\b|rather\b|like\b)"
    r"|^我?们?(?:已经)?决定[了:：,，]?\s*",
    re.I,
)


def facts_said(text: str, before: str = "") -> list[Fact]:
    """The decisions and preferences in a person's prompt, in order.

    `before` is the answer right before it: of an option that it offers the option's text is kept.
    """
    found = (fact_in(sentence) or _chosen(sentence, before) for sentence in sentences_of(text, 1))
    return [fact for fact in found if fact]


_OFFERED = r"(?:option|approach|variant|alternative|choice|plan) #?"
_CHOICE = Pattern(
    r"(?:let['’]?s |we(?:['’]ll| will| should) |i(?:['’]d| would)? )?"
    r"(?:(?:go (?:with|for)|use|do|take|pick|choose|prefer|implement) "
    rf"(?:{_OFFERED}(?P<en>[a-d]|\d)\b|(?P<short>[a-d]|\d)\b(?! \w+s\b))(?!\s*(?:and|or|[,/+])\s*(?:[a-d]|\d)\b)"
    rf"|{_OFFERED}(?P<bare>[a-d]|\d)\b(?=\s*(?:$|[.,!;:]|because\b|since\b|please\b|then\b)))"
    r"|(?:那?就|我|我们)*(?:选择?|用|采用|按照?|走)?(?:方案|选项)\s*(?P<zh>[一二三四A-D\d])(?=\s*(?:$|[。，！吧]|因为))",
    re.I,
)
_NUMERALS = {"一": "1", "二": "2", "三": "3", "四": "4"}
LONGEST_OPTION = 160


def _chosen(sentence: str, before: str) -> Fact | None:
    """The option of the answer before that a sentence chooses, in the words of that answer."""
    bare = _without_lead(sentence)
    match = _CHOICE.match(bare) if before and len(bare) <= LONGEST else None
    wording = CHINESE if match and match["zh"] else ENGLISH
    if not match or wording.not_meant.search(bare):
        return None
    label = next(filter(None, match.groups())).upper()
    text = _option(label, before) or _option(_NUMERALS.get(label, label), before)
    if len(text) < SHORTEST[wording is CHINESE] or ENGLISH.not_meant.search(text):
        return None
    chosen = _decision(text, "instructed")
    cut = _REASON.search(bare, match.end())
    return chosen._replace(detail=_trim(bare[cut.end() :])) if chosen and cut else chosen


def _option(label: str, answer: str) -> str:
    """What stands behind the label of an option in an answer; nothing where two do."""
    lines = re.findall(
        rf"^[ \t]*(?:[-*#>]+[ \t]+)?\**(?:(?:option|approach|variant|alternative|choice|plan)[ \t]+|方案|选项)?{label}\**"
        r"[ \t]*[.):：—–-]\**[ \t]*(\S.*)$",
        answer,
        re.I | re.M,
    )
    if len(lines) != 1:
        return ""
    said = re.split(r"\*\*|\s[—–-]+\s|(?<=\w)[.。](?:\s|$)|[(（]", lines[0].lstrip("*"))[0]
    return said.strip(" *:：") if len(said) <= LONGEST_OPTION else ""


@lru_cache(maxsize=256)  # a prompt is read for its facts and for its task
def fact_in(sentence: str) -> Fact | None:
    """What one sentence of a person decides or rules, or None."""
    if weight_of(sentence) < LEAST or len(sentence) > LONGEST:
        return None
    sentence = _without_lead(sentence)
    wording = CHINESE if _CJK.search(sentence) else ENGLISH
    plain = without_quotations(sentence)
    stated = _STATED.match(sentence)
    reason = _REASON.search(plain)
    said = plain[: reason.start()] if reason else plain
    if wording.not_meant.search(plain) or (wording.vague.search(said) and not stated):
        return None
    if stated:
        return _decision(sentence[stated.end() :], "instructed")
    if _is_ruled(plain, wording):
        category = "anti-pattern" if wording.against.search(plain) else "convention"
        return Fact("pattern", _tidy(sentence), category=category, source="instructed")
    if len(sentence) >= SHORTEST[wording is CHINESE] and _is_decided(plain, wording):
        return _decision(sentence, "instructed")
    return None


def _without_lead(sentence: str) -> str:
    while lead := _LEAD.match(sentence):
        sentence = sentence[lead.end() :]
    return sentence


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


_BACK = Pattern(
    r"(?:(?:let['’]?s |we(?:['’]ll| will| should)? )?(?:go|switch|move|change|come|revert|roll) ?back to|back to|revert to"
    r"|(?:let['’]?s |we(?:['’]ll| will| should)? )?(?:stick with|stay (?:with|on)|keep|use)(?= \S+ after all))"
    r" (?!the\b|it\b|this\b|that\b|how\b|what\b|where\b|work\b)(?P<en>[\w.+#-]+)"
    r"|(?:我们)?(?:还是|那就|改|换|退)*(?:用回|换回|改回|退回(?:到)?|回到)\s*(?P<zh>[A-Za-z][\w.+#-]*)",
    re.I,
)


def returns_in(text: str) -> list[str]:
    """What a prompt goes back to: `no, back to npm`, 还是用回 npm."""
    sentences = (_without_lead(one) for one in sentences_of(text, 1))
    found = (_BACK.match(one) for one in sentences if not _asks(one))
    return [(match["en"] or match["zh"]).rstrip(".") for match in found if match]


def _asks(sentence: str) -> bool:
    return bool((CHINESE if _CJK.search(sentence) else ENGLISH).not_meant.search(sentence))


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
