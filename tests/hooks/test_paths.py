"""What hooks say of paths is what `os.path` says, and they do without it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.hooks import paths

PART = st.sampled_from(
    ["a", "b", "file", "link", "loop", "gone", "back", "..", ".", "", "名", "a\0b"]
)
PATHS = st.builds(
    lambda start, parts, end: start + "/".join(parts) + end,
    st.sampled_from(["/", "//", "", "./"]),
    st.lists(PART, max_size=6),
    st.sampled_from(["", "/"]),
)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with links in it: to a folder, to nothing, to itself, and back up."""
    top = tmp_path_factory.mktemp("tree")
    (top / "a" / "b" / "a").mkdir(parents=True)
    (top / "file").write_text("")
    for folder in (top, top / "a", top / "a" / "b"):
        (folder / "link").symlink_to(top / "a")
        (folder / "loop").symlink_to("loop")
        (folder / "back").symlink_to("../..")
        (folder / "dangling").symlink_to("gone/away")
    return top


def outcome(call: object, path: str) -> object:
    """What a function gives for a path, or the kind of its error."""
    try:
        return call(path)  # type: ignore[operator]
    except (OSError, ValueError) as error:
        return type(error)


@given(PATHS, st.booleans())
def test_a_path_is_what_the_library_says(tree: Path, path: str, inside: bool) -> None:
    path = str(tree) + path if inside else path

    for ours, theirs in (
        (paths.exists, os.path.exists),
        (paths.is_folder, os.path.isdir),
        (paths.is_file, os.path.isfile),
        (paths.absolute, os.path.abspath),
        (paths.real, os.path.realpath),
    ):
        assert outcome(ours, path) == outcome(theirs, path), ours
    plain = os.path.abspath(path)
    assert plain.startswith("//") or paths.parent(plain) == os.path.dirname(plain)


@pytest.mark.parametrize("size", [0, 1, 65_535, 65_536, 65_537, 200_000])
@pytest.mark.parametrize("most", [None, 0, 1, 65_536, 70_000, 1_000_000])
def test_of_a_file_is_read_what_was_asked_for(size: int, most: int | None, tmp_path: Path) -> None:
    data = bytes(range(256)) * (size // 256 + 1)
    (tmp_path / "file").write_bytes(data[:size])
    path = str(tmp_path / "file")

    found = paths.read(path) if most is None else paths.read(path, most)

    assert found == data[:size][:most]


def test_folders_are_made_for_this_user_alone(tmp_path: Path) -> None:
    wanted = tmp_path / "a" / "b" / "c"

    paths.make_folders(str(wanted))
    paths.make_folders(str(wanted))

    assert [f.stat().st_mode & 0o777 for f in (wanted, wanted.parent)] == [0o700, 0o700]
    (tmp_path / "file").touch()
    for blocked in ("file", "file/below", ""):
        with pytest.raises(OSError, match=r"."):
            paths.make_folders(blocked and str(tmp_path / blocked))
