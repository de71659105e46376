"""The form of an encrypted memory: what passes for one, and that nothing else does."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.model.document import Sealed, is_sealed, memory_from_text, sealed_of, sealed_text
from recollect.model.entries import entry_of, index_units
from recollect.model.layers import written_to

KEY = "age1" + "q" * 58
TIME = "2026-01-11T14:30:00Z"


def armor_of(data: bytes) -> str:
    """An age file in armor, as far as its form goes."""
    said = base64.b64encode(b"age-encryption.org/v1\n" + data).decode()
    lines = [said[n : n + 64] for n in range(0, len(said), 64)]
    return "\n".join(
        ["-----BEGIN AGE ENCRYPTED FILE-----", *lines, "-----END AGE ENCRYPTED FILE-----", ""]
    )


GOOD = Sealed("sealed-3f9a01c2d4", TIME, TIME, (KEY, f"{KEY[:-1]}z"), armor_of(b"x" * 500))


@pytest.mark.slow
@given(
    st.from_regex(r"sealed-[0-9a-f]{6,32}", fullmatch=True),
    st.lists(st.from_regex(r"age1[02-9ac-hj-np-z]{58}", fullmatch=True), min_size=1, max_size=5),
    st.binary(max_size=700),
)
def test_what_was_made_is_read_back(name: str, keys: list[str], data: bytes) -> None:
    made = Sealed(name, TIME, TIME, tuple(keys), armor_of(data))
    assert sealed_of(sealed_text(made)) == made
    assert sealed_of(sealed_text(made).replace("\n", "\r\n")) == made


PLAIN = "the kingfisher sings"


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        sealed_text(GOOD).replace("enc:", f"title: {PLAIN}\nenc:"),
        sealed_text(GOOD).replace("enc:", f"# {PLAIN}\nenc:"),
        sealed_text(GOOD).replace(GOOD.created, PLAIN, 1),
        sealed_text(GOOD).replace(GOOD.created, f"{GOOD.created} # {PLAIN}", 1),
        sealed_text(GOOD).replace(GOOD.id, PLAIN),
        sealed_text(GOOD).replace(KEY, PLAIN),
        sealed_text(GOOD).replace("age/v1", PLAIN),
        sealed_text(GOOD).replace("-----BEGIN", f"{PLAIN}\n-----BEGIN"),
        sealed_text(GOOD).replace("-----END", f"{PLAIN}\n-----END"),
        sealed_text(GOOD) + PLAIN,
        sealed_text(GOOD).replace("AGE ENCRYPTED FILE", "PRIVATE KEY"),
        sealed_text(GOOD._replace(armor=armor_of(b"x" * 300).replace("YWdl", "aaaa"))),
        sealed_text(GOOD._replace(recipients=())),
        sealed_text(GOOD).replace("---\nid", f"---\nid: {PLAIN}\nid", 1),
        "",
    ],
)
def test_what_is_not_in_this_very_form_does_not_pass(text: str) -> None:
    assert is_sealed(sealed_text(GOOD))
    assert not is_sealed(text)


@given(st.text(max_size=40), st.integers(0, len(sealed_text(GOOD))))
def test_no_text_can_be_slipped_in_between(more: str, at: int) -> None:
    text = sealed_text(GOOD)
    changed = text[:at] + more + text[at:]
    found = sealed_of(changed)
    # Letters may only stand where age's own checks find them.
    assert found is None or found.armor.isascii()
    assert found is None or " " not in found.armor.replace(" AGE ENCRYPTED FILE", "")


@pytest.mark.parametrize("text", [sealed_text(GOOD), PLAIN], ids=["encrypted", "plain"])
def test_nothing_in_such_a_place_says_anything_to_index_or_views(text: str) -> None:
    memory = memory_from_text(text, "encrypted/sealed-3f9a01c2d4.md.age")
    entry = entry_of(memory, "stamp")
    assert (memory.id, memory.title, memory.body) == ("sealed-3f9a01c2d4",) * 2 + ("",)
    assert (entry.private, entry.tags, entry.summary, entry.tokens) == (True, (), "", 0)
    assert bool(memory.problem) == (text == PLAIN)
    assert index_units(memory) == []


@pytest.mark.parametrize(
    ("path", "text", "layer"),
    [
        ("semantic/decisions/x.md", "# X\n", "semantic"),
        ("archive/semantic/x.md", "# X\n", "semantic"),
        ("semantic/x.md", "---\ntype: reference\n---\n# X\n", "reference"),
        ("x.md", "# X\n", "semantic"),
        ("episodic/x/conversation.md", "### User\n", "episodic"),
        ("sessions/active/x.jsonl", "{}\n", "episodic"),
        ("sessions/archive/2026-01.md", "# January\n", "episodic"),
        ("core/project.md", "---\ntype: procedural\n---\n# X\n", "core"),
        ("archive/core/recent.md", "# X\n", "core"),
        (".gitignore", "/semantic/x.md\n", ""),
        ("config.toml", "lang = 'en'\n", ""),
    ],
)
def test_what_is_written_belongs_to_a_layer_by_its_place_or_by_what_it_says(
    path: str, text: str, layer: str
) -> None:
    assert written_to(path, text) == layer
