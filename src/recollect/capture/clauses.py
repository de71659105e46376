"""Statements that are one clause of a sentence, which as a whole asks, corrects or tells more.

`can you add the column, and remember migrations have to be reversible` rules something at its end. Each
clause has to state it in words that leave no doubt; what is asked for behind it is cut off.
Pure. English and Chinese.
"""

from __future__ import annotations

from recollect._fastimport import IGNORE_CASE, Iterator, NamedTuple, Pattern
from recollect.text.sentences import has_han

LONGEST_READ = 400  # characters of a sentence
SHORTEST_REST = 12  # letters that are left of a statement before what is cut off


class Clause(NamedTuple):
    """What a clause states, from `start` on in its sentence up to `end`."""

    start: int
    end: int
    is_rule: bool


# -------------------- What is asked for behind a statement.

_OBJECT = r"(?:it|this|that|them|these|those|yours?|the|an?|my|our|all the)\b"
_TASK = (
    r"(?:add|adjust|batch|change|check|clean|correct|delete|do|drop|find|fix|go|leave|make|migrate|move|pick|put|redo|refactor|remove"
    r"|rename|replace|replan|rerun|restore|revert|rewrite|run|swap|switch|take|try|undo|update|wire|write)"
)
_REQUEST_EN = Pattern(
    rf"(?:[,;]\s+|\s(?=so\s))(?:(?:so|and|then|now|please|pls|just|also)\s+)*(?:{_TASK}\s+{_OBJECT}(?!.*\b(?:always|never|each|every|only|whenever|unless|before|after|not|instead)\b)"
    r"|redo\b|rewrite\b|(?:move|go|carry) on\b|continue\b|(?:can|could|would) you\b|(?:that|this|which)['’]?s (?:is )?why\b|(?:so )?do(?:n['’]?t| not) (?:worry|bother)\b).*$",
    IGNORE_CASE,
)
# What needs what stands behind it: `when you add a column, update the docs`.
_NEEDS_REST = Pattern(
    r"(?:if|when|whenever|once|before|after|every|each|for|in|on|at|instead|to|unless|with|as|from|always|never)\b|.*:",
    IGNORE_CASE,
)
_DEPENDS = Pattern(r"\b(?:if|when|whenever|once)\b", IGNORE_CASE)
_AND_SO_ON = Pattern(r"[,;]\s+(?:and|or)\s", IGNORE_CASE)  # the last one of several
_REQUEST_ZH = Pattern(
    r"[，,；;](?:再|就|麻烦|请|帮我|这里|这个)*(?:改|修|换|调|处理|更新|调整)(?:一下|一个|下|掉)[吧。]?$"
    r"|[，,；;]把[^，,；;]{1,20}(?:去掉|删掉|删了|改一下|改掉)[吧。]?$|[，,；;]这[个里][^，,；;]{0,6}(?:写错|弄错|错|不对)了?[。]?$"
)


# What is said to the listener behind a statement.
_ASIDE_ZH = Pattern(
    r"[，,；;](?:(?:或者)?[你您](?!们|才)|麻烦|帮我|谢谢|这\d|类似|可以吗|好吗|看下|顺便|所以[^，,]*(?:这个|那个|你)|请(?:你)?(?:实现|修改|开始|继续|处理)).*$"
    r"|[，,；;](?:重新\S{1,6}|把\s?\S{1,20}?(?:去掉|删掉|删了|改掉|改了|改回[来去]|改一下))[吧。]?$"
)
_ASIDE_EN = Pattern(
    r",? (?:so (?:you can|you could|feel free to|go ahead and)|(?:so|and) (?:can|could) you) (?!always\b|never\b|only\b|use\b).*$",
    IGNORE_CASE,
)


def without_request(sentence: str) -> str:
    """A statement without what is asked for at its end: `…, fix the labels`, …，改一下."""
    if has_han(sentence):
        return _REQUEST_ZH.sub("", _ASIDE_ZH.sub("", sentence))
    sentence = _ASIDE_EN.sub("", sentence)
    found = _REQUEST_EN.search(sentence)
    if not found or found.start() < SHORTEST_REST or _AND_SO_ON.search(found[0]):
        return sentence
    said = sentence[: found.start()]
    return sentence if _NEEDS_REST.match(said) or _DEPENDS.search(said) else said


# -------------------- What a clause states.

_NOBODY = (
    r"(?:it|its|this|that|them|these|those|they|he|she|there|you|we|i|what|which|who|how|when|where|one|both|the (?:same|other|first|second|last)"
    r"|something|anything|everything|nothing|here|please|to|bug|last|earlier)\b"
)
_FEW = r"(?:[\w`./+#'’-]+ )"  # a word and the gap behind it
_HOLDS = r"(?:ha(?:ve|s) to|must|should|needs? to|can(?:not|['’]?t| only)|may (?:only|not)|are|is|(?:do(?:es)?|are|is)(?:n['’]?t| not)|always|never|only|go|live|belong)"
_PLACE = r"(?:repo(?:sitory)?|project|code ?base|monorepo|app|company|team)"
_TOOLS = (
    r"(?:pnpm|yarn|npm|bun|deno|uv|poetry|pipenv|conda|cargo|go|gradle|maven|bazel|nx|turbo(?:repo)?|lerna|typescript|javascript|ts|js|python|java|kotlin"
    r"|rust|ruby|php|elixir|swift|scala|c#|c\+\+|esm|react|vue|svelte|django|rails|laravel|spring)"
)
_WITH_WHOM = r"(?:(?:,? (?:yesterday|today|last \w+|back then|already|finally|together|all|(?:w/|with) (?:the |our )?[\w-]+|in the (?:meeting|retro|standup|planning)))*,?)"
_ENGLISH = Pattern(
    # What is to be remembered, behind a request or a comma.
    rf"(?:(?:please|also|always|but|and|so) )*(?:remember|(?:keep|bear) in mind|don['’]?t forget),? (?:that )?(?P<remembered>(?!{_NOBODY}){_FEW}{{1,6}}?{_HOLDS} (?!failing|broken|back\b|still\b|now\b|down\b)\S.*)"
    # What was agreed, after what, and with whom.
    rf"|(?:(?:after|since|following) [^,;]{{3,50}}? )?(?:we|the team)(?:['’]ve| have)? (?:all )?agreed(?:{_WITH_WHOM}) (?:that )?(?P<agreed>(?:nobody|no one|no|to (?:always|never|only|not)|everyone|everybody|we (?:always|never|only|don['’]?t)|all|every) \S.*)"
    rf"|(?P<decided>we(?:['’]ve| have)? decided(?:{_WITH_WHOM}) (?:to (?:keep|use|go|stay|stick|drop|move|switch|make|not|only|never|always|support|store|put|ship|host)|that (?:we|all|every|no|the)) (?!{_NOBODY})\S.*)"
    rf"|(?P<went>we went (?:with|for) (?!{_NOBODY})\S[^,;]*? (?:instead of|rather than|over) (?!{_NOBODY})\S.*)"
    r"|for the record,? (?P<recorded>(?:the|our) [^,;]{3,60}? (?:is|are|has|allows?) (?:only |at most |about )?[\d$€£].*)"
    # Who may, what may not be, and who has to say yes.
    rf"|(?P<barred>(?!{_NOBODY}|no\b|if\b)(?:the )?[\w`./@+-]+(?: [\w`./@+-]+){{0,3}} (?:is|are) (?:banned|forbidden|prohibited|off[- ]limits|not allowed)(?: (?:here|in (?:this|our|the) {_PLACE}|by (?:legal|policy|security)))(?=$|[,;.!\s]).*)"
    rf"|(?P<only>only (?:the )?(?!{_NOBODY})[\w -]{{3,40}}? (?:(?:is|are) allowed to|may) (?!be\b|have\b)\w+ .*)"
    r"|(?P<unlawful>we (?:can['’]?t|cannot|can not|must not|may not|are not allowed to|aren['’]?t allowed to) (?:ship|bundle|distribute|depend on|use|include|link|log|store|send|expose) (?:any |anything |an? )?(?:[\w+-]+ )?(?:gpl|agpl|lgpl|copyleft|sspl|customer|personal|pii|licen[sc]ed|proprietary|unlicen[sc]ed|secrets?|credentials?)\b.*)"
    rf"|(?P<approves>(?!{_NOBODY}|user|admin)(?:(?:the |our )?[\w-]+(?: (?:team|lead|owner|group))?) (?:has to|have to|must|needs to|need to) (?:approve|sign off on|review|ok) (?:any|every|all|each) .*)"
    r"|(?P<rather>i['’]?(?:d| would) rather you (?:always |first )?(?:ask|ask me|check|check with me|tell me|confirm)(?: first)?,? (?:before|when|whenever) (?!you (?:start|begin)\b)\S.*)"
    # What always holds, by default or in all of the project.
    rf"|(?P<always>(?!{_NOBODY}|if\b|why\b)(?:the |our |all )?[\w`-]+(?: [\w`-]+){{0,4}} (?:is|are|gets?|goes?|lives?|uses?|runs?) (?:always|only) (?!visible|empty|null|undefined|blank|missing|wrong|slow|zero|true|false|loaded|called|shown|hidden|rendered|red|there|the same)[^,;]{{2,60}}? (?:in (?:this|our|the) {_PLACE}|everywhere|across the {_PLACE})(?=$|[,;.!\s]).*)"
    r"|(?P<default>[\w`'-]+(?: [\w`'-]+){0,2} by default,? (?:and |but )?[\w`'-]+(?: [\w`'-]+){0,2} only (?:if|when|where|for) \S.*)"
    # What is used, and not something else.
    r"|(?P<port>(?:the|our) (?!error\b|request\b)[\w -]{2,40}? (?:lives|is|runs|listens|sits)(?: at| on)? (?:at |on )?port \d{2,5},? (?:and )?not \d{2,5}\b.*)"
    rf"|(?P<kind>this (?:{_PLACE} )?(?:is )?an? {_TOOLS} (?:repo(?:sitory)?|project|code ?base|monorepo|workspace)(?=$|[,;.!]| and\b).*)"
    r"|(?P<kept>(?:actually )?we(?:['’]ll| will| are going to|['’]re going to)? (?:keep|stay with|stick with|stick to) (?:the |our )(?:(?:modular|current|single|existing) )?(?:monolith|monorepo|orm|rest api|graphql (?:api|layer)|sql|relational (?:db|database)|framework|message queue|event bus|session cookies|cookies|feature flags|microservices)(?=$|[,;.!]).*)"
    r"|(?P<prefer>i (?:really |usually |generally |much )?prefer (?!the\b|your\b|this\b|that\b|it\b|my\b|option\b|\d)[\w -]{3,40} (?:over|to|rather than|instead of) (?!the\b|your\b|this\b|that\b|it\b|be\b|my\b)\S.*)"
    r"|(?P<runs>we(?:['’]re| are)(?: still)? on [a-z][\w.+-]* v?\d[\w.]*(?: (?:in (?:prod|production|staging|ci)|everywhere))?(?=$|[,;.!]| so\b| and\b).*)"
    rf"|(?P<moves>we(?:['’]re| are) (?:moving|migrating|switching) (?:everything )?(?:off|away from|from) (?!{_NOBODY})[\w.+#-]+(?: [\w.+#-]+)? (?:to|onto) (?!{_NOBODY})\S.*)"
    r"|(?P<by>(?:all |our )?(?:tests|migrations|releases|deploys|builds|docs|fixtures|types|clients) are (?:run|made|built|generated|created|deployed|started) (?:with|by|via|through|using|from) [^,;]{2,50}?,? not (?:plain |by |with |via |from )?[\w`.-]+.*)"
    r"|(?P<named>(?:all |our |the )?(?:branch|commit|file|tag|table|column|class|test|component|package|env var) (?:names?|messages?) (?:are|look|should look) like \S.*)"
    rf"|(?P<nightly>(?:the|our) (?!{_NOBODY})[\w -]{{2,40}}? (?:resets|restarts|reboots|is wiped|is reset|gets wiped|gets reset|syncs|rotates|redeploys|rebuilds|deploys|expires) (?:itself )?every (?:night|day|week|month|hour|morning|evening|\w+day|\d+ \w+).*)",
    IGNORE_CASE,
)
_ON_ZH = r"(?!这|那|它|我想|我们都|你|先|当前|现在|暂时|刚|如果|要是|为什么|怎么|是不是|能不能|看)"
_CHINESE = Pattern(
    # What nobody touches, what comes first each time, and what all of a kind have.
    rf"(?:另外|还有|对了|顺便)?[，,]?\s?(?P<left>{_ON_ZH}[^，,；;]{{1,20}}?(?:目录|文件夹|模块|仓库|分支)\s?(?:里的?(?:东西|代码|文件)?)?(?:都)?(?:不要|不能|不许|别)(?:乱|随便|直接|手动)?[动改碰删]了?(?=$|[，,；;。！]).*)"
    rf"|(?P<first>每次[^，,；;]{{1,12}}之?前[，,]?(?:都|要|得|必须|请|你|应该)*先(?!报|弹|闪|卡|出错)[^，,；;了]{{2,}}.*)"
    r"|(?P<all>所有(?!人|的?(?:问题|错误|报错))[^，,；;]{1,12}?(?:统一|一律|都)(?:要|得|必须)?(?:存|用|走|放在?|写|返回|转成|按)\s?(?!错|不|一样|了|到(?!\S)|完)[^，,；;了]{2,24}(?=$|[，,；;。！]).*)"
    rf"|(?P<each>{_ON_ZH}[^，,；;]{{1,14}}?(?<!我)(?<!们)都(?:要|得|必须)(?:先|经过|让|带上?|有|加上?|过)\s?[^，,；;了]{{2,24}}?(?:才(?:能|可以)(?:合|合并|上线|发布|提交|部署|发)\S{{0,4}}(?=$|[，,；;。！])|(?<=带)\s?[\w`-]+).*)"
    rf"|(?P<carries>{_ON_ZH}(?:每(?:个|次|条)|所有)?[^，,；;]{{1,14}}?都(?:要|得|必须)(?:带上?|加上?)\s?[A-Za-z`][\w`.-]*(?=$|[，,；;。！]).*)"
    # What may not be used, what is used, and what it stays with.
    r"|(?P<barred>(?:我们?)?公司(?:里|规定|要求)?(?:不能|不让|不许|不允许|禁止)(?:使)?用\s?(?!这|那|了)[^，,；;了]{2,20}(?=$|[，,；;。！]).*)"
    r"|(?P<licence>[^，,；;]{0,8}是\s?[AL]?GPL\s?的[，,](?:我们?)?(?:公司|项目)?(?:不能|不让|不许)用)"
    r"|(?:那)?(?P<chosen>就(?:选|定)(?:用)?\s?(?!方案|选项|第)[A-Za-z][\w.+#-]{2,}(?: [\w.+#-]+)?\s?(?:吧|了)(?=$|[，,；;。！]).*)"
    r"|(?P<still>(?:我们)?还是(?:继续)?用\s?[A-Za-z][\w.+#-]+\s?(?:来)?(?:做|当|存|跑|管|写)[^，,；;吗呢]{1,12}(?=$|[，,；;。！]).*)"
    r"|(?P<project>(?:(?:别|不要|不)用\s?[A-Za-z][\w.+#-]*\s?[啊了吧呀]?[，,])?(?:这个|本|我们|咱们)(?:项目|仓库|库)(?:里)?(?:一直|都|就|统一|用的)*是\s?[A-Za-z][\w.+#-]{1,20}(?=$|[，,；;。！]).*)"
    r"|(?P<stays>(?!这|那|先|今天)[^，,；;]{2,10}?(?:先)?不(?:拆|上|搞|引入|迁|换)了[，,](?:[^，,；;]{2,20}[，,])?(?:还是|继续(?:用|保持)?|保持)\s?(?!先|你|不|有|要|这|那|报)[^，,；;吗]{2,10}(?=$|[，,；;。！]).*)",
    IGNORE_CASE,
)
_RULES = frozenset(
    "remembered agreed barred only unlawful approves rather always default prefer left first all each carries licence".split()
)
# Where a clause begins; `remember,` and what is beside a comma in a number begin none.
_BEGINS_EN = Pattern(
    r"(?<!remember)(?<!in mind)(?<!forget)[,;:]\s+|\s[–—-]\s|\.\.\.+\s*|\s(?=(?:and|but|so|because|cause)\s(?:please )?(?:we|remember|keep in mind|bear in mind|don['’]?t forget|only|i)\b)",
    IGNORE_CASE,
)
_BEGINS_ZH = Pattern(r"[，,；;：]\s?")
_JOINS = Pattern(
    r"(?:(?:and|but|so|also|no|yes|well|ok(?:ay)?|actually|because|cause|btw)\b,?\s+|(?:另外|还有|对了|顺便|而且|所以|那|不过|但)[，,]?\s?){0,4}",
    IGNORE_CASE,
)
_DOUBT = Pattern(
    r"\b(?:maybe|perhaps|might|not sure|i (?:think|guess|thought)|wonder\w*|should we|what if|why|wth|for now|right now|this time|until (?:i|we)|for the moment|today)\b"
    r"|[?？]|^if\b|如果|要是|也许|可能|暂时|这次|今天|吗|是不是|要不要|先看",
    IGNORE_CASE,
)


def _clauses_of(sentence: str) -> Iterator[int]:
    """Where the clauses of a sentence begin."""
    begins = _BEGINS_ZH if has_han(sentence) else _BEGINS_EN
    for at in (0, *(found.end() for found in begins.finditer(sentence))):
        joined = _JOINS.match(sentence, at)
        yield joined.end() if joined else at


def _is_quoting(before: str) -> bool:
    """Whether what stands before a clause leaves a quotation open."""
    return before.count('"') % 2 == 1 or any(
        before.count(opened) > before.count(closed) for opened, closed in ("“”", "「」")
    )


def statement_clause(sentence: str) -> Clause | None:
    """The first clause that states something, with what belongs to it."""
    if len(sentence) > LONGEST_READ or sentence.endswith(("?", "？")):
        return None
    pattern = _CHINESE if has_han(sentence) else _ENGLISH
    for start in _clauses_of(sentence):
        found = pattern.match(sentence, start)
        before = sentence[:start]
        if not found or not found.lastgroup or _is_quoting(before):
            continue
        at = found.start(found.lastgroup)
        said = without_request(sentence[at : found.end()])
        if _DOUBT.search(said) or _DOUBT.search(before):
            return None
        return Clause(at, at + len(said), found.lastgroup in _RULES)
    return None
