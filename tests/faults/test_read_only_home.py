"""With the home folder read-only, everything that reads still works; what is closed to this user is named."""

from __future__ import annotations

import json
import os
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
@pytest.mark.slow
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


# Without its capabilities root, too, may only do what the permissions say.
NO_RIGHTS = ("setpriv", "--bounding-set=-all", "--inh-caps=-all") if os.geteuid() == 0 else ()
CHANGING = (["save", "Another one"], ["edit", "use-zanzibar-for-billing", "--append", "More."], ["forget", "use-zanzibar-for-billing"], ["config", "lang", "en"])  # fmt: skip
LISTING = (["search", "zanzibar"], ["list"], ["recall", "--start"], ["review"], ["undo"], ["init"])


@pytest.fixture
def home(tmp_path: Path) -> Path:
    if NO_RIGHTS and not shutil.which("setpriv"):
        pytest.skip("there is no setpriv")
    for folder in ("home/.claude/memory/projects", "shop/.git"):
        (tmp_path / folder).mkdir(parents=True)
    said = {"type": "user", "sessionId": "s1", "cwd": str(tmp_path / "shop"), "timestamp": "2026-11-20T10:00:00Z", "message": {"role": "user", "content": "Always warm the teapot first."}}  # fmt: skip
    (tmp_path / "talk.jsonl").write_text(json.dumps(said) + "\n")
    return tmp_path / "home"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", [".claude/memory", ".claude/memory/projects"])
def test_a_private_store_that_cannot_be_made_is_no_bug(home: Path, name: str) -> None:
    if name == ".claude/memory":
        (home / ".claude/memory/projects").rmdir()
    (home / name).chmod(0o500)
    for words in (["save", "Another one"], ["capture", "../talk.jsonl"]):
        refused = run(home, *words, ahead=NO_RIGHTS)
        assert f"{home}/.claude/memory/projects" in refused.stdout + refused.stderr
        assert "Permission denied" in refused.stdout + refused.stderr, refused
        assert "bug" not in refused.stderr
        assert refused.returncode == (16 if words[0] == "save" else 1)
    (home / name).chmod(0o700)


@pytest.mark.parametrize("name", [".claude", ".claude/memory", ".claude/memory/projects", "store"])
@pytest.mark.sampled(1)
def test_a_store_that_cannot_be_read_is_not_taken_for_none(home: Path, name: str) -> None:
    assert run(home, "save", "Use zanzibar for billing", "--kind", "decision").returncode == 0
    (store,) = (home / ".claude/memory/projects").iterdir()
    closed = store if name == "store" else home / name
    closed.chmod(0o600)
    for words in (*CHANGING, *LISTING):
        refused = run(home, *words, ahead=NO_RIGHTS)
        assert f"recollect: {closed} cannot be read: Permission denied." in refused.stderr, words
        assert f"chown -R $(id -u) {closed}" in refused.stderr
        assert refused.returncode == 15
    for words in (["capture", "../talk.jsonl"], ["doctor"]):
        found = run(home, *words, ahead=NO_RIGHTS)
        assert (found.returncode, f"{closed} cannot be read" in found.stdout) == (1, True), found
    closed.chmod(0o700)
    assert "zanzibar" in run(home, "list").stdout
    assert not (home.parent / "shop/.claude").exists()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("is_link", [True, False])
def test_a_link_to_nothing_or_a_file_for_the_folder_of_claude_keeps_nobody_out(
    tmp_path: Path, *, is_link: bool
) -> None:
    (tmp_path / "shop/.git").mkdir(parents=True)
    (tmp_path / "home").mkdir()
    folder = tmp_path / "home/.claude"
    if is_link:
        folder.symlink_to("/gone/away")
    else:
        folder.write_text("")
    made = run(tmp_path / "home", "init", "--scope", "project")
    assert (made.returncode, "Made the project store" in made.stdout) == (0, True), made
    assert "cannot be read" not in run(tmp_path / "home", "doctor").stdout
