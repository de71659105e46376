"""Claims: whether a claim says how to work, in English or Chinese.

Promises: instructions and rules are behavioural; what tells how something behaves (`the server never
restarts`), what happened or what may be is factual. Where it is not clear, a claim is factual.
Touches: nothing.
"""

from __future__ import annotations

import re

from recollect.domain.notice.wording import any_of

_CJK = re.compile(r"[\u4e00-\u9fff]")
# Where an instruction may begin: at the start, behind a scope or a condition, or in a second clause.
_START = (
    r"(?:^|^(?:in|on|for|when|whenever|before|after|if|unless|during|with|while|to)\b[^,.;]{1,80},\s*(?:then\s+)?|[;:]\s+|\s[–—-]\s|,\s+(?:and|but|so)\s+)"
    r"(?:(?:please|also|then|so|and|but|now|just|in general|by default|from now on|going forward)[,:]?\s+)*"
)
_VERBS = (
    r"(?:use|run|check|ask|keep|write|commit|push|pin|wrap|store|put|call|import|install|name|treat|return|log"
    r"|validate|handle|document|explain|answer|reply|respond|verify|review|rebase|squash|format|lint|mock"
    r"|create|add|remove|delete|deploy|confirm|read|set|make|start|follow|include|prefix|skip|leave|test)"
)
_NOT_A_VERB = (
    r"(?!-)(?!\s*[:：=])(?!\s+(?:of|is|are|was|were|has|had|can|cannot|may|might|will|would|does|did|takes|took|time"
    r"|count|counts|cases?|suites?|coverage|files?|hooks?|names?|runs?|fails?|failed|passes|passed|constraints?"
    r"|errors?|messages?|logs?|limits?|points?|queries|query|results?|latency|load|data|sets|and)\b)"
)
_ENGLISH = any_of(
    rf"{_START}(?:always|never)(?!-)\s+(?!(?:been|was|were|had|worked|got|again|mind)\b)\w",
    (
        rf"{_START}(?:do not|don['’]?t|avoid|prefer|stop(?=\s+\w+ing\b)|make sure|ensure|be sure|remember to"
        rf"|refrain from|no need to)(?!-)\s+\w"
    ),
    rf"{_START}{_VERBS}{_NOT_A_VERB}\s+\S",
    rf"{_START}only\s+{_VERBS}\s+\S",
    (
        r"\b(?:you|we|agents?|everyone|developers?|contributors?|nobody|no one)\s+"
        r"(?:should|must|have to|need to|shall|may not|must not|can ?not)\s+(?!have\b|be (?:able|fine|done)\b)\w"
    ),
    r"\b(?:we|i)\s+(?:always|never|prefer|avoid)\s+(?!(?:been|had|got|saw|found|forget|knew)\b)\w",
    r"\b(?:must|should|shall)\s+(?:always|never|not|only)\s+(?!(?:have|happen|occur|matter)\b)\w",
    (
        r"\b(?:must|should)\s+(?!(?:have|be (?:a|an|because|due|fine|ok|okay|able|enough|done|easy|safe|the|working"
        r"|running|faster|slower|quick|possible|some|there|in|on|at)|have been|work|help|happen|suffice|probably|also|mean|look)\b)"
        r"(?:be\s+\w+|\w+)\s*\S"
    ),
    (
        r"\buse\s.{1,80}\b(?:instead|rather than)\b|\brun\s.{1,60}\bsequentially\b"
        r"|\bcheck\s.{1,80}\bbefore\b"
    ),
    r"^(?:all|every|each|no)\s[\w` /-]{2,60}?\s(?:must|should|needs? to)\s",
    r"\b(?:is|are) (?:forbidden|not allowed|prohibited|mandatory)\b",
    after=_START,
)
_ENGLISH_FACT = re.compile(
    r"\b(?:should|must|could|would)(?:n['’]t)? have (?:been|done|gone|had|made|seen|known|\w+ed)\b|^(?:i|we|he|she|they|it)\s+(?:stopped|avoided|used|ran|checked|tried|never (?:saw|got|found|had))\b"
    r"|\b(?:used|ran|checked|avoided) .{1,60}\binstead of\b.*\b(?:yesterday|today|last)\b"
    r"|[?？]\s*$|^(?:maybe|perhaps|it seems|apparently)\b|^to-?do\b",
    re.I,
)

_ZH_START = r"(?:^|[，,：:；;。\s])(?:请|以后|今后|从现在起|在[^，。]{1,20}(?:里|中|上|时|前|后|环境|下)[，,]?|[^，。别]{1,12}(?:里|中|时|前|后|之前|之后)[，,]?|我们|大家|也|都|就|一定|尽可能|默认)*"
_CHINESE = any_of(
    r"(?:永远|绝对?|千万)(?:都)?(?:不要|不能|别|不得|不可)|(?:不要|严禁|禁止|请勿|切勿|不得|不允许|不准)(?!紧)\S",
    rf"{_ZH_START}(?:别|不应|不应该|不能)(?!的|人|名|说|忘了吗)\S",
    rf"{_ZH_START}(?:总是|始终|每次)(?:要|先|都|用|使用|保持|检查|运行|写|加)",
    r"必须(?!承认|说|是因为)\S|(?<!服)务必|一律(?!是因)",
    r"(?<!本)(?<!早)(?<!原)应(?:该|当)(?!是|会|已|没|有|可以|不会|够|能|就是)\S",
    rf"{_ZH_START}(?:避免|优先|尽量|记得|确保|坚持|统一)(?!级|权|度|了)\S",
    r"(?:以后|今后|从现在(?:起|开始)|往后)[^。]{0,14}(?:都|要|请|不要|别|不|用|必须|一律|先)",
    rf"{_ZH_START}(?:使用|采用|改用|用)(?!户|到|过|法|途|例|于|力|了|时|量|完|的)[^，。]{{1,40}}(?:而不是|代替|替代|不要用|[，,]\s*(?:不用|别用|不要))",
    rf"{_ZH_START}请(?!求)\S|^(?:使用|改用|用)(?!户|到|过|法|途|例|于|力|了|时|量|完|的)\s*\S",
    r"先[^，。]{1,20}(?:再|，再|然后再)(?!次)\S|[^，。]{1,20}(?:之前|前)(?:要先|先|必须|要|都要)(?:检查|运行|跑|确认|备份|测试)",
    r"(?:所有|每个|任何|每次)[^。]{1,24}(?:都要|都必须|都应|都得|不能|不得|必须)",
)
_CHINESE_FACT = re.compile(
    r"[?？吗呢]\s*$|^(?:也许|可能|好像|似乎|大概)|昨天|刚才|之前(?:是|用的|用过)|曾经|本来应"
)


def is_behavioural(text: str) -> bool:
    """Whether a claim says how to work, rather than what is so."""
    plain = text.strip().strip("*_\"'“”")[:600]
    if _CJK.search(plain):
        if _CHINESE_FACT.search(plain):
            return False
        if _CHINESE.search(plain):
            return True
    return bool(_ENGLISH.search(plain)) and not _ENGLISH_FACT.search(plain)
