"""Whether a statement that an agent writes says something to a later session, and how to do better.

English and Chinese. Only what is plainly wrong is refused: the agent is told what to write instead.
"""

from __future__ import annotations

import re

from recollect._fastimport import Pattern
from recollect.capture import requests
from recollect.errors import UsageProblem
from recollect.text.sentences import weight_of
from recollect.text.tokens import STOP_WORDS, is_cjk, plain_words, stem

LONGEST = 300  # characters of a statement,
LONGEST_WHY = 600  # of its reason,
LONGEST_SUBJECT = 60  # and of the title of a page
SAYS_ENOUGH = 3  # words of a statement that need no subject in front
TASKS = ("rule", "decision", "pattern", "")  # the kinds that a task is mistaken for

_HERE = (
    r"(?:project|repo(?:sitory)?|code ?base|monorepo|machine|person|user|team|app(?:lication)?|workspace|company"
    r"|product|server|laptop|computer)\b"
)
_VAGUE = Pattern(
    rf"^(?:(?:this|these|those)\b(?!\s+{_HERE})|that\b(?!\s+{_HERE})|it['’]?s?\b|they\b|he\b|she\b)"
    r"|\b(?:option|approach|variant|alternative) #?(?:[a-d]|\d)\b"
    r"|\b(?:use|using|do|keep|avoid|drop|prefer|fix|remove|replace|choose|chose|pick|want|need)s?"
    r" (?:it|this|that|them|these|those)\b(?=\s*(?:instead|again|now|for now|then|here)?\s*(?:[.,;:!]|$))"
    r"|\b(?:as|see|like) (?:above|discussed|before|described|mentioned|said)\b|\bthe (?:above|former|latter)\b",
    re.I,
)
_VAGUE_ZH = Pattern(
    r"^(?:这|那)(?!(?:个|台|些|位)?(?:项目|仓库|代码库|用户|团队|应用|产品|机器|电脑|公司|服务器))|^(?:它|他|她)(?:们)?"
    r"|(?:方案|选项)\s*[一二三四A-Da-d\d](?!\w)|如上|上述|同上|刚才(?:说|讲|提|那)"
    r"|(?:用|改|做|选|保留|删掉?|采用)(?:这个|那个|它)(?:吧|了)?[。！]?$"
)
_ONCE = Pattern(
    r"(?:please |now |next,? |then )?(?:review|merge|rebase|fix|implement|finish|continue|investigate|debug|refactor|add|write"
    r"|update|create|rename|remove|delete|bump|open|close|check|look (?:at|into)|work on|set up|try)"
    r" (?:the|this|that|an?|my|our|its|his|her|pr|mr|pull request|issue|ticket|bug|task|some|more|missing|failing|#?\d+)\b"
    r"|(?:to-?do|next steps?|next session|still to do|remaining)\b",
    re.I,
)
_ONCE_ZH = Pattern(
    r"(?:请|帮我|麻烦|接着|接下来|下一步|然后|先)*(?:评审|审查|合并|修复|修一下|修好|实现|完成|继续|看看|看一下|检查一下|调试|重构|跑一下"
    r"|运行一下|改一下|加一下|补上|写一个|加一个|新建一个|创建一个|删掉)|(?:待办|下一步|下次|还要|还需要)[：:，,]?"
)
# What holds for more than once.
_GENERAL = Pattern(
    r"\b(?:always|never|every|each|all|any|before|after|when|whenever|until|unless|instead|not|only|per|for all|by default"
    r"|must|should|don['’]?t|because|so that|rather than)\b",
    re.I,
)
_GENERAL_ZH = Pattern(
    r"每|总是|始终|一律|都|必须|不要|不得|禁止|所有|任何|之前|之后|[时前后]|以后|永远|默认|应该|应当|因为|而不是|统一|只"
)
_DONE = Pattern(
    r"(?:i |i['’]ve |i have |successfully )?(?:fixed|added|implemented|refactored|updated|renamed|merged|committed|pushed|completed"
    r"|finished|created|wrote|ran|verified|cleaned up)\b|all (?:the )?(?:tests|checks) (?:pass|are green)|(?:done|everything works)\b"
    r"|(?:let me|i['’]ll|i will|i am going to|i['’]m going to)\b",
    re.I,
)
_DONE_ZH = Pattern(
    r"(?:我)?(?:已经?)?(?:修复|新增|添加|增加|实现|完成|重构|更新|重命名|合并|提交|推送|创建|写好|改好|跑通)了"
    r"|(?:所有|全部)测试(?:都)?(?:已)?通过|让我|我(?:将|会|来|先)"
)
_ASKS = Pattern(r"[?？][\"'”’)）]*$")


def require_lasting(statement: str, *, subject: str, why: str, kind: str) -> None:
    """Raise UsageProblem, which says how to do better, for what says nothing to a later session."""
    _require_size(statement, subject, why)
    zh = any(map(is_cjk, statement))
    general = (_GENERAL_ZH if zh else _GENERAL).search(statement)
    what = ""
    if found := (_VAGUE_ZH if zh else _VAGUE).search(statement):
        what = f"“{found[0].strip()}” means nothing to a later session: name the thing itself."
    elif statement.endswith((":", "：")) or (_ASKS.search(statement) and kind != "open"):
        what = "That states nothing. Write what holds now, in one sentence; what is undecided is of kind `open`."
    elif kind in TASKS and not general and (_ONCE_ZH if zh else _ONCE).match(statement):
        what = "That is a task of this session, not something that holds. Write what was decided or learned; what is left to do is of kind `open`."
    elif kind != "open" and not general and (_DONE_ZH if zh else _DONE).match(statement):
        what = "That reports what was done, which git says already. Write what holds from now on, or what was learned."
    elif not subject and not _says_enough(statement, 2):
        what = f"“{statement}” does not say what for: give the “subject” that it is about, or write it out."
    if what:
        raise UsageProblem(what=what, command="save")


def _require_size(statement: str, subject: str, why: str) -> None:
    what = ""
    if not statement.strip(" .。…-"):
        what = "The statement is missing: say in one sentence what later sessions should know."
    elif len(statement) > LONGEST:
        what = f"The statement has {len(statement)} characters; the maximum is {LONGEST}. Keep to one thing, move the reason to “why”, and save other things separately."
    elif len(why) > LONGEST_WHY:
        what = f"“why” has {len(why)} characters; the maximum is {LONGEST_WHY}. Keep to the reason that was given."
    elif len(subject) > LONGEST_SUBJECT or len(subject.split()) > 8:
        what = f"The subject “{subject[:LONGEST_SUBJECT]}” is too long: name a thing in one to four words, such as Orders."
    if what:
        raise UsageProblem(what=what, command="save")


def understood_alone(statement: str, subject: str) -> str:
    """The statement with its subject in front, if it says too little without it."""
    if not subject or _says_enough(statement, SAYS_ENOUGH) or _names(statement, subject):
        return statement
    zh = any(map(is_cjk, subject + statement))
    return f"{subject}：{statement}" if zh else f"{subject}: {statement}"


def _says_enough(statement: str, least: int) -> bool:
    """Whether a statement has so many words that say something; two Chinese characters are one."""
    if any(map(is_cjk, statement)):
        return weight_of(statement) >= 4 * least
    return len(_words(statement)) >= least


def _names(statement: str, subject: str) -> bool:
    if any(map(is_cjk, subject)):
        return subject in statement
    return not _words(subject).isdisjoint(_words(statement))


def _words(text: str) -> set[str]:
    return {stem(word) for word in plain_words(text) if word not in STOP_WORDS}


_LINKED = Pattern(r"(?:because|since|as|so that|so|to|in order to|for|otherwise)\b", re.I)
_LINKED_ZH = Pattern(r"因为|由于|以便|为了|否则|这样|所以")
_HAS_REASON = Pattern(r"\b(?:because|since|so that|in order to|due to)\b|因为|由于|以便|为了", re.I)


def with_reason(statement: str, why: str) -> str:
    """A statement with its reason, as one sentence: `Order store: PostgreSQL, because …`."""
    said = statement.rstrip(" .。！!；;,，")
    why = " ".join(why.split()).strip(" .。")
    if not why:
        return statement
    zh = any(map(is_cjk, said))
    if (_LINKED_ZH if zh else _LINKED).match(why):
        link = "，" if zh else ", "
        return f"{said}{link}{why[0].lower()}{why[1:]}"
    is_word = why[:1].isupper() and why[1:2].islower() and why.split()[0] in _PLAIN
    why = f"{why[0].lower()}{why[1:]}" if is_word else why
    return f"{said}，因为{why}" if zh else f"{said}, because {why}"


_PLAIN = frozenset(
    """A An The We It They There Our Its This That These Each Every All No Some Most Both Two Three Not Only
    Many Few More Less Other Others People Users Tests""".split()
)


def bare(text: str) -> str:
    """A statement without its reason."""
    found = _HAS_REASON.search(text)
    return text[: found.start()].rstrip(" ,;，；–—-") if found else text


# -------------------- Whether a statement is somebody's own.


OWN_WORDS = 0.6  # share of a statement's words that a person has to have typed for it to be theirs


def is_persons_wording(statement: str, typed: str, why: str = "") -> bool:
    """Whether a person typed most words of a statement, in whatever order, and every name in it.

    Of its reason every name is enough.
    """
    words = requests.words_of(statement)
    said = {stemmed(word) for word in requests.words_of(typed)}
    share = sum(stemmed(word) in said for word in words) / len(words) if words else 0.0
    plain = typed.casefold()
    names = (name.strip().casefold() for name in _NAME.findall(f"{statement}\n{why}"))
    return share >= OWN_WORDS and all(name in plain for name in names)


# What is written like no other word: a number, an identifier, a file, code; in Chinese every Latin word.
_NAME = Pattern(
    r"\d(?:[\w.]*\w)?|\w+[._]\w+|[A-Za-z]*[a-z][A-Z]\w*|(?<=[\u4e00-\u9fff]) ?[A-Za-z]{3,}|(?<=`)[^`\n]+(?=`)"
)


def stemmed(word: str) -> str:
    """What two forms of a word have in common."""
    return word[:5] if word.isascii() else word
