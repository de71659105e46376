"""Detect failures, what fixed them, and the triggers that recall the fix.

A fix was seen to work: the same program on the same target failed and passed later, or a tool that was
missing was run later. What only looks is no fix, what throws something away never; a failing test and a
mistake in the code at hand teach nothing. A person's correction is a fix if it names what to run instead
and that is run next.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from recollect._fastimport import NamedTuple, Pattern
from recollect.capture.error_line import (
    clean_line,
    is_environment_error,
    is_failed_test,
    is_learnable,
    telling_line,
)
from recollect.text import commands, failures
from recollect.text.commands import (
    SimpleCommand,
    core_of,
    is_code_file,
    is_dangerous,
    is_looking,
    parts_of,
)
from recollect.text.failures import LONGEST_LINE, ErrorSignature
from recollect.text.sentences import first_sentence
from recollect.text.tokens import STOP_WORDS, simplified

MOST_TRIGGERS = 4
LONGEST_TITLE = 80
LOOKED_AT = 2_000  # characters of a prompt
PATIENCE = 30  # steps after which a failure is no longer waiting for something that works
MOST_FAILURES = 8
LONGEST_CHECK = 160  # characters of a command; longer ones are made for once
MOST_STEPS = 3
MOST_EDITS = 3
MOST_TRIES = 4  # that are named
_PROBLEM = Pattern(r"`[^`]*` ← `[^`]*`")
_WORDS = re.compile(r"[\w@./:+'-]+")
_PLAIN = Pattern(r"[\w@./:+-]{2,40}")
# Looser than a correction that a memory is held to: it teaches only what the person names and is done.
_OBJECTIONS = Pattern(
    r"(?:no|nope|nah|wrong|stop|not|never|don['’]?t|do not|actually)\b|(?:please )?(?:use|run|try)\b.{1,80}\binstead\b"
    r"|.{0,80}\b(?:instead of|rather than)\b|(?:不|别|错|请?改用|请?换成|应该用|我(?:说|要)的是)",
    re.I,
)
_FURTHER = Pattern(r"[?？]\s*$|\balso\b|[吗呢]\s*$|再|还要|顺便", re.I)
_SPOKEN = Pattern(r"[A-Za-z0-9_.+-]{2,}")
LONGEST_OBJECTION = 160

_CHECKS = frozenset(
    "test tests lint check typecheck type-check vet build compile tsc pytest jest vitest mypy golangci-lint eslint clippy test:ci e2e".split()
)
_REMEDIES = frozenset(
    "install add i ci sync tidy get generate migrate up start init login trust download restore update upgrade mkdir chmod chown"
    " cp ln touch export config set setup bootstrap createdb create enable use pull submodule unlock allow reload restart kill"
    " fmt format --fix --write link require makemigrations codegen unshallow lfs bundle apply fix daemon-reload".split()
)
_FORMATTERS = frozenset("fmt format gofmt goimports prettier black rustfmt".split())
_ABOUT_FORMAT = re.compile(
    r"format|fmt|import|prettier|whitespace|indent|style|quote|semi|lint|newline", re.I
)


class Failure(NamedTuple):
    """A command that failed, or was corrected, as the session remembers it until something works.

    `since` are the commands that worked after it, `edits` the changes of files: (path, what was
    changed). `tries` are the attempts at the same thing before it. It is `settled` once the command
    failed in another way: what happened until then fixed it, if it ever works. It is `fresh` if code
    was changed that the session was at work on anyway. What a person corrected has no error but their words, `objection`.
    """

    target: str
    symptom: str
    step: int = 0
    since: Sequence[str] = ()
    edits: Sequence[Sequence[str]] = ()
    tries: Sequence[str] = ()
    settled: bool = False
    fresh: bool = False
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
    edits: tuple[tuple[str, str], ...] = ()  # the files that were edited before it worked, and how


def program_of(command: str) -> str:
    """The program that a shell command is about."""
    checks = _checks_of(command)
    return checks[0].core[0] if checks else ""


def triggers_of(symptom: str) -> tuple[str, ...]:
    """The words by which the same trouble is recognised: the codes and names in its error."""
    names = ErrorSignature(symptom).names
    said = [word.strip(".:-'") for word in _WORDS.findall(symptom)]
    found = [word for word in said if word.lower() in names and _PLAIN.fullmatch(word)]
    return tuple(dict.fromkeys(found))[:MOST_TRIGGERS]


# ------------------------------------------------------------------------- from a failure to a fix


class _Check(NamedTuple):
    """A simple command that can fail for a reason: as it stands there, and what it runs."""

    words: tuple[str, ...]
    core: tuple[str, ...]
    text: str


def failed(command: str, error: str, step: int) -> Failure | None:
    """The failure to remember of a command that failed, if it may teach anything."""
    symptom = telling_line(error) if is_learnable(error) else ""
    checks = _checks_of(command, symptom) if symptom else []
    if not checks or any(len(check.text) > LONGEST_CHECK for check in checks):
        return None
    return Failure(command, symptom, step, fresh=is_failed_test(error))


def with_failure(known: Iterable[Failure], new: Failure) -> list[Failure]:
    """The failures that wait for a fix, with a new one.

    Who fails in the same way again has not been helped by what was done meanwhile; who fails in
    another way has.
    """
    kept: list[Failure] = []
    tries: list[str] = []
    for old in known:
        if new.step - old.step > PATIENCE:
            continue
        if old.objection or not _is_same_check(old, new.target):
            kept.append(old)
        elif failures.likeness(ErrorSignature(old.symptom), ErrorSignature(new.symptom)) > 0:
            tries += [*old.tries, old.target]
        else:
            kept.append(old._replace(settled=True))
    others = [one for one in dict.fromkeys(tries) if one.split() != new.target.split()]
    return [*kept, new._replace(tries=others[-MOST_TRIES:])][-MOST_FAILURES:]


def with_success(
    known: Iterable[Failure], command: str, step: int
) -> tuple[list[Failure], list[Solution]]:
    """The failures that still wait for a fix once a command has worked, and what was learned."""
    waiting = [one for one in known if step - one.step <= PATIENCE]
    if not waiting:
        return [], []
    kept: list[Failure] = []
    learned: list[Solution] = []
    for one in waiting:
        if one.objection:
            is_over = any(not commands.is_idle(part) for part in parts_of(command))
            found = _corrected(one, command) if is_over else None
        else:
            passed = _passed(one, command)
            is_over = passed is not None
            found = None if passed is None else _rejoined(one, command) or _learned(one, passed)
        if found and not _is_for_once(found, command):
            learned.append(found)
        if not is_over:
            kept.append(_followed(one, command))
    return kept, learned


def with_edit(known: Iterable[Failure], path: str, change: str, *, is_first: bool) -> list[Failure]:
    """The failures that wait for a fix, once a file was edited; `is_first` if it was not before."""
    if path.lower().endswith((".md", ".mdx", ".rst")):
        return [*known]
    kept: list[Failure] = []
    for one in known:
        if one.settled or one.objection:
            kept.append(one)
            continue
        is_own = is_code_file(path) and not is_first and path not in [old for old, _ in one.edits]
        edits = [*one.edits, (path, change)][-MOST_EDITS - 1 :]
        kept.append(one._replace(edits=edits, fresh=one.fresh or is_own))
    return kept


def _followed(one: Failure, command: str) -> Failure:
    """The failure, with what a command that worked may have changed."""
    if one.settled or one.objection:
        return one
    steps = _steps_in(command, one.target)
    if is_dangerous(command):
        steps = [command]
    elif any(map(_writes_code, parts_of(command))):
        return one._replace(fresh=True)
    return one._replace(since=[*one.since, *steps][-MOST_STEPS - 1 :]) if steps else one


def _writes_code(part: SimpleCommand) -> bool:
    """Whether a command changes code: that is an edit like any other, of which nobody knows more."""
    core = core_of(part.words)
    is_moving = core[:1] in (("sed",), ("perl",), ("mv",), ("cp",), ("tee",)) and is_code_file(
        core[-1]
    )
    return is_moving or is_code_file(part.writes)


def _steps_in(command: str, target: str) -> list[str]:
    """The parts of a command line that may have changed something for what failed.

    What was done in another folder of the project is one part.
    """
    program, own = program_of(target), next(filter(None, map(_folder_in, parts_of(target))), "")
    if len(command) > 4 * LONGEST_LINE:
        return []
    found: list[str] = []
    pipe: list[SimpleCommand] = []
    folder, is_below = "", False
    for part in parts_of(command):
        pipe.append(part)
        if part.words[0] == "cd":
            if is_below:
                found[-1] = f"({found[-1]})"
            folder, is_below = _folder_in(part), False
            folder = "" if folder == own else folder
        if part.ends == "|":
            continue
        while len(pipe) > 1 and core_of(pipe[-1].words)[:1] in _SHORTENING and not pipe[-1].writes:
            pipe.pop()
        text = clean_line(" | ".join(one.text for one in pipe).replace(" 2>&1", ""))
        if _is_doing(pipe, text, program):
            if is_below:
                found[-1] += f" && {text}"
            else:
                found.append(f"cd {folder} && {text}" if folder else text)
            is_below = bool(folder)
        pipe = []
    return found


_OF_THE_CHECKOUT = frozenset("submodule lfs config pull clone init fetch".split())


def _is_doing(pipe: Sequence[SimpleCommand], text: str, program: str) -> bool:
    """Whether commands joined by pipes may have changed something for a program."""
    core = core_of(pipe[0].words)
    if "--dry-run" in core or len(text) >= LONGEST_LINE * 3 // 4:
        return False
    if all(map(commands.is_idle, pipe)) and not _writes_what_it_gets(pipe):
        return False
    if not (_CHECKS.isdisjoint(core[:3]) or {"--fix", "--write", "install"} & {*core}):
        return False
    if program in ("git", "gh"):
        return True
    if core[:1] == ("git",) and _OF_THE_CHECKOUT.isdisjoint(core[1:3]):
        return False
    return any(core_of(one.words)[:1] not in (("gh",), ("sleep",), ("cd",)) for one in pipe)


_FOLDER = Pattern(r"(?:\./)?(\w[\w./@+-]*)$")
_PASSING = Pattern(r"/(?:tmp|dev|var/log)/|.*\.(?:log|out)$")


def _folder_in(part: SimpleCommand) -> str:
    """The folder of the project that a `cd` goes to; nothing for another one or `..`."""
    found = _FOLDER.match(part.words[-1]) if part.words[0] == "cd" else None
    return found[1].rstrip("/") if found and len(part.words) == 2 else ""


def _writes_what_it_gets(pipe: Sequence[SimpleCommand]) -> bool:
    """Whether a text is written to a file that stays: `echo x | sudo tee -a /etc/sysctl.conf`."""
    core = core_of(pipe[-1].words)
    files = [word for word in core[1:] if not word.startswith("-")]
    is_said = core_of(pipe[0].words)[:1] in (("echo",), ("printf",), ("cat",))
    return (
        len(pipe) > 1 and core[:1] == ("tee",) and is_said and not all(map(_PASSING.match, files))
    )


def _checks_of(command: str, symptom: str = "") -> list[_Check]:
    """What of a command line may have failed; of several, those that the error names."""
    parts = parts_of(command) if len(command) <= 4 * LONGEST_LINE else []
    found: list[_Check] = []
    for part in parts:
        core = core_of(part.words)
        is_work = not is_looking(part.words) and commands.is_program(part.words)
        if is_work or _is_missing(core, symptom):
            found.append(_Check(part.words, core, part.text))
        if part.ends == ";" and found:
            found = [one for one in found if _is_missing(one.core, symptom)]
    low = symptom.lower()
    looked = {core_of(part.words)[:1] for part in parts if is_looking(part.words)}
    if any(low.startswith(f"{name[0]}:") for name in looked if name) and "not found" not in low:
        return []
    if len(found) > 1:
        named = [one for one in found if low.startswith((f"{one.core[0]}:", f"{one.core[0]} err"))]
        named = named or [one for one in found if _is_missing(one.core, symptom)]
        found = named[:1] or found
    return found


_SHORTENING = (("head",), ("tail",), ("grep",), ("wc",))  # of what a command prints
_NO_PROGRAM = (
    "not found", "not recognized", "not installed", "未找到命令", "找不到命令", "找不到指令", "未安装", "不是内部或外部命令",
)  # fmt: skip


def _is_missing(core: tuple[str, ...], symptom: str) -> bool:
    """Whether an error says that this program is not there."""
    low = simplified(symptom.lower())
    is_told = any(sign in low for sign in _NO_PROGRAM)
    if not core or not is_told or "http" in low:
        return False
    return re.search(rf"(?<![\w.-]){re.escape(core[0])}[\d.]*(?![\w-]|\.\w)", low) is not None


def _passed(one: Failure, command: str) -> list[str] | None:
    """What was run that worked, with what was done for it; empty for the same again, None if it did not."""
    checks = _checks_of(one.target, one.symptom)
    if one.target.split() == command.split():
        return []
    proven = commands.proven(command, through_pipes="|" in one.target)
    found = [
        part for part in proven for check in checks if commands.is_same(check.words, part.words)
    ]
    if len({part.text for part in found}) == len({check.text for check in checks}):
        return _done_for(one, command, found[0].text)
    for part in proven if len(checks) == 1 else ():
        core = core_of(part.words)
        if core and commands.is_variant(
            checks[0].words, part.words, instead=_is_missing(checks[0].core, one.symptom)
        ):
            return [*_done_for(one, command, part.text), _shown(part.text)]
        if core[:1] == checks[0].core[:1] and one.since and _is_missing(core, one.symptom):
            return []
    return None


def _done_for(one: Failure, command: str, text: str) -> list[str]:
    """What the command line that worked does before the part that is the check."""
    before = command.partition(text)[0]
    done = [step for step in _steps_in(before, one.target) if step not in one.target]
    moved = [
        part.text
        for part in parts_of(before)
        if part.words[0] == "cd" and part.words[-1][:1] not in ("/", "~", "$")
    ]
    if moved and not (done or one.since or one.edits) and "cd " not in one.target:
        return moved[-1:]
    return done


def _learned(one: Failure, done: list[str]) -> Solution | None:
    """What is learned if something worked after a failure, or None if nothing is."""
    checks = _checks_of(one.target, one.symptom)
    shown = " && ".join(_shown(check.text) for check in checks)
    since = [*one.since, *done]
    steps = [step for step in since if _may_mend(step, one) or _is_check(step, checks)]
    edits = {path: change for path, change in one.edits}  # noqa: C416 - rows of a state are lists
    if len(one.since) > MOST_STEPS or len(one.edits) > MOST_EDITS:
        return None  # too much was changed to know
    if any(map(is_dangerous, since)):
        return None
    is_code = bool(edits) and all(map(is_code_file, edits))
    if is_code and not steps:
        return None  # a mistake in the code at hand
    if steps and is_code and (one.fresh or _names_what_is_missing(steps, one.symptom)):
        edits = {}
    if not edits and (not steps or _asks_for_another(checks, done, one.symptom)):
        return None  # nothing was changed: it works now and then
    apart = [f"({step})" if step.startswith("cd ") and step not in done else step for step in steps]
    worked = steps if done and _is_check(done[-1], checks) else [*apart, shown]
    solution = " && ".join(dict.fromkeys(worked))
    if (
        any(len(step) >= LONGEST_LINE for step in (shown, *done))  # it was cut
        or len(solution) > 2 * LONGEST_LINE
    ):
        return None
    return Solution(
        slug=_title_of(_program_in(checks, one.symptom), one.symptom),
        symptom=one.symptom,
        failed=shown,
        solution=solution,
        why="",
        triggers=triggers_of(one.symptom),
        tries=tuple(
            " && ".join(_shown(c.text) for c in _checks_of(old, one.symptom)) for old in one.tries
        ),
        edits=tuple((clean_line(path), clean_line(change)) for path, change in edits.items()),
    )


# What names one thing of one day: a UUID, a hash, the number of a run.
_ONE_THING = Pattern(
    r"\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}\b|\b(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{12,64}\b|\b\d{9,}\b"
)
_ASSIGNED = Pattern(r"(?<![\w$-])([A-Za-z_]\w*)=")


def _is_for_once(found: Solution, command: str) -> bool:
    """Whether a fix names one thing of one day, or needs what the command line set before it."""
    said = f"{found.failed}\n{found.solution}"
    unset = (name for name in _ASSIGNED.findall(command) if f"{name}=" not in found.solution)
    return bool(_ONE_THING.search(said)) or any(
        re.search(rf"\$\{{?{name}\b", found.solution) for name in unset
    )


_SEPARATOR = Pattern(r"statement separator", re.I)  # Windows PowerShell 5 has no `&&`
_JOINTS = Pattern(r"\s*(?:&&|;)\s*")


def _rejoined(one: Failure, command: str) -> Solution | None:
    """The same commands, joined as the shell can join them."""
    is_same = _JOINTS.sub(";", one.target.strip()) == _JOINTS.sub(";", command.strip())
    if not is_same or not _SEPARATOR.search(one.symptom):
        return None
    title, triggers = _title_of("powershell", one.symptom), triggers_of(one.symptom)
    return Solution(title, one.symptom, _shown(one.target), _shown(command), "", triggers)


def _is_check(step: str, checks: Sequence[_Check]) -> bool:
    """Whether a step is the check itself in another way."""
    return any(
        commands.is_variant(checks[0].words, part.words, instead=True) for part in parts_of(step)
    )


def _asks_for_another(checks: Sequence[_Check], done: Sequence[str], symptom: str) -> bool:
    """Whether what worked only names something else than what the error says is not there."""
    if not done or not _is_check(done[-1], checks) or not ErrorSignature(symptom).is_missing:
        return False
    again = {word for part in parts_of(done[-1]) for word in part.words}
    gone = [word for check in checks for word in check.core[1:] if word not in again]
    return any(len(word) > 2 and word.strip("./") in symptom for word in gone)


def _may_mend(step: str, one: Failure) -> bool:
    """Whether a command may have mended this: where code was changed too, only what usually mends."""
    words = {word.lower().strip("()") for part in parts_of(step) for word in part.words}
    if words & _FORMATTERS and not _ABOUT_FORMAT.search(one.symptom):
        return False
    if not one.fresh and not any(is_code_file(path) for path, _ in one.edits):
        return True
    is_likely = words & _FORMATTERS or is_environment_error(one.symptom)
    if is_likely and not (_REMEDIES | _FORMATTERS).isdisjoint(words):
        return True
    return _names_what_is_missing([step], one.symptom)


def _names_what_is_missing(steps: Iterable[str], symptom: str) -> bool:
    names = ErrorSignature(symptom).names
    return any(name in step.lower() for step in steps for name in names if len(name) > 2)


def _is_same_check(one: Failure, command: str) -> bool:
    checks, others = _checks_of(one.target, one.symptom), _checks_of(command)
    if one.target.split() == command.split():
        return True
    return bool(checks) and all(
        any(
            commands.is_same(a.words, b.words) or commands.is_variant(a.words, b.words)
            for b in others
        )
        for a in checks
    )


def _shown(text: str) -> str:
    return clean_line(text.replace(" 2>&1", ""))


def _program_in(checks: Sequence[_Check], symptom: str) -> str:
    said = set(re.findall(r"[\w.-]+", symptom.lower()))
    return next((one.core[0] for one in checks if one.core[0] in said), checks[0].core[0])


# What stands before the words of an error: who says it, and that it is one.
_LEAD = Pattern(
    r"(?:\S+: line \d+: |(?:ba|z|da)?sh:(?:\d+:)? |[>×✖⨯!*=-]+ +|\[error\] +|npm (?:error|err!) +"
    r"|(?:(?:fatal )?error|err|fatal|note|message|warning): *)+",
    re.I,
)
_BETWEEN = Pattern(r"[^\w]+")
# `sqlalchemy.exc.OperationalError: (psycopg.OperationalError) connection …` names its class twice.
_MODULE = Pattern(r"^(?:[a-z_]\w*\.)+(?=[A-Z]\w*(?:Error|Exception|Warning)\b)")
_CLASS_AGAIN = Pattern(r"^(\w+): \((?:\w+\.)*\1\) ")


def _title_of(program: str, symptom: str) -> str:
    """A name for a trouble: the program, and its error in its own words without what changes each time."""
    lead = _LEAD.match(symptom)
    line = failures.without_route((lead and symptom[lead.end() :]) or symptom)
    line = _CLASS_AGAIN.sub(r"\1: ", _MODULE.sub("", line.removeprefix("FATAL: ")))
    wording, low = ErrorSignature(symptom), symptom.lower()
    is_about_files = wording.is_missing or "missing" in low or "denied" in low
    known = wording.names | {*wording.words} | (wording.places if is_about_files else set())
    said: list[str] = []
    for n, word in enumerate(line.split()):
        shown = _unchanging(word, known)
        if (not n and shown.lower() == f"{program}:") or (
            shown == "…" and said[-1:] in ([], ["…"])
        ):
            continue
        if len(" ".join([f"{program}:", *said, shown])) > LONGEST_TITLE:
            if " ".join(said[-2:-1]).endswith(":"):
                said.pop()  # the part that begins there has no room
            break
        said.append(shown)
    while len(said) > 1 and said[-1].lower() in STOP_WORDS | {"…"}:
        said.pop()
    told = " ".join(said)
    if told.count("(") > told.count(")"):  # it was cut
        told = told.rpartition("(")[0] or told
    told = told.rstrip(" :,;-…")
    if told.lower().startswith((f"{program}.", f"{program}:")):
        return told
    return f"{program}: {told}" if told else program


_NO_QUOTES = {ord(sign): None for sign in "'`\""}


def _unchanging(word: str, known: set[str]) -> str:
    """A word of an error as it stands there, a file elsewhere by its name; `…` if it changes each time."""
    bare = word.strip("\"'`‘’“”()[]{}<>,;:!?.")
    low = bare.lower()
    parts = [part for part in _BETWEEN.split(low) if part]
    is_plain = not any(char.isdigit() or char in "/\\" for char in bare)
    if is_plain or low in known or all(part in known or part in STOP_WORDS for part in parts):
        return word
    name = low.rpartition("/")[2]
    if name in known or name.partition(":")[0] in known:
        is_below = bare[:1].isalnum() and "://" not in bare
        at = word.lower().index(low) + len(low) - len(name)
        return word if is_below else word[at:].translate(_NO_QUOTES)
    return "…"


def _corrected(one: Failure, command: str) -> Solution | None:
    """What a person's correction teaches: what to run instead, if they named it themselves."""
    said = {word.rstrip(".").lower() for word in _SPOKEN.findall(one.objection)}
    checks = _checks_of(one.target)
    named = "-".join(checks[0].core[:2]) if checks else ""
    if len(checks) != 1 or is_dangerous(command):
        return None
    for part in commands.proven(command):
        new = {word.lower() for word in part.words} - {word.lower() for word in checks[0].words}
        is_same_work = core_of(part.words)[1:] == checks[0].core[1:] or commands.is_variant(
            checks[0].words, part.words
        )
        if new and new <= said and is_same_work:
            core = core_of(part.words)
            is_other = core[1:] == checks[0].core[1:] and core[:1] != checks[0].core[:1]
            instead = " ".join(core[:2]) if is_other else _shown(part.text)
            title = f"{instead}, not {' '.join(checks[0].core[:2])}"
            return Solution(
                slug=title if len(title) <= LONGEST_TITLE else f"not {named}",
                symptom=one.objection,
                failed=_shown(checks[0].text),
                solution=_shown(part.text),
                why=one.objection,
                triggers=(named,) if _PLAIN.fullmatch(named) else (),
            )
    return None


def problem_of(solution: Solution) -> str:
    """What was solved, as an issue of its session: what was said, and by which call."""
    symptom, failed = (one.replace("`", "'") for one in (solution.symptom, solution.failed))
    return f"`{symptom}` ← `{failed}`"


def is_problem(issue: str) -> bool:
    """Whether an issue of a session is what a call said, and no finding of anybody."""
    return _PROBLEM.fullmatch(issue.strip()) is not None


def objection_in(text: str) -> str:
    """The sentence with which a person's prompt objects to what was done, or nothing."""
    said = first_sentence(" ".join(text[:LOOKED_AT].split()), LONGEST_OBJECTION)
    if said.endswith("…"):
        return ""
    read = simplified(said)
    return said if _OBJECTIONS.match(read) and not _FURTHER.search(read) else ""
