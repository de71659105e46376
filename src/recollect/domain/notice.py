"""Notice: what a person's words decide or prefer, found without a model, in both languages.

Promises: questions, quotations, code and pasted logs decide nothing; a sentence gives at most one
fact; the words are kept as they were said.
Touches: nothing.

These are heuristics over plain sentences: they would rather miss a decision than invent one.
"""

from __future__ import annotations

import re

from recollect.domain.facts import Fact

LONGEST = 320
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.S)
_PASTED = re.compile(
    r"^(?:\s{4,}|\t|>|\$ |#|\||at |\d+[:|]|[+-]{1,3} |File \"|\[\d|\d{4}-\d\d-\d\d[T ])"
)
_ENDS = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[^a-z\s])|(?<=[。！？；])|\n+|;\s+")
_QUESTION = re.compile(
    r"[?？吗呢]\s*$|^\s*(?:what|why|how|who|when|where|which|should|could|can|would|do|does|did|is|are)\b"
    r"|^\s*(?:为什么|怎么|如何|是否|能否|要不要|什么|哪)",
    re.I,
)
_MAYBE = re.compile(
    r"\b(?:if we|maybe|perhaps|might|what if|not sure|wondering)\b|如果|假如|也许|可能要|不确定",
    re.I,
)

_DECIDED = re.compile(
    r"^\s*(?:decision|decided)\s*:\s*(?P<a>.+)"
    r"|\b(?:we|i)(?:'ve|’ve| have)?(?: all)? (?:decided|chose|chosen|agreed|settled|picked|opted)\b"
    r"|\b(?:let'?s|let’s|we(?:'ll|’ll| will| shall|'re going to| are going to| want to| now)|"
    r"i(?:'ll|’ll| will| want us to|'d like us to))\s+(?:\w+ly )?"
    r"(?:use|go with|switch|move to|migrate to|stick (?:with|to)|adopt|standardi[sz]e|drop|replace|store|keep)\b"
    r"|\bwe (?:use|are using|go with|'re using)\b|\bgoing with\b|\bgo with\b"
    r"|^\s*(?:please )?(?:use|adopt|switch to|go with)\s+\S+"
    r"|决定|我们用|我们使用|就用|采用|选用|选择了|改用|改成用|换成|换用|统一用|统一使用|确定用|定下来|敲定|选定"
    r"|^\s*(?:请)?(?:使用|用)\s*[A-Za-z\u4e00-\u9fff]",
    re.I,
)
_PREFERRED = re.compile(
    r"\b(?:always|never)\b|\bfrom now on\b|\bin (?:the )?future\b|\bgoing forward\b|\bevery time\b"
    r"|\bi (?:really |strongly |would |usually )?(?:prefer|like|love|hate|dislike|don'?t like|don’t like)\b"
    r"|\bmy preference\b|\bour (?:convention|rule|policy|standard)\b|\bthe (?:convention|rule|policy) (?:is|here)\b"
    r"|\b(?:please )?(?:remember|keep in mind|note) that\b|^\s*remember\b|^\s*remember:"
    r"|^\s*(?:please )?(?:don'?t|don’t|do not|avoid|stop) (?:ever )?"
    r"(?:us|add|writ|commit|push|mock|creat|install|put|mak|hard-?cod|mix|call|import|edit)(?:e|ing|ting|)\b"
    r"|总是|永远|一律|从现在起|从今以后|以后(?:都|请|要|不|别|用)|今后|记住|请记得|习惯用|我喜欢|我更喜欢|我偏好|偏好"
    r"|不要再|别再|禁止|严禁|必须(?:先|用|使用)|规定|约定|^\s*(?:请)?(?:不要|别)(?:用|使用|加|写|提交|创建|安装|改)",
    re.I,
)
_REASON = re.compile(
    r"(?:,|;|\s[–—-])?\s+(?:because|since|so that|as it|as we|in order to|due to|to avoid)\b\s*"
    r"|[,，;；]?\s*(?:因为|由于|以便|为了避免|原因是|理由是)[:：]?\s*",
    re.I,
)
_TECHNOLOGY = re.compile(
    r"\b(?:use|using|adopt|switch|migrate|library|framework|database|version|instead of)\b"
    r"|[A-Z][A-Za-z]*(?:SQL|DB|JS|QL)\b|用|采用|换成|改用|数据库|框架|版本|库",
    re.I,
)
_ARCHITECTURE = re.compile(
    r"\b(?:architecture|modules?|services?|layers?|schema|boundar\w+|monolith|microservices?|pipeline|queue)\b"
    r"|架构|模块|服务|分层|层次|微服务|单体",
    re.I,
)
_AGAINST = re.compile(
    r"\b(?:never|don'?t|don’t|do not|avoid|stop|hate|dislike)\b|不要|别|禁止|严禁|永远不", re.I
)
_LEAD = re.compile(
    r"^(?:ok(?:ay)?|yes|yeah|right|sure|also|and|so|then|well|please|one more thing|btw|by the way|"
    r"好的?|对|嗯|另外|还有|然后|那么?|请)[,，:：.。!！]?\s+|^(?:decision|decided)\s*:\s*|^(?:决定|决策)\s*[:：]\s*",
    re.I,
)
_AGENT = re.compile(
    r"^\s*(?:[-*]\s*)?(?:\*\*)?(?:decision|决定|决策)(?:\*\*)?\s*[:：](?:\*\*)?\s*(?P<a>\S.+)"
    r"|^\s*(?:i|we)(?:'ve| have)? (?:decided|chose|chosen|opted|settled on)\b.+",
    re.I | re.M,
)


def sentences_of(text: str) -> list[str]:
    """The sentences a person wrote: no code blocks, quotations or pasted output."""
    text = _FENCE.sub("\n", text)
    lines = [line for line in text.splitlines() if not _PASTED.match(line)]
    found = (s.strip(" \t-*•") for s in _ENDS.split("\n".join(lines)) if s)
    return [s for s in found if len(s) * (2 if not s.isascii() else 1) >= 6]


def facts_said(text: str) -> list[Fact]:
    """The decisions and preferences in a person's prompt, in order."""
    facts = []
    for sentence in sentences_of(text):
        if len(sentence) > LONGEST or _QUESTION.search(sentence) or _MAYBE.search(sentence):
            continue
        fact = _fact_in(sentence)
        if fact:
            facts.append(fact)
    return facts


def _fact_in(sentence: str) -> Fact | None:
    while lead := _LEAD.match(sentence):
        sentence = sentence[lead.end() :]
        if lead[0].lower().startswith(("decision", "decided", "决")):
            return _decision(sentence, "instructed")
    if _PREFERRED.search(sentence):
        category = "anti-pattern" if _AGAINST.search(sentence) else "convention"
        content = _tidy(sentence)
        return Fact("pattern", content, category=category, source="instructed") if content else None
    if _DECIDED.search(sentence):
        return _decision(sentence, "instructed")
    return None


def facts_told(text: str) -> list[Fact]:
    """The decisions that an agent says it made; at most three of an answer."""
    facts = []
    for match in _AGENT.finditer(_FENCE.sub("\n", text)):
        said = (match["a"] or match[0]).strip()
        if len(said) <= LONGEST:
            fact = _decision(said, "inferred")
            if fact:
                facts.append(fact)
    return facts[:3]


def _decision(sentence: str, source: str) -> Fact | None:
    cut = _REASON.search(sentence)
    content = _bare(sentence[: cut.start()] if cut else sentence)
    reason = _trim(sentence[cut.end() :]) if cut else ""
    if cut and (len(content) < 4 or not reason):
        content, reason = _bare(sentence), ""
    if not content:
        return None
    category = "other"
    if _ARCHITECTURE.search(content):
        category = "architecture"
    elif _TECHNOLOGY.search(content):
        category = "technology"
    else:
        category = "approach"
    return Fact("decision", content, reason, category, source=source)


_SAID = re.compile(
    r"^(?:we|i)(?:'ve|’ve| have)?(?: all)? (?:decided|agreed|chose|opted) "
    r"(?:to|that we(?:'ll| will)?|that|on)\s+"
    r"|^(?:let'?s|let’s|we(?:'ll|’ll| will| shall)|i'd like us to|i want us to)\s+"
    r"|^我?们?(?:已经)?决定[了:：,，]?\s*",
    re.I,
)


def _bare(sentence: str) -> str:
    """A decision without the words that say that it is one: `Use PostgreSQL for events`."""
    return _tidy(_SAID.sub("", sentence.strip())) or _tidy(sentence)


def _trim(text: str) -> str:
    return " ".join(text.split()).strip(' ,;，；:：–—-*_`"').rstrip(".。!！")


def _tidy(text: str) -> str:
    text = _trim(text)
    return text[:1].upper() + text[1:]


_TODO = re.compile(
    r"^\s*(?:[-*]\s*)?(?:\[ \]\s*|(?:TODO|FIXME|待办|后续)\s*[:：]\s*)(\S.{3,200})$", re.M | re.I
)


def todos_in(text: str) -> list[str]:
    """The open points that a text lists as `TODO: …`, `- [ ] …` or 待办：…."""
    return [" ".join(m[1].split()) for m in _TODO.finditer(_FENCE.sub("\n", text))]


def task_in(text: str, longest: int) -> str:
    """What a prompt asks for: its first sentence that is not a decision or a preference."""
    for sentence in sentences_of(text):
        if len(sentence) <= LONGEST and not _fact_in(sentence):
            return shortened(sentence, longest)
    return first_sentence(text, longest)


def first_sentence(text: str, longest: int) -> str:
    """The first sentence of a text on one line, cut at a word where it is too long."""
    sentences = sentences_of(text) or [" ".join(text.split())]
    return shortened(next((s for s in sentences if s), ""), longest)


def shortened(sentence: str, longest: int) -> str:
    """A sentence without its full stop, cut at a word where it is too long."""
    if len(sentence) <= longest:
        return sentence.rstrip(".。:：")
    cut = sentence[:longest]
    cut = cut.rsplit(" ", 1)[0] if " " in cut[longest // 2 :] else cut
    return cut.rstrip(" ,;:，；：") + "…"
