"""With the home folder read-only, cache and stores included, everything that reads still works."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

READING = (["search", "zanzibar"], ["list"], ["recall", "zanzibar for billing"], ["show", "use-zanzibar-for-billing"], ["timeline"], ["recall", "--start"])  # fmt: skip
BIND = 'mount --bind "$HOME" "$HOME" && mount -o remount,ro,bind "$HOME" && exec "$@"'


def run(home: Path, *words: str, ahead: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    command = [*ahead, sys.executable, "-m", "recollect", *words]
    env = {"HOME": str(home), "PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LANG": "C.UTF-8"}
    folder = home.parent / "shop"
    return subprocess.run(
        command, env=env, cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize("scope", ["project", "global"])
@pytest.mark.parametrize("has_cache", [True, False])
@pytest.mark.sampled(1)
def test_what_reads_works_and_what_writes_is_refused(
    tmp_path: Path, scope: str, has_cache: bool
) -> None:
    read_only = ("unshare", "-m", "sh", "-c", BIND, "sh")
    home = tmp_path / "home"
    for folder in (home, tmp_path / "shop/.git"):
        folder.mkdir(parents=True)
    if scope == "global":
        assert run(home, "init", "--scope", "global").returncode == 0
    saved = run(home, "save", "Use zanzibar for billing", "--kind", "decision", "--scope", scope)
    assert saved.returncode == 0, saved.stderr
    if not has_cache:
        shutil.rmtree(home / ".cache")
    if subprocess.run([*read_only, "true"], env={"HOME": str(home), "PATH": "/usr/bin:/bin:/usr/sbin:/sbin"}, capture_output=True, check=False).returncode:  # fmt: skip
        pytest.skip("nobody may mount here")
    for words in READING:
        done = run(home, *words, ahead=read_only)
        assert (done.returncode, "zanzibar" in done.stdout) == (0, True), (words, done.stderr)
    refused = run(home, "save", "Another one", "--scope", scope, ahead=read_only)
    assert refused.returncode == 16
    assert "Traceback" not in refused.stderr
