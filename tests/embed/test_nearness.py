"""How near vectors are: quick looks at their signs agree with what the numbers say."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contracts.embedder import cosine

from recollect.search.index_file import SLOTS
from recollect.search.vectors import Embedding, Signs, agreement, cosines, signs_of, signs_of_pieces

NUMBERS = 40  # no multiple of 16
VECTORS = st.lists(st.binary(min_size=NUMBERS, max_size=NUMBERS), min_size=1, max_size=70)


def rows(vectors: Sequence[bytes], shelf: int = 0) -> list[tuple[int, bytes]]:
    """The rows of the table `sign`, where the sections are numbered from 0."""
    marks = [bytes([shelf + 1]) + signs_of(vector) for vector in vectors]
    blocks = [marks[at : at + SLOTS] for at in range(0, len(marks), SLOTS)]
    full = SLOTS * len(marks[0])
    return [(n, b"".join(block).ljust(full, b"\0")) for n, block in enumerate(blocks)]


def differing(one: bytes, other: bytes) -> int:
    """In how many signs two vectors differ."""
    return sum((0 < a < 128) != (0 < b < 128) for a, b in zip(one, other, strict=True))


@given(VECTORS, st.binary(min_size=NUMBERS, max_size=NUMBERS), st.integers(1, 20))
@pytest.mark.slow
def test_the_nearest_by_signs_are_those_with_fewest_differences(
    vectors: list[bytes], asked: bytes, most: int
) -> None:
    found, _ = Signs(rows(vectors), 0, NUMBERS).nearest(signs_of(asked), most)
    order = sorted(range(len(vectors)), key=lambda n: (differing(vectors[n], asked), n))
    assert found == order[:most]


def test_a_shelf_has_nothing_of_another_one() -> None:
    [(block, slots)] = rows([b"\1" * NUMBERS, b"\2" * NUMBERS])
    wide = len(slots) // SLOTS
    mixed = slots[:wide] + b"\3" + slots[wide + 1 :]
    assert Signs([(block, mixed)], 0, NUMBERS).numbers.tolist() == [0]
    assert Signs([(block, mixed)], 2, NUMBERS).numbers.tolist() == [1]


def test_vectors_of_another_size_are_not_compared() -> None:
    assert Signs(rows([b"\1" * 80]), 0, NUMBERS).numbers.tolist() == []
    assert cosines(b"\1" * NUMBERS, {1: b"\1" * 80}) == {}
    assert agreement(Embedding(b"\1" * NUMBERS, b"\1" * NUMBERS), {1: b"\1" * 5, 2: b""}) == {}


@pytest.mark.parametrize("common", [0.0, 0.5, 1.0])
@pytest.mark.sampled(1)
def test_the_mean_of_all_is_told_by_their_signs(common: float) -> None:
    dice = Random(1)
    asked, *vectors = ([dice.gauss(0, 30) for _ in range(384)] for _ in range(200))
    mixed = [
        bytes(
            round(a * common + b) % 256 if abs(a * common + b) < 127 else 0
            for a, b in zip(asked, one, strict=True)
        )
        for one in vectors
    ]
    cue = bytes(round(a) % 256 if abs(a) < 127 else 0 for a in asked)
    true = sum(cosine(cue, one) for one in mixed) / len(mixed)
    _, mean = Signs(rows(mixed), 0, 384).nearest(signs_of(cue), 1)
    assert mean == pytest.approx(true, abs=0.03)


@given(VECTORS, st.binary(min_size=NUMBERS, max_size=NUMBERS))
def test_cosines_are_what_the_numbers_say(vectors: list[bytes], asked: bytes) -> None:
    found = cosines(asked, dict(enumerate(vectors)))
    assert found == pytest.approx(
        {n: cosine(asked, one) for n, one in enumerate(vectors)}, abs=1e-4
    )


def test_who_has_every_piece_of_a_cue_agrees_most_whatever_else_it_says() -> None:
    dice = Random(2)
    pieces = [bytes(dice.choices((1, 255), k=NUMBERS)) for _ in range(6)]
    asked = Embedding(pieces[0], pieces[0] + pieces[1])

    def signs(*chosen: int) -> bytes:
        return signs_of_pieces(Embedding(pieces[0], b"".join(pieces[n] for n in chosen)))

    texts = {1: signs(5, 1, 4, 0), 2: signs(0), 3: signs(2, 3)}
    found = agreement(asked, texts)
    assert found[1] == pytest.approx(1.0, abs=1e-4)
    assert found[1] > found[2] > found[3]
    assert agreement(asked, {2: texts[2]}) == pytest.approx({2: found[2]})
