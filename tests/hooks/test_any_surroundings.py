"""Whatever is broken around it, a hook ends soon, quietly and with exit code 0."""

from __future__ import annotations

import json
import os
import resource
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from .machine import EVENTS, HOOK, LONGEST, SOURCE, Machine, Ran, harmless

ANSWER = "The billing events are in PostgreSQL, one table for each month."


@pytest.fixture
def known(machine: Machine) -> Machine:
    """A machine whose project knows the answer to the prompt that every test asks."""
    machine.write(
        "semantic/billing.md",
        ANSWER,
        id="billing",
        kind="decision",
        title="Database of billing events",
    )
    return machine


def all_harmless(machine: Machine, env: dict[str, str] | None = None) -> dict[str, Ran]:
    """Run every event's hook; each must be harmless."""
    results = {event: machine.fire(event, env=env) for event in EVENTS}
    for event, ran in results.items():
        harmless(ran, event)
    return results


# ------------------------------------------------------------------------------- the environment


@pytest.mark.parametrize("missing", ["HOME", "PATH", "LANG"])
@pytest.mark.sampled(1)
def test_hooks_stay_harmless_without_a_variable(missing: str, known: Machine) -> None:
    env = {key: value for key, value in known.env.items() if key != missing}

    results = all_harmless(known, env)

    if missing != "HOME":
        assert ANSWER in results["SessionStart"].context  # and so not with the prompt again
        assert ANSWER not in results["UserPromptSubmit"].context
    assert known.signals()


def test_hooks_stay_harmless_with_an_empty_environment(known: Machine) -> None:
    all_harmless(known, {})

    assert known.signals()  # the project's store is found without a home


def test_the_global_store_is_asked_when_the_folder_is_gone(known: Machine) -> None:
    known.write("semantic/all.md", "Billing events: ask Ada.", root=known.everywhere, title="Ada")
    script = 'mkdir "$D" && cd "$D" && rmdir "$D" && exec "$@"'
    command = ["/bin/sh", "-c", script, "sh", *known.hook]
    payload = known.payload("UserPromptSubmit")
    for cwd in (str(known.home / "gone"), "", "relative"):
        done = subprocess.run(
            [*command, "UserPromptSubmit"],
            input=json.dumps(payload | {"cwd": cwd, "session_id": f"s{len(cwd)}"}).encode(),
            capture_output=True,
            env=known.env | {"D": str(known.home / "gone")},
            timeout=LONGEST,
            check=False,
        )
        ran = Ran(done.returncode, done.stdout, done.stderr)
        harmless(ran, "UserPromptSubmit")
        assert "ask Ada" in ran.context


@pytest.mark.slow
def test_hooks_work_with_twenty_open_files(known: Machine) -> None:
    def few_files() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))

    for event in EVENTS:
        done = subprocess.run(
            [*known.hook, event],
            input=json.dumps(known.payload(event)).encode(),
            capture_output=True,
            env=known.env,
            cwd=known.project,
            timeout=LONGEST,
            preexec_fn=few_files,
            check=False,
        )
        harmless(Ran(done.returncode, done.stdout, done.stderr), event)

    assert "post-tool" in known.signals()


# ------------------------------------------------------------------------------------- the index


@contextmanager
def locked(index: Path) -> Iterator[None]:
    """Hold the index's lock as no well-behaved process of ours does."""
    with closing(sqlite3.connect(index, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        other.execute("INSERT OR REPLACE INTO meta VALUES ('x', 'y')")
        yield


def test_the_view_answers_when_the_index_is_locked(known: Machine) -> None:
    with locked(known.cache() / "index.db"):
        ran = known.fire("UserPromptSubmit")

    harmless(ran, "UserPromptSubmit")
    assert ANSWER in ran.context


@pytest.mark.slow
def test_every_hook_ends_when_the_index_is_locked(known: Machine) -> None:
    with locked(known.cache() / "index.db"):
        for event in ("SessionStart", "PreCompact", "PostToolUseFailure", "PostToolUse"):
            harmless(known.fire(event), event)


def _missing(index: Path) -> None:
    index.unlink()


def _text(index: Path) -> None:
    index.write_text("not a database\n" * 1000)


def _half(index: Path) -> None:
    os.truncate(index, index.stat().st_size // 2)


def _empty(index: Path) -> None:
    os.truncate(index, 0)


def _pages(index: Path) -> None:
    data = bytearray(index.read_bytes())
    data[4096:] = b"\xa5" * (len(data) - 4096)
    index.write_bytes(data)


def _foreign(index: Path) -> None:
    index.unlink()
    with closing(sqlite3.connect(index)) as db:
        db.executescript(
            "CREATE TABLE meta (key, value); INSERT INTO meta VALUES ('identity', 'theirs');"
            "CREATE TABLE section (n); CREATE VIEW memory AS SELECT 1;"
        )


def _same_name_other_tables(index: Path) -> None:
    from recollect.search.lookup import IDENTITY

    index.unlink()
    with closing(sqlite3.connect(index)) as db:
        db.execute("CREATE TABLE meta (key, value)")
        db.execute("INSERT INTO meta VALUES ('identity', ?)", (IDENTITY,))
        db.commit()


def _folder(index: Path) -> None:
    index.unlink()
    index.mkdir()


def _fifo(index: Path) -> None:
    index.unlink()
    os.mkfifo(index)


DAMAGE = (_missing, _text, _half, _empty, _pages, _foreign, _same_name_other_tables, _folder, _fifo)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("damage", DAMAGE)
def test_the_view_answers_when_the_index_is(damage: Callable[[Path], None], known: Machine) -> None:
    for side in ("-wal", "-shm"):
        (known.cache() / f"index.db{side}").unlink(missing_ok=True)
    damage(known.cache() / "index.db")

    ran = known.fire("UserPromptSubmit")

    harmless(ran, "UserPromptSubmit")
    assert ANSWER in ran.context


# ------------------------------------------------------------------------------- the file system


@pytest.mark.slow
def test_the_brief_is_told_when_the_journal_cannot_be_written(known: Machine) -> None:
    (known.root / "journal").write_text("in the way")

    results = all_harmless(known)

    assert "Database of billing events" in results["SessionStart"].context
    assert ANSWER in results["UserPromptSubmit"].context


@pytest.mark.sampled(1)
@pytest.mark.parametrize("where", ["root", "cache"])
def test_hooks_stay_harmless_when_nothing_can_be_written(where: str, known: Machine) -> None:
    place = known.root if where == "root" else known.home / ".cache"
    script = f'mount --bind "{place}" "{place}" && mount -o remount,ro,bind "{place}" && exec "$@"'
    for event in EVENTS:
        harmless(in_namespace(known, script, event), event)


@pytest.mark.slow
def test_hooks_stay_harmless_when_the_disk_is_full(known: Machine) -> None:
    journal = known.root / "journal"
    journal.mkdir()
    script = (
        f'mount -t tmpfs -o size=64k none "{journal}" && '
        f'{{ dd if=/dev/zero of="{journal}/fill" bs=1k 2>/dev/null; :; }} && exec "$@"'
    )
    for event in EVENTS:
        harmless(in_namespace(known, script, event), event)


@pytest.mark.slow
def test_a_hook_ends_when_a_file_never_answers(known: Machine) -> None:
    (known.cache() / "index.db").unlink()
    (known.root / ".index.json").unlink()
    os.mkfifo(known.root / ".index.json")

    assert known.fire("UserPromptSubmit") == Ran(0, b"", b"")


def in_namespace(machine: Machine, script: str, event: str) -> Ran:
    """Run a hook where `script` has mounted something, or skip where nobody may mount."""
    probe = subprocess.run(
        ["unshare", "-m", "true"], capture_output=True, check=False, timeout=LONGEST
    )
    if probe.returncode:
        pytest.skip("no mount namespace for this user")
    done = subprocess.run(
        ["unshare", "-m", "/bin/sh", "-c", script, "sh", *machine.hook, event],
        input=json.dumps(machine.payload(event)).encode(),
        capture_output=True,
        env=machine.env | {"PATH": os.environ["PATH"]},
        cwd=machine.project,
        timeout=LONGEST,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


@pytest.mark.slow
def test_a_line_that_a_full_disk_cut_off_does_not_swallow_the_next(machine: Machine) -> None:
    machine.fire("PostToolUse")
    (file,) = (machine.root / "journal").glob("claude-*.jsonl")
    with file.open("ab") as journal:
        journal.write(b'{"op":"signal","event":"post-to')

    machine.fire("Stop")

    lines = file.read_bytes().split(b"\n")
    assert json.loads(lines[0])["event"] == "post-tool"
    assert json.loads(lines[2])["event"] == "stop"


def test_a_link_in_place_of_the_journal_file_is_not_followed(machine: Machine) -> None:
    machine.fire("PostToolUse")
    (file,) = (machine.root / "journal").glob("claude-*.jsonl")
    victim = machine.folder / "victim"
    victim.write_text("mine\n")
    file.unlink()
    file.symlink_to(victim)

    harmless(machine.fire("PostToolUse"), "PostToolUse")

    assert victim.read_text() == "mine\n"


# ------------------------------------------------------------------------------------ the package


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("store/locations.py", "raise ImportError('gone')"),
        ("interfaces/hooks/events.py", "def broken(:\n"),
        ("interfaces/hooks/recall.py", "import nothing_of_this_name"),
        ("search/lookup.py", "raise SystemExit(3)"),
        ("text/tokens.py", "1 / 0"),
        ("__main__.py", "raise SystemExit(3)"),
    ],
)
def test_hooks_stay_harmless_when_a_module_is_broken(
    module: str, text: str, known: Machine
) -> None:
    copy = known.folder / "copy"
    shutil.copytree(
        SOURCE / "recollect", copy / "recollect", ignore=shutil.ignore_patterns("*.pyc")
    )
    (copy / "recollect" / module).write_text(text)
    known.hook = [part.replace(HOOK, str(copy / "recollect" / "hook.py")) for part in known.hook]

    for event in EVENTS:
        harmless(known.fire(event), event)


def test_hooks_stay_harmless_when_the_package_is_gone(known: Machine) -> None:
    copy = known.folder / "copy" / "hook.py"
    copy.parent.mkdir()
    shutil.copy(HOOK, copy)
    known.hook = [part.replace(HOOK, str(copy)) for part in known.hook]

    for event in EVENTS:
        assert known.fire(event) == Ran(0, b"", b"")


def test_what_went_wrong_is_in_the_log(known: Machine) -> None:
    (known.root / "journal").write_text("in the way")

    known.fire("PostToolUse")

    line = (known.home / ".cache" / "recollect" / "hook.log").read_text()
    assert "PostToolUse" in line
    assert "locations.py" in line
