"""Whether one of two claims takes back the other in words of its own, in English and Chinese.

`conflicts` compares sentences that are built alike. Here it is enough that what one of them denies
(`not in the footer`, `we dropped develop`, 不要手写) is what the other one says, or that both give
one thing another value (`two approvals`, `one approval is enough`). That is never sure: it is asked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise

from recollect._fastimport import NamedTuple, Pattern
from recollect.model.claim_frames import ADDED, without_scope
from recollect.model.values import (
    DURATION,
    HAS_MANY,
    SINGLE,
    bilingual,
    days_in,
    duration_in,
    family_of,
    is_headed,
    is_name_of_family,
    is_same_name,
)
from recollect.text.sentences import has_han
from recollect.text.tokens import STOP_WORDS, is_cjk, stem

LONGEST = 160  # in it several things are said
MOST_WORDS = 40  # twice; a Chinese character is half a word
ONE_WORD = 2
SOME = 0.34  # of what the one says, the other must speak of

# Where another thing is said; what stands behind the second form is denied.
_CLAUSES = bilingual(
    r"\s*[，；。、：]\s*|\s*(?:[,;]|\.(?=\s)|:(?=\s)|\s[–—-](?=\s)|\sbut(?=\s))\s*(?:(?:and|but|so|then) )?"
    r"|\s+(?=(?:instead of|rather than|and not|and never|where(?:ver)?|when(?:ever)?|if|while|unless)\s)",
    r"(?=而不是|(?:来)?(?:代替|替代|取代))",
    needs=",|;|.|:|，|；|。|、|：|-|–|—|but|instead of|rather than|and n|where|when|if|while|unless",
)
_NOT = bilingual(
    r"\b(?:(?:do|does|did|must|should|shall|will|is|are|can|may|need)(?: not|n['’]t)(?: (?:have|need) to)?|don['’]?t(?: (?:have|need) to)?|won['’]t|can['’]t|cannot"
    r"|no (?:need|reason) to|no longer|no more|not|never|no|stop(?:ped)?|avoid|refrain from|dropp?(?:ed|ing)?|scrap(?:ped)?|ditch(?:ed)?|(?:retire|deprecate)d?|abandon(?:ed)?|banned|forbidden"
    r"|got rid of|gone|obsolete|instead of|rather than)\b",
    r"(?:永远|绝对|千万|也|都)?(?:不要再?|不再|别再?|不用再?|不必|无需|无须|不需要再?|不应该?|不应当|不该|不能够?|不得|不可以?|不允许|不准|不许|禁止|严禁|请勿|而不是|不是)"
    r"|(?<![特区分级类个辨识])别(?!的|人|名)|不(?!同|仅|过|错|但|管|断|久|少|足|变|小|大|超|只|止|论|一定)|没有?|未(?=[启开支])|弃用|停用|废弃|取消|(?:来)?(?:代替|替代|取代)|下线|淘汰",
    needs="n't|n’t|dont|cannot|no|never|stop|avoid|refrain|drop|scrap|ditch|retire|deprecate|abandon|banned|forbidden|got rid|gone|obsolete|instead|rather",
)
# A clause that only says where or when.
_CONDITION = bilingual(
    r"^(?:where(?:ver)?|when(?:ever)?|if|while|unless)\b",
    r"^(?:如果|当|若|要是|只要)|(?:的时候|时)$",
    needs="whe|if|while|unless",
)
_PLACE = bilingual(
    r"^(?:in|on|for|at|during|inside|outside|within|under|with) (?:\S+ ?){1,4}$",
    r"^(?:在|对于?)[^是用]{1,10}(?:里|中|上|环境|阶段)$|^[^是用放存写要不别]{1,8}(?:里|中|上|环境|阶段)$",
    needs=" ",
)
_SEGMENTS = Pattern(
    r"\s*(?:[,;，；。]|\.(?=\s))\s*|\s+(?=(?:instead of|rather than|and not|and never)\s)", re.I
)
# A condition, a limit, or two negations: nobody knows what is denied.
_UNCLEAR = bilingual(
    r"\b(?:without|unless|until|except|besides|only|just|if|yet|much|many|too|enough|all|every one)\b",
    r"除非|除了|如果|只能?|仅|直到|还没|尚未|太|够",
    needs="without|unless|until|except|besides|only|just|if|yet|much|many|too|enough|all|every one",
)
_OPEN_END = Pattern(r"(?:n['’]t|\bnot)$", re.I)
# What was in use until now: `from Jest to Vitest`, 把 moment 换成 dayjs.
_LEFT = bilingual(
    r"\b(?:switch|mov|migrat|chang|convert|port)(?:e|ed|es|ing|ched|ching)?\b(?P<thing>[^,;]{0,40}?) (?:away |over )?from (?P<old>[\w`.+#/-]+(?: [\w`.+#/-]+)?) (?:over )?(?:to|onto)\b"
    r"|\breplac(?:e|ed|es|ing) (?:the |our )?(?P<old2>[\w`.+#/-]+(?: [\w`.+#/-]+)?) (?:with|by)\b",
    r"(?:把|将|从|由)\s*(?P<old3>[^，,；;]{1,16}?)\s*(?:整体|全部|都|统一|再)?(?:替换|迁移|切换|更换|换|改|迁|切|转)(?:成|为|到|用|至|回)",
    needs=" from |replac",
)
# 日志格式换成 logfmt: what is said now of something takes the place of what was said of it.
_NOW_ZH = Pattern(
    r"(?P<s>[^，,；;。]{2,24}?)\s*(?:现在|以后|今后|还是|统一|一律|都|已经?|要)*(?:改成|改用|改为|改到|改走|改回|改放|换成|换用|换为|换到|换回|挪到|移到|迁到|切到|迁移到|切换到)"
)
_SAYS_VALUE_ZH = Pattern(r"[用是为放存在走叫跑以从写按]|\d")
_CHANGES = bilingual(
    r"\b(?:now|from now on|after all|any ?more|any longer|no longer|instead|going forward)\b",
    r"现在|以后|今后|从现在起|还是|不再|改成|改为|改用|换成|了$|吧$",
    needs="now|after all|any|no longer|instead|going forward",
)
_UPPER = bilingual(
    r"\b(?:at most|up to|max\w*|no more than|under|below|within)\b",
    r"最多|不超过|最大|以内",
    needs="most|up to|max|no more|under|below|within",
)
_LOWER = bilingual(
    r"\b(?:at least|min\w*|no less than|over|above)\b",
    r"至少|最少|最小|不少于|不低于|以上",
    needs="least|min|no less|over|above",
)

_WORD = Pattern(r"[.@]?[A-Za-z0-9_][\w.@#+/-]*|[\u4e00-\u9fff]", re.A)
# They say how something is stated, and not what.
_LIGHT = frozenset(
    map(
        stem,
        """use uses used using go goes going gone put puts putting keep keeps kept live lives belong belongs set make made do get gets getting have need needs
    require requires required want let please always directly straight ever still new old allow allowed okay ok fine may must should shall
    file files thing via anymore longer instead everywhere simply also decide decided stay back support""".split(),
    )
)
# How a thing has its value.
_HAS_VALUE = frozenset(
    map(
        stem,
        """run runs listen listens move moved write switch switched change changed serve served expose call named name enough approve live
    expire last take indent keep raise raised lower lowered increase increased reduce reduced bump bumped relax relaxed
    threshold limit size minimum maximum max min""".split(),
    )
)
_SAME = {
    "written": "write", "wrote": "write", "manually": "hand", "manual": "hand", "automatically": "auto", "automatic": "auto",
    "ran": "run", "built": "build", "sent": "send", "kept": "keep", "chosen": "choose", "prs": "pr", "touch": "edit", "modify": "edit", "alter": "edit",
}  # fmt: skip
_NO_WORDS = STOP_WORDS - {"before", "after"}
_BEFORE = stem("before")
_CLITICS = frozenset(("s", "t", "re", "ve", "ll", "d", "m"))
_LIGHT_ZH = Pattern(
    r"我们|咱们|大家|团队|统一|一律|以后|今后|现在|目前|从现在起|必须|总是|始终|一定|应该|应当|务必|可以|允许|准许|需要|之间|的时候|之前|之后|使用|采用|改用|用的是"
    r"|改成|改为|改到|调到|调成|调整为|提高到|提到|降到|降低到|升到|设为|设成|定为|换成|换回|换用|就行|即可|就好|文件|尽量|继续|全部|已经|最好|还是|上限|下限|阈值|限制|大小|最多|最少|最大|最小|至少|不超过|不低于|不少于|[的了都要请就吧也把将从在到用写放走是为跑存里时]"
)
_COUNT = Pattern(
    r"(?:^|(?P<before>[A-Za-z]+) |(?<=(?-i:[\u4e00-\u9fff]))\s*)(?P<n>\d+|one|一)(?: (?P<what>[A-Za-z]{3,})|\s*[个名位]\s*(?P<zh>(?-i:[\u4e00-\u9fff])))",
    re.I,
)
_MAY_COUNT = frozenset(
    """need needs require requires has have allow allows keep use uses run runs want to of by at with for is are be
    least most than only after within exactly""".split()
)
_TIMES = Pattern(r"\b(?P<n>\d+) (?:times|attempts|retries)\b|(?P<n2>\d+)\s*次")
_PORT = Pattern(
    r"\bports?\b[^\d,;.]{0,16}(?P<n>\d{2,5})\b|端\s*口[^\d，；]{0,6}(?P<n2>\d{2,5})|(?P<n3>\d{2,5})\s*端\s*口",
    re.I,
)
_SHARE = Pattern(r"(?P<n>\d+(?:\.\d+)?) ?(?:%|percent\b)")
_SIZE = Pattern(r"(?P<n>\d+(?:\.\d+)? ?[kmgt]i?b)\b", re.I)
# A limit gets another value: which of the two it is, is not said again.
_MOVED = bilingual(
    r"\b(?:lowered|raised|increased|reduced|bumped|relaxed|cut|changed) (?:[\w-]+ ){1,5}to \d",
    r"[降调提升改]到|降低到|提高到|放宽到|收紧到|就行|就够|即可",
    needs="ed |cut ",
)
_ONE_LONG = Pattern(r"\b(?:an?|one) (?=(?:second|minute|hour|day|week|month|year)\b)", re.I)
_HOW = {"hand": "hand", "auto": "auto", "手动": "hand", "手工": "hand", "人工": "hand", "手写": "hand", "自动": "auto"}  # fmt: skip
_HOW_ZH = Pattern(r"手动|手工|人工|自动")

Words = tuple[str, ...]
Given = tuple[str, str, Words]  # kind of value, value, what has it


class Content(NamedTuple):
    """What a claim says and what it denies, in words without their endings."""

    held: Words = ()
    denied: tuple[Words, ...] = ()
    places: frozenset[str] = frozenset()
    values: tuple[Given, ...] = ()
    replaced: Words = ()  # what gets another value
    changes: bool = False
    is_denial: bool = False  # it begins with what it denies
    has_value: bool = False

    @property
    def every(self) -> frozenset[str]:
        """All words of the claim."""
        return frozenset(self.held).union(*self.denied)


NOTHING = Content()


def content_of(plain: str) -> Content:
    """What a readable claim says and denies."""
    if not plain or len(plain) > LONGEST:
        return NOTHING
    held: list[str] = []
    denied: list[Words] = []
    places: set[str] = set()
    clear, is_denial = True, False
    denies = bool(_NOT.search(plain) or _LEFT.search(plain))
    clauses = [*_clauses(plain)]
    for clause in clauses:
        if len(clauses) > 1 and _PLACE.search(clause):
            places |= set(_words(clause))
            continue
        if denies and _CONDITION.search(clause):  # on which what was denied depends
            held += _words(_NOT.sub(" ", clause))
            clear = clear and not denied
            continue
        negations = len(_NOT.findall(clause)) if denies else 0
        where = _words(without_scope(clause)[1])
        places |= {word for word in where if family_of(word) is None}
        if not negations:
            held += _words(clause)
        elif _is_clear(clause, negations):
            words = _words(_NOT.sub(" ", clause))
            is_denial = is_denial or not held
            denied += [words] if words else []
        else:
            clear = False
    segments = (one for one in _SEGMENTS.split(plain) if one and not (denies and _NOT.search(one)))
    values = [value for segment in segments for value in _values_in(segment)]
    if weight(held) > MOST_WORDS or not clear:
        return NOTHING
    now = _NOW_ZH.match(plain) if has_han(plain) else None
    replaced = _words(now["s"]) if now and not _NOT.search(now["s"]) else ()
    kinds = Counter(kind for kind, _, _ in values)
    values = [one for one in values if kinds[one[0]] == 1]
    is_valued = has_han(plain) and bool(_SAYS_VALUE_ZH.search(plain))
    changes = bool(_CHANGES.search(plain))
    return Content(
        tuple(held),
        tuple(denied),
        frozenset(places),
        tuple(values),
        replaced,
        changes,
        is_denial,
        is_valued,
    )


def _is_clear(clause: str, negations: int) -> bool:
    """Whether a clause with negations says what is denied: `we don't` does not."""
    is_open = negations != 1 or _OPEN_END.search(clause)
    return not is_open and not _UNCLEAR.search(_NOT.sub(" ", clause))


def _clauses(plain: str) -> Iterator[str]:
    """The clauses of a claim; what it says was in use until now is one, and denied."""
    if left := _LEFT.search(plain):
        old = left["old"] or left["old2"] or left["old3"]
        yield f"no {old}" if old.isascii() else f"不要{old}"
        plain = f"{plain[: left.start()]} {left['thing'] or ''} {plain[left.end() :]}"
    yield from filter(None, (clause.strip() for clause in _CLAUSES.split(plain)))


def _words(text: str) -> Words:
    if not text.isascii():
        text = _LIGHT_ZH.sub(" ", text)
    found = []
    for match in _WORD.finditer(text):
        word = match[0].rstrip("./-@")
        low = word.casefold()
        # “Any” within a sentence is a name.
        is_name = low != word and match.start() > 0
        if (low in _NO_WORDS and not is_name) or low in _CLITICS:
            continue
        root = _root(low)
        if root not in _LIGHT:
            found.append(root)
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=8192)
def _root(word: str) -> str:
    return word if is_cjk(word[0]) else stem(_SAME.get(word, word))


def _values_in(clause: str) -> Iterator[Given]:
    """What a clause says a thing has: the kind of value, the value, and the words of the thing."""
    if ADDED.search(clause):
        return
    clause = _ONE_LONG.sub("1 ", clause)
    bound = ("most" if _UPPER.search(clause) else "") + ("least" if _LOWER.search(clause) else "")
    bound = "any" if not bound and _MOVED.search(clause) else bound
    if amount := _amount_in(clause, bound):
        yield amount
        return
    how = [_HOW[word] for word in (*_words(clause), *_HOW_ZH.findall(clause)) if word in _HOW]
    if len(how) == 1:
        rest = tuple(word for word in _words(_HOW_ZH.sub(" ", clause)) if word not in _HOW)
        yield "how", how[0], rest
    if HAS_MANY.search(_CHANGES.sub(" ", clause)):
        return
    yield from (("day", day, _thing(clause, day)) for day in days_in(clause))
    for count in _COUNT.finditer(clause):
        if not count["before"] or count["before"].casefold() in _MAY_COUNT:
            what = stem((count["what"] or count["zh"]).casefold())
            number = "1" if count["n"].casefold() in ("one", "一") else count["n"]
            yield f"count {what} {bound}", number, _thing(clause, count["n"])
    for word in (match[0] for match in _WORD.finditer(clause)):
        if (family := family_of(word)) is not None and is_name_of_family(word):
            yield f"family {family}", word.casefold(), _thing(clause, word)


def _amount_in(clause: str, bound: str) -> Given | None:
    """The port, the number of times or the length of time in a clause."""
    for pattern, kind in (
        (_PORT, "port"), (_TIMES, "times"), (_SHARE, f"share {bound}"), (_SIZE, f"size {bound}"),
    ):  # fmt: skip
        if found := pattern.search(clause):
            number = next(filter(None, found.groupdict().values()))
            return kind, "".join(number.casefold().split()), _thing(clause, found[0])
    length = DURATION.search(clause)
    if not length:
        return None
    number, _, unit = duration_in(length).partition(" ")
    return f"{unit} {bound}", number, _thing(clause, length[0])


def _thing(clause: str, value: str) -> Words:
    words = _words(clause.replace(value, " ", 1))
    return tuple(word for word in words if word not in _HAS_VALUE)


def possible_conflict(one: Content, other: Content) -> str:
    """In what one of two claims takes back what the other one says: `negation`, `value`, or nothing."""
    if not (one.denied or other.denied or one.values or one.replaced or other.replaced):
        return ""
    if _are_elsewhere(one, other):
        return ""
    if _denies(one, other) or _denies(other, one):
        return "negation"
    has_other = _has_other_value(one, other) or _replaces(one, other) or _replaces(other, one)
    return "value" if has_other else ""


def _are_elsewhere(one: Content, other: Content) -> bool:
    """Whether both say where they hold, and neither speaks of where the other one does."""
    if not one.places or not other.places:
        return False
    is_there = one.places <= other.every | other.places or other.places <= one.every | one.places
    return not is_there


def _denies(one: Content, other: Content) -> bool:
    """Whether the first denies what the second says."""
    also = frozenset[str]().union(*other.denied)
    held = set(other.held)
    for n, words in enumerate(one.denied):
        denied = set(words)
        if denied & also or not _states(words, other) or _other_thing(one, other):
            continue
        if one.is_denial and not n and weight(denied) > ONE_WORD:
            found, least = held & one.every, SOME * weight(held)
        else:  # “…, not on Fridays” denies it only of what is spoken of
            found, least = (held - denied) & set(one.held), weight(held - denied) / 2
            if weight(denied) <= ONE_WORD and weight(found) < ONE_WORD:
                continue
        if weight(found) > least or not least:
            return True
    return False


def _states(denied: Words, other: Content) -> bool:
    """Whether a claim says what is denied; one that says what holds now, more widely, too."""
    if set(denied) <= set(other.held):
        has_order = _BEFORE in denied or _BEFORE in other.held
        return not has_order or [word for word in other.held if word in denied] == [*denied]
    return other.changes and weight(other.held) > ONE_WORD and set(other.held) <= set(denied)


def _other_thing(one: Content, other: Content) -> bool:
    """Whether a word that both have stands behind words that only one has: `web app`, `mobile app`."""
    before = {(word, _next(one.held, n)): one.held[n - 1] for n, word in enumerate(one.held) if n}
    for n, word in enumerate(other.held):
        own = before.get((word, _next(other.held, n))) if n else None
        if own and other.held[n - 1] not in one.every and own not in other.every:
            return True
    return False


def _next(words: Words, n: int) -> str:
    """The character behind a Chinese one: one is less than a word."""
    return words[n + 1] if is_cjk(words[n][0]) and n + 1 < len(words) else ""


def _has_other_value(one: Content, other: Content) -> bool:
    for kind, value, thing in one.values:
        for its_kind, its_value, its_thing in other.values:
            if not _is_of_kind(kind, its_kind) or is_same_name(value, its_value) or not thing:
                continue
            things = set(thing), set(its_thing)
            is_same = things[0] == things[1]
            enough = 2 if kind.endswith(_BOUNDS) else 4
            changes = one.changes or other.changes or "any" in f"{kind} {its_kind}".split()
            if changes and weight(things[0] & things[1]) >= enough:
                is_same = is_same or things[0] <= things[1] or things[1] <= things[0]
            if is_same and weight(things[0]) >= 2:
                return True
    return False


_BOUNDS = ("most", "least", "any")


def _is_of_kind(one: str, other: str) -> bool:
    """Whether two values are of one kind; a limit that was moved can be either limit."""
    is_moved = "any" in (one.rpartition(" ")[2], other.rpartition(" ")[2])
    return one == other or (is_moved and _unbound(one) == _unbound(other))


def _unbound(kind: str) -> str:
    """A kind of value without the word that says which limit it is."""
    head, _, bound = kind.rpartition(" ")
    return head if bound in ("", *_BOUNDS) else kind


def _replaces(one: Content, other: Content) -> bool:
    """Whether the first gives another value to what the second speaks of."""
    about = set(one.replaced)
    if not about or not other.has_value or other.denied or other.replaced:
        return False
    is_single = is_headed("".join(one.replaced), SINGLE)
    if weight(about) < 4 and not is_single:
        return False
    held = set(other.held)
    rest = held - about
    return about <= held and bool(rest - one.every) and weight(about) >= 0.4 * weight(held)


def weight(words: Iterable[str]) -> int:
    """How much words say: a Chinese character is half a word."""
    return sum(1 if is_cjk(word[0]) else 2 for word in words)


def topics(content: Content) -> Iterator[str]:
    """What two claims have in common of which one takes back the other: two words, or two characters."""
    for run in (content.held, *content.denied):
        for one, two in pairwise(run):
            if is_cjk(one[0]) and is_cjk(two[0]):
                yield f"both {one}{two}"
    words = sorted({*content.every, *(_unbound(kind) for kind, _, _ in content.values)})
    for n, one in enumerate(words):
        for two in words[n + 1 :]:
            if not (is_cjk(one[0]) and is_cjk(two[0])):
                yield f"both {one} {two}"
