"""Detect failures, what fixed them, and the triggers that recall the fix.

A fix is a different command that works after a failure, or after a person's correction; fixing a
test is not one. After several attempts at the same thing, each attempt and the edited files are
named. Triggers are plain words; at most one line of an error is quoted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from recollect._fastimport import NamedTuple, Pattern
from recollect.model.memory import slug_of
from recollect.text.sentences import first_sentence, sentences_of, without_quotations

MOST_TRIGGERS = 8
LOOKED_AT = 2_000  # characters of a prompt
LONGEST_LINE = 200
_ESCAPES = Pattern(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[@-_]|[\x00-\x08\x0b-\x1f\x7f]")
_TELLING = (
    "error", "exception", "fatal", "denied", "not found", "cannot", "can't", "could not",
    "couldn't", "no such", "unknown", "refused", "timed out", "timeout", "time out", "locked",
    "invalid", "unrecogni", "unsupported", "missing", "already in use", "not recognized",
    "错误", "失败", "找不到", "无法", "不存在", "拒绝",
)  # fmt: skip
_NAMED = Pattern(
    r"\b[A-Z][A-Za-z]+(?:Error|Exception|Warning)\b|\bE[A-Z]{3,14}\b|\b[A-Z]{2,}_[A-Z_]{3,}\b"
    r"|\b(?:TS|E|F|W|SC|CS|HTTP )\d{3,5}\b"
)
_PHRASES = (
    "command not found",
    "no such file or directory",
    "permission denied",
    "address already in use",
    "connection refused",
    "module not found",
    "externally-managed-environment",
    "database is locked",
    "already exists",
    "not a git repository",
    "unrecognized arguments",
    "unknown option",
    "out of memory",
    "disk quota exceeded",
    "no space left on device",
    "certificate verify failed",
    "version conflict",
    "not recognized",
    "timed out",
)
_CODE = Pattern(r"exit code \d+$", re.I)
_ASSIGNED = Pattern(r"[A-Za-z_]\w*=")
_PLAIN = Pattern(r"[\w@./:+-]{2,40}")
_PROBLEM = Pattern(r"`[^`]*` ← `[^`]*`")
# Looser than a correction that a memory is held to: it teaches only what the person names and is done.
_OBJECTIONS = Pattern(
    r"(?:no|nope|nah|wrong|stop|not|never|don['’]?t|do not|actually)\b|(?:please )?(?:use|run|try)\b.{1,80}\binstead\b"
    r"|.{0,80}\b(?:instead of|rather than)\b|(?:不|别|错|请?改用|请?换成|应该用|我(?:说|要)的是)",
    re.I,
)
_FURTHER = Pattern(r"[?？]\s*$|\balso\b|[吗呢]\s*$|再|还要|顺便", re.I)
_SPOKEN = Pattern(r"[A-Za-z0-9_.+-]{2,}")
_QUOTED = Pattern(r"['\"`‘“]([\w@./:+-]{2,40})['\"`’”]")
_TESTS = Pattern(
    r"\bAssertionError\b|\b\d+ fail(?:ed|ing|ures?)\b(?=\s*(?:[,;|=)]|in \d|$))|^FAILED\b|\bassert \b"
    r"|✗|● ",
    re.M,
)
# Programs that only look: nothing is mended by them.
_LOOKING = frozenset(
    "ls cat head tail less grep rg find fd echo printf pwd which type whereis ps top df du stat file"
    " wc diff tree man sleep date history test jq sed awk sort uniq cut".split()
)
_LOOKING_WORDS = frozenset("status log diff show ps logs list info version help inspect".split())
MOST_STEPS = 2
MANY_ATTEMPTS = 3  # at the same thing, the one that worked included: a struggle, whatever worked
MOST_TRIES = 4  # that are named
MOST_EDITS = 3
_SIGNS_OF_TESTS = ("fail", "FAIL", "ssert", "✗", "● ")
_NOT_PROGRAMS = frozenset("sudo env time nohup command exec cd export source set true".split())


class Failure(NamedTuple):
    """A call that failed, or was corrected, as the session remembers it until something works.

    `since` are the commands that worked after it; `edited` says that a file was edited meanwhile,
    `edits` which. `tries` are the attempts at the same thing before it. What a person corrected has
    no error but their words, `objection`.
    """

    tool: str
    target: str
    error: str
    step: int
    since: Sequence[str] = ()
    edited: bool = False
    edits: Sequence[str] = ()
    tries: Sequence[str] = ()
    objection: str = ""


class Solution(NamedTuple):
    """What a session learned from a failure. `tries` are the attempts before the last that failed."""

    slug: str
    symptom: str
    failed: str
    solution: str
    why: str
    triggers: tuple[str, ...]
    tries: tuple[str, ...] = ()
    edits: tuple[str, ...] = ()  # the files that were edited before it worked


def clean_line(text: str) -> str:
    """`text` on one line without escapes and control characters."""
    plain = text if text.isprintable() else _ESCAPES.sub("", text)
    return " ".join(plain.split())[:LONGEST_LINE]


def telling_line(error: str) -> str:
    """The line of an error that says most: the last of a traceback, else the first that tells."""
    # pytest marks the lines of an exception with `E   `.
    lines = [clean_line(line.removeprefix("E   ")) for line in error.splitlines()]
    lines = [line for line in lines if line and not _CODE.match(line)]
    low = "\n".join(lines).lower()
    words = [word for word in _TELLING if word in low]  # few of them, and there may be many lines
    telling = [line for line in lines if _has_one(line.lower(), words)] if words else []
    if not telling:
        return lines[0] if lines else ""
    return telling[-1] if "Traceback" in error else telling[0]


def program_of(command: str) -> str:
    """The program that a shell command is about."""
    for part in re.split(r"&&|\|\||;|\|", command):
        words = [w for w in part.split() if not _ASSIGNED.match(w)]
        words = [w for w in words if w not in _NOT_PROGRAMS and not w.startswith("-")]
        if words and not part.strip().startswith("cd "):
            return words[0].rsplit("/", 1)[-1][:40]
    return ""


def triggers_of(target: str, error: str) -> tuple[str, ...]:
    """The words by which the same trouble is recognised: names of errors, programs, things."""
    line = telling_line(error)
    found = [m[0].replace(" ", "-") for m in _NAMED.finditer(error[:4000])]
    low = error[:4000].lower()
    found += [phrase.replace(" ", "-") for phrase in _PHRASES if phrase in low]
    found += [program_of(target)]
    found += [m[1].rstrip(".:/") for m in _QUOTED.finditer(line)]
    words = (w for w in found if _PLAIN.fullmatch(w))
    return tuple(dict.fromkeys(words))[:MOST_TRIGGERS]


def solved(failure: Failure, command: str, said: str) -> Solution | None:
    """What is learned if `command` worked after `failure`, or None if nothing is.

    That is another way to do the same, or what was done in between that made the same command
    work; of what took many attempts, also the files that were edited before it did. `said` is what
    the agent said in between, taken for the reason.
    """
    edits: Sequence[str] = ()
    if failure.target.split() == command.split():
        steps = [] if failure.edited else [one for one in failure.since if _is_doing(one)]
        command = " && ".join([*steps[-MOST_STEPS:], command]) if steps else command
        edits = failure.edits if len(failure.tries) + 2 >= MANY_ATTEMPTS else ()
    if not _shared_words(failure.target, command):
        return None
    if _is_same_try(failure.target, command) and not edits:
        return None
    if failure.objection:
        return _corrected(failure, command)
    if not may_teach(failure.error):
        return None
    triggers = triggers_of(failure.target, failure.error)
    program = program_of(failure.target)
    main = next((t for t in triggers if t != program), "")
    return Solution(
        slug=slug_of(f"{program} {main}")[:48].strip("-"),
        symptom=telling_line(failure.error),
        failed=clean_line(failure.target),
        solution=clean_line(command),
        why=clean_line(said),
        triggers=triggers,
        tries=_other_tries(failure),
        edits=tuple(map(clean_line, edits[-MOST_EDITS:])),
    )


def _corrected(failure: Failure, command: str) -> Solution | None:
    """What a person's correction teaches: what to run instead, if they named it themselves."""
    said = {word.rstrip(".").lower() for word in _SPOKEN.findall(failure.objection)}
    named = _named(failure.target)
    if not named or not said & (_words(command) - _words(failure.target)):
        return None
    return Solution(
        slug=slug_of(f"not {named}")[:48].strip("-"),
        symptom=clean_line(failure.objection),
        failed=clean_line(failure.target),
        solution=clean_line(command),
        why=clean_line(failure.objection),
        triggers=(named,) if _PLAIN.fullmatch(named) else (),
    )


def problem_of(solution: Solution) -> str:
    """What was solved, as an issue of its session: what was said, and by which call."""
    symptom, failed = (one.replace("`", "'") for one in (solution.symptom, solution.failed))
    return f"`{symptom}` ← `{failed}`"


def is_problem(issue: str) -> bool:
    """Whether an issue of a session is what a call said, and no finding of anybody."""
    return _PROBLEM.fullmatch(issue.strip()) is not None


def _named(command: str) -> str:
    """What a command does, in a word: its program with what it is told to do, `npm-install`."""
    program = program_of(command)
    words = command.split(program, 1)[-1].split() if program else []
    verb = words[0] if words and words[0].isascii() and words[0].isalpha() else ""
    return "-".join(filter(None, (program, verb)))


def _other_tries(failure: Failure) -> tuple[str, ...]:
    tries = dict.fromkeys(clean_line(one) for one in failure.tries)
    tries.pop(clean_line(failure.target), None)
    return tuple(tries)[-MOST_TRIES:]


def objection_in(text: str) -> str:
    """The sentence with which a person's prompt objects to what was done, or nothing."""
    said = first_sentence(" ".join(text[:LOOKED_AT].split()), LONGEST_LINE)
    return said if _OBJECTIONS.match(said) and not _FURTHER.search(said) else ""


def is_same_trouble(one: Failure, other: Failure) -> bool:
    """Whether two calls that failed were attempts at the same thing: another error is progress."""
    if one.objection or other.objection:
        return False
    is_same = one.target.split() == other.target.split()
    if not is_same and not _shared_words(one.target, other.target):
        return False
    line = telling_line(one.error)
    if line and line == telling_line(other.error):
        return True
    program = {program_of(one.target), program_of(other.target)}
    shared = {*triggers_of(one.target, one.error)} & {*triggers_of(other.target, other.error)}
    return bool(shared - program)


def may_teach(error: str) -> bool:
    """Whether something can be learned from an error: a failing test only says what is wrong."""
    if not _tells(error) or not telling_line(error):
        return False
    return not (any(sign in error for sign in _SIGNS_OF_TESTS) and _TESTS.search(error))


def _tells(text: str) -> bool:
    return _has_one(text.lower(), _TELLING)


def _has_one(low: str, words: Iterable[str]) -> bool:
    for word in words:  # noqa: SIM110 - of each line of each error, and `any` takes twice the time
        if word in low:
            return True
    return False


def _is_doing(command: str) -> bool:
    """Whether a command may have changed anything: it does not only look."""
    if "\n" in command or len(command) > LONGEST_LINE // 2:
        return False
    for part in re.split(r"&&|\|\||;|\|", command):
        program, words = program_of(part), part.split()
        if program and program not in _LOOKING and not _LOOKING_WORDS & set(words[1:3]):
            return "--version" not in words
    return False


def _words(command: str) -> set[str]:
    return set(re.findall(r"[\w.+-]{2,}", command.lower())) - _NOT_PROGRAMS


def _is_same_try(failed: str, worked: str) -> bool:
    """Whether only paths or nothing differ: running it again, or on another file, is no lesson."""
    a, b = failed.split(), worked.split()
    return [w for w in a if not _is_path(w)] == [w for w in b if not _is_path(w)]


def _is_path(word: str) -> bool:
    if _ASSIGNED.match(word):
        return False  # a setting for the command: that is what was different
    return "/" in word[1:] or "::" in word or bool(re.search(r"\.\w{1,4}$", word))


def _shared_words(failed: str, worked: str) -> set[str]:
    return {w for w in _words(failed) & _words(worked) if len(w) > 2 and not w.startswith("-")}


# -------------------- Lessons: what a section says of a solution that was met again in another session.


FIRST, AGAIN = "medium", "high"

_WORKED = Pattern(r"^\*\*(?:Solution|解决办法):\*\* (.+)$", 8)  # re.M
_OWN = Pattern(r"<!-- source: observed; trust: (\w+)(?:; confidence: \w+)?; session: ([^;<>]*) -->")
_SEEN = Pattern(r"<!-- seen before; session: ([^;<>]*) -->")


def comment(session: str, confidence: str = FIRST, trust: str = "tool") -> str:
    """Where a solution was seen, and how far it can be believed."""
    name = " ".join(session.split())[:80].replace(";", ",").replace("<", "‹").replace(">", "›")
    return f"<!-- source: observed; trust: {trust}; confidence: {confidence}; session: {name} -->"


def seen_again(old: str, session: str, new: str) -> str:
    """The section `old` behind the session that taught `new`; nothing if they teach different things.

    It is as it was if this session is known to it, or if it can be believed no more than it is.
    """
    was, now = _WORKED.search(old), _WORKED.search(new)
    mark = _OWN.search(old)
    if not (was and now and mark) or was[1].split() != now[1].split():
        return ""
    known = {mark[2], *(found[1] for found in _SEEN.finditer(old))}
    made = comment(session, AGAIN, mark[1])
    said = _OWN.search(made)
    if f"confidence: {AGAIN};" in mark[0] or (said and said[2] in known):
        return old
    return (
        f"{old[: mark.start()]}{made}\n<!-- seen before; session: {mark[2]} -->{old[mark.end() :]}"
    )


def session_of(section: str) -> str:
    """The session that taught a section, nothing where it does not say."""
    mark = _OWN.search(section)
    return mark[2] if mark else ""


# -------------------- Reaction: what a person says of the answer they got, and which memory that speaks for or against.


CORRECTION, APPROVAL = "correction", "approval"
ASKED_FOR = ("prompt", "error")  # moments of injections that answer something
LOOKED_AT_FOR_REACTION = 4_000  # characters of a prompt
LONGEST = 200  # of a sentence that only reacts
SENTENCES = 2  # at the start of a prompt

_WRONG = (
    r"(?:(?:completely|totally|simply|just|plain|still|also|all|clearly|actually) )*"
    r"(?:wrong(?! to\b)|incorrect|mistaken|untrue|false|outdated|out of date|not (?:quite )?(?:right|correct|true|accurate)"
    r"|not (?:the case|so) any ?more|no longer (?:true|correct|right|the case|so)|a mistake|a lie"
    r"|not (?:what|how|where|why) (?:i|we|it)\b)"
)
_ISNT = (
    r"(?:isn['’]?t|wasn['’]?t|is not|was not) (?:(?:quite|really|actually|at all) )*"
    r"(?:right|correct|true|accurate|the case|so|what i|what we|how we|how it|where)\b"
)
_IT = r"(?:that|this|it|your (?:answer|note|memory|information|assumption)|the note|the memory)"
_SAID_WRONG = rf"(?:{_IT}(?:['’]?s| is| was) {_WRONG}|{_IT} {_ISNT})"
_OTHERWISE = (
    r"(?:(?:we|i) (?:no longer|don['’]?t|do not|stopped|never) (?:use|using|have|having|run|running)\b"
    r"|(?:we|i)(?:['’]ve| have)? (?:moved|switched|migrated) (?:away |over )?(?:to|from)\b"
    r"|i (?:said|meant|asked for|told you)\b|you(?:['’]re| are) (?:wrong|mistaken|confus\w+)\b"
    r"|you (?:misunderstood|misread|mixed up|confused)\b|you got (?:that|it|this) wrong\b)"
)
_CORRECTIONS = Pattern(
    r"(?:(?:h?m+|sorry|oh|ah|wait|well|um+|but|ok(?:ay)?|hey)[,.!…]*\s+|等等[，,]?|嗯+[，,]?|呃+[，,]?)*(?:"
    rf"{_SAID_WRONG}"
    r"|(?:no|nope|nah|wrong|incorrect|not quite)[.!]*$"
    rf"|(?:no|nope|nah)(?:[,.!:;]|\s[–—-])?\s+(?:{_SAID_WRONG}|{_OTHERWISE}|wrong\b|it(?:['’]s| is) not\b)"
    rf"|actually[,:]?\s+(?:no\b|{_SAID_WRONG}|{_OTHERWISE}|(?:it|that|the [\w-]+(?: [\w-]+)?)(?:['’]?s| is) [^,;]+, not \S)"
    r"|not quite(?:[,.:!]|\s[–—-]| right\b| correct\b| what i\b)"
    r"|wrong(?:[,.:!]|\s[–—-]| (?:approach|answer|way|file|port|version|branch|database|library|one|command)\b)"
    r"|you(?:['’]re| are) (?:wrong|mistaken)\b|you (?:misunderstood|misread)\b|you got (?:that|it|this) wrong\b"
    r"|i (?:said|meant) [^,;]+, not \S"
    r"|(?:不对|错了|错啦|搞错了|弄错了|记错了|不正确|不准确)(?=[，,。.！!；;、：:\s]|[啊呀哦吧了]|的[，。！]?|$)(?!吗)"
    r"|(?:你|您)(?:又)?(?:搞|弄|记|理解|想|说|看)?错了|(?:你|您)误会了"
    r"|(?:这|那|这个|那个|这样|它|你说的|你记的|这条(?:记忆|笔记))(?:是|就|都|已经|完全|根本|并)*"
    r"(?:不对|错的|错了|不正确|不是真的|过时了|过时的|不准确)"
    r"|不是这(?:样|个意思)|不是我(?:要|想要|说)的|我(?:说|要|指)的(?:不是|是.{1,30}[，,]\s*(?:而)?不是)|我不是(?:说|要|指)"
    r"|(?:不|不是)[，,]\s*(?:不对|是.{1,30}[，,]\s*不是|这(?:不对|是错)|你(?:理解|搞|弄|记)错)"
    r"|其实(?:[，,])?(?:不是|不对|(?:这|那)?是.{1,30}[，,]\s*(?:而)?不是|我们(?:已经)?(?:不再?用|不用|改用|换成))"
    r"|我们(?:早就|已经|现在)+(?:不再?用|不用))",
    re.I,
)
_APPROVALS = Pattern(
    r"(?:(?:yes|yeah|yep|ah|oh|wow|great|thanks|thank you|ok(?:ay)?)[,.!]*\s+)*"
    r"(?:perfect(?:ly)?(?=[\s,.!;:–—-]*$|[,.!;:]|\s[–—-]|\s+thank)"
    r"|(?:that|this|it)(?:['’]?s| is| was) (?:exactly (?:right|it|what (?:i|we) \w+)|(?:absolutely |completely |totally )?(?:right|correct|perfect))\b"
    r"|exactly(?:[.!]*$|[,.!]| (?:right|what (?:i|we) (?:wanted|needed|meant|was looking))\b)"
    r"|(?:that|this|it)(?: (?:just|really|finally|now))* (?:did it|did the trick|fixed it|solved it|helped)\b"
    r"|(?:that|this|it)(?: (?:just|really|finally|now))* work(?:ed|s)(?= (?:great|perfectly|well|fine|now|nicely|beautifully|like a charm|as expected|again)\b|[\s.!]*$|[,.!;:]|\s[–—-])"
    r"|(?:that|this) (?:fixed|solved|resolved) (?:it|that|the)\b"
    r"|(?:well|nicely) done\b|(?:great|good|nice|excellent|amazing) (?:job|work|catch|call|memory)\b"
    r"|you(?:['’]re| are|['’]ve| have| were) (?:absolutely |totally )?(?:right|remembered)\b|(?:lgtm|spot on|nailed it)\b)"
    r"|(?:太好了|好的|谢谢|对|嗯)?[，,！!\s]*(?:完美|做得(?:很|非常|真)?好|干得(?:好|漂亮)|没错|完全正确|说得对|你(?:是|说得?|记得)对的?"
    r"|就是这样|正是(?:我|如此|这样)|(?:这样|这下|现在|这次)?(?:成功了|搞定了|解决了)|问题(?:已经?)?解决了|(?:这|它)(?:很)?(?:管用|有用|好用|有效))"
    r"(?=[，,。.！!；;、\s]|[啊呀哦吧了的]|我?(?:要|想要)的|$)",
    re.I,
)
# Who asks, doubts or jokes corrects nothing; an approval is taken back by less.
_DOUBTED = Pattern(
    r"[?？]\s*[\"')\]]*$|[吗呢]\s*$|对不对|是不是|\b(?:if|unless|maybe|perhaps|kidding|not sure)\b"
    r"|如果|也许|可能|开玩笑",
    re.I,
)
_LIMITED = Pattern(
    r"\b(?:but|however|except|although|though|almost|nearly|until|yet)\b|但是|不过|可是|除了|差一点|几乎"
    r"|\b(?:before|yesterday|earlier|previously|last (?:week|month|time|year)|used to|in theory|locally|only on|only in)\b"
    r"|之前|以前|昨天|上次|上周|本来",
    re.I,
)


def reaction_in(text: str) -> str:
    """`correction`, `approval`, or nothing: what a prompt says of the answer before it."""
    sentences = sentences_of(text[:LOOKED_AT_FOR_REACTION], least=2)[:SENTENCES]
    found = {kind for kind in map(_kind_of, sentences) if kind}
    return found.pop() if len(found) == 1 else ""


def _kind_of(sentence: str) -> str:
    if len(sentence) > LONGEST:
        return ""
    plain = without_quotations(" ".join(sentence.split()))
    if _CORRECTIONS.match(plain):
        return "" if _DOUBTED.search(plain) else CORRECTION
    if not _APPROVALS.match(plain) or _DOUBTED.search(plain) or _LIMITED.search(plain):
        return ""
    return APPROVAL


class Reaction(NamedTuple):
    """A reaction of a person, and the answer that it is about.

    That answer was given behind `since` and not after `until`; `seq` is the number that the next op of
    the journal had when the reaction was noticed, so that nothing depends on clocks.
    """

    kind: str
    session: str
    since: str
    until: str
    seq: int


class Credit(NamedTuple):
    """A reaction with the memory that it speaks for or against."""

    memory: str
    kind: str
    seq: int


def credits_of(
    reactions: Iterable[Reaction], injections: Iterable[Mapping[str, Any]]
) -> list[Credit]:
    """Who gets the credit for what, in the order in which it was noticed."""
    given: dict[str, list[tuple[str, int, str]]] = {}
    for n, line in enumerate(injections):
        items = line.get("items")
        if line.get("moment") not in ASKED_FOR or line.get("agent"):
            continue  # a brief is no answer, and what a sub-agent was told no person has seen
        top = str(items[0]) if isinstance(items, list) and items else ""
        row = (str(line.get("time", "")), n, top.partition("#")[0])
        given.setdefault(str(line.get("session", "")), []).append(row)
    found = []
    for one in reactions:
        rows = [row for row in given.get(one.session, ()) if one.since < row[0] <= one.until]
        if rows and max(rows)[2]:
            found.append(Credit(max(rows)[2], one.kind, one.seq))
    return sorted(found, key=lambda credit: (credit.seq, credit.memory, credit.kind))
