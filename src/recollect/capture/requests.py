"""Asked: what somebody wanted of a session, and how much of it each prompt says.

Promises: a prompt that nobody typed (a plan handed over, a report of a machine) is no request; what
is pasted is left out of one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable

from recollect._fastimport import Pattern
from recollect.text.sentences import (
    ROUTINE,
    has_han,
    is_pasted,
    one_line,
    sentences_of,
    shortened,
    split_sentences,
    without_blocks,
)
from recollect.text.tokens import is_cjk

LONGEST_ASK = 300
LONGEST_READ = 12_000  # characters of a prompt
WHOLE = 300  # a prompt of one line that is no longer is kept whole
LEAST_OF_LAST = 8  # what the last request weighs at least to be told as such
ENOUGH = 12  # what a prompt can weigh at most: a long one is not more of a topic than a clear one

_PLAN = Pattern(
    r"\s*(?:(?:implement|execute|carry out) the following plan|implement the (?:plan as specified|following to-?dos? from the plan))\b"
    r"|\s*(?:请)?(?:实现|执行|实施)(?:以下|下面的?)(?:计划|方案)",
    re.I,
)
_HEADING = Pattern(r"^#{1,3}[ \t]+(\S.*?)[ \t#]*$", re.M)
_PLAN_LEAD = Pattern(
    r"(?:(?:implementation |the )?plan|evaluation|计划|实施计划|实现计划|方案)\s*[:：–—-]\s*", re.I
)
_PLAN_TAIL = Pattern(r"\s*[–—:-]?\s*\b(?:implementation )?plan\s*$", re.I)
_UNNAMED = frozenset(
    """context|summary|plan|overview|goal|goals|problem|background|implementation plan|the plan|steps
    |背景|概述|目标|计划|实施计划""".replace("\n    ", "").split("|")
)  # fmt: skip
_MACHINE = (
    "Operation stopped by hook", "The attached pasted text file", "Base directory for this skill:",
    "This session is being continued from a previous conversation", "Caveat: The messages below",
    "[Request interrupted", "Stop hook feedback:", "PLEASE IMPLEMENT THIS PLAN",
)  # fmt: skip
_TAGGED = Pattern(r"<([a-zA-Z][\w-]*)\b[^<>]*>.*?(?:</\1>|\Z)", re.S)
_MARKS = Pattern(r"\[(?:Image|Pasted text|图片)[^\]\n]*\]|\(see attached\)", re.I)
_REQUEST = Pattern(
    r"(?:curl|wget) ['\"-]|-?[HbdX] ['\"]|--(?:data|header|cookie)"
)  # copied out of a browser or a terminal
# A line that nobody types: a quotation, data, progress, a table, a transcript of a terminal.
_PASTED = Pattern(
    r"^\s*>|[!-~]{80,}|(?:\S+=\S+[;&, ]+){3}|[│┃├└┌╭╰▸●○◯✓✔✗✘ℹ⎿⏺]|\s{2,}\S+\s{2,}\S+\s{2,}|[\w.-]+@[\w.-]+[:~ ].*[$#%] |❯|(?:\s·\s.*){2}|[-=_]{6,}"
    r"|^\s*File \"[^\"]+\", line \d+|^file: \S+\.\w+$|^vite v\d|^[x✗✘] Build failed|^error during build:$|^\s*at (?:\S+ \(|file:/)"
    r"|^\s*[\u2190-\u2bff\U0001f300-\U0001faff]|\[\d+/\d+\]"
    r"|^[\w.-]+@[\w.-]+ (?:MINGW|MSYS|UCRT)\d* [~/]|^\s*>?\s*\d+ \|(?: |$)|^\s*\|\s*\^+\s*$",  # Git Bash; a compiler's frame of code
)
# How the lines of a log begin; several with one tag, which is none that people use.
_LOGGED = Pattern(
    r"\[(?!(?:bug|feat\w*|todo|fix|task|ui|ux|api|p\d|critical|high|medium|low|major|minor|question|idea|wip|docs?|tests?|front-?end|back-?end|[a-z]+-\d+)\])(?P<tag>[\w@.:-]{2,24})\] "
    r"|\{\"\w+\": ?|\(node:\d+\) |(?-i:(?:Build|Console|(?:Unhandled )?Runtime) Error)$",
    re.I,
)
_SENTENCE = Pattern(r"[.!?。？！]\s*$")
_ENDS = Pattern(r"[.!?:,;。！？：，；]\s*$|^\s*(?:```|~~~)")
SHORT = 24
# What is said of the work so far: it wants nothing that somebody asks for tomorrow.
_COMPLAINS = Pattern(
    r"(?>(?:\W*+(?:no|but|hm+|o+k+(?:ay)?|wait|also)\b[\s,.]*+)*)(?:why (?:did|didn|are you|would you|is it|isn)|(?:that|this|it)(?:['’]?s| is| was|s) (?:not|wrong|still)|you (?:did|didn|just|were|are|re|still|should have)\b|you['’]re|(?:still|same) )|[>❯]|error: |\W*(?:为什么|怎么还|还是不|这样不|不对|你没)",
    re.I,
)
# What is said to the agent of what it did, or asked whether it has done it.
_OF_AGENT = Pattern(
    r"(?>(?:\W*+(?:no|but|hm+|o+k+(?:ay)?|wait|also|and|so|well|now)\b[\s,.]*+)*)(?:(?:i think |it (?:looks|seems) like |looks like |i see (?:that )?)?you(?:['’]ve| have)? (?:just |also |still |now |already |only )?(?:modified|updated|removed|changed|added|deleted|moved|created|left|forgot(?:ten)?|missed|broke|made|wrote|put|used|ignored|skipped|misunderstood|went|did(?:n['’]?t| not)|got|keep|kept|should(?:n['’]?t| not)? have)\b"
    r"|did(?:n['’]?t)? you\b|have you\b|haven['’]?t you\b|are you\b(?! (?:able|familiar|aware))|were you\b|do you (?:remember|understand)\b|how (?:will|did) you\b|where did you\b|(?:do not|don['’]?t) (?:tell|ask) me\b"
    r"|are (?:our|all|your|my|the) changes\b|(?:stop|quit) \w+ing\b|(?:what|when)['’]?s? (?:is )?taking\b|i(?:['’]m| am) (?:still )?confused\b|i(?:['’]ll| will) take\b|never ?mind\b)"
    r"|\W*(?:你(?:刚才|刚刚|又|怎么|是不是|确定|改错|弄错|漏了|忘了|还没|没有|已经)|怎么又|(?:还是)?没有?(?:变化|效果|反应|生效))",
    re.I,
)
FEW = 6  # short lines below each other that may still be typed
LINK = Pattern(r"https?://\S+")
_ADDRESS = Pattern(r"https?://\S+|(?<![\w.+-])[\w.+-]+@[\w-]+\.[\w.-]+")
_NUMBERED = Pattern(r"(?:\b(?:pr|mr|pull request|issue|task|ticket|bug)s? ?#?|#)\d+", re.I)
WORD = Pattern(r"[^\W_][\w'’.-]*")

_ACK_ZH = Pattern(r"[好的嗯对是行可以继续吧了谢请再来一下开始提交推送没问题收到明白\s，。！,.!]*")

# A request that points at what it is about and does not name it: 帮我看下这个问题, 这是怎么回事.
_POINTS_ZH = Pattern(
    r"(?>(?:麻烦|[这那][个些里儿]?|一下|看看?|检?查|分析|解释|说明|修[复改]|解决|处理|试试?|弄|搞|改|问题|错误|报错|出错|bug|截图|图片?|如图|所示|怎么(?:回事|办|了)?|什么(?:原因|意思|情况)|为什么|为啥|咋(?:回事|办)?|可以|能不能|现在|还有|上面|下面|以[上下]|[请帮我你再先也又还就都来去给把下吗呢吧啊呀了的是，。！？?,.!\s])+)",
    re.I,
)


_ROLE = Pattern(r"you are (?:(?:the|an?) )?[^.\n]{1,160}[.\n]\s*(?:you (?=[a-z]))?(?=\S)", re.I)


def without_role(text: str) -> str:
    """A program's prompt without the sentence that tells an agent who it is."""
    role = _ROLE.match(text)
    return text[role.end() :] if role else text


def is_plan_handover(text: str) -> bool:
    """Whether a prompt hands over a plan to be carried out."""
    return bool(_PLAN.match(text))


def is_automated(text: str) -> bool:
    """Whether a prompt is a client's or a hook's report, which says nothing of the work."""
    return text.lstrip().startswith(_MACHINE)


def plan_in(text: str) -> str:
    """The heading of a plan that was handed over to be carried out; a dash for one without a name."""
    return name_of_plan(text) if _PLAN.match(text) else ""


def name_of_plan(text: str) -> str:
    """The heading of a plan; a dash for one without a name."""
    for heading in _HEADING.findall(text[:4000]):
        name = _PLAN_TAIL.sub("", _PLAN_LEAD.sub("", heading).strip())
        if name and name.casefold() not in _UNNAMED:
            return one_line(name, 160)
    return "–"


def reason_of_plan(text: str) -> str:
    """What a plan says first below its heading: why it is made, or what it comes to."""
    said = ""
    for line in without_blocks(text[:4000]).splitlines():
        plain = _LABEL.sub("", line.strip().replace("**", ""))
        if not plain and len(said) >= SHORT:
            break
        if plain and not _NO_REASON.match(plain) and not _PLAN.match(plain):
            said = f"{said} {plain}".strip()
    sentences = split_sentences(said)
    kept = sentences[:1]
    for sentence in sentences[1:]:
        if sum(map(len, kept)) + len(sentence) > LONGEST_REASON:
            break
        kept.append(sentence)
    reason = " ".join(kept)
    if len(reason) < SHORT or reason.endswith((":", "：")):
        return ""
    return one_line(reason, LONGEST_REASON)


LONGEST_REASON = 300
_LABEL = Pattern(
    r"^(?:context|goal|goals|overview|summary|problem|background|objective|背景|概述|目标|问题)\s*[:：]\s*",
    re.I,
)
# A heading, a list, a table, a quotation, a tag, data, a label.
_NO_REASON = Pattern(r"[#|>*+<\[{-]|\d{1,2}[.)]\s|[\w ]{1,40}[:：]$|[\W_]+$")


# What an editor asks for whoever lets it fix an error.
_QUICK_FIX = Pattern(
    r"for the code present, we get this error:[^`]{0,80}```\w*\s+(?P<error>\S[^\n]*)\n.*?how can i resolve this\?(?: if you propose a fix, please make it concise\.?)?",
    re.I | re.S,
)


def ask_in(text: str, is_told: Callable[[str], object] = lambda _: False) -> str:
    """What a prompt asks for: whole when it is short, else its first sentences, one a line.

    Nothing for a plan that was handed over, and for what a machine wrote; without sentences that
    are told elsewhere.
    """
    plain = _QUICK_FIX.sub(r"Error: \g<error>", text) if len(text) <= LONGEST_READ else text
    plain = _MARKS.sub(" ", _TAGGED.sub(" ", plain) if "<" in plain else plain).strip()
    is_bare = not _ADDRESS.sub("", plain[:LONGEST_READ]).strip("0123456789 .,#@+-")
    if is_bare or plain.startswith(_MACHINE) or _PLAN.match(plain):
        return ""
    plain = _typed(plain[:LONGEST_READ])
    sentences = sentences_of(plain)
    own = [one for one in sentences if not is_told(one) and not _REQUEST.match(one)]
    if len(own) == len(sentences) and len(plain) <= WHOLE and plain.count("\n") <= 2:
        return "\n".join(" ".join(line.split()) for line in plain.splitlines())
    said: list[str] = []
    for sentence in own:
        if sum(map(len, said)) + len(sentence) > LONGEST_ASK:
            if not said:
                said.append(shortened(sentence, LONGEST_ASK))
            break
        said.append(sentence)
    return "\n".join(" ".join(one.split()) for one in said)


def _typed(text: str) -> str:
    """A prompt without the lines that were pasted into it; of a list of names its first."""
    kept: list[str] = []
    names: list[str] = []
    for line in (*filter(str.strip, text.splitlines()), ""):
        if line and len(line) < SHORT and not _ENDS.search(line):
            names.append(line)
            continue
        kept += names if len(names) <= FEW else names[:1]
        names = []
        kept.append(line)
    kept = [line for line in kept if line and not _PASTED.search(line)]
    return "\n".join(_without_log(kept))


def _without_log(lines: list[str]) -> list[str]:
    """The lines without those of a log; below its first one only a sentence is a person's."""
    begun = {line: found for line in lines if (found := _LOGGED.match(line))}
    tags = Counter(found["tag"] for line in lines if (found := begun.get(line)))
    logged = [line for line, found in begun.items() if not found["tag"] or tags[found["tag"]] > 1]
    rest = [line for line in lines if line not in logged]
    if not logged or logged[0] != lines[0]:
        return rest
    typed = [one for one in rest if _SENTENCE.search(one)]
    is_data = logged[0].startswith("{")  # which somebody may have something to do with
    return typed or ([one for one in rest if not is_pasted(one)] if is_data else [])


def weight_of(text: str) -> int:
    """How much a text says of a subject: its words, without those that only steer a session."""
    if _ACK_ZH.fullmatch(text) or _POINTS_ZH.fullmatch(text):
        return 0
    words = words_of(text)
    wide = sum(len(word) == 1 for word in words)
    return len(words) - wide + wide // 3 + 2 * len(set(_NUMBERED.findall(text)))


def words_of(text: str) -> set[str]:
    """The words that say something of a subject; of Chinese each sign."""
    found: set[str] = set()
    for word in WORD.findall(_ADDRESS.sub(" ", text).casefold()):
        signs = () if word.isascii() else [sign for sign in word if is_cjk(sign)]
        found.update(signs or (word.rstrip("."),))
    kept = {word for word in found if len(word) > 1 or is_cjk(word)} - ROUTINE
    return {word for word in kept if not word[0].isdigit()}


def most_informative(asks: Iterable[str], most: int) -> list[str]:
    """The requests that say most and the last one, in the order in which they were made."""
    rows = [
        (min(weight_of(ask), ENOUGH) + 3 * (n == 0) - 5 * bool(_COMPLAINS.match(ask)), -n, ask)
        for n, ask in enumerate(dict.fromkeys(asks))
    ]
    told = [row for row in rows if weight_of(row[2]) > 1] or [r for r in rows if weight_of(r[2])]
    told = [row for row in told if not _OF_AGENT.match(row[2])] or told
    best: list[tuple[int, int, str]] = []
    for row in sorted(told, reverse=True):
        if len(best) < most and not any(_is_again(row[2], other[2]) for other in best):
            best.append(row)
    for last in told[-1:]:
        if _is_own(last[2]) and not any(_is_again(last[2], other[2]) for other in best):
            best = [*best[: most - 1], last]
    return [ask for _, _, ask in sorted(best, key=lambda row: -row[1])]


def _is_own(ask: str) -> bool:
    """Whether something is wanted that stands on its own: no remark in a few words, and no complaint."""
    return weight_of(ask) >= LEAST_OF_LAST and not _COMPLAINS.match(ask)


ALIKE = 0.7  # of the words of two requests that are the same one, typed or edited again


def _is_again(one: str, other: str) -> bool:
    words, others = words_of(one), words_of(other)
    return len(words & others) > ALIKE * len(words | others)


_MESSAGE = Pattern(
    r"\bcommit (?:message|msg)s?\b|提交(?:信息|说明|消息)|commit ?(?:信息|说明)", re.I
)


def asks_for_message(prompt: str) -> bool:
    """Whether a prompt is about the message of a commit: an answer that does no work is about it, too."""
    return len(prompt) <= LONGEST_ABOUT_MESSAGE and bool(_MESSAGE.search(prompt))


LONGEST_ABOUT_MESSAGE = 600  # characters


def is_chinese(text: str) -> bool:
    """Whether a text is Chinese rather than Latin."""
    if text.isascii():
        return False
    wide = sum(map(is_cjk, text))
    return wide * 4 > len(text.replace(" ", ""))


def has_wide_signs(text: str) -> bool:
    """Whether the signs of a text have the width of Chinese ones; Korean has narrow ones."""
    return has_han(text) and is_chinese(text)
