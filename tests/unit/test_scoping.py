"""Whether a memory would be of use in every project."""

from __future__ import annotations

import pytest
from hypothesis import given
from tests.unit.build import any_text, memory

from recollect.features.pins import scope_of

HERE = "/home/me/orchard"


def test_a_rule_that_somebody_stated_holds_everywhere() -> None:
    found = scope_of(
        memory(
            title="Always run the tests first", kind="rule", layer="procedural", source="instructed"
        ),
        HERE,
    )
    assert (found.scope, found.blockers) == ("global", ())
    assert found.generalizability >= 0.7
    assert "kind:rule" in found.reasons


@pytest.mark.parametrize(
    ("fields", "blocker"),
    [
        ({"body": "In orchard we squash.\n"}, "name"),
        ({"body": "See /home/me/orchard/x.\n"}, "folder"),
        ({"body": "Look at src/app/main.py first.\n"}, "files"),
        ({"files": ("a.py",)}, "files"),
        ({"layer": "episodic"}, "episode"),
        ({"trust": "external"}, "trust"),
        ({"trust": "tool"}, "trust"),
    ],
)
def test_what_belongs_to_one_project_is_a_blocker(fields: dict[str, str], blocker: str) -> None:
    usual = {"title": "Always squash", "kind": "rule", "layer": "procedural", "body": "Yes.\n"}
    found = scope_of(memory(**(usual | fields)), HERE)
    assert found.blockers == (blocker,)
    assert found.scope == "project"


def test_a_name_inside_another_word_is_not_the_project() -> None:
    assert scope_of(memory(body="The orchards of spring.\n"), HERE).blockers == ()


@given(any_text, any_text)
def test_any_text_is_data(body: str, project: str) -> None:
    found = scope_of(memory(body=body), project)
    assert 0 <= found.generalizability <= 1
