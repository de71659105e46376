"""Taking a forgotten statement out of a session's texts."""

from __future__ import annotations

import pytest

from recollect.model.claim_key import statement_key
from recollect.model.filing_marks import without_sentence, without_statement


@pytest.mark.parametrize(
    ("text", "said", "left"),
    [
        ("Use the kiln. Close the lid. Go on.", "Close the lid", "Use the kiln. Go on."),
        ("Use the kiln. Close the lid. It is hot. Go on.", "Close the lid. It is hot.", "Use the kiln. Go on."),
        ("窑里先放茶壶。盖子要盖好。别急。", "盖子要盖好", "窑里先放茶壶。别急。"),
        ("  Close the lid. Go on.", "Close the lid", "  Go on."),
        ("Before.\nWe close the lid, because it is hot.\nAfter.", "we close the lid: it is hot", "Before.\n\nAfter."),
        ("Never close the lid.", "close the lid", "Never close the lid."),
        ("No, close the lid.", "close the lid", ""),
        ("不，盖上盖子。别盖上盖子。", "盖上盖子", "别盖上盖子。"),
        ("Nothing of it.", "close the lid", "Nothing of it."),
    ],
)  # fmt: skip
def test_only_the_sentences_that_say_it_go(text: str, said: str, left: str) -> None:
    assert without_sentence(text, statement_key(said)) == left


def test_an_item_that_says_more_keeps_its_mark() -> None:
    body = "## Decisions\n\n- [approach] Close the lid. Use the kiln. <!-- filed: kiln -->\n"
    left = "## Decisions\n\n- [approach] Use the kiln. <!-- filed: kiln -->\n"
    assert without_statement(body, "Close the lid") == left
