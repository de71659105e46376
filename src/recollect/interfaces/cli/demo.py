"""Command: demo."""

from __future__ import annotations

import os
import shutil
import tempfile
from typing import TYPE_CHECKING

from recollect.interfaces.cli.command import CommandContext, command
from recollect.interfaces.cli.console import padded, shown, shown_title, wrapped
from recollect.interfaces.cli.parsing import Choice, FolderPath, option
from recollect.ops import setup

if TYPE_CHECKING:
    from recollect.ops.demo import HookAnswer, Play

SCREEN, WHO = 80, 8  # columns: of a screen, and of the speaker
MOST_GIVEN = 6  # lines


@command(
    option(
        "--lang",
        type=Choice(["en", "zh"]),
        help="Language of the story (default: the store's or the terminal's).",
    ),
    option("--keep", type=FolderPath(), help="Keep everything in this (empty or new) folder."),
    example="recollect demo\nrecollect demo --keep ./orchard-demo",
)
def demo_command(ctx: CommandContext, lang: str, keep: str) -> None:
    """Play a made-up history through the real hooks, and show what the next session knows.

    Two sessions run, then a new one asks questions, and you see what the agent would get, with its
    cost in tokens and milliseconds. Your own files are not touched.
    """
    from recollect.ops.demo import Play  # `recollect --help` needs only the declaration

    lang = lang or ctx.lang
    if keep and os.path.isdir(keep) and os.listdir(keep):
        raise ctx.usage_error(f"{keep} is not empty: name a new folder.")
    folder = os.path.abspath(keep) if keep else tempfile.mkdtemp(prefix="recollect-demo-")
    try:
        play = Play(folder)
        setup.init(play.app(), setup.InitRequest(lang=lang), scope="project", dry_run=False)
        _show_two_days(ctx, play, lang)
        if keep:
            ctx.hint("Everything is in {folder}", folder=folder)
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)


def _show_two_days(ctx: CommandContext, play: Play, lang: str) -> None:
    """Two sessions, and what the next one is given: on one screen."""
    sessions = list(play.sessions(lang))
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
    ctx.tell("No model, no network.")
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
