"""What every embedder promises."""

from __future__ import annotations

from recollect.ports import Embedder
from recollect.search.vectors import Passage

TEXTS = ["the clock drifts in the cold", "blue buttons", "数据库", "", "x" * 5_000, "a\0b \ud800"]


class EmbedderContract:
    """Inherit it, and give a fixture `embedder`."""

    def test_every_passage_has_a_vector_of_the_same_size(self, embedder: Embedder) -> None:
        found = embedder.passages([Passage(text, "before", "after") for text in TEXTS])
        assert len(found) == len(TEXTS)
        assert len({len(meant.whole) for meant in [*found, embedder.cue("clock")]}) == 1

    def test_the_pieces_of_a_text_are_as_long_as_the_whole(self, embedder: Embedder) -> None:
        for meant in [*embedder.passages([Passage(text) for text in TEXTS]), embedder.cue("clock")]:
            assert len(meant.pieces) % len(meant.whole) == 0

    def test_the_order_is_that_of_the_passages(self, embedder: Embedder) -> None:
        one, two = Passage("the clock drifts"), Passage("blue buttons in the store")
        assert embedder.passages([one, two]) == embedder.passages([two, one])[::-1]

    def test_the_same_text_has_the_same_vector(self, embedder: Embedder) -> None:
        assert embedder.cue("postgres events") == embedder.cue("postgres events")

    def test_a_text_is_nearest_to_itself(self, embedder: Embedder) -> None:
        texts = ["clock drifts", "blue buttons", "postgres store events"]
        found = embedder.passages([Passage(text) for text in texts])
        for n, text in enumerate(texts):
            cue = embedder.cue(text).whole
            near = [cosine(cue, meant.whole) for meant in found]
            assert near.index(max(near)) == n

    def test_nothing_is_asked_for_no_passages(self, embedder: Embedder) -> None:
        assert embedder.passages([]) == []

    def test_it_says_who_it_is(self, embedder: Embedder) -> None:
        assert embedder.identity
        assert isinstance(embedder.is_english, bool)


def cosine(one: bytes, two: bytes) -> float:
    """How near two vectors are."""
    a, b = ([v - 256 if v > 127 else v for v in vector] for vector in (one, two))
    sizes = sum(x * x for x in a) * sum(x * x for x in b)
    return sum(x * y for x, y in zip(a, b, strict=True)) / sizes**0.5 if sizes else 0.0
