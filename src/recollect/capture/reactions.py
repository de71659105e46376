"""What a person says of the answer they got, and which memory that speaks for or against."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from recollect._fastimport import NamedTuple, Pattern
from recollect.text.sentences import sentences_of, without_quotations
from recollect.text.tokens import simplified

CORRECTION, APPROVAL = "correction", "approval"
ASKED_FOR = ("prompt", "error")  # moments of injections that answer something
LOOKED_AT = 4_000  # characters of a prompt
LONGEST = 200  # of a sentence that only reacts
SENTENCES = 2  # at the start of a prompt

_WRONG = (
    r"(?:(?:completely|totally|simply|just|plain|still|also|all|clearly|actually) )*"
    r"(?:wrong(?! to\b)|incorrect|mistaken|untrue|false|outdated|out of date|not (?:quite )?(?:right|correct|true|accurate)"
    r"|not (?:the case|so) any ?more|no longer (?:true|correct|right|the case|so)|a mistake|a lie"
    r"|not (?:what|how|where|why) (?:i|we|it)\b)"
)
_ISNT = (
    r"(?:isn['’]?t|wasn['’]?t|is not|was not) (?:(?:quite|really|actually|at all) )*"
    r"(?:right|correct|true|accurate|the case|so|what i|what we|how we|how it|where)\b"
)
_IT = r"(?:that|this|it|your (?:answer|note|memory|information|assumption)|the note|the memory)"
_SAID_WRONG = rf"(?:{_IT}(?:['’]?s| is| was) {_WRONG}|{_IT} {_ISNT})"
_OTHERWISE = (
    r"(?:(?:we|i) (?:no longer|don['’]?t|do not|stopped|never) (?:use|using|have|having|run|running)\b"
    r"|(?:we|i)(?:['’]ve| have)? (?:moved|switched|migrated) (?:away |over )?(?:to|from)\b"
    r"|i (?:said|meant|asked for|told you)\b|you(?:['’]re| are) (?:wrong|mistaken|confus\w+)\b"
    r"|you (?:misunderstood|misread|mixed up|confused)\b|you got (?:that|it|this) wrong\b)"
)
_CORRECTIONS = Pattern(
    r"(?>(?:(?:h?m+|sorry|oh|ah|wait|well|um+|but|ok(?:ay)?|hey)[,.!…]*\s+|等等[，,]?|嗯++[，,]?|呃++[，,]?)*)(?:"
    rf"{_SAID_WRONG}"
    r"|(?:no|nope|nah|wrong|incorrect|not quite)[.!]*$"
    rf"|(?:no|nope|nah)(?:[,.!:;]|\s[–—-])?\s+(?:{_SAID_WRONG}|{_OTHERWISE}|wrong\b|it(?:['’]s| is) not\b)"
    rf"|actually[,:]?\s+(?:no\b|{_SAID_WRONG}|{_OTHERWISE}|(?:it|that|the [\w-]+(?: [\w-]+)?)(?:['’]?s| is) [^,;]+, not \S)"
    r"|not quite(?:[,.:!]|\s[–—-]| right\b| correct\b| what i\b)"
    r"|wrong(?:[,.:!]|\s[–—-]| (?:approach|answer|way|file|port|version|branch|database|library|one|command)\b)"
    r"|you(?:['’]re| are) (?:wrong|mistaken)\b|you (?:misunderstood|misread)\b|you got (?:that|it|this) wrong\b"
    r"|i (?:said|meant) [^,;]+, not \S"
    r"|(?:不对|错了|错啦|搞错了|弄错了|记错了|不正确|不准确)(?=[，,。.！!；;、：:\s]|[啊呀哦吧了]|的[，。！]?|$)(?!吗)"
    r"|(?:你|您)(?:又)?(?:搞|弄|记|理解|想|说|看)?错了|(?:你|您)误会了"
    r"|(?:这|那|这个|那个|这样|它|你说的|你记的|这条(?:记忆|笔记))(?:是|就|都|已经|完全|根本|并)*"
    r"(?:不对|错的|错了|不正确|不是真的|过时了|过时的|不准确)"
    r"|不是这(?:样|个意思)|不是我(?:要|想要|说)的|我(?:说|要|指)的(?:不是|是.{1,30}[，,]\s*(?:而)?不是)|我不是(?:说|要|指)"
    r"|(?:不|不是)[，,]\s*(?:不对|是.{1,30}[，,]\s*不是|这(?:不对|是错)|你(?:理解|搞|弄|记)错)"
    r"|其实(?:[，,])?(?:不是|不对|(?:这|那)?是.{1,30}[，,]\s*(?:而)?不是|我们(?:已经)?(?:不再?用|不用|改用|换成))"
    r"|我们(?:早就|已经|现在)+(?:不再?用|不用))",
    re.I,
)
_APPROVALS = Pattern(
    r"(?:(?:yes|yeah|yep|ah|oh|wow|great|thanks|thank you|ok(?:ay)?)[,.!]*\s+)*"
    r"(?:perfect(?:ly)?(?=[\s,.!;:–—-]*$|[,.!;:]|\s[–—-]|\s+thank)"
    r"|(?:that|this|it)(?:['’]?s| is| was) (?:exactly (?:right|it|what (?:i|we) \w+)|(?:absolutely |completely |totally )?(?:right|correct|perfect))\b"
    r"|exactly(?:[.!]*$|[,.!]| (?:right|what (?:i|we) (?:wanted|needed|meant|was looking))\b)"
    r"|(?:that|this|it)(?: (?:just|really|finally|now))* (?:did it|did the trick|fixed it|solved it|helped)\b"
    r"|(?:that|this|it)(?: (?:just|really|finally|now))* work(?:ed|s)(?= (?:great|perfectly|well|fine|now|nicely|beautifully|like a charm|as expected|again)\b|[\s.!]*$|[,.!;:]|\s[–—-])"
    r"|(?:that|this) (?:fixed|solved|resolved) (?:it|that|the)\b"
    r"|(?:well|nicely) done\b|(?:great|good|nice|excellent|amazing) (?:job|work|catch|call|memory)\b"
    r"|you(?:['’]re| are|['’]ve| have| were) (?:absolutely |totally )?(?:right|remembered)\b|(?:lgtm|spot on|nailed it)\b)"
    r"|(?:太好了|好的|谢谢|对|嗯)?[，,！!\s]*(?:完美|做得(?:很|非常|真)?好|干得(?:好|漂亮)|没错|完全正确|说得对|你(?:是|说得?|记得)对的?"
    r"|就是这样|正是(?:我|如此|这样)|(?:这样|这下|现在|这次)?(?:成功了|搞定了|解决了)|问题(?:已经?)?解决了|(?:这|它)(?:很)?(?:管用|有用|好用|有效))"
    r"(?=[，,。.！!；;、\s]|[啊呀哦吧了的]|我?(?:要|想要)的|$)",
    re.I,
)
# Who asks, doubts or jokes corrects nothing; an approval is taken back by less.
_DOUBTED = Pattern(
    r"[?？]\s*[\"')\]]*$|[吗呢]\s*$|对不对|是不是|\b(?:if|unless|maybe|perhaps|kidding|not sure)\b"
    r"|如果|也许|可能|开玩笑",
    re.I,
)
_LIMITED = Pattern(
    r"\b(?:but|however|except|although|though|almost|nearly|until|yet)\b|但是|不过|可是|除了|差一点|几乎"
    r"|\b(?:before|yesterday|earlier|previously|last (?:week|month|time|year)|used to|in theory|locally|only on|only in)\b"
    r"|之前|以前|昨天|上次|上周|本来",
    re.I,
)


def reaction_in(text: str) -> str:
    """`correction`, `approval`, or nothing: what a prompt says of the answer before it."""
    sentences = sentences_of(text[:LOOKED_AT], least=2)[:SENTENCES]
    found = {kind for kind in map(_kind_of, sentences) if kind}
    return found.pop() if len(found) == 1 else ""


def _kind_of(sentence: str) -> str:
    if len(sentence) > LONGEST:
        return ""
    plain = simplified(without_quotations(" ".join(sentence.split())))
    if _CORRECTIONS.match(plain):
        return "" if _DOUBTED.search(plain) else CORRECTION
    if not _APPROVALS.match(plain) or _DOUBTED.search(plain) or _LIMITED.search(plain):
        return ""
    return APPROVAL


class Reaction(NamedTuple):
    """A reaction of a person, and the answer that it is about.

    That answer was given behind `since` and not after `until`; `seq` is the number that the next op of
    the journal had when the reaction was noticed, so that nothing depends on clocks.
    """

    kind: str
    session: str
    since: str
    until: str
    seq: int


class Credit(NamedTuple):
    """A reaction with the memory that it speaks for or against."""

    memory: str
    kind: str
    seq: int


def credits_of(
    reactions: Iterable[Reaction], injections: Iterable[Mapping[str, Any]]
) -> list[Credit]:
    """Who gets the credit for what, in the order in which it was noticed."""
    given: dict[str, list[tuple[str, int, str]]] = {}
    for n, line in enumerate(injections):
        items = line.get("items")
        if line.get("moment") not in ASKED_FOR or line.get("agent"):
            continue  # a brief is no answer, and what a sub-agent was told no person has seen
        top = str(items[0]) if isinstance(items, list) and items else ""
        row = (str(line.get("time", "")), n, top.partition("#")[0])
        given.setdefault(str(line.get("session", "")), []).append(row)
    found = []
    for one in reactions:
        rows = [row for row in given.get(one.session, ()) if one.since < row[0] <= one.until]
        if rows and max(rows)[2]:
            found.append(Credit(max(rows)[2], one.kind, one.seq))
    return sorted(found, key=lambda credit: (credit.seq, credit.memory, credit.kind))
