"""Tokenise memories and queries by the same rules.

`useCallback`, `SQLITE_BUSY`, `scripts/counter.js` and 数据库连接 are found by `use callback`, `sqlite
busy`, `counter` and 连接 or 連接. Query text is data, never syntax. Hooks import this module, so it
imports little: no `re`, no `typing`, and `unicodedata` only for non-ASCII text. The index and
whoever compares words with it stem them with `stem`.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeVar

    Item = TypeVar("Item")

TEXT_VERSION = 9  # part of the identity of every index
LONGEST_WORD = 64
LONGEST_CUE = 6_000
MOST_JOINED = 6

# The words of English that say nothing about a topic, question words among them; the policy
# (drop them from the cue, never from the index) is worth more than the choice of engine.
STOP_WORDS = frozenset(
    """a about above after again all also am an and any are aren as at be because been before being
    below between both but by can could couldn did didn do does doesn doing don down during each
    few for from further get got had hadn has hasn have haven having he her here hers him his how
    i if in into is isn it its just let ll may me might more most must my no nor not now of off on once only or
    other our ours out over own please re same shall she should shouldn so some such than that the their
    theirs them then there these they this those through to too under until up ve very was wasn we
    were weren what when where which while who whom why will with won would wouldn you your
    yours""".split()
)
STOP_PAIRS = frozenset(
    """什么 怎么 如何 我们 你们 他们 它们 咱们 这个 那个 这些 那些 可以 是否 一下 一个 为何 哪个 哪些 哪里
    请问 请你 帮我 吗的 的时 时候 以及 或者 还是 就是 不是 没有 已经 现在 这样 那样 怎样 为什 么时 么的 的是
    了吗 是什 在哪 有没 能不 不能 有什 做什 于什 关于 我的 你的 么是 么样 么办 是不 会不""".split()
)
# What overlaps with one of them is no word: 释一 in 解释一下, 何迁 in 如何迁移.
_ASKING = frozenset("一下 什么 怎么 如何 为何 怎样 哪个 哪些 哪里 请问 帮我 以及 或者".split())
# In 前端用 and 用的是 they stand beside a word …
PARTICLES = frozenset("的了吗呢吧么是在和把给用什个这那哪谁怎")
# … but these are words:
WITH_PARTICLE = frozenset(
    """目的 的确 了解 了结 在线 存在 所在 在职 在途 和解 总和 求和 饱和 把手 把握 供给 补给 给定 个人 个体 个性 个数
    用户 用例 用途 用法 用量 用料 用工 用电 用水 用药 用餐 使用 应用 引用 调用 启用 禁用 停用 弃用 复用 重用 共用 公用
    通用 专用 常用 占用 费用 信用 作用 适用 可用 滥用 利用 试用 租用 实用 效用 备用 借用 录用 商用 食用 日用""".split()
)
_TIMES = frozenset(
    """yesterday today day days week weeks weekend month months year january february march april may june
    july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec
    monday tuesday wednesday thursday friday saturday sunday""".split()
)
_TIME_SIGNS = ("天", "周", "月", "年", "星期", "礼拜")
# (ending, letters that must be left of the word), by the last letter; validate loses what validation does
_ENDINGS = {
    "n": (("ation", 5), ("ion", 5)),
    "t": (("at", 5),),
    "g": (("ing", 3),),
    "e": (("ie", 3), ("e", 3)),
    "d": (("ed", 3),),
    "y": (("y", 3),),
}
_LAST = frozenset("s").union(_ENDINGS)
_VOWELS = frozenset("aeiouy")
# Short forms that are the same word in every project, each with the long one. None is the ending of
# a file's name: `py` says nothing of Python in `run.py`.
_SHORT = """
    a11y accessibility, app application, arg argument, async asynchronous, attr attribute,
    auth authentication, authz authorization, bool boolean, btn button, cert certificate, cfg configuration,
    char character, cmd command, config configuration, ctx context, db database, dbs database, dep dependency,
    dev development, dict dictionary, dir directory, doc documentation, elem element, env environment,
    err error, fn function, func function, i18n internationalization, impl implementation,
    infra infrastructure, int integer, k8s kubernetes, l10n localization, lang language, lib library,
    mgmt management, msg message, nav navigation, num number, obj object, param parameter,
    passwd password, perf performance, pg postgresql, pkg package, postgres postgresql, prod production,
    pwd password, ref reference, regexp regex, repo repository, src source, sync synchronize,
    tmp temporary, tz timezone, util utility, val value, var variable
"""
_PAIRS = [(pair.split()[0], pair.split()[1]) for pair in _SHORT.split(",")]
_FORMS = frozenset(short for short, _ in _PAIRS)
_WHOLE = frozenset(("production",))  # is no product
_ALIASES = {"c++": "cplusplus", "c#": "csharp", "f#": "fsharp", ".net": "dotnet"}
# Letters of Latin that are no letter with an accent: as they are typed where a keyboard has none.
_STROKED = {
    "Ø": "O", "ø": "o", "Ł": "L", "ł": "l", "Đ": "D", "đ": "d", "Ð": "D", "ð": "d", "Ħ": "H",
    "ħ": "h", "ı": "i", "Æ": "AE", "æ": "ae", "Œ": "OE", "œ": "oe", "ß": "ss", "ẞ": "SS",
    "Þ": "TH", "þ": "th",
}  # fmt: skip
_EDGES = "".join(chr(c) for c in range(128) if not chr(c).isalnum())
_BREAKS = {c: " " for c in range(128) if not chr(c).isalnum()}
# Digits, capitals and small letters of ASCII: between two of a kind no part of a name ends.
_KINDS = {
    c: "0" if chr(c).isdigit() else "A" if chr(c).isupper() else "a"
    for c in range(128)
    if chr(c).isalnum()
}


def is_cjk(char: str) -> bool:
    """Whether this character belongs to a script that is written without spaces."""
    code = ord(char)
    return (
        0x3040 <= code <= 0x30FF
        or 0x3400 <= code <= 0x4DBF
        or 0x4E00 <= code <= 0x9FFF
        or 0xAC00 <= code <= 0xD7AF
        or 0xF900 <= code <= 0xFAFF
        or 0x20000 <= code <= 0x3FFFF
    )


def uses_full_width(char: str) -> bool:
    """Whether full-width signs stand beside this character: Korean has spaces and narrow ones."""
    return is_cjk(char) and not "\uac00" <= char <= "\ud7af"


def is_pair(word: str) -> bool:
    """Whether this is two characters of such a script, as a run of them is cut."""
    return len(word) == 2 and is_cjk(word[0]) and is_cjk(word[1])


def is_stop(word: str) -> bool:
    """Whether a word is a stop word, or a pair of characters that is no word."""
    if word.isascii():
        return word in STOP_WORDS
    if word in STOP_PAIRS or word in PARTICLES:
        return True
    return is_pair(word) and not PARTICLES.isdisjoint(word) and word not in WITH_PARTICLE


def is_picture(char: str) -> bool:
    """Whether this character is a sign or an emoji that somebody may look for: ✅, 🚀."""
    return "☀" <= char <= "➿" or "🀀" <= char <= "🫿"


def folded(text: str) -> str:
    """`text` with full-width and compatibility forms made plain (NFKC), without accents and curly apostrophes."""
    if text.isascii():
        return text
    from unicodedata import normalize

    text = normalize("NFKC", text).replace("’", "'")
    # The index drops the accents of Latin letters; whoever compares words must do the same.
    plain = {
        ord(c): _STROKED.get(c) or normalize("NFD", c)[0]
        for c in set(text)
        if "À" <= c <= "ɏ" or "Ḁ" <= c <= "ỿ"
    }
    return text.translate({code: c for code, c in plain.items() if c.isascii()}) if plain else text


def simplified(text: str) -> str:
    """`text` with the simplified character in the place of each traditional one."""
    if text.isascii():
        return text
    from recollect.text.synonyms import SIMPLIFIED

    return text.translate(SIMPLIFIED)


def index_terms(text: str, known: dict[str, str] | None = None) -> str:
    """The stemmed words of a memory, as the index has them, with blanks between them.

    `known` caches the terms of chunks of text; pass the same one again.
    """
    known = {} if known is None else known
    chunks = folded(text).split()
    for chunk in {*chunks}.difference(known):
        known[chunk] = chunk_terms(chunk)
    return " ".join([known[chunk] for chunk in chunks])


def chunk_terms(chunk: str) -> str:
    """As `index_terms`, for a chunk of folded text without white space."""
    words = chunk_words(chunk)
    return stem(words[0]) if len(words) == 1 else " ".join(map(stem, words))


def cue_words(text: str) -> list[str]:
    """The words to search with, each once, in order; stop words go unless nothing else is left."""
    kept: dict[str, None] = {}
    stops: dict[str, None] = {}
    before = ""
    for chunk in folded(_shortened(text)).split():
        words = _cue_words_of(chunk)
        is_short = "'" in chunk  # the `s` of `team's` is no word
        for word in words:
            is_rest = is_stop(word) or (is_short and len(word) == 1)
            (stops if is_rest else kept)[word] = None
        plain = chunk.strip(_EDGES).lower()
        simple = plain.isalnum() and plain.isascii() and plain not in STOP_WORDS
        if before and simple and len(before) + len(plain) <= LONGEST_WORD:
            kept[before + plain] = None
        before = plain if simple else ""
    return list(kept or stops)


def capitalised(text: str) -> dict[str, str]:
    """The words with a capital where none begins a sentence, by the word in small letters.

    In a Chinese text any Latin word with a capital is one.
    """
    is_chinese = not text.isascii() and any(map(is_cjk, text))
    found: dict[str, str] = {}
    is_start = not is_chinese
    for chunk in text.split():
        for word in _latin_words(chunk):
            if not is_start and word[0].isupper() and word[1:].islower():
                found[word.lower()] = word
            is_start = False
        is_start = not is_chinese and (is_start or chunk[-1] in ".?!:;")
    return found


def _latin_words(chunk: str) -> list[str]:
    """The runs of Latin letters of a chunk."""
    plain = "".join(char if char.isascii() and char.isalpha() else " " for char in chunk)
    return plain.split()


def folder_words(text: str) -> frozenset[str]:
    """The words of a cue that stand only in folders of the paths that it names."""
    chunks = text.split()
    paths = [chunk for chunk in chunks if chunk.count("/") > 1 and "://" not in chunk]
    if not paths:
        return frozenset()
    rest = [chunk for chunk in chunks if chunk not in paths]
    rest += [path.rstrip("/").rpartition("/")[2] for path in paths]
    rest += ["".join(filter(str.isalnum, path)) for path in paths]
    return frozenset(cue_words(" ".join(paths))).difference(cue_words(" ".join(rest)))


def bits_of(text: str) -> set[str]:
    """The letters and small numbers that stand only inside longer words of a cue: 6 of `v6.2.0`."""
    alone: set[str] = set()
    inside: set[str] = set()
    for chunk in folded(_shortened(text)).split():
        words = _cue_words_of(chunk)
        if len(words) == 1:
            alone.add(words[0])
            continue
        whole = "".join(filter(str.isalnum, chunk)).lower()
        inside.update(word for word in words if word != whole and _is_bit(word))
    return inside - alone


def _is_bit(word: str) -> bool:
    return word.isascii() and (len(word) == 1 or (len(word) == 2 and word.isdecimal()))


def plain_words(phrase: str) -> list[str]:
    """The words of a phrase as they stand there, each without its other forms, no stop words."""
    words: list[str] = []
    for chunk in folded(phrase).split():
        alias = _alias_of(chunk)
        for whole in [alias] if alias else chunk.translate(_BREAKS).split():
            words += [whole.lower()] if whole.isascii() else _cue_words_of(whole)
    return [word for word in words if not is_stop(word)] or words


def content_words(text: str) -> set[str]:
    """The stems of a text's words that say something by themselves."""
    return {stem(word) for word in plain_words(text) if word not in STOP_WORDS and len(word) > 1}


def _shortened(text: str) -> str:
    # A pasted log says what it is about at its start and at its end.
    if len(text) <= LONGEST_CUE:
        return text
    return text[: LONGEST_CUE * 2 // 3] + " " + text[-LONGEST_CUE // 3 :]


def chunk_words(chunk: str) -> list[str]:
    """All the forms under which a chunk of folded text (without white space) can be found."""
    if chunk.isascii() and chunk.isalpha() and chunk[1:].islower():  # most are plain words
        return [chunk[:LONGEST_WORD].lower()]
    if not chunk.isascii():
        return _words_of_mixed(chunk, singles=True)
    word = chunk.strip(_EDGES)
    if word.isalpha() and word[1:].islower() and not _alias_of(chunk):
        return [word[:LONGEST_WORD].lower()]
    return _words_of_code(chunk)


def _cue_words_of(chunk: str) -> list[str]:
    return _words_of_code(chunk) if chunk.isascii() else _words_of_mixed(chunk, singles=False)


def _alias_of(chunk: str) -> str:
    if chunk.isalnum():
        return ""
    return _ALIASES.get(chunk.strip("\"'`()[]{},;:!?").rstrip(".").lower(), "")


def _words_of_code(chunk: str) -> list[str]:
    alias = _alias_of(chunk)
    words = [alias] if alias else []
    wholes = chunk.translate(_BREAKS).split()
    for whole in wholes:
        low = whole[:LONGEST_WORD].lower()
        words.append(low)
        parts = _humps(whole[:LONGEST_WORD])
        if len(parts) > 1:
            words += parts
            if len(parts) > 2:
                words += [a + b for a, b in _pairs(parts)]
    if not 1 < len(wholes) <= MOST_JOINED:
        return words
    if wholes[0][0] in "vV" and all(map(str.isdecimal, (wholes[0][1:], *wholes[1:]))):
        words.append("".join(wholes)[1:])  # v1.3.17 is 1.3.17
    joined = [_joined(pair) for pair in _pairs(wholes)]
    # What was written as one stands before its parts, what only stands side by side behind them.
    return [*([_joined(wholes)] if len(wholes) > 2 else []), *joined, *words]


def _joined(words: tuple[str, ...] | list[str]) -> str:
    return "".join(words)[:LONGEST_WORD].lower()


def _pairs(items: "Sequence[Item]") -> "zip[tuple[Item, Item]]":
    # A hook would have to load another library for `itertools`.
    return zip(items, items[1:], strict=False)  # noqa: RUF007


def _humps(word: str) -> list[str]:
    """`HTTPServer2Go` → `http server 2 go`."""
    if word.isdigit() or (word.isalpha() and (word[1:].islower() or word.isupper())):
        return [word.lower()]
    starts = [0]
    for i, (a, b) in enumerate(_pairs(word.translate(_KINDS)), 1):
        if a == b:
            continue
        if a != "A" or b != "a":
            starts.append(i)
        elif i - 1 > starts[-1]:
            starts.append(i - 1)
    starts.append(len(word))
    return [word[a:b].lower() for a, b in _pairs(starts)]


def _words_of_mixed(chunk: str, *, singles: bool) -> list[str]:
    words: list[str] = []
    start = 0
    while start < len(chunk):
        cjk = is_cjk(chunk[start])
        end = start + 1
        while end < len(chunk):
            char = chunk[end]
            # Most are told without a call.
            if ("\u4e00" <= char <= "\u9fff" or (char > "\u303f" and is_cjk(char))) != cjk:
                break
            end += 1
        run = chunk[start:end]
        words += _words_of_cjk(run, singles=singles) if cjk else _words_of_letters(run)
        start = end
    return words


def _words_of_cjk(run: str, *, singles: bool) -> list[str]:
    from recollect.text.synonyms import mainland

    run = mainland(run)
    if len(run) == 1:
        return [run]
    pairs = [run[i : i + 2] for i in range(len(run) - 1)]
    if singles:
        return list(run) + pairs
    beside = zip(["", *pairs], pairs, [*pairs[1:], ""], strict=False)
    return [one for before, one, after in beside if _ASKING.isdisjoint((before, after))] or pairs


def _words_of_letters(run: str) -> list[str]:
    if run.isascii():
        return _words_of_code(run)
    spaced = "".join(c if c.isalnum() else " " for c in run)
    words = [f"u{ord(c):x}" for c in run if is_picture(c)]
    for word in spaced.split():
        words += _words_of_code(word) if word.isascii() else [word[:LONGEST_WORD].lower()]
    return words


def stem(word: str) -> str:
    """The stem that the common forms of an English word share: deploys, deploying → deplo.

    Promises: the stem of a stem is that stem.
    """
    whole = word
    while len(word) > 3 and word[-1] in _LAST and word.isascii() and word.isalpha():
        start = _without_ending(word)
        if start == word or word in _WHOLE:
            break
        if start in SHORT_FORMS and whole not in _FORMS and whole.removesuffix("s") not in _FORMS:
            break  # `imply` is no `impl`
        word = start
    return SHORT_FORMS.get(word, word)


def _without_ending(word: str) -> str:
    if word[-1] == "s":  # class, analysis and status are no plurals
        return word if word[-2] in "siu" else word[:-1]
    for ending, left in _ENDINGS[word[-1]]:
        if word.endswith(ending) and len(word) - len(ending) >= left:
            start = word[: -len(ending)]
            if _VOWELS.isdisjoint(start) or word.endswith("eed"):  # string, speed
                return word
            doubled = len(start) > 3 and start[-1] == start[-2] and start[-1] not in "lsz"
            return start[:-1] if doubled else start  # stopped → stop, but calling → call
    return word


SHORT_FORMS: dict[str, str] = {}  # the stem of the long form by that of the short one
SHORT_FORMS.update([(stem(short), stem(long)) for short, long in _PAIRS])


def stems(words: list[str]) -> dict[str, str]:
    """The stem of each word."""
    return {word: stem(word) for word in words}


def text_file(name: str) -> str:
    """The text of a file beside this module."""
    with open(f"{__file__.rpartition('/')[0]}/{name}.txt", encoding="utf-8") as file:
        return file.read()


def function_words() -> "frozenset[str]":
    """Words of Spanish, Portuguese, French, Italian, German, Russian and Ukrainian that name nothing, as `folded`."""
    return frozenset(text_file("function_words").split())


def may_speak_of_time(text: str, words: list[str]) -> bool:
    """Whether a cue may name a time (see `dates`): quick, and true too often."""
    if not _TIMES.isdisjoint(words) or " May" in text:  # the word without a capital is a stop word
        return True
    if not text.isascii() and any(sign in text for sign in _TIME_SIGNS):
        return True
    return any(
        len(word) in (4, 8) and word[:2] in ("19", "20") and word.isdecimal() for word in words
    )


def count_tokens(text: str) -> int:
    """About how many tokens a text costs: four characters of ASCII, or one and a half others."""
    plain = len(text.encode("ascii", "ignore"))
    return (plain + 3) // 4 + ((len(text) - plain) * 2 + 2) // 3
