"""Read what a claim says is so, and what it says is used, as frames: English and Chinese."""

from __future__ import annotations

import re
from functools import lru_cache

from recollect._fastimport import NamedTuple, Pattern
from recollect.model.claim_key import claim_key, near_key
from recollect.model.values import bilingual, family_of, versioned
from recollect.text.sentences import has_han

ADDED = bilingual(
    r"\b(?:also|as well|too|additionally|another|both|in addition|alongside|besides|together with)\b",
    r"也|还(?!是)|另外|同时|以及|再加",
)
_HERE = bilingual(
    r"\b(?:in|for|of) (?:this|our|the) (?:repo|repository|project|codebase|team|company)\b|\beverywhere\b"
    r"|\b(?:now|currently|from now on|by default|anymore|any more|any longer)\b",
    r"(?:在)?(?:本|这个|我们的)?项目(?:里|中)[，,]?|现在|目前",
)
_SCOPE_FIRST = bilingual(
    r"((?:in|on|for|at|during|when|whenever|while|before|after|under|if|with|inside|outside) [^,]{1,80}),\s*(?=\S)",
    r"((?:在|当|对于?|对)[^，,。]{1,24}?(?:里|中|上|时|下|环境|阶段|前|后|内|来说)?)[，,]\s*"
    r"|(在?[^，,。是用]{1,16}?(?:环境|测试|文件|脚本|分支|代码)?(?:里|中|上|时|环境下?)[，,]?)(?=(?:使用|采用|不|别|禁止|必须|都|用|可以|总是|应)\S)",
)
_SCOPE_LAST = bilingual(
    r"\s((?:(?:during|when|whenever|while|before|after|if|until|without) "
    r"|(?:in|on|under|inside|outside|within|for|at|from) (?!(?:port|favor|place|charge|least|most|all)\b|[^.]* (?:is|are|=) ))"
    r"\D.*)$",
)


@lru_cache(maxsize=16)  # who reads a claim asks twice
def without_scope(plain: str) -> tuple[str, str]:
    """`(rest, scope)`: a claim without the words that say where or when it holds."""
    plain = _HERE.sub(" ", plain).strip(" ,，")
    scopes = []
    if first := _SCOPE_FIRST.match(plain):
        scopes.append(first[first.lastindex or 0])
        plain = plain[first.end() :]
    if last := _SCOPE_LAST.search(plain):
        scopes.append(last[1])
        plain = plain[: last.start()]
    return " ".join(plain.split()), " ".join(near_key(scope) for scope in scopes)


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

_IS = r"is set to|are set to|is now|are now|(?:is|are) (?:called|named)|defaults to|default to|equals|must be|should be|is|are|=|:"
_IN = (
    r"is written in|are written in|is hosted (?:on|at|in|by)|is deployed (?:to|on|in|with)|runs on|run on|lives? in|is stored in|are stored in"
    r"|is owned by|is maintained by|points to|belongs to|is built with|is managed by|are managed by|goes to|go to|starts? at|is located (?:in|at)"
)
_VALUE_EN = bilingual(
    rf"(?:the |our |its |my |a |an )?(?P<s>[\w`][\w` ./'-]{{0,60}}?)\s*(?:(?<=\s)(?P<in>{_IN})(?=\s)|(?P<is>(?<=\s)(?:{_IS})(?=\s)|:(?=\s)|=))"
    r"\s*(?P<no>not |no longer )?(?:the |a |an |still )?(?P<v>\S.{0,60})",
    needs=":|=|is|are|default|equals|must be|should be|run|live|belongs to|points to|go|start",
)
_PORT_EN = bilingual(
    r"(?:the |our )?(?P<s>[\w -]{1,40}?) (?:runs|listens|is listening|is running|is served|serves|is exposed|is available) on (?:port )?(?P<v>\d{2,5})",
    needs=" on ",
)
_OF = Pattern(r"([\w-]+(?: [\w-]+)?) (?:of|for) (?:the |our |a )?(.+)", re.I)
_VAGUE = bilingual(
    r"^(?:it|this|that|these|those|there|he|she|they|we|you|i|what|which|who|one|everything|nothing|something|here|the (?:problem|issue|reason|idea|result|fix|bug|error|cause|answer))\b"
    r"|\b(?:and|or|which|that|who)\b",
)
_WHO = r"(?:(?:we|i|the team|our team|everyone|this (?:project|repo|repository|team)|the (?:project|repo|team))\s+)?"
_MODES = r"(?:(?:will|shall|always|now|only|should|must|have to|all|still|currently|want to|going to)\s+)*"
_NO = r"(?P<no>(?:do(?:es)? not|don['’]?t|doesn['’]?t|never|no longer|avoid|stop|must not|should not|will not|won['’]t|not)\s+(?:ever\s+)?)?"
_USE = r"(?:(?:(?:go|going|switch|move|come) )?back to|return to|revert to|uses?|using|adopt(?:s|ing)?|go with|switch(?:ed)? to|mov(?:e|ed) to|migrated? to|stick (?:with|to)|standardi[sz]e on|prefers?|pick|choose|chose)"
_NAMED = r"[\w`@.+#/-]+(?: [\w`@.+#/-]+){0,3}?"
_USE_EN = bilingual(
    rf"(?:{_WHO}{_MODES}{_NO}{_MODES}|(?:the |our )(?P<p>[\w -]{{2,30}}?) {_MODES}(?P<no2>does not |doesn['’]t |no longer )?){_USE}\s+(?:the |a |an )?(?P<n>{_NAMED})"
    r"(?:\s+(?:for|to)\s+(?P<for>[^,;]{2,50}?))?(?P<instead>\s+instead)?"
    rf"(?:(?:\s+instead of|\s+rather than|\s+over|,?\s+(?:and |but )?(?:not|never))\s+(?P<other>{_NAMED}))?(?:\s+for\s+(?P<for2>[^,;]{{2,50}}))?",
    needs="back to|return to|revert to|use|using|adopt|go with|switch|mov|migrate|stick |standardi|prefer"
    "|pick|choose|chose",
)
_CHANGE_EN = bilingual(
    rf"{_WHO}(?:have\s+)?(?:replaced?|dropped|drop|switch(?:ed)? from|mov(?:e|ed) from|migrated? from)\s+(?P<other>{_NAMED})\s+"
    rf"(?:with|by|to|for|in favor of)\s+(?P<n>{_NAMED})",
    needs="replace|drop|switch|move|migrate",
)
# “Install packages with yarn”, “We switched the queue to Kafka”, “CI moved to CircleCI”.
_WITH_EN = bilingual(
    rf"{_WHO}{_MODES}{_NO}(?P<p>(?:install|build|test|lint|format|deploy|bundle|manage|host|publish|serve|render|parse|validate|send"
    rf"|monitor|generate|compile|sign|hash|encrypt) [\w -]{{2,30}}?) (?:with|using|via|through) (?P<n>{_NAMED})(?P<instead>\s+instead)?",
    needs=" with | using | via | through ",
)
_MOVED_EN = bilingual(
    rf"{_WHO}(?:(?:have|['’]ve)\s+)?(?:switched|moved|changed|migrated) (?:the |our )?(?P<p>[\w -]{{2,30}}?) (?:over )?"
    rf"(?:from (?P<other>{_NAMED}) )?to (?P<n>{_NAMED})"
    rf"|(?:the |our )?(?P<p2>[\w -]{{2,30}}?) (?:(?:has|have|was|were)(?: been)? )?(?:switched|moved|changed|migrated) (?:over )?"
    rf"(?:from (?P<other2>{_NAMED}) )?to (?P<n2>{_NAMED})",
    needs="switched|moved|changed|migrated",
)
_AVOID_EN = bilingual(
    rf"(?:avoid|drop|no) (?P<n>[\w`@.+#/-]+)|(?P<n2>{_NAMED}) (?:is|are) (?:forbidden|banned|not allowed|deprecated here)",
)

# ------------------------------------------------------------------------------- Chinese

_WHO_ZH = r"(?:(?:我们|大家|团队|本项目|项目|这个项目)(?:里|中|都|统一|一律|现在|已经|决定|就)*)?"
_NO_ZH = r"(?P<no>永远不要|绝不|不要再|不要|不再|不应该|不能|禁止|严禁|请勿|别再|别|不准|不许|不)?"
_USE_ZH_VERB = r"(?:继续|统一|一律|改为|都|必须|总是|只)*(?:使用|采用|改用|换用|选用|换成|改成|改为|用回|换回|改回|切回|退回|用的是|用)"
_NAMED_ZH = r"[A-Za-z0-9_@.+#/-]+(?: [A-Za-z0-9][A-Za-z0-9_.+#-]*)?"
_USE_ZH = Pattern(
    rf"(?:{_WHO_ZH}{_NO_ZH}|(?P<p>(?-i:[\u4e00-\u9fffA-Za-z ]){{2,16}}?)(?P<no2>不再|不)?){_USE_ZH_VERB}\s*(?P<n>[A-Za-z]{_NAMED_ZH}|[A-Za-z]|(?-i:[\u4e00-\u9fff]){{2,6}}?)(?:\s*(?:格式|框架|协议|语言))?"
    r"\s*(?:(?:来)?(?:做|作为|当|管理|处理|存储?|存放|保存|表示|计算|记录|写|跑|装|安装|发送?|测试|实现|开发|构建|部署)(?P<for>(?-i:[\u4e00-\u9fffA-Za-z ]){2,16}?))?"
    rf"(?P<tail>打包|构建|部署|编译|渲染|编写|管理|存储|保存|表示|计算|记录|测试|回答)?(?:存|写|跑|装|安装|实现|开发)?了?(?P<instead>吧|代替|替代)?(?:[，,、]?\s*(?:而不是|不要用|别用|不用|不使用|不再用|代替|替代|取代)\s*(?P<other>{_NAMED_ZH}))?",
    re.I,
)
_SWITCH_ZH = Pattern(
    rf"{_WHO_ZH}(?:把|将|从)\s*(?P<other>[A-Za-z]{_NAMED_ZH})\s*(?:换成|改成|替换为|替换成|迁移到|切换到|换为|改为)了?\s*(?P<n>[A-Za-z]{_NAMED_ZH})"
)
_VALUE_ZH = Pattern(
    r"(?P<s>[\u4e00-\u9fffA-Za-z0-9_ ./-]{1,30}?)\s*(?P<no>不是|不再是)?(?P<is>现在叫|叫做?|名为|现在是|已?改为|已?改成|设置为|设为|定为|调整为|调成|默认为|默认是|用的是|等于|是|为(?!了)|=|：|:)"
    r"(?P<v>[^，,；;]{1,40})"
)
_IN_ZH = Pattern(
    r"(?P<s>[\u4e00-\u9fffA-Za-z0-9_ ./-]{2,30}?)\s*(?P<in>部署在|运行在|跑在|存放在|放在|存储在|存储到|存放到|存在|存到|存进|(?<![保缓库内留生储共依贮封寄结])存(?=\s*[A-Za-z])|放到|传到|上传到|发到|位于|监听|由|现在归|归|迁移?到|搬到|切换?到|挪到)"
    r"\s*(?P<v>[^，,；;]{1,40}?)(?:来?负责|来?维护|来?管理?|端口|上|里|中)?了?"
)
_VAGUE_ZH = Pattern(
    r"^(?:这|那|它|他|她|我|你|问题|原因|结果|目的|主要|就|也|还|但|可|只|都|一|如|最)|(?:的话|时|时候|还|就|不|可能|应该|都|也|只|总|要)$|和|或|以及"
)
_LIST = Pattern(r"\s(?:and|or)\s|[,，、]|和|或|以及|\s&\s|/(?=\w+/)")


def frames_of(plain: str) -> tuple[Frame, ...]:
    """The frames of a readable claim."""
    added = bool(ADDED.search(plain))
    core, scope = without_scope(plain)
    if has_han(plain):
        return _chinese(core, scope, added=added)
    return _english(plain, core, scope, added=added)


def _english(plain: str, core: str, scope: str, *, added: bool) -> tuple[Frame, ...]:
    if change := _parts(_CHANGE_EN, plain):
        return _uses(change["n"], change["other"], "", "", firm=True)
    readings = dict.fromkeys(((plain, ""), (core, scope)))  # a purpose looks like a scope
    for text, where in readings:
        if use := _parts(_USE_EN, text):
            purpose, firm = use["for"] or use["for2"] or use["p"], bool(_FIRM.search(text))
            return _used(use, purpose, where, firm=firm, added=added)
    if chosen := _english_choice(core, scope, added=added):
        return chosen
    if avoid := _parts(_AVOID_EN, core):
        return (_use(avoid["n"] or avoid["n2"], "", scope, negative=True),)
    if port := _parts(_PORT_EN, core):
        return _value(f"{port['s']} port", port["v"], scope, single=True)
    found = _english_value(plain, "", only_places=bool(scope))
    return found if found or len(readings) == 1 else _english_value(core, scope)


def _english_choice(core: str, scope: str, *, added: bool) -> tuple[Frame, ...]:
    """What something is done with, or was moved to."""
    if use := _parts(_WITH_EN, core):
        negative, firm = bool(use["no"]), bool(use["instead"])
        return (_use(use["n"], use["p"], scope, negative=negative, firm=firm, added=added),)
    moved = _parts(_MOVED_EN, core) or {}
    name, purpose, old = (moved.get(n) or moved.get(f"{n}2", "") for n in ("n", "p", "other"))
    # A tool or a service is meant, and no path: files are moved, too.
    is_tool = "/" not in name and (name[:1].isupper() or family_of(name) is not None)
    if not name or not is_tool or _VAGUE.search(purpose):
        return ()
    return _uses(name, old, purpose, scope, firm=True)


_FIRM = bilingual(r"\bonly\b|\b(?:back|return|revert) to\b")
_FIRM_ZH = Pattern(r"只用|统一|[用换改切退]回")
_REPLY_ZH = Pattern(r"回复|答复|回覆")


def _parts(pattern: Pattern, text: str) -> dict[str, str] | None:
    """The named parts of a match of the whole text, those that are not there empty."""
    found = pattern.fullmatch(text)
    return found.groupdict("") if found else None


def _used(
    use: dict[str, str], purpose: str, scope: str, *, firm: bool, added: bool
) -> tuple[Frame, ...]:
    """What is used, or not, by the named parts of `_USE_EN` or `_USE_ZH`."""
    if use["no"] or use["no2"]:
        return tuple(_use(name, purpose, scope, negative=True) for name in _names(use["n"]))
    firm = firm or bool(use["instead"] or use["other"])
    return _uses(use["n"], use["other"], purpose, scope, firm=firm, added=added)


def _english_value(text: str, scope: str, *, only_places: bool = False) -> tuple[Frame, ...]:
    found = _parts(_VALUE_EN, text)
    if not found or _VAGUE.search(found["s"]) or _LIST.search(found["v"]):
        return ()
    place = found["in"].casefold()
    if only_places and not place:
        return ()  # the scope is no part of the value
    subject, is_not = _OF.sub(r"\2 \1", found["s"].strip()), bool(found["no"])
    return _value(f"{subject} {place}", found["v"], scope, negative=is_not, single=bool(place))


def _chinese(core: str, scope: str, *, added: bool) -> tuple[Frame, ...]:
    core = _REPLY_ZH.sub("回答", core)
    if change := _parts(_SWITCH_ZH, core):
        return _uses(change["n"], change["other"], "", scope, firm=True)
    use = _parts(_USE_ZH, core)
    if use and not _VAGUE_ZH.search(use["p"]):
        replies = "回答" if use["tail"] == "回答" else ""
        purpose = (use["p"] or use["for"] or replies).strip()
        if use["p"] and not scope and not replies:
            scope = near_key(use["tail"])  # 前端用 Vite 打包 and 前端用 Playwright 测试
        return _used(use, purpose, scope, firm=bool(_FIRM_ZH.search(core)), added=added)
    for form in (_IN_ZH, _VALUE_ZH):
        found = _parts(form, core)
        if found and not _VAGUE_ZH.search(found["s"].strip()) and not _LIST.search(found["v"]):
            place, is_not = found.get("in", ""), bool(found.get("no"))
            subject = found["s"].strip() + _PLACES.get(place, place)
            return _value(subject, found["v"], scope, negative=is_not, single=bool(place))
    return ()


# Words for the same: what is moved to a place is there.
_PLACES = {"监听": "端口"} | dict.fromkeys(("由", "归", "现在归"), "负责人")
_PLACES |= dict.fromkeys(
    ("部署在", "运行在", "跑在", "迁到", "迁移到", "搬到", "切到", "切换到"), "在"
)


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


def uses_of(names: str, others: str, purpose: str) -> tuple[Frame, ...]:
    """What somebody chose, for a purpose, and what they turned down for it."""
    chosen = _uses(names, None, purpose, "", firm=True)
    return (*chosen, *(_use(name, purpose, "", negative=True) for name in _names(others)))


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
    purpose = near_key(purpose) if purpose else ""
    return Use(claim_key(bare), version, purpose, negative, firm, added, scope)
