"""Decisions from a person's answers to an agent's questions.

Pure. The text is the agent's question, the person's choice, how the agent described it, and the
options that were turned down: `Where do diagrams go? docs/made (rather than docs/drawn)`.
"""

from __future__ import annotations

import re

from recollect._fastimport import Pattern
from recollect.capture.requests import words_of
from recollect.model.session import Event
from recollect.text.sentences import has_han, one_line, split_sentences, weight_of

LONGEST_QUESTION = 260
LONGEST_ANSWER = 240
LONGEST_DETAIL = 160
LONGEST_TOPIC = 40
SHORTEST_OWN = 10  # letters of an answer in a person's own words
MOST_TURNED_DOWN = 3
CLEAR = 2  # words of a subject that a question needs to be clear without its label
SAME_QUESTION = 0.6  # share of its words that a question asked again has in common

# Questions about the next step, or about work that is done once.
_STEERS = Pattern(
    r"next steps?\b|ready to\b|\bproceed\b|(?:shall|should|can|may) i\b|(?:want|like|prefer) me to\b|would you like to (?:do|work|start|continue|begin|tackle)"
    r"|what (?:would you like|should (?:i|we)|do you want)(?: me)?(?: to)?(?: do| work| tackle| fix)?\s*(?:next|first|now|\?)"
    r"|looks? (?:good|right|complete|ok)|clarif|(?:do|did) you mean|what (?:exactly )?do you|(?:any|other|more) (?:concerns|edge cases|scenarios|questions|feedback)"
    r"|(?<!\()which (?:pr|issue|ticket|branch|file|task|one|repo\w*|(?:\w+ )?(?:areas?|topics?|sections?|questions?))s?\b|(?:update|write|finali[sz]e|approve|execute|start|save) (?:\w+ ){0,2}plan\b|plan ready|(?:sequence|split|order) (?:of )?(?:the |these )?prs?\b|\d-pr\b"
    r"|\b(?:to )?discuss\b|move (?:on )?to (?:the )?(?:next|another)\b|reproduce|\bsign(?:ing|ed)? |without signing"
    r"|\b(?:lint|linter|nolint)\b|\b(?:force[- ]?push|rebase now|commit (?:now|it))\b|how should (?:i|we) (?:commit|push|proceed|handle the (?:commit|push|pr))"
    r"|下一步|继续吗|要不要我|需要我|是否继续|准备好|这次|本次|现在(?:就|要)|先做(?:哪|什么)|强推|(?:这个|该|此)[^，。？]{0,8}(?:commit|提交|PR|分支)|你(?:是指|的意思)|讨论",
    re.I,
)
# Words by which a question points to the conversation around it.
_POINTS = Pattern(
    r"\b(?:this|these|those)\s*(?:$|[?,.;:]|(?:is|be|are|to|or|and|now|with|as|[\w-]*(?:work|fix\w*|change\w*|approach|design|plan|prs?|commits?|tasks?|pass|session|release|branch|files?|issues?|bugs?|errors?|test\w*|feature|version|split|one|option|directory|repo|message|comments?|part|step|phase|scope|arguments?|details?|context|trade-?offs?))\b)"
    r"|\b(?:do|does|given|with|so|is|was) that\b|^[^,;:–—(]*\b(?:it|them|they)\b|^(?:and|or|also|then)\b|^[^，,]*(?:它|它们)",
    re.I,
)
_LEAD_IN = Pattern(
    r"^(?:(?:ok(?:ay)?|so|now)[, ]+)?(?:given|with|based on|since|considering|knowing|after|for|in)\b[^?,—–]{3,120}?\s*[,—–]\s*"
    r"(?=(?:what|which|how|where|when|who|should|do|does|is|are|can)\b)",
    re.I,
)
# What a question may consist of and still name no subject.
_NO_SUBJECT = frozenset(
    """approach approaches direction option options strategy way choice choose pick picked prefer preference preferred feels feel
    resonates vision design designs sound sounds seems better best right go going decision decide level kind type style""".split()
)
_NO_TOPIC = frozenset(
    """approach action actions approval areas choice choices clarify clarification commit confirm confirmation continue decision details direction
    discuss done feedback finish fix focus go goal merge more mode next option options other output path phase plan planning pr
    priority proceed question questions ready review scope section session split start status step steps strategy summary
    style task tasks topic topics type verify workflow 下一步 方案 方向 确认 选择 问题 计划 范围 方式""".split()
)
_ONLY_STEERS = Pattern(
    r"(?:ok|other|something else|skip|cancel|continue|proceed|later|defer|looks? (?:good|complete)|track (?:it )?separately|separate (?:issue|ticket|pr|concern)|need to discuss"
    r"|next (?:area|topic|step)|done\b.{0,30}|(?:more|missing)\b.{0,40}|open plan\b.*|not sure|don['’]?t know|you decide|up to you|either|both(?: is| are)? fine|[a-d1-9]|option \w|好|跳过|继续|其他|随便|都行|你定|取消|先[^，。]{0,12}再说|方案.)[\s.!。]*$",
    re.I,
)
_YES_NO = Pattern(r"(?:yes|no|yep|nope|yeah|是的?|否|不|不用|要|不要|对)[\s.!。]*$", re.I)
_YES = Pattern(r"^(?:yes|yep|yeah|是的?|好的?)\b\s*[,，–—-]\s*", re.I)
_BEHIND = Pattern(r"(?:(?<=[?？]) |(?<=？))[^?？]+$")  # what is so now, told behind the question
_NOTE = Pattern(r"\s*[(（](?:recommended|推荐|recomanat|recomendado|empfohlen|suggested|default|current)[)）]", re.I)  # fmt: skip
_OPTION = Pattern(r"^(?:option|方案|选项) ?[\w一二三四]\s*[:：–—-]\s*", re.I)
# Answers that decide nothing yet.
_OPEN = Pattern(
    r"[?？]|^(?:what|why|how|who|when|where|which|is|are|does|do you|can|could|should|not sure|i (?:don['’]?t|do not) (?:know|understand)|explain|tell me|let['’]?s discuss|hm+|lol|uh+)\b|^(?:we|it|there|that|you)\b.{0,20}\balready\b|\b(?:upcoming|wip) pr\b"
    r"|\b(?:lean(?:ing)?|inclined|need(?:s)? (?:some )?more|more (?:info\w*|details?|examples?|context|in.depth)|initial (?:feeling|thought)|gut feeling|(?:i|i['’]m|am) (?:guess\w*|wonder\w*|worr\w+|fear|torn|trying to)|not (?:really |been able|entirely )?(?:sure|able)|but (?:i )?(?:worr|fear|wonder|am (?:worr|guess))\w*|it depends|willing to hear|pros and cons|to decide\b|figure out|just log)\b"
    r"|^(?:为什么|怎么|什么|不知道|不确定|解释)|倾向|再想想|需要更多|取决于|(?:吗|呢)$",
    re.I,
)


def decision_of(event: Event) -> tuple[str, str] | None:
    """`(decision, reason)` of an answer; None where it decides nothing or is not understood alone."""
    own = event.tool == "typed"
    picked = _OPTION.sub("", _without_colon(one_line(_NOTE.sub("", event.text)).strip(" .。")))
    if not picked or len(picked) > LONGEST_ANSWER or _ONLY_STEERS.match(picked):
        return None
    if own and (_OPEN.search(picked) or weight_of(picked) < SHORTEST_OWN):
        return None
    question, topic = question_in(event.target), topic_of(event)
    if (
        topic
        and len(words_of(question) - _NO_SUBJECT) < CLEAR
        and not words_of(topic) <= words_of(question)
    ):
        question = ""  # it says less than its label
    subject = question or topic
    if not subject or _STEERS.search(" ".join(event.target.split())):
        return None
    if not question and (own or not event.detail):
        return None
    wide = has_han(subject + picked)
    others = _listed(event.options, question, wide=wide) if not own else ""
    rejected = (
        f"（未选 {others}）" if others and wide else f" (rather than {others})" if others else ""
    )
    content = f"{subject} {picked}" if question else f"{subject} – {_YES.sub('', picked)}"
    detail = "" if own else detail_of(event)
    if detail:
        return one_line(content, 500), one_line(f"{detail}{rejected}", 400)
    return one_line(f"{content}{rejected}", 500), ""


def question_in(text: str) -> str:
    """A question as far as it is understood without the conversation around it; or nothing."""
    asked = _BEHIND.sub("", " ".join(text.split()))
    if len(asked) > LONGEST_QUESTION:
        asked = split_sentences(asked)[-1]
    bare = _LEAD_IN.sub("", asked)
    if _POINTS.search(asked):
        asked = bare[:1].upper() + bare[1:]
    if len(asked) > LONGEST_QUESTION or _POINTS.search(asked):
        return ""
    names_subject = has_han(bare) or words_of(bare) - _NO_SUBJECT
    return _without_colon(asked) if names_subject else ""


def topic_of(event: Event) -> str:
    """The label that the agent gave a question, if it names a subject."""
    words = re.findall(r"\w+", event.topic.casefold())
    names_subject = any(word not in _NO_TOPIC and not word.isdigit() for word in words)
    return (
        _without_colon(event.topic) if names_subject and len(event.topic) <= LONGEST_TOPIC else ""
    )


def detail_of(event: Event) -> str:
    """The beginning of how the agent described the option that was picked, in whole sentences."""
    said = ""
    for sentence in split_sentences(" ".join(event.detail.split())):
        if len(said) + len(sentence) >= LONGEST_DETAIL:
            break
        said = f"{said} {sentence}".strip()
    known = words_of(f"{event.target} {event.text}")
    is_news = len(words_of(said) - known) >= 2
    plain = said.rstrip(".。")
    return plain[:1].lower() + plain[1:] if is_news and plain[1:2].islower() else plain * is_news


def is_asked_again(event: Event, question: str, topic: str) -> bool:
    """Whether an event answers an earlier question once more."""
    if event.target == question:
        return True
    if not topic or topic != event.topic or not topic_of(event):
        return False
    if not question_in(event.target):
        return True
    new, old = words_of(event.target), words_of(question)
    return bool(new) and len(new & old) >= SAME_QUESTION * min(len(new), len(old))


def _listed(options: tuple[str, ...], question: str, *, wide: bool) -> str:
    """The options that were turned down, without those that say nothing by themselves."""
    plain = (_OPTION.sub("", _NOTE.sub("", one)).strip() for one in options)
    told = [one for one in plain if one and not _ONLY_STEERS.match(one) and _is_news(one, question)]
    return ("、" if wide else ", ").join(map(_without_colon, told[:MOST_TURNED_DOWN]))


def _is_news(option: str, question: str) -> bool:
    """Whether an option is none that the question names itself; a yes or a no says nothing."""
    if _YES_NO.match(option):
        return False
    if not re.search(r"\bor\b|\bvs\b|还是|或者", question):
        return True
    words = set(re.findall(r"\w+", option.casefold()))
    known = set(re.findall(r"\w+", question.casefold()))
    return len(words & known) * 2 < len(words)


def _without_colon(text: str) -> str:
    """A text in which no colon stands, which would part a decision from its reason."""
    return re.sub(r"\s*(?:: |：)", " – ", text).removesuffix(":").strip()
