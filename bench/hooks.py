"""Hooks as whole processes, against a bare interpreter in the same run.

`python -m bench.hooks [--sizes 10000,100000] [--rounds 40] [--keep FOLDER]`
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

from bench import corpus, measure

HOOK = os.path.join(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "src", "recollect", "hook.py"
)


def environment(home: str, project: str) -> dict[str, str]:
    """What a client would give the hook."""
    return {"PATH": "/usr/bin:/bin", "HOME": home, "LANG": "C.UTF-8", "CLAUDE_PROJECT_DIR": project}


def payload(event: str, project: str, **fields: object) -> bytes:
    """A payload in the client's shape."""
    base = {"session_id": "8c4e6e0e-1f0e-4b6e-9a55-000000000001",
            "transcript_path": f"{project}/none.jsonl", "cwd": project,
            "hook_event_name": event}  # fmt: skip
    return json.dumps(base | fields).encode()


def prepare(folder: str, size: int) -> tuple[str, str]:
    """A home and a project whose store has `size` notes, indexed."""
    home, project = os.path.join(folder, f"home-{size}"), os.path.join(folder, f"project-{size}")
    for path in (home, project):
        os.makedirs(path, exist_ok=True)
    root = os.path.join(project, ".claude", "memory")
    env, program = environment(home, project), [sys.executable, "-m", "recollect", "-C", project]
    command = [*program, "init", "--scope", "project"]  # else it counts as unpacked from an archive
    subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL)
    corpus.write_store(root, size)
    started = time.perf_counter()
    command = [*program, "rebuild-index"]
    subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL)
    print(f"{size:,} notes indexed in {time.perf_counter() - started:.1f} s", flush=True)
    return home, project


def settle(home: str) -> None:
    """Wait until the worker that a hook started is gone."""
    cache = os.path.join(home, ".cache", "recollect")
    for _ in range(2000):
        marks = [
            os.path.join(cache, d, m) for d in os.listdir(cache) for m in ("pending", "working")
        ]
        if not any(map(os.path.exists, marks)):
            return
        time.sleep(0.005)


def candidates(home: str, project: str, size: int) -> list[measure.Candidate]:
    """The hooks of a session in a store of that size."""
    env = environment(home, project)
    questions = corpus.cues(40, size)

    def hook(event: str) -> list[str]:
        return [measure.PYTHON, "-I", "-S", HOOK, "claude", event]

    def wait() -> None:
        settle(home)

    tool = payload("PostToolUse", project, tool_name="Bash", tool_input={"command": "make"},
                   tool_response={"stdout": "x" * 2000, "stderr": ""})  # fmt: skip
    start = payload("SessionStart", project, source="startup")
    stop = payload("Stop", project, last_assistant_message="Done.")

    def asked(n: int) -> bytes:
        # A session of its own each time, so that nothing is left out for having been given before.
        text = questions[n % len(questions)]
        return payload("UserPromptSubmit", project, prompt=text, session_id=f"bench-{n:08}")

    return [
        measure.Candidate("PostToolUse (record)", hook("PostToolUse"), env, lambda _: tool),
        measure.Candidate("Stop (record, start worker)", hook("Stop"), env, lambda _: stop, wait),
        measure.Candidate("SessionStart (brief)", hook("SessionStart"), env, lambda _: start, wait),
        measure.Candidate(f"UserPromptSubmit ({size:,})", hook("UserPromptSubmit"), env, asked),
    ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--sizes", default="10000,100000")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--keep", default="", help="a folder to keep the stores in")
    given = parser.parse_args()
    folder = given.keep or tempfile.mkdtemp(prefix="recollect-bench-")
    try:
        for size in map(int, given.sizes.split(",")):
            home, project = prepare(folder, size)
            rows = measure.compare(candidates(home, project, size), given.rounds)
            limits = {"PostToolUse (record)": 1.5, "Stop (record, start worker)": 1.5,
                      "SessionStart (brief)": 2.0, "UserPromptSubmit (10,000)": 2.0,
                      "UserPromptSubmit (100,000)": 2.8}  # fmt: skip
            measure.table(f"Hooks, {size:,} memories, {given.rounds} rounds", rows, limits)
    finally:
        if not given.keep:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
