"""The folders that hooks make."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.store import locations as paths


def test_folders_are_made_for_this_user_alone(tmp_path: Path) -> None:
    wanted = tmp_path / "a" / "b" / "c"

    paths.make_folders(str(wanted))
    paths.make_folders(str(wanted))

    assert [f.stat().st_mode & 0o777 for f in (wanted, wanted.parent)] == [0o700, 0o700]
    (tmp_path / "file").touch()
    for blocked in ("file", "file/below", ""):
        with pytest.raises(OSError, match=r"."):
            paths.make_folders(blocked and str(tmp_path / blocked))
