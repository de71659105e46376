"""Records: what a log has written down: commits, pull requests, answers, commands that work.

Promises: a commit that was amended, reset or reverted in the session is not among its commits.
Touches: nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from recollect._fastimport import Pattern
from recollect.text.sentences import one_line

MOST_MADE = 60
MOST_WORKED = 40
LONGEST_BODY = 1_200
LOOKED_AT = 20_000

Row = dict[str, Any]

# -------------------- Commits, pull requests and issues.

_COMMITTED = Pattern(r"^\[(?P<branch>[^\]\n]+?) (?:\(root-commit\) )?(?P<sha>[0-9a-f]{7,40})\] (?P<subject>.+)$", re.M)  # fmt: skip
_STEP = Pattern(
    r"\bgit\b(?:\s+-[cC]\s+\S+)*\s+(?P<git>commit|reset|revert)\b|\bgh\s+(?P<gh>pr|issue)\s+create\b"
)
_QUOTED = (
    r"(?:\"\$\(cat\s*<<-?\s*\\?['\"]?(?P<tag{n}>\w+)['\"]?[^\n]*\n(?P<doc{n}>.*?)(?:\n\s*(?P=tag{n})\b|\Z)"
    r"|\"(?P<double{n}>(?:[^\"\\]|\\.)*)(?:\"|\Z)|'(?P<single{n}>[^']*)(?:'|\Z)|(?P<bare{n}>[^\s\"'$&|;]+))"
)
_MESSAGE = Pattern(
    r"\s(?:-[a-zA-Z]*m|--message)(?:\s+|=|(?=[\"']))" + _QUOTED.replace("{n}", ""), re.S
)
_TITLE = Pattern(r"\s(?:-t|--title)(?:\s+|=)" + _QUOTED.replace("{n}", ""), re.S)
_BODY = Pattern(r"\s(?:-b|--body)(?:\s+|=)" + _QUOTED.replace("{n}", ""), re.S)
_HEREDOC = Pattern(r"<<-?\s*\\?['\"]?(?P<tag>\w+)['\"]?[^\n]*\n(?P<doc>.*?)(?:\n\s*(?P=tag)\b|\Z)", re.S)  # fmt: skip
_FROM_INPUT = Pattern(r"\s(?:-F\s*-|--file[= ]-|--body-file[= ]-)(?=\s|$)")
_TRAILER = Pattern(
    r"(?:co-authored-by|signed-off-by|reviewed-by|change-id|assisted-by|[\w-]*(?:session|checkpoint|trailer)[\w-]*)\s*:"
    r"|🤖|generated with|https?://\S+$",
    re.I,
)
_RESET = Pattern(r"\s(?P<at>(?:HEAD|@)(?P<how>(?:\^|~\d*)+)|[0-9a-f]{7,40}\b)")
_REVERTED = Pattern(r"Revert \"(?P<subject>.+)\"$")
_LINK = Pattern(r"https://[\w.-]+/[\w.-]+/[\w.-]+/(?:pull|issues|merge_requests)/\d+")


def is_telling(command: str) -> bool:
    """Whether what a command gives out may say what was made, or that a check passed."""
    return bool(_STEP.search(command) or _CHECKS.search(command))


def signs_in(output: str) -> str:
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
    if "--amend" in words:
        last = next((row for row in reversed(made) if row["kind"] == "commit"), None)
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
    """Add a row; what was made once more, as after a rebase, is there once."""
    made[:] = [one for one in made if (one["kind"], one["text"]) != (row["kind"], row["text"])]
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
    """The body of a message without signatures."""
    lines = [
        line.rstrip() for line in text.strip().splitlines() if not _TRAILER.match(line.strip())
    ]
    return "\n".join(lines).strip()[:LONGEST_BODY]


# -------------------- Commands that work.

# What is run to see whether the work is right, and what starts the project.
_CHECKS = Pattern(
    r"(?:(?:npx|bunx|uvx|uv run|poetry run|pdm run|hatch run|rye run|bundle exec|python3? -m|pnpm exec|yarn exec|mise x --|nix develop -c)\s+)?"
    r"(?:(?:npm|pnpm|yarn|bun|deno|mise|just|task|make|rake|nox|tox|turbo|nx|cargo|go|dotnet|swift|mvn|mvnw|\./mvnw|gradle|\./gradlew|mix|rebar3|sbt|stack|cabal|bazel|composer|flutter|dart)"
    r"(?:\s+(?:run|x|exec|--\S+|-\w+))*\s+(?P<verb>[\w:.-]*(?:test|check|build|lint|fmt|format|vet|clippy|typecheck|analyze|dev|start|serve|ci)[\w:.-]*)"
    r"|(?P<tool>pytest|unittest|ruff|mypy|pyright|eslint|tsc|vitest|jest|mocha|playwright|biome|prettier|golangci-lint|rubocop|rspec|phpunit|shellcheck|manage\.py))\b"
)  # fmt: skip
_SPECIFIC = Pattern(r"\s(?:-run|-k|-t|--filter|--grep|--testNamePattern|-g)\b|[\"'$`(){}*?\\]|::")
_QUIET = Pattern(r"\s*(?:\d?>&?\d?\s*\S*|\|.*)$")
_BAD = Pattern(r"\bFAIL(?:ED|URE|S)?\b|^E\s|\berror(?:\[|:|s\b)|\b[1-9]\d* (?:failed|errors?)\b", re.M | re.I)  # fmt: skip
LONGEST_CHECK = 70


def check_in(command: str, output: str) -> str:
    """The check that a command ran with success, as one would type it; nothing for any other."""
    if len(command) > 400 or _BAD.search(output):
        return ""
    for part in re.split(r"&&|;|\n", command):
        bare = part.strip()
        while (shorter := _QUIET.sub("", bare)) != bare:
            bare = shorter
        plain = bare.strip()
        if len(plain) <= LONGEST_CHECK and _CHECKS.match(plain) and not _SPECIFIC.search(plain):
            return plain
    return ""


def take_check(worked: dict[str, int], command: str, output: str) -> None:
    """Count a check that ran with success."""
    if check := check_in(command, output):
        worked[check] = worked.get(check, 0) + 1
        if len(worked) > MOST_WORKED:
            worked.pop(min(worked, key=lambda name: worked[name]))


# -------------------- Answers to the agent's questions.

_STEERS = Pattern(
    r"what (?:would you like|should (?:i|we)|do you want|to) (?:me )?(?:to )?(?:do|work on|tackle)? ?next|next step|ready to|proceed|shall i|should i (?:continue|go|start)"
    r"|want me to|would you like me to|looks? good|which (?:pr|issue|ticket|branch|file)\b|clarif|下一步|继续|要不要我|需要我|准备好",
    re.I,
)
_NO_CHOICE = Pattern(
    r"(?:yes|no|ok|both|other|something else|skip|cancel|continue|proceed|looks? (?:good|complete)|是|否|好|跳过|继续|其他)\b[\w ,.']{0,12}$",
    re.I,
)
_NOTE = Pattern(r"\s*[(（](?:recommended|推荐|suggested|default)[)）]", re.I)


def choice_of(question: str, answer: str, options: tuple[str, ...]) -> str:
    """The decision that an answer to a question makes, with what was turned down.

    Nothing where the answer only says how to go on, or is none of the options.
    """
    picked = _NOTE.sub("", answer).strip().rstrip(".。")
    if not picked or not options or _STEERS.search(question) or _NO_CHOICE.match(picked):
        return ""
    wide = re.search(r"[\u4e00-\u9fff]", question + picked)
    others = ("、" if wide else ", ").join(_NOTE.sub("", one).strip() for one in options[:3])
    turned = f"（未选：{others}）" if wide else f" (not: {others})"
    return one_line(f"{question.strip()} {picked}{turned}", 400)


def rows_of_kind(made: list[Row], kind: str) -> Iterator[Row]:
    """What was made of one kind, in order."""
    return (row for row in made if row["kind"] == kind)
