"""Lines out of blocks: where a block ends must not matter."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.interfaces.mcp import server as stdio
from recollect.interfaces.mcp.server import StdioTransport


class Fed(StdioTransport):
    """A wire whose stdin is these blocks."""

    def __init__(self, blocks: list[bytes]) -> None:
        self._blocks = iter(blocks)

    def _block(self) -> bytes:
        return next(self._blocks, b"")


BLOCKS = st.lists(st.text("ab\n", min_size=1, max_size=8).map(str.encode), max_size=12)


@given(BLOCKS)
def test_the_lines_are_those_of_the_whole_however_it_is_cut(blocks: list[bytes]) -> None:
    whole = b"".join(blocks).split(b"\n")
    assert list(Fed(blocks).lines()) == (whole if whole[-1] else whole[:-1])


@given(BLOCKS)
def test_only_lines_that_are_too_long_are_left_out(blocks: list[bytes]) -> None:
    whole = b"".join(blocks).split(b"\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stdio, "LONGEST_LINE", 5)
        lines = list(Fed(blocks).lines())
    expected = [line if len(line) <= 5 else None for line in whole]
    assert lines == (expected if whole[-1] else expected[:-1])
