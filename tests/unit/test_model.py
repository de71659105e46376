"""The values that everything passes around."""

from __future__ import annotations

import pytest

from recollect.model import memory as model

from .build import entry, memory


@pytest.mark.parametrize(
    ("trusts", "lowest"),
    [
        (("user",), "user"),
        (("user", "agent"), "agent"),
        (("agent", "tool", "user"), "tool"),
        (("user", "external", "tool"), "external"),
    ],
)
def test_several_things_are_trusted_as_the_least_of_them(
    trusts: tuple[str, ...], lowest: str
) -> None:
    assert model.lowest_trust(*trusts) == lowest


def test_values_are_frozen() -> None:
    with pytest.raises(AttributeError):
        memory().title = "x"  # type: ignore[misc]


def test_the_archive_is_cold() -> None:
    assert memory(path="archive/semantic/a.md").archived
    assert entry(path="archive/semantic/a.md").archived
    assert not memory().archived


def test_every_kind_belongs_to_a_layer() -> None:
    assert set(model.type_of_kind) == set(model.KINDS)
    assert set(model.type_of_kind.values()) == set(model.LAYERS)
