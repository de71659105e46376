"""Titles: what a session was about, in a few words of those who were in it.

Promises: a title is one line; it is none that would fit any session, and no path or pasted output.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from recollect._fastimport import NamedTuple, Pattern
from recollect.capture.outcome import answer_summary, report_in
from recollect.capture.plain_wording import capitalized
from recollect.capture.records import is_first_hand
from recollect.capture.requests import LINK, WORD, is_chinese, is_plan_handover, weight_of, words_of
from recollect.capture.task_numbers import is_by_number, number_in
from recollect.model.session import SessionState
from recollect.text.progress_reports import DONE
from recollect.text.sentences import has_han, one_line, sentences_of, shortened, split_sentences
from recollect.text.tokens import STOP_WORDS, is_cjk, simplified

LONGEST = 90
LONGEST_WIDE = 40  # Chinese signs
ENOUGH = 2  # words of a subject that a title needs,
ENOUGH_OF_AGENT = 3  # and one in an agent's words
MOST_REQUESTS = 24  # that are looked at,
LOOKED_AT = 8  # and sentences of each
TOLD = 400  # characters of the last answer that are

# Words of which a client makes titles that say nothing.
_GENERIC = STOP_WORDS | frozenset(
    """ai and agent assistance begin chat claude cli code codex command conversation copilot execution exit exits
    exited gemini general greeting hello help hi initial new opencode option plugin previous request resume
    select selected session sessions start started task test title untitled user warmup
    会话 对话 新 新会话 新对话 问候 你好 继续 未命名""".split()
)  # fmt: skip
_PATH = Pattern(
    r"(?<![\w`~.@/-])(?!/dev/)[@#]?(?:(?:~|\.{1,2})?/(?:[\w.@+-]+/)+|(?:[\w.@+-]+/){2,}(?=[\w.@+-]+\.\w+\b))"
    r"(?P<name>[\w.@+-]*\w)(?::\d+)*"
)
# A folder of a machine, which says no more than that it is this project.
_FOLDER = Pattern(
    r"(?:^|(?<=\s))(?:at|in|from|under|on) [`\"']?(?:~/|/(?:home|Users|mnt|tmp|var|opt|srv|root)/|[A-Za-z]:[\\/])(?:[^\s,;:`\"'/\\]+[\\/])*[^\s,;:`\"'/\\.]*[\\/]?[`\"']?(?:,|(?=[\s;:?!]|$))\s?",
    re.I,
)
# Files that a client puts behind what was typed: `Are all routes defined?@Features.md @PRD.md`.
_MENTIONED = Pattern(
    r"(?:[?.!]|(?= ?@\S+ @)) ?@[\w./-]{1,90}\.\w{1,8}\b,?(?: @[\w./-]{1,90}\.\w{1,8}\b,?){0,20}$"
)
# What an editor is to show its agent: `#terminalSelection fix this error`, `@workspace where are loans counted?`.
_POINTED_AT = Pattern(
    r"^(?:[#@](?:terminal(?:[A-Z]\w*)?|selection|codebase|workspace|editor|problems|vscode)(?![/.\w-])[,:]?\s+)+"
    r"|^(?:\$[a-z][a-z\d]*(?:[-:][\w-]+)*|/prompts:[\w.-]+)\s+(?=\S)"
)
_CHANGE = Pattern(r"(feat|fix|chore|docs|refactor|test|perf|build|ci|style|revert)(\([^)]*\))?!?: *", re.I)  # fmt: skip
_CLAUSE = Pattern(r"[,;，；。:：(（]|\s[–—-]\s|\s(?:because|since|so that|but|which|when|where|while|if|so|and then|and|that|cause|like)\s")  # fmt: skip
# Where a long sentence without clauses may end: before what is only added to it.
_JOINT = Pattern(
    r"(?<! is)(?<! are)(?<! was)(?<! be)(?<! want)(?<! need)(?<! needs)(?<! like)(?<! able)(?<! going)(?<! have)(?<! has)(?<! how)(?<! trying)(?<! instead)"
    r"\s(?:(?:that['’]s|to|in|on|for|from|with|without|by|at|as|into|across|via|using|through|during|after|before|based on|similar to|including|i|we|you)(?=[\s…])"
    r"|(?:of|is|are|and|or)(?=(?: (?:the|an?|my|our|your|their|its|this|every|each|not))?…))",
    re.I,
)
_LOOSE = Pattern(r"\s(?:(?:(?:that|who)['’]s|(?:that|which|who) (?:is|are|was))(?: \w+)?|is|are|was|can|could|would|should|will)$", re.I)  # fmt: skip

# How a request begins, before what is requested.
_ASKING = (
    r"(?:can|could|would|will) (?:you|we|u|i)\b(?: please| maybe| just| also| perhaps)*\s+"
    r"|(?:i|we)(?:['’]d| would| still| also| really)*(?: only)? (?:want|need|like|love|have)(?:(?: for)? (?:you|us))?(?: to)?\s+"
    r"(?!(?:our|the|my|all|every|each)\b(?:[^,.;]{2,60}? to \w|[^,.;]{2,80} (?:\w+ed|kept)[.!]?$))"
    r"|(?:i|we)(?:['’]m| am|['’]re| are)? (?:looking|trying|going|planning|about|here) (?:at|to|for)\s+"
    r"|(?:i|we)(?:['’]m| am|['’]re| are)? (?:focused on|working on|building|implementing|adding)\s+"
    r"|(?:you|we|u) (?:should|need to|have to|can|could|must)(?: also| just| probably| now)*\s+"
    r"|let(?:['’]?s| us| me)(?: please| just| also| now| first)*\s+|help me(?: to)?\s+|(?:new |ok )?(?:need|task|want) to (?:to )?"
    r"|go ahead and\s+|(?:want|would you like|do you want) me to\s+|(?:give|show|tell|get|find|send) me(?: about)?\s+(?!(?:if|whether|why|how|what)\b)"
    r"|do me\s+|your (?:task|goal|job|mission|objective) is (?:to )?|(?:the|our|my) (?:\w+ )?(?:goal|task|idea|aim|plan|focus|purpose|intent(?:ion)?)(?: here| now| of (?:this|the)(?: \w+){1,3}?)? (?:is|was) (?:to )?|make sure (?:that |to )?(?!(?:the|our|my|all|every|each|we|it|you)\b)"
    r"|i['’]ll (?:help you|start by|go ahead and)\s+|your (?:help|thoughts|opinion|advice)(?: (?:with|in|on|to)|(?= (?:\w+ )?\w+ing\b))\s+(?!(?:if|whether)\b)|need\s+(?=an?\b)"
    r"|(?:can|could|should)(?:n?['’]?t| not) (?:we|you|i)\b(?: just| simply| also)*\s+|is it possible (?:for (?:you|us|me) )?to\s+|if (?:i|we) want(?:ed)? to\s+"
    r"|(?:is|are) there (?:an?|any|some) (?:\w+ )?ways? (?:for (?:us|me|you) )?to\s+|what(?:['’]?s| is| would be) the (?:\w+ )?way (?:for (?:us|me) )?to\s+"
    r"|the \w+est (?:approach|way|option|solution|fix|thing)(?: here)? (?:is|would be) to\s+"
)
# What is asked for behind what is to be read.
_NEXT = r"(?:let['’]?s|can|could|please|help|start|begin|tell|give|show|explain|suggest|build|create|add|implement|write|make|fix|update|refactor|remove|replace|change|move|find|plan)\b"
# What an agent is to read first, and where it is to write what is asked for.
_READING = (
    rf"(?:please )?(?:look at|read|check(?: out)?|see|study|review|learn about|using|in) (?:(?:(?:in|from|at) )?(?=[\w.-]*[@/])[\w@./-]++(?:,? and (?=[\w-]*[@/.])|,? )){{1,6}}(?:(?:and |then |now |so )+|(?={_NEXT}))(?!(?:and|then|all|both|any|every|each|the|an?|its?|my|our|your|th[aeio]\w+|other)\b)(?=[\w'’]+ \w+ \w)"
    rf"|(?:please )?(?:read|learn|look|study|examine|understand|familiari[sz]e yourself)\b[^.;:]{{3,90}}? (?:and )?then,? (?={_NEXT})"
    r"|(?:start|begin) (?:making|creating|writing|thinking of) (?:an?|the) (?:[\w-]+ )?plan(?: in \S+)? (?:(?:for|of) )?(?:how we can )?"
    r"|(?:write|create|make|add) (?:an?|the) (?:new )?(?:file|document|doc|plan)(?: (?:in|at|under) \S+)?(?: called \S+)? (?:that|which) (?:outlines|describes|covers|explains) "
    r"|it['’]?s time to "
)
_LEAD = Pattern(
    r"(?:(?:o+k+(?:ay)?|hey|hi|hello|yes|yeah|yep|yup|yah?|no|so|also|and|now|then|well|great|cool|perfect|alright|right|wait|h?mm+k*|hm+|uh+|please|but"
    r"|first(?: problem)?|next(?! time\b)|actually|right now|btw|good|thanks|sorry|sure|brainstorm|question|however|finally|again|all good|one more thing|therefore|man|dude|oh|ah|u[gr]h|gah|huh|presumably|apparently|basically|essentially|honestly|(?:quick|one|another) (?:thing|question|note)(?=[,:])|if i(?:['’]m| am)? (?:understand|remember|recall|read|get|not)\b[^,.;]{0,30}(?=,)|(?:looks?|sounds?) (?:good|great|right))\b[\s,.:;!–—-]+"
    rf"|{_ASKING}"
    r"|i (?:think|guess|believe|wonder|feel|suppose|noticed|see|realized?)(?: that| if| like)?(?: we| you| i)?(?: should| need to| could| have to| can)?\s+"
    rf"|{_READING}"
    r"|(?:please )?(?:look at|read|check(?: out)?|see|study|go through) \S+,? and (?:then )?(?!(?:all|both|any|every|each|the|an?|its?|my|our|your|th[aeio]\w+|other)\b)(?=\w+ \w+ \w)"
    r"|(?:(?:while|when) \w+ing [^,.;]{1,60}?,? )?(?:i|we)(?:['’]ve| have)?(?: just| also| recently| now)* (?:noticed|found|saw|discovered|spotted)(?: (?:an?|one|another) (?:issue|bug|problem)(?: that| where|:))?(?: that)?\s+"
    r"|(?:(?:i|we)(?:['’]m| am|['’]re| are)? )?(?:(?:still|now|also|just|currently) )*(?:getting|seeing|having|running into|hitting) (?:th(?:is|ese)|the following|some) (?=(?:[\w-]+ ){0,2}(?:errors?|problems?|issues?|messages?|warnings?|failures?)\b)"
    r"|(?:(?:i|we) )?(?:would(?:['’]ve| have)? )?expect(?:ed)? to (?:see|find|get)\s+|(?:(?:the|my|our|one|a) )?(?:(?:primary|main|real|only|other|first|next) )?(?:issue|problem|point|concern)(?: here| now| i have| we have)? (?:is|was)(?: that)?\b:?\s+"
    r"|for (?:(?:#|(?:obs(?:ervation)?|item|point|issue|finding|number|comment)s? ?#?)\d{1,3}[,:]?|\d{1,2}[,:])\s+"
    r"|(?:take|have) (?:a )?(?:another )?(?:quick |close(?:r)? )?(?=look (?:at|into)\b)|(?:take|have) an? (?:\w+ )(?=look (?:at|into)\b)|consider\s+|(?:we )?re-?consider\s+|why (?:not|don['’]?t we)(?: just)?\s+|how (?:can|could|do|would|should|might) (?:we|i|you)\s+|what about\s+"
    r"|(?>(?:(?:(?:address|fix|explain|see|consider|handle|document|investigate|look into|check|review|eval(?:uate)?) )?(?:this|these|the following|some|one|another|an?|the)(?: [\w-]+){0,2}? (?:feedback|comments?|findings?|nit|suggestions?|observations?|cleanup|remarks?|more)(?: from [^:,.]{1,30})?(?:, [^:,.]{1,30})?:\s+)+)"
    r"|(?:address|fix|explain|see|tell me about|consider|do|implement) (?:this|these|the following|it|that|(?:#|number |issue |finding |point |item )?\d{1,2}[.:)])\s*[:–—-]?\s*"
    r"|(?>(?:debug\s*[:,–—-]+\s+)+)(?=\S+ \S)|(?:have|having|found|got|getting|hit) an? (?:\w+ )?(?=(?:bug|issue|problem|error)\b (?:with|in|on|when|where)\b)"
    r"|(?:(?:issue|finding|point|item|comment|mip|step|phase)s? )?#?\d{1,2}[.):、](?=\s|[^\d\s])\s*"
    r"|(?:minor|major)(?: issue)?\s*[:–—-]\s+|(?:start|begin|continue|resume)(?: work(?:ing)?)?(?: on)? (?:the )?(?:todo|task|issue|ticket)\s*[:–—-]\s+|(?:critical|high|medium|low)(?: severity)?(?: priority)?\s*[:–—-]?\s+(?=[A-Z])|[^\w\s\"'“`@/(#~.<\[-]+\s*"
    r"|while (?:we|i|you)(?:['’]re| are|['’]m)? wait(?:ing)?\b[^,.;]{0,60},\s+|there(?:['’]?s| is| are)(?: still| also)? |it (?:seems|looks like|appears)(?: that)? |(?:seems|looks|sounds) like(?: here)?,? "
    r"|(?:if|when|for|in|on|since|as|based on|given|after|before|now that|with|from) [^,:;]{1,60},\s+(?=(?:let|can|could|please|i['’ ]|we |you |give|add|make|use|do|don|look|take))"
    r")",
    re.I,
)
_LEAD_ZH = Pattern(
    r"(?:(?:我(?:们)?)?(?:想|希望)?(?:请)?(?:你|您)?(?:根据|参考|参照|按照?).{2,160}?(?:来|[，,])?(?:帮我|帮忙)|(?:但|可)是?(?![以能否])|不过|我(?:们)?(?:现在|目前|先|还|也)*(?:想要?|需要|希望|要|打算|准备)|(?:想要?|需要|希望)(?=一)|请(?:你|帮我)?|帮(?:我|忙)|麻烦(?:你)?|能不能|能否|可不可以|是否可以|可以(?!发现)|(?:现在|目前)(?!的)|接下来|首先|好的?|那么?|然后|另外|还有|关于|对于|并且?(?!发|行|非)|比如|其实|就是|好像"
    r"|你(?:先|再|去|来|把|帮我|能|可以|看下|看)?(?=[^的])|[为给]我(?!的)|来(?=实现|修复|完成|编写|优化|处理|解决|增加|添加)|(?:查|看|想|说|讲|了解|参考|研究|分析)一下|查阅(?:一下)?|看看|告诉我|有没有|是不是|还是(?=[用改换退])|(?>(?:我?(?:现在)?想?[让要叫]你做的是)+)|\d{1,2}[.)、．])[，,：:。\s]*"
)
# What is asked for, whichever way it is said.
_ASKS = Pattern(
    r"(?:add|allow|analy[sz]e|build|change|clean|convert|create|debug|delete|deploy|design|disable|document|drop|enable|ensure|explain|explore|export|expose|extract|figure|find|fix|generate|handle|hide"
    r"|implement|improve|include|inspect|install|integrate|introduce|investigate|make|merge|migrate|move|optimi[sz]e|plan|port|prevent|print|publish|rebase|redesign|refactor|release|remove|rename|reorgani[sz]e|replace|research|restructure|return|review"
    r"|revert|rework|rewrite|set up|setup|show|simplify|sort|speed|split|store|summari[sz]e|support|switch|test|translate|undo|unify|update|upgrade|use|validate|verify|wrap|write)\b"
    r"|.{0,6}(?:实现|开发|修复|增加|添加|优化|写|做|改|分析|重构|部署|检查|设计|创建|新增|删除|生成|整理|精简|迁移|升级|配置|搭建|调研|接入|支持|翻译|总结)"
    r"|(?:将|把|让|给).{2,80}(?:改|移|换|放|补全|完善|同步|合并|切换|加上|增加|添加|拆|提取|转)",
    re.I,
)
# What is about this moment, or about what the agent did.
_STEERS = Pattern(
    r"(?:(?:i|we) (?:undid|made|put|took|broke|forgot|meant)|put aside|(?:the )?(?:result|cause|reason)(?: of this\b|,)|(?:the |these |those |all )?(?:\w+ )?files? (?:is|are) ready|(?:write|draft|give me|make) .{0,40}\b(?:git commit|commit message|pr description)|(?:i don['’]?t|don['’]?t) (?:know|understand)\b|i['’]m (?:confused|not sure)|continue|proceed|commit|push|whether|do not edit|why (?:are|did|have) you|(?:i|we|you)['’]ve|(?:i|we|you) (?:just|have|already|did|left|ran|got|\w+ed)|you are|you['’]re|that|this|these|it|there|no|for example|(?:i|we) mean(?:t)?|do you (?:remember|know)|did you)\b"
    r"|(?:use|see|read|check|take) .{3,60} (?:as|for) (?:context|info|reference)\b|(?:我们|咱们)?(?:上次|上回|昨天)|(?:只|不)需要|请?注意|我们?公司|我?已经|我刚|不要|先?别(?![名人的])|继续|的|时候|为什么|这样|(?:非常|很)好",
    re.I,
)
# What a machine said: an error, a page's inside, a log; a path of Windows.
_OUTPUT = Pattern(
    r"\[redacted:|##\[|DOM Path:|Expected (?:the|to|a)\b|\$[({]|^echo\s|\b[A-Z]:\\|\s[·•→│|]\s"
)
# A request that names a file and nothing to be done there.
_ONLY_A_FILE = Pattern(
    r"(?:please\s+)?(?:change|edit|update|modify|fix|open|read|see|check|look at)\s+(?:the file\s+)?`?[\w./~-]+\.\w{1,5}`?"
    r"|请?(?:改|修改|看|更新|编辑|打开|修)(?:一?下|看)?\s*`?[\w./~-]+\.\w{1,5}`?",
    re.I,
)
_STOP_SIGNS = " .。:：,，;；!！(（"
_FRAGMENT = Pattern(r"\s[–—-]\s\w+$")  # what a cut leaves of a clause
_HANGING = Pattern(r"(?<![:;=])[(（【][^()（）【】]*$")
_TAIL = Pattern(
    r"(?<!properly)(?<!properly,)[\s,;.–—-]+(?:can|could|would) (?:you|we) (?:please |also |just )?(?:check|look|take a look|have a look|look into (?:it|this)|fix(?: (?:it|this|that|them))?|explain|debug|help|do (?:that|this|it)|investigate|confirm)(?: (?:please|why|this|it))?\??$"
    r"|[\s,;:–—-]+(?:and|or|but|so|that|with|to|in|on|for|of|the|an?|as|from|is|are|which|when|if|by|please|pls|plz|yes|no|right|ok|too|also|at all|i think|properly|now|maybe|thanks|instead|again|we|you|i|(?:i|we|you)['’](?:d|ll|ve)|saying|about"
    r"|around|covering|into|between|using|via|than|should|include|including|(?:i think )?what i want)$"
    r"|[，,]?(?:吧|吗|呢|了|呀|啊|好吗|可以吗|怎么样|如何|谢谢|的话|，)$|[，,]\s?如图(?:所示)?$",
    re.I,
)


# What is said beside a request in Chinese: look at it, what is pointed at, what was before.
_ASIDE_ZH = Pattern(
    r"也?方便|便于|以便|.*(?:这|那|它|上面|下面|刚才|图[一二三\d])|你?(?:看|帮|试|查|说)|谢谢|麻烦|我们?公司|我(?:们)?(?:是|已经|不小心)|以前|之前"
)
_HELP_ZH = Pattern(r"请?你?帮(?:我|忙)(?=.{4})")
_ONLY_A_VERB_ZH = Pattern(
    r"(?:修?改|优化|看看?|处理|调整|实现|解决|完善|修复|试试?|弄|做)(?:一?下)?[吗吧呢嘛么呀]?"
)
_PARTS_ZH = Pattern(r"(?:[，；;。]|,(?!\d))+|(?<=[\u4e00-\u9fff])\.(?=[\u4e00-\u9fff])")
# We have no logs of the server, add some: what is asked for stands behind.
_REQUEST_BEHIND = Pattern(r"^[^,;]{8,80}[,;] (?:so |please |then |can you |let['’]s )*(?=(?:add|create|change|make (?!sure)|fix|update|remove|write|implement|rename|move|replace|use|show) \w)", re.I)  # fmt: skip


def _result_of(state: SessionState) -> str:
    """What came of a session, as a title; nothing if its last answer reports nothing."""
    result = title_from_answer(report_in(state.last_answer or state.outcome))
    return result if weight_of(result) > ENOUGH else ""


def is_generic(title: str) -> bool:
    """Whether a title would fit any session."""
    if title.startswith(("/", "<", "[")) or is_plan_handover(title):
        return True
    words = [word for word in WORD.findall(title.casefold()) if not word[0].isdigit()]
    left = [word for word in words if word not in _GENERIC]
    wide = sum(map(is_cjk, "".join(left)))
    return wide < 3 if wide else len(left) < 2


# Where a sentence ends for those who type no capitals, and a thought for those who type dots.
_STOPS = Pattern(
    r"(?:(?<=\w\w[.!?])|(?<=[.!?]\)))(?<!e\.g\.)(?<!i\.e\.)(?<! vs\.)(?<! re\.)(?<!etc\.)\s+(?=\w)|(?<=\w)\.{3,}\s+|[,;]?\s+(?:and\s+)?(?=\d\)\s)"
    r"|(?<=[a-z]{2}[.!?])(?=(?:I|We|The|This|It|Please|Can|But|And|So|Also|Then|If|When|What|How|Why|Which|Where)\s)"
)

# -------------------- The title of a session.


def title_of(state: SessionState) -> str:
    """What the session was about, in a few words, and in the language of whoever asked."""
    wide = is_chinese(" ".join(state.requests[:8]))
    first = ""
    for title in filter(None, _titles(state)):
        if not wide or any(map(is_cjk, title)):
            return title
        first = first or title
    return first or one_line(state.task, 80) or state.session_id


def is_from_before_pages(state: SessionState, title: str) -> bool:
    """Whether a title of a session that read pages has no words that a page may have put there."""
    # A client makes up a name of the person's, too, where they asked for one and gave none.
    given = (state.titles.get(giver, "") for giver in ("person", "typed"))
    own = {*given, *state.plans, *state.first_hand.get("titles", ())}
    own = {one_line(one, 100).rstrip(".。:：") for one in own} | {titled(one) for one in own}
    own.update(made for made, _ in _made(state))
    own.discard(titled(state.titles.get("foreign", "")))  # of another session
    asked = asked_for(state)
    own.update(one for one, _ in asked)
    branch = of_branch(state.branch)
    if branch and state.branch == state.first_hand.get("branch"):
        own.update((branch, _on_branch(branch, asked)))
    return title in own - {""}


def _titles(state: SessionState) -> Iterator[str]:
    """The titles that it could have, the best first."""
    for giver in ("person", "custom", "model", "client", "summary"):
        yield one_line(state.titles.get(giver, ""), 100).rstrip(".。:：")
    yield from (titled(plan) for plan in state.plans if plan != "–")
    weak: list[str] = []
    for title, enough in _made(state):
        if weight_of(title) >= enough:
            yield title
        weak.append(title)
    if name := state.titles.get("named", ""):
        yield f"{name} ({number_in(state.requests)[0]})"
    asked = asked_for(state)
    branch = of_branch(state.branch)
    if weight_of(branch) >= ENOUGH:
        telling = [one for one in state.requests if weight_of(one) >= ENOUGH]
        result = _result_of(state) if telling and all(map(is_by_number, telling)) else ""
        yield titled(f"{branch}: {_in_a_row(result)}") if result else _on_branch(branch, asked)
    own = (*(title for title, _ in asked), state.task)
    named = (one for one in own if weight_of(one) >= ENOUGH and not _ONLY_A_FILE.fullmatch(one))
    for one in named:
        result = _result_of(state) if is_by_number(one) else ""
        yield titled(f"{one}: {_in_a_row(result)}") if result else one
    answer = state.last_answer or state.outcome
    said = title_from_answer(answer_summary(answer, 400))
    done = said if DONE.match(said) else ""
    yield from (one for one in (_heading_of(answer), done) if weight_of(one) >= ENOUGH_OF_AGENT)
    names = (one for one, _ in asked if not (_POINTS.search(one) or _ONLY_A_FILE.fullmatch(one)))
    short = next(filter(weight_of, names), "")
    yield from (one for one in (*weak, short) if weight_of(one))
    if weight_of(said) >= ENOUGH_OF_AGENT:
        yield said
    yield from (titled(note) for note in state.notes[:1])
    yield titled(state.titles.get("foreign", ""))
    yield from weak
    yield from (title for title, _ in asked)
    files = ", ".join(path.rpartition("/")[2] for path in state.files_modified[:3])
    yield from (files, said)


def _made(state: SessionState) -> Iterator[tuple[str, int]]:
    """The titles of what was made, and how many words of a subject each needs.

    What was made after a page was read may be called as the page wished.
    """
    made = [row for row in state.made if not state.web or is_first_hand(state, row)]
    pulls = [row["text"] for row in made if row["kind"] == "pull" and row["text"]]
    commits = [row["text"] for row in made if row["kind"] == "commit"]
    for subject in (*pulls, _telling_commit(state, commits)):
        yield subject_as_title(subject), ENOUGH_OF_AGENT
    foreign = state.titles.get("foreign", "")
    if foreign and _is_about(foreign, state):
        yield titled(foreign), ENOUGH_OF_AGENT


def _telling_commit(state: SessionState, commits: list[str]) -> str:
    """The commit that shares most words with what was asked for and with the other commits."""
    own = (text for text in commits if not text.startswith(("Merge ", "Revert ", "Initial ")))
    commits = [text for text in own if weight_of(text) > 1]
    if not commits:
        return ""
    said = Counter(w for text in (*state.requests, *commits) for w in words_of(text))
    return max(commits, key=lambda text: sum(min(said[w], 4) for w in words_of(text)))


def _is_about(title: str, state: SessionState) -> bool:
    """Whether a title of unsure origin shares half of its words with what was asked for."""
    words = words_of(title)
    said = words_of(" ".join((*state.requests, *state.files_modified)))
    return len(words & said) * 2 >= len(words)


_POINTS = Pattern(r"\b(?:this|that|it|these|them|those)$", re.I)
_MAIN = Pattern(
    r"(?:main|master|develop|development|dev|trunk|head|staging|release|production)$", re.I
)


def of_branch(branch: str) -> str:
    """The title that a branch's name makes: `ada/fix-lid-sensor` → `Fix lid sensor`."""
    name = branch.rpartition("/")[2]
    words = [word for word in re.split(r"[-_]+", name) if word]
    if _MAIN.match(name) or len(words) < 2 or "worktree" in branch:
        return ""
    if len(words) > 3 and words[1].isdigit():
        del words[:2]  # the key of an issue
    if branch.startswith("claude/"):
        del words[-1]  # drawn by lot
    kept = [word for word in words if not word.isdigit()]
    return titled(" ".join(kept)) if len(kept) > 1 else ""


_LOOK = Pattern(r"^look (?:at|into)\s+(?=\S+ \S)", re.I)
# What is told in passing, and what is asked.
_ASIDE = Pattern(r"(?:our|you|i|we|(?:one|another|the other) thing|like|just|\d+) ", re.I)
_QUESTION = Pattern(r".*\?$|(?:is|are|was|were|do|does|did|has|have|can|could|should) (?:we|you|i|it|they|the|there|this|that|any|our|my|your)\b|(?:why|what|how|where|who|(?:on|in|for|to) which)\b", re.I)  # fmt: skip
# Comments on a pull request: what its branch is about says more.
_OF_REVIEW = Pattern(
    r".*\b(?:(?:comments?|points?|findings?|feedback|suggestions?|threads?)\b.*\b(?:code ?rabbit|copilot|bugbot|review(?:er)?s?|pr|pull request)\b"
    r"|(?:code ?rabbit|copilot|bugbot|review(?:er)?s?)\b.*\b(?:comments?|points?|findings?|feedback|suggestions?|threads?)\b)",
    re.I,
)


def _beside_branch(asked: list[tuple[str, float]]) -> str:
    """The request that says most beside a branch's name: rather a wish than a question."""
    most = asked[0][1] if asked else 0.0
    near = [one for one, score in asked[:4] if score >= most - abs(most) / 2 and _adds(one)]
    if near and _QUESTION.match(near[0]):
        wishes = (one for one in near if _ASKS.match(one) and weight_of(one) > ENOUGH)
        return next(wishes, near[0])
    return near[0] if near else ""


def _adds(title: str) -> bool:
    if _OF_REVIEW.match(title) or _STEERS.match(title) or _ASIDE.match(title):
        return False
    if _QUESTION.match(title):
        return weight_of(title) >= ENOUGH
    return " " in title and bool(weight_of(title) or _ASKS.match(title))


def _on_branch(branch: str, asked: list[tuple[str, float]]) -> str:
    """A branch's title, with the best request behind it where that says more."""
    best = _LOOK.sub("", _beside_branch(asked))
    if not best:
        return branch
    if len(words_of(branch) & words_of(best)) * 2 > len(words_of(branch)):
        return best
    title = titled(f"{branch}: {_in_a_row(best)}")
    return title if weight_of(title) - weight_of(branch) >= min(weight_of(best), 2) else branch


def _in_a_row(title: str) -> str:
    """A title as it stands behind a colon."""
    is_word = title[1:2].islower() or title[:2] == "A "
    return f"{title[:1].lower()}{title[1:]}" if is_word else title


# -------------------- Titles of what was asked for.


class _Candidate(NamedTuple):
    title: str
    sentence: str
    request: int  # in which request it stands,
    place: int  # the sentence there,
    part: int  # and the part of the sentence


def asked_for(state: SessionState) -> list[tuple[str, float]]:
    """The titles that the requests make, each with how well it tells the subject; the best first."""
    told = (state.last_answer or state.outcome)[:TOLD]
    return _ranked(tuple(state.requests), told, tuple(state.files_modified))


@lru_cache(maxsize=4)  # a page asks for its title several times
def _ranked(
    requests: tuple[str, ...], told: str, files: tuple[str, ...]
) -> list[tuple[str, float]]:
    """What tells most of a session is in its other words as well, and stands at its beginning.

    The weights are fitted to titles that readers wrote: docs/measurements/2026-11-26-titles.md.
    """
    said = Counter(word for request in requests for word in words_of(request))
    in_files = {word for path in files for word in words_of(re.sub(r"[/_.-]+", " ", path))}
    in_answer = words_of(told)
    said_first = (n for n, one in enumerate(requests) if weight_of(one) or one.count(" ") > 1)
    first = next(said_first, 0)  # a greeting is none
    all_words = max(said.total(), 1)
    found: dict[str, float] = {}
    for one in _candidates(requests):
        words = words_of(one.title)
        read = simplified(one.title)
        longest = LONGEST_WIDE if any(map(is_cjk, read)) else LONGEST
        asks = _ASKS.match(read) or (not one.part and _HELP_ZH.match(simplified(one.sentence)))
        score = (
            0.6 * sum(said[word] for word in words) / all_words
            + 0.03 * min(len(words & in_answer), 4)
            + 0.06 * min(len(words & in_files), 3)
            + 0.08 * min(len(read) / longest, 1)
            + 0.07 * bool(asks)
            + 0.10 * (one.request <= first)
            - 0.07 * one.request / len(requests)
            + 0.05 * (one.place == 0)
            - 0.01 * min(one.part, 3)
            - 0.2 * bool(_OUTPUT.search(one.sentence))
            - 0.15 * bool(_STEERS.match(simplified(one.sentence)) or _STEERS.match(read))
        )
        if weight_of(one.title) < ENOUGH:
            score -= 1
        found[one.title] = max(score, found.get(one.title, -9.0))
    rows = sorted(found.items(), key=lambda row: -row[1])
    return [(_ended(title), score) for title, score in rows]


def _candidates(requests: tuple[str, ...]) -> Iterator[_Candidate]:
    for n, request in enumerate(requests[:MOST_REQUESTS]):
        for place, sentence in enumerate(islice(_sentences(request), LOOKED_AT)):
            for part, bare in enumerate(_parts(sentence)):
                if title := _cut(bare):
                    yield _Candidate(title, sentence, n, place, part)


def _sentences(request: str) -> Iterator[str]:
    for line in filter(None, request.splitlines()):
        for sentence in sentences_of(_POINTED_AT.sub("", " ".join(line.split())), 4):
            yield from _STOPS.split(sentence)


def title_in(request: str) -> str:
    """The title that a request makes."""
    rows = asked_for(SessionState("", requests=[request]))
    return rows[0][0] if rows else titled(one_line(request, LONGEST))


def _parts(sentence: str) -> Iterator[str]:
    """What a sentence asks for or states, in one or several ways."""
    if (has_han(sentence) and is_chinese(sentence)) or _LEAD_ZH.match(simplified(sentence)):
        parts = [part.strip() for part in _PARTS_ZH.split(sentence) if part.strip()]
        read = [simplified(part) for part in parts]
        for n in range(min(len(parts), 9)):
            if asked := _HELP_ZH.search(read[n], 6):
                yield _bare(parts[n][asked.end() :], _LEAD_ZH)
            bare = _bare(parts[n], _LEAD_ZH)
            is_request = _HELP_ZH.match(read[n]) or _ASKS.match(read[n])
            is_request = is_request or _ASKS.match(simplified(bare))
            if len(parts) > 1 and (not weight_of(bare) or _ONLY_A_VERB_ZH.fullmatch(bare)):
                continue
            if _ASIDE_ZH.match(read[n]) and len(parts) > 1 and not is_request:
                continue
            for m in range(n + 1, len(parts)):
                if _ONLY_A_VERB_ZH.fullmatch(_bare(read[m], _LEAD_ZH)):
                    continue
                if len(bare) + len(parts[m]) > LONGEST_WIDE or _ASIDE_ZH.match(read[m]):
                    break
                bare = f"{bare}，{parts[m]}"
            yield bare
        return
    bare = _bare(sentence, _LEAD)
    yield bare
    tail = None if _ASKS.match(bare) else _REQUEST_BEHIND.search(sentence)
    if tail:
        yield sentence[tail.end() :]


def _bare(sentence: str, leads: Pattern) -> str:
    """A request without the words that it begins with, and no question any more."""
    bare = sentence
    while (lead := leads.match(simplified(bare))) and weight_of(bare[lead.end() :]) and lead.end():
        bare = bare[lead.end() :]
    return bare.strip() if bare == sentence else bare.rstrip("?？ ").strip()


# -------------------- Titles of what somebody wrote.


def subject_as_title(subject: str) -> str:
    """The subject of a commit or a pull request as a title."""
    kind = _CHANGE.match(subject)
    rest = subject[kind.end() :] if kind else subject
    if kind and kind[1].casefold() == "fix" and not re.match(r"fix", rest, re.I):
        rest = f"Fix: {rest}"
    return titled(rest)


def _heading_of(answer: str) -> str:
    """The name that an answer has: `# Review of PR #4: Loans by date`."""
    found = _HEADING.search(answer[:TOLD])
    return titled(found["name"]) if found else ""


def title_from_answer(told: str) -> str:
    """The title that an answer makes: of its first sentences the one that says most."""
    sentences = split_sentences(told)[:4]
    best = max(
        enumerate(sentences),
        key=lambda row: min(weight_of(row[1]), 8) - row[0] + 3 * bool(_DONE.match(row[1])),
        default=None,
    )
    return titled(_bare(_DONE.sub(r"\g<done>", best[1]), _LEAD)) if best else ""


_HEADING = Pattern(r"^# +(?P<name>\S.*)$", re.M)
# What an agent says that it did: `Perfect! I've successfully added a page`.
_DONE = Pattern(r"(?:(?:all )?(?:done|perfect|great)\W+)?(?:(?:i|we)(?:['’]ve| have)? (?:successfully |now |also )*)?(?P<done>[a-z]+ed\b(?!:))", re.I)  # fmt: skip
_LINK_BEHIND = Pattern(r"\s?[:：]\s?https?://\S{1,400}$")
_NAMED_LINK = Pattern(r"\[(?P<text>[^\]\n]+)\]\([^()\s]*\)")
# What makes a Chinese request polite, and the mark of a file that a client put there.
_SOFT_ZH = Pattern(
    r"(?<=[\u4e00-\u9fff])一下|(?<=[\u4e00-\u9fff])(?<![酒网吗])吧(?=[，,])|#(?=[\w.-]+/)"
)
# For whom it is to be done: `write me a page`, `count the loans for me`.
_FOR_ME = Pattern(r"^(?P<verb>(?:build|create|draft|fetch|generate|make|prepare|write)) me (?=(?:an?|the|some|\d+) )|\s(?:for (?:me|us)|to me)(?=$| and\b| then\b|[,.?])\s?", re.I)  # fmt: skip
_EMPHASIS = Pattern(r"(?<![\w*])\*(?P<text>[\w`][^*\n]*)(?:\*(?!\w)|$)")


def titled(text: str) -> str:
    """A text as a title: one line, its first letter large, no stop at its end."""
    return _ended(_cut(text))


def _ended(title: str) -> str:
    """A title that was cut within a phrase without what is left of the phrase."""
    if not title.endswith("…"):
        return title
    ends = [found.start() for found in _JOINT.finditer(title)]
    if not ends or ends[-1] < LONGEST // 2:
        return title
    ended = _without_tail(_LOOSE.sub("", title[: ends[-1]]))
    return ended if weight_of(ended) * 5 >= weight_of(title) * 4 else title


def _cut(text: str) -> str:
    plain = _NAMED_LINK.sub(r"\g<text>", text)
    beside = _LINK_BEHIND.sub("", plain)
    plain = LINK.sub(_linked, beside if weight_of(beside) > ENOUGH else plain).replace("**", "")
    for aside in (_FOLDER, _MENTIONED):
        beside = aside.sub("", plain)
        plain = beside if weight_of(beside) >= ENOUGH else plain
    line = _FOR_ME.sub(_done, _EMPHASIS.sub(r"\g<text>", plain))
    paths = {found[0]: found["name"] for found in _PATH.finditer(line)}
    if len({*paths.values()}) == len(paths):  # else the folders are what tells the files apart
        line = _PATH.sub(r"\g<name>", line)
    line = " ".join(line.split()).strip(" -–—*_#\"'“”")
    is_cut = len(line) > LONGEST
    if is_cut:
        ends = [found.start() for found in _CLAUSE.finditer(line[: LONGEST + 1])]
        line = line[: ends[-1]] if ends and ends[-1] >= LONGEST // 2 else shortened(line, LONGEST)
        line = _FRAGMENT.sub("", line)
    for sign in ("`", '"'):
        if line.count(sign) % 2:
            at = line.rindex(sign)
            line = (
                line[:at].rstrip() if is_cut and at > LONGEST // 2 else line[:at] + line[at + 1 :]
            )
    if line.count("“") != line.count("”"):
        line = line.replace("“", "").replace("”", "")
    if (hanging := _HANGING.search(line)) and weight_of(line[: hanging.start()]) >= ENOUGH:
        line = line[: hanging.start()]
    line = _without_tail(_SOFT_ZH.sub("", line).rstrip(_STOP_SIGNS))
    return capitalized(line)


def _without_tail(line: str) -> str:
    while tail := _TAIL.search(simplified(line)):
        line = line[: tail.start()].rstrip(_STOP_SIGNS)
    return line


def _done(asked: re.Match[str]) -> str:
    return f"{asked['verb']} " if asked["verb"] else " " * asked[0].endswith(" ")


def _linked(link: re.Match[str]) -> str:
    """A link as a person would name it: its last two parts, with a slash after the host."""
    parts = [part for part in link[0].rstrip(".,;)/").split("/")[2:] if part]
    if not parts:
        return link[0]
    if parts[-1].isdigit() and {*parts[-2:-1]} & {"issues", "pull", "merge_requests"}:
        return f"#{parts[-1]}"
    return ("/" if len(parts) == 2 else " ").join(parts[-2:])
