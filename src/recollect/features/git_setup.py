"""Prepare a store for git: ignore rules, merge driver, and a check of both.

Only `merge.recollect` settings change, through git. Existing lines of .gitignore and
.gitattributes stay. Nothing is removed from a commit or the index.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress

from recollect._fastimport import NamedTuple
from recollect.errors import ConflictNotFound, FileNotThere
from recollect.features import facts
from recollect.model import merge as threeway
from recollect.model.document import memory_from_text
from recollect.model.memory import Change, is_sealed_path
from recollect.store import disk as fsio
from recollect.store.store import OpenStore
from recollect.text.wordings import Wordings, settled, wordings_in
from recollect.workspace import Finding
from recollect.workspace import found as _found

LONGEST_SECONDS = 10
IGNORE, ATTRIBUTES = ".gitignore", ".gitattributes"
NAME, DRIVER = "merge.recollect.name", "merge.recollect.driver"
TITLE = "Recollect: memories, by field and by line"
MERGED = "*.md merge=recollect"
MOST_NAMED = 5
KEY = 12  # signs of the key of a place with two wordings
RULED = "conflicts"  # the cause of what a person settles
VIEWS = ("MEMORY.md", "facts.json", ".index.json", "skill-candidates.md", ".skill-candidates.json")
_RAW = ("/sessions/raw/", "/sessions/active/", "/journal/", "conversation.md")
_LINES: dict[str, dict[str, tuple[str, ...]]] = {
    IGNORE: {
        "# Kept out of git: what sessions said word for word, running sessions, the journal.": _RAW,
        "# Views: made from the memories, on each machine anew.": tuple(f"/{v}" for v in VIEWS),
    },
    ATTRIBUTES: {
        "# Memories merge by field and by line; `recollect init` installs the driver.": (
            MERGED,
            "*.md.age merge=recollect -text",
        ),
        "# Settings and lists merge by key.": (
            "/*.toml merge=recollect",
            "/*.json merge=recollect",
        ),
    },
}


class InGit(NamedTuple):
    """What became of a store's place in git, or would.

    `tracked` are files that are committed and should not be; only a person takes them out.
    """

    root: str
    files: list[str]  # made, or given lines that were missing
    driver: str  # installed, there, or why not: no-git, no-repository, refused
    tracked: list[str]


def prepare(root: str, *, dry_run: bool) -> InGit:
    """Give a store its `.gitignore` and `.gitattributes`, and its repository the merge driver."""
    files = [name for name in _LINES if _with_lines(root, name, dry_run=dry_run)]
    state = driver_of(root)
    if state in ("absent", "other"):
        state = "installed" if dry_run or _install(root) else "refused"
    return InGit(root, files, state, tracked(root))


def keep_out(root: str) -> None:
    """Give a store its `.gitignore` before anything is written there that git must not take along.

    One that has our lines, or had them before a person took some out, stays as it is.
    """
    text = ""
    with suppress(FileNotThere):
        text = fsio.read_file(os.path.join(root, IGNORE)).decode("utf-8", "surrogateescape")
    if os.path.isdir(root) and not any(heading in text for heading in _LINES[IGNORE]):
        _with_lines(root, IGNORE, dry_run=False)


def text_with(name: str, text: str) -> str:
    """A file of ours with the lines that it lacks, under their headings; else as it is."""
    have = {line.strip() for line in text.splitlines()}
    added = ""
    for heading, lines in _LINES[name].items():
        missing = [line for line in lines if line not in have]
        if missing:
            head = [] if heading in have else [heading]
            added += "".join(f"{line}\n" for line in (*head, *missing))
    return text + ("\n" if added and text and not text.endswith("\n") else "") + added


def _with_lines(root: str, name: str, *, dry_run: bool) -> bool:
    path = os.path.join(root, name)
    if os.path.lexists(path) and (os.path.islink(path) or not os.path.isfile(path)):
        return False
    old = fsio.read_file(path).decode("utf-8", "surrogateescape") if os.path.exists(path) else ""
    new = text_with(name, old)
    if new != old and not dry_run:
        fsio.write_whole(path, new.encode("utf-8", "surrogateescape"))
    return new != old


def command() -> str:
    """The driver: our program by its absolute path; git's own text merge where it is gone.

    Exit code 19 is that of encrypted memories that cannot be opened: git's text merge would break them.
    """
    main = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "__main__.py")
    ours = shlex.join([sys.executable, "-I", main, "merge-driver"])
    plain = "git merge-file -L ours -L base -L theirs %A %O %B || exit 1"
    return f"{ours} %O %A %B %P; c=$?; case $c in 0|19) exit $c;; esac; {plain}"


def driver_of(root: str) -> str:
    """`there`, `absent`, `other` (of another installation), or why not: `no-git`, `no-repository`."""
    found = _git(root, "rev-parse", "--is-inside-work-tree")
    if found is None:
        return "no-git"
    if found.strip() != "true":
        return "no-repository"
    known = (_git(root, "config", "--get", DRIVER) or "").rstrip("\n")
    return "there" if known == command() else "other" if known else "absent"


def _install(root: str) -> bool:
    done = [_git(root, "config", "--local", *row) for row in ((NAME, TITLE), (DRIVER, command()))]
    return None not in done and driver_of(root) == "there"


def remove(root: str, *, dry_run: bool) -> bool:
    """Take our driver out of the settings of a store's repository; whether it was there."""
    if not _git(root, "config", "--local", "--get", DRIVER):
        return False
    if not dry_run:
        _git(root, "config", "--local", "--remove-section", "merge.recollect")
    return True


def tracked(root: str) -> list[str]:
    """The files of a store that are committed though they are raw, or are views."""
    words = ("ls-files", "-z", "-c", "-i", "--exclude-standard", "--", ".")
    return sorted(path for path in (_git(root, *words) or "").split("\0") if path)


def has_files_of(root: str) -> bool:
    """Whether git has anything of a store; so it is where git cannot be asked."""
    return driver_of(root) == "no-git" or _git(root, "ls-files", "-z", "--", ".") != ""


def committed(root: str, folder: str) -> dict[str, int]:
    """The files in a folder of a store that git has, by their path in it, each with its size there.

    What of them is not behind that size came with the repository, and was not made here.
    """
    sizes = {}
    for row in (_git(root, "ls-files", "-s", "-z", "--", f"./{folder}") or "").split("\0"):
        about, _, path = row.partition("\t")
        if path:
            said = _git(root, "cat-file", "-s", about.split(" ")[1]) or ""
            sizes[path.removeprefix(f"{folder}/")] = int(said) if said.strip().isdecimal() else 0
    return sizes


def _git(root: str, *words: str) -> str | None:
    """What git says in the folder of a store; None where there is no git, or it was stopped.

    Nothing that a repository's settings name is run, and nothing fetched.
    """
    env = {
        k: v for k, v in os.environ.items() if not k.startswith("GIT_") or k == "GIT_CONFIG_GLOBAL"
    }
    safe = ("core.fsmonitor=false", "core.hooksPath=/dev/null", "protocol.allow=never")
    given = [word for setting in safe for word in ("-c", setting)]
    try:
        done = subprocess.run(  # noqa: S603 - a program that is looked for where the person's shell does
            ["git", *given, *words],  # noqa: S607
            cwd=root, env={**env, "LC_ALL": "C"}, stdin=subprocess.DEVNULL,
            capture_output=True, timeout=LONGEST_SECONDS, check=False,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", "surrogateescape") if done.returncode == 0 else ""


def repair(root: str) -> Iterator[Finding]:
    """Install the driver where the store asks for it; what was done."""
    if _is_asked_for(root) and driver_of(root) in ("absent", "other") and _install(root):
        yield _found("mended", "git", "installed the merge driver")


def _is_asked_for(root: str) -> bool:
    path = os.path.join(root, ATTRIBUTES)
    if not os.path.isfile(path) or os.path.islink(path):
        return False
    return "merge=recollect" in fsio.read_file(path).decode("utf-8", "replace")


def findings(store: OpenStore) -> Iterator[Finding]:
    """Conflict marks, wordings that stand twice, a driver that is missing, committed views."""
    root = store.files.root
    for seen in store.files.scan():
        text = store.files.read(seen.path).text
        marks = threeway.marks_in(text)
        if marks:
            yield _found(
                "problem",
                seen.path,
                "has conflict marks of git in lines {lines}: keep what holds, remove the marks, then `git add` it",
                lines=", ".join(map(str, marks[:MOST_NAMED])),
            )
        at = [place.line for place in wordings_in(text)]
        if at:
            yield _found(
                "note",
                seen.path,
                "two people changed the same lines and both wordings are kept; choose with `recollect conflicts`, or keep one and remove the comment in line {line}",
                line=", ".join(map(str, at[:MOST_NAMED])),
            )
    for fact in facts.numbered_twice(store):
        yield _found(
            "note",
            fact.path,
            "has the number of an older fact, as after a merge; `recollect doctor --repair` gives it a new one",
        )
    if _is_asked_for(root):
        yield from _driver(root)
    raw = tracked(root) if store.files.exists(IGNORE) else []
    if raw:
        yield _found(
            "note",
            "git",
            "committed, but raw or generated on each machine: {paths}; `git rm --cached` removes them from git and leaves the files",
            paths=", ".join(raw[:MOST_NAMED]),
        )


class Place(NamedTuple):
    """Two wordings that stand in a memory since a merge, under a key of their own."""

    key: str
    scope: str
    path: str
    said: Wordings

    def as_json(self) -> dict[str, str]:
        """The fields that a contradiction has; neither wording is the older one."""
        said = {"old": self.said.first, "new": self.said.second, "path": self.path}
        return {"id": self.key, **said, "why": "merged", "line": str(self.said.line)}


def places(store: OpenStore) -> Iterator[Place]:
    """The places where a merge kept two wordings, of which a person keeps one."""
    for seen in store.files.scan():
        if is_sealed_path(seen.path):
            continue
        text = store.files.read(seen.path).text
        for n, said in enumerate(wordings_in(text)):
            about = "\0".join((seen.path, str(n), said.first, said.second))
            key = fsio.stamp_of(about.encode("utf-8", "replace"))[:KEY]
            yield Place(key, store.scope, seen.path, said)


def keep(store: OpenStore, key: str, word: str, *, dry_run: bool) -> Place:
    """Keep the `first` or the `second` wording of a place, `both`, or `neither`.

    Raises:
        ConflictNotFound: no place has this key.
    """

    def found() -> Place:
        rows = [place for place in places(store) if key and place.key.startswith(key)]
        if len(rows) != 1:
            raise ConflictNotFound(id=key)
        return rows[0]

    def plan() -> list[Change]:
        place = found()
        document = store.files.read(place.path)
        text = settled(document.text, place.said.line, word)
        memory = memory_from_text(document.text, place.path).id
        return [Change("put", place.path, memory, document.stamp, text)]

    place = found()
    if not dry_run:
        store.commit(plan, cause=RULED)
    return place


def _driver(root: str) -> Iterator[Finding]:
    state = driver_of(root)
    if state == "there":
        yield _found("ok", "git", "memories are merged by field and by line")
    elif state in ("absent", "other"):
        yield _found(
            "problem",
            "git",
            "the merge driver is missing in this clone, or is from another installation; `recollect init` or `recollect doctor --repair` installs it",
        )
