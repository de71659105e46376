"""Which store a hook works for, wherever the client runs it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.app import App
from recollect.interfaces.hooks import payload
from recollect.store import locations

from .machine import Machine

QUESTION = "Which database holds the billing events?"
ANSWER = "The database of the billing events is PostgreSQL."


def git(*words: str) -> None:
    """Run git with no settings of anybody."""
    env = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": "/dev/null", "HOME": "/nonexistent"}
    who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *who, *words], check=True, capture_output=True, env=env)


@pytest.fixture
def known(machine: Machine) -> Machine:
    """A machine whose project, a git repository, knows the answer."""
    (machine.project / ".git").rmdir()
    git("init", str(machine.project))
    git("-C", str(machine.project), "commit", "--allow-empty", "-m", "x")
    machine.write("semantic/billing.md", ANSWER, title="Billing")
    return machine


def answered(machine: Machine, folder: Path | str, **env: str) -> bool:
    """Whether a prompt in this folder gets the project's answer."""
    ran = machine.fire(
        "UserPromptSubmit", prompt=QUESTION, cwd=str(folder), session_id=os.urandom(4).hex(),
        env=machine.env | env,
    )  # fmt: skip
    return ANSWER in ran.context


# ------------------------------------------------------------------------- the project of a folder


def test_a_folder_below_the_project_has_its_store(known: Machine) -> None:
    deep = known.project / "src" / "deep er" / "下"
    deep.mkdir(parents=True)

    assert answered(known, deep)
    assert not (deep / ".claude").exists()


def test_a_work_tree_has_the_store_of_its_repository(known: Machine) -> None:
    tree = known.home / "trees" / "feature"
    git("-C", str(known.project), "worktree", "add", str(tree))
    (tree / "sub").mkdir()

    assert answered(known, tree)
    assert answered(known, tree / "sub")


def test_a_repository_inside_a_project_has_a_store_of_its_own(known: Machine) -> None:
    inner = known.project / "vendor" / "lib"
    git("init", str(inner))
    assert not answered(known, inner)

    (inner / ".claude" / "memory").mkdir(parents=True)
    assert not answered(known, inner)


def test_a_folder_outside_of_the_project_has_not(known: Machine) -> None:
    assert not answered(known, known.home)
    assert not answered(known, "/")


def test_the_folder_of_the_launch_counts_and_not_where_the_agent_went(known: Machine) -> None:
    assert answered(known, "/", CLAUDE_PROJECT_DIR=str(known.project))
    assert not answered(known, known.project, CLAUDE_PROJECT_DIR="/")


@pytest.mark.parametrize("launch", ["", "relative/path", "."])
def test_a_launch_folder_that_says_nothing_is_passed_over(launch: str, known: Machine) -> None:
    assert answered(known, known.project, CLAUDE_PROJECT_DIR=launch)


def test_a_linked_path_leads_to_the_same_store(known: Machine) -> None:
    link = known.folder / "link"
    link.symlink_to(known.home)

    assert answered(known, link / "project", HOME=str(link))
    known.env["HOME"] = str(link)
    assert known.cache() == link / ".cache" / "recollect" / locations.short_hash(str(known.root))


def test_the_home_folder_is_no_project_whatever_path_leads_to_it(bare: Machine) -> None:
    link = bare.folder / "link"
    link.symlink_to(bare.home)
    bare.everywhere.mkdir(parents=True)

    for home, start in ((bare.home, link), (link, bare.home), (bare.home, bare.home)):
        project, everywhere = locations.roots(str(start), {"HOME": str(home)})
        assert project == ""
        assert everywhere == f"{home}/.claude/memory"


def test_hooks_and_commands_agree_on_the_project_of_a_folder(bare: Machine) -> None:
    (bare.home / ".claude").mkdir()
    plain, marked = bare.home / "plain" / "sub", bare.home / "marked" / "sub"
    for folder in (plain, marked, bare.project / "src"):
        folder.mkdir(parents=True)
    (marked.parent / ".claude").mkdir()

    for folder in (plain, marked, marked.parent, bare.project / "src", bare.home):
        named = locations.project_of(str(folder), bare.env)
        assert named == App(str(folder), bare.env).project_folder
    assert locations.project_of(str(marked), bare.env) == str(marked.parent)
    assert locations.project_of(f"{plain}/../sub", bare.env) == str(plain)


# ------------------------------------------------------------------------------- by the environment


def test_a_named_project_is_the_project(known: Machine) -> None:
    for named in (known.project, known.root):
        assert answered(known, "/", RECOLLECT_PROJECT_ROOT=str(named))
    assert not answered(known, known.project, RECOLLECT_PROJECT_ROOT="/nowhere")


def test_a_named_global_store_is_the_global_one(bare: Machine) -> None:
    elsewhere = bare.folder / "elsewhere" / "memory"
    bare.env["RECOLLECT_GLOBAL_ROOT"] = str(elsewhere)
    bare.write("semantic/billing.md", ANSWER, root=elsewhere, publish=False, title="Billing")
    bare.publish(elsewhere)

    assert answered(bare, bare.project)
    assert not bare.everywhere.exists()


def test_the_cache_is_where_the_person_keeps_caches(known: Machine) -> None:
    known.env["XDG_CACHE_HOME"] = str(known.folder / "caches")
    known.publish()

    assert known.cache().is_relative_to(known.folder / "caches")
    assert answered(known, known.project)
    for odd in ("relative", ""):
        assert locations.cache_root({"HOME": "/h", "XDG_CACHE_HOME": odd}) == "/h/.cache/recollect"


# -------------------------------------------------------------------------------- lines and names


def test_a_journal_folder_that_another_hook_just_made_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mkdir = os.mkdir

    def quicker(path: str, mode: int) -> None:
        mkdir(path, mode)
        mkdir(path, mode)  # raises, as it does for the one that comes second

    monkeypatch.setattr(os, "mkdir", quicker)

    locations.record(str(tmp_path), "claude-x", "signal", {"event": "stop"})

    assert len((tmp_path / "journal" / "claude-x.jsonl").read_text().splitlines()) == 1


@given(st.text(max_size=200))
def test_a_text_goes_through_our_json_unchanged(text: str) -> None:
    shown = locations.json_text(text)

    readable = text.encode("utf-8", "replace").decode()
    assert json.loads(shown) == readable
    assert payload.text_of(shown.encode()[:-1]) == readable
    assert "\n" not in shown
    assert "\u2028" not in shown


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(
    st.dictionaries(st.sampled_from(["session_id", "cwd", "x", "{", '"', ""]), JSON, max_size=6),
    st.booleans(),
    st.sampled_from([None, 1, "\t"]),
)
def test_the_strings_of_any_object_are_those_that_json_finds(
    value: dict[str, object], ascii_only: bool, indent: int | str | None
) -> None:
    raw = json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode("utf-8", "surrogatepass")

    found = payload.members(raw, ("session_id", "cwd"))

    assert found[""] == b"whole"
    for key in ("session_id", "cwd"):
        text = payload.text_of(found.get(key, b""))
        wanted = value.get(key)
        if isinstance(wanted, str):
            assert text.replace("\ufffd", "?") == wanted.encode(
                "utf-8", "replace"
            ).decode().replace("\ufffd", "?")
        else:
            assert text == ""


@given(st.binary(max_size=300), st.integers(0, 300))
def test_no_bytes_make_the_payload_reader_fail(data: bytes, cut: int) -> None:
    whole = b'{"session_id":"a","prompt":"b\\u00e9","tool_input":{"x":["y"]}}'
    for raw in (data, b"{" + data, whole[:cut] + data, b'{"session_id":"' + data):
        for value in payload.members(raw, ("session_id", "prompt", "tool_input")).values():
            payload.text_of(value)
            payload.strings_in(value)
        payload.is_whole([raw or b"}"])
