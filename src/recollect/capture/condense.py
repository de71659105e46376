"""Condense a session to what a model has to read: who said what, in order, in at most 16,000 tokens.

Pure. Lines are left out whole, so that what is quoted from the result is quoted from the session.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher

from recollect._fastimport import NamedTuple
from recollect.capture import records, requests
from recollect.capture.error_line import telling_line
from recollect.capture.extract import fact_in
from recollect.capture.failure_fix import program_of
from recollect.capture.outcome import answer_summary, is_chatter
from recollect.model.session import OVER, Event
from recollect.text.sentences import is_pasted, is_typed, split_sentences, weight_of
from recollect.text.tokens import count_tokens

MOST_TOKENS = 16_000
PERSON, HANDED, PROGRAM, RECAP = "PERSON", "HANDED OVER", "PROGRAM", "SUMMARY OF THE CLIENT"
AGENT, STEP, CHECK, OPEN = "AGENT", "AGENT, on the way", "CHECK", "STILL OPEN"
CHOSE, REFUSED, FILES = "PERSON, asked", "PERSON, refusing a call", "FILES CHANGED"
MADE = {"commit": "COMMIT", "pull": "PULL REQUEST", "issue": "ISSUE"}
TYPED = (PERSON, CHOSE, REFUSED)
SAID = (AGENT, STEP)
# Characters that a piece may have, and the part of them that it keeps where there is too much.
ROOM = {
    PERSON: (2_500, 0.2), CHOSE: (900, 0.5), REFUSED: (900, 0.5), RECAP: (3_600, 0.25),
    HANDED: (2_200, 0.1), PROGRAM: (300, 0.1), CHECK: (480, 0.2), FILES: (400, 0.3),
    OPEN: (600, 0.3), "COMMIT": (500, 0.15), "PULL REQUEST": (900, 0.2), "ISSUE": (600, 0.2),
    AGENT: (2_400, 1.0), STEP: (500, 1.0),
}  # fmt: skip
OUTCOME = 3_600  # characters of the last answer of substance
SHARE_OF_AGENT = 0.45  # of the tokens, where it has so much to say
MOST_CHECKS, MOST_FILES, MOST_TRIED = 6, 16, 5
MOST_TOLD = 3  # sentences of a step
MOST_RUN, OFTEN = 3, 3  # commands that worked so many times
SHORT_PROMPT = 200  # characters of a typed prompt that is not left out
NEAR_STEPS, ALIKE, LONGEST_TRIED = 12, 0.4, 160  # a command that failed, one that worked instead
NOD = 2  # words of a subject; a prompt with fewer takes up what was said before it
# Of so long an answer, or of a step, only lines that say so much are kept.
HUGE, SAYS_MUCH = 8_000, 1.5
LAST_SAID = 3  # answers of a turn that was broken off
TELLING = 200  # characters of an answer that may be the outcome


class Condensed(NamedTuple):
    """A condensed session: its text, and of that what the person typed."""

    text: str
    typed: str
    tokens: int


class Unit(NamedTuple):
    """A line or a sentence, which is kept or left out whole, and how much it says."""

    score: float
    text: str

    @property
    def worth(self) -> float:
        """How much it says for its length."""
        return self.score / (40 + len(self.text))


class Piece(NamedTuple):
    """What one of them said or did."""

    who: str
    units: tuple[Unit, ...]


Line = tuple[int, str]  # the number of the piece, what is kept of it


def condense(events: Iterable[Event], most: int = MOST_TOKENS) -> Condensed:
    """The events of a session, redacted before, in at most so many tokens."""
    reading = _CondenseState()
    for event in events:
        take = getattr(reading, f"take_{event.kind}", None)
        if take:
            take(event)
    pieces = reading.ended()
    said = [(n, piece) for n, piece in enumerate(pieces) if piece.who in SAID]
    rest = [(n, piece) for n, piece in enumerate(pieces) if piece.who not in SAID]
    whole = _cost(pieces, _scaled(said, 1.0))
    share = max(most - whole, int(most * (1 - SHARE_OF_AGENT)))
    lines = _within(pieces, rest, share)
    lines += _best(said, reading.outcome, most - _cost(pieces, lines))
    lines.sort()
    text = "\n".join(f"{pieces[n].who}: {kept}" for n, kept in lines)
    typed = "\n".join(kept for n, kept in lines if pieces[n].who in TYPED)
    return Condensed(text, typed, count_tokens(text))


def _cost(pieces: Sequence[Piece], lines: Iterable[Line]) -> int:
    return sum(count_tokens(pieces[n].who) + count_tokens(kept) + 1 for n, kept in lines)


def _scaled(some: Iterable[tuple[int, Piece]], scale: float) -> list[Line]:
    """Each piece in its room, at a scale from 0 to 1."""
    found = []
    for n, piece in some:
        room, least = ROOM[piece.who]
        if kept := fitted(piece.units, int(room * (least + (1 - least) * scale))):
            found.append((n, kept))
    return found


def _within(pieces: Sequence[Piece], some: list[tuple[int, Piece]], most: int) -> list[Line]:
    """The pieces in at most so many tokens: long ones give way first, then what says nothing."""
    low, high = 0.0, 1.0
    lines = _scaled(some, high)
    if _cost(pieces, lines) <= most:
        return lines
    for _ in range(6):
        middle = (low + high) / 2
        fits = _cost(pieces, _scaled(some, middle)) <= most
        low, high = (middle, high) if fits else (low, middle)
    lines = _scaled(some, low)
    over = _cost(pieces, lines) - most
    for line in sorted(lines, key=lambda line: _firmness(pieces[line[0]])):
        if over <= 0:
            break
        over -= _cost(pieces, [line])
        lines.remove(line)
    return lines


def _firmness(piece: Piece) -> tuple[bool, float]:
    """What is left out last: what a person typed in few words, then what says most."""
    size = sum(len(unit.text) for unit in piece.units)
    return piece.who in TYPED and size <= SHORT_PROMPT, max(unit.score for unit in piece.units)


def _best(said: list[tuple[int, Piece]], outcome: int, left: int) -> list[Line]:
    """The units of the agent that say most in so many tokens, the outcome first."""
    kept: dict[int, set[int]] = {}
    room = {n: OUTCOME if n == outcome else ROOM[piece.who][0] for n, piece in said}
    rows = [
        (unit.worth + (n == outcome), n, at)
        for n, piece in said
        for at, unit in enumerate(piece.units)
        if unit.score > 0
    ]
    units = {n: piece.units for n, piece in said}
    told: set[str] = set()
    for _, n, at in sorted(rows, reverse=True):
        text = units[n][at].text
        size = len(text)
        cost = count_tokens(text) + (1 if n in kept else 4)
        if cost <= left and size <= room[n] and text not in told:
            told.add(text)
            kept.setdefault(n, set()).add(at)
            left -= cost
            room[n] -= size
    return [(n, _joined(units[n], some)) for n, some in kept.items()]


# -------------------- Units: what a text is made of, and which of them say most.

_FENCE = re.compile(r"^[ \t]*(```|~~~)[^\n]*\n(.*?)(?:^[ \t]*\1[^\n]*|\Z)", re.S | re.M)
# What histories have of a command: itself, and its output in a block behind it.
_COMMAND = re.compile(
    r"^```(?:bash|sh|shell|zsh|console)\n([^\n]+)\n```\s*\n```\w*\n(.*?)^```[^\n]*$", re.S | re.M
)
_COUNT = re.compile(r"(?:tests?:? )?\d+ (?:pass|fail|error)", re.I)
_SAYS_ERROR = re.compile(
    r"(?:\w+ ){0,2}(?:\w*error|fatal|panic|cannot|failed)\b|.*\bnot found\.?$", re.I
)
_NOD = re.compile(r"^(?:good|great|ok(?:ay)?|right|yes|perfect|interesting)[ ,!.:–—-]+", re.I)
_FAILED = re.compile(r"(?:tests?:? )?[1-9]\d* (?:fail|error)", re.I)
_RULER = re.compile(r"[\s|:+=_*#>─━═-]*$")
# What causes, decides, rules and limits; and what only may.
_TELLS = re.compile(
    r"\b(?:because|since|root cause|cause[ds]?|due to|turns? out|the (?:issue|problem|bug|reason|culprit|catch)\b|instead|rather than|so that"
    r"|must|never|always|only|cannot|can't|doesn['’]t|won['’]t|decided?|decision|chosen|choose|prefer|recommend\w*|trade-?offs?|limitations?"
    r"|from \d[\d.]* to \d|deferred|for now|workaround|measured|known|by default|\d+(?:\.\d+)? ?(?:%|ms|MB|GB|seconds|times))\b"
    r"|从 ?\d\S* ?[^\s，。]{1,4}到 ?\d|因为|由于|原因|根因|其实|而不是|必须|不要|不能|只能|统一|决定|选择|建议|方案|限制|暂时|遗留|默认|结论|以后",
    re.I,
)
_MAY_TELL = re.compile(
    r"\b(?:not?|actually|fails?|failed|breaks?|broken|fixe?[sd]?|found|remaining|remains|still|todo|open question|should|default"
    r"|refuses?|rejects?|silently|requires?|needs?|supports?|unsupported|hangs?|ignores?|works? (?:only|with|without)|available)\b"
    r"|失败|修复|发现|问题|待办|尚未|应该|报错|可用|支持|需要|拒绝|忽略",
    re.I,
)
# What was not done, or taken back: nothing else in an answer says so.
_NOT_DONE = re.compile(
    r"\b(?:(?:not|never|n['’]t)(?: been| yet| actually)* (?:commit\w*|merg\w*|push\w*|run|test\w*|verif\w*|done|implement\w*|fix\w*|touch\w*|chang\w*|work\w*|support\w*|install\w*)"
    r"|left (?:as|for|open|out)|out of scope|deferred|skipped|postponed|revert\w*|rolled back|gave up|abandon\w*|no longer|instead of|turned out|conclusion|verdict)\b"
    r"|未(?:提交|合并|完成|实现|修复|验证)|没有(?:提交|合并|修改|测试)|撤回|放弃|回滚|推迟|结论",
    re.I,
)
_WAITS = re.compile(
    r"(?:(?:it(?:['’]s| is)|they(?:['’]re| are)|the \w+(?: \w+)? (?:is|are)) )?still (?:running|going|waiting|building|in progress|pending)\b|(?:waiting|polling|checking) (?:for|on|again)\b",
    re.I,
)
_NAMES = re.compile(r"`[^`]+`|#\d+|\b[\w.-]+\.(?:\w{1,4})\b|\b[a-z]+[A-Z]\w+|\b\w+_\w+")
_ERROR = re.compile(
    r"error|fail|exception|panic|fatal|denied|not found|undefined|错误|失败|异常", re.I
)
# What histories have of tools within an answer: their output, what was read, lists of files.
_OUTPUT = re.compile(
    r"\S*:\d+:\d+\)|[✓✗✔✘✅❌] .*\[[\d.]+ ?m?s\]|Read file:|- [AMDR] {2,}|\|[^|]{0,80}\|$|\[\d+ lines: |</?\w+>|[\w.-]+@[\w.-]+ .* [%$#] "
    r"|(?:git|cd|ls|cp|mv|rm|cat|npm|pnpm|bun|python3?) \S+(?: \S+){0,8}$|[\]\[{}()^\d\s.\w]{0,4}$"
)
_IMAGE = re.compile(r"\[(?:Image|图片|Pasted text)\b[^\]]*\]\s*$", re.I)
_ASKS = re.compile(r"[?？]\s*$|\[(?:Image|图片)\b", re.M)
LONGEST_UNIT = 320
FEWEST_PASTED = 3  # lines in a row
MANY_NAMES, LONGEST_NAME = 10, 24  # lines that are a list of names
_STOP = re.compile(r"[.!?,;:。！？，；：]")


def units_of(text: str, *, pasted: bool = False) -> tuple[Unit, ...]:
    """The lines of a text, long ones by sentence, each with how much it says.

    Code is named by its size; with `pasted`, of a prompt, so is what was pasted.
    """
    text = _FENCE.sub(_code, _with_results(text))
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if not _RULER.match(line)]
    if pasted:
        lines = list(_listed(_collapsed(lines)))
    found: list[str] = []
    for line in lines:  # "…: let me look at it:" says something before it leads over
        is_long = len(line) > LONGEST_UNIT or line.endswith((":", "："))
        found += split_sentences(line) if is_long else [line]
    return tuple(Unit(_score(one) + 3 * bool(pasted and fact_in(one)), one) for one in found)


def _code(found: re.Match[str]) -> str:
    body = found[2].strip("\n")
    lines = [line for line in body.splitlines() if line.strip()]
    if len(lines) <= 2:
        return f"{body}\n"
    error = next((line for line in lines if _ERROR.search(line)), "")
    return f"[{len(lines)} lines: {' '.join((error or lines[0]).split())[:120]}]\n"


def _with_results(text: str) -> str:
    """An answer with one line for each command that failed, or worked instead, and its output."""
    failed: dict[str, str] = {}  # the first word of a command → the last that failed

    def result(found: re.Match[str]) -> str:
        command, output = found[1].strip(), [line.strip() for line in found[2].splitlines()]
        word, shown = command.split(" ", 1)[0], f"`{command[:LONGEST_TRIED]}`"
        counts = [line for line in output if _COUNT.match(line)]
        error = next((line for line in output if _SAYS_ERROR.match(line)), "")
        if counts:
            error = "; ".join(counts[-2:]) if any(map(_FAILED.match, counts)) else ""
        if error:
            failed[word] = command
            return f"{shown} failed ({error[:160]})\n"
        before = "" if word in _NO_QUIRK else failed.pop(word, "")
        is_other = before not in ("", command) and _is_alike(before, command)
        return f"{shown} worked instead\n" if is_other else found[0]

    return _COMMAND.sub(result, text)


def _telling(text: str) -> list[str]:
    """The sentences of a step that tell something."""
    lines = (_NOD.sub("", line) for line in _FENCE.sub("", text).splitlines())
    said = (one for line in lines for one in split_sentences(line))
    return [one for one in said if _score(one) >= SAYS_MUCH][:MOST_TOLD]


def _listed(lines: Iterable[str]) -> Iterator[str]:
    """The lines, a long list of names on one."""
    run: list[str] = []
    for line in [*lines, ""]:
        if line and len(line) <= LONGEST_NAME and not _STOP.search(line):
            run.append(line)
            continue
        if len(run) >= MANY_NAMES:
            names = " / ".join(run)
            yield names if len(names) <= 240 else f"{names[:240]} … ({len(run)} in all)"
        else:
            yield from run
        run = []
        if line:
            yield line


def _collapsed(lines: Iterable[str]) -> Iterator[str]:
    """The lines, of a run of pasted ones the first, and the first that names an error."""
    run: list[str] = []
    for line in [*lines, ""]:
        if line and is_pasted(line):
            run.append(line)
            continue
        if len(run) < FEWEST_PASTED:
            yield from run
        elif run:
            error = next((one for one in reversed(run[1:]) if _ERROR.search(one)), "")
            yield f"[{len(run)} lines pasted: {run[0][:120]}{' … ' if error else ''}{error[:160]}]"
        run = []
        if line:
            yield line


def _score(line: str) -> float:
    if (
        _IMAGE.match(line)
        or _OUTPUT.match(line)
        or (is_pasted(line) and not line.startswith(("#", "|", ">", "[")))
    ):
        return 0.0
    if _WAITS.match(line):
        return 0.0
    leads_over = line.endswith((":", "：")) and not (_TELLS.search(line) or _MAY_TELL.search(line))
    if line.startswith("#") or leads_over or is_chatter(line):
        return 0.2
    said = min(weight_of(line), 160) / 80
    tells = 1.5 * min(len(_TELLS.findall(line)), 3) + 0.7 * min(len(_MAY_TELL.findall(line)), 2)
    tells += 1.5 * bool(_NOT_DONE.search(line))
    return said + tells + 0.5 * min(len(_NAMES.findall(line)), 3)


def fitted(units: Sequence[Unit], size: int) -> str:
    """The units that say most in so many characters, the first always."""
    if sum(len(unit.text) + 1 for unit in units) <= size + 1:
        return "\n".join(unit.text for unit in units)
    if not units or not size:
        return ""
    kept = {0}
    left = size - len(units[0].text)
    for n in sorted(range(len(units)), key=lambda n: -units[n].worth):
        cost = len(units[n].text) + 3
        if cost <= left:
            kept.add(n)
            left -= cost
    return _joined(units, kept, size)


def _joined(units: Sequence[Unit], kept: set[int], size: int = OUTCOME) -> str:
    """These units in their order, `…` for what is left out."""
    said = ""
    before = -1
    for n in sorted(kept):
        gap = "" if not said else "\n" if n == before + 1 else " …\n"
        said += gap + _cut(units[n].text, size)
        before = n
    return said


def _cut(text: str, size: int) -> str:
    if len(text) <= size:
        return text
    at = text.rfind(" ", size // 2, size)
    return text[: at if at > 0 else size].rstrip() + " …"


# -------------------- Pieces: what of the events a model has to see.


class _CondenseState:
    """What has been read of a session so far."""

    def __init__(self) -> None:
        self.pieces: list[Piece] = []
        self.made: list[records.Row] = []
        self.places: dict[tuple[str, str], int] = {}  # of what was made: (kind, text) → piece
        self.answer: Event | None = None  # the last of the turn
        self.calls: dict[str, Event] = {}
        self.failing: dict[str, str] = {}  # a check that failed last → its error
        self.checks = 0
        self.files: list[str] = []
        self.todos: dict[str, tuple[str, str]] = {}
        self.outcome = -1  # the number of the piece
        self.late: list[str] = []  # answers since the last prompt that calls followed
        self.handed: set[str] = set()  # how what was handed over begins
        self.before = ""  # the prompt before: one that is sent again is there once
        self.tripped: dict[str, tuple[int, str, str]] = {}  # program → step, command, error
        self.steps = self.tried = 0
        self.worked: Counter[str] = Counter()  # commands that are not only looks

    def add(self, who: str, text: str, *, pasted: bool = False) -> None:
        units = units_of(text, pasted=pasted)
        if who == AGENT and len(text) > HUGE:  # with the output of tools in it
            units = tuple(unit for unit in units if unit.score >= SAYS_MUCH)
        if units:
            self.pieces.append(Piece(who, units))

    def take_prompt(self, event: Event) -> None:
        self._end_turn(event.text)
        if requests.is_automated(event.text) or event.text == self.before:
            return
        self.before, self.late = event.text, []
        who = PROGRAM if event.program else PERSON if is_typed(event.text) else HANDED
        begun = event.text[:200]
        if who == HANDED and begun in self.handed:
            return
        self.handed.add(begun)
        self.add(who, event.text, pasted=True)

    def _end_turn(self, then: str = "") -> None:
        """Keep the answer that the person saw last; a proposal that they took up before all.

        So with what answers a question, or tells what was on a picture: its first line above all.
        """
        if self.answer:
            self.add(AGENT, self.answer.text)
            if self.pieces and self.pieces[-1].who == AGENT:
                more = (then != "" and requests.weight_of(then) < NOD) + 0.5 * bool(
                    _ASKS.search(self.before)
                )
                first, *rest = self.pieces[-1].units
                raised = [Unit(one.score + more, one.text) for one in (first, *rest)]
                if _ASKS.search(self.before):
                    raised[0] = Unit(raised[0].score + 1, first.text)
                self.pieces[-1] = Piece(AGENT, tuple(raised))
        self.answer = None

    def take_answer(self, event: Event) -> None:
        self._pass_over()
        self.answer = event

    def _pass_over(self) -> None:
        """Of an answer on the way keep what it found."""
        if self.answer:
            self.late.append(self.answer.text)
            told = answer_summary(self.answer.text, 500)
            if not (_TELLS.search(told) or _MAY_TELL.search(told)):
                told = ""
            more = (one for one in _telling(self.answer.text) if one not in told)
            if told := " ".join((told, *more)).strip():
                self.add(STEP, told)
        self.answer = None

    def take_choice(self, event: Event) -> None:
        self._pass_over()
        options = f" (not: {'; '.join(event.options)})" if event.options else ""
        self.add(CHOSE, f"{event.target.strip()} → {event.text.strip()}{options}")

    def take_refusal(self, event: Event) -> None:
        self._pass_over()
        self.add(REFUSED, event.text)

    def take_recap(self, event: Event) -> None:
        has_begun = sum(piece.who == PERSON for piece in self.pieces) > 1
        text = "\n".join(_sections(event.text, is_new=not has_begun))
        if text:
            self.add(RECAP, text)

    def take_call(self, event: Event) -> None:
        self._pass_over()
        if event.call and event.tool in ("shell", "edit"):
            self.calls[event.call] = event

    def take_result(self, event: Event) -> None:
        call = self.calls.pop(event.call, None)
        if call is None:
            return
        if call.tool == "edit":
            if event.ok and call.target not in self.files:
                self.files.append(call.target)
            return
        if records.has_useful_output(call.target) or _INSTALL.search(call.target):
            self._take_made(call.target, event)
            self._take_check(call.target, event)
        self._take_tried(" ".join(call.target.split()), event)

    def _take_made(self, command: str, event: Event) -> None:
        before = {(row["kind"], row["text"]) for row in self.made}
        records.take_command(self.made, command, event.text, event.time, ok=event.ok)
        for row in self.made:
            key = row["kind"], row["text"]
            if key not in before and (said := _made(row)):
                self.places[key] = len(self.pieces)
                self.add(MADE[row["kind"]], said)

    def _take_check(self, command: str, event: Event) -> None:
        check = records.check_in(command, "") or _install_in(command)
        if not check:
            return
        if not event.ok:
            lines = [line.strip() for line in event.text.splitlines()]
            error = next((line for line in lines if _ERROR.search(line)), "")
            if error:
                self.failing[check] = error[:160]
        elif check in self.failing and self.checks < MOST_CHECKS:
            self.checks += 1
            self.add(CHECK, f"`{check}` failed ({self.failing.pop(check)}), passed later")

    def _take_tried(self, command: str, event: Event) -> None:
        """Note what worked in place of a command that failed: a quirk of a tool or of the machine."""
        self.steps += 1
        program = program_of(command) if len(command) <= LONGEST_TRIED else ""
        if not program or program in _NO_QUIRK:
            return
        if not event.ok:
            error = telling_line(event.text)
            if _OF_THE_TOOL.search(error) and not _AT_A_LINE.search(error):
                self.tripped[program] = self.steps, command, error[:160]
            return
        self.worked[_bare(command)] += 1
        wrapped = (name for name, row in self.tripped.items() if row[1].endswith(f" {command}"))
        name = program if program in self.tripped else next(wrapped, "")
        if name and self.tried < MOST_TRIED:
            step, failed, error = self.tripped.pop(name)
            is_near = self.steps - step <= NEAR_STEPS and _bare(command) != _bare(failed)
            if is_near and _is_alike(failed, command):
                self.tried += 1
                self.add(CHECK, f"`{failed}` failed ({error}); `{command}` worked")

    def take_todos(self, event: Event) -> None:
        if not any(ref for _, _, ref in event.todos):
            self.todos = {}
        for status, text, ref in event.todos:
            old = self.todos.get(ref or text, ("", ""))
            self.todos[ref or text] = status, text or old[1]

    def ended(self) -> list[Piece]:
        """All pieces, in order, with what was open at the end."""
        if not self.answer and self.late:  # it was broken off: what was said last is all there is
            self.add(AGENT, "\n".join(self.late[-LAST_SAID:]))
        self._end_turn()
        standing = {(row["kind"], row["text"]) for row in self.made}
        gone = {at for key, at in self.places.items() if key not in standing}
        self.pieces = [piece for n, piece in enumerate(self.pieces) if n not in gone]
        for n, piece in enumerate(self.pieces):
            if piece.who == AGENT and sum(len(unit.text) for unit in piece.units) >= TELLING:
                self.outcome = n
        if left := [text for status, text in self.todos.values() if text and status not in OVER]:
            self.add(OPEN, "\n".join(left[:12]))
        for check, error in list(self.failing.items())[-2:]:
            self.add(CHECK, f"`{check}` failed ({error}) when it was run last")
        for _, command, error in list(self.tripped.values())[: MOST_TRIED - self.tried]:
            self.add(CHECK, f"`{command}` failed ({error})")
        for command, times in self.worked.most_common(MOST_RUN):
            if times >= OFTEN:
                self.add(CHECK, f"`{command}` worked {times} times")
        if self.files:
            more = len(self.files) - MOST_FILES
            names = ", ".join(self.files[:MOST_FILES])
            self.add(FILES, f"{names}{f' and {more} more' if more > 0 else ''}")
        return self.pieces


# What a program says of how it was called, or of where it runs; not what it found in the code.
_OF_THE_TOOL = re.compile(
    r"unknown (?:\w+ )?(?:command|sub-?command|option|flag|argument)|unrecogni[sz]ed|no such (?:file|option|command|host)|not found|unsupported|not supported"
    r"|invalid (?:option|argument|flag|value)|must (?:be|use|specify|provide)|requires?\b|required|missing|no \w+(?: \S+)? found|found no|disabled|usage:"
    r"|refused|denied|not permitted|timed? ?out|ENOENT|EADDRINUSE|already in use|cannot (?:find|open|load|use)|deprecated|未找到|不支持|无法|拒绝|超时",
    re.I,
)
_AT_A_LINE = re.compile(r"\w\.\w+:\d+")
# What fails for what stands in a repository or a database, not for what the program is.
_NO_QUIRK = frozenset("git sqlite3 psql mysql curl".split())
_INSTALL = re.compile(
    r"(?:npm|pnpm|yarn|bun|pip3?|uv|poetry|cargo|go|gem|composer|brew|apt(?:-get)?|flutter pub|dotnet)(?: pip)? (?:i|install|add|get)\b[^\n&|;]{1,80}"
)


def _is_alike(failed: str, command: str) -> bool:
    return SequenceMatcher(None, failed, command).ratio() >= ALIKE


def _bare(command: str) -> str:
    """A command without where its output goes."""
    return re.sub(r"\s*(?:2>&1|\|\s*(?:tail|head|cat)\b[^|&;]*)", "", command).strip()


def _install_in(command: str) -> str:
    """The command that installs something, in a command line."""
    found = _INSTALL.search(command)
    return found[0].strip() if found else ""


def _made(row: records.Row) -> str:
    number = f"#{row['ref'].rpartition('/')[2]} " if row["kind"] != "commit" else ""
    return "\n".join(part for part in (number + row["text"], row["body"]) if part.strip())


_SECTION = re.compile(r"^\s*(?:#+\s*)?\d{1,2}[.、]\s*\**([^\n*:：]{3,60})[*:：]*", re.M)
_WANTED = re.compile(
    r"errors?|fix|problem solving|technical concepts|decisions|constraints|错误|修复|问题|技术|决定|约束",
    re.I,
)
_WANTED_FIRST = re.compile(r"primary request|user messages|主要请求|用户消息|用户的", re.I)


def _sections(text: str, *, is_new: bool) -> Iterator[str]:
    """The sections of a compaction's summary that say what was learned; with `is_new` what was asked."""
    heads = list(_SECTION.finditer(text))
    ends = [*(head.start() for head in heads[1:]), len(text)]
    for head, end in zip(heads, ends, strict=False):
        if _WANTED.search(head[1]) or (is_new and _WANTED_FIRST.search(head[1])):
            yield text[head.start() : end].strip()
