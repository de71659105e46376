"""Conflicts: what a claim says once polarity, numbers and scope are set aside.

Promises: `push to main`, `never push to main` and `avoid pushing to main` have one core; so have `retry
3 times` and `retry 5 times`; words of either language are treated alike.
Touches: nothing.
"""

from __future__ import annotations

import re
from functools import lru_cache

from recollect.domain.claims.identity import near_key
from recollect.domain.conflicts.values import OPPOSITE
from recollect.domain.conflicts.wording import Wording
from recollect.domain.text import folded
from recollect.named import NamedTuple

LONGEST = 240  # longer claims say several things; nothing is inferred from them

_HEDGED = Wording(
    r"\b(?:maybe|perhaps|might|could|would|was|were|used to|previously|formerly|had|probably|sometimes|often|usually"
    r"|unless|except|e\.g\.|for example|consider|not (?:only|just|yet|sure|necessarily)|either|neither|whether|some of|half of)\b|[?？]",
    r"也许|可能|曾经|以前|之前是|原来|有时|通常|除非|除了|例如|比如|考虑|不仅|不一定|未必|是否|或者|要么",
)
ADDED = Wording(
    r"\b(?:also|as well|too|additionally|another|both|in addition|alongside|besides|together with)\b",
    r"也|还|另外|同时|以及|再加",
)
_REASON = Wording(
    r"(?:[,;:]|\s[–—-])?\s+(?:because|since|so that|as it|as we|in order to|due to|it has|which)\b.*$",
    r"[，,；;：:]?\s*(?:因为|由于|以便|为了避免|原因是|理由是|这样|它支持).*$",
)
_EXPLAINED = re.compile(r"([^:]{4,120}?)(?<!\d):(?:\s+\S+\s+\S|\s*[\u4e00-\u9fff]{2})")
_LEAD = re.compile(
    r"^(?:(?:please|note(?: that)?|remember(?: that| to)?|decision|decided|ok|okay|now|currently|from now on|by default|make sure (?:to|that)|ensure that"
    r"|we(?:['’]ve)? (?:decided|agreed) (?:to|that we)|let['’]?s|be sure to)\b[,:]?\s+"
    r"|(?:注意|记住|记得|决定|现在|目前|以后|今后|从现在起|请|我们决定|已决定)[，,：:]?\s*)+",
    re.I,
)
_HERE = Wording(
    r"\b(?:in|for|of) (?:this|our|the) (?:repo|repository|project|codebase|team|company)\b|\beverywhere\b"
    r"|\b(?:now|currently|from now on|by default|anymore|any more|any longer)\b",
    r"(?:在)?(?:本|这个|我们的)?项目(?:里|中)[，,]?|现在|目前",
)
_SCOPE_FIRST = Wording(
    r"((?:in|on|for|at|during|when|whenever|while|before|after|under|if|with|inside|outside) [^,]{1,80}),\s*(?=\S)",
    r"((?:在|当|对于?|对)[^，,。]{1,24}?(?:里|中|上|时|下|环境|阶段|前|后|内|来说)?)[，,]\s*"
    r"|(在?[^，,。是用]{1,16}?(?:环境|测试|文件|脚本|分支|代码)?(?:里|中|上|时|环境下?)[，,]?)(?=(?:使用|采用|不|别|禁止|必须|都|用|可以|总是|应)\S)",
)
_SCOPE_LAST = Wording(
    r"\s((?:(?:during|when|whenever|while|before|after|if|until|without) "
    r"|(?:in|on|under|inside|outside|within|for|at|from) (?!(?:port|favor|place|charge|least|most|all)\b|[^.]* (?:is|are|=) ))"
    r"\D.*)$",
)
_NEGATIVE = Wording(
    r"\b(?:never(?: ever)?|(?:do|does|did|must|should|shall|will|is|are|can|may)(?: not|n['’]t)|cannot|can['’]t|won['’]t|don['’]?t|doesn['’]?t"
    r"|isn['’]t|aren['’]t|avoid|no longer|stop|not|refrain from)\b",
    r"永远不要|绝对不要|千万不要|千万别|永远别|绝不|不再|不要再|不要|不应该|不应当|不应|不能够|不能|不得|不可以|不允许|不准|禁止|严禁|请勿|没有|未(?=[启开支])"
    r"|(?<![特区分级类个辨识])别(?!的|人|名)|不(?!同|仅|过|错|但|管|断|久|少|足|变|可|小|大|超)",
)
_MODAL = Wording(
    r"\b(?:always|must|should|shall|have to|has to|need to|needs to|will|do|does|we|you|i|the team|everyone|all|only|please|ever)\b",
    r"必须|总是|一律|应该|应当|务必|始终|一定|我们|大家|团队|可以|需要|统一|每次|要|请|都|会",
)
_USED = re.compile(r"使用|采用|改用")
_NUMBER = re.compile(r"(?<![\w.])v?\d+(?:[.,]\d+)*(?![\w.]*[A-Za-z]\w*\d)|\d+")
_DIGIT = re.compile(r"\d")
_NAMED_BY_NUMBER = re.compile(
    r"(?:\b(?:step|issue|pr|ticket|sprint|release|build|milestone|iteration|phase|chapter|figure|fig|case|day|task|bug|line|lines|section|part|point|commit|rule|test|node|room"
    r"|level|layer|stage|week|q|number|no|item|attempt|round|shard|worker|server|migration|adr|rfc|http|error|code|status)[ #]*|#|第|步骤|问题|阶段|发布)\s*$",
    re.I,
)


_VAGUE = re.compile(r"(?:it|this|that|these|those|he|she|they|there)\b|[这那它他她]", re.I)
_WIDE_OPPOSITES = [
    (one, other) for one, other in OPPOSITE.items() if not one.isascii() and one < other
]


class Core(NamedTuple):
    """What a claim is about, and what it says of it."""

    key: str
    negative: bool
    numbers: tuple[str, ...]
    scope: str


def readable(text: str) -> str:
    """A claim without markup, reason and preamble; nothing if it is too long or hedged."""
    if len(text) > LONGEST or _HEDGED.search(text):
        return ""
    plain = folded(text).replace("`", "").replace("**", "").strip()
    plain = _REASON.replaced(plain, "")[0].strip(" .。!！;；")
    return _LEAD.sub("", plain).strip()


def without_explanation(plain: str) -> str:
    """What a readable claim says before the colon behind which it says why; nothing without one."""
    found = _EXPLAINED.match(plain) if ":" in plain else None
    head = found[1].strip() if found else ""
    return head if len(head.split()) > 1 or not head.isascii() else ""


def core_of(plain: str) -> Core | None:
    """The core of a readable claim, or None where nothing is left of it."""
    if _VAGUE.match(plain):
        return None
    plain, scope = without_scope(plain)
    numbers: list[str] = []

    def numbered(match: re.Match[str]) -> str:
        if _NAMED_BY_NUMBER.search(plain[max(0, match.start() - 12) : match.start()]):
            return match[0]
        numbers.append(match[0].removeprefix("v"))
        return " # "

    text = _NUMBER.sub(numbered, plain) if _DIGIT.search(plain) else plain
    text, negations = _NEGATIVE.replaced(text, " ")
    text = _USED.sub("用", _MODAL.replaced(text, " ")[0])
    words = []
    flips = negations
    for one, opposite in _WIDE_OPPOSITES:
        if opposite in text:
            flips += text.count(opposite)
            text = text.replace(opposite, one)
    for word in near_key(text).split():
        other = OPPOSITE.get(word)
        if other and other < word and len(word) > 3:
            words.append(other)
            flips += 1
        else:
            words.append(_rooted(word))
    key = " ".join(words)
    return Core(key, flips % 2 == 1, tuple(numbers), scope) if key.strip("# ") else None


@lru_cache(maxsize=16)  # who reads a claim asks twice
def without_scope(plain: str) -> tuple[str, str]:
    """`(rest, scope)`: a claim without the words that say where or when it holds."""
    plain = _HERE.replaced(plain, " ")[0].strip(" ,，")
    scopes = []
    if first := _SCOPE_FIRST.match(plain):
        scopes.append(first[first.lastindex or 0])
        plain = plain[first.end() :]
    if last := _SCOPE_LAST.search(plain):
        scopes.append(last[1])
        plain = plain[: last.start()]
    return " ".join(plain.split()), " ".join(near_key(scope) for scope in scopes)


@lru_cache(maxsize=8192)
def _rooted(word: str) -> str:
    """A word without the endings of its verb: `push` for `pushing`."""
    if not (word.isascii() and word.isalpha()):
        return word
    if word.endswith("ing") and len(word) > 5:
        word = word[:-3]
        word = (
            word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls" else word
        )
    if word.endswith("s") and not word.endswith("ss") and len(word) > 3:
        word = word[:-1]
    return word.removesuffix("e") if len(word) > 3 else word
