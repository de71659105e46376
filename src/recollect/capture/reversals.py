"""Reversals: what a person takes back, by a word or by what they had undone, and what they rule by a refusal.

Promises: pure; who asks, and who speaks of something else, takes nothing back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from recollect._fastimport import NamedTuple, Pattern
from recollect.capture import requests
from recollect.text.sentences import sentences_of
from recollect.text.tokens import simplified

LONGEST = 120  # of a sentence that takes something back
ENOUGH_SHARED = 0.6  # of the words of a statement that a commit has to have

_LEAD = Pattern(
    r"(?:(?:no|o+k+(?:ay)?|oh|ah|hm+|actually|wait|sorry|well|yeah|hey|so|and|but|then|please|just|on second thoughts?)\b[\s,.:;!–—…-]*"
    r"|不[，,。！\s]+|(?:好的?|嗯|那么?|等等|等一下|其实|抱歉|哦|请|(?:那就|就)这样吧?)[，,。！\s]*)*",
    re.I,
)
_ALL = r"(?:that|this|it|all (?:of )?(?:that|this|it)|what i (?:just )?said|(?:the|my) last (?:one|part|message|prompt|request|sentence|idea))"
_END = r"(?=\s*(?:$|[,.;:!–—-]|(?:please|then|for now|entirely|completely|altogether|i|and|let)\b))"
# What was said right before no longer holds.
_WHOLE = Pattern(
    rf"(?:scratch|scrap|forget(?: about)?|disregard|ignore|drop|cancel|strike|nix) {_ALL}{_END}"
    rf"|never ?mind{_END}|i(?:['’]ve| have)? changed my mind\b|i take (?:that|it|this) back\b|on second thoughts?[,.]? (?:no|let['’]?s not|don['’]?t)\b"
    r"|let['’]?s not(?: do (?:that|this|it)(?: after all| now)?)?[.! ]*$"
    r"|we (?:don['’]?t|do not|won['’]?t) need (?:that|this|it) (?:after all|any ?more)\b"
    r"|(?:算了|当我没说|我改(?:变)?主意了)(?=$|[，,。.！!；;\s])"
    r"|(?:刚才|刚刚|上面|前面|之前)(?:我)?说?的(?:那句|话|这个|那个)?(?:不算|作废|取消|收回|不要了|别管|忽略)"
    r"|(?:忘掉|忽略|取消|撤回|收回|撤销|推翻|作废)(?:刚才|刚刚|上面|前面|我说)(?:说)?的?\S{0,4}(?=$|[，,。.！!])"
    r"|还是(?:不要|别|不)(?:这样|这么|那样)?(?:做|弄|改|搞)?(?:了|吧)+(?=$|[，,。.！!])",
    re.I,
)
# Something with a name no longer holds.
_NAMED = Pattern(
    r"(?:(?:let['’]?s |we(?:['’]ll| will| should| can)? |i(?:['’]d| would)? (?:like to |want to )?)?(?:scrap|forget(?: about)?|drop|ditch|abandon|nix)"
    r"|(?:let['’]?s not|we(?:['’]re| are) not|we won['’]?t(?: be)?) (?:use|using|do|doing|go(?:ing)? with|add|adding|have|having)"
    r"|(?:we|i) (?:no longer|don['’]?t|do not) (?:want|need)|no more)"
    r" (?:the |any |using |our |that )?(?P<en>(?!it\b|this\b|that\b|to\b|them\b)[\w.+#/`-]+(?: [\w.+#/`-]+){0,3}?)"
    r"(?: (?:idea|plan|thing|approach|part|rule|requirement))?(?: after all| any ?more| then| for now)?(?:$|[.,;!]|\s[–—-]\s)"
    r"|(?:我们)?(?:还是)?(?:放弃|去掉|不再?用|不要|别用|别|不做|砍掉|弃用|取消)\s*(?P<zh>[A-Za-z][\w.+#-]*|(?-i:[\u4e00-\u9fff]){2,10}?)\s*(?:这个(?:想法|方案)|的方案|的想法)?(?:了|吧)+(?=$|[，,。.！!])"
    r"|(?!这|那|它|我|你|都|还|也|什么)(?P<gone>[A-Za-z][\w.+#-]*|(?-i:[\u4e00-\u9fff]){2,10}?)\s*(?:我们|就|先|都)*(?:不要|不用|不做|不搞|不考虑|砍掉|去掉|取消|作废)了(?=$|[，,。.！!])",
    re.I,
)
_ASKS = Pattern(r"[?？]\s*$|[吗呢]\s*$|^(?:can|could|should|do|did|what|why|how|is|are)\b", re.I)


# Who refuses a call and says what is to be done instead rules more often than who types the same.
_RULED = Pattern(
    r"(?:please )?(?:(?:do not|don['’]?t|never|stop) (?!worry|check|mind|forget|do\b|be\b|bother)(?:run|us|call|add|creat|writ|install|push|commit|amend|delet|remov|touch|edit|start|open|send|download|mock|skip|rebas|merg)\w*|prefer) \S"
    r"|(?:please )?(?:never|do not ever) (?:force[- ]?push|rebas|squash|amend)\w*(?=[,.;!]|$)"
    r"|i(?:['’]d| would)? (?:want|like|prefer)\b.* (?:instead of|rather than|by default)\b"
    r"|(?:请)?(?:不要|别|禁止)(?:再)?(?:运行|执行|跑|用|使用|调用|加|创建|新建|写|安装|推送|提交|删|改|动|打开|启动|下载|跳过|合并)\S"
    r"|我(?:想要?|要|希望).{2,40}(?:而不是|默认)",
    re.I,
)
_NOW = Pattern(
    r"\b(?:this|that|these|those|(?<![,;:] )it|them|yet|now|first|again|today|the (?:plan|file|change|branch|pr|test|last|other))\b|\bany ?more\b|这|那|(?<![，,；;])它|先|现在|刚才|了[。！]?$",
    re.I,
)


_NEVER = Pattern(r"(?:please )?(?:never|always)\b", re.I)


def rules_by_refusal(text: str) -> list[str]:
    """What a person rules who refuses a call: `don't run the integration tests, too slow`."""
    found = (sentence[_lead_of(sentence) :] for sentence in sentences_of(text))
    return [one for one in found if is_lasting(one) and _RULED.match(simplified(one))]


def is_lasting(sentence: str) -> bool:
    """Whether a sentence is about more than the call, or the plan, that was refused."""
    read = simplified(sentence)
    ruled = read.split(",")[0] if _NEVER.match(read) else read  # what follows says why
    return len(read) <= 200 and not _ASKS.search(read) and not _NOW.search(ruled)


def _lead_of(sentence: str) -> int:
    lead = _LEAD.match(simplified(sentence))
    return lead.end() if lead else 0


class Reversal(NamedTuple):
    """What is taken back: by its name, or without one all that was said right before."""

    name: str = ""


def reversals_in(text: str) -> list[Reversal]:
    """What a prompt takes back: `scrap that`, `let's not use Redis after all`, 算了."""
    found: list[Reversal] = []
    for sentence in map(simplified, sentences_of(text, 1)[:6]):
        if len(sentence) > LONGEST or _ASKS.search(sentence):
            continue
        rest = sentence[_lead_of(sentence) :]
        if (_WHOLE.match(rest) or _WHOLE.match(sentence)) and not found:
            found.append(Reversal())
        elif named := _NAMED.match(rest):
            name = (named["en"] or named["zh"] or named["gone"] or "").strip(" `.")
            if requests.words_of(name):
                found.append(Reversal(name))
    return found


def is_named_in(name: str, statement: str) -> bool:
    """Whether a statement is about what has this name."""
    return requests.words_of(name) <= requests.words_of(simplified(statement))


def is_undone(statement: str, commits: Iterable[str]) -> bool:
    """Whether one of these commits, which are no more, had done what a statement says."""
    words = requests.words_of(statement)
    return len(words) > 1 and any(
        len(words & requests.words_of(commit)) >= ENOUGH_SHARED * len(words) for commit in commits
    )
