"""Compare the values of two claims: quantities, versions, names, opposites, gaps in a sentence.

Equal values in different units, or a more detailed value, never conflict.
"""

from __future__ import annotations

import re

from recollect._fastimport import NamedTuple, Pattern
from recollect.model.claim_key import claim_key, near_key
from recollect.text.sentences import has_han

SURE, UNSURE = "sure", "unsure"


class _Bilingual(Pattern):
    def __init__(self, english: str, chinese: str, needs: str, flags: int) -> None:
        # To `re`, a range of Chinese that ignores case is 20,000 letters to look up.
        super().__init__(f"{english}|(?-i:{chinese})" if chinese else english, flags)
        self._english, self._chinese = Pattern(english, flags), chinese
        self.needs = tuple(needs.split("|"))

    def of(self, _text: str) -> re.Pattern[str]:
        if self._chinese and has_han(_text):
            return self.compiled
        low = _text.casefold()
        found = any(need in low for need in self.needs)
        return self._english.compiled if found else _NOTHING.compiled


_NOTHING = Pattern(r"(?!)")


def bilingual(english: str, chinese: str = "", *, needs: str = "", flags: int = re.I) -> Pattern:
    """A pattern for both languages that ignores the case of English letters.

    Compiling it takes longer than using it. So the Chinese half is compiled only for a text with
    Chinese in it, the English half only for a text with one of `needs`: parts of words, separated by
    `|`, without which it cannot match.
    """
    return _Bilingual(english, chinese, needs, flags)


_UNITS = {
    "ms": ("time", 0.001), "millisecond": ("time", 0.001), "毫秒": ("time", 0.001),
    "s": ("time", 1), "sec": ("time", 1), "second": ("time", 1), "秒": ("time", 1), "秒钟": ("time", 1),
    "m": ("time", 60), "min": ("time", 60), "minute": ("time", 60), "分钟": ("time", 60), "分": ("time", 60),
    "h": ("time", 3600), "hour": ("time", 3600), "小时": ("time", 3600), "day": ("time", 86400),
    "d": ("time", 86400), "天": ("time", 86400), "日": ("time", 86400), "week": ("time", 604800), "周": ("time", 604800),
    "kb": ("size", 1e3), "mb": ("size", 1e6), "gb": ("size", 1e9), "tb": ("size", 1e12), "%": ("share", 1),
}  # fmt: skip
_QUANTITY = Pattern(
    r"(about|at least|at most|under|over|below|above|less than|more than|up to|within|around|至少|最多|不超过|超过|少于|大约|约)?\s*"
    r"(?:port\s+|端口\s*)?(\d+(?:[.,]\d+)*)\s*([A-Za-z%\u4e00-\u9fff]*)"
)
_VERSIONED = Pattern(r"(.*?)\s*\bv?(\d+(?:\.\d+|\.x)*)")

# What people choose one of. A name may stand in one family only.
_FAMILIES = [
    family.split()
    for family in (
        "npm pnpm yarn bun", "tab space 制表符 空格",
        "postgresql postgres mysql mariadb sqlite oracle mssql cockroachdb mongodb",
        "redis memcached valkey dragonfly", "jest vitest mocha ava", "pytest unittest nose",
        "flask django fastapi starlette", "react vue svelte angular solid", "flutter react-native ionic xamarin", "webpack vite rollup parcel esbuild",
        "pip poetry uv pipenv conda pdm", "black ruff-format yapf autopep8", "flake8 pylint ruff",
        "eslint biome tslint", "rest graphql grpc soap", "rabbitmq kafka nats sqs", "docker podman",
        "gitlab github bitbucket gitea", "jenkins circleci travis github-actions", "terraform pulumi cloudformation",
        "aws gcp azure 阿里云 腾讯云 华为云", "merge rebase squash", "camelcase snake_case kebab-case pascalcase 驼峰 下划线", "maven gradle bazel",
        "moment date-fns dayjs luxon", "axios fetch ky", "requests httpx aiohttp", "redux zustand mobx jotai",
        "bcrypt argon2 argon2id scrypt pbkdf2 md5 sha1 sha256", "jwt session-cookie", "mit apache-2.0 gpl bsd", "express koa fastify hapi",
        "junit testng", "log4j logback", "prisma typeorm sequelize drizzle", "cypress playwright selenium",
        "english chinese german french spanish japanese korean russian 中文 汉语 简体中文 英文 英语 日文 日语 德文 德语 法文 法语", "json xml yaml toml protobuf",
        "uuid ulid snowflake auto-increment 自增", "sentry rollbar bugsnag", "stripe adyen paypal",
        "sendgrid mailgun postmark", "heroku fly vercel netlify", "helm kustomize", "nginx caddy traefik haproxy",
        "elasticsearch opensearch meilisearch solr", "auth0 keycloak cognito okta", "datadog newrelic honeycomb",
        "jira linear asana trello", "slack teams discord", "tailwind bootstrap bulma", "utc cet est pst", "monorepo polyrepo", "javascript typescript",
    )
]  # fmt: skip
_FAMILY = {name: n for n, family in enumerate(_FAMILIES) for name in family}
# What one thing is called besides.
_ALIASES = {
    "postgres": "postgresql", "mongo": "mongodb", "英语": "英文", "日语": "日文", "德语": "德文", "法语": "法文",
    "汉语": "中文", "制表符": "tab", "空格": "space", "tabs": "tab", "spaces": "space",
}  # fmt: skip
_OPPOSITES = [
    pair.split()
    for pair in (
        "enabled disabled", "on off", "true false", "required optional", "allowed forbidden", "synchronous asynchronous",
        "sync async", "public private", "mutable immutable", "stateful stateless", "fast slow", "safe unsafe", "stable unstable",
        "supported unsupported", "open closed", "up down", "启用 禁用", "开启 关闭", "允许 禁止", "同步 异步", "公开 私有",
        "必填 可选",
    )
]  # fmt: skip
OPPOSITE = {a: b for one, other in _OPPOSITES for a, b in ((one, other), (other, one))}
# A thing has one of these at a time, whatever it is called.
SINGLE = frozenset(
    """port host hostname url endpoint branch version license licence timezone region owner maintainer path
    directory folder format protocol encoding username email domain bucket address login
    端口 主机 地址 分支 版本 许可证 时区 区域 负责人 路径 目录 格式 协议 编码 域名 用户名""".split()
)
_SINGLE_NAMED = frozenset(
    """database db framework language backend frontend store cache queue broker orm linter formatter bundler
    editor provider runner manager server client storage library tool platform runtime
    数据库 框架 语言 后端 前端 缓存 队列 消息队列 工具 平台 包管理器 存储 服务器""".split()
)
_NO_NAME = Pattern(
    r"(?:ed|en|able|ible|ing|ful|less|ous|ive|ly)$|^(?:slow|fast|big|small|wrong|right|open|closed|up|down|old|new"
    r"|free|busy|public|private|unknown|missing|fine|ok|good|bad|safe|here|there|empty|full|in|on|at|too|very|not|part)\b",
    re.I,
)
_PROPER = Pattern(r"[A-Z][\w.+#-]*|\S*\d\S*|\S*[_/.@]\S+|`")


def family_of(name: str) -> int | None:
    """The number of the family of alternatives that a name belongs to."""
    low = name.casefold().strip("`").replace(" ", "-" if name.isascii() else "")
    found = _FAMILY.get(low)
    return _FAMILY.get(low.removesuffix("s")) if found is None else found


def is_name_of_family(word: str) -> bool:
    """Whether a word of a family is meant as the name, as it is written: `REST`, and not `the rest`."""
    return word.casefold().removesuffix("s") not in _ALSO_WORDS or word != word.casefold()


def is_same_name(one: str, other: str) -> bool:
    """Whether two names (as claim keys) are of the same thing: `postgres` and `postgresql`."""
    return one == other or _named(one) == _named(other)


def _named(name: str) -> str:
    name = name if name.isascii() else name.replace(" ", "")
    return _ALIASES.get(name, name)


def alternatives(text: str) -> list[str]:
    """What somebody could choose in place of what a text names: `npm` of `use pnpm`."""
    names = (word.strip("`.,;:!?()。，；：！").casefold() for word in text.split())
    families = {family for name in names if (family := family_of(name)) is not None}
    return [name for family in families for name in _FAMILIES[family]]


def versioned(name: str) -> tuple[str, str]:
    """`(name, version)` of a name such as `Redis 7`; no version for a bare name."""
    match = _VERSIONED.fullmatch(name.strip())
    return (match[1].strip(), match[2]) if match and match[1].strip() else (name.strip(), "")


def versions_clash(one: str, other: str) -> bool:
    """Whether two versions exclude each other; `3` and `3.12` do not."""
    a, b = one.removesuffix(".x").split("."), other.removesuffix(".x").split(".")
    shorter = min(len(a), len(b))
    return bool(one and other) and a[:shorter] != b[:shorter]


def values_clash(subject: str, one: str, other: str) -> str:
    """How sure it is that one thing cannot be both: sure, unsure, or nothing."""
    a, b = one.strip(" `\"'“”"), other.strip(" `\"'“”")
    if claim_key(a) == claim_key(b):
        return ""
    first, second = _QUANTITY.fullmatch(a), _QUANTITY.fullmatch(b)
    if first and second:
        return _quantities_clash(first, second)
    if OPPOSITE.get(a.casefold()) == b.casefold():
        return SURE
    (name, version), (other_name, other_version) = versioned(a), versioned(b)
    if is_same_name(claim_key(name), claim_key(other_name)):
        return SURE if versions_clash(version, other_version) else ""
    return _names_clash(subject, name, other_name)


def _quantities_clash(one: re.Match[str], other: re.Match[str]) -> str:
    """How sure it is that two quantities differ; a bare number may be one of what the other counts."""
    if (one[1] or "") != (other[1] or ""):
        return ""
    (dimension, size), (other_dimension, other_size) = _measured(one), _measured(other)
    if dimension == other_dimension:
        return SURE if size != other_size else ""
    if one[3] and other[3]:
        return ""
    numbers = {str(size).removesuffix(".0"), str(other_size).removesuffix(".0")}
    return UNSURE if len(numbers) == 2 and one[2] != other[2] else ""


def _measured(match: re.Match[str]) -> tuple[str, object]:
    unit = match[3].casefold()
    known = _UNITS.get(unit) or _UNITS.get(unit.removesuffix("s"))
    text = match[2].replace(",", "")
    if text.count(".") > 1 or known is None:
        return unit, text
    return known[0], round(float(text) * known[1], 9)


def _names_clash(subject: str, one: str, other: str) -> str:
    families = family_of(one), family_of(other)
    if families[0] is not None and families[0] == families[1]:
        return SURE
    words = claim_key(one).split(), claim_key(other).split()
    said = set(words[0]), set(words[1])
    if max(map(len, words)) > 12 or said[0] <= said[1] or said[1] <= said[0]:
        return ""  # one of them only says more
    for name in (one, other):
        is_no_name = not name[:1].isupper() and _NO_NAME.search(name)
        if is_no_name or len(name.split()) > 3:
            return ""
    proper = sum(bool(_PROPER.match(name)) for name in (one, other))
    if is_headed(subject, SINGLE) or (proper == 2 and is_headed(subject, _SINGLE_NAMED)):
        return SURE
    return UNSURE if proper == 2 or (proper and max(map(len, words)) == 1) else ""


def is_headed(subject: str, heads: frozenset[str]) -> bool:
    """Whether a subject ends with one of these words."""
    words = subject.split()
    if words and words[-1] in heads:
        return True
    tail = subject.replace(" ", "")
    return any(tail.endswith(head) for head in heads if not head.isascii())


# -------------------- The one place in a sentence that holds one thing at a time.


class Slot(NamedTuple):
    """A sentence with a gap, what fills the gap, and how sure it is that nothing else can."""

    key: str
    value: str
    certainty: str


_DAY = bilingual(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b",
    r"(?<=周)[一二三四五六日天](?!期)|(?<=星期|礼拜)[一二三四五六日天]",
    needs="day",
)
_OFTEN = bilingual(
    r"\b(?:hourly|daily|nightly|weekly|monthly|quarterly|yearly|annually|every (?:hour|day|night|morning|evening|week|month|quarter|year))\b",
    r"每(?:小时|天|日|晚|个?月|季度|年|周(?![一二三四五六日天]))",
    needs="ly|every",
)
_HAN = r"[\u4e00-\u9fff]"
_NOBODY = r"(?!(?:we|i|you|he|she|they|it|everyone|everybody|nobody|all|the|an?|this|that)\b)"
_WHO = bilingual(
    rf"{_NOBODY}(?P<v>[A-Za-z][\w'-]+(?: [A-Z][\w'-]+)?)"
    r" (?=(?:owns?|leads?|maintains?|manages?|runs|heads|chairs|is (?:responsible for|in charge of|on call for)) )",
    rf"(?P<v2>(?!我|你|他|她|它|谁|这|那){_HAN}{{2,3}}?|[A-Za-z]\w+)\s*(?=(?:负责|主管|维护|带领|管理|分管)(?:{_HAN}|[A-Za-z]))",
    needs=" own| lead| maintain| manage| runs | heads | chairs | is ",
)
_HOW = bilingual(
    r".+ (?:is|are|gets?) (?:versioned|sorted|ordered|identified|keyed|authenticated|authori[sz]ed|encrypted|hashed|signed"
    r"|licen[sc]ed|formatted|seriali[sz]ed|encoded|compressed|partitioned|sharded|rounded|paginated|deployed|hosted|built"
    r"|bundled|packaged|managed|written|stored|rendered|monitored|provisioned|tested|published|sent|billed)"
    r" (?:by|under|with|via|using|as|in|on|to|from|through) (?P<v>(?:the |an? )?[^\s,;]+(?: [^\s,;]+){0,2})"
    r"|(?:we|the team|everyone) (?:always )?(?:deploy|build|test|lint|format|bundle|package|authenticate|monitor|release|host"
    r"|sign|version|provision|(?:do|hold|write) [\w-]+)(?: [\w-]+){0,3}? (?:with|to|via|using|through|on|from) (?P<v2>(?:the )?[^\s,;]+(?: [^\s,;]+)?)"
    r"|.+ (?:is|are|lives?) (?:in|on|at) (?P<v4>(?-i:[A-Z])[\w-]+)"
    r"|.+ runs? against (?P<v6>(?:the |an? )?[^\s,;]+(?: [^\s,;]+){0,2})",
    rf".*(?:服务器|机房|数据中心|办公室|总部|集群|团队)在(?P<v5>{_HAN}{{2,4}})"
    r"|.+?(?:叫做?|名为|命名为)\s*(?P<v3>[\w./-]+)",
    needs=" is | are | get|we |team |everyone | live| run",
)
# What somebody does with a thing says how it is: “Store sessions in Redis”, “We rewrote the shop in Go”.
_DONE = {
    "store": "stored", "keep": "stored", "save": "stored", "persist": "stored", "put": "stored", "cache": "cached", "track": "tracked",
    "rewrote": "written", "ported": "written", "rebuilt": "written", "build": "built", "host": "hosted", "send": "sent",
}  # fmt: skip
_DOES = bilingual(
    rf"(?:(?:we|the team|everyone)(?:['’]ve| have)? )?(?:now |always )?(?P<do>{'|'.join(_DONE)}) (?:all )?(?:the |our )?"
    r"(?P<s>[a-z][\w-]*(?: [\w-]+){0,3}?) (?P<how>(?:in|on|at|as|with|to|through|via) [^,;]+)"
    r"|(?P<s2>.+) (?:lives? in|(?:go|goes) (?:in)?to|(?:is|are) (?:now )?(?:kept|saved|persisted|put) (?:in|on|at|as)) (?P<v>[^,;]+)"
    r"|(?:we )?(?:name|call) (?:all )?(?:the |our )?(?P<s3>[a-z][\w-]*(?: [a-z][\w-]*){0,2}) (?P<name>[\w.-]*[-/._][\w./-]+)",
    needs="|".join([*_DONE, "live", "goes ", "go ", "kept", "saved", "name ", "call "]),
)
# Where a thing is: it is in one place, of whatever family.
_PLACED = bilingual(
    r"(?P<s>.+) (?:is|are) (?:now )?(?P<how>stored|cached|tracked) (?:in|on|at|to) (?:the )?"
    r"(?P<v>(?!(?:mind|place|sync|check|order|touch|line|step|shape|least|most|all)\b)[^\s,;]*[^\W\d][^\s,;]*(?: [^\s,;]+)?)",
    needs=" stored | cached | tracked ",
)
_NOT = Pattern(
    r",? (?:and |but )?(?:not|never|instead of|rather than) [\w.+#-]+(?: [\w.+#-]+)?$|[，,]\s*(?:而不是|不用|不是|不要用)\s*[\w.+#-]+$"
)
# Who has one of these can have another one too.
HAS_MANY = Pattern(
    r"\b(?:supports?|accepts?|includes?|contains?|provides?|knows?|reads?|export\w*|import\w*|depends? on|talks? to|tried"
    r"|allows?|installs?|such as|similar|like|and|or|also|not|never|no|without|don['’]?t|avoid|migrat\w+|switch\w*|replac\w+"
    r"|from)\b|支持|兼容|包含|包括|提供|接受|依赖|不|没|别|和|或|也|还",
    re.I,
)
_ALSO_WORDS = frozenset(
    "rest express black go requests fetch moment space tab merge rebase squash ruff uv fly linear teams slack".split()
)
_ONLY_NAMES = [name for name in _FAMILY if name not in _ALSO_WORDS]
_FAMILY_NAMES = bilingual(
    r"(?<![\w.-])(?:"
    + "|".join(
        re.escape(name).replace(r"\-", "[ -]")
        for name in sorted(_ONLY_NAMES, key=len, reverse=True)
    )
    + r")s?(?![\w-])(?:\s+v?\d+(?:\.\d+|\.x)*)?",
    needs="|".join(name.partition("-")[0] for name in _ONLY_NAMES),
    flags=re.I | re.A,
)
_GAP, _PLACE = "qqq", "place"
# "Write comments in English" is "comments are in English".
_NO_CONTENT = frozenset("always must should are is be write written".split())
_NO_CONTENT_OF_NAMES = _NO_CONTENT | {"built", "made", "based", "in", "with", "on"}
_NO_SUBJECT = Pattern(
    r"\b(?:we|i|the team|everyone|uses?|using|go|with|to|switch|now|only|instead)\b|我们|大家|团队|项目|使用|采用|改用|统一|用|的|是|\W",
    re.I,
)


def slots_of(plain: str) -> list[Slot]:
    """The gaps of a readable claim, with what fills them."""
    said = state_of(_NOT.sub("", plain))
    if HAS_MANY.search(said):
        return []
    spans = [(_span(found), UNSURE) for found in (_WHO.match(said), _HOW.fullmatch(said)) if found]
    times = [[match.span() for match in form.finditer(said)] for form in (_DAY, _OFTEN)]
    names = [match.span() for match in _FAMILY_NAMES.finditer(said)]
    spans += [(found[0], UNSURE) for found in times if len(found) == 1]
    spans += [(names[0], SURE)] if len(names) == 1 else []
    slots = []
    for (start, end), certainty in spans:
        if _NO_SUBJECT.sub("", said[:start] + said[end:]):
            words = claim_key(f"{said[:start]} {_GAP} {said[end:]}").split()
            light = _NO_CONTENT if certainty == UNSURE else _NO_CONTENT_OF_NAMES
            key = " ".join(word for word in words if word not in light)
            slots.append(Slot(key, claim_key(said[start:end]), certainty))
    if placed := _PLACED.fullmatch(said):
        key = f"{_PLACE} {near_key(placed['s'])} {placed['how'].casefold()}"
        slots.append(Slot(key, claim_key(placed["v"]), UNSURE))
    return slots


def state_of(plain: str) -> str:
    """A claim of what is done with a thing as one of how the thing is; any other claim as it is."""
    found = _DOES.fullmatch(plain)
    if not found:
        return plain
    if found["do"]:
        return f"{found['s']} are {_DONE[found['do'].casefold()]} {found['how']}"
    if found["name"]:
        return f"{found['s3']} are named {found['name']}"
    return f"{found['s2']} are stored in {found['v']}"


def days_in(text: str) -> list[str]:
    """The days of the week that a text names, as it names them."""
    return [match[0] for match in _DAY.finditer(text)]


def _span(found: re.Match[str]) -> tuple[int, int]:
    return next(found.span(name) for name, value in found.groupdict().items() if value)


_AT = Pattern(
    r" (?:stored|hosted|deployed|live|run|go|located|point|owned|maintained|managed)(?: \w+)?$|[在到存进由人]$"
)


def is_place(subject: str) -> bool:
    """Whether a subject, with the verb of its value, says where the thing is, or whose."""
    return bool(_AT.search(subject))


def slots_clash(one: Slot, other: Slot) -> str:
    """How sure it is that two slots exclude each other: sure, unsure, or nothing."""
    if one.key != other.key or is_same_name(one.value, other.value):
        return ""
    values = set(one.value.split()), set(other.value.split())
    if values[0] <= values[1] or values[1] <= values[0]:
        return ""  # the same, or one of them only says more
    first, second = (family_of(versioned(slot.value)[0]) for slot in (one, other))
    if first is None or second is None or one.key.startswith(f"{_PLACE} "):
        return UNSURE
    return SURE if first == second else ""


# -------------------- Numbers in words, and times of day.


_NUMERALS: dict[str, int] = {
    word: n
    for words in (
        "- - two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen",
        "- - 两 三 四 五 六 七 八 九 十 十一 十二",
    )
    for n, word in enumerate(words.split())
    if word != "-"
} | {"one": 1, "一": 1, "二": 2, "twenty": 20, "thirty": 30, "forty": 40, "sixty": 60, "ninety": 90}
_NUMERAL = bilingual(
    r"(?<![-\w])(?:"
    + "|".join(word for word in _NUMERALS if word.isascii() and word != "one")
    + r")(?![-\w])"
    r"|(?<=needs )one\b|(?<=need )one\b|(?<=requires )one\b|(?<=require )one\b|(?<=least )one\b|(?<=most )one\b|(?<=exactly )one\b"
    r"|one(?= (?:second|minute|hour|week|month|year)s?\b)",
    r"一(?=小时|分钟|个月|个?人(?:审|批|评|看))"
    r"|(?<=需要|至少|最多)一(?=个|人|名|位)|(?<![周拜第一二三四五六七八九十])(?<!星期)(?:十[一二]|[两二三四五六七八九十])(?=年|天|小时|分钟|秒|次|个|人|点|周(?![一二三四五六日]))",
    needs="|".join(word for word in _NUMERALS if word.isascii()),
)
# When something happens on a day: what runs at two may run at fourteen as well.
_O_CLOCK = Pattern(
    r"\bat (\d{1,2})(?::\d\d)?(?= ?(?:am|pm|o['’]clock)?\b)(?! ?(?:%|percent|\w+s\b))|(\d{1,2})(?: ?点|[:：]\d\d)"
)
SAME_TIME = 6  # hours between two wordings that can mean the same run
DURATION = Pattern(
    r"(?<![\w.])(\d+(?:\.\d+)?) ?-?(ms|(?:milli)?seconds?|secs?|minutes?|mins?|hours?|days?|weeks?|months?|years?"
    r"|毫秒|秒钟?|分钟|小时|天|周|个月|年)(?![A-Za-z])",
    re.I,
)
_MONTHS = {"month": 1, "个月": 1, "year": 12, "年": 12}


def duration_in(found: re.Match[str]) -> str:
    """A length of time in milliseconds or months, so that any two can be compared."""
    unit = found[2].casefold()
    if months := _MONTHS.get(unit.removesuffix("s")):
        return f"{round(float(found[1]) * months)} month"
    _, seconds = _UNITS.get(unit) or _UNITS[unit.removesuffix("s")]
    return f"{round(float(found[1]) * seconds * 1000)} time"


def in_digits(text: str) -> str:
    """The text with its numerals as digits: `seven years`, 七年."""
    return _NUMERAL.sub(lambda match: str(_NUMERALS[match[0].casefold()]), text)


def hour_in(text: str) -> int | None:
    """The hour of the first time of day in a text."""
    clock = _O_CLOCK.search(text)
    return int(clock[1] or clock[2]) if clock else None


# -------------------- A change from one thing to another, as a choice between them.


CHANGED = Pattern(
    r"^(?:we (?:have |['’]?ve )?)?(?:now )?(?:switch(?:ed)?|(?:move|migrate|change)d?)(?: over)? from (?P<old>[\w.+#-]+) to (?P<new>[\w.+#-]+)(?: after all)?(?:, (?:the|it|they|which)\b[^,;]*$|(?=$|,| for ))"
    r"|^(?P<gone>[\w.+#-]+) (?:is|are) (?:no longer|not) used(?P<use> for [^,;]+?)?[;,.] (?:we |please )?(?:now )?use (?P<now>[\w.+#-]+)(?: instead)?$",
    re.I,
)


def as_choice(found: re.Match[str]) -> str:
    """`switch from Stripe to Adyen for payments` as `use Adyen instead of Stripe`."""
    if found["new"]:
        return f"use {found['new']} instead of {found['old']}"
    return f"use {found['now']} instead of {found['gone']}{found['use'] or ''}"
