"""Claims: from the body of an episode to its claims.

Promises: of a session's or conversation's own sections, decisions, patterns and issues are one
claim for each item, with the source and trust of that item; files, to-dos and records of what was
asked or committed are no claims. Of everything else each statement that says something is one.
Touches: nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.domain.claims.behaviour import is_behavioural
from recollect.domain.claims.blocks import plain_statement, prose_lines, statements_in
from recollect.domain.claims.identity import claim_key
from recollect.domain.claims.sentences import split_sentences
from recollect.domain.codec import sections_of
from recollect.domain.entries import is_conversation
from recollect.domain.facts import Fact, facts_of, section_kind
from recollect.domain.model import TRUSTS, Memory, Section
from recollect.domain.redact import strip_private
from recollect.domain.struggle import is_problem
from recollect.domain.text import is_cjk
from recollect.named import NamedTuple

BEHAVIOURAL, FACTUAL = "behavioural", "factual"

_NO_CLAIMS = frozenset(
    """files|related files|files modified|todo|todos|to-dos|open todos|next steps|metadata|tracing|keywords|commits
    |conversation info|raw conversation log|references|links|see also
    |文件|相关文件|修改的文件|待办|待办事项|下一步|元数据|元信息|溯源|追溯|关键词|提交|对话信息|参考|链接|相关链接""".replace("\n", "").replace("    ", "").split("|")
)  # fmt: skip
_SUMMARIES = frozenset("summary|topic summary|摘要|主题摘要|概要|总结".split("|"))
_RECORDS = re.compile(r"(?:Asked|Commits|请求|提交)\s*[:：]", re.I)
_OUTCOME = re.compile(r"(?:Outcome|结果)\s*[:：]\s*", re.I)
_REPORT = re.compile(
    r"(?:i|i['’](?:ve|m|ll)|let me|done|all done|我(?!们)|已完成|完成)\b"
    r"|(?:(?!not\b|never\b)[\w./-]+ ){1,6}(?:is|are|was|were|has been|have been) (?:now )?"
    r"(?:published|updated|pushed|merged|committed|released|finished|done)(?=\s*(?:$|[.:;,!])| (?:now|and)\b)"
    r"|[^，。；：]{0,24}已(?:经)?(?:完成|更新|提交|推送|发布|修复|合并)(?:$|[，。；！])",
    re.I,
)
# What an answer begins with says nothing to who has not heard the question.
_OBJECTION = re.compile(
    r"^(?:(?:no|nope|nah|wrong|yes|ok(?:ay)?)[,.!]\s+|(?:不|不对|错了|好的?|对)[，。！]\s*)+(?=\S)",
    re.I,
)
_TO_LESSON = re.compile(r"\(procedural/[\w.-]+#[^)]*\)\s*$")

_LINK = re.compile(
    r"!?\[[^\[\]\n]*\]\([^()\n]*\)|<https?://[^<>\n]*>|https?://[^\s，。；、）)]+|\bwww\.\S+"
)
_CODE = re.compile(r"`[^`\n]*`")
_POINTING = frozenset(
    "see link links source sources ref cf via from at 见 参见 参考 链接 来源 详见".split()
)
_LOGGED = re.compile(
    r"\[?(?:\d{4}-\d\d-\d\d[T ])?\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?Z?\]?[\s:：–—-]+(?:\w+\s*[:：(]|`|(?:INFO|WARN|ERROR|DEBUG)\b)"
    r"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?\S*\s+(?:INFO|WARN\w*|ERROR|DEBUG|\[)"
    r"|[\w ]{1,20}\[\d{1,2}:\d\d(?::\d\d)?\]"
)  # fmt: skip
_HEADERS = re.compile(
    r"(?:Keywords|Time|Duration|Turns|Start Time|End Time|Tags|关键词|时间|时长|轮次|轮数|开始时间|结束时间|标签)$",
    re.I,
)
_LABEL = re.compile(r"\*\*([^*\n]{1,40}?)\s*(?:[:：]\*\*|\*\*\s*[:：])")
_BOX = re.compile(r"\[[ xX]\](?:\s|$)")
_PLACEHOLDER = re.compile(
    r"[\W_]*(?:\{[^{}]*\}|<(?!https?:)[^<>]*>|\[[^\[\]]*\]|tbd|todo|n/?a|none(?: yet)?|nothing(?: yet)?|not stated|unknown|empty"
    r"|no (?:decisions?|issues?|todos?|conclusions?|files?)(?: yet)?|无|暂无\w{0,6}|没有|未知|待定|待补充|略)[\W_]*",
    re.I,
)
_BRACES = re.compile(r"\{[\w\u4e00-\u9fff][^{}`]{0,40}\}")
_QUESTION = re.compile(r"[?？][\"'”’)）*_]*$|[吗呢][。.]?$")
_PSEUDO_TITLE = re.compile(r"\*\*([^*]+)\*\*|__([^_]+)__")
_SPOKEN_END = (".", "!", "。", "！", ";", "；")
_WORD = re.compile(r"[^\W_](?:[\w.+#/@-]*[\w+#])?")


class Claim(NamedTuple):
    """One statement of an episode: what it says, how, who said it, and in which section."""

    text: str
    kind: str = FACTUAL
    source: str = "observed"
    trust: str = "user"
    anchor: str = ""


def claims_in(memory: Memory) -> list[Claim]:
    """The claims of a memory, or its title where it says nothing else; a raw conversation has none."""
    if is_conversation(memory.path):
        return []
    recorded = memory.kind in ("session", "conversation")
    title = strip_private(memory.title)
    is_title = not recorded and _without_title(memory.body, memory.title) == ""
    if is_title and is_claim(title):
        how = BEHAVIOURAL if is_behavioural(title) else FACTUAL
        return [Claim(plain_statement(title), how, memory.source, memory.trust)]
    return claims_of(memory.body, source=memory.source, trust=memory.trust, recorded=recorded)


def _without_title(body: str, title: str) -> str:
    first, _, rest = body.strip().partition("\n")
    is_title = " ".join(first.removeprefix("#").split()).casefold() == title.casefold()
    return rest.strip() if is_title else body.strip()


def claims_of(
    body: str, *, source: str = "observed", trust: str = "user", recorded: bool = True
) -> list[Claim]:
    """The claims of a body, each once; where one is said twice, as its better source said it.

    Only in the record of a session does `- source: instructed` mean that the person said it.
    """
    found: dict[str, Claim] = {}
    is_open = False
    for section in sections_of(strip_private(body)):
        lines, is_open = prose_lines(section.text, is_open=is_open)
        for claim in _section_claims(section, lines, source, trust):
            if not recorded:
                claim = claim._replace(trust=trust)  # noqa: PLW2901
            key = claim_key(claim.text)
            old = found.get(key)
            if old is None or TRUSTS.index(claim.trust) > TRUSTS.index(old.trust):
                found[key] = claim
    return list(found.values())


def is_claim(text: str) -> bool:
    """Whether a statement on one line says something: a fact or a rule, however short."""
    if _BOX.match(text) or text.startswith(("```", "~~~", "|")) or _QUESTION.search(text):
        return False
    if text.endswith((":", "：")) or _LOGGED.match(text) or _is_placeholder(text):
        return False
    label = _LABEL.match(text)
    if label and _HEADERS.fullmatch(label[1].strip()):
        return False
    if _BRACES.search(_CODE.sub("", text)) and _weight(_BRACES.sub("", text)) < 3:
        return False
    rest = _CODE.sub(" ", _LINK.sub(" ", text))
    if rest != text:
        words = _WORD.findall(rest.casefold())
        return bool(set(words) - _POINTING) and _weight(_LINK.sub(" x ", text)) >= 2
    return _weight(text) >= 2 and not _is_title(text)


def _is_placeholder(text: str) -> bool:
    return len(text) <= 80 and bool(_PLACEHOLDER.fullmatch(text))


def _is_title(text: str) -> bool:
    """Whether a line is bold from end to end and no sentence: a title in all but name."""
    match = _PSEUDO_TITLE.fullmatch(text)
    said = (match[1] or match[2]) if match else ""
    is_spoken = said.endswith(_SPOKEN_END) or is_behavioural(said)
    return bool(said) and not is_spoken and _weight(said) <= 6


def _weight(text: str) -> int:
    """How many words a text has; two Chinese characters count as one."""
    words = 0
    for match in _WORD.finditer(text):
        word = match[0]
        wide = 0 if word.isascii() else sum(map(is_cjk, word))
        words += max(1, wide // 2) if wide else 1
        words += 1 if wide and any(c.isascii() for c in word) else 0
    return words


# -------------------------------------------------------------------------------- sections


def _section_claims(section: Section, lines: list[str], source: str, trust: str) -> Iterator[Claim]:
    name = section.heading.strip(" \t:：*_").casefold()
    if name in _NO_CLAIMS:
        return
    kind = section_kind(section.heading)
    if kind:
        for fact in facts_of(kind, "\n".join(lines)):
            if claim := _fact_claim(fact, section.anchor, source, trust):
                yield claim
    for said in statements_in(lines, section.anchor, section.heading):
        if kind and said.is_item:
            continue
        for text in _summary_parts(said.text) if name in _SUMMARIES else [said.text]:
            if not _TO_LESSON.search(text) and is_claim(text):
                how = BEHAVIOURAL if is_behavioural(text) else FACTUAL
                yield Claim(text, how, source, trust, section.anchor)


def _summary_parts(text: str) -> list[str]:
    """What a line of a session's summary claims: the record of what was asked claims nothing."""
    if _RECORDS.match(text):
        return []
    outcome = _OUTCOME.match(text)
    if not outcome:
        return [text]
    parts = split_sentences(plain_statement(text[outcome.end() :]))
    return [part for part in map(plain_statement, parts) if not _REPORT.match(part)]


def _fact_claim(fact: Fact, anchor: str, source: str, trust: str) -> Claim | None:
    if fact.kind == "issue" and is_problem(fact.content):
        return None  # what a call printed is quoted in the lesson that was learned from it
    content = plain_statement(_OBJECTION.sub("", fact.content))
    is_wide = any(map(is_cjk, content[-1:] + fact.detail[:1]))
    detail = fact.detail if fact.kind == "decision" else ""
    if fact.kind == "issue" and fact.status == "resolved":
        detail = "已解决" if is_wide else "resolved"
    text = content + (f"{'：' if is_wide else ': '}{plain_statement(detail)}" if detail else "")
    if content and _weight(text) < 2 and not _is_placeholder(content):
        name = {
            "decision": ("Decided", "决定"),
            "pattern": ("Pattern", "约定"),
            "issue": ("Issue", "问题"),
        }
        text = f"{name[fact.kind][is_wide]}{'：' if is_wide else ': '}{text}"  # a word alone says nothing
    if not is_claim(text):
        return None
    behavioural = fact.kind == "pattern" or (fact.kind == "decision" and _is_rule(content))
    if fact.source == "instructed":
        trust = "user"
    return Claim(
        text, BEHAVIOURAL if behavioural else FACTUAL, fact.source or source, trust, anchor
    )


_RULE = re.compile(
    r"\b(?:always|never|don['’]?t|do not|must|should|avoid)\b|不要|永远|禁止|必须|一律|总是", re.I
)


def _is_rule(content: str) -> bool:
    """Whether a decision is a rule: to use something is a decision, to never use it is a rule."""
    return bool(_RULE.search(content)) and is_behavioural(content)
