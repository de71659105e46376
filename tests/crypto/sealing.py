"""What everything promises that closes and opens texts."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contracts import inherited

from recollect.errors import ForOtherKeys, KeyMissing, RecoveryMissing, SealBroken
from recollect.ports import Sealing

# For whom it is encrypted, and whose keys there are: by number, `0` is this machine's.
Makes = Callable[[list[int], list[int]], Sealing]


class SealingContract:
    """Subclasses give a fixture `make`: a sealing for some keys, with the secrets of some."""

    @pytest.fixture
    def sealing(self, make: Makes) -> Sealing:
        return make([0, 1], [0])

    @inherited
    @given(st.text(st.characters(codec=None, exclude_categories=[])))
    def test_what_was_closed_is_opened_to_the_byte(self, make: Makes, text: str) -> None:
        sealing = make([0, 1], [0])
        try:
            text.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            return  # no file has such a text
        assert sealing.open(sealing.seal(text), "x") == text

    def test_every_recipient_can_open_it_alone(self, make: Makes) -> None:
        armor = make([0, 1, 2], []).seal("text")
        assert [make([], [n]).open(armor, "x") for n in range(3)] == ["text"] * 3

    def test_the_same_text_is_closed_differently_each_time(self, sealing: Sealing) -> None:
        assert sealing.seal("text") != sealing.seal("text")

    def test_nobody_else_can_open_it(self, make: Makes) -> None:
        with pytest.raises(ForOtherKeys, match="x"):
            make([], [3]).open(make([0, 1], []).seal("text"), "x")

    @pytest.mark.parametrize("step", [97])
    def test_every_change_of_it_is_found(self, sealing: Sealing, step: int) -> None:
        armor = sealing.seal("text " * 400)
        for at in range(step, len(armor) - 40, step):
            other = "A" if armor[at] != "A" else "B"
            changed = armor[:at] + other + armor[at + 1 :]
            with pytest.raises((SealBroken, ForOtherKeys)):
                sealing.open(changed, "x")

    @pytest.mark.parametrize("keys", [[], [0], [0, 0]])
    def test_nothing_is_closed_for_fewer_than_two_keys(self, make: Makes, keys: list[int]) -> None:
        with pytest.raises(RecoveryMissing):
            make(keys, [0]).seal("text")

    def test_it_can_be_closed_without_a_secret(self, make: Makes) -> None:
        sealing = make([0, 1], [])
        armor = sealing.seal("text")
        with pytest.raises(KeyMissing):
            sealing.open(armor, "x")
