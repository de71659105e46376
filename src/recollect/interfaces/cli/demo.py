"""Command: demo."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING, Any

from recollect.features import lifecycle, reading, skill_candidates
from recollect.interfaces.cli.command import CommandContext, command
from recollect.interfaces.cli.console import padded, shown, shown_title, wrapped
from recollect.interfaces.cli.parsing import Choice, FolderPath, flag, option
from recollect.model.memory import Filter
from recollect.ops import setup

if TYPE_CHECKING:
    from recollect.ops.demo import DemoStatement, HookAnswer, Play

SCREEN, WHO = 80, 8  # columns: of a screen, and of the speaker
MOST_GIVEN = 6  # lines
LONGEST_QUOTE = 9  # lines
LONGEST_LINE, LONGEST_BEGINNING = 140, 64  # characters
FADED = ("checkout profile", "死信队列")  # the subjects of two archived sessions
SIGNS = {"stands": "=", "overtaken": "<", "lost": "!"}


@command(
    flag("--all", "is_whole", help="Show the whole story: ten acts, four months."),
    option(
        "--lang",
        type=Choice(["en", "zh"]),
        help="Language of the story (default: the store's or the terminal's).",
    ),
    option("--keep", type=FolderPath(), help="Keep everything in this (empty or new) folder."),
    example="recollect demo\nrecollect demo --all --keep ./orchard-demo",
)
def demo_command(ctx: CommandContext, is_whole: bool, lang: str, keep: str) -> None:
    """Play a made-up history through the real hooks, and show what the next session knows.

    With --all eight sessions of a small project run, in English and Chinese. Then new sessions ask
    questions, and you see what the agent would get, with its cost in tokens and milliseconds. Three
    agents work at once, one of them in another project. Months later the sessions are archived,
    every statement is still found, and two sessions are brought back. Your own files are not
    touched.
    """
    from recollect.ops.demo import Play  # `recollect --help` needs only the declaration

    lang = lang or ctx.lang
    if keep and os.path.isdir(keep) and os.listdir(keep):
        raise ctx.usage_error(f"{keep} is not empty: name a new folder.")
    folder = os.path.abspath(keep) if keep else tempfile.mkdtemp(prefix="recollect-demo-")
    try:
        play = Play(folder)
        for project in play.projects:
            setup.init(
                play.app(project), setup.InitRequest(lang=lang), scope="project", dry_run=False
            )
        if is_whole:
            _show_all(ctx, play)
        else:
            _show_two_days(ctx, play, lang)
        if keep:
            ctx.hint("Everything is in {folder}", folder=folder)
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)


def _show_two_days(ctx: CommandContext, play: Play, lang: str) -> None:
    """Two sessions, and what the next one is given: on one screen."""
    sessions = [session for session, _ in play.sessions(lang)]
    memories = play.page_statements()
    brief, answers = play.brief(), list(play.answers(lang))
    ctx.answer(
        {
            "sessions": [session.id for session in sessions],
            "brief": brief,
            "memories": memories,
            "answers": answers,
        }
    )
    ctx.tell("Yesterday, in two sessions", style="bold")
    for session in sessions:
        for step in session.steps:
            if step.kind == "person" or step.failed:
                who = ctx.say("you") if step.kind == "person" else f"{ctx.say('agent')} $"
                _show_line(ctx, who, step.text)
    ctx.tell("Recollect kept, as Markdown that you can edit and commit", style="bold")
    for path, statements in memories.items():
        ctx.console.line(("dim", f"  {' ' * WHO}{path}"))
        for statement in statements:
            _show_line(ctx, "", f"- {shown_title(ctx.lang, statement)}")
    ctx.tell("Today, a new session is told at its start", style="bold")
    _show_given(ctx, brief)
    for answer in answers:
        is_agents = answer.asked.startswith("$")
        _show_line(ctx, ctx.say("agent") if is_agents else ctx.say("you"), answer.asked)
        _show_given(ctx, answer)
    ctx.console.line()
    ctx.tell("No model, no network. `recollect demo --all` shows the whole story;")
    ctx.tell("`recollect init --client claude` starts with your own sessions.")


def _show_line(ctx: CommandContext, who: str, text: str) -> None:
    """A statement or an action, with who said or did it, in lines of a narrow screen."""
    head = padded(who, WHO)
    for line in wrapped(shown(text), SCREEN - WHO - 2):
        ctx.console.line(("cyan", f"  {head}"), ("", line))
        head = " " * WHO


def _show_given(ctx: CommandContext, answer: HookAnswer) -> None:
    """What a hook gave to the agent, without its fence, and its cost."""
    lines = [line.strip() for line in answer.text.splitlines()[1:]]
    given = [line for line in lines if line and not line.startswith(("<", "- source:"))]
    cut = next(iter(given[MOST_GIVEN:]), "")
    is_heading = cut.startswith("- ") and not given[MOST_GIVEN - 1].startswith("- ")
    for line in given[: MOST_GIVEN - is_heading]:
        _show_line(ctx, "", line)
    if not given:
        ctx.hint("          nothing is added ({ms:.0f} ms)", ms=answer.milliseconds)
        return
    ctx.hint("          {tokens} tokens, {ms:.0f} ms", tokens=answer.tokens, ms=answer.milliseconds)


# The whole story, act by act: each function plays one, prints it, and returns what JSON says of it.


def _show_all(ctx: CommandContext, play: Play) -> None:
    acts: dict[str, Any] = {"sessions": _run_sessions(ctx, play)}
    acts["memories"] = _show_memories(ctx, play)
    _heading(ctx, "3. A new session starts with this brief")
    brief = play.brief()
    _quote(ctx, brief)
    acts["brief"] = brief
    answers = _ask(ctx, play)
    acts["answers"] = answers
    acts["skills"] = _find_skill(ctx, play)
    acts |= _run_three_at_once(ctx, play)
    acts |= _pass_months(ctx, play)
    acts["settled"] = _settle(ctx, play)
    acts["statements"] = _find_statements(ctx, play)
    acts["came_back"] = _bring_back(ctx, play)
    ctx.answer(acts)
    times = sorted(answer.milliseconds for answer in answers)
    ctx.console.line()
    ctx.tell(
        "{n} questions: {tokens} tokens in all; each hook took {low:.0f} to {high:.0f} ms.",
        n=len(answers),
        tokens=sum(answer.tokens for answer in answers),
        low=times[0],
        high=times[-1],
        style="bold",
    )


def _heading(ctx: CommandContext, sentence: str) -> None:
    ctx.console.line()
    ctx.tell(sentence, style="bold")


def _dim(ctx: CommandContext, text: str) -> None:
    ctx.console.line(("dim", f"    │ {shown(text)[:LONGEST_LINE]}"))


def _quote(ctx: CommandContext, answer: HookAnswer) -> None:
    """What a hook gave to the agent, and its cost."""
    if not answer.text:
        ctx.hint("    nothing is added ({ms:.0f} ms)", ms=answer.milliseconds)
        return
    lines = answer.text.splitlines()
    for line in lines[:LONGEST_QUOTE]:
        _dim(ctx, line)
    if len(lines) > LONGEST_QUOTE:
        _dim(ctx, f"… (+{len(lines) - LONGEST_QUOTE})")
    ctx.hint("    {tokens} tokens, {ms:.0f} ms", tokens=answer.tokens, ms=answer.milliseconds)


def _beginning(text: str) -> str:
    text = shown(text)
    return text if len(text) <= LONGEST_BEGINNING else f"{text[:LONGEST_BEGINNING]}…"


def _run_sessions(ctx: CommandContext, play: Play) -> list[dict[str, Any]]:
    _heading(ctx, "1. Eight sessions run; hooks and worker capture them")
    rows = []
    for session, calls in play.sessions():
        ctx.tell(
            "  {day}  {calls} hook calls  “{first}”",
            day=session.started[:10],
            calls=calls,
            first=_beginning(session.steps[0].text),
        )
        rows.append({"id": session.id, "hook_calls": calls})
    return rows


def _show_memories(ctx: CommandContext, play: Play) -> list[dict[str, Any]]:
    _heading(ctx, "2. The result: Markdown files, such as the last one")
    with closing(play.app()) as app:
        store = app.store()
        entries = store.index.entries(Filter())
        for entry in reversed(entries):
            ctx.tell("  {path}", path=entry.path)
        newest = next(entry for entry in entries if entry.kind == "session")
        for line in store.read(newest).text.split("\n---\n", 1)[1].strip().splitlines():
            _dim(ctx, line)
    return [{"id": e.id, "title": e.title, "path": e.path} for e in entries]


def _ask(ctx: CommandContext, play: Play) -> list[HookAnswer]:
    _heading(ctx, "4. Prompts and failures, and what the hooks add to them")
    answers = []
    for answer in play.answers():
        ctx.console.line()
        ctx.tell("  › {asked}", asked=answer.asked, style="cyan")
        _quote(ctx, answer)
        answers.append(answer)
    return answers


def _find_skill(ctx: CommandContext, play: Play) -> list[str]:
    _heading(ctx, "5. A procedure repeated three times could become a skill")
    with closing(play.app()) as app:
        asked = skill_candidates.CandidateThresholds()
        found = skill_candidates.analyse_stores(app, asked, scope="project", dry_run=False)[0]
        for one in found.suggestions:
            ctx.tell("  {name}: {title}", name=one.name, title=one.title)
            for evidence in one.evidence:
                _dim(ctx, evidence.id)
    return [one.name for one in found.suggestions]


def _run_three_at_once(ctx: CommandContext, play: Play) -> dict[str, Any]:
    _heading(ctx, "6. Two sessions at once here, and one in another project")
    landed = play.day()
    for one in landed:
        ctx.tell("  {project}: “{first}”", project=one.project, first=_beginning(one.said))
        for project, path in one.found:
            _dim(ctx, f"{project}/.claude/memory/{path}")
    answers = play.ask_both()
    for answer in answers:
        ctx.tell("  › {asked}", asked=answer.asked, style="cyan")
        _quote(ctx, answer)
    return {"landed": landed, "apart": answers}


def _pass_months(ctx: CommandContext, play: Play) -> dict[str, Any]:
    _heading(ctx, "7. Four months later: the sessions are archived, what they taught is not")
    with closing(play.months_later()) as app:
        done = lifecycle.consolidate(app, scope="project", dry_run=False, force_decay=True)[0]
        ctx.tell(
            "  statements filed: {absorbed}; sessions archived: {archived}",
            absorbed=done.counts["absorbed"],
            archived=done.counts["archived"],
        )
        layers = dict(Counter(entry.layer for entry in app.store().index.entries(Filter())))
        for layer, n in layers.items():
            ctx.tell("  {layer}: {n}", layer=ctx.word(layer), n=n)
        reversed_rules = [row for row in done.rows if row.do == "note"]
        for row in reversed_rules:
            ctx.tell("  a rule was reversed; the file keeps the old wording:")
            _dim(ctx, f"- {row.text}")
            _dim(ctx, f"  {row.new}")
    return {"consolidated": done.counts | {"reversed": len(reversed_rules)}, "layers": layers}


def _settle(ctx: CommandContext, play: Play) -> list[dict[str, str]]:
    _heading(ctx, "8. Uncertain contradictions wait for a person")
    with closing(play.months_later()) as app:
        settled = []
        for scope, wait in lifecycle.conflicts(app, scope="project"):
            ctx.tell("  old  {text}", text=wait.old)
            ctx.tell("  new  {text}", text=wait.new)
            typed = f"recollect conflicts --choose {wait.key} new"
            ctx.tell("  › {asked}", asked=typed, style="cyan")
            lifecycle.settle_conflict(app, wait.key, "new", scope=scope, dry_run=False)
            settled.append({"id": wait.key, "old": wait.old, "new": wait.new})
        lifecycle.consolidate(app, scope="project", dry_run=False, force_decay=True)
    return settled


def _find_statements(ctx: CommandContext, play: Play) -> list[DemoStatement]:
    from recollect.ops.demo import LOST, OVERTAKEN, STANDS, found_again

    _heading(ctx, "9. Every statement of the archived sessions is still found")
    with closing(play.months_later()) as app:
        found = found_again(app.store())
    for session in dict.fromkeys(one.session for one in found):
        ctx.tell("  {id}", id=session)
        for one in (row for row in found if row.session == session):
            _dim(ctx, f"{SIGNS[one.how]} {one.path}: {one.text}")
    ctx.tell(
        "  hold: {stands}, superseded: {overtaken}, lost: {lost}",
        stands=sum(one.how == STANDS for one in found),
        overtaken=sum(one.how == OVERTAKEN for one in found),
        lost=sum(one.how == LOST for one in found),
    )
    return found


def _bring_back(ctx: CommandContext, play: Play) -> list[str]:
    _heading(ctx, "10. An archived session costs nothing, can be found and brought back")
    with closing(play.months_later()) as app:
        ids = []
        for words in FADED:
            for archived in (False, True):
                only = Filter(archived=archived, kind="session" if archived else "")
                found = reading.search(app, words, only, limit=1, scope="project", sections=False)
                typed = f"recollect search {words}{' --archived' if archived else ''}"
                ctx.tell("  › {asked}", asked=typed, style="cyan")
                for one in found:
                    ctx.tell("    {path}", path=one.candidate.path)
            path = lifecycle.activate(app, found[0].candidate.id, dry_run=False).path
            ctx.tell("  it is active again: {path}", path=path.partition("/memory/")[2])
            ids.append(found[0].candidate.id)
    return ids
