"""Decide whether two claims contradict each other, by rules, in English and Chinese.

Symmetric. Different subjects or scopes, lists and additions are no conflict. Contradicting claims
share a topic, so not all pairs need comparing. `sure` marks only what a careful reader would
change without asking. The rules miss a contradiction rather than invent one;
tests/unit/test_conflicts.py measures them.
"""

from __future__ import annotations

import re
from functools import lru_cache

from recollect._fastimport import NamedTuple
from recollect.consolidate.values import (
    OPPOSITE,
    SURE,
    UNSURE,
    Wording,
    family_of,
    values_clash,
    versioned,
    versions_clash,
)
from recollect.model.claim_key import claim_key, is_near, near_key
from recollect.model.memory import LEVELS
from recollect.text.tokens import folded

# -------------------- Conflicts: what a claim says once polarity, numbers and scope are set aside.


LONGEST = 240  # longer claims say several things; nothing is inferred from them

_HEDGED = Wording(
    r"\b(?:maybe|perhaps|might|could|would|was|were|used to|previously|formerly|had|probably|sometimes|often|usually"
    r"|unless|except|e\.g\.|for example|consider|not (?:only|just|yet|sure|necessarily)|either|neither|whether|some of|half of)\b|[?？]",
    r"也许|可能|曾经|以前|之前是|原来|有时|通常|除非|除了|例如|比如|考虑|不仅|不一定|未必|是否|或者|要么",
)
ADDED = Wording(
    r"\b(?:also|as well|too|additionally|another|both|in addition|alongside|besides|together with)\b",
    r"也|还|另外|同时|以及|再加",
)
_REASON = Wording(
    r"(?:[,;:]|\s[–—-])?\s+(?:because|since|so that|as it|as we|in order to|due to|it has|which)\b.*$",
    r"[，,；;：:]?\s*(?:因为|由于|以便|为了避免|原因是|理由是|这样|它支持).*$",
)
_EXPLAINED = re.compile(r"([^:]{4,120}?)(?<!\d):(?:\s+\S+\s+\S|\s*[\u4e00-\u9fff]{2})")
_LEAD = re.compile(
    r"^(?:(?:please|note(?: that)?|remember(?: that| to)?|decision|decided|ok|okay|now|currently|from now on|by default|make sure (?:to|that)|ensure that"
    r"|we(?:['’]ve)? (?:decided|agreed) (?:to|that we)|let['’]?s|be sure to)\b[,:]?\s+"
    r"|(?:注意|记住|记得|决定|现在|目前|以后|今后|从现在起|请|我们决定|已决定)[，,：:]?\s*)+",
    re.I,
)
_HERE = Wording(
    r"\b(?:in|for|of) (?:this|our|the) (?:repo|repository|project|codebase|team|company)\b|\beverywhere\b"
    r"|\b(?:now|currently|from now on|by default|anymore|any more|any longer)\b",
    r"(?:在)?(?:本|这个|我们的)?项目(?:里|中)[，,]?|现在|目前",
)
_SCOPE_FIRST = Wording(
    r"((?:in|on|for|at|during|when|whenever|while|before|after|under|if|with|inside|outside) [^,]{1,80}),\s*(?=\S)",
    r"((?:在|当|对于?|对)[^，,。]{1,24}?(?:里|中|上|时|下|环境|阶段|前|后|内|来说)?)[，,]\s*"
    r"|(在?[^，,。是用]{1,16}?(?:环境|测试|文件|脚本|分支|代码)?(?:里|中|上|时|环境下?)[，,]?)(?=(?:使用|采用|不|别|禁止|必须|都|用|可以|总是|应)\S)",
)
_SCOPE_LAST = Wording(
    r"\s((?:(?:during|when|whenever|while|before|after|if|until|without) "
    r"|(?:in|on|under|inside|outside|within|for|at|from) (?!(?:port|favor|place|charge|least|most|all)\b|[^.]* (?:is|are|=) ))"
    r"\D.*)$",
)
_NEGATIVE = Wording(
    r"\b(?:never(?: ever)?|(?:do|does|did|must|should|shall|will|is|are|can|may)(?: not|n['’]t)|cannot|can['’]t|won['’]t|don['’]?t|doesn['’]?t"
    r"|isn['’]t|aren['’]t|avoid|no longer|stop|not|refrain from)\b",
    r"永远不要|绝对不要|千万不要|千万别|永远别|绝不|不再|不要再|不要|不应该|不应当|不应|不能够|不能|不得|不可以|不允许|不准|禁止|严禁|请勿|没有|未(?=[启开支])"
    r"|(?<![特区分级类个辨识])别(?!的|人|名)|不(?!同|仅|过|错|但|管|断|久|少|足|变|可|小|大|超)",
)
_MODAL = Wording(
    r"\b(?:always|must|should|shall|have to|has to|need to|needs to|will|do|does|we|you|i|the team|everyone|all|only|please|ever)\b",
    r"必须|总是|一律|应该|应当|务必|始终|一定|我们|大家|团队|可以|需要|统一|每次|要|请|都|会",
)
_USED = re.compile(r"使用|采用|改用")
_NUMBER = re.compile(r"(?<![\w.])v?\d+(?:[.,]\d+)*(?![\w.]*[A-Za-z]\w*\d)|\d+")
_DIGIT = re.compile(r"\d")
_NAMED_BY_NUMBER = re.compile(
    r"(?:\b(?:step|issue|pr|ticket|sprint|release|build|milestone|iteration|phase|chapter|figure|fig|case|day|task|bug|line|lines|section|part|point|commit|rule|test|node|room"
    r"|level|layer|stage|week|q|number|no|item|attempt|round|shard|worker|server|migration|adr|rfc|http|error|code|status)[ #]*|#|第|步骤|问题|阶段|发布)\s*$",
    re.I,
)


_VAGUE = re.compile(r"(?:it|this|that|these|those|he|she|they|there)\b|[这那它他她]", re.I)
_WIDE_OPPOSITES = [
    (one, other) for one, other in OPPOSITE.items() if not one.isascii() and one < other
]


class Core(NamedTuple):
    """What a claim is about, and what it says of it."""

    key: str
    negative: bool
    numbers: tuple[str, ...]
    scope: str


def readable(text: str) -> str:
    """A claim without markup, reason and preamble; nothing if it is too long or hedged."""
    if len(text) > LONGEST or _HEDGED.search(text):
        return ""
    plain = folded(text).replace("`", "").replace("**", "").strip()
    plain = _REASON.replaced(plain, "")[0].strip(" .。!！;；")
    return _LEAD.sub("", plain).strip()


def without_explanation(plain: str) -> str:
    """What a readable claim says before the colon behind which it says why; nothing without one."""
    found = _EXPLAINED.match(plain) if ":" in plain else None
    head = found[1].strip() if found else ""
    return head if len(head.split()) > 1 or not head.isascii() else ""


def core_of(plain: str) -> Core | None:
    """The core of a readable claim, or None where nothing is left of it."""
    if _VAGUE.match(plain):
        return None
    plain, scope = without_scope(plain)
    numbers: list[str] = []

    def numbered(match: re.Match[str]) -> str:
        if _NAMED_BY_NUMBER.search(plain[max(0, match.start() - 12) : match.start()]):
            return match[0]
        numbers.append(match[0].removeprefix("v"))
        return " # "

    text = _NUMBER.sub(numbered, plain) if _DIGIT.search(plain) else plain
    text, negations = _NEGATIVE.replaced(text, " ")
    text = _USED.sub("用", _MODAL.replaced(text, " ")[0])
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
    return Core(key, flips % 2 == 1, tuple(numbers), scope) if key.strip("# ") else None


@lru_cache(maxsize=16)  # who reads a claim asks twice
def without_scope(plain: str) -> tuple[str, str]:
    """`(rest, scope)`: a claim without the words that say where or when it holds."""
    plain = _HERE.replaced(plain, " ")[0].strip(" ,，")
    scopes = []
    if first := _SCOPE_FIRST.match(plain):
        scopes.append(first[first.lastindex or 0])
        plain = plain[first.end() :]
    if last := _SCOPE_LAST.search(plain):
        scopes.append(last[1])
        plain = plain[: last.start()]
    return " ".join(plain.split()), " ".join(near_key(scope) for scope in scopes)


@lru_cache(maxsize=8192)
def _rooted(word: str) -> str:
    """A word without the endings of its verb: `push` for `pushing`."""
    if not (word.isascii() and word.isalpha()):
        return word
    if word.endswith("ing") and len(word) > 5:
        word = word[:-3]
        word = (
            word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls" else word
        )
    if word.endswith("s") and not word.endswith("ss") and len(word) > 3:
        word = word[:-1]
    return word.removesuffix("e") if len(word) > 3 else word


# -------------------- Conflicts: what a claim says is so, and what it says is used, as frames.


_CJK = re.compile(r"[\u4e00-\u9fff]")


class Value(NamedTuple):
    """A thing is something: `the API port` `8080`. `single` says that it can be but one."""

    subject: str
    value: str
    negative: bool
    single: bool
    scope: str


class Use(NamedTuple):
    """Something is used, or not, perhaps for a purpose. `firm` rules out others."""

    name: str
    version: str
    purpose: str
    negative: bool
    firm: bool
    added: bool
    scope: str


Frame = Value | Use

# ------------------------------------------------------------------------------- English

_IS = r"is set to|are set to|is now|are now|is called|is named|defaults to|default to|equals|must be|should be|is|are|=|:"
_IN = (
    r"is written in|are written in|is hosted (?:on|at|in|by)|is deployed (?:to|on|in|with)|runs on|run on|lives? in|is stored in|are stored in"
    r"|is owned by|is maintained by|points to|belongs to|is built with|is managed by|are managed by|goes to|go to|starts? at|is located (?:in|at)"
)
_VALUE_EN = Wording(
    rf"(?:the |our |its |my |a |an )?(?P<s>[\w`][\w` ./'-]{{0,60}}?)\s*(?:(?<=\s)(?P<in>{_IN})(?=\s)|(?P<is>(?<=\s)(?:{_IS})(?=\s)|:(?=\s)|=))"
    r"\s*(?P<no>not |no longer )?(?:the |a |an |still )?(?P<v>\S.{0,60})",
)
_PORT_EN = Wording(
    r"(?:the |our )?(?P<s>[\w -]{1,40}?) (?:runs|listens|is listening|is running|is served|serves|is exposed|is available) on (?:port )?(?P<v>\d{2,5})",
)
_OF = re.compile(r"([\w-]+(?: [\w-]+)?) (?:of|for) (?:the |our |a )?(.+)", re.I)
_VAGUE_FRAMES = Wording(
    r"^(?:it|this|that|these|those|there|he|she|they|we|you|i|what|which|who|one|everything|nothing|something|here|the (?:problem|issue|reason|idea|result|fix|bug|error|cause|answer))\b"
    r"|\b(?:and|or|which|that|who)\b",
)
_WHO = r"(?:(?:we|i|the team|our team|everyone|this (?:project|repo|repository|team)|the (?:project|repo|team))\s+)?"
_MODES = r"(?:(?:will|shall|always|now|only|should|must|have to|all|still|currently|want to|going to)\s+)*"
_NO = r"(?P<no>(?:do(?:es)? not|don['’]?t|doesn['’]?t|never|no longer|avoid|stop|must not|should not|will not|won['’]t|not)\s+(?:ever\s+)?)?"
_USE = r"(?:uses?|using|adopt(?:s|ing)?|go with|switch(?:ed)? to|mov(?:e|ed) to|migrated? to|stick (?:with|to)|standardi[sz]e on|prefers?|pick|choose|chose)"
_NAMED = r"[\w`@.+#/-]+(?: [\w`@.+#/-]+){0,3}?"
_USE_EN = Wording(
    rf"(?:{_WHO}{_MODES}{_NO}{_MODES}|(?:the |our )(?P<p>[\w -]{{2,30}}?) {_MODES}(?P<no2>does not |doesn['’]t |no longer )?){_USE}\s+(?:the |a |an )?(?P<n>{_NAMED})"
    r"(?:\s+for\s+(?P<for>[^,;]{2,50}?))?(?P<instead>\s+instead)?"
    rf"(?:(?:\s+instead of|\s+rather than|\s+over|,?\s+(?:and )?not)\s+(?P<other>{_NAMED}))?(?:\s+for\s+(?P<for2>[^,;]{{2,50}}))?",
)
_CHANGE_EN = Wording(
    rf"{_WHO}(?:have\s+)?(?:replaced?|dropped|drop|switch(?:ed)? from|mov(?:e|ed) from|migrated? from)\s+(?P<other>{_NAMED})\s+"
    rf"(?:with|by|to|for|in favor of)\s+(?P<n>{_NAMED})",
)
_AVOID_EN = Wording(
    rf"(?:avoid|drop|no) (?P<n>[\w`@.+#/-]+)|(?P<n2>{_NAMED}) (?:is|are) (?:forbidden|banned|not allowed|deprecated here)",
)

# ------------------------------------------------------------------------------- Chinese

_WHO_ZH = r"(?:(?:我们|大家|团队|本项目|项目|这个项目)(?:里|中|都|统一|一律|现在|已经|决定|就)*)?"
_NO_ZH = r"(?P<no>永远不要|绝不|不要再|不要|不再|不应该|不能|禁止|严禁|请勿|别再|别|不准|不许|不)?"
_USE_ZH_VERB = (
    r"(?:继续|统一|一律|改为|都|必须|总是|只)*(?:使用|采用|改用|换用|选用|换成|用的是|用)"
)
_NAMED_ZH = r"[\w@.+#/-]+(?: [A-Za-z0-9][\w.+#-]*)?"
_USE_ZH = re.compile(
    rf"(?:{_WHO_ZH}{_NO_ZH}|(?P<p>[\u4e00-\u9fffA-Za-z ]{{2,16}}?)(?P<no2>不再|不)?){_USE_ZH_VERB}\s*(?P<n>[A-Za-z]{_NAMED_ZH}|[A-Za-z]|[\u4e00-\u9fff]{{2,6}}?)"
    r"\s*(?:(?:来)?(?:做|作为|当|管理|处理|存储?|存放|写|跑|构建|部署)(?P<for>[\u4e00-\u9fffA-Za-z ]{2,16}?))?"
    rf"(?P<instead>吧|代替|替代)?(?:[，,、]?\s*(?:而不是|不要用|别用|不用|不使用|不再用|代替|替代|取代)\s*(?P<other>{_NAMED_ZH}))?",
    re.I,
)
_SWITCH_ZH = re.compile(
    rf"{_WHO_ZH}(?:把|将|从)\s*(?P<other>[A-Za-z]{_NAMED_ZH})\s*(?:换成|改成|替换为|替换成|迁移到|切换到|换为|改为)了?\s*(?P<n>[A-Za-z]{_NAMED_ZH})"
)
_VALUE_ZH = re.compile(
    r"(?P<s>[\u4e00-\u9fffA-Za-z0-9_ ./-]{1,30}?)\s*(?P<no>不是|不再是)?(?P<is>现在是|已?改为|已?改成|设置为|设为|默认为|默认是|用的是|等于|是|为(?!了)|=|：|:)"
    r"(?P<v>[^，,；;]{1,40})"
)
_IN_ZH = re.compile(
    r"(?P<s>[\u4e00-\u9fffA-Za-z0-9_ ./-]{2,30}?)\s*(?P<in>部署在|运行在|跑在|存放在|放在|存储在|存在|位于|监听|由)\s*(?P<v>[^，,；;]{1,40}?)(?:负责|维护|端口|上|里|中)?"
)
_VAGUE_ZH = re.compile(
    r"^(?:这|那|它|他|她|我|你|问题|原因|结果|目的|主要|就|也|还|但|可|只|都|一|如|最)|(?:的话|时|时候|还|就|不|可能|应该|都|也|只|总|要)$|和|或|以及"
)
_LIST = re.compile(r"\s(?:and|or)\s|[,，、]|和|或|以及|\s&\s|/(?=\w+/)")


def frames_of(plain: str) -> tuple[Frame, ...]:
    """The frames of a readable claim."""
    added = bool(ADDED.search(plain))
    core, scope = without_scope(plain)
    if _CJK.search(plain):
        return _chinese(core, scope, added=added)
    return _english(plain, core, scope, added=added)


def _english(plain: str, core: str, scope: str, *, added: bool) -> tuple[Frame, ...]:
    if change := _CHANGE_EN.parts(plain):
        return _uses(change["n"], change["other"], "", "", firm=True)
    readings = dict.fromkeys(((plain, ""), (core, scope)))  # a purpose looks like a scope
    for text, where in readings:
        if use := _USE_EN.parts(text):
            return _english_use(use, text, where, added=added)
    if avoid := _AVOID_EN.parts(core):
        return (_use(avoid["n"] or avoid["n2"], "", scope, negative=True),)
    if port := _PORT_EN.parts(core):
        return _value(f"{port['s']} port", port["v"], scope, single=True)
    if len(readings) == 1:
        return _english_value(plain, "")
    return _english_value(plain, "", only_places=bool(scope)) or _english_value(core, scope)


def _english_use(use: dict[str, str], text: str, where: str, *, added: bool) -> tuple[Frame, ...]:
    purpose = use["for"] or use["for2"] or use["p"]
    if use["no"] or use["no2"]:
        return tuple(_use(name, purpose, where, negative=True) for name in _names(use["n"]))
    firm = bool(use["instead"] or use["other"]) or " only " in f" {text.lower()} "
    return _uses(use["n"], use["other"], purpose, where, firm=firm, added=added)


def _english_value(text: str, scope: str, *, only_places: bool = False) -> tuple[Frame, ...]:
    found = _VALUE_EN.parts(text)
    if not found or _VAGUE_FRAMES.search(found["s"]) or _LIST.search(found["v"]):
        return ()
    place = found["in"].casefold()
    if only_places and not place:
        return ()  # the scope is no part of the value
    subject = _OF.sub(r"\2 \1", found["s"].strip())
    return _value(
        f"{subject} {place}", found["v"], scope, negative=bool(found["no"]), single=bool(place)
    )


def _chinese(core: str, scope: str, *, added: bool) -> tuple[Frame, ...]:
    if change := _SWITCH_ZH.fullmatch(core):
        return _uses(change["n"], change["other"], "", scope, firm=True)
    use = _USE_ZH.fullmatch(core)
    if use and not _VAGUE_ZH.search(use["p"] or ""):
        purpose = (use["p"] or use["for"] or "").strip()
        if use["no"] or use["no2"]:
            return tuple(_use(n, purpose, scope, negative=True) for n in _names(use["n"]))
        firm = bool(use["instead"] or use["other"]) or "只用" in core or "统一" in core
        return _uses(use["n"], use["other"], purpose, scope, firm=firm, added=added)
    for form in (_IN_ZH, _VALUE_ZH):
        found = form.fullmatch(core)
        if found and not _VAGUE_ZH.search(found["s"].strip()) and not _LIST.search(found["v"]):
            groups = found.groupdict()
            place = groups.get("in") or ""
            subject = found["s"].strip() + ({"监听": "端口"}.get(place, place))
            return _value(
                subject, found["v"], scope, negative=bool(groups.get("no")), single=bool(place)
            )
    return ()


def _value(
    subject: str, value: str, scope: str, *, negative: bool = False, single: bool = False
) -> tuple[Frame, ...]:
    key = near_key(subject)
    if not key or len(key.split()) > 12:
        return ()
    return (Value(key, value.strip(), negative, single, scope),)


def _uses(
    names: str, other: str | None, purpose: str, scope: str, *, firm: bool, added: bool = False
) -> tuple[Frame, ...]:
    several = _names(names)
    frames = [
        _use(name, purpose, scope, firm=firm and len(several) == 1, added=added or len(several) > 1)
        for name in several
    ]
    return (*frames, *([_use(other, purpose, scope, negative=True)] if other else []))


def _names(text: str) -> list[str]:
    return [name.strip() for name in _LIST.split(text) if name.strip()]


def _use(
    name: str,
    purpose: str,
    scope: str,
    *,
    negative: bool = False,
    firm: bool = False,
    added: bool = False,
) -> Use:
    bare, version = versioned(name.strip("` "))
    return Use(
        claim_key(bare), version, near_key(purpose) if purpose else "", negative, firm, added, scope
    )


# -------------------- Conflicts: from two claims to a verdict, and who of the two is newer.


class Conflict(NamedTuple):
    """A contradiction: how sure it is, and in what it lies (value, number, version, choice, negation)."""

    certainty: str
    why: str

    @property
    def is_reversal(self) -> bool:
        """Whether a rule was turned into its opposite or gave way to another."""
        return self.why in ("negation", "choice")


class Standing(NamedTuple):
    """How much a claim counts against another one: by its date, then salience, then creation."""

    date: str
    salience: str = "medium"
    created: str = ""


class _Read(NamedTuple):
    """What a claim says; `head` is the core of what stands before its reason, as in `Use npm: …`."""

    core: Core | None
    frames: tuple[Frame, ...]
    head: Core | None = None


@lru_cache(maxsize=4096)  # a claim meets many others
def _read(text: str) -> _Read:
    plain = readable(text)
    if not plain:
        return _Read(None, ())
    frames = frames_of(plain)
    head = without_explanation(plain)
    if not head:
        return _Read(core_of(plain), frames)
    # Behind a colon stands a value as well: of the head only what it says by itself counts.
    chosen = tuple(frame for frame in frames_of(head) if isinstance(frame, Use))
    return _Read(core_of(plain), tuple(dict.fromkeys((*frames, *chosen))), core_of(head))


def topics_of(text: str) -> frozenset[str]:
    """The topics of a claim; two claims that contradict each other have one in common."""
    core, frames, head = _read(text)
    topics = {f"core {one.key}" for one in (core, head) if one}
    for frame in frames:
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
    found = [_cores(a.core, b.core)]
    found += [_frames(x, y) for x in a.frames for y in b.frames]
    if a.head or b.head:
        heads = (
            _cores(a.head or a.core, b.head or b.core),
            _cores(a.head, b.core),
            _cores(a.core, b.head),
        )
        found += [one for one in heads if one and one.why == "negation"]
    verdicts = [conflict for conflict in found if conflict]
    if not verdicts or is_near(one, other):
        return None
    return min(verdicts, key=lambda c: (c.certainty != SURE, c.why), default=None)


def _cores(one: Core | None, other: Core | None) -> Conflict | None:
    if one is None or other is None or one.key != other.key:
        return None
    if one.negative != other.negative:
        if one.numbers != other.numbers:
            return None
        scopes = _scopes(one.scope, other.scope)
        return Conflict(scopes, "negation") if scopes else None
    if one.numbers == other.numbers or one.negative or len(one.numbers) != len(other.numbers):
        return None
    differing = [
        (a, b) for a, b in zip(one.numbers, other.numbers, strict=True) if versions_clash(a, b)
    ]
    if not differing or one.scope != other.scope:
        return None
    is_bare = one.key.split()[0] == "#"  # a number in front names what is counted, mostly
    return Conflict(UNSURE if is_bare or len(differing) > 1 else SURE, "number")


def _scopes(one: str, other: str) -> str:
    """How sure a conflict can be between these scopes; nothing for two that differ."""
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
        return Conflict(clash, "value") if clash else None
    return None


def _values(one: Value, other: Value) -> Conflict | None:
    if one.subject != other.subject or one.scope != other.scope:
        return None
    if one.negative or other.negative:
        same = one.negative != other.negative and is_near(one.value, other.value)
        return Conflict(SURE, "negation") if same else None
    clash = values_clash(one.subject, one.value, other.value)
    if clash == UNSURE and one.single and other.single:
        clash = SURE
    return Conflict(clash, "value") if clash else None


def _choices(one: Use, other: Use) -> Conflict | None:
    scopes = _scopes(one.scope, other.scope)
    purposes = _scopes(one.purpose, other.purpose)
    if not scopes or not purposes:
        return None
    certainty = SURE if scopes == purposes == SURE else UNSURE
    if one.name == other.name:
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


def is_newer(one: Standing, other: Standing) -> bool | None:
    """Whether the first outweighs the second: by date, then salience, then creation; None for a tie."""
    ours, theirs = _weight(one), _weight(other)
    return None if ours == theirs else ours > theirs


def _weight(standing: Standing) -> tuple[str, int, str]:
    return standing.date, LEVELS.index(standing.salience), standing.created
