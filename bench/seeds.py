"""Recollect beside the code of the systems that it took over, in turns: search, save, rebuild.

`python -m bench.seeds --memory-keeper FOLDER --claude-memory FOLDER --conversation-memory FOLDER`
`    [--program PATH,...] [--size 1000] [--rounds 20] [--only search]`

The folders hold checkouts of ZipperBagCoffee/memory-keeper-plugin (v7.0.0), Jonwberg/claude-memory
and imjszhang/conversation-memory-skill; without them a bare interpreter comes first. All get the
same notes, below a scratch home. `--program` is an installed `recollect`; several are compared.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from functools import partial
from glob import glob

from bench import corpus, measure
from bench.commands import SETTLED
from bench.hooks import environment, settle

Rows = list[measure.Candidate]
NEW = "{new}"  # stands for a sentence that is new in every round


def fill_seeds(given: argparse.Namespace, folder: str) -> dict[str, measure.Candidate]:
    """The fastest command of the others for each task, their stores filled."""
    node = shutil.which("node") or "node"
    notes = [(path, title, text.split("---\n")[2].strip(), text)
             for path, title, text in corpus.notes(given.size)]  # fmt: skip
    home = os.path.join(folder, "seeds")
    env = {"PATH": os.environ["PATH"], "HOME": home, "LANG": "C.UTF-8"}

    facts = [{"id": f"d{n:03}", "type": "other", "date": "2026-10-05", "content": title,
              "reason": said} for n, (_, title, said, _) in enumerate(notes, 1)]  # fmt: skip
    every = {"decisions": facts, "patterns": [], "issues": [], "concepts": {}}
    _write(f"{home}/.claude/memory/facts.json", json.dumps(every, indent=2))
    os.chdir(home)  # where memory-keeper looks for its store
    searches = [node, f"{given.memory_keeper}/scripts/counter.js", "search", _words(given.size)[0]]

    place = f"{home}/.claude/projects/C--Users-Jon-Berg/memory"
    os.makedirs(f"{place}/episodic")
    for path, _, _, text in notes:
        _write(f"{place}/{path}", text)
    saves = [node, f"{given.claude_memory}/skills/claude-memory/remember.mjs", NEW]

    skill = f"{home}/.claude/skills/conversation-memory"
    shutil.copytree(f"{given.conversation_memory}/skills/conversation-memory", skill)
    place = f"{home}/.claude/data/conversation-memory/memories/active"
    for n, (_, title, said, text) in enumerate(notes):
        about = f"# Conversation Memory: {title}\n\n## Metadata\n- **Time**: 2026-10-05 10:00\n"
        about += f"- **Keywords**: {', '.join(title.split()[1:4])}\n\n## Topic Summary\n\n{said}\n"
        _write(f"{place}/mem-20261005-{n:06}/summary.md", about)
        _write(f"{place}/mem-20261005-{n:06}/conversation.md", text)
    rebuilds = [node, f"{skill}/scripts/update_index.js"]
    return {
        "search": measure.Candidate("memory-keeper 7.0.0", searches, env),
        "save": measure.Candidate("claude-memory", saves, env),
        "rebuild-index": measure.Candidate("conversation-memory-skill", rebuilds, env),
    }


def _write(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def _words(size: int) -> list[str]:
    """The five words of a note that a prompt asks about; some tens of notes have the first."""
    words = corpus.cues(20, size)[0].removesuffix("?").split()
    return [words[4], *words[6:10]]


def fill_ours(program: str, home: str, size: int) -> dict[str, list[str]]:
    """The commands by task, in a store as `recollect init` makes it in a repository."""
    project = f"{home}/project"
    os.makedirs(project)
    env = environment(home, project)
    ours = [program, "-C", project]
    subprocess.run(["git", "init", "-q", project], check=True)
    subprocess.run([*ours, "init"], env=env, check=True, stdout=subprocess.DEVNULL)
    for path, _, text in corpus.notes(size):  # where `save` puts them: in no numbered folder
        folder = os.path.dirname(os.path.dirname(path))
        _write(f"{project}/.claude/memory/{folder}/{os.path.basename(path)}", text)
    for _ in range(2):
        time.sleep(SETTLED)
        subprocess.run([*ours, "list"], env=env, check=True, stdout=subprocess.DEVNULL)
    settle(home)
    return {
        "search": [*ours, "search", _words(size)[0]],
        "search for five words": [*ours, "search", *_words(size)],
        "save": [*ours, "save", NEW],
        "rebuild-index": [*ours, "rebuild-index"],
    }


def worker(program: str, home: str) -> measure.Candidate:
    """The worker behind a hook that has nothing new."""
    python = os.path.join(os.path.dirname(program), "python")
    asked = [python, "-I", "-c", "import recollect; print(recollect.__path__[0])"]
    package = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()
    (mark,) = (f"{os.path.dirname(path)}/pending" for path in glob(f"{home}/.cache/*/*/index.db"))
    work = [python, "-I", f"{package}/__main__.py", "work", f"{home}/project/.claude/memory"]

    def ask(_: int) -> bytes:
        os.close(os.open(mark, os.O_WRONLY | os.O_CREAT, 0o600))
        return b""

    return measure.Candidate(f"{program[-24:]} work", work, environment(home, home), ask)


def compare(title: str, rows: Rows, rounds: int) -> None:
    """Run them in turns; print each beside the first."""
    times: list[list[measure.Timing]] = [[] for _ in rows]
    said = [title for _, title, _ in corpus.notes(rounds, seed=rounds)]
    for n in range(rounds):
        for row, taken in zip(rows, times, strict=True):
            command = [said[n] if word == NEW else word for word in row.command]
            taken.append(measure.run_once(command, row.env, row.stdin(n)))
            row.after()
    print(f"\n{title}\n{'':44} CPU min  median   × min   × med  wall min  median   × min   × med")
    base: list[float] = []
    for row, taken in zip(rows, times, strict=True):
        cpu, wall = [one.cpu for one in taken], [one.wall for one in taken]
        have = [min(cpu), statistics.median(cpu), min(wall), statistics.median(wall)]
        base = base or have
        low, mid, least, middle = (a / b for a, b in zip(have, base, strict=True))
        print(f"{row.name:44} {have[0]:7.1f} {have[1]:7.1f} {low:7.2f} {mid:7.2f}"
              f"  {have[2]:8.1f} {have[3]:7.1f} {least:7.2f} {middle:7.2f}", flush=True)  # fmt: skip


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    for name in ("memory-keeper", "claude-memory", "conversation-memory"):
        parser.add_argument(f"--{name}", default="")
    parser.add_argument("--program", default=shutil.which("recollect") or "recollect")
    parser.add_argument("--size", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--only", default="search,save,rebuild-index,worker")
    given = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="recollect-seeds-")
    try:
        ours = {program: f"{folder}/ours-{n}" for n, program in enumerate(given.program.split(","))}
        tasks = [fill_ours(program, home, given.size) for program, home in ours.items()]
        env = environment(folder, folder)
        bare = [measure.Candidate("python -I -S -c pass", measure.BARE, env),
                measure.Candidate("python -c pass", [measure.PYTHON, "-c", "pass"], env)]  # fmt: skip
        others = fill_seeds(given, folder) if given.memory_keeper else {}
        about = f"{given.size:,} memories, {given.rounds} rounds"
        for task in tasks[0]:
            if task.split()[0] not in given.only:
                continue
            rows = [
                measure.Candidate(f"{program[-24:]} {task}", commands[task],
                                  environment(home, home), after=partial(settle, home))
                for (program, home), commands in zip(ours.items(), tasks, strict=True)
            ]  # fmt: skip
            other = [others[task.split()[0]]] if others else []
            compare(f"{task}, {about}", [*other, *bare, *rows], given.rounds)
        if "worker" in given.only:
            rows = [worker(program, home) for program, home in ours.items()]
            compare(f"worker, {about}", [*bare, *rows], given.rounds)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
