"""What a person wants, without who wants it: `I want to use Redis for the cache` is `Use Redis for the cache`.

Pure. English. Only what stands around a statement is taken away.
"""

from __future__ import annotations

from recollect._fastimport import IGNORE_CASE, Pattern

_ADVERB = r"(?:just|really|also|still|actually|definitely|do)"
_WANT = rf"(?:i|we)(?: {_ADVERB})* want|(?:i|we)(?:['’]d| would)(?: {_ADVERB})* (?:want|like|prefer|love)"
# What says only that something is said.
_LEAD = Pattern(
    r"^(?:please |also |just )*(?:(?:(?:we|you) (?:should|must|need to) (?:also )?)?(?:keep|have|bear) in mind(?: also)?|(?:note|mention|remember|be aware)(?: also)?"
    r"|(?:the |my |our )?idea (?:is|was)(?: also)?),?(?: that)+,? (?!i\b)"
    r"|^as a (?:general )?rule,? |^be sure to (?!not\b)|^the (?:first|second|last|other) (?:part|point|one|bit) is (?:not|in)?(?: ?)correct[,;:.] ",
    IGNORE_CASE,
)
_ENDS = Pattern(
    r",? (?:please|pls|thanks|thank you)[.!]*$|(?:,|;|\s[–—-])? (?:and |so )?(?:please )?(?:keep|have|bear) (?:that|this|it) in mind[.!]*$"
    r"|,? (?:and )?(?:especially|particularly) (?:in|for|with) (?:an? |the )?(?:cases?|situations?|ones?|things?|projects?) like (?:this|these|that)(?: one)?[.!]*$",
    IGNORE_CASE,
)
_ASKED = Pattern(r"^(?:can|could|would|will) (?:we|you)(?: please| also| just)* (?=[a-z]{2})(?!have\b|be\b|see\b|explain\b|help\b|tell\b|show\b|check\b)", IGNORE_CASE)  # fmt: skip
_THOUGHT = Pattern(r"^i (?:think|believe|feel)(?: that)? (?=(?:we|it|the|our|all|every|each) )", IGNORE_CASE)  # fmt: skip
_TO_DO = Pattern(
    rf"^(?:{_WANT})(?: (?:us|you|the agent|claude))? to (?=[a-z])(?!(?:be|have|get|see|know|understand|continue|start|not|never|keep|do|try|discuss|talk|think|make sure)\b)",
    IGNORE_CASE,
)


def plainly(text: str) -> str:
    """A statement without who wants it, or asks for it, and without what only leads it in."""
    said = _ENDS.sub("", text)
    while (bare := _LEAD.sub("", said)) != said:
        said = bare
    said = _THOUGHT.sub("", said)
    bare = _TO_DO.sub("", said)
    if bare == said:
        bare = _ASKED.sub("", said)
        bare = bare.rstrip("? ") if bare != said else said
    return bare


_NAME = Pattern(
    r"[\w-]+[_./@]\w|\w*[a-z][A-Z]|[a-z][\w-]* ?(?:目录|文件|分支|模块|字段|变量|函数|命令|脚本|[表库包])"
)


def capitalized(text: str) -> str:
    """A statement with a capital at its beginning, unless a name in code stands there."""
    return text if _NAME.match(text) else text[:1].upper() + text[1:]
