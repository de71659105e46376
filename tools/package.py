"""Build the packages and try them as a stranger would get them: `python -m tools.package [--only-build]`.

Builds sdist and wheel twice, in two folders, and compares them byte by byte; has twine check them; then, for
each Python from 3.11 to 3.13 that is there, installs the wheel in a bare environment and runs the demo and the
commands' transcripts there. Installing needs the package registry; without it this says that it was skipped, or fails
with RECOLLECT_REQUIRE_REGISTRY=1. What is built stays in dist/.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
VERSIONS = ("3.11", "3.12", "3.13")
EXTRAS = "crypto,embed,http"
TESTED = ("tests/transcripts", "tests/unit")
# A zip file cannot be older than 1980; without a commit, any fixed time will do.
FALLBACK_EPOCH = "1767225600"


class Failed(Exception):
    """A command that ended badly, with what it printed."""


def run(*words: str | Path, cwd: Path, **env: str) -> str:
    """What a command prints. Raises `Failed`."""
    kept = {
        name: os.environ[name]
        for name in os.environ
        if not name.startswith(("PYTHON", "RECOLLECT_"))
    }
    done = subprocess.run(  # noqa: S603 - our own tools
        [str(word) for word in words],
        cwd=cwd,
        env=kept | env,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise Failed(f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}")
    return done.stdout


def time_of_commit() -> str:
    """The time of the last commit, which the files of a package carry."""
    try:
        return run("git", "log", "-1", "--format=%ct", cwd=PROJECT).strip()
    except (Failed, OSError):
        return FALLBACK_EPOCH


def build(target: Path) -> dict[str, str]:
    """Build sdist and wheel into a folder; gives the hash of each by name."""
    shutil.rmtree(target, ignore_errors=True)
    run(
        sys.executable, "-m", "build", "--outdir", target, PROJECT,
        cwd=PROJECT, SOURCE_DATE_EPOCH=time_of_commit(),
    )  # fmt: skip
    return {
        one.name: hashlib.sha256(one.read_bytes()).hexdigest() for one in sorted(target.iterdir())
    }


def reproducible(target: Path) -> list[Path]:
    """The packages, built into `target` as often as it takes to know that they come out the same."""
    with tempfile.TemporaryDirectory() as scratch:
        first, second = build(Path(scratch) / "a"), build(target)
    if first != second:
        raise Failed(f"two builds of the same files differ: {first} {second}")
    run(
        sys.executable, "-m", "twine", "check", "--strict", *map(str, target.iterdir()), cwd=PROJECT
    )
    return sorted(target.iterdir())


def found(version: str) -> str:
    """A Python of this version that can make an environment: on the PATH, or one that pyenv has."""
    own = sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python"))
    for python in (f"python{version}", *map(str, own)):
        with suppress(Failed, OSError):
            run(python, "-c", "import ensurepip", cwd=PROJECT)
            return python
    return ""


def bare(python: str, wheel: Path, scratch: Path) -> Path:
    """The Python of a new environment that has the wheel, and pytest to test it."""
    run(python, "-m", "venv", scratch / "venv", cwd=scratch)
    own = scratch / "venv" / "bin" / "python"
    run(
        own,
        "-m",
        "pip",
        "install",
        "--quiet",
        f"{wheel}[{EXTRAS}]",
        "pytest>=8.4",
        "pytest-xdist>=3.6",
        "hypothesis>=6.100",
        cwd=scratch,
    )
    return own


def tried(python: Path, scratch: Path) -> str:
    """Run the demo and the tests with what is installed; gives the last line of the tests."""
    home = scratch / "home"
    home.mkdir()
    run(python.with_name("recollect"), "demo", cwd=home, HOME=str(home))
    # The tests alone: nothing of the checkout's source is in reach.
    for name in ("tests", "tools", "plugin", "docs", "bench"):
        shutil.copytree(
            PROJECT / name, scratch / "tree" / name, ignore=shutil.ignore_patterns("__pycache__")
        )
    for name in ("pyproject.toml", "README.md", "README.zh.md", "CHANGELOG.md", "Makefile"):
        shutil.copyfile(PROJECT / name, scratch / "tree" / name)
    printed = run(
        python,
        "-m",
        "pytest",
        "-n",
        "2",
        "-m",
        "not slow",
        *TESTED,
        cwd=scratch / "tree",
        HOME=str(home),
    )
    return printed.strip().splitlines()[-1]


def main() -> int:
    """Do it; gives the exit code."""
    try:
        packages = reproducible(PROJECT / "dist" / "packages")
    except Failed as failure:
        return _skipped(failure) if "No matching distribution" in str(failure) else _failed(failure)
    sys.stdout.write(
        "".join(
            f"{one.name}: {one.stat().st_size / 1e6:.1f} MB, twice the same\n" for one in packages
        )
    )
    if "--only-build" in sys.argv[1:]:
        return 0
    wheel = next(one for one in packages if one.suffix == ".whl")
    for python in filter(None, map(found, VERSIONS)):
        with tempfile.TemporaryDirectory() as scratch:
            try:
                own = bare(python, wheel, Path(scratch))
            except Failed as failure:
                return _skipped(failure)
            try:
                sys.stdout.write(f"{python}: {tried(own, Path(scratch))}\n")
            except Failed as failure:
                return _failed(failure)
    return 0


def _skipped(failure: Failed) -> int:
    sys.stdout.write(f"SKIPPED, for want of a network:\n{failure}\n")
    return 1 if os.environ.get("RECOLLECT_REQUIRE_REGISTRY") else 0


def _failed(failure: Failed) -> int:
    sys.stderr.write(f"{failure}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
