"""Fuzz one target, or all of them one after the other.

    python -m tests.fuzz front-matter --seconds 600
    python -m tests.fuzz --seconds 60

With atheris (the extra `fuzz`) the run is guided by what it reaches; without it by our own mutations.
What breaks a promise is kept as `corpus/<target>/crash-…`, where the tests find it from then on.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

from tests.fuzz.mutating import Broke, explored
from tests.fuzz.targets import TARGETS

CORPUS = Path(__file__).parent / "corpus"


def seeds_of(name: str) -> list[bytes]:
    """What is kept for a target, by name."""
    return [file.read_bytes() for file in sorted((CORPUS / name).iterdir())]


def _with_atheris(name: str, seconds: int) -> int:
    code = (
        "import sys, atheris\n"
        "with atheris.instrument_imports(include=['recollect']):\n"
        "    from tests.fuzz.targets import TARGETS\n"
        f"atheris.Setup(sys.argv, TARGETS[{name!r}])\n"
        "atheris.Fuzz()\n"
    )
    found = Path(__file__).parent / ".found" / name
    found.mkdir(parents=True, exist_ok=True)
    crash = f"-artifact_prefix={CORPUS / name}/"
    limits = [f"-max_total_time={seconds}", "-max_len=4096", "-timeout=10", "-rss_limit_mb=2048"]
    command = [sys.executable, "-c", code, *limits, crash, str(found), str(CORPUS / name)]
    return subprocess.run(command, check=False).returncode


def _by_ourselves(name: str, seconds: int) -> int:
    seeds, until, seed, found = seeds_of(name), time.monotonic() + seconds, 0, 0
    while time.monotonic() < until:
        seed += 1
        try:
            new = explored(TARGETS[name], seeds, seed=seed, runs=500)
        except Broke as error:
            name_of_it = f"crash-{hashlib.sha256(error.data).hexdigest()[:12]}"
            (CORPUS / name / name_of_it).write_bytes(error.data)
            raise
        seeds += new
        found += len(new)
    sys.stdout.write(f"{name}: {seed * 500:,} runs, {found} that reached something new\n")
    return 0


def main() -> int:
    """Fuzz; the exit code is that of the last target that broke, or 0."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("target", nargs="*", choices=[[], *TARGETS])
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    given = parser.parse_args()
    run = _with_atheris if find_spec("atheris") else _by_ourselves
    codes = [run(name, given.seconds) for name in given.target or TARGETS]
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
