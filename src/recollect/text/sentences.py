"""Split English and Chinese text into sentences, and find code blocks and pasted output.

Abbreviations, numbers, versions, file names and `code` do not end a sentence. No character is lost;
linear time.
"""

from __future__ import annotations

from recollect._fastimport import IGNORE_CASE, Iterable, Iterator, Pattern
from recollect.text.tokens import STOP_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

_MASKED = Pattern(r"`[^`\n]*`|https?://[^\s，。！？；、（）]*[^\s，。！？；、（）.,;:!]")
# Where the blank behind a sentence was forgotten: `as possible.I want to`.
_UNSPACED = (
    r"(?<=[a-z][a-z][.!?])(?=(?:I|We|You|Please|Don['’]t|Let['’]s|Never|Always)"
    r"(?:['’][a-z]+)? [a-z])"
)
_END = Pattern(
    rf"(?<![.!?])[.!?]++[\"'”’)\]*_]*(?=\s|$)|[.!?]{_UNSPACED}|[。！？]+[”’」』）)\"'*_]*"
)
_WORD_BEFORE = Pattern(r"[\w.]+$")
_NEVER_LAST = frozenset(
    """e.g i.e eg ie cf vs viz approx ca resp incl excl esp dr mr mrs ms prof st fig figs eq sec ch vol
    ver ref refs dept est al a.k.a aka p pp no nr art""".split()
)
_BEFORE_NUMBERS = frozenset("no nr fig figs eq sec ch vol ver ref refs p pp art".split())
LONGEST_WORD = 24
_MULTILINE, _DOT_ALL = 8, 16  # of `re`, which is not loaded before a pattern is used


def has_han(text: str) -> bool:
    """Whether a text is Chinese, in part."""
    return not text.isascii() and any("\u4e00" <= char <= "\u9fff" for char in text)


def split_sentences(text: str) -> list[str]:
    """The sentences of a paragraph that stands on one line."""
    plain = _MASKED.sub(lambda match: "X" * len(match[0]), text)
    sentences: list[str] = []
    start = 0
    for match in _END.finditer(plain):
        if match[0][0] == "." and not _is_full_stop(plain, match.start(), match.end()):
            continue
        if match[0][0] in ".!?" and _goes_on(plain, match.end()):
            continue
        sentences.append(text[start : match.end()].strip())
        start = match.end()
    sentences.append(text[start:].strip())
    return [sentence for sentence in sentences if sentence]


def _goes_on(plain: str, end: int) -> bool:
    """Whether the next word begins with a small letter, as it does in the middle of a sentence."""
    after = plain[end : end + 8].lstrip("\"'“‘([*_ \t")
    return bool(after) and after[0].islower()


def _is_full_stop(plain: str, at: int, end: int) -> bool:
    found = _WORD_BEFORE.search(plain[max(0, at - LONGEST_WORD) : at])
    word = found[0].casefold().strip(".") if found else ""
    if not word:
        return True
    if word in _BEFORE_NUMBERS:
        return not plain[end : end + 3].lstrip()[:1].isdigit()
    if word in _NEVER_LAST:
        return False
    # `J. Smith`, and the number of an item at the start.
    is_initial = len(word) == 1 and word.isalpha() and word != "i" and found is not None
    is_number_of_item = word.isdigit() and not plain[:at].strip("0123456789 ")
    return not (is_initial and found is not None and found[0].isupper()) and not is_number_of_item


# -------------------- The sentences that a person wrote, without what they pasted.


_FENCES = ("```", "~~~")
_OURS, _THEIRS = "<<<<<<<", ">>>>>>>"  # as git begins and ends what it could not merge
_FENCE_LINE = Pattern(r" {0,3}(`{3,}|~{3,})(.*)")
_FENCE = Pattern(r"[ \t]*(?:`{3,}|~{3,})[ \t]*([^\s`]*)[^`]*$")
_BLOCK = Pattern(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)|```.*?(?:```|\Z)", _DOT_ALL | _MULTILINE)
_ENDS = Pattern(
    rf"(?<=[.!?])[\"')\]]*\s+(?=\S)|(?<=[。！？；])|(?<=[?!])(?=[\u4e00-\u9fff])|\n+|;\s+|{_UNSPACED}"
)
_BULLET = Pattern(
    r"^\s{0,3}(?:(?:[-*•]|\d{1,2}[.)])\s+(?=\S)|\d{1,2}[.)、．]\s*(?=[\u4e00-\u9fff]))"
)

# What a private part in front of a sentence left behind.
_PRIVATE_BEFORE = Pattern(r"^\s*(?:\[private\][\s,.;:，。；：、]*)+")

# Lines that came from a program, by how they begin.
_FROM_PROGRAMS = Pattern(
    r"\s{4,}|\t"  # indented, as code is
    r"|[>|#$%❯@]|\+{1,3} |-{2,} |\+\s{2}|-\s{3}"  # quotations, tables, prompts, diffs
    r"|diff --git |index [0-9a-f]{7}|commit [0-9a-f]{7}|[0-9a-f]{7,40} "
    r"|\s{0,3}at \S+ ?\(|File \"|Traceback|\d+[:|]|\[\d|\[[A-Z]+\]"  # traces, numbered lines
    r"|\d{4}[-/]\d\d[-/]\d\d[T ]\d|\d\d:\d\d:\d\d|[\w.-]+-\d+\s*\| "
    r"|(?:\w+ ){0,2}(?:ERROR|WARN(?:ING)?|INFO|DEBUG|TRACE|FATAL|CRITICAL|ERR!|FAILED|PASSED|FAIL)\b"
    r"|(?:Uncaught|Unhandled) |(?:remote|panic|hint): |npm (?:ERR!|error) |(?:DOM Path|React Component|HTML Element): "
    r"|\w*(?:Error|Exception|Warning)\b:|(?:error|warning|fatal|module not found)(?:\[\w+\])?:"
    r"|(?:feat|fix|chore|docs|refactor|test|perf|build|ci|style|revert)(?:\([^)]*\))?!?: "
    r"|(?:fix )?[\w./-]+\.\w{1,5}:\d+\b"
    r"|(?:修复|新增|功能|优化|重构|文档|杂项|测试)[:：]"
    r"|(?:git|npm|pnpm|yarn|docker|kubectl|pip|sudo|curl|cargo) (?!(?:is|was|has|can|and|or|for)\b)[a-z-]"
)
# A diff, and the lines of one: what it adds and takes away, and what stands around that.
_DIFF = Pattern(r"^(?:@@ -\d|diff --git |\+[^\s+])", _MULTILINE)
_OF_DIFF = Pattern(r"[-+ ]\S")
_REPLACED = Pattern(r"(?:^-[ \t]?[^\s-].*\n)+((?:^\+[ \t]?[^\s+].*(?:\n|\Z))*)", _MULTILINE)
# Lines of code, by what is in them once inline code is set aside. `<Card></Card>` within a sentence names an element.
_CODE = Pattern(
    r"[{};]\s*$|=>|==|&&|\|\||!=|(?<!>)</\w|^\s*<.*</\w|\);|^\s*[\"'][\w-]+[\"']\s*:|^\w+ = |^[\w.]+\([^)]*\)\s*$"
    r"|^(?:import|from \S+ import|def|class|const|let \w+ =|var|return|function|async|export) .*[(){}=:]"
    r"|^(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER) "
)
_QUOTED = Pattern(
    r"`[^`\n]{0,400}`|\"[^\"\n]{0,400}\"|“(?:[^“”\n]|“[^“”\n]{0,99}”){0,400}”|「[^「」\n]{0,400}」|『[^『』\n]{0,400}』"
    r"|(?<!\w)'[^'\n]{0,400}'(?!\w)"
)
_STAND_IN = "X"
INDENT = 20  # characters in which a line begins
LONGEST_TYPED = 3_000  # characters; who sends more has pasted most of it
_HANDED_OVER = Pattern(
    r"(?:please )?(?:implement|execute|follow|carry out) the (?:following|attached|below) (?:plan|spec)"
    r"|operation stopped by hook|the attached pasted text|this session is being continued from"
    r"|(?:please )?analy[sz]e this codebase (?:to generate|and create)\b"
    r"|base directory for this skill|(?:critical|high|medium|low) severity\b"
    r"|(?:请)?(?:执行|实现|按照?)(?:以下|下面|如下)的?(?:计划|方案)"
    r"|<[a-z][\w-]*[ >/]|---\n|# \S",
    IGNORE_CASE,
)
# The head of a mail, and of what a browser shows of an error: what stands below it nobody typed.
_MAIL = Pattern(
    r"^(?:from|发件人|寄件者)[:：].*\n(?:[^\s:：][^:：\n]{0,30}[:：].*\n){0,8}?(?:subject|主题|主旨)[:：]"
    r"|^(?-i:(?:Build|Console|(?:Unhandled )?Runtime|Hydration|Server) Error)[ \t]*$",
    IGNORE_CASE | _MULTILINE,
)
_STRUCTURE = Pattern(r"^(?:#{1,6} \S|\s*(?:[-*]|\d{1,2}\.)?\s*\*\*[^*\n]{2,60}\*\*)", _MULTILINE)
MOST_STRUCTURE = 2  # headings, or lines that begin in bold, of what a person types


def is_typed(text: str) -> bool:
    """Whether a person typed a prompt, as far as its text shows.

    A plan handed over, the body of a command, a report or a document that was pasted is none.
    """
    plain = text.strip()
    if len(plain) > LONGEST_TYPED or _HANDED_OVER.match(plain):
        return False
    return len(_STRUCTURE.findall(without_blocks(plain))) <= MOST_STRUCTURE


def fence_after(line: str, fence: str) -> str:
    """The code fence that is open after this line, if `fence` was open before it."""
    match = _FENCE_LINE.match(line)
    if not match:
        return fence
    mark, rest = match[1], match[2]
    if not fence:
        return "" if mark[0] == "`" and "`" in rest else mark  # ```code``` on one line is no fence
    return "" if mark.startswith(fence) and not rest.strip() else fence


def outside_fences(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """The lines that are no code, with their numbers; a fence is part of its code."""
    fence = ""
    for n, line in enumerate(lines):
        before = fence
        if line.lstrip(" ")[:3] in _FENCES:  # spares most lines the pattern
            fence = fence_after(line, fence)
        if not (before or fence):
            yield n, line


def without_unmerged(text: str) -> str:
    """`text` without what stands between conflict marks of git: nobody has decided about it.

    Without its end as well if that is missing, and without the rest of a section whose heading
    stands there. In code such marks are text. Whose a section is stays in it.
    """
    if _OURS not in text:
        return text
    lines = text.split("\n")
    starts = {n for n, line in outside_fences(lines) if line.startswith(_OURS)}
    kept: list[str] = []
    is_between = is_headed = False
    for n, line in enumerate(lines):
        is_between = is_between or n in starts
        if line.startswith("## "):
            is_headed = is_between
        if not is_headed and (not is_between or line.startswith("<!-- source: ")):
            kept.append(line)
        if line.startswith(_THEIRS):
            is_between = False
    return "\n".join(kept)


def without_marks_of_git(text: str) -> str:
    """`text` whose lines no longer look like conflict marks of git: it was written, not merged."""
    if _OURS not in text:
        return text
    lines = text.split("\n")
    for n, line in outside_fences(lines):
        lines[n] = f"\\{line}" if line.startswith(_OURS) else line
    return "\n".join(lines)


def without_blocks(text: str) -> str:
    """`text` without its code blocks, those that have blocks in them included."""
    if "```" not in text and "~~~" not in text:
        return text
    kept: list[str] = []
    depth, is_nested = 0, False
    for line in text.split("\n"):
        if fence := _FENCE.match(line):
            is_nested = is_nested or bool(depth and fence[1])
            depth += 1 if fence[1] or not depth else -1  # what has a language opens
        elif not depth:
            kept.append(line)
    return "\n".join(kept) if is_nested else _BLOCK.sub("\n", text)


def before_mail(text: str) -> str:
    """`text` up to the head of a mail or of a browser's error that was pasted behind it."""
    mail = _MAIL.search(text)
    return text[: mail.start()] if mail else text


def without_quotations(sentence: str) -> str:
    """`sentence` with a stand-in for everything quoted: a quotation is not the writer's word."""
    return _QUOTED.sub(_STAND_IN, sentence)


def sentences_of(text: str, least: int = 6) -> list[str]:
    """The sentences a person wrote: no code blocks, quotations or pasted output.

    Those that weigh less than `least` are left out.
    """
    plain = without_blocks(before_mail(text))
    rows = _REPLACED.sub(lambda run: "" if run[1] else run[0], plain).splitlines()
    if _DIFF.search(text):
        rows = [row for row in rows if not _OF_DIFF.match(row)]
    lines = (_PRIVATE_BEFORE.sub("", _BULLET.sub("", row)) for row in rows)
    kept = "\n".join(line for line in lines if not is_pasted(line))
    found = (s.strip(" \t-*•") for s in _split(kept) if s)
    return [s for s in found if weight_of(s) >= least]


def _split(text: str) -> list[str]:
    """The text cut where sentences end; a sign within a quotation ends nothing.

    A full stop before a small letter ends one where the line itself begins in small letters.
    """
    plain = _QUOTED.sub(lambda match: _STAND_IN * len(match[0]), text)
    found: list[str] = []
    start = line = 0
    for match in _ENDS.finditer(plain):
        at, end = match.span()
        if _goes_on_in_small_letters(plain, line, match):
            continue
        found.append(text[start:at])
        start = end
        line = end if "\n" in match[0] else line
    return [*found, text[start:]]


def _goes_on_in_small_letters(plain: str, line: int, match: re.Match[str]) -> bool:
    """Whether what looks like an end is followed by a small letter, as in `e.g. this`."""
    at, end = match.span()
    if "\n" in match[0] or plain[at - 1 : at] not in (".", "!", "?"):
        return False
    if not plain[end : end + 1].islower():
        return False
    is_small_line = plain[line : line + INDENT].lstrip()[:1].islower()
    return not is_small_line or (plain[at - 1] == "." and not _is_full_stop(plain, at - 1, end))


def is_pasted(line: str) -> bool:
    """Whether a line was pasted: output, code, a quotation."""
    return bool(_FROM_PROGRAMS.match(line) or _CODE.search(without_quotations(line)))


def weight_of(text: str) -> int:
    """How much a text says, in letters: a Chinese character counts as two."""
    return len(text) if text.isascii() else sum(1 if c < "\u2e80" else 2 for c in text)


def first_sentence(text: str, longest: int) -> str:
    """The first sentence of a text on one line, cut at a word where it is too long."""
    sentences = sentences_of(text) or [" ".join(text.split())]
    return shortened(sentences[0], longest)


def shortened(sentence: str, longest: int) -> str:
    """A sentence without its full stop, cut at a word where it is too long."""
    if len(sentence) <= longest:
        return sentence.rstrip(".。:：")
    cut = sentence[:longest]
    cut = cut.rsplit(" ", 1)[0] if " " in cut[longest // 2 :] else cut
    return cut.rstrip(" ,;:，；：") + "…"


def one_line(text: str, longest: int = 400) -> str:
    """`text` as one harmless line of Markdown."""
    line = " ".join(text.split())
    return cut_off(line.replace("<!--", "‹!--").replace("-->", "--›"), longest)


def cut_off(text: str, longest: int) -> str:
    """`text`, cut within a word if need be, and with a sign of that where it is too long."""
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"


# Words that steer a session and say nothing of its subject.
ROUTINE = STOP_WORDS | frozenset(
    """actually add address addressed again ahead all also alright already amend and answer any apply back better branch but
    change changes check clean clear comment comments commit commits completed continue cool correct could create
    current describe detail details do does doesn't doing don't done edit else error errors everything exactly feedback fine finish finished
    first fix following format from get give go going good got great happy have hello high help hey hi hold i'd i'll
    i'm issue issues it's just keep know last let's like lint local looks looking look low main make makes maybe me medium merge
    message more much name need needs new next nice no nope not now of off ok okay one open option other perfect
    please plan pr prs proceed problem pull push put question questions ready really rebase remove rerun review reviews right run
    running same save say see send should show so something squash start status step steps still stop
    summary sure sweet take tell test tests thank thanks that that's then there thing things think this
    title too try update updated use using version want wait way well what what's which work works working would write
    wrong yeah yep yes yet you your""".split()
)  # fmt: skip

# Words that say how something was asked for, not what it is about.
TAG_STOPS = STOP_WORDS | frozenset(
    """add also always avoid change check code create decide decided file files fix go going good help
    implement instead keep let's like look make need never new now ok okay one please prefer run see
    session show something start sure switch tell thing things try update use used using want way
    work write""".split()
)
