"""What an agent's answer offers, and which of it the person takes: "option B", "2", "yes, do that".

Promises: pure; only what says by itself what it is about is taken.
"""

from __future__ import annotations

import re

from recollect._fastimport import NamedTuple, Pattern
from recollect.capture.pattern_types import DecisionPhrases
from recollect.capture.patterns_en import ENGLISH
from recollect.capture.patterns_zh import CHINESE
from recollect.capture.requests import words_of
from recollect.text.sentences import (
    has_han,
    split_sentences,
    without_blocks,
    without_quotations,
)
from recollect.text.tokens import simplified

ENOUGH = 2  # words of an option that is told beside others
LEAST = 6  # letters of anything that says something
SHORTEST = (20, 8)  # characters of what is no rule, in English and in Chinese


class ChosenOption(NamedTuple):
    """An option and its description, and where the words that take it end."""

    text: str
    how: str
    end: int


def wording_of(text: str) -> DecisionPhrases:
    """The phrases of the language of a text."""
    return CHINESE if has_han(text) else ENGLISH


_OFFERED = r"(?:options?|approach|variant|alternative|choice|plan) #?"
_CHOICE = Pattern(
    r"(?:let['’]?s |we(?:['’]ll| will| should) |i(?:['’]d| would)? |(?:yes|yeah|ok)[, ]+)*"
    r"(?:(?:go (?:with|for)|use|do|take|try|pick|choose|prefer|like|think|vote for|implement) "
    rf"(?:{_OFFERED}(?P<en>[a-d]|\d)\b|(?P<short>[a-d]|\d)\b(?! \w+s\b))(?!\s*(?:and|or|[,/+])\s*(?:[a-d]|\d)\b)"
    rf"|{_OFFERED}(?P<bare>[a-d]|\d)\b(?=\s*(?:$|[.,!;:]|because\b|since\b|please\b|then\b))"
    r"|(?P<alone>[a-d]|\d)(?: please| pls)?[.)!]*$)"
    r"|(?:那?就|我|我们|更|比较)*(?:选择?|用|采用|按照?|走|倾向于?)?(?:方案|选项|方向)\s*(?P<zh>[一二三四A-D\d])(?=\s*(?:$|[。，！吧]|因为))"
    r"|(?:那?就|我|我们)*选择?\s*(?P<picked>[A-D\d])\s*(?:吧|$)",
    re.I,
)
_NUMERALS = {"一": "1", "二": "2", "三": "3", "四": "4"}
LONGEST_OPTION = 160
_OFFERS = Pattern(
    r"\b(?:options?|approach|which|prefer|recommend\w*|alternatives?)\b|方案|选项|哪个|哪种|倾向",
    re.I,
)
END = 1_500  # characters of an answer in which it proposes something


def chosen_option(sentence: str, before: str) -> ChosenOption | None:
    """The option of the answer before that a sentence chooses, in the words of that answer."""
    read = simplified(sentence)
    match = _CHOICE.match(read)
    wording = CHINESE if match and (match["zh"] or match["picked"]) else ENGLISH
    if not match or wording.not_meant.search(read):
        return None
    label = next(filter(None, match.groups())).upper()
    text, how = _option(label, before)
    if _WAY.match(text):
        return None
    if match["alone"] or match["picked"]:
        asked = before[-END:]
        if not _OFFERS.search(asked) or _WHAT_NEXT.search(asked) or _TASK.match(text):
            return None
    if _stands_alone(text, wording):
        return ChosenOption(text, how, match.end())
    whole = f"{text}: {how}"  # a person who names what the option is about means all of it
    is_named = bool(_names(text) & _names(sentence[match.end() :]))
    if is_named and how and _stands_alone(whole, wording):
        return ChosenOption(whole, "", match.end())
    others = _options_beside(label, before)
    is_told = others and len(words_of(text)) >= ENOUGH and not _TASK.match(text)
    whole = (
        f"{text}（未选 {'、'.join(others)}）"
        if has_han(text)
        else f"{text} (rather than {', '.join(others)})"
    )
    return (
        ChosenOption(whole, how, match.end()) if is_told and _stands_alone(whole, wording) else None
    )


# What an agent would do next or how it would go about it, which is no decision.
_WAY = Pattern(
    r"(?:delet(?:e|ing)|copy(?:ing)?|help|(?:show|give|walk) you|proceed|sub-?agents?)\b|(?:quick|immediate|manual)(?:ly)?\b[\w ]{0,20}(?:$|fix|step|win|start)",
    re.I,
)


def _options_beside(label: str, answer: str) -> list[str]:
    """The other options of an answer that offers the one with this label."""
    labels = "12345" if _NUMERALS.get(label, label).isdigit() else "ABCD"
    names = (_option(one, answer)[0] for one in labels if one != _NUMERALS.get(label, label))
    return [name for name in names if name]


def is_only_named(statement: str, before: str) -> bool:
    """Whether a statement takes an option by the letter or number that the answer before gave it."""
    match = _CHOICE.match(simplified(statement))
    if not match:
        return False
    text, _ = _option(next(filter(None, match.groups())).upper(), before)
    behind = statement[match.end() :]  # `Use 2 spaces` takes no option
    is_label = _ENDS_CHOICE.match(behind) or _names(text) & _names(behind)
    return bool(text and is_label)


_ENDS_CHOICE = Pattern(
    r"\s*(?:$|[.,!;:()，。！；：]|[–—-] |(?:because|since|please|pls|then)\b|因为|吧)", re.I
)


def _names(text: str) -> set[str]:
    return set(re.findall(r"[^\W\d]{4,}", simplified(text).casefold()))


def _option(label: str, answer: str) -> tuple[str, str]:
    """The option with this label in an answer, and its description; empty if two have the label."""
    names = "|".join({label, _NUMERALS.get(label, label)})
    lines = re.findall(
        rf"^[ \t]*(?:[-*#>]+[ \t]+)?\**(?:(?:option|approach|variant|alternative|choice|plan)[ \t]+|方案|选项|方向)?(?:{names})\**"
        r"[ \t]*[.):：—–-]\**[ \t]*(\S.*)$",
        answer,
        re.I | re.M,
    )
    if len(lines) != 1:
        return "", ""
    line = lines[0].lstrip("*")
    said = re.split(r"\*\*|\s[—–-]+\s|(?<=\w)[.。](?:\s|$)|[(（]", line)[0]
    if len(said) > LONGEST_OPTION:
        return "", ""
    below = answer.partition(lines[0])[2].lstrip("\n").partition("\n")[0]
    is_told_below = not _NEXT_OPTION.match(below)
    return said.strip(" *:："), _described(line[len(said) :]) or _described(
        below if is_told_below else ""
    )


# A line below an option that begins something else.
_NEXT_OPTION = Pattern(r"\s*(?:[-*+#>|`]|\*\*|\d+[.)]|[A-D][.)]|(?:option|方案|选项|方向)\b)", re.I)
_RECOMMENDED = Pattern(r"[(（](?:recommended|推荐)[)）]|\*\*", re.I)


_REMARK = Pattern(
    r"(?:recommended|preferred|future|later|fallback|optional|for now|推荐|首选|以后|备选)\b(?!.{40})",
    re.I,
)


def _described(text: str) -> str:
    """How an option is described, in one sentence that can be understood alone."""
    plain = _RECOMMENDED.sub("", text).strip(" *:：—–-.(（")
    said = split_sentences(plain)[0].strip().rstrip(".。;；:：") if plain else ""
    for start, end in ("()", "（）"):
        if said.endswith(end) and said.count(start) < said.count(end):
            said = said[:-1]
    is_whole = all(said.count(start) == said.count(end) for start, end in ("()", "（）"))
    is_clear = LEAST <= len(said) <= LONGEST_OPTION and is_whole
    if said.endswith(("?", "？")) or _REMARK.match(said):
        return ""  # the answer asks which one, or says when to take it
    return said if is_clear and not wording_of(said).vague.search(simplified(said)) else ""


_ACCEPTS = Pattern(
    r"(?:(?:yes|yeah|yep|yup|ok(?:ay)?|sure|agreed?|i agree|sounds? (?:good|great)|makes sense|perfect|great|good|right|exactly|please|do (?:it|that|this|so)|go ahead|go for it"
    r"|let['’]?s (?:do|go with) (?:it|that|this|your recommendation)|go with (?:that|it|your (?:recommendation|suggestion))|as you (?:suggest|recommend)(?:ed)?"
    r"|好的?|可以|行|同意|就这样|没问题|按你说的|听你的|嗯|对)(?:办|做|来|吧|的)?[\s,.!，。！]*)+$",
    re.I,
)
_PROPOSES = Pattern(
    r"(?:^|(?<=[.!?\n*>]\s)|(?<=\*\*))(?:i(?:['’]d| would) (?:recommend|suggest|go with|propose|lean towards?)|i (?:recommend|suggest|propose)"
    r"|my (?:recommendation|suggestion|vote|instinct|preference|pick)(?: is|:)|(?:\*\*)?recommendation:?(?:\*\*)?:?)\s*[:*]*\s*(?P<en>[^\n]{12,300})"
    r"|(?:我(?:的)?(?:建议|推荐|倾向(?:于)?)|建议|推荐(?:方案)?)(?:是)?\**[：:]?\**\s*(?P<zh>[^\n]{6,200})",
    re.I | re.M,
)
# A proposal that chooses, and an offer that is only the next piece of work.
_CHOOSES = Pattern(
    r"\b(?:instead of|rather than|go with|lean towards?|us(?:e|ing)|switch(?:ing)? to|mov(?:e|ing) to|drop(?:ping)?|by default|stick(?:ing)? (?:with|to)|never|always|replac(?:e|ing)|preference|vote)\b"
    r"|用|采用|改成|改为|保留|放弃|统一|而不是|不要|倾向",
    re.I,
)
_TASK = Pattern(
    r"(?:(?:just|first|also|then|to) )*(?:add|fix|writ|run|check|test|review|updat|creat|commit|push|continu|investigat|debug|show|merg|rebas|start|look|clean|verif|document|finish)(?:e|ing|ning)?\b"
    r"|(?:先|再|继续)*(?:修复|写|添加|运行|检查|继续|提交|测试|看|全局搜|查看|核对|排查|尝试|重启|重新|点击|刷新)",
    re.I,
)
_WHAT_NEXT = Pattern(
    r"\b(?:next|first)\?|which (?:pr|issue|ticket|task|branch|file|finding)\b|\bproceed\b|下一步|先做|继续哪",
    re.I,
)


def accepted(text: str, before: str) -> str:
    """The one thing that the answer before proposed, where a prompt says nothing but yes to it."""
    if not before or len(text) > 80 or not _ACCEPTS.match(simplified(text).strip()):
        return ""
    end = without_blocks(before)[-END:]
    found = list(_PROPOSES.finditer(simplified(end)))
    if len(found) != 1:
        return ""
    said = end[slice(*found[0].span("en" if found[0]["en"] else "zh"))]
    proposed = split_sentences(said.replace("**", "").strip())[0].rstrip("?？")
    if label := re.match(
        rf"(?:{_OFFERED}|方案|选项)(?P<label>[a-d]|\d|[一二三四])\b", proposed, re.I
    ):
        proposed = _option(label["label"].upper(), before)[0]
    proposed = re.split(r"\s[—–-]\s", proposed)[0].strip(" *:：")
    if not _stands_alone(proposed, wording_of(proposed)):
        return ""
    is_choice = (label or _CHOOSES.search(found[0][0])) and not _TASK.match(proposed)
    return proposed if is_choice else ""


LEAST_WORDS = 4  # of what an agent offers, which a person who says yes has not put into words


def _stands_alone(offer: str, wording: DecisionPhrases) -> bool:
    """Whether what an agent offers is a whole thought that says what it is about."""
    plain = simplified(without_quotations(offer))
    if not SHORTEST[wording is CHINESE] <= len(offer) <= LONGEST_OPTION or plain.endswith(
        (":", "：")
    ):
        return False
    is_long = wording is CHINESE or len(re.findall(r"\w{3,}", offer)) >= LEAST_WORDS
    return is_long and not wording.vague.search(plain) and not wording.not_meant.search(plain)
