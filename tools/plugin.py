"""Build the plugin that people install: `python -m tools.plugin [FOLDER]`, by default dist/plugin.

`recollect` is for Claude Code and Codex CLI, `gemini` for Gemini CLI.

It carries the program and what it depends on as plain Python files, so that it needs nothing from the
network and no `recollect` on the PATH: hooks, tools, skill and commands run with any Python ≥ 3.11.
The same checkout and the same installed versions give the same files.
"""

from __future__ import annotations

import importlib.metadata
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
PROGRAM = "recollect"
DISTRIBUTION = "recollect-memory"
MINILM = PROJECT / "packages" / "minilm" / "src" / "recollect_minilm"
NOT_CARRIED = re.compile(
    r"(^|/)(__pycache__|bin|[\w.-]+\.dist-info/(RECORD|INSTALLER|REQUESTED|direct_url\.json))(/|$)|\.(pyc|so|pyd|exe)$"
)


def dependencies_of(name: str) -> list[str]:
    """The distributions that `name` needs on this Python without any extra, sorted."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        for line in importlib.metadata.requires(waiting.pop()) or []:
            requirement, _, marker = line.partition(";")
            if marker:  # all that the program needs itself, it needs always
                continue
            needed = re.split(r"[\s<>=!~(\[]", requirement.strip(), maxsplit=1)[0]
            if needed not in found:
                found.add(needed)
                waiting.append(needed)
    return sorted(found, key=str.lower)


def carried(name: str) -> Iterator[tuple[Path, str]]:
    """The files of an installed distribution: where each is, and its path below `lib`."""
    for one in importlib.metadata.files(name) or []:
        inside = one.as_posix()
        if not inside.startswith("..") and not NOT_CARRIED.search(inside):
            yield Path(one.locate()), inside


def build(target: Path) -> list[str]:
    """Make the folder anew, and say which distributions it carries."""
    shutil.rmtree(target, ignore_errors=True)
    skipped = shutil.ignore_patterns("__pycache__", "*.pyc")
    shutil.copytree(PROJECT / "plugin", target, ignore=skipped)
    lib = target / PROGRAM / "lib"
    shutil.copytree(PROJECT / "src" / PROGRAM, lib / PROGRAM, ignore=skipped)
    shutil.copytree(MINILM, lib / MINILM.name, ignore=skipped)
    # What `init` installs for other clients comes from the plugin itself.
    shutil.copytree(PROJECT / "plugin", lib / PROGRAM / "plugin", ignore=skipped)
    names = dependencies_of(DISTRIBUTION)
    for name in names:
        for source, inside in carried(name):
            (lib / inside).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, lib / inside)
    _make_extension(target)
    return names


def _make_extension(target: Path) -> None:
    """Complete the extension for Gemini CLI, which takes one folder with all that is in it."""
    extension = target / "gemini"
    for name in ("bin", "lib", "skills"):
        shutil.copytree(target / PROGRAM / name, extension / name)
    shutil.copyfile(target / PROGRAM / "find.sh", extension / "find.sh")


def main() -> None:
    """Build, and say what came of it."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else PROJECT / "dist" / "plugin"
    names = build(target)
    size = sum(path.stat().st_size for path in target.rglob("*") if path.is_file())
    print(f"{target}: {size / 1e6:.1f} MB, with {', '.join(names)}")  # noqa: T201


if __name__ == "__main__":
    main()
