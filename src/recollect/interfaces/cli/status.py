"""Commands: status, doctor, given."""

from __future__ import annotations

import sys
from typing import Any

from recollect.clients.registry import KNOWN
from recollect.features.given import (
    GivenNote,
    GivenSession,
    Injection,
    given_sessions,
    sessions_given,
)
from recollect.features.statistics import describe_waiting, status
from recollect.interfaces.cli.command import CommandContext, command, counted
from recollect.interfaces.cli.console import cut, padded, shown, shown_title, width_of
from recollect.interfaces.cli.parsing import IntRange, argument, flag, option
from recollect.model.times import minute
from recollect.ops import doctor, environment_checks, setup
from recollect.ops.environment_checks import ClientState
from recollect.workspace import FindingGroup

CONNECTIONS = {"connected": "connected", "broken": "out of order", "absent": "not connected"}


@command(example="recollect status")
def status_command(ctx: CommandContext) -> None:
    """Show in five lines what is stored, the last session, what waits for you, what agents were given, and which clients are connected."""
    found = status(ctx.app)
    clients = environment_checks.standings(ctx.app, environment_checks.read_client_state(ctx.app))
    ctx.answer(found | {"clients": clients})
    ctx.pairs(
        {
            "remembered": _remembered(ctx, found),
            "last session": _last_session(ctx, found["last"]),
            "waiting": describe_waiting(ctx.lang, found["waiting"]) or ctx.say("nothing"),
            "given": _given(ctx, found["given"]),
            "clients": _clients(ctx, clients),
        }
    )


def _remembered(ctx: CommandContext, found: dict[str, Any]) -> str:
    parts = [
        f"{ctx.word(scope)} {counted(ctx, kinds)}"
        for scope, kinds in found["remembered"].items()
        if kinds
    ]
    if found["sessions"]:
        parts.append(ctx.say("sessions {n}", n=found["sessions"]))
    return " · ".join(parts) or ctx.say("nothing yet; sessions are captured when they end")


def _last_session(ctx: CommandContext, last: dict[str, Any] | None) -> str:
    if last is None:
        return ctx.say("no session yet")
    entries = ctx.say("entries {n}", n=last["entries"]) if last["entries"] else ""
    parts = (minute(last["time"]), f"“{last['title']}”", _title_of(last["client"]), entries)
    return " · ".join(filter(None, parts))


def _title_of(client: str) -> str:
    return KNOWN[client].title if client in KNOWN else client


def _given(ctx: CommandContext, given: dict[str, int]) -> str:
    if not given["times"]:
        return ctx.say("nothing in the last {days} days", days=given["days"])
    return ctx.say(
        "{times}× in the last {days} days, {tokens} tokens, sessions: {n} (`recollect given`)",
        n=given["sessions"],
        **given,
    )


def _clients(ctx: CommandContext, clients: list[ClientState]) -> str:
    if not clients:
        return ctx.say("none (`recollect init --client claude`)")
    parts = []
    for one in clients:
        part = f"{one.title} {ctx.say(CONNECTIONS[one.state])}"
        if one.called and one.state == "connected":
            part += ctx.say(", last called {time}", time=minute(one.called))
        parts.append(part)
    if any(one.state == "broken" for one in clients):
        parts.append(ctx.say("see `recollect doctor`"))
    return ctx.say("; ").join(parts)


MARKS = {
    "ok": ("green", "✓"),
    "note": ("dim", "·"),
    "problem": ("yellow", "!"),
    "mended": ("green", "+"),
}


@command(
    flag("--repair", help="Fix what can be fixed; no memory is ever removed."),
    flag("--secrets", help="Only search everything stored for secrets, possible ones included."),
    dry_run=True,
    example="recollect doctor\nrecollect doctor --repair\nrecollect doctor --secrets",
)
def doctor_command(ctx: CommandContext, repair: bool, secrets: bool) -> None:
    """Check the installation; changes nothing without --repair.

    Exits with 0 if all is well, 1 if something needs attention.
    """
    if secrets:
        if repair:
            raise ctx.usage_error("--secrets only searches: a person has to remove a secret.")
        from recollect.privacy import purge

        report = purge.find_secrets(ctx.app)
    else:
        with ctx.progress("checking") as step:
            report = doctor.examine(ctx.app, repair=repair and not ctx.dry_run, progress=step)
    ctx.reported += ctx.app.setting_problems()
    ctx.answer(doctor.as_json(report))
    for group in report.groups:
        _show_group(ctx, group)
    if report.problems == 1:
        ctx.tell("One thing needs attention.", style="bold")
    elif report.problems:
        ctx.tell("{n} things need attention.", n=report.problems, style="bold")
    else:
        ctx.tell("All is well.", style="bold")
    if report.problems:
        sys.exit(1)


def _show_group(ctx: CommandContext, group: FindingGroup) -> None:
    if group.scope:
        ctx.console.store(ctx.word(group.scope), group.root)
    names = [ctx.word(finding.about) for finding in group.findings]
    # Paths are longer than the names of parts; they do not move the column.
    width = max((width_of(name) for name in names if "/" not in name), default=0)
    for name, finding in zip(names, group.findings, strict=True):
        sentence = ctx.say_translated(finding.sentence, finding.fields)
        ctx.console.paragraph(sentence, head=(MARKS[finding.state], f" {padded(name, width)}  "))


MOMENTS = {
    "start": "at session start",
    "prompt": "for a prompt",
    "error": "after a failure",
    "recall": "asked for it (recall)",
    "search": "searched",
    "expand": "opened it (expand)",
}
USES = {
    "opened": "the agent opened it",
    "approval": "you approved the answer",
    "correction": "you corrected the answer",
}
STATES = {
    "changed": "changed since",
    "filed": "filed on a page since",
    "waits": "waits for your ruling since",
    "gone": "no longer there",
    "unreadable": "cannot be read",
}
LONGEST_NOTE = 160


@command(
    argument("session", required=False),
    option("--last", type=IntRange(1, 100), default=1, help="The last N sessions."),
    example="recollect given\nrecollect given --last 5\nrecollect given 8c4e6e0e",
)
def given_command(ctx: CommandContext, session: str, last: int) -> None:
    """Show what agents were told in a session, when, why, and what it cost.

    Without SESSION it is the last one of this project; an agent gets its own. Notes are shown
    as they read now. A note counts as used if the agent opened it, or if you approved or
    corrected the answer that followed.
    """
    if session and last > 1:
        raise ctx.usage_error("Name a session or give --last, not both.")
    found = given_sessions(ctx.app, session, last=last)
    ctx.answer([one._asdict() | {"tokens": one.tokens} for one in found])
    if not found:
        ctx.tell("No agent has been told anything in this project yet.")
        if any(setup.is_connected(ctx.app, name) for name in KNOWN):
            ctx.hint("  Hooks work in new sessions; `recollect doctor` checks them.")
        else:
            ctx.hint("  `recollect init --client claude` connects Claude Code.")
    for n, one in enumerate(found):
        if n:
            ctx.console.line()
        _show_session(ctx, one)
    others = sessions_given(ctx.app).difference(one.session for one in found)
    if others and found and not session:
        ctx.hint("other sessions: {n}; `recollect given --last N` shows the last N", n=len(others))


def _show_session(ctx: CommandContext, one: GivenSession) -> None:
    name = ctx.say("Session {session}", session=one.session[:8])
    task = f"“{shown(one.task)}”" if one.task else ""
    parts = (name, _title_of(one.client), minute(one.started), task)
    ctx.console.prose(("bold", " · ".join(filter(None, parts))), hang=2)
    if not one.given:
        ctx.tell("Nothing was given: no prompt or failure touched on what is stored.")
        ctx.hint(
            "  `recollect recall WORDS` shows what a prompt gets, with --why-not ID why a note is missing."
        )
        return
    for handover in one.given:
        _show_handover(ctx, handover)
    ctx.hint("{times}×, {tokens} tokens", times=len(one.given), tokens=one.tokens)


def _show_handover(ctx: CommandContext, one: Injection) -> None:
    why = ctx.say(MOMENTS[one.moment]) if one.moment in MOMENTS else one.moment
    if one.agent:
        why += ctx.say(", to a sub-agent")
    cost = ctx.say("{tokens} tokens", tokens=one.tokens)
    ctx.console.prose(f"{minute(one.time)[11:]}  {why}", ("dim", f"  {cost}"))
    for note in one.notes:
        _show_note(ctx, note)


def _show_note(ctx: CommandContext, note: GivenNote) -> None:
    if note.one_line:
        ctx.console.paragraph(cut(shown_title(ctx.lang, shown(note.one_line)), LONGEST_NOTE))
    about = [note.name, ctx.word(note.kind)]
    about += [ctx.say("named only")] if note.form == "pointer" else []
    about += [ctx.say(STATES[note.state])] if note.state else []
    about += [ctx.say(USES[note.used])] if note.used else []
    ctx.console.prose(("dim", f"    {' · '.join(filter(None, about))}"))
