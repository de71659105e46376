"""Notice: the sentences that a person wrote, without what they pasted.

Promises: code blocks, quoted lines, logs, diffs, commit messages and commands are no sentences;
time grows with the length of the text.
Touches: nothing.
"""

from __future__ import annotations

import re

from recollect.domain.pattern import Pattern

_FENCE = Pattern(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)|```.*?(?:```|\Z)", re.S | re.M)
_ENDS = Pattern(r"(?<=[.!?])[\"')\]]*\s+(?=[^a-z\s])|(?<=[。！？；])|\n+|;\s+")
_BULLET = Pattern(r"^\s{0,3}(?:[-*•]|\d{1,2}[.)])\s+(?=\S)")

# Lines that came from a program, by how they begin.
_FROM_PROGRAMS = Pattern(
    r"\s{4,}|\t"  # indented, as code is
    r"|[>|#$%❯@]|\+{1,3} |-{2,} |\+\s{2}|-\s{3}"  # quotations, tables, prompts, diffs
    r"|diff --git |index [0-9a-f]{7}|commit [0-9a-f]{7}|[0-9a-f]{7,40} "
    r"|at \S+ ?\(|File \"|Traceback|\d+[:|]|\[\d|\[[A-Z]+\]"  # traces, numbered lines
    r"|\d{4}-\d\d-\d\d[T ]\d|\d\d:\d\d:\d\d"
    r"|(?:\w+ ){0,2}(?:ERROR|WARN(?:ING)?|INFO|DEBUG|TRACE|FATAL|CRITICAL|ERR!|FAILED|PASSED|FAIL)\b"
    r"|\w*(?:Error|Exception|Warning)\b:|(?:error|warning|fatal)(?:\[\w+\])?:"
    r"|(?:feat|fix|chore|docs|refactor|test|perf|build|ci|style|revert)(?:\([^)]*\))?!?: "
    r"|(?:修复|新增|功能|优化|重构|文档|杂项|测试)[:：]"
    r"|(?:git|npm|pnpm|yarn|docker|kubectl|pip|sudo|curl|cargo) (?!(?:is|was|has|can|and|or|for)\b)[a-z-]"
)
# Lines of code, by what is in them once inline code is set aside.
_CODE = Pattern(
    r"[{};]\s*$|=>|==|&&|\|\||!=|</\w|\);|^\s*[\"'][\w-]+[\"']\s*:|^\w+ = |^[\w.]+\([^)]*\)\s*$"
    r"|^(?:import|from \S+ import|def|class|const|let \w+ =|var|return|function|async|export) .*[(){}=:]"
    r"|^(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER) "
)
_QUOTED = Pattern(
    r"`[^`\n]{0,400}`|\"[^\"\n]{0,400}\"|“[^”\n]{0,400}”|「[^」\n]{0,400}」|『[^』\n]{0,400}』"
    r"|(?<!\w)'[^'\n]{0,400}'(?!\w)"
)
_STAND_IN = "X"


def without_blocks(text: str) -> str:
    """`text` without its code blocks."""
    return _FENCE.sub("\n", text) if "```" in text or "~~~" in text else text


def without_quotations(sentence: str) -> str:
    """`sentence` with a stand-in for everything that is quoted: who quotes does not say it."""
    return _QUOTED.sub(_STAND_IN, sentence)


def sentences_of(text: str, least: int = 6) -> list[str]:
    """The sentences a person wrote: no code blocks, quotations or pasted output.

    Those that weigh less than `least` are left out.
    """
    lines = (_BULLET.sub("", line) for line in without_blocks(text).splitlines())
    kept = "\n".join(line for line in lines if not _is_pasted(line))
    found = (s.strip(" \t-*•") for s in _split(kept) if s)
    return [s for s in found if weight_of(s) >= least]


def _split(text: str) -> list[str]:
    """The text cut where sentences end; a sign within a quotation ends nothing."""
    plain = _QUOTED.sub(lambda match: _STAND_IN * len(match[0]), text)
    ends = [(match.start(), match.end()) for match in _ENDS.finditer(plain)]
    starts = [0, *(end for _, end in ends)]
    stops = [*(start for start, _ in ends), len(text)]
    return [text[start:stop] for start, stop in zip(starts, stops, strict=True)]


def _is_pasted(line: str) -> bool:
    return bool(_FROM_PROGRAMS.match(line) or _CODE.search(without_quotations(line)))


def weight_of(text: str) -> int:
    """How much a text says, in letters: a Chinese character counts as two."""
    return len(text) if text.isascii() else sum(1 if c < "\u2e80" else 2 for c in text)


def first_sentence(text: str, longest: int) -> str:
    """The first sentence of a text on one line, cut at a word where it is too long."""
    sentences = sentences_of(text) or [" ".join(text.split())]
    return shortened(next((s for s in sentences if s), ""), longest)


def shortened(sentence: str, longest: int) -> str:
    """A sentence without its full stop, cut at a word where it is too long."""
    if len(sentence) <= longest:
        return sentence.rstrip(".。:：")
    cut = sentence[:longest]
    cut = cut.rsplit(" ", 1)[0] if " " in cut[longest // 2 :] else cut
    return cut.rstrip(" ,;:，；：") + "…"
