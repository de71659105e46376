"""What came of a session, in the agent's last words: what is done and why, without the way there.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from recollect._fastimport import Pattern
from recollect.capture import requests
from recollect.model.session import SessionState
from recollect.text.progress_reports import CAUSE, DONE, POINTS_BACK, reports, tells_work
from recollect.text.sentences import (
    one_line,
    shortened,
    split_sentences,
    weight_of,
    without_blocks,
)
from recollect.text.tokens import STOP_WORDS, plain_words, stem

HEADING = 48  # a line without a full stop that is no longer is one
LONGEST = 300  # characters of a summary
MOST_ITEMS = 4  # of the lists in an answer
WRAPPED = 50  # a line of this length that ends no sentence may go on below
SHORTEST_TOLD = 10  # letters that an answer needs to tell something; a Chinese one counts as two
_ENDED = Pattern(r"[.!?。！？…;；][\"'”’)\]*_`]*$")
_WIDE_GAP = Pattern(r"(?<=[。！？；：]) ")
_ITEM = Pattern(r"(?:[-*•✓✅☑]|\d{1,2}[.)、])\s+")
# What an agent says on the way, and what it offers at the end.
_CHATTER = Pattern(
    r"(?:(?:(?:fixed|updated|deleted|removed|pushed|committed|reverted|clean|created)(?=[.!])|perfect|(?:great|good|excellent|nice)(?: catch| point| question| idea| find| news)?|awesome|done|got it|sure|ok(?:ay)?|understood|absolutely|certainly"
    r"|of course|thanks|thank you|no problem|all (?:done|set)|you['’]re (?:absolutely |totally )?right|right|yes|no)\s*[.!,–—-]"
    r"|(?:now,? |first,? |next,? )?(?:let me|let['’]s|i['’]ll|i will|i['’]m going to|i am going to|i need to|i should|i can|now i|next,? i|looking at|wait\b)"
    r"|(?:all |the )?(?:\d+ )?(?:\w+ )?tests? (?:all )?(?:pass|are passing)|done (?:so far|for now)|(?:committed|pushed|lint(?:ing)?) (?:and|is|now|to)\b|(?:committed|pushed) (?:as|with|in|both|all)\b|(?:the )?commit(?:s|ted)? (?:[`\w]+ )?(?:(?:was|were|is|has been) )?(?:created |made )?success\w*|(?:the )?commits? succeeded\b|commit:? \W?[\da-f]{7}|(?:the )?pre-?commit (?:hooks?|checks?)\b[^.]* (?:ran|pass(?:es|ed)?|green)\b|no response requested|read file:|model tried to|lines added:|progress update|expected (?:outcome|result)|(?:please )?(?:try|restart|refresh|reload|clarify)\b|you['’]ll need to|alternatively\b|great work|congratulations|replied to\b|the (?:pr|pull request|branch) is (?:now )?ready|all (?:\w+ ){0,3}(?:comments?|threads?|feedback) (?:is|are|has been|have been)\b|almost there|ah\b|updated (?:todo|the todo)|(?:could|unable to) (?:not )?(?:find|resolve|read|open) (?:file|uri|the file)\b|(?:build|lint(?:er)?|everything)(?: and (?:lint|tests?|vet))?(?: (?:is|are|builds|passes|pass|clean))\b|all green|verification\b|ready (?:to|for)\b|all (?:\d+ )?(?:\w+ )?(?:tests?|packages|checks) (?:\w+ and )?(?:pass|compile|build|succeed)|🤖|generated with\b|\[[ x~✓✔-]?\]|the changes are (?:ready|committed)|re-?run\b|api error|model provided|here['’]s (?:a|the|what|how)\b|reply with (?:a|the|one)\b|[^.!?]{1,60} (?:is|are) still running\b|(?:would|do|should|shall|can|could) (?:you|i|we)\b.*\?$|(?:want|like|ready for) me to\b|let me know|(?:if|when|if/when) you(?:['’]d| would)? (?:like|want|need|prefer|have)|feel free|which (?:\w+ ){1,3}(?:do|would) you|what do you think|thoughts\?|is there anything"
    r"|(?:planning|checking|creating a|opening a|evaluating|investigating|reviewing|searching|considering|analy[sz]ing|resolving|preparing|inspecting|examining|locating|exploring|assessing|determining|clarifying|confirming|looking)\b(?! \w+ (?:is|are|was|now)\b)"
    r"|(?:now )?i(?:['’]m| am) (?:also |now )?\w+ing\b|(?:now|then|next),? (?:i['’]ll|commit|push|run|refresh|open|check|test|go|restart)\b|i (?:want to|think i|wonder|understand|see)\b"
    r"|(?:the )?(?:ci|build|tests?|checks?|linter|everything)\b[^.]{0,40}\b(?:should|will)(?: all| now)* (?:pass|work|be (?:green|fine|fixed))\b"
    r"|(?:the |all )?(?:only )?(?:remaining|other) (?:unstaged|untracked|uncommitted|staged|modified)\b|(?:the )?working tree|clean working tree"
    r"|(?:the |all |both |your )*(?:[\w'’]+ ){0,2}?(?:changes|edits|commits|work|everything)(?: \w+){0,2}? (?:is|are|has been|have been|was|were)(?: now| all| successfully| also)* (?:un)?(?:committed|staged|pushed|saved|ready)\b"
    r"|(?:the )?push was\b|(?:we|there)(?:['’]ve| have| are| is)(?: got)? (?:a|an|several|some|\d+) (?:merge )?conflicts?\b|(?:draft )?(?:pr|pull request) (?:created|opened|updated|is up)\b"
    r"|i apologi[sz]e\b|(?:my )?apologies\b|sorry\b|you (?:were|are) (?:absolutely |totally |quite )?(?:right|correct)\b|you raise\b|(?:that['’]s |this is )?an? (?:good|great|fair|valid) (?:point|question|catch)\b"
    r"|i notice\b|your patience\b|proceeding (?:to|with)\b|[a-d]\) "
    r"|thank you\b|all good\b|fixed and verified\b|all (?:the )?(?:\w+ )?(?:work|tasks?|items?|steps|issues?)\b[^.]{0,40}? (?:is|are|have been|has been)(?: now| all)* (?:complete|completed|done|addressed|finished|resolved|fixed)\b"
    r"|build,[^.]{0,60}\bpass\b|(?:build|lint|tests?)\b[^.]{0,30} (?:pass|passes|succeeds?|succeeded)(?: (?:on|with|in|across|for)\b[^.]*)?\.?$"
    r"|committed \W?[\da-f]{7}|(?:pros|cons|advantages|disadvantages|downsides?)\W*:|(?:优点|缺点|优势|劣势)\W*[:：]|\[[^\]]*\]\([^)]*\)\W*$"
    r"|¡?(?:perfecto|listo|claro|entendido|excelente(?: \w+)?|parfait|entendu|très bien|excellente? \w+)\s*[.!]|(?:je (?:comprends|vais|vois)|entiendo|ahora voy|voy a|vamos a|déjame)\b"
    r"|我是一?个?\s?(?:AI|人工智能|编程)|点击?[^，,。]{1,24}[，,]\s*截图|看到了[，,。]"
    r"|\W*(?:很好|成功|完成)[！!]|接着|[您你]?现在(?:[您你]|可以|所有)|如有|如需|如果[您你]|如果[^。；;]{0,40}(?:让我知道|告诉我|告知我)|如果仍|现在应该就?(?:可以|能)(?:正常)?(?:工作|运行|使用|显示)|好问题|首先|[您你]可以(?:刷新|测试|试|切换|启动)|好的|完美|太好了|明白|收到|没问题|让我|现在(?:我|让|开始|添加|检查|更新|修改|实现|创建|验证|运行|修复)|请(?:重新|刷新|重启|测试|尝试)|刷新(?:页面|浏览器)|可以(?:测试|开始|正常|直接)|告诉我|接下来(?:我|让)|我(?:来|先|将|会|现在|需要)|你说得对|(?:你|您)(?:倾向|想要|决定好|选好|说哪)|(?:选定|确认|确定)(?:后|之后)|需要我|要不要|是否需要|如果需要|请告诉我)",
    re.I,
)


def outcome_of(state: SessionState) -> str:
    """What came of the session in the agent's last words; where commits tell it, only what says more."""
    said = state.last_answer or state.outcome
    if state.made:
        return report_in(said)
    if _is_bare_list(said) and _reports(*_result_in(state.outcome)):
        said = state.outcome  # of the turn before
    told, items = _result_in(said)
    return _summary(_with_list(told, items), LONGEST if state.files_modified else 700)


def outcome_before_pages(state: SessionState) -> str:
    """What had come of a session before its agent read other people's pages."""
    return report_in(state.first_hand.get("outcome", ""))


def report_in(answer: str) -> str:
    """What an answer reports or explains, in at most `LONGEST` characters; nothing if it does neither."""
    told, items = _result_in(answer)
    if not (_reports(told, items) or _explains(told)):
        return ""
    return _summary(_with_list(told, items), LONGEST)


def result_about(title: str, results: Sequence[str], outcome: str) -> str:
    """The earlier result that has most of a session's title, if the outcome has hardly a word of it."""
    about = requests.words_of(title)
    own = len(about & requests.words_of(outcome))
    shared, _, best = max(
        ((len(about & requests.words_of(one)), n, one) for n, one in enumerate(results)),
        default=(0, 0, ""),
    )
    return best if shared >= max(LEAST_SHARED, 2 * own + 1) and best != outcome else ""


LEAST_SHARED = 2  # words of a title that the result of its request has


def _reports(told: list[str], items: list[str]) -> bool:
    """Whether an answer says that something is done, or why something was so."""
    return any(map(reports, _with_list(told, items)))


def _explains(told: list[str]) -> bool:
    """Whether an answer has a sentence that can stand alone and says a good deal."""
    return any(requests.weight_of(one) >= ENOUGH and not _OF_OTHERS.match(one) for one in told)


ENOUGH = 6  # words of a subject
_OF_OTHERS = Pattern(
    r"(?:(?:all|both|each|some) of )?(?:this|that|these|those|it|they|branch)\b|[这那它]", re.I
)


def _is_bare_list(text: str) -> bool:
    """Whether an answer is a list without a sentence, and the list reports nothing by itself."""
    told, items = _result_in(text)
    return not told and not any(tells_work(one) or reports(one) for one in items[:MOST_ITEMS])


def answer_summary(text: str, longest: int) -> str:
    """What an answer tells, cut where a sentence ends; nothing if it only reports or offers."""
    return _summary(_telling(_sayings_of(text)), longest)


def tells_something(text: str) -> bool:
    """Whether an answer has a summary; it is read only as far as that takes."""
    kept: list[str] = []
    for sentence in _first(_telling(_sayings(text)), LONGEST):
        kept.append(sentence)
        if weight_of(_joined(kept)) >= SHORTEST_TOLD:
            return True
    return False


def says_what_was_done(answer: str) -> bool:
    """Whether a sentence or an item of an answer begins with what the agent did."""
    told, items = _result_in(answer)
    return any(map(DONE.match, (*told, *items)))


def _summary(sentences: Iterable[str], longest: int) -> str:
    said = _joined(_first(sentences, longest))
    return one_line(said, longest + 1) if weight_of(said) >= SHORTEST_TOLD else ""


def _first(sentences: Iterable[str], longest: int) -> Iterator[str]:
    """The first of these sentences, each once, as far as there is room."""
    seen: set[str] = set()
    size = 0
    for sentence in sentences:
        said = sentence.rstrip(";；")
        if said in seen:
            continue
        size += len(sentence) + 1
        if seen and size > longest:
            return
        seen.add(said)
        yield shortened(sentence, longest) if len(sentence) > longest else sentence


def _joined(sentences: Iterable[str]) -> str:
    return _WIDE_GAP.sub("", " ".join(sentences)).rstrip(";；")


LONGEST_STATUS = 120  # characters; of 36,000 real sentences none longer was one
# “All lint issues are fixed and the tests pass.”: nothing but that the work is as it should be.
_STATUS = frozenset(
    map(
        stem,
        """all lint linter linting issue error warning fix fixed test suite full unit integration end
        pass passing build compile clean cleanly green working tree nothing else commit committed push
        pushed change branch remote repository done complete completed successfully everything work
        ready merge merged code format formatted fmt check ran still existing now correctly fine
        look good correct resolved""".split(),
    )
)


_STATUS_ZH = Pattern(
    r"(?:[\s，,、；;。！!✅]|所有|全部|这些|这两个|的|新|任务|功能|更改|修改|改动|问题|错误|代码|迁移|工作|步骤|测试|部署|合并"
    r"|配置|数据库|[前后]端|服务器?|项目|仓库|线上|环境|结构|逻辑|都|均|已经?|完全|成功|顺利|完成|实现|通过|修复|解决|更新|就绪|可用"
    r"|提交|推送|发布|重启|正常|正确|无误|无错误|到|Git(?:Hub)?|了|现在|可以|直接|使用|进行|lint|检查|并|且)+"
)


# What was so before, what a terminal or a diff shows, what is up and running.
_NOISE = Pattern(
    r"\bpre-existing\b|\b(?:MUST|REQUIRED)\b|\b[dl-](?:[r-][w-][x-]){3}[@+.]? |\bENOENT\b|\bcreate mode \d{6}\b|\bunrelated to (?:our|my|the|these|this)\b|^\*?Called tool\b|^Tool use:|^Running (?:these|the|both|all|some|a)\b[^.]*\bnow\.|^\[(?:WARNING|LOG|INFO|ERROR|DEBUG)\]|^(?:page )?url: http|^[\w.-]+@[\w.-]+[: ]\S* ?[%$#] |^[+-] |^==>|^\[[\w/.-]+ [\da-f]{7}\]|^\d+:\d+ +(?:error|warning)\b|[│┃├└┌╭╰▸❯]|(?<!\d)\d{1,6} files? changed"
    r"|^(?:\W*)(?:the )?[\w -]{2,30} (?:is|are) (?:now )?(?:up and )?running\b|^[\w ]*(?:服务|后端|前端|进程|机器人)[^，,]{0,6}已?(?:启动|运行)",
)


# Steps that a client shows while its agent thinks, run together: `Planning testsChecking folders`.
_RUN_ON = Pattern(r"[A-Z][a-z]{2,20}ing .*[a-z)][A-Z][a-z]{2,20}ing [a-z]")
_STEP = Pattern(r"[A-Z][a-z]{2,20}ing ")
_STEP_ENDS = Pattern(r"(?<=[a-z)])(?=[A-Z][a-z]{2,20}(?:ing|ed) [\w`])")


def is_chatter(sentence: str) -> bool:
    """Whether an agent says this on the way, as an offer at the end, or only that all is well."""
    if _CHATTER.match(sentence) or _NOISE.search(sentence) or _RUN_ON.match(sentence):
        return True
    if len(sentence) > LONGEST_STATUS:
        return False
    if _STATUS_ZH.fullmatch(sentence):
        return True
    words = [word for word in plain_words(sentence) if word not in STOP_WORDS and len(word) > 1]
    return bool(words) and all(stem(word) in _STATUS or word.isdigit() for word in words)


MOST_CAUSES, MOST_DONE = 2, 3  # sentences of an answer that reports what is done


def _telling(sayings: Iterable[tuple[str, str]]) -> Iterator[str]:
    """The sentences of an answer that say something, then the first items of its lists."""
    items: list[str] = []
    for kind, one in sayings:
        if kind == TOLD:
            yield _stopped(one)
        elif kind == ITEM:
            items.append(one)
    yield from _with_ends(items)


_LED = Pattern(
    r"(?:\s(?:with(?: the following(?: \w+){1,3})?|as follows|(?:that|which) (?:\w+ )?\w+s|that|which|to(?: (?:clearly )?(?:indicate|show|include|cover|reflect|explain))?|by)|[，,]?(?:其中)?包[含括]了?)?[:：]$",
    re.I,
)


def _stopped(said: str) -> str:
    """A sentence that leads to nothing, with a full stop."""
    return _LED.sub("。" if said.endswith("：") else ".", said)


def _with_list(told: list[str], items: list[str]) -> list[str]:
    """The sentences, then the first items of the list; only what leads to the list ends with a colon."""
    ended = [_stopped(one) for one in told]
    return [*ended[:-1], *(told if items else ended)[-1:], *_with_ends(items)]


def _with_ends(items: list[str]) -> Iterator[str]:
    """The first items of a list, as parts of one sentence."""
    listed = items[:MOST_ITEMS]
    end = "；" if requests.has_wide_signs("".join(listed)) else ";"
    yield from (f"{item}{end if n + 1 < len(listed) else ''}" for n, item in enumerate(listed))


def _result_in(text: str) -> tuple[list[str], list[str]]:
    """The sentences of an answer that say what came of the work, and the items of its lists.

    What was said before it was done is left out, but for the cause.
    """
    told: list[str] = []
    items: list[tuple[int, str]] = []  # each with the number of sentences before it
    is_open = False  # whether the sentence before is told, to which `this` points
    for kind, one in _sayings_of(text):
        if kind == ITEM:
            items.append((len(told), one))
            continue
        is_open = kind == TOLD and (is_open or not POINTS_BACK.match(one))
        if is_open:
            told.append(one)
    done = [n for n, one in enumerate(told) if DONE.match(one)]
    if done:
        first = done[-MOST_DONE:][0]
        causes = [one for one in told[:first] if CAUSE.search(one)][-MOST_CAUSES:]
        last = [said for said in items if said[0] > done[-1]]
        items = last or [said for said in items if said[0] >= first]
        told = causes + [told[n] for n in range(first, len(told)) if n in done or n > done[-1]]
    return told, [said for _, said in items]


ITEM, TOLD, CHATTER = "item", "told", "chatter"


def _sayings(text: str) -> Iterator[tuple[str, str]]:
    """The items and the sentences of an answer in order, each with its kind."""
    for plain in _lines(text):
        if item := _ITEM.match(plain):
            said_in_it = _ITEM_SIGNS.sub("", plain[item.end() :].rstrip(".。;； "))
            if not (
                said_in_it.endswith(("✓", "✅", "?", "？"))
                or _CHATTER.match(said_in_it)
                or _FILE.match(said_in_it)
                or _NOISE.search(said_in_it)
            ):
                yield ITEM, said_in_it
            continue
        is_led = plain.endswith((":", "："))
        stop = (
            ""
            if is_led or _ENDED.search(plain)
            else "。"
            if requests.has_wide_signs(plain)
            else "."
        )
        if stop and len(plain) < HEADING:
            continue  # a heading in all but name
        for sentence in split_sentences(plain + stop):
            one = _last_step(_SIGNS.sub("", sentence))
            if not any(map(str.isalnum, one)):
                continue  # a sign behind the last sentence: "Ready! 🎉"
            said = _ANSWER.sub("", one)
            if requests.weight_of(said) < ENOUGH:
                said = one
            is_aside = (
                one.endswith(("?", "？"))
                or is_chatter(said)
                or _LOOKS_FOR.match(said)
                or _WISH.match(said)
            )
            yield CHATTER if is_aside else TOLD, one


# 查看相关文件。 What an agent is about to look at, not what it found.
_LOOKS_FOR = Pattern(
    r"(?:验证|确认)[^，。；;]*是否|开始(?:第|实施|执行)|先?(?:检查|查看|查找|搜索|定位|读取|阅读)"
    r"(?![^。；;]*(?:[`：:]|发现|结果|显示|表明|通过|成功|完成|正常|无误|没有|已|后(?![端台])|时|即可|可以|不))"
)
# “The user wants the list sorted by name.”: the request once more, in the agent's words.
_WISH = Pattern(
    r"(?:(?:based on|looking at|from) [^,.]{1,60}, )?(?:so,? |now,? )?"
    r"(?:the user (?:\w+ ){0,2}(?:wants?|likes?|asking|asks|asked|requests|mentions|says)\b|they (?:(?:also|only|just) )?want\b"
    r"|you(?:['’]d| would) (?:also )?like\b|you(?: are|['’]re) asking\b|you (?:(?:also|only|just) )?want (?:[^,.:;]{1,60} )?(?:to|me)\b)"
    r"|(?:根据[^，。]{1,30}，)?(?:用户|[您你])(?:现在|还|只|是)?(?:想要?|希望|要求|询问)",
    re.I,
)
_ANSWER = Pattern(r"^(?:yes|no)\s*[,–—-]\s*", re.I)


@lru_cache(maxsize=4)  # the last answer makes the title and the outcome
def _sayings_of(text: str) -> list[tuple[str, str]]:
    return list(_sayings(text))


def _last_step(sentence: str) -> str:
    """Of steps that were run together with a sentence, the last."""
    return _STEP_ENDS.split(sentence)[-1] if _STEP.match(sentence) else sentence


_FILE = Pattern(r"`[^`]+`$|(?:\w+ file )?`[^`]*[./][^`]*`(?:\s*\([^()]*\))*$|$", re.I)


_CITED = Pattern(r" ?\[\[memory:\d+\]\]")  # what an editor's agent refers to


# A table, a heading, a tag, a ruler, data.
_NO_PROSE = Pattern(r"[|#<]|---|[\W_]{6,}$|\[?\{ ?[\"']")


def _lines(text: str) -> Iterator[str]:
    """The lines of an answer with what belongs to one paragraph or item on one of them."""
    whole = ""
    is_open = False
    under = -1  # the indent of an item that says by itself what was done
    for line in without_blocks(text).splitlines():
        plain = _CITED.sub("", line.strip(" >\t").replace("**", "").replace(" `` ", " "))
        if item := _ITEM.match(plain):
            indent = len(line) - len(line.lstrip())
            if 0 <= under < indent:
                continue  # a detail of it
            under = indent if tells_work(plain[item.end() :]) else -1
        if (
            is_open
            and plain
            and (plain[0].isalnum() or plain[0] in "(`'\"")
            and not _ITEM.match(plain)
        ):
            whole += f" {plain}"
        elif plain and not _NO_PROSE.match(plain):
            yield from _without_lead(whole)
            whole = plain
        is_open = bool(whole) and WRAPPED <= len(plain) < 2 * WRAPPED and not _ENDED.search(plain)
    yield from _without_lead(whole)


_SIGN = r"[\u2600-\u27bf\U0001f300-\U0001faff\ufe0f]\s*"
_ITEM_SIGNS = Pattern(f"^(?:{_SIGN})+")
_SIGNS = Pattern(f"^(?:(?![✓✅☑•]){_SIGN})+")  # but for those that begin an item


def _without_lead(line: str) -> list[str]:
    """A line without the sentence at its end that only leads over: "Let me look at it:"."""
    plain = _SIGNS.sub("", line)
    if plain.endswith((":", "：")):
        *others, last = split_sentences(plain)
        item = _ITEM.match(plain)
        said = _ITEM_SIGNS.sub("", last[item.end() :]) if item else last
        tells = tells_work(said) if item else DONE.match(said)
        is_kept = tells and requests.weight_of(_FOLLOWING.sub("", said)) >= FEWEST_OF_LEAD
        plain = (_LED.sub("", plain) if item else plain) if is_kept else " ".join(others)
    return [plain] if plain else []


FEWEST_OF_LEAD = 3  # words of a subject in a sentence that leads to a list and says what was done
# What leads to any list.
_FOLLOWING = Pattern(
    r"\b(?:the )?following\b|\bas follows\b|\b(?:main|several|some|few) (?:changes|improvements|fixes)\b|[以如]下|主要|总结一下|代码|[我们已经完成做了的]|(?:修|更)改|[改变]动|改进|优化|调整|内容|文件|方面|功能|问题|修复|进行",
    re.I,
)
