"""Compare the values of two claims: quantities, versions, names, opposites.

Equal values in different units, or a more detailed value, never conflict.
"""

from __future__ import annotations

import re

from recollect._fastimport import Pattern
from recollect.model.claim_key import claim_key

SURE, UNSURE = "sure", "unsure"

_UNITS = {
    "ms": ("time", 0.001), "millisecond": ("time", 0.001), "毫秒": ("time", 0.001),
    "s": ("time", 1), "sec": ("time", 1), "second": ("time", 1), "秒": ("time", 1), "秒钟": ("time", 1),
    "m": ("time", 60), "min": ("time", 60), "minute": ("time", 60), "分钟": ("time", 60), "分": ("time", 60),
    "h": ("time", 3600), "hour": ("time", 3600), "小时": ("time", 3600), "day": ("time", 86400),
    "d": ("time", 86400), "天": ("time", 86400), "日": ("time", 86400), "week": ("time", 604800), "周": ("time", 604800),
    "kb": ("size", 1e3), "mb": ("size", 1e6), "gb": ("size", 1e9), "tb": ("size", 1e12), "%": ("share", 1),
}  # fmt: skip
_QUANTITY = re.compile(
    r"(about|at least|at most|under|over|below|above|less than|more than|up to|within|around|至少|最多|不超过|超过|少于|大约|约)?\s*"
    r"(?:port\s+|端口\s*)?(\d+(?:[.,]\d+)*)\s*([A-Za-z%\u4e00-\u9fff]*)"
)
_VERSIONED = re.compile(r"(.*?)\s*\bv?(\d+(?:\.\d+|\.x)*)")

# What people choose one of. A name may stand in one family only.
_FAMILIES = [
    family.split()
    for family in (
        "npm pnpm yarn bun", "tab space 制表符 空格", "postgresql postgres mysql mariadb sqlite oracle mssql cockroachdb",
        "redis memcached valkey dragonfly", "jest vitest mocha ava", "pytest unittest nose",
        "flask django fastapi starlette", "react vue svelte angular solid", "webpack vite rollup parcel esbuild",
        "pip poetry uv pipenv conda pdm", "black ruff-format yapf autopep8", "flake8 pylint ruff",
        "eslint biome tslint", "rest graphql grpc soap", "rabbitmq kafka nats sqs", "docker podman",
        "gitlab github bitbucket gitea", "jenkins circleci travis github-actions", "terraform pulumi cloudformation",
        "aws gcp azure", "merge rebase squash", "camelcase snake_case kebab-case pascalcase", "maven gradle bazel",
        "moment date-fns dayjs luxon", "axios fetch ky", "requests httpx aiohttp", "redux zustand mobx jotai",
        "bcrypt argon2 scrypt pbkdf2", "jwt session-cookie", "mit apache-2.0 gpl bsd", "express koa fastify hapi",
        "junit testng", "log4j logback", "prisma typeorm sequelize drizzle", "cypress playwright selenium",
        "tailwind bootstrap bulma", "utc cet est pst", "monorepo polyrepo", "javascript typescript",
    )
]  # fmt: skip
_FAMILY = {name: n for n, family in enumerate(_FAMILIES) for name in family}
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
_SINGLE = frozenset(
    """port host hostname url endpoint branch version license licence timezone region owner maintainer path
    directory folder format protocol encoding username email domain bucket address login
    端口 主机 地址 分支 版本 许可证 时区 区域 负责人 路径 目录 格式 协议 编码 域名 用户名""".split()
)
_SINGLE_NAMED = frozenset(
    """database db framework language backend frontend store cache queue broker orm linter formatter bundler
    editor provider runner manager server client storage library tool platform runtime
    数据库 框架 语言 后端 前端 缓存 队列 消息队列 工具 平台 包管理器 存储 服务器""".split()
)
_NO_NAME = re.compile(
    r"(?:ed|able|ible|ing|ful|less|ous|ive|ly)$|^(?:slow|fast|big|small|wrong|right|open|closed|up|down|old|new"
    r"|free|busy|public|private|unknown|missing|fine|ok|good|bad|safe|here|there|empty|full|in|on|at|too|very|not|part)\b",
    re.I,
)
_PROPER = re.compile(r"[A-Z][\w.+#-]*|\S*\d\S*|\S*[_/.@]\S+|`")


def family_of(name: str) -> int | None:
    """The number of the family of alternatives that a name belongs to."""
    low = name.casefold().strip("`")
    found = _FAMILY.get(low, _FAMILY.get(low.replace(" ", "-")))
    return _FAMILY.get(low.removesuffix("s")) if found is None else found


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
    if claim_key(name) == claim_key(other_name):
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
    if (
        max(map(len, words)) > 12
        or set(words[0]) <= set(words[1])
        or set(words[1]) <= set(words[0])
    ):
        return ""  # one of them only says more
    if any(len(name.split()) > 3 or _is_no_name(name) for name in (one, other)):
        return ""
    proper = bool(_PROPER.match(one) and _PROPER.match(other))
    if is_headed(subject, _SINGLE):
        return SURE
    if proper and is_headed(subject, _SINGLE_NAMED):
        return SURE
    return UNSURE if proper else ""


def _is_no_name(name: str) -> bool:
    return not name[:1].isupper() and bool(_NO_NAME.search(name))


def is_headed(subject: str, heads: frozenset[str]) -> bool:
    """Whether a subject ends with one of these words."""
    words = subject.split()
    if words and words[-1] in heads:
        return True
    tail = subject.replace(" ", "")
    return any(tail.endswith(head) for head in heads if not head.isascii())


# -------------------- Conflicts: regular expressions to which capital and small letters are the same.


class Wording:
    """A pattern in English, and one in Chinese that is tried only where there is more than ASCII."""

    __slots__ = ("_any", "_small")

    def __init__(self, english: str, chinese: str = "") -> None:
        """The English one is written in small letters."""
        self._small = Pattern(english)
        self._any = Pattern(f"{english}|{chinese}" if chinese else english, re.I)

    def search(self, text: str) -> re.Match[str] | None:
        """The first match anywhere in the text; what it quotes may be in small letters."""
        return self._small.search(text.lower()) if text.isascii() else self._any.search(text)

    def match(self, text: str) -> re.Match[str] | None:
        """The match at the start of the text; what it quotes may be in small letters."""
        return self._small.match(text.lower()) if text.isascii() else self._any.match(text)

    def parts(self, text: str) -> dict[str, str] | None:
        """The named parts of a match of the whole text, those that are not there empty."""
        is_plain = text.isascii()
        pattern = self._small if is_plain else self._any
        found = pattern.fullmatch(text.lower() if is_plain else text)
        if not found:
            return None
        spans = {name: found.span(name) for name in found.re.groupindex}
        return {name: text[max(0, start) : max(0, end)] for name, (start, end) in spans.items()}

    def replaced(self, text: str, new: str) -> tuple[str, int]:
        """The text with `new` in place of all matches, and how many there were."""
        if not text.isascii():
            return self._any.compiled.subn(new, text)
        kept: list[str] = []
        at = 0
        for found in self._small.finditer(text.lower()):
            kept.append(text[at : found.start()])
            at = found.end()
        return (new.join([*kept, text[at:]]), len(kept)) if kept else (text, 0)
