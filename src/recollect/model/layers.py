"""Choose the layer of a new memory and give the reason (seed 004's decision tree).

The first matching rule decides. A layer or kind that a person names is kept.
"""

from __future__ import annotations

import re
from functools import cache

from recollect._fastimport import NamedTuple, Pattern
from recollect.model.memory import CORE, Memory, is_id, slug_of, type_of_kind
from recollect.text.tokens import folded, function_words, is_cjk, simplified

# Each in English and, for texts that are not all ASCII, in Chinese.
_POINTER = (
    Pattern(
        r"\bcan be found (?:at|in|under|on)\b|\b(?:is|are|lives?|located|documented|tracked|kept) (?:at|in|on|under)\s+"
        r"(?:https?://|the |our )?\S*(?:wiki|dashboard|jira|linear|notion|confluence|grafana|sheet|drive|board|docs?\b|repo|https?://)"
        r"|^\s*(?:see|docs?|documentation|dashboard|wiki|runbook)\s*[:：]?\s*https?://\S+"
        r"|\A(?!(?:use|run|set|call|avoid|prefer|always|never|don['’]?t)\b)[^:：\n]{2,40}[:：]\s*https?://\S+(?=\s*\Z|\s*\n)",
        re.I | re.M,
    ),
    Pattern(
        r"(?:在|位于|见|参见|参考)\s*(?:https?://|\S*(?:文档|维基|看板|仓库|面板))|可以在.{1,40}找到"
        r"|\A(?!请|用|使用|不要|避免)[^:：\n]{2,40}[:：]\s*https?://\S+(?=\s*\Z|\s*\n)"
    ),
)
_BEHAVIOUR = (
    Pattern(
        r"^\s*(?:please |also |and |only |i['’]d like you to |it['’]s important that you )*(?:(?:in|on|for|when|before|after|during) [^,.]{2,40},? )?"
        r"(?:always|never|prefer|avoid|don['’]?t|do not|make sure|ensure that|remember to|from now on|going forward|as a (?:general )?rule|whenever|every time you|my (?:preference|rule|habit) is"
        r"|(?:use|run|check|ask|write|keep|stop|explain|answer|reply|commit|name|put)(?! (?:of|is|are|case)\b))\b"
        r"|^[^.:]{3,60}\b(?:must|should|may) (?:always|never|not|only|be|have)\b|^(?:all|every|each|no) .{2,60}\b(?:must|should|need)"
        r"|^we (?:always|never|prefer)\b|^i (?:\w+ )?(?:prefer|like|love|hate|don['’]t like|want (?:all|every|each|no)) (?!the\b|to\b|an?\b)|[,;]\s*(?:always|never) \w+ |^(?:our )?\w+s never \w"
        r"|^(?:our|the|a) (?:convention|rule|policy|standard|guideline)s?(?: here)? (?:is|are)\b|^no [\w.]+ (?:in|for|without|on) |^no \w+ \w+s\.?$|\bfrom now on\b|\b(?:is|are) (?:not allowed|forbidden|banned)\b",
        re.I,
    ),
    Pattern(
        r"^(?:请|以后|今后|在.{1,12}[里中上时前后])?.{0,12}?(?:总是|永远|不要|不允许|不准|不许|不得|严禁|别再|必须|避免|优先|尽量|以后|一律|请用|记得|禁止|始终|每次|绝对|今后|统一|千万别|千万不|绝不|从现在)|应该|应当"
        r"|^我(?:们)?(?:比较|更|很|不|非常|一般)*(?:喜欢|偏好|习惯|讨厌|约定)|^别(?!的|人)|^(?:所有|每个|任何).{1,20}(?:都|要|必须)|都用(?:中文|英文)"
        r"|^(?:[^，,。]{1,8}?请?)?(?:用|使用|以)(?:简体|繁体)?(?:中文|英文|英语|日文|日语|德语)(?:来)?(?:回复|回答|写|注释|提交|交流|沟通|解释|命名)(?!的)"
        r"|^[^，,。：:]{1,10}[前后时](?:都|也|一定)?(?:要|先|必须|务必|得)(?!求|不)\S"
        r"|^(?:回复|回答|注释|提交信息|文档|命名)(?:的时候|时)?请?(?:都|要|一律)*用(?:简体|繁体)?(?:中文|英文|英语)"
        r"|^[^，,。：:]{1,30}(?:不能|不可以?|只能)(?:为|是|有|超过|少于|小于|大于|低于|高于|包含|含有|重复|出现)\S|^[^，,。：:]{1,30}(?:不得|不允许|不应|只允许)\S"
        # When something may be done, and when not.
        r"|^[^，,。：:]{1,12}只(?:能|准)[在由][^，,。]{1,20}(?:进行|执行|操作|部署|发布|上线|提交|合并|审批)(?!了)"
        # What a person does before something else: 提交前跑测试. Not what has happened, or is only named.
        r"|^(?:在|每次|我们|大家)*(?:提交|推送|合并|合入|部署|发布|发版|上线|升级|迁移|打包|提 ?pr|发 ?pr|commit|push|merge|release|deploy)[^，,。：:的了前]{0,8}[之以]?前"
        r"(?:(?:请|先|\s)*(?:跑(?!道)|运行|执行|备份|拉取|更新|同步|通知|rebase)|检查(?!清单|项|表|单|脚本|流程|$))[^，,。：:的了过吗]{1,24}[。.！!]?$"
        r"|(?:周[一二三四五六日天末]|星期[一二三四五六日天]|节假日|工作日)(?:[上下]午|晚上)?(?:禁止|严禁|不准|不许|不要|不能)(?!了)\S"
    ),
)
# A tool in which people look something up, as the place of it: the whole title says so, and no more.
_TOOLS = (
    r"kibana|grafana|sentry|datadog|splunk|cloudwatch|pagerduty|jira|linear|trello|asana|notion|confluence|airtable"
    r"|figma|postman|1password|bitwarden|vault"
)
_IN_TOOL = (
    Pattern(
        r"^(?!(?:we|i|you|it|if|when|always|never|don['’]?t|do not)\b)(?!.*\b(?:bug|fault|problem|cause|error) is\b)"
        rf"[^,;:?]{{2,60}} (?:is|are)(?: (?:kept|tracked|found|stored))? (?:in|on) (?:the |our )?(?:{_TOOLS})(?: dashboard| board)?\s*(?:[.(]|$)",
        re.I,
    ),
    Pattern(
        rf"^(?!.*(?:不要|禁止|问题|原因|我们|[了过]))[^，,。：:？?]{{2,30}}在\s*(?:{_TOOLS}|飞书|蓝湖|语雀)\s*[上里中]?(?:查看|管理)?\s*(?:[。.（(]|$)",
        re.I,
    ),
)
# What says that a change was made, as the message of a commit does, is no rule: it happened.
_RECORD = Pattern(
    r"#\d|^\[[^\]]+\] |^(?-i:[a-z])[\w./-]*(?:\([^)]*\))?!?: |\bco-authored-by\b|\bthis (?:commit|change|pr|patch)\b"
    r"|\b(?:fix(?:es|ed)?|crash\w*|traceback|regression|refactor\w*|previously|currently|no longer|was|were|had|didn['’]t)\b"
    r"|^(?:修复|新增|优化|重构|更新|移除)|此前|之前是",
    re.I | re.M,
)
LONGEST_RULE = 300  # of a body; longer ones tell a story
LONGEST_SUBJECT = 3  # words of a page's title that names a subject
_EPISODE = (
    Pattern(
        r"\b(?:today|yesterday|this (?:morning|afternoon|session|week)|just now|we (?:fixed|found|tried|debugged|released|deployed|discussed|merged))\b",
        re.I,
    ),
    Pattern(
        r"今天|昨天|刚才|刚刚|本次|这次会话|(?<![周期每].)[上下]午|[周期每].[上下]午.*了|我们(?:修复|讨论|尝试|发布|部署)了"
    ),
)
# What failed on the day that a title begins with.
_FAILED_THEN = (
    Pattern(
        r"^on \d{4}-\d\d-\d\d,? (?:the|our|an?) [\w /-]{2,40}? (?:failed|broke|crashed|hung|went down|timed out|ran out)\b",
        re.I,
    ),
    Pattern(
        r"^(?:\d{4}[年-])?\d{1,2}[月-]\d{1,2}[日号]?(?![日号]?(?:起|前|后|开始))[^决约]{0,20}(?:失败|崩溃|宕机|中断|超时|写满|耗尽|挂了)"
    ),
)
# What a pointer, in English, cannot do without.
_PLACES = "found wiki dashboard jira linear notion confluence grafana sheet drive board doc repo http".split()
_FOLDERS = {
    "decision": "semantic/decisions",
    "issue": "semantic/issues",
    "implementation": "semantic/implementations",
    "pattern": "procedural/patterns",
}
_KINDS = {"semantic": "fact", "procedural": "rule", "reference": "pointer", "episodic": "note"}
_NAMES = {
    "pointer": "says where something can be found",
    "behaviour": "says how to work",
    "episode": "tells what happened at one time",
    "fact": "is a timeless fact",
    "kind": "follows from the kind",
    "asked": "was requested",
}


class LayerChoice(NamedTuple):
    """A layer, the kind within it, and the rule that chose."""

    layer: str
    kind: str
    rule: str

    @property
    def reason(self) -> str:
        """The rule in words."""
        return _NAMES[self.rule]


def choose(title: str, body: str, layer: str = "", kind: str = "") -> LayerChoice:
    """The layer of a new memory: reference, procedural, semantic or episodic; first match wins."""
    if layer:
        return LayerChoice(layer, kind or _KINDS[layer], "asked")
    if kind:
        return LayerChoice(type_of_kind[kind], kind, "kind")
    text = f"{title}\n{body[:2000]}"
    could_point = not text.isascii() or any(word in text.lower() for word in _PLACES)
    if (could_point and _says(_POINTER, text)) or _says(_IN_TOOL, title):
        return LayerChoice("reference", "pointer", "pointer")
    if _is_rule(title, body.strip()) and not _says(_EPISODE, body):
        return LayerChoice("procedural", "rule", "behaviour")
    if _says(_EPISODE, text) or _says(_FAILED_THEN, title):
        return LayerChoice("episodic", "note", "episode")
    return LayerChoice("semantic", "fact", "fact")


def is_about_rules(memory: Memory) -> bool:
    """Whether the title of a page of rules is only what they are about, and none itself."""
    size = len(memory.title.split()) + sum(map(is_cjk, memory.title)) // 3
    is_short = size <= LONGEST_SUBJECT
    return memory.kind == "rule" and is_short and choose(memory.title, "").kind != "rule"


def _is_rule(title: str, body: str) -> bool:
    """Whether a title, or the short body below it, says how to work."""
    if len(body) > LONGEST_RULE:
        return False
    is_said = _says(_BEHAVIOUR, title) or _says(_BEHAVIOUR, body)
    return is_said and not _RECORD.search(f"{title}\n{body}")


def _says(patterns: tuple[Pattern, Pattern], text: str) -> bool:
    english, chinese = patterns
    return bool(english.search(text) or (not text.isascii() and chinese.search(simplified(text))))


def folder_of(layer: str, kind: str) -> str:
    """The folder of the store for a memory of this layer and kind."""
    folder = _FOLDERS.get(kind, "")
    return folder if folder.startswith(layer) else layer


def written_to(path: str, text: str) -> str:
    """The layer that takes in a text by what is written to this file; nothing for other files."""
    folder = path.removeprefix("archive/").partition("/")[0]
    if folder == "sessions":  # what is said of sessions, and the pages of old ones
        return "episodic"
    if not path.endswith(".md"):
        return ""
    if folder == CORE:
        return CORE
    from recollect.model.document import memory_from_text  # seldom needed

    return memory_from_text(text, path).layer


def is_fixed(path: str) -> bool:
    """Whether programs look for a page here: under another name it is another page."""
    return path in SHARED.values() or path.startswith(f"{CORE}/")


def id_of_session(stem: str, title: str, created: str, *, strict: bool = False) -> str:
    """The id of a session's page that names none; if `strict`, only one that lasts, else nothing.

    It is named after its day and title. Where both differ from the file's name, the title was
    edited if the name still begins with the day, and else the file was renamed.
    """
    usual = name_of("episodic", title, created)
    is_second = stem.startswith(f"{usual}-") and stem[len(usual) + 1 :].isdecimal()
    if strict:
        return usual if usual == stem else ""
    return stem if is_id(stem) and stem.startswith(created[:10]) and not is_second else usual


LONGEST_OF_EPISODE = 40  # characters after the day


def name_of(layer: str, title: str, created: str) -> str:
    """The wanted id of a new memory: its slug, with the day in front for an episode."""
    slug = slug_of(title)
    if layer != "episodic":
        return slug
    if len(slug) > LONGEST_OF_EPISODE:
        whole_words = slug[: LONGEST_OF_EPISODE + 1].rpartition("-")[0]
        slug = whole_words or slug[:LONGEST_OF_EPISODE]
    return f"{created[:10]}-{slug}".strip("-")


# Of a longer word its last parts, if they are short enough, and no word that is cut off.
_LETTER = r"A-Za-z\u00c0-\u024f"  # also those with accents
_LATIN = rf"(?<![{_LETTER}])[{_LETTER}][{_LETTER}0-9_+#.-]{{2,24}}(?![{_LETTER}0-9_+#.-])"
_WORD = Pattern(_LATIN)
_WORD_OR_HAN = Pattern(_LATIN + r"|(?<![\u4e00-\u9fff])[\u4e00-\u9fff]{2,8}(?![\u4e00-\u9fff])")
# Chinese has no blanks between its words; these stand between the ones that name something.
_BETWEEN = Pattern(
    "|".join(
        """我们 你们 他们 大家 决定 使用 采用 选择 选用 改用 换成 修复 解决 问题 需要 可以 应该 不要 不能 必须 以后
        以前 实现 添加 增加 修改 更新 删除 检查 看看 如何 怎么 什么 为什么 这个 那个 这些 那些 一个 一下 帮我 请你
        关于 对于 因为 所以 但是 如果 然后 已经 现在 进行 处理 支持 通过 根据 没有 还是 或者 以及 讨论 发布 今天 昨天
        改为 改成 设为 变成 变为 返回 显示 导致 引起 出现 发现 否则 不够 不足 不再 不允许 允许 要求 避免 确保 保证 按照
        由于 为了 而且 并且 而不是 不是 就是 都是 只有 只要 只能 不会 不得 禁止 跑完 完成 开始 之前 之后 时候 每次 每个
        所有 全部 原因 总是 永远 一律 务必 记得 放在 放到 位于 存在 提交到 合并到 部署到 迁移到 切换到
        的 了 吗 呢 吧 把 被 让 和 与 或 做 是 很 也 都 就""".split()
    )
    + r"|(?<![存现实所])在(?!线)"
    # Numbers with what is counted, degrees, words around a verb, and a verb that is one sign.
    + r"|(?<=\d)\s*(?:秒钟?|毫秒|分钟?|小时|天|周|个?月|年|个|次|条|种|行|页|位|倍|块|元|万|千|百)|(?:太|更|最(?!近|新|大|小|终)|挺|非常|比较)[\u4e00-\u9fff]"
    + r"|等等|一些|[一两三几这那每某]个|(?<![社机])会(?![话员议计])|(?<![优首])先(?!后)|(?<!功)(?<!性)(?<!智)(?<!技)能(?!力|量)|(?<![类级区识分特])别(?!名)"
    + r"|(?<![重需主摘概])要(?!点|素)|(?<![应使费作通复引调可专占采选改私])用(?!户|例|途|法|量|于)|(?:写(?!入|法|操作)|搭|跑(?!道))个?(?=[\u4e00-\u9fff]{2})"
)
_BEHIND = ("前", "后", "里", "下")  # a place or a time: 部署前 is about 部署
# Words of what is done or how, which name nothing that anybody looks under.
_NO_TAGS = frozenset(
    """use uses used using need needs needed want wants make makes made making keep keeps kept put puts set sets run runs running
    take takes give gives go goes let lets try tries add adds added change changes changed fix fixes fixed always never real really
    because since instead new old every per via without within first last still yet now like via two three one many much very
    please enough ask asks say says said show shows see work works working done run start starts stop stops""".split()
)


_function_words = cache(function_words)
_MARKS = Pattern(r"\[(?:redacted:[^\]\s]+|private)\]")  # where a secret or a private part was


def _parted(text: str) -> str:
    """A Chinese text with blanks in place of the words between its names."""
    read = simplified(text)
    if read == text:
        return _BETWEEN.sub(" ", text)
    signs = list(text)
    for found in _BETWEEN.finditer(read):
        signs[found.start() : found.end()] = " " * len(found[0])
    return "".join(signs)


def suggested_tags(title: str, body: str, stop_words: frozenset[str], most: int = 4) -> list[str]:
    """Words of the title, then of the body, that could be its tags."""
    found: dict[str, int] = {}
    for weight, text in ((3, _MARKS.sub("", title)), (1, _MARKS.sub("", body[:2000]))):
        words = _WORD.findall(text) if text.isascii() else _WORD_OR_HAN.findall(_parted(text))
        for one in words:
            word = one.lower().strip(".-_")
            word = word[:-1] if len(word) > 2 and word.endswith(_BEHIND) else word
            if len(word) < 2 or word in stop_words or word in _NO_TAGS:
                continue
            if folded(word) not in _function_words():
                found[word] = found.get(word, 0) + weight
    return sorted(found, key=lambda w: -found[w])[:most]


def title_tags(title: str) -> list[str]:
    """The tags of a session that nobody tagged: what its title names."""
    from recollect.text.sentences import ROUTINE, TAG_STOPS  # for memories of sessions only

    return suggested_tags(title, "", TAG_STOPS | ROUTINE, most=6)


# Rules, solutions and pointers share a file, a `##` section for each.
SHARED = {
    "rule": "procedural/feedback.md",
    "solution": "procedural/feedback.md",
    "pointer": "reference/external-systems.md",
}
SHARED_PATHS = frozenset(SHARED.values())
SHARED_TITLES = {
    "en": {
        "procedural/feedback.md": "How to work here",
        "reference/external-systems.md": "Where to find things",
    },
    "zh": {
        "procedural/feedback.md": "工作方式",
        "reference/external-systems.md": "外部资源",
    },
}

# The section, among where things are, that says how the project is tested and built.
USUAL_CHECKS = {"en": "Commands that work here", "zh": "可用的命令"}


# -------------------- The page of a fact for which nobody names one.


class Subject(NamedTuple):
    """A page for what is about one of the subjects that every project has."""

    en: str
    zh: str
    words: Pattern  # how a statement says it is about that, in either language
    paths: Pattern  # the files it then speaks of


_OF_FILE = r"\.(?:mdc?|txt|json|ya?ml|toml|py|tsx?|html)\b"  # the name of a file says no subject


def _subject(en: str, zh: str, words: str, chinese: str, paths: str) -> Subject:
    return Subject(
        en,
        zh,
        Pattern(rf"\b(?:{words})s?\b(?!{_OF_FILE})|{chinese}", re.I | re.A),
        Pattern(rf"(?<![\w.-])(?:[\w.@-]+/)*(?:{paths})", re.I | re.A),
    )


SUBJECTS = (
    _subject(
        "Database", "数据库",
        r"database|db|sql|sqlite|postgres(?:ql)?|mysql|mariadb|mongo(?:db)?|redis|schema|migration|table|column|foreign key"
        r"|transaction|query|queries|orm|prisma|sqlalchemy|alembic|jsonb|connection pool",
        "数据库|数据表|表结构|字段|迁移|事务|索引|查询|连接池|缓存库", r"migrations?/|schema\b|[\w-]+\.sql\b|prisma/|db/|models?/",
    ),
    _subject(
        "API", "接口",
        r"apis?|endpoint|rest|graphql|grpc|openapi|swagger|webhook|http status|status code|json response|request body|route"
        r"|idempotency|pagination",
        "接口|端点|路由|请求体|返回值|返回体|返回 ?JSON|响应|状态码|错误码|回调地址|分页", r"api/|routes?/|controllers?/|handlers?/|openapi\b|[\w-]+\.proto\b",
    ),
    _subject(
        "Frontend", "前端",
        r"frontend|front end|ui|css|tailwind|react|vue|svelte|next\.?js|component|button|page layout|dark mode|sidebar|modal"
        r"|browser|dom|html|icon",
        "前端|界面|页面|按钮|样式|侧栏|左侧|弹窗|浏览器|图标", r"frontend/|components?/|[\w-]+\.(?:tsx|jsx|vue|svelte|css|scss|html)\b",
    ),
    _subject(
        "Testing", "测试",
        r"tests?|testing|tested|pytest|jest|vitest|mocha|mock|fixture|unit test|e2e|playwright|coverage|assertion|flaky",
        "测试|用例|断言|覆盖率|模拟数据", r"tests?/|spec/|__tests__/|[\w-]+[._-](?:test|spec)\.\w+|test_[\w-]+\.py\b|conftest\.py",
    ),
    _subject(
        "Build and CI", "构建与 CI",
        r"(?:the|each|every|a|full|clean|release|debug|nightly) build|build (?:step|system|script|time|target|tool|image|fails?|breaks?)|builds? (?:on|in|with|takes?|runs?)|ci|compiler|compile|bundle|bundler|webpack|vite|(?:(?<=`)|(?<=run )|(?<=with ))make|makefile|gradle|cmake|github actions?|workflow"
        r"|pipeline|runner|artifact|cargo build|docker build|cache key",
        "构建|编译|打包|流水线|持续集成", r"\.github/workflows/|makefile\b|dockerfile\b|\.gitlab-ci|vite\.config|webpack\.config",
    ),
    _subject(
        "Deployment", "部署",
        r"deploy|deploys|deployed|deployment|release|released|staging|production|(?:prod|staging|build|web|linux|our|the) server|host|hosted|hosting|port|kubernetes|k8s"
        r"|helm|terraform|docker|container|nginx|systemd|ecs|aws|azure|gcp|vps|rollback|rollout|domain name|monitoring",
        "部署|发布|上线|服务器|生产环境|测试环境|端口|容器|域名|阿里云|回滚|监控|日志", r"deploy/|k8s/|helm/|terraform/|[\w-]+\.tf\b|docker-compose",
    ),
    _subject(
        "Dependencies", "依赖",
        r"dependency|dependencies|package|library|libraries|(?:minimum|supported|latest|pinned|major|minor) versions?|versions? of (?:the )?(?:node|python|java|go|rust|react)|upgrade|pin|pinned|lockfile|npm|pnpm|yarn|pip|poetry|uv|cargo"
        r"|renovate|dependabot|node|java|python \d|jdk|sdk",
        "依赖|(?:最低|支持的|最新)版本|升级|锁定|包管理", r"package(?:-lock)?\.json|pnpm-lock|yarn\.lock|pyproject\.toml|requirements[\w-]*\.txt|cargo\.toml|go\.mod",
    ),
    _subject(
        "Security", "安全",
        r"security|secret|password|token(?!s? (?:limit|count|budget|usage))|oauth|jwt|auth|authentication|authorization|login|permission|role|encrypt|encrypted"
        r"|encryption|certificate|tls|ssl|csrf|xss|cors|api key|credential|privacy|gdpr|pii",
        "安全|密码|密钥|令牌|权限|登录|鉴权|认证|加密|证书|隐私|可见", r"auth/|security/|[\w-]+\.pem\b|\.env\b",
    ),
    _subject(
        "Style", "代码风格",
        r"(?:code|coding|writing|house) style|style guide|naming|lint|linter|ruff|eslint|prettier|black|formatted|formatter|formatting|indent|tabs|spaces|code comment"
        r"|docstring|camelcase|snake_case|type hint|typing|wording|tone|docs|documentation|readme",
        "风格|命名|格式化|缩进|注释|文档|措辞|空格", r"\.editorconfig|\.eslintrc|\.prettierrc|ruff\.toml|docs?/|readme\b",
    ),
    _subject(
        "Git and reviews", "Git 与评审",
        r"git|branch|branches|commit|commits|rebase|squash|merge|merged|pull request|prs?|review|reviewer|changelog|git tags?|tagged"
        r"|cherry-pick|worktree|main branch|github",
        "分支|提交|合并|变基|评审|拉取请求|标签", r"\.git/|changelog\b|codeowners\b|\.gitignore",
    ),
    _subject(
        "People", "人员",
        r"(?:our|my|whole|entire) team|team (?:lead|member|is|has|works|wants|prefers|agreed|decided)|owner|maintainer|the (?:user|person) (?:works|prefers|knows|speaks)|colleague|manager|stakeholder|contact|on call|responsible"
        r"|works? at|speaks?",
        "团队|负责人|同事|经理|联系人|用户是|用户不是|值班", r"(?!)",
    ),
)  # fmt: skip
DOMAIN = ("Domain", "业务")  # all that is about what the project itself is about
_PLACES_SAID = 2  # a path tells more than a word
_TURNED_DOWN = Pattern(r"\(rather than [^()]*\)|（未选 [^（）]*）")  # it is not about these
_NAMED = Pattern(
    r"^([^\s:：,，.。;；!?`\[\](){}/\\][^:：,，.。;；!?`\[\](){}/\\]{1,30}?)\s*(?::\s|：)"
)
_MOST_NAMING_WORDS = 3


def subject_of(text: str, lang: str) -> str:
    """The common subject (one that every project has) that a statement and its paths point to."""
    best, most = DOMAIN[lang == "zh"], 0
    text = _TURNED_DOWN.sub("", text)
    for one in SUBJECTS:
        words = {found[0].casefold() for found in one.words.finditer(text)}
        said = len(words) + _PLACES_SAID * bool(one.paths.search(text))
        if said > most:
            best, most = one.zh if lang == "zh" else one.en, said
    return best


def named_subject(text: str) -> str:
    """The subject that a statement names itself, as in `Order store: PostgreSQL`; nothing if none."""
    found = _NAMED.match(text)
    name = " ".join(found[1].split()) if found else ""
    return name if len(name.split()) <= _MOST_NAMING_WORDS and not is_subject(name) else ""


def is_subject(title: str) -> bool:
    """Whether a title is one of those that every project has, in either language."""
    return title in _COMMON_TITLES


_COMMON_TITLES = {
    *DOMAIN,
    *(name for one in SUBJECTS for name in (one.en, one.zh)),
    *(title for titles in SHARED_TITLES.values() for title in titles.values()),
}
