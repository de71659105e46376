"""Extract the claims of an episode, one statement each, in English and Chinese.

Headings, code, tables, logs, comments, bare links and placeholders are no claims; short facts are.
A claim written as a list item parses back to the same claim.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from recollect._fastimport import NamedTuple, Pattern
from recollect.capture.failure_fix import is_problem
from recollect.capture.pattern_types import any_of
from recollect.model.claim_key import claim_key
from recollect.model.document import sections_of
from recollect.model.entries import SUMMARY_LABELS, beside_title, is_conversation
from recollect.model.facts import Fact, fact_from, items_of, section_kind, with_detail
from recollect.model.filing_marks import OPEN, list_items
from recollect.model.footnotes import MARK, mark_of, without_id
from recollect.model.memory import SESSION_KINDS, TRUSTS, Memory, Section, lowest_trust
from recollect.text.redact import strip_private
from recollect.text.sentences import has_han, split_sentences
from recollect.text.tokens import is_cjk, simplified, uses_full_width

# -------------------- Whether a claim says how to work, in English or Chinese.


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
_ENGLISH_FACT = Pattern(
    r"\b(?:should|must|could|would)(?:n['’]t)? have (?:been|done|gone|had|made|seen|known|\w+ed)\b|^(?:i|we|he|she|they|it)\s+(?:stopped|avoided|used|ran|checked|tried|never (?:saw|got|found|had))\b"
    r"|\b(?:used|ran|checked|avoided) .{1,60}\binstead of\b.*\b(?:yesterday|today|last)\b"
    r"|[?？]\s*$|^(?:maybe|perhaps|it seems|apparently)\b|^to-?do\b",
    re.I,
)

# Each part is taken as it first fits and not tried in other ways: such ways multiply.
_ZH_START = (
    r"(?:^|[，,：:；;。\s])(?>请|以后|今后|从现在起|在[^，。]{1,20}?(?:里|中|上|时|前|后|环境|下)[，,]?"
    r"|[^，。别]{1,12}?(?:里|中|时|之?前|之?后)[，,]?|我们|大家|也|都|就|一定|尽可能|默认){0,6}"
)
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
    r"^[^，,。：:]{1,30}(?:不能|不可以?|只能)(?:为|是|有|超过|少于|小于|大于|低于|高于|包含|含有|重复|出现)\S",
)
_CHINESE_FACT = Pattern(
    r"[?？吗呢]\s*$|^(?:也许|可能|好像|似乎|大概)|昨天|刚才|之前(?:是|用的|用过)|曾经|本来应"
)


def is_behavioural(text: str) -> bool:
    """Whether a claim says how to work, rather than what is so."""
    plain = simplified(text.strip().strip("*_\"'“”")[:600])
    if has_han(plain):
        if _CHINESE_FACT.search(plain):
            return False
        if _CHINESE.search(plain):
            return True
    return bool(_ENGLISH.search(plain)) and not _ENGLISH_FACT.search(plain)


# -------------------- The statements of a Markdown text, without what only looks like text.


END = "\f"  # stands where a heading was: it ends a list item, which a blank line alone does not

_ITEM = Pattern(r"[ \t]*(?:(?:[-*+•]|\d{1,9}[.)])[ \t]+|\d{1,3}、[ \t]*)(?=\S)")
_NUMBER = Pattern(r"[ \t]*\d{1,9}[.)、]")
_LATER_NUMBER = Pattern(r"[ \t]*(?!0*1[.)])\d{1,9}[.)]")
_LABEL = Pattern(r"[ \t]*\*\*[^*\n]{1,40}(?:[:：]\*\*|\*\*[ \t]*[:：])")
_QUOTE = Pattern(r"[ \t]*(?:>[ \t]?)+")
HEADING = Pattern(r" {0,3}#{1,6}(?:[ \t]|$)")
_FENCE = Pattern(r"[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}|~{3,})(.*)")
_ACROSS = Pattern(r"[ \t]*([-*_=])(?:[ \t]*\1){2,}[ \t]*")
_TABLE_LINE = Pattern(r"[ \t]*\|")
_TABLE_RULE = Pattern(r"(?=[^-]*-)(?=[^|]*\|)[ \t:|-]+")
_BEFORE_TEXT = Pattern(r"(?:(?:[-*+•>]|\d{1,9}[.)]|#{1,6})[ \t]+|\d{1,3}、[ \t]*|>)+")
_ENDED = Pattern(r"[.!?。！？;；:：][*_\"”』」)）]*$")


class PlacedStatement(NamedTuple):
    """A statement with its section and the mark of where it came from.

    `is_item` says that it is an item of a list, `is_alone` that its paragraph says nothing else.
    """

    text: str
    anchor: str
    heading: str
    mark: str
    is_item: bool
    is_alone: bool


class _Block(NamedTuple):
    lines: list[str]
    is_item: bool


def statements_of(body: str) -> list[PlacedStatement]:
    """Everything that a body states, in order; what is no claim may be among it."""
    return list(_stated(body))


@lru_cache(maxsize=4)  # who has put something into a body reads all of it next
def _stated(body: str) -> tuple[PlacedStatement, ...]:
    found: list[PlacedStatement] = []
    is_open = False
    for section in sections_of(body):
        lines, is_open = prose_lines(section.text, is_open=is_open)
        found += statements_in(lines, section.anchor, section.heading)
    return tuple(found)


def statements_in(lines: list[str], anchor: str = "", heading: str = "") -> list[PlacedStatement]:
    """The statements of the lines of one section."""
    found = []
    for block in _blocks(lines):
        text, mark = _unmarked(_joined(block.lines))
        if text.startswith("[^") and text.partition("]")[2][:1] == ":":  # a footnote of theirs
            continue
        parts = [text] if block.is_item else split_sentences(text)
        said = filter(None, map(plain_statement, parts))
        found += [
            PlacedStatement(one, anchor, heading, mark, block.is_item, len(parts) == 1)
            for one in said
        ]
    return found


def plain_statement(text: str) -> str:
    """`text` on one line, without list signs in front, and safe inside a line of Markdown."""
    text = " ".join(text.split())
    lead = _BEFORE_TEXT.match(text)
    text = text[lead.end() :].lstrip() if lead else text
    return text.replace("<!--", "‹!--").replace("-->", "--›").strip()


# ----------------------------------------------------------------------------------- lines


def prose_lines(text: str, *, is_open: bool = False) -> tuple[list[str], bool]:
    """The lines of a section that are neither code nor table, heading or comment; blank ones kept.

    `is_open` says that a comment was still open before the text, and, given back, behind it.
    """
    kept: list[str] = []
    fence = ""
    in_table = False
    for raw in text.splitlines():
        if fence:
            match = _FENCE.match(raw)
            closes = match and match[1].startswith(fence) and not match[2].strip()
            fence = "" if closes else fence
            continue
        line, is_open = _uncommented(raw, is_open=is_open)
        match = _FENCE.match(line)
        if match and not (match[1][0] == "`" and "`" in match[2]):
            fence = match[1]
            kept.append("")
            continue
        line = _QUOTE.sub("", line, count=1) if line.lstrip().startswith(">") else line
        if _TABLE_RULE.fullmatch(line):
            in_table = True
            if kept and "|" in kept[-1]:
                kept[-1] = ""  # the head of a table that has no outer lines
        elif in_table and "|" in line:
            line = ""
        else:
            in_table = False
        if _ACROSS.fullmatch(line):
            _forget_title(kept)
            line = ""
        is_heading = HEADING.match(line)
        is_other = _TABLE_LINE.match(line) or is_heading or in_table
        kept.append(END if is_heading else "" if is_other else line)
        if raw.strip() and not line.strip() and not is_other and len(kept) > 1:
            kept.pop()  # a line that was all comment parts nothing
    return kept, is_open


def _forget_title(kept: list[str]) -> None:
    """A single line over a rule is a title, unless it is a sentence."""
    alone = kept and kept[-1].strip() and (len(kept) == 1 or not kept[-2].strip())
    if alone and len(kept[-1]) <= 80 and not _ENDED.search(kept[-1]) and not _ITEM.match(kept[-1]):
        kept[-1] = ""


def _uncommented(line: str, *, is_open: bool) -> tuple[str, bool]:
    """A line without its comments, but with the mark at its end; and whether one is still open."""
    if not is_open and "<!--" not in line:
        return line, False
    line, mark = _without_mark(line)
    line = without_id(line)
    kept: list[str] = []
    at = ticks = 0
    if is_open:
        at = line.find("-->") + 3
        if at < 3:
            return (mark, False) if mark else ("", True)
    while (start := line.find("<!--", at)) >= 0:
        ticks += line.count("`", at, start)
        end = line.find("-->", start + 4)
        if ticks % 2:  # inside `code`
            kept.append(line[at : start + 4])
            at = start + 4
        elif end < 0:
            return "".join([*kept, line[at:start], mark]), not mark
        else:
            kept.append(line[at:start])
            at = end + 3
    return "".join([*kept, line[at:], mark]), False


def _without_mark(line: str) -> tuple[str, str]:
    """A line, and the mark that stands at its end."""
    at = line.rfind(MARK)
    is_marked = at >= 0 and line.rstrip().endswith("-->") and line.count("-->", at) == 1
    return (line[:at], line[at:]) if is_marked else (line, "")


# ---------------------------------------------------------------------------------- blocks


def _blocks(lines: list[str]) -> Iterator[_Block]:
    """List items and paragraphs; what is indented like code is neither."""
    current: _Block | None = None
    gap = True
    for line in lines:
        if not line.strip():
            gap = True
            if line == END and current:
                yield current
                current = None
            continue
        inside = current is not None and (not gap or (current.is_item and line[:2].isspace()))
        is_item = bool(_ITEM.match(line) or _LABEL.match(line))
        if inside and current and not gap and _LATER_NUMBER.match(line):
            # Else the line is broken before `8080.`
            is_item = bool(_NUMBER.match(current.lines[0]))
        is_code = line.startswith(("    ", "\t")) and not inside and (gap or current is None)
        if is_item and not (is_code and current is None):
            if current:
                yield current
            current = _Block([line], is_item=True)
        elif inside and current:
            current.lines.append(line)
        else:
            if current:
                yield current
            current = None if is_code else _Block([line], is_item=False)
        gap = False
    if current:
        yield current


def _joined(lines: list[str]) -> str:
    """Lines as one; Chinese is broken without a blank."""
    parts: list[str] = []
    for line in map(str.strip, lines):
        if parts and line and not (_is_wide(parts[-1][-1:]) and _is_wide(line[0])):
            parts.append(" ")
        if line:
            parts.append(line)
    return "".join(parts)


def _is_wide(char: str) -> bool:
    return bool(char) and (uses_full_width(char) or char in "，。！？；：、（）「」『』“”")


def _unmarked(text: str) -> tuple[str, str]:
    """`(text, mark)`: what is said, and the last comment of ours about where it came from."""
    mark = ""
    while (start := text.rfind(MARK)) >= 0:
        end = text.find("-->", start)
        if end < 0:
            break
        mark = mark or text[start : end + 3]
        text = f"{text[:start].rstrip()} {text[end + 3 :].lstrip()}".strip()
    return text, mark


# -------------------- From the body of an episode to its claims.


BEHAVIOURAL, FACTUAL = "behavioural", "factual"

_NO_CLAIMS = frozenset(
    """files|related files|files modified|todo|todos|to-dos|open todos|next steps|metadata|tracing|keywords|commits|commands
    |conversation info|raw conversation log|references|links|see also|learned
    |文件|相关文件|修改的文件|待办|待办事项|下一步|元数据|元信息|溯源|追溯|关键词|提交|命令|学到的|对话信息|参考|链接|相关链接""".replace("\n", "").replace("    ", "").split("|")
)  # fmt: skip
_SUMMARIES = frozenset("summary|topic summary|摘要|主题摘要|概要|总结".split("|"))
# Lines of a summary that record what was asked, answered, committed and written: nobody states them.
_RECORDS = Pattern(
    rf"(?:{'|'.join(SUMMARY_LABELS)})\s*[:：]",
    re.I,
)
# What an answer begins with says nothing to who has not heard the question.
_OBJECTION = Pattern(
    r"^(?:(?:no|nope|nah|wrong|yes|ok(?:ay)?)[,.!]\s+|(?:不|不对|错了|好的?|对)[，。！]\s*)+(?=\S)",
    re.I,
)
_TO_LESSON = Pattern(r"\(procedural/[\w.-]+#[^)]*\)\s*$")

_LINK = Pattern(
    r"!?\[[^\[\]\n]*\]\([^()\n]*\)|<https?://[^<>\n]*>|https?://[^\s，。；、）)]+|\bwww\.\S+"
)
_CODE = Pattern(r"`[^`\n]*`")
_POINTING = frozenset(
    "see link links source sources ref cf via from at 见 参见 参考 链接 来源 详见".split()
)
_LOGGED = Pattern(
    r"\[?(?:\d{4}-\d\d-\d\d[T ])?\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?Z?\]?[\s:：–—-]+(?:\w+\s*[:：(]|`|(?:INFO|WARN|ERROR|DEBUG)\b)"
    r"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?\S*\s+(?:INFO|WARN\w*|ERROR|DEBUG|\[)"
    r"|[\w ]{1,20}\[\d{1,2}:\d\d(?::\d\d)?\]"
)  # fmt: skip
_HEADERS = Pattern(
    r"(?:Keywords|Time|Duration|Turns|Start Time|End Time|Tags|关键词|时间|时长|轮次|轮数|开始时间|结束时间|标签)$",
    re.I,
)
_LABEL_EXTRACT = Pattern(r"\*\*([^*\n]{1,40}?)\s*(?:[:：]\*\*|\*\*\s*[:：])")
_BOX = Pattern(r"\[[ xX]\](?:\s|$)")
_PLACEHOLDER = Pattern(
    r"[\W_]*(?:\{[^{}]*\}|<(?!https?:)[^<>]*>|\[[^\[\]]*\]|tbd|todo|n/?a|none(?: yet)?|nothing(?: yet)?|not stated|unknown|empty"
    r"|no (?:decisions?|issues?|todos?|conclusions?|files?)(?: yet)?|无|暂无\w{0,6}|没有|未知|待定|待补充|略)[\W_]*",
    re.I,
)
_BRACES = Pattern(r"\{[\w\u4e00-\u9fff][^{}`]{0,40}\}")
_QUESTION = Pattern(r"[?？][\"'”’)）*_]*$|[吗呢][。.]?$")
_PSEUDO_TITLE = Pattern(r"\*\*([^*]+)\*\*|__([^_]+)__")
_SPOKEN_END = (".", "!", "。", "！", ";", "；")
_WORD = Pattern(r"[^\W_](?:[\w.+#/@-]*[\w+#])?")


class Claim(NamedTuple):
    """One statement of an episode: what it says, how, who said it, and in which section.

    `listed` is what a session calls it: a decision. `stage` is its mark (see `model.filed`); a
    statement that has no line to be marked has none. `said` is when, if the session says so.
    """

    text: str
    kind: str = FACTUAL
    source: str = "observed"
    trust: str = "user"
    anchor: str = ""
    listed: str = ""
    stage: str = ""
    said: str = ""


def claims_in(memory: Memory) -> list[Claim]:
    """The claims of a memory, or its title where it says nothing else; a raw conversation has none.

    Of a note that waits for a ruling it is the title, too: the rest is the reason.
    """
    if is_conversation(memory.path):
        return []
    recorded = memory.kind in SESSION_KINDS
    title = strip_private(memory.title)
    said = " ".join(beside_title(memory.body, memory.title).split())
    is_waiting = memory.status == "provisional" and memory.layer == "episodic"
    is_title = is_waiting or said.casefold() in ("", memory.title.casefold())
    if is_title and not recorded and is_claim(title):
        listed = memory.kind if memory.kind == "decision" else ""
        how = FACTUAL if listed else _how(title, memory.trust)
        text = plain_statement(title)
        return [Claim(text, how, memory.source, memory.trust, listed=listed)]
    found = claims_of(memory.body, source=memory.source, trust=memory.trust, recorded=recorded)
    if not (recorded and found):
        return found
    stages: dict[str, str] = {}
    for _, stage, keys in marked_claims(memory.body):
        for key in keys:
            stages[key] = OPEN if stages.get(key, stage) != stage else stage
    return [one._replace(stage=stages.get(claim_key(one.text), "")) for one in found]


def marked_claims(body: str) -> Iterator[tuple[int, str, list[str]]]:
    """The items of a session's memory that state something: line, mark, and keys of the claims.

    An issue keeps its own status there, whatever pages say of it.
    """
    lines = body.split("\n")
    for item in list_items(lines):
        if section_kind(item.heading) == "issue":
            continue
        said = "\n".join([f"## {item.heading}", "", *lines[item.start : item.end]])
        if keys := [claim_key(one.text) for one in claims_of(said)]:
            yield item.start, item.stage, keys


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
                claim = claim._replace(trust=lowest_trust(claim.trust, trust))  # noqa: PLW2901
            key = claim_key(claim.text)
            old = found.get(key)
            if old is None or not is_trusted_like(old.trust, claim.trust):
                found[key] = claim
    return list(found.values())


def is_trusted_like(one: str, other: str) -> bool:
    """Whether one trust is no lower than the other."""
    return TRUSTS.index(one) >= TRUSTS.index(other)


def is_claim(text: str) -> bool:
    """Whether a statement on one line says something: a fact or a rule, however short."""
    if _BOX.match(text) or text.startswith(("```", "~~~", "|")) or _QUESTION.search(text):
        return False
    if text.endswith((":", "：")) or _LOGGED.match(text) or _is_placeholder(text):
        return False
    label = _LABEL_EXTRACT.match(text)
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
        for fact, mark in _facts_in(kind, lines):
            if claim := _fact_claim(fact, section.anchor, source, trust):
                yield _as_marked(claim, mark)
    for said in statements_in(lines, section.anchor, section.heading):
        if kind and said.is_item:
            continue
        is_record = name in _SUMMARIES and _RECORDS.match(said.text)
        if not is_record and not _TO_LESSON.search(said.text) and is_claim(said.text):
            claim = Claim(said.text, _how(said.text, trust), source, trust, section.anchor)
            yield _as_marked(claim, said.mark)


def _facts_in(kind: str, lines: list[str]) -> Iterator[tuple[Fact, str]]:
    """The facts of a list, each with the mark behind it."""
    found = items_of(_without_mark(line)[0] for line in lines).items
    ends = [*(item.line for item in found), len(lines)][1:]
    for item, end in zip(found, ends, strict=True):
        fact = fact_from(kind, item)
        if fact.content:
            yield fact, "".join(_without_mark(line)[1] for line in lines[item.line : end])


def _as_marked(claim: Claim, mark: str) -> Claim:
    """The claim as its mark signs it, if that is trusted less."""
    signed = mark_of(mark)
    if signed is None or signed.trust not in TRUSTS or is_trusted_like(signed.trust, claim.trust):
        return claim
    return claim._replace(trust=signed.trust, source=signed.source, kind=FACTUAL)


def _how(text: str, trust: str) -> str:
    """Whether a statement is a rule or a fact; only a person's can be a rule."""
    return BEHAVIOURAL if trust == "user" and is_behavioural(text) else FACTUAL


def _fact_claim(fact: Fact, anchor: str, source: str, trust: str) -> Claim | None:
    if fact.kind == "issue" and is_problem(fact.content):
        return None  # what a call printed is quoted in the lesson that was learned from it
    content = plain_statement(_OBJECTION.sub("", fact.content))
    is_zh = any(map(uses_full_width, content[-1:] + fact.detail[:1]))
    detail = fact.detail if fact.kind == "decision" else ""
    if fact.kind == "issue" and fact.status == "resolved":
        detail = "已解决" if is_zh else "resolved"
    text = with_detail(content, plain_statement(detail))
    if content and _weight(text) < 2 and not _is_placeholder(content):
        name = {
            "decision": ("Decided", "决定"),
            "pattern": ("Pattern", "约定"),
            "issue": ("Issue", "问题"),
        }
        text = (
            f"{name[fact.kind][is_zh]}{'：' if is_zh else ': '}{text}"  # a word alone says nothing
        )
    if not is_claim(text):
        return None
    if fact.source == "instructed":
        trust = "user"
    behavioural = fact.kind == "pattern" or (fact.kind == "decision" and _is_rule(content))
    how = BEHAVIOURAL if behavioural and trust == "user" else FACTUAL
    listed = fact.kind if fact.kind == "decision" and how == FACTUAL else ""
    return Claim(text, how, fact.source or source, trust, anchor, listed, said=fact.said)


_RULE = Pattern(
    r"\b(?:always|never|don['’]?t|do not|must|should|avoid)\b|不要|永远|禁止|必须|一律|总是", re.I
)
_ASKED = Pattern(r"[?？]\s*\S")


def _is_rule(content: str) -> bool:
    """Whether a decision is a rule: to use something is a decision, to never use it is a rule.

    What was answered to a question is none, whatever words the question has.
    """
    if _ASKED.search(content):
        return False
    return bool(_RULE.search(content)) and is_behavioural(content)
