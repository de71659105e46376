"""Records: what a log has written down: commits, pull requests, checks, answers, compactions.

Promises: a commit that was amended, reset or reverted in the session is not among its commits.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from recollect._fastimport import Pattern
from recollect.model.session import SessionState
from recollect.text.sentences import one_line, weight_of, without_blocks

MOST_MADE = 60
MOST_WORKED = 40
OFTEN = 3  # times that a check has to work before it is told of
MOST_USUAL = 6
LONGEST_BODY = 1_200
LOOKED_AT = 20_000

Row = dict[str, Any]

# -------------------- Commits, pull requests and issues.

_COMMITTED = Pattern(r"^\[(?P<branch>[^\]\n]+?) (?:\(root-commit\) )?(?P<sha>[0-9a-f]{7,40})\] (?P<subject>.+)$", re.M)  # fmt: skip
_STEP = Pattern(
    r"\bgit\b(?:\s+-[cC]\s+\S+)*\s+(?P<git>commit|reset|revert)\b|\bgh\s+(?P<gh>pr|issue)\s+create\b"
)
_QUOTED = (
    r"(?:\"\$\(cat\s*<<-?\s*\\?['\"]?(?P<tag>\w+)['\"]?[^\n]*\n(?P<doc>.*?)(?:\n\s*(?P=tag)\b|\Z)"
    r"|\"(?P<double>(?:[^\"\\]|\\.)*)(?:\"|\Z)|'(?P<single>[^']*)(?:'|\Z)|(?P<bare>[^\s\"'$&|;]+))"
)
_MESSAGE = Pattern(r"\s(?:-[a-zA-Z]*m|--message)(?:\s+|=|(?=[\"']))" + _QUOTED, re.S)
_TITLE = Pattern(r"\s(?:-t|--title)(?:\s+|=)" + _QUOTED, re.S)
_BODY = Pattern(r"\s(?:-b|--body)(?:\s+|=)" + _QUOTED, re.S)
_HEREDOC = Pattern(r"<<-?\s*\\?['\"]?(?P<tag>\w+)['\"]?[^\n]*\n(?P<doc>.*?)(?:\n\s*(?P=tag)\b|\Z)", re.S)  # fmt: skip
_FROM_INPUT = Pattern(r"\s(?:-F\s*-|--file[= ]-|--body-file[= ]-)(?=\s|$)")
_TRAILER = Pattern(
    r"(?:co-authored-by|signed-off-by|reviewed-by|change-id|assisted-by|[\w-]*(?:session|checkpoint|trailer)[\w-]*)\s*:"
    r"|🤖|generated with|https?://\S+$",
    re.I,
)
_STARTS = Pattern(r"[-*•+#|>]|\d{1,2}[.)、]\s|```")
_RESET = Pattern(r"\s(?P<at>(?:HEAD|@)(?P<how>(?:\^|~\d*)+)|[0-9a-f]{7,40}\b)")
_REVERTED = Pattern(r"Revert \"(?P<subject>.+)\"$")
_LINK = Pattern(r"https://[\w.-]+/[\w.-]+/[\w.-]+/(?:pull|issues|merge_requests)/\d+")


def has_useful_output(command: str) -> bool:
    """Whether what a command gives out may say what was made, or that a check passed."""
    return bool(_STEP.search(command) or _CHECKS.search(command))


_UNDOES = Pattern(r"\bgit\b(?:\s+-[cC]\s+\S+)*\s+(?:revert\b|reset\s[^&|;\n]*--hard\b)")


def undoes_commit(command: str) -> bool:
    """Whether a command undoes what was committed, and not only how."""
    return bool(_UNDOES.search(command))


def facts_in_output(output: str) -> str:
    """What of the output of a command that worked is looked at: commits, addresses, a failure."""
    output = output[:LOOKED_AT]
    signs = [found[0] for found in (*_COMMITTED.finditer(output), *_LINK.finditer(output))]
    if bad := _BAD.search(output):
        signs.append(bad[0])
    return "\n".join(signs)


def take_command(made: list[Row], command: str, output: str, time: str, *, ok: bool) -> None:
    """Bring what a session made up to date with a command that ran."""
    told = list(_COMMITTED.finditer(output))
    if not ok and not told:
        return  # a chain may fail behind a commit that was made
    links = _LINK.findall(output)
    steps = list(_STEP.finditer(command))
    ends = [*(step.start() for step in steps[1:]), len(command)]
    for step, end in zip(steps, ends, strict=False):
        words = command[step.end() : end]
        if step["git"] == "reset":
            _reset(made, words)
        elif step["git"]:
            sign = told.pop(0) if told else None
            _commit(made, words, sign, time, reverts=step["git"] == "revert")
        elif links:
            _published(made, words, links.pop(0), time)
    del made[:-MOST_MADE]


# A commit with the words of another, which may be anybody's.
_OTHERS_WORDS = Pattern(r"\s(?:-[a-zA-Z]*[Cc]\b|--(?:reuse|reedit)-message)")


def _commit(
    made: list[Row], words: str, sign: re.Match[str] | None, time: str, *, reverts: bool
) -> None:
    text = "" if reverts else message_in(words)
    subject, _, body = text.partition("\n")
    subject = (sign["subject"] if sign and not (subject and text) else subject).strip()
    if reverted := _REVERTED.match(subject):
        before = len(made)
        made[:] = [row for row in made if row["text"] != reverted["subject"]]
        if len(made) < before:
            return
    if reverts and not sign:
        return
    if not text and _OTHERS_WORDS.search(words):
        return
    if "--amend" in words:
        last = next((row for row in reversed(made) if row["kind"] == "commit"), None)
        if "--no-edit" in words and not text and subject != (last["text"] if last else ""):
            return  # of a commit that was merged or fetched, with the words that it had
        if last is not None:
            made.remove(last)
            body = body if subject != last["text"] or body else last["body"]
            subject = subject or last["text"]
    if not subject or subject.startswith(("fixup!", "squash!")):
        return
    row = {"kind": "commit", "text": one_line(subject, 200), "body": _body(body), "time": time}
    row["ref"] = sign["sha"] if sign else ""
    _put(made, row)


def _put(made: list[Row], row: Row) -> None:
    """Add a row; what was made once more, as after a rebase, or linked before is there once."""
    made[:] = [
        one
        for one in made
        if (one["kind"], one["text"]) != (row["kind"], row["text"])
        and not (row["ref"] and one["ref"] == row["ref"])
    ]
    made.append(row)


def _reset(made: list[Row], words: str) -> None:
    """Take the commits away that a reset left behind."""
    found = _RESET.search(re.split(r"&&|;|\n", words, maxsplit=1)[0])
    if not found:
        return
    commits = [row for row in made if row["kind"] == "commit"]
    if found["how"] is None:
        refs = [row["ref"] for row in commits]
        short = found["at"][:7]
        kept = next((n + 1 for n, ref in enumerate(refs) if ref[:7] == short), None)
        gone = commits[kept:] if kept is not None else []
    else:
        steps = (int(n or 1) if sign == "~" else 1 for sign, n in re.findall(r"([~^])(\d*)", found["how"]))  # fmt: skip
        count = sum(steps)
        gone = commits[-count:] if count else []
    made[:] = [row for row in made if row not in gone]


def _published(made: list[Row], words: str, link: str, time: str) -> None:
    """A pull request or an issue that was made, by its address."""
    title = _text_of(_TITLE.search(words))
    body = _text_of(_BODY.search(words))
    if not body and _FROM_INPUT.search(words) and (found := _HEREDOC.search(words)):
        body = found["doc"]
    kind = "issue" if "/issues/" in link else "pull"
    _put(
        made, {"kind": kind, "text": one_line(title, 200), "body": _body(body), "ref": link, "time": time}
    )  # fmt: skip


def take_link(made: list[Row], link: str, time: str) -> None:
    """A pull request that the client says the session is about."""
    if link and not any(row["ref"] == link for row in made):
        made.append({"kind": "pull", "text": "", "body": "", "ref": link, "time": time})


def message_in(words: str) -> str:
    """The message of a commit from the words behind `git commit`: its subject and its body."""
    parts = [_text_of(found) for found in _MESSAGE.finditer(words)]
    if not parts and _FROM_INPUT.search(words) and (found := _HEREDOC.search(words)):
        parts = [found["doc"]]
    return "\n\n".join(part.strip() for part in parts if part.strip())


def _text_of(found: re.Match[str] | None) -> str:
    if found is None:
        return ""
    if found["double"] is not None:
        return re.sub(r"\\([\"\\$`])", r"\1", found["double"])
    return str(found["doc"] or found["single"] or found["bare"] or "")


def _body(text: str) -> str:
    """The body of a message without signatures, its paragraphs on one line each."""
    lines: list[str] = []
    for row in text.strip().splitlines():
        line = row.strip()
        if _TRAILER.match(line):
            continue
        goes_on = line and lines and lines[-1] and not _STARTS.match(line)
        if goes_on and not lines[-1].startswith(("#", "|", "```")):
            lines[-1] += f" {line}"
        else:
            lines.append(line)
    return "\n".join(lines).strip()[:LONGEST_BODY]


# -------------------- Commands that work.

# What is run to see whether the work is right, and what starts the project.
_CHECKS = Pattern(
    r"(?:(?:npx|bunx|uvx|uv run|poetry run|pdm run|hatch run|rye run|bundle exec|python3? -m|pnpm exec|yarn exec|mise x --|nix develop -c)\s+)?"
    r"(?:(?:npm|pnpm|yarn|bun|deno|mise|just|task|make|rake|nox|tox|turbo|nx|cargo|go|dotnet|swift|mvn|mvnw|\./mvnw|gradle|\./gradlew|mix|rebar3|sbt|stack|cabal|bazel|composer|flutter|dart)"
    r"(?:\s+(?:run|x|exec|--\S+|-\w+))*\s+(?P<verb>[\w:.-]*(?:test|check|build|lint|fmt|format|vet|clippy|typecheck|analyze|dev|start|serve|ci)[\w:.-]*)"
    r"|(?P<tool>pytest|unittest|ruff|mypy|pyright|eslint|tsc|vitest|jest|mocha|playwright|biome|prettier|golangci-lint(?= run\b)|rubocop|rspec|phpunit|shellcheck|manage\.py))\b"
)  # fmt: skip
# Which package of several a command is for, as it stands before what is run.
_PACKAGE = Pattern(
    r"(?P<tool>(?:pnpm|npm|yarn|bun|turbo) )(?:(?:--filter|-F|-C|--dir|--prefix|--workspace|-w|--cwd|workspace)[ =](?P<of>[\w@./-]+) )+"
)
_SPECIFIC = Pattern(r"\s(?:-run|-k|-t|--filter|--grep|--testNamePattern|-g)\b|[\"'$`(){}*?\\]|::")
_QUIET = Pattern(r"\s*(?:\d?>&?\d?\s*\S*|\|.*)$")
_BAD = Pattern(r"\bFAIL(?:ED|URE|S)?\b|^E\s|\berror(?:\[|:|s\b)|\b[1-9]\d* (?:failed|errors?)\b", re.M | re.I)  # fmt: skip
LONGEST_CHECK = 70


_GOES_TO = Pattern(r"(?:cd|pushd)\s+[\"']?(?P<to>[^\s\"']+)[\"']?$")
_INSIDE = Pattern(r"(?P<cd>cd \S+(?: &&|(?<=;)) )?")


def check_in(command: str, output: str) -> str:
    """The check that a command ran with success, as one would type it; nothing for any other.

    It says the folder of the project that it ran in; one outside the project is none of it.
    """
    if len(command) > 400 or _BAD.search(output):
        return ""
    folder = ""
    for part in re.split(r"&&|;|\n", command):
        bare = part.strip()
        while (shorter := _QUIET.sub("", bare)) != bare:
            bare = shorter
        plain = bare.strip()
        if went := _GOES_TO.match(plain):
            folder = went["to"].removeprefix("./").rstrip("/")
            if folder.startswith(("/", "~", "$", "-", "..")):
                return ""
            continue
        general = _PACKAGE.sub(r"\g<tool>", plain)
        is_check = _CHECKS.match(general) and not _SPECIFIC.search(general)
        if is_check and len(plain) <= LONGEST_CHECK:
            # As it was run: Windows PowerShell has no `&&`.
            joint = "; " if ";" in command and "&&" not in command else " && "
            return plain if folder in ("", ".") else f"cd {folder}{joint}{plain}"
    return ""


def take_check(worked: dict[str, int], command: str, output: str) -> None:
    """Count a check that ran with success."""
    if check := check_in(command, output):
        worked[check] = worked.get(check, 0) + 1
        if len(worked) > MOST_WORKED:
            worked.pop(min(worked, key=lambda name: worked[name]))


def usual_checks(counts: Iterable[Mapping[str, int]]) -> list[str]:
    """How a project is tested, built and the like, by what ran with success in each of its sessions.

    Of the commands that do the same, the one that ran most; none that ran only now and then.
    """
    total: Counter[str] = Counter()
    for worked in counts:
        total.update(worked)
    usual: dict[str, str] = {}
    for command, times in total.most_common():
        inside = _INSIDE.match(command)
        folder = inside["cd"] or "" if inside else ""
        package = _PACKAGE.match(command, len(folder))
        found = _CHECKS.match(_PACKAGE.sub(r"\g<tool>", command), len(folder))
        if found and times >= OFTEN:
            where = f"{folder}{package['of'] if package else ''} "
            usual.setdefault(where + (found["verb"] or found["tool"]), command)
    return sorted(list(usual.values())[:MOST_USUAL])


# -------------------- Compaction summaries.

MOST_LEARNED = 5
MOST_PENDING = 6
SHORTEST_PENDING = 10  # letters
LONGEST_LEARNED = 320

_NAME = r"[A-Z\u4e00-\u9fff][^\n*:：]{1,48}?"
_HEADING = Pattern(
    rf"^\s{{0,3}}(?:\d{{1,2}}[.、)]\s+)?(?:\*\*(?P<bold>{_NAME})[:：]?\*\*[:：]?|(?P<plain>{_NAME})[:：])\s*$"
    rf"|^#{{1,4}}\s+(?:\d{{1,2}}[.、)]\s*)?\**(?P<head>{_NAME})[:：]?\**\s*$|^<(?P<tag>\w+)>\s*$",
    re.M,
)
_LEARNED = Pattern(
    r"errors? (?:and|&) fixes|errors? encountered|problem[- ]solving|(?:key |important |main )?(?:discover|learning|finding|lesson|insight|gotcha)\w*|technical[ _]details|critical[ _](?:context|data|details)|key decisions(?: made)?"
    r"|错误(?:和|与|及)(?:修复|解决).*|问题(?:解决|与解决).*|(?:关键|重要)?(?:发现|经验|教训|决策|决定)",
    re.I,
)
_PENDING = Pattern(
    r"(?:pending|remaining|open|outstanding|unfinished) (?:tasks?|work|items?|issues?)|(?:what )?remains?(?: to be done)?|next[ _]steps|to-?dos?|待办(?:任务|事项)?|未完成(?:的?任务)?|剩余(?:任务|工作)|下一步",
    re.I,
)
_BULLET = Pattern(r"^(?P<in>\s*)(?:[-*•]|\d{1,2}[.)、])\s+(?P<said>\S.*)$")
# Why something happens is worth knowing again; that it was done is not.
_CAUSE = Pattern(
    r"\b(?:root cause|because|caused? by|due to|(?<!ever )since|so that|resolves? to|without|unless|otherwise|turned out|(?:does|do|did|is|are|was|were|can|could|will)(?:n['’]t| not) \w+|cannot|requires?|needs? (?:an? |to\b)|only (?:works?|when|if|triggers?|available))\b"
    r"|\bcause\s*[:：]|原因|因为|由于|导致|必须|只有|否则|不会|不能|并不|其实",
    re.I,
)
# What an item is about stands before its colon.
_SUBJECT = Pattern(r"(?!(?:(?:the )?(?:root )?cause(?: \w+)?|fix(?:ed)?|errors?|issue|bug|status|solution|key finding|ongoing|note|原因|修复|错误|问题)\b[\s#\d]*[:：])[^:：]{8,110}?[:：]\s|[^.。]{12,200}\b(?:because|since|due to|root cause)\b|[^。]{6,80}(?:因为|由于|原因)", re.I)  # fmt: skip
_ROUTINE = Pattern(
    r"\b(?:\w*lint\w*|errcheck|gosec|gocritic|unparam|unused|undefined|typos?|indentation|format(?:ting|ter)|compil\w+|syntax|type (?:errors?|mismatch)|missing (?:case|bracket|semicolon|import)|unused imports?|replace_all|string (?:to replace )?not found|old_string|string replacement|file (?:has not|hasn['’]t) been read|output format|expected message|test data|find/replace|lsp)\b"
    r"|\b(?:tests?|failures?)\b[^:：]*[:：].*\b(?:expect\w*|updat\w+ (?:the )?tests?|adjust\w*|chang\w+ to)\b"
    r"|\buser (?:correct|feedback|reject|redirect|said|told|suggest|stopp|interrupt|ask|request|want|prefer|clarif|chose|noted|pointed|question)\w*|\bthe user\b|\bin progress\b|\bongoing\b|not (?:yet )?(?:been )?(?:fixed|resolved|done)|\bin_progress\b|\btask ?(?:list|tracking)\b|\bno errors?\b|\ball (?:tests?|checks?)\b|\babove\b|not (?:a problem|an issue)|\b(?:suggests?|suggesting|possibly|probably|likely|might|perhaps|either)\b"
    r"|编译|拼写|格式|未使用|类型错误|用户(?:纠正|反馈|说|拒绝|要求|希望|建议)|进行中|未(?:解决|完成|修复)",
    re.I,
)
_DID = Pattern(
    r"(?:\W*(?:successfully|solved?|fixed|resolved|completed|verified|implemented|added|updated|refactored|all|ensured|created|designed|current(?:ly)?|identified|found|understood|confirmed|attempted|ongoing|pr #?\d+|simplification|test failures?|tests?|the (?:session|current|last|previous)|no|working tree|\d+ [\w ]*failures?)\b|`?Test[A-Z_]\w+"
    r"|成功|完成|已(?:完成|修复|解决|实现)|实现了|添加|更新)",
    re.I,
)
_NOTHING = Pattern(
    r"(?:(?:then )?(?:await|wait)\w*|none|no (?:pending|explicit|outstanding|remaining|tasks?)|n/a|nothing|all (?:tasks?|work))\b"
    r"|等待|无|没有|暂无",
    re.I,
)
_LABEL = Pattern(r"\*\*(.+?)\*\*")


def learned_in(recap: str) -> list[str]:
    """What a compaction's summary says was found out: causes, and what to do about them."""
    items = (item for item in _items(recap, _LEARNED) if _SUBJECT.match(item))
    said = [item for item in items if _CAUSE.search(item)]
    told = [item for item in said if not _ROUTINE.search(item) and not _DID.match(item)]
    whole = [item for item in told if len(item) <= LONGEST_LEARNED and weight_of(item) >= 40]
    return list(dict.fromkeys(whole))[:MOST_LEARNED]


def pending_in(recap: str) -> list[str]:
    """What a compaction's summary says is still to be done."""
    told = [item for item in _items(recap, _PENDING) if not _NOTHING.match(item)]
    return [one_line(item, 200) for item in told if weight_of(item) >= SHORTEST_PENDING][
        :MOST_PENDING
    ]


def _items(recap: str, wanted: Pattern) -> Iterator[str]:
    """The items of the sections of these names, each with what is listed below it."""
    for name, said in _sections(recap):
        if wanted.fullmatch(name):
            yield from _listed(said)


def _sections(recap: str) -> Iterator[tuple[str, str]]:
    """`(name, text)` of each section; the text begins with the heading."""
    heads = list(_HEADING.finditer(recap))
    ends = [*(head.start() for head in heads[1:]), len(recap)]
    for head, end in zip(heads, ends, strict=False):
        name = next(filter(None, head.groups())).strip()
        yield name, recap[head.start() : end].strip()


def _listed(text: str) -> Iterator[str]:
    """The items of a list, with those below them behind them."""
    item: list[str] = []
    depth = 0
    for line in without_blocks(text).splitlines()[1:]:
        bullet = _BULLET.match(line)
        if bullet and (not item or len(bullet["in"]) <= depth):
            if item:
                yield _joined(item)
            item, depth = [bullet["said"]], len(bullet["in"])
        elif item and line.strip() and not line.startswith("</"):
            item.append(bullet["said"] if bullet else line.strip())
    if item:
        yield _joined(item)


def _joined(parts: list[str]) -> str:
    said = [_LABEL.sub(r"\1", part).strip().rstrip(".;。；") for part in parts]
    text = "; ".join(said)
    return one_line(re.sub(r"([:：–—-]);", r"\1", text), 1_000)


# -------------------- What was made, said and left open before the agent read what strangers wrote.
# What it says afterwards may be what the page wished for; what is from before is its own.


def take_page(state: SessionState) -> None:
    """Note that a page is read, and what of the session is the agent's own: what was there before."""
    if state.web:
        return
    state.web = True
    state.first_hand = {
        "made": [list(_key(row)) for row in state.made],
        "todos": [todo["text"] for todo in state.todos],
        "titles": [title for giver, title in state.titles.items() if giver != "foreign"],
        "branch": state.branch,
        "outcome": state.outcome,
    }


def is_open_before(state: SessionState, todo: Mapping[str, str]) -> bool:
    """Whether a to-do was on a list, or a person's, before a page was read."""
    return todo["text"] in state.first_hand.get("todos", ())


def _key(row: Mapping[str, Any]) -> tuple[str, str, str]:
    return row["kind"], row["text"], row["body"]


def is_first_hand(state: SessionState, row: Mapping[str, Any]) -> bool:
    """Whether a commit, a pull request or an issue stands as it was made before a page was read."""
    return list(_key(row)) in state.first_hand.get("made", ())
