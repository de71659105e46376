"""The write protocol on a real disk: in which order it writes, and what a refusing disk does to it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from recollect.capture import save_memory as save
from recollect.capture.save_memory import Draft
from recollect.errors import LocksUnsupported, RecollectError, StorageFailed
from recollect.features import memories as writing
from recollect.store.history import undo
from recollect.store.store import OpenStore

from .faults import disk_that, from_then_on, never, once
from .project import Project

Command = Callable[[OpenStore], object]
Copies = Iterator[Project]


def talk(store: OpenStore) -> None:
    """A change of three files: the conversation, its summary and .gitignore."""
    save.save(
        store,
        Draft("A talk", "Said.", layer="episodic", conversation="### User [1:00]\n", private=True),
    )


COMMANDS: dict[str, Command] = {
    "save": lambda store: save.save(store, Draft("New fact", "It is new.", kind="fact")),
    "save a talk": talk,
    "save a rule": lambda store: save.save(store, Draft("New rule", "Do it.", kind="rule")),
    "edit": lambda store: writing.edit(store, "one", append="More."),
    "set": lambda store: writing.set_fields(store, "by-hand", {"salience": "high"}),
    "forget": lambda store: writing.forget(store, "talk"),
    "undo": lambda store: undo(store, "one"),
}
every_command = pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)


@pytest.fixture(scope="module")
def start(quick_folder: Path) -> Project:
    """A store with a history, which every test gets a copy of."""
    project = Project(quick_folder / "start")
    project.write("semantic/by-hand.md", "# By hand\n\nA person wrote this.\n")
    project.write("episodic/talk/summary.md", "# Talk\n")
    project.write("episodic/talk/conversation.md", "### User [1:00]\n\nHi.\n")
    with project.opened() as store:
        save.save(store, Draft("One", "First.", kind="fact"))
        writing.edit(store, "one", append="Second.")
        save.save(store, Draft("A rule", "Keep it.", kind="rule"))
    return project


@pytest.fixture
def copies(start: Project, tmp_path: Path, quick_folder: Path) -> Copies:
    """Copies of the store, one for each try."""
    folder = quick_folder / tmp_path.name

    def make() -> Iterator[Project]:
        for n in count():
            shutil.rmtree(folder / str(n - 1), ignore_errors=True)
            copy = Project(folder / str(n))
            shutil.rmtree(copy.folder)
            shutil.copytree(start.folder, copy.folder)
            yield copy

    return make()


# --------------------------------------------------------------------------------------- the order


CHANGING = ("write", "fsync", "fdatasync", "rename", "link", "unlink", "mkdir", "ftruncate")


def trace(project: Project, command: Command) -> list[str]:
    """The calls of a command that change the store or make it durable, and what they are about."""
    with project.opened() as store:
        save.save(store, Draft("Before", "It makes the key of this machine.", kind="fact"))
        with disk_that(never) as disk:
            command(store)
    here = [call for call in disk.calls if call[1].startswith(str(project.root))]
    return [f"{name} {_kind(path)}" for name, path in here if name in CHANGING]


def _kind(path: str) -> str:
    kinds = {".tmp": "temp", ".jsonl": "journal", ".md": "memory"}
    return kinds.get(Path(path).suffix, "folder")


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        (
            "save",
            [
                "write journal", "fdatasync journal", "write temp", "fsync temp", "link memory",
                "unlink temp", "fsync folder", "write journal",
            ],
        ),
        (
            "edit",
            [
                "write journal", "fdatasync journal", "write temp", "fsync temp", "rename memory",
                "fsync folder", "write journal",
            ],
        ),
        (
            "forget",
            [
                "write journal", "fdatasync journal", "unlink memory", "unlink memory",
                "fsync folder", "write journal",
            ],
        ),
    ],
)  # fmt: skip
def test_the_journal_is_durable_before_the_file_and_the_folder_before_the_mark(
    copies: Copies, command: str, wanted: list[str]
) -> None:
    assert trace(next(copies), COMMANDS[command]) == wanted


# ------------------------------------------------------------------------------- a disk that refuses


def journal_is_clean(store: OpenStore) -> bool:
    store.journal.ops()
    return store.journal.problems == []


def outcome(project: Project, command: Command) -> bool:
    """Run a command against the disk as it is; True if it says that all went well."""
    with project.opened() as store:
        command(store)
    return True


def after(copies: Copies, command: Command) -> dict[str, bytes]:
    """The files as the command leaves them on a disk that refuses nothing."""
    project = next(copies)
    outcome(project, command)
    return project.files()


def tried(project: Project, command: Command, fails: Callable[[int, str], str]) -> tuple[bool, int]:
    """Whether the command said that all went well, and how many calls it made."""
    with project.opened() as store, disk_that(fails) as disk:
        try:
            command(store)
        except RecollectError:
            return False, len(disk.calls)
        return True, len(disk.calls)


def shape(files: dict[str, bytes]) -> dict[str, int]:
    """The files by name with their sizes: times differ between two runs of a command.

    Two entries of one minute share a footnote, so footnotes are left out.
    """
    return {path: len(_FOOTNOTE.sub(b"", data)) for path, data in files.items()}


_FOOTNOTE = re.compile(rb" ?\[\^\w+\](?::.*\n)?")


def refuse_each_call(copies: Copies, command: Command, hows: tuple[str, ...]) -> int:
    """Refuse one call after the other; gives how often the command said that it failed."""
    before, wanted = next(copies).files(), shape(after(copies, command))
    refused = 0
    for n in count(1):
        how = hows[n % len(hows)]
        project = next(copies)
        went_well, calls = tried(project, command, once(n, how))
        if n > calls:
            break
        about = f"{how} at call {n} of {calls}"
        if went_well:
            assert shape(project.files()) == wanted, about
        else:
            refused += 1
            assert project.files() == before, about
        with project.opened() as store:
            assert store.redone == [], about
            assert shape(project.files()) == (wanted if went_well else shape(before)), about
            if not went_well:
                command(store)
                assert shape(project.files()) == wanted, about
            assert journal_is_clean(store), about
            assert not [seen.path for seen in store.files.scan() if ".tmp" in seen.path]
    return refused


@pytest.mark.slow
@pytest.mark.parametrize("command", ["save", "save a talk", "edit", "set", "forget", "undo"])
def test_a_refused_call_leaves_no_trace_and_the_second_try_makes_no_twin(
    copies: Copies, command: str
) -> None:
    assert refuse_each_call(copies, COMMANDS[command], ("EIO", "ENOSPC", "short")) >= 5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "least"), [("EIO", 10), ("ENOSPC", 10), ("EMFILE", 10), ("short", 0)]
)
@every_command
def test_every_call_refused_in_every_way_leaves_no_trace(
    copies: Copies, command: Command, how: str, least: int
) -> None:
    refused = refuse_each_call(copies, command, (how,))
    assert refused >= least if least else refused == 0  # half a write is gone on with


def refuse_everything(copies: Copies, command: Command, how: str, step: int) -> None:
    before, wanted = next(copies).files(), shape(after(copies, command))
    for n in count(1, step):
        project = next(copies)
        went_well, calls = tried(project, command, from_then_on(n, how))
        if n > calls:
            break
        about = f"{how} from call {n} of {calls}"
        with project.opened() as store:
            found = shape(project.files())
            assert found == wanted or (not went_well and found == shape(before)), about
            save.save(store, Draft("After all", "It goes on.", kind="fact"))
            assert journal_is_clean(store), about
    assert n > 5


@pytest.mark.slow
@every_command
@pytest.mark.parametrize("how", ["ENOSPC", "EIO"])
def test_a_disk_that_refuses_everything_from_some_call_on_loses_nothing(
    copies: Copies, command: Command, how: str
) -> None:
    refuse_everything(copies, command, how, 5)


@pytest.mark.slow
@every_command
@pytest.mark.parametrize("how", ["ENOSPC", "EIO"])
def test_a_disk_that_refuses_everything_from_any_call_on_loses_nothing(
    copies: Copies, command: Command, how: str
) -> None:
    refuse_everything(copies, command, how, 1)


@pytest.mark.slow
@pytest.mark.parametrize("command", ["save", "save a talk"])
def test_a_new_memory_on_a_full_disk_is_taken_back_wherever_the_room_ran_out(
    copies: Copies, command: str
) -> None:
    before, wanted = next(copies).files(), shape(after(copies, COMMANDS[command]))
    for n in count(1):
        project = next(copies)
        went_well, calls = tried(project, COMMANDS[command], from_then_on(n, "ENOSPC"))
        if n > calls:
            break
        with project.opened() as store:
            assert store.redone == []
            assert went_well or project.files() == before, n
            if not went_well:
                COMMANDS[command](store)
            assert shape(project.files()) == wanted


def test_a_refusal_names_the_path_and_the_reason(copies: Copies) -> None:
    project = next(copies)
    with (
        project.opened() as store,
        disk_that(from_then_on(1, "ENOSPC")),
        pytest.raises(StorageFailed) as caught,
    ):
        COMMANDS["save"](store)
    assert str(project.root) in str(caught.value) or str(project.home) in str(caught.value)
    assert "No space left on device" in str(caught.value)


def test_a_file_system_without_locks_is_said_so_and_nothing_is_written(copies: Copies) -> None:
    project = next(copies)
    before = project.files()

    def fails(n: int, name: str) -> str:
        return "ENOLCK" if name == "flock" else ""

    with project.opened() as store, disk_that(fails), pytest.raises(LocksUnsupported):
        COMMANDS["save"](store)
    assert project.files() == before
