"""Asked: what somebody wanted of a session, how much of it each prompt says, and a title made of it.

Promises: a prompt that nobody typed (a plan handed over, a report of a machine) is no request; what
is pasted is left out of one; a title is one line in the words of whoever wrote it.
Touches: nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from recollect._fastimport import Pattern
from recollect.text.sentences import one_line, sentences_of, shortened, split_sentences
from recollect.text.tokens import STOP_WORDS, is_cjk

LONGEST_ASK = 400
LONGEST_TITLE = 90
ENOUGH_FOR_TITLE = 2  # words of a subject that a title needs,
ENOUGH_OF_AGENT = 3  # and one in an agent's words
WHOLE = 300  # a prompt of one line that is no longer is kept whole
ENOUGH = 12  # what a prompt can weigh at most: a long one is not more of a topic than a clear one

_PLAN = Pattern(r"\s*(?:implement|execute|carry out) the following plan\b|\s*(?:请)?(?:实现|执行|实施)(?:以下|下面的?)(?:计划|方案)", re.I)  # fmt: skip
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
_REQUEST = Pattern(r"(?:curl|wget) ['\"-]|-?H ['\"]")  # copied out of a browser or a terminal
_LINK = Pattern(r"https?://\S+")
_NUMBERED = Pattern(r"(?:\b(?:pr|mr|pull request|issue|task|ticket|bug)s? ?#?|#)\d+", re.I)
_WORD = Pattern(r"[^\W_][\w'’.-]*")

# Words that steer a session and say nothing of its subject.
_ROUTINE = STOP_WORDS | frozenset(
    """actually add address addressed again ahead all also alright already amend and answer any apply back better branch but
    change changes check clean clear comment comments commit commits completed continue cool correct could create
    current describe detail details do does doesn't doing don't done edit else error errors everything exactly feedback fine finish finished
    first fix following format from get give go going good got great happy have hello high help hey hi hold i'd i'll
    i'm issue issues it's just keep know last let's like lint local looks looking look low main make makes maybe me medium merge
    message more much name need needs new next nice no nope not now of off ok okay one open option other perfect
    please plan pr prs proceed problem pull push put question questions ready really rebase remove rerun review reviews right run
    running same save say see send should show so something squash start status step steps still stop
    summary sure sweet take tell test tests thank thanks that that's then there thing things think this
    title too try update updated use using version want wait way well what what's which work works working would write
    wrong yeah yep yes yet you your""".split()
)  # fmt: skip
# Words of which a client makes titles that say nothing.
_GENERIC = STOP_WORDS | frozenset(
    """ai and agent assistance begin chat claude cli code codex command conversation copilot execution exit exits
    exited gemini general greeting hello help hi initial new opencode option plugin previous request resume
    select selected session sessions start started task test title untitled user warmup
    会话 对话 新 新会话 新对话 问候 你好 继续 未命名""".split()
)  # fmt: skip
_ACK_ZH = Pattern(r"[好的嗯对是行可以继续吧了谢请再来一下开始提交推送没问题收到明白\s，。！,.!]*")

# How a request begins, before what is requested.
_LEAD = Pattern(
    r"(?:(?:ok(?:ay)?|hey|hi|hello|yes|yeah|yep|no|so|also|and|now|then|well|great|cool|perfect|alright|right|wait|hm+|uh+|please"
    r"|first(?: problem)?|next|actually|right now|btw|good|thanks|sorry|sure|brainstorm)\b[\s,.:;!–—-]+"
    r"|(?:can|could|would|will) (?:you|we|u)\b(?: please| maybe| just| also)*\s+"
    r"|(?:i|we)(?:['’]d| would)? (?:want|need|like|love)(?: you| us)?(?: to)?\s+"
    r"|i (?:think|guess|believe|wonder)(?: that| if)?(?: we| you| i)?(?: should| need to| could| have to| can)?\s+"
    r"|(?:you|we) (?:should|need to|have to|can|could)\s+"
    r"|let(?:['’]s| us| me)(?: please| just| also)*\s+|help me(?: to)?\s+|need to\s+|go ahead and\s+"
    r"|(?:take|have) (?:a )?(?:another )?look (?:at|into)\s+|\d{1,2}[.)、]\s*"
    r"|(?:我(?:现在)?(?:想要?|需要|希望|要)|请(?:你|帮我)?|帮(?:我|忙)|麻烦(?:你)?|能不能|可以|现在|好的?|那么?|然后|另外|你(?:先|再|去|来|把|帮我)?)[，,：:。\s]*)",
    re.I,
)
_ASKS = Pattern(
    r"(?:can|could|would|will) (?:you|we)\b|let['’]?s\b|please\b|(?:i|we)(?:['’]d| would)? (?:want|need|like)\b"
    r"|(?:add|analy[sz]e|build|change|create|debug|design|document|enable|ensure|explain|extract|find|fix|generate|implement"
    r"|improve|integrate|investigate|make|migrate|move|refactor|release|remove|rename|replace|research|review|rewrite|set up|simplify"
    r"|split|support|test|update|upgrade|verify|write)\b|.{0,6}(?:帮|请|实现|开发|修复|增加|添加|优化|写|做|改|分析|重构|部署|检查|设计)",
    re.I,
)
# What is said before a request: who the agent is to be, where the request comes from.
_ASIDE = Pattern(
    r"you are (?:a|an|the)\b|this is\b|i (?:just |also )?(?:got|have|see|did|ran|tried)\b|(?:here|there) (?:is|are)\b|by using\b"
    r"|in particular|the (?:latter|former)|we have one|for example|[^\w\"'“`@/(#~.]",
    re.I,
)
_CLAUSE = Pattern(r"[,;，；。:：(（]|\s[–—-]\s|\s(?:because|since|so that|but|which|when|where|while|if|so|and then)\s")  # fmt: skip
_PATH = Pattern(r"(?<![\w`~.@])@?(?:~|\.{1,2})?/(?:[\w.@+-]+/)+([\w.@+-]+)")
_CHANGE = Pattern(r"(feat|fix|chore|docs|refactor|test|perf|build|ci|style|revert)(\([^)]*\))?!?: *", re.I)  # fmt: skip


def plan_in(text: str) -> str:
    """The heading of a plan that was handed over to be carried out; a dash for one without a name."""
    if not _PLAN.match(text):
        return ""
    for heading in _HEADING.findall(text[:4000]):
        name = _PLAN_TAIL.sub("", _PLAN_LEAD.sub("", heading).strip())
        if name and name.casefold() not in _UNNAMED:
            return one_line(name, 160)
    return "–"


def ask_in(text: str, is_told: Callable[[str], object] = lambda _: False) -> str:
    """What a prompt asks for, on one line: whole when it is short, else its first sentences.

    Nothing for a plan that was handed over, and for what a machine wrote; without sentences that
    are told elsewhere.
    """
    plain = _MARKS.sub(" ", _TAGGED.sub(" ", text) if "<" in text else text).strip()
    if not plain or plain.startswith(_MACHINE) or _PLAN.match(plain):
        return ""
    sentences = sentences_of(plain[:12_000])
    own = [one for one in sentences if not is_told(one) and not _REQUEST.match(one)]
    if len(own) == len(sentences) and len(plain) <= WHOLE and plain.count("\n") <= 2:
        return one_line(plain, WHOLE)
    said: list[str] = []
    for sentence in own:
        if sum(map(len, said)) + len(sentence) > LONGEST_ASK:
            if not said:
                said.append(shortened(sentence, LONGEST_ASK))
            break
        said.append(sentence)
    return " ".join(" ".join(said).split())


def weight_of(text: str) -> int:
    """How much a text says of a subject: its words, without those that only steer a session."""
    if _ACK_ZH.fullmatch(text):
        return 0
    words = words_of(text)
    wide = sum(not word.isascii() for word in words)
    return len(words) - wide + wide // 3 + 2 * len(set(_NUMBERED.findall(text)))


def words_of(text: str) -> set[str]:
    """The words that say something of a subject; of Chinese each sign."""
    found: set[str] = set()
    for word in _WORD.findall(_LINK.sub(" ", text).casefold()):
        if word.isascii():
            found.add(word.rstrip("."))
        else:
            found.update(filter(is_cjk, word))
    kept = {word for word in found if len(word) > 1 or is_cjk(word)} - _ROUTINE
    return {word for word in kept if not word[0].isdigit()}


def heaviest(asks: Iterable[str], most: int) -> list[str]:
    """The requests that say most, in the order in which they were made."""
    rows = [(min(weight_of(ask), ENOUGH) + 3 * (n == 0), -n, ask) for n, ask in enumerate(asks)]
    told = [row for row in rows if weight_of(row[2]) > 1] or [r for r in rows if weight_of(r[2])]
    best = sorted(told, reverse=True)[:most]
    return [ask for _, _, ask in sorted(best, key=lambda row: -row[1])]


def is_generic(title: str) -> bool:
    """Whether a title would fit any session."""
    if title.startswith(("/", "<", "[")) or _PLAN.match(title):
        return True
    words = [word for word in _WORD.findall(title.casefold()) if not word[0].isdigit()]
    left = [word for word in words if word not in _GENERIC]
    wide = sum(map(is_cjk, "".join(left)))
    return wide < 3 if wide else len(left) < 2


def is_wide(text: str) -> bool:
    """Whether a text is Chinese rather than Latin."""
    wide = sum(map(is_cjk, text))
    return wide * 4 > len(text.replace(" ", ""))


def subject_as_title(subject: str) -> str:
    """The subject of a commit or a pull request as a title."""
    kind = _CHANGE.match(subject)
    rest = subject[kind.end() :] if kind else subject
    if kind and kind[1].casefold() == "fix" and not re.match(r"fix", rest, re.I):
        rest = f"Fix: {rest}"
    return titled(rest)


def title_in(ask: str) -> str:
    """The title that a request makes: of its sentences the one that asks for most."""
    sentences = sentences_of(ask) or [ask]
    return titled(_bare(max(enumerate(sentences[:8]), key=lambda row: _score(*row))[1]))


def title_told(told: str) -> str:
    """The title that an answer makes: of its first sentences the one that says most."""
    sentences = split_sentences(told)[:4]
    best = max(
        enumerate(sentences), key=lambda row: min(weight_of(row[1]), 8) - row[0], default=None
    )
    return titled(best[1]) if best else ""


def _score(place: int, sentence: str) -> float:
    said = min(weight_of(sentence), 8)
    is_asking = bool(_ASKS.match(sentence) or _ASKS.match(_bare(sentence)))
    return said + 3 * (is_asking and said > 1) - 4 * bool(_ASIDE.match(sentence)) - place / 2


def _bare(sentence: str) -> str:
    """A request without the words that it begins with, and no question any more."""
    bare = sentence
    while (lead := _LEAD.match(bare)) and weight_of(bare[lead.end() :]):
        bare = bare[lead.end() :]
    return bare if bare == sentence else bare.rstrip("?？")


def titled(text: str) -> str:
    """A text as a title: one line, its first letter large, no stop at its end."""
    line = _PATH.sub(r"\1", _LINK.sub(_linked, text).replace("**", ""))
    line = " ".join(line.split()).strip(" -–—*_#\"'“”")
    if len(line) > LONGEST_TITLE:
        ends = [found.start() for found in _CLAUSE.finditer(line[: LONGEST_TITLE + 1])]
        line = (
            line[: ends[-1]]
            if ends and ends[-1] >= LONGEST_TITLE // 2
            else shortened(line, LONGEST_TITLE)
        )
    return (line[:1].upper() + line[1:]).rstrip(" .。:：,，;；!！")


def _linked(link: re.Match[str]) -> str:
    """A link as a person would name it: its last two parts."""
    parts = [part for part in link[0].rstrip(".,;)/").split("/") if part]
    return " ".join(parts[-2:])
