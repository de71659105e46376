"""Decide whether two claims contradict each other, by rules, in English and Chinese.

Symmetric. Different subjects or scopes, lists and additions are no conflict. Contradicting claims
share a topic, so not all pairs need comparing. `sure` marks only what a careful reader would
change without asking. The rules miss a contradiction rather than invent one;
tests/unit/test_conflicts.py measures them.
"""

from __future__ import annotations

import re
from functools import lru_cache

from recollect._fastimport import NamedTuple, Pattern
from recollect.model.claim_frames import Frame, Use, Value, frames_of, uses_of, without_scope
from recollect.model.claim_key import claim_key, is_near, near_key
from recollect.model.memory import LEVELS
from recollect.model.possible_conflicts import NOTHING, Content, content_of, possible_conflict
from recollect.model.possible_conflicts import topics as topics_of_content
from recollect.model.values import (
    CHANGED,
    DURATION,
    HAS_MANY,
    OPPOSITE,
    SAME_TIME,
    SURE,
    UNSURE,
    Slot,
    as_choice,
    bilingual,
    duration_in,
    family_of,
    hour_in,
    in_digits,
    is_place,
    is_same_name,
    slots_clash,
    slots_of,
    state_of,
    values_clash,
    versioned,
    versions_clash,
)
from recollect.text.tokens import folded, simplified

# -------------------- What a claim says once polarity, numbers and scope are set aside.


LONGEST = 240  # longer claims say several things; nothing is inferred from them

_HEDGED = bilingual(
    r"\b(?:maybe|perhaps|might|could|would|was|were|used to|previously|formerly|had|probably|sometimes|often|usually"
    r"|unless|except|e\.g\.|for example|consider|not (?:only|just|yet|sure|necessarily)|either|neither|whether|some of|half of)\b|[?？]",
    r"也许|可能|曾经|以前|之前是|原来|有时|通常|除非|除了|例如|比如|考虑|不仅|不一定|未必|是否|或者|要么",
)
_REASON = bilingual(
    r"(?:[,;:]|\s[–—-])?\s+(?:because|since|so that|as it|as we|in order to|due to|it has|which)\b.*$",
    r"[，,；;：:]?\s*(?:因为|由于|以便|为了避免|原因是|理由是|这样|它支持).*$",
)
_EXPLAINED = bilingual(
    r"([^:]{4,120}?)(?<!\d):\s+\S+\s+\S", r"([^:]{4,120}?)(?<!\d):\s*[\u4e00-\u9fff]{2}"
)
_INSTEAD = bilingual(
    r"([^,;]{4,120})[,;] (?:but |and )?(?:(?:use|keep|not|rather|instead|only|just)\b.*|(?:[\w-]+ ){1,5}instead)$",
    r"([^,，;；]{2,60})[,，;；]\s*(?:而是|改用|直接|只用|用|要用).*$",
    needs=",|;",
)
# “Admin UI: the port is 8081” is “The Admin UI port is 8081”.
_OF_SUBJECT = bilingual(
    r"^([\w][\w -]{1,40}): the ([\w-]+(?: [\w-]+)?) (?=is |are )",
    r"^([\w -]{2,20})[:：]\s*([\u4e00-\u9fff]{2,4})(?=是|为)",
    needs=": the ",
)
_LEAD = Pattern(
    r"^(?:(?:please|note(?: that)?|remember(?: that| to)?|decision|decided|ok|okay|now|currently|from now on|by default|make sure (?:to|that)|ensure that"
    r"|we(?:['’]ve)? (?:decided|agreed) (?:to|that we)|let['’]?s|be sure to)\b[,:]?\s+"
    r"|(?:注意|记住|记得|决定|现在|目前|以后|今后|从现在起|请|我们决定|已决定)[，,：:]?\s*)+",
    re.I,
)
# That it holds from now on, behind what holds.
_FROM_NOW_ON = Pattern(
    r"(?:,?\s+(?:from (?:now|here) on(?:wards)?|now|going forward|as of (?:now|today)|please)|[，,]?(?:就够了|就够|就行了?|即可|就好了?))+$",
    re.I,
)
_NEGATIVE = bilingual(
    r"\b(?:never(?: ever)?|(?:do|does|did|must|should|shall|will|is|are|can|may)(?: not|n['’]t)|cannot|can['’]t|won['’]t|don['’]?t|doesn['’]?t"
    r"|isn['’]t|aren['’]t|need not|needn['’]t|no need to|avoid|no longer|stop|not|refrain from)\b",
    r"不必|无需|无须|不需要|不用(?=先|再|跑|写|做|加|等)|永远不要|绝对不要|千万不要|千万别|永远别|绝不|不再|不要再|不要|不应该|不应当|不应|不能够|不能|不得|不可以|不允许|不准|禁止|严禁|请勿|没有|未(?=[启开支])"
    r"|(?<![特区分级类个辨识])别(?!的|人|名)|不(?!同|仅|过|错|但|管|断|久|少|足|变|可|小|大|超)",
)
_MODAL = bilingual(
    r"\b(?:always|must|should|shall|have to|has to|need to|needs to|will|do|does|we|you|i|the team|everyone|all|only|please|ever)\b",
    r"必须|总是|一律|应该|应当|务必|始终|一定|我们|大家|团队|可以|允许|准许|只?需要|统一|每次|要|请|都|会",
)
_USED = Pattern(r"使用|采用|改用")
_IS_NUMBER = Pattern(
    r"(?:现在)?(?:改为|改成|设为|设成|定为|调整为|是|为|[降调提]到|提高到|提升到|放宽到|收紧到)\s*(?=# )"
)  # 有效期是 7 天, 有效期 7 天
# Digits behind a letter are a part of a name: `db1`.
_NUMBER = Pattern(r"(?<![\w.])v?\d+(?:[.,]\d+)*(?![\w.]*[A-Za-z]\w*\d)|(?<![A-Za-z_\d])\d+")
_NAMED_BY_NUMBER = Pattern(
    r"(?:\b(?:step|issue|pr|ticket|sprint|release|build|milestone|iteration|phase|chapter|figure|fig|case|day|task|bug|line|lines|section|part|point|commit|rule|test|node|room"
    r"|level|layer|stage|week|q|number|no|item|attempt|round|shard|worker|server|migration|adr|rfc|http|error|code|status|invoice|order|customer|table|machine)[ #]*"
    r"|#|第|步骤|问题|阶段|发布|订单|工单|任务|客户|发票|机器)\s*$",
    re.I,
)
# A thing and its number, as in `Memory 2 of May`: a name, unless the word says how much, or what to do.
_BEFORE_ITS_NUMBER = Pattern(
    r"(?<![\w-])(?!(?:[\w-]+-)?(?:\w+s|is|are|be|was|to|of|by|at|in|on|for|than|from|with|per|after|before|within|until|till|every|below|above|under|over|around|about"
    r"|least|most|only|exactly|up|and|or|the|an?|not|port|timeout|ttl|limit|retry|thread|replica|version|max\w*|min\w*|size|rate|quota|length|width"
    r"|height|depth|count|budget|interval|delay|threshold|ratio|score|indent|use|keep|allow|run|need|take|cost|wait|want|set|cap|round|have|make|get)\b)"
    r"[^\W\d][\w-]* $",
    re.I | re.A,
)
_AFTER_ITS_NUMBER = Pattern(r"$| (?:is|are|was|has|of|in|for|on|at|from|with|and|about)\b", re.I)
_IS_COUNTED = Pattern(r" ?(?:[个位名]|人)")
# Of these, a number may be the version.
_HAS_VERSIONS = Pattern(r"\b(?:requir|support|us(?:e|ing)|run|target)\w*", re.I)
_VERSIONS = Pattern(
    r"^(?!.*\b(?:min|max|low|old|high|newest|requir|support)\w*).*\b(?:versions?|releas\w+|shipp\w+|tag\w*|bump\w*)\b"
    r"|^(?!.*(?:最低|最高|要求)).*(?:发布|版本)",
    re.I,
)
_VAGUE = Pattern(r"(?:it|this|that|these|those|he|she|they|there)\b|[这那它他她]", re.I)
_WIDE_OPPOSITES = [
    (one, other) for one, other in OPPOSITE.items() if not one.isascii() and one < other
]
# That it was decided, behind what it is about: 前端我们决定用 Vue, 超时还是用 30 秒.
_DECIDED = Pattern(
    r"(?:(?:(?:我们|咱们|大家|团队)(?:(?:已经|最终|最后|都|就)*(?:决定|商定|约定)了?)?|决定|还是|依然|仍然?)(?:都|就|继续)*)"
    r"(?=(?:使用|采用|选用|改用|换用|用|换成|改成|改为)\s*\S)"
)
_ONLY_WHERE = bilingual(
    r"^only\b|\bonly (?:in|on|at|for|when|if|with|during|after|before|inside|within)\b",
    r"只[在有能]",
    needs="only",
)
_LIMITS = Pattern(r"不(?:能|得|应|可|许)?(?:(低于|少于|小于)|(?:超过|高于|多于|大于))(?= ?\d)")
_AFTER_ALL = Pattern(r"^after all,? |,? after all$", re.I)
_AGAINST = Pattern(
    r"\b(?:we(?:['’]ve| have)? )?(?:decided|opted|voted) (?:against(?: using)?|not to use)\b", re.I
)
_SPOKEN = Pattern(r"(?<=\w)[吧啦]$|就(?=使?用|采用|改用|换)")
# Not more than two is a limit; not two is none.
_BOUND = Pattern(r"\b(?:mor|fewer|les|larger|longer|bigger) than #|\b(?:over|abov|below|under|exceed) #"
                    r"|(?:超 过|多 于|少 于|大 于|小 于|高 于|低 于|长 于) #")  # fmt: skip
# Between Chinese and Latin, where some people type a blank and others none.
_SEAM = Pattern(r"(?<=[\u4e00-\u9fff])(?=[A-Za-z0-9])|(?<=[A-Za-z0-9])(?=[\u4e00-\u9fff])")
_ITS_VERSION = Pattern(r"(?:(?:current|latest|newest|release) )*version|(?:当 前|最 新)? ?版 本")
# What a claim says is gone: the name of a tool, a file, a host, a person.
_CALLED = r"([A-Za-z][A-Za-z0-9_@.+#/-]*[A-Za-z0-9_#+]|“[^”]{2,20}”)"
_CALLED_ZH = _CALLED[:-1] + r"|(?<![\u4e00-\u9fff])[\u4e00-\u9fff]{2,3}(?=离职))"
_GONE = bilingual(
    r"(?:instead of|rather than|no longer us\w+|(?:moved|switch(?:ed|ing)?|migrated?|away|renamed) (?:away |over )?from|(?:we )?renamed|replac(?:ed|es|ing)|dropp(?:ed|ing)|retired|removed"
    r"|(?:do not|don['’]?t|never) (?:use|run)|(?:, |,? (?:and|but) )(?:not|never)) (?:the |our |old |running )*"
    + _CALLED
    + r"(?! (?:in|for|on|when) )|(?:the old )?"
    + _CALLED
    + r"(?: (?:contract|code|support|setup|server|account))? (?:(?:is|are|was|were|has|have|been|now|got) )*(?:gone|dead|deleted|removed|shut down|switched off|turned off|decommissioned|retired|deprecated|ended|phased out|abandoned)\b",
    r"(?:不再使?用|不用|别用|不要用|弃用|停用|放弃|取代|替代)了?\s*"
    + _CALLED_ZH
    + r"|"
    + _CALLED_ZH
    + r"\s?(?:已经?|也|都|被|已被|整体)*(?:下线|停用|废弃|弃用|删除|删掉|删了|移除|去掉|更名|改名|离职)",
    needs="instead of|rather than|no longer|from|renamed|replac|dropp|retired|removed|do not|don|never|, not| and not| but not|gone|dead"
    "|deleted|shut down|off|decommissioned|deprecated|ended|phased out|abandoned",
)
_WRITTEN_AS_A_NAME = bilingual(
    r"\w[_./]\w|\w-\w+-?\d|[a-z][A-Z]|[A-Za-z]\d|“", r"[\u4e00-\u9fff]", flags=0
)
_NAME = bilingual(
    r"[A-Za-z][A-Za-z0-9_@.+#/-]*[A-Za-z0-9_#+]|“[^”]{2,20}”",
    r"[\u4e00-\u9fff]{2,3}(?=负责)",
    flags=0,
)


class Core(NamedTuple):
    """The subject of a claim, and what it says of it."""

    key: str
    negative: bool
    numbers: tuple[str, ...]
    scope: str
    follows: bool = False  # a version that came out, or is one of several: the next fits beside it


def readable(text: str) -> str:
    """A claim without markup, reason and preamble; nothing if it is too long or hedged."""
    if len(text) > LONGEST or _HEDGED.search(text):
        return ""
    plain = simplified(folded(text)).replace("`", "").replace("**", "").strip()
    plain = _REASON.sub("", plain).strip(" .。!！;；")
    plain = in_digits(_SPOKEN.sub("", plain))
    plain = _AGAINST.sub("do not use", _AFTER_ALL.sub("", plain))
    if not plain.isascii():
        plain = _LIMITS.sub(lambda m: "至少" if m[1] else "最多", _SEAM.sub(" ", plain))
        plain = _DECIDED.sub("", plain)
    plain = CHANGED.sub(as_choice, _LEAD.sub("", plain).strip())
    return _OF_SUBJECT.sub(lambda m: f"{m[1]} {m[2]} " if m[1] else f"{m[3]}{m[4]}", plain)


def without_explanation(plain: str) -> str:
    """What a claim says before it says why, or what to do instead; nothing without such an end."""
    found = _EXPLAINED.match(plain) if ":" in plain else _INSTEAD.match(plain)
    head = found[found.lastindex or 1].strip() if found else ""
    return head if len(head.split()) > 1 or not head.isascii() else ""


def core_of(plain: str) -> Core | None:
    """The core of a readable claim; None if it is vague, or only filler."""
    if _VAGUE.match(plain):
        return None
    plain, scope = without_scope(plain)
    numbers: list[str] = []

    def numbered(match: re.Match[str]) -> str:
        if _is_label(match):
            return match[0]
        numbers.append(match[0].removeprefix("v"))
        return " # "

    text = plain
    if any(map(str.isdecimal, plain)):
        text = _NUMBER.sub(numbered, DURATION.sub(duration_in, plain))
    text, negations = _NEGATIVE.of(text).subn(" ", text)
    text = _IS_NUMBER.sub(" ", _USED.sub("用", _MODAL.sub(" ", text)))
    words = []
    flips = negations
    for one, opposite in _WIDE_OPPOSITES:
        if opposite in text:
            flips += text.count(opposite)
            text = text.replace(opposite, one)
    for word in near_key(text).split():
        other = OPPOSITE.get(word)
        if other and other < word and len(word) > 3:
            words.append(other)
            flips += 1
        else:
            words.append(_rooted(word))
    key = " ".join(words)
    is_version = any("." in number for number in numbers)
    follows = is_version and bool(_VERSIONS.search(plain) or HAS_MANY.search(plain))
    return Core(key, flips % 2 == 1, tuple(numbers), scope, follows) if key.strip("# ") else None


def _is_label(number: re.Match[str]) -> bool:
    """Whether a number is a label, as in `Sprint 4`, and not an amount."""
    plain = number.string
    before = plain[max(0, number.start() - 24) : number.start()]
    if _NAMED_BY_NUMBER.search(before):
        return not _IS_COUNTED.match(plain, number.end())
    is_behind_noun = number[0].isdigit() and _BEFORE_ITS_NUMBER.search(before)
    if not is_behind_noun or not _AFTER_ITS_NUMBER.match(plain, number.end()):
        return False
    return not _HAS_VERSIONS.search(plain)


@lru_cache(maxsize=8192)
def _rooted(word: str) -> str:
    """A word without the endings of its verb: `push` for `pushing`."""
    if not (word.isascii() and word.isalpha()):
        return word
    if word.endswith("ing") and len(word) > 5:
        word = word[:-3]
        is_doubled = len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls"
        word = word[:-1] if is_doubled else word
    if word.endswith("s") and not word.endswith("ss") and len(word) > 3:
        word = word[:-1]
    return word.removesuffix("e") if len(word) > 3 else word


# -------------------- From two claims to a verdict, and who of the two is newer.


class Conflict(NamedTuple):
    """A contradiction: how sure it is, and in what it lies (value, number, version, choice, negation)."""

    certainty: str
    why: str

    @property
    def is_reversal(self) -> bool:
        """Whether a rule was turned into its opposite or gave way to another."""
        return self.why in ("negation", "choice")


class Priority(NamedTuple):
    """How much a claim counts against another one: by its date, then salience, then creation."""

    date: str
    salience: str = "medium"
    created: str = ""


class Answer(NamedTuple):
    """What somebody answered to a question."""

    question: str
    words: frozenset[str]


class _Read(NamedTuple):
    """What a claim says; `head` is the core of what stands before its reason, as in `Use npm: …`."""

    core: Core | None
    frames: tuple[Frame, ...]
    head: Core | None = None
    slots: tuple[Slot, ...] = ()
    hour: int | None = None
    answer: Answer | None = None
    names: frozenset[str] = frozenset()
    gone: frozenset[str] = frozenset()
    content: Content = NOTHING


@lru_cache(maxsize=4096)  # a claim meets many others
def _read(text: str) -> _Read:
    if not text.isascii():
        text = _SEAM.sub(" ", text)
    if "?" in text or "？" in text:
        return _answered(text)
    names, gone = _names_in(text)
    plain = readable(text)
    return _read_plain(plain)._replace(names=names, gone=gone, content=content_of(plain))


def _names_in(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """`(names, gone)`: the names in a claim, and those it says are gone."""
    if len(text) > LONGEST:
        return frozenset(), frozenset()
    plain = simplified(folded(text)).replace("`", "")
    found = (next(filter(None, match.groups())) for match in _GONE.finditer(plain))
    gone = frozenset(claim_key(name) for name in found if _is_proper_name(name))
    named = (match[0] for match in _NAME.finditer(plain))
    return frozenset(claim_key(name) for name in named if _is_proper_name(name)) - gone, gone


def _is_proper_name(word: str) -> bool:
    """Whether a word is surely a name: a known tool, or spelled as only names are."""
    return family_of(word) is not None or bool(_WRITTEN_AS_A_NAME.search(word))


def _read_plain(plain: str) -> _Read:
    plain = _FROM_NOW_ON.sub("", plain)
    if not plain:
        return _Read(None, ())
    frames, head = frames_of(plain) or frames_of(state_of(plain)), without_explanation(plain)
    slots, hour = tuple(slots_of(head or plain)), hour_in(plain)
    if head:  # what follows a colon can be a value as well, so only what the head uses counts
        chosen = (frame for frame in frames_of(head) if isinstance(frame, Use))
        frames = tuple(dict.fromkeys((*frames, *chosen)))
    return _Read(core_of(plain), frames, core_of(head) if head else None, slots, hour)


# A question and its answer: `Which database should we use? PostgreSQL (rather than MySQL): it has JSONB`.
_ANSWERED = Pattern(
    r"([^?]{4,}\?) ?([^?]{1,240}?)(?: ?\((?:rather than|未选) (.+?)\))?(?::(?:\s|[\u4e00-\u9fff]).*)?"
)
_ASKS_WHAT_IS_USED = Pattern(
    r"(?:which|what) (?P<what>[\w -]{2,40}?) (?:should|do|will|shall) (?:we|i|you) (?:want to )?use"
    r"(?: for (?:the |our )?(?P<for>[^,?]{2,50}))?\?"
    r"|(?P<zh>(?-i:[\u4e00-\u9fffA-Za-z ]){2,16}?)(?:应该|要|该)?(?:使用|用|选用|选择|选|采用)(?:哪|什么)(?-i:[\u4e00-\u9fff]){0,6}\?",
    re.I,
)


def _answered(text: str) -> _Read:
    """The question in a claim with its answer; nothing if none is answered."""
    found = _ANSWERED.fullmatch(simplified(folded(text)).replace("**", "").strip())
    if not found or len(text) > 2 * LONGEST:
        return _Read(None, ())
    question, chosen, left = found[1], found[2].strip(" .。"), found[3] or ""
    use = _ASKS_WHAT_IS_USED.fullmatch(question)
    purpose = (use["for"] or use["what"] or use["zh"]).strip() if use else ""
    frames = uses_of(chosen, left, purpose) if use else ()
    answer = Answer(near_key(question), frozenset(near_key(chosen).split()))
    return _Read(None, frames, answer=answer)


def _answers(one: Answer | None, other: Answer | None) -> Conflict | None:
    """How two answers to the same question differ, unless one of them only says more."""
    if one is None or other is None or one.question != other.question:
        return None
    is_more = one.words <= other.words or other.words <= one.words
    return None if is_more else Conflict(SURE, "choice")


def topics_of(text: str) -> frozenset[str]:
    """The topics of a claim; two claims that contradict each other have one in common."""
    read = _read(text)
    topics = {f"core {one.key}" for one in (read.core, read.head) if one}
    topics |= {f"asked {read.answer.question}"} if read.answer else set()
    topics |= {f"slot {slot.key}" for slot in read.slots}
    topics |= {f"name {name}" for name in (*read.names, *read.gone)}
    topics.update(topics_of_content(read.content))
    for frame in read.frames:
        if isinstance(frame, Value):
            topics.add(f"is {frame.subject}")
            continue
        topics.add(f"use {frame.name}")
        family = family_of(frame.name)
        if family is not None:
            topics.add(f"family {family}")
        if frame.purpose:
            topics |= {f"for {frame.purpose}", f"is {frame.purpose}"}
    return frozenset(topics)


def conflict_between(one: str, other: str) -> Conflict | None:
    """How two claims contradict each other, or None."""
    a, b = _read(one), _read(other)
    found = [_at_hours(_cores(a.core, b.core), a.hour, b.hour), _answers(a.answer, b.answer)]
    clashes = (slots_clash(x, y) for x in a.slots for y in b.slots)
    found += [Conflict(clash, "value") for clash in clashes if clash]
    found += [_frames(x, y) for x in a.frames for y in b.frames]
    if a.head or b.head:
        heads = (
            _cores(a.head or a.core, b.head or b.core),
            _cores(a.head, b.core),
            _cores(a.core, b.head),
        )
        found += [one for one in heads if one and one.why == "negation"]
    if a.gone & b.names or b.gone & a.names:
        found.append(Conflict(UNSURE, "choice"))
    if not any(found) and (why := possible_conflict(a.content, b.content)):
        found.append(Conflict(UNSURE, why))
    verdicts = [conflict for conflict in found if conflict]
    if any(_ONLY_WHERE.search(text) and not _NEGATIVE.search(text) for text in (one, other)):
        verdicts = [found for found in verdicts if found != Conflict(UNSURE, "negation")]
    if not verdicts or is_near(one, other):
        return None
    return min(verdicts, key=lambda c: (c.certainty != SURE, c.why))


def _at_hours(found: Conflict | None, one: int | None, other: int | None) -> Conflict | None:
    """A conflict of numbers that are times of day: not sure, and none between day and night."""
    if found is None or found.why != "number" or one is None or other is None or one == other:
        return found
    return Conflict(UNSURE, "number") if abs(one - other) <= SAME_TIME else None


def _cores(one: Core | None, other: Core | None) -> Conflict | None:
    if one is None or other is None or one.key != other.key:
        return None
    if one.negative != other.negative:
        if one.numbers != other.numbers:
            return None
        scopes = _scopes(one.scope, other.scope)
        return Conflict(scopes, "negation") if scopes else None
    is_bound = not one.negative or bool(_BOUND.search(one.key))
    if not is_bound or one.follows or len(one.numbers) != len(other.numbers):
        return None
    differing = sum(map(versions_clash, one.numbers, other.numbers))
    if not differing or one.scope != other.scope:
        return None
    is_bare = one.key.split()[0] == "#"  # a number in front names what is counted, mostly
    return Conflict(UNSURE if is_bare or differing > 1 else SURE, "number")


def _scopes(one: str, other: str) -> str:
    """How sure a conflict between these scopes can be; empty if the scopes differ."""
    if one == other:
        return SURE
    return "" if one and other else UNSURE


def _frames(one: Frame, other: Frame) -> Conflict | None:
    if isinstance(one, Value) and isinstance(other, Value):
        return _values(one, other)
    if isinstance(one, Use) and isinstance(other, Use):
        return _choices(one, other)
    use, value = (one, other) if isinstance(one, Use) else (other, one)
    if isinstance(use, Use) and isinstance(value, Value) and use.purpose == value.subject:
        if use.negative or use.added or value.negative or use.scope != value.scope:
            return None
        clash = values_clash(value.subject, f"{use.name} {use.version}".strip(), value.value)
        return Conflict(SURE if use.firm else clash, "value") if clash else None
    return None


def _values(one: Value, other: Value) -> Conflict | None:
    is_about_one = (one.subject, one.scope) == (other.subject, other.scope)
    if not is_about_one or _ITS_VERSION.fullmatch(one.subject):
        return None
    if one.negative or other.negative:
        same = one.negative != other.negative and is_near(one.value, other.value)
        return Conflict(SURE, "negation") if same else None
    clash = values_clash(one.subject, one.value, other.value)
    if clash == UNSURE and one.single and other.single:
        families = [family_of(versioned(value.value)[0]) for value in (one, other)]
        if families[0] == families[1]:
            clash = SURE
        elif None not in families and not is_place(one.subject):
            clash = ""  # built with Vite, and with Vue
    return Conflict(clash, "value") if clash else None


def _choices(one: Use, other: Use) -> Conflict | None:
    scopes = _scopes(one.scope, other.scope)
    purposes = _scopes(one.purpose, other.purpose)
    if not scopes or not purposes:
        return None
    certainty = SURE if scopes == purposes == SURE else UNSURE
    if is_same_name(one.name, other.name):
        return _same_name(one, other, certainty, scopes)
    if one.negative or other.negative or one.added or other.added:
        return None
    family = family_of(one.name)
    is_family = family is not None and family == family_of(other.name)
    same_purpose = one.purpose == other.purpose != ""
    if is_family and (one.firm or other.firm or same_purpose):
        return Conflict(scopes, "choice")
    return Conflict(UNSURE, "choice") if is_family or same_purpose else None


def _same_name(one: Use, other: Use, certainty: str, scopes: str) -> Conflict | None:
    """How two sentences about the same thing clash: in its version, or in whether it is used."""
    if one.version and other.version:
        both_used = not (one.negative or other.negative or one.added or other.added)
        clash = both_used and versions_clash(one.version, other.version)
        return Conflict(certainty, "version") if clash else None
    if one.negative == other.negative or one.version != other.version:
        return None
    return Conflict(scopes if one.firm or other.firm else certainty, "negation")


def is_newer(one: Priority, other: Priority) -> bool | None:
    """Whether the first outweighs the second: by date, then salience, then creation; None for a tie."""
    ours, theirs = ((s.date, LEVELS.index(s.salience), s.created) for s in (one, other))
    return None if ours == theirs else ours > theirs


def keeping_subject(old: str, new: str) -> str:
    """`new` worded to replace `old`: with the place and purpose, if only `old` names them.

    `Use npm for the shop front end: it is there` and `use pnpm: it is quick` make `Use pnpm for the
    shop front end: it is quick`.
    """
    was, now = _used_in(old), _used_in(new)
    if not _is_about_more(was, now) or not was or not now or was.name == now.name:
        return new
    if _read(old).answer:  # its question stays what was asked
        return new
    said = _SHORT.sub("", _without_reason(old).strip(" .。!！;；"))
    bare = _without_reason(new)
    names = [_surface(frame, text) for frame, text in ((was, said), (now, bare))]
    if not all(names):
        return new
    return said.replace(names[0], names[1], 1) + new[len(bare) :]


_WHY = Pattern(r"(?<=\w\w)(?::\s|：)\s*\S.*$")


def _without_reason(text: str) -> str:
    """The start of a claim, up to the colon or the word that introduces its reason."""
    return _REASON.sub("", _WHY.sub("", text))


_SHORT = Pattern(
    r"(?:,? (?:and |but )?(?:not|never|instead of|rather than) [\w.+#-]+(?= |$)|[，,]\s*(?:不用|而不是|不要用)\s*[\w.+#-]+)"
)


def _surface(use: Use, text: str) -> str:
    """The name and version of what is used, as the text writes it; empty unless it is there once."""
    version = rf"(?: v?{re.escape(use.version)})?" if use.version else ""
    found = re.findall(rf"(?<![\w-]){re.escape(use.name)}(?![\w-]){version}", text, re.I)
    return str(found[0]) if len(found) == 1 else ""


def says_with_subject(text: str, bare: str) -> bool:
    """Whether a claim says what a bare one says, and also where or for what purpose."""
    one, other = _used_in(text), _used_in(bare)
    return _is_about_more(one, other) and one is not None and one[:2] == (other or one)[:2]


def _used_in(text: str) -> Use | None:
    """The one thing that a claim says is used."""
    frames = _read(_without_reason(text)).frames
    found = [one for one in frames if isinstance(one, Use) and not one.negative]
    return found[0] if len(found) == 1 else None


def _is_about_more(one: Use | None, other: Use | None) -> bool:
    """Whether only the first of two says where, or for what purpose, something is used."""
    if one is None or other is None:
        return False
    return bool(one.purpose or one.scope) and not (other.purpose or other.scope)
