"""Stores: the Markdown tree and the one in memory keep the same contract; the tree on its disk."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest
from tests.fakes import MemoryStore

from recollect.errors import (
    AlreadyThere,
    ChangedMeanwhile,
    FileNotThere,
    Locked,
    OutsideStore,
    RecollectError,
    StorageFailed,
)
from recollect.store.disk import stamp_of
from recollect.store.files import DEEPEST, LARGEST_MEMORY, MarkdownStore

from .store import TEXT, StoreContract

SECRET = b"not for anybody"


class TestMemoryStore(StoreContract):
    @pytest.fixture
    def store(self) -> MemoryStore:
        return MemoryStore()

    def edit_outside(self, store: MarkdownStore, path: str, data: bytes) -> None:
        assert isinstance(store, MemoryStore)
        store.edit_outside(path, data)


@pytest.fixture
def store(tmp_path: Path) -> MarkdownStore:
    root = tmp_path / "home" / "memory"
    root.mkdir(parents=True)
    return MarkdownStore(str(root), str(tmp_path / "cache" / "lock"), wait_seconds=0.0)


@pytest.fixture
def root(store: MarkdownStore) -> Path:
    return Path(store.root)


class TestMarkdownStore(StoreContract):
    def edit_outside(self, store: MarkdownStore, path: str, data: bytes) -> None:
        full = os.path.join(store.root, path)
        info = os.stat(full)
        with open(full, "r+b") as file:
            file.truncate(0)
            file.write(data)
        os.utime(full, ns=(info.st_atime_ns, info.st_mtime_ns))


# --------------------------------------------------------------- nothing outside the root is opened


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    outside = tmp_path / "outside"
    (outside / "semantic").mkdir(parents=True)
    for place in (outside, outside / "semantic"):
        (place / "secret.md").write_bytes(SECRET)
    return outside


def links(root: Path, secret: Path) -> dict[str, str]:
    """The links and special files of a store that would like to be followed, by path."""
    (root / "semantic").mkdir()
    (root / "episodic").mkdir()
    os.symlink(secret / "secret.md", root / "semantic" / "file.md")
    os.symlink(secret, root / "episodic" / "folder")
    os.symlink(secret, root / "archive")
    os.symlink("nowhere", root / "semantic" / "dangling.md")
    os.symlink("loop.md", root / "semantic" / "loop.md")
    os.symlink(secret / "secret.md", root / "top.md")
    os.mkfifo(root / "semantic" / "pipe.md")
    os.mkdir(root / "semantic" / "is-a-folder.md")
    return {
        "semantic/file.md": "file",
        "episodic/folder/secret.md": "behind a folder",
        "archive/semantic/secret.md": "behind the archive",
        "semantic/dangling.md": "dangling",
        "semantic/loop.md": "loop",
        "top.md": "at the top",
        "semantic/pipe.md": "pipe",
        "semantic/is-a-folder.md": "folder",
    }


@pytest.fixture
def opened() -> Iterator[list[str]]:
    """Every path that this process opens or lists from now on."""
    paths: list[str] = []
    watching = [True]

    def watch(event: str, args: tuple[object, ...]) -> None:
        if watching[0] and event in ("open", "os.listdir", "os.scandir"):
            paths.append(os.fsdecode(args[0]) if isinstance(args[0], (str, bytes)) else "")

    sys.addaudithook(watch)
    yield paths
    watching[0] = False


def test_links_pipes_and_folders_are_neither_read_nor_written_nor_waited_for(
    store: MarkdownStore, root: Path, secret: Path, opened: list[str]
) -> None:
    places = links(root, secret)
    assert list(store.scan()) == []
    for path in places:
        with pytest.raises((FileNotThere, OutsideStore)):
            store.read(path)
        with pytest.raises((AlreadyThere, OutsideStore)):
            store.create(path, "mine")
        for attempt in (
            lambda path=path: store.replace(path, "mine", stamp_of(SECRET)),
            lambda path=path: store.remove(path, stamp_of(SECRET)),
            lambda path=path: store.move(path, "semantic/free.md", stamp_of(SECRET)),
        ):
            with pytest.raises((ChangedMeanwhile, OutsideStore)):
                attempt()
    with pytest.raises(OutsideStore):
        store.write_view("archive/semantic/secret.md", "mine")
    with pytest.raises(AlreadyThere):
        store.write_view("top.md", "mine")
    resolved = [os.path.realpath(path) for path in opened if path.startswith(str(root))]
    inside = [path for path in resolved if path.startswith(f"{root}/") or path == str(root)]
    # Opening a link that must not be followed is tried and refused; nothing else goes out.
    tried = {os.path.realpath(root / path) for path in places if os.path.islink(root / path)}
    assert set(resolved) - set(inside) <= tried
    assert (secret / "secret.md").read_bytes() == SECRET
    assert (secret / "semantic" / "secret.md").read_bytes() == SECRET


def swapped(monkeypatch: pytest.MonkeyPatch, name: str, folder: Path, secret: Path) -> list[str]:
    """A folder is a link to another place from the first look at something in it on."""
    ask, done = getattr(os, name), list[str]()

    def swap() -> None:
        if not done:
            done.append(name)
            folder.rename(folder.with_name("before"))
            folder.symlink_to(secret, target_is_directory=True)

    def opened(path: object, *args: object, **named: object) -> object:
        if os.path.basename(os.fsdecode(path)) == "secret.md":  # type: ignore[arg-type]
            swap()
        return ask(path, *args, **named)

    def listed(path: object) -> object:
        with ask(path) as entries:
            found = list(entries)
        if any(entry.name == folder.name for entry in found):
            swap()
        return nullcontext(found)

    monkeypatch.setattr(os, name, listed if name == "scandir" else opened)
    return done


@pytest.fixture
def below(root: Path) -> Path:
    """A folder of a layer, with a memory that has the name of somebody's secret."""
    folder = root / "semantic" / "decisions"
    folder.mkdir(parents=True)
    (folder / "secret.md").write_text("ours")
    return folder


def test_a_folder_that_becomes_a_link_while_it_is_listed_is_not_followed(
    store: MarkdownStore, below: Path, secret: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (secret / "more.md").write_text("theirs")
    assert [seen.path for seen in store.scan()] == ["semantic/decisions/secret.md"]
    done = swapped(monkeypatch, "scandir", below, secret)
    assert [seen.path for seen in store.scan()] == []
    assert done
    assert "symbolic link" in dict(store.last_scan.passed)["semantic/decisions"]


@pytest.mark.parametrize("upper", [False, True])
def test_a_folder_that_becomes_a_link_while_a_file_is_read_is_not_followed(
    store: MarkdownStore,
    below: Path,
    secret: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    upper: bool,
) -> None:
    elsewhere = secret / "upper"
    (elsewhere / "decisions").mkdir(parents=True)
    (elsewhere / "decisions" / "secret.md").write_bytes(SECRET)
    done = swapped(monkeypatch, "open", *((below.parent, elsewhere) if upper else (below, secret)))
    assert store.read("semantic/decisions/secret.md").text == "ours"
    assert done
    with pytest.raises(OutsideStore):
        store.read("semantic/decisions/secret.md")
    with pytest.raises(OutsideStore):
        store.stamp("semantic/decisions/secret.md")


def test_what_is_passed_over_is_named(store: MarkdownStore, root: Path, secret: Path) -> None:
    links(root, secret)
    deep = root / "reference" / "/".join("d" * (DEEPEST + 2))
    deep.mkdir(parents=True)
    (deep / "deep.md").write_text("deep")
    with open(root / "semantic" / "huge.md", "wb") as file:
        file.truncate(LARGEST_MEMORY + 1)
    with open(os.fsencode(root / "semantic") + b"/\xff.md", "wb") as file:
        file.write(b"x")
    assert list(store.scan()) == []
    told = {problem.path: problem.sentence for problem in store.last_scan.passed}
    assert "is a symbolic link" in told["semantic/file.md"]
    assert "is a symbolic link" in told["archive"]
    assert "is a symbolic link" in told["top.md"]
    assert "is a special file" in told["semantic/pipe.md"]
    assert "skipped" in told["semantic/huge.md"]
    assert any("not UTF-8" in sentence for sentence in told.values())
    assert any("too deeply" in sentence for sentence in told.values())


def test_a_hard_link_is_read_and_its_other_name_is_left_alone(
    store: MarkdownStore, root: Path, secret: Path
) -> None:
    (root / "semantic").mkdir()
    os.link(secret / "secret.md", root / "semantic" / "twin.md")
    seen = store.read("semantic/twin.md").stamp
    store.replace("semantic/twin.md", "mine", seen)
    assert (secret / "secret.md").read_bytes() == SECRET


def test_a_device_is_not_read(store: MarkdownStore, root: Path) -> None:
    (root / "semantic").mkdir()
    try:
        os.mknod(root / "semantic" / "zero.md", stat.S_IFCHR | 0o600, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("this user may not make devices")
    assert list(store.scan()) == []
    with pytest.raises(FileNotThere):
        store.read("semantic/zero.md")


# ------------------------------------------------------------------------------------- its disk


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_files_are_0600_and_folders_0700_under_any_umask(
    store: MarkdownStore, root: Path, umask: int
) -> None:
    before = os.umask(umask)
    try:
        seen = store.create("episodic/day/summary.md", TEXT)
        store.replace("episodic/day/summary.md", "second", seen)
        store.write_view("MEMORY.md", "made")
        with store.locked():
            pass
    finally:
        os.umask(before)
    lock = root.parents[1] / "cache"
    for path in [*root.rglob("*"), lock, *lock.iterdir()]:
        wanted = 0o700 if path.is_dir() else 0o600
        assert stat.S_IMODE(path.stat().st_mode) == wanted, path


def test_who_has_another_cache_shares_the_lock(store: MarkdownStore, tmp_path: Path) -> None:
    other = MarkdownStore(store.root, str(tmp_path / "elsewhere" / "lock"), wait_seconds=0.0)
    with store.locked(), pytest.raises(Locked), other.locked():
        pass
    with other.locked(), pytest.raises(Locked), store.locked():
        pass


@pytest.mark.parametrize("reason", [errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EBADF])
def test_where_folders_have_no_locks_the_one_in_the_cache_holds(
    store: MarkdownStore, monkeypatch: pytest.MonkeyPatch, reason: int
) -> None:
    flock = fcntl.flock

    def refuse(handle: int, how: int) -> None:
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(reason, os.strerror(reason))
        flock(handle, how)

    monkeypatch.setattr(fcntl, "flock", refuse)
    before = len(os.listdir("/proc/self/fd"))
    with store.locked(), pytest.raises(Locked), store.locked():
        pass
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_file_can_be_created_where_the_file_system_has_no_hard_links(
    store: MarkdownStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    store.create("semantic/a.md", TEXT)
    with pytest.raises(AlreadyThere):
        store.create("semantic/a.md", "other")
    assert store.read("semantic/a.md").text == TEXT
    assert os.listdir(f"{store.root}/semantic") == ["a.md"]


def test_a_refused_rename_leaves_no_empty_file_where_there_are_no_hard_links(
    store: MarkdownStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    monkeypatch.setattr(os, "rename", refuse)
    with pytest.raises(StorageFailed):
        store.create("semantic/a.md", TEXT)
    assert os.listdir(f"{store.root}/semantic") == []


def test_a_file_in_the_way_of_a_folder_is_an_error_of_ours(
    store: MarkdownStore, root: Path
) -> None:
    (root / "episodic").write_text("a file")
    with pytest.raises(RecollectError):
        store.create("episodic/day/summary.md", TEXT)
    assert (root / "episodic").read_text() == "a file"


def test_a_refused_write_leaves_no_empty_folder_behind(
    store: MarkdownStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    (root / "episodic").mkdir()
    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(StorageFailed):
        store.create("episodic/day/summary.md", TEXT)
    assert os.listdir(root / "episodic") == []
