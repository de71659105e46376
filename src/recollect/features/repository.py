"""A store in a git repository: ignore rules, merge driver, and whose words the store says.

Only `merge.recollect` settings change, through git. Existing lines of .gitignore and .gitattributes stay.
Nothing is removed from a commit or the index. A store that came with a clone or an archive is told as
the repository's (trust external) until the person accepts it on this machine; what is written here is
believed all along. With `review.pulls = listed` that goes for whatever comes into an accepted store by
another way than a command. The notes lie outside of the store.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial

from recollect import workspace
from recollect._fastimport import NamedTuple
from recollect.errors import (
    ConflictNotFound,
    FileNotThere,
    RecollectError,
    SettingProblem,
    StoreNotFound,
)
from recollect.features import facts, trusted_texts
from recollect.features.trusted_texts import Believed
from recollect.model.document import body_of, memory_from_text, with_body
from recollect.model.entries import is_conversation
from recollect.model.memory import Change, Filter, Op, is_sealed_path
from recollect.model.merge import RULINGS, Wordings, marks_in, with_one_wording, wordings_in
from recollect.store import disk, locations, repositories
from recollect.store import settings as config
from recollect.store.files import MarkdownStore
from recollect.store.journal import FolderJournal
from recollect.store.locations import KNOWN
from recollect.store.refresh import refresh
from recollect.store.store import OpenStore
from recollect.workspace import Finding, Workspace, look_of

LONGEST_SECONDS = 10
SUBMODULE = "160000 "
IGNORE, ATTRIBUTES = ".gitignore", ".gitattributes"
NAME, DRIVER = "merge.recollect.name", "merge.recollect.driver"
TITLE = "Recollect: memories, by field and by line"
MERGED = "*.md merge=recollect"
MOST_NAMED = 5
KEY = 12  # signs of the key of a place with two wordings
PINS = "pins.json"
RULED = "conflicts"  # the cause of what a person settles
VIEWS = ("MEMORY.md", "facts.json", ".index.json", "skill-candidates.md", ".skill-candidates.json")
_RAW = ("/sessions/raw/", "/sessions/active/", "/journal/", "conversation.md")
_LINES: dict[str, dict[str, tuple[str, ...]]] = {
    IGNORE: {
        "# Kept out of git: what sessions said word for word, running sessions, the journal.": _RAW,
        "# Views: rebuilt from the memories on each machine.": tuple(f"/{v}" for v in VIEWS),
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


class GitSetupResult(NamedTuple):
    """What became of a store's place in git, or would.

    `tracked` are files that are committed and should not be; only a person takes them out.
    """

    root: str
    files: list[str]  # made, or given lines that were missing
    driver: str  # installed, there, or why not: no-git, no-repository, refused
    tracked: list[str]


def prepare(root: str, *, dry_run: bool) -> GitSetupResult:
    """Give a store its `.gitignore` and `.gitattributes`, and its repository the merge driver."""
    files = [name for name in _LINES if _with_lines(root, name, dry_run=dry_run)]
    state = driver_of(root)
    if state in ("absent", "other"):
        state = "installed" if dry_run or _install(root) else "refused"
    return GitSetupResult(root, files, state, tracked_files(root))


def keep_out(root: str) -> None:
    """Give a store its `.gitignore` before anything is written there that git must not take along.

    One that has our lines, or had them before a person took some out, stays as it is.
    """
    text = ""
    with suppress(FileNotThere):
        text = disk.read_file(os.path.join(root, IGNORE)).decode("utf-8", "surrogateescape")
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
    old = disk.read_file(path).decode("utf-8", "surrogateescape") if os.path.exists(path) else ""
    new = text_with(name, old)
    if new != old and not dry_run:
        disk.write_whole(path, new.encode("utf-8", "surrogateescape"))
    return new != old


def command() -> str:
    """The driver: our program by its absolute path; git's own text merge where it is gone.

    Exit code 19 is that of encrypted memories that cannot be opened: git's text merge would break them.
    """
    ours = shlex.join([sys.executable, "-I", f"{workspace.PACKAGE}/__main__.py", "merge-driver"])
    plain = "git merge-file -L ours -L base -L theirs %A %O %B || exit 1"
    return f"{ours} %O %A %B %P; c=$?; case $c in 0|19) exit $c;; esac; {plain}"


def driver_of(root: str) -> str:
    """`there`, `absent`, `other` (of another installation), or why not: `no-git`, `no-repository` that git reads."""
    found = _git(root, "rev-parse", "--is-inside-work-tree")
    if found is None:
        return "no-git"
    index = ask_git(root, "ls-files", "--", IGNORE)
    if found.strip() != "true" or index is None or index.returncode:
        return "no-repository"
    known = (_git(root, "config", "--get", DRIVER) or "").rstrip("\n")
    return "there" if known == command() else "other" if known else "absent"


def _install(root: str) -> bool:
    done = [_git(root, "config", "--local", *row) for row in ((NAME, TITLE), (DRIVER, command()))]
    return None not in done and driver_of(root) == "there"


def remove_driver(root: str, *, dry_run: bool) -> bool:
    """Take our driver out of the settings of a store's repository; whether it was there."""
    if not _git(root, "config", "--local", "--get", DRIVER):
        return False
    if not dry_run:
        _git(root, "config", "--local", "--remove-section", "merge.recollect")
    return True


def tracked_files(root: str) -> list[str]:
    """The files of a store that are committed though they are raw, or are views."""
    words = ("ls-files", "-z", "-c", "-i", "--exclude-standard", "--", ".")
    return sorted(path for path in (_git(root, *words) or "").split("\0") if path)


def committed(root: str, folder: str) -> dict[str, int]:
    """The files in a folder of a store that git has, by their path in it, each with how much it has.

    What of them is not behind that size came with the repository, and was not made here. On some
    disks `Journal` is the folder, too.
    """
    sizes: dict[str, int] = {}
    blobs: list[tuple[str, str]] = []
    words = ("ls-files", "-s", "-z", "--", f":(icase){folder}")
    for row in (_git(root, *words) or "").split("\0"):
        about, _, path = row.partition("\t")
        if about.startswith(SUBMODULE):
            for name, size in trusted_texts.sizes_in(f"{root}/{path}").items():
                sizes[f"{path}/{name}"[len(folder) + 1 :]] = size
        elif path:
            blobs.append((path, about.split(" ")[1]))
    asked = "".join(f"{blob}\n" for _, blob in blobs)
    told = ask_git(root, "cat-file", "--batch-check", given=asked.encode()) if blobs else None
    lines = told.stdout.decode().splitlines() if told else []
    for (path, blob), line in zip(blobs, [*lines, *[""] * len(blobs)], strict=False):
        last = line.rpartition(" ")[2]
        size = int(last) if last.isdecimal() else 0
        sizes[path[len(folder) + 1 :]] = trusted_texts.brought(f"{root}/{path}", blob, size)
    return sizes


def _git(root: str, *words: str) -> str | None:
    """What git says in the folder of a store; None where there is no git, or it was stopped."""
    done = ask_git(root, *words)
    if done is None:
        return None
    return done.stdout.decode("utf-8", "surrogateescape") if done.returncode == 0 else ""


def ask_git(
    root: str, *words: str, given: bytes = b""
) -> subprocess.CompletedProcess[bytes] | None:
    """What came of a command of git in a folder; None where there is no git, or it was stopped.

    Nothing that a repository's settings name is run, and nothing fetched.
    """
    env = {
        k: v for k, v in os.environ.items() if not k.startswith("GIT_") or k == "GIT_CONFIG_GLOBAL"
    }
    safe = ("core.fsmonitor=false", "core.hooksPath=/dev/null", "protocol.allow=never")
    options = [word for setting in safe for word in ("-c", setting)]
    try:
        return subprocess.run(  # noqa: S603 - a program that is looked for where the person's shell does
            ["git", *options, *words],  # noqa: S607
            cwd=root, env={**env, "LC_ALL": "C"}, input=given,
            capture_output=True, timeout=LONGEST_SECONDS, check=False,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return None


def repair_driver(root: str) -> Iterator[Finding]:
    """Install the driver where the store asks for it; what was done."""
    if _is_asked_for(root) and driver_of(root) in ("absent", "other") and _install(root):
        yield Finding.mended("git", "installed the merge driver")


def _is_asked_for(root: str) -> bool:
    path = os.path.join(root, ATTRIBUTES)
    if not os.path.isfile(path) or os.path.islink(path):
        return False
    return "merge=recollect" in disk.read_file(path).decode("utf-8", "replace")


def git_findings(store: OpenStore, *, is_connected: bool) -> Iterator[Finding]:
    """Conflict marks, wordings that stand twice, a driver that is missing, committed views.

    Where no client is connected, as after `uninstall`, a missing driver is no problem.
    """
    root = store.root
    for seen in store.files.scan():
        if is_conversation(seen.path):  # git does not merge it; marks in it are quoted
            continue
        text = store.files.read(seen.path).text
        yield from _unmerged(seen.path, text)
        at = [place.line for place in wordings_in(text)]
        if at:
            yield Finding.note(
                seen.path,
                "two people changed the same lines and both wordings are kept; choose with `recollect conflicts`, or keep one and remove the comment in line {line}",
                line=", ".join(map(str, at[:MOST_NAMED])),
            )
    for fact in facts.numbered_twice(store):
        yield Finding.note(
            fact.path,
            "has the number of an older fact, as after a merge; `recollect doctor --repair` gives it a new one",
        )
    if _is_asked_for(root):
        yield from _driver_findings(root, is_connected=is_connected)
    # What came along and waits is known as such by git's having it.
    is_own = store.files.believed is None
    raw = tracked_files(root) if is_own and store.files.exists(IGNORE) else []
    if raw:
        yield Finding.note(
            "git",
            "committed, but raw or generated on each machine: {paths}; `git rm --cached` removes them from git and leaves the files",
            paths=", ".join(raw[:MOST_NAMED]),
        )


def _unmerged(path: str, text: str) -> Iterator[Finding]:
    """That a page has conflict marks of git, if so."""
    if marks := marks_in(text):
        more = ["…"] * (len(marks) > MOST_NAMED)
        yield Finding.problem(
            path,
            "has conflict marks of git in lines {lines}: keep what holds, remove the marks, then `git add` it",
            lines=", ".join([*map(str, marks[:MOST_NAMED]), *more]),
        )


class MergedPlace(NamedTuple):
    """Two wordings that stand in a memory since a merge, under a key of their own."""

    key: str
    scope: str
    path: str
    said: Wordings

    def as_json(self) -> dict[str, str]:
        """The fields that a contradiction has; neither wording is the older one."""
        said = {"old": self.said.first, "new": self.said.second, "path": self.path}
        return {"id": self.key, **said, "why": "merged", "line": str(self.said.line)}


def left_by_merges(store: OpenStore) -> Iterator[MergedPlace | Finding]:
    """What a merge left to a person: places with two wordings, and pages with conflict marks of git."""
    for seen in store.files.scan():
        if is_sealed_path(seen.path) or is_conversation(seen.path):
            continue
        text = store.files.read(seen.path).text
        yield from _unmerged(seen.path, text)
        for n, said in enumerate(wordings_in(text)):
            about = "\0".join((seen.path, str(n), said.first, said.second))
            key = disk.stamp_of(about.encode("utf-8", "replace"))[:KEY]
            yield MergedPlace(key, store.scope, seen.path, said)


def keep_wording(store: OpenStore, key: str, word: str, *, dry_run: bool) -> MergedPlace:
    """Keep the `first` or the `second` wording of a place, `both`, or `neither`.

    Raises ConflictNotFound.
    """

    def found() -> MergedPlace:
        places = (one for one in left_by_merges(store) if isinstance(one, MergedPlace))
        rows = [place for place in places if key and place.key.startswith(key)]
        if len(rows) != 1:
            raise ConflictNotFound(id=key)
        return rows[0]

    def plan() -> list[Change]:
        place = found()
        document = store.files.read(place.path)
        text = with_one_wording(document.text, place.said.line, word)
        text = with_body(text, body_of(text))  # without the footnotes of the wording that goes
        memory = memory_from_text(document.text, place.path).id
        return [Change("put", place.path, memory, document.stamp, text)]

    place = found()
    if not dry_run:
        store.commit(plan, cause=RULED)
    return place


def _driver_findings(root: str, *, is_connected: bool) -> Iterator[Finding]:
    state = driver_of(root)
    if state == "there":
        yield Finding.ok("git", "memories are merged by field and by line")
    elif state == "absent" and not is_connected:
        yield Finding.note(
            "git",
            "no merge driver in this clone: git merges memories as plain text; `recollect init` installs it",
        )
    elif state in ("absent", "other"):
        yield Finding.problem(
            "git",
            "the merge driver is missing in this clone, or is from another installation; `recollect init` or `recollect doctor --repair` installs it",
        )


# ------------------------------------------------------------------------ whose words a store says


LISTED = "listed"  # what is pulled into an accepted store is believed no more than that


def open_doubted(app: Workspace, store: OpenStore) -> None:
    """Have a store believe only what it should."""
    known = believed_in(app, store.root)
    store.files.believed = known
    store.ledger.wrote = None
    if known is not None:
        store.ledger.wrote = partial(_wrote, app, store.root, known)


def _wrote(app: Workspace, root: str, known: Believed, ops: Sequence[Op]) -> None:
    known.wrote(ops, partial(config.stamps, root))
    # Where the note cannot be written, the mark alone says it to the next command.
    if known.waits and _state(*locations.note_of(root, app.env)) in ("", locations.ASKED):
        trusted_texts.mark(root, app.writer)


def believed_in(app: Workspace, root: str, *, is_new: bool = False) -> Believed | None:
    """The texts of a project's store that are believed; None stands for all.

    In a store that `is_new`, made just now, only what git has may come along.
    """
    is_listed = _lists_pulls(app, root)
    path, mark = locations.note_of(root, app.env)
    if not path:
        return Believed("") if is_listed or _came(app, root) else None
    state, earlier = _state(path, mark), ""
    if not state:
        state, earlier = _noted_before(app, root)
        came = not state and (bool(tracked(root)) if is_new else _came(app, root))
        state = state or (locations.ASKED if came else locations.ACCEPTED)
        for end in (KNOWN, locations.CAME):
            with suppress(RecollectError):  # of another one that was here
                disk.remove(f"{path}{end}")
        in_git = tracked(root) is not None
        if state == locations.ASKED:
            trusted_texts.note_sizes(
                path, trusted_texts.noted_sizes(earlier) or _sizes(root, in_git=in_git)
            )
        _write_note(app, path, f"{mark}{state}")
        if state == locations.ASKED and not earlier and in_git:
            written = Believed(f"{path}{KNOWN}")  # in the place that this is a copy of
            written.wrote_before(root, app.writer, committed(root, "journal"))
    known = Believed(f"{path}{KNOWN}")
    if earlier:
        known.take(Believed(f"{earlier}{KNOWN}"))
    if state == locations.ASKED:
        trusted_texts.mark(root, app.writer)
        sizes = partial(_sizes, root, in_git=True)  # what was pulled since may leave git again
        trusted_texts.note_pulled(path, repositories.repository_of(root), sizes)
        known.waits = True
        return known
    wanted = LISTED if is_listed else locations.ACCEPTED
    if state != wanted and _write_note(app, path, f"{mark}{wanted}") and is_listed:
        known.take(_stamps_of(root))  # what comes from now on waits
    return known if is_listed else None


def _noted_before(app: Workspace, root: str) -> tuple[str, str]:
    """The state, and its note, from before there was a repository, or a move."""
    alone = locations.note_of(root, app.env, is_alone=True)
    moved = locations.note_before_move(root, app.env)
    # Outside git an inode alone says too little to believe anything.
    sure = (alone, moved) if repositories.repository_of(root) else (alone,)
    for path, mark in (alone, moved):
        if (state := _state(path, mark)) and (state == locations.ASKED or (path, mark) in sure):
            return state, path
    return "", ""


def _lists_pulls(app: Workspace, root: str) -> bool:
    """Whether what is pulled waits for a person's word: as they say, or else the store's file."""
    own = {config.PULLS: config.SETTINGS[config.PULLS].default} | app.own_settings()
    with suppress(SettingProblem):
        return config.narrowed(own | config.load(root), own)[config.PULLS] == LISTED
    return own[config.PULLS] == LISTED


def is_asked(app: Workspace, root: str) -> bool:
    """Whether a store came along and was not accepted; not whether one that was waits with a pull."""
    path, mark = locations.note_of(root, app.env)
    return not path or _state(path, mark) == locations.ASKED


def _state(path: str, mark: str) -> str:
    """What a note says; nothing where there is none, or it is about another store."""
    line = locations.line_of(path) if path else ""
    return line.removeprefix(mark) if mark and line.startswith(mark) else ""


def _write_note(app: Workspace, path: str, line: str) -> bool:
    """Write the note; False where that cannot be done."""
    if not path:
        return False
    with suppress(RecollectError):
        disk.make_folder(os.path.dirname(path))
        disk.write_whole(path, f"{line}\n".encode("utf-8", "surrogateescape"))
        app.looks[path] = look_of(path, "!")
        return True
    return False


def _stamps_of(root: str) -> Iterator[str]:
    files = MarkdownStore(root, "")
    for path in (RULINGS, PINS, *(seen.path for seen in files.scan())):
        with suppress(RecollectError):
            yield files.stamp(path) or ""
    yield from config.stamps(root)


def _came(app: Workspace, root: str) -> bool:
    """Whether a store has something that this machine did not write: in a repository, that git has."""
    if trusted_texts.is_marked(root, app.writer):
        return True
    in_git = tracked(root)
    if mine := trusted_texts.own_segments(root, app.writer):
        known = committed(root, "journal") if in_git is not None else {}
        if any(name not in known for name in mine):
            return False
    if in_git is None:
        journal = FolderJournal(root, app.writer).op_files()
        there = journal or os.path.lexists(config.path_of(root))
        return bool(there) or any(MarkdownStore(root, "").scan())
    return bool(in_git)


def tracked(root: str) -> bytes | None:
    """The names of what git has of a store; None where it cannot say: no repository, or one that it refuses."""
    done = ask_git(root, "ls-files", "-z", "--", ".") if repositories.repository_of(root) else None
    return done.stdout if done is not None and done.returncode == 0 else None


def came_along(app: Workspace, root: str, folder: str) -> dict[str, int]:
    """The files in a folder of a store that came with it, by their path in it, each with its size."""
    sizes = _sizes_of(root, folder, in_git=True) if repositories.repository_of(root) else {}
    for is_alone in (True, False):  # a folder without git, or what git had when it was first seen
        path, mark = locations.note_of(root, app.env, is_alone=is_alone)
        noted = trusted_texts.noted_sizes(path) if _state(path, mark) else {}
        for name, size in noted.items():
            if name.startswith(f"{folder}/"):
                sizes.setdefault(name.removeprefix(f"{folder}/"), size)
    return sizes


def _sizes_of(root: str, folder: str, *, in_git: bool) -> dict[str, int]:
    """How much came along of the files in a folder: what git has of them, or all."""
    above, _, name = os.path.normpath(f"{root}/{folder}").rpartition("/")
    return committed(above, name) if in_git else trusted_texts.sizes_in(f"{above}/{name}")


def _sizes(root: str, *, in_git: bool) -> dict[str, int]:
    found = ((folder, _sizes_of(root, folder, in_git=in_git)) for folder in trusted_texts.FOLDERS)
    return {f"{folder}/{name}": n for folder, sizes in found for name, n in sizes.items()}


def count_doubted(store: OpenStore) -> int:
    """How many memories of a store are trusted only as the repository's."""
    return sum(not store.files.is_own(one.stamp) for one in store.index.entries(Filter()))


def count_unaccepted(app: Workspace, *, scope: str = "") -> int:
    """How many memories came with the project's store and wait to be accepted."""
    return sum(count_doubted(one) for one in app.stores(scope) if one.files.believed is not None)


def decide_trust(app: Workspace, *, accept: bool, dry_run: bool) -> tuple[str, int]:
    """`(store, memories)`: have this person accept the store of their project, or no more.

    Raises StoreNotFound, UsageProblem.
    """
    what = "Only a person decides what is trusted: run it in your own terminal."
    workspace.require_person(app.env, "review", what)
    store = app.store()
    root = store.root
    path, mark = locations.note_of(root, app.env)
    if locations.is_private(root) or not path:
        raise StoreNotFound(where=app.project_folder)
    count = count_doubted(store) if accept else len(store.index.entries(Filter()))
    if dry_run:
        return root, count
    known = Believed(f"{path}{KNOWN}")
    if accept:
        known.take(_stamps_of(root))
    else:
        disk.remove(f"{path}{KNOWN}")
    _write_note(app, path, f"{mark}{locations.ACCEPTED if accept else locations.ASKED}")
    if accept:
        trusted_texts.unmark(root, app.writer)
    app.close()
    app.publish_or_ask(app.store())
    return root, count


def believe(store: OpenStore, names: Iterable[str]) -> None:
    """Believe what these memories say now; of one that a section is named of, a person read no more."""
    known = store.files.believed
    if isinstance(known, Believed):
        entries = [entry for name in names if (entry := store.index.entry(name))]
        known.take(store.files.stamp(entry.path) or "" for entry in entries)
        refresh(store.files, store.index, store.now_ns)


def trust_findings(app: Workspace) -> Iterator[Finding]:
    """The stores around that are not used, and why; how much of the project's is not believed."""
    for path, why in locations.stores_around(app.folder, app.env):
        if why == locations.LINK:
            yield Finding.problem(
                "store",
                "{path} is not used: it is a symbolic link, is in one, or has one or another repository among its own folders",
                path=path,
            )
        elif why == locations.OWNER:
            yield Finding.problem(
                "store", "{path} is not used: it belongs to another user", path=path
            )
        elif path == app.roots.get("project"):
            count = count_doubted(app.store())
            if count:
                yield Finding.note(
                    "store",
                    "memories that came with the project: {n}; agents are not told them until you accept them with `recollect review --repository accept`",
                    n=count,
                )
            stamp = app.store().text_at(PINS)[1]
            if stamp is not None and not app.store().files.is_own(stamp):
                yield Finding.note(
                    "store",
                    "pointers that came with the project get into no CLAUDE.md until you accept them with `recollect review --repository accept`",
                )
