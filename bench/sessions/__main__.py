"""Real sessions: what is kept of them, and what agents are told from it.

`python -m bench.sessions --data FOLDER --out FOLDER [--gold FILE] [--only SOURCE]`   run, count, write sheets
`python -m bench.sessions --out FOLDER --labels FOLDER [--by-source]`      score the labels

The data folder holds `SOURCE/{claude,codex}/*.jsonl`. The text of the sessions stays in the folder of
`--out`; only counts are printed. `docs/benchmark.md` explains the measures and how to label.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from bench.sessions import laid, pages, sheets
from bench.sessions.laid import Held, Project, Turn
from bench.sessions.pages import Item
from bench.sessions.playing import Failed, Home
from bench.sessions.sheets import Row
from recollect.text.redact import without_secrets
from recollect.text.tokens import count_tokens

SAMPLES = {"statements": 100, "solutions": 90, "facts": 120, "titles": 100, "briefs": 20,
           "prompts": 52, "failures": 26}  # fmt: skip
LIKELY = 0.6  # share of a wanted statement's words that makes a match likely
MOST_PAIRS = 12  # likely matches listed for each wanted statement,
MOST_OWN = 40  # and entries of its own session
GENERIC = ("implement the following plan", "continue", "yes", "ok", "hi", "hello", "继续", "你好",
           "ide opened file", "<", "untitled", "new session")  # fmt: skip


class Run:
    """The results of a run: counts, and every item that could be labelled."""

    def __init__(self) -> None:
        """Start with nothing."""
        self.counts: Counter[str] = Counter()
        self.kinds: dict[str, Counter[str]] = {}
        self.rows: dict[str, list[Row]] = {
            measure: [] for measure in (*SAMPLES, "questions", "gold")
        }
        self.hooks: list[float] = []
        self.failed: list[str] = []

    def count_kind(self, group: str, kind: str, by: int = 1) -> None:
        """Add to the count of a kind in a group."""
        self.kinds.setdefault(group, Counter())[kind] += by


# ---------------------------------------------------------------------------------- one project


def measure(project: Project, run: Run, out: str, *, keep: bool, gold: Sequence[Row]) -> None:
    """Capture and consolidate a project, replay the sessions held back, then capture those too."""
    home = Home(os.path.join(out, "homes", project.name), project.folder)
    staged = os.path.join(out, "staged", project.name)
    held = laid.held_back(project)
    later = {one.session.path: one.cut for one in held}
    days = laid.days_ago(project, datetime.now(UTC).date())
    try:
        for session in project.sessions:
            lines = later.get(session.path)
            if lines != 0:
                folder = os.path.join(staged, session.client)
                laid.stage(session, folder, lines=lines or 0, days=days)
            run.counts["sessions"] += 1
            run.counts["bytes"] += session.size
        take_in(home, project, staged, run)
        known = list(items_in(home))
        for n, one in enumerate(held):
            if keep:
                keep_before(home, out, f"{project.name}+{n}", known)
            play(home, project, one, known, run)
            laid.stage(one.session, os.path.join(staged, one.session.client), days=days)
            take_in(home, project, staged, run)  # the next one knows of it
            known = list(items_in(home))
        if not held:
            start(home, project, f"{project.name}-brief", run)
        look(home, project, run, gold)
        ask(home, project, gold, run)
    except Failed as problem:
        run.failed.append(f"{project.name}: {problem}")
    finally:
        run.hooks += home.hook_times
        shutil.rmtree(staged, ignore_errors=True)
        if not keep:
            shutil.rmtree(home.folder, ignore_errors=True)


def keep_before(home: Home, out: str, name: str, known: Iterable[Item]) -> None:
    """Keep a home as it is before a session held back, and what its store says then."""
    shutil.copytree(home.folder, os.path.join(out, "before", name), dirs_exist_ok=True)
    sheets.write(os.path.join(out, "known"), name, (item._asdict() for item in known))


def take_in(home: Home, project: Project, staged: str, run: Run) -> None:
    """Capture the staged transcripts and consolidate."""
    for client in sorted({session.client for session in project.sessions}):
        folder = os.path.join(staged, client)
        if os.path.isdir(folder):
            try:
                took = home.run("capture", folder, "--client", client, about_project=False)
            except Failed as problem:
                run.failed.append(f"{project.name}: {problem}")
                continue  # the others of it are captured
            run.counts["capture ms"] += round(1000 * took)
    run.counts["consolidate ms"] += round(1000 * home.run("consolidate"))


def items_in(home: Home) -> Iterator[Item]:
    """Everything in the stores of a home."""
    for store in home.stores():
        for page in pages.pages_of(store):
            yield from pages.items_of(page)


# -------------------------------------------------------------------------- what an agent is told


def play(home: Home, project: Project, one: Held, known: Iterable[Item], run: Run) -> None:
    """Replay a session held back: start, prompts and failing commands, through the hooks."""
    said = [
        (pages.words_of(item.text), item.text)
        for item in known
        if item.measure != "titles" and item.kind not in ("files", "文件")
    ]
    session = f"{one.session.id[:24]}{0:012}"  # another one than is captured afterwards
    start(home, project, session, run)
    for turn in one.turns:
        row = told_row(home, project, session, turn) | {"at": f"{one.session.id}:{turn.line}"}
        if not row["tokens"]:
            row["near"] = nearest(f"{turn.command} {turn.text}", said)
        run.rows[f"{turn.moment}s"].append(row)


def start(home: Home, project: Project, session: str, run: Run) -> None:
    """Start a session; the brief of a project's first one is a row."""
    brief = home.hook("SessionStart", session, source="startup")
    if any(row["project"] == project.name for row in run.rows["briefs"]):
        return
    run.rows["briefs"].append(
        {
            "item": sheets.name_of("briefs", project.name, brief),
            "project": project.name,
            "given": brief,
            "tokens": count_tokens(brief) if brief else 0,
        }
    )


def told_row(home: Home, project: Project, session: str, turn: Turn) -> Row:
    """What the agent is told at a turn, with the context a labeller needs."""
    if turn.moment == "failure":
        given = home.hook(
            "PostToolUseFailure",
            session,
            tool_name="Bash",
            error=turn.text,
            tool_input={"command": turn.command},
        )
    else:
        given = home.hook("UserPromptSubmit", session, prompt=turn.text)
    return {
        "item": sheets.name_of(f"{turn.moment}s", project.name, turn.command, turn.text, given),
        "project": project.name,
        "before": without_secrets(turn.before)[-400:],
        "command": without_secrets(turn.command)[:600],
        "said": without_secrets(turn.text)[:1500],
        "given": given,
        "tokens": count_tokens(given) if given else 0,
    }


def ask(home: Home, project: Project, gold: Sequence[Row], run: Run) -> None:
    """Ask the question of each wanted statement as the first prompt of a new session."""
    for n, wanted in enumerate(of_project(project, gold)):
        if question := str(wanted.get("ask", "")):
            turn = Turn("question", question)
            row = told_row(home, project, f"{project.name}-question-{n}", turn)
            run.rows["questions"].append({**row, "keep": wanted["keep"]})


def of_project(project: Project, gold: Sequence[Row]) -> list[Row]:
    """The wanted statements whose sessions belong to a project."""
    ids = [session.id for session in project.sessions]
    source = laid.source_of(project.name)
    return [
        row
        for row in gold
        if row["source"] == source and any(one.startswith(row["session"]) for one in ids)
    ]


def nearest(text: str, said: Iterable[tuple[frozenset[str], str]]) -> list[str]:
    """The three statements most like a text, to show a labeller what silence may have missed."""
    words = pages.words_of(text[:1500])
    scored = ((len(words & own) / (len(own) + 4), one) for own, one in said)
    best = sorted(((s, one) for s, one in scored if s), key=lambda it: (-it[0], it[1]))
    return list(dict.fromkeys(one[:300] for _, one in best))[:3]


# ----------------------------------------------------------------------------- what is kept


def look(home: Home, project: Project, run: Run, gold: Sequence[Row]) -> None:
    """Count and list everything in the stores at the end."""
    items: list[Item] = []
    for store in home.stores():
        for page in pages.pages_of(store):
            what = "session pages" if page.is_session else "lasting pages"
            run.counts[what] += 1
            run.counts[f"{what}: characters"] += page.size
            run.counts[f"{what}: readable"] += page.readable
            run.counts[f"{what}: readable enough"] += page.readable >= 0.8 * page.size
            items += pages.items_of(page)
    run.counts["disk"] += home.size()
    for measured in ("statements", "solutions", "facts"):
        mine = [item for item in items if item.measure == measured]
        same, alike = pages.duplicates(item.text for item in mine)
        run.counts[f"{measured}: the same"] += same
        run.counts[f"{measured}: nearly the same"] += alike
        for item in mine:
            run.count_kind(measured, f"{item.kind} by {item.by or 'unknown'}")
            run.rows[measured].append(
                {
                    "item": sheets.name_of(measured, project.name, item.text),
                    "project": project.name,
                    "kind": item.kind,
                    "by": item.by,
                    "session": item.session,
                    "text": item.text,
                }
            )
    by_id = {session.id: session for session in project.sessions}
    for item in items:
        if item.measure == "titles":
            run.rows["titles"].append(title_row(project, item, by_id.get(item.session), run))
    pairs(project, items, gold, run)


def title_row(project: Project, item: Item, session: laid.Session | None, run: Run) -> Row:
    """A title, where it comes from, and the prompts to judge it by."""
    prompts: list[str] = []
    own: list[str] = []
    if session:
        prompts = [turn.text for turn in laid.turns_of(session) if turn.moment == "prompt"]
        own = laid.client_titles(session)
    source = came_from(item.text, prompts, own)
    run.count_kind("titles", source)
    run.count_kind("titles", "(sessions with a title from the client)", bool(own))
    return {
        "item": sheets.name_of("titles", project.name, item.session, item.text),
        "project": project.name,
        "from": source,
        "text": item.text,
        "client's": own[-1:],
        "prompts": [without_secrets(prompt)[:200] for prompt in prompts[:4] + prompts[4:][-2:]],
    }


def came_from(title: str, prompts: Sequence[str], own: Sequence[str]) -> str:
    """Where a title comes from: client, generic, first prompt, another prompt or elsewhere."""
    plain = _plain(title)
    if any(plain and plain == _plain(one)[: len(plain)] for one in own):
        return "client"
    if title.casefold().startswith(GENERIC) or len(pages.words_of(title)) < 2:
        return "generic"
    for n, prompt in enumerate(prompts):
        if plain and plain in _plain(prompt):
            return "another prompt" if n else "first prompt"
    return "elsewhere"


def _plain(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


def pairs(project: Project, items: Sequence[Item], gold: Sequence[Row], run: Run) -> None:
    """List, for each wanted statement, the entries that may hold it.

    The most similar ones, and all of its own session: those may be in another language.
    """
    stated = [(pages.words_of(item.text), item) for item in items if item.measure != "titles"]
    for wanted in of_project(project, gold):
        session = str(wanted["session"])
        words = pages.words_of(wanted["keep"])
        name = sheets.name_of("wanted", wanted["source"], session, wanted["keep"])
        rows: list[Row] = []
        for own, item in stated:
            share = pages.covered(words, own)
            row = {
                "item": sheets.name_of("gold", name, item.text),
                "wanted": name,
                "project": project.name,
                "keep": wanted["keep"],
                "place": "summary" if item.measure == "lines" else "entry",
                "own": item.session.startswith(session) or session in item.page,
                "likely": share >= LIKELY,
                "share": round(share, 2),
                "text": item.text,
            }
            rows.append(row)
        rows.sort(key=lambda row: (-row["share"] - row["own"] / 4, row["text"]))
        none = {"item": name, "wanted": name, "project": project.name, "keep": wanted["keep"],
                "place": "entry", "own": False, "likely": False, "share": 0.0, "text": ""}  # fmt: skip
        run.rows["gold"].append(none)
        for place in ("entry", "summary"):
            here = [row for row in rows if row["place"] == place]
            likeliest = [row for row in here if row["share"]][:MOST_PAIRS]
            own_rows = [row for row in here if row["own"]][:MOST_OWN]
            once = {row["item"]: row for row in (*likeliest, *own_rows)}
            run.rows["gold"] += once.values()


# ------------------------------------------------------------------------------------ printing


def report(run: Run, took: float) -> list[str]:
    """The counts, as lines of text."""
    count = run.counts
    mb = count["bytes"] / 1e6
    cpu = count["capture ms"] / 1000
    lines = [
        f"sessions: {count['sessions']} ({mb:.0f} MB) in {len(run.rows['briefs'])} projects",
        f"capture: {cpu:.1f} s of CPU, {mb / cpu if cpu else 0:.1f} MB/s",
        f"consolidation: {count['consolidate ms'] / 1000:.1f} s of CPU",
        f"disk: {count['disk'] / 1e6:.1f} MB",
    ]
    if run.hooks:
        ordered = sorted(run.hooks)
        lines.append(
            f"hooks: {len(ordered)} calls, median {1000 * ordered[len(ordered) // 2]:.0f} ms, "
            f"max {1000 * ordered[-1]:.0f} ms (wall clock)"
        )
    for what in ("session pages", "lasting pages"):
        whole = count[f"{what}: characters"]
        if whole:
            lines.append(
                f"{what}: {count[what]}, {100 * count[f'{what}: readable'] / whole:.0f} % of the characters "
                f"are readable; {count[f'{what}: readable enough']} pages reach 80 %"
            )
    for measured in ("statements", "solutions", "facts", "titles"):
        same, alike = count[f"{measured}: the same"], count[f"{measured}: nearly the same"]
        again = f"; duplicates: {same} exact, {alike} near" if measured != "titles" else ""
        lines.append(f"{measured}: {len(run.rows[measured])}{again}")
        lines += [f"  {n:5} {kind}" for kind, n in run.kinds.get(measured, Counter()).most_common()]
    for moment in ("prompts", "failures", "questions", "briefs"):
        tokens = [row["tokens"] for row in run.rows[moment]]
        given = [n for n in tokens if n]
        if tokens:
            mean = sum(given) / len(given) if given else 0
            lines.append(
                f"{moment}: {len(tokens)}, silent on {len(tokens) - len(given)}; "
                f"tokens when something was injected: mean {mean:.0f}, max {max(tokens)}"
            )
    lines += [f"failed: {problem}" for problem in run.failed]
    return [*lines, f"took {took:.0f} s"]


def write_sheets(run: Run, out: str, samples: dict[str, int], seed: int) -> None:
    """Sample every measure and write the sheets to label, ordered by project."""
    for measured, every in run.rows.items():
        rows = [row for row in every if row["tokens"]] if measured == "briefs" else every
        some = sheets.sample(rows, samples.get(measured, len(rows)), seed)
        order = {row["item"]: n for n, row in enumerate(rows)}
        some.sort(key=lambda row: order[row["item"]])
        sheets.write(os.path.join(out, "sheets"), measured, some)


def read_labels(out: str, labels: str, *, by_source: bool = False) -> Iterator[str]:
    """The scores of the labelled sheets of a run, if wanted for each source."""
    for measured, scorer in sheets.SCORERS.items():
        path = os.path.join(out, "sheets", f"{measured}.jsonl")
        if not os.path.exists(path):
            continue
        with open(path, encoding="utf-8") as file:
            rows: list[dict[str, Any]] = [json.loads(line) for line in file]
        told = sheets.labels_in(labels, measured)
        without = len({row["item"] for row in rows} - set(told))
        first, *more = scorer(rows, told)
        yield f"{measured} ({len(rows)} sampled, {without} unlabelled): {first}"
        yield from (f"  {line}" for line in more)
        for source in sorted({laid.source_of(row["project"]) for row in rows}) if by_source else ():
            mine = [row for row in rows if laid.source_of(row["project"]) == source]
            yield f"    {source}: {scorer(mine, told)[0]}"


def within_repository(folder: str) -> bool:
    """Whether a folder is inside a git repository, where the texts could be committed."""
    folder = os.path.abspath(folder)
    while not os.path.exists(os.path.join(folder, ".git")):
        if folder == os.path.dirname(folder):
            return False
        folder = os.path.dirname(folder)
    return True


def arguments() -> argparse.Namespace:
    """The arguments of the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.sessions",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("--data", metavar="FOLDER", help="the sessions")
    parser.add_argument("--out", metavar="FOLDER", required=True, help="outside every repository")
    parser.add_argument("--labels", metavar="FOLDER", help="MEASURE.csv or sheets filled in")
    parser.add_argument("--by-source", action="store_true", help="score each source, too")
    parser.add_argument("--gold", metavar="FILE", help="wanted statements, as JSON lines")
    parser.add_argument("--only", action="append", default=[], help="only this source or project")
    parser.add_argument(
        "--keep", action="store_true", help="keep the homes, also as they were before the replay"
    )
    parser.add_argument("--seed", type=int, default=1)
    for measured, count in SAMPLES.items():
        parser.add_argument(f"--{measured}", type=int, default=count, help="sample size")
    return parser.parse_args()


def main() -> None:
    """Measure, print, and write the sheets."""
    given = arguments()
    if within_repository(given.out):
        sys.exit("--out is inside a repository; choose a folder outside.")
    if given.data:
        wanted: list[Row] = []
        if given.gold:
            with open(given.gold, encoding="utf-8") as file:
                wanted = [json.loads(line) for line in file if line.strip()]
        os.makedirs(given.out, mode=0o700, exist_ok=True)
        for name in ("homes", "before", "known"):
            shutil.rmtree(os.path.join(given.out, name), ignore_errors=True)
        run, started = Run(), time.monotonic()
        every = laid.projects(given.data, given.only)
        for n, project in enumerate(every, 1):
            sys.stderr.write(
                f"\r{n} of {len(every)}: {project.name} ({len(project.sessions)})      "
            )
            measure(project, run, given.out, keep=given.keep, gold=wanted)
        sys.stderr.write("\n")
        samples = {measured: vars(given)[measured] for measured in SAMPLES}
        write_sheets(run, given.out, samples, given.seed)
        lines = report(run, time.monotonic() - started)
        with open(os.path.join(given.out, "report.txt"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        print("\n".join(lines))
    if given.labels:
        print("\n".join(read_labels(given.out, given.labels, by_source=given.by_source)))


if __name__ == "__main__":
    main()
