"""What a sentence of an agent's report says, and what says nothing."""

from __future__ import annotations

import pytest

from recollect.text.progress_reports import is_fragment, is_ready, is_upkeep, only_names


@pytest.mark.parametrize(
    ("said", "is_over"),
    [
        ("The implementation is complete and ready for integration with the kiln!", True),
        ("All four tasks complete.", True),
        ("You can now test these lids locally and then fire them.", True),
        ("Standing by for further work.", True),
        ("全部完成！", True),
        ("现在可以刷新页面查看效果", True),
        # A state, a limit, or what is possible now.
        ("The glaze is ready for version 2 of the kiln.", False),
        ("All tests are done with small pots.", False),
        ("All requests are finished before the kiln cools.", False),
        ("The code is ready only after a restart.", False),
        ("You can now test the importer without a kiln.", False),
        ("You can now test it with `make lid`.", False),
        ("Waiting for Ana's review before the merge.", False),
        ("Ready for review in pull request 12.", False),
        ("数据迁移已完成", False),
        ("现在可以使用新的导出功能", False),
    ],
)
def test_that_the_work_is_over_says_nothing_of_it(said: str, *, is_over: bool) -> None:
    assert is_ready(said) == is_over


@pytest.mark.parametrize(
    ("said", "is_kept"),
    [
        ("The unrelated lids remain unstaged.", False),
        ("Only two pots were included — the other unstaged changes remain untouched.", False),
        ("The changelog has been updated with the lid.", False),
        ("The two files are now in a single commit.", False),
        ("还更新了更新日志", False),
        ("The staged rollout starts at five percent.", True),
        ("The changelog is made of tags by a program.", True),
        ("Lids are committed every night by the kiln.", True),
        ("I committed the lid but the push failed.", True),
        ("The commit is signed with the new key.", True),
        ("更新日志由脚本生成", True),
    ],
)
def test_what_became_of_the_working_tree_is_told_by_commits(said: str, *, is_kept: bool) -> None:
    assert is_upkeep(said, "Teapot") != is_kept


def test_the_working_tree_may_be_the_subject() -> None:
    said = "The changelog has been updated with the lid."
    assert is_upkeep(said, "Teapot")
    assert not is_upkeep(said, "Bring the changelog up to date")


@pytest.mark.parametrize(
    "said",
    ["`pots/lid.py`", "pots/lid_test.py — `test_lid`", "pots/lid.py:375"],
)
def test_a_line_may_only_name_things(said: str) -> None:
    assert only_names(said)


@pytest.mark.parametrize(
    "said",
    ["File: `pots/lid.py`.", "See `docs/lid.md`.", "Config in `kiln.toml`", "`lid` → `cover`", "Only `src/`.", "移除了 `lid`", "展开/折叠"],
)  # fmt: skip
def test_a_line_that_says_something_of_a_name_is_kept(said: str) -> None:
    assert not only_names(said)


@pytest.mark.parametrize("said", ["Error handling", "Commit hash: `d98ed59`;", "Progress of work"])
def test_an_item_may_be_only_the_name_of_something(said: str) -> None:
    assert is_fragment(said)


@pytest.mark.parametrize(
    "said",
    ["Postgres 15", "Port 6419", "Nightly at 3:00", "Requires Node.js", "Lids: twelve new cases", "Old catch removed", "釉色统一", "Use the big kiln"],
)  # fmt: skip
def test_an_item_that_says_something_is_kept(said: str) -> None:
    assert not is_fragment(said)
