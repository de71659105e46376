"""Command: demo."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import Counter
from typing import TYPE_CHECKING, Any

from recollect.interfaces.cli.console import shown
from recollect.interfaces.cli.context import Door, command
from recollect.interfaces.cli.parsing import Choice, FolderPath, option
from recollect.model.memory import Filter

if TYPE_CHECKING:
    from recollect.ops.demo import Answer, Landed, Play

LONGEST_QUOTE = 9
LONGEST_LINE = 140
LONGEST_BEGINNING = 64
FADED = ("checkout profile", "死信队列")  # what two sessions were about that have faded
SIGNS = {"stands": "=", "overtaken": "<", "lost": "!"}


@command("demo", example="recollect demo\nrecollect demo --keep ./orchard-demo")
@option(
    "--lang",
    type=Choice(["en", "zh"]),
    default="en",
    show_default=True,
    help="Language of the store.",
)
@option(
    "--keep",
    type=FolderPath(),
    default=None,
    help="Keep everything in this (empty or new) folder.",
)
def demo_command(door: Door, lang: str, keep: str | None) -> None:
    """Play a made-up history, in English and Chinese, through the real hooks.

    Eight sessions of a small project run. Then new sessions ask questions, and you see what the
    agent would get, with its cost in tokens and milliseconds. Three agents work at once, one of
    them in another project. Months later the sessions are archived, every statement is still
    found, and two sessions are brought back. Your own files are not touched.
    """
    from recollect.ops import setup
    from recollect.ops.demo import Play

    folder = os.path.abspath(keep) if keep else tempfile.mkdtemp(prefix="recollect-demo-")
    try:
        play = Play(folder)
        for project in play.projects:
            setup.init(play.app(project), setup.Wish(lang=lang), scope="project", dry_run=False)
        stage = _Stage(door, play)
        sessions, memories = stage.hold_sessions(), stage.show_memories()
        brief, answers = stage.start_a_session(), stage.ask()
        acts = {
            "sessions": sessions,
            "memories": memories,
            "brief": brief,
            "answers": [answer._asdict() for answer in answers],
            "skills": stage.find_a_skill(),
            **stage.hold_three_at_once(),
            "consolidated": stage.let_months_pass(),
            "layers": stage.layers,
            "settled": stage.settle(),
            "statements": stage.find_again(),
            "came_back": stage.bring_back(),
        }
        door.answer(acts, lambda: stage.sum_up(answers))
        if keep:
            door.tell("Everything is in {folder}", folder=folder, style="dim")
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)


class _Stage:
    """Shows the acts of the demo, one after the other; silent where the answer is JSON."""

    def __init__(self, door: Door, play: Play) -> None:
        self.door, self.play = door, play
        self.layers: dict[str, int] = {}

    def heading(self, sentence: str) -> None:
        if not self.door.as_json:
            self.door.paper.line()
        self.door.tell(sentence, style="bold")

    def dim(self, text: str) -> None:
        if not self.door.as_json:
            self.door.paper.line(("dim", f"    │ {shown(text)[:LONGEST_LINE]}"))

    def hold_sessions(self) -> list[dict[str, Any]]:
        self.heading("1. Eight sessions run; hooks and worker capture them")
        held = []
        for session, calls in self.play.sessions():
            self.door.tell(
                "  {day}  {calls} hook calls  “{first}”",
                day=session.started[:10],
                calls=calls,
                first=_beginning(session.steps[0].text),
            )
            held.append({"id": session.id, "hook_calls": calls})
        return held

    def show_memories(self) -> list[dict[str, Any]]:
        self.heading("2. The result: Markdown files, such as the last one")
        app = self.play.app()
        store = app.store()
        entries = store.index.entries(Filter())
        for entry in reversed(entries):
            self.door.tell("  {path}", path=entry.path)
        newest = next(e for e in entries if e.kind == "session")
        for line in store.read(newest).text.split("\n---\n", 1)[1].strip().splitlines():
            self.dim(line)
        app.close()
        return [{"id": e.id, "title": e.title, "path": e.path} for e in entries]

    def start_a_session(self) -> dict[str, Any]:
        self.heading("3. A new session starts with this brief")
        brief = self.play.brief()
        self.quote(brief)
        return brief._asdict()

    def ask(self) -> list[Answer]:
        self.heading("4. Prompts and failures, and what the hooks add to them")
        answers = []
        for answer in self.play.answers():
            if not self.door.as_json:
                self.door.paper.line()
            self.door.tell("  › {asked}", asked=answer.asked, style="cyan")
            self.quote(answer)
            answers.append(answer)
        return answers

    def find_a_skill(self) -> list[str]:
        from recollect.features import skill_candidates as skills

        self.heading("5. A procedure repeated three times could become a skill")
        app = self.play.app()
        found = skills.analyse_stores(app, skills.Asked(), scope="project", dry_run=False)[0].found
        for one in found.suggestions:
            self.door.tell("  {name}: {title}", name=one.name, title=one.title)
            for evidence in one.evidence:
                self.dim(evidence.id)
        app.close()
        return [one.name for one in found.suggestions]

    def hold_three_at_once(self) -> dict[str, Any]:
        self.heading("6. Two sessions at once here, and one in another project")
        landed = self.play.day()
        for one in landed:
            self._show_landed(one)
        answers = []
        for answer in self.play.ask_both():
            self.door.tell("  › {asked}", asked=answer.asked, style="cyan")
            self.quote(answer)
            answers.append(answer._asdict())
        return {"landed": [one._asdict() for one in landed], "apart": answers}

    def _show_landed(self, one: Landed) -> None:
        self.door.tell("  {project}: “{first}”", project=one.project, first=_beginning(one.said))
        for project, path in one.found:
            self.dim(f"{project}/.claude/memory/{path}")

    def let_months_pass(self) -> dict[str, int]:
        from recollect.features import lifecycle

        self.heading("7. Four months later: the sessions are archived, what they taught is not")
        app = self.play.months_later()
        done = lifecycle.consolidate(app, scope="project", dry_run=False, force_decay=True)[0]
        self.door.tell(
            "  statements filed: {absorbed}; sessions archived: {archived}",
            absorbed=done.counts["absorbed"],
            archived=done.counts["archived"],
        )
        self.layers = dict(Counter(e.layer for e in app.store().index.entries(Filter())))
        for layer, n in self.layers.items():
            self.door.tell("  {layer}: {n}", layer=layer, n=n)
        reversed_rules = [row for row in done.rows if row.do == "note"]
        for row in reversed_rules:
            self.door.tell("  a rule was reversed; the file keeps the old wording:")
            self.dim(f"- {row.text}")
            self.dim(f"  {row.new}")
        app.close()
        return done.counts | {"reversed": len(reversed_rules)}

    def settle(self) -> list[dict[str, str]]:
        from recollect.features import lifecycle

        self.heading("8. Uncertain contradictions wait for a person")
        app = self.play.months_later()
        settled = []
        for scope, wait in lifecycle.conflicts(app, scope="project"):
            self.door.tell("  old  {text}", text=wait.old)
            self.door.tell("  new  {text}", text=wait.new)
            asked = f"recollect conflicts --choose {wait.key} new"
            self.door.tell("  › {asked}", asked=asked, style="cyan")
            lifecycle.settle(app, wait.key, "new", scope=scope, dry_run=False)
            settled.append({"id": wait.key, "old": wait.old, "new": wait.new})
        lifecycle.consolidate(app, scope="project", dry_run=False, force_decay=True)
        app.close()
        return settled

    def find_again(self) -> list[dict[str, str]]:
        from recollect.ops.demo import LOST, OVERTAKEN, STANDS, found_again

        self.heading("9. Every statement of the archived sessions is still found")
        app = self.play.months_later()
        found = found_again(app.store())
        app.close()
        for session in dict.fromkeys(one.session for one in found):
            self.door.tell("  {id}", id=session)
            for one in (row for row in found if row.session == session):
                self.dim(f"{SIGNS[one.how]} {one.path}: {one.text}")
        self.door.tell(
            "  {stands} hold, {overtaken} were superseded, {lost} are lost",
            stands=sum(one.how == STANDS for one in found),
            overtaken=sum(one.how == OVERTAKEN for one in found),
            lost=sum(one.how == LOST for one in found),
        )
        return [one._asdict() for one in found]

    def bring_back(self) -> list[str]:
        from recollect.features import lifecycle as archive
        from recollect.features import reading

        self.heading("10. An archived session costs nothing, can be found and brought back")
        app = self.play.months_later()
        back = []
        for words in FADED:
            for cold in (False, True):
                only = Filter(archived=cold, kind="session" if cold else "")
                found = reading.search(app, words, only, limit=1, scope="project", sections=False)
                asked = f"{words} --archived" if cold else words
                self.door.tell("  › {asked}", asked=f"recollect search {asked}", style="cyan")
                for one in found:
                    self.door.tell("    {path}", path=one.candidate.path)
            path, _ = archive.activate(app, found[0].candidate.id, dry_run=False)
            self.door.tell("  it is active again: {path}", path=path.partition("/memory/")[2])
            back.append(found[0].candidate.id)
        app.close()
        return back

    def quote(self, answer: Answer) -> None:
        if not answer.text:
            self.door.tell(
                "    nothing is added ({ms:.0f} ms)", ms=answer.milliseconds, style="dim"
            )
            return
        lines = answer.text.splitlines()
        for line in lines[:LONGEST_QUOTE]:
            self.dim(line)
        if len(lines) > LONGEST_QUOTE:
            self.dim(f"… (+{len(lines) - LONGEST_QUOTE})")
        self.door.tell(
            "    {tokens} tokens, {ms:.0f} ms",
            tokens=answer.tokens,
            ms=answer.milliseconds,
            style="dim",
        )

    def sum_up(self, answers: list[Answer]) -> None:
        took = sorted(answer.milliseconds for answer in answers)
        self.door.paper.line()
        self.door.tell(
            "{n} questions: {tokens} tokens in all; each hook took {low:.0f} to {high:.0f} ms.",
            n=len(answers),
            tokens=sum(answer.tokens for answer in answers),
            low=took[0],
            high=took[-1],
            style="bold",
        )


def _beginning(text: str) -> str:
    """What somebody said, as far as there is room for it."""
    said = shown(text)
    return said if len(said) <= LONGEST_BEGINNING else f"{said[:LONGEST_BEGINNING]}…"
