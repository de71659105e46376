"""Sentences in which an agent says that something is done, or why something was so.

Pure.
"""

from __future__ import annotations

from recollect._fastimport import Pattern

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
# What was done, as an item of a list says it (`lid.py: Removed the catch`, 新增了盖子), or how it is now.
_SO_NOW = Pattern(
    rf"(?:[^.;:]{{0,60}}[:–—-] |`[^`]+`[^\w`]{{0,6}}|[\w./*:-]+\.\w+(?::\d+)?[^\w`]{{0,6}})?(?:(?:now|also) )?{_VERBS}\b(?! (?:to|by)\b)"
    r"|(?:the|this|our) (?:fix|change|refactoring|solution|new \w+) \w+s\b|[^.;]{3,80} now (?:\w+ly )?(?!pass|works\b|succeeds)(?:\w+s|have|do|use)\b"
    r"|(?:`[^`]+`)?\W*(?:新增|添加|修复|实现|更新|删除|移除|去掉|替换|修改|优化|调整|重构|创建|统一|支持|增加|改为|改成)",
    2,
)


def reports(sentence: str) -> bool:
    """Whether a sentence says that something is done, or why something was so."""
    return bool(DONE.match(sentence) or CAUSE.search(sentence))


def tells_work(said: str) -> bool:
    """Whether a sentence or an item of a list, by itself, says what was done."""
    return bool(DONE.match(said) or _SO_NOW.match(said))
