"""Extract facts from sentences: at most one per sentence, in the person's words."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from recollect._fastimport import Pattern
from recollect.capture import clauses, offers, patterns_european
from recollect.capture import sentence_weights as weights
from recollect.capture.offers import LEAST, LONGEST_OPTION, SHORTEST, wording_of
from recollect.capture.pattern_types import DecisionPhrases
from recollect.capture.patterns_en import ENGLISH, UNITS
from recollect.capture.patterns_zh import CHINESE
from recollect.capture.plain_wording import capitalized, plainly
from recollect.capture.reversals import is_lasting, rules_by_refusal
from recollect.model.facts import Fact
from recollect.text.sentences import (
    has_han,
    sentences_of,
    weight_of,
    without_blocks,
    without_quotations,
)
from recollect.text.tokens import simplified

LONGEST = 200
_LEAD = Pattern(
    r"^(?:no,\s+|no\s+(?=(?:we|let['’]?s|i|you)\b)|(?:o+k+(?:ay)?|k|yes|yep|yeah|nah|nope|right|sure|great|good|alright|hmm+|actually|also|and|so|then|well|please"
    r"|but|all good|looks good|lgtm|one more thing|btw|by the way|fyi|heads[- ]?up|if (?:that['’]?s|so|this is) the case|assuming so|that['’]?s (?:not right|wrong)|wait|sorry|scratch that|never ?mind|i(?:['’]ve)? changed my mind|mention that|also note that|specifically|(?:i|we) (?:also |just |do )*(?:want(?:ed)?|need|would like) to (?:mention|note|add|point out|stress|emphasi[sz]e|say|clarify) that|i don['’]?t like (?:that|this|it))\b(?:[,:.!]|\s,|\.\.\.?|\s[–—-])?\s+|(?:好的?|对|嗯|另外|还有|然后|那么?|而且|对了|不对?|错了|等等|等一下|算了|其实|抱歉|(?:那就|就)这样吧?|我改(?:变)?主意了)[，,：:！。\s]+|for (?:(?:your )?future reference|the future)[:,]\s*|(?:topic|point|question|answer|item|q) ?#?\d{1,2} ?[:.)]\s*|(?:另外|此外)(?![的一两几])|请(?=[^注求问])|\d{1,2}[、．](?=[\u4e00-\u9fff]))",
    re.I,
)
_STATED = Pattern(
    r"^(?:(?:final )?(?:decision|call|verdict)|decided|agreed|settled)\s*[:：]\s*"
    r"|^(?:最终)?(?:决定|决策|结论)\s*[:：]\s*|^(?:说定|敲定|商定|定)了[，,：:]\s*",
    re.I,
)
_REASON = Pattern(
    r"(?:,|;|\s[–—-])?\s+(?:because(?: of)?|since|so that|as it|as we|(?=in order to)|due to)\b\s*"
    # `Use ULIDs to avoid collisions`, but not `I want us to avoid collisions`.
    r"|(?:,|;|\s[–—-])?(?<!\blike)(?<!\bwant)(?<!\bneed)(?<!\bhave)(?<!\bgoing)(?<!\btry)(?<!\btrying)(?<!\bdecided)(?<!\bagreed)(?<!\bprefer)(?<!\bhow)"
    r"(?<!\bsure)(?<!\bwish)(?<!\bremember)(?<!\bought)(?<!\bplan)(?<!\bus)(?<!\byou)(?<!\bwe)(?<!\bis)(?<!\bare)(?<!\brule)(?<!\bgoal)\s+(?=to avoid\b)"
    r"|(?:\s+|[,;]\s*)(?=it(?:['’]?s| is) (?:not|no longer|too|never|only)\b)"
    r"|[,，;；]?\s*(?:因为|由于|(?=以便|为了避免)|原因是|理由是)[:：]?\s*",
    re.I,
)
_TECHNOLOGY = Pattern(
    r"\b(?:use|using|adopt|switch|migrate|library|framework|database|version|instead of)\b"
    r"|[A-Z][A-Za-z]*(?:SQL|DB|JS|QL)\b|用|采用|换成|改用|数据库|框架|版本|库",
    re.I,
)
_ARCHITECTURE = Pattern(
    r"\b(?:architecture|modules?|services?|layers?|schema|boundar\w+|monolith|microservices?|pipeline"
    r"|queue)\b|架构|模块|服务|分层|层次|微服务|单体",
    re.I,
)
_SAID = Pattern(
    r"^(?:we|i|the team)(?:['’]ve| have)?(?: all)? (?:decided|agreed|chose|opted) "
    r"(?:to|that we(?:['’]ll| will)?|that|on)\s+(?!not\b)"
    r"|^(?:let['’]?s|we(?:['’]ll| will| shall)|i(?:['’]d| would)(?: like (?:us )?to)?|i want (?:us )?to)\s+(?!not\b|rather\b|like\b)"
    r"|^(?:i misspoke|my mistake|correction|i was wrong)[,.:;]?\s+(?:(?:we|it|you) (?:should|must)\s+(?!not\b|be\b))?"
    r"|^(?:刚才|刚刚|上面|前面)?我?(?:刚才|刚刚)?(?:说|记)错了[，,。！：:\s]*(?:应该|应当)?"
    r"|^(?:最后|最终|后来)?(?:我们)?(?:定下来|敲定|商定)[了是:：,，]*\s*|^我?们?(?:已经)?决定[了:：,，]?\s*|^我们?(?:更|比较|还是)?倾向于?\s*",
    re.I,
)
_NUMBER = Pattern(r"\d+[.)]?")  # one may choose an option; more were pasted
# An error that was pasted into a line, which goes on with sentences of its own.
_ERROR = Pattern(r"\b\w*(?:Error|Exception): .*$", re.M)


def facts_in_prompt(text: str, before: str = "") -> list[Fact]:
    """The decisions and preferences in a person's prompt, in order.

    `before` is the answer right before it: of an option that it offers the option's text is kept.
    """
    found: list[Fact | None] = []
    said = [*sentences_of(_ERROR.sub("", text), 1), ""]
    is_table = len([*filter(_NUMBER.fullmatch, said)]) > 1
    for n, (sentence, following) in enumerate(pairwise(said)):
        fact = _to_remember(sentence, following, text) or _rule_marked(sentence, following)
        fact = fact or fact_in(sentence)
        if fact and before and offers.is_only_named(fact.content, before):
            fact = None
        fact = fact or _chosen(sentence, "" if is_table else before)
        fact = fact or _lasting(sentence, said[n - 1] if n else "", text)
        fact = fact or patterns_european.statement_in(sentence) or _clause(sentence)
        fact = fact or _weighed(sentence, n, len(said) - 1) or _where_it_runs(sentence, following)
        found += [fact] if fact else _within(sentence)
    kept = [fact for fact in found if fact and not _TENTATIVE.match(fact.content)]
    return kept or [*filter(None, (_accepted(text, before),))]


# What is thought aloud, or an example; work that is to be thought about first; a comment in pasted code.
_TENTATIVE = Pattern(
    r"//|/\*|(?:perhaps|possibly|might|i (?:thought|suppose)|we (?:also )?(?:may|might)|for (?:example|instance))\b"
    r"|(?:i|we)(?:['’]d| would)? (?:want|like) (?:you )?to (?:plan|investigate|research|explore|discuss)\b",
    re.I,
)


def facts_refusing(text: str) -> list[Fact]:
    """The decisions and preferences of who refused a call or a plan, beyond that call or plan."""
    kept = [fact for fact in facts_in_prompt(text) if is_lasting(fact.content)]
    known = {fact.content.casefold() for fact in kept}
    for sentence in rules_by_refusal(text):
        content = _tidy(sentence)
        read = simplified(content)
        wording = wording_of(read)
        if content.casefold() in known or wording.vague.search(read):
            continue
        if re.match(r"i\b|我", content, re.I):
            kept.append(Fact("decision", content, "", category_of(content), source="instructed"))
        else:
            kept.append(_rule(content, read, wording))
    return kept


# What an agent is asked in so many words to remember; not what happened, nor what to do next.
_REMEMBER = Pattern(
    r"(?:please |pls )?(?:(?:remember|keep in mind|bear in mind|don['’]?t forget|(?P<loose>note to self|for the record))(?: this| that)?\s*:\s*"
    r"|(?:remember|keep in mind|bear in mind)(?:,? that\s+|,\s+(?=(?:we|our|all|every|each|no)\b)))(?!i\b|(?:for|in|when|next)\b|.*\b(?:was|were|did|just|first|next|later|today|tonight|tomorrow)\b)(?P<en>\S.*)"
    r"|(?:你|一定|务必|要|请|麻烦|帮我|帮忙)*(?:记住|牢记|谨记)(?:了|一点|一下)?[：:，,]?\s*(?P<zh>(?!我|登录|密码|用户|账号|吗|没)[^了]{4,})",
    re.I,
)

# What goes on with a statement behind a semicolon, and is no task and no thanks.
_REQUIRES = Pattern(
    r"(?:never|always|only|do(?:n['’]?t| not)|must|no|it(?:['’]s| is| has)|they(?:['’]re| are| have)|we|use)\b(?!.*\?$)|(?:不要|别|不能|必须|只|都|它|禁止|一律)",
    re.I,
)


def _to_remember(sentence: str, following: str, text: str) -> Fact | None:
    """What stands behind `Remember:`, with what follows behind a semicolon."""
    said = _without_lead(sentence)
    asked = _REMEMBER.match(simplified(said))
    if not asked or sentence.endswith(("?", "？")) or "[redacted:" in sentence:
        return None
    content = said[asked.start("en" if asked["en"] else "zh") :]
    goes_on = re.match(r"\s*[;；]", text.partition(sentence)[2]) and "[redacted:" not in following
    if goes_on and _REQUIRES.match(simplified(following)) and not fact_in(following):
        content = f"{content.rstrip('.。')}; {following}"
    read = simplified(content)
    wording = wording_of(read)
    is_clear = SHORTEST[wording is CHINESE] <= 2 * len(content) <= 2 * LONGEST
    if not is_clear or wording.vague.search(without_quotations(content.partition(";")[0])):
        return None
    if (fact := fact_in(content)) or asked["loose"]:  # which may be about anything
        return fact
    return _as_written(_rule(read, read, wording), read, content)


# What holds from now on by its own words, though it points to what stands beside it.
_FROM_NOW = Pattern(
    r"\b(?:for (?:your )?future reference|from now on|(?:do|don['’]?t|never|not)(?: ever)? do (?:that|this|it)(?: ever)? again"
    r"|(?:keep|bear) (?:that|this|it) in mind|memori[sz]e (?:this|that|it|the)|document (?:this|that|it) as (?:a )?(?:learning|lesson|rule|decision)"
    r"|(?:this|that|it) (?:never|must (?:not|never)|should (?:not|never)) (?:happen|repeat|occur)s?(?: again)?)\b|(?:以后|今后|下次)(?:都|请|就|不要|不能|别|一律|必须)",
    re.I,
)
SAID_BEFORE = 30  # characters before such words that say what they are about
_COMMAND = r"\s+(?:```\w*\n|`)?([^\n`]{3,120})"


def _lasting(sentence: str, prior: str, text: str) -> Fact | None:
    """The rule of a sentence that says that it is one, with the line that it points to."""
    read = simplified(without_quotations(sentence))
    found = _FROM_NOW.search(read)
    is_asked = sentence.endswith(("?", "？"))
    if not found or is_asked or wording_of(read).reported.search(read[: found.start()]):
        return None
    is_whole = found.start() > SAID_BEFORE or not wording_of(read).vague.search(read)
    is_told = len(prior) >= SHORTEST[has_han(prior)] and prior[-1] not in "?？:"
    if sentence.endswith((":", "：")):
        below = re.match(_COMMAND, text.partition(sentence)[2])
        said = f"{sentence} `{below[1].strip()}`" if below else ""
    elif is_whole or (found[0].casefold() == "from now on" and not is_told):
        said = sentence
    else:
        said = f"{prior} {sentence}" if is_told else ""
    content, wording = _without_lead(said), wording_of(said)
    is_clear = SHORTEST[wording is CHINESE] <= len(content) <= LONGEST + LONGEST_OPTION
    is_kept = is_clear and "[redacted:" not in said
    return _rule(content, simplified(said), wording) if is_kept else None


_IN_A_VM = Pattern(
    r"you(?:['’]?re| are) (?:running |currently |now )?(?:in|inside|on) an? (?:\w+ ){0,2}(?:vm|virtual machine|container|sandbox|wsl|devcontainer|codespace)\b"
    r"|你(?:现在)?(?:是)?(?:运行)?在一?个?(?:\w+ ?)?(?:虚拟机|容器|沙箱|沙盒)[里中]",
    re.I,
)


def _where_it_runs(sentence: str, following: str) -> Fact | None:
    """What an agent is told of the machine that it is on, with the sentence behind it."""
    said = _without_lead(sentence)
    if not _IN_A_VM.match(simplified(said)) or sentence.endswith(("?", "？")):
        return None
    is_more = following and not following.endswith(("?", "？", ":"))
    whole = (
        f"{said} {following[:1].upper()}{following[1:]}"
        if is_more and len(said) + len(following) <= LONGEST
        else said
    )
    return Fact("decision", _tidy(whole), category="architecture", source="instructed")


def _weighed(sentence: str, n: int, of: int) -> Fact | None:
    """What a sentence of an English prompt states without a phrase that is known for it."""
    text = _without_lead(sentence)
    has_size = SHORTEST[0] <= len(text) <= LONGEST
    if not has_size or has_han(sentence) or "[redacted:" in sentence:
        return None
    plain = without_quotations(text)
    reason = _REASON.search(plain)
    said = plain[: reason.start()] if reason else plain
    one = weights.Sentence(text, plain, n, of, bool(ENGLISH.vague.search(said)), bool(reason))
    content = _tidy(_LETS.sub("", text))
    if weights.keep_score(one) < weights.LEAST or (not reason and _ASKS_NOW.search(content)):
        return None
    if ENGLISH.ruled.search(plain) and not ENGLISH.not_meant.search(plain):
        return _rule(text, plain, ENGLISH)
    return Fact("decision", content, category=category_of(text), source="instructed")


_LETS = Pattern(r"^let['’]?s (?:just |also |please )*(?!not\b|see\b)", re.I)
_CHANGE = r"make|add|remove|change|show|create|update|put|get rid of|use \w+ to (?:create|make)"
# What is to be done or shown now, or points to what somebody else said.
_ASKS_NOW = Pattern(
    r"^(?:(?:instead|for now|now),? |be sure |(?:tell|inform) the \w+|have (?:the |an? )?\w+ (?:or|and|go|be|do|show)\b|we can go\b|the file should|when the (?:app|page|screen) "
    rf"|(?:we should (?:also |just )?)?(?:{_CHANGE}|rename)\b)|\bi (?:thought|assumed)\b|\b(?:as|like) you (?:say|said|mention|wrote)|, (?:so )?let['’]s (?:just )?(?:add|remove|change)|\bcreate a task\b|\bfor now\b",
    re.I,
)


def _rule(content: str, plain: str, wording: DecisionPhrases) -> Fact:
    """The rule with this content; `plain` shows whether it forbids something."""
    category = "anti-pattern" if wording.against.search(plain) else "convention"
    return Fact("pattern", _tidy(content), category=category, source="instructed")


# A clause that requires something in a Chinese sentence that goes on to ask, and what comes before such a clause if it is none.
_FIRM_ZH = Pattern(
    r"(?:那|而且|并且|所以)?(?:你|请)*(?:要求|一定要|必须|务必|不要|绝不|严禁|禁止|不是.{2,40}而是)"
)
_SOFT_ZH = Pattern(
    r"如果|假如|若|要是|是不是|能不能|为什么|除非|只有|求求?你|他们?说|文档|报错|提示"
)
_GOES_ON_ZH = Pattern(
    r"(?!希望|除了|我|你|这|那|他|还有|另外|如果|是不是|怎么).{1,12}(?:能|要|必须|不能?|都|可以?)\S"
)
_WHY_ZH = Pattern(r"(?:因为|由于|否则|不然|以免|避免|我?发现).{4,}")


def _within(sentence: str) -> list[Fact | None]:
    """What single clauses of a Chinese sentence require, which as a whole asks or tells more."""
    read = simplified(sentence)
    parts = re.split(r"[，,；;]", read) if has_han(read) else []
    if len(parts) < 2:
        return []
    found: list[Fact | None] = []
    for n, part in enumerate(parts):
        said = part.strip()
        after = parts[n + 1].strip() if n + 1 < len(parts) else ""
        goes_on = _GOES_ON_ZH.match(after) and "要求" in said
        if (
            goes_on
            or _WHY_ZH.match(after)
            or (said.startswith("不是") and after.startswith("而是"))
        ):
            said = f"{said}，{after}"
        if _SOFT_ZH.search("".join(parts[:n])):
            break
        if _FIRM_ZH.match(said):
            found.append(_as_written(fact_in(said), read, sentence))
    return found


def _clause(sentence: str) -> Fact | None:
    """What a clause states of a sentence that as a whole asks, corrects or tells more."""
    read = simplified(sentence)
    found = None if "[redacted:" in sentence else clauses.statement_clause(read)
    if found is None:
        return None
    content, wording = read[found.start : found.end], wording_of(read)
    is_told = wording.reported.search(read[: found.start])
    if is_told or not SHORTEST[wording is CHINESE] <= 2 * len(content) <= 2 * LONGEST:
        return None
    if found.is_rule:
        return _as_written(_rule(content, content, wording), read, sentence)
    return _as_written(_decision(content), read, sentence)


def _chosen(sentence: str, before: str) -> Fact | None:
    """The option of the answer before that a sentence chooses, in the words of that answer."""
    bare = _without_lead(sentence)
    taken = offers.chosen_option(bare, before) if before and len(bare) <= LONGEST else None
    chosen = _decision(taken.text) if taken else None
    if not taken or not chosen:
        return None
    cut = _REASON.search(simplified(bare), taken.end)
    detail = _trim(bare[cut.end() :]) if cut else taken.how
    return chosen._replace(detail=detail or chosen.detail)


def _accepted(text: str, before: str) -> Fact | None:
    """The one thing that the answer before proposed, where a prompt says nothing but yes to it."""
    proposed = offers.accepted(text, before)
    return _decision(proposed) if proposed else None


# Between Chinese and a word in other letters some people leave a gap, and some do not.
_GAP = Pattern(r"(?<=[\u4e00-\u9fff]) (?=[A-Za-z\d])|(?<=[A-Za-z\d]) (?=[\u4e00-\u9fff])")
# What may happen otherwise, or is why: a doubt in it is none about what is said.
_OR_ELSE = Pattern(
    r"(?<=.{12})[,;]?\s(?:otherwise|or else|because)\b.*$|(?<=.{5})[，,；;]\s*(?:否则|不然|要不然|因为|以免|免得).*$",
    re.I,
)
_WHEN_SAID = Pattern(r" (?:last|this) (?:week|month|year|sprint|summer|winter|spring)$", re.I)


@lru_cache(maxsize=256)  # a prompt is read for its facts and for its task
def fact_in(sentence: str) -> Fact | None:
    """What one sentence of a person decides or rules, or None."""
    read = simplified(sentence)
    return _as_written(_fact_in(read), read, sentence)


def _as_written(fact: Fact | None, read: str, written: str) -> Fact | None:
    """The fact that was read in simplified signs, in the signs in which it was written."""
    if fact is None or read == written:
        return fact
    content, detail = (_in_signs_of(text, read, written) for text in (fact.content, fact.detail))
    return fact._replace(content=content, detail=detail)


def _in_signs_of(text: str, read: str, written: str) -> str:
    signs: list[str] = []
    at = max(read.find(text), 0)
    for sign in text:
        found = read.find(sign, at)
        signs.append(written[found] if found >= 0 else sign)
        at = max(at, found + 1)
    return "".join(signs)


def _fact_in(sentence: str) -> Fact | None:
    if weight_of(sentence) < LEAST or len(sentence) > LONGEST or "[redacted:" in sentence:
        return None
    sentence = _without_lead(sentence)
    if asked := _asked_rule(sentence):
        return asked
    wording = wording_of(sentence)
    if weight_of(bare := clauses.without_request(sentence)) >= 2 * LEAST:
        sentence = bare
    plain = without_quotations(sentence)
    stated = _STATED.match(sentence)
    reason = _REASON.search(plain)
    said = plain[: reason.start()] if reason else plain
    meant = plain if plain.endswith(("?", "？")) else _OR_ELSE.sub("", plain)
    if wording.not_meant.search(meant) or (wording.vague.search(said) and not stated):
        return None
    if stated:
        return _decision(sentence[stated.end() :])
    found = _missed(sentence)
    for said in dict.fromkeys((plain, _GAP.sub("", plain))):
        is_ruled = _is_ruled(said, wording)
        if is_ruled and not wording.general.search(said):
            return None  # about the task at hand
        found = found or (_rule if is_ruled else _decided)(sentence, said, wording)
    return None if found and _is_of_the_task(found) else found


# What makes a statement one for more than the task at hand.
_FOR_LONG = Pattern(
    r"\b(?:always(?! have to)|never|every|each|all(?! the way| (?:that )?we have)|any|from now on|going forward|default|as a rule|instead|rather than|when|because|since|so that|too|entirely|completely)\b"
    rf"|\b(?:is|are|comes?(?: back)?|returned|stored|saved|given) (?:all |always )?in {UNITS}\b"
    r"|每|总是|始终|一律|永远|以后|所有|任何|默认|而不是|而是|统一|都是|先不做|因为|以免|否则|不然",
    re.I,
)
_ABOUT_WORK = Pattern(
    r"\b(?:test|commit|branch|pr|pull request|lint|build|deploy|doc|rule|code|function|type|librar|framework|database|backend|frontend|api|file|folder|director|error"
    r"|log|convention|comment|version)\w*\b|测试|提交|代码|规范|文档|数据库|后端|前端|接口|部署|分支|日志",
    re.I,
)
_ON_SCREEN = Pattern(
    r"\b(?:(?:button|icon|colou?r|column|label|font|layout|tooltip|dropdown|display|click|sort|highlight|align|truncat)\w*"
    r"|(?:table|row|col|page|screen|card|modal|list|header|image|graph|chart|view|show)s?|shown|undo)\b|按钮|图标|颜色|页面|弹窗|样式|布局|(?<![队系序排])列(?!表)|显示",
    re.I,
)
_CHANGES = Pattern(
    rf"(?:{_CHANGE}|set(?! up)|record|keep)\b|(?:添加|删除|修改|改成|增加)",
    re.I,
)
_DEMANDS_ZH = Pattern(r"(?!.*(?:用|不能|不得|不要|禁止|[A-Za-z]{2})).*(?:必须|务必|一定要|要求)")
_REWORDS = Pattern(r"instead of [\"“][^\"”]+[\"”].*[\"“]", re.I)  # what a message says
_LABEL = Pattern(r"(?!.{0,14}(?:个|分为|包括)|remember\b|请?(?:记住|牢记))[^:：]{1,14}[:：]", re.I)


def _is_of_the_task(fact: Fact) -> bool:
    """Whether a statement is rather a wish for the task at hand, by what readers said of others.

    docs/measurements/2026-11-26-statements.md has the shares.
    """
    read = simplified(fact.content)
    if fact.detail or _FOR_LONG.search(read):
        return bool(_REWORDS.match(read))
    if _CHANGES.match(read) or _LABEL.match(read):
        return not _ABOUT_WORK.search(read) if read.casefold().startswith("keep") else True
    if _ABOUT_WORK.search(read):
        return False
    return bool(_ON_SCREEN.search(read) or _DEMANDS_ZH.match(read))


# A rule that an agent is asked to write down, and what makes it one.
_RULE_ASKED = Pattern(
    r"(?:(?:go ahead and|can you|could you|let['’]?s|we should|please|also|now)\s+)*"
    r"(?:add|create|make|write|put|update|include|change|improve|extend|record) (?:[\w@./`'’-]+ ){0,5}?(?:rules?|guidelines?|conventions?"
    r"|(?:(?-i:CLAUDE|AGENTS|GEMINI|CONTRIBUTING)|(?:claude|agents|gemini|contributing)(?=\.md))(?:\.md)?)(?: (?:in|to|at|for|under) [\w@./`-]+)?"
    r"(?:,? (?:that|which|to|so that|saying|stating|specifying|requiring)(?: clearly| also)?"
    r"(?: (?:specify|specifies|says?|states?|mentions?|requires?|ensures?|enforces?|notes?|makes? sure))?(?: that| to)?\s+|:\s+)(?P<en>\S.*)"
    r"|(?:(?:can you|let['’]?s|we should|please|also|now)\s+)*(?:create|add|make|write|open|file) (?:an? |another )?(?:new )?(?:task|ticket|issue)"
    r" (?:to|that) (?:ensures?|makes? sure|enforces?)(?: that)?\s+(?P<task>(?=.*\b(?:always|never|must|only)\b)\S.*)"
    r"|(?:please |also )*(?:record|document|note|write down) what (?:we|you)(?:['’]ve| have)?(?: just)? learn(?:ed|t)(?::| re| about| regarding| on)\s+(?P<new>\S.*)"
    r"|(?:请|帮我|再|在\s?\S{1,20}\s?(?:里|中))*(?:新建|新增|添加|增加|加|写|记|更新)(?:上|入|到|进)?\s?一?[条个]?(?:规则|规范|约定|CLAUDE\.md|AGENTS\.md)"
    r"[里中]?[：:，,]\s*(?:要求|规定|说明)?(?P<zh>\S.*)",
    re.I,
)
# Where the rule is to go: `add a rule to the same file to …`.
_NAMES_FILE = Pattern(
    r"(?:(?:the|that|this|same|my|our|a|an|new|existing)\s+)+(?:\S+ )?(?:files?|docs?)\b", re.I
)
_BINDS = Pattern(
    r"\b(?:always|never|must|should|only|not|don['’]?t|when(?:ever)?|before|after|every|each|all|any|no|use|avoid|prefer)\b"
    r"|必须|一律|不要|不能|不得|禁止|统一|先|都|只|用",
    re.I,
)


def _asked_rule(sentence: str) -> Fact | None:
    """The rule in `create a rule that says that every fix gets a test`."""
    asked = _RULE_ASKED.match(sentence)
    content = asked and next(filter(None, asked.groups()), "")
    if not content or not _BINDS.search(content) or _NAMES_FILE.match(content):
        return None
    wording = wording_of(content)
    plain = without_quotations(content)
    if wording.vague.search(plain) or wording.passing.search(plain) or plain.endswith(("?", "？")):
        return None
    return _rule(content, plain, wording)


# What makes a rule of the sentence before: `record this as a rule`.
_MARKS_RULE = Pattern(
    r"(?:(?:please|also|and|now|go ahead and|can you|let['’]?s)\s+)*"
    r"(?:(?:record|note|save|document|write|add|put|store|keep)(?: (?:this|that|it))(?: down)?(?: too| also)? (?:as|in|into|to|under) (?:[\w@./`'’-]+ ){0,4}?"
    r"(?:rules?\b|conventions?\b|preferences?\b|memory\b|notes\b|guidelines?\b|`?(?:CLAUDE|AGENTS|GEMINI)\b)"
    r"|(?:make|create|add|write) a (?:[\w-]+ )?rule (?:for|about|of|out of) (?:this|that|it)\b"
    r"|(?:remember|keep) (?:this|that|it)(?: in mind)?(?: for (?:next time|later|the future|your \w+))?[.!]*$)"
    r"|(?:请|帮我|并)*(?:把这(?:个|条|一点)?)?(?:记|写|加|存)(?:到|进|入|在)\s*(?:规则|规范|CLAUDE\.md|AGENTS\.md|记忆)|(?:请|帮我)?(?:记住|记下)(?:这(?:个|条|一)?点?|来)[。！!]*$",
    re.I,
)


_POINTS = Pattern(r"\b(?:this|that|these|those)\b|^(?:it|they)\b|这|那|它", re.I)


def _rule_marked(sentence: str, following: str) -> Fact | None:
    """The rule that a sentence is because the next one says so, if it can be understood alone."""
    is_marked = _MARKS_RULE.match(simplified(following)) and not following.endswith(("?", "？"))
    if not is_marked:
        return None
    read = simplified(sentence)
    said = _without_lead(read)
    wording = wording_of(said)
    plain = without_quotations(said)
    is_clear = SHORTEST[wording is CHINESE] <= len(said) <= LONGEST
    if not is_clear or _POINTS.search(plain) or wording.not_meant.search(plain):
        return None
    return _as_written(_rule(said, plain, wording), read, sentence)


# One thing and not another says enough, however short: `Use pnpm, not npm`.
_INSTEAD = Pattern(r"use [\w.@/+-]+(?:,? not|,? never| instead of| over) [\w.@/+-]+[.!]?$", re.I)


def _decided(sentence: str, plain: str, wording: DecisionPhrases) -> Fact | None:
    is_long = len(sentence) >= SHORTEST[wording is CHINESE] or _INSTEAD.match(plain)
    return _decision(sentence) if is_long and _is_decided(plain, wording) else None


# What an agent is told that it did not do: `you're not using the shared fixtures`.
_MISSED = Pattern(
    r"you(?:['’]?re| are)(?: still)? not (?P<verb>us|follow|runn|respect)ing (?P<what>(?!the (?:right|correct|same|other)\b)[\w@`'\"][^,;:?]{3,70}?)(?: here| again| properly)?[.!]*$"
    r"|(?:你|又|还是)+没(?:有)?(?P<zh>使用|用|遵守|按照?)(?P<was>(?!这|那|我|对|完|过|上)[^，,。？?！!吗了]{3,30}?)[。！!]*$",
    re.I,
)
_VERBS = {"us": "Use", "follow": "Follow", "runn": "Run", "respect": "Respect"}


def _missed(sentence: str) -> Fact | None:
    """The rule that was not kept."""
    missed = _MISSED.match(sentence)
    if not missed:
        return None
    if missed["zh"]:
        content = f"{missed['zh']}{missed['was']}"
    else:
        content = f"{_VERBS[missed['verb'].lower()]} {missed['what']}"
    return Fact("pattern", _tidy(content), category="convention", source="instructed")


def _without_lead(sentence: str) -> str:
    while lead := _LEAD.match(simplified(sentence)):
        sentence = sentence[lead.end() :].lstrip(" ,;:，；")
    return sentence


def _is_ruled(plain: str, wording: DecisionPhrases) -> bool:
    found = wording.ruled.search(plain)
    if found is None or wording.passing.search(plain):
        return False
    return not wording.reported.search(_in_front(plain, found))


def _in_front(plain: str, found: re.Match[str]) -> str:
    """What stands before a phrase, with the comma or colon that the phrase begins with."""
    return plain[: found.start() + (found[0][:1] in (",", ":", ";"))]


def _is_decided(plain: str, wording: DecisionPhrases) -> bool:
    found = wording.decided.search(plain)
    if found is None and not wording.trouble.search(plain):
        found = wording.used.search(plain)
    return found is not None and not wording.reported.search(_in_front(plain, found))


def _decision(sentence: str) -> Fact | None:
    read = simplified(sentence)
    cut = _REASON.search(read)
    content = _bare(read[: cut.start()] if cut else read)
    reason = _trim(read[cut.end() :]) if cut else ""
    if cut and (len(content) < 4 or not reason):
        content, reason = _bare(read), ""
    if not content:
        return None
    fact = Fact("decision", content, reason, category_of(content), source="instructed")
    return _as_written(fact, read, sentence)


def category_of(content: str) -> str:
    """The category of a decision."""
    if _ARCHITECTURE.search(content):
        return "architecture"
    return "technology" if _TECHNOLOGY.search(content) else "approach"


def _bare(sentence: str) -> str:
    """A decision without the words that say that it is one: `Use PostgreSQL for events`."""
    if said := _SAID.match(sentence.strip()):
        return _tidy(_WHEN_SAID.sub("", sentence.strip()[said.end() :])) or _tidy(sentence)
    return _tidy(sentence)


def _trim(text: str) -> str:
    plain = " ".join(text.split()).strip(" ,;，；:：–—-*_").rstrip(".。!！")
    return plain[1:-1] if plain.count('"') == 2 and plain[0] == plain[-1] == '"' else plain


def _tidy(text: str) -> str:
    return capitalized(re.sub("^那(?=[你就])", "", plainly(_trim(text))))


_BACK = Pattern(
    r"(?:(?:let['’]?s |we(?:['’]ll| will| should)? )?(?:go|switch|move|change|come|revert|roll) ?back to|back to|revert to"
    r"|(?:let['’]?s |we(?:['’]ll| will| should)? )?(?:stick with|stay (?:with|on)|keep|use)(?= \S+ after all))"
    r" (?!the\b|it\b|this\b|that\b|how\b|what\b|where\b|work\b)(?P<en>[\w.+#-]+)"
    r"|(?:我们)?(?:还是|那就|改|换|退)*(?:用回|换回|改回|退回(?:到)?|回到)\s*(?P<zh>[A-Za-z][\w.+#-]*)",
    re.I,
)


def returns_in(text: str) -> list[str]:
    """What a prompt goes back to: `no, back to npm`, 还是用回 npm."""
    read = (simplified(_without_lead(one)) for one in sentences_of(text, 1))
    found = (_BACK.match(one) for one in read if not wording_of(one).not_meant.search(one))
    return [(match["en"] or match["zh"]).rstrip(".") for match in found if match]


_TODO = Pattern(r"(?:[-*]\s*)?(?:\[ \]\s*|(?:TODO|FIXME|待办|后续)\s*[:：]\s*)(\S.{3,200})$", re.I)


def todos_in(text: str) -> list[str]:
    """The open points that a text lists as `TODO: …`, `- [ ] …` or 待办：…."""
    rows = map(str.strip, without_blocks(text).splitlines())
    lines = (row.removeprefix("[private]").lstrip() for row in rows)
    found = (_TODO.match(line) for line in lines if len(line) <= LONGEST)
    return [" ".join(match[1].split()) for match in found if match]
