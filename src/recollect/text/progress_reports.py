"""Sentences in which an agent says that something is done, or why something was so.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect._fastimport import Pattern
from recollect.text.tokens import is_cjk

_VERBS = (
    r"(?:added|implemented|fixed|created|updated|refactored|removed|replaced|moved|renamed|wrote|written|built|configured|set up|migrated|converted|merged"
    r"|resolved|extracted|changed|improved|restructured|organi[sz]ed|cleaned|deployed|switched|completed)"
)
DONE = Pattern(
    rf"\W*(?:(?:i|we)(?:['’]ve| have)? (?:successfully |now |also |just )*{_VERBS}\b|(?:successfully )?{_VERBS}\b(?! (?:to|by)\b)"
    rf"|(?:the|your|all) [^.]{{2,80}}? (?:is|are|has been|have been) (?:now |successfully )*(?:{_VERBS}|live|in place)\b)"
    r"|.{0,24}?已经?(?:成功)?(?:将|把|为|在|完成|修复|添加|实现|更新|创建|删除|移除|替换|修改|部署|推送|统一|改)",
    2,  # re.I
)
CAUSE = Pattern(
    r"\b(?:root cause|the (?:issue|problem|bug|reason|cause|error) (?:is|was)|because|caused by|due to)\b|原因|因为|由于|问题(?:在于|是|出在)",
    2,
)
POINTS_BACK = Pattern(r"(?:this|that|these|those|it)\b|这", 2)  # to the sentence before it
# What a review or a search came to.
VERDICT = Pattern(
    r"(?:(?:code |final )?(?:review|overall|short)? ?(?:verdict|conclusion|assessment|recommendation|finding|answer)\b ?(?::|is\b|[–—])"
    r"|(?:i|we) (?:found|confirmed|verified)\b|(?:评审|审查|最终)?结论[:：]|没有发现)",
    2,
)
# What was done, as an item of a list says it (`lid.py: Removed the catch`, 新增了盖子), or how it is now.
_SO_NOW = Pattern(
    rf"(?:[^.;:]{{0,60}}[:–—-] |`[^`]+`[^\w`]{{0,6}}|[\w./*:-]+\.\w+(?::\d+)?[^\w`]{{0,6}})?(?:(?:now|also) )?{_VERBS}\b(?! (?:to|by)\b)"
    r"|(?:the|this|our) (?:fix|change|refactoring|solution|new \w+) \w+s\b|[^.;]{3,80} now (?:\w+ly )?(?!pass|works\b|succeeds)(?:\w+s|have|do|use)\b"
    r"|(?:`[^`]+`)?\W*(?:新增|添加|修复|实现|更新|删除|移除|去掉|替换|修改|优化|调整|重构|创建|统一|支持|增加|改为|改成)",
    2,
)

_LEAD = Pattern(
    r"^(?:I|We)(?:['’]ve| have) (?:now |also |just |already )?(?:successfully )?"
    r"(?=(?:\w+ed|built|made|(?:re)?written|set|split|put|cut|run|found) )"
)
_LEAD_ZH = Pattern(r"^我们?已经?(?:成功)?地?(?=[^\W\d_a-zA-Z])")
LABEL = Pattern(r"^(?:SUMMARY|RESULTS?|OUTCOME|STATUS|TL;?DR)\s*[:：]\s*")
PRAISE = Pattern(  # of its own work
    r"^(?:this|these|the|it|now|both|all)\b[^.:;`]{0,80}\b(?:should (?:now )?(?:help|provide|make|give|feel)|makes? (?:it|the \w+) (?:much )?(?:easier|cleaner|clearer|better)|making it (?:much )?easy|(?:much|more) (?:\w+ and )?(?:readable|intuitive|maintainable|robust|user-friendly|professional))\b"
    r"|^(?:这样|这使|现在的?(?:布局|界面|效果|页面|结构)|同时)[^`]{0,60}(?:更加?|非常)(?:易读|清晰|直观|合理|紧凑|实用|美观|流畅|友好|简洁|易用|舒适|自然)",
    2,  # re.I
)
TESTED = Pattern(
    r"[^?]{0,60}\b(?:tests?|checks?|suites?|builds?|lint\w*)\b[^?.]{0,40}\b(?:pass(?:es|ed|ing)?|green|clean|succeed\w*)\b"
    r"|[^?]{0,40}\b(?:not (?:yet )?(?:been )?(?:run|tested|verified)|untested)\b"
    r"|.{0,30}(?:测试|检查|构建|编译).{0,12}(?:通过|没有?跑|未运行)",
    2,  # re.I
)
# That there is nothing left to do, or what the person may try now.
_ALL = (
    r"(?:everything|(?:the|all|your|this|both|these)(?: (?:my )?[\w-]+){0,3}? (?:work|tasks?|changes?|implementation|features?|refactoring|fix(?:es)?|steps?|documentation"
    r"|docs|setup|code|components?|tests?|phases?|todos?|items?|analysis|creation|files?))"
)
_READY = Pattern(
    rf"^(?:{_ALL} (?:is|are) (?:now |already |100% |fully |all )*(?:(?:complete|completed|ready|done|finished)(?: and )?)+"
    r"(?: ?(?:to (?:use|go|be used)|for (?:use|production|testing|integration)\b[^.:;`]{0,40}))?"
    r"|all (?:(?:[\w-]+ ){0,2}(?:work|tasks?|changes?|features?|fix(?:es)?|steps?|components?|tests?|phases?|todos?|items?) )(?:complete|completed|done|finished|implemented)(?: and \w+)?"
    r"|you can (?:now |then )?(?:re-?run|test|try|proceed|continue|refresh)\b(?![^.]*\b(?:without|with|by|via|using|if|when|only|unless)\b)[^`]{0,200}"
    r"|standing by\b[^`]{0,60}|waiting for (?:further|more|your|next|(?:the )?team)\b[^`]{0,80})[.!;]?$"
    r"|^(?:你|您)?现在(?:就?可以|应该能)(?:刷新|测试|试|重新)[^`]{0,60}$|^(?:任务|工作|全部|所有\S{0,4}|一切|功能|开发|修改)?(?:都|全部)?已?经?(?:完成|就绪|准备好)了?[！!。；]?$",
    2,
)
# What became of the working tree, which commits tell.
_UPKEEP = Pattern(
    r"\b(?:remains?|left|still|already|kept) (?:\w+ ){0,2}(?:un)?staged\b|\b(?:un)?staged (?:changes?|files?) (?:remain|stay|(?:are|were) (?:left|untouched|still))"
    r"|\b(?:updated?|added|entry|entries)\b[^.]{0,40}\bchangelog\b|\bchangelog\b[^.]{0,30}\bupdated\b|(?:更新|修改|添加|写入)[^。]{0,10}(?:更新日志|变更日志)"
    r"|\bcommit went\b|\b(?:is|are|was|were|been) (?:now |all )*(?:committed|in (?:a single|one) commit)\b(?! (?:every|each|by|on|at|when|before|after|only)\b)|^(?:i |i['’]ve )?committed\b",
    2,
)
_STILL = Pattern(r"\b(?:but|not|cannot|fail\w*|revert\w*|yet|pending|until)\b|n['’]t\b", 2)
# A line about one place in code: `lid.py` — Added `turn()`.
_PLACE = Pattern(r"\W{0,3}[\w./*-]+\.[a-z]\w*(?::[\d-]+)?\W{0,3} ?(?:[—–:-]|$)")
_CODE = Pattern(
    r"`|\b\w+\(\)|\b[\w-]+\.[a-z]\w*\b(?! )|\b[a-z]+[A-Z]\w*|\b\w+_\w+|\(lines? \d|[第（(]\d+\s?行"
)
# What makes a few words more than a name: a verb, a number, what became of something.
_SAYS = Pattern(
    r"(?:^|[—–:-] )\w+ed\b|\w+ed$|: (?:\S+ ){2}|\b(?:is|are|was|were|has|have|can|cannot|must|should|will|does|do|now|never|only|not|no)\b|→"
    r"|(?<![\w.-])\d[\d:.,]*(?![\w-])(?! lines)|^\w+[^s\W]s\b|^(?:use|see|run|set|call|keep|avoid|config|blocked)\b",
    2,
)
# Names in code, and numbers of lines.
_NAMES = Pattern(
    r"`[^`]*`|[A-Za-z0-9_~.@-]*/[A-Za-z0-9_./@:*-]+|\b[\w-]+\.[a-z]\w*(?::\d[\d-]*)?|\b\w+\(\)"
)
_NO_WORDS = Pattern(r"[^\w→]*$")
SHORT, LONGEST_NAME = 6, 120  # words, and characters


def reports(sentence: str) -> bool:
    """Whether a sentence says that something is done, or why something was so."""
    return bool(DONE.match(sentence) or CAUSE.search(sentence))


def tells_work(said: str) -> bool:
    """Whether a sentence or an item of a list, by itself, says what was done."""
    return bool(DONE.match(said) or _SO_NOW.match(said))


def first_telling(parts: Sequence[str]) -> int | None:
    """Which part says first what was done, why, or what was found; one to which it points counts for it."""
    tells = (tells_work(part) or CAUSE.search(part) or VERDICT.match(part) for part in parts)
    first = next((n for n, told in enumerate(tells) if told), None)
    while first and POINTS_BACK.match(parts[first]):
        first -= 1
    return first


def is_fragment(said: str) -> bool:
    """Whether an item of a list is only the name of something: `Error handling`, `Branch: main`."""
    said = said.rstrip(";")
    is_short = len(said) <= LONGEST_NAME and len(said.split()) <= SHORT
    return is_short and not (
        any(map(is_cjk, said))  # a sentence in Chinese may be as short
        or _SAYS.search(said)
        or is_detail(said)
        or tells_work(said)
        or CAUSE.search(said)
        or TESTED.match(said)
    )


def is_ready(said: str) -> bool:
    """Whether a sentence says no more than that the work is over, or what may be tried now."""
    return bool(_READY.match(said))


def is_upkeep(said: str, title: str) -> bool:
    """Whether a sentence tells what became of the working tree, which commits tell as well."""
    found = _UPKEEP.search(said)
    is_subject = found is not None and max(found[0].split(), key=len).casefold() in title.casefold()
    return found is not None and not (is_subject or CAUSE.search(said) or _STILL.search(said))


def is_detail(said: str) -> bool:
    """Whether a sentence is about one place in code that it begins with."""
    return bool(_PLACE.match(said))


def names_code(said: str) -> bool:
    """Whether a sentence names something in code."""
    return bool(_CODE.search(said))


def only_names(said: str) -> bool:
    """Whether a sentence names things in code and says nothing of them."""
    rest = _NAMES.sub("", said)
    return rest != said and bool(_NO_WORDS.match(rest))


def without_lead(said: str) -> str:
    """A sentence without who did it, and that it succeeded: it is told as the agent's."""
    if _LEAD_ZH.match(said):
        return _LEAD_ZH.sub("已", said)
    rest = _LEAD.sub("", said)
    return rest if rest == said else rest[:1].upper() + rest[1:]
